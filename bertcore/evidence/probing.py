"""What can be read off, layer by layer? Linear probes, beside what they learn by heart and what no model is needed for.

Labels by ridge regression, penalty chosen and probe fitted on one half of the rows, measured on the other half; trees
by a map after which distances are those in the tree.
R rows, W labelled words of them all, L layers, H hidden, K labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.interventions import check_numbers
from bertcore.analysis.passes import Batch, for_each, layer_states
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Tree
from bertcore.evidence.grammar import ReadTree, readable
from bertcore.evidence.intervals import Interval, halves, ratio_intervals
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.table import Table

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # times the mean variance of a state's numbers
MOST_WORDS = 20_000
STEPS, RATE, SENTENCES_AT_ONCE = 1000, 3e-4, 20  # of the structural probe; with more it learns by heart


@dataclass(frozen=True)
class ProbedLayer:
    """Shares right on the half that was not learned from; intervals by row."""

    layer: int | None  # 0: the embeddings; None: without a model, always the commonest label of the word
    right: Interval
    control: Interval  # of a label that each word was given by chance: what is learned by heart
    selectivity: Interval  # right - control (Hewitt and Liang 2019, section 2.3)
    unseen: Interval  # right, of words that are not in the half that was learned from
    previous: Interval  # the label of the previous word, which only context can tell


@dataclass(frozen=True, repr=False)
class Probes(Table):
    """The layers, and what would do without a model."""

    name: str
    sha256: str
    seed: int
    labels: tuple[str, ...]
    layers: tuple[ProbedLayer, ...]
    without: ProbedLayer
    left_out: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer, and measure."""
        return [
            {"layer": each.layer, "of": of, **vars(found)}
            for each in (*self.layers, self.without)
            for of, found in vars(each).items()
            if isinstance(found, Interval)
        ]


def probe(
    checkpoint: Checkpoint, collection: Collection[Tree], *, seed: int = 0, progress: ReportProgress = no_progress
) -> Probes:
    """The tag of each word, from the mean of its tokens' states; of MOST_WORDS at most, in sentences by chance.

    Raises BertcoreError where fewer than four sentences can be read whole.
    """
    states, trees, left = word_states(checkpoint, collection, seed, progress)
    labels, layers, without = read_off(states, trees, seed)
    return Probes(collection.name, collection.sha256, seed, labels, layers, without, left)


def word_states(
    checkpoint: Checkpoint, collection: Collection[Tree], seed: int, progress: ReportProgress
) -> tuple[NDArray[np.float16], list[Tree], tuple[str, ...]]:
    """The mean states (L+1,W,H) of the tokens of each word, the sentences, and what was left out."""
    read, words = list[ReadTree](), 0
    for each in readable(checkpoint, collection, np.random.default_rng(seed).permutation(len(collection)).tolist()):
        if words + len(each.words) <= MOST_WORDS:
            read.append(each)
            words += len(each.words)
    if len(read) < 4:
        raise BertcoreError(f"{collection.name} has {len(read)} sentences that this model can read whole; give four.")

    def means(batch: Batch, _: ReportProgress) -> list[NDArray[np.float16]]:
        here = [read[number].words for number in batch.numbers]
        share = torch.zeros(len(here), max(map(len, here)), batch.ids.shape[1], device=batch.ids.device)  # (B,W,S)
        for row, each in enumerate(here):
            for word, tokens in enumerate(each):
                share[row, word, tokens] = 1 / len(tokens)
        states = torch.stack([share @ x.float() for x in layer_states(checkpoint.model, batch)], 1)  # (B,L+1,W,H)
        return [states[row, :, : len(each)].half().cpu().numpy() for row, each in enumerate(here)]

    found = for_each(checkpoint.model, [each.encoding for each in read], means, progress=progress)
    out = len(collection) - len(read)
    left = f"{out:,} sentences that the model cannot read whole, or beyond {MOST_WORDS:,} words"
    trees = [collection.rows[each.row] for each in read]
    return np.concatenate(found, axis=1), trees, (*collection.left_out, *([left] if out else []))


def read_off(
    states: NDArray, trees: Sequence[Tree], seed: int
) -> tuple[tuple[str, ...], tuple[ProbedLayer, ...], ProbedLayer]:
    """The labels, what can be read off states (L+1,W,H) of the words of all trees, and what would do without."""
    chance, rows = np.random.default_rng(seed), np.repeat(np.arange(len(trees)), [len(tree.words) for tree in trees])
    names, codes = np.unique([tag for tree in trees for tag in tree.tags], return_inverse=True)
    _, words = np.unique([word.lower() for tree in trees for word in tree.words], return_inverse=True)
    learn_rows, _ = halves(len(trees), seed)
    learn, fit = np.isin(rows, learn_rows), np.isin(rows, learn_rows[halves(len(learn_rows), seed)[0]])
    measure, is_first, is_new = ~learn, np.diff(rows, prepend=-1) > 0, ~np.isin(words, words[learn])
    control = chance.choice(codes[learn], words.max() + 1)[words]  # each label as often as it is right
    targets = np.stack([codes, control, np.where(is_first, len(names), np.roll(codes, 1))])  # (3,W)
    columns = np.concatenate([np.eye(len(names) + 1)[each] for each in targets], axis=1)  # (W,3(K+1))

    _, measured = np.unique(rows[measure], return_inverse=True)

    def shares(right: NDArray, among: NDArray) -> list[Interval]:
        """Of `right` (C,.), where `among`."""
        here = among[measure]
        sums = np.stack([np.bincount(measured, each * here) for each in right], axis=1)
        return ratio_intervals(sums, np.bincount(measured, here), seed)

    def probed(layer: int | None, said: NDArray) -> ProbedLayer:
        """`said` (3,.) of the words that are measured."""
        own, by_heart, before = (said == targets[:, measure]).astype(float)
        every = shares(np.stack([own, by_heart, own - by_heart]), measure)
        return ProbedLayer(layer, *every, *shares(own[None], is_new), *shares(before[None], ~is_first))

    layers = []
    for layer, x in enumerate(states.astype(np.float64)):
        tried = answers(x, columns, fit, learn & ~fit) == targets[:, learn & ~fit]  # (PENALTIES,3,.)
        best = tried.mean(axis=2).argmax(axis=0)
        layers.append(probed(layer, answers(x, columns, learn, measure)[best, range(3)]))
    return tuple(names.tolist()), tuple(layers), probed(None, _commonest(words, targets, learn)[:, measure])


def answers(x: NDArray, columns: NDArray, learn: NDArray, answer: NDArray) -> NDArray[np.int64]:
    """Ridge regression of columns (W,3(K+1)) on states (W,H): the largest column of each target, (PENALTIES,3,.)."""
    mean, level = x[learn].mean(axis=0), columns[learn].mean(axis=0)
    centred = x[learn] - mean
    sizes, turn = np.linalg.eigh(centred.T @ centred)
    onto, new = turn.T @ (centred.T @ (columns[learn] - level)), (x[answer] - mean) @ turn
    scores = [new @ (onto / (sizes + penalty * sizes.mean())[:, None]) + level for penalty in PENALTIES]
    return np.stack(scores).reshape(len(PENALTIES), len(new), 3, -1).argmax(axis=-1).transpose(0, 2, 1)


def _commonest(words: NDArray, targets: NDArray, learn: NDArray) -> NDArray[np.int64]:
    """For each word the label (3,W) that it has most often where is learned; for a new one the commonest of all."""
    counts = np.zeros((3, words.max() + 1, targets.max() + 1))
    for each, labels in zip(counts, targets, strict=True):
        np.add.at(each, (words[learn], labels[learn]), 1)
        each[each.sum(axis=1) == 0] = each.sum(axis=0)
    return counts.argmax(axis=2)[:, words]


# --- trees ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class TreeProbes(Table):
    """Of the edges of each tree, whichever way they point and without punctuation, the share that is found."""

    name: str
    sha256: str
    seed: int
    rank: int
    layers: tuple[Interval, ...]  # (L+1) from the embeddings up; intervals by sentence
    chain: Interval  # each word joined to the next one: no model
    left_out: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer; None: the chain."""
        return [{"layer": layer, **vars(each)} for layer, each in [*enumerate(self.layers), (None, self.chain)]]


def probe_trees(
    checkpoint: Checkpoint,
    collection: Collection[Tree],
    *,
    rank: int = 32,
    seed: int = 0,
    progress: ReportProgress = no_progress,
) -> TreeProbes:
    """Whether states lie as far apart as their words in the tree (Hewitt and Manning 2019): of each layer a map to few
    dimensions, learned from one half; measured are the minimum spanning trees of the other half.

    Raises BertcoreError where fewer than four sentences can be read whole, or a rank is no size.
    """
    check_numbers("rank", [rank], checkpoint.config.hidden_size, "a probe of this model", first=1)
    states, trees, left = word_states(checkpoint, collection, seed, part_of(progress, 0.0, 0.3))
    layers, chain = read_trees(states, trees, rank, seed, part_of(progress, 0.3, 0.7))
    return TreeProbes(collection.name, collection.sha256, seed, rank, layers, chain, left)


def read_trees(
    states: NDArray, trees: Sequence[Tree], rank: int, seed: int, progress: ReportProgress = no_progress
) -> tuple[tuple[Interval, ...], Interval]:
    """What is found in states (L+1,W,H) of the words of all trees, and by joining each word to the next one."""
    ends, far = np.cumsum([len(tree.words) for tree in trees])[:-1], [tree_distances(tree.heads) for tree in trees]
    learn, measure = halves(len(trees), seed)
    words = [[at for at, tag in enumerate(trees[row].tags) if tag != "PUNCT"] for row in measure]
    near = [far[row][np.ix_(each, each)] == 1 for row, each in zip(measure, words, strict=True)]  # true edges

    def found(edges: Sequence[NDArray]) -> Interval:
        """Of edges (.,2) between the words that are left of each sentence."""
        right = [each[at[:, 0], at[:, 1]].sum() for each, at in zip(near, edges, strict=True)]
        (share,) = ratio_intervals(np.array(right)[:, None], np.array([each.sum() // 2 for each in near]), seed)
        return share

    layers = []
    for layer, each in enumerate(states.astype(np.float32)):
        of_tree = np.split(each / each.std(), ends)
        onto = learn_distances([of_tree[row] for row in learn], [far[row] for row in learn], rank, seed)
        at = [of_tree[row][kept] @ onto for row, kept in zip(measure, words, strict=True)]
        layers.append(found([spanning_tree(((x[:, None] - x) ** 2).sum(-1)) for x in at]))
        progress((layer + 1) / len(states))
    return tuple(layers), found([np.stack([np.arange(len(each) - 1), np.arange(1, len(each))], 1) for each in words])


def tree_distances(heads: Sequence[int]) -> NDArray[np.int64]:
    """(W,W) how many edges lie between two words; between two roots stands one more node."""
    far = np.zeros((len(heads) + 1,) * 2, dtype=int)  # the last: what roots depend on
    known = [len(heads)]
    while len(known) <= len(heads):
        for word in [word for word, head in enumerate(heads) if word not in known and head % len(far) in known]:
            far[word, known] = far[known, word] = far[heads[word], known] + 1
            known.append(word)
    return far[:-1, :-1]


@torch.inference_mode(False)
@torch.enable_grad()
def learn_distances(states: Sequence[NDArray], far: Sequence[NDArray], rank: int, seed: int) -> NDArray[np.float32]:
    """(H,rank): the map after which squared distances between the states (W,H) of a sentence are nearest to those in
    its tree, by Adam."""
    chance, width = torch.Generator().manual_seed(seed), states[0].shape[1]
    order = sorted(range(len(states)), key=lambda row: len(states[row]))  # those of a batch are of like length
    batches = [
        [
            padded([of[row] for row in order[at : at + SENTENCES_AT_ONCE]], beyond)
            for of, beyond in ((states, 0), (far, np.nan))
        ]
        for at in range(0, len(order), SENTENCES_AT_ONCE)
    ]
    onto = (torch.randn(width, rank, generator=chance) / (2 * width * rank) ** 0.5).requires_grad_()
    adam = torch.optim.Adam([onto], lr=RATE)
    for _ in range(-(-STEPS // len(batches))):
        for at in torch.randperm(len(batches), generator=chance).tolist():
            adam.zero_grad()
            distance_loss(batches[at][0] @ onto, batches[at][1]).backward()
            adam.step()
    return onto.detach().numpy()


def padded(arrays: Sequence[NDArray], beyond: float) -> Tensor:
    """(B,W,...) of sentences (W,...), and what stands beyond their ends."""
    most = np.max([each.shape for each in arrays], axis=0)
    wider = [
        np.pad(each.astype(np.float32), [(0, n) for n in most - each.shape], constant_values=beyond) for each in arrays
    ]
    return torch.from_numpy(np.stack(wider))


def distance_loss(x: Tensor, far: Tensor) -> Tensor:
    """How far squared distances between words (B,W,rank) are from those in their trees (B,W,W), NaN for no pair: the
    mean of all pairs of a sentence, and of all sentences."""
    differences = ((x[:, :, None] - x[:, None]) ** 2).sum(-1) - far
    is_pair = ~far.isnan()
    each = differences.where(is_pair, differences.new_zeros(())).abs().sum((1, 2)) / is_pair.sum((1, 2))
    return each.mean()


def spanning_tree(far: NDArray) -> NDArray[np.int64]:
    """The edges (W-1,2) of the tree over W words that is shortest in all (Prim 1957)."""
    edges, nearest, best = list[tuple[int, int]](), np.zeros(len(far), dtype=int), far[0].copy() if len(far) else far
    best[:1] = np.inf
    for _ in range(len(far) - 1):
        word = int(best.argmin())
        edges.append((int(nearest[word]), word))
        closer = (far[word] < best) & np.isfinite(best)
        nearest[closer], best[closer], best[word] = word, far[word][closer], np.inf
    return np.array(edges, dtype=int).reshape(-1, 2)
