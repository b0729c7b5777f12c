"""Saves the window's session to a file and opens one again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from app.figures.figure import model_hash
from app.figures.files import write_whole
from app.state.session_changes import fits
from app.state.session_file import ENDING, Session, SessionModel, as_json, load_session
from app.state.text_spans import place_of, positions_of
from app.state.what_if import NOTHING_CHANGED
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from app.shell.window import Window

FILTER = f"BERTscope session (*{ENDING})"


class SessionDesk:
    """What is open when a session opens is lost only once the file has been read and found whole."""

    def __init__(self, window: Window) -> None:
        self._window, self._state = window, window.state
        self._folder = Path.home()
        self._opening: Session | None = None  # its model is under way

    def current(self) -> Session:
        """What is being looked at, for a file."""
        state, window = self._state, self._window
        model, encoding = state.model, state.encoding
        return Session(
            text_a=state.text_a,
            text_b=state.text_b,
            masks=tuple(sorted(state.mask_places)),
            focus=None if state.focus is None else place_of(encoding, state.focus),
            model=SessionModel(window.model_reference, model.name, model_hash(model.folder))
            if model
            else SessionModel(),
            layer=state.layer,
            head=state.head,
            room=window.room_id,
            words=state.token_view.words,
            specials=state.token_view.specials,
            changes=state.what_if,
            applied_texts=dict(state.applied_texts),
        )

    def save_as(self) -> None:
        """Asks for a file and saves there."""
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, "Save session", str(self._folder / f"session{ENDING}"), FILTER
        )
        if chosen:
            file = Path(chosen)
            self.save(file if file.name.endswith(".json") else file.with_name(file.name + ENDING))

    def save(self, file: Path) -> None:
        try:
            write_whole(file, as_json(self.current()).encode("utf-8"))
        except BertcoreError as error:
            self._window.show_problem(str(error))
            return
        self._folder = file.parent
        self._window.frame.status.set_hover(f"Saved {file}")

    def choose(self) -> None:
        """Asks for a file and opens it."""
        chosen, _ = QFileDialog.getOpenFileName(
            self._window, "Open session", str(self._folder), f"{FILTER};;JSON (*.json)"
        )
        if chosen:
            self.open(Path(chosen))

    def open(self, file: Path) -> None:
        """Brings a session back; its model is opened where another one is open."""
        try:
            session = load_session(file)
        except BertcoreError as error:
            if self._state.model is None and not self._window.services.inference.is_opening:
                self._window.open_model(None)  # BERTscope was started with this file: the rooms wait for a model
            self._window.show_problem(str(error))
            return
        self._folder = file.parent
        self._state.applied_texts.update(session.applied_texts)
        apply_room = self._window.frame.rooms.get("apply")
        if apply_room is not None:
            apply_room.show_kept_text()  # type: ignore[attr-defined]
        self._state.set_text(session.text_a, session.text_b)
        self._state.set_token_view(words=session.words, specials=session.specials)
        self._select(session)
        if session.room in {entry.id for entry in self._window.rooms.entries()}:
            self._window.open_room(session.room)
        is_opening = self._window.services.inference.is_opening
        newest = self._window.opening_reference if is_opening else self._window.model_reference
        has_model = is_opening or self._state.model is not None
        if not has_model or session.model.reference != newest:
            self._window.open_model(session.model.reference)
        elif not is_opening:
            self._warn_of_another(session)
            return
        self._opening = session

    def on_model_opened(self, reference: str | None) -> None:
        """Masks and selection fit only now."""
        session = self._opening
        if session is None:
            return
        if session.model.reference != reference:  # asked for before the session, or since
            self._opening = None if reference == self._window.opening_reference else session
            return
        self._opening = None
        if (session.text_a, session.text_b) == (self._state.text_a, self._state.text_b):
            self._select(session)
        self._warn_of_another(session)

    def on_model_failed(self, sentence: str) -> None:
        """Says what becomes of the session whose model could not be opened: the rest of it is shown with another."""
        session, self._opening = self._opening, None
        if session is None:
            self._window.show_problem(sentence)
            return
        name = session.model.name or session.model.reference or "its model"
        if self._state.model is None and session.model.reference is not None:
            self._window.open_model(None)
            self._opening = replace(session, model=SessionModel(), changes=NOTHING_CHANGED)
        shown = self._state.model.name if self._state.model else "the built-in model"
        self._window.show_problem(
            f"The session's model {name} could not be opened, so its texts are shown with {shown}. {sentence}"
        )

    def _select(self, session: Session) -> None:
        state = self._state
        state.set_mask_places(session.masks)
        focus = [] if session.focus is None else positions_of(state.encoding, [session.focus])
        state.set_focus(next(iter(focus), None))
        if state.model is not None:
            state.set_head(min(session.layer, state.model.layers - 1), min(session.head, state.model.heads - 1))
            state.set_what_if(session.changes if self._means_the_same(session) else NOTHING_CHANGED)

    def _means_the_same(self, session: Session) -> bool:
        """What is changed inside belongs to one model and one reading of the text."""
        model, encoding = self._state.model, self._state.encoding
        if model is None or encoding is None or session.model.reference != self._window.model_reference:
            return False
        return fits(session.changes, model.layers, model.heads, len(encoding))

    def _warn_of_another(self, session: Session) -> None:
        model = self._state.model
        if model is not None and session.model.hash and session.model.hash != model_hash(model.folder):
            self._window.show_problem(
                f"{model.name} is not the same model as when the session was saved: its weights or settings differ."
            )
