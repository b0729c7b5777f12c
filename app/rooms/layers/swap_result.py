"""Beside the maps of "Swap in": the prediction asked about, its number in both texts, and with one place swapped in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from bertcore.errors import shortened

from ...compute.head_questions import HeadTarget, odds
from ...figures.values import stage_name
from ...look import numbers
from ...look.say import say
from ...widgets.card import Card, label, scrolled
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from ...widgets.layouts import fill, vbox

if TYPE_CHECKING:
    from ...compute.patching import SwapMap
    from ...state.what_if import Swap

MOST_TEXT = 120  # characters of each text
LEAST_NAMED = 0.1  # a layer's highest share is named from here on


class SwapResult(Card):
    """`target` chooses the prediction. What there is no map for yet is left out."""

    def __init__(self) -> None:
        super().__init__(say("What comes out"))
        self.target = Choice(say("The prediction to explain"))
        self.path, self.cell = label("", wrap=True), label("", wrap=True)
        self.scores = label("", wrap=True)
        self.formula = label("", "muted", wrap=True)
        self.targets: list[HeadTarget] = []
        self._picked: HeadTarget | None = None  # what the person chose
        self.own: HeadTarget | None = None  # what the person typed
        self.fields = ContrastFields()
        inside = QWidget()
        fill(vbox(parent=inside), self.target, self.fields, self.scores, self.path, self.cell, self.formula, None)
        self.body.addWidget(scrolled(inside), 1)
        self.target.activated.connect(self._on_target_activated)

    @property
    def chosen(self) -> HeadTarget | None:
        """What is asked about."""
        return self.targets[self.target.currentIndex()] if self.targets else None

    def set_targets(
        self, targets: list[HeadTarget], *, own: HeadTarget | None = None, is_same_pair: bool = False
    ) -> None:
        """What can be asked about now. What is asked about stays for the same two texts, whatever token is clicked; for
        others what a person chose, where it is among it. own: what a person typed, which comes before all of it."""
        chosen = self.chosen
        if own is not None:
            targets = [own, *(one for one in targets if one.target != own.target)]
            chosen = None
        elif self.own is not None:  # the words typed were cleared
            chosen = None
        self.own = own
        if chosen is not None and is_same_pair:
            self._picked = chosen
            targets = targets if chosen in targets else [chosen, *targets]
        self.targets = targets
        names = [one.label + one.note for one in targets]
        if names != [self.target.itemText(i) for i in range(self.target.count())]:
            self.target.clear()
            self.target.addItems(names)
        wanted = self._picked.target if self._picked is not None and own is None else None
        self.target.setCurrentIndex(next((i for i, one in enumerate(targets) if one.target == wanted), 0))

    def show_maps(
        self, places: SwapMap | None, heads: SwapMap | None, columns: Sequence[str], texts: tuple[str, str]
    ) -> None:
        """columns: a name for each place that was patched. texts: this one and the other."""
        one = places or heads
        for words in (self.scores, self.path, self.cell, self.formula):
            words.setVisible(one is not None)
        if one is None:
            return
        ours, theirs = (shortened(text, MOST_TEXT) for text in texts)
        scores = say(
            "This text: {text}\n{score}\n\nThe other text: {other}\n{other_score}",
            text=ours,
            score=self.score_text(one.text),
            other=theirs,
            other_score=self.score_text(one.other),
        )
        self.scores.setText(f"{self._number}\n{scores}".strip())
        self.formula.setText(self._formula)
        said = [] if places is None else [self._path(places, columns)]
        self.path.setText(" ".join(said if heads is None else [*said, self._strongest_head(heads)]).strip())

    def show_swap(self, swap: Swap, found: SwapMap, column: int, *, is_on: bool) -> None:
        """What one cell of a map says. is_on: all rooms show its pass."""
        sentence = say(
            "With {what} swapped in, {score}: {share} of the way to the other text.",
            what=swap.description,
            score=self.score_text(float(found.patched[swap.row, column])),
            share=numbers.percent(float(found.shares[swap.row, column])),
        )
        what_now = (
            say("All views show this swap now; Esc ends it.")
            if is_on
            else say("Click its cell to try it in all views.")
        )
        self.cell.setText(f"{sentence} {what_now}")

    def score_text(self, score: float) -> str:
        """A target's number, as a person reads it."""
        chosen = self.chosen
        assert chosen is not None
        if chosen.target.against is not None:
            return numbers.signed(score) if numbers.is_technical() else odds(chosen, score)
        return numbers.decimal(score) if chosen.is_score else numbers.probability(math.exp(min(score, 0.0)))

    @property
    def _number(self) -> str:
        """What the numbers are, of the prediction that was chosen."""
        chosen = self.chosen
        assert chosen is not None
        if chosen.is_score:
            return say("Cosine:") if chosen.target.head == "similarity" else say("Its score:")
        if chosen.target.against is None:
            return say("Its probability:")
        return say("ln p of the first answer − ln p of the second, in nats:") if numbers.is_technical() else ""

    @property
    def _formula(self) -> str:
        """What a share is of, by the numbers above: ln p wherever there is a probability."""
        chosen = self.chosen
        assert chosen is not None
        if chosen.is_score or (chosen.target.against is not None and numbers.is_technical()):
            return say("Numbers and colours: how far a swap moves this number from this text (0) to the other (1).")
        if chosen.target.against is None:
            return say(
                "Numbers and colours: how far a swap moves this probability (on a log scale) from this text (0) to the "
                "other (1)."
            )
        first, second = chosen.answers
        return say(
            "Numbers and colours: how far a swap moves the odds of “{first}” against “{second}” (on a log scale) from "
            "this text (0) to the other (1).",
            first=first,
            second=second,
        )

    def _strongest_head(self, heads: SwapMap) -> str:
        layer, head = divmod(int(heads.shares.argmax()), heads.shares.shape[1])
        share = float(heads.shares[layer, head])
        if share < LEAST_NAMED:
            return say("No head alone moves the answer much.")
        return say(
            "Of all heads, head {head} of layer {layer} moves the answer most: {share}.",
            layer=layer + 1,
            head=head + 1,
            share=numbers.percent(share),
        )

    def _path(self, places: SwapMap, columns: Sequence[str]) -> str:
        """At which token most of the difference is: "embeddings to layer 5 at woman, layer 6 at [MASK]"."""
        shares, first = places.shares, 0 if places.part == "state" else 1
        best = [int(row.argmax()) for row in shares]
        parts = []
        for place, rows in groupby(range(len(best)), key=lambda row: best[row]):
            stages = [row + first for row in rows if shares[row, place] >= LEAST_NAMED]
            if not stages:
                continue
            names = [say("layer {layer}", layer=stage) if stage else stage_name(0) for stage in stages]
            span = names[0] if len(names) == 1 else say("{first} to {last}", first=names[0], last=names[-1])
            parts.append(say("{stages} at “{token}”", stages=span, token=columns[place]))
        return say("Most of the difference: {places}.", places="; ".join(parts)) if parts else ""

    def _on_target_activated(self, index: int) -> None:
        self._picked = self.targets[index]
