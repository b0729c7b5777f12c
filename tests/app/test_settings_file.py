"""The settings file, whatever has become of it: the window starts, says so, and loses nothing."""

import json
import os
from pathlib import Path

import pytest

from app.shell.settings import Settings, load_settings
from tests.app.conftest import settle

pytestmark = [pytest.mark.skipif(os.name == "nt", reason="pipes and modes as POSIX has them"), pytest.mark.timeout(60)]
BAD = {
    "deep": "[" * 100_000,
    "not JSON": "{",
    "not text": "\udcff\udcfe",
    "a list": "[1]",
    "no version": "{}",
    "a newer version": '{"format_version": 99, "theme": "dark"}',
    "infinite": '{"format_version": 1, "projector": Infinity}',
    "large": '{"format_version": 1, "theme": "' + "d" * 3_000_000 + '"}',
}


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_kept_beside_and_said(name, tmp_path):
    file, said = tmp_path / "settings.json", list[str]()
    content = BAD[name].encode("utf-8", "surrogateescape")
    file.write_bytes(content)
    settings = load_settings(file, said.append)
    assert settings == Settings()
    settings.theme = "dark"
    settings.save(file)
    assert load_settings(file, said.append).theme == "dark"
    assert [each.read_bytes() for each in tmp_path.glob("settings.unreadable*.json")] == [content]
    assert len(said) == 1 and "settings.unreadable.json" in said[0] and "\n" not in said[0]


def test_a_file_has_only_what_differs_and_each_recent_model_once_newest_first(tmp_path):
    settings, file = Settings(theme="dark"), tmp_path / "home" / "settings.json"
    for reference in ("a", "b", "a"):
        settings.remember_model(reference)
    settings.save(file)
    assert "projector" not in file.read_text()
    assert (load_settings(file).theme, load_settings(file).recent_models) == ("dark", ["a", "b"])


def test_each_bad_file_is_kept(tmp_path):
    file = tmp_path / "settings.json"
    for content in ("{", "[", "("):
        file.write_text(content)
        load_settings(file)
    assert sorted(each.read_text() for each in tmp_path.iterdir()) == ["(", "[", "{"]


def test_a_pipe_a_device_and_a_folder(tmp_path):
    file, said = tmp_path / "settings.json", list[str]()
    for make in (os.mkfifo, lambda at: at.symlink_to("/dev/zero"), Path.mkdir):
        make(file)
        assert load_settings(file, said.append) == Settings()
        assert not os.path.lexists(file)
    assert ["regular" in sentence for sentence in said] == [True, True, False] and "a folder" in said[2]


@pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="root may rename everything")
def test_where_it_cannot_be_renamed_it_stays(tmp_path):
    file, said = tmp_path / "settings.json", list[str]()
    file.write_text("{")
    tmp_path.chmod(0o500)
    try:
        assert load_settings(file, said.append) == Settings()
    finally:
        tmp_path.chmod(0o700)
    assert file.read_text() == "{" and "cannot be read" in said[0]


def test_values_of_wrong_types_are_left_out(tmp_path):
    file = tmp_path / "settings.json"
    recent = ["fine", 5, "x" * 100_000, *(f"model {n}" for n in range(50))]
    file.write_text(json.dumps({"format_version": 1, "theme": "purple", "projector": 1, "recent_models": recent}))
    settings = load_settings(file)
    assert (settings.theme, settings.projector) == (Settings().theme, False)
    assert settings.recent_models[:2] == ["fine", "model 0"] and len(settings.recent_models) == 8


def test_saving_keeps_the_mode_and_follows_a_link(tmp_path):
    """As people who keep their settings in a repository have them."""
    real, file = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text('{"format_version": 1}')
    real.chmod(0o600)
    file.symlink_to(real)
    Settings(theme="dark").save(file)
    assert file.is_symlink() and load_settings(real).theme == "dark" and real.stat().st_mode & 0o777 == 0o600


def test_a_window_starts_and_says_so(open_window, model_folder, own_home):
    own_home.mkdir(parents=True)
    (own_home / "settings.json").write_text("[" * 100_000)
    window = open_window(model_folder)
    settle(window)
    assert "settings.unreadable.json" in window.frame.banner.text
