"""What differs in the settings of runs that are compared: a row for each setting, a column for each run."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QScrollArea

from ....look import theme
from ....look.say import say
from ....runs.compared_settings import differences, have_other_vocabularies
from ....widgets.card import rich_label
from .grid import RUN_COLORS

MOST_PX, MOST_ON_PROJECTOR_PX = 112, 64


class SettingsTable(QScrollArea):
    """Hidden while there is one run only."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(say("What differs in the settings"))
        self.text = rich_label(self.accessibleName())
        self.text.setWordWrap(False)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self.text)
        self._names: list[str] = []
        self.rows: list[tuple[str, tuple[str, ...]]] = []  # setting, its value in each run
        self.warning = ""
        self.hide()

    def show_runs(self, runs: Sequence[tuple[str, Path]], *, predict_words: bool) -> None:
        """runs: name and folder, in the order of their colours; predict_words: what their losses are about."""
        self._names, paths = [name for name, _ in runs], [path for _, path in runs]
        self.rows, self.warning = [], ""
        if len(runs) > 1:
            self.rows = differences(paths)
            if predict_words and have_other_vocabularies(paths):
                self.warning = say(
                    "Different vocabularies: the losses cannot be compared directly, because it is easier to guess "
                    "among fewer words."
                )
        self._write()
        self.setVisible(len(runs) > 1)

    def _write(self) -> None:
        colors = (theme.color(color).name() for color in RUN_COLORS)
        heads = (
            f'<td><span style="color:{color}">■</span> <b>{escape(name)}</b></td>'
            for name, color in zip(self._names, colors, strict=False)
        )
        muted, across = f'style="color:{theme.color("muted").name()}"', f'colspan="{1 + len(self._names)}"'
        lines = [f"<td {across}><b>{escape(self.warning)}</b></td>"] if self.warning else []
        lines.append(f"<td></td>{''.join(heads)}")
        for name, values in self.rows:
            lines.append(f"<td {muted}>{escape(name)}</td>" + "".join(f"<td>{escape(value)}</td>" for value in values))
        if not self.rows:
            lines.append(f"<td {across} {muted}>{escape(say('Their settings are the same.'))}</td>")
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        self.text.setText(f'<table cellspacing="{theme.px(4)}">{rows}</table>')
        most_px = theme.px(MOST_ON_PROJECTOR_PX if theme.is_projector() else MOST_PX)
        self.setFixedHeight(min(self.text.sizeHint().height() + theme.px(4), most_px))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()
