"""Room Attend: all heads at a glance, one head large, and what the token that is looked at looks at."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app import theme
from app.readings import Reading
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.head_view import HeadView
from app.rooms.explore import ExploreRoom
from app.state import ExploreState
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, label, scrolled

if TYPE_CHECKING:
    from bertcore.tokenization import Encoding

MOST_BARS = 12
MOST_NAMED = 24  # heads of one kind, the most marked first
FACTS = ("entropy", "mean distance", "from A to B", "on special tokens")
Kinds = dict[str, list[tuple[int, int, float]]]  # kind -> (layer, head, score 0..1), best first


class AttendRoom(ExploreRoom):
    """Atlas and kinds on the left, the chosen head in the middle, bars and facts on the right."""

    def __init__(self, state: ExploreState) -> None:
        self._atlas, self._view = HeadAtlas(), HeadView()
        self._atlas_card, self._head_card, self._side_card = Card("Every head"), Card("Layer 1 · Head 1"), Card()
        self._readout = label("", "muted")
        self._bars = BarList("What this token looks at")
        self._facts = [label("", "strong") for _ in FACTS]
        self._special = label(FACTS[-1], "muted")  # the last fact's name: the special tokens by their own names
        self._kinds = QLabel()
        self._kinds_title = label("Kinds of heads", "title")
        super().__init__(state, self._build())
        self._atlas.chosen.connect(state.set_head)
        self._atlas.hovered.connect(self._on_atlas_hovered)
        self._view.hovered.connect(self._on_view_hovered)
        self._view.clicked.connect(state.set_focus)
        self._kinds.linkActivated.connect(self._on_kind_link_activated)

    def draw_reading(self, reading: Reading) -> None:
        layers, heads = reading.trace.attentions.shape[:2]
        self._atlas.set_heads(reading.thumbnails)
        self._atlas_card.set_hint(f"rows: layers 1–{layers} · columns: heads 1–{heads}")
        self._special.setText(f"on {' and '.join(reading.special_names) or FACTS[-1]}")
        self.asked.emit("kinds", lambda: (reading, kinds_of(reading.trace.attentions, reading.encoding)))
        self.draw_head(reading)

    def draw_head(self, reading: Reading) -> None:
        layer, head = self.state.layer, self.state.head
        self._atlas.set_selected(layer, head)
        self._head_card.set_title(f"Layer {layer + 1} · Head {head + 1}")
        attention = reading.trace.attentions[layer, head]
        colors = {"special": "special", "a": "segment_a", "b": "segment_b"}
        kinds = [colors[part] for part in reading.encoding.parts]
        for position in reading.request.masked:
            kinds[position] = "mask"
        self._view.set_head(attention, reading.shown_tokens, kinds)
        self._show_facts(attention, reading.encoding)
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        position = self.current
        row = reading.trace.attentions[self.state.layer, self.state.head, position]  # (S)
        order = np.argsort(-row, kind="stable")[:MOST_BARS]
        highest = float(row[order[0]]) or 1.0
        digits = 2 if highest >= 0.1 else 3
        tokens = reading.shown_tokens
        self._side_card.set_title(tokens[position])
        self._side_card.set_hint(f"token {position} looks at")
        self._bars.set_bars(
            [
                Bar(tokens[i], f"{row[i]:.{digits}f}", float(row[i]) / highest, "bar_strong", note=str(i))
                for i in order.tolist()
            ]
        )
        self._view.set_row(position)

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind == "kinds":
            read, kinds = answer
            reading = self.state.reading
            if reading is not None and read is reading:
                self._show_kinds(kinds, "/".join(reading.special_names) or "special token")

    def _build(self) -> QWidget:
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        self._fill_atlas_card()
        self._head_card.set_hint("rows: the token that looks · columns: what it looks at")
        self._head_card.body.addWidget(self._view, 1)
        self._head_card.body.addWidget(self._readout)
        self._fill_side_card()
        row.addWidget(self._atlas_card)
        row.addWidget(self._head_card, 1)
        row.addWidget(self._side_card)
        return content

    def _fill_atlas_card(self) -> None:
        self._atlas_card.setFixedWidth(theme.column_px(320))
        self._kinds.setTextFormat(Qt.TextFormat.RichText)
        self._kinds.setWordWrap(True)
        self._kinds.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._kinds.setAccessibleName("Kinds of heads found in this text")
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(7))
        column.addWidget(self._atlas)
        column.addWidget(label("colour: from 0 to each head's highest value", "muted", wrap=True))
        column.addSpacing(theme.px(10))
        column.addWidget(self._kinds_title)
        column.addWidget(label("found in this text, as layer·head; click one", "muted", wrap=True))
        column.addWidget(self._kinds)
        column.addStretch(1)
        self._atlas_card.body.addWidget(scrolled(inside), 1)

    def _fill_side_card(self) -> None:
        self._side_card.setFixedWidth(theme.column_px(280))
        body = self._side_card.body
        body.addWidget(self._bars)
        body.addSpacing(theme.px(12))
        body.addWidget(label("This head", "title"))
        grid = QGridLayout()
        grid.setVerticalSpacing(theme.px(7))
        for line, (name, value) in enumerate(zip(FACTS, self._facts, strict=True)):
            grid.addWidget(self._special if name == FACTS[-1] else label(name, "muted"), line, 0)
            grid.addWidget(value, line, 1)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(theme.px(18))
        body.addLayout(grid)
        body.addWidget(label("means over all tokens that look; “from A to B”: over those of A", "muted", wrap=True))
        body.addStretch(1)

    def _show_facts(self, attention: np.ndarray, encoding: Encoding) -> None:
        from bertcore.analysis.heads import head_facts

        facts = head_facts(attention, encoding)
        crossing = "no sentence B" if facts.a_to_b is None else f"{facts.a_to_b:.2f}"
        texts = (
            f"{facts.entropy_nats:.2f} nats",
            f"{facts.mean_distance_tokens:.1f} tokens",
            crossing,
            f"{facts.on_special:.2f}",
        )
        for value, text in zip(self._facts, texts, strict=True):
            value.setText(text)

    def _show_kinds(self, kinds: Kinds, special: str) -> None:
        """One line for each kind; rich text for the links. special: what the model calls [CLS] and [SEP]."""
        muted, ink = theme.active().muted, theme.active().ink
        rows = []
        for kind, heads in kinds.items():
            links = "&nbsp; ".join(
                f'<a style="color:{muted}; text-decoration:none" href="{layer},{head}">{layer + 1}·{head + 1}</a>'
                for layer, head, _score in heads[:MOST_NAMED]
            )
            if len(heads) > MOST_NAMED:
                links += f' &nbsp;<span style="color:{muted}">and {len(heads) - MOST_NAMED} more</span>'
            name = html.escape(kind.replace("[CLS]/[SEP]", special))
            rows.append(
                f'<tr><td style="color:{ink}; padding-right:14px; padding-bottom:5px; white-space:nowrap">{name}</td>'
                f'<td style="padding-bottom:5px">{links}</td></tr>'
            )
        self._kinds.setText(f"<table cellspacing=0 cellpadding=0>{''.join(rows)}</table>")

    def _on_kind_link_activated(self, link: str) -> None:
        layer, head = link.split(",")
        self.state.set_head(int(layer), int(head))

    def _on_atlas_hovered(self, spot: tuple[int, int] | None) -> None:
        reading = self.state.reading
        if spot is None or reading is None:
            self.hover_told.emit("")
            return
        highest = float(reading.trace.attentions[spot].max())
        self.hover_told.emit(f"layer {spot[0] + 1}, head {spot[1] + 1}: highest value {highest:.2f}")

    def _on_view_hovered(self, spot: tuple[int, int] | None) -> None:
        reading, values = self.state.reading, self._view.values
        if spot is None or reading is None or values is None:
            self._readout.setText("Point at a square for its value; click it to keep its row.")
            self.state.set_hover(None)
            return
        tokens = reading.shown_tokens
        row, column = spot
        self._readout.setText(
            f"{tokens[row]} ({row}) looks at {tokens[column]} ({column}) with {values[row, column]:.4f}"
        )
        self.state.set_hover(row)


def kinds_of(attentions: np.ndarray, encoding: Encoding) -> Kinds:
    """Heads (L,N,S,S) by kind, the most marked first."""
    from bertcore.analysis.heads import classify_heads

    kinds: Kinds = {}
    for layer, heads in enumerate(attentions):
        for head, named in enumerate(classify_heads(heads, encoding)):
            kinds.setdefault(named.kind, []).append((layer, head, named.score))
    for found in kinds.values():
        found.sort(key=lambda item: -item[2])
    return dict(sorted(kinds.items(), key=lambda item: -len(item[1])))
