"""A checkpoint's config.json: the architecture, read and written without weights and without torch."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.families import PRE_NORM_BERT, family
from bertcore.files import is_there, read_json

CONFIG_FILE = "config.json"
# What our layout calls differently, or has in another shape; the rest of BertConfig stands under its own name.
_TRANSLATED = ("model_type", "norm", "positions", "labels")
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
    if not config.no_answer:
        del values["no_answer"]
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
