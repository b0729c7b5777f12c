"""Folders whose names are not UTF-8, as Linux allows them: they open from every list, and are named."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from app.rooms.embed.vocabularies_view import name_of
from app.rooms.train.form.fields import ModelChoice
from app.rooms.train.sweep.page import SweepTable
from app.runs.run_info import read_run
from app.runs.run_state import RunState
from app.shell.menus import entries_of, fill_models
from app.shell.settings import load_settings
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import SweepPlace, read_sweep, write_place
from bertcore.training.finetune_options import FinetuneOptions
from tests.app.conftest import placed, settle, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names as Linux has them")
ODD = os.fsdecode(b"caf\xe9")
SHOWN = "caf\\udce9"  # Qt would leave the byte out


@pytest.fixture
def odd_folder(model_folder, tmp_path):
    return Path(shutil.copytree(model_folder, tmp_path / ODD))


@pytest.fixture
def opened(open_window, odd_folder):
    window = open_window(odd_folder)
    settle(window)
    return window


def test_a_checkpoint_opens_and_its_name_is_shown(opened, odd_folder):
    assert opened.state.model.folder == odd_folder
    assert not opened.frame.banner.is_shown
    assert SHOWN in opened.frame.title_bar.model.toolTip()


def test_it_opens_again_from_the_menu_and_the_palette(opened, odd_folder, model_folder, tmp_path):
    services = opened.services
    services.settings.save(tmp_path / "settings.json")
    recent = load_settings(tmp_path / "settings.json").recent_models
    assert recent == [str(odd_folder)]

    def is_open(folder):
        return lambda: opened.state.model.folder == folder

    menu = QMenu(opened)
    fill_models(opened, menu)
    listed = next(one for one in entries_of(opened) if one.kind == "Model" and one.title.endswith(SHOWN))
    for choose in (menu.actions()[-1].trigger, listed.run):
        services.open_model.open(model_folder)
        wait_until(is_open(model_folder))
        choose()
        wait_until(is_open(odd_folder))
    assert menu.actions()[-1].text().endswith(SHOWN)
    assert name_of(str(odd_folder)) == SHOWN


def test_a_session_finds_it_again(opened, odd_folder, headless_folder, tmp_path):
    """Its file, UTF-8, cannot name the folder: by the model's hash, among those that were open lately."""
    opened.sessions.save(tmp_path / "session.json")
    opened.services.open_model.open(headless_folder)
    wait_until(lambda: not opened.services.open_model.is_opening)
    opened.sessions.open(tmp_path / "session.json")
    wait_until(lambda: not opened.services.open_model.is_opening)
    assert opened.state.model.folder == odd_folder
    assert not opened.frame.banner.is_shown


def test_a_run_can_start_from_it(odd_folder, tmp_path, qtbot):
    state = RunState()
    choice = placed(ModelChoice(state), qtbot, 200, 30)
    choice.set_folder(str(odd_folder))
    assert choice.reference == str(odd_folder) and SHOWN in choice.currentText()
    choice.setCurrentIndex(0)
    assert choice.reference is None
    run = RunFolder.create(tmp_path / f"{ODD}-run", {"kind": "pretrain"})
    run.write_status(state="done", step=7)
    state.set_runs([read_run(run.path)])
    choice.setCurrentIndex(1)
    assert choice.reference == str(run.path)
    state.set_runs([])  # what is chosen stays only while it is there
    assert choice.reference is None


def test_a_run_of_a_sweep_is_chosen_by_its_folder(tmp_path, qtbot):
    for number in range(2):
        options = FinetuneOptions(name="rates").with_changes(task="sst2", learning_rate=1e-4 * (number + 1), steps=3)
        run = RunFolder.create(tmp_path / f"{ODD}-{number}", options.to_dict())
        run.write_status(state="running", step=1)
        write_place(run.path, SweepPlace("abc", "rates", number + 1, 2, 1.0))
    paths = sorted(tmp_path.glob(f"{ODD}-*"))
    table, chosen = placed(SweepTable(), qtbot, 400, 200), []
    table.show_sweep(read_sweep(paths))
    table.row_opened.connect(lambda row: chosen.append(row.run.path))
    for at in range(len(table.rows)):
        table.activated.emit(table.model().index(at, 0))
    assert sorted(chosen) == paths
