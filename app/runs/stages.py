"""The training steps at which a model can be opened: the snapshots of its run, three of them by name. No torch."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN, SHIPPED, base_of, shipped_checkpoint
from bertcore.runs.known_runs import run_behind
from bertcore.runs.metrics_file import HELD_OUT, MetricsTail
from bertcore.runs.run_folder import RunFolder

from .run_kinds import kind_in

START, HALF_TRAINED, TRAINED = STAGES = ("start", "half_trained", "trained")
UNTRAINED, TUNING, GOING_ON = "untrained", "tuning", "going_on"  # what a run begins with: chance, or a trained model
Snapshots = tuple[tuple[int, Path], ...]  # step and folder, in the order of the steps


@dataclass(frozen=True)
class Steps:
    """Of one run."""

    run: Path
    snapshots: Snapshots
    final: Path  # the snapshot that the run ends with
    stages: Mapping[str, Path]  # one of STAGES -> a checkpoint; those that the run has
    begins_with: str = UNTRAINED  # UNTRAINED; TUNING, of a model that was trained before; GOING_ON with its training

    def stage_of(self, folder: Path) -> str:
        """The stage that a checkpoint is; empty for another step."""
        folder = folder.resolve()
        return next((name for name in reversed(STAGES) if self.stages.get(name) == folder), "")


def steps_of(checkpoint: Path) -> Steps | None:
    """None for a checkpoint that is of no run, or of one that kept no snapshots."""
    run = run_behind(checkpoint)
    snapshots = tuple(RunFolder(run).snapshots()) if run is not None else ()
    if run is None or not snapshots:
        return None
    final = RunFolder(run).final_snapshot()
    if final is None or final not in dict(snapshots).values():
        final = snapshots[-1][1]
    return Steps(run, snapshots, final, *_stages_of(run, snapshots, final))


def start_of(checkpoint: Path) -> Path | None:
    """Where its training began: the first snapshot of its run, or the model that ships and was fine-tuned.

    None where that is not kept, and for the first snapshot itself.
    """
    steps = steps_of(checkpoint)
    if steps is not None:
        first = steps.snapshots[0][1].resolve()
        return first if first != checkpoint.resolve() else None
    return base_of(checkpoint)


def reference_to(checkpoint: Path) -> str | None:
    """How it is opened: a model that ships by its name, as OpenModel has it."""
    name = next((name for name in SHIPPED if shipped_checkpoint(name).resolve() == checkpoint.resolve()), None)
    return None if name == BUILT_IN else name or str(checkpoint)


@lru_cache(maxsize=8)
def _stages_of(run: Path, snapshots: Snapshots, final: Path) -> tuple[dict[str, Path], str]:
    """And what the run begins with."""
    begins_with = UNTRAINED
    with contextlib.suppress(BertcoreError):
        config = RunFolder(run).config()
        begins_with = GOING_ON if config.get("start") else UNTRAINED
        if (kind := kind_in(config)) is not None and kind.is_task:
            begins_with = TUNING
    if len(snapshots) < 2:
        return {}, begins_with
    stages = {START: snapshots[0][1]} if snapshots[0][0] == 0 else {}
    between = snapshots[1 : [path for _, path in snapshots].index(final)]
    if between:
        stages[HALF_TRAINED] = half_way(run, between)
    return {name: folder.resolve() for name, folder in (stages | {TRAINED: final}).items()}, begins_with


def half_way(run: Path, between: Sequence[tuple[int, Path]]) -> Path:
    """The snapshot with half of the fall of the held-out loss behind it; without such a loss the one in the middle.

    Snapshots are kept at growing distances, and half of the steps is nearly the end. Before masked words are trained,
    the model has seen only what is to the left of a token: those snapshots count only where there are no others.
    """
    losses: dict[int, float] = {}  # by step
    masked_from = 0  # the step
    for line in MetricsTail(run, (HELD_OUT, "phase")).read_new():
        loss = line.get("mlm_loss") or line.get("loss")
        if line["kind"] == HELD_OUT and isinstance(loss, int | float):
            losses[int(line["step"])] = float(loss)
        elif line.get("phase") == "masked":
            masked_from = masked_from or int(line["step"])  # said again by a run that was resumed
    between = [one for one in between if one[0] >= masked_from] or list(between)
    if len(losses) < 2:
        return between[len(between) // 2][1]
    steps = sorted(losses)
    middle = (losses[steps[0]] + losses[steps[-1]]) / 2
    nearest = {step: losses[min(steps, key=lambda measured: abs(measured - step))] for step, _ in between}
    return min(between, key=lambda one: abs(nearest[one[0]] - middle))[1]
