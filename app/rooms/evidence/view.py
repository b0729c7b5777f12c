"""What the views of the room Evidence share: a collection, questions about it, captions, rows that open in all rooms.

class LossView(EvidenceView):
    needs = "sentences"                                    the kind of collection that it is about
    functions = {"loss": loss_over}                        what the worker is asked of it; the first is what it shows
    pictures = (Lines(key="loss", ...),)

    def arguments(self, asks, reading):                    loss_over(work, "mean")
        return ("mean",)

    def passes(self, asks, model):                         how often each text is read: what takes long is offered
        return 2.0

    def values_of(self, key, found):                       found: the answer
        return Values(found.losses, ...)

    def finding_in(self, found):                           the sentence above the pictures
        return loss_finding(found)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QPushButton, QWidget

from bertcore.locations import assets

from ...compute.evidence import Gathered, Kept, Kind, answer, seconds_for
from ...compute.question import Job
from ...figures.figure import Numbers, joined
from ...figures.script import script
from ...figures.values import Values
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.selection import NO_CONTRAST, Contrast
from ...widgets.card import GAP_PX, button, label, scrolled, show_text
from ...widgets.layouts import hbox, vbox
from ..values_view import ValuesView

if TYPE_CHECKING:
    from ...figures.values import Side
    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

MOST_S = 20.0  # what takes longer is offered, and not begun by itself
SEED = 0
HASH_DIGITS = 8
LEAST_PX = 150  # of a card in a column


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
    interval: ClassVar[str] = mark("95% interval, resampled by sentence, seed {seed}")  # in captions
    functions: ClassVar[Mapping[str, Callable[..., Any]]]  # functions of `compute/evidence_questions.py`
    stays: ClassVar[Sequence[str]] = ()  # the pictures that a projector shows; the others fold away there
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
        return ""

    @property
    def about(self) -> tuple[str, str]:
        """The name and the SHA-256 of what was measured, for captions."""
        return ("", "") if self.collection is None else (self.collection.name, self.collection.sha256)

    def show_found(self, found: Any) -> None:
        """What it has besides its pictures is shown anew; None: there is no answer."""

    def missing(self, reading: Reading) -> str:
        """Why this model cannot be asked: a sentence; empty where it can."""
        return ""

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

    def beside(self, main: QWidget, width_px: int, *cards: QWidget, grows: int = 1) -> QLayout:
        """The pictures, or these cards, in a column at the right of the main card, which scrolls.

        grows: the card that takes what is free.
        """
        cards = cards or tuple(self.folded(picture.key) for picture in self.pictures)
        if theme.is_projector():
            return hbox((main, 1), *cards, gap_px=GAP_PX)
        side = QWidget()
        vbox(*((card, int(place == grows)) for place, card in enumerate(cards)), parent=side, gap_px=GAP_PX)
        for card in cards:
            card.setMinimumHeight(theme.px(LEAST_PX))
        area = scrolled(side)
        area.setFixedWidth(theme.column_px(width_px))
        return hbox((main, 1), area, gap_px=GAP_PX)

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
            return say("This model cannot be asked"), missing
        is_read = self.collection is not None
        return None if is_read else (say("No collection yet"), self.problem or say("Reading the collection…"))

    def offers(self) -> list[QPushButton]:
        self.choose = button(say("Open file…"), self.file_wanted.emit, look="primary")
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
        asked = self.functions[asks], arguments, self.collection, self.kept
        return Job(answer, asked, (reading.request.model,))

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
        count = self.how_many(key, self.asked[self._pictures[key].asks].answer)
        (name, sha256), interval = self.about, say(self.interval, seed=SEED)
        settings = joined(name, hash_text(sha256), count, interval)
        return {"settings": settings, "plain": True, "texts": False}

    def script(self, key: str, title: str) -> str:
        """With the collection as `about`; {0}, {1} … in a picture's `python` are the arguments of what it shows."""
        python = self._pictures[key].python
        if self.reading is None or self.collection is None or not python:
            return ""
        source = self.collection.source
        asked = self.arguments(self.shows, self.reading)
        opened = list(source.lines) if source.file is None else str(source.file)
        about = f"about = m.evidence({opened!r}, seed={SEED})"
        if source.file is not None and source.file.is_relative_to(assets()):
            about = (
                f'about = m.evidence(bertcore.locations.assets() / "{source.file.relative_to(assets())}", seed={SEED})'
            )
        return script(title, self.reading.request.model.folder, about, f"numbers = {python.format(*asked or ())}")

    def numbers(self, key: str) -> dict[str, Numbers]:
        """With the ends of intervals, and what the bars are measured against."""
        arrays, shown = super().numbers(key), self.shown[key]
        ends = {name: shown.detail[name] for name in ("low", "high", "tick") if name in shown.detail}
        return arrays | {name: Numbers(np.asarray(values), shown.axes) for name, values in ends.items()}


def hash_text(sha256: str) -> str:
    """By which it is known that two figures are of the same text."""
    return say("SHA-256 {digits}", digits=sha256[:HASH_DIGITS])


def interval_bars(
    rows: Side,
    intervals: Sequence[tuple[float, float, float]],
    *,
    write: Callable[[float], str] = numbers.percent,
    high: float = 1.0,
    hint: str = "",
    **detail: Sequence[Any],
) -> Values:
    """A bar for each of (value, low, high). high: the longest that fits. detail: of `Bar`, for each."""
    value, low, top = np.array(intervals, dtype=float).reshape(-1, 3).T
    texts = [[write(one)] for one in value.tolist()]
    return Values(value, rows, None, None, high, texts, {"low": low.tolist(), "high": top.tolist(), **detail}, hint)
