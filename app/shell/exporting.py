"""Saves and copies figures: asks for the file, writes it, or fills the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QApplication, QFileDialog

from app.figures.figure import Figure, file_name
from app.figures.files import NUMBERS, PICTURES, image_of, save_figure, svg, table
from app.widgets.figure_button import FigureAction, Provider, figure_buttons
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from app.shell.window import Window

NOTHING_YET = "There is no picture here to save yet; it comes when the model has read a text."


class Exporter:
    """Does what the save buttons of one window wish."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._folder = Path.home()

    def fulfil(self, provider: Provider, action: FigureAction) -> None:
        """What goes wrong is said in the window's banner."""
        figure = provider()
        if figure is None or not figure.picture.width:
            self._window.show_problem(NOTHING_YET)
            return
        try:
            if action in (FigureAction.SAVE_PICTURE, FigureAction.SAVE_NUMBERS):
                self._save(figure, provider, action, PICTURES if action == FigureAction.SAVE_PICTURE else NUMBERS)
            elif action == FigureAction.COPY_PICTURE:
                QApplication.clipboard().setMimeData(_as_mime(figure))
                self._tell(f"Copied the picture: {figure.title}")
            elif action == FigureAction.COPY_NUMBERS:
                QApplication.clipboard().setText(table(figure, separator="\t"))
                self._tell(f"Copied the numbers: {figure.title}")
        except BertcoreError as error:
            self._window.show_problem(str(error))

    def fulfil_here(self, action: FigureAction) -> None:
        """For the picture that has the keyboard, else the one under the mouse, else the first of the room."""
        room = self._window.frame.room
        buttons = figure_buttons(room) if room is not None else []
        focused = QApplication.focusWidget()
        nearest = [
            *(made for made in buttons if focused is not None and made.area.isAncestorOf(focused)),
            *(made for made in buttons if made.area.underMouse()),
            *(made for made in buttons if made.figure() is not None),
        ]
        if nearest:
            nearest[0].request(action)
        else:
            self._window.show_problem(NOTHING_YET)

    def _save(self, figure: Figure, provider: Provider, action: FigureAction, kinds: dict) -> None:
        filters = [f"{ending.removeprefix('.').upper()} (*{ending})" for ending in kinds]
        start = self._folder / file_name(figure, self._window.room_id)
        chosen, kind = QFileDialog.getSaveFileName(
            self._window, action.title.removesuffix("…"), str(start) + next(iter(kinds)), ";;".join(filters)
        )
        if not chosen:
            return
        file = Path(chosen)
        if file.suffix.lower() not in kinds:
            file = file.with_name(file.name + list(kinds)[filters.index(kind) if kind in filters else 0])
        save_figure(provider() or figure, file)  # a dialog takes time: as it is now, picture, numbers and caption
        self._folder = file.parent
        self._tell(f"Saved {file}")

    def _tell(self, text: str) -> None:
        self._window.frame.status.set_hover(text)


def _as_mime(figure: Figure) -> QMimeData:
    """Pixels for those who take pixels, SVG for those who can do more."""
    mime = QMimeData()
    mime.setImageData(image_of(figure))
    mime.setData("image/svg+xml", svg(figure))
    return mime
