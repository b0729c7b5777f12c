"""The page Words, the room's first view: a card for each mask, the verdict on A and B, and what the model read."""

from __future__ import annotations

import html
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers, numbers_of
from app.look import theme
from app.rooms.predict.former import Kept, KeptCard
from app.rooms.predict.mask_card import MaskCard
from app.rooms.predict.page import PredictPage, stage_name
from app.rooms.predict.pair import PairDesk
from app.rooms.predict.replaced_card import ReplacedCard, highest, taken_for_replaced
from app.state.readings import Reading
from app.widgets.card import GAP_PX, Card, button, label, scrolled
from app.widgets.steady import Steady

if TYPE_CHECKING:
    from app.compute.mask_lens import MaskLens
    from app.rooms.predict.room import PredictRoom
    from app.state.model_info import ModelInfo
    from app.state.token_units import Units

COLUMNS = 2
MOST_CARDS = 12
SIDE_PX = 330
LEAST_PX = 280  # where the window is lower, the whole room scrolls
INVITATION = (
    "Double-click a token, or press M, to mask it. "
    "The model then says which words it would put there, and how likely each is."
)
SHORTEST_SCALE = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability
KEPT = "predict.kept"  # what a window built anew finds in the state


class WordsPage(PredictPage):
    """Mask cards in two columns on the left, what is said of the whole text on the right."""

    needs_lens = True

    def __init__(self, room: PredictRoom) -> None:
        super().__init__(room)
        self.cards: list[MaskCard] = []
        self._grid = QGridLayout()
        self._invitation = Card()
        self._invitation_title = label("", "number")
        self._invitation_text = label("", wrap=True)
        self._mask_button = button("Mask", lambda: room.state.toggle_mask(), look="primary")
        self._more = label("", "muted")
        self.replaced = ReplacedCard()
        self.pair = PairDesk(room)
        self.kept_card = KeptCard()
        self._read_card = Card("What the model read")
        self.read_text = label("", wrap=True)
        self.read_text.setTextFormat(Qt.TextFormat.RichText)
        self._build()
        self.replaced.set_figure(self._replaced_figure)
        self.replaced.clicked.connect(lambda unit: room.state.set_focus(room.position_of(unit)))
        self.replaced.hovered.connect(lambda unit: room.state.set_hover(room.position_of(unit)))
        self.kept_card.dismissed.connect(self._on_kept_card_dismissed)

    @property
    def shown_cards(self) -> list[MaskCard]:
        return [card for card in self.cards if not card.isHidden()]

    @property
    def invitation(self) -> str:
        """The sentence in place of predictions; empty where there are some."""
        return "" if self._invitation.isHidden() else self._invitation_text.text()

    def keep(self, what: str, put_in: list[tuple[int, str]]) -> Kept | None:
        """The guesses as they are now, to be shown once these words are in the text: (position, word)."""
        reading = self.room.state.reading
        if reading is None:
            return None
        return Kept(
            what, reading.encoding, tuple(reading.masks), tuple(put_in), self.pair.card.said, reading.request.model
        )

    def show_former(self, kept: Kept) -> None:
        self.room.state.kept[KEPT] = kept

    def draw_reading(self, reading: Reading) -> None:
        masks = reading.masks[:MOST_CARDS]
        self._more.setVisible(len(masks) < len(reading.masks))
        self._more.setText(f"The first {MOST_CARDS} of {len(reading.masks)} masks are shown.")
        while len(self.cards) < len(masks):
            self._add_card()
        best = max((mask.words[0].probability for mask in reading.masks), default=1.0)
        former = before_changes(reading)
        for card, mask in zip(self.cards, masks, strict=False):
            chances = former.get(mask.position)
            card.show_reading(mask, max(best, SHORTEST_SCALE), self.room.state.mask_token, chances)
            plain = reading.before.masks if reading.before is not None else []
            card.show_before(next((one for one in plain if one.position == mask.position), None), mask)
        for number, card in enumerate(self.cards):
            card.setVisible(number < len(masks))
        judges = reading.replaced is not None
        self._invitation.setVisible(not reading.masks and not (judges and "mlm" not in reading.request.model.tasks))
        self.replaced.setVisible(judges)
        units = reading.units(self.room.state.token_view)
        if reading.replaced is not None:
            self.replaced.show_reading(reading, reading.replaced, units)
        self.pair.draw(reading)
        kept = self.room.state.kept.get(KEPT)
        self.kept_card.show_kept(kept if isinstance(kept, Kept) else None, reading, self.pair.card.said)
        self.read_text.setText(as_read(reading, units))
        self.draw_focus(reading)

    def changeEvent(self, event: QEvent) -> None:
        """The colours of what was read stand in the text."""
        super().changeEvent(event)
        reading = self.room.state.reading
        if event.type() == QEvent.Type.PaletteChange and reading is not None and self.read_text.text():
            self.read_text.setText(as_read(reading, reading.units(self.room.state.token_view)))

    def draw_lens(self, lens: MaskLens) -> None:
        for number, card in enumerate(self.shown_cards):
            card.show_lens(lens, number)

    def draw_focus(self, reading: Reading) -> None:
        position = self.room.current
        units = self.room.units
        self.replaced.set_current(units.unit_of(position) if units else None)
        if reading.masks:
            return
        model = reading.request.model
        missing = model.missing.get("mlm")
        is_word = reading.encoding.parts[position] != "special"
        compares = missing is not None and model.pooling is not None
        self._invitation_title.setText(
            "Made to compare sentences" if compares else "No predictions" if missing else "Mask a word"
        )
        self._invitation_text.setText(f"{missing} {_what_else(model)}" if missing else INVITATION)
        self._mask_button.setVisible(missing is None and is_word)
        self._mask_button.setText(f"Mask “{reading.encoding.labels[position]}”")

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(GAP_PX))
        self._fill_invitation()
        cards = self._build_scroll()
        cards.setMinimumHeight(theme.px(LEAST_PX))
        row.addWidget(cards, 1)
        inside = QWidget()
        side = QVBoxLayout(inside)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(theme.px(GAP_PX))
        self.read_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._read_card.body.addWidget(Steady(self.read_text))
        self._read_card.body.addStretch(1)
        for card, stretch in ((self.pair.card, 0), (self.kept_card, 0), (self._read_card, 1)):
            side.addWidget(card, stretch)
        column = scrolled(inside)
        column.setFixedWidth(theme.column_px(SIDE_PX))
        row.addWidget(column)
        self.column.addLayout(row)

    def _fill_invitation(self) -> None:
        """In the middle of the empty card."""
        body = self._invitation.body
        body.addStretch(2)
        for widget in (self._invitation_title, self._invitation_text):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
            body.addWidget(widget)
        body.addSpacing(theme.px(8))
        body.addWidget(self._mask_button, 0, Qt.AlignmentFlag.AlignHCenter)
        body.addStretch(3)

    def _build_scroll(self) -> QScrollArea:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(GAP_PX))
        self._grid.setSpacing(theme.px(GAP_PX))
        column.addWidget(self._invitation)
        column.addLayout(self._grid, 1)
        column.addWidget(self.replaced, 1)
        column.addWidget(self._more)
        return scrolled(inside)

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self.cards)
        card.set_figure(partial(self._mask_figure, card), "the words for this mask")
        card.word_chosen.connect(self.room.put_in)
        card.told.connect(self.room.hover_text_changed)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self.cards.append(card)

    def _on_kept_card_dismissed(self) -> None:
        self.room.state.kept.pop(KEPT, None)
        self.kept_card.hide()

    def _mask_figure(self, card: MaskCard) -> Figure | None:
        names, values = zip(*card.words, strict=True)
        numbers = {"probability": numbers_of("word", names, values)}
        lens, index = self.room.lens.answer, self.cards.index(card)
        if lens is not None:
            stages = [stage_name(stage) for stage in range(len(lens.words))]
            axis = Axis("layer", stages)
            best = [f"{name}: {words[index][0].token}" for name, words in zip(stages, lens.words, strict=True)]
            numbers["last word by layer"] = Numbers(lens.probability[:, index], (axis,))
            numbers["best guess by layer"] = numbers_of(
                "layer", best, [words[index][0].probability for words in lens.words]
            )
        title = f"{self.room.state.mask_token} at position {card.position}"
        hint = f"likeliest words and their probabilities · {card.hint}"
        return self.room.figure(title, card.picture, numbers, hint=hint, settings=card.decided)

    def _replaced_figure(self) -> Figure | None:
        reading, units = self.room.state.reading, self.room.units
        if reading is None or reading.replaced is None or units is None:
            return None
        numbers = {"probability of being replaced": numbers_of("token", units.labels, highest(reading.replaced, units))}
        title = "Which tokens look replaced?"
        return self.room.figure(title, [*self.replaced.pictures], numbers, hint=self.replaced.answer)


def before_changes(reading: Reading) -> dict[int, dict[int, float]]:
    """Position -> token id -> probability without what is changed inside; empty where nothing is."""
    from bertcore.analysis.predict import softmax

    plain = reading.before
    if plain is None or plain.trace.mlm_logits is None or plain.trace.mlm_positions is None:
        return {}
    rows = {int(at): softmax(row) for at, row in zip(plain.trace.mlm_positions, plain.trace.mlm_logits, strict=True)}
    return {
        mask.position: {
            word.id: float(rows[mask.position][word.id]) for word in (*mask.words, *([mask.was] if mask.was else []))
        }
        for mask in reading.masks
        if mask.position in rows
    }


def as_read(reading: Reading, units: Units) -> str:
    """The tokens or words in the colours of their parts, as rich text; what was typed is escaped."""
    look, taken = theme.active(), {units.unit_of(position) for position in taken_for_replaced(reading)}
    words = []
    for unit, (token, kind) in enumerate(zip(units.labels, units.kinds, strict=True)):
        weight = "bold" if kind == "mask" or unit in taken else "normal"
        line = "underline" if unit in taken else "none"
        style = f"color:{getattr(look, kind)}; font-weight:{weight}; text-decoration:{line}"
        words.append(f'<span style="{style}">{html.escape(token)}</span>')
    legend = f'<p style="color:{look.muted}">underlined: taken for replaced</p>' if taken else ""
    return f'<p style="line-height:150%">{" ".join(words)}</p>{legend}'


def _what_else(model: ModelInfo) -> str:
    """What a model without words to predict is good for here."""
    if model.pooling is not None:
        return "It makes one vector of a whole sentence: the card at the right says how alike those of A and B are."
    return "The rooms Embed and Attend show what it does."
