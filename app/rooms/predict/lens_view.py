"""The best guess at each mask after each layer, and how a word that a person types fares."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLineEdit

from ...compute.masks import WordThroughLayers, word_through_layers
from ...compute.question import Job
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier, where_compared
from ...state.compared_words import baseline_mask
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import figure_entries, show_context_menu
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox
from ...widgets.spots import name_spot
from .lens_cells import Column, LensTable, highest
from .predict_sentences import decided_sentence, mask_name, missing_words, stage_names, top_guesses, word_sentence
from .view import PredictView, lens_job, scrolled_column, with_name

if TYPE_CHECKING:
    from ...compute.masks import MaskLens

SIDE_PX = 400
LEAST_PX = 200  # where the window is lower, the whole room scrolls
LEAST_EXACT = 0.001  # what is less likely has an exponent, or is "under 0.1%"
SHORTEST_SCALE = 0.01  # what is hardly likely anywhere has short bars


class LensView(PredictView):
    """A table on the left, one word's way through the layers on the right."""

    asks: ClassVar = {"lens": True, "word": True}

    def __init__(self) -> None:
        super().__init__()
        self.line = self.own_line(self.asked["word"])
        self.table = LensTable(say("Top guess at each mask after each layer"))
        self.bars = BarList(say("Probability of the word after each layer"), stretch_to_px=60)
        self.decided, self.verdict = label("", wrap=True), label("", "strong", wrap=True)
        for spot in (self.decided, self.verdict):
            name_spot(spot, "predict.sentence")
        explain("probability", self.table, self.bars)
        self.word, self.pieces = QLineEdit(), label("", "muted", wrap=True)
        self.word.setPlaceholderText(say("Type another word to follow"))
        self.word.setAccessibleName(say("Word to follow through the layers"))
        self._card, self._scale = Card(say("Layer by layer"), intro=" "), ColorBar(signed=False)
        self._word_card = Card(say("One word through the layers"), intro=" ")
        self._lay_out()
        self.table.hovered.connect(lambda cell: self.hover_text_changed.emit(self.table.description(cell)))
        self.table.clicked.connect(lambda cell: self.position_clicked.emit(self.masks[cell[1]].position))
        self.table.context_menu_requested.connect(self._on_table_menu_requested)
        self.word.textEdited.connect(self._on_word_edited)

    def _lay_out(self) -> None:
        area = scrolled_column(self.table, self.decided, least_px=LEAST_PX)
        fill(self._card.body, with_name(say("probability"), self._scale), (area, 1))
        self._card.set_figure(self._table_figure)
        how = say("The logit lens: the model’s output layer reads each layer’s hidden state as if it were the last.")
        area = scrolled_column(self.bars, self.pieces, label(how, "muted", wrap=True))
        fill(self._word_card.body, self.word, self.line, self.verdict, (area, 1))
        self._word_card.setFixedWidth(theme.column_px(SIDE_PX))
        self._word_card.set_figure(self._word_figure)
        side = folded_on_projector(self._word_card, self._word_card.title)
        self.column.addLayout(hbox((self._card, 1), side, gap_px=GAP_PX))

    @property
    def lens(self) -> MaskLens | None:
        return self.answer_of("lens", self.reading)

    @property
    def followed(self) -> str:
        """The word that is followed: the typed one, else the one that is likeliest in the end."""
        lens = self.lens
        return self.word.text().strip() or (lens.words[-1][self.mask_number][0].token if lens is not None else "")

    @property
    def path(self) -> WordThroughLayers | None:
        """How that word fares; None where it is not known yet."""
        lens, number = self.lens, self.mask_number
        if lens is None or self.word.text().strip():
            return None if lens is None else self.answer_of("word", self.reading)
        return WordThroughLayers([self.followed], lens.probability[:, number], lens.rank[:, [number]])

    def restore(self, kept: str) -> None:
        self.word.setText(kept)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if self.check_masks(reading):
            self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Perhaps another mask was clicked."""
        if not self.nothing:
            self.ask_all()
            self._show_table()
            self._show_word()

    def _show_table(self) -> None:
        lens, reading, masks = self.lens, self.reading, self.masks
        if lens is None or reading is None or self.nothing:
            return
        columns = [[stage[number] for stage in lens.words] for number in range(len(masks))]
        names, baseline = [mask_name(reading, mask) for mask in masks], self._baseline_columns()
        marks = self.selection.wants_difference
        self.table.set_columns(names, columns, baseline, earlier=is_earlier(reading), marks_others=marks)
        self._scale.set_range(0, highest(lens), numbers.probability)
        intro = say(
            "Row: after this layer. Column: a mask. In the box: the best guess so far. Stronger colour: more certain."
        )
        if marks and any(baseline):
            intro += " " + say("Framed: a different word from that {there}.", there=where_compared(reading))
        self._card.set_intro(intro)
        self.table.set_selected(column=self.mask_number)
        sentences = (f"{reading.mask_name(one.position)}: {decided_sentence(lens, i)}" for i, one in enumerate(masks))
        self.decided.setText("\n".join(sentences))

    def _baseline_columns(self) -> list[Column]:
        """What the baseline would predict at the same masks; empty for those that it lacks."""
        reading, lens = self.reading, self.asked_of_baseline["lens"].answer
        if reading is None or reading.baseline is None or lens is None:
            return [[] for _ in self.masks]
        numbers_of = {mask.position: i for i, mask in enumerate(reading.baseline.masks[: len(lens.words[0])])}
        found = (baseline_mask(reading, mask) for mask in self.masks)
        at = [None if mask is None else numbers_of.get(mask.position) for mask in found]
        return [[] if number is None else [stage[number] for stage in lens.words] for number in at]

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        """With the baseline, the word that is followed, typed or not, where that has the mask."""
        if asks == "lens":
            return None if missing_words(reading) else lens_job(reading)
        assert self.reading is not None
        is_ours, ours = reading is self.reading, self.masks[self.mask_number]
        mask = ours if is_ours else baseline_mask(self.reading, ours)
        word = self.word.text().strip() if is_ours else self.followed.removeprefix("·")
        if mask is None or not word or (not is_ours and word.startswith("##")):
            return None
        request = reading.request
        asked = request.model_input, request.encoding, mask.position, word, request.what_if
        return Job(word_through_layers, asked, (request.model,))

    def _show_word(self) -> None:
        found, lens, reading = self.path, self.lens, self.reading
        for widget in (self.bars, self.verdict):
            widget.setVisible(found is not None)
        self.pieces.setVisible(found is not None and len(found.pieces) > 1)
        if reading is None:
            return
        number = self.mask_number
        self._word_card.set_hint(say("at {mask}", mask=reading.mask_name(self.masks[number].position)))
        if found is None or lens is None:
            return
        chances, ranks, theirs = found.probability, found.rank, self.asked_of_baseline["word"].answer
        is_compared = theirs is not None and len(theirs.probability) == len(chances)
        baseline = theirs.probability.tolist() if theirs is not None and is_compared else [None] * len(chances)
        full = max(float(chances.max()), *(p for p in baseline if p is not None), SHORTEST_SCALE)
        intro = say("How likely this word is after each layer. Green: no word is likelier.")
        if is_compared:
            intro += " " + say("Line across a bar: {there}.", there=where_compared(reading))
        self._word_card.set_intro(intro)
        self.bars.set_bars(
            [
                Bar(
                    name,
                    _exact(p, fine=is_compared),
                    p / full,
                    "good" if ranks is not None and ranks[i] == 1 else "bar",
                    mark=_mark(reading, None if ranks is None else int(ranks[i]), was),
                    before=None if was is None else was / full,
                )
                for i, (name, p, was) in enumerate(zip(stage_names(lens), chances.tolist(), baseline, strict=True))
            ]
        )
        self.verdict.setText(word_sentence(self.followed, chances, ranks, top_guesses(lens, number)))
        self.pieces.setText(
            say(
                "{pieces}: the product of each piece’s probability, given the pieces before it. It has no rank: there "
                "is no list of all words of several pieces.",
                pieces=" ".join(found.pieces),
            )
        )

    def _table_figure(self) -> Figure | None:
        lens = self.lens
        if lens is None:
            return None
        stages, masks = stage_names(lens), Axis("mask", [str(mask.position) for mask in self.masks])
        best = np.array([[words[0].probability for words in stage] for stage in lens.words])
        arrays = {"best guess": Numbers(best, (Axis("layer", stages), masks))}
        columns = self._baseline_columns()
        if all(len(column) == len(stages) for column in columns):
            tops = [[words[0] for words in stage] for stage in zip(*columns, strict=True)]
            labels = [f"{name}: {' '.join(word.token for word in top)}" for name, top in zip(stages, tops, strict=True)]
            values = np.array([[word.probability for word in top] for top in tops])
            arrays["best guess with the baseline"] = Numbers(values, (Axis("layer", labels), masks))
        arrays["last word"] = Numbers(lens.probability, (Axis("layer", stages), masks))
        arrays["rank of the last word"] = Numbers(lens.rank, (Axis("layer", stages), masks))
        hint = say("rows: layers · columns: masks · the top guess and its probability")
        decided = " ".join(self.decided.text().splitlines())
        return self.figure(self._card.title, [self.table], arrays, hint=hint, settings=decided)

    def _word_figure(self) -> Figure | None:
        found, lens, reading = self.path, self.lens, self.reading
        if found is None or lens is None or reading is None:
            return None
        axis = (Axis("layer", stage_names(lens)),)
        arrays = {"probability": Numbers(found.probability, axis)}
        if found.rank is not None:
            arrays["rank"] = Numbers(found.rank, axis)
        mask = reading.mask_name(self.masks[self.mask_number].position)
        hint = say("probability and rank after each layer")
        title = say("“{word}” at {mask}", word=self.followed, mask=mask)
        return self.figure(title, [self.bars], arrays, hint=hint, settings=self.verdict.text())

    def _on_table_menu_requested(self, cell: tuple[int, int] | None, at: QPoint) -> None:
        entries = figure_entries(self.table)
        if cell is not None:
            guess, mask = self.table.guesses[cell[1]][cell[0]][0], self.masks[cell[1]]
            entries = [*self.word_entries(mask.position, guess), None, *entries]
        show_context_menu(self.table, at, entries)

    def _on_word_edited(self, word: str) -> None:
        self.kept_changed.emit(word)
        if self.reading is not None and not self.nothing:
            self.ask_all()
            self._show_word()


def _exact(probability: float, *, fine: bool) -> str:
    """Small ones too, where numbers are technical: on their way words come from far below."""
    if numbers.is_technical() and probability < LEAST_EXACT:
        return numbers.number(probability, 2)
    return numbers.probability(probability, fine=fine)


def _mark(reading: Reading, rank: int | None, before: float | None) -> str:
    """Behind a probability: the word's rank, and the baseline's probability."""
    parts = [] if rank is None else [say("rank {rank}", rank=numbers.count(rank))]
    if before is not None and before >= LEAST_EXACT:
        parts.append(f"({beside(numbers.probability(before, fine=True), is_earlier(reading))})")
    return "  ".join(parts)
