"""About: the version that is installed, and everything that is inside with its licence."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.__main__ import main
from app.shell import installed_packages as installed
from app.shell.about import AboutDialog
from app.shell.window import Window
from bertcore import locations
from bertcore.runs.environment import version_of
from tests.end_to_end.shell import in_own_process

ROOT = Path(__file__).resolve().parents[2]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_and_model_is_listed_and_has_a_licence(window: Window) -> None:
    window.open_about()
    dialog = next(child for child in window.children() if isinstance(child, AboutDialog))
    assert str(version_of("bertscope")) in dialog.title.text()
    rows = [dialog.inside.item(row).text() for row in range(dialog.inside.count())]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked_for = {normal(re.split(r"[<>=]", requirement)[0]) for requirement in project["dependencies"]}
    assert asked_for <= {normal(row.split(" ")[0]) for row in rows}
    assert {row.split(" ")[0] for row in rows} >= set(locations.NAMED)
    assert [row for row in rows if "·" not in row] == []
    assert "bertscope-mini · CC-BY-SA-4.0" in rows
    assert "bertscope-names · see its card" in rows  # learned from text that is published for research alone
    dialog.close()


def test_what_is_chosen_shows_its_licence(window: Window, qtbot: QtBot) -> None:
    dialog = AboutDialog(window)
    qtbot.addWidget(dialog)
    texts = {}
    for row in range(dialog.inside.count()):
        dialog.inside.setCurrentRow(row)
        texts[dialog.inside.item(row).text().split(" ")[0]] = dialog.text.toPlainText()
    assert "MIT License" in texts["bertscope"]
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["Python"] or "no licence text" in texts["Python"]
    assert "cc-by-sa-4.0" in texts[locations.BUILT_IN]
    assert "NumPy Developers" in texts["numpy"] and "LGPL" in texts["PySide6_Essentials"]


def test_extras_and_the_tools_of_tests_are_not_inside() -> None:
    names = {normal(package.name) for package in installed.packages()}
    assert "torch" in names
    assert names.isdisjoint({"pytest", "transformers", "mypy"})


def test_what_a_build_left_in_a_checkout_is_not_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "bertscope.egg-info"
    left.mkdir()
    (left / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: bertscope\nVersion: 0.0.1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert version("bertscope") == "0.0.1"
    assert version_of("bertscope") not in (None, "0.0.1")
    assert "torch" in {package.name for package in installed.packages()}


def test_both_programs_say_their_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_own_process("--version").out == f"bertcore {version_of('bertscope')}\n"
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"bertscope {version_of('bertscope')}\n"


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    version_here = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version_here}\n" in (ROOT / "CITATION.cff").read_text()
    assert version_here in (ROOT / "CHANGELOG.md").read_text()
