"""View "Which part says what?": what each part adds straight to a word, and the words that one part pushes."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.circuit import DirectParts, direct_parts
from ...compute.head_questions import targets_of
from ...compute.question import Job
from ...compute.swap_targets import ours_first, swap_targets
from ...figures.figure import Numbers
from ...figures.values import Side, Values
from ...look import mark, numbers, say
from ...look.fitting import plain_tip
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import label, show_text
from ...widgets.charts.bars import BarList
from ...widgets.target_choice import TargetChoice, Targets
from ..pictures import Bars
from ..values_view import ValuesView
from .circuit_sentences import part_name

MOST_PARTS, MOST_WORDS = 20, 12


class SpeaksView(ValuesView):
    """The parts at the left; a click shows the words that one of them pushes up and down."""

    pictures = (
        Bars(
            key="direct",
            title=mark("What each part adds"),
            name=mark("What each part adds to the logit of the word"),
            intro=mark(
                "A bar is what one part adds to the word’s score. Red: it speaks for the word. Blue: against it. "
                "Click a part to see its words."
            ),
            hovered=mark("{row} adds {value} to the logit"),
            write=numbers.signed,
            number="added_logit",
            asks="direct",
            is_compared=False,
            least_px=200,
            chart=partial(BarList, clickable=True, arrows_click=True, stretch_to_px=40),
            width=3,
        ),
        *(
            Bars(
                key=key,
                title=title,
                name=title,
                hovered=mark("{row}: {value}"),
                write=numbers.signed,
                asks="direct",
                is_compared=False,
                marks_selected=False,
                least_px=200,
                width=2,
                folds=True,
            )
            for key, title in (("up", mark("Words pushed up")), ("down", mark("Words pushed down")))
        ),
    )

    def lay_out(self) -> QLayout:
        self.targets, self.choice, self.about = Targets(self), TargetChoice(across=True), label("", "muted", wrap=True)
        self.choice.use(self.targets)
        self.targets.chosen.connect(self.redraw)
        self.targets.contrast_edited.connect(self.contrast_edited)
        self.cards["direct"].add_to_header(self.choice)
        self.cards["direct"].body.addWidget(self.about)
        self._part: int | None = None  # that was clicked; None: the first
        for key in ("up", "down"):
            self.columns[key].addStretch(1)
        return super().lay_out()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        ours, other = reading.plain, reading.other_text
        at = selection.position
        offered = targets_of(ours, at) if other is None else ours_first(swap_targets(ours, other, at))
        offered = [one for one in offered if one.target.head == "mlm"]
        position = next((one.target.position for one in offered), -1)
        self.targets.set_targets(ours, position, selection.contrast, offered)
        super().show_reading(reading, selection)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        if self.targets.target is not None and self.targets.target.target.head == "mlm":
            return None
        return say("No word to explain"), say("Mask a token (M) to see which words each part speaks for there.")

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        chosen = self.targets.target
        if chosen is None or chosen.target.head != "mlm":
            return None
        request = reading.plain.request
        return Job(direct_parts, (request.model_input, chosen.target, MOST_WORDS), (request.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        found: DirectParts | None = self.asked["direct"].answer
        if found is None:
            return None
        order = np.argsort(-np.abs(found.values), kind="stable")[:MOST_PARTS].tolist()
        if key == "direct":
            rows = Side("part", [self._name(found, at) for at in order], numbers=order)
            return self._signed(found.values[order], rows)
        part = self._part if self._part is not None else next(at for at in order if at < len(found.parts))
        pushed, scores = zip(*(found.words[part].up if key == "up" else found.words[part].down), strict=True)
        return self._signed(np.array(scores), Side("word", pushed), self._name(found, part))

    def _name(self, found: DirectParts, part: int) -> str:
        return part_name(found.parts[part]) if part < len(found.parts) else say("constant part (biases)")

    def _signed(self, values: np.ndarray, rows: Side, hint: str = "") -> Values:
        texts = [[numbers.signed(value)] for value in values.tolist()]
        signs = np.sign(values).astype(int).tolist()
        return Values(np.abs(values), rows, texts=texts, detail={"sign": signs}, hint=hint)

    def numbers(self, key: str) -> dict[str, Numbers]:
        (name, found), signs = next(iter(super().numbers(key).items())), self.shown[key].detail["sign"]
        return {name: Numbers(found.values * signs, found.axes)}

    def drawn(self, reading: Reading, selection: Selection) -> None:
        found: DirectParts | None = self.asked["direct"].answer
        if found is not None and self.targets.target is not None:
            text = mark(
                "For {word}: the parts add up to its score before softmax, its logit: {logit}. The largest are shown."
            )
            if self.targets.target.is_contrast:
                text = mark(
                    "For {word}: the parts add up to the difference of the two logits: {logit}. The largest are shown."
                )
            how = mark(
                "Only what a part writes at this token itself is counted: LayerNorm and the word head’s activation are "
                "held fixed, effects through later parts are left out. Rounding error of the sum: {error}."
            )
            show_text(self.about, say(text, word=self.targets.target.label, logit=numbers.decimal(found.logit)))
            self.about.setToolTip(plain_tip(say(how, error=numbers.number(abs(found.error), 1))))

    def clicked(self, key: str, row: int, column: int | None) -> None:
        found: DirectParts | None = self.asked["direct"].answer
        part = self.shown[key].rows.number(row)
        if key != "direct" or found is None or part >= len(found.parts):
            return
        self._part = part
        if found.parts[part].kind == "head":
            self.head_clicked.emit(found.parts[part].layer, found.parts[part].head)
        self.charts[key].set_strong(row)
        self.redraw("up", "down")
