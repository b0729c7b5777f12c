"""The middle card: the selected run's name, buttons, big numbers, and its curves or its result."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.figures.figure import joined
from app.look import theme
from app.rooms.train import words
from app.rooms.train.metrics import RunMetrics
from app.rooms.train.plots import RunLook, Specs, look_of
from app.rooms.train.result_view import ResultView
from app.runs.result import RunResult
from app.runs.run_info import RunInfo
from app.widgets.card import Card, button, label, set_role
from app.widgets.curve_plot import CurvePlot
from app.widgets.curves import Mark
from bertcore.runs.run_folder import RunStatus

RESULT_PX = 210  # of the result's height at least
REDRAW_MS = 120  # metrics come in bursts; the curves follow at this pace
BEFORE_SWITCH, BEFORE_SWITCH_SHORT = "first: guess the next word ", "first: next word "
AFTER_SWITCH = " then: guess masked words →"
LONGER = " then: longer sequences →"
FIRST_STEPS = 10  # what begins in these was so from the start
RESULT_HINT, NO_RESULT_HINT = "How well it does, on held-out examples", "The result comes at the end of the run"
_PHASE_HINTS = {
    "causal": "now guessing the next word",
    "masked": "now guessing masked words",
    "task": "now learning its task",
}
_UNITS = {"step": "steps", "loss": "", "right": "", "speed": "tokens/s", "left": "left"}


class RunView(Card):
    """Shows one run. Metrics come by `append_metrics`; what the person wants leaves by `command_given`."""

    command_given = Signal(str)  # pause, resume, stop

    def __init__(self) -> None:
        super().__init__(" ")
        self.metrics = RunMetrics()
        self._info = RunInfo(path=Path(), name="", about="", status=RunStatus("unknown"))
        self._pages: dict[Specs, _Curves] = {}
        self._is_new = False
        self._pause_command = "pause"
        self.to_curves = button("Curves", lambda: self._show_page(False), checkable=True)
        self.to_result = button("Result", lambda: self._show_page(True), checkable=True)
        self.pause = button("Pause", self._on_pause_clicked, hint="Pause, with a snapshot")
        self.stop = button("Stop", lambda: self.command_given.emit("stop"), hint="End the run with a snapshot")
        for made in (self.to_curves, self.to_result, self.pause, self.stop):
            self.add_to_header(made)
        self.numbers = {name: _Number(unit) for name, unit in _UNITS.items()}
        self._message = label("", "muted", wrap=True)
        self.result = ResultView(self.about)
        self.result.setMinimumHeight(theme.px(RESULT_PX))
        self._stack = QStackedWidget()
        self._stack.addWidget(self.result)
        self._build()
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(REDRAW_MS)
        self._redraw.timeout.connect(self.draw)
        self.show_result(None)

    @property
    def plots(self) -> tuple[CurvePlot, ...]:
        """Those of the run's kind: losses, how much is right, step size."""
        return self._page.plots

    @property
    def shows_result(self) -> bool:
        return self._stack.currentWidget() is self.result

    def show_run(self, info: RunInfo) -> None:
        """Another run: its metrics and result come next."""
        self._is_new = True
        self._info = info
        self.show_result(None)
        self.restart_metrics()
        self.show_status(info)
        for plot in self.plots:
            plot.show_all()

    def show_status(self, info: RunInfo) -> None:
        self._info = info
        self.set_title(info.name if info.is_built_in else f"{info.name} · {info.does}")
        state = info.status.state
        self._pause_command = "resume" if state == "paused" or info.can_resume else "pause"
        self.pause.setText(self._pause_command.capitalize())
        self.pause.setEnabled(state in ("running", "paused") or info.can_resume)
        is_over = state == "done" and self._has_result  # there is no more to steer, and more to look at
        for control in (self.pause, self.stop):
            control.setVisible(not info.is_built_in and not is_over)
        self.stop.setEnabled(info.status.active)
        told = info.status.message if state != "running" else None
        self._message.setText(f"{state.capitalize()}: {told}" if told else "")
        self._message.setVisible(bool(told))
        set_role(self._message, "error" if state in ("failed", "unknown") else "muted")
        self._show_pages()
        self._show_hint()
        self._show_numbers()

    def show_result(self, result: RunResult | None) -> None:
        """What the run wrote at its end. A run that was finished when it was chosen shows it at once."""
        self.result.show_result(result, self._info.metrics)
        self.to_result.setEnabled(result is not None)
        self.to_result.setToolTip(RESULT_HINT if result else NO_RESULT_HINT)
        if result is None:
            self._show_page(False)
        elif self._is_new and not self._info.status.active:
            self._show_page(True)
        self._is_new = self._is_new and result is None and not self._info.status.active

    def restart_metrics(self) -> None:
        self.metrics.clear()
        self.draw()

    def append_metrics(self, metrics: list[dict]) -> None:
        self.metrics.append(metrics)
        if not self._redraw.isActive():
            self._redraw.start()

    def draw(self) -> None:
        """Numbers and curves as the metrics stand."""
        for plot, spec in zip(self.plots, self._look.specs, strict=True):
            plot.set_points({curve.key: self.metrics.series[curve.key].arrays for curve in spec.curves})
        self.plots[0].set_marks(_marks(self.metrics))
        self._show_hint()
        self._show_numbers()

    def about(self) -> tuple[str, str]:
        """The run's name, and what the caption of its pictures says: what it does, where, at which step."""
        info = self._info
        step = max(info.status.step, int(self.metrics.latest("train", "step") or 0))
        return info.name, joined(f"run {info.name}", info.does, info.about, f"step {step:,}")

    @property
    def _has_result(self) -> bool:
        """Pretraining has curves only; what learns a task, or from a teacher, has a result at its end."""
        return bool(self._info.metrics) or self._info.kind == "distil"

    @property
    def _look(self) -> RunLook:
        return look_of(self._info)

    @property
    def _page(self) -> _Curves:
        """The curves of this kind of run, made when the first run of the kind is looked at, and kept."""
        specs = self._look.specs
        if specs not in self._pages:
            page = self._pages[specs] = _Curves(specs)
            for plot in page.plots:
                plot.set_figure(self.about)
            self._stack.addWidget(page)
        return self._pages[specs]

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(18 if theme.scale() == 1 else 8))
        for number in self.numbers.values():
            row.addWidget(number)
        row.addStretch(1)
        self.body.addLayout(row)
        self.numbers["speed"].setVisible(theme.scale() == 1)  # a projector has no room for what few ask about
        self.body.addWidget(self._message)
        self.body.addWidget(self._stack, 1)

    def _show_pages(self) -> None:
        for made in (self.to_curves, self.to_result):
            made.setVisible(self._has_result)
        if not self.shows_result or not self._has_result:
            self._show_page(False)

    def _show_page(self, result: bool) -> None:
        shown = self.result if result else self._page
        for page in (self.result, *self._pages.values()):  # what is not seen asks for no space
            policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(shown)
        self.to_curves.setChecked(not result)
        self.to_result.setChecked(result)

    def _show_hint(self) -> None:
        parts = [self._info.about]
        if self._info.status.state == "running" and self.metrics.phase in _PHASE_HINTS:
            parts.append(_PHASE_HINTS[self.metrics.phase])
        self.set_hint(" · ".join(part for part in parts if part))

    def _show_numbers(self) -> None:
        status, metrics, look = self._info.status, self.metrics, self._look
        step = max(status.step, int(metrics.latest("train", "step") or 0))
        goal = status.total_steps if status.total_steps != step else None
        total = f"/ {words.count(goal)} steps" if goal else "steps"
        left = status.remaining_s if status.active else None
        self.numbers["step"].set(words.count(step), total)
        self._show_loss(look)
        quality = look.quality
        at = next((i for i, curve in enumerate(quality.curves) if metrics.latest_value(curve) is not None), 0)
        self.numbers["right"].set(quality.format(metrics.latest_value(quality.curves[at])), quality.units[at])
        self.numbers["right"].setToolTip(look.tip)
        self.numbers["speed"].set(words.per_second(metrics.latest("train", "tok_per_s")))
        self.numbers["left"].setVisible(left is not None)
        self.numbers["left"].set(words.duration(left))

    def _show_loss(self, look: RunLook) -> None:
        """The training loss of what the run is at; the few masked steps of the warm-up have a curve, not a number."""
        curve, unit = look.loss.curves[0], look.loss.units[0]
        if self.metrics.phase == "causal":
            curve, unit = "loss_next_word", "next-word loss"
        self.numbers["loss"].set(words.loss(self.metrics.latest_value(curve)), unit)

    def _on_pause_clicked(self) -> None:
        self.command_given.emit(self._pause_command)


class _Curves(QWidget):
    """Three plots: losses above, the others below."""

    def __init__(self, specs: Specs) -> None:
        super().__init__()
        self.plots = tuple(CurvePlot(spec) for spec in specs)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(6))
        lower = QHBoxLayout()
        lower.setSpacing(theme.px(16))
        lower.addWidget(self.plots[1], 11)
        lower.addWidget(self.plots[2], 9)
        column.addWidget(self.plots[0], 3)
        column.addLayout(lower, 2)
        self.plots[2].setVisible(theme.scale() == 1)


class _Number(QWidget):
    """A big number and, small behind it, what it counts."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._number, self._unit = label("–", "number"), label(unit, "muted")
        direction = QBoxLayout.Direction.LeftToRight if theme.scale() == 1 else QBoxLayout.Direction.TopToBottom
        layout = QBoxLayout(direction, self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(5) if theme.scale() == 1 else 0)
        layout.addWidget(self._number)
        layout.addWidget(self._unit)

    @property
    def text(self) -> str:
        return self._number.text()

    @property
    def unit(self) -> str:
        return self._unit.text()

    def set(self, number: str, unit: str | None = None) -> None:
        self._number.setText(number)
        if unit is not None:
            self._unit.setText(unit)


def _marks(metrics: RunMetrics) -> list[Mark]:
    """Where the run begins something else. Sequences that are longer from the first steps on are no news."""
    marks = []
    if metrics.switch_step is not None:
        marks.append(Mark(metrics.switch_step, AFTER_SWITCH, BEFORE_SWITCH, BEFORE_SWITCH_SHORT))
    if metrics.longer_step is not None and metrics.longer_step > FIRST_STEPS:
        marks.append(Mark(metrics.longer_step, LONGER))
    return marks
