"""Topics: documents whose vectors lie near each other, and how well that matches their labels, where they have some.

T documents, L layers, H hidden, K clusters. No torch but inside functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_numbers
from bertcore.analysis.vectors import Clusters, clusters_of, k_means, units_of
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Document
from bertcore.evidence.intervals import drawn
from bertcore.progress import ReportProgress
from bertcore.table import Table

if TYPE_CHECKING:
    from bertcore.analysis.passes import Batch
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST = 2000  # documents that are put into clusters
FEWEST, MOST_CLUSTERS, MOST_WORDS, SHUFFLES = 2, 12, 6, 200


@dataclass(frozen=True)
class Topic:
    """One cluster of documents."""

    cluster: int  # from 0, the largest first
    count: int
    words: tuple[str, ...]  # that stand in more of its documents than of the others; the most telling first
    label: str  # the commonest; empty where there are none
    of_label: int  # how many of its documents have it
    document: int  # the one nearest to its centre


@dataclass(frozen=True, eq=False, repr=False)
class Topics(Table):
    """Clusters of this model's vectors; labels and words say what they are afterwards."""

    layer: int
    clusters: Clusters  # of the T documents
    topics: Sequence[Topic]  # K
    agreement: float | None  # adjusted Rand index with the labels, of documents with one; None: too few have one
    by_chance: float | None  # 95% of shuffled labels agree less
    left_out: tuple[str, ...]  # of the documents, in words

    @property
    def finding(self) -> str:
        """In a sentence."""
        if self.agreement is None:
            apart, by_chance = self.clusters.apart, self.clusters.apart_by_chance
            return f"{apart:.0%} of the variance lies between clusters; of a cloud without clusters {by_chance:.0%}."
        limits = f"1: the same; 0: as by chance; 95% of shuffled labels stay below {self.by_chance:.2f}"
        return f"Agreement with the labels (adjusted Rand index): {self.agreement:.2f} ({limits})."

    def rows(self) -> list[dict[str, Any]]:
        return [{**asdict(each), "words": ", ".join(each.words)} for each in self.topics]


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents as a model reads them: the mean of the hidden states, or as a sentence encoder pools them."""

    collection: Collection[Document]  # T
    of: int  # documents in the file, of which these are drawn
    cut: int  # of these, how many are longer than the model reads
    vectors: NDArray[np.float32]  # (L+1,T,H) after the embeddings and after each layer, each of length 1

    @classmethod
    def read(cls, checkpoint: Checkpoint, all_: Collection[Document], seed: int, progress: ReportProgress) -> Documents:
        """MOST of them, drawn where there are more."""
        from bertcore.analysis.passes import for_each, layer_states, pool

        def answer(batch: Batch, _: ReportProgress) -> list[NDArray]:
            states = [pool(x, batch, checkpoint.pooling) for x in layer_states(checkpoint.model, batch)]
            return list(np.stack(states, axis=1))  # B x (L+1,H)

        chosen = all_.part(drawn(len(all_), MOST, seed))
        encodings = [checkpoint.encode(each.text) for each in chosen.rows]
        vectors = for_each(checkpoint.model, encodings, answer, progress=progress)
        cut = sum(each.dropped > 0 for each in encodings)
        return cls(chosen, len(all_), cut, units_of(np.stack(vectors, axis=1)))

    @cached_property
    def labels(self) -> NDArray[np.str_]:
        """(T) of each document; empty where it has none or several."""
        return np.array([each.labels[0] if len(each.labels) == 1 else "" for each in self.collection.rows])

    @property
    def left_out(self) -> tuple[str, ...]:
        more = self.of - len(self.collection)
        drawn = (f"{more:,} documents, so that {len(self.collection):,} are left, by chance",) if more else ()
        return (*drawn, f"the ends of {self.cut:,} that are longer than the model reads") if self.cut else drawn

    @property
    def has_labels(self) -> bool:
        """Whether there is something to agree with: two labels at least, of documents with one."""
        return len({*self.labels} - {""}) > 1

    def topics(self, count: int = 4, layer: int | None = None, seed: int = 0) -> Topics:
        """By k-means on the vectors after a layer: 0 the embeddings; None: the last.

        Raises BertcoreError for more clusters than there are different documents.
        """
        layer = len(self.vectors) - 1 if layer is None else layer
        check_numbers("layer", [layer], len(self.vectors))
        found, chance = self._clusters(count, layer, seed), np.random.default_rng(seed)
        agreement = by_chance = None
        if self.has_labels:
            labels, groups = self._labelled(found.groups)
            shuffled = [adjusted_rand_index(chance.permutation(labels).tolist(), groups) for _ in range(SHUFFLES)]
            agreement, by_chance = adjusted_rand_index(labels, groups), float(np.quantile(shuffled, 0.95))
        return Topics(layer, found, self._topics(found.groups, layer), agreement, by_chance, self.left_out)

    def agreements(self, count: int = 4, seed: int = 0) -> list[float]:
        """(L+1) how clusters agree with labels after the embeddings, which know words alone, and each layer; none where
        there are no labels."""
        if not self.has_labels:
            return []
        groups = (k_means(each, count, np.random.default_rng(seed))[0] for each in self.vectors)
        return [adjusted_rand_index(*self._labelled(each)) for each in groups]

    def nearest(self, document: int, layer: int, count: int = 20) -> list[tuple[int, float]]:
        """Other documents and their cosines, the nearest first."""
        cosines = self.vectors[layer] @ self.vectors[layer, document]
        order = [at for at in np.argsort(-cosines, kind="stable").tolist() if at != document]
        return [(at, float(cosines[at])) for at in order[:count]]

    def _labelled(self, groups: NDArray[np.int64]) -> tuple[list[str], list[int]]:
        """The label and the cluster of each document that has one label."""
        return self.labels[self.labels != ""].tolist(), groups[self.labels != ""].tolist()

    def _clusters(self, count: int, layer: int, seed: int) -> Clusters:
        """Numbered by size, the largest first."""
        if not FEWEST <= count <= MOST_CLUSTERS:
            raise BertcoreError(f"Documents are put into {FEWEST} to {MOST_CLUSTERS} clusters, not {count}.")
        found = clusters_of(self.vectors[layer], count, np.random.default_rng(seed))
        order = np.argsort(-np.bincount(found.groups, minlength=count), kind="stable")
        return Clusters(**{**vars(found), "groups": np.argsort(order)[found.groups]})

    def _topics(self, groups: NDArray[np.int64], layer: int) -> list[Topic]:
        words = [set(re.findall(r"\w+", each.text.lower())) for each in self.collection.rows]
        everywhere, topics = Counter(word for each in words for word in each), list[Topic]()
        for cluster in range(int(groups.max()) + 1):
            inside = np.flatnonzero(groups == cluster).tolist()
            here = Counter(word for at in inside for word in words[at])
            labels = Counter(label for at in inside for label in self.collection.rows[at].labels)
            label, of_label = labels.most_common(1)[0] if labels else ("", 0)
            vectors = self.vectors[layer, inside]
            centre = inside[int((vectors @ vectors.mean(axis=0)).argmax())]
            told = _telling(here, everywhere, len(inside), len(words))
            topics.append(Topic(cluster, len(inside), told, label, of_label, centre))
        return topics


def _telling(here: Counter[str], everywhere: Counter[str], count: int, total: int) -> tuple[str, ...]:
    """The words whose share of a cluster's documents is most clearly above that of the others (the z of two shares)."""

    def z(word: str) -> float:
        share, inside, outside = everywhere[word] / total, here[word] / count, everywhere[word] - here[word]
        spread = share * (1 - share) * (1 / count + 1 / max(total - count, 1))
        return float((inside - outside / max(total - count, 1)) / max(spread, 1e-12) ** 0.5)

    least = min(2, max(here.values(), default=0))  # a word of one document says little of the others
    found = sorted((-z(word), word) for word, times in here.items() if times >= least)
    return tuple(word for far, word in found[:MOST_WORDS] if far < 0)


def adjusted_rand_index(first: Sequence[Any], second: Sequence[Any]) -> float:
    """How well two ways to divide the same things agree: 1 the same, 0 as by chance (Hubert and Arabie 1985)."""
    counts = Counter(first), Counter(second), Counter(zip(first, second, strict=True))
    one, other, both = (sum(count * (count - 1) / 2 for count in each.values()) for each in counts)
    expected, most = one * other / max(len(first) * (len(first) - 1) / 2, 1), (one + other) / 2
    return float((both - expected) / (most - expected)) if most != expected else 1.0
