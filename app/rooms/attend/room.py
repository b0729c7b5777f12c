"""Room Attend: all heads at a glance, one or several large, and what the token on show looks at."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QHideEvent

from ...compute.question import PAUSE_MS
from ...figures.figure import Figure, numbers_of
from ...look import say, theme
from ...state import Reading, WhatIf
from ...widgets.card import GAP_PX
from ...widgets.context_menu import figure_entries, show_context_menu
from ...widgets.folding_card import FoldingCard
from ...widgets.highlights import name_highlight
from ...widgets.layouts import hbox
from ..room import Room
from ..view import View
from .atlas import CONTROL
from .attend_state import AttendState
from .attentions import Attentions, Head
from .head_panels import MovedView
from .heads_card import PANELS, HeadsCard
from .large_card import SPECS, LargeCard
from .side_card import SideCard
from .view import ROOM, AttendView

PANEL_OF_VIEW = {"lines": "find", "check": "effects", "rollout": "alike", "gradient": "effects"}  # they go together
KEPT = "attend.heads"  # what a window built anew finds in the state
BESIDE_ONE_PX, BESIDE_BOTH_PX = 560, 440  # what one side card, or both, must leave for the large one, or they fold away


@dataclass(frozen=True)
class _Kept:
    panel: str = "kinds"
    heads: tuple[Head, ...] = ()
    head_chosen_in: object = None


class AttendRoom(Room):
    """Atlas on the left, the selected heads in the middle, bars, facts and what if on the right."""

    key = "attend"
    specs = SPECS  # of the large card
    panels = PANELS  # below the atlas

    def lay_out(self) -> None:
        self.shared = AttendState(self)
        self._pinned: int | None = None  # the token whose predictions can be asked about
        self.heads_card = HeadsCard(self.shared, self.figure)
        self.large = LargeCard(self.compared, self.views, self.progress)
        self.large.set_figure(lambda: self.view.figure_of(ROOM), say("the large picture"))
        self.side = SideCard(self.shared, self._bars_figure)
        self.left = FoldingCard(self.heads_card, self.heads_card.title)
        self.right = FoldingCard(self.side, say("What it looks at"))
        for widget, spot in ((self.heads_card, "heads"), (self.large, "large"), (self.side, "side")):
            name_highlight(widget, f"{self.key}.{spot}")
        hbox(self.left, (self.large, 1), self.right, parent=self.content, gap_px=GAP_PX)
        self._connect()
        kept = self.state.kept.get(KEPT)  # as the room was in a frame of another size
        kept = kept if isinstance(kept, _Kept) else _Kept()
        self.shared.heads = kept.heads
        self._head_chosen_in = kept.head_chosen_in  # the comparison in which a person chose a head last
        self.heads_card.open(kept.panel)

    def _connect(self) -> None:
        atlas, shared = self.heads_card.atlas, self.shared
        self.large.key_clicked.connect(self.show_view)
        self.heads_card.panels.view_made.connect(self._on_view_made)
        self.heads_card.question_requested.connect(self.question_requested)
        shared.described.connect(lambda: self.side.show_head(self.state.selection))
        shared.targets.contrast_edited.connect(self.state.set_contrast)
        shared.head_chosen.connect(self._show_head)
        shared.column_chosen.connect(self._redraw_focus)
        shared.edited.connect(self._on_view_what_if_edited)
        self.state.head_changed.connect(self._on_head_chosen)
        atlas.clicked.connect(self._on_atlas_clicked)
        atlas.hovered.connect(lambda head: self.hover_text_changed.emit(shared.about(head)))
        atlas.context_menu_requested.connect(self._on_atlas_menu_requested)
        self.side.what_if.mask_requested.connect(self.state.toggle_mask)
        self.right.tab.toggled.connect(self.fit_width)

    def connect_view(self, view: View) -> None:
        assert isinstance(view, AttendView)
        view.use(self.shared)
        if view.parent() is self.views:  # of a panel, the row does not depend
            view.redrawn.connect(self._show_row)
        if isinstance(view, MovedView):  # queued: it says so while a reading is being drawn
            view.most_moved_found.connect(self._on_most_moved_found, Qt.ConnectionType.QueuedConnection)

    @property
    def view(self) -> AttendView:
        """The large one on show."""
        view = self.views.view
        assert isinstance(view, AttendView)
        return view

    def open_view(self, key: str) -> AttendView:
        """A large view or a panel by the key of its spec; a view brings the panel that goes with it."""
        if key in {spec.key for spec in PANELS}:
            self.heads_card.open(key)
            return self.heads_card.panels.view
        self.show_view(key)
        self.heads_card.open(PANEL_OF_VIEW.get(key, "kinds"))
        return self.view

    def show_tab(self) -> None:
        self.large.show_view(self.view, self.spec)
        self._show_row()

    def draw_reading(self, reading: Reading) -> None:
        selection = self.state.selection
        attentions = Attentions(reading, selection.token_view)
        if not len(attentions.units):
            self.waiting.show_sentence(
                say("Special tokens are hidden, and there is no word yet. Type one above, or show special tokens.")
            )
            self.leave()
            return
        self._pinned = selection.pinned
        self.shared.set_attentions(attentions, selection)
        self.heads_card.show_reading(reading, selection, PAUSE_MS if self._is_typing else 0)
        super().draw_reading(reading)
        self.side.what_if.show_effects(reading)
        self.side.show_head(selection)
        self._show_row()

    def draw_head(self, reading: Reading) -> None:
        selection = self.state.selection
        if self.shared.attentions is None:
            return
        self.shared.show_head(selection)
        self.heads_card.show_selection(reading, selection)
        self.side.show_head(selection)
        self.draw_focus(reading)

    def draw_focus(self, reading: Reading) -> None:
        selection = self.state.selection
        if self.shared.attentions is None:
            return
        if selection.pinned != self._pinned:  # not at each move of the mouse
            self._pinned = selection.pinned
            self.shared.set_targets(selection)
        super().draw_focus(reading)
        self._show_row()

    def _redraw_focus(self) -> None:
        if self.state.reading is not None:
            self.draw_focus(self.state.reading)

    def _show_row(self) -> None:
        """What the picture says of itself, and on the right what the token on show looks at."""
        attentions, selection = self.shared.attentions, self.state.selection
        if attentions is not None:
            self.large.show_title(self.view, self.spec)
            unit = attentions.units.unit_of(selection.position)
            self.side.show_row(selection, None if unit is None else self.view.picture_row(unit))

    def _show_head(self, layer: int, head: int) -> None:
        if (layer, head) != (self.state.layer, self.state.head):
            self.state.set_head(layer, head)
        elif self.state.reading is not None and self.is_drawn:
            self.draw_head(self.state.reading)

    def leave(self) -> None:
        super().leave()
        self.heads_card.leave()
        self.shared.attentions = None

    # What a person does.

    def _comparison(self) -> object:
        """What is compared now: with which baseline, or a changed model with the unchanged one."""
        return self.state.baseline, bool(self.state.what_if)

    def _on_head_chosen(self) -> None:
        self._head_chosen_in = self._comparison()

    def _on_most_moved_found(self, layer: int, head: int) -> None:
        """A comparison begins with the head that moved most, unless a person has chosen one in it."""
        attentions = self.shared.attentions
        if attentions is None or not self.state.is_of_input(attentions.reading):
            return  # another comparison has begun
        if self._head_chosen_in == self._comparison():
            return
        self._on_head_chosen()
        if attentions.has((layer, head)):
            self.shared.choose((layer, head))

    def _on_view_what_if_edited(self, edit: Callable[[WhatIf], WhatIf]) -> None:
        super()._on_view_what_if_edited(edit)
        self._on_head_chosen()

    def _on_atlas_clicked(self, head: Head, modifiers: Qt.KeyboardModifier) -> None:
        """With Ctrl one more or less, with Shift all from the first selected one on."""
        if modifiers & CONTROL:
            self.shared.toggle(head)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            anchor = self.shared.heads[0] if self.shared.heads else head
            extent = self.heads_card.atlas.extent(anchor, head)
            self.shared.heads = (anchor, *(other for other in extent if other != anchor))
            self._show_head(*head)
        else:
            self.shared.choose(head)

    def _on_atlas_menu_requested(self, head: Head | None, at: QPoint) -> None:
        if head is not None:
            entries = [*self.shared.entries(head), None, *figure_entries(self.heads_card.atlas)]
            show_context_menu(self, at, entries)

    def _bars_figure(self) -> Figure | None:
        attentions, picture, row = self.shared.attentions, self.side.picture, self.side.row
        if row is None or attentions is None:
            return None
        labels = attentions.units.labels
        if picture is not None:
            values = {picture.kind: numbers_of("column", labels, row)}
            return self.figure(self.view.title, [self.side.bars], values, hint=picture.hint, token=True)
        token = attentions.reading.shown_tokens[self.state.selection.position]
        title, hint = say("What “{token}” looks at", token=token), say("attention of one token")
        values = {"attention": numbers_of("is looked at", labels, row)}
        of = {"hint": hint, "python": "t.attentions[layer, head, position]"}
        return self.figure(title, [self.side.bars], values, head=True, token=True, **of)

    def fit_width(self) -> None:
        """The large picture comes first: where there is little room, the cards beside it fold away."""
        left, right = self.left.widest, self.right.widest
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

    def hideEvent(self, event: QHideEvent) -> None:
        self.state.kept[KEPT] = _Kept(self.heads_card.panels.key, self.shared.heads, self._head_chosen_in)
        super().hideEvent(event)
