"""What the views of the room Evidence share: a collection, questions about it, captions, rows that open in all rooms.

class LossView(EvidenceView):
    needs = "sentences"                                    the kind of collection that it is about
    functions = {"loss": "prune"}                          what is asked of `m.evidence(...)`; the first is shown
    pictures = (Lines(key="loss", python="[one.value for one in found.loss]", ...),)
    counted = mark("%Ln sentence(s)"), attrgetter("count")
    finding_in = staticmethod(loss_finding)                the sentence above the pictures; found: the answer

    def arguments(self, asks, reading):                    prune("head")
        return ("head",)

    def passes(self, asks, model):                         how often each text is read: what takes long is offered
        return 2.0

    def values_of(self, key, found):
        return Values(found.losses, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QPushButton, QWidget

from bertcore.locations import assets

from ...compute.evidence import SEED, Gathered, Kept, Kind, answer, seconds_for
from ...compute.evidence_questions import answer_of
from ...compute.question import Job
from ...figures.figure import joined
from ...figures.script import script
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...state.selection import NO_CONTRAST, Contrast
from ...widgets.card import GAP_PX, button, label, scrolled, show_text
from ...widgets.folding_card import FoldingCard
from ...widgets.layouts import hbox, vbox
from ...widgets.table import Column, Table
from ..pictures import Lines
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.evidence.nearest import Use

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

MOST_S = 20.0  # what takes longer is offered, and not begun by itself
HASH_DIGITS = 8
LEAST_PX = 150  # height of a card in a column
OPEN_PX, LEAST_MAIN_PX = 560, 300  # widths on a projector: of a card that opens, of the picture that it replaces
AROUND = 60  # characters on both sides of a word


@dataclass(frozen=True)
class OpenedRow:
    """A row of a collection for all rooms."""

    text: str
    chosen: tuple[int, int] | None = None  # the word to select: characters (begin, end)
    head: tuple[int, int] | None = None  # layer, head
    contrast: Contrast = NO_CONTRAST
    other: str = ""  # the text to compare it with; empty: nothing


class EvidenceView(ValuesView):
    """The finding as a sentence, and below it the pictures. The model is asked as it is, without changes inside."""

    needs: ClassVar[Kind] = "sentences"
    head: ClassVar[str] = ""  # of the model, without which it cannot be asked
    functions: ClassVar[Mapping[str, Callable[..., Any] | str]]  # of `compute/evidence_questions.py`, or methods' names
    call: ClassVar[str] = ""  # Python for the `found` of scripts, of what a function is given; methods are called
    counted: ClassVar[tuple[str, Callable[[Any], int]]]  # of how many rows the numbers are, for captions
    stays: ClassVar[Sequence[str]] = ()  # the pictures that a projector shows; the others fold away there
    technical: ClassVar[str] = ""  # the picture at the side that only technical words explain
    collection: Gathered | None = None  # None: not read yet, or it cannot be
    problem = ""  # why it cannot
    kept: Kept  # of all views of a room

    row_opened = Signal(object)  # OpenedRow
    file_wanted = Signal()  # a person wants to choose another collection
    needs_changed = Signal()  # it is about a collection of another kind now

    # What a subclass says.

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...] | str | None:
        """Of the question's function, behind the collection; a sentence: why nothing is asked."""
        return ()

    def passes(self, asks: str, model: ModelInfo) -> float:
        """How often each text is read for that, about: by this is known how long it takes."""
        return 1.0

    def values_of(self, key: str, found: Any) -> Values | None:
        """Of one picture, from the answer to the question that it is about."""
        raise NotImplementedError

    def finding_in(self, found: Any) -> str:
        """What was found, as a sentence with its numbers."""
        return ""

    def how_many(self, key: str, found: Any) -> str:
        """Of how many rows the numbers of a picture are, for its caption."""
        text, count = type(self).counted
        return say(text, n=count(found))

    @property
    def about(self) -> tuple[str, str]:
        """The name and the SHA-256 of what was measured, for captions."""
        return ("", "") if self.collection is None else (self.collection.name, self.collection.sha256)

    def show_found(self, found: Any) -> None:
        """What it has besides its pictures is shown anew; None: there is no answer."""

    def missing(self, reading: Reading) -> str:
        """Why this model cannot be asked: a sentence; empty where it can."""
        return reading.request.model.missing.get(self.head, "")

    def lay_out_cards(self) -> QLayout:
        """The pictures, below the finding."""
        return super().lay_out()

    # What follows.

    def __init_subclass__(cls, **kwargs: Any) -> None:
        cls.asks, cls.shows = dict.fromkeys(cls.functions, False), next(iter(cls.functions))
        cls.pictures = [
            replace(one, is_compared=False, asks=one.asks or cls.shows, folds=one.key not in cls.stays)
            for one in cls.pictures
        ]
        super().__init_subclass__(**kwargs)

    shows: ClassVar[str]  # the question that its pictures and its finding are about, where they name no other

    @property
    def found(self) -> Any:
        """The answer that is on show; None while there is none."""
        return self.asked[self.shows].answer

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        answer = self.asked[self._pictures[key].asks].answer
        if answer is None:
            if self.shown.pop(key, None) is not None and hasattr(self.charts[key], "clear"):
                self.charts[key].clear()
            return None
        return self.values_of(key, answer)

    def curve_names(self, key: str) -> Side:
        """The rows of a picture of curves."""
        picture = self._pictures[key]
        assert isinstance(picture, Lines)
        return Side("none", [say(curve.name) for curve in picture.curves])

    def in_rows(self, *rows: tuple[Mapping[QWidget, int], int]) -> QLayout:
        """Cards and their shares of a row, and its share of the height; on a projector the first, and what folds."""
        if theme.is_projector():
            first, *others = (card for cards, _ in rows for card in cards)
            return _on_projector(scrolled(first), others)
        inside = QWidget()
        vbox(*((hbox(*cards.items(), gap_px=GAP_PX), share) for cards, share in rows), parent=inside, gap_px=GAP_PX)
        return vbox((scrolled(inside), 1))

    def beside(self, main: QWidget, width_px: int, *cards: QWidget, grows: int = 1) -> QLayout:
        """The pictures, or these cards, in a column at the right of the main card, which scrolls.

        grows: the card that takes what is free; beyond the last, none does.
        """
        cards = cards or self.side_cards()
        if theme.is_projector():
            return _on_projector(main, cards)
        side = QWidget()
        rest = [None] if grows >= len(cards) else []
        vbox(*((card, int(place == grows)) for place, card in enumerate(cards)), *rest, parent=side, gap_px=GAP_PX)
        for card in cards:
            card.setMinimumHeight(theme.px(LEAST_PX))
        area = scrolled(side)
        area.setFixedWidth(theme.column_px(width_px))
        return hbox((main, 1), area, gap_px=GAP_PX)

    def side_cards(self) -> tuple[QWidget, ...]:
        """Of all pictures but those that only technical words explain, where they are not wanted."""
        wanted = [picture.key for picture in self.pictures if numbers.is_technical() or picture.key != self.technical]
        kept_back = QWidget(self)  # out of sight whatever is shown on it, and gone with the view
        kept_back.hide()
        for key in self.cards.keys() - wanted:
            self.cards[key].setParent(kept_back)
        return tuple(map(self.folded, wanted))

    def uses_table(self, name: str, number: str = "") -> Table:
        """Words where they stand, one line each, with the word in the middle: the eye reads down. number: what the one
        behind each line is; empty: a cosine."""
        columns = (
            Column("", lambda use: use.before[-AROUND:], is_number=True, is_widest=True),
            Column("", lambda use: use.word, is_strong=lambda _use: True, color=lambda _use: "accent"),
            Column("", lambda use: use.after[:AROUND], lambda use: use.before + use.word + use.after, is_widest=True),
            Column(number or say("cosine"), lambda use: numbers.decimal(use.value), is_number=True),
            Column(say("from"), lambda use: place_text(use.place), color=lambda _use: "muted"),
        )
        table = Table(name, columns)
        table.row_opened.connect(self.open_use)
        return table

    def open_use(self, use: Use) -> None:
        """Its sentence for all rooms, with the word selected."""
        begin = len(use.before)
        self.row_opened.emit(OpenedRow(use.before + use.word + use.after, (begin, begin + len(use.word))))

    def ask_again(self) -> None:
        """A person has chosen something else to be asked."""
        self.pause_ms = 0
        self.redraw()

    def lay_out(self) -> QLayout:
        self.finding = label("", "title" if theme.is_projector() else "lesson-title", wrap=True)
        return vbox(self.finding, (self.lay_out_cards(), 1), gap_px=8)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        missing = self.missing(reading)
        self.choose.setVisible(not missing and bool(self.problem))
        if missing:
            return say("Not for this model"), missing
        is_read = self.collection is not None
        return None if is_read else (say("No collection yet"), self.problem or say("Reading the collection…"))

    def offers(self) -> list[QPushButton]:
        self.choose = button(say("Open file…"), self.file_wanted.emit)
        return [self.choose]

    def set_collection(self, collection: Gathered | None, problem: str = "") -> None:
        """What it is about from now on. problem: why there is none."""
        if (collection, problem) != (self.collection, self.problem):
            self.collection, self.problem = collection, problem
            self.redraw()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str | None:
        if self.collection is None or self.missing(reading):
            return None
        arguments = self.arguments(asks, reading)
        if not isinstance(arguments, tuple):
            return arguments
        function = self.functions[asks]
        asked = (answer_of, (function, *arguments)) if isinstance(function, str) else (function, arguments)
        return Job(answer, (*asked, self.collection, self.kept), (reading.request.model,))

    def time_needed(self, asks: str) -> str:
        if self.collection is None or self.reading is None:
            return ""
        model, text = self.reading.request.model, mark("For {collection} and this model this takes about {time}.")
        takes_s = seconds_for(self.collection, model.config, self.passes(asks, model))
        time = numbers.duration(takes_s)
        return say(text, collection=self.collection.name, time=time) if takes_s > MOST_S else ""

    def draw_answer(self, asks: str) -> None:
        """Pictures may show several answers."""
        self.redraw()

    def drawn(self, reading: Reading, selection: Selection) -> None:
        found = self.found
        show_text(self.finding, "" if found is None else self.finding_in(found))
        self.show_found(found)

    def caption(self, key: str) -> dict[str, Any]:
        picture, (name, sha256) = self._pictures[key], self.about
        count = self.how_many(key, self.asked[picture.asks].answer)
        settings = joined(name, hash_text(sha256), count, say(picture.method), say("seed {seed}", seed=SEED))
        return {"settings": settings, "plain": True, "texts": False}

    def script(self, key: str, title: str) -> str:
        """With the collection as `about`, and the answer as `found`.

        In a picture's `python`, {0} {1} … are what the view shown was asked, {shown} is the answer, {view} the view.
        """
        picture, collection = self._pictures[key], self.collection
        if self.reading is None or collection is None or not picture.python:
            return ""
        source, model = collection.source, self.reading.request.model
        if source.kind == "sentences" and model.task is not None:
            return ""
        function, asked = self.functions[picture.asks], self.arguments(self.shows, self.reading) or ()
        given = asked if picture.asks == self.shows else self.arguments(picture.asks, self.reading) or ()
        by_name = f"about.{function}({', '.join(map(repr, given))})"
        call = by_name if isinstance(function, str) else self.call.format(*asked)
        file = repr(list(source.lines) or None if source.file is None else str(source.file))
        if source.file is not None and source.file.is_relative_to(assets()):
            file = f'bertcore.locations.assets() / "{source.file.relative_to(assets()).as_posix()}"'
        first = "" if source.first is None else f", first={source.first}"
        about = f"about = m.evidence({file}{first}, seed={SEED})"
        python = picture.python.format(*asked, shown=self.found, view=self)
        return script(title, model.folder, about, f"found = {call}", python=python)


def place_text(place: str) -> str:
    """ "stories.txt, line 3", in the language of the window."""
    file, line, number = place.rpartition("line ")
    return f"{file}{say('line {number}', number=number)}" if line else place


def hash_text(sha256: str) -> str:
    """By which it is known that two figures are of the same text."""
    return say("SHA-256 {digits}", digits=sha256[:HASH_DIGITS])


def _on_projector(main: QWidget, cards: Iterable[QWidget]) -> QLayout:
    """The main card, and what folds: open, a card needs more room than there is beside it, and takes its place."""
    main.setMinimumWidth(theme.px(LEAST_MAIN_PX))
    for card in cards:
        if isinstance(card, FoldingCard):
            card.card.setMinimumWidth(theme.px(OPEN_PX))
    return hbox((main, 1), *cards, gap_px=GAP_PX)


def interval_bars(
    rows: Side,
    intervals: Sequence[Any],
    *,
    value: str = "value",
    write: Callable[[float], str] = numbers.percent,
    high: float = 1.0,
    hint: str = "",
    **detail: Sequence[Any],
) -> Values:
    """A bar for each interval. value: the name of its number. high: the longest that fits. detail: of `Bar`."""
    triples = [(getattr(one, value), one.low, one.high) for one in intervals]
    array, low, top = np.array(triples, dtype=float).reshape(-1, 3).T
    texts, detail = [[write(one)] for one in array.tolist()], {"low": low.tolist(), "high": top.tolist(), **detail}
    more: dict[str, Any] = {name: each for name, each in detail.items() if name in ("low", "high", "tick")}
    return Values(array, rows, None, None, high, texts, detail, hint, more=more)


def wrong_ones(title: str, text: Callable[[Any], str], is_wrong: Callable[[Any], bool], **more: Any) -> Column:
    """A column of a table, sorted by its texts, in which rows that are wrong stand out. more: of `Column`."""

    def color(row: Any) -> str:
        return "bad_text" if is_wrong(row) else ""

    return Column(title, text, color=color, **{"sort": text, **more})
