"""A lesson in a real window, offscreen: pages, spotlight, questions, tasks, reloading, handing in and collecting."""

import json

import pytest
from PySide6.QtCore import QPoint, QRect, QUrl
from PySide6.QtWidgets import QApplication

from app.lessons.answers import ENDING, load_answers
from app.lessons.card import LessonCard
from app.lessons.parser import parse_lesson
from app.lessons.shipped import in_language, shipped_files
from app.lessons.spotlight import Spotlight
from app.look import language
from app.rooms.attend.large_card import SPECS
from app.shell.rooms import ROOMS, room_views
from app.widgets.folding_card import FoldingCard
from app.widgets.highlights import HIGHLIGHTS, find_highlight
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import predict
from tests.app.conftest import press, settle, wait_until
from tests.app.layout_check import faults
from tests.app.layout_walk import SIZE, is_drawn
from tests.app.test_apply_room import make_model
from tests.test_rules import ROOT

LESSON = """---
title: Small
minutes: 5
summary: For a test.
model: bertscope-tiny
---
# First
:: text The dog saw the cat.
:: room attend
:: head least previous token
:: highlight attend.heads tokens
:: ask choice Which is right?
:: option This one
:: correct That one, of {{tokens}}
:: option Neither
:: explain That one: {{tokens}}.
:: note Wait for them.

Some **text**.

# Second
:: task Find a head that looks at the previous word.
:: done score previous token >= 20%
:: solution head best previous token
# Third
:: text The dog [MASK] the cat.
:: room predict
:: view lens
:: highlight predict.view
:: ask number After which layer?
:: answer computed settles
:: explain After {{settles}}.
"""


class Played:
    """A lesson in a window."""

    def __init__(self, window, folder):
        self.window = window
        self.file = folder / "small.md"
        self.file.write_text(LESSON, encoding="utf-8")
        window.lessons.open(self.file)
        self.player = window.lessons.player
        self.arrive()

    @property
    def card(self):
        return self.window.frame.findChildren(LessonCard)[-1]

    @property
    def body(self):
        return self.card.body

    def arrive(self):
        """The page has what it wants to show."""
        wait_until(lambda: self.window.lessons.player.start is not None)
        settle(self.window)

    def go(self, number):
        self.player.go(number)
        self.arrive()

    def read_again(self, text):
        """The file as it has just been saved."""
        self.file.write_text(text, encoding="utf-8")
        self.player.reload()
        self.arrive()

    def has_ring(self, *names):
        """Around these."""

        def is_lit():
            found = [find_highlight(self.window, name) for name in names]
            return self.window.frame.findChildren(Spotlight)[-1].targets == found and all(found)

        wait_until(is_lit)


@pytest.fixture
def played(window, tmp_path):
    return Played(window, tmp_path)


def test_a_lesson_is_walked_through(played, window):
    state, player, card = window.state, played.player, played.card
    assert card.isVisible() and window.room_key == "attend" and state.text_a == "The dog saw the cat."
    assert state.model.name == "bertscope-tiny"
    assert (state.layer, state.head) == player.facts.head_by("previous token", lowest=True)
    played.has_ring("attend.heads", "tokens")
    assert not card.back.isEnabled() and not card.hand_in.isVisible()
    for key, number in (("Right", 1), ("Left", 0)):
        press(card, key)
        assert player.number == number
    for _ in range(2):
        window.commands["lesson.next"].trigger()
    played.arrive()
    assert window.room_key == "predict" and state.text_a == "The dog [MASK] the cat."
    assert card.hand_in.isVisible() and not card.next.isVisible()
    played.has_ring("predict.view")
    player.next()
    assert player.number == 2
    player.close()
    assert card.isHidden()
    wait_until(lambda: not window.frame.findChildren(Spotlight) and not window.frame.findChildren(LessonCard))
    assert window.lessons.player is None  # it takes its timers and its watch of the file with it
    assert not window.commands["lesson.next"].isEnabled()


def test_a_page_with_another_model_and_room_has_its_ring_too(played, window):
    played.read_again(LESSON + "# Fourth\n:: step first\n:: room layers\n:: highlight layers.view\n:: note So.\n")
    for number in (3, 2, 3):  # the second time the room is there already
        played.go(number)
        played.has_ring(f"{window.room_key}.view")
    assert window.room_key == "layers"


def test_code_is_wrapped_and_an_answer_can_be_a_list(played):
    code = f"```\n:: task {'Change the sentence. ' * 8}\n```\n"
    answer = ":: explain First:\n:: explain 1. one\n:: explain 2. two\n"
    played.read_again(LESSON.replace(":: explain That one: {{tokens}}.\n", answer + code))
    played.player.reveal("1")
    assert played.body.text.document().idealWidth() <= played.body.text.width()
    html = played.body.question.explanation.toHtml()
    assert "<ol" in html and html.count("<li") == 2


def test_a_question_comes_before_its_answer(played):
    question = played.body.question
    assert question.options[1].text() == "That one, of 8"
    assert not question.check.isEnabled() and not question.explanation.isVisible()
    for wrong in (0, 2):
        question = played.body.question
        question.options[wrong].click()
        question.check.click()
    question = played.body.question
    assert question.explanation.isVisible() and question._verdict.text() == "Not quite." and question.given == "2"
    played.player.reveal("1")  # once the answer is on show, it is too late
    assert [(one.given, one.right) for one in played.player.kept.answers.values()] == [("Neither", False)]


def test_enter_checks_a_wrong_answer_has_a_hint_and_a_second_try_and_enter_goes_on(played, window, tmp_path):
    player, card = played.player, played.card
    assert card.keys.text() == "1–3, Enter: check · ← →: pages"
    press(card, "Return")  # nothing is chosen
    for key in ("1", "Return", "Return"):  # the second is no second try
        press(card, key)
    question = played.body.question
    assert question.hint.toPlainText() == "Look again at what has a ring around it." and question.is_open
    assert not question.options[0].isEnabled() and not question.explanation.isVisible() and question.given == ""
    (first,) = player.kept.answers.values()
    assert (first.given, first.right, first.tries, first.hint) == ("This one", False, 1, player.hint)
    for key in ("2", "Return"):
        press(card, key)
    question = played.body.question
    assert question._verdict.text() == "Right." and not question.hint.isVisible() and question.explanation.isVisible()
    window.lessons.save_answers("Anna", tmp_path / f"anna{ENDING}")
    (answer,) = load_answers(tmp_path / f"anna{ENDING}").answers
    assert (answer.given, answer.right, answer.tries, answer.first) == ("That one, of 8", True, 2, "This one")
    assert card.keys.text() == "Enter: next page · ← →: pages"
    press(card, "Return")
    assert player.number == 1


def test_a_number_that_is_wrong_is_too_high_or_too_low_and_a_lesson_can_have_a_hint_of_its_own(played):
    asked = ":: ask number How many tokens?\n:: answer computed tokens\n:: hint Count {{tokens}} boxes.\n"
    played.read_again(LESSON.split(":: ask choice")[0] + asked + ":: explain So.\n")
    card, player = played.card, played.player
    press(card, "Return")  # there is nothing to check: the keyboard goes to the line
    entry = played.body.question.entry
    assert entry.hasFocus()
    entry.setText("many")
    press(entry, "Return")
    assert played.body.question._verdict.text().startswith("Write a number") and not player.kept.missed
    entry.setText("9")
    press(entry, "Return")
    question = played.body.question
    assert question.hint.toPlainText() == "Too high. Count 8 boxes." and question.entry.hasFocus()
    assert played.card.keys.text() == "Enter: check · PgUp PgDn: pages"
    player.reveal()
    (answer,) = player.kept.answers.values()
    assert (answer.given, answer.right, answer.tries) == ("9", False, 1), "the answer was looked up after one try"
    assert played.body.question._verdict.text() == "Not quite."


def test_what_is_above_the_question_is_shown_above_it(played):
    played.read_again(LESSON.replace(":: ask choice", "A **word** is this.\n\n:: ask choice"))
    body = played.body
    assert body.lead.toPlainText() == "A word is this." and body.text.toPlainText() == "Some text."
    assert body.lead.y() < body.question.y() < body.text.y()


def test_arrows_turn_pages_where_nothing_else_moves_by_them(played, window):
    player, atlas = played.player, window.frame.room.heads_card.atlas
    window.frame.title_bar.model.setFocus()
    press(window.frame.title_bar.model, "Right")
    assert player.number == 1
    played.arrive()
    window.state.set_head(0, 0)
    atlas.setFocus()
    press(atlas, "Right")
    assert player.number == 1 and window.state.head == 1
    assert played.card.keys.text() == "PgUp PgDn: pages"


def test_a_number_is_read_off_the_layers(played):
    played.go(2)
    wait_until(lambda: played.player.start.lens is not None)
    played.player.reveal(str(played.player.start.lens.decided(0)))
    assert [one.right for one in played.player.kept.answers.values()] == [True]


def test_a_task_is_done_by_what_is_chosen(played, window):
    played.go(1)
    task, least = played.body.task, (window.state.layer, window.state.head)
    assert task.state.text().endswith("% of the attention; you need 20% or more.") and task.meter.isVisible()
    window.state.set_head(*played.player.facts.head_by("previous token"))
    assert played.player.task_answer
    done = task.state.text()
    assert done.startswith("Done: ") and task.meter.isHidden()
    window.state.set_head(*least)
    played.go(0)
    played.go(1)
    task = played.body.task
    assert played.player.task_answer and task.state.text() == done, "it stays so, with what it was done by"


def test_a_text_that_is_to_be_changed_says_whether_it_is(played, window):
    played.player.next()
    changed = LESSON.replace(":: done score previous token >= 20%", ":: done text != start")
    played.read_again(changed.replace(":: solution head best previous token", ":: solution text A cat ran."))
    assert played.body.task.state.text() == "The text has not changed yet."
    window.state.set_text("A cat ran.")
    wait_until(lambda: played.player.task_answer)


TUNED = """---
title: Tuned
minutes: 5
summary: For a test.
model: bertscope-sentiment
---
# One
:: text The cat sat.
:: room apply
:: highlight apply.view
:: task Make it say something else.
:: done class-probability good != start
:: solution text It was happy.

It says {{class}}.
"""


def test_a_task_is_done_by_what_a_fine_tuned_model_answers(window, monkeypatch, tmp_path):
    monkeypatch.setattr("bertcore.locations.assets", lambda: tmp_path)
    folder = make_model(tmp_path / "checkpoints" / "bertscope-sentiment", "classify")
    (tmp_path / "tuned.md").write_text(TUNED, encoding="utf-8")
    window.lessons.open(tmp_path / "tuned.md")
    player = window.lessons.player
    wait_until(lambda: player.task_value(player.start) is not None)
    assert window.room_key == "apply" and player.task_answer is None
    (answer,) = predict(load_checkpoint(folder), [TextExample("The cat sat.")])
    assert player.task_value(player.start) == pytest.approx(answer.probabilities["good"])
    assert answer.label in window.frame.findChildren(LessonCard)[-1].body.text.toPlainText()
    window.state.set_text("It was happy.", "")
    wait_until(lambda: player.task_answer)


def test_a_saved_file_is_read_again_on_its_page(played):
    played.go(1)
    player, file = played.player, played.file
    file.write_text(LESSON.replace("# Second", "# New\n\n# Second").replace("previous word", "word before"))
    wait_until(lambda: len(player.lesson.pages) == 4)
    assert player.page.title == "Second" and player.number == 2
    file.write_text(LESSON + ":: nonsense\n")
    wait_until(lambda: "no command “nonsense”" in player.problem)
    assert "no command" in played.card._problem.text() and len(player.lesson.pages) == 4
    file.write_text(LESSON)
    wait_until(lambda: not player.problem)


def test_a_shorter_lesson_opens_from_the_last_page_of_a_longer_one(played, window, tmp_path):
    played.go(2)
    (tmp_path / "short.md").write_text(LESSON.split("# Second")[0], encoding="utf-8")
    window.lessons.open(tmp_path / "short.md")
    played.arrive()
    assert played.player.page.title == "First" and played.player.number == 0


def test_projector_mode_keeps_the_page(played, window):
    played.player.next()
    window.appearance.set_look(projector=True)
    played.arrive()
    assert played.player.number == 1
    wait_until(lambda: played.card.isVisible())


def test_answers_are_handed_in_and_collected(played, window, tmp_path):
    player, folder = played.player, tmp_path / "class"
    player.reveal("1")
    played.go(1)
    window.state.set_head(*player.facts.head_by("previous token"))
    folder.mkdir()
    window.lessons.save_answers("=Anna", folder / f"anna{ENDING}")
    (folder / f"broken{ENDING}").write_text("{}")
    page = window.lessons.show_answers(folder)
    (found,), (unread,) = page.handed_in.hand_ins, page.handed_in.problems
    answers = [(each.page, each.kind, each.right) for each in found.answers]
    assert unread.startswith("broken") and answers == [("First", "choice", True), ("Second", "task", True)]
    assert found.answers[1].state.head == window.state.head
    assert found.answers[0].given == "That one, of 8", "as it stood on the screen, not as the lesson's file has it"
    shown = page.text.toPlainText()
    assert all(words in shown for words in ("1 handed in", "=Anna", "✓ That one, of 8", unread)), shown
    window.state.set_text("bird", "")
    window.open_room("predict")
    third = next(number for number, one in enumerate(page._asked) if one.kind == "task")
    page.text.anchorClicked.emit(QUrl(f"{third}-0-0"))
    arrived = found.answers[1].state
    assert window.state.text_a == "The dog saw the cat." and window.room_key == arrived.room == "attend"
    assert window.state.head == arrived.head and window.frame.room.views.key == arrived.view == "matrix"
    page.save_as(folder / "all.csv")
    lines = (folder / "all.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[1].startswith("'=Anna,Small,First,choice") and lines[1].endswith(",yes,1,")  # no formula
    assert lines[-1] == "'=Anna,Small,Third,number,After which layer?,,skipped,0,"
    page.close()


def test_answers_stand_beside_the_room_in_the_place_of_the_lesson(played, window, tmp_path):
    window.resize(1280, 720)
    window.appearance.set_look(projector=True)
    settle(window)
    page = window.lessons.show_answers(tmp_path)
    room, card = window.frame.room, window.frame.findChildren(LessonCard)[-1]
    wait_until(lambda: page.isVisible() and not card.isVisible())
    left, right = (QRect(each.mapTo(window, QPoint()), each.size()) for each in (room, page))
    assert not left.intersects(right) and window.rect().contains(right) and left.width() > right.width()
    assert page.names.isChecked(), "in front of a class"
    assert "put into" in page.text.toPlainText() and faults(page) == []
    lights = window.frame.findChildren(Spotlight)[-1]
    wait_until(lambda: not lights.isVisible())
    window.appearance.set_look(projector=False)
    settle(window)
    page = window.lessons.class_page
    wait_until(page.isVisible)
    assert page.names.isChecked(), "names stay hidden until somebody wants them"
    page.close()
    assert played.card.isVisible() and window.lessons.class_page is None


def test_a_wrong_file_of_answers_is_refused(tmp_path):
    file = tmp_path / f"x{ENDING}"
    changes = [{"name": 3}, {"name": "x" * 9999}, {"format_version": 9}, {"more": 1}]
    for change in (*changes, *({"answers": answers} for answers in ([1], "x", [{"page": "P"}]))):
        file.write_text(json.dumps({"format_version": 1, "name": "A", "lesson": "L", "answers": [], **change}))
        with pytest.raises(BertcoreError, match="has no answers that BERTscope can read"):
            load_answers(file)


def test_every_spot_is_a_widget_of_the_window(window):
    missing = []
    for room in ROOMS:
        window.open_room(room.key)
        if room.key == "predict":
            window.open_view("predict", "lens")  # the only view with a spot of its own
        settle(window)
        QApplication.processEvents()
        names = [name for name in HIGHLIGHTS if name.startswith(f"{room.key}.") or "." not in name]
        missing += [(room.key, name) for name in names if not window.findChildren(object, name)]
    assert missing == []
    assert all(name.partition(".")[0] in {room.key for room in ROOMS} for name in HIGHLIGHTS if "." in name)


def test_nothing_stays_of_a_file_that_is_no_lesson(window, tmp_path):
    file = tmp_path / "session.bertscope.json"
    file.write_text("{}", encoding="utf-8")
    window.lessons.open(file)
    assert file.name in window.frame.banner.text and window.frame.banner.is_shown and not window.lessons.is_open
    assert window.lessons.player is None and window.frame.findChild(LessonCard).isHidden()
    wait_until(lambda: window.frame.findChild(LessonCard) is None)


@pytest.mark.parametrize("file", shipped_files(), ids=lambda file: file.stem)
def test_every_page_opens(file, open_window):
    window, problems = open_window(built_in_checkpoint(), ""), []
    window.lessons.open(file)
    player = window.lessons.player
    player.problem_found.connect(problems.append)
    for number in range(len(player.lesson.pages)):
        player.go(number)
        wait_until(lambda: player.start is not None)
        wait_until(lambda: is_drawn(window))
    assert problems == [] and not window.frame.banner.is_shown


FILES = shipped_files()
EVERY = {f"{code}-{file.stem}": (code, file) for code in language.LANGUAGES for file in FILES}
QUICK = f"de-{FILES[0].stem}"


@pytest.fixture
def projected(open_window):
    window = open_window(built_in_checkpoint(), "")
    window.appearance.set_look(projector=True)
    window.resize(SIZE)
    return window


SLOW = [pytest.param(*EVERY[name], id=name, marks=pytest.mark.slow) for name in EVERY if name != QUICK]


@pytest.mark.parametrize(("code", "file"), [EVERY[QUICK], *SLOW])
def test_every_page_has_room(code, file, projected, qapp):
    language.install(qapp, code)
    projected._rebuild()
    projected.lessons.open(in_language(file))
    player = projected.lessons.player
    found = {}
    for number in range(len(player.lesson.pages)):
        player.go(number)
        wait_until(lambda: player.start is not None)
        wait_until(lambda: is_drawn(projected))
        if wrong := faults(projected, SIZE):
            found[number + 1] = wrong
    assert found == {}


def test_the_rail_shows_icons_alone_while_a_card_is_beside_the_room(projected):
    rail = projected.frame.rail
    wide = rail.width()
    projected.lessons.open(FILES[0])
    wait_until(lambda: rail.width() < 0.7 * wide)
    projected.lessons.close()
    wait_until(lambda: rail.width() == wide)


def test_one_list_has_all_views_of_attention_beside_a_card(projected):
    room = projected.open_room("attend")
    large = room.large
    projected.lessons.open(FILES[0])
    projected.open_room("attend")
    wait_until(large.every.isVisible)
    assert not any(tab.isVisible() for tab in large.buttons.buttons.values())
    for index, spec in enumerate(SPECS):
        large.every.activated.emit(index)
        assert room.views.key == spec.key and large.every.currentIndex() == index
        assert spec.shown_title in large.every.currentText()


def test_a_card_that_a_page_has_opened_closes_with_it(projected):
    projected.lessons.open(FILES[4])
    player, name = projected.lessons.player, "attend.heads"
    spots = [page.highlights for page in player.lesson.pages]
    at = next(number for number, names in enumerate(spots) if name in names)
    assert name not in spots[at + 1]
    player.go(at)
    wait_until(lambda: _opened(projected) == [name])
    player.go(at + 1)
    wait_until(lambda: _opened(projected) == [])


def _opened(window):
    folds = window.frame.findChildren(FoldingCard)
    return [fold.card.objectName() for fold in folds if not fold.tab.isHidden() and fold.tab.isChecked()]


def test_an_exercise_is_saved_and_marked_on_its_page(played, window, tmp_path, monkeypatch):
    played.read_again(LESSON.replace(":: note Wait for them.", ":: exercise masking"))
    box, file = played.body.exercise, tmp_path / "masking.py"
    assert box.again.isHidden() and box.marks.isHidden()
    monkeypatch.setattr("app.lessons.exercise_box.ask_for_file", lambda *_: file)
    box._on_save_clicked()
    assert "def hide(" in file.read_text(encoding="utf-8")
    box.mark(file)
    wait_until(lambda: not box.marking.is_running)
    assert box.marks.text() == "✗ choose: Nothing is written here yet.\n\n✗ hide: Nothing is written here yet."
    solved = (ROOT / "tests" / "engine" / "solved_masking.py").read_text(encoding="utf-8")
    file.write_text(solved.replace("fate < 0.8", "fate < 1"), encoding="utf-8")
    assert not box.again.isHidden() and box.hint.isHidden()
    box.again.click()
    wait_until(lambda: not box.marking.is_running)
    assert box.marks.text() == "✓ choose: Right.\n\n✗ hide: All that is chosen became [MASK]."
    box.hint.click()
    assert "hide: That is right for 80% of them." in box.marks.text()
    played.go(1)
    played.go(0)
    again = played.body.exercise
    assert not again.again.isHidden(), "the page remembers the file"
    again.mark(tmp_path / "none.py")
    wait_until(lambda: not again.marking.is_running)
    assert "could not be opened" in again.marking.sentence and again.marks.isHidden()


def test_what_is_seen_goes_into_the_clipboard_as_a_page(played, window):
    window.open_view("attend", "find")
    window.commands["lesson.insert"].trigger()
    lines = QApplication.clipboard().text()
    window.lessons.close()
    page = parse_lesson(f"{LESSON.split('# First')[0]}{lines}", played.file, room_views()).pages[0]
    assert (page.setup.text_a, page.setup.room, page.setup.view) == ("The dog saw the cat.", "attend", "matrix find")
    assert (page.setup.head.layer, page.setup.head.head) == (window.state.layer, window.state.head)


def test_the_card_says_what_is_wrong_with_the_page_while_the_file_is_written(played):
    problem = played.card._problem
    assert problem.isHidden()
    played.read_again(LESSON.replace("Some **text**.", ":: claim tokens > 50"))
    assert problem.text().startswith(f"{played.file}:19: ") and "does not hold" in problem.text()
    covered = ":: cover attend.large\n:: ask word What?\n:: answer computed looked-at dog\n:: explain So.\n"
    played.read_again(LESSON.split(":: ask choice")[0] + covered)
    assert f"{played.file}:12: Warning" in problem.text() and ":: cover attend.side" in problem.text()
    said = []
    played.player.problem_found.connect(said.append)
    played.read_again(LESSON.split(":: ask choice")[0] + ":: select bird\n")
    assert said and said[-1].startswith(f"{played.file}:12: ") and problem.isHidden()
    played.read_again(LESSON)
    assert problem.isHidden()


def test_enter_ends_a_free_answer_and_shift_enter_begins_a_line(played):
    asked = ":: ask free Why?\n:: explain So.\n"
    played.read_again(LESSON.split(":: ask choice")[0] + asked)
    entry = played.body.question.entry
    entry.setFocus()
    for key in ("A", "Shift+Return", "B", "Return"):
        press(entry, key)
    (answer,) = played.player.kept.answers.values()
    assert (answer.given, answer.right, answer.tries) == ("a\nb", None, 1)
    assert played.card.keys.text() == "← →: pages", "there is no next page"


def test_an_author_may_take_away_the_option_that_was_chosen(played):
    played.player.check("2")
    played.read_again(LESSON.replace(":: option Neither\n", ""))
    question = played.body.question
    assert len(question.options) == 2 and all(option.isEnabled() for option in question.options)
    played.player.check("1")
    (answer,) = played.player.kept.answers.values()
    assert (answer.right, answer.tries, answer.given) == (True, 2, "That one, of 8")
