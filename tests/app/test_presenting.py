"""In front of a class: a remote's keys, blank screen, ring, speaker notes, covers; and the tour at the first start."""

import gc
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.lessons.card import LessonCard
from app.lessons.card_parts import CuttingSteps
from app.lessons.notes_window import other_screen
from app.lessons.parser import load_lesson
from app.lessons.shipped import tour_file
from app.lessons.spotlight import Spotlight
from app.shell.rooms import room_views
from app.shell.settings import load_settings
from app.widgets.answer_cover import Cover
from app.widgets.banner import OfferLine
from app.widgets.highlights import HIGHLIGHTS, find_highlight
from app.widgets.presenting import BlankScreen, PointerRing
from tests.app.conftest import handle_events, press, settle, wait_until

LESSON = """---
title: Covered
minutes: 5
summary: For a test.
model: bertscope-tiny
---
# First
:: text The dog saw the [MASK].
:: room predict
:: cover prediction predict.view
:: ask word What does it say?
:: answer computed guess
:: explain It says {{guess}}.
:: note Count to ten.
# Second
Nothing is asked.
"""


@pytest.fixture
def open_lesson(window, tmp_path):
    def opened(text):
        file = tmp_path / "covered.md"
        file.write_text(text, encoding="utf-8")
        window.lessons.open(file)
        return window.lessons.player

    return opened


@pytest.fixture
def player(open_lesson, window):
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    made = open_lesson(LESSON)
    wait_until(lambda: made.start is not None)
    settle(window)
    return made


def covers(window):
    """The names of what is covered."""
    names = []
    for cover in (cover for cover in window.frame.findChildren(Cover) if cover.isVisible()):
        near = cover.parentWidget()
        below = [each for each in near.findChildren(QWidget) if each.geometry() == cover.geometry()]
        names += [each.objectName() for each in below if each is not cover and each.objectName()]
    return sorted(names)


def test_an_answer_is_covered_until_it_is_given(window, player):
    line = window.frame.prediction
    assert covers(window) == ["predict.view", "prediction"] and not line.isEnabled()
    middle = line.mapTo(window, line.rect().center())
    assert isinstance(window.childAt(middle), Cover)
    player.reveal("dog")
    QApplication.processEvents()
    assert covers(window) == [] and line.isEnabled() and window.childAt(middle) is line


def test_what_is_said_of_covered_tokens_is_covered_and_a_task_waits_for_the_answer(window, open_lesson):
    task = ":: task Do.\n:: done text != start\n:: solution text A cat.\n# Second"
    unknown = LESSON.replace("saw the", "saw ♥ the").replace(":: cover prediction predict.view", ":: cover tokens")
    player = open_lesson(unknown.replace("# Second", task))
    wait_until(lambda: player.start is not None and covers(window) == ["tokens", "tokens"])
    note, card = window.frame.note, window.frame.findChildren(LessonCard)[-1]
    assert find_highlight(window, "tokens") is window.frame.strip
    assert "[UNK]" in note.text() and isinstance(window.childAt(note.mapTo(window, note.rect().center())), Cover)
    assert card.body.task.isHidden()
    player.reveal("dog")
    QApplication.processEvents()
    assert covers(window) == [] and card.body.task.isVisible()


def test_covers_follow_the_pages_and_end_with_the_lesson(window, player):
    player.next()
    QApplication.processEvents()
    assert covers(window) == []
    for change in (player.back, lambda: window.appearance.set_look(projector=True)):
        change()
        wait_until(lambda: covers(window) == ["predict.view", "prediction"])
    player.close()
    QApplication.processEvents()
    assert covers(window) == []


def test_what_a_view_says_in_words_is_covered_once_it_is_built(window, open_lesson):
    open_lesson(LESSON.replace(":: cover prediction predict.view", ":: view lens\n:: cover predict.sentence"))
    wait_until(lambda: covers(window) == ["predict.sentence"] * 2)


def test_the_text_of_a_page_is_shown_after_the_answer(window, open_lesson):
    changed = LESSON.replace(":: cover prediction predict.view", ":: cut dog\n:: cover status page")
    player = open_lesson(changed.replace("# Second", "It is **dog**.\n# Second"))
    card = window.frame.findChildren(LessonCard)[-1]
    wait_until(lambda: player.start is not None and covers(window) == ["status"])

    def shown():
        return [card.body.text.isVisible(), card.body.cutting.isVisible()]

    assert shown() == [False, False]
    player.reveal("dog")
    QApplication.processEvents()
    assert shown() == [True, True] and covers(window) == []
    player.close()  # the page with the covered text, and the one with the answer, are gone

    def is_gone():
        gc.collect()
        return not any(isinstance(widget, CuttingSteps) for widget in QApplication.allWidgets())

    wait_until(is_gone)


def test_a_remote_turns_pages_from_anywhere_and_from_the_notes(window, player):
    for widget in (window.frame.sentences.a, window.frame.strip.field, window.frame.sentences.b):
        widget.setFocus()
        press(widget, "PgDown")
        assert player.number == 1
        press(widget, "PgUp")
        assert player.number == 0
    window.lessons.show_notes()
    notes = window.lessons.notes
    assert notes.text.text() == "Count to ten." and notes.next_title.text() == "Next: Second"
    assert notes._asked.text() == "On the page: What does it say?"
    assert notes.right.text() == f"Right: It says {player.start.reading.masks[0].words[0].token}."
    press(notes, "PgDown")
    assert player.number == 1 and not notes.next.isEnabled() and not notes._asked.isVisible()
    assert "No notes" in notes.text.text()
    press(notes, "Left")
    assert player.number == 0
    player.close()
    assert not notes.isVisible()


def test_the_help_opens_after_a_lesson_was_closed(window, player):
    player.close()
    wait_until(lambda: window.frame._docked == [window.frame.help])
    window.toggle_help()
    assert window.frame.help.is_open
    window.toggle_help()


def test_the_clock_of_the_notes_starts_with_the_lesson(window, player, open_lesson, monkeypatch):
    monkeypatch.setattr(window.lessons, "_opened_at", window.lessons._opened_at - 150)
    window.lessons.show_notes()
    notes = window.lessons.notes
    assert notes.clock.text().startswith("2:")
    player.next()
    assert notes.clock.text().startswith("2:")
    open_lesson(LESSON.replace("Covered", "Another"))
    assert notes.clock.text().startswith("0:0")


@pytest.fixture
def field(window):
    """The tokens, which have the keyboard."""
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    window.frame.strip.field.setFocus()
    return window.frame.strip.field


@pytest.mark.parametrize("key", [Qt.Key.Key_B, Qt.Key.Key_Period])
def test_a_key_blanks_the_screen_and_any_key_brings_it_back(window, key, field):
    masked = window.state.masked
    QTest.keyClick(field, key)
    (screen,) = window.findChildren(BlankScreen)
    assert screen.isVisible() and screen.rect() == window.rect() and screen.hasFocus()
    image = window.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2).name() == "#000000"
    window.resize(window.width() - 50, window.height() - 50)
    assert screen.rect() == window.rect()
    press(screen, "M")  # no command while it is black
    assert not screen.isVisible() and field.hasFocus() and window.state.masked == masked


def test_a_black_screen_has_the_keyboard_and_a_line_its_letters(window, field):
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        press(field, "B")
        (screen,) = window.findChildren(BlankScreen)
        assert screen.isVisible()
        QTest.keyClick(screen, key)
        assert not screen.isVisible() and field.hasFocus()
    line = window.frame.sentences.a
    line.setFocus()
    line.clear()
    QTest.keyClicks(line, "b.")
    assert line.text() == "b." and not [each for each in window.findChildren(BlankScreen) if each.isVisible()]


def test_the_ring_is_around_the_pointer(window):
    window.commands["view.ring"].trigger()
    (ring,) = window.findChildren(PointerRing)
    for x, y in ((200, 150), (420, 330)):
        at = window.mapToGlobal(window.rect().topLeft())
        QCursor.setPos(at.x() + x, at.y() + y)
        pointer = window.mapFromGlobal(QCursor.pos())
        wait_until(lambda p=pointer: (ring.geometry().center() - p).manhattanLength() <= 2)
        assert ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert ring.isVisible()
    window.commands["view.ring"].trigger()
    assert ring.isHidden()


def test_notes_open_on_the_other_screen():
    window = SimpleNamespace(screen=lambda: "here")
    assert other_screen(window, ["here", "there"]) == "there" and other_screen(window, ["here"]) is None


def offers(window):
    return [offer for offer in window.frame.findChildren(OfferLine) if offer.isVisible()]


def test_the_tour_is_offered_once(window):
    settings = window.services.settings
    assert not settings.tour_offered and offers(window) == []
    window.lessons.offer_tour()
    assert len(offers(window)) == 1
    window.appearance.set_look(projector=True)
    QApplication.processEvents()
    assert len(offers(window)) == 1  # another size does not answer it
    offers(window)[0].close_button.click()
    assert offers(window) == [] and load_settings(window.services.settings_file).tour_offered
    window.lessons.offer_tour()
    assert offers(window) == [] and not window.lessons.is_open


def test_the_offer_opens_the_tour_and_is_gone(window):
    window.lessons.offer_tour()
    offers(window)[0].accept_button.click()
    assert offers(window) == []
    lesson = window.lessons.player.lesson
    assert lesson.file == tour_file()
    wait_until(lambda: window.lessons.player.start is not None)
    settle(window)


def test_the_tour_goes_through_the_rooms_in_short_pages():
    tour = load_lesson(tour_file(), room_views())
    rooms = list(dict.fromkeys(page.setup.room for page in tour.pages))
    assert rooms == ["map", "embed", "attend", "predict", "layers", "train"] and 6 <= len(tour.pages) <= 8
    assert tour.minutes == 5 and all(len(f"{page.lead} {page.text}".split()) <= 60 for page in tour.pages)
    words = sum(len(f"{page.lead} {page.text}".split()) for page in tour.pages)
    answers = [question for page in tour.pages if (question := page.question)]
    words += sum(len(f"{one.text} {' '.join(one.explanation)}".split()) for one in answers)
    assert words / 150 + 0.5 * len(answers) + sum(page.task is not None for page in tour.pages) <= 5, "not so short"


def test_a_widget_beyond_the_edge_is_scrolled_into_view_and_the_ring_stays_inside(qtbot):
    over, card, wide = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(over)
    over.resize(500, 200)
    area = QScrollArea(over)
    area.setGeometry(0, 0, 300, 200)
    wide.setFixedSize(900, 100)
    area.setWidget(wide)
    name = next(iter(HIGHLIGHTS))
    card.setParent(wide)
    card.setObjectName(name)
    card.setGeometry(600, 0, 250, 80)
    over.show()
    names = [name]
    spotlight = Spotlight(over, area, lambda: names[-1:] if names[-1] else [])
    wait_until(lambda: spotlight.targets == [card])
    assert area.horizontalScrollBar().value() >= 550
    ring = spotlight._rect_of(card)
    assert QRect(0, 0, 300, 200).contains(ring) and ring.width() >= 240
    area.horizontalScrollBar().setValue(0)
    spotlight.update_spots()
    handle_events()
    assert area.horizontalScrollBar().value() == 0  # a person may scroll elsewhere
    assert spotlight._rect_of(card).isEmpty()
    area.horizontalScrollBar().setValue(500)
    names.append("")
    spotlight.update_spots()
    wait_until(lambda: spotlight.targets == [])
    assert area.horizontalScrollBar().value() == 0  # the room begins at its top, with its tabs


def test_a_widget_that_is_higher_than_its_room_begins_at_its_top(qtbot):
    over = QScrollArea()
    qtbot.addWidget(over)
    inside, card = QWidget(), QWidget()
    over.resize(300, 200)
    inside.setFixedSize(280, 900)
    card.setParent(inside)
    card.setObjectName("tokens")
    card.setGeometry(0, 60, 280, 700)
    over.setWidget(inside)
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(300, 200)
    over.setParent(parent)
    parent.show()
    spotlight = Spotlight(parent, over, lambda: ["tokens"])
    wait_until(lambda: spotlight.targets == [card])
    assert over.verticalScrollBar().value() == 60


def test_a_widget_that_is_hidden_for_a_while_gets_its_ring_back(qtbot):
    over, card, bright = QWidget(), QWidget(), QWidget()
    qtbot.addWidget(over)
    over.resize(400, 200)
    inside = QWidget(over)
    inside.resize(400, 200)
    first, second = QWidget(inside), QWidget(inside)
    for widget, name, left in ((first, "tokens", 10), (second, "prediction", 120)):
        widget.setObjectName(name)
        widget.setGeometry(left, 10, 100, 50)
    bright.setParent(over)
    card.setParent(over)
    over.show()
    spotlight = Spotlight(over, bright, lambda: ("tokens", "prediction"))
    wait_until(lambda: spotlight.targets == [first, second])
    picture = over.grab().toImage()
    first.hide()
    wait_until(lambda: spotlight.targets == [second])
    assert over.grab().toImage() != picture
    first.show()  # nothing tells the spotlight but the widget itself
    wait_until(lambda: spotlight.targets == [first, second])
    assert over.grab().toImage() == picture
    second.setParent(None)
    second.deleteLater()
    wait_until(lambda: spotlight.targets == [first])
