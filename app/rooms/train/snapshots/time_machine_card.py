"""The card below a run: drag to a saved step, and open the snapshot of that step in every room."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent
from PySide6.QtWidgets import QSizePolicy

from ....compute.open_model import OpenModel
from ....look import numbers, say, theme
from ....runs.run_state import RunState, Snapshot
from ....widgets.card import Card, button
from ....widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ....widgets.charts.pointer import ARROWS
from ....widgets.layouts import enable_if, fill

MARGIN_PX, TRACK_Y_PX, HANDLE_PX, STEP_PX = 14, 16, 8, 10.5


class SnapshotSlider(Drawing):
    """A tick for each snapshot, evenly spaced (they are kept at growing distances), and a handle. A click, a drag or
    the arrow keys choose."""

    chosen = Signal(int)  # index; also of the one that is chosen
    arrows_click = True
    hint_px = (300, 44)

    def __init__(self) -> None:
        super().__init__(say("Time machine: step of the snapshot"), Qt.FocusPolicy.StrongFocus)
        self._snapshots: list[Snapshot] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(index))

    def set_snapshots(self, snapshots: list[Snapshot]) -> None:
        self._snapshots = snapshots
        self.redraw()

    def cell_after(self, cell: int | None, key: int) -> int | None:
        last = len(self._snapshots) - 1
        ends = {Qt.Key.Key_Home.value: 0, Qt.Key.Key_End.value: last}
        index = ends.get(key, (cell or 0) + sum(ARROWS.get(key, (0, 0))))
        return index if key in (*ends, *ARROWS) and 0 <= index <= last else None

    def x_of(self, index: int) -> float:
        """Where a snapshot's tick stands, in this widget's pixels."""
        margin, last = theme.px(MARGIN_PX), max(1, len(self._snapshots) - 1)
        return margin + (self.width() - 2 * margin) * index / last

    def cell_at(self, point: QPointF) -> int | None:
        if not self._snapshots:
            return None
        margin, last = theme.px(MARGIN_PX), len(self._snapshots) - 1
        share = (point.x() - margin) / max(1, self.width() - 2 * margin)
        return min(max(round(share * last), 0), last)

    def shapes(self) -> Iterator[Shape]:
        """The ticks with as many steps below them as have room."""
        y, margin, metrics = theme.px(TRACK_Y_PX), theme.px(MARGIN_PX), QFontMetricsF(theme.font(STEP_PX))
        ends, color = (QPointF(margin, y), QPointF(self.width() - margin, y)), "bar" if self._snapshots else "track"
        yield Line(*ends, color, theme.px(4), snaps=False)
        free_from = -1.0
        for index, (step, _) in enumerate(self._snapshots):
            x, text = self.x_of(index), numbers.count(step)
            tick = QPointF(x, y - theme.px(5)), QPointF(x, y + theme.px(5))
            yield Line(*tick, "accent", theme.px(2), snaps=False)
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0), self.width() - width - 1)
            if left >= free_from:
                box = QRectF(left, y + theme.px(23) - metrics.ascent(), width + 2, metrics.height())
                yield Words(box, text, "muted", STEP_PX)
                free_from = left + width + theme.px(8)

    def overlay(self) -> Iterator[Shape]:
        if self._selected is not None and self._selected < len(self._snapshots):
            side, radius = 2 * theme.px(HANDLE_PX), theme.px(HANDLE_PX)
            box = QRectF(self.x_of(self._selected) - radius, theme.px(TRACK_Y_PX) - radius, side, side)
            yield Box(box, "accent", "card", theme.px(2), radius)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging the handle chooses every snapshot on its way."""
        super().mouseMoveEvent(event)
        index = self.cell_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and index is not None and index != self._selected:
            self.chosen.emit(index)


class TimeMachineCard(Card):
    """The snapshots of a run; its handle is at the one that is open."""

    play_requested = Signal(object)  # snapshots, as RunFolder.snapshots; or no more of it
    film_requested = Signal()  # of the open model's run
    apply_requested = Signal()  # the model that is being opened is to be tried in the room Apply
    handle_placed = Signal(object)  # at `chosen`

    def __init__(self, open_model: OpenModel, state: RunState) -> None:
        intro = say(
            "Drag to a saved step and open it: all pictures, from Map to Layers, show the model as it was "
            "then. Early steps are saved more often (not drawn to scale)."
        )
        super().__init__(say("Time machine"), intro="" if theme.is_projector() else intro)
        self._open_model, self._state = open_model, state
        self._final: int | None = None  # the snapshot that the run ends with, as far as that is known
        self.chosen: int | None = None  # where the handle is
        self.slider = SnapshotSlider()
        side_by_side = say("All snapshots of this run side by side: from noise to patterns")
        opened = say("All pictures, from Map to Layers, show the model as it was at this step")
        tried, one_by_one = (
            say("Run the model from this step on your own text"),
            say("Step through the snapshots one by one"),
        )
        self.play = button(say("Play"), lambda: self.play_requested.emit(tuple(state.snapshots)), hint=one_by_one)
        self.film_button = button(say("Film strip"), self._on_film_clicked, hint=side_by_side)
        self.open_button = button(say("Open this step"), self.open_chosen, hint=opened)
        self.apply_button = button(say("Try it in Apply"), self.open_chosen, hint=tried)
        self.apply_button.clicked.connect(self.apply_requested)
        buttons = self.play, self.film_button, self.apply_button, self.open_button
        if theme.is_projector():  # one line: the curves need the rest
            self.add_to_header(self.slider, *buttons)
        else:
            self.add_to_header(*buttons)
            fill(self.body, self.slider)
        self.slider.chosen.connect(self.open_snapshot)
        for signal in (open_model.requested, open_model.opened, open_model.failed, state.snapshots_changed):
            signal.connect(self._place_handle)
        state.run_changed.connect(self._place_handle)
        state.status_changed.connect(self._on_status_changed)
        self._place_handle()

    @property
    def may_have_snapshots(self) -> bool:
        """The run on show has snapshots, or may get some."""
        run = self._state.run
        may_get_some = not run.is_built_in and (run.status.active or run.can_resume)
        return bool(self._state.snapshots) or may_get_some or self._state.selected is None

    def show_playing(self, is_playing: bool) -> None:
        """Whether snapshots are being played, these or others."""
        self.play.setText(say("Stop playing") if is_playing else say("Play"))

    def open_snapshot(self, index: int | None) -> None:
        if index is not None:
            self._open_model.open(self._state.snapshots[index][1])

    def open_chosen(self) -> bool:
        """Opens the snapshot that the handle is at; False where it is at none."""
        self.open_snapshot(self.chosen)
        return self.chosen is not None

    def _on_status_changed(self) -> None:
        """The run may end with another snapshot than the newest."""
        if self._state.final != self._final:
            self._place_handle()

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
        self.chosen = None if self._is_of_run(folder) else self._final
        if folder in paths:
            self.chosen = paths.index(folder)
        self.slider.set_snapshots(self._state.snapshots)
        self.slider.select(self.chosen)
        self.apply_button.setVisible(self._state.run.task_kind is not None)
        enable_if(bool(paths), self.play, self.film_button, self.slider)
        enable_if(self.chosen is not None, self.open_button, self.apply_button)
        if not theme.is_projector():
            self.set_hint(self._about_time() if paths else say("no snapshots"))
        self.handle_placed.emit(self.chosen)

    def _is_of_run(self, folder: Path | None) -> bool:
        return folder is not None and folder.parent.parent == self._state.selected

    def _about_time(self) -> str:
        (newest, _), (_, path) = self._state.snapshots[-1], self._state.snapshots[0]
        parts = [say("the open snapshot is no longer there")]
        if self.chosen is not None:
            step, folder = self._state.snapshots[self.chosen]
            is_open, count = folder == self._open_model.newest_folder, numbers.count(step)
            at = say("open: step {step}", step=count) if is_open else say("chosen: step {step}", step=count)
            last = say("the last saved is {newest}", newest=numbers.count(newest))
            parts = [f"{at}, {last if step != newest else say('the last saved')}"]
        parts.append(say("%n snapshot(s) kept", n=len(self._state.snapshots)))
        with contextlib.suppress(OSError):
            size = numbers.file_size((path / "model.safetensors").stat().st_size)
            parts.append(say("{size} each", size=size))
        return " · ".join(parts)
