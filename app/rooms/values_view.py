"""Views that say what they compute; what the sides of their values count decides the rest.

    class SizesView(ValuesView):
        pictures = (Cells(key="sizes", title=mark("Size of each hidden state"), name=mark("…"), number="length"),)

        def values(self, key, reading, selection):
            units = selection.units(reading)
            sizes = lengths(units.vectors(reading.trace.hidden_states))  # (L+1,U)
            return Values(sizes.T, tokens(units), stages(len(sizes)))

Labels, hovering, clicking and the menu of a right click in all rooms, the selection, the caption, files and, from the
same function on `reading.baseline`, the comparison follow. What takes time is computed on the worker: a picture names
the question that it `asks`, `job` says what is to be computed, and `values` takes the answer from `answer`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtWidgets import QStackedWidget, QWidget

from ..figures.figure import Figure, Numbers, joined
from ..figures.values import NotComparableError, Side, Values, stage_name
from ..look.say import say
from ..state.baseline_names import baseline_name
from ..widgets.card import GAP_PX, Card, label
from ..widgets.folding_card import folded_on_projector
from ..widgets.layouts import hbox, vbox
from .pictures import Picture
from .view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtWidgets import QLayout

    from ..compute.question import Job, Question
    from ..state.readings import Reading
    from ..state.selection import Selection


class ValuesView(View):
    """Its pictures side by side, each on a card."""

    pictures: ClassVar[Sequence[Picture]] = ()

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        """Of one picture, for one reading, which may be the baseline; None while there is no answer yet."""
        raise NotImplementedError

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        """What the worker is to compute for this reading; None: nothing."""
        raise NotImplementedError

    def clicked(self, key: str, row: int, column: int | None) -> None:
        """A place was clicked, and all rooms know; a subclass may do something besides."""

    def lay_out(self) -> QLayout:
        """The cards in a row; on a projector some fold away."""
        return hbox(*((self.folded(picture), picture.width) for picture in self.pictures), gap_px=GAP_PX)

    def __init__(self) -> None:
        super().__init__()
        self.charts: dict[str, Any] = {}
        self.cards: dict[str, Card] = {}
        self.shown: dict[str, Values] = {}  # what is on the screen, by picture
        self.asked: dict[str, Question[Any]] = {}  # by what a picture asks
        self.asked_of_baseline: dict[str, Question[Any]] = {}
        self.differences: set[str] = set()  # the pictures that show now minus the baseline
        self._followed: dict[str, tuple[object, ...]] = {}
        self._nothing: Card | None = None
        for picture in self.pictures:
            chart, card = picture.make(), Card(say(picture.title), intro=say(picture.intro) or " ")
            self.charts[picture.key], self.cards[picture.key] = chart, card
            card.body.addWidget(chart, 1)
            card.set_figure(partial(self.figure_of, picture))
            chart.hovered.connect(partial(self._on_hovered, picture))
            chart.clicked.connect(partial(self._on_clicked, picture))
            self.add_token_menu(chart, partial(self._position, picture))
            if picture.asks and picture.asks not in self.asked:
                for asked in (self.asked, self.asked_of_baseline):
                    asked[picture.asks] = self.add_question(partial(self._on_answered, picture.asks))
        content = QWidget()
        content.setLayout(self.lay_out())
        self.pages = QStackedWidget()
        self.pages.addWidget(content)
        vbox(self.pages, parent=self)

    def folded(self, picture: Picture) -> QWidget:
        """The card of a picture, as it stands in a row."""
        card = self.cards[picture.key]
        return folded_on_projector(card, card.title) if picture.folds else card

    def show_nothing(self, title: str, sentence: str, *offers: QWidget) -> None:
        """Says in place of the pictures why there are none, and offers what can be done (buttons, made once)."""
        if self._nothing is None:
            self._nothing = Card()
            self.nothing_title, self.nothing_text = label("", "title", wrap=True), label("", "muted", wrap=True)
            self._nothing.fill_with_message(self.nothing_title, self.nothing_text, *offers)
            self.pages.addWidget(self._nothing)
        self.nothing_title.setText(title)
        self.nothing_text.setText(sentence)
        self.pages.setCurrentWidget(self._nothing)

    @property
    def shows_nothing(self) -> bool:
        return self.pages.currentIndex() > 0

    def answer(self, asks: str, reading: Reading) -> Any:
        """What the worker answered for this reading; None while there is no answer."""
        return (self.asked if reading is self.reading else self.asked_of_baseline)[asks].answer

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.pages.setCurrentIndex(0)
        self._ask(reading, selection)
        self._show(self.pictures, reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self.shows_nothing:
            return
        self._ask(reading, selection)
        changed = [one for one in self.pictures if self._followed.get(one.key) != self._follow(one, reading, selection)]
        self._show(changed, reading, selection)

    def redraw(self, *keys: str) -> None:
        """Something of the view's own is another now; no keys: in all pictures."""
        if self.reading is not None and not self.shows_nothing:
            self._ask(self.reading, self.selection)
            pictures = [picture for picture in self.pictures if not keys or picture.key in keys]
            self._show(pictures, self.reading, self.selection)

    def _ask(self, reading: Reading, selection: Selection) -> None:
        for asks, ours in self.asked.items():
            for question, one in ((ours, reading), (self.asked_of_baseline[asks], reading.baseline)):
                job = None if one is None else self.job(asks, one, selection)
                if job is None:
                    question.clear()
                else:
                    question.ask_job(job, self.pause_ms)

    def _on_answered(self, asks: str, _answer: object) -> None:
        if self.reading is not None and not self.shows_nothing:
            pictures = [picture for picture in self.pictures if picture.asks == asks]
            self._show(pictures, self.reading, self.selection)

    def _follow(self, picture: Picture, reading: Reading, selection: Selection) -> tuple[object, ...]:
        """What of the selection its values are of."""
        parts = {"token": selection.unit(reading), "stage": selection.stage}
        return tuple(parts.get(name, getattr(selection, name, None)) for name in picture.follows)

    def _show(self, pictures: Iterable[Picture], reading: Reading, selection: Selection) -> None:
        for picture in pictures:
            values = self.values(picture.key, reading, selection)
            if values is None:  # what is on show stays until the answer comes
                continue
            self._followed[picture.key] = self._follow(picture, reading, selection)
            self._show_values(picture, values, reading, selection)
        self._show_selected(reading, selection)

    def _show_values(self, picture: Picture, values: Values, reading: Reading, selection: Selection) -> None:
        baseline, problem, hint, intro = None, "", values.hint, values.intro or say(picture.intro)
        if reading.baseline is not None and (selection.wants_difference or not picture.subtracts):
            theirs = self.values(picture.key, reading.baseline, selection)
            try:
                baseline = None if theirs is None else values.placed(theirs, reading)
            except NotComparableError as error:
                problem = str(error)
        self.differences.discard(picture.key)
        if baseline is not None and picture.subtracts:
            self.differences.add(picture.key)
            name = baseline_name(reading)
            intro = say(picture.difference, baseline=name)
            hint = joined(hint, say("now minus {baseline}", baseline=name))
        self.shown[picture.key] = picture.show(self.charts[picture.key], values, baseline)
        self.cards[picture.key].set_hint(hint)
        self.cards[picture.key].set_intro(f"{problem} {intro}".strip())

    def _show_selected(self, reading: Reading, selection: Selection) -> None:
        for picture in self.pictures:
            values = self.shown.get(picture.key)
            if values is not None:
                row = _selected(values.rows, selection)
                is_one_kind = values.columns is None or values.columns.kind == values.rows.kind
                column = None if is_one_kind or values.columns is None else _selected(values.columns, selection)
                picture.select(self.charts[picture.key], row, column)

    def _on_hovered(self, picture: Picture, cell: Any) -> None:
        values, text = self.shown.get(picture.key), ""
        if cell is not None and values is not None:
            row, column = picture.place(cell)
            value = float(values.array[row] if column is None else values.array[row, column])
            text = say(
                picture.hovered,
                row=values.rows.name(row),
                column="" if column is None or values.columns is None else values.columns.name(column),
                value=picture.written(value, is_difference=picture.key in self.differences),
                stage=stage_name(self.selection.stage),
                layer=self.selection.layer + 1,
                head=self.selection.head + 1,
            )
            if picture.key in self.differences:
                text = say("{numbers}, compared with the baseline", numbers=text)
        self.hover_text_changed.emit(text)
        self.position_hovered.emit(self._position(picture, cell))

    def _on_clicked(self, picture: Picture, cell: Any, *_: object) -> None:
        values = self.shown[picture.key]
        row, column = picture.place(cell)
        places = {values.rows.kind: values.rows.number(row)}
        if column is not None and values.columns is not None:
            places.setdefault(values.columns.kind, values.columns.number(column))
        if "token" in places:
            self.position_clicked.emit(places["token"])
        if "head" in places:
            self.head_clicked.emit(places.get("layer", self.selection.layer), places["head"])
        elif "layer" in places or "stage" in places:
            self.stage_clicked.emit(places["stage"] if "stage" in places else places["layer"] + 1)
        self.clicked(picture.key, row, column)

    def _position(self, picture: Picture, cell: Any) -> int | None:
        """Of the token that a cell is of: that of its row, else that of its column."""
        values = self.shown.get(picture.key)
        if cell is None or values is None:
            return None
        row, column = picture.place(cell)
        if values.rows.kind == "token":
            return values.rows.number(row)
        if column is not None and values.columns is not None and values.columns.kind == "token":
            return values.columns.number(column)
        return None

    def caption(self, picture: Picture) -> dict[str, Any]:
        """What `caption_of` takes: on what of the selection the numbers are."""
        stage = stage_name(self.selection.stage) if "stage" in picture.follows else ""
        return {"token": "token" in picture.follows, "head": "head" in picture.follows, "settings": stage}

    def numbers(self, picture: Picture) -> dict[str, Numbers]:
        """The arrays in a saved file: what is on the screen."""
        values = self.shown[picture.key]
        name = picture.saved_as or picture.number
        if picture.key in self.differences:
            name = f"{name} now minus before"
        return {name: Numbers(values.array, values.axes)}

    def figure_of(self, picture: Picture) -> Figure | None:
        values, card = self.shown.get(picture.key), self.cards[picture.key]
        if values is None or not values.array.size or self.shows_nothing:
            return None
        of = self.caption(picture)
        return self.figure(card.title, [self.charts[picture.key]], self.numbers(picture), hint=card.hint, **of)


def _selected(side: Side, selection: Selection) -> int | None:
    """The place that is selected in all rooms; None where the side has none."""
    if side.kind == "token" and side.units is not None and len(side.units):
        return side.place_of(side.units.first_positions[side.units.unit_of(selection.position) or 0])
    numbers = {"stage": selection.stage, "head": selection.head}
    if not selection.at_embeddings:
        numbers["layer"] = selection.layer
    return side.place_of(numbers.get(side.kind))
