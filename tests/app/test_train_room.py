"""The Train room: what it shows is what the metrics file says, and its buttons say what the person wants."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.compute.question import Job, Question
from app.look import numbers, theme
from app.rooms.train.room import TrainRoom
from app.runs.run_info import RunInfo, read_run
from app.runs.run_sentences import state_line
from app.runs.service import RunsService
from app.widgets.card import scrolled
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import CurveSpec, PlotSpec
from bertcore import locations
from bertcore.runs import known_runs as registry
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import RunMetrics
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import TIMEOUT_MS
from tests.app.train_room import Models, chosen_step, idle_room

pytestmark = pytest.mark.usefixtures("no_built_in_runs")


def _lines(steps: int) -> list[dict]:
    """A run as the training loop logs it: a causal warm-up, then masked words; held-out numbers now and then."""
    rng = np.random.default_rng(0)
    lines: list[dict] = [{"kind": "phase", "step": 1, "phase": "causal", "message": "warm-up"}]
    for step in range(1, steps + 1):
        if step == steps // 2:
            lines.append({"kind": "phase", "step": step, "phase": "masked", "message": "masked"})
        causal = step < steps // 2 and step % 4 != 0
        word_loss = float(8 * np.exp(-step / steps) + rng.normal(0, 0.05))
        lines.append(
            {
                "kind": "train",
                "step": step,
                "loss": 9.9,
                "next_word_loss": word_loss if causal else None,
                "mlm_loss": None if causal else word_loss,
                "mlm_accuracy": None if causal else step / steps / 2,
                "nsp_accuracy": None if causal else 0.5,
                "learning_rate": 1e-3,
                "gradient_norm": 1.5,
                "tok_per_s": 12_345.6,
                "phase": "causal" if causal else "masked",
            }
        )
        if step % 10 == 0:
            held_out = {"loss": 9.8, "mlm_loss": 6.0, "mlm_accuracy": 0.254, "nsp_accuracy": 0.6}
            lines.append({"kind": "held_out", "step": step, **held_out})
    return lines


def _make_run(own_home: Path, name: str = "stories", state: str = "done", steps: int = 40) -> RunFolder:
    options = PretrainOptions(name=name, preset="tiny")
    run = RunFolder.create(own_home / "runs" / name, options.to_dict())
    for line in _lines(steps):
        run.append_metric(line)
    run.write_status(state=state, step=steps, fraction=1.0, elapsed_s=60.0)
    for step in (0, 10, steps):
        with run.begin_snapshot(step) as folder:
            (folder / "config.json").write_text("{}")
            (folder / "model.safetensors").write_bytes(b"x" * 2_500_000)
    return run


def _info(state: str, **fields: object) -> RunInfo:
    status = RunStatus(state, **fields)  # type: ignore[arg-type]
    return RunInfo(Path("run"), "stories", "tiny", status, can_resume=state in ("stopped", "failed"))


class TestNumbers:
    def test_curves_are_the_metrics_file(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        run = _make_run(own_home)
        service.set_following(True)
        room.view.draw()
        written = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
        loss_plot, right_plot, rate_plot = map(
            room.view.curves.plot_of, ("loss_masked", "words_right", "learning_rate")
        )
        for key, kind, phase, field in (
            ("loss_masked", "train", "masked", "mlm_loss"),
            ("loss_next_word", "train", "causal", "next_word_loss"),
            ("loss_held_out", "held_out", None, "mlm_loss"),
        ):
            expected = [line for line in written if line["kind"] == kind and phase in (None, line.get("phase"))]
            steps, values = loss_plot.points(key)
            assert steps.tolist() == [line["step"] for line in expected] and len(expected) > 3
            assert values.tolist() == [line[field] for line in expected]
        assert right_plot.points("words_right_held_out")[1].tolist() == [0.254] * 4
        assert rate_plot.points("learning_rate")[1].tolist() == [1e-3] * 40

    def test_big_numbers_are_the_newest_lines(self, room: TrainRoom, service: RunsService, own_home: Path) -> None:
        _make_run(own_home)
        service.set_following(True)
        room.view.draw()
        newest = [line for line in _lines(40) if line["kind"] == "train"][-1]
        shown = {name: number.text for name, number in room.view.numbers.items()}
        assert shown["step"] == "40"
        assert shown["loss"] == f"{newest['mlm_loss']:.2f}"
        assert shown["right"] == "25%"
        assert shown["speed"] == "12.3\u2009k"

    def test_loss_is_of_what_the_run_is_at_and_says_so(self, room: TrainRoom) -> None:
        room.state.show_run(_info("running"))
        lines = _lines(40)
        room.state.append_metrics(lines[:18])
        room.view.draw()
        number, newest = room.view.numbers["loss"], [line for line in lines[:18] if line.get("next_word_loss")][-1]
        assert (number.text, number.unit) == (f"{newest['next_word_loss']:.2f}", "next-word loss, last batch")
        room.state.append_metrics(lines[18:])
        room.view.draw()
        assert (number.text, number.unit) == (f"{lines[-2]['mlm_loss']:.2f}", "masked-word loss, last batch")

    def test_curves_follow_as_lines_are_appended(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home)
        service.set_following(True)
        run.append_metric({"kind": "train", "step": 41, "loss": 2.0, "mlm_loss": 1.25, "phase": "masked"})
        qtbot.waitUntil(lambda: room.view.numbers["loss"].text == "1.25", timeout=TIMEOUT_MS)
        assert room.view.curves.plots[0].points("loss_masked")[0][-1] == 41

    def test_another_run_leaves_nothing_of_the_first(
        self, room: TrainRoom, service: RunsService, own_home: Path
    ) -> None:
        _make_run(own_home, "first")
        service.set_following(True)
        second = _make_run(own_home, "second", steps=12)
        service.select(second.path)
        room.view.draw()
        assert (
            len(room.view.curves.plots[0].points("loss_masked")[0])
            + len(room.view.curves.plots[0].points("loss_next_word")[0])
            == 12
        )

    def test_switch_is_marked_only_after_a_warm_up(self) -> None:
        metrics = RunMetrics()
        metrics.append([{"kind": "phase", "step": 1, "phase": "causal"}])
        assert metrics.phase == "causal" and metrics.switch_step is None
        metrics.append(
            [{"kind": "phase", "step": 90, "phase": "masked"}, {"kind": "phase", "step": 120, "phase": "masked"}]
        )
        assert metrics.phase == "masked" and metrics.switch_step == 90
        metrics.append([{"kind": "phase", "step": 150, "phase": "longer"}])
        assert metrics.phase == "masked" and metrics.switch_step == 90 and metrics.longer_step == 150
        metrics.clear()
        metrics.append([{"kind": "phase", "step": 1, "phase": "masked"}])
        assert metrics.switch_step is None and metrics.longer_step is None

    def test_odd_lines_do_not_hurt(self) -> None:
        metrics = RunMetrics()
        metrics.append([{}, {"kind": "train"}, {"kind": "train", "step": "x"}, {"kind": 3, "step": 1}])
        metrics.append([{"kind": "train", "step": 2, "mlm_loss": "high", "phase": "masked"}])
        assert len(metrics.series["loss_masked"]) == 0


class TestButtons:
    @pytest.mark.parametrize(
        ("state", "pause", "can_pause", "can_stop"),
        [
            ("starting", "Pause", False, True),
            ("running", "Pause", True, True),
            ("paused", "Resume", True, True),
            ("stopped", "Resume", True, False),
            ("failed", "Resume", True, False),
            ("done", "Pause", False, False),
            ("unknown", "Pause", False, False),
        ],
    )
    def test_enabled_as_the_state_allows(
        self, room: TrainRoom, state: str, pause: str, can_pause: bool, can_stop: bool
    ) -> None:
        room.state.show_run(_info(state))
        assert room.view.pause.text() == pause
        assert (room.view.pause.isEnabled(), room.view.stop.isEnabled()) == (can_pause, can_stop)

    def test_pause_resume_and_stop_reach_the_folder(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home)
        with run.acquire():
            for state, button, command in (
                ("running", room.view.pause, "pause"),
                ("paused", room.view.pause, "resume"),
                ("running", room.view.stop, "stop"),
            ):
                run.write_status(state=state)
                service.select(run.path)
                qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
                assert run.take_command() == command

    def test_clicking_a_run_selects_it(
        self, room: TrainRoom, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        _make_run(own_home, "first")
        _make_run(own_home, "second")
        service.set_following(True)
        other = next(i for i, run in enumerate(service.runs) if run.path != service.selected)
        middle = room.runs.row_rect(other).center().toPoint()
        qtbot.mouseClick(room.runs.viewport(), Qt.MouseButton.LeftButton, pos=middle)
        assert service.selected == service.runs[other].path


class TestSnapshots:
    def test_newest_is_chosen_and_opens(
        self, room: TrainRoom, models: Models, service: RunsService, own_home: Path
    ) -> None:
        run = _make_run(own_home)
        service.set_following(True)
        room.time_machine.open_button.click()
        assert models.asked == [str(run.snapshot_path(40))]

    def test_slider_and_list_choose_the_same(
        self, room: TrainRoom, models: Models, service: RunsService, own_home: Path, qtbot: QtBot
    ) -> None:
        run = _make_run(own_home)
        service.set_following(True)
        first = QPointF(room.time_machine.slider.x_of(0), room.time_machine.slider.height() / 2).toPoint()
        qtbot.mouseClick(room.time_machine.slider, Qt.MouseButton.LeftButton, pos=first)
        room.watch.list.setFocus()
        qtbot.keyClick(room.watch.list, Qt.Key.Key_Down)
        assert models.asked == [str(run.snapshot_path(0)), str(run.snapshot_path(10))]

    def test_handle_is_at_what_is_open(self, room: TrainRoom, models: Models, qtbot: QtBot) -> None:
        snapshots = [(step, Path("run") / "snapshots" / str(step)) for step in (0, 1, 2, 5)]
        room.state.show_run(_info("running"))
        room.state.set_snapshots(snapshots[:2])
        room.state.set_snapshots(snapshots[:3])
        assert chosen_step(room) == 2  # nothing of this run is open: the newest, ready to be opened
        last = QPointF(room.time_machine.slider.x_of(2), room.time_machine.slider.height() / 2).toPoint()
        qtbot.mouseClick(room.time_machine.slider, Qt.MouseButton.LeftButton, pos=last)
        assert models.asked == [str(snapshots[2][1])]
        room.state.set_snapshots(snapshots)
        assert chosen_step(room) == 2
        models.show(Path("elsewhere"))
        assert chosen_step(room) == 5
        models.show(snapshots[1][1])
        assert chosen_step(room) == 1
        models.open(snapshots[0][1])
        assert chosen_step(room) == 0
        models.fail()
        assert chosen_step(room) == 1  # what is open still
        room.state.set_snapshots([snapshots[0], *snapshots[2:]])  # thinned away, but still what the rooms show
        assert chosen_step(room) is None and not room.time_machine.open_button.isEnabled()

    def test_each_snapshot_is_asked_once_for_its_word(self, room: TrainRoom, own_home: Path, qtbot: QtBot) -> None:
        run = _make_run(own_home)
        asked: list[tuple[Question, Job]] = []
        room.question_requested.connect(lambda question: asked.append((question, question.job)))
        with qtbot.waitExposed(room):
            room.show()
        room.state.show_run(read_run(run.path))
        room.state.set_snapshots(run.snapshots())
        assert len(asked) == 1
        paths = [path for _, path in run.snapshots()]
        assert asked[0][1].arguments == (tuple(paths), room.watch.sentence.text())
        asked[0][0].deliver(asked[0][1], {})
        room.state.set_snapshots(run.snapshots())
        assert len(asked) == 1
        room.watch.sentence.setText("Another [MASK].")
        assert len(asked) == 2
        asked[1][0].deliver(asked[1][1], None, "The sentence is too long.")
        assert room.watch.problem.text() == "The sentence is too long."
        room.watch.sentence.setText("No mask")
        assert room.watch.problem.isHidden() and len(asked) == 2
        room.watch.sentence.setText("A third [MASK].")
        assert len(asked) == 3 and asked[2][1].arguments[1] == "A third [MASK]."


class TestLook:
    def test_empty_room_invites(self, room: TrainRoom, service: RunsService) -> None:
        service.set_following(True)
        assert "No runs yet" in room.invitation.text() and not room.view.isVisibleTo(room)
        assert not room.time_machine.open_button.isEnabled()

    def test_built_in_run_is_looked_at_only_and_the_demos_stay_in_sight(
        self, room: TrainRoom, service: RunsService, own_home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        built_in = _make_run(own_home.parent / "assets", locations.BUILT_IN, state="stopped")
        shutil.rmtree(built_in.path / "snapshots")
        monkeypatch.setattr(locations, "assets", lambda: own_home.parent / "assets")
        monkeypatch.setattr(registry, "known_runs", lambda: [built_in.path])
        service.set_following(True)
        assert service.selected == built_in.path and not service.runs[0].can_resume
        assert service.runs[0].name == "Training of bertscope-mini"
        assert room.view.pause.isHidden() and room.view.stop.isHidden()
        assert room.demos.isVisibleTo(room)
        own = _make_run(own_home)
        monkeypatch.setattr(registry, "known_runs", lambda: [own.path, built_in.path])
        service.refresh()
        service._select_one()
        assert service.selected == own.path
        assert not room.view.pause.isHidden() and room.demos.isVisibleTo(room)
        service.select(built_in.path)
        service._select_one()
        assert service.selected == built_in.path

    def test_canvas_takes_data_that_came_before_it_and_keeps_its_items(self, qtbot: QtBot) -> None:
        spec = PlotSpec("Loss", (CurveSpec("a", "training", "curve_train"),), "loss")
        plot = CurvePlot(spec)
        qtbot.addWidget(plot)
        plot.set_points({"a": (np.arange(3.0), np.array([3.0, 2.0, 1.0]))})
        plot.show()
        qtbot.waitUntil(lambda: plot.is_loaded)
        assert plot._canvas is not None
        item = plot._canvas._items["a"]
        for size in (10, 1000, 50_000):
            plot.set_points({"a": (np.arange(size, dtype=float), np.linspace(5, 1, size))})
        assert plot._canvas._items["a"] is item
        steps, values = item.getOriginalDataset()
        assert len(steps) == 50_000 and values[-1] == 1.0
        assert item.opts["autoDownsample"] and item.opts["clipToView"]

    def test_curves_change_colour_with_the_theme(self, looks: QApplication, qtbot: QtBot, qapp: QApplication) -> None:
        plot = CurvePlot(PlotSpec("Loss", (CurveSpec("loss_masked", "training", "curve_train"),), "loss"))
        qtbot.addWidget(plot)
        plot.show()
        qtbot.waitUntil(lambda: plot.is_loaded)
        canvas = plot._canvas
        assert canvas is not None
        for name in ("dark", "light"):
            theme.apply(qapp, name)
            qapp.processEvents()
            assert canvas._items["loss_masked"].opts["pen"].color() == theme.color("curve_train")

    def test_hover_shows_the_value_at_that_step(self, qtbot: QtBot) -> None:
        plot = CurvePlot(PlotSpec("Loss", (CurveSpec("a", "training", "curve_train", numbers.decimal),), "loss"))
        qtbot.addWidget(plot)
        plot.set_points({"a": (np.array([0.0, 10.0, 20.0]), np.array([8.0, 6.0, 4.0]))})
        plot.show()
        qtbot.waitUntil(lambda: plot.is_loaded)
        assert plot._canvas is not None
        assert plot.legend_values == {"a": "4.00"}
        plot._canvas.hovered.emit(11.0)
        assert plot.legend_values == {"a": "6.00"}
        plot._canvas.hovered.emit(None)
        assert plot.legend_values == {"a": "4.00"}


@pytest.mark.parametrize(
    ("info", "line"),
    [
        (_info("running", fraction=0.61, remaining_s=840), "Running · 61% · 14\u2009min left"),
        (_info("paused", step=3400), "Paused · step 3,400"),
        (_info("failed", message="The disk is full."), "Failed · The disk is full."),
        (_info("done", step=12), "Done · step 12"),
        (_info("starting", message="Learning a vocabulary."), "Starting · Learning a vocabulary."),
    ],
)
def test_state_in_words(info: RunInfo, line: str) -> None:
    assert state_line(info) == line


def test_runs_folds_away_again_after_a_form_that_opened_it(looks: QApplication, qtbot: QtBot) -> None:
    room = idle_room()
    area = scrolled(room)
    qtbot.addWidget(area)
    area.resize(700, 500)
    area.show()
    assert not room.runs_card.isVisible()
    room.runs_card.show_form()
    assert room.runs_card.isVisible()
    room.runs_card.show_list()
    assert not room.runs_card.isVisible()
    area.resize(1600, 900)
    room.runs_card.show_form()
    room.runs_card.show_list()
    assert room.runs_card.isVisible(), "there is room for all cards"
