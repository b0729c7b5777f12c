"""Batches made ahead: the next one on a thread beside, while the present one is worked on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Gives what `make(step, fraction)` makes, one step after the other: the same things as without a thread.

    Nothing else may use what `make` uses while a step is under way.
    """

    def __init__(self, make: Callable[[int, float], T]) -> None:
        self._make = make
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="batches")
        self._ahead: tuple[int, Future[T]] | None = None

    def take(self, step: int, fraction: float) -> T:
        """Waits for it where it is not ready; what went wrong in making it is raised here."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == step:
            return ahead[1].result()
        return self._make(step, fraction)

    def begin(self, step: int, fraction: float) -> None:
        """Make the one of `step` beside."""
        self._ahead = step, self._thread.submit(self._make, step, fraction)

    @property
    def is_ahead(self) -> bool:
        return self._ahead is not None

    def close(self) -> None:
        """Waits for the one that is being made."""
        self._thread.shutdown(wait=True, cancel_futures=True)
