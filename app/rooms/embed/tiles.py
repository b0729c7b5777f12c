"""Tokens as tiles that can be moved: a letter for the segment, a number for the position."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from app.look import theme
from app.widgets.wrapped import WrappedBoxes

TILE_PX, PADDING_PX = 58, 9
PILL_PX, LETTER_PX, NUMBER_PX = 22, 24, 34
STEPS = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}


@dataclass(frozen=True)
class Tile:
    """One token as the model reads it."""

    token: str
    kind: str  # the theme's colour name
    segment: int
    position: int  # where it is taken to stand
    is_moved: bool  # to another segment than its own
    is_swapped: bool


class Tiles(WrappedBoxes):
    """Laid out in lines. A click on the letter changes the segment; on the number, picks the token to swap."""

    chosen = Signal(int)
    segment_clicked = Signal(int)
    position_clicked = Signal(int)
    gap_px = line_gap_px = 7.0
    least_width_px = 200

    def __init__(self) -> None:
        super().__init__("", TILE_PX)
        self.setAccessibleName(
            self.tr("Tokens with segment and position: Space changes the segment, Enter picks a token to swap")
        )
        self.has_segments = True
        self._tiles: list[Tile] = []
        self._current = 0
        self._picked: int | None = None

    @property
    def tiles(self) -> list[Tile]:
        return self._tiles

    def set_tiles(self, tiles: list[Tile], has_segments: bool) -> None:
        self._tiles, self.has_segments = tiles, has_segments
        words = [f"{tile.token} {self._letter(tile)} {tile.position}" for tile in tiles[:100]]
        self.setAccessibleDescription(", ".join(words))
        self.lay_out()

    def set_current(self, position: int) -> None:
        self._current = position
        self.update()

    def set_picked(self, position: int | None) -> None:
        """The one that waits for another to swap positions with."""
        self._picked = position
        self.update()

    def letter_rect(self, position: int) -> QRectF:
        rect = self.boxes[position]
        left = rect.center().x() - theme.px(LETTER_PX + NUMBER_PX + 4) / 2
        return QRectF(left, rect.bottom() - theme.px(PILL_PX + 5), theme.px(LETTER_PX), theme.px(PILL_PX))

    def number_rect(self, position: int) -> QRectF:
        left = self.letter_rect(position)
        if not self.has_segments:
            left = QRectF(self.boxes[position].center().x() - theme.px(NUMBER_PX) / 2, left.y(), 0, 0)
        else:
            left = left.translated(theme.px(LETTER_PX + 4), 0)
        return QRectF(left.x(), left.y(), theme.px(NUMBER_PX), theme.px(PILL_PX))

    def _letter(self, tile: Tile) -> str:
        return "AB"[min(tile.segment, 1)] if self.has_segments else ""

    def box_widths(self) -> list[float]:
        metrics, padding = QFontMetrics(theme.font(13, medium=True)), 2 * theme.px(PADDING_PX)
        least = theme.px(LETTER_PX + NUMBER_PX + 16)
        return [max(metrics.horizontalAdvance(tile.token) + padding, least) for tile in self._tiles]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        tile, rect = self._tiles[number], box.adjusted(1, 1, -1, -1)
        is_current = number == self._current
        painter.setPen(QPen(theme.color("ink"), 1.6) if is_current else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(f"{tile.kind}_tint"))
        painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        painter.setFont(theme.font(13, medium=True))
        painter.setPen(theme.color(tile.kind))
        top = QRectF(rect.x(), rect.y() + theme.px(4), rect.width(), theme.px(20))
        painter.drawText(top, Qt.AlignmentFlag.AlignCenter, tile.token)
        if self.has_segments:
            self._paint_pill(painter, self.letter_rect(number), self._letter(tile), tile.is_moved, False)
        is_picked = number == self._picked
        self._paint_pill(painter, self.number_rect(number), str(tile.position), tile.is_swapped, is_picked)

    def _paint_pill(self, painter: QPainter, rect: QRectF, text: str, is_changed: bool, is_picked: bool) -> None:
        painter.setPen(QPen(theme.color("accent" if is_changed or is_picked else "line"), 1.6 if is_changed else 1))
        painter.setBrush(theme.color("accent" if is_picked else "card"))
        painter.drawRoundedRect(rect, theme.px(5), theme.px(5))
        painter.setFont(theme.font(11.5, bold=is_changed or is_picked))
        painter.setPen(theme.color("on_accent" if is_picked else "accent" if is_changed else "ink"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and self._current < len(self.boxes):
            painter = theme.painter(self)
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.boxes[self._current].adjusted(1, 1, -1, -1), theme.px(6), theme.px(6))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self.cell_at(event.position())
        if position is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self.has_segments and self.letter_rect(position).contains(event.position()):
            self.segment_clicked.emit(position)
        elif self.number_rect(position).contains(event.position()):
            self.position_clicked.emit(position)
        else:
            self.chosen.emit(position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in STEPS and self._tiles:
            self.chosen.emit(min(max(self._current + STEPS[key], 0), len(self._tiles) - 1))
        elif key == Qt.Key.Key_Space and self.has_segments and self._tiles:
            self.segment_clicked.emit(self._current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._tiles:
            self.position_clicked.emit(self._current)
        else:
            super().keyPressEvent(event)
