"""Does BERTscope compute what `transformers` computes? Family by family and head by head, in both directions.

`python -m benchmarks.parity` prints the table that stands in docs/parity.md. Small models with large random weights:
a swapped, forgotten or transposed tensor shows at once, and a right one is right at any size.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import read_config
from bertcore.checkpoint.tensor_names import class_name
from bertcore.cli.check_command import our_outputs, their_outputs
from bertcore.model.bert import Bert
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = (*SPECIAL_TOKENS, *LETTERS, *(f"##{letter}" for letter in LETTERS))
CHOICES = 2
LENGTHS = (11, 4, 7, 2)  # of the sequences in the batch; two questions of two choices, for multiple choice
TASKS_EVERYWHERE: tuple[tuple[str, ...], ...] = (("classify",), ("choice",), ("tag",), ("span",))
HEADS: dict[str, tuple[tuple[str, ...], ...]] = {
    "bert": ((), ("mlm",), ("nsp",), ("mlm", "nsp"), *TASKS_EVERYWHERE),
    "megatron-bert": ((), ("mlm",), ("nsp",), ("mlm", "nsp"), *TASKS_EVERYWHERE),
    "roberta": ((), ("mlm",), *TASKS_EVERYWHERE),
    "xlm-roberta": ((), ("mlm",), *TASKS_EVERYWHERE),
    "camembert": ((), ("mlm",), *TASKS_EVERYWHERE),
    "distilbert": ((), ("mlm",), *TASKS_EVERYWHERE),
    "albert": ((), ("mlm",), ("mlm", "sop"), *TASKS_EVERYWHERE),
    "electra": ((), ("mlm",), ("rtd",), *TASKS_EVERYWHERE),
}
_SIZES: dict[str, dict[str, Any]] = {
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
    "albert": {"embedding_size": 16, "num_hidden_groups": 2, "num_hidden_layers": 5},
    "electra": {"embedding_size": 16},
    "roberta": {"type_vocab_size": 1, "pad_token_id": 1, "layer_norm_eps": 1e-5},
    "xlm-roberta": {"type_vocab_size": 1, "pad_token_id": 1},
    "camembert": {"type_vocab_size": 1, "pad_token_id": 1},
    "bert": {"type_vocab_size": 3},
}
_BERT_SIZE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}


@dataclass(frozen=True)
class ParityRow:
    """Largest absolute differences of all hidden states, attentions and logits at real tokens."""

    model_type: str
    heads: tuple[str, ...]
    theirs_here: float  # written by transformers, opened here
    ours_there: float  # written here, opened by transformers


def compare(model_type: str, heads: Sequence[str], folder: Path) -> ParityRow:
    """One family with one set of heads; `folder` is written to."""
    theirs = _their_model(model_type, heads)
    theirs.save_pretrained(folder / "theirs")
    tokenizer = Tokenizer(raw_from_words(VOCABULARY))
    tokenizer.save(folder / "theirs")
    opened = load_checkpoint(folder / "theirs")
    assert opened.output_heads == tuple(heads) and not opened.unused, (opened.output_heads, opened.unused)
    batch = _batch(opened.model)
    first = _worst(opened.model, theirs, batch, heads)

    model = Bert(opened.config, heads, opened.model.pooler is not None)
    randomise(model, 2)
    save_checkpoint(model.eval(), tokenizer, folder / "ours")
    again, about = type(theirs).from_pretrained(folder / "ours", attn_implementation="eager", output_loading_info=True)
    assert not any(about[what] for what in ("missing_keys", "unexpected_keys", "mismatched_keys")), about
    second = _worst(model, again.eval(), batch, heads)
    return ParityRow(model_type, tuple(heads), first, second)


def rows() -> Iterator[tuple[str, tuple[str, ...]]]:
    for model_type, sets in HEADS.items():
        for heads in sets:
            yield model_type, heads


def randomise(model: torch.nn.Module, seed: int) -> None:
    """Every parameter, biases and LayerNorm too, far from where it starts."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.2)


def _their_model(model_type: str, heads: Sequence[str]) -> Any:
    import transformers

    size = _SIZES.get(model_type, {})
    if model_type != "distilbert":
        size = {**_BERT_SIZE, **size}
    config = transformers.AutoConfig.for_model(
        model_type, vocab_size=len(VOCABULARY), max_position_embeddings=40, num_labels=3, **size
    )
    if {"span", "sop"} & set(heads):
        config.num_labels = 2
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        name, _ = class_name(read_config(Path(folder)), heads)
    model = getattr(transformers, name)._from_config(config, attn_implementation="eager")
    randomise(model, 1)
    return model.eval()


def _batch(model: Bert) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, segments and attention mask (B,S)."""
    config, rng = model.config, np.random.default_rng(0)
    shape = (len(LENGTHS), max(LENGTHS))
    mask = np.arange(shape[1]) < np.array(LENGTHS)[:, None]
    ids = np.where(mask, rng.integers(5, config.vocab_size, shape), config.pad_token_id)
    segments = rng.integers(0, max(1, config.type_vocab_size), shape)
    return torch.tensor(ids), torch.tensor(segments), torch.tensor(mask.astype(np.int64))


def _worst(model: Bert, other: Any, batch: tuple[Tensor, Tensor, Tensor], heads: Sequence[str]) -> float:
    """Largest difference at real tokens; what padding tokens see means nothing."""
    ours, theirs = our_outputs(model, batch, heads, CHOICES), their_outputs(other, batch, heads, CHOICES)
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    real, worst = batch[2].bool(), 0.0
    for name, value in ours.items():
        difference = (value - theirs[name]).abs()
        if name == "hidden":
            difference = difference[:, real]  # (L+1,B,S,H)
        elif name == "attentions":
            difference = difference.transpose(2, 3)[:, real]  # (L,B,N,S,S) -> the rows that real tokens look along
        elif difference.shape[:2] == real.shape:
            difference = difference[real]  # (B,S) or (B,S,...)
        worst = max(worst, float(difference.max()))
    return worst


def main() -> None:
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print("| family | heads | theirs, opened here | ours, opened there |\n|---|---|---|---|")
    for model_type, heads in rows():
        with tempfile.TemporaryDirectory() as folder:
            row = compare(model_type, heads, Path(folder))
        names = " + ".join(heads) or "encoder only"
        print(f"| {model_type} | {names} | {row.theirs_here:.1e} | {row.ours_there:.1e} |", flush=True)


if __name__ == "__main__":
    main()
