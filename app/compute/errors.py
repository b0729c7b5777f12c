"""Errors that nobody expected, as a sentence in the window instead of a traceback in a shell nobody sees."""

import sys
import threading
import traceback
from types import TracebackType
from typing import TextIO

from PySide6.QtCore import QObject, Qt, Signal

from bertcore.errors import BertcoreError
from bertcore.files import is_out_of_memory

from ..look import say


def sentence(error: BaseException) -> str:
    """One line for the person; the message itself where the error was written for people."""
    if isinstance(error, BertcoreError):
        return str(error)
    if is_out_of_memory(error):
        return say("There is not enough memory for this; try a shorter text or a smaller model.")
    name = f"{type(error).__name__}: {' '.join(str(error).split())}"  # Qt's have several lines
    return say("Something unexpected went wrong ({error}). You can keep working.", error=name)


class ErrorReporter(QObject):
    """Takes the place of Python's hooks for unhandled exceptions, in every thread.

    The hooks may be called on a worker thread, so they only emit; `reported` arrives on the window's thread.
    """

    reported = Signal(str)
    _caught = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._caught.connect(self.reported, Qt.ConnectionType.QueuedConnection)
        self.log: TextIO | None = None  # for a person to send; gets the tracebacks, too
        self._before = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._excepthook
        threading.excepthook = self._threading_excepthook

    def close(self) -> None:
        """Puts the hooks back that were there before."""
        sys.excepthook, threading.excepthook = self._before

    def _excepthook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        traceback.print_exception(kind, error, trace)
        if self.log is not None:
            traceback.print_exception(kind, error, trace, file=self.log)
            self.log.flush()
        traceback.clear_frames(trace)  # a painter in one of them would be at work beyond its paint event: a crash
        self._caught.emit(sentence(error))

    def _threading_excepthook(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._excepthook(args.exc_type, args.exc_value, args.exc_traceback)
