"""Keeps what changes with every key from laying out anew all that stands around it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class Steady(QWidget):
    """Gives its content the width of the column it stands in, and asks the column for space only when the height
    that the content needs there is another.

    A label asks with every new text, and each layout above it, up to the window, then works out everything again.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        content.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._needs = self._height()

    def sizeHint(self) -> QSize:
        return QSize(0, self._needs)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._content.setGeometry(self.rect())
        if event.size().width() != event.oldSize().width():
            self._look()

    def showEvent(self, event: QShowEvent) -> None:
        self._look()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._look()
        return super().event(event)

    def _look(self) -> None:
        needs = self._height()
        if needs != self._needs:
            self._needs = needs
            self.updateGeometry()

    def _height(self) -> int:
        if self._content.isHidden():
            return 0
        width, layout = self.width(), self._content.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.totalHeightForWidth(width)
        if self._content.hasHeightForWidth():
            return self._content.heightForWidth(width)
        return self._content.sizeHint().height()
