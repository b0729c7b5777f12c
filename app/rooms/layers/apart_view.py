"""View "Compared": where the hidden states part from those of the baseline, and which layers are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.analysis.compare import linear_cka, state_similarity
from bertcore.errors import BertcoreError

from ...compute.question import Question, ReportOrCancel
from ...figures.figure import Axis, Figure, Numbers
from ...figures.values import stage_labels, stage_name
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import baseline_name, replacing
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import TokenView
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox, vbox
from .stages import LayersView

LEAST_HIGH = 0.02  # to which the colours reach at least: rounding errors stay without colour
CELL_PX = 260, 64  # of two layers, at most: two models of different sizes have few of them


@dataclass(frozen=True, eq=False)
class Apart:
    """P pairs of tokens; L, L' layers."""

    distance: np.ndarray | None  # (P,L+1) 1 - cosine; None where the states of the two have none
    cka: np.ndarray | None  # (L+1,L'+1); None for too few tokens
    problems: tuple[str, str]  # why there is none of the one, of the other: sentences


def apart_of(reading: Reading, different: str, _progress: ReportOrCancel) -> Apart:
    """A reading and its baseline. different: the sentence where the two models have other shapes."""
    baseline, alignment = reading.baseline, reading.alignment
    assert baseline is not None and alignment is not None
    ours, theirs = reading.trace.hidden_states, baseline.trace.hidden_states
    problems = ["", ""]
    distance = cka = None
    try:
        distance = np.ascontiguousarray(1 - state_similarity(ours, theirs, alignment).T).astype(np.float32)
    except BertcoreError as error:
        problems[0] = different if ours.shape[::2] != theirs.shape[::2] else str(error)
    try:
        cka = linear_cka(ours, theirs, alignment).astype(np.float32)
    except BertcoreError as error:
        problems[1] = str(error)
    return Apart(distance, cka, (problems[0], problems[1]))


class ApartView(LayersView):
    """Distances on the left, layers against layers on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.question: Question[Apart] = self.add_question(self._show)
        self.distance = LabelledGrid(
            say("How far each token is from the baseline: rows are tokens, columns are layers")
        )
        self.cka = LabelledGrid(
            say("How alike two layers are: rows are layers now, columns those of the baseline"),
            largest_px=CELL_PX,
        )
        self.cka.set_axis_names(say("now ↓"), say("baseline →"))
        self.distance_card = Card(
            say("How far apart is each token?"),
            intro=say(
                "Row: a token. Column: a layer. Stronger colour: its two hidden states point further apart (1 − "
                "cosine; 0 is the same direction)."
            ),
        )
        self.cka_card = Card(
            say("Which layers are alike?"),
            intro=say(
                "Row: a layer of this model. Column: a layer of the baseline. Stronger colour: tokens that are alike "
                "in one are alike in the other (CKA, 1 at most)."
            ),
        )
        explain("cosine_distance", self.distance)
        explain("cka", self.cka)
        self.problems = label("", wrap=True), label("", wrap=True)
        self.finding = label("", wrap=True)  # of the layers
        self.try_it = self.offer_of_texts()
        self.nothing_text = label("", "muted", wrap=True)
        nothing = Card()
        nothing.fill_with_message(label(self.distance_card.title, "title"), self.nothing_text, self.try_it)
        cards = (self.distance_card, self.distance), (self.cka_card, self.cka)
        for (card, grid), problem in zip(cards, self.problems, strict=True):
            problem.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
            fill(card.body, *([self.finding] if grid is self.cka else []), (grid, 1))
            card.body.addStretch(0)  # takes the grid's place while it is hidden
        self.distance_card.set_figure(self._distance_figure)
        self.cka_card.set_figure(self._cka_figure)
        self._right = folded_on_projector(self.cka_card, self.cka_card.title)
        content, self._pages = QWidget(), QStackedWidget()
        pictures = hbox((self.distance_card, 3), (self._right, 2), gap_px=GAP_PX)
        vbox(*self.problems, (pictures, 1), parent=content, gap_px=GAP_PX)
        for page in (content, nothing):
            self._pages.addWidget(page)
        vbox(self._pages, parent=self)
        self._pairs: tuple[tuple[int, int], ...] = ()  # of the rows: our position, theirs
        self.add_token_menu(self.distance, lambda cell: self._pairs[cell[0]][0] if cell else None)
        self.distance.hovered.connect(self._on_distance_hovered)
        self.distance.clicked.connect(self._on_distance_clicked)
        self.cka.hovered.connect(self._on_cka_hovered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        baseline, alignment = reading.baseline, reading.alignment
        self.try_it.setVisible(baseline is None)
        if baseline is None or alignment is None:
            self.question.clear()
            sentence = say("Choose another text, model or step under “Compare” at the top.")
            self._show(Apart(None, None, (sentence, "")))
            return
        self._pairs = alignment.pairs
        for card in (self.distance_card, self.cka_card):
            card.set_hint(say("compared with {baseline}", baseline=baseline_name(reading)))
        different = say(
            "The two models have different layers or sizes, so a token’s numbers cannot be compared one by one. What "
            "can be compared is which tokens each layer treats alike (CKA)."
        )
        self.question.ask(apart_of, reading, different, pause_ms=self.pause_ms)
        if self.question.answer is not None:
            self._show(self.question.answer)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        rows = {ours: row for row, (ours, _) in enumerate(self._pairs)}
        self.distance.set_selected(rows.get(selection.position), selection.stage)

    def _show(self, apart: Apart) -> None:
        parts = (apart.distance, self.distance), (apart.cka, self.cka)
        for (values, grid), problem, sentence in zip(parts, self.problems, apart.problems, strict=True):
            problem.setText(sentence)
            problem.setVisible(bool(sentence))
            grid.setVisible(values is not None)
        is_empty = apart.distance is None and apart.cka is None
        self.nothing_text.setText(apart.problems[0] if is_empty else "")
        self._pages.setCurrentIndex(int(is_empty))
        has_distance = apart.distance is not None
        self.distance_card.setVisible(has_distance)
        self._right.set_foldable(has_distance and theme.is_projector())
        reading = self.reading
        if apart.distance is not None and reading is not None and len(apart.distance) == len(self._pairs):
            kinds = reading.units(TokenView()).kinds
            rows = Labels(self._labels(reading), [kinds[ours] for ours, _ in self._pairs])
            high = max(float(apart.distance.max(initial=0.0)), LEAST_HIGH)
            self.distance.set_grid(apart.distance, rows, Labels(stage_labels(apart.distance.shape[1])), 0.0, high)
            self.show_selection(reading, self.selection)
        if apart.cka is not None:
            layers, theirs = (Labels(stage_labels(size)) for size in apart.cka.shape)
            values = np.maximum(apart.cka, 0)
            texts = [[numbers.decimal(value) for value in row] for row in values.tolist()]
            self.cka.set_grid(values, layers, theirs, 0.0, 1.0, texts)
            self.finding.setText(self._found(apart.cka))

    def _labels(self, reading: Reading) -> list[str]:
        """`france (vs england)` where the baseline has another token."""
        assert reading.baseline is not None
        ours, theirs = reading.shown_tokens, reading.baseline.shown_tokens
        return [replacing(ours[i], theirs[j]) for i, j in self._pairs]

    def _found(self, cka: np.ndarray) -> str:
        """Which layer the last one is most like, and which tokens were compared."""
        last = cka[-1].tolist()
        value = numbers.decimal(max(last))
        best = [stage for stage, cka_of_stage in enumerate(last) if numbers.decimal(cka_of_stage) == value]
        text = say("The last layer here is most like the baseline {stage} (CKA {value}).")
        if len(best) > 1:  # as far as the digits on the screen go
            text = say("The last layer here is most like layers {layers} of the baseline (CKA {value}).")
        labels = stage_labels(len(last))
        found = text.format(stage=stage_name(best[0]), layers=", ".join(labels[stage] for stage in best), value=value)
        count = 0 if self.reading is None else len(self.reading.encoding)
        if len(self._pairs) == count:
            return found
        matched = say(
            "Compared: {some} of {all} tokens. A token counts where the baseline has one for the same word or piece; a "
            "word that only one of the two splits is left out."
        )
        return f"{found} {matched.format(some=numbers.count(len(self._pairs)), all=numbers.count(count))}"

    def _on_distance_hovered(self, cell: tuple[int, int] | None) -> None:
        values, text = self.distance.values, ""
        if cell is not None and values is not None and cell[0] < len(self._pairs):
            text = say(
                "{token}, {stage}: cosine {cosine} with the baseline",
                token=self.distance.rows.texts[cell[0]],
                stage=stage_name(cell[1]),
                cosine=numbers.decimal(1 - float(values[cell]), 4),
            )
        self.hover_text_changed.emit(text)
        self.position_hovered.emit(self._pairs[cell[0]][0] if cell and cell[0] < len(self._pairs) else None)

    def _on_distance_clicked(self, cell: tuple[int, int]) -> None:
        self.position_clicked.emit(self._pairs[cell[0]][0])
        self.stage_clicked.emit(cell[1])

    def _on_cka_hovered(self, cell: tuple[int, int] | None) -> None:
        values, text = self.cka.values, ""
        if cell is not None and values is not None:
            text = say(
                "{stage} and the baseline {other}: CKA {value}",
                stage=stage_name(cell[0]),
                other=stage_name(cell[1]),
                value=numbers.decimal(float(values[cell]), 3),
            )
        self.hover_text_changed.emit(text)

    def _distance_figure(self) -> Figure | None:
        values = self.distance.values
        if values is None or self.reading is None or not self.distance.isVisibleTo(self):
            return None
        axes = Axis("token", list(self.distance.rows.texts)), Axis("layer", stage_labels(values.shape[1]))
        settings = f"compared with {baseline_name(self.reading)}"
        arrays = {"1 - cosine": Numbers(values, axes)}
        return self.figure(self.distance_card.title, [self.distance], arrays, settings=settings, by_token=True)

    def _cka_figure(self) -> Figure | None:
        values = self.cka.values
        if values is None or self.reading is None or not self.cka.isVisibleTo(self):
            return None
        axes = Axis("layer", stage_labels(len(values))), Axis("layer of the baseline", stage_labels(values.shape[1]))
        settings = f"linear CKA with {baseline_name(self.reading)}"
        return self.figure(
            self.cka_card.title, [self.cka], {"CKA": Numbers(values, axes)}, settings=settings, by_token=True
        )
