"""Small random models of each family as checkpoint folders, with the kind of vocabulary that each comes with."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import torch
from tokenizers import AddedToken, normalizers, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE, Unigram
from tokenizers.trainers import BpeTrainer

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer

TEXT_A, TEXT_B = "The cat sat on the mat.", "It was very comfortable."
WORDS = [f"{TEXT_A} {TEXT_B} a dog and bird ran home happy rug sofa"] * 20
ROBERTA_NAMES = ("<s>", "<pad>", "</s>", "<unk>")
ALBERT_NAMES = ("<pad>", "<unk>", "[CLS]", "[SEP]")


@dataclass(frozen=True)
class Shape:
    """What a family's small model differs in."""

    output_heads: tuple[str, ...]
    vocabulary: str = "wordpiece"
    pooler: bool = False
    pooling: bool = False  # a sentence encoder
    config: dict[str, Any] = field(default_factory=dict)


SHAPES = {
    "roberta": Shape(("mlm",), "byte-level", config={"model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1}),
    "albert": Shape(
        ("mlm", "sop"),
        "sentencepiece",
        pooler=True,
        config={"model_type": "albert", "embedding_size": 16, "num_hidden_groups": 1},
    ),
    "distilbert": Shape(("mlm",), config={"model_type": "distilbert", "type_vocab_size": 0}),
    "discriminator": Shape(("rtd",), config={"model_type": "electra", "embedding_size": 16}),
    "minilm": Shape((), pooler=True, pooling=True),
    "pre-norm": Shape(("mlm", "nsp"), pooler=True, config={"norm": "pre"}),
    "encoder": Shape((), config={"num_hidden_layers": 24, "num_attention_heads": 16, "hidden_size": 64}),
}


def save_family(name: str, folder: Path, **sizes: int) -> Path:
    """Writes the model to `folder` and gives it back. sizes: BertConfig fields that differ from the tiny ones."""
    shape = SHAPES[name]
    tokenizer = vocabulary(shape.vocabulary)
    tiny = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    fields: dict[str, Any] = {
        "vocab_size": tokenizer.vocab_size,
        "max_position_embeddings": 66,
        **tiny,
        **shape.config,
        **sizes,
    }
    config = BertConfig(**fields)
    model = Bert(config, shape.output_heads, pooler=shape.pooler, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(8)  # far from uniform, so that a swapped or transposed picture shows
    save_checkpoint(model, tokenizer, folder, name=folder.name)
    if shape.pooling:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    return folder


def vocabulary(kind: str) -> Tokenizer:
    if kind == "wordpiece":
        return Tokenizer.train(WORDS, 200)
    return Tokenizer(_byte_level() if kind == "byte-level" else _sentence_pieces(), lowercase=False)


def _byte_level() -> RawTokenizer:
    raw = RawTokenizer(BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special: list[str | AddedToken] = [*ROBERTA_NAMES, _mask("<mask>")]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = BpeTrainer(vocab_size=330, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    raw.train_from_iterator(WORDS, trainer)
    return raw


def _sentence_pieces() -> RawTokenizer:
    """Every word of the texts in one piece, and every letter."""
    words = sorted({word.strip(".").lower() for word in WORDS[0].split()})
    scored = [*((f"▁{word}", -3.0) for word in words), *((piece, -8.0) for piece in ("▁", *ascii_lowercase, ".", ","))]
    raw = RawTokenizer(Unigram([*((token, 0.0) for token in ALBERT_NAMES), *scored], unk_id=1))
    raw.normalizer = normalizers.Lowercase()
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    raw.add_special_tokens([*ALBERT_NAMES, _mask("[MASK]")])
    return raw


def _mask(token: str) -> AddedToken:
    """It stands for a word and the space before it, as in the published vocabularies."""
    return AddedToken(token, lstrip=True, normalized=False, special=True)
