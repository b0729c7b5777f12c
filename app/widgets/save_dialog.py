"""Asks where to write a file, and sees to its ending."""

import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from ..look import say


def ask_for_file(parent: QWidget, title: str, start: Path, filters: Mapping[str, str], *also: str) -> Path | None:
    """The file to write, with one of the endings; None where the person thought better of it.

    filters: ending -> how the dialog shows it, the first one chosen at first. also: endings to leave as they are typed.
    """
    while True:
        chosen, kind = QFileDialog.getSaveFileName(parent, title, str(start), ";;".join(filters.values()))
        if not chosen:
            return None
        start = Path(chosen)
        if start.name.lower().endswith((*filters, *also)):
            return start  # the dialog has asked about this very name
        endings = [ending for ending, shown in filters.items() if shown == kind] or list(filters)
        start = start.with_name(start.name + endings[0])
        if not os.path.lexists(start) or _may_replace(parent, title, start):
            return start


def _may_replace(parent: QWidget, title: str, file: Path) -> bool:
    question = say("{file} already exists. Do you want to replace it?")
    answer = QMessageBox.question(parent, title, question.format(file=file.name))
    return answer == QMessageBox.StandardButton.Yes
