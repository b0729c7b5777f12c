"""What of the map changes under the pointer: the followed line with its guesses, the answer, frames, the bubble."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from ...look import numbers, theme
from ...look.say import say
from ...state.baseline_names import beside
from .base_picture import CENTER, WRAPPED, curve_between, draw_wrapped
from .content import Answer, Caption
from .plan import MapPart, Plan

BUBBLE_PX = 270


class Overlay:
    """What is drawn on top of the picture of the model: the answer, the selected head, the part that is pointed at."""

    def __init__(
        self,
        painter: QPainter,
        plan: Plan,
        answer: Answer,
        head: tuple[int, int],
        hovered: MapPart | None,
        describe: Callable[[MapPart], Caption],
        is_compared: bool = False,
    ) -> None:
        """head: the selected one. describe: the words beside the part that is pointed at. is_compared: lines show how
        far they are from a baseline's."""
        self._is_compared = is_compared
        self._painter, self._plan, self._answer = painter, plan, answer
        self._head, self._hovered, self._describe = head, hovered, describe

    def paint(self) -> None:
        self._paint_line()
        self._paint_answer()
        self._paint_pointer()

    def _paint_line(self) -> None:
        painter, plan = self._painter, self._plan
        answer, px = self._answer, plan.px
        y, color = plan.line_y(answer.position), theme.color(answer.color)
        end = QPointF(plan.answer_box.left() - px(6), plan.answer_box.top() + px(12))
        painter.setPen(QPen(color, px(1.2 if self._is_compared else 2.4)))  # what is below it is to be seen
        painter.drawLine(QLineF(plan.embeddings["sum"].right(), y, plan.layer_zone.right(), y))
        painter.setPen(QPen(color, px(1.6)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(curve_between(QPointF(plan.layer_zone.right(), y), end))
        if not answer.guesses:
            return
        font = theme.font(min(max(plan.row_height / plan.sizes.scale * 0.58, 10.5), 12.5), medium=True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        placed: list[QRectF] = []
        befores: list[tuple[QRectF, str]] = []
        pills = []
        last = len(answer.guesses) - 1
        for stage in self._stages_by_weight(last):
            word = metrics.elidedText(answer.guesses[stage].token, Qt.TextElideMode.ElideRight, px(64))
            pill = QRectF(0, 0, metrics.horizontalAdvance(word) + px(12), min(plan.row_height, px(22)))
            pill.moveCenter(QPointF(plan.stage_x(stage), y))
            pill.moveRight(min(pill.right(), plan.answers.left() - px(8)))
            if not any(pill.adjusted(-2, 0, 2, 0).intersects(other) for other in placed):
                placed.append(pill)
                pills.append((stage, word, pill))
                before = answer.guess_before(stage)
                if before is not None:
                    befores.append((pill, before.token))
            else:
                painter.setPen(QPen(color, 1.2))
                painter.setBrush(theme.color("card"))
                painter.drawEllipse(QPointF(plan.stage_x(stage), y), px(2.6), px(2.6))
        for stage, word, pill in pills:
            painter.setPen(QPen(color, 1.2))
            painter.setBrush(color if stage == last else theme.color("card"))
            painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
            painter.setPen(theme.ink_on(color) if stage == last else color)
            painter.drawText(pill, CENTER, word)
        self._paint_before(befores)

    def _paint_before(self, befores: Sequence[tuple[QRectF, str]]) -> None:
        """Right below a guess, in grey, that of the baseline where it is another one; small, so that it stays clear of
        the next token's line."""
        painter, plan, px, taken = self._painter, self._plan, self._plan.px, 0.0
        font = theme.font(10)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for pill, word in sorted(befores, key=lambda one: one[0].left()):
            shown = metrics.elidedText(beside(word, self._answer.is_earlier), Qt.TextElideMode.ElideRight, px(80))
            free = pill.center().y() + plan.row_height - pill.bottom() - px(2)  # above the next line
            below = QRectF(0, pill.bottom(), metrics.horizontalAdvance(shown) + px(6), max(free, metrics.capHeight()))
            below.moveCenter(QPointF(pill.center().x(), below.center().y()))
            below.moveRight(min(below.right(), plan.answers.left() - px(8)))
            if below.left() < taken:
                continue
            taken = below.right() + px(2)
            painter.fillRect(below, theme.color("card"))
            painter.setPen(theme.color("muted"))
            painter.drawText(below, CENTER | Qt.TextFlag.TextDontClip, shown)

    def _stages_by_weight(self, last: int) -> list[int]:
        """Which pills come first where there is no room for all: both ends, the open layer, where the guess changes."""
        plan = self._plan
        guesses = self._answer.guesses
        changes = [stage for stage in range(last, 0, -1) if guesses[stage].id != guesses[stage - 1].id]
        opened = [layer.number for layer in plan.layers if layer.is_open] if plan.is_folded else []
        near = [stage for layer in opened for stage in (layer + 1, layer)]
        return list(dict.fromkeys([last, 0, *near, *changes, *range(last + 1)]))

    def _paint_answer(self) -> None:
        painter, plan = self._painter, self._plan
        px, box, answer = plan.px, plan.answer_box, self._answer
        line = QRectF(box.left(), box.top() + px(3), box.width(), px(18))
        theme.draw_text(painter, line, answer.title, "ink", 12, bold=True)
        if not answer.words:
            painter.setFont(theme.font(11))
            painter.setPen(theme.color("muted"))
            below = QRectF(box.left(), line.bottom() + px(1), box.width(), box.bottom() - line.bottom())
            draw_wrapped(painter, below, answer.reason)
            return
        metrics = QFontMetricsF(theme.font(13, bold=True))
        shown = answer.words[: plan.answer_count]
        widest = max(metrics.horizontalAdvance(word) for word, _ in shown)
        label = min(widest + px(8), box.width() * 0.5)
        unknown = say("no such token")  # in the baseline's vocabulary
        befores = [
            f" ({unknown if share is None else beside(numbers.percent(share, fine=True), answer.is_earlier)})"
            for share in answer.words_before
        ]
        known = (befores[i] for i, share in enumerate(answer.words_before) if share is not None)
        width = QFontMetricsF(theme.font(12, bold=True)).horizontalAdvance
        room = max(map(width, known), default=0.0) + width("99.9%") + px(10)
        full = max(box.width() - label - room, px(12))
        longest = max(shown[0][1], *(before for before in answer.words_before if before is not None), 0.01)
        for row, (word, share) in enumerate(shown):
            line = QRectF(box.left(), box.top() + px(24 + 21 * row), label, px(21))
            theme.draw_text(painter, line, word, answer.color if row == 0 else "ink", 13, bold=row == 0)
            bar = QRectF(line.right(), line.center().y() - px(5), max(full * share / longest, px(2)), px(10))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(answer.color if row == 0 else "bar"))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            before = answer.words_before[row] if row < len(answer.words_before) else None
            number, end = numbers.percent(share, fine=bool(befores)), bar.right()
            if before is not None:
                at = line.right() + min(full * before / longest, full)
                end = max(end, at)
                painter.setPen(QPen(theme.color("ink"), theme.stroke(1.6)))
                painter.drawLine(QLineF(at, bar.top() - 2, at, bar.bottom() + 2))
            behind = QRectF(end + px(6), line.top(), box.right() - end - px(4), px(21))
            if row < len(befores) and width(number + befores[row]) <= behind.width():
                number += befores[row]
            theme.draw_text(painter, behind, number, "ink" if row == 0 else "muted", 12, bold=row == 0)

    def _paint_pointer(self) -> None:
        painter, plan = self._painter, self._plan
        painter.setBrush(Qt.BrushStyle.NoBrush)
        head = plan.parts.get(MapPart("head", *self._head))
        if head is not None:
            painter.setPen(QPen(theme.color("accent"), theme.stroke(1.6)))
            painter.drawRect(head.adjusted(-1, -1, 1, 1))
        part = self._hovered
        if part is None or part not in plan.parts:
            return
        box = plan.parts[part]
        beside = plan.head_boxes[part.layer].united(box) if part.kind == "head" else box
        painter.setPen(QPen(theme.color("accent"), theme.stroke(2)))
        painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 3, 3)
        caption = self._describe(part)
        if caption.title:
            self._paint_bubble(beside, box.center().x(), caption)

    def _paint_bubble(self, at: QRectF, x: float, caption: Caption) -> None:
        painter, plan = self._painter, self._plan
        px = plan.px
        bold, plain = theme.font(12, bold=True), theme.font(12)
        width = px(BUBBLE_PX)
        inner = QRectF(0, 0, width - px(20), px(400))
        title = QFontMetricsF(bold).boundingRect(inner, WRAPPED, caption.title)
        text = QFontMetricsF(plain).boundingRect(inner, WRAPPED, caption.text)
        size = max(title.width(), text.width()) + px(20), title.height() + text.height() + px(18)
        box = QRectF(x - size[0] / 2, at.bottom() + px(8), *size)
        if box.bottom() > plan.sizes.height - 2:
            box.moveBottom(at.top() - px(8))
        box.moveLeft(min(max(box.left(), 2.0), plan.sizes.width - size[0] - 2))
        box.moveTop(max(box.top(), 2.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ink"))
        painter.drawRoundedRect(box, px(6), px(6))
        painter.setPen(theme.color("card"))
        painter.setFont(bold)
        words = box.adjusted(px(10), px(7), -px(8), 0)
        painter.drawText(words, WRAPPED, caption.title)
        painter.setFont(plain)
        painter.drawText(words.adjusted(0, title.height() + px(3), 0, 0), WRAPPED, caption.text)
