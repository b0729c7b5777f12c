"""What can be read off, layer by layer? Linear probes, beside what they learn by heart and what no model is needed for.

Ridge regression onto the labels; penalty chosen and probe fitted on one half of the rows, measured on the other half.
R rows, W labelled words of them all, L layers, H hidden, K labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.passes import Batch, for_each, layer_states
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Tree
from bertcore.evidence.grammar import tokens_of_words
from bertcore.evidence.intervals import Interval, halves, ratio_intervals
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table
from bertcore.tokenizer.tokenizer import Encoding

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # times the mean variance of a state's numbers
MOST_WORDS = 20_000


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


def labelled_texts(texts: Sequence[str], labels: Sequence[str], name: str, sha256: str) -> Collection[Tree]:
    """Texts with a label each, as sentences of one word: the control is chance then, and no word is a previous one."""
    rows = zip(texts, labels, strict=True)
    trees = (Tree(text, name, (text,), (-1,), ("root",), (label,), (False,)) for text, label in rows)
    return Collection(name, tuple(trees), sha256)


def probe(
    checkpoint: Checkpoint, collection: Collection[Tree], *, seed: int = 0, progress: ReportProgress = no_progress
) -> Probes:
    """The tag of each word, from the mean of its tokens' states; of MOST_WORDS at most, in sentences by chance.

    Raises BertcoreError where fewer than four sentences can be read whole.
    """
    encodings, spans, trees, words = list[Encoding](), list[list[list[int]]](), list[Tree](), 0
    for row in np.random.default_rng(seed).permutation(len(collection)).tolist():
        tree = collection.rows[row]
        encoding = checkpoint.tokenizer.encode(tree.text, max_length=checkpoint.config.max_length)
        tokens = tokens_of_words(encoding, tree)
        if not encoding.dropped and all(tokens) and words + len(tokens) <= MOST_WORDS:
            encodings.append(encoding)
            spans.append(tokens)
            trees.append(tree)
            words += len(tokens)
    if len(trees) < 4:
        raise BertcoreError(f"{collection.name} has {len(trees)} sentences that this model can read whole; give four.")

    def means(batch: Batch, _: ReportProgress) -> list[NDArray[np.float16]]:
        here = [spans[number] for number in batch.numbers]
        share = torch.zeros(len(here), max(map(len, here)), batch.ids.shape[1], device=batch.ids.device)  # (B,W,S)
        for row, each in enumerate(here):
            for word, tokens in enumerate(each):
                share[row, word, tokens] = 1 / len(tokens)
        states = torch.stack([share @ x.float() for x in layer_states(checkpoint.model, batch)], 1)  # (B,L+1,W,H)
        return [states[row, :, : len(each)].half().cpu().numpy() for row, each in enumerate(here)]

    states = np.concatenate(for_each(checkpoint.model, encodings, means, progress=progress), axis=1)
    labels, layers, without = read_off(states, trees, seed)
    left = (
        f"{len(collection) - len(trees):,} sentences that the model cannot read whole, or beyond {MOST_WORDS:,} words"
    )
    about = collection.name, collection.sha256, seed
    return Probes(*about, labels, layers, without, (*collection.left_out, left))


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
