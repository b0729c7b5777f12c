"""The Hugging Face checkpoint layout, read and written: config.json, model.safetensors, tokenizer files."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertcore.checkpoint_config import CONFIG_FILE, read_config, read_json
from bertcore.checkpoint_names import from_hugging_face, to_hugging_face
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import TASKS, Bert
from bertcore.tokenization import Tokenizer

WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")
ABOUT_FILE = "bertscope.json"  # what the layout has no place for: name, training step, tokens seen

_WHAT_IS_MISSING = {
    "mlm": "This checkpoint has no masked-word (MLM) head, so it cannot predict words.",
    "nsp": "This checkpoint has no next-sentence (NSP) head, so it cannot say whether B follows A.",
    "pooler": "This checkpoint has no pooler.",
}


@dataclass(frozen=True)
class Checkpoint:
    """An opened checkpoint: the model in evaluation mode, float32, and what belongs to it."""

    model: Bert
    tokenizer: Tokenizer
    config: BertConfig
    folder: Path
    name: str
    step: int | None = None
    missing: dict[str, str] = field(default_factory=dict)  # "mlm" | "nsp" | "pooler" -> a sentence for the person

    @property
    def tasks(self) -> tuple[str, ...]:
        return self.model.tasks

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.model.parameters())


def load_checkpoint(folder: Path) -> Checkpoint:
    """Open a BERT checkpoint folder written by BERTscope or by `transformers`.

    Raises BertcoreError, one sentence, for a folder that is no checkpoint, files that are missing, cut off or would
    run code, tensors that are missing or do not fit the config, and a vocabulary of another size than the token table.
    """
    config = read_config(folder)
    tokenizer = Tokenizer.from_folder(folder)
    if tokenizer.vocab_size != config.vocab_size:
        raise BertcoreError(
            f"The vocabulary in {folder} has {tokenizer.vocab_size:,} tokens but the model's token table has "
            f"{config.vocab_size:,} rows; they do not belong together."
        )
    weights = from_hugging_face(_read_weights(folder), config)
    tasks = [task for task in TASKS if any(name.startswith(f"{task}.") for name in weights)]
    has_pooler = any(name.startswith("pooler.") for name in weights)
    if not has_pooler and "nsp" in tasks:
        raise BertcoreError(f"The checkpoint {folder} has a next-sentence head but no pooler; it is incomplete.")
    with torch.device("meta"):
        model = Bert(config, tasks, has_pooler)
    _check_fit(weights, model, folder)
    model.load_state_dict(weights, assign=True)
    present = {*tasks, *(["pooler"] if has_pooler else [])}
    about = read_json(folder / ABOUT_FILE) if (folder / ABOUT_FILE).is_file() else {}
    return Checkpoint(
        model=model.eval().requires_grad_(False),
        tokenizer=tokenizer,
        config=config,
        folder=folder,
        name=str(about.get("name") or folder.resolve().name),
        step=about["step"] if isinstance(about.get("step"), int) else None,
        missing={part: sentence for part, sentence in _WHAT_IS_MISSING.items() if part not in present},
    )


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
    """Write the model as `transformers` would (`BertForPreTraining`, or `BertModel` where it has no heads).

    `store_as` is the precision of the file alone: config.json asks every reader to compute in float32.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state = {key: value.detach().cpu().to(store_as) for key, value in model.state_dict().items()}
    save_file(to_hugging_face(state, model.config), folder / WEIGHT_FILES[0], metadata={"format": "pt"})
    architecture = "BertForPreTraining" if model.tasks == TASKS else "BertForMaskedLM" if model.mlm else "BertModel"
    config = {
        "architectures": [architecture],
        "model_type": "bert",
        "dtype": "float32",
        "position_embedding_type": "absolute",
        **model.config.to_dict(),
    }
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    tokenizer.save(folder, model.config.max_position_embeddings)
    about = {"name": name, "step": step, "tokens_seen": tokens_seen}
    (folder / ABOUT_FILE).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _read_weights(folder: Path) -> dict[str, Tensor]:
    safe, pickled = (folder / name for name in WEIGHT_FILES)
    if safe.is_file():
        try:
            return load_file(safe)
        except (SafetensorError, OSError, ValueError) as error:
            reason = str(error).removeprefix("Error while deserializing header: ")
            raise BertcoreError(
                f"The weights file {safe} is damaged or cut off ({reason}); fetch the checkpoint again."
            ) from None
    if pickled.is_file():
        return _read_pickled(pickled)
    raise BertcoreError(f"The folder {folder} has no weights: {' or '.join(WEIGHT_FILES)} must stand in it.")


def _read_pickled(file: Path) -> dict[str, Tensor]:
    """Tensors out of a pytorch_model.bin, by torch's reader that refuses everything which could run code."""
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise BertcoreError(
            f"The weights file {file} is damaged, or holds more than tensors and could run code; it was not opened. "
            "Ask for a model.safetensors file instead."
        ) from None
    except Exception as error:  # torch reports a cut-off archive in several types
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it ends too early"
        raise BertcoreError(f"The weights file {file} is damaged or cut off ({reason}).") from None
    if not isinstance(content, dict) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in content.items()
    ):
        raise BertcoreError(f"The weights file {file} does not hold a table of tensors by name.")
    return content


def _check_fit(weights: dict[str, Tensor], model: Bert, folder: Path) -> None:
    expected = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    missing = sorted(set(expected) - set(weights))
    if missing:
        raise BertcoreError(f"The checkpoint {folder} lacks {_listed(missing)}; it is incomplete or no BERT.")
    wrong = [
        f"{name} is {tuple(weights[name].shape)} instead of {shape}"
        for name, shape in expected.items()
        if tuple(weights[name].shape) != shape
    ]
    if wrong:
        raise BertcoreError(f"The weights in {folder} do not fit its config.json: {_listed(wrong)}.")
    broken = [name for name in expected if not math.isfinite(float(weights[name].sum()))]
    if broken:
        raise BertcoreError(
            f"The weights in {folder} hold values that are no finite numbers, in {_listed(broken)}; "
            "the training that made them went wrong."
        )


def _listed(names: list[str], most: int = 5) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
