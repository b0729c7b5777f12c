"""The time machine of a run: its stages in the header, Play in every room and in Train, and following it at work."""

import json
import shutil
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.compute.over_time import read_snapshots
from app.runs.run_info import RunInfo
from app.runs.stages import _stages_of, steps_of
from app.shell import time_machine
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import SHIPPED, TINY, assets, shipped_checkpoint
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TIMEOUT_MS, make_run, settle, shown_room, wait_until
from tests.app.run_window import STEPS, last_snapshot, run
from tests.app.train_room import chosen_step, stored_run

__all__ = ["last_snapshot", "run"]  # fixtures
pytestmark = pytest.mark.usefixtures("no_built_in_runs")
LOSSES = {0: 8.0, 10: 7.8, 20: 5.2, 40: 3.0, 100: 2.0}  # half of the fall: 5.0


@pytest.fixture
def played(last_snapshot):
    last_snapshot.open_room("attend")
    settle(last_snapshot)
    return last_snapshot


@pytest.fixture
def room(run, window, no_built_in_runs):
    """Train, with that run, while another model is open."""
    made = window.open_room("train")
    wait_until(lambda: chosen_step(made) == STEPS[-1])
    return made


@pytest.fixture
def hurried(monkeypatch):
    for pause in ("LAST_MS", "MOST_MS", "LEAST_MS"):
        monkeypatch.setattr(time_machine, pause, 1)


def show_first(window):
    """Plays, and stays at the first snapshot."""
    player = window.services.playback
    player.start(window.services.time_machine.steps.snapshots, 1_000_000)
    wait_until(lambda: not player._question.is_running)
    player._on_timer_timeout()
    assert window.state.model.step == 0


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kept", [None, 1])
def test_each_snapshot_is_shown_as_it_reads_the_text(kept, played, run, monkeypatch):
    """What memory does not hold is opened one by one."""
    if kept:
        monkeypatch.setattr(time_machine, "MOST_KEPT_BYTES", 4 * kept * played.state.model.parameters)
    state, player, seen = played.state, played.services.playback, []
    state.reading_changed.connect(lambda: state.reading and seen.append(state.reading))
    player.start(played.services.time_machine.steps.snapshots, 0)
    wait_until(lambda: not player.is_playing)
    settle(played)
    steps = [reading.request.model.step for reading in seen]
    assert steps[: len(STEPS)] == list(STEPS) and steps[-1] == state.model.step == STEPS[-1]  # what was open before
    assert kept or len(steps) == len(STEPS) + 1
    for step, reading in zip(STEPS, seen, strict=False):
        checkpoint = load_checkpoint(run.snapshot_path(step))
        direct = trace(checkpoint.model, reading.request.input_ids, reading.request.segments)
        np.testing.assert_allclose(reading.trace.attentions, direct.attentions, atol=1e-6)
    assert not np.allclose(seen[0].trace.attentions, seen[1].trace.attentions)


def test_it_gives_back_what_was_open_and_selected(played):
    state, opener = played.state, played.services.open_model
    state.set_head(1, 2)
    state.set_focus(3)
    played.history.look()
    before, undo = (opener.reference, state.model, state.reading), played.history.to_undo
    show_first(played)
    assert played.services.playback.is_playing and state.reading is not before[2]
    checkpoints = played.services.inference.checkpoints
    assert checkpoints.of(state.model).step == 0, "a view can ask of it, though the model of before stays open too"
    QTest.keyClick(played, Qt.Key.Key_Escape)
    assert (opener.reference, state.model, state.reading) == before and checkpoints.of(state.model).step == STEPS[-1]
    assert (state.layer, state.head, state.focus) == (1, 2, 3)  # Escape has ended one thing only
    QTest.keyClick(played, Qt.Key.Key_Escape)
    assert state.focus is None
    played.history.look()
    assert played.history.to_undo == undo


@pytest.mark.usefixtures("hurried")
def test_what_is_typed_meanwhile_is_read_and_stays(played):
    show_first(played)
    played.state.set_text("A dog ran home.", "")
    played.services.playback._timer.setInterval(1)
    wait_until(lambda: not played.services.playback.is_playing)
    settle(played)
    assert played.state.text_a == "A dog ran home." and played.state.model.step == STEPS[-1]


def test_what_a_person_opens_stays_open(played, model_folder):
    show_first(played)
    played.open_model(model_folder)
    assert not played.services.playback.is_playing
    settle(played)
    assert played.state.model.folder == model_folder.resolve()


def test_a_model_without_snapshots_has_no_switch_and_says_where_there_are_some(window):
    assert steps_of(window.state.model.folder) is None and not window.frame.title_bar.switch.isVisible()
    assert not window.commands["model.start"].isEnabled()
    play = window.frame.title_bar.play
    assert "no snapshots" in play.toolTip()
    QTest.mouseClick(play, Qt.MouseButton.LeftButton)
    menu = play.findChild(QMenu)
    why, offer = menu.actions()
    assert not window.frame.banner.is_shown and not window.services.playback.is_playing
    assert "has no snapshots" in why.text() and not why.isEnabled() and offer.text().startswith(f"Open {TINY} and play")
    QTest.keyClick(menu, Qt.Key.Key_Return)
    wait_until(lambda: window.services.playback.is_playing)
    assert window.services.open_model.reference == TINY and "Stop" in play.toolTip()
    window.commands["text.deselect"].trigger()  # Escape
    assert not window.services.playback.is_playing and "one snapshot after the other" in play.toolTip()


def test_snapshots_of_another_shape_leave_the_head_as_it_was(window, own_home):
    """As from Train, where a run is played that is not the open model's."""
    run = make_run(own_home / "runs" / "other", (0, 5), heads=2)
    window.state.set_head(1, 3)
    model, seen = window.state.model, []
    window.state.model_changed.connect(lambda: window.state.model and seen.append(window.state.model.heads))
    window.services.playback.start(tuple(run.snapshots()), 1)
    wait_until(lambda: 2 in seen)
    window.services.playback.stop()
    settle(window)
    assert window.state.model is model and (window.state.layer, window.state.head) == (1, 3)


def test_a_snapshot_that_opens_when_it_stops_is_not_kept(played, monkeypatch):
    opened, go_on = Event(), Event()

    def held(*given):
        for snapshot in read_snapshots(*given):
            opened.set()
            go_on.wait()
            yield snapshot

    monkeypatch.setattr(time_machine, "read_snapshots", held)
    player = played.services.playback
    player.start(played.services.time_machine.steps.snapshots)
    assert opened.wait(TIMEOUT_MS / 1000)
    player.stop()
    go_on.set()
    settle(played)
    assert len(played.services.inference.checkpoints.all()) == 1


def test_a_click_stops_it_and_its_handle_opens_a_snapshot_that_stays(room, window, run):
    former, card, player = window.state.model, room.time_machine, window.services.playback
    for _ in range(2):
        card.play.click()
    assert not player.is_playing and window.state.model is former
    card.play.click()
    card.slider.chosen.emit(1)
    assert not player.is_playing and card.play.text() == "Play"
    settle(window)
    assert window.state.model.folder == run.snapshot_path(STEPS[1]).resolve()


@pytest.mark.usefixtures("hurried")
def test_the_run_is_played_and_what_was_open_comes_back(room, window):
    former, steps, handles, player = window.state.model, list[int](), list[int](), window.services.playback
    player.shown.connect(lambda _at: steps.append(window.state.model.step))
    player.shown.connect(lambda _at: handles.append(chosen_step(room)))
    room.time_machine.play.click()
    assert room.time_machine.play.text() == "Stop playing"
    window.open_room("attend")
    wait_until(lambda: room.time_machine.play.text() == "Play")
    settle(window)
    assert steps == handles == list(STEPS) and window.state.model is former
    room.time_machine.film_button.click()
    film = window.frame.room.view.strip
    wait_until(lambda: len(film.film.frames) == len(STEPS))
    assert film.film.snapshots == STEPS and window.state.text_a == TEXT_A, "its film strip has all of them"


def test_of_a_damaged_snapshot_an_older_one_that_opens_is_named(run, window):
    """There is nothing to fetch again of one's own run."""
    weights = run.snapshot_path(STEPS[-1]) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    former = window.state.model
    window.open_model(run.path)
    wait_until(lambda: window.frame.banner.is_shown)
    assert window.frame.banner.text.endswith(f"; open an older snapshot: {run.snapshot_path(STEPS[1])}.")
    assert str(weights) in window.frame.banner.text and "fetch" not in window.frame.banner.text
    settle(window)
    assert window.state.model is former
    window.frame.banner.dismiss()
    window.open_model(run.snapshot_path(STEPS[1]))
    wait_until(lambda: window.state.model is not former)
    assert window.state.model.step == STEPS[1] and not window.frame.banner.is_shown


@pytest.fixture
def staged(model_folder):
    """Its snapshots are all alike; what it measured says how far each has learned."""
    lines = ({"kind": "held_out", "step": step, "mlm_loss": loss} for step, loss in LOSSES.items())
    made = stored_run("stories", lines=lines, step=100, fraction=1.0)
    for step in LOSSES:
        add_snapshot(made, step, model_folder)
    return made


def add_snapshot(run, step, model):
    with run.begin_snapshot(step) as folder:
        shutil.copytree(model, folder, dirs_exist_ok=True)
    return run.snapshot_path(step).resolve()


def wait_for(window, folder):
    wait_until(lambda: window.state.model is not None and window.state.model.folder.resolve() == folder.resolve())


def shown(window):
    """The stages that the switch offers, and the one that is open."""
    stages = window.frame.title_bar.switch.stages.items()
    return [key for key, made in stages if made.isVisible()], [key for key, made in stages if made.isChecked()]


def stages_of(staged):
    """The step of each, as the run is now."""
    _stages_of.cache_clear()
    at = {staged.snapshot_path(step).resolve(): step for step in LOSSES}
    return {stage: at[path] for stage, path in steps_of(staged.snapshot_path(10)).stages.items()}


def test_half_trained_is_half_of_the_fall_of_the_loss(staged):
    steps = steps_of(staged.snapshot_path(10))
    assert [step for step, _ in steps.snapshots] == list(LOSSES)
    assert stages_of(staged) == {"start": 0, "half_trained": 20, "trained": 100}
    assert steps.stage_of(staged.snapshot_path(20)) == "half_trained" and steps.stage_of(staged.snapshot_path(10)) == ""
    for step in (25, 90):  # resumed: what was trained on the next word only is not half-trained
        staged.append_metric({"kind": "phase", "step": step, "phase": "masked", "message": ""})
    assert stages_of(staged)["half_trained"] == 40
    (staged.path / "metrics.jsonl").write_text("")
    assert stages_of(staged)["half_trained"] == 20, "without measurements it is the middle one"


def test_trained_is_the_step_that_the_run_ends_with(staged):
    staged.write_status(ends_with=40)
    steps = steps_of(staged.snapshot_path(10))
    assert stages_of(staged)["trained"] == 40 and stages_of(staged)["half_trained"] in (10, 20)
    assert steps.stage_of(staged.snapshot_path(40)) == "trained" and steps.stage_of(staged.snapshot_path(100)) == ""
    staged.write_status(ends_with=0)
    assert steps_of(staged.snapshot_path(10)).stage_of(staged.snapshot_path(0)) == "trained"


@pytest.mark.parametrize("name", SHIPPED)
def test_models_that_ship(name):
    """Where the snapshots of their runs ship, too: the trained one is the model itself."""
    steps = steps_of(shipped_checkpoint(name))
    snapshots = RunFolder(assets() / "runs" / name).snapshots()
    if not snapshots:
        assert steps is None
        return
    assert steps.stages["trained"] == shipped_checkpoint(name).resolve()
    assert set(steps.stages) == {"start", "half_trained", "trained"}
    assert steps_of(snapshots[3][1]) == steps
    assert steps.stage_of(snapshots[-1][1]) == steps.stage_of(shipped_checkpoint(name)) == "trained"


def test_the_switch_changes_the_model_in_any_room(open_window, staged):
    window = open_window(staged.snapshot_path(100), TEXT_A)
    window.state.set_masks([2])
    window.state.set_what_if(window.state.what_if.with_head(1, 2, True))
    shown_room(window, "attend")
    assert shown(window) == (["start", "half_trained", "trained"], ["trained"])
    for key, step in (("start", 0), ("half_trained", 20), ("trained", 100)):
        QTest.mouseClick(window.frame.title_bar.switch.stages[key], Qt.MouseButton.LeftButton)
        wait_for(window, staged.snapshot_path(step))
        settle(window)
        assert shown(window)[1] == [key] and window.room_key == "attend"
        assert window.state.text_a == TEXT_A and window.state.masked == {2}
        assert (1, 2) in window.state.what_if.heads_off
    window.commands["model.start"].trigger()
    wait_for(window, staged.snapshot_path(0))
    window.open_model(staged.snapshot_path(10))
    wait_for(window, staged.snapshot_path(10))
    assert shown(window) == (["start", "half_trained", "trained"], []), "another step is none of the three"


@pytest.mark.parametrize(
    ("config", "name", "command"),
    [
        ({"kind": "finetune", "task": "sst2", "model": "x"}, "Before fine-tuning", "The model before fine-tuning"),
        ({"start": "somewhere"}, "Before this run", "The model before this run"),
        ({}, "Untrained", "The untrained model"),
    ],
)
def test_the_first_step_is_called_what_it_is(config, name, command, open_window, staged):
    file = staged.path / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **config}))
    window = open_window(staged.snapshot_path(0))
    wait_until(lambda: shown(window)[1] == ["start"])
    assert window.frame.title_bar.switch.stages["start"].text() == name
    assert window.commands["model.start"].text() == command
    window.appearance.set_look(projector=True)
    assert window.frame.title_bar.step.text() == name


@pytest.mark.skipif(steps_of(shipped_checkpoint(TINY)) is None, reason="the run of the tiny model does not ship")
def test_the_tiny_model_that_ships(open_window):
    window = open_window(TINY)
    wait_until(lambda: window.state.model is not None)
    assert shown(window)[1] == ["trained"]
    window.commands["model.start"].trigger()
    wait_until(lambda: shown(window)[1] == ["start"])
    window.commands["model.trained"].trigger()
    wait_until(lambda: window.services.open_model.reference == TINY)


@pytest.fixture
def training(staged, window, monkeypatch):
    """Looked at in Train while it is at work, as if a process trained it; the model that is open is another one."""
    monkeypatch.setattr(RunFolder, "is_alive", lambda _self: True)
    staged.write_status(state="running", step=100, fraction=0.5)
    window.services.runs.show_run(RunInfo(staged.path, "stories", "tiny", staged.status()))
    return staged


def test_every_room_shows_the_newest_snapshot_of_a_run(training, window, model_folder):
    machine, follow = window.services.time_machine, window.frame.title_bar.switch.follow
    window.open_room("map")
    assert follow.isVisible() and not follow.isChecked() and not machine.is_following
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    wait_for(window, training.snapshot_path(100))
    newer = add_snapshot(training, 200, model_folder)
    wait_for(window, newer)
    assert window.room_key == "map" and machine.is_following
    training.write_status(state="done", step=200, fraction=1.0)
    wait_until(lambda: not machine.is_following)
    assert not follow.isVisible() and window.state.model.folder.resolve() == newer


def test_what_a_person_opens_ends_the_following(training, window, model_folder, headless_folder):
    machine = window.services.time_machine
    machine.set_following(True)
    wait_for(window, training.snapshot_path(100))
    window.open_model(headless_folder)
    assert not machine.is_following
    add_snapshot(training, 200, model_folder)
    wait_for(window, headless_folder)
    machine._timer.timeout.emit()  # it looks at the run again
    assert not window.services.open_model.is_opening
    settle(window)
    assert window.state.model.folder.resolve() == headless_folder.resolve()
