"""Which model is open, and which one is on its way."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bertcore.errors import BertcoreError
from bertcore.locations import NAMED, shipped_checkpoint

from ..look import say
from ..state import ModelInfo, Reading
from ..state.explore_state import ExploreState
from .errors import sentence
from .inference import OPEN, Inference
from .open_checkpoints import OpenCheckpoints
from .question import ReportOrCancel, ignore
from .worker import UnwantedError

if TYPE_CHECKING:
    from bertcore.analysis.reference_values import ReferenceCheck
    from bertcore.tokenizer.tokenizer import Tokenizer

MAX_TOKENS = 512  # until the model says how many it reads


@dataclass(eq=False)
class _Opening:
    """One time that a model was asked for."""

    reference: str | None
    opened: list[Callable[[ModelInfo], object]]
    failed: list[Callable[[str], object]]


class OpenModel(QObject):
    """Opens models. What is open stays until the new one is there; where two are asked for, the last one counts."""

    requested = Signal(str)  # reference, "" for the built-in model: it is about to be opened
    opened = Signal(object, object)  # ModelInfo, which is the state's model now; the reference it was asked for by
    failed = Signal(str)  # a sentence: the model that was asked for last could not be opened
    checked = Signal(object)  # ReferenceCheck: whether this machine computes what was stored with the open model

    def __init__(self, state: ExploreState, inference: Inference, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reference: str | None = None  # as the open model was asked for; None is the built-in one
        self._state, self._inference = state, inference
        self._opening: _Opening | None = None  # the newest, until it has opened or failed

    @property
    def model(self) -> ModelInfo | None:
        return self._state.model

    @property
    def is_opening(self) -> bool:
        """True while the model that was asked for last is neither open nor failed."""
        return self._opening is not None

    @property
    def newest_reference(self) -> str | None:
        """Of the model that was asked for last, open or on its way."""
        return self._opening.reference if self._opening else self.reference

    @property
    def newest_folder(self) -> Path | None:
        """Of the model that was asked for last; None where only opening it tells its folder."""
        if self._opening is not None:
            return Path(self._opening.reference) if self._opening.reference else None
        return self.model.folder if self.model else None

    def open(
        self,
        reference: str | Path | None,
        opened: Callable[[ModelInfo], object] = ignore,
        failed: Callable[[str], object] = ignore,
        *,
        download: bool = False,
    ) -> None:
        """Opens a checkpoint folder, a run folder or a hub id; None is the built-in model.

        download: a person has chosen this hub id; else it must be on this machine already.
        opened: called when this model is the state's. failed: gets a sentence, after the signal of this name.
        Where another model is asked for meanwhile, perhaps neither is called.
        """
        reference = None if reference is None else portable_reference(str(reference))
        self._opening = opening = _Opening(reference, [opened], [failed])
        self.requested.emit(reference or "")
        if reference in (None, *NAMED) or os.path.exists(reference or ""):
            self._load(opening, reference)
        else:
            self._inference.post_outside(_fetch, reference, download, deliver=partial(self._on_fetched, opening))

    def show(self, model: ModelInfo, reference: str | None, reading: Reading | None) -> None:
        """A model that the worker has open or keeps (`Kept`), and what it makes of the text, at once."""
        self.reference = reference
        self._state.set_model(model, reading)
        self.opened.emit(model, reference)

    def fetch(self, reference: str, fetched: Callable[[], object]) -> None:
        """Downloads a hub id that a person has chosen, without opening it."""

        def deliver(_: Path | None, problem: BaseException | None) -> None:
            if problem is None:
                fetched()
            else:
                self._inference.failed.emit(sentence(problem))

        self._inference.post_outside(_fetch, reference, True, deliver=deliver)

    def when_open(self, opened: Callable[[ModelInfo], object], failed: Callable[[str], object] = ignore) -> None:
        """Also calls these when the model that is on its way is there; with the open model where none is."""
        if self._opening is not None:
            self._opening.opened.append(opened)
            self._opening.failed.append(failed)
        elif self.model is not None:
            opened(self.model)

    def _load(self, opening: _Opening, place: str | None) -> None:
        def tokenizer_read(tokenizer: Tokenizer) -> None:
            self._state.set_tokenizer(tokenizer, MAX_TOKENS)

        loaded, checkpoints = partial(self._on_loaded, opening), self._inference.checkpoints
        self._inference.post(OPEN, _open, checkpoints, place, deliver=loaded, arrived=tokenizer_read)

    def _on_fetched(self, opening: _Opening, folder: Path | None, problem: BaseException | None) -> None:
        if problem is not None:
            self._on_loaded(opening, None, problem)
        elif opening is self._opening:
            self._load(opening, str(folder))

    def _on_loaded(self, opening: _Opening, model: ModelInfo | None, problem: BaseException | None) -> None:
        is_newest = opening is self._opening
        if is_newest:
            self._opening = None
        if model is not None:
            self.reference = opening.reference
            self._state.set_model(model)
            self.opened.emit(model, opening.reference)
            for opened in opening.opened:
                opened(model)
            checkpoints, checked = self._inference.checkpoints, partial(self._on_checked, model)
            self._inference.post("reference values", _check, checkpoints, model, deliver=checked)
        elif is_newest and problem is not None:  # who asked for another one meanwhile need not hear of it
            if self._state.model is None:
                why = say("No model is open. Open a model folder from the menu at the top, or drop one here.")
                self._state.set_reading_problem(why)
            self.failed.emit(sentence(problem))
            for failed in opening.failed:
                failed(sentence(problem))

    def _on_checked(self, model: ModelInfo, check: ReferenceCheck | None, problem: BaseException | None) -> None:
        if problem is not None:
            self._inference.failed.emit(sentence(problem))
        elif model is self._state.model:
            self.checked.emit(check)


def _open(
    checkpoints: OpenCheckpoints, place: str | None, _progress: ReportOrCancel
) -> Generator[Tokenizer, None, ModelInfo]:
    """Of the first model the vocabulary comes first: the token strip need not wait for torch."""
    from bertcore.resolve_model import resolve_model
    from bertcore.tokenizer.tokenizer import Tokenizer

    folder, tokenizer = resolve_model(place, download=False), None
    if not checkpoints.all():
        with suppress(BertcoreError):  # opening the checkpoint, just after this, says what is wrong with it
            tokenizer = Tokenizer.from_folder(folder)
    if tokenizer is not None:
        yield tokenizer
    return checkpoints.load(folder, tokenizer)


def _check(checkpoints: OpenCheckpoints, model: ModelInfo, _progress: ReportOrCancel) -> ReferenceCheck:
    from bertcore.analysis.reference_values import check_reference

    check = check_reference(checkpoints.of(model))
    if check is None:
        raise UnwantedError  # nothing is stored with this model
    return check


def _fetch(reference: str, download: bool) -> Path:
    """A hub id may take minutes: what is open goes on answering meanwhile."""
    from bertcore.resolve_model import resolve_model

    return resolve_model(reference, download)


def portable_reference(reference: str) -> str:
    """What still means the same when BERTscope is started elsewhere: a name that ships, an absolute path, a hub id."""
    if reference in NAMED or not os.path.exists(reference):
        return reference
    path = Path(reference).resolve()
    return next((name for name in NAMED if path == shipped_checkpoint(name).resolve()), str(path))
