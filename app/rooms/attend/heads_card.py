"""The left card: every head, and below it their kinds, a search, which are alike, and what each does."""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from ...compute.question import Question
from ...figures.figure import Axis, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import TokenView
from ...widgets.card import GAP_PX, Card, Steady, button, intro_line, label, scrolled, tip
from ...widgets.charts.raster import ColorBar
from ...widgets.figure_button import Provider
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import hbox, vbox
from ...widgets.pages import MoreButton
from ...widgets.progress_line import ProgressLine
from ..room import ViewStack
from ..view import ViewSpec
from .atlas import Group, HeadAtlas
from .attentions import Attentions, Descriptions, by_kind, describe_heads, kind_name, thumbnails_of
from .chosen_heads import Chosen
from .compared_attentions import ComparedAttentions, compared, compared_thumbnails
from .find_heads import FindView
from .head_effects import EffectsView
from .head_kinds import KindsView
from .moved_heads import MovedView
from .similar_heads import AlikeView
from .view import AttendView

WIDTH_PX, BAR_PX = 310, 9  # the card; the scroll bar, as in the style sheet
LONG_PAUSE_MS = 150  # before all heads of a long text are merged and described
PANELS = (
    ViewSpec(
        "kinds",
        mark("Kinds"),
        mark("Many heads have one simple habit. Click one (layer·head); the percentage says how strong the habit is."),
        KindsView,
    ),
    ViewSpec(
        "find",
        mark("Find"),
        mark("Which heads look from one of your words to another?"),
        FindView,
    ),
    ViewSpec(
        "moved",
        mark("Moved"),
        mark("These heads look at other tokens than in the baseline, which may explain the change: click one."),
        MovedView,
    ),
    ViewSpec(
        "alike",
        mark("Alike"),
        mark(
            "Each dot is a head. Heads close together look at the same tokens (below, 0: exactly alike). Fainter: "
            "lower layers."
        ),
        AlikeView,
        is_for_experts=True,
    ),
    ViewSpec(
        "effects",
        mark("Effects"),
        mark("Each head is switched off once. Red squares: it supports this answer. Blue: it works against it."),
        EffectsView,
        is_for_experts=True,
    ),
)


class HeadsCard(Card):
    """The atlas and one panel. Descriptions of the heads are computed whatever panel is open: others show them too."""

    view_made = Signal(object)
    described = Signal()  # the descriptions are there
    question_requested = Signal(object)

    def __init__(self, chosen: Chosen, atlas_figure: Provider) -> None:
        super().__init__(say("Every head"), intro=say("Each small picture is one head: click it."))
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(atlas_figure)
        self.atlas = HeadAtlas()
        self.by_kind = button(
            say("Sort by kind"), look="small", hint=say("Sort the heads by what they do"), checkable=True
        )
        self._chosen = chosen
        self.panels = ViewStack(PANELS, AttendView)
        self._specs = {spec.key: spec for spec in PANELS}
        self.more = MoreButton()
        self.tabs = {
            spec.key: button(spec.shown_title, look="small", hint=tip(spec.shown_hint), checkable=True)
            for spec in PANELS
        }
        self._describing: Question[Descriptions] = Question(self, self._on_described)
        self._shrinking: Question[np.ndarray] = Question(self, lambda _answer: self._show_heads())
        self._scale = label("", "muted", wrap=True)
        self.difference_scale = ColorBar(signed=True)
        explain("attention_difference", self.difference_scale)
        self._compared: ComparedAttentions | None = None  # whose differences are drawn
        self._panel_intro = intro_line()
        self._attentions: Attentions | None = None
        self._lay_out()
        for question in (self._describing, self._shrinking):
            question.requested.connect(self.question_requested)
        self.panels.view_made.connect(self._on_view_made)
        self.by_kind.toggled.connect(lambda _on: self._show_order())
        self.open("kinds")

    @property
    def descriptions(self) -> Descriptions:
        """Empty until they are computed."""
        return self._describing.answer or {}

    @property
    def panel(self) -> str:
        """The key of the one on show."""
        return self.panels.key

    def get(self, key: str) -> AttendView:
        """A panel, not necessarily on show."""
        return self.panels.get(key)

    def open(self, key: str) -> None:
        """Shows a panel by the key of its spec."""
        self.panels.open(key)
        self.tabs[key].setChecked(True)
        if self._specs[key].is_for_experts:
            self.more.setChecked(True)
        self._panel_intro.setText(self._specs[key].shown_hint)
        self._show_effects()

    def show_reading(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        self._attentions = attentions = Attentions(reading, selection.token_view)
        both = compared(attentions) if selection.wants_difference else None
        self._compared = None if both is None or both.problem else both
        self.atlas.set_off(attentions.off)
        self.set_hint(say("layers 1–{layers} ↓ heads 1–{heads} →", layers=attentions.layers, heads=attentions.heads))
        self._compute(attentions)
        self.panels.show_reading(reading, selection, pause_ms)
        self._show_effects()

    def show_selection(self, reading: Reading, selection: Selection, chosen: Chosen) -> None:
        self.atlas.set_selected(selection.layer, selection.head, chosen.heads)
        self.panels.show_selection(reading, selection)

    def leave(self) -> None:
        """The room is not seen any more."""
        for question in (self._describing, self._shrinking):
            question.cancel()
        self.panels.leave()
        self._attentions = self._compared = None

    def atlas_numbers(self) -> tuple[dict[str, Numbers], str]:
        """Behind the atlas, and what its caption says of them."""
        assert self._attentions is not None
        by_head = Axis("layer", first=1), Axis("head", first=1)
        labels, values = self._attentions.units.labels, self.atlas.thumbnails
        if len(labels) == values.shape[-1]:
            axes = Axis("looks", labels), Axis("is looked at", labels)
        else:  # as small as they are drawn: the highest value of each block
            axes = Axis("block of tokens that looks"), Axis("block that is looked at")
        arrays = {"attention": Numbers(values, (*by_head, *axes))}
        settings = "colours from 0 to each head's highest value"
        if self._compared is not None:
            arrays = {"attention now minus before": Numbers(values, (*by_head, *axes))}
            settings = f"now minus {self._compared.name}, one scale for all heads"
        effects, target = self.atlas.effects, self.panels.view.chosen.target
        if effects is not None and target is not None:
            arrays["effect"] = Numbers(effects, by_head)
            unit = "" if target.is_score else ", in nats"
            settings += f" · squares: of the model as it is, what the head adds to {target.measure}{unit}"
        return arrays, settings

    def _compute(self, attentions: Attentions) -> None:
        """All heads made small, and described."""
        pause_ms = 0 if attentions.is_small else LONG_PAUSE_MS
        is_compared = self._compared is not None
        if attentions.is_small or (not is_compared and attentions.token_view == TokenView()):
            self._shrinking.clear()
        else:
            function = compared_thumbnails if is_compared else thumbnails_of
            self._shrinking.ask(function, *attentions.given, pause_ms=pause_ms)
        self._show_heads()
        self._describing.ask(describe_heads, *attentions.given, pause_ms=pause_ms)

    def _show_heads(self) -> None:
        attentions, both = self._attentions, self._compared
        if attentions is None:
            return
        small = self._shrinking.answer
        self.difference_scale.setVisible(both is not None)
        if both is None:
            is_ready = attentions.is_small or attentions.token_view == TokenView()
            made = attentions.thumbnails() if is_ready else small
            self.atlas.set_heads(attentions.reading.thumbnails if made is None else made)  # of tokens until then
            return
        made = both.thumbnails() if attentions.is_small else small
        if made is not None:
            limit = float(np.abs(made).max(initial=0.0)) or 1.0
            self.atlas.set_heads(made, limit)
            self.difference_scale.set_range(-limit, limit, numbers.signed)

    def _lay_out(self) -> None:
        inside = QWidget()
        # The scroll bar has a place of its own: pictures that grow with their width would make it come and go for ever.
        inside.setMaximumWidth(theme.column_px(WIDTH_PX) - 2 * theme.px(GAP_PX) - theme.px(BAR_PX) - 2)
        line, more, group = FlowLayout(4), FlowLayout(4), QButtonGroup(self)
        for key, tab in self.tabs.items():
            tab.clicked.connect(lambda _checked=False, key=key: self.open(key))
            group.addButton(tab)
            is_for_experts = self._specs[key].is_for_experts
            (more if is_for_experts else line).addWidget(tab)
        line.addWidget(self.more)
        experts = QWidget()
        experts.setLayout(more)
        experts.hide()
        self.more.toggled.connect(experts.setVisible)
        progress = ProgressLine([self._describing, self._shrinking])
        below = hbox((Steady(self._scale), 1), self.by_kind)
        vbox(
            self.atlas,
            self.difference_scale,
            progress,
            below,
            line,
            experts,
            self._panel_intro,
            (self.panels, 1),
            parent=inside,
            gap_px=7,
        )
        self.body.addWidget(scrolled(inside), 1)

    def _on_view_made(self, _key: str, view: AttendView) -> None:
        view.use(self._chosen)
        if isinstance(view, EffectsView):
            view.effects_changed.connect(self._show_effects)
        elif isinstance(view, KindsView):
            view.set_descriptions(self.descriptions)
        self.view_made.emit(view)

    def _on_described(self, descriptions: Descriptions) -> None:
        kinds = self.panels.get("kinds")
        assert isinstance(kinds, KindsView)
        kinds.set_descriptions(descriptions)
        self._show_order()
        self.described.emit()

    def _show_order(self) -> None:
        """By kind as soon as the kinds are there; while new ones are computed, the order stays."""
        descriptions, attentions = self.descriptions, self._attentions
        if not self.by_kind.isChecked():
            self.atlas.set_groups(None)
        elif descriptions and attentions is not None:
            groups: list[Group] = [
                (kind_name(kind, attentions.reading), tuple((layer, head) for layer, head, _ in heads))
                for kind, heads in by_kind(descriptions, self.atlas.off).items()
            ]
            self.atlas.set_groups(groups)

    def _show_effects(self) -> None:
        """Over the heads, while their panel is open."""
        view = self.panels.view
        effects = view.effects if isinstance(view, EffectsView) else None
        attentions = self._attentions
        if effects is not None and (attentions is None or effects.shape != (attentions.layers, attentions.heads)):
            effects = None  # of another model
        self.atlas.set_effects(effects, view.limit if isinstance(view, EffectsView) else 1.0)
        self._scale.setText(
            say("squares: each head’s effect")
            if effects is not None
            else say("red: looks there more than {there}; blue: less", there=self._compared.where)
            if self._compared is not None
            else say("strongest colour: its highest weight")
        )
