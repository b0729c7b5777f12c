"""What the views of the room Attend have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...compute.question import Question
from ...figures.figure import Figure
from ...look.say import mark, say
from ...state.baseline_names import own_name
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import TokenView
from ...widgets.card import GAP_PX, Hint
from ...widgets.contrast_fields import ContrastFields
from ...widgets.controls import Choice
from ...widgets.layouts import hbox, vbox
from ...widgets.progress_line import ProgressLine
from ..view import View
from .attend_state import AttendState
from .attentions import Attentions, Head, head_title, moved_heads

if TYPE_CHECKING:
    import numpy as np

    from bertcore.analysis.compare import MatchedHeads

RED_AND_BLUE = mark("Red: it looks there more than {there}. Blue: less. No colour: no difference.")
ALONE = mark("You see this text and model alone. Press D for the difference, hold X for the baseline.")


@dataclass(frozen=True, eq=False)
class PictureRow:
    """What a picture of several heads or layers says of one unit, for the card beside it."""

    values: np.ndarray | None  # (U); None while they are computed
    kind: str  # of number
    hint: str  # behind the token
    about: str  # a sentence


class AttendView(View):
    """Subclasses override `draw`, and `draw_position` where another token needs less.

    Positions are those of tokens; pictures have units, of which one may be several tokens.
    """

    cell_clicked = Signal(int, int)  # position that looks, position of what it looks at
    weight_set = Signal(int, int, float)  # row, column (units): the weight it shall have
    heads_clicked = Signal(list)  # of (layer, head): all of these, the first is on show
    head_toggled = Signal(int, int)  # one more, or one less
    head_hovered = Signal(object)  # (layer, head), or None
    head_menu_requested = Signal(int, int, QPoint)
    title_changed = Signal()
    redrawn = Signal()  # a control has changed, or an answer has come

    follows: tuple[str, ...] = ("head", "heads")  # of "head", "heads", "column", "pinned": another one is drawn anew
    shared: AttendState

    def __init__(self) -> None:
        super().__init__()
        self.title = self.hint = self.about = ""
        self._drawn: tuple[object, ...] = ()
        self.controls = hbox(gap_px=8)
        self.body = vbox(parent=self, gap_px=6)

    def use(self, shared: AttendState) -> None:
        """Comes once, before anything is shown."""
        self.shared = shared

    def draw(self) -> None:
        """Another reading, another head, or a control has changed."""
        raise NotImplementedError

    def draw_position(self) -> None:
        """Another token; reading and heads are the same."""

    def picture_row(self, unit: int) -> PictureRow | None:
        """None: the picture is of the head on show."""
        return None

    def make_figure(self) -> Figure | None:
        """The picture and its numbers as they stand now; None while there is nothing to show."""
        return None

    @property
    def attentions(self) -> Attentions:
        """Of the reading on show."""
        assert self.shared.attentions is not None
        return self.shared.attentions

    @property
    def head(self) -> Head:
        """The one on show."""
        return self.selection.layer, self.selection.head

    @property
    def pinned(self) -> int:
        """The token that was clicked: for what takes too long to follow the mouse."""
        last = len(self.attentions.reading.encoding) - 1
        return min(1 if self.selection.pinned is None else self.selection.pinned, last)

    @property
    def is_difference(self) -> bool:
        """The difference from the baseline is drawn: it is wanted and can be had."""
        return self.selection.wants_difference and self.attentions.can_subtract

    @property
    def has_baseline_beside(self) -> bool:
        """Both are drawn: a person has chosen what to compare with."""
        return self.attentions.reading.request.baseline is not None and (
            self.attentions.baseline is not None and not self.is_difference
        )

    def about_comparison(self, *, can_show_both: bool) -> str:
        """A sentence on the colours of a difference, or on why there is none."""
        if self.is_difference:
            return say(RED_AND_BLUE, there=self.attentions.where_compared)
        why = self.attentions.why_no_difference if self.selection.wants_difference else ""
        return why or (say(ALONE) if self.has_baseline_beside and not can_show_both else "")

    def redraw(self) -> None:
        """A control has changed, or an answer has come."""
        if self.reading is not None:
            self.draw()
            self.redrawn.emit()

    def set_title(self, title: str, hint: str = "", about: str = "") -> None:
        """about: a sentence on a comparison, in the place of the view's own; on a projector behind the hint."""
        if (title, hint, about) != (self.title, self.hint, self.about):
            self.title, self.hint, self.about = title, hint, about
            self.title_changed.emit()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._drawn = self._drawn_for()
        self.draw()

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        drawn_for = self._drawn_for()
        if drawn_for == self._drawn:
            self.draw_position()
        else:
            self._drawn = drawn_for
            self.draw()

    def _drawn_for(self) -> tuple[object, ...]:
        shared = self.shared
        now = {"head": self.head, "heads": shared.heads, "column": shared.column, "pinned": self.selection.pinned}
        return tuple(now[part] for part in self.follows)


class AskingView(AttendView):
    """Drawn from an answer of the worker. Subclasses give `line`, its progress, a place."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question: Question[Any] = self.add_question(lambda _answer: self.redraw(), self.line)


class TargetView(AskingView):
    """About one prediction of the model as it is. Subclasses give `target_box` and `target_fields` a place too."""

    def __init__(self) -> None:
        super().__init__()
        self.target_box, self.target_fields = Choice(say("The prediction to explain")), ContrastFields()
        self.target_box.setToolTip(say("The prediction to explain"))
        self.target_box.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.target_box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.target_box.activated.connect(lambda index: self.shared.choose_target(self.shared.targets[index]))
        self.target_fields.edited.connect(self.contrast_edited)

    def use(self, shared: AttendState) -> None:
        super().use(shared)
        shared.targets_changed.connect(self._show_targets)
        shared.target_changed.connect(self.redraw)
        self._show_targets()

    def _show_targets(self) -> None:
        shared, box = self.shared, self.target_box
        names = [target.label + target.note for target in shared.targets]
        if names != [box.itemText(i) for i in range(box.count())]:
            box.clear()
            box.addItems(names)
        if shared.target is not None:
            box.setCurrentIndex(shared.targets.index(shared.target))
        box.setEnabled(bool(names))
        self.target_fields.show_contrast(shared.contrast, (shared.first_guess, ""), shared.contrast_problem)
        self.target_fields.setVisible(bool(shared.first_guess))

    def ask_about_target(self, function: Any, *arguments: object) -> Any:
        """The answer of function(checkpoint, text, target, *arguments, progress); None while there is none."""
        asked, target = self.attentions.plain.request, self.shared.target
        self.target_box.setVisible(target is not None)
        if target is None:
            self.question.clear(self.shared.problem)
        else:
            text = asked.model_input
            self.question.ask_model(asked.model, function, text, target, *arguments, pause_ms=self.pause_ms)
        return self.question.answer

    @property
    def plain_notes(self) -> list[str]:
        """What pictures of the model as it is leave aside, for the end of their hints."""
        notes = []
        if self.attentions.token_view != TokenView():
            notes.append(say("by tokens, special tokens included"))
        if self.attentions.reading.unchanged is not None:
            notes.append(say("without your changes inside the model"))
        return notes


class PairedHeadsView(AttendView):
    """A head beside the same one of the baseline, or in a model of another shape the most similar one."""

    def __init__(self) -> None:
        super().__init__()
        self._moved: Question[MatchedHeads] = self.add_question(lambda _answer: self.redraw())

    def baseline_head(self, head: Head) -> Head | None:
        """None where there is none, and until it is found."""
        attentions = self.attentions
        if attentions.has_same_heads:
            return head
        if attentions.baseline is None or attentions.alignment.reason is not None:
            return None
        self._moved.ask(moved_heads, *attentions.given, pause_ms=self.pause_ms)
        moved = self._moved.answer
        return None if moved is None else (int(moved.layers[head]), int(moved.heads[head]))

    def baseline_title(self, theirs: Head | None) -> str:
        """What stands above the baseline's picture; why there is none where there is no head."""
        if theirs is None:
            return self.attentions.why_no_difference
        name = f"{self.attentions.baseline_name} · {head_title(*theirs)}"
        return name if self.attentions.has_same_heads else say("{head}: the most similar one", head=name)


class SideBySide(QWidget):
    """The baseline's picture and ours, each below its name; ours alone where nothing is compared."""

    def __init__(self, theirs: QWidget, ours: QWidget) -> None:
        super().__init__()
        self._theirs, self._ours = Hint(), Hint()
        self.left = QWidget()
        vbox(self._theirs, (theirs, 1), parent=self.left, gap_px=4)
        hbox((self.left, 1), (vbox(self._ours, (ours, 1), gap_px=4), 1), parent=self, gap_px=GAP_PX)

    def show_names(self, theirs: str, reading: Reading) -> None:
        self._theirs.setText(theirs)
        self._ours.setText(own_name(reading))

    def show_both(self, wanted: bool) -> None:
        self.left.setVisible(wanted)
        self._ours.setVisible(wanted)
