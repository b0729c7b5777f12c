"""One forward pass, recorded and not, against `transformers`.

Recorded: what a trace keeps (the embeddings, hidden states and attention that `transformers` returns, and the three
embedding parts, queries, keys and values besides), against eager attention with all outputs asked for. Both give word
logits: ours for the masked positions, 15% of the text, as the window asks for them; `transformers` has no way to leave
the others out. A second row has ours compute all of them too. Not recorded: hidden states alone, against SDPA.
"""

from collections.abc import Callable

import torch

from benchmarks.peer import random_model, same_in_transformers
from benchmarks.timing import Row, medians_in_turns
from bertcore.analysis.trace import ACTIVATIONS, points_of
from bertcore.model.hooks import Recorder

LENGTHS = (32, 128, 512)
PRESETS = ("mini", "base")
MASKED_SHARE = 0.15


def rows() -> list[Row]:
    return [row for preset in PRESETS for row in _rows(preset)]


@torch.inference_mode()
def _rows(preset: str) -> list[Row]:
    model = random_model(preset, 30_522, dropout=0.0).eval().requires_grad_(False)
    eager = same_in_transformers(model, attention="eager").eval()
    sdpa = same_in_transformers(model, attention="sdpa").eval().get_submodule("bert")
    traced = {point for name in ACTIVATIONS for point in points_of(name, model.config)}
    rows = []
    for length in LENGTHS:
        ids = torch.randint(5, 30_522, (1, length))
        segments = torch.zeros_like(ids)
        masked = torch.randperm(length)[: max(1, round(MASKED_SHARE * length))]

        def recorded(ids: torch.Tensor = ids, rows: torch.Tensor = masked) -> None:
            hidden = model(ids, torch.zeros_like(ids), hook=Recorder(traced.__contains__))
            model.mlm_logits(hidden[0, rows])
            model.logits("nsp", hidden[:, 0])

        def recorded_all(ids: torch.Tensor = ids, rows: torch.Tensor = torch.arange(length)) -> None:  # noqa: B008
            recorded(ids, rows)

        def all_outputs(ids: torch.Tensor = ids, segments: torch.Tensor = segments) -> None:
            eager(input_ids=ids, token_type_ids=segments, output_attentions=True, output_hidden_states=True)

        def plain(ids: torch.Tensor = ids, segments: torch.Tensor = segments) -> None:
            model(ids, segments)

        def plain_sdpa(ids: torch.Tensor = ids, segments: torch.Tensor = segments) -> None:
            sdpa(input_ids=ids, token_type_ids=segments)

        rounds = 7 if preset == "base" and length == 512 else 25
        where = f"{preset}, {length} tokens"
        rows += [
            _row(f"recorded, {where}", recorded, all_outputs, rounds, 1.3),
            _row(f"the same with all word logits, {where}", recorded_all, all_outputs, rounds, 1.0),
            _row(f"not recorded, {where}", plain, plain_sdpa, rounds, 1.0),
        ]
    return rows


def _row(what: str, ours: Callable[[], None], peer: Callable[[], None], rounds: int, asked: float) -> Row:
    ours_s, peer_s = medians_in_turns(ours, peer, rounds)
    ratio = peer_s / ours_s
    return Row(what, f"{1000 * ours_s:.1f} ms", f"{1000 * peer_s:.1f} ms", ratio, f">= {asked}", ratio >= asked)
