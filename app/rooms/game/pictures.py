"""What the game paints: the sentence in the largest type that fits, and the guesses, one below the other."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from ...look import numbers, say, theme
from ...look.theme import draw_text
from ...widgets.charts.drawing import Box, Icon
from ...widgets.charts.pointer import next_of
from ...widgets.wrapped import WrappedBoxes
from .game import GUESSES, Puzzle, puzzles_of

ROW_PX, LEAST_ROW_PX = 50, 24  # of a guess, at most and at least
TYPE_SHARE = 0.6  # of a row's height
LEAST_FULL = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability
HEIGHT_PX, TYPE_PX, GAP_WIDTH_PX, PAD_PX = 46, 30, 96, 8
WORD, GAP, ANSWER, CHOICE = "word", "gap", "answer", "choice"
COLORS = {  # of a box, its line and its word
    GAP: ("mask_tint", "mask", "mask"),
    ANSWER: ("good_tint", "good", "good_text"),
    CHOICE: ("card", "line", "ink"),
}


@dataclass(frozen=True)
class GuessRow:
    word: str
    share: float | None = None  # the probability that the model gives it; None: the class said it
    is_right: bool = False


class GuessRows(WrappedBoxes):
    """Of the class as words, of the model with bars, the right one marked; a row is as high as five of them can be."""

    gap_px = line_gap_px = 0.0
    grows = True
    hint_px, least_px = (240, GUESSES * ROW_PX), (160, GUESSES * LEAST_ROW_PX)

    def __init__(self, name: str) -> None:
        super().__init__(name, ROW_PX, Qt.FocusPolicy.NoFocus)
        self.rows: list[GuessRow] = []

    def set_rows(self, rows: Sequence[GuessRow]) -> None:
        self.rows = list(rows)
        texts = (row.word if row.share is None else f"{row.word} {numbers.percent(row.share)}" for row in rows)
        self.setAccessibleDescription(", ".join(texts))
        self.lay_out()

    def lay_out(self) -> None:
        height = min(self.height() / GUESSES, theme.px(ROW_PX))
        self.boxes = [QRectF(0, number * height, self.width(), height) for number in range(len(self.rows))]
        self.update()

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        row, size_px = self.rows[number], box.height() * TYPE_SHARE / theme.scale()
        side, gap = box.height() * 0.5, box.height() * 0.28
        tick = QRectF(box.x() + gap / 2, box.center().y() - side / 2, side, side)
        if row.is_right:
            Box(box.adjusted(0, 1, 0, -1), "good_tint", radius_px=theme.px(6)).paint(painter)
            Icon(tick, "check", "good_text").paint(painter)
        x, widest = tick.right() + gap, max(_width(each.word, size_px) for each in self.rows)
        column = box.right() - x if row.share is None else min(widest, self.width() * 0.45)
        ink, words = "good_text" if row.is_right else "ink", QRectF(x, box.y(), column + 1, box.height())
        draw_text(painter, words, row.word, ink, size_px, bold=row.is_right)
        if row.share is None:
            return
        left, number_width = x + column + gap, _width("99.9%", size_px * 0.8) + gap
        full = max(box.right() - left - number_width - gap, 1.0)
        length = max(full * row.share / max(*(each.share or 0.0 for each in self.rows), LEAST_FULL), 2)
        bar = QRectF(left, box.center().y() - box.height() * 0.2, length, box.height() * 0.4)
        Box(bar, "good" if row.is_right else "bar", radius_px=3).paint(painter)
        behind = QRectF(bar.right() + gap, box.y(), number_width, box.height())
        draw_text(painter, behind, numbers.percent(row.share), "muted", size_px * 0.8)


def _width(text: str, size_px: float) -> float:
    return QFontMetricsF(theme.font(size_px, bold=True)).horizontalAdvance(text)


@dataclass(frozen=True)
class Piece:
    """A word and what touches it. kind: WORD, GAP, ANSWER or CHOICE."""

    text: str
    kind: str = WORD
    before: str = ""
    after: str = ""


class BigSentence(WrappedBoxes):
    """A gap in it, or words to choose the gap from: then `clicked` carries the number of a box."""

    grows = has_hand = True
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
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if self.choices else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(" ".join(f"{piece.before}{piece.text}{piece.after}" for piece in pieces))
        self.lay_out()

    @property
    def choices(self) -> list[int]:
        """The boxes that can be chosen."""
        return [number for number, piece in enumerate(self.pieces) if piece.kind == CHOICE]

    def lay_out(self) -> None:
        """In the middle, line by line."""
        super().lay_out()
        below = (self.height() - max((box.bottom() for box in self.boxes), default=0.0)) / 2
        for top in {box.top() for box in self.boxes}:
            line = [box for box in self.boxes if box.top() == top]
            beside = (self.width() - line[-1].right()) / 2
            for box in line:
                box.translate(max(beside, 0.0), max(below, 0.0))

    def cell_at(self, point: QPointF) -> int | None:
        cell = super().cell_at(point)
        return cell if cell in self.choices else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        """The next word that can be chosen; from nowhere, the first."""
        choices = self.choices
        at = next_of(len(choices), choices.index(cell) if cell in choices else None, key, across=True)
        return None if at is None else choices[at]

    def selected_cell(self) -> int | None:
        return next(iter(self.choices), None)

    def box_widths(self) -> list[float]:
        most = float(max(self.width(), 1))
        each = (self._advance(one.before) + self._box_width(one) + self._advance(one.after) for one in self.pieces)
        return [min(width, most) for width in each]

    def _advance(self, text: str, *, bold: bool = False) -> float:
        return QFontMetricsF(self.sized_font(TYPE_PX, bold=bold)).horizontalAdvance(text) if text else 0.0

    def _box_width(self, piece: Piece) -> float:
        if piece.kind == WORD:
            return self._advance(piece.text)
        width = self._advance(piece.text, bold=piece.kind != CHOICE) + 2 * self.px(PAD_PX)
        return width if piece.kind == CHOICE else max(width, float(self.px(GAP_WIDTH_PX)))

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        piece, size_px, x = self.pieces[number], TYPE_PX * self.factor, box.x()
        for text, kind in ((piece.before, WORD), (piece.text, piece.kind), (piece.after, WORD)):
            width = self._advance(text) if kind == WORD else self._box_width(piece)
            if kind == WORD:
                place = QRectF(x, box.y(), box.right() - x + 1, box.height())
                draw_text(painter, place, text, "ink", size_px)
            else:
                pen, (fill, line, ink) = self.px(1.5), COLORS[kind]
                if number == self.hovered_cell:
                    fill, line = "accent_tint", "accent"
                inside = QRectF(x, box.y(), width, box.height()).adjusted(pen, pen, -pen, -pen)
                Box(inside, fill, line, pen, self.px(7)).paint(painter)
                draw_text(painter, inside, text, ink, size_px, align=Qt.AlignmentFlag.AlignCenter, bold=kind != CHOICE)
            x += width
