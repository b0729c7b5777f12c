"""View "Padding and truncation": a text, or two as a batch, at a length, and what the attention mask does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QLayout

from ...compute.padding import LONGEST, PaddedText, pad_texts
from ...compute.question import Job
from ...figures.script import masked_texts
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...look.say import quoted
from ...state import Reading, Selection
from ...state.token_units import KINDS
from ...widgets.card import button, label, show_text
from ...widgets.charts.cells import LabelledGrid
from ...widgets.charts.drawing import Box
from ...widgets.controls import Choice
from ...widgets.layouts import fill
from ...widgets.wrapped import WrappedBoxes
from ..pictures import Cells, Picture
from ..values_view import ValuesView

LENGTHS = (5, 10, 16, 32, 64, 128)
TILE_PX, PADDING_PX, LINE_PX = 80, 8, 18
CENTER = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True)
class Tile:
    """One token at its place."""

    token: str
    kind: str  # the theme's colour name
    lines: tuple[str, ...] = ()  # its id; segment and position
    mask: int | None = None  # None: it was cut off
    position: int = -1  # in the reading on show; -1: it is not there


class PaddedTokens(WrappedBoxes):
    """Token, id, segment and position, attention mask, from top to bottom; what was cut off is struck through."""

    arrows_click = grows = True
    gap_px, line_gap_px, least_width_px = 4.0, 8.0, 200

    def __init__(self, name: str) -> None:
        super().__init__(name, TILE_PX)
        self.tiles: list[Tile] = []
        self.second = 0  # where the second text of a batch begins: on a line of its own

    def begins_line(self, number: int) -> bool:
        return number == self.second

    def box_widths(self) -> list[float]:
        large, small = (QFontMetrics(self.sized_font(size, medium=True)).horizontalAdvance for size in (13, 11.5))
        return [max(large(one.token), *map(small, one.lines), 0) + 2 * self.px(PADDING_PX) for one in self.tiles]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        tile, rect, is_cut = self.tiles[number], box.adjusted(1, 1, -1, -1), self.tiles[number].mask is None
        edge = "muted" if is_cut else "ink" if number == self._selected else ""
        Box(rect, "" if is_cut else f"{tile.kind}_tint", edge, 1.4, self.px(5), dashed=is_cut).paint(painter)
        font, place = self.sized_font(13, medium=True), QRectF(rect.x(), rect.y() + 2, rect.width(), self.px(LINE_PX))
        font.setStrikeOut(is_cut)
        for text, color in ((tile.token, "muted" if is_cut else tile.kind), *((text, "ink") for text in tile.lines)):
            painter.setFont(font)
            painter.setPen(theme.color(color))
            painter.drawText(place, CENTER, text)
            font, place = self.sized_font(11.5), place.translated(0, place.height())
        if tile.mask is not None:
            pill = place.adjusted(self.px(5), 1, -self.px(5), 1)
            fill, line, ink = ("accent", "accent", "on_accent") if tile.mask else ("card", "line", "ink")
            Box(pill, fill, line, 1, self.px(4)).paint(painter)
            painter.setPen(theme.color(ink))
            painter.drawText(pill, CENTER, str(tile.mask))


@dataclass(frozen=True, kw_only=True)
class PaddedPicture(Picture):
    """The array is the attention mask, NaN for what was cut off; `detail` has the tiles, and where text 2 begins."""

    chart: Callable[..., PaddedTokens] = PaddedTokens

    def show(self, chart: PaddedTokens, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        chart.tiles, chart.second = values.detail["tiles"], values.detail["second"]
        chart.setAccessibleDescription(", ".join(f"{tile.token} {tile.mask or 0}" for tile in chart.tiles[:100]))
        chart.lay_out()
        return values

    def select(self, chart: PaddedTokens, row: int | None, column: int | None) -> None:
        chart.select(row)


class PaddingView(ValuesView):
    """The tokens on the left, who looks at whom on the right."""

    pictures = (
        PaddedPicture(
            key="tokens",
            title=mark("Cut or padded to one length"),
            name=mark("Tokens set to a length, with their attention mask"),
            saved_as="attention mask",
            hovered=mark("{row}: attention mask {value}"),
            write=numbers.number,
            python="{view.masks_python}",
            is_compared=False,
            asks="padded",
            least_px=170,
        ),
        Cells(
            key="attention",
            title=mark("Which token looks at which"),
            name=mark("Mean attention of all heads: rows are the tokens that look, columns what they look at"),
            python="m.trace({view.trace_python}).attentions.mean((0, 1))",
            hovered=mark("{row} looks at {column}: {value}"),
            number="attention",
            chart=partial(LabelledGrid, square=True, tilted=True, zooms=True),
            is_compared=False,
            asks="padded",
            folds=True,
        ),
    )
    # Of the first example one text is cut and the other padded. Length 0: that of the longer text.
    length, is_batch = 10, True

    def lay_out(self) -> QLayout:
        longest = say("as long as the longer text (at most {count})", count=LONGEST)
        lengths = {**{length: say("%n token(s)", n=length) for length in LENGTHS}, 0: longest}
        texts = {False: say("A and B as one input"), True: say("A and B as a batch of two")}
        self.lengths = Choice(say("Length of the input"), lengths, self._on_chosen)
        self.batch = Choice(say("What is padded"), texts, self._on_chosen)
        hint = say("Off: the model takes [PAD] for a word")
        self.uses_mask = button(say("Attention mask"), self._on_chosen, look="small", hint=hint, checkable=True)
        self.uses_mask.setChecked(True)
        self.table, self.effect = label("", "muted", wrap=True), label("", wrap=True)
        self.cards["tokens"].add_to_header(self.lengths, self.batch)
        self.cards["attention"].add_to_header(self.uses_mask)
        fill(self.cards["tokens"].body, self.table)
        fill(self.cards["attention"].body, self.effect)
        self.restore((self.length, self.is_batch))
        return super().lay_out()

    def restore(self, kept: Any) -> None:
        """kept: the length, 0 for that of the longer text; whether A and B are two texts."""
        self.length, self.is_batch = kept
        self.lengths.setCurrentIndex(self.lengths.findData(self.length))
        self.batch.setCurrentIndex(self.batch.findData(self.is_batch))

    def show_batch(self) -> None:
        """A and B as two texts, the shorter one padded to the longer."""
        self.restore((0, True))
        self._on_chosen()

    def _on_chosen(self) -> None:
        self.length, self.is_batch = self.lengths.currentData(), self.batch.currentData()
        self.kept_changed.emit((self.length, self.is_batch))
        self.redraw()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job:
        a, b = masked_texts(reading)
        texts = ((a, None), (b, None)) if b and self.is_batch else ((a, b),)
        return Job(pad_texts, (texts, self.length), (reading.request.model,), is_quick=len(reading.encoding) < LONGEST)

    @property
    def texts(self) -> list[PaddedText]:
        answer: list[PaddedText] | None = self.answer_of("padded", self.reading)
        return answer or []

    @property
    def padded(self) -> PaddedText:
        """The one whose attention is shown: of a batch, that with more padding."""
        return max(self.texts, key=lambda text: text.encoding.padding)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        if not self.texts:
            return None
        each, units = [list(tiles_of(text, reading, n)) for n, text in enumerate(self.texts)], selection.units(reading)
        if key == "attention":
            shown = [tile for tile in each[self.texts.index(self.padded)] if tile.mask is not None]
        else:
            shown = [tile for tiles in each for tile in tiles]
        colors, positions = [tile.kind for tile in shown], [tile.position for tile in shown]
        side = Side("token", [tile.token for tile in shown], colors, positions, units)
        if key == "attention":
            intro = say("Row: the token that looks. Column: what it looks at. Mean of all heads in all layers.")
            hint = say("of “{text}”", text=self.padded.encoding.text_a) if len(self.texts) > 1 else ""
            weights = self.padded.attentions[not self.uses_mask.isChecked()]
            return Values(weights, side, side, low=0.0, intro=intro, hint=hint)
        masks = np.array([np.nan if tile.mask is None else float(tile.mask) for tile in shown])
        lines = say("On each: token, id, segment and position, attention mask (1: a token, 0: padding).")
        are_two = len(self.texts) > 1 and reading.request.model.has_segments
        own = [say("Each is a text of its own, so both are segment A.")] if are_two else []
        intro = " ".join([*(facts(text) for text in self.texts), *own, lines])
        return Values(masks, side, detail={"tiles": shown, "second": len(each[0])}, intro=intro)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        if self.texts:
            is_alone = self.is_batch and len(self.texts) == 1
            second = say("Type a second text into B for a batch of two.") if is_alone else ""
            wanted = row_of_padding(self.padded) or second
            show_text(self.table, wanted)
            self.effect.setText(effect_of(self.padded, uses_mask=self.uses_mask.isChecked()))

    # What the scripts of its pictures say.

    def script(self, key: str, title: str) -> str:
        """Not of a text that was cut, beside whose tokens those are shown that are gone."""
        return super().script(key, title) if np.isfinite(self.shown[key].array).all() else ""

    @property
    def masks_python(self) -> str:
        return " + ".join(f"m.encode({arguments(text)}, pad=True).attention_mask" for text in self.texts)

    @property
    def trace_python(self) -> str:
        return f"{arguments(self.padded)}, mask={self.uses_mask.isChecked()}"


def arguments(text: PaddedText) -> str:
    """What is padded, and to which length, in Python."""
    return f"{text.encoding.text_a!r}, {text.encoding.text_b!r}, length={len(text.encoding)}"


def tiles_of(text: PaddedText, reading: Reading, number: int) -> Iterator[Tile]:
    """Of each place, then of the tokens that were cut off: A's, then B's. number: 1 is the second text of a batch."""
    encoding, whole, has_segments = text.encoding, text.whole, reading.request.model.has_segments
    names = {"special": "special", "a": "b" if number else "a", "b": "b"}  # here -> in the reading
    kinds = {part: KINDS[name] for part, name in names.items()}
    positions = {part: (i for i, own in enumerate(reading.encoding.parts) if own == names[part]) for part in names}
    columns = zip(
        encoding.labels, encoding.parts, encoding.ids, encoding.segments, encoding.attention_mask, strict=True
    )
    for at, (token, part, token_id, segment, mask) in enumerate(columns):
        lines = str(token_id), f"{'AB'[min(segment, 1)]} · {at}" if has_segments else str(at)
        yield Tile(token, kinds[part], lines, mask, -1 if part == "special" else next(positions[part], -1))
    for part in ("a", "b"):
        tokens = [token for token, own in zip(whole.labels, whole.parts, strict=True) if own == part]
        for token in tokens[encoding.parts.count(part) :]:
            yield Tile(token, kinds[part], position=next(positions[part], -1))


def facts(text: PaddedText) -> str:
    """How many tokens there are, and how many were cut off or filled up."""
    cut, padding = text.encoding.dropped, text.encoding.padding
    tokens = say("%n token(s)", n=len(text.encoding) - padding)
    if cut:
        one = mark("{tokens} fit. {count} more are cut off at the end (struck through).")
        both = mark(
            "{tokens} fit. {count} more are cut off (struck through), each from the end of the longer sentence."
        )
        return say(both if "b" in text.whole.parts else one, tokens=tokens, count=cut)
    return say("{tokens} and {count} [PAD].", tokens=tokens, count=padding)


def row_of_padding(text: PaddedText) -> str:
    """What stands in the token table for [PAD]; of a text that has some."""
    if not (text.encoding.padding and numbers.is_technical()):
        return ""
    return say(
        "The vector of [PAD] in the token table has the norm {length} here (the median of all is {usual}). In many "
        "models it is all zeros.",
        length=numbers.decimal(text.pad_norm),
        usual=numbers.decimal(text.usual_norm),
    )


def effect_of(text: PaddedText, *, uses_mask: bool) -> str:
    """What the mask does, or what its absence does."""
    if not text.encoding.padding:
        return say("Nothing is padded here, so the attention mask hides nothing. Choose a greater length.")
    if uses_mask:
        return say(
            "The columns of [PAD] are empty: no token looks at padding. The rows of [PAD] are computed, but no token "
            "uses them. Switch the attention mask off to see what it prevents."
        )
    share, moved = numbers.percent(text.to_padding), numbers.percent(text.moved)
    effect = say(
        "Without the attention mask the tokens give {share} of their attention to [PAD], and their last hidden states "
        "move by {moved} of their norm.",
        share=share,
        moved=moved,
    )
    if not text.words:
        return effect
    masked, without = (f"{quoted(word.token)} {numbers.probability(word.probability)}" for word in text.words)
    best = say(
        "Best guess for [MASK]: {masked} with the attention mask, {without} without.", masked=masked, without=without
    )
    return f"{effect} {best}"
