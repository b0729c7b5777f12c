"""The middle card: the selected run's name, buttons, big numbers, and its curves or its result."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import normal
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.run_record import RunRecord, common_answer, record_of

from ....figures.figure import joined
from ....look import mark, numbers, say, theme
from ....look.number_kinds import explain
from ....runs.ending_sentences import at_work_of, beside_papers, ending_of
from ....runs.finding import health_of
from ....runs.run_info import RunResult
from ....runs.run_sentences import shown_name, state_name
from ....runs.run_state import RunState
from ....state.task_info import counted, metric_value
from ....widgets.card import BigNumber, Card, button, label, set_role
from ....widgets.controls import IconButton
from ....widgets.curve_specs import Level
from ....widgets.layouts import fill, hbox, held, show_if, show_page, stacked
from ....widgets.redraw_pace import RedrawPace
from ..batch.page import BatchPage
from ..curves.page import CurvesPage, marks_of
from ..curves.plots import plots_of
from ..questions.page import QuestionsPage
from ..weights.page import SlowMotion, WeightsPage
from .result_view import ResultView
from .strips import EndingStrip, HealthStrip

ENDING_PX = 96  # the chart keeps its height when the run ends
RESULT_PX = 210  # of the result's height at least
MANY_LINES = 100  # of metrics at once: those of a run that was just chosen, not the newest of one at work
PROGRESS = ("step", "fraction", "elapsed_s", "remaining_s", "updated_at")  # of a status


class RunView(Card):
    """The run that is looked at, on one of its pages; its buttons steer it."""

    menu_requested = Signal(QPoint)  # what can be done with the run: at this point of the screen
    page_changed = Signal()  # shows_batch may be another now

    def __init__(self, state: RunState) -> None:
        super().__init__(" ")
        self._state = state
        self.metrics = state.metrics
        self._drawn = state.run  # as it was when its status was drawn
        self._settings: Mapping[str, Any] = {}
        self._is_new = False
        self.result = ResultView(self.about)
        self.result.setMinimumHeight(theme.px(RESULT_PX))
        self.curves = CurvesPage(state, self.about)
        self.questions = QuestionsPage(state, plots_of(state.run).specs[0])
        self.questions.plot.set_figure(self.about)
        self.batch, self.weights = BatchPage(state), WeightsPage()
        self.ending, self.health, self.slow_motion = EndingStrip(), HealthStrip(), SlowMotion(state)
        self.ending.setMinimumHeight(theme.px(ENDING_PX))
        self._message = label("", "muted", wrap=True)
        titles: dict[QWidget, str] = {
            self.curves: say("Curves"),
            self.result: say("Result"),
            self.questions: say("Questions"),
            self.batch: say("The batch"),
            self.weights: say("The weights"),
        }
        self._stack = stacked(*titles)
        self.buttons = {  # page -> what shows it
            page: button(title, partial(self._show, page), checkable=True) for page, title in titles.items()
        }
        self.add_to_header(*self.buttons.values())
        pause = say("Pause", meaning="of a run")
        self.pause = button(
            pause,
            lambda: self._control("resume" if self._may_resume else "pause"),
            hint=say("Pause, and save a snapshot"),
        )
        stop = partial(self._control, "stop")
        self.stop = button(say("Stop"), stop, hint=say("End the run, and save a snapshot"))
        self.menu = IconButton("menu", say("Name, copy, export or delete this run"))
        self.menu.clicked.connect(
            lambda: self.menu_requested.emit(self.menu.mapToGlobal(self.menu.rect().bottomLeft()))
        )
        self.add_to_header(self.pause, self.stop, self.menu)
        units = {"step": say("steps"), "loss": "", "right": "", "speed": say("tokens/s"), "left": say("left")}
        self.numbers = {name: BigNumber(unit) for name, unit in units.items()}
        for name in ("loss", "speed"):
            explain(name, self.numbers[name])
        self._row = held(hbox(*self.numbers.values(), None, gap_px=18 if not theme.is_projector() else 14))
        fill(self.body, self._row, self._message, self.ending, self.health, self.slow_motion, (self._stack, 1))
        self._pace = RedrawPace(self)
        state.run_changed.connect(self._on_run_changed)
        state.status_changed.connect(self._on_status_changed)
        state.snapshots_changed.connect(self._show_strips)
        state.result_changed.connect(self._on_result_changed)
        state.metrics_restarted.connect(self.draw)
        state.metrics_appended.connect(self._on_metrics_appended)
        self._pace.due.connect(self.draw)
        self.questions.step_shown.connect(self._on_questions_step_shown)
        self.batch.batch_shown.connect(self._show_intro)
        self.slow_motion.weights_requested.connect(partial(self._show, self.weights))
        self.ending.log_toggled.connect(self._place_strips)
        for asking in (self.slow_motion, self.weights):
            asking.batch_requested.connect(self._on_batch_requested)
        self._show(self.curves)

    @property
    def shows_batch(self) -> bool:
        return self._stack.currentWidget() is self.batch

    @property
    def record(self) -> RunRecord:
        """What a diagnosis is made from."""
        return record_of(self.metrics, self._settings, self._state.run.status)

    @property
    def _needs_room(self) -> bool:
        """The batch and the weights leave none to what stands above the curves."""
        return self._stack.currentWidget() in (self.batch, self.weights)

    # --- what the run reports

    def _on_run_changed(self) -> None:
        """Another run: its metrics and result come next."""
        run = self._state.run
        self._is_new = not run.status.active
        try:
            self._settings = RunFolder(run.path).config()
        except BertcoreError:
            self._settings = {}
        self._draw_result()
        self.draw()
        self._show(self.questions if run.has_questions else self.curves)
        self.questions.plot.show_all()

    def _on_status_changed(self) -> None:
        """Where it runs as before, what is new is how far it has come, which is drawn with its metrics: twice a
        second."""
        drawn, run = self._drawn, self._state.run
        progress = {name: getattr(drawn.status, name) for name in PROGRESS}
        as_drawn = replace(run, status=replace(run.status, **progress), held_out=drawn.held_out)
        if drawn.status.state == "running" and as_drawn == drawn:
            self._pace.request()
        else:
            self._show_status()

    def _on_result_changed(self) -> None:
        """What the run wrote at its end. A run that was finished when it was chosen shows it at once."""
        run, has_result = self._state.run, self._state.result is not None
        self._draw_result()
        if run.has_questions:
            return
        if not has_result and not self._needs_room:
            self._show(self.curves)
        elif has_result and self._is_new and not run.status.active:
            self._show(self.result)
        self._is_new = self._is_new and not has_result and not run.status.active

    def _on_metrics_appended(self, lines: list[dict]) -> None:
        self._pace.request(rests=self._state.run.status.state == "running" and len(lines) < MANY_LINES)

    def draw(self) -> None:
        """Numbers and curves as the metrics stand."""
        run, metrics = self._state.run, self.metrics
        self.curves.set_chance(_chance(self._state.result, metrics))
        self.curves.draw()
        if run.has_questions:
            self.questions.show_scores(metrics.scores)
            points = {curve.key: metrics.series[curve.key].arrays for curve in plots_of(run).specs[0].curves}
            self.questions.plot.change(points=points, marks=marks_of(metrics))
        self.weights.show_updates(metrics.updates)
        self.weights.show_slow_steps(metrics.slow_steps)
        if self.slow_motion.show_steps(metrics.slow_steps) and self.shows_batch:
            self.batch.show_taken_step(metrics.slow_steps[-1].step)
        if not metrics.updates and self._stack.currentWidget() is self.weights:
            self._show(self.curves)
        self._show_status()

    def about(self) -> tuple[str, str]:
        """The run's name, and what the caption of its pictures says: what it does, where, at which step."""
        run, step = self._state.run, say("step {step}", step=numbers.count(self._last_step))
        return run.name, joined(say("run {name}", name=run.name), run.does, run.about, step)

    # --- drawing

    def _draw_result(self) -> None:
        run, snapshots = self._state.run, self._state.snapshots
        papers = beside_papers(run.task, snapshots[-1][1]) if snapshots else ""
        self.result.show_result(self._state.result, run, papers)
        self.curves.set_chance(_chance(self._state.result, self.metrics))
        self._show_pages()

    def _show_status(self) -> None:
        run = self._drawn = self._state.run
        state = run.status.state
        self.questions.show_status()
        self.batch.show_status()
        self.slow_motion.show_status()
        self.set_title(run.name if run.is_built_in else f"{shown_name(run)} · {run.does}")
        self.pause.setText(say("Resume") if self._may_resume else say("Pause", meaning="of a run"))
        self.pause.setEnabled(state in ("running", "paused") or run.can_resume)
        self.stop.setEnabled(run.status.active)
        has_result = run.run_kind.has_result or run.has_questions
        # At its end there is no more to steer, and more to look at.
        show_if(not run.is_built_in and not (state == "done" and has_result), self.pause, self.stop)
        message, name = run.status.message or "" if state != "running" else "", state_name(state)
        self._message.setText(message if not message or message.startswith(name) else f"{name}: {message}")
        set_role(self._message, "error" if state in ("failed", "unknown") else "muted")
        self._show_pages()
        if not self._needs_room and any(made.isChecked() and made.isHidden() for made in self.buttons.values()):
            self._show(self.curves)
        phases = {
            "causal": say("now predicting the next word"),
            "masked": say("now predicting masked words"),
            "task": say("now learning its task"),
        }
        phase = phases.get(self.metrics.phase or "", "") if state == "running" else ""
        self.set_hint(" · ".join(filter(None, (run.about, " ".join(f"#{tag}" for tag in run.tags), phase))))
        self._show_numbers()
        self._show_strips()

    def _show_strips(self) -> None:
        """A run that answers questions has an ending of its own, on the page with the answers."""
        run, step = self._state.run, self.questions.shown_step
        ending = None if run.has_questions else ending_of(run, self.metrics, len(self._state.snapshots))
        is_told = ending is not None and ending.is_bad  # with what to try
        self.health.show_health([] if is_told else health_of(self.record), is_over=ending is not None)
        if step is not None and not self.health.is_ill:  # of a run that is played again
            self.health.show_step(normal(self.record.until(step)))
        at_work = None if run.has_questions else at_work_of(run, len(self._state.snapshots))
        self.ending.show_ending(ending or at_work, run.path, is_ill=self.health.is_ill or ending is None)
        self._place_strips()
        says_the_same = run.status.state == "done" and run.status.ends_with is not None
        is_said = ending is not None and (ending.is_bad or says_the_same)
        self._message.setVisible(bool(self._message.text()) and not is_said)

    def _place_strips(self) -> None:
        has_room, is_log = not self._needs_room, self.ending.shows_long_log and not self._needs_room
        self.ending.setVisible(self.ending.finding is not None and has_room)
        self.slow_motion.setVisible(self.slow_motion.can_steer and not has_room)
        self.health.setVisible(bool(self.health.shown) and has_room)
        self._stack.setVisible(not is_log)
        self.body.setStretchFactor(self.ending, int(is_log))

    def _show_pages(self) -> None:
        """Which pages the run has, which of them can be looked at by now, and what is on them."""
        run, result, updates = self._state.run, self._state.result is not None, bool(self.metrics.updates)
        batch = (
            say("What the model read in a step: examples, right answers, and how wrong it was")
            if run.run_kind.is_task
            else say("What the model read in a step: hidden words, pairs, and how wrong it was")
        )
        after = say("How well it does on held-out examples") if result else say("Available at the end of the run")
        moved = (
            say("How far each part of the model moves in a step")
            if updates
            else say("This run did not record how far its weights move; newer runs do.")
        )
        for page, is_there, is_ready, hint in (
            (self.result, run.run_kind.has_result and not run.has_questions, result, after),
            (self.questions, run.has_questions, True, say("What the model answers while it learns")),
            (self.batch, True, True, batch),
            (self.weights, not theme.is_projector(), updates, moved),  # in front of a class the batch comes first
        ):
            self.buttons[page].setVisible(is_there)
            self.buttons[page].setEnabled(is_ready)
            self.buttons[page].setToolTip(hint)

    def _show(self, shown: QWidget) -> None:
        for page, made in self.buttons.items():
            made.setChecked(page is shown)
        show_page(self._stack, shown)
        self.ending.show_log(False)
        self._row.setVisible(not (self._needs_room or (theme.is_projector() and shown is self.questions)))
        self._place_strips()
        self.slow_motion.show_beside(batch=shown is self.batch)
        self._show_intro()
        self.page_changed.emit()

    def _show_intro(self) -> None:
        """The curves say it themselves, each chart below its title."""
        text = ""
        if self.shows_batch:
            text = mark("What it reads in one step: it has to guess what is hidden, and learns from its mistakes.")
            if self._state.run.run_kind.is_task:
                text = mark("What it reads in one step: examples and their right answers. It learns from its mistakes.")
            elif self.batch.batch is not None and self.batch.batch.causal:
                text = mark(
                    "In this step it guesses each next word from the words before it. Bar under a token: how wrong "
                    "its guess of the next one was."
                )
        elif self._needs_room:
            text = mark(
                "Each step changes all weights a little. Stronger colour: the part moved "
                "further, compared with its length. A column for each step that was measured."
            )
        self.set_intro(say(text) if text and not theme.is_projector() else "")

    def _show_numbers(self) -> None:
        """At the newest step, or at that of a run that is played again."""
        run, metrics, shown = self._state.run, self.metrics, self.numbers
        status, plots, at, last = run.status, plots_of(run), self.questions.shown_step, self._last_step
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
        share = metrics.latest_value(quality.curves[index], at)
        right_of, may_be = counted(run.task_kind, "".join(run.metrics[index : index + 1]), share, metrics.examples)
        shown["right"].set(right, " · ".join(filter(None, (quality.units[index], right_of))))
        if metrics.examples is not None:
            tip = say("{tip}, on %n example(s)", n=metrics.examples, tip=tip)
        shown["right"].setToolTip(f"{tip}\n{may_be}".strip())
        shown["speed"].setVisible(at is None and not theme.is_projector())
        shown["speed"].set(numbers.compact_count(metrics.latest("train", "tok_per_s")))
        left = status.remaining_s if status.active else None
        shown["left"].setVisible(left is not None)
        shown["left"].set(numbers.duration(left))

    @property
    def _last_step(self) -> int:
        return max(self._state.run.status.step, int(self.metrics.latest("train", "step") or 0))

    # --- what the person does

    @property
    def _may_resume(self) -> bool:
        return self._state.run.status.state == "paused" or self._state.run.can_resume

    def _control(self, command: str) -> None:
        self._state.control_requested.emit(self._state.run.path, command)

    def _on_questions_step_shown(self, _step: object) -> None:
        self._show_numbers()
        self._show_strips()

    def _on_batch_requested(self, step: int) -> None:
        self._show(self.batch)
        self.batch.show_taken_step(step)


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
