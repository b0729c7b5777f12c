"""The Train room: what it shows is what the metrics file says, and its buttons say what the person wants."""

import json
import re
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu

from app.look import theme
from app.rooms.train.room import SNAPSHOTS_PX
from app.rooms.train.snapshots.cards import SnapshotList
from app.runs.run_info import RunInfo, read_run
from app.runs.run_sentences import state_line
from app.shell.menus import fill_models
from app.widgets.card import scrolled
from bertcore import locations
from bertcore.analysis.predict import WordGuess
from bertcore.runs import known_runs as registry
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.training.finetune_options import FinetuneOptions
from tests.app.conftest import placed, wait_until
from tests.app.train_room import chosen_step, idle_room, look_at, stored_run, training_lines

pytestmark = pytest.mark.usefixtures("no_built_in_runs")
LINES = training_lines(40)
SHOWN = [(step, Path("run") / "snapshots" / str(step)) for step in (0, 4000, 11_068)]


def _info(state, **fields):
    status = RunStatus(state, **fields)
    return RunInfo(Path("run"), "stories", "tiny", status, can_resume=state in ("stopped", "failed"))


def test_curves_and_big_numbers_are_the_metrics_file_and_follow_it(room, service):
    run = stored_run(lines=LINES, step=40)
    service.set_following(True)
    room.view.draw()
    written = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
    plots = room.view.curves
    for key, kind, phase, field in (
        ("loss_masked", "train", "masked", "mlm_loss"),
        ("loss_next_word", "train", "causal", "next_word_loss"),
        ("loss_held_out", "held_out", None, "mlm_loss"),
    ):
        expected = [line for line in written if line["kind"] == kind and phase in (None, line.get("phase"))]
        steps, values = plots.plot_of("loss_masked").points(key)
        assert steps.tolist() == [line["step"] for line in expected] and len(expected) > 3
        assert values.tolist() == [line[field] for line in expected]
    assert plots.plot_of("words_right").points("words_right_held_out")[1].tolist() == [0.254] * 4
    assert plots.plot_of("learning_rate").points("learning_rate")[1].tolist() == [1e-3] * 40
    shown = {name: number.text for name, number in room.view.numbers.items()}
    newest = f"{LINES[-2]['mlm_loss']:.2f}"
    assert shown == shown | {"step": "40", "loss": newest, "right": "25%", "speed": "12.3\u2009k"}
    run.append_metric({"kind": "train", "step": 41, "loss": 2.0, "mlm_loss": 1.25, "phase": "masked"})
    wait_until(lambda: room.view.numbers["loss"].text == "1.25")
    assert plots.plots[0].points("loss_masked")[0][-1] == 41
    look_at(room, stored_run("second", lines=training_lines(12)))  # leaves nothing of the first
    assert sum(len(plots.plots[0].points(key)[0]) for key in ("loss_masked", "loss_next_word")) == 12


def test_loss_is_of_what_the_run_is_at_and_says_so(room):
    room.state.show_run(_info("running"))
    number = room.view.numbers["loss"]
    for phase, field, unit in (("causal", "next_word_loss", "next-word"), ("masked", "mlm_loss", "masked-word")):
        lines = [line for line in LINES if line.get("phase") == phase]
        # Some steps of a warm-up are on masked words.
        lines.append({"kind": "train", "step": lines[-1]["step"] + 1, "phase": "masked", "mlm_loss": 1.0})
        room.state.append_metrics([{"kind": "phase", "step": lines[0]["step"], "phase": phase}, *lines])
        room.view.draw()
        newest = [line[field] for line in lines if line.get(field)][-1]
        assert (number.text, number.unit) == (f"{newest:.2f}", f"{unit} loss, last batch")


def test_buttons_are_enabled_as_the_state_allows(room):
    pause, stop = room.view.pause, room.view.stop
    for state, *expected in (
        ("starting", "Pause", False, True),
        ("running", "Pause", True, True),
        ("paused", "Resume", True, True),
        ("stopped", "Resume", True, False),
        ("failed", "Resume", True, False),
        ("done", "Pause", False, False),
        ("unknown", "Pause", False, False),
    ):
        room.state.show_run(_info(state))
        assert [pause.text(), pause.isEnabled(), stop.isEnabled()] == expected, state


def test_pause_resume_and_stop_reach_the_folder(room, service, qtbot):
    run, view = stored_run(), room.view
    with run.acquire():
        for state, button, command in (
            ("running", view.pause, "pause"),
            ("paused", view.pause, "resume"),
            ("running", view.stop, "stop"),
        ):
            run.write_status(state=state)
            service.select(run.path)
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            assert run.take_command() == command


def test_clicking_a_run_selects_it(room, service, qtbot):
    for name in ("first", "second"):
        stored_run(name)
    service.set_following(True)
    other = next(i for i, run in enumerate(service.runs) if run.path != service.selected)
    middle = room.runs.row_rect(other).center().toPoint()
    qtbot.mouseClick(room.runs.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert service.selected == service.runs[other].path


def test_button_slider_and_list_open_snapshots(room, models, service, qtbot):
    run = stored_run(snapshots=(0, 10, 40))
    service.set_following(True)
    slider = room.time_machine.slider
    room.time_machine.open_button.click()  # the newest
    first = QPointF(slider.x_of(0), slider.height() / 2).toPoint()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=first)
    room.watch.list.setFocus()
    qtbot.keyClick(room.watch.list, Qt.Key.Key_Down)
    assert models.asked == [str(run.snapshot_path(step)) for step in (40, 0, 10)]


def test_handle_is_at_what_is_open(room, models, qtbot):
    snapshots = [(step, Path("run") / "snapshots" / str(step)) for step in (0, 1, 2, 5)]
    slider = room.time_machine.slider
    room.state.show_run(_info("running"))
    room.state.set_snapshots(snapshots[:2])
    room.state.set_snapshots(snapshots[:3])
    assert chosen_step(room) == 2  # nothing of this run is open: the newest, ready to be opened
    last = QPointF(slider.x_of(2), slider.height() / 2).toPoint()
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=last)
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


def test_each_snapshot_is_asked_once_for_its_word(room, qtbot):
    run, watch, asked = stored_run(snapshots=(0, 10, 40)), room.watch, []
    room.question_requested.connect(lambda question: asked.append((question, question.job)))
    with qtbot.waitExposed(room):
        room.show()
    room.state.show_run(read_run(run.path))
    room.state.set_snapshots(run.snapshots())
    assert len(asked) == 1
    assert asked[0][1].arguments == (tuple(path for _, path in run.snapshots()), watch.sentence.text())
    asked[0][0].deliver(asked[0][1], {})
    room.state.set_snapshots(run.snapshots())
    assert len(asked) == 1
    watch.sentence.setText("Another [MASK].")
    assert len(asked) == 2
    asked[1][0].deliver(asked[1][1], None, "The sentence is too long.")
    assert watch.problem.text() == "The sentence is too long."
    watch.sentence.setText("No mask")
    assert watch.problem.isHidden() and len(asked) == 2
    watch.sentence.setText("A third [MASK].")
    assert len(asked) == 3 and asked[2][1].arguments[1] == "A third [MASK]."


def test_the_card_says_which_word_it_asks_for(room):
    room.state.show_run(_info("running"))
    room.state.set_snapshots(SHOWN)
    note = room.watch.note
    assert not note.isVisibleTo(room.watch) and note.text() == ""
    for sentence, words in (
        ("Anna asked her [MASK] for help.", ""),
        ("Anna asked for help.", "Type [MASK] where"),
        ("Anna asked her [mask] for help.", "Type [MASK] where"),
        ("", "Type [MASK] where"),
        ("Anna [MASK] her [MASK] for help.", "first [MASK]"),
    ):
        room.watch.sentence.setText("Something [MASK] [MASK] else")
        room.watch.sentence.setText(sentence)
        assert words in note.text() and note.isVisibleTo(room.watch) == bool(words) == bool(note.text())


@pytest.mark.parametrize("scale", [1.0, theme.PROJECTOR_SCALE])
def test_each_snapshot_says_how_sure_it_is(scale, qapp, qtbot):
    theme.apply(qapp, "light", scale)
    made, guesses = SnapshotList(), [("the", 0.004), ("mother", 0.1), ("n" * 40, 0.25)]
    qtbot.addWidget(made)
    made.set_snapshots(SHOWN)
    made.set_guesses({path: WordGuess(word, 0, p) for (_, path), (word, p) in zip(SHOWN, guesses, strict=True)})
    made.resize(theme.column_px(SNAPSHOTS_PX) - theme.px(40), made.sizeHint().height())
    picture, generator = QBuffer(), QSvgGenerator()
    picture.open(QIODevice.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(picture)
    painter = QPainter(generator)
    made.render(painter, QPoint(0, 0))
    painter.end()
    words = re.findall(r"<text[^>]*>([^<]*)</text>", bytes(picture.data().data()).decode())
    assert [word.replace("\u2009", "") for word in words if "0." in word] == ["0.004", "0.10", "0.25"]
    assert {"mother", "4,000", "11,068"} <= set(words) and any(word.endswith("…") for word in words)


def test_empty_room_invites(room, service):
    service.set_following(True)
    assert "No runs yet" in room.invitation.text() and not room.view.isVisibleTo(room)
    assert not room.time_machine.open_button.isEnabled()


def test_built_in_run_is_looked_at_only_and_the_demos_stay_in_sight(room, service, own_home, monkeypatch):
    made = stored_run(locations.BUILT_IN, state="stopped")
    built_in = RunFolder(shutil.move(made.path, own_home.parent / "assets" / "runs" / locations.BUILT_IN))
    monkeypatch.setattr(locations, "assets", lambda: own_home.parent / "assets")
    monkeypatch.setattr(registry, "known_runs", lambda: [built_in.path])
    service.set_following(True)
    assert service.selected == built_in.path and not service.runs[0].can_resume
    assert service.runs[0].name == "Training of bertscope-mini"
    assert room.view.pause.isHidden() and room.view.stop.isHidden()
    assert room.demos.isVisibleTo(room)
    own = stored_run()
    monkeypatch.setattr(registry, "known_runs", lambda: [own.path, built_in.path])
    service.refresh()
    service._select_one()
    assert service.selected == own.path
    assert not room.view.pause.isHidden() and room.demos.isVisibleTo(room)
    service.select(built_in.path)
    service._select_one()
    assert service.selected == built_in.path


def test_a_state_in_words():
    for info, line in (
        (_info("running", fraction=0.61, remaining_s=840), "Running · 61% · 14\u2009min left"),
        (_info("paused", step=3400), "Paused · step 3,400"),
        (_info("failed", message="The disk is full."), "Failed · The disk is full."),
        (_info("done", step=12), "Done · step 12"),
        (_info("starting", message="Learning a vocabulary."), "Starting · Learning a vocabulary."),
    ):
        assert state_line(info) == line


def test_runs_folds_away_again_after_a_form_that_opened_it(qtbot):
    room = idle_room()
    area = placed(scrolled(room), qtbot, 700, 500)
    assert not room.runs_card.isVisible()
    room.runs_card.show_form()
    assert room.runs_card.isVisible()
    room.runs_card.show_list()
    assert not room.runs_card.isVisible()
    area.resize(1600, 900)
    room.runs_card.show_form()
    room.runs_card.show_list()
    assert room.runs_card.isVisible(), "there is room for all cards"


def test_the_newest_step_stays_in_sight_while_a_run_learns(room, qtbot):
    run = stored_run(snapshots=range(0, 400, 10))
    room.resize(1200, 600)
    with qtbot.waitExposed(room):
        room.show()
    room.state.show_run(read_run(run.path))
    for count in (20, 40):
        room.state.set_snapshots(run.snapshots()[:count])
        bar = room.watch.area.verticalScrollBar()
        wait_until(lambda count=count, bar=bar: len(room.watch.list.rows) == count and 0 < bar.maximum() == bar.value())


def test_the_settings_of_another_run_are_left_behind_by_a_new_one(room):
    options = FinetuneOptions(name="films").with_changes(task="sst2", epochs=7.0, learning_rate=1e-3)
    info = read_run(stored_run("films", options).path)
    room.runs_card.show_copy_form(info)
    form = room.form
    assert "films" in form.about.text() and form.length.number == 7.0 and form.name.text() == "films 2"
    room.runs_card.show_list()
    room.runs_card.show_form()
    assert form.about.isHidden() and form.planned().options.training.epochs is None
    assert form.planned().options.training.learning_rate is None


def test_own_runs_are_in_the_menu_of_models(window):
    stored_run("early", step=0)
    run = stored_run("cats", snapshots=(0, 20))
    menu = QMenu(window)
    fill_models(window, menu)
    named = {action.text(): action for action in menu.actions()}
    assert "Run: cats" in named and "Run: early" not in named
    asked = []
    window.services.open_model.requested.connect(asked.append)
    named["Run: cats"].trigger()
    assert asked == [str(run.path)]
