"""From text to batches: who is next to whom, what is masked, how families frame it, and what is never trained on."""

import hashlib
import itertools
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as RawTokenizer
from tokenizers import pre_tokenizers
from tokenizers.models import WordLevel

from bertcore.data.batches import causal_batch, lay_out, masked_batch
from bertcore.data.corpus import corpus_key, load_corpus
from bertcore.data.masking import Fates, begins_word, choose, existing_ids, ordinary_ids, span_lengths
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import (
    IN_ORDER,
    IS_NEXT,
    NEXT_SENTENCE,
    NO_LABEL,
    NOT_NEXT,
    SWAPPED,
    PairRules,
    PairSampler,
    TokenPair,
    cut_windows,
    with_pieces,
)
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TaskFile
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distil_options import DistilOptions
from bertcore.training.pretrain_options import DataOptions
from bertcore.training.pretraining_batches import TrainingText
from bertcore.training.start import start_run
from bertcore.training.task_files import data_key
from tests.engine.corpora import STORIES, document_of, numbered_corpus, random_corpus
from tests.engine.models import TOKENIZER, tiny_checkpoint
from tests.engine.training_runs import metrics, tiny_run
from tests.text_file import text_file

SEPARATOR = 4_000_000_000  # no token of a numbered corpus


def _rules(kind, pack):
    return PairRules(kind, pack, specials=(2, 3), separator=SEPARATOR)


def _epoch(corpus, length, rules=NEXT_SENTENCE, seed=0):
    sampler = PairSampler(corpus, False, length, seed, rules)
    return sampler.pairs(sampler.windows(sampler.windows_per_epoch), np.random.default_rng(seed))


@pytest.mark.parametrize("length", [8, 24, 64])
@pytest.mark.parametrize("held_out", [False, True])
def test_half_touch_and_the_others_come_from_another_document(length, held_out):
    """And documents that are held out are never trained on, nor the others measured on."""
    corpus = random_corpus(3)
    sampler = PairSampler(corpus, held_out, length, 3)
    pairs = sampler.pairs(sampler.windows(4000), np.random.default_rng(5))
    kinds = Counter(pair.label for pair in pairs)
    share = kinds[IS_NEXT] / (kinds[IS_NEXT] + kinds[NOT_NEXT])
    assert abs(share - 0.5) < 0.035  # 4 standard deviations
    for pair in pairs:
        a, b = pair.a.astype(int), pair.b.astype(int)
        assert len(a) >= 1 and len(a) + len(b) <= length - 3
        assert (np.diff(a) == 1).all() and (np.diff(b) == 1).all()
        of_a, of_b = ({document_of(corpus, token) for token in (*part[:1], *part[-1:])} for part in (a, b))
        assert all(corpus.held_out[document] == held_out for document in of_a | of_b)
        if pair.label == IS_NEXT:
            assert b[0] == a[-1] + 1 and of_a == of_b and len(of_b) == 1
        elif pair.label == NOT_NEXT:
            assert len(of_b) == 1 and not of_a & of_b
        else:
            assert pair.label == NO_LABEL and len(b) == 0


@pytest.mark.parametrize("room", [5, 20, 61])
@pytest.mark.parametrize("seed", [1, 2])
def test_windows_are_of_whole_sentences_of_one_document_full_and_without_overlap(room, seed):
    corpus = random_corpus(seed)
    windows = cut_windows(corpus, corpus.documents(False), room, np.random.default_rng(seed))
    sentences = Counter(s for first, end, _ in windows for s in range(first, end))
    assert max(sentences.values()) == 1
    for first, end, document in windows:
        start, stop = corpus.document_starts[document], corpus.document_starts[document + 1]
        assert start <= first < end <= stop and not corpus.held_out[document]
        tokens = corpus.sentence_starts[end] - corpus.sentence_starts[first]
        assert tokens >= room or end >= stop


class TestSampler:
    def test_the_seed_alone_fixes_the_order_and_epochs_differ(self):
        corpus = random_corpus(5)

        def drawn(seed, skip=0):
            sampler = PairSampler(corpus, False, 24, seed)
            sampler.windows(skip * sampler.windows_per_epoch)
            pairs = sampler.pairs(sampler.windows(200), np.random.default_rng(1))
            return [[*map(int, pair.a), -1, *map(int, pair.b)] for pair in pairs]

        assert drawn(1) == drawn(1) != drawn(2) and drawn(1) != drawn(1, skip=1)

    @given(skip=st.integers(0, 150))
    def test_a_restored_sampler_goes_on_where_it_stood(self, skip):
        corpus = random_corpus(6)
        sampler, other = PairSampler(corpus, False, 24, 9), PairSampler(corpus, False, 24, 9)
        sampler.pairs(sampler.windows(skip), np.random.default_rng(0))
        other.restore(sampler.state)
        left, right = (s.pairs(s.windows(70), np.random.default_rng(2)) for s in (sampler, other))
        assert all(np.array_equal(x.a, y.a) and np.array_equal(x.b, y.b) for x, y in zip(left, right, strict=True))

    def test_documents_of_one_short_sentence_each_are_refused_with_a_sentence(self):
        with pytest.raises(BertcoreError, match="two sentences"):
            PairSampler(numbered_corpus([[4]] * 30), False, 64, 0)


def _ordinary_pairs(count, rng):
    def words(low):
        return rng.integers(5, TOKENIZER.vocab_size, rng.integers(low, 30))

    return [TokenPair(words(1), words(0), int(rng.integers(2))) for _ in range(count)]


def test_laid_out_as_the_model_reads_it():
    one = np.array([13])
    pairs = [TokenPair(np.array([10, 11]), np.array([12]), IS_NEXT), TokenPair(one, one[:0], NO_LABEL)]
    ids, segments, mask = lay_out(pairs, TOKENIZER)
    cls, sep, pad = TOKENIZER.cls_id, TOKENIZER.sep_id, TOKENIZER.pad_id
    assert ids.tolist() == [[cls, 10, 11, sep, 12, sep], [cls, 13, sep, pad, pad, pad]]
    assert segments.tolist() == [[0, 0, 0, 0, 1, 1], [0] * 6]
    assert mask.tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]
    assert lay_out([TokenPair(np.array([9]), np.array([8]), 0)] * 3, TOKENIZER)[2] is None  # nothing is padding


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.01, 0.15, 0.9]))
def test_labels_are_what_stood_there_and_nothing_else_changes(seed, share):
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
        chosen = int((batch.rows.numpy() // ids.shape[1] == row).sum())
        assert chosen == max(1, round((len(pair.a) + len(pair.b)) * share))
    assert batch.next_sentence.tolist() == [pair.label for pair in pairs]
    assert not batch.causal
    assert np.array_equal(batch.segment_ids, segments)
    assert batch.real_tokens == (ids.size if mask is None else mask.sum())


def test_in_a_causal_batch_every_token_predicts_the_one_after_it():
    pairs = _ordinary_pairs(6, np.random.default_rng(0))
    ids, _, mask = lay_out(pairs, TOKENIZER)
    batch = causal_batch(pairs, TOKENIZER)
    assert batch.causal and np.array_equal(batch.input_ids.numpy(), ids)
    real = np.ones_like(ids) if mask is None else mask
    places = [(row, at) for row in range(len(ids)) for at in range(ids.shape[1] - 1) if real[row, at + 1]]
    expected = [(row * ids.shape[1] + at, int(ids[row, at + 1])) for row, at in places]
    assert list(zip(batch.rows.tolist(), batch.labels.tolist(), strict=True)) == expected
    assert set(batch.next_sentence.tolist()) == {NO_LABEL}
    assert batch.real_tokens == real.sum()


def test_nobody_waits_for_windows_of_an_epoch_that_is_not_read(monkeypatch):
    """A thread that is no daemon holds up the end of the process."""
    monkeypatch.setattr("bertcore.data.pairs._LONG_EPOCH", 1)
    go_on = threading.Event()

    class Slow(PairSampler):
        def _cut(self, epoch):
            assert epoch == 0 or go_on.wait()
            return super()._cut(epoch)

    slow, usual = Slow(random_corpus(3), False, 24, 3), PairSampler(random_corpus(3), False, 24, 3)
    slow.windows(slow.windows_per_epoch)
    cutting = [thread for thread in threading.enumerate() if thread.name.startswith("windows")]
    assert len(cutting) == 1 and cutting[0].daemon
    go_on.set()
    usual.windows(usual.windows_per_epoch)
    np.testing.assert_array_equal(slow.windows(50), usual.windows(50))


# --- whole words and spans; vocabularies numbered in other ways than BERT's

WORDS = ["the", "comfortable", "xylophone", "cat", "sat", "comfort", "zebra", "on", "a", "mat"]


def _pairs(count, words, seed=0, tokenizer=TOKENIZER):
    """Pairs of random words, and the places of each word in each row, found by encoding it alone."""
    rng = np.random.default_rng(seed)
    pairs, places = [], []
    for _ in range(count):
        chosen = [[str(rng.choice(WORDS)) for _ in range(rng.integers(1, words + 1))] for _ in range(2)]
        a, b = ([tokenizer.encode_batch_ids([word])[0] for word in part] for part in chosen)
        pairs.append(TokenPair(np.concatenate(a), np.concatenate(b), 0))
        at, row = 1, []
        for part in (a, b):
            for word in part:
                row.append(list(range(at, at + len(word))))
                at += len(word)
            at += 1
        places.append(row)
    return pairs, places


def test_where_words_begin():
    begins = begins_word(TOKENIZER)
    assert begins[TOKENIZER.id("comfort")] and begins[TOKENIZER.id(".")] and not begins[TOKENIZER.id("##able")]
    tokenizer = Tokenizer.train(["the cat sat on the mat"] * 9, 280, kind="bpe")
    begins = begins_word(tokenizer)
    assert begins[tokenizer.id("Ġthe")] and not begins[tokenizer.id("e")]
    text = "the cat unsat, then matted"
    assert begins[tokenizer.encode_batch_ids([text])[0]].sum() == len(text.split())
    assert begins_word(Tokenizer.train(["a b c"], 50, kind="words")).all()


class TestWords:
    @given(seed=st.integers(0, 10_000), masking=st.sampled_from(["words", "spans"]))
    def test_words_are_chosen_whole(self, seed, masking):
        pairs, places = _pairs(5, 12, seed)
        ids, _, _ = lay_out(pairs, TOKENIZER)
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(seed), 0.15, masking)
        rows, columns = np.divmod(batch.rows.numpy(), ids.shape[1])
        for row, words in enumerate(places):
            taken = set(columns[rows == row].tolist())
            assert all(not taken & set(word) or taken >= set(word) for word in words)
            tokens = sum(map(len, words))
            assert taken <= {place for word in words for place in word}
            wanted = max(1, round(0.15 * tokens))
            assert 0 < len(taken) <= wanted or len(taken) in {len(word) for word in words}
        assert (ids.reshape(-1)[batch.rows.numpy()] == batch.labels.numpy()).all()

    @pytest.mark.parametrize("masking", ["tokens", "words", "spans"])
    def test_rates_and_the_generator_alone_decides(self, masking):
        pairs, _ = _pairs(300, 40, 3)
        ids, _, _ = lay_out(pairs, TOKENIZER)
        batch, again, other = (
            masked_batch(pairs, TOKENIZER, np.random.default_rng(seed), 0.15, masking) for seed in (0, 0, 1)
        )
        assert batch.rows.tolist() == again.rows.tolist() != other.rows.tolist()
        ordinary = sum(len(pair.a) + len(pair.b) for pair in pairs)
        assert 0.135 < len(batch.rows.numpy()) / ordinary < 0.155
        seen = batch.input_ids.numpy().reshape(-1)[batch.rows.numpy()]
        assert abs((seen == TOKENIZER.mask_id).mean() - 0.8) < 0.04
        assert abs((seen == batch.labels.numpy()).mean() - 0.1) < 0.03
        assert np.array_equal(np.setdiff1d(np.flatnonzero(batch.input_ids.numpy() != ids), batch.rows.numpy()), [])

    @pytest.mark.parametrize("masking", ["tokens", "words"])
    def test_every_word_is_chosen_equally_often(self, masking):
        ids = np.array(TOKENIZER.encode_batch_ids(["the cat sat on a mat it was very a"])[0])
        pairs = [TokenPair(ids, np.zeros(0, int), NO_LABEL)] * 4000
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.2, masking)
        counts = np.bincount(batch.rows.numpy() % 12, minlength=12)[1:11]
        assert abs(counts - 800).max() < 5 * np.sqrt(800)


class TestSpans:
    def test_lengths_are_geometric_and_cut_off_at_ten(self):
        lengths = Counter(span_lengths(200_000, np.random.default_rng(0)).tolist())
        shares = np.array([0.2 * 0.8**k for k in range(10)]) / (1 - 0.8**10)
        assert set(lengths) == set(range(1, 11))
        for length, share in enumerate(shares, 1):
            assert abs(lengths[length] / 200_000 - share) < 5 * np.sqrt(share / 200_000)
        mean = sum(length * count for length, count in lengths.items()) / 200_000
        assert abs(mean - 3.8) < 0.03  # as the paper says

    def test_chosen_words_lie_side_by_side_and_share_their_fate(self):
        ids = np.full((200, 402), TOKENIZER.id("cat"))
        ordinary = np.ones(ids.shape, bool)
        ordinary[:, [0, 200, 401]] = False
        chosen = choose("spans", ids, ordinary, 0.15, TOKENIZER, np.random.default_rng(0))
        assert not (chosen[:, [0, 200, 401]] >= 0).any()
        spans = [np.flatnonzero(chosen == number) for number in range(chosen.max() + 1)]
        assert all(len(span) and (np.diff(span) == 1).all() for span in spans)
        assert 3.0 < np.mean([len(span) for span in spans]) < 3.9  # some meet another span or the end of what is wanted
        pairs = [TokenPair(ids[0, 1:200], ids[0, 201:401], 0)] * 60
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.15, "spans")
        flat = batch.input_ids.numpy().reshape(-1)
        neighbours = [(x, y) for x, y in itertools.pairwise(batch.rows.tolist()) if y == x + 1]
        alike = np.mean([(flat[x] == TOKENIZER.mask_id) == (flat[y] == TOKENIZER.mask_id) for x, y in neighbours])
        assert alike > 0.9  # by chance 0.68


def _word_level(vocabulary):
    raw = RawTokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    return Tokenizer(raw)


class TestOtherNumberings:
    SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

    def test_id_0_is_a_word_like_any_other(self):
        words = ("the", "cat", "sat")
        tokenizer = _word_level({token: i for i, token in enumerate((*words, *self.SPECIAL))})
        the = tokenizer.id("the")
        assert the == 0 and tokenizer.pad_id == 3
        long, short = np.zeros(20, int), np.ones(3, int)
        pairs = [TokenPair(long, long[:10], 0), TokenPair(short, long[:2], 0)] * 40
        for masking in ("tokens", "words", "spans"):
            batch = masked_batch(pairs, tokenizer, np.random.default_rng(0), 0.15, masking)
            assert batch.attention_mask is not None and batch.real_tokens == 40 * (33 + 8)
            assert (batch.labels.numpy() == 0).sum() >= 40 * 4
            assert batch.attention_mask.reshape(-1)[batch.rows.numpy()].all()
        ids, _, mask = lay_out(pairs, tokenizer)
        assert mask is not None and ((ids == tokenizer.pad_id) == (mask == 0)).all()

    def test_random_words_are_only_those_that_exist(self):
        gaps = {token: 7 * i + 3 for i, token in enumerate((*self.SPECIAL, "the", "cat", "sat"))}
        tokenizer = _word_level(gaps)
        assert existing_ids(tokenizer).tolist() == sorted(gaps.values())
        pairs = [TokenPair(np.full(50, gaps["the"]), np.full(50, gaps["cat"]), 0)] * 100
        batch = masked_batch(pairs, tokenizer, np.random.default_rng(0), 0.5)
        assert set(np.unique(batch.input_ids.numpy())) <= set(gaps.values())
        assert {gaps["sat"], gaps["[UNK]"]} <= set(np.unique(batch.input_ids.numpy()))  # the whole vocabulary

    def test_a_vocabulary_without_a_mask_is_named(self):
        tokenizer = _word_level({token: i for i, token in enumerate((*self.SPECIAL[:4], "the"))})
        with pytest.raises(BertcoreError, match="no \\[MASK\\]"):
            masked_batch([TokenPair(np.array([4]), np.array([4]), 0)], tokenizer, np.random.default_rng(0))


class TestExactShares:
    @pytest.mark.parametrize("share", [0.15, 0.4])
    @pytest.mark.parametrize("words", [9, 61])
    def test_the_share_holds_over_many_sequences(self, share, words):
        """Rounded down, 15% of 61 tokens were 14.75%, and of 9 tokens 11%."""
        pairs = [TokenPair(np.full(words - 3, 20), np.full(3, 21), 0)] * 4000
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), share, exact=True)
        found = len(batch.rows) / (4000 * words)
        error = 5 * np.sqrt(0.25 / 4000) / words  # of the mean of what is rounded by chance
        assert abs(found - share) < error

    def test_a_random_token_is_never_a_special_one(self):
        pairs = [TokenPair(np.full(30, 20), np.full(30, 21), 0)] * 200
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.9, fates=Fates(0.0, 1.0), exact=True)
        seen = set(batch.input_ids.reshape(-1)[batch.rows].tolist())
        assert not seen & set(TOKENIZER.special_ids)
        assert seen == set(existing_ids(TOKENIZER).tolist()) - set(TOKENIZER.special_ids)

    @pytest.mark.parametrize("fates", [Fates(), Fates(1.0, 0.0), Fates(0.5, 0.5), Fates(0.0, 0.0)], ids=str)
    def test_the_fates_have_their_shares(self, fates):
        pairs = [TokenPair(np.full(30, 20), np.full(30, 20), 0)] * 400
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.5, fates=fates, exact=True)
        seen = batch.input_ids.reshape(-1)[batch.rows].numpy()
        assert np.mean(seen == TOKENIZER.mask_id) == pytest.approx(fates.mask, abs=0.03)
        chance = 1 / len(ordinary_ids(TOKENIZER))  # a random token may be the one that stood there
        kept = 1 - fates.mask - fates.random + fates.random * chance
        assert np.mean(seen == 20) == pytest.approx(kept, abs=0.03)


# --- sentence order, running text, and sequences filled to the brim


def _long_documents():
    """300 of 60 sentences each."""
    rng = np.random.default_rng(0)
    return numbered_corpus([rng.integers(3, 30, 60).tolist() for _ in range(300)])


def _pieces(part):
    """What stands between separators."""
    return np.split(
        part[part != SEPARATOR].astype(int), np.flatnonzero(part == SEPARATOR) - np.arange((part == SEPARATOR).sum())
    )


class TestSentenceOrder:
    @pytest.mark.parametrize("length", [12, 24, 64])
    def test_parts_touch_and_half_are_swapped(self, length):
        corpus = random_corpus(1, documents=400)
        pairs = _epoch(corpus, length, _rules("sop", pack=False))
        for pair in pairs:
            if pair.label == NO_LABEL:
                assert len(pair.b) == 0
                continue
            first, second = (pair.a, pair.b) if pair.label == IN_ORDER else (pair.b, pair.a)
            gap, size = int(second[0]) - int(first[-1]) - 1, len(first) + len(second)
            assert gap == 0 or (gap > 0 and size == length - 3)  # only what is too long loses something between them
            assert document_of(corpus, int(first[0])) == document_of(corpus, int(second[-1]))
            assert size <= length - 3
        kinds = Counter(pair.label for pair in pairs)
        total = kinds[IN_ORDER] + kinds[SWAPPED]
        assert abs(kinds[SWAPPED] / total - 0.5) < 4 * np.sqrt(0.25 / total)

    def test_text_from_elsewhere_says_nothing_about_the_order(self):
        corpus = numbered_corpus([[5, 6]] * 60)
        pairs = _epoch(corpus, 40, _rules("sop", pack=True))
        assert {pair.label for pair in pairs} == {IN_ORDER, SWAPPED}
        for pair in pairs:
            first, second = pair.a.astype(int), _pieces(pair.b)[0]
            assert {len(first), len(second)} == {5, 6} and (pair.b == SEPARATOR).sum() >= 1
            assert (
                int(second[0]) == int(first[-1]) + 1 if pair.label == IN_ORDER else int(first[0]) == int(second[-1]) + 1
            )

    def test_a_clean_end_does_not_tell_that_the_parts_stand_in_order(self):
        """Unpacked, parts that are too long lose tokens; were it where they touch, only swapped ones would be cut."""
        corpus = _long_documents()
        starts = set(corpus.sentence_starts.tolist())
        clean = {IN_ORDER: [], SWAPPED: []}
        for pair in _epoch(corpus, 64, _rules("sop", pack=False)):
            if pair.label != NO_LABEL:
                clean[pair.label].append(int(pair.a[-1]) + 1 in starts and int(pair.b[0]) in starts)
            assert len(pair.a) + len(pair.b) <= 61
        shares = [np.mean(clean[label]) for label in (IN_ORDER, SWAPPED)]
        assert min(map(len, clean.values())) > 1500
        assert 0.1 < shares[0] < 0.9 and abs(shares[0] - shares[1]) < 0.05


class TestLongSentences:
    """A transcript without full stops: sentences far longer than a sequence."""

    @pytest.mark.parametrize("kind", ["nsp", "sop", "none"])
    @pytest.mark.parametrize("pack", [True, False])
    def test_all_of_the_text_is_read_and_pairs_have_answers(self, kind, pack):
        corpus = numbered_corpus([[300, 7, 250], [411], [5, 6, 300]] * 10)
        seen = set()
        for seed in range(12):
            pairs = _epoch(corpus, 32, _rules(kind, pack), seed)
            seen |= {int(token) for pair in pairs for part in (pair.a, pair.b) for token in part}
            assert kind == "none" or np.mean([pair.label == NO_LABEL for pair in pairs]) < 0.05
        documents = corpus.documents(False)
        bounds = corpus.sentence_starts[corpus.document_starts]
        own = {token for d in documents for token in range(int(bounds[d]), int(bounds[d + 1]))}
        assert len(seen & own) > 0.97 * len(own)

    def test_pieces_are_alike_and_those_that_fit_stay(self):
        corpus = with_pieces(numbered_corpus([[3, 21, 10], [10, 9]]), 10)
        assert np.diff(corpus.sentence_starts).tolist() == [3, 4, 4, 4, 4, 5, 10, 10, 9]
        assert corpus.document_starts.tolist() == [0, 7, 9]
        whole = numbered_corpus([[3, 10], [9, 2]])
        assert with_pieces(whole, 10) is whole


class TestNextSentence:
    def test_nothing_but_its_words_tells_a_strange_b_from_one_that_follows(self):
        """Length, and where B begins and ends within its sentences, are distributed alike."""
        corpus = _long_documents()
        pairs = [pair for pair in _epoch(corpus, 64, _rules("nsp", pack=True)) if pair.label != NO_LABEL]
        boundaries = set(corpus.sentence_starts.tolist())
        found = {0: [], 1: []}
        for pair in pairs:
            b = _pieces(pair.b)[0]
            found[pair.label].append((int(b[0]) in boundaries, int(b[-1]) + 1 in boundaries, len(b), len(pair.a)))
        follows, strange = np.array(found[0]), np.array(found[1])
        assert min(len(follows), len(strange)) > 1500
        noise = np.sqrt(follows.var(axis=0) / len(follows) + strange.var(axis=0) / len(strange))
        assert (np.abs(follows.mean(axis=0) - strange.mean(axis=0)) < 4 * noise + 1e-9).all()
        assert 0.1 < strange[:, 1].mean() < 0.9


@pytest.mark.parametrize("pack", [True, False])
def test_running_text_is_one_document_from_a_sentence_on_and_packed_goes_on_with_others(pack):
    corpus = random_corpus(2, documents=60)
    pairs = _epoch(corpus, 32, _rules("none", pack))
    lengths = [len(pair.a) for pair in pairs]
    assert max(lengths) == 30 and (min(lengths) >= 29 if pack else min(lengths) < 20)  # a separator alone is left out
    for pair in pairs:
        assert len(pair.b) == 0 and pair.label == NO_LABEL
        pieces = _pieces(pair.a)
        assert all((np.diff(piece) == 1).all() and piece[0] in corpus.sentence_starts for piece in pieces)
        documents, ends = ([document_of(corpus, int(piece[at])) for piece in pieces] for at in (0, -1))
        assert documents == ends and documents[0] not in documents[1:] and (pack or len(pieces) == 1)
        assert not any(corpus.held_out[document] for document in documents)


class TestPacked:
    @pytest.mark.parametrize("kind", ["nsp", "sop", "none"])
    @pytest.mark.parametrize("length", [64, 128, 512])
    def test_less_than_three_in_a_hundred_is_padding(self, kind, length):
        rng = np.random.default_rng(0)
        corpus = numbered_corpus([rng.integers(3, 40, rng.integers(2, 30)).tolist() for _ in range(300)])
        rules = _rules(kind, pack=True)
        pairs = _epoch(corpus, length, rules)[:400]
        used = sum(len(pair.a) + len(pair.b) + rules.specials[len(pair.b) > 0] for pair in pairs)
        assert 0.97 < used / (len(pairs) * length) <= 1.0
        unpacked = _epoch(corpus, length, _rules(kind, pack=False))[:400]
        assert sum(len(pair.a) + len(pair.b) for pair in unpacked) < sum(len(pair.a) + len(pair.b) for pair in pairs)

    def test_separators_do_not_tell_whether_b_follows(self):
        rng = np.random.default_rng(1)
        corpus = numbered_corpus([rng.integers(3, 20, rng.integers(4, 40)).tolist() for _ in range(600)])
        pairs = _epoch(corpus, 128, _rules("nsp", pack=True))
        crossing = [[SEPARATOR in p.b for p in pairs if p.label == label] for label in (IS_NEXT, NOT_NEXT)]
        shares = [np.mean(found) for found in crossing]
        assert min(shares) > 0.05 and abs(shares[0] - shares[1]) < 5 * np.sqrt(0.25 * 2 / len(crossing[0]))

    def test_too_long_a_pair_is_cut_as_in_the_papers_code(self):
        """Against its loop, which takes a token of the longer part at a time, from the front or the back."""
        sampler = PairSampler(numbered_corpus([[29, 17]]), False, 33, 0, _rules("nsp", pack=True))
        window = np.array([[0, 2, 0]])
        kept = [sampler.pairs(window, np.random.default_rng(seed), IS_NEXT)[0] for seed in range(600)]
        theirs = [_truncate_seq_pair(list(range(29)), list(range(29, 46)), 30, seed) for seed in range(600)]
        for part, parts in (("a", [a for a, _ in theirs]), ("b", [b for _, b in theirs])):
            ours = [getattr(pair, part).astype(int).tolist() for pair in kept]
            assert {len(ids) for ids in ours} == {len(ids) for ids in parts}
            fronts, expected = [ids[0] for ids in ours], [ids[0] for ids in parts]
            assert abs(np.mean(fronts) - np.mean(expected)) < 5 * np.sqrt(2 * np.var(expected) / 600) + 1e-9
            assert 0.8 < (np.std(fronts) + 1e-9) / (np.std(expected) + 1e-9) < 1.25
            assert all((np.diff(ids) == 1).all() for ids in ours)


def _truncate_seq_pair(a, b, most, seed):
    """The rule of google-research/bert in our words."""
    rng = np.random.default_rng(seed)
    while len(a) + len(b) > most:
        longer = a if len(a) > len(b) else b
        longer.pop(0 if rng.random() < 0.5 else -1)
    return a, b


@pytest.fixture(scope="module")
def bpe():
    return Tokenizer.train(STORIES.splitlines(), 320, kind="bpe")


class TestFraming:
    def test_a_pair_stands_as_the_library_frames_it(self, bpe):
        texts = "the cat sat on the mat.", "it was very comfortable!"
        a, b = (np.array(ids) for ids in bpe.encode_batch_ids(list(texts)))
        raw = bpe.raw
        ids, segments, mask = lay_out([TokenPair(a, b, 0), TokenPair(a, b[:0], NO_LABEL)], bpe)
        pair, single = raw.encode(*texts), raw.encode(texts[0])
        assert ids[0].tolist() == pair.ids and segments[0].tolist() == pair.type_ids and not segments.any()
        assert mask is not None and ids[1][mask[1] == 1].tolist() == single.ids
        assert (ids[1][mask[1] == 0] == bpe.pad_id).all() and bpe.pad_id == 1

    @pytest.mark.parametrize("kind", ["nsp", "sop", "none"])
    def test_sequences_as_robertas_are_full_and_never_too_long(self, tmp_path, bpe, kind):
        corpus = load_corpus([text_file(tmp_path / "stories.txt", STORIES)], bpe)
        rules = PairRules.of(bpe, kind, pack=True)
        assert rules.specials == (2, 4)
        sampler, rng = PairSampler(corpus, False, 48, 0, rules), np.random.default_rng(0)
        pairs = sampler.pairs(sampler.windows(100), rng)
        batch, causal = masked_batch(pairs, bpe, rng), causal_batch(pairs, bpe)
        assert batch.input_ids.shape[1] == 48 and batch.real_tokens > 0.97 * batch.input_ids.numel()
        assert not set(batch.labels.tolist()) & {bpe.pad_id, bpe.cls_id, bpe.sep_id}
        assert causal.causal and len(causal.rows) == causal.real_tokens - 100
        assert kind != "none" or set(batch.next_sentence.tolist()) == {NO_LABEL}


# --- texts of a few lines, as tutorials have them

pytestmark = pytest.mark.usefixtures("fast_disk")


@pytest.mark.parametrize("pack", [True, False])
def test_two_lines_without_a_blank_one_are_trained_on(tmp_path, run, pack):
    file = text_file(tmp_path / "lines.txt", "The cat sat. The dog sat.\nA bird sang. It was warm.\n")
    options = tiny_run(file, data={"long_share": 0.0, "pack": pack}, steps=6, causal_share=0.0)
    start_run(options, run, resume=False)
    assert RunFolder(run).status().state == "done"
    assert all(line["nsp_loss"] is not None for line in metrics(run))


@pytest.mark.parametrize(
    ("lengths", "rules", "labels"),
    [
        ([[2] * 4], PairRules(), {IS_NEXT, NOT_NEXT}),  # what follows A is never given as a B that does not follow
        ([[4] * 90], _rules("sop", pack=False), {IN_ORDER, SWAPPED}),
        ([[4]] * 30, _rules("none", pack=True), {NO_LABEL}),
    ],
)
def test_a_single_document_or_sentence_will_do(lengths, rules, labels):
    sampler = PairSampler(numbered_corpus(lengths), held_out=False, length=16, seed=0, rules=rules)
    pairs = sampler.pairs(sampler.windows(60), np.random.default_rng(0))
    assert {pair.label for pair in pairs} == labels
    if rules == PairRules():
        assert all((pair.b[0] == pair.a[-1] + 1) == (pair.label == IS_NEXT) for pair in pairs)


LITTLE = [
    *(("a.txt", text, "too little text") for text in (b"One line.", b"Two lines.\nOf a sentence each.\n")),
    ("a.txt", b"\n \n", "a.txt is empty"),
    ("a.txt", None, "no text file .*a.txt"),
    ("a.jsonl", b'{"body": "The cat sat. The dog sat."}\n' * 9, "text in the field 'text', but there are 'body'"),
]


@pytest.mark.parametrize(("name", "text", "says"), LITTLE)
def test_what_is_refused_leaves_no_run(tmp_path, run, name, text, says):
    if text is not None:
        (tmp_path / name).write_bytes(text)
    data = DataOptions(corpus=(str(tmp_path / name),))
    distil = DistilOptions(teacher=str(tiny_checkpoint(tmp_path / "teacher")), data=data)
    for options in (tiny_run(tmp_path / name), distil):
        with pytest.raises(BertcoreError, match=says):
            start_run(options, run, resume=False)
        assert not run.exists()


# --- runs go on bit for bit: what earlier versions made of a text, its key and its batches, is what we make of it

# The corpus was hashed with commit c6ab337, the batches with 2e29990, whose runs of format 4 and 5 go on.
CORPUS = "565677530850d1f57bf11be57f9ef2ad3dceb8cc849c3d3820c01ce0e128f291"
BATCHES = "00ee9865f84f8164ae20f2eb258e3eef2153e1f0efdd02bf9c2aa568fe0ab7ec"


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "stories.txt").write_text(STORIES, encoding="utf-8")
    return load_corpus([tmp_path / "stories.txt"], TOKENIZER)


def test_the_corpus_and_the_key_that_snapshots_hold(corpus, tmp_path):
    arrays = (corpus.tokens, corpus.sentence_starts, corpus.document_starts, corpus.held_out)
    assert hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest() == CORPUS
    digest = hashlib.sha256(f"2 0.02\n{TOKENIZER.raw.to_str()}\n".encode())
    digest.update(hashlib.sha256(STORIES.encode()).digest())
    assert corpus.key == corpus_key([tmp_path / "stories.txt"], TOKENIZER) == digest.hexdigest()[:32]


def test_batches(corpus):
    digest = hashlib.sha256()
    for held_out, length in itertools.product((False, True), (8, 24, 64)):
        sampler = PairSampler(corpus, held_out, length, 3)
        for step in range(30):
            rng = np.random.default_rng([3, step])
            pairs = sampler.pairs(sampler.windows(6), rng)
            for batch in (masked_batch(pairs, TOKENIZER, rng, 0.15), causal_batch(pairs, TOKENIZER)):
                for name in ("input_ids", "segment_ids", "attention_mask", "rows", "labels", "next_sentence"):
                    array = getattr(batch, name)
                    shape = b"none" if array is None else str(tuple(array.shape)).encode()
                    digest.update(shape if array is None else shape + array.numpy().astype(np.int64).tobytes())
    assert digest.hexdigest() == BATCHES


def test_keys_depend_on_no_class_but_on_what_is_read(corpus, monkeypatch):
    """Earlier versions hashed the dataclasses as Python shows them: with a new field every run would be another."""
    examples = [
        TextExample("a", "b's \ud800", ("x", "y")),
        TaggedExample(("a", "b"), ("O", "B-x")),
        AnswerExample("1", "who?", "me", (("me", 0),)),
        ChoiceExample("a", ("b", "c"), 1),
        SummaryExample(("a", "b"), (True, False), None),
    ]
    sources = [MixtureFile("books", 2.0), MixtureFile(held_out=True)]
    for some in (examples, examples[:1], []):
        file = TaskFile("any", Path("any"), "train", tuple(some), ("x", "y"), None, 0, ())
        digest = hashlib.sha256(TOKENIZER.raw.to_str().encode())
        digest.update(2 * repr((file.labels, file.examples)).encode("utf-8", "replace"))
        assert data_key(file, file, TOKENIZER) == digest.hexdigest()[:32]
    written = [repr(source).replace("MixtureFile", "Source") for source in sources]  # as the class was called then
    digest = hashlib.sha256("\n".join(f"{corpus.key} {source}" for source in written).encode())
    text = TrainingText([corpus, corpus], sources)
    assert text.key == digest.hexdigest()[:32]
    before = text.key, data_key(file, file, TOKENIZER)
    for kind in (MixtureFile, *map(type, examples)):
        monkeypatch.setattr(kind, "__repr__", lambda _: "with a new field")
    assert (text.key, data_key(file, file, TOKENIZER)) == before
