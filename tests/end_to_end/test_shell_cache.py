"""`bertcore cache`: what pretraining keeps of the texts it read, and clearing it away."""

from pathlib import Path

import pytest

from bertcore.data import corpus_cache
from tests.end_to_end.shell import SMALL, Shell


def test_listed_and_cleared(
    shell: Shell, texts: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_cache, "_mine", {})
    nothing = shell("cache")
    assert nothing.code == 0 and "0.0 MiB  in " in nothing.out
    trained = shell("pretrain", "--corpus", texts[0], *SMALL, "--steps", "2", "--out", tmp_path / "run")
    assert trained.code == 0, trained.err
    assert "a.txt  in use" in shell("cache").out  # by this very process, which ran the training
    assert shell("cache", "--clear", "--json").json["cleared"] == []
    for lock in corpus_cache._mine.values():
        lock.release()
    (text,) = shell("cache", "--json").json["texts"]
    assert text["sources"] == ["a.txt"] and text["bytes"] > 1000 and not text["in_use"]
    assert [gone["folder"] for gone in shell("cache", "--clear", "--json").json["cleared"]] == [text["folder"]]
    assert not Path(text["folder"]).exists() and "cleared from" in shell("cache", "--clear").out
