"""Lengths and paths of hidden states, what each sublayer adds, and one word in several sentences."""

import numpy as np
import pytest

from bertcore.analysis.interventions import ablate
from bertcore.analysis.residual import residual_stream
from bertcore.analysis.trace import activations, trace
from bertcore.analysis.vectors import cosines as cosines_of
from bertcore.analysis.vectors import group_similarity, pca, word_in_sentences, word_positions
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from tests.engine.family_models import PAIR, SHAPES, family_model, pair_text, segments_for
from tests.engine.models import tiny_model, word_tokenizer

TOKENIZER = word_tokenizer()


class TestPaths:
    @pytest.mark.parametrize("shape", [(3, 4, 40), (5, 30, 12)])  # fewer states than dimensions, and more
    def test_one_pca_over_all_layers(self, shape: tuple[int, int, int]) -> None:
        states = np.random.default_rng(0).normal(size=shape).astype(np.float32) * 3 + 1
        found, flat = pca(states), states.reshape(-1, shape[-1]).astype(np.float64)
        left, sizes, right = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
        sign = np.sign(right[range(2), np.abs(right[:2]).argmax(axis=1)])
        assert np.abs(found.points.reshape(-1, 2) - (left * sizes)[:, :2] * sign).max() <= 1e-4
        assert np.abs(found.explained_variance_ratio - (sizes**2 / (sizes**2).sum())[:2]).max() <= 1e-5

    def test_a_token_alone_and_states_that_are_all_alike(self) -> None:
        assert pca(np.ones((4, 1, 8), dtype=np.float32)).points.tolist() == [[[0, 0]]] * 4
        line = np.arange(3, dtype=np.float32)[:, None, None] * np.ones((1, 1, 8), dtype=np.float32)
        found = pca(line)
        assert found.explained_variance_ratio == pytest.approx([1, 0], abs=1e-6)
        assert np.diff(found.points[:, 0, 0]) == pytest.approx([8**0.5] * 2, abs=1e-5)


def parts_of(model: Bert, layer: int) -> dict[str, np.ndarray]:
    before = f"layer.{layer - 1}.output" if layer else "embeddings.output"
    here = f"layer.{layer}"
    names = (before, f"{here}.attention.output", f"{here}.middle", f"{here}.feed_forward.output", f"{here}.output")
    found = activations(model, pair_text(model), names)
    return dict(zip(("x", "attention", "m", "feed_forward", "y"), (found[name] for name in names), strict=True))


def normed(values: np.ndarray, norm: object, epsilon: float) -> np.ndarray:
    centred = values - values.mean(-1, keepdims=True)
    unit = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return unit * norm.weight.numpy() + norm.bias.numpy()  # type: ignore[attr-defined]


class TestResidualStream:
    @pytest.mark.parametrize("name", SHAPES)
    def test_what_is_added_makes_the_next_hidden_state(self, name: str) -> None:
        model = family_model(name)
        for index in range(3):
            parts, layer, epsilon = parts_of(model, index), model.encoder.layer(index), model.config.layer_norm_eps
            middle, leaving = parts["x"] + parts["attention"], parts["m"] + parts["feed_forward"]
            if name != "pre-norm":
                middle = normed(middle, layer.attention_norm, epsilon)
                leaving = normed(leaving, layer.feed_forward_norm, epsilon)
            assert np.abs(middle - parts["m"]).max() <= 1e-5
            assert np.abs(leaving - parts["y"]).max() <= 1e-5

    @pytest.mark.parametrize("name", SHAPES)
    def test_lengths_and_cosines_by_hand(self, name: str) -> None:
        model = family_model(name)
        found = residual_stream(model, pair_text(model))
        assert found.entering.shape == (3, len(PAIR))
        for index in range(3):
            parts, row = parts_of(model, index), 5
            for there, added in (("x", "attention"), ("m", "feed_forward")):
                before, new = parts[there][row].astype(float), parts[added][row].astype(float)
                sizes = np.linalg.norm(before), np.linalg.norm(new)
                stream = found.entering if there == "x" else found.middle
                assert stream[index, row] == pytest.approx(sizes[0], rel=1e-5)
                assert getattr(found, added)[index, row] == pytest.approx(sizes[1], rel=1e-5)
                cosine = getattr(found, f"{added}_cosine")[index, row]
                assert cosine == pytest.approx(before @ new / sizes[0] / sizes[1], abs=1e-5)

    def test_a_word_of_several_pieces_is_their_mean(self) -> None:
        model = tiny_model()
        found = residual_stream(model, pair_text(model), members=[[1], [4, 5, 6]])
        parts = parts_of(model, 0)
        assert found.attention.shape == (2, 2)
        assert found.attention[0, 1] == pytest.approx(np.linalg.norm(parts["attention"][4:7].mean(0)), rel=1e-5)

    def test_it_measures_what_a_change_left(self) -> None:
        model = tiny_model()
        found = residual_stream(model, pair_text(model), changes=ablate(layers_off=[0]))
        assert found.entering[1] == pytest.approx(found.entering[0], rel=1e-5)  # layer 1 left what entered it


class TestOneWord:
    @pytest.mark.parametrize(
        ("text", "word", "positions"),
        [
            ("The cat sat on the mat.", "cat", [2]),
            ("The cat sat. A CAT sang.", " Cat ", [2]),
            ("It was comfortable!", "comfortable", [3, 4]),
            ("The cats sat.", "cat", []),
            ("The cat sat.", "", []),
        ],
    )
    def test_where_a_word_stands(self, text: str, word: str, positions: list[int]) -> None:
        assert word_positions(TOKENIZER.encode(text), word) == positions

    @pytest.mark.parametrize("name", SHAPES)
    def test_its_states_are_those_of_a_trace_of_each_sentence(self, name: str) -> None:
        model = family_model(name)
        shares: list[float] = []
        sentences = ["The cat sat.", "A dog!", "It was a very comfortable cat."]
        found = word_in_sentences(model, TOKENIZER, "cat", sentences, shares.append)
        assert found.sentences == [0, 2] and found.pieces == [["cat"], ["cat"]]
        assert shares == sorted(shares) and shares[-1] == 1
        for use, sentence in enumerate(found.sentences):
            encoding = TOKENIZER.encode(sentences[sentence])
            states = trace(model, encoding.ids, segments_for(model, encoding)).hidden_states
            row = encoding.labels.index("cat")
            assert np.abs(found.vectors[:, use] - states[:, row]).max() <= 1e-5
        expected = cosines_of(found.vectors)
        assert np.abs(found.cosines - expected).max() <= 1e-6

    def test_several_pieces_are_averaged(self) -> None:
        model = tiny_model()
        found = word_in_sentences(model, TOKENIZER, "comfortable", ["It was comfortable!"])
        states = trace(model, (e := TOKENIZER.encode("It was comfortable!")).ids, e.segments).hidden_states
        assert np.abs(found.vectors[:, 0] - states[:, 3:5].mean(axis=1)).max() <= 1e-5

    def test_no_sentence_with_the_word_is_an_error_that_names_it(self) -> None:
        with pytest.raises(BertcoreError, match="No sentence contains the word “bird”"):
            word_in_sentences(tiny_model(), TOKENIZER, "bird", ["The cat sat."])

    def test_meanings_part_where_groups_are_furthest_apart(self) -> None:
        cosines = np.ones((3, 4, 4))
        cosines[1, :2, 2:] = cosines[1, 2:, :2] = 0.2  # apart by 0.8 at layer 1
        cosines[2, :2, 2:] = cosines[2, 2:, :2] = 0.1
        cosines[2, 0, 1] = cosines[2, 1, 0] = 0.4  # within: (0.4 + 1) / 2; apart by 0.6
        found = group_similarity(cosines, [1, 1, 2, 2])
        assert found.within == pytest.approx([1, 1, 0.7])
        assert found.between == pytest.approx([1, 0.2, 0.1])
        assert found.layer == 1

    def test_one_group_and_single_uses_have_nothing_to_part(self) -> None:
        cosines = np.ones((2, 2, 2))
        assert (
            group_similarity(cosines, [1, 1]).layer is None
            and np.isnan(group_similarity(cosines, [1, 1]).between).all()
        )
        assert (
            group_similarity(cosines, [1, 2]).layer is None and np.isnan(group_similarity(cosines, [1, 2]).within).all()
        )
