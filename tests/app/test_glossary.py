"""Technical words are links to their cards, and every card is needed."""

import re

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.look.say import Titled
from app.shell.rooms import ROOMS
from app.shell.window import Window
from app.state.glossary import GlossaryCard, find_words, load_glossary
from app.widgets.help_panel import help_text
from app.widgets.linked_text import LinkedText, WordCard, open_link
from tests.app.conftest import wait_until
from tests.test_rules import ROOT

CARDS = load_glossary()


def sentences() -> dict[str, str]:
    """What views, cards and help pages say, by place."""
    specs: list[Titled] = [view for room in ROOMS for view in room.views]
    found = {f"view {spec.key}": spec.hint for spec in specs}
    found |= {f"help {room.key}": help_text(room.key) for room in ROOMS}
    for file in (ROOT / "app" / "rooms").rglob("*.py"):
        found[file.name] = file.read_text(encoding="utf-8")
    return found


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_is_short_and_its_links_resolve(card: GlossaryCard) -> None:
    titles = {other.title for other in CARDS.values()}
    assert card.see_also and set(card.see_also) <= titles - {card.title}
    definition = card.text.partition("\n\n")[0]
    assert 5 <= len(re.findall(r"\w+", definition)) <= 70
    assert all(find_words(form) for form in card.forms), "a form that is not found"


def test_every_card_is_linked_from_somewhere() -> None:
    linked = {word.key for text in sentences().values() for word in find_words(text)}
    linked |= {word.key for card in CARDS.values() for word in find_words(card.text, besides=card.key)}
    assert set(CARDS) - linked == set()
    assert {word.key for text in sentences().values() for word in find_words(text)} <= set(CARDS)


def test_words_are_found_once_whole_and_the_longest() -> None:
    text = "Attention weights of [MASK]: weights, a headline, ##ahead, hidden states; attention weights"
    assert [(text[word.start : word.end], word.key) for word in find_words(text)] == [
        ("Attention weights", "attention-weight"),
        ("[MASK]", "mask"),
        ("weights", "weight"),
        ("hidden states", "hidden-state"),
    ]


def test_enter_on_a_word_opens_its_card_and_escape_closes_it(looks: object, qtbot: QtBot) -> None:
    text = LinkedText("A head of a layer.")
    qtbot.addWidget(text)
    text.resize(300, 40)
    text.show()
    assert text.words == ["head", "layer"]
    open_link(QUrl("word:head"), text)
    card = text.findChild(WordCard)
    assert card is not None and card.isVisible() and card.text.toPlainText().startswith("head")
    card.text.anchorClicked.emit(QUrl("word:query"))
    assert card.key == "query"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    wait_until(lambda: text.findChild(WordCard) is None)


def test_the_command_list_and_the_help_have_all_words(window: Window) -> None:
    window.open_room("embed")
    window.toggle_help()
    assert all(card.title in window.frame.help.text.toPlainText() for card in CARDS.values())
    palette = window.open_palette()
    palette.line.setText("entropy")
    assert any(entry.kind == "Word" and entry.title == "entropy" for entry in palette.shown)
