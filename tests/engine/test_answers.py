"""Answers in passages: windows as `transformers` cuts them, the best span, and the best threshold for "no answer"."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bertcore.errors import BertcoreError
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings
from bertcore.tasks.kinds.span import AnswerExample, Span, best_span, best_thresholds, no_answer_score, windows
from bertcore.tasks.predict import evaluate_task
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.family_tokenizers import WRITERS
from tests.engine.models import decode, tiny_model, word_tokenizer

PASSAGE = "The cat  sat on the garçon's mat, and (so) the été was 3.14 U.S.A. naïve; the 日本語 cat 🙂 sat. "
QUESTION = "what did the cat do?"
FAMILIES = ["bert, cased", "roberta", "xlm-roberta", "albert"]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    from transformers import AutoTokenizer

    made = {}
    for i, family in enumerate(FAMILIES):
        folder = tmp_path_factory.mktemp("families") / str(i)
        WRITERS[family](folder)
        made[family] = Tokenizer.from_folder(folder), AutoTokenizer.from_pretrained(folder)
    return made


def features_of(tokenizer, *examples, **settings):
    return make_features("span", examples, tokenizer, **{"max_length": 384, **settings})


@pytest.mark.parametrize("family", FAMILIES)
class TestAgainstTransformers:
    def test_windows(self, pairs, family):
        """Its `stride` is what two windows share; ours, the paper's code's, is how far one begins behind the other."""
        ours, theirs = pairs[family]
        text, most, stride = PASSAGE * 3, 60, 11
        found = features_of(ours, AnswerExample("1", QUESTION, text), max_length=most, stride=stride)
        room = int(found.passage[0, 1])
        expected = theirs(
            QUESTION, text, truncation="only_second", max_length=most, stride=room - stride,
            return_overflowing_tokens=True, return_offsets_mapping=True, return_token_type_ids=True,
        )  # fmt: skip
        assert [row.tolist() for row in found.ids] == expected["input_ids"] and len(found.ids) > 5
        if family != "xlm-roberta":  # its later windows get a 1 there, though the first and every short pair get none
            assert [row.tolist() for row in found.segments] == expected["token_type_ids"]
        for window, offsets in enumerate(expected["offset_mapping"]):
            sequence = expected.sequence_ids(window)
            inside = found.in_passage(np.array([window]), len(sequence) + 3)[0]
            assert inside.tolist() == [part == 1 for part in sequence] + [False] * 3
            for place in np.flatnonzero(inside):
                begin, end = offsets[place]
                assert found.text(window, place, place)[0] == text[begin:end].strip()

    @pytest.mark.parametrize("answer", ["garçon's mat", "3.14", "日本", "The cat", "sat. ", "🙂", "at"])
    def test_answers_are_the_tokens_at_them(self, pairs, family, answer):
        ours, theirs = pairs[family]
        start = PASSAGE.index(answer)
        example = AnswerExample("1", QUESTION, PASSAGE, ((answer, start), ("The", 0)))
        found = features_of(ours, example, max_length=36, stride=5)
        cut = {"max_length": 36, "stride": int(found.passage[0, 1]) - 5, "return_overflowing_tokens": True}
        expected = theirs(QUESTION, PASSAGE, truncation="only_second", return_offsets_mapping=True, **cut)
        whole = theirs([QUESTION], [PASSAGE], return_offsets_mapping=True)

        def touching(encoding, window):
            """Tokens of the passage that share a character with the answer."""
            spans = zip(encoding["offset_mapping"][window], encoding.sequence_ids(window), strict=True)
            return [at for at, ((a, b), part) in enumerate(spans) if part == 1 and a < end and b > start and a < b]

        end, held = start + len(answer), 0
        for window in range(len(found.ids)):
            touched = touching(expected, window)
            is_held = len(touched) == len(touching(whole, 0))
            assert found.answers[window].tolist() == ([touched[0], touched[-1]] if is_held else [0, 0])
            held += is_held
            if is_held:
                text, begin, stop = found.text(window, *found.answers[window].tolist())
                assert PASSAGE[begin:stop] == text and answer.strip() in text
        assert held > 0 and len(found.ids) > 1


class TestWindows:
    @given(tokens=st.integers(0, 60), room=st.integers(1, 20), stride=st.integers(1, 30))
    def test_every_token_is_seen_and_none_without_need(self, tokens, room, stride):
        found = list(windows(tokens, room, stride))
        assert set().union(*(range(first, first + count) for first, count in found)) == set(range(tokens))
        assert all(count == room for _, count in found[:-1]) and found[-1][1] <= room
        steps = np.diff([first for first, _ in found])
        assert (steps == min(room, stride)).all() and sum(found[-1]) == tokens
        assert all(sum(window) < tokens for window in found[:-1])

    def test_a_passage_that_fits_is_one_window_and_an_empty_one_has_no_answer(self):
        example = AnswerExample("1", "the cat", "the cat sat on", (("sat on", 8),))
        found = features_of(word_tokenizer(), example, max_length=9)
        assert len(found.ids) == 1 and found.answers.tolist() == [[6, 7]]
        assert found.ids[0].tolist() == word_tokenizer().encode("the cat", "the cat sat on").ids
        found = features_of(word_tokenizer(), AnswerExample("1", "the cat", ""))
        assert found.answers.tolist() == [[0, 0]] and found.passage.tolist() == [[4, 0, 0]]
        [prediction] = decode(found, [(np.array([0]), np.ones((1, 5, 2)))])
        assert prediction.answer == ""

    def test_a_long_question_loses_its_end(self):
        example = AnswerExample("1", "the " * 70, "a bird sang")
        found = features_of(word_tokenizer(), example, max_length=384)
        assert found.passage.tolist() == [[66, 3, 0]]
        short = features_of(word_tokenizer(), example, max_length=15, stride=5)
        assert short.passage.tolist() == [[8, 3, 0]]

    @pytest.mark.parametrize(
        ("answer", "settings", "message"),
        [
            (("dog", 4), {}, "Example 1 .q7.*“dog” is not at character 4"),
            (("the", -3), {}, "is not at character -3"),
            (("the", 0), {"max_length": 4}, "A window of 4 tokens"),
            (("the", 0), {"stride": 0}, "a stride of 0"),
        ],
    )
    def test_what_does_not_fit(self, answer, settings, message):
        with pytest.raises(BertcoreError, match=message):
            features_of(word_tokenizer(), AnswerExample("q7", "the", "the cat the", (answer,)), **settings)
        with pytest.raises(BertcoreError, match="longest answer is set to 0 tokens"):
            best_span(np.zeros((3, 2)), np.ones(3, dtype=bool), 0)


class TestDecoding:
    """Two questions of several windows; scores are zero but where a test sets them."""

    def setup_method(self):
        self.passage = "the cat sat on the mat . a bird sang very very comfortable"
        self.features = features_of(
            word_tokenizer(),
            AnswerExample("1", "the cat", self.passage),
            AnswerExample("2", "a dog", self.passage),
            max_length=12,
            stride=3,
        )
        self.scores = np.zeros((len(self.features.ids), 12, 2))

    def decoded(self, no_answer_above=None):
        units = np.random.default_rng(0).permutation(len(self.scores))
        parts = [(part, self.scores[part]) for part in np.array_split(units, 3)]
        return decode(self.features, parts, DecodeSettings(no_answer_above=no_answer_above))

    def test_the_best_window_answers(self):
        assert len(self.scores) % 2 == 0 and len(self.scores) >= 6
        first = len(self.scores) // 2  # of the second question
        window, (begin, _, before) = first + 1, self.features.passage[first + 1]
        self.scores[window, begin, 0], self.scores[window, begin + 2, 1] = 3.0, 4.0
        self.scores[window, 1, 0] = 99.0  # in the question: no place for an answer
        found = self.decoded()[1]
        words = self.passage.split()[before : before + 3]
        assert found.text == " ".join(words) and (found.score, found.no_answer_score) == (7.0, 0.0)
        assert self.passage[found.start : found.end] == found.text and found.answer == found.text

    def test_equal_scores_go_to_the_first_window(self):
        places = [(window, int(self.features.passage[window, 0])) for window in (0, 1)]
        for window, begin in places:
            self.scores[window, begin] = 2.0
        assert self.decoded()[0].text == self.passage.split()[0] and self.decoded()[0].score == 4.0

    def test_no_answer_where_cls_is_ahead_in_every_window(self):
        self.scores[:, 0] = 2.0
        assert [prediction.answer for prediction in self.decoded(no_answer_above=3.5)] == ["", ""]
        assert self.decoded(no_answer_above=4.0)[0].text and self.decoded()[0].text
        self.scores[0, 0] = 0.0  # one window in which it is not
        assert [bool(prediction.answer) for prediction in self.decoded(no_answer_above=3.5)] == [True, False]
        assert (self.decoded(no_answer_above=3.5)[1].start, self.decoded(no_answer_above=3.5)[1].end) == (-1, -1)


# --- the best answer span, against a search through every start and end

HALVES = st.integers(-40, 40).map(lambda number: number / 2)  # sums are exact, and scores tie now and then


class TestBestSpans:
    @settings(max_examples=80, deadline=None)
    @given(data=st.data(), longest=st.integers(1, 12))
    def test_against_every_span(self, data, longest):
        length = data.draw(st.integers(1, 9))
        logits = data.draw(arrays.arrays(np.float32, (length, 2), elements=HALVES))
        inside = data.draw(arrays.arrays(np.bool_, length))
        found, (starts, ends) = best_span(logits, inside, longest), logits.T.tolist()
        places = [(s, e) for s in range(length) for e in range(s, min(length, s + longest)) if inside[s] and inside[e]]
        spans = {(start, end): starts[start] + ends[end] for start, end in places}
        assert found.score == max(spans.values(), default=-math.inf)
        assert spans[found[:2]] == found.score if spans else found[:2] == (-1, -1)
        assert no_answer_score(logits) == logits[0].sum()


# --- the best threshold for "no answer", against a search that tries every one

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


def score_at(threshold, metric, questions):
    """`apply_no_ans_threshold` and `make_eval_dict` of the SQuAD 2.0 script, question by question."""
    scores = []
    for accepted, span, lead in questions:
        given_one = Span().measure([accepted], [span], [])[metric]
        scores.append(float(not accepted) if lead > threshold else given_one)
    return sum(scores) / len(scores)


@pytest.mark.parametrize("metric", ["exact_match", "f1"])
@given(questions=QUESTIONS)
def test_no_threshold_does_better(metric, questions):
    found = best_thresholds(*zip(*questions, strict=True))
    tried = [score_at(threshold, metric, questions) for threshold in (-99.0, *(lead for _, _, lead in questions))]
    assert found[f"best_{metric}"] == pytest.approx(max(tried))
    threshold = found[f"best_{metric}_threshold"]
    assert math.isfinite(threshold) and score_at(threshold, metric, questions) == pytest.approx(max(tried))


def test_an_evaluation_tells_it():
    """Where there are questions without an answer."""
    tokenizer, passage = word_tokenizer(), "the cat sat on the mat"
    examples = [AnswerExample("1", "the cat", passage, (("mat", 19),)), AnswerExample("2", "on the mat", passage)]
    model = tiny_model(["span"], no_answer=True)
    for asked in (examples, examples[:1]):
        features = features_of(tokenizer, *asked, max_length=24, stride=8)
        metrics = evaluate_task(model, TaskBatches(features, 2, tokenizer.pad_id)).metrics
        if asked == examples:
            assert metrics["best_f1"] >= max(metrics["f1"], 0.5)
            assert metrics["best_exact_match"] >= metrics["exact_match"]
        else:
            assert not any(name.startswith("best") for name in metrics)
