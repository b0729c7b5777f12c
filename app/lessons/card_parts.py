"""What the card of a lesson is made of: options, a text in Markdown, how a word is cut."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QPlainTextEdit, QTextBrowser

from bertcore.tokenizer.cutting import Try, tries

from ..look import say, theme
from ..widgets.card import button, label
from ..widgets.charts.drawing import Box
from ..widgets.layouts import hbox, vbox

LINE_PERCENT = 115
SAFE = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
CODE = QTextFormat.Property.BlockCodeFence.value
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
        return QSize(theme.px(120), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, is_chosen = theme.painter(self), self.isChecked()
        line, fill = ("accent" if is_chosen or self.hasFocus() else "line"), ("accent_tint" if is_chosen else "card")
        if self._is_right:
            line, fill = "good", "good_tint"
        Box(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), fill, line, radius_px=theme.px(7)).paint(painter)
        side = theme.px(14)
        circle = QRectF(theme.px(10), (self.height() - side) / 2, side, side)
        Box(circle, "card", "accent" if is_chosen else "faint", radius_px=side / 2).paint(painter)
        if is_chosen:
            inside = circle.adjusted(side / 4, side / 4, -side / 4, -side / 4)
            Box(inside, "accent", "accent", radius_px=side / 4).paint(painter)
        font, is_out = theme.font(13, medium=is_chosen), self._is_right is None and not self.isEnabled()
        font.setStrikeOut(is_out)  # it was the first answer
        painter.setPen(theme.color("muted" if is_out else "ink"))
        painter.setFont(font)
        painter.drawText(self._text_box(self.height() - 2 * theme.gap_px(6)), int(_WRAPPED), self.text())

    def _text_box(self, height: int) -> QRect:
        return QRect(theme.px(34), theme.gap_px(6), self.width() - theme.px(44), max(height, 1))

    def _fit(self) -> None:
        self.ensurePolished()
        metrics = QFontMetrics(theme.font(13, medium=True))
        lines = metrics.boundingRect(self._text_box(10_000), int(_WRAPPED), self.text())
        self.setFixedHeight(max(lines.height() + theme.gap_px(14), theme.px(34)))


class AnswerText(QPlainTextEdit):
    """An answer in sentences: Enter is the card's, with Shift it begins another line."""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.text() == "\r":
            return False
        return super().event(event)


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
            after = block.next()
            in_list = block.textList() is not None and after.textList() is not None
            in_code = all(one.isValid() and one.blockFormat().hasProperty(CODE) for one in (block, after))
            look.setNonBreakableLines(False)  # of code, which the card would cut off
            look.setBottomMargin(0 if in_code or not after.isValid() else theme.px(3 if in_list else 8))
            QTextCursor(block).mergeBlockFormat(look)
            block = after
        self._fit()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(max(self.width(), theme.px(100)))
        self.setFixedHeight(int(self.document().size().height()) + theme.px(2))


class CuttingSteps(QFrame):
    """How WordPiece cuts a word, one try at a time: the longest beginning first, then one letter less."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "task")
        self._word, self._tries, self._shown = "", list[Try](), 0
        self._tried, self._found = label("", wrap=True), label("", "strong", wrap=True)
        self.step = button(say("Step"), lambda: self._show(self._shown + 1), look="small")
        vbox(self._tried, self._found, hbox(self.step, None), parent=self, gap_px=6, margins=theme.px(10))

    def set_word(self, word: str, pieces: Sequence[str]) -> None:
        """Begins again where it is another word, or cut in another way."""
        made = tries(pieces)
        if (word, made) != (self._word, self._tries):
            self._word, self._tries = word, made
            self._show(0)

    def _show(self, count: int) -> None:
        """So many of the tries; after the last, none again."""
        self._shown = count % (len(self._tries) + 1)
        text, found = say("“{word}”: is the whole word in the vocabulary?", word=self._word), ""
        if self._shown:
            last = self._tries[self._shown - 1]
            found = "  ".join(last.found)
            text = say(
                "{piece} is in the vocabulary: cut." if last.is_known else "{piece}: not there.", piece=last.piece
            )
        self._tried.setText(text)
        self._found.setText(found)
