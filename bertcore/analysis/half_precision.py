"""Large arrays at half their size: kept as float16, read as float32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .trace import Trace

PARTS = ("attentions", "queries", "keys", "values")  # what grows with the text, its layers and heads


class HalfPrecision(NDArrayOperatorsMixin):
    """Stands in the place of a float32 array. What is read, a head or a layer, becomes float32 for as long as it is
    used; the numbers have three digits (11 bits), and below 6e-8 they are 0."""

    def __init__(self, values: NDArray) -> None:
        """Raises OverflowError for numbers above 65,504, which float16 does not have."""
        with np.errstate(over="ignore"):
            self._halves = values.astype(np.float16)
        if not np.isfinite(self._halves).all():
            raise OverflowError("numbers above 65,504 have no half precision")
        self.shape, self.size, self.ndim = values.shape, values.size, values.ndim
        self.nbytes, self.dtype = self._halves.nbytes, np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self._halves)

    def __getitem__(self, where: Any) -> Any:
        return self._halves[where].astype(np.float32)

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        return (part.astype(np.float32) for part in self._halves)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return self._halves.astype(np.float32 if dtype is None else dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        whole = [np.asarray(one) if isinstance(one, HalfPrecision) else one for one in inputs]
        return getattr(ufunc, method)(*whole, **options)

    def __getattr__(self, name: str) -> Any:
        """Everything else that an array has, of the whole in float32."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


def trace_bytes(trace: Trace) -> int:
    """What its arrays take."""
    held = (value for value in vars(trace).values() if isinstance(value, np.ndarray | HalfPrecision))
    return sum(value.nbytes for value in held)


def halved(trace: Trace) -> Trace:
    """The same with its largest parts in half precision, as far as their numbers allow."""
    made: dict[str, Any] = {}
    for name in PARTS:
        try:
            made[name] = HalfPrecision(getattr(trace, name))
        except OverflowError:  # a query of some model may be that large; then it stays as it is
            continue
    return replace(trace, **made)
