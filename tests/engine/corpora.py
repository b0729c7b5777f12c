"""Texts and hand-made corpora for the tests of what a model is trained on.

In the hand-made ones every token has its own id, so that an id says which sentence and document it comes from.
"""

import numpy as np

from bertcore.data.corpus import Corpus
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

STORIES = "\n\n".join(
    f"The cat {i} sat on the mat. It was very {word}!\nA dog sang. A bird {word} sat on the cat {i}."
    for i in range(12)
    for word in ("comfortable", "loud", "small", "green", "old")
)


def numbered_corpus(documents, held_out=frozenset()):
    """Documents as lists of sentence lengths; token ids count from 0."""
    lengths = [length for document in documents for length in document]
    return Corpus(
        tokens=np.arange(sum(lengths), dtype=np.uint32),
        sentence_starts=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        document_starts=np.concatenate([[0], np.cumsum([len(d) for d in documents], dtype=np.int64)]),
        held_out=np.array([i in held_out for i in range(len(documents))]),
    )


def random_corpus(seed, documents=40):
    rng = np.random.default_rng(seed)
    lengths = [list(map(int, rng.integers(1, 15, rng.integers(1, 12)))) for _ in range(documents)]
    return numbered_corpus(lengths, held_out={0, 7, 8})


def document_of(corpus, token):
    bounds = corpus.sentence_starts[corpus.document_starts]
    return int(np.searchsorted(bounds, token, side="right")) - 1


def words_only():
    """A tokenizer of a few words, without torch: for processes that a test starts."""
    words = ("the", "cat", "sat", "on", "mat", "it", "was", "very", "a", "dog", "sang", "bird", "and", ".", "!")
    return Tokenizer(raw_from_words((*SPECIAL_TOKENS, *words)))
