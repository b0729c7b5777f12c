"""What the room Evidence asks the worker about a collection, besides what `m.evidence(...)` answers at once. Importable
without torch.

A question that was stopped goes on where it was. L layers, N heads, W words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint
from bertcore.progress import ReportProgress, no_progress, part_of

from ..look import mark, names, say
from .evidence import SEED, Gathered, Kept, Kind, Work, read_collection, shipped_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.examples import AnsweredExamples, Flip, Slice, TwoModels
    from bertcore.evidence.fires import Fires, Matters, UnitKind
    from bertcore.evidence.grammar import Direction, Grammar
    from bertcore.evidence.heads import HeadEvidence
    from bertcore.evidence.intervals import Interval
    from bertcore.evidence.nearest import TokenIndex, Use, UseGroups
    from bertcore.evidence.topics import Documents, Topics

Words = list[tuple[str, int]]  # and how often each
MOST_LABELS = 24  # of a confusion matrix
NEAREST, GROUPS = 50, 3  # uses of a word
READING = 0.9  # the share of the work that making an index is
NO_SAMPLE = mark("No sample ships for the task of this model; open a file of examples.")  # as the engine says it
UNASKABLE: dict[str, str] = names("no answer")  # why a method of `m.evidence(...)` has none


def answer_of(work: Work, method: str, *given: Any) -> Any:
    """What a method of `m.evidence(...)` answers. Raises BertcoreError where it cannot."""
    try:
        return getattr(work.about(method, *given), method)(*given)
    except BertcoreError as error:
        text = NO_SAMPLE if str(error) == NO_SAMPLE else UNASKABLE.get(method)
        if text is None:
            raise
        raise BertcoreError(say(text, file=work.gathered.name)) from error


def grammar_of(work: Work, direction: Direction | None) -> Grammar:
    """All heads on all relations of a treebank; another direction needs no other pass."""
    found: Grammar = work.ask(answer_of, "grammar")
    return found if direction is None else replace(found, direction=direction)


def looks_in_sentence(work: Work, number: int) -> NDArray[np.int16]:
    """(L,N,W): the other word that each word of one sentence attends to most."""
    from bertcore.evidence.grammar import looks_in

    return looks_in(work.checkpoint, work.gathered.collection.rows[number])


def save_pruned(work: Work, pruned: tuple[Any, ...], count: int, folder: Path, _time: int) -> Path:
    """A checkpoint without the `count` least important parts. pruned: what `m.evidence(...).prune` was given.
    _time: how often a person has wanted one.

    Raises BertcoreError where it cannot be written, and for a folder that has something in it.
    """
    from bertcore.checkpoint.checkpoint import save_checkpoint

    if folder.is_dir() and any(folder.iterdir()):
        raise BertcoreError(say("{folder} is not empty; choose another folder, or make a new one.", folder=folder.name))
    model = work.ask(answer_of, "prune", *pruned).pruned(work.checkpoint.model, count)
    save_checkpoint(model, work.checkpoint.tokenizer, folder, name=folder.name)
    return folder


@dataclass(frozen=True, eq=False)
class FoundExamples:
    """`AnsweredExamples`, and what takes time to be found in them. M examples, K labels."""

    answered: AnsweredExamples
    rows: Sequence[dict[str, Any]]  # (M)
    right: Interval
    labels: Sequence[str]  # right and given ones; none where there are too many to be crossed
    confusion: NDArray[np.int64]  # (K,K) rows: the right one, columns: the answer
    slices: Sequence[Slice]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many examples have each right answer."""
        return Counter(self.answered.answers.right)


def examples_of(work: Work) -> FoundExamples:
    """Raises BertcoreError for a model without a task, and for a file that does not fit its task."""
    from bertcore.evidence.intervals import share_interval

    answered: AnsweredExamples = answer_of(work, "examples")
    is_right, labels = answered.answers.is_right, answered.labels
    labels = labels if len(labels) <= MOST_LABELS else []
    right = share_interval(int(is_right.sum()), len(is_right))
    return FoundExamples(answered, answered.rows(), right, labels, answered.confusion(labels), answered.slices())


@dataclass(frozen=True, eq=False)
class FoundBeside:
    """What another model answers to the same examples."""

    both: TwoModels
    rows: Sequence[dict[str, Any]]  # (M) its answer, and whether that is right


def beside_of(work: Work) -> FoundBeside:
    """Two models on the same examples (`evidence.examples.two_models`)."""
    from bertcore.evidence.examples import two_models
    from bertcore.evidence.scoring import TaskExamples

    assert work.other is not None
    found = work.ask(examples_of, share=(0.0, 0.5))
    scored, step = found.answered.scored, part_of(work.progress, 0.5, 0.5)
    theirs = TaskExamples(work.other, scored.rows, scored.name, scored.sha256).answers(progress=step)
    answers = zip(theirs.given, theirs.is_right.tolist(), strict=True)
    rows = [{"other": given, "other_is_right": is_right} for given, is_right in answers]
    return FoundBeside(two_models(found.answered.answers, theirs, SEED), rows)


def flips_of(work: Work, number: int) -> Sequence[Flip]:
    """Changes of one word that change the answer to an example (`evidence.examples.flips`).

    Words are guessed by the model itself, or by the built-in one where it guesses none.
    """
    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.evidence.examples import flips

    checkpoint, found = work.checkpoint, work.ask(examples_of)
    guesses = checkpoint
    if "mlm" in checkpoint.missing:
        guesses = work.kept.get(checkpoint, "guesses", lambda: load_checkpoint(built_in_checkpoint()))
    return flips(checkpoint, found.answered.scored.rows[number], guesses, work.progress)


@dataclass(frozen=True, eq=False)
class FoundTopics:
    """Clusters of documents after one layer."""

    documents: Documents
    topics: Topics
    agreements: Sequence[float]  # (L+1) of clusters and labels; none where there are no labels


def topics_of(work: Work, clusters: int, stage: int) -> FoundTopics:
    """Raises BertcoreError for more clusters than there are different documents."""
    documents: Documents = work.ask(answer_of, "documents")
    return FoundTopics(documents, documents.topics(clusters, stage, SEED), work.ask(agreements_of, clusters))


def agreements_of(work: Work, clusters: int) -> Sequence[float]:
    agreements: Sequence[float] = work.ask(answer_of, "documents").agreements(clusters, SEED)
    return agreements


@dataclass(frozen=True, eq=False)
class FoundUses:
    """Other uses of a word, or of several side by side, after one layer. Values of uses are cosines."""

    word: str
    nearest: Sequence[Use]  # the nearest first
    same: Sequence[Use]  # of the word itself, the least alike first
    by_layer: Mapping[int, int]  # stage -> how many of the nearest are the word itself
    any_two: NDArray[np.float32]  # cosines of any two tokens, drawn at random
    groups: UseGroups | None  # None where the word is too rare
    tokens: int  # that were compared


def uses_of(work: Work, texts: tuple[str, str | None], positions: tuple[int, ...], stage: int) -> FoundUses:
    """Of the tokens at some positions of a text (`evidence.nearest`). Raises BertcoreError for special tokens."""
    index: TokenIndex = work.ask(answer_of, "index", share=(0.0, READING))
    asked = index.ask(work.checkpoint.encode(*texts), positions)
    same = list(index.same_word(asked, stage))[::-1]
    try:
        groups = index.groups(asked, stage, GROUPS)
    except BertcoreError:
        groups = None
    nearest, by_layer = index.nearest(asked, stage, NEAREST), index.same_by_layer(asked, NEAREST)
    return FoundUses(asked.word, nearest, same, by_layer, index.any_two(stage), groups, len(index.tokens.ids))


@dataclass(frozen=True, eq=False)
class FoundUnit:
    """What fires one unit of a layer. Values of uses are activations; of a head, the length of what it adds."""

    all: Fires  # all units of the layer
    unit: int
    strongest: Sequence[Use]
    at_random: Sequence[Use]
    before: Words  # of the strongest contexts
    own: Words
    after: Words
    matters: Matters | None  # None where the model guesses no words, or no word follows

    def count(self) -> int:
        """Of all tokens."""
        return int(self.all.bars[self.unit].sum())


def unit_of(work: Work, kind: UnitKind, layer: int, unit: int | None) -> FoundUnit:
    """unit: None for the clearest one."""
    found: Fires = work.ask(answer_of, "fires", layer, kind, share=(0.0, READING))
    chosen = found.order()[0] if unit is None else min(unit, len(found.top) - 1)
    try:
        matters = found.matters(chosen)
    except BertcoreError:
        matters = None
    before, own, after = (found.words(chosen, step) for step in (-1, 0, 1))
    uses = found.contexts(chosen), found.at_random(chosen)
    return FoundUnit(found, chosen, *uses, before, own, after, matters)


# What lessons ask of the collections that ship: worked out once for a model, whatever page wants it.

_kept = Kept()


def shipped_heads(checkpoint: Checkpoint, text: str, progress: ReportProgress) -> HeadEvidence:
    """What each head brings along, swapped in: over all pairs, or in the pair of this text alone.

    Raises BertcoreError where no pair has it.
    """
    gathered = _shipped("pairs")
    if text:
        rows = tuple(pair for pair in gathered.collection.rows if pair.text == text)
        if not rows:
            raise BertcoreError(say("“{text}” is none of the pairs that ship.", text=text))
        gathered = replace(gathered, name=text, sha256=text, collection=replace(gathered.collection, rows=rows))
    found: HeadEvidence = Work(checkpoint, gathered, _kept, progress).ask(answer_of, "heads", "swap")
    return found


def shipped_grammar(checkpoint: Checkpoint, progress: ReportProgress) -> Grammar:
    """What each head finds in the treebank."""
    return Work(checkpoint, _shipped("trees"), _kept, progress).ask(grammar_of, None)


@cache
def _shipped(kind: Kind) -> Gathered:
    return read_collection(shipped_source(kind), no_progress)
