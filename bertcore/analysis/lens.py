"""At which layer a prediction is settled: the MLM head on the hidden states of every layer.

The logit lens (nostalgebraist 2020), for an encoder. L layers, R chosen positions, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_rows
from bertcore.analysis.predict import WordGuess, softmax, top_words
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True)
class WordPath:
    """One word per position, through the layers; rank 1 is the likeliest."""

    probability: NDArray[np.float64]  # (L+1,R)
    rank: NDArray[np.int64]  # (L+1,R)


@torch.inference_mode()
def layer_lens(model: Bert, hidden_states: NDArray, positions: Sequence[int]) -> NDArray[np.float32]:
    """A trace's hidden states (L+1,S,H) -> logits (L+1,R,V); the last layer's are the model's own.

    The head expects what the last layer gives. In a post-norm model every layer ends with a LayerNorm, and so do the
    embeddings; in a pre-norm model the final LayerNorm is put on all but the last, which has it already.
    Raises BertcoreError where there is no MLM head, or no such position.
    """
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so its layers cannot be read as words.")
    check_rows(positions, hidden_states.shape[1])
    weight = model.embeddings.token.weight
    hidden = torch.from_numpy(hidden_states[:, list(positions)]).to(weight)  # (L+1,R,H)
    if model.encoder.final_norm is not None:
        hidden = torch.cat([model.encoder.final_norm(hidden[:-1]), hidden[-1:]])
    return model.mlm_logits(hidden).float().cpu().numpy()


def lens_words(logits: NDArray, tokenizer: Tokenizer, k: int = 1) -> list[list[list[WordGuess]]]:
    """The k likeliest words by layer and position: logits (L+1,R,V) -> [layer][position][place]."""
    return [[top_words(row, tokenizer, k) for row in layer] for layer in logits]


def follow_words(logits: NDArray, token_ids: Sequence[int]) -> WordPath:
    """How one word per position (R) fares through the layers: logits (L+1,R,V) -> its probability and rank."""
    own = np.asarray(token_ids, dtype=np.int64)[None, :, None]  # (1,R,1)
    its_logit = np.take_along_axis(logits, own, axis=-1)  # (L+1,R,1)
    probability = np.take_along_axis(softmax(logits), own, axis=-1)[..., 0]
    return WordPath(probability, (logits > its_logit).sum(axis=-1) + 1)
