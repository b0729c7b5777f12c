"""A sentence in the largest type that fits, with a gap in it; or with words to choose the gap from."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from ...look import theme
from ...look.say import say
from ...widgets.wrapped import WrappedBoxes
from .game import Puzzle, puzzles_of

HEIGHT_PX, TYPE_PX, GAP_WIDTH_PX, PAD_PX = 46, 30, 96, 8
WORD, GAP, ANSWER, CHOICE = "word", "gap", "answer", "choice"


@dataclass(frozen=True)
class Piece:
    """A word and what touches it. kind: WORD, GAP, ANSWER or CHOICE."""

    text: str
    kind: str = WORD
    before: str = ""
    after: str = ""

    @property
    def is_boxed(self) -> bool:
        return self.kind != WORD


class BigSentence(WrappedBoxes):
    """`clicked` carries the number of a word where there is something to choose."""

    grows = True
    gap_px, line_gap_px = 7.0, 6.0

    def __init__(self) -> None:
        super().__init__(say("The sentence"), HEIGHT_PX)
        self.pieces: list[Piece] = []

    def show_gap(self, puzzle: Puzzle, answer: str = "") -> None:
        """answer: in the gap; empty while it is hidden."""
        before, after = puzzle.before.split(), puzzle.after.split()
        touches_before = bool(before) and not puzzle.before[-1].isspace()
        touches_after = bool(after) and not puzzle.after[0].isspace()
        left, right = before.pop() if touches_before else "", after.pop(0) if touches_after else ""
        gap = Piece(answer or "?", ANSWER if answer else GAP, left, right)
        self._set([*map(Piece, before), gap, *map(Piece, after)])

    def show_choices(self, sentence: str) -> None:
        """Every word can be chosen; its number is that of `puzzles_of`."""
        pieces, at = [], 0
        for puzzle in puzzles_of(sentence):
            pieces += [Piece(sentence[at : puzzle.place.start].strip()), Piece(puzzle.answer, CHOICE)]
            at = puzzle.place.stop
        self._set([piece for piece in (*pieces, Piece(sentence[at:].strip())) if piece.text])

    def _set(self, pieces: list[Piece]) -> None:
        if pieces == self.pieces:
            return
        self.pieces = pieces
        self.set_hovered(None)
        can_choose = any(piece.kind == CHOICE for piece in pieces)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if can_choose else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(" ".join(f"{piece.before}{piece.text}{piece.after}" for piece in pieces))
        self.lay_out()

    def lay_out(self) -> None:
        """In the middle, line by line."""
        super().lay_out()
        below = (self.height() - max((box.bottom() for box in self.boxes), default=0.0)) / 2
        for top in {box.top() for box in self.boxes}:
            line = [box for box in self.boxes if box.top() == top]
            beside = (self.width() - line[-1].right()) / 2
            for box in line:
                box.translate(max(beside, 0.0), max(below, 0.0))

    def choice_of(self, cell: int) -> int:
        """The number among the words that can be chosen."""
        return sum(piece.kind == CHOICE for piece in self.pieces[:cell])

    def cell_at(self, point: QPointF) -> int | None:
        cell = super().cell_at(point)
        return cell if cell is not None and self.pieces[cell].kind == CHOICE else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        """The next word that can be chosen."""
        choices = [number for number, piece in enumerate(self.pieces) if piece.kind == CHOICE]
        if not choices or key not in (Qt.Key.Key_Left.value, Qt.Key.Key_Right.value):
            return None
        if cell not in choices:
            return choices[0]
        step = 1 if key == Qt.Key.Key_Right.value else -1
        return choices[min(max(choices.index(cell) + step, 0), len(choices) - 1)]

    def selected_cell(self) -> int | None:
        return next((number for number, piece in enumerate(self.pieces) if piece.kind == CHOICE), None)

    def set_hovered(self, cell: int | None) -> None:
        super().set_hovered(cell)
        self.setCursor(Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor)

    def box_widths(self) -> list[float]:
        most = float(max(self.width(), 1))
        each = (self._advance(one.before) + self._box_width(one) + self._advance(one.after) for one in self.pieces)
        return [min(width, most) for width in each]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        piece = self.pieces[number]
        x = self._write(painter, box, box.x(), piece.before)
        if piece.is_boxed:
            pen = self.px(1.5)
            inner = QRectF(x, box.y(), self._box_width(piece), box.height()).adjusted(pen, pen, -pen, -pen)
            is_here = number == self.hovered_cell
            edge, fill, ink = {
                GAP: ("mask", "mask_tint", "mask"),
                ANSWER: ("good", "good_tint", "good_text"),
                CHOICE: ("accent" if is_here else "line", "accent_tint" if is_here else "card", "ink"),
            }[piece.kind]
            painter.setPen(QPen(theme.color(edge), pen))
            painter.setBrush(theme.color(fill))
            painter.drawRoundedRect(inner, self.px(7), self.px(7))
            painter.setPen(theme.color(ink))
            painter.setFont(self.sized_font(TYPE_PX, bold=piece.kind != CHOICE))
            painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, piece.text)
            x = inner.right() + pen
        else:
            x = self._write(painter, box, x, piece.text)
        self._write(painter, box, x, piece.after)

    def _write(self, painter: QPainter, box: QRectF, x: float, text: str) -> float:
        """Where the text ends."""
        if text:
            painter.setFont(self.sized_font(TYPE_PX))
            painter.setPen(theme.color("ink"))
            painter.drawText(QRectF(x, box.y(), box.right() - x + 1, box.height()), theme.LEFT, text)
        return x + self._advance(text)

    def _advance(self, text: str, *, bold: bool = False) -> float:
        return QFontMetricsF(self.sized_font(TYPE_PX, bold=bold)).horizontalAdvance(text) if text else 0.0

    def _box_width(self, piece: Piece) -> float:
        if not piece.is_boxed:
            return self._advance(piece.text)
        width = self._advance(piece.text, bold=piece.kind != CHOICE) + 2 * self.px(PAD_PX)
        return width if piece.kind == CHOICE else max(width, float(self.px(GAP_WIDTH_PX)))
