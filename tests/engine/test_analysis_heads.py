"""What a head does, and the scores behind the label."""

import numpy as np
import pytest

from bertcore.analysis.attention_heads import KINDS, PLAIN_KINDS, classify_heads, clearest_head
from tests.engine.family_models import TOKENIZER

# 0 [CLS]  1 the  2 cat  3 sat  4 [SEP]  5 the  6 cat  7 sang  8 [SEP]
REPEATED = TOKENIZER.encode("the cat sat", "the cat sang")
# 0 [CLS]  1 cat  2 dog  3 cat  4 dog  5 [SEP]
WITHIN = TOKENIZER.encode("cat dog cat dog")
SINGLE = TOKENIZER.encode("the cat sat on a mat, a very comfortable dog")


def looks(size: int, targets: dict[int, int]) -> np.ndarray:
    """Attention (S,S): each row wholly to one token, by default the first."""
    attention = np.zeros((size, size))
    for row in range(size):
        attention[row, targets.get(row, 0)] = 1
    return attention


def test_the_same_word_in_the_other_sentence() -> None:
    attention = looks(9, {1: 5, 2: 6, 5: 1, 6: 2})
    found = classify_heads(attention[None], REPEATED)[0]
    assert (found.kind, found.score) == ("same word in the other sentence", 1.0)
    assert found.scores["same word elsewhere"] == 1.0
    assert found.scores["[CLS]/[SEP] sink"] == pytest.approx(2 / 6)  # sat and sang look at [CLS]
    assert found.scores["previous token"] == 0


def test_the_same_word_in_one_sentence() -> None:
    attention = looks(6, {1: 3, 3: 1, 2: 4, 4: 2})
    found = classify_heads(attention[None], WITHIN)[0]
    assert (found.kind, found.score) == ("same word elsewhere", 1.0)
    assert "same word in the other sentence" not in found.scores


def test_one_repeated_word_among_many_does_not_name_a_head() -> None:
    encoding = TOKENIZER.encode("the cat sat on a mat it was very comfortable the dog sang")
    size = len(encoding)
    other = encoding.tokens.index("the", 2)
    attention = looks(size, {1: other, other: 1} | {row: (row + 7) % size for row in range(2, size) if row != other})
    found = classify_heads(attention[None], encoding)[0]
    assert found.scores["same word elsewhere"] > 0.5 and found.kind == "mixed"


def test_unknown_words_are_not_the_same_word() -> None:
    encoding = TOKENIZER.encode("日 本 日 本")
    assert len(encoding.unknown) == 4
    assert not any(name.startswith("same word") for name in classify_heads(np.eye(6)[None], encoding)[0].scores)


def test_near_tokens_but_no_single_one() -> None:
    size = len(SINGLE)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    near = ((distance > 0) & (distance <= 2)).astype(float)
    near /= near.sum(axis=1, keepdims=True)
    found = classify_heads(near[None], SINGLE)[0]
    assert found.kind == "local" and found.score == pytest.approx(1.0)
    assert found.scores["previous token"] < 0.5


def test_in_a_short_text_all_is_near_and_nothing_local() -> None:
    encoding = TOKENIZER.encode("cat")
    attention = np.array([[0.5, 0.3, 0.2], [0.45, 0.1, 0.45], [0.1, 0.2, 0.7]])
    assert classify_heads(attention[None], encoding)[0].kind == "[CLS]/[SEP] sink"
    attention[1] = [0.05, 0.45, 0.5]
    found = classify_heads(attention[None], encoding)[0]
    assert found.scores["local"] == pytest.approx(1.0) and found.kind != "local"


def test_a_score_is_the_share_that_the_pattern_explains() -> None:
    attention = np.random.default_rng(0).dirichlet(np.ones(9), size=9)
    scores = classify_heads(attention[None], REPEATED)[0].scores
    words = [1, 2, 3, 5, 6, 7]
    assert set(scores) == set(KINDS)
    assert scores["previous token"] == pytest.approx(np.mean([attention[i, i - 1] for i in words]))
    assert scores["next token"] == pytest.approx(np.mean([attention[i, i + 1] for i in words]))
    assert scores["same token"] == pytest.approx(np.mean([attention[i, i] for i in words]))
    assert scores["[CLS]/[SEP] sink"] == pytest.approx(np.mean([attention[i, [0, 4, 8]].sum() for i in words]))
    near = [attention[i, max(i - 2, 0) : i + 3].sum() for i in words]
    assert scores["local"] == pytest.approx(np.mean(near))
    pairs = [(1, 5), (2, 6), (5, 1), (6, 2)]
    assert scores["same word elsewhere"] == pytest.approx(np.mean([attention[pair] for pair in pairs]))


def test_many_heads_at_once_are_each_head_alone() -> None:
    attentions = np.random.default_rng(1).dirichlet(np.full(9, 0.2), size=(20, 9)).astype(np.float32)
    attentions[::4] = (attentions[::4] + 2 * np.eye(9, k=1, dtype=np.float32)) / 3
    together = classify_heads(attentions, REPEATED)
    assert together == [classify_heads(one[None], REPEATED)[0] for one in attentions]
    assert len({kind.kind for kind in together}) > 1


def test_the_clearest_head_does_most_of_one_plain_thing() -> None:
    """Not the one that looks at [CLS] alone, though nothing is clearer: that says nothing about the text."""
    size = len(SINGLE)
    heads = np.random.default_rng(3).dirichlet(np.ones(size), size=(2, 3, size))
    heads[0, 1] = looks(size, {})
    heads[1, 2] = 0.7 * np.eye(size, k=-1) + 0.3 * heads[1, 2]
    assert clearest_head(heads, SINGLE) == (1, 2)
    best = [max(kind.scores.get(name, 0) for name in PLAIN_KINDS) for kind in classify_heads(heads[1], SINGLE)]
    assert int(np.argmax(best)) == 2


def test_a_text_without_words_has_a_first_head() -> None:
    assert clearest_head(np.full((2, 2, 2, 2), 0.5), TOKENIZER.encode("")) == (0, 0)
