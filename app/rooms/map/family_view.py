"""View "The family": BERT and its relatives in a table, and the parameters of one of them, part by part."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout

from bertcore.checkpoint.config_file import read_config
from bertcore.config import BertConfig, count_parameters, parameter_parts
from bertcore.locations import built_in_checkpoint

from ...compute.family import speed_of
from ...compute.question import Question
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explained
from ...state.literature import FamilyMember, family
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, button, label, scrolled, show_text
from ...widgets.charts.bars import BarList
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.table import Column, Table
from ..pictures import Bars
from ..values_view import ValuesView

REFERENCE = "bert-base-uncased"
PARTS_PX = 330  # of the card, on a projector
BYTES = 4  # of a parameter in memory
LEAST_SHARE = 0.005  # that is written
PARTS = {
    "tokens": mark("token table"),
    "positions": mark("position table"),
    "segments": mark("segment table"),
    "embedding_norm": mark("embedding LayerNorm"),
    "projection": mark("embedding to hidden"),
    "attention": mark("attention"),
    "feed_forward": mark("feed-forward"),
    "layer_norms": mark("LayerNorms"),
    "final_norm": mark("final LayerNorm"),
    "pooler": mark("pooler"),
}


class FamilyView(ValuesView):
    """The table above, with the parts and the reasons of the selected model below it."""

    pictures = (
        Bars(
            key="parts",
            title=mark("Where are the parameters?"),
            name=mark("Parameters of the selected model, part by part"),
            number="parameters",
            python="[part.count for part in bertcore.config.parameter_parts({view.config_in_python})]",
            is_compared=False,
            least_px=150,
            chart=partial(BarList, stretch_to_px=34, label_share=0.66),
            folds=True,
        ),
    )
    model_requested = Signal(str)

    def lay_out(self) -> QLayout:
        self.chosen: FamilyMember | None = None  # None: the one that is open untrained, else BERT-base
        self.speeds: dict[str, float] = {REFERENCE: 1.0}  # those that were measured
        self.measured: Question[float] = self.add_question(self._on_measured)
        self.table, self.about = Table(say("The family")), Card(" ")
        intro = say("Click a model to see where its parameters are and why it was made. Click a column’s name to sort.")
        self.models = Card(say("BERT and its relatives"), intro=intro)
        self.models.body.addWidget(self.table, 1)
        self.table.row_clicked.connect(self._choose)
        self.table.row_opened.connect(self._open)
        self.why, self.compared = label(wrap=True), label(wrap=True)
        self.memory, self.source = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.open = button("", lambda: self._open(self.member), look="primary")
        self.measure = button(say("How fast is it here?"), self._on_measure_clicked)
        self.measure.setToolTip(say("A text of 128 tokens, in turn with BERT-base, on one thread: some seconds"))
        buttons = hbox(self.open, self.measure, None, gap_px=8)
        words = scrolled(vbox(self.why, self.compared, None, self.source, self.memory, gap_px=6))
        fill(self.about.body, (words, 1), buttons)
        about = folding_on_projector(self.about, say("Why it was made"))
        parts = self.folded("parts")
        if theme.is_projector():
            self.cards["parts"].setMinimumWidth(theme.px(PARTS_PX))
            return hbox((self.models, 1), parts, about, gap_px=GAP_PX)
        return vbox((self.models, 6), (hbox((parts, 3), (about, 2), gap_px=GAP_PX), 5), gap_px=GAP_PX)

    @property
    def member(self) -> FamilyMember:
        """The model that is looked at."""
        name = "" if self.reading is None else self.reading.request.model.name
        return self.chosen or next((one for one in family() if name == f"{one.name}, untrained"), family()[0])

    @property
    def config_in_python(self) -> str:
        name = self.member.name
        return f"bertcore.load({name!r}).config" if self.member.ships else f"bertcore.BertConfig.preset({name!r})"

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        config, total = self.member.config, self.member.parameters
        parts = parameter_parts(config)
        texts = [[size_text(part.count, total)] for part in parts]
        rows = Side("none", [say(PARTS[part.name]) for part in parts], axis_name="part")
        notes = ["" if theme.is_projector() else formula_text(part.formula, config) for part in parts]
        text = mark(
            "{model}: {count} parameters, without those that predict. V: vocabulary, P: positions, T: segments, H: "
            "width, L: layers, I: inside feed-forward."
        )
        intro = say(text, model=self.member.title, count=numbers.count(total))
        counts = np.array([part.count for part in parts], dtype=float)
        high = float(counts.max())
        return Values(counts, rows, None, None, high, texts=texts, detail={"note": notes}, intro=intro)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        part = parameter_parts(self.member.config)[row]
        formula = formula_text(part.formula, self.member.config)
        text = mark("{part}: {formula} = {count} parameters")
        return say(text, part=say(PARTS[part.name]), formula=formula, count=numbers.count(part.count))

    def drawn(self, reading: Reading, selection: Selection) -> None:
        one, texts = self.member, list[str]()
        if not self.table.shown:
            self.table.set_rows(family(), columns())
        if (row := self.table.shown.index(one)) != self.table.currentIndex().row():
            self.table.selectRow(row)
        if one.name != REFERENCE:
            share = numbers.percent(one.parameters / family()[0].parameters)
            texts.append(say("It has {share} of BERT-base’s parameters.", share=share))
            if speed := self.speeds.get(one.name):
                texts.append(say("Here it is {speed} times as fast.", speed=numbers.decimal(speed, 1)))
        texts += [say(one.claim)] if one.claim else []
        self.about.set_title(f"{one.title} ({one.year})")
        show_text(self.why, f"{say(one.differs)}. {say(one.why)}")
        show_text(self.compared, " ".join(texts))
        show_text(self.source, one.source)
        self.open.setText(say("Open it") if one.ships else say("Open it, untrained"))
        show_text(self.memory, "" if one.ships else untrained_text(one.config))
        self.measure.setVisible(one.name not in self.speeds)

    def _choose(self, one: FamilyMember) -> None:
        self.chosen = one
        self.measured.cancel()
        self.redraw()

    def _open(self, one: FamilyMember) -> None:
        self.model_requested.emit(one.reference)
        self.room_requested.emit("map", "model")

    def _on_measure_clicked(self) -> None:
        self.chosen = self.member  # also where another model is opened meanwhile
        self.measured.ask(speed_of, self.member.name, self.member.config, pause_ms=0)

    def _on_measured(self, speed: float) -> None:
        self.speeds[self.member.name] = speed
        self.redraw()


def columns() -> list[Column]:
    def number(
        title: str, get: Callable[[Any], Any], write: Callable[[Any], str] = numbers.count, tip: str = ""
    ) -> Column:
        return Column(title, lambda one: write(get(one)), sort=get, is_number=True, title_tip=tip)

    found = [
        Column(say("Model"), lambda one: one.title, lambda one: one.name, is_strong=lambda one: one.ships),
        number(say("Year"), attrgetter("year"), str),
        number(say("Layers"), attrgetter("config.num_hidden_layers")),
        number(say("Heads"), attrgetter("config.num_attention_heads"), tip=say("Attention heads in each layer")),
        number(say("Width"), attrgetter("config.hidden_size"), tip=say("Numbers in each hidden state")),
        number(say("Parameters"), attrgetter("parameters"), numbers.compact_count, explained("parameters")),
        Column(say("What differs"), lambda one: say(one.differs), lambda one: say(one.why), is_widest=True),
    ]
    return found[:1] + found[2:] if theme.is_projector() else found


def size_text(count: int, total: int) -> str:
    """ "23.4 M · 21%"; without its share where that is next to nothing."""
    share = f" · {numbers.percent(count / total)}" if count / total >= LEAST_SHARE else ""
    return f"{numbers.compact_count(count)}{share}"


def formula_text(formula: str, config: BertConfig) -> str:
    """ "V × H = 30,522 × 768"."""
    embeddings = config.vocab_size, config.max_position_embeddings, config.type_vocab_size, config.embedding_width
    values = (*embeddings, config.hidden_size, config.intermediate_size, config.num_hidden_layers)
    sizes = dict(zip("VPTEHIL", values, strict=True))
    return f"{formula} = {re.sub('[A-Z]', lambda letter: numbers.count(sizes[letter[0]]), formula)}"


def untrained_text(config: BertConfig) -> str:
    """What opens in place of the published model."""
    rows = read_config(built_in_checkpoint()).vocab_size
    size = count_parameters(config.with_changes(vocab_size=rows), config.family.pretraining)
    text = mark(
        "Its published weights are not here. It opens with random weights in this shape, so its answers are noise; "
        "with the built-in vocabulary ({rows} rows in the token table, not {own}), in {memory} of memory."
    )
    own, memory = numbers.count(config.vocab_size), numbers.file_size(size * BYTES)
    return say(text, rows=numbers.count(rows), own=own, memory=memory)
