"""The form that starts a run of any kind: what to learn, what to begin with, from which text, how long."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.train import orders
from app.rooms.train.form_fields import ColumnFields, LengthField, ModelChoice
from app.rooms.train.orders import DEFAULT_MINUTES, MINUTES, OWN_PASSES, PASSES, SAMPLE_PASSES, Wish
from app.rooms.train.run_kinds import BY_ID, RUN_KINDS, RunKind, sample_run_name, samples_of, tasks_of
from app.runs.order import RunOrder
from app.runs.run_info import RunInfo
from app.widgets.card import button, label, scrolled
from app.widgets.controls import Choice
from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.tasks.readers.reading import find_file
from bertcore.tasks.readers.spec import TaskSpec

SAMPLE_STORIES, A_FILE, A_FOLDER = "Sample stories", "A file…", "A folder…"
OFFERED = ("tiny", "mini", "small", "medium")  # what a machine without a GPU trains in minutes or hours
DEFAULT_PRESET = "tiny"
_ADVICE = {
    "tiny": "Learns visibly in two minutes.",
    "mini": "Give it ten minutes or more.",
    "small": "Give it an hour or more.",
    "medium": "Give it some hours.",
}
_SAMPLE_ADVICE = "The sample takes about a minute. It is small: on 20 held-out examples, one more or less is chance."
_OWN_ADVICE = "A dev file in the same folder is held out to measure with; else a tenth of the examples."
_NAMES = {"pretrain": "stories", "continue": "more stories", "distil": "student"}


class NewRunForm(QWidget):
    """`started` carries a run that could start; `cancelled` means back to the list."""

    started = Signal(object)  # RunOrder
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind = Choice("What to train")
        for kind in RUN_KINDS:
            self.kind.addItem(kind.title, kind.id)
        self._sentence = label("", "muted", wrap=True)
        self.model = ModelChoice()
        self.source = Choice("What to learn from")
        self.task = Choice("How to read the file")
        self.columns = ColumnFields()
        self.preset = Choice("Layers × width of the model")
        for preset in OFFERED:
            layers, hidden = PRESETS[preset]
            self.preset.addItem(f"{preset}: {layers} × {hidden}", preset)
        self.preset.setCurrentIndex(OFFERED.index(DEFAULT_PRESET))
        self.length = LengthField()
        self.crf = QCheckBox("CRF: score rows of tags")
        self.crf.setToolTip("A conditional random field learns which tag may follow which")
        self.name = QLineEdit()
        self.name.setMaxLength(60)
        self._own: Path | None = None
        self._advice, self.problem = label("", "muted", wrap=True), label("", "error", wrap=True)
        self._titles: dict[QWidget, QWidget] = {}
        self._build()
        self._connect()
        self.set_kind("pretrain")

    @property
    def run_kind(self) -> RunKind:
        return BY_ID[self.kind.currentData()]

    def set_kind(self, kind_id: str) -> None:
        """Shows the settings of this kind of run, on its sample."""
        self.kind.setCurrentIndex(self.kind.findData(kind_id))
        self._own = None
        self._refresh()

    def set_file(self, place: Path | None) -> None:
        """Learns from this file or folder; None is the sample."""
        self._own = place
        self._refresh()

    def set_runs(self, runs: list[RunInfo]) -> None:
        """Models that a run can begin with."""
        self.model.set_runs(runs)

    def order(self) -> RunOrder:
        """What the form says. Raises BertcoreError with a sentence where it cannot be run."""
        unit, number = self.length.value()
        kind = self.run_kind
        wish = Wish(
            kind,
            self.name.text().strip() or self._usual_name(),
            unit,
            number,
            self.model.reference if kind.begins_with_model else None,
            self.preset.currentData(),
            self._own,
            self._spec(),
            self.columns.chosen(),
            self.crf.isChecked(),
        )
        return orders.order_of(wish)

    def submit(self) -> None:
        try:
            order = self.order()
        except BertcoreError as error:
            self._tell(str(error))
            return
        self._tell("")
        self.started.emit(order)

    def submit_sample(self) -> None:
        """The first run of all: a tiny model on the sample stories."""
        self.set_kind("pretrain")
        self.submit()

    # --- building

    def _build(self) -> None:
        fields = QWidget()
        layout = QVBoxLayout(fields)
        layout.setContentsMargins(0, 0, theme.px(6), 0)
        layout.setSpacing(theme.px(4))
        self._add(layout, "What to train", self.kind)
        layout.addWidget(self._sentence)
        self._add(layout, "Begin with", self.model)
        self._add(layout, "Learn from", self.source)
        self._add(layout, "Read it as", self.task)
        layout.addWidget(self.columns)
        self._add(layout, "Size, layers × width", self.preset)
        self._add(layout, "How long", self.length)
        layout.addWidget(self.crf)
        self._add(layout, "Name", self.name)
        layout.addWidget(self._advice)
        layout.addStretch(1)
        self.problem.hide()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(theme.px(6))
        outer.addWidget(scrolled(fields), 1)
        outer.addWidget(self.problem)
        outer.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        """Always in sight, however many fields there are."""
        buttons = QHBoxLayout()
        self.start, self.cancel = button("Start", self.submit, look="primary"), button("Cancel", self.cancelled.emit)
        for made, stretch in ((self.start, 1), (self.cancel, 0)):
            made.setAutoDefault(True)  # Enter presses the button that has the focus
            buttons.addWidget(made, stretch)
        return buttons

    def _add(self, layout: QVBoxLayout, title: str, field: QWidget) -> None:
        field.setAccessibleName(title)
        self._titles[field] = label(title, "muted")
        layout.addWidget(self._titles[field])
        layout.addWidget(field)

    def _connect(self) -> None:
        self.kind.activated.connect(lambda _index: self.set_kind(self.kind.currentData()))
        self.source.activated.connect(self._on_source_activated)
        self.task.activated.connect(self._on_task_activated)
        self.preset.currentIndexChanged.connect(self._show_advice)
        self.name.returnPressed.connect(self.submit)
        self.length.submitted.connect(self.submit)

    # --- showing

    def _refresh(self) -> None:
        """Everything as it has to be for this kind and this file."""
        kind = self.run_kind
        self._sentence.setText(kind.sentence)
        self._fill_sources(kind)
        self._fill_tasks(kind)
        self._titles[self.model].setText("Teacher" if kind.id == "distil" else "Begin with")  # type: ignore[attr-defined]
        self._show(self.model, kind.begins_with_model)
        self._show(self.preset, kind.id == "pretrain")
        self._show(self.task, kind.is_task and self._own is not None)
        self.crf.setVisible(kind.id == "tag")
        passes = {PASSES: OWN_PASSES if self._own else SAMPLE_PASSES} if kind.is_task else {}
        self.length.set_defaults({**passes, MINUTES: DEFAULT_MINUTES})
        self.name.setText(self._usual_name())
        self._show_advice()
        self._show_columns()

    def _show(self, field: QWidget, shown: bool) -> None:
        field.setVisible(shown)
        self._titles[field].setVisible(shown)

    def _fill_sources(self, kind: RunKind) -> None:
        at = self.source.currentData()
        at = None if self._own is not None or at in (A_FILE, A_FOLDER) else at  # a dialog that was closed chose nothing
        self.source.clear()
        if not kind.is_task:
            self.source.addItem(SAMPLE_STORIES, "")
        for spec in samples_of(kind):
            self.source.addItem(f"Sample: {_topic(spec)}", spec.name)
        if self._own is not None:
            self.source.addItem(self._own.name, self._own)
        self.source.addItem(A_FILE, A_FILE)
        self.source.addItem(A_FOLDER, A_FOLDER)
        wanted = self.source.findText(self._own.name) if self._own else max(0, self.source.findData(at))
        self.source.setCurrentIndex(wanted)
        self.source.setToolTip(str(self._own) if self._own else "What to learn from")

    def _fill_tasks(self, kind: RunKind) -> None:
        """The ways to read a person's own file; the first that the folder fits is chosen."""
        self.task.clear()
        for number, spec in enumerate(tasks_of(kind)):
            self.task.addItem("a file of my own" if number == 0 else spec.title, spec.name)
        if self._own is not None and self._own.is_dir():
            fitting = (i for i, spec in enumerate(tasks_of(kind)) if _has_file(spec, self._own))
            self.task.setCurrentIndex(next(fitting, 0))

    def _spec(self) -> TaskSpec | None:
        """The task that reads the examples; None for plain text."""
        kind = self.run_kind
        name = self.task.currentData() if self._own else self.source.currentData()
        return next((spec for spec in tasks_of(kind) if spec.name == name), None)

    def _show_columns(self) -> None:
        spec, own = self._spec(), self._own
        self._tell("")
        try:
            self.columns.show_columns(spec if own else None, find_file(spec, own, "train") if spec and own else None)
        except BertcoreError as error:
            self.columns.show_columns(None, None)
            self._tell(str(error))

    def _show_advice(self) -> None:
        kind = self.run_kind
        if kind.is_task:
            text = _OWN_ADVICE if self._own else _SAMPLE_ADVICE
        else:
            text = _ADVICE.get(self.preset.currentData(), "") if kind.id == "pretrain" else ""
        self._advice.setText(text)
        self._advice.setVisible(bool(text))

    def _tell(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _usual_name(self) -> str:
        if self._own is not None:
            stem = self._own.name.split(".")[0] if self._own.is_file() else self._own.name
            return self._own.resolve().parent.name if stem == "train" else stem
        spec = self._spec()
        return sample_run_name(spec) if spec else _NAMES.get(self.run_kind.id, "run")

    # --- what the person does

    def _on_source_activated(self, index: int) -> None:
        chosen = self.source.itemData(index)
        if chosen == A_FILE:
            name, _ = QFileDialog.getOpenFileName(self, "What to learn from", "", _FILES[self.run_kind.is_task])
            self.set_file(Path(name) if name else self._own)
        elif chosen == A_FOLDER:
            name = QFileDialog.getExistingDirectory(self, "What to learn from")
            self.set_file(Path(name) if name else self._own)
        elif not isinstance(chosen, Path):
            self._own = None
            self._refresh()

    def _on_task_activated(self, index: int) -> None:
        self._show_columns()

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


_FILES = {
    False: "Text (*.txt *.md *.jsonl *.gz *.xz *.zst);;All files (*)",
    True: "Examples (*.tsv *.csv *.jsonl *.json *.txt *.conll *.parquet *.gz *.xz);;All files (*)",
}


def _is_escape(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Escape


def _topic(spec: TaskSpec) -> str:
    """ "sentiment of a sentence"; the published task of the same kind is not what ships."""
    words = spec.title.split(" (")[0]
    return words[:1].lower() + words[1:]


def _has_file(spec: TaskSpec, folder: Path) -> bool:
    try:
        find_file(spec, folder, "train")
    except (BertcoreError, OSError):
        return False
    return True
