"""View "Compared": where the hidden states part from those of the baseline, and which layers are alike."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtWidgets import QLayout, QPushButton, QSizePolicy

from bertcore.analysis.compare import linear_cka, state_similarity
from bertcore.errors import BertcoreError

from ...compute.question import Job, ReportOrCancel
from ...figures.values import Side, Values, stage_labels, stage_name, stages
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection, TokenView
from ...state.baseline_names import baseline_name, replacing
from ...widgets.card import GAP_PX, label, show_text
from ...widgets.charts.cells import LabelledGrid
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, vbox
from ..pictures import Cells
from ..values_view import ValuesView

LEAST_HIGH = 0.02  # to which the colours reach at least: rounding errors stay without colour
CELL_PX = 260, 64  # of two layers, at most: two models of different sizes have few of them


@dataclass(frozen=True, eq=False)
class Apart:
    """P pairs of tokens; L, L' layers."""

    distance: np.ndarray | None  # (P,L+1) 1 - cosine; None where the states of the two have none
    cka: np.ndarray | None  # (L+1,L'+1); None for too few tokens
    problems: tuple[str, str]  # why there is none of the one, of the other: sentences


def apart_of(reading: Reading, different: str, _progress: ReportOrCancel) -> Apart:
    """A reading and its baseline. different: the sentence where the two models have other shapes."""
    baseline, alignment = reading.baseline, reading.alignment
    assert baseline is not None and alignment is not None
    ours, theirs = reading.trace.hidden_states, baseline.trace.hidden_states
    problems, distance, cka = ["", ""], None, None
    try:
        distance = np.ascontiguousarray(1 - state_similarity(ours, theirs, alignment).T).astype(np.float32)
    except BertcoreError as error:
        problems[0] = different if ours.shape[::2] != theirs.shape[::2] else str(error)
    try:
        cka = linear_cka(ours, theirs, alignment).astype(np.float32)
    except BertcoreError as error:
        problems[1] = str(error)
    return Apart(distance, cka, (problems[0], problems[1]))


class ApartView(ValuesView):
    """Distances on the left, layers against layers on the right."""

    pictures = (
        Cells(
            key="distance",
            title=mark("How much does each token differ?"),
            name=mark("How far each token is from the baseline: rows are tokens, columns are layers"),
            intro=mark(
                "Row: a token. Column: a layer. No colour (0): its numbers are the same in both. Stronger colour: they "
                "are further apart (1: nothing in common)."
            ),
            hovered=mark("{row}, {column}: similarity {value} with the baseline"),
            write=lambda distance: numbers.decimal(1 - distance, 4),
            number="cosine_distance",
            saved_as="1 - cosine",
            python="1 - m.compare(a, b, {view.compared_python}).text.states.T",
            asks="apart",
            is_compared=False,
            width=3,
        ),
        Cells(
            key="cka",
            title=mark("Which layers are alike?"),
            name=mark("How alike two layers are: rows are layers now, columns those of the baseline"),
            intro=mark(
                "Row: a layer here. Column: a layer of the baseline, with which you compare. 1: both sort the tokens "
                "alike, so that those close together in one are close in the other; 0: they have nothing in common."
            ),
            hovered=mark("{row} and the baseline {column}: {value} of 1"),
            digits=3,
            number="cka",
            saved_as="CKA",
            python="np.maximum(m.compare(a, b, {view.compared_python}).text.cka, 0)",
            asks="apart",
            is_compared=False,
            axis_names=(mark("now ↓"), mark("baseline →")),
            chart=partial(LabelledGrid, largest_px=CELL_PX),
            width=2,
        ),
    )

    def lay_out(self) -> QLayout:
        self.problem, self.finding = label("", wrap=True), label("", wrap=True)  # of one of the two; of the layers
        self.furthest = label("", wrap=True)
        self.cards["cka"].body.insertWidget(0, self.finding)
        self.cards["distance"].body.insertWidget(0, self.furthest)
        self.problem.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        for card in self.cards.values():
            card.body.addStretch(0)  # takes the grid's place while it is hidden
        self._right = folding_on_projector(self.cards["cka"], self.cards["cka"].title)
        pictures = hbox((self.cards["distance"], 3), (self._right, 2), gap_px=GAP_PX)
        return vbox(self.problem, (pictures, 1), gap_px=GAP_PX)

    def offers(self) -> list[QPushButton]:
        self.try_it = self.offer_of_texts()
        return [self.try_it]

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        title, apart = self.cards["distance"].title, self.answer_of("apart", reading)
        self.try_it.setVisible(reading.baseline is None)
        if reading.baseline is None:
            return title, say(
                "You get a square for each token and layer. Stronger colour: its numbers differ more between the two. "
                "Choose another text, model or step under “Compare” at the top."
            )
        return (title, apart.problems[0]) if apart is not None and apart.distance is apart.cka is None else None

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        different = say(
            "The two models have different layers or sizes, so a token’s numbers cannot be compared one by one. What "
            "can be compared is which tokens each layer treats alike (CKA)."
        )
        return None if reading.baseline is None else Job(apart_of, (reading, different))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        apart, baseline, alignment = self.answer_of("apart", reading), reading.baseline, reading.alignment
        if apart is None or baseline is None or alignment is None:
            return None
        hint = say("compared with {baseline}", baseline=baseline_name(reading))
        if key == "cka":
            cka = np.zeros((0, 0)) if apart.cka is None else np.maximum(apart.cka, 0)
            texts = [[numbers.decimal(value) for value in row] for row in cka.tolist()]
            theirs = Side("stage", stage_labels(cka.shape[1]), axis_name="layer of the baseline")
            return Values(cka, stages(len(cka)), theirs, 0.0, 1.0, texts, hint=hint)
        units, tokens, others = reading.units(TokenView()), reading.shown_tokens, baseline.shown_tokens
        pairs = () if apart.distance is None else alignment.pairs
        labels = [replacing(tokens[ours], others[theirs]) for ours, theirs in pairs]
        positions = [ours for ours, _ in pairs]
        rows = Side("token", labels, [units.kinds[ours] for ours in positions], positions, units)
        distance = np.zeros((0, 0)) if apart.distance is None else apart.distance
        high = max(float(distance.max(initial=0.0)), LEAST_HIGH)
        return Values(distance, rows, stages(distance.shape[1]), 0.0, high, hint=hint)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        apart = self.answer_of("apart", reading)
        if apart is None:
            return
        has_distance = apart.distance is not None
        show_text(self.problem, " ".join(apart.problems).strip())
        self.charts["distance"].setVisible(has_distance)
        self.charts["cka"].setVisible(apart.cka is not None)
        self.cards["distance"].setVisible(has_distance)
        self._right.set_foldable(has_distance and theme.is_projector())
        self.finding.setText("" if apart.cka is None else found(apart.cka, reading))
        show_text(self.furthest, furthest_apart(self.shown["distance"], reading) if has_distance else "")

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        return None if key == "cka" else super().selected(key, side, selection)

    def caption(self, key: str) -> dict[str, Any]:
        name = "" if self.reading is None else baseline_name(self.reading)
        return {"settings": f"{'linear CKA' if key == 'cka' else 'compared'} with {name}", "by_token": True}


def furthest_apart(distance: Values, reading: Reading) -> str:
    """The token that differs most; where some words are others, also the one among those that both have."""
    rows = distance.array.max(axis=1, initial=0.0)  # (P)
    is_shared = [
        distance.rows.labels[row] == reading.shown_tokens[distance.rows.number(row)] for row in range(len(rows))
    ]
    if not rows.any():
        return say("No token differs.")

    def name(row: int) -> dict[str, Any]:
        return {"token": distance.rows.labels[row], "stage": stage_name(int(distance.array[row].argmax()))}

    text = say("Furthest apart: “{token}”, {stage}.", **name(int(rows.argmax())))
    if all(is_shared) or not rows[is_shared].any():
        return text
    shared = say(
        "Of the tokens that both have: “{token}”, {stage}.", **name(int(np.where(is_shared, rows, -1).argmax()))
    )
    return f"{text} {shared}"


def found(cka: np.ndarray, reading: Reading) -> str:
    """Which layer the last one is most like, and which tokens were compared."""
    last = cka[-1].tolist()
    value = numbers.decimal(max(last))
    best = [stage for stage, cka_of_stage in enumerate(last) if numbers.decimal(cka_of_stage) == value]
    text = mark("The last layer here is most like the baseline {stage} ({value} of 1).")
    if len(best) > 1:  # as far as the digits on the screen go
        text = mark("The last layer here is most like layers {layers} of the baseline ({value} of 1).")
    layers = ", ".join(stage_labels(len(last))[stage] for stage in best)
    words = say(text, stage=stage_name(best[0]), layers=layers, value=value)
    some, count = 0 if reading.alignment is None else len(reading.alignment.pairs), len(reading.encoding)
    if some == count:
        return words
    matched = say(
        "Compared: {some} of {all} tokens. A token counts where the baseline has one for the same word or piece; a "
        "word that only one of the two splits is left out.",
        some=numbers.count(some),
        all=numbers.count(count),
    )
    return f"{words} {matched}"
