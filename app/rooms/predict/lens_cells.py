"""What each layer would predict at the masks, as coloured cells: a strip for one mask, a table for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen

from ...look import numbers, theme
from ...look.say import quoted, say
from ...state.baseline_names import beside
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.pointer import ARROWS
from ...widgets.charts.raster import Raster
from ...widgets.wrapped import WrappedBoxes
from .predict_sentences import stage_name

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess

    from ...compute.masks import MaskLens

Column = list[list["WordGuess"]]  # [stage], likeliest first
STRIP_PX, FOOT_PX, GAP_PX = 26, 15, 3
ROW_PX, LOW_ROW_PX, MANY_ROWS, HIGHEST_ROW_PX = 38, 24, 13, 84  # on the projector all rows may be low
TYPE_PX, LARGEST_TYPE_PX, TYPE_SHARE = 13, 19, 0.32  # in a cell, as large as its height allows
WIDE_CELL_PX = 80  # of the strip
LEAST_SCALE = 0.01  # what is hardly likely anywhere stays pale


class LensStrip(WrappedBoxes):
    """One mask: a cell for each stage, from left to right, with the likeliest word where it fits."""

    gap_px = 0.0

    def __init__(self, name: str) -> None:
        super().__init__(name, STRIP_PX + FOOT_PX, Qt.FocusPolicy.NoFocus)
        self.stages: Column = []
        self._full = 1.0

    def set_stages(self, stages: Column, full: float) -> None:
        """full: the probability of the strongest colour."""
        self.stages, self._full = stages, full
        self.setAccessibleDescription(", ".join(describe(i, words[:1]) for i, words in enumerate(stages)))
        self.lay_out()

    def box_widths(self) -> list[float]:
        count = len(self.stages)
        return [(self.width() - 0.01) / max(count, 1)] * count  # a little less than they could: one line holds all

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        word = self.stages[number][0]
        gap = theme.px(GAP_PX) if box.width() > theme.px(12) else 0
        cell = QRectF(box.x(), box.y(), box.width() - gap, theme.px(STRIP_PX))
        color, radius = theme.sequential_color(word.probability / self._full), theme.px(5)
        painter.setPen(theme.color("line"))
        painter.setBrush(color)
        radius = radius if cell.width() > theme.px(20) else 0
        painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if cell.width() >= theme.px(30):
            painter.setFont(theme.font(TYPE_PX if cell.width() > theme.px(WIDE_CELL_PX) else 12))
            painter.setPen(theme.ink_on(color))
            _paint_word(painter, cell, word.token)
        painter.setFont(theme.font(10.5))
        painter.setPen(theme.color("muted"))
        name = str(number) if number else say("emb.")
        if QFontMetrics(painter.font()).horizontalAdvance(name) <= cell.width():
            foot = QRectF(cell.x(), cell.bottom(), cell.width(), theme.px(FOOT_PX))
            painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, name)


class LensTable(LabelledGrid):
    """All masks: rows are stages, columns masks. A click or the arrow keys choose a mask."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, scale=False, largest_px=(1000, HIGHEST_ROW_PX))
        self.guesses: list[Column] = []
        self.baseline: list[Column] = []
        self._is_earlier = self._marks_others = False

    def baseline_guess(self, stage: int, mask: int) -> WordGuess | None:
        """The baseline's likeliest word; None where it has none, or other layers: then only the last is compared."""
        ours, theirs = self.guesses[mask], self.baseline[mask]
        if len(ours) == len(theirs):
            return theirs[stage][0]
        return theirs[-1][0] if theirs and stage == len(ours) - 1 else None

    def set_columns(
        self,
        masks: Sequence[str],
        guesses: list[Column],
        baseline: list[Column] | None = None,
        *,
        earlier: bool = False,
        marks_others: bool = False,
    ) -> None:
        """masks: their names. guesses: of each mask, the likeliest words at each stage. baseline: the same of the
        baseline, empty for a mask that it lacks. earlier: see `baseline_names.is_earlier`. marks_others: a cell with
        another word than the baseline's is framed."""
        self.guesses, self.baseline = guesses, baseline or [[] for _ in guesses]
        self._is_earlier, self._marks_others = earlier, marks_others
        stages = len(guesses[0])
        best = np.array([[column[stage][0].probability for column in guesses] for stage in range(stages)])
        names, full = [stage_name(stage) for stage in range(stages)], max(float(best.max()), LEAST_SCALE)
        self.set_grid(best, Labels(names), Labels(list(masks)), 0, full)
        last = (f"{mask}: {column[-1][0].token}" for mask, column in zip(masks, guesses, strict=True))
        self.setAccessibleDescription(", ".join(last))
        may_be_high = stages <= MANY_ROWS and not theme.is_projector()
        rows = theme.px(ROW_PX if may_be_high else LOW_ROW_PX) * stages
        self.setMinimumHeight(round(self.grid_rect().y()) + rows + theme.px(6))

    def description(self, cell: tuple[int, int] | None) -> str:
        """The likeliest words in a cell, for the status line."""
        if cell is None:
            return ""
        baseline, now = self.baseline_guess(*cell), describe(cell[0], self.guesses[cell[1]][cell[0]])
        if baseline is None:
            return now
        probability = numbers.decimal(baseline.probability, 4)
        return say(
            "{now}; with the baseline: {word} {probability}", now=now, word=baseline.token, probability=probability
        )

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        return super().cell_after(cell, key) if ARROWS.get(key, (1, 0))[0] == 0 else None

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        super().paint_cells(painter, rect, raster)
        texts = {(stage, column): self._texts_of(stage, column) for stage, column in np.ndindex(raster.values.shape)}
        first = self.cell_rect(0, 0)
        room = first.width() - theme.px(12)
        painter.setFont(theme.font(min(max(first.height() / theme.scale() * TYPE_SHARE, TYPE_PX), LARGEST_TYPE_PX)))
        if any(painter.fontMetrics().horizontalAdvance(longest) >= room for longest, *_ in texts.values()):
            painter.setFont(theme.font(TYPE_PX))
        width = painter.fontMetrics().horizontalAdvance
        for (stage, column), either in texts.items():
            cell, baseline = self.cell_rect(stage, column), self.baseline_guess(stage, column)
            ink = theme.ink_on(raster.image.pixelColor(column, stage))
            if self._marks_others and baseline is not None and baseline.token != self.guesses[column][stage][0].token:
                painter.setPen(QPen(ink, theme.stroke(1.4)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(cell.adjusted(5, 5, -5, -5))
            painter.setPen(ink)
            _paint_word(painter, cell, next((text for text in either if width(text) < room), either[-1]))

    def _texts_of(self, stage: int, column: int) -> list[str]:
        """What a cell says, the longest first; the last one is shown even where it is too long."""
        guess, baseline = self.guesses[column][stage][0], self.baseline_guess(stage, column)
        texts = [f"{guess.token}  {numbers.probability(guess.probability)}", guess.token]
        if baseline is None:
            return texts
        each = (f"{quoted(one.token)} {numbers.probability(one.probability, fine=True)}" for one in (guess, baseline))
        return [f"{next(each)}  ({beside(next(each), self._is_earlier)})", *texts]

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(230), self.minimumHeight())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


def highest(lens: MaskLens) -> float:
    """The probability of the strongest colour for these masks."""
    return max(max(words[0].probability for stage in lens.words for words in stage), LEAST_SCALE)


def describe(stage: int, words: Sequence[WordGuess]) -> str:
    """The words and their probabilities."""
    listed = ", ".join(f"{word.token} {numbers.decimal(word.probability, 4)}" for word in words)
    return f"{stage_name(stage)}: {listed}"


def _paint_word(painter: QPainter, rect: QRectF, word: str) -> None:
    shown = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, int(rect.width()) - theme.px(6))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)
