"""The best guess at each mask after each layer, and how a word that a person types fares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLineEdit

from ...compute.masks import word_through_layers
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier, where_compared
from ...state.compared_words import baseline_mask
from ...state.readings import Reading, ReadingRequest
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import figure_entries, show_context_menu
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox
from ...widgets.progress_line import ProgressLine
from ...widgets.spots import name_spot
from .lens_cells import Column, LensTable, highest
from .lens_sentences import decided_sentence, top_guesses, word_sentence
from .view import (
    PredictView,
    ask_lens,
    mask_name,
    missing_words,
    scrolled_column,
    stage_name,
    with_name,
)

if TYPE_CHECKING:
    from ...compute.masks import MaskLens, WordThroughLayers
    from ...compute.question import Question

SIDE_PX = 400
LEAST_PX = 200  # where the window is lower, the whole room scrolls
LEAST_EXACT = 0.001  # what is less likely has an exponent, or is "under 0.1%"
SHORTEST_SCALE = 0.01  # what is hardly likely anywhere has short bars


class LensView(PredictView):
    """A table on the left, one word's way through the layers on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.lens = self.add_question(self._on_lens_answered)
        self.baseline_lens = self.add_question(self._on_baseline_lens_answered)
        self.followed_word: Question[WordThroughLayers] = self.add_question(
            lambda _found: self._show_followed(), self.line
        )
        self.baseline_word: Question[WordThroughLayers] = self.add_question(lambda _found: self._show_followed())
        self.table = LensTable(say("Top guess at each mask after each layer"))
        self.decided = label("", wrap=True)
        self.word = QLineEdit()
        self.bars = BarList(say("Probability of the word after each layer"), stretch_to_px=60)
        self.verdict = label("", "strong", wrap=True)
        for spot in (self.decided, self.verdict):
            name_spot(spot, "predict.sentence")
        explain("probability", self.table, self.bars)
        self.pieces = label("", "muted", wrap=True)
        self._card, self._scale = Card(say("Layer by layer"), intro=" "), ColorBar(signed=False)
        self._word_card = Card(say("One word through the layers"), intro=" ")
        self._build()
        self.table.hovered.connect(lambda cell: self.hover_text_changed.emit(self.table.description(cell)))
        self.table.clicked.connect(lambda cell: self.position_clicked.emit(self.masks[cell[1]].position))
        self.table.context_menu_requested.connect(self._on_table_menu_requested)
        self.word.textEdited.connect(self._on_word_edited)

    @property
    def followed(self) -> str:
        """The word that is followed: the typed one, else the one that is likeliest in the end."""
        lens = self.lens.answer
        return self.word.text().strip() or (lens.words[-1][self.mask_number][0].token if lens is not None else "")

    def restore(self, kept: str) -> None:
        self.word.setText(kept)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if self.check_masks(reading):
            ask_lens(self.lens, reading, self.pause_ms)
            if reading.baseline is None or missing_words(reading.baseline):
                self.baseline_lens.clear()
            else:
                ask_lens(self.baseline_lens, reading.baseline, self.pause_ms)
            self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Perhaps another mask was clicked."""
        if self.nothing:
            return
        if self.lens.answer is not None:
            self._show_table(self.lens.answer)
        self._ask_word(reading)

    def _show_table(self, lens: MaskLens) -> None:
        masks = self.masks
        columns = [[stage[number] for stage in lens.words] for number in range(len(masks))]
        assert self.reading is not None
        headings, earlier = [mask_name(self.reading, mask) for mask in masks], is_earlier(self.reading)
        before, marks = self._columns_before(), self.selection.wants_difference
        self.table.set_columns(headings, columns, before, earlier=earlier, marks_others=marks)
        self._scale.set_range(0, highest(lens), numbers.probability)
        intro = say(
            "Row: after this layer. Column: a mask. In the box: the best guess so far. Stronger colour: more certain."
        )
        if marks and any(before):
            framed = say("Framed: a different word from that {there}.")
            intro = f"{intro} {framed.format(there=where_compared(self.reading))}"
        self._card.set_intro(intro)
        self.table.set_selected(column=self.mask_number)
        named = self.reading.mask_name
        sentences = [f"{named(mask.position)}: {decided_sentence(lens, i)}" for i, mask in enumerate(masks)]
        self.decided.setText("\n".join(sentences))

    def _columns_before(self) -> list[Column]:
        """What the baseline would predict at the same masks; empty for those that it lacks."""
        reading, lens = self.reading, self.baseline_lens.answer
        if reading is None or reading.baseline is None or lens is None:
            return [[] for _ in self.masks]
        numbers_of = {mask.position: i for i, mask in enumerate(reading.baseline.masks[: len(lens.words[0])])}
        found = (baseline_mask(reading, mask) for mask in self.masks)
        at = [None if mask is None else numbers_of.get(mask.position) for mask in found]
        return [[] if number is None else [stage[number] for stage in lens.words] for number in at]

    def _ask_word(self, reading: Reading) -> None:
        word, request = self.word.text().strip(), reading.request
        if not word:
            self.followed_word.clear()
            self._show_followed()
            return
        position = self.masks[self.mask_number].position
        self._follow(self.followed_word, request, position, word)
        self._show_followed()

    def _ask_baseline_word(self) -> None:
        """The same word with the baseline, where that has the mask."""
        reading, word = self.reading, self.followed.removeprefix("·")
        theirs = None if reading is None else baseline_mask(reading, self.masks[self.mask_number])
        if reading is None or reading.baseline is None or theirs is None or not word or word.startswith("##"):
            self.baseline_word.clear()
            return
        request, position = reading.baseline.request, theirs.position
        self._follow(self.baseline_word, request, position, word)

    def _follow(self, question: Question[WordThroughLayers], request: ReadingRequest, position: int, word: str) -> None:
        text, encoding, what_if = request.model_input, request.encoding, request.what_if
        asked = text, encoding, position, word, what_if
        question.ask_model(request.model, word_through_layers, *asked, pause_ms=self.pause_ms)

    def _show_followed(self) -> None:
        self._ask_baseline_word()
        lens, number, found = self.lens.answer, self.mask_number, self.followed_word.answer
        self._word_card.set_hint(say("at {mask}", mask=self._mask_name(number)))
        if lens is None or (found is None and self.word.text().strip()):
            self._show_word(None, None, [], [])
        elif found is not None and self.word.text().strip():
            self._show_word(found.probability, found.rank, found.pieces, top_guesses(lens, number))
        else:
            tops = top_guesses(lens, number)
            self._show_word(lens.probability[:, number], lens.rank[:, number], [self.followed], tops)

    def _mask_name(self, number: int) -> str:
        return "" if self.reading is None else self.reading.mask_name(self.masks[number].position)

    def _show_word(
        self, chances: np.ndarray | None, ranks: np.ndarray | None, pieces: list[str], tops: list[str]
    ) -> None:
        """chances: None where they are not known. tops: the likeliest words at the same mask."""
        for widget in (self.bars, self.verdict):
            widget.setVisible(chances is not None)
        self.pieces.setVisible(len(pieces) > 1)
        if chances is None:
            return
        theirs = None if self.baseline_word.answer is None else self.baseline_word.answer.probability
        before = [None] * len(chances) if theirs is None or len(theirs) != len(chances) else theirs.tolist()
        full = max(float(chances.max()), *(p for p in before if p is not None), SHORTEST_SCALE)
        marks = [self._mark(None if ranks is None else int(ranks[i]), was) for i, was in enumerate(before)]
        is_compared = before[0] is not None and self.reading is not None
        line = say("Line across a bar: {there}.") if is_compared else ""
        there = "" if self.reading is None else where_compared(self.reading)
        intro = say("How likely this word is after each layer. Green: no word is likelier.")
        self._word_card.set_intro(f"{intro} {line.format(there=there)}".strip())
        self.bars.set_bars(
            [
                Bar(
                    stage_name(i),
                    _exact(p, fine=is_compared),
                    p / full,
                    "good" if ranks is not None and ranks[i] == 1 else "bar",
                    mark=mark,
                    before=None if was is None else was / full,
                )
                for i, (p, mark, was) in enumerate(zip(chances.tolist(), marks, before, strict=True))
            ]
        )
        self.verdict.setText(word_sentence(self.followed, chances, ranks, tops))
        self.pieces.setText(
            say(
                "{pieces}: the product of each piece’s probability, given the pieces before it. It has no rank: there "
                "is no list of all words of several pieces.",
                pieces=" ".join(pieces),
            )
        )

    def _mark(self, rank: int | None, before: float | None) -> str:
        """Behind a probability: the word's rank, and the baseline's probability."""
        parts = [] if rank is None else [say("rank {rank}", rank=numbers.count(rank))]
        if before is not None and before >= LEAST_EXACT and self.reading is not None:
            parts.append(f"({beside(numbers.probability(before, fine=True), is_earlier(self.reading))})")
        return "  ".join(parts)

    def _build(self) -> None:
        fill(
            self._card.body,
            with_name(say("probability"), self._scale),
            (scrolled_column(self.table, self.decided, least_px=LEAST_PX), 1),
        )
        self._card.set_figure(self._table_figure)
        self._word_card.setFixedWidth(theme.column_px(SIDE_PX))
        self.word.setPlaceholderText(say("Type another word to follow"))
        self.word.setAccessibleName(say("Word to follow through the layers"))
        how = label(
            say("The logit lens: the model’s output layer reads each layer’s hidden state as if it were the last."),
            "muted",
            wrap=True,
        )
        fill(
            self._word_card.body,
            self.word,
            self.line,
            self.verdict,
            (scrolled_column(self.bars, self.pieces, how), 1),
        )
        self._word_card.set_figure(self._word_figure)
        side = folded_on_projector(self._word_card, self._word_card.title)
        self.column.addLayout(hbox((self._card, 1), side, gap_px=GAP_PX))

    def _table_figure(self) -> Figure | None:
        lens = self.lens.answer
        if lens is None:
            return None
        chances = np.array([[words[0].probability for words in stage] for stage in lens.words])
        axes = Axis("layer", _stages(lens)), Axis("mask", [str(mask.position) for mask in self.masks])
        arrays = {
            "best guess": Numbers(chances, axes),
            **self._numbers_before(lens),
            "last word": Numbers(lens.probability, axes),
            "rank of the last word": Numbers(lens.rank, axes),
        }
        hint = say("rows: layers · columns: masks · the top guess and its probability")
        decided = " ".join(self.decided.text().splitlines())
        return self.figure(self._card.title, [self.table], arrays, hint=hint, settings=decided)

    def _numbers_before(self, lens: MaskLens) -> dict[str, Numbers]:
        """The baseline's best guesses, where it has as many layers."""
        columns = [column for column in self._columns_before() if len(column) == len(lens.words)]
        if len(columns) != len(self.masks):
            return {}
        values = np.array([[words[0].probability for words in stage] for stage in zip(*columns, strict=True)])
        words = [[words[0].token for words in stage] for stage in zip(*columns, strict=True)]
        labels = [f"{name}: {' '.join(stage)}" for name, stage in zip(_stages(lens), words, strict=True)]
        axes = Axis("layer", labels), Axis("mask", [str(mask.position) for mask in self.masks])
        return {"best guess with the baseline": Numbers(values, axes)}

    def _word_figure(self) -> Figure | None:
        found, lens, number = self.followed_word.answer, self.lens.answer, self.mask_number
        if lens is None or (found is None and self.word.text().strip()):
            return None
        chances = lens.probability[:, number] if found is None else found.probability
        ranks = lens.rank[:, number] if found is None else found.rank
        axis = (Axis("layer", _stages(lens)),)
        arrays = {"probability": Numbers(chances, axis)}
        if ranks is not None:
            arrays["rank"] = Numbers(ranks, axis)
        title = say("“{word}” at {mask}", word=self.followed, mask=self._mask_name(number))
        hint = say("probability and rank after each layer")
        return self.figure(title, [self.bars], arrays, hint=hint, settings=self.verdict.text())

    def _on_lens_answered(self, lens: MaskLens) -> None:
        self._show_table(lens)
        self._show_followed()

    def _on_baseline_lens_answered(self, _lens: MaskLens) -> None:
        if self.lens.answer is not None and self.reading is not None and not self.nothing:
            self._show_table(self.lens.answer)

    def _on_table_menu_requested(self, cell: tuple[int, int] | None, at: QPoint) -> None:
        entries = figure_entries(self.table)
        if cell is not None:
            guess, mask = self.table.guesses[cell[1]][cell[0]][0], self.masks[cell[1]]
            entries = [*self.word_entries(mask.position, guess), None, *entries]
        show_context_menu(self.table, at, entries)

    def _on_word_edited(self, word: str) -> None:
        self.kept_changed.emit(word)
        if self.reading is not None and not self.nothing:
            self._ask_word(self.reading)


def _exact(probability: float, *, fine: bool) -> str:
    """Small ones too, where numbers are technical: on their way words come from far below."""
    if numbers.is_technical() and probability < LEAST_EXACT:
        return numbers.number(probability, 2)
    return numbers.probability(probability, fine=fine)


def _stages(lens: MaskLens) -> list[str]:
    return [stage_name(stage) for stage in range(len(lens.words))]
