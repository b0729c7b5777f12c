"""What a window shows is written down as one goes: after a crash, or within a lesson, the next start offers it again.

    windows/<id>.lock          held as long as the window is there; the system lets go of it when the program ends
    windows/<id>/session.json  what is being looked at (state/session_file.py)
                 lesson.json, hand-in.answers.json   the lesson that is open (lessons/answers.py), what was answered
                 log.txt       where the program was when it ended, and errors that nobody expected

A window that is closed takes its folder with it, but for a lesson that is open. A folder whose lock is free was left
behind. That of a crash, which has a log, is moved to crashes/ when it is offered; the other ends with its answer.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import platform
import secrets
import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout
from PySide6.QtCore import QObject, QTimer, QUrl, qVersion
from PySide6.QtGui import QDesktopServices

from bertcore.errors import BertcoreError
from bertcore.files import write_atomic
from bertcore.locations import home
from bertcore.runs.environment import BERTSCOPE, version_of

from ..lessons.answers import Progress, answers_as_json, load_answers, load_progress, progress_as_json
from ..look import mark, say
from ..state.session_file import Session, as_json, load_session
from ..widgets.banner import OfferLine
from .window import Window

EVERY_MS = 2000  # what has changed by then is written
LOG, SESSION, LESSON, ANSWERS = "log.txt", "session.json", "lesson.json", "hand-in.answers.json"


@dataclass(frozen=True)
class Left:
    """By a window, as far as it can be read."""

    folder: Path
    session: Session | None
    lesson: Progress | None
    title: str  # of the lesson
    is_of_a_crash: bool


class Recovery(QObject):
    """Of one window. A folder that cannot be written to costs the memory, not the program."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._folder = home() / "windows" / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        self._lock = _lock_of(self._folder)
        self._written: dict[str, str] = {}
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._write)

    def start(self) -> None:
        """Offers what the last window has left, and begins to write."""
        try:
            left = _left_behind()
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)  # first: a folder without a lock was left by a crash
            self._folder.mkdir()
            self._log = (self._folder / LOG).open("w", encoding="utf-8")
        except (OSError, Timeout, NotImplementedError):  # the last: a file system without locks
            return
        versions = f"BERTscope {version_of(BERTSCOPE)}, Python {platform.python_version()}, Qt {qVersion()}"
        machine = f"{platform.platform()}, {sys.platform}; {time.strftime('%Y-%m-%d %H:%M:%S')}"
        print(f"{versions}, {machine}", file=self._log, flush=True)  # what a report needs
        if not faulthandler.is_enabled():
            faulthandler.enable(self._log)
        self._window.services.errors.log = self._log
        self._timer.start()
        if left is not None:
            self._window.offers.show("left", partial(self._offer, left))

    def close(self) -> None:
        """The program ends as it should: nothing is left but a lesson that is open."""
        self._timer.stop()
        if self._lock.is_locked:
            self._write()
            faulthandler.disable()
            self._window.services.errors.log = None
            self._log.close()
            if LESSON in self._written:
                (self._folder / LOG).unlink()
            else:
                shutil.rmtree(self._folder, ignore_errors=True)
            _unlock(self._lock)

    def _write(self) -> None:
        window, player = self._window, self._window.lessons.player
        now: dict[str, str] = {}
        if window.state.model is not None:
            now[SESSION] = as_json(window.sessions.current())
        if player is not None and player.lesson is not None:
            now[LESSON], now[ANSWERS] = progress_as_json(player.kept), answers_as_json(player.hand_in(""))
        with contextlib.suppress(OSError):
            for name in self._written.keys() - now.keys():
                (self._folder / name).unlink(missing_ok=True)
            for name, text in now.items():
                if text != self._written.get(name):
                    write_atomic(self._folder / name, text.encode("utf-8", "replace"))
            self._written = now

    def _offer(self, left: Left) -> OfferLine:
        if left.lesson is None and (left.folder / LESSON).exists():
            sentence = say("The lesson that was open last time cannot be opened where it was: its file is damaged.")
            line = OfferLine(sentence, say("OK"))
        elif left.lesson is not None and not left.is_of_a_crash:
            closed = mark("The lesson “{title}” was open when BERTscope was closed, at page {number}.")
            line = OfferLine(say(closed, title=left.title, number=left.lesson.page + 1), say("Go on there"))
        elif left.session is not None or left.lesson is not None:
            sentence = say("BERTscope ended unexpectedly last time. Your text, model and lesson can be restored.")
            line = OfferLine(sentence, say("Restore"))
        else:
            line = OfferLine(say("BERTscope ended unexpectedly last time."), say("OK"))
        if left.is_of_a_crash:
            show = partial(QDesktopServices.openUrl, QUrl.fromLocalFile(str(left.folder)))
            line.add_button(say("Show the log"), show, str(left.folder / LOG))
        else:
            for answered in (line.accepted, line.dismissed):
                answered.connect(partial(shutil.rmtree, left.folder, ignore_errors=True))
        line.accepted.connect(partial(self._restore, left))
        return line

    def _restore(self, left: Left) -> None:
        """The text last: what a student had made of the page's."""

        def show() -> None:
            if left.session is not None:
                self._window.sessions.show(left.session)

        if left.lesson is not None:
            self._window.lessons.take_up(left.lesson, show)
        else:
            show()


def _left_behind() -> Left | None:
    """Of the window that ended last; what a crash has left is moved to where it is not found again."""
    kept, newest = home() / "crashes", None
    for folder in sorted((home() / "windows").glob("*/")):
        lock = _lock_of(folder)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue  # another window that is at work
        if (folder / LOG).exists():
            kept.mkdir(exist_ok=True)
            newest = kept / folder.name
            os.replace(folder, newest)
        elif (folder / LESSON).exists():
            newest = folder
        _unlock(lock)
    if newest is None:
        return None
    session, lesson, title = None, None, ""
    with contextlib.suppress(BertcoreError):
        session = load_session(newest / SESSION)
    with contextlib.suppress(BertcoreError):
        answered = load_answers(newest / ANSWERS)
        lesson, title = load_progress(newest / LESSON, answered.answers), answered.lesson
    return Left(newest, session, lesson, title, (newest / LOG).exists())


def _lock_of(folder: Path) -> FileLock:
    return FileLock(folder.with_name(f"{folder.name}.lock"))


def _unlock(lock: FileLock) -> None:
    lock.release()
    Path(lock.lock_file).unlink(missing_ok=True)
