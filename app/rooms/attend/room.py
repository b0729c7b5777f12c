"""Room Attend: all heads at a glance, one or several large, and what the token that is looked at looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.compute.head_questions import targets_of
from app.figures.figure import Axis, Figure, Numbers, numbers_of
from app.look import theme
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.head_view import HeadView
from app.rooms.attend.heads_card import ALIKE, EFFECTS, FIND, KINDS, HeadsCard
from app.rooms.attend.large_card import CHECK, LINES, MATRIX, SCORE, LargeCard
from app.rooms.attend.links import with_weight
from app.rooms.attend.matrix_page import GRADIENT, HEAD, ROLLOUT
from app.rooms.attend.shown import Choice, Head, Shown, why_no_target
from app.rooms.attend.side_card import SideCard
from app.rooms.attend.targets import Targets
from app.rooms.base import ExploreRoom
from app.state.readings import Reading
from app.state.state import ExploreState
from app.state.what_if import EditedRow
from app.widgets.bar_list import BarList
from app.widgets.card import GAP_PX

VIEWS = {
    "matrix": (MATRIX, HEAD, KINDS),
    "lines": (LINES, HEAD, FIND),
    "score": (SCORE, HEAD, KINDS),
    "check": (CHECK, HEAD, EFFECTS),
    "rollout": (MATRIX, ROLLOUT, ALIKE),
    "gradient": (MATRIX, GRADIENT, EFFECTS),
}

KEPT = "attend.view"  # what a window built anew finds in the state


@dataclass(frozen=True)
class _View:
    mode: str
    picture: str
    tab: str
    chosen: tuple[Head, ...]


class AttendRoom(ExploreRoom):
    """Atlas on the left, the chosen heads in the middle, bars, facts and what if on the right."""

    def __init__(self, state: ExploreState) -> None:
        self.targets = Targets()
        self.heads_card = HeadsCard(self.targets, self._atlas_figure, self._map_figure)
        self.large, self.side = LargeCard(self.targets, self._large_figure), SideCard(self._bars_figure)
        self._chosen: list[Head] = []  # in the order of choosing, the head on show among them
        self._column: int | None = None  # position of what the token is asked about
        self._shown: Shown | None = None
        super().__init__(state, self._build())
        self.targets.setParent(self)
        self.questions = [*self.heads_card.questions, *self.large.questions]
        self._connect()
        self._take_up_view()

    # Parts by short names.

    @property
    def _view(self) -> HeadView:
        return self.large.matrix.view

    @property
    def _atlas(self) -> HeadAtlas:
        return self.heads_card.atlas

    @property
    def _kinds(self) -> QLabel:
        return self.heads_card.kinds

    @property
    def _bars(self) -> BarList:
        return self.side.bars

    @property
    def _facts(self) -> list[QLabel]:
        return self.side.facts

    @property
    def _special(self) -> QLabel:
        return self.side.special

    @property
    def chosen_heads(self) -> list[Head]:
        """(layer, head) from 0, in the order of choosing."""
        return self._chosen

    def choose_heads(self, heads: Sequence[Head]) -> None:
        """All of these; the first is the one on show."""
        if heads:
            self._chosen = list(dict.fromkeys(heads))
            self._show_head(self._chosen[0])

    def open_view(self, view: str) -> None:
        """One of VIEWS: a page, a picture of the matrix and a tab, whatever they take asked for at once."""
        mode, picture, tab = VIEWS[view]
        self.large.set_mode(mode)
        self.large.matrix.picture.setCurrentText(picture)
        self.heads_card.open_tab(tab)
        for question in self.questions:
            question.hurry()

    def draw_reading(self, reading: Reading) -> None:
        shown = Shown(reading, self.state.token_view)
        if not len(shown.units):
            self.waiting.show_sentence("The special tokens are left out, and there is no word yet. Type one above.")
            self._leave()
            return
        self._shown = shown
        self._keep_what_is_there(shown)
        self.targets.set_targets(targets_of(shown.plain, self._locked()), why_no_target(reading), self._locked())
        self.heads_card.draw(shown)
        self.draw_head(reading)

    def draw_head(self, reading: Reading) -> None:
        if self._shown is None:
            return
        current = (self.state.layer, self.state.head)
        if current not in self._chosen:
            self._chosen = [current]
        choice = self._choice()
        self.heads_card.set_chosen(choice)
        self.large.draw(self._shown, choice)
        self.side.draw_head(self._shown, choice, self.heads_card.described, reading.request.what_if)

    def draw_focus(self, reading: Reading) -> None:
        if self._shown is not None:
            choice = self._choice()
            self.large.draw_row(self._shown, choice)
            self.side.draw_row(self._shown, choice, reading.request.what_if)

    def show_answer(self, kind: str, answer: Any) -> None:
        for question in self.questions:
            question.take(kind, answer)

    def show_progress(self, kind: str, share: float) -> None:
        for question in self.questions:
            question.show_progress(kind, share)

    def _build(self) -> QWidget:
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(self.heads_card)
        row.addWidget(self.large, 1)
        row.addWidget(self.side)
        return content

    def _connect(self) -> None:
        atlas, what_if = self.heads_card.atlas, self.side.what_if
        for question in self.questions:
            question.asked.connect(self.ask_model)
            question.unasked.connect(self.unasked)
        self.heads_card.chosen.connect(lambda layer, head: self.choose_heads([(layer, head)]))
        self.heads_card.several_chosen.connect(self.choose_heads)
        self.heads_card.named.connect(self._on_heads_named)
        self.heads_card.alike.points.toggled.connect(self._on_head_toggled)
        self.heads_card.alike.points.hovered.connect(self._on_head_hovered)
        atlas.toggled.connect(self._on_head_toggled)
        atlas.extended.connect(self._on_head_extended)
        atlas.hovered.connect(self._on_head_hovered)
        self.large.hovered.connect(self.state.set_hover)
        self.large.picked.connect(self._on_large_picked)
        self.large.matrix.weight_set.connect(self._set_weight)
        what_if.head_switched.connect(self._on_head_switched)
        what_if.layer_switched.connect(self._on_layer_switched)
        what_if.weight_set.connect(self._on_what_if_weight_set)
        what_if.column_chosen.connect(self._on_what_if_column_chosen)
        what_if.row_put_back.connect(self._on_row_put_back)

    def _choice(self) -> Choice:
        state = self.state
        return Choice(state.layer, state.head, tuple(self._chosen), self.current, self._locked(), self._column)

    def _locked(self) -> int:
        """The token that was clicked, without the mouse: questions to the model do not follow the mouse."""
        reading, focus = self.state.reading, self.state.focus
        size = len(reading.encoding) if reading else 0
        return min(1 if focus is None else focus, max(size - 1, 0))

    def _keep_what_is_there(self, shown: Shown) -> None:
        """Another model may have fewer heads, another text fewer tokens."""
        self._chosen = [spot for spot in self._chosen if spot[0] < shown.layers and spot[1] < shown.heads]
        if self._column is not None and self._column >= len(shown.reading.encoding):
            self._column = None

    def _show_head(self, spot: Head) -> None:
        if spot != (self.state.layer, self.state.head):
            self.state.set_head(*spot)
        elif self.state.reading is not None and self.is_drawn:
            self.draw_head(self.state.reading)

    def _leave(self) -> None:
        self.heads_card.leave()
        self.large.leave()
        self._shown = None

    # What a person does.

    def _on_heads_named(self) -> None:
        if self._shown is not None:
            self.side.describe(self._shown, self._choice(), self.heads_card.described)

    def _on_head_toggled(self, layer: int, head: int) -> None:
        """One more, or one less; the last one stays."""
        spot = (layer, head)
        if spot not in self._chosen:
            self._chosen.append(spot)
            self._show_head(spot)
        elif len(self._chosen) > 1:
            self._chosen.remove(spot)
            self._show_head(self._chosen[-1])

    def _on_head_extended(self, layer: int, head: int) -> None:
        anchor = self._chosen[0] if self._chosen else (layer, head)
        extent = self.heads_card.extent(anchor, (layer, head))
        self._chosen = [anchor, *(spot for spot in extent if spot != anchor)]
        self._show_head((layer, head))

    def _on_head_hovered(self, spot: Head | None) -> None:
        reading = self.state.reading
        if spot is None or reading is None:
            self.hover_text_changed.emit("")
            return
        named = self.heads_card.described.get(spot)
        said = f" · {named.kind.kind} {named.kind.score:.2f}" if named else ""
        effects = self.heads_card.atlas.effects
        said += f" · without it ln p {effects[spot]:+.3f} nats".replace("-", "−") if effects is not None else ""
        off = " · off" if spot in self.heads_card.atlas.off else ""
        highest = float(reading.trace.attentions[spot].max())
        self.hover_text_changed.emit(f"layer {spot[0] + 1}, head {spot[1] + 1}{off}: highest value {highest:.2f}{said}")

    def _on_large_picked(self, position: int, column: int) -> None:
        self._column = self._column if column < 0 else column
        if position != self.state.focus:
            self.state.set_focus(position)
        elif self.state.reading is not None:
            self.draw_focus(self.state.reading)

    def _on_head_switched(self, off: bool) -> None:
        self.state.set_what_if(self.state.what_if.with_head(self.state.layer, self.state.head, off))

    def _on_layer_switched(self, off: bool) -> None:
        self.state.set_what_if(self.state.what_if.with_layer(self.state.layer, off))

    def _on_what_if_column_chosen(self, column: int) -> None:
        if self._shown is not None:
            self._column = self._shown.units.members[column][0]

    def _on_what_if_weight_set(self, position: int, column: int, weight: float) -> None:
        row = self._shown.row_of(position) if self._shown else None
        if row is not None:
            self._set_weight(row, column, weight)

    def _set_weight(self, row: int, column: int, weight: float) -> None:
        """Units. A word's pieces share the weight as before; tokens that are left out of the view keep theirs."""
        shown, what_if = self._shown, self.state.what_if
        if shown is None or shown.reading.encoding is not self.state.encoding:
            return  # of a text that is gone already
        members, layer, head = shown.units.members, self.state.layer, self.state.head
        within = None if shown.view.specials else [position for unit in members for position in unit]
        self._column = members[column][0]
        for position in members[row]:
            old = shown.reading.trace.attentions[layer, head, position]
            new = with_weight(old, members[column], weight, within)
            what_if = what_if.with_row(EditedRow(layer, head, position, tuple(new.tolist())))
        self.state.set_what_if(what_if)

    def _on_row_put_back(self) -> None:
        shown, what_if = self._shown, self.state.what_if
        row = shown.row_of(self.current) if shown else None
        if shown is None or row is None:
            return
        for position in shown.units.members[row]:
            what_if = what_if.without_row(self.state.layer, self.state.head, position)
        self.state.set_what_if(what_if)

    # Figures.

    def _atlas_figure(self) -> Figure | None:
        reading, effects = self.state.reading, self.heads_card.atlas.effects
        if reading is None or self._shown is None:
            return None
        by_head = Axis("layer", first=1), Axis("head", first=1)
        labels, values = self._shown.units.labels, self.heads_card.atlas.thumbnails
        if len(labels) == values.shape[-1]:
            axes = Axis("looks", labels), Axis("is looked at", labels)
        else:  # as small as they are drawn: the highest value of each block
            axes = Axis("block of tokens that looks"), Axis("block that is looked at")
        numbers = {"attention": Numbers(values, (*by_head, *axes))}
        settings = "colours from 0 to each head's highest value"
        if effects is not None and self.targets.chosen is not None:
            numbers["effect"] = Numbers(effects, by_head)
            target = self.targets.chosen.label
            settings += f" · squares: of the model as it is, change of ln p of {target} without the head, in nats"
        hint = "rows: layers · columns: heads · in each: rows look at columns"
        return self.figure("Every head", [self.heads_card.atlas], numbers, hint=hint, settings=settings)

    def _map_figure(self) -> Figure | None:
        numbers = self.heads_card.alike.numbers()
        if numbers is None:
            return None
        widget, said = self.heads_card.alike.points, self.heads_card.alike.said
        return self.figure(
            "Which heads are alike", [widget], numbers, hint="near: they look at the same", settings=said
        )

    def _large_figure(self) -> Figure | None:
        drawn = self.large.drawn
        if drawn is None:
            return None
        return self.figure(
            self.large.title,
            drawn.widgets,
            drawn.numbers,
            hint=self.large.hint,
            head=drawn.head,
            settings=drawn.settings,
            plain=drawn.plain,
            by_token=drawn.by_token,
        )

    def _bars_figure(self) -> Figure | None:
        if self.side.row is None or self._shown is None:
            return None
        labels = self._shown.units.labels
        title = f"What “{self._shown.reading.shown_tokens[self.current]}” looks at"
        numbers = {"attention": numbers_of("is looked at", labels, self.side.row)}
        return self.figure(title, [self.side.bars], numbers, hint="attention of one token", head=True, token=True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is worked out for a room that nobody sees, and no reading kept; both come back with it."""
        super().hideEvent(event)
        picture = self.large.matrix.picture.currentText()
        self.state.kept[KEPT] = _View(self.large.mode, picture, self.heads_card.tab, tuple(self._chosen))
        self._leave()

    def _take_up_view(self) -> None:
        """As the room was in a frame of another size."""
        kept = self.state.kept.get(KEPT)
        if isinstance(kept, _View):
            self.large.set_mode(kept.mode)
            self.large.matrix.picture.setCurrentText(kept.picture)
            self.heads_card.open_tab(kept.tab)
            self._chosen = list(kept.chosen)
