"""From text to batches: who is next to whom, what is masked, and what is never trained on.

The hand-made corpora give every token its own id, so that an id says which sentence and document it comes from.
"""

from __future__ import annotations

import gzip
import lzma
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bertcore.data import corpus as corpus_module
from bertcore.data.batches import PairSampler, causal_batch, lay_out, masked_batch
from bertcore.data.corpus import Corpus, corpus_key, load_corpus
from bertcore.data.pairs import IS_NEXT, NO_LABEL, NOT_NEXT, Pair, cut_windows
from bertcore.data.text import read_documents
from bertcore.errors import BertcoreError
from tests.engine.models import word_tokenizer

TOKENIZER = word_tokenizer()


def numbered_corpus(documents: list[list[int]], held_out: set[int] = frozenset()) -> Corpus:  # type: ignore[assignment]
    """Documents as lists of sentence lengths; token ids count from 0."""
    lengths = [length for document in documents for length in document]
    return Corpus(
        tokens=np.arange(sum(lengths), dtype=np.uint32),
        sentence_starts=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        document_starts=np.concatenate([[0], np.cumsum([len(d) for d in documents], dtype=np.int64)]),
        held_out=np.array([i in held_out for i in range(len(documents))]),
    )


def random_corpus(seed: int, documents: int = 40) -> Corpus:
    rng = np.random.default_rng(seed)
    lengths = [list(map(int, rng.integers(1, 15, rng.integers(1, 12)))) for _ in range(documents)]
    return numbered_corpus(lengths, held_out={0, 7, 8})


def document_of(corpus: Corpus, token: int) -> int:
    bounds = corpus.sentence_starts[corpus.document_starts]
    return int(np.searchsorted(bounds, token, side="right")) - 1


def _epoch(sampler: PairSampler, seed: int = 0) -> list[Pair]:
    return sampler.take(sampler.windows_per_epoch, np.random.default_rng(seed))


class TestPairs:
    @pytest.mark.parametrize("length", [8, 24, 64])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_next_parts_touch_and_others_come_from_another_document(self, length: int, seed: int) -> None:
        corpus = random_corpus(seed)
        pairs = _epoch(PairSampler(corpus, False, length, seed))
        kinds = Counter(pair.label for pair in pairs)
        assert kinds[IS_NEXT] > 10 and kinds[NOT_NEXT] > 10
        for pair in pairs:
            a, b = pair.a.astype(int), pair.b.astype(int)
            assert len(a) >= 1 and len(a) + len(b) <= length - 3
            assert (np.diff(a) == 1).all() and (np.diff(b) == 1).all()
            if pair.label == IS_NEXT:
                assert b[0] == a[-1] + 1 and document_of(corpus, a[0]) == document_of(corpus, b[-1])
            elif pair.label == NOT_NEXT:
                assert document_of(corpus, b[0]) == document_of(corpus, b[-1]) != document_of(corpus, a[0])
            else:
                assert pair.label == NO_LABEL and len(b) == 0

    def test_half_of_the_pairs_are_next(self) -> None:
        sampler = PairSampler(random_corpus(3), False, 24, 3)
        rng = np.random.default_rng(5)
        labels = Counter(pair.label for pair in sampler.take(6000, rng))
        share = labels[IS_NEXT] / (labels[IS_NEXT] + labels[NOT_NEXT])
        assert abs(share - 0.5) < 0.03  # 4 standard deviations

    def test_held_out_documents_are_never_trained_on_and_the_other_way_round(self) -> None:
        corpus = random_corpus(4)
        for held_out in (False, True):
            sampler = PairSampler(corpus, held_out, 24, 4)
            seen = {
                document_of(corpus, int(token))
                for pair in sampler.take(3 * sampler.windows_per_epoch, np.random.default_rng(0))
                for token in (*pair.a, *pair.b)
            }
            assert seen and all(bool(corpus.held_out[document]) == held_out for document in seen)

    def test_one_document_alone_still_gives_pairs(self) -> None:
        pairs = _epoch(PairSampler(numbered_corpus([[3, 4, 5, 6]]), False, 16, 0))
        assert pairs and all(pair.label == IS_NEXT for pair in pairs)


class TestWindows:
    @pytest.mark.parametrize("room", [5, 20, 61])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_no_overlap_whole_sentences_one_document_and_full(self, room: int, seed: int) -> None:
        corpus = random_corpus(seed)
        windows = cut_windows(corpus, corpus.documents(False), room, np.random.default_rng(seed))
        sentences = Counter(s for first, end, _ in windows for s in range(first, end))
        assert max(sentences.values()) == 1
        for first, end, document in windows:
            start, stop = corpus.document_starts[document], corpus.document_starts[document + 1]
            assert start <= first < end <= stop and not corpus.held_out[document]
            tokens = corpus.sentence_starts[end] - corpus.sentence_starts[first]
            assert tokens >= room or end >= stop

    def test_in_some_epoch_every_sentence_of_a_long_document_is_read(self) -> None:
        corpus = numbered_corpus([[7] * 60, [5] * 50])
        rng = np.random.default_rng(0)
        read = {
            s
            for _ in range(12)
            for first, end, _ in cut_windows(corpus, corpus.documents(False), 30, rng)
            for s in range(first, end)
        }
        assert read == set(range(110))

    def test_one_epoch_reads_nearly_everything(self) -> None:
        corpus = numbered_corpus([[7] * 60, [5] * 50, [9] * 30])
        windows = cut_windows(corpus, corpus.documents(False), 30, np.random.default_rng(0))
        assert sum(end - first for first, end, _ in windows) >= 0.9 * 140


class TestSampler:
    def test_the_seed_alone_fixes_the_order(self) -> None:
        corpus = random_corpus(5)

        def drawn(seed: int) -> list[list[int]]:
            sampler = PairSampler(corpus, False, 24, seed)
            pairs = sampler.take(200, np.random.default_rng(1))
            return [[*map(int, pair.a), -1, *map(int, pair.b)] for pair in pairs]

        assert drawn(1) == drawn(1) != drawn(2)

    def test_epochs_differ(self) -> None:
        sampler = PairSampler(random_corpus(5), False, 24, 1)
        first, second = _epoch(sampler), _epoch(sampler)
        assert [int(pair.a[0]) for pair in first] != [int(pair.a[0]) for pair in second]

    @given(skip=st.integers(0, 150))
    def test_a_restored_sampler_goes_on_where_it_stood(self, skip: int) -> None:
        corpus = random_corpus(6)
        sampler, other = PairSampler(corpus, False, 24, 9), PairSampler(corpus, False, 24, 9)
        sampler.take(skip, np.random.default_rng(0))
        other.restore(sampler.state)
        left, right = (s.take(70, np.random.default_rng(2)) for s in (sampler, other))
        assert all(np.array_equal(x.a, y.a) and np.array_equal(x.b, y.b) for x, y in zip(left, right, strict=True))

    def test_documents_of_one_short_sentence_each_are_refused_with_a_sentence(self) -> None:
        with pytest.raises(BertcoreError, match="two sentences"):
            PairSampler(numbered_corpus([[4]] * 30), False, 64, 0)


def _ordinary_pairs(count: int, rng: np.random.Generator) -> list[Pair]:
    def words(low: int) -> NDArray:
        return rng.integers(5, TOKENIZER.vocab_size, rng.integers(low, 30))

    return [Pair(words(1), words(0), int(rng.integers(2))) for _ in range(count)]


class TestLayOut:
    def test_as_the_model_reads_it(self) -> None:
        pairs = [Pair(np.array([10, 11]), np.array([12]), IS_NEXT), Pair(np.array([13]), np.array([], int), NO_LABEL)]
        ids, segments, mask = lay_out(pairs, TOKENIZER)
        cls, sep, pad = TOKENIZER.cls_id, TOKENIZER.sep_id, TOKENIZER.pad_id
        assert ids.tolist() == [[cls, 10, 11, sep, 12, sep], [cls, 13, sep, pad, pad, pad]]
        assert segments.tolist() == [[0, 0, 0, 0, 1, 1], [0] * 6]
        assert mask is not None and mask.tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]

    def test_no_mask_where_nothing_is_padding(self) -> None:
        assert lay_out([Pair(np.array([9]), np.array([8]), 0)] * 3, TOKENIZER)[2] is None


class TestMasking:
    def test_rates_of_the_paper_on_a_large_sample(self) -> None:
        rng = np.random.default_rng(0)
        pairs = [Pair(rng.integers(5, 60, 40), rng.integers(5, 60, 60), 0) for _ in range(1000)]
        original = lay_out(pairs, TOKENIZER)[0].reshape(-1)
        batch = masked_batch(pairs, TOKENIZER, rng)
        after = batch.input_ids.reshape(-1)
        count = len(batch.rows)
        assert count == 15 * 1000
        masked = after[batch.rows] == TOKENIZER.mask_id
        kept = after[batch.rows] == original[batch.rows]
        by_chance = 0.1 / TOKENIZER.vocab_size  # a random word may be the same one, or [MASK]
        deviation = 5 * np.sqrt(0.25 / count)
        assert abs(masked.mean() - 0.8 - by_chance) < deviation * 0.8
        assert abs(kept.mean() - 0.1 - by_chance) < deviation * 0.6
        others = after[batch.rows][~masked & ~kept]
        assert len(set(others.tolist())) > 0.9 * TOKENIZER.vocab_size  # from the whole vocabulary

    def test_chosen_places_are_spread_evenly(self) -> None:
        rng = np.random.default_rng(1)
        pairs = [Pair(np.arange(10, 30), np.arange(30, 50), 0)] * 4000
        batch = masked_batch(pairs, TOKENIZER, rng)
        places = np.bincount(batch.rows % batch.input_ids.shape[1], minlength=43)
        ordinary = np.delete(places, [0, 21, 42])
        assert places[[0, 21, 42]].sum() == 0
        assert abs(ordinary - 600).max() < 5 * np.sqrt(600)

    @given(seed=st.integers(0, 10_000), share=st.sampled_from([0.01, 0.15, 0.9]))
    def test_labels_are_what_stood_there_and_nothing_else_changes(self, seed: int, share: float) -> None:
        rng = np.random.default_rng(seed)
        pairs = _ordinary_pairs(6, rng)
        ids, segments, mask = lay_out(pairs, TOKENIZER)
        batch = masked_batch(pairs, TOKENIZER, rng, share)
        original, after = ids.reshape(-1), batch.input_ids.reshape(-1)
        assert (original[batch.rows] == batch.labels).all()
        untouched = np.setdiff1d(np.arange(ids.size), batch.rows)
        assert (original[untouched] == after[untouched]).all()
        assert not set(batch.labels.tolist()) & {TOKENIZER.pad_id, TOKENIZER.cls_id, TOKENIZER.sep_id}
        assert len(set(batch.rows.tolist())) == len(batch.rows)
        for row, pair in enumerate(pairs):
            words = len(pair.a) + len(pair.b)
            chosen = int((batch.rows // ids.shape[1] == row).sum())
            assert chosen == max(1, round(words * share))
        assert batch.next_sentence.tolist() == [pair.label for pair in pairs]
        assert not batch.causal
        assert np.array_equal(batch.segment_ids, segments)
        assert batch.real_tokens == (ids.size if mask is None else mask.sum())

    def test_the_generator_alone_decides(self) -> None:
        pairs = _ordinary_pairs(8, np.random.default_rng(0))
        first, same, other = (masked_batch(pairs, TOKENIZER, np.random.default_rng(seed)) for seed in (3, 3, 4))
        assert np.array_equal(first.input_ids, same.input_ids) and np.array_equal(first.rows, same.rows)
        assert not np.array_equal(first.rows, other.rows)


class TestCausalBatch:
    def test_every_token_predicts_the_one_after_it(self) -> None:
        pairs = _ordinary_pairs(6, np.random.default_rng(0))
        ids, _, mask = lay_out(pairs, TOKENIZER)
        batch = causal_batch(pairs, TOKENIZER)
        assert batch.causal and np.array_equal(batch.input_ids, ids)
        real = np.ones_like(ids) if mask is None else mask
        expected = [
            (row * ids.shape[1] + at, int(ids[row, at + 1]))
            for row in range(len(ids))
            for at in range(ids.shape[1] - 1)
            if real[row, at + 1]
        ]
        assert list(zip(batch.rows.tolist(), batch.labels.tolist(), strict=True)) == expected
        assert set(batch.next_sentence.tolist()) == {NO_LABEL}
        assert batch.real_tokens == real.sum()


STORIES = "\n\n".join(
    f"The cat {i} sat on the mat. It was very {word}!\nA dog sang. A bird {word} sat on the cat {i}."
    for i in range(12)
    for word in ("comfortable", "loud", "small", "green", "old")
)


@pytest.fixture
def story_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    file = tmp_path / "stories.txt"
    file.write_text(STORIES, encoding="utf-8")
    return file


class TestCorpus:
    def test_documents_sentences_and_tokens_are_those_of_the_text(self, story_file: Path) -> None:
        corpus = load_corpus([story_file], TOKENIZER)
        assert len(corpus.document_starts) - 1 == 60
        assert (np.diff(corpus.document_starts) == 4).all()
        first = corpus.tokens[corpus.sentence_starts[1] : corpus.sentence_starts[2]]
        assert first.tolist() == TOKENIZER.encode("It was very comfortable!").ids[1:-1]
        assert corpus.count_tokens(True) + corpus.count_tokens(False) == len(corpus.tokens)

    def test_a_part_is_held_out_and_always_the_same(self, story_file: Path, tmp_path: Path) -> None:
        corpus = load_corpus([story_file], TOKENIZER)
        assert 1 <= corpus.held_out.sum() <= 12  # a fifth at most
        backwards = tmp_path / "backwards.txt"
        backwards.write_text("\n\n".join(reversed(STORIES.split("\n\n"))), encoding="utf-8")
        again = load_corpus([backwards], TOKENIZER)
        assert np.array_equal(again.held_out, corpus.held_out[::-1])  # by a document's text, not its place

    def test_training_text_never_holds_a_held_out_document(self, story_file: Path) -> None:
        corpus = load_corpus([story_file], TOKENIZER)
        pairs = _epoch(PairSampler(corpus, False, 32, 0)) + _epoch(PairSampler(corpus, False, 32, 1), 1)
        trained = {tuple(part.tolist()) for pair in pairs for part in (pair.a, pair.b)}
        joined = [" " + " ".join(map(str, part)) + " " for part in trained]
        for document in corpus.documents(True):
            first = int(corpus.document_starts[document])
            for sentence in (first, first + 3):  # these name the document's number, and stand in no other
                ids = corpus.tokens[corpus.sentence_starts[sentence] : corpus.sentence_starts[sentence + 1]]
                needle = " " + " ".join(map(str, ids.tolist())) + " "
                duplicates = [d for d in corpus.documents(False) if needle in _document_text(corpus, int(d))]
                assert duplicates or not any(needle in text for text in joined)

    def test_the_cache_is_used(self, story_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first = load_corpus([story_file], TOKENIZER)
        monkeypatch.setattr(corpus_module, "read_documents", lambda files: pytest.fail("read again"))
        again = load_corpus([story_file], TOKENIZER)
        assert np.array_equal(first.tokens, again.tokens) and np.array_equal(first.held_out, again.held_out)

    def test_other_content_is_read_anew(self, story_file: Path) -> None:
        before = load_corpus([story_file], TOKENIZER)
        story_file.write_text(STORIES.replace("cat 3", "dog 3"), encoding="utf-8")
        after = load_corpus([story_file], TOKENIZER)
        assert not np.array_equal(before.tokens, after.tokens)

    def test_the_key_follows_content_and_vocabulary_not_names(self, story_file: Path, tmp_path: Path) -> None:
        key = corpus_key([story_file], TOKENIZER)
        assert corpus_key([story_file.rename(tmp_path / "other.txt")], TOKENIZER) == key
        assert corpus_key([tmp_path / "other.txt"], word_tokenizer(lowercase=False)) != key
        assert corpus_key([tmp_path / "other.txt"] * 2, TOKENIZER) != key

    def test_a_broken_off_build_leaves_nothing_to_be_taken_for_a_cache(
        self, story_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(corpus_module.np, "save", interrupted)
            load_corpus([story_file], TOKENIZER)
        assert not list((tmp_path / "home" / "cache" / "corpora").iterdir())
        assert len(load_corpus([story_file], TOKENIZER).tokens)

    @pytest.mark.parametrize("suffix", [".txt", ".gz", ".xz"])
    def test_compressed_text_is_the_same_text(self, story_file: Path, tmp_path: Path, suffix: str) -> None:
        packed = {".txt": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[suffix]
        file = tmp_path / f"packed{suffix}"
        file.write_bytes(packed(STORIES.encode()))
        assert list(read_documents([file])) == list(read_documents([story_file]))

    def test_several_files_one_after_the_other(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("one\ntwo\n \nthree")
        (tmp_path / "b").write_text("\n\nfour\r\n\r\nfive\n\n")
        assert list(read_documents([tmp_path / "a", tmp_path / "b"])) == [["one", "two"], ["three"], ["four"], ["five"]]


def _document_text(corpus: Corpus, document: int) -> str:
    first, stop = corpus.sentence_starts[corpus.document_starts[document : document + 2]]
    return " " + " ".join(map(str, corpus.tokens[first:stop].tolist())) + " "


BAD_TEXTS: dict[str, tuple[str, bytes | None, str]] = {
    "missing": ("gone.txt", None, "gone.txt"),
    "empty": ("a.txt", b"", "too little text in a.txt"),
    "blank": ("a.txt", b"\n \n\t\n", "too little text in a.txt"),
    "one line": ("a.txt", b"The cat sat on the mat.", "too little text in a.txt"),
    "one document": ("a.txt", b"The cat sat. The dog sat. A bird sang.\n" * 9, "too little text in a.txt"),
    "control characters only": ("a.txt", b"\x01\x02\x03\n\n" * 40, "too little text"),
    "no UTF-8": ("a.txt", b"The cat \xff sat.\n\n" * 9, "a.txt is not UTF-8"),
    "UTF-16": ("a.txt", STORIES.encode("utf-16"), "a.txt is not UTF-8"),
    "cut off gz": ("a.gz", gzip.compress(STORIES.encode())[:-20], "a.gz cannot be read"),
    "no gz": ("a.gz", STORIES.encode(), "a.gz cannot be read"),
    "damaged gz": ("a.gz", gzip.compress(STORIES.encode())[:40] + b"\xff" * 400, "a.gz cannot be read"),
    "cut off xz": ("a.xz", lzma.compress(STORIES.encode())[:-30], "a.xz cannot be read"),
    "no xz": ("a.xz", STORIES.encode(), "a.xz cannot be read"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_text_that_cannot_be_trained_on_is_named(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    name, content, says = BAD_TEXTS[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BertcoreError, match=says):
        load_corpus([tmp_path / name], TOKENIZER)


@given(numbers=st.sets(st.integers(0, 10_000), min_size=3, max_size=30))
def test_three_documents_of_two_sentences_always_suffice(
    numbers: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As the sentence for too little text promises: at most a fifth of a small text is held out, or one document."""
    documents = [[f"The cat {number} sat.", "The dog sat."] for number in sorted(numbers)]
    arrays = corpus_module._tokenise(iter(documents), TOKENIZER, None)
    assert 1 <= arrays["held_out"].sum() <= max(1, len(documents) // 5)
