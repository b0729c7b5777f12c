"""The Hugging Face checkpoint layout, read and written: config.json, model.safetensors, tokenizer files."""

import hashlib
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bertcore.checkpoint import tensor_names
from bertcore.checkpoint.config_file import (
    CONFIG_FILE,
    Pooling,
    config_values,
    read_config,
    read_config_values,
    read_pooling,
    what_is_missing,
    write_pooling,
)
from bertcore.checkpoint.weights import (
    SAFETENSORS,
    StoredTensor,
    list_safetensors,
    list_weights,
    read_safetensors,
    read_tensors,
    refuse_without_memory,
    write_tensors,
)
from bertcore.config import BertConfig, count_parameters
from bertcore.errors import BertcoreError, name_from_file
from bertcore.files import is_there, read_json, write_json
from bertcore.locations import ABOUT_FILE, DIFFERENCE_FILE, SHIPPED, shipped_checkpoint
from bertcore.memory import no_garbage_collection
from bertcore.model.bert import Bert, initialise
from bertcore.model.output_heads import HEAD_TITLES, make_head
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

EXTRA_HEADS_FILE = "bertscope_heads.safetensors"  # heads that no class of the layout holds, under our names
MAX_UNUSED_ROWS = 1024  # a token table may be padded to a round number of rows


@dataclass(frozen=True)
class Checkpoint:
    """An opened checkpoint: the model in evaluation mode, float32, and what belongs to it."""

    model: Bert
    tokenizer: Tokenizer
    config: BertConfig
    folder: Path | None  # None: a model in memory
    name: str
    step: int | None = None
    missing: dict[str, str] = field(default_factory=dict)  # part ("mlm", "nsp", ...) -> a sentence for the person
    unused: tuple[str, ...] = ()  # tensors in the file that belong to no part known here
    pooling: Pooling | None = None  # how a sentence encoder makes one vector of a sentence; None: it is none
    random_output_heads: tuple[str, ...] = ()  # heads that the file lacks and that were asked for all the same

    @property
    def output_heads(self) -> tuple[str, ...]:
        return self.model.output_heads

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.model.parameters())

    def encode(self, a: str, b: str | None = None) -> Encoding:
        """As much of a text, or of two, as the model reads."""
        return self.tokenizer.encode(a, b, max_length=self.config.max_length)


@no_garbage_collection()
def load_checkpoint(
    folder: Path, *, random_heads: Collection[str] = (), tokenizer: Tokenizer | None = None
) -> Checkpoint:
    """Open a checkpoint folder of the BERT family, written by BERTscope or by `transformers`.

    All heads that the files carry are there; `random_heads` that they lack are drawn afresh, always the same way. So
    are all weights of a folder that says it is untrained.
    tokenizer: the folder's own, where it has been read already.
    Names and shapes are compared before a number is read or a module is built.
    Raises BertcoreError, one sentence, for a folder that is no checkpoint, files that are missing, cut off or would
    run code, tensors that are missing, left over or do not fit the config, and a vocabulary that does not fit.
    """
    config = read_config(folder)
    about = read_json(folder / ABOUT_FILE) if is_there(folder / ABOUT_FILE) else {}
    base = base_folder(folder, about) if is_there(folder / DIFFERENCE_FILE) else None
    tokenizer = tokenizer or Tokenizer.from_folder(folder)
    if not _fits(tokenizer, config):
        raise BertcoreError(
            f"The vocabulary in {folder} has {tokenizer.largest_id + 1:,} tokens but the model's token table has "
            f"{config.vocab_size:,} rows; they do not belong together."
        )
    made: dict[str, Tensor] = {}  # weights that are no tensors of this folder's files
    if base is not None:
        stored, unused, decoder = dict[str, tuple[StoredTensor, ...]](), list[str](), None
        made = with_difference(load_checkpoint(base, tokenizer=tokenizer).model.state_dict(), folder, about)
    elif about.get("untrained") is True and not is_there(folder / SAFETENSORS):  # `resolve_model.untrained_checkpoint`
        stored, unused, decoder = {}, [], None
        heads = config.family.pretraining
        refuse_without_memory(count_parameters(config, heads) * 4, folder)
        made = Bert(config, heads, generator=torch.Generator().manual_seed(0)).state_dict()
    else:
        theirs = tensor_names.modern_names(list_weights(folder), config)
        architectures = read_config_values(folder).get("architectures")
        in_files = tensor_names.heads_in(theirs, config, architectures if isinstance(architectures, list) else ())
        stored, unused = tensor_names.from_hugging_face(theirs, config, in_files)
        decoder = tensor_names.output_matrix(theirs, config)
    if is_there(folder / EXTRA_HEADS_FILE):
        stored.update({name: (tensor,) for name, tensor in list_safetensors(folder / EXTRA_HEADS_FILE).items()})
    names = {*stored, *made}
    output_heads = tuple(head for head in HEAD_TITLES if any(name.startswith(f"{head}.") for name in names))
    has_pooler = any(name.startswith("pooler.") for name in names)
    if not has_pooler and {"nsp", "sop"} & set(output_heads):
        raise BertcoreError(f"The checkpoint {folder} has a sentence-pair head but no pooler; it is incomplete.")
    random_output_heads = tuple(head for head in random_heads if head not in output_heads)
    _refuse_missing(set(tensor_names.layer_tensors(config)) - names, config, output_heads, folder)
    with torch.device("meta"):
        model = Bert(config, [*output_heads, *random_output_heads], has_pooler)
    made.update(_fresh_heads(config, random_output_heads, output_heads))
    _check_fit(stored, made, unused, model, folder)
    weights = {**made, **_read(stored)}
    _check_numbers(weights, decoder, model, folder)
    model.load_state_dict(weights, assign=True)
    return Checkpoint(
        model=model.eval().requires_grad_(False),
        tokenizer=tokenizer,
        config=config,
        folder=folder,
        name=name_from_file(about.get("name"), otherwise=name_from_file(folder.resolve().name)),
        step=about["step"] if isinstance(about.get("step"), int) else None,
        missing=what_is_missing(config, model.output_heads, has_pooler),
        unused=tuple(unused),
        pooling=read_pooling(folder),
        random_output_heads=random_output_heads,
    )


def checkpoint_in_memory(model: Bert, tokenizer: Tokenizer, name: str) -> Checkpoint:
    """Of a model that lies in no folder; it is put into evaluation mode. Raises BertcoreError for a vocabulary that
    does not fit."""
    if not _fits(tokenizer, model.config):
        raise BertcoreError(
            f"The vocabulary has {tokenizer.largest_id + 1:,} tokens but the model's token table has "
            f"{model.config.vocab_size:,} rows; make the model with vocab_size={tokenizer.largest_id + 1}."
        )
    missing = what_is_missing(model.config, model.output_heads, model.pooler is not None)
    return Checkpoint(model.eval(), tokenizer, model.config, None, name, missing=missing)


def save_checkpoint(
    model: Bert,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    name: str | None = None,
    step: int | None = None,
    tokens_seen: int | None = None,
    store_as: torch.dtype = torch.float32,
    pooling: Pooling | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write the model as the class of `transformers` that fits its heads would; other heads go into a file beside.

    `store_as` is the precision of the file alone: config.json asks every reader to compute in float32.
    about: what bertscope.json says besides, such as how a fine-tuned model reads its examples ("data").
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach().cpu().to(store_as) for key, value in model.state_dict().items()}
    architecture, held = tensor_names.class_name(model.config, model.output_heads)
    write_tensors(tensor_names.to_hugging_face(state, model.config, held), folder / SAFETENSORS)
    (folder / DIFFERENCE_FILE).unlink(missing_ok=True)
    beside = tuple(f"{head}." for head in model.output_heads if head not in held)
    extra = {key: value.contiguous() for key, value in state.items() if beside and key.startswith(beside)}
    (folder / EXTRA_HEADS_FILE).unlink(missing_ok=True)
    if extra:
        write_tensors(extra, folder / EXTRA_HEADS_FILE)
    write_json(folder / CONFIG_FILE, config_values(model.config, architecture))
    tokenizer.save(folder, model.config.max_length)
    if pooling is not None:
        write_pooling(pooling, folder, model.config.hidden_size)
    write_json(folder / ABOUT_FILE, {"name": name, "step": step, "tokens_seen": tokens_seen, **(about or {})})


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


def _fits(tokenizer: Tokenizer, config: BertConfig) -> bool:
    """Ids must be rows of the token table; a few rows may be left over where ids are written down (decision 0006)."""
    left_over = config.vocab_size - 1 - tokenizer.largest_id
    return left_over == 0 or (0 < left_over <= MAX_UNUSED_ROWS and not tokenizer.numbered_by_line)


def _fresh_heads(config: BertConfig, heads: Collection[str], present: Collection[str]) -> dict[str, Tensor]:
    """Fresh weights of these heads, by our names; a CRF brings its tagger along where there is none."""
    weights = {}
    for head in HEAD_TITLES:
        if head in heads or (head == "tag" and "crf" in heads and head not in present):
            part = make_head(config, head)
            initialise(part, config.initializer_range, torch.Generator().manual_seed(0))
            weights.update({f"{head}.{name}": value.detach() for name, value in part.state_dict().items()})
    return weights


def _read(stored: Mapping[str, tuple[StoredTensor, ...]]) -> dict[str, Tensor]:
    """By our names, float32. Files name each tensor once, so nothing is read twice."""
    tensors = read_tensors({(name, at): part for name, parts in stored.items() for at, part in enumerate(parts)})
    weights = {}
    for name, parts in stored.items():
        of_parts = [tensors.pop((name, at)).float() for at in range(len(parts))]
        weights[name] = of_parts[0] if len(of_parts) == 1 else torch.cat(of_parts)
    return weights


def _check_fit(
    stored: Mapping[str, tuple[StoredTensor, ...]],
    made: Mapping[str, Tensor],
    unused: list[str],
    model: Bert,
    folder: Path,
) -> None:
    """Before any number is read: all names are there, and all shapes and kinds of numbers are right."""
    config, heads = model.config, model.output_heads
    expected = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    shapes = {name: tuple(value.shape) for name, value in made.items()}
    for name, parts in stored.items():
        first = parts[0].shape
        shapes[name] = first if len(parts) == 1 else (sum(part.shape[0] for part in parts), *first[1:])
    _refuse_missing(set(expected) - set(shapes), config, heads, folder)
    extra = tensor_names.encoder_extras(unused, config) + sorted(set(shapes) - set(expected))
    if extra:
        raise BertcoreError(
            f"The encoder in {folder} has parts that a {config.family.title} does not have: {_listed(extra)}; "
            "without them its results would be wrong."
        )
    wrong = [name for name, shape in expected.items() if shapes[name] != shape]
    if wrong:
        theirs = [tensor_names.layout_name(name, config, heads) for name in wrong[:20]]
        said = [f"{name} is {shapes[own]} instead of {expected[own]}" for name, own in zip(theirs, wrong, strict=False)]
        raise BertcoreError(f"The weights in {folder} do not fit its config.json: {_listed(said, len(wrong))}.")
    whole = [name for name, parts in stored.items() if not all(part.dtype.is_floating_point for part in parts)]
    if whole:
        kind = str(stored[whole[0]][0].dtype).removeprefix("torch.")
        raise BertcoreError(
            f"The weights in {folder} are no floating-point numbers ({kind}) in {_theirs(whole, config, heads)}; "
            "ask for the model as it was before it was quantised."
        )


def _refuse_missing(missing: Collection[str], config: BertConfig, heads: Collection[str], folder: Path) -> None:
    if missing:
        raise BertcoreError(
            f"The checkpoint {folder} lacks {_theirs(missing, config, heads)}; it is incomplete or of another family."
        )


def _check_numbers(weights: Mapping[str, Tensor], decoder: StoredTensor | None, model: Bert, folder: Path) -> None:
    table = weights["embeddings.token.weight"]
    if decoder is not None and (
        decoder.shape != table.shape or not torch.equal(table, read_tensors({"": decoder})[""].float())
    ):
        raise BertcoreError(
            "The masked-word head of this checkpoint has its own output matrix; BERT uses the token embeddings."
        )
    broken = [name for name, value in weights.items() if not math.isfinite(float(value.sum()))]
    if broken:
        raise BertcoreError(
            f"The weights in {folder} contain infinite or NaN values, in "
            f"{_theirs(broken, model.config, model.output_heads)}; the training that made them went wrong."
        )


def _theirs(names: Collection[str], config: BertConfig, heads: Collection[str], most: int = 20) -> str:
    """The names as the layout has them, the first so many."""
    return _listed([tensor_names.layout_name(name, config, heads) for name in sorted(names)[:most]], len(names))


def _listed(names: list[str], count: int | None = None, most: int = 20) -> str:
    """The first of `count` names (None: of these), and how many more there are."""
    more = (count or len(names)) - most
    return ", ".join(f"{name:.200}" for name in names[:most]) + (f" and {more:,} more" if more > 0 else "")


# --- a fine-tuned checkpoint stored as its difference from a model that ships: a few megabytes instead of all weights
# The folder is a checkpoint like any other, but has DIFFERENCE_FILE in place of model.safetensors and no tokenizer
# files: those are the base's, which it names in `bertscope.json`: {"base": {"name": "bertscope-mini", "sha256": "..."},
# "difference": {"sha256": "..."}}, with the checksums of the base's weights file and of its own.
# By our tensor names the file holds what the base does not have or has differently: a tensor as it is, or the two
# factors of what is added to a matrix of the base, NAME.up (out,R) and NAME.down (R,in), as in LoRA (Hu et al. 2021).


UP, DOWN = ".up", ".down"


def base_folder(folder: Path, about: Mapping[str, Any]) -> Path:
    """The checkpoint that this one is stored as a difference from; `about` is what bertscope.json says.

    Raises BertcoreError where it does not ship, is not there, or has other weights than those it was made from.
    """
    said = about.get("base")
    base: Mapping[str, Any] = said if isinstance(said, dict) else {}
    name = base.get("name")
    if name not in SHIPPED:
        raise BertcoreError(
            f"The checkpoint {folder} is stored as a difference from another model ({name}), and that must be one of "
            f"those that ship: {', '.join(SHIPPED)}."
        )
    found = shipped_checkpoint(name)
    if not (found / SAFETENSORS).is_file():
        raise BertcoreError(f"The checkpoint {folder} is stored as a difference from {name}, which is missing here.")
    if sha256_of(found / SAFETENSORS) != base.get("sha256"):
        raise BertcoreError(
            f"The checkpoint {folder} is stored as a difference from another version of {name} than the one here; "
            "make it again (make tuned)."
        )
    return found


def sha256_of(file: Path) -> str:
    """In hex digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def with_difference(base: Mapping[str, Tensor], folder: Path, about: Mapping[str, Any]) -> dict[str, Tensor]:
    """The folder's weights by our names, float32: the encoder of `base` with the folder's changes, and its own heads.

    `about` is what bertscope.json says. Raises BertcoreError for a file that is damaged or does not fit the base.
    """
    said = about.get("difference")
    kept = said.get("sha256") if isinstance(said, dict) else None  # older differences have none
    if kept is not None and sha256_of(folder / DIFFERENCE_FILE) != kept:
        raise BertcoreError(
            f"The weights file {folder / DIFFERENCE_FILE} is damaged: its checksum is another; fetch the checkpoint "
            "again."
        )
    stored = {name: value.float() for name, value in read_safetensors(folder / DIFFERENCE_FILE).items()}
    weights = {name: value for name, value in base.items() if name.partition(".")[0] not in HEAD_TITLES}
    for name, value in stored.items():
        if name.endswith(DOWN):
            continue
        if not name.endswith(UP):
            weights[name] = value
            continue
        name = name.removesuffix(UP)
        down, matrix = stored.get(name + DOWN), weights.get(name)
        if down is None or matrix is None or not _fit(value, down, matrix):
            raise BertcoreError(f"The change of {name} in {folder} does not fit its base; fetch the checkpoint again.")
        weights[name] = matrix + value @ down
    return weights


def _fit(up: Tensor, down: Tensor, matrix: Tensor) -> bool:
    """Before they are multiplied: two thin matrices can make one that no memory holds."""
    if up.ndim != 2 or down.ndim != 2:
        return False
    return up.shape[1] == down.shape[0] and (up.shape[0], down.shape[1]) == tuple(matrix.shape)
