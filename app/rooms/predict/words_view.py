"""The likeliest words for each mask, the verdict on A and B, and what the model read: the room's first view."""

from __future__ import annotations

import html
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ...compute.word_questions import sentence_similarity
from ...figures.figure import Axis, Figure, Numbers, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import baseline_name, beside, is_earlier, where_first
from ...state.compared_words import compared_mask
from ...state.readings import Reading, word_to_mask
from ...state.selection import Selection
from ...state.token_units import Units
from ...state.verdicts import PairQuestion, first_token, question_for, similarity_verdict, verdict_of
from ...widgets.card import GAP_PX, Card, Steady, button, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import figure_entries, show_context_menu
from ...widgets.folding_card import folded_on_projector
from ...widgets.heat_tokens import HeatToken, HeatTokens
from ...widgets.layouts import fill, hbox, vbox
from .mask_card import MaskCard
from .pair_card import AskedPair, PairCard
from .previous_predictions import PreviousCard, PreviousPredictions
from .view import MOST_MASKS, PredictView, ask_lens, mask_token, stage_name

if TYPE_CHECKING:
    from ...compute.masks import MaskLens
    from ...state.model_info import ModelInfo
    from ...state.token_units import Units

REPLACED_FROM = 0.5  # the probability from which on a token is judged to be replaced
MOST_BARS = 10
MOST_NAMED = 6


class ReplacedCard(Card):
    """The verdict in a sentence, the tokens in their order, and the likeliest ones as bars."""

    def __init__(self) -> None:
        super().__init__(
            say("Which tokens look replaced?"),
            intro=say(
                "This model learned to spot words that another model had swapped. Type a word that does not fit: does "
                "it notice?"
            ),
        )
        self.answer = label("", "number", wrap=True)
        self.tokens = HeatTokens(say("Probability that each token was replaced"))
        self.bars = BarList(say("Most likely replaced"), stretch_to_px=30)
        self._scale = ColorBar(signed=False)
        explain("own_probability", self.tokens, self.bars, self._scale)
        self._scale.set_range(0, 1, numbers.probability)
        framed = say(
            "outlined: judged to be replaced (probability {least} or more)", least=numbers.probability(REPLACED_FROM)
        )
        line = hbox(label(say("probability"), "muted"), self._scale, label(framed, "muted"), None)
        for widget in (self.answer, self.tokens):
            fill(self.body, widget, 4)
        fill(
            self.body,
            line,
            12,
            label(say("Most likely replaced"), "title"),
            (self.bars, 1),
        )

    @property
    def pictures(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self.tokens, self._scale, self.bars]

    def show_reading(self, reading: Reading, replaced: np.ndarray, units: Units) -> None:
        """replaced (S): probabilities, 0..1. A word is as likely replaced as the likeliest of its pieces."""
        shown, values = units.labels, highest(replaced, units)
        judged = {unit for position in judged_replaced(reading) if (unit := units.unit_of(position)) is not None}
        self.tokens.set_tokens(
            [
                HeatToken(token, values[i], numbers.probability(values[i]), i in judged, units.kinds[i] == "special")
                for i, token in enumerate(shown)
            ]
        )
        before, earlier = replaced_before(reading, units), is_earlier(reading)
        chance = partial(numbers.probability, fine=reading.baseline is not None)
        words = [i for i in np.argsort(-np.asarray(values), kind="stable").tolist() if units.kinds[i] != "special"]
        self.answer.setText(self._sentence([shown[i] for i in words if i in judged], len(words)))
        self.bars.set_bars(
            [
                Bar(
                    shown[i],
                    chance(values[i]),
                    values[i],
                    "bad" if i in judged else "bar",
                    is_strong=i in judged,
                    mark="" if (theirs := before[i]) is None else beside(chance(theirs), earlier),
                    note=str(units.first_positions[i]),
                )
                for i in words[:MOST_BARS]
            ]
        )

    def _sentence(self, judged: list[str], count: int) -> str:
        """judged: the tokens judged to be replaced, likeliest first, out of `count` without special ones."""
        if not judged:
            return say("It judges every token to be original.")
        named = ", ".join(judged[:MOST_NAMED]) + (" …" if len(judged) > MOST_NAMED else "")
        sentence = say("It judges {number} of {count} tokens to be replaced: {tokens}")
        return sentence.format(number=len(judged), count=count, tokens=named)


def highest(replaced: np.ndarray, units: Units) -> list[float]:
    """(S) -> (U)"""
    return [float(replaced[members].max()) for members in units.members]


def replaced_before(reading: Reading, units: Units) -> list[float | None]:
    """The same (U) in the baseline, of the tokens that each is compared with; None where there are none."""
    baseline, alignment = reading.baseline, reading.alignment
    if baseline is None or alignment is None or baseline.replaced is None:
        return [None] * len(units)
    values: list[float | None] = []
    for members in units.members:
        theirs = [place for member in members if (place := alignment.other_positions[member]) is not None]
        values.append(float(baseline.replaced[theirs].max()) if theirs else None)
    return values


def judged_replaced(reading: Reading) -> set[int]:
    """Positions of the words that the model judges to be replaced; special tokens do not count."""
    if reading.replaced is None:
        return set()
    parts = reading.encoding.parts
    return {i for i in np.flatnonzero(reading.replaced >= REPLACED_FROM).tolist() if parts[i] != "special"}


COLUMNS = 2
SIDE_PX = 330
LEAST_PX = 280  # where the window is lower, the whole room scrolls
SHORTEST_SCALE = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


class WordsView(PredictView):
    """Mask cards in two columns on the left, what is said of the whole text on the right."""

    swap_requested = Signal()  # A and B change places

    def __init__(self) -> None:
        super().__init__()
        self.lens = self.add_question(self._on_lens_answered)
        self.similarity = self.add_question(self._on_similarity_answered)  # of A and B, as a sentence encoder has it
        self.cards: list[MaskCard] = []
        self.replaced = ReplacedCard()
        self.pair = PairCard()
        self.previous_card = PreviousCard()
        self.read_text = label("", wrap=True)
        self._previous: PreviousPredictions | None = None
        self._model: ModelInfo | None = None  # whose verdicts the previous pairs have
        self._similarity: float | None = None  # as shown: the cosine of A and B, or of what stood there just before
        self._similar_in: ModelInfo | None = None  # the model that it is of
        self._grid = QGridLayout()
        self._invitation = Card()
        self._invitation_title, self._invitation_text = label("", "number"), label("", wrap=True)
        self._mask_button = button(say("Mask"), self._on_mask_clicked, look="primary")
        self._more = label("", "muted")
        self._build()
        self.replaced.tokens.clicked.connect(self.click_unit)
        self.replaced.tokens.hovered.connect(self.hover_unit)
        self.add_token_menu(self.replaced.tokens)
        self.pair.text_requested.connect(self.text_requested)
        self.pair.swap_requested.connect(self.swap_requested)
        self.pair.pairs_changed.connect(self._keep)
        self.previous_card.dismissed.connect(lambda: self.keep(None))

    @property
    def shown_cards(self) -> list[MaskCard]:
        return [card for card in self.cards if not card.isHidden()]

    @property
    def invitation(self) -> str:
        """The sentence in place of predictions; empty where there are some."""
        return "" if self._invitation.isHidden() else self._invitation_text.text()

    def keep(self, previous: PreviousPredictions | None) -> None:
        """Shows these predictions beside those of the next reading; None: no more."""
        self._previous = previous
        if previous is None:
            self.previous_card.hide()
        self._keep()

    def restore(self, kept: tuple[PreviousPredictions | None, ModelInfo | None, list[AskedPair]]) -> None:
        self._previous, self._model, pairs = kept
        self.pair.set_pairs(pairs)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        masks, judges = self.masks, reading.replaced is not None
        self._show_masks(reading)
        self._more.setVisible(len(masks) < len(reading.masks))
        shown = say("Only the first {shown} of {all} masks are shown.")
        self._more.setText(shown.format(shown=MOST_MASKS, all=len(reading.masks)))
        self._invitation.setVisible(
            not reading.masks and not (judges and "mlm" not in reading.request.model.output_heads)
        )
        self.replaced.setVisible(judges)
        units = selection.units(reading)
        if reading.replaced is not None:
            self.replaced.show_reading(reading, reading.replaced, units)
        self._show_pair(reading)
        self.previous_card.show_previous(self._previous, reading, self.pair.verdict)
        self.read_text.setText(as_read(reading, units))
        ask_lens(self.lens, reading, self.pause_ms)
        if self.lens.answer is not None:
            self._on_lens_answered(self.lens.answer)
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        position = selection.position
        self.replaced.tokens.set_current(selection.units(reading).unit_of(position))
        if reading.masks:
            return
        model = reading.request.model
        missing = model.missing.get("mlm")
        if missing is None:
            title = say("Mask a word")
            text = say(
                "Double-click a token, or select it and press M, to mask it. The model then predicts which words "
                "belong there, and how likely each one is."
            )
        elif model.pooling is not None:
            title = say("Made to compare sentences")
            text = (
                missing
                + " "
                + say("It turns a sentence into one vector: on the right you see how similar A and B are.")
            )
        else:
            title = say("No predictions")
            text = missing + " " + say("Embed and Attend show how it reads the text.")
        self._invitation_title.setText(title)
        self._invitation_text.setText(text)
        offered = word_to_mask(reading, position) if missing is None else None
        self._mask_button.setVisible(offered is not None)
        if offered is not None:
            self._mask_button.setText(say("Mask “{token}”", token=reading.encoding.labels[offered]))

    def changeEvent(self, event: QEvent) -> None:
        """The colours of what was read stand in the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.reading is not None:
            self.read_text.setText(as_read(self.reading, self.selection.units(self.reading)))

    def _on_mask_clicked(self) -> None:
        if self.reading is not None:
            self.mask_toggled.emit(word_to_mask(self.reading, self.selection.position))

    def _show_masks(self, reading: Reading) -> None:
        masks = self.masks
        while len(self.cards) < len(masks):
            self._add_card()
        best = max((mask.words[0].probability for mask in reading.masks), default=1.0)
        full_bar, name = max(best, SHORTEST_SCALE), baseline_name(reading)
        for card, mask in zip(self.cards, masks, strict=False):
            card.show_reading(mask, reading.mask_name(mask.position), mask_token(reading))
            compared, differs = compared_mask(reading, mask), self.selection.wants_difference
            earlier, where = is_earlier(reading), where_first(reading)
            card.show_compared(compared, name, full_bar, where=where, wants_difference=differs, earlier=earlier)
        for number, card in enumerate(self.cards):
            card.setVisible(number < len(masks))

    def _show_pair(self, reading: Reading) -> None:
        model, card, encoding = reading.request.model, self.pair, reading.encoding
        if self._model is not model:  # verdicts of different models make no list
            self._model = model
            card.set_pairs([])
            self._keep()
        question = question_for(model)
        verdict = verdict_of(reading)
        if question.missing or encoding.text_b is None:
            card.show_reason(reading, question, question.missing or question.invitation)
        elif not encoding.text_a.strip():
            card.show_reason(reading, question, say("A is empty: type a sentence there too."))
        elif verdict is None:
            self._show_similarity(reading, question)
        else:
            before = None if reading.baseline is None else verdict_of(reading.baseline)
            card.show_verdict(reading, question, verdict, before, where_first(reading))
        card.offer(not question.missing, encoding.text_b is not None)

    def _show_similarity(self, reading: Reading, question: PairQuestion) -> None:
        """What is shown stays until the new text is compared; that takes two more passes through the model."""
        model, a, b = reading.request.model, reading.encoding.text_a, reading.encoding.text_b or ""
        if model is not self._similar_in:
            self._similar_in, self._similarity = model, None
        if self._similarity is None or model.pooling is None:
            self.pair.show_reason(reading, question, say("Comparing A and B…"))
        else:
            verdict = similarity_verdict(self._similarity, model.pooling, first_token(reading))
            self.pair.show_verdict(reading, question, verdict)
        self.similarity.ask_model(model, sentence_similarity, a, b, pause_ms=0)

    def _build(self) -> None:
        self._invitation.fill_with_message(self._invitation_title, self._invitation_text, self._mask_button)
        cards = self._build_cards()
        cards.setMinimumHeight(theme.px(LEAST_PX))
        inside = QWidget()
        side = vbox(parent=inside, gap_px=GAP_PX)
        read_card = Card(
            say("What the model reads"),
            intro=say("Words or pieces of words, with markers such as [CLS] and [SEP]."),
        )
        self.read_text.setTextFormat(Qt.TextFormat.RichText)
        self.read_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill(read_card.body, Steady(self.read_text), None)
        for card, stretch in ((self.pair, 0), (self.previous_card, 0), (read_card, 1)):
            side.addWidget(card, stretch)
        column = scrolled(inside)
        column.setFixedWidth(theme.column_px(SIDE_PX))
        side_card = folded_on_projector(column, say("A and B, and what the model reads"))
        self.column.addLayout(hbox((cards, 1), side_card, gap_px=GAP_PX))
        self.replaced.set_figure(self._replaced_figure)
        self.pair.set_figure(self._pair_figure, say("the verdict on A and B"))

    def _build_cards(self) -> QScrollArea:
        inside = QWidget()
        self._grid.setSpacing(theme.px(GAP_PX))
        vbox(self._invitation, (self._grid, 1), (self.replaced, 1), self._more, parent=inside, gap_px=GAP_PX)
        return scrolled(inside)

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self.cards)
        card.set_figure(partial(self._mask_figure, card), say("the words for this mask"))
        card.word_chosen.connect(lambda position, token_id: self.words_inserted.emit([(position, token_id)]))
        card.word_menu_requested.connect(partial(self._on_word_menu_requested, card))
        card.hover_text_changed.connect(self.hover_text_changed)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self.cards.append(card)

    def _keep(self, _pairs: object = None) -> None:
        self.kept_changed.emit((self._previous, self._model, list(self.pair.pairs)))

    def _on_word_menu_requested(self, card: MaskCard, row: int | None, at: QPoint) -> None:
        entries = figure_entries(card.picture[0])
        if row is not None:
            entries = [*self.word_entries(card.position, card.words[row]), None, *entries]
        show_context_menu(card, at, entries)

    def _on_lens_answered(self, lens: MaskLens) -> None:
        for number, card in enumerate(self.shown_cards):
            card.show_lens(lens, number)

    def _on_similarity_answered(self, similarity: float) -> None:
        self._similarity = similarity
        if self.reading is not None:
            self._show_pair(self.reading)

    def _mask_figure(self, card: MaskCard) -> Figure | None:
        names, values = [word.token for word in card.words], [word.probability for word in card.words]
        numbers = {"probability": numbers_of("word", names, values)}
        if card.compared is not None:
            changes = card.compared.changes
            before = [changes[word.id].probability if word.id in changes else math.nan for word in card.words]
            numbers["probability with the baseline"] = numbers_of("word", names, before)
        lens, index = self.lens.answer, self.cards.index(card)
        if self.reading is None:
            return None
        if lens is not None:
            stages = [stage_name(stage) for stage in range(len(lens.words))]
            best = [f"{name}: {words[index][0].token}" for name, words in zip(stages, lens.words, strict=True)]
            numbers["last word by layer"] = Numbers(lens.probability[:, index], (Axis("layer", stages),))
            numbers["best guess by layer"] = numbers_of(
                "layer", best, [words[index][0].probability for words in lens.words]
            )
        title = say("{mask} at position {position}", mask=mask_token(self.reading), position=card.position)
        hint = say("most likely words and their probabilities") + " · " + card.hint
        return self.figure(title, card.picture, numbers, hint=hint, settings=card.decided)

    def _replaced_figure(self) -> Figure | None:
        if self.reading is None or self.reading.replaced is None:
            return None
        units = self.selection.units(self.reading)
        values = highest(self.reading.replaced, units)
        numbers = {"probability of being replaced": numbers_of("token", units.labels, values)}
        return self.figure(self.replaced.title, [*self.replaced.pictures], numbers, hint=self.replaced.answer.text())

    def _pair_figure(self) -> Figure | None:
        """The verdict on A and B with the numbers behind it."""
        reading = self.reading
        if reading is None:
            return None
        is_similarity, shares = False, {}
        if reading.next_sentence is not None:
            shares = {"is next": reading.next_sentence.is_next, "is not next": reading.next_sentence.not_next}
        elif reading.sentence_order is not None:
            shares = {"in order": reading.sentence_order.in_order, "swapped": reading.sentence_order.swapped}
        elif self.similarity.answer is not None:  # else what is on show is of the previous pair
            is_similarity, shares = True, {"A and B": self.similarity.answer}
        if not shares:
            return None
        name = "cosine" if is_similarity else "probability"
        numbers = {name: numbers_of("answer", list(shares), list(shares.values()))}
        of: dict[str, Any] = {"plain": is_similarity, "masks": not is_similarity, "by_token": True}
        return self.figure(self.pair.title, self.pair.pictures, numbers, **of)


def as_read(reading: Reading, units: Units) -> str:
    """The tokens or words in the colours of their parts, as rich text; what was typed is escaped."""

    look, judged = theme.active(), {units.unit_of(position) for position in judged_replaced(reading)}
    words = []
    for unit, (token, kind) in enumerate(zip(units.labels, units.kinds, strict=True)):
        weight = "bold" if kind == "mask" or unit in judged else "normal"
        line = "underline" if unit in judged else "none"
        style = f"color:{getattr(look, kind)}; font-weight:{weight}; text-decoration:{line}"
        words.append(f'<span style="{style}">{html.escape(token)}</span>')
    legend = ""
    if judged:
        meaning = say("underlined: judged to be replaced")
        legend = f'<p style="color:{look.muted}">{html.escape(meaning)}</p>'
    return f'<p style="line-height:150%">{" ".join(words)}</p>{legend}'
