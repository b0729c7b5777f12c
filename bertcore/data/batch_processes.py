"""Batches made in several processes beside this one: one thread is too slow for a GPU."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from bertcore.data.batches import Batch

CAN_FORK = "fork" in get_all_start_methods()
Plan = TypeVar("Plan")

_make: Callable[[Any], Batch]  # in each of the processes


class BatchProcesses(Generic[Plan]):
    """`make(plan)` in one of `count` processes. They are forked here and now, and so share the text in memory."""

    def __init__(self, count: int, make: Callable[[Plan], Batch]) -> None:
        arguments = (make, os.getpid())
        self._pool = ProcessPoolExecutor(count, get_context("fork"), initializer=_begin, initargs=arguments)
        self._pool.submit(os.getpid)  # the first task starts all of them

    def submit(self, plan: Plan) -> Future[dict[str, Any]]:
        """A result for `received`."""
        return self._pool.submit(_made, plan)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def received(result: Future[dict[str, Any]]) -> Batch:
    """The batch; an error in making it is raised here."""
    fields: dict[str, Any] = result.result()
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            fields[name] = torch.from_numpy(value)
    return Batch(**fields)


def _made(plan: Any) -> dict[str, Any]:
    """As NumPy arrays: tensors would travel in shared memory, of which a container may have little."""
    fields = vars(_make(plan))
    return {name: value.numpy() if isinstance(value, Tensor) else value for name, value in fields.items()}


def _begin(make: Callable[[Any], Batch], parent: int) -> None:
    global _make
    _make = make
    torch.set_num_threads(1)  # the threads of the process that was forked are not here
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A process that was killed cannot end its children."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
