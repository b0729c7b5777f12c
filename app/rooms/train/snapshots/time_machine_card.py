"""The card below a run: drag to a saved step, and open the snapshot of that step in every room."""

import contextlib
from pathlib import Path

from PySide6.QtCore import Signal

from ....compute.open_model import OpenModel
from ....look import numbers
from ....look.say import say
from ....runs.run_state import RunState
from ....widgets.card import Card, Hint, button
from ....widgets.layouts import fill, hbox
from .lists import SnapshotSlider


class TimeMachineCard(Card):
    """The snapshots of a run; its handle is at the one that is open."""

    play_requested = Signal(object)  # snapshots, as RunFolder.snapshots; or no more of it
    film_requested = Signal()  # of the open model's run
    apply_requested = Signal()  # the model that is being opened is to be tried in the room Apply
    handle_placed = Signal(object)  # at `chosen`

    def __init__(self, open_model: OpenModel, state: RunState) -> None:
        super().__init__(
            say("Time machine"),
            intro=say(
                "Drag to a saved step and open it: all pictures, from Map to Layers, show the model as it was "
                "then. Early steps are saved more often (not drawn to scale)."
            ),
        )
        self._open_model, self._state = open_model, state
        self._final: int | None = None  # the snapshot that the run ends with, as far as that is known
        self.chosen: int | None = None  # where the handle is
        self._time_text = Hint()
        self.slider = SnapshotSlider()
        side_by_side = say("All snapshots of this run side by side: from noise to patterns")
        opened = say("All pictures, from Map to Layers, show the model as it was at this step")
        tried = say("Run the model from this step on your own text")
        self.play = button(say("Play"), self._on_play_clicked, hint=say("Step through the snapshots one by one"))
        self.film_button = button(say("Film strip"), self._on_film_clicked, hint=side_by_side)
        self.open_button = button(say("Open this step"), self.open_chosen, look="primary", hint=opened)
        self.apply_button = button(say("Try it in Apply"), self._on_apply_clicked, hint=tried)
        self.apply_button.hide()
        row = hbox(self.play, self.film_button, (self._time_text, 1), self.apply_button, self.open_button)
        fill(self.body, self.slider, row)
        self.slider.chosen.connect(self.open_snapshot)
        for signal in (open_model.requested, open_model.opened, open_model.failed, state.snapshots_changed):
            signal.connect(self._place_handle)
        state.run_changed.connect(self._place_handle)
        state.status_changed.connect(self._on_status_changed)
        self._place_handle()

    @property
    def chosen_step(self) -> int | None:
        """The step that the handle is at."""
        return None if self.chosen is None else self._state.snapshots[self.chosen][0]

    @property
    def may_have_snapshots(self) -> bool:
        """The run on show has snapshots, or may get some."""
        run = self._state.run
        may_get_some = not run.is_built_in and (run.status.active or run.can_resume)
        return bool(self._state.snapshots) or may_get_some or self._state.selected is None

    def _on_status_changed(self) -> None:
        """The run may end with another snapshot than the newest."""
        if self._state.final != self._final:
            self._place_handle()

    def show_playing(self, is_playing: bool) -> None:
        """Whether snapshots are being played, these or others."""
        self.play.setText(say("Stop playing") if is_playing else say("Play"))

    def open_snapshot(self, index: int | None) -> None:
        if index is not None:
            self._open_model.open(self._state.snapshots[index][1])

    def open_chosen(self) -> bool:
        """Opens the snapshot that the handle is at; False where it is at none."""
        if self.chosen is None:
            return False
        self.open_snapshot(self.chosen)
        return True

    def _on_play_clicked(self) -> None:
        self.play_requested.emit(tuple(self._state.snapshots))

    def _on_apply_clicked(self) -> None:
        if self.open_chosen():
            self.apply_requested.emit()

    def _on_film_clicked(self) -> None:
        """With one of its snapshots open: the film strip is of the open model's run."""
        if not self._is_of_run(self._open_model.newest_folder):
            self.open_chosen()
        self.film_requested.emit()

    def _place_handle(self, *_about: object) -> None:
        """At the snapshot that is open; nowhere if that one is no longer kept; else, to be opened, at the one that the
        run ends with, or the newest. So it follows the newest until one of this run is open in the rooms."""
        paths, folder = [path for _, path in self._state.snapshots], self._open_model.newest_folder
        self._final = self._state.final
        if folder in paths:
            self.chosen = paths.index(folder)
        else:
            self.chosen = None if self._is_of_run(folder) else self._final
        self.slider.set_snapshots(self._state.snapshots)
        self.slider.select(self.chosen)
        self.apply_button.setVisible(self._state.run.task_kind is not None)
        for widget in (self.play, self.film_button, self.slider):
            widget.setEnabled(bool(paths))
        for made in (self.open_button, self.apply_button):
            made.setEnabled(self.chosen is not None)
        self._time_text.setText(self._about_time() if paths else say("no snapshots"))
        self.handle_placed.emit(self.chosen)

    def _is_of_run(self, folder: Path | None) -> bool:
        return folder is not None and folder.parent.parent == self._state.selected

    def _about_time(self) -> str:
        newest, path = self._state.snapshots[-1]
        if self.chosen is None:
            parts = [say("the open snapshot is no longer there")]
        else:
            step, folder = self._state.snapshots[self.chosen]
            is_open = folder == self._open_model.newest_folder
            count = numbers.count(step)
            at = say("open: step {step}", step=count) if is_open else say("chosen: step {step}", step=count)
            last = say("the last saved is {newest}", newest=numbers.count(newest))
            parts = [f"{at}, {last if step != newest else say('the last saved')}"]
        parts.append(say("%n snapshot(s) kept", n=len(self._state.snapshots)))
        with contextlib.suppress(OSError):
            size = numbers.file_size((path / "model.safetensors").stat().st_size)
            parts.append(say("{size} each", size=size))
        return " · ".join(parts)
