"""One text in two rows of tokens, piece under piece; where the two cut differently, it is marked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen

from app.look import theme
from app.rooms.embed.two_cuts import Piece, Stretch
from app.widgets.wrapped import WrappedBoxes

ROW_PX, PADDING_PX = 26, 7
KINDS = {"a": "segment_a", "b": "segment_b"}


class CutsPicture(WrappedBoxes):
    """Stretches in the order of the text, laid out in lines; above the first cut, below the second."""

    arrows_click = True
    margin_px = 2.0  # the frame of the one that is looked at goes a little beyond it
    gap_px, line_gap_px, least_width_px = 8.0, 18.0, 200

    def __init__(self) -> None:
        super().__init__("The text as two vocabularies cut it", 2 * ROW_PX + 2)
        self._stretches: list[Stretch] = []
        self._current: int | None = None

    @property
    def stretches(self) -> list[Stretch]:
        return self._stretches

    def set_stretches(self, stretches: list[Stretch]) -> None:
        self._stretches = stretches
        self.setAccessibleDescription(", ".join(described(one) for one in stretches if not one.is_same)[:2000])
        self.lay_out()

    def set_current(self, stretch: int | None) -> None:
        self._current = stretch
        self.update()

    def box_widths(self) -> list[float]:
        metrics = QFontMetrics(theme.font(13, medium=True))
        return [max(sum(_widths(metrics, cut)) for cut in (one.first, one.second)) for one in self._stretches]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        stretch, metrics = self._stretches[number], QFontMetrics(theme.font(13, medium=True))
        for row, cut in enumerate((stretch.first, stretch.second)):
            widths = _widths(metrics, cut)
            stretched = box.width() / sum(widths) if widths else 1.0
            left, top = box.x(), box.y() + row * (theme.px(ROW_PX) + 2)
            for piece, width in zip(cut, widths, strict=True):
                place = QRectF(left, top, width * stretched, theme.px(ROW_PX)).adjusted(1, 1, -1, -1)
                self._paint_piece(painter, piece, place, KINDS[stretch.part], stretch.is_same)
                left += width * stretched
        if number == self._current:
            painter.setPen(QPen(theme.color("ink"), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), theme.px(5), theme.px(5))

    def _paint_piece(self, painter: QPainter, piece: Piece, box: QRectF, kind: str, is_same: bool) -> None:
        painter.setPen(QPen(theme.color("line" if is_same else "mask"), 1 if is_same else 1.6))
        painter.setBrush(theme.color("card" if is_same else "mask_tint"))
        painter.drawRoundedRect(box, theme.px(4), theme.px(4))
        font = theme.font(13, medium=True)
        font.setUnderline(piece.is_unknown)
        painter.setFont(font)
        painter.setPen(theme.color(kind if is_same else "mask"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, piece.label)

    def selected_cell(self) -> int | None:
        return self._current

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if self._current is not None:  # where the keyboard leads, the card says what is there
            self.set_hovered(self._current)


def described(stretch: Stretch) -> str:
    """`comfort ##able · comfortable`: both cuts in words."""
    return " · ".join(" ".join(piece.label for piece in cut) or "nothing" for cut in (stretch.first, stretch.second))


def _widths(metrics: QFontMetrics, cut: tuple[Piece, ...]) -> list[int]:
    return [metrics.horizontalAdvance(piece.label) + 2 * theme.px(PADDING_PX) for piece in cut]
