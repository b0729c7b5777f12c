"""For whoever stands in front of a class: a ring around the mouse pointer, and a screen that goes black."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCursor, QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidget
from shiboken6 import isValid

from ..look import say, theme
from .layouts import vbox

FOLLOW_MS = 16
RING_PX = 52  # around the pointer; its look in assets/window.qss goes with it


class PointerRing(QFrame):
    """Follows the mouse within its window. Clicks go through it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("look", "ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Most widgets are told of the mouse only while a button is held, so there is no event to follow.
        self._timer = QTimer(self, interval=FOLLOW_MS)
        self._timer.timeout.connect(self.follow)
        self.hide()

    def toggle(self) -> None:
        self.setVisible(self.isHidden())

    def follow(self) -> None:
        """To where the mouse is now."""
        side, at = theme.px(RING_PX), self._window.mapFromGlobal(QCursor.pos())
        self.setGeometry(at.x() - side // 2, at.y() - side // 2, side, side)
        self.raise_()

    def showEvent(self, event: QShowEvent) -> None:
        self.follow()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()


class BlankScreen(QFrame):
    """Black over the whole window: the class looks at whoever speaks. Any key or click ends it, and does no more."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("look", "blank")
        self.setAccessibleName(say("The screen is blank; any key brings the picture back"))
        below = QLabel(say("Any key brings the picture back"))
        below.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        vbox(None, below, parent=self, margins=(0, 0, 0, theme.px(16)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._before: QWidget | None = None  # had the keyboard
        window.installEventFilter(self)
        self.hide()

    def blank(self) -> None:
        self._before = QApplication.focusWidget()
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        """The picture is back, and the keyboard where it was."""
        self.hide()
        if self._before is not None and isValid(self._before):  # the window may have been built anew meanwhile
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the key that ends it is no command
            return True
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._window.rect())
        return False

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab is a key as any other: what lies below must not get the keyboard."""
        self.end()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta):
            self.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.end()
