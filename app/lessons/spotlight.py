"""Dims the window except for one widget, with a ring around it. Clicks go through to what is below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QWidget
from shiboken6 import isValid

from ..look import theme
from ..widgets.folding_card import Folded
from ..widgets.spots import find_spot

DIM = 90  # of 255: what is dimmed can still be read
RING_PX, RADIUS_PX, AROUND_PX = 3, 10, 3
MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest)


class Spotlight(QWidget):
    """Covers its parent. While the widget that is named is not on show, nothing is dimmed."""

    def __init__(self, over: QWidget, bright: QWidget) -> None:
        """bright: is never dimmed either."""
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._over, self._bright = over, bright
        self._name: Callable[[], str] = str
        self._unfolded = ""  # the last name for which a side card was opened
        self.target: QWidget | None = None
        self._brought = QSize()  # the size of the target when it was last scrolled into view
        self._scrolled: list[QScrollArea] = []  # for the target
        self._later = QTimer(self, singleShot=True, interval=0)  # once, when all layouts are done
        self._later.timeout.connect(self._place)
        over.installEventFilter(self)
        self.hide()

    def follow(self, name: Callable[[], str]) -> None:
        """name: of the widget to show, one of widgets.spots.SPOTS; "" for none."""
        self._name = name
        self._later.start()

    def update_spot(self) -> None:
        """Perhaps another widget is named."""
        self._later.start()

    def _place(self) -> None:
        name = self._name()
        if name != self._unfolded:
            self._unfold(name)
        target = find_spot(self._over, name) if name else None
        if target is not self.target:
            for old, new in ((self.target, None), (None, target)):
                if old is not None:
                    old.removeEventFilter(self)
                if new is not None:
                    new.installEventFilter(self)
                    new.destroyed.connect(self._on_target_destroyed)
            self._scroll_back()
            self.target, self._brought = target, QSize()
        self.setVisible(target is not None)
        if target is not None:
            self.setGeometry(self._over.rect())
            self.raise_()
            self._bring_into_view(target)
            self.update()

    def _bring_into_view(self, target: QWidget) -> None:
        """Once, and again when it has another size; between, a person may scroll elsewhere."""
        if target.size() == self._brought:
            return
        self._brought = target.size()
        parent = target.parentWidget()
        while parent is not None and parent is not self._over:
            if isinstance(parent, QScrollArea):
                parent.ensureWidgetVisible(target, 0, 0)
                self._scrolled.append(parent)
            parent = parent.parentWidget()

    def _scroll_back(self) -> None:
        """The room begins at its top again, with its tabs, where the lesson goes on elsewhere or ends."""
        for area in self._scrolled:
            if isValid(area):
                area.horizontalScrollBar().setValue(0)
                area.verticalScrollBar().setValue(0)
        self._scrolled.clear()

    def _unfold(self, name: str) -> None:
        """A side card that is folded away opens, and the one of the last page closes; a person may fold it again."""
        last, self._unfolded = self._unfolded, name
        for folded in self._over.findChildren(Folded):
            its_name = folded.card.objectName()
            if its_name and its_name in (last, name) and not folded.tab.isHidden():
                folded.tab.setChecked(its_name == name)

    def _on_target_destroyed(self) -> None:
        self.target = None
        self._later.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVES and watched is not self and self._name():
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
        if self.target is None:
            return
        around = theme.px(AROUND_PX)
        ring = QRectF(self._rect_of(self.target)).adjusted(-around, -around, around, around)
        ring = ring.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        dimmed, bright = QPainterPath(), QPainterPath()
        bright.setFillRule(Qt.FillRule.WindingFill)  # the two may touch
        dimmed.addRect(QRectF(self.rect()))
        bright.addRoundedRect(ring, theme.px(RADIUS_PX), theme.px(RADIUS_PX))
        if self._bright.isVisible():
            bright.addRect(QRectF(self._rect_of(self._bright)))
        painter = theme.painter(self)
        painter.fillPath(dimmed.subtracted(bright), theme.color("dim", DIM))
        painter.setPen(QPen(theme.color("accent"), theme.px(RING_PX)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ring, theme.px(RADIUS_PX), theme.px(RADIUS_PX))
