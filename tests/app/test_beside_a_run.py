"""What the room Train costs while a run is at work: a few drawings, and no file read twice."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, QTimer, Signal

from app.rooms.train.curves.page import CurvesPage
from app.rooms.train.run.view import RunView
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.widgets import curve_canvas
from app.widgets.redraw_pace import BURST_MS, REST_MS, SHARE, RedrawPace
from bertcore.runs.run_folder import RunFolder, RunStatus
from tests.app.conftest import handle_events, placed, wait_until
from tests.app.train_room import add_snapshot, stored_run

pytestmark = pytest.mark.usefixtures("no_built_in_runs")


def at_step(step):
    return RunInfo(Path("run"), "run", "tiny", RunStatus("running", step=step, fraction=step / 1000))


def line(step):
    return {"kind": "train", "step": step, "mlm_loss": 9.0 / step, "phase": "masked"}


class Clock:
    """In place of time and of QTimer where a pace is kept: what is due comes when a test lets the time pass."""

    def __init__(self):
        self.now_ms, self.processor_ms = 0.0, 0.0
        self.timers = []

    def pass_ms(self, ms):
        ends_ms = self.now_ms + ms
        while due := [timer for timer in self.timers if timer.isActive() and timer.due_ms <= ends_ms]:
            first = min(due, key=lambda timer: timer.due_ms)
            self.now_ms, first.due_ms = first.due_ms, math.inf
            first.timeout.emit()
            handle_events()  # it is painted
        self.now_ms = ends_ms


class Timer(QObject):
    timeout = Signal()
    singleShot = QTimer.singleShot
    clock: Clock

    def __init__(self, parent, **_options):
        super().__init__(parent)
        self.due_ms = math.inf
        self.clock.timers.append(self)

    def start(self, ms):
        self.due_ms = self.clock.now_ms + ms

    def isActive(self):
        return self.due_ms < math.inf

    def remainingTime(self):
        return self.due_ms - self.clock.now_ms


@pytest.fixture
def clock(monkeypatch):
    made = Timer.clock = Clock()
    times = SimpleNamespace(monotonic=lambda: made.now_ms / 1000, thread_time=lambda: made.processor_ms / 1000)
    monkeypatch.setattr("app.widgets.redraw_pace.time", times)
    monkeypatch.setattr("app.widgets.redraw_pace.QTimer", Timer)
    return made


def test_a_run_at_work_is_drawn_once_a_second_at_most(qtbot, calls, clock):
    drawn = calls(RunView, "draw")
    view = RunView(RunState())
    qtbot.addWidget(view)
    view._state.show_run(at_step(1))
    drawn.clear()
    for step in range(2, 12):  # more often than a run writes
        view._state.append_metrics([line(step)])
        view._state.set_status(at_step(step))
        clock.pass_ms(1.3 * BURST_MS)
    assert len(drawn) == 2  # after the first burst, and a rest later
    clock.pass_ms(REST_MS)
    assert view.numbers["step"].text == "11"  # nothing is left out
    assert view.curves.plots[0].points("loss_masked")[0][-1] == 11
    view._state.set_status(replace(at_step(12), status=RunStatus("paused", step=12)))  # another state: at once
    assert view.pause.text() == "Resume" and view.numbers["step"].text == "12"


def test_a_drawing_that_takes_long_is_followed_by_a_longer_rest(clock):
    owner, at = QObject(), []
    pace = RedrawPace(owner)

    def draw():
        at.append(clock.now_ms)
        clock.processor_ms += 1.5 * REST_MS * SHARE
        if len(at) == 1:
            pace.request()  # while it is being drawn, when nobody knows yet how long the rest will be

    pace.due.connect(draw)
    pace.request()
    clock.pass_ms(10 * REST_MS)
    assert at == [BURST_MS, BURST_MS + 1.5 * REST_MS]
    pace.request()
    pace.request(rests=False)  # a person waits for it
    clock.pass_ms(BURST_MS)
    assert len(at) == 3


def test_curves_on_a_page_behind_are_not_drawn(qtbot, calls):
    state = RunState()
    state.show_run(at_step(29))
    state.append_metrics([line(step) for step in range(1, 30)])
    page = placed(CurvesPage(state, lambda: ("", "")), qtbot, 700, 500)
    wait_until(lambda: all(plot.is_loaded for plot in page.plots))
    page.draw()
    set_points = calls(curve_canvas.CurveCanvas, "show_drawing")
    page.draw()
    assert set_points  # the one with points
    page.hide()
    set_points.clear()
    state.append_metrics([line(30)])
    page.draw()
    assert set_points == []
    page.show()
    assert set_points and page.plots[0].points("loss_masked")[0][-1] == 30


def test_only_the_progress_of_a_run_at_work_is_read_again(service, qtbot, calls):
    run = stored_run()
    configs, listed = calls(RunFolder, "config"), calls(RunFolder, "snapshots")
    with run.acquire():
        run.write_status(state="running", step=1)
        service.set_following(True)
        configs.clear()
        listed.clear()
        for step in range(2, 8):
            run.write_status(state="running", step=step)
            run.append_metric(line(step))
            service._on_timer_timeout()
        assert service.runs[0].status.step >= 4 and configs == [] and listed == []
        add_snapshot(run, 7)
        with qtbot.waitSignal(service.snapshots_changed) as changed:
            pass
        assert [step for step, _ in changed.args[0]] == [7]
