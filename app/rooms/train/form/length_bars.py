"""How long the examples of a file are in tokens, with a line where they are cut."""

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtWidgets import QSizePolicy

from bertcore.training.data_facts import Lengths

from ....look import numbers, theme
from ....look.say import say
from ....widgets.charts.drawing import Box, Drawing, Line, Shape, Words

HEIGHT_PX, AXIS_PX, WIDTH_PX, LABEL_PX = 96, 18, 200, 60


class LengthBars(Drawing):
    """A histogram: bars of what is read whole in one colour, of what is longer in another."""

    def __init__(self) -> None:
        super().__init__(say("Lengths in tokens"))
        self.lengths: Lengths | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lengths(self, lengths: Lengths) -> None:
        self.lengths = lengths
        counts: dict[str, Any] = {
            name: numbers.count(getattr(lengths, name)) for name in ("longest", "longer", "counted")
        }
        limit = numbers.count(lengths.cut_at)
        self.setAccessibleDescription(
            say("up to {longest} tokens; {longer} of {counted} longer than {limit}", limit=limit, **counts)
        )
        self.redraw()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(WIDTH_PX), theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(WIDTH_PX) // 2, theme.px(HEIGHT_PX))

    def shapes(self) -> Iterator[Shape]:
        lengths = self.lengths
        if lengths is None:
            return
        shown, highest = len(lengths.counts) * lengths.bin_tokens, max(lengths.counts, default=0) or 1
        width, axis, room = self.width(), theme.px(AXIS_PX), theme.px(LABEL_PX)
        floor, cut = self.height() - axis, width * lengths.cut_at / shown
        bar = width / len(lengths.counts)
        for number, count in enumerate(lengths.counts):
            height = max(floor * count / highest, 1.5 if count else 0.0)
            is_longer = number * lengths.bin_tokens >= lengths.cut_at
            yield Box(
                QRectF(number * bar, floor - height, max(bar - 1, 1), height), "bad" if is_longer else "bar_strong"
            )
        yield Line(QPointF(0, floor), QPointF(width, floor))
        yield Line(QPointF(cut, 0), QPointF(cut, floor), "ink", theme.stroke(1.5), dashed=True)
        below = QRectF(0, floor, width, axis)
        yield Words(below, "1", "muted", 11)
        has_end = cut < width - room
        if has_end:
            yield Words(below, numbers.count(max(shown, lengths.longest)), "muted", 11, align=theme.RIGHT)
        at = QRectF(min(max(cut - room, 0), width - 2 * room), floor, 2 * room, axis)
        align = Qt.AlignmentFlag.AlignCenter if has_end else theme.RIGHT
        yield Words(at, say("cut at {limit}", limit=lengths.cut_at), "ink", 11, align=align)
