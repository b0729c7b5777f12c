"""What is asked about masks: words filled in one by one; at which layer a word is decided, and how one fares.

Where masks are filled, each word is chosen with the words before it in place, so the order matters; by certainty as in
Ghazvininejad et al. 2019 ("Mask-Predict").

The logit lens (nostalgebraist 2020) at masked places. Importable without torch: the window hands over what it wants to
know and reads the answers. Stage 0 is what enters the first layer, stage l what leaves layer l; positions count from 0.
L layers, M masks, S tokens, K pieces of a word, H hidden, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.predict import WordGuess, decided_at, softmax, top_words
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress

from ..state import NOTHING_CHANGED, ModelInput, Reading, WhatIf
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding


Order = Literal["left to right", "most certain first"]


@dataclass(frozen=True)
class FilledMask:
    """One step: the likeliest word at a mask, the masks filled before it standing in the text."""

    position: int
    word: WordGuess  # as a person should see it


def fill_masks(
    checkpoint: Checkpoint,
    text: ModelInput,
    masks: Sequence[int],
    order: Order | Sequence[int] = "left to right",
    most: int | None = None,
    what_if: WhatIf = NOTHING_CHANGED,
    progress: ReportProgress = no_progress,
) -> list[FilledMask]:
    """The steps, first to last, one pass each; `most`: how many at most, None for all.

    text: ids with the masks put in. order: a list of positions fills these, one after the other; "most certain first"
    takes the mask whose likeliest word has the highest p, then looks anew. `progress` is told the share done.
    Raises BertcoreError where there is no MLM head, and for a position that is no open mask.
    """
    from bertcore.analysis.passes import Batch, as_text, predict_heads

    ids, still_open = list(text.input_ids), sorted(masks)
    wanted = list(order) if not isinstance(order, str) else None
    count = min(len(still_open) if wanted is None else len(wanted), len(masks) if most is None else most)
    steps: list[FilledMask] = []
    for done in range(count):
        if wanted is not None and wanted[done] not in still_open:
            raise BertcoreError(f"Position {wanted[done]} has no mask that is still unfilled; choose another one.")
        one = still_open[0] if wanted is None else wanted[done]
        asked = still_open if order == "most certain first" else [one]
        read = as_text(checkpoint.model, ids, text.segments, text.positions)
        (said,) = predict_heads(checkpoint.model, Batch.of([read]), [asked], what_if.changes())
        rows = said.mlm_logits
        if rows is None:
            raise BertcoreError("This model has no masked-word (MLM) head, so it cannot fill masks.")
        best = int(np.argmax([softmax(row).max() for row in rows]))
        guess = top_words(rows[best], checkpoint.tokenizer, 1)[0]
        steps.append(FilledMask(asked[best], replace(guess, token=checkpoint.tokenizer.label(guess.id))))
        ids[asked[best]] = guess.id
        still_open.remove(asked[best])
        progress((done + 1) / count)
    return steps


@dataclass(frozen=True, eq=False)
class MaskLens:
    """What each stage would say at each mask, and how the word that is likeliest in the end fares on the way."""

    words: list[list[list[WordGuess]]]  # [stage][mask], likeliest first
    probability: NDArray[np.float64]  # (L+1,M) of the last stage's likeliest word
    rank: NDArray[np.int64]  # (L+1,M), 1 the likeliest

    def decided(self, mask: int) -> int:
        """The stage from which on the last word is the likeliest."""
        stage = decided_at(self.rank[:, mask])
        assert stage is not None  # at the last stage it is the likeliest
        return stage


@dataclass(frozen=True, eq=False)
class WordThroughLayers:
    """One word at a masked place. Of several pieces: p = product of each piece's p, given the pieces before it."""

    pieces: list[str]  # (K) as a person should see them
    probability: NDArray[np.float64]  # (L+1)
    piece_ranks: NDArray[np.int64]  # (L+1,K) of each piece among all tokens at its place

    @property
    def rank(self) -> NDArray[np.int64] | None:
        """(L+1); None for several pieces, as there is no list of all words to rank them in."""
        return self.piece_ranks[:, 0] if len(self.pieces) == 1 else None


def lens_at(checkpoint: Checkpoint, hidden: NDArray[np.float32], k: int = 3) -> MaskLens:
    """Hidden states of M masks after every stage (L+1,M,H), as a trace has them -> the k likeliest words.

    Raises BertcoreError where there is no MLM head.
    """
    from bertcore.analysis.passes import layer_lens
    from bertcore.analysis.predict import follow_words

    logits = layer_lens(checkpoint.model, hidden, range(hidden.shape[1]))  # (L+1,M,V)
    path = follow_words(logits, logits[-1].argmax(axis=-1).tolist())
    tokenizer = checkpoint.tokenizer
    words = [
        [[replace(guess, token=tokenizer.label(guess.id)) for guess in top_words(mask, tokenizer, k)] for mask in stage]
        for stage in logits
    ]
    return MaskLens(words, path.probability, path.rank)


def lens_of(checkpoint: Checkpoint, reading: Reading, positions: Sequence[int], _progress: ReportProgress) -> MaskLens:
    """`lens_at` of a reading, at some of its positions."""
    return lens_at(checkpoint, np.asarray(reading.trace.hidden_states[:, list(positions)], dtype=np.float32))


def word_through_layers(
    checkpoint: Checkpoint,
    text: ModelInput,
    encoding: Encoding,
    position: int,
    word: str,
    what_if: WhatIf = NOTHING_CHANGED,
    _progress: ReportProgress = no_progress,
) -> WordThroughLayers:
    """How a typed word, of one piece or several, fares at a mask from stage to stage.

    encoding: of the typed text, which says how a word is cut there. Several pieces are read as in
    `words.word_probability`. Raises BertcoreError for a word that the vocabulary cannot write, where there is no room
    for its pieces, and for several pieces while rows are edited or tokens moved: the longer text has other places.
    """
    from bertcore.analysis.passes import Batch, hidden_states, layer_lens
    from bertcore.analysis.predict import follow_words
    from bertcore.analysis.words import piece_by_piece, pieces_at

    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    ids = pieces_at(word, tokenizer, encoding, position)
    if len(ids) > 1 and (what_if.rows or what_if.positions or what_if.swap):
        raise BertcoreError(
            f"“{word.strip()}” has {len(ids)} pieces and makes the text longer; put back the edited rows and moved "
            "tokens first, or choose a word of one piece."
        )
    batch = Batch.of(piece_by_piece(model, tokenizer, text_of(model, text), position, ids))
    places = [[position + piece] for piece in range(len(ids))]
    hidden = np.concatenate(hidden_states(model, batch, places, what_if.changes()), axis=1)  # (L+1,K,H)
    path = follow_words(layer_lens(model, hidden, range(len(ids))), ids)
    pieces = [tokenizer.label(token) for token in ids]
    return WordThroughLayers(pieces, path.probability.prod(axis=1), path.rank)
