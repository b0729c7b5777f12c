"""What a long use of the window leaves behind: memory, threads, timers, widgets; and every complaint on the way."""

import gc
import logging
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QMessageLogContext, QObject, QThread, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

MIB = 1 << 20
QT_POOL = "Thread (pooled)"  # each ends of itself after 30 s without work
MOST_MEMORY = 1.10  # of what there was at the start
# What Qt's platform without a screen says of itself.
HARMLESS = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
    "This plugin does not support grabbing the keyboard",
)


@dataclass(frozen=True)
class Census:
    """What is there at one moment."""

    memory: float | None  # MiB of this process; None where the system does not tell
    own_memory: float | None  # MiB of it that are not read from files
    threads: tuple[str, ...]  # Python's, by name
    system_threads: int | None  # those of torch and Qt too
    qt_threads: int
    timers: dict[str, int]  # by the class of what they belong to
    running_timers: dict[str, int]
    widgets: dict[str, int]  # by class
    shells: dict[str, int]  # Python's halves of our widgets that Qt has deleted, by class: something keeps them

    @property
    def widget_count(self) -> int:
        return sum(self.widgets.values())


def take_census() -> Census:
    """Garbage goes first. On the window's thread."""
    while gc.collect():
        pass
    found = [made for made in gc.get_objects() if issubclass(type(made), QObject)]  # isinstance would ask each object
    objects = [made for made in found if shiboken6.isValid(made)]
    timers = {shiboken6.getCppPointer(made)[0]: made for made in objects if isinstance(made, QTimer)}
    return Census(
        memory(),
        memory("Anonymous"),
        tuple(sorted(thread.name for thread in threading.enumerate())),
        _system_threads(),
        len({shiboken6.getCppPointer(made)[0] for made in objects if isinstance(made, QThread)}),
        _owners(timers.values()),
        _owners(timer for timer in timers.values() if timer.isActive()),
        dict(Counter(type(widget).__name__ for widget in QApplication.allWidgets())),
        dict(Counter(type(made).__name__ for made in found if _is_ours(made) and not shiboken6.isValid(made))),
    )


def memory(kind: str = "Rss") -> float | None:
    """MiB: "Rss" is what the system's monitor shows, "Anonymous" what is not read from files."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")) * 1024 / MIB


def left_over(start: Census, end: Census, most_memory: float = MOST_MEMORY) -> list[str]:
    """What is there at the end beyond what was at the start, a sentence each; empty where all is well."""
    found = []
    if start.memory and end.memory and end.memory > most_memory * start.memory:
        found.append(
            f"memory grew from {start.memory:.0f} to {end.memory:.0f} MiB, at most x{most_memory:.2f} is asked"
        )
    new_threads = Counter(end.threads) - Counter(start.threads)
    if new_threads:
        found.append(f"threads left over: {', '.join(new_threads.elements())}")
    if start.system_threads and end.system_threads and end.system_threads > start.system_threads:
        found.append(f"threads of the system left over: {end.system_threads}, {start.system_threads} at the start")
    if end.qt_threads > start.qt_threads:
        found.append(f"QThreads left over: {end.qt_threads}, {start.qt_threads} at the start")
    for what, before, after in (
        ("timers", start.timers, end.timers),
        ("running timers", start.running_timers, end.running_timers),
        ("widgets", start.widgets, end.widgets),
        ("shells of what is gone", start.shells, end.shells),
    ):
        more = Counter(after) - Counter(before)
        if more:
            found.append(f"{what} left over: " + ", ".join(f"{n} of {name}" for name, n in more.most_common()))
    return found


def _is_ours(made: QObject) -> bool:
    return type(made).__module__.startswith("app.")


def _owners(timers: Iterable[QTimer]) -> dict[str, int]:
    return dict(Counter(type(timer.parent()).__name__ for timer in timers))


class Complaints:
    """Gathers what Qt, Python's log and warnings and unhandled exceptions say, from `__init__` to `close`."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._log = _Listener(self.said)
        logging.getLogger().addHandler(self._log)
        self._before: tuple[Any, Any, Any] = (
            qInstallMessageHandler(self._on_qt),
            warnings.showwarning,
            sys.unraisablehook,
        )
        warnings.simplefilter("always")
        warnings.showwarning = self._on_warning  # type: ignore[assignment]
        sys.unraisablehook = self._on_unraisable

    def close(self) -> None:
        logging.getLogger().removeHandler(self._log)
        qInstallMessageHandler(self._before[0])
        warnings.showwarning, sys.unraisablehook = self._before[1:]

    def add(self, text: str) -> None:
        self.said.append(text)

    def _on_qt(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and text not in HARMLESS:
            self.add(f"Qt: {text}")

    def _on_warning(self, message: Warning | str, category: type[Warning], file: str, line: int, *_: Any) -> None:
        self.add(f"{category.__name__}: {message} ({file}:{line})")

    def _on_unraisable(self, raised: Any) -> None:
        self.add(f"not raised: {raised.exc_type.__name__}: {raised.exc_value} in {raised.object!r}")


class _Listener(logging.Handler):
    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(f"log: {record.name}: {record.getMessage()}")


def _system_threads() -> int | None:
    """All but those of Qt's pool, which come and go with the pictures that are scaled."""
    try:
        names = [file.read_text(encoding="utf-8") for file in Path("/proc/self/task").glob("*/comm")]
    except OSError:
        return None
    return sum(name.strip() != QT_POOL for name in names) or None
