"""A data set as the unit: against scikit-learn, scipy and predictions one by one."""

import numpy as np
import pytest
from scipy.stats import binomtest, false_discovery_control, fisher_exact
from sklearn.metrics import confusion_matrix, precision_recall_curve

from bertcore.checkpoint.checkpoint import checkpoint_in_memory
from bertcore.errors import BertcoreError
from bertcore.evidence.examples import AnsweredExamples, flips, two_models
from bertcore.evidence.scoring import TaskExamples
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import predict
from tests.engine.models import tiny_model, word_tokenizer
from tests.engine.test_evidence_states import CHECKPOINT, sentences

LABELS = ("bad", "good", "so")
MODELS = [
    checkpoint_in_memory(tiny_model(("classify",), seed=seed, labels=LABELS), word_tokenizer(), "tiny")
    for seed in (0, 1)
]
TEXTS = [row.text for row in sentences(count=150).rows]
RIGHT = [("good" if "cat" in text else "bad" if "dog" in text else "so") for text in TEXTS]
EXAMPLES = [TextExample(text, None, label) for text, label in zip(TEXTS, RIGHT, strict=True)]
FIRST, SECOND = (
    AnsweredExamples(scored := TaskExamples(model, EXAMPLES, "examples", "sha"), scored.answers()) for model in MODELS
)
GIVEN = [each.answer for each in predict(MODELS[0], EXAMPLES)]


def test_rows_and_cells_are_those_of_the_confusion_matrix():
    rows = FIRST.rows()
    assert [row["given"] for row in rows] == GIVEN and [row["text"] for row in rows] == TEXTS
    table = [[len(FIRST.cell(right, given)) for given in LABELS] for right in LABELS]
    assert table == confusion_matrix(RIGHT, GIVEN, labels=list(LABELS)).tolist()
    pairs = enumerate(zip(RIGHT, GIVEN, strict=True))
    assert [row["example"] for row in FIRST.cell("good", "so")] == [at for at, pair in pairs if pair == ("good", "so")]


def test_slices_against_the_rest():
    found = FIRST.slices()
    is_right = np.array(RIGHT) == np.array(GIVEN)
    has = {
        "word": lambda name, text, label: name in text.rstrip(".").split(),
        "label": lambda name, text, label: name == label,
    }
    raw = {"word": [], "label": []}
    for each in found:
        if each.by == "length":
            low, high = (int(part) for part in each.name.split(" to "))
            here = np.array([low <= len(text.split()) <= high for text in TEXTS])
        else:
            here = np.array([has[each.by](each.name, text, label) for text, label in zip(TEXTS, RIGHT, strict=True)])
            table = [[(part & is_right).sum(), (part & ~is_right).sum()] for part in (here, ~here)]
            raw[each.by].append((fisher_exact(table).pvalue, each.p))
        assert each.count == here.sum() and each.value == pytest.approx(is_right[here].mean())
        assert each.others_right == pytest.approx(is_right[~here].mean())
        assert each.loss == pytest.approx(FIRST.answers.loss[here].mean())
    for pairs in raw.values():
        alone, corrected = zip(*pairs, strict=True)
        np.testing.assert_allclose(false_discovery_control(alone), corrected)
    assert sum(each.count for each in found if each.by == "length") == 150


def test_thresholds_are_those_of_scikit_learn():
    found = FIRST.threshold("good")
    likely = [each.probabilities["good"] for each in predict(MODELS[0], EXAMPLES)]
    precision, recall, thresholds = precision_recall_curve(np.array(RIGHT) == "good", likely)
    np.testing.assert_allclose(found.thresholds, thresholds)
    np.testing.assert_allclose(found.precision, precision[:-1])
    np.testing.assert_allclose(found.recall, recall[:-1])
    with pytest.raises(BertcoreError, match="No example has the label 'nothing'"):
        FIRST.threshold("nothing")


def test_two_models_by_mcnemar():
    found = two_models(FIRST.answers, SECOND.answers)
    one, two = FIRST.answers.is_right, SECOND.answers.is_right
    assert found.only_first == tuple(np.flatnonzero(one & ~two))
    assert found.only_second == tuple(np.flatnonzero(two & ~one))
    assert found.p == binomtest(len(found.only_first), len(found.only_first + found.only_second)).pvalue
    assert found.difference.value == pytest.approx(two.mean() - one.mean())
    with pytest.raises(BertcoreError, match="different examples"):
        two_models(FIRST.answers, FIRST.scored.answers(rows=np.arange(5)))


def test_flips_are_all_that_change_the_answer():
    example = TextExample("the cat sat.")
    words = ["dog", "bird", "very", "was", "cat", "it", "on"]
    found = flips(MODELS[0], example, words)
    before = predict(MODELS[0], [example])[0].answer
    expected = set()
    for at, old in ((0, "the"), (4, "cat"), (8, "sat")):
        for word in words:
            other = TextExample(example.text_a[:at] + word + example.text_a[at + len(old) :])
            said = predict(MODELS[0], [other])[0].answer
            expected |= {(at, word, said)} if said != before and word != old else set()
    assert {(each.position, each.instead, each.answer) for each in found} == expected and expected
    guessed = flips(MODELS[0], example, CHECKPOINT)
    assert [each.likely for each in guessed] == sorted([each.likely for each in guessed], key=lambda each: -(each or 0))
    with pytest.raises(BertcoreError, match="labels something else"):
        flips(MODELS[0], TaggedExample(("a",)), words)
    with pytest.raises(BertcoreError, match="no masked-word"):
        flips(MODELS[0], example, MODELS[1])
