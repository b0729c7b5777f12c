"""The form that starts a run of any kind: what to train, what to start from, from which text, for how long."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.model.parameter_count import count_parameters
from bertcore.tasks.readers.reading import find_file
from bertcore.tasks.spec import TaskSpec
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import HEADS_OF_PAIRS, PretrainOptions

from ...look import numbers, theme
from ...look.say import mark, say
from ...runs.process import Options, RunCommand
from ...runs.run_info import RunInfo
from ...state.task_info import task_title
from ...widgets.card import button, label, scrolled
from ...widgets.controls import Choice
from ...widgets.layouts import fill, vbox
from ...widgets.save_dialog import ask_for_file
from .advanced_fields import NAMES, AdvancedFields
from .column_fields import ColumnFields
from .length_field import LengthField
from .model_choice import ModelChoice
from .run_kinds import (
    BY_KEY,
    DEFAULT_MINUTES,
    DEFAULT_STEPS,
    EPOCHS,
    MINUTES,
    OWN_EPOCHS,
    RUN_KINDS,
    SAMPLE_EPOCHS,
    STEPS,
    TEXT_EPOCHS,
    FormValues,
    RunKind,
    sample_run_name,
    samples_of,
    tasks_of,
)
from .settings_file import budget_of, kind_of, model_of, not_in_the_form, place_of, read_settings, values_of
from .sweep_buttons import SweepButtons

A_FILE, A_FOLDER = "file", "folder"  # data of the two entries that open a dialog
OFFERED = {  # sizes that a machine without a GPU trains in minutes or hours
    "tiny": mark("Learns visibly within two minutes."),
    "mini": mark("Give it ten minutes or more."),
    "small": mark("Give it an hour or more."),
    "medium": mark("Give it several hours."),
    "base": mark("The size of BERT: it takes days, or a graphics card."),
    "large": mark("The larger BERT: for graphics cards."),
}
DEFAULT_PRESET = "tiny"


class NewRunForm(QWidget):
    """`started` carries a run that could start; `cancelled` means back to the list."""

    started = Signal(object)  # RunCommand
    cancelled = Signal()
    changed = Signal()  # `planned` may be another one now

    def __init__(self) -> None:
        super().__init__()
        self.kind = Choice(say("What to train"))
        for kind in RUN_KINDS:
            self.kind.addItem(say(kind.title), kind.key)
        self._sentence = label("", "muted", wrap=True)
        self.model = ModelChoice()
        self.source = Choice(say("What to learn from"))
        self.task = Choice(say("The format of the file"))
        self.columns = ColumnFields()
        self.preset = Choice(say("Layers × hidden size of the model"))
        for preset in OFFERED:
            layers, hidden = PRESETS[preset]
            self.preset.addItem(f"{preset}: {layers} × {hidden}", preset)
        self.preset.setCurrentIndex(self.preset.findData(DEFAULT_PRESET))
        self.length = LengthField()
        self.crf = QCheckBox(say("Add a CRF layer"))
        self.crf.setToolTip(say("A conditional random field learns which tag may follow which"))
        self.name = QLineEdit()
        self.name.setMaxLength(60)
        self.advanced = AdvancedFields()
        self._own: Path | None = None
        self._kept: dict[str, Any] = {}  # of settings that were loaded: those without a field
        self.advice, self.problem = label("", "muted", wrap=True), label("", "error", wrap=True)
        self._titles: dict[QWidget, QLabel] = {}
        self._help: dict[QWidget, QLabel] = {}
        self._vocab_size: int | None = None  # that the text gave, once somebody has counted
        self._build()
        self._connect()
        self.set_kind("pretrain")

    @property
    def run_kind(self) -> RunKind:
        return BY_KEY[self.kind.currentData()]

    def set_kind(self, key: str) -> None:
        """Shows the settings of this kind of run, on its sample."""
        self.kind.setCurrentIndex(self.kind.findData(key))
        self._own, self._kept = None, {}
        self._refresh()

    def show_options(self, options: Options) -> None:
        """Fills in the settings of a recipe or a run; those without a field are kept for the run that is started.

        Raises BertcoreError with a sentence for what cannot be run here.
        """
        self.set_kind(kind_of(options).key)
        self._own, task = place_of(options), str(values_of(options).get("task", ""))
        if self._own is None:
            self.source.setCurrentIndex(max(0, self.source.findData(task)))
        self._refresh()
        if self._own is not None and task:
            self.task.setCurrentIndex(self.task.findData(task))
            self._show_columns()
        if isinstance(options, FinetuneOptions):
            self.columns.set_chosen(options.data.columns)
            self.crf.setChecked(options.crf)
        self.model.set_folder(model_of(options))
        if isinstance(options, PretrainOptions):
            self.preset.setCurrentIndex(self.preset.findData(options.preset))
        if (budget := budget_of(options)) is not None:
            self.length.set_length(*budget)
        self.advanced.show_values(values_of(options))
        self.name.setText(options.name)
        self._kept = not_in_the_form(self.planned().options, options, set(self.advanced.fields))
        self._show_sources_kept()
        self.changed.emit()

    def load(self, file: Path) -> None:
        """Fills in the settings in a file; what is wrong with it is said in the form."""
        try:
            self.show_options(read_settings(file))
        except BertcoreError as error:
            self._show_problem(str(error))

    def save(self, file: Path) -> None:
        """Writes the settings, as `bertcore ... --recipe` reads them."""
        try:
            write_json(file, self.planned().options.to_dict(), follow=True)
        except (BertcoreError, OSError) as error:
            self._show_problem(str(error))

    def set_file(self, place: Path | None) -> None:
        """Learns from this file or folder; None is the sample."""
        self._own, self._vocab_size = place, None
        self._refresh()

    def set_vocab_size(self, size: int) -> None:
        """How many entries the vocabulary has that is learned from the text."""
        self._vocab_size = size
        self._show_advice()

    def set_startable(self, startable: bool) -> None:
        """False while the data has a fault, which is shown beside the form."""
        for made in (self.start, self.sweep):
            made.setEnabled(startable)
            made.setToolTip("" if startable else say("The data has to be corrected first: see “Before you start”."))

    def set_runs(self, runs: list[RunInfo]) -> None:
        """Models that a run can start from."""
        self.model.set_runs(runs)

    def planned(self) -> RunCommand:
        """The run as it is set; its data is not read yet. Raises BertcoreError where a setting cannot be."""
        return self.run_kind.command(self._values())

    def command(self) -> RunCommand:
        """The run to start. Raises BertcoreError with a sentence where it cannot be run."""
        values = self._values()
        command = self.run_kind.command(values)
        self.run_kind.check(values)
        return command

    def _values(self) -> FormValues:
        kind = self.run_kind
        return FormValues(
            kind,
            self.name.text().strip() or self._usual_name(),
            self.length.unit,
            self.length.number,
            self.model.reference if kind.starts_from_model else None,
            self.preset.currentData(),
            self._own,
            self._spec(),
            self.columns.chosen(),
            self.crf.isChecked(),
            self.advanced.changes(),
            self._kept,
        )

    def submit(self) -> None:
        try:
            command = self.command()
        except BertcoreError as error:
            self._show_problem(str(error))
            return
        self._show_problem("")
        self.started.emit(command)

    def submit_sample(self) -> None:
        """The first run of all: a tiny model on the sample stories."""
        self.set_kind("pretrain")
        self.submit()

    # --- building

    def _build(self) -> None:
        fields = QWidget()
        layout = vbox(parent=fields, gap_px=4, margins=(0, 0, theme.px(6), 0))
        self._add(layout, say("What to train"), self.kind)
        layout.addWidget(self._sentence)
        self._add(layout, say("Start from"), self.model, say("Training starts from what this model already knows."))
        self._add(layout, say("Learn from"), self.source)
        self._add(layout, say("Read it as"), self.task, say("How the file is laid out."))
        layout.addWidget(self.columns)
        self._add(layout, say("Layers × hidden size"), self.preset)
        self._add(layout, say("How long"), self.length, say("An epoch reads all examples or text once."))
        layout.addWidget(self.crf)
        self._add(layout, say("Name"), self.name, say("The run’s name in the list."))
        save = button(
            say("Save settings…"),
            self._on_save_clicked,
            hint=say("To load them again later, or to use them as a --recipe in the shell"),
        )
        load = button(say("Load settings…"), self._on_load_clicked, hint=say("From a recipe or a run’s config.json"))
        fill(layout, self.advice, self.advanced, save, load, None)
        self.problem.hide()
        self.sweep = SweepButtons(self.command)
        self.sweep.started.connect(self.started)
        self.sweep.problem_found.connect(self._show_problem)
        vbox((scrolled(fields), 1), self.problem, self._buttons(), self.sweep, parent=self, gap_px=6)

    def _buttons(self) -> QHBoxLayout:
        """Always in sight, however many fields there are."""
        buttons = QHBoxLayout()
        self.start = button(say("Start"), self.submit, look="primary")
        self.cancel = button(say("Cancel"), self.cancelled.emit)
        for made, stretch in ((self.start, 1), (self.cancel, 0)):
            made.setAutoDefault(True)  # Enter presses the button that has the focus
            buttons.addWidget(made, stretch)
        return buttons

    def _add(self, layout: QVBoxLayout, title: str, field: QWidget, about: str = "") -> None:
        """about: a line of help, where no sentence of the form is about this field."""
        field.setAccessibleName(title)
        field.setAccessibleDescription(about)
        self._titles[field] = label(title, "strong")
        fill(layout, self._titles[field], field)
        if about:
            self._help[field] = label(about, "muted", wrap=True)
            fill(layout, self._help[field])

    def _connect(self) -> None:
        self.kind.activated.connect(lambda _index: self.set_kind(self.kind.currentData()))
        self.source.activated.connect(self._on_source_activated)
        self.task.activated.connect(self._on_task_activated)
        self.name.returnPressed.connect(self.submit)
        self.length.submitted.connect(self.submit)
        self.length.unit_choice.currentIndexChanged.connect(self._on_unit_changed)
        self.advanced.submitted.connect(self.submit)
        for signal in (
            *(self.model.activated, self.preset.currentIndexChanged, self.crf.toggled),
            *(self.length.edited, self.columns.edited, self.advanced.edited),
        ):
            signal.connect(self._on_edited)

    def _on_unit_changed(self, _index: int) -> None:
        self._help[self.length].setVisible(self.length.unit == EPOCHS)

    # --- showing

    def _refresh(self) -> None:
        """Everything as it has to be for this kind and this file."""
        kind = self.run_kind
        self._sentence.setText(say(kind.sentence))
        self._fill_sources(kind)
        self._fill_tasks(kind)
        if kind.model_title:
            self._titles[self.model].setText(say(kind.model_title))
        self._show(self.model, kind.starts_from_model)
        self._show(self.preset, not kind.starts_from_model)
        self._show(self.task, kind.is_task and self._own is not None)
        self.crf.setVisible(kind.key == "tag")
        self.sweep.setVisible(kind.key != "distil")  # there is no one figure that says how good a student is
        epochs = OWN_EPOCHS if self._own else SAMPLE_EPOCHS
        usual = {EPOCHS: epochs, MINUTES: DEFAULT_MINUTES}
        usual = usual if kind.is_task else {MINUTES: DEFAULT_MINUTES, EPOCHS: TEXT_EPOCHS}
        self.length.set_defaults({**usual, STEPS: DEFAULT_STEPS})
        self.advanced.show_settings(NAMES[kind.options_key], kind.usual_options(own=self._own is not None))
        self.name.setText(self._usual_name())
        self._show_advice()
        self._show_columns()
        self.changed.emit()

    def _show(self, field: QWidget, shown: bool) -> None:
        field.setVisible(shown)
        for words in (self._titles[field], self._help.get(field)):
            if words is not None:
                words.setVisible(shown)

    def _fill_sources(self, kind: RunKind) -> None:
        at = self.source.currentData()
        at = None if self._own is not None or at in (A_FILE, A_FOLDER) else at  # a dialog that was closed chose nothing
        self.source.clear()
        if not kind.is_task:
            self.source.addItem(say("Sample stories"), "")
        for spec in samples_of(kind):
            self.source.addItem(say("Sample: {topic}", topic=_topic(spec)), spec.name)
        if self._own is not None:
            self.source.addItem(self._own.name, self._own)
        self.source.addItem(say("A file…"), A_FILE)
        self.source.addItem(say("A folder…"), A_FOLDER)
        wanted = self.source.findText(self._own.name) if self._own else max(0, self.source.findData(at))
        self.source.setCurrentIndex(wanted)
        self.source.setToolTip(str(self._own) if self._own else say("What to learn from"))

    def _show_sources_kept(self) -> None:
        """Settings that were loaded may name several files."""
        count = len(self._kept.get("mixture") or self._kept.get("corpus") or ())  # lupdate wants a plain name
        if count > 1:
            self.source.setItemText(self.source.currentIndex(), say("%n file(s) from the settings", n=count))

    def _fill_tasks(self, kind: RunKind) -> None:
        """The ways to read a person's own file; the first that the folder fits is chosen."""
        self.task.clear()
        for number, spec in enumerate(tasks_of(kind)):
            self.task.addItem(say("a file of my own") if number == 0 else task_title(spec), spec.name)
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
        self._show_problem("")
        try:
            self.columns.show_columns(spec if own else None, find_file(spec, own, "train") if spec and own else None)
        except BertcoreError as error:
            self.columns.show_columns(None, None)
            self._show_problem(str(error))

    def _show_advice(self) -> None:
        kind = self.run_kind
        text = ""
        if kind.is_task and self._own:
            text = say("If the folder has a dev file, that is held out; otherwise a tenth of the examples is.")
        elif kind.is_task:
            text = say("A small sample: with only 20 held-out examples, one right answer more or less may be chance.")
        elif not kind.starts_from_model:
            text = f"{say(OFFERED[self.preset.currentData()])} {self._parameters_in_words()}"
        self.advice.setText(text)
        self.advice.setVisible(bool(text))

    def _parameters_in_words(self) -> str:
        """Of a new model of this shape; "" while a setting cannot be."""
        try:
            options = self.planned().options
        except BertcoreError:
            return ""
        if not isinstance(options, PretrainOptions):
            return ""
        vocab_size = min(self._vocab_size or options.data.vocab_size, options.data.vocab_size)
        count = count_parameters(options.model_config(vocab_size), HEADS_OF_PAIRS[options.data.pairs])
        if self._vocab_size is None:
            text = say("At most {parameters} parameters, depending on how many different words the text has.")
        else:
            text = say("{parameters} parameters.")
        return text.format(parameters=numbers.count(count))

    def _show_problem(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _usual_name(self) -> str:
        if self._own is not None:
            stem = self._own.name.split(".")[0] if self._own.is_file() else self._own.name
            return self._own.resolve().parent.name if stem == "train" else stem
        spec = self._spec()
        return sample_run_name(spec) if spec else self.run_kind.usual_name

    def _file_filter(self) -> str:
        if self.run_kind.is_task:
            return say("Examples (*.tsv *.csv *.jsonl *.json *.txt *.conll *.parquet *.gz *.xz);;All files (*)")
        return say("Text (*.txt *.md *.jsonl *.gz *.xz *.zst);;All files (*)")

    # --- what the person does

    def _on_edited(self, *_what: object) -> None:
        self._show_advice()
        self.changed.emit()

    def _on_task_activated(self, _index: int) -> None:
        self._show_columns()
        self.changed.emit()

    def _on_save_clicked(self) -> None:
        start = Path.home() / f"{self.name.text().strip() or self._usual_name()}.json"
        file = ask_for_file(self, say("Save settings"), start, {".json": say("Settings (*.json)")})
        if file is not None:
            self.save(file)

    def _on_load_clicked(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, say("Load settings"), "", say("Settings (*.json)"))
        if name:
            self.load(Path(name))

    def _on_source_activated(self, index: int) -> None:
        chosen = self.source.itemData(index)
        self._kept = {name: value for name, value in self._kept.items() if name not in ("corpus", "mixture")}
        if chosen == A_FILE:
            name, _ = QFileDialog.getOpenFileName(self, say("What to learn from"), "", self._file_filter())
            self.set_file(Path(name) if name else self._own)
        elif chosen == A_FOLDER:
            name = QFileDialog.getExistingDirectory(self, say("What to learn from"))
            self.set_file(Path(name) if name else self._own)
        elif not isinstance(chosen, Path):
            self._own, self._vocab_size = None, None
            self._refresh()

    def event(self, event: QEvent) -> bool:
        """Esc in the form cancels the form, before the window's own shortcut gets it."""
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


def _topic(spec: TaskSpec) -> str:
    """ "Sentiment of a sentence"; the published task of the same kind is not what ships."""
    return task_title(spec).split(" (")[0]


def _has_file(spec: TaskSpec, folder: Path) -> bool:
    try:
        find_file(spec, folder, "train")
    except (BertcoreError, OSError):
        return False
    return True
