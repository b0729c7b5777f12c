"""The room Train on its own: a model counts as open when a test says so."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from PySide6.QtCore import Signal

from app.compute.inference import OPEN
from app.compute.open_model import OpenModel
from app.rooms.train.room import TrainRoom
from app.runs.process import RunCommand
from app.runs.service import RunsService
from app.shell.rooms import connect_train_room
from bertcore.errors import BertcoreError


class _NoWorker:
    """In place of the state and the worker of an OpenModel."""

    def __init__(self) -> None:
        self.model: object | None = None
        self.deliver: Callable[[object, BaseException | None], object] = lambda model, problem: None

    checkpoints = None

    def post(self, kind: str, *_asked: object, deliver: Callable, **_options: object) -> None:
        if kind == OPEN:
            self.deliver = deliver

    def post_outside(self, *_asked: object, deliver: Callable) -> None:
        deliver(None, None)

    def set_model(self, model: object) -> None:
        self.model = model

    def set_reading_problem(self, _why: str) -> None:
        pass


class Models(OpenModel):
    """`asked` are the references that were asked for, "" for the built-in model."""

    def __init__(self) -> None:
        idle = _NoWorker()
        super().__init__(idle, idle)  # type: ignore[arg-type]
        self.idle = idle
        self.asked: list[str] = []
        self.requested.connect(self.asked.append)

    def show(self, folder: Path) -> None:
        """This is open."""
        self.open(folder)
        self.idle.deliver(SimpleNamespace(folder=folder), None)

    def fail(self) -> None:
        """The model that was asked for last cannot be opened."""
        self.idle.deliver(None, BertcoreError("It cannot be opened."))


class IdleRuns(RunsService):
    """Trains nothing and follows nothing: its signals say what a person wants."""

    start_requested = Signal(object)  # RunCommand
    control_requested = Signal(object, str)
    resume_requested = Signal(list)
    select_requested = Signal(object)

    def start(self, command: RunCommand) -> None:  # type: ignore[override]
        self.start_requested.emit(command)

    def control(self, path: Path, command: str) -> None:
        self.control_requested.emit(path, command)

    def resume_sweep(self, runs: list[Path]) -> None:
        self.resume_requested.emit(runs)

    def select(self, path: Path | None) -> None:
        self.select_requested.emit(path)

    def set_following(self, follows: bool) -> None:
        pass


def idle_room() -> TrainRoom:
    """Beside runs that a test makes itself."""
    return served_room(None)


def served_room(runs: RunsService | None, models: Models | None = None) -> TrainRoom:
    """Tied to these runs; None: to idle ones."""
    room = TrainRoom(models or Models())
    connect_train_room(room, runs or IdleRuns(room))
    return room


def idle(room: TrainRoom) -> IdleRuns:
    found = room.findChild(IdleRuns)
    assert isinstance(found, IdleRuns)
    return found
