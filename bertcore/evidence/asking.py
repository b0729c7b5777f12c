"""`m.evidence(...)`: a model asked about a collection, from Python and the shell; all results are tables."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_numbers
from bertcore.analysis.vectors import word_positions
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.calibration import Calibration, binned, calibration_of
from bertcore.evidence.collection import (
    Collection,
    Document,
    Pair,
    R,
    Sentence,
    Source,
    Tree,
    read_documents,
    read_pairs,
    read_sentences,
    read_treebank,
)
from bertcore.evidence.examples import AnsweredExamples
from bertcore.evidence.fires import Fires, UnitKind, fires
from bertcore.evidence.grammar import Direction, Grammar, grammar_of_heads
from bertcore.evidence.heads import HeadEvidence, HeadMeasure, heads_over_pairs
from bertcore.evidence.intervals import drawn
from bertcore.evidence.nearest import (
    ENOUGH,
    INDEXED,
    TokenIndex,
    Use,
    ask,
    nearest_first,
    nearest_of,
    open_index,
    uses_of,
)
from bertcore.evidence.probing import MOST_WORDS, Probes, TreeProbes, probe, probe_trees
from bertcore.evidence.pruning import RANDOM_ORDERS, Part, Pruning, prune
from bertcore.evidence.scoring import Answers, MaskedWords, Scored, TaskExamples
from bertcore.evidence.shards import ROWS, Arrays, Shard, summed
from bertcore.evidence.topics import Documents, Topics
from bertcore.progress import ReportProgress, progress_bar
from bertcore.table import Records, Table
from bertcore.tasks.predict import task_kind
from bertcore.tasks.spec import Role

T = TypeVar("T", bound=Table)


@dataclass
class Evidence:
    """What a model does over a collection: a file, lines, or rows that have been read; None: the labelled examples that
    ship for its task.

    `seed` fixes all that is drawn: halves, resamples, masked words. `shard` is the part of the work that is done here.
    `task` and `columns` say how labelled examples are laid out, where the model's own run does not. `first`: only so
    many rows. `progress` is called in place of a bar.
    """

    checkpoint: Checkpoint
    source: Source | Collection[Any] | None
    seed: int = 0
    task: str | None = None
    columns: Mapping[Role, str] = field(default_factory=dict)
    shard: Shard = field(default_factory=Shard)
    first: int | None = None
    progress: ReportProgress | None = None
    about: dict[str, Any] = field(default_factory=dict)  # of what the last answer is: model, collection, its SHA-256

    def heads(self, measure: HeadMeasure = "swap") -> HeadEvidence:
        """What each head does, over pairs: `bertcore.evidence.heads.MEASURES` has what can be measured.

        >>> found = m.evidence(["The [cat|dog] that the [boy/boys] saw [was/were] here."]).heads()
        >>> found.values.shape
        (2, 6, 6)
        """
        pairs = self.collection(Pair, read_pairs)
        return self._answer("Measuring heads", heads_over_pairs, pairs, measure, shard=self.shard)

    def grammar(self, direction: Direction | None = None) -> Grammar:
        """Which head finds each relation of a treebank (CoNLL-U) best, beside the best fixed distance.

        direction: of the heads; None: the better one for each relation.
        """
        trees = self.collection(Tree, read_treebank)
        return self._answer("Reading a treebank", grammar_of_heads, trees, shard=self.shard, direction=direction)

    def prune(
        self, part: Part = "head", random_orders: int = RANDOM_ORDERS, random_every: int = 1, most: int | None = None
    ) -> Pruning:
        """What is lost without heads, or layers, the least important first. `.pruned(m.bert, 12)` is a model without
        12 of them: `bertcore.LoadedModel.of(that, m.tokenizer).save(folder)`.

        random_every: see `bertcore.evidence.pruning.prune`. most: of so many rows, drawn, where there are more.
        """
        about: dict[str, Any] = {"seed": self.seed, "random_orders": random_orders, "random_every": random_every}
        with self._doing("Removing parts") as step:
            found = prune(self.scored(most), part, **about, shard=self.shard, progress=step)
        return found.by(self.checkpoint.name)

    def calibration(self) -> Calibration:
        """Whether the model is as often right as it is sure: about masked words, or in its task."""
        texts = self._sentences() if self._are_sentences else self.scored()

        def answers(rows: range) -> Answers:
            if isinstance(texts, Scored):
                return texts.answers(rows=np.array(rows))
            return MaskedWords(self.checkpoint, texts.part(rows), self.seed, first=rows.start).answers()

        asked, count = ("calibration", texts.sha256, str(self.seed)), len(texts)
        with self._doing("Reading answers") as step:
            found = self.shard.over(
                self.checkpoint, asked, count, lambda rows, _: binned(answers(rows)), step, join=summed
            )
        return calibration_of(found).by(self.checkpoint.name)

    def nearest(self, text: str, word: str, layer: int, top: int = 50) -> Records[Use]:
        """The uses nearest to a word of a text, or to a phrase, after a layer (0: the embeddings). `index` has more."""
        encoding = self.checkpoint.encode(text)
        if not (positions := word_positions(encoding, word)):
            raise BertcoreError(f"“{word.strip()}” does not stand in the text; name a word that does.")
        check_numbers("layer", [layer], self.checkpoint.config.num_hidden_layers + 1)
        sentences, asked = self._sentences(INDEXED), ask(self.checkpoint, encoding, positions, [layer])

        def near(rows: range, step: ReportProgress) -> Arrays:
            part = sentences.part(rows)
            if len(rows) < len(sentences):
                part = replace(part, sha256=f"{part.sha256} {rows}")
            found = open_index(self.checkpoint, part, [layer], progress=step).near(asked, layer, top)
            return found | {"places": found["places"] + (rows.start, 0)}

        about = "nearest", sentences.sha256, text, word, str(layer), str(top)
        with self._doing("Reading sentences") as step:
            join = partial(nearest_first, most=ENOUGH * top)
            found = self.shard.over(self.checkpoint, about, len(sentences), near, step, join=join, size=INDEXED)
        found = nearest_of(found, asked, top)
        texts = self._read_now(sentences, found["places"][:, 0])
        return uses_of(self.checkpoint, texts, asked, found).by(self.checkpoint.name)

    def index(self, layers: Sequence[int] | None = None) -> TokenIndex:
        """The hidden states of all tokens after these layers, on disk: for questions of `TokenIndex`."""
        sentences = self.collection(Sentence, read_sentences)
        with self._doing("Reading sentences") as step:
            return open_index(self.checkpoint, sentences, layers, progress=step)

    def fires(self, layer: int, kind: UnitKind = "neuron", directions: NDArray | None = None) -> Fires:
        """Where each neuron or head of a layer, or each direction, is strongest; `.contexts`, `.words`, `.matters`."""
        sentences, more = self._sentences(), {"directions": directions, "shard": self.shard}
        found = self._answer("Reading sentences", fires, sentences, layer, kind, **more)
        rows = np.concatenate([found.top[..., 0].ravel(), found.sample[:, 0]])
        return replace(found, collection=self._read_now(sentences, rows)).by(self.checkpoint.name)

    def probe(self) -> Probes:
        """Which tags of a treebank can be read off each layer, beside a control task."""
        self._alone(f"A probe learns from {MOST_WORDS:,} words at most")
        return self._answer("Reading a treebank", probe, self.collection(Tree, read_treebank))

    def probe_trees(self, rank: int = 32) -> TreeProbes:
        """Whether the states of each layer lie as far apart as words in their tree: the structural probe."""
        self._alone(f"A probe learns from {MOST_WORDS:,} words at most")
        return self._answer("Reading a treebank", probe_trees, self.collection(Tree, read_treebank), rank=rank)

    def examples(self) -> AnsweredExamples:
        """Labelled examples and what the model says of them; `.slices`, `.cell`, `.threshold`."""
        self._alone("Examples are compared with one another")
        scored = self.scored()
        if not isinstance(scored, TaskExamples):
            raise BertcoreError(f"{self.checkpoint.name} has learned no task; open a fine-tuned model.")
        with self._doing("Reading answers") as step:
            return AnsweredExamples(scored, scored.answers(progress=step)).by(self.checkpoint.name)

    def documents(self) -> Documents:
        """Documents and their vectors after each layer: `.topics`, `.agreements`, `.nearest`."""
        self._alone("Documents are compared with one another")
        documents = self.collection(Document, read_documents)
        with self._doing("Reading documents") as step:
            return Documents.read(self.checkpoint, documents, self.seed, step)

    def topics(self, clusters: int = 4, layer: int | None = None) -> Topics:
        """Documents in clusters, with the words typical of each, and how well they match the labels in the file."""
        return self.documents().topics(clusters, layer, self.seed).by(self.checkpoint.name)

    def scored(self, most: int | None = None) -> Scored:
        """Labelled examples for a model that has learned a task, else sentences with masked words.

        A collection that has been read is one of sentences. most: so many rows, drawn, where there are more.
        """
        if self._are_sentences:
            texts = self.collection(Sentence, read_sentences)
            texts = texts if most is None else texts.part(drawn(len(texts), most, self.seed))
            return MaskedWords(self.checkpoint, texts, self.seed)
        if self.source is not None and not isinstance(self.source, Path):
            raise BertcoreError(f"{self.checkpoint.name} has learned a task; give a file of examples with answers.")
        examples = TaskExamples.read(self.checkpoint, self.source, self.task, self.columns)
        self._note(examples.name, examples.sha256, len(examples))
        return examples if most is None else examples.part(drawn(len(examples), most, self.seed))

    @property
    def _are_sentences(self) -> bool:
        return task_kind(self.checkpoint) is None or isinstance(self.source, Collection)

    def collection(self, kind: type[R], read: Callable[[Source], Collection[R]]) -> Collection[R]:
        """The rows. Raises BertcoreError where they are not of this kind."""
        found: Any = self.source if isinstance(self.source, Collection) else read(self.source or ())
        if isinstance(self.source, Collection) and not all(isinstance(row, kind) for row in found.rows):
            raise BertcoreError(f"{found.name} has rows of another kind than {kind.__name__}.")
        if self.first is not None:
            self._alone("The first rows alone are asked about")
            found = found.first(self.first)
        self._note(found.name, found.sha256, len(found))
        return found

    def _sentences(self, size: int = ROWS) -> Collection[Sentence]:
        """Those of which this shard reads blocks of `size`; no others stay in memory."""
        return self.collection(Sentence, lambda source: read_sentences(source, self.shard.keeps(size)))

    def _read_now(self, sentences: Collection[Sentence], rows: NDArray) -> Collection[Sentence]:
        """With the rows that are to be shown: whoever joins shards has read none."""
        if not self.shard.files or self.source is None or isinstance(self.source, Collection):
            return sentences
        return read_sentences(self.source, set(rows.tolist()).__contains__)

    def _answer(self, doing: str, ask: Callable[..., T], collection: Collection[Any], *of: Any, **more: Any) -> T:
        with self._doing(doing) as step:
            found = ask(self.checkpoint, collection, *of, seed=self.seed, progress=step, **more)
        return found.by(self.checkpoint.name)

    def _doing(self, what: str) -> AbstractContextManager[ReportProgress]:
        return progress_bar(what) if self.progress is None else nullcontext(self.progress)

    def _alone(self, what: str) -> None:
        """Raises BertcoreError where this is to be shared."""
        if self.shard.files or self.shard.is_part:
            raise BertcoreError(f"{what}, so that nothing is shared: leave out the shards.")

    def _note(self, name: str, digest: str, count: int) -> None:
        self.about = {"model": self.checkpoint.name, "seed": self.seed, "collection": name, "sha256": digest}
        self.about["count"] = count
