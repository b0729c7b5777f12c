"""What a MODEL argument means, and which runs are known."""

import os
from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.locations import (
    BUILT_IN,
    CLASS_DEMO,
    TINY,
    assets,
    built_in_checkpoint,
    home,
    runs_folder,
    shipped_checkpoint,
)
from bertcore.resolve_model import resolve_model
from bertcore.runs.known_runs import known_runs, register_run
from bertcore.runs.run_folder import RunFolder
from tests.engine.models import tiny_checkpoint

SHIPPED_RUNS = [
    (assets() / "runs" / name).resolve() for name in (TINY, CLASS_DEMO, BUILT_IN)
]  # always known, and always the last


def _run(path: Path, created: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    RunFolder.create(path, {"kind": "pretrain"})
    os.utime(path / "config.json", (created, created))
    return path.resolve()


def test_a_checkpoint_folder_is_itself(tmp_path: Path) -> None:
    assert resolve_model(str(tiny_checkpoint(tmp_path / "model"))) == tmp_path / "model"


def test_nothing_is_the_built_in_model() -> None:
    assert resolve_model(None) == built_in_checkpoint()


def test_a_name_that_ships_means_that_model_whatever_lies_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_model(BUILT_IN) == built_in_checkpoint() and resolve_model(TINY) == shipped_checkpoint(TINY)
    monkeypatch.chdir(tmp_path)
    tiny_checkpoint(tmp_path / TINY)
    assert resolve_model(TINY) == shipped_checkpoint(TINY)
    assert resolve_model(f"./{TINY}") == resolve_model(Path(TINY)) == Path(TINY)


@pytest.mark.parametrize("reference", ["./modle/x", "modle/x/y", "runs/first", "modle/", "~/modle", Path("modle/x")])
def test_what_can_only_be_a_folder_is_not_looked_for_on_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str | Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    monkeypatch.setattr("bertcore.resolve_model.fetch", lambda hub_id: pytest.fail(f"the hub was asked for {hub_id}"))
    with pytest.raises(BertcoreError, match=r"^There is no folder \S+\.$"):
        resolve_model(reference)


def test_a_run_is_its_newest_complete_snapshot(tmp_path: Path) -> None:
    run = _run(tmp_path / "run")
    with pytest.raises(BertcoreError, match="no snapshot yet"):
        resolve_model(run)
    for step in (5, 10, 100):
        tiny_checkpoint(run / "snapshots" / f"step-{step:08d}")
    tiny_checkpoint(run / "snapshots" / "step-00000200.partial")
    assert resolve_model(run) == run / "snapshots" / "step-00000100"


def test_a_home_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine" and runs_folder() == tmp_path / "mine" / "runs"
    monkeypatch.delenv("BERTSCOPE_HOME")
    assert home() == Path.home() / ".bertscope"


def test_runs_of_the_window_and_of_the_shell_are_known_newest_first(tmp_path: Path) -> None:
    assert known_runs() == SHIPPED_RUNS
    own = _run(runs_folder() / "own", created=100)
    elsewhere, newest = _run(tmp_path / "elsewhere", created=50), _run(tmp_path / "newest", created=200)
    (runs_folder() / "no-run").mkdir()
    for run in (elsewhere, newest, newest, own):
        register_run(run)
    assert known_runs() == [newest, own, elsewhere, *SHIPPED_RUNS]


def test_a_run_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    register_run(tmp_path / "gone")
    assert known_runs() == SHIPPED_RUNS


def test_a_damaged_list_of_runs_hides_none_of_those_that_are_there(tmp_path: Path) -> None:
    run = _run(runs_folder() / "own")
    register_run(tmp_path / "x")
    (home() / "known_runs.txt").write_bytes(b"\xff\xfe\x00\n\n  \n")
    assert known_runs() == [run, *SHIPPED_RUNS]
