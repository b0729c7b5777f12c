"""Questions and passages: windows as `transformers` cuts them, answers found by looking at every token."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings
from bertcore.tasks.kinds.span import AnswerExample, AnswerPrediction, SpanFeatures, windows
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.family_tokenizers import WRITERS
from tests.engine.models import decode, word_tokenizer

PASSAGE = "The cat  sat on the garçon's mat, and (so) the été was 3.14 U.S.A. naïve; the 日本語 cat 🙂 sat. "
QUESTION = "what did the cat do?"
FAMILIES = ["bert, cased", "roberta", "xlm-roberta", "albert"]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Tokenizer, Any]]:
    from transformers import AutoTokenizer

    made = {}
    for i, family in enumerate(FAMILIES):
        folder = tmp_path_factory.mktemp("families") / str(i)
        WRITERS[family](folder)
        made[family] = Tokenizer.from_folder(folder), AutoTokenizer.from_pretrained(folder)
    return made


def features_of(tokenizer: Tokenizer, *examples: AnswerExample, **settings: Any) -> SpanFeatures:
    features = make_features("span", examples, tokenizer, **{"max_length": 384, **settings})
    assert isinstance(features, SpanFeatures)
    return features


def answer_at(passage: str, text: str, begin: int = 0) -> tuple[str, int]:
    return text, passage.index(text, begin)


@pytest.mark.parametrize("family", FAMILIES)
class TestAgainstTransformers:
    def test_windows(self, pairs: dict[str, tuple[Tokenizer, Any]], family: str) -> None:
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
    def test_answers_are_the_tokens_that_touch_them(
        self, pairs: dict[str, tuple[Tokenizer, Any]], family: str, answer: str
    ) -> None:
        ours, theirs = pairs[family]
        start = PASSAGE.index(answer)
        example = AnswerExample("1", QUESTION, PASSAGE, ((answer, start), ("The", 0)))
        found = features_of(ours, example, max_length=36, stride=5)
        expected = theirs(
            QUESTION, PASSAGE, truncation="only_second", max_length=36, stride=int(found.passage[0, 1]) - 5,
            return_overflowing_tokens=True, return_offsets_mapping=True,
        )  # fmt: skip
        whole = theirs([QUESTION], [PASSAGE], return_offsets_mapping=True)
        all_touching = touching(whole, 0, start, start + len(answer))
        held = 0
        for window in range(len(found.ids)):
            touched = touching(expected, window, start, start + len(answer))
            is_held = len(touched) == len(all_touching)
            assert found.answers[window].tolist() == ([touched[0], touched[-1]] if is_held else [0, 0])
            held += is_held
            if is_held:
                text, begin, end = found.text(window, *found.answers[window].tolist())
                assert PASSAGE[begin:end] == text and answer.strip() in text
        assert held > 0 and len(found.ids) > 1


def touching(encoding: Any, window: int, start: int, end: int) -> list[int]:
    """Tokens of the passage that share a character with [start, end)."""
    spans = zip(encoding["offset_mapping"][window], encoding.sequence_ids(window), strict=True)
    return [
        place for place, ((a, b), part) in enumerate(spans) if part == 1 and set(range(a, b)) & set(range(start, end))
    ]


REAL = Path(__file__).resolve().parents[3] / "shared" / "tasks" / "squad" / "xquad.en.json"


@pytest.mark.skipif(not REAL.exists(), reason="the published task files are not here")
def test_real_answers_come_back_from_the_tokens_that_are_learned() -> None:
    articles = json.loads(REAL.read_text(encoding="utf-8"))["data"]
    examples = [
        AnswerExample(asked["id"], asked["question"], passage["context"], ((answer["text"], answer["answer_start"]),))
        for article in articles
        for passage in article["paragraphs"]
        for asked in passage["qas"][:1]
        for answer in asked["answers"][:1]
    ]
    features = features_of(word_tokenizer(), *examples, max_length=256, stride=64)
    assert len(features.ids) > 2 * len(examples) > 400
    found: dict[int, set[str]] = {}
    for window, (start, end) in enumerate(features.answers.tolist()):
        if start:
            found.setdefault(int(features.example_of[window]), set()).add(features.text(window, start, end)[0])
    right = [found.get(i) == {example.answers[0][0].strip()} for i, example in enumerate(examples)]
    assert np.mean(right) > 0.99  # a few end inside a word


class TestWindows:
    @given(tokens=st.integers(0, 60), room=st.integers(1, 20), stride=st.integers(1, 30))
    def test_every_token_is_seen_and_none_without_need(self, tokens: int, room: int, stride: int) -> None:
        found = list(windows(tokens, room, stride))
        assert set().union(*(range(first, first + count) for first, count in found)) == set(range(tokens))
        assert all(count == room for _, count in found[:-1]) and found[-1][1] <= room
        steps = np.diff([first for first, _ in found])
        assert (steps == min(room, stride)).all() and sum(found[-1]) == tokens
        assert all(sum(window) < tokens for window in found[:-1])

    def test_a_passage_that_fits_is_one_window(self) -> None:
        example = AnswerExample("1", "the cat", "the cat sat on", (("sat on", 8),))
        found = features_of(word_tokenizer(), example, max_length=9)
        assert len(found.ids) == 1 and found.answers.tolist() == [[6, 7]]
        assert found.ids[0].tolist() == word_tokenizer().encode("the cat", "the cat sat on").ids

    def test_a_long_question_loses_its_end(self) -> None:
        example = AnswerExample("1", "the " * 70, "a bird sang")
        found = features_of(word_tokenizer(), example, max_length=384)
        assert found.passage.tolist() == [[66, 3, 0]]
        short = features_of(word_tokenizer(), example, max_length=15, stride=5)
        assert short.passage.tolist() == [[8, 3, 0]]

    def test_an_empty_passage_has_no_answer(self) -> None:
        found = features_of(word_tokenizer(), AnswerExample("1", "the cat", ""))
        assert found.answers.tolist() == [[0, 0]] and found.passage.tolist() == [[4, 0, 0]]
        [prediction] = decode(found, [(np.array([0]), np.ones((1, 5, 2)))])
        assert prediction.answer == ""

    @pytest.mark.parametrize(
        ("answer", "settings", "message"),
        [
            (("dog", 4), {}, "Example 1 .q7.*“dog” is not at character 4"),
            (("the", -3), {}, "is not at character -3"),
            (("the", 0), {"max_length": 4}, "A window of 4 tokens"),
            (("the", 0), {"stride": 0}, "a stride of 0"),
        ],
    )
    def test_what_does_not_fit(self, answer: tuple[str, int], settings: dict[str, Any], message: str) -> None:
        with pytest.raises(BertcoreError, match=message):
            features_of(word_tokenizer(), AnswerExample("q7", "the", "the cat the", (answer,)), **settings)


class TestDecoding:
    """Two questions of several windows; scores are zero but where a test sets them."""

    def setup_method(self) -> None:
        self.passage = "the cat sat on the mat . a bird sang very very comfortable"
        self.features = features_of(
            word_tokenizer(),
            AnswerExample("1", "the cat", self.passage),
            AnswerExample("2", "a dog", self.passage),
            max_length=12,
            stride=3,
        )
        self.scores = np.zeros((len(self.features.ids), 12, 2))

    def decoded(self, no_answer_above: float | None = None) -> list[AnswerPrediction]:
        units = np.random.default_rng(0).permutation(len(self.scores))
        parts = [(part, self.scores[part]) for part in np.array_split(units, 3)]
        found = decode(self.features, parts, DecodeSettings(no_answer_above=no_answer_above))
        assert all(isinstance(prediction, AnswerPrediction) for prediction in found)
        return found  # type: ignore[return-value]

    def test_the_best_window_answers(self) -> None:
        assert len(self.scores) % 2 == 0 and len(self.scores) >= 6
        first = len(self.scores) // 2  # of the second question
        window, (begin, _, before) = first + 1, self.features.passage[first + 1]
        self.scores[window, begin, 0], self.scores[window, begin + 2, 1] = 3.0, 4.0
        self.scores[window, 1, 0] = 99.0  # in the question: no place for an answer
        found = self.decoded()[1]
        words = self.passage.split()[before : before + 3]
        assert found.text == " ".join(words) and (found.score, found.no_answer_score) == (7.0, 0.0)
        assert self.passage[found.start : found.end] == found.text and found.answer == found.text

    def test_equal_scores_go_to_the_first_window(self) -> None:
        places = [(window, int(self.features.passage[window, 0])) for window in (0, 1)]
        for window, begin in places:
            self.scores[window, begin] = 2.0
        assert self.decoded()[0].text == self.passage.split()[0] and self.decoded()[0].score == 4.0

    def test_no_answer_where_cls_is_ahead_in_every_window(self) -> None:
        self.scores[:, 0] = 2.0
        assert [prediction.answer for prediction in self.decoded(no_answer_above=3.5)] == ["", ""]
        assert self.decoded(no_answer_above=4.0)[0].text and self.decoded()[0].text
        self.scores[0, 0] = 0.0  # one window in which it is not
        assert [bool(prediction.answer) for prediction in self.decoded(no_answer_above=3.5)] == [True, False]
        assert (self.decoded(no_answer_above=3.5)[1].start, self.decoded(no_answer_above=3.5)[1].end) == (-1, -1)

    def test_a_window_without_scores(self) -> None:
        with pytest.raises(ValueError, match=f"no logits for 1 of {len(self.scores)}"):
            decode(self.features, [(np.arange(1, len(self.scores)), self.scores[1:])])
