"""The curves of a run: smoothing, axes, several runs over one another, and what 100,000 points cost."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.train.curves.page import RUN_COLORS, CurveGrid, CurvesPage, marks_of
from app.rooms.train.curves.plots import plots_of
from app.runs.compared_settings import differences
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.runs.service import RunsService
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import MOST, CurveSpec, Level, PlotSpec, smoothed, window_of
from bertcore.locations import SHIPPED, TINY, assets
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import EPOCH, SECONDS, STEP, TOKENS, RunMetrics
from tests.app.conftest import handle_events

NOISY = CurveSpec("loss", "training", "curve_train", numbers.decimal, noisy=True)
SPEC = PlotSpec("Loss", (NOISY,), "loss", may_be_logarithmic=True)
DONE = RunStatus("done")


def phase(step: int, name: str) -> dict:
    return {"kind": "phase", "step": step, "phase": name}


def lines(count: int, *, seconds: float = 2.0) -> list[dict]:
    """Three tenths of causal warm-up, and a measurement every ten steps."""
    generator, made = np.random.default_rng(0), []
    for step in range(1, count + 1):
        is_causal = step <= 0.3 * count
        loss = 9 / math.sqrt(step) + float(generator.normal(0, 0.1)) + 2
        made.append(
            {
                "kind": "train",
                "step": step,
                "mlm_loss": None if is_causal else loss,
                "next_word_loss": loss if is_causal else None,
                "mlm_accuracy": 0.3,
                "nsp_accuracy": 0.5,
                "tokens": 4096 * step,
                "elapsed_s": seconds * step,
                "epoch": step / 50,
                "learning_rate": 1e-3,
            }
        )
        if step % 10 == 0:
            made.append({"kind": "held_out", "step": step, "mlm_loss": loss, "mlm_accuracy": 0.25})
    return made


def make_run(folder: Path, *, loss_of: float = 1.0, **training: object) -> Path:
    run = RunFolder.create(
        folder, {"kind": "pretrain", "name": folder.name, "preset": "tiny", "training": {"seed": 1, **training}}
    )
    for line in lines(40):
        line["mlm_loss"] = line["mlm_loss"] and loss_of * line["mlm_loss"]
        run.append_metric(line)
    run.write_status(state="done", step=40)
    return run.path


def info(path: Path, **changes: object) -> RunInfo:
    return replace(RunInfo(path, path.name, "tiny", DONE), **changes)  # type: ignore[arg-type]


@pytest.fixture
def page(looks: QApplication, qtbot: QtBot) -> CurvesPage:
    state = RunState()
    state.show_run(info(Path("first")))
    made = CurvesPage(state, lambda: ("first", ""))
    qtbot.addWidget(made)
    return made


class TestSmoothing:
    @pytest.mark.parametrize(("count", "share"), [(40, 0.05), (1520, 0.01), (1520, 0.05), (20_000, 0.05)])
    def test_each_point_is_the_mean_of_the_window_around_it(self, count: int, share: float) -> None:
        values = np.random.default_rng(1).normal(3, 1, count)
        half = window_of(count, share) // 2
        places = np.unique(np.linspace(0, count - 1, 50).astype(int))
        expected = [np.mean(values[max(0, place - half) : place + half + 1]) for place in places]
        np.testing.assert_allclose(smoothed(values, share)[places], expected, rtol=1e-12)

    def test_few_points_and_no_smoothing_leave_all_as_it_is(self) -> None:
        values = np.arange(9.0)
        assert smoothed(values, 0.05) is values and smoothed(np.arange(500.0), 0.0)[250] == 250
        assert window_of(10**6, 0.05) == MOST

    def test_a_peak_of_the_largest_number_hurts_only_its_own_window(self) -> None:
        values = np.ones(2000)
        values[1000] = 1e30
        assert (smoothed(values, 0.01)[1100:] == 1).all()

    def test_legend_says_that_a_value_is_a_mean(self, looks: QApplication, qtbot: QtBot) -> None:
        plot = CurvePlot(SPEC)
        qtbot.addWidget(plot)
        plot.set_points({"loss": (np.arange(100.0), np.tile([1.0, 3.0], 50))})
        assert plot.legend_values == {"loss": "3.00"}
        plot.change(smoothing=0.05)
        assert plot.legend_values == {"loss": "≈ 2.33"}  # of the last three
        assert plot.points("loss")[1][-1] == 3.0, "what is saved is what was measured"


class TestAxes:
    def test_a_point_stands_where_its_line_says(self, page: CurvesPage) -> None:
        written = lines(200)
        page._state.metrics.append(written)
        trained = [line for line in written if line.get("mlm_loss") is not None and line["kind"] == "train"]
        for key in (STEP, EPOCH, TOKENS, SECONDS):
            unit = 60 if key == SECONDS else 1
            page.axis.setCurrentIndex(page.axis.findData(key))
            page.draw()
            x, values = page.plot_of("loss_masked").points("loss_masked")
            np.testing.assert_allclose(x, [line[key] / unit for line in trained])
            assert values.tolist() == [line["mlm_loss"] for line in trained]

    def test_a_measurement_stands_at_the_time_of_its_step(self, page: CurvesPage) -> None:
        page._state.metrics.append(lines(200))
        page.axis.setCurrentIndex(page.axis.findData(SECONDS))
        page.draw()
        x, _ = page.plot_of("loss_held_out").points("loss_held_out")
        np.testing.assert_allclose(x, np.arange(10, 201, 10) * 2.0 / 60)

    def test_what_no_line_says_is_not_offered(self, page: CurvesPage) -> None:
        page._state.metrics.append([{"kind": "train", "step": 3, "mlm_loss": 5.0}])
        page.axis.setCurrentIndex(page.axis.findData(TOKENS))
        page.draw()
        assert page.plot_of("loss_masked").points("loss_masked")[0].tolist() == [3.0]
        model = page.axis.model()
        assert [model.item(index).isEnabled() for index in range(4)] == [True, False, False, False]

    def test_marks_move_with_the_axis_and_say_why(self, page: CurvesPage) -> None:
        metrics = page._state.metrics
        metrics.append([{"kind": "phase", "step": 1, "phase": "causal"}, *lines(100)])
        metrics.append(
            [{"kind": "phase", "step": 61, "phase": "masked"}, {"kind": "phase", "step": 80, "phase": "longer"}]
        )
        metrics.append([{"kind": "resume", "step": 90, "changed": "learning rate 0.001, was 0.002"}])
        assert [mark.x for mark in marks_of(metrics)] == [61, 80, 90]
        assert "longer sequences" in marks_of(metrics)[1].sentence
        assert "learning rate 0.001, was 0.002" in marks_of(metrics)[2].sentence
        page.axis.setCurrentIndex(page.axis.findData(TOKENS))
        page.draw()
        plot = page.plots[0]
        assert [mark.x for mark in plot.drawing.marks] == [4096 * 61, 4096 * 80, 4096 * 90]
        plot.show_place(4096.0 * 80)
        assert "longer sequences" in plot._legend.place

    def test_many_resumes_are_said_where_the_mouse_is(self) -> None:
        metrics = RunMetrics()
        metrics.append({"kind": "resume", "step": step} for step in range(10, 80, 10))
        assert {mark.after for mark in marks_of(metrics)} == {""} and len(marks_of(metrics)) == 7


class TestLogarithm:
    def test_ticks_and_level_are_where_their_values_are(self, looks: QApplication, qtbot: QtBot) -> None:
        plot = CurvePlot(replace(SPEC, level=Level(0.1, "guessing")))
        qtbot.addWidget(plot)
        plot.set_points({"loss": (np.arange(4.0), np.array([100.0, 10.0, 1.0, 0.0]))})
        plot.change(is_logarithmic=True)
        plot.resize(600, 400)
        plot.show()
        qtbot.waitUntil(lambda: plot._canvas is not None)
        canvas = plot._canvas
        assert canvas is not None
        assert canvas._level.value() == pytest.approx(-1)
        assert canvas._plot.getAxis("left").tickStrings([0.0, 2.0], 1, 1) == ["1", "100"]
        handle_events()
        minor = canvas._plot.getAxis("left").tickStrings([math.log10(n) for n in range(2, 10)], 1, None)
        assert minor[0] == "2" and "9" not in minor, "9 would touch 10"
        plot.change(is_logarithmic=False)
        assert canvas._level.value() == pytest.approx(0.1)
        assert canvas._plot.getAxis("left").tickStrings([0.5, 2.0], 1, 1) == ["0.5", "2"]


def test_hover_reads_all_plots_at_that_place(page: CurvesPage) -> None:
    page._state.metrics.append(lines(100))
    page.smooth.setCurrentIndex(0)
    page.draw()
    page.plots[0].hovered.emit(50.0)
    assert page.plot_of("words_right").legend_values == {"words_right": "30%", "words_right_held_out": "25%"}
    loss = next(line["mlm_loss"] for line in lines(100) if line["step"] == 50)
    assert page.plots[0].legend_values["loss_masked"] == numbers.decimal(loss)
    assert "50" in page.plots[1]._legend.place
    page.plots[0].hovered.emit(None)
    assert page.plots[1]._legend.place == ""


def test_another_run_is_shown_from_its_first_chart(page: CurvesPage) -> None:
    page.resize(500, 300)
    page.show()
    QApplication.processEvents()
    bar = page.grid.verticalScrollBar()
    bar.setValue(bar.maximum())
    bars = [area.verticalScrollBar() for area in page.findChildren(QScrollArea)]
    assert max(bar.value() for bar in bars) > 0
    page._state.show_run(info(Path("second")))
    assert max(bar.value() for bar in bars) == 0


def test_guessing_has_a_line_at_its_level(page: CurvesPage) -> None:
    spec = next(spec for spec in page.grid.specs if spec.curves[0].key == "sentence_right")
    assert spec.level == Level(0.5, "") and "guessing gets 50%" in spec.sentence


def test_only_plots_with_points_are_shown_and_expert_ones_on_request(page: CurvesPage) -> None:
    page._state.metrics.append(
        {"kind": "train", "step": step, "mlm_loss": 3.0, "learning_rate": 1e-3} for step in (1, 2)
    )
    page.draw()
    shown = [plot for plot in page.plots if not plot.isHidden()]
    assert shown == [page.plot_of("loss_masked")]
    page.more.click()
    assert [plot for plot in page.plots if not plot.isHidden()] == [*shown, page.plot_of("learning_rate")]


class TestCompared:
    def test_runs_over_one_another_are_their_files(self, own_home: Path, qtbot: QtBot) -> None:
        first, second = make_run(own_home / "runs" / "a"), make_run(own_home / "runs" / "b", loss_of=2.0, batch_size=64)
        service = RunsService()
        page = CurvesPage(service, lambda: ("first", ""))
        qtbot.addWidget(page)
        service.refresh()
        service.select(first)
        page.toggle_compared(second)
        page.draw()
        plot = page.plots[0]
        for number, run in enumerate((first, second)):
            written = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
            losses = [line["mlm_loss"] for line in written if line["kind"] == "train" and line["mlm_loss"] is not None]
            assert plot.points(f"{number}:loss_masked")[1].tolist() == losses
        assert [shape.name for shape in plot.spec.shapes] == [
            "training, next word",
            "training, masked words",
            "held-out text",
        ]
        assert list(plot.legend_values) and page.table.rows == [("batch size", ("–", "64"))]
        page.toggle_compared(second)
        assert page.table.isHidden() and not service.compared
        service.close()

    def test_each_run_has_its_phases_in_its_colour(self, page: CurvesPage) -> None:
        page._state.set_runs([info(Path("first")), info(Path("second"))])
        page.toggle_compared(Path("second"))
        for path, switch in ((None, 11), (Path("second"), 31)):
            told = [phase(1, "causal"), phase(switch, "masked"), phase(50, "longer"), *lines(60)]
            if path is None:
                page._state.metrics.append(told)
                page.draw()
            else:
                page._state.compared[path].append(told)
                page._state.compared_read.emit()
        marks = page.plots[0].drawing.marks
        assert [(mark.x, mark.color) for mark in marks] == [(11, RUN_COLORS[0]), (31, RUN_COLORS[1]), (50, "faint")]
        assert marks[1].in_full.startswith("second: ") and not any(mark.before for mark in marks[:2])

    def test_losses_over_different_vocabularies_are_said_not_to_compare(self, page: CurvesPage) -> None:
        runs = assets() / "runs"
        page.table.show_runs([(name, runs / name) for name in SHIPPED], predict_words=True)
        assert page.table.warning and page.table.warning in page.table.text.text()
        assert ("entries in the vocabulary", ("16,384", "4,096")) in page.table.rows
        page.table.show_runs([("a", runs / TINY), ("b", runs / TINY)], predict_words=True)
        assert not page.table.warning
        page.table.show_runs([(name, runs / name) for name in SHIPPED], predict_words=False)
        assert not page.table.warning

    def test_only_runs_of_the_same_kind_are_offered(self, page: CurvesPage) -> None:
        task = info(Path("task"), kind="finetune", metrics=("accuracy",))
        page._state.set_runs([info(Path("first")), info(Path("second")), task])
        menu = QMenu()
        page._fill_menu(menu)
        assert [action.text() for action in menu.actions()] == ["second"]
        page.toggle_compared(Path("task"))
        assert not page._state.compared
        page.toggle_compared(Path("second"))
        page._state.show_run(task)
        assert not page._state.compared

    def test_a_deleted_run_is_no_longer_compared(self, page: CurvesPage) -> None:
        page._state.set_runs([info(Path("first")), info(Path("second"))])
        page.toggle_compared(Path("second"))
        page._state.set_runs([info(Path("first"))])
        assert not page._state.compared

    def test_no_more_runs_than_colours(self, page: CurvesPage) -> None:
        runs = [info(Path(str(number))) for number in range(9)]
        page._state.set_runs(runs)
        for run in runs:
            page.toggle_compared(run.path)
        assert len(page._state.compared) == 4

    def test_differences_are_of_the_files(self, tmp_path: Path) -> None:
        shared = {"format_version": 1, "kind": "pretrain", "data": {"corpus": ["/a/b/stories.txt"]}}
        for name, training in (
            ("a", {"learning_rate": 0.001, "seed": 1, "compile": None}),
            ("b", {"learning_rate": 0.0005, "seed": 1, "compile": True}),
        ):
            RunFolder.create(tmp_path / name, {**shared, "name": name, "training": training})
        found = differences([tmp_path / "a", tmp_path / "b", tmp_path / "missing"][:2])
        assert found == [("learning rate", ("0.001", "0.0005")), ("compile", ("–", "✓"))]
        assert dict(differences([tmp_path / "a", tmp_path / "missing"]))["corpus"] == ("stories.txt", "–")


@pytest.mark.parametrize("is_logarithmic", [False, True])
def test_of_100_000_points_some_for_each_pixel_are_painted(
    looks: QApplication, qtbot: QtBot, is_logarithmic: bool
) -> None:
    """So that it takes a frame or two; how long: `make bench`."""
    plot = CurvePlot(SPEC)
    qtbot.addWidget(plot)
    plot.resize(900, 400)
    plot.change(smoothing=0.01)
    plot.change(is_logarithmic=is_logarithmic)
    x = np.arange(100_000.0)
    plot.set_points({"loss": (x, 8 / np.sqrt(x + 1) + np.random.default_rng(0).normal(2, 0.1, len(x)))})
    plot.show()
    qtbot.waitUntil(lambda: plot._canvas is not None)
    handle_events()
    assert plot._canvas is not None
    view = plot._canvas._plot.getViewBox()
    for zoom in (1.0, 0.98, 0.7, 0.4, 0.1):
        view.scaleBy((zoom, 1), center=QPointF(50_000, 3))
        plot.grab()
        for item in (plot._canvas._items["loss"], plot._canvas._raw["loss"]):
            assert 100 < len(item.curve.getData()[0]) < 15 * plot.width()


def test_two_charts_stand_side_by_side_where_one_would_be_out_of_sight(looks: QApplication, qtbot: QtBot) -> None:
    info = RunInfo(path=Path(), name="", about="", status=DONE, kind="finetune", metrics=("accuracy",))
    grid = CurveGrid(plots_of(info))
    qtbot.addWidget(grid)
    first, second = grid.plots[:2]
    steps = np.arange(3)
    first.set_points({"loss": (steps, steps / 2)})
    second.set_points({second.spec.curves[0].key: (steps, steps / 2)})

    def seen(width: int, height: int) -> tuple[bool, bool]:
        """Whether they are beside one another, and whether the second is seen without scrolling."""
        grid.resize(width, height)
        handle_events()
        return first.y() == second.y(), second.geometry().bottom() < grid.viewport().height()

    grid.show()
    assert seen(900, 500) == (False, True)
    assert seen(900, 260) == (True, True)
    assert seen(500, 260) == (False, False)
