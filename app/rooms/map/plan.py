"""Where each part of the map is, for a size of the picture, of the model and of the text. No painting, no text.

From left to right: words, tokens, the embeddings that add up, the layers with their heads above the lines and their
feed-forward halves below, the answers. Lengths are pixels, times `scale`; layers, heads and positions count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import ceil
from typing import Literal

from PySide6.QtCore import QPointF, QRectF

Kind = Literal[
    "word",
    "token",
    "embedding",
    "head",
    "attention_sum",
    "feed_forward",
    "feed_forward_sum",
    "layer",
    "state",
    "answer",
    "verdict",
    "section",
]
MARGIN, LEAST_ROW, MOST_ROW = 14.0, 15.0, 24.0
HEADINGS, TITLES = 18.0, 16.0  # lines of words above the rows and above the heads
ARROWS, SHORT_ARROWS = 30.0, 20.0  # between lines and heads, lines and feed-forward; short without sections
LEAST_HEADS, MOST_HEADS = 62.0, 190.0  # height of the heads of a layer
SECTIONS, LEAST_WITH_SECTIONS = 78.0, 560.0  # the captions at the bottom, and the height from which there are any
OPEN_LAYER, FOLDED_LAYER = 60.0, 7.0  # least widths
VERDICT, ANSWER_HEADING, ANSWER_ROW, MOST_ANSWERS = 74.0, 24.0, 21.0, 5
UNFOLDED_LAYER = 116.0  # the open one, where the others are folded
LEAST_WITH_WORDS = 800.0  # the width from which on words have a column of their own beside their tokens
ROW_TO_TYPE = 1.25  # the height of a row and of the type in it
BETWEEN = 12.0  # two embeddings whose names are slanted, with a plus sign
NAME, NUMBER = 44.0, 15.0  # room for the name of an embedding in type of 11, for the number of a layer in type of 10


@dataclass(frozen=True)
class MapPart:
    """Something on the map that says what it is and leads somewhere."""

    kind: Kind
    layer: int = -1
    head: int = -1
    position: int = -1
    stage: int = -1  # of a state: 0 what enters the first layer, l what leaves layer l
    name: str = ""  # of an embedding: "token", "segment", "position", "sum"; of a section: its key


@dataclass(frozen=True)
class Gap:
    """Tokens that are left out between two rows."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1


Row = int | Gap  # a position


def choose_rows(size: int, most: int, around: int, keep: Sequence[int] = ()) -> list[Row]:
    """At most `most` rows for a text of `size` tokens: the first and last token, `keep` as far as there is room for
    it, and those around one position. Where a single token would be left out it is shown instead."""
    if size <= most:
        return list(range(size))
    most = max(most, 5)
    chosen = {0, size - 1, around}
    wanted = [*keep, *sorted(range(size), key=lambda position: abs(position - around))]
    for position in wanted:
        if len(_with_gaps(size, chosen | {position})) <= most:
            chosen.add(position)
    return _with_gaps(size, chosen)


def _with_gaps(size: int, chosen: Iterable[int]) -> list[Row]:
    rows: list[Row] = []
    before = -1
    for position in sorted(chosen):
        left_out = position - before - 1
        if left_out == 1:
            rows.append(position - 1)
        elif left_out:
            rows.append(Gap(before + 1, position - 1))
        rows.append(position)
        before = position
    return rows


@dataclass(frozen=True)
class Sizes:
    """All that a plan depends on besides the text."""

    width: float
    height: float
    scale: float
    layers: int
    heads: int
    embeddings: tuple[str, ...]  # those that the model has, with "sum"
    open_layer: int  # where not all of them can be open
    least_type_px: float = 10.0  # the smallest type that can be read, in pixels of the screen

    def px(self, length: float) -> float:
        return length * self.scale

    @property
    def has_sections(self) -> bool:
        return self.height >= self.px(LEAST_WITH_SECTIONS)

    @property
    def has_words(self) -> bool:
        return self.width >= self.px(LEAST_WITH_WORDS)

    @property
    def least_row(self) -> float:
        return max(self.px(LEAST_ROW), self.least_type_px * ROW_TO_TYPE)

    def room(self, length: float, type_px: float) -> float:
        """A length that is enough for words in type of that size, where the smallest type is larger than that."""
        return self.px(length) * max(self.least_type_px / self.px(type_px), 1.0)

    @property
    def rows_height(self) -> float:
        """What rows can take at most, with the heads as low as they may be."""
        used = 2 * MARGIN + LEAST_HEADS + HEADINGS + 8 + (SECTIONS if self.has_sections else 0)
        return self.height - self.px(used) - self.titles - 2 * self.arrows - self.feed_forward_height

    @property
    def titles(self) -> float:
        """Height of the line above the heads."""
        return self.room(TITLES, 11.5)

    @property
    def arrows(self) -> float:
        """Height of the space between the lines and the heads, and between the lines and feed-forward."""
        return self.px(ARROWS if self.has_sections else SHORT_ARROWS)

    @property
    def feed_forward_height(self) -> float:
        return self.px(44 if self.has_sections else 30)

    @property
    def most_rows(self) -> int:
        return max(int(self.rows_height / self.least_row), 5)


@dataclass(frozen=True)
class Layer:
    """The column of one layer."""

    number: int
    left: float
    width: float
    is_open: bool  # wide enough for arrows and words

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def center(self) -> float:
        return self.left + self.width / 2


@dataclass
class Plan:
    """Places of everything. `parts` in the order in which a point is looked up."""

    sizes: Sizes
    rows: list[Row]
    parts: dict[MapPart, QRectF] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lay_out_down()
        self._lay_out_across()
        self._place_parts()

    # What the picture is drawn from.

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Which row a position has; not all have one."""
        return {row: number for number, row in enumerate(self.rows) if isinstance(row, int)}

    @cached_property
    def positions(self) -> list[int]:
        """Of the rows that are tokens."""
        return list(self.row_of)

    def row_y(self, number: int) -> float:
        """The middle of a row."""
        return self.top + (number + 0.5) * self.row_height

    def line_y(self, position: int) -> float:
        """The line of a token, where it has one; of a token that is left out the line of the gap it is in."""
        if position in self.row_of:
            return self.row_y(self.row_of[position])
        gaps = (i for i, row in enumerate(self.rows) if isinstance(row, Gap) and row.first <= position <= row.last)
        return self.row_y(next(gaps, 0))

    def stage_x(self, stage: int) -> float:
        """Where the line is after a layer; 0: before the first."""
        return self.layer_zone.left() - self.px(16) if stage == 0 else self.layers[stage - 1].right

    def at(self, point: QPointF) -> MapPart | None:
        """What is under a point."""
        for part, rect in self.parts.items():
            if rect.contains(point):
                return part
        return None

    def beside(self, part: MapPart, down: int, right: int) -> MapPart:
        """The nearest part in a direction; itself at the edge."""
        own = self.parts[part]
        here, best, least = own.center(), part, float("inf")
        for other, rect in self.parts.items():
            there = rect.center()
            along = (there.x() - here.x()) * right + (there.y() - here.y()) * down
            across = abs((there.x() - here.x()) * down) + abs((there.y() - here.y()) * right)
            overlaps = rect.top() < own.bottom() and own.top() < rect.bottom() if right else False
            cost = along + (0.3 if overlaps else 3) * across
            if other != part and along > 1 and cost < least:
                best, least = other, cost
        return best

    def layer_at(self, x: float) -> int | None:
        """The layer whose column a point is in."""
        return next((layer.number for layer in self.layers if layer.left <= x < layer.right), None)

    def px(self, length: float) -> float:
        return self.sizes.px(length)

    @property
    def tokens_and_words(self) -> tuple[float, float]:
        """From where to where the columns at the left go."""
        return self.words.left(), self.tokens.right()

    @property
    def numbered(self) -> list[tuple[Layer, Layer]]:
        """Folded layers that have a number above: one by one, every second, every third … (the same layer twice).
        Where a stack would get fewer than two numbers: its first and its last layer."""
        found: list[tuple[Layer, Layer]] = []
        for is_open, group in groupby(self.layers, key=lambda layer: layer.is_open):
            stack = list(group)
            every = ceil(self.sizes.room(NUMBER, 10) / stack[0].width)
            numbers = [layer for layer in stack if (layer.number + 1) % every == 0]
            if is_open:
                continue
            found += [(stack[0], stack[-1])] if len(numbers) < 2 else [(layer, layer) for layer in numbers]
        return found

    def place_answer(self, position: int) -> None:
        """The likeliest words are beside the line of their token, below the verdict on the pair."""
        zone, px = self.answers, self.px
        top = max(zone.top() + px(4), self.top - px(44))
        verdict = QRectF(zone.left(), top, zone.width(), px(VERDICT))
        free = self.feed_forward_bottom - verdict.bottom() - px(ANSWER_HEADING + 10)
        self.answer_count = min(max(int(free / px(ANSWER_ROW)), 1), MOST_ANSWERS)
        height = px(ANSWER_HEADING + self.answer_count * ANSWER_ROW)
        y = self.line_y(position) - px(ANSWER_HEADING + ANSWER_ROW / 2)
        y = max(min(y, self.feed_forward_bottom - height), verdict.bottom() + px(10))
        for part in [part for part in self.parts if part.kind in ("answer", "verdict")]:
            del self.parts[part]
        self.parts[MapPart("verdict")] = verdict
        self.parts[MapPart("answer", position=position)] = QRectF(zone.left(), y, zone.width(), height)
        self.verdict_box, self.answer_box = verdict, self.parts[MapPart("answer", position=position)]

    # How it is laid out.

    def _lay_out_down(self) -> None:
        sizes, px = self.sizes, self.px
        self.row_height = min(max(sizes.rows_height / max(len(self.rows), 1), sizes.least_row), px(MOST_ROW))
        rows_height = self.row_height * len(self.rows)
        spare = max(sizes.rows_height - rows_height, 0.0)
        self.heads_height = min(px(LEAST_HEADS) + spare, px(MOST_HEADS))
        spare -= self.heads_height - px(LEAST_HEADS)
        self.heads_top = px(MARGIN) + sizes.titles + spare / 2
        self.top = self.heads_top + self.heads_height + sizes.arrows + px(HEADINGS)
        self.bottom = self.top + rows_height
        self.feed_forward_top = self.bottom + sizes.arrows
        self.feed_forward_bottom = self.feed_forward_top + sizes.feed_forward_height

    def _lay_out_across(self) -> None:
        sizes, px = self.sizes, self.px
        logical = sizes.width / sizes.scale
        word = min(max(logical * 0.065, 44), 96) if sizes.has_words else 0.0
        token = min(max(logical * (0.065 if sizes.has_words else 0.1), 50), 96)
        strip = min(max(logical * 0.036, 18), 54)
        answer = min(max(logical * 0.16, sizes.room(132, 12) / sizes.scale), 240)
        left = px(MARGIN)
        self.words = QRectF(left, self.top, px(word), self.bottom - self.top)
        left += px(word + 16) if sizes.has_words else 0.0
        self.tokens = QRectF(left, self.top, px(token), self.bottom - self.top)
        left += px(token + 18)
        self.name_width = max(px(strip), sizes.room(NAME, 11))
        between = max(min(strip * 0.36, 18), self.name_width / sizes.scale - strip)
        last, count = sizes.width - px(MARGIN + answer + 26), len(sizes.embeddings)
        least = px(UNFOLDED_LAYER + (sizes.layers - 1) * FOLDED_LAYER)  # for one layer that can be seen into
        self.is_tight = last - (left + px(count * (strip + between) + 34 - between)) < least
        if self.is_tight:
            between = BETWEEN
        step = px(strip + between)
        self.embeddings = {
            name: QRectF(left + number * step, self.top, px(strip), self.bottom - self.top)
            for number, name in enumerate(sizes.embeddings)
        }
        first = left + count * step + px(34 - between)
        self.layer_zone = QRectF(first, self.top, max(last - first, px(60)), self.bottom - self.top)
        self.answers = QRectF(last + px(26), px(MARGIN), px(answer), sizes.height - px(2 * MARGIN))
        self.columns_per_strip = max(int(strip / 4), 3)
        self._lay_out_layers()

    def _lay_out_layers(self) -> None:
        """All layers open where there is room for it; else one, and the others folded."""
        sizes, zone, count = self.sizes, self.layer_zone, self.sizes.layers
        self.is_folded = zone.width() / count < self.px(OPEN_LAYER) and count > 1
        if not self.is_folded:
            width = zone.width() / count
            self.layers = [Layer(i, zone.left() + i * width, width, True) for i in range(count)]
            return
        folded = max((zone.width() - self.px(UNFOLDED_LAYER)) / (count - 1), min(FOLDED_LAYER, zone.width() / count))
        is_wide = zone.width() - (count - 1) * folded >= self.px(OPEN_LAYER)
        opened, x = min(max(sizes.open_layer, 0), count - 1), zone.left()
        self.layers = []
        for i in range(count):
            width = zone.width() - (count - 1) * folded if i == opened else folded
            self.layers.append(Layer(i, x, width, i == opened and is_wide))
            x += width

    def _place_parts(self) -> None:
        px, parts = self.px, self.parts
        self.head_boxes: list[QRectF] = []
        self.feed_forward_boxes: list[QRectF] = []
        for layer in self.layers:
            gap = px(5) if layer.is_open else min(px(1.5), layer.width * 0.1)
            box = QRectF(layer.left + gap, self.heads_top, layer.width - 2 * gap, self.heads_height)
            self.head_boxes.append(box)
            for head, cell in enumerate(cells_in(box, self.sizes.heads, px(3) if layer.is_open else 1.0)):
                parts[MapPart("head", layer.number, head)] = cell
        for layer, box in zip(self.layers, self.head_boxes, strict=True):
            height = self.feed_forward_bottom - self.feed_forward_top
            below = QRectF(box.left(), self.feed_forward_top, box.width(), height)
            self.feed_forward_boxes.append(below)
            parts[MapPart("feed_forward", layer.number)] = below
            top = parts[MapPart("head", layer.number, 0)].top() - self.sizes.titles
            parts[MapPart("layer", layer.number)] = QRectF(layer.left, top, layer.width, self.sizes.titles - px(1))
            if layer.is_open:
                side, (into, out) = px(15), self.sums_x(layer)
                parts[MapPart("attention_sum", layer.number)] = _square(
                    into, (box.bottom() + self.top) / 2 + px(2), side
                )
                parts[MapPart("feed_forward_sum", layer.number)] = _square(
                    out, (self.bottom + self.feed_forward_top) / 2, side
                )
        for position, number in self.row_of.items():
            y, height = self.top + number * self.row_height, self.row_height
            parts[MapPart("token", position=position)] = QRectF(self.tokens.left(), y, self.tokens.width(), height)
            if self.sizes.has_words:
                word = QRectF(self.words.left(), y, self.words.width() + px(14), height)
                parts[MapPart("word", position=position)] = word
            for name, strip in self.embeddings.items():
                parts[MapPart("embedding", position=position, name=name)] = QRectF(
                    strip.left(), y, strip.width(), height
                )
            end = self.embeddings["sum"].right()
            before = QRectF(end, y, self.layer_zone.left() - end, height)
            parts[MapPart("state", position=position, stage=0)] = before
            for layer in self.layers:
                span = QRectF(layer.left, y, layer.width, height)
                parts[MapPart("state", layer.number, position=position, stage=layer.number + 1)] = span

        if self.sizes.has_sections:
            self._place_sections()
        self.place_answer(0)

    def _place_sections(self) -> None:
        px, zone = self.px, self.layer_zone
        half = zone.left() + zone.width() / 2
        sides = {
            "cut": (self.words.left(), self.tokens.right()),
            "add": (next(iter(self.embeddings.values())).left() - px(4), self.embeddings["sum"].right()),
            "look": (zone.left(), half - px(8)),
            "think": (half + px(8), zone.right()),
            "answer": (self.answers.left(), self.answers.right()),
        }
        top = self.sizes.height - px(SECTIONS + 4)
        for name, (left, right) in sides.items():
            self.parts[MapPart("section", name=name)] = QRectF(left, top, right - left, px(SECTIONS))

    def sums_x(self, layer: Layer) -> tuple[float, float]:
        """Where what attention found is added to the lines of an open layer, and what feed-forward found."""
        return layer.left + 0.36 * layer.width, layer.left + 0.7 * layer.width


def cells_in(box: QRectF, count: int, gap: float) -> list[QRectF]:
    """Squares for `count` heads, as large as they fit into `box`, line by line from the top left."""
    best, columns = 0.0, 1
    for wanted in range(1, count + 1):
        lines = ceil(count / wanted)
        side = min((box.width() - (wanted - 1) * gap) / wanted, (box.height() - (lines - 1) * gap) / lines)
        if side > best:
            best, columns = side, wanted
    side = max(best, 1.0)
    if side >= 6:
        side = float(int(side))  # with fractions a cell would show a sliver of its neighbour
    lines = ceil(count / columns)
    left = box.left() + (box.width() - columns * side - (columns - 1) * gap) / 2
    top = box.bottom() - lines * side - (lines - 1) * gap
    step = side + gap
    return [QRectF(left + (i % columns) * step, top + (i // columns) * step, side, side) for i in range(count)]


def _square(x: float, y: float, side: float) -> QRectF:
    return QRectF(x - side / 2, y - side / 2, side, side)
