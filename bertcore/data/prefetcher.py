"""Batches made ahead: the next one on another thread, while the model computes on this one."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Prefetcher(Generic[T]):
    """The results of `make(step, fraction)`, one step after the other: the same ones as without a thread.

    Nothing else may use the state that `make` uses while a result is being made.
    """

    def __init__(self, make: Callable[[int, float], T]) -> None:
        self._make = make
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="batches")
        self._ahead: tuple[int, Future[T]] | None = None

    def take(self, step: int, fraction: float) -> T:
        """Waits where it is not ready; an error in making it is raised here."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == step:
            return ahead[1].result()
        return self._make(step, fraction)

    def prefetch(self, step: int, fraction: float) -> None:
        """Make the result of `step` on the thread."""
        self._ahead = step, self._thread.submit(self._make, step, fraction)

    @property
    def is_ahead(self) -> bool:
        return self._ahead is not None

    def close(self) -> None:
        """Waits for the result that is being made."""
        self._thread.shutdown(wait=True, cancel_futures=True)
