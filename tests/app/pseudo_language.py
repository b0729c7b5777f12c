"""A language that shows what is not translated: accented, 40% longer, in brackets: ⟦Šăvé pîcţûŕé ~~~~⟧."""

import re
from collections.abc import Iterator, Mapping

from PySide6.QtCore import QTranslator

from app.look.say import plural

ACCENTED = str.maketrans("aceinorstuyzACEINORSTUYZ", "äçéîñöŕšţûýžÄÇÉÎÑÖŔŠŢÛÝŽ")
LONGER = 0.4
_KEPT = re.compile(r"(\{[^}]*\}|%L?n|&\w|<[^>]*>|&[a-z]+;|\t)")  # placeholders, mnemonics, tags, and the tab of a menu


class PseudoTexts(Mapping[tuple[str, str], list[str]]):
    """What `say` translates with: every text that it is asked for, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, key: tuple[str, str]) -> list[str]:
        source = key[1]
        if not source:  # of a picture that has no words of its own
            return []
        self.asked.add(source)
        return [pseudo(plural(source, n) if "%n" in source or "%Ln" in source else source) for n in (1, 2)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def __len__(self) -> int:
        return 0


class PseudoQt(QTranslator):
    """The words of Qt's own dialogs, and of pyqtgraph's menus."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:
        return pseudo(source)


def pseudo(text: str) -> str:
    parts = _KEPT.split(text)
    added = round(LONGER * sum(len(part) for part in parts[::2]))
    longer = ("~~~~~~~ " * added)[:added]  # words, which a label can wrap
    return f"⟦{''.join(part if i % 2 else part.translate(ACCENTED) for i, part in enumerate(parts))}{longer}⟧"
