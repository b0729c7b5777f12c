"""What each kind of number on the screen says, in plain words and as a formula: the tool tips of all views.

explain(self.bars, "attention")      self.bars shows attention weights
"""

import html

from PySide6.QtWidgets import QWidget

from .say import names, say

MEANINGS: dict[str, str] = names("numbers")
FORMULAS: dict[str, str] = names("formulas")


def explained(kind: str) -> str:
    """The tool tip of a kind of number: its meaning, and below it the formula."""
    lines = [html.escape(say(MEANINGS[kind]), quote=False)]
    if kind in FORMULAS:
        lines.append(f"<i>{html.escape(say(FORMULAS[kind]), quote=False)}</i>")
    return f"<qt>{'<br>'.join(lines)}</qt>"


def explain(kind: str, *widgets: QWidget) -> None:
    """Says on these widgets what the numbers on them are."""
    for widget in widgets:
        widget.setToolTip(explained(kind))
