"""The small files that ship: what assets/tasks/README.md promises of them."""

import re
from collections import Counter

import pytest

from bertcore.locations import assets, built_in_checkpoint
from bertcore.tag_schemes import entity_spans
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS, read_task, sample_folder
from bertcore.tokenizer.tokenizer import Tokenizer

PAIRS = ("qqp", "qnli", "rte", "wnli")  # of two first and two second texts, each with each
VERBS = {"MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}
NOUNS = {"NN", "NNP", "NNPS", "NNS", "PRP", "EX"}  # and what may stand for one
OTHERS = {"CC", "CD", "DT", "FW", "IN", "JJ", "JJR", "JJS", "LS", "PDT", "POS", "PRP$", "RB", "RBR", "RBS", "RP"}
OTHERS |= {"SYM", "TO", "UH", "WDT", "WP", "WP$", "WRB", ",", ".", ":", '"', "''", "``", "(", ")", "#", "$"}
PENN_TREEBANK = VERBS | NOUNS | OTHERS
PHRASES = {"ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP"}  # of CoNLL-2000
FOLDERS = {spec.sample: name for name, spec in TASKS.items() if spec.sample}  # one task for each


def both(task):
    folder = sample_folder(TASKS[task])
    train = read_task(task, folder)
    return train, read_task(task, folder, "dev", labels=train.labels)


def texts(example):
    """What must not stand in both parts."""
    if isinstance(example, TextExample):
        return [f"{example.text_a}|{example.text_b}"]
    if isinstance(example, TaggedExample):
        return [" ".join(example.words)]
    if isinstance(example, AnswerExample):
        return [example.passage, f"{example.passage}|{example.question}"]
    return [example.context] if isinstance(example, ChoiceExample) else list(example.sentences)


@pytest.mark.parametrize("task", TASKS)
def test_readable_as_it_stands(task):
    for part in both(task):
        assert len(part.examples) >= 4 and part.dropped == 0 and part.notes == ()
    assert {folder.name for folder in (assets() / "tasks").iterdir() if folder.is_dir()} == set(FOLDERS)


@pytest.mark.parametrize("task", FOLDERS.values())
def test_nothing_stands_twice(task):
    train, dev = ([text for example in part.examples for text in texts(example)] for part in both(task))
    assert not set(train) & set(dev)
    if TASKS[task].kind != "span":  # a passage has several questions
        assert len(set(train)) == len(train) and len(set(dev)) == len(dev)


@pytest.mark.parametrize("task", ["sst2", "cola", "mrpc", "mnli", *PAIRS])
def test_classes_are_equally_many_and_no_first_sentence_gives_them_away(task):
    """Every first sentence of the pairs comes with each of the labels, so both sentences must be read."""
    for part in both(task):
        counts = Counter(example.label for example in part.examples)
        assert set(counts) == set(part.labels) and len(set(counts.values())) == 1
        pairs = {(example.text_a, example.label) for example in part.examples}
        assert task in ("sst2", "cola") or len(pairs) == len({text for text, _ in pairs}) * len(part.labels)


@pytest.mark.parametrize("task", PAIRS)
def test_no_text_of_a_pair_gives_the_label_away(task):
    """Each stands twice, once with each label; so of one text alone, nobody can do better than chance."""
    train, dev = both(task)
    for part in (train, dev):
        for side in ("text_a", "text_b"):
            seen = Counter((getattr(example, side), example.label) for example in part.examples)
            assert set(seen.values()) == {1} and len(seen) == len({text for text, _ in seen}) * 2
    a, b = ({text for e in part.examples for text in (e.text_a, e.text_b)} for part in (train, dev))
    assert not a & b


def test_more_words_in_common_say_hardly_anything():
    """The chance that a pair of one label shares more words than one of the other is near a half."""
    for task in PAIRS:
        part = both(task)[0]
        shared = {label: [] for label in part.labels}
        for example in part.examples:
            a, b = (set(re.findall(r"\w+", str(text).lower())) for text in (example.text_a, example.text_b))
            shared[str(example.label)].append(len(a & b))
        one, other = shared.values()
        more = sum((x > y) + (x == y) / 2 for x in one for y in other) / len(one) / len(other)
        assert 0.4 <= more <= 0.6, (task, more)


def test_similarity_covers_its_range_and_topics_and_names_are_about_equally_many():
    for part in both("stsb"):
        fifths = Counter(min(4, int(example.label)) for example in part.examples)
        assert set(fifths) == {0, 1, 2, 3, 4} and max(fifths.values()) <= 0.35 * len(part.examples)
    for part in both("multilabel"):
        counts = Counter(label for example in part.examples for label in example.label)
        assert set(counts) == {"animals", "food", "school", "weather"}
        assert min(counts.values()) * 2 > max(counts.values())
        assert {len(example.label) for example in part.examples} == {0, 1, 2}
    for part in both("tag"):
        counts = Counter(span.type for example in part.examples for span in entity_spans(example.tags or ()))
        assert set(counts) == {"PER", "LOC", "ORG"} and min(counts.values()) * 2 >= max(counts.values())
        assert any(not set(example.tags or ()) - {"O"} for example in part.examples)


def test_the_columns_of_one_file_are_three_tasks():
    """Names, parts of speech and phrases: of the known sets, and in accord with each other."""
    for names, speech, phrases in zip(both("conll2003"), both("conll2003-pos"), both("conll2003-chunk"), strict=True):
        assert set(speech.labels) <= PENN_TREEBANK
        assert {label[2:] for label in phrases.labels if label != "O"} <= PHRASES and phrases.notes == ()
        for of_names, of_speech, of_phrases in zip(names.examples, speech.examples, phrases.examples, strict=True):
            assert of_names.words == of_speech.words == of_phrases.words
            check_tags(of_names.words, of_names.tags, of_speech.tags, of_phrases.tags)


def check_tags(words, names, speech, phrases):
    """What holds of all English text so tagged, whatever the words are."""
    kinds = [phrase[2:] for phrase in phrases]
    assert all(phrases[i] == "O" or phrases[i][0] == "B" or kinds[i - 1] == kinds[i] for i in range(len(words))), words
    assert all(kind == "VP" for kind, tag in zip(kinds, speech, strict=True) if tag in VERBS), words
    assert all(kind == "NP" for kind, tag in zip(kinds, speech, strict=True) if tag[:2] in ("NN", "PR", "DT")), words
    assert all(kind in ("PP", "SBAR") for kind, tag in zip(kinds, speech, strict=True) if tag == "IN"), words
    assert all((tag in ".,") == (word in ".,?!") for word, tag in zip(words, speech, strict=True)), words
    for span in entity_spans(names):
        assert all(tag.startswith("NNP") or tag in ("IN", "DT") for tag in speech[span.start : span.end]), words
    for span in entity_spans(phrases):
        tags = set(speech[span.start : span.end])
        assert span.type != "VP" or tags & VERBS, words
        assert span.type != "NP" or tags & NOUNS, words


def test_answers_stand_at_their_characters_as_whole_words():
    for part in (*both("squad"), *both("squad2")):
        for example in part.examples:
            for text, start in example.answers:
                assert example.passage[start : start + len(text)] == text
                around = example.passage[:start][-1:] + example.passage[start + len(text) :][:1]
                assert not re.search(r"\w", around), (example.question, text)
        unanswerable = sum(not example.answers for example in part.examples)
        few, many = (0.1, 0.3) if TASKS[part.task].has_unanswerable else (0.0, 0.0)
        assert few <= unanswerable / len(part.examples) <= many


def test_the_right_ending_is_at_every_place_equally_often_and_not_to_be_told_by_its_length():
    for part in (*both("swag"), *both("commonsenseqa")):
        count = len(part.examples)
        places = Counter(example.label for example in part.examples)
        assert {len(example.endings) for example in part.examples} == {len(places)}
        assert max(places.values()) - min(places.values()) <= count % len(places)
        if part.task == "commonsenseqa":
            assert all(len(set(example.endings)) == 5 for example in part.examples)
            lengths = [([len(ending) for ending in example.endings], example.label) for example in part.examples]
            assert sum(of_endings[right] == max(of_endings) for of_endings, right in lengths) <= count * 0.35


def test_summaries_are_short_and_do_not_always_begin_at_the_top():
    for part in both("summaries"):
        labels = [example.labels for example in part.examples if isinstance(example, SummaryExample)]
        assert all(6 <= len(row or ()) <= 10 and 2 <= sum(row or ()) <= 4 for row in labels)
        assert {row[0] for row in labels if row} == {True, False}


def test_the_built_in_model_knows_the_words():
    """No unknown piece, and hardly more than a piece for a word."""
    tokenizer = Tokenizer.from_folder(built_in_checkpoint())
    lines = [text for task in FOLDERS.values() for part in both(task) for e in part.examples for text in texts(e)]
    encodings = [tokenizer.encode(line.replace("|", " "), max_length=10_000) for line in lines]
    assert not any(encoding.unknown for encoding in encodings)
    words = sum(len(re.findall(r"\w+|[^\w\s]", line.replace("|", " "))) for line in lines)
    assert sum(len(encoding.tokens) - 2 for encoding in encodings) < 1.25 * words
