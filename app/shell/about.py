"""What BERTscope is, its version, and the licence of everything that is inside."""

import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QPlainTextEdit, QWidget

from bertcore import locations
from bertcore.runs.environment import BERTSCOPE, version_of

from ..look import say, theme
from ..widgets.card import button, label
from ..widgets.layouts import hbox, vbox
from . import installed_packages as installed

SOURCE = Qt.ItemDataRole.UserRole


class AboutDialog(QDialog):
    """At the left what is inside, at the right the licence of what is chosen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("About BERTscope"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(theme.px(860), theme.px(520))
        version = version_of(BERTSCOPE) or say("not installed as a package")
        self.title = label(say("BERTscope {version}", version=version), "title")
        about = say("A microscope for BERT. It works without a network and sends nothing anywhere.")
        self.inside, self.text = QListWidget(), QPlainTextEdit()
        self.inside.setAccessibleName(say("What is inside"))
        self.text.setAccessibleName(say("Licence"))
        self.inside.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long ones end in an ellipsis
        self.text.setReadOnly(True)
        self.inside.currentItemChanged.connect(self._show)
        for title, source in _parts():
            item = QListWidgetItem(title, self.inside)
            item.setToolTip(title)
            item.setData(SOURCE, source)
        self.inside.setCurrentRow(0)
        count = say("{count} parts are inside. Choose one to read its licence.", count=self.inside.count())
        vbox(
            self.title,
            label(about, "muted", wrap=True),
            label(count, wrap=True),
            (hbox((self.inside, 2), (self.text, 3), gap_px=8), 1),
            hbox(None, button(say("Close"), self.close)),
            parent=self,
            gap_px=8,
            margins=theme.px(12),
        )

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        source, head = item.data(SOURCE), ""
        if isinstance(source, Path):
            text = installed.text_of(source)
        else:
            text, about = installed.licence_text(source), source.metadata.json.get("summary", "")
            lines = filter(None, (str(about), installed.licence_of(source), installed.home_page_of(source)))
            head = "\n".join(lines) + "\n\n"
        absent = say("This installation has no licence text; the project’s web page does.")
        self.text.setPlainText(head + (text or absent))


def _parts() -> Iterator[tuple[str, Path | Distribution]]:
    """All that is inside, with its licence, and where the text of that is."""
    own, *packages = installed.packages()
    yield f"{own.name} {own.version} · {installed.licence_of(own)}", own
    for name in locations.NAMED:
        card = locations.shipped_checkpoint(name) / "README.md"
        stated = re.search(r"(?m)^license: (\S+)$", installed.text_of(card))
        licence = stated[1].upper() if stated else ""
        yield f"{name} · {say('see its card') if licence == 'OTHER' else licence}", card
    # Where Python puts its licence; some systems take it elsewhere.
    yield f"Python {platform.python_version()} · PSF-2.0", Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    for package in packages:
        licence = installed.licence_of(package) or say("no licence stated")
        yield f"{package.name} {package.version} · {licence}", package
    # What is no Python package but came along, in the folder that runs without Python (`make bundle`).
    for file in sorted((Path(sys.prefix) / "share" / BERTSCOPE / "licences").glob("*.txt")):
        yield file.stem, file
