"""What a run computes with, chosen for the machine that it runs on, and why."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from bertcore.config import BertConfig
from bertcore.data.batches import CAN_FORK
from bertcore.errors import BertcoreError
from bertcore.training.distributed import ProcessGroup
from bertcore.training.pretrain_options import TrainingOptions

_BF16_UNITS = ("avx512_bf16", "amx_bf16", "bf16")  # of CPUs: x86, x86, ARM
_MOST_WORKERS = 12  # make some 7 million tokens/s of whole words masked (docs/gpu.md)
_MEMORY_SHARE = 0.5  # of a GPU's free memory for the activations of one part of a batch
_ACTIVATION_BYTES = 48  # of a token in a layer, for each unit of width: bf16 products, fp32 sums and LayerNorms
_LOGIT_BYTES = 10  # of a token for each word of the vocabulary: bf16, fp32, and the gradient


@dataclass(frozen=True)
class Precision:
    """`dtype` for autocast, or None for plain fp32; `reason` says why, for the log."""

    dtype: torch.dtype | None
    reason: str

    def autocast(self, device: torch.device) -> torch.autocast:
        return torch.autocast(device.type, self.dtype, enabled=self.dtype is not None)

    @property
    def products(self) -> torch.dtype:
        """The format of matrix products outside autocast."""
        return self.dtype or torch.float32

    @property
    def name(self) -> str:
        return "fp32" if self.dtype is None else "bf16"


def choose_precision(wanted: str, device: torch.device) -> Precision:
    """fp32 or bf16 as given; with "auto", bf16 where the processor has units for it.

    It goes by what the machine has and not by a stopwatch: two runs with one seed are the same, however busy it is.
    Where there are units, bf16 multiplies two to four times as fast (docs/training.md); emulated, it is slower.
    """
    if wanted != "auto":
        return Precision(torch.bfloat16 if wanted == "bf16" else None, f"{wanted} as requested")
    if device.type == "cuda":
        has_units = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        capabilities = torch.cpu.get_capabilities()
        has_units = torch.backends.mkldnn.is_available() and any(capabilities.get(unit) for unit in _BF16_UNITS)
    if has_units:
        return Precision(torch.bfloat16, "bf16: this machine has units for it")
    return Precision(None, "fp32: this machine has no units for bf16")


def same_precision(wanted: str, group: ProcessGroup) -> Precision:
    """What process 0 chooses, for all."""
    if group.is_first:
        precision = choose_precision(wanted, group.device)
        group.broadcast(lambda: precision.name)
        return precision
    return choose_precision(group.broadcast(lambda: wanted), group.device)


def set_threads(wanted: int | None, group: ProcessGroup) -> None:
    """If not given, all cores but one, divided among the processes here; at least one."""
    torch.set_num_threads(wanted or max(1, (_cores() - 1) // group.local_size))


@dataclass(frozen=True)
class Compute:
    """`parts`: how many a batch is computed in. `workers`: processes that make batches; 0: a thread does.

    None of it changes what is computed, but for rounding.
    """

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
        return f"CPU threads: {torch.get_num_threads()}, {self.precision.reason}; {compiled}; {parts}, {made}"


def choose_compute(training: TrainingOptions, config: BertConfig, tokens: int, group: ProcessGroup) -> Compute:
    """What the settings leave open, for batches of so many tokens; the threads are set.

    Raises BertcoreError where the model is to be compiled and there is no GPU.
    """
    has_gpu = group.device.type == "cuda"
    set_threads(training.threads, group)
    if training.compile and not has_gpu:
        raise BertcoreError("Compiling the model pays off on GPUs only, and there is none; leave out --compile.")
    reasons = dict.fromkeys(("compiled", "parts_of_a_batch", "batch_processes"), "as requested")
    compiled, parts, workers = training.compile, training.accumulate, training.workers
    if compiled is None:
        compiled = has_gpu
        reasons["compiled"] = "there is a GPU" if has_gpu else "there is no GPU"
    if has_gpu:
        free = torch.cuda.mem_get_info(group.device)[0]
        needed = group.broadcast(lambda: parts_that_fit(config, tokens // group.size, free))
        reasons["parts_of_a_batch"] = f"{free / 2**30:.0f} GiB are free on the GPU; at least {parts} as requested"
        parts = max(parts, needed)
    if workers is None:
        workers = min(_MOST_WORKERS, _cores() // group.local_size - 2) if has_gpu and CAN_FORK else 0
        reasons["batch_processes"] = f"{_cores()} cores" if has_gpu else "one thread is fast enough for a CPU"
    precision = same_precision(training.precision, group)
    return Compute(precision, compiled, parts, max(0, workers), reasons)


def parts_that_fit(config: BertConfig, tokens: int, free_bytes: int) -> int:
    """How many parts a batch of so many tokens has to be computed in, where each token predicts the next."""
    layers = config.num_hidden_layers * config.hidden_size * _ACTIVATION_BYTES
    needed = tokens * (layers + config.vocab_size * _LOGIT_BYTES)
    return max(1, -(-needed // int(free_bytes * _MEMORY_SHARE)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
