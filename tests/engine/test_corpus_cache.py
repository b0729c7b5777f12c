"""What becomes of tokenised texts: they are listed, go when there are too many, and never while somebody reads them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from bertcore.data import corpus_cache
from bertcore.data.corpus import Corpus, load_corpus
from bertcore.data.corpus_cache import cached_texts, clear, release, trim
from tests.engine.corpora import STORIES, words_only

ROOT = Path(__file__).parents[2]
READER = """
import sys
from pathlib import Path
from bertcore.data.corpus import load_corpus
from tests.engine.corpora import words_only
load_corpus([Path(sys.argv[1])], words_only())
print("reading", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def nobody_here_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The test's own process lets go of what it read, as one that has ended."""
    monkeypatch.setattr(corpus_cache, "_mine", {})
    yield
    release()


def tokenised(folder: Path, name: str, used_at: float) -> Corpus:
    file = folder / f"{name}.txt"
    file.write_text(STORIES + f"\n\nThe {name} sat. It was very {name}.", encoding="utf-8")
    corpus = load_corpus([file], words_only())
    release()
    for text in cached_texts():
        if text.sources == (file.name,):
            os.utime(text.folder / "readers", (used_at, used_at))
    return corpus


@contextmanager
def reader(file: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the text open."""
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(file)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout and process.stdout.readline() == "reading\n"
        yield process
    finally:
        process.kill()
        process.wait()


def names() -> list[str]:
    return [text.sources[0] for text in cached_texts()]


def test_they_are_told_apart(tmp_path: Path) -> None:
    assert cached_texts() == []
    for name, used_at in (("cat", 1000.0), ("dog", 3000.0), ("bird", 2000.0)):
        tokenised(tmp_path, name, used_at)
    assert names() == ["dog.txt", "bird.txt", "cat.txt"]
    dog = cached_texts()[0]
    assert dog.used_at == 3000.0 and not dog.in_use
    assert dog.bytes == sum(file.stat().st_size for file in dog.folder.rglob("*") if file.is_file()) > 1000


def test_those_unused_for_longest_go_first(tmp_path: Path) -> None:
    for name, used_at in (("cat", 1000.0), ("dog", 3000.0), ("bird", 2000.0)):
        tokenised(tmp_path, name, used_at)
    two = sum(text.bytes for text in cached_texts()[:2])
    assert [text.sources for text in trim(two / 2**30)] == [("cat.txt",)]
    assert trim(two / 2**30) == [] and names() == ["dog.txt", "bird.txt"]
    assert len(trim(0.0)) == 2
    assert names() == [] and list(corpus_cache.cache_folder().iterdir()) == []


def test_making_one_more_keeps_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    monkeypatch.setattr(corpus_cache, "MOST_GIB", 1.5 * cached_texts()[0].bytes / 2**30)
    tokenised(tmp_path, "dog", 2000.0)
    assert names() == ["dog.txt"]


def test_what_is_open_stays_and_can_be_read(tmp_path: Path) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    before = load_corpus([tmp_path / "cat.txt"], words_only())
    assert cached_texts()[0].in_use and clear(cached_texts()) == [] and trim(0.0) == []
    assert np.array_equal(before.tokens, load_corpus([tmp_path / "cat.txt"], words_only()).tokens)


def test_another_process_is_a_reader_until_it_is_killed(tmp_path: Path) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    with reader(tmp_path / "cat.txt"):
        (text,) = cached_texts()
        assert text.in_use and text.used_at > 1000.0
        assert clear([text]) == [] and trim(0.0) == [] and text.folder.is_dir()
    assert not cached_texts()[0].in_use  # killed: its mark lies there, but nobody holds it
    assert len(clear(cached_texts())) == 1 and not text.folder.exists()


def reader_files() -> list[Path]:
    return sorted((cached_texts()[0].folder / "readers").iterdir())


def test_a_process_that_ends_leaves_no_file(tmp_path: Path) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    assert reader_files() == []
    with reader(tmp_path / "cat.txt") as process:
        assert len(reader_files()) == 1
        process.communicate("")  # an end of file: it ends by itself
    assert process.returncode == 0 and reader_files() == []


def test_the_file_of_a_killed_process_goes_when_the_text_is_opened_again(tmp_path: Path) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    with reader(tmp_path / "cat.txt"):
        (killed,) = reader_files()
    os.utime(killed, (1000.0, 1000.0))
    with reader(tmp_path / "cat.txt"):  # one that is alive keeps its own, however old
        (alive,) = set(reader_files()) - {killed}
        os.utime(alive, (1000.0, 1000.0))
        load_corpus([tmp_path / "cat.txt"], words_only())
        assert not killed.exists() and alive.exists() and len(reader_files()) == 2


def test_what_is_being_made_stays_and_what_was_never_finished_goes(tmp_path: Path) -> None:
    tokenised(tmp_path, "cat", 1000.0)
    (text,) = cached_texts()
    (text.folder / "about.json").unlink()
    with FileLock(text.folder.with_suffix(".lock")):
        (unfinished,) = cached_texts()
        assert unfinished.in_use and unfinished.sources == () and clear([unfinished]) == []
        assert clear([text]) == []  # also where it was free when the list was made
    assert len(clear(cached_texts())) == 1


def test_a_text_that_was_cleared_is_made_anew(tmp_path: Path) -> None:
    before = np.array(tokenised(tmp_path, "cat", 1000.0).tokens)
    clear(cached_texts())
    after = load_corpus([tmp_path / "cat.txt"], words_only())
    assert np.array_equal(before, after.tokens) and names() == ["cat.txt"]


def test_a_folder_that_cannot_be_written_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenised(tmp_path, "cat", 1000.0)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "utime", refuse)
    assert len(load_corpus([tmp_path / "cat.txt"], words_only()).tokens) > 0
