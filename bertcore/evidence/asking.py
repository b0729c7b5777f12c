"""`m.evidence(...)`: a model asked about a collection, from Python and the shell; all results are tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bertcore.analysis.vectors import word_positions
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.calibration import Calibration, calibrate
from bertcore.evidence.collection import (
    Collection,
    Pair,
    R,
    Sentence,
    Source,
    Tree,
    read_pairs,
    read_sentences,
    read_treebank,
)
from bertcore.evidence.examples import AnsweredExamples
from bertcore.evidence.fires import Fires, UnitKind, fires
from bertcore.evidence.grammar import Grammar, grammar_of_heads
from bertcore.evidence.heads import HeadEvidence, HeadMeasure, heads_over_pairs
from bertcore.evidence.nearest import TokenIndex, Use, open_index
from bertcore.evidence.probing import Probes, probe
from bertcore.evidence.pruning import RANDOM_ORDERS, Part, Pruning, prune
from bertcore.evidence.scoring import MaskedWords, Scored, TaskExamples
from bertcore.evidence.shards import Shard
from bertcore.progress import progress_bar
from bertcore.table import Records
from bertcore.tasks.predict import task_kind
from bertcore.tasks.spec import Role
from bertcore.training.task_files import examples_of_file


@dataclass
class Evidence:
    """What a model does over a collection: a file, lines, or rows that have been read.

    `seed` fixes all that is drawn: halves, resamples, masked words. `shard` is the part of the work that is done here.
    `task` and `columns` say how labelled examples are laid out, where the model's own run does not.
    """

    checkpoint: Checkpoint
    source: Source | Collection[Sentence]
    seed: int = 0
    task: str | None = None
    columns: Mapping[Role, str] = field(default_factory=dict)
    shard: Shard = field(default_factory=Shard)
    about: dict[str, Any] = field(default_factory=dict)  # of what the last answer is: model, collection, its SHA-256

    def heads(self, measure: HeadMeasure = "swap") -> HeadEvidence:
        """What each head does, over pairs: `bertcore.evidence.heads.MEASURES` has what can be measured.

        >>> found = m.evidence(["The [cat|dog] that the [boy/boys] saw [was/were] here."]).heads()
        >>> found.values.shape
        (2, 6, 6)
        """
        pairs = self.collection(Pair, read_pairs)
        with progress_bar("Measuring heads") as step:
            found = heads_over_pairs(self.checkpoint, pairs, measure, seed=self.seed, shard=self.shard, progress=step)
        return found.by(self.checkpoint.name)

    def grammar(self) -> Grammar:
        """Which head finds each relation of a treebank (CoNLL-U) best, beside the best fixed distance."""
        trees = self.collection(Tree, read_treebank)
        with progress_bar("Reading a treebank") as step:
            found = grammar_of_heads(self.checkpoint, trees, seed=self.seed, shard=self.shard, progress=step)
        return found.by(self.checkpoint.name)

    def prune(self, part: Part = "head", random_orders: int = RANDOM_ORDERS) -> Pruning:
        """What is lost without heads, or layers, the least important first. `.pruned(m.bert, 12)` is a model without
        12 of them: `bertcore.LoadedModel.of(that, m.tokenizer).save(folder)`."""
        with progress_bar("Removing parts") as step:
            found = prune(self.scored(), part, seed=self.seed, random_orders=random_orders, progress=step)
        return found.by(self.checkpoint.name)

    def calibration(self) -> Calibration:
        """Whether the model is as often right as it is sure: about masked words, or in its task."""
        with progress_bar("Reading answers") as step:
            return calibrate(self.scored().answers(progress=step)).by(self.checkpoint.name)

    def nearest(self, text: str, word: str, layer: int, top: int = 50) -> Records[Use]:
        """The uses nearest to a word of a text, or to a phrase, after a layer (0: the embeddings). `index` has more."""
        encoding = self.checkpoint.tokenizer.encode(text, max_length=self.checkpoint.config.max_length)
        if not (positions := word_positions(encoding, word)):
            raise BertcoreError(f"“{word.strip()}” does not stand in the text; name a word that does.")
        index = self.index([layer])
        return index.nearest(index.ask(encoding, positions), layer, top).by(self.checkpoint.name)

    def index(self, layers: Sequence[int] | None = None) -> TokenIndex:
        """The hidden states of all tokens after these layers, on disk: for questions of `TokenIndex`."""
        sentences = self.collection(Sentence, read_sentences)
        with progress_bar("Reading sentences") as step:
            return open_index(self.checkpoint, sentences, layers, progress=step)

    def fires(self, layer: int, kind: UnitKind = "neuron", directions: NDArray | None = None) -> Fires:
        """Where each neuron or head of a layer, or each direction, is strongest; `.contexts`, `.words`, `.matters`."""
        sentences = self.collection(Sentence, read_sentences)
        with progress_bar("Reading sentences") as step:
            about: dict[str, Any] = {"directions": directions, "seed": self.seed, "progress": step}
            return fires(self.checkpoint, sentences, layer, kind, **about).by(self.checkpoint.name)

    def probe(self) -> Probes:
        """Which tags of a treebank can be read off each layer, beside a control task."""
        trees = self.collection(Tree, read_treebank)
        with progress_bar("Reading a treebank") as step:
            return probe(self.checkpoint, trees, seed=self.seed, progress=step).by(self.checkpoint.name)

    def examples(self) -> AnsweredExamples:
        """Labelled examples and what the model says of them; `.slices`, `.cell`, `.threshold`."""
        scored = self.scored()
        if not isinstance(scored, TaskExamples):
            raise BertcoreError(f"{self.checkpoint.name} has learned no task; open a fine-tuned model.")
        with progress_bar("Reading answers") as step:
            return AnsweredExamples(scored, scored.answers(progress=step)).by(self.checkpoint.name)

    def scored(self) -> Scored:
        """Labelled examples for a model that has learned a task, else sentences with masked words."""
        if task_kind(self.checkpoint) is None:
            return MaskedWords(self.checkpoint, self.collection(Sentence, read_sentences), self.seed)
        if not isinstance(self.source, Path):
            raise BertcoreError(f"{self.checkpoint.name} has learned a task; give a file of examples with answers.")
        examples = examples_of_file(self.checkpoint, str(self.source), self.task, self.columns)
        digest = sha256(repr(examples).encode("utf-8", "replace")).hexdigest()
        self._note(self.source.name, digest, len(examples))
        return TaskExamples(self.checkpoint, examples, self.source.name, digest)

    def collection(self, kind: type[R], read: Callable[[Source], Collection[R]]) -> Collection[R]:
        """The rows. Raises BertcoreError where they are not of this kind."""
        found: Any = self.source if isinstance(self.source, Collection) else read(self.source)
        if not all(isinstance(row, kind) for row in found.rows):
            raise BertcoreError(f"{found.name} has rows of another kind than {kind.__name__}.")
        self._note(found.name, found.sha256, len(found))
        return found

    def _note(self, name: str, digest: str, count: int) -> None:
        self.about = {"model": self.checkpoint.name, "seed": self.seed, "collection": name, "sha256": digest}
        self.about["count"] = count
