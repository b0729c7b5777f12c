"""The figures of docs/scale.md: `python -m benchmarks.scale`. What is measured is said to be; the rest is computed.

FLOPs of a step count each product of matrices three times (forward, and twice backward), 2 per multiplication.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch

from benchmarks.peer import random_model
from bertcore.config import BertConfig, count_parameters
from bertcore.data.batches import Batch
from bertcore.training.objective import pretraining_loss
from bertcore.training.optimizer import make_optimizer

VOCAB, MASKED = 30_522, 0.15
TOKENS = 1_000_000 * 256 * 512  # steps, sequences and length of Devlin et al. 2019, appendix A.2
LENGTHS = ((128, 0.9), (512, 0.1))  # share of the steps at each (the same place)


@dataclass(frozen=True)
class Gpu:
    """Dense bf16 products and memory as in NVIDIA's data sheets; links in bytes a second, one way."""

    name: str
    peak: float  # FLOP/s
    nvlink: float


GPUS = (Gpu("A100 SXM 80 GB", 312e12, 300e9), Gpu("H100 SXM 80 GB", 989e12, 450e9))
UTILISATION = (0.25, 0.40)  # of the peak: assumed
NETWORK = 50e9  # bytes a second and GPU between machines, one way: a port of 400 Gbit/s for each GPU


def flops_per_token(config: BertConfig, length: int) -> float:
    """Of a masked-word step: the last layer's output and feed-forward and the word head work on a loss's rows only."""
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    rows = MASKED + 1 / length  # the masked words and [CLS]
    attention = 3 * width**2 + 2 * length * width  # query, key, value; scores and mixing, each S*H a token
    rest = width**2 + 2 * width * inner
    head = MASKED * (width**2 + width * config.vocab_size) + width**2 / length
    return 6 * (layers * attention + (layers - 1 + rows) * rest + head)


def mean_flops(config: BertConfig) -> float:
    return sum(share * flops_per_token(config, length) for length, share in LENGTHS)


def hours(config: BertConfig, gpu: Gpu, gpus: int, utilisation: float) -> float:
    """Of the products alone."""
    return TOKENS * mean_flops(config) / (gpus * gpu.peak * utilisation) / 3600


def ring_bytes(parameters: int, gpus: int) -> float:
    """What each GPU sends (and receives) in a step: a ring all-reduce of fp32 gradients."""
    return 4 * parameters * 2 * (gpus - 1) / gpus


def step_seconds(config: BertConfig, gpu: Gpu, tokens: int, utilisation: float) -> float:
    """Computing on so many tokens, on one GPU."""
    return tokens * mean_flops(config) / (gpu.peak * utilisation)


def measured(rounds: int = 3, sequences: int = 4, length: int = 128) -> tuple[float, float]:
    """Tokens that one core of this machine trains BERT-base with in a second (of its own time, whoever else there is),
    fp32, and which share of the same core's best product of matrices that is."""
    torch.set_num_threads(1)
    model = random_model("base", VOCAB, 0.1).train()
    optimizer = make_optimizer(model, 1e-4, 0.01)
    batch = _batch(sequences, length)
    products, steps = [], []
    for _ in range(rounds + 1):
        started = time.process_time()
        for _ in range(2):
            torch.mm(*_MATRICES)
        products.append((time.process_time() - started) / 2)
        started = time.process_time()
        optimizer.zero_grad(set_to_none=True)
        pretraining_loss(model, batch).total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps.append(time.process_time() - started)
    tokens_per_s = sequences * length / min(steps[1:])
    peak = 2 * 2048**3 / min(products)
    return tokens_per_s, tokens_per_s * flops_per_token(model.config, length) / peak


_MATRICES = (torch.ones(2048, 2048), torch.ones(2048, 2048))


def _batch(sequences: int, length: int) -> Batch:
    rng = np.random.default_rng(0)
    ids = rng.integers(1000, VOCAB, (sequences, length))
    rows = np.sort(rng.choice(ids.size, int(MASKED * ids.size), replace=False))
    words, at, pairs = torch.from_numpy(ids), torch.from_numpy(rows), torch.zeros(sequences, dtype=torch.long)
    return Batch(words, torch.zeros_like(words), None, at, words.reshape(-1)[at], pairs, False, ids.size)


def main() -> None:
    config = BertConfig.preset("base", vocab_size=VOCAB)
    parameters = count_parameters(config, ("mlm", "nsp"))
    print(f"{parameters:,} parameters, {TOKENS:,} tokens, {mean_flops(config) / 1e6:.0f} MFLOP a token")
    print(f"  at 128: {flops_per_token(config, 128) / 1e6:.0f}, at 512: {flops_per_token(config, 512) / 1e6:.0f}")
    print(f"  in all {TOKENS * mean_flops(config):.2e} FLOP; 6ND would be {6 * parameters * TOKENS:.2e}")
    for gpus, tokens in ((8, 131_072), (64, 131_072), (64, 1_048_576)):
        sent = ring_bytes(parameters, gpus)
        for gpu in GPUS:
            link = gpu.nvlink if gpus <= 8 else NETWORK
            for utilisation in UTILISATION:
                step = step_seconds(config, gpu, tokens // gpus, utilisation)
                print(
                    f"{gpus:3} x {gpu.name}, {tokens:9,} tokens a step, {utilisation:.0%}: "
                    f"{hours(config, gpu, gpus, utilisation):6.1f} h, {tokens / gpus / step:9,.0f} tokens/s a GPU, "
                    f"{1000 * step:6.1f} ms a step, {sent / 1e6:.0f} MB sent in {1000 * sent / link:.1f} ms"
                )
    tokens_per_s, share = measured()
    print(f"measured, one core, fp32: {tokens_per_s:.0f} tokens/s, {share:.0%} of its best product")


if __name__ == "__main__":
    main()
