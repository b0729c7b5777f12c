"""The BERT family: what each of them is called, has by default, and lacks. Importable without torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bertcore.errors import BertcoreError, brief


@dataclass(frozen=True)
class Family:
    """One family, as far as it differs from BERT."""

    title: str  # as people write it
    class_prefix: str  # `transformers`' classes begin with it: BertForMaskedLM
    encoder_prefix: str  # tensor names begin with it: bert.embeddings. ...
    pretraining: tuple[str, ...]  # the heads that it is pretrained with
    pooler: bool = True
    mlm_activation: str | None = None  # of the MLM head's hidden layer; None: the encoder's own
    classifier_hidden: str | None = None  # activation of the classifier's hidden layer; None: the pooled [CLS], none
    choice_hidden: str | None = None  # the same for multiple choice
    factorised: bool = False  # embeddings may be narrower than the hidden states
    positions_after_padding: bool = False  # positions count from pad_token_id + 1
    config_names: Mapping[str, str] = field(default_factory=dict)  # our field -> its name in config.json
    defaults: Mapping[str, Any] = field(default_factory=dict)  # what a config.json that is silent means
    no_pair_head: str = ""  # why it has no next-sentence head


_ROBERTA = Family(
    "RoBERTa",
    "Roberta",
    "roberta",
    ("mlm",),
    mlm_activation="gelu",
    classifier_hidden="tanh",
    positions_after_padding=True,
    defaults={"vocab_size": 50_265, "pad_token_id": 1},
    no_pair_head="RoBERTa was trained without next-sentence prediction.",
)

FAMILIES: dict[str, Family] = {
    "bert": Family("BERT", "Bert", "bert", ("mlm", "nsp")),
    "roberta": _ROBERTA,
    "xlm-roberta": replace(_ROBERTA, title="XLM-RoBERTa", class_prefix="XLMRoberta"),
    "camembert": replace(_ROBERTA, title="CamemBERT", class_prefix="Camembert"),
    "distilbert": Family(
        "DistilBERT",
        "DistilBert",
        "distilbert",
        ("mlm",),
        pooler=False,
        classifier_hidden="relu",
        choice_hidden="relu",
        config_names={
            "hidden_size": "dim",
            "num_hidden_layers": "n_layers",
            "num_attention_heads": "n_heads",
            "intermediate_size": "hidden_dim",
            "hidden_act": "activation",
            "hidden_dropout_prob": "dropout",
            "attention_probs_dropout_prob": "attention_dropout",
            "classifier_dropout": "seq_classif_dropout",
        },
        defaults={"num_hidden_layers": 6, "type_vocab_size": 0, "classifier_dropout": 0.2},
        no_pair_head="DistilBERT was trained without next-sentence prediction.",
    ),
    "albert": Family(
        "ALBERT",
        "Albert",
        "albert",
        ("mlm", "sop"),
        factorised=True,
        config_names={"classifier_dropout": "classifier_dropout_prob"},
        defaults={
            "vocab_size": 30_000,
            "embedding_size": 128,
            "hidden_size": 4096,
            "num_hidden_groups": 1,
            "num_attention_heads": 64,
            "intermediate_size": 16_384,
            "hidden_act": "gelu_new",
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "classifier_dropout": 0.1,
        },
        no_pair_head="ALBERT was trained on sentence order (SOP) instead of next sentence.",
    ),
    "electra": Family(
        "ELECTRA",
        "Electra",
        "electra",
        ("rtd",),
        pooler=False,
        factorised=True,
        mlm_activation="gelu",
        classifier_hidden="gelu",
        choice_hidden="gelu",
        defaults={"embedding_size": 128, "hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024},
        no_pair_head="ELECTRA was trained without sentence pairs.",
    ),
}

# BERT with LayerNorm before each sublayer: a switch here (`norm="pre"`), a model type of its own in the layout.
PRE_NORM_BERT = "megatron-bert"


def family(model_type: str) -> Family:
    """The family of a config's model_type. Raises BertcoreError for one that is unknown."""
    if model_type not in FAMILIES:
        known = ", ".join([*FAMILIES, PRE_NORM_BERT])
        raise BertcoreError(f"The model family {brief(model_type)} is not supported; BERTscope opens {known}.")
    return FAMILIES[model_type]
