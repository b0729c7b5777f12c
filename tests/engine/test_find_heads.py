"""Finding heads by kind and by expression, on attention made by hand."""

import numpy as np
import pytest

from bertcore.analysis.attention_heads import classify_heads, find_heads, kind_named, row_entropy
from bertcore.errors import BertcoreError
from tests.engine.models import word_tokenizer

PAIR = word_tokenizer().encode("the cat sat.", "the comfortable cat!")
CLS, CAT_A, CAT_B, SIZE = 0, 2, 9, len(PAIR)


def heads() -> np.ndarray:
    """(2,3,S,S): previous token, all alike, next token; then three at random."""
    rng = np.random.default_rng(0)
    made = rng.dirichlet(np.full(SIZE, 0.3), size=(2, 3, SIZE))
    made[0, 0] = np.eye(SIZE, k=-1)
    made[0, 0, 0, 0] = 1
    made[0, 1] = 1 / SIZE
    made[0, 2] = np.eye(SIZE, k=1)
    made[0, 2, -1, -1] = 1
    return made.astype(np.float32)


def ranked(query: str) -> list[tuple[int, int]]:
    return [(match.layer, match.head) for match in find_heads(query, heads(), PAIR).matches]


def test_the_text_is_as_the_cases_below_take_it() -> None:
    assert PAIR.tokens[CAT_A] == PAIR.tokens[CAT_B] == "cat" and PAIR.parts[CAT_B] == "b"
    assert PAIR.tokens[7:9] == ["comfort", "##able"]


def test_a_kind_ranks_all_heads_by_its_score() -> None:
    found = find_heads("previous token", heads(), PAIR)
    assert (found.matches[0].layer, found.matches[0].head) == (0, 0) and len(found.matches) == 6
    for match in found.matches:
        kind = classify_heads(heads()[match.layer], PAIR)[match.head]
        assert match.score == pytest.approx(kind.scores["previous token"])
    scores = [match.score for match in found.matches]
    assert scores == sorted(scores, reverse=True)
    assert ranked("next token > 0.9") == [(0, 2)]
    assert ranked("PREVIOUS") == ranked("previous token")


def test_attention_between_two_words() -> None:
    attention = heads()
    found = find_heads("attn(sat -> #1) > 0", attention, PAIR)
    for match in found.matches:
        assert match.score == pytest.approx(float(attention[match.layer, match.head, 3, 1]))
    assert ranked("attn(sat->cat) > 0.99") == [(0, 0)]
    assert ranked("attn(cat → sat) >= 0.5") == [(0, 2)]  # two cats; one of them looks at "sat" with 1
    assert ranked("attn(cat → sat) > 50%") == [] and ranked("attn(#2 -> sat) > 50%") == [(0, 2)]


def test_rows_are_averaged_and_columns_added() -> None:
    attention = heads()
    for match in find_heads("attn(cat -> the)", attention, PAIR).matches:
        head = attention[match.layer, match.head].astype(np.float64)
        the = [i for i, token in enumerate(PAIR.tokens) if token == "the"]
        assert match.score == pytest.approx((head[CAT_A, the].sum() + head[CAT_B, the].sum()) / 2)


@pytest.mark.parametrize(
    ("name", "positions"),
    [
        ("comfortable", [7, 8]),
        ("##able", [8]),
        ("able", [8]),
        ("A", [1, 2, 3, 4]),
        ("B", [6, 7, 8, 9, 10]),
        ("special", [0, 5, 11]),
        ("any", list(range(12))),
        ("[CLS]", [0]),
        ('"cat"', [2, 9]),
        ("#11", [11]),
    ],
)
def test_names_stand_for_tokens(name: str, positions: list[int]) -> None:
    attention = heads()
    expected = attention[:, :, 3][..., positions].sum(-1)
    for match in find_heads(f"attn(sat -> {name})", attention, PAIR).matches:
        assert match.score == pytest.approx(float(expected[match.layer, match.head]), abs=1e-6)


def test_entropy_distance_and_special() -> None:
    attention = heads()
    assert set(ranked("entropy < 0.001")) == {(0, 0), (0, 2)}
    even = find_heads("entropy", attention, PAIR)
    assert (even.matches[0].layer, even.matches[0].head, even.unit) == (0, 1, "nats")
    assert even.matches[0].score == pytest.approx(np.log(SIZE))
    assert [m.score for m in even.matches] == pytest.approx(
        sorted((float(row_entropy(h).mean()) for layer in attention for h in layer), reverse=True)
    )
    spread = find_heads("spread < 1.001", attention, PAIR)
    assert {(m.layer, m.head) for m in spread.matches} == {(0, 0), (0, 2)} and spread.unit == "tokens"
    assert find_heads("spread", attention, PAIR).matches[0].score == pytest.approx(SIZE)
    one_away = (SIZE - 1) / SIZE  # each token but one looks at its neighbour
    assert find_heads("distance < 0.95", attention, PAIR).matches[0].score == pytest.approx(one_away)
    assert find_heads("special", attention[:1, 1:2], PAIR).matches[0].score == pytest.approx(3 / SIZE)


def test_all_conditions_must_hold_and_the_first_one_ranks() -> None:
    both = ranked("entropy > 0.5 and attn(sat -> cat) < 0.2")
    assert set(both) == set(ranked("entropy > 0.5")) & set(ranked("attn(sat -> cat) < 0.2"))
    assert both == [place for place in ranked("entropy > 0.5") if place in both]


def test_and_inside_the_brackets_is_a_word() -> None:
    text = word_tokenizer().encode("a cat and a dog")
    even = np.full((1, 1, len(text), len(text)), 1 / len(text), dtype=np.float32)
    found = find_heads("attn(cat -> dog) > 0 and attn(dog -> cat) > 0", even, text)
    assert len(found.matches) == 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "cannot be understood"),
        ("attn(sat cat) > 0.3", "cannot be understood"),
        ("attn(sat -> cat) > high", "cannot be understood"),
        ("attn(sat -> cat", "cannot be understood"),
        ("__import__('os').getcwd()", "cannot be understood"),
        ("attn(sat -> zebra) > 0.3", "no zebra in this text"),
        ("attn(#99 -> cat)", "no #99 in this text"),
        ("sideways", "is not a kind of head"),
        ("same word", "could mean same word in the other sentence or same word elsewhere"),
    ],
)
def test_what_cannot_be_read_is_said(query: str, said: str) -> None:
    with pytest.raises(BertcoreError, match=said):
        find_heads(query, heads(), PAIR)


def test_a_kind_that_the_text_cannot_show() -> None:
    text = word_tokenizer().encode("cat dog")
    even = np.full((1, 1, len(text), len(text)), 1 / len(text), dtype=np.float32)
    with pytest.raises(BertcoreError, match="No head can show “same word in the other sentence”"):
        find_heads("same word in the other sentence", even, text)


def test_names_of_kinds() -> None:
    assert kind_named("sink") == kind_named("[CLS]/[SEP] sink") == "[CLS]/[SEP] sink"
    assert kind_named("other sentence") == "same word in the other sentence"
    assert kind_named("same token") == "same token"
