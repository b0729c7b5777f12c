"""Exercises to write oneself: what is marked right, which mistakes are found, and how hostile files end."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest

from bertcore import exercises
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.exercises import EXERCISES, SAYS, mark, sentences, ways_of
from bertcore.locations import assets, built_in_checkpoint
from bertcore.student_code import answers_of
from tests.limited import needs_limits

HERE = Path(__file__).parent
WRONG = [(exercise, way) for exercise in EXERCISES for way in ways_of(exercise) if "__" in way]


def solution(exercise):
    return (HERE / f"solved_{exercise}.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gaps():
    checkpoint = load_checkpoint(built_in_checkpoint())
    return {exercise: gaps_of(checkpoint) for exercise, gaps_of in EXERCISES.items()}


@pytest.fixture
def with_body(tmp_path, monkeypatch, gaps):
    """What is said of `attend`, where its body is this; of what is before it nothing is asked."""
    monkeypatch.setattr(exercises, "ways_of", lambda _: {"attend__columns": ways_of("attention")["attend__columns"]})
    monkeypatch.setitem(EXERCISES, "attention", lambda _checkpoint: gaps["attention"])

    def said(body, before=""):
        file = tmp_path / "mine.py"
        file.write_text(f"import numpy as np\n{before}\ndef attend(weights, value):\n    {body}\n", encoding="utf-8")
        (found,) = mark(file)
        assert not found.is_right
        return found.says.format(**found.values)

    return said


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_solution_is_right_and_the_file_with_gaps_is_open(exercise, tmp_path):
    found = list(mark(HERE / f"solved_{exercise}.py"))
    assert [one.name for one in found if not one.is_right] == []
    given = list(mark(assets() / "exercises" / f"{exercise}.py"))
    assert [one.name for one in given] == [one.name for one in found]
    assert {one.says for one in given} == {SAYS["open"]}


def test_what_the_engine_wants_is_what_transformers_computes(gaps):
    """Embeddings, and head 1 of layer 2, of the same batch of a text and a shorter one."""
    transformers = pytest.importorskip("transformers")
    import torch

    model = transformers.BertModel.from_pretrained(built_in_checkpoint(), attn_implementation="eager").eval()
    tokenizer = load_checkpoint(built_in_checkpoint()).tokenizer
    long, short = (tokenizer.encode(*pair) for pair in exercises.TEXTS)
    ids, allowed = torch.zeros(2, len(long.ids), dtype=int), torch.zeros(2, len(long.ids), dtype=int)
    for row, each in enumerate((long, short)):
        ids[row, : len(each.ids)], allowed[row, : len(each.ids)] = torch.tensor(each.ids), 1
    segments = torch.tensor([long.segments, [0] * len(long.ids)])
    with torch.no_grad():
        found = model(ids, allowed, segments, output_attentions=True, output_hidden_states=True)
    wanted = {name: gap.wanted[0] for name, gap in gaps["attention"].items()}
    np.testing.assert_allclose(wanted["embed"], found.hidden_states[0][0], atol=1e-4)
    rows = len(short.ids)  # what padding looks at nobody asks
    np.testing.assert_allclose(wanted["attention_weights"][:rows], found.attentions[1][1, 0, :rows], atol=1e-4)


@pytest.mark.parametrize("file", sorted((assets() / "languages").glob("*/exercises/*.py")), ids=str)
def test_a_translated_exercise_is_the_same_in_other_words(file):
    def code(of):
        tree = ast.parse(of.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef):
                node.body = node.body[1:]  # without what it says
        return ast.dump(tree)

    assert code(file) == code(assets() / "exercises" / file.name)


def test_a_text_of_twenty_words_has_three_chosen(gaps):
    is_special = gaps["masking"]["choose"].given["is_special"]
    assert (~is_special).sum() == 20 and set(gaps["masking"]["choose"].wanted.sum(1)) == {3}


@pytest.mark.parametrize(("exercise", "way"), WRONG, ids=[way for _, way in WRONG])
def test_a_likely_mistake_is_found_with_its_hint(exercise, way, tmp_path, monkeypatch, gaps):
    name, ways = way.partition("__")[0], ways_of(exercise)
    says, hint = sentences(ways[way])  # both are there
    monkeypatch.setattr(exercises, "call", lambda _code, _name, given, draws: answers_of(ways[way], given, draws))
    (found,) = [exercises._mark(b"", name, gaps[exercise][name], ways)]
    assert (found.says, found.hint) == (says, hint)


def test_another_mistake_is_not_taken_for_one_of_these(with_body):
    assert with_body("return weights @ value + 1") == SAYS["other"]


@pytest.mark.parametrize(
    ("body", "before", "says"),
    [
        ("return 1 / 0", "", "ZeroDivisionError: division by zero (line 4)"),
        ("return weights @", "", "SyntaxError: invalid syntax (line 4)"),
        ("return value", "import no_such_library", "ModuleNotFoundError: No module named 'no_such_library' (line 2)"),
        ("return 0 @ value", "print('hello')", "ValueError: matmul"),
        ("pass", "", "It returns no array of numbers: is `return` missing?"),
        ("return 'words'", "", "no array of numbers"),
        ("return [[1, 2], [3]]", "", "ValueError: "),
        ("return np.ones((9, 10**6))", "", "It returns an array of shape (9, 1000000), which is far too large."),
        ("return weights", "", "It returns an array of shape (23, 23); it should be (23, 64)."),
        ("value[:] = 0; return value", "", "It changes what it is given; begin with a copy, value = value.copy()"),
        ("return value * np.nan", "", "not finite"),
        ("return input()", "", "EOFError"),
        ("exit()", "", "SystemExit"),
        ("return attend(weights, value)", "", "RecursionError"),
        ("import os; os._exit(0)", "", "It ended the whole process"),
        ("import os; os.abort()", "", "It ended the whole process"),
        ("import os; os.remove(__file__)", "", "It may not do this here (os.remove): an exercise writes no files"),
        ("raise NotImplementedError('not yet')", "", "Nothing is written here yet."),
        ("open('left-here.txt', 'w')", "", "writes no files"),
        ("import subprocess; subprocess.run(['true'])", "", "starts nothing"),
        ("import os; os.kill(os.getppid(), 9)", "", "starts nothing"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "", "connects to nothing"),
    ],
)  # fmt: skip
def test_what_goes_wrong_in_a_students_file_is_one_sentence(body, before, says, with_body, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # what the file prints waits in a buffer, as for most people
    found = with_body(body, before)
    assert says in found and "\n" not in found and len(found) < 300
    assert not Path("left-here.txt").exists()


@needs_limits
@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("while True: pass", "did not end within 1 seconds"),
        ("import threading; threading.Event().wait()", "did not end within 1 seconds"),
        ("while True: print('again ' * 1000)", "did not end within 1 seconds"),
        ("return np.ones((10**6, 10**6))", "Unable to allocate"),
        ("return bytes(3 * 10**9)", "MemoryError"),
    ],
)
def test_time_and_memory_have_limits(body, says, with_body, monkeypatch):
    monkeypatch.setattr("bertcore.student_code.SECONDS", 1)
    monkeypatch.setattr("bertcore.student_code.WAITING_S", 8.0)
    monkeypatch.setattr(exercises, "SECONDS", 1)
    assert says in with_body(body)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "lacks functions"),
        (b"def attend(weights, value):\n    pass\n", "lacks functions"),
        (b"x" * 300_000, "larger than"),
        (os.urandom(2000), "lacks functions"),
    ],
)
def test_a_file_of_no_exercise_is_refused(content, says, tmp_path):
    file = tmp_path / "mine.py"
    file.write_bytes(content)
    with pytest.raises(BertcoreError, match=says):
        list(mark(file))
    with pytest.raises(BertcoreError, match="could not be opened"):
        list(mark(tmp_path / "none.py"))


def test_a_file_that_is_not_python_ends_with_a_sentence(tmp_path):
    names = {way.partition("__")[0] for way in ways_of("masking")}
    for content in (b"\0", b"\xff\xfe", b"(" * 5000, b"    x\n  y"):
        file = tmp_path / "mine.py"
        file.write_bytes(content + b"\n" + b"\n".join(f"def {name}(".encode() for name in names))
        found = {one.says.format(**one.values) for one in mark(file)}
        assert all(said.startswith("It ends with an error: ") for said in found), found
