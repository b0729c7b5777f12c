"""What a person asks about words: how surprising each is, and which decided a prediction.

Importable without torch: the window names what it wants on its own thread, and has it worked out on another, in batches
that are small enough for what is more urgent not to wait long. Positions count from 0. S tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertcore.progress import ReportProgress, no_progress

from ..state import NOTHING_CHANGED, ModelInput, WhatIf
from .head_questions import INTERACTIVE_TOKENS, HeadTarget
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution, Method
    from bertcore.analysis.masked_draws import MaskedDraws
    from bertcore.analysis.words import Surprise
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding


def surprise_of(
    checkpoint: Checkpoint,
    encoding: Encoding,
    text: ModelInput,
    whole_words: bool = False,
    what_if: WhatIf = NOTHING_CHANGED,
    progress: ReportProgress = no_progress,
) -> Surprise:
    """Each word of the typed text masked in turn (`words.surprises`); its own words count, not the masks over them.

    text: gives segments and positions as the model reads them. whole_words: the later pieces of a word are hidden with
    it. Raises BertcoreError where there is no MLM head, or no mask in the vocabulary.
    """
    from bertcore.analysis.merging import word_groups
    from bertcore.analysis.passes import as_text
    from bertcore.analysis.words import surprises

    (found,) = surprises(
        checkpoint.model,
        [encoding],
        checkpoint.tokenizer.mask_id,
        texts=[as_text(checkpoint.model, encoding.ids, text.segments, text.positions)],
        groups=[word_groups(encoding)] if whole_words else None,
        max_tokens=INTERACTIVE_TOKENS,
        changes=what_if.changes(),
        progress=progress,
    )
    return found


def draws_of(
    checkpoint: Checkpoint, ids: tuple[int, ...], segments: tuple[int, ...], progress: ReportProgress = no_progress
) -> MaskedDraws:
    """The text masked a hundred times as training masks it. Raises BertcoreError where no word can be predicted."""
    from bertcore.analysis.masked_draws import masked_draws

    return masked_draws(checkpoint.model, checkpoint.tokenizer, ids, segments, progress=progress)


def attribution_of(
    checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, method: Method, progress: ReportProgress = no_progress
) -> Attribution:
    """Each token's part (S) in ln p of a prediction, in nats. Raises BertcoreError where no head makes it."""
    from bertcore.analysis.effects import attribute

    asked = text_of(checkpoint.model, text), target.target, method
    return attribute(checkpoint.model, checkpoint.tokenizer, *asked, progress=progress)


def sentence_similarity(checkpoint: Checkpoint, a: str, b: str, _progress: ReportProgress) -> float:
    """Cosine of two sentences, -1..1, each read on its own by a sentence encoder."""
    from bertcore.analysis.passes import sentence_vectors
    from bertcore.analysis.vectors import cosine

    assert checkpoint.pooling is not None
    most = checkpoint.config.max_length
    encodings = [checkpoint.tokenizer.encode(text, max_length=most) for text in (a, b)]
    return cosine(*sentence_vectors(checkpoint.model, encodings, checkpoint.pooling))
