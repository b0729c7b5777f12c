"""The whole window with a real, tiny model: typing, masks, rooms, errors, looks."""

import threading

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QScrollArea

from app.look import theme
from app.shell.commands import Command
from app.shell.menus import fill_commands
from app.shell.rooms import ROOMS, open_view
from app.state.baseline import OtherText
from app.state.examples import load_examples
from tests.app import attend_room
from tests.app.conftest import TIMEOUT_MS, click, drop, press, read_text, settle, shown_room, wait_until
from tests.app.predict_room import nothing


def hold(begun, free, _progress):
    begun.set()
    free.wait()


def seen_of(room):
    """What the window has for a room; where that needs more, it scrolls."""
    area = next(area for area in room.window().findChildren(QScrollArea) if area.isAncestorOf(room))
    return area.viewport().size()


def test_typing_updates_strip_and_room(window):
    attend = window.open_room("attend")
    before = len(window.state.encoding)
    window.frame.sentences.a.setFocus()
    window.frame.sentences.a.end(False)
    QTest.keyClicks(window.frame.sentences.a, " dog")
    assert [chip.token for chip in window.frame.strip.field.chips].count("dog") == 1
    settle(window)
    assert attend_room.values(attend).shape == (before + 1, before + 1)
    press(window.frame.sentences.a, "M")  # a letter here
    assert window.state.text_a == "The cat sat on the mat. dogm" and window.state.masked == frozenset()


def test_tokens_are_masked_by_a_double_click_and_by_m(window):
    field = window.frame.strip.field
    for expected in ({2}, set()):
        QTest.mouseDClick(field, Qt.MouseButton.LeftButton, pos=field.rect_of(2).center().toPoint())
        assert window.state.masked == expected
    click(field, field.rect_of(4))
    assert window.state.focus == 4
    press(window.frame, "Esc")
    assert window.state.focus is None
    predict = window.open_room("predict")
    assert "press M" in nothing(predict.words_view)
    window.state.set_focus(2)
    window.frame.strip.field.setFocus()
    press(window.frame.strip.field, "M")
    settle(window)
    (card,) = predict.words_view.shown_cards
    assert card.hint.startswith("hides “cat” · rank ")
    assert [bar.label for bar in card.bars.bars if bar.is_strong] == ["cat"]
    assert nothing(predict.words_view) == ""


def test_a_dropped_folder_is_opened_if_it_is_a_checkpoint_and_the_text_stays(window, tmp_path, headless_folder):
    title, reading = window.frame.title_bar.model.text(), window.state.reading
    drop(window, tmp_path)
    wait_until(lambda: window.frame.banner.is_shown)
    assert "config.json" in window.frame.banner.text
    assert window.frame.title_bar.model.text() == title and window.state.reading is reading
    read_text(window, a="a dog ran")
    drop(window, headless_folder)
    wait_until(lambda: window.state.model.name == "encoder-only")
    settle(window)
    assert window.state.text_a == "a dog ran"
    assert window.services.settings.recent_models[0] == str(headless_folder)


def test_each_model_is_remembered_by_its_own_name(window, headless_folder, model_folder, monkeypatch):
    opened = []

    def ask_for_another():
        """In the moment before the first one is remembered."""
        opened.append(window.state.model.name)
        if len(opened) == 1:
            window.open_model("someone/something")

    monkeypatch.setattr("bertcore.resolve_model.fetch", lambda reference: model_folder)
    monkeypatch.chdir(headless_folder.parent)
    window.state.model_changed.connect(ask_for_another)
    window.open_model(headless_folder.name)  # as an argument names it: from where BERTscope was started
    wait_until(lambda: len(opened) == 2)
    settle(window)
    assert window.services.settings.recent_models[:2] == ["someone/something", str(headless_folder.resolve())]


def test_the_theme_changes_every_colour_and_is_remembered(window):
    window.open_room("attend")
    spot = QPoint(window.width() - 20, window.height() - 60)
    assert window.grab().toImage().pixelColor(spot).name() == theme.LIGHT.card
    window.commands["view.theme"].trigger()
    assert window.grab().toImage().pixelColor(spot).name() == theme.DARK.card
    assert theme.active().name == "dark" and '"theme": "dark"' in window.services.settings_file.read_text()


def test_the_look_that_is_on_is_not_put_on_again(window):
    class Restyled(QObject):
        times = 0

        def eventFilter(self, watched, event):
            self.times += event.type() == QEvent.Type.StyleChange
            return False

    restyled = Restyled()
    window.frame.rail.installEventFilter(restyled)
    window.appearance.set_look("light", projector=False)
    assert restyled.times == 0
    window.appearance.set_look("dark")
    assert restyled.times > 0


def test_projector_size_keeps_what_is_looked_at_and_what_is_said(window):
    """In the middle of a lesson."""
    window.state.toggle_mask(2)
    height = window.frame.sentences.a.height()
    room = window.open_room("attend")
    window.frame.show_question("Click “it”.", "It looks back.", is_answered=True)
    window.show_problem("Something to read.")
    room.shared.choose((1, 2), (0, 1))
    room.open_view("lines")
    room.heads_card.open("find")
    settle(window)
    window.appearance.set_look(projector=True)
    settle(window)
    again = window.frame.room
    assert again is not room and window.frame.question.question == "Click “it”." and window.frame.question.is_answered
    assert window.frame.banner.text == "Something to read."
    assert (again.views.key, again.heads_card.panels.key) == ("lines", "find")
    assert list(again.shared.heads) == [(1, 2), (0, 1)]
    assert window.frame.sentences.a.height() == round(height * 1.5)
    assert window.frame.sentences.a.text() == "The cat sat on the mat."
    predict = window.open_room("predict")
    wait_until(lambda: predict.is_drawn)
    assert len(predict.words_view.shown_cards) == 1


def test_ten_thousand_words_are_cut_and_it_is_said(window):
    QApplication.clipboard().setText("the cat sat on mat " * 2000)
    edit = window.frame.sentences.a
    edit.selectAll()
    edit.paste()
    assert len(window.state.encoding) == 64
    assert "tokens were dropped: the model reads at most 64." in window.frame.note.text()
    settle(window)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "🦄👩‍👩‍👧 party",
        "שלום עולם مرحبا",
        "a\x00b\x07c\x1b[31m",
        "line\nbreak\tand tab",
        "e\u0301\u0301\u0301",
        "[CLS] [SEP] [PAD]",
    ],
)
def test_odd_texts_are_read_and_drawn_in_every_room(window, text):
    for key in ("embed", "attend", "predict"):
        window.open_room(key)
        read_text(window, text, text[::-1])
        window.repaint()
        assert not window.frame.banner.is_shown


def test_the_status_line_and_screen_readers_say_what_is_there(window):
    text, encoding = window.frame.status.text, window.state.encoding
    assert text.startswith(f"{len(encoding)} tokens · segment A 9 · segment B {len(encoding) - 9}")
    assert "forward" in text and "drawn" in text and "CPU" in text
    window.open_room("attend")
    names = {child.accessibleName() for child in window.findChildren(type(window.frame).__mro__[1])}
    assert {"Sentence A", "Sentence B", "Tokens", "Rooms", "Status"} <= names
    assert "Every head: rows are layers, columns are heads" in names


def test_an_example_brings_text_masks_and_room(window):
    example = next(example for example in load_examples() if example.mask)
    window.examples.use(example)
    assert (window.state.text_a, window.state.text_b) == (example.a, example.b or "")
    assert window.frame.room is window.frame.rooms[example.room]
    asked = window.frame.question
    assert asked.question == example.look_for and not asked.is_answered, "asks first, and keeps the answer"
    asked.show_answer.click()
    assert asked.is_answered and asked.answer == f"bertscope-mini (not open now): {example.happens}"
    window.frame.sentences.a.setFocus()
    QTest.keyClicks(window.frame.sentences.a, " and more")
    assert asked.isVisible() and asked.question == example.look_for  # it may ask for a word to be changed, and compared
    window.state.set_text("Something else was written here.", "")
    assert not asked.isVisible()


def test_an_example_brings_what_it_is_compared_with_and_takes_it_along(window):
    first, compared = load_examples()[0], next(one for one in load_examples() if one.other and one.view == "circuit")
    window.examples.use(compared)
    assert window.state.baseline == OtherText(compared.other, "")
    assert window.frame.room.views.key == compared.view == "circuit"
    window.examples.use(first)
    assert window.state.baseline is None
    own = OtherText("The dog sat.", "")
    window.state.set_baseline(own)
    window.examples.use(first)
    assert window.state.baseline == own, "a person's own comparison stays"


def test_an_example_opens_the_page_that_it_is_about(window):
    """Not the one that was looked at there last."""
    for spec in ROOMS:
        first = spec.view_keys[0]
        example = next((example for example in load_examples() if example.room == spec.key), None)
        if not first or example is None:
            continue
        shown = window.open_room(spec.key)
        open_view(shown, spec.view_keys[-1])
        window.examples.use(example)
        settle(window)
        assert shown.views.key == first


def test_every_command_is_in_a_menu_once(window):
    menu = QMenu()
    fill_commands(window, menu)
    actions = [action for part in menu.findChildren(QMenu) for action in part.actions()]
    shown = [action.text() for action in actions if isinstance(action, Command)]
    assert sorted(shown) == sorted({command.text() for command in window.commands.values()})


@pytest.mark.parametrize("key", ["M", "W", "S"])
def test_a_letter_typed_at_a_drop_down_is_no_command(window, key):
    before = (window.state.all_masked, window.state.token_view)
    choice = QComboBox(window.frame)
    choice.addItems(["attention", "melody", "sound", "word"])
    choice.show()
    window.activateWindow()
    choice.setFocus()
    QTest.keyClicks(choice, key)
    assert choice.currentText().startswith(key.lower())
    assert (window.state.all_masked, window.state.token_view) == before


def test_the_window_is_gone_at_once_though_the_model_computes(open_window, model_folder, monkeypatch):
    window = open_window(model_folder)
    begun, free = threading.Event(), threading.Event()
    window.services.inference.post("long", hold, begun, free, deliver=lambda *_: None)
    assert begun.wait(TIMEOUT_MS / 1000)
    joined = []
    with monkeypatch.context() as patch:
        patch.setattr(window.services.inference, "join", joined.append)
        window.close()
    assert window.isHidden() and joined == []  # nobody has waited for the worker
    assert not window.services.close(0.01)
    free.set()
    assert window.services.close()


def test_the_first_window_counts_its_title_bar(window):
    """On the screen of this platform, 800 x 800, the window has a frame too."""
    available = window.screen().availableGeometry()
    assert not available.contains(window.frameGeometry())
    window.fit_screen()
    wait_until(lambda: available.contains(window.frameGeometry()))
    assert window.frameGeometry().height() > window.height() > available.height() - 50


def test_in_projector_mode_the_picture_has_two_thirds_of_a_small_screen(window):
    window.appearance.set_look(projector=True)
    window.resize(1280, 720)
    for spec in ROOMS:
        shown = shown_room(window, spec.key)
        QApplication.processEvents()
        seen = seen_of(shown)
        assert seen.height() * seen.width() > 2 / 3 * 1280 * 720, spec.key
    assert window.frame.sentences.a.width() > 250 and window.frame.strip.field.is_short


def test_nothing_scrolls_sideways_in_a_small_window(window):
    window.resize(1024, 700)
    for spec in ROOMS:
        for key in spec.view_keys:
            window.open_view(spec.key, key)
            settle(window)
            QApplication.processEvents()
            room = window.frame.room
            assert room.minimumSizeHint().width() <= seen_of(room).width(), f"{spec.key} {key}"
    assert window.size().width() == 1024


@pytest.mark.parametrize("key", ["train", "attend"])
def test_help_stands_beside_the_room_and_covers_nothing(window, key):
    room = shown_room(window, key)
    window.toggle_help()
    QApplication.processEvents()
    assert room.mapTo(window, room.rect().topRight()).x() < window.frame.help.x()
    assert room.width() == seen_of(room).width()


def test_a_banner_stays_in_the_room_that_it_is_about(window):
    window.open_room("attend")
    window.show_problem("There is no token 99.")
    window.open_room("attend")
    assert window.frame.banner.is_shown
    window.open_room("embed")
    assert not window.frame.banner.is_shown


def test_plain_words_and_technical_ones_are_a_switch_that_is_kept(window):
    def first_number():
        settle(window)
        room = shown_room(window, "predict")
        wait_until(lambda: bool(room.words_view.shown_cards[0].bars.bars))  # a new frame's rooms are drawn later
        return room.words_view.shown_cards[0].bars.bars[0].number

    window.state.set_masks([2])
    assert "%" not in first_number()
    for words in ("plain", "technical"):
        old = window.frame
        window.commands["view.technical"].trigger()
        wait_until(lambda old=old: window.frame is not old)
        assert window.services.settings.words == words and ("%" in first_number()) == (words == "plain")
