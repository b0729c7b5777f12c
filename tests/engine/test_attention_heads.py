"""Heads by what they do, found by kind and expression, mapped by likeness; links, edited rows and score steps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from bertcore.analysis.attention_heads import (
    KINDS,
    PLAIN_KINDS,
    classify_heads,
    clearest_head,
    compared_rows,
    divergence_between_heads,
    find_heads,
    head_facts,
    head_map,
    kind_named,
    row_entropy,
    scaled_to_plane,
)
from bertcore.analysis.links import between, strongest_links, with_weight
from bertcore.analysis.score_steps import score_steps
from bertcore.analysis.trace import trace
from bertcore.errors import BertcoreError
from tests.engine.models import TOKENIZER, tiny_model

# --- what a head does, and the scores behind the label

# 0 [CLS]  1 the  2 cat  3 sat  4 .  5 [SEP]  6 it  7 was  8 comfort  9 ##able  10 !  11 [SEP]
SENTENCES = TOKENIZER.encode("The cat sat.", "It was comfortable!")
# 0 [CLS]  1 the  2 cat  3 sat  4 [SEP]  5 the  6 cat  7 sang  8 [SEP]
REPEATED = TOKENIZER.encode("the cat sat", "the cat sang")
# 0 [CLS]  1 cat  2 dog  3 cat  4 dog  5 [SEP]
WITHIN = TOKENIZER.encode("cat dog cat dog")
SINGLE = TOKENIZER.encode("the cat sat on a mat, a very comfortable dog")
MANY = TOKENIZER.encode("the cat sat on a mat it was very comfortable the dog sang")
OTHER_THE = MANY.tokens.index("the", 2)
OTHERS = {row: (row + 7) % len(MANY) for row in range(2, len(MANY)) if row != OTHER_THE}


def looks(size, targets):
    """Attention (S,S): each row wholly to one token, by default the first."""
    return np.eye(size)[[targets.get(row, 0) for row in range(size)]]


def near(size):
    """To the tokens one and two away alike, and not to itself."""
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    weights = ((distance > 0) & (distance <= 2)).astype(float)
    return weights / weights.sum(axis=1, keepdims=True)


EYE, SAME_WORDS = np.eye(12), looks(9, {1: 5, 2: 6, 5: 1, 6: 2})
OTHER_SENTENCE, ELSEWHERE = "same word in the other sentence", "same word elsewhere"
SINK = "[CLS]/[SEP] sink"


@pytest.mark.parametrize(
    ("encoding", "attention", "kind", "score", "others"),
    [
        # at the seams of the pair the neighbour is a special token, so only one pattern can be pure
        (SENTENCES, looks(12, {row: row - 1 for row in range(1, 12)}), "previous token", 1, {}),
        (SENTENCES, looks(12, {row: min(row + 1, 11) for row in range(12)}), "next token", 1, {}),
        (SENTENCES, EYE, "same token", 1, {}),
        (SENTENCES, np.tile(EYE[5], (12, 1)), SINK, 1, {}),
        (SENTENCES, np.tile(EYE[0], (12, 1)), SINK, 1, {}),
        (SENTENCES, np.full((12, 12), 1 / 12), "broad", 1, {}),
        # half and half is named after the larger half; a word far away is no kind
        (SENTENCES, 0.6 * EYE + 0.4 * np.roll(EYE, 3, axis=1), "same token", 0.6, {}),
        (SENTENCES, np.tile(EYE[2], (12, 1)), "mixed", None, {}),
        (TOKENIZER.encode(" "), np.full((2, 2), 0.5), "mixed", 0, {}),
        # sat and sang look at [CLS]
        (REPEATED, SAME_WORDS, OTHER_SENTENCE, 1, {ELSEWHERE: 1, SINK: 2 / 6, "previous token": 0}),
        (WITHIN, looks(6, {1: 3, 3: 1, 2: 4, 4: 2}), ELSEWHERE, 1, {OTHER_SENTENCE: None}),
        # one repeated word among many does not name a head, and unknown words are not the same word
        (MANY, looks(len(MANY), {1: OTHER_THE, OTHER_THE: 1, **OTHERS}), "mixed", 1, {ELSEWHERE: 1}),
        (TOKENIZER.encode("日 本 日 本"), np.eye(6), "same token", 1, {OTHER_SENTENCE: None, ELSEWHERE: None}),
        (SINGLE, near(len(SINGLE)), "local", 1, {}),
        # in a short text all is near and nothing local
        (TOKENIZER.encode("cat"), np.array([[0.5, 0.3, 0.2], [0.45, 0.1, 0.45], [0.1, 0.2, 0.7]]), SINK, 0.9, {}),
        (TOKENIZER.encode("cat"), np.array([[0.5, 0.3, 0.2], [0.05, 0.45, 0.5], [0, 0, 1]]), SINK, 0.55, {"local": 1}),
    ],
)
def test_kinds_by_hand(encoding, attention, kind, score, others):
    found = classify_heads(attention[None], encoding)[0]
    assert np.allclose(attention.sum(-1), 1) and found.kind == kind
    assert found.score < 0.5 if score is None else found.score == pytest.approx(score)
    for name, expected in others.items():
        assert found.scores.get(name) == (expected if expected is None else pytest.approx(expected))
    if kind == "local":
        assert found.scores["previous token"] < 0.5


def test_a_score_is_the_share_that_the_pattern_explains():
    attention = np.random.default_rng(0).dirichlet(np.ones(9), size=9)
    scores = classify_heads(attention[None], REPEATED)[0].scores
    words = [1, 2, 3, 5, 6, 7]
    assert set(scores) == set(KINDS)
    assert scores["previous token"] == pytest.approx(np.mean([attention[i, i - 1] for i in words]))
    assert scores["next token"] == pytest.approx(np.mean([attention[i, i + 1] for i in words]))
    assert scores["same token"] == pytest.approx(np.mean([attention[i, i] for i in words]))
    assert scores[SINK] == pytest.approx(np.mean([attention[i, [0, 4, 8]].sum() for i in words]))
    assert scores["local"] == pytest.approx(np.mean([attention[i, max(i - 2, 0) : i + 3].sum() for i in words]))
    pairs = [(1, 5), (2, 6), (5, 1), (6, 2)]
    assert scores[ELSEWHERE] == pytest.approx(np.mean([attention[pair] for pair in pairs]))


def test_many_heads_at_once_are_each_head_alone():
    attentions = np.random.default_rng(1).dirichlet(np.full(9, 0.2), size=(20, 9)).astype(np.float32)
    attentions[::4] = (attentions[::4] + 2 * np.eye(9, k=1, dtype=np.float32)) / 3
    together = classify_heads(attentions, REPEATED)
    assert together == [classify_heads(one[None], REPEATED)[0] for one in attentions]
    assert len({kind.kind for kind in together}) > 1


def test_the_clearest_head_does_most_of_one_plain_thing():
    """Not the one that looks at [CLS] alone, though nothing is clearer: that says nothing about the text."""
    size = len(SINGLE)
    heads = np.random.default_rng(3).dirichlet(np.ones(size), size=(2, 3, size))
    heads[0, 1] = looks(size, {})
    heads[1, 2] = 0.7 * np.eye(size, k=-1) + 0.3 * heads[1, 2]
    assert clearest_head(heads, SINGLE) == (1, 2)
    best = [max(kind.scores.get(name, 0) for name in PLAIN_KINDS) for kind in classify_heads(heads[1], SINGLE)]
    assert int(np.argmax(best)) == 2
    assert clearest_head(np.full((2, 2, 2, 2), 0.5), TOKENIZER.encode("")) == (0, 0)


def test_facts_of_attention_worked_out_by_hand():
    encoding = TOKENIZER.encode("cat", "dog")  # [CLS] cat [SEP] dog [SEP]
    attention = np.array(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.25, 0.25, 0.0, 0.5, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
            [0.2, 0.2, 0.2, 0.2, 0.2],
            [0.0, 0.5, 0.0, 0.5, 0.0],
        ]
    )
    facts = head_facts(attention, encoding)
    entropies = [0, 1.5 * math.log(2), 0, math.log(5), math.log(2)]
    distances = [0, 0.25 * 1 + 0.5 * 2, 2, 0.2 * (3 + 2 + 1 + 1), 0.5 * 3 + 0.5 * 1]
    special = [1, 0.25, 1, 0.6, 0]
    assert row_entropy(attention) == pytest.approx(entropies)
    assert facts.entropy_nats == pytest.approx(sum(entropies) / 5)
    assert facts.mean_distance_tokens == pytest.approx(sum(distances) / 5)
    assert facts.on_special == pytest.approx(sum(special) / 5)
    assert facts.a_to_b == pytest.approx(0.5)  # A is one token, and gives half to B's one token
    assert head_facts(np.full((4, 4), 0.25), TOKENIZER.encode("the cat")).a_to_b is None


# --- finding heads by kind and by expression, on attention made by hand

# 0 [CLS]  1 the  2 cat  3 sat  4 .  5 [SEP]  6 the  7 comfort  8 ##able  9 cat  10 !  11 [SEP]
PAIR = TOKENIZER.encode("the cat sat.", "the comfortable cat!")
SIZE = len(PAIR)


def heads():
    """(2,3,S,S): previous token, all alike, next token; then three at random."""
    rng = np.random.default_rng(0)
    made = rng.dirichlet(np.full(SIZE, 0.3), size=(2, 3, SIZE))
    made[0, 0] = np.eye(SIZE, k=-1)
    made[0, 0, 0, 0] = 1
    made[0, 1] = 1 / SIZE
    made[0, 2] = np.eye(SIZE, k=1)
    made[0, 2, -1, -1] = 1
    return made.astype(np.float32)


def ranked(query):
    return [(match.layer, match.head) for match in find_heads(query, heads(), PAIR).matches]


def test_a_kind_ranks_all_heads_by_its_score():
    found = find_heads("previous token", heads(), PAIR)
    assert (found.matches[0].layer, found.matches[0].head) == (0, 0) and len(found.matches) == 6
    for match in found.matches:
        kind = classify_heads(heads()[match.layer], PAIR)[match.head]
        assert match.score == pytest.approx(kind.scores["previous token"])
    scores = [match.score for match in found.matches]
    assert scores == sorted(scores, reverse=True)
    assert ranked("next token > 0.9") == [(0, 2)]
    assert ranked("PREVIOUS") == ranked("previous token")


def test_attention_between_two_words():
    attention = heads()
    found = find_heads("attn(sat -> #1) > 0", attention, PAIR)
    for match in found.matches:
        assert match.score == pytest.approx(float(attention[match.layer, match.head, 3, 1]))
    assert ranked("attn(sat->cat) > 0.99") == [(0, 0)]
    assert ranked("attn(cat → sat) >= 0.5") == [(0, 2)]  # two cats; one of them looks at "sat" with 1
    assert ranked("attn(cat → sat) > 50%") == [] and ranked("attn(#2 -> sat) > 50%") == [(0, 2)]


def test_names_stand_for_tokens():
    attention = heads()
    named = {"comfortable": [7, 8], "##able": [8], "able": [8], "A": [1, 2, 3, 4], "B": [6, 7, 8, 9, 10], "#11": [11]}
    named |= {"special": [0, 5, 11], "any": list(range(12)), "[CLS]": [0], '"cat"': [2, 9]}
    for name, positions in named.items():
        expected = attention[:, :, 3][..., positions].sum(-1)
        for match in find_heads(f"attn(sat -> {name})", attention, PAIR).matches:
            assert match.score == pytest.approx(float(expected[match.layer, match.head]), abs=1e-6)


def test_entropy_distance_and_special():
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


def test_all_conditions_must_hold_and_the_first_one_ranks():
    both = ranked("entropy > 0.5 and attn(sat -> cat) < 0.2")
    assert set(both) == set(ranked("entropy > 0.5")) & set(ranked("attn(sat -> cat) < 0.2"))
    assert both == [place for place in ranked("entropy > 0.5") if place in both]
    text = TOKENIZER.encode("a cat and a dog")  # inside the brackets it is a word
    even = np.full((1, 1, len(text), len(text)), 1 / len(text), dtype=np.float32)
    assert len(find_heads("attn(cat -> dog) > 0 and attn(dog -> cat) > 0", even, text).matches) == 1


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
def test_what_cannot_be_read_is_said(query, said):
    with pytest.raises(BertcoreError, match=said):
        find_heads(query, heads(), PAIR)


def test_names_of_kinds_and_one_that_the_text_cannot_show():
    assert kind_named("sink") == kind_named(SINK) == SINK
    assert kind_named("other sentence") == OTHER_SENTENCE and kind_named("same token") == "same token"
    with pytest.raises(BertcoreError, match=f"No head can show “{OTHER_SENTENCE}”"):
        find_heads(OTHER_SENTENCE, np.full((1, 1, 4, 4), 0.25, dtype=np.float32), TOKENIZER.encode("cat dog"))


# --- the map of heads, links, edited rows, score steps

RNG = np.random.default_rng(1)
ATTENTIONS = RNG.dirichlet(np.full(9, 0.4), size=(2, 3, 9)).astype(np.float32)


def head_divergence(attentions):
    """Every two heads by scipy: mean over rows."""
    heads = attentions.reshape(-1, *attentions.shape[2:])
    return np.array([[np.mean(jensenshannon(p, q, base=2, axis=-1) ** 2) for q in heads] for p in heads])


class TestMap:
    def test_divergence_is_that_of_scipy_also_of_many_heads_in_blocks(self):
        for attentions in (ATTENTIONS, RNG.dirichlet(np.full(5, 0.4), size=(5, 8, 5)).astype(np.float32)):
            found = divergence_between_heads(attentions)
            assert np.abs(found - head_divergence(attentions)).max() < 1e-6
            assert np.array_equal(found, found.T)

    def test_sampled_rows_are_all_that_is_compared(self):
        found = head_map(ATTENTIONS, most_values=15 * 9 * 3)  # 15 pairs of heads, 9 columns
        assert found.rows.tolist() == [0, 4, 8]
        only = np.stack([[head_divergence(ATTENTIONS[:, :, [row]].repeat(9, axis=2))] for row in found.rows])
        assert np.abs(found.divergence - only.mean(axis=0)[0]).max() < 1e-6

    def test_as_many_rows_as_fit(self):
        for heads, length in ((144, 128), (384, 512), (1, 1), (16, 32)):
            rows = compared_rows(heads, length, 10_000_000)
            assert 1 <= len(rows) <= length and len(set(rows.tolist())) == len(rows)
            assert len(rows) == 1 or heads * (heads - 1) // 2 * length * len(rows) <= 10_000_000

    def test_points_of_a_plane_keep_their_distances(self):
        flat = RNG.normal(size=(7, 2))
        squared = ((flat[:, None] - flat[None]) ** 2).sum(-1)
        points, share = scaled_to_plane(squared)
        assert np.abs(((points[:, None] - points[None]) ** 2).sum(-1) - squared).max() < 1e-9
        assert share.sum() == pytest.approx(1)

    @pytest.mark.parametrize("shape", [(1, 1, 3), (1, 2, 1), (2, 1, 4)])
    def test_few_heads_and_few_tokens(self, shape):
        layers, heads, size = shape
        found = head_map(np.full((layers, heads, size, size), 1 / size, dtype=np.float32))
        assert found.points.shape == (layers, heads, 2) and np.abs(found.points).max() < 1e-6

    def test_progress_rises_to_the_end_and_may_stop_it(self):
        shares = []
        head_map(ATTENTIONS, progress=shares.append)
        assert shares == sorted(shares) and shares[-1] > 0.9 and max(shares) <= 1

        with pytest.raises(ZeroDivisionError):
            head_map(ATTENTIONS, progress=lambda share: 1 / 0)


class TestLinks:
    ATTENTION = np.array([[0.5, 0.3, 0.2], [0.0, 0.9, 0.1], [0.4, 0.4, 0.2]])

    def test_from_a_threshold_on_or_of_each_row_the_fewest_that_hold_a_share(self):
        """A row that looks at many tokens has lines too, however strong those of the others are."""
        for links in (strongest_links(self.ATTENTION, least=0.4), strongest_links(self.ATTENTION, share=0.5)):
            pairs = list(zip(links.rows.tolist(), links.columns.tolist(), strict=True))
            assert pairs == [(1, 1), (0, 0), (2, 0), (2, 1)]
            assert links.weights.tolist() == [0.9, 0.5, 0.4, 0.4]
            assert links.share == pytest.approx(2.2 / 3)
        even = np.array([[1.0, 0.0, 0.0, 0.0], [0.25] * 4, [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        links = strongest_links(even, share=0.6)
        assert np.count_nonzero(links.rows == 1) == 3
        assert strongest_links(self.ATTENTION, share=1.0).fitting == 8  # a weight of 0 is no link
        assert strongest_links(self.ATTENTION, share=0.0).fitting == 0

    def test_the_limit_says_what_it_leaves_out(self):
        links = strongest_links(self.ATTENTION, most=2)
        assert (len(links.weights), links.fitting) == (2, 8)
        own = strongest_links(self.ATTENTION, most=2, always=0)
        assert (own.rows.tolist(), own.weights.tolist()) == ([0, 0], [0.5, 0.3])

    def test_among_some_only(self):
        among = between(["a", "a", "b"], "a", "b")
        links = strongest_links(self.ATTENTION, among=among)
        assert list(zip(links.rows.tolist(), links.columns.tolist(), strict=True)) == [(0, 2), (1, 2)]
        assert links.share == pytest.approx(1)
        links = strongest_links(self.ATTENTION, among=np.zeros((3, 3), dtype=bool), share=0.5)
        assert len(links.weights) == 0 and links.share == 0


class TestEditedRow:
    @pytest.mark.parametrize(
        ("row", "columns", "weight", "within", "expected"),
        [
            # the others keep their proportions; where nothing was all get the same
            ([0.5, 0.3, 0.2], [0], 0.8, None, [0.8, 0.12, 0.08]),
            ([0.5, 0.3, 0.2], [0, 1], 0.4, None, [0.25, 0.15, 0.6]),
            ([1.0, 0.0, 0.0], [0], 0.5, None, [0.5, 0.25, 0.25]),
            ([1.0, 0.0, 0.0], [1, 2], 0.5, None, [0.5, 0.25, 0.25]),
            ([0.4, 0.3, 0.1, 0.2], [1], 0.5, [1, 2, 3], [0.4, 0.3, 0.1, 0.2]),  # it holds half of the 0.6 already
            ([0.4, 0.3, 0.1, 0.2], [1], 1.0, [1, 2, 3], [0.4, 0.6, 0, 0]),
            ([1.0], [0], 0.2, None, [1.0]),  # one token keeps all
        ],
    )
    def test_by_hand(self, row, columns, weight, within, expected):
        assert with_weight(np.array(row), columns, weight, within=within) == pytest.approx(expected)

    def test_no_weight_is_above_1(self):
        row = np.array([0.7000001, 0.3], dtype=np.float32)  # sums to a little more, as float32 does
        assert with_weight(row, [1], 1.0).tolist() == [0, 1]
        assert with_weight(row, [1], 0.0).tolist() == [1, 0]

    @given(
        st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda row: sum(row) > 0.01),
        st.floats(-1, 2),
        st.integers(0, 5),
    )
    def test_rows_go_on_summing_to_1(self, values, weight, column):
        row = np.array(values) / sum(values)
        new = with_weight(row, [column % len(row)], weight)
        assert new.sum() == pytest.approx(1) and new.min() >= 0
        if len(row) > 1:
            assert new[column % len(row)] == pytest.approx(min(max(weight, 0), 1))


class TestScoreSteps:
    def test_each_step_follows_from_the_one_before_to_what_the_model_made(self):
        found = trace(tiny_model(), SENTENCES.ids, SENTENCES.segments)
        for layer, head, row, column in ((0, 1, 2, 3), (1, 3, 0, 11)):
            steps = score_steps(found.queries[layer, head, row], found.keys[layer, head], column)
            assert steps.products.sum() == steps.score == steps.scores[column]  # to the last bit
            by_hand = found.queries[layer, head, row].astype(float) @ found.keys[layer, head].T.astype(float)
            assert steps.scores == pytest.approx(by_hand, abs=1e-9)
            assert np.array_equal(steps.scaled, steps.scores / np.sqrt(8))
            assert np.array_equal(steps.masked, steps.scaled)
            assert np.abs(steps.weights - found.attentions[layer, head, row]).max() < 1e-6
            assert steps.weights.sum() == pytest.approx(1, abs=1e-12)

    def test_what_is_masked_gets_nothing(self):
        steps = score_steps(np.array([1.0, 2.0]), np.ones((3, 2)), 0, np.array([True, False, True]))
        assert steps.masked.tolist() == [3 / np.sqrt(2), -np.inf, 3 / np.sqrt(2)]
        assert steps.weights.tolist() == [0.5, 0, 0.5]
