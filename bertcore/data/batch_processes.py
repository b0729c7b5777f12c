"""Batches made in several processes beside this one: one thread is too slow for a GPU."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import torch

CAN_FORK = "fork" in get_all_start_methods()

_make: Callable[[Any], Any]  # in each of the processes


def forked_processes(count: int, make: Callable[[Any], Any]) -> ProcessPoolExecutor:
    """`count` processes for `make_here(plan)`, which is `make(plan)`. They are forked here and now, and so share the
    text in memory."""
    pool = ProcessPoolExecutor(count, get_context("fork"), initializer=_begin, initargs=(make, os.getpid()))
    pool.submit(os.getpid)  # the first task starts all of them
    return pool


def make_here(plan: Any) -> Any:
    """In one of the processes."""
    return _make(plan)


def _begin(make: Callable[[Any], Any], parent: int) -> None:
    global _make
    _make = make
    torch.set_num_threads(1)  # the threads of the process that was forked are not here
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A process that was killed cannot end its children."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
