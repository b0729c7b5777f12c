"""What a run would learn from and what it would take, beside the form and before the start."""

import html

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.training.data_facts import Fault, FileLayout, Lengths, ShownRow, TaskFacts, TextFacts
from bertcore.training.run_estimate import RunEstimate

from ...look import numbers, theme
from ...look.say import say
from ...widgets.big_number import BigNumber
from ...widgets.card import Card, label, rich_label, scrolled
from ...widgets.charts.bars import Bar, BarList
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import fill, hbox, vbox
from .data_words import (
    held_out_in_words,
    label_name,
    layout_in_words,
    lengths_in_words,
    text_in_words,
    time_in_words,
    titles,
)
from .fault_box import FaultBox
from .length_bars import LengthBars

CELL_CHARACTERS = 110
LABELS = 6


class DataCard(Card):
    """Told one after the other: what the data is, or what is wrong with it, and what the run would take."""

    check_requested = Signal()  # the file may have been corrected

    def __init__(self) -> None:
        super().__init__()
        self.set_title(say("Before you start"))
        self.set_intro(say("What the model will learn from, and how much time and memory training will take."))
        units = {
            "train": say("to learn from"),
            "held_out": say("held out"),
            "parameters": say("parameters"),
            "time": say("estimated time"),
            "memory": say("estimated memory"),
        }
        self.numbers = {name: BigNumber(unit) for name, unit in units.items()}
        self.time = label("", "muted", wrap=True)
        self.layout_words = label("", "", wrap=True)
        self.notes = label("", "muted", wrap=True)
        self.fault, self.fault_box = label("", "error", wrap=True), FaultBox()
        self.rows = rich_label(say("The first examples"))
        self.labels = BarList(say("How often each label occurs"))
        self._labels_title = label(say("Labels"), "title")
        self.lengths, self.lengths_words = LengthBars(), label("", "muted", wrap=True)
        self._lengths_title = label("", "title")
        self._rows_title = label("", "title")
        self._facts: TaskFacts | TextFacts | None = None
        self._build()
        self.show_pending()

    def show_pending(self) -> None:
        """Another question has been asked: the old answer says nothing about it."""
        self._facts = None
        self._clear()
        self._set_time(say("Reading the data…"))

    def show_described(self, found: TaskFacts | TextFacts | Fault) -> None:
        """The data has been read, or cannot be."""
        self._clear()
        if isinstance(found, Fault):
            self._show_fault(found)
            return
        self._facts = found
        self._set_time(say("Training a few steps to see how long they take…"))
        self._show_layout(found.layout, found.notes if isinstance(found, TaskFacts) else ())
        if isinstance(found, TaskFacts):
            self._show_task(found)
        else:
            self._show_text(found)

    def show_estimate(self, found: RunEstimate) -> None:
        """What the run would take."""
        self.numbers["parameters"].set(numbers.compact_count(found.parameters))
        self.numbers["time"].set(numbers.duration(found.total.seconds))
        memory_mib = found.gpu_memory_mib or found.memory_mib
        self.numbers["memory"].set(numbers.file_size(None if memory_mib is None else memory_mib * 2**20))
        for name in ("parameters", "time", "memory"):
            self.numbers[name].show()
        self._set_time(time_in_words(found))
        if isinstance(self._facts, TextFacts) and found.tokens is not None and found.lengths is not None:
            for name, count in zip(("train", "held_out"), found.tokens, strict=True):
                self.numbers[name].set(numbers.compact_count(count))
                self.numbers[name].show()
            self.numbers["train"].set(numbers.compact_count(found.tokens[0]), say("tokens to learn from"))
            self._show_lengths(found.lengths, self._facts.layout, found.lengths.counted)

    def show_problem(self, sentence: str) -> None:
        """The form cannot start a run as it stands, or there is no estimate."""
        self._set_time("")
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))

    # --- inside

    def _build(self) -> None:
        content = QWidget()
        content.setAccessibleName(self.title)
        row = FlowLayout(gap_px=10 if theme.is_projector() else 18)
        for number in self.numbers.values():
            row.addWidget(number)
        self._labels_holder = QWidget()
        vbox(self._labels_title, self.labels, None, parent=self._labels_holder, gap_px=4)
        lengths = vbox(self._lengths_title, self.lengths, self.lengths_words, None, gap_px=4)
        column = vbox(parent=content, gap_px=8, margins=(0, 0, theme.px(6), 0))
        fill(column, row, self.time, self.fault, self.fault_box, self.layout_words, self.notes)
        fill(column, self._rows_title, self.rows, 4, hbox((self._labels_holder, 1), (lengths, 1), gap_px=24), None)
        fill(self.body, (scrolled(content), 1))
        self.fault_box.check_requested.connect(self.check_requested)

    def _clear(self) -> None:
        self.set_hint("")
        for number in self.numbers.values():
            number.hide()
        for widget in (
            *(self.time, self.fault, self.fault_box, self.layout_words, self.notes, self._rows_title, self.rows),
            *(self._labels_holder, self._lengths_title, self.lengths, self.lengths_words),
        ):
            widget.hide()

    def _set_time(self, sentence: str) -> None:
        self.time.setText(sentence)
        self.time.setVisible(bool(sentence))

    def _show_layout(self, layout: FileLayout, notes: tuple[str, ...]) -> None:
        self.layout_words.setText(layout_in_words(layout))
        self.layout_words.show()
        self.notes.setText(" ".join(notes))
        self.notes.setVisible(bool(notes))

    def _show_task(self, facts: TaskFacts) -> None:
        self.set_hint(facts.file)
        self.numbers["train"].set(numbers.count(facts.train), say("examples to learn from"))
        self.numbers["held_out"].set(numbers.count(facts.held_out))
        for name in ("train", "held_out"):
            self.numbers[name].show()
        self.layout_words.setText(f"{layout_in_words(facts.layout)} {held_out_in_words(facts)}")
        self._rows_title.setText(say("The first examples"))
        self._lengths_title.setText(say("Example length in tokens"))
        self._show_rows(titles(facts.layout), facts.rows)
        most = max((count for _, count in facts.labels), default=1)
        bars = [
            Bar(label_name(name, facts.layout), numbers.count(count), count / most)
            for name, count in facts.labels[:LABELS]
        ]
        self.labels.set_bars(bars)
        others = facts.other_labels + len(facts.labels[LABELS:])
        self._labels_title.setText(say("Labels") if not others else say("Labels, and %n more", n=others))
        self._labels_holder.show()
        self._show_lengths(facts.lengths, facts.layout, facts.train)

    def _show_text(self, facts: TextFacts) -> None:
        self.set_hint(", ".join(facts.files[:3]) + (" …" if len(facts.files) > 3 else ""))
        self.layout_words.setText(f"{layout_in_words(facts.layout)} {text_in_words(facts)}")
        self._rows_title.setText(say("How the first documents begin"))
        self._lengths_title.setText(say("Sentence length in tokens"))
        self._show_rows(("", "", ""), tuple(ShownRow(text, None, "") for text in facts.rows))

    def _show_lengths(self, lengths: Lengths, layout: FileLayout, total: int) -> None:
        self.lengths.set_lengths(lengths)
        self.lengths_words.setText(lengths_in_words(lengths, layout, total))
        for widget in (self._lengths_title, self.lengths, self.lengths_words):
            widget.show()

    def _show_rows(self, heads: tuple[str, str, str], rows: tuple[ShownRow, ...]) -> None:
        has_b, has_label = any(row.text_b is not None for row in rows), bool(heads[2])
        muted, *colors = (theme.color(name).name() for name in ("muted", "segment_a", "segment_b", "ink"))

        def line(cells: tuple[str, str, str], cell_colors: list[str]) -> str:
            shown = zip(cells, cell_colors, (True, has_b, has_label), strict=True)
            return _row([(cell, color) for cell, color, is_in in shown if is_in])

        lines = [line(heads, [muted] * 3)] if has_label else []
        lines += [line((row.text_a, row.text_b or "", row.label), colors) for row in rows]
        self.rows.setText(f'<table width="100%" cellspacing="{theme.px(3)}">{"".join(lines)}</table>')
        self._rows_title.show()
        self.rows.show()

    def _show_fault(self, fault: Fault) -> None:
        self._set_time("")
        self.fault.setText(fault.message)
        self.fault.show()
        self.fault_box.show_fault(fault)


def _row(cells: list[tuple[str, str]]) -> str:
    """A line of an HTML table: the text and colour of each cell."""
    shown = (f'<td style="color:{color}">{html.escape(_short(text))}</td>' for text, color in cells)
    return f"<tr>{''.join(shown)}</tr>"


def _short(text: str) -> str:
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"
