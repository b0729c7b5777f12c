"""Which parts made an answer: the first picture, all links, and how few parts are enough; the built-in model with 16
tokens, and the first picture of a random model of base size.

The peer of the links is the same worked out one by one, by passes of the whole model: two for each link.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from app.compute.circuit import parts_alone
from app.state.readings import ModelInput
from benchmarks.timing import Row
from benchmarks.typing_in_window import random_checkpoint
from bertcore.analysis.circuit import PartPasses
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.locations import built_in_checkpoint

TOKENS, POSITION, WORD = 16, 5, 1000
PICTURE_S, LINKS_S, CURVE_S, BASE_PICTURE_S = 0.5, 3.0, 8.0, 5.0


def rows() -> list[Row]:
    checkpoint = load_checkpoint(built_in_checkpoint())
    model, (ours, theirs) = checkpoint.model, _texts(checkpoint)
    text, other = (as_text(model, one.input_ids, one.segments) for one in (ours, theirs))
    passes = PartPasses(model, text, other, Target("mlm", WORD, POSITION))
    one_pass = _seconds(lambda: text.hidden(model))
    links_s = _seconds(passes.links)
    links = len(passes.links())
    found = [_row("first picture: each part alone, mini", _picture(checkpoint), PICTURE_S)]
    found.append(
        Row(
            f"all {links} links, mini, against two passes for each",
            f"{links_s:.2f} s",
            f"{2 * links * one_pass:.1f} s",
            links_s / (2 * links * one_pass),
            f"<= {LINKS_S:.0f} s",
            links_s <= LINKS_S,
        )
    )
    lost = passes.lost()
    found.append(_row("how few are enough, from all 43 parts, mini", _seconds(lambda: passes.dropped(lost)), CURVE_S))
    with tempfile.TemporaryDirectory() as folder:
        base = load_checkpoint(random_checkpoint(Path(folder) / "base", "base"))
        found.append(_row("first picture of 157 parts, base", _picture(base), BASE_PICTURE_S))
    return found


def _texts(checkpoint: Checkpoint) -> list[ModelInput]:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, checkpoint.config.vocab_size, (2, TOKENS), generator=generator).tolist()
    return [ModelInput(tuple(each), (0,) * TOKENS) for each in ids]


def _picture(checkpoint: Checkpoint) -> float:
    ours, theirs = _texts(checkpoint)
    target = Target("mlm", WORD, POSITION)
    return _seconds(lambda: parts_alone(checkpoint, ours, theirs, target, lambda _share: None))


def _seconds(work: Callable[[], object]) -> float:
    work()
    started = time.perf_counter()
    with torch.inference_mode():
        work()
    return time.perf_counter() - started


def _row(what: str, seconds: float, limit_s: float) -> Row:
    return Row(what, f"{seconds:.2f} s", "", seconds / limit_s, f"<= {limit_s} s", seconds <= limit_s)
