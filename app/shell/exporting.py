"""Saves and copies figures: writes the chosen file, or fills the clipboard."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from bertcore.errors import BertcoreError

from ..figures.figure import Figure, file_name
from ..figures.files import NUMBERS, PICTURES, Maker, image_of, save_figure, svg, table
from ..look import say
from ..state.explore_state import ExploreState
from ..widgets.figure_button import FigureAction, Provider, figure_buttons
from ..widgets.save_dialog import ask_for_file


class Exporter(QObject):
    """Does what the save buttons of one window ask for."""

    problem_found = Signal(str)  # a sentence
    done = Signal(str)  # a sentence: what was saved or copied

    def __init__(
        self, state: ExploreState, room: Callable[[], QWidget | None], room_key: Callable[[], str], parent: QWidget
    ) -> None:
        """room, room_key: the room on show."""
        super().__init__(parent)
        self._state, self._room, self._room_key, self._window = state, room, room_key, parent
        self._folder = Path.home()

    def export(self, provider: Provider, action: FigureAction) -> None:
        """Saves or copies a figure as it is now."""
        figure = provider()
        if figure is None or not figure.picture.width:
            self._find_nothing()
            return
        if action == FigureAction.SAVE_ANIMATION and not figure.frames:
            self.problem_found.emit(
                say("This picture does not move: open the film strip (Ctrl+9) or the map (Ctrl+1).")
            )
            return
        try:
            match action:
                case FigureAction.COPY_PICTURE:
                    QApplication.clipboard().setMimeData(_as_mime(figure))
                    self.done.emit(say("Copied the picture: {title}", title=figure.title))
                case FigureAction.COPY_NUMBERS:
                    QApplication.clipboard().setText(table(figure, separator="\t"))
                    self.done.emit(say("Copied the numbers: {title}", title=figure.title))
                case FigureAction.SAVE_PICTURE:
                    self._save(figure, provider, action, PICTURES)
                case FigureAction.SAVE_NUMBERS:
                    self._save(figure, provider, action, NUMBERS)
                case FigureAction.SAVE_FOR_PAPER:
                    self._save_for_paper(provider)
                case FigureAction.SAVE_ANIMATION:
                    from ..figures.animation import ANIMATIONS  # here: few ask for one

                    self._save(figure, provider, action, ANIMATIONS)
        except BertcoreError as error:
            self.problem_found.emit(str(error))

    def export_lab_sheet(self) -> None:
        """Asks for a folder and writes the hand-out for the text on show."""
        from ..lessons.lab_sheet import save_lab_sheet  # here: the first paint need not wait for it

        try:
            if sentence := save_lab_sheet(self._state, self._window):
                self.done.emit(sentence)
        except BertcoreError as error:
            self.problem_found.emit(str(error))

    def export_here(self, action: FigureAction) -> None:
        """For the picture that has the keyboard, else the one under the mouse, else the first of the room."""
        room = self._room()
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
            self._find_nothing()

    def _save(self, figure: Figure, provider: Provider, action: FigureAction, kinds: Mapping[str, Maker]) -> None:
        filters = {ending: f"{ending.removeprefix('.').upper()} (*{ending})" for ending in kinds}
        start = self._folder / (file_name(figure, self._room_key()) + next(iter(kinds)))
        file = ask_for_file(self._window, action.title.removesuffix("…"), start, filters)
        if file is None:
            return
        save_figure(provider() or figure, file, kinds)  # as it is now: a dialog takes time
        self._folder = file.parent
        self.done.emit(say("Saved {file}", file=file))

    def _save_for_paper(self, provider: Provider) -> None:
        from ..figures.paper import save_for_paper  # here: few ask for one

        hint = say("Choose where the folder of the figure goes")
        chosen = QFileDialog.getExistingDirectory(self._window, hint, str(self._folder))
        figure = provider()
        if chosen and figure is not None:
            self._folder = Path(chosen)
            folder = save_for_paper(figure, self._folder, self._room_key())
            self.done.emit(say("Saved the figure, its numbers and its caption in {folder}", folder=folder))

    def _find_nothing(self) -> None:
        self.problem_found.emit(say("There is no picture here to save yet. It appears once the model has read a text."))


def _as_mime(figure: Figure) -> QMimeData:
    """Pixels for those who take pixels, SVG for those who can do more."""
    mime = QMimeData()
    mime.setImageData(image_of(figure))
    mime.setData("image/svg+xml", svg(figure))
    return mime
