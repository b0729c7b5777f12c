"""A side card that folds away to a narrow tab at the edge, where the picture beside it needs the room."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget
from shiboken6 import isValid

from ..look import say, theme
from .layouts import NO_LIMIT_PX, hbox, show_if

TAB_PX, LEAST_TAB_PX, GAP_PX = 26, 120, 12


class FoldingCard(QWidget):
    """Beside a card its tab; a click shows or hides the card, in the place of the picture where there is no room for
    both. While it is not foldable there is the card alone."""

    def __init__(self, card: QWidget, name: str) -> None:
        super().__init__()
        self.card = card
        self.tab = _UprightTab(name)
        self._replaced: list[QWidget] = []  # by the card, which has no room beside them
        self._widest = 0  # pixels that the card may have beside them
        hbox(self.tab, card, parent=self, gap_px=4)
        self.tab.toggled.connect(self._show_card)
        self.tab.hide()

    def set_foldable(self, can_fold: bool) -> None:
        """It begins folded."""
        if can_fold != self.can_fold:
            self.tab.setVisible(can_fold)
            self.tab.setChecked(not can_fold)
            self._show_card(not can_fold)
            for sibling in self._siblings():  # which may have more or less room now
                sibling.make_room()

    @property
    def can_fold(self) -> bool:
        return not self.tab.isHidden()

    @property
    def widest(self) -> int:
        """Pixels that the card may have beside the picture."""
        return self._widest if self._replaced else self.card.maximumWidth()

    def _siblings(self) -> list[FoldingCard]:
        """Those that fold beside the same picture."""
        parent, options = self.parentWidget(), Qt.FindChildOption.FindDirectChildrenOnly
        found = parent.findChildren(FoldingCard, options=options) if parent is not None else []
        return [one for one in found if one is not self]

    def _show_card(self, is_shown: bool) -> None:
        """Folded it is as wide as its tab, whatever share of a row it has been given. Of several cards that fold beside
        one picture, one is open at a time: two would leave it no room."""
        self.card.setVisible(is_shown)
        across = QSizePolicy.Policy.Preferred if is_shown else QSizePolicy.Policy.Fixed
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)
        if is_shown and self.can_fold:
            for sibling in self._siblings():
                sibling.fold()
        self.make_room()

    def make_room(self) -> None:
        """Hides what the open card has no room beside, and gives the card its place; shows it again where it has."""
        show_if(True, *filter(isValid, self._replaced))
        self.card.setMaximumWidth(self.widest)
        self._replaced = []
        parent = self.parentWidget()
        if parent is not None and self.can_fold and not self.card.isHidden():
            options, here = Qt.FindChildOption.FindDirectChildrenOnly, self.geometry()
            near = [one for one in parent.findChildren(QWidget, options=options) if one.isVisible() and one is not self]
            row = [one for one in near if one.y() < here.bottom() and here.y() < one.geometry().bottom()]
            pictures = [one for one in row if not isinstance(one, FoldingCard)]
            large = [max(_least(one), one.sizeHint().width()) for one in (*pictures, self.card)]
            widths = sum(large) + sum(_least(one) for one in (*row, self.tab) if one not in pictures)
            if pictures and widths + (len(row) + 1) * theme.gap_px(GAP_PX) > parent.width():
                self._widest, self._replaced = self.card.maximumWidth(), pictures
                show_if(False, *pictures)
                self.card.setMaximumWidth(NO_LIMIT_PX)

    def unfold(self) -> None:
        """Shows the card, wherever it has to go."""
        self.tab.setChecked(True)

    def fold(self) -> None:
        """Hides the card, where it can fold."""
        if self.can_fold:
            self.tab.setChecked(False)


def _least(widget: QWidget) -> int:
    """Pixels of its width that it cannot do without."""
    return max(widget.minimumWidth(), widget.minimumSizeHint().width())


def folding_on_projector(card: QWidget, name: str) -> FoldingCard:
    """A card beside the picture, which has the screen of a projector to itself until somebody wants the card."""
    made = FoldingCard(card, name)
    made.set_foldable(theme.is_projector())
    return made


class _UprightTab(QPushButton):
    """Its name is written upwards."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setToolTip(say("{name}: click to show or hide it", name=name))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        length = QFontMetrics(theme.font(13)).horizontalAdvance(self._name) + theme.px(24)
        return QSize(theme.px(TAB_PX), max(length, theme.px(LEAST_TAB_PX)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(theme.font(13))
        painter.setPen(theme.color("accent" if self.isChecked() else "muted"))
        painter.translate(0, self.height())
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, self.height(), self.width()), Qt.AlignmentFlag.AlignCenter, self._name)
