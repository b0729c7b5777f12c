"""What went in: any step's batch of a run as the model read it, with the losses and answers of a snapshot."""

import math
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from ....compute.batches import BatchReader, Drawn, ExampleBatchReader, ShownBatch, ShownExamples, TextBatchReader
from ....compute.question import Question, ReportOrCancel
from ....look import numbers, say, theme
from ....runs.run_state import RunState
from ....widgets.card import button, label, scrolled, show_text
from ....widgets.charts.bars import ROW_PX, Bar, BarList
from ....widgets.controls import Choice, NumberBox
from ....widgets.layouts import hbox, held, show_if, vbox
from ....widgets.linked_text import LinkedText
from ....widgets.progress_line import ProgressLine
from .picture import BatchLegend, BatchMap, SequenceText
from .sentences import about_examples, about_sequence, about_tags, about_token, about_weights, answer_name

MOST = 12  # right answers; the most frequent ones
MAP_PX, CHANCE_PX, TEXT_PX, GUESSES, GUESSES_ON_PROJECTOR = 150, 215, 120, 4, 2


def read_batch(reader: BatchReader, step: int, snapshot: int | None, progress: ReportOrCancel) -> ShownBatch:
    return reader.read(step, snapshot, progress)


class BatchPage(QWidget):
    """Asks the worker for a batch when a person looks at it, and for nothing else."""

    question_requested = Signal(object)  # Question
    batch_shown = Signal()  # another, or none

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        self._reader: BatchReader | None = None
        self._step: int | None = None  # None: the newest
        self._taken = 0  # steps that the run is known to have taken, perhaps before its status says so
        self._row = 0
        self._pinned: int | None = None
        self.batch: ShownBatch | None = None
        self.question: Question[ShownBatch] = Question(self, self._on_batch_answered)
        self.draws: Question[Drawn] = Question(self, self._on_draws_answered)
        for question in (self.question, self.draws):
            question.requested.connect(self.question_requested)
        self.question.failed.connect(lambda: self._show_batch(None))
        self._most_guesses = GUESSES_ON_PROJECTOR if theme.is_projector() else GUESSES
        self.back = button("‹", partial(self._go, -1), hint=say("The previous batch (Page Up)"))
        self.on = button("›", partial(self._go, 1), hint=say("The next batch (Page Down)"))
        self.back.setAccessibleName(say("The previous batch"))
        self.on.setAccessibleName(say("The next batch"))
        self.number = NumberBox(say("Step whose batch is shown"), 1, 1, step=1)
        self.of_steps, self.map_title = label("", "muted"), label("", "title")
        self.weights, self.weights_line = Choice(say("The snapshot that predicts"), chosen=self._ask), LinkedText()
        self.progress = ProgressLine((self.question,))
        self.map, self.text, self.legend, self.chance = BatchMap(), SequenceText(), BatchLegend(), ChanceColumn()
        self.sequence_line, self.truth = label("", "strong", wrap=True), label("", "number")
        self.about, self.guesses = LinkedText(), BarList(say("The model’s first guesses"))
        self.guesses.setFixedHeight(self._most_guesses * theme.row_px(ROW_PX))
        for key, move in ((Qt.Key.Key_PageUp, -1), (Qt.Key.Key_PageDown, 1)):
            shortcut = QShortcut(QKeySequence(key), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(partial(self._go, move))
        predicted_by = label(say("predicted by"), "muted")
        steps = hbox(
            *(self.back, label(say("Step"), "strong"), self.number, self.of_steps, self.on, 10),
            *(predicted_by, self.weights, None),
            gap_px=6,
        )
        lines = scrolled(self.text)
        lines.setMinimumHeight(theme.px(TEXT_PX))
        self._left = held(vbox(self.map_title, (self.map, 1), gap_px=4))
        self._left.setFixedWidth(theme.column_px(MAP_PX))
        chosen = held(vbox(self.truth, self.about, None, gap_px=2))
        reading = vbox(self.sequence_line, self.legend, (lines, 1), hbox((chosen, 2), (self.guesses, 3), gap_px=12))
        self._right = scrolled(self.chance)
        self._right.setFixedWidth(theme.column_px(CHANCE_PX))
        columns = hbox(self._left, (reading, 1), self._right, gap_px=14)
        vbox(steps, self.weights_line, self.progress, (columns, 1), parent=self, gap_px=6)
        self.number.valueChanged.connect(lambda value: self.show_step(int(value)))
        self.map.clicked.connect(lambda row, _modifiers: self.show_row(row))
        self.text.clicked.connect(lambda position, _modifiers: self._pin(position))
        self.text.hovered.connect(lambda position: self._show_token(self._pinned if position is None else position))
        state.run_changed.connect(self._on_run_changed)
        state.snapshots_changed.connect(self._fill_weights)
        self._fill_weights()
        self._show_batch(None)

    @property
    def last_step(self) -> int:
        return max(self._state.run.status.step, self._taken)

    @property
    def step(self) -> int:
        """The one whose batch is wanted."""
        return self.last_step if self._step is None else self._step

    def shows(self, step: int) -> bool:
        """Whether the batch of this step is there."""
        return self.batch is not None and self.batch.step == step

    # --- what the page shows

    def _on_run_changed(self) -> None:
        """Nothing is known of its batches."""
        run, self._step, self._row, self._pinned, self._taken = self._state.run, None, 0, None, 0
        self._reader = None
        if self._state.selected is not None:
            self._reader = ExampleBatchReader(run.path) if run.run_kind.is_task else TextBatchReader(run.path)
        self.question.clear()
        self.draws.clear()
        self._show_batch(None)
        self._fill_weights()
        self._show_step()

    def show_status(self) -> None:
        """The run has gone on: there may be more steps to choose from."""
        self._show_step()
        self._ask()

    def show_taken_step(self, step: int) -> None:
        """The batch of a step that the run has just taken."""
        self._taken = max(self._taken, step)
        self.show_step(step)

    def show_step(self, step: int) -> None:
        """The batch of this step, counted from 1."""
        self._step = min(max(step, 1), max(self.last_step, 1))
        self._show_step()
        self._ask()

    def _go(self, steps: int) -> None:
        self.show_step(self.step + steps)

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
        if not isinstance(reader, TextBatchReader) or batch.causal:
            self.draws.clear()
        else:
            self.draws.ask(TextBatchReader.drawn, reader, step, pause_ms=0)

    def _on_draws_answered(self, drawn: Drawn) -> None:
        if self.batch is not None:
            self.chance.show_batch(self.batch, drawn)

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
        for step, _ in self._state.snapshots:
            self.weights.addItem(say("step {step}", step=numbers.count(step)), step)
        self.weights.setCurrentIndex(max(self.weights.findData(chosen), 0) if chosen is not None else 0)

    def _newest_before(self, batch: ShownBatch | None) -> str:
        if batch is None or batch.losses is None or self.weights.currentData() is not None:
            return say("the newest snapshot before it")
        return say("step {step}, the newest before it", step=numbers.count(batch.losses.snapshot))

    def _show_batch(self, batch: ShownBatch | None) -> None:
        self.batch = batch
        self._row = 0 if batch is None else min(self._row, len(batch.ids) - 1)
        show_if(batch is not None, self._left, self.legend, self.text, self.guesses)
        show_if(batch is not None and not theme.is_projector(), self._right, self.weights_line)
        self.map.show_batch(batch)
        self.weights_line.setText("" if batch is None else about_weights(batch))
        self.weights.setItemText(0, self._newest_before(batch))
        if batch is not None:
            rows = len(batch.ids)
            is_example_a_row = batch.task is not None and len(set(batch.task.examples.tolist())) == rows
            self.map_title.setText(say("%n example(s)", n=rows) if is_example_a_row else say("%n sequence(s)", n=rows))
            self.legend.show_batch(batch)
            self.chance.show_batch(batch)
        self.show_row(self._row)
        self.batch_shown.emit()

    def show_row(self, row: int) -> None:
        """One sequence of the batch, and the token in it that one would point at first."""
        batch, self._row = self.batch, row
        self.map.select(row)
        self.text.show_sequence(batch, row)
        self.sequence_line.setText("" if batch is None else about_sequence(batch, row))
        worst = None  # the token that the model is most wrong at: what one would point at first
        if batch is not None and len(chosen := np.flatnonzero(batch.fates[row] > 0)):
            worst = int(chosen[0] if batch.losses is None else chosen[np.nanargmax(batch.losses.losses[row][chosen])])
        self._pin(worst)

    def _pin(self, position: int | None) -> None:
        self._pinned = position
        self.text.select(position)
        self._show_token(position)

    def _show_token(self, position: int | None) -> None:
        batch, at = self.batch, (self._row, position or 0)
        truth, about, guesses = "", "", list[Bar]()
        if batch is not None and position is not None:
            label_id = int(batch.labels[at])  # the word to predict, or its answer; else the token itself
            truth = batch.words[label_id if label_id >= 0 else int(batch.ids[at])]
            if batch.task is not None and (place := next(iter(batch.task.places(*at)), None)) and not place.what:
                truth = answer_name(batch.task.kind, place.right)
            about, guesses = about_token(batch, *at), _guesses(batch, at, self._most_guesses)
        self.truth.setText(truth)
        self.about.setText(about)
        self.guesses.set_bars(guesses)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for question in (self.question, self.draws):
            question.cancel()


def _guesses(batch: ShownBatch, at: tuple[int, int], most: int) -> list[Bar]:
    """The likeliest answers at a token, with the right one among them; where an answer begins and ends at one token,
    how it begins."""
    losses, right, sign = batch.losses, int(batch.labels[at]), say("the right word")
    options: list[tuple[str, float, bool]] = []
    if batch.task is not None:
        kind, sign = "" if batch.task.kind == "span" else batch.task.kind, say("right")
        found = next((place.options for place in batch.task.places(*at)), ())
        options = [(answer_name(kind, each.name), each.probability, each.is_right) for each in found]
    elif losses is not None and right >= 0:
        both = zip(losses.guesses[at].tolist(), losses.probabilities[at].tolist(), strict=True)
        options = [(batch.words[number], share, number == right) for number, share in both]
        if not any(is_right for _, _, is_right in options):
            options.append((batch.words[right], math.exp(-float(losses.losses[at])), True))
    last = [option for option in options[most:] if option[2]][:most]  # the right one comes last, wherever it ranks
    return [
        Bar(name, numbers.percent(share), share, "good" if is_right else "bar", is_right, sign if is_right else "")
        for name, share, is_right in (*options[: most - len(last)], *last)
    ]


class ChanceColumn(QWidget):
    """Beside a batch. Of plain text it also shows the batches before, in which shares come nearer to what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.intro = label("", "title"), label("", "muted", wrap=True)
        self.here, self.recent = BarList(""), BarList("")
        self.note, self.words = label("", "muted", wrap=True), label("", "muted", wrap=True)
        vbox(self.title, self.intro, self.here, 6, self.note, self.recent, self.words, None, parent=self, gap_px=4)

    def show_batch(self, batch: ShownBatch, drawn: Drawn | None = None) -> None:
        """drawn: of plain text, once it has been counted."""
        if batch.task is not None:
            self._show_answers(batch, batch.task)
            return
        intro = say("Bar: what was chosen. Line: what the settings ask for.") if drawn else ""
        if batch.causal:
            intro = say("No tokens: in this step each token predicts the next one, and can only look back.")
        self._show(say("Chosen at random"), intro)
        if drawn is None or batch.causal:
            return
        self.here.setAccessibleName(say("This batch: what was chosen at random, and what the settings ask for"))
        self.recent.setAccessibleName(
            say("The batches before it: what was chosen at random, and what the settings ask for")
        )
        words = say(
            "Some of the words to predict are not hidden: real text has no [MASK], so the model must "
            "not rely on it, and cannot take any word for granted."
        )
        note = say("The last %n batch(es)", n=drawn.recent["batches"])
        self._show(self.title.text(), intro, _drawn_bars(drawn, batch.pairs), note, words)
        self.recent.set_bars(_drawn_bars(drawn, batch.pairs, is_here=False))
        self.recent.show()
        self.words.setContentsMargins(0, theme.gap_px(6), 0, 0)

    def _show_answers(self, batch: ShownBatch, task: ShownExamples) -> None:
        labels = sorted(task.labels, key=lambda each: -each.share_of_all)[:MOST]
        intro = say("Bar: this batch. Line: all examples.") if labels else say("The answers are numbers, not labels.")
        bars = [
            Bar(
                answer_name(task.kind, each.name),
                f"{numbers.count(each.count)} · {numbers.percent(each.share)}",
                each.share,
                "bar_strong",
                before=each.share_of_all,
            )
            for each in labels
        ]
        self.here.setAccessibleName(say("Right answers in this batch, and in all examples"))
        tags = about_tags([str(each.name) for each in task.labels]) if task.kind == "tag" else ""
        self._show(say("Right answers"), intro, bars, tags, about_examples(batch, task))

    def _show(self, title: str, intro: str, bars: list[Bar] | None = None, note: str = "", words: str = "") -> None:
        self.here.set_bars(bars or [])
        self.here.setVisible(bars is not None)
        self.recent.hide()
        self.words.setContentsMargins(0, 0, 0, 0)
        for line, text in ((self.title, title), (self.intro, intro), (self.note, note), (self.words, words)):
            show_text(line, text)


def _drawn_bars(drawn: Drawn, pairs: str, *, is_here: bool = True) -> list[Bar]:
    draw = drawn.here if is_here else drawn.recent
    hidden, replaced, kept = drawn.fates
    rows = [
        (say("to predict"), draw["chosen"], draw["ordinary"], drawn.mask_share, "mask"),
        (say("hidden"), draw["hidden"], draw["chosen"], hidden, "mask"),
        (say("random word"), draw["replaced"], draw["chosen"], replaced, "mask"),
        (say("left as it was"), draw["kept"], draw["chosen"], kept, "mask"),
    ]
    if draw["pairs"]:
        name = say("B follows A") if pairs == "nsp" else say("in order")
        rows.append((name, draw["first"], draw["pairs"], 0.5, "bar_strong"))
    bars = []
    for name, count, of, ordered, color in rows:
        share = count / max(of, 1)
        number = f"{numbers.count(count)} · {numbers.percent(share)}" if is_here else numbers.percent(share)
        bars.append(Bar(name, number, share, color, before=ordered))
    return bars
