"""A forward pass with everything recorded, against `transformers` eager with all of its outputs asked for.

"Everything" is what a trace keeps: the embeddings, hidden states and attention that `transformers` returns, and the
three embedding parts, queries, keys and values besides.
"""

from __future__ import annotations

import torch

from benchmarks.peer import random_model, same_in_transformers
from benchmarks.timing import Row, medians_in_turns
from bertcore.analysis.trace import is_traced
from bertcore.model.tap import Recorder

LENGTHS = (16, 128, 512)
PRESETS = ("mini", "base")


def rows() -> list[Row]:
    return [row for preset in PRESETS for row in _rows(preset)]


@torch.inference_mode()
def _rows(preset: str) -> list[Row]:
    model = random_model(preset, 30_522, dropout=0.0).eval()
    peer = same_in_transformers(model, attention="eager").eval()
    rows = []
    for length in LENGTHS:
        ids = torch.randint(5, 30_522, (1, length))
        segments = torch.zeros_like(ids)

        def ours(ids: torch.Tensor = ids, segments: torch.Tensor = segments) -> None:
            hidden = model(ids, segments, tap=Recorder(is_traced))
            model.mlm_logits(hidden)
            model.nsp_logits(model.pool(hidden[:, 0]))

        def theirs(ids: torch.Tensor = ids, segments: torch.Tensor = segments) -> None:
            peer(input_ids=ids, token_type_ids=segments, output_attentions=True, output_hidden_states=True)

        rounds = 5 if preset == "base" and length == 512 else 25
        ours_s, peer_s = medians_in_turns(ours, theirs, rounds)
        ratio = peer_s / ours_s
        what = f"forward, everything recorded, {preset}, {length} tokens"
        rows.append(Row(what, f"{1000 * ours_s:.1f} ms", f"{1000 * peer_s:.1f} ms", ratio, ">= 1.0", ratio >= 1.0))
    return rows
