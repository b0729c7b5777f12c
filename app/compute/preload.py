"""Loads torch's libraries while the window is built, so that the model is there sooner."""

import ctypes
import importlib.util
import os
import sys
import threading
from pathlib import Path

LIBRARIES = ("libtorch_global_deps.so", os.RTLD_GLOBAL), ("libtorch_python.so", 0)  # as torch itself loads them


def preload_torch() -> None:
    """On a thread of its own; on Linux only, and without torch nothing happens.

    Loading 460 MB of libraries takes 0.2 s, in which Python's own import would hold up all other threads. A foreign
    function does not: `import torch` then finds them loaded.
    """
    spec = importlib.util.find_spec("torch")
    if sys.platform.startswith("linux") and spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "lib"
        threading.Thread(target=_load, args=(folder,), name="preload", daemon=True).start()


def _load(folder: Path) -> None:
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.argtypes, dlopen.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
    for name, mode in LIBRARIES:
        dlopen(os.fsencode(folder / name), os.RTLD_NOW | mode)
