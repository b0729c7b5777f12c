"""What the room Evidence asks: collections are read, and what holds over all of them is measured.

Importable without torch: the window names what it wants on its own thread, and has it worked out on another. What was
worked out once stays in a `Kept`, so that a question that was stopped goes on where it was. L layers, N heads, W words.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.progress import ReportProgress, part_of

from ..look.say import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.config import BertConfig
    from bertcore.evidence.collection import Collection, Tree
    from bertcore.evidence.grammar import Grammar, RelationHead
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure

Kind = Literal["pairs", "trees", "sentences"]  # of the rows of a collection
Found = TypeVar("Found")
AT_ONCE = 256  # sentences, between which a question can be stopped without losing what is done
MOST_KEPT = 400  # parts of answers
GFLOP_PER_S = 40.0  # of one core, roughly: by this is estimated how long a question takes


@dataclass(frozen=True)
class Source:
    """Where a collection is from: a file, or lines that were typed."""

    kind: Kind
    file: Path | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gathered:
    """A collection that was read. Equal to another with the same text, whatever else it is."""

    name: str
    sha256: str
    collection: Collection[Any] = field(compare=False)
    words: int = field(compare=False)  # in all its texts, about

    def __len__(self) -> int:
        return len(self.collection)


def shipped_source(kind: Kind) -> Source:
    """The sample that ships."""
    return Source(kind, assets() / "evidence" / ("agreement.txt" if kind == "pairs" else "sentences.conllu"))


def read_collection(source: Source, _progress: ReportProgress) -> Gathered:
    """Raises BertcoreError for a file, or lines, that are no such collection."""
    from bertcore.evidence import collection as engine

    named = ((say("line {number}", number=i), line) for i, line in enumerate(source.lines, start=1))
    found: Collection[Any]
    if source.file is None and source.kind == "pairs":
        found = engine.typed_pairs(named)
    elif source.file is None:
        rows = tuple(engine.Sentence(line.strip(), place) for place, line in named if line.strip())
        found = engine.Collection(say("typed"), rows, hashlib.sha256("\n".join(source.lines).encode()).hexdigest())
    elif source.kind == "pairs":
        found = engine.read_pairs(source.file)
    elif source.kind == "trees" or source.file.name.endswith(".conllu"):
        found = engine.read_treebank(source.file)
    else:
        found = engine.read_sentences(source.file)
    return Gathered(found.name, found.sha256, found, sum(len(row.text.split()) for row in found.rows))


class Kept:
    """What the worker has found for one model, by what was asked: another model's takes its place."""

    def __init__(self) -> None:
        self._model: weakref.ref[Checkpoint] | None = None
        self._found: dict[Hashable, Any] = {}

    def get(self, checkpoint: Checkpoint, key: Hashable, find: Callable[[], Found]) -> Found:
        """What is known of `key`, or is found now."""
        if self._model is None or self._model() is not checkpoint:
            self._model = weakref.ref(checkpoint)
            self._found.clear()
        if key not in self._found:
            self._found[key] = find()
            for old in list(self._found)[: max(len(self._found) - MOST_KEPT, 0)]:
                del self._found[old]
        found: Found = self._found[key]
        return found


def heads_of(
    checkpoint: Checkpoint, gathered: Gathered, measure: HeadMeasure, kept: Kept, progress: ReportProgress
) -> HeadEvidence:
    """One measure of every head over pairs (`evidence.heads`). Raises BertcoreError where none can be asked."""
    from bertcore.evidence.heads import heads_over_pairs

    def find() -> HeadEvidence:
        try:
            return heads_over_pairs(checkpoint, gathered.collection, measure, progress=progress)
        except BertcoreError as error:
            text = say(
                "No pair of {file} can be asked: both words have to be single tokens of this vocabulary, and the two "
                "texts as long as each other, with different answers.",
                file=gathered.name,
            )
            raise BertcoreError(text) from error

    return kept.get(checkpoint, (gathered, measure), find)


@dataclass(frozen=True, eq=False)
class FoundGrammar:
    """A `Grammar`, and what is shown of it."""

    grammar: Grammar
    best: list[RelationHead]  # (R) the relations that are common enough, the largest gain first
    shares: NDArray[np.float64]  # (R,L,N) that each head finds of all sentences, in the direction of the best
    measured: NDArray[np.int64]  # the numbers of the sentences that the heads were measured on


def grammar_of(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> FoundGrammar:
    """All heads on all relations of a treebank (`evidence.grammar`), some hundred sentences at a time.

    Raises BertcoreError where no sentence can be read.
    """
    from bertcore.evidence.grammar import DIRECTIONS, grammar_of_heads
    from bertcore.evidence.intervals import halves

    collection: Collection[Tree] = gathered.collection
    parts: list[tuple[int, Grammar]] = []
    total = len(collection)
    problem: BertcoreError | None = None
    for start in range(0, total, AT_ONCE):
        rows = collection.rows[start : start + AT_ONCE]
        report = part_of(progress, start / total, len(rows) / total)
        some = replace(collection, rows=rows)

        def find(some: Collection[Tree] = some, report: ReportProgress = report) -> Grammar:
            return grammar_of_heads(checkpoint, some, progress=report)

        try:
            parts.append((start, kept.get(checkpoint, (gathered, start), find)))
        except BertcoreError as error:
            problem = error
        progress((start + len(rows)) / total)
    if not parts:
        text = say(
            "This model cannot read any sentence of {file} whole; choose another collection.", file=gathered.name
        )
        raise BertcoreError(text) from problem
    numbers = np.concatenate([part.sentences + start for start, part in parts])
    grammar = replace(
        parts[0][1],
        collection=collection,
        hits=np.concatenate([part.hits for _, part in parts]),
        relations=np.concatenate([part.relations for _, part in parts]),
        sentences=numbers,
        distances=np.concatenate([part.distances for _, part in parts]),
    )
    best = grammar.best_heads()
    shares = []
    for each in best:
        hits = grammar.hits[grammar.relations == each.relation]
        shares.append(hits[..., DIRECTIONS.index(each.direction)].mean(axis=0))
    found = np.stack(shares) if shares else np.zeros((0, *grammar.hits.shape[1:3]))
    return FoundGrammar(grammar, best, found, np.intersect1d(halves(total, grammar.seed)[1], numbers))


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
