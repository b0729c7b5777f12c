"""Saves the window's session to a file and opens one again."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import NAMED, assets, shipped_checkpoint
from bertcore.resolve_model import can_be_downloaded
from bertcore.tokenizer.text_spans import place_of, positions_of

from ..compute.open_model import portable_reference
from ..figures.figure import model_hash
from ..figures.files import write_whole
from ..look import numbers, say
from ..state import NOTHING_CHANGED, ModelInfo, OtherModel, OtherText
from ..state.session_file import ENDING, Session, SessionModel, as_json, load_session
from ..widgets.save_dialog import ask_for_file
from .services import Services


class Sessions(QObject):
    """What is open when a session opens is lost only once the file has been read and found whole."""

    problem_found = Signal(str, object)  # a sentence; BannerAction | None: what a person can do about it
    saved = Signal(str)  # a sentence
    room_requested = Signal(str, str)  # its key and that of a view, from the file; there may be neither

    def __init__(self, services: Services, place: Callable[[], tuple[str, str]], parent: QWidget) -> None:
        """place: room and view on show."""
        super().__init__(parent)
        self._services, self._state, self._open_model = services, services.state, services.open_model
        self._place, self._window = place, parent
        self._folder = Path.home()

    def current(self) -> Session:
        """What is being looked at, for a file."""
        state, model = self._state, self._state.model
        reference, (room, view) = self._open_model.reference, self._place()
        return Session(
            text_a=state.text_a,
            text_b=state.text_b,
            masks=tuple(sorted(state.mask_places)),
            focus=None if state.focus is None else place_of(state.encoding, state.focus),
            model=_session_model(model, reference) if model else SessionModel(),
            layer=state.layer,
            head=state.head,
            room=room,
            view=view,
            words=state.token_view.words,
            specials=state.token_view.specials,
            changes=state.what_if,
            baseline=self._baseline_for_file(),
            difference=state.wants_difference,
            applied_texts=dict(state.applied_texts),
        )

    def save_as(self) -> None:
        """Asks for a file and saves there."""
        filters = {ENDING: _filter()}
        file = ask_for_file(self._window, say("Save session"), self._folder / f"session{ENDING}", filters, ".json")
        if file is not None:
            self.save(file)

    def save(self, file: Path) -> None:
        try:
            write_whole(file, as_json(self.current()))
        except BertcoreError as error:
            self.problem_found.emit(str(error), None)
            return
        self._folder = file.parent
        self.saved.emit(say("Saved {file}", file=file))

    def choose(self) -> None:
        """Asks for a file and opens it."""
        kinds = f"{_filter()};;JSON (*.json)"
        chosen, _ = QFileDialog.getOpenFileName(self._window, say("Open session"), str(self._folder), kinds)
        if chosen:
            self.open(Path(chosen))

    def open(self, file: Path) -> None:
        """Brings a session back; its model is opened where another one is open."""
        state, opener = self._state, self._open_model
        try:
            session = load_session(file)
        except BertcoreError as error:
            if state.model is None and not opener.is_opening:
                opener.open(None)  # BERTscope was started with this file: the rooms wait for a model
            self.problem_found.emit(str(error), None)
            return
        self._folder = file.parent
        self.show(session)

    def show(self, session: Session) -> None:
        """Brings a session back that has been read already."""
        state, opener = self._state, self._open_model
        session = replace(session, model=replace(session.model, reference=self._reference_here(session.model)))
        state.set_applied_texts(session.applied_texts)
        state.set_text(session.text_a, session.text_b)
        state.set_token_view(words=session.words, specials=session.specials)
        self._select(session)
        saved = session.baseline
        state.set_baseline(OtherModel(self._reference_here(saved)) if isinstance(saved, SessionModel) else saved)
        state.set_wants_difference(session.difference)
        self.room_requested.emit(session.room, session.view)
        has_model = opener.is_opening or state.model is not None
        if not has_model or session.model.reference != opener.newest_reference:
            opener.open(session.model.reference, *self._when_open(session))
        else:
            opener.when_open(*self._when_open(session))

    def _when_open(
        self, session: Session, is_download: bool = False
    ) -> tuple[Callable[[ModelInfo], None], Callable[[str], None]]:
        """What happens to a session when its model has opened, or failed to."""
        wanted, opener = session.model, self._open_model

        def opened(_: ModelInfo) -> None:
            """Masks and selection fit only now."""
            if (session.text_a, session.text_b) == (self._state.text_a, self._state.text_b):
                self._select(session)
            self._warn_of_another(session)

        def failed(sentence: str) -> None:
            """The rest of it is shown with another model."""
            name = wanted.name or wanted.reference or say("its model")
            if self._state.model is None and wanted.reference is not None:
                without = replace(session, model=SessionModel(), changes=NOTHING_CHANGED)
                opener.open(None, *self._when_open(without))
            shown = self._state.model.name if self._state.model else say("the built-in model")
            if is_download or not can_be_downloaded(wanted.reference or ""):
                why = say(
                    "The session’s model {name} could not be opened, so its texts are shown with {shown}. {reason}",
                    name=name,
                    shown=shown,
                    reason=sentence,
                )
                self.problem_found.emit(why, None)
                return
            offer = say(
                "The session’s model {name} is not on this machine, so its texts are shown with {shown}. "
                "The model hub may have it: {reference}, {size}.",
                name=name,
                shown=shown,
                reference=wanted.reference,
                size=numbers.file_size(wanted.bytes) if wanted.bytes else say("size unknown"),
            )
            when_open = self._when_open(session, is_download=True)
            download = partial(opener.open, wanted.reference, *when_open, download=True)  # a person has clicked for it
            self.problem_found.emit(offer, (say("Download"), download))

        return opened, failed

    def _reference_here(self, model: SessionModel) -> str | None:
        """Where the session's model is on this machine, as the open model would have it: the file may have been saved
        on another one, or with another path to the same folder."""
        reference = model.reference
        if reference is None:
            return None
        if model.hash and reference not in NAMED and not os.path.exists(reference):
            same = (known for known, folder in self._models_here() if model_hash(folder) == model.hash)
            reference = next(same, reference)
        return portable_reference(reference)

    def _models_here(self) -> Iterator[tuple[str, Path]]:
        """Models that can be opened without asking anybody: reference and folder."""
        yield from ((name, shipped_checkpoint(name)) for name in NAMED)
        yield from ((str(folder), folder) for folder in sorted((assets() / "runs").glob("*/snapshots/*")))
        yield from ((known, Path(known)) for known in self._services.settings.recent_models if os.path.isdir(known))

    def _baseline_for_file(self) -> OtherText | SessionModel | None:
        chosen, reading = self._state.baseline, self._state.newest_reading
        if not isinstance(chosen, OtherModel):
            return chosen
        if reading is None or reading.baseline is None or reading.request.baseline != chosen:
            return SessionModel(chosen.reference)  # not open yet: its reference will do
        return _session_model(reading.baseline.request.model, chosen.reference)

    def _select(self, session: Session) -> None:
        state = self._state
        state.set_mask_places(session.masks)
        focus = [] if session.focus is None else positions_of(state.encoding, [session.focus])
        state.set_focus(next(iter(focus), None))
        if state.model is not None:
            state.set_head(min(session.layer, state.model.layers - 1), min(session.head, state.model.heads - 1))
            # What is changed inside belongs to one model and one reading of the text.
            is_same = state.encoding is not None and session.model.reference == self._open_model.reference
            shape = state.model.layers, state.model.heads, len(state.encoding or ())
            state.set_what_if(session.changes if is_same and session.changes.fits(*shape) else NOTHING_CHANGED)

    def _warn_of_another(self, session: Session) -> None:
        model = self._state.model
        if model is not None and session.model.hash and session.model.hash != model_hash(model.folder):
            why = say(
                "{model} is not the same model as when the session was saved: its weights or settings differ.",
                model=model.name,
            )
            self.problem_found.emit(why, None)


def _filter() -> str:
    return f"{say('BERTscope session')} (*{ENDING})"


def _session_model(model: ModelInfo, reference: str | None) -> SessionModel:
    files = (file for file in model.folder.glob("*") if file.is_file())
    size = sum(file.stat().st_size for file in files)
    return SessionModel(reference, model.name, model_hash(model.folder), size)
