"""The selected token: how long each part of its vector is, and which words lie near it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

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
from ...widgets.layouts import fill, hbox
from .embedding_parts import ADDENDS, Length, baseline_token, compared_reading, last_name, lengths_at, part_name

PART_COLORS = {"token": "curve_train", "segment": "curve_held_out", "position": "good", "sum": "muted"}
LEAST_WORDS = 3


class TokenCard(Card):
    """Lengths above, words below; a person chooses the measure that the words are found by."""

    measure_clicked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.lengths: list[Length] = []
        self.words: list[NearWord] = []
        self.norms = BarList(say("Length of each part, and its share of the sum"))
        nearest = say("Nearest words in the token table")
        self.nearest = BarList(nearest, stretch_to_px=28, may_cut=True)
        self.nearest.setMinimumHeight(LEAST_WORDS * theme.px(ROW_PX))
        explain("part", self.norms)
        explain("nearest", self.nearest)
        about = say(
            "Length of each vector, and its share of the sum: only what points in the sum’s direction counts, so "
            "shares add up to 100%, but lengths do not."
        )
        self.length_after, about_label = label("", "muted"), label(about, "muted", wrap=True)
        for words in (self.length_after, about_label):
            words.setToolTip(say("Share: p·x / |x|² of a part p and the sum x"))
        self._compared, title = label("", "muted", wrap=True), label(nearest, "title", wrap=True)
        self._measure_hint = Hint()
        self._compared.hide()
        hints: dict[NearestBy, tuple[str, str]] = {
            "cosine": (say("Cosine"), say("Words whose vectors point in a similar direction")),
            "distance": (say("Distance"), say("Words whose vectors lie close by (Euclidean distance)")),
        }
        self.measures: dict[NearestBy, QPushButton] = {}
        line, group = hbox(gap_px=5), QButtonGroup(self)
        for by, (name, hint) in hints.items():
            made = self.measures[by] = button(name, look="small", hint=hint, checkable=True)
            made.clicked.connect(lambda _checked=False, by=by: self.measure_clicked.emit(by))
            group.addButton(made)
            line.addWidget(made)
        line.addWidget(self._measure_hint, 1)
        fill(self.body, about_label, self._compared, self.norms, self.length_after, 4, title, line, (self.nearest, 1))
        above = [about_label, self._compared, title, self.norms, self.length_after]
        self.widgets: list[QWidget] = [*above, self._measure_hint, self.nearest]  # what a saved picture shows

    def show_unit(self, reading: Reading, units: Units, unit: int) -> None:
        self._show_title(reading, units, unit)
        members, theirs = units.members[unit], baseline_token(reading, units, unit)
        self.lengths = lengths_at(reading, units, unit)
        self._show_lengths([] if theirs is None else theirs.lengths)
        step = last_name(reading.request.model)
        length = numbers.decimal(float(np.linalg.norm(reading.trace.embeddings[members].mean(axis=0))))
        baseline = "" if theirs is None else say("baseline {length}", length=numbers.decimal(theirs.length_after))
        self.length_after.setText(joined(say("after {step}: {length}", step=step, length=length), baseline))
        self.length_after.setVisible(bool(step))
        self._compared.setVisible(compared_reading(reading) is not None)
        text = say("This token has no counterpart in {baseline}.", baseline=baseline_name(reading))
        if theirs is not None:
            text = say("baseline: “{token}” {there}", token=theirs.label, there=where_compared(reading))
        self._compared.setText(text)

    def _show_lengths(self, baseline: list[Length]) -> None:
        """Each part's own bar, and below it the baseline's."""
        own, theirs = ({one.key: one for one in lengths} for lengths in (self.lengths, baseline))
        longest = max(one.length for one in (*self.lengths, *baseline)) or 1.0
        bars = []
        for key in (*ADDENDS, "sum"):
            if key in own or key in theirs:
                bars.append(_length_bar(own.get(key, Length(key, 0.0, None)), longest))
            if key in theirs:
                bars.append(replace(_length_bar(theirs[key], longest), label=say("baseline"), color="bar"))
        self.norms.set_bars(bars)

    def clear(self) -> None:
        """There is no token to show."""
        self.set_title(say("No tokens"))
        self.set_hint("")
        self.lengths = []
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
        request, members = reading.request, units.members[unit]
        first, has_segments = members[0], request.model.has_segments
        where, segment = token_chips.part_name(reading.encoding, first, has_segments), request.segments[first]
        if has_segments and segment != reading.encoding.segments[first]:
            where = say("read as {segment}", segment=token_chips.segment_name(segment))
        hints = [say("position {position}", position=first), where, f"id {request.input_ids[first]}"]
        if len(members) > 1:
            positions = say("positions {first}–{last}", first=first, last=members[-1])
            hints = [positions, where, say("mean of %n piece(s)", n=len(members))]
        self.set_title(units.labels[unit])
        self.set_hint(joined(*hints))


def _length_bar(one: Length, longest: float) -> Bar:
    share = "" if one.share is None else numbers.percent(one.share)
    return Bar(part_name(one.key), numbers.decimal(one.length), one.length / longest, PART_COLORS[one.key], mark=share)
