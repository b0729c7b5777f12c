"""An area that scrolls up and down and ends below a whole line of words, however high it is."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QScrollArea, QTextBrowser, QWidget

from .layouts import discard

SLACK_PX = 1.0  # lines begin between two pixels
TRIES = 4  # a line beside the one that is left out may begin further up


@runtime_checkable
class HasLines(Protocol):
    """A picture made of rows, none of which shall be cut in two."""

    def line_top(self, y: float) -> float:
        """Where the row begins that is drawn at this height; y itself where there is none."""


class LineArea(QScrollArea):
    """Pictures may be cut by its lower edge, words are not: they come into sight line by line."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._below = 0  # pixels at the lower edge that show nothing
        self._after_layout = QTimer(self, singleShot=True)
        self._after_layout.timeout.connect(self._end_below_line)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(lambda _low, _high: self._after_layout.start(0))
        bar.valueChanged.connect(lambda _value: self._end_below_line())
        self.setWidget(content)

    def set_content(self, content: QWidget) -> None:
        """In place of what it shows, which is discarded."""
        old = self.takeWidget()
        old.setParent(self)  # else Python would own it, and delete it where this function ends
        discard(old)
        self.setWidget(content)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._after_layout.start(0)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._after_layout.start(0)

    def _end_below_line(self) -> None:
        content, height = self.widget(), self.viewport().height() + self._below
        end = self.verticalScrollBar().value() + height
        below = 0
        if content is not None and end < content.height():
            line = float(end)  # the lowest place, not below the end, that cuts no line of words
            for _ in range(TRIES):
                top = min(_line_tops(content, line), default=line)
                if line - top < SLACK_PX:
                    break
                line = top
            below = min(round(end - line), height // 2)
        if below != self._below:
            self._below = below
            self.setViewportMargins(0, 0, 0, below)


def _line_tops(widget: QWidget, y: float) -> Iterator[float]:
    """Where the lines begin that are at this height of a widget."""
    for child in widget.children():
        if not isinstance(child, QWidget) or child.isHidden() or not child.y() < y < child.y() + child.height():
            continue
        inside = y - child.y()
        if isinstance(child, HasLines):
            yield child.y() + child.line_top(inside)
        elif isinstance(child, QLabel | QTextBrowser):
            yield child.y() + _text_line_top(child, inside)
        elif isinstance(child, QAbstractButton | QComboBox | QLineEdit):
            yield child.y()
        else:
            yield from (child.y() + top for top in _line_tops(child, inside))


def _text_line_top(words: QLabel | QTextBrowser, y: float) -> float:
    """Where the line begins that is written at this height; y itself between two lines."""
    if isinstance(words, QTextBrowser):
        document, offset = words.document(), 0.0
    else:  # laid out as the label does
        document, room = QTextDocument(), words.contentsRect()
        document.setDocumentMargin(0)
        document.setDefaultFont(words.font())
        is_rich = words.textFormat() == Qt.TextFormat.RichText
        (document.setHtml if is_rich else document.setPlainText)(words.text())
        document.setTextWidth(room.width() if words.wordWrap() else -1)
        free = room.height() - document.size().height()
        is_top = words.alignment() & Qt.AlignmentFlag.AlignTop
        offset = room.y() + (0 if is_top else free if words.alignment() & Qt.AlignmentFlag.AlignBottom else free / 2)
    block, layout = document.begin(), document.documentLayout()
    while block.isValid():
        above = offset + layout.blockBoundingRect(block).y()
        for i in range(block.layout().lineCount()):
            line = block.layout().lineAt(i).rect()
            if above + line.top() < y < above + line.bottom():
                return above + line.top()
        block = block.next()
    return y
