"""What the open room shows, in plain words, beside it. The texts are assets/help/<room>.md, translated."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from ..look import say, theme
from ..look.translated import asset
from ..state.glossary import load_glossary
from .card import label
from .controls import IconButton
from .layouts import hbox, vbox
from .linked_text import SCHEME, link_words, open_link

WIDTH_PX = 310
LINE_PERCENT = 125


class HelpPanel(QFrame):
    """Stays open beside the rooms and follows them, until it is closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "help")
        self.setAccessibleName(say("Help"))
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self._room = ""
        self.text = QTextBrowser()
        self.text.setAccessibleName(say("What this room shows"))
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(lambda url: open_link(url, self.text, self.text.cursor().pos()))
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("look", "plain")
        close = IconButton("close", say("Close the help"), self.hide)
        close.setProperty("look", "quiet")
        vbox(
            hbox((label(say("What this room shows"), "title"), 1), close),
            (self.text, 1),
            parent=self,
            margins=(theme.px(14), theme.px(10), theme.px(8), theme.px(8)),
        )
        self.hide()

    @property
    def is_open(self) -> bool:
        return not self.isHidden()

    def toggle(self, room: str) -> None:
        """Opens the help of a room, with the keyboard on it; or closes it."""
        self.setVisible(not self.is_open)
        self.show_room(room)
        if self.is_open:
            self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_room(self, room: str) -> None:
        """Another room is open; what is not seen is not written."""
        if self.is_open and room != self._room:
            self._room = room
            self._write()

    def _write(self) -> None:
        self.text.setFont(theme.font(13))
        self.text.document().setDefaultFont(theme.font(13))
        self.text.setMarkdown(help_text(self._room))
        link_words(self.text.document())
        self._add_words()
        block = self.text.document().begin()
        while block.isValid():  # Markdown says what is a heading and what a formula (a quote); here is how they look
            cursor, look, is_formula = QTextCursor(block), QTextBlockFormat(), _is_formula(block)
            look.setLineHeight(LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            below = 8 if not is_formula else 0 if _is_formula(block.next()) else 10
            look.setBottomMargin(theme.px(below))
            if is_formula:
                look.setBackground(theme.color("hover"))
                look.setLeftMargin(theme.px(6))
                look.setRightMargin(theme.px(4))
            cursor.mergeBlockFormat(look)
            if block.blockFormat().headingLevel():
                title = QTextCharFormat()
                title.setFont(theme.font(17, bold=True))
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(title)
            block = block.next()
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _add_words(self) -> None:
        """Below the help: all words that have a card."""
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        title, link = QTextCharFormat(), QTextCharFormat()
        title.setFont(theme.font(13, bold=True))
        cursor.insertBlock(QTextBlockFormat(), title)
        cursor.insertText(say("Words explained"))
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        link.setAnchor(True)
        link.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        for card in load_glossary().values():
            link.setAnchorHref(f"{SCHEME}:{card.key}")
            cursor.insertText(card.title, link)
            cursor.insertText("   ", QTextCharFormat())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._room:
            self._write()  # colours stand in the text


def _is_formula(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockQuoteLevel.value)


def help_text(room: str) -> str:
    """The help of a room as Markdown."""
    try:
        return asset(f"help/{room}.md").read_text(encoding="utf-8")
    except OSError:
        return say("There is no help for this room yet.")
