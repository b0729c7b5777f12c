"""The form that starts a pretraining run: text, size, minutes, name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app import theme
from app.widgets.card import button, label
from app.widgets.controls import Choice
from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.locations import sample_corpus
from bertcore.training.options import DataOptions, PretrainOptions, TrainingOptions

SAMPLE, OWN_FILE = "Sample stories", "A text file…"
OFFERED = ("tiny", "mini", "small", "medium")  # what a machine without a GPU trains in minutes or hours
DEFAULT_PRESET, DEFAULT_MINUTES = "tiny", 2.0
_ADVICE = {
    "tiny": "Learns visibly in two minutes.",
    "mini": "Give it ten minutes or more.",
    "small": "Give it an hour or more.",
    "medium": "Give it some hours.",
}


class NewRunForm(QWidget):
    """`started` carries the options of a run that could start; `cancelled` means back to the list."""

    started = Signal(object)  # PretrainOptions
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.source = Choice("The text to learn from")
        self.source.addItems([SAMPLE, OWN_FILE])
        self.preset = Choice("Layers × width of the model")
        for preset in OFFERED:
            layers, hidden = PRESETS[preset]
            self.preset.addItem(f"{preset}: {layers} × {hidden}", preset)
        self.minutes = QLineEdit(f"{DEFAULT_MINUTES:g}")
        self.name = QLineEdit("stories")
        self.name.setMaxLength(60)
        self._file: Path | None = None
        self._advice = label("", "muted", wrap=True)
        self.problem = label("", "error", wrap=True)
        self._build()
        self.source.activated.connect(self._on_source_activated)
        self.preset.currentIndexChanged.connect(self._on_preset_changed)
        for line in (self.minutes, self.name):
            line.returnPressed.connect(self.submit)
        self.preset.setCurrentIndex(OFFERED.index(DEFAULT_PRESET))
        self._on_preset_changed()

    def options(self) -> PretrainOptions:
        """What the form says. Raises BertcoreError with a sentence where it cannot be run."""
        corpus = self._file or sample_corpus()
        if not corpus.is_file():
            raise BertcoreError(f"The text file {corpus} is not there; choose another.")
        return PretrainOptions(
            name=self.name.text().strip() or corpus.stem,
            preset=self.preset.currentData(),
            data=DataOptions(corpus=(str(corpus.resolve()),)),
            training=TrainingOptions(minutes=_minutes(self.minutes.text())),
        )

    def set_file(self, file: Path | None) -> None:
        """Learns from this file; None is the sample stories."""
        self._file = file
        self.source.setItemText(1, file.name if file else OWN_FILE)
        self.source.setCurrentIndex(1 if file else 0)
        self.source.setToolTip(str(file) if file else "The text to learn from")
        self.name.setText(file.stem if file else "stories")

    def submit(self) -> None:
        try:
            options = self.options()
        except BertcoreError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.problem.hide()
        self.started.emit(options)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        fields: tuple[tuple[str, QWidget], ...] = (
            ("Text", self.source),
            ("Size, layers × width", self.preset),
            ("Minutes to train", self.minutes),
            ("Name", self.name),
        )
        for title, field in fields:
            field.setAccessibleName(title)
            layout.addWidget(label(title, "muted"))
            layout.addWidget(field)
            layout.addSpacing(theme.px(4))
        layout.addWidget(self._advice)
        layout.addWidget(self.problem)
        self.problem.hide()
        layout.addSpacing(theme.px(4))
        buttons = QHBoxLayout()
        self.start, self.cancel = button("Start", self.submit, look="primary"), button("Cancel", self.cancelled.emit)
        for made, stretch in ((self.start, 1), (self.cancel, 0)):
            made.setAutoDefault(True)  # Enter presses the button that has the focus
            buttons.addWidget(made, stretch)
        layout.addLayout(buttons)
        layout.addStretch(1)

    def _on_source_activated(self, index: int) -> None:
        if index == 0:
            self.set_file(None)
            return
        name, _ = QFileDialog.getOpenFileName(self, "Text to learn from", "", "Text (*.txt *.md);;All files (*)")
        self.set_file(Path(name) if name else self._file)

    def _on_preset_changed(self) -> None:
        self._advice.setText(_ADVICE.get(self.preset.currentData(), ""))

    def event(self, event: QEvent) -> bool:
        """Esc in the form is the form's: said before the window's own shortcut gets it."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape


def _minutes(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BertcoreError(f"Write the minutes as a number such as 2, not {text!r}.") from None
