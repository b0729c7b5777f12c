"""Where each part of the map is, for a size of the picture, of the model and of the text. No painting, no text.

From left to right: words, tokens, the embeddings that add up, the layers with their heads above the lines and their
feed-forward halves below, the answers. Lengths are pixels, times `scale`; layers, heads and positions count from 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from PySide6.QtCore import QRectF

MARGIN, LEAST_ROW, MOST_ROW = 14.0, 15.0, 24.0
HEADINGS, TITLES = 18.0, 16.0  # lines of words above the rows and above the heads
ARROWS, SHORT_ARROWS = 30.0, 20.0  # between lines and heads, lines and feed-forward; short without sections
LEAST_HEADS, MOST_HEADS = 62.0, 190.0  # height of the heads of a layer
FEED_FORWARD, LOW_FEED_FORWARD = 44.0, 30.0  # its height; low without sections
SECTIONS, LEAST_WITH_SECTIONS = 78.0, 560.0  # the captions at the bottom, and the height from which there are any
OPEN_LAYER, FOLDED_LAYER = 60.0, 7.0  # least widths
VERDICT, ANSWER_HEADING, ANSWER_ROW, MOST_ANSWERS = 74.0, 24.0, 21.0, 5
SECOND_LINE = 16.0  # of the answer's heading, where type is large
UNFOLDED_LAYER = 116.0  # the open one, where the others are folded
LEAST_WITH_WORDS = 800.0  # the width from which on words have a column of their own beside their tokens
ROW_TO_TYPE = 1.2  # the height of a row and of the type in it
BELOW, BARE_ANSWER = 34.0, 50.0  # of a bare picture: for arrows below it, and for the answer's word
BETWEEN = 12.0  # two embeddings whose names are slanted, with a plus sign
NAME, NUMBER = 44.0, 15.0  # room for the name of an embedding in type of 11, for the number of a layer in type of 10


@dataclass(frozen=True)
class MapPart:
    """Something on the map that says what it is and leads somewhere."""

    kind: str  # of `content.LINKS`, or "section"
    layer: int = -1
    head: int = -1
    position: int = -1
    stage: int = -1  # of a state: 0 what enters the first layer, l what leaves layer l
    name: str = ""  # of an embedding: "token", "segment", "position", "sum"; of a section: its key


Row = int | range  # a position; those that are left out between two rows


def choose_rows(size: int, most: int, around: int, keep: Sequence[int] = ()) -> list[Row]:
    """At most `most` rows for a text of `size` tokens: `keep` as far as there is room for it, the first and last token,
    and those around one position. Where a single token would be left out it is shown instead."""
    if size <= most:
        return list(range(size))
    most = max(most, 5)
    chosen = {around}
    wanted = [*keep, 0, size - 1, *sorted(range(size), key=lambda position: abs(position - around))]
    for position in wanted:
        if len(_with_gaps(chosen | {position}, size)) <= most:
            chosen.add(position)
    return _with_gaps(chosen, size)


def _with_gaps(chosen: Iterable[int], size: int) -> list[Row]:
    rows: list[Row] = []
    first = 0
    for position in (*sorted(chosen), size):
        left_out = range(first, position)
        if left_out:
            rows.append(left_out if len(left_out) > 1 else first)
        rows.append(position)
        first = position + 1
    return rows[:-1]


@dataclass(frozen=True)
class Sizes:
    """Of the picture and of the model."""

    width: float
    height: float
    scale: float
    layers: int
    heads: int
    embeddings: tuple[str, ...]  # those that the model has, with "sum"
    open_layer: int  # where not all of them can be open
    least_type_px: float = 10.0  # the smallest type that can be read, in pixels of the screen
    is_bare: bool = False  # no answers, no captions: there is room for arrows below


@dataclass(frozen=True)
class Layer:
    """The column of one layer."""

    number: int
    left: float
    width: float
    is_open: bool  # wide enough for arrows and words
    heads: QRectF  # above the lines
    feed_forward: QRectF  # below them

    def x(self, share: float) -> float:
        """A place across the column."""
        return self.left + share * self.width

    @property
    def right(self) -> float:
        return self.x(1)

    @property
    def sums_x(self) -> tuple[float, float]:
        """Where what attention found is added to the lines, and what feed-forward found."""
        return self.x(0.36), self.x(0.7)


class Plan:
    """Places of everything. `parts` in the order in which a point is looked up."""

    def __init__(self, sizes: Sizes, size: int, around: int, keep: Sequence[int] = ()) -> None:
        """size: of the text in tokens; around, keep: see `choose_rows`."""
        self.sizes = sizes
        self.parts: dict[MapPart, QRectF] = {}
        self.has_sections = sizes.height >= self.px(LEAST_WITH_SECTIONS) and not sizes.is_bare
        self.has_words = sizes.width >= self.px(LEAST_WITH_WORDS) and not sizes.is_bare
        self._lay_out_down(size, around, keep)
        self._lay_out_across()
        self._lay_out_layers()
        self._place_parts()
        self.place_answer(0)

    def px(self, length: float) -> float:
        return length * self.sizes.scale

    def room(self, length: float, type_px: float) -> float:
        """A length that is enough for words in type of that size, where the smallest type is larger than that."""
        return self.px(length) * max(self.sizes.least_type_px / self.px(type_px), 1.0)

    @property
    def has_large_type(self) -> bool:
        """The picture is for a projector: spaces do not grow, words do."""
        return self.sizes.least_type_px > self.px(12)

    # What the picture is drawn from.

    def row_y(self, number: int) -> float:
        """The middle of a row."""
        return self.top + (number + 0.5) * self.row_height

    def line_y(self, position: int) -> float:
        """The line of a token, where it has one; of a token that is left out the line of the gap it is in."""
        gaps = (i for i, row in enumerate(self.rows) if isinstance(row, range) and position in row)
        return self.row_y(self.row_of[position] if position in self.row_of else next(gaps, 0))

    def stage_x(self, stage: int) -> float:
        """Where the line is after a layer; 0: before the first."""
        return self.layer_zone.left() - self.px(16) if stage == 0 else self.layers[stage - 1].right

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

    @property
    def numbered(self) -> list[tuple[Layer, Layer]]:
        """Folded layers that have a number above: one by one, every second, every third … (the same layer twice).
        Where a stack would get fewer than two numbers: its first and its last layer."""
        found: list[tuple[Layer, Layer]] = []
        for is_open, group in groupby(self.layers, key=lambda layer: layer.is_open):
            stack = list(group)
            step = ceil(self.room(NUMBER, 10) / stack[0].width)
            numbers = [layer for layer in stack if (layer.number + 1) % step == 0]
            if not is_open:
                found += [(stack[0], stack[-1])] if len(numbers) < 2 else [(layer, layer) for layer in numbers]
        return found

    def place_answer(self, position: int, ends: Iterable[int] = (), *, is_alone: bool = False) -> None:
        """The likeliest words are beside the line of their token, below the verdict on the pair.

        ends: positions whose lines have an end of their own. is_alone: there is no verdict.
        """
        zone, px = self.answers, self.px
        top = max(zone.top() + px(4), self.top - px(44))
        self.verdict_box = QRectF(zone.left(), top, zone.width(), px(VERDICT))
        least = px(MARGIN) if is_alone else self.verdict_box.bottom() + px(10)
        self.answer_heading = px(ANSWER_HEADING + SECOND_LINE * self.has_large_type)
        free = self.feed_forward_bottom - least - self.answer_heading
        self.answer_count = min(max(int(free / px(ANSWER_ROW)), 1), MOST_ANSWERS)
        height = self.answer_heading + px(self.answer_count * ANSWER_ROW)
        y = self.line_y(position) - self.answer_heading - px(ANSWER_ROW / 2)
        y = max(min(y, self.feed_forward_bottom - height), least)
        self.answer_box = QRectF(zone.left(), y, zone.width(), height)
        for part in [part for part in self.parts if part.kind in ("answer", "verdict", "end")]:
            del self.parts[part]
        if self.sizes.is_bare:
            return
        for end in self.row_of.keys() & set(ends):
            row = QRectF(zone.left(), self.line_y(end) - self.row_height / 2, zone.width(), self.row_height)
            self.parts[MapPart("end", position=end)] = row
        if not is_alone:
            self.parts[MapPart("verdict")] = self.verdict_box
        self.parts[MapPart("answer", position=position)] = self.answer_box

    # How it is laid out.

    def _lay_out_down(self, size: int, around: int, keep: Sequence[int]) -> None:
        """With the heads as low as they may be there is room for the most rows; what these leave, the heads take."""
        sizes, px, has_sections = self.sizes, self.px, self.has_sections
        self.titles = self.room(TITLES, 11.5)  # the line above the heads; in a bare picture their names stand below it
        self.titles *= 2 if sizes.is_bare else 1
        gap = 1 / sizes.scale if self.has_large_type else 1.0
        arrows = px(ARROWS if has_sections else SHORT_ARROWS * gap)
        feed_forward = px(FEED_FORWARD if has_sections else LOW_FEED_FORWARD)
        below = BELOW if sizes.is_bare else SECTIONS if has_sections else 0
        least_heads = px(LEAST_HEADS * (0.75 if self.has_large_type else 1))
        used = least_heads + px((2 * MARGIN + 8) * gap + HEADINGS + below)
        most = sizes.height - used - self.titles - 2 * arrows - feed_forward
        least_row = max(px(LEAST_ROW), sizes.least_type_px * ROW_TO_TYPE)
        self.rows = choose_rows(size, max(int(most / least_row), 5), around, keep)
        self.row_of = {row: number for number, row in enumerate(self.rows) if isinstance(row, int)}  # by position
        self.positions = list(self.row_of)
        self.row_height = min(max(most / max(len(self.rows), 1), least_row), px(MOST_ROW))
        rows_height = self.row_height * len(self.rows)
        spare = max(most - rows_height, 0.0)
        self.heads_height = min(least_heads + spare, px(MOST_HEADS))
        spare -= self.heads_height - least_heads
        self.heads_top = px(MARGIN * gap) + self.titles + spare / 2
        self.top = self.heads_top + self.heads_height + arrows + px(HEADINGS)
        self.bottom = self.top + rows_height
        self.feed_forward_top = self.bottom + arrows
        self.feed_forward_bottom = self.feed_forward_top + feed_forward

    def _lay_out_across(self) -> None:
        sizes, px, height = self.sizes, self.px, self.bottom - self.top
        logical = sizes.width / sizes.scale
        word = min(max(logical * 0.065, 44), 96) if self.has_words else 0.0
        token = min(max(logical * (0.065 if self.has_words else 0.1), 50), 96)
        strip = min(max(logical * 0.036, 18), 54)
        answer = min(max(logical * 0.16, self.room(132, 12) / sizes.scale), 240) if not sizes.is_bare else BARE_ANSWER
        self.words = QRectF(px(MARGIN), self.top, px(word), height)
        self.tokens = QRectF(px(MARGIN + (word + 16 if self.has_words else 0)), self.top, px(token), height)
        left = self.tokens.right() + px(18)
        self.name_width = max(px(strip), self.room(NAME, 11))
        between = max(min(strip * 0.36, 18), self.name_width / sizes.scale - strip)
        last, count = sizes.width - px(MARGIN + answer + 26), len(sizes.embeddings)
        least = px(UNFOLDED_LAYER + (sizes.layers - 1) * FOLDED_LAYER)  # for one layer that can be seen into
        self.is_tight = last - (left + px(count * (strip + between) + 34 - between)) < least
        if self.is_tight:
            between = BETWEEN
        step = px(strip + between)
        places = enumerate(sizes.embeddings)
        self.embeddings = {name: QRectF(left + i * step, self.top, px(strip), height) for i, name in places}
        first = left + count * step + px(34 - between)
        self.layer_zone = QRectF(first, self.top, max(last - first, px(60)), height)
        self.answers = QRectF(last + px(26), px(MARGIN), px(answer), sizes.height - px(2 * MARGIN))
        self.columns_per_strip = max(int(strip / 4), 3)

    def _lay_out_layers(self) -> None:
        """All layers open where there is room for it; else one, and the others folded."""
        px, zone, count = self.px, self.layer_zone, self.sizes.layers
        is_narrow = zone.width() / count < px(OPEN_LAYER)
        self.is_folded = is_narrow and count > 1 and not self.sizes.is_bare
        folded = opened = zone.width() / count
        if self.is_folded:
            folded = max((zone.width() - px(UNFOLDED_LAYER)) / (count - 1), min(FOLDED_LAYER, folded))
            opened = zone.width() - (count - 1) * folded
        chosen, x = min(max(self.sizes.open_layer, 0), count - 1), zone.left()
        self.layers: list[Layer] = []
        for i in range(count):
            width = opened if i == chosen else folded
            is_open = not is_narrow or (self.is_folded and i == chosen and width >= px(OPEN_LAYER))
            gap = px(5) if is_open else min(px(1.5), width * 0.1)
            heads = QRectF(x + gap, self.heads_top, width - 2 * gap, self.heads_height)
            below = self.feed_forward_bottom - self.feed_forward_top
            feed_forward = QRectF(heads.left(), self.feed_forward_top, heads.width(), below)
            self.layers.append(Layer(i, x, width, is_open, heads, feed_forward))
            x += width

    def _place_parts(self) -> None:
        px, parts = self.px, self.parts
        for layer in self.layers:
            for head, cell in enumerate(cells_in(layer.heads, self.sizes.heads, px(3) if layer.is_open else 1.0)):
                parts[MapPart("head", layer.number, head)] = cell
        for layer in self.layers:
            parts[MapPart("feed_forward", layer.number)] = layer.feed_forward
            top = parts[MapPart("head", layer.number, 0)].top() - self.titles
            line = self.titles / 2 if self.sizes.is_bare else self.titles
            parts[MapPart("layer", layer.number)] = QRectF(layer.left, top, layer.width, line - px(1))
            above, below = (layer.heads.bottom() + self.top) / 2 + px(2), (self.bottom + self.feed_forward_top) / 2
            sums = zip(("attention_sum", "feed_forward_sum"), layer.sums_x, (above, below), strict=True)
            for kind, x, y in sums if layer.is_open else ():
                parts[MapPart(kind, layer.number)] = QRectF(x - px(7.5), y - px(7.5), px(15), px(15))
        end, zone = self.embeddings["sum"].right(), self.layer_zone.left()
        columns = [("token", -1, -1, "", self.tokens)]  # kind, layer, stage, name, where
        if self.has_words:
            columns.append(("word", -1, -1, "", self.words.adjusted(0, 0, px(14), 0)))
        columns += [("embedding", -1, -1, name, strip) for name, strip in self.embeddings.items()]
        columns.append(("state", -1, 0, "", QRectF(end, 0, zone - end, 0)))
        columns += [("state", i, i + 1, "", QRectF(one.left, 0, one.width, 0)) for i, one in enumerate(self.layers)]
        for position, number in self.row_of.items():
            y = self.top + number * self.row_height
            for kind, at, stage, name, column in columns:
                box = QRectF(column.left(), y, column.width(), self.row_height)
                parts[MapPart(kind, at, position=position, stage=stage, name=name)] = box
        if not self.has_sections:
            return
        half = self.layer_zone.center().x()
        sides = {
            "cut": (self.words.left(), self.tokens.right()),
            "add": (next(iter(self.embeddings.values())).left() - px(4), end),
            "look": (self.layer_zone.left(), half - px(8)),
            "think": (half + px(8), self.layer_zone.right()),
            "answer": (self.answers.left(), self.answers.right()),
        }
        top = self.sizes.height - px(SECTIONS + 4)
        for name, (left, right) in sides.items():
            parts[MapPart("section", name=name)] = QRectF(left, top, right - left, px(SECTIONS))


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
