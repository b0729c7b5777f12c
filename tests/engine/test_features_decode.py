"""Scores back to answers: whichever way the batches were cut, in NumPy or torch."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch

from bertcore.model.output_heads import LinearChainCrf
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, Example, Features
from bertcore.tasks.kinds.choice import ChoiceExample, ChoicePrediction
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import right_answers
from tests.engine.models import decode, word_tokenizer

TEXTS: list[Example] = [TextExample("the cat"), TextExample("a dog sat"), TextExample("it was")]
LABELS = ("a", "b", "c")


def features_of(kind: Any, examples: list[Example], labels: tuple[str, ...] = LABELS, most: int = 20) -> Features:
    return make_features(kind, examples, word_tokenizer(), labels, max_length=most)


class TestLabels:
    def test_probabilities_and_order(self) -> None:
        scores = torch.tensor([[0.0, 1.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, math.log(2)]], dtype=torch.bfloat16)
        outputs = [(np.array([2, 0]), scores[[2, 0]]), (np.array([1]), scores[[1]])]
        found = decode(features_of("classify", TEXTS), outputs)
        assert [prediction.answer for prediction in found] == ["b", "a", "c"]
        assert isinstance(found[2], LabelPrediction)
        assert dict(found[2].probabilities) == pytest.approx({"a": 0.25, "b": 0.25, "c": 0.5}, abs=2e-3)

    def test_every_label_above_the_threshold(self) -> None:
        scores = np.array([[0.0, -0.1, 2.0], [-1, -1, -1], [5, 5, 5]])
        outputs = [(np.arange(3), scores)]
        features = features_of("multilabel", TEXTS)
        assert [p.answer for p in decode(features, outputs)] == [("a", "c"), (), LABELS]
        first = decode(features, outputs)[0]
        assert isinstance(first, LabelSetPrediction)
        assert first.probabilities["c"] == pytest.approx(1 / (1 + math.exp(-2)))

    def test_numbers(self) -> None:
        outputs = [(np.array([1, 0]), torch.tensor([[2.5], [-1.0]])), (np.array([2]), np.array([[0.0]]))]
        assert [p.answer for p in decode(features_of("regress", TEXTS), outputs)] == [-1.0, 2.5, 0.0]

    def test_choices_of_unlike_number(self) -> None:
        examples: list[Example] = [ChoiceExample("a", ("b", "c")), ChoiceExample("a", ("b", "c", "d"))]
        outputs = [(np.array([1]), np.array([[0.0, 0, math.log(8)]])), (np.array([0]), np.array([[1.0, 0]]))]
        found = decode(features_of("choice", examples), outputs)
        assert [p.answer for p in found] == [0, 2] and isinstance(found[1], ChoicePrediction)
        assert found[1].probabilities == pytest.approx((0.1, 0.1, 0.8))

    def test_scores_that_are_missing(self) -> None:
        with pytest.raises(ValueError, match="no logits for 1 of 3, the first of them number 1"):
            decode(features_of("classify", TEXTS), [(np.array([0, 2]), np.zeros((2, 3)))])


class TestTags:
    """[CLS] the comfort ##able cat [SEP] and [CLS] a bird sang very [SEP], of five words."""

    examples: tuple[Example, ...] = (
        TaggedExample(("the", "comfortable", "cat")),
        TaggedExample(("a", "bird", "sang", "very", "comfortable")),
    )

    def scores(self) -> np.ndarray:
        best = np.array([[3, 0, 1, 3, 2, 3], [3, 2, 1, 0, 1, 3]])
        return np.where(np.arange(4) == best[:, :, None], math.log(3), 0.0)

    def test_the_first_piece_decides(self) -> None:
        features = features_of("tag", list(self.examples), (*LABELS, "d"), most=6)
        found = decode(features, [(np.array([1, 0]), self.scores()[::-1])])
        assert [p.answer for p in found] == [("a", "b", "c"), ("c", "b", "a", "b", "O")]
        [first, second] = found
        assert isinstance(first, TagsPrediction) and isinstance(second, TagsPrediction)
        assert (first.words_cut, second.words_cut) == (0, 1)
        assert first.probabilities == pytest.approx((0.5,) * 3) and second.probabilities[-1] == 0

    def test_a_crf_that_forbids_a_move(self) -> None:
        features = features_of("tag", list(self.examples), (*LABELS, "d"), most=6)
        crf = LinearChainCrf(4)
        with torch.no_grad():
            for parameter in crf.parameters():
                parameter.zero_()
            next(p for p in crf.parameters() if p.shape == (4, 4))[0, 1] = -9.0  # a, then b
        found = decode(features, [(np.array([0, 1]), torch.tensor(self.scores()).float())],
                       DecodeSettings(crf=crf))  # fmt: skip
        first, second = (prediction.answer for prediction in found)
        assert first in [("a", tag, "c") for tag in "acd"] + [(tag, "b", "c") for tag in "bcd"]
        assert second in [("c", "b", tag, "b", "O") for tag in "bcd"] + [("c", "b", "a", tag, "O") for tag in "acd"]

    def test_a_crfs_probabilities_are_over_all_sequences(self) -> None:
        """Words stand at tokens 1, 2 and 4: all 64 sequences of four tags, added up by hand."""
        features = features_of("tag", list(self.examples), (*LABELS, "d"), most=6)
        crf, words = LinearChainCrf(4), [1, 2, 4]
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in crf.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        scores = torch.tensor(self.scores()).float()
        settings = DecodeSettings(crf=crf)
        found = decode(features, [(np.array([0, 1]), scores)], settings)[0]
        weights = {}
        with torch.no_grad():
            for tags in itertools.product(range(4), repeat=3):
                moves = sum(crf.transitions[one, other] for one, other in itertools.pairwise(tags))
                emitted = sum(scores[0, word, tag] for word, tag in zip(words, tags, strict=True))
                weights[tags] = math.exp(crf.start[tags[0]] + moves + emitted + crf.end[tags[2]])
        best = max(weights, key=weights.__getitem__)
        assert isinstance(found, TagsPrediction) and found.tags == tuple("abcd"[tag] for tag in best)
        share = [sum(w for tags, w in weights.items() if tags[i] == best[i]) / sum(weights.values()) for i in range(3)]
        assert found.probabilities == pytest.approx(share, rel=1e-5)


def test_right_answers_in_the_form_of_predictions() -> None:
    examples: list[Example] = [
        TextExample("a", None, "x"), TaggedExample(("a",), ("O",)), TaggedExample(("a",)), ChoiceExample("a", ("b",), 0)
    ]  # fmt: skip
    assert right_answers(examples) == ["x", ("O",), None, 0]
