"""What a run computes with, chosen for the machine that it runs on, and why."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from bertcore.config import BertConfig
from bertcore.data.batch_processes import CAN_FORK
from bertcore.errors import BertcoreError
from bertcore.training.distributed import ProcessGroup
from bertcore.training.precision import Precision, default_threads, same_precision
from bertcore.training.pretrain_options import TrainingOptions

_MOST_WORKERS = 12  # make some 7 million tokens/s of whole words masked (docs/gpu.md)
_MEMORY_SHARE = 0.5  # of a GPU's free memory for the activations of one part of a batch
_ACTIVATION_BYTES = 48  # of a token in a layer, for each unit of width: bf16 products, fp32 sums and LayerNorms
_LOGIT_BYTES = 10  # of a token for each word of the vocabulary: bf16, fp32, and the gradient


@dataclass(frozen=True)
class Compute:
    """`parts`: how many a batch is computed in. `workers`: processes that make batches; 0: a thread does.

    None of it changes what is computed, but for rounding.
    """

    device: torch.device
    threads: int
    precision: Precision
    compiled: bool
    parts: int
    workers: int
    reasons: Mapping[str, str]

    def facts(self) -> dict[str, Any]:
        """For the environment record of the run."""
        return {
            "precision": self.precision.name,
            "compiled": self.compiled,
            "parts_of_a_batch": self.parts,
            "batch_processes": self.workers,
            "because": {"precision": self.precision.reason, **self.reasons},
        }

    def __str__(self) -> str:
        """For the log."""
        compiled = "compiled" if self.compiled else "not compiled"
        parts = "whole batches" if self.parts == 1 else f"batches in {self.parts} parts"
        made = f"made in {self.workers} processes" if self.workers else "made on a thread"
        return f"CPU threads: {self.threads}, {self.precision.reason}; {compiled}; {parts}, {made}"


def choose_compute(training: TrainingOptions, config: BertConfig, tokens: int, group: ProcessGroup) -> Compute:
    """What the settings leave open, for batches of so many tokens; the threads are set.

    Raises BertcoreError where the model is to be compiled and there is no GPU.
    """
    device = group.device
    reasons: dict[str, str] = {}
    has_gpu = device.type == "cuda"
    torch.set_num_threads(training.threads or default_threads(group.local_size))
    if training.compile and not has_gpu:
        raise BertcoreError("Compiling the model pays off on GPUs only, and there is none; leave out --compile.")
    compiled = has_gpu if training.compile is None else training.compile
    asked = "as requested"
    reasons["compiled"] = asked if training.compile is not None else "there is a GPU" if has_gpu else "there is no GPU"
    parts = training.accumulate
    reasons["parts_of_a_batch"] = asked
    if has_gpu:
        free = torch.cuda.mem_get_info(device)[0]
        needed = group.broadcast(lambda: parts_that_fit(config, tokens // group.size, free))
        reasons["parts_of_a_batch"] = f"{free / 2**30:.0f} GiB are free on the GPU; at least {parts} as requested"
        parts = max(parts, needed)
    workers = training.workers
    reasons["batch_processes"] = asked
    if workers is None:
        workers = min(_MOST_WORKERS, _cores() // group.local_size - 2) if has_gpu and CAN_FORK else 0
        reasons["batch_processes"] = f"{_cores()} cores" if has_gpu else "one thread is fast enough for a CPU"
    return Compute(
        device,
        torch.get_num_threads(),
        same_precision(training.precision, device, group),
        compiled,
        parts,
        max(0, workers),
        reasons,
    )


def parts_that_fit(config: BertConfig, tokens: int, free_bytes: int) -> int:
    """How many parts a batch of so many tokens has to be computed in, where each token predicts the next."""
    layers = config.num_hidden_layers * config.hidden_size * _ACTIVATION_BYTES
    needed = tokens * (layers + config.vocab_size * _LOGIT_BYTES)
    return max(1, -(-needed // int(free_bytes * _MEMORY_SHARE)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
