"""A patching map of the built-in model with 16 tokens: a cell of it, against one pass."""

import time

import torch

from benchmarks.timing import Row
from bertcore.analysis.effects import PatchedPart, patching_map
from bertcore.analysis.passes import Text, as_text
from bertcore.analysis.targets import Target
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import built_in_checkpoint
from bertcore.model.bert import Bert

TOKENS, POSITION, WORD = 16, 5, 1000
TIMES = 15  # of each in turn; the fastest counts


def rows() -> list[Row]:
    model = load_checkpoint(built_in_checkpoint()).model
    ids = torch.randint(5, model.config.vocab_size, (2, TOKENS), generator=torch.Generator().manual_seed(0)).tolist()
    text, other = (as_text(model, each, [0] * TOKENS) for each in ids)
    return [_row(model, text, other, part) for part in ("state", "head", "feed-forward")]


def _row(model: Bert, text: Text, other: Text, part: PatchedPart) -> Row:
    target = Target("mlm", WORD, POSITION)
    cells = patching_map(model, text, other, target, part).patched.size
    map_s, pass_s = [], []
    for _ in range(TIMES):
        started = time.perf_counter()
        patching_map(model, text, other, target, part)
        map_s.append(time.perf_counter() - started)
        started = time.perf_counter()
        with torch.inference_mode():
            target.of(model, text.hidden(model))
        pass_s.append(time.perf_counter() - started)
    share = min(map_s) / cells / min(pass_s)
    what = f"patching map of {cells} cells ({part}), mini, {TOKENS} tokens: a cell, against one pass"
    ours, peer = f"{1000 * min(map_s) / cells:.2f} ms", f"{1000 * min(pass_s):.2f} ms"
    return Row(what, ours, peer, share, "<= 0.30", share <= 0.30)
