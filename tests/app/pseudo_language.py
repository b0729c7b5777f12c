"""A language that shows what is not translated: accented, 40% longer, in brackets: ⟦Šăvé pîcţûŕé ~~~~⟧."""

import re

from PySide6.QtCore import QTranslator

from app.look.language import plural

ACCENTED = str.maketrans("aceinorstuyzACEINORSTUYZ", "äçéîñöŕšţûýžÄÇÉÎÑÖŔŠŢÛÝŽ")
LONGER = 0.4
PYQTGRAPH = {"Form", "PlotItem", "ViewBox", "GraphicsScene", "PlotWidget", "ExportWidget"}
_KEPT = re.compile(r"(\{[^}]*\}|%L?n|&\w|<[^>]*>|&[a-z]+;|\t)")  # placeholders, mnemonics, tags, and the tab of a menu


class PseudoLanguage(QTranslator):
    """Translates every source that it is asked for, whatever its context, and keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:  # type: ignore[override]
        if not context.startswith("Q") and context not in PYQTGRAPH:  # their own words are theirs to translate
            self.asked.add(source)
        return pseudo(plural(source, n) if n >= 0 else source)


def pseudo(text: str) -> str:
    parts = _KEPT.split(text)
    added = round(LONGER * sum(len(part) for part in parts[::2]))
    longer = ("~~~~~~~ " * added)[:added]  # words, which a label can wrap
    return f"⟦{''.join(part if i % 2 else part.translate(ACCENTED) for i, part in enumerate(parts))}{longer}⟧"
