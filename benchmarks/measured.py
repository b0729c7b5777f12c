"""What an action costs, and how it ended: for attacks, and for fuzzing. Linux tells the peak of memory."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bertcore.errors import BertcoreError

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_FORGET_THE_PEAK = "5"  # proc(5)


@dataclass(frozen=True)
class Outcome:
    said: str | None  # the sentence that it ended in; None: it went well
    broke: str | None  # a traceback, of anything but a BertcoreError
    mib: float  # of memory, at the peak, beyond what the process had before
    seconds: float  # of a core


def measured(action: Callable[[], object]) -> Outcome:
    said = broke = None
    _CLEAR.write_text(_FORGET_THE_PEAK)
    memory, began = _mib("VmRSS"), time.process_time()
    try:
        action()
    except BertcoreError as error:
        said = str(error)
    except Exception:
        broke = traceback.format_exc()
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of a library in Rust
            raise
        broke = traceback.format_exc()
    return Outcome(said, broke, max(0.0, _mib("VmHWM") - memory), time.process_time() - began)


def _mib(name: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024
