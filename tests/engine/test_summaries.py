"""Which sentences a summary keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.summarise import choose_sentences

TEXT = [
    "The cat sat on the mat.",
    "It rained all day.",
    "On that day THE CAT SAT still!",  # shares "the cat sat" with the first
    "A dog barked.",
    "Dogs bark.",
]


class TestChoosing:
    def test_highest_first_and_in_the_order_of_the_text(self) -> None:
        assert choose_sentences([0.1, 0.9, 0.2, 0.8, 0.7], TEXT, 3) == [1, 3, 4]

    @pytest.mark.parametrize(("scores", "chosen"), [([9, 1, 8, 2, 3], [0, 3, 4]), ([8, 1, 9, 2, 3], [2, 3, 4])])
    def test_a_shared_trigram_blocks_the_lower_score(self, scores: list[int], chosen: list[int]) -> None:
        assert choose_sentences(scores, TEXT, 3) == chosen

    def test_a_blocked_sentence_blocks_nothing(self) -> None:
        """The second is left out for its first three words; the third shares words with the second alone."""
        sentences = ["one two three", "one two three four five six", "four five six"]
        assert choose_sentences([3, 2, 1], sentences, 3) == [0, 2]

    @pytest.mark.parametrize("repeated", ["", "Yes.", "two words"])
    def test_two_words_are_no_trigram(self, repeated: str) -> None:
        assert choose_sentences([1, 2], [repeated, repeated], 2) == [0, 1]

    def test_there_may_be_fewer(self) -> None:
        assert choose_sentences([1, 2, 3], ["the same three words"] * 3, 2) == [2]
        assert choose_sentences([1, 2], TEXT[:2], 5) == [0, 1]
        assert choose_sentences([1, 2], TEXT[:2], 0) == []
        assert choose_sentences([], [], 3) == []

    def test_equal_scores_go_to_the_earlier(self) -> None:
        assert choose_sentences(np.zeros(5, np.float32).tolist(), TEXT, 2) == [0, 1]

    def test_scores_and_sentences_must_belong_together(self) -> None:
        with pytest.raises(BertcoreError, match="2 scores for 5 sentences"):
            choose_sentences([1, 2], TEXT, 3)

    @given(st.lists(st.tuples(st.floats(-9, 9), st.lists(st.sampled_from("abc"), max_size=6))), st.integers(0, 6))
    def test_no_trigram_twice_and_none_left_out_without_cause(
        self, case: list[tuple[float, list[str]]], count: int
    ) -> None:
        scores, words = [score for score, _ in case], [sentence for _, sentence in case]
        chosen = choose_sentences(scores, [" ".join(sentence) for sentence in words], count)
        trigrams = [{tuple(sentence[i : i + 3]) for i in range(len(sentence) - 2)} for sentence in words]
        assert chosen == sorted(set(chosen))
        assert len(chosen) <= count
        for place in range(len(case)):
            better = [other for other in chosen if (-scores[other], other) < (-scores[place], place)]
            is_blocked = any(trigrams[place] & trigrams[other] for other in better)
            assert (place in chosen) == (len(better) < count and not is_blocked)
