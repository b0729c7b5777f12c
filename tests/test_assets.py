"""The sample corpus: what it promises to a tiny model, and that its script still makes it."""

import importlib.util
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from bertcore.locations import sample_corpus
from bertcore.tokenizer.tokenizer import Tokenizer

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


@pytest.fixture(scope="module")
def small_world():
    return script("make_small_world")


@pytest.fixture(scope="module")
def german(maker):
    return script("make_geschichten")


@pytest.fixture(scope="module")
def drills(maker):
    return script("make_drills")


@pytest.fixture(scope="module")
def mirror():
    return script("make_mirror")


def test_the_drills_are_the_same_each_time_and_answer_no_question(drills):
    documents = drills.make_documents(per_plot=40)
    assert documents == drills.make_documents(per_plot=40) and len(documents) == len(set(documents)) > 300
    answered = drills.held_back()
    assert len(answered) > 500 and all("[mask]" not in sentence for sentence in answered)
    whole = "\n".join(documents).lower()
    assert not [sentence for sentence in answered if sentence in whole]
    assert not re.findall(r"[{}\[\]|]", whole)


def test_a_verb_of_the_drills_agrees_with_the_noun_that_it_belongs_to(drills, maker):
    """Not with the one that stands nearer, in all sentences of the plots about it that have only these words."""
    tables = maker.read_tables(FOLDER / "drills" / "words.txt")
    one = {row["name"]: row["many"] for row in (*tables["objects"], *tables["texts"])}
    text = " ".join(drills.make_documents(per_plot=100))
    found = re.findall(
        r"The (\w+) (?:of|for|about|with|between|behind) the (\w+) (is|are|was|were|seems?|looks?) ", text
    )
    several = [verb for head, _, verb in found if head in one.values()]
    single = [verb for head, near, verb in found if head in one and near in one.values()]
    assert len(several) > 50 and set(several) <= {"are", "were", "seem", "look"}
    assert len(single) > 50 and set(single) <= {"is", "was", "seems", "looks"}
    made = [row["name"] for row in tables["made"] if row["is"] == "are"]
    assert len(made) > 5 and not re.findall(rf"[.?!] ({'|'.join(made)}) (?:is|comes)\b", text, re.IGNORECASE)


def plots_of(maker, tables):
    return [plot for path in (FOLDER / "plots").glob("*.txt") for plot in maker.read_plots(path, tables)]


def test_scripts_make_the_texts_byte_for_byte(maker, small_world, mirror):
    for file, made in {sample_corpus(): maker.make_corpus(), **small_world.files(), **mirror.files()}.items():
        assert file.read_bytes() == made.encode()
    assert maker.make_corpus(per_plot=2) != maker.make_corpus(seed=maker.SEED + 1, per_plot=2)


def test_german_nouns_have_their_forms(german):
    for noun, form, adjective, expected in (
        ("der Bär,Bären", "den", "alt", "den alten Bären"),
        ("der Bär,Bären", "ein", "alt", "ein alter Bär"),
        ("der Hund", "einem", "müde", "einem müden Hund"),
        ("die Katze", "einem", "klein", "einer kleinen Katze"),
        ("die Katze", "den", "", "die Katze"),
        ("das Haus", "ein", "hoch", "ein hohes Haus"),
        ("das Kleid", "einen", "rosa", "ein rosa Kleid"),
        ("das Haus", "diesen", "neu", "dieses neue Haus"),
    ):
        assert german.Noun.of(noun).form(form, adjective, "f") == expected
    assert german.Noun.of("der Ball").form("seinen", "", "f") == "ihren Ball"
    assert german.Noun.of("die Tasche").form("sein", "", "m") == "seine Tasche"


def test_the_german_text_is_the_same_each_time_and_answers_no_question(german):
    texts = german.make_corpus(share=0.05)
    assert texts == german.make_corpus(share=0.05) and list(texts) == list(german.NAMES)
    answered = german.held_back()
    assert len(answered) > 80 and all("[MASK]" not in sentence for sentence in answered)
    whole = "".join(texts.values())
    assert not [sentence for sentence in answered if sentence in whole]
    assert set(re.findall(r"[^A-Za-zÄÖÜäöüß .,:?!„“\n-]", whole)) == set(), "no slot is left open"
    assert not re.search(r"\b(in|an|von|bei) dem\b", whole), "im, am, vom, beim"


def test_a_cased_vocabulary_of_german_reads_as_in_transformers(german, tmp_path):
    """Accents are kept: "schön" is not "schon"."""
    transformers = pytest.importorskip("transformers")
    text, _ = german.make_corpus(share=0.02).values()
    tokenizer = Tokenizer.train(text.split("\n"), 1500, lowercase=False)
    tokenizer.save(tmp_path)
    theirs = transformers.BertTokenizer(str(tmp_path / "vocab.txt"), do_lower_case=False, strip_accents=False)
    auto = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for line in (
        "Über Größe, „Bären“ und schöne Äpfel!",
        "naïve Straßen, Œuvre; ÜBER 12 bären",
        *text.split("\n")[:400:2],
    ):
        ids = tokenizer.encode(line).ids
        assert ids == theirs(line)["input_ids"] == auto(line)["input_ids"]
    assert tokenizer.encode("schön").ids != tokenizer.encode("schon").ids


def test_the_corpus_is_plain_text_of_one_to_two_megabytes_in_few_words(text):
    """Stories are separated by one blank line, and paragraphs are lines."""
    assert 1_000_000 <= len(text) <= 1_600_000
    assert set(re.findall(r"[^A-Za-z .,:?!\"'\n]", text)) == set()  # no digits, tabs, braces or brackets
    assert "\n\n\n" not in text and text.endswith("\n")
    assert all(line == line.strip() for line in text.splitlines())
    assert all(re.search(r'[.!?]"?$', line) for line in text.splitlines() if line)
    assert re.findall(r"\b(\w+) \1\b", text, flags=re.IGNORECASE) == []  # no word twice in a row
    assert 1_200 <= len(set(re.findall(r"[a-z']+", text.lower()))) <= 2_000


def test_every_plot_yields_its_short_stories(text, stories, maker):
    plots = plots_of(maker, maker.read_tables(FOLDER / "words.txt"))
    assert len(plots) >= 25
    assert len(stories) == len(plots) * maker.STORIES_PER_PLOT
    assert all(6 <= len(story) <= 14 for story in stories)
    assert all(60 <= len(story.split()) <= 160 for story in text.strip().split("\n\n"))


def test_most_sentences_are_distinct_also_for_held_out_stories(stories):
    sentences = [sentence for story in stories for sentence in story]
    assert len(set(sentences)) / len(sentences) > 0.70
    held_out = len([sentence for story in stories[: len(stories) // 10] for sentence in story])
    known = set(sentences[held_out:])
    assert sum(sentence not in known for sentence in sentences[:held_out]) / held_out > 0.60


def test_no_two_stories_are_near_duplicates(text, maker):
    """Over a sample that crosses the plots: the script itself compares only within a plot."""
    found = [maker.shingles(story) for story in text.strip().split("\n\n")[:700]]
    nearest = max(maker.overlap(one, other) for i, one in enumerate(found) for other in found[:i])
    assert nearest < maker.MAX_SHARED_SHINGLES


def test_articles_fit_the_next_word(text):
    assert re.findall(r"\b[Aa] [aeiouAEIOU]\w*", text) == []
    assert set(re.findall(r"\b[Aa]n ([^aeiouAEIOU\W]\w*)", text)) <= AN_WITHOUT_VOWEL


def test_sentences_begin_with_a_capital_and_quotes_are_closed(stories):
    for story in stories:
        assert all(re.match(r'"?[A-Z]', sentence) for sentence in story)
        assert sum(sentence.count('"') for sentence in story) % 2 == 0


def test_a_pronoun_never_stands_for_two_people(maker):
    """Where a story has two children, they are a boy and a girl, so that "he" and "she" can be told apart."""
    tables = maker.read_tables(FOLDER / "words.txt")
    for plot in plots_of(maker, tables):
        roles = [role for role in plot.roles if role.table is tables["children"]]
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
    others = {
        name
        for name in left_out
        if not name.startswith(("corpus/plots/", "corpus/geschichten/", "corpus/drills/", "corpus/.git"))
    }
    assert {name for name in others if not re.fullmatch("languages/.*/sources.json", name)} == set()  # for translators


def test_the_small_world_has_one_right_word_behind_each_mask(small_world):
    """Each fact is told often, and no story contradicts it or is about two people."""
    questions = list(small_world.questions())
    assert len(questions) == len({question["text"] for question in questions}) == 64
    stories = list(small_world.stories())
    for question in questions:
        before, after = question["text"].split("[MASK]")
        found = Counter(re.findall(re.escape(before) + r"(\w+)" + re.escape(after), " ".join(stories)))
        assert set(found) == set(question["answers"]) and found.total() >= 20, question
    names = {person.name for person in small_world.PEOPLE}
    assert all(len(names & set(re.findall(r"\w+", story))) == 1 for story in stories)


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
    places = Counter(question["text"].split().index("[MASK]") for question in mirror.questions())
    assert places == Counter(dict.fromkeys(range(mirror.LENGTH), mirror.QUESTIONS))  # each equally often
