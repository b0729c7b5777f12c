"""What everything is compared with: the menu of it, its commands, and what happens where it cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from bertcore.locations import BUILT_IN, TINY, tuned_models
from bertcore.resolve_model import can_be_downloaded

from ..compute.open_model import portable_reference
from ..look import numbers
from ..look.say import say
from ..runs.stages import reference_to, start_of
from ..state.baseline import Baseline, OtherModel, OtherText
from ..state.examples import load_examples
from ..state.what_if import NOTHING_CHANGED
from ..widgets.banner import BannerAction
from ..widgets.command_list import Entry
from ..widgets.text_pair_dialog import TextPairDialog
from .commands import Command, shortened
from .services import Services


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

    def with_text(self, a: str, b: str) -> None:
        self._state.set_baseline(OtherText(a, b))

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
        dialog.chosen.connect(self.with_text)
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

    def fill_menu(self, menu: QMenu) -> None:
        """What can be chosen now."""
        state = self._state
        unchanged = menu.addAction(say("The unchanged model"), self.end)
        unchanged.setEnabled(bool(state.what_if))
        unchanged.setToolTip(say("Change something inside first: switch a head off in Attend, for example"))
        unchanged.setCheckable(True)
        unchanged.setChecked(bool(state.what_if) and state.baseline is None)
        self._fill_steps(menu.addMenu(say("An earlier step of its training")))
        self._fill_models(menu.addMenu(say("Another model")))
        menu.addAction(say("Another text…"), self.ask_for_text)
        if state.baseline is not None or state.what_if:
            menu.addSeparator()
            difference = menu.addAction(say("Show the difference"), self.toggle_difference)
            difference.setCheckable(True)
            difference.setChecked(state.wants_difference)
        if state.baseline is not None:
            menu.addAction(say("Swap with the baseline"), self.swap)
            menu.addAction(say("End the comparison"), self.end)

    def commands(self) -> list[Command]:
        also = say("compare baseline difference side by side")
        return [
            Command("compare.model", say("Compare with another model…"), self.ask_for_model, "Ctrl+Alt+O", also=also),
            Command("compare.text", say("Compare with another text…"), self.ask_for_text, "Ctrl+Alt+A", also=also),
            Command(
                "compare.start", say("Compare with the start of its training"), self.with_start, "Ctrl+Alt+0", also=also
            ),
            Command("compare.swap", say("Swap with the baseline"), self.swap, "Ctrl+Alt+X", also=also),
            Command(
                "compare.difference",
                say("Show the difference, or both side by side"),
                self.toggle_difference,
                "D",
                also=also,
            ),
            Command("compare.end", say("End the comparison"), self.end, "Ctrl+Alt+U", also=also),
        ]

    def entries(self) -> list[Entry]:
        """For the list of all commands: the models that one can compare with at a click."""
        title, kind = say("Compare with {model}"), say("Compare")
        return [
            Entry(title.format(model=shortened(reference or BUILT_IN)), kind, partial(self.with_model, reference))
            for reference in self._models()
        ]

    def with_start(self) -> None:
        """The first snapshot of the run behind the open model, or the model that was fine-tuned."""
        model = self._state.model
        start = None if model is None else start_of(model.folder)
        if start is None:
            sentence = say(
                "This model has no snapshot from the start of its training, so there is nothing to compare it with."
            )
            self.problem_found.emit(sentence, None)
        else:
            self.with_model(reference_to(start))

    def _models(self) -> list[str | None]:
        """References of those that ship and those that were open lately, without the one that is open."""
        known = [None, TINY, *tuned_models(), *self._services.settings.recent_models]
        return [reference for reference in known if reference != self._services.open_model.newest_reference]

    def _fill_steps(self, menu: QMenu) -> None:
        steps, model = self._services.time_machine.steps, self._state.model
        others = [one for one in (steps.snapshots if steps else ()) if model is None or one[0] != model.step]
        for step, folder in reversed(others):
            title = say("step {step}", step=numbers.count(step))
            menu.addAction(title, partial(self.with_model, reference_to(folder)))
        if not others:
            menu.addAction(say("There are no other snapshots of this model")).setEnabled(False)

    def _fill_models(self, menu: QMenu) -> None:
        for reference in self._models():
            menu.addAction(shortened(reference or BUILT_IN), partial(self.with_model, reference))
        menu.addSeparator()
        menu.addAction(say("Open folder…"), self.ask_for_model)

    def _on_baseline_failed(self, baseline: Baseline, why: str) -> None:
        reference = baseline.reference if isinstance(baseline, OtherModel) else None
        action: BannerAction | None = None
        if reference is not None and can_be_downloaded(reference):
            action = say("Download"), partial(self._download, reference)
        self.problem_found.emit(say("There is nothing to compare with. {why}", why=why), action)

    def _download(self, reference: str) -> None:
        """A person has clicked for it."""
        fetched: Callable[[str], None] = self.with_model
        self._services.open_model.fetch(reference, partial(fetched, reference))
