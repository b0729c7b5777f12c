"""The tokens as the model reads them: a chip each, coloured by segment, with position and id.

In projector mode a chip is one line: the picture below needs the height, and position and id are in the tool tip.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from ..look import theme
from ..look.fitting import plain_tip
from ..look.say import say
from .charts.drawing import Box
from .charts.pointer import ARROWS
from .wrapped import WrappedBoxes

CHIP_HEIGHT_PX, SHORT_CHIP_PX = 38, 24
GAP_PX = 5
PADDING_PX = 8
MOST_LINES, SHORT_MOST_LINES = 3, 2
MOST_WIDTHS = 20_000
MOST_PICTURES = 1_500  # of chips, a few KiB each


@dataclass(frozen=True)
class Chip:
    """One token as the strip shows it."""

    token: str
    token_id: int
    segment: int
    kind: str  # "special" | "segment_a" | "segment_b" | "mask": names of the theme's colours
    hint: Callable[[], str]  # for the tool tip
    is_unknown: bool = False
    below: str = ""  # in the place of position and id: of another text


class ChipField(WrappedBoxes):
    """Chips, laid out in lines."""

    laid_out = Signal()  # its height may be another
    moved = Signal(int)  # the keyboard's arrows: -1 or +1
    gap_px = line_gap_px = GAP_PX

    def __init__(self) -> None:
        is_short = theme.is_projector()
        chip_px = SHORT_CHIP_PX if is_short else CHIP_HEIGHT_PX
        super().__init__(say("Tokens"), chip_px, Qt.FocusPolicy.StrongFocus)
        self.is_short, self.chip_px = is_short, chip_px
        self.chips: list[Chip] = []
        self._pictures: dict[tuple[object, ...], QPixmap] = {}
        self._current: int | None = None
        self._locked: int | None = None

    def set_chips(self, chips: list[Chip]) -> None:
        self.chips = chips
        self.setAccessibleDescription(" ".join(chip.token for chip in chips[:100]))
        self.lay_out()

    def set_selection(self, current: int | None, locked: int | None) -> None:
        self._current, self._locked = current, locked
        self.update()

    def lay_out(self) -> None:
        super().lay_out()
        self.laid_out.emit()

    def box_widths(self) -> list[float]:
        widths, padding = [], 2 * theme.px(PADDING_PX)
        for position, chip in enumerate(self.chips):
            below = 0 if self.is_short else _width(_below(position, chip), theme.type_px(10.5), is_medium=False)
            widths.append(max(_width(chip.token, theme.type_px(13), is_medium=True), below) + padding)
        return widths

    def _picture(self, position: int) -> QPixmap:
        """Of a chip; most of them come again with the next keystroke, and their text takes long to draw."""
        chip, size = self.chips[position], self.boxes[position].size().toSize()
        outline = None if position != self._current else "locked" if position == self._locked else "hovered"
        drawn = (chip.token, _below(position, chip), chip.kind, chip.is_unknown, outline, size.width())
        key = (*drawn, theme.active().name, theme.scale(), self.devicePixelRatioF())
        kept = self._pictures.get(key)
        if kept is None:
            if len(self._pictures) > MOST_PICTURES:
                self._pictures.clear()
            kept = QPixmap(size * self.devicePixelRatioF())
            kept.setDevicePixelRatio(self.devicePixelRatioF())
            kept.fill(Qt.GlobalColor.transparent)
            with theme.painter(kept) as painter:
                self._paint_chip(painter, position, QRect(QPoint(0, 0), size))
            self._pictures[key] = kept  # last: what failed is painted again
        return kept

    def _paint_chip(self, painter: QPainter, position: int, rect: QRect) -> None:
        chip, box, middle = self.chips[position], QRectF(rect), Qt.AlignmentFlag.AlignCenter
        Box(box, f"{chip.kind}_tint", radius_px=theme.px(6)).paint(painter)
        if position == self._current:
            width = theme.stroke(theme.px(2) if position == self._locked else 1.2)
            Box(box.adjusted(1, 1, -1, -1), "", chip.kind, width, theme.px(5)).paint(painter)
        font = theme.font(13, medium=True, bold=chip.kind == "mask")
        font.setUnderline(chip.is_unknown)
        painter.setFont(font)
        painter.setPen(theme.color(chip.kind))
        painter.drawText(box if self.is_short else box.adjusted(0, theme.px(3), 0, -theme.px(15)), middle, chip.token)
        if not self.is_short:
            bottom = box.adjusted(0, theme.px(20), 0, -theme.px(2))
            theme.draw_text(painter, bottom, _below(position, chip), "muted", 10.5, align=middle)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = self.cell_at(QPointF(event.pos()))
            if position is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), plain_tip(self.chips[position].hint()), self)
            return True
        return super().event(event)

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        painter.drawPixmap(box.topLeft(), self._picture(number))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        _, right = ARROWS.get(event.key(), (0, 0))
        if right:
            self.moved.emit(right)
        else:
            super().keyPressEvent(event)


class TokenStrip(QScrollArea):
    """The chip field, at most three lines high; the rest is reached by scrolling."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._locked: int | None = None
        self.field = ChipField()
        self.setWidget(self.field)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.field.laid_out.connect(self._fit)
        self._fit()

    def set_chips(self, chips: list[Chip]) -> None:
        self.field.set_chips(chips)

    def set_selection(self, current: int | None, locked: int | None) -> None:
        """Scrolls to a token when it is locked, and not again: the mouse over others would take a person back to it."""
        self.field.set_selection(current, locked)
        was, self._locked = self._locked, locked
        if locked is not None and locked != was:
            rect = self.field.rect_of(locked)
            x, y, margin = rect.center().x(), rect.center().y(), theme.px(self.field.chip_px) // 2 + 1
            self.ensureVisible(round(x), round(y), 0, margin)

    def _fit(self) -> None:
        lines, height = SHORT_MOST_LINES if self.field.is_short else MOST_LINES, theme.px(self.field.chip_px)
        most = lines * height + (lines - 1) * theme.px(GAP_PX)
        self.setFixedHeight(min(max(self.field.height(), height), most))

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())


def _below(position: int, chip: Chip) -> str:
    return chip.below or f"{position} · {chip.token_id}"


@lru_cache(MOST_WIDTHS)
def _width(text: str, size_px: int, *, is_medium: bool) -> int:
    """Of a text; measured once, since most of it comes again with the next keystroke."""
    font = theme.font(medium=is_medium)
    font.setPixelSize(size_px)
    return QFontMetrics(font).horizontalAdvance(text)
