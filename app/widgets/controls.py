"""Buttons and choices that need more than the style sheet: a drawn icon, a chevron, a number typed in any way."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QMenu,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from ..look import numbers, say, theme
from ..look.fitting import plain_tip
from ..look.icons import paint_icon
from .layouts import discard

ICON_PX = 15
CHEVRON_PX = 11
TEXT_MOVES = (QEvent.Type.Resize, QEvent.Type.StyleChange, QEvent.Type.FontChange, QEvent.Type.PaletteChange)


def dress(made: QPushButton, look: str, hint: str, clicked: Callable[[], object] | None = None) -> None:
    """What all buttons have: a look of the style sheet, a tool tip, a hand over them, Tab, and what a click does."""
    made.setProperty("look", look)
    made.setToolTip(hint)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if clicked is not None:
        made.clicked.connect(lambda _checked=False: clicked())


class IconButton(QPushButton):
    """A small button that shows one icon."""

    color = "ink"  # of the icon, in the theme
    icon_px = ICON_PX

    def __init__(self, icon: str, hint: str, clicked: Callable[[], object] | None = None) -> None:
        super().__init__()
        dress(self, "icon", hint, clicked)
        self.set_icon(icon, hint)

    def set_icon(self, icon: str, hint: str) -> None:
        """It does something else now."""
        self._icon = icon
        self.setToolTip(hint)
        self.setAccessibleName(hint)
        self.update()

    def sizeHint(self) -> QSize:
        height = super().sizeHint().height()
        return QSize(height + theme.px(4), height)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rect = QRectF(0, 0, theme.px(self.icon_px), theme.px(self.icon_px))
        rect.moveCenter(QRectF(self.rect()).center())
        color = "faint" if not self.isEnabled() else "accent" if self.isChecked() else self.color
        paint_icon(QPainter(self), self._icon, rect, theme.color(color))


class ChevronButton(QPushButton):
    """A button with a chevron at its right end. Its words end in … where it is made narrower than they are."""

    points_up = False

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        missing = self.sizeHint().width() - self.width()
        if missing > 0:
            room = self.fontMetrics().horizontalAdvance(self.text()) - missing
            option.text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)
        painter = QStylePainter(self)
        with painter:
            painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        paint_chevron(self, up=self.points_up)


class MenuButton(ChevronButton):
    """Opens a menu; `fill` writes it anew each time it opens."""

    def __init__(self, text: str, fill: Callable[[QMenu], object], hint: str = "") -> None:
        super().__init__(text)
        dress(self, "menu", hint, self.open_menu)
        self.setAccessibleDescription(hint)
        self._fill = fill
        self._menu = QMenu(self)
        self._menu.setAccessibleName(hint or text)

    def open_menu(self) -> QMenu:
        """Writes the menu anew and shows it under the button."""
        return popped_up(self._menu, self._fill, self)


class Choice(QComboBox):
    """A drop-down list that looks like the other buttons. What it has no room to show in full, its tool tip says."""

    def __init__(
        self, hint: str = "", items: Mapping[Any, str] | None = None, chosen: Callable[[], object] | None = None
    ) -> None:
        """items: what there is to choose, each with its name. chosen: called when a person has chosen one."""
        super().__init__()
        self._hint = hint
        for key, name in (items or {}).items():
            self.addItem(name, key)
        if chosen is not None:
            self.activated.connect(lambda _place: chosen())
        self.setToolTip(hint)
        self.currentTextChanged.connect(self._show_tip)
        self.setAccessibleName(hint)
        self.view().setAccessibleName(hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self._room()
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        with theme.painter(self) as painter:
            painter.setPen(theme.focus_pen() if self.hasFocus() else theme.color("line"))
            painter.setBrush(theme.color("hover" if self.underMouse() else "field"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(7), theme.px(7))
            painter.setPen(theme.color("ink" if self.isEnabled() else "faint"))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        paint_chevron(self)

    def setToolTip(self, hint: str) -> None:
        self._hint = hint
        self._show_tip()

    def _room(self) -> QRect:
        """For the words."""
        return self.rect().adjusted(theme.px(10), 0, -theme.px(26), 0)

    def _show_tip(self) -> None:
        is_cut = self.fontMetrics().horizontalAdvance(self.currentText()) > self._room().width()
        super().setToolTip(plain_tip(f"{self.currentText()}\n{self._hint}") if is_cut else self._hint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tip()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + theme.px(18), theme.px(30))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(80), theme.px(30))


class SpinBox(QDoubleSpinBox):
    """Qt's without buttons, which a style sheet does not draw: it looks as a line of text does. The up and down keys
    change the number; zeros at its end are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)

    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        return text.rstrip("0").rstrip(self.locale().decimalPoint()) if self.decimals() else text

    def event(self, event: QEvent) -> bool:
        """A style sheet leaves a spin box without buttons no room for its text."""
        handled = super().event(event)
        if event.type() in TEXT_MOVES:
            self.lineEdit().setGeometry(self.rect().adjusted(theme.px(9), 1, -theme.px(4), -1))
        return handled


class NumberBox(SpinBox):
    """Enter or Tab makes it count. Also takes a decimal comma; what is no number leaves the value as it is.

    Qt's validator would keep back the end of the editing, and leave there what has no effect.
    """

    def __init__(self, name: str, low: float, high: float, *, step: float, decimals: int = 0, suffix: str = "") -> None:
        """name: for screen readers, and the tool tip."""
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(say("{name}; the up and down keys change it too", name=name))
        self.setDecimals(decimals)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setSuffix(suffix)
        self.setKeyboardTracking(False)
        self.setFixedWidth(theme.px(70))

    @property
    def is_typed_in(self) -> bool:
        """Something was typed and does not count yet."""
        return self.hasFocus() and self.lineEdit().isModified()

    def show_value(self, value: float) -> None:
        """Without a signal."""
        with QSignalBlocker(self):
            self.setValue(value)
            self.lineEdit().setText(self.textFromValue(self.value()) + self.suffix())
            self.lineEdit().setModified(False)

    def textFromValue(self, value: float) -> str:
        return numbers.decimal(value, self.decimals())

    def valueFromText(self, text: str) -> float:
        typed = text.removesuffix(self.suffix().strip()).strip().replace(",", ".").replace(numbers.MINUS, "-")
        try:
            return float(typed) if math.isfinite(float(typed)) else self.value()
        except ValueError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return QValidator.State.Acceptable, text, position


def popped_up(menu: QMenu, fill: Callable[[QMenu], object], under: QWidget) -> QMenu:
    """Fills a menu and shows it below a widget."""
    menu.clear()
    for part in menu.findChildren(QMenu):  # `clear` leaves them, and they are filled in anew
        discard(part)
    fill(menu)
    menu.popup(under.mapToGlobal(QPoint(0, under.height() + 2)))
    return menu


def paint_chevron(widget: QWidget, *, up: bool = False) -> None:
    """At the right end of a button."""
    side, painter = theme.px(CHEVRON_PX), QPainter(widget)
    painter.translate(widget.width() - side / 2 - theme.px(9), widget.height() / 2 + 0.5)
    painter.rotate(180 if up else 0)
    color = theme.color("muted" if widget.isEnabled() else "faint")
    paint_icon(painter, "chevron", QRectF(-side / 2, -side / 2, side, side), color)
