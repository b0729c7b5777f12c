"""View "Papers": what papers report of BERT, smaller and later models, and what came before it."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QLayout

from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...state.literature import before_bert, family, published_results, published_tasks
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.task_info import metric_name
from ...widgets.card import GAP_PX, Card, scrolled
from ...widgets.charts.cells import LabelledGrid
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, vbox
from ...widgets.table import Column, Table
from ..pictures import Cells
from ..values_view import ValuesView

OPEN_PX = 560  # width of the card of papers on a projector: there it takes the place of the table
TASKS = [task for task in published_tasks() if task.examples]  # those of GLUE
RESULTS = [result for result in published_results() if len(result.scores) == len(TASKS)]


class PublishedView(ValuesView):
    """The table of GLUE as a picture, and below it who came before and after."""

    pictures = (
        Cells(
            key="glue",
            title=mark("GLUE: eight tasks of language understanding"),
            name=mark("Published scores: rows are models, columns are tasks with the size of their training set"),
            intro=mark(
                "MNLI (two test sets), RTE: does it follow? QQP, MRPC: do both say the same? QNLI: is that the answer? "
                "SST-2: a positive review? CoLA: grammatical (0: guessing)? STS-B: how similar? In percent; beside "
                "each task: how many training examples. *: on other data, not comparable with the rows above."
            ),
            number="published",
            is_compared=False,
            least_px=290,
            chart=partial(LabelledGrid, scale=False),
            axis_names=(mark("model"), mark("task")),
        ),
    )

    def lay_out(self) -> QLayout:
        history = Card(say("Before BERT, and after"), intro=say("One idea each. Hover over it for the paper’s title."))
        self.table = Table(say("Before BERT, and after"))
        history.body.addWidget(self.table, 1)
        shown = columns()[: 3 if theme.is_projector() else None]  # the paper is in the tool tip of the idea, too
        self.table.set_rows([*before_bert(), *(one for one in family() if not one.ships)], shown)
        folded = folding_on_projector(history, history.title)
        boxes = (self.cards["glue"], 1), folded
        if theme.is_projector():
            history.setMinimumWidth(theme.px(OPEN_PX))
            return hbox(*boxes, gap_px=GAP_PX)
        return vbox((scrolled(vbox(*boxes, gap_px=GAP_PX)), 1))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        names = [result.model + "*" * (result.set == "development") for result in RESULTS]
        sizes = ["" if theme.is_projector() else f" {numbers.compact_count(task.examples)}" for task in TASKS]
        heads = [task.title + size for task, size in zip(TASKS, sizes, strict=True)]
        rows, columns = Side("none", names, axis_name="model"), Side("none", [*heads, say("mean")], axis_name="task")
        given = [[*(one.scores[task.key] for task in TASKS), [one.mean]] for one in RESULTS]
        shown = 1 if theme.is_projector() else 2  # of the scores of a task: there is no room for more
        texts = [[written(each[:shown]) for each in row] for row in given]
        scores = np.array([[each[0] for each in row] for row in given])
        return Values(scores, rows, columns, 0, 100, texts)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        result, what, given = RESULTS[row], say("mean of its scores"), [RESULTS[row].mean]
        if column is not None and column < len(TASKS):
            task = TASKS[column]
            size, given = say("%Ln training example(s)", n=task.examples), result.scores[task.key]
            on = say("test set") if result.set == "test" else say("development set")
            what = f"{task.title} ({size}), {metric_name(task.measure)}, {on}"
        count = "" if result.parameters is None else f" ({numbers.compact_count(result.parameters)})"
        return f"{result.model}{count} · {what}: {written(given)} · {result.source}"


def written(scores: list[float]) -> str:
    return " / ".join(numbers.decimal(one, 1) for one in scores)


def columns() -> list[Column]:
    return [
        Column(say("Year"), lambda one: str(one.year), sort=lambda one: one.year, is_number=True),
        Column(say("Model"), lambda one: one.title, is_strong=lambda one: one.title.startswith("BERT")),
        Column(say("Idea"), lambda one: say(one.differs), lambda one: one.source, is_widest=True),
        Column(say("Paper"), lambda one: one.source.partition(":")[0], lambda one: one.source),
    ]
