"""The glossary that ships with BERTscope, and where its words are in a text. No Qt, no torch.

`assets/glossary.md` says how it is written. A translation gives the forms of its own language.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..look.translated import asset


@dataclass(frozen=True)
class GlossaryCard:
    """What a word means."""

    title: str
    forms: tuple[str, ...]  # by which it is found in a text, its title among them
    text: str  # Markdown

    @property
    def key(self) -> str:
        """By which links go to it."""
        return self.title.lower().replace(" ", "-")

    @property
    def see_also(self) -> tuple[str, ...]:
        """Titles of other cards."""
        found = re.search(r"\*(?:See also|Siehe auch)\*: (.+)\.", self.text)
        return tuple(found[1].split(", ")) if found else ()


@dataclass(frozen=True)
class FoundWord:
    """A word of the glossary in a text."""

    start: int
    end: int
    key: str


def load_glossary() -> dict[str, GlossaryCard]:
    """All cards by their keys, in alphabetical order, in the language of the window."""
    return read_glossary(asset("glossary.md"))


@cache
def read_glossary(file: Path) -> dict[str, GlossaryCard]:
    cards = [_read_card(section) for section in file.read_text(encoding="utf-8").split("\n## ")[1:]]
    cards.sort(key=lambda card: unicodedata.normalize("NFKD", card.title.lower()))  # ü stands with u
    return {card.key: card for card in cards}


def find_words(text: str, *, besides: str = "") -> list[FoundWord]:
    """The first place of each word in a text; of two words in one place the longer. besides: a key to leave out."""
    pattern, keys = _forms(asset("glossary.md"))
    found: dict[str, FoundWord] = {}
    for match in pattern.finditer(text):
        form = match[0]
        key = keys.get(form) or keys.get(form.lower(), "")
        if key and key != besides:
            found.setdefault(key, FoundWord(*match.span(), key))
    return list(found.values())


def _read_card(section: str) -> GlossaryCard:
    title, _, rest = section.partition("\n")
    forms = [title.strip()]
    if rest.startswith("also: "):
        line, _, rest = rest.partition("\n")
        forms += line.removeprefix("also: ").split(", ")
    return GlossaryCard(title.strip(), tuple(forms), rest.strip())


@cache
def _forms(glossary: Path) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern that finds all forms, the longest first, and the key of each."""
    keys = {form: card.key for card in read_glossary(glossary).values() for form in card.forms}
    keys.update({form.lower(): key for form, key in keys.items() if form != form.upper()})
    longest_first = sorted(keys, key=len, reverse=True)
    alternatives = "|".join(re.escape(form) for form in longest_first)
    return re.compile(rf"(?<![\w\-#[])(?:{alternatives})(?![\w\]])", re.IGNORECASE), keys
