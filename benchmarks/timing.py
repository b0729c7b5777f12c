"""Timing two things against each other on a noisy machine: in turns, and the median of each."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

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


def processor_medians(makers: Mapping[str, Callable[[], Callable[[], object]]], rounds: int) -> dict[str, float]:
    """Median processor seconds, user and system, of what each maker makes: each in a process of its own, in turns.

    Other programs on the machine take nothing of it but the caches, and how one handles memory is nothing to another.
    """
    spawn = get_context("spawn")
    connections, processes = {}, []
    for name, make in makers.items():
        connections[name], theirs = spawn.Pipe()
        processes.append(spawn.Process(target=_take_turns, args=(make, theirs), daemon=True))
        processes[-1].start()
        theirs.close()  # so that the end of the process ends the waiting
    seconds: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, connection in connections.items():
            connection.send(True)
            seconds[name].append(connection.recv())
    for connection, process in zip(connections.values(), processes, strict=True):
        connection.send(False)
        process.join()
    return {name: statistics.median(each) for name, each in seconds.items()}


def _take_turns(make: Callable[[], Callable[[], object]], connection: Connection) -> None:
    run = make()
    run(), run()
    while connection.recv():
        start = time.process_time()
        run()
        connection.send(time.process_time() - start)


def matmul_peak(dtype: torch.dtype | None = None, size: int = 2048, rounds: int = 5) -> float:
    """FLOP/s that a large matrix product reaches for each second of processor time, the best of some rounds."""
    one, other = (torch.randn(size, size, dtype=dtype) for _ in range(2))
    torch.mm(one, other)
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        torch.mm(one, other)
        seconds.append(time.process_time() - start)
    return 2 * size**3 / min(seconds)
