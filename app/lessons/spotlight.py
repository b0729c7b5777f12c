"""What a page of a lesson shows of the window: some widgets are lit, others covered until its question is answered."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QWidget
from shiboken6 import isValid

from ..look import say, theme
from ..widgets.answer_cover import Cover
from ..widgets.folding_card import FoldingCard
from ..widgets.highlights import find_highlight

DIM = 90  # of 255: what is dimmed can still be read
RING_PX, RADIUS_PX, AROUND_PX = 3, 10, 3
MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest)


class Spotlight(QWidget):
    """Dims its parent except for some widgets, with a ring around each; clicks go through.

    While none of the widgets that are named is on show, nothing is dimmed.
    """

    def __init__(self, over: QWidget, bright: QWidget, names: Callable[[], Sequence[str]]) -> None:
        """bright: is never dimmed either. names: of the widgets to show now, some of widgets.highlights.HIGHLIGHTS."""
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._over, self._bright, self._names = over, bright, names
        self._unfolded: Sequence[str] = ()  # the last names for which side cards were opened
        self.targets: list[QWidget] = []  # on show
        self._watched: list[QWidget] = []  # of these names, on show or not: a model that opens hides and shows a room
        self._brought: dict[QWidget, QSize] = {}  # the size of a target when it was last scrolled into view
        self._scrolled: list[QScrollArea] = []  # for the targets
        self._later = QTimer(self, singleShot=True, interval=0)  # once, when all layouts are done
        self._later.timeout.connect(self.place)
        over.installEventFilter(self)
        self.hide()
        self._later.start()

    def update_spots(self) -> None:
        """Perhaps other widgets are named, or a room has been built that has one."""
        self._later.start()

    def place(self) -> None:
        """At once."""
        names = self._names()
        if names != self._unfolded:
            self._unfold(names)
        self._watch([widget for name in names for widget in self._over.findChildren(QWidget, name)])
        found = (find_highlight(self._over, name) for name in names)
        targets = [widget for widget in found if widget is not None]
        if targets != self.targets:
            self._scroll_back()
            self.targets, self._brought = targets, {}
        self.setVisible(bool(targets))
        if targets:
            self.setGeometry(self._over.rect())
            self.raise_()
            for target in targets:
                self._bring_into_view(target)
            self.update()

    def _watch(self, widgets: list[QWidget]) -> None:
        for old in self._watched:
            if isValid(old) and old not in widgets:
                old.removeEventFilter(self)
                old.destroyed.disconnect(self._on_watched_destroyed)
        for new in widgets:
            if new not in self._watched:
                new.installEventFilter(self)
                new.destroyed.connect(self._on_watched_destroyed)
        self._watched = widgets

    def _bring_into_view(self, target: QWidget) -> None:
        """Once, and again when it has another size; between, a person may scroll elsewhere."""
        if target.size() == self._brought.get(target):
            return
        self._brought[target] = target.size()
        parent = target.parentWidget()
        while parent is not None and parent is not self._over:
            if isinstance(parent, QScrollArea):
                parent.ensureWidgetVisible(target, 0, 0)
                if target.height() > parent.viewport().height():  # begins at its top, where it is introduced
                    bar = parent.verticalScrollBar()
                    bar.setValue(bar.value() + target.mapTo(parent.viewport(), QPoint(0, 0)).y())
                self._scrolled.append(parent)
            parent = parent.parentWidget()

    def _scroll_back(self) -> None:
        """The room begins at its top again, with its tabs, where the lesson goes on elsewhere or ends."""
        for area in self._scrolled:
            if isValid(area):
                area.horizontalScrollBar().setValue(0)
                area.verticalScrollBar().setValue(0)
        self._scrolled.clear()

    def _unfold(self, names: Sequence[str]) -> None:
        """Side cards that are folded away open, and those of the last page close; a person may fold them again."""
        last, self._unfolded = self._unfolded, names
        for folded in self._over.findChildren(FoldingCard):
            its_name = folded.card.objectName()
            if its_name and its_name in (*last, *names) and not folded.tab.isHidden():
                folded.tab.setChecked(its_name in names)

    def _on_watched_destroyed(self) -> None:
        self.targets, self._brought = [], {}
        self._later.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVES and watched is not self and self._names():
            self._later.start()
        return False

    def _rect_of(self, widget: QWidget) -> QRect:
        """What is to be seen of it: not what is scrolled away."""
        rect = QRect(widget.mapTo(self._over, QPoint(0, 0)), widget.size())
        parent = widget.parentWidget()
        while parent is not None and parent is not self._over:
            rect = rect.intersected(QRect(parent.mapTo(self._over, QPoint(0, 0)), parent.size()))
            parent = parent.parentWidget()
        return rect

    def paintEvent(self, event: QPaintEvent) -> None:
        around, radius = theme.px(AROUND_PX), theme.px(RADIUS_PX)
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        dimmed, bright, rings = QPainterPath(), QPainterPath(), QPainterPath()
        bright.setFillRule(Qt.FillRule.WindingFill)  # they may touch
        dimmed.addRect(QRectF(self.rect()))
        for target in self.targets:
            ring = QRectF(self._rect_of(target)).adjusted(-around, -around, around, around).intersected(inside)
            for path in (bright, rings):
                path.addRoundedRect(ring, radius, radius)
        if self._bright.isVisible():
            bright.addRect(QRectF(self._rect_of(self._bright)))
        painter = theme.painter(self)
        painter.fillPath(dimmed.subtracted(bright), theme.color("dim", DIM))
        painter.setPen(QPen(theme.color("accent"), theme.px(RING_PX)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(rings)


class Covers(QObject):
    """Of one frame; call `update_covers` when another page, or another room, may be on show."""

    def __init__(self, over: QWidget, names: Callable[[], Sequence[str]]) -> None:
        """names: of what is covered now, some of widgets.highlights.HIGHLIGHTS."""
        super().__init__(over)
        self._over, self._names = over, names
        self._covers: dict[str, list[Cover]] = {}

    def update_covers(self) -> None:
        """All of that name; a room or view that is built later is covered when it opens."""
        wanted = self._names()
        for name in list(self._covers):
            if name not in wanted:
                for cover in self._covers.pop(name):
                    cover.remove()
        for name in wanted:
            found = self._over.findChildren(QWidget, name) if name not in self._covers else []
            if found:
                sentence = say("Hidden until you have answered the question")
                self._covers[name] = [Cover(widget, sentence) for widget in found]
