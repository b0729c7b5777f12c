"""How well a finished run does: metrics, the confusion matrix, its hardest and easiest held-out examples."""

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from ....figures.figure import Axis, Figure, Numbers, numbers_of, picture_of
from ....look import numbers, theme
from ....look.say import mark, say
from ....runs.run_info import HeldOutExample, RunResult
from ....state.task_info import metric_name, metric_value
from ....widgets.card import label, scrolled
from ....widgets.charts.bars import Bar, BarList
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.charts.raster import Raster
from ....widgets.figure_button import FigureButton
from ....widgets.layouts import empty, fill, hbox, vbox
from ....widgets.linked_text import LinkedText

MOST_LABELS = 12
CELL_PX = (58, 30)  # width, height
LEAST_CELL_PX = 36  # with short labels
Table = Sequence[Sequence[int]]


def most_frequent(labels: Sequence[str], table: Table, most: int = MOST_LABELS) -> list[int]:
    """Places of the labels that are true most often, in the order of the labels."""
    by_count = sorted(range(len(labels)), key=lambda place: -sum(table[place]))
    return sorted(by_count[:most])


class ConfusionMatrix(LabelledGrid):
    """Each row's darkest cell is where most of its examples went; the diagonal is right, and framed."""

    def __init__(self) -> None:
        super().__init__("", scale=False, largest_px=CELL_PX)
        self.setAccessibleName(say("Confusion matrix: rows are true labels, columns predicted labels"))
        self.set_axis_names(say("true ↓"), say("predicted →"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
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
        self.setFixedSize(self.sizeHint())

    def paint_frames(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("ink"), 1))
        for place in range(len(self.labels)):
            painter.drawRect(self.cell_rect(place, place).adjusted(1, 1, -1, -1))

    def paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        """The counts stand in the cells."""

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def sizeHint(self) -> QSize:
        left, above = self._label_sizes()
        cells = len(self.labels)
        width, height = (theme.px(side) for side in CELL_PX)
        width = min(width, max(self._advances[1] + theme.px(10), theme.px(LEAST_CELL_PX)))
        return QSize(round(left) + cells * width + theme.px(4), round(above) + cells * height + theme.px(6))


MOST_EXAMPLES = 5
MOST_TABLE_PX = 560  # beyond this width the table scrolls
_COMPARED = {  # of teacher and student, as comparison.json names it
    "layers": mark("layers"),
    "parameters": mark("parameters"),
    "forward_ms": mark("ms per batch"),
    "mlm_loss": mark("masked-word loss"),
    "mlm_accuracy": mark("words correct"),
    "mlm_top5": mark("correct in five guesses"),
    "nsp_accuracy": mark("next sentence correct (guessing: 50%)"),
}


class ResultView(QWidget):
    """Numbers on the left, examples on the right; for a student, its numbers beside its teacher's."""

    def __init__(self, about: Callable[[], tuple[str, str]]) -> None:
        """about: the run's name and a caption, for a saved picture."""
        super().__init__()
        self._about = about
        self._result: RunResult | None = None
        self.metrics = BarList(say("Metrics on held-out examples"))
        self.confusion = ConfusionMatrix()
        self._measured_on = LinkedText()
        self._note, self._others = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self._table_title = label(say("Confusion matrix"), "title")
        self.worst, self.best = _rich(), _rich()
        self.sides: list[list[str]] = []  # rows of the table of teacher and student
        self._sides_holder = QWidget()
        self._sides = QGridLayout(self._sides_holder)
        self._build()

    def show_result(self, result: RunResult | None, metrics: tuple[str, ...] = ()) -> None:
        """metrics: those of the task, the main one first; others follow."""
        self._result = result
        if result is None:
            return
        order = [*(name for name in metrics if name in result.metrics), *result.metrics]
        others = [name for name in order if name == "mse" or name.endswith("_threshold")]  # no shares of anything
        self.metrics.set_bars(_bars({name: result.metrics[name] for name in order if name not in others}))
        told = (f"{metric_name(name)} {metric_value(name, result.metrics[name])}" for name in others)
        self._others.setText(", ".join(told))
        self._others.setVisible(bool(others))
        self._measured_on.setText(self._measured_in_words(result))
        self._measured_on.setVisible(result.examples > 0)
        self._columns.setVisible(not result.sides)
        self._sides_holder.setVisible(bool(result.sides))
        for widget in (self._table_title, self._table_save, self.confusion, self._note):
            widget.setVisible(bool(result.confusion))
        if result.confusion:
            self.confusion.set_table(result.labels, result.confusion)
        widest = self.confusion.width() if result.confusion else 0
        self._left.setMinimumWidth(min(max(widest + theme.px(16), theme.px(320)), theme.px(MOST_TABLE_PX)))
        left_out = len(result.labels) - MOST_LABELS
        note = say("The {shown} most frequent of {all} labels.", shown=MOST_LABELS, all=len(result.labels))
        self._note.setText(note if left_out > 0 else "")
        self._fill_sides(result.sides)
        self._write_examples()

    def _build(self) -> None:
        layout = vbox(parent=self, margins=(0, theme.px(4), 0, 0))
        self._columns = QWidget()
        row = hbox(parent=self._columns, gap_px=18)
        self._left = scrolled(self._left_column())
        self._left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        fill(row, (self._left, 5), (scrolled(self._right_column()), 6))
        self._sides.setHorizontalSpacing(theme.px(30))
        fill(layout, (self._columns, 1), self._sides_holder)
        layout.addStretch(0)

    def _left_column(self) -> QWidget:
        holder = QWidget()
        title = label(say("On held-out examples"), "title")
        lines = vbox(
            _line(title, FigureButton(self._metrics_figure, self.metrics, title.text())),
            self._measured_on,
            self.metrics,
            self._others,
            10,
            parent=holder,
        )
        self._table_save = FigureButton(self._confusion_figure, self.confusion, self._table_title.text())
        fill(lines, _line(self._table_title, self._table_save), self.confusion, self._note, None)
        return holder

    def _right_column(self) -> QWidget:
        holder = QWidget()
        column = vbox(parent=holder, margins=(0, 0, theme.px(6), 0))
        for title, examples in ((say("Hardest examples"), self.worst), (say("Easiest examples"), self.best)):
            fill(column, label(title, "title"), examples, 6)
        column.addStretch(1)
        return holder

    def _measured_in_words(self, result: RunResult) -> str:
        words = say("Measured on %n held-out example(s), which it never learned from.", n=result.examples)
        if result.examples_cut:
            words += " " + say("Cut, because longer than the model can read: %n example(s).", n=result.examples_cut)
        return words

    def _metrics_figure(self) -> Figure | None:
        if self._result is None:
            return None
        values = self._result.metrics
        source, caption = self._about()
        numbers = {"value": numbers_of("metric", list(values), [float(value) for value in values.values()])}
        return Figure(say("On held-out examples"), picture_of([self.metrics]), numbers, caption, source)

    def _confusion_figure(self) -> Figure | None:
        result = self._result
        if result is None or not result.confusion:
            return None
        source, caption = self._about()
        axes = Axis("true", result.labels), Axis("predicted", result.labels)
        numbers = {"examples": Numbers(np.array(result.confusion), axes)}
        picture, hint = picture_of([self.confusion]), say("rows: true label · columns: predicted label")
        return Figure(self._table_title.text(), picture, numbers, caption, source, hint)

    def _fill_sides(self, sides: dict[str, dict[str, Any]]) -> None:
        empty(self._sides)
        self.sides = _side_rows(sides) if sides else []
        for row, texts in enumerate(self.sides):
            for column, text in enumerate(texts):
                role = "title" if row == 0 else "muted" if column == 0 else "strong"
                self._sides.addWidget(label(text, role), row, column)
        self._sides.setColumnStretch(3, 1)

    def _write_examples(self) -> None:
        result = self._result
        for shown, examples in ((self.worst, result.worst), (self.best, result.best)) if result else ():
            shown.setText("".join(_as_html(example) for example in examples[:MOST_EXAMPLES]))

    def changeEvent(self, event: Any) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange:
            self._write_examples()  # colours stand in the rich text


def _line(title: QLabel, save: FigureButton) -> QHBoxLayout:
    """A title with a save button at its right."""
    made = hbox((title, 1), save)
    return made


def _bars(metrics: dict[str, float]) -> list[Bar]:
    return [
        Bar(metric_name(name), metric_value(name, value), value, "bar_strong" if first else "bar", is_strong=first)
        for first, (name, value) in ((i == 0, pair) for i, pair in enumerate(metrics.items()))
    ]


def _side_rows(sides: dict[str, dict[str, Any]]) -> list[list[str]]:
    titles = {"teacher": say("teacher"), "student": say("student")}
    rows = [[say("Held-out text"), *(titles.get(side, side) for side in sides)]]
    for name, title in _COMPARED.items():
        rows.append([say(title), *(_side_text(name, side.get(name)) for side in sides.values())])
    return rows


def _side_text(name: str, value: Any) -> str:
    if not isinstance(value, int | float):
        return "–"
    if name in ("mlm_accuracy", "mlm_top5", "nsp_accuracy"):
        return numbers.percent(value)
    return numbers.count(value) if isinstance(value, int) else numbers.decimal(value)


def _rich() -> QLabel:
    made = label("", wrap=True)
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setAlignment(Qt.AlignmentFlag.AlignTop)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _as_html(example: HeldOutExample) -> str:
    look = theme.active()
    lines = [html.escape(line) for line in example_lines(example)]
    is_right = was_right(example)
    mark, color = ("✓", look.good_text) if is_right else ("✗", look.bad)
    given, right = (html.escape(answer_text(example, answer)) for answer in (example.given, example.right))
    instead = say("{given} instead of {right}")
    verdict = given if is_right else instead.format(given=given, right=right)
    loss = "" if example.loss is None else say("loss {loss}", loss=numbers.decimal(example.loss))
    loss = f" <span style='color:{look.muted}'>· {loss}</span>" if loss else ""
    return (
        f"<p style='margin:0 0 8px 0; line-height:125%'>{'<br>'.join(lines)}<br>"
        f"<span style='color:{color}'><b>{mark} {verdict}</b></span>{loss}</p>"
    )


def was_right(example: HeldOutExample) -> bool:
    """Whether the given answer is the right one, or for a passage one of the accepted ones."""
    right, given = example.right, example.given
    if "passage" in example.texts and not isinstance(right, str):
        return given in right if right else not given
    return bool(right == given)


def example_lines(example: HeldOutExample) -> list[str]:
    """The texts of an example, a line each, cut short."""
    texts = example.texts
    if "words" in texts:
        return [_cut(" ".join(map(str, texts["words"])))]
    if "passage" in texts:
        return [_cut(str(texts.get("question", ""))), _cut(str(texts["passage"]), 120)]
    if "sentences" in texts:
        return [_cut(" ".join(map(str, texts["sentences"])))]
    names = ("text_a", "text_b", "context")
    return [_cut(str(texts[name])) for name in names if texts.get(name)]


def answer_text(example: HeldOutExample, answer: Any) -> str:
    """A right or given answer as a person should read it."""
    texts = example.texts
    if "endings" in texts and isinstance(answer, int) and 0 <= answer < len(texts["endings"]):
        return _cut(str(texts["endings"][answer]))
    if "words" in texts and isinstance(answer, Sequence) and not isinstance(answer, str):
        named = [f"{word} {tag}" for word, tag in zip(texts["words"], answer, strict=False) if tag != "O"]
        return _cut(", ".join(named) or say("no names"))
    if "passage" in texts:
        answers = [answer] if isinstance(answer, str) else list(answer or ())
        return _cut(" / ".join(dict.fromkeys(map(str, filter(None, answers)))) or say("no answer"))
    if isinstance(answer, list | tuple):
        return ", ".join(map(str, answer)) or say("none")
    return numbers.decimal(answer) if isinstance(answer, float) else _cut(str(answer))


def _cut(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"
