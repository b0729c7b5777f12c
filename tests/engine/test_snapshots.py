"""Which snapshots of a run stay: log-spaced ones, within a limit on disk, and never at the cost of the newest."""

import math
import random
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import can_resume, is_mark, surplus
from bertcore.training.pretrain_options import continued
from bertcore.training.start import start_run
from tests.engine.training_runs import at_step, losses, tiny_run

MIB = 2**20


@cache
def marks_to_a_million() -> list[int]:
    return [step for step in range(1_000_001) if is_mark(step)]


def marks(until: int) -> list[int]:
    return [step for step in marks_to_a_million() if step <= until]


def kept_of(steps: list[int], limit: float, asked: set[int] | None = None, size: int = 1) -> list[int]:
    gone = surplus([(step, size) for step in steps], limit, asked or set())
    return [step for step in steps if step not in gone]


def gaps(steps: list[int]) -> list[float]:
    return [math.log1p(after) - math.log1p(before) for before, after in pairwise(steps)]


class TestMarks:
    def test_the_first_decades_by_hand(self) -> None:
        assert marks(99) == [0, 1, 2, 5, 10, 20, 50]
        assert [step for step in marks(1000) if step >= 100] == [100, 160, 250, 400, 630, 1000]

    def test_ten_a_decade_after_that(self) -> None:
        for decade in (1000, 10_000, 100_000):
            found = [step for step in marks(10 * decade - 1) if step >= decade]
            assert len(found) == 10
            assert all(1.2 < after / before < 1.3 for before, after in pairwise([*found, 10 * decade]))


class TestSurplus:
    def test_nothing_goes_while_there_is_room(self) -> None:
        assert surplus([(step, 7) for step in marks(1000)], 7 * len(marks(1000))) == []

    def test_the_middle_goes_first(self) -> None:
        """In evenly spaced snapshots any one could go."""
        steps = [round(math.expm1(0.5 * place)) for place in range(8, 21)]
        even = [0, *steps]
        gone = surplus([(step, 1) for step in even], len(even) - 1)
        middle = math.log1p(steps[-1]) / 2
        assert abs(math.log1p(gone[0]) - middle) < 0.8

    @pytest.mark.parametrize("seed", range(40))
    def test_whatever_the_sizes_the_ends_stay_and_the_limit_holds(self, seed: int) -> None:
        pick = random.Random(seed)
        steps = [0, *sorted(pick.sample(range(1, 100_000), pick.randint(1, 40)))]
        snapshots = [(step, pick.randint(1, 1000)) for step in steps]
        asked = set(pick.sample(steps, pick.randint(0, min(3, len(steps)))))
        limit = pick.randint(0, sum(size for _, size in snapshots))
        gone = surplus(pick.sample(snapshots, len(snapshots)), limit, asked)
        kept = [each for each in snapshots if each[0] not in gone]
        assert {steps[0], steps[-1], *asked} <= {step for step, _ in kept}
        assert len(set(gone)) == len(gone)
        over = sum(size for _, size in kept) > limit
        assert not over or {step for step, _ in kept} == {steps[0], steps[-1], *asked}
        if gone:  # the last to go was needed
            assert sum(size for step, size in snapshots if step not in gone[:-1]) > limit

    @pytest.mark.parametrize("room", [6, 10, 16, 25])
    def test_a_million_steps_in_a_small_room_stay_about_log_spaced(self, room: int) -> None:
        """As the loop does it: each mark comes, some go; the newest two are three times as large."""
        kept: list[int] = []
        for step in marks(1_000_000):
            kept.append(step)
            gone = surplus([(each, 3 if each in kept[-2:] else 1) for each in kept], room + 4)
            kept = [each for each in kept if each not in gone]
            assert kept[0] == 0 and kept[-1] == step and len(kept) <= room
        assert len(kept) == min(room, len(marks(1_000_000)))
        even = math.log1p(1_000_000) / (room - 1)
        assert max(gaps(kept)) < 2.2 * even + 0.3

    def test_the_one_before_the_newest_goes_last(self) -> None:
        """The newest is there for safety alone: 5,000 must not go because 5,010 stands beside it."""
        assert 5000 in kept_of([*marks(5000), 5010], 4)
        assert kept_of([*marks(5000), 5010], 2) == [0, 5010]

    def test_what_was_asked_for_stays_beyond_the_limit(self) -> None:
        assert kept_of(marks(1000), 1, asked={37, 250}) == [0, 250, 1000]


class TestRuns:
    def test_a_limit_thins_the_middle_of_a_run(self, text: Path, tmp_path: Path) -> None:
        wide, narrow = tmp_path / "wide", tmp_path / "narrow"
        start_run(tiny_run(text, steps=60), wide, resume=False)
        found = dict(RunFolder(wide).snapshots())
        assert list(found) == [0, 1, 2, 5, 10, 20, 50, 60]
        # the newest two, which have a training state, and two more
        limit = _mib(found[60]) + _mib(found[50]) + 2.5 * _mib(found[20])
        snapshot = start_run(tiny_run(text, steps=60, snapshots_mib=limit), narrow, resume=False)
        steps = [step for step, _ in RunFolder(narrow).snapshots()]
        assert len(steps) == 4 and (steps[0], steps[-2], steps[-1]) == (0, 50, 60)
        assert _mib(narrow / "snapshots") <= limit and can_resume(snapshot)
        assert "snapshots of step" in (narrow / "log.txt").read_text()
        assert losses(narrow) == losses(wide)

    def test_a_snapshot_that_was_asked_for_stays(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=12), run, False, at_step(7, lambda: RunFolder(run).send("snapshot")))
        steps = [step for step, _ in RunFolder(run).snapshots()]
        assert steps == [0, 1, 2, 5, 7, 10, 12]
        assert load_checkpoint(RunFolder(run).snapshot_path(7)).step == 7

    def test_what_another_run_began_with_stays(self, text: Path, tmp_path: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=12), run, resume=False)
        begun = RunFolder(run).snapshot_path(5)
        start_run(continued(tiny_run(text, steps=2), begun), tmp_path / "next", resume=False)
        assert [file.parent for file in run.glob("snapshots/*/keep")] == [begun]


def _mib(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / MIB
