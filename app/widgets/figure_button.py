"""The small save button of a picture. What it is asked for travels to its window, which knows files and clipboard."""

from collections.abc import Callable
from enum import Enum
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QMenu, QWidget

from ..figures.figure import Figure
from ..look import mark, say, theme
from .controls import IconButton, popped_up

Provider = Callable[[], Figure | None]  # None: nothing is drawn yet


class FigureAction(Enum):
    """What can be done with a figure."""

    SAVE_PICTURE = mark("Save picture…")
    SAVE_NUMBERS = mark("Save numbers…")
    SAVE_FOR_PAPER = mark("Save for a paper…")  # a folder: see `figures/paper.py`
    SAVE_ANIMATION = mark("Save as animation…")  # of a figure that has frames
    COPY_PICTURE = mark("Copy picture")
    COPY_NUMBERS = mark("Copy numbers")

    @property
    def title(self) -> str:
        return say(self.value)


WITHOUT_FRAMES = tuple(action for action in FigureAction if action is not FigureAction.SAVE_ANIMATION)
_KINDS = {  # of files
    FigureAction.SAVE_PICTURE: "PNG, SVG, PDF",
    FigureAction.SAVE_NUMBERS: "CSV, NPZ",
    FigureAction.SAVE_FOR_PAPER: "PDF, SVG, CSV, PY",
    FigureAction.SAVE_ANIMATION: "GIF, WebP, HTML",
}


class FigureRequested(QEvent):
    """Sent to the window: somebody wants a figure saved or copied."""

    TYPE = QEvent.Type(QEvent.registerEventType())

    def __init__(self, provider: Provider, action: FigureAction) -> None:
        """provider: gives the figure as it is then."""
        super().__init__(FigureRequested.TYPE)
        self.provider, self.action = provider, action


class FigureButton(IconButton):
    """Opens a menu: save the picture or its numbers, or copy them."""

    color = "muted"

    def __init__(self, provider: Provider, area: QWidget, name: str = "", *, has_frames: bool = False) -> None:
        """area: what the picture stands on. name: of the picture, for screen readers. has_frames: its figures move."""
        hint = say("Save or copy this picture and its numbers")
        super().__init__("save", hint)
        self.setProperty("look", "quiet")
        if name:
            self.setAccessibleName(say("Save or copy: {name}", name=name))
        self._provider, self.area = provider, area
        self._actions = tuple(FigureAction) if has_frames else WITHOUT_FRAMES
        self.setFixedSize(theme.px(26), theme.px(22))
        self._menu = QMenu(self)
        self.clicked.connect(lambda _checked=False: self.open_menu())

    def open_menu(self) -> QMenu:
        return popped_up(self._menu, self._fill, self)

    def request(self, action: FigureAction) -> None:
        """Asks the window to save or copy the figure as it is now."""
        QCoreApplication.sendEvent(self.window(), FigureRequested(self._provider, action))

    def entries(self) -> list[tuple[str, Callable[[], object]] | None]:
        """What its menu offers, for the context menu of the picture."""
        return [(action.title, partial(self.request, action)) for action in self._actions]

    def figure(self) -> Figure | None:
        return self._provider()

    def _fill(self, menu: QMenu) -> None:
        for action in self._actions:
            if action == FigureAction.COPY_PICTURE:
                menu.addSeparator()
            title = f"{action.title}\t{_KINDS[action]}" if action in _KINDS else action.title
            menu.addAction(title, partial(self.request, action))


def figure_buttons(within: QWidget) -> list[FigureButton]:
    """The save buttons of all pictures that are on show, from top to bottom as they were built."""
    return [made for made in within.findChildren(FigureButton) if made.isVisible()]
