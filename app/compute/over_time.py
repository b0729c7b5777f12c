"""The snapshots of a run, one after the other, reading the same text: how a model changes while it learns.

Importable without torch: the window names what it wants, and the worker computes it. L layers, N heads, S tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress
from bertcore.tokenizer.text_spans import Place, joined, positions_of

from ..state import ModelInfo
from ..state.readings import Reading, ReadingRequest, request_for

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding


@dataclass(frozen=True)
class Text:
    """What the snapshots read: one or two sentences, and what is masked in them beside a typed [MASK]."""

    a: str
    b: str = ""
    masks: frozenset[Place] = frozenset()
    editors: tuple[tuple[str, str], ...] = ()  # kind of task -> what its editor in Apply holds, such as a passage


@dataclass(frozen=True, eq=False)
class OpenSnapshot:
    """A snapshot, open, and what it makes of the text."""

    model: ModelInfo
    checkpoint: Checkpoint
    reading: Reading


@dataclass(frozen=True, eq=False)
class Heads:
    """Every head of one snapshot, made small where the text is long, and what its rows and columns stand for."""

    attentions: np.ndarray  # (L,N,T,T)
    labels: tuple[str, ...]  # (S)


def read_snapshots(
    folders: Sequence[Path], text: Text, progress: ReportProgress, encoding: Encoding | None = None
) -> Iterator[OpenSnapshot]:
    """Each in turn; one that is gone (a run thins its snapshots while it goes on) is left out.

    encoding: of this text in the vocabulary of the open model; readings of a run with the same one share it.
    """
    from .open_checkpoints import opened_checkpoint
    from .reader import read

    for number, folder in enumerate(folders):
        progress(number / len(folders))
        try:
            model, checkpoint = opened_checkpoint(folder)
        except BertcoreError:
            continue
        yield OpenSnapshot(model, checkpoint, read(_request(model, text, encoding), checkpoint))


def heads_over_time(snapshots: Sequence[Path], text: str, progress: ReportProgress) -> dict[Path, Heads]:
    """By snapshot; one that is gone is left out."""
    readings = (opened.reading for opened in read_snapshots(snapshots, Text(text), progress))
    return {made.request.model.folder: Heads(made.thumbnails, tuple(made.shown_tokens)) for made in readings}


def _request(model: ModelInfo, text: Text, encoding: Encoding | None) -> ReadingRequest:
    tokenizer = model.tokenizer
    own = tokenizer.encode(text.a, text.b if text.b.strip() else None, model.max_positions)
    same = encoding is not None and (own.ids, own.offsets) == (encoding.ids, encoding.offsets)
    encoding = encoding if same and encoding is not None else own
    by_hand = frozenset(positions_of(encoding, joined(text.masks)) if tokenizer.mask_token else ())
    return request_for(model, encoding, by_hand)
