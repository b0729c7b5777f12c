"""What the window says, in its language, and the plurals of English.

    say("{token} at position {position}", token=token, position=3)    a sentence, translated and filled in
    mark("Hidden states")                                             a text of a table, shown later by `say(text)`
    say("%n token(s)", n=count)    say("%n match(es)", n=count)       say("%n entr(y|ies) (was|were) cut", n=count)
    say("Check", meaning="verb")                                         where one English text has two translations

The sources are English; a source with a number writes both of its forms. `%Ln` writes the number with its thousands
apart. `make strings` gathers what the sources give to `say` and `mark`. Where a sentence stands plays no part: it can
be moved without being translated anew.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bertcore.files import read_json
from bertcore.locations import assets

_FORMS = re.compile(r"\((?:(\w+)\|(\w+)|(s|es))\)")  # (was|were), (s)

Texts = Mapping[tuple[str, str], list[str]]  # (meaning, English): its translation; with %n, for one and for many
_texts: Texts = {}


def say(text: str, /, *, n: int | None = None, meaning: str = "", **values: object) -> str:
    """A text in the language of the window, with what stands in its braces filled in.

    n: how many, where the text has `%n`; meaning: which meaning, where it has two.
    """
    forms = _texts.get((meaning, text)) or _texts.get(("", text))
    if n is None:
        said = forms[0] if forms else text
    else:
        from PySide6.QtCore import QLocale  # here: plain values that have words, such as examples, need no Qt

        said = forms[n != 1] if forms else plural(text, n)
        said = said.replace("%Ln", QLocale().toString(n)).replace("%n", str(n))
    return said.format(**values) if values else said


def mark(text: str, meaning: str = "") -> str:
    """A text that `say` shows later: only the tool that gathers texts sees a difference."""
    return text


def names(table: str) -> Any:
    """What things are called on the screen: a table of assets/names.json, from a key to what `say` shows."""
    return _all_names()[table]


@cache
def _all_names() -> dict[str, Any]:
    return dict(read_json(assets() / "names.json"))


def quoted(word: str) -> str:
    """A word of a text beside other words, in the language's quotation marks."""
    return say("“{word}”", word=isolated(word))


@dataclass(frozen=True)
class Titled:
    """What has a name on the screen. title and hint are English, given through `mark`."""

    key: str
    title: str
    hint: str  # what it shows, in one sentence

    @property
    def shown_title(self) -> str:
        return say(self.title, meaning=type(self).__name__)

    @property
    def shown_hint(self) -> str:
        return say(self.hint)


def plural(source: str, n: int) -> str:
    """The English form for n things; `%n` stays."""

    def form(found: re.Match[str]) -> str:
        one, many, suffix = found.groups()
        return (one or "") if n == 1 else (many or suffix)

    return _FORMS.sub(form, source)


def set_texts(texts: Texts) -> None:
    """What `say` translates with, in place of what was there."""
    global _texts
    _texts = texts


LEFT_TO_RIGHT_MARK = "\u200e"


def isolated(token: str) -> str:
    """The token for a sentence: it keeps its own direction and leaves words and numbers beside it in their order.

    Without it, a number after the token would stand before it, and a sentence that begins with it would run backwards.
    """
    is_rtl = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in token)
    return f"{LEFT_TO_RIGHT_MARK}{token}{LEFT_TO_RIGHT_MARK}" if is_rtl else token


def plain(text: str) -> str:
    """Without the marks: for files."""
    return text.replace(LEFT_TO_RIGHT_MARK, "")
