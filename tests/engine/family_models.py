"""One small model of each family and norm, with everything that the analyses can meet."""

from typing import Any

from bertcore.analysis.passes import Text, as_text
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Encoding
from tests.engine.models import tiny_model, word_tokenizer

TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("The cat [MASK] very.", "It was comfortable!")  # 13 tokens, [MASK] at 3
MASKED = 3

SHAPES: dict[str, dict[str, Any]] = {
    "bert": {},
    "pre-norm": {"norm": "pre"},
    "roberta": {"model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1},
    "distilbert": {"model_type": "distilbert", "type_vocab_size": 0},
    "albert": {"model_type": "albert", "embedding_size": 16, "num_hidden_groups": 1},
    "electra": {"model_type": "electra", "embedding_size": 16},
}


def family_model(name: str) -> Bert:
    """Three layers of four heads, with an MLM head; a pooler only where BERT has one."""
    return tiny_model(("mlm",), pooler=name == "bert", num_hidden_layers=3, **SHAPES[name])


def segments_for(model: Bert, encoding: Encoding = PAIR) -> list[int]:
    """The encoding's segments as far as the model knows them."""
    return [min(segment, max(model.config.type_vocab_size - 1, 0)) for segment in encoding.segments]


def pair_text(model: Bert) -> Text:
    """PAIR as the model reads it."""
    return as_text(model, PAIR.ids, PAIR.segments)
