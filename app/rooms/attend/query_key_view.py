"""The view Query × Key: how one weight comes about, number by number (Vaswani et al. 2017, section 3.2.1).

Each step is a row of small bars with its own scale. U units, S tokens, D head size.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLayout, QSizePolicy

from bertcore.analysis.score_steps import ScoreSteps, score_steps

from ...compute.padding import padding_keys
from ...compute.question import Job
from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection
from ...state.baseline_names import baseline_name, where_compared
from ...widgets.card import button, label
from ...widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ...widgets.charts.pointer import next_of
from ...widgets.layouts import hbox, held, vbox
from .attentions import Attentions, Head
from .sentences import change_in_words, softmax_in_words
from .view import PairedView

PADS = 2  # [PAD] after the text, where a person wants to see what the mask does
DIMENSIONS = 3  # strips over dimensions; the others are over tokens
SAME = 1e-3  # weights that differ by less are those of the softmax
MOST_RAISED = 25.0  # e to more than that is no number that can be read
LEAST_CHANGE = 1e-3  # that the scale of a difference reaches to: rounding errors stay flat
TITLE_PX, LABEL_PX = 19, 17
LEAST_BARS_PX, LARGEST_BARS_PX = 22, 70
STRONG, PALE = 0.95, 0.6  # places on the signed scale: of the marked bar, and of the others
SMALL = 10.5  # type
RANGE_PX = 52  # at the right, for the ends of the scale
INVITATION = mark("Click a bar in the lower rows to see how that token’s weight is computed; the arrow keys work too.")


@dataclass(frozen=True, eq=False)
class Strip:
    """One row of bars. labels (K) stand below it; empty: none. marked: the bar that matters."""

    title: str
    result: str  # bold, at the right end of the title
    values: np.ndarray  # (K); an infinite value has no bar
    labels: Sequence[str] = ()
    marked: int | None = None
    before: np.ndarray | None = None  # (K) in the baseline: a line across each bar; NaN where there is none
    is_difference: bool = False  # now minus before

    @property
    def ends(self) -> tuple[float, float]:
        """The scale, from its lower end to its upper one; zero is among it, of a difference in the middle."""
        values = self.values if self.before is None else np.concatenate([self.values, self.before])
        finite = values[np.isfinite(values)]
        low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
        most = max(-low, high, LEAST_CHANGE)
        return (-most, most) if self.is_difference else (low, high)


class BarStrips(Drawing):
    """Strips of bars; a cell is (strip, bar). Left and right: the bar beside the marked one, in the last strip."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.strips: list[Strip] = []
        self.hovered.connect(lambda _cell: self.redraw())

    def set_strips(self, strips: Sequence[Strip]) -> None:
        is_resized = len(strips) != len(self.strips)
        self.strips = list(strips)
        self.setAccessibleDescription(". ".join(f"{strip.title} {strip.result}" for strip in strips))
        if is_resized:
            self.updateGeometry()
        self.redraw()

    def bar_rect(self, strip: int, bar: int) -> QRectF:
        """The whole height that a bar may take."""
        area = self._areas()[strip]
        width = area.width() / max(len(self.strips[strip].values), 1)
        return QRectF(area.x() + bar * width, area.y(), width, area.height())

    def _around(self) -> list[float]:
        """What stands above and below the bars of each strip."""
        below = theme.gap_px(4), theme.px(LABEL_PX)
        return [theme.row_px(TITLE_PX) + below[len(strip.labels) > 0] for strip in self.strips]

    def _areas(self) -> list[QRectF]:
        """Of the bars of each strip."""
        around, y, areas = self._around(), 0.0, []
        free = (self.height() - sum(around)) / max(len(around), 1)
        height = min(max(free, theme.px(LEAST_BARS_PX)), theme.px(LARGEST_BARS_PX))
        for fixed in around:
            areas.append(QRectF(0, y + theme.row_px(TITLE_PX), self.width() - theme.px(RANGE_PX), height))
            y += fixed + height
        return areas

    def shapes(self) -> Iterator[Shape]:
        for index, (strip, area) in enumerate(zip(self.strips, self._areas(), strict=True)):
            low, high = strip.ends
            yield from self._title(strip, area)
            scale = area.height() / ((high - low) or 1)  # of a bar of 1
            zero, width = area.bottom() + low * scale, area.width() / max(len(strip.values), 1)
            yield Line(QPointF(area.left(), zero), QPointF(area.right(), zero), snaps=False)
            thin = max(width * 0.72, 1.0)
            for bar, value in enumerate(strip.values):
                if not np.isfinite(value) or (strip.is_difference and abs(value) < LEAST_CHANGE / 10):
                    continue
                color = theme.diverging_color(math.copysign(STRONG if bar == strip.marked else PALE, value))
                left, top = area.x() + (bar + 0.5) * width - thin / 2, min(zero, zero - value * scale)
                rect = QRectF(left, top, thin, max(abs(value) * scale, 0.8))
                yield Box(rect, "mask" if (index, bar) == self.hovered_cell else color)
            for bar, value in enumerate(() if strip.before is None else strip.before):
                if np.isfinite(value):
                    left, y = area.x() + bar * width, zero - value * scale
                    end = QPointF(left + max(width, 2.0), y)
                    yield Line(QPointF(left, y), end, "ink", theme.stroke(1.6), snaps=False)
            yield from self._labels(strip, area, width)

    def _title(self, strip: Strip, area: QRectF) -> Iterator[Shape]:
        """And the ends of the scale, at the right."""
        height = theme.row_px(TITLE_PX)
        top = QRectF(0, area.y() - height, area.width(), height)
        yield Words(top, strip.result, bold=True, align=theme.RIGHT)
        taken = QFontMetrics(theme.font(12, bold=True)).horizontalAdvance(strip.result) + theme.px(8)
        yield Words(QRectF(top.topLeft(), QSizeF(max(top.width() - taken, 0), top.height())), strip.title, "muted")
        low, high = strip.ends
        for number, baseline in ((high, area.y() + theme.px(9)), (low, area.bottom() - 1)):
            yield _small(numbers.number(number), QPointF(area.right() + theme.px(5), baseline), "muted")

    def _labels(self, strip: Strip, area: QRectF, width: float) -> Iterator[Shape]:
        """Those that there is room for, the marked one first."""
        metrics, taken = QFontMetrics(theme.font(SMALL)), list[tuple[float, float]]()
        for bar in sorted(range(len(strip.labels)), key=lambda bar: (bar != strip.marked, bar)):
            text = metrics.elidedText(strip.labels[bar], Qt.TextElideMode.ElideRight, int(max(width, theme.px(46))))
            long = metrics.horizontalAdvance(text)
            left = min(max(area.x() + (bar + 0.5) * width - long / 2, 0), area.right() - long)
            if not any(left < stop + 3 and left + long > start - 3 for start, stop in taken):
                taken.append((left, left + long))
                at = QPointF(left, area.bottom() + metrics.ascent() + 2)
                yield _small(text, at, "accent" if bar == strip.marked else "muted")

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        for index, area in enumerate(self._areas()):
            count = len(self.strips[index].values)
            if area.adjusted(0, 0, 0, theme.px(LABEL_PX)).contains(point) and count:
                return index, min(max(int((point.x() - area.x()) / area.width() * count), 0), count - 1)
        return None

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        bar = None if cell is None else next_of(len(self.strips[-1].values), cell[1], key, across=True)
        return None if cell is None or bar is None else (cell[0], bar)

    def selected_cell(self) -> tuple[int, int] | None:
        marked = self.strips[-1].marked if self.strips else None
        return None if marked is None else (len(self.strips) - 1, marked)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), round(sum(self._around())) + len(self.strips) * theme.px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), round(sum(self._around())) + len(self.strips) * theme.px(LEAST_BARS_PX))


def _small(text: str, baseline: QPointF, color: str) -> Words:
    """Small words whose letters stand at a height."""
    metrics = QFontMetrics(theme.font(SMALL))
    box = QRectF(baseline.x(), baseline.y() - metrics.ascent(), metrics.horizontalAdvance(text) + 2, metrics.height())
    return Words(box, text, color, SMALL)


class ScoreView(PairedView):
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens."""

    asks = PairedView.asks | {"padding": False}
    follows = ("head", "heads", "column", "token")
    steps: ScoreSteps | None = None
    baseline_steps: ScoreSteps | None = None  # in our places
    tokens: Sequence[str] = ()  # that have a bar: those of the text, and [PAD] behind them

    def lay_out(self) -> QLayout:
        self.strips = BarStrips(say("From query and key to one attention weight"))
        explain("attention", self.strips)
        self._asked, self.note = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self.readout = label("", "muted", wrap=True)
        self._on_strips_hovered(None)
        self.pads = button(say("Add two [PAD]"), self.redraw, look="small", checkable=True)
        self.pads.setToolTip(say("See how the padding mask hides them"))
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(self._on_strips_clicked)
        self.foot = held(vbox(self.note, self.readout, gap_px=6))
        return vbox(hbox((self._asked, 1), self.pads), (self.strips, 1), self.foot, gap_px=6)

    def words(self) -> tuple[str, str, str]:
        return self.attentions.title(*self.head), "", ""

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        if asks != "padding":
            return super().job(asks, reading, selection)
        is_wanted, asked = self.pads.isChecked() and reading.unchanged is None, reading.request
        return Job(padding_keys, (asked.model_input, PADS), (asked.model,)) if is_wanted else None

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        attentions, position, trace = self.attentions, selection.position, reading.trace
        weights = trace.attentions[(*self.head, position)]  # (S)
        column = int(weights.argmax()) if self.shared.column is None else self.shared.column
        padding, tokenizer = self.asked["padding"].answer, reading.request.model.tokenizer
        self.pads.setEnabled(reading.unchanged is None)
        keys = trace.keys[self.head] if padding is None else np.concatenate([trace.keys[self.head], padding[self.head]])
        column, places = min(column, len(keys) - 1), np.arange(len(keys))
        sides = {"left": places <= position, "right": places >= position}
        allowed = sides.get(reading.request.what_if.direction or "", places < len(weights))
        self.tokens = [*reading.shown_tokens, *[tokenizer.label(tokenizer.pad_id)] * (len(keys) - len(weights))]
        self.steps = score_steps(trace.queries[(*self.head, position)], keys, column, allowed)
        self.baseline_steps, notes = None, [say("Red: above 0. Blue: below.")]
        if padding is None and (self.is_difference or self.has_baseline_beside):
            head = self.baseline_head(self.head)
            title = self.baseline_title(head)
            steps = title if head is None else baseline_steps(attentions, head, position, column)
            if isinstance(steps, str):
                notes.append(steps)
            else:
                self.baseline_steps = steps
                notes.append(say("Line across a bar: its value in {head}.", head=title))
        is_difference = self.is_difference and self.baseline_steps is not None
        names = [
            say("“{token}” ({position})", token=self.tokens[place], position=place) for place in (position, column)
        ]
        asked = say("How much {row} looks at {column}", row=names[0], column=names[1])
        if is_difference:
            name = baseline_name(reading)
            notes = [say("Bars: now minus {baseline}; red: more, blue: less.", baseline=name)]
            asked = joined(asked, say("now minus {baseline}", baseline=name))
        self._asked.setText(asked)
        strips = self._strips(self.steps, *names)
        if self.baseline_steps is not None:
            strips = compared_strips(strips, self.baseline_steps, is_difference=is_difference)
        self.strips.set_strips(strips)
        if column < len(weights) and float(np.abs(self.steps.weights[: len(weights)] - weights).max()) > SAME:
            text = mark("You edited this row: the model used {weight} instead of the softmax result.")
            notes.append(say(text, weight=numbers.decimal(float(weights[column]), 4)))
        if attentions.token_view.words or not attentions.token_view.specials:
            notes.append(
                say("Scores are for single tokens, including special tokens, whatever the other pictures show.")
            )
        self.note.setText(" ".join(notes))

    def figure_of(self, key: str) -> Figure | None:
        if self.steps is None or self.reading is None:
            return None
        axes = (Axis("is looked at", self.tokens),)
        values: dict[str, Numbers] = {}
        for steps, where in ((self.steps, ""), (self.baseline_steps, " with the baseline")):
            if steps is not None:
                by_token = {"scores": steps.scores, "scaled": steps.scaled, "softmax": steps.weights}
                values |= {f"{name}{where}": Numbers(one, axes) for name, one in by_token.items()}
        assert self.steps.products is not None
        values["products"] = Numbers(self.steps.products, (Axis("dimension"),))
        is_whole = len(self.tokens) == len(self.reading.shown_tokens)
        python = "t.keys[layer, head] @ t.queries[layer, head, position]" if is_whole else ""
        of = {"hint": self._asked.text(), "python": python}
        return self.figure(self.title, [self.strips], values, head=True, by_token=True, **of)

    def _strips(self, steps: ScoreSteps, row: str, column: str) -> list[Strip]:
        size, at = len(steps.rows[0] if steps.rows[0] is not None else ()), steps.column
        root = numbers.number(math.sqrt(size), 5)
        over_tokens = (steps.scores, steps.scaled, steps.masked, steps.weights)
        score, scaled, masked, weight = (numbers.decimal(float(values[at]), 4) for values in over_tokens)
        masked = masked if np.isfinite(steps.masked[at]) else "−∞"
        padding = say("padding mask: changes nothing, because a single text has no padding")
        if not np.isfinite(steps.masked).all():
            padding = say("mask: −∞ for what must not be looked at, so that softmax gives it 0")
        titles = (
            (say("query of {token}: {size} dimensions", token=row, size=size), ""),
            (say("key of {token}", token=column), ""),
            (say("query × key, dimension by dimension"), say("sum = {sum}", sum=score)),
            (say("score: the sum, for every key"), score),
            (say("divided by √{size} = {root}", size=size, root=root), f"{score} / {root} = {scaled}"),
            (padding, masked),
            (
                say("softmax: its share of all e^score"),
                softmax_in_words(steps.masked, at, weight, MOST_RAISED),
            ),
        )
        strips = [
            Strip(title, result, values, marked=None if index < DIMENSIONS else at)
            for index, ((title, result), values) in enumerate(zip(titles, steps.rows, strict=True))
            if values is not None
        ]
        return [*strips[:-1], replace(strips[-1], labels=self.tokens)]

    def _on_strips_hovered(self, cell: tuple[int, int] | None) -> None:
        steps, theirs = self.steps, self.baseline_steps
        if cell is None or steps is None or self.reading is None:
            self.readout.setText(say(INVITATION))
            return
        (index, bar), there = cell, where_compared(self.reading)

        def written(*rows: np.ndarray | None) -> list[str]:
            return [numbers.decimal(float(row[bar]), 4) for row in rows if row is not None]

        if index < DIMENSIONS:
            query, key, product = written(*steps.rows[:DIMENSIONS])
            text = mark("dimension {number}: query {query} × key {key} = {product}")
            text = say(text, number=bar, query=query, key=key, product=product)
            if theirs is not None and theirs.products is not None:
                (product,) = written(theirs.products)
                text = joined(text, say("{there}: {product}", there=there, product=product))
            self.readout.setText(text)
            return
        score, scaled, weight = written(steps.scores, steps.scaled, steps.weights)
        token = f"{self.tokens[bar]} ({bar})"
        text = mark("{token}: score {score}, scaled {scaled}, softmax {weight}")
        text = say(text, token=token, score=score, scaled=scaled, weight=weight)
        if theirs is not None and np.isfinite(theirs.scores[bar]):
            score, weight = written(theirs.scores, theirs.weights)
            text = joined(
                text, say("{there}: score {score}, softmax {weight}", there=there, score=score, weight=weight)
            )
        elif theirs is not None:
            text = joined(text, say("only in this text"))
        self.readout.setText(text)

    def _on_strips_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if cell[0] >= DIMENSIONS:
            self.position_clicked.emit(self.selection.position)
            self.shared.choose_column(cell[1])


def baseline_steps(attentions: Attentions, head: Head, row: int, column: int) -> ScoreSteps | str:
    """Of the tokens that ours (positions) are compared with; a sentence where one has no counterpart.

    head: of the baseline.
    """
    reading = attentions.reading
    assert reading.baseline is not None and reading.alignment is not None
    places, trace = reading.alignment.other_positions, reading.baseline.trace
    baseline_row, baseline_column = places[row], places[column]
    if baseline_row is None or baseline_column is None:
        missing = reading.shown_tokens[row if baseline_row is None else column]
        return say("“{token}” has no counterpart in {baseline}.", token=missing, baseline=baseline_name(reading))
    query = trace.queries[(*head, baseline_row)]
    steps = score_steps(query, trace.keys[head], baseline_column)
    index = np.array([-1 if place is None else place for place in places])
    over_tokens = ("scores", "scaled", "masked", "weights")
    placed = {name: np.where(index >= 0, getattr(steps, name)[index], np.nan) for name in over_tokens}
    if not attentions.has_same_heads or len(query) != reading.trace.queries.shape[-1]:
        steps = replace(steps, query=None, key=None, products=None)
    return replace(steps, column=column, **placed)


def compared_strips(strips: Sequence[Strip], theirs: ScoreSteps, *, is_difference: bool) -> list[Strip]:
    """The same strips with the baseline's values as lines across their bars, or with what differs as bars.

    The numbers behind the titles become before and now.
    """
    made = []
    for index, (strip, before) in enumerate(zip(strips, theirs.rows, strict=True)):
        result = strip.result
        if before is None:  # of a model of another shape
            made.append(strip)
            continue
        if index >= DIMENSIONS and np.isfinite(before[theirs.column]):
            result = change_in_words(float(before[theirs.column]), float(strip.values[theirs.column]))
        elif index == DIMENSIONS - 1:
            result = change_in_words(float(before.sum()), float(strip.values.sum()))
        if is_difference:
            made.append(replace(strip, values=strip.values - before, result=result, is_difference=True))
        else:
            made.append(replace(strip, before=before, result=result))
    return made
