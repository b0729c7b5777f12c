"""The left card: every head, and below it their kinds, a search, which are alike, and what each does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.attend.alike_panel import AlikePanel
from app.rooms.attend.atlas import HeadAtlas
from app.rooms.attend.effects_panel import EffectsPanel
from app.rooms.attend.find_panel import FindPanel
from app.rooms.attend.kinds_list import HeadLinks, kind_name, kind_rows
from app.rooms.attend.shown import Choice, Head, Named, Shown, by_kind, named_heads
from app.rooms.attend.targets import Targets
from app.state.token_units import TokenView
from app.widgets.card import GAP_PX, Card, button, label, scrolled
from app.widgets.figure_button import Provider
from app.widgets.question import Question
from app.widgets.steady import Steady

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

WIDTH_PX, BAR_PX = 310, 9  # the card; the scroll bar, as in the style sheet
KINDS, FIND, ALIKE, EFFECTS = TABS = ("Kinds", "Find", "Alike", "Effects")
TAB_HINTS = {
    KINDS: "Kinds of heads found in this text",
    FIND: "Find a head by its kind or by what it looks at",
    ALIKE: "Which heads look at the same",
    EFFECTS: "What each head does for a prediction",
}
SCALED = "colour: 0 to each head's highest"


class HeadsCard(Card):
    """Only the tab that is open asks for anything."""

    chosen = Signal(int, int)
    several_chosen = Signal(list)  # of (layer, head)
    named = Signal()  # kinds of the heads are there

    def __init__(self, targets: Targets, atlas_figure: Provider, map_figure: Provider) -> None:
        super().__init__("Every head")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.atlas = HeadAtlas()
        self.kinds = HeadLinks("Kinds of heads found in this text")
        self.finder, self.alike, self.effects = FindPanel(), AlikePanel(map_figure), EffectsPanel(targets)
        self.sorted = button("By kind", hint="Sort the heads by what they do", checkable=True)
        self.sorted.setProperty("look", "small")
        self.set_figure(atlas_figure)
        self.naming, self._shrinking = Question("attend.kinds"), Question("attend.thumbnails")
        self.questions = [
            self.naming,
            self._shrinking,
            self.finder.question,
            self.alike.question,
            self.effects.question,
        ]
        self._panels: dict[str, FindPanel | AlikePanel | EffectsPanel] = {
            FIND: self.finder,
            ALIKE: self.alike,
            EFFECTS: self.effects,
        }
        for question in self.questions:
            question.setParent(self)  # ends with the card, on the window's thread
        self._scale = label(SCALED, "muted", wrap=True)
        self._shown: Shown | None = None
        self.tab = KINDS
        self._lay_out()
        self._connect()

    @property
    def described(self) -> Named:
        """Empty while it is worked out."""
        return self.naming.answer or {}

    def draw(self, shown: Shown) -> None:
        self._shown = shown
        self.atlas.set_off(shown.off)
        for links in (self.kinds, self.finder.found, self.alike.nearest, self.effects.heads):
            links.set_off(shown.off)
        self.set_hint(f"layers 1–{shown.layers} ↓ heads 1–{shown.heads} →")
        pause_ms = 0 if shown.is_small else 150
        if shown.is_small or shown.view == TokenView():
            self._shrinking.forget()
            self.atlas.set_heads(shown.thumbnails())
        else:

            def shrink(checkpoint: Checkpoint, step: Step) -> Any:
                return shown.thumbnails(step)

            self._shrinking.want(shown.key, shrink, pause_ms)
            made = self._shrinking.answer  # nothing asks for it twice
            self.atlas.set_heads(shown.reading.thumbnails if made is None else made)  # of tokens until it is there

        def name(checkpoint: Checkpoint, step: Step) -> Any:
            return named_heads(shown, step)

        self.naming.want(shown.key, name, pause_ms)
        self._draw_tab()

    def set_chosen(self, choice: Choice) -> None:
        self.atlas.set_selected(choice.layer, choice.head, choice.heads)
        self.alike.set_chosen((choice.layer, choice.head), choice.heads)

    def open_tab(self, tab: str) -> None:
        """One of TABS."""
        self.tab = tab
        for name, page in self._pages.items():
            self._buttons[name].setChecked(name == tab)
            page.setVisible(name == tab)
        for name, panel in self._panels.items():
            if name != tab:
                panel.leave()
        self._draw_tab()

    def leave(self) -> None:
        """The room is not seen any more."""
        for question in self.questions:
            question.leave()
        for panel in self._panels.values():
            panel.leave()
        self._shown = None

    def extent(self, one: Head, other: Head) -> list[Head]:
        """All heads from one to another, as they stand in the atlas."""
        return self.atlas.extent(one, other)

    def _lay_out(self) -> None:
        inside = QWidget()
        # The scroll bar has a place of its own: pictures that grow with their width would make it come and go for ever.
        inside.setMaximumWidth(theme.column_px(WIDTH_PX) - 2 * theme.px(GAP_PX) - theme.px(BAR_PX) - 2)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(7))
        column.addWidget(self.atlas)
        below = QHBoxLayout()
        below.addWidget(Steady(self._scale), 1)
        below.addWidget(self.sorted)
        column.addLayout(below)
        column.addLayout(self._build_tabs())
        self._pages: dict[str, QWidget] = {KINDS: self._build_kinds(), **self._panels}
        for name, page in self._pages.items():
            column.addWidget(page)
            page.setVisible(name == self.tab)  # once it stands on the card: by itself it would be a window
        column.addStretch(1)
        self.body.addWidget(scrolled(inside), 1)

    def _build_tabs(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(theme.px(4))
        self._buttons = {name: button(name, hint=TAB_HINTS[name], checkable=True) for name in TABS}
        group = QButtonGroup(self)
        for name, made in self._buttons.items():
            made.setProperty("look", "small")
            made.setAccessibleName(TAB_HINTS[name])
            made.setChecked(name == self.tab)
            made.clicked.connect(lambda _checked=False, name=name: self.open_tab(name))
            group.addButton(made)
            line.addWidget(made)
        line.addStretch(1)
        return line

    def _build_kinds(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addWidget(label("found in this text, as layer·head with its score; click one", "muted", wrap=True))
        layout.addWidget(Steady(self.kinds))
        return page

    def _connect(self) -> None:
        for links in (self.kinds, self.alike.nearest):
            links.chosen.connect(self.chosen)
        self.finder.chosen.connect(self.chosen)
        self.effects.chosen.connect(self.chosen)
        self.alike.points.chosen.connect(self.chosen)
        self.atlas.chosen.connect(self.chosen)
        self.finder.several_chosen.connect(self.several_chosen)
        self.naming.answered.connect(lambda _answer: self._show_kinds())
        self._shrinking.answered.connect(self.atlas.set_heads)
        self.effects.effects_changed.connect(self._show_effects)
        self.sorted.toggled.connect(lambda _on: self._show_order())

    def _draw_tab(self) -> None:
        if self._shown is not None and self.tab in self._panels:
            self._panels[self.tab].draw(self._shown)
        self._show_effects()

    def _show_kinds(self) -> None:
        if self._shown is not None:
            self.kinds.show_rows(kind_rows(by_kind(self.described, self.atlas.off), self._special()))
            self._show_order()
            self.named.emit()

    def _show_order(self) -> None:
        """By kind as soon as the kinds are there; while new ones are worked out, the order stays."""
        named = self.described
        if not self.sorted.isChecked():
            self.atlas.set_groups(None)
        elif named:
            groups: Sequence[tuple[str, tuple[Head, ...]]] = [
                (kind_name(kind, self._special()), tuple((layer, head) for layer, head, _ in heads))
                for kind, heads in by_kind(named, self.atlas.off).items()
            ]
            self.atlas.set_groups(groups)

    def _show_effects(self) -> None:
        """Over the heads, while their tab is open."""
        effects = self.effects.effects if self.tab == EFFECTS else None
        fits = (
            effects is not None and self._shown is not None and effects.shape == (self._shown.layers, self._shown.heads)
        )
        self.atlas.set_effects(effects if fits else None, self.effects.limit)
        self._scale.setText("squares: what happens without this head; scale below" if fits else SCALED)

    def _special(self) -> str:
        return "/".join(self._shown.reading.special_names) or "special token" if self._shown else ""
