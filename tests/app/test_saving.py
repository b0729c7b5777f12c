"""Everything that the window saves, at places that are no ordinary ones: written whole, or one sentence."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.figures.files import save_figure, write_whole
from app.shell.window import Window
from app.state.session_file import load_session
from app.widgets.save_dialog import ask_for_file
from bertcore.errors import BertcoreError
from tests.app.test_export import plain_figure

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes as POSIX has them")
BAD_NAMES = ["a\0b", "half \ud800", "n" * 300, "no/such/folder"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_one_sentence(name: str, window: Window, tmp_path: Path) -> None:
    for save in (
        lambda: window.sessions.save(tmp_path / f"{name}.bertscope.json"),
        lambda: window.show_problem(refusal(lambda: save_figure(plain_figure(), tmp_path / f"{name}.csv"))),
    ):
        window.frame.banner.dismiss()
        save()
        said = window.frame.banner._text.text()
        assert window.frame.banner.is_shown and "could not be written" in said
        assert "\n" not in said and "\0" not in said and len(said) < 600
    assert [file for file in tmp_path.iterdir() if file.is_file()] == []


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(BertcoreError) as caught:
        act()
    return str(caught.value)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_the_dialog_takes_any_name(name: str, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    file = ask_for_file(window, "Save", tmp_path, {".csv": "CSV (*.csv)"})
    assert file == tmp_path / f"{name}.csv"


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".csv", ".npz"])
def test_a_private_file_stays_private_and_a_link_a_link(looks: QApplication, ending: str, tmp_path: Path) -> None:
    real, link = tmp_path / f"real{ending}", tmp_path / f"link{ending}"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    save_figure(plain_figure(), link)
    assert link.is_symlink() and real.read_bytes() != b"old" and stat.S_IMODE(real.stat().st_mode) == 0o600


def test_no_link_that_somebody_put_beside_it_is_followed(window: Window, tmp_path: Path) -> None:
    """The names that earlier versions wrote to first could be foreseen."""
    precious, file = tmp_path / "precious", tmp_path / "mine.bertscope.json"
    precious.write_text("mine")
    for name in (f".{file.name}.{os.getpid()}.tmp", f".{file.name}.{os.getpid()}", f"{file.stem}.tmp"):
        (tmp_path / name).symlink_to(precious)
    window.sessions.save(file)
    window.services.settings_file = tmp_path / "settings.json"
    (tmp_path / "settings.tmp").symlink_to(precious)
    window.services.save_settings()
    assert precious.read_text() == "mine" and load_session(file).text_a == window.state.text_a


def test_half_a_character_in_a_text_is_saved_as_a_question_mark(
    window: Window, looks: QApplication, tmp_path: Path
) -> None:
    window.state.text_a = "the \ud83d cat"
    window.sessions.save(tmp_path / "a.bertscope.json")
    assert load_session(tmp_path / "a.bertscope.json").text_a == "the ? cat"
    odd = plain_figure(title="Layer 1 \ud83d")
    for ending in (".csv", ".svg", ".pdf", ".png", ".npz"):
        save_figure(odd, tmp_path / f"a{ending}")
    assert "?" in (tmp_path / "a.csv").read_text(encoding="utf-8-sig")


def test_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/null"), tmp_path):
        assert "could not be written" in refusal(lambda file=file: write_whole(file, b"x"))  # type: ignore[misc]
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode) and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
