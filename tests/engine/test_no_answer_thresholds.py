"""The best threshold for "no answer", against a search that tries every one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.span import AnswerExample, Span, best_thresholds
from bertcore.tasks.predict import evaluate_task
from tests.engine.models import tiny_model, word_tokenizer

TEXTS = ["Rome", "in Rome", "the", "a big cat", "", "cat"]
QUESTIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([text for text in TEXTS if text]), max_size=2),  # accepted; none: no answer
        st.sampled_from(TEXTS),
        st.sampled_from([-3.0, -0.5, 0.0, 0.25, 2.0, math.inf]),  # few, so that some are equal
    ).map(lambda question: (question[0] and ["Rome"], "", math.inf) if question[2] == math.inf else question),
    min_size=1,
    max_size=12,
)


def score_at(threshold: float, metric: str, questions: list[tuple[list[str], str, float]]) -> float:
    """`apply_no_ans_threshold` and `make_eval_dict` of the SQuAD 2.0 script, question by question."""
    scores = []
    for accepted, span, lead in questions:
        given_one = Span().measure([accepted], [span], [])[metric]
        scores.append(float(not accepted) if lead > threshold else given_one)
    return sum(scores) / len(scores)


@pytest.mark.parametrize("metric", ["exact_match", "f1"])
@given(questions=QUESTIONS)
def test_no_threshold_does_better(metric: str, questions: list[tuple[list[str], str, float]]) -> None:
    found = best_thresholds(*zip(*questions, strict=True))
    tried = [score_at(threshold, metric, questions) for threshold in (-99.0, *(lead for _, _, lead in questions))]
    assert found[f"best_{metric}"] == pytest.approx(max(tried))
    threshold = found[f"best_{metric}_threshold"]
    assert math.isfinite(threshold) and score_at(threshold, metric, questions) == pytest.approx(max(tried))


def test_by_hand() -> None:
    """Right at -2, wrong at -1, nothing to find at 0, partly right at 1."""
    gold = [("Rome",), ("four",), (), ("a cat", "cats sat")]
    found = best_thresholds(gold, ["Rome", "five", "Paris", "cats"], [-2.0, -1.0, 0.0, 1.0])
    assert found == {
        "best_exact_match": 0.5,  # the first right, and the third by silence
        "best_exact_match_threshold": -2.0,
        "best_f1": 0.5,  # to reach the fourth's 2/3 costs the third
        "best_f1_threshold": -2.0,
    }
    assert best_thresholds([()], ["Rome"], [3.0])["best_f1_threshold"] == 2.0  # below all: silence is always right


def test_an_evaluation_tells_it() -> None:
    tokenizer = word_tokenizer()
    passage = "the cat sat on the mat"
    examples = [
        AnswerExample("1", "the cat", passage, (("mat", passage.index("mat")),)),
        AnswerExample("2", "on the mat", passage),
    ]
    model = tiny_model(["span"], no_answer=True)
    features = make_features("span", examples, tokenizer, max_length=24, stride=8)
    metrics = evaluate_task(model, TaskBatches(features, 2, tokenizer.pad_id)).metrics
    assert metrics["best_f1"] >= max(metrics["f1"], 0.5) and metrics["best_exact_match"] >= metrics["exact_match"]
    with_answers = make_features("span", examples[:1], tokenizer, max_length=24, stride=8)
    metrics = evaluate_task(model, TaskBatches(with_answers, 2, tokenizer.pad_id)).metrics
    assert not any(name.startswith("best") for name in metrics)
