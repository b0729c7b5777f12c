"""Python reads this at its start: libraries that this system lacks are loaded before torch or Qt ask for them.

The system's own come first: its graphics drivers and input methods were built for them.
"""

import ctypes
import sys
from contextlib import suppress
from pathlib import Path


def _load(group: Path) -> None:
    for name in (group / "order").read_text(encoding="utf-8").split():
        try:
            ctypes.CDLL(name)
        except OSError:
            with suppress(OSError):
                ctypes.CDLL(str(group / name))


_libraries = Path(sys.prefix).parent / "lib"
_load(_libraries / "core")
if "bertscope" in sys.orig_argv:
    _load(_libraries / "window")
