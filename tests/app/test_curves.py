"""The curves of a run: smoothing, axes, words beside them, several runs over one another, and 100,000 points."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QScrollArea

from app.look import numbers, theme
from app.rooms.train.curves.page import RUN_COLORS, CurveGrid, CurvesPage, marks_of
from app.rooms.train.curves.plots import plots_of
from app.runs.compared_settings import differences
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.widgets.curve_plot import CurvePlot
from app.widgets.curve_specs import MOST, CurveSpec, Level, Mark, PlotSpec, smoothed, window_of
from bertcore.locations import BUILT_IN, TINY, assets
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import EPOCH, SECONDS, STEP, TOKENS, RunMetrics
from bertcore.training.pretrain_options import PretrainOptions
from scripts.curve_picture import _mark_phases, _plot, phase_starts
from tests.app.conftest import handle_events, placed, wait_until
from tests.app.layout_check import curve_words
from tests.app.train_room import stored_run, training_lines

NOISY = CurveSpec("loss", "training", "curve_train", numbers.decimal, noisy=True)
SPEC = PlotSpec("Loss", (NOISY,), "loss", may_be_logarithmic=True)
SMOOTH = replace(SPEC, curves=(replace(NOISY, noisy=False),))
PRETRAIN = RunInfo(Path("first"), "first", "tiny", RunStatus("done"))
SECOND = replace(PRETRAIN, path=Path("second"), name="second")
TASK = RunInfo(Path("task"), "task", "", RunStatus("done"), kind="finetune", metrics=("accuracy", "f1"))
STEPS, SWITCH = 11_068, 2_151
FALLING = np.linspace(0, STEPS, 60), np.linspace(9, 3, 60)


def phase(step, name, **more):
    return {"kind": "phase", "step": step, "phase": name, **more}


@pytest.fixture
def plot_of(qtbot):
    """A plot that is shown, with its canvas."""

    def make(spec, x, y, places=None, **changes):
        made = CurvePlot(spec)
        qtbot.addWidget(made)
        made.resize(600, 300)
        made.set_points({spec.curves[0].key: (np.asarray(x, float), np.asarray(y, float))}, places or ())
        for name, value in changes.items():
            made.change(**{name: value})
        made.show()
        wait_until(lambda: made.is_loaded)
        handle_events()
        return made

    return make


@pytest.fixture
def page(qtbot):
    state = RunState()
    state.show_run(PRETRAIN)
    made = CurvesPage(state, lambda: ("first", ""))
    qtbot.addWidget(made)
    return made


def show_axis(page, key):
    page.axis.setCurrentIndex(page.axis.findData(key))
    page.draw()


def axes(plot):
    return tuple(plot._canvas._plot.getViewBox().viewRange())


@pytest.mark.parametrize(("count", "share"), [(40, 0.05), (1520, 0.01), (1520, 0.05), (20_000, 0.05)])
def test_each_point_is_the_mean_of_the_window_around_it(count, share):
    values = np.random.default_rng(1).normal(3, 1, count)
    half = window_of(count, share) // 2
    places = np.unique(np.linspace(0, count - 1, 50).astype(int))
    expected = [np.mean(values[max(0, place - half) : place + half + 1]) for place in places]
    np.testing.assert_allclose(smoothed(values, share)[places], expected, rtol=1e-12)


def test_what_smoothing_leaves_as_it_is_and_a_legend_that_says_that_a_value_is_a_mean(plot_of):
    few, peak = np.arange(9.0), np.ones(2000)
    assert smoothed(few, 0.05) is few and smoothed(np.arange(500.0), 0.0)[250] == 250
    assert window_of(10**6, 0.05) == MOST
    peak[1000] = 1e30  # hurts only its own window
    assert (smoothed(peak, 0.01)[1100:] == 1).all()
    plot = plot_of(SPEC, np.arange(100.0), np.tile([1.0, 3.0], 50))
    assert plot.legend_values == {"loss": "3.00"}
    plot.change(smoothing=0.05)
    assert plot.legend_values == {"loss": "≈ 2.33"}  # of the last three
    assert plot.points("loss")[1][-1] == 3.0, "what is saved is what was measured"


def test_a_point_stands_where_its_line_says(page):
    written = training_lines(200)
    page._state.metrics.append(written)
    trained = [line for line in written if line.get("mlm_loss") is not None and line["kind"] == "train"]
    for key in (STEP, EPOCH, TOKENS, SECONDS):
        show_axis(page, key)
        x, values = page.plot_of("loss_masked").points("loss_masked")
        np.testing.assert_allclose(x, [line[key] / (60 if key == SECONDS else 1) for line in trained])
        assert values.tolist() == [line["mlm_loss"] for line in trained]
    x, _ = page.plot_of("loss_held_out").points("loss_held_out")  # measured at the time of its step
    np.testing.assert_allclose(x, np.arange(10, 201, 10) * 2.0 / 60)


def test_what_no_line_says_is_not_offered(page):
    page._state.metrics.append([{"kind": "train", "step": 3, "mlm_loss": 5.0}])
    show_axis(page, TOKENS)
    assert page.plot_of("loss_masked").points("loss_masked")[0].tolist() == [3.0]
    model = page.axis.model()
    assert [model.item(index).isEnabled() for index in range(4)] == [True, False, False, False]


def test_marks_move_with_the_axis_and_say_why(page):
    metrics = page._state.metrics
    metrics.append([phase(1, "causal"), *training_lines(100), phase(61, "masked"), phase(80, "longer")])
    metrics.append([{"kind": "resume", "step": 90, "changed": "learning rate 0.001, was 0.002"}])
    assert [mark.x for mark in marks_of(metrics)] == [61, 80, 90]
    for mark, words in zip(marks_of(metrics)[1:], ("longer sequences", "learning rate 0.001, was 0.002"), strict=True):
        assert words in mark.sentence
    show_axis(page, TOKENS)
    plot = page.plots[0]
    assert [mark.x / 4096 for mark in plot.drawing.marks] == [61, 80, 90]
    plot.show_place(4096.0 * 80)
    assert "longer sequences" in plot._legend.place
    metrics.append({"kind": "resume", "step": step} for step in range(91, 98))
    assert [mark.after for mark in marks_of(metrics)[2:]] == [""] * 8, "many: said where the mouse is"


def test_switch_is_marked_only_after_a_warm_up():
    metrics = RunMetrics()
    for lines, expected in (
        ([phase(1, "causal")], ("causal", None, None)),
        ([phase(90, "masked"), phase(120, "masked")], ("masked", 90, None)),
        ([phase(150, "longer")], ("masked", 90, 150)),
    ):
        metrics.append(lines)
        assert (metrics.phase, metrics.switch_step, metrics.longer_step) == expected
    metrics.clear()
    metrics.append([phase(1, "masked")])
    assert metrics.switch_step is None and metrics.longer_step is None


def test_logarithmic_ticks_and_level_are_where_their_values_are(plot_of):
    leveled = replace(SPEC, level=Level(0.1, "guessing"))
    plot = plot_of(leveled, np.arange(4.0), [100.0, 10.0, 1.0, 0.0], is_logarithmic=True)
    plot.resize(600, 400)
    handle_events()
    level, axis = plot._canvas._level, plot._canvas._plot.getAxis("left")
    assert level.value() == pytest.approx(-1) and axis.tickStrings([0.0, 2.0], 1, 1) == ["1", "100"]
    minor = axis.tickStrings([math.log10(n) for n in range(2, 10)], 1, None)
    assert minor[0] == "2" and "9" not in minor, "9 would touch 10"
    plot.change(is_logarithmic=False)
    assert level.value() == pytest.approx(0.1) and axis.tickStrings([0.5, 2.0], 1, 1) == ["0.5", "2"]


def test_axes_of_one_point_have_nothing_below_zero(plot_of):
    """pyqtgraph keeps the span of the run before: from -4,000."""
    plot = plot_of(SMOOTH, *FALLING)
    plot.set_points({"loss": (np.array([10.0]), np.array([8.0]))})
    (first, last), (low, high) = axes(plot)
    assert first >= -0.5 and last < 100 and 2 < low < 8 < high < 14
    plot.set_points({"loss": FALLING})
    wait_until(lambda: axes(plot)[0][1] >= STEPS)
    assert -0.03 * STEPS < axes(plot)[0][0] <= 0


@pytest.mark.parametrize("info", [PRETRAIN, replace(PRETRAIN, kind="distil"), TASK], ids=["text", "distil", "task"])
def test_every_curve_has_a_name_and_dots_differ_in_shape(info):
    plots = plots_of(info)
    for spec in (*plots.specs, *plots.more):
        assert all(curve.name for curve in spec.curves)
        shapes = [curve.symbol for curve in spec.curves if curve.dots]
        assert len(set(shapes)) == len(shapes)


def test_what_is_said_of_a_phase_stays_within_it(plot_of):
    names = {"first: predict the next word ", "first: next word "}
    plot = plot_of(SMOOTH, *FALLING, marks=[Mark(SWITCH, "then", *sorted(names, key=len, reverse=True))])
    canvas, seen = plot._canvas, set()
    for width in range(300, 1500, 60):
        plot.resize(width, 300)
        handle_events()
        inside = canvas._plot.getViewBox()
        begins, ends = (inside.mapViewToScene(QPointF(step, 3)).x() for step in (0, SWITCH))
        for text, box, _ in curve_words(canvas):
            if text.startswith("first"):
                seen.add(text)
                assert begins + 6 < box.left() and box.right() < ends, f"{text!r} at {width}"
    assert seen == names
    assert canvas._plot.getAxis("bottom").tickStrings([15_759.0], 1, 1) == [numbers.count(15_759)] == ["15,759"]


def test_the_legend_has_the_last_value_the_hovered_or_the_last_up_to_a_marked_step(plot_of):
    """And words before a mark have room above the curve."""
    plot = plot_of(SMOOTH, [0.0, 224.0, 226.0], [8.0, 2.27, 2.13])
    for x, value in ((None, "2.13"), (200.0, "2.27"), (None, "2.13")):
        plot._canvas.hovered.emit(x)
        assert plot.legend_values == {"loss": value}
    plot.set_marked(225)
    assert plot.legend_values == {"loss": "2.27"}
    wait_until(lambda: axes(plot)[1][1] >= 8)
    highest = axes(plot)[1][1]
    plot.change(marks=[Mark(200, "then: masked words", "first: next word")])
    wait_until(lambda: axes(plot)[1][1] > highest)


def test_places_have_names_and_are_clicked(plot_of):
    curves = (CurveSpec("a", "attention", "curve_train", markers=True),)
    spec = PlotSpec("Length", curves, "length", bottom_label="layer", at="layer {x}", includes_zero=True)
    made = plot_of(spec, np.arange(4.0), [np.nan, 2.0, 3.0, 4.0], ["emb.", "1", "2", "3"])
    made.set_marked(2)
    canvas = made._canvas
    assert made.legend_values == {"a": "3"} and axes(made)[1][0] <= 0
    clicks, hovers = [], []
    made.clicked.connect(clicks.append)
    made.hovered.connect(hovers.append)
    at = canvas._view.mapFromScene(canvas._plot.getViewBox().mapViewToScene(QPointF(0.9, 3)))
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.LeftButton):
        QTest.mouseClick(canvas._view.viewport(), button, pos=at)
    canvas.hovered.emit(3.2)
    canvas.hovered.emit(None)
    assert clicks == [1.0] and hovers[-2:] == [3.0, None]
    assert canvas._plot.getAxis("bottom").tickStrings([0, 1, 2.5, 3, 4], 1, 1) == ["emb.", "1", "", "3", ""]


def test_hover_reads_all_plots_at_that_place(page):
    lines = training_lines(100)
    page._state.metrics.append(lines)
    page.smooth.setCurrentIndex(0)
    page.draw()
    page.plots[0].hovered.emit(50.0)
    assert page.plot_of("words_right").legend_values == {"words_right": "30%", "words_right_held_out": "25%"}
    loss = next(line["mlm_loss"] for line in lines if line["step"] == 50)
    assert page.plots[0].legend_values["loss_masked"] == numbers.decimal(loss)
    assert "50" in page.plots[1]._legend.place
    page.plots[0].hovered.emit(None)
    assert page.plots[1]._legend.place == ""


def test_another_run_is_shown_from_its_first_chart(page):
    page.resize(500, 300)
    page.show()
    handle_events()
    bar = page.grid.verticalScrollBar()
    bar.setValue(bar.maximum())
    bars = [area.verticalScrollBar() for area in page.findChildren(QScrollArea)]
    assert max(bar.value() for bar in bars) > 0
    page._state.show_run(SECOND)
    assert max(bar.value() for bar in bars) == 0


def test_only_plots_with_points_are_shown_and_expert_ones_on_request(page):
    values = {"mlm_loss": 3.0, "learning_rate": 1e-3}
    page._state.metrics.append({"kind": "train", "step": step, **values} for step in (1, 2))
    page.draw()
    shown = [plot for plot in page.plots if not plot.isHidden()]
    assert shown == [page.plot_of("loss_masked")]
    page.more.click()
    assert [plot for plot in page.plots if not plot.isHidden()] == [*shown, page.plot_of("learning_rate")]
    spec = next(spec for spec in page.grid.specs if spec.curves[0].key == "sentence_right")
    assert spec.level == Level(0.5, "") and "guessing gets 50%" in spec.sentence


def test_two_charts_stand_side_by_side_where_one_would_be_out_of_sight(qtbot):
    grid = placed(CurveGrid(plots_of(TASK)), qtbot, 900, 500)
    first, second = grid.plots[:2]
    for plot in (first, second):
        plot.set_points({plot.spec.curves[0].key: (np.arange(3), np.arange(3) / 2)})
    for size, expected in (((900, 500), (False, True)), ((900, 260), (True, True)), ((500, 260), (False, False))):
        grid.resize(*size)
        handle_events()
        is_beside, is_seen = first.y() == second.y(), second.geometry().bottom() < grid.viewport().height()
        assert (is_beside, is_seen) == expected


def test_runs_over_one_another_are_their_files(service, qtbot):
    lines = training_lines(40)
    first = stored_run("a", lines=lines).path
    lines = [{**line, "mlm_loss": line["mlm_loss"] and 2 * line["mlm_loss"]} for line in lines]
    options = PretrainOptions.from_dict({"name": "b", "preset": "tiny", "training": {"batch_size": 64}})
    second = stored_run("b", options, lines).path
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
    names = ["training, next word", "training, masked words", "held-out text"]
    assert [shape.name for shape in plot.spec.shapes] == names
    assert list(plot.legend_values) and page.table.rows == [("batch size", ("16", "64"))]
    page.toggle_compared(second)
    assert page.table.isHidden() and not service.compared


def test_each_run_has_its_phases_in_its_colour(page):
    state = page._state
    state.set_runs([PRETRAIN, SECOND])
    page.toggle_compared(SECOND.path)
    for metrics, switch in ((state.metrics, 11), (state.compared[SECOND.path], 31)):
        metrics.append([phase(1, "causal"), phase(switch, "masked"), phase(50, "longer"), *training_lines(60)])
    page.draw()
    state.compared_read.emit()
    marks = page.plots[0].drawing.marks
    assert [(mark.x, mark.color) for mark in marks] == [(11, RUN_COLORS[0]), (31, RUN_COLORS[1]), (50, "faint")]
    assert marks[1].in_full.startswith("second: ") and not any(mark.before for mark in marks[:2])


def test_losses_over_different_vocabularies_are_said_not_to_compare(page):
    table = page.table
    unlike = BUILT_IN, TINY
    for names, predict_words in ((unlike, True), ((TINY, TINY), True), (unlike, False)):
        table.show_runs([(name, assets() / "runs" / name) for name in names], predict_words=predict_words)
        assert bool(table.warning) == (names is unlike and predict_words) and table.warning in table.text.text()
    assert ("entries in the vocabulary", ("16,384", "4,096")) in table.rows


def test_which_runs_can_be_compared(page):
    """Those of the same kind, as long as they are there, and no more than there are colours."""
    state, menu = page._state, QMenu()
    state.set_runs([PRETRAIN, SECOND, TASK])
    page._fill_menu(menu)
    assert [action.text() for action in menu.actions()] == ["second"]
    page.toggle_compared(TASK.path)
    assert not state.compared
    for change in (lambda: state.show_run(TASK), lambda: state.set_runs([PRETRAIN])):
        page.toggle_compared(SECOND.path)
        assert list(state.compared) == [SECOND.path]
        change()
        assert not state.compared
        state.show_run(PRETRAIN)
    runs = [replace(PRETRAIN, path=Path(str(number))) for number in range(9)]
    state.set_runs(runs)
    for run in runs:
        page.toggle_compared(run.path)
    assert len(state.compared) == 4


def test_differences_are_of_the_files(tmp_path):
    shared = {"format_version": 1, "kind": "pretrain", "data": {"corpus": ["/a/b/stories.txt"]}}
    for name, rate, compiles in (("a", 0.001, None), ("b", 0.0005, True)):
        training = {"learning_rate": rate, "seed": 1, "compile": compiles}
        RunFolder.create(tmp_path / name, {**shared, "name": name, "training": training})
    found = differences([tmp_path / "a", tmp_path / "b"])
    assert found == [("learning rate", ("0.001", "0.0005")), ("compile", ("–", "✓"))]
    assert dict(differences([tmp_path / "a", tmp_path / "missing"]))["corpus"] == ("stories.txt", "–")


def test_canvas_keeps_its_items_and_changes_colour_with_the_theme(plot_of, qapp):
    plot = plot_of(SMOOTH, np.arange(3.0), [3.0, 2.0, 1.0])  # data that came before it
    item = plot._canvas._items["loss"]
    assert item.getOriginalDataset()[1].tolist() == [3.0, 2.0, 1.0]
    for size in (10, 1000, 50_000):
        plot.set_points({"loss": (np.arange(size, dtype=float), np.linspace(5, 1, size))})
    assert plot._canvas._items["loss"] is item
    steps, values = item.getOriginalDataset()
    assert len(steps) == 50_000 and values[-1] == 1.0
    assert item.opts["autoDownsample"] and item.opts["clipToView"]
    for name in ("dark", "light"):
        theme.apply(qapp, name)
        handle_events()
        assert item.opts["pen"].color() == theme.color("curve_train")


@pytest.mark.parametrize("is_logarithmic", [False, True])
def test_of_100_000_points_some_for_each_pixel_are_painted(plot_of, is_logarithmic):
    """So that it takes a frame or two; how long: `make bench`."""
    x = np.arange(100_000.0)
    noise = np.random.default_rng(0).normal(2, 0.1, len(x))
    plot = plot_of(SPEC, x, 8 / np.sqrt(x + 1) + noise, smoothing=0.01, is_logarithmic=is_logarithmic)
    plot.resize(900, 400)
    handle_events()
    canvas = plot._canvas
    for zoom in (1.0, 0.98, 0.7, 0.4, 0.1):
        canvas._plot.getViewBox().scaleBy((zoom, 1), center=QPointF(50_000, 3))
        plot.grab()
        for item in (canvas._items["loss"], canvas._raw["loss"]):
            assert 100 < len(item.curve.getData()[0]) < 15 * plot.width()


def test_each_phase_begins_at_the_tokens_seen_before_it_and_is_marked(qapp):
    """In both plots, and named in the first."""
    lines = [{"kind": "held_out", "step": 0, "tokens": 0}, phase(1, "causal"), phase(16, "masked"), phase(21, "longer")]
    lines += [{"kind": "resume", "step": 12}, {"kind": "resume", "step": 25, "changed": "learning rate 0.001"}]
    lines += [{"kind": "train", "step": step, "tokens": 10**5 * step, "phase": "masked"} for step in (10, 20, 30)]
    starts = phase_starts(sorted(lines, key=lambda line: line["step"]))
    assert starts == [
        ("masked words", 1.5e6),
        ("longer sequences", 2e6),
        ("other settings", 2.5e6),
    ]  # the first between two lines
    picture = pg.GraphicsLayoutWidget()
    plots = [_plot(picture, row, "loss") for row in range(2)]
    _mark_phases(plots, starts)
    first, second = ([item for item in plot.items if isinstance(item, pg.InfiniteLine)] for plot in plots)
    assert [line.value() for line in first] == [line.value() for line in second] == [1.5, 2.0, 2.5]
    assert [line.label.format for line in first] == ["masked words", "longer sequences", "other settings"]
    assert not any(hasattr(line, "label") for line in second)
    picture.close()
