"""Several pages in one place: a row of tabs above, one page at a time below; or a sentence until there is a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.look import theme
from app.widgets.card import GAP_PX, label

Page = TypeVar("Page", bound=QWidget)


def tab_bar(names: Mapping[str, tuple[str, str]], name: str, *, small: bool = False) -> QTabBar:
    """Tabs that look like buttons. names: key -> title and hint, in order; `tabData` has the key. name: of the row."""
    made = QTabBar()
    made.setProperty("look", "small" if small else "")
    made.setAccessibleName(name)
    made.setDrawBase(False)
    made.setExpanding(False)
    for key, (title, hint) in names.items():
        tab = made.addTab(title)
        made.setTabData(tab, key)
        made.setTabToolTip(tab, hint)
    return made


class Pages(QWidget, Generic[Page]):
    """A page is made when it is opened for the first time. `made` has those that are, by key.

    A click on a tab is told by `chosen`; who hears it opens the page.
    """

    chosen = Signal(str)  # key

    def __init__(self, names: Mapping[str, tuple[str, str]], make: Callable[[str], Page]) -> None:
        """names: key -> title and hint, in order. make: of a key."""
        super().__init__()
        self.made: dict[str, Page] = {}
        self.open_key = ""
        self.tabs = tab_bar(names, self.tr("Views"))
        self.top = QHBoxLayout()  # the tabs, and what a room puts beside them
        self.top.addWidget(self.tabs)
        self.top.addStretch(0)  # keeps the tabs at their width where a room puts nothing beside them
        self._keys, self._make, self._stack = list(names), make, QStackedWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(GAP_PX - 2))
        layout.addLayout(self.top)
        layout.addWidget(self._stack, 1)
        self.tabs.currentChanged.connect(lambda tab: self.chosen.emit(self._keys[tab]))

    @property
    def page(self) -> Page:
        """The one on show."""
        return self.made[self.open_key]

    def get(self, key: str) -> Page:
        """A page, made where it is not yet, but not shown."""
        if key not in self.made:
            self.made[key] = self._make(key)
            self._stack.addWidget(self.made[key])
        return self.made[key]

    def open(self, key: str) -> Page:
        """Shows a page."""
        shown, self.open_key = self.get(key), key
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(self._keys.index(key))
        for page in self.made.values():  # those that are not seen ask for no space
            policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(shown)
        return shown


class Waiting(QWidget):
    """Shows `sentence` in the middle until `show_content` is called."""

    def __init__(self, content: QWidget, sentence: str = "") -> None:
        super().__init__()
        self._sentence = label(sentence or self.tr("Loading the model…"), "muted", wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        middle = QWidget()
        QVBoxLayout(middle).addWidget(self._sentence)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(middle)
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
