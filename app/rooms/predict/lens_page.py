"""The page Layer by layer: the best guess at each mask after each layer, and how a word that a person types fares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers
from app.look import theme
from app.rooms.predict.lens_cells import LensTable
from app.rooms.predict.numbers import probability_text
from app.rooms.predict.page import (
    NO_MASKS,
    PredictPage,
    asked_text,
    decided_sentence,
    stage_name,
    what_is_missing,
)
from app.state.readings import Reading
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, label, scrolled
from app.widgets.question import Question, WorkLine
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from app.compute.mask_lens import MaskLens, WordThroughLayers
    from app.rooms.predict.room import PredictRoom
    from app.state.readings import MaskReading, Step
    from bertcore.checkpoint.checkpoint import Checkpoint

SIDE_PX = 400
LEAST_PX = 200  # where the window is lower, the whole room scrolls
KEPT_WORD = "predict.word"  # what a window built anew finds in the state
SHORTEST_SCALE = 0.01  # what is hardly likely anywhere has short bars


class LensPage(PredictPage):
    """A table on the left, one word's way through the layers on the right."""

    needs_lens = True

    def __init__(self, room: PredictRoom) -> None:
        self.line = WorkLine("the word through the layers")
        self.question = Question("predict.word", self.line)
        super().__init__(room, [self.question])
        self.table = LensTable()
        self.decided = label("", wrap=True)
        self.word = QLineEdit(str(room.state.kept.get(KEPT_WORD, "")))
        self.bars = BarList("Probability of the word after each layer", stretch_to_px=32)
        self.verdict = label("", "strong", wrap=True)
        self._pieces = label("", "muted", wrap=True)
        self._card = Card("Layer by layer", "the best guess if the model stopped after each layer")
        self._word_card = Card("One word through the layers")
        self._build()
        self.table.told.connect(room.hover_text_changed)
        self.table.chosen.connect(room.choose_mask)
        self.word.textEdited.connect(self._on_word_edited)
        self.question.answered.connect(lambda _answer: self._draw_word())

    def draw_reading(self, reading: Reading) -> None:
        missing = what_is_missing(reading)
        if missing or not reading.masks:
            self.show_nothing("No predictions" if missing else "Mask a word", missing or NO_MASKS)
            return
        self.show_content()
        self._ask_word(reading)

    def draw_focus(self, reading: Reading) -> None:
        lens = self.room.lens.answer
        if reading.masks and not what_is_missing(reading):
            if lens is not None:
                self.draw_lens(lens)
            self._ask_word(reading)

    def draw_lens(self, lens: MaskLens) -> None:
        masks = self.room.masks()
        columns = [[stage[number] for stage in lens.words] for number in range(len(masks))]
        self.table.set_columns([_head(mask, self.room.state.mask_token) for mask in masks], columns)
        self.table.set_current(self.room.mask_number)
        sentences = [f"Position {mask.position}: {decided_sentence(lens, i)}" for i, mask in enumerate(masks)]
        self.decided.setText("\n".join(sentences))
        self._draw_word()

    @property
    def followed(self) -> str:
        """The word that is shown: the typed one, else the one that is likeliest in the end."""
        lens: MaskLens | None = self.room.lens.answer
        return self.word.text().strip() or (lens.words[-1][self.room.mask_number][0].token if lens is not None else "")

    def _ask_word(self, reading: Reading) -> None:
        word, number = self.word.text().strip(), self.room.mask_number
        if not word:
            self.question.forget()
            self._draw_word()
            return
        position, text, request = reading.masks[number].position, asked_text(reading), reading.request

        def work(checkpoint: Checkpoint, step: Step) -> WordThroughLayers:
            from app.compute.mask_lens import word_through_layers

            return word_through_layers(checkpoint, text, request.encoding, position, word, request.what_if)

        self.question.want((request, position, word), work, self.room.pause_ms)
        self._draw_word()

    def _draw_word(self) -> None:
        masks, lens = self.room.masks(), self.room.lens.answer
        if not masks:
            return
        at, number = masks[self.room.mask_number].position, self.room.mask_number
        self._word_card.set_hint(f"at position {at}, probability and rank")
        found: Any = self.question.answer
        if self.word.text().strip():
            chances, ranks = (None, None) if found is None else (found.probability, found.rank)
            pieces = [] if found is None else found.pieces
        elif lens is not None and number < lens.rank.shape[1]:
            chances, ranks, pieces = lens.probability[:, number], lens.rank[:, number], [self.followed]
        else:
            chances, ranks, pieces = None, None, []
        self._show_word(chances, ranks, pieces)

    def _show_word(self, chances: np.ndarray | None, ranks: np.ndarray | None, pieces: list[str]) -> None:
        for widget in (self.bars, self.verdict):
            widget.setVisible(chances is not None)
        self._pieces.setVisible(len(pieces) > 1)
        if chances is None:
            return
        full, listed = max(float(chances.max()), SHORTEST_SCALE), chances.tolist()
        marks = [""] * len(listed) if ranks is None else [f"rank {rank:,}" for rank in ranks.tolist()]
        self.bars.set_bars(
            [
                Bar(stage_name(i), _exact(p), p / full, "good" if mark == "rank 1" else "bar", mark=mark)
                for i, (p, mark) in enumerate(zip(listed, marks, strict=True))
            ]
        )
        self.verdict.setText(verdict_of(self.followed, chances, ranks))
        self._pieces.setText(
            f"{' '.join(pieces)}: the product of each piece’s probability, given the pieces before it. "
            "There is no list of all words to rank it in."
        )

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(GAP_PX))
        scale = QHBoxLayout()
        bar = ColorBar(signed=False)
        bar.set_range(0, 1)
        scale.addWidget(label("probability", "muted"))
        scale.addWidget(bar)
        scale.addStretch(1)
        whole = QWidget()
        listed = QVBoxLayout(whole)
        listed.setContentsMargins(0, 0, theme.px(4), 0)
        listed.setSpacing(theme.px(8))
        listed.addWidget(self.table)
        listed.addLayout(scale)
        listed.addWidget(self.decided)
        listed.addStretch(1)
        area = scrolled(whole)
        area.setMinimumHeight(theme.px(LEAST_PX))
        self._card.body.addWidget(area, 1)
        self._card.set_figure(self._table_figure)
        row.addWidget(self._card, 1)
        self._word_card.setFixedWidth(theme.column_px(SIDE_PX))
        self.word.setPlaceholderText("Type a word: how does it fare?")
        self.word.setAccessibleName("Word to follow through the layers")
        self._word_card.body.addWidget(self.word)
        self._word_card.body.addWidget(self.line)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(4), 0)
        how = label("Each layer’s state is read by the masked-word head as if it were the last.", "muted", wrap=True)
        for widget in (self.verdict, self.bars, self._pieces, how):
            column.addWidget(widget)
        column.addStretch(1)
        self._word_card.body.addWidget(scrolled(inside), 1)
        self._word_card.set_figure(self._word_figure)
        row.addWidget(self._word_card)
        self.column.addLayout(row)

    def _table_figure(self) -> Figure | None:
        lens, masks = self.room.lens.answer, self.room.masks()
        if lens is None:
            return None
        chances = np.array([[words[0].probability for words in stage] for stage in lens.words])
        axes = Axis("layer", _stages(lens)), Axis("mask", [str(mask.position) for mask in masks])
        numbers = {
            "best guess": Numbers(chances, axes),
            "last word": Numbers(lens.probability, axes),
            "rank of the last word": Numbers(lens.rank, axes),
        }
        hint = "rows: layers · columns: masks · the best guess and its probability"
        said = " ".join(self.decided.text().splitlines())
        return self.room.figure("Layer by layer", [self.table], numbers, hint=hint, settings=said)

    def _word_figure(self) -> Figure | None:
        masks, found, lens = self.room.masks(), self.question.answer, self.room.lens.answer
        if lens is None or (found is None and self.word.text().strip()):
            return None
        number = self.room.mask_number
        chances = lens.probability[:, number] if found is None else found.probability
        ranks = lens.rank[:, number] if found is None else found.rank
        axis = (Axis("layer", _stages(lens)),)
        numbers = {"probability": Numbers(chances, axis)}
        if ranks is not None:
            numbers["rank"] = Numbers(ranks, axis)
        title = f"“{self.followed}” at position {masks[number].position}"
        hint = "probability and rank after each layer"
        return self.room.figure(title, [self.bars], numbers, hint=hint, settings=self.verdict.text())

    def _on_word_edited(self, word: str) -> None:
        self.room.state.kept[KEPT_WORD] = word
        if self.room.state.reading is not None:
            self._ask_word(self.room.state.reading)


def verdict_of(word: str, chances: np.ndarray, ranks: np.ndarray | None) -> str:
    """Where the word comes first, or how near it comes, in a sentence."""
    from app.compute.mask_lens import decided_at

    last = f"in the end p {probability_text(float(chances[-1]))}"
    if ranks is None:
        return f"“{word}” is likeliest at {stage_name(int(chances.argmax()))}; {last}."
    decided = decided_at(ranks)
    if decided is not None:
        since = f"from {stage_name(decided)} on" if decided < len(ranks) - 1 else "only after the last layer"
        return f"“{word}” is first {since}; {last}."
    best = int(ranks.min())
    place = stage_name(int(ranks.argmin()))
    lead = (
        f"first at {place}, but not to the end" if best == 1 else f"never first; its best rank is {best:,}, at {place}"
    )
    return f"“{word}” is {lead}; {last}, rank {int(ranks[-1]):,}."


def _exact(probability: float) -> str:
    """Small ones too: on their way words come from far below."""
    return probability_text(probability) if probability >= 0.001 else f"{probability:.1e}".replace("-", "−")


def _stages(lens: MaskLens) -> list[str]:
    return [stage_name(stage) for stage in range(len(lens.words))]


def _head(mask: MaskReading, name: str) -> str:
    return f"{name} {mask.position}" + (f", was “{mask.was.token}”" if mask.was else "")
