"""Features of documents to be summarised, as BertSum reads them (Liu and Lapata 2019, section 3.1)."""

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.tasks.examples import SummaryExample
from bertcore.tasks.features.kinds import SummaryFeatures
from bertcore.tasks.features.ragged import Ragged
from bertcore.tasks.features.tokenise import SequenceWriter, portions, text_ids
from bertcore.tokenizer.framing import Framing
from bertcore.tokenizer.tokenizer import Tokenizer


def summary_features(examples: Sequence[SummaryExample], tokenizer: Tokenizer, max_length: int) -> SummaryFeatures:
    """All sentences in one sequence, [CLS] before and [SEP] after each, segments 0 and 1 by turns.

    Sentences from the first on that does not fit as a whole are left out; a first sentence too long alone is cut.
    Raises BertcoreError for a document without sentences, or with as many labels as it has no sentences.
    """
    framing, writer = tokenizer.framing, SequenceWriter()
    if max_length < framing.single.specials:
        raise BertcoreError(f"Sequences of {max_length} tokens have no room for a sentence; allow more.")
    firsts: list[list[int]] = []
    for portion in portions(len(examples)):
        documents = [examples[i] for i in portion]
        ids = iter(text_ids(tokenizer, list(chain.from_iterable(document.sentences for document in documents))))
        for i, document in zip(portion, documents, strict=True):
            _check(i, document)
            sentences = [next(ids) for _ in document.sentences]
            tokens, segments, places = _one_sequence(sentences, framing, max_length)
            writer.add(tokens, segments)
            firsts.append(places)
    rows = Ragged.of(firsts)
    flat = [_labels(document, len(places)) for document, places in zip(examples, firsts, strict=True)]
    answers = Ragged(np.array(list(chain.from_iterable(flat)), dtype=np.float32), rows.starts)
    known = all(document.labels is not None for document in examples)
    numbers = np.arange(len(examples))
    return SummaryFeatures("summarise", "summarise", examples, (), *writer.done(), numbers, known, rows, answers)


def _one_sequence(
    sentences: list[list[int]], framing: Framing, max_length: int
) -> tuple[list[int], bytearray, list[int]]:
    """Ids, segments, and the places where sentences begin."""
    ids: list[int] = []
    segments, places = bytearray(), []
    specials = framing.single.specials
    for number, sentence in enumerate(sentences):
        if number and len(ids) + len(sentence) + specials > max_length:
            break
        framed, _, _ = framing.fitted(sentence, None, max_length)
        places.append(len(ids))
        ids += framed
        segments += bytes((number % 2,)) * len(framed)
    return ids, segments, places


def _labels(document: SummaryExample, count: int) -> list[float]:
    if document.labels is None:
        return [math.nan] * count
    return [float(label) for label in document.labels[:count]]


def _check(place: int, document: SummaryExample) -> None:
    if not document.sentences:
        raise BertcoreError(f"Document {place + 1} has no sentences; leave it out.")
    if document.labels is not None and len(document.labels) != len(document.sentences):
        raise BertcoreError(
            f"Document {place + 1} has {len(document.sentences)} sentences and {len(document.labels)} labels."
        )
