"""Tensor names: ours, and those of the Hugging Face layout for BERT."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError

_FIXED = {
    "embeddings.token.weight": "bert.embeddings.word_embeddings.weight",
    "embeddings.segment.weight": "bert.embeddings.token_type_embeddings.weight",
    "embeddings.position.weight": "bert.embeddings.position_embeddings.weight",
    "embeddings.norm.weight": "bert.embeddings.LayerNorm.weight",
    "embeddings.norm.bias": "bert.embeddings.LayerNorm.bias",
    "pooler.dense.weight": "bert.pooler.dense.weight",
    "pooler.dense.bias": "bert.pooler.dense.bias",
    "mlm.transform.weight": "cls.predictions.transform.dense.weight",
    "mlm.transform.bias": "cls.predictions.transform.dense.bias",
    "mlm.norm.weight": "cls.predictions.transform.LayerNorm.weight",
    "mlm.norm.bias": "cls.predictions.transform.LayerNorm.bias",
    "mlm.bias": "cls.predictions.bias",
    "nsp.classify.weight": "cls.seq_relationship.weight",
    "nsp.classify.bias": "cls.seq_relationship.bias",
}
_LAYER = {
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward_in": "intermediate.dense",
    "feed_forward_out": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
_LAYER_NUMBER = re.compile(r"bert\.encoder\.layer\.(\d{1,6})\.")
_FUSED = "attention.query_key_value"
_SPLIT = tuple(f"attention.self.{name}" for name in ("query", "key", "value"))
_TIED = "cls.predictions.decoder.weight"  # the token table again; transformers leaves it out or writes a copy


def to_hugging_face(state: dict[str, Tensor], config: BertConfig) -> dict[str, Tensor]:
    """Our state by their names; the fused query-key-value product is split in three."""
    theirs = {}
    for ours, name in _names(config).items():
        if ours in state:
            theirs[name] = state[ours].contiguous()
    for layer in range(config.num_hidden_layers):
        for kind in ("weight", "bias"):
            parts = state[f"encoder.layers.{layer}.{_FUSED}.{kind}"].chunk(3)
            for name, part in zip(_SPLIT, parts, strict=True):
                theirs[f"bert.encoder.layer.{layer}.{name}.{kind}"] = part.contiguous()
    return theirs


def from_hugging_face(theirs: dict[str, Tensor], config: BertConfig) -> dict[str, Tensor]:
    """Their tensors by our names, float32. What we have no place for is left out; what is missing stays missing.

    Reads old names (`gamma`, `beta`), encoders saved without the `bert.` prefix, and data-parallel `module.` prefixes.
    """
    theirs = {_modern(name): value for name, value in theirs.items()}
    _check_tied(theirs)
    _check_layers(theirs, config)
    ours = {name: _own(theirs[their]) for name, their in _names(config).items() if their in theirs}
    for layer in range(config.num_hidden_layers):
        for kind in ("weight", "bias"):
            parts = [theirs.get(f"bert.encoder.layer.{layer}.{name}.{kind}") for name in _SPLIT]
            found = [part for part in parts if part is not None]
            if len({part.shape for part in found}) > 1 or any(part.ndim == 0 for part in found):
                raise BertcoreError(f"The query, key and value weights of layer {layer + 1} do not fit together.")
            if len(found) == len(parts):
                ours[f"encoder.layers.{layer}.{_FUSED}.{kind}"] = torch.cat(found).float()
    return ours


def _own(tensor: Tensor) -> Tensor:
    """float32, and a copy: what was read is mapped to the file, and a file that changes under it ends the process."""
    return tensor.to(torch.float32, copy=True)


def _names(config: BertConfig) -> dict[str, str]:
    names = dict(_FIXED)
    for layer in range(config.num_hidden_layers):
        for ours, theirs in _LAYER.items():
            for kind in ("weight", "bias"):
                names[f"encoder.layers.{layer}.{ours}.{kind}"] = f"bert.encoder.layer.{layer}.{theirs}.{kind}"
    return names


def _modern(name: str) -> str:
    name = name.removeprefix("module.")
    name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
    if name.startswith(("embeddings.", "encoder.", "pooler.")):
        name = f"bert.{name}"
    return name


def _check_layers(theirs: dict[str, Tensor], config: BertConfig) -> None:
    numbers = {int(match[1]) for name in theirs if (match := _LAYER_NUMBER.match(name))}
    if numbers and max(numbers) >= config.num_hidden_layers:
        raise BertcoreError(
            f"The weights have {max(numbers) + 1} layers but the config.json beside them says "
            f"{config.num_hidden_layers}; they do not belong together."
        )


def _check_tied(theirs: dict[str, Tensor]) -> None:
    table, decoder = theirs.get("bert.embeddings.word_embeddings.weight"), theirs.get(_TIED)
    if table is not None and decoder is not None and decoder is not table and not torch.equal(table, decoder):
        raise BertcoreError(
            "The masked-word head of this checkpoint has an output table of its own; BERT uses the token table."
        )
