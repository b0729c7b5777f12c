"""Text with HTML in it, in the colours of the theme of now.

label = RichLabel("The first examples")
label.write(lambda: html_table([[colored("text", "muted"), colored("label", "muted")], ...]))
"""

import html
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from ..look import theme


class RichLabel(QLabel):
    """On as many lines as it needs; it can be selected, and is written anew in another theme."""

    def __init__(self, name: str) -> None:
        """name: for screen readers."""
        super().__init__()
        self._write: Callable[[], str] | None = None
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAccessibleName(name)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def write(self, text: Callable[[], str]) -> None:
        """text: gives the HTML, in the colours of now."""
        self._write = text
        self.setText(text())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._write is not None:
            self.setText(self._write())


def colored(text: str, color: str = "ink", *, bold: bool = False) -> str:
    """color: its name in the theme."""
    weight = "bold" if bold else "normal"
    return f'<span style="color:{theme.color(color).name()}; font-weight:{weight}">{html.escape(text)}</span>'


def html_table(
    rows: Iterable[Sequence[str]],
    *,
    gap_px: float = 0,
    pad_px: float = 0,
    fills: Sequence[str] = (),
    right: int = -1,
    look: str = "",
) -> str:
    """rows: their cells as HTML; a row of one cell goes across. fills: colours of the first rows, "" for none; right:
    the column that is aligned at its right; gap_px, pad_px: between cells, and in them; look: attributes."""
    rows = list(rows)
    across, lines = max(map(len, rows), default=1), []
    for number, cells in enumerate(rows):
        fill = fills[number] if number < len(fills) else ""
        shade = f' bgcolor="{theme.color(fill).name()}"' if fill else ""
        span = f' colspan="{across}"' if len(cells) == 1 else ""
        sides = (' align="right"' if column == right else span for column in range(len(cells)))
        row = "".join(f"<td{side}>{cell}</td>" for side, cell in zip(sides, cells, strict=True))
        lines.append(f"<tr{shade}>{row}</tr>")
    spaces = f'cellspacing="{theme.px(gap_px)}" cellpadding="{theme.px(pad_px)}"'
    return f"<table {spaces} {look}>{''.join(lines)}</table>"
