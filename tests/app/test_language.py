"""Every sentence on the screen can be translated, and plurals are right in English."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QLabel

from app.look.language import plural
from tests.app.pseudo_language import pseudo


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
    assert [QLabel().tr("%n token(s)", "", n) for n in (1, 2)] == ["1 token", "2 tokens"]
    assert QCoreApplication.translate("x", "%Ln token(s)", "", 12_204) == "12,204 tokens"


def test_the_pseudo_language_keeps_what_is_filled_in() -> None:
    text = pseudo("Head {head} of layer {layer:,}, %n time(s) &Save")
    assert all(part in text for part in ("{head}", "{layer:,}", "%n", "&S"))
    assert text.startswith("⟦") and "layer of" not in text and len(text) > 60
