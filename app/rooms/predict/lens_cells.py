"""What each layer would predict at the masks, as coloured cells: a strip for one mask, a table for all of them."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from bertcore.analysis.predict import WordGuess

from ...look import numbers, theme
from ...state.baseline_names import beside
from ...widgets.labelled_grid import LabelledGrid, Labels
from ...widgets.pointer import ARROWS, PointerWidget
from ...widgets.raster import Raster
from .view import stage_name

Column = list[list[WordGuess]]  # [stage], likeliest first
STRIP_PX, FOOT_PX, GAP_PX = 26, 15, 3
ROW_PX, LOW_ROW_PX, MANY_ROWS, HIGHEST_ROW_PX = 38, 24, 13, 84


class LensStrip(PointerWidget):
    """One mask: a cell for each stage, from left to right, with the likeliest word where it fits."""

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.px(STRIP_PX + FOOT_PX))
        self._stages: Column = []

    @property
    def words(self) -> list[str]:
        """The likeliest at each stage."""
        return [words[0].token for words in self._stages]

    def set_stages(self, stages: Column) -> None:
        self._stages = stages
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
            color = theme.sequential_color(words[0].probability)
            painter.setPen(theme.color("line"))
            painter.setBrush(color)
            radius = theme.px(5) if rect.width() > theme.px(20) else 0
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            if rect.width() >= theme.px(30):
                painter.setFont(theme.font(12))
                painter.setPen(theme.ink_on(color))
                _paint_word(painter, rect, words[0].token)
            painter.setFont(theme.font(10.5))
            painter.setPen(theme.color("muted"))
            name = str(stage) if stage else self.tr("emb.")
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
        self._is_earlier = False

    def guess_before(self, stage: int, mask: int) -> WordGuess | None:
        """The baseline's likeliest word; None where it has none, or other layers: then only the last is compared."""
        ours, theirs = self.guesses[mask], self.before[mask]
        if len(ours) == len(theirs):
            return theirs[stage][0]
        return theirs[-1][0] if theirs and stage == len(ours) - 1 else None

    def set_columns(
        self, masks: Sequence[str], guesses: list[Column], before: list[Column] | None = None, *, earlier: bool = False
    ) -> None:
        """masks: their names. guesses: of each mask, the likeliest words at each stage. before: the baseline's, empty
        for a mask that it lacks. earlier: see `baseline_names.is_earlier`."""
        self.guesses, self.before, self._is_earlier = guesses, before or [[] for _ in guesses], earlier
        stages = len(guesses[0])
        best = np.array([[column[stage][0].probability for column in guesses] for stage in range(stages)])
        self.set_grid(best, Labels([stage_name(stage) for stage in range(stages)]), Labels(list(masks)), 0, 1)
        last = [f"{mask}: {column[-1][0].token}" for mask, column in zip(masks, guesses, strict=True)]
        self.setAccessibleDescription(", ".join(last))
        rows = theme.px(ROW_PX if stages <= MANY_ROWS else LOW_ROW_PX) * stages
        self.setMinimumHeight(round(self.grid_rect().y()) + rows + theme.px(6))

    def description(self, cell: tuple[int, int] | None) -> str:
        """The likeliest words in a cell, for the status line."""
        if cell is None:
            return ""
        before, now = self.guess_before(*cell), describe(cell[0], self.guesses[cell[1]][cell[0]])
        text = self.tr("{now}; with the baseline: {word} {probability}")
        chance = "" if before is None else numbers.decimal(before.probability, 4)
        return now if before is None else text.format(now=now, word=before.token, probability=chance)

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        return super().cell_after(cell, key) if ARROWS.get(key, (1, 0))[0] == 0 else None

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        super().paint_cells(painter, rect, raster)
        painter.setFont(theme.font(13))
        metrics = painter.fontMetrics()
        for column, stages in enumerate(self.guesses):
            for stage, words in enumerate(stages):
                cell, guess = self.cell_rect(stage, column), words[0]
                painter.setPen(theme.ink_on(raster.image.pixelColor(column, stage)))
                texts = [f"{guess.token}  {numbers.probability(guess.probability)}", guess.token]
                before = self.guess_before(stage, column)
                if before is not None:
                    theirs = beside(f"{before.token} {numbers.probability(before.probability)}", self._is_earlier)
                    texts.insert(0, f"{texts[0]}  ({theirs})")
                room = cell.width() - theme.px(12)
                _paint_word(painter, cell, next((t for t in texts if metrics.horizontalAdvance(t) < room), texts[-1]))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(230), self.minimumHeight())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


def describe(stage: int, words: Sequence[WordGuess]) -> str:
    """The words and their probabilities."""
    listed = ", ".join(f"{word.token} {numbers.decimal(word.probability, 4)}" for word in words)
    return f"{stage_name(stage)}: {listed}"


def _paint_word(painter: QPainter, rect: QRectF, word: str) -> None:
    shown = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, int(rect.width()) - theme.px(6))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)
