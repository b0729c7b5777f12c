"""Views that say what they compute; what the sides of their values count decides the rest.

    class SizesView(ValuesView):
        pictures = (Cells(key="sizes", title=mark("Size of each hidden state"), name=mark("…"), number="length"),)

        def values(self, key, reading, selection):
            units = selection.units(reading)
            sizes = lengths(units.vectors(reading.trace.hidden_states))  # (L+1,U)
            return Values(sizes.T, tokens(units), stages(len(sizes)))

Labels, hovering, clicking and the menu of a right click in all rooms, the selection, the caption, files and, from the
same function on `reading.baseline`, the comparison follow. What takes time is computed on the worker: a picture names
the question that it `asks`, `job` says what is to be computed, and `values` takes the answer from `answer_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QPushButton, QVBoxLayout, QWidget

from ..figures.figure import Figure, Numbers, joined
from ..figures.script import compared, script_of
from ..figures.values import NotComparableError, Side, Values, stage_name
from ..look import numbers, say, theme
from ..look.number_kinds import explain
from ..state import Reading, Selection, head_name
from ..state.baseline_names import baseline_name, own_name, where_compared
from ..widgets.card import GAP_PX, Card, Hint, Part, label
from ..widgets.charts.pointer import PointerWidget
from ..widgets.charts.raster import NamedScale
from ..widgets.context_menu import Entry, figure_entries
from ..widgets.folding_card import folding_on_projector
from ..widgets.layouts import hbox, held, show_if, vbox
from .pictures import Picture
from .view import View


class ValuesView(View):
    """Its pictures side by side, each on a card."""

    pictures: ClassVar[Sequence[Picture]] = ()

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        """Of one picture, for one reading, which may be the baseline; None while there is no answer yet.

        For the baseline, `selection.position` is the token there that the selected one is compared with.
        """
        raise NotImplementedError

    # What a subclass may say besides.

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        """A title and a sentence in place of the pictures: why there are none; None where there are."""
        return None

    def offers(self) -> list[QPushButton]:
        """What stands below that sentence."""
        return []

    def lay_out(self) -> QLayout:
        """The cards in a row; on a projector some fold away."""
        with_cards = (picture for picture in self.pictures if not picture.on)
        return hbox(*((self.folded(picture.key), picture.width) for picture in with_cards), gap_px=GAP_PX)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        """The pictures are up to date; the view's own words may follow."""

    def sentence(self, key: str, row: int, column: int | None) -> str:
        """Of the place under the mouse, for the status line."""
        picture, values = self._pictures[key], self.shown[key]
        value = values.array[row] if column is None else values.array[row, column]
        text = say(
            picture.hovered,
            row=values.rows.name(row),
            number=values.rows.number(row),
            column="" if column is None or values.columns is None else values.columns.name(column),
            value=picture.written(float(value), is_difference=key in self.differences) if np.ndim(value) == 0 else "",
            stage=stage_name(self.selection.stage),
            layer=self.selection.layer + 1,
            head=self.selection.head + 1,
        )
        return say("{numbers}, compared with the baseline", numbers=text) if key in self.differences else text

    def values_beside(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        """What the baseline's picture at the left of another shows; reading: ours."""
        return None if reading.baseline is None else self.values(key, reading.baseline, selection)

    def name_beside(self, reading: Reading) -> str:
        """What stands above that picture."""
        return baseline_name(reading)

    def show_hovered(self, text: str) -> None:
        """What is under the mouse."""
        self.hover_text_changed.emit(text)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        """A place was clicked, and all rooms know."""

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        """The place on a side that is selected; None where it has none."""
        return selected_place(side, selection)

    def caption(self, key: str) -> dict[str, Any]:
        """What `figure` takes: what of the selection the numbers are of; title and hint, if not the card's."""
        follows = self._pictures[key].follows
        stage = stage_name(self.selection.stage) if "stage" in follows else ""
        return {"token": "token" in follows, "head": "head" in follows, "settings": stage}

    def entries(self, key: str, row: int, column: int | None) -> list[Entry]:
        """What a right click on a place offers besides what can be done with its token and with the picture."""
        return []

    def saved(self, key: str) -> list[QWidget]:
        """What the picture of a card shows when it is saved: all that stands on it, with their scales."""
        keys = [one.key for one in self.pictures if key in (one.key, one.on)]
        return [widget for one in keys for widget in (self.scales.get(one), self.charts[one]) if widget is not None]

    def numbers(self, key: str) -> dict[str, Numbers]:
        """The arrays of one picture in a saved file: what is on the screen."""
        picture, values = self._pictures[key], self.shown[key]
        name = picture.saved_as or picture.number or picture.key
        name = f"{name} now minus before" if key in self.differences else name
        return {
            key: Numbers(np.asarray(each), values.axes) for key, each in {name: values.array, **values.more}.items()
        }

    def script(self, key: str, title: str) -> str:
        """Python that makes the array of one picture with bertcore; empty where nothing says how."""
        assert self.reading is not None
        python = self._pictures[key].python.format(view=self)
        return script_of(title, self.reading, self.selection, python)

    @property
    def compared_python(self) -> str:
        """The baseline, in Python."""
        return "" if self.reading is None else compared(self.reading)

    # What follows.

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("asks", {})  # what no picture asks, or asks of the baseline as well
        compared = {one.asks for one in cls.pictures if one.is_compared}
        cls.asks = {one.asks: one.asks in compared for one in cls.pictures if one.asks} | own

    def __init__(self) -> None:
        super().__init__()
        self.charts: dict[str, Any] = {}
        self.cards: dict[str, Card] = {}
        self.columns: dict[str, QVBoxLayout] = {}  # in which the pictures stand: words of a view may follow there
        self.scales: dict[str, NamedScale] = {}
        self.pairs: dict[str, SideBySide] = {}  # those with the baseline's at their left
        self.shown: dict[str, Values] = {}  # what is on the screen, by picture
        self.both: dict[str, tuple[Values, Values | None]] = {}  # ours, and the baseline's in their places
        self.differences: set[str] = set()  # the pictures that show now minus the baseline
        self._pictures: dict[str, Picture] = {}
        self._followed: dict[str, tuple[object, ...]] = {}
        self.nothing_title, self.nothing_text = label("", "title", wrap=True), label("", "muted", wrap=True)
        for picture in self.pictures:
            self._make(picture)
        self._content, self._nothing = held(self.lay_out()), Card()
        for key, card in self.cards.items():  # behind what else stands in the title line
            card.set_figure(partial(self.figure_of, key))
        self._nothing.fill_with_message(self.nothing_title, self.nothing_text, *self.offers())
        self._nothing.hide()  # and asks for no room meanwhile
        self.row = hbox((self._content, 1), (self._nothing, 1), parent=self, gap_px=GAP_PX)

    def _make(self, picture: Picture) -> None:
        chart: Any = picture.make()
        self.charts[picture.key] = chart
        self._pictures[picture.key] = picture
        if picture.beside is not None:
            self._make(picture.beside)
            theirs = picture.beside.frame(self.charts[picture.beside.key])
            self.pairs[picture.key] = SideBySide(theirs, picture.frame(chart))
        if not picture.on:
            card = self.cards[picture.key] = self.card_of(picture)
            place = card.body.count()
            self.columns[picture.key] = picture.put(card.body, self.pairs.get(picture.key, chart))
            if picture.scale is not None:
                scale = self.scales[picture.key] = NamedScale(picture.scale_px)
                card.body.insertWidget(place + picture.scale_below, scale)
                if picture.number:
                    explain(picture.number, scale.bar)
        chart.clicked.connect(partial(self._on_clicked, picture))
        if isinstance(chart, PointerWidget):
            chart.hovered.connect(partial(self._on_hovered, picture))
            chart.context_menu_requested.connect(partial(self._on_menu_requested, picture))

    def card_of(self, picture: Picture) -> Card:
        """What a picture stands on; a subclass may have it from its room."""
        title = say(picture.title)
        return Part(title) if picture.is_part else Card(title, intro=say(picture.intro) or " ")

    def folded(self, key: str) -> QWidget:
        """The widget to lay out for a picture: its card."""
        card = self.cards[key]
        return folding_on_projector(card, card.title) if self._pictures[key].folds else card

    @property
    def shows_nothing(self) -> bool:
        return not self._nothing.isHidden()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.ask_all()
        self._show(self.pictures, reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.ask_all()
        changed = [one for one in self.pictures if self._followed.get(one.key) != self._follow(one, reading, selection)]
        self._show(changed, reading, selection)

    def redraw(self, *keys: str) -> None:
        """Something of the view's own is another now; no keys: in all pictures."""
        if self.reading is not None:
            self.ask_all()
            pictures = [picture for picture in self.pictures if not keys or picture.key in keys]
            self._show(pictures, self.reading, self.selection)

    def draw_answer(self, asks: str) -> None:
        self.redraw(*(picture.key for picture in self.pictures if picture.asks == asks))

    def _follow(self, picture: Picture, reading: Reading, selection: Selection) -> tuple[object, ...]:
        """What of the selection its values are of."""
        parts = {"token": selection.unit(reading), "stage": selection.stage}
        return tuple(parts.get(name, getattr(selection, name, None)) for name in picture.follows)

    def _show(self, pictures: Iterable[Picture], reading: Reading, selection: Selection) -> None:
        reason = self.nothing(reading, selection)
        if reason is not None:
            self.nothing_title.setText(reason[0])
            self.nothing_text.setText(reason[1])
        was_nothing = self.shows_nothing
        show_if(reason is None, self._content)
        show_if(reason is not None, self._nothing)
        for picture in () if reason is not None else self.pictures if was_nothing else pictures:
            values = self.values(picture.key, reading, selection)
            if values is None:  # what is on show stays until the answer comes
                continue
            self._followed[picture.key] = self._follow(picture, reading, selection)
            self._show_values(picture, values, reading, selection)
        self._show_selected(selection)
        self.drawn(reading, selection)

    def _show_values(self, picture: Picture, values: Values, reading: Reading, selection: Selection) -> None:
        baseline, problem, hint, intro = None, "", values.hint, values.intro or say(picture.intro)
        theirs = self.baseline_values(picture, reading, selection)
        try:
            baseline = None if theirs is None else values.placed(theirs, reading, in_full=picture.subtracts)
        except NotComparableError as error:
            problem = str(error)
        self.differences.discard(picture.key)
        is_difference = baseline is not None and picture.subtracts and selection.wants_difference
        if is_difference:
            self.differences.add(picture.key)
            name = baseline_name(reading)
            intro = say(picture.difference, baseline=name, there=where_compared(reading))
            hint = joined(hint, say("now minus {baseline}", baseline=name))
        if picture.beside is not None:
            values = self._show_beside(picture, picture.beside, values, reading, selection)
        chart, self.both[picture.key] = self.charts[picture.key], (values, baseline)
        self.shown[picture.key] = shown = picture.show(chart, values, baseline, is_difference=is_difference)
        if picture.key in self.scales:
            named = picture.difference_scale if is_difference else picture.scale
            write = numbers.signed if is_difference else picture.scale_ends
            self.scales[picture.key].show_range(say(named) if named else "", *shown.range, write)
            self.scales[picture.key].setVisible(shown.high is not None or bool(np.isfinite(shown.array).any()))
        if not picture.on:
            self.cards[picture.key].set_hint(hint)
            self.cards[picture.key].set_intro(f"{problem} {intro}".strip())

    def _show_beside(
        self, picture: Picture, beside: Picture, values: Values, reading: Reading, selection: Selection
    ) -> Values:
        """The baseline's picture, where a person wants to see both. Returns our values, on one scale with its."""
        is_shown = reading.request.baseline is not None and reading.baseline is not None
        is_shown = is_shown and picture.key not in self.differences
        self.pairs[picture.key].show_both(is_shown, self.name_beside(reading), own_name(reading))
        self.shown.pop(beside.key, None)
        theirs = self.values_beside(picture.key, reading, selection) if is_shown else None
        if theirs is None:
            if is_shown:
                self.charts[beside.key].clear()
            return values
        columns, high = theirs.columns, max(values.range[1], theirs.range[1])
        sides = theirs.rows.seen_from(reading), None if columns is None else columns.seen_from(reading)
        theirs = replace(theirs, rows=sides[0], columns=sides[1], high=high)
        self.shown[beside.key] = beside.show(self.charts[beside.key], theirs, None, is_difference=False)
        return replace(values, high=high)

    def baseline_values(self, picture: Picture, reading: Reading, selection: Selection) -> Values | None:
        """None where the picture does not show it, or has nothing to show of it."""
        is_wanted = picture.is_compared and (picture.writes_both or selection.wants_difference)
        if reading.baseline is None or not is_wanted:
            return None
        unit = selection.unit(reading)
        place = None if unit is None else reading.places_in_baseline(selection.token_view)[unit]
        if place is not None:
            positions = reading.baseline.units(selection.token_view).first_positions
            selection = replace(selection, position=positions[place])
        elif "token" in picture.follows:
            return None
        return self.values(picture.key, reading.baseline, selection)

    def _show_selected(self, selection: Selection) -> None:
        for key, values in self.shown.items():
            sides = [values.rows]
            if values.columns is not None and values.columns.kind != values.rows.kind:
                sides.append(values.columns)
            row, column = (*(self.selected(key, side, selection) for side in sides), None)[:2]
            self._pictures[key].select(self.charts[key], row, column)

    def _mark_selected(self, is_marked: bool) -> None:
        """What a person has selected; not where the picture is printed."""
        if is_marked:
            self._show_selected(self.selection)
        else:
            for key in self.shown:
                self._pictures[key].select(self.charts[key], None, None)

    def _on_hovered(self, picture: Picture, cell: Any) -> None:
        is_known = cell is not None and picture.key in self.shown
        text = self.sentence(picture.key, *picture.place(cell)) if is_known else ""
        self.show_hovered(text)
        self.position_hovered.emit(self._position(picture, cell))

    def _on_menu_requested(self, picture: Picture, cell: Any, at: QPoint) -> None:
        is_known = cell is not None and picture.key in self.shown
        entries = self.entries(picture.key, *picture.place(cell)) if is_known else []
        more = [*entries, None, *figure_entries(self.charts[picture.key])]
        self.token_menu_requested.emit(self._position(picture, cell), at, more if any(more) else [])

    def _on_clicked(self, picture: Picture, cell: Any, *_: object) -> None:
        values = self.shown.get(picture.key)
        if values is None:  # the chart is older than the answer that is waited for
            return
        row, column = picture.place(cell)
        places = {values.rows.kind: values.rows.number(row)}
        if column is not None and values.columns is not None:
            places.setdefault(values.columns.kind, values.columns.number(column))
        if places.get("token", -1) >= 0:
            self.position_clicked.emit(places["token"])
        if "a_head" in places and self.reading is not None:
            self.head_clicked.emit(*divmod(places["a_head"], self.reading.request.model.heads))
        elif "head" in places:
            self.head_clicked.emit(places.get("layer", self.selection.layer), places["head"])
        elif "layer" in places or "stage" in places:
            self.stage_clicked.emit(places["stage"] if "stage" in places else places["layer"] + 1)
        self.clicked(picture.key, row, column)

    def _position(self, picture: Picture, cell: Any) -> int | None:
        """Of the token that a cell is of: that of its row, else that of its column."""
        values = self.shown.get(picture.key)
        if cell is None or values is None:
            return None
        for side, place in zip((values.rows, values.columns), picture.place(cell), strict=True):
            if side is not None and place is not None and side.kind == "token":
                number = side.number(place)
                return number if number >= 0 else None  # a token of the baseline beside ours has none
        return None

    def figure_of(self, key: str) -> Figure | None:
        """Of all that stands on the card of this picture; None while there is nothing."""
        keys = [one.key for one in self.pictures if key in (one.key, one.on) and one.key in self.shown]
        if self.shows_nothing or not any(np.isfinite(self.shown[one].array).any() for one in keys):
            return None
        arrays = {name: array for one in keys for name, array in self.numbers(one).items()}
        card = self.cards.get(key)  # None: it stands on a card of the room
        of = {} if card is None else {"title": card.title, "hint": card.hint}
        figure = self.figure(widgets=self.saved(key), numbers=arrays, **{**of, **self.caption(key)})
        if figure is None:
            return None
        script = "" if self.differences.intersection(keys) else self.script(keys[0], figure.title)
        return replace(figure, mark_selected=self._mark_selected, script=script)


class SideBySide(QWidget):
    """The baseline's picture and ours, each below its name; ours alone where nothing is compared."""

    def __init__(self, theirs: QWidget, ours: QWidget) -> None:
        super().__init__()
        self._names = Hint(), Hint()
        self._left, self._charts = held(vbox(self._names[0], (theirs, 1), gap_px=4)), (theirs, ours)
        hbox((self._left, 1), (vbox(self._names[1], (ours, 1), gap_px=4), 1), parent=self, gap_px=GAP_PX)
        self.show_both(False, "", "")

    def show_both(self, wanted: bool, theirs: str, ours: str) -> None:
        for name, text in zip(self._names, (theirs, ours), strict=True):
            name.setText(text)
        show_if(wanted, *self._names, self._left)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both pictures are of one size; beside the one on the right stands the colour scale of both."""
        super().resizeEvent(event)
        theirs, ours = (getattr(chart, "right_px", 0) for chart in self._charts)
        half = (event.size().width() - theme.px(GAP_PX) - ours + theirs) // 2
        self._left.setMaximumWidth(max(half, self._left.minimumSizeHint().width()))


def selected_place(side: Side, selection: Selection) -> int | None:
    """The place that is selected in all rooms; None where the side has none."""
    if side.kind == "token" and side.units is not None and len(side.units):
        return side.place_of(side.units.first_positions[side.units.unit_of(selection.position) or 0])
    if side.kind == "a_head":
        name = head_name(selection.layer, selection.head)
        return side.labels.index(name) if name in side.labels else None
    numbers = {"stage": selection.stage, "head": selection.head}
    if not selection.at_embeddings:
        numbers["layer"] = selection.layer
    return side.place_of(numbers.get(side.kind))
