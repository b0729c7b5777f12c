"""The small save button of a picture. What it is asked for travels to its window, which knows files and clipboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.figures.figure import Figure
from app.look import theme
from app.widgets.controls import IconButton, popped_up

Provider = Callable[[], Figure | None]  # None: nothing is drawn yet
SAVE_PICTURE, SAVE_NUMBERS = "Save picture…", "Save numbers…"
COPY_PICTURE, COPY_NUMBERS = "Copy picture", "Copy numbers"
WISHES = (SAVE_PICTURE, SAVE_NUMBERS, COPY_PICTURE, COPY_NUMBERS)


class FigureWished(QEvent):
    """Sent to the window: somebody wants a figure saved or copied."""

    TYPE = QEvent.Type(QEvent.registerEventType())

    def __init__(self, provider: Provider, wish: str) -> None:
        """provider: gives the figure as it is then. wish: one of WISHES."""
        super().__init__(self.TYPE)
        self.provider, self.wish = provider, wish


class FigureButton(IconButton):
    """Opens a menu: save the picture or its numbers, or copy them."""

    color = "muted"

    def __init__(self, provider: Provider, area: QWidget, name: str = "") -> None:
        """area: what the picture stands on. name: of the picture, for screen readers."""
        super().__init__("save", "Save or copy this picture and its numbers")
        self.setProperty("look", "quiet")
        self.setAccessibleName(f"Save or copy: {name}" if name else self.toolTip())
        self._provider, self.area = provider, area
        self.setFixedSize(theme.px(26), theme.px(22))
        self._menu = QMenu(self)
        self.clicked.connect(lambda _checked=False: self.open_menu())

    def open_menu(self) -> QMenu:
        return popped_up(self._menu, self._fill, self)

    def wish(self, wish: str) -> None:
        """Asks the window to save or copy the figure as it is now; one of WISHES."""
        QCoreApplication.sendEvent(self.window(), FigureWished(self._provider, wish))

    def entries(self) -> list[tuple[str, Callable[[], object]] | None]:
        """What its menu offers, for the context menu of the picture."""
        return [(wish, partial(self.wish, wish)) for wish in WISHES]

    def figure(self) -> Figure | None:
        return self._provider()

    def _fill(self, menu: QMenu) -> None:
        hints = {SAVE_PICTURE: "PNG, SVG, PDF", SAVE_NUMBERS: "CSV, NPZ"}
        for wish in WISHES:
            if wish == COPY_PICTURE:
                menu.addSeparator()
            title = f"{wish}\t{hints[wish]}" if wish in hints else wish
            menu.addAction(title, partial(self.wish, wish))


def figure_buttons(within: QWidget) -> list[FigureButton]:
    """The save buttons of all pictures that are on show, from top to bottom as they were built."""
    return [made for made in within.findChildren(FigureButton) if made.isVisible()]
