"""What the views of the room Evidence share: a collection, questions about it, captions, rows that open in all rooms.

class LossView(EvidenceView):
    needs = "sentences"                                    the kind of collection that it is about
    shows = "loss"                                         what is asked of the worker
    pictures = (Lines(key="loss", ...),)

    def question(self, asks, reading, selection):          what the worker is asked of the collection
        return loss_over, ("mean",)                        loss_over(checkpoint, gathered, "mean", kept, progress)

    def passes(self, asks, model):                         how often each text is read: what takes long is offered
        return 2.0

    def values_of(self, key, found, selection):            found: the answer
        return Values(found.losses, ...)

    def finding_in(self, found, selection):                the sentence above the pictures
        return loss_finding(found)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QPushButton, QWidget

from ...compute.evidence import Gathered, Kept, Kind, seconds_for
from ...compute.question import Job
from ...figures.figure import Numbers, joined
from ...look import numbers, theme
from ...look.say import say
from ...state.selection import NO_CONTRAST, Contrast
from ...widgets.card import GAP_PX, button, label, scrolled, show_text
from ...widgets.layouts import hbox, vbox
from ..values_view import ValuesView

if TYPE_CHECKING:
    from ...figures.values import Values
    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

Asked = tuple[Callable[..., Any], tuple[Any, ...]]
MOST_S = 20.0  # what takes longer is offered, and not begun by itself
SEED = 0
HASH_DIGITS = 8


@dataclass(frozen=True)
class OpenedRow:
    """A row of a collection for all rooms. Places are characters (begin, end) of the text."""

    text: str
    masked: tuple[tuple[int, int], ...] = ()  # words to mask; a [MASK] that stands in the text is one anyway
    chosen: tuple[int, int] | None = None  # the word to select
    head: tuple[int, int] | None = None  # layer, head
    contrast: Contrast = NO_CONTRAST
    other: str = ""  # the text to compare it with; empty: nothing


class EvidenceView(ValuesView):
    """The finding as a sentence, and below it the pictures. The model is asked as it is, without changes inside."""

    needs: ClassVar[Kind] = "sentences"
    guesses: ClassVar[bool] = False  # it is about guesses of masked words, which not every model makes
    shows: ClassVar[str] = ""  # the question that its pictures and its finding are about, where they name no other
    collection: Gathered | None = None  # None: not read yet, or it cannot be
    problem = ""  # why it cannot

    row_opened = Signal(object)  # OpenedRow
    file_wanted = Signal()  # a person wants to choose another collection

    # What a subclass says.

    def question(self, asks: str, reading: Reading, selection: Selection) -> Asked | str | None:
        """A function of `compute/evidence.py`, and its arguments behind the collection; a sentence: why nothing."""
        raise NotImplementedError

    def passes(self, asks: str, model: ModelInfo) -> float:
        """How often each text is read for that, about: by this is known how long it takes."""
        return 1.0

    def values_of(self, key: str, found: Any, selection: Selection) -> Values | None:
        """Of one picture, from the answer to the question that it is about."""
        raise NotImplementedError

    def finding_in(self, found: Any, selection: Selection) -> str:
        """What was found, as a sentence with its numbers."""
        return ""

    def missing(self, reading: Reading) -> str:
        """Why this model cannot be asked: a sentence; empty where it can."""
        return reading.request.model.missing.get("mlm", "") if self.guesses else ""

    def lay_out_cards(self) -> QLayout:
        """The pictures, below the finding."""
        return super().lay_out()

    def how_many(self, key: str) -> str:
        """Of how many rows the numbers of a picture are, for its caption."""
        return ""

    # What follows.

    def __init_subclass__(cls, **kwargs: Any) -> None:
        cls.pictures = [replace(one, is_compared=False, asks=one.asks or cls.shows) for one in cls.pictures]
        super().__init_subclass__(**kwargs)

    @property
    def found(self) -> Any:
        """The answer that is on show; None while there is none."""
        return self.asked[self.shows].answer if self.shows in self.asked else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        answer = self.asked[self._pictures[key].asks].answer
        if answer is None:
            self.cleared(key)
            return None
        return self.values_of(key, answer, selection)

    def beside(self, main: QWidget, cards: Sequence[QWidget], width_px: int, *, grows: int) -> QLayout:
        """A column of cards at the right of the main one, which scrolls; grows: the card that takes what is free."""
        if theme.is_projector():
            return hbox((main, 1), *cards, gap_px=GAP_PX)
        side = QWidget()
        vbox(*((card, int(place == grows)) for place, card in enumerate(cards)), parent=side, gap_px=GAP_PX)
        area = scrolled(side)
        area.setFixedWidth(theme.column_px(width_px))
        return hbox((main, 1), area, gap_px=GAP_PX)

    def ask_again(self, *_: object) -> None:
        """A person has chosen something else to be asked."""
        self.pause_ms = 0
        self.redraw()

    def lay_out(self) -> QLayout:
        self.kept = Kept()
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
        asked = self.question(asks, reading, selection)
        if not isinstance(asked, tuple):
            return asked
        return Job(asked[0], (self.collection, *asked[1], self.kept), (reading.request.model,))

    def time_needed(self, asks: str) -> str:
        if self.collection is None or self.reading is None:
            return ""
        model = self.reading.request.model
        takes_s = seconds_for(self.collection, model.config, self.passes(asks, model))
        text = say(
            "For {collection} and this model this takes about {time}.",
            collection=self.collection.name,
            time=numbers.duration(takes_s),
        )
        return text if takes_s > MOST_S else ""

    def draw_answer(self, asks: str) -> None:
        """Pictures may show several answers."""
        self.redraw()

    def drawn(self, reading: Reading, selection: Selection) -> None:
        show_text(self.finding, "" if self.found is None else self.finding_in(self.found, selection))

    def caption(self, key: str) -> dict[str, Any]:
        assert self.collection is not None
        name, sha256 = self.collection.name, self.collection.sha256[:HASH_DIGITS]
        interval = say("95% interval, resampled by sentence, seed {seed}", seed=SEED)
        settings = joined(name, f"SHA-256 {sha256}", self.how_many(key), interval)
        return {"settings": settings, "plain": True, "texts": False}

    def numbers(self, key: str) -> dict[str, Numbers]:
        """With the ends of intervals, and what the bars are measured against."""
        arrays, shown = super().numbers(key), self.shown[key]
        ends = {name: shown.detail[name] for name in ("low", "high", "tick") if name in shown.detail}
        return arrays | {name: Numbers(np.asarray(values), shown.axes) for name, values in ends.items()}

    def cleared(self, *keys: str) -> None:
        """These pictures have no answer any more: they are empty until there is one."""
        for key in keys:
            if self.shown.pop(key, None) is not None and hasattr(self.charts[key], "clear"):
                self.charts[key].clear()
