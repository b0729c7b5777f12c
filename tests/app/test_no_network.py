"""Nothing but a person's own choice of a hub id opens a connection."""

import ast
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.lessons.answers import Answer, HandIn, answers_as_json, load_answers
from app.lessons.shipped import shipped_lessons
from app.look import numbers
from app.runs.process import RunCommand, child_environment
from app.runs.sweeps import five_rates
from app.shell.rooms import ROOMS
from app.state.examples import load_examples
from app.state.session_file import ENDING, Session, SessionModel, as_json
from bertcore.errors import BertcoreError
from bertcore.locations import TINY
from bertcore.resolve_model import can_be_downloaded, resolve_model
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.sweep_plan import Varied
from tests.app.conftest import drop, handle_events, settle, wait_until
from tests.app.train_room import idle_room
from tests.test_rules import files_with, is_in

HUB_ID = "someone/some-model"


@pytest.fixture
def connections(monkeypatch, tmp_path):
    """Every attempt to reach another machine, none of which succeeds. The hub's library believes to be online."""
    tried = []

    def refuse(*given, **_named):
        tried.append(given)
        raise OSError(101, "Network is unreachable")

    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tried


def session_file(folder, reference, size=440_000_000):
    file = folder / f"stranger{ENDING}"
    file.write_text(as_json(Session("A dog ran home.", model=SessionModel(reference, "some-model", "1" * 64, size))))
    return file


def test_a_connection_that_a_person_asks_for_is_noticed(connections):
    """Or the others would hold for nothing."""
    with pytest.raises(BertcoreError, match="hub cannot be reached"):
        resolve_model(HUB_ID)
    assert connections


def test_what_no_person_chose_is_not_looked_for(connections):
    with pytest.raises(BertcoreError, match="some-model is not on this machine"):
        resolve_model(HUB_ID, download=False)
    assert connections == []


def test_a_session_offers_its_model_with_name_and_size(window, connections, tmp_path):
    model = window.state.model
    window.sessions.open(session_file(tmp_path, HUB_ID))
    wait_until(lambda: window.frame.banner.is_shown)
    settle(window)
    said, banner = window.frame.banner.text, window.frame.banner
    assert connections == []
    assert window.state.text_a == "A dog ran home." and window.state.model is model
    assert "some-model is not on this machine" in said and HUB_ID in said and numbers.file_size(440e6) in said
    assert banner.button.isVisible() and banner.button.text() == "Download"
    banner.button.click()  # the person's word
    wait_until(lambda: bool(connections) and banner.is_shown)
    assert "could not be opened" in banner.text and not banner.button.isVisible()


def test_a_session_is_a_way_to_start_without_a_connection(open_window, connections, tmp_path):
    window = open_window(session_file(tmp_path, HUB_ID, 0))
    wait_until(lambda: window.state.reading is not None and window.frame.banner.is_shown)
    settle(window)
    assert connections == [] and "size unknown" in window.frame.banner.text


@pytest.mark.parametrize(
    "reference", [HUB_ID, "some-model", "gone/away/model", "https://elsewhere/x", "../x", "a" * 300]
)
def test_whatever_a_session_names(reference, window, connections, tmp_path):
    window.sessions.open(session_file(tmp_path, reference))
    wait_until(lambda: window.frame.banner.is_shown)
    assert connections == []
    assert window.frame.banner.button.isVisible() == can_be_downloaded(reference)


@pytest.mark.parametrize("reference", [HUB_ID, "gone/away/model", "pipe"])
def test_whatever_a_session_compares_with(reference, window, connections, tmp_path):
    """A hub id is asked for by nobody, a pipe is not waited at; the text is shown all the same."""
    if reference == "pipe":
        reference = str(tmp_path / "pipe")
        os.mkfifo(reference)
    file = tmp_path / f"stranger{ENDING}"
    file.write_text(as_json(Session("A dog ran home.", baseline=SessionModel(reference, "some-model", "1" * 64))))
    window.sessions.open(file)
    wait_until(lambda: window.frame.banner.is_shown)
    settle(window)
    assert connections == [] and "nothing to compare with" in window.frame.banner.text
    assert window.state.reading is not None and window.state.text_a == "A dog ran home."
    assert window.frame.banner.button.isVisible() == (reference == HUB_ID)


def test_start_examples_and_rooms(open_window, connections):
    window = open_window(TINY, "")
    for example in load_examples()[:3]:
        window.examples.use(example)
    for room in ROOMS:
        window.open_room(room.key)
        window.toggle_help()
        window.toggle_help()
    settle(window)
    assert connections == []


def test_drops(window, connections, tmp_path):
    """A link that looks like a hub id is a file name all the same."""
    drop(window, tmp_path / "gone")
    drop(window, session_file(tmp_path, HUB_ID))
    for url in (f"file:{HUB_ID}", f"https://elsewhere/{HUB_ID}"):
        drop(window, url)
    wait_until(lambda: not window.services.open_model.is_opening)
    settle(window)
    assert connections == []


def test_lessons(window, connections, tmp_path):
    window.lessons.open(shipped_lessons()[0].file)
    wait_until(lambda: not window.services.open_model.is_opening)
    file = tmp_path / "stranger.md"
    file.write_text(
        "---\ntitle: A\nsummary: B\nminutes: 1\n---\n\n# One\n\n:: model someone/some-model\n\n"
        "![](https://elsewhere/a.png) <img src='https://elsewhere/b.png'>\n"
    )
    window.lessons.open(file)
    handle_events()
    wait_until(lambda: not window.services.open_model.is_opening)
    settle(window)
    assert connections == []


def test_only_these_files_can_reach_a_network():
    """The hub, and the processes of one training run among each other."""
    ways = "socket", "urllib", "http", "requests", "httpx", "ftplib", "smtplib", "huggingface_hub", "PySide6.QtNetwork"

    def reaches(node):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        return any(is_in(name, *ways) for name in names)

    # the second makes a link of a path
    assert files_with(reaches) == {"bertcore/resolve_model.py", "bertcore/training/model_card.py"}


def test_answers_that_were_handed_in_name_no_model_that_is_fetched(window, connections, tmp_path):
    state = Session("A dog ran home.", model=SessionModel(HUB_ID, "some-model", "1" * 64))
    file = tmp_path / "anna.answers.json"
    file.write_text(answers_as_json(HandIn("Anna", "A", (Answer("One", "free", "?", "!", None, state),))))
    assert json.loads(file.read_text())["answers"][0]["state"]["model"]["reference"] == HUB_ID
    window.sessions.show(load_answers(file).answers[0].state)
    wait_until(lambda: window.frame.banner.is_shown)
    assert connections == []


RECIPES = {
    "finetune": {"format_version": 1, "model": HUB_ID},
    "distil": {"format_version": 2, "teacher": HUB_ID},
    "pretrain": {"format_version": 5, "start": HUB_ID, "data": {"tokenizer": HUB_ID}},
}


@pytest.mark.parametrize("kind", RECIPES)
def test_a_recipe_that_is_dropped(kind, connections, tmp_path, qtbot):
    """Whatever is clicked then says that the model is not here."""
    file = tmp_path / "stranger.json"
    file.write_text(json.dumps({"kind": kind, **RECIPES[kind]}))
    room = idle_room()
    qtbot.addWidget(room)
    room.runs_card.show_form()
    drop(room, file)
    assert "some-model is not on this machine" in room.form.problem.text()
    with qtbot.assertNotEmitted(room.state.start_requested):
        room.form.start.click()
    assert connections == []


def test_settings_of_a_run_from_elsewhere(connections):
    command = RunCommand(FinetuneOptions(model=HUB_ID))
    for varied in (lambda: five_rates(command), lambda: replace(command, varied=Varied(rates=(3.0,))).runs(Path("x"))):
        with pytest.raises(BertcoreError, match="some-model is not on this machine"):
            varied()
    assert connections == []


def test_a_process_of_the_window(tmp_path, monkeypatch):
    """The estimate of a recipe, and a run: nobody listens at the hub's address but this test."""
    with socket.create_server(("127.0.0.1", 0)) as hub:
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.getsockname()[1]}")
        monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1")
        recipe = tmp_path / "recipe.json"
        recipe.write_text(json.dumps(FinetuneOptions(model=HUB_ID).to_dict()))
        command = [sys.executable, "-m", "bertcore", "finetune", "sst2", "--recipe", str(recipe), "--estimate"]
        environment = {**child_environment(), "HF_HOME": str(tmp_path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        hub.setblocking(False)
        with pytest.raises(BlockingIOError):
            hub.accept()
    assert done.returncode and "some-model is not on this machine" in done.stderr
