"""What each head does in many texts, and how many heads of each kind there are (analysis/attention_heads.py)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertcore.analysis.attention_heads import KINDS, classify_heads
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.tokenizer.tokenizer import Encoding
from model_report.documents import Document, by_source

TEXTS = 200
_LONGEST = 128  # tokens of a text
_FEWEST_WORDS = 5  # of each sentence


@dataclass(frozen=True)
class Head:
    """What one head was in most texts."""

    layer: int  # from 0
    number: int  # from 0
    kind: str  # one of KINDS, or "mixed"
    share: float  # of the texts in which it was that


@dataclass(frozen=True)
class HeadCensus:
    texts: int
    heads: tuple[Head, ...]

    def counts(self) -> dict[str, int]:
        """How many heads are of each kind, those that there are."""
        found = Counter(head.kind for head in self.heads)
        return {kind: found[kind] for kind in (*KINDS, "mixed") if found[kind]}


def sentence_pairs(documents: Sequence[Document], count: int) -> list[tuple[str, str]]:
    """A sentence and the next one of at most so many documents, in turn from each file."""
    rows = [[pair for d in group if (pair := _first_pair(d))] for group in by_source(documents).values()]
    longest = max((len(row) for row in rows), default=0)
    return [row[i] for i in range(longest) for row in rows if i < len(row)][:count]


def _first_pair(document: Document) -> tuple[str, str] | None:
    """The first two sentences on end that are more than an exclamation."""
    pairs = zip(document.sentences, document.sentences[1:], strict=False)
    return next(((a, b) for a, b in pairs if min(len(a.split()), len(b.split())) >= _FEWEST_WORDS), None)


def head_census(checkpoint: Checkpoint, texts: Sequence[tuple[str, str]]) -> HeadCensus | None:
    """The commonest kind of each head over pairs of sentences; on a tie the one listed first. None without texts."""
    if not texts:
        return None
    config = checkpoint.config
    longest = min(_LONGEST, config.max_length)
    encodings = (checkpoint.tokenizer.encode(a, b, max_length=longest) for a, b in texts)
    found = np.array([_kinds(checkpoint, encoding) for encoding in encodings])  # (texts, L*N)
    heads = []
    for index, of_head in enumerate(found.T):
        counts = np.bincount(of_head, minlength=len(KINDS) + 1)
        kind = int(counts.argmax())
        layer, number = divmod(index, config.num_attention_heads)
        heads.append(Head(layer, number, (*KINDS, "mixed")[kind], float(counts[kind] / len(texts))))
    return HeadCensus(len(texts), tuple(heads))


def _kinds(checkpoint: Checkpoint, encoding: Encoding) -> list[int]:
    """For each head of each layer, one after the other, the number of its kind."""
    attentions = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[]).attentions  # (L,N,S,S)
    names = (*KINDS, "mixed")
    return [names.index(head.kind) for head in classify_heads(attentions.reshape(-1, *attentions.shape[2:]), encoding)]
