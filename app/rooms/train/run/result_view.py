"""How well a finished run does: metrics, the confusion matrix, its hardest and easiest held-out examples."""

import html
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGridLayout, QWidget

from ....figures.figure import Axis, Figure, Numbers, numbers_of, picture_of
from ....look import numbers, say, theme
from ....runs.ending_sentences import answer_text, compared_rows, example_lines, measured_on, was_right
from ....runs.run_info import HeldOutExample, RunInfo, RunResult
from ....state.task_info import counted_value, metric_name
from ....widgets.card import label, scrolled, show_text
from ....widgets.charts.bars import Bar, BarList
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.figure_button import FigureButton
from ....widgets.layouts import empty, hbox, held, show_if, vbox
from ....widgets.linked_text import LinkedText
from ....widgets.rich_text import RichLabel, colored

MOST_LABELS, MOST_EXAMPLES = 12, 5
CELL_PX, LEAST_CELL_PX = (58, 30), 36  # width and height; the width with short labels
LEAST_TABLE_PX, MOST_TABLE_PX = 320, 560  # wider than that the table scrolls
Table = Sequence[Sequence[int]]


def most_frequent(labels: Sequence[str], table: Table, most: int = MOST_LABELS) -> list[int]:
    """Places of the labels that are true most often, in the order of the labels."""
    by_count = sorted(range(len(labels)), key=lambda place: -sum(table[place]))
    return sorted(by_count[:most])


class ConfusionMatrix(LabelledGrid):
    """Each row's darkest cell is where most of its examples went; the diagonal is right, and framed."""

    def __init__(self) -> None:
        name = say("Confusion matrix: rows are true labels, columns predicted labels")
        super().__init__(name, scale=False, largest_px=CELL_PX)
        self.set_axis_names(say("true ↓"), say("predicted →"))
        self.labels: list[str] = []
        self.counts: list[list[int]] = []

    def set_table(self, labels: Sequence[str], table: Table) -> None:
        """labels (K), table (K,K); of more than MOST_LABELS the most frequent are shown."""
        places = most_frequent(labels, table)
        self.labels = [labels[place] for place in places]
        self.counts = [[int(table[row][column]) for column in places] for row in places]
        counts = np.array(self.counts, dtype=np.float32).reshape(len(places), len(places))
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        names = Labels(self.labels, ["ink"] * len(self.labels))
        self.set_grid(shares, names, names, 0, 1, [[numbers.count(n) for n in row] for row in self.counts])
        rows = zip(self.labels, self.counts, strict=True)
        self.setAccessibleDescription("; ".join(f"{name}: {', '.join(map(str, row))}" for name, row in rows))
        left, above = self._label_sizes()
        width, height = map(theme.px, CELL_PX)
        width = min(width, max(self._advances[1] + theme.px(10), theme.px(LEAST_CELL_PX)))
        across, down = len(places) * width + theme.px(4), len(places) * height + theme.px(6)
        self.setFixedSize(round(left) + across, round(above) + down)

    def paint_frames(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("ink"), 1))
        for place in range(len(self.labels)):
            painter.drawRect(self.cell_rect(place, place).adjusted(1, 1, -1, -1))


class ResultView(QWidget):
    """Numbers on the left, examples on the right; for a student, its numbers beside its teacher's."""

    def __init__(self, about: Callable[[], tuple[str, str]]) -> None:
        """about: the run's name and a caption, for a saved picture."""
        super().__init__()
        self._about = about
        self._result: RunResult | None = None
        self.metrics, self.confusion = BarList(say("Metrics on held-out examples")), ConfusionMatrix()
        self._measured_on, self._others = LinkedText(), label("", "muted", wrap=True)
        self.papers = label("", "muted", wrap=True)
        self._note = label("", "muted", wrap=True)
        title, self._table_title = label(say("On held-out examples"), "title"), label(say("Confusion matrix"), "title")
        save = FigureButton(self._metrics_figure, self.metrics, title.text())
        self._table_save = FigureButton(self._confusion_figure, self.confusion, self._table_title.text())
        heads = say("Hardest examples"), say("Easiest examples")
        self.worst, self.best = map(RichLabel, heads)
        self.sides: list[list[str]] = []  # rows of the table of teacher and student
        self._sides = QGridLayout()
        self._sides.setHorizontalSpacing(theme.px(30))
        left = vbox(
            hbox((title, 1), save), self._measured_on, self.metrics, self._others, self.papers, 10,
            hbox((self._table_title, 1), self._table_save), self.confusion, self._note, None,
        )  # fmt: skip
        examples = [part for head, shown in zip(heads, (self.worst, self.best), strict=True)
                    for part in (label(head, "title"), shown, 6)]  # fmt: skip
        right = vbox(*examples, None, margins=(0, 0, theme.px(6), 0))
        self._left = scrolled(left)
        self._left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._columns = held(hbox((self._left, 5), (scrolled(right), 6), gap_px=18))
        self._sides_holder = held(self._sides)
        layout = vbox((self._columns, 1), self._sides_holder, parent=self, margins=(0, theme.px(4), 0, 0))
        layout.addStretch(0)

    def show_result(self, result: RunResult | None, run: RunInfo | None = None, papers: str = "") -> None:
        """papers: what they report of the run's task, whose metrics come first."""
        self._result = result
        show_text(self.papers, papers)
        if result is None:
            return
        kind, metrics = (None, ()) if run is None else (run.task_kind, run.metrics)
        order = dict.fromkeys([*(name for name in metrics if name in result.metrics), *result.metrics])
        others = [name for name in order if name == "mse" or name.endswith("_threshold")]  # no shares of anything
        values = {name: counted_value(kind, name, result.metrics[name], result.examples) for name in order}
        written = {name: (metric_name(name), value) for name, value in values.items()}
        shares = [name for name in order if name not in others]
        colors = ("bar_strong", *["bar"] * len(shares))
        self.metrics.set_bars(
            [
                Bar(*written[name], result.metrics[name], color, is_strong=name == shares[0])
                for name, color in zip(shares, colors, strict=False)
            ]
        )
        show_text(self._others, ", ".join(" ".join(written[name]) for name in others))
        self._measured_on.setText(measured_on(result, kind))
        self._measured_on.setVisible(result.examples > 0)
        self._columns.setVisible(not result.sides)
        self._sides_holder.setVisible(bool(result.sides))
        show_if(bool(result.confusion), self._table_title, self._table_save, self.confusion, self._note)
        if result.confusion:
            self.confusion.set_table(result.labels, result.confusion)
        widest = self.confusion.width() + theme.px(16) if result.confusion else 0
        self._left.setMinimumWidth(min(max(widest, theme.px(LEAST_TABLE_PX)), theme.px(MOST_TABLE_PX)))
        note = say("The {shown} most frequent of {all} labels.", shown=MOST_LABELS, all=len(result.labels))
        self._note.setText(note if len(result.labels) > MOST_LABELS else "")
        empty(self._sides)
        self.sides = compared_rows(result.sides)
        for row, texts in enumerate(self.sides):
            for column, text in enumerate(texts):
                role = "title" if row == 0 else "muted" if column == 0 else "strong"
                self._sides.addWidget(label(text, role), row, column)
        self._sides.setColumnStretch(3, 1)
        for shown, examples in ((self.worst, result.worst), (self.best, result.best)):
            shown.write(partial(_in_html, examples[:MOST_EXAMPLES]))

    def _metrics_figure(self) -> Figure | None:
        if self._result is None:
            return None
        values, (source, caption) = self._result.metrics, self._about()
        numbers = {"value": numbers_of("metric", list(values), [float(value) for value in values.values()])}
        return Figure(say("On held-out examples"), picture_of([self.metrics]), numbers, caption, source)

    def _confusion_figure(self) -> Figure | None:
        result, (source, caption) = self._result, self._about()
        if result is None or not result.confusion:
            return None
        axes = Axis("true", result.labels), Axis("predicted", result.labels)
        numbers = {"examples": Numbers(np.array(result.confusion), axes)}
        picture, hint = picture_of([self.confusion]), say("rows: true label · columns: predicted label")
        return Figure(self._table_title.text(), picture, numbers, caption, source, hint)


def _in_html(examples: Sequence[HeldOutExample]) -> str:
    """A paragraph for each: its texts, and what was given."""
    found = []
    for example in examples:
        given, right, is_right = (
            answer_text(example, example.given),
            answer_text(example, example.right),
            was_right(example),
        )
        color, verdict = "good_text", f"✓ {given}"
        if not is_right:
            color, verdict = "bad", f"✗ {say('{given} instead of {right}', given=given, right=right)}"
        lines = [
            *map(html.escape, example_lines(example)),
            colored(verdict, color, bold=True),
        ]
        if example.loss is not None:
            loss = say("loss {loss}", loss=numbers.decimal(example.loss))
            lines[-1] += colored(f" · {loss}", "muted")
        found.append(f"<p style='margin:0 0 8px 0; line-height:125%'>{'<br>'.join(lines)}</p>")
    return "".join(found)
