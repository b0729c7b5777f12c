"""The models that the worker has open: the one on show, others that can be shown at once, one to compare with."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bertcore.tasks.kinds import TASK_KINDS

from ..state import ModelInfo
from ..state.task_info import TaskInfo
from .worker import UnwantedError

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Tokenizer


TASK_HEADS = frozenset(kind.head for kind in TASK_KINDS.values())


@dataclass(eq=False)
class Kept:
    """Models that can be shown at once, beside the open one."""

    models: list[tuple[ModelInfo, Checkpoint]] = field(default_factory=list)


class OpenCheckpoints:
    """Called on the worker's thread, but for `start_keeping` and `release`."""

    def __init__(self) -> None:
        self._loaded: tuple[ModelInfo, Checkpoint] | None = None
        self._kept = Kept()
        self._second: tuple[str | None, ModelInfo, Checkpoint] | None = None  # what the open model is compared with

    def load(self, folder: Path, tokenizer: Tokenizer | None = None) -> ModelInfo:
        """Opens a checkpoint in place of the one that was open. tokenizer: its own, where it has been read already."""
        self._loaded = opened_checkpoint(folder, tokenizer)
        return self._loaded[0]

    def start_keeping(self) -> Kept:
        """What takes models that the window may show, until `release`.

        A job that has not heard of the release yet adds to what nobody has any more.
        """
        self._kept = Kept()
        return self._kept

    def release(self) -> None:
        """None but the open one is kept any more."""
        self._kept = Kept()

    def open_second(self, reference: str | None) -> ModelInfo:
        """The model that the open one is compared with, opened beside it; raises BertcoreError where it cannot be."""
        from bertcore.resolve_model import resolve_model

        if self._second is None or self._second[0] != reference:
            self._second = None  # first: there shall not be three models in memory
            self._second = reference, *opened_checkpoint(resolve_model(reference, download=False))
        return self._second[1]

    def close_second(self) -> None:
        self._second = None

    def is_open(self, model: ModelInfo) -> bool:
        return any(model is one for one, _ in self.all())

    def of(self, model: ModelInfo) -> Checkpoint:
        """Of the open model, one that is kept or is compared with; raises UnwantedError where it is open no more."""
        for one, checkpoint in self.all():
            if one is model:
                return checkpoint
        raise UnwantedError

    def all(self) -> list[tuple[ModelInfo, Checkpoint]]:
        second = None if self._second is None else self._second[1:]
        return [*self._kept.models, *(one for one in (self._loaded, second) if one is not None)]


def opened_checkpoint(folder: Path, tokenizer: Tokenizer | None = None) -> tuple[ModelInfo, Checkpoint]:
    """A checkpoint, and what the window knows of it. tokenizer: its own, where it has been read already."""
    import torch

    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.resolve_model import snapshot_errors

    torch.set_num_threads(min(4, max(1, (os.cpu_count() or 2) - 1)))
    with snapshot_errors(folder):
        checkpoint = load_checkpoint(folder, tokenizer=tokenizer)
    info = ModelInfo(
        name=checkpoint.name,
        folder=folder,
        tokenizer=checkpoint.tokenizer,
        config=checkpoint.config,
        parameters=checkpoint.parameters,
        step=checkpoint.step,
        output_heads=checkpoint.output_heads,
        missing=dict(checkpoint.missing),
        pooling=checkpoint.pooling,
        task=_task_of(checkpoint, folder),
    )
    return info, checkpoint


def _task_of(checkpoint: Checkpoint, folder: Path) -> TaskInfo | None:
    if not TASK_HEADS.intersection(checkpoint.output_heads):
        return None  # the usual case, which need not wait for what tasks are made of
    from bertcore.tasks.predict import labels_of, task_kind

    from ..state.task_info import task_info

    kind = task_kind(checkpoint)
    return task_info(kind, labels_of(checkpoint), folder, checkpoint.config.number_range) if kind else None
