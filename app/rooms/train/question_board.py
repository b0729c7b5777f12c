"""All questions of a run as a board: a tick for each that the model answers right. A click chooses one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip

from bertcore.data.cloze import ClozeSentence

from ...look import theme
from ...look.icons import paint_icon
from ...look.say import say
from ...widgets.charts.pointer import ARROWS, PointerWidget

GAP_PX, LARGEST_CELL_PX, SMALLEST_CELL_PX = 3, 28, 13
NAME_PX, HEADER_PX = 10, 15


class QuestionBoard(PointerWidget):
    """A row for each category, a cell for each question. Columns that ask about the same in all rows have names."""

    chosen = Signal(int)
    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("The questions: a tick for each right answer"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._questions: tuple[ClozeSentence, ...] = ()
        self._rows: list[tuple[str, list[int]]] = []  # category, its questions
        self.names: list[str] = []  # of the columns
        self.is_right: tuple[bool, ...] = ()
        self._selected = 0
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(index))

    def set_questions(self, questions: Sequence[ClozeSentence]) -> None:
        self._questions = tuple(questions)
        rows: dict[str, list[int]] = {}
        for index, question in enumerate(questions):
            rows.setdefault(question.category, []).append(index)
        self._rows = list(rows.items())
        self.names = _shared_first_words([[questions[index].text for index in inside] for inside in rows.values()])
        self.is_right = ()
        self.updateGeometry()
        self.update()

    def set_right(self, is_right: tuple[bool, ...]) -> None:
        self.is_right = is_right
        right = say("{right} of {all} right", right=sum(is_right), all=len(is_right))
        self.setAccessibleDescription(right)
        self.update()

    def set_selected(self, index: int) -> None:
        self._selected = index
        self.update()

    def cell_rect(self, index: int) -> QRectF:
        """Where a question's cell is, in this widget's pixels."""
        row = next(number for number, (_, inside) in enumerate(self._rows) if index in inside)
        column, side, step = self._rows[row][1].index(index), self._side(), self._step()
        top = self._header + row * (side + theme.px(GAP_PX))
        return QRectF(self._label_width() + column * step, top, step - theme.px(GAP_PX), side)

    def cell_at(self, point: QPointF) -> int | None:
        return next((i for i in range(len(self._questions)) if self.cell_rect(i).contains(point)), None)

    def cell_after(self, cell: int | None, key: int) -> int | None:
        if key not in ARROWS or not self._rows:
            return None
        down, right = ARROWS[key]
        row = next(number for number, (_, inside) in enumerate(self._rows) if (cell or 0) in inside)
        column = self._rows[row][1].index(cell or 0) + right
        row += down
        if not 0 <= row < len(self._rows) or not 0 <= column < len(self._rows[row][1]):
            return None
        return self._rows[row][1][column]

    def selected_cell(self) -> int | None:
        return self._selected if self._questions else None

    @property
    def _header(self) -> int:
        return theme.px(HEADER_PX) if self.names else 0

    def _columns(self) -> int:
        return max((len(inside) for _, inside in self._rows), default=1)

    def _label_width(self) -> float:
        metrics = QFontMetricsF(theme.font(11))
        return max((metrics.horizontalAdvance(name) for name, _ in self._rows), default=0.0) + theme.px(8)

    def _side(self) -> float:
        wide = (self.width() - self._label_width()) / self._columns() - theme.px(GAP_PX)
        high = (self.height() - self._header) / max(len(self._rows), 1) - theme.px(GAP_PX)
        return float(int(max(theme.px(SMALLEST_CELL_PX), min(wide, high, theme.px(LARGEST_CELL_PX)))))

    def _step(self) -> float:
        """From column to column: cells are wider than high where their names need it."""
        most = (self.width() - self._label_width()) / self._columns()
        return float(int(max(self._side() + theme.px(GAP_PX), min(self._name_width(), most))))

    def _name_width(self) -> float:
        metrics = QFontMetricsF(theme.font(NAME_PX))
        return max((metrics.horizontalAdvance(name) + theme.px(5) for name in self.names), default=0.0)

    def _size(self, cell_px: float) -> QSize:
        step = theme.px(cell_px) + theme.px(GAP_PX)
        height = self._header + max(len(self._rows), 1) * step
        return QSize(int(self._label_width() + self._columns() * step) + 2, height)

    def sizeHint(self) -> QSize:
        size, named = self._size(LARGEST_CELL_PX), self._label_width() + self._columns() * self._name_width()
        return QSize(max(size.width(), int(named) + self._columns() + 2), size.height())

    def minimumSizeHint(self) -> QSize:
        return self._size(SMALLEST_CELL_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        side = self._side()
        for row, (name, inside) in enumerate(self._rows):
            box = QRectF(0, self._header + row * (side + theme.px(GAP_PX)), self._label_width(), side)
            theme.draw_text(painter, box, name, "muted", 11)
            for index in inside:
                self._paint_cell(painter, index)
        self._paint_names(painter, self._step())

    def _paint_names(self, painter: QPainter, step: float) -> None:
        """Whole, or a first letter each where the cells are too narrow for one of them."""
        fits = self._name_width() <= step + 1
        for column, name in enumerate(self.names):
            box = QRectF(self._label_width() + column * step - 1, 0, step, self._header)
            box.translate(-theme.px(GAP_PX) / 2, 0)
            theme.draw_text(
                painter, box, name if fits else name[:1], "muted", NAME_PX, align=Qt.AlignmentFlag.AlignCenter
            )

    def _paint_cell(self, painter: QPainter, index: int) -> None:
        cell, radius = self.cell_rect(index), theme.px(3)
        is_right = index < len(self.is_right) and self.is_right[index]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("good" if is_right else "track"))
        painter.drawRoundedRect(cell, radius, radius)
        if is_right:
            mark = QRectF(0, 0, cell.height() * 0.6, cell.height() * 0.6)
            mark.moveCenter(cell.center())
            paint_icon(painter, "check", mark, theme.color("card"))
        if index in (self._selected, self.hovered_cell):
            painter.setPen(QPen(theme.color("accent" if index == self._selected else "muted"), theme.px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(cell.adjusted(-1, -1, 1, 1), radius, radius)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.cell_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if index is None else self._tip(index), self)
            return True
        return super().event(event)

    def _tip(self, index: int) -> str:
        question = self._questions[index]
        answer = say("right answer: {word}", word=question.answers[0])
        return f"{question.text}\n{answer}"


def _shared_first_words(rows: list[list[str]]) -> list[str]:
    """The first word of each column, if it is the same in all rows; else none."""
    columns = {tuple(text.split(maxsplit=1)[0] for text in row) for row in rows if all(row)}
    return list(columns.pop()) if len(columns) == 1 and len(rows) > 1 else []
