"""What the views of the room Attend have in common: they stand on a card of the room, and share what it selects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...compute.question import Job
from ...figures.figure import joined
from ...figures.values import Side, Values
from ...look import mark, say
from ...state import Reading, Selection, TokenView
from ...state.baseline_names import baseline_name, where_compared
from ...widgets.target_choice import TargetChoice
from ..pictures import Picture
from ..values_view import ValuesView
from .attend_state import AttendState
from .attentions import Attentions, Head, head_title, moved_heads

if TYPE_CHECKING:
    import numpy as np

RED_AND_BLUE = mark("Red: it looks there more than {there}. Blue: less. No colour: no difference.")
ALONE = mark("You see this text and model alone. Press D for the difference, hold X for the baseline.")
ROOM = "room"  # what all pictures stand on: a card that the room gives


class PictureRow(NamedTuple):
    """What a picture of several heads or layers says of one unit, for the card beside it."""

    values: np.ndarray | None  # (U); None while they are computed
    kind: str  # of number
    hint: str  # behind the token
    about: str  # a sentence


class AttendView(ValuesView):
    """Subclasses say in `words` what stands above the picture, and show what is no `Picture` in `drawn`.

    Positions are those of tokens; pictures have units, of which one may be several tokens.
    """

    redrawn = Signal()  # a control has changed, or an answer has come

    follows: ClassVar[tuple[str, ...]] = ("head", "heads")  # also "column", "pinned", "token": another draws it anew
    shared: AttendState
    choice: TargetChoice | None = None  # of a view about one prediction
    tools: QWidget | None = None  # buttons at its foot, which a projector has in the header
    foot: QWidget | None = None  # below the picture, which takes its room on a projector
    title = hint = about = ""  # about: a sentence on a comparison, in the place of the view's own

    def use(self, shared: AttendState) -> None:
        """Comes once, before anything is shown."""
        self.shared = shared
        if self.choice is not None:
            self.choice.use(shared.targets)
            shared.targets.chosen.connect(self.redraw)

    def picture_row(self, unit: int) -> PictureRow | None:
        """None: the picture is of the head on show."""
        return None

    @property
    def attentions(self) -> Attentions:
        """Of the reading on show."""
        assert self.shared.attentions is not None
        return self.shared.attentions

    def attentions_of(self, reading: Reading) -> Attentions:
        """Of the reading on show, or of its baseline."""
        found = self.attentions if reading is self.reading else self.attentions.baseline
        assert found is not None
        return found

    @property
    def head(self) -> Head:
        """The one on show."""
        return self.selection.layer, self.selection.head

    @property
    def is_difference(self) -> bool:
        """The difference from the baseline is drawn: it is wanted and can be had."""
        return self.selection.wants_difference and self.attentions.can_subtract

    @property
    def has_baseline_beside(self) -> bool:
        """Both are drawn: a person has chosen what to compare with."""
        reading = self.attentions.reading
        return reading.request.baseline is not None and reading.baseline is not None and not self.is_difference

    def about_comparison(self) -> str:
        """A sentence on the colours of a difference, or on why there is none."""
        if self.is_difference:
            return say(RED_AND_BLUE, there=where_compared(self.attentions.reading))
        why = self.attentions.why_no_difference if self.selection.wants_difference else ""
        can_show_both = isinstance(self, PairedView)
        return why or (say(ALONE) if self.has_baseline_beside and not can_show_both else "")

    def caption(self, key: str) -> dict[str, Any]:
        return {"title": self.title, "hint": joined(self.hint, self.about)}

    def words(self) -> tuple[str, str, str]:
        """The title, what stands behind it, and a sentence on a comparison in the place of the view's own, if any."""
        return "", "", ""

    def drawn(self, reading: Reading, selection: Selection) -> None:
        self.title, self.hint, self.about = self.words()

    def redraw(self, *keys: str) -> None:
        super().redraw(*keys)
        if self.reading is not None:
            self.redrawn.emit()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._drawn_for = self._now()
        super().show_reading(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self._now() == self._drawn_for:
            self._show_selected(selection)
        else:
            self.show_reading(reading, selection)

    def _now(self) -> list[object]:
        """What of the selection it is drawn for."""
        shared, selection = self.shared, self.selection
        now = {"head": self.head, "heads": shared.heads, "column": shared.column, "pinned": selection.pinned}
        return [now.get(part, selection.position) for part in self.follows]

    def baseline_values(self, picture: Picture, reading: Reading, selection: Selection) -> Values | None:
        return super().baseline_values(picture, reading, selection) if self.is_difference else None

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        """A token that is left out of the view is selected nowhere."""
        is_out = side.units is not None and side.units.unit_of(selection.position) is None
        return None if is_out else super().selected(key, side, selection)

    def target_job(self, function: Any, *arguments: object) -> Job | str:
        """function(checkpoint, text, target, *arguments, progress), of the model with nothing changed inside."""
        asked, targets = self.attentions.reading.plain.request, self.shared.targets
        if targets.target is None:
            return targets.problem
        return Job(function, (asked.model_input, targets.target, *arguments), (asked.model,))

    @property
    def plain_notes(self) -> list[str]:
        """What pictures of the model as it is leave aside, for the end of their hints."""
        notes = []
        if self.attentions.token_view != TokenView():
            notes.append(say("by tokens, special tokens included"))
        if self.attentions.reading.unchanged is not None:
            notes.append(say("without your changes inside the model"))
        return notes


class PairedView(AttendView):
    """A head beside the same one of the baseline, or in a model of another shape the most similar one."""

    asks: ClassVar = {"moved": False}

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        attentions = self.attentions
        is_moved = attentions.baseline is not None and not attentions.has_same_heads
        return Job(moved_heads, (attentions,)) if is_moved and attentions.alignment.reason is None else None

    def baseline_head(self, head: Head) -> Head | None:
        """None where there is none, and until it is found."""
        if self.attentions.has_same_heads:
            return head
        moved = self.asked["moved"].answer
        return None if moved is None else (int(moved.layers[head]), int(moved.heads[head]))

    def baseline_title(self, theirs: Head | None) -> str:
        """What stands above the baseline's picture; why there is none where there is no head."""
        if theirs is None:
            return self.attentions.why_no_difference
        name = f"{baseline_name(self.attentions.reading)} · {head_title(*theirs)}"
        return name if self.attentions.has_same_heads else say("{head}: the most similar one", head=name)

    def name_beside(self, reading: Reading) -> str:
        return self.baseline_title(self.baseline_head(self.head))

    def values_beside(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        head = self.baseline_head(self.head)
        if head is None or reading.baseline is None:
            return None
        return self.values(key, reading.baseline, replace(selection, layer=head[0], head=head[1]))
