"""Which heads follow grammar: for each relation of a treebank the head that finds it best, and the best fixed distance.

As Clark, Khandelwal, Levy and Manning 2019 ("What Does BERT Look At?", section 4.2), but chosen on one half of the
sentences and measured on the other. A head finds one word from another if that attends to it most, of all other words.
B sentences, W words, S tokens, L layers, N heads, D dependencies.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import Batch, as_text, for_each, open_cost
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Tree
from bertcore.evidence.intervals import halves, ratio_intervals
from bertcore.evidence.shards import Arrays, Shard
from bertcore.model.bert import Bert
from bertcore.model.hooks import Hook
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table
from bertcore.tokenizer.tokenizer import Encoding

Direction = Literal["to its head", "to its dependent"]
DIRECTIONS: tuple[Direction, Direction] = ("to its head", "to its dependent")
FEWEST = 30  # dependencies of a relation on each half
LEAST_GAIN = 0.02  # of a share over the best fixed distance; less is called none
FARTHEST = 10  # words, of a fixed distance


@dataclass(frozen=True)
class RelationHead:
    """The head that finds a relation best, measured on the half that it was not chosen on."""

    relation: str
    direction: Direction
    layer: int  # from 0
    head: int  # from 0
    share: float  # of `count` dependencies that it finds
    low: float
    high: float
    count: int
    distance: int  # from the dependent to its head, in words: the one that is right most often
    distance_share: float

    @property
    def gain(self) -> float:
        return self.share - self.distance_share

    @property
    def is_found(self) -> bool:
        """Better than always the same distance, by two points at least and for sure."""
        return self.gain >= LEAST_GAIN and self.low > self.distance_share


@dataclass(frozen=True, eq=False, repr=False)
class Grammar(Table):
    """What every head finds in a treebank. `hits` are of all dependencies, but for those of the root.

    R relations that are common enough on both halves.
    """

    collection: Collection[Tree]
    seed: int
    hits: NDArray[np.bool_]  # (D,L,N,2) found, in both directions
    relations: NDArray[np.str_]  # (D)
    sentences: NDArray[np.int64]  # (D) number of the sentence; those of one stand in the order of their dependents
    distances: NDArray[np.int64]  # (D) from the dependent to its head, in words
    left_out: tuple[str, ...] = ()
    direction: Direction | None = None  # in which `best` is; None: the better one for each relation
    best: list[RelationHead] = field(init=False)  # (R) the largest gain first

    def __post_init__(self) -> None:
        object.__setattr__(self, "best", self.best_heads(self.direction))

    @property
    def measured(self) -> NDArray[np.int64]:
        """The numbers of the sentences that heads are measured on; on the others they are chosen."""
        return np.intersect1d(halves(len(self.collection), self.seed)[1], self.sentences)

    @property
    def best_shares(self) -> NDArray[np.float64]:
        """(R,L,N): what each head finds of each relation in all sentences, in the direction of its best head."""
        shares = [self.hits[self.relations == each.relation].mean(axis=0) for each in self.best]  # (L,N,2) each
        found = [one[..., DIRECTIONS.index(best.direction)] for one, best in zip(shares, self.best, strict=True)]
        return np.array(found).reshape(len(found), *self.hits.shape[1:3])

    def best_heads(self, direction: Direction | None = None) -> list[RelationHead]:
        """For each relation its best head in one direction, or in the better one; the largest gain comes first."""
        choose, measure = (np.isin(self.sentences, half) for half in halves(len(self.collection), self.seed))
        of_relation = [(name, self.relations == name) for name in np.unique(self.relations).tolist()]
        both = [(name, here & choose, here & measure) for name, here in of_relation]
        ways = range(2) if direction is None else [DIRECTIONS.index(direction)]
        found = [self._best(*each, ways) for each in both if min(each[1].sum(), each[2].sum()) >= FEWEST]
        return sorted(found, key=lambda each: -each.gain)

    def shares(self, direction: Direction = "to its head") -> tuple[list[str], NDArray[np.float64]]:
        """Relations (R), the commonest first, and the share that each head finds, (R,L,N)."""
        names, counts = np.unique(self.relations, return_counts=True)
        kept, hits = names[np.argsort(-counts, kind="stable")], self.hits[..., DIRECTIONS.index(direction)]
        return kept.tolist(), np.stack([hits[self.relations == name].mean(axis=0) for name in kept])

    def rows(self) -> list[dict[str, Any]]:
        return [{**vars(each), "gain": each.gain, "found": each.is_found} for each in self.best]

    def _best(
        self, relation: str, choose: NDArray[np.bool_], measure: NDArray[np.bool_], ways: Sequence[int]
    ) -> RelationHead:
        shares = self.hits[choose][..., ways].mean(axis=0)  # (L,N,1 or 2)
        layer, head, place = (int(each) for each in np.unravel_index(int(shares.argmax()), shares.shape))
        way = ways[place]
        near = np.clip(self.distances[choose], -FARTHEST - 1, FARTHEST + 1) + FARTHEST + 1
        distance = int(np.bincount(near, minlength=2 * FARTHEST + 3)[1:-1].argmax()) - FARTHEST
        _, rows = np.unique(self.sentences[measure], return_inverse=True)
        hits = np.bincount(rows, self.hits[measure, layer, head, way])
        (share,) = ratio_intervals(hits[:, None], np.bincount(rows), self.seed)
        at_distance = float((self.distances[measure] == distance).mean())
        where = relation, DIRECTIONS[way], layer, head
        return RelationHead(*where, share.value, share.low, share.high, share.count, distance, at_distance)


def grammar_of_heads(
    checkpoint: Checkpoint,
    collection: Collection[Tree],
    *,
    seed: int = 0,
    shard: Shard | None = None,
    direction: Direction | None = None,
    progress: ReportProgress = no_progress,
) -> Grammar:
    """All heads on all dependencies; of a shard, on those of its sentences. Sentences that are longer than the model
    reads, or whose words the vocabulary cannot be laid onto, are left out and counted. direction: of `Grammar.best`.

    Raises BertcoreError where none is left.
    """
    model = checkpoint.model

    def look(rows: range, step: ReportProgress) -> Arrays:
        read = [each for each in readable(checkpoint, collection, rows) if len(each.words) > 1]

        def most(batch: Batch, _: ReportProgress) -> list[NDArray[np.int16]]:
            return most_attended(model, batch, [read[at].words for at in batch.numbers])

        looked = for_each(model, [each.encoding for each in read], most, cost=open_cost, progress=step)
        hits = [np.zeros((config.num_hidden_layers, config.num_attention_heads, 0, 2), dtype=bool)]
        for each, at in zip(read, looked, strict=True):  # at: (L,N,W)
            words, heads = _dependencies(collection.rows[each.row])
            hits.append(np.stack([at[..., words] == heads, at[..., heads] == words], axis=-1))  # (L,N,D,2)
        numbers = np.array([each.row for each in read], dtype=int)
        joined = np.moveaxis(np.concatenate(hits, axis=2), 2, 0)
        return {"hits": joined, "read": numbers, "left": np.array([len(rows) - len(read)])}

    shard, config = shard or Shard(), checkpoint.config
    found = shard.over(checkpoint, ("grammar", collection.sha256), len(collection), look, progress)
    if not len(found["read"]) and not shard.is_part:
        raise BertcoreError(f"No sentence of {collection.name} can be read whole by this model.")
    relations, sentences, distances = list[str](), list[int](), list[int]()
    for number in found["read"].tolist():
        words, heads = _dependencies(collection.rows[number])
        relations += [collection.rows[number].relations[word] for word in words]
        sentences += [number] * len(words)
        distances += [head - word for word, head in zip(words, heads, strict=True)]
    left = int(found["left"].sum())
    why = (f"{left:,} sentences of one word, or that the model cannot read whole",) if left else ()
    facts = np.array(relations), np.array(sentences), np.array(distances)
    return Grammar(collection, seed, found["hits"], *facts, (*collection.left_out, *why), direction)


class ReadTree(NamedTuple):
    """A sentence that the model reads whole."""

    row: int
    encoding: Encoding
    words: list[list[int]]  # the tokens of each


def readable(checkpoint: Checkpoint, collection: Collection[Tree], rows: Iterable[int]) -> Iterator[ReadTree]:
    """Of these rows those in which each word has tokens of its own."""
    for row in rows:
        tree = collection.rows[row]
        encoding = checkpoint.encode(tree.text)
        words = tokens_of_words(encoding, tree)
        if not encoding.dropped and all(words):
            yield ReadTree(row, encoding, words)


def _dependencies(tree: Tree) -> tuple[list[int], list[int]]:
    """(D) words that depend on another, and (D) that other word."""
    words = [word for word, head in enumerate(tree.heads) if head >= 0]
    return words, [tree.heads[word] for word in words]


def tokens_of_words(encoding: Encoding, tree: Tree) -> list[list[int]]:
    """The tokens of each word of the tree, by their characters; none where it has none of its own."""
    own = [(at, *encoding.offsets[at]) for at, part in enumerate(encoding.parts) if part != "special"]
    return [[at for at, first, last in own if first < end and last > start] for start, end in tree.spans]


def looks_in(checkpoint: Checkpoint, tree: Tree) -> NDArray[np.int16]:
    """(L,N,W): the other word that each word of one sentence attends to most."""
    encoding = checkpoint.encode(tree.text)
    batch = Batch.of([as_text(checkpoint.model, encoding.ids, encoding.segments)])
    return most_attended(checkpoint.model, batch, [tokens_of_words(encoding, tree)])[0]


@torch.inference_mode()
def most_attended(model: Bert, batch: Batch, words: Sequence[Sequence[Sequence[int]]]) -> list[NDArray[np.int16]]:
    """Of each sentence (L,N,W): the other word that each word attends to most. `words`: the tokens of each.

    Attention from a word is the mean over its tokens, attention to it the sum; that to [CLS] and [SEP] does not count.
    """
    longest, (count, length) = max(map(len, words)), batch.ids.shape
    belongs = torch.zeros(count, longest, length)  # (B,W,S)
    for row, each in enumerate(words):
        for word, tokens in enumerate(each):
            belongs[row, word, list(tokens)] = 1
    belongs = belongs.to(batch.ids.device)
    mean = (belongs / belongs.sum(-1, keepdim=True).clamp(min=1))[:, None]  # (B,1,W,S)
    barred = (belongs.sum(-1) == 0)[:, None, None, :] | torch.eye(longest, device=belongs.device, dtype=torch.bool)
    found: list[Tensor] = []

    def look(point: str, value: Tensor) -> Tensor:
        if point.endswith("attention.probs"):
            between = mean @ value @ belongs.transpose(1, 2)[:, None]  # (B,N,W,W)
            found.append(between.masked_fill(barred, -1).argmax(-1).short())
        return value

    batch.hidden(model, Hook(look))
    looked = torch.stack(found, dim=1).cpu().numpy()  # (B,L,N,W)
    return [looked[row, ..., : len(each)] for row, each in enumerate(words)]
