"""View "What fires it?": where a neuron or a head is strongest in a collection, and whether that matters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.evidence_uses import FoundUnit, Words, unit_of
from ...figures.values import Side, Values
from ...look import numbers, theme
from ...look.say import mark, say
from ...widgets.card import GAP_PX, Card, button
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice, SpinBox
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import hbox, vbox
from ..pictures import Bars, Lines
from .sentences import unit_finding, unit_name
from .uses_table import UsesTable, opened_use
from .view import EvidenceView

if TYPE_CHECKING:
    from bertcore.evidence.fires import UnitKind
    from bertcore.evidence.nearest import Use

    from ...state.readings import Reading
    from ...state.selection import Selection

SIDE_PX, LEAST_PX, MOST_WORDS = 330, 150, 5
KINDS: tuple[tuple[UnitKind, str], ...] = (("neuron", mark("Neuron")), ("head", mark("Head")))
CLEAR = (0.8, 0.5, 0.2, 0.0)  # the least share of the strongest contexts that are one word
CLEARNESS = (
    mark("one word: ≥ 80%"),
    mark("one word: 50 to 79%"),
    mark("one word: 20 to 49%"),
    mark("many words"),
)
WORDS = {"before": mark("What stands before"), "after": mark("What comes after")}


class FiresView(EvidenceView):
    """Of the chosen layer; of a head, the chosen one. A neuron is chosen here."""

    shows = "unit"
    pictures = (
        *(
            Bars(
                key=key,
                title=title,
                name=title,
                saved_as=f"words_{key}",
                shown_digits=0,
                chart=partial(BarList, may_cut=True),
                folds=True,
            )
            for key, title in WORDS.items()
        ),
        Bars(
            key="matters",
            title=mark("Does it matter?"),
            name=mark("How much likelier the next word is with it, in nats"),
            intro=mark("How much likelier the next word, hidden, is with it than with 0 in its place, in nats."),
            saved_as="gain",
            shown_digits=3,
            folds=True,
        ),
        Lines(
            key="all",
            title=mark("All tokens"),
            name=mark("Activation at all tokens"),
            curves=(CurveSpec("tokens", mark("tokens"), "curve_train"),),
            left_label=mark("tokens, log10"),
            bottom_label=mark("activation"),
            at=mark("activation {x}"),
            includes_zero=True,
            saved_as="tokens",
            folds=True,
        ),
        Bars(
            key="clear",
            title=mark("How clear are they all?"),
            name=mark("How many of the strongest contexts of each are one word"),
            saved_as="units",
            shown_digits=0,
            folds=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.unit: int | None = None  # the neuron that is chosen; None: the clearest
        self.kind, self.which = Choice(say("What fires?")), Choice(say("Which contexts"))
        for key, title in KINDS:
            self.kind.addItem(say(title), key)
        for title in (say("Strongest"), say("At random")):
            self.which.addItem(title)
        self.number = SpinBox()
        self.number.setDecimals(0)
        self.number.setMinimum(1)
        self.number.setKeyboardTracking(False)
        self.number.setAccessibleName(say("Number of the neuron"))
        self.number.valueChanged.connect(lambda value: self._choose(int(value) - 1))
        clear = button(say("Another clear one"), self._on_clear_clicked, look="small")
        clear.setToolTip(say("The next neuron whose strongest contexts are mostly one word"))
        self.neurons = [self.number, clear]
        self.kind.activated.connect(self.ask_again)
        self.which.activated.connect(lambda _at: self.redraw("before"))
        self.contexts, self.table = Card(say("Where it fires most"), intro=" "), UsesTable("", say("activation"))
        self.table.setAccessibleName(say("Contexts"))
        for made in (self.kind, self.number, clear, self.which):
            self.contexts.add_to_header(made)
        self.contexts.body.addWidget(self.table, 1)
        self.table.row_opened.connect(self._open_use)
        cards = [self.folded(picture.key) for picture in self.pictures]
        if theme.is_projector():
            return self.beside(self.contexts, cards, SIDE_PX, grows=3)
        cards[3].setMinimumHeight(theme.px(LEAST_PX))
        main, words = QWidget(), hbox(*((card, 1) for card in cards[:2]), gap_px=GAP_PX)
        vbox((self.contexts, 3), (words, 1), parent=main, gap_px=GAP_PX)
        return self.beside(main, cards[2:], SIDE_PX, grows=1)

    def question(self, asks: str, reading: Reading, selection: Selection) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        kind: UnitKind = self.kind.currentData()
        unit = self.unit if kind == "neuron" else selection.head
        return unit_of, (kind, selection.layer, unit)

    def values_of(self, key: str, found: FoundUnit, selection: Selection) -> Values:
        if key in WORDS:
            return _words(getattr(found, key))
        if key == "all":
            edges = np.linspace(-found.reach, found.reach, len(found.bars) + 1)
            places = [numbers.decimal(at) for at in ((edges[:-1] + edges[1:]) / 2).tolist()]
            array = np.log10(1.0 + found.bars)[None]
            return Values(array, Side("none", (say("tokens"),)), Side("none", places, axis_name="activation"))
        if key == "clear":
            counts = np.array([((found.clear >= low) & (found.clear < high)).sum() for low, high in _classes()], float)
            return Values(counts, Side("class", [say(name) for name in CLEARNESS], axis_name="how clear"))
        if found.matters is None:
            return Values(np.zeros(0), Side("class", ()), hint=say("no word follows that could be hidden"))
        both = found.matters.strongest, found.matters.random
        names = say("where it is strongest"), say("at tokens at random")
        detail = {"low": [one.low for one in both], "high": [one.high for one in both]}
        most = max(max(abs(one.low), abs(one.high)) for one in both if np.isfinite(one.low)) if both else 1.0
        texts = [[numbers.signed(one.value, 3)] for one in both]
        array = np.array([one.value for one in both])
        return Values(array, Side("class", names), high=most, texts=texts, detail=detail)

    def finding_in(self, found: FoundUnit, selection: Selection) -> str:
        return unit_finding(found)

    def how_many(self, key: str) -> str:
        found: FoundUnit | None = self.found
        return "" if found is None else say("%Ln token(s)", n=int(found.bars.sum()))

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        found: FoundUnit | None = self.found
        is_neuron = self.kind.currentData() == "neuron"
        for widget in self.neurons:
            widget.setVisible(is_neuron)
        self.contexts.setEnabled(found is not None)
        if found is None:
            self.table.show_uses([])
            return
        self.table.show_uses(found.at_random if self.which.currentIndex() else found.strongest)
        self.contexts.set_title(unit_name(found))
        intro = say(
            "One context of each sentence; {count} tokens looked at.", count=numbers.count(int(found.bars.sum()))
        )
        self.contexts.set_intro(intro)
        self.number.blockSignals(True)
        self.number.setMaximum(len(found.clear))
        self.number.setValue(found.unit + 1)
        self.number.blockSignals(False)

    def _choose(self, unit: int) -> None:
        self.unit = unit
        self.ask_again()

    def _on_clear_clicked(self) -> None:
        """The one after this in the order of how clear they are."""
        found: FoundUnit | None = self.found
        if found is not None:
            order = np.argsort(-found.clear, kind="stable").tolist()
            self._choose(order[(order.index(found.unit) + 1) % len(order)])

    def _open_use(self, use: Use) -> None:
        self.row_opened.emit(opened_use(use))


def _words(words: Words) -> Values:
    """How often each stands there."""
    shown = words[:MOST_WORDS]
    return Values(np.array([float(count) for _, count in shown]), Side("word", [word for word, _ in shown]))


def _classes() -> list[tuple[float, float]]:
    """From how much of the strongest contexts up to how much."""
    return list(zip(CLEAR, (np.inf, *CLEAR[:-1]), strict=True))
