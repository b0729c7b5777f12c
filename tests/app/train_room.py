"""The room Train on its own, where a model counts as open when a test says so; and runs as their folders look."""

import math
from types import SimpleNamespace

import numpy as np

from app.compute.inference import OPEN
from app.compute.open_model import OpenModel
from app.rooms.train.room import TrainRoom
from app.runs.run_info import RunInfo
from app.runs.run_state import RunState
from app.runs.service import RunsService
from bertcore import locations
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions


class _NoWorker:
    """In place of the state and the worker of an OpenModel."""

    def __init__(self):
        self.model = None
        self.deliver = lambda model, problem: None

    checkpoints = None

    def post(self, kind, *_asked, deliver, **_options):
        if kind == OPEN:
            self.deliver = deliver

    def post_outside(self, *_asked, deliver):
        deliver(None, None)

    def set_model(self, model):
        self.model = model

    def set_reading_problem(self, _why):
        pass


class Models(OpenModel):
    """`asked` are the references that were asked for, "" for the built-in model."""

    def __init__(self):
        idle = _NoWorker()
        super().__init__(idle, idle)  # type: ignore[arg-type]
        self.idle = idle
        self.asked = []
        self.requested.connect(self.asked.append)

    def show(self, folder):
        """This is open."""
        self.open(folder)
        self.idle.deliver(SimpleNamespace(folder=folder), None)

    def fail(self):
        """The model that was asked for last cannot be opened."""
        self.idle.deliver(None, BertcoreError("It cannot be opened."))


def idle_room():
    """Beside a state that a test fills itself; what a person wants is said there and not carried out."""
    return served_room(None)


def served_room(runs, models=None):
    """Beside these runs; None: an empty state."""
    state = runs or RunState()
    room = TrainRoom(models or Models(), state)
    if runs is None:
        state.setParent(room)
    if isinstance(state, RunsService):
        room.visibility_changed.connect(state.set_following)
    return room


def chosen_step(room):
    """That the handle of the time machine is at."""
    chosen = room.time_machine.chosen
    return None if chosen is None else room.state.snapshots[chosen][0]


def shown_runs(room):
    """Of the list, without its sweeps."""
    return [row for row in room.runs.rows if isinstance(row, RunInfo)]


def opened_at(window, run):
    """The room in a window, at this run."""
    room = window.open_room("train")
    window.services.runs.select(run)
    return room


def look_at(room, run):
    """A room beside a RunsService, at this run as it is now."""
    service = room.state
    service.refresh()
    service.select(run.path)
    room.view.draw()


def stored_run(name="stories", options=None, lines=(), snapshots=(), **status):
    """In the home folder, without a process; status: done, where nothing else is said."""
    options = options or PretrainOptions(name=name, preset="tiny")
    run = RunFolder.create(locations.runs_folder() / name, options.to_dict())
    for line in lines:
        run.append_metric(line)
    for step in snapshots:
        add_snapshot(run, step)
    run.write_status(**{"state": "done", "step": 20, "elapsed_s": 60.0, **status})
    return run


def add_snapshot(run, step):
    """Its files hold no model."""
    with run.begin_snapshot(step) as folder:
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(bytes(step))
    return run.snapshot_path(step)


def training_lines(steps):
    """As the training loop writes them: three tenths of causal warm-up; held-out numbers every ten steps."""
    random, lines = np.random.default_rng(0), list[dict]()
    for step in range(1, steps + 1):
        is_causal = step <= 0.3 * steps and step % 4 != 0
        word_loss = 9 / math.sqrt(step) + float(random.normal(0, 0.1)) + 2
        line = {"kind": "train", "step": step, "loss": 9.9, "learning_rate": 1e-3, "gradient_norm": 1.5}
        line |= {"tok_per_s": 12_345.6, "tokens": 4096 * step, "elapsed_s": 2.0 * step, "epoch": step / 50}
        if is_causal:
            lines.append({**line, "phase": "causal", "next_word_loss": word_loss, "mlm_loss": None})
        else:
            masked = {"mlm_loss": word_loss, "mlm_accuracy": 0.3, "nsp_accuracy": 0.5}
            lines.append({**line, "phase": "masked", "next_word_loss": None, **masked})
        if step % 10 == 0:
            held_out = {"loss": 9.8, "mlm_loss": word_loss, "mlm_accuracy": 0.254, "nsp_accuracy": 0.6}
            lines.append({"kind": "held_out", "step": step, **held_out})
    return lines
