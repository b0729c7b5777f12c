"""Which collection the view on show is about: the sample that ships, a file, or lines that a person types."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPlainTextEdit, QWidget

from ...compute.evidence import Gathered, Kind, Source, shipped_source
from ...figures.figure import joined
from ...look import mark, names, say, theme
from ...widgets.card import Card, Hint, button
from ...widgets.controls import MenuButton
from ...widgets.layouts import fill, hbox
from .view import hash_text

BOX_PX, LEAST_PX = 92, 220
FILES: dict[str, str] = names("files of a collection")
SAMPLES: dict[str, str] = names("samples")
HELP: dict[str, str] = names("lines of a collection")


class CollectionChooser(QWidget):
    """A button with a menu, and the facts of the collection beside it. `typed` is laid out by the room, below."""

    source_chosen = Signal(object)  # Source

    def __init__(self) -> None:
        super().__init__()
        self.kind: Kind = "sentences"
        self.choose = MenuButton("", self._fill, say("Which collection of texts to look at"))
        self.facts = Hint()
        hbox(self.choose, (self.facts, 1), parent=self, gap_px=8)
        self.box = QPlainTextEdit()
        self.box.setAccessibleName(say("Lines of the collection"))
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.box.setTabChangesFocus(True)
        self.box.setFixedHeight(theme.px(BOX_PX))
        self.typed = Card(say("Your own collection"), intro=" ")
        use = button(say("Use these lines"), self._on_use_clicked, look="primary")
        close = button(say("Close"), self.typed.hide, look="quiet")
        fill(self.typed.body, self.box, hbox(None, close, use, gap_px=8))
        self.typed.hide()

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(LEAST_PX), super().minimumSizeHint().height())

    def show_collection(self, kind: Kind, gathered: Gathered | None) -> None:
        """Of the view on show; None while there is none."""
        if kind != self.kind:
            self.typed.hide()
        self.kind = kind
        name = "–" if gathered is None else gathered.name
        self.choose.setText(say("Collection: {name}", name=name))
        facts = ""
        if gathered is not None and len(gathered):
            left = "; ".join(gathered.collection.left_out)
            left = say("left out: {what}", what=left) if left else ""
            counted = {"pairs": mark("%Ln pair(s)"), "documents": mark("%Ln document(s)")}
            count = say(counted.get(kind, mark("%Ln sentence(s)")), n=len(gathered))
            facts = joined(count, hash_text(gathered.sha256), left)
        self.facts.setText(facts)

    def ask_for_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, say("Collection"), "", say(FILES[self.kind]))
        if name:
            self.source_chosen.emit(Source(self.kind, Path(name)))

    def show_box(self) -> None:
        """Where lines are typed."""
        self.typed.set_intro(say(HELP[self.kind]))
        self.typed.show()
        self.box.setFocus()

    def _fill(self, menu: QMenu) -> None:
        sample = shipped_source(self.kind)
        menu.addAction(say(SAMPLES[self.kind]), lambda: self.source_chosen.emit(sample))
        menu.addAction(say("Open file…"), self.ask_for_file)
        if self.kind in HELP:
            menu.addAction(say("Type or paste…"), self.show_box)

    def _on_use_clicked(self) -> None:
        lines = self.box.toPlainText().encode("utf-8", "replace").decode().split("\n")
        self.source_chosen.emit(Source(self.kind, lines=tuple(lines)))
