"""Timing two things against each other on a noisy machine: in turns, and the median of each."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Row:
    """One line of the table. `ratio` is what the issue asks about; `holds` says whether it is reached."""

    what: str
    ours: str
    peer: str
    ratio: float
    asked: str
    holds: bool


def medians_in_turns(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of each, run alternately after one warm-up, so that both meet the same noise."""
    ours(), peer()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for function, seconds in zip((ours, peer), times, strict=True):
            start = time.perf_counter()
            function()
            seconds.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def matmul_peak(dtype: torch.dtype | None = None, size: int = 2048, rounds: int = 5) -> float:
    """FLOP/s that this machine reaches on a large matrix product, the best of some rounds."""
    one, other = (torch.randn(size, size, dtype=dtype) for _ in range(2))
    torch.mm(one, other)
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        torch.mm(one, other)
        seconds.append(time.perf_counter() - start)
    return 2 * size**3 / min(seconds)
