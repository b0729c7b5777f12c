"""Small models and vocabularies for the engine's tests.

Weights are large and biases are not zero, so that a swapped, forgotten or transposed tensor shows in the numbers.
"""

import numpy as np
import torch

from bertcore.analysis.passes import as_text
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import BertConfig
from bertcore.model.bert import PRETRAINING, Bert
from bertcore.tasks.kinds.base import DecodeSettings
from bertcore.tasks.predict import by_unit
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

torch.set_num_threads(1)  # spinning threads of several test processes cost more than they give

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ("the", "cat", "dog", "sat", "on", "mat", "a", "bird", "sang", "very")
WORDS = (*WORDS, "comfort", "##able", "it", "was", ".", "!")
VOCABULARY = (*SPECIAL_TOKENS, *WORDS, *LETTERS[1:], *(f"##{letter}" for letter in LETTERS))


def word_tokenizer(lowercase=True):
    """A few words, and every letter, so that ordinary text is never [UNK]."""
    return Tokenizer(raw_from_words(VOCABULARY, lowercase), lowercase)


def tiny_config(**changes):
    values = {
        "vocab_size": len(VOCABULARY),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 40,
    }
    return BertConfig(**{**values, **changes})


def randomise(model, seed=0):
    """Every parameter, biases and LayerNorm too, far from where it starts."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.2)


def tiny_model(output_heads=PRETRAINING, pooler=True, seed=0, **changes):
    model = Bert(tiny_config(**changes), output_heads, pooler)
    for module in model.modules():
        if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
            torch.nn.init.zeros_(module.weight)
        if isinstance(module, torch.nn.Linear) and module.bias is not None:
            torch.nn.init.zeros_(module.bias)  # else drawn from the global generator, and the order of tests would tell
    randomise(model, seed)
    return model.eval().requires_grad_(False)


def tiny_checkpoint(folder, **changes):
    save_checkpoint(tiny_model(**changes), word_tokenizer(), folder)
    return folder


def random_batch(config, lengths, seed=0):
    """Ids, segments and attention mask (B,S), padded to the longest of `lengths`; padding is random ids, not zeros."""
    rng = np.random.default_rng(seed)
    shape = (len(lengths), max(lengths))
    ids = rng.integers(0, config.vocab_size, shape)
    segments = rng.integers(0, config.type_vocab_size, shape)
    mask = np.arange(shape[1]) < np.array(lengths)[:, None]
    return torch.tensor(ids), torch.tensor(segments), torch.tensor(mask.astype(np.int64))


def epoch_of(batches, epoch=0, first=0):
    """The batches of an epoch, from batch number `first` on."""
    return (batches.batch(units) for units in batches.order(epoch)[first:])


def decode(features, outputs, settings=None):
    """What is said of each example, from the units of each batch and its logits."""
    arrays = [(units, np.array(logits.tolist())) for units, logits in outputs]
    return list(features.kind.decode(features, by_unit(features, arrays), settings or DecodeSettings()))


# --- one small model of each family and norm, with everything that the analyses can meet

TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("The cat [MASK] very.", "It was comfortable!")  # 13 tokens, [MASK] at 3
MASKED = 3

SHAPES = {
    "bert": {},
    "pre-norm": {"norm": "pre"},
    "roberta": {"model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1},
    "distilbert": {"model_type": "distilbert", "type_vocab_size": 0},
    "albert": {"model_type": "albert", "embedding_size": 16, "num_hidden_groups": 1},
    "electra": {"model_type": "electra", "embedding_size": 16},
}


def family_model(name):
    """Three layers of four heads, with an MLM head; a pooler only where BERT has one."""
    return tiny_model(("mlm",), pooler=name == "bert", num_hidden_layers=3, **SHAPES[name])


def segments_for(model, encoding=PAIR):
    """The encoding's segments as far as the model knows them."""
    return [min(segment, max(model.config.type_vocab_size - 1, 0)) for segment in encoding.segments]


def pair_text(model):
    """PAIR as the model reads it."""
    return as_text(model, PAIR.ids, PAIR.segments)
