"""Tensor names: ours, and those of the Hugging Face layout, family by family.

A stem is a name without its last part (`weight`, `bias`). Our query, key and value are one fused product, theirs three.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from torch import Tensor

from bertcore.checkpoint.weights import StoredTensor
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError

_KINDS = ("weight", "bias")
# our stem within a layer -> theirs, of the fused product its three parts
_BERT_LAYER = {
    "attention.query_key_value": "attention.self.query attention.self.key attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward_in": "intermediate.dense",
    "feed_forward_out": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
_LAYERS = {
    "bert": _BERT_LAYER,
    "pre": {**_BERT_LAYER, "attention_norm": "attention.ln", "feed_forward_norm": "ln"},
    "distilbert": {
        "attention.query_key_value": "attention.q_lin attention.k_lin attention.v_lin",
        "attention.output": "attention.out_lin",
        "attention_norm": "sa_layer_norm",
        "feed_forward_in": "ffn.lin1",
        "feed_forward_out": "ffn.lin2",
        "feed_forward_norm": "output_layer_norm",
    },
    "albert": {
        "attention.query_key_value": "attention.query attention.key attention.value",
        "attention.output": "attention.dense",
        "attention_norm": "attention.LayerNorm",
        "feed_forward_in": "ffn",
        "feed_forward_out": "ffn_output",
        "feed_forward_norm": "full_layer_layer_norm",
    },
}
_LAYER_PREFIX = {
    "distilbert": "distilbert.transformer.layer.{}",
    "albert": "albert.encoder.albert_layer_groups.{}.albert_layers.0",
}
_HEADS = {  # what tensor names of the family begin with -> our stem, which begins with the head's name -> theirs
    "bert": {
        "mlm.transform": "cls.predictions.transform.dense",
        "mlm.norm": "cls.predictions.transform.LayerNorm",
        "mlm": "cls.predictions",
        "nsp.classify": "cls.seq_relationship",
        "classify.output": "classifier",
    },
    "roberta": {
        "mlm.transform": "lm_head.dense",
        "mlm.norm": "lm_head.layer_norm",
        "mlm": "lm_head",
        "classify.hidden": "classifier.dense",
        "classify.output": "classifier.out_proj",
    },
    "distilbert": {
        "mlm.transform": "vocab_transform",
        "mlm.norm": "vocab_layer_norm",
        "mlm": "vocab_projector",
        "classify.hidden": "pre_classifier",
        "classify.output": "classifier",
        "choice.hidden": "pre_classifier",
    },
    "albert": {
        "mlm.transform": "predictions.dense",
        "mlm.norm": "predictions.LayerNorm",
        "mlm": "predictions",
        "sop.classify": "sop_classifier.classifier",
        "classify.output": "classifier",
    },
    "electra": {
        "mlm.transform": "generator_predictions.dense",
        "mlm.norm": "generator_predictions.LayerNorm",
        "mlm": "generator_lm_head",
        "rtd.dense": "discriminator_predictions.dense",
        "rtd.output": "discriminator_predictions.dense_prediction",
        "classify.hidden": "classifier.dense",
        "classify.output": "classifier.out_proj",
        "choice.hidden": "sequence_summary.summary",
    },
}
_EVERY_FAMILY = {"choice.output": "classifier", "tag.output": "classifier", "span.output": "qa_outputs"}
# the token table once more; transformers leaves it out or writes a copy
_TIED = {
    "bert": "cls.predictions.decoder",
    "distilbert": "vocab_projector",
    "albert": "predictions.decoder",
    "electra": "generator_lm_head",
}
_CLASSES = {  # the heads that one of transformers' classes holds -> what its name ends with
    ("classify",): "ForSequenceClassification",
    ("tag",): "ForTokenClassification",
    ("choice",): "ForMultipleChoice",
    ("span",): "ForQuestionAnswering",
    ("mlm", "nsp"): "ForPreTraining",
    ("mlm", "sop"): "ForPreTraining",
    ("rtd",): "ForPreTraining",
    ("mlm",): "ForMaskedLM",
    ("nsp",): "ForNextSentencePrediction",
    (): "Model",
}


def class_name(config: BertConfig, output_heads: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The class of `transformers` that holds most of these heads, and which of them it holds."""
    for held, ending in _CLASSES.items():
        if set(held) <= set(output_heads) and all(_fits(config, head) for head in held):
            prefix = "MegatronBert" if config.norm == "pre" else config.family.class_prefix
            return f"{prefix}{ending}", held
    raise AssertionError("the encoder alone always has a class")


def _fits(config: BertConfig, head: str) -> bool:
    """Whether the layout has a place for this head as this config makes it."""
    return not (head == "classify" and config.has_own_head) and bool(_head_stems(config, head))


def to_hugging_face(state: dict[str, Tensor], config: BertConfig, heads: Collection[str]) -> dict[str, Tensor]:
    """Our state by their names: the encoder, and those `heads` that the layout has a place for."""
    theirs = {}
    stems = _stems(config, heads)
    for name, value in state.items():
        stem, _, kind = name.rpartition(".")
        if parts := stems.get(stem):
            for part, tensor in zip(parts, value.chunk(len(parts)), strict=True):
                theirs[f"{part}.{kind}"] = tensor.contiguous()
    return theirs


def from_hugging_face(
    theirs: dict[str, StoredTensor], config: BertConfig, heads: Collection[str]
) -> tuple[dict[str, tuple[StoredTensor, ...]], list[str]]:
    """Of each tensor of ours, the one or three of theirs (by `modern_names`) that make it, one below the other; and
    the names that belong to nothing here. What is missing stays missing.

    Raises BertcoreError for layers beyond the config's, and parts that do not fit together.
    """
    _check_layers(theirs, config)
    ours: dict[str, tuple[StoredTensor, ...]] = {}
    used = set()
    for stem, parts in _stems(config, heads).items():
        for kind in _KINDS if stem != "mlm" else ("bias",):
            names = [f"{part}.{kind}" for part in parts]
            tensors = tuple(theirs[name] for name in names if name in theirs)
            shapes = {part.shape for part in tensors}
            if len(parts) > 1 and (len(shapes) > 1 or () in shapes):
                raise BertcoreError(
                    f"The query, key and value weights of layer {int(stem.split('.')[2]) + 1} do not fit together."
                )
            used.update(names)
            if len(tensors) == len(names):
                ours[f"{stem}.{kind}"] = tensors
    # these say nothing new: the tied output table and its bias, and the numbers 0, 1, 2, ... of old files
    used.update(name for name in theirs if name.startswith(f"{_tied(config)}."))
    used.update(name for name in theirs if name.endswith((".position_ids", ".token_type_ids")))
    return ours, sorted(theirs.keys() - used)


def layer_tensors(config: BertConfig) -> list[str]:
    """By our names, what every encoder of this config has in its layers. Cheaper to ask than a model is to build."""
    return [f"{stem}.{kind}" for stem in _stems(config, ()) if stem.startswith("encoder.layers.") for kind in _KINDS]


def output_matrix(theirs: Mapping[str, StoredTensor], config: BertConfig) -> StoredTensor | None:
    """The copy of the token table that the masked-word head may come with."""
    return theirs.get(f"{_tied(config)}.weight")


def layout_name(name: str, config: BertConfig, heads: Collection[str]) -> str:
    """What a tensor of ours is called in the layout; of a fused one, the first part."""
    stem, _, kind = name.rpartition(".")
    return f"{_stems(config, heads).get(stem, [stem])[0]}.{kind}"


def heads_in(names: Iterable[str], config: BertConfig, architectures: Collection[str]) -> tuple[str, ...]:
    """Which heads these tensors (by `modern_names`) carry.

    `classifier` may be a classifier, a tagger or a chooser: what config.json calls the class decides.
    """
    names = set(names)
    named = {
        head
        for held, ending in _CLASSES.items()
        for head in held
        if any(isinstance(name, str) and name.endswith(ending) for name in architectures)
    }
    heads = []
    for head in ("mlm", "nsp", "sop", "rtd", "classify", "choice", "tag", "span"):
        stems = _head_stems(config, head)
        present = any(f"{their}.{kind}" in names for their in stems.values() for kind in _KINDS)
        ambiguous = "classifier" in stems.values()
        if present and (head in named or not ambiguous):
            heads.append(head)
    return tuple(heads)


def modern_names(theirs: Mapping[str, StoredTensor], config: BertConfig) -> dict[str, StoredTensor]:
    """Old and bare names put right: `gamma`, `beta`, data-parallel `module.`, encoders saved without their prefix."""
    prefix = f"{config.family.encoder_prefix}."
    bare = ("embeddings.", "encoder.", "pooler.", "transformer.", "embeddings_project.")
    modern = {}
    for name, value in theirs.items():
        name = name.removeprefix("module.")
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        modern[f"{prefix}{name}" if name.startswith(bare) else name] = value
    return modern


def encoder_extras(unused: Collection[str], config: BertConfig) -> list[str]:
    """Of tensors that belong to nothing here, those inside the encoder: without them its results would be wrong."""
    prefix = f"{config.family.encoder_prefix}."
    return [name for name in unused if name.startswith((f"{prefix}encoder", f"{prefix}embeddings", f"{prefix}trans"))]


def _stems(config: BertConfig, heads: Collection[str]) -> dict[str, list[str]]:
    """Our stems -> theirs: three for a fused product, else one."""
    prefix = config.family.encoder_prefix
    named = {
        "embeddings.token": f"{prefix}.embeddings.word_embeddings",
        "embeddings.segment": f"{prefix}.embeddings.token_type_embeddings",
        "embeddings.position": f"{prefix}.embeddings.position_embeddings",
        "embeddings.norm": f"{prefix}.embeddings.LayerNorm",
        "embeddings.projection": f"{prefix}.embeddings_project",
        "encoder.final_norm": f"{prefix}.encoder.ln",
        "pooler.dense": f"{prefix}.pooler.dense",
    }
    if config.model_type == "albert":
        named["embeddings.projection"] = "albert.encoder.embedding_hidden_mapping_in"
        named["pooler.dense"] = "albert.pooler"
    for head in heads:
        named.update(_head_stems(config, head))
    stems = {ours: [theirs] for ours, theirs in named.items()}
    in_layer = _LAYERS.get("pre" if config.norm == "pre" else config.model_type, _BERT_LAYER)
    for group in range(config.layer_groups):
        for ours, theirs in in_layer.items():
            parts = [f"{_layer_prefix(config, group)}.{part}" for part in theirs.split()]
            stems[f"encoder.layers.{group}.{ours}"] = parts
    return stems


def _head_stems(config: BertConfig, head: str) -> dict[str, str]:
    every = {**_EVERY_FAMILY, **_HEADS[config.family.encoder_prefix]}
    return {ours: theirs for ours, theirs in every.items() if ours.partition(".")[0] == head}


def _layer_prefix(config: BertConfig, group: int) -> str:
    return _LAYER_PREFIX.get(config.model_type, f"{config.family.encoder_prefix}.encoder.layer.{{}}").format(group)


def _tied(config: BertConfig) -> str:
    return _TIED.get(config.model_type, "lm_head.decoder")


def _check_layers(theirs: Mapping[str, StoredTensor], config: BertConfig) -> None:
    pattern = re.compile(re.escape(_layer_prefix(config, 7)).replace("7", r"(\d{1,6})", 1) + r"\.")
    numbers = {int(match[1]) for name in theirs if (match := pattern.match(name))}
    if numbers and max(numbers) >= config.layer_groups:
        raise BertcoreError(
            f"The weights have {max(numbers) + 1} layers but the config.json beside them says "
            f"{config.layer_groups}; they do not belong together."
        )
