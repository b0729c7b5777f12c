"""What each layer would predict at the masks, as coloured cells: a strip for one mask, a table for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, theme
from ...look.say import quoted, say
from ...state.baseline_names import beside
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.pointer import ARROWS, PointerWidget
from ...widgets.charts.raster import Raster
from .view import stage_name

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess

    from ...compute.masks import MaskLens

Column = list[list["WordGuess"]]  # [stage], likeliest first
STRIP_PX, FOOT_PX, GAP_PX = 26, 15, 3
ROW_PX, LOW_ROW_PX, MANY_ROWS, HIGHEST_ROW_PX = 38, 24, 13, 84  # on the projector all rows may be low
TYPE_PX, LARGEST_TYPE_PX, TYPE_SHARE = 13, 19, 0.32  # in a cell, as large as its height allows
WIDE_CELL_PX = 80  # of the strip
LEAST_SCALE = 0.01  # what is hardly likely anywhere stays pale


class LensStrip(PointerWidget):
    """One mask: a cell for each stage, from left to right, with the likeliest word where it fits."""

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.px(STRIP_PX + FOOT_PX))
        self._stages: Column = []
        self._full = 1.0

    @property
    def words(self) -> list[str]:
        """The likeliest at each stage."""
        return [words[0].token for words in self._stages]

    def set_stages(self, stages: Column, full: float) -> None:
        """full: the probability of the strongest colour."""
        self._stages, self._full = stages, full
        self.setAccessibleDescription(", ".join(describe(i, words[:1]) for i, words in enumerate(stages)))
        self.update()

    def description(self, stage: int | None) -> str:
        """The likeliest words at a stage, for the status line."""
        return "" if stage is None else describe(stage, self._stages[stage])

    def cell_at(self, point: QPointF) -> int | None:
        stage = int(point.x() / max(self.width(), 1) * len(self._stages))
        return stage if 0 <= stage < len(self._stages) else None

    def cell_rect(self, stage: int) -> QRectF:
        width = self.width() / max(len(self._stages), 1)
        gap = theme.px(GAP_PX) if width > theme.px(12) else 0
        return QRectF(stage * width, 0, width - gap, theme.px(STRIP_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for stage, words in enumerate(self._stages):
            rect = self.cell_rect(stage)
            color = theme.sequential_color(words[0].probability / self._full)
            painter.setPen(theme.color("line"))
            painter.setBrush(color)
            radius = theme.px(5) if rect.width() > theme.px(20) else 0
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            if rect.width() >= theme.px(30):
                painter.setFont(theme.font(TYPE_PX if rect.width() > theme.px(WIDE_CELL_PX) else 12))
                painter.setPen(theme.ink_on(color))
                _paint_word(painter, rect, words[0].token)
            painter.setFont(theme.font(10.5))
            painter.setPen(theme.color("muted"))
            name = str(stage) if stage else say("emb.")
            foot = QRectF(rect.x(), rect.bottom(), rect.width(), theme.px(FOOT_PX))
            if QFontMetrics(painter.font()).horizontalAdvance(name) <= foot.width():
                painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, name)


class LensTable(LabelledGrid):
    """All masks: rows are stages, columns masks. A click or the arrow keys choose a mask."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, scale=False, largest_px=(1000, HIGHEST_ROW_PX))
        self.guesses: list[Column] = []
        self.before: list[Column] = []
        self._is_earlier = self._marks_others = False

    def guess_before(self, stage: int, mask: int) -> WordGuess | None:
        """The baseline's likeliest word; None where it has none, or other layers: then only the last is compared."""
        ours, theirs = self.guesses[mask], self.before[mask]
        if len(ours) == len(theirs):
            return theirs[stage][0]
        return theirs[-1][0] if theirs and stage == len(ours) - 1 else None

    def set_columns(
        self,
        masks: Sequence[str],
        guesses: list[Column],
        before: list[Column] | None = None,
        *,
        earlier: bool = False,
        marks_others: bool = False,
    ) -> None:
        """masks: their names. guesses: of each mask, the likeliest words at each stage. before: the baseline's, empty
        for a mask that it lacks. earlier: see `baseline_names.is_earlier`. marks_others: a cell with another word than
        the baseline's is framed."""
        self.guesses, self.before = guesses, before or [[] for _ in guesses]
        self._is_earlier, self._marks_others = earlier, marks_others
        stages = len(guesses[0])
        best = np.array([[column[stage][0].probability for column in guesses] for stage in range(stages)])
        names, full = [stage_name(stage) for stage in range(stages)], max(float(best.max()), LEAST_SCALE)
        self.set_grid(best, Labels(names), Labels(list(masks)), 0, full)
        last = [f"{mask}: {column[-1][0].token}" for mask, column in zip(masks, guesses, strict=True)]
        self.setAccessibleDescription(", ".join(last))
        may_be_high = stages <= MANY_ROWS and not theme.is_projector()
        rows = theme.px(ROW_PX if may_be_high else LOW_ROW_PX) * stages
        self.setMinimumHeight(round(self.grid_rect().y()) + rows + theme.px(6))

    def description(self, cell: tuple[int, int] | None) -> str:
        """The likeliest words in a cell, for the status line."""
        if cell is None:
            return ""
        before, now = self.guess_before(*cell), describe(cell[0], self.guesses[cell[1]][cell[0]])
        text = say("{now}; with the baseline: {word} {probability}")
        chance = "" if before is None else numbers.decimal(before.probability, 4)
        return now if before is None else text.format(now=now, word=before.token, probability=chance)

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        return super().cell_after(cell, key) if ARROWS.get(key, (1, 0))[0] == 0 else None

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        super().paint_cells(painter, rect, raster)
        cells = {(stage, column): self._words_in(stage, column) for stage, column in np.ndindex(raster.values.shape)}
        first = self.cell_rect(0, 0)
        room = first.width() - theme.px(12)
        size = min(max(first.height() / theme.scale() * TYPE_SHARE, TYPE_PX), LARGEST_TYPE_PX)
        painter.setFont(theme.font(size))
        if any(painter.fontMetrics().horizontalAdvance(texts[0]) >= room for texts in cells.values()):
            painter.setFont(theme.font(TYPE_PX))
        width = painter.fontMetrics().horizontalAdvance
        for (stage, column), texts in cells.items():
            cell, before = self.cell_rect(stage, column), self.guess_before(stage, column)
            ink = theme.ink_on(raster.image.pixelColor(column, stage))
            if self._marks_others and before is not None and before.token != self.guesses[column][stage][0].token:
                painter.setPen(QPen(ink, theme.stroke(1.4)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(cell.adjusted(5, 5, -5, -5))
            painter.setPen(ink)
            _paint_word(painter, cell, next((text for text in texts if width(text) < room), texts[-1]))

    def _words_in(self, stage: int, column: int) -> list[str]:
        """What a cell says, the longest first; the last one is shown even where it is too long."""
        guess, before = self.guesses[column][stage][0], self.guess_before(stage, column)
        texts = [f"{guess.token}  {numbers.probability(guess.probability)}", guess.token]
        if before is not None:
            ours, theirs = (
                f"{quoted(one.token)} {numbers.probability(one.probability, fine=True)}" for one in (guess, before)
            )
            texts.insert(0, f"{ours}  ({beside(theirs, self._is_earlier)})")
        return texts

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
