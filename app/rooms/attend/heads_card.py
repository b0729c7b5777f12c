"""The left card: every head, and below it their kinds, a search, which are alike, and what each does."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...compute.question import Question
from ...figures.figure import Axis, Figure, Numbers
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection, TokenView
from ...state.baseline_names import baseline_name, where_compared
from ...widgets.card import GAP_PX, AsHighAsNeeded, Card, button, label, scrolled
from ...widgets.charts.raster import ColorBar
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.linked_text import LinkedText
from ...widgets.progress_line import ProgressLine
from ..room import ViewStack
from ..view import ViewSpec
from .atlas import HeadAtlas
from .attend_state import AttendState
from .attentions import Attentions, Descriptions, by_kind, describe_heads, kind_name
from .head_panels import AlikeView, EffectsView, FindView, KindsView, MovedView
from .large_card import ViewButtons
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
    ViewSpec("find", mark("Find"), mark("Which heads look from one of your words to another?"), FindView),
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
            "Each dot is a head. Heads close together look at the same tokens. Fainter: lower layers. Below: which "
            "heads are most like the chosen one; 0 would be exactly alike."
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

    question_requested = Signal(object)

    def __init__(self, shared: AttendState, figure: Callable[..., Figure | None]) -> None:
        """figure: `Room.figure`."""
        super().__init__(say("Every head"), intro=say("Each small picture is one head: click it."))
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.set_figure(self.atlas_figure)
        self.atlas = HeadAtlas()
        hint = say("Sort the heads by what they do")
        self.by_kind = button(say("Sort by kind"), look="small", hint=hint, checkable=True)
        self.panels = ViewStack(PANELS, AttendView)
        self.buttons = ViewButtons(PANELS, own_line=True)
        self.difference_scale = ColorBar(signed=True)
        explain("attention_difference", self.difference_scale)
        self._shared, self._figure = shared, figure
        self._describing: Question[Descriptions] = Question(self, self._on_described)
        self._shrinking: Question[np.ndarray] = Question(self, lambda _answer: self._show_heads())
        self._scale, self._panel_intro = label("", "muted", wrap=True), LinkedText()
        self._is_difference = False  # that is drawn
        inside = QWidget()
        # The scroll bar has a place of its own: pictures that grow with their width would make it come and go for ever.
        inside.setMaximumWidth(theme.column_px(WIDTH_PX) - 2 * theme.px(GAP_PX) - theme.px(BAR_PX) - 2)
        progress = ProgressLine([self._describing, self._shrinking])
        below = hbox((AsHighAsNeeded(self._scale), 1), self.by_kind)
        column = vbox(self.atlas, self.difference_scale, progress, below, parent=inside, gap_px=7)
        fill(column, self.buttons, self._panel_intro, (self.panels, 1))
        self.body.addWidget(scrolled(inside), 1)
        for question in (self._describing, self._shrinking):
            question.requested.connect(self.question_requested)
        self.panels.view_made.connect(lambda _key, view: view.redrawn.connect(self._show_effects))
        self.buttons.clicked.connect(self.open)
        self.by_kind.toggled.connect(self._show_order)

    def open(self, key: str) -> None:
        """Shows a panel by the key of its spec."""
        self.panels.open(key)
        spec = next(spec for spec in PANELS if spec.key == key)
        self.buttons.show_view(spec)
        self._panel_intro.setText(spec.shown_hint)
        self._show_effects()

    def show_reading(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        attentions = self._shared.attentions
        assert attentions is not None
        self._is_difference = selection.wants_difference and attentions.can_subtract
        self.atlas.set_off(attentions.off)
        self.set_hint(say("layers 1–{layers} ↓ heads 1–{heads} →", layers=attentions.layers, heads=attentions.heads))
        long_ms = 0 if attentions.is_small else LONG_PAUSE_MS
        if attentions.is_small or (not self._is_difference and attentions.token_view == TokenView()):
            self._shrinking.clear()
        else:
            function = Attentions.small_differences if self._is_difference else Attentions.thumbnails
            self._shrinking.ask(function, attentions, pause_ms=long_ms)
        self._show_heads()
        self._describing.ask(describe_heads, attentions, pause_ms=long_ms)
        self._shared.descriptions = self._describing.answer or {}
        self.atlas.set_selected(selection.layer, selection.head, self._shared.heads)
        self.panels.show_reading(reading, selection, pause_ms)
        self._show_effects()

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.atlas.set_selected(selection.layer, selection.head, self._shared.heads)
        self.panels.show_selection(reading, selection)

    def leave(self) -> None:
        """The room is not seen any more."""
        for question in (self._describing, self._shrinking):
            question.cancel()
        self.panels.leave()

    def atlas_figure(self) -> Figure | None:
        attentions = self._shared.attentions
        if attentions is None:
            return None
        by_head = Axis("layer", first=1), Axis("head", first=1)
        labels, values = attentions.units.labels, self.atlas.thumbnails
        if len(labels) == values.shape[-1]:
            axes = Axis("looks", labels), Axis("is looked at", labels)
        else:  # as small as they are drawn: the highest value of each block
            axes = Axis("block of tokens that looks"), Axis("block that is looked at")
        name, settings = "attention", "colours from 0 to each head's highest value"
        python = "t.attentions" if len(labels) == values.shape[-1] else ""
        if self._is_difference:
            name, python = "attention now minus before", ""
            settings = f"now minus {baseline_name(attentions.reading)}, one scale for all heads"
        arrays = {name: Numbers(values, (*by_head, *axes))}
        effects, target = self._shared.effects, self._shared.targets.target
        if effects is not None and target is not None:
            arrays["effect"] = Numbers(effects, by_head)
            unit = "" if target.is_score else ", in nats"
            settings += f" · squares: of the model as it is, what the head adds to {target.measure}{unit}"
        hint = say("rows: layers · columns: heads · within each: rows look at columns")
        return self._figure(self.title, [self.atlas], arrays, hint=hint, settings=settings, python=python)

    def _show_heads(self) -> None:
        attentions, made = self._shared.attentions, self._shrinking.answer
        if attentions is None:
            return
        self.difference_scale.setVisible(self._is_difference)
        if self._is_difference:
            made = attentions.small_differences() if attentions.is_small else made
            if made is not None:
                limit = float(np.abs(made).max(initial=0.0)) or 1.0
                self.atlas.set_heads(made, limit)
                self.difference_scale.set_range(-limit, limit, numbers.signed)
            return
        if attentions.is_small or attentions.token_view == TokenView():
            made = attentions.thumbnails()
        self.atlas.set_heads(attentions.reading.thumbnails if made is None else made)  # of tokens until then

    def _on_described(self, descriptions: Descriptions) -> None:
        self._shared.descriptions = descriptions
        self._show_order()
        self._shared.described.emit()

    def _show_order(self, *_: object) -> None:
        """By kind as soon as the kinds are there; while new ones are computed, the order stays."""
        descriptions, attentions = self._shared.descriptions, self._shared.attentions
        if not self.by_kind.isChecked():
            self.atlas.set_groups(None)
        elif descriptions and attentions is not None:
            kinds = by_kind(descriptions, self.atlas.off).items()
            names = [(kind_name(kind, attentions.reading), tuple(head for head, _ in heads)) for kind, heads in kinds]
            self.atlas.set_groups(names)

    def _show_effects(self) -> None:
        """Over the heads, while their panel is open."""
        view, attentions = self.panels.view, self._shared.attentions
        effects, limit = (view.effects, view.limit) if isinstance(view, EffectsView) else (None, 1.0)
        if effects is not None and (attentions is None or effects.shape != (attentions.layers, attentions.heads)):
            effects = None  # of another model
        self._shared.effects = effects
        self.atlas.set_effects(effects, limit)
        text = say("strongest colour: its highest weight")
        if effects is not None:
            text = say("squares: each head’s effect")
        elif self._is_difference and attentions is not None:
            there = where_compared(attentions.reading)
            text = say("red: looks there more than {there}; blue: less", there=there)
        self._scale.setText(text)
