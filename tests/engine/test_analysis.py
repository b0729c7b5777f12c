"""A trace and what is drawn from it: flow, whole words, paths of hidden states, neurons, words nearby, cut texts."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, cosine

from bertcore.analysis.flow import attention_flow, residual_attention, rollout, without
from bertcore.analysis.interventions import ablate
from bertcore.analysis.merging import merge_encoding, merge_matrix, merge_vectors, sum_scores, word_groups
from bertcore.analysis.predict import softmax
from bertcore.analysis.residual import neuron_activations, pushed_words, residual_stream, strongest_neurons
from bertcore.analysis.tokenisations import compare_tokenisations, vocabulary_of
from bertcore.analysis.trace import activations, trace
from bertcore.analysis.vectors import (
    NearestWords,
    cosines,
    group_similarity,
    lengths,
    part_fractions,
    pca,
    word_in_sentences,
    word_positions,
)
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer
from tests.engine.models import PAIR, SHAPES, TOKENIZER, family_model, pair_text, segments_for, tiny_model

OTHER_FAMILIES = ("sentence_order_logits", "replaced_logits")


class TestTrace:
    @pytest.mark.parametrize("shape", [{}, {"num_hidden_layers": 3, "num_attention_heads": 2, "hidden_size": 24}])
    def test_names_and_shapes(self, shape):
        model = tiny_model(**shape)
        config, length = model.config, len(PAIR)
        wide, layers = (length, config.hidden_size), config.num_hidden_layers
        split = (layers, config.num_attention_heads, length, config.head_size)
        traced = trace(model, PAIR.ids, PAIR.segments)
        result = traced.arrays()
        assert {name: array.shape for name, array in result.items()} == {
            **dict.fromkeys(("input_ids", "segment_ids", "position_ids", "mlm_positions"), (length,)),
            **dict.fromkeys(("token_embeddings", "segment_embeddings", "position_embeddings"), wide),
            **dict.fromkeys(("embedding_sum", "embeddings"), wide),
            **dict.fromkeys(("queries", "keys", "values"), split),
            "hidden_states": (layers + 1, *wide),
            "attentions": (layers, config.num_attention_heads, length, length),
            "pooled": (config.hidden_size,),
            "mlm_logits": (length, config.vocab_size),
            "next_sentence_logits": (2,),
        }
        assert all(array.dtype in (np.float32, np.int64) for array in result.values())
        assert traced.input_ids.tolist() == PAIR.ids and traced.segment_ids.tolist() == PAIR.segments
        assert np.abs(traced.attentions.sum(-1) - 1).max() <= 1e-6
        scores = np.einsum("lnqd,lnkd->lnqk", traced.queries, traced.keys) / math.sqrt(config.head_size)
        assert np.abs(softmax(scores) - traced.attentions).max() <= 1e-5

    @pytest.mark.parametrize("positions", [None, list(reversed(PAIR.positions))])
    def test_embeddings_are_rows_of_the_tables_and_add_up(self, positions):
        model = tiny_model()
        result = trace(model, PAIR.ids, PAIR.segments, positions)
        assert result.position_ids.tolist() == (positions or PAIR.positions)
        tables = {name: getattr(model.embeddings, name).weight.numpy() for name in ("token", "segment", "position")}
        assert np.array_equal(result.token_embeddings, tables["token"][PAIR.ids])
        assert np.array_equal(result.segment_embeddings, tables["segment"][PAIR.segments])
        assert np.array_equal(result.position_embeddings, tables["position"][positions or PAIR.positions])
        total = result.token_embeddings + result.segment_embeddings + result.position_embeddings
        assert np.abs(total - result.embedding_sum).max() <= 1e-6
        norm = model.embeddings.norm
        centred = total - total.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + model.config.layer_norm_eps)
        expected = expected * norm.weight.numpy() + norm.bias.numpy()
        assert np.abs(expected - result.embeddings).max() <= 1e-5

    @pytest.mark.parametrize(
        ("tasks", "pooler", "absent"),
        [
            ((), False, {"pooled", "mlm_logits", "next_sentence_logits", *OTHER_FAMILIES}),
            ((), True, {"mlm_logits", "next_sentence_logits", *OTHER_FAMILIES}),
            (("mlm",), False, {"pooled", "next_sentence_logits", *OTHER_FAMILIES}),
        ],
    )
    def test_what_a_model_has_no_part_for_is_not_there(self, tasks, pooler, absent):
        result = trace(tiny_model(tasks, pooler), PAIR.ids, PAIR.segments)
        assert {name for name in vars(result) if getattr(result, name) is None} == absent
        assert not absent & set(result.arrays())
        assert set(result.absent) == absent and all(sentence.endswith(".") for sentence in result.absent.values())


def random_attention(*shape, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.4), size=shape[:-1])


class TestFlow:
    @given(seed=st.integers(0, 100))
    def test_rollout_counts_all_paths(self, seed):
        attentions = random_attention(3, 2, 3, 3, seed=seed)
        layers = attentions.mean(axis=1) * 0.5 + 0.5 * np.eye(3)
        paths = np.zeros((3, 3))
        for top, high, low, end in itertools.product(range(3), repeat=4):
            paths[top, end] += layers[2, top, high] * layers[1, high, low] * layers[0, low, end]
        found = rollout(attentions)
        assert found[2] == pytest.approx(paths)
        assert found.sum(axis=-1) == pytest.approx(np.ones((3, 3)))

    @given(seed=st.integers(0, 30))
    def test_the_smallest_cut_is_the_largest_flow(self, seed):
        attentions = random_attention(2, 2, 3, 3, seed=seed)
        graph = residual_attention(attentions)
        found = attention_flow(attentions, [1])[0]
        assert attention_flow(attentions, [2, 0], layers=1) == pytest.approx(graph[0][[2, 0]], abs=1e-8)
        for sink in range(3):
            cuts = []
            for source_side in itertools.product([False, True], repeat=3):  # the nodes of the middle layer
                side = np.array(source_side)
                cuts.append(graph[1][1, ~side].sum() + graph[0][side, sink].sum())
            assert found[sink] == pytest.approx(min(cuts), abs=1e-8)

    def test_what_is_off_is_left_out(self):
        """By hand: of two heads one is off, and of three layers the last."""
        attentions = np.zeros((3, 2, 2, 2))
        attentions[:] = [[0.0, 1.0], [1.0, 0.0]]
        counted = without(attentions, heads_off={(0, 1)}, layers_off={2})
        assert rollout(counted)[0] == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))
        assert np.array_equal(rollout(counted)[2], rollout(counted)[1])
        assert attentions[0, 1, 0, 1] == 1 and without(attentions) is attentions
        with pytest.raises(BertcoreError, match="0 to 1"):
            attention_flow(attentions, [2])


def test_cosines_of_tokens_layer_by_layer():
    states = np.random.default_rng(0).normal(size=(4, 6, 8))
    states[3, 2] = 0  # like nothing
    found = cosines(states)
    for layer, i, j in itertools.product(range(4), range(6), range(6)):
        expected = 0 if layer == 3 and 2 in (i, j) else 1 - cosine(states[layer, i], states[layer, j])
        assert found[layer, i, j] == pytest.approx(expected, abs=1e-6)


class TestMerging:
    GROUPS = (0, 1, 1, 2)

    def test_columns_are_added_and_rows_averaged(self):
        matrix = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.0, 0.0], [0.1, 0.0, 0.3, 0.6], [0.0, 0.25, 0.25, 0.5]])
        merged = np.array([[0.1, 0.5, 0.4], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5]])
        assert merge_matrix(matrix, self.GROUPS) == pytest.approx(merged)
        heads = merge_matrix(np.stack([[matrix, matrix[::-1]]] * 3), self.GROUPS)
        assert heads.shape == (3, 2, 3, 3) and heads[1, 0] == pytest.approx(merged)
        assert merge_matrix(matrix, range(4)) == pytest.approx(matrix)
        with pytest.raises(ValueError, match="gaps"):
            merge_matrix(np.eye(3), (0, 2, 2))
        vectors = np.array([[1.0, 0.0], [2.0, 4.0], [4.0, 8.0], [0.0, 1.0]])
        assert merge_vectors(vectors, self.GROUPS).tolist() == [[1, 0], [3, 6], [0, 1]]
        assert sum_scores(np.array([1.0, 2.0, 3.0, 4.0]), self.GROUPS).tolist() == [1, 5, 4]

    def test_whole_words_of_a_pair(self):
        encoding = TOKENIZER.encode("The Comfortable cat", "it was comfortable")
        groups = word_groups(encoding)
        # [CLS] the comfort ##able cat [SEP] it was comfort ##able [SEP]
        assert groups == [0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 8]
        merged = merge_encoding(encoding, groups)
        assert len(merged.labels) == len(merged.tokens) == len(merged.ids)
        assert merged.tokens == ["[CLS]", "the", "comfortable", "cat", "[SEP]", "it", "was", "comfortable", "[SEP]"]
        assert merged.parts == ["special", "a", "a", "a", "special", "b", "b", "b", "special"]
        assert merged.segments == [0, 0, 0, 0, 0, 1, 1, 1, 1] and merged.positions == list(range(9))
        assert merged.text_a[slice(*merged.offsets[2])] == "Comfortable"
        assert len(merged) == len(merged.words) == len(merged.ids) == 9
        assert word_groups(merged) == list(range(9))
        unknown = TOKENIZER.encode("cat 日 comfortable")
        assert merge_encoding(unknown, word_groups(unknown)).unknown == [2]

    def test_words_of_a_long_text_are_found_at_once(self):
        """On the window's thread: a look back at all former words for each would take hours here."""
        encoding = SimpleNamespace(words=[None, *(number // 2 for number in range(1_000_000)), None])
        groups = word_groups(encoding)
        assert groups == [0, *(1 + number // 2 for number in range(1_000_000)), 500_001]


# --- lengths and paths of hidden states, what each sublayer adds, and one word in several sentences


@pytest.mark.parametrize("shape", [(3, 4, 40), (5, 30, 12)])  # fewer states than dimensions, and more
@pytest.mark.parametrize("k", [2, 4])
def test_one_pca_over_all_layers(shape, k):
    states = np.random.default_rng(0).normal(size=shape).astype(np.float32) * 3 + 1
    found, flat = pca(states, k), states.reshape(-1, shape[-1]).astype(np.float64)
    left, sizes, right = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
    sign = np.sign(right[range(k), np.abs(right[:k]).argmax(axis=1)])
    ratio = (sizes**2 / (sizes**2).sum())[:k]
    assert np.abs(found.points.reshape(-1, k) - (left * sizes)[:, :k] * sign).max() <= 1e-4
    assert np.abs(found.explained_variance_ratio - ratio).max() <= 1e-5
    assert found.kept == pytest.approx(ratio.sum(), abs=1e-5)


def test_pca_of_a_token_alone_and_of_states_that_are_all_alike():
    same = pca(np.ones((4, 1, 8), dtype=np.float32))
    assert same.points.tolist() == [[[0, 0]]] * 4 and same.explained_variance_ratio.tolist() == [0, 0]
    assert same.kept == 1
    found = pca(np.arange(3, dtype=np.float32)[:, None, None] * np.ones((1, 1, 8), dtype=np.float32))
    assert found.explained_variance_ratio == pytest.approx([1, 0], abs=1e-6)
    assert np.diff(found.points[:, 0, 0]) == pytest.approx([8**0.5] * 2, abs=1e-5)


def parts_of(model, layer):
    before = f"layer.{layer - 1}.output" if layer else "embeddings.output"
    here = f"layer.{layer}"
    names = (before, f"{here}.attention.output", f"{here}.middle", f"{here}.feed_forward.output", f"{here}.output")
    found = activations(model, pair_text(model), names)
    return dict(zip(("x", "attention", "m", "feed_forward", "y"), (found[name] for name in names), strict=True))


def normed(values, norm, epsilon):
    centred = values - values.mean(-1, keepdims=True)
    unit = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return unit * norm.weight.numpy() + norm.bias.numpy()


class TestResidualStream:
    @pytest.mark.parametrize("name", SHAPES)
    def test_what_is_added_makes_the_next_hidden_state(self, name):
        model = family_model(name)
        found, row = residual_stream(model, pair_text(model)), 5
        assert found.entering.shape == (3, len(PAIR))
        for index in range(3):
            parts, layer, epsilon = parts_of(model, index), model.encoder.layer(index), model.config.layer_norm_eps
            middle, leaving = parts["x"] + parts["attention"], parts["m"] + parts["feed_forward"]
            if name != "pre-norm":
                middle = normed(middle, layer.attention_norm, epsilon)
                leaving = normed(leaving, layer.feed_forward_norm, epsilon)
            assert np.abs(middle - parts["m"]).max() <= 1e-5
            assert np.abs(leaving - parts["y"]).max() <= 1e-5
            for stream, there, added in ((found.entering, "x", "attention"), (found.middle, "m", "feed_forward")):
                before, new = parts[there][row].astype(float), parts[added][row].astype(float)
                sizes = np.linalg.norm(before), np.linalg.norm(new)
                assert stream[index, row] == pytest.approx(sizes[0], rel=1e-5)
                assert getattr(found, added)[index, row] == pytest.approx(sizes[1], rel=1e-5)
                cosine = getattr(found, f"{added}_cosine")[index, row]
                assert cosine == pytest.approx(before @ new / sizes[0] / sizes[1], abs=1e-5)

    def test_words_of_several_pieces_and_what_a_change_left(self):
        model = tiny_model()
        found = residual_stream(model, pair_text(model), members=[[1], [4, 5, 6]])
        parts = parts_of(model, 0)
        assert found.attention.shape == (2, 2)
        assert found.attention[0, 1] == pytest.approx(np.linalg.norm(parts["attention"][4:7].mean(0)), rel=1e-5)
        found = residual_stream(model, pair_text(model), changes=ablate(layers_off=[0]))
        assert found.entering[1] == pytest.approx(found.entering[0], rel=1e-5)  # layer 1 left what entered it


class TestOneWord:
    def test_where_a_word_stands(self):
        for text, word, positions in (
            ("The cat sat on the mat.", "cat", [2]),
            ("The cat sat. A CAT sang.", " Cat ", [2]),
            ("It was comfortable!", "comfortable", [3, 4]),
            ("The cats sat.", "cat", []),
            ("The cat sat.", "", []),
        ):
            assert word_positions(TOKENIZER.encode(text), word) == positions

    @pytest.mark.parametrize("name", SHAPES)
    def test_its_states_are_those_of_a_trace_of_each_sentence(self, name):
        model = family_model(name)
        shares = []
        sentences = ["The cat sat.", "A dog!", "It was a very comfortable cat."]
        found = word_in_sentences(model, TOKENIZER, "cat", sentences, shares.append)
        assert found.sentences == [0, 2] and found.pieces == [["cat"], ["cat"]]
        assert shares == sorted(shares) and shares[-1] == 1
        for use, sentence in enumerate(found.sentences):
            encoding = TOKENIZER.encode(sentences[sentence])
            states = trace(model, encoding.ids, segments_for(model, encoding)).hidden_states
            row = encoding.labels.index("cat")
            assert np.abs(found.vectors[:, use] - states[:, row]).max() <= 1e-5
        assert np.abs(found.cosines - cosines(found.vectors)).max() <= 1e-6

    def test_several_pieces_are_averaged(self):
        model = tiny_model()
        found = word_in_sentences(model, TOKENIZER, "comfortable", ["It was comfortable!"])
        states = trace(model, (e := TOKENIZER.encode("It was comfortable!")).ids, e.segments).hidden_states
        assert np.abs(found.vectors[:, 0] - states[:, 3:5].mean(axis=1)).max() <= 1e-5
        with pytest.raises(BertcoreError, match="No sentence contains the word “bird”"):
            word_in_sentences(model, TOKENIZER, "bird", ["The cat sat."])

    def test_meanings_part_where_groups_are_furthest_apart(self):
        alike = np.ones((3, 4, 4))
        alike[1, :2, 2:] = alike[1, 2:, :2] = 0.2  # apart by 0.8 at layer 1
        alike[2, :2, 2:] = alike[2, 2:, :2] = 0.1
        alike[2, 0, 1] = alike[2, 1, 0] = 0.4  # within: (0.4 + 1) / 2; apart by 0.6
        found = group_similarity(alike, [1, 1, 2, 2])
        assert found.within == pytest.approx([1, 1, 0.7])
        assert found.between == pytest.approx([1, 0.2, 0.1])
        assert found.layer == 1
        one_group, single_uses = (group_similarity(np.ones((2, 2, 2)), groups) for groups in ([1, 1], [1, 2]))
        assert one_group.layer is None and np.isnan(one_group.between).all()
        assert single_uses.layer is None and np.isnan(single_uses.within).all()


# --- feed-forward neurons: which fire most, where, and which words they push up


def all_activations(model):
    """(L,S,I)."""
    points = [f"layer.{layer}.feed_forward.activation" for layer in range(model.config.num_hidden_layers)]
    found = activations(model, pair_text(model), points)
    return np.stack([found[point] for point in points])


@pytest.mark.parametrize("name", SHAPES)
def test_the_strongest_are_those_of_a_full_sort(name):
    model = family_model(name)
    whole = all_activations(model)
    found = strongest_neurons(model, pair_text(model), k=7)
    for row in range(len(PAIR)):
        flat = np.sort(whole[:, row].ravel())[::-1][:7]
        assert found.activations[row] == pytest.approx(flat, abs=1e-5)
        named = whole[found.layers[row], row, found.neurons[row]]
        assert named == pytest.approx(found.activations[row], abs=1e-5)


def test_neurons_of_words_of_one_neuron_and_of_a_changed_pass():
    model = tiny_model()
    text, whole, members = pair_text(model), all_activations(model), [[1], [4, 5, 6]]
    found = strongest_neurons(model, text, k=1000)  # more than there are gives all
    assert found.neurons.shape == (len(PAIR), 2 * 48)
    assert len(set(zip(found.layers[0], found.neurons[0], strict=True))) == 2 * 48
    found = strongest_neurons(model, text, k=5, members=members)
    mean = whole[:, 4:7].mean(axis=1)  # (L,I)
    assert found.activations[1] == pytest.approx(np.sort(mean.ravel())[::-1][:5], abs=1e-5)
    one = neuron_activations(model, text, 1, 3, members=members)
    assert one == pytest.approx([whole[1, 1, 3], mean[1, 3]], abs=1e-5)
    one = neuron_activations(model, text, 1, 17)
    assert one == pytest.approx(whole[1, :, 17], abs=1e-5)
    assert np.abs(neuron_activations(model, text, 1, 17, changes=ablate({(0, 0)})) - one).max() > 1e-3


@pytest.mark.parametrize("name", SHAPES)
def test_pushed_words_are_products_with_the_token_table(name):
    model = family_model(name)
    found = pushed_words(model, TOKENIZER, 2, 11, k=4)
    table, projection = model.embeddings.token.weight.numpy(), model.embeddings.projection
    if projection is not None:
        table = table @ projection.weight.numpy().T  # (V,E) -> (V,H)
    written = model.encoder.layer(2).feed_forward_out.weight.numpy()[:, 11]
    scores = {
        TOKENIZER.label(i): float(table[i] @ written) for i in range(len(table)) if i not in TOKENIZER.special_ids
    }
    ordered = sorted(scores.items(), key=lambda item: -item[1])
    assert [word for word, _ in found.up] == [word for word, _ in ordered[:4]]
    assert [word for word, _ in found.down] == [word for word, _ in ordered[::-1][:4]]
    assert found.up[0][1] == pytest.approx(ordered[0][1], abs=1e-5)
    assert found.output_length == pytest.approx(float(np.linalg.norm(written)), rel=1e-5)


@pytest.mark.parametrize(("layer", "neuron", "says"), [(2, 0, "no layer 2"), (0, 48, "no neuron 48"), (0, -1, "-1")])
def test_what_is_not_there_is_refused(layer, neuron, says):
    with pytest.raises(BertcoreError, match=says):
        neuron_activations(tiny_model(), pair_text(tiny_model()), layer, neuron)


# --- the parts of an embedding, words near a word, and one text cut by two vocabularies

WORDS = "the cat sat on the mat it was very comfortable a dog and bird ran home happy rug sofa"


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train([WORDS] * 20, 200)


def test_shares_of_an_embedding():
    """x = (3,4): the first part lies along one axis, the second along the other, 9/25 and 16/25."""
    shares = part_fractions({"token": np.array([[3.0, 0.0]]), "position": np.array([[0.0, 4.0]]), "segment": None})
    assert shares["token"] == pytest.approx([0.36]) and shares["position"] == pytest.approx([0.64])
    assert "segment" not in shares
    generator = np.random.default_rng(0)
    parts = {name: generator.normal(size=(9, 16)) for name in ("token", "segment", "position")}
    parts["segment"] = -0.5 * parts["token"]
    assert sum(part_fractions(parts).values()) == pytest.approx(np.ones(9))
    against = part_fractions({"token": np.array([[2.0, 0.0]]), "segment": np.array([[-1.0, 0.0]])})
    assert against["segment"] == pytest.approx([-1]) and against["token"] == pytest.approx([2])
    nothing = part_fractions({"token": np.ones((2, 3)), "position": -np.ones((2, 3))})  # a sum of zero has no shares
    assert nothing["token"].tolist() == [0, 0]
    assert lengths(np.array([[3.0, 4.0], [0, 2]])).tolist() == [5, 2]


class TestNearWords:
    @pytest.mark.parametrize(("by", "metric"), [("cosine", "cosine"), ("distance", "euclidean")])
    def test_the_order_is_that_of_all_distances(self, tokenizer, by, metric):
        generator = np.random.default_rng(1)
        size = generator.uniform(0.2, 3, size=(tokenizer.vocab_size, 1))  # so that the two orders differ
        table = (generator.normal(size=(tokenizer.vocab_size, 12)) * size).astype(np.float32)
        pieces = [30, 41]
        query = table[pieces].mean(axis=0, keepdims=True)
        far = cdist(query, table, metric)[0]
        far[[*pieces, *tokenizer.special_ids]] = np.inf
        found = NearestWords(table, tokenizer).near(pieces, 6, by)
        assert [word.token_id for word in found] == np.argsort(far)[:6].tolist()
        assert [word.word for word in found] == [tokenizer.word(word.token_id) for word in found]
        values = [1 - word.cosine if by == "cosine" else word.distance for word in found]
        assert values == pytest.approx(np.sort(far)[:6], abs=1e-6)

    def test_rows_that_belong_to_no_token_are_no_words(self, tokenizer):
        """A table may be larger than its vocabulary (decision 0006); short rows are near everything."""
        table = np.ones((tokenizer.vocab_size + 6, 4), dtype=np.float32)
        table[tokenizer.vocab_size :] = 0.999
        table[30] = 1.001
        found = NearestWords(table, tokenizer).near([30], 12, "distance")
        assert len(found) == 12 and all(word.token_id < tokenizer.vocab_size for word in found)
        table[30] = 0  # near nothing, and no error
        assert all(word.cosine == 0 for word in NearestWords(table, tokenizer).near([30], 3))

    def test_words_around_several_stand_there_once(self, tokenizer):
        table = np.random.default_rng(2).normal(size=(tokenizer.vocab_size, 8)).astype(np.float32)
        words, steps = NearestWords(table, tokenizer), list[float]()
        around = words.around([[20], [21, 22]], 8, "cosine", steps.append)
        ids = [word.token_id for word in around.words]
        assert len(set(ids)) == len(ids) and not {20, 21, 22} & set(ids)
        assert steps == [0, 0.5]
        assert np.array_equal(around.vectors, table[ids])
        first = {word.token_id for word in words.near([20], 8)}
        assert [number == 0 for number in around.of] == [token_id in first for token_id in ids]


def handmade(text, cuts, text_b=None):
    """[CLS] pieces [SEP], all of A."""
    size = len(cuts) + 2
    tokens = ["[CLS]", *(text[start:end] for start, end in cuts), "[SEP]"]
    spans = [(0, 0), *cuts, (0, 0)]
    parts = ["special", *["a"] * len(cuts), "special"]
    zeros = [0] * size
    return Encoding(text, text_b, tokens, zeros, zeros, list(range(size)), spans, parts, labels=tokens)


def pieces(both):
    return [([p.label for p in one.first], [p.label for p in one.second]) for one in both.spans]


class TestTwoTokenisations:
    def test_pieces_that_overlap_stand_together(self):
        first = handmade("abcd ef gh", [(0, 2), (2, 4), (5, 7), (8, 10)])
        second = handmade("abcd ef gh", [(0, 1), (1, 3), (3, 4), (5, 7), (8, 9), (9, 10)])
        found = compare_tokenisations(first, second)
        assert pieces(found) == [(["ab", "cd"], ["a", "bc", "d"]), (["ef"], ["ef"]), (["gh"], ["g", "h"])]
        assert [one.is_same for one in found.spans] == [False, True, False]
        assert (found.differing, found.is_whole) == (2, True)
        assert (found.first.tokens, found.first.pieces, found.second.pieces, found.first.words) == (6, 4, 6, 3)
        assert found.second.pieces_per_word == 2
        assert [piece.position for one in found.spans for piece in one.first] == [1, 2, 3, 4]
        with pytest.raises(BertcoreError, match="the same text"):
            compare_tokenisations(first, handmade("b", [(0, 1)]))

    def test_punctuation_is_no_piece_of_a_word_and_one_cut_off_by_one_alone_a_difference(self):
        signs = handmade("ab. - c!", [(0, 2), (2, 3), (4, 5), (6, 7), (7, 8)])
        found = compare_tokenisations(signs, signs)
        assert (found.first.tokens, found.first.pieces, found.first.words) == (7, 2, 2)
        assert found.first.pieces_per_word == 1
        space = handmade("a b!", [(0, 1), (2, 2), (2, 3)])  # by itself, of no characters
        found = compare_tokenisations(space, handmade("a b!", [(0, 1), (2, 3), (3, 4)]))
        assert pieces(found) == [(["a"], ["a"]), (["", "b"], ["b"]), ([], ["!"])] and found.differing == 1

    def test_a_word_of_several_stretches_is_one_word_that_is_split_differently(self):
        first = handmade("abcd, ef", [(0, 2), (2, 4), (4, 5), (6, 8)])
        second = handmade("abcd, ef", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 8)])
        found = compare_tokenisations(first, second)
        assert [one.is_same for one in found.spans] == [False, False, True, True]
        assert (found.differing, found.first.words) == (1, 2)

    def test_a_text_cut_short_is_compared_as_far_as_both_go(self):
        short = replace(handmade("ab cd ef", [(0, 2)]), dropped=2)
        found = compare_tokenisations(short, handmade("ab cd ef", [(0, 2), (3, 5), (6, 8)]))
        assert not found.is_whole and pieces(found) == [(["ab"], ["ab"])]
        assert (found.second.pieces, found.second.words) == (1, 1)

    def test_real_vocabularies(self, tokenizer):
        letters = Tokenizer.train(["abcdefghijklmnopqrstuvwxyz"] * 2, 60)
        one, other = (each.encode("The cat zzz", "a dog") for each in (tokenizer, letters))
        found = compare_tokenisations(one, other)
        assert [stretch.part for stretch in found.spans] == ["a", "a", "a", "b", "b"]
        assert found.first.tokens == len(one) and found.second.tokens == len(other)
        assert found.first.unknown == len(one.unknown)
        assert all(p.start >= 0 for stretch in found.spans for p in stretch.first)

    def test_a_vocabulary_comes_from_a_folder_and_never_from_the_network(self, tokenizer, tmp_path, monkeypatch):
        tokenizer.save(tmp_path / "words")
        assert vocabulary_of(tmp_path / "words").vocab_size == tokenizer.vocab_size
        with pytest.raises(BertcoreError, match="open it once as a model"):
            vocabulary_of("nobody-of-this-name/no-model-at-all")
        with pytest.raises(BertcoreError):
            vocabulary_of(tmp_path)  # no vocabulary in it
