"""Where the difference between two texts passes through the model, for the view "Swap in".

Importable without torch: the window names what it asks about on its own thread, and has it worked out on another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertcore.analysis.targets import Target

from ..look.bidi import isolated
from .head_questions import INTERACTIVE_TOKENS, HeadTarget, targets_of

if TYPE_CHECKING:
    from bertcore.analysis.patching import PatchingMap
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ..state.readings import ModelInput, Reading
    from .question import Step

translate = QCoreApplication.translate
SHARE_OF_STATES = 0.7  # of the time that both maps take


@dataclass(frozen=True, eq=False)
class SwapMaps:
    """Two maps of the same difference; L layers, N heads, S tokens."""

    states: PatchingMap  # (L+1,S): what each token is after the embeddings and after each layer
    heads: PatchingMap  # (L,N): what each head gives, at all tokens


def swap_maps(checkpoint: Checkpoint, ours: ModelInput, theirs: ModelInput, target: Target, step: Step) -> SwapMaps:
    """Everything in `ours` replaced in turn by what it is in `theirs` (`patching.patching_map`).

    Raises BertcoreError where the texts differ in length, or not enough in the target.
    """
    from bertcore.analysis.passes import as_text
    from bertcore.analysis.patching import patching_map

    model = checkpoint.model
    text, other = (as_text(model, one.input_ids, one.segments, one.positions) for one in (ours, theirs))
    states = patching_map(
        model,
        text,
        other,
        target,
        max_tokens=INTERACTIVE_TOKENS,
        progress=lambda share: step(SHARE_OF_STATES * share),
    )
    heads = patching_map(
        model,
        text,
        other,
        target,
        "head",
        max_tokens=INTERACTIVE_TOKENS,
        progress=lambda share: step(SHARE_OF_STATES + (1 - SHARE_OF_STATES) * share),
    )
    return SwapMaps(states, heads)


def swap_targets(ours: Reading, theirs: Reading, position: int) -> list[HeadTarget]:
    """What can be asked about: at each mask the word that gains most against the one that loses most, then the rest."""
    contrasts = [_contrast(ours, theirs, number) for number in range(len(ours.masks))]
    return [*(one for one in contrasts if one is not None), *targets_of(ours, position)]


def _contrast(ours: Reading, theirs: Reading, number: int) -> HeadTarget | None:
    """Among the likely words of both texts at one mask; None where the other text has no mask there."""
    mask = ours.masks[number]
    other = next((i for i, one in enumerate(theirs.masks) if one.position == mask.position), None)
    if other is None or ours.trace.mlm_logits is None or theirs.trace.mlm_logits is None:
        return None
    words = {word.id: word.token for word in (*mask.words, *theirs.masks[other].words)}
    ids = list(words)
    change = theirs.trace.mlm_logits[other][ids].astype(np.float64) - ours.trace.mlm_logits[number][ids]
    gained, lost = ids[int(change.argmax())], ids[int(change.argmin())]
    if gained == lost:
        return None
    label = translate("HeadTarget", "“{word}” rather than “{other}” at {position}").format(
        word=isolated(words[gained]), other=isolated(words[lost]), position=mask.position
    )
    return HeadTarget(label, Target("mlm", gained, mask.position, against=lost))
