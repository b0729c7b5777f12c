"""What of the map changes under the pointer: the followed line with its guesses, the answer, frames, the bubble."""

from collections.abc import Iterator
from math import inf

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPen

from ...look import numbers, say, theme
from ...state.baseline_names import beside
from ...widgets.charts.drawing import Box, Line, Path, Shape, Words
from .base_picture import CENTER, TOP, WRAPPED, curve_between, paragraph
from .content import Answer, Caption
from .plan import MapPart, Plan

BUBBLE_PX = 270
OUTSIDE = "O "  # how a tag begins that is none
RIGHT_END = Qt.TextElideMode.ElideRight


def followed_line(plan: Plan, answer: Answer, *, is_compared: bool, until: float = inf) -> Iterator[Shape]:
    """The line of a token, and the best guess after each stage as far as there is room.

    is_compared: lines show how far they are from a baseline's, and what is below this one is to be seen. until: the
    place that the line has come to.
    """
    px, y, color, last = plan.px, plan.line_y(answer.position), theme.color(answer.color), len(answer.guesses) - 1
    start = QPointF(min(plan.layer_zone.right(), until), y)
    end = QPointF(plan.answer_box.left() - px(6), plan.answer_box.top() + px(12))
    yield Line(QPointF(plan.embeddings["sum"].right(), y), start, color, px(1.2 if is_compared else 2.4), snaps=False)
    if until == inf and not any(answer.ends.values()):
        yield Path(curve_between(start, end), QPen(color, px(1.6)))
    size = min(max(plan.row_height / plan.sizes.scale * 0.58, 10.5), 12.5)
    metrics, height = QFontMetricsF(theme.font(size, medium=True)), min(plan.row_height, px(22))
    most = plan.answers.left() - px(8)
    pills: dict[int, tuple[str, QRectF]] = {}
    for stage in _stages_by_weight(plan, answer, until):
        word = metrics.elidedText(answer.guesses[stage].token, RIGHT_END, px(64))
        pill = QRectF(0, 0, metrics.horizontalAdvance(word) + px(12), height)
        pill.moveCenter(QPointF(plan.stage_x(stage), y))
        pill.moveRight(min(pill.right(), most))
        if not any(pill.adjusted(-2, 0, 2, 0).intersects(other) for _, other in pills.values()):
            pills[stage] = word, pill
        else:
            dot = QRectF(plan.stage_x(stage) - px(2.6), y - px(2.6), px(5.2), px(5.2))
            yield Box(dot, "card", answer.color, 1.2, px(2.6))
    for stage, (word, pill) in pills.items():
        yield Box(pill, color if stage == last else "card", answer.color, 1.2, height / 2)
        ink = theme.ink_on(color) if stage == last else color
        yield Words(pill, word, ink, size, align=CENTER, medium=True)
    # Right below a guess, in grey, the baseline's where it is another one; small, clear of the next token's line.
    metrics, taken = QFontMetricsF(theme.font(10)), 0.0
    for stage, (_, pill) in sorted(pills.items(), key=lambda one: one[1][1].left()):
        guess = answer.baseline_guess(stage)
        if guess is None:
            continue
        shown = metrics.elidedText(beside(guess.token, answer.is_earlier), RIGHT_END, px(80))
        free = pill.center().y() + plan.row_height - pill.bottom() - px(2)  # above the next line
        below = QRectF(0, pill.bottom(), metrics.horizontalAdvance(shown) + px(6), max(free, metrics.capHeight()))
        below.moveCenter(QPointF(pill.center().x(), below.center().y()))
        below.moveRight(min(below.right(), most))
        if below.left() >= taken:
            taken = below.right() + px(2)
            yield Box(below, "card")
            yield Words(below, shown, "muted", 10, align=CENTER)


def _stages_by_weight(plan: Plan, answer: Answer, until: float) -> list[int]:
    """Which pills come first where there is no room for all: both ends, the open layer, where the guess changes."""
    last, guesses = len(answer.guesses) - 1, answer.guesses
    changes = [stage for stage in range(last, 0, -1) if guesses[stage].id != guesses[stage - 1].id]
    opened = [layer.number for layer in plan.layers if layer.is_open] if plan.is_folded else []
    near = [stage for layer in opened for stage in (layer + 1, layer)]
    stages = dict.fromkeys([last, 0, *near, *changes, *range(last + 1)]) if guesses else {}
    return [stage for stage in stages if plan.stage_x(stage) <= until]


def answer_shapes(plan: Plan, answer: Answer, grown: float = 1.0) -> Iterator[Shape]:
    """The likeliest words in the end, beside the baseline's share of each; or why there are none.

    grown: how much of the bars is drawn.
    """
    px, box = plan.px, plan.answer_box
    line = QRectF(box.left(), box.top(), box.width(), plan.answer_heading - px(3))
    if answer.words or answer.reason:
        at_bottom = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
        yield Words(line, answer.title, "ink", 12, bold=True, align=at_bottom, wraps=plan.has_large_type)
    else:
        yield Words(box.adjusted(0, px(3), 0, 0), answer.title, "ink", 12, bold=True, align=TOP, wraps=True)
    for position, text in answer.ends.items():
        if (place := plan.parts.get(MapPart("end", position=position))) is not None:
            yield Words(place, text, "muted" if text.startswith(OUTSIDE) else answer.color, 12, medium=True)
    if answer.task == "span" and answer.ends:
        top, bottom = (plan.line_y(at) - plan.row_height / 2 for at in (min(answer.ends), max(answer.ends)))
        span = QRectF(plan.tokens.left(), top, plan.tokens.width(), bottom - top + plan.row_height)
        yield Box(span, line=answer.color, line_px=theme.stroke(2), radius_px=px(4))
    if not answer.words:
        below = QRectF(box.left(), line.bottom() + px(1), box.width(), box.bottom() - line.bottom())
        yield paragraph(below, answer.reason)
        return
    shown, unknown = answer.words[: plan.answer_count], say("no such token")  # in the baseline's vocabulary
    notes = [
        f" ({unknown if share is None else beside(numbers.percent(share, fine=True), answer.is_earlier)})"
        for share in answer.baseline_shares
    ]
    known = [share for share in answer.baseline_shares if share is not None]
    words = QFontMetricsF(theme.font(13, bold=True)).horizontalAdvance
    label = min(max(words(word) for word, _ in shown) + px(8), box.width() * 0.5)
    width = QFontMetricsF(theme.font(12, bold=True)).horizontalAdvance
    written = (width(text) for text, share in zip(notes, answer.baseline_shares, strict=True) if share is not None)
    number_width = max(width(numbers.percent(share, fine=bool(notes))) for _, share in shown)
    full = max(box.width() - label - max(written, default=0.0) - number_width - px(10), px(12))
    longest = max(shown[0][1], *known, 0.01)
    for row, (word, share) in enumerate(shown):
        is_first, line = row == 0, QRectF(box.left(), box.top() + plan.answer_heading + px(21 * row), label, px(21))
        yield Words(line, word, answer.color if is_first else "ink", 13, bold=is_first)
        bar = QRectF(line.right(), line.center().y() - px(5), max(grown * full * share / longest, px(2)), px(10))
        yield Box(bar, answer.color if is_first else "bar", radius_px=2.5)
        baseline = answer.baseline_shares[row] if notes else None
        number, end = numbers.percent(share, fine=bool(notes)), bar.right()
        if baseline is not None:
            at = line.right() + min(full * baseline / longest, full)
            end = max(end, at)
            mark = QPointF(at, bar.top() - 2), QPointF(at, bar.bottom() + 2)
            yield Line(*mark, "ink", theme.stroke(1.6), snaps=False)
        behind = QRectF(end + px(6), line.top(), box.right() - end - px(4), px(21))
        if notes and width(number + notes[row]) <= behind.width():
            number += notes[row]
        yield Words(behind, number, "ink" if is_first else "muted", 12, bold=is_first)


def bubble(plan: Plan, at: QRectF, x: float, caption: Caption) -> Iterator[Shape]:
    """Words beside what is pointed at: below it, or above where there is no room."""
    px, inner = plan.px, QRectF(0, 0, plan.px(BUBBLE_PX - 20), plan.px(400))
    title = QFontMetricsF(theme.font(12, bold=True)).boundingRect(inner, WRAPPED, caption.title)
    text = QFontMetricsF(theme.font(12)).boundingRect(inner, WRAPPED, caption.text)
    size = max(title.width(), text.width()) + px(20), title.height() + text.height() + px(18)
    box = QRectF(x - size[0] / 2, at.bottom() + px(8), *size)
    if box.bottom() > plan.sizes.height - 2:
        box.moveBottom(at.top() - px(8))
    box.moveLeft(min(max(box.left(), 2.0), plan.sizes.width - size[0] - 2))
    box.moveTop(max(box.top(), 2.0))
    yield Box(box, "ink", radius_px=px(6))
    words = box.adjusted(px(10), px(7), -px(8), 0)
    yield Words(words, caption.title, "card", 12, bold=True, align=TOP, wraps=True)
    below = words.adjusted(0, title.height() + px(3), 0, 0)
    yield Words(below, caption.text, "card", 12, align=TOP, wraps=True)
