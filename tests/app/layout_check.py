"""Finds words on the screen that are cut off, squeezed or written over one another.

Two ways of looking. Qt's own labels, buttons and boxes are asked for their text, and the room it needs is compared
with what they have and with what their parents leave of them. Words that the program's own widgets paint are heard as
they are painted: where, in which font, on which widget.
"""

from dataclasses import dataclass
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QTabBar,
    QWidget,
)

from app.lessons.card_parts import OptionButton
from app.look import theme
from app.widgets.card import Hint
from app.widgets.command_list import Palette
from app.widgets.controls import Choice, MenuButton
from app.widgets.curve_plot import CurvePlot
from app.widgets.room_rail import RoomButton
from tests.app.conftest import handle_events

SLACK_PX = 2.0  # glyphs and their advance differ by that much
OVERLAP_PX = 3.0
SHORTENED = (Hint, MenuButton, Choice)  # end in … where there is no room, and say all in their tool tip
OFF = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def faults(root, size=None):
    """What is wrong with the words on a part of a window, a sentence each; `size` is what a window may not outgrow."""
    handle_events()  # words that wrap anew ask their layout for room, which asks the next
    if found := _faults_now(root, size):
        handle_events()  # what was seen for the first time, in the picture taken of it, has its place only now
        found = _faults_now(root, size)
    return found


def _faults_now(root, size):
    found = []
    if size is not None and root.size() != size:
        needs = root.minimumSizeHint()
        found.append(f"the window is {_px(root.size())}, not {_px(size)}; it needs {_px(needs)}")
    with pytest.MonkeyPatch.context() as patch:
        painted = _Painted(patch)
        root.grab()
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible():
            found += [f"{name_of(widget)}: {fault}" for fault in _widget_faults(widget, root)]
    return found + painted.faults() + _overlaps(root) + _curve_faults(root)


def name_of(widget):
    """Its class and those around it, with its words where it has some."""
    text = _text(widget) or widget.accessibleName()
    around, parent = [], widget.parentWidget()
    while parent is not None and len(around) < 3:
        if type(parent) is not QWidget:
            around.append(type(parent).__name__)
        parent = parent.parentWidget()
    return f"{type(widget).__name__} {text[:60]!r} in {' < '.join(around)}"


def _widget_faults(widget, root):
    if isinstance(widget, QScrollArea) and widget.horizontalScrollBar().maximum() > 0:
        needs, has = widget.widget().width(), widget.viewport().width()
        yield f"scrolls sideways: has {has}, needs {needs}"
    if isinstance(widget, QTabBar) and widget.width() < widget.minimumSizeHint().width() - SLACK_PX:
        yield f"has {widget.width()}, its tabs need {widget.sizeHint().width()}"
    least = _least(widget)
    narrow = widget.width() < least.width() - SLACK_PX and not isinstance(widget, SHORTENED)
    if narrow or widget.height() < least.height() - SLACK_PX:
        yield f"has {_px(widget.size())}, needs {_px(least)} at least"
    text = _text(widget)
    if not text:
        return
    needed = _needed(widget, text)
    if needed.width() > widget.width() + SLACK_PX or needed.height() > widget.height() + SLACK_PX:
        if not isinstance(widget, SHORTENED) or needed.height() > widget.height() + SLACK_PX:
            yield f"has {_px(widget.size())}, its words need {_px(needed)}"
        elif text not in widget.toolTip():
            yield "is shortened, and its tool tip does not say the rest"
    yield from _cut_by_parents(widget, root)


def _least(widget):
    """The least size that a widget says it can do with, as layouts see it."""
    if isinstance(widget, QAbstractScrollArea) or _is_in_qt(widget):
        return QSize(0, 0)
    asked, told, policy = widget.minimumSizeHint(), widget.minimumSize(), widget.sizePolicy()
    ignored = QSizePolicy.Policy.Ignored
    return QSize(
        told.width() or asked.width() * (policy.horizontalPolicy() != ignored),
        told.height() or asked.height() * (policy.verticalPolicy() != ignored),
    )


def _text(widget):
    """The words that Qt shows on a widget."""
    if isinstance(widget, QLabel | QAbstractButton):
        return widget.text()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QLineEdit) and not _is_in_qt(widget):
        return widget.text() or widget.placeholderText()
    return ""


def _needed(widget, text):
    """The space that the words take on this widget."""
    if isinstance(widget, OptionButton):  # writes on as many lines as it needs
        return QSize(0, widget.sizeHint().height())
    if isinstance(widget, RoomButton) and widget.width() < widget.sizeHint().width():
        return QSize(0, 0)  # its icon alone
    if isinstance(widget, QLabel) and text.startswith("<") and widget.textFormat() != Qt.TextFormat.PlainText:
        page = QTextDocument()
        page.setDocumentMargin(0)
        page.setDefaultFont(widget.font())
        page.setHtml(text)
        page.setTextWidth(widget.width())
        return page.size().toSize()
    if isinstance(widget, QLabel) and widget.wordWrap():
        word = max((widget.fontMetrics().horizontalAdvance(word) for word in text.split()), default=0)
        return QSize(word, widget.heightForWidth(widget.width()))
    if isinstance(widget, Hint):
        return QSize(widget.fontMetrics().horizontalAdvance(text), widget.fontMetrics().height())
    if isinstance(widget, QComboBox):
        return QSize(widget.fontMetrics().horizontalAdvance(text) + theme.px(36), widget.fontMetrics().height())
    if isinstance(widget, QPushButton | QCheckBox | QRadioButton | QLabel | QComboBox):
        return widget.sizeHint()
    if isinstance(widget, QLineEdit):  # what is typed may be longer than the line; what the line says of itself not
        words = "" if widget.text() else text
        margins = widget.sizeHint().width() - 17 * widget.fontMetrics().horizontalAdvance("x")  # as Qt counts
        return QSize(widget.fontMetrics().horizontalAdvance(words) + margins * bool(words), widget.sizeHint().height())
    return QSize(widget.fontMetrics().horizontalAdvance(text), widget.fontMetrics().height())


def _cut_by_parents(widget, root):
    """Nothing may stand out of what holds it, but out of a part that scrolls."""
    seen, rect = widget, widget.rect()
    if rect.isEmpty():
        return
    while seen is not root and (parent := seen.parentWidget()) is not None:
        rect = QRect(seen.mapToParent(rect.topLeft()), rect.size())
        area = parent.parentWidget()
        inside = rect & parent.rect()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            if area.horizontalScrollBarPolicy() == OFF and inside.width() < rect.width() and not inside.isEmpty():
                yield f"{rect.width() - inside.width()} px of its width are cut off by {name_of(area)}"
            rect = inside
        elif inside.width() < rect.width() - 1 or inside.height() < rect.height() - 1:
            yield f"stands out of {name_of(parent)}: {rect.getRect()} in {_px(parent.size())}"
            return
        if rect.isEmpty():
            return  # scrolled away
        seen = parent


def _overlaps(root):
    """Two widgets with words in the same place, one not within the other."""
    places = []
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and _text(widget) and not _is_in_qt(widget):
            region = widget.visibleRegion().boundingRect()
            if not region.isEmpty():
                places.append((widget, QRect(widget.mapTo(root, region.topLeft()), region.size())))
    found = []
    for (one, at), (other, there) in combinations(places, 2):
        both = at & there
        if min(both.width(), both.height()) > OVERLAP_PX and _over(one) is _over(other):
            found.append(f"{name_of(one)} and {name_of(other)} overlap")
    return found


def curve_words(canvas):
    """Those on show beside ticks and legend: each with its box and the box that it must stay in."""

    def letters(item):
        """Without the margin around them."""
        margin = item.document().documentMargin()
        return item.sceneBoundingRect().adjusted(margin, margin, -margin, -margin)

    whole, inside = canvas._plot.sceneBoundingRect(), canvas._box.sceneBoundingRect()
    names = [canvas._plot.getAxis(name).label for name in ("left", "bottom")]
    marks = [words for line in canvas._marks for words in (line._before, line._after)]
    items = [(name, whole) for name in names if name.isVisible()]
    items += [(words.textItem, inside) for words in marks if words.isVisible() and words.format]
    return [(item.toPlainText(), letters(item), room) for item, room in items]


def _curve_faults(root):
    """The words in a plot of curves, which are no widgets: names of axes, and what is said of its parts."""
    found = []
    for plot in root.findChildren(CurvePlot):
        canvas = plot.findChild(QWidget, "curves")
        if canvas is None or not canvas.isVisible():
            continue
        for text, box, room in curve_words(canvas):
            if text.strip() and not room.adjusted(-SLACK_PX, -SLACK_PX, SLACK_PX, SLACK_PX).contains(box):
                found.append(f"{name_of(plot)}: {text!r} has {room.getRect()}, takes {box.getRect()}")
        boxes = [box for text, box, _room in curve_words(canvas) if text.strip()]
        if any(one.intersects(other) for one, other in combinations(boxes, 2)):
            found.append(f"{name_of(plot)}: words lie over one another")
    return found


def _over(widget):
    """The list that lies over the window, where a widget is in it."""
    while widget is not None and not isinstance(widget, Palette):
        widget = widget.parentWidget()
    return widget


def _is_in_qt(widget):
    """A part of one of Qt's own widgets: the line in a number field, a scroll bar's box."""
    return widget.objectName().startswith("qt_") or isinstance(widget.parentWidget(), QComboBox)


def _px(size):
    return f"{size.width()} × {size.height()}"


def hear(patch, note):
    """Every `drawText` of the program's own painting is told with its painter and arguments."""
    paint = QPainter.drawText

    def heard(painter, *about):
        note(painter, *about)
        return paint(painter, *about)

    patch.setattr(QPainter, "drawText", heard)


@dataclass(frozen=True)
class _Words:
    widget: QWidget
    text: str
    box: QRectF  # what they were given, on the widget; empty where they stand at a point
    ink: QRectF  # what they take, on the widget
    outline: QPolygonF  # of its letters: words may be turned
    clip: QRectF | None


class _Painted:
    """Hears every `drawText` of the program's own painting."""

    def __init__(self, patch):
        self.words = []
        hear(patch, self._note)

    def faults(self):
        return [*self._cut(), *self._over_one_another()]

    def _note(self, painter, place, *more):
        widget = painter.device()
        text = str(more[-1])
        if not isinstance(widget, QWidget) or not text.strip():
            return
        transform = painter.worldTransform()
        if isinstance(place, QPointF | QPoint):
            ink = QFontMetricsF(painter.font()).boundingRect(text).translated(QPointF(place))
            box = ink
        else:
            flags = more[0] if isinstance(more[0], int) else more[0].value
            box = QRectF(place)
            ink = QFontMetricsF(painter.font()).boundingRect(box, flags, text)
            if flags & Qt.TextFlag.TextDontClip.value:
                box = ink
        tight = QFontMetricsF(painter.font()).tightBoundingRect(text)  # about the point where the first letter stands
        baseline = QPointF(ink.left(), ink.top() + QFontMetricsF(painter.font()).ascent())
        letters = ink if "\n" in text or ink.height() > 1.5 * tight.height() + 20 else tight.translated(baseline)
        clip = transform.mapRect(painter.clipBoundingRect()) if painter.hasClipping() else None
        outline = transform.map(QPolygonF(letters))
        self.words.append(_Words(widget, text, transform.mapRect(box), transform.mapRect(ink), outline, clip))

    def _cut(self):
        for word in self.words:
            room = word.box & _within(word.widget)
            if word.clip is not None:
                room = room & word.clip
                if not word.ink.intersects(word.clip):
                    continue
            missing = max(
                room.left() - word.ink.left(),
                word.ink.right() - room.right(),
                (room.top() - word.ink.top()) / 2,  # above and below the letters a font has air
                (word.ink.bottom() - room.bottom()) / 2,
            )
            if missing > SLACK_PX:
                yield f"{name_of(word.widget)}: {word.text!r} is cut by {missing:.0f} px"

    def _over_one_another(self):
        by_widget = {}
        for word in self.words:
            by_widget.setdefault(id(word.widget), []).append(word)
        for one, other in (pair for words in by_widget.values() for pair in combinations(words, 2)):
            meets = one.ink.intersects(other.ink)
            if meets and _area(one.outline.intersected(other.outline)) > OVERLAP_PX**2 * 4:
                yield f"{name_of(one.widget)}: {one.text!r} and {other.text!r} are written over one another"


def _within(widget):
    """Where words are not cut off: on the widget, and beyond its edge where one can scroll there."""
    rect, area = QRectF(widget.rect()), widget.parentWidget()
    if isinstance(area, QAbstractScrollArea) and area.viewport() is widget:
        over = widget.width() if area.horizontalScrollBar().maximum() > 0 else 0
        above = widget.height() if area.verticalScrollBar().maximum() > 0 else 0
        rect.adjust(-over, -above, over, above)
    return rect


def _area(polygon):
    """By the shoelace formula."""
    corners = [(point.x(), point.y()) for point in polygon]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1], strict=True))) / 2
