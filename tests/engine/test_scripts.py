"""The scripts behind what ships: fine-tuned models, made-up passages, books held out, what is said of a model."""

import gzip
import json
import lzma
import random
import shutil
import subprocess
import sys
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
import torch
import typer

from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.data.text import Documents
from bertcore.evaluation.sets import answer_cloze
from bertcore.locations import BUILT_IN, TUNED, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import as_example
from bertcore.tasks.readers.reading import TaskFile, read_task
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run
from scripts.make_model import BOOKS, DRY_STEPS, ROOT
from scripts.make_questions import HELD_OUT_NAMES, PARTS, part_file, read_facts, write_questions
from scripts.make_tuned import main as make_tuned
from scripts.make_tuned import simple_answers
from scripts.shipping import FinishedRun, recipes_of, thinned_run
from scripts.split_books import main as split_books
from scripts.what_pretraining_buys import TRIALS, _run, always_the_commonest, shown
from scripts.write_difference import with_mantissa
from tests.engine.corpora import STORIES
from tests.engine.models import tiny_checkpoint, tiny_model, word_tokenizer
from tests.engine.training_runs import metrics, tiny_run, write_text
from tests.text_file import text_file


def test_runs_from_random_weights_are_shared_by_checkpoints_of_one_architecture_alone(tmp_path):
    model, twin = tiny_checkpoint(tmp_path / "model"), tmp_path / "twin"
    shutil.copytree(model, twin)
    (twin / "model.safetensors").write_bytes(b"other weights")
    deeper = tiny_checkpoint(tmp_path / "deeper", num_hidden_layers=3)

    def run(kind, folder, rate=None, seed=1):
        return _run(tmp_path, TRIALS[0], kind, seed, str(folder), rate)

    assert run("random", model) == run("random", twin) != run("random", deeper)
    assert run("pretrained", model) != run("pretrained", twin)
    assert run("random", model, 1e-4) != run("random", model) != run("pretrained", model)
    assert run("random", model, seed=2) != run("random", model)


def test_always_the_commonest_answer_by_hand():
    labels = ("different", "same")
    examples = tuple(TextExample("a", "b", label) for label in ("same", "different", "same", "same"))
    found = always_the_commonest(TaskFile("mrpc", Path("dev.tsv"), "dev", examples, labels, None, 0, ()))
    assert (found["accuracy"], found["matthews_correlation"]) == (0.75, 0.0)
    assert found["f1"] == pytest.approx(2 * 0.75 * 1 / 1.75)  # precision 3 of 4, recall 1
    assert always_the_commonest(TaskFile("conll2003", Path("eng.testa"), "dev", (), ("O",), None, 0, ())) == {}
    assert (shown([0.7, 0.8, 0.9]), shown([0.5])) == ("0.800 ± 0.100", "0.500")  # over the seeds
    assert as_example("classify", "A fine film.", " ") == as_example("classify", "A fine film.")


def test_fewer_bits_of_the_mantissa_are_the_nearest_numbers_that_have_them():
    values = torch.tensor([1.0, 1.03, 1.04, -0.02, 3e-5, 0.0, 1.99])
    assert with_mantissa(values, 4).tolist() == pytest.approx([1.0, 1.0, 1.0625, -0.01953125, 2.956390e-5, 0.0, 2.0])
    noise = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    assert float(((with_mantissa(noise, 4) - noise) / noise).abs().max()) <= 2**-5


def _small_text(folder, recipes):
    """A file of every name that the recipes read and that is not our own, the books of invented people so that they can
    be split."""
    documents = STORIES.split("\n\n")
    folder.mkdir()
    names = dict.fromkeys(name for recipe in recipes for name in recipe.data.mixture if name.endswith(".xz"))
    for number, name in enumerate(names):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        with lzma.open(file, "wt", encoding="utf-8") as text:
            text.write("\n\n".join(documents[number : number + 20]))
    with lzma.open(folder / BOOKS, "wt", encoding="utf-8") as text:
        text.write("\n\n".join(_part(book, part, random.Random(0)) for book in range(40) for part in range(PART_COUNT)))


@pytest.mark.slow  # a minute, most of it the vocabulary and the measurements
def test_one_command_makes_a_model_from_nothing_and_goes_on_where_it_was_stopped(tmp_path):
    recipes = [PretrainOptions.from_file(assets() / "recipes" / f"{name}.json") for name in recipes_of(BUILT_IN)]
    _small_text(tmp_path / "text", recipes)
    command = [sys.executable, "scripts/make_model.py", BUILT_IN, str(tmp_path / "text"), "--dry-run"]
    for number, recipe in enumerate(recipes):
        file = tmp_path / f"recipe-{number}.json"
        file.write_text(json.dumps({**recipe.to_dict(), "preset": "tiny", "model": {}}))
        command += ["--recipe", str(file)]
    for flag in ("out", "into"):
        command += [f"--{flag}", str(tmp_path / flag)]
    for _ in range(2):  # the second time nothing is trained again
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        for name in recipes_of(BUILT_IN):
            status = RunFolder(tmp_path / "out" / name).status()
            assert (status.state, status.step) == ("done", DRY_STEPS)
    shipped = tmp_path / "into" / "assets" / "checkpoints" / "bertscope-mini"
    checkpoint = load_checkpoint(shipped)
    assert checkpoint.step == 2 * DRY_STEPS and not checkpoint.missing
    card = (shipped / "README.md").read_text()
    for kind in ("books", "encyclopedia", "everyday A", "everyday B", "news"):
        assert f"| {kind} |" in card
    assert (shipped / "reference.json").is_file()
    assert (tmp_path / "into" / "docs" / "cloze-bertscope-mini.md").is_file()
    curves = (tmp_path / "into" / "assets" / "runs" / "bertscope-mini" / "metrics.jsonl").read_text()
    assert str(tmp_path) not in curves + card


def test_a_run_that_went_on_from_another_ships_as_one(tmp_path, fast_disk):
    first, second = tmp_path / "first", tmp_path / "second"
    options = tiny_run(write_text(tmp_path), steps=12)
    start_run(options, first, resume=False)
    start = str(RunFolder(first).snapshots()[-1][1])
    start_run(options.with_changes(start=start, tokenizer=start, steps=6), second, resume=False)
    ships = tmp_path / "ships"
    before = RunFolder(thinned_run(FinishedRun.of(RunFolder(first)), ships, 3, corpus=("text",)))
    kept = [step for step, _ in before.snapshots()]
    finished = FinishedRun.of(RunFolder(second), before)
    steps, tokens = finished.totals
    whole = RunFolder(thinned_run(finished, ships, 3, corpus=("text",)))  # in its place
    assert whole.path == ships and [step for step, _ in whole.snapshots()] == kept and kept[0] == 0
    assert steps == whole.status().step == whole.config()["training"]["steps"] == 18
    assert whole.status().elapsed_s > RunFolder(first).status().elapsed_s
    lines = list(whole.tail().read_new())
    for key, total in (("step", steps), ("tokens", tokens)):
        counts = [line[key] for line in lines if key in line]
        assert counts == sorted(counts) and counts[-1] == total
    losses = [line["loss"] for line in lines if line["kind"] == "train"]
    assert losses == [line["loss"] for run in (first, second) for line in metrics(run) if line["kind"] == "train"]
    measured = [line["step"] for line in lines if line["kind"] == "held_out"]
    assert measured == sorted(set(measured)) and measured[-1] == 18


# --- fine-tuned models, from a small model as the built-in one and on sample files

SENTIMENT = TUNED[0]


def test_it_trains_stores_measures_and_writes_a_card_and_does_nothing_twice(tmp_path, monkeypatch, capsys):
    shutil.copytree(assets() / "tasks" / "sentiment", tmp_path / "tasks" / "sst2")
    base = tmp_path / "checkpoints" / BUILT_IN
    save_checkpoint(tiny_model(), word_tokenizer(), base, name=BUILT_IN, store_as=torch.float16)
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    for number in range(2):
        make_tuned(tmp_path / "tasks", [SENTIMENT], tmp_path / "runs", tmp_path / "checkpoints", 1, 4, 2)
        said = capsys.readouterr().out
        assert said.count("Training") == (2 if number == 0 else 0)  # from the model, from random weights
    folder = tmp_path / "checkpoints" / SENTIMENT
    about = json.loads((folder / "bertscope.json").read_text(encoding="utf-8"))
    assert about["step"] == 2 and about["base"]["name"] == BUILT_IN and 0 <= about["metrics"]["accuracy"] <= 1
    assert load_checkpoint(folder).config.labels == ("negative", "positive")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"| accuracy | {about['metrics']['accuracy']:.3f} |" in card and "| negation |" in card
    assert "{" not in card and str(tmp_path) not in card
    save_checkpoint(tiny_model(seed=1), word_tokenizer(), base, name=BUILT_IN, store_as=torch.float16)
    make_tuned(tmp_path / "tasks", [SENTIMENT], tmp_path / "runs", tmp_path / "checkpoints", 1, 4, 2)
    assert "Training" in capsys.readouterr().out  # of another version of the built-in model all is made again


def test_the_simple_ways_to_answer_by_hand():
    train = (TaggedExample(("Anna", "saw", "Paris"), ("B-PER", "O", "B-LOC")), TaggedExample(("Paris",), ("B-LOC",)))
    dev = (TaggedExample(("Paris", "saw", "Tom"), ("B-LOC", "O", "B-PER")),)
    labels = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    files = [TaskFile("conll2003", Path("x"), "train", each, labels, "BIO", 0, ()) for each in (train, dev)]
    found = simple_answers(*files)
    assert (found["precision"], found["recall"]) == (1.0, 0.5)
    question = AnswerExample("1", "Who built the mill?", "It rained. Tom built the mill.", (("Tom", 11),))
    spans = TaskFile("squad", Path("x"), "dev", (question,), (), None, 0, ())
    found = simple_answers(spans, spans)
    assert found["exact_match"] == 0 and found["f1"] == pytest.approx(2 * (1 / 3) / (1 / 3 + 1))  # "tom built mill"


# --- the made-up passages that the answering model learns from


def published(folder):
    """Twelve articles with a question each, in SQuAD's format."""
    answers = [{"text": "The cat", "answer_start": 0}]
    articles = []
    for i in range(12):
        asked = [{"id": f"p{i}", "question": "Who sat?", "answers": answers}]
        articles.append({"title": f"{i}", "paragraphs": [{"context": "The cat sat.", "qas": asked}]})
    return text_file(folder / "published.json", json.dumps({"version": "1.1", "data": articles}))


def read(file):
    found = read_task("squad", file)
    assert found.dropped == 0 and found.notes == ()  # every answer is where the file says
    return found.examples


def test_made_questions(tmp_path):
    """Each answer is in its passage, what is held out is not trained on, and they are the same each time."""
    made, again = tmp_path / "made", tmp_path / "again"
    for folder in (made, again):
        write_questions(published(tmp_path), folder, 60)
    one, other = ([file.read_bytes() for file in sorted(folder.iterdir())] for folder in (made, again))
    assert one == other
    for name in ("train", "dev", *PARTS):
        for example in read(part_file(made, name)):
            ((text, start),) = example.answers
            assert example.passage[start : start + len(text)] == text and "{" not in example.question
    train, dev = (read(made / f"{name}.json") for name in ("train", "dev"))
    assert not {each.id for each in train} & {each.id for each in dev}
    assert len(read(part_file(made, "encyclopedia"))) == 2  # every sixth article, whole
    facts, words = read_facts()
    wordings = [Formatter().parse(wording) for fact in facts if fact.is_new for wording in fact.wordings]
    new = [max((literal for literal, *_ in parts), key=len) for parts in wordings]
    assert len(new) >= 5 and not [each.id for each in train if any(words in each.passage for words in new)]
    assert any(words in each.passage for words in new for each in dev)
    for name in words["last"][-HELD_OUT_NAMES:]:
        assert not any(f" {name} " in each.passage for each in train)


# --- whole books are held out of a text whose documents are parts of unnamed books

BOOK_COUNT, PART_COUNT = 12, 7


def _name(book, person):
    return f"{'BCDFGHKLMN'[book % 10]}{'ae'[book // 20]}l{'ou'[book // 10 % 2]}dax{'aeiou'[person]}n"


def _part(book, part, rng):
    people = [_name(book, person) for person in range(3)]
    lines = [f"In part {part} a {rng.choice(['king', 'cook'])} met {person}, and {person} spoke." for person in people]
    return "\n".join(line for line in lines for _ in range(5))


def _doubtful(book):
    """Has a character of a book, but no name in mid-sentence."""
    return "\n".join(f"{_name(book, 0)} came on day {day}." for day in range(3))


@pytest.fixture
def text(tmp_path):
    rng = random.Random(0)
    documents = [_part(book, part, rng) for book in range(BOOK_COUNT) for part in range(PART_COUNT)]
    documents += [_doubtful(book) for book in range(BOOK_COUNT)]
    rng.shuffle(documents)
    return "\n\n".join(documents) + "\n"


def _split(file, out):
    split_books(file, out, 0.2)
    files = (out / f"books-{part}.txt.xz" for part in ("train", "held-out"))
    return tuple({"\n".join(document) for document in Documents([file])} for file in files)


def test_whole_books_are_held_out_and_what_may_belong_to_them_is_not_trained_on(tmp_path, text):
    """The files are the same each time, and for packed text."""
    plain, packed = text_file(tmp_path / "books.txt", text), tmp_path / "books.txt.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    train, held_out = _split(plain, tmp_path / "one")
    assert (train, held_out) == _split(plain, tmp_path / "two") == _split(packed, tmp_path / "three")
    for part in ("train", "held-out"):
        made = [(tmp_path / out / f"books-{part}.txt.xz").read_bytes() for out in ("one", "two", "three")]
        assert made == [made[0]] * 3
    documents = set(text.rstrip("\n").split("\n\n"))
    assert train | held_out <= documents and not train & held_out
    books = [{document for document in documents if _name(book, 1) in document} for book in range(BOOK_COUNT)]
    chosen = [book for book, parts in enumerate(books) if parts <= held_out]
    assert held_out == set().union(*(books[book] for book in chosen))
    assert 0.2 * BOOK_COUNT <= len(chosen) <= 0.2 * BOOK_COUNT + 1
    assert documents - train - held_out == {_doubtful(book) for book in chosen}
    plain.write_text("It rained.\n\nIt snowed.\n")
    with pytest.raises(typer.BadParameter, match="No 6 to 12 documents of .*books.txt share rare names"):
        split_books(plain, tmp_path / "out", 0.2)
    assert not (tmp_path / "out").exists()


# --- the demos of the Train room learn what they promise


def _train(recipe, text, run, seed):
    options = PretrainOptions.from_file(assets() / "recipes" / f"{recipe}.json")
    corpus, questions = assets() / "corpus" / f"{text}.txt", assets() / "evaluation" / f"{text}.jsonl"
    start_run(options.with_changes(corpus=(str(corpus),), questions=str(questions), seed=seed), run, resume=False)
    return RunFolder(run)


@pytest.mark.slow  # half a minute
@pytest.mark.parametrize("seed", [1, 2])
def test_nine_of_ten_questions_are_right_at_the_end_and_were_wrong_at_the_start(tmp_path, seed):
    run = _train("class-demo", "small-world", tmp_path / "run", seed)
    questions = read_cloze(assets() / "evaluation" / "small-world.jsonl")
    snapshots = run.snapshots()
    first, last = (answer_cloze(load_checkpoint(snapshots[i][1]), questions).score.top1.value for i in (0, -1))
    assert first <= 0.1 and last >= 0.9
    shares = [line["questions"]["right"] / line["questions"]["of"] for line in metrics(run.path, "held_out")]
    assert (shares[0], shares[-1]) == (first, last) and len(shares) > 20


@pytest.mark.slow  # some five seconds each
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_one_head_of_the_ten_second_demo_looks_at_the_mirrored_letter(tmp_path, seed):
    """On lines that it has never read: the letter behind the mask, and where the head looks, from each place."""
    run = _train("ten-seconds", "mirror", tmp_path / "run", seed)
    questions = read_cloze(assets() / "evaluation" / "mirror.jsonl")
    untrained, trained = (load_checkpoint(run.snapshots()[i][1]) for i in (0, -1))
    assert (trained.config.num_hidden_layers, trained.config.num_attention_heads) == (1, 1)
    assert answer_cloze(untrained, questions).score.top1.value < 0.2
    assert answer_cloze(trained, questions).score.top1.value > 0.95
    mirrored = []
    for question in questions:
        encoding = trained.tokenizer.encode(question.text)
        attention = trace(trained.model, encoding.ids, encoding.segments, mlm_positions=[]).attentions[0, 0]  # (S,S)
        letters = np.arange(1, len(encoding) - 1)
        mirrored.append(attention[letters, len(encoding) - 1 - letters].mean())
    assert np.mean(mirrored) > 0.8
