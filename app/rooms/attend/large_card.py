"""The card in the middle: one head or several, large, in one of four ways."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget

from app.look import theme
from app.rooms.attend.check_page import CheckPage
from app.rooms.attend.lines_page import LinesPage
from app.rooms.attend.matrix_page import MatrixPage
from app.rooms.attend.page import Drawn, Page
from app.rooms.attend.score_page import ScorePage
from app.rooms.attend.shown import Choice, Shown
from app.rooms.attend.targets import Targets
from app.widgets.card import Card, button
from app.widgets.figure_button import Provider

MATRIX, LINES, SCORE, CHECK = MODES = ("Matrix", "Lines", "Query × Key", "Check")
MODE_HINTS = {
    MATRIX: "Who looks at whom, all tokens at once",
    LINES: "Who looks at whom, as lines; several heads in colours",
    SCORE: "How one weight comes about, number by number",
    CHECK: "Attention, gradient and removal side by side",
}


class LargeCard(Card):
    """Only the page on show is drawn."""

    hovered = Signal(object)
    picked = Signal(int, int)

    def __init__(self, targets: Targets, figure: Provider) -> None:
        super().__init__("Layer 1 · Head 1")
        self.matrix, self.lines = MatrixPage(targets), LinesPage()
        self.score, self.check = ScorePage(), CheckPage(targets)
        self._pages: dict[str, Page] = dict(zip(MODES, (self.matrix, self.lines, self.score, self.check), strict=True))
        self.questions = [question for page in self._pages.values() for question in page.questions]
        self.mode = MATRIX
        self._last: tuple[Shown, Choice] | None = None
        self._stack = QStackedWidget()
        self.body.addWidget(self._stack, 1)
        group = QButtonGroup(self)
        self.buttons = {name: button(name, hint=MODE_HINTS[name], checkable=True) for name in MODES}
        line = QHBoxLayout()
        line.setSpacing(theme.px(8))
        if theme.scale() > 1:  # a projector has no room for them beside the title
            self.body.insertLayout(0, line)
        for name, page in self._pages.items():
            self._stack.addWidget(page)
            self.buttons[name].setAccessibleName(name)
            self.buttons[name].setProperty("look", "small")
            self.buttons[name].clicked.connect(lambda _checked=False, name=name: self.set_mode(name))
            group.addButton(self.buttons[name])
            if theme.scale() > 1:
                line.addWidget(self.buttons[name])
            else:
                self.add_to_header(self.buttons[name])
            page.hovered.connect(self.hovered)
            page.picked.connect(self.picked)
            page.titled.connect(lambda title, hint, page=page: self._on_page_titled(page, title, hint))
        self.buttons[MATRIX].setChecked(True)
        self.set_figure(figure, "the large picture")

    @property
    def page(self) -> Page:
        return self._pages[self.mode]

    def set_mode(self, mode: str) -> None:
        """One of MODES."""
        if mode != self.mode:
            self.page.leave()
        self.mode = mode
        self.buttons[mode].setChecked(True)
        self._stack.setCurrentWidget(self.page)
        if self._last is not None:
            self.page.draw(*self._last)

    def draw(self, shown: Shown, choice: Choice) -> None:
        self._last = shown, choice
        self.page.draw(shown, choice)

    def draw_row(self, shown: Shown, choice: Choice) -> None:
        self._last = shown, choice
        self.page.draw_row(shown, choice)

    def leave(self) -> None:
        """The room is not seen any more."""
        self.page.leave()
        self._last = None

    @property
    def drawn(self) -> Drawn | None:
        """For the figure."""
        return self.page.drawn()

    def _on_page_titled(self, page: Page, title: str, hint: str) -> None:
        if page is self.page:
            self.set_title(title)
            self.set_hint(hint)
