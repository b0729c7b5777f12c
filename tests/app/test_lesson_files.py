"""Lesson files: what is understood, what is refused with file and line, and whether what ships holds."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.compute.applying import Applied, ApplyRequest
from app.lessons.insert import page_lines
from app.lessons.lesson import Condition, HeadChoice, LessonError, Measure, Setup, WordAt
from app.lessons.measures import MEASURES, Facts, filled, is_right, value_of
from app.lessons.parser import COMMANDS, MOST_BYTES, load_lesson, parse_lesson
from app.lessons.shipped import shipped_files, shipped_lessons
from app.lessons.verify import Bench, check_lesson, right_answer
from app.look import language
from app.look.translated import folder_of
from app.shell.lesson_command import main
from app.shell.rooms import prediction_rooms, room_views
from app.state.baseline import OtherText
from app.state.explore_state import ExploreState
from app.state.selection import NO_CONTRAST, Contrast
from app.widgets.highlights import HIGHLIGHTS
from bertcore.analysis.attention_heads import KINDS
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import cosines
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN, TUNED, assets, built_in_checkpoint
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.span import AnswerExample, AnswerPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tokenizer.cutting import tries

ROOT = Path(__file__).parents[2]
FILE = Path("mine.md")
FRONT = "---\ntitle: T\nminutes: 5\nsummary: S.\nmodel: bertscope-tiny\n---\n"
START = ":: text The dog saw the cat.\n:: room attend\n"


def lesson(page, front=FRONT):
    return parse_lesson(f"{front}# One\n{START}{page}", FILE, room_views())


def problems(page, bench):
    return [str(problem) for problem in check_lesson(lesson(page), bench, prediction_rooms())]


@pytest.fixture(scope="module")
def bench():
    return Bench()


def test_a_page_says_what_it_sets_asks_and_checks():
    made = lesson(
        ":: text-b It [MASK] away.\n:: mask cat b:away\n:: head best previous token\n:: select the#2\n"
        ":: highlight attend.heads\n:: ask number How many?\n:: answer computed tokens\n:: within 1\n"
        ":: explain It is {{tokens}}.\n:: task Do it.\n:: done score previous token >= 60%\n"
        ":: solution head best previous token\n:: note Wait.\n\nSome *text*.\n\n## Below\n# Two\n:: text Another.\n"
    )
    one, two = made.pages
    assert (made.title, made.minutes, made.model) == ("T", 5, "bertscope-tiny")
    assert one.setup.masks == (WordAt("cat"), WordAt("away", "b"))
    assert one.setup.head == HeadChoice(kind="previous token") and one.setup.select == WordAt("the", "", 2)
    assert one.question.answer == Measure("tokens")
    assert one.task.done.value == 0.6
    assert one.text == "Some *text*.\n\n## Below" and one.notes == ("Wait.",)
    assert (two.setup.text_a, two.setup.text_b, two.setup.masks, two.setup.room) == ("Another.", "", (), "attend")
    assert two.setup.head == one.setup.head


def test_a_page_lets_tokens_look_at_one_side_until_another_text(bench):
    one, two = lesson(":: direction left\n# Two\n:: text Another.\n").pages
    assert (one.setup.direction, two.setup.direction) == ("left", None)
    for page in (one, two):
        reading = bench.show(page.setup).reading
        assert reading.request.what_if.direction == page.setup.direction
        later = np.triu(reading.trace.attentions, 1).max()
        assert (later == 0) == (page.setup.direction == "left")


def test_a_page_sets_what_its_text_is_compared_with(bench):
    one, two = lesson(":: other The dogs saw the cat.\n:: contrast has have\n# Two\n:: text Another.\n").pages
    other = OtherText("The dogs saw the cat.", "")
    for page, wanted in ((one, (other, Contrast("has", "have"))), (two, (None, NO_CONTRAST))):
        bench.show(page.setup)
        assert (bench.state.baseline, bench.state.contrast) == wanted
    setup = Setup(room="predict", view="lens").then(Setup(room="attend"))
    assert (setup.room, setup.view) == ("attend", None), "a room without view opens with the one it has"


def test_commands_in_a_code_block_are_text():
    code = "```\n:: nonsense\n# no page, {{no measure}}\n```"
    made = lesson(code)
    assert made.pages[0].text == code and filled(f"{code}\n{{{{tokens}}}}", None) == f"{code}\n…"


@pytest.mark.parametrize(
    ("page", "line", "says"),
    [
        (":: nonsense", 10, "no command “nonsense”"),
        ("::", 10, "missing"),
        (":: text", 10, "needs something"),
        (":: room kitchen", 10, "“kitchen” is not known"),
        ("\n:: view nothing", 11, "no view “nothing”"),
        (":: highlight everything", 10, "“everything” is not known"),
        (":: highlight attend.side\n:: highlight predict.view", 11, "another room"),
        (":: cover everything", 10, "“everything” is not known"),
        (":: text-b One\x85two\u2028three.\n:: nonsense", 11, "no command"),
        (":: ask free What?\n:: hint A\n:: hint B\n:: explain C", 12, "twice on the page: hint"),
        (":: hint A", 10, "belongs to a question"),
        (":: ask free What?\n:: cover attend.side\n:: cover predict.view\n:: explain B", 12, "another room"),
        ("Text.\n:: cover attend.side", 11, "asks no question"),
        (":: model ../../etc/passwd", 10, "not known"),
        (":: model somebody/some-model", 10, "not known"),
        (":: step ../1", 10, "A step is"),
        (":: head 0.1", 10, "no head"),
        (":: head best friend", 10, "no head"),
        (":: cut two words", 10, "one word"),
        (":: contrast one", 10, "two words"),
        (":: direction up", 10, "left"),
        (":: layer 0", 10, "whole number"),
        (":: claim tokens", 10, "no condition"),
        (":: claim happiness > 1", 10, "no measure “happiness”"),
        (":: claim tokens >= many", 10, "not a number"),
        (":: claim guess > 3", 10, "compared by"),
        (":: ask riddle What?", 10, "not known"),
        (":: ask choice What?\n:: option A\n:: explain B", 10, "two options"),
        (":: ask choice What?\n:: option A\n:: option B\n:: explain C", 10, "one that is right"),
        (":: ask number What?\n:: explain B", 10, "no answer"),
        (":: ask number What?\n:: answer cat\n:: explain B", 11, "has to be a number"),
        (":: ask number Many?\n:: answer computed next-sentence\n:: within 10\n:: explain B", 12, "percentage points"),
        (":: ask number Many?\n:: answer 40%\n:: within 1\n:: explain B", 12, "percentage points"),
        (":: ask word What?\n:: answer cat", 10, "nothing to show"),
        (":: ask free What?\n:: explain B\n:: ask free More?", 12, "one question"),
        (":: answer 3", 10, "belongs to a question"),
        (":: task Do.\n:: done tokens > 3", 10, "no “:: solution”"),
        (":: task Do.\n:: solution head 1.1", 10, "no “:: done”"),
        (":: done tokens > 3", 10, "belongs to a task"),
        (":: ask free What?\n:: option A\n:: explain B", 11, "Only a choice"),
        (":: ask choice What?\n:: option A\n:: correct B\n:: answer A\n:: explain B", 13, "Only number and word"),
        ("Hello {{nobody}}.", 10, "no measure"),
        ("```\n{{nobody}}\n```\n\n{{tokens}}\n~~~\n{{nobody}}\n~~~\n{{ nobody }}", 18, "no measure"),
        (":: ask free What?\n:: explain A\n:: explain {{nobody}}", 12, "no measure"),
        (":: ask choice {{tokens}}?\n:: correct {{tokens}}\n:: option {{nobody}}\n:: explain B", 12, "no measure"),
        (":: task Do.\n:: done tokens > 30\n:: solution head 1.1\n:: hint {{nobody}}", 13, "no measure"),
        ("![picture](file:///etc/passwd)", 10, "no pictures"),
        (":: text Again.", 10, "set twice"),
        ("x" * 3000, 10, "longer than"),
        ("\n".join("# Page" for _ in range(80)), 69, "at most"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(page, line, says):
    with pytest.raises(LessonError) as raised:
        lesson(page)
    assert says in str(raised.value) and str(raised.value).startswith(f"mine.md:{line}: ")


@pytest.mark.parametrize(
    ("front", "says"),
    [
        ("", "first lines"),
        ("---\n", "first lines"),
        ("---\ntitle: T\n---\n", "no minutes"),
        ("---\ntitle: T\nminutes: soon\nsummary: S\n---\n", "whole number"),
        ("---\ntitle: T\ntitle: U\nminutes: 3\nsummary: S\n---\n", "twice"),
        ("---\nauthor: T\n---\n", "“author” is not known"),
        ("---\ntitle: T\nminutes: 3\nsummary: S\nmodel: /tmp\n---\n", "not known"),
    ],
)
def test_first_lines_are_checked(front, says):
    with pytest.raises(LessonError, match=says):
        lesson("", front)


def test_a_hostile_file_is_refused_with_a_sentence(tmp_path):
    file = tmp_path / "hostile.md"
    large = b"x" * (MOST_BYTES + 1)
    for content in (b"", b"\0\1\2" * 50, b"\xff\xfe\0", b"---\n" * 1000, b"#" * 100_000, b"- " * 5000, large):
        file.write_bytes(content)
        with pytest.raises(LessonError, match=r"hostile.md:\d+: "):
            load_lesson(file, room_views())
    with pytest.raises(LessonError, match="could not be opened"):
        load_lesson(tmp_path, room_views())


TASK = (
    ":: head least previous token\n:: task Do.\n:: done score previous token >= {}\n:: solution head {} previous token"
)
CHOICE = ":: ask choice Many?\n:: option-if tokens > 3 : Yes\n:: option-if tokens < {} : No\n:: explain So.\n"


@pytest.mark.parametrize(
    ("page", "line", "says"),
    [
        (":: claim tokens >= 50", 10, "“tokens >= 50” does not hold: it is 8"),
        (":: claim most-repeats = 3", 10, "it is 2"),  # “The” and “the”; no full stops
        ("Text.\n:: mask bird", 11, "no word “bird”"),
        ("Text.\n:: select bird", 11, "no token “bird”"),
        ("Text.\n:: head 9.1", 11, "there is no head 9.1"),
        (":: head 1.1\n:: layer 99", 11, "no head"),
        (":: head 1.99\n:: layer 1", 10, "no head"),
        ("Text.\n:: step 77", 11, "no snapshot of step 77"),
        ("Text.\n# Two\nText.\n# Three\n:: mask bird", 14, "no word"),
        ("Text.\n# Two\n:: text " + "a " * 900, 12, "too long"),
        ("Text.\n:: cut dog", 11, "nothing to cut"),
        ("Text.\n{{tokens}}\n{{guess}}", 12, "has no value"),
        (":: ask word Which?\n:: answer computed guess\n:: explain So.", 11, "has no value"),
        (":: task Do.\n:: done tokens > 30\n:: solution head 9.1", 12, "no head"),
        (":: mask bird\n# Two\n:: room layers", 10, "no word"),  # what the next page keeps is said once
        (TASK.format(0, "best"), 11, "before anybody does"),
        (TASK.format(0.2, "least"), 13, "does not do the task"),
        (CHOICE.format(30), 10, "2 of the 2 options"),
    ],
)
def test_what_does_not_go_with_the_model_is_said_with_its_line(page, line, says, bench):
    (found,) = problems(page, bench)
    assert found.startswith(f"mine.md:{line}: ") and says in found


def test_what_holds_is_no_problem(bench):
    repeated = ":: text-b A dog is a dog.\n:: claim most-repeats = 3"
    for page in (":: claim tokens >= 5", repeated, TASK.format(0.2, "best"), CHOICE.format(3)):
        assert problems(page, bench) == []


TEXTS = ":: text The dog saw the [MASK].\n:: text-b It ran away.\n"
COVERED = TEXTS + ":: room {room}\n:: cover {covers}\n{asked}:: explain {says}\n"


@pytest.mark.parametrize(
    ("asked", "says", "is_given_away"),
    [
        (":: ask word Which word?\n:: answer computed guess\n", "So.", True),
        (":: ask word Which word?\n:: answer computed guess 3\n", "So.", True),
        (":: ask word Which word?\n:: answer computed guess 4\n", "So.", False),
        (":: ask word Which word?\n:: answer elephant, {guess}\n", "So.", True),
        (":: ask word Which word?\n:: answer elephant\n", "It says {{guess}}.", False),
        (":: ask number How likely?\n:: answer computed guess-probability 2\n:: within 1%\n", "So.", True),
        (":: ask number How likely?\n:: answer computed next-sentence\n:: within 1%\n", "So.", True),
        (":: ask number Which number has {guess} on the list?\n:: answer computed rank {guess}\n", "So.", True),
        (":: ask number How many layers?\n:: answer computed layers\n", "So.", False),
        (":: ask choice Which?\n:: correct {guess}\n:: option elephant\n", "So.", True),
        (":: ask choice Which?\n:: option {guess}\n:: correct elephant\n", "So.", False),
        (":: ask choice Does B follow?\n:: option-if next-sentence >= 50% : It does\n"
         ":: option-if next-sentence < 50% : It does not\n", "So.", True),
        (":: ask free Which word?\n", "It says {{guess}}.", True),
        (":: ask free Which word?\n", "Nobody knows.", False),
    ],
)  # fmt: skip
def test_a_covered_answer_that_stands_below_the_tokens_is_warned_of(asked, says, is_given_away, bench):
    shown = bench.show(parse_lesson(f"{FRONT}# Guess\n{TEXTS}:: room predict", FILE, room_views()).pages[0].setup)
    guess = shown.reading.masks[0].words[0].token

    def warned(room, covers):
        page = COVERED.format(room=room, covers=covers, asked=asked.replace("{guess}", guess), says=says)
        made = parse_lesson(f"{FRONT}# Guess\n{page}", FILE, room_views())
        found = check_lesson(made, bench, prediction_rooms())
        assert all(problem.is_warning for problem in found), [str(problem) for problem in found]
        return [str(problem) for problem in found]

    said = warned("predict", "predict.view")
    assert len(said) == is_given_away
    if is_given_away:
        assert said[0].startswith("mine.md:11: Warning: on the page “Guess”") and ":: cover prediction" in said[0]
    assert warned("predict", "predict.view prediction") == []
    assert warned("map", "map.view") == [], "there the line is not shown"


SLOWLY = ":: ask choice And?\n:: correct It grows slowly\n:: option It shrinks\n"
THE_TABLE = ":: ask choice And?\n:: correct The table grows\n:: option The table shrinks\n"
LOOKS = ":: ask word What?\n:: answer computed looked-at dog\n"


@pytest.mark.parametrize(
    ("asked", "below", "is_given_away"),
    [
        (SLOWLY, "Slowly the table grows.", True),
        (SLOWLY, "It is a table.", False),
        (THE_TABLE, "The table is small.", False),
        (f"{SLOWLY}:: cover page\n", "Slowly the table grows.", False),
        (SLOWLY, TASK.format(0.2, "best").replace("Do.", "See that it grows slowly."), True),
        (f"{SLOWLY}:: cover tokens\n", TASK.format(0.2, "best").replace("Do.", "See that it grows slowly."), False),
        (LOOKS, "It says {{looked-at dog}}.", True),
        (LOOKS, "It has {{tokens}} tokens.", False),
    ],
)
def test_an_answer_in_what_stands_below_its_question_is_warned_of(asked, below, is_given_away, bench):
    said = problems(f"{asked}:: explain So.\n{below}", bench)
    assert len(said) == is_given_away
    assert not said or ("Warning: on the page “One”" in said[0] and ":: cover page" in said[0])


def test_a_warning_is_printed_and_the_lesson_passes(tmp_path, capsys):
    file = tmp_path / "mine.md"
    asked = ":: ask word Which word?\n:: answer computed guess\n"
    page = COVERED.format(room="predict", covers="predict.view", asked=asked, says="So.")
    file.write_text(f"{FRONT}# Guess\n{page}", encoding="utf-8")
    assert main(["check", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{file}:11: Warning: ") and "with 1 warning." in printed.out


def test_answers_are_compared_as_people_write_them(bench):
    made = lesson(":: ask word Which?\n:: answer Cat, dog\n:: explain So.\n# Two\n:: ask number N?\n:: answer 46\n"
                  ":: within 10%\n:: explain So.\n").pages  # fmt: skip
    facts = bench.show(made[0].setup)
    for page, right, wrong in (
        (made[0], ("cat", " “Dog”. "), ("cow",)),
        (made[1], ("46", "50"), ("51", "some", "1e9999")),
    ):
        assert all(is_right(page.question, given, facts) is True for given in right)
        assert all(is_right(page.question, given, facts) is False for given in wrong)


@pytest.mark.parametrize("code", ["en", "de"])
def test_every_page_that_ships_has_something_to_say_and_the_right_answer(code, bench):
    folder = assets() / "lessons" if code == "en" else folder_of(code) / "lessons"
    pages = [
        (file.stem, page) for file in sorted(folder.glob("*.md")) for page in load_lesson(file, room_views()).pages
    ]
    assert [(name, page.title) for name, page in pages if not any(len(note) > 15 for note in page.notes)] == []
    facts = bench.show(Setup(text_a="The girl was sleepy.", text_b="She went to [MASK].", model=BUILT_IN))
    for name, page in pages:
        question = page.question
        depends = question is not None and (
            isinstance(question.answer, Measure)
            or any(isinstance(each.is_right, Condition) for each in question.options)
        )
        is_asked = question is not None or page.task is not None
        assert depends or bool(right_answer(page, facts)) == is_asked, (name, page.title)
    asked = [page for _, page in pages if page.question is not None]
    choice = next(page for page in asked if page.question.kind == "choice")
    assert right_answer(choice, facts) in {option.text.replace("**", "") for option in choice.question.options}
    counted = next(page for page in asked if page.question.answer == Measure("all-heads"))
    assert right_answer(counted, facts).startswith("36") and right_answer(counted, None) == ""


@pytest.mark.parametrize("file", shipped_files(), ids=lambda file: file.stem)
def test_what_a_lesson_that_ships_says_holds(file, bench):
    made = load_lesson(file, room_views())
    for each in (made, load_lesson(folder_of("de") / "lessons" / file.name, room_views())):
        assert [str(problem) for problem in check_lesson(each, bench, prediction_rooms())] == []
    assert 5 <= made.minutes <= 20
    assert any(page.task is not None for page in made.pages), "nothing to do"
    assert any(page.question is not None for page in made.pages), "nothing is asked"
    assert all(page.notes or page.question or page.task for page in made.pages)
    last = made.pages[-1]
    assert "Try" in last.text or last.task is not None


def test_the_first_token_hardly_differs_between_texts_in_the_first_layers():
    """What "Kinds of heads" says of [CLS]; the word in second place differs from the start."""
    checkpoint = load_checkpoint(built_in_checkpoint())
    texts = ("The girl was sleepy.", "The boy was hungry.", "He bought a car.", "Once upon a time there was a king.")
    read = [checkpoint.tokenizer.encode(text) for text in texts]
    states = np.stack([trace(checkpoint.model, each.ids).hidden_states[:, :3] for each in read], axis=2)  # (L+1,3,T,H)
    alike = [[cosines(states[layer, place])[np.triu_indices(4, 1)] for place in (0, 2)] for layer in range(7)]
    assert all(cls.min() > 0.9 > other.max() for cls, other in alike[:3])
    assert alike[5][0].max() < alike[2][0].min(), "later it has its text"


def test_the_menu_reads_what_the_parser_reads():
    for said in shipped_lessons():
        made = load_lesson(said.file, room_views())
        assert (said.title, said.minutes, said.summary) == (made.title, str(made.minutes), made.summary)


def test_the_command_line_says_file_and_line(tmp_path, capsys):
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(f"{FRONT}# One\n{START}Text.\n", encoding="utf-8")
    bad.write_text(f"{FRONT}# One\n{START}:: claim tokens > 99\n", encoding="utf-8")
    assert main(["check", str(good)]) == 0
    assert "good.md: 1 page, 0 questions, 0 tasks: all right." in capsys.readouterr().out
    assert main(["check", str(good), str(bad)]) == 2
    assert f"{bad}:10: " in capsys.readouterr().err


def test_answers_and_explanations_are_printed_with_their_numbers(tmp_path, capsys):
    asked = ":: ask number How many tokens?\n:: answer computed tokens\n:: explain All in all {{tokens}}.\n"
    (tmp_path / "good.md").write_text(f"{FRONT}# One\n{START}{asked}", encoding="utf-8")
    assert main(["check", "--answers", str(tmp_path / "good.md")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["# One", "    How many tokens?"]
    count = re.fullmatch(r"    Right: (\d+)", lines[2])[1]
    assert lines[3:] == [f"    All in all {count}.", "good.md: 1 page, 1 question, 0 tasks: all right."]


def test_what_is_missing_and_which_head_would_do_is_said(bench):
    (missing,) = problems(":: ask word Where?\n:: answer computed looked-at gap\n:: explain There.\n", bench)
    assert missing.endswith("“looked-at gap” has no value on this page: its text has no word “gap”.")
    words = re.findall(r"\w+", bench.state.text_a)[:2]
    (claim,) = problems(f":: claim looks {words[0]} -> {words[1]} > 100%\n", bench)
    best = re.search(r"Most of all heads: (\d)·(\d): ", claim)
    attentions = bench.state.reading.trace.attentions
    rows, columns = (Facts(bench.state.reading, 0, 0).positions(WordAt(word)) for word in words)
    expected = attentions[:, :, rows][..., columns].sum(-1).mean(-1)
    assert tuple(int(one) - 1 for one in best.groups()) == np.unravel_index(expected.argmax(), expected.shape)
    (claim,) = problems(f":: claim looks {words[0]} -> {words[1]} < 0%\n", bench)
    assert "Most of all heads" not in claim, "less is wanted"


def test_the_manual_names_every_command_measure_and_spot():
    manual = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f":: {name} " not in manual] == []
    assert [name for name in MEASURES if f"`{name}" not in manual] == []
    assert [name for name, what in HIGHLIGHTS.items() if f"| `{name}` | {what} |" not in manual] == []
    assert [kind for kind in KINDS if f"`{kind}`" not in manual] == []
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\w+` ?)+)\|", manual, re.MULTILINE)
    listed = {
        room: [view for each, views in rows if each == room for view in re.findall(r"\w+", views)] for room, _ in rows
    }
    assert listed == {room: views for room, views in room_views().items() if views}


def test_the_first_lesson_of_the_manual_works(bench):
    manual = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    text = re.search(r"^```\n(---\n.*?)^```$", manual, re.MULTILINE | re.DOTALL)[1]
    made = parse_lesson(text, FILE, room_views())
    assert {page.question.kind for page in made.pages} == {"word", "number", "choice"} and made.pages[-1].task
    assert check_lesson(made, bench, prediction_rooms()) == []


def test_what_a_fine_tuned_model_answers_can_be_asked(bench):
    facts = bench.show(lesson("").pages[0].setup)
    request = ApplyRequest("The dog saw the cat.", None)
    assert value_of(Measure("class"), facts) is None  # of a model without a task

    def value(name, argument, example, prediction):
        return value_of(Measure(name, argument), facts.but(applied=Applied(request, example, prediction)))

    classed = LabelPrediction("good", {"bad": 0.25, "good": 0.75})
    text = TextExample("The dog saw the cat.")
    assert value("class", "", text, classed) == "good" and value("class-probability", "bad", text, classed) == 0.25
    assert value("class-probability", "none of them", text, classed) is None
    assert value("tag", "dog", text, classed) is None
    words = TaggedExample(("The", "dog", "saw", "the", "cat"))
    tags = TagsPrediction(("O", "B-PER", "O", "O", "I-LOC"), (0.9,) * 5, 0)
    found = [value("tag", word, words, tags) for word in ("dog", "the", "the#2", "cat", "bird")]
    assert found == ["PER", "O", "O", "LOC", None]
    span = AnswerPrediction("the cat", 4, 11, 1.0, 0.0)
    assert value("answer", "", AnswerExample("1", "Who?", "The dog saw the cat."), span) == "the cat"


def test_a_lesson_on_a_model_that_is_not_there_is_left_out(monkeypatch):
    monkeypatch.setattr("app.lessons.shipped.tuned_models", list)
    without = shipped_files()
    monkeypatch.setattr("app.lessons.shipped.tuned_models", lambda: list(TUNED))
    assert {file.name for file in shipped_files()} - {file.name for file in without} == {"12-fine-tuning.md"}


def test_cutting_tries_the_longest_first():
    made = tries(["sn", "##o", "##w"])
    assert [each.piece for each in made] == ["snow", "sno", "sn", "##ow", "##o", "##w"]
    assert made[-1].found == ("sn", "##o", "##w")


def test_an_exercise_is_written_and_marked(tmp_path, capsys):
    file = tmp_path / "masking.py"
    assert main(["exercise", "masking", str(tmp_path)]) == 0
    assert file.read_bytes() == (ROOT / "assets" / "exercises" / "masking.py").read_bytes()
    assert main(["exercise", "masking", str(tmp_path)]) == 2, "nothing is written over it"
    assert "is there already" in capsys.readouterr().err
    assert main(["check", str(file)]) == 2
    assert capsys.readouterr().out == "choose: Nothing is written here yet.\nhide: Nothing is written here yet.\n"
    solved = (ROOT / "tests" / "engine" / "solved_masking.py").read_text(encoding="utf-8")
    file.write_text(solved, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    file.write_text(solved.replace("fate < 0.8", "fate < 1"), encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert "all that is chosen" in capsys.readouterr().out.lower()
    assert main(["check", "--hints", str(file)]) == 2
    assert "    That is right for 80% of them." in capsys.readouterr().out
    assert main(["check", str(tmp_path / "none.py")]) == 2
    assert "could not be opened" in capsys.readouterr().err


def test_an_exercise_in_german(tmp_path, capsys, qapp):
    try:
        assert main(["--language", "de", "exercise", "attention", str(tmp_path)]) == 0
        assert "Schreib es selbst" in (tmp_path / "attention.py").read_text(encoding="utf-8")
        assert main(["--language", "de", "check", str(tmp_path / "attention.py")]) == 2
    finally:
        language.install(qapp)
    assert "embed: Hier steht noch nichts." in capsys.readouterr().out


SEEN = [
    "text The dog saw the cat.; room attend; view matrix find; head 2.1",
    "text The dog, the “dog”!; text-b Dogs ran. A dog ran.; mask dog#3 b:ran , !; select dog#2; room predict",
    "text He was [MASK] and [MASK].; mask was; select [MASK]#3; room map; view model; direction left; head 1.2",
    "text Put on [MASK] hat.; other Take [MASK] hat.; contrast her his; room layers; view swap; select [SEP]",
    "step 2500; text A ankylosaurus.; room film; select ankylosaurus; whole-words on; specials off",
    "text A cat.; room predict; cover prediction predict.view; ask free So?; explain So.",
]


@pytest.mark.parametrize("seen", SEEN)
def test_what_is_seen_comes_back_from_its_lines(seen):
    def shown(page):
        bench = Bench()
        bench.show(page.setup)
        return bench.state, page.setup.room, (page.setup.view or "").split(), page.covers

    commands = "".join(f":: {command}\n" for command in seen.split("; "))
    there = shown(parse_lesson(f"{FRONT}# One\n{commands}", FILE, room_views()).pages[0])
    lines = page_lines(*there)
    assert lines.startswith("# A new page\n\n:: model bertscope-tiny\n") and (":: step " in lines) == ("step" in seen)
    back = shown(parse_lesson(f"{FRONT}{lines}", FILE, room_views()).pages[0])
    assert back[1:] == there[1:]
    same = "text_a text_b masked all_masked focus layer head token_view what_if baseline contrast"
    for name in same.split():
        assert getattr(back[0], name) == getattr(there[0], name), name
    assert back[0].model.folder == there[0].model.folder


def test_what_no_lesson_can_show_is_said(tmp_path, bench):
    with pytest.raises(BertcoreError, match="needs a sentence A"):
        page_lines(ExploreState(), "map", (), ())
    state = bench.show(lesson("").pages[0].setup) and bench.state
    state.set_model(replace(state.model, folder=tmp_path))
    with pytest.raises(BertcoreError, match="only models that ship"):
        page_lines(state, "map", (), ())


@pytest.mark.parametrize(
    ("room", "asked", "named"),
    [
        ("attend", ":: cover attend.large\n:: ask word What?\n:: answer computed looked-at dog", "attend.side"),
        ("attend", ":: cover attend.side attend.large\n:: ask word What?\n:: answer computed looked-at dog", ""),
        ("attend", ":: ask word What?\n:: answer computed looked-at dog", ""),
        (
            "attend",
            ":: cover attend.heads\n:: ask choice Far?\n:: option-if score local >= 0% : Yes\n:: option No",
            "attend.side",
        ),
        ("predict", ":: ask word What?\n:: answer computed guess", "predict.view prediction"),
        ("predict", ":: cover prediction\n:: ask word What?\n:: answer computed guess", "predict.view"),
    ],
)
def test_another_card_that_says_the_answer_is_warned_of(room, asked, named, bench):
    page = f":: text The dog [MASK] the cat.\n:: room {room}\n{asked}\n:: explain So."
    found = check_lesson(parse_lesson(f"{FRONT}# One\n{page}", FILE, room_views()), bench, prediction_rooms())
    assert [str(one).partition("add “:: cover ")[2].rstrip("”.") for one in found] == ([named] if named else [])
    assert all(one.is_warning for one in found)
