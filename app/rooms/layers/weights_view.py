"""View "Weights": what training changed inside the model, part by part and token by token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.locations import TINY, TUNED, shipped_checkpoint, tuned_models

from ...compute.parameters import Neighbours, TrainingChanges, neighbours, training_changes
from ...figures.figure import Axis, Figure, Numbers, numbers_of
from ...look import numbers, theme
from ...look.bidi import isolated
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...runs.stages import reference_to, start_of
from ...state.baseline import ComparisonOffer, OtherModel
from ...state.baseline_names import baseline_name
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.pages import tab_bar
from ...widgets.progress_line import ProgressLine
from .stages import LayersView

if TYPE_CHECKING:
    from bertcore.analysis.compare import PartChange


PART_NAMES = {  # of `parameter_changes`
    "token": mark("token embeddings"),
    "segment": mark("segment embeddings"),
    "position": mark("position embeddings"),
    "embeddings LayerNorm": mark("embedding LayerNorm"),
    "query": mark("query"),
    "key": mark("key"),
    "value": mark("value"),
    "attention output": mark("output"),
    "feed-forward in": mark("FFN in"),
    "feed-forward out": mark("FFN out"),
    "LayerNorm": mark("LayerNorm"),
    "pooler": mark("pooler (for [CLS])"),
    "word head": mark("word prediction"),
}
REVIEWS = TUNED[0]
SHARE, LENGTH = "share", "length"
CELL_PX = 130, 72  # of a part of a layer, at most
SMALL = 0.0995  # shares below it have a decimal


def part_name(part: PartChange) -> str:
    name = say(PART_NAMES[part.part])
    if part.layer is None:
        return name
    return say("layer {layer}, {part}", layer=part.layer + 1, part=name)


class WeightsView(LayersView):
    """Parts on the left, words on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question = self.add_question(self._on_changes_answered, self.line)
        self.neighbours_question = self.add_question(self._on_neighbours_answered)
        intro = say(
            "Row: a layer. Column: a part of it; FFN is the feed-forward network. Stronger colour: its weights moved "
            "further (percent: of their length before)."
        )
        self.parts_card = Card(say("What did training change?"), intro="" if theme.is_projector() else intro)
        self.words_card = Card(
            say("Which token embeddings moved most?"),
            intro=say(
                "A token’s embedding holds what the model knows about it before reading a text. The number is the L2 "
                "distance that it moved. Click a token: which are near it now, and which were before?"
            ),
        )
        self.parts = LabelledGrid(
            say("How far each part moved: rows are layers, columns are parts"), largest_px=CELL_PX
        )
        self.others = BarList(say("How far the parts outside the layers moved"), may_cut=True)
        self.words = BarList(say("Tokens whose embedding moved most"), clickable=True, may_cut=True)
        names = {
            SHARE: (say("Percent"), say("How far each part moved, as a share of its length before training")),
            LENGTH: (say("Distance", meaning="of weights"), say("The distance itself: large parts move further")),
        }
        self.unit = tab_bar(names, say("Unit"), small=True)
        self.finding, self.near = label("", wrap=True), label("", wrap=True)
        self.from_start = button(
            say("Compare with the start of its training"), self._on_from_start_clicked, look="primary"
        )
        reviews = ComparisonOffer(OtherModel(None), model=REVIEWS)
        self.try_reviews = self.offer_button(say("Try it: before and after learning from film reviews"), reviews)
        first = start_of(shipped_checkpoint(TINY))
        untrained = ComparisonOffer(OtherModel(str(first)), model=TINY)
        self.try_tiny = self.offer_button(say("Try it: {model}, untrained and trained", model=TINY), untrained)
        self._start: Path | None = None  # of the training of the model on show
        self._changes: TrainingChanges | None = None
        self._build()

    def _build(self) -> None:
        explain("parameter_change", self.parts, self.others)
        explain("moved_word", self.words)
        self.parts_card.add_to_header(self.unit)
        self.parts_card.set_figure(self._parts_figure)
        self.words_card.set_figure(self._words_figure)
        fill(self.parts_card.body, self.line, self.finding, (self.parts, 1), self.others)
        self.near.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        fill(self.words_card.body, (self.words, 1), self.near)
        self.words_card.body.addStretch(0)  # takes the place of the words where none moved
        content = QWidget()
        words = folded_on_projector(self.words_card, self.words_card.title)
        hbox((self.parts_card, 3), (words, 2), parent=content, gap_px=GAP_PX)
        self._nothing = Card()
        self.nothing_title, self.nothing_text = label("", "title", wrap=True), label("", "muted", wrap=True)
        offers = self.from_start, self.try_reviews, self.try_tiny
        self._nothing.fill_with_message(self.nothing_title, self.nothing_text, *offers)
        self.pages = QStackedWidget()
        for page in (content, self._nothing):
            self.pages.addWidget(page)
        vbox(self.pages, parent=self)
        self.unit.currentChanged.connect(lambda _tab: self._draw())
        self.parts.clicked.connect(lambda cell: self.stage_clicked.emit(cell[0] + 1))
        self.parts.hovered.connect(self._on_parts_hovered)
        self.words.clicked.connect(self._on_words_clicked)
        self.question.failed.connect(self._on_question_failed)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        ours, baseline = reading.request.model, reading.baseline
        if baseline is None or baseline.request.model is ours:
            self.question.clear()
            self._show_nothing(
                say("What did training change?"),
                say(
                    "To see what training changed, compare the model with an earlier step of its training, or with"
                    " the model it was fine-tuned from."
                ),
            )
            return
        for card in (self.parts_card, self.words_card):
            card.set_hint(say("compared with {baseline}", baseline=baseline_name(reading)))
        self._changes = None
        self.question.ask_both(ours, baseline.request.model, training_changes, pause_ms=0)
        if self.question.answer is not None:
            self._on_changes_answered(self.question.answer)
        elif self.question.sentence and not self.question.can_restart:
            self._on_question_failed()
        else:
            self.pages.setCurrentIndex(0)
            self._draw()

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.parts.set_selected(None if selection.at_embeddings else selection.layer)

    # What there is to show.

    def _on_changes_answered(self, changes: TrainingChanges) -> None:
        self._changes = changes
        self.pages.setCurrentIndex(0)
        self.near.setText("")
        self._draw()

    def _on_question_failed(self) -> None:
        """For models of other shapes the sentence says what differs."""
        self._show_nothing(say("These two models have different shapes"), self.question.sentence)

    def _show_nothing(self, title: str, text: str) -> None:
        self._changes = None
        self.nothing_title.setText(title)
        self.nothing_text.setText(text)
        self._start = None if self.reading is None else start_of(self.reading.request.model.folder)
        self.from_start.setVisible(self._start is not None)
        self.try_reviews.setVisible(self._start is None and REVIEWS in tuned_models())
        self.try_tiny.setVisible(self._start is None)
        self.pages.setCurrentWidget(self._nothing)

    @property
    def is_in_percent(self) -> bool:
        return self.unit.tabData(self.unit.currentIndex()) == SHARE

    def _size(self, part: PartChange) -> float:
        """0 also for a part whose weights were all 0: its length has no share."""
        return part.change if not self.is_in_percent else part.relative if part.other_norm else 0.0

    def _written(self, part: PartChange) -> str:
        return self._number(self._size(part))

    def _number(self, size: float) -> str:
        """Small shares with a decimal: most parts move by nearly as much."""
        return numbers.percent(size, int(size < SMALL)) if self.is_in_percent else numbers.number(size)

    @property
    def _in_layers(self) -> list[list[PartChange]]:
        """(L,P)"""
        parts = self._changes.parts if self._changes is not None else ()
        layers = dict.fromkeys(part.layer for part in parts if part.layer is not None)
        return [[part for part in parts if part.layer == layer] for layer in layers]

    @property
    def _outside(self) -> list[PartChange]:
        return [part for part in (self._changes.parts if self._changes else ()) if part.layer is None]

    def _draw(self) -> None:
        changes = self._changes
        for widget in (self.finding, self.parts, self.words, self.near):
            widget.setVisible(changes is not None)
        self.others.setVisible(changes is not None and not theme.is_projector())  # there the map needs the height
        if changes is None:
            return
        rows, outside = self._in_layers, self._outside
        values = np.array([[self._size(part) for part in row] for row in rows])
        highest = max([float(values.max(initial=0.0)), *map(self._size, outside)]) or 1.0
        layers = Labels(list(map(self._layer_name, rows)))
        columns = Labels([say(PART_NAMES[part.part]) for part in rows[0]])
        texts = [[self._written(part) for part in row] for row in rows]
        self.parts.set_grid(values.astype(np.float32), layers, columns, 0.0, highest, texts, written=self._number)
        self.others.set_bars([Bar(part_name(one), self._written(one), self._size(one) / highest) for one in outside])
        self.finding.setText(self._found())
        longest = changes.words[0].distance if changes.words else 1.0
        self.words.set_bars(
            [Bar(word.token, numbers.decimal(word.distance, 3), word.distance / longest) for word in changes.words]
        )
        self.words.setVisible(bool(changes.words))
        if not changes.words:
            frozen = say("No token moved: training did not change the token embeddings.")
            self.near.setText(changes.no_words or frozen)
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _found(self) -> str:
        """What one sees, in a sentence or two."""
        parts = [part for row in self._in_layers for part in row] + self._outside
        moved = [part for part in parts if part.change]
        if not moved:
            return say("Nothing: both models have the same weights.")
        most = max(moved, key=self._size)
        text = say("Moved most: {part}, by {change}.", part=part_name(most), change=self._written(most))
        frozen = [part_name(part) for part in self._outside if not part.change]
        frozen += [self._layer_name(row) for row in self._in_layers if not any(part.change for part in row)]
        if frozen:
            text += " " + say("Unchanged: {parts}.", parts=", ".join(frozen))
        return text

    def _layer_name(self, row: Sequence[PartChange]) -> str:
        return say("layer {layer}", layer=(row[0].layer or 0) + 1)

    # What a person does.

    def _on_from_start_clicked(self) -> None:
        if self._start is not None:
            self.comparison_wanted.emit(ComparisonOffer(OtherModel(reference_to(self._start))))

    def _on_words_clicked(self, row: int) -> None:
        """Asks for the words near it, and selects it where the text has it."""
        reading, changes = self.reading, self._changes
        if reading is None or reading.baseline is None or changes is None:
            return
        token_id = changes.words[row].id
        if token_id in reading.request.input_ids:
            self.position_clicked.emit(reading.request.input_ids.index(token_id))
        models = reading.request.model, reading.baseline.request.model
        self.neighbours_question.ask_both(*models, neighbours, token_id, pause_ms=0)
        if self.neighbours_question.answer is not None:
            self._on_neighbours_answered(self.neighbours_question.answer)

    def _on_neighbours_answered(self, found: Neighbours) -> None:
        if self.reading is None:
            return
        word = self.reading.request.model.tokenizer.label(found.id)
        now, before = (", ".join(isolated(one.word) for one in words) for words in (found.now, found.before))
        text = say("Closest to “{word}” now: {now}. Before: {before}.")
        self.near.setText(text.format(word=isolated(word), now=now, before=before))

    def _on_parts_hovered(self, cell: tuple[int, int] | None) -> None:
        rows, text = self._in_layers, ""
        if cell is not None and cell[0] < len(rows):
            part = rows[cell[0]][cell[1]]
            text = say(
                "{part}: moved by {change}, {share} of its length before training ({before})",
                part=part_name(part),
                change=numbers.number(part.change),
                share=numbers.percent(part.relative),
                before=numbers.number(part.other_norm),
            )
        self.hover_text_changed.emit(text)

    # What is saved.

    def _parts_figure(self) -> Figure | None:
        if self._changes is None or self.reading is None:
            return None
        parts = [part for row in self._in_layers for part in row] + self._outside
        names = [part_name(part) for part in parts]
        arrays = {
            "change": numbers_of("part", names, np.array([part.change for part in parts])),
            "before": numbers_of("part", names, np.array([part.other_norm for part in parts])),
        }
        return self._figure_of(self.parts_card.title, [self.parts, self.others], arrays)

    def _words_figure(self) -> Figure | None:
        if self._changes is None or self.reading is None or not self._changes.words:
            return None
        words = self._changes.words
        values = np.array([[word.distance, word.cosine] for word in words])
        axes = Axis("token", [word.token for word in words]), Axis("measure", ["distance", "cosine"])
        return self._figure_of(self.words_card.title, [self.words], {"moved": Numbers(values, axes)})

    def _figure_of(self, title: str, widgets: list[QWidget], arrays: dict[str, Numbers]) -> Figure | None:
        assert self.reading is not None
        settings = f"compared with {baseline_name(self.reading)}"
        return self.figure(title, widgets, arrays, settings=settings, plain=True, texts=False)
