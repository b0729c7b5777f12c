"""Runs go on bit for bit: what earlier versions made of a text, its key and its batches, is what we make of it."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertcore.data.batches import Batch, causal_batch, masked_batch
from bertcore.data.corpus import Corpus, corpus_key, load_corpus
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import PairSampler
from bertcore.tasks.kinds.base import Example
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TaskFile
from bertcore.training.pretraining_batches import TrainingText
from bertcore.training.task_files import data_key
from tests.engine.corpora import STORIES
from tests.engine.models import word_tokenizer

TOKENIZER = word_tokenizer()
# The corpus was hashed with commit c6ab337, the batches with 2e29990, whose runs of format 4 and 5 go on.
CORPUS = "565677530850d1f57bf11be57f9ef2ad3dceb8cc849c3d3820c01ce0e128f291"
BATCHES = "00ee9865f84f8164ae20f2eb258e3eef2153e1f0efdd02bf9c2aa568fe0ab7ec"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (tmp_path / "stories.txt").write_text(STORIES, encoding="utf-8")
    return load_corpus([tmp_path / "stories.txt"], TOKENIZER)


def _arrays(batch: Batch) -> tuple[Any, ...]:
    return batch.input_ids, batch.segment_ids, batch.attention_mask, batch.rows, batch.labels, batch.next_sentence


def test_tokens_sentences_documents_and_held_out_part(corpus: Corpus) -> None:
    arrays = (corpus.tokens, corpus.sentence_starts, corpus.document_starts, corpus.held_out)
    assert hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest() == CORPUS


def test_batches(corpus: Corpus) -> None:
    digest = hashlib.sha256()
    for held_out, length in itertools.product((False, True), (8, 24, 64)):
        sampler = PairSampler(corpus, held_out, length, 3)
        for step in range(30):
            rng = np.random.default_rng([3, step])
            pairs = sampler.pairs(sampler.windows(6), rng)
            for batch in (masked_batch(pairs, TOKENIZER, rng, 0.15), causal_batch(pairs, TOKENIZER)):
                for array in _arrays(batch):
                    shape = b"none" if array is None else str(tuple(array.shape)).encode()
                    digest.update(shape if array is None else shape + array.numpy().astype(np.int64).tobytes())
    assert digest.hexdigest() == BATCHES


def test_the_key_that_snapshots_hold(corpus: Corpus, tmp_path: Path) -> None:
    digest = hashlib.sha256(f"2 0.02\n{TOKENIZER.raw.to_str()}\n".encode())
    digest.update(hashlib.sha256(STORIES.encode()).digest())
    assert corpus.key == corpus_key([tmp_path / "stories.txt"], TOKENIZER) == digest.hexdigest()[:32]


def test_keys_depend_on_no_class_but_on_what_is_read(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier versions hashed the dataclasses as Python shows them: with a new field every run would be another."""
    examples: list[Example] = [
        TextExample("a", "b's \ud800", ("x", "y")),
        TaggedExample(("a", "b"), ("O", "B-x")),
        AnswerExample("1", "who?", "me", (("me", 0),)),
        ChoiceExample("a", ("b", "c"), 1),
        SummaryExample(("a", "b"), (True, False), None),
    ]
    sources = [MixtureFile("books", 2.0), MixtureFile(held_out=True)]
    for given in (examples, examples[:1], []):
        file = TaskFile("any", Path("any"), "train", tuple(given), ("x", "y"), None, 0, ())
        digest = hashlib.sha256(TOKENIZER.raw.to_str().encode())
        digest.update(2 * repr((file.labels, file.examples)).encode("utf-8", "replace"))
        assert data_key(file, file, TOKENIZER) == digest.hexdigest()[:32]
    written = [repr(source).replace("MixtureFile", "Source") for source in sources]  # as the class was called then
    digest = hashlib.sha256("\n".join(f"{corpus.key} {source}" for source in written).encode())
    text = TrainingText([corpus, corpus], sources)
    assert text.key == digest.hexdigest()[:32]
    before = text.key, data_key(file, file, TOKENIZER)
    for kind in (MixtureFile, *map(type, examples)):
        monkeypatch.setattr(kind, "__repr__", lambda _: "with a new field")
    assert (text.key, data_key(file, file, TOKENIZER)) == before
