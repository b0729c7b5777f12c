"""Documents as BertSum reads them, and which sentences a summary keeps."""

import random
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, Decoding
from bertcore.tasks.kinds.summarise import SummaryExample, choose_sentences, greedy_labels
from bertcore.tasks.predict import right_answers
from bertcore.tasks.readers.tables import verbatim_labels
from tests.engine.models import decode, word_tokenizer

TOKENIZER = word_tokenizer()
SENTENCES = st.lists(st.sampled_from(["the cat sat", "a bird sang on the mat .", "", "it was very comfortable", "on!"]))


def features_of(*examples, max_length=512):
    return make_features("summarise", examples, TOKENIZER, max_length=max_length)


class TestSequences:
    @given(sentences=SENTENCES.filter(len), most=st.integers(2, 40))
    def test_every_sentence_as_it_is_alone(self, sentences, most):
        features = features_of(SummaryExample(tuple(sentences)), max_length=most)
        alone = [TOKENIZER.encode(sentence).ids for sentence in sentences]
        kept = 1
        while kept < len(alone) and sum(map(len, alone[: kept + 1])) <= most:
            kept += 1
        alone[0] = TOKENIZER.encode(sentences[0], max_length=most).ids
        ids, firsts = features.ids[0].tolist(), features.firsts[0].tolist()
        assert ids == list(chain.from_iterable(alone[:kept])) and len(ids) <= most
        assert firsts == [i for i, token in enumerate(ids) if token == TOKENIZER.cls_id]
        by_hand = [number % 2 for number, sentence in enumerate(alone[:kept]) for _ in sentence]
        assert features.segments[0].tolist() == by_hand
        assert len(firsts) == kept

    def test_labels_of_the_sentences_that_fit(self):
        document = SummaryExample(("the cat sat", "a bird sang", "on the mat"), (True, False, True))
        features = features_of(document, SummaryExample(("a dog",)), max_length=11)
        assert features.answers[0].tolist() == [1.0, 0.0] and np.isnan(features.answers[1]).all()
        assert not features.labelled and features_of(document).labelled

    @pytest.mark.parametrize(
        ("document", "most", "message"),
        [
            (SummaryExample(()), 9, "Document 2 has no sentences"),
            (SummaryExample(("a", "b"), (True,)), 9, "Document 2 has 2 sentences and 1 labels"),
            (SummaryExample(("a",)), 1, "Sequences of 1 tokens"),
        ],
    )
    def test_what_does_not_fit(self, document, most, message):
        with pytest.raises(BertcoreError, match=message):
            features_of(SummaryExample(("the",)), document, max_length=most)


class TestDecoding:
    def test_the_best_of_what_was_seen(self):
        first = SummaryExample(("the cat sat", "a bird sang", "on the mat", "it was"))
        second = SummaryExample(("a dog sat on the mat", "it was very very comfortable ."))
        features = features_of(first, second, max_length=15)
        assert features.firsts.lengths.tolist() == [3, 1]
        outputs = [(np.array([1, 0]), np.array([-5.0, 0.0, -2.0, 3.0]))]
        of_first, of_second = decode(features, outputs, DecodeSettings(Decoding(sentences=2)))
        assert of_first.chosen == (0, 2) and of_first.answer == "the cat sat\non the mat"
        assert of_first.probabilities == pytest.approx((0.5, 1 / (1 + np.exp(2)), 1 / (1 + np.exp(-3))))
        assert of_second.chosen == (0,) and of_second.sentences == second.sentences[:1]

    def test_right_answers(self):
        labels = (True, False, True)
        examples = [SummaryExample(("the cat", "sat", "on"), *given) for given in ((labels,), (labels, "it sat"), ())]
        assert right_answers(examples) == ["the cat\non", "it sat", None]


# --- which sentences a summary keeps

TEXT = [
    "The cat sat on the mat.",
    "It rained all day.",
    "On that day THE CAT SAT still!",  # shares "the cat sat" with the first
    "A dog barked.",
    "Dogs bark.",
]


class TestChoosing:
    @pytest.mark.parametrize(
        ("scores", "sentences", "count", "chosen"),
        [
            ([0.1, 0.9, 0.2, 0.8, 0.7], TEXT, 3, [1, 3, 4]),  # highest first, and in the order of the text
            ([9, 1, 8, 2, 3], TEXT, 3, [0, 3, 4]),  # a shared trigram blocks the lower score
            # the second is left out for its first three words; the third shares words with the second alone
            ([3, 2, 1], ["one two three", "one two three four five six", "four five six"], 3, [0, 2]),
            ([0.0] * 5, TEXT, 2, [0, 1]),  # equal scores go to the earlier
        ],
    )
    def test_by_hand(self, scores, sentences, count, chosen):
        assert choose_sentences(scores, sentences, count) == chosen
        with pytest.raises(BertcoreError, match=f"{len(scores) + 1} scores for {len(scores)} sentences"):
            choose_sentences([*scores, 1], sentences, count)

    @given(st.lists(st.tuples(st.floats(-9, 9), st.lists(st.sampled_from("abc"), max_size=6))), st.integers(0, 6))
    def test_no_trigram_twice_and_each_gap_has_a_cause(self, case, count):
        scores, words = [score for score, _ in case], [sentence for _, sentence in case]
        chosen = choose_sentences(scores, [" ".join(sentence) for sentence in words], count)
        trigrams = [{tuple(sentence[i : i + 3]) for i in range(len(sentence) - 2)} for sentence in words]
        assert chosen == sorted(set(chosen))
        assert len(chosen) <= count
        for place in range(len(case)):
            better = [other for other in chosen if (-scores[other], other) < (-scores[place], place)]
            is_blocked = any(trigrams[place] & trigrams[other] for other in better)
            assert (place in chosen) == (len(better) < count and not is_blocked)


# --- which sentences a model learns from, where a summary has their words and where it has words of its own


def test_an_extract_split_elsewhere():
    """The extract has the half of a sentence that another splitter made of it; more than half counts."""
    sentences = ("He said on Friday: it will be built again by all of us.", "Nobody was hurt in the fire.")
    assert verbatim_labels(sentences, "it will be built again by all of us.") == (True, False)
    assert verbatim_labels((sentences[0] + " " + "x" * 60, sentences[1]), sentences[0]) == (False, False)
    assert verbatim_labels(sentences, "Nobody was hurt. All will be well, he said.") is None
    sentences = ("The mill burned.", "On Friday night it was the mill burned down to the ground, they say.")
    assert verbatim_labels(sentences, sentences[1]) == (False, True)  # the short one is not found inside the long one


class Oracle:
    """ROUGE-1 F + ROUGE-2 F with the counting and the arithmetic of rouge-score; pairs within sentences."""

    def __init__(self, reference):
        scorer = pytest.importorskip("rouge_score.rouge_scorer")
        tokens = pytest.importorskip("rouge_score.tokenizers").DefaultTokenizer(use_stemmer=False)
        self._counts = lambda text, n: scorer._create_ngrams(tokens.tokenize(text), n)
        self._score = scorer._score_ngrams
        self._reference = reference

    def __call__(self, sentences):
        total = 0.0
        for n in (1, 2):
            counts = sum((self._counts(sentence, n) for sentence in sentences), Counter())
            total += self._score(self._counts(self._reference, n), counts).fmeasure
        return total

    def greedy(self, sentences, most):
        chosen = []
        best = 0.0
        while len(chosen) < most and len(chosen) < len(sentences):
            left = [place for place in range(len(sentences)) if place not in chosen]
            scores = [self([sentences[one] for one in sorted([*chosen, place])]) for place in left]
            if max(scores) <= best + 1e-12:
                break
            best = max(scores)
            chosen.append(left[min(i for i, score in enumerate(scores) if score > best - 1e-12)])
        return tuple(place in chosen for place in range(len(sentences)))


@pytest.mark.parametrize("seed", range(40))
def test_greedy_labels_as_rouge_score_counts(seed):
    rng = random.Random(seed)
    words = ["mill", "Fire", "the", "old", "town's", "7,000", "x_y", "burned", "and"][: rng.randint(2, 9)]
    sentence = lambda: " ".join(rng.choices(words, k=rng.randint(0, 8)))  # noqa: E731
    sentences, reference, most = [sentence() for _ in range(rng.randint(1, 7))], sentence(), rng.randint(1, 4)
    assert greedy_labels(sentences, reference, most) == Oracle(reference).greedy(sentences, most)


def test_greedy_labels_by_hand():
    """Against a b c d: "a b x" has 4/7 + 2/5, "c d" 4/6 + 2/4 and is first; both 8/9 + 4/6; all three 8/11 + 4/7."""
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d") == (True, True, False)
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d", most=1) == (False, True, False)
    assert greedy_labels([], "a b") == ()
    assert greedy_labels(["Старая мельница сгорела", "Дождь"], "мельница сгорела") == (True, False)
