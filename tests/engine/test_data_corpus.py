"""The tokenised text on disk: right, made once, not believed when damaged; listed, and gone when there is too much."""

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from bertcore.data import corpus as corpus_module
from bertcore.data import corpus_cache
from bertcore.data.corpus import Corpus, corpus_key, load_corpus
from bertcore.data.corpus_cache import TokenShards, cached_texts, clear, release, trim
from bertcore.data.tokenising import TokenisingProcesses, document_hash
from bertcore.errors import BertcoreError
from tests.engine.corpora import STORIES, words_only
from tests.engine.models import TOKENIZER, word_tokenizer
from tests.text_file import text_file

ROOT = Path(__file__).parents[2]


@pytest.fixture
def story_file(tmp_path):
    return text_file(tmp_path / "stories.txt", STORIES)


@pytest.fixture
def started(monkeypatch):
    """Process numbers of all that tokenise."""
    found = []
    make = TokenisingProcesses.__init__

    def noted(pool, *arguments):
        make(pool, *arguments)
        found.extend(process.pid for process in pool._processes)

    monkeypatch.setattr(TokenisingProcesses, "__init__", noted)
    return found


@pytest.fixture
def small_shards(monkeypatch):
    """Two or three stories to a group, three groups to a shard: nine shards."""
    monkeypatch.setattr(corpus_cache, "GROUP_CHARACTERS", 200)
    monkeypatch.setattr(corpus_cache, "SHARD_CHARACTERS", 600)
    monkeypatch.setattr(corpus_module, "PROGRESS_EVERY_S", 0.0)


def _cache(tmp_path):
    (folder,) = (path for path in (tmp_path / "bertscope-home" / "cache" / "corpora").iterdir() if path.is_dir())
    return folder


def _same(left, right):
    names = ("tokens", "sentence_starts", "document_starts", "held_out")
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


class TestCorpus:
    def test_it_is_the_text_and_a_part_is_held_out(self, story_file, tmp_path):
        """Always the same part; what that means for training: test_data."""
        corpus = load_corpus([story_file], TOKENIZER)
        assert len(corpus.document_starts) - 1 == 60
        assert (np.diff(corpus.document_starts) == 4).all()
        first = corpus.tokens[corpus.sentence_starts[1] : corpus.sentence_starts[2]]
        assert first.tolist() == TOKENIZER.encode("It was very comfortable!").ids[1:-1]
        assert corpus.count_tokens(True) + corpus.count_tokens(False) == len(corpus.tokens)
        told = json.loads((_cache(tmp_path) / "about.json").read_text())["files"]  # the notes name every file
        assert {f.name for f in _cache(tmp_path).iterdir() if f.is_file() and f.suffix != ".json"} == set(told)
        assert 1 <= corpus.held_out.sum() <= 12  # a fifth at most
        backwards = text_file(tmp_path / "backwards.txt", "\n\n".join(reversed(STORIES.split("\n\n"))))
        again = load_corpus([backwards], TOKENIZER)
        assert np.array_equal(again.held_out, corpus.held_out[::-1])  # by a document's text, not its place

    def test_the_key_follows_content_and_vocabulary_not_names(self, story_file, tmp_path):
        key = corpus_key([story_file], TOKENIZER)
        assert corpus_key([story_file.rename(tmp_path / "other.txt")], TOKENIZER) == key
        assert corpus_key([tmp_path / "other.txt"], word_tokenizer(lowercase=False)) != key
        assert corpus_key([tmp_path / "other.txt"] * 2, TOKENIZER) != key

    @given(numbers=st.sets(st.integers(0, 10_000), min_size=3, max_size=30))
    def test_three_documents_of_two_sentences_always_suffice(self, numbers):
        """As the sentence for too little text promises: at most a fifth of a small text is held out, or one."""
        hashes = np.array([document_hash([f"The cat {i} sat.", "The dog sat."]) for i in sorted(numbers)])
        held_out = corpus_module.choose_held_out(hashes, np.full(len(hashes), 2))
        assert 1 <= held_out.sum() <= max(1, len(hashes) // 5)

    @given(copies=st.lists(st.integers(1, 6), min_size=3, max_size=30), seed=st.integers(0, 1000))
    def test_copies_of_a_document_stand_on_one_side(self, copies, seed):
        """But those of one document alone on both: nothing would be left to learn from."""
        hashes = np.repeat(np.random.default_rng(seed).random(len(copies)), copies)
        for sentences in (1, 2):
            held_out = corpus_module.choose_held_out(hashes, np.full(len(hashes), sentences))
            assert not set(hashes[held_out]) & set(hashes[~held_out])
            assert not held_out.all()
        assert corpus_module.choose_held_out(np.full(5, 0.01), np.full(5, 2)).tolist() == [True] + [False] * 4


class TestShards:
    @pytest.mark.parametrize("processes", [0, 2])
    def test_shards_hold_the_same(self, story_file, tmp_path, monkeypatch, processes):
        whole, shares = load_corpus([story_file], TOKENIZER), list[float]()
        monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "bertscope-home" / "other"))
        monkeypatch.setattr(corpus_cache, "GROUP_CHARACTERS", 200)
        monkeypatch.setattr(corpus_cache, "SHARD_CHARACTERS", 600)
        parts = load_corpus([story_file], TOKENIZER, shares.append, processes=processes)
        assert len(list((tmp_path / "bertscope-home/other/cache/corpora").glob("*/tokens-*.npy"))) > 5
        assert isinstance(parts.tokens, TokenShards) and _same(parts, whole)
        assert shares == sorted(shares) and shares[-1] == 1.0

    @given(cuts=st.lists(st.integers(0, 60), max_size=6), start=st.integers(0, 70), stop=st.integers(0, 70))
    def test_a_slice_over_any_shards(self, cuts, start, stop):
        tokens = np.arange(60, dtype=np.uint16)
        shards = TokenShards(np.split(tokens, sorted(cuts)))
        assert shards[start:stop].tolist() == tokens[start:stop].tolist()
        assert len(shards) == 60 and np.asarray(shards).tolist() == tokens.tolist()


@pytest.mark.usefixtures("small_shards")
class TestCache:
    def test_it_is_used_and_other_content_is_read_anew(self, story_file, monkeypatch):
        first = load_corpus([story_file], TOKENIZER)
        with monkeypatch.context() as patched:
            patched.setattr(corpus_module, "_build", lambda *_: pytest.fail("made again"))
            assert _same(load_corpus([story_file], TOKENIZER), first)
        story_file.write_text(STORIES.replace("cat 3", "dog 3"), encoding="utf-8")
        assert not np.array_equal(first.tokens, load_corpus([story_file], TOKENIZER).tokens)

    @pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
    def test_a_stop_keeps_whole_shards_and_the_next_call_goes_on(
        self, story_file, tmp_path, monkeypatch, started, error
    ):
        calls = iter(range(14))  # of some 26 groups

        def stop_half_way(share):
            if next(calls) == 13:
                raise error

        with pytest.raises(error):
            load_corpus([story_file], TOKENIZER, stop_half_way, processes=2)
        kept = {file.name: file.stat().st_mtime_ns for file in _cache(tmp_path).glob("tokens-*.npy")}
        assert 2 <= len(kept) <= 6 and not (_cache(tmp_path) / "about.json").exists()
        assert len(started) == 2 and not any(_lives(pid) for pid in started)
        again = load_corpus([story_file], TOKENIZER)
        assert all((_cache(tmp_path) / name).stat().st_mtime_ns == at for name, at in kept.items())
        monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "undisturbed"))
        assert _same(again, load_corpus([story_file], TOKENIZER))

    def test_a_stop_before_the_first_shard_leaves_nothing(self, story_file, tmp_path):
        def stop(share):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            load_corpus([story_file], TOKENIZER, stop)
        assert not [path for path in (tmp_path / "bertscope-home" / "cache" / "corpora").iterdir() if path.is_dir()]

    DAMAGE = {  # noqa: RUF012
        "cut off": lambda folder: os.truncate(folder / "tokens-00002.npy", 150),
        "a changed byte": lambda folder: _flip(folder / "tokens-00002.npy"),
        "a changed byte in the lengths": lambda folder: _flip(folder / "lengths-00003.npz"),
        "a lost shard": lambda folder: (folder / "tokens-00000.npy").unlink(),
        "a cut index": lambda folder: os.truncate(folder / "sentence_starts.npy", 200),
        "a changed index": lambda folder: _flip(folder / "held_out.npy"),
        "no JSON": lambda folder: (folder / "about.json").write_text("{"),
        "another JSON": lambda folder: (folder / "about.json").write_text("[1]"),
    }

    @pytest.mark.parametrize("damage", DAMAGE)
    def test_damage_is_noticed_and_only_that_is_made_anew(self, story_file, tmp_path, damage):
        expected = _copied(load_corpus([story_file], TOKENIZER))
        before = _written(_cache(tmp_path))
        self.DAMAGE[damage](_cache(tmp_path))
        assert _same(load_corpus([story_file], TOKENIZER), expected)
        after = _written(_cache(tmp_path))
        assert sum(after[name] != at for name, at in before.items() if name.startswith("shard-")) <= 1

    def test_two_processes_make_the_same_cache_at_once(self, story_file, tmp_path):
        story_file.write_text(STORIES.replace("sat", "sat on the mat and sang") * 10, encoding="utf-8")
        program = (
            "import sys; from pathlib import Path; from bertcore.data import corpus_cache\n"
            "from bertcore.data.corpus import load_corpus; from tests.engine.corpora import words_only\n"
            "corpus_cache.GROUP_CHARACTERS, corpus_cache.SHARD_CHARACTERS = 2000, 20000\n"
            "print(len(load_corpus([Path(sys.argv[1])], words_only()).tokens))"
        )
        command = [sys.executable, "-c", program, str(story_file)]
        both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        said = [process.communicate()[0] for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert said[0] == said[1] and int(said[0]) > 10_000
        assert corpus_cache.ShardFolder(_cache(tmp_path)).is_whole()

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
    @pytest.mark.parametrize("name", ["tokens-00003.npy", "lengths-00003.npz", "sentence_starts.npy"])
    def test_a_full_disk_is_one_sentence_and_what_is_done_stays(self, story_file, tmp_path, monkeypatch, name):
        expected = _copied(load_corpus([story_file], TOKENIZER))
        (_cache(tmp_path) / name).unlink()
        (_cache(tmp_path) / name).symlink_to("/dev/full")
        with pytest.raises(BertcoreError, match="The disk is full: free some space for .*corpora"):
            load_corpus([story_file], TOKENIZER)
        (_cache(tmp_path) / name).unlink()
        assert _same(load_corpus([story_file], TOKENIZER), expected)
        monkeypatch.setenv("BERTSCOPE_HOME", str(story_file))
        with pytest.raises(BertcoreError, match="Cannot write .*corpora: .*BERTSCOPE_HOME"):
            load_corpus([story_file], TOKENIZER)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
class TestProcesses:
    def test_one_that_is_killed_ends_all(self, story_file, started, monkeypatch):
        monkeypatch.setattr(corpus_cache, "GROUP_CHARACTERS", 20_000)
        story_file.write_text(STORIES * 100, encoding="utf-8")
        with pytest.raises(BertcoreError, match="died, perhaps for lack of memory"):
            load_corpus([story_file], TOKENIZER, lambda share: os.kill(started[0], signal.SIGKILL), processes=2)

    def test_a_script_without_a_guard_will_do(self, story_file, tmp_path):
        script = text_file(
            tmp_path / "script.py",
            "import sys; from pathlib import Path; from bertcore.data.corpus import load_corpus\n"
            "from tests.engine.corpora import words_only\n"
            "print(len(load_corpus([Path(sys.argv[1])], words_only(), processes=2).document_starts))",
        )
        command, environment = [sys.executable, str(script), str(story_file)], {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("61\n", "")

    @pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes that are not its own")
    def test_none_outlives_a_killed_parent(self, story_file, tmp_path):
        program = (
            "from bertcore.data.tokenising import TokenisingProcesses; from tests.engine.corpora import words_only\n"
            "import sys\n"
            "pool = TokenisingProcesses(words_only().raw.to_str(), 'uint16', 2)\n"
            "print(*[p.pid for p in pool._processes], flush=True); sys.stdin.read()"
        )
        pipe = subprocess.PIPE
        parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2
        ends = [os.pidfd_open(pid) for pid in children]  # readable when the process has ended
        parent.kill()
        parent.communicate()
        for end in ends:
            select.select([end], [], [])
            os.close(end)


def _copied(corpus):
    """As it is now, whatever becomes of its files."""
    index = (corpus.sentence_starts, corpus.document_starts, corpus.held_out)
    return Corpus(corpus.tokens[:].copy(), *map(np.array, index))


def _written(folder):
    return {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}


def _flip(file):
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# --- what becomes of it: never gone while somebody reads it

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
def nobody_here_reads(monkeypatch):
    """The test's own process lets go of what it read, as one that has ended."""
    monkeypatch.setattr(corpus_cache, "_mine", {})
    yield
    release()


def tokenised(folder, name, used_at):
    file = text_file(folder / f"{name}.txt", STORIES + f"\n\nThe {name} sat. It was very {name}.")
    corpus = load_corpus([file], words_only())
    release()
    for text in cached_texts():
        if text.sources == (file.name,):
            os.utime(text.folder / "readers", (used_at, used_at))
    return corpus


@contextmanager
def reader(file):
    """Another process that has the text open."""
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(file)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "reading\n"
        yield process
    finally:
        process.kill()
        process.wait()


def names():
    return [text.sources[0] for text in cached_texts()]


def test_they_are_told_apart_and_those_unused_for_longest_go_first(tmp_path):
    assert cached_texts() == []
    for name, used_at in (("cat", 1000.0), ("dog", 3000.0), ("bird", 2000.0)):
        tokenised(tmp_path, name, used_at)
    assert names() == ["dog.txt", "bird.txt", "cat.txt"]
    dog, bird, _ = cached_texts()
    assert dog.used_at == 3000.0 and not dog.in_use
    assert dog.bytes == sum(file.stat().st_size for file in dog.folder.rglob("*") if file.is_file()) > 1000
    two = dog.bytes + bird.bytes
    assert [text.sources for text in trim(two / 2**30)] == [("cat.txt",)]
    assert trim(two / 2**30) == [] and names() == ["dog.txt", "bird.txt"]
    assert len(trim(0.0)) == 2
    assert names() == [] and list(corpus_cache.cache_folder().iterdir()) == []


def test_making_one_more_keeps_the_bound(tmp_path, monkeypatch):
    tokenised(tmp_path, "cat", 1000.0)
    monkeypatch.setattr(corpus_cache, "MOST_GIB", 1.5 * cached_texts()[0].bytes / 2**30)
    tokenised(tmp_path, "dog", 2000.0)
    assert names() == ["dog.txt"]


def test_what_is_open_stays_and_what_was_cleared_is_made_anew(tmp_path, monkeypatch):
    expected = np.array(tokenised(tmp_path, "cat", 1000.0).tokens)
    opened = load_corpus([tmp_path / "cat.txt"], words_only())
    assert cached_texts()[0].in_use and clear(cached_texts()) == [] and trim(0.0) == []
    assert np.array_equal(opened.tokens, expected)
    release()
    assert len(clear(cached_texts())) == 1
    assert np.array_equal(load_corpus([tmp_path / "cat.txt"], words_only()).tokens, expected) and names() == ["cat.txt"]

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "utime", refuse)  # a folder that cannot be written is read all the same
    assert np.array_equal(load_corpus([tmp_path / "cat.txt"], words_only()).tokens, expected)


def reader_files():
    return sorted((cached_texts()[0].folder / "readers").iterdir())


def test_another_process_is_a_reader_until_it_ends_or_is_killed(tmp_path):
    tokenised(tmp_path, "cat", 1000.0)
    with reader(tmp_path / "cat.txt") as process:
        assert len(reader_files()) == 1
        process.communicate("")  # an end of file: it ends by itself, and leaves no file
    assert process.returncode == 0 and reader_files() == []
    with reader(tmp_path / "cat.txt"):
        (text,) = cached_texts()
        assert text.in_use and text.used_at > 1000.0
        assert clear([text]) == [] and trim(0.0) == [] and text.folder.is_dir()
    (killed,) = reader_files()  # its mark lies there, but nobody holds it
    assert not cached_texts()[0].in_use
    os.utime(killed, (1000.0, 1000.0))
    with reader(tmp_path / "cat.txt"):  # one that is alive keeps its own, however old
        (alive,) = set(reader_files()) - {killed}
        os.utime(alive, (1000.0, 1000.0))
        load_corpus([tmp_path / "cat.txt"], words_only())
        assert not killed.exists() and alive.exists() and len(reader_files()) == 2
    release()
    assert len(clear(cached_texts())) == 1 and not text.folder.exists()


def test_what_is_being_made_stays_and_what_was_never_finished_goes(tmp_path):
    tokenised(tmp_path, "cat", 1000.0)
    (text,) = cached_texts()
    (text.folder / "about.json").unlink()
    with FileLock(text.folder.with_suffix(".lock")):
        (unfinished,) = cached_texts()
        assert unfinished.in_use and unfinished.sources == () and clear([unfinished]) == []
        assert clear([text]) == []  # also where it was free when the list was made
    assert len(clear(cached_texts())) == 1
