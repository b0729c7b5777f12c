"""The view Query × Key: how one weight comes about, and what it adds, by number (Vaswani et al. 2017, section 3.2).

Each step is a row of small bars with its own scale. U units, S tokens, D head size, H hidden.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLayout, QSizePolicy

from bertcore.analysis.layer_trace import LayerTrace
from bertcore.analysis.score_steps import ScoreSteps, score_steps

from ...compute.feed_forward import layer_of
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
from ...widgets.pages import tab_bar
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
INVITATION = mark("Click the bar of another token to see its numbers; the arrow keys work too.")


@dataclass(frozen=True, eq=False)
class Strip:
    """One row of bars. labels (K) stand below it; empty: none. marked: the bar that matters."""

    name: str  # in the line below, and in a saved file
    title: str
    result: str  # bold, at the right end of the title
    values: np.ndarray  # (K); an infinite value has no bar
    of_tokens: bool = False  # or of dimensions
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
            text = metrics.elidedText(strip.labels[bar], Qt.TextElideMode.ElideRight, int(max(width, theme.px(64))))
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
        bar = None if cell is None else next_of(len(self.strips[cell[0]].values), cell[1], key, across=True)
        return None if cell is None or bar is None else (cell[0], bar)

    def selected_cell(self) -> tuple[int, int] | None:
        marked = [(place, strip.marked) for place, strip in enumerate(self.strips) if strip.marked is not None]
        return marked[-1] if marked else None

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
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens. On
    its second page what is done with the weight: values, their sum, and what that adds to the token's line."""

    asks = PairedView.asks | {"padding": False, "layer": False}
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
        pages = {
            "weight": (say("1. Its weight"), say("From query and key to one attention weight")),
            "sum": (say("2. What it adds"), say("Weight × value, summed up and added to the token’s line")),
        }
        self.page = tab_bar(pages, say("Steps"), small=True)
        self.page.currentChanged.connect(lambda _page: self.redraw())
        self.pads = button(say("Add two [PAD]"), self.redraw, look="small", checkable=True)
        self.pads.setToolTip(say("See how the padding mask hides them"))
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(self._on_strips_clicked)
        self.foot = held(vbox(self.note, self.readout, gap_px=6))
        return vbox(hbox((self._asked, 1), self.pads, self.page), (self.strips, 1), self.foot, gap_px=6)

    def words(self) -> tuple[str, str, str]:
        return self.attentions.title(*self.head), "", ""

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        if asks == "layer":
            return Job(layer_of, (reading, selection.layer), (reading.request.model,)) if self.shows_sum else None
        if asks != "padding":
            return super().job(asks, reading, selection)
        is_wanted, asked = self.pads.isChecked() and reading.unchanged is None, reading.request
        return Job(padding_keys, (asked.model_input, PADS), (asked.model,)) if is_wanted else None

    @property
    def shows_sum(self) -> bool:
        return self.page.currentIndex() == 1

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        self.pads.setVisible(not self.shows_sum)
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
        names = [say("“{token}” ({position})", token=self.tokens[at], position=at) for at in (position, column)]
        asked = say("How much {row} looks at {column}", row=names[0], column=names[1])
        if is_difference:
            name = baseline_name(reading)
            notes = [say("Bars: now minus {baseline}; red: more, blue: less.", baseline=name)]
            asked = joined(asked, say("now minus {baseline}", baseline=name))
        self._asked.setText(asked)
        if self.shows_sum:
            self._show_sum(self.asked["layer"].answer, position, min(column, len(weights) - 1), *names)
            return
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
        sides = {True: Axis("is looked at", self.tokens), False: Axis("dimension")}
        values: dict[str, Numbers] = {}
        for strip in sorted(self.strips.strips, key=lambda strip: not strip.of_tokens):
            for one, where in ((strip.values, ""), (strip.before, " with the baseline")):
                if one is not None and not np.isinf(one).any():
                    values[strip.name + where] = Numbers(one, (sides[strip.of_tokens],))
        python = "t.keys[layer, head] @ t.queries[layer, head, position]"
        has_script = not self.shows_sum and len(self.tokens) == len(self.reading.shown_tokens)
        of = {"hint": self._asked.text(), "python": python if has_script else ""}
        return self.figure(self.title, [self.strips], values, head=True, by_token=True, **of)

    def _show_sum(self, one: LayerTrace | None, position: int, column: int, looks: str, seen: str) -> None:
        """The rest of the way: what is passed on, added up, and added to the line of the token that looks."""
        self.tokens = self.attentions.reading.shown_tokens
        self._asked.setText(say("What {row} takes over from {column}", row=looks, column=seen))
        notes = [say("Bold: the length of what a row shows. LayerNorm and the feed-forward network follow.")]
        if self.is_difference or self.has_baseline_beside:
            notes.append(say("Of this text and model alone."))
        self.note.setText(" ".join(notes))
        if one is None:
            return
        head, size = self.head[1], one.value.shape[2]
        weights, values = one.probs[head, position], one.value[head]  # (S), (S,D)
        passed = weights[:, None] * values  # (S,D)
        collected, output = one.context[head, position], one.weights["output"].weight  # (D), (H,N·D)
        added = output[:, head * size : (head + 1) * size] @ collected  # (H)
        before, by_all = one.entering[position], one.attention_output[position]  # 2 x (H)
        weight, lengths = numbers.decimal(float(weights[column]), 4), np.linalg.norm(passed, axis=1)
        heads, of = len(one.value), dict[str, Any](row=looks, column=seen)
        rows = (
            (mark("value"), say("value of {column}: what it passes on to whoever looks at it", **of), values[column]),
            (mark("weight × value"), say("times the weight, {weight}", weight=weight), passed[column]),
            (mark("length"), say("length of weight × value, for every token"), lengths),
            (
                mark("sum"),
                say("all of them added up: what head {head} collects for {row}", head=head + 1, **of),
                collected,
            ),
            (mark("added"), say("times the output matrix: what this head adds to the line of {row}", **of), added),
            (mark("before"), say("the line of {row} before", **of), before),
            (mark("after"), say("the line with what all %n head(s) (adds|add), and a bias", n=heads), before + by_all),
        )
        made = [Strip(name, title, numbers.decimal(float(np.linalg.norm(row)), 4), row) for name, title, row in rows]
        length = numbers.decimal(float(lengths[column]), 4)
        made[2] = replace(made[2], result=length, of_tokens=True, labels=self.tokens, marked=column)
        self.strips.set_strips(made)

    def _strips(self, steps: ScoreSteps, row: str, column: str) -> list[Strip]:
        size, at = len(steps.rows[0] if steps.rows[0] is not None else ()), steps.column
        root = numbers.number(math.sqrt(size), 5)
        over_tokens = (steps.scores, steps.scaled, steps.masked, steps.weights)
        score, scaled, masked, weight = (numbers.decimal(float(values[at]), 4) for values in over_tokens)
        masked = masked if np.isfinite(steps.masked[at]) else "−∞"
        padding = say("padding mask: changes nothing where nothing is padded")
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
        names = map(mark, ("query", "key", "product", "scores", "scaled", "masked", "softmax"))
        strips = [
            Strip(name, title, result, values, index >= DIMENSIONS, marked=None if index < DIMENSIONS else at)
            for index, (name, (title, result), values) in enumerate(zip(names, titles, steps.rows, strict=True))
            if values is not None
        ]
        return [*strips[:-1], replace(strips[-1], labels=self.tokens)]

    def _on_strips_hovered(self, cell: tuple[int, int] | None) -> None:
        """All rows of the place under the mouse."""
        if cell is None or self.reading is None:
            self.readout.setText(say(INVITATION))
            return
        (index, bar), there = cell, where_compared(self.reading)
        of_tokens, count = self.strips.strips[index].of_tokens, len(self.strips.strips[index].values)
        same = [one for one in self.strips.strips if one.of_tokens == of_tokens and len(one.values) == count]
        written = [f"{say(one.name)} {numbers.decimal(float(one.values[bar]), 4)}" for one in same]
        earlier = [numbers.decimal(float(one.before[bar]), 4) for one in same if one.before is not None]
        place = f"{self.tokens[bar]} ({bar})" if of_tokens else say("dimension {dimension}", dimension=bar)
        text = say("{place}: {numbers}", place=place, numbers=", ".join(written))
        if earlier:
            text = joined(text, say("{there}: {numbers}", there=there, numbers=", ".join(earlier)))
        self.readout.setText(text)

    def _on_strips_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if self.strips.strips[cell[0]].of_tokens:
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
