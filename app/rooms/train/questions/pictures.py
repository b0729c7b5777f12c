"""The questions of a run in pictures: one of them with the model's word in it, and all of them on a board."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy

from bertcore.data.cloze import ClozeSentence
from bertcore.tokenizer.special_tokens import MASK

from ....look import say, theme
from ....widgets.charts.drawing import Box, Drawing, Icon, Shape, Words
from ....widgets.charts.pointer import ARROWS

GAP_PX, LARGEST_CELL_PX, SMALLEST_CELL_PX = 3, 28, 12
NAME_PX, HEADER_PX, LABEL_PX = 10, 15, 11
LARGEST_PX, SMALLEST_PX, PADDING_PX, SENTENCE_PX = 25.0, 13.0, 8, 44  # of the sentence in large type
TICK = "✓"


class GuessedSentence(Drawing):
    """A sentence in large type with the model's first word in the place of the [MASK].

    The word is on purple while it is wrong, on green and with a tick once it is right.
    """

    hint_px = least_px = (0, SENTENCE_PX)

    def __init__(self) -> None:
        super().__init__("")
        self.text, self.guess, self.is_right = "", "", False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_guess(self, text: str, guess: str = "", is_right: bool = False) -> None:
        """text: with one [MASK], or without for a plain sentence; without a guess the mask itself is shown."""
        self.text, self.guess, self.is_right = text, guess or MASK, is_right
        self.setAccessibleName(text.replace(MASK, self.guess))
        self.redraw()

    def shapes(self) -> Iterator[Shape]:
        before, mask, after = self.text.partition(MASK)
        word = f"{self.guess} {TICK}" if mask and self.is_right else self.guess if mask else ""
        padding = theme.px(PADDING_PX) if word else 0

        def widths(size_px: float) -> tuple[float, float, float]:
            plain, bold = (QFontMetricsF(theme.font(size_px, bold=is_bold)) for is_bold in (False, True))
            chip = bold.horizontalAdvance(word) + 2 * padding
            return plain.horizontalAdvance(before), chip, plain.horizontalAdvance(after)

        needs = max(sum(widths(LARGEST_PX)) + theme.px(4), 1.0)
        size_px = max(SMALLEST_PX, min(LARGEST_PX, LARGEST_PX * self.width() / needs))  # as large as it fits
        start, chip, end = widths(size_px)
        yield Words(QRectF(0, 0, start + 2, self.height()), before, size_px=size_px)
        if word:
            line_px = QFontMetricsF(theme.font(size_px, bold=True)).height()
            box = QRectF(start, 0, chip, min(line_px + theme.px(8), self.height()))
            box.moveTop((self.height() - box.height()) / 2)
            tint, ink = ("good_tint", "good_text") if self.is_right else ("mask_tint", "mask")
            yield Box(box.adjusted(1, 0.5, -1, -0.5), tint, "line", radius_px=theme.px(7))
            yield Words(QRectF(start + padding, 0, chip + 2, self.height()), word, ink, size_px, bold=True)
        yield Words(QRectF(start + chip, 0, end + 2, self.height()), after, size_px=size_px)


class QuestionBoard(Drawing):
    """All questions, with a tick for each that the model answers right; a click chooses one.

    A row for each category, a cell for each question. Columns that ask about the same in all rows have names.
    """

    chosen = Signal(int)
    arrows_click = True

    def __init__(self) -> None:
        super().__init__(say("The questions: a tick for each right answer"), Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._questions: tuple[ClozeSentence, ...] = ()
        self._places: list[tuple[int, int]] = []  # row and column of each question
        self._categories: list[str] = []  # of the rows
        self._columns = 1
        self.names: list[str] = []  # of the columns
        self.is_right: tuple[bool, ...] = ()
        self.words: tuple[tuple[str, str], ...] = ()
        self._selected = 0
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(index))

    def set_questions(self, questions: Sequence[ClozeSentence]) -> None:
        self._questions, self.is_right = tuple(questions), ()
        rows: dict[str, list[str]] = {}
        places = []
        for question in questions:
            texts = rows.setdefault(question.category, [])
            places.append((list(rows).index(question.category), len(texts)))
            texts.append(question.text)
        self._places, self._categories, self.names = places, list(rows), []
        # A column has a name where its questions begin with the same word in all rows.
        columns = {tuple(text.split(maxsplit=1)[0] for text in row) for row in rows.values() if all(row)}
        if len(columns) == 1 and len(rows) > 1:
            self.names = list(columns.pop())
        self._columns = max((column + 1 for _, column in places), default=1)
        self.updateGeometry()
        self.redraw()

    def set_right(self, is_right: tuple[bool, ...], words: tuple[tuple[str, str], ...] = ()) -> None:
        """words: what is said here, and by the model of another world; in the place of ticks."""
        self.is_right, self.words = is_right, words
        self.setAccessibleDescription(say("{right} of {all} right", right=sum(is_right), all=len(is_right)))
        self.redraw()

    def cell_rect(self, index: int) -> QRectF:
        """Where a question's cell is, in this widget's pixels."""
        (row, column), side, step, gap = self._places[index], self._side(), self._step(), theme.px(GAP_PX)
        return QRectF(self._label_width() + column * step, self._header + row * (side + gap), step - gap, side)

    def cell_at(self, point: QPointF) -> int | None:
        return next((i for i in range(len(self._questions)) if self.cell_rect(i).contains(point)), None)

    def cell_after(self, cell: int | None, key: int) -> int | None:
        if key not in ARROWS or not self._places:
            return None
        (row, column), (down, right) = self._places[cell or 0], ARROWS[key]
        place = row + down, column + right
        return self._places.index(place) if place in self._places else None

    def set_hovered(self, cell: int | None) -> None:
        super().set_hovered(cell)
        self.setToolTip("")
        if cell is not None:
            question = self._questions[cell]
            self.setToolTip(f"{question.text}\n{say('right answer: {word}', word=question.answers[0])}")

    @property
    def _header(self) -> int:
        return theme.px(HEADER_PX) if self.names else 0

    def _label_width(self) -> float:
        return _widest(self._categories, LABEL_PX) + theme.px(8)

    def _side(self) -> float:
        wide = (self.width() - self._label_width()) / self._columns - theme.px(GAP_PX)
        high = (self.height() - self._header) / max(len(self._categories), 1) - theme.px(GAP_PX)
        return float(int(max(theme.px(SMALLEST_CELL_PX), min(wide, high, theme.px(LARGEST_CELL_PX)))))

    def _step(self) -> float:
        """From column to column: cells are wider than high where their names need it."""
        most = (self.width() - self._label_width()) / self._columns
        return float(int(max(self._side() + theme.px(GAP_PX), most if self.words else min(self._name_width(), most))))

    def _name_width(self) -> float:
        return _widest(self.names, NAME_PX) + theme.px(5) if self.names else 0.0

    def _size(self, cell_px: float) -> QSize:
        step = theme.px(cell_px) + theme.px(GAP_PX)
        height = self._header + max(len(self._categories), 1) * step
        return QSize(int(self._label_width() + self._columns * step) + 2, height)

    def sizeHint(self) -> QSize:
        size, named = self._size(LARGEST_CELL_PX), self._label_width() + self._columns * self._name_width()
        return QSize(max(size.width(), int(named) + self._columns + 2), size.height())

    def minimumSizeHint(self) -> QSize:
        return self._size(SMALLEST_CELL_PX)

    def shapes(self) -> Iterator[Shape]:
        side, step, left, gap = self._side(), self._step(), self._label_width(), theme.px(GAP_PX)
        for row, name in enumerate(self._categories):
            yield Words(QRectF(0, self._header + row * (side + gap), left, side), name, "muted", LABEL_PX)
        for index in range(len(self._questions)):
            cell, is_right = self.cell_rect(index), index < len(self.is_right) and self.is_right[index]
            if self.words:
                yield from _word_shapes(cell, *self.words[index], is_right)
                continue
            yield Box(cell, "good" if is_right else "track", radius_px=theme.px(3))
            if is_right:
                sign = QRectF(0, 0, cell.height() * 0.6, cell.height() * 0.6)
                sign.moveCenter(cell.center())
                yield Icon(sign, "check", "card")
        fits = self._name_width() <= step + 1  # else a first letter each
        for column, name in enumerate(self.names):
            box = QRectF(left + column * step - 1 - gap / 2, 0, step, self._header)
            yield Words(box, name if fits else name[:1], "muted", NAME_PX, align=Qt.AlignmentFlag.AlignCenter)

    def overlay(self) -> Iterator[Shape]:
        for index in range(len(self._questions)):
            if index in (self._selected, self.hovered_cell):
                color, frame = "accent" if index == self._selected else "muted", self.cell_rect(index)
                yield Box(frame.adjusted(-1, -1, 1, 1), "", color, theme.px(2), theme.px(3))


def _word_shapes(cell: QRectF, here: str, there: str, is_right: bool) -> Iterator[Shape]:
    """One word where both worlds say the same; else the other's, and this one's."""
    text, color = f"{here} {TICK}" if is_right else here, "good" if is_right else "special"
    if here != there:
        text, color = f"{there} → {text}", "segment_b"
    size_px = LABEL_PX * min(1, (cell.width() - theme.px(4)) / (1.15 * _widest([text], LABEL_PX)))  # bold is wider
    if here != there and 1.15 * _widest([text], size_px) > cell.width():  # on a projector type is never small
        text = text.removeprefix(f"{there} ")
    yield Box(cell, f"{color}_tint", radius_px=theme.px(3))
    yield Words(
        cell,
        text,
        {"good": "good_text"}.get(color, color),
        size_px,
        bold=here != there,
        align=Qt.AlignmentFlag.AlignCenter,
    )


def _widest(texts: list[str], size_px: float) -> float:
    metrics = QFontMetricsF(theme.font(size_px))
    return max(map(metrics.horizontalAdvance, texts), default=0.0)
