"""The cloze set and the minimal pairs: what they promise, how answers are scored, and how a run is asked."""

import json
import math
import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from model_report.markdown import _guesses

from bertcore.analysis.predict import WordGuess
from bertcore.analysis.trace import trace
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.errors import BertcoreError
from bertcore.evaluation import sets as sets_module
from bertcore.evaluation.sets import (
    ClozeAnswer,
    MinimalPair,
    answer_cloze,
    cloze_files,
    judge_minimal_pairs,
    read_minimal_pairs,
)
from bertcore.locations import built_in_checkpoint, minimal_pairs_file
from bertcore.runs.run_folder import QUESTIONS, RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.questions import GUESSES, Questions
from bertcore.training.start import start_run
from tests.engine.models import tiny_checkpoint, tiny_model, word_tokenizer
from tests.engine.training_runs import PLACES, SOUNDS, animal_text, metrics, tiny_run, write_text
from tests.text_file import text_file

CLOZE, SECOND_CLOZE = map(read_cloze, cloze_files())
PAIRS = read_minimal_pairs(minimal_pairs_file())
MASK = "[MASK]"


@pytest.fixture(scope="module")
def built_in():
    return Tokenizer.from_folder(built_in_checkpoint())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("tiny")))


@pytest.mark.parametrize("sentences", [CLOZE, SECOND_CLOZE], ids=["first", "second"])
def test_each_sentence_has_one_gap_and_one_to_four_words_for_it(sentences):
    for sentence in sentences:
        answers = sentence.answers
        assert sentence.text.count(MASK) == 1 and 1 <= len(set(answers)) == len(answers) <= 4, sentence
        assert all(word.isalpha() and word.islower() for word in answers), sentence


def test_the_cloze_set_has_200_sentences_that_the_built_in_model_could_answer(built_in):
    counts = Counter(sentence.category for sentence in CLOZE)
    assert len(CLOZE) == len({sentence.text.lower() for sentence in CLOZE}) == 200
    assert len(counts) >= 12 and min(counts.values()) >= 12 and max(counts.values()) <= 20
    for sentence in CLOZE:
        encoding, answer = built_in.encode(sentence.text), sentence.answers[0]
        if sentence.category not in ("pronouns", "prepositions"):
            assert answer not in re.findall("[a-z]+", sentence.text.lower()), sentence
        assert sentence.text[-1] in ".?!" and not sentence.text[0].islower(), sentence
        # A word in pieces could never be guessed: replace the sentence, whatever the model says to it.
        assert built_in.id(answer) is not None, sentence
        assert encoding.ids.count(built_in.special.ids["mask"]) == 1 and not encoding.unknown, sentence


def _words(text):
    """Without case and punctuation; the gap is the word "mask"."""
    return " ".join(re.findall("[a-z]+", text.lower()))


def test_the_second_cloze_set_has_100_others_in_the_same_categories():
    counts = Counter(sentence.category for sentence in SECOND_CLOZE)
    assert len(SECOND_CLOZE) == 100 and set(counts.values()) == {7, 8}
    assert set(counts) == {sentence.category for sentence in CLOZE}
    assert [s.text for s in SECOND_CLOZE if not 5 <= len(s.text.split()) <= 15] == []
    for filled in (False, True):  # the same sentence with its gap elsewhere is a repetition, too
        first, second = (
            [_words(s.text.replace(MASK, s.answers[0]) if filled else s.text) for s in sentences]
            for sentences in (CLOZE, SECOND_CLOZE)
        )
        assert len(set(second)) == len(second) and set(first) & set(second) == set()
    known = {answer for sentence in CLOZE for answer in sentence.answers}
    assert sum(sentence.answers[0] in known for sentence in SECOND_CLOZE) <= 33


def test_the_100_minimal_pairs_differ_in_one_word_or_in_their_order(built_in):
    assert len(PAIRS) == 100 and min(Counter(pair.phenomenon for pair in PAIRS).values()) >= 5
    assert len({text.lower() for pair in PAIRS for text in (pair.good, pair.bad)}) == 200
    for pair in PAIRS:
        good, bad = pair.good[:-1].lower().split(), pair.bad[:-1].lower().split()
        assert pair.good[-1] == pair.bad[-1] and len(good) == len(bad), pair
        is_order = sorted(good) == sorted(bad)
        assert is_order or sum(a != b for a, b in zip(good, bad, strict=True)) == 1, pair
        # Bits are summed over tokens: a word in more pieces would lose for that alone.
        assert len(built_in.encode(pair.good)) == len(built_in.encode(pair.bad)), pair


SENTENCES = (
    ClozeSentence("The cat [MASK] on the mat.", ("sat", "sang"), "one"),
    ClozeSentence("It was a very [MASK] bird!", ("comfortable", "zebra"), "two"),
    ClozeSentence("[MASK] dog", ("the",), "two"),
)


class TestAnsweringTheCloze:
    def test_ranks_are_those_of_each_sentence_read_single_sentences(self, tiny):
        cloze = answer_cloze(tiny, SENTENCES)
        for answer, accepted in zip(cloze.answers, (["sat", "sang"], [], ["the"]), strict=True):
            encoding = tiny.tokenizer.encode(answer.sentence.text)
            position = encoding.tokens.index(MASK)
            logits = trace(tiny.model, encoding.ids, encoding.segments, mlm_positions=[position]).mlm_logits
            order = [tiny.tokenizer.word(i) for i in np.argsort(-logits[0])]
            assert [guess.token for guess in answer.guesses] == order[:5]
            assert answer.rank == (min(order.index(word) + 1 for word in accepted) if accepted else None)

    def test_scores_count_first_places_and_first_fives(self, tmp_path):
        """A model whose bias alone decides: "mat" first, then "dog", and the rest behind."""
        model, tokenizer = tiny_model(seed=3), word_tokenizer()
        for word, bias in {"mat": 900, "dog": 800, "cat": 700, "bird": 600, "on": 500}.items():
            model.mlm.bias[tokenizer.id(word)] += bias
        checkpoint = Checkpoint(model, tokenizer, model.config, tmp_path, "biased")
        wanted = [("mat",), ("dog",), ("sat", "on"), ("sat",), ("it", "mat")]
        sentences = [ClozeSentence(f"the [MASK] {i}", words, "ab"[i > 2]) for i, words in enumerate(wanted)]
        cloze = answer_cloze(checkpoint, sentences)
        assert [answer.rank for answer in cloze.answers][:3] == [1, 2, 5]
        assert (cloze.score.top1.value, cloze.score.top5.value, cloze.score.top1.count) == (2 / 5, 4 / 5, 5)
        assert cloze.score.top1.standard_error == pytest.approx(math.sqrt(0.4 * 0.6 / 5))
        by_category = cloze.by_category()
        assert list(by_category) == ["a", "b"]
        assert (by_category["a"].top5.value, by_category["b"].top1.value) == (1.0, 0.5)

    def test_right_guesses_are_bold_however_the_vocabulary_writes_them(self):
        """As byte-level BPE does: with the space before."""
        guesses = (WordGuess("Ġbread", 7, 0.5), WordGuess("Ġmilk", 8, 0.25))
        answer = ClozeAnswer(ClozeSentence("a slice of [MASK]", ("bread",), "food"), guesses, 1, (7,))
        assert _guesses(answer) == ["**bread** 50%", "milk 25%"]


class TestJudgingPairs:
    def test_many_together_are_as_one_at_a_time(self, tiny, monkeypatch):
        """Whatever else is in the batch, and where a long sentence does not fit into one."""
        mask_id = tiny.tokenizer.mask_id
        for most in (8192, 40):
            monkeypatch.setattr(sets_module, "surprises", partial(surprises, max_tokens=most))
            pairs = [*PAIRS[:20], MinimalPair("a mask in the text", "the [MASK] sat.", "the cat [MASK] on.")]
            for found in judge_minimal_pairs(tiny, pairs).preferences:
                assert found.is_right == (found.good_bits < found.bad_bits)
                good = found.pair.good, found.good_bits, found.good_tokens
                for text, bits, tokens in (good, (found.pair.bad, found.bad_bits, found.bad_tokens)):
                    encoding = tiny.tokenizer.encode(text, max_length=tiny.config.max_length)
                    assert tokens == len(encoding)
                    assert bits == pytest.approx(surprises(tiny.model, [encoding], mask_id)[0].bits.sum(), abs=1e-4)

    def test_shares_are_by_phenomenon(self, tiny):
        good, bad = "the cat sat.", "the dog sang very very."
        pairs = [MinimalPair("one", good, bad), MinimalPair("two", bad, good), MinimalPair("two", good, bad)]
        judged = judge_minimal_pairs(tiny, pairs)
        first = judged.preferences[0].is_right
        assert judged.of_different_length == 3
        assert judged.right.value == pytest.approx(2 / 3 if first else 1 / 3)
        assert {name: e.value for name, e in judged.by_phenomenon().items()} == {"one": float(first), "two": 0.5}
        assert [(row["phenomenon"], row["value"], row["count"]) for row in judged.rows()] == [
            ("one", float(first), 1),
            ("two", 0.5, 2),
            ("all", judged.right.value, 3),
        ]


@pytest.mark.parametrize(
    ("read", "content", "says"),
    [
        (read_cloze, "", "is empty"),
        (read_cloze, "{", "line 1: expected one whole JSON object"),
        (read_cloze, '{"text": "a [MASK]", "category": "x"}', "'answers'"),
        (read_cloze, '{"text": "no gap", "answers": ["a"], "category": "x"}', "one \\[MASK\\]"),
        (read_cloze, '{"text": "a [MASK]", "answers": [], "category": "x"}', "at least one answer"),
        (read_minimal_pairs, '{"good": "a", "bad": "b"}', "line 1: expected the field 'phenomenon' or 'UID' as text"),
        (read_minimal_pairs, '{"UID": "x", "sentence_good": "a"}', "'bad' or 'sentence_bad'"),
        (read_minimal_pairs, '{"UID": "x", "sentence_good": "a", "sentence_bad": "a"}', "both sentences are the same"),
    ],
)
def test_a_broken_set_is_refused_with_its_line(tmp_path, read, content, says):
    with pytest.raises(BertcoreError, match=says):
        read(text_file(tmp_path / "set.jsonl", content))


def test_only_a_line_feed_ends_a_record(tmp_path):
    """JSON may hold other ends of lines as they are."""
    texts = [f"A b{mark}c [MASK]." for mark in "\u2028\u2029\x85"]
    file = tmp_path / "set.jsonl"
    records = [{"text": text, "answers": ["d"], "category": "e"} for text in texts]
    file.write_bytes("\r\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode())
    assert [sentence.text for sentence in read_cloze(file)] == texts


# --- questions that a run answers at each measurement


@pytest.fixture
def asking(tmp_path, fast_disk):
    """A run on the animals that is asked where each of them lives."""
    file = tmp_path / "questions.jsonl"
    asked = [
        {"category": "place", "text": f"The {animal} lives in the [MASK].", "answers": [place]}
        for animal, place in PLACES.items()
    ]
    file.write_text("".join(json.dumps(question) + "\n" for question in asked))
    return tiny_run(write_text(tmp_path), {"questions": str(file)}, evaluations=2)


def test_answers_are_those_of_the_cloze_test(tmp_path):
    """Padding, several answers, and answers of several tokens included."""
    checkpoint = load_checkpoint(tiny_checkpoint(tmp_path))
    answers = Questions.of(SENTENCES, checkpoint.tokenizer, 40).answer(checkpoint.model)
    cloze = answer_cloze(checkpoint, SENTENCES)
    assert answers["is_right"] == [answer.is_first for answer in cloze.answers]
    assert (answers["right"], answers["of"]) == (sum(answers["is_right"]), 3)
    for given, expected in zip(answers["guesses"], cloze.answers, strict=True):
        assert [word for word, _ in given] == [guess.token for guess in expected.guesses[:GUESSES]]
        shares = [guess.probability for guess in expected.guesses[:GUESSES]]
        assert [share for _, share in given] == pytest.approx(shares, abs=1e-4)
    checkpoint.model.mlm.bias[checkpoint.tokenizer.id("bird")] += 900  # the bias alone decides, whatever the text
    asked = [ClozeSentence("the [MASK]", answers, "one") for answers in (("cat", "bird"), ("cat",), ("no such word",))]
    assert Questions.of(asked, checkpoint.tokenizer, 40).answer(checkpoint.model)["is_right"] == [True, False, False]


def test_each_measurement_of_a_run_has_the_answers_of_that_moment(asking, tmp_path):
    run = RunFolder(tmp_path / "run")
    start_run(asking, run.path, resume=False)
    questions = read_cloze(run.path / QUESTIONS)
    assert [question.answers[0] for question in questions] == list(PLACES.values()) and len(SOUNDS) == len(questions)
    measured = {line["step"]: line["questions"] for line in metrics(run.path, "held_out")}
    assert list(measured) == [0, 12, 24]
    for step in (0, 24):
        cloze = answer_cloze(load_checkpoint(run.snapshot_path(step)), questions)
        assert measured[step]["is_right"] == [answer.is_first for answer in cloze.answers]
    assert f"{measured[24]['right']} of 6 are right" in (run.snapshot_path(24) / "README.md").read_text()
    # and nothing else is learned
    without = PretrainOptions.from_dict({**asking.to_dict(), "data": {**asking.to_dict()["data"], "questions": None}})
    silent = RunFolder(tmp_path / "silent")
    start_run(without, silent.path, resume=False)
    ours, theirs = (each.newest_snapshot() / "model.safetensors" for each in (run, silent))
    assert ours.read_bytes() == theirs.read_bytes() and not (silent.path / QUESTIONS).exists()
    assert all("questions" not in line for line in metrics(silent.path, "held_out"))


def test_a_run_resumes_without_the_file_that_it_was_given(asking, tmp_path):
    run = RunFolder(tmp_path / "run")
    start_run(asking, run.path, False, lambda event: run.send("stop") if event.get("step") == 10 else None)
    Path(str(asking.data.questions)).unlink()
    start_run(None, run.path, resume=True)
    assert [line["questions"]["of"] for line in metrics(run.path, "held_out")] == [6, 6, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "is empty"),
        ('{"text": "The [MASK] ' + "very " * 600 + '.", "answers": ["a"], "category": "b"}\n', "more than 512 tokens"),
    ],
)
def test_a_file_of_no_use_is_refused(asking, tmp_path, content, message):
    file = Path(str(asking.data.questions))
    file.unlink()
    if content is not None:
        file.write_text(content)
    with pytest.raises(BertcoreError, match=message):
        start_run(asking, tmp_path / "run", resume=False)
    assert (tmp_path / "run").exists() == ("tokens" in message)  # only a vocabulary tells the length


def test_answers_in_a_byte_level_vocabulary_are_those_of_the_cloze_test():
    """There a word after a space is another token than one that begins the text."""
    tokenizer = Tokenizer.train([animal_text()], 600, kind="bpe")
    asked = [ClozeSentence(f"The {animal} lives in the [MASK].", (place,), "place") for animal, place in PLACES.items()]
    accepted = Questions.of(asked, tokenizer, 40).accepted
    assert [[tokenizer.raw.decode([token]) for token in ids] for ids in accepted] == [
        [f" {place}"] for place in PLACES.values()
    ]
