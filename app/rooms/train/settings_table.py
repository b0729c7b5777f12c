"""What differs in the settings of runs that are compared: a row for each setting, a column for each run."""

import html
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QScrollArea

from ...look import theme
from ...look.say import say
from ...runs.compared_settings import differences, have_other_vocabularies
from .curve_grid import RUN_COLORS

MOST_PX, MOST_ON_PROJECTOR_PX = 112, 64
SQUARE = "■"


class SettingsTable(QScrollArea):
    """Hidden while there is one run only."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(say("What differs in the settings"))
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self.text)
        self._names: list[str] = []
        self.rows: list[tuple[str, tuple[str, ...]]] = []  # setting, its value in each run
        self.warning = ""
        self.hide()

    def show_runs(self, runs: Sequence[tuple[str, Path]], *, predict_words: bool) -> None:
        """runs: name and folder, in the order of their colours; predict_words: what their losses are about."""
        self._names = [name for name, _ in runs]
        paths = [path for _, path in runs]
        self.rows = differences(paths) if len(runs) > 1 else []
        is_unfair = len(runs) > 1 and predict_words and have_other_vocabularies(paths)
        text = say(
            "Different vocabularies: the losses cannot be compared directly, because it is easier to guess among "
            "fewer words."
        )
        self.warning = text if is_unfair else ""
        self._write()
        self.setVisible(len(runs) > 1)

    def _write(self) -> None:
        colors = (theme.color(color).name() for color in RUN_COLORS)
        heads = (
            f'<td><span style="color:{color}">{SQUARE}</span> <b>{html.escape(name)}</b></td>'
            for name, color in zip(self._names, colors, strict=False)
        )
        rows = [f"<tr><td></td>{''.join(heads)}</tr>"]
        muted, across = theme.color("muted").name(), 1 + len(self._names)
        if self.warning:
            rows.insert(0, f'<tr><td colspan="{across}"><b>{html.escape(self.warning)}</b></td></tr>')
        for name, values in self.rows:
            cells = "".join(f"<td>{html.escape(value)}</td>" for value in values)
            rows.append(f'<tr><td style="color:{muted}">{html.escape(name)}</td>{cells}</tr>')
        if not self.rows:
            same = html.escape(say("Their settings are the same."))
            rows.append(f'<tr><td colspan="{across}" style="color:{muted}">{same}</td></tr>')
        self.text.setText(f'<table cellspacing="{theme.px(4)}">{"".join(rows)}</table>')
        most_px = theme.px(MOST_ON_PROJECTOR_PX if theme.is_projector() else MOST_PX)
        self.setFixedHeight(min(self.text.sizeHint().height() + theme.px(4), most_px))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()
