"""The rooms, down the left side of the window."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QWidget

from ..look import say, theme
from ..look.icons import paint_icon
from .layouts import vbox

WIDTH_PX, BUTTON_PX, HEIGHT_PX = 76, 60, 56
PROJECTED_PX = 50  # the height on a projector: there the type grows less than everything else
NARROW_PX = 28  # a button with its icon alone


class RoomButton(QAbstractButton):
    """An icon over a name; the room that is open stands on a tint and in bold."""

    def __init__(self, room_key: str, title: str, hint: str) -> None:
        super().__init__()
        self.room_key = room_key
        self._hint, self._is_narrow = hint, False
        self.setText(title)
        self.setToolTip(hint)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # not by a click: another room may be opened by its key
        self.setFixedSize(self.sizeHint())

    def set_narrow(self, is_narrow: bool) -> None:
        """The icon alone; the tool tip has the name then."""
        self._is_narrow = is_narrow
        self.setToolTip(f"{self.text()}\n{self._hint}" if is_narrow else self._hint)
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.font(11.5, bold=True)).horizontalAdvance(self.text()) + theme.px(4)
        return QSize(
            max(theme.column_px(BUTTON_PX), words), theme.px(PROJECTED_PX if theme.is_projector() else HEIGHT_PX)
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, rect, side = theme.painter(self), QRectF(self.rect()), theme.px(22)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            painter.setPen(theme.focus_pen() if self.hasFocus() else Qt.PenStyle.NoPen)
            tint = "accent_tint" if self.isChecked() else "hover" if self.underMouse() else ""
            painter.setBrush(theme.color(tint) if tint else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), theme.px(8), theme.px(8))
        color = "accent" if self.isChecked() else "muted"
        higher = theme.px(3) if theme.is_projector() else 0  # where the button has less room below its words
        top = (rect.height() - side) / 2 if self._is_narrow else theme.px(9) - higher
        paint_icon(painter, self.room_key, QRectF((rect.width() - side) / 2, top, side, side), theme.color(color))
        if not self._is_narrow:
            align, words = (
                Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop,
                rect.adjusted(0, theme.px(34) - higher, 0, 0),
            )
            theme.draw_text(painter, words, self.text(), color, 11.5, align=align, bold=self.isChecked())


class RoomRail(QFrame):
    """Emits the id of the room that was chosen."""

    room_chosen = Signal(str)

    def __init__(self, rooms: list[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        """rooms: (id, title, hint) from top to bottom."""
        super().__init__(parent)
        self.setProperty("look", "rail")
        self.setAccessibleName(say("Rooms"))
        self._buttons: dict[str, RoomButton] = {}
        self._group = QButtonGroup(self)
        left, right = self._sides = (2, 2) if theme.is_projector() else (8, 7)
        layout = vbox(parent=self, gap_px=5, margins=(left, theme.px(12), right, 0))
        for room_key, title, hint in rooms:
            made = RoomButton(room_key, title, hint)
            made.clicked.connect(lambda _checked=False, room=room_key: self.room_chosen.emit(room))
            self._group.addButton(made)
            layout.addWidget(made)
            self._buttons[room_key] = made
        layout.addStretch(1)
        self.set_narrow(False)

    def set_narrow(self, is_narrow: bool) -> None:
        """Icons without names, where what is beside the rail needs the room."""
        widths = [made.sizeHint().width() for made in self._buttons.values()]
        width = theme.px(NARROW_PX) if is_narrow else max(widths, default=0)
        for made in self._buttons.values():
            made.set_narrow(is_narrow)
            made.setFixedWidth(width)
        outer = width + sum(self._sides)
        self.setFixedWidth(outer if is_narrow else max(theme.column_px(WIDTH_PX), outer))

    def set_room(self, room_key: str) -> None:
        self._buttons[room_key].setChecked(True)
