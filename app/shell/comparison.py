"""What everything is compared with, and what happens where it cannot be read."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QWidget

from bertcore.locations import BUILT_IN, GERMAN, TINY, tuned_models
from bertcore.resolve_model import can_be_downloaded

from ..compute.open_model import portable_reference
from ..look import say, theme
from ..runs.stages import reference_to, start_of
from ..state import NOTHING_CHANGED
from ..state.baseline import Baseline, OtherModel, OtherText
from ..state.examples import Example, load_examples
from ..widgets.banner import BannerAction
from ..widgets.card import button, label
from ..widgets.controls import MenuButton
from ..widgets.layouts import hbox, vbox
from ..widgets.sentence_bar import SentenceEdit
from .services import Services

WIDTH_PX = 620


class TextPairDialog(QDialog):
    """Begins with the text that is on show: one changes a word, and sees what that does."""

    chosen = Signal(str, str)  # A, B

    def __init__(self, a: str, b: str, examples: Sequence[Example], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("Compare with another text"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._examples = examples
        self.a = SentenceEdit("A", say("Type a sentence"))
        self.b = SentenceEdit("B", say("A second sentence (optional)"))
        self.show_texts(a, b)
        self.swap = button(say("Swap A and B"), lambda: self.show_texts(self.b.text(), self.a.text()))
        self.examples = MenuButton(say("Examples"), self._fill_examples, say("Sentence pairs to start from"))
        self.compare = button(say("Compare"), self.accept, look="primary")
        self.compare.setDefault(True)
        hint = say("Change one word, negate the sentence, or swap A and B. Masked words are masked in both texts.")
        vbox(
            label(hint, "muted", wrap=True),
            self.a,
            self.b,
            hbox(self.swap, self.examples, None, button(say("Cancel"), self.reject), self.compare, gap_px=8),
            parent=self,
            gap_px=8,
            margins=theme.px(14),
        )
        self.setMinimumWidth(theme.px(WIDTH_PX))
        self.a.setFocus()

    def show_texts(self, a: str, b: str) -> None:
        self.a.setText(a)
        self.b.setText(b)

    def accept(self) -> None:
        self.chosen.emit(self.a.text(), self.b.text())
        super().accept()

    def _fill_examples(self, menu: QMenu) -> None:
        for example in self._examples:
            menu.addAction(example.title, partial(self.show_texts, example.a, example.b or ""))


class Comparison(QObject):
    """Sets the baseline of the state; the rooms show it."""

    problem_found = Signal(str, object)  # a sentence; BannerAction | None: what a person can do about it

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services, self._state, self._window = services, services.state, parent
        services.reader.baseline_failed.connect(self._on_baseline_failed)

    def with_model(self, reference: str | Path | None) -> None:
        """Another model, as `OpenModel.open` takes it, or another step of this one."""
        place = None if reference is None else portable_reference(str(reference))
        self._state.set_baseline(OtherModel(None if place == BUILT_IN else place))

    def end(self) -> None:
        self._state.set_baseline(None)

    def end_or_reset(self) -> None:
        """With the model unchanged it ends when nothing is changed any more."""
        if self._state.baseline is None:
            self._state.set_what_if(NOTHING_CHANGED)
        self.end()

    def ask_for_text(self) -> TextPairDialog:
        chosen, state = self._state.baseline, self._state
        a, b = (chosen.a, chosen.b) if isinstance(chosen, OtherText) else (state.text_a, state.text_b)
        dialog = TextPairDialog(a, b, [one for one in load_examples() if not one.model], self._window)
        dialog.chosen.connect(lambda a, b: state.set_baseline(OtherText(a, b)))
        dialog.open()
        return dialog

    def ask_for_model(self) -> None:
        title = say("Compare with the model in a checkpoint or run folder")
        folder = QFileDialog.getExistingDirectory(self._window, title)
        if folder:
            self.with_model(folder)

    def swap(self) -> None:
        """What is looked at becomes what it is compared with, and the reverse."""
        chosen, state, reading = self._state.baseline, self._state, self._state.newest_reading
        if isinstance(chosen, OtherModel):
            own = self._services.open_model.newest_reference
            self._services.open_model.open(chosen.reference)
            self.with_model(own)
        elif isinstance(chosen, OtherText):
            is_read = reading is not None and reading.request.baseline == chosen
            masks = reading.other_text.request.by_hand if is_read and reading and reading.other_text else ()
            ours = OtherText(state.text_a, state.text_b)
            state.set_text(chosen.a, chosen.b)
            state.set_masks(masks)
            state.set_baseline(ours)

    def toggle_difference(self) -> None:
        self._state.set_wants_difference(not self._state.wants_difference)

    def with_start(self) -> None:
        """The first snapshot of the run behind the open model, or the model that was fine-tuned."""
        model = self._state.model
        start = None if model is None else start_of(model.folder)
        if start is None:
            why = say(
                "This model has no snapshot from the start of its training, so there is nothing to compare it with."
            )
            self.problem_found.emit(why, None)
        else:
            self.with_model(reference_to(start))

    def models(self) -> list[str | None]:
        """References of those that ship and those that were open lately, without the one that is open."""
        known = [None, TINY, GERMAN, *tuned_models(), *self._services.settings.recent_models]
        return [reference for reference in known if reference != self._services.open_model.newest_reference]

    def _on_baseline_failed(self, baseline: Baseline, why: str) -> None:
        reference = baseline.reference if isinstance(baseline, OtherModel) else None
        action: BannerAction | None = None
        if reference is not None and can_be_downloaded(reference):
            fetch, then = self._services.open_model.fetch, partial(self.with_model, reference)
            action = say("Download"), partial(fetch, reference, then)  # a person has clicked for it
        self.problem_found.emit(say("There is nothing to compare with. {why}", why=why), action)
