"""One text in two models, two texts in one, or both: everything that can be compared, in one result.

"Other" is what ours is compared with: another model, another step of its training, another text.
L layers, N heads, S our tokens, P pairs of tokens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis import compare as analysis
from bertcore.analysis.align import Alignment, align
from bertcore.analysis.predict import cut_off_mask, next_sentence, top_words, word_rank
from bertcore.analysis.trace import Trace, trace
from bertcore.analysis.words import pieces_at
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.table import Records, Table
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import Prediction
from bertcore.tasks.predict import as_example, task_kind
from bertcore.tokenizer.special_tokens import SHOWN_SPACE
from bertcore.training.task_files import predict_as_learned

TOP = 5  # words for each mask, of ours and of the other


@dataclass(frozen=True)
class HeadChange:
    """How far a head's attention is from that of the other pass. All count from 0."""

    layer: int
    head: int
    other_layer: int  # its own; in a model of another shape, of the most similar head
    other_head: int
    divergence_bits: float  # Jensen-Shannon: 0 the same, 1 nothing in common


@dataclass(frozen=True)
class WordChange:
    """One word for a [MASK] in both. None: the other vocabulary does not have it as one token."""

    position: int
    token: str
    probability: float
    rank: int
    other_probability: float | None
    other_rank: int | None


@dataclass(frozen=True, eq=False, repr=False)
class TextComparison(Table):
    """Two passes. What cannot be compared is None, and `notes` says why."""

    tokens: list[str]  # (S)
    other_tokens: list[str]
    alignment: Alignment
    heads: Records[HeadChange]  # in the order of the model; empty where no tokens can be compared
    states: NDArray[np.float64] | None  # (L+1,P) cosine of each pair of tokens
    cka: NDArray[np.float64] | None  # (L+1,L'+1) similarity of the layers
    words: Records[WordChange]  # for each [MASK] that both have, the likeliest of either, by probability
    next_sentence: float | None  # probability that B follows A
    other_next_sentence: float | None
    answer: Prediction | None  # of a fine-tuned model
    other_answer: Prediction | None
    notes: list[str]

    def __repr__(self) -> str:
        tokens = f"{len(self.tokens)} tokens and {len(self.other_tokens)}"
        return f"<{tokens}: {len(self.heads)} heads, {len(self.words)} words>"

    def rows(self) -> list[dict[str, Any]]:
        """The heads."""
        return self.heads.rows()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Table):
    """`text` is None where no text was given, `parameters` and `moved_words` where the model is the same."""

    text: TextComparison | None
    parameters: Records[analysis.PartChange] | None
    moved_words: Records[analysis.MovedWord] | None  # the farthest first; None also for another vocabulary
    notes: list[str]

    def __repr__(self) -> str:
        parts = "" if self.parameters is None else f", {len(self.parameters)} parts of the model"
        return f"<comparison: {self.text or 'no text'}{parts}>"

    def rows(self) -> list[dict[str, Any]]:
        """The heads of the text, or without one the parts of the model."""
        return self.text.rows() if self.text is not None else [] if self.parameters is None else self.parameters.rows()


Pair = tuple[str, str | None]  # the texts A and B


def compare(
    ours: Checkpoint, other: Checkpoint | None = None, text: Pair | None = None, other_text: Pair | None = None
) -> Comparison:
    """Ours with another model, with another text, or with both. Absent, model and text are the same.

    Raises BertcoreError where there is nothing to compare with, and where a model cannot read its text.
    """
    if other is None and other_text is None:
        raise BertcoreError("There is nothing to compare with; name another model, a step of its run, or another text.")
    if text is None and other_text is not None:
        raise BertcoreError("There is no text to compare with the other one; give both.")
    texts = None if text is None else _compare_texts(_Side(ours, text), _Side(other or ours, other_text or text))
    if other is None:
        return Comparison(texts, None, None, [])
    parts, words, notes = compare_parameters(ours, other)
    return Comparison(texts, parts, words, notes)


def compare_parameters(
    ours: Checkpoint, other: Checkpoint
) -> tuple[Records[analysis.PartChange] | None, Records[analysis.MovedWord] | None, list[str]]:
    """What training changed, the words whose embedding moved, and sentences on why one or both cannot be said."""
    try:
        parts = Records(analysis.parameter_changes(other.model, ours.model))
    except BertcoreError as error:
        return None, None, [str(error)]
    if ours.tokenizer.raw.get_vocab() != other.tokenizer.raw.get_vocab():
        return parts, None, ["The models have different vocabularies, so no word can be said to have moved."]
    return parts, Records(analysis.moved_words(other.model, ours.model, ours.tokenizer)), []


class _Side:
    """One text, for one model."""

    def __init__(self, checkpoint: Checkpoint, text: Pair) -> None:
        self.checkpoint, self.tokenizer, self.text = checkpoint, checkpoint.tokenizer, text
        self.encoding = checkpoint.tokenizer.encode(*text, max_length=checkpoint.config.max_length)

    def read(self, masks: Sequence[int]) -> Trace:
        """With the word logits at these positions."""
        return trace(self.checkpoint.model, self.encoding.ids, self.encoding.segments, mlm_positions=masks)

    def verdict(self, read: Trace) -> float | None:
        """Probability that B follows A; None without B or NSP head."""
        logits = read.next_sentence_logits
        return None if logits is None or not self.text[1] else next_sentence(logits).is_next

    def id_of(self, word: str, position: int) -> int | None:
        """The word as one token of the vocabulary at this place; None where it is several."""
        try:
            ids = pieces_at(word.lstrip(SHOWN_SPACE), self.tokenizer, self.encoding, position)
        except BertcoreError:  # it cannot spell the word
            return None
        return ids[0] if len(ids) == 1 else None


def _compare_texts(ours: _Side, other: _Side) -> TextComparison:
    alignment = align(ours.encoding, other.encoding)
    masks = [pair for pair in alignment.pairs if ours.encoding.ids[pair[0]] == ours.tokenizer.mask_id]
    here, there = ours.read([at for at, _ in masks]), other.read([at for _, at in masks])
    notes = [cut for side in (ours, other) if (cut := cut_off_mask(side.tokenizer, side.encoding))]
    heads, states, cka = Records[HeadChange](), None, None
    if alignment.sentence is not None:
        notes.append(alignment.sentence)
    else:
        matched = analysis.matched_heads(here.attentions, there.attentions, alignment)
        if here.attentions.shape[:2] != there.attentions.shape[:2]:
            notes.append("The models have other layers and heads, so each head is compared with the most similar one.")
        heads.extend(
            HeadChange(at[0], at[1], int(matched.layers[at]), int(matched.heads[at]), float(matched.divergences[at]))
            for at in np.ndindex(*matched.layers.shape)
        )
        hidden = here.hidden_states, there.hidden_states
        if hidden[0].shape[::2] == hidden[1].shape[::2]:
            states = analysis.state_similarity(*hidden, alignment)
        try:
            cka = analysis.linear_cka(*hidden, alignment)
        except BertcoreError as error:  # too few tokens
            notes.append(str(error))
    return TextComparison(
        tokens=ours.encoding.tokens,
        other_tokens=other.encoding.tokens,
        alignment=alignment,
        heads=heads,
        states=states,
        cka=cka,
        words=Records(_word_changes(ours, other, here, there, masks)),
        next_sentence=ours.verdict(here),
        other_next_sentence=other.verdict(there),
        answer=_answer(ours.checkpoint, *ours.text),
        other_answer=_answer(other.checkpoint, *other.text),
        notes=notes,
    )


def _word_changes(
    ours: _Side, other: _Side, here: Trace, there: Trace, masks: Sequence[tuple[int, int]]
) -> Iterator[WordChange]:
    """The likeliest words of ours and of the other, at each mask by their probability in ours."""
    if here.mlm_logits is None or there.mlm_logits is None:  # (R,V) each
        return
    for (position, other_position), own, others in zip(masks, here.mlm_logits, there.mlm_logits, strict=True):
        ids = {  # of ours -> the other's
            guess.id: other.id_of(ours.tokenizer.label(guess.id), other_position)
            for guess in top_words(own, ours.tokenizer, TOP)
        }
        for guess in top_words(others, other.tokenizer, TOP):
            token_id = ours.id_of(other.tokenizer.label(guess.id), position)
            if token_id is not None:
                ids[token_id] = guess.id
        for rank, token_id in sorted(((word_rank(own, each), each) for each in ids), key=lambda each: each[0].rank):
            other_id = ids[token_id]
            was = None if other_id is None else word_rank(others, other_id)
            before = (None, None) if was is None else (was.probability, was.rank)
            yield WordChange(position, ours.tokenizer.label(token_id), rank.probability, rank.rank, *before)


def _answer(checkpoint: Checkpoint, text_a: str, text_b: str | None) -> Prediction | None:
    """What a fine-tuned model says; None for another one, and for a question without its passage."""
    kind = task_kind(checkpoint)
    if kind is None or (TASK_KINDS[kind].needs_b and not (text_b or "").strip()):
        return None
    return predict_as_learned(checkpoint, [as_example(kind, text_a, text_b)])[0]
