"""The cards beside a run: what its snapshots make of a text, asked of the worker while somebody looks.

One has the word that each snapshot puts behind a mask; the other, of a run with questions, the heads of the newest one.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHideEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QStyle

from bertcore.analysis.over_time import words_over_time
from bertcore.analysis.predict import WordGuess
from bertcore.tokenizer.special_tokens import MASK

from ....compute.over_time import Heads, heads_over_time
from ....compute.question import Question
from ....look import numbers, say, theme
from ....runs.run_state import RunState, Snapshot
from ....widgets.card import Card, label, scrolled, show_text, tip
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.charts.drawing import Box
from ....widgets.charts.raster import HeadSheet, Raster
from ....widgets.layouts import fill, show_if
from ....widgets.table import RowList

SENTENCE = "Anna asked her [MASK] for help."
ROW_GAP_PX, FONT_PX = 8, 12.5
EARLIER = 3  # snapshots before the newest whose heads are shown
EVEN_FROM = 100  # steps: up to here they are close together, from here on even in the logarithm
HEAD_GAP_PX, LARGEST, LARGEST_PX = 6, (10_000, 10_000), 230


class SnapshotCard(Card):
    """A few snapshots are asked about at a time, so that the worker stays free for someone who types."""

    question_requested = Signal(object)  # Question

    at_once = 1

    def __init__(self, state: RunState, title: str, intro: str) -> None:
        super().__init__(title, intro=intro)
        self._state = state
        self._text = ""
        self._answers: dict[Path, Any] = {}  # None: asked, and the snapshot had no answer
        self._asked: tuple[Path, ...] = ()  # the snapshots that the question is about
        self._question: Question[dict[Path, Any]] = Question(self, self._on_question_answered)
        self._question.requested.connect(self.question_requested)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self._question.status_changed.connect(lambda: show_text(self.problem, self._question.sentence))
        state.run_changed.connect(self.clear)
        state.snapshots_changed.connect(self._on_snapshots_changed)

    def draw(self) -> None:
        """As the answers stand."""
        raise NotImplementedError

    def wanted(self) -> Sequence[Path]:
        """The snapshots to be asked about, the most urgent first."""
        raise NotImplementedError

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        """Asks `_question` for the answers by snapshot; those that are gone or have none are left out."""
        raise NotImplementedError

    def clear(self) -> None:
        """What has been answered counts no more."""
        self._answers = {}
        self._question.clear()
        self.draw()

    def _ask(self) -> None:
        missing = tuple(path for path in self.wanted() if path not in self._answers)[: self.at_once]
        if missing and self.isVisible() and not self._question.is_running:
            self._asked = missing
            self.ask_about(missing)

    def _on_snapshots_changed(self, snapshots: list[Snapshot]) -> None:
        there = {path for _, path in snapshots}
        self._answers = {path: answer for path, answer in self._answers.items() if path in there}
        self.draw()
        self._ask()

    def _on_question_answered(self, answers: dict[Path, Any]) -> None:
        self._answers |= {path: answers.get(path) for path in self._asked}
        self.draw()
        self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._question.cancel()


class WatchCard(SnapshotCard):
    """Hidden for runs that do not learn to predict words."""

    at_once = 4

    def __init__(self, state: RunState) -> None:
        intro = say("What it guessed at each saved step of its training. Type a sentence with a [MASK].")
        super().__init__(state, say("Watch it learn"), intro)
        self._text = SENTENCE
        self.sentence, self.list = QLineEdit(SENTENCE), SnapshotList()
        self.sentence.setCursorPosition(0)  # a long one shows its beginning
        self.sentence.setAccessibleName(say("Sentence with a [MASK] to predict at every snapshot"))
        self.note, self._none = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.note.hide()
        self.area = scrolled(self.list)
        bar = self.area.verticalScrollBar()
        bar.rangeChanged.connect(lambda _least, most: bar.setValue(most))  # the newest step is in sight
        fill(self.body, self.sentence, self.problem, self.note, self._none, (self.area, 1))
        self.sentence.textChanged.connect(self._on_sentence_changed)
        self.draw()

    def draw(self) -> None:
        snapshots = self._state.snapshots
        if list(self.list.rows) != snapshots:
            self.list.set_snapshots(snapshots)
        self._none.setText(  # in place of the list while it is empty
            say("Only the curves of this run were kept. The snapshots of your own runs appear here.")
            if self._state.run.is_built_in
            else say("Snapshots of the run appear here: the model as it was at that step.")
        )
        self._none.setVisible(not snapshots)
        self.list.set_guesses({path: guess for path, guess in self._answers.items() if guess})

    def wanted(self) -> Sequence[Path]:
        return [path for _, path in self._state.snapshots] if MASK in self._text else []

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        self._question.ask(words_over_time, snapshots, self._text, pause_ms=0)

    def _on_sentence_changed(self, text: str) -> None:
        self._text = text
        self.clear()
        masks, no_mask = text.count(MASK), say("Type [MASK] where the model should predict a word.")
        show_text(self.note, no_mask if not masks else say("Only the first [MASK] is predicted.") if masks > 1 else "")
        self._ask()


class SnapshotList(RowList):
    """A row for each snapshot: its step, and the word it puts behind the mask, as dark as it is sure."""

    chosen = Signal(int)  # index

    def __init__(self) -> None:
        super().__init__(say("Snapshots"))
        self._guesses: dict[Path, WordGuess] = {}
        self._chosen: int | None = None
        self.row_chosen.connect(lambda row: self.chosen.emit(self.rows.index(row)))

    def set_snapshots(self, snapshots: list[Snapshot]) -> None:
        self.set_rows(snapshots)
        self.set_chosen(self._chosen)

    def set_chosen(self, index: int | None) -> None:
        self._chosen = index
        self.set_current(index)
        self.viewport().update()

    def set_guesses(self, guesses: dict[Path, WordGuess]) -> None:
        self._guesses = guesses
        self.viewport().update()

    def row_text(self, row: Snapshot) -> str:
        step, guess = numbers.count(row[0]), self._guesses.get(row[1])
        return step if guess is None else say("step {step}: {word}", step=step, word=guess.token)

    def paint_row(self, painter: QPainter, box: QRectF, row: Snapshot, _state: QStyle.StateFlag) -> None:
        (step, path), box = row, box.adjusted(0, 1, 0, -1)
        is_chosen = self._chosen is not None and row == self.rows[self._chosen]
        if is_chosen:
            Box(box, "accent_tint", radius_px=theme.px(5)).paint(painter)
        guess, gap, text = self._guesses.get(path), theme.px(ROW_GAP_PX), numbers.count(step)
        if row == self.rows[-1] and guess is None:
            text = say("{step} · newest", step=text)
        theme.draw_text(painter, box.adjusted(gap, 0, 0, 0), text, "ink" if is_chosen else "muted", FONT_PX)
        if guess is not None:
            width = QFontMetricsF(theme.font(FONT_PX)).horizontalAdvance
            steps_px = max(width(numbers.count(each)) for each, _ in self.rows)
            tile, color = (
                box.adjusted(steps_px + 2 * gap, 1, -theme.px(2), -1),
                theme.sequential_color(guess.probability),
            )
            Box(tile, color, radius_px=theme.px(4)).paint(painter)
            inner, number = tile.adjusted(gap, 0, -gap, 0), numbers.probability(guess.probability)
            theme.draw_text(painter, inner, number, theme.ink_on(color), FONT_PX, align=theme.RIGHT)
            word = inner.adjusted(0, 0, -width(f"  {number}"), 0)
            theme.draw_text(painter, word, guess.token, theme.ink_on(color), FONT_PX)


def milestones(snapshots: Sequence[Snapshot], count: int) -> list[Snapshot]:
    """At most `count`: the first, the last, and those between that are nearest to even distances in log(100 + step)."""
    if len(snapshots) <= count:
        return list(snapshots)
    places = [math.log(EVEN_FROM + step) for step, _ in snapshots]
    wanted = [places[0] + (places[-1] - places[0]) * number / (count - 1) for number in range(count)]
    nearest = {min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted}
    return [snapshots[i] for i in sorted(nearest)]


class HeadsCard(SnapshotCard):
    """Of a run that answers questions: the heads of its newest snapshot, and how they looked at earlier ones.

    The newest is asked about first.
    """

    head_chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self, state: RunState) -> None:
        intro = say(
            "Row: the token that looks. Column: what it looks at. Both in the order of the text. Stronger colour: more."
        )
        super().__init__(state, say("Its attention"), "" if theme.is_projector() else intro)
        self._step: int | None = None  # up to which snapshots are shown; None: all
        self.now_label, self.now = label("", "strong", wrap=True), HeadsPicture(with_names=True)
        self._earlier_title = label(say("Before"), "strong")
        self.earlier = [HeadsPicture(with_names=False) for _ in range(EARLIER)]
        self.earlier_labels = [label("", "muted") for _ in range(EARLIER)]
        self._none = label(say("The first picture appears when the run has begun."), "muted", wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(8))
        grid.setVerticalSpacing(theme.px(2))
        self.now.setMaximumWidth(theme.px(LARGEST_PX))  # they are as high as they are wide
        for column, (picture, words) in enumerate(zip(self.earlier, self.earlier_labels, strict=True)):
            picture.setMaximumWidth(theme.px(LARGEST_PX / EARLIER))
            grid.addWidget(words, 0, column)
            grid.addWidget(picture, 1, column)
            grid.setColumnStretch(column, 1)
        fill(self.body, self._none, self.problem, self.now_label, self.now, 4, self._earlier_title, grid, None)
        for picture in (self.now, *self.earlier):
            picture.chosen.connect(self.head_chosen)
        self.draw()

    @property
    def shown(self) -> list[Snapshot]:
        """The snapshots on show, the oldest first."""
        reached = [one for one in self._state.snapshots if self._step is None or one[0] <= self._step]
        return milestones(reached, EARLIER + 1) if not theme.is_projector() else reached[-1:]

    def clear(self) -> None:
        """Another run reads another text, which comes next."""
        self._step, self._text = None, ""
        super().clear()

    def show_text(self, text: str) -> None:
        """Another text that the heads read; what is on show stays until they have."""
        if text != self._text:
            self._text, self._answers = text, {}
            self._question.clear()
            self._ask()

    def show_step(self, step: int | None) -> None:
        """As the model was at this step; None: the newest."""
        if step != self._step:
            self._step = step
            self.draw()
            self._ask()

    def wanted(self) -> Sequence[Path]:
        return [path for _, path in reversed(self.shown)] if self._text else []

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        self._question.ask(heads_over_time, snapshots, self._text, pause_ms=0)

    def draw(self) -> None:
        ready = [(step, heads) for step, path in self.shown if (heads := self._answers.get(path)) is not None]
        show_if(bool(ready), self.now_label, self.now)
        self._none.setVisible(not ready and not self.problem.text())
        if ready:
            step, heads = ready[-1]
            at, text = numbers.count(step), say("At step {step}", step=numbers.count(step))
            if self._step is not None and step < self._step:
                text = say("At step {step}, last saved before {shown}", step=at, shown=numbers.count(self._step))
            self.now_label.setText(text)
            self.now.show_heads(heads)
        self._earlier_title.setVisible(len(ready) > 1)
        for number, (picture, words) in enumerate(zip(self.earlier, self.earlier_labels, strict=True)):
            is_there = number < len(ready) - 1
            show_if(is_there, words, picture)
            if is_there:
                words.setText(say("step {step}", step=numbers.count(ready[number][0])))
                picture.show_heads(ready[number][1])


class HeadsPicture(LabelledGrid):
    """All heads of a small model: rows are layers, columns heads. Of a single head, rows and columns are tokens.

    One scale for all heads and all pictures, from 0 (pale) to 1 (dark).
    """

    chosen = Signal(int, int)  # layer, head, from 0
    arrows_click = False

    def __init__(self, *, with_names: bool) -> None:
        """with_names: of rows and columns."""
        super().__init__(
            say("Attention heads: rows look, columns are looked at"), square=True, scale=False, largest_px=LARGEST
        )
        self.setToolTip(
            tip(say("Row: what looks. Column: what it looks at. Stronger colour: more. Click to open Attend."))
        )
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._with_names = with_names
        self._sheet: HeadSheet | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.clicked.connect(lambda cell: self.chosen.emit(*(cell if self._sheet is not None else (0, 0))))

    def show_heads(self, heads: Heads) -> None:
        layers, count = heads.attentions.shape[:2]
        self._sheet, values = None, heads.attentions[0, 0]
        rows = columns = list(heads.labels)
        if (layers, count) != (1, 1):
            self._sheet = HeadSheet(heads.attentions, same_scale=True)
            values = np.zeros((layers, count), np.float32)
            rows, columns = ([str(number + 1) for number in range(of)] for of in (layers, count))
        if not self._with_names:
            rows, columns = [""] * len(rows), [""] * len(columns)
        self.set_grid(values, Labels(rows), Labels(columns), 0, 1)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        if self._sheet is None:
            super().paint_cells(painter, rect, raster)
            return
        painter.fillRect(rect, theme.color("card"))
        gap = theme.px(HEAD_GAP_PX) / 2
        for layer, head in np.ndindex(raster.values.shape):
            cell = self.cell_rect(layer, head).adjusted(gap, gap, -gap, -gap)
            self._sheet.paint(painter, cell, layer, head)
            painter.setPen(theme.color("line"))
            painter.drawRect(cell)

    def heightForWidth(self, width: int) -> int:
        left, above = self._label_sizes()
        rows, columns = max(len(self.rows.texts), 1), max(len(self.columns.texts), 1)
        return round(above + rows * max(width - left - self.right_px, 1) / columns) + theme.px(4)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), self.heightForWidth(theme.px(120)))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(40), self.heightForWidth(theme.px(40)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(event.size().width()))

    def _label_sizes(self) -> tuple[float, float]:
        return super()._label_sizes() if self._with_names else (1.0, 1.0)
