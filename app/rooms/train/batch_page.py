"""What went in: any step's batch of a run as the model read it, with the losses and answers of a snapshot."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from ...compute.batches import BatchReader, Drawn, ShownBatch, ShownExamples
from ...compute.example_batches import ExampleReader
from ...compute.question import Question, ReportOrCancel
from ...look import numbers, theme
from ...look.say import say
from ...runs.run_info import RunInfo
from ...widgets.card import button, label, scrolled
from ...widgets.charts.bars import ROW_PX, Bar, BarList
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import hbox, vbox
from ...widgets.linked_text import LinkedText
from ...widgets.progress_line import ProgressLine
from .batch_map import BatchMap
from .batch_text import LEGEND, TASK_LEGEND, BatchLegend, SequenceText
from .batch_words import about_pair, about_token, about_weights
from .labels_column import LabelsColumn
from .ordered_bars import OrderedBar, OrderedBars
from .task_words import said

MAP_PX, DRAWN_PX, TEXT_PX, GUESSES = 150, 215, 136, 4


def read_batch(
    reader: BatchReader | ExampleReader, step: int, snapshot: int | None, progress: ReportOrCancel
) -> ShownBatch:
    return reader.read(step, snapshot, progress)


class BatchPage(QWidget):
    """Asks the worker for a batch when a person looks at it, and for nothing else."""

    question_requested = Signal(object)  # Question
    batch_shown = Signal()  # another, or none

    def __init__(self) -> None:
        super().__init__()
        self._reader: BatchReader | ExampleReader | None = None
        self._info: RunInfo | None = None
        self._snapshots: list[int] = []
        self._step: int | None = None  # None: the newest
        self._taken = 0  # steps that the run is known to have taken, perhaps before its status says so
        self._row = 0
        self._pinned: int | None = None
        self.batch: ShownBatch | None = None
        self.question: Question[ShownBatch] = Question(self, self._on_batch_answered)
        self.draws: Question[Drawn] = Question(self, self._on_draws_answered)
        for question in (self.question, self.draws):
            question.requested.connect(self.question_requested)
        self.question.failed.connect(self._on_question_failed)
        self._build()
        self._connect()

    @property
    def last_step(self) -> int:
        return 0 if self._info is None else max(self._info.status.step, self._taken)

    @property
    def step(self) -> int:
        """The one whose batch is wanted."""
        return self.last_step if self._step is None else self._step

    def shows(self, step: int) -> bool:
        """Whether the batch of this step is there."""
        return self.batch is not None and self.batch.step == step

    @property
    def _most_guesses(self) -> int:
        return GUESSES if not theme.is_projector() else 2

    # --- what the page shows

    def show_run(self, info: RunInfo | None) -> None:
        """Another run: nothing is known of its batches."""
        self._info, self._step, self._row, self._pinned, self._snapshots = info, None, 0, None, []
        self._taken = 0
        if info is None:
            self._reader = None
        else:
            self._reader = ExampleReader(info.path) if info.run_kind.is_task else BatchReader(info.path)
        self.question.clear()
        self.draws.clear()
        self._show_batch(None)
        self._fill_weights()
        self._show_step()

    def show_status(self, info: RunInfo) -> None:
        """The run has gone on: there may be more steps to choose from."""
        self._info = info
        self._show_step()
        self._ask()

    def show_snapshots(self, steps: list[int]) -> None:
        if steps != self._snapshots:
            self._snapshots = list(steps)
            self._fill_weights()

    def show_taken_step(self, step: int) -> None:
        """The batch of a step that the run has just taken."""
        self._taken = max(self._taken, step)
        self.show_step(step)

    def show_step(self, step: int) -> None:
        """The batch of this step, counted from 1."""
        self._step = min(max(step, 1), max(self.last_step, 1))
        self._show_step()
        self._ask()

    # --- building

    def _build(self) -> None:
        self.back = button("‹", lambda: self.show_step(self.step - 1), hint=say("The previous batch (Page Up)"))
        self.on = button("›", lambda: self.show_step(self.step + 1), hint=say("The next batch (Page Down)"))
        self.back.setAccessibleName(say("The previous batch"))
        self.on.setAccessibleName(say("The next batch"))
        self.number = NumberBox(say("Step whose batch is shown"), 1, 1, step=1)
        self.of_steps = label("", "muted")
        self.weights = Choice(say("The snapshot that predicts"))
        self.weights_line = LinkedText()
        self.progress = ProgressLine((self.question,))
        self.map, self.text, self.legend = BatchMap(), SequenceText(), BatchLegend()
        self.map_title = label("", "title")
        self.pair_line = label("", "strong", wrap=True)
        self.truth = label("", "number")
        self.about = LinkedText()
        self.guesses = BarList(say("The model’s first guesses"))
        self.guesses.setFixedHeight(self._most_guesses * theme.px(ROW_PX))
        for key, move in ((Qt.Key.Key_PageUp, -1), (Qt.Key.Key_PageDown, 1)):
            shortcut = QShortcut(QKeySequence(key), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda move=move: self.show_step(self.step + move))
        steps = hbox(
            self.back, label(say("Step"), "strong"), self.number, self.of_steps, self.on, 10,
            label(say("predicted by"), "muted"), self.weights, None, gap_px=6,
        )  # fmt: skip
        lines = scrolled(self.text)
        lines.setMinimumHeight(theme.px(TEXT_PX))
        overview = vbox(self.map_title, (self.map, 1), gap_px=4)
        reading = vbox(self.pair_line, self.legend, (lines, 1), hbox((self._told(), 2), (self.guesses, 3), gap_px=12))
        self._left, self._right = QWidget(), self._drawn_column()
        self._left.setLayout(overview)
        self._left.setFixedWidth(theme.column_px(MAP_PX))
        columns = hbox(self._left, gap_px=14)
        columns.addLayout(reading, 1)
        columns.addWidget(self._right)
        vbox(steps, self.weights_line, self.progress, (columns, 1), parent=self, gap_px=6)

    def _told(self) -> QWidget:
        holder = QWidget()
        vbox(self.truth, self.about, None, parent=holder, gap_px=2)
        return holder

    def _drawn_column(self) -> QWidget:
        holder = QWidget()
        self.drawn_title = label(say("Chosen at random"), "title")
        self.drawn_intro = label("", "muted", wrap=True)
        self.here = OrderedBars(say("This batch: what was chosen at random, and what the settings ask for"))
        self.recent_title = label("", "muted")
        self.recent = OrderedBars(
            say("The batches before it: what was chosen at random, and what the settings ask for")
        )
        self.in_words = label("", "muted", wrap=True)
        vbox(
            self.drawn_title, self.drawn_intro, self.here, 6, self.recent_title, self.recent, 6, self.in_words, None,
            parent=holder, gap_px=4,
        )  # fmt: skip
        self._drawn, self.labels, both = holder, LabelsColumn(), QWidget()
        vbox(self._drawn, self.labels, None, parent=both, gap_px=0)
        column = scrolled(both)
        column.setFixedWidth(theme.column_px(DRAWN_PX))
        return column

    def _connect(self) -> None:
        self.number.valueChanged.connect(lambda value: self.show_step(int(value)))
        self.weights.activated.connect(lambda _index: self._ask())
        self.map.clicked.connect(lambda row, _modifiers: self._choose_row(row))
        self.text.clicked.connect(lambda position, _modifiers: self._pin(position))
        self.text.hovered.connect(self._on_text_hovered)

    # --- asking

    def _ask(self) -> None:
        reader, step, snapshot = self._reader, self.step, self.weights.currentData()
        if reader is None or not self.isVisible() or step < 1:
            return
        self._step = step  # the newest when the page was opened; it stays until a person goes on
        self.question.ask(read_batch, reader, step, snapshot, pause_ms=0)

    def _on_batch_answered(self, batch: ShownBatch) -> None:
        self._show_batch(batch)
        reader, step = self._reader, batch.step
        if not isinstance(reader, BatchReader) or batch.causal:
            self.draws.clear()
        else:
            self.draws.ask(BatchReader.drawn, reader, step, pause_ms=0)

    def _on_question_failed(self) -> None:
        self._show_batch(None)

    # --- drawing

    def _show_step(self) -> None:
        last, step = max(self.last_step, 1), max(self.step, 1)
        self.number.setRange(1, last)
        self.number.show_value(step)
        self.of_steps.setText(say("of {last}", last=numbers.count(last)))
        self.back.setEnabled(step > 1)
        self.on.setEnabled(step < last)

    def _fill_weights(self) -> None:
        chosen = self.weights.currentData()
        self.weights.clear()
        self.weights.addItem(self._newest_before(self.batch), None)
        for step in self._snapshots:
            self.weights.addItem(say("step {step}", step=numbers.count(step)), step)
        self.weights.setCurrentIndex(max(self.weights.findData(chosen), 0) if chosen is not None else 0)

    def _newest_before(self, batch: ShownBatch | None) -> str:
        if batch is None or batch.losses is None or self.weights.currentData() is not None:
            return say("the newest snapshot before it")
        step = numbers.count(batch.losses.snapshot)
        return say("step {step}, the newest before it", step=step)

    def _show_batch(self, batch: ShownBatch | None) -> None:
        self.batch = batch
        self._row = 0 if batch is None else min(self._row, len(batch.ids) - 1)
        for part in (self._left, self.legend, self.text, self.guesses):
            part.setVisible(batch is not None)
        self._right.setVisible(batch is not None and not theme.is_projector())
        self.map.show_batch(batch)
        self.weights_line.setText("" if batch is None else about_weights(batch))
        self.weights_line.setVisible(batch is not None and not theme.is_projector())
        self.weights.setItemText(0, self._newest_before(batch))
        if batch is not None:
            is_example_a_row = batch.task is not None and len(set(batch.task.examples.tolist())) == len(batch.ids)
            rows = len(batch.ids)  # lupdate wants a plain name
            title = say("%n example(s)", n=rows) if is_example_a_row else say("%n sequence(s)", n=rows)
            self.map_title.setText(title)
            self.legend.set_fates(
                TASK_LEGEND if batch.task is not None else () if batch.causal else LEGEND,
                has_tags=batch.task is not None and batch.task.kind == "tag",
            )
            self._drawn.setVisible(batch.task is None)
            self.labels.setVisible(batch.task is not None)
            if batch.task is not None:
                self.labels.show_batch(batch)
        self._show_drawn(None)
        self._choose_row(self._row)
        self.batch_shown.emit()

    def _choose_row(self, row: int) -> None:
        batch, self._row = self.batch, row
        self.map.set_chosen(row)
        self.text.show_sequence(batch, row)
        self.pair_line.setText("" if batch is None else about_pair(batch, row))
        self._pin(None if batch is None else _worst(batch, row))

    def _pin(self, position: int | None) -> None:
        self._pinned = position
        self.text.set_chosen(position)
        self._show_token(position)

    def _on_text_hovered(self, position: int | None) -> None:
        self._show_token(self._pinned if position is None else position)

    def _show_token(self, position: int | None) -> None:
        batch = self.batch
        if batch is None or position is None:
            self.truth.setText("")
            self.about.setText("")
            self.guesses.set_bars([])
            return
        at = self._row, position
        label_id = int(batch.labels[at])
        places = [] if batch.task is None else batch.task.places(*at)
        if batch.task is not None and places and not places[0].what:
            self.truth.setText(said(batch.task.kind, places[0].right))
        else:
            self.truth.setText(batch.words[label_id if label_id >= 0 else int(batch.ids[at])])
        self.about.setText(about_token(batch, *at))
        self.guesses.set_bars(self._guesses(batch, at))

    def _guesses(self, batch: ShownBatch, at: tuple[int, int]) -> list[Bar]:
        losses, right = batch.losses, int(batch.labels[at])
        if batch.task is not None:
            return self._options(batch.task, at)
        if losses is None or right < 0:
            return []
        words = list(zip(losses.guesses[at].tolist(), losses.probabilities[at].tolist(), strict=True))
        words = words[: self._most_guesses]
        if right not in (number for number, _ in words):  # the right word comes last, wherever it ranks
            words[-1:] = [(right, math.exp(-float(losses.losses[at])))]
        mark = say("the right word")
        return [
            Bar(batch.words[number], numbers.percent(share), share, "good" if number == right else "bar",
                number == right, mark if number == right else "")
            for number, share in words
        ]  # fmt: skip

    def _options(self, task: ShownExamples, at: tuple[int, int]) -> list[Bar]:
        """What could be answered at a token. Of an answer that begins and ends there, how it begins."""
        options = next((place.options for place in task.places(*at)), ())
        most = self._most_guesses
        right = [option for option in options[most:] if option.is_right][:most]
        kept = [*options[: most - len(right)], *right]
        return [
            Bar(said(task.kind if task.kind != "span" else "", option.name), numbers.percent(option.probability),
                option.probability, "good" if option.is_right else "bar", option.is_right,
                say("right") if option.is_right else "")
            for option in kept
        ]  # fmt: skip

    # --- what was drawn

    def _on_draws_answered(self, drawn: Drawn) -> None:
        self._show_drawn(drawn)

    def _show_drawn(self, drawn: Drawn | None) -> None:
        parts = (self.recent_title, self.here, self.recent, self.in_words)
        for part in parts:
            part.setVisible(drawn is not None)
        if drawn is None:
            is_causal = self.batch is not None and self.batch.causal
            intro = say("No tokens: in this step each token predicts the next one, and can only look back.")
            self.drawn_intro.setText(intro if is_causal else "")
            return
        self.drawn_intro.setText(say("Bar: what was chosen. Line: what the settings ask for."))
        self.here.set_bars(self._bars(drawn, is_here=True))
        self.recent.set_bars(self._bars(drawn, is_here=False))
        self.recent_title.setText(say("The last %n batch(es)", n=drawn.recent.batches))
        self.in_words.setText(
            say(
                "Some of the words to predict are not hidden: real text has no [MASK], so the model must "
                "not rely on it, and cannot take any word for granted."
            )
        )

    def _bars(self, drawn: Drawn, *, is_here: bool) -> list[OrderedBar]:
        draw = drawn.here if is_here else drawn.recent
        of_tokens, of_chosen, of_pairs = max(draw.ordinary, 1), max(draw.chosen, 1), max(draw.pairs, 1)
        rows = [(say("to predict"), draw.chosen, of_tokens, drawn.mask_share, "mask")]
        fates = (draw.hidden, draw.replaced, draw.kept)
        names = (say("hidden"), say("random word"), say("left as it was"))
        rows += [
            (name, count, of_chosen, share, "mask")
            for name, count, share in zip(names, fates, drawn.fates, strict=True)
        ]
        if draw.pairs and self.batch is not None:
            name = say("B follows A") if self.batch.pairs == "nsp" else say("in order")
            rows.append((name, draw.first, of_pairs, 0.5, "bar_strong"))
        return [
            OrderedBar(
                name,
                f"{numbers.count(count)} · {numbers.percent(count / of)}" if is_here else numbers.percent(count / of),
                count / of,
                ordered,
                color,
            )
            for name, count, of, ordered, color in rows
        ]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for question in (self.question, self.draws):
            question.cancel()


def _worst(batch: ShownBatch, row: int) -> int | None:
    """The token that the model is most wrong at: what one would point at first."""
    chosen = np.flatnonzero(batch.fates[row] > 0)
    if not len(chosen):
        return None
    return int(chosen[0] if batch.losses is None else chosen[np.nanargmax(batch.losses.losses[row][chosen])])
