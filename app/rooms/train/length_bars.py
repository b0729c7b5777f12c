"""How long the examples of a file are in tokens, with a line where they are cut."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertcore.training.data_facts import Lengths

from ...look import numbers, theme
from ...look.say import say

HEIGHT_PX, AXIS_PX, WIDTH_PX = 96, 18, 200


class LengthBars(QWidget):
    """A histogram: bars of what is read whole in one colour, of what is longer in another."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths: Lengths | None = None
        self.setAccessibleName(say("Lengths in tokens"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lengths(self, lengths: Lengths | None) -> None:
        self.lengths = lengths
        if lengths is not None:
            text = say("up to {longest} tokens; {longer} of {counted} longer than {limit}")
            self.setAccessibleDescription(
                text.format(
                    longest=numbers.count(lengths.longest),
                    longer=numbers.count(lengths.longer),
                    counted=numbers.count(lengths.counted),
                    limit=numbers.count(lengths.cut_at),
                )
            )
        self.update()

    def x_of(self, tokens: float) -> float:
        """Where a length is in the picture."""
        assert self.lengths is not None
        return self.width() * tokens / (len(self.lengths.counts) * self.lengths.bin_tokens)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(WIDTH_PX), theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(WIDTH_PX) // 2, theme.px(HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        lengths = self.lengths
        if lengths is None:
            return
        painter = theme.painter(self)
        floor = self.height() - theme.px(AXIS_PX)
        highest = max(lengths.counts, default=0) or 1
        painter.setPen(Qt.PenStyle.NoPen)
        for number, count in enumerate(lengths.counts):
            left, right = (self.x_of(at * lengths.bin_tokens) for at in (number, number + 1))
            height = max(floor * count / highest, 1.5 if count else 0.0)
            is_longer = number * lengths.bin_tokens >= lengths.cut_at
            painter.setBrush(theme.color("bad" if is_longer else "bar_strong"))
            painter.drawRect(QRectF(left, floor - height, max(right - left - 1, 1), height))
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(0, floor, self.width(), floor)
        cut = self.x_of(lengths.cut_at)
        painter.setPen(QPen(theme.color("ink"), theme.stroke(1.5), Qt.PenStyle.DashLine))
        painter.drawLine(round(cut), 0, round(cut), floor)
        below = QRectF(0, floor, self.width(), theme.px(AXIS_PX))
        theme.draw_text(painter, below, "1", "muted", 11)
        shown = len(lengths.counts) * lengths.bin_tokens
        end = numbers.count(max(shown, lengths.longest))
        room = theme.px(60)
        if cut < self.width() - room:
            theme.draw_text(painter, below, end, "muted", 11, align=theme.RIGHT)
        at = QRectF(min(max(cut - room, 0), self.width() - 2 * room), floor, 2 * room, theme.px(AXIS_PX))
        middle = Qt.AlignmentFlag.AlignCenter if cut < self.width() - room else theme.RIGHT
        theme.draw_text(painter, at, say("cut at {limit}", limit=lengths.cut_at), "ink", 11, align=middle)
