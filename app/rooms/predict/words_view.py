"""The likeliest words for each mask, the verdict on A and B, and what the model read: the room's first view."""

from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout

from ...compute.question import Job
from ...compute.word_questions import sentence_similarity
from ...figures.figure import Figure, numbers_of
from ...figures.values import Values, tokens
from ...look import mark, numbers, say, theme
from ...state import ModelInfo, Reading, Selection, Units
from ...state.baseline_names import beside, is_earlier
from ...state.verdicts import first_token, question_for, similarity_verdict, verdict_of
from ...widgets.card import GAP_PX, AsHighAsNeeded, Card, label, scrolled, show_text
from ...widgets.charts.bars import BarList
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill, vbox
from ...widgets.rich_text import RichLabel, colored
from ..direction import DirectionSwitches, about_direction
from ..pictures import Bars, Tokens
from .mask_card import MaskCard
from .pair_card import AskedPair, PairCard, PreviousCard, PreviousPredictions
from .predict_sentences import mask_token, missing_words, replaced_sentence
from .view import MOST_MASKS, PredictView, lens_job

REPLACED_FROM = 0.5  # the probability from which on a token is judged to be replaced
MOST_BARS = 10
COLUMNS = 2
SIDE_PX = 330
LEAST_PX = 280  # where the window is lower, the whole room scrolls
SHORTEST_SCALE = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


class WordsView(PredictView):
    """Mask cards in two columns on the left, what is said of the whole text on the right."""

    asks: ClassVar = {"lens": False}
    pictures = (
        Tokens(
            key="replaced",
            title=mark("Which tokens look replaced?"),
            name=mark("Probability that each token was replaced"),
            intro=mark(
                "This model learned to spot words that another model had swapped. Type a word that does not fit: does "
                "it notice?"
            ),
            number="own_probability",
            saved_as="probability of being replaced",
            python="m.fill(a, b).replaced",
            is_compared=False,
            scale=mark("probability"),
            scale_ends=numbers.probability,
            below=numbers.probability,
        ),
        Bars(
            key="likeliest",
            title=mark("Most likely replaced"),
            name=mark("Most likely replaced"),
            number="own_probability",
            on="replaced",
            is_compared=False,
            chart=partial(BarList, stretch_to_px=30),
            marks_selected=False,
            notes_positions=True,
        ),
    )
    _previous: PreviousPredictions | None = None
    _model: ModelInfo | None = None  # whose verdicts the previous pairs have
    _similarity: tuple[ModelInfo, float] | None = None  # as shown: the cosine of A and B, or of what stood there before

    def __init__(self) -> None:
        super().__init__()
        self.pair, self.previous_card = PairCard(), PreviousCard()
        self.read_text = RichLabel(say("What the model reads"))
        self.pair.set_figure(self._pair_figure, say("the verdict on A and B"))
        self.pair.text_requested.connect(self.text_requested)
        self.pair.pairs_changed.connect(self._keep)
        self.previous_card.dismissed.connect(lambda: self.keep(None))
        intro = say("Words or pieces of words, with markers such as [CLS] and [SEP].")
        read_card = Card(say("What the model reads"), intro=intro)
        self.read_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.directions, self.one_sided = DirectionSwitches(self.what_if_edited.emit), label("", "muted", wrap=True)
        both = label(say("One direction only"), "title")
        fill(read_card.body, AsHighAsNeeded(self.read_text), 8, both, self.directions, self.one_sided, None)
        column = scrolled(vbox(self.pair, self.previous_card, (read_card, 1), gap_px=GAP_PX))
        column.setFixedWidth(theme.column_px(SIDE_PX))
        self.row.addWidget(folding_on_projector(column, say("A and B, and what the model reads")))

    def lay_out(self) -> QLayout:
        self.similarity = self.add_question(self._on_similarity_answered)  # of A and B, as a sentence encoder has it
        self.mask_cards: list[MaskCard] = []
        self._grid, self._more, self.judged = QGridLayout(), label("", "muted"), label("", "number", wrap=True)
        self._grid.setSpacing(theme.px(GAP_PX))
        least, card = numbers.probability(REPLACED_FROM), self.cards["replaced"]
        framed = say("outlined: judged to be replaced (probability {least} or more)", least=least)
        card.body.insertWidget(0, self.judged)
        title = label(say("Most likely replaced"), "title")
        fill(card.body, label(framed, "muted"), 12, title, (self.charts["likeliest"], 1))
        area = scrolled(vbox((self._grid, 1), (card, 1), self._more, gap_px=GAP_PX))
        area.setMinimumHeight(theme.px(LEAST_PX))
        return vbox(area)

    @property
    def shown_cards(self) -> list[MaskCard]:
        return self.mask_cards[: len(self.masks)]

    def keep(self, previous: PreviousPredictions | None) -> None:
        """Shows these predictions beside those of the next reading; None: no more."""
        self._previous = previous
        if previous is None:
            self.previous_card.hide()
        self._keep()

    def restore(self, kept: tuple[PreviousPredictions | None, ModelInfo | None, list[AskedPair]]) -> None:
        self._previous, self._model, pairs = kept
        self.pair.set_pairs(pairs)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        missing = missing_words(reading)
        self.offer_mask(reading, selection)
        if reading.masks or reading.replaced is not None:
            return None
        if not missing:
            text = say(
                "Double-click a token, or select it and press M, to mask it. The model then predicts which words "
                "belong there, and how likely each one is."
            )
            return say("Mask a word"), text
        if reading.request.model.pooling is None:
            return say("No predictions"), f"{missing} {say('Embed and Attend show how it reads the text.')}"
        more = say("It turns a sentence into one vector: on the right you see how similar A and B are.")
        return say("Made to compare sentences"), f"{missing} {more}"

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        masks, every_mask = self.masks, len(reading.masks)
        while len(self.mask_cards) < len(masks):
            self._add_card()
        every_list = [*reading.masks, *(reading.baseline.masks if reading.baseline else [])]  # on one scale
        full_bar = max(*(mask.words[0].probability for mask in every_list), SHORTEST_SCALE, 0.0)
        for card, mask in zip(self.mask_cards, masks, strict=False):
            card.show_mask(reading, mask, full_bar, wants_difference=selection.wants_difference)
        for number, card in enumerate(self.mask_cards):
            card.setVisible(number < len(masks))
        cut = say("Only the first {shown} of {all} masks are shown.", shown=MOST_MASKS, all=every_mask)
        show_text(self._more, cut if len(masks) < every_mask else "")
        self.cards["replaced"].setVisible(reading.replaced is not None)
        self._show_pair(reading)
        self.previous_card.show_previous(self._previous, reading, self.pair.verdict)
        self.read_text.write(self._as_read)
        self.directions.show_what_if(reading.request.what_if)
        self.one_sided.setText(about_direction(reading.request.what_if.direction))
        super().show_reading(reading, selection)
        self.draw_answer("lens")

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        return lens_job(reading)

    def draw_answer(self, asks: str) -> None:
        lens = self.answer_of("lens", self.reading)
        for number, card in enumerate(self.shown_cards if lens is not None else ()):
            card.show_lens(lens, number)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        """A word is as likely replaced as the likeliest of its pieces."""
        if reading.replaced is None:
            return None
        units, side = selection.units(reading), tokens(selection.units(reading))
        chances = np.array([reading.replaced[members].max() for members in units.members])
        outlined = judged_replaced(reading, units)
        if key == "replaced":
            return Values(chances, side, low=0, high=1, detail={"marked": outlined})
        words = [i for i in np.argsort(-chances, kind="stable").tolist() if units.kinds[i] != "special"]
        self.judged.setText(replaced_sentence([units.labels[i] for i in words if i in outlined], len(words)))
        baseline, is_older = reading.baseline, is_earlier(reading)
        chance, words = partial(numbers.probability, fine=baseline is not None), words[:MOST_BARS]
        marks, is_outlined = [""] * len(words), [i in outlined for i in words]
        if baseline is not None and baseline.replaced is not None and reading.alignment is not None:
            places = [[reading.alignment.other_positions[one] for one in units.members[i]] for i in words]
            theirs = [[baseline.replaced[place] for place in one if place is not None] for one in places]
            marks = [beside(chance(float(max(one))), is_older) if one else "" for one in theirs]
        colors, texts = (
            ["bad" if one else "bar" for one in is_outlined],
            [[chance(float(one))] for one in chances[words]],
        )
        detail = {"color": colors, "is_strong": is_outlined, "mark": marks}
        return Values(chances[words], side.some(words), high=1, texts=texts, detail=detail)

    def _as_read(self) -> str:
        """The tokens or words in the colours of their parts, as rich text."""
        reading, words = self.reading, list[str]()
        if reading is None:
            return ""
        units = self.selection.units(reading)
        judged = judged_replaced(reading, units)
        for unit, (token, kind) in enumerate(zip(units.labels, units.kinds, strict=True)):
            word = colored(token, kind, bold=kind == "mask" or unit in judged)
            words.append(f"<u>{word}</u>" if unit in judged else word)
        meaning = colored(say("underlined: judged to be replaced"), "muted")
        return f'<p style="line-height:150%">{" ".join(words)}</p>' + (f"<p>{meaning}</p>" if judged else "")

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self.mask_cards)
        card.set_figure(partial(self._mask_figure, card), say("the words for this mask"))
        card.words_inserted.connect(self.words_inserted)
        card.token_menu_requested.connect(self.token_menu_requested)
        card.hover_text_changed.connect(self.hover_text_changed)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self.mask_cards.append(card)

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
            # What is shown stays until the new text is compared: that takes two more passes.
            reason, texts = say("Comparing A and B…"), (encoding.text_a, encoding.text_b)
            self.similarity.ask_model(model, sentence_similarity, *texts, pause_ms=0)
            if self._similarity is not None and self._similarity[0] is model and model.pooling is not None:
                verdict = similarity_verdict(self._similarity[1], model.pooling, first_token(reading))
        self.pair.show_verdict(reading, question, verdict, reason)

    def _on_similarity_answered(self, similarity: float) -> None:
        if self.reading is not None:
            self._similarity = self.reading.request.model, similarity
            self._show_pair(self.reading)

    def _keep(self) -> None:
        self.kept_changed.emit((self._previous, self._model, list(self.pair.pairs)))

    def _mask_figure(self, card: MaskCard) -> Figure | None:
        if self.reading is None:
            return None
        title = say("{mask} at position {position}", mask=mask_token(self.reading), position=card.position)
        hint = say("most likely words and their probabilities") + " · " + card.hint
        number = [mask.position for mask in self.reading.masks].index(card.position)
        words = f"m.fill(a, b, top=m.config.vocab_size)[{number}]"
        python = f"[word.probability for word in {words} if word.id in {[word.id for word in card.words]}]"
        of = {"hint": hint, "settings": card.decided.text(), "python": python}
        return self.figure(title, card.picture, card.numbers(), **of)

    def caption(self, key: str) -> dict[str, Any]:
        return {"hint": self.judged.text()}

    def _pair_figure(self) -> Figure | None:
        """The verdict on A and B with the numbers behind it."""
        reading = self.reading
        if reading is None:
            return None
        name, shares, of = "probability", dict[str, float](), dict[str, Any](by_token=True)
        if reading.next_sentence is not None:
            of["python"] = "[(said := m.fill(a, b).next_sentence).is_next, said.not_next]"
            shares = {"is next": reading.next_sentence.is_next, "is not next": reading.next_sentence.not_next}
        elif reading.sentence_order is not None:
            of["python"] = "[(said := m.fill(a, b).sentence_order).in_order, said.swapped]"
            shares = {"in order": reading.sentence_order.in_order, "swapped": reading.sentence_order.swapped}
        elif self.similarity.answer is not None:  # else what is on show is of the previous pair
            name, shares, of = "cosine", {"A and B": self.similarity.answer}, {**of, "plain": True, "masks": False}
            of["python"] = f"[m.similarity({reading.encoding.text_a!r}, {reading.encoding.text_b!r})]"
        arrays = {name: numbers_of("answer", list(shares), list(shares.values()))}
        return self.figure(self.pair.title, self.pair.pictures, arrays, **of) if shares else None


def judged_replaced(reading: Reading, units: Units) -> set[int]:
    """The units that the model judges to be replaced; special tokens do not count."""
    if reading.replaced is None:
        return set()
    parts = reading.encoding.parts
    judged = (i for i in np.flatnonzero(reading.replaced >= REPLACED_FROM).tolist() if parts[i] != "special")
    return {unit for position in judged if (unit := units.unit_of(position)) is not None}
