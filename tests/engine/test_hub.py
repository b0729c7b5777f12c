"""What the hub's cache holds counts as a checkpoint only where all of one is there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from bertcore.checkpoint import hub
from bertcore.errors import BertcoreError
from bertcore.locations import resolve_model

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import huggingface_hub.file_download as download

    monkeypatch.setattr(download.constants, "HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def put(cache: Path, names: Iterable[str]) -> Path:
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
def test_a_vocabulary_with_its_config_is_enough_to_compare(cache: Path, names: tuple[str, ...], is_there: bool) -> None:
    folder = put(cache, names)
    found = hub.on_this_machine("someone/small")
    assert (found is not None and found.samefile(folder)) if is_there else found is None


@pytest.mark.parametrize("name", ["foo--bar", "foo..", "foo-", "été", "x" * 97])
def test_a_mistyped_folder_that_is_no_name_of_a_model_either_is_a_sentence(name: str) -> None:
    with pytest.raises(BertcoreError, match="There is no folder"):
        resolve_model(name)


@pytest.mark.parametrize("weights", [("model.safetensors",), ("pytorch_model.bin",)])
def test_a_whole_one_needs_no_network(cache: Path, weights: tuple[str, ...]) -> None:
    folder = put(cache, ("config.json", "vocab.txt", *weights))
    assert hub.fetch("someone/small").samefile(folder)


@pytest.mark.parametrize("there", [(), ("model.safetensors.index.json",)])
def test_without_weights_the_network_is_asked(
    cache: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...]
) -> None:
    folder = put(cache, ("config.json", "vocab.txt", *there))
    if there:
        (folder / there[0]).write_text('{"weight_map": {"a": "model-00001-of-00002.safetensors"}}')
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: 1 / 0)
    with pytest.raises(BertcoreError, match="hub cannot be reached"):
        hub.fetch("someone/small")
