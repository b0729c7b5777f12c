"""Metrics: against the libraries' own numbers, SQuAD's rules by hand, entities against seqeval."""

import random
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.limits import CONFUSION_LABELS
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS, make_features
from bertcore.tasks.kinds.span import exact_match, normalised, word_f1
from bertcore.tasks.kinds.tag import entity_scores
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import confusion, evaluate_task, measure, ranked
from tests.engine.models import tiny_model, word_tokenizer

BIO = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
IOBES = (*BIO, "E-PER", "S-PER", "E-LOC", "S-LOC")


class TestLabels:
    def test_more_labels_have_no_single_f1_and_one_that_does_not_occur_counts_for_nothing(self):
        """Everything right was .667 where the held-out part had two of the three labels."""
        found = measure("classify", ["a", "b", "c"], ["a", "b", "b"], ("a", "b", "c"))
        assert "f1" not in found and found["f1_macro"] == pytest.approx((1 + 2 / 3 + 0) / 3)
        assert measure("classify", ["a", "b"], ["a", "b"], ("a", "b", "c"))["f1_macro"] == 1.0
        found = measure("multilabel", [("a",), ("b",)], [("a",), ("b",)], ("a", "b", "c"))
        assert found["f1_macro"] == 1.0 and measure("multilabel", [()], [()], ("a",))["f1_macro"] == 0.0

        assert measure("choice", [0, 1, 2, 3], [0, 1, 2, 0]) == {"accuracy": 0.75}


class TestAsTheLibraries:
    """On random answers, the same numbers as scikit-learn, which the program does not need, and rouge-score."""

    @pytest.mark.parametrize("seed", range(12))
    def test_labels_as_sklearn(self, seed):
        from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, matthews_corrcoef

        rng = random.Random(seed)
        labels = [f"l{number}" for number in range(rng.randint(2, 5))]
        gold, other = (rng.choices(labels[: rng.randint(1, len(labels))], k=30) for _ in range(2))
        given = [right if rng.random() < 0.5 else wrong for right, wrong in zip(gold, other, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about labels that never occur
            macro = f1_score(gold, given, average="macro", zero_division=0)  # over the labels that occur
            expected = {
                "accuracy": accuracy_score(gold, given),
                "f1_macro": macro,
                "matthews_correlation": matthews_corrcoef(gold, given),
            }
            if len(labels) == 2:
                expected["f1"] = f1_score(gold, given, labels=labels[1:], average="macro", zero_division=0)
            table = confusion_matrix(gold, given, labels=labels)
        assert measure("classify", gold, given, labels) == pytest.approx(expected)
        assert confusion(gold, given, labels).tolist() == table.tolist()

    @pytest.mark.parametrize("seed", range(6))
    def test_sets_of_labels_as_sklearn(self, seed):
        from sklearn.metrics import accuracy_score, f1_score

        rng = random.Random(seed)
        labels = ("a", "b", "c", "d")[: rng.randint(2, 4)]  # of one column sklearn would count both answers
        sides = [[tuple(label for label in labels if rng.random() < 0.4) for _ in range(20)] for _ in range(2)]
        right, given = (np.array([[label in row for label in labels] for row in side]) for side in sides)
        expected = {f"f1_{kind}": f1_score(right, given, average=kind, zero_division=0) for kind in ("micro", "macro")}
        expected["accuracy"] = accuracy_score(right, given)
        assert measure("multilabel", *sides, labels) == pytest.approx(expected)

    def test_summaries_as_rouge_score(self):
        """With stems, and the mean over the documents."""
        from rouge_score.rouge_scorer import RougeScorer

        sides = ["The mills burned\n7,000 fires", "the town's mill"], ["A mill burns\nfire", "mills of the town"]
        scores = [RougeScorer(["rougeLsum"], use_stemmer=True).score(*pair) for pair in zip(*sides, strict=True)]
        found = measure("summarise", *sides)
        assert found["rougeLsum"] == pytest.approx(np.mean([score["rougeLsum"].fmeasure for score in scores]))
        assert set(found) == {"rouge1", "rouge2", "rougeL", "rougeLsum"} and 0 < found["rouge2"] < found["rouge1"] < 1


def test_numbers():
    """A monotone curve; and constant predictions, which have no correlation, without a NaN."""
    gold = [0.0, 1.0, 2.0, 3.0]
    found = measure("regress", gold, [0.0, 1.0, 4.0, 9.0])
    assert found["spearmanr"] == pytest.approx(1.0) and found["mse"] == pytest.approx((4 + 36) / 4)
    assert found["pearson"] == pytest.approx(np.corrcoef(gold, [0, 1, 4, 9])[0, 1]) and found["pearson"] < 0.97
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measure("regress", [1.0, 2.0], [3.0, 3.0]) == {"pearson": 0.0, "spearmanr": 0.0, "mse": 2.5}
        assert measure("regress", [1.0], [3.0])["pearson"] == 0.0


class TestEntities:
    @pytest.mark.parametrize("labels", [BIO, IOBES])
    def test_as_seqeval(self, labels):
        seqeval = pytest.importorskip("seqeval.metrics")
        rng = random.Random(0)
        for _ in range(60):
            both = [[[rng.choice(labels) for _ in range(length)] for length in (7, 1, 12)] for _ in range(2)]
            gold, predicted = both
            for tags, other in zip(gold, predicted, strict=True):  # so that some are right
                other[: len(other) // 2] = tags[: len(other) // 2]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = seqeval.classification_report(gold, predicted, output_dict=True, zero_division=0)
                accuracy = seqeval.accuracy_score(gold, predicted)
            found = measure("tag", [tuple(tags) for tags in gold], [tuple(tags) for tags in predicted], labels)
            names = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
            every = {ours: report["micro avg"][theirs] for ours, theirs in names.items()}
            assert found == pytest.approx({"accuracy": accuracy, **every})
            for kind in {tag[2:] for tags in gold for tag in tags} - {""}:  # of one type alone
                alone = ([[tag if tag[2:] == kind else "O" for tag in tags] for tags in side] for side in both)
                scores = (report[kind][name] for name in names.values())
                assert tuple(entity_scores(*alone).values()) == pytest.approx(tuple(scores))

    def test_nothing_found_is_zero(self):
        gold = [("B-PER", "I-PER")]
        assert measure("tag", gold, [("O", "O")], BIO) == {"accuracy": 0, "precision": 0, "recall": 0, "f1": 0}
        assert measure("tag", gold, gold, BIO)["f1"] == 1
        assert measure("tag", gold, [("B-PER", "O")], BIO)["f1"] == 0  # half an entity is none

    def test_what_is_found_and_what_is_there_by_hand(self):
        found = measure("tag", [("B-PER", "O", "B-PER", "O")], [("B-PER", "O", "O", "O")], BIO)
        assert (found["precision"], found["recall"], found["f1"]) == (1.0, 0.5, pytest.approx(2 / 3))

    def test_tags_that_mark_no_entities(self):
        assert measure("tag", [("NN", "VB")], [("NN", "NN")], ("NN", "VB")) == {"accuracy": 0.5}
        assert measure("tag", [("NN", "VB")], [("NN", "O")], ("NN", "VB")) == {"accuracy": 0.5}
        table = confusion([("NN", "VB"), ("VB",)], [("NN", "NN"), ("O",)], ("NN", "VB"))  # it counts words
        assert table.tolist() == [[1, 0], [1, 0]]


class TestAnswers:
    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            ("The \n\tcat.", "cat"),
            ("an apple, a day", "apple day"),
            ("U.S.A.", "usa"),
            ("a-b the-c", "ab thec"),  # marks go first, so that "the" is no word any more
            ("“Quoted”", "“quoted”"),  # only ASCII marks go
            ("the", ""),
        ],
    )
    def test_normalised(self, text, plain):
        assert normalised(text) == plain

    def test_f1_counts_words_as_often_as_both_have_them(self):
        assert word_f1("the cat the cat sat", "cat cat cat") == pytest.approx(2 * 2 / (3 + 3))
        assert word_f1("cat", "dog") == word_f1("cat", "") == word_f1("", "cat") == 0 and word_f1("", "the") == 1
        assert exact_match("The cat", "cat!") == 1 and exact_match("cat", "cats") == 0

    def test_the_best_of_several_texts_and_questions_without_an_answer(self):
        found = measure("span", [("in Rome", "Rome, Italy"), ("four",)], ["rome italy", "five four"])
        assert found == pytest.approx({"exact_match": 0.5, "f1": (1 + 2 / 3) / 2})
        found = measure("span", [("Rome",), (), (), ("a big cat",)], ["Rome", "", "Rome", ""])
        names = ("exact_match", "f1", "no_answer_accuracy", "has_answer_exact_match", "has_answer_f1")
        assert found == pytest.approx(dict.fromkeys(names, 0.5))
        assert measure("span", [()], [""]) == {"exact_match": 1.0, "f1": 1.0, "no_answer_accuracy": 1.0}


def test_summaries_by_hand():
    """Words cats, chase, mice | mice, chase, cats: all words shared, no pair, one word in order."""
    found = measure("summarise", ["cats chase mice"], ["mice chase cats"])
    assert found == pytest.approx({"rouge1": 1.0, "rouge2": 0.0, "rougeL": 1 / 3, "rougeLsum": 1 / 3})
    found = measure("summarise", ["birds sang songs\ncats chase mice"], ["cats chase mice\nbirds sang songs"])
    assert found["rougeLsum"] == pytest.approx(1.0) and found["rougeL"] == pytest.approx(0.5)  # the order of lines
    assert measure("summarise", ["cats sang", "dogs"], ["cats sang", ""])["rouge1"] == pytest.approx(0.5)


def test_without_rouge_score_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    assert measure("summarise", ["cats sang"], ["cats sang"]) == {}
    assert "pip install bertscope[summaries]" in TASK_KINDS["summarise"].lacks()
    assert not TASK_KINDS["classify"].lacks()


@given(losses=st.lists(st.floats(0, 9) | st.just(float("nan")), max_size=20), k=st.integers(0, 8))
def test_the_best_and_the_worst(losses, k):
    best, worst = ranked(losses, k)
    known = {i: loss for i, loss in enumerate(losses) if loss == loss}
    assert not set(best) & set(worst) and len(best) + len(worst) == min(2 * k, len(known))
    assert 0 <= len(best) - len(worst) <= 1
    in_order = sorted(known, key=lambda i: (known[i], i))
    assert best == in_order[: len(best)]
    assert [known[i] for i in worst] == sorted(known.values(), reverse=True)[: len(worst)]


def test_what_cannot_be_compared():
    for right, answers, says in (
        ([], [], "0 right answers"),
        ([1, 2], [1], "2 right answers for 1"),
        ([1, None], [1, 1], "Example 2 has no right answer"),
    ):
        with pytest.raises(BertcoreError, match=says):
            measure("choice", right, answers)
    with pytest.raises(ValueError, match="no kind"):
        measure("clasify", ["a"], ["a"])


@pytest.mark.parametrize("count", [CONFUSION_LABELS, CONFUSION_LABELS + 1])
def test_thousands_of_labels_have_no_confusion_matrix(count):
    """Of 5,000 labels it would be a file of 225 MB, most of it zeros."""
    labels = tuple(f"label {number}" for number in range(count))
    tokenizer = word_tokenizer()
    examples = [TextExample("the cat", label=labels[0]), TextExample("a dog sat", label=labels[-1])]
    features = make_features("classify", examples, tokenizer, labels, max_length=24)
    model = tiny_model(["classify"], labels=labels)
    evaluation = evaluate_task(model, TaskBatches(features, 2, tokenizer.pad_id))
    assert (evaluation.confusion is None) == (count > CONFUSION_LABELS)
    assert evaluation.labels == labels and "accuracy" in evaluation.metrics
