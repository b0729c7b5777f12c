"""The room Train on its own: a model counts as open when a test says so."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from app.compute.inference import OPEN
from app.compute.open_model import OpenModel
from app.rooms.train.room import TrainRoom
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.runs.service import RunsService
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


def idle_room() -> TrainRoom:
    """Beside a state that a test fills itself; what a person wants is said there and not carried out."""
    return served_room(None)


def served_room(runs: RunState | None, models: Models | None = None) -> TrainRoom:
    """Beside these runs; None: an empty state."""
    state = runs or RunState()
    room = TrainRoom(models or Models(), state)
    if runs is None:
        state.setParent(room)
    if isinstance(state, RunsService):
        room.visibility_changed.connect(state.set_following)
    return room


def chosen_step(room: TrainRoom) -> int | None:
    """That the handle of the time machine is at."""
    chosen = room.time_machine.chosen
    return None if chosen is None else room.state.snapshots[chosen][0]


def shown_runs(room: TrainRoom) -> list[RunInfo]:
    """Of the list, without its sweeps."""
    return [row for row in room.runs.rows if isinstance(row, RunInfo)]
