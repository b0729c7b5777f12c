"""View "Overview": token, segment and position vectors add up, of one token or of all; LayerNorm evens them out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QLayout, QMenu, QPushButton, QWidget

from ...compute.embedding import compare_tables, near_words
from ...compute.question import Job
from ...figures.figure import Axis, Numbers, joined, numbers_of
from ...figures.values import PLANE, Side, Values, tokens
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection, Units
from ...state.baseline_names import baseline_name, where_compared
from ...widgets import token_strip
from ...widgets.card import GAP_PX, Card, Hint, button, label, scrolled, show_text
from ...widgets.charts.bars import ROW_PX, BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.charts.raster import NamedScale, color_limit, two_digits
from ...widgets.controls import MenuButton
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import FlowLayout, fill, hbox, held, show_if, vbox
from ...widgets.pages import tab_bar
from ..pictures import Bars, Cells, Dots, Picture
from ..values_view import ValuesView
from .changes import ChangeCard
from .embedding_parts import (
    ADDENDS,
    MANY_TOKENS,
    NAMES,
    Length,
    addends_of,
    baseline_of,
    baseline_unit,
    last_name,
    lengths_at,
    map_of_text,
    parts_of,
    sum_difference,
)
from .strips import StripsPicture

if TYPE_CHECKING:
    from bertcore.analysis.vectors import NearestBy
    from bertcore.tokenizer.tokenizer import Encoding


LEAST_PX = (130, 118)  # of the smaller pictures, with the numbers along their sides
MOST_SEGMENTS_PX, OPEN_PX = 118, 430
NEAR_WORDS, LEAST_WORDS = 12, 3
POSITIONS = 128  # the position table is compared in steps of this many
PART_COLORS = {"token": "curve_train", "segment": "curve_held_out", "position": "good", "sum": "muted"}


@dataclass(frozen=True, kw_only=True)
class Table(Cells):
    """A table of the model: the text and what is selected have no place in it."""

    def select(self, chart: LabelledGrid, row: int | None, column: int | None) -> None:
        """What a person has clicked stays framed."""


class PartsView(ValuesView):
    """Strips above, similarities below, the selected token on the right."""

    pictures = (
        StripsPicture(
            key="strips",
            title=mark("How the input vectors add up"),
            name=mark("Parts of the input embedding: rows are tokens, columns are dimensions"),
            python="t.token_embeddings{view.python_row}",
            follows=("token",),
            intro=mark(
                "Row: a token. Column: one of its numbers; red is above zero, blue below. The sum is the strips above "
                "it, added number by number: all that the model knows before its first layer."
            ),
            number="component",
            scale=mark("token, segment, position, sum"),
            scale_px=200,
            scale_below=True,
            is_compared=False,
        ),
        Table(
            key="positions",
            title=mark("Positions"),
            name=mark("Cosine similarity of each pair of position vectors"),
            python="bertcore.analysis.vectors.cosines(m.bert.embeddings.position.weight.detach().numpy()"
            "[m.config.position_offset :][: {view.shown[positions].array.shape[0]}])",
            hovered=mark("positions {row} and {column}: cosine {value}"),
            number="cosine",
            scale="",
            scale_px=120,
            scale_below=True,
            asks="tables",
            is_part=True,
            is_compared=False,
            chart=partial(LabelledGrid, square=True, signed=True, scale=False),
        ),
        Table(
            key="segments",
            title=mark("Segments"),
            name=mark("The vectors of segment A and segment B"),
            hovered=mark("segment {row}, dimension {column}: {value}"),
            number="component",
            saved_as="segment",
            python="m.bert.embeddings.segment.weight[:2].detach().numpy()",
            scale="",
            scale_px=120,
            scale_below=True,
            asks="tables",
            is_part=True,
            is_compared=False,
            chart=partial(LabelledGrid, signed=True, scale=False),
        ),
        Dots(
            key="map",
            title=mark("Map of this text"),
            name=mark("Map of this text"),
            hovered=mark("{row} at position {number}"),
            saved_as="place",
            python="bertcore.analysis.vectors.pca(t.embedding_sum).points",
            asks="map",
            is_part=True,
            is_compared=False,
        ),
        Bars(
            key="lengths",
            title=mark("The selected token"),
            name=mark("Length of each part, and its share of the sum"),
            number="part",
            follows=("token",),
            is_compared=False,
        ),
        Bars(
            key="nearest",
            title="",
            name=mark("Nearest words in the token table"),
            number="nearest",
            on="lengths",
            follows=("token",),
            asks="near",
            is_compared=False,
            chart=partial(BarList, stretch_to_px=28, may_cut=True),
        ),
    )
    measure: NearestBy = "cosine"
    is_of_one = True  # the strips are those of the selected token, not of all
    _swap_from: int | None = None
    _encoding: Encoding | None = None  # on show

    def lay_out(self) -> QLayout:
        strips, self.tables = self.cards["strips"], Card()
        pictures = self.tables
        self.menu = MenuButton(say("Parts"), self._fill_parts, say("Leave a part out of the sum"))
        one, all_ = say("The numbers of the selected token"), say("Each token is a row in every strip")
        names = {"one": (say("One token"), one), "all": (say("All tokens"), all_)}
        self.which = tab_bar(names, say("Whose numbers"), small=True)
        self.which.currentChanged.connect(self._on_which_changed)
        strips.add_to_header(self.which, self.menu)
        self.last_scale = NamedScale(200)  # of what becomes of the sum
        explain("component", self.last_scale.bar)
        fill(strips.body, held(FlowLayout(self.scales["strips"], self.last_scale, gap_px=14)))
        self.no_segments = label("", "muted", wrap=True)
        self.no_segments.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Scrolls where it must: a height that follows from its width would squeeze the strips above.
        self._no_segments_area = scrolled(self.no_segments)
        for key in ("positions", "segments"):
            self.charts[key].setMinimumSize(*map(theme.px, LEAST_PX))
        self.charts["segments"].setMaximumHeight(theme.px(MOST_SEGMENTS_PX))
        fill(self.cards["segments"].body, self._no_segments_area, None)
        three = (self.cards["positions"], 10), (self.cards["segments"], 13), (self.cards["map"], 25)
        pictures.body.addLayout(hbox(*three, gap_px=22), 1)
        self.change = ChangeCard()
        self.change.to_other.clicked.connect(self._on_to_other_clicked)
        self.change.swap.clicked.connect(self._on_swap_clicked)
        side = vbox((self._token_card(), 1), self.change, gap_px=GAP_PX)
        token = held(side)
        right = folding_on_projector(scrolled(token) if theme.is_projector() else token, say("The selected token"))
        if not theme.is_projector():
            return hbox((vbox((strips, 11), (pictures, 9), gap_px=GAP_PX), 1), right, gap_px=GAP_PX)
        folded = folding_on_projector(pictures, say("Positions and segments"))  # one or the other
        folded.tab.toggled.connect(strips.setHidden)
        return hbox((strips, 1), (folded, 1), right, gap_px=GAP_PX)

    def _token_card(self) -> Card:
        """Lengths above, words below; a person chooses the measure that the words are found by."""
        card, nearest = self.cards["lengths"], self.charts["nearest"]
        if theme.is_projector():
            card.setMinimumWidth(theme.px(OPEN_PX))
        else:
            card.setFixedWidth(theme.column_px(310))
        what = say(
            "How long each vector is, and how much of the sum it makes up. Vectors add like arrows, so their lengths "
            "do not."
        )
        about = label(what, "muted", wrap=True)
        self.baseline_text, title = label("", "muted", wrap=True), label(nearest.accessibleName(), "title", wrap=True)
        self.length_after, self._measure_hint = label("", "muted", wrap=True), Hint()
        for words in (self.length_after, about):
            words.setToolTip(
                say("Share: only what points in the sum’s direction counts, p·x / |x|² of a part p and the sum x")
            )
        nearest.setMinimumHeight(LEAST_WORDS * theme.row_px(ROW_PX))
        hints: dict[NearestBy, tuple[str, str]] = {
            "cosine": (say("Cosine"), say("Words whose vectors point in a similar direction")),
            "distance": (say("Distance"), say("Words whose vectors lie close by (Euclidean distance)")),
        }
        self.measures: dict[NearestBy, QPushButton] = {}
        line, group = hbox(gap_px=5), QButtonGroup(self)
        for by, (name, hint) in hints.items():
            made = self.measures[by] = button(name, partial(self._choose, by), look="small", hint=hint, checkable=True)
            group.addButton(made)
            line.addWidget(made)
        line.addWidget(self._measure_hint, 1)
        fill(card.body, self.length_after, 4, title, line, (nearest, 1))
        card.body.insertWidget(0, about)
        card.body.insertWidget(1, self.baseline_text)
        self._token_words: list[QWidget] = [about, self.baseline_text, title, self.length_after, self._measure_hint]
        return card

    def restore(self, kept: Any) -> None:
        self.measure, self.is_of_one = kept
        self.which.setCurrentIndex(int(not self.is_of_one))

    def leave(self) -> None:
        """A click in another room is none for this one."""
        super().leave()
        self._swap_with(None)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        units, unit, model = selection.units(reading), selection.unit(reading), (reading.request.model,)
        if asks == "tables":
            return Job(compare_tables, (-(-len(reading.encoding) // POSITIONS) * POSITIONS,), model, is_quick=True)
        if unit is None:
            return None
        if asks == "map":
            asked = reading, None, selection.token_view, "sum"
            return Job(map_of_text, asked, is_quick=len(units) < MANY_TOKENS)
        ids = tuple(reading.request.input_ids[i] for i in units.members[unit])
        return Job(near_words, (ids, NEAR_WORDS, self.measure), model, is_quick=True)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        units, unit = selection.units(reading), selection.unit(reading)
        if key == "strips":
            return self._strips(reading, units, selection)
        if key == "lengths":
            return Values(np.zeros(0), Side("part", ())) if unit is None else _lengths(reading, units, unit)
        answer = self.answer_of(self._pictures[key].asks, reading)
        if unit is None and key == "map":
            return Values(np.zeros((0, 2)), tokens(units), PLANE)
        if unit is None and key == "nearest":
            return Values(np.zeros(0), Side("word", ()))
        if answer is None:
            return None
        if key == "map":
            share = numbers.percent(answer.kept)
            hint = say("Near tokens are alike: PCA shows {share} of the differences.", share=share)
            return Values(answer.points, tokens(units), PLANE, hint=hint)
        if key == "nearest":
            lengths = np.array([getattr(word, self.measure) for word in answer])
            named = reading.request.model.tokenizer.label
            words = Side("word", [named(word.token_id) for word in answer])
            return Values(lengths, words, high=1.0 if self.measure == "cosine" else None)
        if key == "positions":
            places = [str(place) for place in range(len(answer.position_cosines))]
            sides = Side("none", places, axis_name="position"), Side("none", places, axis_name="other position")
            return Values(answer.position_cosines, *sides, -1, 1, hint=say("Red: alike vectors"))
        segments = np.zeros((0, 0)) if answer.segments is None else answer.segments
        letters = Side("none", "AB"[: len(segments)], ("segment_a", "segment_b"), axis_name="segment")
        limit, columns = float(np.abs(segments).max(initial=0)) or 1.0, list(map(str, range(segments.shape[1])))
        hint = say("Cosine {cosine}, A and B", cosine=numbers.decimal(answer.segment_cosine)) if segments.size else ""
        return Values(segments, letters, Side("dimension", columns), -limit, limit, hint=hint)

    def _strips(self, reading: Reading, units: Units, selection: Selection) -> Values:
        parts = parts_of(reading, units) if len(units) else []
        limits = [
            color_limit([part.values for part in parts if part.is_addend is one and part.values is not None])
            for one in (True, False)
        ]
        difference = sum_difference(reading, units) if parts and selection.wants_difference else None
        width, after = (numbers.count(one.shape[1]) for one in (reading.trace.embedding_sum, reading.trace.embeddings))
        columns = say("columns: the {width} numbers of each vector", width=width)
        if width != after:
            columns = say("columns: {width} numbers, {after} after the projection", width=width, after=after)
        of_baseline = ""
        if difference is not None and difference.values is not None:
            of_baseline = say("difference: the sum now minus that {there}", there=where_compared(reading))
        elif reading.baseline is not None and baseline_of(reading) is None:
            of_baseline = say("your change comes later and cannot change the embeddings")
        sums, limit, rows, intro = units.vectors(reading.trace.embedding_sum), limits[0], tokens(units), ""
        dimensions = Side("dimension", list(map(str, range(sums.shape[1]))))
        shown, unit = [*parts, difference] if difference else parts, selection.unit(reading)
        hint = joined(columns, selection.token_view.vectors_note, of_baseline)
        if self.is_of_one and unit is not None:
            intro = say(
                "A strip is a list of numbers: red is above zero, blue below. The first stands for the word, the "
                "second for A or B, the third for its place. Their sum, number by number, is all that the model reads."
            )
            sums, rows, hint = sums[unit : unit + 1], rows.some([unit]), joined(units.labels[unit], hint)
            position = rows.number(0)
            notes = units.labels[unit], "AB"[min(reading.request.segments[position], 1)], str(position)
            below = {say(NAMES[key]): note for key, note in zip(ADDENDS, notes, strict=True)}
            shown = [
                replace(part, values=values, mark=part.mark.strip("↓"), note=below.get(part.name, ""))
                for part in shown
                for values in (None if part.values is None else part.values[unit : unit + 1],)
                if part.is_addend
            ]
        detail = {"parts": shown, "limit": limit, "last_limit": limits[1]}
        return Values(sums, rows, dimensions, -limit, limit, detail=detail, hint=hint, intro=intro)

    def _follow(self, picture: Picture, reading: Reading, selection: Selection) -> tuple[object, ...]:
        """Strips of all tokens stay when another is selected."""
        return () if picture.key == "strips" and not self.is_of_one else super()._follow(picture, reading, selection)

    @property
    def python_row(self) -> str:
        """Of the arrays, in Python."""
        return "[[position]]" if self.is_of_one else ""

    def drawn(self, reading: Reading, selection: Selection) -> None:
        if reading.encoding is not self._encoding:
            self._encoding = reading.encoding
            self._swap_with(None)
        if self._swap_from is not None and selection.pinned != self._swap_from:
            self._swap_with(selection.pinned)
        self.change.show_reading(reading, selection.position)
        self._show_token(reading, selection)
        if not theme.is_projector():
            self.tables.setVisible(not self.is_of_one)  # one thing at a time
        detail, tables = self.shown["strips"].detail, self.answer_of("tables", reading)
        part = detail["parts"][-1] if detail["parts"] else None
        if part is not None and part.values is not None and part.name == say("difference"):
            self.scales["strips"].name.setText(say("token, segment, position, sum, difference"))
        last = next((part for part in detail["parts"] if not part.is_addend and part.values is not None), None)
        self.last_scale.setVisible(last is not None)
        if last is not None:
            self.last_scale.show_range(last.name, -detail["last_limit"], detail["last_limit"], two_digits)
        if tables is None:
            return
        self.no_segments.setText(reading.request.model.missing.get("segments", ""))
        self._no_segments_area.setVisible(tables.segments is None)
        show_if(tables.segments is not None, self.charts["segments"], self.scales["segments"])
        cosine, distance = numbers.decimal(tables.segment_cosine), numbers.decimal(tables.segment_distance)
        both = say("The vectors of A and B: cosine {cosine}, distance {distance}", cosine=cosine, distance=distance)
        self.cards["segments"].setToolTip("" if tables.segments is None else both)

    def _show_token(self, reading: Reading, selection: Selection) -> None:
        card, units, unit = self.cards["lengths"], selection.units(reading), selection.unit(reading)
        self.measures[self.measure].setChecked(True)
        near = say("1: the same direction") if self.measure == "cosine" else say("0: the same vector")
        self._measure_hint.setText(near)
        card.set_title(say("No tokens") if unit is None else units.labels[unit])
        found, step = None if unit is None else baseline_unit(reading, units, unit), last_name(reading.request.model)
        self.baseline_text.setVisible(unit is not None and baseline_of(reading) is not None)
        self.baseline_text.setText(say("This token has no counterpart in {baseline}.", baseline=baseline_name(reading)))
        baseline = ""
        if found is not None:
            token, there = found[1].labels[found[2]], where_compared(reading)
            self.baseline_text.setText(say("baseline: “{token}” {there}", token=token, there=there))
            baseline = say("baseline {length}", length=numbers.decimal(lengths_at(*found)["after"].length))
        after = 0.0 if unit is None else lengths_at(reading, units, unit)["after"].length
        text = mark("{step} then gives every token about the same length: {length}")
        text, is_said = say(text, step=step, length=numbers.decimal(after)), step and not theme.is_projector()
        show_text(self.length_after, joined(text, baseline) if is_said and unit is not None else "")

    def sentence(self, key: str, row: int, column: int | None) -> str:
        if key != "strips":
            return super().sentence(key, row, column)
        number, *_ = self.charts[key].hovered_cell
        parts, side = self.charts[key].parts, self.shown[key].rows
        part, added = parts[number], parts[: len(ADDENDS)]
        value = float(part.values[row, column])
        if np.isnan(value):
            return say("{token} has no counterpart in the baseline", token=side.labels[row])
        text = say(
            "{part} of {token} ({position}), dimension {dimension}: {value}",
            part=part.name,
            token=side.labels[row],
            position=side.number(row),
            dimension=column,
            value=numbers.number(value, 5),
        )
        if part.name != say(NAMES["sum"]) or any(one.values is None for one in added):
            return text
        return f"{text} = {' + '.join(numbers.number(float(one.values[row, column]), 2) for one in added)}"

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if isinstance(self._pictures[key], Table):
            self.charts[key].set_selected(row, column)
            self.hover_text_changed.emit(self.sentence(key, row, column))

    # Figures.

    def saved(self, key: str) -> list[QWidget]:
        also: dict[str, list[QWidget]] = {"strips": [self.last_scale], "lengths": self._token_words}
        return [*also.get(key, ()), *super().saved(key)]

    def caption(self, key: str) -> dict[str, Any]:
        hint, by_distance = self.cards[key].hint, self.measure == "distance"
        settings = say("nearest words by distance") if by_distance else say("nearest words by cosine")
        captions: dict[str, dict[str, Any]] = {
            "strips": {"hint": say("rows: tokens · columns: the numbers of each vector"), "token": self.is_of_one},
            "lengths": {"title": f"“{self.cards[key].title}”", "hint": "", "token": True, "settings": settings},
            "positions": {"hint": joined(say("rows and columns: positions"), hint)},
            "segments": {"title": say("Segments A and B"), "hint": joined(say("columns: dimensions"), hint)},
        }
        return captions.get(key, {})

    def numbers(self, key: str) -> dict[str, Numbers]:
        assert self.reading is not None
        units, unit = self.selection.units(self.reading), self.selection.unit(self.reading)
        if key == "strips":
            axes = self.shown[key].rows.axis(), Axis("dimension")
            return {one.name: Numbers(one.values, axes) for one in self.charts[key].parts if one.values is not None}
        if key == "nearest":
            words = self.answer_of("near", self.reading) or []
            names = [word.word for word in words]
            return {by: numbers_of("word", names, [getattr(one, by) for one in words]) for by in self.measures}
        if key == "lengths" and unit is not None:
            lengths = {part: one for part, one in lengths_at(self.reading, units, unit).items() if part != "after"}
            shares = {part: one.share for part, one in lengths.items() if one.share is not None}
            sizes = numbers_of("part", list(lengths), [one.length for one in lengths.values()])
            return {"length": sizes, "share": numbers_of("part", list(shares), list(shares.values()))}
        return super().numbers(key)

    # What a person does.

    def _choose(self, measure: NearestBy) -> None:
        self.measure = measure
        self.kept_changed.emit((measure, self.is_of_one))
        self.redraw("nearest")

    def _on_which_changed(self, tab: int) -> None:
        self.is_of_one = not tab
        self.kept_changed.emit((self.measure, self.is_of_one))
        self.redraw("strips")

    def _fill_parts(self, menu: QMenu) -> None:
        if self.reading is None:
            return
        names = say("Token embedding"), say("Segment embedding"), say("Position embedding")
        for key, name in zip(ADDENDS, names, strict=True):
            action = QAction(name, menu)
            action.setCheckable(True)
            action.setChecked(key not in self.reading.request.what_if.dropped)
            action.setEnabled(addends_of(self.reading)[key] is not None)
            action.toggled.connect(partial(self._put_in, key))
            menu.addAction(action)

    def _put_in(self, key: str, is_in: bool) -> None:
        self.what_if_edited.emit(lambda what_if: what_if.with_dropped(key, not is_in))

    def _on_to_other_clicked(self) -> None:
        if self.reading is not None:
            segments, positions = self.reading.encoding.segments, [self.selection.position]
            self.what_if_edited.emit(lambda what_if: what_if.with_other_segment(positions, segments))

    def _on_swap_clicked(self, is_on: bool) -> None:
        self._swap_with(None)
        if self.reading is not None and is_on:
            first = self.selection.position
            self.position_clicked.emit(first)  # pinned, so that Esc has something to unpin
            self._swap_from = first
            self.change.show_waiting(True)

    def _swap_with(self, other: int | None) -> None:
        """other: the token that was clicked; None: none is waited for any more, as where Esc was pressed."""
        first, self._swap_from = self._swap_from, None
        self.change.show_waiting(False)
        if first is not None and other is not None:
            self.what_if_edited.emit(lambda what_if: what_if.swapped(first, other))


def _lengths(reading: Reading, units: Units, unit: int) -> Values:
    """Of each part of a token its own bar, and below it the baseline's; what the token is stands beside the title."""
    own, found = lengths_at(reading, units, unit), baseline_unit(reading, units, unit)
    baseline = {} if found is None else lengths_at(*found)
    bars = []
    for part, color in PART_COLORS.items():
        if part in own or part in baseline:
            bars.append((say(NAMES[part]), color, own.get(part, Length(0.0))))
        if part in baseline:
            bars.append((say("baseline"), "bar", baseline[part]))
    names, colors, lengths = zip(*bars, strict=True)
    marks = ["" if one.share is None else numbers.percent(one.share) for one in lengths]
    request, members = reading.request, units.members[unit]
    first, has_segments = members[0], request.model.has_segments
    where, segment = token_strip.part_name(reading.encoding, first, has_segments), request.segments[first]
    if has_segments and segment != reading.encoding.segments[first]:
        where = say("read as {segment}", segment=token_strip.segment_name(segment))
    hints = [say("position {position}", position=first), where, f"id {request.input_ids[first]}"]
    if len(members) > 1:
        positions = say("positions {first}–{last}", first=first, last=members[-1])
        hints = [positions, where, say("mean of %n piece(s)", n=len(members))]
    array, detail = np.array([one.length for one in lengths]), {"mark": marks, "color": colors}
    return Values(array, Side("part", names), detail=detail, hint=joined(*hints))
