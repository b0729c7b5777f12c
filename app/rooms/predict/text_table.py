"""A table with one row for each text or minimal pair of a list, sorted by a click on a column's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from ...look import numbers, theme
from ...look.fitting import fitting_line, plain_tip
from ...look.number_kinds import explained
from ...look.say import say

if TYPE_CHECKING:
    from bertcore.evaluation.score_texts import TextScore

    from ...compute.text_scores import PairScore

    Row = TextScore | PairScore

Index = QModelIndex | QPersistentModelIndex
NONE = QModelIndex()
DIFFERENCE = Qt.ItemDataRole.UserRole + 1  # of a minimal pair's sentence: up to the word that differs; from just before
LEAST_PX, AIR_PX = 80, 14  # of a column, and beside its longest number
LEAST_TABLE_PX = 500
MOST_PX = 250  # of the phenomenon, which is named in full beside the table


@dataclass(frozen=True)
class Column:
    field: str  # of TextScore or PairScore
    name: str
    kind: str = ""  # of its numbers, for the tool tip; "": words
    written: Callable[[Any], str] = str

    @property
    def is_text(self) -> bool:
        """It shares what room the others leave."""
        return self.field in ("a", "b")


def columns_for(scores: Sequence[TextScore]) -> list[Column]:
    """Those in which at least one text has something."""
    ln_p = say("ln p of the whole text (nearer to 0: likelier)")
    columns = (
        Column("a", say("Text")),
        Column("b", say("Text B")),
        Column("surprise_bits", say("Surprise (bits per token)"), "surprise", numbers.decimal),
        Column("log_likelihood", ln_p, "text_log_likelihood", numbers.decimal),
        Column("word", say("At [MASK]")),
        Column("word_probability", say("Its probability"), "probability", numbers.probability),
        Column("next_sentence", say("B follows A"), "probability", numbers.probability),
        Column("answer", say("Answer"), "", lambda one: one if isinstance(one, str) else numbers.decimal(one)),
        Column("answer_probability", say("How sure"), "probability", numbers.probability),
        Column("similarity", say("Similarity"), "cosine", numbers.decimal),
    )
    return [column for column in columns if any(getattr(score, column.field) is not None for score in scores)]


def pair_columns(*, has_phenomena: bool) -> list[Column]:
    """On the projector the sentences need the room: the phenomena are beside the table."""
    columns = [
        Column("a", say("Right")),
        Column("b", say("Wrong")),
        Column("margin_bits", say("It prefers (bits)"), "pair_margin", _preferred),
        Column("phenomenon", say("Phenomenon")),
    ]
    return columns if has_phenomena and not theme.is_projector() else columns[:3]


def _preferred(margin_bits: float) -> str:
    return say(
        "✓ right by {margin}" if margin_bits > 0 else "✗ wrong by {margin}", margin=numbers.decimal(abs(margin_bits))
    )


class _Scores(QAbstractTableModel):
    """UserRole has what a column is sorted by."""

    scores: Sequence[Row] = ()
    columns: Sequence[Column] = ()

    def set_scores(self, scores: Sequence[Row], columns: Sequence[Column]) -> None:
        self.beginResetModel()
        self.scores, self.columns = scores, columns
        self.endResetModel()

    def rowCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else len(self.scores)

    def columnCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, score = self.columns[index.column()], self.scores[index.row()]
        value = getattr(score, column.field)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.kind:
            return theme.RIGHT
        if value is None or role == Qt.ItemDataRole.UserRole:
            return value
        if role == Qt.ItemDataRole.DisplayRole:
            return fitting_line(column.written(value))
        if role == Qt.ItemDataRole.ToolTipRole and not column.kind:
            return plain_tip(column.written(value))
        if role == DIFFERENCE and column.is_text and hasattr(score, "margin_bits"):
            return _difference(score.a.split(), (score.b or "").split(), is_first=column.field == "a")
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.columns[section]
        tip, align = explained(column.kind) if column.kind else None, theme.RIGHT if column.kind else theme.LEFT
        roles = {"DisplayRole": column.name, "TextAlignmentRole": align, "ToolTipRole": tip}
        return roles.get(Qt.ItemDataRole(role).name)


def _difference(words: list[str], others: list[str], *, is_first: bool) -> tuple[str, str] | None:
    """The words of one of two sentences up to where they differ, and from just before; None where that is early."""
    same = next((i for i, (a, b) in enumerate(zip(words, others, strict=False)) if a != b), 0)
    shown = words if is_first else others
    return (" ".join(shown[: same + 1]), " ".join(shown[same - 1 :])) if same > 1 else None


class _DifferenceInSight(QStyledItemDelegate):
    """Where a minimal pair's sentences would be cut off before they differ, they lose their beginning instead."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        option.rect = QRect()  # of the whole sentence
        return super().sizeHint(option, index)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        difference, room = index.data(DIFFERENCE), option.rect.width() - theme.px(AIR_PX)
        width = option.fontMetrics.horizontalAdvance
        if difference is not None and 0 < room < min(width(option.text), width(f"{difference[0]}…")):
            option.text = fitting_line(f"…{difference[1]}")


class TextTable(QTableView):
    """A double click, or Enter, opens a row's text."""

    opened = Signal(object)  # TextScore or PairScore of the row

    def __init__(self) -> None:
        super().__init__()
        self._scores, self._sorted = _Scores(), QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._scores)
        self._sorted.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._sorted)
        self.setAccessibleName(say("What the model says about each text"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setItemDelegate(_DifferenceInSight(self))
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.doubleClicked.connect(self._open)

    def set_scores(self, scores: Sequence[Row], columns: list[Column]) -> None:
        """In the order in which they are given, until a column's name is clicked."""
        header = self.horizontalHeader()
        self.setSortingEnabled(False)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._sorted.sort(-1)
        self._scores.set_scores(scores, columns)
        self.setSortingEnabled(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setMinimumSectionSize(theme.px(LEAST_PX))
        places = range(header.count())
        needed = [max(self.sizeHintForColumn(i), header.sectionSizeHint(i)) + theme.px(AIR_PX) for i in places]
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMaximumWidth(max(sum(needed) + bar, theme.px(LEAST_TABLE_PX)))  # numbers stay beside their text
        for i, column in enumerate(columns):
            most = theme.px(MOST_PX) if column.field == "phenomenon" else header.maximumSectionSize()
            stretch, fixed = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(i, stretch if column.is_text else fixed)
            header.resizeSection(i, min(needed[i], most))

    @property
    def columns(self) -> Sequence[Column]:
        return self._scores.columns

    @property
    def shown(self) -> list[Row]:
        """In the order of the rows."""
        return [self._row_at(self._sorted.index(row, 0)) for row in range(self._sorted.rowCount())]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_current()
        else:
            super().keyPressEvent(event)

    def open_current(self) -> None:
        """As a double click on the selected row."""
        self._open(self.currentIndex())

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self._row_at(index))

    def _row_at(self, index: QModelIndex) -> Row:
        return self._scores.scores[self._sorted.mapToSource(index).row()]
