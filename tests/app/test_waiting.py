"""Rooms that have nothing to show say why, and go on saying it."""

from pathlib import Path

import pytest

from app.rooms.embed.room import EmbedRoom
from app.shell.window import Window
from bertcore.errors import BertcoreError
from tests.app.conftest import Opener, settle, wait_until


def embed(window: Window) -> EmbedRoom:
    room = window.open_room("embed")
    return room


def switch_views(window: Window) -> None:
    window.state.set_token_view(words=not window.state.token_view.words)
    window.state.set_token_view(specials=not window.state.token_view.specials)


def test_another_view_does_not_hide_that_no_model_is_open(open_window: Opener, tmp_path: Path) -> None:
    window = open_window(tmp_path / "nothing")
    room = embed(window)
    wait_until(lambda: window.frame.banner.is_shown)
    said = room.waiting.sentence
    assert said.startswith("No model is open.")
    switch_views(window)
    assert room.waiting.sentence == said


def test_another_view_does_not_hide_why_a_text_could_not_be_read(
    open_window: Opener, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "The text could not be read."

    def fail(*_: object) -> None:
        raise BertcoreError(why)

    with monkeypatch.context() as patch:
        patch.setattr("app.compute.reader.read", fail)
        window = open_window(model_folder)
        room = embed(window)
        wait_until(lambda: window.frame.banner.is_shown)
        assert room.waiting.sentence == why
        switch_views(window)
        assert room.waiting.sentence == why
    window.open_model(model_folder)
    heard: list[str] = []
    window.state.model_changed.connect(lambda: heard.append(room.waiting.sentence))
    wait_until(lambda: heard != [])
    assert heard == ["Reading the text…"]  # what was said of the last model counts no more
    settle(window)
    assert room.is_drawn
