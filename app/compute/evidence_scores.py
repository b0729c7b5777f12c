"""What the room Evidence asks about how good the model is over a collection: what is lost without parts of it, and
whether it is right as often as it is sure. Importable without torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress

from ..look.say import say
from .evidence import Gathered, Kept

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.calibration import Calibration
    from bertcore.evidence.probing import Probes
    from bertcore.evidence.pruning import Pruning
    from bertcore.evidence.scoring import MaskedWords

Part = Literal["head", "layer"]
SEED = 0
MOST_PRUNED = 60  # rows that parts are taken out over, hundreds of times: drawn where there are more


def masked_words(checkpoint: Checkpoint, gathered: Gathered, most: int | None = None) -> MaskedWords:
    """Raises BertcoreError for a model that guesses no words."""
    from bertcore.evidence.scoring import MaskedWords

    rows, collection = gathered.collection.rows, gathered.collection
    if most is not None and len(rows) > most:
        chosen = np.sort(np.random.default_rng(SEED).permutation(len(rows))[:most])
        collection = replace(collection, rows=tuple(rows[row] for row in chosen.tolist()))
    return MaskedWords(checkpoint, collection, SEED)


def pruning_of(checkpoint: Checkpoint, gathered: Gathered, part: Part, kept: Kept, progress: ReportProgress) -> Pruning:
    """Heads or layers taken out, the least important first (`evidence.pruning`)."""
    from bertcore.evidence.pruning import prune

    def find() -> Pruning:
        return prune(masked_words(checkpoint, gathered, MOST_PRUNED), part, seed=SEED, progress=progress)

    return kept.get(checkpoint, (gathered, "pruning", part), find)


def save_pruned(
    checkpoint: Checkpoint,
    gathered: Gathered,
    part: Part,
    count: int,
    folder: Path,
    kept: Kept,
    progress: ReportProgress,
) -> Path:
    """A checkpoint without the `count` least important parts. Raises BertcoreError where it cannot be written, and for
    a folder that has something in it."""
    from bertcore.checkpoint.checkpoint import save_checkpoint

    if folder.is_dir() and any(folder.iterdir()):
        raise BertcoreError(say("{folder} is not empty; choose another folder, or make a new one.", folder=folder.name))
    model = pruning_of(checkpoint, gathered, part, kept, progress).pruned(checkpoint.model, count)
    save_checkpoint(model, checkpoint.tokenizer, folder, name=folder.name)
    return folder


def calibration_of(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> Calibration:
    """Of the likeliest word at each mask (`evidence.calibration`)."""
    from bertcore.evidence.calibration import calibrate

    def find() -> Calibration:
        return calibrate(masked_words(checkpoint, gathered).answers(progress=progress))

    return kept.get(checkpoint, (gathered, "calibration"), find)


def probes_of(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> Probes:
    """What can be read off each layer (`evidence.probing`). Raises BertcoreError for fewer than four sentences."""
    from bertcore.evidence.probing import probe

    def find() -> Probes:
        return probe(checkpoint, gathered.collection, seed=SEED, progress=progress)

    return kept.get(checkpoint, (gathered, "probes"), find)
