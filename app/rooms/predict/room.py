"""Room Predict: a card of likely words for each mask, or what else the model says of each token; and of the pair."""

from __future__ import annotations

import html
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app import theme
from app.readings import Reading
from app.rooms.explore import ExploreRoom
from app.rooms.predict.mask_card import MaskCard
from app.rooms.predict.replaced_card import ReplacedCard, taken_for_replaced
from app.rooms.predict.verdict import (
    ALIKE,
    VerdictCard,
    likeness_verdict,
    next_sentence_verdict,
    order_verdict,
    question_for,
)
from app.state import ExploreState, ModelInfo
from app.widgets.card import GAP_PX, Card, button, label, scrolled

COLUMNS = 2
MOST_CARDS = 12
INVITATION = (
    "Double-click a token, or press M, to mask it. "
    "The model then says which words it would put there, and how likely each is."
)
SHORTEST_SCALE = 0.2  # bars of hardly likely words stay short: a full bar is never less than this probability


class PredictRoom(ExploreRoom):
    """Mask cards in two columns on the left, the verdict on the right."""

    def __init__(self, state: ExploreState) -> None:
        self._cards: list[MaskCard] = []
        self._grid = QGridLayout()
        self._invitation = Card()
        self._invitation_title = label("", "number")
        self._invitation_text = label("", wrap=True)
        self._mask_button = button("Mask", look="primary")
        self._more = label("", "muted")
        self._replaced = ReplacedCard()
        self._verdict = VerdictCard()
        self._compared: tuple[object, str, str, float] | None = None  # model, A, B, cosine
        self._read_card = Card("What the model read")
        self._read_text = label("", wrap=True)
        self._read_text.setTextFormat(Qt.TextFormat.RichText)
        super().__init__(state, self._build())
        self._mask_button.clicked.connect(lambda: state.toggle_mask())
        self._replaced.clicked.connect(state.set_focus)
        self._replaced.hovered.connect(state.set_hover)

    @property
    def mask_cards(self) -> list[MaskCard]:
        """The cards that are on show."""
        return [card for card in self._cards if not card.isHidden()]

    @property
    def verdict(self) -> VerdictCard:
        return self._verdict

    @property
    def replaced_card(self) -> ReplacedCard | None:
        """What a discriminator says; None where the model is none."""
        return None if self._replaced.isHidden() else self._replaced

    @property
    def invitation(self) -> str:
        """The sentence in place of predictions; empty where there are some."""
        return "" if self._invitation.isHidden() else self._invitation_text.text()

    def draw_reading(self, reading: Reading) -> None:
        masks = reading.masks[:MOST_CARDS]
        self._more.setVisible(len(masks) < len(reading.masks))
        self._more.setText(f"The first {MOST_CARDS} of {len(reading.masks)} masks are shown.")
        while len(self._cards) < len(masks):
            self._add_card()
        highest = max((mask.words[0].probability for mask in reading.masks), default=1.0)
        for card, mask in zip(self._cards, masks, strict=False):
            card.show_reading(mask, max(highest, SHORTEST_SCALE), self.state.mask_token)
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(masks))
        judges = reading.replaced is not None
        self._invitation.setVisible(not reading.masks and not (judges and "mlm" not in reading.request.model.tasks))
        self._replaced.setVisible(judges)
        if reading.replaced is not None:
            self._replaced.show_reading(reading, reading.replaced)
        self._draw_verdict(reading)
        self._read_text.setText(_as_read(reading))
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        position = self.current
        self._replaced.set_current(position)
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

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind == "similarity":
            self._compared = answer
            reading = self.state.reading
            if self.is_drawn and reading is not None:
                self._draw_verdict(reading)

    def _draw_verdict(self, reading: Reading) -> None:
        question, missing = question_for(reading.request.model)
        first = next(iter(reading.special_names), "the first token")
        if missing or reading.encoding.text_b is None:
            self._verdict.show_reason(question, missing or question.invitation)
        elif reading.next_sentence is not None:
            self._verdict.show_verdict(question, next_sentence_verdict(reading.next_sentence, first))
        elif reading.sentence_order is not None:
            self._verdict.show_verdict(question, order_verdict(reading.sentence_order, first))
        else:
            self._draw_likeness(reading, first)

    def _draw_likeness(self, reading: Reading, first: str) -> None:
        """What is shown stays until the new text is compared; that takes two more passes through the model."""
        model, pair = reading.request.model, (reading.encoding.text_a, reading.encoding.text_b or "")
        compared = self._compared
        if model.pooling is None:
            return
        if compared is None or compared[0] is not model:
            self._verdict.show_reason(ALIKE, "Comparing A and B…")
        else:
            self._verdict.show_verdict(ALIKE, likeness_verdict(compared[3], model.pooling, first))
        if compared is None or compared[:3] != (model, *pair):
            self.asked.emit("similarity", pair)

    def _build(self) -> QWidget:
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        self._fill_invitation()
        row.addWidget(self._build_scroll(), 1)
        side = QVBoxLayout()
        side.setSpacing(theme.px(GAP_PX))
        side.addWidget(self._verdict)
        self._read_text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._read_card.body.addWidget(scrolled(self._read_text), 1)
        side.addWidget(self._read_card, 1)
        for card in (self._verdict, self._read_card):
            card.setFixedWidth(theme.column_px(320))
        row.addLayout(side)
        return content

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
        column.addWidget(self._replaced, 1)
        column.addWidget(self._more)
        return scrolled(inside)

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self._cards)
        card.word_chosen.connect(self.state.put_word)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self._cards.append(card)


def _as_read(reading: Reading) -> str:
    """The tokens in the colours of their parts, as rich text; what was typed is escaped."""
    look, taken = theme.active(), taken_for_replaced(reading)
    colors = {"special": look.special, "a": look.segment_a, "b": look.segment_b}
    masked = set(reading.request.masked)
    words = []
    for i, token in enumerate(reading.shown_tokens):
        color = look.mask if i in masked else colors[reading.encoding.parts[i]]
        weight = "bold" if i in masked or i in taken else "normal"
        line = "underline" if i in taken else "none"
        style = f"color:{color}; font-weight:{weight}; text-decoration:{line}"
        words.append(f'<span style="{style}">{html.escape(token)}</span>')
    legend = f'<p style="color:{look.muted}">underlined: taken for replaced</p>' if taken else ""
    return f'<p style="line-height:150%">{" ".join(words)}</p>{legend}'


def _what_else(model: ModelInfo) -> str:
    """What a model without words to predict is good for here."""
    if model.pooling is not None:
        return "It makes one vector of a whole sentence: the card at the right says how alike those of A and B are."
    return "The rooms Embed and Attend show what it does."
