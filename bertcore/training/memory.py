"""How the C library handles the memory of a process that trains."""

import contextlib
import ctypes

# mallopt(3) of glibc
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_AHEAD = 256 << 20  # bytes taken from the system at a time


def keep_freed_memory() -> None:
    """Let freed tensors stay with this process, which does nothing but train.

    Getting large ones anew from the system, page by page, took 8% of a training step on a CPU, 27% in the causal phase
    with its large logits (6 x 384, vocabulary 16,384). glibc only.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        library.mallopt(_TOP_PAD, _AHEAD)
