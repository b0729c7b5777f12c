"""Which way a comparison is shown in a picture of one head, and which head of the baseline stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...look.say import say
from ...state.selection import Selection
from .attentions import Attentions, Head, head_title
from .compared_attentions import ComparedAttentions, Moved, compared, moved_heads

if TYPE_CHECKING:
    from ...compute.question import Question
    from .view import AttendView


@dataclass(frozen=True, eq=False)
class Shown:
    """At most one of the two; neither where there is nothing to compare with."""

    difference: ComparedAttentions | None = None
    beside: ComparedAttentions | None = None
    about: str = ""  # a sentence: the colours of the difference, or why there is none


def way_to_show(attentions: Attentions, selection: Selection) -> Shown:
    """The difference where it is wanted and can be had; else both, if a person has chosen the baseline."""
    both = compared(attentions)
    if both is None:
        return Shown()
    if selection.wants_difference and not both.problem:
        about = say("Red: it looks there more than {there}. Blue: less. No colour: no difference.")
        return Shown(difference=both, about=about.format(there=both.where))
    is_chosen = attentions.reading.request.baseline is not None
    return Shown(beside=both if is_chosen else None, about=both.problem if selection.wants_difference else "")


def seen_alone() -> str:
    """Of a view that cannot show both side by side."""
    return say("You see this text and model alone. Press D for the difference, hold X for the baseline.")


class Counterpart:
    """The same head of the baseline, or in a model of another shape the most similar one, which the worker finds."""

    def __init__(self, view: AttendView) -> None:
        self._view = view
        self.question: Question[Moved] = view.add_question(lambda _answer: view.redraw())

    def head(self, both: ComparedAttentions, spot: Head) -> Head | None:
        """None where there is none, and until it is found."""
        if not both.has_same_heads:
            if both.alignment.reason is not None:
                return None
            self.question.ask(moved_heads, *both.ours.given, pause_ms=self._view.pause_ms)
            return None if self.question.answer is None else self.question.answer.baseline_head(spot)
        return spot

    def title(self, both: ComparedAttentions, theirs: Head | None) -> str:
        """What stands above the baseline's picture; why there is none where there is no head."""
        if theirs is None:
            return both.problem
        name = f"{both.name} · {head_title(*theirs)}"
        alike = say("{head}: the most similar one")
        return name if both.has_same_heads else alike.format(head=name)
