"""Opening a 440 MB BERT-base folder, against reading its file with `safetensors` alone; a process for each run."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.peer import random_model
from benchmarks.timing import Row
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

ROUNDS = 5
# "Read" means that every byte has arrived in memory: the library alone only maps the file.
_PEER = "tensors = {name: value.clone() for name, value in load_file(folder / 'model.safetensors').items()}"
_OURS = "opened = load_checkpoint(folder)"
_PROGRAM = """
import json, sys, time
from pathlib import Path
import torch
from safetensors.torch import load_file
from bertcore.checkpoint.checkpoint import load_checkpoint

def memory(key):  # MB of this process; file pages that can be dropped at any time do not count
    lines = dict(line.split(":") for line in open("/proc/self/status").read().splitlines() if ":" in line)
    return int(lines[key].split()[0]) / 1024

folder = Path(sys.argv[1])
load_checkpoint(Path(sys.argv[2]))  # imports and first calls
before, started = memory("VmRSS"), time.perf_counter()
{statement}
print(json.dumps([time.perf_counter() - started, memory("VmHWM") - before]))
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as parent:
        folder, small = Path(parent) / "base", Path(parent) / "tiny"
        for preset, target in (("base", folder), ("tiny", small)):
            words = [*SPECIAL_TOKENS, *(f"w{i}" for i in range(30_522 - len(SPECIAL_TOKENS)))]
            save_checkpoint(random_model(preset, 30_522, 0.0), Tokenizer(raw_from_words(words)), target)
        weights_mb = (folder / "model.safetensors").stat().st_size / 2**20
        runs = [(_run(_OURS, folder, small), _run(_PEER, folder, small)) for _ in range(ROUNDS)]
    ours_s, peer_s = (statistics.median(run[side][0] for run in runs) for side in (0, 1))
    peak_mb = max(ours[1] for ours, _ in runs)
    slower, larger = ours_s / peer_s, peak_mb / weights_mb
    name = f"opening BERT-base ({weights_mb:,.0f} MB)"
    return [
        Row(f"{name}, time", f"{ours_s:.2f} s", f"{peer_s:.2f} s", slower, "<= 1.5", slower <= 1.5),
        Row(f"{name}, peak memory", f"{peak_mb:,.0f} MB", f"{weights_mb:,.0f} MB", larger, "<= 1.3", larger <= 1.3),
    ]


def _run(statement: str, folder: Path, small: Path) -> tuple[float, float]:
    """Seconds, and MB at the peak beyond what was there before."""
    program = _PROGRAM.replace("{statement}", statement)
    done = subprocess.run([sys.executable, "-c", program, folder, small], capture_output=True, text=True, check=True)
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes
