"""What the room Evidence is about: collections of texts, and what the worker keeps of its answers about them.

Importable without torch: the window names what it wants on its own thread, and has it worked out on another
(`evidence_questions`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from bertcore.files import read_bytes
from bertcore.locations import assets, sample_corpus
from bertcore.progress import ReportProgress, part_of

from ..look import say

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.config import BertConfig
    from bertcore.evidence.asking import Evidence
    from bertcore.evidence.collection import Collection

Kind = Literal["pairs", "trees", "sentences", "examples", "documents"]  # of the rows of a collection
Found = TypeVar("Found")
SAMPLED = 500  # rows of the sample of sentences
MOST_KEPT = 60
SEED = 0
GFLOP_PER_S = 40.0  # of one core, roughly: by this is estimated how long a question takes


@dataclass(frozen=True)
class Source:
    """Where a collection is from: a file, or lines that were typed."""

    kind: Kind
    file: Path | None = None  # None of examples: the sample that ships for the task of the model
    first: int | None = None  # only so many of its rows
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gathered:
    """A collection that was read. Equal to another with the same text, whatever else it is."""

    source: Source = field(compare=False)
    name: str
    sha256: str
    collection: Collection[Any] = field(compare=False)  # of labelled examples no rows: the model's task reads them
    words: int = field(compare=False)  # in all its texts, about

    def __len__(self) -> int:
        return len(self.collection)


def shipped_source(kind: Kind) -> Source:
    """The sample that ships."""
    if kind == "examples":
        return Source(kind)
    if kind == "sentences":
        return Source(kind, sample_corpus(), SAMPLED)
    if kind == "documents":
        return Source(kind, assets() / "tasks" / "topics" / "train.csv")
    return Source(kind, assets() / "evidence" / ("agreement.txt" if kind == "pairs" else "sentences.conllu"))


def read_collection(source: Source, _progress: ReportProgress) -> Gathered:
    """Raises BertcoreError for a file, or lines, that are no such collection."""
    from bertcore.evidence.collection import Collection, read_documents, read_pairs, read_sentences, read_treebank

    if source.kind == "examples":
        content = b"" if source.file is None else read_bytes(source.file)
        name = say("built-in examples") if source.file is None else source.file.name
        empty = Collection[Any](name, (), sha256(content).hexdigest())
        return Gathered(source, name, empty.sha256, empty, len(content) // 6)
    read: dict[Kind, Callable[..., Any]] = {
        "pairs": read_pairs,
        "trees": read_treebank,
        "sentences": read_sentences,
        "documents": read_documents,
    }
    found: Collection[Any] = read[source.kind](source.lines if source.file is None else source.file)
    if source.first is not None and len(found) > source.first:
        name = say("{name}, the first {count}", name=found.name, count=source.first)
        found = replace(found.first(source.first), name=name)
    return Gathered(source, found.name, found.sha256, found, sum(len(row.text.split()) for row in found.rows))


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


@dataclass(frozen=True)
class Work:
    """What a question about a collection is given, before what else it is asked."""

    checkpoint: Checkpoint
    gathered: Gathered
    kept: Kept
    progress: ReportProgress
    other: Checkpoint | None = None  # another model, beside which this one is measured

    def ask(self, function: Callable[..., Found], *asked: Hashable, share: tuple[float, float] = (0.0, 1.0)) -> Found:
        """What `function(work, *asked)` has answered before, or answers now. share: where in the progress it is."""
        work = replace(self, progress=part_of(self.progress, *share))
        return self.kept.get(self.checkpoint, (function, self.gathered, *asked), lambda: function(work, *asked))

    def about(self, *asked: Hashable) -> Evidence:
        """The model, to be asked this about the collection. What was stopped goes on where it was."""
        from bertcore.evidence.asking import Evidence
        from bertcore.evidence.shards import Shard

        shard, about = self.kept.get(self.checkpoint, (self.gathered, *asked), Shard), self.gathered
        source = about.source.file if about.source.kind == "examples" else about.collection
        return Evidence(self.checkpoint, source, SEED, shard=shard, progress=self.progress)


def answer(checkpoint: Checkpoint, *given: Any) -> Any:
    """given: another model, if any; a question, what it is asked, the collection, what is kept, and the progress."""
    *other, function, asked, gathered, kept, progress = given
    work = Work(checkpoint, gathered, kept, progress, *other)
    return function(work, *asked) if other else work.ask(function, *asked)


def seconds_for(gathered: Gathered, config: BertConfig, passes: float) -> float:
    """About how long reading a collection takes. passes: how often each text is read."""
    width = config.hidden_size
    parameters = config.num_hidden_layers * width * (4 * width + 2 * config.intermediate_size)
    tokens = 1.3 * gathered.words + 2 * len(gathered)
    return 2 * parameters * tokens * passes / (GFLOP_PER_S * 1e9)
