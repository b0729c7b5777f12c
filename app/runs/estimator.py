"""What a run would learn from and what it would take, found by a process of its own before the run starts. No torch.

`bertcore ... --estimate --json` prints a line when the data is read and one when some steps have been taken. Another
question ends the process of the one before, so that nobody waits for an answer that is not wanted any more.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, SignalInstance

from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.json_text import parse_json
from bertcore.training.data_facts import Fault, RunEstimate, TaskFacts, TextFacts
from bertcore.training.pretrain_options import DataOptions

from ..look import mark, say
from .process import RunCommand, child_environment, launch_folder, make_nice

PAUSE_MS = 500  # after the last change of a setting
CLOSE_MS = 2000
NO_ESTIMATE = mark("Time and memory could not be estimated.")


class RunEstimator(QObject):
    """Answers for the command that was asked about last."""

    described = Signal(object)  # TaskFacts, TextFacts or Fault
    estimated = Signal(object)  # RunEstimate
    failed = Signal(str)  # a sentence: there will be no estimate

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked: RunCommand | None = None  # without its name
        self._stamps: list[int] = []  # of the files that it learns from
        self._process: QProcess | None = None
        self._recipe: Path | None = None  # the settings that it reads
        self._told: list[tuple[SignalInstance, object]] = []  # the answers so far
        self._has_fault = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._start)

    @property
    def is_running(self) -> bool:
        """An answer is on its way."""
        return self._pause.isActive() or self._process is not None

    def ask(self, command: RunCommand) -> None:
        """Asks about a run; one that was asked about last is answered again at once, if its files are as they were.

        Its name makes no difference.
        """
        command = RunCommand(command.options.with_changes(name="estimate"))
        stamps = _stamps(command)
        if command == self._asked and stamps == self._stamps:
            for signal, answer in list(self._told):
                signal.emit(answer)
            return
        self.stop()
        self._asked, self._stamps = command, stamps
        self._pause.start()

    def stop(self) -> None:
        """Nobody waits for an answer any more."""
        self._asked = None
        self._told = []
        self._pause.stop()
        process, self._process = self._process, None
        if process is not None:
            process.kill()  # it goes when it has ended, which nobody waits for

    def close(self) -> None:
        """Ends all processes, and waits for them."""
        self.stop()
        for process in self.findChildren(QProcess):
            process.waitForFinished(CLOSE_MS)
        if self._recipe is not None:
            with suppress(OSError):
                self._recipe.unlink(missing_ok=True)

    def _start(self) -> None:
        assert self._asked is not None
        try:
            recipe = self._recipe = launch_folder() / f"estimate-{os.getpid()}.json"
            write_json(recipe, self._asked.options.with_absolute_paths().to_dict())  # it is read in another folder
        except (BertcoreError, OSError) as error:
            self._tell(self.failed, str(error))
            return
        self._has_fault = False
        process = self._process = QProcess(self)
        environment = QProcessEnvironment()
        for name, value in child_environment().items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        process.setWorkingDirectory(str(recipe.parent))
        process.setStandardInputFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._on_output)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        arguments = [*self._asked.arguments(recipe), "--estimate", "--json"]
        process.start(sys.executable, ["-P", "-m", "bertcore", *arguments])
        process.started.connect(self._on_started)

    def _on_started(self) -> None:
        """As a run: what it has to share the machine with slows both down alike."""
        if self._process is not None:
            make_nice(self._process.processId())

    def _on_output(self) -> None:
        while self._process is not None and self._process.canReadLine():
            try:
                values: dict[str, Any] = parse_json(bytes(self._process.readLine().data()).decode("utf-8", "replace"))
                kind = values.pop("kind")
                if kind == "data":
                    self._tell(self.described, (TaskFacts if "lengths" in values else TextFacts).from_dict(values))
                elif kind == "fault":
                    self._has_fault = True
                    self._tell(self.described, Fault.from_dict(values))
                elif kind == "estimate":
                    self._tell(self.estimated, RunEstimate.from_dict(values))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a library has printed something

    def _on_finished(self, code: int) -> None:
        process = self.sender()
        assert isinstance(process, QProcess)
        process.deleteLater()
        if process is not self._process:  # one that was ended, for another question
            return
        self._process = None
        lines = bytes(process.readAllStandardError().data()).decode("utf-8", "replace").strip().splitlines()
        if code and not self._has_fault:
            self._tell(self.failed, lines[-1].removeprefix("bertcore: ") if lines else say(NO_ESTIMATE))

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._process = None
            self._tell(self.failed, say(NO_ESTIMATE))

    def _tell(self, signal: SignalInstance, answer: object) -> None:
        self._told.append((signal, answer))
        signal.emit(answer)


def _stamps(command: RunCommand) -> list[int]:
    """When each file or folder of the data was changed last."""
    data = command.options.data
    places = data.corpus if isinstance(data, DataOptions) else (getattr(data, "train", ""),)
    return [os.stat(place).st_mtime_ns if os.path.exists(place) else 0 for place in places]
