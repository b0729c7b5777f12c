"""The sample corpus: what it promises to a tiny model, and that its script still makes it."""

import importlib.util
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from bertcore.locations import sample_corpus

FOLDER = sample_corpus().parent
AN_WITHOUT_VOWEL = {"hour"}  # words that take "an" though they begin with a consonant


def script(name):
    """A generator script as a module."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up here
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def maker():
    return script("make_stories")


@pytest.fixture(scope="module")
def text():
    return sample_corpus().read_bytes().decode("utf-8")


@pytest.fixture(scope="module")
def stories(text, maker):
    """Sentences of every story."""
    return [
        [sentence for paragraph in story.split("\n") for sentence in maker.sentences_of(paragraph)]
        for story in text.strip().split("\n\n")
    ]


def share_unseen(held_out, seen):
    """The share of held-out sentences that do not stand in the other stories."""
    known = {sentence for story in seen for sentence in story}
    sentences = [sentence for story in held_out for sentence in story]
    return sum(sentence not in known for sentence in sentences) / len(sentences)


def test_script_makes_the_corpus_byte_for_byte(maker):
    assert maker.make_corpus().encode("utf-8") == sample_corpus().read_bytes()


def test_another_seed_makes_other_stories(maker):
    small = maker.make_corpus(per_plot=2)
    assert small == maker.make_corpus(per_plot=2)
    assert small != maker.make_corpus(seed=maker.SEED + 1, per_plot=2)


def test_corpus_is_plain_ascii_of_one_to_two_megabytes(text):
    assert text.isascii()
    assert 1_000_000 <= len(text) <= 1_600_000
    assert set(re.findall(r"[^A-Za-z .,:?!\"'\n]", text)) == set()  # no digits, tabs, braces or brackets


def test_stories_are_separated_by_one_blank_line_and_paragraphs_are_lines(text):
    assert text.endswith((".\n", '"\n', "!\n", "?\n"))
    assert "\n\n\n" not in text
    assert all(line == line.strip() for line in text.splitlines())
    assert all(re.search(r'[.!?]"?$', line) for line in text.splitlines() if line)


def test_every_plot_yields_its_stories(stories, maker):
    tables = maker.read_tables(FOLDER / "words.txt")
    plots = [plot for path in (FOLDER / "plots").glob("*.txt") for plot in maker.read_plots(path, tables)]
    assert len(plots) >= 25
    assert len(stories) == len(plots) * maker.STORIES_PER_PLOT


def test_stories_are_short(text, stories):
    assert all(6 <= len(story) <= 14 for story in stories)
    assert all(60 <= len(story.split()) <= 160 for story in text.strip().split("\n\n"))


def test_vocabulary_is_small_enough_to_learn_in_minutes(text):
    words = Counter(re.findall(r"[a-z']+", text.lower()))
    assert 1_200 <= len(words) <= 2_000


def test_most_sentences_are_distinct_also_for_held_out_stories(stories):
    sentences = [sentence for story in stories for sentence in story]
    assert len(set(sentences)) / len(sentences) > 0.70
    tenth = len(stories) // 10
    assert share_unseen(stories[:tenth], stories[tenth:]) > 0.60


def test_no_two_stories_are_near_duplicates(text, maker):
    """Over a sample that crosses the plots: the script itself compares only within a plot."""
    found = [maker.shingles(story) for story in text.strip().split("\n\n")[:700]]
    nearest = max(maker.overlap(one, other) for i, one in enumerate(found) for other in found[:i])
    assert nearest < maker.MAX_SHARED_SHINGLES


def test_articles_fit_the_next_word(text):
    assert re.findall(r"\b[Aa] [aeiouAEIOU]\w*", text) == []
    assert set(re.findall(r"\b[Aa]n ([^aeiouAEIOU\W]\w*)", text)) <= AN_WITHOUT_VOWEL


def test_no_word_stands_twice_in_a_row(text):
    assert re.findall(r"\b(\w+) \1\b", text, flags=re.IGNORECASE) == []


def test_sentences_begin_with_a_capital_and_quotes_are_closed(stories):
    for story in stories:
        assert all(re.match(r'"?[A-Z]', sentence) for sentence in story)
        assert sum(sentence.count('"') for sentence in story) % 2 == 0


def test_a_pronoun_never_stands_for_two_people(maker):
    """Where a story has two children, they are a boy and a girl, so that "he" and "she" can be told apart."""
    tables = maker.read_tables(FOLDER / "words.txt")
    children = tables["children"]
    for path in (FOLDER / "plots").glob("*.txt"):
        for plot in maker.read_plots(path, tables):
            roles = [role for role in plot.roles if role.table is children]
            assert len(roles) < 2 or roles[1].unlike == roles[0].name, plot.title


def test_names_and_work_are_shared_out_evenly(text, maker):
    """Our own text should teach no bias: boys and girls turn up about as often, and so do "he" and "she"."""
    words = Counter(re.findall(r"[A-Za-z]+", text))
    names = Path(FOLDER / "words.txt").read_text(encoding="utf-8")
    assert names.count("| m\n") > 20 and names.count("| f\n") > 20
    he, she = words["he"] + words["He"], words["she"] + words["She"]
    assert 0.8 < he / she < 1.25


def test_whatever_is_in_assets_is_installed_with_the_program():
    """A plain `pip install` takes what these patterns name, and nothing else."""
    root = FOLDER.parents[1]
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = settings["package-data"]["bertcore.assets"]
    installed = {file for pattern in patterns for file in (root / "assets").glob(pattern) if file.is_file()}
    every = {file for file in (root / "assets").rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc")}
    left_out = {file.relative_to(root / "assets").as_posix() for file in every - installed}
    for_translators = {name for name in left_out if name.startswith("languages/") and name.endswith("/sources.json")}
    others = {name for name in left_out if not name.startswith(("corpus/plots/", "corpus/.git"))}
    assert others - for_translators == set()


@pytest.fixture(scope="module")
def small_world():
    return script("make_small_world")


def test_script_makes_the_small_world_byte_for_byte(small_world):
    for file, made in small_world.files().items():
        assert file.read_bytes() == made.encode()


def test_the_small_world_has_one_right_word_behind_each_mask(small_world):
    """Each fact is told often, and no story contradicts it."""
    questions = list(small_world.questions())
    assert len(questions) == len({question["text"] for question in questions}) == 64
    stories = list(small_world.stories())
    for question in questions:
        before, after = question["text"].split("[MASK]")
        found = Counter(re.findall(re.escape(before) + r"(\w+)" + re.escape(after), " ".join(stories)))
        assert set(found) == set(question["answers"]) and found.total() >= 20, question


def test_a_story_of_the_small_world_is_about_one_person(small_world):
    names = {person.name for person in small_world.PEOPLE}
    for story in small_world.stories(200):
        assert len(names & set(re.findall(r"\w+", story))) == 1


@pytest.fixture(scope="module")
def mirror():
    return script("make_mirror")


def test_script_makes_the_mirrored_lines_byte_for_byte(mirror):
    for file, made in mirror.files().items():
        assert file.read_bytes() == made.encode()


def test_only_the_mirrored_letter_says_what_is_behind_a_mask(mirror):
    """Lines are palindromes, and none of those that are asked for is in the text."""
    lines = {tuple(line) for line in mirror.lines()}
    assert all(line == line[::-1] and len(line) == mirror.LENGTH for line in lines)
    for question in mirror.questions():
        letters = question["text"].split()
        place = letters.index("[MASK]")
        assert question["answers"] == [letters[-1 - place]]
        letters[place] = letters[-1 - place]
        assert tuple(letters) not in lines


def test_every_place_of_a_line_is_asked_for_equally_often(mirror):
    places = Counter(question["text"].split().index("[MASK]") for question in mirror.questions())
    assert places == Counter(dict.fromkeys(range(mirror.LENGTH), mirror.QUESTIONS))
