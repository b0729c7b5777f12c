"""Every sentence on the screen can be translated, and plurals are right in English."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from app.look.say import plural, say, set_texts
from app.shell.rooms import ROOMS
from app.shell.window import Window
from bertcore.locations import assets
from scripts.translations import strings_of_sources
from tests.app.conftest import TEXT_A, TEXT_B, Opener, settle, wait_until
from tests.app.language_check import outside, untranslated
from tests.app.layout_check import faults
from tests.app.layout_walk import LABELS, walk, walk_train, write_runs
from tests.app.pseudo_language import PseudoQt, PseudoTexts, pseudo
from tests.app.test_apply_room import KINDS, make_model

FACTS_OF_THE_SMALL_WORLD = ("pet", "house", "food", "drink", "way", "game", "place", "helper")


@pytest.mark.parametrize(
    ("source", "n", "text"),
    [
        ("%n token(s)", 1, "%n token"),
        ("%n token(s)", 0, "%n tokens"),
        ("%n match(es) of {word}", 2, "%n matches of {word}"),
        ("%n entr(y|ies) (was|were) cut", 1, "%n entry was cut"),
        ("%n entr(y|ies) (was|were) cut", 3, "%n entries were cut"),
        ("f(x) of %n (all layers)", 2, "f(x) of %n (all layers)"),
    ],
)
def test_english_plurals(source: str, n: int, text: str) -> None:
    assert plural(source, n) == text


def test_widgets_say_the_right_plural(looks: QApplication) -> None:
    assert [say("%n token(s)", n=n) for n in (1, 2)] == ["1 token", "2 tokens"]
    assert say("%Ln token(s)", n=12_204) == "12,204 tokens"


def test_the_pseudo_language_keeps_what_is_filled_in() -> None:
    text = pseudo("Head {head} of layer {layer:,}, %n time(s) &Save")
    assert all(part in text for part in ("{head}", "{layer:,}", "%n", "&S"))
    assert text.startswith("⟦") and "layer of" not in text and len(text) > 60


@pytest.fixture
def language(looks: QApplication) -> Iterator[PseudoTexts]:
    made, of_qt = PseudoTexts(), PseudoQt()
    set_texts(made)
    looks.installTranslator(of_qt)
    yield made
    looks.removeTranslator(of_qt)
    set_texts({})


@pytest.fixture(scope="module")
def extracted() -> set[str]:
    """What translators get."""
    return {source for _, source in strings_of_sources()}


@pytest.fixture
def pseudo_window(language: PseudoTexts, open_window: Opener, model_folder: Path) -> Window:
    """A window that speaks the pseudo-language."""
    made = open_window(model_folder, TEXT_A, TEXT_B)
    made.state.set_masks(())
    settle(made)
    return made


@pytest.mark.parametrize("room", [room.key for room in ROOMS])
def test_every_text_of_a_room_can_be_translated(
    room: str, pseudo_window: Window, language: PseudoTexts, extracted: set[str]
) -> None:
    wrong = walk(pseudo_window, (room,), lambda window: untranslated(window, window.frame.room))
    assert wrong == {}, _listed(wrong)
    missing = sorted(language.asked - extracted)
    assert missing == [], "no `say` or `mark` has these as a literal, so no translator would see them"


def test_every_text_of_runs_and_forms_can_be_translated(pseudo_window: Window) -> None:
    write_runs()
    small_world = (assets() / "corpus" / "small-world.txt").read_text(encoding="utf-8").lower()
    labels = [*" ".join(LABELS).split(), *sorted(set(re.findall(r"\w+", small_world))), *FACTS_OF_THE_SMALL_WORLD]
    for inspect in (lambda window: untranslated(window, window.frame.room, labels), cut_in_a_window(1500, 900)):
        wrong = walk_train(pseudo_window, inspect, QSize(1500, 900))
        assert wrong == {}, _listed(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_of_a_task_can_be_translated(kind: str, pseudo_window: Window, tmp_path: Path) -> None:
    window = pseudo_window
    window.open_model(make_model(tmp_path / kind, kind))
    wait_until(lambda: window.state.model is not None and window.state.model.name == kind)
    settle(window)
    labels = [word for label in KINDS[kind][1].get("labels", ()) for word in re.findall(r"\w+", label)]
    for inspect in (lambda window: untranslated(window, window.frame.room, labels), cut_in_a_window(1440, 900)):
        wrong = walk(window, ("apply",), inspect, QSize(1440, 900))
        assert wrong == {}, _listed(wrong)


def test_every_text_around_the_rooms_can_be_translated(pseudo_window: Window) -> None:
    window = pseudo_window
    window.open_room("embed")
    settle(window)
    room = window.frame.room
    room.hide()
    found = untranslated(window)
    found += [f"command: {action.text()}" for action in window.findChildren(QAction) if _is_plain(action.text())]
    assert found == []


@pytest.mark.parametrize("room", [room.key for room in ROOMS])
def test_no_word_is_cut_off_when_words_are_longer(room: str, pseudo_window: Window) -> None:
    wrong = walk(pseudo_window, (room,), cut_in_a_window(1440, 900), QSize(1440, 900))
    assert wrong == {}, _listed(wrong)


def cut_in_a_window(width: int, height: int) -> Callable[[Window], list[str]]:
    return lambda window: faults(window, QSize(width, height))


def _is_plain(text: str) -> bool:
    return any(letter.isalpha() for letter in outside(text))


def _listed(wrong: dict[str, list[str]]) -> str:
    return "\n".join(f"{place}: {one}" for place, found in wrong.items() for one in found)
