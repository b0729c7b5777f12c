"""The likeliest words for each mask, the verdict on A and B, and what the model read: the room's first view."""

from __future__ import annotations

import html
import math
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from ...compute.question import Job
from ...compute.word_questions import sentence_similarity
from ...figures.figure import Axis, Figure, Numbers, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside, is_earlier
from ...state.readings import Reading, word_to_mask
from ...state.selection import Selection
from ...state.token_units import Units
from ...state.verdicts import Verdict, first_token, question_for, similarity_verdict, verdict_of
from ...widgets.card import GAP_PX, Card, Steady, button, label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.charts.tokens import HeatTokens
from ...widgets.context_menu import figure_entries, show_context_menu
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox, vbox
from .mask_card import MaskCard
from .pair_card import AskedPair, PairCard
from .predict_sentences import mask_token, replaced_sentence, stage_names
from .previous_predictions import PreviousCard, PreviousPredictions
from .view import MOST_MASKS, PredictView, lens_job

if TYPE_CHECKING:
    from ...state.model_info import ModelInfo

REPLACED_FROM = 0.5  # the probability from which on a token is judged to be replaced
MOST_BARS = 10
COLUMNS = 2
SIDE_PX = 330
LEAST_PX = 280  # where the window is lower, the whole room scrolls
SHORTEST_SCALE = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


class WordsView(PredictView):
    """Mask cards in two columns on the left, what is said of the whole text on the right."""

    asks: ClassVar = {"lens": False}
    swap_requested = Signal()  # A and B change places

    def __init__(self) -> None:
        super().__init__()
        self.similarity = self.add_question(self._on_similarity_answered)  # of A and B, as a sentence encoder has it
        self.cards: list[MaskCard] = []
        self.replaced, self.pair, self.previous_card = ReplacedCard(), PairCard(), PreviousCard()
        self.read_text = label("", wrap=True)
        self._previous: PreviousPredictions | None = None
        self._model: ModelInfo | None = None  # whose verdicts the previous pairs have
        self._similarity: float | None = None  # as shown: the cosine of A and B, or of what stood there just before
        self._similar_in: ModelInfo | None = None  # the model that it is of
        self._grid, self._more = QGridLayout(), label("", "muted")
        self._invitation = Card()
        self._invitation_title, self._invitation_text = label("", "number"), label("", wrap=True)
        self._mask_button = button(say("Mask"), self._on_mask_clicked, look="primary")
        self._invitation.fill_with_message(self._invitation_title, self._invitation_text, self._mask_button)
        self._lay_out()
        self.replaced.tokens.clicked.connect(self.click_unit)
        self.replaced.tokens.hovered.connect(self.hover_unit)
        self.add_token_menu(self.replaced.tokens)
        self.replaced.set_figure(self._replaced_figure)
        self.pair.set_figure(self._pair_figure, say("the verdict on A and B"))
        self.pair.text_requested.connect(self.text_requested)
        self.pair.swap_requested.connect(self.swap_requested)
        self.pair.pairs_changed.connect(self._keep)
        self.previous_card.dismissed.connect(lambda: self.keep(None))

    def _lay_out(self) -> None:
        inside, beside_ = QWidget(), QWidget()
        self._grid.setSpacing(theme.px(GAP_PX))
        vbox(self._invitation, (self._grid, 1), (self.replaced, 1), self._more, parent=inside, gap_px=GAP_PX)
        cards = scrolled(inside)
        cards.setMinimumHeight(theme.px(LEAST_PX))
        intro = say("Words or pieces of words, with markers such as [CLS] and [SEP].")
        read_card = Card(say("What the model reads"), intro=intro)
        self.read_text.setTextFormat(Qt.TextFormat.RichText)
        self.read_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill(read_card.body, Steady(self.read_text), None)
        vbox(self.pair, self.previous_card, (read_card, 1), parent=beside_, gap_px=GAP_PX)
        column = scrolled(beside_)
        column.setFixedWidth(theme.column_px(SIDE_PX))
        folded = folded_on_projector(column, say("A and B, and what the model reads"))
        self.column.addLayout(hbox((cards, 1), folded, gap_px=GAP_PX))

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
        masks, judges, units = self.masks, reading.replaced is not None, selection.units(reading)
        self._show_masks(reading)
        self._more.setVisible(len(masks) < len(reading.masks))
        shown = say("Only the first {shown} of {all} masks are shown.", shown=MOST_MASKS, all=len(reading.masks))
        self._more.setText(shown)
        has_words = "mlm" in reading.request.model.output_heads
        self._invitation.setVisible(not reading.masks and (has_words or not judges))
        self.replaced.setVisible(judges)
        if reading.replaced is not None:
            self.replaced.show_reading(reading, units)
        self._show_pair(reading)
        self.previous_card.show_previous(self._previous, reading, self.pair.verdict)
        self.read_text.setText(as_read(reading, units))
        self.ask_all()
        self.draw_answer("lens")
        self.show_selection(reading, selection)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        return lens_job(reading)

    def draw_answer(self, asks: str) -> None:
        lens = self.answer_of("lens", self.reading)
        for number, card in enumerate(self.shown_cards if lens is not None else ()):
            card.show_lens(lens, number)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        position, model = selection.position, reading.request.model
        self.replaced.tokens.select(selection.units(reading).unit_of(position))
        if reading.masks:
            return
        missing = model.missing.get("mlm")
        if missing is None:
            title = say("Mask a word")
            text = say(
                "Double-click a token, or select it and press M, to mask it. The model then predicts which words "
                "belong there, and how likely each one is."
            )
        elif model.pooling is not None:
            title = say("Made to compare sentences")
            more = say("It turns a sentence into one vector: on the right you see how similar A and B are.")
            text = f"{missing} {more}"
        else:
            title, text = say("No predictions"), f"{missing} {say('Embed and Attend show how it reads the text.')}"
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
        masks, differs = self.masks, self.selection.wants_difference
        while len(self.cards) < len(masks):
            self._add_card()
        full_bar = max(*(mask.words[0].probability for mask in reading.masks), SHORTEST_SCALE, 0.0)
        for card, mask in zip(self.cards, masks, strict=False):
            card.show_mask(reading, mask, full_bar, wants_difference=differs)
        for number, card in enumerate(self.cards):
            card.setVisible(number < len(masks))

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self.cards)
        card.set_figure(partial(self._mask_figure, card), say("the words for this mask"))
        card.word_chosen.connect(lambda position, token_id: self.words_inserted.emit([(position, token_id)]))
        card.word_menu_requested.connect(partial(self._on_word_menu_requested, card))
        card.hover_text_changed.connect(self.hover_text_changed)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self.cards.append(card)

    def _show_pair(self, reading: Reading) -> None:
        model, encoding = reading.request.model, reading.encoding
        if self._model is not model:  # verdicts of different models make no list
            self._model = model
            self.pair.set_pairs([])
            self._keep()
        question, verdict, reason = question_for(model), verdict_of(reading), ""
        if question.missing or encoding.text_b is None:
            verdict, reason = None, question.missing or question.invitation
        elif not encoding.text_a.strip():
            verdict, reason = None, say("A is empty: type a sentence there too.")
        elif verdict is None:
            verdict, reason = self._compare(reading), say("Comparing A and B…")
        self.pair.show_verdict(reading, question, verdict, reason)

    def _compare(self, reading: Reading) -> Verdict | None:
        """How alike A and B are. What is shown stays until the new text is compared: that takes two more passes."""
        model = reading.request.model
        if model is not self._similar_in:
            self._similar_in, self._similarity = model, None
        self.similarity.ask_model(
            model, sentence_similarity, reading.encoding.text_a, reading.encoding.text_b or "", pause_ms=0
        )
        if self._similarity is None or model.pooling is None:
            return None
        return similarity_verdict(self._similarity, model.pooling, first_token(reading))

    def _keep(self, _pairs: object = None) -> None:
        self.kept_changed.emit((self._previous, self._model, list(self.pair.pairs)))

    def _on_word_menu_requested(self, card: MaskCard, row: int | None, at: QPoint) -> None:
        entries = figure_entries(card.picture[0])
        if row is not None:
            entries = [*self.word_entries(card.position, card.words[row]), None, *entries]
        show_context_menu(card, at, entries)

    def _on_similarity_answered(self, similarity: float) -> None:
        self._similarity = similarity
        if self.reading is not None:
            self._show_pair(self.reading)

    def _mask_figure(self, card: MaskCard) -> Figure | None:
        lens, index, reading = self.answer_of("lens", self.reading), self.cards.index(card), self.reading
        if reading is None:
            return None
        names = [word.token for word in card.words]
        arrays = {"probability": numbers_of("word", names, [word.probability for word in card.words])}
        if card.compared is not None:
            changes = card.compared.changes
            before = [changes[word.id].probability if word.id in changes else math.nan for word in card.words]
            arrays["probability with the baseline"] = numbers_of("word", names, before)
        if lens is not None:
            stages, tops = stage_names(lens), [words[index][0] for words in lens.words]
            best = [f"{name}: {word.token}" for name, word in zip(stages, tops, strict=True)]
            arrays["last word by layer"] = Numbers(lens.probability[:, index], (Axis("layer", stages),))
            arrays["best guess by layer"] = numbers_of("layer", best, [word.probability for word in tops])
        title = say("{mask} at position {position}", mask=mask_token(reading), position=card.position)
        hint = say("most likely words and their probabilities") + " · " + card.hint
        return self.figure(title, card.picture, arrays, hint=hint, settings=card.decided.text())

    def _replaced_figure(self) -> Figure | None:
        if self.reading is None or self.reading.replaced is None:
            return None
        units, card = self.selection.units(self.reading), self.replaced
        values = {"probability of being replaced": numbers_of("token", units.labels, highest(self.reading, units))}
        return self.figure(card.title, card.pictures, values, hint=card.answer.text())

    def _pair_figure(self) -> Figure | None:
        """The verdict on A and B with the numbers behind it."""
        reading = self.reading
        if reading is None:
            return None
        name, shares, of = "probability", dict[str, float](), dict[str, Any](by_token=True)
        if reading.next_sentence is not None:
            shares = {"is next": reading.next_sentence.is_next, "is not next": reading.next_sentence.not_next}
        elif reading.sentence_order is not None:
            shares = {"in order": reading.sentence_order.in_order, "swapped": reading.sentence_order.swapped}
        elif self.similarity.answer is not None:  # else what is on show is of the previous pair
            name, shares, of = "cosine", {"A and B": self.similarity.answer}, {**of, "plain": True, "masks": False}
        arrays = {name: numbers_of("answer", list(shares), list(shares.values()))}
        return self.figure(self.pair.title, self.pair.pictures, arrays, **of) if shares else None


class ReplacedCard(Card):
    """Which tokens look replaced: the verdict in a sentence, the tokens in their order, the likeliest as bars."""

    def __init__(self) -> None:
        super().__init__(
            say("Which tokens look replaced?"),
            intro=say(
                "This model learned to spot words that another model had swapped. Type a word that does not fit: does "
                "it notice?"
            ),
        )
        self.answer, scale = label("", "number", wrap=True), ColorBar(signed=False)
        self.tokens = HeatTokens(say("Probability that each token was replaced"))
        self.bars = BarList(say("Most likely replaced"), stretch_to_px=30)
        explain("own_probability", self.tokens, self.bars, scale)
        scale.set_range(0, 1, numbers.probability)
        least = numbers.probability(REPLACED_FROM)
        framed = say("outlined: judged to be replaced (probability {least} or more)", least=least)
        line = hbox(label(say("probability"), "muted"), scale, label(framed, "muted"), None)
        title = label(say("Most likely replaced"), "title")
        fill(self.body, self.answer, 4, self.tokens, 4, line, 12, title, (self.bars, 1))
        self.pictures: list[QWidget] = [self.tokens, scale, self.bars]  # what a saved picture shows

    def show_reading(self, reading: Reading, units: Units) -> None:
        """A word is as likely replaced as the likeliest of its pieces."""
        labels, values, baseline = units.labels, highest(reading, units), highest_in_baseline(reading, units)
        judged = {unit for position in judged_replaced(reading) if (unit := units.unit_of(position)) is not None}
        self.tokens.set_values(labels, units.kinds, values, numbers.probability, marked=judged)
        chance, is_older = partial(numbers.probability, fine=reading.baseline is not None), is_earlier(reading)
        words = [i for i in np.argsort(-np.asarray(values), kind="stable").tolist() if units.kinds[i] != "special"]
        self.answer.setText(replaced_sentence([labels[i] for i in words if i in judged], len(words)))
        bars = []
        for i in words[:MOST_BARS]:
            theirs, is_judged = baseline[i], i in judged
            mark, color = "" if theirs is None else beside(chance(theirs), is_older), "bad" if is_judged else "bar"
            note = str(units.first_positions[i])
            bars.append(Bar(labels[i], chance(values[i]), values[i], color, is_strong=is_judged, mark=mark, note=note))
        self.bars.set_bars(bars)


def highest(reading: Reading, units: Units) -> list[float]:
    """(U) how likely each was replaced."""
    assert reading.replaced is not None
    return [float(reading.replaced[members].max()) for members in units.members]


def highest_in_baseline(reading: Reading, units: Units) -> list[float | None]:
    """The same (U) in the baseline, of the tokens that each is compared with; None where there are none."""
    baseline, alignment = reading.baseline, reading.alignment
    if baseline is None or alignment is None or baseline.replaced is None:
        return [None] * len(units)
    others = alignment.other_positions
    theirs = ([place for one in members if (place := others[one]) is not None] for members in units.members)
    return [float(baseline.replaced[places].max()) if places else None for places in theirs]


def judged_replaced(reading: Reading) -> set[int]:
    """Positions of the words that the model judges to be replaced; special tokens do not count."""
    if reading.replaced is None:
        return set()
    parts = reading.encoding.parts
    return {i for i in np.flatnonzero(reading.replaced >= REPLACED_FROM).tolist() if parts[i] != "special"}


def as_read(reading: Reading, units: Units) -> str:
    """The tokens or words in the colours of their parts, as rich text; what was typed is escaped."""
    look, judged = theme.active(), {units.unit_of(position) for position in judged_replaced(reading)}
    words = []
    for unit, (token, kind) in enumerate(zip(units.labels, units.kinds, strict=True)):
        weight = "bold" if kind == "mask" or unit in judged else "normal"
        line = "underline" if unit in judged else "none"
        style = f"color:{getattr(look, kind)}; font-weight:{weight}; text-decoration:{line}"
        words.append(f'<span style="{style}">{html.escape(token)}</span>')
    text = f'<p style="line-height:150%">{" ".join(words)}</p>'
    meaning = html.escape(say("underlined: judged to be replaced"))
    return f'{text}<p style="color:{look.muted}">{meaning}</p>' if judged else text
