"""View "Examples": a data set with the answers of a fine-tuned model, where it does worse, what flips an answer, and
whether another model is better."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLayout, QLineEdit, QPushButton

from bertcore.locations import tuned_models

from ...compute.evidence_questions import FoundBeside, FoundExamples, beside_of, examples_of, flips_of
from ...compute.question import Job
from ...figures.figure import joined
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...state.baseline import ComparisonOffer, OtherModel
from ...state.baseline_names import baseline_name, own_name
from ...widgets.card import Card, button, label
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import NO_LIMIT_PX, fill, hbox
from ...widgets.table import Column, Table
from ..pictures import Bars, Cells, Lines
from .sentences import beside_finding, examples_finding, flips_text, slice_name
from .view import EvidenceView, OpenedRow, interval_bars, wrong_ones

if TYPE_CHECKING:
    from ...state.readings import Reading
    from ...state.selection import Selection

SIDE_PX, MOST_PX, MOST_SLICES = 360, 330, 10
OTHER_COLUMN = 4  # the answers of another model, where there is one


class ExamplesView(EvidenceView):
    """A click on a cell of the confusion matrix shows its examples alone; once more, all.

    Where another model is what is compared with, its answers stand beside.
    """

    model_requested = Signal(str)  # to be opened, by its name
    needs, call = "examples", "about.examples()"
    counted = mark("%Ln example(s)"), lambda found: len(found.rows)
    functions: ClassVar = {"examples": examples_of, "beside": beside_of, "flips": flips_of}
    pictures = (
        Cells(
            key="confusion",
            title=mark("Right answers and given ones"),
            name=mark("Confusion matrix: rows are right answers, columns are given ones"),
            intro=mark("Click a cell: the table shows its examples."),
            hovered=mark("{row}, answered {column}: {value}"),
            python="found.confusion()",
            axis_names=(mark("right"), mark("given")),
            chart=partial(LabelledGrid, scale=False, tilted=True),
            digits=0,
        ),
        Bars(
            key="slices",
            title=mark("Where is it worse, or better?"),
            name=mark("Share of right answers in slices of the examples"),
            intro=mark("Share right with its interval. Yellow line: of all others. Grey: may be chance."),
            method=mark("95% intervals by Wilson; Fisher’s exact test, corrected for all slices of a sort"),
            saved_as="right",
            python=f"[one.value for one in found.slices()[:{MOST_SLICES}]]",
            chart=partial(BarList, may_cut=True, label_share=0.5),
        ),
        Lines(
            key="precision_recall",
            title=mark("If it had to be surer"),
            name=mark("Threshold"),
            curves=(
                CurveSpec("precision", mark("precision"), "curve_train"),
                CurveSpec("recall", mark("recall"), "curve_held_out", dashed=True),
            ),
            left_label=mark("share"),
            bottom_label=mark("least probability"),
            at=mark("from {x} on"),
            python="[(at := found.threshold({view.label!r})).precision, at.recall]",
            includes_zero=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.cell: tuple[str, str] | None = None  # right and given answer that the table shows alone
        self._row: int | None = None  # number of the example of which is asked what flips its answer
        self.examples, self.table = Card(say("The examples"), intro=" "), Table(say("The examples"), _columns())
        which = {None: say("All"), True: say("Right"), False: say("Wrong")}
        self.which = Choice(say("Which examples"), which, self._fill)
        self.differ = button(say("Answers differ"), self._fill, look="small", checkable=True)
        hint = say("A model that has learned the same task: its answers stand beside these")
        self.compare = button(say("Compare with a model…"), self._on_compare_clicked, look="small", hint=hint)
        self.of = Choice(say("Of which label"), None, partial(self.redraw, "precision_recall"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(say("Search"))
        self.search.setAccessibleName(say("Search in the examples"))
        self.search.textChanged.connect(self._fill)
        hint = say("Each word of the selected example is replaced by likely ones")
        self.flip = button(say("Which word would change it?"), self._on_flip_clicked, look="small", hint=hint)
        self.examples.add_to_header(self.which, self.differ, self.search)
        self.flips = label("", wrap=True)
        fill(self.examples.body, (self.table, 1), hbox(self.flip, self.compare, None, gap_px=8), self.flips)
        self.table.row_opened.connect(lambda row: self.row_opened.emit(OpenedRow(row["text"])))
        self.cards["precision_recall"].add_to_header(self.of)
        cards = [self.folded(picture.key) for picture in self.pictures]
        laid_out = self.beside(self.examples, SIDE_PX, *cards)
        if not theme.is_projector():
            cards[0].setMaximumHeight(theme.px(MOST_PX))
        self._slices = cards[1]
        return laid_out

    def offers(self) -> list[QPushButton]:
        wanted = self.model_requested.emit
        self.models = [button(say("Open {model}", model=name), partial(wanted, name)) for name in tuned_models()]
        return [*super().offers(), *self.models]

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        for offer in self.models:
            offer.setVisible(bool(self.missing(reading)))
        return super().nothing(reading, selection)

    def missing(self, reading: Reading) -> str:
        text = mark(
            "Here a fine-tuned model answers many examples, right or wrong. Open one, or fine-tune one in Train."
        )
        return say(text) if reading.request.model.task is None else ""

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str | None:
        job, model = super().job(asks, reading, selection), reading.request.model
        if asks != "beside" or not isinstance(job, Job):
            return job
        task, other = model.task, model if reading.baseline is None else reading.baseline.request.model
        if other is model or task is None:
            return None
        if other.task is None or (other.task.kind, other.task.labels) != (task.kind, task.labels):
            text = mark("{model} was not fine-tuned for this task, so it has no answer to compare.")
            return say(text, model=other.name)
        return Job(job.function, job.arguments, (*job.models, other))

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...] | None:
        if asks == "flips":
            return None if self._row is None or self.found is None else (self._row,)
        return ()

    def draw_answer(self, asks: str) -> None:
        if asks == "examples" and self.found is not None:
            found, self.cell, self._row = self.found, None, None
            self.of.clear()
            self.of.addItems([each for each in found.labels if found.counts[each] and found.answered.answers.likely])
        self.redraw()

    def values_of(self, key: str, found: FoundExamples) -> Values:
        if key == "confusion":
            sides = Side("class", found.labels, axis_name="right"), Side("class", found.labels, axis_name="given")
            texts = [[numbers.count(each) if each else "" for each in row] for row in found.confusion.tolist()]
            return Values(found.confusion.astype(float), *sides, 0, texts=texts)
        if key == "slices":
            shown = list(found.slices[:MOST_SLICES])
            return interval_bars(
                Side("text", list(map(slice_name, shown)), axis_name="slice"),
                shown,
                tick=[one.others_right for one in shown],
                color=["bar_strong" if one.p < 0.05 else "faint" for one in shown],
                note=[numbers.count(one.count) for one in shown],
            )
        names = self.curve_names(key)
        if not self.label:
            return Values(np.zeros((2, 0)), names, Side("none", ()))
        one = found.answered.threshold(self.label)
        columns = Side("none", [numbers.decimal(at) for at in one.thresholds.tolist()], axis_name="least probability")
        return Values(np.stack([one.precision, one.recall]), names, columns)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key == "confusion" and column is not None:
            cell = self.found.labels[row], self.found.labels[column]
            self.cell = None if cell == self.cell else cell
            self._fill()

    def finding_in(self, found: FoundExamples) -> str:
        beside: FoundBeside | None = self.asked["beside"].answer
        if beside is None or self.reading is None:
            return examples_finding(found)
        return beside_finding(found, beside, own_name(self.reading), baseline_name(self.reading))

    @property
    def about(self) -> tuple[str, str]:
        """The sample that ships is known when it was answered."""
        scored = None if self.found is None else self.found.answered.scored
        return super().about if scored is None else (scored.name, scored.sha256)

    @property
    def label(self) -> str:
        """Of which precision and recall are shown; empty where the model gives labels no probability."""
        return self.of.currentText()

    def show_found(self, found: FoundExamples | None) -> None:
        self.examples.setEnabled(found is not None)
        has_other, has_slices = self.asked["beside"].answer is not None, found is None or bool(found.slices)
        self.compare.setVisible(not has_other)
        self.differ.setVisible(has_other)
        self.differ.setChecked(self.differ.isChecked() and has_other)
        self.charts["slices"].setVisible(has_slices)
        if not has_slices:
            self.cards["slices"].set_intro(
                say("Too few examples: a slice has 20 at least, and as many are outside it.")
            )
        is_low = not has_slices and not theme.is_projector()  # there its name stands upright, folded
        self._slices.setMaximumHeight(self.cards["slices"].sizeHint().height() if is_low else NO_LIMIT_PX)
        self._fill()
        asked = self.asked["flips"]
        text = "" if self._row is None else asked.sentence
        if found is not None and self._row is not None and asked.answer is not None:
            text = flips_text(found.rows[self._row], asked.answer)
        self.flips.setText(text)
        self.flips.setVisible(bool(text))

    def _fill(self, *_: object) -> None:
        """The rows that are wanted, with what the other model answers."""
        wanted, which = self.search.text().lower(), self.which.currentData()
        beside: FoundBeside | None = self.asked["beside"].answer
        rows = [] if self.found is None else self.found.rows
        if beside is not None:
            rows = [row | beside.rows[row["example"]] for row in rows]
        rows = [row for row in rows if which is None or row["is_right"] == which]
        rows = [row for row in rows if self.cell in (None, (row["right"], row["given"]))]
        rows = [row for row in rows if not self.differ.isChecked() or row["given"] != row.get("other")]
        rows = [row for row in rows if wanted in row["text"].lower()]
        self.table.update_rows(rows)
        self.table.setColumnHidden(OTHER_COLUMN, beside is None)
        of = "" if self.cell is None else say("right: {right}, given: {given}", right=self.cell[0], given=self.cell[1])
        self.examples.set_intro(joined(say("%Ln example(s)", n=len(rows)), of) or " ")

    def _on_flip_clicked(self) -> None:
        if self.table.current is not None:
            self._row = self.table.current["example"]
            self.ask_again()

    def _on_compare_clicked(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, say("The folder of a fine-tuned model, or of a run"))
        if folder:
            self.comparison_wanted.emit(ComparisonOffer(OtherModel(folder)))


def _columns() -> list[Column]:
    def sure(row: dict[str, Any]) -> str:
        return "" if np.isnan(row["confidence"]) else numbers.percent(row["confidence"])

    def of_model(title: str, name: str, is_right: str) -> Column:
        return wrong_ones(title, lambda row: str(row.get(name, "")), lambda row: not row.get(is_right, True))

    text = itemgetter("text")
    return [
        Column(say("Text"), text, text, sort=text, is_widest=True),
        Column(say("Right answer"), itemgetter("right"), sort=itemgetter("right")),
        of_model(say("Given"), "given", "is_right"),
        Column(say("Sure"), sure, sort=itemgetter("confidence"), is_number=True),
        of_model(say("The other model"), "other", "other_is_right"),
    ]
