"""The tokens as the model reads them: a chip each, coloured by segment, with position and id.

In projector mode a chip is one line: the picture below needs the height, and position and id are in the tool tip.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from ..look import theme
from ..look.fitting import plain_tip
from ..look.say import say
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
        self._widths: dict[tuple[str, float], int] = {}
        self._pictures: dict[tuple[object, ...], QPixmap] = {}
        self._metrics: dict[float, QFontMetrics] = {}
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
        padding = 2 * theme.px(PADDING_PX)
        return [
            max(self._width(chip.token, 13), 0 if self.is_short else self._width(_below(position, chip), 10.5))
            + padding
            for position, chip in enumerate(self.chips)
        ]

    def _width(self, text: str, size_px: float) -> int:
        """Width of a text; measured once, since most of it comes again with the next keystroke."""
        known = self._widths.get((text, size_px))
        if known is None:
            if len(self._widths) > MOST_WIDTHS:
                self._widths.clear()
            metrics = self._metrics.setdefault(size_px, QFontMetrics(theme.font(size_px, medium=size_px == 13)))
            known = self._widths[text, size_px] = metrics.horizontalAdvance(text)
        return known

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
        chip = self.chips[position]
        ink = theme.color(chip.kind)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(f"{chip.kind}_tint"))
        painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        if position == self._current:
            painter.setPen(QPen(ink, theme.stroke(theme.px(2) if position == self._locked else 1.2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), theme.px(5), theme.px(5))
        font = theme.font(13, medium=True, bold=chip.kind == "mask")
        font.setUnderline(chip.is_unknown)
        painter.setFont(font)
        painter.setPen(ink)
        top = rect if self.is_short else rect.adjusted(0, theme.px(3), 0, -theme.px(15))
        painter.drawText(top, Qt.AlignmentFlag.AlignCenter, chip.token)
        if self.is_short:
            return
        painter.setFont(theme.font(10.5))
        painter.setPen(theme.color("muted"))
        bottom = rect.adjusted(0, theme.px(20), 0, -theme.px(2))
        painter.drawText(bottom, Qt.AlignmentFlag.AlignCenter, _below(position, chip))

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
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(event.key())
        if step is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(step)


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
            self.ensureVisible(
                round(rect.center().x()), round(rect.center().y()), 0, theme.px(self.field.chip_px) // 2 + 1
            )

    def _fit(self) -> None:
        lines, height = SHORT_MOST_LINES if self.field.is_short else MOST_LINES, theme.px(self.field.chip_px)
        most = lines * height + (lines - 1) * theme.px(GAP_PX)
        self.setFixedHeight(min(max(self.field.height(), height), most))

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())


def _below(position: int, chip: Chip) -> str:
    return chip.below or f"{position} · {chip.token_id}"
