"""One text in two models, two texts in one, or both: everything that can be compared, in one result.

"Other" is what ours is compared with: another model, another step of its training, another text.
L layers, N heads, S our tokens, P pairs of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.align import Alignment, align
from bertcore.analysis.compare import MatchedHeads, head_divergences, linear_cka, matched_heads, state_similarity
from bertcore.analysis.parameter_changes import MovedWord, PartChange, moved_words, parameter_changes
from bertcore.analysis.predict import cut_off_mask, next_sentence, top_words, word_rank
from bertcore.analysis.trace import Trace, trace
from bertcore.analysis.words import pieces_at
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.table import Records, Table
from bertcore.tasks.features.predictions import Prediction
from bertcore.tasks.inference.predict import as_example, task_kind
from bertcore.tokenizer.token_labels import SHOWN_SPACE
from bertcore.tokenizer.tokenizer import Encoding
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
    parameters: Records[PartChange] | None
    moved_words: Records[MovedWord] | None  # the farthest first; None also for another vocabulary
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
    texts = None if text is None else _compare_texts(ours, text, other or ours, other_text or text)
    if other is None:
        return Comparison(texts, None, None, [])
    parts, words, notes = compare_parameters(ours, other)
    return Comparison(texts, parts, words, notes)


def compare_parameters(
    ours: Checkpoint, other: Checkpoint
) -> tuple[Records[PartChange] | None, Records[MovedWord] | None, list[str]]:
    """What training changed, the words whose embedding moved, and sentences on why one or both cannot be said."""
    try:
        parts = Records(parameter_changes(other.model, ours.model))
    except BertcoreError as error:
        return None, None, [str(error)]
    if ours.tokenizer.raw.get_vocab() != other.tokenizer.raw.get_vocab():
        return parts, None, ["The models have different vocabularies, so no word can be said to have moved."]
    return parts, Records(moved_words(other.model, ours.model, ours.tokenizer)), []


def _compare_texts(ours: Checkpoint, text: Pair, other: Checkpoint, other_text: Pair) -> TextComparison:
    encodings = [
        checkpoint.tokenizer.encode(*each, max_length=checkpoint.config.max_length)
        for checkpoint, each in ((ours, text), (other, other_text))
    ]
    alignment = align(*encodings)
    masks = _masks(ours, encodings[0])
    paired = [(at, alignment.other_positions[at]) for at in masks]
    mask_pairs = [(at, place) for at, place in paired if place is not None]
    passes = [
        trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[pair[side] for pair in mask_pairs])
        for side, (checkpoint, encoding) in enumerate(zip((ours, other), encodings, strict=True))
    ]
    notes = [
        cut
        for checkpoint, encoding in zip((ours, other), encodings, strict=True)
        if (cut := cut_off_mask(checkpoint.tokenizer, encoding))
    ]
    here, there = passes
    heads, states, cka = Records[HeadChange](), None, None
    if alignment.sentence is not None:
        notes.append(alignment.sentence)
    else:
        heads = _head_changes(here, there, alignment, notes)
        hidden = here.hidden_states, there.hidden_states
        if hidden[0].shape[::2] == hidden[1].shape[::2]:
            states = state_similarity(*hidden, alignment)
        try:
            cka = linear_cka(*hidden, alignment)
        except BertcoreError as error:  # too few tokens
            notes.append(str(error))
    verdicts = [
        None if each.next_sentence_logits is None or not pair[1] else next_sentence(each.next_sentence_logits).is_next
        for each, pair in zip(passes, (text, other_text), strict=True)
    ]
    return TextComparison(
        tokens=encodings[0].tokens,
        other_tokens=encodings[1].tokens,
        alignment=alignment,
        heads=heads,
        states=states,
        cka=cka,
        words=Records(_word_changes(ours, other, encodings, passes, mask_pairs)),
        next_sentence=verdicts[0],
        other_next_sentence=verdicts[1],
        answer=_answer(ours, *text),
        other_answer=_answer(other, *other_text),
        notes=notes,
    )


def _head_changes(here: Trace, there: Trace, alignment: Alignment, notes: list[str]) -> Records[HeadChange]:
    """Each head and itself; in models of other shapes, each head and the most similar one."""
    if here.attentions.shape[:2] == there.attentions.shape[:2]:
        divergences = head_divergences(here.attentions, there.attentions, alignment)  # (L,N)
        own = np.indices(divergences.shape)
        matched = MatchedHeads(own[0], own[1], divergences)
    else:
        matched = matched_heads(here.attentions, there.attentions, alignment)
        notes.append("The models have other layers and heads, so each head is compared with the most similar one.")
    return Records(
        HeadChange(layer, head, int(other_layer), int(other_head), float(divergence))
        for (layer, head), other_layer, other_head, divergence in zip(
            np.ndindex(matched.layers.shape),
            matched.layers.flat,
            matched.heads.flat,
            matched.divergences.flat,
            strict=True,
        )
    )


def _masks(checkpoint: Checkpoint, encoding: Encoding) -> list[int]:
    return [at for at, token_id in enumerate(encoding.ids) if token_id == checkpoint.tokenizer.mask_id]


def _word_changes(
    ours: Checkpoint,
    other: Checkpoint,
    encodings: Sequence[Encoding],
    passes: Sequence[Trace],
    masks: Sequence[tuple[int, int]],
) -> Iterator[WordChange]:
    """The likeliest words of ours and of the other, at each mask by their probability in ours."""
    here, there = (each.mlm_logits for each in passes)  # (R,V) each
    if here is None or there is None:
        return
    for row, (position, other_position) in enumerate(masks):
        ids = {  # of ours -> the other's
            guess.id: _id_of(ours.tokenizer.label(guess.id), other, encodings[1], other_position)
            for guess in top_words(here[row], ours.tokenizer, TOP)
        }
        for guess in top_words(there[row], other.tokenizer, TOP):
            own = _id_of(other.tokenizer.label(guess.id), ours, encodings[0], position)
            if own is not None:
                ids[own] = guess.id
        ranks = [(own, word_rank(here[row], own), ids[own]) for own in ids]
        for own, rank, other_id in sorted(ranks, key=lambda each: each[1].rank):
            was = None if other_id is None else word_rank(there[row], other_id)
            yield WordChange(
                position=position,
                token=ours.tokenizer.label(own),
                probability=rank.probability,
                rank=rank.rank,
                other_probability=None if was is None else was.probability,
                other_rank=None if was is None else was.rank,
            )


def _id_of(word: str, checkpoint: Checkpoint, encoding: Encoding, position: int) -> int | None:
    """The word as one token of the model's vocabulary at this place; None where it is several."""
    try:
        ids = pieces_at(word.lstrip(SHOWN_SPACE), checkpoint.tokenizer, encoding, position)
    except BertcoreError:  # it cannot spell the word
        return None
    return ids[0] if len(ids) == 1 else None


def _answer(checkpoint: Checkpoint, text_a: str, text_b: str | None) -> Prediction | None:
    """What a fine-tuned model says; None for another one, and for a question without its passage."""
    kind = task_kind(checkpoint)
    if kind is None or (kind in ("span", "choice") and not (text_b or "").strip()):
        return None
    return predict_as_learned(checkpoint, [as_example(kind, text_a, text_b)])[0]
