"""Runs in processes of their own, for faults that kill or cripple a process.

A server reads torch once; each run is a fork of it, a second's work. `Elsewhere` is the test's side.
"""

import errno
import gc
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class End:
    """How a run ended: its exit code (negative for a signal), and the sentence of an error."""

    code: int
    said: str

    @property
    def was_killed(self):
        return self.code == -signal.SIGKILL


class Elsewhere:
    """Starts runs of tests.engine.runs_of_each_kind in processes of their own, one at a time."""

    def __init__(self):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        environment["MALLOC_MMAP_THRESHOLD_"] = str(2**20)  # larger blocks are asked of the system each time
        command = [sys.executable, "-m", "tests.engine.elsewhere"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._server = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes)

    def train(self, kind, run, fault="none", *given, **training):
        """Start the run, or go on with it; text and model stand in the folder that `run` lies in."""
        home = os.environ["BERTSCOPE_HOME"]
        order = {"kind": kind, "run": str(run), "fault": fault, "given": given, "training": training, "home": home}
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        return End(**json.loads(self._server.stdout.readline()))

    def close(self):
        self._server.communicate()


# --- faults: what a forked process does to itself ---------------------------------------------------------------------


def killed_at_change(run, at, below):
    """SIGKILL right before change number `at` (from 1) to files with `below` in their path.

    Python tells of every file that is opened, made, renamed or removed before it happens.
    """
    count = 0

    def look(event, given):
        nonlocal count
        changes = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
        writes = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)
        if (changes or writes) and not isinstance(given[0], int) and below in os.fsdecode(given[0]):
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)
    return lambda event: None


def killed_in_a_file(run, step, size):
    """From `step` on the system kills the process as soon as it writes more than `size` bytes into one file."""

    def watch(event):
        if event["kind"] == "train" and event["step"] == step:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return watch


def killed_while_paused(run, step):
    from bertcore.runs.run_folder import RunFolder

    def watch(event):
        if event["kind"] == "train" and event["step"] == step:
            RunFolder(run).send("pause")
        if event["kind"] == "status" and event["state"] == "paused":
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()

    return watch


def without_memory(run, step):
    """From `step` on the process gets hardly more memory than it holds."""

    def watch(event):
        if event["kind"] == "train" and event["step"] == step:
            held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (held + 2**20, held + 2**20))

    return watch


def unreadable(run, name, error):
    """Files whose path ends so cannot be read, by any part of the program: no permission (which root always has), no
    memory, no answer of the disk."""
    errors = {
        "permission": lambda path: PermissionError(errno.EACCES, os.strerror(errno.EACCES), path),
        "memory": lambda path: MemoryError(),
        "disk": lambda path: OSError(errno.EIO, os.strerror(errno.EIO), path),
    }

    def look(event, given):
        reads = event in ("os.listdir", "os.scandir") or (event == "open" and not given[2] & (os.O_WRONLY | os.O_RDWR))
        if reads and not isinstance(given[0], int) and os.fsdecode(given[0] or "").endswith(name):
            raise errors[error](given[0])

    sys.addaudithook(look)
    return lambda event: None


FAULTS = {  # each takes the run, and gives what watches its events
    "none": lambda run: lambda event: None,
    "killed at a change": killed_at_change,
    "killed in a file": killed_in_a_file,
    "killed while paused": killed_while_paused,
    "without memory": without_memory,
    "unreadable": unreadable,
}

# --- the server -------------------------------------------------------------------------------------------------------


def serve():
    from tests.engine.runs_of_each_kind import RUNS

    os.fsync = lambda fd: None  # only a power cut could tell
    importlib.import_module("torch._dynamo")  # as the first optimiser does: here once, instead of in each fork
    for line in sys.stdin:
        order = json.loads(line)
        if order["kind"] == "finetune":
            importlib.import_module("scipy.stats")
        gc.freeze()  # so that forks need not look through what they share
        code, said = _in_a_fork(lambda order=order: _train(RUNS, order))
        print(json.dumps({"code": code, "said": said}), flush=True)


def _train(runs, order):
    run = Path(order["run"])
    os.environ["BERTSCOPE_HOME"] = order["home"]
    start = runs[order["kind"]](run.parent, **order["training"])
    start(run, FAULTS[order["fault"]](run, *order["given"]))


def _in_a_fork(act):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException as error:
            os.write(writing, str(error).encode()[:4000])
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as stream:
        said = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


if __name__ == "__main__":
    serve()
