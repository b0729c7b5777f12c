"""What the card of a lesson is made of: options, a text in Markdown, a line of pages, a share to be reached."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QTextBrowser, QWidget

from ..look import theme
from ..look.say import say

LINE_PERCENT = 115
SAFE = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class OptionButton(QAbstractButton):
    """One answer of several: a circle and words on as many lines as they need."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._is_right: bool | None = None  # None: not on show
        self.set_text(text)

    def set_text(self, text: str) -> None:
        text = text.replace("\\", "").replace("**", "")
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self._fit()

    def set_mark(self, is_right: bool) -> None:
        """The answer is on show."""
        self._is_right = is_right
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), self._height(max(self.width(), theme.px(120))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        is_good = self._is_right is True
        line = "good" if is_good else "accent" if self.isChecked() or self.hasFocus() else "line"
        fill = "good_tint" if is_good else "accent_tint" if self.isChecked() else "card"
        painter.setPen(theme.color(line))
        painter.setBrush(theme.color(fill))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(7), theme.px(7))
        side, left = theme.px(14), theme.px(10)
        circle = QRectF(left, (self.height() - side) / 2, side, side)
        painter.setPen(theme.color("accent" if self.isChecked() else "faint"))
        painter.setBrush(theme.color("card"))
        painter.drawEllipse(circle)
        if self.isChecked():
            painter.setBrush(theme.color("accent"))
            painter.drawEllipse(circle.adjusted(side / 4, side / 4, -side / 4, -side / 4))
        painter.setPen(theme.color("ink"))
        painter.setFont(theme.font(13, medium=self.isChecked()))
        painter.drawText(self._text_box(self.width()), _WRAPPED, self.text())

    def _text_box(self, width: int) -> QRectF:
        air = theme.gap_px(6)
        return QRectF(theme.px(34), air, width - theme.px(44), max(self.height() - 2 * air, 1))

    def _height(self, width: int) -> int:
        box = self._text_box(width).toRect()
        box.setHeight(10_000)
        self.ensurePolished()
        lines = QFontMetrics(theme.font(13, medium=True)).boundingRect(box, int(_WRAPPED), self.text())
        return max(lines.height() + theme.gap_px(14), theme.px(34))

    def _fit(self) -> None:
        self.setFixedHeight(self._height(self.width()))


class Markdown(QTextBrowser):
    """Markdown as high as it is. It opens no links and loads nothing: a lesson may come from anybody."""

    def __init__(self, bold: bool = False) -> None:
        super().__init__()
        self._bold, self._text = bold, ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("look", "plain")
        self.setOpenLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setAccessibleName(say("Text of the lesson"))

    def set_text(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        self.document().setDefaultFont(theme.font(14 if self._bold else 13, bold=self._bold))
        self.document().setMarkdown(text, SAFE)
        block, look = self.document().begin(), QTextBlockFormat()
        look.setLineHeight(LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        while block.isValid():
            in_list = block.textList() is not None and block.next().textList() is not None
            in_code = _is_code(block) and _is_code(block.next())
            is_last = not block.next().isValid()
            look.setNonBreakableLines(False)  # of code, which the card would cut off
            look.setBottomMargin(0 if is_last or in_code else theme.px(3 if in_list else 8))
            QTextCursor(block).mergeBlockFormat(look)
            block = block.next()
        self._fit()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(max(self.width(), theme.px(100)))
        self.setFixedHeight(int(self.document().size().height()) + theme.px(2))


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence.value)


class Progress(QWidget):
    """A line of short bars, one for each page."""

    def __init__(self) -> None:
        super().__init__()
        self._number, self._count = 0, 1
        self.setFixedHeight(theme.px(4))

    def set_page(self, number: int, count: int) -> None:
        self._number, self._count = number, count
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = min(theme.px(5), self.width() / self._count / 3)
        width = (self.width() - gap * (self._count - 1)) / self._count
        for page in range(self._count):
            color = "accent" if page == self._number else "bar" if page < self._number else "track"
            painter.setBrush(theme.color(color))
            painter.drawRoundedRect(QRectF(page * (width + gap), 0, width, self.height()), 2, 2)


class Meter(QWidget):
    """A share as a bar, with a mark where it is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._value, self._wanted, self._is_done = 0.0, 1.0, False
        self.setFixedHeight(theme.px(14))

    def set_values(self, value: float, wanted: float, is_done: bool) -> None:
        self._value, self._wanted, self._is_done = min(max(value, 0.0), 1.0), wanted, is_done
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        height = theme.px(7)
        bar = QRectF(0, (self.height() - height) / 2, self.width(), height)
        self._draw_bar(painter, bar, "track")
        bar.setWidth(self.width() * self._value)
        self._draw_bar(painter, bar, "good" if self._is_done else "warn")
        painter.fillRect(QRectF(self.width() * self._wanted - 1, 0, 2, self.height()), theme.color("good_text"))

    def _draw_bar(self, painter: QPainter, bar: QRectF, color: str) -> None:
        painter.setBrush(theme.color(color))
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)
