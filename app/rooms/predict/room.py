"""Room Predict: a card of likely words for each mask, and the next-sentence verdict."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app import theme
from app.readings import Reading
from app.rooms.explore import ExploreRoom
from app.rooms.predict.mask_card import MaskCard
from app.rooms.predict.verdict import VerdictCard
from app.state import ExploreState
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
        self._verdict = VerdictCard()
        self._read_card = Card("What the model read")
        self._read_text = label("", wrap=True)
        self._read_text.setTextFormat(Qt.TextFormat.RichText)
        super().__init__(state, self._build())
        self._mask_button.clicked.connect(lambda: state.toggle_mask())

    @property
    def mask_cards(self) -> list[MaskCard]:
        """The cards that are on show."""
        return [card for card in self._cards if not card.isHidden()]

    @property
    def verdict(self) -> VerdictCard:
        return self._verdict

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
            card.show_reading(mask, max(highest, SHORTEST_SCALE))
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(masks))
        self._invitation.setVisible(not reading.masks)
        self._draw_verdict(reading)
        self._read_text.setText(_as_read(reading))
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        if reading.masks:
            return
        missing = self.state.model.missing.get("mlm") if self.state.model else None
        position = self.current
        is_word = reading.encoding.parts[position] != "special"
        self._invitation_title.setText("No predictions" if missing else "Mask a word")
        self._invitation_text.setText(missing or INVITATION)
        self._mask_button.setVisible(missing is None and is_word)
        self._mask_button.setText(f"Mask “{reading.encoding.tokens[position]}”")

    def _draw_verdict(self, reading: Reading) -> None:
        missing = self.state.model.missing.get("nsp") if self.state.model else None
        if missing:
            self._verdict.show_reason(missing)
        elif reading.next_sentence is None:
            self._verdict.show_reason("Type a second sentence in B to ask whether it follows A.")
        else:
            self._verdict.show_verdict(reading.next_sentence)

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
        column.addWidget(self._more)
        return scrolled(inside)

    def _add_card(self) -> None:
        card, number = MaskCard(), len(self._cards)
        card.word_chosen.connect(self.state.put_word)
        self._grid.addWidget(card, number // COLUMNS, number % COLUMNS)
        self._cards.append(card)


def _as_read(reading: Reading) -> str:
    """The tokens in the colours of their parts, as rich text; what was typed is escaped."""
    look = theme.active()
    colors = {"special": look.special, "a": look.segment_a, "b": look.segment_b}
    masked = set(reading.request.masked)
    words = []
    for i, token in enumerate(reading.shown_tokens):
        color = look.mask if i in masked else colors[reading.encoding.parts[i]]
        weight = "bold" if i in masked else "normal"
        words.append(f'<span style="color:{color}; font-weight:{weight}">{html.escape(token)}</span>')
    return f'<p style="line-height:150%">{" ".join(words)}</p>'
