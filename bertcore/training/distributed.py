"""Several processes as one run, under the launcher that started them (torchrun, or one that sets the same variables).

Process 0 writes the run folder. Every process makes its own rows of each batch and computes on them; gradients are
averaged by DistributedDataParallel.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from bertcore.errors import BertcoreError
from bertcore.json_text import parse_json
from bertcore.training.failures import as_sentence
from bertcore.training.objective import Losses

TIMEOUT = timedelta(hours=1)  # how long the others may be busy, with a snapshot for instance
FAILURE_GRACE_S = 10.0  # how long process 0 may take to end by itself when another has failed
_POLL_S = 0.2
_FAILED = "failed"

T = TypeVar("T")


class ProcessGroup:
    """The processes of a run, seen from one of them. With one process every method returns at once."""

    def __init__(self, rank: int = 0, size: int = 1, local_size: int = 1, store: dist.Store | None = None) -> None:
        self.rank, self.size, self.local_size = rank, size, local_size
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._store = store
        self._broadcasts = 0

    @property
    def devices(self) -> str:
        """For the log."""
        return self.device.type if self.size == 1 else f"{self.size} x {self.device.type}"

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def shard(self, rows: int) -> tuple[int, int]:
        """This process's part of so many rows, [start, stop); parts differ by one row at most."""
        return rows * self.rank // self.size, rows * (self.rank + 1) // self.size

    def all_reduce(self, *values: float) -> list[float]:
        """Each value summed over all processes. All have to call it."""
        if self.size == 1:
            return list(values)
        numbers = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(numbers)
        summed: list[float] = numbers.tolist()
        return summed

    def broadcast(self, make: Callable[[], T]) -> T:
        """`make` runs in process 0 alone; all get its result, by way of JSON. The others wait as long as it takes."""
        if self.size == 1:
            return make()
        assert self._store is not None
        key = f"broadcast {self._broadcasts}"
        self._broadcasts += 1
        if self.is_first:
            self._store.set(key, json.dumps(make()))
        while not self._store.check([key]):
            if self._store.check([_FAILED]):
                sys.exit(2)  # process 0 says why
            time.sleep(_POLL_S)
        result: T = parse_json(self._store.get(key).decode())
        return result

    def check_batch_size(self, rows: int) -> None:
        """Raises BertcoreError where a batch of so many rows would leave a process with nothing to do."""
        if self.size > rows:
            raise BertcoreError(
                f"A batch of {rows} sequences is too small for {self.size} processes; choose a larger batch size."
            )

    def parallel(self, model: nn.Module, loss: Callable[..., Losses]) -> Callable[..., Losses]:
        """`loss(model, *given)` as a function of `given`; backward then leaves the mean of all processes' gradients.

        What no process needs in a step (the pair head, where words alone are learned) keeps no gradient at all.
        """
        if self.size == 1:
            return lambda *given: loss(model, *given)
        together = DistributedDataParallel(_LossModule(model, loss), find_unused_parameters=True)
        return lambda *given: Losses(*together(*given))

    # --- when something goes wrong

    def report_failure(self, error: BaseException) -> None:
        """Tell the other processes why this one ends; the first report counts."""
        if self._store is not None:
            self._store.compare_set(_FAILED, "", json.dumps([self.rank, as_sentence(error, Path())]))

    def cause(self, error: BaseException) -> BaseException:
        """What ended another process, where `error` is only what this one noticed of it."""
        if self.size == 1 or isinstance(error, BertcoreError) or not _is_lost_connection(error):
            return error
        deadline = time.monotonic() + FAILURE_GRACE_S / 2
        while time.monotonic() < deadline:
            if (words := self._failure()) is not None:
                return BertcoreError(words)
            time.sleep(_POLL_S)
        return BertcoreError("A process of this run ended unexpectedly; continue from the last snapshot with --resume.")

    @contextmanager
    def watch_others(self, report: Callable[[str], None]) -> Iterator[None]:
        """End process 0 when another has failed and it does not notice: a GPU waits for the lost one without end."""
        if self.size == 1 or not self.is_first:
            yield
            return
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(1.0):
                words = self._failure()
                if words is not None and not ended.wait(FAILURE_GRACE_S):
                    report(words)
                    os._exit(2)

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            ended.set()

    def _failure(self) -> str | None:
        """What another process said when it failed, as a sentence."""
        assert self._store is not None
        if not self._store.check([_FAILED]):
            return None
        rank, sentence = parse_json(self._store.get(_FAILED).decode())
        return str(sentence) if rank == self.rank else f"In process {rank} of {self.size}: {sentence}"


_GROUPS = count()  # a process may train one run after the other


@contextmanager
def process_group() -> Iterator[ProcessGroup]:
    """The processes that a launcher started together; a group of one where there was no launcher.

    An error that leaves the block is reported to the others; processes other than 0 then exit without a message.
    Raises BertcoreError where there are more processes than GPUs.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield ProcessGroup()
        return
    local_rank, local_size = (int(os.environ.get(name, "0")) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE"))
    store, rank, size = next(dist.rendezvous("env://", timeout=TIMEOUT))
    store = dist.PrefixStore(f"bertscope {next(_GROUPS)}", store)
    group = ProcessGroup(rank, size, max(1, local_size), store)
    try:
        group.device = _own_device(local_rank)
        backend = "gloo" if group.device.type == "cpu" else "cpu:gloo,cuda:nccl"
        dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=TIMEOUT)
        yield group
    except BaseException as error:
        group.report_failure(error)
        if rank > 0:
            sys.exit(2)
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _own_device(local_rank: int) -> torch.device:
    """A GPU for this process alone, where the machine has some."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    gpus = torch.cuda.device_count()
    if local_rank >= gpus:
        raise BertcoreError(f"This machine has {gpus} GPU(s); start one process for each, not {local_rank + 1}.")
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def _is_lost_connection(error: BaseException) -> bool:
    """Whether this is how a process hears that another is gone."""
    text = str(error).lower()
    return isinstance(error, dist.DistError) or any(word in text for word in ("gloo", "nccl", "connection closed"))


class _LossModule(nn.Module):
    """A loss as a module: DistributedDataParallel has to see everything that belongs to a backward pass."""

    def __init__(self, model: nn.Module, loss: Callable[..., Losses]) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, *given: Any) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]:
        losses = self.loss(self.model, *given)
        return losses.total, losses.parts, losses.logits
