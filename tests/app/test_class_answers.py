"""What a class has handed in: counted, followed in its folder, saved; and files that mean harm."""

import csv
import io
import os
from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget

from app.lessons import class_answers
from app.lessons.answers import ENDING, Answer, HandIn, answers_as_json
from app.lessons.class_answers import HandedIn, as_csv, questions
from app.lessons.class_page import ClassPage
from app.lessons.lesson import unmarked
from app.lessons.parser import load_lesson
from app.lessons.shipped import shipped_lessons
from app.shell.rooms import room_views
from app.state.session_file import Session

LESSON = "Kinds of heads"
FIRST = "Heads have habits"
RIGHT, WRONG = "The word just before them", "The longest word"
STATE = Session("The dog saw the cat.", room="attend", view="matrix")


def lesson_of(title):
    files = [each.file for each in shipped_lessons() if each.title == title]
    return load_lesson(files[0], room_views()) if files else None


def answer(given, right=None, page=FIRST, kind="choice"):
    return Answer(page, kind, "What do they look at?", given, right, STATE)


def hand_in(name, *answers, lesson=LESSON):
    return HandIn(name, lesson, answers)


def class_of(count):
    """Two of three chose what is right, every fourth skipped the page; all wrote a sentence."""
    for number in range(count):
        first = [] if number % 4 == 3 else [answer(RIGHT, True) if number % 3 else answer(WRONG, False)]
        yield hand_in(f"S{number:03}", *first, answer(f"Idea {number}", page="Why?", kind="free"))


def put(folder, *hand_ins):
    for each in hand_ins:
        (folder / f"{each.name}{ENDING}").write_text(answers_as_json(each), encoding="utf-8")


def all_of(folder):
    made = HandedIn(folder)
    made.update()
    while made.is_behind:
        made.update()
    return made


@pytest.fixture
def page_of(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    return lambda folder: ClassPage(HandedIn(folder), lesson_of, parent, True)


def test_each_choice_is_counted_and_wrong_is_not_skipped():
    hand_ins = list(class_of(24))
    first, *rest = questions(hand_ins, lesson_of)
    found = Counter(each.answers[0].given if len(each.answers) == 2 else "skipped" for each in hand_ins)
    groups = {group.text: len(group.members) for group in first.groups}
    assert first.page == FIRST and {text: count for text, count in groups.items() if count} == dict(found)
    rights = {group.text: group.right for group in first.groups}
    assert rights[RIGHT] is True and rights[WRONG] is False and rights["skipped"] is None
    assert groups["The word that comes next"] == 0, "nobody chose it, and it is there"
    assert first.wrong == found[WRONG]
    last = next(each for each in rest if each.page == "Why?")
    assert [member[0] for member in last.groups[0].members] == [each.name for each in hand_ins]
    nobody = next(each for each in rest if each.page == "Heads that look away")
    assert nobody.wrong == 0 and len(nobody.groups[-1].members) == 24


def test_what_most_got_wrong_at_first_comes_first():
    given = [answer("A", False, "Two", "word"), answer("B", True, "One", "word"), answer("7", False, "Three", "number")]
    hand_ins = [hand_in("Anna", *given, lesson="Mine"), hand_in("Ben", given[0], lesson="Mine")]
    asked = questions(hand_ins, lesson_of)
    assert [(each.page, each.wrong) for each in asked] == [("Two", 2), ("Three", 1), ("One", 0)]
    assert [group.text for group in asked[1].groups] == ["7", "skipped"]
    again = replace(given[1], tries=2, first="C")
    assert questions([hand_in("Anna", again, lesson="Mine")], lesson_of)[0].wrong == 1
    words = [hand_in(f"S{n}", answer(f"w{n}", False, "Two", "word"), lesson="Mine") for n in range(30)]
    (two,) = questions([*words, hand_in("T", answer("Yes ", True, "Two", "word"), lesson="Mine")], lesson_of)
    assert two.groups[0].text == "yes" and two.groups[0].right and len(two.groups) == class_answers.MOST_GROUPS + 1
    assert sum(len(group.members) for group in two.groups) == 31


def test_a_folder_is_followed(tmp_path, page_of):
    page = page_of(tmp_path)
    assert "put into" in page.text.toPlainText()
    put(tmp_path, *class_of(3))
    half = tmp_path / f"half{ENDING}"
    half.write_text(answers_as_json(hand_in("Zoe", answer(RIGHT, True)))[:40])
    page.look()
    shown = page.text.toPlainText()
    assert "3 handed in" in shown and "half" in shown
    assert "Missed most often on the first try: Heads have habits (1 of 3)" in shown
    put(tmp_path, hand_in("half", answer(WRONG, False)))
    page.look()
    assert "4 handed in" in page.text.toPlainText() and not page.handed_in.problems
    assert not page.handed_in.update(), "nothing new"
    half.unlink()
    page.look()
    assert "3 handed in" in page.text.toPlainText()
    gone = tmp_path.rename(tmp_path.with_name("gone"))
    page.look()
    assert all(words in page.text.toPlainText() for words in ("3 handed in", "1 problem", "cannot be read"))
    gone.rename(tmp_path)
    page.look()
    assert not page.handed_in.problems


def test_no_file_stops_the_others(tmp_path, page_of):
    put(tmp_path, hand_in("Anna", answer(RIGHT, True)))
    for number, content in enumerate(("", "[" * 100_000, "{}", '{"format_version": 1e999}', "\0", "x" * 5_000_001)):
        (tmp_path / f"{number}{ENDING}").write_text(content)
    (tmp_path / f"folder{ENDING}").mkdir()
    (tmp_path / f"nowhere{ENDING}").symlink_to(tmp_path / "nothing")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / f"pipe{ENDING}")
    many = [answer("x" * 4000, False, f"Page {n}", "word") for n in range(200)]
    bad = '<img src="http://x/y.png"><a href="0-0-0">x</a>{{ 7 * 6 }}'
    put(tmp_path, *(hand_in(f"Many{n}", *many, lesson=f"L{n}") for n in range(3)))
    (tmp_path / f"bad{ENDING}").write_text(answers_as_json(hand_in(bad, answer(bad, False, bad, "free"), lesson=bad)))
    page = page_of(tmp_path)
    while page.handed_in.is_behind:
        page.look()
    assert len(page.handed_in.problems) == 6 and len(page._asked) == class_answers.MOST_QUESTIONS
    assert "5 handed in" in page.text.toPlainText()
    assert "<img" not in page.text.toHtml()


def test_reading_stops_for_the_window_and_goes_on(tmp_path, monkeypatch):
    put(tmp_path, *class_of(12))
    monkeypatch.setattr(class_answers, "LIMIT_S", 0)
    made = HandedIn(tmp_path)
    made.update()
    assert made.is_behind
    monkeypatch.setattr(class_answers, "LIMIT_S", 60)
    assert made.update() and not made.is_behind and len(made.hand_ins) == 12


def test_marks_of_markdown_are_not_shown():
    assert (
        unmarked("One **strip** with *All tokens* on n \\[MASK\\] 2 * 3 * 4")
        == "One strip with All tokens on n [MASK] 2 * 3 * 4"
    )


def test_names_can_be_hidden_everywhere(tmp_path, page_of):
    put(tmp_path, *class_of(4))
    page = page_of(tmp_path)
    assert "S002" in page.text.toPlainText()
    page.names.click()
    page.save_as(tmp_path / "all.csv")
    for text in (page.text.toPlainText(), (tmp_path / "all.csv").read_text(encoding="utf-8-sig")):
        assert "Idea 2" in text and "S002" not in text


def test_a_table_is_read_by_others_and_holds_no_formula():
    odd = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "＝1", "one\r\ntwo\rthree", 'a "b", c', "\0=1"]
    text = as_csv(questions([hand_in(each, answer(each, page="Why?", kind="free")) for each in odd], lesson_of))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert not any(value.startswith(class_answers.FORMULA) for row in rows for value in row.values())
    given = [row for row in rows if row["page"] == "Why?"]
    assert len(given) == len(odd) and sum(row["right"] == "skipped" for row in rows) == len(rows) - len(odd)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.read_csv(io.StringIO(text), keep_default_na=False, dtype=str)
    assert table.to_dict("records") == rows
    assert (table[table.page == "Why?"]["right"] == "").all()


def test_what_is_saved_for_paper_has_all_names(tmp_path, page_of):
    put(tmp_path, *class_of(60))
    page = page_of(tmp_path)
    while page.handed_in.is_behind:
        page.look()
    assert "and 20 more" in page.text.toPlainText() and "Idea 59" not in page.text.toPlainText()
    page.save_as(tmp_path / "class.pdf")
    assert (tmp_path / "class.pdf").read_bytes().startswith(b"%PDF")
    page.text.anchorClicked.emit(page.text.document().baseUrl().resolved("all"))
    assert "Idea 59" in page.text.toPlainText()
