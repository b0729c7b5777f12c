"""Starts or resumes a run of any kind, or trains those of a sweep one after the other: each in an ordinary run folder,
and all of these are there from the start."""

import contextlib
import gc
import os
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from bertcore.errors import BertcoreError
from bertcore.runs.known_runs import register_run
from bertcore.runs.run_folder import RunFolder, cause_of
from bertcore.runs.sweep_results import Sweep, SweepPlace, find_sweep, read_place, read_sweep, write_place
from bertcore.training.distil import Distilling
from bertcore.training.distributed import process_group
from bertcore.training.failures import StopRequestedError, stop_signals
from bertcore.training.finetune import FineTuning
from bertcore.training.loop import run_training
from bertcore.training.options import RunOptions
from bertcore.training.pretrain import NO_TEXT, Pretraining
from bertcore.training.run_settings import has_run, options_of, resume_settings
from bertcore.training.sweep_plan import PlannedRun, Varied, plan_sweep
from bertcore.training.trainable import OnEvent, Trainable

TRAINABLES: dict[str, type[Trainable]] = {"pretrain": Pretraining, "finetune": FineTuning, "distil": Distilling}


def start_run(options: RunOptions | None, run: Path, resume: bool, on_event: OnEvent | None = None) -> Path:
    """Train in the folder `run`; with `resume`, continue from its newest snapshot, or start if there is nothing yet.

    options: None for those of the run that is there. `on_event` is called with each metrics line as it is written.
    Returns the snapshot that the run ends with. Raises BertcoreError with a sentence for a folder that holds something
    else, cannot be written or is in use, and for what cannot be trained on.
    """
    threads = torch.get_num_threads()
    try:
        with process_group() as group:
            settings = options_of(group.broadcast(lambda: open_or_create(options, run, resume).to_dict()))
            return run_training(TRAINABLES[settings.kind](settings, group), RunFolder(run), on_event)
    finally:  # a run sets its own; whoever trains in their own process has theirs back
        torch.set_num_threads(threads)


def open_or_create(options: RunOptions | None, run: Path, resume: bool) -> RunOptions:
    """The settings of the run in this folder, resumed or created; its config.json has absolute paths.

    What cannot be trained on is refused before a folder is created. Raises BertcoreError for a folder that holds a run
    although `resume` is False, or that cannot be created; and as `resume_settings`.
    """
    options = options and options.with_absolute_paths()
    if has_run(run):
        refuse_run(run, resume)
        folder = RunFolder(run)
        config = folder.config()
        stored = options_of(config) if options is None else type(options).from_dict(config)
        return resume_settings(folder, stored.with_absolute_paths(), options)
    if options is None:
        raise BertcoreError(NO_TEXT)
    TRAINABLES[options.kind].refuse(options)
    RunFolder.create(run, options.to_dict())
    return options


def refuse_run(run: Path, resume: bool) -> None:
    """Raises BertcoreError for a folder that holds a run which is not to be resumed."""
    if not resume:
        raise BertcoreError(
            f"The folder {run} already holds a run; continue it with --resume (resume=True), or name another."
        )


# --- several that differ in a few settings


def run_sweep(
    options: RunOptions, base: Path, varied: Varied, resume: bool = False, on_event: OnEvent | None = None
) -> Sweep:
    """Train a run for each combination of values, and read what they found.

    The runs' folders are `base` with a suffix. A run that diverges does not end the others; one that cannot even begin
    does. "stop" in a waiting run's control.json takes it out; a signal to stop ends all. With `resume`, what is done
    is not repeated. Raises BertcoreError, one sentence, for what cannot be trained on and folders that are not free.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise BertcoreError("A sweep trains in one process; start it without a launcher.")
    planned = plan_sweep(options.with_absolute_paths(), base, varied)
    return _SweepLoop(planned, options.name, varied.budget_share, resume).run(on_event)


def resume_sweep(run: Path, on_event: OnEvent | None = None) -> Sweep:
    """Train those runs of a sweep that are not done, by the folder of any of them, and read what all found.

    One whose settings cannot be read is left out, and says so. Raises BertcoreError for a run that belongs to no sweep,
    and where another process is at work on one of them.
    """
    sweep = find_sweep(run)
    left_out = [each.path for each in (*sweep.runs, *sweep.unreadable) if _is_unusable(each.path)]
    planned = [
        PlannedRun(each.path, options_of(RunFolder(each.path).config()))
        for each in sweep.runs
        if each.path not in left_out
    ]
    return _SweepLoop(planned, sweep.name, sweep.budget_share, True, left_out).run(on_event)


class _SweepLoop:
    def __init__(
        self, planned: Sequence[PlannedRun], name: str, budget_share: float, resume: bool, left_out: Sequence[Path] = ()
    ) -> None:
        """`left_out`: runs of the sweep that are not trained."""
        self._planned, self._resume, self._left_out = planned, resume, left_out
        self._has_trained, self._stopped = False, threading.Event()
        self._waiting: dict[Path, contextlib.ExitStack] = {}  # each holds the lock of its run
        self._create(name, budget_share)

    def run(self, on_event: OnEvent | None) -> Sweep:
        def follow(event: dict[str, Any]) -> None:
            self._take_stops()
            if on_event is not None:
                on_event(event)

        with stop_signals(self._stopped.set):
            try:
                for number, planned in enumerate(self._planned, start=1):
                    self._take_stops()
                    if planned.path in self._waiting and not self._stopped.is_set():  # not done, nor stopped meanwhile
                        self._waiting.pop(planned.path).close()
                        name = planned.options.name
                        follow({"kind": "sweep", "number": number, "of": len(self._planned), "name": name})
                        self._train(planned, follow)
            finally:
                for path in list(self._waiting):
                    self._give_up(path)
        return read_sweep([*(planned.path for planned in self._planned), *self._left_out])

    def _train(self, planned: PlannedRun, on_event: OnEvent) -> None:
        try:
            start_run(planned.options, planned.path, True, on_event)  # the folder is there: it has not begun
        except StopRequestedError:
            pass
        except BertcoreError:
            if not self._has_trained and RunFolder(planned.path).status().step == 0:
                raise  # the same would happen to all
        self._has_trained = True
        gc.collect()  # the model of this run, before the next one is made

    def _create(self, name: str, budget_share: float) -> None:
        """All folders, with their places in the sweep, before the first run begins."""
        places = [read_place(planned.path) for planned in self._planned]
        taken = [planned.path for planned in self._planned if has_run(planned.path)]
        for path in taken:
            refuse_run(path, self._resume)
        sweep_id = next((place.id for place in places if place), f"{name}-{secrets.token_hex(4)}")
        TRAINABLES[self._planned[0].options.kind].refuse(self._planned[0].options)
        for number, planned in enumerate(self._planned, start=1):
            if self._resume and _is_unusable(planned.path):
                continue  # the others go on
            if planned.path not in taken:
                RunFolder.create(planned.path, planned.options.to_dict())
            if places[number - 1] is None:
                write_place(planned.path, SweepPlace(sweep_id, name, number, len(self._planned), budget_share))
            register_run(planned.path)
            folder = RunFolder(planned.path)
            if not _is_over(folder):
                lock = self._waiting[planned.path] = contextlib.ExitStack()
                lock.enter_context(folder.acquire())
                folder.write_status(state="waiting")

    def _take_stops(self) -> None:
        for path in list(self._waiting):
            if RunFolder(path).take_command() == "stop":
                self._give_up(path)

    def _give_up(self, path: Path) -> None:
        with self._waiting.pop(path), contextlib.suppress(BertcoreError):  # a folder that was deleted meanwhile
            RunFolder(path).write_status(state="stopped", message="Not started: the sweep was stopped.")


def _is_unusable(run: Path) -> bool:
    """Whether a run is there whose settings cannot be read, or are none; where they are there, its status says so."""
    folder = RunFolder(run)
    if not has_run(run):
        return bool(folder.snapshots())
    try:
        options_of(folder.config())
    except BertcoreError as error:
        if not _is_over(folder) and not folder.is_alive():
            folder.write_status(state="failed", message=str(error))
        return True
    return False


def _is_over(folder: RunFolder) -> bool:
    """Done, or diverged: it would do so again."""
    status = folder.status()
    return status.state == "done" or (status.state == "failed" and cause_of(status.message) == "diverged")
