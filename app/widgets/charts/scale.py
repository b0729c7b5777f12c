"""A number on its scale: a bar that begins at zero, or a line with a handle on it and words at both ends."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, say, theme
from .drawing import Box, Drawing, Line, Shape, Words

BAR_PX, LINE_PX, HANDLE_PX, MARGIN_PX = 12, 6, 9, 12


class NumberScale(Drawing):
    """The line. Without words the ends are written as numbers."""

    hint_px = (240, 48)
    thick_px, margin_px = LINE_PX, MARGIN_PX  # of the line, and beside it
    middle_px = 14  # from the top

    def __init__(self, low_word: str = "", high_word: str = "") -> None:
        super().__init__("")
        self.value, self.color = 0.0, "bar_strong"
        self._low, self._high = 0.0, 1.0
        self._words = (low_word, high_word)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_value(self, value: float, low: float, high: float) -> None:
        self.value, self._low, self._high = value, low, high
        ends = numbers.decimal(value), numbers.number(low), numbers.number(high)
        name = say("{value} on a scale from {low} to {high}", value=ends[0], low=ends[1], high=ends[2])
        self.setAccessibleName(name)
        self.redraw()

    def x_of(self, value: float) -> float:
        """Where a value stands, in this widget's pixels; beyond the ends, at the end."""
        margin, share = theme.px(self.margin_px), (value - self._low) / (self._high - self._low)
        return margin + (self.width() - 2 * margin) * min(max(share, 0.0), 1.0)

    def shapes(self) -> Iterator[Shape]:
        zero = self.x_of(0.0 if self._low <= 0 <= self._high else self._low)
        track = self.x_of(self._low), self.x_of(self._high)
        for color, start, end in (("track", *track), (self.color, zero, self.x_of(self.value))):
            bar = self.bar_rect(start, end)
            yield Box(bar, color, radius_px=bar.height() / 2)
        yield from self.shapes_over(zero)

    def bar_rect(self, start: float, end: float) -> QRectF:
        """With its round ends, which reach beyond the two places."""
        thick = theme.px(self.thick_px)
        left = min(start, end) - thick / 2
        return QRectF(left, theme.px(self.middle_px) - thick / 2, abs(end - start) + thick, thick)

    def shapes_over(self, zero: float) -> Iterator[Shape]:
        """The handle, and the words below."""
        radius, at = theme.px(HANDLE_PX), QPointF(self.x_of(self.value), theme.px(self.middle_px))
        handle = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
        yield Box(handle, "accent", "card", theme.px(2), radius)
        left, right, (low, high) = self.x_of(self._low), self.x_of(self._high), self._words
        line = QRectF(left - theme.px(8), theme.px(26), right - left + theme.px(16), theme.px(20))
        top = Qt.AlignmentFlag.AlignTop
        yield Words(line, low or numbers.number(self._low), "muted", 11.5, align=top | Qt.AlignmentFlag.AlignLeft)
        yield Words(line, high or numbers.number(self._high), "muted", 11.5, align=top | Qt.AlignmentFlag.AlignRight)
        if left < zero < right:
            around = QRectF(zero - theme.px(20), line.y(), theme.px(40), line.height())
            yield Words(around, "0", "muted", 11.5, align=top | Qt.AlignmentFlag.AlignHCenter)


class ShareBar(NumberScale):
    """A share 0..1 as a bar."""

    hint_px, margin_px = (200, 14), 0

    def __init__(self) -> None:
        super().__init__()
        self.baseline: float | None = None

    def set_share(self, share: float, name: str, color: str, baseline: float | None = None) -> None:
        """name: what the bar shows, for screen readers. color: a name in the theme. baseline: its share, as a line
        across the bar."""
        self.value, self.color, self.baseline = share, color, baseline
        self.setAccessibleName(f"{name}: {numbers.percent(share)}")
        self.redraw()

    def bar_rect(self, start: float, end: float) -> QRectF:
        height = self.height() - 2.0
        return QRectF(start, 1.0, max(end - start, height), height)

    def shapes_over(self, zero: float) -> Iterator[Shape]:
        if self.baseline is not None:
            at = min(max(self.x_of(self.baseline), 1.0), self.width() - 1.0)
            yield Line(QPointF(at, 0), QPointF(at, self.height() - 1.0), "ink", theme.stroke(2))
