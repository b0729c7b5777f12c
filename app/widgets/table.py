"""Things one below the other: a table, or a list whose rows are drawn.

table = Table(say("The runs of the sweep"))
table.set_rows(runs, [Column(say("Run"), name_of), Column(say("Loss"), loss_text, is_number=True, sort=loss_of)])
table.row_clicked.connect(...)    the thing in the row; `row_opened`: by a double click or Enter

class RunList(RowList):
    row_px = 58
    def row_text(self, row): ...                         what screen readers say
    def row_tip(self, row): ...                          the tool tip; left out: none
    def paint_row(self, painter, box, row, state): ...   row: one of those given to `set_rows`

runs.set_rows(rows); runs.set_current(2)
runs.row_chosen.connect(...); runs.row_menu_requested.connect(...)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from ..look import theme
from ..look.fitting import fitting_line, plain_tip
from .charts.pointer import ENTER

Index = QModelIndex | QPersistentModelIndex
NONE = QModelIndex()
ROW = Qt.ItemDataRole.UserRole  # of an index: the thing itself
SORT = ROW + 1  # what it is sorted by


@dataclass(frozen=True)
class Column:
    """What it says of a thing. color: a name in the theme, or "". sort: what a click on its title sorts by."""

    title: str
    text: Callable[[Any], str]
    tip: Callable[[Any], str] = lambda _row: ""
    color: Callable[[Any], str] = lambda _row: ""
    sort: Callable[[Any], Any] | None = None
    is_strong: Callable[[Any], bool] = lambda _row: False
    is_number: bool = False  # stands at the right
    is_widest: bool = False  # it takes what the others, as wide as their words, leave
    title_tip: str = ""


class Rows(QAbstractTableModel):
    """The things, by columns; the role ROW gives one of them."""

    def __init__(self, parent: QObject, columns: Sequence[Column] = ()) -> None:
        super().__init__(parent)
        self.rows: Sequence[Any] = ()
        self.columns = columns

    def set_rows(self, rows: Sequence[Any], columns: Sequence[Column] | None = None) -> None:
        """columns: left out, those of before; then as many things as there were leave alone what is under the mouse."""
        if columns is None and len(rows) == len(self.rows):
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows, self.columns = rows, self.columns if columns is None else columns
        self.endResetModel()

    def rowCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return fitting_line(column.text(row))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(column.tip(row))
            case Qt.ItemDataRole.ForegroundRole if color := column.color(row):
                return theme.color(color)
            case Qt.ItemDataRole.FontRole if column.is_strong(row):
                return theme.font(medium=True)
            case Qt.ItemDataRole.TextAlignmentRole if column.is_number:
                return theme.RIGHT
            case _ if role == ROW:
                return row
            case _ if role == SORT and column.sort is not None:
                return column.sort(row)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.title_tip or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return theme.RIGHT if column.is_number else theme.LEFT
        return None


class Table(QTableView):
    """A row for each thing. Where columns say what they are sorted by, a click on the title of one sorts."""

    row_clicked = Signal(object)
    row_opened = Signal(object)

    def __init__(self, name: str, columns: Sequence[Column] = ()) -> None:
        """name: for screen readers. columns: for `update_rows`."""
        super().__init__()
        self.things, self._sorted = Rows(self), QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.things)
        self._sorted.setSortRole(SORT)
        self.setModel(self._sorted)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.clicked.connect(lambda index: self.row_clicked.emit(index.data(ROW)))
        self.activated.connect(lambda index: self.row_opened.emit(index.data(ROW)))
        if columns:
            self.set_rows((), columns)

    def set_rows(self, rows: Sequence[Any], columns: Sequence[Column]) -> None:
        """In the order in which they are given, until the title of a column is clicked."""
        header = self.horizontalHeader()
        self.setSortingEnabled(False)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._sorted.sort(-1)
        self.things.set_rows(rows, columns)
        self.setSortingEnabled(any(column.sort is not None for column in columns))
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        widest = [place for place, column in enumerate(columns) if column.is_widest]
        for place in range(len(columns)) if widest else ():
            mode = QHeaderView.ResizeMode.Stretch if place in widest else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(place, mode)

    def update_rows(self, rows: Sequence[Any]) -> None:
        """In the columns it was made with. A person's place stays while nothing is another."""
        if list(rows) != list(self.things.rows):
            self.set_rows(rows, self.things.columns)

    @property
    def current(self) -> Any:
        """The thing that is selected, else the first; None where there is none."""
        return self.currentIndex().data(ROW) or next(iter(self.shown), None)

    @property
    def shown(self) -> list[Any]:
        """The things in the order of the rows."""
        return [self._sorted.index(row, 0).data(ROW) for row in range(self._sorted.rowCount())]


class RowList(QListView):
    row_chosen = Signal(object)
    row_menu_requested = Signal(object, QPoint)  # the row, and a point of the screen
    row_px: float = 28

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._things = Rows(self, [Column("", lambda row: self.row_text(row), lambda row: self.row_tip(row))])
        self.setModel(self._things)
        self.setItemDelegate(_RowDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        for policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        self.clicked.connect(lambda index: self.row_chosen.emit(self.rows[index.row()]))

    @property
    def rows(self) -> Sequence[Any]:
        return self._things.rows

    def set_rows(self, rows: Sequence[Any]) -> None:
        self._things.set_rows(rows)
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()

    def set_current(self, place: int | None) -> None:
        """Where the arrow keys begin."""
        self.setCurrentIndex(QModelIndex() if place is None else self.model().index(place, 0))

    def row_rect(self, place: int) -> QRectF:
        """Where a row is drawn, in this widget's pixels."""
        return QRectF(self.visualRect(self.model().index(place, 0)))

    def row_text(self, row: Any) -> str:
        return ""

    def row_tip(self, row: Any) -> str:
        return ""

    def paint_row(self, painter: QPainter, box: QRectF, row: Any, state: QStyle.StateFlag) -> None:
        """state: State_MouseOver where the mouse is at it."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), len(self.rows) * theme.px(self.row_px))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrow keys choose at once."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        place = self.currentIndex().row()
        if place >= 0 and (place != before or event.key() in ENTER):
            self.row_chosen.emit(self.rows[place])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if index.isValid():
            self.row_menu_requested.emit(self.rows[index.row()], event.globalPos())


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, view: RowList) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._view.paint_row(painter, QRectF(option.rect), self._view.rows[index.row()], option.state)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, round(theme.px(self._view.row_px)))
