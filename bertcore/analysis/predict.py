"""What a model predicts: the heads' logits without a trace, from logits to words and verdicts; and layer by layer.

The logit lens (nostalgebraist 2020), for an encoder: at which layer a prediction is settled. B texts, S tokens, L
layers, R chosen positions, V vocabulary. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_rows
from bertcore.errors import BertcoreError
from bertcore.model.hooks import NO_HOOK, Changes, Hook
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.analysis.passes import Batch
    from bertcore.model.bert import Bert

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class HeadOutputs:
    """What the pretraining heads say of one text; None where the model has no such head."""

    pooled: Floats | None  # (H)
    mlm_positions: NDArray[np.int64]  # (R) which rows mlm_logits has
    mlm_logits: Floats | None  # (R,V)
    next_sentence_logits: Floats | None  # (2) B follows A, B does not
    sentence_order_logits: Floats | None  # (2) A stands before B, they are swapped
    replaced_logits: Floats | None  # (S) above 0: the discriminator takes the token for a replaced one


@dataclass(frozen=True)
class WordGuess:
    token: str
    id: int
    probability: float


@dataclass(frozen=True)
class WordRank:
    """How a particular word fares: rank 1 is the likeliest; surprise is -log2 of its probability."""

    rank: int
    probability: float
    surprise_bits: float


@dataclass(frozen=True)
class NextSentence:
    """Probabilities that B follows A, and that it does not."""

    is_next: float
    not_next: float


@dataclass(frozen=True)
class SentenceOrder:
    """Probabilities that A stands before B in the text, and that they were swapped (Lan et al. 2020, section 3.1)."""

    in_order: float
    swapped: float


@dataclass(frozen=True)
class WordPath:
    """One word per position, through the layers; rank 1 is the likeliest."""

    probability: NDArray[np.float64]  # (L+1,R)
    rank: NDArray[np.int64]  # (L+1,R)


def softmax(logits: NDArray) -> NDArray[np.float64]:
    """Probabilities along the last axis, computed in double precision."""
    shifted = np.asarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def cut_off_mask(tokenizer: Tokenizer, encoding: Encoding) -> str | None:
    """A sentence where a [MASK] of the text lies behind what the model reads; None where it reads them all."""
    typed = f"{encoding.text_a} {encoding.text_b or ''}"
    written = sum(typed.count(mask) for mask in {MASK, tokenizer.mask_token or MASK})
    if not encoding.dropped or written <= encoding.ids.count(-1 if tokenizer.mask_id is None else tokenizer.mask_id):
        return None
    return (
        f"A [MASK] was cut off: the model reads {len(encoding):,} tokens of this text and not the last "
        f"{encoding.dropped:,}; shorten the text."
    )


def predict_heads(
    model: Bert, batch: Batch, positions: Sequence[Sequence[int]], changes: Changes | None = None
) -> list[HeadOutputs]:
    """What the heads say of each text (B), the words at its `positions`; by the fast path, keeping nothing else.

    BERT-base with 512 tokens takes 53 MiB so, and 556 with a trace. `changes` and errors as in `trace`.
    """
    import torch

    from bertcore.analysis.passes import changed

    with torch.inference_mode(), changed(model, changes) as hook:
        return head_outputs(model, batch, batch.hidden(model, hook), positions, hook)


def head_outputs(
    model: Bert, batch: Batch, hidden: Tensor, positions: Sequence[Sequence[int]], hook: Hook = NO_HOOK
) -> list[HeadOutputs]:
    """Last hidden states of a batch (B,S,H) -> what the heads say of each text, the words at its `positions`."""
    pooled = None if model.pooler is None else model.pool(hidden[:, 0], hook)  # (B,H)
    words = None if model.mlm is None else model.mlm_logits(hidden[batch.index(positions)], hook)  # (R,V)
    replaced = None if model.rtd is None else model.logits("rtd", hidden, hook)  # (B,S)
    following = None if model.nsp is None or pooled is None else hook("nsp.logits", model.nsp(pooled))  # (B,2)
    in_order = None if model.sop is None or pooled is None else hook("sop.logits", model.sop(pooled))  # (B,2)

    def of_row(values: Tensor | Sequence[Tensor] | None, row: int) -> Floats | None:
        return None if values is None else values[row].float().cpu().contiguous().numpy()

    each_words = None if words is None else words.split([len(each) for each in positions])  # B x (R,V)
    return [
        HeadOutputs(
            pooled=of_row(pooled, row),
            mlm_positions=np.array(positions[row], dtype=np.int64),
            mlm_logits=of_row(each_words, row),
            next_sentence_logits=of_row(following, row),
            sentence_order_logits=of_row(in_order, row),
            replaced_logits=None if replaced is None else of_row(replaced[:, :length], row),
        )
        for row, length in enumerate(batch.lengths)
    ]


def task_logits(model: Bert, hidden: NDArray) -> dict[str, NDArray[np.float32]]:
    """Last hidden states of one text (S,H) -> the logits of each head for a task, by its name.

    classify (K), tag (S,K), span (S,2) as start and end, choice (1), summarise (S).
    """
    import torch

    states = torch.from_numpy(np.ascontiguousarray(hidden)).to(model.embeddings.token.weight)[None]  # (1,S,H)
    heads = {kind.head: kind for kind in TASK_KINDS.values() if kind.head in model.output_heads}
    with torch.inference_mode():
        logits = {head: kind.arrange(head_logits(model, head, states), 1) for head, kind in heads.items()}
    return {head: values[0].float().cpu().numpy() for head, values in logits.items()}


def head_logits(model: Bert, head: str, hidden: Tensor, hook: Hook = NO_HOOK) -> Tensor:
    """Logits of any output head from last hidden states (B,S,H): (B,K) where it reads [CLS], else (B,S,K) or (B,S)."""
    firsts = {"nsp", "sop", *(kind.head for kind in TASK_KINDS.values() if kind.reads == "first")}
    return model.logits(head, hidden[:, 0] if head in firsts else hidden, hook)


def top_words(logits: NDArray, tokenizer: Tokenizer, k: int, among: Sequence[int] | None = None) -> list[WordGuess]:
    """The k likeliest words for one row of logits (V), likeliest first; with `among`, of these ids alone.

    Raises BertcoreError where k is not a number from 1 up.
    """
    if not isinstance(k, int | np.integer) or k < 1:
        raise BertcoreError(f"The number of words is 1 or more, not {k}.")
    probabilities = softmax(logits)
    if among is None:
        k = min(k, len(probabilities))
        best = np.argpartition(-probabilities, k - 1)[:k]
    else:
        best = np.array(among, dtype=np.int64)
    best = best[np.argsort(-probabilities[best], kind="stable")][:k]
    return [WordGuess(tokenizer.word(int(i)), int(i), float(probabilities[i])) for i in best]


def word_rank(logits: NDArray, token_id: int) -> WordRank:
    """Rank, probability and surprise of one word in a row of logits (V)."""
    probability = float(softmax(logits)[token_id])
    rank = int((logits > logits[token_id]).sum()) + 1
    return WordRank(rank, probability, float(-np.log2(max(probability, np.finfo(np.float64).tiny))))


def next_sentence(logits: NDArray) -> NextSentence:
    """Logits (2) of the next-sentence head as probabilities."""
    return NextSentence(*softmax(logits).tolist())


def sentence_order(logits: NDArray) -> SentenceOrder:
    """Logits (2) of the SOP head as probabilities."""
    return SentenceOrder(*softmax(logits).tolist())


def replaced_probabilities(logits: NDArray) -> NDArray[np.float64]:
    """Logits (S) of ELECTRA's discriminator -> the probability that each token was replaced (sigmoid)."""
    return 0.5 * (1 + np.tanh(np.asarray(logits, dtype=np.float64) / 2))


def layer_lens(model: Bert, hidden_states: NDArray, positions: Sequence[int]) -> NDArray[np.float32]:
    """A trace's hidden states (L+1,S,H) -> logits (L+1,R,V); the last layer's are the model's own.

    The head expects what the last layer gives. In a post-norm model every layer ends with a LayerNorm, and so do the
    embeddings; in a pre-norm model the final LayerNorm is put on all but the last, which has it already.
    Raises BertcoreError where there is no MLM head, or no such position.
    """
    import torch

    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so its layers cannot be read as words.")
    check_rows(positions, hidden_states.shape[1])
    weight = model.embeddings.token.weight
    with torch.inference_mode():
        hidden = torch.from_numpy(hidden_states[:, list(positions)]).to(weight)  # (L+1,R,H)
        if model.encoder.final_norm is not None:
            hidden = torch.cat([model.encoder.final_norm(hidden[:-1]), hidden[-1:]])
        return model.mlm_logits(hidden).float().cpu().numpy()


def follow_words(logits: NDArray, token_ids: Sequence[int]) -> WordPath:
    """How one word per position (R) fares through the layers: logits (L+1,R,V) -> its probability and rank."""
    own = np.asarray(token_ids, dtype=np.int64)[None, :, None]  # (1,R,1)
    its_logit = np.take_along_axis(logits, own, axis=-1)  # (L+1,R,1)
    probability = np.take_along_axis(softmax(logits), own, axis=-1)[..., 0]
    return WordPath(probability, (logits > its_logit).sum(axis=-1) + 1)
