"""Every head of BERT-base switched off in turn: all in batches, against one forward pass per head."""

import time

import torch

from benchmarks.peer import random_model
from benchmarks.timing import Row
from bertcore.analysis.effects import head_effects
from bertcore.analysis.interventions import ablate
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.model.hooks import Intervention

TOKENS, POSITION, WORD = 32, 5, 1000


def rows() -> list[Row]:
    model = random_model("base", 30_522, 0.0).eval().requires_grad_(False)
    ids = torch.randint(5, 30_522, (TOKENS,), generator=torch.Generator().manual_seed(0)).tolist()
    text = as_text(model, ids, [0] * TOKENS)
    tokens = torch.tensor([ids])
    target = Target("mlm", WORD, POSITION)

    def batched() -> None:
        head_effects(model, text, target)

    @torch.inference_mode()
    def one_by_one() -> None:
        for layer in range(model.config.num_hidden_layers):
            for head in range(model.config.num_attention_heads):
                hidden = model(tokens, hook=Intervention(ablate([(layer, head)])))
                model.mlm_logits(hidden[:, POSITION])

    seconds = [(_seconds(batched), _seconds(one_by_one)) for _ in range(3)]
    ours_s, peer_s = min(own for own, _ in seconds), min(peer for _, peer in seconds)
    share = ours_s / peer_s
    what = f"144 heads of base switched off in turn, {TOKENS} tokens"
    return [Row(what, f"{ours_s:.2f} s", f"{peer_s:.2f} s", share, "<= 0.40", share <= 0.40)]


def _seconds(function: object) -> float:
    assert callable(function)
    started = time.perf_counter()
    function()
    return time.perf_counter() - started
