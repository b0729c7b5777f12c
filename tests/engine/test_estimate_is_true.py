"""The estimate against what the run then took, for seven kinds of runs of some 20 to 60 seconds (docs/training.md).

Compared in seconds of the processor, on one thread: a thread that waits for another on a busy machine counts as work.
What other programs still change (caches, the clock rate) changes in minutes, so the estimate is made before and after
the run, and the mean counts. Seconds by the clock are printed beside.
"""

import json
import os
import subprocess
import sys
import time

import pytest

from bertcore.locations import sample_corpus
from bertcore.runs.metrics_file import MetricsTail

WITHIN = 0.3
STORIES = ("--corpus", str(sample_corpus()))
KINDS = {
    "pretraining, tiny": ("pretrain", *STORIES, "--preset", "tiny", "--steps", "700"),
    "pretraining, mini": ("pretrain", *STORIES, "--preset", "mini", "--steps", "120"),
    "classification": ("finetune", "sst2"),
    "sentence pairs": ("finetune", "mrpc"),
    "tagging": ("finetune", "conll2003"),
    "question answering": ("finetune", "squad2", "--steps", "40"),
    "distillation": ("distil", *STORIES, "--steps", "60"),
}


def _bertcore(*arguments):
    """What a command prints, its seconds by the clock and of the processor."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "bertcore", *arguments, "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, printed
    return printed, time.perf_counter() - began, used.ru_utime + used.ru_stime


@pytest.mark.slow
@pytest.mark.timeout(3600)  # by the clock: on a busy machine it waits for its turn
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the seconds of a child process are not told here")
@pytest.mark.parametrize("kind", KINDS)
def test_estimate(kind, tmp_path):
    before, own_s, own_processor_s = _bertcore(*KINDS[kind], "--estimate", "--json")
    _, seconds, processor_s = _bertcore(*KINDS[kind], "--out", str(tmp_path / "run"))
    after, _, _ = _bertcore(*KINDS[kind], "--estimate", "--json")
    said, again = (json.loads(printed.splitlines()[-1]) for printed in (before, after))
    estimated = {name: (said["total"][name] + again["total"][name]) / 2 for name in ("seconds", "processor_s")}
    lines = MetricsTail(tmp_path / "run").read_new()
    memory_mib = max(line.get("memory_mib") or 0.0 for line in lines)
    found = {
        "processor": (estimated["processor_s"], processor_s),
        "clock": (estimated["seconds"], seconds),
        "memory": (said["memory_mib"], memory_mib),
    }
    row = " | ".join(f"{name} {a:.1f} / {b:.1f} ({a / b - 1:+.0%})" for name, (a, b) in found.items())
    print(f"\n{kind} | {row} | found in {own_s:.0f} s, {own_processor_s:.0f} of the processor")
    assert said["steps"] == max(line["step"] for line in lines if line["kind"] == "train")
    assert abs(found["processor"][0] / found["processor"][1] - 1) < WITHIN
    assert abs(found["memory"][0] / found["memory"][1] - 1) < WITHIN
