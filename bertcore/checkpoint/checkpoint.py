"""The Hugging Face checkpoint layout, read and written: config.json, model.safetensors, tokenizer files."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bertcore.checkpoint.config_file import CONFIG_FILE, config_values, read_config, read_config_values
from bertcore.checkpoint.difference import DIFFERENCE_FILE, base_folder, weights_hash, with_difference, write_difference
from bertcore.checkpoint.missing_parts import what_is_missing
from bertcore.checkpoint.sentence_pooling import Pooling, read_pooling
from bertcore.checkpoint.tensor_names import (
    class_name,
    encoder_extras,
    from_hugging_face,
    heads_in,
    layout_name,
    modern_names,
    to_hugging_face,
)
from bertcore.checkpoint.weights import SAFETENSORS, read_safetensors, read_weights, write_tensors
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.files import read_json, write_json
from bertcore.garbage_collection import no_garbage_collection
from bertcore.model.bert import Bert, initialise
from bertcore.model.task_heads import HEAD_TITLES, make_head
from bertcore.tokenizer.tokenizer import Tokenizer

ABOUT_FILE = "bertscope.json"  # what the layout has no place for: name, training step, tokens seen
EXTRA_HEADS_FILE = "bertscope_heads.safetensors"  # heads that no class of the layout holds, under our names
MAX_UNUSED_ROWS = 1024  # a token table may be padded to a round number of rows


@dataclass(frozen=True)
class Checkpoint:
    """An opened checkpoint: the model in evaluation mode, float32, and what belongs to it."""

    model: Bert
    tokenizer: Tokenizer
    config: BertConfig
    folder: Path
    name: str
    step: int | None = None
    missing: dict[str, str] = field(default_factory=dict)  # part ("mlm", "nsp", ...) -> a sentence for the person
    unused: tuple[str, ...] = ()  # tensors in the file that belong to no part known here
    pooling: Pooling | None = None  # how a sentence encoder makes one vector of a sentence; None: it is none
    random_heads: tuple[str, ...] = ()  # heads that the file lacks and that were asked for all the same

    @property
    def tasks(self) -> tuple[str, ...]:
        return self.model.tasks

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.model.parameters())


@no_garbage_collection()
def load_checkpoint(folder: Path, heads: Collection[str] = (), allow_random: bool = False) -> Checkpoint:
    """Open a checkpoint folder of the BERT family, written by BERTscope or by `transformers`.

    All heads that the files carry are there; `heads` names those that must be. Where one of them is not in the files,
    that is an error, unless `allow_random`: it is then drawn afresh, always the same way.
    Raises BertcoreError, one sentence, for a folder that is no checkpoint, files that are missing, cut off or would
    run code, tensors that are missing, left over or do not fit the config, and a vocabulary that does not fit.
    """
    config = read_config(folder)
    tokenizer = Tokenizer.from_folder(folder)
    _check_vocabulary(tokenizer, config, folder)
    about = read_json(folder / ABOUT_FILE) if (folder / ABOUT_FILE).is_file() else {}
    weights, unused = _read(folder, config, about)
    if (folder / EXTRA_HEADS_FILE).is_file():
        weights.update({name: value.float() for name, value in read_safetensors(folder / EXTRA_HEADS_FILE).items()})
    tasks = tuple(head for head in HEAD_TITLES if any(name.startswith(f"{head}.") for name in weights))
    has_pooler = any(name.startswith("pooler.") for name in weights)
    if not has_pooler and {"nsp", "sop"} & set(tasks):
        raise BertcoreError(f"The checkpoint {folder} has a sentence-pair head but no pooler; it is incomplete.")
    random_heads = _random_heads(folder, heads, tasks, allow_random)
    with torch.device("meta"):
        model = Bert(config, [*tasks, *random_heads], has_pooler)
    weights.update(_fresh_heads(config, random_heads, tasks))
    _check_fit(weights, unused, model, folder)
    model.load_state_dict(weights, assign=True)
    return Checkpoint(
        model=model.eval().requires_grad_(False),
        tokenizer=tokenizer,
        config=config,
        folder=folder,
        name=str(about.get("name") or folder.resolve().name),
        step=about["step"] if isinstance(about.get("step"), int) else None,
        missing=what_is_missing(config, model.tasks, has_pooler),
        unused=tuple(unused),
        pooling=read_pooling(folder),
        random_heads=random_heads,
    )


def _read(folder: Path, config: BertConfig, about: Mapping[str, Any]) -> tuple[dict[str, Tensor], list[str]]:
    """The weights by our names, and the file's tensors that belong to no part known here."""
    if (folder / DIFFERENCE_FILE).is_file():
        base = load_checkpoint(base_folder(folder, about))
        return with_difference(base.model.state_dict(), folder), []
    theirs = modern_names(read_weights(folder), config)
    architectures = read_config_values(folder).get("architectures")
    tasks = heads_in(theirs, config, architectures if isinstance(architectures, list) else ())
    return from_hugging_face(theirs, config, tasks)


def save_checkpoint(
    model: Bert,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    name: str | None = None,
    step: int | None = None,
    tokens_seen: int | None = None,
    store_as: torch.dtype = torch.float32,
) -> None:
    """Write the model as the class of `transformers` that fits its heads would; other heads go into a file beside.

    `store_as` is the precision of the file alone: config.json asks every reader to compute in float32.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach().cpu().to(store_as) for key, value in model.state_dict().items()}
    architecture, held = class_name(model.config, model.tasks)
    write_tensors(to_hugging_face(state, model.config, held), folder / SAFETENSORS)
    (folder / DIFFERENCE_FILE).unlink(missing_ok=True)
    beside = tuple(f"{head}." for head in model.tasks if head not in held)
    extra = {key: value.contiguous() for key, value in state.items() if beside and key.startswith(beside)}
    (folder / EXTRA_HEADS_FILE).unlink(missing_ok=True)
    if extra:
        write_tensors(extra, folder / EXTRA_HEADS_FILE)
    write_json(folder / CONFIG_FILE, config_values(model.config, architecture))
    tokenizer.save(folder, model.config.max_length)
    write_json(folder / ABOUT_FILE, {"name": name, "step": step, "tokens_seen": tokens_seen})


def save_difference(
    model: Bert, tokenizer: Tokenizer, folder: Path, base: Checkpoint, rank: int | None, about: Mapping[str, Any]
) -> None:
    """Write a fine-tuned model as its difference from `base`, one of those that ship; see `difference.py`.

    about: what bertscope.json says besides the base, such as the name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach().cpu() for key, value in model.state_dict().items()}
    write_difference(state, base.model.state_dict(), folder, rank)
    architecture, _ = class_name(model.config, model.tasks)
    write_json(folder / CONFIG_FILE, config_values(model.config, architecture))
    tokenizer.save(folder, model.config.max_length)
    write_json(folder / ABOUT_FILE, {**about, "base": {"name": base.name, "sha256": weights_hash(base.folder)}})


@torch.no_grad()
def without_spare_rows(model: Bert, rows: int) -> Bert:
    """The model with the first `rows` of its token table, changed in place: a table may be padded (decision 0006)."""
    if model.config.vocab_size > rows:
        model.config = model.config.with_changes(vocab_size=rows)
        table = model.embeddings.token
        table.weight, table.num_embeddings = torch.nn.Parameter(table.weight[:rows].clone()), rows
        if model.mlm is not None:
            model.mlm.bias = torch.nn.Parameter(model.mlm.bias[:rows].clone())
        model.requires_grad_(False)
    return model


def _check_vocabulary(tokenizer: Tokenizer, config: BertConfig, folder: Path) -> None:
    """Ids must be rows of the token table; a few rows may be left over where ids are written down (decision 0006)."""
    rows, largest = config.vocab_size, tokenizer.largest_id
    left_over = rows - 1 - largest
    if left_over == 0 or (0 < left_over <= MAX_UNUSED_ROWS and not tokenizer.numbered_by_line):
        return
    raise BertcoreError(
        f"The vocabulary in {folder} has {largest + 1:,} tokens but the model's token table has "
        f"{rows:,} rows; they do not belong together."
    )


def _random_heads(
    folder: Path, wanted: Collection[str], present: Collection[str], allow_random: bool
) -> tuple[str, ...]:
    absent = tuple(head for head in wanted if head not in present)
    if absent and not allow_random:
        names = " and no ".join(HEAD_TITLES[head] for head in absent)
        raise BertcoreError(
            f"The checkpoint {folder} has no {names} head: with a fresh one its answers would be random. "
            "Open a checkpoint that has it, or allow a random head."
        )
    return absent


def _fresh_heads(config: BertConfig, heads: Collection[str], present: Collection[str]) -> dict[str, Tensor]:
    """Fresh weights of these heads, by our names; a CRF brings its tagger along where there is none."""
    weights = {}
    for head in HEAD_TITLES:
        if head in heads or (head == "tag" and "crf" in heads and head not in present):
            part = make_head(config, head)
            initialise(part, config.initializer_range, torch.Generator().manual_seed(0))
            weights.update({f"{head}.{name}": value.detach() for name, value in part.state_dict().items()})
    return weights


def _check_fit(weights: dict[str, Tensor], unused: list[str], model: Bert, folder: Path) -> None:
    expected = {name: tuple(value.shape) for name, value in model.state_dict().items()}

    def listed(names: Iterable[str]) -> str:
        return _listed([layout_name(name, model.config, model.tasks) for name in names])

    missing = sorted(set(expected) - set(weights))
    if missing:
        raise BertcoreError(f"The checkpoint {folder} lacks {listed(missing)}; it is incomplete or of another family.")
    extra = encoder_extras(unused, model.config) + sorted(set(weights) - set(expected))
    if extra:
        raise BertcoreError(
            f"The encoder in {folder} has parts that a {model.config.family.title} does not have: {_listed(extra)}; "
            "without them its results would be wrong."
        )
    wrong = [
        f"{listed([name])} is {tuple(weights[name].shape)} instead of {shape}"
        for name, shape in expected.items()
        if tuple(weights[name].shape) != shape
    ]
    if wrong:
        raise BertcoreError(f"The weights in {folder} do not fit its config.json: {_listed(wrong)}.")
    broken = [name for name in expected if not math.isfinite(float(weights[name].sum()))]
    if broken:
        raise BertcoreError(
            f"The weights in {folder} contain infinite or NaN values, in {listed(broken)}; "
            "the training that made them went wrong."
        )


def _listed(names: list[str], most: int = 20) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
