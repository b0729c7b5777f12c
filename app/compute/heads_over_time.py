"""The attention heads of several snapshots of a run for one text: how they form while the model learns.

Importable without torch: the window names what it wants, and the worker computes it. L layers, N heads, S tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertcore.errors import BertcoreError

from ..state.readings import thumbnails

Step = Callable[[float], object]  # share done, 0..1; may raise to end the work


@dataclass(frozen=True, eq=False)
class Heads:
    """Every head of one snapshot, made small where the text is long, and what its rows and columns stand for."""

    attentions: np.ndarray  # (L,N,T,T)
    labels: tuple[str, ...]  # (S)


def heads_over_time(snapshots: Iterable[Path], text: str, step: Step) -> dict[Path, Heads]:
    """By snapshot; one that is gone (a run thins its snapshots while it goes on) is left out."""
    from bertcore.analysis.trace import trace
    from bertcore.checkpoint.checkpoint import load_checkpoint

    found = {}
    for folder in snapshots:
        step(0.0)
        try:
            checkpoint = load_checkpoint(folder)
        except BertcoreError:
            continue
        encoding = checkpoint.tokenizer.encode(text, max_length=checkpoint.config.max_length)
        made = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[])
        found[folder] = Heads(thumbnails(made.attentions), tuple(encoding.labels))
    return found
