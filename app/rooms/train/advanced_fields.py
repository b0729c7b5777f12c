"""The "Advanced" part of the form: settings of a run beside the few that everyone needs, made from the settings' own
fields. What is left as it is stays at its usual value."""

import math
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from bertcore.errors import BertcoreError
from bertcore.settings import Setting, settings_of
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import FAMILY_DATA

from ...look import numbers
from ...look.say import mark, say
from ...widgets.card import button, label
from ...widgets.controls import Choice
from ...widgets.layouts import empty, fill, vbox

# name -> title, and one line of help
_WORDS = {
    "family": (
        mark("Model family"),
        mark("RoBERTa reads running text, without pairs. ALBERT uses one layer over and over."),
    ),
    "positions": (
        mark("Position embeddings"),
        mark("Learned from scratch, learned from sine waves, or fixed sine waves."),
    ),
    "pretrain.layers": (
        mark("Layers"),
        mark("More layers learn more, and take longer."),
    ),
    "hidden": (
        mark("Hidden size"),
        mark("How many numbers stand for a token between two layers."),
    ),
    "heads": (
        mark("Heads per layer"),
        mark("They share the hidden size equally: it must be a multiple of their number."),
    ),
    "intermediate": (
        mark("Feed-forward size"),
        mark("Width of the feed-forward layer; usually four times the hidden size."),
    ),
    "position_count": (
        mark("Positions"),
        mark("The longest text that the model can read, in tokens."),
    ),
    "segments": (
        mark("Segments"),
        mark("Two tell sentence A from sentence B."),
    ),
    "vocab_size": (
        mark("Vocabulary size"),
        mark("How many different tokens it learns at most; rare words are split."),
    ),
    "learning_rate": (
        mark("Learning rate"),
        mark("How far each step moves the weights. Too high, and the loss jumps or grows."),
    ),
    "schedule": (
        mark("Learning rate after the warm-up"),
        mark("Falling to zero is usual; the slanted triangle rises fast and falls slowly."),
    ),
    "warm_up_share": (
        mark("Warm-up"),
        mark("The share of the run over which the learning rate rises from zero."),
    ),
    "fall_share": (
        mark("Learning rate decay"),
        mark("The share of the run, at its end, over which the learning rate falls to zero."),
    ),
    "causal_share": (
        mark("Next words first"),
        mark("The share of the run, at its start, that predicts next words: small models learn faster."),
    ),
    "pairs": (
        mark("Sentence pairs"),
        mark("What it learns about two sentences, besides predicting masked words."),
    ),
    "masking": (
        mark("What is masked"),
        mark("Whole words and spans are harder to guess than single tokens."),
    ),
    "mask_share": (
        mark("Share of tokens to guess"),
        mark("0.15 in the paper: 15 of 100 tokens."),
    ),
    "mask_fate": (
        mark("Of these, shown as [MASK]"),
        mark("0.8 in the paper; 1 means all of them."),
    ),
    "random_fate": (
        mark("Of these, replaced by a random token"),
        mark("0.1 in the paper. The rest stays as it is and has to be guessed all the same."),
    ),
    "sequence_length": (
        mark("Tokens per sequence"),
        mark("Longer ones have more context and take more time."),
    ),
    "max_length": (
        mark("Maximum tokens per example"),
        mark("Longer texts are cut while it learns; passages are read in windows."),
    ),
    "batch_size": (
        mark("Batch size"),
        mark("How many texts each step learns from at once."),
    ),
    "optimizer": (
        mark("Optimiser"),
        mark("The rule that turns gradients into steps. Muon learns more from each token."),
    ),
    "layers": (
        mark("Layers of the student"),
        mark("Taken evenly from the teacher’s; usually half of them."),
    ),
    "temperature": (
        mark("Temperature"),
        mark("Higher: the student sees more of the words that its teacher finds unlikely."),
    ),
    "layer_decay": (
        mark("Layer-wise learning rate"),
        mark("With 0.9 each layer learns a tenth more slowly than the one above it."),
    ),
    "frozen_layers": (
        mark("Frozen layers"),
        mark("This many layers, counted from the bottom, do not learn, nor do the embeddings."),
    ),
    "gradual_unfreezing": (
        mark("Gradual unfreezing"),
        mark("The top layer learns first; the layers below it join in one by one."),
    ),
    "dropout": (
        mark("Dropout"),
        mark("The share of numbers set to zero at random, so that it memorises less."),
    ),
    "classifier_dropout": (
        mark("Dropout before the new head"),
        mark("The same, but only just before the new output layer."),
    ),
    "max_examples": (
        mark("Maximum training examples"),
        mark("Fewer examples: a shorter run, and a weaker model."),
    ),
    "max_held_out": (
        mark("Maximum held-out examples"),
        mark("Fewer examples: faster measurements, but less reliable ones."),
    ),
    "seed": (
        mark("Seed"),
        mark("Another seed gives other random choices."),
    ),
}
_PROPER_NAMES = {"bert": "BERT", "roberta": "RoBERTa", "albert": "ALBERT", "adamw": "AdamW", "muon": "Muon"}
_CHOICES = {
    "learned": mark("learned"),
    "sinusoidal_start": mark("learned from sine waves"),
    "sinusoidal_fixed": mark("sine waves, fixed"),
    "nsp": mark("next sentence (BERT)"),
    "sop": mark("sentence order (ALBERT)"),
    "none": mark("none (RoBERTa)"),
    "tokens": mark("single tokens"),
    "words": mark("whole words"),
    "spans": mark("spans of words"),
    "linear": mark("falls to zero"),
    "slanted": mark("slanted triangle"),
    "constant": mark("constant"),
}
_RATE = ("learning_rate", "warm_up_share")
_TEXT = ("masking", "mask_share", "mask_fate", "random_fate", "sequence_length", "batch_size")
NAMES = {  # kind of options -> what is offered
    "pretrain": (
        *("family", "layers", "hidden", "heads", "intermediate", "positions", "position_count", "segments", "dropout"),
        *("vocab_size", *_RATE, "fall_share", "causal_share", "pairs", *_TEXT, "optimizer", "seed"),
    ),
    "continue": (*_RATE, "fall_share", "causal_share", "pairs", *_TEXT, "optimizer", "seed"),
    "distil": ("layers", "temperature", *_RATE, "fall_share", *_TEXT, "seed"),
    "finetune": (
        *("learning_rate", "schedule", "warm_up_share", "batch_size", "max_length", "dropout", "classifier_dropout"),
        *("layer_decay", "frozen_layers", "gradual_unfreezing", "max_examples", "max_held_out", "seed"),
    ),
}


class AdvancedFields(QWidget):
    """A line that unfolds the settings of a kind of run; `submitted` when Enter is pressed in one of them."""

    submitted = Signal()
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.toggle = button(say("Advanced"), checkable=True, hint=say("Show or hide more settings of the run"))
        self.fields: dict[str, QWidget] = {}
        self._settings: dict[str, Setting] = {}
        self._usual: dict[str, Any] = {}
        self._kind = ""  # of options
        self._holder = QWidget()
        self._holder.hide()
        self._layout = vbox(parent=self._holder, gap_px=4)
        vbox(self.toggle, self._holder, parent=self, gap_px=4)
        self.toggle.toggled.connect(self._holder.setVisible)

    def show_settings(self, names: tuple[str, ...], usual: RunOptions) -> None:
        """Inputs for these settings; empty or as it is, each has its value in `usual`."""
        known = {each.name: each for each in settings_of(type(usual)) if each.name in names}
        values = {name: _value(usual, known[name]) for name in names}
        if (tuple(self.fields), self._usual) == (names, values):
            return
        empty(self._layout)
        self._settings, self._usual, self._kind = known, values, usual.kind
        self.fields = {name: self._field(known[name], values[name]) for name in names}
        if "family" in self.fields:
            self._choice("family").activated.connect(self._on_family_activated)

    def changes(self) -> dict[str, Any]:
        """What was set to another value than the usual one. Raises BertcoreError with a sentence for what cannot be."""
        found = {name: self._read(name) for name in self.fields}
        changed = {name: value for name, value in found.items() if value is not None and value != self._usual[name]}
        if "family" in changed:
            changed["pairs"] = found["pairs"]  # even BERT's own
        if "sequence_length" in changed:
            changed["long_sequence_length"] = changed["sequence_length"]
        return changed

    def set_value(self, name: str, text: str) -> None:
        """As if it were typed or chosen: a number, or a choice as the setting calls it."""
        field = self.fields[name]
        if isinstance(field, Choice):
            field.setCurrentIndex(field.findData(text))
        elif isinstance(field, QCheckBox):
            field.setChecked(text == str(True))
        elif isinstance(field, QLineEdit):
            field.setText(text)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Fills in settings that are not the usual ones."""
        for name, value in values.items():
            if name in self.fields and value is not None and value != self._usual[name]:
                self.set_value(name, str(value))

    def _field(self, setting: Setting, usual: Any) -> QWidget:
        words = _WORDS.get(f"{self._kind}.{setting.name}") or _WORDS[setting.name]
        title, about = (say(each) for each in words)
        field: QWidget
        if setting.choices:
            field = choice = Choice(title)
            for name in setting.choices:
                shown = _PROPER_NAMES.get(name) or say(_CHOICES[name])
                choice.addItem(shown, name)
            choice.setCurrentIndex(choice.findData(usual))
            choice.currentIndexChanged.connect(self._on_edited)
        elif setting.kind is bool:
            field = box = QCheckBox(title)
            box.setChecked(bool(usual))
            box.toggled.connect(self._on_edited)
        else:
            field = line = QLineEdit()
            line.setPlaceholderText(say("automatic") if usual is None else numbers.rate(usual))
            line.returnPressed.connect(self.submitted)
            line.textChanged.connect(self._on_edited)
        field.setAccessibleName(title)
        field.setAccessibleDescription(about)
        field.setToolTip(about)
        if setting.kind is not bool:
            fill(self._layout, label(title))
        fill(self._layout, field, label(about, "muted", wrap=True), 6)
        return field

    def _read(self, name: str) -> Any:
        """None where it is left empty."""
        field, setting = self.fields[name], self._settings[name]
        if isinstance(field, Choice):
            return field.currentData()
        if isinstance(field, QCheckBox):
            return field.isChecked()
        assert isinstance(field, QLineEdit)
        text = field.text().strip()
        if not text:
            return None
        value = numbers.read(text)
        low, high = setting.at_least or 0.0, math.inf if setting.at_most is None else setting.at_most
        is_whole = setting.kind is not int or (value is not None and value == int(value))
        if value is None or not is_whole or not low <= value <= high:
            problem = say("{field}: type a number from {low} to {high}.")
            if setting.kind is int:
                problem = say("{field}: type a whole number from {low} to {high}.")
            raise BertcoreError(
                problem.format(field=field.accessibleName(), low=numbers.rate(low), high=numbers.rate(high))
            )
        return int(value) if setting.kind is int else value

    def _choice(self, name: str) -> Choice:
        field = self.fields[name]
        assert isinstance(field, Choice)
        return field

    def _on_edited(self, *_value: object) -> None:
        self.edited.emit()

    def _on_family_activated(self, _index: int) -> None:
        """Each family has learned from pairs of its own."""
        family: Mapping[str, str] = FAMILY_DATA[self._choice("family").currentData()]
        self.set_value("pairs", family["pairs"])


def _value(options: RunOptions, setting: Setting) -> Any:
    return getattr(getattr(options, setting.section) if setting.section else options, setting.name)
