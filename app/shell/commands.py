"""What the window's commands are and do, and the menus in its title bar."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QMenu

from app.look import theme
from app.shell.actions import Command
from app.state.what_if import NOTHING_CHANGED
from app.widgets.figure_button import FigureAction
from bertcore import locations

if TYPE_CHECKING:
    from app.shell.window import Window

PICTURE_WORDS = "export figure image png pdf svg"
BUILT_IN, TINY_BUILT_IN = "The built-in model", "The tiny built-in model"


class WindowCommands:
    """The commands of one window; each is there once, whatever menu, key or list it is called from."""

    def __init__(self, window: Window) -> None:
        self._window, self._state = window, window.state

    def all(self) -> list[Command]:
        return [*self._files(), *self._edits(), *self._models(), *self._texts(), *self._rooms(), *self._views()]

    def _files(self) -> list[Command]:
        window, wish = self._window, self._window.exporter.fulfil_here
        return [
            Command("file.save_session", "Save session…", "File", window.sessions.save_as, "Ctrl+S"),
            Command("file.open_session", "Open session…", "File", window.sessions.choose, "Ctrl+Shift+O"),
            Command(
                "file.save_picture",
                FigureAction.SAVE_PICTURE.title,
                "File",
                partial(wish, FigureAction.SAVE_PICTURE),
                "Ctrl+E",
                also=PICTURE_WORDS,
            ),
            Command(
                "file.save_numbers",
                FigureAction.SAVE_NUMBERS.title,
                "File",
                partial(wish, FigureAction.SAVE_NUMBERS),
                "Ctrl+Shift+E",
                also="export table csv data",
            ),
            Command("file.quit", "Quit", "File", window.close, "Ctrl+Q"),
        ]

    def _edits(self) -> list[Command]:
        window, wish = self._window, self._window.exporter.fulfil_here
        return [
            Command("edit.undo", "Undo", "Edit", window.history.undo, "Ctrl+Z"),
            Command("edit.redo", "Redo", "Edit", window.history.redo, "Ctrl+Shift+Z", ("Ctrl+Y",)),
            Command(
                "edit.copy_picture",
                FigureAction.COPY_PICTURE.title,
                "Edit",
                partial(wish, FigureAction.COPY_PICTURE),
                "Ctrl+Shift+C",
            ),
            Command(
                "edit.copy_numbers",
                FigureAction.COPY_NUMBERS.title,
                "Edit",
                partial(wish, FigureAction.COPY_NUMBERS),
                "Ctrl+Alt+C",
            ),
        ]

    def _models(self) -> list[Command]:
        return [
            Command("model.open_folder", "Open folder…", "Model", self._choose_folder, "Ctrl+O"),
            Command("model.open_built_in", BUILT_IN, "Model", lambda: self._window.open_model(None), "Ctrl+Shift+B"),
            Command(
                "model.open_tiny", TINY_BUILT_IN, "Model", lambda: self._window.open_model(locations.TINY), "Ctrl+Alt+B"
            ),
        ]

    def _texts(self) -> list[Command]:
        state = self._state
        return [
            Command("text.mask", "Mask or unmask the token", "Text", lambda: state.toggle_mask(), "M"),
            Command("text.unmask_all", "Take all masks away", "Text", lambda: state.set_masks(()), "Shift+M"),
            Command("text.let_go", "Let the token go", "Text", lambda: state.set_focus(None), "Esc"),
            Command("text.swap", "Swap A and B", "Text", self._swap, "Ctrl+Shift+S"),
            Command("text.type", "Type in sentence A", "Text", self._type, "Ctrl+L"),
            Command(
                "text.as_it_is",
                "Take back what is changed inside",
                "Text",
                lambda: state.set_what_if(NOTHING_CHANGED),
                "Ctrl+0",
            ),
        ]

    def _rooms(self) -> list[Command]:
        open_room = self._window.open_room
        return [
            Command(f"room.{entry.id}", entry.title, "Room", partial(open_room, entry.id), f"Ctrl+{number}")
            for number, entry in enumerate(self._window.rooms.entries(), start=1)
        ]

    def _views(self) -> list[Command]:
        window, state = self._window, self._state
        return [
            Command(
                "view.words",
                "Words or tokens",
                "View",
                lambda: state.set_token_view(words=not state.token_view.words),
                "W",
            ),
            Command(
                "view.specials",
                "With or without special tokens",
                "View",
                lambda: state.set_token_view(specials=not state.token_view.specials),
                "S",
            ),
            Command("view.theme", "Light or dark", "View", self.toggle_theme, "Ctrl+T"),
            Command(
                "view.projector",
                "Projector size",
                "View",
                self.toggle_projector,
                "Ctrl+Shift+P",
                also="zoom larger font",
            ),
            Command("view.help", "What this room shows", "View", window.toggle_help, "F1", also="help manual"),
            Command("view.palette", "Find a command…", "View", window.open_palette, "Ctrl+K"),
        ]

    def fill_models(self, menu: QMenu) -> None:
        """The models that ship, a folder, and those that were open lately."""
        actions = self._window.actions_.actions
        menu.addActions([actions[name] for name in ("model.open_built_in", "model.open_tiny", "model.open_folder")])
        recent = self._window.services.settings.recent_models
        if recent:
            menu.addSeparator()
        for reference in recent:
            menu.addAction(shortened(reference), partial(self._window.open_model, reference))

    def fill_steps(self, menu: QMenu) -> None:
        """The other snapshots of the open model's run."""
        from bertcore.runs.run_folder import RunFolder

        folder = self._state.model.folder if self._state.model else None
        steps = RunFolder(folder.parent.parent).snapshots() if folder and folder.parent.name == "snapshots" else []
        for step, path in reversed(steps):
            menu.addAction(f"step {step:,}", partial(self._window.open_model, path))
        if not steps:
            menu.addAction("No other snapshots stand beside this one").setEnabled(False)

    def fill_examples(self, menu: QMenu) -> None:
        """By the room that each is about: all of them in one list would not fit on a projector."""
        from app.state.examples import load_examples

        for entry in self._window.rooms.entries():
            of_room = [example for example in load_examples() if example.room == entry.id]
            if of_room:
                part = menu.addMenu(entry.title)
                for example in of_room:
                    part.addAction(example.title, partial(self._window.use_example, example))

    def toggle_theme(self) -> None:
        self._window.set_look("light" if theme.active().name == "dark" else "dark")

    def toggle_projector(self) -> None:
        # After the click is done with: the button that was clicked goes away.
        window = self._window
        QTimer.singleShot(0, lambda: window.set_look(projector=not window.services.settings.projector))

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, "Open a checkpoint or run folder")
        if folder:
            self._window.open_model(folder)

    def _swap(self) -> None:
        self._state.set_text(self._state.text_b, self._state.text_a)

    def _type(self) -> None:
        edit = self._window.frame.sentences.a
        edit.setFocus()
        edit.selectAll()


def shortened(reference: str, most: int = 60) -> str:
    return reference if len(reference) <= most else "…" + reference[-most:]
