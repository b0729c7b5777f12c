"""What the room Evidence asks: collections are read, and what holds over all of them is measured.

Importable without torch: the window names what it wants on its own thread, and has it worked out on another. What was
worked out once stays in a `Kept`, so that a question that was stopped goes on where it was. L layers, N heads, W words.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes
from bertcore.locations import assets, sample_corpus
from bertcore.progress import ReportProgress

from ..look.say import mark, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.config import BertConfig
    from bertcore.evidence.collection import Collection
    from bertcore.evidence.grammar import Grammar, RelationHead
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure

Kind = Literal["pairs", "trees", "sentences", "examples"]  # of the rows of a collection
Found = TypeVar("Found")
SAMPLED = 500  # rows of the sample of sentences
MOST_KEPT = 60
GFLOP_PER_S = 40.0  # of one core, roughly: by this is estimated how long a question takes


@dataclass(frozen=True)
class Source:
    """Where a collection is from: a file, or lines that were typed."""

    kind: Kind
    file: Path | None = None
    first: int | None = None  # only so many of its rows
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskFile:
    """Labelled examples, which the task of the model says how to read. None: the sample that ships for that task."""

    file: Path | None
    rows: tuple[()] = ()
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class Gathered:
    """A collection that was read. Equal to another with the same text, whatever else it is."""

    name: str
    sha256: str
    collection: Any = field(compare=False)  # Collection, or TaskFile
    words: int = field(compare=False)  # in all its texts, about

    def __len__(self) -> int:
        return len(self.collection)


def shipped_source(kind: Kind) -> Source:
    """The sample that ships."""
    if kind == "examples":
        return Source(kind)
    if kind == "sentences":
        return Source(kind, sample_corpus(), SAMPLED)
    return Source(kind, assets() / "evidence" / ("agreement.txt" if kind == "pairs" else "sentences.conllu"))


def read_collection(source: Source, _progress: ReportProgress) -> Gathered:
    """Raises BertcoreError for a file, or lines, that are no such collection."""
    from bertcore.evidence.collection import Collection, read_pairs, read_sentences, read_treebank

    if source.kind == "examples":
        content = b"" if source.file is None else read_bytes(source.file)
        name = say("sample that ships") if source.file is None else source.file.name
        words = len(content) // 6
        return Gathered(name, hashlib.sha256(content).hexdigest(), TaskFile(source.file), words)
    given: Path | tuple[str, ...] = source.lines if source.file is None else source.file
    found: Collection[Any]
    if source.kind == "pairs":
        found = read_pairs(given)
    else:
        found = read_treebank(given) if source.kind == "trees" else read_sentences(given)
    if source.first is not None and len(found) > source.first:
        name = say("{name}, the first {count}", name=found.name, count=source.first)
        digest = hashlib.sha256(f"{found.sha256} {source.first}".encode()).hexdigest()
        found = Collection(name, found.rows[: source.first], digest, found.left_out)
    return Gathered(found.name, found.sha256, found, sum(len(row.text.split()) for row in found.rows))


class Kept:
    """What the worker has found for one model, by what was asked: another model's takes its place.

    It stands in the key of a question, which must not keep a model alive: what was found is in a table of this module.
    """

    def __init__(self) -> None:
        self._model: weakref.ref[Checkpoint] | None = None

    def get(self, checkpoint: Checkpoint, key: Hashable, make: Callable[[], Found]) -> Found:
        """What is kept of `key`, or is made now."""
        if self._model is None or self._model() is not checkpoint:
            self._model = weakref.ref(checkpoint)
            self.clear()
        kept = _FOUND.setdefault(self, {})
        if key in kept:
            known: Found = kept[key]
            return known
        found = kept[key] = make()
        if len(kept) > MOST_KEPT:
            kept.pop(next(iter(kept)), None)
        return found

    def clear(self) -> None:
        """Another model is open: what is kept may hold the one before."""
        _FOUND.pop(self, None)


_FOUND: weakref.WeakKeyDictionary[Kept, dict[Hashable, Any]] = weakref.WeakKeyDictionary()


def heads_of(
    checkpoint: Checkpoint, gathered: Gathered, measure: HeadMeasure, kept: Kept, progress: ReportProgress
) -> HeadEvidence:
    """One measure of every head over pairs (`evidence.heads`). Raises BertcoreError where none can be asked."""
    from bertcore.evidence.heads import heads_over_pairs
    from bertcore.evidence.shards import Shard

    done = kept.get(checkpoint, (gathered, measure), Shard)
    try:
        return heads_over_pairs(checkpoint, gathered.collection, measure, shard=done, progress=progress)
    except BertcoreError as error:
        text = mark(
            "No pair of {file} can be asked: both words have to be single tokens of this vocabulary, and the two texts "
            "as long as each other, with different answers."
        )
        raise BertcoreError(say(text, file=gathered.name)) from error


@dataclass(frozen=True, eq=False)
class FoundGrammar:
    """A `Grammar`, and what is shown of it."""

    grammar: Grammar
    best: list[RelationHead]  # (R) the relations that are common enough, the largest gain first
    shares: NDArray[np.float64]  # (R,L,N) that each head finds of all sentences, in the direction of the best
    measured: NDArray[np.int64]  # the numbers of the sentences that the heads were measured on


def grammar_of(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> FoundGrammar:
    """All heads on all relations of a treebank (`evidence.grammar`). Raises BertcoreError where none can be read."""
    from bertcore.evidence.grammar import DIRECTIONS, grammar_of_heads
    from bertcore.evidence.intervals import halves
    from bertcore.evidence.shards import Shard

    done = kept.get(checkpoint, gathered, Shard)
    try:
        grammar = grammar_of_heads(checkpoint, gathered.collection, shard=done, progress=progress)
    except BertcoreError as error:
        text = mark("This model cannot read any sentence of {file} whole; choose another collection.")
        raise BertcoreError(say(text, file=gathered.name)) from error
    best = grammar.best_heads()
    of_relation = (grammar.hits[grammar.relations == each.relation].mean(axis=0) for each in best)  # (L,N,2) each
    shares = [hits[..., DIRECTIONS.index(each.direction)] for each, hits in zip(best, of_relation, strict=True)]
    shape = len(best), *grammar.hits.shape[1:3]
    measured = np.intersect1d(halves(len(gathered), grammar.seed)[1], grammar.sentences)
    return FoundGrammar(grammar, best, np.array(shares).reshape(shape), measured)


def looks_in_sentence(
    checkpoint: Checkpoint, gathered: Gathered, number: int, _kept: Kept, _progress: ReportProgress
) -> NDArray[np.int16]:
    """(L,N,W): the other word that each word of one sentence attends to most."""
    import torch

    from bertcore.analysis.passes import Batch, as_text
    from bertcore.evidence.grammar import most_attended, tokens_of_words

    model, tree = checkpoint.model, gathered.collection.rows[number]
    encoding = checkpoint.tokenizer.encode(tree.text, max_length=checkpoint.config.max_length)
    with torch.inference_mode():
        batch = Batch.of([as_text(model, encoding.ids, encoding.segments)])
        return most_attended(model, batch, [tokens_of_words(encoding, tree)])[0]


def seconds_for(gathered: Gathered, config: BertConfig, passes: float) -> float:
    """About how long reading a collection takes. passes: how often each text is read."""
    width = config.hidden_size
    parameters = config.num_hidden_layers * width * (4 * width + 2 * config.intermediate_size)
    tokens = 1.3 * gathered.words + 2 * len(gathered)
    return 2 * parameters * tokens * passes / (GFLOP_PER_S * 1e9)
