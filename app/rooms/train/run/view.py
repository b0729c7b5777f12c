"""The middle card: the selected run's name, buttons, big numbers, and its curves or its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import normal
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import RunRecord, common_answer, record_of

from ....figures.figure import joined
from ....look import numbers, theme
from ....look.number_kinds import explain
from ....look.say import say
from ....runs.ending_sentences import ending_of
from ....runs.finding import health_of
from ....runs.run_info import RunInfo, RunResult
from ....runs.run_sentences import shown_name, state_name
from ....state.task_info import metric_value
from ....widgets.card import BigNumber, Card, button, label, set_role
from ....widgets.controls import IconButton
from ....widgets.curve_specs import Level
from ....widgets.layouts import fill, hbox
from ....widgets.redraw_pace import RedrawPace
from ..batch.page import BatchPage
from ..curves.page import CurvesPage, marks_of
from ..curves.plots import plots_of
from ..questions.page import QuestionsPage
from ..weights.page import WeightsPage
from ..weights.slow_motion import SlowMotion
from .result_view import ResultView
from .strips import EndingStrip, HealthStrip

RESULT_PX = 210  # of the result's height at least
MANY_LINES = 100  # of metrics at once: those of a run that was just chosen, not the newest of one at work


class RunView(Card):
    """Shows one run; its buttons say how to steer it."""

    control_requested = Signal(object, str)  # Path of the run, "pause", "resume", "stop", "step" or "ten_steps"
    menu_requested = Signal(QPoint)  # what can be done with the run: at this point of the screen
    page_changed = Signal()  # shows_batch may be another now

    def __init__(self) -> None:
        super().__init__(" ")
        self.metrics = RunMetrics()
        self._info = RunInfo(path=Path(), name="", about="", status=RunStatus("unknown"))
        self._settings: Mapping[str, Any] = {}
        self._result: RunResult | None = None
        self._snapshots = 0
        self._is_new = False
        self.result = ResultView(self.about)
        self.result.setMinimumHeight(theme.px(RESULT_PX))
        self.curves = CurvesPage(self._info, self.metrics, self.about)
        self.questions = QuestionsPage(plots_of(self._info).specs[0])
        self.questions.plot.set_figure(self.about)
        self.batch, self.weights = BatchPage(), WeightsPage()
        self.ending, self.health, self.slow_motion = EndingStrip(), HealthStrip(), SlowMotion()
        self._message = label("", "muted", wrap=True)
        self._make_buttons()
        units = {"step": say("steps"), "loss": "", "right": "", "speed": say("tokens/s"), "left": say("left")}
        self.numbers = {name: BigNumber(unit) for name, unit in units.items()}
        for name in ("loss", "speed"):
            explain(name, self.numbers[name])
        self._stack = QStackedWidget()
        self._pages: tuple[QWidget, ...] = (self.result, self.questions, self.batch, self.weights, self.curves)
        for page in self._pages:
            self._stack.addWidget(page)
        self._row = QWidget()
        hbox(*self.numbers.values(), None, parent=self._row, gap_px=18 if not theme.is_projector() else 14)
        fill(self.body, self._row, self._message, self.ending, self.health, self.slow_motion, (self._stack, 1))
        self._pace = RedrawPace(self)
        self._connect()
        self.show_result(None)

    def _make_buttons(self) -> None:
        self.to_curves = button(say("Curves"), lambda: self._show(self.curves), checkable=True)
        self.to_result = button(say("Result"), lambda: self._show(self._front), checkable=True)
        self.to_batch = button(say("The batch"), lambda: self._show(self.batch), checkable=True)
        self.to_weights = button(say("The weights"), lambda: self._show(self.weights), checkable=True)
        pause = say("Pause", meaning="of a run")
        self.pause = button(pause, self._on_pause_clicked, hint=say("Pause, and save a snapshot"))
        self.stop = button(say("Stop"), lambda: self._control("stop"), hint=say("End the run, and save a snapshot"))
        self.menu = IconButton("menu", say("Name, copy, export or delete this run"), self._on_menu_clicked)
        pages = (self.to_curves, self.to_result, self.to_batch, self.to_weights)
        for made in (*pages, self.pause, self.stop, self.menu):
            self.add_to_header(made)
        self.to_weights.setVisible(not theme.is_projector())  # in front of a class the batch comes first

    def _connect(self) -> None:
        self._pace.due.connect(self.draw)
        self.questions.step_shown.connect(self._on_questions_step_shown)
        self.batch.batch_shown.connect(self._on_batch_shown)
        self.slow_motion.command_given.connect(self._control)
        self.slow_motion.weights_requested.connect(lambda: self._show(self.weights))
        self.ending.log_toggled.connect(self._place_strips)
        for asking in (self.slow_motion, self.weights):
            asking.batch_requested.connect(self._on_batch_requested)

    @property
    def shows_result(self) -> bool:
        return self._stack.currentWidget() is self.result

    @property
    def shows_batch(self) -> bool:
        return self._stack.currentWidget() is self.batch

    @property
    def record(self) -> RunRecord:
        """What a diagnosis is made from."""
        return record_of(self.metrics, self._settings, self._info.status)

    @property
    def _front(self) -> QWidget:
        """What is there beside the curves: the answers of a run that has questions, else its result."""
        return self.questions if self._info.has_questions else self.result

    @property
    def _needs_room(self) -> bool:
        """The batch and the weights leave none to what stands above the curves."""
        return self._stack.currentWidget() in (self.batch, self.weights)

    # --- what the run reports

    def show_run(self, info: RunInfo) -> None:
        """Another run: its metrics and result come next."""
        self._is_new = True
        self._info, self._settings = info, _settings_of(info)
        self.metrics.clear()
        for page in (self.questions, self.batch, self.curves):
            page.show_run(info)
        self.show_result(None)
        self.restart_metrics()
        self.show_status(info)
        self._show(self._front if info.has_questions else self.curves)
        self.questions.plot.show_all()

    def show_status(self, info: RunInfo) -> None:
        is_further = _is_further(self._info, info)
        self._info = info
        if is_further:  # twice a second
            self._pace.request()
        else:
            self._show_status()

    def show_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        self.batch.show_snapshots([step for step, _ in snapshots])
        if len(snapshots) != self._snapshots:
            self._snapshots = len(snapshots)
            self._show_strips()

    def show_result(self, result: RunResult | None) -> None:
        """What the run wrote at its end. A run that was finished when it was chosen shows it at once."""
        self.result.show_result(result, self._info.metrics)
        self._result = result
        self.curves.set_chance(_chance(result, self.metrics))
        if self._info.has_questions:
            return
        self.to_result.setEnabled(result is not None)
        self.to_result.setToolTip(
            say("How well it does on held-out examples") if result else say("Available at the end of the run")
        )
        if result is None and not self._needs_room:
            self._show(self.curves)
        elif result is not None and self._is_new and not self._info.status.active:
            self._show(self._front)
        self._is_new = self._is_new and result is None and not self._info.status.active

    def restart_metrics(self) -> None:
        self.metrics.clear()
        self.draw()

    def append_metrics(self, metrics: list[dict]) -> None:
        self.metrics.append(metrics)
        self._pace.request(rests=self._info.status.state == "running" and len(metrics) < MANY_LINES)

    def draw(self) -> None:
        """Numbers and curves as the metrics stand."""
        self.curves.set_chance(_chance(self._result, self.metrics))
        self.curves.draw()
        if self._info.has_questions:
            self._draw_questions()
        self._draw_weights()
        self._show_status()

    def about(self) -> tuple[str, str]:
        """The run's name, and what the caption of its pictures says: what it does, where, at which step."""
        info, step = self._info, say("step {step}", step=numbers.count(self._last_step))
        return info.name, joined(say("run {name}", name=info.name), info.does, info.about, step)

    # --- drawing

    def _show_status(self) -> None:
        info, state = self._info, self._info.status.state
        self.curves.show_status(info)
        self.batch.show_status(info)
        self.slow_motion.show_status(info)
        self.set_title(info.name if info.is_built_in else f"{shown_name(info)} · {info.does}")
        self.pause.setText(say("Resume") if self._may_resume else say("Pause", meaning="of a run"))
        self.pause.setEnabled(state in ("running", "paused") or info.can_resume)
        self.stop.setEnabled(info.status.active)
        is_over = state == "done" and self._has_result  # there is no more to steer, and more to look at
        for control in (self.pause, self.stop):
            control.setVisible(not info.is_built_in and not is_over)
        message, name = info.status.message or "" if state != "running" else "", state_name(state)
        self._message.setText(message if not message or message.startswith(name) else f"{name}: {message}")
        set_role(self._message, "error" if state in ("failed", "unknown") else "muted")
        self._show_pages()
        self._show_hint()
        self._show_numbers()
        self._show_strips()

    def _show_strips(self) -> None:
        """A run that answers questions has an ending of its own, on the page with the answers."""
        info, step = self._info, self.questions.shown_step
        ending = None if info.has_questions else ending_of(info, self.metrics, self._snapshots)
        is_told = ending is not None and ending.is_bad  # with what to try
        self.health.show_health([] if is_told else health_of(self.record), is_over=ending is not None)
        if step is not None and not self.health.is_ill:  # of a run that is played again
            self.health.show_step(normal(self.record.until(step)))
        self.ending.show_ending(ending, info.path, is_ill=self.health.is_ill)
        self._place_strips()
        says_the_same = info.status.state == "done" and info.status.ends_with is not None
        is_said = ending is not None and (ending.is_bad or says_the_same)
        self._message.setVisible(bool(self._message.text()) and not is_said)

    def _place_strips(self) -> None:
        has_room, is_log = not self._needs_room, self.ending.shows_long_log and not self._needs_room
        self.ending.setVisible(self.ending.finding is not None and has_room)
        self.slow_motion.setVisible(self.slow_motion.can_steer and not has_room)
        self.health.setVisible(bool(self.health.shown) and has_room)
        self._stack.setVisible(not is_log)
        self.body.setStretchFactor(self.ending, int(is_log))

    def _draw_questions(self) -> None:
        page, curves = self.questions, plots_of(self._info).specs[0].curves
        page.show_scores(self.metrics.scores)
        points = {curve.key: self.metrics.series[curve.key].arrays for curve in curves}
        page.plot.change(points=points, marks=marks_of(self.metrics))

    def _draw_weights(self) -> None:
        updates, slow = self.metrics.updates, self.metrics.slow_steps
        self.weights.show_updates(updates)
        self.weights.show_slow_steps(slow)
        if self.slow_motion.show_steps(slow) and self.shows_batch:
            self.batch.show_taken_step(slow[-1].step)
        self.to_weights.setEnabled(bool(updates))
        self.to_weights.setToolTip(
            say("How far each part of the model moves in a step")
            if updates
            else say("This run did not record how far its weights move; newer runs do.")
        )
        if not updates and self._stack.currentWidget() is self.weights:
            self._show(self.curves)

    def _show_pages(self) -> None:
        self.to_batch.setToolTip(
            say("What the model read in a step: examples, right answers, and how wrong it was")
            if self._info.run_kind.is_task
            else say("What the model read in a step: hidden words, pairs, and how wrong it was")
        )
        self.to_result.setVisible(self._has_result)
        self.to_result.setText(say("Questions") if self._info.has_questions else say("Result"))
        if self._info.has_questions:
            self.to_result.setToolTip(say("What the model answers while it learns"))
            self.to_result.setEnabled(True)
            self.questions.show_status(self._info)
        if not self._needs_room and not (self._has_result and self._stack.currentWidget() is self._front):
            self._show(self.curves)

    def _show(self, shown: QWidget) -> None:
        for page in self._pages:  # what is not seen asks for no space
            policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(shown)
        self.ending.show_log(False)
        self._row.setVisible(not (self._needs_room or (theme.is_projector() and shown is self.questions)))
        self._place_strips()
        buttons = {self.to_curves: self.curves, self.to_result: self._front, self.to_batch: self.batch}
        for made, page in (buttons | {self.to_weights: self.weights}).items():
            made.setChecked(shown is page)
        self.slow_motion.show_beside(batch=shown is self.batch)
        self.set_intro(self._intro_of(shown))
        self.page_changed.emit()

    def _intro_of(self, page: QWidget) -> str:
        """The curves say it themselves, each chart below its title."""
        if theme.is_projector() or page not in (self.batch, self.weights):
            return ""
        if page is self.weights:
            return say(
                "Each step changes all weights a little. Stronger colour: the part moved "
                "further, compared with its length. A column for each step that was measured."
            )
        if self._info.run_kind.is_task:
            return say("What it reads in one step: examples and their right answers. It learns from its mistakes.")
        if self.batch.batch is not None and self.batch.batch.causal:
            return say(
                "In this step it guesses each next word from the words before it. Bar under a token: how wrong "
                "its guess of the next one was."
            )
        return say("What it reads in one step: it has to guess what is hidden, and learns from its mistakes.")

    def _show_hint(self) -> None:
        phases = {
            "causal": say("now predicting the next word"),
            "masked": say("now predicting masked words"),
            "task": say("now learning its task"),
        }
        phase = phases.get(self.metrics.phase or "", "") if self._info.status.state == "running" else ""
        parts = (self._info.about, " ".join(f"#{tag}" for tag in self._info.tags), phase)
        self.set_hint(" · ".join(filter(None, parts)))

    def _show_numbers(self) -> None:
        """At the newest step, or at that of a run that is played again."""
        status, metrics, shown = self._info.status, self.metrics, self.numbers
        plots, at, last = plots_of(self._info), self.questions.shown_step, self._last_step
        step, goal = (last, status.total_steps) if at is None else (at, last)
        total = say("/ {total} steps", total=numbers.count(goal)) if goal and goal != step else say("steps")
        shown["step"].set(numbers.count(step), total)
        curve, unit = plots.loss.curves[0], plots.loss.units[0]
        # The few masked steps of the warm-up have a curve, not a number.
        if next((name for first, name in reversed(metrics.phases) if at is None or first <= at), None) == "causal":
            curve, unit = "loss_next_word", say("next-word loss")
        in_full = say("{loss}, last batch", loss=unit)
        shown["loss"].set(
            plots.loss.formats[0](metrics.latest_value(curve, at)), unit if theme.is_projector() else in_full
        )
        quality, tip = plots.quality, plots.tip
        index = next((i for i, curve in enumerate(quality.curves) if metrics.latest_value(curve) is not None), 0)
        right = quality.formats[index](metrics.latest_value(quality.curves[index], at))
        shown["right"].set(right, quality.units[index])
        if metrics.examples is not None:
            tip = say("{tip}, on %n example(s)", n=metrics.examples, tip=tip)
        shown["right"].setToolTip(tip)
        shown["speed"].setVisible(at is None and not theme.is_projector())
        shown["speed"].set(numbers.compact_count(metrics.latest("train", "tok_per_s")))
        left = status.remaining_s if status.active else None
        shown["left"].setVisible(left is not None)
        shown["left"].set(numbers.duration(left))

    @property
    def _last_step(self) -> int:
        return max(self._info.status.step, int(self.metrics.latest("train", "step") or 0))

    @property
    def _has_result(self) -> bool:
        """Pretraining without questions has curves only; what learns a task, or from a teacher, has a result at its
        end."""
        return self._info.run_kind.has_result or self._info.has_questions

    # --- what the person does

    @property
    def _may_resume(self) -> bool:
        return self._info.status.state == "paused" or self._info.can_resume

    def _control(self, command: str) -> None:
        self.control_requested.emit(self._info.path, command)

    def _on_pause_clicked(self) -> None:
        self._control("resume" if self._may_resume else "pause")

    def _on_menu_clicked(self) -> None:
        self.menu_requested.emit(self.menu.mapToGlobal(self.menu.rect().bottomLeft()))

    def _on_questions_step_shown(self, _step: object) -> None:
        self._show_numbers()
        self._show_strips()

    def _on_batch_shown(self) -> None:
        if self.shows_batch:
            self.set_intro(self._intro_of(self.batch))

    def _on_batch_requested(self, step: int) -> None:
        self._show(self.batch)
        self.batch.show_taken_step(step)


def _settings_of(info: RunInfo) -> Mapping[str, Any]:
    """config.json; empty where it cannot be read."""
    try:
        return RunFolder(info.path).config()
    except BertcoreError:
        return {}


def _is_further(before: RunInfo, now: RunInfo) -> bool:
    """It runs as before, and nothing but how far it has come is new, which is drawn with its metrics."""
    status = before.status
    progress = {name: getattr(status, name) for name in ("step", "fraction", "elapsed_s", "remaining_s", "updated_at")}
    as_before = replace(now, status=replace(now.status, **progress), held_out=before.held_out)
    return status.state == "running" and as_before == before


def _chance(result: RunResult | None, metrics: RunMetrics) -> Level | None:
    """What always giving the most frequent label would get, of the examples that the curves are measured on."""
    if result is None or "accuracy" not in result.metrics:
        return None
    answer = common_answer(metrics.last_measured)
    share = None if answer is None else answer.chance
    if share is None and result.confusion and metrics.examples in (None, result.examples):
        counts = [sum(row) for row in result.confusion]
        share = max(counts) / max(sum(counts), 1)
    if share is None:
        return None
    return Level(share, say("always the most frequent: {share}", share=metric_value("accuracy", share)))
