"""The selected token: how long each part of its vector is, and which words lie near it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from bertcore.analysis.vectors import NearestBy, NearWord

from ...figures.figure import joined
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import baseline_name, where_compared
from ...state.readings import Reading
from ...state.token_units import Units
from ...widgets import token_chips
from ...widgets.card import Card, Hint, button, label
from ...widgets.charts.bars import ROW_PX, Bar, BarList
from ...widgets.layouts import fill
from .compared_parts import BaselineToken, baseline_token, compared_reading
from .embedding_parts import ADDENDS, Length, has_last, last_name, lengths_at, part_name

PART_COLORS = {"token": "curve_train", "segment": "curve_held_out", "position": "good", "sum": "muted"}
LEAST_WORDS = 3


class TokenCard(Card):
    """Lengths above, words below; a person chooses the measure that the words are found by."""

    measure_clicked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.norms = BarList(say("Length of each part, and its share of the sum"))
        self.length_after = label("", "muted")
        self.nearest = BarList(say("Nearest words in the token table"), stretch_to_px=28, may_cut=True)
        explain("part", self.norms)
        explain("nearest", self.nearest)
        self._compared = label("", "muted", wrap=True)
        self._compared.hide()
        self.lengths: list[Length] = []
        self.baseline_lengths: list[Length] = []  # of the token that it is compared with
        self.words: list[NearWord] = []
        self._lengths_hint = label(
            say(
                "Length of each vector, and its share of the sum: only what points in the sum’s direction counts, so "
                "shares add up to 100%, but lengths do not."
            ),
            "muted",
            wrap=True,
        )
        self._lengths_hint.setToolTip(say("Share: p·x / |x|² of a part p and the sum x"))
        self._nearest_title = label(say("Nearest words in the token table"), "title", wrap=True)
        self._measure_hint = Hint()
        self.measures: dict[NearestBy, QPushButton] = {
            "cosine": button(
                say("Cosine"),
                look="small",
                hint=say("Words whose vectors point in a similar direction"),
                checkable=True,
            ),
            "distance": button(
                say("Distance"),
                look="small",
                hint=say("Words whose vectors lie close by (Euclidean distance)"),
                checkable=True,
            ),
        }
        self._lay_out()

    @property
    def widgets(self) -> list[QWidget]:
        """What a saved picture shows."""
        above = [self._lengths_hint, self._compared, self._nearest_title, self.norms, self.length_after]
        return [*above, self._measure_hint, self.nearest]

    def show_unit(self, reading: Reading, units: Units, unit: int) -> None:
        self._show_title(reading, units, unit)
        self.lengths = lengths_at(reading, units, unit)
        theirs = baseline_token(reading, units, unit)
        self.baseline_lengths = [] if theirs is None else theirs.lengths
        self._show_lengths()
        vector = reading.trace.embeddings[units.members[unit]].mean(axis=0)
        after = say(
            "after {step}: {length}",
            step=last_name(reading.request.model),
            length=numbers.decimal(float(np.linalg.norm(vector))),
        )
        if theirs is not None:
            baseline = say("baseline {length}", length=numbers.decimal(theirs.length_after))
            after = joined(after, baseline)
        self.length_after.setText(after)
        self._show_compared(reading, theirs)
        self.length_after.setToolTip(self._lengths_hint.toolTip())
        self.length_after.setVisible(has_last(reading.request.model))

    def _show_lengths(self) -> None:
        """Each part's own bar, and below it the baseline's."""
        own, theirs = ({one.key: one for one in lengths} for lengths in (self.lengths, self.baseline_lengths))
        longest = max(one.length for one in (*self.lengths, *self.baseline_lengths)) or 1.0
        bars = []
        for key in (*ADDENDS, "sum"):
            if key in own:
                bars.append(_length_bar(own[key], longest))
            elif key in theirs:
                bars.append(Bar(part_name(key), numbers.decimal(0.0), 0.0, PART_COLORS[key]))
            if key in theirs:
                bars.append(replace(_length_bar(theirs[key], longest), label=say("baseline"), color="bar"))
        self.norms.set_bars(bars)

    def _show_compared(self, reading: Reading, theirs: BaselineToken | None) -> None:
        has_baseline = compared_reading(reading) is not None
        self._compared.setVisible(has_baseline)
        if not has_baseline:
            return
        if theirs is None:
            text = say("This token has no counterpart in {baseline}.")
            self._compared.setText(text.format(baseline=baseline_name(reading)))
        else:
            text = say("baseline: “{token}” {there}")
            self._compared.setText(text.format(token=theirs.label, there=where_compared(reading)))

    def clear(self) -> None:
        """There is no token to show."""
        self.set_title(say("No tokens"))
        self.set_hint("")
        self.lengths, self.baseline_lengths = [], []
        self._compared.hide()
        self.norms.set_bars([])
        self.length_after.hide()
        self.show_words([], "cosine")

    def show_words(self, words: Sequence[NearWord], by: NearestBy, labels: Sequence[str] = ()) -> None:
        """labels: the words as a person should see them."""
        self.words = list(words)
        self.measures[by].setChecked(True)
        self._measure_hint.setText(say("1: the same direction") if by == "cosine" else say("0: the same vector"))
        values = [word.cosine if by == "cosine" else word.distance for word in words]
        most = 1.0 if by == "cosine" else max(values, default=1.0) or 1.0
        bars = [Bar(name, numbers.decimal(value), value / most) for name, value in zip(labels, values, strict=True)]
        self.nearest.set_bars(bars)

    def _show_title(self, reading: Reading, units: Units, unit: int) -> None:
        members, model = units.members[unit], reading.request.model
        first = members[0]
        where, segment = (
            token_chips.part_name(reading.encoding, first, model.has_segments),
            reading.request.segments[first],
        )
        if model.has_segments and segment != reading.encoding.segments[first]:
            where = say("read as {segment}", segment=token_chips.segment_name(segment))
        self.set_title(units.labels[unit])
        if len(members) > 1:
            tokens = say("positions {first}–{last}", first=first, last=members[-1])
            self.set_hint(joined(tokens, where, say("mean of %n piece(s)", n=len(members))))
        else:
            token = say("position {position}", position=first)
            self.set_hint(joined(token, where, f"id {reading.request.input_ids[first]}"))

    def _lay_out(self) -> None:
        line, group = QHBoxLayout(), QButtonGroup(self)
        line.setSpacing(theme.px(5))
        for by, made in self.measures.items():
            made.clicked.connect(lambda _checked=False, by=by: self.measure_clicked.emit(by))
            group.addButton(made)
            line.addWidget(made)
        line.addWidget(self._measure_hint, 1)
        self.nearest.setMinimumHeight(LEAST_WORDS * theme.px(ROW_PX))
        fill(
            self.body,
            self._lengths_hint,
            self._compared,
            self.norms,
            self.length_after,
            4,
            self._nearest_title,
            line,
            (self.nearest, 1),
        )


def _length_bar(one: Length, longest: float) -> Bar:
    share = "" if one.share is None else numbers.percent(one.share)
    return Bar(part_name(one.key), numbers.decimal(one.length), one.length / longest, PART_COLORS[one.key], mark=share)
