"""The published models side by side: size, and speed on this machine."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from statistics import median

import torch

from bertcore.checkpoint.weights import refuse_without_memory
from bertcore.config import PUBLISHED, BertConfig, count_parameters
from bertcore.model.bert import Bert
from bertcore.progress import ReportProgress, no_progress

REFERENCE = "bert-base-uncased"
TOKENS = 128
_REPEATS = 5


@dataclass(frozen=True)
class FamilyRow:
    name: str
    family: str
    layers: int
    hidden_size: int
    parameters: int  # encoder, with the pooler where the family has one
    speed: float  # tokens per second of one forward pass on one thread, as a multiple of BERT-base's


def family_table(
    extra: dict[str, BertConfig] | None = None,
    names: Collection[str] | None = None,
    progress: ReportProgress = no_progress,
) -> Iterator[FamilyRow]:
    """A row per config in `extra`, and per published model (of these names; None: of all), as they are measured: one
    text of 128 tokens, no heads. Raises BertcoreError where there is no memory for one.

    Each is timed in turn with BERT-base on one thread, by the time that the processor spent, so that other work on the
    machine changes little; the median of the ratios counts. The speed of a model does not depend on its weights, so
    none are needed.
    """
    configs = {**(extra or {}), **{name: BertConfig.preset(name) for name in (PUBLISHED if names is None else names)}}
    reference = _empty_model(BertConfig.preset(REFERENCE))
    for number, (name, config) in enumerate(configs.items()):
        tokens = min(TOKENS, config.max_length)
        refuse_without_memory(count_parameters(config) * 4, name)
        model, ratios = _empty_model(config), list[float]()
        for repeat in range(_REPEATS + 1):
            ratios.append(_seconds(reference, tokens) / _seconds(model, tokens))
            progress((number + (repeat + 1) / (_REPEATS + 1)) / len(configs))
        del ratios[0]  # it warms up
        yield FamilyRow(
            name=name,
            family=config.family.title,
            layers=config.num_hidden_layers,
            hidden_size=config.hidden_size,
            parameters=count_parameters(config),
            speed=1.0 if name == REFERENCE else median(ratios),
        )


def _empty_model(config: BertConfig) -> Bert:
    with torch.device("meta"):
        model = Bert(config, ())
    model.to_empty(device="cpu").eval().requires_grad_(False)
    for tensor in model.state_dict().values():
        tensor.fill_(0.01)
    return model


@torch.inference_mode()
def _seconds(model: Bert, tokens: int) -> float:
    """Processor time of a pass on one thread."""
    ids, threads = torch.zeros((1, tokens), dtype=torch.long), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        started = time.process_time()
        model(ids)
        return time.process_time() - started
    finally:
        torch.set_num_threads(threads)
