"""The guessing game: its rules, and a class that plays it with the keyboard in a real window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.rooms.game import game as rules
from app.rooms.game.game import ROUNDS, Game, Phase, Puzzle
from app.widgets.answer_cover import Cover
from bertcore.locations import BUILT_IN, TINY, shipped_checkpoint
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.app.conftest import make_checkpoint, read_masked, settle, wait_until

OWN = [Puzzle("The ", ("cat", "dog"), " sat on the mat."), Puzzle("A dog and a ", ("bird",), " ran home.")]


def test_a_sentence_names_its_hidden_word_and_points_go_by_its_place():
    for line, puzzle in (
        ("We drink tea from a [cup|mug].", Puzzle("We drink tea from a ", ("cup", "mug"), ".")),
        ("[Cows] eat grass", Puzzle("", ("Cows",), " eat grass")),
        *((line, None) for line in ("No word is hidden.", "[Two] are [hidden].", "An empty [] one.", "")),
    ):
        assert rules.parse_puzzle(line) == puzzle
    puzzle = Puzzle("", ("cup", "mug"), "")
    lists = (["cup"], ["glass", "Mug"], ["a", "b", "c", "d", "cup"], ["a", "b", "c", "d", "e", "cup"], [], ["##cup"])
    assert [rules.points_for(puzzle.rank_in(words)) for words in lists] == [2, 1, 1, 0, 0, 0]


def test_words_are_found_in_what_is_typed():
    assert rules.words_of(" cup,mug ; cup  glass. ") == ["cup", "mug", "glass"]
    assert rules.words_of("a b c d e f g") == ["a", "b", "c", "d", "e"] and rules.words_of("?!") == []
    found = rules.puzzles_of("It’s my mother-in-law, isn't it?")
    assert [puzzle.answer for puzzle in found] == ["It’s", "my", "mother-in-law", "isn't", "it"]
    assert found[2].text == "It’s my [MASK], isn't it?" and found[2].whole == "It’s my mother-in-law, isn't it?"
    assert found[3].whole[found[3].place.start : found[3].place.stop] == "isn't"


def test_a_game_has_ten_sentences_and_keeps_the_score():
    game = Game(OWN)
    assert game.phase is Phase.WELCOME
    for number in range(ROUNDS):
        game.advance(bool)
        assert game.phase is Phase.GUESS and game.round == number + 1
        game.typed = game.puzzle.answer
        game.show_answer([("thing", 0.5), (game.puzzle.answer, 0.2)])
        game.show_answer([("counted", 0.1)])  # once only
    assert game.score == (2 * ROUNDS, ROUNDS) and [points for _, *points in game.played] == [[2, 1]] * ROUNDS
    game.advance(bool)
    assert game.phase is Phase.END
    game.advance(bool)
    assert game.round == 1 and not game.played and game.score == (0, 0)


def test_words_that_the_model_cannot_find_are_left_out():
    game = Game(OWN)
    for _ in range(3):
        game.advance(lambda puzzle: puzzle.answer == "bird")
        assert game.puzzle == OWN[1]
        game.show_answer([])
    game.skip(lambda _puzzle: False)
    assert game.round == 3 and game.puzzle is not None  # better an impossible one than none
    game = Game(OWN)  # an own sentence takes the place of one that nobody has guessed
    game.advance(bool)
    for number in (1, 2):
        game.write_own()
        game.play_own(OWN[number % 2])
        assert game.round == number
        game.show_answer([])


def test_the_sentences_that_ship_are_many_and_can_be_won():
    puzzles = rules.load_puzzles()
    assert len(puzzles) >= 3 * ROUNDS and len({puzzle.whole for puzzle in puzzles}) == len(puzzles)
    for name in (BUILT_IN, TINY):
        tokenizer = Tokenizer.from_folder(shipped_checkpoint(name))
        known = [puzzle for puzzle in puzzles if len(tokenizer.encode(puzzle.answer).ids) == 3]
        assert len(known) >= 2 * ROUNDS, name


@pytest.fixture
def view(window):
    window.state.kept["game.play"] = Game(OWN)
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    window.commands["lesson.game"].trigger()
    settle(window)
    return view_of(window)


def view_of(window):
    return window.frame.room.view


def press(key):
    """Where the keyboard is; or types."""
    widget = QApplication.focusWidget()
    (QTest.keyClicks if isinstance(key, str) else QTest.keyClick)(widget, key)


def seen_at_the_middle(widget):
    """What a click there would reach."""
    window = widget.window()
    return window.childAt(widget.mapTo(window, widget.rect().center()))


def test_a_round_by_keyboard_alone(window, view):
    press(Qt.Key.Key_Return)
    assert window.state.text_a == "The [MASK] sat on the mat." and window.state.text_b == ""
    assert QApplication.focusWidget() is view.line
    press("dog, bird")
    assert view.model_rows.rows == [] and isinstance(seen_at_the_middle(view.model_rows), Cover)
    press(Qt.Key.Key_Return)
    wait_until(lambda: view.game.phase is Phase.SHOWN)
    reading = window.state.reading
    assert [row.word for row in view.model_rows.rows] == [word.token for word in reading.masks[0].words[:5]]
    assert seen_at_the_middle(view.model_rows) is view.model_rows
    assert [(row.word, row.is_right) for row in view.class_rows.rows] == [("dog", True), ("bird", False)]
    assert view.game.score[0] == 2 and "Class 2 :" in view.points.text()
    view.end.click()
    assert view.played.isVisible() and ">cat</b> sat on the mat.</td><td align='right'>2<" in view.played.text()
    assert QApplication.focusWidget() is view.go
    press(Qt.Key.Key_Return)
    assert window.state.text_a == "A dog and a [MASK] ran home." and view.line.text() == ""
    assert isinstance(seen_at_the_middle(view.model_rows), Cover)


def test_a_remote_goes_on_and_an_arrow_skips(window, view):
    press(Qt.Key.Key_PageDown)
    press(Qt.Key.Key_Down)
    assert window.state.text_a == "A dog and a [MASK] ran home." and view.game.round == 1
    settle(window)
    press(Qt.Key.Key_PageDown)
    wait_until(lambda: view.game.phase is Phase.SHOWN)
    press(Qt.Key.Key_PageDown)
    assert view.game.phase is Phase.GUESS and view.game.round == 2


def test_an_own_sentence(window, view):
    """By keyboard; and by mouse, but for words that no mask can stand for."""
    for word, why in (("carpet", "cuts “carpet” into"), ("zebra", "not in this model")):
        view.own.click()
        press(f"The {word} sat.")
        QApplication.processEvents()
        QTest.mouseClick(view.sentence, Qt.MouseButton.LeftButton, pos=view.sentence.rect_of(1).center().toPoint())
        assert view.game.phase is Phase.OWN and why in view.own_hint.text()
        view.end.click()
    view.own.click()
    press("The happy bird sat.")
    press(Qt.Key.Key_Return)
    assert QApplication.focusWidget() is view.sentence
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        press(key)
    assert window.state.text_a == "The happy [MASK] sat." and view.game.phase is Phase.GUESS


def test_neither_another_text_nor_a_projector_spoils_the_round(window, view):
    press(Qt.Key.Key_Return)
    press("dog")
    window.appearance.set_look(projector=True)
    settle(window)
    again = view_of(window)
    assert again is not view and again.game is view.game
    assert again.line.text() == "dog" and again.sentence.pieces[1].text == "?"
    window.appearance.set_look(projector=False)
    settle(window)
    view = view_of(window)
    window.state.set_text("Something else.", "And more.")
    read_masked(window, [1])
    assert view.game.phase is Phase.GUESS
    view.go_on()
    wait_until(lambda: view.game.phase is Phase.SHOWN)
    assert window.state.text_a == "The [MASK] sat on the mat." and not window.state.masked
    assert len(window.state.reading.masks) == 1


def test_a_model_without_words_says_so(open_window, tmp_path):
    window = open_window(make_checkpoint(tmp_path / "encoder", output_heads=()), "")
    window.open_room("game")
    view = view_of(window)
    settle(window)
    assert view.message.isVisible() and "no words" in view.message.text() and not view.go.isEnabled()
