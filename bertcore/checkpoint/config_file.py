"""What a checkpoint's folder says besides its weights: the architecture (config.json), and how a sentence encoder makes
one vector of a sentence; and what a model of such a config lacks, and why. Without torch."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bertcore.config import PRE_NORM_BERT, BertConfig, family
from bertcore.errors import BertcoreError
from bertcore.files import is_there, read_json, write_json

CONFIG_FILE = "config.json"
# What our layout calls differently, or has in another shape; the rest of BertConfig stands under its own name.
_TRANSLATED = ("model_type", "norm", "positions", "labels")
# Stands there only where it is not as usual
_RARE = ("no_answer", "classifier_layers", "classifier_width", "classifier_activation", "one_logit")
# Classes of `transformers` whose head has as many outputs as there are labels, though they are always two
_TWO_OUTPUTS = ("ForQuestionAnswering", "AlbertForPreTraining")

_MOST_LABELS = 100_000


def read_config(folder: Path) -> BertConfig:
    """The architecture in a checkpoint folder's config.json. Needs no weights.

    Raises BertcoreError, one sentence, for a folder without one, a family that is not known, and values that
    no encoder of the family can have.
    """
    values = read_config_values(folder)
    model_type = str(values.get("model_type", "bert"))
    positions, layers_in_group = values.get("position_embedding_type", "absolute"), values.get("inner_group_num", 1)
    refused = {
        f"uses {positions} positions; only absolute ones are supported": positions != "absolute",
        "is a decoder; BERTscope opens encoders": values.get("is_decoder") or values.get("add_cross_attention"),
        "has several layers in a group; only ALBERT models with one are supported": layers_in_group != 1,
    }
    if why := next((reason for reason, is_so in refused.items() if is_so), None):
        raise BertcoreError(f"The checkpoint {folder} {why}.")
    try:
        about = family("bert" if model_type == PRE_NORM_BERT else model_type)
    except BertcoreError as error:
        raise BertcoreError(f"The checkpoint {folder} cannot be opened. {error}") from None
    given = dict(about.defaults)
    for item in fields(BertConfig):  # config.json also holds keys of other programs; ours are taken by name
        stored = values.get(about.config_names.get(item.name, item.name))
        if stored is not None and item.name not in _TRANSLATED:
            given[item.name] = stored
    if model_type == "distilbert":
        given["type_vocab_size"] = 0  # whatever a config made from BERT's still says
    given["model_type"] = "bert" if model_type == PRE_NORM_BERT else model_type
    given["norm"] = "pre" if model_type == PRE_NORM_BERT else "post"
    given["positions"] = values.get(
        "positions", "sinusoidal_fixed" if values.get("sinusoidal_pos_embds") else "learned"
    )
    given["labels"] = _labels(values, folder)
    if "classifier_hidden" in values:
        given["classifier_hidden"] = values["classifier_hidden"]
    return BertConfig.from_dict(given)


def config_values(config: BertConfig, architecture: str) -> dict[str, Any]:
    """What config.json says about this architecture, as `transformers` reads it."""
    about = config.family
    values: dict[str, Any] = {
        "architectures": [architecture],
        "model_type": PRE_NORM_BERT if config.norm == "pre" else config.model_type,
        "dtype": "float32",
        "tie_word_embeddings": True,
    }
    if config.model_type == "bert":
        values["position_embedding_type"] = "absolute"
    for name, value in config.to_dict().items():
        absent = value is None and name != "classifier_hidden"
        if name not in _TRANSLATED and not absent:
            values[about.config_names.get(name, name)] = value
    if config.classifier_hidden == about.classifier_hidden:
        del values["classifier_hidden"]
    for item in fields(config):
        if item.name in _RARE and values[item.name] == item.default:
            del values[item.name]
    if config.positions != "learned":
        values["positions"] = config.positions
    if config.model_type == "distilbert":
        values["sinusoidal_pos_embds"] = config.positions == "sinusoidal_fixed"
    if config.model_type == "albert":
        values.update(inner_group_num=1, num_hidden_groups=config.layer_groups, embedding_size=config.embedding_width)
    if config.model_type == "electra":
        values["embedding_size"] = config.embedding_width
    if config.labels and len(config.labels) != 2 and architecture.endswith(_TWO_OUTPUTS):
        values["labels"] = list(config.labels)  # of a head beside; theirs would take the number for its own
    elif config.labels:
        values["id2label"] = {str(i): label for i, label in enumerate(config.labels)}
        values["label2id"] = {label: i for i, label in enumerate(config.labels)}
    return values


def read_config_values(folder: Path) -> dict[str, Any]:
    """All that config.json says, by its own names."""
    if not folder.is_dir():
        raise BertcoreError(f"There is no folder {folder}; choose a checkpoint folder with a config.json in it.")
    if not is_there(folder / CONFIG_FILE):
        raise BertcoreError(f"The folder {folder} is not a checkpoint: it has no config.json.")
    values: dict[str, Any] = read_json(folder / CONFIG_FILE)
    return values


def _labels(values: dict[str, Any], folder: Path) -> tuple[str, ...]:
    beside, names, count = values.get("labels"), values.get("id2label"), values.get("num_labels")
    if isinstance(beside, list) and beside:
        names, count = dict(enumerate(beside)), None
    # A number of labels wins over names for another number of them, as in transformers (an id2label of two is often
    # the default that somebody's program wrote beside it).
    if type(count) is int and 0 < count <= _MOST_LABELS and (not isinstance(names, dict) or len(names) != count):
        return tuple(f"LABEL_{i}" for i in range(count))
    if names is None:
        return ()
    try:
        by_number = {int(number): str(label) for number, label in names.items()}
    except (AttributeError, ValueError):
        by_number = {-1: ""}
    if sorted(by_number) != list(range(len(by_number))):
        raise BertcoreError(f"The labels (id2label) in the config.json of {folder} are not numbered 0, 1, 2, ...")
    labels = tuple(by_number[number] for number in range(len(by_number)))
    try:
        "".join(labels).encode("utf-8")
    except UnicodeEncodeError:  # JSON can write them, and nothing can show them
        raise BertcoreError(
            f"The labels in the config.json of {folder} have half a character (\\ud800 to \\udfff); write them anew."
        ) from None
    return labels


# --- sentence encoders


_MODULES = ("Transformer", "Pooling", "Normalize")  # what is done here; a dense layer on top, for one, is not
_MODES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


@dataclass(frozen=True)
class Pooling:
    """`kind` is "mean" (of all tokens) or "cls"; `normalised` vectors have length 1."""

    kind: str
    normalised: bool


def read_pooling(folder: Path) -> Pooling | None:
    """From the files that sentence-transformers writes (1_Pooling, modules.json); None where there are none.

    Ways of pooling other than these two, and further layers after it, read as None: the model is then an encoder like
    any other.
    """
    file = folder / "1_Pooling" / "config.json"
    if not is_there(file):
        return None
    values = read_json(file)
    chosen = [kind for key, kind in _MODES.items() if values.get(key)]
    mode = values.get("pooling_mode")
    if isinstance(mode, str):
        chosen = [mode] if mode in _MODES.values() else []
    others = any(value for key, value in values.items() if key.startswith("pooling_mode_") and key not in _MODES)
    modules = _modules(folder / "modules.json")
    if len(chosen) != 1 or others or set(modules) - set(_MODULES):
        return None
    return Pooling(chosen[0], normalised="Normalize" in modules or (folder / "2_Normalize").is_dir())


def write_pooling(pooling: Pooling, folder: Path, width: int) -> None:
    """As sentence-transformers does, which can then open the folder; vectors have this many numbers."""
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    for path, _ in modules[1 : 2 + pooling.normalised]:
        (folder / path).mkdir(exist_ok=True)
    modes = {key: kind == pooling.kind for key, kind in _MODES.items()}
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": width, **modes})
    listed = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (path, name) in enumerate(modules[: 2 + pooling.normalised])
    ]
    write_json(folder / "modules.json", listed)


def _modules(file: Path) -> list[str]:
    """What is done one after the other: `Transformer`, `Pooling` ... Its folders may be missing where git kept them,
    which keeps no empty ones. Nothing where there is no such file."""
    if not is_there(file):
        return []
    try:
        return [str(module["type"]).rpartition(".")[2] for module in read_json(file, kind=list)]
    except (TypeError, KeyError):
        raise BertcoreError(f"The file {file} does not say what its modules are; fetch the checkpoint again.") from None


# --- what a model has no part for: sentences for the window, the shell and Python


def what_is_missing(config: BertConfig, output_heads: Collection[str], has_pooler: bool) -> dict[str, str]:
    """Part -> why it is not there: the pooler, the MLM and next-sentence heads, what its family learns, "segments"."""
    about = config.family
    missing = {head: sentence for head, sentence in _heads(config, output_heads).items() if head in ("mlm", "nsp")}
    missing.update({head: _heads(config, output_heads)[head] for head in about.pretraining if head not in output_heads})
    if not has_pooler:
        missing["pooler"] = f"{about.title} has no pooler." if not about.pooler else "This checkpoint has no pooler."
    if config.type_vocab_size < 2:
        count = "no segments" if not config.type_vocab_size else "one segment for all tokens"
        missing["segments"] = f"{about.title} has {count}: only the separator tells A from B."
    return missing


def absent_arrays(config: BertConfig, output_heads: Collection[str], has_pooler: bool) -> dict[str, str]:
    """Arrays of a trace (analysis/trace.py) that this model does not give, with the reason."""
    heads = _heads(config, output_heads)
    absent = {array: heads[head] for array, head in _ARRAYS.items() if head in heads}
    missing = what_is_missing(config, output_heads, has_pooler)
    if "pooler" in missing:
        absent["pooled"] = missing["pooler"]
    points = absent_points(config)
    if "embeddings.segment" in points:
        absent["segment_embeddings"] = points["embeddings.segment"]
    return absent


_ARRAYS = {"mlm_logits": "mlm", "next_sentence_logits": "nsp", "sentence_order_logits": "sop", "replaced_logits": "rtd"}


def _heads(config: BertConfig, output_heads: Collection[str]) -> dict[str, str]:
    reason = config.family.no_pair_head or "This checkpoint has no next-sentence (NSP) head"
    sentences = {
        "mlm": "This checkpoint has no masked-word (MLM) head, so it cannot predict words.",
        "nsp": f"{reason.rstrip('.')}, so it cannot say whether B follows A.",
        "sop": "This checkpoint has no sentence-order (SOP) head, so it cannot say whether A and B are swapped.",
        "rtd": "This checkpoint has no replaced-token head, so it cannot say which words are out of place.",
    }
    if "rtd" in output_heads:
        sentences["mlm"] = "This ELECTRA is a discriminator: it judges each word instead of predicting masked ones."
    return {head: sentence for head, sentence in sentences.items() if head not in output_heads}


def absent_points(config: BertConfig) -> dict[str, str]:
    """Hook points (see model/hooks.py) that a model of this config never passes, with the reason."""
    title, absent = config.family.title, {}
    if not config.type_vocab_size:
        absent["embeddings.segment"] = (
            f"{title} has no segments: nothing in its input tells A from B but the separator."
        )
    if not config.projects_embeddings:
        absent["embeddings.before_projection"] = "The embedding tables are as wide as the hidden states."
    if config.norm == "post":
        absent["encoder.final_norm"] = "LayerNorm follows every sum already, so nothing is normalised at the end."
    return absent
