"""What a MODEL argument means, here and in the cache of the hub, and which runs are known."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from bertcore import resolve_model as hub
from bertcore.errors import BertcoreError
from bertcore.locations import (
    BUILT_IN,
    CLASS_DEMO,
    GERMAN,
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

# always known, and always the last
SHIPPED_RUNS = [(assets() / "runs" / name).resolve() for name in (TINY, CLASS_DEMO, BUILT_IN, GERMAN)]


def _run(path, created=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    RunFolder.create(path, {"kind": "pretrain"})
    os.utime(path / "config.json", (created, created))
    return path.resolve()


def test_a_name_that_ships_means_that_model_whatever_lies_here(tmp_path, monkeypatch):
    assert resolve_model(None) == resolve_model(BUILT_IN) == built_in_checkpoint()
    assert resolve_model(TINY) == shipped_checkpoint(TINY)
    monkeypatch.chdir(tmp_path)
    assert resolve_model(str(tiny_checkpoint(tmp_path / TINY))) == tmp_path / TINY
    assert resolve_model(TINY) == shipped_checkpoint(TINY)
    assert resolve_model(f"./{TINY}") == resolve_model(Path(TINY)) == Path(TINY)


@pytest.mark.parametrize("reference", ["./modle/x", "modle/x/y", "runs/first", "modle/", "~/modle", Path("modle/x")])
def test_what_can_only_be_a_folder_is_not_looked_for_on_the_hub(tmp_path, monkeypatch, reference):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    monkeypatch.setattr("bertcore.resolve_model.fetch", lambda hub_id: pytest.fail(f"the hub was asked for {hub_id}"))
    with pytest.raises(BertcoreError, match=r"^There is no folder \S+\.$"):
        resolve_model(reference)


def test_a_run_is_its_newest_complete_snapshot(tmp_path):
    run = _run(tmp_path / "run")
    with pytest.raises(BertcoreError, match="no snapshot yet"):
        resolve_model(run)
    for step in (5, 10, 100):
        tiny_checkpoint(run / "snapshots" / f"step-{step:08d}")
    tiny_checkpoint(run / "snapshots" / "step-00000200.partial")
    assert resolve_model(run) == run / "snapshots" / "step-00000100"


def test_runs_of_the_window_and_of_the_shell_are_known_newest_first(tmp_path):
    assert known_runs() == SHIPPED_RUNS
    own = _run(runs_folder() / "own", created=100)
    elsewhere, newest = _run(tmp_path / "elsewhere", created=50), _run(tmp_path / "newest", created=200)
    (runs_folder() / "no-run").mkdir()
    for run in (elsewhere, newest, newest, own):
        register_run(run)
    assert known_runs() == [newest, own, elsewhere, *SHIPPED_RUNS]


def test_a_run_that_is_gone_is_forgotten_and_a_damaged_list_hides_none_of_those_that_are_there(tmp_path):
    register_run(tmp_path / "gone")
    assert known_runs() == SHIPPED_RUNS
    run = _run(runs_folder() / "own")
    (home() / "known_runs.txt").write_bytes(b"\xff\xfe\x00\n\n  \n")
    assert known_runs() == [run, *SHIPPED_RUNS]


# --- what the hub's cache holds counts only where all of a checkpoint is there

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    import huggingface_hub.file_download as download

    monkeypatch.setattr(download.constants, "HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def put(cache, names):
    """As the hub's own library lays a model out."""
    model = cache / "models--someone--small"
    folder = model / "snapshots" / REVISION
    folder.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(REVISION)
    for name in names:
        (folder / name).write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("names", "is_there"),
    [
        (("config.json", "vocab.txt", "model.safetensors"), True),
        (("config.json", "vocab.json", "merges.txt", "pytorch_model.bin"), True),
        (("config.json", "tokenizer.json"), True),  # enough to cut a text with
        (("config.json", "vocab.json"), False),
        (("tokenizer.json",), False),  # another program wanted its vocabulary alone
        ((), False),
    ],
)
def test_a_vocabulary_with_its_config_is_enough_to_compare(cache, names, is_there):
    folder = put(cache, names)
    found = hub.on_this_machine("someone/small")
    assert (found is not None and found.samefile(folder)) if is_there else found is None


@pytest.mark.parametrize(
    "name", ["foo--bar", "foo-", "été", "x" * 97, "/gone/model", "~no-such-user/model", "/" + "x" * 5000, "nul\0"]
)
def test_a_mistyped_folder_that_is_no_name_of_a_model_either_is_a_sentence(name):
    with pytest.raises(BertcoreError, match="There is no folder"):
        resolve_model(name)


@pytest.mark.parametrize(
    ("weights", "is_whole"),
    [("model.safetensors", True), ("pytorch_model.bin", True), (None, False), ("model.safetensors.index.json", False)],
)
def test_a_whole_one_needs_no_network_and_without_weights_it_is_asked(cache, monkeypatch, weights, is_whole):
    folder = put(cache, ("config.json", "vocab.txt", *([weights] if weights else [])))
    if weights == "model.safetensors.index.json":
        (folder / weights).write_text('{"weight_map": {"a": "model-00001-of-00002.safetensors"}}')
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: 1 / 0)
    if is_whole:
        assert hub.fetch("someone/small").samefile(folder)
    else:
        with pytest.raises(BertcoreError, match="hub cannot be reached"):
            hub.fetch("someone/small")


def answer(kind, status):
    """What the hub's library raises at an answer of this status."""
    from huggingface_hub import errors

    request = SimpleNamespace(url="an address", headers={})
    response = SimpleNamespace(status_code=status, headers={}, request=request)
    return getattr(errors, kind)(f"{status} Client Error", response=response)


def below_another(cause):
    """What the hub's library makes of it."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    error = LocalEntryNotFoundError("nothing is here")
    error.__cause__ = cause
    return error


FULL_DISK = OSError(errno.ENOSPC, "No space left on device")
FULL_DISK_IN_RUST = RuntimeError("Data processing error: No space left on device (os error 28)")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (answer("RepositoryNotFoundError", 404), "no model of that name"),
        (answer("RepositoryNotFoundError", 401), "no model of that name"),  # so for a name that nobody has
        (answer("GatedRepoError", 403), "accepted its terms"),
        (answer("HfHubHTTPError", 401), "may not download someone/small"),
        (answer("HfHubHTTPError", 429), "too many requests"),
        (answer("HfHubHTTPError", 500), r"its error 500"),
        (answer("HfHubHTTPError", 503), r"its error 503"),
        (FULL_DISK, "^The disk is full"),
        (FULL_DISK_IN_RUST, "^The disk is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "permission denied"),
        (ConnectionError("no route to host"), "hub cannot be reached"),
        (TimeoutError(), "hub cannot be reached"),
        (below_another(answer("HfHubHTTPError", 502)), "its error 502"),
    ],
    ids=str,
)
@pytest.mark.parametrize("when", ["model_info", "download"])
def test_whatever_hinders_a_download_has_a_sentence_of_its_own(cache, monkeypatch, error, sentence, when):
    def fails(*_, **__):
        raise error

    known = SimpleNamespace(siblings=[SimpleNamespace(rfilename="model.safetensors")])
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", fails if when == "model_info" else lambda *_, **__: known)
    monkeypatch.setattr("huggingface_hub.snapshot_download", fails)
    with pytest.raises(BertcoreError, match=sentence):
        resolve_model("someone/small")
