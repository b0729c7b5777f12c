"""What BERTscope is, its version, and the licence of everything that is inside."""

from __future__ import annotations

import platform
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QPlainTextEdit, QWidget

from bertcore import locations
from bertcore.runs.environment import BERTSCOPE, version_of

from ..look import theme
from ..look.say import say
from ..widgets.card import button, label
from ..widgets.layouts import hbox, vbox
from . import installed

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
        self._fill()
        self.inside.setCurrentRow(0)
        pad = theme.px(12)
        vbox(
            self.title,
            label(about, "muted", wrap=True),
            label(
                say("{count} parts are inside. Choose one to read its licence.", count=self.inside.count()), wrap=True
            ),
            (hbox((self.inside, 2), (self.text, 3), gap_px=8), 1),
            hbox(None, button(say("Close"), self.close)),
            parent=self,
            gap_px=8,
            margins=pad,
        )

    def _fill(self) -> None:
        packages = installed.packages()
        for package in packages[:1]:
            self._add(f"{package.name} {package.version}", package.licence, package)
        for name in locations.NAMED:
            card = locations.shipped_checkpoint(name) / "README.md"
            licence = installed.card_licence(card)
            self._add(name, say("see its card") if licence == "other" else licence.upper(), card)
        self._add(f"Python {platform.python_version()}", "PSF-2.0", installed.python_licence())
        for package in packages[1:]:
            licence = package.licence or say("no licence stated")
            self._add(f"{package.name} {package.version}", licence, package)
        for file in installed.bundled_licences():
            self._add(file.stem, "", file)

    def _add(self, title: str, licence: str, source: installed.Package | Path) -> None:
        item = QListWidgetItem(f"{title} · {licence}" if licence else title)
        item.setToolTip(item.text())
        item.setData(SOURCE, source)
        self.inside.addItem(item)

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.text.setPlainText(self._licence_of(item.data(SOURCE)))

    def _licence_of(self, source: installed.Package | Path) -> str:
        absent = say("This installation has no licence text; the project’s web page does.")
        if isinstance(source, Path):
            return installed.text_of(source) if source.is_file() else absent
        head = "\n".join(filter(None, (source.about, source.licence, source.home_page)))
        return f"{head}\n\n{source.licence_text or absent}"
