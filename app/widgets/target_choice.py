"""The prediction to explain: a list of what can be asked about, and two fields for words of one's own.

self.targets = Targets(self)                      what can be asked about, for one view or for several
self.choice = TargetChoice()                      the widgets of one view: `box` and `fields`
self.choice.use(self.targets)
self.targets.set_targets(reading, position, selection.contrast, targets_of(reading, position))
self.targets.chosen.connect(...)                  a person has chosen another
self.targets.contrast_edited.connect(...)         Contrast: other words to ask about, in all rooms
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from bertcore.errors import BertcoreError

from ..compute.head_questions import HeadTarget, mask_at, own_target, why_no_target
from ..look import say, theme
from ..state import NO_CONTRAST, Contrast, Reading
from .card import label, show_text
from .controls import Choice
from .layouts import hbox, vbox

LEAST_PX = 62
MOST_TYPED = 100  # characters of a word


class Targets(QObject):
    """What can be asked about, and what is: the words that were typed, else what a person chose, else the likeliest."""

    changed = Signal()  # there are others, or another is asked about
    chosen = Signal()
    contrast_edited = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.all: list[HeadTarget] = []
        self.target: HeadTarget | None = None  # what is asked about
        self.problem = ""  # why there is none
        self.own: HeadTarget | None = None  # of the words that were typed
        self.contrast, self.contrast_problem = NO_CONTRAST, ""  # as typed, and why it cannot be asked about
        self.guesses = "", ""  # what the two fields mean while they are empty; no fields where there is no mask
        self.is_picked = False  # by a person: then it stays as long as it is there

    def set_targets(
        self,
        reading: Reading,
        position: int,
        contrast: Contrast,
        targets: Sequence[HeadTarget],
        other: Reading | None = None,
    ) -> None:
        """Other targets. reading: of the model with nothing changed inside. position: of the token clicked last.

        other: of the text whose first guess the words are compared with.
        """
        mask, self.problem = mask_at(reading, position), why_no_target(reading)
        theirs = None if mask is None else mask_at(other or reading, mask.position) or mask
        here = [one for one in targets if mask is not None and one.target.position == mask.position]
        contrasts = [one.answers for one in here if one.is_contrast and one.target.head == "mlm"]
        self.guesses = next(iter([*contrasts, ("" if theirs is None else theirs.words[0].token, "")]))
        self.own, self.contrast, self.contrast_problem = None, contrast, ""
        try:
            self.own = own_target(reading, position, contrast, other)
        except BertcoreError as error:
            self.contrast_problem = str(error)
        self.all = list(targets)
        if self.own is not None:
            self.all = [self.own, *(one for one in self.all if one.target != self.own.target)]
            self.target, self.is_picked = self.own, False
        else:
            picked = self.target.target if self.target is not None and self.is_picked else None
            kept = [one for one in self.all if one.target == picked]
            here = [one for one in self.all if one.target.head == "mlm" and one.target.position == position]
            self.is_picked = bool(kept)
            self.target = next(iter([*kept, *here, *self.all]), None)
        self.changed.emit()

    def choose(self, target: HeadTarget) -> None:
        """By hand, in place of the words that were typed."""
        self.is_picked = True
        if target != self.target:
            self.target = target
            self.changed.emit()
            self.chosen.emit()
            self.contrast_edited.emit(NO_CONTRAST)


class ContrastFields(QWidget):
    """What is typed counts from Enter, Tab or a click elsewhere on; empty fields mean what their pale words say."""

    edited = Signal(object)  # Contrast

    def __init__(self) -> None:
        super().__init__()
        names = say("The word to explain"), say("The word that it is compared with")
        self.wanted, self.against = fields = QLineEdit(), QLineEdit()
        hint = say("Any word of the vocabulary, then Enter. Both empty: what the model guesses first.")
        for field, name in zip(fields, names, strict=True):
            field.setAccessibleName(name)
            field.setToolTip(f"{name}. {hint}")
            field.setMaxLength(MOST_TYPED)
            field.setMinimumWidth(theme.px(LEAST_PX))
            field.editingFinished.connect(self._on_field_editing_finished)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        line = hbox((self.wanted, 1), label(say("rather than"), "muted"), (self.against, 1), gap_px=6)
        vbox(line, self.problem, parent=self, gap_px=3)
        self._shown = Contrast()

    def show_contrast(self, contrast: Contrast, defaults: tuple[str, str], problem: str = "") -> None:
        """defaults: what empty fields stand for, "" for no other word. problem: why a word cannot be asked about."""
        self._shown = contrast
        wanted, against = defaults
        other = "" if contrast.wanted else against
        pale = wanted, other or "…"
        typed = contrast.wanted, contrast.against
        for field, text, guess in zip((self.wanted, self.against), typed, pale, strict=True):
            if not (field.hasFocus() and field.isModified()):
                field.setText(text)
                field.setCursorPosition(0)  # a long word is seen from its beginning
            field.setPlaceholderText(guess)
        show_text(self.problem, problem)

    def _on_field_editing_finished(self) -> None:
        typed = Contrast(self.wanted.text().strip(), self.against.text().strip())
        for field in (self.wanted, self.against):
            field.setModified(False)
        if typed != self._shown:
            self.edited.emit(typed)


class TargetChoice(QWidget):
    """Both are hidden where there is nothing to choose."""

    def __init__(self, *, across: bool = False) -> None:
        """across: the fields stand beside the list, not below it."""
        super().__init__()
        self.box, self.fields = Choice(say("The prediction to explain")), ContrastFields()
        self.box.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        (hbox if across else vbox)(self.box, self.fields, parent=self, gap_px=8 if across else 7)

    def use(self, targets: Targets) -> None:
        """Comes once."""
        self._targets = targets
        targets.changed.connect(self._show)
        self.box.activated.connect(lambda index: targets.choose(targets.all[index]))
        self.fields.edited.connect(targets.contrast_edited)
        self._show()

    def _show(self) -> None:
        targets = self._targets
        names = [one.label + one.note for one in targets.all]
        if names != [self.box.itemText(i) for i in range(self.box.count())]:
            self.box.clear()
            self.box.addItems(names)
        if targets.target is not None:
            self.box.setCurrentIndex(targets.all.index(targets.target))
        self.box.setVisible(bool(names))
        self.fields.show_contrast(targets.contrast, targets.guesses, targets.contrast_problem)
        self.fields.setVisible(bool(targets.guesses[0]))
