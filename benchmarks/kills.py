"""A training run that is killed again and again, beside one that nobody disturbs: `python -m benchmarks.kills`.

Each kill is a SIGKILL at a random moment: anywhere between two steps, while a snapshot is written, or while the program
starts. Then `--resume`. Every loss that was ever written, also those that were trained again, has to be the undisturbed
run's, bit for bit, and so have the last weights and the optimiser's state.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

ROOT = Path(__file__).parent.parent
TEXT = ROOT / "assets" / "corpus" / "stories.txt"
PICTURE = ROOT / "docs" / "images" / "kills.png"
STEPS, KILLS, SEED = 400, 20, 1
WHILE_STARTING = 0.2  # share of the kills that come before the process takes its first step
START_S = 6.0  # at most so long after its start
TIMES = ("elapsed_s", "tok_per_s", "memory_mib", "cores")  # of a metrics line: these differ


@dataclass(frozen=True)
class Kill:
    at_step: int  # the last one that was written down
    goes_on_from: int | None  # newest whole snapshot; None: there was none yet
    while_starting: bool  # the process had not taken a step
    while_saving: bool  # a half-written snapshot stood there


@dataclass(frozen=True)
class Outcome:
    kills: list[Kill]
    undisturbed: dict[int, float]  # step -> loss
    interrupted: dict[int, float]
    trained: int  # steps, those that were trained again counted again; all were compared
    different: list[int]  # steps at which any number differed
    same_end: bool  # weights and optimiser's state
    seconds: float

    @property
    def holds(self) -> bool:
        return self.undisturbed == self.interrupted and not self.different and self.same_end


def kill_test(kills: int = KILLS, steps: int = STEPS, seed: int = SEED) -> Outcome:
    """Train twice in a folder of its own, once undisturbed and once with so many kills."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recipe = folder / "recipe.json"
        recipe.write_text(json.dumps(_options(steps).to_dict()), encoding="utf-8")
        undisturbed, run = folder / "undisturbed", folder / "interrupted"
        _finish(recipe, undisturbed)
        expected = _lines(undisturbed)
        happened: list[Kill] = []
        different: set[int] = set()
        for kill in _kill_again_and_again(recipe, run, random.Random(seed), kills, steps):
            happened.append(kill)
            different |= _differences(_lines(run), expected)
        _finish(recipe, run)
        told = _lines(run)
        return Outcome(
            kills=happened,
            undisturbed={step: line["loss"] for step, line in expected.items()},
            interrupted={step: line["loss"] for step, line in told.items()},
            trained=steps
            + sum(kill.at_step - (kill.goes_on_from or 0) for kill in happened if not kill.while_starting),
            different=sorted(different | _differences(told, expected)),
            same_end=_end(run) == _end(undisturbed),
            seconds=time.monotonic() - started,
        )


def _options(steps: int) -> PretrainOptions:
    """The smallest preset on the stories that come with the program; a snapshot every 0.6 s."""
    data = DataOptions(corpus=(str(TEXT),), vocab_size=2000, sequence_length=64, long_sequence_length=64)
    training = TrainingOptions(steps=steps, threads=1, precision="fp32", evaluations=4, save_minutes=0.01)
    dropout = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}  # to be drawn the same again
    return PretrainOptions(name="kills", preset="tiny", model=dropout, data=data, training=training)


def _kill_again_and_again(recipe: Path, run: Path, pick: random.Random, kills: int, steps: int) -> Iterator[Kill]:
    """Yields each kill after it happened. The moments are spread over the whole run."""
    starting = set(pick.sample(range(kills), round(kills * WHILE_STARTING)))
    last = 0
    moments = iter(sorted(pick.uniform(0, 0.98 * steps) for _ in range(kills - len(starting))))
    for number in range(kills):
        process = _start(recipe, run)
        if number in starting:
            time.sleep(pick.uniform(0, START_S))
        else:
            _wait_for(run, process, next(moments), pick)
        process.kill()
        process.wait()
        snapshots = RunFolder(run).snapshots()
        at_step = max(_lines(run), default=0)
        newest = snapshots[-1][0] if snapshots else None
        half = any(path.suffix == ".partial" for path in (run / "snapshots").glob("*"))
        took_no_step = at_step == last  # what is half written was left by the kill before
        yield Kill(at_step, newest, took_no_step, half and not took_no_step)
        last = at_step


def _start(recipe: Path, run: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bertcore", "pretrain", "--recipe", str(recipe), "--out", str(run), "--resume"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "BERTSCOPE_HOME": str(run.parent / "home")}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _finish(recipe: Path, run: Path) -> None:
    if _start(recipe, run).wait() != 0:
        raise SystemExit(f"The run failed: {RunFolder(run).status().message}")


def _wait_for(run: Path, process: subprocess.Popen[bytes], moment: float, pick: random.Random) -> None:
    """Until step `moment` was written down, and then a part of a step longer."""
    tail, step = RunFolder(run).tail(), -1
    while step < int(moment):
        if process.poll() is not None:
            raise SystemExit(f"The run ended by itself, before step {moment:.0f}.")
        time.sleep(0.002)
        step = max([step, *(line["step"] for line in tail.read_new() if line.get("kind") == "train")])
        if int(moment) == 0 and tail.path.exists():
            break
    time.sleep(pick.uniform(0, 0.05))


def _lines(run: Path) -> dict[int, dict[str, Any]]:
    """The training lines by step, without times."""
    lines = [line for line in RunFolder(run).tail().read_new() if line.get("kind") == "train"]
    return {line["step"]: {key: value for key, value in line.items() if key not in TIMES} for line in lines}


def _differences(told: dict[int, dict[str, Any]], expected: dict[int, dict[str, Any]]) -> set[int]:
    return {step for step, line in told.items() if line != expected[step]}


def _end(run: Path) -> tuple[bytes, bytes]:
    newest = RunFolder(run).newest_snapshot()
    assert newest is not None
    return (newest / "model.safetensors").read_bytes(), (newest / "training_state.safetensors").read_bytes()


def main(
    kills: Annotated[int, typer.Option(help="How many.")] = KILLS,
    steps: Annotated[int, typer.Option(help="Length of the run.")] = STEPS,
    seed: Annotated[int, typer.Option(help="Of the moments.")] = SEED,
    out: Annotated[Path, typer.Option(help="Where the picture goes.")] = PICTURE,
) -> None:
    outcome = kill_test(kills, steps, seed)
    from benchmarks.kills_picture import draw  # Qt, after all processes are done

    title = f"{len(outcome.kills)} random kills: {len(outcome.different)} of {outcome.trained:,} losses differ by a bit"
    draw(title, outcome.undisturbed, outcome.interrupted, [kill.at_step for kill in outcome.kills], out)
    print(f"{'kill':>4} {'at step':>8} {'resumes from':>13}")
    for number, kill in enumerate(outcome.kills, 1):
        notes = [("while starting", kill.while_starting), ("while a snapshot was written", kill.while_saving)]
        begin = "the beginning" if kill.goes_on_from is None else kill.goes_on_from
        print(f"{number:4} {kill.at_step:8} {begin:>13}  {', '.join(note for note, is_so in notes if is_so)}")
    print(
        f"{len(outcome.undisturbed)} steps, {outcome.trained:,} with those trained again; losses that differ: "
        f"{len(outcome.different)}; last weights and optimiser's state "
        f"{'the same bytes' if outcome.same_end else 'DIFFERENT'}; {outcome.seconds:.0f} s."
    )
    if not outcome.holds:
        sys.exit(1)


if __name__ == "__main__":
    typer.run(main)
