"""The film strip at one size: the loss above, a column for each snapshot below, one large; as shapes, for the screen,
for a file, and once for each frame of an animation."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from ...look import numbers, say, theme
from ...runs.stages import GOING_ON, TUNING, UNTRAINED
from ...widgets.charts.drawing import Box, Line, Painted, Path, Shape, Words
from ...widgets.charts.raster import Heat, Raster, paint_scale
from .content import MOST_WORDS, Frame, Guesses, LossCurve, position_to_show

ATLAS, HEAD, WORDS = PICTURES = ("heads", "head", "words")
NAME_PX, GAP_PX = 62, 10  # at the left, for names of rows and losses; between columns
LEAST_COLUMN_PX, MOST_COLUMN_PX = 70, 190
STEP_PX, LOSS_PX, WORD_PX, BAR_PX, LEADER_PX = 20, 16, 20, 6, 30  # heights: a step, its loss, its guess, lines to it
AXIS_PX, SCALE_PX, TITLE_PX = 18, 20, 20
LABEL_PX, NAME_TYPE_PX, STEP_TYPE_PX, LEAST_ROW_PX = 10.5, 11.5, 13, 11
LEAST_SIDE_PX = 24  # of a picture in a column
TOP = 0.42  # share of the height that the loss and the large picture have at least
EVEN_FROM = 20  # steps: up to here even, from here on logarithmic
LARGE = 0.32  # share of the width, of the snapshot that is large
WORDS_RATIO = 1.25  # height of a column with all words, of its width
LEAST_LINE = 1.75  # of a word with its bar, in heights of its type
CENTER = Qt.AlignmentFlag.AlignCenter


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
    begins_with: str = UNTRAINED  # see `runs.stages.Steps`

    @property
    def some(self) -> Frame | None:
        return next(iter(self.frames.values()), None)

    @property
    def has_guess(self) -> bool:
        """Whether there is a line of guesses below the pictures."""
        return self.picture != WORDS and self.some is not None and bool(self.some.guesses)

    @property
    def height_of_width(self) -> float:
        """Of the picture in a column."""
        if self.picture == WORDS:
            lines = [len(guess.words) for guess in self.some.guesses] if self.some is not None else [1]
            return WORDS_RATIO * max(lines, default=1) / MOST_WORDS
        layers, heads = self.some.heads.shape[:2] if self.some is not None else (1, 1)
        return min(layers / heads, 1.6) if self.picture == ATLAS else 1.0

    def step_name(self, frame: Frame) -> str:
        """Of a model that was trained before, step 0 is that model."""
        names = {TUNING: say("before fine-tuning"), GOING_ON: say("before this run")}
        step = say("step {step}", step=numbers.count(frame.step))
        return step if frame.step else names.get(self.begins_with, step)

    def guesses(self, frame: Frame) -> Guesses | None:
        """For the mask or word that is looked at, else the first."""
        position = position_to_show(self.frames[max(self.frames)].guesses, self.position)
        pinned = [one for one in frame.guesses if one.position == position]
        return next(iter([*pinned, *frame.guesses]), None)


class FilmPlan:
    """Where everything is, for one size in pixels."""

    def __init__(self, film: Film, width: float, height: float) -> None:
        gap, name = theme.px(GAP_PX), theme.px(NAME_PX)
        across = width - name
        self.shown = spread(film.snapshots, max(int(across // (theme.px(LEAST_COLUMN_PX) + gap)), 1))
        count = max(len(self.shown), 1)
        pitch = min(across / count, theme.px(MOST_COLUMN_PX) + gap)
        loss = theme.px(LOSS_PX) * (film.curve is not None)
        around = theme.px(LEADER_PX + STEP_PX + SCALE_PX + 5) + loss + theme.px(WORD_PX + BAR_PX + 6) * film.has_guess
        fits = (height * (1 - TOP) - around) / film.height_of_width
        side = max(min(pitch - gap, fits), theme.px(LEAST_SIDE_PX))
        picture = side * film.height_of_width
        self.top = max(height - around - picture, 1.0)  # of the lines to the columns
        self.columns, self.steps, self.losses = list[QRectF](), list[QRectF](), list[QRectF]()
        self.pictures, self.guesses, self.bars = list[QRectF](), list[QRectF](), list[QRectF]()
        for number in range(count):
            left, inner = name + number * pitch, pitch - gap
            y = self.top + theme.px(LEADER_PX)
            self.columns.append(QRectF(left, y, pitch, height - theme.px(SCALE_PX) - y))
            self.steps.append(QRectF(left, y, pitch, theme.px(STEP_PX)))
            y += theme.px(STEP_PX)
            self.losses.append(QRectF(left, y, pitch, loss))
            y += loss + theme.px(2)
            self.pictures.append(QRectF(left + (pitch - side) / 2, y, side, picture))
            y += picture + theme.px(3)
            self.guesses.append(QRectF(left + gap / 2, y, inner, theme.px(WORD_PX)))
            self.bars.append(QRectF(left + gap / 2, y + theme.px(WORD_PX), inner, theme.px(BAR_PX)))
        self.name_width = name - theme.px(6)
        self.scale = QRectF(name, height - theme.px(SCALE_PX), width - name, theme.px(SCALE_PX))
        title, wide = theme.px(TITLE_PX), width * LARGE
        self.large_title = QRectF(width - wide, 0, wide, title)
        self.large = QRectF(width - wide, title, wide, max(self.top - title, 1.0))
        right = self.large_title.left() - theme.px(28)
        self.curve = QRectF(name, title, right - name, max(self.top - title - theme.px(AXIS_PX), 1.0))
        places = [log_place(step) for step in film.snapshots] or [0.0]
        self._first, self._span = places[0], max(places[-1] - places[0], 1e-6)

    def x_of(self, step: float) -> float:
        """On the axis of steps."""
        inside = self.curve.adjusted(6, 0, -6, 0)
        return inside.left() + (log_place(step) - self._first) / self._span * inside.width()

    def column_at(self, point: QPointF) -> int | None:
        """Index among all snapshots."""
        return next((self.shown[at] for at, box in enumerate(self.columns) if box.contains(point)), None)


def log_place(step: float) -> float:
    """Places on the axis of steps: they grow with the logarithm, and there is one for 0."""
    return math.log(EVEN_FROM + step)


def spread(steps: Sequence[int], most: int) -> list[int]:
    """Indices of at most so many steps: the first, the last, and those between at about even distances on the axis."""
    if len(steps) <= most or most < 2:
        return list(range(len(steps)))[-most:]
    places = [log_place(step) for step in steps]
    wanted = np.linspace(places[0], places[-1], most).tolist()
    return sorted({min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted})


def grid(box: QRectF, shape: tuple[int, ...], gap: float) -> list[list[QRectF]]:
    """Square cells for every head, a layer in each row, in the middle of a box. shape: (L,N,…)."""
    layers, heads = shape[:2]
    side = min((box.width() - (heads - 1) * gap) / heads, (box.height() - (layers - 1) * gap) / layers)
    left, pitch = box.left() + (box.width() - heads * side - (heads - 1) * gap) / 2, side + gap
    return [
        [QRectF(left + head * pitch, box.top() + layer * pitch, side, side) for head in range(heads)]
        for layer in range(layers)
    ]


class FilmPicture:
    """One film at one size."""

    def __init__(self, film: Film, width: float, height: float) -> None:
        self.film, self.plan, self.size = film, FilmPlan(film, width, height), (width, height)
        losses = np.array([0.0]) if film.curve is None else film.curve.losses
        margin = max(float(np.ptp(losses)), 1e-3) * 0.06
        self._low, self._high = max(float(losses.min()) - margin, 0.0), float(losses.max()) + margin

    def paint(self, painter: QPainter, now: int | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for shape in self.shapes(now):
            shape.paint(painter)

    def shapes(self, now: int | None = None, hovered: int | None = None) -> Iterator[Shape]:
        """now: another snapshot that is large; hovered: one whose column is marked."""
        now = self.film.now if now is None else now
        if self.film.curve is not None:
            yield from self._loss(self.film.curve, now)
        for place, index in enumerate(self.plan.shown):
            yield from self._column(place, index, now, hovered)
        yield from self._row_names()
        if now in self.film.frames:
            yield from self._large(self.film.frames[now])

    def large_cells(self) -> Sequence[Sequence[QRectF]]:
        """Of the heads in the large picture; empty where it shows something else."""
        frame = self.film.frames.get(self.film.now)
        if frame is None or self.film.picture != ATLAS:
            return ()
        return grid(self.plan.large, frame.heads.shape, theme.px(4))

    # The loss.

    def _y_of(self, loss: float) -> float:
        return self.plan.curve.bottom() - (loss - self._low) / (self._high - self._low) * self.plan.curve.height()

    def _loss(self, curve: LossCurve, now: int) -> Iterator[Shape]:
        box, text = self.plan.curve, say("Loss on masked words in training, averaged: how wrong its guesses are.")
        if curve.is_held_out:
            text = say("Loss on held-out text: how wrong its guesses are.")
        elif self.film.is_task:
            text = say("Training loss, averaged: how wrong its guesses are.")
        in_full = f"{text} {say('Early steps are drawn further apart (logarithmic).')}"
        fits = _width(in_full, NAME_TYPE_PX) <= box.right()
        yield Words(QRectF(0, 0, box.right(), box.top()), in_full if fits else text, "muted", NAME_TYPE_PX)
        most = max(box.height() / theme.px(34), 3)
        step = next(size for size in (0.1, 0.2, 0.5, 1, 2, 5, 10, 1e9) if (self._high - self._low) / size <= most)
        for number in range(math.ceil(self._low / step), int(self._high / step) + 1):
            y = self._y_of(number * step)
            yield Line(QPointF(box.left(), y), QPointF(box.right(), y), snaps=False)
            place = QRectF(0, y - theme.px(9), box.left() - theme.px(6), theme.px(18))
            yield Words(place, numbers.number(number * step), "muted", LABEL_PX, align=theme.RIGHT)
        xs = [self.plan.x_of(step) for step in curve.steps]
        for losses, color, width in ((curve.losses, "bar", 1.0), (curve.smooth, "curve_train", 2.2)):
            path = QPainterPath()
            points = (QPointF(x, self._y_of(y)) for x, y in zip(xs, losses, strict=True) if x <= box.right())
            path.addPolygon(QPolygonF(list(points)))
            yield Path(path, QPen(theme.color(color), theme.px(1) * width * 0.8))
        yield from self._marks(curve, box)
        for column, index in zip(self.plan.steps, self.plan.shown, strict=False):
            yield from self._leader(curve, column, self.film.snapshots[index], index == now)
        right, width = -1e9, theme.px(54)
        for tick in (0, *(10**power for power in range(1, 9) if 10**power <= self.film.snapshots[-1])):
            x = self.plan.x_of(tick)
            if x - right >= width:
                right = x
                place = QRectF(x - width / 2, box.bottom() + theme.px(1), width, theme.px(16))
                yield from _on_card(place, numbers.count(tick))

    def _marks(self, curve: LossCurve, box: QRectF) -> Iterator[Shape]:
        """A line for each, and its words: behind it where there is room, else before."""
        row, texts = theme.px(15), list[tuple[float, str, bool]]()  # x of the mark, words, whether they are behind it
        for mark in curve.marks:
            x = self.plan.x_of(mark.x)
            yield Line(QPointF(x, box.top()), QPointF(x, box.bottom()), "muted", dashed=True, snaps=False)
            is_behind = x + theme.px(5) + _width(mark.after) <= box.right()
            texts += [(x, mark.before, False), (x, mark.after, is_behind)]
        texts = [text for text in texts if text[1]]
        if box.height() < 2.5 * row * len(texts):  # they would cover the curve
            return
        for line, (x, text, is_behind) in enumerate(texts):
            wide = _width(text) + theme.px(4)
            left = x + theme.px(4) if is_behind else x - theme.px(4) - wide
            yield from _on_card(QRectF(left, box.top() + line * row, wide, row), text)

    def _leader(self, curve: LossCurve, column: QRectF, step: int, is_now: bool) -> Iterator[Shape]:
        """From the curve to a column."""
        at = QPointF(self.plan.x_of(step), self._y_of(curve.at(step)))
        end, top, bend = column.center().x(), column.top() + theme.px(2), self.plan.curve.bottom()
        middle, lift, path = (bend + top) / 2, theme.px(6), QPainterPath(at)
        path.lineTo(at.x(), bend)
        path.cubicTo(at.x(), middle + lift, end, middle - lift, end, top)
        color = theme.color("accent" if is_now else "faint")
        yield Path(path, QPen(color, theme.px(1) * (1.6 if is_now else 0.8)))
        radius, fill = theme.px(5 if is_now else 4), "curve_train" if is_now else "card"
        circle = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
        yield Box(circle, fill, "curve_train", theme.px(1) * 1.6, radius)

    # The columns.

    def _column(self, place: int, index: int, now: int, hovered: int | None) -> Iterator[Shape]:
        film, plan, step = self.film, self.plan, self.film.snapshots[index]
        if index in (now, hovered):
            yield Box(plan.columns[place], "accent_tint" if index == now else "hover", radius_px=theme.px(6))
        color = "accent" if index == now else "ink"
        yield Words(plan.steps[place], numbers.count(step), color, STEP_TYPE_PX, True, CENTER)
        if film.curve is not None:
            loss = say("loss ≈ {loss}", loss=numbers.decimal(film.curve.at(step)))
            yield Words(plan.losses[place], loss, "muted", LABEL_PX, align=CENTER)
        frame, box, line = film.frames.get(index), plan.pictures[place], plan.guesses[place]
        if frame is None:
            yield Box(box, line="line")
        elif film.picture == WORDS:
            yield from self._words(QRectF(line.left(), box.top(), line.width(), box.height()), frame, 12)
        elif film.picture == HEAD:
            side = min(box.width(), box.height())
            yield from self._head(QRectF(box.left(), box.top(), side, side), frame)
        else:
            yield from self._atlas(box, frame, theme.px(2))
        guesses = None if frame is None or not film.has_guess else film.guesses(frame)
        if guesses is not None:
            (word, share), color = guesses.best, "good_text" if guesses.is_right else "ink"
            text = "" if share is None else numbers.probability(share)
            room = line.adjusted(0, 0, -_width(text) - theme.px(3), 0)
            yield Words(room, word, color, STEP_TYPE_PX, True)
            yield Words(line, text, "muted", LABEL_PX, align=theme.RIGHT)
            yield from _bar(plan.bars[place].adjusted(0, 1, 0, -1), share, guesses.is_right)

    def _atlas(self, box: QRectF, frame: Frame, gap: float) -> Iterator[Shape]:
        for layer, row in enumerate(grid(box, frame.heads.shape, gap)):
            for head, cell in enumerate(row):
                is_chosen = (layer, head) == self.film.head
                yield frame.sheet.shape(cell, layer, head)
                yield Box(cell, line="accent" if is_chosen else "line", line_px=1.6 if is_chosen else 0.8)

    def _head(self, box: QRectF, frame: Frame) -> Iterator[Shape]:
        layer, head = (min(at, count - 1) for at, count in zip(self.film.head, frame.heads.shape[:2], strict=True))
        yield Heat(box, Raster(frame.heads[layer, head], 0.0, 1.0))
        yield Box(box, line="line")

    def _words(self, box: QRectF, frame: Frame, size_px: float) -> Iterator[Shape]:
        """The likeliest words, each with its bar."""
        guesses = self.film.guesses(frame)
        if guesses is None:
            none = say("no answer") if self.film.is_task else say("no word is hidden")
            yield Words(box, none, "muted", LABEL_PX, align=CENTER)
            return
        line, small = theme.type_px(size_px), size_px * 0.88
        words = guesses.words[: max(int(box.height() / (line * LEAST_LINE)), 1)]
        row = min(box.height() / len(words), line * 2.6)
        bar = row * 0.2
        for number, (word, share) in enumerate(words):
            place = QRectF(box.left(), box.top() + number * row, box.width(), row - 1.4 * bar)
            is_right, shown = word == guesses.was, "" if share is None else numbers.probability(share)
            width = _width(shown, small) + theme.px(3)
            has_share = share is not None and width < place.width() / 2
            is_best = (word, share) == guesses.best
            room, color = place, "good_text" if is_right else "ink" if is_best else "muted"
            if has_share:
                room = place.adjusted(0, 0, -width, 0)
                yield Words(place, shown, "muted", small, align=theme.RIGHT)
            yield Words(room, word, color, size_px, is_best)
            yield from _bar(QRectF(box.left(), place.bottom(), box.width(), bar), share, is_right)

    def _row_names(self) -> Iterator[Shape]:
        plan, film = self.plan, self.film
        answers, (layer, head) = say("Answer") if film.is_task else say("Words"), film.head
        names = {ATLAS: say("All heads"), WORDS: answers}
        one = say("Head {layer}·{head}", layer=layer + 1, head=head + 1)
        steps = QRectF(0, plan.steps[0].top(), plan.name_width, plan.steps[0].height())
        yield Words(steps, say("Step"), "muted", NAME_TYPE_PX)
        top = QRectF(0, plan.pictures[0].top(), plan.name_width, theme.px(18))
        yield Words(top, names.get(film.picture, one), "ink", NAME_TYPE_PX, True)
        if film.picture == ATLAS:
            for number, text in enumerate((say("layers ↓"), say("heads →"))):
                yield Words(top.translated(0, theme.px(16) * (number + 1)), text, "muted", LABEL_PX)
        if film.has_guess:
            guess = QRectF(0, plan.guesses[0].top(), plan.name_width, plan.guesses[0].height())
            name, color = (answers, "ink") if film.is_task else (say("Guess"), "mask")
            yield Words(guess, name, color, NAME_TYPE_PX, True)
        if film.picture == WORDS:
            return
        box, ends, long = plan.scale, theme.px(16), theme.px(90)
        bar = QRectF(box.right() - ends - long, box.top() + theme.px(4), long, box.height() - theme.px(8))
        yield Painted(partial(paint_scale, bar=bar))
        name = say("row: token that looks · column: what it looks at · attention, one scale for all: 0")
        before = QRectF(0, box.top(), bar.left() - theme.px(5), box.height())
        yield Words(before, name, "muted", LABEL_PX, align=theme.RIGHT)
        yield Words(QRectF(bar.right() + theme.px(5), box.top(), ends, box.height()), "1", "muted", LABEL_PX)

    # The one that is large.

    def _large(self, frame: Frame) -> Iterator[Shape]:
        box, guesses, align = self.plan.large, self.film.guesses(frame), CENTER
        if guesses is not None:
            (word, share), align = guesses.best, theme.LEFT
            text = word if share is None else f"{word} · {numbers.probability(share)}"
            color = "good_text" if guesses.is_right else "ink"
            yield Words(self.plan.large_title, text, color, STEP_TYPE_PX, True, theme.RIGHT)
        yield Words(self.plan.large_title, self.film.step_name(frame), "accent", STEP_TYPE_PX, True, align)
        if self.film.picture == WORDS:
            yield from self._words(box.adjusted(0, theme.px(6), 0, 0), frame, 17)
        elif self.film.picture == ATLAS:
            yield from self._atlas(box, frame, theme.px(4))
        else:  # with its tokens at the left, where the rows are high enough
            size = len(frame.labels)
            wide = min(max(map(_width, frame.labels)) + theme.px(6), box.width() * 0.35)
            is_high = box.height() / size >= theme.type_px(LEAST_ROW_PX) * 0.9
            has_labels = is_high and size == frame.heads.shape[-1]
            side = min(box.height(), box.width() - (wide if has_labels else 0))
            left, row = box.right() - side, side / size
            yield from self._head(QRectF(left, box.top(), side, side), frame)
            for number, (text, kind) in enumerate(zip(frame.labels, frame.kinds, strict=True) if has_labels else ()):
                place = QRectF(left - wide, box.top() + number * row, wide - theme.px(4), row)
                yield Words(place, text, kind, LABEL_PX, align=theme.RIGHT)


def _width(text: str, size_px: float = LABEL_PX) -> float:
    return QFontMetricsF(theme.font(size_px)).horizontalAdvance(text)


def _on_card(place: QRectF, text: str) -> Iterator[Shape]:
    """Small words in the middle, over what is drawn there."""
    behind = QRectF(0, 0, _width(text) + theme.px(4), place.height())
    behind.moveCenter(place.center())
    yield Box(behind, "card")
    yield Words(place, text, "muted", LABEL_PX, align=CENTER)


def _bar(bar: QRectF, share: float | None, is_right: bool) -> Iterator[Shape]:
    if share is not None:
        yield Box(bar, "track")
        filled = QRectF(bar.left(), bar.top(), max(bar.width() * share, 1.0), bar.height())
        yield Box(filled, "good" if is_right else "bar_strong")
