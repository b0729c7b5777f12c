"""The peer: `transformers`' BertForPreTraining with the very weights of one of our models."""

import logging
import tempfile
from pathlib import Path

import torch
from torch import nn

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import Bert
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

logging.getLogger("transformers").setLevel(logging.ERROR)


def random_model(preset: str, vocab_size: int, dropout: float) -> Bert:
    config = BertConfig.preset(
        preset, vocab_size=vocab_size, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout
    )
    return Bert(config, generator=torch.Generator().manual_seed(0))


def same_in_transformers(model: Bert, attention: str) -> nn.Module:
    """Written by us and read by `transformers`, so that both start from the same numbers."""
    from transformers import BertForPreTraining

    words = [*SPECIAL_TOKENS, *(f"w{i}" for i in range(model.config.vocab_size - len(SPECIAL_TOKENS)))]
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(model, Tokenizer(raw_from_words(words)), Path(folder))
        peer: nn.Module = BertForPreTraining.from_pretrained(folder, attn_implementation=attention)
        return peer
