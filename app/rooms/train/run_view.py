"""The middle card: the selected run's name, buttons, big numbers and curves."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from app import theme
from app.rooms.train import words
from app.rooms.train.metrics import RunMetrics
from app.run_info import RunInfo
from app.widgets.card import Card, button, label, set_role
from app.widgets.curve_plot import CurvePlot, CurveSpec, PlotSpec

REDRAW_MS = 120  # metrics come in bursts; the curves follow at this pace
BEFORE_SWITCH, AFTER_SWITCH = "first: guess the next word ", " then: guess masked words →"
_PHASE_HINTS = {"causal": "now guessing the next word", "masked": "now guessing masked words"}

LOSS = PlotSpec(
    "Loss",
    (
        CurveSpec("loss_next_word", "training, next word", "curve_rate", words.loss),
        CurveSpec("loss_masked", "training, masked words", "curve_train", words.loss),
        CurveSpec("loss_held_out", "held out, masked words", "curve_held_out", words.loss, dots=True),
    ),
    left_label="loss (nats)",
)
RIGHT = PlotSpec(
    "Right",
    (
        CurveSpec("words_right", "masked words", "curve_mlm", words.percent),
        CurveSpec("words_right_held_out", "held out", "curve_mlm", words.percent, dots=True),
        CurveSpec("sentence_right", "next sentence", "curve_nsp", words.percent, dashed=True),
        CurveSpec("sentence_right_held_out", "", "curve_nsp", words.percent, dots=True),
    ),
    left_label="right",
    percent=True,
)
RATE = PlotSpec(
    "Step size",
    (
        CurveSpec("gradient_norm", "gradient norm", "curve_norm"),
        CurveSpec("learning_rate", "learning rate", "curve_rate", "{:.1e}".format, dashed=True, on_right=True),
    ),
    left_label="gradient norm",
    right_label="learning rate",
)


class RunView(Card):
    """Shows one run. Metrics come by `append_metrics`; what the person wants leaves by `command_given`."""

    command_given = Signal(str)  # pause, resume, stop

    def __init__(self) -> None:
        super().__init__(" ")
        self.metrics = RunMetrics()
        self._info: RunInfo | None = None
        self._pause_command = "pause"
        self.pause = button("Pause", self._on_pause_clicked, hint="Pause, with a snapshot")
        self.stop = button("Stop", lambda: self.command_given.emit("stop"), hint="End the run with a snapshot")
        self.add_to_header(self.pause)
        self.add_to_header(self.stop)
        self.numbers = {name: _Number(unit) for name, unit in _UNITS.items()}
        self.numbers["right"].setToolTip("Masked words, on text that the run never learns from; the newest measurement")
        self._message = label("", "muted", wrap=True)
        self.plots = tuple(CurvePlot(spec) for spec in (LOSS, RIGHT, RATE))
        self._build()
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(REDRAW_MS)
        self._redraw.timeout.connect(self.draw)

    def show_run(self, info: RunInfo) -> None:
        """Another run: its metrics come next."""
        self.restart_metrics()
        self.show_status(info)
        for plot in self.plots:
            plot.show_all()

    def show_status(self, info: RunInfo) -> None:
        self._info = info
        self.set_title(info.name)
        state = info.status.state
        self._pause_command = "resume" if state == "paused" or info.can_resume else "pause"
        self.pause.setText(self._pause_command.capitalize())
        self.pause.setEnabled(state in ("running", "paused") or info.can_resume)
        for control in (self.pause, self.stop):
            control.setVisible(not info.is_built_in)  # it ended long ago, on another machine
        self.stop.setEnabled(info.status.active)
        told = info.status.message if state != "running" else None
        self._message.setText(f"{state.capitalize()}: {told}" if told else "")
        self._message.setVisible(bool(told))
        set_role(self._message, "error" if state in ("failed", "unknown") else "muted")
        self._show_hint()
        self._show_numbers()

    def restart_metrics(self) -> None:
        self.metrics.clear()
        self.draw()

    def append_metrics(self, metrics: list[dict]) -> None:
        self.metrics.append(metrics)
        if not self._redraw.isActive():
            self._redraw.start()

    def draw(self) -> None:
        """Numbers and curves as the metrics stand."""
        for plot, spec in zip(self.plots, (LOSS, RIGHT, RATE), strict=True):
            plot.set_points({curve.key: self.metrics.series[curve.key].arrays for curve in spec.curves})
        self.plots[0].mark_switch(self.metrics.switch_step, BEFORE_SWITCH, AFTER_SWITCH)
        self._show_hint()
        self._show_numbers()

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(22))
        for number in self.numbers.values():
            row.addWidget(number)
        row.addStretch(1)
        lower = QHBoxLayout()
        lower.setSpacing(theme.px(16))
        lower.addWidget(self.plots[1], 11)
        lower.addWidget(self.plots[2], 9)
        self.plots[2].setVisible(theme.scale() == 1)  # in projector mode there is no room for what few ask about
        self.body.addLayout(row)
        self.body.addWidget(self._message)
        self.body.addWidget(self.plots[0], 3)
        self.body.addLayout(lower, 2)

    def _show_hint(self) -> None:
        info = self._info
        if info is None:
            return
        parts = [info.about]
        if info.status.state == "running" and self.metrics.phase in _PHASE_HINTS:
            parts.append(_PHASE_HINTS[self.metrics.phase])
        self.set_hint(" · ".join(part for part in parts if part))

    def _show_numbers(self) -> None:
        if self._info is None:
            return
        status, metrics = self._info.status, self.metrics
        total = f"/ {words.count(status.total_steps)} steps" if status.total_steps else "steps"
        step = max(status.step, int(metrics.latest("train", "step") or 0))
        left = status.remaining_s if status.active else None
        self.numbers["step"].set(words.count(step), total)
        self._show_loss()
        self.numbers["right"].set(words.percent(metrics.latest("held_out", "mlm_accuracy")))
        self.numbers["speed"].set(words.per_second(metrics.latest("train", "tok_per_s")))
        self.numbers["left"].setVisible(left is not None)
        self.numbers["left"].set(words.duration(left))

    def _show_loss(self) -> None:
        """The training loss of what the run is at; the few masked steps of the warm-up have a curve, not a number."""
        name, unit = _LOSSES["causal" if self.metrics.phase == "causal" else "masked"]
        self.numbers["loss"].set(words.loss(self.metrics.latest_value(name)), unit)

    def _on_pause_clicked(self) -> None:
        self.command_given.emit(self._pause_command)


_LOSSES = {"causal": ("loss_next_word", "next-word loss"), "masked": ("loss_masked", "masked-word loss")}
_UNITS = {
    "step": "steps",
    "loss": "masked-word loss",
    "right": "held-out words right",
    "speed": "tokens/s",
    "left": "left",
}


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
