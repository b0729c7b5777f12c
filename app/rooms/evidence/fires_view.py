"""View "What fires it?": where a neuron or a head is strongest in a collection, and whether that matters."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.evidence_questions import FoundUnit, unit_of
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...widgets.card import GAP_PX, Card, button
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice, SpinBox
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import hbox, vbox
from ..pictures import Bars, Lines
from .sentences import signed_percent, unit_finding, unit_name, without_unit
from .view import EvidenceView, interval_bars

if TYPE_CHECKING:
    from bertcore.evidence.fires import UnitKind

    from ...state.readings import Reading

SIDE_PX, MOST_WORDS = 345, 5
CLEAR = (0.0, 0.2, 0.5, 0.8, 1.0)  # shares of the strongest contexts that are one word
CLEARNESS = mark("80% or more"), mark("50 to 79%"), mark("20 to 49%"), mark("below 20%")
WORDS = {"before": mark("What stands before"), "after": mark("What comes after")}


class FiresView(EvidenceView):
    """Of the chosen layer; of a head, the chosen one. A neuron is chosen here."""

    functions: ClassVar = {"unit": unit_of}
    technical: ClassVar = "tokens"
    call = "about.fires({1}, {0!r})"
    counted = mark("%Ln token(s)"), methodcaller("count")
    finding_in = staticmethod(unit_finding)
    pictures = (
        *(
            Bars(
                key=key,
                title=title,
                name=title,
                saved_as=f"words_{key}",
                python=f"[count for _, count in found.words({{shown.unit}}, {step})[:{MOST_WORDS}]]",
                shown_digits=0,
                chart=partial(BarList, may_cut=True),
            )
            for step, (key, title) in zip((-1, 1), WORDS.items(), strict=True)
        ),
        Bars(
            key="gain",
            title=mark("What changes without it?"),
            name=mark("Change in the probability of the next word without it"),
            intro=mark(
                "The next word is masked, and this unit switched off: how does the word’s probability change? +2%: "
                "10.2% in place of 10%."
            ),
            method=mark("95% intervals, bootstrap-t by context"),
            python="np.expm1([-(matters := found.matters({shown.unit})).strongest.value, -matters.random.value])",
            shown_digits=3,
        ),
        Lines(
            key="tokens",
            title=mark("Activation at all tokens"),
            name=mark("Number of tokens"),
            intro=mark("How many tokens have which activation. One step up is ten times as many: 3 means 1,000."),
            curves=(CurveSpec("tokens", mark("tokens"), "curve_train"),),
            python="np.log10(1.0 + found.bars[{shown.unit}])[None]",
            left_label=mark("tokens, powers of 10"),
            bottom_label=mark("activation"),
            includes_zero=True,
        ),
        Bars(
            key="units",
            title=mark("How many stand for one word?"),
            name=mark("How many of the strongest contexts of each are one word"),
            intro=mark(
                "All neurons (or heads) of this layer, by the share of their strongest contexts that are one and the "
                "same word."
            ),
            python=f"np.histogram(found.clear, {CLEAR})[0][::-1]",
            shown_digits=0,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.unit: int | None = None  # the neuron that is chosen; None: the clearest
        kinds: dict[UnitKind, str] = {"neuron": say("Neuron"), "head": say("Head")}
        self.kind = Choice(say("What fires?"), kinds, self.ask_again)
        contexts = {"strongest": say("Strongest"), "at_random": say("At random")}
        self.which = Choice(say("Which contexts"), contexts, self.redraw)
        self.number = SpinBox()
        self.number.setDecimals(0)
        self.number.setMinimum(1)
        self.number.setKeyboardTracking(False)
        self.number.setAccessibleName(say("Number of the neuron"))
        self.number.valueChanged.connect(lambda value: self._choose(int(value) - 1))
        hint = say("The next neuron whose strongest contexts are mostly one word")
        clear = button(say("Next one-word neuron"), self._on_clear_clicked, look="small", hint=hint)
        self.neurons = [self.number, clear]
        self.contexts, self.table = Card(intro=" "), self.uses_table(say("Contexts"), say("activation"))
        self.contexts.add_to_header(self.kind, self.number, clear, self.which)
        self.contexts.body.addWidget(self.table, 1)
        before, after, *side = self.side_cards()
        if theme.is_projector():
            return self.beside(self.contexts, SIDE_PX, before, after, *side)
        main, words = QWidget(), hbox((before, 1), (after, 1), gap_px=GAP_PX)
        vbox((self.contexts, 3), (words, 1), parent=main, gap_px=GAP_PX)
        return self.beside(main, SIDE_PX, *side, grows=1 if numbers.is_technical() else len(side))  # bars do not grow

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...]:
        kind: UnitKind = self.kind.currentData()
        return kind, self.selection.layer, self.unit if kind == "neuron" else self.selection.head

    def values_of(self, key: str, found: FoundUnit) -> Values:
        if key in WORDS:
            words = getattr(found, key)[:MOST_WORDS]
            return Values(np.array([float(count) for _, count in words]), Side("word", [word for word, _ in words]))
        units = found.all
        if key == "tokens":
            bars, reach = units.bars[found.unit], float(units.reach[found.unit])
            edges = np.linspace(-reach, reach, len(bars) + 1)
            places = [numbers.decimal(at) for at in ((edges[:-1] + edges[1:]) / 2).tolist()]
            sides = self.curve_names(key), Side("none", places, axis_name="activation")
            return Values(np.log10(1.0 + bars)[None], *sides)
        if key == "units":
            counts = np.histogram(units.clear, CLEAR)[0][::-1].astype(float)
            return Values(counts, Side("class", list(map(say, CLEARNESS)), axis_name="how clear"))
        if found.matters is None:
            return Values(np.zeros(0), Side("class", ()), hint=say("no word follows that could be hidden"))
        both = without_unit(found.matters.strongest), without_unit(found.matters.random)
        names = Side("class", (say("where it is strongest"), say("at random tokens")))
        most = max(max(abs(one.low), abs(one.high)) for one in both if np.isfinite(one.low))
        return interval_bars(names, both, write=signed_percent, high=most)

    def show_found(self, found: FoundUnit | None) -> None:
        for widget in self.neurons:
            widget.setVisible(self.kind.currentData() == "neuron")
        self.contexts.setEnabled(found is not None)
        self.table.update_rows([] if found is None else getattr(found, self.which.currentData()))
        if found is not None:
            self.contexts.set_title(unit_name(found))
            count = numbers.count(found.count())
            self.contexts.set_intro(say("One context of each sentence; {count} tokens looked at.", count=count))
            with QSignalBlocker(self.number):
                self.number.setMaximum(len(found.all.clear))
                self.number.setValue(found.unit + 1)

    def _choose(self, unit: int) -> None:
        self.unit = unit
        self.ask_again()

    def _on_clear_clicked(self) -> None:
        """The one after this in the order of how clear they are."""
        found: FoundUnit | None = self.found
        if found is not None:
            order = found.all.order()
            self._choose(order[(order.index(found.unit) + 1) % len(order)])
