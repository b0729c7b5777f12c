"""Where else? The uses of all words of a collection that are nearest to one of a text, layer by layer.

Hidden states of all tokens lie on disk, a byte for each number; all of a million are compared in 0.15 s. R rows, T
tokens of them all but for the special ones, which stand in every sentence; H hidden, P phrases of as many tokens as are
asked for, U uses. No torch but inside functions.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_numbers, check_rows
from bertcore.analysis.vectors import pca
from bertcore.errors import BertcoreError
from bertcore.files import read_json_or_empty, reason_of, write_json
from bertcore.locations import home
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.table import Records

if TYPE_CHECKING:
    from bertcore.analysis.passes import Batch
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.collection import Collection
    from bertcore.tokenizer.tokenizer import Encoding

AROUND = 3  # tokens on both sides, which are the same in near-duplicates
SAMPLED = 10_000  # pairs of tokens
MOST_USES = 2000  # that are put into groups
_ROWS, _VECTORS = 4096, 512  # at once; so few vectors stay in the processor's cache


@dataclass(frozen=True)
class Use:
    """A token, or several side by side, where they stand, and a number about them: a cosine, an activation."""

    before: str
    word: str
    after: str
    value: float
    place: str
    row: int  # of the collection
    position: int  # of the first token in its sentence, as the model reads it
    token: int  # its number among all T


class Tokens:
    """`ids` (T) and `starts` (R+1): the first token of each row, and T. Long sentences are cut."""

    def __init__(
        self, checkpoint: Checkpoint, collection: Collection[Any], known: tuple[NDArray, NDArray] | None = None
    ) -> None:
        self.checkpoint, self.collection = checkpoint, collection
        if known is None:
            ids = [[each.ids[at] for at in words_of(each)] for each in map(self.encode, range(len(collection)))]
            starts = list(accumulate(map(len, ids), initial=0))
            known = np.array([each for row in ids for each in row], dtype=np.int32), np.array(starts)
        self.ids, self.starts = known
        if not len(self.ids):
            raise BertcoreError(f"{collection.name} has no words.")

    def encode(self, row: int) -> Encoding:
        text = self.collection.rows[row].text
        return self.checkpoint.tokenizer.encode(text, max_length=self.checkpoint.config.max_length)

    def rows_of(self, tokens: Any) -> NDArray[np.int64]:
        return np.searchsorted(self.starts, tokens, side="right") - 1

    def use(self, token: int, value: float, count: int = 1) -> Use:
        """`count` tokens from `token` on, which are of one row."""
        row = int(self.rows_of(token))
        encoding = self.encode(row)
        at = words_of(encoding)[token - int(self.starts[row]) :][:count]
        start, end = encoding.offsets[at[0]][0], encoding.offsets[at[-1]][1]
        text, place = encoding.text_a, self.collection.rows[row].place
        return Use(text[:start], text[start:end], text[end:], value, place, row, at[0], token)

    def distinct(self, tokens: Iterable[int], count: int = 1, known: tuple[int, ...] = ()) -> Iterator[int]:
        """Without near-duplicates: those that stand among the same words as one before them, or as `known`."""
        seen = {known}
        for token in tokens:
            row = int(self.rows_of(token))
            start, end = max(self.starts[row], token - AROUND), min(self.starts[row + 1], token + count + AROUND)
            around = tuple(self.ids[start:end].tolist())
            if around not in seen:
                seen.add(around)
                yield token


def words_of(encoding: Encoding) -> list[int]:
    """The positions that are not special tokens."""
    return [at for at, part in enumerate(encoding.parts) if part != "special"]


@dataclass(frozen=True, eq=False)
class Asked:
    """A token of a text, or a phrase, other uses of which are looked for."""

    word: str
    ids: tuple[int, ...]
    around: tuple[int, ...]  # with AROUND tokens on both sides
    vectors: Mapping[int, NDArray[np.float32]]  # layer -> (H): the mean of its tokens' states, each of length 1


@dataclass(frozen=True, eq=False)
class UseGroups:
    """The uses of a word by k-means, which always finds as many groups as it is asked for, and names none.

    They mean something where `apart` is far above `apart_by_chance`, that of a cloud as wide in each direction.
    """

    uses: Records[Use]  # U; the value is the cosine with what was asked
    groups: NDArray[np.int64]  # (1+U) that of the word asked for, then those of the uses
    points: NDArray[np.float64]  # (1+U,2) on the first two principal components
    shown: float  # the share of the variance that these have
    apart: float  # the share of the variance that lies between groups
    apart_by_chance: float
    count: int  # of uses in the collection: where there are too many, U of them are drawn


class TokenIndex:
    """`states`: layer (0: the embeddings) -> (T,H). Cosines are all that is left of them, not lengths."""

    def __init__(self, tokens: Tokens, states: Mapping[int, NDArray[np.int8]]) -> None:
        self.tokens, self.states = tokens, states
        self._lengths: dict[tuple[int, int], NDArray[np.float32]] = {}

    def ask(self, encoding: Encoding, positions: Sequence[int]) -> Asked:
        """One token of a text, or several side by side. Raises BertcoreError for others."""
        import torch

        from bertcore.analysis.passes import Batch, as_text, layer_states

        check_rows(positions, len(encoding))
        at, words, tokenizer = sorted(positions), words_of(encoding), self.tokens.checkpoint.tokenizer
        if not at or at != list(range(at[0], at[0] + len(at))) or not set(at) <= set(words):
            raise BertcoreError("Choose a word, or several side by side; special tokens stand in every sentence.")
        model = self.tokens.checkpoint.model
        with torch.inference_mode():
            batch = Batch.of([as_text(model, encoding.ids, encoding.segments)])
            states = [x[0, at].float().cpu().numpy() for x in layer_states(model, batch)]
        ids, near = tuple(encoding.ids[each] for each in at), range(at[0] - AROUND, at[-1] + AROUND + 1)
        word = tokenizer.label(ids[0]) if len(ids) == 1 else tokenizer.decode(ids)
        around = tuple(encoding.ids[each] for each in near if each in words)
        return Asked(word, ids, around, {layer: _units(states[layer]).mean(axis=0) for layer in self.states})

    def cosines(self, asked: Asked, layer: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The first token of every phrase as long as what was asked (P), and its cosine with that (P).

        Raises BertcoreError for a layer that the index does not have.
        """
        if layer not in self.states:
            raise BertcoreError(f"This index has no layer {layer}; it has {', '.join(map(str, self.states))}.")
        starts, count, known = np.arange(len(self.tokens.ids)), len(asked.ids), (layer, len(asked.ids))
        if count > 1:
            starts = starts[self.tokens.rows_of(starts) == self.tokens.rows_of(starts + count - 1)]
        found, lengths = np.empty((2, len(starts)), dtype=np.float32)
        for at in range(0, len(starts), _VECTORS):
            here = slice(at, at + _VECTORS)
            whole = (
                self.states[layer][here].astype(np.float32) if count == 1 else self._means(asked, layer, starts[here])
            )
            found[here] = whole @ _units(asked.vectors[layer])
            if known not in self._lengths:
                lengths[here] = np.linalg.norm(whole, axis=1)
        return starts, found / self._lengths.setdefault(known, lengths)

    def nearest(self, asked: Asked, layer: int, count: int = 50) -> Records[Use]:
        """The nearest first, without near-duplicates."""
        starts, cosines = self.cosines(asked, layer)
        most = min(len(starts), 20 * count)
        chosen = np.argpartition(-cosines, most - 1)[:most]
        return self._uses(asked, starts[chosen], cosines[chosen], count)

    def same_word(self, asked: Asked, layer: int) -> Records[Use]:
        """All its uses, the least alike last, without near-duplicates."""
        starts, cosines = self.cosines(asked, layer)
        same = self._is_same(asked, starts)
        return self._uses(asked, starts[same], cosines[same], len(starts))

    def same_by_layer(self, asked: Asked, count: int = 50) -> dict[int, int]:
        """Layer -> how many of the `count` nearest are the word itself."""
        near = {layer: [use.token for use in self.nearest(asked, layer, count)] for layer in self.states}
        return {layer: int(self._is_same(asked, np.array(tokens)).sum()) for layer, tokens in near.items()}

    def any_two(self, layer: int, seed: int = 0) -> NDArray[np.float32]:
        """The cosines of SAMPLED pairs of any two tokens: how alike all are (Ethayarajh 2019, section 4.1)."""
        pairs = np.random.default_rng(seed).integers(0, len(self.tokens.ids), (2, SAMPLED))
        first, second = _units(self.states[layer][pairs])
        return (first * second).sum(axis=1)

    def groups(self, asked: Asked, layer: int, count: int = 3, seed: int = 0) -> UseGroups:
        """Raises BertcoreError where the collection has the word too seldom."""
        starts, cosines = self.cosines(asked, layer)
        same = np.flatnonzero(self._is_same(asked, starts))
        if len(same) < 2 * count:
            where = f"{self.tokens.collection.name} has “{asked.word}” {len(same):,} times"
            raise BertcoreError(f"{where}; {count} groups need {2 * count} uses at least.")
        chance = np.random.default_rng(seed)
        chosen = np.sort(chance.permutation(same)[:MOST_USES])
        units = _units(np.vstack([asked.vectors[layer], self._means(asked, layer, starts[chosen])]))
        cloud = chance.standard_normal((len(units), len(units))) @ (units - units.mean(axis=0)) / len(units) ** 0.5
        (groups, apart), (_, by_chance) = (_k_means(each, count, chance) for each in (units, cloud))
        uses = Records(self.tokens.use(int(starts[at]), float(cosines[at]), len(asked.ids)) for at in chosen)
        return UseGroups(uses, groups, (plane := pca(units)).points, plane.kept, apart, by_chance, len(same))

    def _means(self, asked: Asked, layer: int, starts: NDArray) -> NDArray[np.float32]:
        return _units(self.states[layer][starts[:, None] + np.arange(len(asked.ids))]).mean(axis=1)

    def _is_same(self, asked: Asked, starts: NDArray) -> NDArray[np.bool_]:
        return np.all([self.tokens.ids[starts + at] == each for at, each in enumerate(asked.ids)], axis=0)

    def _uses(self, asked: Asked, starts: NDArray, cosines: NDArray, most: int) -> Records[Use]:
        order = np.lexsort((starts, -cosines))
        found = dict(zip(starts[order].tolist(), cosines[order].tolist(), strict=True))
        kept = islice(self.tokens.distinct(found, len(asked.ids), asked.around), most)
        return Records(self.tokens.use(token, found[token], len(asked.ids)) for token in kept)


def index_bytes(tokens: int, layers: int, width: int) -> int:
    """What an index takes on disk."""
    return tokens * (layers * width + 4)


def open_index(
    checkpoint: Checkpoint,
    collection: Collection[Any],
    layers: Sequence[int] | None = None,
    *,
    progress: ReportProgress = no_progress,
) -> TokenIndex:
    """The index of these layers (None: all), made where there is none of just this model and text.

    One that was stopped goes on where it was. Raises BertcoreError where it cannot be written; where the disk has too
    little room, before it is begun.
    """
    from bertcore.evidence.shards import described

    depth, width = checkpoint.config.num_hidden_layers, checkpoint.config.hidden_size
    chosen = sorted(set(range(depth + 1) if layers is None else layers))
    check_numbers("layer", chosen, depth + 1)
    about = repr(checkpoint.config), checkpoint.tokenizer.raw.to_str(), collection.sha256, f"layers {chosen}"
    folder = home() / "cache" / "evidence" / described(checkpoint, about)[:32]
    part = folder.with_suffix(".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                part.mkdir(exist_ok=True)
                _write(Tokens(checkpoint, collection), chosen, part, progress)
                os.replace(part, folder)
    except OSError as error:
        where = f"{part.parent}: {reason_of(error)}"
        raise BertcoreError(f"No index can be written to {where}; name another folder in BERTSCOPE_HOME.") from error
    known = np.load(folder / "ids.npy", mmap_mode="r"), np.load(folder / "starts.npy")
    shape = len(known[0]), width
    mapped = {layer: np.memmap(folder / f"layer-{layer}", np.int8, "r", shape=shape) for layer in chosen}
    states = {layer: np.asarray(each) for layer, each in mapped.items()}  # plain arrays: slicing a map is slow
    return TokenIndex(Tokens(checkpoint, collection, known), states)


def _is_whole(folder: Path) -> bool:
    """Whether its files have the sizes that were noted last of all."""
    sizes = read_json_or_empty(folder / "about.json")
    return bool(sizes) and all(os.path.getsize(folder / name) == size for name, size in sizes.items())


def _write(tokens: Tokens, layers: Sequence[int], part: Path, progress: ReportProgress) -> None:
    """The states in the order of the text, though batches are sorted by length: rows are put in order in memory, a
    block of them at a time. Of a run that was stopped, whole blocks are kept."""
    from bertcore.analysis.passes import for_each, layer_states

    model, width, starts = tokens.checkpoint.model, tokens.checkpoint.config.hidden_size, tokens.starts
    needed, free = index_bytes(len(tokens.ids), len(layers), width), shutil.disk_usage(part).free
    if free < needed - sum(file.stat().st_size for file in part.iterdir()):
        room = f"{needed / 2**20:,.0f} MiB in {part.parent}, which has {free / 2**20:,.0f} left"
        raise BertcoreError(f"The index needs {room}; choose fewer layers or a smaller collection.")

    def states_of(batch: Batch, _: ReportProgress) -> list[NDArray[np.int8]]:
        words = [words_of(each) for each in batch.encodings]
        index, ends = batch.index(words), np.cumsum([len(each) for each in words])[:-1]
        chosen = (x for layer, x in enumerate(layer_states(model, batch)) if layer in layers)
        return np.split(np.stack([_bytes(x[index].float().cpu().numpy()) for x in chosen]), ends, axis=1)

    with ExitStack() as opened:
        streams = [opened.enter_context((part / f"layer-{layer}").open("ab")) for layer in layers]
        done = min(stream.tell() for stream in streams) // width
        blocks = [*range(0, len(starts) - 1, _ROWS), len(starts) - 1]
        kept = int(np.searchsorted(starts[blocks], done, side="right")) - 1
        for stream in streams:
            stream.truncate(int(starts[blocks[kept]]) * width)
        for first, last in zip(blocks[kept:], blocks[kept + 1 :], strict=False):
            share = part_of(progress, first / blocks[-1], (last - first) / blocks[-1])
            found = for_each(model, [*map(tokens.encode, range(first, last))], states_of, progress=share)
            for stream, states in zip(streams, np.concatenate(found, axis=1), strict=True):
                stream.write(np.ascontiguousarray(states).data)
    np.save(part / "ids.npy", tokens.ids)
    np.save(part / "starts.npy", starts)
    write_json(part / "about.json", {file.name: file.stat().st_size for file in part.iterdir()})


def _bytes(vectors: NDArray) -> NDArray[np.int8]:
    """(...,H), each stretched so that its largest number is 127."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    return np.rint(vectors * (127 / np.maximum(largest, 1e-30))).astype(np.int8)


def _units(vectors: NDArray) -> NDArray[np.float32]:
    """(...,H), each of length 1."""
    exact = np.asarray(vectors, dtype=np.float32)
    return exact / np.maximum(np.linalg.norm(exact, axis=-1, keepdims=True), 1e-30)


def _k_means(vectors: NDArray, count: int, chance: np.random.Generator) -> tuple[NDArray[np.int64], float]:
    """The group of each vector, and the share of their variance that lies between groups: the best of ten tries."""
    from scipy.cluster.vq import kmeans2

    tries = [kmeans2(vectors, count, minit="++", seed=chance) for _ in range(10)]
    spreads = [((vectors - centres[groups]).var(axis=0).sum(), groups) for centres, groups in tries]
    within, groups = min(spreads, key=lambda spread: spread[0])
    return groups, 1 - float(within / vectors.var(axis=0).sum())
