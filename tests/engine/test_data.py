"""From text to batches: who is next to whom, what is masked, and what is never trained on."""

import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bertcore.data.batches import causal_batch, lay_out, masked_batch
from bertcore.data.pairs import IS_NEXT, NO_LABEL, NOT_NEXT, PairSampler, TokenPair, cut_windows
from bertcore.errors import BertcoreError
from tests.engine.corpora import document_of, numbered_corpus, random_corpus
from tests.engine.models import word_tokenizer

TOKENIZER = word_tokenizer()


def _epoch(sampler: PairSampler, seed: int = 0) -> list[TokenPair]:
    return sampler.pairs(sampler.windows(sampler.windows_per_epoch), np.random.default_rng(seed))


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
        labels = Counter(pair.label for pair in sampler.pairs(sampler.windows(6000), rng))
        share = labels[IS_NEXT] / (labels[IS_NEXT] + labels[NOT_NEXT])
        assert abs(share - 0.5) < 0.03  # 4 standard deviations

    def test_held_out_documents_are_never_trained_on_and_the_other_way_round(self) -> None:
        corpus = random_corpus(4)
        for held_out in (False, True):
            sampler = PairSampler(corpus, held_out, 24, 4)
            seen = {
                document_of(corpus, int(token))
                for pair in sampler.pairs(sampler.windows(3 * sampler.windows_per_epoch), np.random.default_rng(0))
                for token in (*pair.a, *pair.b)
            }
            assert seen and all(bool(corpus.held_out[document]) == held_out for document in seen)

    def test_one_document_alone_still_gives_pairs(self) -> None:
        assert _epoch(PairSampler(numbered_corpus([[3, 4, 5, 6]]), False, 16, 0))


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
            pairs = sampler.pairs(sampler.windows(200), np.random.default_rng(1))
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
        sampler.pairs(sampler.windows(skip), np.random.default_rng(0))
        other.restore(sampler.state)
        left, right = (s.pairs(s.windows(70), np.random.default_rng(2)) for s in (sampler, other))
        assert all(np.array_equal(x.a, y.a) and np.array_equal(x.b, y.b) for x, y in zip(left, right, strict=True))

    def test_documents_of_one_short_sentence_each_are_refused_with_a_sentence(self) -> None:
        with pytest.raises(BertcoreError, match="two sentences"):
            PairSampler(numbered_corpus([[4]] * 30), False, 64, 0)


def _ordinary_pairs(count: int, rng: np.random.Generator) -> list[TokenPair]:
    def words(low: int) -> NDArray:
        return rng.integers(5, TOKENIZER.vocab_size, rng.integers(low, 30))

    return [TokenPair(words(1), words(0), int(rng.integers(2))) for _ in range(count)]


class TestLayOut:
    def test_as_the_model_reads_it(self) -> None:
        pairs = [
            TokenPair(np.array([10, 11]), np.array([12]), IS_NEXT),
            TokenPair(np.array([13]), np.array([], int), NO_LABEL),
        ]
        ids, segments, mask = lay_out(pairs, TOKENIZER)
        cls, sep, pad = TOKENIZER.cls_id, TOKENIZER.sep_id, TOKENIZER.pad_id
        assert ids.tolist() == [[cls, 10, 11, sep, 12, sep], [cls, 13, sep, pad, pad, pad]]
        assert segments.tolist() == [[0, 0, 0, 0, 1, 1], [0] * 6]
        assert mask is not None and mask.tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]

    def test_no_mask_where_nothing_is_padding(self) -> None:
        assert lay_out([TokenPair(np.array([9]), np.array([8]), 0)] * 3, TOKENIZER)[2] is None


class TestMasking:
    def test_chosen_places_are_spread_evenly(self) -> None:
        rng = np.random.default_rng(1)
        pairs = [TokenPair(np.arange(10, 30), np.arange(30, 50), 0)] * 4000
        batch = masked_batch(pairs, TOKENIZER, rng)
        places = np.bincount(batch.rows.numpy() % batch.input_ids.shape[1], minlength=43)
        ordinary = np.delete(places, [0, 21, 42])
        assert places[[0, 21, 42]].sum() == 0
        assert abs(ordinary - 600).max() < 5 * np.sqrt(600)

    @given(seed=st.integers(0, 10_000), share=st.sampled_from([0.01, 0.15, 0.9]))
    def test_labels_are_what_stood_there_and_nothing_else_changes(self, seed: int, share: float) -> None:
        rng = np.random.default_rng(seed)
        pairs = _ordinary_pairs(6, rng)
        ids, segments, mask = lay_out(pairs, TOKENIZER)
        batch = masked_batch(pairs, TOKENIZER, rng, share)
        original, after = ids.reshape(-1), batch.input_ids.numpy().reshape(-1)
        assert (original[batch.rows.numpy()] == batch.labels.numpy()).all()
        untouched = np.setdiff1d(np.arange(ids.size), batch.rows.numpy())
        assert (original[untouched] == after[untouched]).all()
        assert not set(batch.labels.tolist()) & {TOKENIZER.pad_id, TOKENIZER.cls_id, TOKENIZER.sep_id}
        assert len(set(batch.rows.tolist())) == len(batch.rows.numpy())
        for row, pair in enumerate(pairs):
            words = len(pair.a) + len(pair.b)
            chosen = int((batch.rows.numpy() // ids.shape[1] == row).sum())
            assert chosen == max(1, round(words * share))
        assert batch.next_sentence.tolist() == [pair.label for pair in pairs]
        assert not batch.causal
        assert np.array_equal(batch.segment_ids, segments)
        assert batch.real_tokens == (ids.size if mask is None else mask.sum())


class TestCausalBatch:
    def test_every_token_predicts_the_one_after_it(self) -> None:
        pairs = _ordinary_pairs(6, np.random.default_rng(0))
        ids, _, mask = lay_out(pairs, TOKENIZER)
        batch = causal_batch(pairs, TOKENIZER)
        assert batch.causal and np.array_equal(batch.input_ids.numpy(), ids)
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


def test_nobody_waits_for_windows_of_an_epoch_that_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that is no daemon holds up the end of the process."""
    monkeypatch.setattr("bertcore.data.pairs._LONG_EPOCH", 1)
    go_on = threading.Event()

    class Slow(PairSampler):
        def _cut(self, epoch: int) -> NDArray[np.int64]:
            assert epoch == 0 or go_on.wait()
            return super()._cut(epoch)

    slow, usual = Slow(random_corpus(3), False, 24, 3), PairSampler(random_corpus(3), False, 24, 3)
    slow.windows(slow.windows_per_epoch)
    cutting = [thread for thread in threading.enumerate() if thread.name.startswith("windows")]
    assert len(cutting) == 1 and cutting[0].daemon
    go_on.set()
    usual.windows(usual.windows_per_epoch)
    np.testing.assert_array_equal(slow.windows(50), usual.windows(50))
