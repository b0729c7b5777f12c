"""Masks filled one by one: each word is chosen with the words before it in place, so the order matters.

Importable without torch. Positions count from 0. Ghazvininejad et al. 2019 ("Mask-Predict") for the order by certainty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from app.state.what_if import NOTHING_CHANGED, WhatIf
from bertcore.analysis.predict import WordGuess, predict_masks, softmax, top_words
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from app.state.readings import ModelInput
    from bertcore.checkpoint.checkpoint import Checkpoint

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
    *,
    most: int | None = None,
    what_if: WhatIf = NOTHING_CHANGED,
    step: Callable[[float], object] | None = None,
) -> list[FilledMask]:
    """The steps, first to last, one pass each; `most`: how many at most, None for all.

    text: ids with the masks put in. order: a list of positions fills these, one after the other; "most certain first"
    takes the mask whose likeliest word has the highest p, then looks anew. `step` is told the share done.
    Raises BertcoreError where there is no MLM head, and for a position that is no open mask.
    """
    ids, still_open = list(text.input_ids), sorted(masks)
    wanted = list(order) if not isinstance(order, str) else None
    count = min(len(still_open) if wanted is None else len(wanted), len(masks) if most is None else most)
    steps: list[FilledMask] = []
    for done in range(count):
        if wanted is not None and wanted[done] not in still_open:
            raise BertcoreError(f"Position {wanted[done]} has no mask that is still unfilled; choose another one.")
        one = still_open[0] if wanted is None else wanted[done]
        asked = still_open if order == "most certain first" else [one]
        outputs = predict_masks(
            checkpoint.model, ids, text.segments, text.positions, positions=asked, changes=what_if.changes()
        )
        rows = outputs.mlm_logits
        if rows is None:
            raise BertcoreError("This model has no masked-word (MLM) head, so it cannot fill masks.")
        best = int(np.argmax([softmax(row).max() for row in rows]))
        guess = top_words(rows[best], checkpoint.tokenizer, 1)[0]
        steps.append(FilledMask(asked[best], replace(guess, token=checkpoint.tokenizer.label(guess.id))))
        ids[asked[best]] = guess.id
        still_open.remove(asked[best])
        if step is not None:
            step((done + 1) / count)
    return steps
