"""The tokens as the model reads them: a chip each, coloured by segment, with position and id; what is said of them.

In projector mode a chip is one line: the picture below needs the height, and position and id are in the tool tip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget

from bertcore.analysis.align import align
from bertcore.errors import shortened

from ..look import numbers, say, theme
from ..look.fitting import MOST_RUN, plain_tip
from ..look.say import isolated
from ..state import OtherText
from ..state.baseline_names import beside
from ..state.explore_state import ExploreState
from ..state.token_units import KINDS
from .charts.drawing import Box
from .charts.pointer import ARROWS
from .wrapped import WrappedBoxes

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding

CHIP_HEIGHT_PX, SHORT_CHIP_PX = 38, 24
GAP_PX, SHORT_GAP_PX = 5, 2.5
PADDING_PX, SHORT_PADDING_PX = 8, 4
MOST_LINES, SHORT_MOST_LINES = 3, 2
MOST_WIDTHS = 20_000
MOST_PICTURES = 1_500  # of chips, a few KiB each


@dataclass(frozen=True)
class Chip:
    """One token as the strip shows it."""

    token: str
    token_id: int
    segment: int
    kind: str  # "special" | "segment_a" | "segment_b" | "mask": names of the theme's colours
    hint: Callable[[], str]  # for the tool tip
    is_unknown: bool = False
    below: str = ""  # in the place of position and id: of another text


class ChipField(WrappedBoxes):
    """Chips, laid out in lines."""

    laid_out = Signal()  # its height may be another
    moved = Signal(int)  # the keyboard's arrows: -1 or +1
    gap_px = line_gap_px = float(GAP_PX)

    def __init__(self) -> None:
        is_short = theme.is_projector()
        chip_px = SHORT_CHIP_PX if is_short else CHIP_HEIGHT_PX
        super().__init__(say("Tokens"), chip_px, Qt.FocusPolicy.StrongFocus)
        self.is_short, self.chip_px, self.gap_px = is_short, chip_px, SHORT_GAP_PX if is_short else GAP_PX
        self.chips: list[Chip] = []
        self._pictures: dict[tuple[object, ...], QPixmap] = {}
        self._current: int | None = None
        self._locked: int | None = None

    def set_chips(self, chips: list[Chip]) -> None:
        self.chips = chips
        self.setAccessibleDescription(" ".join(chip.token for chip in chips[:100]))
        self.lay_out()

    def set_selection(self, current: int | None, locked: int | None) -> None:
        self._current, self._locked = current, locked
        self.update()

    def lay_out(self) -> None:
        super().lay_out()
        self.laid_out.emit()

    def box_widths(self) -> list[float]:
        widths, padding = list[float](), 2 * theme.px(SHORT_PADDING_PX if self.is_short else PADDING_PX)
        for position, chip in enumerate(self.chips):
            below = 0 if self.is_short else _width(_below(position, chip), theme.type_px(10.5), is_medium=False)
            widths.append(max(_width(chip.token, theme.type_px(13), is_medium=True), below) + padding)
        return widths

    def _picture(self, position: int) -> QPixmap:
        """Of a chip; most of them come again with the next keystroke, and their text takes long to draw."""
        chip, size = self.chips[position], self.boxes[position].size().toSize()
        outline = None if position != self._current else "locked" if position == self._locked else "hovered"
        drawn = (chip.token, _below(position, chip), chip.kind, chip.is_unknown, outline, size.width())
        key = (*drawn, theme.active().name, theme.scale(), self.devicePixelRatioF())
        kept = self._pictures.get(key)
        if kept is None:
            if len(self._pictures) > MOST_PICTURES:
                self._pictures.clear()
            kept = QPixmap(size * self.devicePixelRatioF())
            kept.setDevicePixelRatio(self.devicePixelRatioF())
            kept.fill(Qt.GlobalColor.transparent)
            with theme.painter(kept) as painter:
                self._paint_chip(painter, position, QRect(QPoint(0, 0), size))
            self._pictures[key] = kept  # last: what failed is painted again
        return kept

    def _paint_chip(self, painter: QPainter, position: int, rect: QRect) -> None:
        chip, box, middle = self.chips[position], QRectF(rect), Qt.AlignmentFlag.AlignCenter
        Box(box, f"{chip.kind}_tint", radius_px=theme.px(6)).paint(painter)
        if position == self._current:
            width = theme.stroke(theme.px(2) if position == self._locked else 1.2)
            Box(box.adjusted(1, 1, -1, -1), "", chip.kind, width, theme.px(5)).paint(painter)
        font = theme.font(13, medium=True, bold=chip.kind == "mask")
        font.setUnderline(chip.is_unknown)
        painter.setFont(font)
        painter.setPen(theme.color(chip.kind))
        painter.drawText(box if self.is_short else box.adjusted(0, theme.px(3), 0, -theme.px(15)), middle, chip.token)
        if not self.is_short:
            bottom = box.adjusted(0, theme.px(20), 0, -theme.px(2))
            theme.draw_text(painter, bottom, _below(position, chip), "muted", 10.5, align=middle)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = self.cell_at(QPointF(event.pos()))
            if position is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), plain_tip(self.chips[position].hint()), self)
            return True
        return super().event(event)

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        painter.drawPixmap(box.topLeft(), self._picture(number))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        _, right = ARROWS.get(event.key(), (0, 0))
        if right:
            self.moved.emit(right)
        else:
            super().keyPressEvent(event)


class TokenStrip(QScrollArea):
    """The chip field, at most three lines high; the rest is reached by scrolling."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._locked: int | None = None
        self.field = ChipField()
        self.setWidget(self.field)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.field.laid_out.connect(self._fit)
        self._fit()

    def set_chips(self, chips: list[Chip]) -> None:
        self.field.set_chips(chips)

    def set_selection(self, current: int | None, locked: int | None) -> None:
        """Scrolls to a token when it is locked, and not again: the mouse over others would take a person back to it."""
        self.field.set_selection(current, locked)
        was, self._locked = self._locked, locked
        if locked is not None and locked != was:
            rect = self.field.rect_of(locked)
            x, y, margin = rect.center().x(), rect.center().y(), theme.px(self.field.chip_px) // 2 + 1
            self.ensureVisible(round(x), round(y), 0, margin)

    def _fit(self) -> None:
        lines, height = SHORT_MOST_LINES if self.field.is_short else MOST_LINES, theme.px(self.field.chip_px)
        most = lines * height + (lines - 1) * theme.px(GAP_PX)
        self.setFixedHeight(min(max(self.field.height(), height), most))

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())


def _below(position: int, chip: Chip) -> str:
    return chip.below or f"{position} · {chip.token_id}"


@lru_cache(MOST_WIDTHS)
def _width(text: str, size_px: int, *, is_medium: bool) -> int:
    """Of a text; measured once, since most of it comes again with the next keystroke."""
    font = theme.font(medium=is_medium)
    font.setPixelSize(size_px)
    return QFontMetrics(font).horizontalAdvance(text)


MOST_UNKNOWN_NAMED = 5
NOTHING: Mapping[int, str] = MappingProxyType({})


def chips_of(state: ExploreState, below: Mapping[int, str] = NOTHING) -> list[Chip]:
    """One chip for each token of the encoding, masks as the model reads them. below: `words_below` the tokens."""
    encoding = state.encoding
    if encoding is None:
        return []
    masked, ids, unknown, mask = set(state.all_masked), state.input_ids, set(encoding.unknown), state.mask_token
    return [
        Chip(
            token=mask if i in masked else token,
            token_id=ids[i],
            segment=encoding.segments[i],
            kind="mask" if i in masked else KINDS[encoding.parts[i]],
            hint=partial(hint_about, state, i),
            is_unknown=i in unknown,
            below=below.get(i, ""),
        )
        for i, token in enumerate(encoding.labels)
    ]


def words_below(state: ExploreState) -> dict[int, str]:
    """Position -> what is said of the other text below the token: what it is compared with, or what is swapped in."""
    swap = state.what_if.swap
    if swap is None:
        return {position: beside(token, earlier=False) for position, token in replaced_tokens(state).items()}
    if swap.part == "head" or not swap.token:
        return {}
    return {swap.place: say("{token} swapped in", token=swap.token)}


def replaced_tokens(state: ExploreState) -> dict[int, str]:
    """Position -> the token of the other text that it is compared with, where that is another."""
    newest, ours = state.newest_reading, state.encoding
    if not isinstance(state.baseline, OtherText) or newest is None or newest.other_text is None or ours is None:
        return {}
    if newest.request.baseline != state.baseline:
        return {}
    theirs, is_aligned = newest.other_text.encoding, newest.encoding is ours and newest.baseline is newest.other_text
    alignment = newest.alignment if is_aligned else None
    pairs = (alignment or align(ours, theirs)).pairs
    return {i: theirs.labels[j] for i, j in pairs if ours.labels[i] != theirs.labels[j]}


def hint_about(state: ExploreState, position: int) -> str:
    """What a chip's tool tip says."""
    encoding = state.encoding
    if encoding is None or position >= len(encoding):
        return ""
    token = isolated(encoding.labels[position])
    parts = [
        state.mask_token if position in state.all_masked else token,
        say("position {position}", position=position),
        say("number {id} in the vocabulary", id=numbers.count(state.input_ids[position])),
        part_name(encoding, position, state.has_segments),
    ]
    if encoding.labels[position].startswith("##"):
        parts.append(say("##: it continues the word before it"))
    if position in state.masked:
        parts.append(say("masked; it was {token}", token=token))
    elif position in encoding.unknown:
        parts.append(say("the vocabulary has no token for “{text}”", text=typed(state, position)))
    return " · ".join(part for part in parts if part)


def part_name(encoding: Encoding, position: int, has_segments: bool) -> str:
    """ "segment A"; for a model without segments "sentence A", and nothing for special tokens."""
    if has_segments:
        return segment_name(encoding.segments[position])
    part = encoding.parts[position]
    if part == "special":
        return ""
    return say("sentence {letter}", letter=part.upper())


def segment_name(segment: int) -> str:
    """ "segment A"."""
    return say("segment {letter}", letter="AB"[min(segment, 1)])


def note_about(state: ExploreState) -> str:
    """What was dropped, and which words the vocabulary lacks; empty when there is nothing to say."""
    encoding = state.encoding
    if encoding is None:
        return ""
    notes = []
    if encoding.dropped:
        most = numbers.count(state.max_positions)
        notes.append(
            say("%Ln token(s) (was|were) dropped: the model reads at most {most}.", n=encoding.dropped, most=most)
        )
    if encoding.unknown:
        shown = encoding.unknown[:MOST_UNKNOWN_NAMED]
        words = ", ".join(say("“{text}” at {position}", text=typed(state, i), position=i) for i in shown)
        token, rest = encoding.labels[encoding.unknown[0]], len(encoding.unknown) - len(shown)
        if rest:
            text = say("Not in the vocabulary, read as {token}: {words} and %n more.", n=rest, token=token, words=words)
        else:
            text = say("Not in the vocabulary, read as {token}: {words}.", token=token, words=words)
        notes.append(text)
    return "   ".join(notes)


def typed(state: ExploreState, position: int) -> str:
    """The characters of the text that a token stands for, as many as can be shown."""
    if state.encoding is None:
        return ""
    start, end = state.encoding.offsets[position]
    text = state.text_b if state.encoding.parts[position] == "b" else state.text_a
    return isolated(shortened(text[start:end], MOST_RUN))
