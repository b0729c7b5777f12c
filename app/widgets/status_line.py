"""The line at the bottom: what is on the screen, and what it cost."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.look import theme
from app.widgets.card import Hint, label

HEIGHT_PX, GAP_PX, SIDE_PX = 26, 24, 14


class StatusLine(QFrame):
    """Left: facts, then what is under the mouse. Right: keys, where there is room for them.

    It places its words itself: they change with every key, and a layout would work out the whole window anew.
    """

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "status")
        self.setAccessibleName(self.tr("Status"))
        self.setFixedHeight(theme.px(HEIGHT_PX))
        self._facts, self._hover, self._keys = Hint(), Hint(), label(keys, "muted")
        for part in (self._facts, self._hover, self._keys):
            part.setParent(self)

    @property
    def text(self) -> str:
        return self._facts.text()

    def set_facts(self, text: str) -> None:
        self._facts.setText(text)
        self._place()

    def set_hover(self, text: str) -> None:
        """What is under the mouse: token, dimension, value."""
        self._hover.setText(text)
        self._place()

    def _place(self) -> None:
        """The keys are always the same: they go first. Then the facts get shorter, to a third of the line."""
        side, gap = theme.px(SIDE_PX), theme.px(GAP_PX)
        room = self.width() - 2 * side
        facts, hover, keys = (_wanted(part) for part in (self._facts, self._hover, self._keys))
        self._keys.setVisible(facts + hover + keys + 2 * gap <= room)
        self._keys.setGeometry(side + room - keys, 0, keys, self.height())
        facts = min(facts, max(room - hover - gap, room // 3))
        self._facts.setGeometry(side, 0, facts, self.height())
        self._hover.setGeometry(side + facts + gap, 0, max(min(hover, room - facts - gap), 0), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, theme.px(HEIGHT_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()


def _wanted(part: QLabel) -> int:
    """The width of all its words."""
    return part.fontMetrics().horizontalAdvance(part.text()) + 2 if part.text() else 0
