"""Room Attend: all heads at a glance, one or several large, and what the token on show looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication

from ...compute.question import PAUSE_MS
from ...figures.figure import Figure, numbers_of
from ...look import numbers, theme
from ...look.say import say
from ...state.explore_state import ExploreState
from ...state.readings import Reading
from ...state.what_if import EditedRow
from ...widgets.card import GAP_PX
from ...widgets.context_menu import Entry, figure_entries, show_context_menu, show_token_menu
from ...widgets.folding_card import Folded
from ...widgets.layouts import hbox
from ...widgets.spots import name_spot
from ..room import Room
from .attentions import NO_HABIT, Attentions, Head, head_name, head_title, kind_name
from .chosen_heads import Chosen
from .heads_card import PANELS, HeadsCard
from .large_card import SPECS, LargeCard
from .moved_heads import MovedView
from .side_card import SideCard
from .strong_links import with_weight
from .view import AttendView

PANEL_OF_VIEW = {"lines": "find", "check": "effects", "rollout": "alike", "gradient": "effects"}  # they go together
KEPT = "attend.view"  # what a window built anew finds in the state
BESIDE_ONE_PX, BESIDE_BOTH_PX = 560, 440  # what one side card, or both, must leave for the large one, or they fold away


@dataclass(frozen=True)
class _Kept:
    view: str
    panel: str
    heads: tuple[Head, ...]
    head_chosen_in: object


class AttendRoom(Room):
    """Atlas on the left, the chosen heads in the middle, bars, facts and what if on the right."""

    key = "attend"
    panels = PANELS
    specs = SPECS  # of the large card; PANELS are those below the atlas

    def __init__(self, state: ExploreState) -> None:
        super().__init__(state)
        self.chosen = Chosen(self)
        self.heads_card = HeadsCard(self.chosen, self.atlas_figure)
        self.large, self.side = LargeCard(self.chosen), SideCard(self._bars_figure)
        self.left = Folded(self.heads_card, self.heads_card.title)
        self.right = Folded(self.side, say("What it looks at"))
        self._attentions: Attentions | None = None  # on show
        self._pinned: int | None = None  # the token whose predictions can be asked about
        self._is_typing = False  # the reading changes while the room is looked at
        self._head_chosen_in: object = None  # the comparison in which a head was chosen last
        for widget, spot in ((self.heads_card, "heads"), (self.large, "large"), (self.side, "side")):
            name_spot(widget, f"{self.key}.{spot}")
        hbox(self.left, (self.large, 1), self.right, parent=self.content, gap_px=GAP_PX)
        self._connect()
        kept = state.kept.get(KEPT)  # as the room was in a frame of another size
        if isinstance(kept, _Kept):
            self.large.open(kept.view)
            self.heads_card.open(kept.panel)
            self.chosen.heads, self._head_chosen_in = kept.heads, kept.head_chosen_in

    @property
    def view(self) -> AttendView:
        """The large one on show."""
        return self.large.view

    def choose_heads(self, heads: Sequence[Head]) -> None:
        """All of these; the first is the one on show."""
        if heads:
            self.chosen.heads = tuple(dict.fromkeys(heads))
            self._show_head(self.chosen.heads[0])

    def open_view(self, key: str) -> AttendView:
        """A large view or a panel by the key of its spec; a view brings the panel that goes with it."""
        if key in {spec.key for spec in PANELS}:
            self.heads_card.open(key)
            return self.heads_card.get(key)
        self.large.open(key)
        self.heads_card.open(PANEL_OF_VIEW.get(key, "kinds"))
        return self.view

    def draw_reading(self, reading: Reading) -> None:
        selection = self.state.selection
        attentions = Attentions(reading, selection.token_view)
        if not len(attentions.units):
            self.waiting.show_sentence(
                say("Special tokens are hidden, and there is no word yet. Type one above, or show special tokens.")
            )
            self.leave()
            return
        self._attentions = attentions
        pause_ms, self._is_typing = PAUSE_MS if self._is_typing else 0, True
        chosen, layers, heads = self.chosen, attentions.layers, attentions.heads
        chosen.heads = tuple(spot for spot in chosen.heads if spot[0] < layers and spot[1] < heads)
        if (selection.layer, selection.head) not in chosen.heads:
            chosen.heads = ((selection.layer, selection.head),)
        if chosen.column is not None and chosen.column >= len(reading.encoding):
            chosen.column = None
        self._set_targets(attentions)
        self.heads_card.show_reading(reading, selection, pause_ms)
        self.heads_card.atlas.set_selected(selection.layer, selection.head, chosen.heads)
        self.large.show_reading(reading, selection, pause_ms)
        self.side.what_if.show_effects(reading)
        self.side.show_head(attentions, selection, self.heads_card.descriptions)
        self._show_row()

    def draw_head(self, reading: Reading) -> None:
        selection = self.state.selection
        if self._attentions is None:
            return
        if (selection.layer, selection.head) not in self.chosen.heads:
            self.chosen.heads = ((selection.layer, selection.head),)
        self.heads_card.show_selection(reading, selection, self.chosen)
        self.large.views.show_selection(reading, selection)
        self.side.show_head(self._attentions, selection, self.heads_card.descriptions)
        self._show_row()

    def draw_focus(self, reading: Reading) -> None:
        if self._attentions is None:
            return
        selection = self.state.selection
        if selection.pinned != self._pinned:  # not at each move of the mouse
            self._set_targets(self._attentions)
        self.large.views.show_selection(reading, selection)
        self._show_row()

    def _show_row(self) -> None:
        """What the token on show looks at, on the right."""
        if self._attentions is not None:
            unit = self._attentions.units.unit_of(self.state.selection.position)
            picture = None if unit is None else self.view.picture_row(unit)
            self.side.show_row(self._attentions, self.state.selection, self.chosen.column, picture)

    def _connect(self) -> None:
        atlas, what_if, card = self.heads_card.atlas, self.side.what_if, self.heads_card
        self.large.view_made.connect(self._connect_view)
        self.large.opened.connect(self._show_row)
        self.large.redrawn.connect(self._show_row)
        self.state.head_changed.connect(self._on_head_chosen)
        card.view_made.connect(self._connect_view)
        for view in (self.large.view, card.panels.view):  # made with their cards
            self._connect_view(view)
        card.question_requested.connect(self.question_requested)
        card.described.connect(self._on_heads_described)
        atlas.chosen.connect(self._on_head_clicked)
        atlas.toggled.connect(self._on_head_toggled)
        atlas.extended.connect(self._on_head_extended)
        atlas.hovered.connect(self._on_head_hovered)
        atlas.context_menu_requested.connect(self._on_atlas_menu_requested)
        what_if.head_switched.connect(self._on_head_switched)
        what_if.mask_requested.connect(self.state.toggle_mask)
        what_if.layer_switched.connect(self._on_layer_switched)
        what_if.weight_set.connect(self._on_weight_typed)
        what_if.column_chosen.connect(self._on_column_chosen)
        what_if.row_reset.connect(self._on_row_reset)
        self.right.tab.toggled.connect(self._fold)
        self.chosen.contrast_edited.connect(self.state.set_contrast)

    def _connect_view(self, view: AttendView) -> None:
        view.position_hovered.connect(self.state.set_hover)
        view.position_clicked.connect(self.state.set_focus)
        view.cell_clicked.connect(self._on_cell_clicked)
        view.weight_set.connect(self.set_weight)
        view.head_clicked.connect(self._on_head_clicked)
        view.heads_clicked.connect(self.choose_heads)
        view.head_toggled.connect(self._on_head_toggled)
        view.head_hovered.connect(self._on_head_hovered)
        view.token_menu_requested.connect(partial(show_token_menu, view, self.state))
        view.head_menu_requested.connect(self._on_head_menu_requested)
        view.comparison_wanted.connect(self._on_view_comparison_wanted)
        if isinstance(view, MovedView):  # queued: it says so while a reading is being drawn
            view.most_moved_found.connect(self._on_most_moved_found, Qt.ConnectionType.QueuedConnection)
        view.question_requested.connect(self.question_requested)

    def _set_targets(self, attentions: Attentions) -> None:
        """What can be asked about, with the tags of the token that was clicked."""
        self._pinned = self.state.selection.pinned
        last = len(attentions.reading.encoding) - 1
        pinned = min(1 if self._pinned is None else self._pinned, last)
        self.chosen.set_reading(attentions.plain, pinned, attentions.reading.other_text, self.state.contrast)

    def _show_head(self, spot: Head) -> None:
        if spot != (self.state.layer, self.state.head):
            self.state.set_head(*spot)
        elif self.state.reading is not None and self.is_drawn:
            self.draw_head(self.state.reading)

    def leave(self) -> None:
        super().leave()
        self.heads_card.leave()
        self.large.leave()
        self._attentions = None

    # What a person does.

    def _on_heads_described(self) -> None:
        if self._attentions is not None:
            self.side.show_head(self._attentions, self.state.selection, self.heads_card.descriptions)

    def _on_head_clicked(self, layer: int, head: int) -> None:
        self.choose_heads([(layer, head)])

    def _comparison(self) -> object:
        """What is compared now: with which baseline, or a changed model with the unchanged one."""
        return self.state.baseline, bool(self.state.what_if)

    def _on_head_chosen(self) -> None:
        self._head_chosen_in = self._comparison()

    def _on_most_moved_found(self, layer: int, head: int) -> None:
        """A comparison begins with the head that moved most, unless a person has chosen one in it."""
        attentions = self._attentions
        if attentions is None or not self.state.is_of_input(attentions.reading):
            return  # another comparison has begun
        if self._head_chosen_in == self._comparison():
            return
        self._on_head_chosen()
        if layer < attentions.layers and head < attentions.heads:
            self.choose_heads([(layer, head)])

    def _on_head_toggled(self, layer: int, head: int) -> None:
        """One more, or one less; the last one stays."""
        spot, heads = (layer, head), self.chosen.heads
        if spot not in heads:
            self.chosen.heads = (*heads, spot)
            self._show_head(spot)
        elif len(heads) > 1:
            self.chosen.heads = tuple(other for other in heads if other != spot)
            self._show_head(self.chosen.heads[-1])

    def _on_head_extended(self, layer: int, head: int) -> None:
        anchor = self.chosen.heads[0] if self.chosen.heads else (layer, head)
        extent = self.heads_card.atlas.extent(anchor, (layer, head))
        self.chosen.heads = (anchor, *(spot for spot in extent if spot != anchor))
        self._show_head((layer, head))

    def _on_head_hovered(self, spot: Head | None) -> None:
        if spot is None or self._attentions is None:
            self.hover_text_changed.emit("")
            return
        reading, atlas = self._attentions.reading, self.heads_card.atlas
        highest = numbers.decimal(float(reading.trace.attentions[spot].max()))
        texts = [say("{head}: highest weight {weight}", head=self._attentions.title(*spot), weight=highest)]
        described = self.heads_card.descriptions.get(spot)
        if described is not None:
            kind = described.kind
            score = "" if kind.kind == NO_HABIT else f" {numbers.percent(kind.score)}"
            texts.append(kind_name(kind.kind, reading) + score)
        target = self.chosen.target
        if atlas.effects is not None and target is not None:
            effect = float(atlas.effects[spot])
            change = numbers.signed(effect, 3) if target.is_score else numbers.log_change(effect, 3)
            text = say("score {change} with this head") if target.is_score else say("{change} with this head")
            if target.is_contrast:
                change = numbers.log_factor(effect)
                text = say("odds {change} with this head")
                if numbers.is_technical():
                    text = say("log odds {change} with this head")
            texts.append(text.format(change=change))
        self.hover_text_changed.emit(" · ".join(texts))

    def _on_cell_clicked(self, position: int, column: int) -> None:
        self.chosen.column = column
        if position != self.state.focus:
            self.state.set_focus(position)
        elif self.state.reading is not None:
            self.draw_focus(self.state.reading)

    def _on_head_switched(self, off: bool) -> None:
        self.state.set_what_if(self.state.what_if.with_head(self.state.layer, self.state.head, off))
        self._on_head_chosen()

    def _on_layer_switched(self, off: bool) -> None:
        self.state.set_what_if(self.state.what_if.with_layer(self.state.layer, off))
        self._on_head_chosen()

    def _on_column_chosen(self, column: int) -> None:
        if self._attentions is not None:
            self.chosen.column = self._attentions.units.members[column][0]

    def _on_weight_typed(self, position: int, column: int, weight: float) -> None:
        row = self._attentions.units.unit_of(position) if self._attentions else None
        if row is not None:
            self.set_weight(row, column, weight)

    def set_weight(self, row: int, column: int, weight: float) -> None:
        """Units. A word's pieces share the weight as before; tokens that are left out of the view keep theirs."""
        attentions, what_if = self._attentions, self.state.what_if
        if attentions is None or attentions.reading.encoding is not self.state.encoding:
            return  # of a text that is gone already
        members, layer, head = attentions.units.members, self.state.layer, self.state.head
        within = None if attentions.token_view.specials else [position for unit in members for position in unit]
        self.chosen.column = members[column][0]
        for position in members[row]:
            old = attentions.reading.trace.attentions[layer, head, position]
            new = with_weight(old, members[column], weight, within)
            what_if = what_if.with_row(EditedRow(layer, head, position, tuple(new.tolist())))
        self.state.set_what_if(what_if)
        self._on_head_chosen()

    def _on_row_reset(self) -> None:
        attentions, what_if = self._attentions, self.state.what_if
        row = attentions.units.unit_of(self.state.selection.position) if attentions else None
        if attentions is None or row is None:
            return
        for position in attentions.units.members[row]:
            what_if = what_if.without_row(self.state.layer, self.state.head, position)
        self.state.set_what_if(what_if)

    # Context menus.

    def _on_atlas_menu_requested(self, spot: Head | None, at: QPoint) -> None:
        if spot is not None:
            self._on_head_menu_requested(*spot, at)

    def _on_head_menu_requested(self, layer: int, head: int, at: QPoint) -> None:
        show_context_menu(self, at, [*self.head_entries(layer, head), None, *figure_entries(self.heads_card.atlas)])

    def head_entries(self, layer: int, head: int) -> list[Entry]:
        """What can be done with a head."""
        what_if, set_what_if = self.state.what_if, self.state.set_what_if
        is_off, name = (layer, head) in what_if.heads_off, head_name(layer, head)
        switch = say("Switch head {head} on again") if is_off else say("Switch head {head} off")
        is_chosen = (layer, head) in self.chosen.heads
        compare = say("Remove it from the comparison") if is_chosen else say("Compare it with the selected heads")
        return [
            (
                say("Select {head}", head=head_title(layer, head)),
                lambda: self.choose_heads([(layer, head)]),
            ),
            (compare, lambda: self._on_head_toggled(layer, head)),
            None,
            (switch.format(head=name), lambda: set_what_if(what_if.with_head(layer, head, not is_off))),
            (say("Copy its name"), lambda: QApplication.clipboard().setText(head_title(layer, head))),
        ]

    # Figures.

    def atlas_figure(self) -> Figure | None:
        if self._attentions is None:
            return None
        values, settings = self.heads_card.atlas_numbers()
        hint = say("rows: layers · columns: heads · within each: rows look at columns")
        return self.figure(self.heads_card.title, [self.heads_card.atlas], values, hint=hint, settings=settings)

    def _bars_figure(self) -> Figure | None:
        if self.side.row is None or self._attentions is None:
            return None
        labels, picture = self._attentions.units.labels, self.side.picture
        if picture is not None:
            values = {picture.kind: numbers_of("column", labels, self.side.row)}
            return self.figure(self.view.title, [self.side.bars], values, hint=picture.hint, token=True)
        values = {"attention": numbers_of("is looked at", labels, self.side.row)}
        token = self._attentions.reading.shown_tokens[self.state.selection.position]
        title, hint = say("What “{token}” looks at", token=token), say("attention of one token")
        return self.figure(title, [self.side.bars], values, hint=hint, head=True, token=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The large picture comes first: where there is little room, the cards beside it fold away."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        left, right = self.heads_card.maximumWidth(), self.side.maximumWidth()
        free = self.width() - left - 4 * theme.px(GAP_PX)
        self.right.set_foldable(free - right < theme.px(BESIDE_BOTH_PX))
        is_unfolded = not self.right.tab.isHidden() and self.right.tab.isChecked()
        beside = self.right.tab.sizeHint().width() + (right + theme.px(GAP_PX)) * is_unfolded
        self.left.set_foldable(free - beside < theme.px(BESIDE_ONE_PX))

    def minimumSizeHint(self) -> QSize:
        """With the cards folded: in a narrow window they are, and nothing has to scroll sideways."""
        tabs = self.left.tab.sizeHint().width() + self.right.tab.sizeHint().width()
        width = self.large.minimumSizeHint().width() + tabs + 4 * theme.px(GAP_PX)
        return QSize(width, super().minimumSizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        self._is_typing = False
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.state.kept[KEPT] = _Kept(self.large.key, self.heads_card.panel, self.chosen.heads, self._head_chosen_in)
        super().hideEvent(event)
