"""The map that plays: the text goes through the model from left to right, in steps of one sentence each.

Where things are is the plan's, and the map is drawn once (`Still`). A frame is that picture, a veil over what has not
happened yet, and what moves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from ...figures.figure import Figure, Picture
from ...look import theme
from ...state.token_units import TokenView
from ...widgets.charts.drawing import Box, Painted, Path, Shape, Words
from .base_picture import TOP, curve_between, fitting
from .content import Content
from .model_map import ModelMap
from .overlay import answer_shapes, followed_line
from .plan import HEADINGS, SECTIONS, MapPart, Plan
from .sentences import head_that_looks, step_caption

FRAME_MS, LONGEST_MS = 30, 100  # between two frames; of a longer gap no more counts, so that nothing is skipped
STEP_MS = 2600
MOVES, TURNS = 0.6, 0.55  # of a step, then it is read; of a movement, until the last row sets out
FRAMES = 6  # of each step in a file
GHOST = 228  # opacity of the veil, of 255
FEW_LINKS, LEAST_SHARE = 7, 0.04  # of the followed token in a layer
KEYS = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1, Qt.Key.Key_Space.value: 0, Qt.Key.Key_Escape.value: 0}


def between(share: float, begin: float, end: float) -> float:
    """How far a movement is, 0..1, that takes a part of the step and begins and ends slowly."""
    share = min(max((share - begin) / (end - begin), 0.0), 1.0)
    return share * share * (3 - 2 * share)


class PlayingMap(ModelMap):
    """`at`: how many steps are over, with the share of the one on show. While there is a film, keys are a player's."""

    film_changed = Signal()  # it plays, pauses, or is over

    def __init__(self) -> None:
        super().__init__()
        self.at: float | None = None  # None: there is no film
        self.timer, self._clock = QTimer(self, interval=FRAME_MS), QElapsedTimer()
        self.timer.timeout.connect(self._on_timer_timeout)

    @property
    def steps(self) -> list[tuple[str, int]]:
        """The section of the map that each is about, and its layer; -1 for those before and after."""
        layers = range(0 if self.plan is None else self.plan.sizes.layers)
        return [("cut", -1), ("add", -1), *((half, at) for at in layers for half in ("look", "think")), ("answer", -1)]

    def play_or_pause(self) -> None:
        """From the beginning, where there is no film yet; with the keyboard, whose keys steer it."""
        self.setFocus()
        if self.timer.isActive():
            self.timer.stop()
        elif self.content is not None:
            self._clock.start()
            self.timer.start()
        self.go_to(self.at or 0.0)

    def go_to(self, at: float | None) -> None:
        """To a time; the layer that is at work there unfolds. After the last step, and with None: the map again."""
        self.at = None if at is None or at >= len(self.steps) else max(at, 0.0)
        if self.at is None:
            self.timer.stop()
        elif (layer := self.steps[int(self.at)][1]) >= 0:
            self.open_layer(layer)
        self.setMouseTracking(self.at is None)
        self.update()
        self.film_changed.emit()

    def _on_timer_timeout(self) -> None:
        self.go_to((self.at or 0.0) + min(self._clock.restart(), LONGEST_MS) / STEP_MS)

    # What a person does.

    def event(self, event: QEvent) -> bool:
        is_asked = event.type() == QEvent.Type.ShortcutOverride and self.at is not None
        if is_asked and isinstance(event, QKeyEvent) and event.key() in KEYS:
            event.accept()  # Escape is the window's otherwise, and arrows may be a lesson's
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.at is None or event.key() not in KEYS:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.go_to(None)
        elif event.key() == Qt.Key.Key_Space:
            self.play_or_pause()
        else:  # where it stands still, to the end of a step: all of it is to be seen there
            number = min(max(int(self.at) + KEYS[event.key()], 0), len(self.steps) - 1)
            self.go_to(number if self.timer.isActive() else number + 0.999)

    def cell_at(self, point: QPointF) -> MapPart | None:
        return super().cell_at(point) if self.at is None else None

    # What is saved.

    def with_frames(self, figure: Figure) -> Figure:
        """A figure of this map with the film as its frames; the last of each step stays until it is read."""
        frames, count, moving = dict[str, Picture](), len(self.steps), round(STEP_MS * MOVES / (FRAMES - 1))
        for frame in range(count * FRAMES):
            number, at = frame // FRAMES, frame % FRAMES + 1
            paint = partial(self._paint_at, number + min(MOVES * at / (FRAMES - 1), 0.999))
            frames[f"{number + 1}/{count} ({at})"] = Picture(self.width(), self.height(), paint)
        frame_ms = [*[moving] * (FRAMES - 1), STEP_MS - moving * (FRAMES - 1)] * count
        return replace(figure, frames=frames, frame_ms=frame_ms)

    def _paint_at(self, at: float, painter: QPainter) -> None:
        before = self.at
        self.go_to(at)
        self._shapes = self._shapes or list(self.shapes())
        for shape in (*self._shapes, *self.overlay()):
            shape.paint(painter)
        self.go_to(before)

    # What is drawn above the map.

    def overlay(self) -> Iterator[Shape]:
        if self.at is None or self.plan is None or self.content is None:
            return super().overlay()
        return self._frame(self.plan, self.content, self.at)

    def _frame(self, plan: Plan, content: Content, at: float) -> Iterator[Shape]:
        (kind, layer), share, end = self.steps[int(at)], at % 1 / MOVES, plan.layer_zone.right()
        strips, tokens = dict(plan.embeddings), plan.tokens
        total = strips.pop("sum")
        if kind == "cut":
            yield _veil(plan, tokens.right() + 2)
            yield from self._rows(plan, share, [plan.words] if plan.has_words else [], tokens)
        elif kind == "add":
            yield _veil(plan, tokens.right() + (total.left() - tokens.right()) * between(share, 0, 0.25))
            yield from self._rows(plan, (share - 0.25) / 0.75, list(strips.values()), total)
        elif kind == "answer":
            yield _veil(plan, end + (plan.sizes.width - end) * between(share, 0, 1), top=0)
            yield from followed_line(plan, self.answer, is_compared=content.distances is not None)
            yield from answer_shapes(plan, self.answer, grown=between(share, 0, 1))
        else:
            yield from self._layer(plan, content, layer, *((share, 0.0) if kind == "look" else (1.0, share)))
        caption = step_caption(kind, layer, content, self.answer)
        px, left, height = plan.px, plan.words.left(), plan.top - plan.px(HEADINGS + 14)  # in place of the title
        box = QRectF(left, px(8), plan.layer_zone.left() - px(10) - left, height)
        if plan.has_sections:  # in place of the captions
            top = plan.sizes.height - px(SECTIONS + 6)
            box = QRectF(left, top, plan.answers.right() - left, px(SECTIONS))
        yield Box(box.adjusted(-px(6), -px(2), px(6), px(4)), "card")
        yield Words(QRectF(box.left(), box.top(), box.width(), px(20)), caption.title, self.answer.color, 13, bold=True)
        text = box.adjusted(0, px(22), 0, -px(10))
        size = next((size for size in (17, 15, 13) if fitting(text, caption.text, size)[0] == caption.text), 12)
        yield Words(text, fitting(text, caption.text, size)[0], "ink", size, align=TOP, wraps=True)
        for done, color in ((1.0, "track"), (at / len(self.steps), "accent")):
            yield Box(QRectF(left, box.bottom() - px(5), box.width() * done, px(4)), color, radius_px=px(2))

    def _rows(self, plan: Plan, share: float, sources: Sequence[QRectF], target: QRectF) -> Iterator[Shape]:
        """Row by row columns move into another: words into tokens, embeddings into their sum."""
        high, still = plan.row_height, self.still
        yield _veil(plan, plan.layer_zone.left(), top=0, bottom=plan.top - plan.px(HEADINGS))
        yield Box(QRectF(target.left(), plan.top, target.width() + 2, plan.bottom - plan.top), "card")
        assert still is not None
        for number in plan.row_of.values():
            begin, top = TURNS * number / len(plan.rows), plan.row_y(number) - high / 2
            moved = between(share, begin, begin + 1 - TURNS)
            for source in sources if moved < 1 else (target,):
                x = source.left() + (target.left() - source.left()) * moved
                yield Painted(partial(still.paint_part, source=QRectF(source.left(), top, source.width(), high), x=x))

    def _layer(self, plan: Plan, content: Content, number: int, look: float, think: float) -> Iterator[Shape]:
        """What heads find is added to the lines, then what neurons find."""
        answer, layer, px = self.answer, plan.layers[number], plan.px
        (into, out), front = layer.sums_x, plan.stage_x(number)
        front += (into - front) * between(look, 0.15, 1) + (out - into) * between(think, 0.1, 0.6)
        front += (layer.right - out) * between(think, 0.6, 1)
        yield _veil(plan, layer.right, top=0)
        yield _veil(plan, front, layer.right, plan.top, plan.bottom)
        below = plan.bottom + 1 + (plan.feed_forward_bottom - plan.bottom) * between(think, 0, 0.4)
        yield _veil(plan, layer.left, layer.right, below)
        yield from self._links(plan, content, number, between(look, 0.1, 0.9))
        for radius, rows in ((2.6, plan.row_of), (4.5, [answer.position])):
            for y in map(plan.line_y, rows):
                box = QRectF(front - px(radius), y - px(radius), px(2 * radius), px(2 * radius))
                yield Box(box, answer.color if radius > 4 else "accent", "card", 1, px(radius))
        yield from followed_line(plan, answer, is_compared=content.distances is not None, until=front)
        head, other = head_that_looks(content.reading, number, answer.position)
        framed, high = [plan.parts[MapPart("head", number, head)]], plan.row_height - 2
        for y in map(plan.line_y, (answer.position, other)):
            framed.append(QRectF(plan.tokens.left(), y - high / 2, plan.tokens.width(), high))
        for box in framed:
            yield Box(box.adjusted(-1, -1, 1, 1), line=answer.color, line_px=theme.stroke(1.8))

    def _links(self, plan: Plan, content: Content, number: int, grown: float) -> Iterator[Shape]:
        """From tokens to those that look at them, by the head that looks most; the followed token's last, by the head
        that the caption is about."""
        rows, followed = plan.positions, self.answer.position
        head, _ = head_that_looks(content.reading, number, followed)
        left = plan.layers[number - 1].x(0.72) if number else plan.embeddings["sum"].right()
        attention = np.asarray(content.reading.trace.attentions[number])[:, rows][:, :, rows]  # (N,R,R)
        kinds = content.reading.units(TokenView()).kinds
        for looking in sorted(rows, key=lambda position: position == followed):
            row, is_followed = rows.index(looking), looking == followed
            shares, most = (attention[head, row], FEW_LINKS) if is_followed else (attention[:, row].max(0), 1)
            color, wide, least = (self.answer.color, 4.5, 90) if is_followed else (kinds[looking], 0.0, 0)
            for other in np.argsort(-shares)[:most].tolist():
                if (share := float(shares[other])) < LEAST_SHARE:
                    continue
                pen = QPen(theme.color(color, round(least + 165 * share)), plan.px(1 + wide * share))
                end = QPointF(plan.layers[number].sums_x[0], plan.line_y(looking))
                path = curve_between(QPointF(left, plan.line_y(rows[other])), end)
                pen.setDashPattern([max(grown * path.length() / pen.widthF(), 0.01), 1e5])
                yield Path(path, pen)


def _veil(plan: Plan, left: float, right: float = 0.0, top: float = -1.0, bottom: float = 0.0) -> Painted:
    """Over what has not happened yet: to the end of the picture, and from the rows on, unless that is given."""
    right, bottom = right or plan.sizes.width, bottom or plan.feed_forward_bottom + plan.px(5)
    top = plan.top - plan.px(HEADINGS) if top < 0 else top
    rect = QRectF(left, top, max(right - left, 0.0), max(bottom - top, 0.0)).toRect()  # of whole pixels: much faster
    return Painted(lambda painter: painter.fillRect(rect, theme.color("card", GHOST)))
