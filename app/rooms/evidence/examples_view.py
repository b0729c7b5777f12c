"""View "Examples": a data set with the answers of a fine-tuned model, where it does worse, and what flips an answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QHeaderView, QLayout, QLineEdit

from ...compute.evidence_examples import ExampleRow, FoundExamples, examples_of, flips_of
from ...figures.figure import joined
from ...figures.values import Side, Values
from ...look import numbers, theme
from ...look.say import mark, say
from ...widgets.card import Card, button, label
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.table import Column, Table
from ..pictures import Bars, Cells, Lines
from .sentences import examples_finding, flips_text, slice_name
from .view import HASH_DIGITS, EvidenceView, OpenedRow

if TYPE_CHECKING:
    from ...state.readings import Reading
    from ...state.selection import Selection

SIDE_PX, LEAST_PX, MOST_PX, MOST_SLICES = 360, 190, 330, 10
WHICH = (mark("All"), mark("Right"), mark("Wrong"))


class ExamplesView(EvidenceView):
    """A click on a cell of the confusion matrix shows its examples alone; once more, all."""

    needs, shows = "examples", "examples"
    asks: ClassVar = {"flips": False}  # of the example that is selected
    pictures = (
        Cells(
            key="confusion",
            title=mark("Right answers and given ones"),
            name=mark("Confusion matrix: rows are right answers, columns are given ones"),
            intro=mark("Click a cell: the table shows its examples."),
            hovered=mark("{row}, answered {column}: {value}"),
            saved_as="confusion",
            axis_names=(mark("right"), mark("given")),
            chart=partial(LabelledGrid, scale=False, tilted=True),
            digits=0,
            folds=True,
        ),
        Bars(
            key="slices",
            title=mark("Where is it worse, or better?"),
            name=mark("Share of right answers in slices of the examples"),
            intro=mark("Share right with its interval. Orange line: of all others. Grey: may be chance."),
            saved_as="right",
            chart=partial(BarList, may_cut=True, label_share=0.5),
            folds=True,
        ),
        Lines(
            key="threshold",
            title=mark("If it had to be surer"),
            name=mark("Threshold"),
            curves=(
                CurveSpec("precision", mark("precision"), "curve_train"),
                CurveSpec("recall", mark("recall"), "curve_held_out", dashed=True),
            ),
            left_label=mark("share"),
            bottom_label=mark("least probability"),
            at=mark("from {x} on"),
            saved_as="precision_recall",
            includes_zero=True,
            folds=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.cell: tuple[str, str] | None = None  # right and given answer that the table shows alone
        self._row: ExampleRow | None = None  # what flips its answer is asked
        self.examples, self.table = Card(say("The examples"), intro=" "), Table(say("The examples"))
        self.which, self.search, self.of = Choice(say("Which examples")), QLineEdit(), Choice(say("Of which label"))
        for title in WHICH:
            self.which.addItem(say(title))
        self.search.setPlaceholderText(say("Search"))
        self.search.setAccessibleName(say("Search in the examples"))
        self.search.textChanged.connect(self._fill)
        self.which.activated.connect(self._fill)
        self.of.activated.connect(lambda _at: self.redraw("threshold"))
        self.flip = button(say("Which word would change it?"), self._on_flip_clicked, look="small")
        self.flip.setToolTip(say("Each word of the selected example is replaced by likely ones"))
        for made in (self.which, self.search, self.flip):
            self.examples.add_to_header(made)
        self.flips = label("", wrap=True)
        self.examples.body.addWidget(self.table, 1)
        self.examples.body.addWidget(self.flips)
        self.table.row_opened.connect(self._open_example)
        self.cards["threshold"].add_to_header(self.of)
        cards = [self.folded(picture.key) for picture in self.pictures]
        if not theme.is_projector():
            for card in cards:
                card.setMinimumHeight(theme.px(LEAST_PX))
            cards[0].setMaximumHeight(theme.px(MOST_PX))
        return self.beside(self.examples, cards, SIDE_PX, grows=1)

    def missing(self, reading: Reading) -> str:
        if reading.request.model.task is None:
            return say("It was not fine-tuned on a task. Open a fine-tuned model, or fine-tune one in Train.")
        return ""

    def question(
        self, asks: str, reading: Reading, selection: Selection
    ) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        if asks == "examples":
            return examples_of, ()
        return None if self._row is None or self.found is None else (flips_of, (self._row.number,))

    def draw_answer(self, asks: str) -> None:
        if asks == "examples" and self.found is not None:
            self.cell, self._row = None, None
            self.of.clear()
            self.of.addItems(list(self.found.thresholds))
        self.redraw()

    def values_of(self, key: str, found: FoundExamples, selection: Selection) -> Values:
        if key == "confusion":
            sides = Side("class", found.labels, axis_name="right"), Side("class", found.labels, axis_name="given")
            texts = [[numbers.count(each) if each else "" for each in row] for row in found.confusion.tolist()]
            return Values(found.confusion.astype(float), *sides, 0, texts=texts)
        if key == "slices":
            shown = list(found.slices[:MOST_SLICES])
            detail = {
                "low": [one.low for one in shown],
                "high": [one.high for one in shown],
                "tick": [one.others_right for one in shown],
                "color": ["bar_strong" if one.p < 0.05 else "faint" for one in shown],
                "note": [numbers.count(one.count) for one in shown],
            }
            texts = [[numbers.percent(one.value)] for one in shown]
            sides_ = Side("text", list(map(slice_name, shown)), axis_name="slice")
            hint = "" if shown else say("too few examples")
            array = np.array([one.value for one in shown])
            return Values(array, sides_, high=1.0, texts=texts, detail=detail, hint=hint)
        one = found.thresholds.get(self.of.currentText())
        if one is None:
            return Values(np.zeros((2, 0)), Side("none", ("precision", "recall")), Side("none", ()))
        columns = Side("none", [numbers.decimal(at) for at in one.thresholds.tolist()], axis_name="least probability")
        return Values(np.stack([one.precision, one.recall]), Side("none", ("precision", "recall")), columns)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        found = self.found
        if key == "confusion" and found is not None and column is not None:
            cell = found.labels[row], found.labels[column]
            self.cell = None if cell == self.cell else cell
            self._fill()

    def finding_in(self, found: FoundExamples, selection: Selection) -> str:
        return examples_finding(found)

    def caption(self, key: str) -> dict[str, Any]:
        found, caption = self.found, super().caption(key)
        if found is not None:
            count = say("%Ln example(s)", n=len(found.rows))
            digits = found.sha256[:HASH_DIGITS]
            caption["settings"] = joined(found.name, f"SHA-256 {digits}", count, say("95% interval by Wilson"))
        return caption

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        self.examples.setEnabled(self.found is not None)
        self._fill()
        asked, row = self.asked["flips"], self._row
        text = "" if row is None else asked.sentence
        if row is not None and asked.answer is not None:
            text = flips_text(row, asked.answer)
        self.flips.setText(text)
        self.flips.setVisible(bool(text))

    def _fill(self, *_: object) -> None:
        """The rows that are wanted, the least sure of the wrong ones last."""
        found, wanted, which = self.found, self.search.text().lower(), self.which.currentIndex()
        rows = [] if found is None else found.rows
        rows = [row for row in rows if not which or row.is_right == (which == 1)]
        rows = [row for row in rows if self.cell in (None, (row.right, row.given)) and wanted in row.text.lower()]
        if rows != self.table.things.rows or not self.table.things.columns:
            self.table.set_rows(rows, _columns())
            header = self.table.horizontalHeader()
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        of = "" if self.cell is None else say("right: {right}, given: {given}", right=self.cell[0], given=self.cell[1])
        self.examples.set_intro(joined(say("%Ln example(s)", n=len(rows)), of) or " ")

    def _on_flip_clicked(self) -> None:
        rows = self.table.shown
        place = max(self.table.currentIndex().row(), 0)
        if rows:
            self._row, self.pause_ms = rows[place], 0
            self.redraw("confusion")

    def _open_example(self, row: ExampleRow) -> None:
        self.row_opened.emit(OpenedRow(row.text))


def _columns() -> list[Column]:
    def color(row: ExampleRow) -> str:
        return "" if row.is_right else "bad_text"

    return [
        Column(say("Text"), lambda row: row.text, tip=lambda row: row.text, sort=lambda row: row.text),
        Column(say("Right answer"), lambda row: row.right, sort=lambda row: row.right),
        Column(say("Given"), lambda row: row.given, color=color, sort=lambda row: row.given),
        Column(
            say("Sure"),
            lambda row: "" if np.isnan(row.confidence) else numbers.percent(row.confidence),
            sort=lambda row: row.confidence,
            is_number=True,
        ),
    ]
