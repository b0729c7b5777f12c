"""What lessons ask of the collections that ship: worked out once for a model, whatever page wants it.

Importable without torch.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError
from bertcore.progress import no_progress

from ..look.say import say
from .evidence import FoundGrammar, Gathered, Kept, Kind, grammar_of, heads_of, read_collection, shipped_source

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.heads import HeadEvidence
    from bertcore.progress import ReportProgress

_kept = Kept()


def shipped_heads(checkpoint: Checkpoint, text: str, progress: ReportProgress) -> HeadEvidence:
    """What each head brings along, swapped in: over all pairs, or in the pair of this text alone.

    Raises BertcoreError where no pair has it.
    """
    gathered = _gathered("pairs")
    if text:
        rows = tuple(pair for pair in gathered.collection.rows if pair.text == text)
        if not rows:
            raise BertcoreError(say("“{text}” is none of the pairs that ship.", text=text))
        gathered = Gathered(text, text, replace(gathered.collection, rows=rows), gathered.words)
    return heads_of(checkpoint, gathered, "swap", _kept, progress)


def shipped_grammar(checkpoint: Checkpoint, progress: ReportProgress) -> FoundGrammar:
    """What each head finds in the treebank."""
    return grammar_of(checkpoint, _gathered("trees"), _kept, progress)


@cache
def _gathered(kind: Kind) -> Gathered:
    return read_collection(shipped_source(kind), no_progress)
