"""Why a file of examples cannot be read: its lines around the place, column by column, and what to do."""

import html

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.training.data_facts import Fault

from ...look import numbers, theme
from ...look.say import say
from ...widgets.card import button, label, rich_label
from ...widgets.layouts import hbox, vbox

CELL_CHARACTERS = 110
TAB = "\t"


class FaultBox(QWidget):
    """Hidden as long as there is nothing wrong."""

    check_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines = rich_label(say("The lines around the error"))
        self._steps_title = label(say("What to do"), "title")
        self._steps = label("", wrap=True)
        self.check = button(say("Check the file again"), self.check_requested.emit, look="primary")
        vbox(self.lines, 8, self._steps_title, self._steps, 2, hbox(self.check, None), parent=self, gap_px=6)

    def show_fault(self, fault: Fault) -> None:
        self.lines.setText(_table(fault, say("missing")))
        self.setVisible(bool(fault.lines))
        steps = [
            say(
                "1. Open the file in a text editor or a spreadsheet, and go to line {line}.",
                line=numbers.count(fault.line),
            ),
            say("2. Correct it: every line needs the same columns, with a tab between them.")
            if any(TAB in text for _, text in fault.lines)
            else say("2. Correct it, so that it looks like the lines around it."),
            say("3. Save the file, and check it again here."),
        ]
        self._steps.setText("\n".join(steps))


def _table(fault: Fault, missing: str) -> str:
    """In HTML: the number of each line and its cells; the faulty line is marked, and what it lacks is named."""
    rows = [(number, text.split(TAB)) for number, text in fault.lines]
    most = max((len(cells) for number, cells in rows if number != fault.line), default=1)
    lines, last = [], None
    for number, cells in rows:
        is_it = number == fault.line
        if last is not None and number > last + 1:
            lines.append(f"<tr><td></td><td>⋮</td><td colspan={most}></td></tr>")
        last = number
        color = theme.color("bad_text" if is_it else "ink").name()
        shown = [_short(cell) for cell in cells] + [missing] * (is_it * (most - len(cells)))
        weight = "bold" if number == 1 else "normal"
        places = [
            f'<td style="color:{color}; font-weight:{"bold" if at >= len(cells) else weight}">{html.escape(cell)}</td>'
            for at, cell in enumerate(shown)
        ]
        background = f' bgcolor="{theme.color("bad_tint").name()}"' if is_it else ""
        mark = f'<td style="color:{color}">{"→" if is_it else ""}</td>'
        muted = theme.color("muted").name()
        place = f'<td style="color:{muted}" align="right">{numbers.count(number)}</td>'
        lines.append(f"<tr{background}>{mark}{place}{''.join(places)}</tr>")
    return f'<table cellspacing="0" cellpadding="{theme.px(6)}">{"".join(lines)}</table>'


def _short(text: str) -> str:
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"
