"""Damages sound files at random and reads them: `make fuzz`, or `python -m benchmarks.fuzz [READER ...]`.

Each reader runs in a process of its own. An input is a finding where it ends in a traceback instead of one sentence,
takes more than 5 s of a core or more than 500 MB beyond what the process had, or ends the process. Findings are kept
with what they said, and the program then ends with 1. Inputs follow from the seed; `--minutes` counts for each reader.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException

from benchmarks.fuzz_readers import Reader, damaged, put_in, readers
from benchmarks.measured import Outcome, measured

MOST_SECONDS, MOST_MIB = 5.0, 500.0
MOST_WAITING_S = 60.0  # of the clock: for a pipe, say
AT_ONCE = 100  # inputs from one seed
MOST_SENTENCE = 2_500  # characters


class FindingError(AssertionError):
    """What hypothesis then makes as short as it can."""


@dataclass(frozen=True)
class Finding:
    reader: str
    file: str  # the damaged one
    problem: str
    kept: str  # the folder with the input


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Which readers; absent: all.")] = None,
    minutes: Annotated[float, typer.Option(help="For each reader.")] = 10.0,
    seed_number: Annotated[int, typer.Option("--seed", help="The same seed tries the same inputs.")] = 0,
    keep: Annotated[Path, typer.Option(help="Where findings are kept.")] = Path("build/fuzz"),
    inside: Annotated[bool, typer.Option("--inside", hidden=True)] = False,
) -> None:
    known = readers()
    if unknown := set(names or ()) - set(known):
        raise typer.BadParameter(f"there is no reader {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if inside:
        assert names
        _try(names[0], known[names[0]](), minutes * 60, seed_number, keep)
        return
    findings = [each for name in names or known for each in _run(name, minutes, seed_number, keep)]
    for finding in findings:
        print(f"FOUND: {finding.reader}, {finding.file}: {finding.problem} ({finding.kept})")
    raise typer.Exit(1 if findings else 0)


def _run(name: str, minutes: float, seed_number: int, keep: Path) -> list[Finding]:
    """A reader's time, in as many processes as it ends."""
    until, findings, number, tried = time.monotonic() + minutes * 60, [], seed_number, 0
    while (left := until - time.monotonic()) > 0:
        command = [sys.executable, "-m", "benchmarks.fuzz", name, "--inside"]
        command += ["--minutes", str(left / 60), "--seed", str(number), "--keep", str(keep)]
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "OMP_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
        }
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        tried += max([line["tried"] for line in lines if "tried" in line], default=0)
        findings += [Finding(**line["finding"]) for line in lines if "finding" in line]
        if done.returncode == 0:
            break
        number = max([line["seed"] for line in lines if "seed" in line], default=number) + 1
        why = {-signal.SIGPROF: f"more than {MOST_SECONDS:.0f} s", -signal.SIGALRM: "it waits for ever"}
        problem = why.get(done.returncode, f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        findings.append(_kept_by_dying(name, problem, keep))
        if len(findings) > 20:
            break
    print(f"{name:20} {tried:8,} inputs, {len(findings)} findings", flush=True)
    return findings


def _kept_by_dying(name: str, problem: str, keep: Path) -> Finding:
    """What the process was at."""
    at_work, place = keep / name / "at-work", keep / name / f"died-{time.time_ns()}"
    file = "?"
    if at_work.is_dir():
        at_work.rename(place)
        file = (place / "damaged.txt").read_text() if (place / "damaged.txt").is_file() else "?"
    return Finding(name, file, problem, str(place))


def _try(name: str, reader: Reader, seconds: float, seed_number: int, keep: Path) -> None:
    """Inputs until the time is up, in this process; a line of JSON for each finding, and after each seed."""
    at_work = keep / name / "at-work"
    at_work.mkdir(parents=True, exist_ok=True)
    tried, known, last = 0, set[str](), list[tuple[str, str]]()
    for file, content in reader.seeds.items():  # imports what it needs, before time and memory are limited
        problem_with(reader, file, content)
    limit_memory()
    until = time.monotonic() + seconds

    def attempt(case: tuple[str, bytes]) -> None:
        nonlocal tried
        if time.monotonic() > until and not last:
            return
        tried += 1
        problem = problem_with(reader, *case, at_work)
        if problem and _key(problem) not in known:
            last.append((case[0], problem))
            raise FindingError(problem)

    while time.monotonic() < until:
        last.clear()
        try:
            _inputs(attempt, reader, seed_number)
        except (FindingError, HypothesisException):  # the latter where memory is not the same the second time
            if not last:
                raise
            file, problem = last[-1]
            known.update(_key(each) for _, each in last)
            place = keep / name / f"found-{time.time_ns()}"
            at_work.rename(place)  # the shortest is tried last
            (place / "problem.txt").write_text(problem)
            said = problem.splitlines()[-1][:300]
            print(json.dumps({"finding": asdict(Finding(name, file, said, str(place)))}), flush=True)
        seed_number += 1
        print(json.dumps({"tried": tried, "seed": seed_number}), flush=True)


def limit_memory() -> None:
    """So that a bomb ends this process and not the machine."""
    status = Path("/proc/self/status").read_text().splitlines()
    now = int(next(line for line in status if line.startswith("VmData")).split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (now + 4 * int(MOST_MIB) * 2**20, resource.RLIM_INFINITY))


def _key(problem: str) -> str:
    """What tells one problem from another: of a traceback, its kind and the last line of ours."""
    ours = [line for line in problem.splitlines() if "/bertcore/" in line or "/app/" in line]
    return f"{ours[-1]} {problem.splitlines()[-1].partition(':')[0]}" if ours else problem[:60]


def _inputs(attempt: Callable[[tuple[str, bytes]], None], reader: Reader, seed_number: int) -> None:
    run = given(damaged(reader.seeds))(attempt)
    run = settings(
        max_examples=AT_ONCE,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )(run)
    seed(seed_number)(run)()


def problem_with(reader: Reader, name: str, content: bytes, at_work: Path | None = None) -> str | None:
    """Why this input is a finding; None where it was read, or refused with a sentence.

    `at_work`: where the input is while it is read, for whoever finds the process dead; the process is then ended
    where it takes too long.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = (at_work or Path(temporary)) / "input"
        put_in(folder, reader, name, content)
        if at_work is not None:
            (at_work / "damaged.txt").write_text(name)
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)  # nobody handles its signal: it ends the process
            signal.setitimer(signal.ITIMER_REAL, MOST_WAITING_S)
        try:
            outcome = measured(lambda: reader.read(folder))
        finally:
            if at_work is not None:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.setitimer(signal.ITIMER_REAL, 0)
    return _problem(outcome)


def _problem(outcome: Outcome) -> str | None:
    said = outcome.said
    if outcome.broke:
        return outcome.broke.strip()
    if outcome.seconds > MOST_SECONDS:
        return f"it takes more than {MOST_SECONDS:.0f} s"
    if outcome.mib > MOST_MIB:
        return f"it takes more than {MOST_MIB:.0f} MiB"
    if said is not None and (not said.strip() or "\n" in said or len(said) > MOST_SENTENCE):
        return f"no single sentence: {said[:200]!r}"
    if said is not None and any(
        (ord(letter) < 32 and letter != "\t") or 0xD800 <= ord(letter) <= 0xDFFF for letter in said
    ):
        return "a sentence with control characters"
    return None


if __name__ == "__main__":
    typer.run(main)
