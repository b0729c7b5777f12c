"""Which number format this machine trains fastest in, and on how many threads."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from bertcore.training.distributed import ProcessGroup

_ROWS, _INNER, _COLUMNS = 2048, 256, 1024  # the shape of a small BERT's feed-forward product
_WORTH_IT = 1.3  # bf16 rounds more; it must pay


@dataclass(frozen=True)
class Precision:
    """`dtype` for autocast, or None for plain fp32; `reason` says why, for the log."""

    dtype: torch.dtype | None
    reason: str

    def autocast(self, device: torch.device) -> torch.autocast:
        return torch.autocast(device.type, self.dtype, enabled=self.dtype is not None)

    @property
    def products(self) -> torch.dtype:
        """The format of matrix products outside autocast."""
        return self.dtype or torch.float32

    @property
    def name(self) -> str:
        return "fp32" if self.dtype is None else "bf16"


def choose_precision(wanted: str, device: torch.device) -> Precision:
    """fp32 or bf16 as given; with "auto", bf16 where a probe shows that it multiplies clearly faster here."""
    if wanted == "fp32":
        return Precision(None, "fp32 as requested")
    if wanted == "bf16":
        return Precision(torch.bfloat16, "bf16 as requested")
    slow = _seconds(torch.bfloat16, device, repeats=1)  # where bf16 is emulated one product already takes long
    fp32 = _seconds(torch.float32, device)
    if slow > 4 * fp32:
        return Precision(None, f"fp32: bf16 is {slow / fp32:.0f} times slower on this machine")
    ratio = fp32 / _seconds(torch.bfloat16, device)
    if ratio < _WORTH_IT:
        return Precision(None, f"fp32: bf16 is only {ratio:.1f} times as fast on this machine")
    return Precision(torch.bfloat16, f"bf16: it multiplies {ratio:.1f} times as fast as fp32 on this machine")


def same_precision(wanted: str, device: torch.device, group: ProcessGroup) -> Precision:
    """What a probe finds in process 0, for all."""
    if group.is_first:
        precision = choose_precision(wanted, device)
        group.broadcast(lambda: precision.name)
        return precision
    return choose_precision(group.broadcast(lambda: wanted), device)


def default_threads(processes: int = 1) -> int:
    """All cores that this process may use but one, divided among so many processes; at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, (cores - 1) // processes)


def _seconds(dtype: torch.dtype, device: torch.device, repeats: int = 8) -> float:
    rows = _ROWS if device.type == "cpu" else 32 * _ROWS  # a GPU would be done before the next one is begun
    left = torch.randn(rows, _INNER, device=device).to(dtype)
    right = torch.randn(_INNER, _COLUMNS, device=device).to(dtype)
    left @ right
    best = float("inf")
    for _ in range(repeats):
        best = min(best, seconds_of(lambda: left @ right, device))
    return best


def seconds_of(work: Callable[[], object], device: torch.device) -> float:
    """Wall time. A GPU is waited for before and after: Python only queues what it is to compute."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start
