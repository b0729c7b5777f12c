"""A model without dropout for a while, whatever happens meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """In evaluation mode inside; afterwards in the mode it was in, also after an error.

    The one place that switches the mode of a model that may be training: what measures it in between, and is stopped
    or fails, must not leave the rest of the run without dropout.
    """
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)
