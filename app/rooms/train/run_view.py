"""The middle card: the selected run's name, buttons, big numbers, and its curves or its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.runs.diagnosis import normal
from bertcore.runs.run_folder import RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import RunRecord, common_answer, record_of

from ...figures.figure import joined
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...runs.ending import ending_of
from ...runs.health import health_of, settings_of_run
from ...runs.run_info import RunInfo, RunResult
from ...runs.sweep_rows import shown_name
from ...state.task_info import metric_value
from ...widgets.big_number import BigNumber
from ...widgets.card import Card, button, label, set_role
from ...widgets.controls import IconButton
from ...widgets.curve_specs import Level
from ...widgets.layouts import fill, hbox
from ...widgets.redraw_pace import RedrawPace
from .batch_page import BatchPage
from .curves_page import CurvesPage, marks_of
from .health_strip import HealthStrip
from .plots import RunPlots, plots_of
from .questions_page import QuestionsPage
from .result_view import ResultView
from .run_ending import RunEnding
from .run_list import state_name
from .slow_motion import SlowMotion
from .weights_page import WeightsPage

RESULT_PX = 210  # of the result's height at least
MANY_LINES = 100  # of metrics at once: those of a run that was just chosen, not the newest of one at work


class RunView(Card):
    """Shows one run. Metrics come by `append_metrics`; what the person wants leaves by `command_given`."""

    command_given = Signal(str)  # pause, resume, stop, step, ten_steps
    menu_requested = Signal(QPoint)  # what can be done with the run: at this point of the screen
    page_changed = Signal()  # shows_batch may be another now

    def __init__(self) -> None:
        super().__init__(" ")
        self.metrics = RunMetrics()
        self._info = RunInfo(path=Path(), name="", about="", status=RunStatus("unknown"))
        self.curves = CurvesPage(self._info, self.metrics, self.about)
        self._is_new = False
        self._pause_command = "pause"
        self.to_curves = button(say("Curves"), lambda: self._show(self.curves), checkable=True)
        self.to_result = button(say("Result"), lambda: self._show(self._front), checkable=True)
        self.pause = button(
            say("Pause", meaning="of a run"), self._on_pause_clicked, hint=say("Pause, and save a snapshot")
        )
        self.stop = button(
            say("Stop"), lambda: self.command_given.emit("stop"), hint=say("End the run, and save a snapshot")
        )
        self.to_batch = button(say("The batch"), lambda: self._show(self.batch), checkable=True)
        self.menu = IconButton("menu", say("Name, copy, export or delete this run"), self._on_menu_clicked)
        self.ending, self.health = RunEnding(), HealthStrip()
        self._settings: Mapping[str, Any] = {}
        self._result: RunResult | None = None
        self._possible: set[str] = set()
        self.to_weights = button(say("The weights"), lambda: self._show(self.weights), checkable=True)
        pages = (self.to_curves, self.to_result, self.to_batch, self.to_weights)
        for made in (*pages, self.pause, self.stop, self.menu):
            self.add_to_header(made)
        self.to_weights.setVisible(not theme.is_projector())  # in front of a class the batch comes first
        units = {
            "step": say("steps"),
            "loss": "",
            "right": "",
            "speed": say("tokens/s"),
            "left": say("left"),
        }
        self.numbers = {name: BigNumber(unit) for name, unit in units.items()}
        explain("loss", self.numbers["loss"])
        explain("speed", self.numbers["speed"])
        self._message = label("", "muted", wrap=True)
        self.result = ResultView(self.about)
        self.result.setMinimumHeight(theme.px(RESULT_PX))
        self.questions = QuestionsPage(plots_of(self._info).specs[0])
        self.questions.plot.set_figure(self.about)
        self.questions.step_shown.connect(self._on_questions_step_shown)
        self.batch, self.weights = BatchPage(), WeightsPage()
        self.batch.batch_shown.connect(self._on_batch_shown)
        self.slow_motion = SlowMotion()
        self.slow_motion.command_given.connect(self.command_given)
        self.ending.log_toggled.connect(self._place_ending)
        self.slow_motion.weights_requested.connect(lambda: self._show(self.weights))
        for asking in (self.slow_motion, self.weights):
            asking.batch_requested.connect(self._on_batch_requested)
        self._stack = QStackedWidget()
        for page in (self.result, self.questions, self.batch, self.weights, self.curves):
            self._stack.addWidget(page)
        self._build()
        self._pace = RedrawPace(self)
        self._pace.due.connect(self.draw)
        self.show_result(None)

    @property
    def shows_result(self) -> bool:
        return self._stack.currentWidget() is self.result

    @property
    def shows_batch(self) -> bool:
        return self._stack.currentWidget() is self.batch

    @property
    def _front(self) -> QWidget:
        """What is there beside the curves: the answers of a run that has questions, else its result."""
        return self.questions if self._info.has_questions else self.result

    def show_run(self, info: RunInfo) -> None:
        """Another run: its metrics and result come next."""
        self._is_new = True
        self._info, self._settings = info, settings_of_run(info)
        self.metrics.clear()
        self.questions.show_run(info)
        self.batch.show_run(info)
        self.curves.show_run(info)
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

    def _show_status(self) -> None:
        info = self._info
        self.curves.show_status(info)
        self.set_title(info.name if info.is_built_in else f"{shown_name(info)} · {info.does}")
        state = info.status.state
        self._pause_command = "resume" if state == "paused" or info.can_resume else "pause"
        self.pause.setText(say("Resume") if self._pause_command == "resume" else say("Pause", meaning="of a run"))
        self.pause.setEnabled(state in ("running", "paused") or info.can_resume)
        is_over = state == "done" and self._has_result  # there is no more to steer, and more to look at
        for control in (self.pause, self.stop):
            control.setVisible(not info.is_built_in and not is_over)
        self.stop.setEnabled(info.status.active)
        self.slow_motion.show_status(info)
        message = info.status.message or "" if state != "running" else ""
        name = state_name(state)
        self._message.setText(message if not message or message.startswith(name) else f"{name}: {message}")
        self._message.setVisible(bool(message))
        set_role(self._message, "error" if state in ("failed", "unknown") else "muted")
        self._show_pages()
        self._show_hint()
        self._show_numbers()
        self._show_ending()

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
        if result is None:
            if self._stack.currentWidget() not in (self.batch, self.weights):
                self._show(self.curves)
        elif self._is_new and not self._info.status.active:
            self._show(self._front)
        self._is_new = self._is_new and result is None and not self._info.status.active

    def restart_metrics(self) -> None:
        self.metrics.clear()
        self.draw()

    def set_possible(self, actions: set[str]) -> None:
        """What can be done at the end of the run, of the names in `runs.ending`."""
        if actions != self._possible:
            self._possible = actions
            self._show_ending()

    def append_metrics(self, metrics: list[dict]) -> None:
        self.metrics.append(metrics)
        is_live = self._info.status.state == "running" and len(metrics) < MANY_LINES
        self._pace.request(rests=is_live)

    def draw(self) -> None:
        """Numbers and curves as the metrics stand."""
        self.curves.set_chance(_chance(self._result, self.metrics))
        self.curves.draw()
        if self._info.has_questions:
            self._draw_questions()
        self._draw_weights()
        self._show_status()

    @property
    def record(self) -> RunRecord:
        """What a diagnosis is made from."""
        return record_of(self.metrics, self._settings, self._info.status)

    def _show_ending(self) -> None:
        """A run that answers questions has an ending of its own, on the page with the answers."""
        ending = None if self._info.has_questions else ending_of(self._info, self.metrics)
        is_told = ending is not None and ending.is_bad  # with what to try
        self.health.show_health([] if is_told else health_of(self.record), ending is not None)
        self._show_health_at(self.questions.shown_step)
        self.ending.show_ending(ending, self._info.path, self._possible, self.health.is_ill)
        self._place_ending()
        status = self._info.status
        says_the_same = status.state == "done" and status.ends_with is not None
        if ending is not None and (ending.is_bad or says_the_same):
            self._message.hide()

    def _show_health_at(self, step: int | None) -> None:
        """Of a healthy run that is played again: how far its loss had fallen by that step."""
        if step is not None and not self.health.is_ill:
            self.health.show_step(normal(self.record.until(step)))

    def _place_ending(self) -> None:
        """The batch and the weights need its room."""
        needs_room = self._stack.currentWidget() in (self.batch, self.weights)
        self.ending.setVisible(self.ending.ending is not None and not needs_room)
        self.slow_motion.setVisible(self.slow_motion.can_steer and needs_room)
        self.health.setVisible(bool(self.health.shown) and not needs_room)
        is_log = self.ending.shows_long_log and not needs_room
        self._stack.setVisible(not is_log)
        self.body.setStretchFactor(self.ending, int(is_log))

    def _on_menu_clicked(self) -> None:
        self.menu_requested.emit(self.menu.mapToGlobal(self.menu.rect().bottomLeft()))

    def _draw_questions(self) -> None:
        page = self.questions
        page.show_scores(self.metrics.scores)
        page.plot.set_points({curve.key: self.metrics.series[curve.key].arrays for curve in self._kind.specs[0].curves})
        page.plot.set_marks(marks_of(self.metrics))

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

    def about(self) -> tuple[str, str]:
        """The run's name, and what the caption of its pictures says: what it does, where, at which step."""
        info = self._info
        step = max(info.status.step, int(self.metrics.latest("train", "step") or 0))
        return info.name, joined(
            say("run {name}", name=info.name),
            info.does,
            info.about,
            say("step {step}", step=numbers.count(step)),
        )

    @property
    def _has_result(self) -> bool:
        """Pretraining without questions has curves only; what learns a task, or from a teacher, has a result at its
        end."""
        return self._info.run_kind.has_result or self._info.has_questions

    @property
    def _kind(self) -> RunPlots:
        return plots_of(self._info)

    def _build(self) -> None:
        self._row = QWidget()
        hbox(*self.numbers.values(), None, parent=self._row, gap_px=18 if not theme.is_projector() else 14)
        fill(self.body, self._row, self._message, self.ending, self.health, self.slow_motion, (self._stack, 1))

    def _show_pages(self) -> None:
        is_task = self._info.run_kind.is_task
        self.to_batch.setToolTip(
            say("What the model read in a step: examples, right answers, and how wrong it was")
            if is_task
            else say("What the model read in a step: hidden words, pairs, and how wrong it was")
        )
        self.to_result.setVisible(self._has_result)
        if self._info.has_questions:
            self.to_result.setText(say("Questions"))
            self.to_result.setToolTip(say("What the model answers while it learns"))
            self.to_result.setEnabled(True)
            self.questions.show_status(self._info)
        else:
            self.to_result.setText(say("Result"))
        self.batch.show_status(self._info)
        there = [self._front] * self._has_result + [self.batch, self.weights]
        if self._stack.currentWidget() not in there:
            self._show(self.curves)

    def _show(self, shown: QWidget) -> None:
        # what is not seen asks for no space
        for page in (self.result, self.questions, self.batch, self.weights, self.curves):
            policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(shown)
        self.ending.hide_log()
        needs_room = shown in (self.batch, self.weights) or (theme.is_projector() and shown is self.questions)
        self._row.setVisible(not needs_room)
        self._place_ending()
        self.to_curves.setChecked(shown is self.curves)
        self.to_result.setChecked(shown is self._front)
        self.to_batch.setChecked(shown is self.batch)
        self.to_weights.setChecked(shown is self.weights)
        self.slow_motion.show_beside(batch=shown is self.batch)
        self.set_intro(self._intro_of(shown))
        self.page_changed.emit()

    def _intro_of(self, page: QWidget) -> str:
        """The curves say it themselves, each chart below its title."""
        if theme.is_projector():
            return ""
        if page is self.weights:
            return say(
                "Each step changes all weights a little. Stronger colour: the part moved "
                "further, compared with its length. A column for each step that was measured."
            )
        if page is not self.batch:
            return ""
        if self._info.run_kind.is_task:
            return say("What it reads in one step: examples and their right answers. It learns from its mistakes.")
        if self.batch.batch is not None and self.batch.batch.causal:
            return say(
                "In this step it guesses each next word from the words before it. Bar under a token: how wrong "
                "its guess of the next one was."
            )
        return say("What it reads in one step: it has to guess what is hidden, and learns from its mistakes.")

    def _show_hint(self) -> None:
        parts = [self._info.about, " ".join(f"#{tag}" for tag in self._info.tags)]
        phases = {
            "causal": say("now predicting the next word"),
            "masked": say("now predicting masked words"),
            "task": say("now learning its task"),
        }
        if self._info.status.state == "running":
            parts.append(phases.get(self.metrics.phase or "", ""))
        self.set_hint(" · ".join(part for part in parts if part))

    def _show_numbers(self) -> None:
        status, metrics, kind = self._info.status, self.metrics, self._kind
        at = self.questions.shown_step  # of a run that is played again; None: the newest
        step = max(status.step, int(metrics.latest("train", "step") or 0))
        step, last = (step if at is None else at), step
        goal = last if at is not None else status.total_steps
        goal = goal if goal != step else None
        total = say("/ {total} steps", total=numbers.count(goal)) if goal else say("steps")
        left = status.remaining_s if status.active else None
        self.numbers["step"].set(numbers.count(step), total)
        self._show_loss(kind, at)
        quality = kind.quality
        index = next((i for i, curve in enumerate(quality.curves) if metrics.latest_value(curve) is not None), 0)
        right = quality.formats[index](metrics.latest_value(quality.curves[index], at))
        self.numbers["right"].set(right, quality.units[index])
        tip = kind.tip
        if metrics.examples is not None:
            tip = say("{tip}, on %n example(s)", n=metrics.examples, tip=tip)
        self.numbers["right"].setToolTip(tip)
        self.numbers["speed"].setVisible(at is None and not theme.is_projector())
        self.numbers["speed"].set(numbers.compact_count(metrics.latest("train", "tok_per_s")))
        self.numbers["left"].setVisible(left is not None)
        self.numbers["left"].set(numbers.duration(left))

    def _show_loss(self, kind: RunPlots, at: int | None) -> None:
        """The training loss of what the run is at, or was at step `at`; the few masked steps of the warm-up have a
        curve, not a number."""
        curve, unit = kind.loss.curves[0], kind.loss.units[0]
        phase = next((name for first, name in reversed(self.metrics.phases) if at is None or first <= at), None)
        if phase == "causal":
            curve, unit = "loss_next_word", say("next-word loss")
        value = kind.loss.formats[0](self.metrics.latest_value(curve, at))
        in_full = say("{loss}, last batch", loss=unit)
        self.numbers["loss"].set(value, unit if theme.is_projector() else in_full)

    def _on_questions_step_shown(self, _step: object) -> None:
        self._show_numbers()
        self._show_ending()

    def _on_batch_shown(self) -> None:
        if self.shows_batch:
            self.set_intro(self._intro_of(self.batch))

    def _on_batch_requested(self, step: int) -> None:
        self._show(self.batch)
        self.batch.show_taken_step(step)

    def _on_pause_clicked(self) -> None:
        self.command_given.emit(self._pause_command)


def _is_further(before: RunInfo, now: RunInfo) -> bool:
    """It runs as before, and nothing but how far it has come is new, which is drawn with its metrics."""
    status = before.status
    as_before = replace(
        now.status,
        step=status.step,
        fraction=status.fraction,
        elapsed_s=status.elapsed_s,
        remaining_s=status.remaining_s,
        updated_at=status.updated_at,
    )
    return status.state == "running" and replace(now, status=as_before, held_out=before.held_out) == before


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
    words = say("always the most frequent: {share}")
    return Level(share, words.format(share=metric_value("accuracy", share)))
