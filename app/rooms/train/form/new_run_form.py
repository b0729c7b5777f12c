"""The form that starts a run of any kind: what to train, what to start from, from which text, for how long; empty, or
filled in with the settings of another run."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QVBoxLayout, QWidget

from bertcore.config import count_parameters
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.diagnosis_words import suggestion_in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.settings import read_recipe
from bertcore.tasks.readers.reading import find_file
from bertcore.tasks.spec import TaskSpec
from bertcore.training.data_facts import Fault, RunEstimate, TaskFacts, TextFacts
from bertcore.training.finetune_options import DEFAULT_EPOCHS, FEWEST_STEPS, FinetuneOptions
from bertcore.training.options import BUDGETS, RunOptions
from bertcore.training.pretrain_options import HEADS_OF_PAIRS, PretrainOptions

from ....look import mark, numbers, say, theme
from ....runs.finding import window_format
from ....runs.process import RunCommand
from ....runs.run_info import RunInfo
from ....runs.run_kinds import (
    BY_KEY,
    EPOCHS,
    RUN_KINDS,
    STEPS,
    FormValues,
    RunKind,
    budget_of,
    kind_of,
    read_settings,
    sample_run_name,
)
from ....runs.run_state import RunState
from ....runs.sweeps import A_THIRD, FIVE, THREE, five_rates, three_seeds
from ....state.task_info import task_title
from ....widgets.card import button, label, scrolled, show_text
from ....widgets.context_menu import show_context_menu
from ....widgets.controls import Choice, IconButton
from ....widgets.layouts import fill, hbox, held, show_if, vbox
from ....widgets.save_dialog import ask_for_file
from .fields import MOST_NAME, ColumnFields, LengthField, ModelChoice, SettingFields, values_of
from .setting_words import SIZE_WORDS

A_FILE, A_FOLDER = "file", "folder"  # data of the two entries that open a dialog


class NewRunForm(QWidget):
    """Starts a run that can be run, or several; `cancelled` means back to the list."""

    cancelled = Signal()
    changed = Signal()  # `planned` may be another one now

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        kinds = {kind.key: say(kind.title) for kind in RUN_KINDS}
        self.kind = Choice(say("What to train"), kinds, lambda: self.set_kind(self.kind.currentData()))
        self._sentence = label("", "muted", wrap=True)
        self.model, self.columns, self.length = ModelChoice(state), ColumnFields(), LengthField()
        self.source, self.task = Choice(say("What to learn from")), Choice(say("The format of the file"))
        self.basic, self.advanced = SettingFields("strong"), SettingFields(has_help=True)
        self.fold = button(say("Advanced"), checkable=True, hint=say("Show or hide more settings of the run"))
        self.name = QLineEdit()
        self.name.setMaxLength(MOST_NAME)
        self._own: Path | None = None
        self._kept: dict[str, Any] = {}  # of settings that were loaded: those without a field
        self.advice, self.problem = label("", "muted", wrap=True), label("", "error", wrap=True)
        self.about, self.mark = label("", "muted", wrap=True), label("", "strong", wrap=True)  # of a run's settings
        self._words: dict[QWidget, list[QLabel]] = {}  # field -> its title, and its line of help
        self._vocab_size: int | None = None  # that the text gave, once somebody has counted
        self._run_s: float | None = None  # what one run would take, once that is known
        self._epochs: float | None = None  # that it would read, as well
        self._build()
        self.set_kind(RUN_KINDS[0].key)

    @property
    def run_kind(self) -> RunKind:
        return BY_KEY[self.kind.currentData()]

    def set_kind(self, key: str) -> None:
        """Shows the settings of this kind of run, on its sample."""
        self.kind.setCurrentIndex(self.kind.findData(key))
        self._own, self._kept = None, {}
        self._refresh()
        for fields in (self.basic, self.advanced):
            fields.show_values(values_of(self.run_kind.usual_options(False)))
        self.length.set_length(*next(iter(self.run_kind.usual_lengths.items())))
        self.show_source()

    def show_source(self, name: str = "", suggested: Suggestion | None = None) -> None:
        """Whose settings these are, and which of them is changed."""
        show_text(self.about, name and say("The settings of “{name}”: change what should differ.", name=name))
        show_text(self.mark, "" if suggested is None else suggestion_in_words(suggested, window_format(), say))
        for fields in (self.basic, self.advanced):
            fields.emphasise(() if suggested is None else (suggested.setting,))
        if suggested is not None and suggested.setting in self.advanced.fields:
            self.fold.setChecked(True)

    def show_run(self, info: RunInfo, suggested: Suggestion | None = None) -> None:
        """Takes over its settings, with a marked change; of a short run of a sweep with the length that it has alone.

        Raises BertcoreError where its folder does not say them.
        """
        options = read_settings(RunFolder(info.path).config(), info.name)
        changes: dict[str, Any] = {"name": f"{info.name[: MOST_NAME - 3]} 2"}
        if suggested is not None:
            changes[suggested.setting] = suggested.value
        if info.sweep is not None and STEPS not in changes and (budget := budget_of(options)) is not None:
            length = budget[1] / info.sweep.budget_share
            changes[budget[0]] = round(length) if budget[0] == STEPS else length
        self.show_options(options.with_changes(**changes))
        self.show_source(info.name, suggested)

    def load(self, file: Path) -> None:
        """Fills in the settings in a file; what is wrong with it is said in the form."""
        try:
            self.show_options(read_settings(read_recipe(file), file.name))
        except BertcoreError as error:
            show_text(self.problem, str(error))

    def show_options(self, options: RunOptions) -> None:
        """Fills in the settings of a recipe or a run; those without a field are kept for the run that is started.

        Raises BertcoreError with a sentence for what cannot be run here.
        """
        kind, wanted = kind_of(options), values_of(options)
        self.set_kind(kind.key)
        self._own, task = kind.place_of(options), str(wanted.get("task", ""))
        if self._own is None:
            self.source.setCurrentIndex(max(0, self.source.findData(task)))
        self._refresh()
        if self._own is not None and task:
            self.task.setCurrentIndex(self.task.findData(task))
            self._show_columns()
        if isinstance(options, FinetuneOptions):
            self.columns.set_chosen(options.data.columns)
        self.model.set_folder(kind.model_of(options))
        if (budget := budget_of(options)) is not None:
            self.length.set_length(*budget)
        for fields in (self.basic, self.advanced):
            fields.show_values(wanted)
        self.name.setText(options.name)
        shown, has = {"name", *BUDGETS, *self.basic.fields, *self.advanced.fields}, values_of(self.planned().options)
        without_field = {name: value for name, value in wanted.items() if name not in shown and value is not None}
        self._kept = {name: value for name, value in without_field.items() if value != has.get(name)}
        count = len(self._kept.get("mixture") or self._kept.get("corpus") or ())
        if count > 1:
            self.source.setItemText(self.source.currentIndex(), say("%n file(s) from the settings", n=count))
        self.changed.emit()

    def save(self, file: Path) -> None:
        """Writes the settings, as `bertcore ... --recipe` reads them."""
        try:
            write_json(file, self.planned().options.to_dict(), follow=True)
        except (BertcoreError, OSError) as error:
            show_text(self.problem, str(error))

    def set_file(self, place: Path | None) -> None:
        """Learns from this file or folder; None is the sample."""
        self._own, self._vocab_size = place, None
        self._refresh()

    def ask_estimate(self) -> str:
        """Asks what this run would learn from and take; a sentence where a setting cannot be."""
        self._set_startable(True)
        self._show_run_time(None)
        try:
            self._state.estimator.ask(self.planned())
        except BertcoreError as error:
            self._state.estimator.stop()
            return str(error)
        return ""

    def show_described(self, found: TaskFacts | TextFacts | Fault) -> None:
        """With a fault in its data, which is shown beside the form, there is nothing to start."""
        self._set_startable(not isinstance(found, Fault))

    def show_estimate(self, found: RunEstimate) -> None:
        self._show_run_time(found.total.seconds, found.epochs)
        if not self.run_kind.starts_from_model:
            self._vocab_size = found.vocab_size
            self._show_advice()

    def planned(self) -> RunCommand:
        """The run as it is set; its data is not read yet. Raises BertcoreError where a setting cannot be."""
        return self.run_kind.command(self._values())

    def command(self) -> RunCommand:
        """The run to start. Raises BertcoreError with a sentence where it cannot be run."""
        command = self.planned()
        self.run_kind.check(self._values())
        return command

    def submit(self, several: Callable[[RunCommand], RunCommand] | None = None) -> None:
        """Starts the run, or several of them; a sentence says why it cannot be run."""
        try:
            command = self.command() if several is None else several(self.command())
        except BertcoreError as error:
            show_text(self.problem, str(error))
            return
        show_text(self.problem, "")
        self._state.start_requested.emit(command)

    # --- building

    def _build(self) -> None:
        layout = vbox(gap_px=4, margins=(0, 0, theme.px(6), 0))
        fill(layout, self.about, self.mark)
        self._add(layout, say("What to train"), self.kind)
        layout.addWidget(self._sentence)
        self._add(layout, say("Start from"), self.model, say("Training starts from what this model already knows."))
        self._add(layout, say("Learn from"), self.source)
        self._add(layout, say("Read it as"), self.task, say("How the file is laid out."))
        fill(layout, self.columns, self.basic)
        self._add(layout, say("How long"), self.length, " ")
        self._add(layout, say("Name"), self.name, say("The run’s name in the list."))
        hint = say("To load them again later, or to use them as a --recipe in the shell")
        save = button(say("Save settings…"), self._on_save_clicked, hint=hint)
        load = button(say("Load settings…"), self._on_load_clicked, hint=say("From a recipe or a run’s config.json"))
        fill(layout, self.advice, self.fold, self.advanced, save, load, None)
        self.advanced.hide()
        self.problem.hide()
        self.start = button(say("Start"), self.submit, look="primary")
        self.cancel = button(say("Cancel"), self.cancelled.emit)
        self.rates = button(say("Try five learning rates"), partial(self.submit, five_rates))
        self.sweep_menu = IconButton("menu", say("Other ways to train several runs"), self._on_sweep_menu_clicked)
        for made in (self.start, self.cancel, self.rates):
            made.setAutoDefault(True)  # Enter presses the button that has the focus
        self.sweep = held(hbox((self.rates, 1), self.sweep_menu, gap_px=6))
        buttons = hbox((self.start, 1), self.cancel)  # always in sight, however many fields there are
        vbox((scrolled(layout), 1), self.problem, buttons, self.sweep, parent=self, gap_px=6)
        self._show_run_time(None)
        self.source.activated.connect(self._on_source_activated)
        self.task.activated.connect(self._show_columns)
        self.task.activated.connect(self.changed)
        self.fold.toggled.connect(self.advanced.setVisible)
        help_of_length = self._words[self.length][1]
        self.length.unit_choice.currentIndexChanged.connect(
            lambda _index: help_of_length.setVisible(self.length.unit == EPOCHS)
        )
        self.name.returnPressed.connect(self.submit)
        for fields in (self.length, self.basic, self.advanced):
            fields.submitted.connect(self.submit)
        edits = (self.length.edited, self.basic.edited, self.advanced.edited, self.columns.edited, self.model.activated)
        for edited in edits:
            edited.connect(self._show_advice)
            edited.connect(self.changed)

    def _add(self, layout: QVBoxLayout, title: str, field: QWidget, about: str = "") -> None:
        """about: a line of help, where no sentence of the form is about this field."""
        field.setAccessibleName(title)
        field.setAccessibleDescription(about)
        self._words[field] = [label(title, "strong"), *([label(about, "muted", wrap=True)] if about else [])]
        fill(layout, self._words[field][0], field, *self._words[field][1:])

    # --- showing

    def _values(self) -> FormValues:
        return FormValues(
            self.name.text().strip() or self._usual_name(),
            self.length.unit,
            self.length.number or self._epochs or 0.0,
            self.model.reference if self.run_kind.starts_from_model else None,
            self._own,
            self._spec(),
            self.columns.chosen(),
            {**self._kept, **self.basic.changes(), **self.advanced.changes()},
        )

    def _refresh(self) -> None:
        """Everything as it has to be for this kind and this file."""
        kind, is_own = self.run_kind, self._own is not None
        self._sentence.setText(say(kind.sentence))
        self._fill_choices(kind)
        if kind.starts_from_model:
            self._words[self.model][0].setText(say(kind.model_title))
        show_if(kind.starts_from_model, self.model, *self._words[self.model])
        show_if(kind.is_task and is_own, self.task, *self._words[self.task])
        self.sweep.setVisible(kind.has_score)
        self.length.set_usual(kind.usual_lengths)
        self.basic.show_settings(kind.basic, kind.usual)
        self.basic.setVisible(bool(kind.basic))
        self.advanced.show_settings(kind.advanced, kind.usual_options(is_own))
        self.name.setText(self._usual_name())
        self._show_advice()
        self._show_columns()
        self.changed.emit()

    def _fill_choices(self, kind: RunKind) -> None:
        """What it can learn from, and the ways to read a person's own file; the first that the folder fits is
        chosen."""
        own, chosen = self._own, self.source.currentData()
        self.source.clear()
        if not kind.is_task:
            self.source.addItem(say("Sample stories"), "")
        for spec in kind.samples:
            topic = task_title(spec).split(" (")[0]  # "Sentiment of a sentence": the published task is not what ships
            self.source.addItem(say("Sample: {topic}", topic=topic), spec.name)
        if own is not None:
            self.source.addItem(own.name, own)
            self.source.setCurrentIndex(self.source.count() - 1)
        elif chosen not in (None, A_FILE, A_FOLDER):  # a dialog that was closed chose nothing
            self.source.setCurrentIndex(max(0, self.source.findData(chosen)))
        self.source.addItem(say("A file…"), A_FILE)
        self.source.addItem(say("A folder…"), A_FOLDER)
        self.source.setToolTip(str(own) if own else say("What to learn from"))
        self.task.clear()
        for number, spec in enumerate(kind.tasks):
            self.task.addItem(say("a file of my own") if number == 0 else task_title(spec), spec.name)
        if own is not None and own.is_dir():
            for number, spec in enumerate(kind.tasks):
                with suppress(BertcoreError, OSError):
                    find_file(spec, own, "train")
                    self.task.setCurrentIndex(number)
                    break

    def _spec(self) -> TaskSpec | None:
        """The task that reads the examples; None for plain text."""
        name = self.task.currentData() if self._own else self.source.currentData()
        return next((spec for spec in self.run_kind.tasks if spec.name == name), None)

    def _show_columns(self) -> None:
        spec, own, problem = self._spec(), self._own, ""
        try:
            self.columns.show_columns(spec if own else None, find_file(spec, own, "train") if spec and own else None)
        except BertcoreError as error:
            self.columns.show_columns(None, None)
            problem = str(error)
        show_text(self.problem, problem)

    def _show_advice(self) -> None:
        text = ""
        if self.run_kind.is_task and self._own:
            text = say("If the folder has a dev file, that is held out; otherwise a tenth of the examples is.")
        elif self.run_kind.is_task:
            text = say("A small sample: with only 20 held-out examples, one right answer more or less may be chance.")
        elif "preset" in self.basic.fields:
            text = f"{say(SIZE_WORDS[self.basic.value('preset')])} {self._parameters_in_words()}"
        show_text(self.advice, text)

    def _parameters_in_words(self) -> str:
        """Of a new model of this shape; "" while a setting cannot be."""
        try:
            options = self.planned().options
        except BertcoreError:
            return ""
        if not isinstance(options, PretrainOptions):
            return ""
        vocab_size = min(self._vocab_size or options.data.vocab_size, options.data.vocab_size)
        count = numbers.count(count_parameters(options.model_config(vocab_size), HEADS_OF_PAIRS[options.data.pairs]))
        sentence = mark("{parameters} parameters.")
        if self._vocab_size is None:
            sentence = mark("At most {parameters} parameters, depending on how many different words the text has.")
        return say(sentence, parameters=count)

    def _show_run_time(self, seconds: float | None, epochs: float | None = None) -> None:
        """What one run would take and read; None while that is not known."""
        self._run_s, self._epochs = seconds, None if self.length.number else epochs
        words = say("An epoch reads all examples or text once.")
        if not self.length.number:
            automatic = mark("Automatic: {few}, or as many as make {steps} steps of a small file.")
            if self._epochs is not None:
                automatic = mark("Automatic: {epochs} of this file ({few}, or as many as make {steps} steps).")
            few, steps = numbers.number(DEFAULT_EPOCHS), numbers.count(FEWEST_STEPS)
            words += " " + say(automatic, few=few, steps=steps, epochs=numbers.number(self._epochs))
        self._words[self.length][1].setText(words)
        self.rates.setToolTip(
            self._with_time(say("Five runs, one after the other: which learning rate does best?"), FIVE)
        )

    def _with_time(self, text: str, runs: float) -> str:
        """ "Three seeds · ≈ 4 min"."""
        return text if self._run_s is None else f"{text} · ≈ {numbers.duration(runs * self._run_s)}"

    def _set_startable(self, startable: bool) -> None:
        for made in (self.start, self.sweep):
            made.setEnabled(startable)
            made.setToolTip("" if startable else say("The data has to be corrected first: see “Before you start”."))

    def _usual_name(self) -> str:
        if self._own is not None:
            stem = self._own.name.split(".")[0] if self._own.is_file() else self._own.name
            return self._own.resolve().parent.name if stem == "train" else stem
        spec = self._spec()
        return sample_run_name(spec) if spec else self.run_kind.usual_name

    # --- what the person does

    def _on_sweep_menu_clicked(self) -> None:
        a_third = say("Five learning rates, each a third as long")
        seeds = say("Three seeds: mean and standard deviation")
        shorter = partial(five_rates, budget_share=A_THIRD)
        entries = (
            (self._with_time(a_third, FIVE * A_THIRD), partial(self.submit, shorter)),
            (self._with_time(seeds, THREE), partial(self.submit, three_seeds)),
        )
        show_context_menu(self, self.sweep_menu.mapToGlobal(self.sweep_menu.rect().topLeft()), entries)

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
        chosen, title, name = self.source.itemData(index), say("What to learn from"), ""
        self._kept = {name: value for name, value in self._kept.items() if name not in ("corpus", "mixture")}
        if chosen == A_FILE:
            kinds = say("Text (*.txt *.md *.jsonl *.gz *.xz *.zst);;All files (*)")
            if self.run_kind.is_task:
                kinds = say("Examples (*.tsv *.csv *.jsonl *.json *.txt *.conll *.parquet *.gz *.xz);;All files (*)")
            name, _ = QFileDialog.getOpenFileName(self, title, "", kinds)
        elif chosen == A_FOLDER:
            name = QFileDialog.getExistingDirectory(self, title)
        if chosen in (A_FILE, A_FOLDER):
            self.set_file(Path(name) if name else self._own)
        elif not isinstance(chosen, Path):
            self.set_file(None)

    def event(self, event: QEvent) -> bool:
        """Esc in the form cancels the form, before the window's own shortcut gets it."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Cancel):
            if event.type() == QEvent.Type.KeyPress:
                self.cancelled.emit()
            event.accept()
            return True
        return super().event(event)
