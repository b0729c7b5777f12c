"""What a run would learn from and what it would take, beside the form and before the start."""

import html
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertcore.training.data_facts import Fault, FileLayout, Lengths, RunEstimate, ShownRow, TaskFacts, TextFacts

from ....look import numbers, theme
from ....look.say import say
from ....runs.estimator import RunEstimator
from ....widgets.card import BigNumber, Card, button, label, rich_label, scrolled, show_text
from ....widgets.charts.bars import Bar, BarList
from ....widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ....widgets.layouts import FlowLayout, fill, hbox, vbox
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
        self.fault_box = FaultBox()
        self.rows = rich_label(say("The first examples"))
        self.labels = BarList(say("How often each label occurs"))
        self.lengths, self.lengths_words = LengthBars(), label("", "muted", wrap=True)
        self._rows_title, self._labels_title, self._lengths_title = (label("", "title") for _ in range(3))
        self._examples, self._labels_part, self._lengths_part = (QWidget() for _ in range(3))
        self._facts: TaskFacts | TextFacts | None = None
        self._build()
        estimator.described.connect(self.show_described)
        estimator.estimated.connect(self.show_estimate)
        estimator.failed.connect(self.show_problem)
        self.show_pending()

    def show_pending(self) -> None:
        """Another question has been asked: the old answer says nothing about it."""
        self._clear()
        show_text(self.time, say("Reading the data…"))

    def show_described(self, found: TaskFacts | TextFacts | Fault) -> None:
        """The data has been read, or cannot be."""
        self._clear()
        if isinstance(found, Fault):
            self.show_problem(found.message)
            self.fault_box.show_fault(found)
            return
        self._facts = found
        show_text(self.time, say("Training a few steps to see how long they take…"))
        if isinstance(found, TaskFacts):
            self._show_task(found)
        else:
            self._show_text(found)

    def show_estimate(self, found: RunEstimate) -> None:
        """What the run would take."""
        memory_mib = found.gpu_memory_mib or found.memory_mib
        self._show_number("parameters", numbers.compact_count(found.parameters))
        self._show_number("time", numbers.duration(found.total.seconds))
        self._show_number("memory", numbers.file_size(None if memory_mib is None else memory_mib * 2**20))
        show_text(self.time, about_time(found))
        if isinstance(self._facts, TextFacts) and found.tokens is not None and found.lengths is not None:
            train, held_out = map(numbers.compact_count, found.tokens)
            self._show_number("train", train, say("tokens to learn from"))
            self._show_number("held_out", held_out)
            self._show_lengths(found.lengths, self._facts.layout, found.lengths.counted)

    def show_problem(self, sentence: str) -> None:
        """The form cannot start a run as it stands, or there is no estimate."""
        show_text(self.time, "")
        show_text(self.fault, sentence)

    # --- inside

    def _build(self) -> None:
        content = QWidget()
        content.setAccessibleName(self.title)
        row = FlowLayout(gap_px=10 if theme.is_projector() else 18)
        for number in self.numbers.values():
            row.addWidget(number)
        vbox(self._rows_title, self.rows, parent=self._examples, gap_px=8)
        vbox(self._labels_title, self.labels, None, parent=self._labels_part, gap_px=4)
        vbox(self._lengths_title, self.lengths, self.lengths_words, None, parent=self._lengths_part, gap_px=4)
        below = hbox((self._labels_part, 1), (self._lengths_part, 1), gap_px=24)
        column = vbox(parent=content, gap_px=8, margins=(0, 0, theme.px(6), 0))
        fill(column, row, self.time, self.fault, self.fault_box, self.layout_words, self.notes)
        fill(column, self._examples, 4, below, None)
        fill(self.body, (scrolled(content), 1))
        self.fault_box.check_requested.connect(self.check_requested)

    def _clear(self) -> None:
        self._facts = None
        self.set_hint("")
        texts = (self.time, self.fault, self.fault_box, self.layout_words, self.notes)
        for widget in (*self.numbers.values(), *texts, self._examples, self._labels_part, self._lengths_part):
            widget.hide()

    def _show_number(self, name: str, number: str, unit: str | None = None) -> None:
        self.numbers[name].set(number, unit)
        self.numbers[name].show()

    def _show_task(self, facts: TaskFacts) -> None:
        self.set_hint(facts.file)
        self._show_number("train", numbers.count(facts.train), say("examples to learn from"))
        self._show_number("held_out", numbers.count(facts.held_out))
        show_text(self.layout_words, f"{about_layout(facts.layout)} {about_held_out(facts)}")
        show_text(self.notes, " ".join(facts.notes))
        self._lengths_title.setText(say("Example length in tokens"))
        self._show_rows(say("The first examples"), titles(facts.layout), facts.rows)
        most = max((count for _, count in facts.labels), default=1)
        self.labels.set_bars(
            [
                Bar(label_name(name, facts.layout), numbers.count(count), count / most)
                for name, count in facts.labels[:LABELS]
            ]
        )
        others = facts.other_labels + len(facts.labels[LABELS:])
        self._labels_title.setText(say("Labels") if not others else say("Labels, and %n more", n=others))
        self._labels_part.show()
        self._show_lengths(facts.lengths, facts.layout, facts.train)

    def _show_text(self, facts: TextFacts) -> None:
        self.set_hint(", ".join(facts.files[:3]) + (" …" if len(facts.files) > 3 else ""))
        show_text(self.layout_words, f"{about_layout(facts.layout)} {about_text(facts)}")
        self._lengths_title.setText(say("Sentence length in tokens"))
        rows = tuple(ShownRow(text, None, "") for text in facts.rows)
        self._show_rows(say("How the first documents begin"), titles(facts.layout), rows)

    def _show_lengths(self, lengths: Lengths, layout: FileLayout, total: int) -> None:
        self.lengths.set_lengths(lengths)
        self.lengths_words.setText(about_lengths(lengths, layout, total))
        self._lengths_part.show()

    def _show_rows(self, title: str, heads: tuple[str, str, str], rows: tuple[ShownRow, ...]) -> None:
        """heads: of text A, text B and label; without that of the label there is no line of them."""
        self._rows_title.setText(title)
        is_there = True, any(row.text_b is not None for row in rows), bool(heads[2])
        lines = [(heads, ("muted",) * 3)] if heads[2] else []
        lines += [((row.text_a, row.text_b or "", row.label), ("segment_a", "segment_b", "ink")) for row in rows]
        shown = (
            "".join(_cell(text, color) for text, color, there in zip(*line, is_there, strict=True) if there)
            for line in lines
        )
        table = "".join(f"<tr>{line}</tr>" for line in shown)
        self.rows.setText(f'<table width="100%" cellspacing="{theme.px(3)}">{table}</table>')
        self._examples.show()


class FaultBox(QWidget):
    """Why a file of examples cannot be read: its lines around the place, column by column, and what to do."""

    check_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines = rich_label(say("The lines around the error"))
        self._steps = label("", wrap=True)
        check = button(say("Check the file again"), self.check_requested.emit, look="primary")
        what_to_do = label(say("What to do"), "title")
        vbox(self.lines, 8, what_to_do, self._steps, 2, hbox(check, None), parent=self, gap_px=6)

    def show_fault(self, fault: Fault) -> None:
        self.lines.setText(_fault_table(fault, say("missing")))
        self.setVisible(bool(fault.lines))
        line = numbers.count(fault.line)
        steps = [
            say("1. Open the file in a text editor or a spreadsheet, and go to line {line}.", line=line),
            say("2. Correct it: every line needs the same columns, with a tab between them.")
            if any(TAB in text for _, text in fault.lines)
            else say("2. Correct it, so that it looks like the lines around it."),
            say("3. Save the file, and check it again here."),
        ]
        self._steps.setText("\n".join(steps))


def _fault_table(fault: Fault, missing: str) -> str:
    """In HTML: the number of each line and its cells; the faulty line is marked, and what it lacks is named."""
    rows = [(number, text.split(TAB)) for number, text in fault.lines]
    most = max((len(cells) for number, cells in rows if number != fault.line), default=1)
    lines, last = [], 0
    for number, cells in rows:
        if last and number > last + 1:
            lines.append(f"<tr><td></td><td>⋮</td><td colspan={most}></td></tr>")
        last, is_it = number, number == fault.line
        color, sign = ("bad_text", "→") if is_it else ("ink", "")
        lacking = [_cell(missing, color, "bold")] * (is_it * (most - len(cells)))
        shown = [_cell(cell, color, "bold" if number == 1 else "normal") for cell in cells] + lacking
        place = _cell(numbers.count(number), "muted", more=' align="right"')
        background = f' bgcolor="{theme.color("bad_tint").name()}"' if is_it else ""
        lines.append(f"<tr{background}>{_cell(sign, color)}{place}{''.join(shown)}</tr>")
    return f'<table cellspacing="0" cellpadding="{theme.px(6)}">{"".join(lines)}</table>'


def _cell(text: str, color: str, weight: str = "normal", more: str = "") -> str:
    """A cell of an HTML table; what is too long ends in …"""
    short = text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"
    style = f"color:{theme.color(color).name()}; font-weight:{weight}"
    return f'<td style="{style}"{more}>{html.escape(short)}</td>'
