"""What a run would learn from and what it would take, beside the form and before the start."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QSizePolicy

from bertcore.training.data_facts import Fault, FileLayout, Lengths, RunEstimate, ShownRow, TaskFacts, TextFacts

from ....look import numbers, say, theme
from ....runs.estimator import RunEstimator
from ....widgets.card import BigNumber, Card, button, label, scrolled, show_text
from ....widgets.charts.bars import Bar, BarList
from ....widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ....widgets.layouts import FlowLayout, fill, hbox, held, show_if, vbox
from ....widgets.rich_text import RichLabel, colored, html_table
from .data_sentences import about_held_out, about_layout, about_lengths, about_text, about_time, label_name, titles

CELL_CHARACTERS = 110
LABELS = 6
TAB = "\t"
HEIGHT_PX, AXIS_PX, WIDTH_PX, LABEL_PX = 96, 18, 200, 60


class LengthBars(Drawing):
    """A histogram: bars of what is read whole in one colour, of what is longer in another."""

    hint_px, least_px = (WIDTH_PX, HEIGHT_PX), (WIDTH_PX / 2, HEIGHT_PX)

    def __init__(self) -> None:
        super().__init__(say("Lengths in tokens"))
        self.lengths: Lengths | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lengths(self, lengths: Lengths) -> None:
        self.lengths = lengths
        counts: dict[str, Any] = {
            name: numbers.count(getattr(lengths, name)) for name in ("longest", "longer", "counted")
        }
        limit = numbers.count(lengths.cut_at)
        self.setAccessibleDescription(
            say("up to {longest} tokens; {longer} of {counted} longer than {limit}", limit=limit, **counts)
        )
        self.redraw()

    def shapes(self) -> Iterator[Shape]:
        lengths = self.lengths
        if lengths is None:
            return
        shown, highest = len(lengths.counts) * lengths.bin_tokens, max(lengths.counts, default=0) or 1
        width, axis, room = self.width(), theme.px(AXIS_PX), theme.px(LABEL_PX)
        floor, cut = self.height() - axis, width * lengths.cut_at / shown
        bar = width / len(lengths.counts)
        for number, count in enumerate(lengths.counts):
            height = max(floor * count / highest, 1.5 if count else 0.0)
            is_longer = number * lengths.bin_tokens >= lengths.cut_at
            yield Box(
                QRectF(number * bar, floor - height, max(bar - 1, 1), height), "bad" if is_longer else "bar_strong"
            )
        yield Line(QPointF(0, floor), QPointF(width, floor))
        yield Line(QPointF(cut, 0), QPointF(cut, floor), "ink", theme.stroke(1.5), dashed=True)
        below = QRectF(0, floor, width, axis)
        yield Words(below, "1", "muted", 11)
        has_end = cut < width - room
        if has_end:
            yield Words(below, numbers.count(max(shown, lengths.longest)), "muted", 11, align=theme.RIGHT)
        at = QRectF(min(max(cut - room, 0), width - 2 * room), floor, 2 * room, axis)
        align = Qt.AlignmentFlag.AlignCenter if has_end else theme.RIGHT
        yield Words(at, say("cut at {limit}", limit=lengths.cut_at), "ink", 11, align=align)


class DataCard(Card):
    """One after the other: what the data is, or what is wrong with it, and what the run would take."""

    check_requested = Signal()  # the file may have been corrected

    def __init__(self, estimator: RunEstimator) -> None:
        super().__init__(say("Before you start"))
        self.set_intro(say("What the model will learn from, and how much time and memory training will take."))
        units = {
            "train": say("to learn from"),
            "held_out": say("held out"),
            "parameters": say("parameters"),
            "time": say("estimated time"),
            "memory": say("estimated memory"),
        }
        self.numbers = {name: BigNumber(unit) for name, unit in units.items()}
        self.time, self.notes = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.layout_words, self.fault = label("", "", wrap=True), label("", "error", wrap=True)
        self.rows, self.fault_lines = RichLabel(say("The first examples")), RichLabel(say("The lines around the error"))
        self.labels = BarList(say("How often each label occurs"))
        self.lengths, self.lengths_words = LengthBars(), label("", "muted", wrap=True)
        self._rows_title, self._labels_title, self._lengths_title = (label("", "title") for _ in range(3))
        self._facts: TaskFacts | TextFacts | None = None
        row = FlowLayout(*self.numbers.values(), gap_px=10 if theme.is_projector() else 18)
        self._steps = label("", wrap=True)
        check = button(say("Check the file again"), self.check_requested.emit, look="primary")
        what_to_do, buttons = label(say("What to do"), "title"), hbox(check, None)
        self.fault_box = held(vbox(self.fault_lines, 8, what_to_do, self._steps, 2, buttons, gap_px=6))
        self._examples = held(vbox(self._rows_title, self.rows, gap_px=8))
        self._labels_part = held(vbox(self._labels_title, self.labels, None, gap_px=4))
        self._lengths_part = held(vbox(self._lengths_title, self.lengths, self.lengths_words, None, gap_px=4))
        below = hbox((self._labels_part, 1), (self._lengths_part, 1), gap_px=24)
        column = vbox(row, self.time, self.fault, self.fault_box, self.layout_words, self.notes, gap_px=8)
        fill(column, self._examples, 4, below, None)
        column.setContentsMargins(0, 0, theme.px(6), 0)
        content = held(column)
        content.setAccessibleName(self.title)
        fill(self.body, (scrolled(content), 1))
        estimator.described.connect(self.show_described)
        estimator.estimated.connect(self.show_estimate)
        estimator.failed.connect(self.show_problem)
        self.show_pending()

    def show_pending(self) -> None:
        """Another question has been asked: the old answer says nothing about it."""
        self._clear(say("Reading the data…"))

    def show_described(self, found: TaskFacts | TextFacts | Fault) -> None:
        """The data has been read, or cannot be."""
        self._clear(say("Training a few steps to see how long they take…"))
        if isinstance(found, Fault):
            self.show_problem(found.message)
            self.fault_lines.write(partial(_table_of_fault, found))
            self.fault_box.setVisible(bool(found.lines))
            line = numbers.count(found.line)
            steps = [
                say("1. Open the file in a text editor or a spreadsheet, and go to line {line}.", line=line),
                say("2. Correct it: every line needs the same columns, with a tab between them.")
                if any(TAB in text for _, text in found.lines)
                else say("2. Correct it, so that it looks like the lines around it."),
                say("3. Save the file, and check it again here."),
            ]
            self._steps.setText("\n".join(steps))
            return
        self._facts = found
        layout, heads = found.layout, titles(found.layout)
        if isinstance(found, TextFacts):
            self.set_hint(", ".join(found.files[:3]) + (" …" if len(found.files) > 3 else ""))
            show_text(self.layout_words, f"{about_layout(layout)} {about_text(found)}")
            self._lengths_title.setText(say("Sentence length in tokens"))
            self._rows_title.setText(say("How the first documents begin"))
            self.rows.write(partial(_table_of_rows, heads, tuple(ShownRow(text, None, "") for text in found.rows)))
        else:
            self.set_hint(found.file)
            self._show_numbers(train=numbers.count(found.train), held_out=numbers.count(found.held_out))
            show_text(self.layout_words, f"{about_layout(layout)} {about_held_out(found)}")
            show_text(self.notes, " ".join(found.notes))
            self._lengths_title.setText(say("Example length in tokens"))
            self._rows_title.setText(say("The first examples"))
            self.rows.write(partial(_table_of_rows, heads, found.rows))
            most, shown = max((count for _, count in found.labels), default=1), found.labels[:LABELS]
            self.labels.set_bars(
                [Bar(label_name(name, layout), numbers.count(count), count / most) for name, count in shown]
            )
            others = found.other_labels + len(found.labels[LABELS:])
            self._labels_title.setText(say("Labels") if not others else say("Labels, and %n more", n=others))
            self._labels_part.show()
            self._show_lengths(found.lengths, layout, found.train)
        self._examples.show()

    def show_estimate(self, found: RunEstimate) -> None:
        """What the run would take."""
        memory_mib = found.gpu_memory_mib or found.memory_mib
        self._show_numbers(
            parameters=numbers.compact_count(found.parameters),
            time=numbers.duration(found.total.seconds),
            memory=numbers.file_size(None if memory_mib is None else memory_mib * 2**20),
        )
        show_text(self.time, about_time(found))
        if isinstance(self._facts, TextFacts) and found.tokens is not None and found.lengths is not None:
            train, held_out = map(numbers.compact_count, found.tokens)
            self._show_numbers(train=train, held_out=held_out)
            self._show_lengths(found.lengths, self._facts.layout, found.lengths.counted)

    def show_problem(self, sentence: str) -> None:
        """The form cannot start a run as it stands, or there is no estimate."""
        show_text(self.time, "")
        show_text(self.fault, sentence)

    # --- inside

    def _clear(self, words: str) -> None:
        self._facts = None
        self.set_hint("")
        texts = self.fault, self.fault_box, self.layout_words, self.notes
        show_if(False, *self.numbers.values(), *texts, self._examples, self._labels_part, self._lengths_part)
        show_text(self.time, words)

    def _show_numbers(self, **written: str) -> None:
        is_text = isinstance(self._facts, TextFacts)
        for name, number in written.items():
            unit = say("tokens to learn from") if is_text else say("examples to learn from")
            self.numbers[name].set(number, unit if name == "train" else None)
            self.numbers[name].show()

    def _show_lengths(self, lengths: Lengths, layout: FileLayout, total: int) -> None:
        self.lengths.set_lengths(lengths)
        self.lengths_words.setText(about_lengths(lengths, layout, total))
        self._lengths_part.show()


def _table_of_rows(heads: tuple[str, str, str], rows: tuple[ShownRow, ...]) -> str:
    """heads: of text A, text B and label; without that of the label there is no line of them."""
    is_there = True, any(row.text_b is not None for row in rows), bool(heads[2])
    lines = [(heads, ("muted",) * 3)] if heads[2] else []
    lines += [((row.text_a, row.text_b or "", row.label), ("segment_a", "segment_b", "ink")) for row in rows]
    cells = [[_short(*cell) for *cell, there in zip(*line, is_there, strict=True) if there] for line in lines]
    return html_table(cells, gap_px=3, look='width="100%"')


def _table_of_fault(fault: Fault) -> str:
    """The number of each line and its cells; the faulty line is marked, and what it lacks is named."""
    rows = [(number, text.split(TAB)) for number, text in fault.lines]
    most = max((len(cells) for number, cells in rows if number != fault.line), default=1)
    lines, fills, last = [], [], 0
    for number, cells in rows:
        if last and number > last + 1:
            lines.append(["", "⋮", *[""] * most])
            fills.append("")
        last, is_it = number, number == fault.line
        color, sign = ("bad_text", "→") if is_it else ("ink", "")
        shown = [_short(cell, color, bold=number == 1) for cell in cells]
        shown += [_short(say("missing"), color, bold=True)] * (is_it * (most - len(cells)))
        lines.append([_short(sign, color), _short(numbers.count(number), "muted"), *shown])
        fills.append("bad_tint" if is_it else "")
    return html_table(lines, pad_px=6, fills=fills, right=1)


def _short(text: str, color: str, *, bold: bool = False) -> str:
    """What is too long ends in …"""
    return colored(text if len(text) <= CELL_CHARACTERS else f"{text[: CELL_CHARACTERS - 1]}…", color, bold=bold)
