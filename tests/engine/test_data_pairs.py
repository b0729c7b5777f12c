"""Sentence order, running text, and sequences filled to the brim, as the tokenizer of each family frames them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as RawTokenizer

from bertcore.data.batches import causal_batch, lay_out, masked_batch
from bertcore.data.corpus import Corpus, load_corpus
from bertcore.data.pairs import (
    IN_ORDER,
    IS_NEXT,
    NO_LABEL,
    NOT_NEXT,
    SWAPPED,
    PairRules,
    PairSampler,
    TokenPair,
    with_pieces,
)
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.corpora import STORIES, document_of, numbered_corpus, random_corpus
from tests.engine.models import word_tokenizer

SEPARATOR = 4_000_000_000  # no token of a numbered corpus
TOKENIZER = word_tokenizer()


def _rules(kind: str, pack: bool) -> PairRules:
    return PairRules(kind, pack, specials=(2, 3), separator=SEPARATOR)


def _epoch(corpus: Corpus, length: int, rules: PairRules, seed: int = 0) -> list[TokenPair]:
    sampler = PairSampler(corpus, False, length, seed, rules)
    return sampler.pairs(sampler.windows(sampler.windows_per_epoch), np.random.default_rng(seed))


def _pieces(part: np.ndarray) -> list[np.ndarray]:
    """What stands between separators."""
    return np.split(
        part[part != SEPARATOR].astype(int), np.flatnonzero(part == SEPARATOR) - np.arange((part == SEPARATOR).sum())
    )


class TestSentenceOrder:
    @pytest.mark.parametrize("length", [12, 24, 64])
    def test_parts_touch_and_half_are_swapped(self, length: int) -> None:
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

    def test_one_document_alone_will_do(self) -> None:
        kinds = Counter(pair.label for pair in _epoch(numbered_corpus([[4] * 90]), 16, _rules("sop", pack=False)))
        assert kinds[IN_ORDER] and kinds[SWAPPED]

    def test_text_from_elsewhere_says_nothing_about_the_order(self) -> None:
        """It stands at the end of B in both cases."""
        corpus = numbered_corpus([[5, 6]] * 60)
        pairs = _epoch(corpus, 40, _rules("sop", pack=True))
        assert {pair.label for pair in pairs} == {IN_ORDER, SWAPPED}
        for pair in pairs:
            first, second = pair.a.astype(int), _pieces(pair.b)[0]
            assert {len(first), len(second)} == {5, 6} and (pair.b == SEPARATOR).sum() >= 1
            assert (
                int(second[0]) == int(first[-1]) + 1 if pair.label == IN_ORDER else int(first[0]) == int(second[-1]) + 1
            )

    def test_a_clean_end_does_not_tell_that_the_parts_stand_in_order(self) -> None:
        """Unpacked, parts that are too long lose tokens; were it where they touch, only swapped ones would be cut."""
        rng = np.random.default_rng(0)
        corpus = numbered_corpus([rng.integers(3, 30, 60).tolist() for _ in range(300)])
        rules = PairRules("sop", False, specials=(2, 3), separator=SEPARATOR)
        starts = set(corpus.sentence_starts.tolist())
        clean: dict[int, list[bool]] = {IN_ORDER: [], SWAPPED: []}
        for pair in _epoch(corpus, 64, rules):
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
    def test_all_of_the_text_is_read_and_pairs_have_answers(self, kind: str, pack: bool) -> None:
        corpus = numbered_corpus([[300, 7, 250], [411], [5, 6, 300]] * 10)
        rules = PairRules(kind, pack, specials=(2, 3), separator=SEPARATOR)
        seen: set[int] = set()
        for seed in range(12):
            pairs = _epoch(corpus, 32, rules, seed)
            seen |= {int(token) for pair in pairs for part in (pair.a, pair.b) for token in part}
            assert kind == "none" or np.mean([pair.label == NO_LABEL for pair in pairs]) < 0.05
        documents = corpus.documents(False)
        bounds = corpus.sentence_starts[corpus.document_starts]
        own = {token for d in documents for token in range(int(bounds[d]), int(bounds[d + 1]))}
        assert len(seen & own) > 0.97 * len(own)

    def test_pieces_are_alike_and_those_that_fit_stay(self) -> None:
        corpus = with_pieces(numbered_corpus([[3, 21, 10], [10, 9]]), 10)
        lengths = np.diff(corpus.sentence_starts).tolist()
        assert lengths == [3, 4, 4, 4, 4, 5, 10, 10, 9]
        assert corpus.document_starts.tolist() == [0, 7, 9]

    def test_nothing_changes_where_all_fit(self) -> None:
        corpus = numbered_corpus([[3, 10], [9, 2]])
        assert with_pieces(corpus, 10) is corpus


class TestNextSentence:
    def test_nothing_but_its_words_tells_a_strange_b_from_one_that_follows(self) -> None:
        """Length, and where B begins and ends within its sentences, are distributed alike."""
        rng = np.random.default_rng(0)
        corpus = numbered_corpus([rng.integers(3, 30, 60).tolist() for _ in range(300)])
        pairs = [pair for pair in _epoch(corpus, 64, _rules("nsp", pack=True)) if pair.label != NO_LABEL]
        boundaries = set(corpus.sentence_starts.tolist())
        found: dict[int, list[tuple[float, ...]]] = {0: [], 1: []}
        for pair in pairs:
            b = _pieces(pair.b)[0]
            found[pair.label].append((int(b[0]) in boundaries, int(b[-1]) + 1 in boundaries, len(b), len(pair.a)))
        follows, strange = np.array(found[0]), np.array(found[1])
        assert min(len(follows), len(strange)) > 1500
        noise = np.sqrt(follows.var(axis=0) / len(follows) + strange.var(axis=0) / len(strange))
        assert (np.abs(follows.mean(axis=0) - strange.mean(axis=0)) < 4 * noise + 1e-9).all()
        assert 0.1 < strange[:, 1].mean() < 0.9


class TestRunningText:
    def test_unpacked_it_is_one_document_from_a_sentence_on(self) -> None:
        corpus = random_corpus(2, documents=60)
        pairs = _epoch(corpus, 32, _rules("none", pack=False))
        assert min(len(pair.a) for pair in pairs) < 20  # short documents stay short
        for pair in pairs:
            assert len(pair.b) == 0 and pair.label == NO_LABEL and len(pair.a) <= 30
            assert (np.diff(pair.a.astype(int)) == 1).all() and int(pair.a[0]) in corpus.sentence_starts
            assert document_of(corpus, int(pair.a[0])) == document_of(corpus, int(pair.a[-1]))

    def test_packed_it_crosses_document_ends_with_a_separator(self) -> None:
        corpus = random_corpus(2, documents=60)
        for pair in _epoch(corpus, 32, _rules("none", pack=True)):
            assert len(pair.a) in (29, 30)  # room for a separator alone stays empty
            pieces = _pieces(pair.a)
            documents = [document_of(corpus, int(piece[0])) for piece in pieces]
            assert all((np.diff(piece) == 1).all() and piece[0] in corpus.sentence_starts for piece in pieces)
            assert documents[0] not in documents[1:]
            assert not any(corpus.held_out[document] for document in documents)

    def test_documents_of_one_sentence_are_read_too(self) -> None:
        assert len(_epoch(numbered_corpus([[4]] * 30), 16, _rules("none", pack=True))) == 30


class TestPacked:
    @pytest.mark.parametrize("kind", ["nsp", "sop", "none"])
    @pytest.mark.parametrize("length", [64, 128, 512])
    def test_less_than_three_in_a_hundred_is_padding(self, kind: str, length: int) -> None:
        rng = np.random.default_rng(0)
        documents = [rng.integers(3, 40, rng.integers(2, 30)).tolist() for _ in range(300)]
        corpus = numbered_corpus(documents)
        rules = _rules(kind, pack=True)
        pairs = _epoch(corpus, length, rules)[:400]
        used = sum(len(pair.a) + len(pair.b) + rules.specials[len(pair.b) > 0] for pair in pairs)
        assert 0.97 < used / (len(pairs) * length) <= 1.0
        unpacked = _epoch(corpus, length, _rules(kind, pack=False))[:400]
        assert sum(len(pair.a) + len(pair.b) for pair in unpacked) < sum(len(pair.a) + len(pair.b) for pair in pairs)

    def test_separators_do_not_tell_whether_b_follows(self) -> None:
        rng = np.random.default_rng(1)
        corpus = numbered_corpus([rng.integers(3, 20, rng.integers(4, 40)).tolist() for _ in range(600)])
        pairs = _epoch(corpus, 128, _rules("nsp", pack=True))
        crossing = {
            label: [bool((p.b == SEPARATOR).any()) for p in pairs if p.label == label] for label in (0, NOT_NEXT)
        }
        shares = [float(np.mean(found)) for found in crossing.values()]
        assert min(shares) > 0.05 and abs(shares[0] - shares[1]) < 5 * np.sqrt(0.25 * 2 / len(crossing[0]))

    def test_too_long_a_pair_is_cut_as_in_the_papers_code(self) -> None:
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


def _truncate_seq_pair(a: list[int], b: list[int], most: int, seed: int) -> tuple[list[int], list[int]]:
    """The rule of google-research/bert in our words."""
    rng = np.random.default_rng(seed)
    while len(a) + len(b) > most:
        longer = a if len(a) > len(b) else b
        longer.pop(0 if rng.random() < 0.5 else -1)
    return a, b


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    (tmp_path / "stories.txt").write_text(STORIES, encoding="utf-8")
    return tmp_path / "stories.txt"


@pytest.fixture(scope="module")
def bpe() -> Tokenizer:
    return Tokenizer.train(STORIES.splitlines(), 320, kind="bpe")


class TestFraming:
    def test_a_pair_stands_as_the_library_frames_it(self, bpe: Tokenizer) -> None:
        texts = "the cat sat on the mat.", "it was very comfortable!"
        a, b = (np.array(ids) for ids in bpe.encode_batch_ids(list(texts)))
        raw: RawTokenizer = bpe.raw
        ids, segments, mask = lay_out([TokenPair(a, b, 0), TokenPair(a, b[:0], NO_LABEL)], bpe)
        pair, single = raw.encode(*texts), raw.encode(texts[0])
        assert ids[0].tolist() == pair.ids and segments[0].tolist() == pair.type_ids and not segments.any()
        assert mask is not None and ids[1][mask[1] == 1].tolist() == single.ids
        assert (ids[1][mask[1] == 0] == bpe.pad_id).all() and bpe.pad_id == 1

    @pytest.mark.parametrize("kind", ["nsp", "sop", "none"])
    def test_roberta_like_sequences_are_full_and_never_too_long(self, stories: Path, bpe: Tokenizer, kind: str) -> None:
        corpus = load_corpus([stories], bpe)
        rules = PairRules.of(bpe, kind, pack=True)
        assert rules.specials == (2, 4)
        sampler, rng = PairSampler(corpus, False, 48, 0, rules), np.random.default_rng(0)
        pairs = sampler.pairs(sampler.windows(100), rng)
        batch = masked_batch(pairs, bpe, rng)
        assert batch.input_ids.shape[1] == 48 and batch.real_tokens > 0.97 * batch.input_ids.numel()
        assert not set(batch.labels.tolist()) & {bpe.pad_id, bpe.cls_id, bpe.sep_id}
        causal = causal_batch(pairs, bpe)
        assert causal.causal and len(causal.rows) == causal.real_tokens - 100
        if kind == "none":
            assert set(batch.next_sentence.tolist()) == {NO_LABEL}

    def test_one_part_alone_uses_the_room_of_the_second_separator(self, stories: Path) -> None:
        corpus = load_corpus([stories], TOKENIZER)
        for pack, length in ((True, 32), (False, 32)):
            sampler = PairSampler(corpus, False, length, 0, PairRules.of(TOKENIZER, "none", pack))
            ids, _, _ = lay_out(sampler.pairs(sampler.windows(60), np.random.default_rng(0)), TOKENIZER)
            assert ids.shape[1] == length
