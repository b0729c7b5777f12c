"""What several pages in one place need: a row of tabs, and a sentence until there is something to show."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout, QTabBar, QWidget

from ..look import say
from .card import label, tip
from .controls import ChevronButton, dress


def tab_bar(names: Mapping[str, tuple[str, str]], name: str, *, small: bool = False) -> QTabBar:
    """Tabs that look like buttons. names: key -> title and hint, in order; `tabData` has the key. name: of the row."""
    made = QTabBar()
    made.setProperty("look", "small" if small else "")
    made.setAccessibleName(name)
    made.setDrawBase(False)
    made.setExpanding(False)
    if not small:  # one that shares its line with others asks for the room of shortened words only
        made.setElideMode(Qt.TextElideMode.ElideRight)
    for key, (title, hint) in names.items():
        tab = made.addTab(title)
        made.setTabData(tab, key)
        made.setTabToolTip(tab, tip(f"{title}: {hint}"))  # a row without room for all of its words shortens them
    return made


def show_tabs(tabs: QTabBar, is_shown: Sequence[bool]) -> None:
    """Shows or hides each tab."""
    for tab, shown in enumerate(is_shown):
        tabs.setTabVisible(tab, shown)
    tabs.setIconSize(tabs.iconSize())  # lays the tabs out anew: one just shown had no place, one just hidden a gap
    tabs.updateGeometry()


class MoreButton(ChevronButton):
    """At the end of a row of tabs: shows or hides the tabs of views for experts. Hidden where there are none."""

    def __init__(self, has_more: bool = True) -> None:
        super().__init__()
        dress(self, "more", say("Views for those who want to know more"))
        self.setCheckable(True)
        self.toggled.connect(self._show_title)
        self._show_title()
        if not has_more:  # setVisible(True) would make it a window of its own
            self.hide()

    def _show_title(self) -> None:
        self.points_up = self.isChecked()
        self.setText(say("Show less") if self.isChecked() else say("More"))


class Waiting(QWidget):
    """Shows a sentence in the middle until `show_content` is called."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._sentence = label(say("Loading the model…"), "muted", wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setMargin(9)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._sentence)
        self._stack.addWidget(content)

    @property
    def is_waiting(self) -> bool:
        return self._stack.currentIndex() == 0

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_sentence(self, text: str) -> None:
        self._sentence.setText(text)
        self._stack.setCurrentIndex(0)

    def show_content(self) -> None:
        self._stack.setCurrentIndex(1)
