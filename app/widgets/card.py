"""The card every room is made of, and the small parts on it: labels by role, buttons by look.

card = Card("Runs", "newest first")
card.add_to_header(button("New run", look="primary"))
card.body.addWidget(...)
"""

import html
from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QPushButton, QSizePolicy, QWidget

from ..figures.figure import Figure
from ..look import say, theme
from ..look.fitting import fitting, fitting_line, plain_tip, whole_parts
from .controls import dress
from .figure_button import FigureButton
from .layouts import fill, hbox, held, vbox
from .line_area import LineArea
from .linked_text import LinkedText

GAP_PX = 12  # between cards, and from a card's edge to what is in it
LEAST_CUT_PX = 48  # a hint that would be cut off sooner says nothing


class Card(QFrame):
    """A white rounded panel: a bold title, a muted hint beside it, things at the right end, and a body below.

    hint: facts of what is on show. intro: one or two sentences below the title, on what one sees and what to try.
    body: QVBoxLayout that takes what the card shows.
    """

    def __init__(self, title: str = "", hint: str = "", parent: QWidget | None = None, *, intro: str = "") -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        self.setAccessibleName(title)
        self._title = label(title, "title")
        self._hint = Hint(hint)
        self._hint.may_be_cut = not theme.is_projector()
        self._header_line = QWidget()
        self._header = hbox(self._title, (self._hint, 1), parent=self._header_line, gap_px=8)
        self.body = vbox(gap_px=6)
        self._intro: LinkedText | None = None
        self._top = vbox(self._header_line, gap_px=3)
        self._layout = vbox(self._top, (self.body, 1), parent=self, gap_px=8, margins=theme.gap_px(GAP_PX))
        self._show_header()
        self.set_intro(intro)

    @property
    def title(self) -> str:
        return self._title.text()

    @property
    def hint(self) -> str:
        return self._hint.text()

    @property
    def intro(self) -> str:
        return self._intro.text() if self._intro is not None else ""

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self._show_header()
        self.setAccessibleName(text)

    def set_hint(self, text: str) -> None:
        """The muted words beside the title; cut off where the card is too narrow, and then shown as a tool tip."""
        self._hint.setText(text)
        self._show_header()

    def set_intro(self, text: str) -> None:
        """What one sees and what to try, below the title."""
        if self._intro is not None:
            show_text(self._intro, text)
        elif text:
            self._intro = LinkedText(text)
            self._top.addWidget(self._intro)

    def add_to_header(self, *widgets: QWidget) -> None:
        """Puts widgets at the right end of the title line."""
        fill(self._header, *widgets)
        self._show_header()

    def fill_with_message(self, title: QLabel, text: QLabel, *more: QWidget) -> None:
        """A title and a sentence in the middle of a card that has nothing else to show."""
        self.body.addStretch(2)
        for widget in (title, text):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self.body.addWidget(widget)
        for below in more:
            self.body.addSpacing(theme.px(8))
            self.body.addWidget(below, 0, Qt.AlignmentFlag.AlignHCenter)
        self.body.addStretch(3)

    def set_figure(self, provider: Callable[[], Figure | None], name: str = "") -> None:
        """Puts a save button at the right end of the title line; `provider` makes the figure when it is asked for.

        name: of the picture, for screen readers; left out: the card's title.
        """
        self.add_to_header(FigureButton(provider, self, name or self._title.text()))

    def _show_header(self) -> None:
        """A card without title, hint and header widgets has no empty line in their place."""
        title, has_widgets = self._title.text(), self._header.count() > 2
        self._title.setVisible(bool(title))
        self._header_line.setVisible(has_widgets or bool(title or self._hint.text()))


class Part(Card):
    """One of several titled pictures on a card: without a frame, its hint below its title."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.setProperty("look", "")
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.gap_px(6))
        self._top.setSpacing(0)
        self._top.addWidget(self._hint)


class Hint(QLabel):
    """Muted words on one line: as many whole sentences as there is room for; the tool tip has all of them.

    Where there is no room for the first it ends in …, or is left out if it may not be cut (`may_be_cut`).
    """

    may_be_cut = True

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text = ""
        self.setText(text)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        """QLabel's own would lay out everything around it anew, though its size stays as it is."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(plain_tip(text))
            self.update()

    @property
    def shown(self) -> str:
        """What of the text there is room for."""
        line, metrics = fitting_line(self._text), self.fontMetrics()
        found = whole_parts(line, lambda part: metrics.horizontalAdvance(part) <= self.width())
        if not found and self.may_be_cut and self.width() >= theme.px(LEAST_CUT_PX):
            return metrics.elidedText(line, Qt.TextElideMode.ElideRight, self.width())
        return found

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(theme.color("muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.shown)


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain-text label; role: "" body, "muted", "strong", "title" (of a card or a part of one), "number", "error"."""
    made = Label(text, wrap)
    made.setProperty("role", role)
    return made


def note(text: str) -> QLabel:
    """Muted words below a picture, on as many lines as they need; they never make the picture wider."""
    made = label(text, "muted", wrap=True)
    made.setMinimumWidth(theme.px(60))
    return made


def tip(text: str) -> str:
    """A tool tip of more than a few words: Qt breaks lines in rich text only."""
    return f"<qt>{html.escape(text, quote=False)}</qt>"


class Label(QLabel):
    """Words on one line, where what is longer than any window is wide ends in …; or on as many lines as they need, and
    never lower than these lines are.

    Qt tells a layout how low a label can be without knowing how wide: with more lines, the pictures around it would
    be squeezed to less than they can do with.
    """

    def __init__(self, text: str, wraps: bool) -> None:
        super().__init__()
        self._has_width = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(fitting(text) if self.wordWrap() else fitting_line(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.wordWrap() and event.size().width() != event.oldSize().width():
            self._has_width = True
            self._fit()

    def minimumSizeHint(self) -> QSize:
        """As wide as the longest word: Qt would have some 60 letters in a line."""
        hint, words = super().minimumSizeHint(), self.text().split()
        if not self.wordWrap():
            return hint
        widest = max((self.fontMetrics().horizontalAdvance(word) for word in words), default=0)
        return QSize(min(hint.width(), widest + 2 * self.margin() + theme.px(2)), hint.height())

    def _fit(self) -> None:
        if self._has_width:
            self.setMinimumHeight(0)  # Qt's height for a width is never below it: it could only grow
            self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))


def at_line_height(wrapped: QLabel) -> QLabel:
    """A wrapped label that takes no more height than its lines: Qt's hint is that of some 60 letters in a line."""
    wrapped.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
    return wrapped


class AsHighAsNeeded(QWidget):
    """Gives its content the width of its column, and asks the column for space only when the height
    that the content needs there is another.

    A label asks with every new text, and each layout above it, up to the window, then works out everything again.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        content.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._needs = self._height()

    def sizeHint(self) -> QSize:
        return QSize(0, self._needs)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._content.setGeometry(self.rect())
        if event.size().width() != event.oldSize().width():
            self._look()

    def showEvent(self, event: QShowEvent) -> None:
        self._look()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._look()
        return super().event(event)

    def _look(self) -> None:
        needs = self._height()
        if needs != self._needs:
            self._needs = needs
            self.updateGeometry()

    def _height(self) -> int:
        if self._content.isHidden():
            return 0
        width, layout = self.width(), self._content.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.totalHeightForWidth(width)
        if self._content.hasHeightForWidth():
            return self._content.heightForWidth(width)
        return self._content.sizeHint().height()


def show_text(line: QLabel | LinkedText, text: str) -> None:
    """Without words it takes no room."""
    line.setText(text)
    line.setVisible(bool(text))


def set_role(widget: QWidget, role: str) -> None:
    """Gives a label another role."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().polish(widget)


def button(
    text: str, clicked: Callable[[], object] | None = None, *, look: str = "", hint: str = "", checkable: bool = False
) -> QPushButton:
    """A button; look: "" with a line, "primary" filled with the accent, "quiet" without a line."""
    made = QPushButton(text)
    made.setCheckable(checkable)
    dress(made, look, hint, clicked)
    return made


def scrolled(content: QWidget | QLayout) -> LineArea:
    """A widget, or what is laid out, in an area that scrolls up and down, never sideways."""
    widget = held(content) if isinstance(content, QLayout) else content
    area = LineArea(widget)
    area.setAccessibleName(widget.accessibleName() or say("Scroll area"))
    return area


def separator() -> QFrame:
    """A thin line across a card."""
    line = QFrame()
    line.setFixedHeight(1)
    line.setProperty("look", "line")
    return line


class BigNumber(QWidget):
    """A big number and, small behind it, what it counts."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._number, self._unit = label("–", "number"), label(unit, "muted")
        box, gap = (vbox, 0) if theme.is_projector() else (hbox, 5)
        box(self._number, self._unit, parent=self, gap_px=gap)

    @property
    def text(self) -> str:
        return self._number.text()

    @property
    def unit(self) -> str:
        return self._unit.text()

    def set(self, number: str, unit: str | None = None) -> None:
        self._number.setText(number)
        if unit is not None:
            self._unit.setText(unit)
