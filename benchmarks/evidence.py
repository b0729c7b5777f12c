"""Evidence over collections: heads over pairs, grammar and an index beside a bare pass, and how quickly it answers.

One core; processor time, as other programs may be at work. Collections that ship; for the index the sample stories.
"""

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Row, medians_in_turns
from bertcore.analysis.passes import for_each
from bertcore.evidence.collection import Collection, Sentence, read_pairs, read_treebank
from bertcore.evidence.fires import fires
from bertcore.evidence.nearest import Asked, TokenIndex, Tokens, open_index
from bertcore.loaded_model import load
from bertcore.locations import assets, sample_corpus

SENTENCES, WIDTH, NEAREST, ROUNDS = 4000, 384, 10, 5


def rows() -> list[Row]:
    return [*_head_rows(), *_index_rows(), *(_search_row(count) for count in (235_000, 1_000_000))]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _head_rows() -> list[Row]:
    m = load()
    pairs = read_pairs(assets() / "evidence" / "agreement.txt")
    heads = _seconds(lambda: m.evidence(pairs).heads("swap"))
    trees = read_treebank(assets() / "evidence" / "sentences.conllu")

    def bare_pass() -> None:
        """Reading the same sentences, and nothing else."""
        encodings = [m.encode(tree.text) for tree in trees.rows]
        for_each(m.bert, encodings, lambda batch, _: list(batch.hidden(m.bert)))

    grammar, bare = medians_in_turns(lambda: m.evidence(trees).grammar(), bare_pass, ROUNDS)
    share, what = grammar / bare, f"all heads x relations of {len(trees)} sentences, against reading them"
    return [
        Row(f"all heads over {len(pairs)} pairs (swap)", f"{heads:.1f} s", "", heads, "<= 10 s", heads <= 10),
        Row(what, f"{grammar:.2f} s", f"{bare:.2f} s", share, "<= 1.3", share <= 1.3),
    ]


def _index_rows() -> list[Row]:
    m = load()
    lines = [line.strip() for line in sample_corpus().read_text(encoding="utf-8").splitlines() if line.strip()]
    texts = lines[:SENTENCES]
    about = Collection("stories", tuple(Sentence(text, "") for text in texts), "stories")
    encodings = [m.encode(text) for text in texts]
    tokens = Tokens.of(encodings)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, BERTSCOPE_HOME=folder):
        made = _seconds(lambda: open_index(m.checkpoint, about, [0, 3, 6]))
    bare = _seconds(lambda: for_each(m.bert, encodings, lambda batch, _: [None for _ in batch.hidden(m.bert)]))
    found = fires(m.checkpoint, about, 2)
    contexts = _seconds(lambda: [found.contexts(unit) for unit in range(10)]) / 10
    what = f"index of {len(tokens.ids):,} tokens, three layers, against a bare pass"
    return [
        Row(what, f"{made:.1f} s", f"{bare:.1f} s", bare / made, ">= 0.8", bare >= 0.8 * made),
        Row("strongest contexts of a neuron", f"{contexts * 1000:.0f} ms", "", contexts, "<= 50 ms", contexts <= 0.05),
    ]


def _search_row(count: int) -> Row:
    """Vectors around 2,000 centres, in bytes; the peer compares them as they are."""
    chance = np.random.default_rng(0)
    centres = chance.standard_normal((2000, WIDTH), dtype=np.float32)
    states, exact = np.empty((count, WIDTH), dtype=np.int8), list[NDArray[np.float16]]()
    for start in range(0, count, 50_000):
        stop = min(start + 50_000, count)
        vectors = 0.7 * centres[chance.integers(0, 2000, stop - start)]
        vectors += chance.standard_normal(vectors.shape, dtype=np.float32)
        states[start:stop] = np.rint(vectors * (127 / np.abs(vectors).max(axis=1, keepdims=True)))
        exact.append((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16))
    nothing: Any = None
    tokens = Tokens(np.arange(count, dtype=np.int32), np.array([0, count]))
    index, times, recalls = TokenIndex(nothing, nothing, tokens, {0: states}), [], []
    for centre in centres[:8]:
        vector = 0.7 * centre + chance.standard_normal(WIDTH, dtype=np.float32)
        asked, found = Asked("", (0,), tokens.ids[:7], {0: vector}), list[NDArray]()
        times.append(_seconds(lambda asked=asked, found=found: found.append(index.cosines(asked, 0)[1])))  # type: ignore[misc]
        true = np.concatenate([each.astype(np.float32) @ vector for each in exact])
        recalls.append(len({*np.argsort(-found[0])[:NEAREST]} & {*np.argsort(-true)[:NEAREST]}) / NEAREST)
    seconds, recall = float(np.median(times)), float(np.mean(recalls))
    holds = seconds <= 0.15 and recall >= 0.95
    said = f"{seconds * 1000:.0f} ms, recall@10 {recall:.3f}"
    return Row(f"nearest of {count:,} vectors", said, "all, as floats", recall, "<= 150 ms, >= .95", holds)
