"""Paints the film strip: on the screen, for a figure, and once for each frame of an animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from ...look import numbers, theme
from ...look.say import say
from ...look.theme import draw_text
from ...widgets.charts.raster import Raster, paint_scale
from .answers import WORDS as MOST_WORDS
from .answers import Guesses, position_to_show
from .content import Frame, LossCurve
from .plan import FilmPlan, Shape, grid

ATLAS, HEAD, WORDS = PICTURES = ("heads", "head", "words")
LABEL_PX, LEAST_ROW_PX = 10.5, 11
WORDS_RATIO = 1.25  # height of a column with all words, of its width
LEAST_LINE = 1.75  # of a word with its bar, in heights of its type
CENTER, BELOW = Qt.AlignmentFlag.AlignCenter, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop


@dataclass(eq=False)
class Film:
    """Everything that is drawn."""

    snapshots: tuple[int, ...]  # steps of all of them; F, in order
    frames: dict[int, Frame]  # by index, as far as they are computed
    curve: LossCurve | None = None
    picture: str = ATLAS  # one of PICTURES
    head: tuple[int, int] = (0, 0)
    position: int | None = None  # of the mask that is looked at; None: the first
    now: int = 0  # the one that is large
    is_task: bool = False  # a fine-tuned model's answers, not words for a mask

    @property
    def shape(self) -> Shape:
        some = next(iter(self.frames.values()), None)
        layers, heads = some.heads.shape[:2] if some is not None else (1, 1)
        ratio = min(layers / heads, 1.6) if self.picture == ATLAS else 1.0
        if self.picture == WORDS:
            lines = max((len(guess.words) for guess in some.guesses), default=1) if some is not None else 1
            ratio = WORDS_RATIO * lines / MOST_WORDS
        has_guess = self.picture != WORDS and some is not None and bool(some.guesses)
        return Shape(self.snapshots, self.curve is not None, has_guess, ratio)

    def guesses(self, frame: Frame) -> Guesses | None:
        """For the mask or word that is looked at, else the first."""
        newest = self.frames[max(self.frames)].guesses
        position = position_to_show(newest, self.position)
        pinned = [one for one in frame.guesses if one.position == position]
        return next(iter([*pinned, *frame.guesses]), None)


class FilmPainter:
    """One film at one size."""

    def __init__(self, film: Film, width: float, height: float) -> None:
        self.film, self.width, self.height = film, width, height
        self.plan = FilmPlan(film.shape, width, height)

    def paint(self, painter: QPainter, now: int | None = None, hovered: int | None = None) -> None:
        """now: another snapshot that is large; hovered: one whose column is marked."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        now = self.film.now if now is None else now
        if self.film.curve is not None:
            self._paint_curve(painter, self.film.curve, now)
        for place, index in enumerate(self.plan.shown):
            self._paint_column(painter, place, index, now, hovered)
        self._paint_row_names(painter)
        if now in self.film.frames:
            self._paint_large(painter, now)

    # The loss.

    @cached_property
    def _range(self) -> tuple[float, float]:
        """The losses at the bottom and at the top."""
        assert self.film.curve is not None
        low, high = float(self.film.curve.losses.min()), float(self.film.curve.losses.max())
        margin = max(high - low, 1e-3) * 0.06
        return max(low - margin, 0.0), high + margin

    def _y_of(self, loss: float) -> float:
        low, high = self._range
        return self.plan.curve.bottom() - (loss - low) / (high - low) * self.plan.curve.height()

    def _paint_curve(self, painter: QPainter, curve: LossCurve, now: int) -> None:
        box = self.plan.curve
        title = QRectF(0, 0, box.right(), box.top())
        text = (
            say("Loss on held-out text: how wrong its guesses are.")
            if curve.is_held_out
            else say("Training loss, averaged: how wrong its guesses are.")
            if self.film.is_task
            else say("Loss on masked words in training, averaged: how wrong its guesses are.")
        )
        more = say("Early steps are drawn further apart (logarithmic).")
        if QFontMetricsF(theme.font(11.5)).horizontalAdvance(f"{text} {more}") <= title.width():
            text = f"{text} {more}"
        draw_text(painter, title, text, "muted", 11.5)
        self._paint_axes(painter, box)
        xs = np.array([self.plan.x_of(step) for step in curve.steps])
        inside = xs <= box.right()
        for losses, color, width in ((curve.losses, "bar", 1.0), (curve.smooth, "curve_train", 2.2)):
            line = QPolygonF([QPointF(x, self._y_of(y)) for x, y in zip(xs[inside], losses[inside], strict=True)])
            painter.setPen(QPen(theme.color(color), theme.px(1) * width * 0.8))
            painter.drawPolyline(line)
        self._paint_marks(painter, curve, box)
        for place, index in enumerate(self.plan.shown):
            self._paint_leader(painter, place, index, index == now)
        self._paint_steps(painter, box)

    def _paint_axes(self, painter: QPainter, box: QRectF) -> None:
        low, high = self._range
        most = max(box.height() / theme.px(34), 3)
        step = next(size for size in (0.1, 0.2, 0.5, 1, 2, 5, 10, 1e9) if (high - low) / size <= most)
        for number in range(int(np.ceil(low / step)), int(high / step) + 1):
            y = self._y_of(number * step)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            place = QRectF(0, y - theme.px(9), box.left() - theme.px(6), theme.px(18))
            draw_text(painter, place, numbers.number(number * step), "muted", LABEL_PX, align=theme.RIGHT)

    def _paint_steps(self, painter: QPainter, box: QRectF) -> None:
        """Below the axis, over the lines to the columns."""
        last, right = self.film.snapshots[-1], -1e9
        width = theme.px(54)
        for tick in (0, *(10**power for power in range(1, 9) if 10**power <= last)):
            x = self.plan.x_of(tick)
            if x - right < width:
                continue
            right = x
            place = QRectF(x - width / 2, box.bottom() + theme.px(1), width, theme.px(16))
            text, metrics = numbers.count(tick), QFontMetricsF(theme.font(LABEL_PX))
            behind = QRectF(0, 0, metrics.horizontalAdvance(text) + theme.px(4), place.height())
            behind.moveCenter(place.center())
            painter.fillRect(behind, theme.color("card"))
            draw_text(painter, place, text, "muted", LABEL_PX, align=CENTER)

    def _paint_marks(self, painter: QPainter, curve: LossCurve, box: QRectF) -> None:
        """A line for each, and its words: behind it where there is room, else before."""
        row, metrics = theme.px(15), QFontMetricsF(theme.font(LABEL_PX))
        texts: list[tuple[float, str, bool]] = []  # x of the mark, words, whether they are behind it
        for mark in curve.marks:
            x = self.plan.x_of(mark.x)
            painter.setPen(QPen(theme.color("muted"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            is_behind = x + theme.px(5) + metrics.horizontalAdvance(mark.after) <= box.right()
            texts += [(x, mark.before, False), (x, mark.after, is_behind)]
        texts = [text for text in texts if text[1]]
        if box.height() < 2.5 * row * len(texts):  # they would cover the curve
            return
        for line, (x, text, is_behind) in enumerate(texts):
            wide = metrics.horizontalAdvance(text) + theme.px(4)
            left = x + theme.px(4) if is_behind else x - theme.px(4) - wide
            place = QRectF(left, box.top() + line * row, wide, row)
            painter.fillRect(place, theme.color("card"))
            draw_text(painter, place, text, "muted", LABEL_PX, align=CENTER)

    def _paint_leader(self, painter: QPainter, place: int, index: int, is_now: bool) -> None:
        """From the curve to a column."""
        assert self.film.curve is not None
        step = self.film.snapshots[index]
        at = QPointF(self.plan.x_of(step), self._y_of(self.film.curve.at(step)))
        box = self.plan.steps[place]
        end, bend = QPointF(box.center().x(), box.top() + theme.px(2)), self.plan.curve.bottom()
        middle = (bend + end.y()) / 2
        path = QPainterPath(at)
        path.lineTo(at.x(), bend)
        path.cubicTo(at.x(), middle + theme.px(6), end.x(), middle - theme.px(6), end.x(), end.y())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("accent" if is_now else "faint"), theme.px(1) * (1.6 if is_now else 0.8)))
        painter.drawPath(path)
        radius = theme.px(5 if is_now else 4)
        painter.setPen(QPen(theme.color("curve_train"), theme.px(1) * 1.6))
        painter.setBrush(theme.color("curve_train" if is_now else "card"))
        painter.drawEllipse(at, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    # The columns.

    def _paint_column(self, painter: QPainter, place: int, index: int, now: int, hovered: int | None) -> None:
        film, plan, step = self.film, self.plan, self.film.snapshots[index]
        if index in (now, hovered):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_tint" if index == now else "hover"))
            painter.drawRoundedRect(plan.columns[place], theme.px(6), theme.px(6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        color = "accent" if index == now else "ink"
        draw_text(painter, plan.steps[place], numbers.count(step), color, 13, align=CENTER, bold=True)
        if film.curve is not None:
            loss = say("loss ≈ {loss}", loss=numbers.decimal(film.curve.at(step)))
            draw_text(painter, plan.losses[place], loss, "muted", LABEL_PX, align=CENTER)
        frame = film.frames.get(index)
        if frame is None:
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawRect(plan.pictures[place])
            return
        box = plan.pictures[place]
        if film.picture == WORDS:
            box = QRectF(plan.guesses[place].left(), box.top(), plan.guesses[place].width(), box.height())
            self._paint_words(painter, box, frame, 12)
        else:
            self._paint_picture(painter, box, index, theme.px(2))
        guesses = film.guesses(frame)
        if guesses is not None and film.shape.has_guess:
            self._paint_guess(painter, guesses, plan.guesses[place], plan.bars[place])

    def _paint_picture(self, painter: QPainter, box: QRectF, index: int, gap: float) -> None:
        if self.film.picture == HEAD:
            side = min(box.width(), box.height())
            self._paint_head(painter, QRectF(box.left(), box.top(), side, side), self.film.frames[index])
        else:
            self._paint_atlas(painter, box, index, gap)

    def _paint_atlas(self, painter: QPainter, box: QRectF, index: int, gap: float) -> None:
        layers, heads = self.film.frames[index].heads.shape[:2]
        sheet = self.film.frames[index].sheet
        for layer, row in enumerate(grid(box, layers, heads, gap)):
            for head, cell in enumerate(row):
                sheet.paint(painter, cell, layer, head)
                is_chosen = (layer, head) == self.film.head
                painter.setPen(QPen(theme.color("accent" if is_chosen else "line"), 1.6 if is_chosen else 0.8))
                painter.drawRect(cell)

    def _paint_head(self, painter: QPainter, box: QRectF, frame: Frame) -> None:
        layer, head = self._head_in(frame)
        Raster(frame.heads[layer, head], 0.0, 1.0).paint(painter, box)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawRect(box)

    def _head_in(self, frame: Frame) -> tuple[int, int]:
        layers, heads = frame.heads.shape[:2]
        return min(self.film.head[0], layers - 1), min(self.film.head[1], heads - 1)

    def _paint_guess(self, painter: QPainter, guesses: Guesses, box: QRectF, bar: QRectF) -> None:
        word, share = guesses.words[0]
        text = "" if share is None else numbers.probability(share)
        width = QFontMetricsF(theme.font(LABEL_PX)).horizontalAdvance(text) + theme.px(3)
        color = "good_text" if guesses.is_right else "ink"
        draw_text(painter, box.adjusted(0, 0, -width, 0), word, color, 13, bold=True)
        draw_text(painter, box, text, "muted", LABEL_PX, align=theme.RIGHT)
        if share is not None:
            self._paint_bar(painter, bar.adjusted(0, 1, 0, -1), share, guesses.is_right)

    def _paint_words(self, painter: QPainter, box: QRectF, frame: Frame, size_px: float) -> None:
        """The likeliest words, each with its bar."""
        guesses = self.film.guesses(frame)
        if guesses is None:
            none = say("no answer") if self.film.is_task else say("no word is hidden")
            draw_text(painter, box, none, "muted", LABEL_PX, align=CENTER)
            return
        line, small = theme.type_px(size_px), size_px * 0.88
        words = guesses.words[: max(int(box.height() / (line * LEAST_LINE)), 1)]
        row = min(box.height() / len(words), line * 2.6)
        bar = row * 0.2
        for number, (word, share) in enumerate(words):
            place = QRectF(box.left(), box.top() + number * row, box.width(), row - 1.4 * bar)
            is_right, shown = word == guesses.was, "" if share is None else numbers.probability(share)
            color = "good_text" if is_right else "ink" if number == 0 else "muted"
            width = QFontMetricsF(theme.font(small)).horizontalAdvance(shown) + theme.px(3)
            has_share = share is not None and width < place.width() / 2
            wide = place.adjusted(0, 0, -width if has_share else 0, 0)
            draw_text(painter, wide, word, color, size_px, bold=number == 0)
            if has_share:
                draw_text(painter, place, shown, "muted", small, align=theme.RIGHT)
            if share is not None:
                self._paint_bar(painter, QRectF(box.left(), place.bottom(), box.width(), bar), share, is_right)

    def _paint_bar(self, painter: QPainter, bar: QRectF, share: float, is_right: bool) -> None:
        painter.fillRect(bar, theme.color("track"))
        filled = QRectF(bar.left(), bar.top(), max(bar.width() * share, 1.0), bar.height())
        painter.fillRect(filled, theme.color("good" if is_right else "bar_strong"))

    def _paint_row_names(self, painter: QPainter) -> None:
        plan, film = self.plan, self.film
        if not plan.pictures:
            return
        answers = say("Answer") if film.is_task else say("Words")
        names = {ATLAS: say("All heads"), WORDS: answers}
        layer, head = film.head
        one = say("Head {layer}·{head}", layer=layer + 1, head=head + 1)
        steps = QRectF(0, plan.steps[0].top(), plan.name_width, plan.steps[0].height())
        draw_text(painter, steps, say("Step"), "muted", 11.5)
        top = QRectF(0, plan.pictures[0].top(), plan.name_width, theme.px(18))
        draw_text(painter, top, names.get(film.picture, one), "ink", 11.5, bold=True)
        if film.picture == ATLAS:
            for number, text in enumerate((say("layers ↓"), say("heads →"))):
                draw_text(painter, top.translated(0, theme.px(16) * (number + 1)), text, "muted", LABEL_PX)
        if film.shape.has_guess:
            guess = QRectF(0, plan.guesses[0].top(), plan.name_width, plan.guesses[0].height())
            name, color = (answers, "ink") if film.is_task else (say("Guess"), "mask")
            draw_text(painter, guess, name, color, 11.5, bold=True)
        if film.picture != WORDS:
            self._paint_scale(painter)

    def _paint_scale(self, painter: QPainter) -> None:
        box, ends = self.plan.scale, theme.px(16)
        bar = QRectF(
            box.right() - ends - theme.px(90), box.top() + theme.px(4), theme.px(90), box.height() - theme.px(8)
        )
        paint_scale(painter, bar)
        text = QRectF(0, box.top(), bar.left() - theme.px(5), box.height())
        name = say("row: token that looks · column: what it looks at · attention, one scale for all: 0")
        draw_text(painter, text, name, "muted", LABEL_PX, align=theme.RIGHT)
        draw_text(painter, QRectF(bar.right() + theme.px(5), box.top(), ends, box.height()), "1", "muted", LABEL_PX)

    # The one that is large.

    def _paint_large(self, painter: QPainter, index: int) -> None:
        frame, box = self.film.frames[index], self.plan.large
        step = say("step {step}", step=numbers.count(frame.step))
        guesses = self.film.guesses(frame)
        said = guesses.best if guesses else ""
        if guesses is not None and guesses.best_share is not None:
            said += f" · {numbers.probability(guesses.best_share)}"
        draw_text(
            painter, self.plan.large_title, step, "accent", 13, bold=True, align=CENTER if not said else theme.LEFT
        )
        if said:
            color = "good_text" if guesses is not None and guesses.is_right else "ink"
            draw_text(painter, self.plan.large_title, said, color, 13, bold=True, align=theme.RIGHT)
        if self.film.picture == HEAD:
            self._paint_labelled_head(painter, box, frame)
        elif self.film.picture == WORDS:
            self._paint_words(painter, box.adjusted(0, theme.px(6), 0, 0), frame, 17)
        else:
            self._paint_picture(painter, box, index, theme.px(4))

    def _paint_labelled_head(self, painter: QPainter, box: QRectF, frame: Frame) -> None:
        """With its tokens at the left, where the rows are high enough."""
        size = len(frame.labels)
        metrics = QFontMetricsF(theme.font(LABEL_PX))
        wide = min(max(map(metrics.horizontalAdvance, frame.labels)) + theme.px(6), box.width() * 0.35)
        has_labels = box.height() / size >= theme.type_px(LEAST_ROW_PX) * 0.9 and size == frame.heads.shape[-1]
        side = min(box.height(), box.width() - (wide if has_labels else 0))
        left = box.right() - side
        square = QRectF(left, box.top(), side, side)
        self._paint_head(painter, square, frame)
        if not has_labels:
            return
        row = side / size
        for number, (text, kind) in enumerate(zip(frame.labels, frame.kinds, strict=True)):
            place = QRectF(left - wide, box.top() + number * row, wide - theme.px(4), row)
            draw_text(painter, place, text, kind, LABEL_PX, align=theme.RIGHT)

    def large_cells(self) -> Sequence[Sequence[QRectF]]:
        """Of the heads in the large picture; empty where it shows something else."""
        frame = self.film.frames.get(self.film.now)
        if frame is None or self.film.picture != ATLAS:
            return ()
        layers, heads = frame.heads.shape[:2]
        return grid(self.plan.large, layers, heads, theme.px(4))
