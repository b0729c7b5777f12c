"""View "Hidden states": how large each is after each layer, and how similar the tokens are after one of them."""

import numpy as np

from bertcore.analysis.vectors import cosines, lengths

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import baseline_name
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card
from ...widgets.folding_card import folded_on_projector
from ...widgets.labelled_grid import LabelledGrid, Labels
from ...widgets.layouts import hbox
from .compared_states import BothStates
from .stages import LayersView, stage_labels, stage_name

LEAST_CHANGE = 0.01  # that the colours of a difference reach to: rounding errors stay white
LEAST_SPREAD = 0.001  # of the largest: a LayerNorm leaves all vectors equally large, up to rounding


class HiddenView(LayersView):
    """Sizes (L2 norms) on the left, cosines at the chosen stage on the right."""

    stages = "all"

    def __init__(self) -> None:
        super().__init__()
        self.lengths = LabelledGrid(say("Size of each hidden state: rows are tokens, columns are layers"))
        self.cosines = LabelledGrid(
            say("Cosine similarity of each pair of tokens"), square=True, signed=True, tilted=True
        )
        self.lengths_card = Card(
            say("Size of each hidden state"),
            intro=" ",
        )
        self.cosines_card = Card(
            say("How similar are the tokens?"),
            intro=" ",
        )
        self._drawn_stage = -1  # of the cosines
        self._both: BothStates | None = None  # whose difference is drawn
        explain("length", self.lengths)
        explain("cosine", self.cosines)
        for card, grid, figure in (
            (self.lengths_card, self.lengths, self._lengths_figure),
            (self.cosines_card, self.cosines, self._cosines_figure),
        ):
            card.set_figure(figure)
            card.body.addWidget(grid, 1)
        left = folded_on_projector(self.lengths_card, self.lengths_card.title)
        hbox((left, 2), (self.cosines_card, 3), parent=self, gap_px=GAP_PX)
        for grid in (self.lengths, self.cosines):
            self.add_token_menu(grid, lambda cell: self.first_position(cell[0]))
        self.lengths.hovered.connect(self._on_lengths_hovered)
        self.lengths.clicked.connect(self._on_lengths_clicked)
        self.cosines.hovered.connect(self._on_cosines_hovered)
        self.cosines.clicked.connect(lambda cell: self.click_unit(cell[0]))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        units, states = selection.units(reading), reading.trace.hidden_states
        # One layer at a time: words are merged in double precision.
        by_layer = [lengths(units.vectors(one)) for one in states]
        values = np.ascontiguousarray(np.stack(by_layer, axis=1)) if len(units) else np.zeros((0, 0))  # (U,L+1)
        self._both = BothStates(reading, selection) if reading.baseline and selection.wants_difference else None
        difference = self._both.lengths() if self._both is not None else None
        rows, columns = Labels(units.labels, units.kinds), Labels(stage_labels(len(states)))
        if self._both is not None and difference is not None:
            limit = max(float(np.abs(difference).max(initial=0.0)), LEAST_CHANGE)
            self.lengths.set_grid(
                difference, Labels(self._both.labels, units.kinds), columns, -limit, limit, signed=True
            )
        else:
            low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
            if high - low < LEAST_SPREAD * high:
                low = 0.0
            self.lengths.set_grid(values, rows, columns, low, high, signed=False)
        self._show_words(reading)
        is_pre = reading.request.model.config.norm == "pre"
        self.lengths_card.set_hint(
            joined(
                say("the last column is after the model’s final LayerNorm") if is_pre else "",
                selection.token_view.vectors_note,
            )
        )
        self._drawn_stage = -1
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if selection.stage != self._drawn_stage:
            self._show_cosines(reading, selection)
        unit = selection.unit(reading)
        self.lengths.set_selected(unit, selection.stage)
        self.cosines.set_selected(unit)

    @property
    def _is_difference(self) -> bool:
        return self._both is not None and not self._both.problem

    def _written(self, value: float) -> str:
        return numbers.signed(value, 4) if self._is_difference else numbers.decimal(value, 4)

    @property
    def _lengths_axes(self) -> str:
        return say("L2 norm · rows: tokens · columns: layers")

    def _show_cosines(self, reading: Reading, selection: Selection) -> None:
        self._drawn_stage = selection.stage
        units = selection.units(reading)
        vectors = units.vectors(reading.trace.hidden_states[selection.stage])  # (U,H)
        labels = Labels(units.labels, units.kinds)
        values = cosines(vectors) if len(units) else np.zeros((0, 0))
        before = self._both.cosines(selection.stage) if self._both is not None else None
        where = say("cosine of each pair, {stage}", stage=stage_name(selection.stage))
        if self._both is not None and before is not None:
            change = np.nan_to_num(values - before)
            limit = max(float(np.abs(change).max(initial=0.0)), LEAST_CHANGE)
            self.cosines.set_grid(change, Labels(self._both.labels, units.kinds), labels, -limit, limit)
            where = joined(where, say("now minus {baseline}", baseline=baseline_name(reading)))
        else:
            self.cosines.set_grid(values, labels, labels, -1, 1)
        self.cosines_card.set_hint(joined(where, selection.token_view.vectors_note))

    def _show_words(self, reading: Reading) -> None:
        """What the colours are of."""
        name, problem = baseline_name(reading), self._both.problem if self._both is not None else ""
        if self._is_difference:
            larger = say("Red: larger now than with {baseline}. Blue: smaller.", baseline=name)
            alike = say("Red: more similar now than with {baseline}. Blue: less similar.", baseline=name)
        else:
            what = say("Row: a token. Column: a layer. Stronger colour: numbers farther from zero (L2 norm).")
            why = say("Each layer ends with a LayerNorm, which keeps sizes close together.")
            if reading.request.model.config.norm == "pre":
                why = say("Each layer adds to them: the larger they are, the less one more layer changes them.")
            larger = f"{what} {why}"
            low, _ = self.lengths.color_range or (0.0, 0.0)
            if low > 0:
                begin = say("Colours begin at {low}, not 0.", low=numbers.number(low))
                larger = f"{larger} {begin}"
            alike = say("Each cell: two tokens. Red: they point the same way. No colour: unrelated. Blue: opposite.")
        self.lengths_card.set_intro(f"{problem} {larger}".strip())
        self.cosines_card.set_intro(f"{problem} {alike}".strip())

    def _lengths_figure(self) -> Figure | None:
        values, reading = self.lengths.values, self.reading
        if values is None or reading is None:
            return None
        axes = Axis("token", self.selection.units(reading).labels), Axis("layer", stage_labels(values.shape[1]))
        name = "length now minus before" if self._is_difference else "length"
        arrays = {name: Numbers(values, axes)}
        return self.figure(self.lengths_card.title, [self.lengths], arrays, hint=self._lengths_axes)

    def _cosines_figure(self) -> Figure | None:
        values, reading = self.cosines.values, self.reading
        if values is None or reading is None:
            return None
        labels, stage = self.selection.units(reading).labels, stage_name(self.selection.stage)
        name = "cosine now minus before" if self._is_difference else "cosine"
        arrays = {name: Numbers(values, (Axis("token", labels), Axis("other token", labels)))}
        return self.figure(self.cosines_card.title, [self.cosines], arrays, hint=stage, settings=stage)

    def _on_lengths_hovered(self, cell: tuple[int, int] | None) -> None:
        values, text = self.lengths.values, ""
        if cell is not None and values is not None and self.reading is not None:
            row, stage = cell
            text = say("{token}, {stage}: size {size}")
            if self._is_difference:
                text = say("{token}, {stage}: size {size}, compared with the baseline")
            text = text.format(
                token=self.selection.units(self.reading).labels[row],
                stage=stage_name(stage),
                size=self._written(float(values[cell])),
            )
        self.hover_text_changed.emit(text)
        self.hover_unit(cell[0] if cell else None)

    def _on_lengths_clicked(self, cell: tuple[int, int]) -> None:
        self.click_unit(cell[0])
        self.stage_clicked.emit(cell[1])

    def _on_cosines_hovered(self, cell: tuple[int, int] | None) -> None:
        values, text = self.cosines.values, ""
        if cell is not None and values is not None and self.reading is not None:
            labels = self.selection.units(self.reading).labels
            text = say("{token} and {other}, {stage}: cosine {cosine}")
            if self._is_difference:
                text = say("{token} and {other}, {stage}: cosine {cosine}, compared with the baseline")
            text = text.format(
                token=labels[cell[0]],
                other=labels[cell[1]],
                stage=stage_name(self.selection.stage),
                cosine=self._written(float(values[cell])),
            )
        self.hover_text_changed.emit(text)
        self.hover_unit(cell[0] if cell else None)
