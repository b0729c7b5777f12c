"""What the room Evidence asks the worker about a collection. Importable without torch.

A question that was stopped goes on where it was. L layers, N heads, W words.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes
from bertcore.locations import built_in_checkpoint
from bertcore.progress import ReportProgress, no_progress, part_of

from ..look.say import mark, say
from .evidence import Gathered, Kept, Kind, Work, read_collection, shipped_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.calibration import Calibration
    from bertcore.evidence.examples import AnsweredExamples, Flip, Slice, TwoModels
    from bertcore.evidence.fires import Fires, Matters, UnitKind
    from bertcore.evidence.grammar import Direction, Grammar, RelationHead
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure
    from bertcore.evidence.intervals import Interval
    from bertcore.evidence.nearest import TokenIndex, Use, UseGroups
    from bertcore.evidence.probing import Probes
    from bertcore.evidence.pruning import Pruning
    from bertcore.evidence.scoring import Scored, TaskExamples

Part = Literal["head", "layer"]
Words = list[tuple[str, int]]  # and how often each
SEED = 0
MOST_PRUNED = 60  # rows that parts are taken out over, hundreds of times: drawn where there are more
RANDOM_EVERY = 3  # of the steps at which heads are taken out in random orders: all would take twice as long
MOST_LABELS = 24  # of a confusion matrix
NEAREST, GROUPS = 50, 3  # uses of a word
READING = 0.9  # the share of the work that making an index is


def heads_of(work: Work, measure: HeadMeasure) -> HeadEvidence:
    """One measure of every head over pairs (`evidence.heads`). Raises BertcoreError where none can be asked."""
    from bertcore.evidence.heads import heads_over_pairs

    file, pairs, done = work.gathered.name, work.gathered.collection, work.begun(measure)
    try:
        return heads_over_pairs(work.checkpoint, pairs, measure, shard=done, progress=work.progress)
    except BertcoreError as error:
        text = mark(
            "No pair of {file} can be asked: both words have to be single tokens of this vocabulary, and the two texts "
            "as long as each other, with different answers."
        )
        raise BertcoreError(say(text, file=file)) from error


@dataclass(frozen=True, eq=False)
class FoundGrammar:
    """A `Grammar`, and what is shown of it."""

    grammar: Grammar
    best: list[RelationHead]  # (R) the relations that are common enough, the largest gain first
    shares: NDArray[np.float64]  # (R,L,N) that each head finds of all sentences, in the direction of the best
    measured: NDArray[np.int64]  # the numbers of the sentences that the heads were measured on


def grammar_of(work: Work, direction: Direction | None) -> FoundGrammar:
    """All heads on all relations of a treebank (`evidence.grammar`), in one direction or the better one of both.

    Raises BertcoreError where no sentence can be read.
    """
    from bertcore.evidence.grammar import DIRECTIONS, grammar_of_heads
    from bertcore.evidence.intervals import halves

    file, trees = work.gathered.name, work.gathered.collection
    try:
        grammar = grammar_of_heads(work.checkpoint, trees, shard=work.begun(), progress=work.progress)
    except BertcoreError as error:
        text = mark("This model cannot read any sentence of {file} whole; choose another collection.")
        raise BertcoreError(say(text, file=file)) from error
    best = grammar.best_heads(direction)
    shares = np.zeros((len(best), *grammar.hits.shape[1:3]))
    for row, each in enumerate(best):
        hits = grammar.hits[grammar.relations == each.relation]
        shares[row] = hits[..., DIRECTIONS.index(each.direction)].mean(axis=0)
    measured = np.intersect1d(halves(len(trees), grammar.seed)[1], grammar.sentences)
    return FoundGrammar(grammar, best, shares, measured)


def looks_in_sentence(work: Work, number: int) -> NDArray[np.int16]:
    """(L,N,W): the other word that each word of one sentence attends to most."""
    import torch

    from bertcore.analysis.passes import Batch, as_text
    from bertcore.evidence.grammar import most_attended, tokens_of_words

    checkpoint, tree = work.checkpoint, work.gathered.collection.rows[number]
    model, encoding = checkpoint.model, checkpoint.tokenizer.encode(tree.text, max_length=checkpoint.config.max_length)
    with torch.inference_mode():
        batch = Batch.of([as_text(model, encoding.ids, encoding.segments)])
        return most_attended(model, batch, [tokens_of_words(encoding, tree)])[0]


def probes_of(work: Work) -> Probes:
    """What can be read off each layer (`evidence.probing`). Raises BertcoreError for fewer than four sentences."""
    from bertcore.evidence.probing import probe

    return probe(work.checkpoint, work.gathered.collection, seed=SEED, progress=work.progress)


def scored_rows(work: Work, most: int | None = None) -> Scored:
    """Labelled examples, or sentences with masked words. Raises BertcoreError where the model answers neither."""
    from bertcore.evidence.scoring import MaskedWords

    if work.gathered.source.kind == "examples":
        return task_examples(work, most)
    collection = work.gathered.collection
    return MaskedWords(work.checkpoint, replace(collection, rows=tuple(_drawn(collection.rows, most))), SEED)


def task_examples(work: Work, most: int | None = None) -> TaskExamples:
    """Raises BertcoreError for a model without a task, and for a file that does not fit its task."""
    from bertcore.evidence.scoring import TaskExamples
    from bertcore.tasks.kinds import TASK_KINDS
    from bertcore.tasks.predict import required_kind
    from bertcore.tasks.readers.reading import sample_folder, task_named
    from bertcore.training.task_files import data_of_run, examples_of_file

    checkpoint, file = work.checkpoint, work.gathered.source.file
    kind = TASK_KINDS[required_kind(checkpoint)]
    if file is None:
        learned = data_of_run(checkpoint.folder)
        folder = sample_folder(kind.tasks[0] if learned is None else task_named(learned.task))
        file = next(iter(sorted(folder.glob("dev.*"))), None) if folder is not None else None
        if file is None:
            raise BertcoreError(say("No sample ships for the task of this model; open a file of examples."))
    examples, digest = examples_of_file(checkpoint, str(file), None, {}), hashlib.sha256(read_bytes(file)).hexdigest()
    return TaskExamples(checkpoint, _drawn(examples, most), file.name, digest)


def _drawn(rows: Sequence[Any], most: int | None) -> Sequence[Any]:
    """In their order; so many, drawn, where there are more."""
    if most is None or len(rows) <= most:
        return rows
    return [rows[row] for row in np.sort(np.random.default_rng(SEED).permutation(len(rows))[:most]).tolist()]


def pruning_of(work: Work, part: Part) -> Pruning:
    """Heads or layers taken out, the least important first (`evidence.pruning`)."""
    from bertcore.evidence.pruning import prune

    every = RANDOM_EVERY if part == "head" else 1
    return prune(scored_rows(work, MOST_PRUNED), part, seed=SEED, random_every=every, progress=work.progress)


def save_pruned(work: Work, part: Part, count: int, folder: Path, _time: int) -> Path:
    """A checkpoint without the `count` least important parts. _time: how often a person has wanted one.

    Raises BertcoreError where it cannot be written, and for a folder that has something in it.
    """
    from bertcore.checkpoint.checkpoint import save_checkpoint

    if folder.is_dir() and any(folder.iterdir()):
        raise BertcoreError(say("{folder} is not empty; choose another folder, or make a new one.", folder=folder.name))
    model = work.ask(pruning_of, part).pruned(work.checkpoint.model, count)
    save_checkpoint(model, work.checkpoint.tokenizer, folder, name=folder.name)
    return folder


def calibration_of(work: Work) -> Calibration:
    """Of the likeliest word at each mask, or of the answers to a task (`evidence.calibration`)."""
    from bertcore.evidence.calibration import calibrate

    return calibrate(scored_rows(work).answers(progress=work.progress))


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
    from bertcore.evidence.examples import AnsweredExamples
    from bertcore.evidence.intervals import share_interval
    from bertcore.tasks.predict import confusion

    scored = task_examples(work)
    answers = scored.answers(progress=work.progress)
    answered, is_right = AnsweredExamples(scored, answers), answers.is_right
    labels = sorted({*answers.right, *answers.given})
    labels = labels if len(labels) <= MOST_LABELS else []
    right, crossed = share_interval(int(is_right.sum()), len(is_right)), confusion(answers.right, answers.given, labels)
    return FoundExamples(answered, answered.rows(), right, labels, crossed, answered.slices())


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
class FoundUses:
    """Other uses of a word, or of several side by side, after one layer. Values of uses are cosines."""

    word: str
    nearest: Sequence[Use]  # the nearest first
    same: Sequence[Use]  # of the word itself, the least alike first
    by_layer: Mapping[int, int]  # stage -> how many of the nearest are the word itself
    any_two: NDArray[np.float32]  # cosines of any two tokens, drawn at random
    groups: UseGroups | None  # None where the word is too rare
    tokens: int  # that were compared


def index_of(work: Work) -> TokenIndex:
    """Of all tokens, on disk; made where there is none yet. Raises BertcoreError where there is no room for it."""
    from bertcore.evidence.nearest import open_index

    return open_index(work.checkpoint, work.gathered.collection, progress=work.progress)


def uses_of(work: Work, texts: tuple[str, str | None], positions: tuple[int, ...], stage: int) -> FoundUses:
    """Of the tokens at some positions of a text (`evidence.nearest`). Raises BertcoreError for special tokens."""
    index, longest = work.ask(index_of, share=(0.0, READING)), work.checkpoint.config.max_length
    asked = index.ask(work.checkpoint.tokenizer.encode(*texts, max_length=longest), positions)
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


def fires_of(work: Work, kind: UnitKind, layer: int) -> Fires:
    """All units of a layer, in one pass (`evidence.fires`)."""
    from bertcore.evidence.fires import fires

    return fires(work.checkpoint, work.gathered.collection, layer, kind, progress=work.progress)


def unit_of(work: Work, kind: UnitKind, layer: int, unit: int | None) -> FoundUnit:
    """unit: None for the clearest one."""
    found = work.ask(fires_of, kind, layer, share=(0.0, READING))
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
    return Work(checkpoint, gathered, _kept, progress).ask(heads_of, "swap")


def shipped_grammar(checkpoint: Checkpoint, progress: ReportProgress) -> FoundGrammar:
    """What each head finds in the treebank."""
    return Work(checkpoint, _shipped("trees"), _kept, progress).ask(grammar_of, None)


@cache
def _shipped(kind: Kind) -> Gathered:
    return read_collection(shipped_source(kind), no_progress)
