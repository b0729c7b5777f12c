"""Whole words and spans; and vocabularies whose ids are numbered in other ways than BERT's."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as RawTokenizer
from tokenizers import pre_tokenizers
from tokenizers.models import WordLevel

from bertcore.data.batches import lay_out, masked_batch
from bertcore.data.masking import Fates, begins_word, choose, existing_ids, ordinary_ids, span_lengths
from bertcore.data.pairs import NO_LABEL, TokenPair
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import word_tokenizer

TOKENIZER = word_tokenizer()
WORDS = ["the", "comfortable", "xylophone", "cat", "sat", "comfort", "zebra", "on", "a", "mat"]


def _pairs(
    count: int, words: int, seed: int = 0, tokenizer: Tokenizer = TOKENIZER
) -> tuple[list[TokenPair], list[list[list[int]]]]:
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


def _chosen_rows(batch_rows: np.ndarray, width: int) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for row in batch_rows.tolist():
        found.setdefault(row // width, set()).add(row % width)
    return found


class TestWordStarts:
    def test_wordpiece(self) -> None:
        begins = begins_word(TOKENIZER)
        assert begins[TOKENIZER.id("comfort")] and begins[TOKENIZER.id(".")] and not begins[TOKENIZER.id("##able")]

    def test_byte_level(self) -> None:
        tokenizer = Tokenizer.train(["the cat sat on the mat"] * 9, 280, kind="bpe")
        begins = begins_word(tokenizer)
        assert begins[tokenizer.id("Ġthe")] and not begins[tokenizer.id("e")]
        text = "the cat unsat, then matted"
        ids = tokenizer.encode_batch_ids([text])[0]
        assert begins[ids].sum() == len(text.split())

    def test_whole_words(self) -> None:
        assert begins_word(Tokenizer.train(["a b c"], 50, kind="words")).all()


class TestWords:
    @given(seed=st.integers(0, 10_000), masking=st.sampled_from(["words", "spans"]))
    def test_words_are_chosen_whole(self, seed: int, masking: str) -> None:
        pairs, places = _pairs(5, 12, seed)
        ids, _, _ = lay_out(pairs, TOKENIZER)
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(seed), 0.15, masking)
        chosen = _chosen_rows(batch.rows.numpy(), ids.shape[1])
        for row, words in enumerate(places):
            taken = chosen[row]  # at least one of each row
            assert all(not taken & set(word) or taken >= set(word) for word in words)
            tokens = sum(map(len, words))
            assert taken <= {place for word in words for place in word}
            wanted = max(1, round(0.15 * tokens))
            assert len(taken) <= wanted or len(taken) in {len(word) for word in words}
        assert (ids.reshape(-1)[batch.rows.numpy()] == batch.labels.numpy()).all()

    @pytest.mark.parametrize("masking", ["tokens", "words", "spans"])
    def test_rates(self, masking: str) -> None:
        pairs, _ = _pairs(300, 40, 3)
        ids, _, _ = lay_out(pairs, TOKENIZER)
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.15, masking)
        ordinary = sum(len(pair.a) + len(pair.b) for pair in pairs)
        assert 0.135 < len(batch.rows.numpy()) / ordinary < 0.155
        seen = batch.input_ids.numpy().reshape(-1)[batch.rows.numpy()]
        assert abs((seen == TOKENIZER.mask_id).mean() - 0.8) < 0.04
        assert abs((seen == batch.labels.numpy()).mean() - 0.1) < 0.03
        assert np.array_equal(np.setdiff1d(np.flatnonzero(batch.input_ids.numpy() != ids), batch.rows.numpy()), [])

    def test_every_word_is_chosen_equally_often(self) -> None:
        one = [
            TokenPair(
                np.array(TOKENIZER.encode_batch_ids(["the cat sat on a mat it was very a"])[0]),
                np.zeros(0, int),
                NO_LABEL,
            )
        ]
        batch = masked_batch(one * 4000, TOKENIZER, np.random.default_rng(0), 0.2, "words")
        counts = np.bincount(batch.rows.numpy() % 12, minlength=12)[1:11]
        assert abs(counts - 800).max() < 5 * np.sqrt(800)

    def test_the_generator_alone_decides(self) -> None:
        pairs, _ = _pairs(8, 20)
        for masking in ("tokens", "words", "spans"):
            rows = [
                masked_batch(pairs, TOKENIZER, np.random.default_rng(s), 0.15, masking).rows.tolist() for s in (1, 1, 2)
            ]
            assert rows[0] == rows[1] != rows[2]


class TestSpans:
    def test_lengths_are_geometric_and_cut_off_at_ten(self) -> None:
        lengths = Counter(span_lengths(200_000, np.random.default_rng(0)).tolist())
        shares = np.array([0.2 * 0.8**k for k in range(10)]) / (1 - 0.8**10)
        assert set(lengths) == set(range(1, 11))
        for length, share in enumerate(shares, 1):
            assert abs(lengths[length] / 200_000 - share) < 5 * np.sqrt(share / 200_000)
        mean = sum(length * count for length, count in lengths.items()) / 200_000
        assert abs(mean - 3.8) < 0.03  # as the paper says

    def test_chosen_words_lie_side_by_side_and_share_their_fate(self) -> None:
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
        neighbours = [
            (x, y) for x, y in zip(batch.rows.numpy()[:-1], batch.rows.numpy()[1:], strict=True) if y == x + 1
        ]
        alike = np.mean([(flat[x] == TOKENIZER.mask_id) == (flat[y] == TOKENIZER.mask_id) for x, y in neighbours])
        assert alike > 0.9  # by chance 0.68


def _word_level(vocabulary: dict[str, int]) -> Tokenizer:
    raw = RawTokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    return Tokenizer(raw)


class TestOtherNumberings:
    SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

    def test_id_0_is_a_word_like_any_other(self) -> None:
        words = ("the", "cat", "sat")
        tokenizer = _word_level({token: i for i, token in enumerate((*words, *self.SPECIAL))})
        the = tokenizer.id("the")
        assert the == 0 and tokenizer.pad_id == 3
        pairs = [
            TokenPair(np.zeros(20, int), np.zeros(10, int), 0),
            TokenPair(np.ones(3, int), np.zeros(2, int), 0),
        ] * 40
        for masking in ("tokens", "words", "spans"):
            batch = masked_batch(pairs, tokenizer, np.random.default_rng(0), 0.15, masking)
            assert batch.attention_mask is not None and batch.real_tokens == 40 * (33 + 8)
            assert (batch.labels.numpy() == 0).sum() >= 40 * 4
            assert batch.attention_mask.reshape(-1)[batch.rows.numpy()].all()
        ids, _, mask = lay_out(pairs, tokenizer)
        assert mask is not None and ((ids == tokenizer.pad_id) == (mask == 0)).all()

    def test_random_words_are_only_those_that_exist(self) -> None:
        gaps = {token: 7 * i + 3 for i, token in enumerate((*self.SPECIAL, "the", "cat", "sat"))}
        tokenizer = _word_level(gaps)
        assert existing_ids(tokenizer).tolist() == sorted(gaps.values())
        pairs = [TokenPair(np.full(50, gaps["the"]), np.full(50, gaps["cat"]), 0)] * 100
        batch = masked_batch(pairs, tokenizer, np.random.default_rng(0), 0.5)
        assert set(np.unique(batch.input_ids.numpy())) <= set(gaps.values())
        assert {gaps["sat"], gaps["[UNK]"]} <= set(np.unique(batch.input_ids.numpy()))  # the whole vocabulary

    def test_a_vocabulary_without_a_mask_is_named(self) -> None:
        tokenizer = _word_level({token: i for i, token in enumerate((*self.SPECIAL[:4], "the"))})
        with pytest.raises(BertcoreError, match="no \\[MASK\\]"):
            masked_batch([TokenPair(np.array([4]), np.array([4]), 0)], tokenizer, np.random.default_rng(0))


class TestExactShares:
    @pytest.mark.parametrize("share", [0.15, 0.4])
    @pytest.mark.parametrize("words", [9, 61])
    def test_the_share_holds_over_many_sequences(self, share: float, words: int) -> None:
        """Rounded down, 15% of 61 tokens were 14.75%, and of 9 tokens 11%."""
        pairs = [TokenPair(np.full(words - 3, 20), np.full(3, 21), 0)] * 4000
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), share, exact=True)
        found = len(batch.rows) / (4000 * words)
        error = 5 * np.sqrt(0.25 / 4000) / words  # of the mean of what is rounded by chance
        assert abs(found - share) < error

    def test_a_random_token_is_never_a_special_one(self) -> None:
        pairs = [TokenPair(np.full(30, 20), np.full(30, 21), 0)] * 200
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.9, fates=Fates(0.0, 1.0), exact=True)
        seen = set(batch.input_ids.reshape(-1)[batch.rows].tolist())
        assert not seen & set(TOKENIZER.special_ids)
        assert seen == set(existing_ids(TOKENIZER).tolist()) - set(TOKENIZER.special_ids)

    @pytest.mark.parametrize("fates", [Fates(), Fates(1.0, 0.0), Fates(0.5, 0.5), Fates(0.0, 0.0)], ids=str)
    def test_the_fates_have_their_shares(self, fates: Fates) -> None:
        pairs = [TokenPair(np.full(30, 20), np.full(30, 20), 0)] * 400
        batch = masked_batch(pairs, TOKENIZER, np.random.default_rng(0), 0.5, fates=fates, exact=True)
        seen = batch.input_ids.reshape(-1)[batch.rows].numpy()
        assert np.mean(seen == TOKENIZER.mask_id) == pytest.approx(fates.mask, abs=0.03)
        chance = 1 / len(ordinary_ids(TOKENIZER))  # a random token may be the one that stood there
        kept = 1 - fates.mask - fates.random + fates.random * chance
        assert np.mean(seen == 20) == pytest.approx(kept, abs=0.03)
