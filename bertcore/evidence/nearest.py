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
from bertcore.analysis.vectors import Clusters, clusters_of, units_of
from bertcore.errors import BertcoreError
from bertcore.evidence.shards import Arrays, beside, described
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
ENOUGH = 20  # times as many as are asked for: the others may be near-duplicates
SAMPLED = 10_000  # pairs of tokens
MOST_USES = 2000  # that are put into groups
INDEXED = 16_384  # rows of an index, where a collection has more: what shards share
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


@dataclass(frozen=True, eq=False)
class Tokens:
    """All of some texts but for special ones."""

    ids: NDArray[np.int32]  # (T)
    starts: NDArray[np.int64]  # (R+1) the first token of each row, and T

    @classmethod
    def of(cls, encodings: Iterable[Encoding]) -> Tokens:
        ids = [[each.ids[at] for at in words_of(each)] for each in encodings]
        starts = np.array(list(accumulate(map(len, ids), initial=0)))
        return cls(np.array([each for row in ids for each in row], dtype=np.int32), starts)

    def places(self, tokens: NDArray) -> NDArray[np.int64]:
        """(...,2) the row of each, and which of its tokens it is."""
        rows = np.searchsorted(self.starts, tokens, side="right") - 1
        return np.stack([rows, tokens - self.starts[rows]], axis=-1)

    def around(self, tokens: NDArray, count: int = 1) -> NDArray[np.int32]:
        """(P) -> (P,count+2*AROUND): `count` tokens from each on, and AROUND on both sides; -1 outside the sentence."""
        rows, at = self.places(tokens)[:, :1], tokens[:, None] + np.arange(-AROUND, count + AROUND)
        is_inside = (self.starts[rows] <= at) & (at < self.starts[rows + 1])
        return np.where(is_inside, np.append(self.ids, -1)[at.clip(-1, len(self.ids))], -1)


def use_at(
    checkpoint: Checkpoint, collection: Collection[Any], place: Sequence[int], value: float, count: int = 1
) -> Use:
    """`count` tokens at one of `Tokens.places`."""
    row, first = place
    text, encoding = collection.rows[row], checkpoint.encode(collection.rows[row].text)
    at = words_of(encoding)[first : first + count]
    start, end = encoding.offsets[at[0]][0], encoding.offsets[at[-1]][1]
    return Use(text.text[:start], text.text[start:end], text.text[end:], value, text.place, row, at[0])


def words_of(encoding: Encoding) -> list[int]:
    """The positions that are not special tokens."""
    return [at for at, part in enumerate(encoding.parts) if part != "special"]


@dataclass(frozen=True, eq=False)
class Asked:
    """A token of a text, or a phrase, other uses of which are looked for."""

    word: str
    ids: tuple[int, ...]
    around: NDArray[np.int32]  # with AROUND tokens on both sides, as `Tokens.around`
    vectors: Mapping[int, NDArray[np.float32]]  # layer -> (H): the mean of its tokens' states, each of length 1


@dataclass(frozen=True, eq=False)
class UseGroups(Clusters):
    """The uses of a word in groups: first the word asked for, then its U uses."""

    uses: Records[Use]  # U; the value is the cosine with what was asked
    count: int  # of uses in the collection: where there are too many, U of them are drawn


def ask(checkpoint: Checkpoint, encoding: Encoding, positions: Sequence[int], layers: Iterable[int]) -> Asked:
    """One token of a text, or several side by side. Raises BertcoreError for others."""
    import torch

    from bertcore.analysis.passes import Batch, as_text, layer_states

    check_rows(positions, len(encoding))
    at, words, tokenizer = sorted(positions), words_of(encoding), checkpoint.tokenizer
    if not at or at != list(range(at[0], at[0] + len(at))) or not set(at) <= set(words):
        raise BertcoreError("Choose a word, or several side by side; special tokens stand in every sentence.")
    with torch.inference_mode():
        batch = Batch.of([as_text(checkpoint.model, encoding.ids, encoding.segments)])
        states = [x[0, at].float().cpu().numpy() for x in layer_states(checkpoint.model, batch)]
    ids = tuple(encoding.ids[each] for each in at)
    word = tokenizer.label(ids[0]) if len(ids) == 1 else tokenizer.decode(ids)
    (around,) = Tokens.of([encoding]).around(np.array([words.index(at[0])]), len(ids))
    return Asked(word, ids, around, {layer: units_of(states[layer]).mean(axis=0) for layer in layers})


class TokenIndex:
    """`states`: layer (0: the embeddings) -> (T,H). Cosines are all that is left of them, not lengths."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        collection: Collection[Any],
        tokens: Tokens,
        states: Mapping[int, NDArray[np.int8]],
    ) -> None:
        self.checkpoint, self.collection, self.tokens, self.states = checkpoint, collection, tokens, states
        self._lengths: dict[tuple[int, int], NDArray[np.float32]] = {}

    def ask(self, encoding: Encoding, positions: Sequence[int]) -> Asked:
        """One token of a text, or several side by side. Raises BertcoreError for others."""
        return ask(self.checkpoint, encoding, positions, self.states)

    def cosines(self, asked: Asked, layer: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The first token of every phrase as long as what was asked (P), and its cosine with that (P).

        Raises BertcoreError for a layer that the index does not have.
        """
        if layer not in self.states:
            raise BertcoreError(f"This index has no layer {layer}; it has {', '.join(map(str, self.states))}.")
        starts, count, known = np.arange(len(self.tokens.ids)), len(asked.ids), (layer, len(asked.ids))
        if count > 1:
            rows = self.tokens.places(starts)[:, 0]
            starts = starts[: 1 - count][rows[: 1 - count] == rows[count - 1 :]]
        found, lengths = np.empty((2, len(starts)), dtype=np.float32)
        for at in range(0, len(starts), _VECTORS):
            here = slice(at, at + _VECTORS)
            whole = (
                self.states[layer][here].astype(np.float32) if count == 1 else self._means(asked, layer, starts[here])
            )
            found[here] = whole @ units_of(asked.vectors[layer])
            if known not in self._lengths:
                lengths[here] = np.linalg.norm(whole, axis=1)
        return starts, found / self._lengths.setdefault(known, lengths)

    def nearest(self, asked: Asked, layer: int, count: int = 50) -> Records[Use]:
        """The nearest first, without near-duplicates."""
        found = nearest_of(self.near(asked, layer, count), asked, count)
        return uses_of(self.checkpoint, self.collection, asked, found)

    def near(self, asked: Asked, layer: int, count: int) -> Arrays:
        """The nearest as `found_at`, so many that `count` are left without near-duplicates."""
        starts, cosines = self.cosines(asked, layer)
        most = ENOUGH * count
        chosen = np.argpartition(-cosines, most)[:most] if most < len(starts) else slice(None)
        return self._found(asked, starts[chosen], cosines[chosen])

    def same_word(self, asked: Asked, layer: int) -> Records[Use]:
        """All its uses, the least alike last, without near-duplicates."""
        starts, cosines = self.cosines(asked, layer)
        same = self._is_same(asked, starts)
        found = self._found(asked, starts[same], cosines[same])
        return uses_of(self.checkpoint, self.collection, asked, nearest_of(found, asked, len(starts)))

    def same_by_layer(self, asked: Asked, count: int = 50) -> dict[int, int]:
        """Layer -> how many of the `count` nearest are the word itself."""
        near = {layer: nearest_of(self.near(asked, layer, count), asked, count)["around"] for layer in self.states}
        return {layer: int((each[:, AROUND:-AROUND] == asked.ids).all(1).sum()) for layer, each in near.items()}

    def any_two(self, layer: int, seed: int = 0) -> NDArray[np.float32]:
        """The cosines of SAMPLED pairs of any two tokens: how alike all are (Ethayarajh 2019, section 4.1)."""
        pairs = np.random.default_rng(seed).integers(0, len(self.tokens.ids), (2, SAMPLED))
        first, second = units_of(self.states[layer][pairs])
        return (first * second).sum(axis=1)

    def groups(self, asked: Asked, layer: int, count: int = 3, seed: int = 0) -> UseGroups:
        """Raises BertcoreError where the collection has the word too seldom."""
        starts, cosines = self.cosines(asked, layer)
        same = np.flatnonzero(self._is_same(asked, starts))
        if len(same) < 2 * count:
            where = f"{self.collection.name} has “{asked.word}” {len(same):,} times"
            raise BertcoreError(f"{where}; {count} groups need {2 * count} uses at least.")
        chance = np.random.default_rng(seed)
        chosen = np.sort(chance.permutation(same)[:MOST_USES])
        units = units_of(np.vstack([asked.vectors[layer], self._means(asked, layer, starts[chosen])]))
        uses = uses_of(self.checkpoint, self.collection, asked, self._found(asked, starts[chosen], cosines[chosen]))
        return UseGroups(**vars(clusters_of(units, count, chance)), uses=uses, count=len(same))

    def _means(self, asked: Asked, layer: int, starts: NDArray) -> NDArray[np.float32]:
        return units_of(self.states[layer][starts[:, None] + np.arange(len(asked.ids))]).mean(axis=1)

    def _is_same(self, asked: Asked, starts: NDArray) -> NDArray[np.bool_]:
        return np.all([self.tokens.ids[starts + at] == each for at, each in enumerate(asked.ids)], axis=0)

    def _found(self, asked: Asked, starts: NDArray, cosines: NDArray) -> Arrays:
        around = self.tokens.around(starts, len(asked.ids))
        return {"cosines": cosines, "places": self.tokens.places(starts), "around": around}


def nearest_of(found: Arrays, asked: Asked, count: int) -> Arrays:
    """The `count` nearest, without those that stand among the same words as one before them, or as what was asked."""
    found = nearest_first([found], len(found["cosines"]))
    _, first = np.unique(np.vstack([asked.around, found["around"]]), axis=0, return_index=True)
    return {name: each[np.sort(first)[1:][:count] - 1] for name, each in found.items()}


def nearest_first(parts: Sequence[Arrays], most: int) -> Arrays:
    """The nearest of all parts of a collection."""
    found = beside(parts)
    order = np.lexsort((found["places"][:, 1], found["places"][:, 0], -found["cosines"]))[:most]
    return {name: each[order] for name, each in found.items()}


def uses_of(checkpoint: Checkpoint, collection: Collection[Any], asked: Asked, found: Arrays) -> Records[Use]:
    each = zip(found["places"].tolist(), found["cosines"].tolist(), strict=True)
    return Records(use_at(checkpoint, collection, place, cosine, len(asked.ids)) for place, cosine in each)


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
    from bertcore.data.corpus_cache import INDEXES, hold, trim

    depth, width = checkpoint.config.num_hidden_layers, checkpoint.config.hidden_size
    chosen = sorted(set(range(depth + 1) if layers is None else layers))
    check_numbers("layer", chosen, depth + 1)
    about = described(checkpoint, ("index", collection.sha256, f"layers {chosen}"))
    folder = home() / "cache" / INDEXES / about[:32]
    part = folder.with_suffix(".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                part.mkdir(exist_ok=True)
                _write(checkpoint, collection, chosen, part, progress)
                os.replace(part, folder)
            hold(folder)
        trim()
    except OSError as error:
        where = f"{part.parent}: {reason_of(error)}"
        raise BertcoreError(f"No index can be written to {where}; name another folder in BERTSCOPE_HOME.") from error
    tokens = Tokens(np.load(folder / "ids.npy", mmap_mode="r"), np.load(folder / "starts.npy"))
    shape = len(tokens.ids), width
    mapped = {layer: np.memmap(folder / f"layer-{layer}", np.int8, "r", shape=shape) for layer in chosen}
    states = {layer: np.asarray(each) for layer, each in mapped.items()}  # plain arrays: slicing a map is slow
    return TokenIndex(checkpoint, collection, tokens, states)


def _is_whole(folder: Path) -> bool:
    """Whether its files have the sizes that were noted last of all."""
    sizes = read_json_or_empty(folder / "about.json").get("files")
    return isinstance(sizes, dict) and all(os.path.getsize(folder / name) == size for name, size in sizes.items())


def _write(
    checkpoint: Checkpoint, collection: Collection[Any], layers: Sequence[int], part: Path, progress: ReportProgress
) -> None:
    """The states in the order of the text, though batches are sorted by length: rows are put in order in memory, a
    block of them at a time. Of a run that was stopped, whole blocks are kept."""
    from bertcore.analysis.passes import for_each, layer_states

    def encodings(rows: range) -> Iterator[Encoding]:
        return (checkpoint.encode(collection.rows[row].text) for row in rows)

    tokens = Tokens.of(encodings(range(len(collection))))
    model, width, starts = checkpoint.model, checkpoint.config.hidden_size, tokens.starts
    if not len(tokens.ids):
        raise BertcoreError(f"{collection.name} has no words.")
    needed, free = index_bytes(len(tokens.ids), len(layers), width), shutil.disk_usage(part).free
    if free < needed - sum(file.stat().st_size for file in part.iterdir()):
        room = f"{needed / 2**20:,.0f} MiB in {part.parent}, which has {free / 2**20:,.0f} left"
        raise BertcoreError(f"The index needs {room}; choose fewer layers or a smaller collection.")

    def states_of(batch: Batch, _: ReportProgress) -> list[NDArray[np.int8]]:
        words = [words_of(each) for each in batch.encodings]
        index, ends = batch.index(words), np.cumsum([len(each) for each in words])[:-1]
        stages = enumerate(islice(layer_states(model, batch), layers[-1] + 1))  # those beyond are not computed
        chosen = (x for layer, x in stages if layer in layers)
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
            found = for_each(model, list(encodings(range(first, last))), states_of, progress=share)
            for stream, states in zip(streams, np.concatenate(found, axis=1), strict=True):
                stream.write(np.ascontiguousarray(states).data)
    np.save(part / "ids.npy", tokens.ids)
    np.save(part / "starts.npy", starts)
    sizes = {file.name: file.stat().st_size for file in part.iterdir()}
    write_json(part / "about.json", {"sources": [collection.name], "files": sizes})


def _bytes(vectors: NDArray) -> NDArray[np.int8]:
    """(...,H), each stretched so that its largest number is 127."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    return np.rint(vectors * (127 / np.maximum(largest, 1e-30))).astype(np.int8)
