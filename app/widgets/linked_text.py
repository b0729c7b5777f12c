"""Sentences in which technical words are links to their cards in the glossary, and the card that opens."""

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from ..look import theme
from ..state.glossary import find_words, load_glossary
from .layouts import vbox

CARD_WIDTH_PX, LEAST_PX = 330, 60
SCHEME = "word"  # of the links


def link_words(document: QTextDocument, besides: str = "") -> None:
    """Gives the first of each technical word a dotted line and a link. besides: the key of a word to leave alone."""
    for word in find_words(document.toPlainText(), besides=besides):
        cursor, look = QTextCursor(document), QTextCharFormat()
        cursor.setPosition(word.start)
        cursor.setPosition(word.end, QTextCursor.MoveMode.KeepAnchor)
        look.setAnchor(True)
        look.setAnchorHref(f"{SCHEME}:{word.key}")
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        cursor.mergeCharFormat(look)


def open_link(url: QUrl, beside: QWidget, at: QPoint | None = None) -> None:
    """A word's card, or a page of the web. at: a point of the screen; left out: the middle of `beside`."""
    if url.scheme() == SCHEME:
        WordCard(beside).show_word(url.path(), at or beside.mapToGlobal(beside.rect().center()))
    else:
        QDesktopServices.openUrl(url)


class LinkedText(QTextBrowser):
    """A few muted sentences on as many lines as they need. Tab goes from link to link, Enter opens a card."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text = ""
        self._written_in: tuple[QColor, QFont] | None = None
        # To measure other widths. Clones would stay in memory: Python does not own them.
        self._page = QTextDocument(self)
        self._page.setDocumentMargin(0)
        self._page.setDefaultTextOption(self.document().defaultTextOption())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("look", "plain")
        self.setOpenLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # nothing to go to, as long as there are no links
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._open)
        self.setText(text)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self._write()

    @property
    def words(self) -> list[str]:
        """The keys of its links."""
        return [word.key for word in find_words(self._text)]

    def heightForWidth(self, width: int) -> int:
        self._page.setTextWidth(width)
        return round(self._page.size().height()) + 1

    def hasHeightForWidth(self) -> bool:
        return not theme.is_projector()  # there what scrolls would take the most that is wanted for the least

    def sizeHint(self) -> QSize:
        return QSize(theme.px(LEAST_PX), self.heightForWidth(max(self.width(), theme.px(LEAST_PX))))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(LEAST_PX), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt says so whenever a widget gets another place, too; colours stand in the text.
        if event.type() == QEvent.Type.PaletteChange and self._text and self._written_in != _look():
            self._write()

    def _open(self, url: QUrl) -> None:
        """Where the pointer is, or below the link that the keyboard is on."""
        below = self.viewport().mapToGlobal(self.cursorRect().bottomLeft())
        open_link(url, self, self.cursor().pos() if self.underMouse() else below)

    def _write(self) -> None:
        self._written_in = ink, font = _look()
        for document in (self.document(), self._page):
            document.setDefaultFont(font)
        self.setPlainText(self._text)
        self._page.setPlainText(self._text)
        look = QTextCharFormat()
        look.setForeground(ink)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeCharFormat(look)
        link_words(self.document())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.words else Qt.FocusPolicy.NoFocus)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self.heightForWidth(self.viewport().width()))


def _look() -> tuple[QColor, QFont]:
    return theme.color("muted"), theme.font(12)


class WordCard(QFrame):
    """One word of the glossary in plain words. Escape or a click elsewhere closes it; its links go to other cards."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("look", "palette")
        self.key = ""
        self.text = QTextBrowser()
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("look", "plain")
        self.text.setOpenLinks(False)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.anchorClicked.connect(lambda url: self.show_word(url.path(), self.pos()))
        pad = theme.px(10)
        vbox(self.text, parent=self, margins=pad)
        self.setFixedWidth(theme.column_px(CARD_WIDTH_PX))

    def show_word(self, key: str, at: QPoint) -> None:
        """at: a point of the screen; the card stays on the screen."""
        self.key, card = key, load_glossary()[key]
        document, width = self.text.document(), self.width() - 2 * theme.px(10)
        document.setDefaultFont(theme.font(13))
        self.text.setMarkdown(f"### {card.title}\n\n{card.text}")
        link_words(document, besides=key)
        document.setTextWidth(width)
        self.text.setFixedHeight(round(document.size().height()) + 2)
        self.setAccessibleName(card.title)
        self.adjustSize()
        screen = self.screen().availableGeometry()
        x = min(at.x(), screen.right() - self.width())
        y = min(at.y(), screen.bottom() - self.height())
        self.move(max(x, screen.left()), max(y, screen.top()))
        self.show()
        self.text.setFocus()
