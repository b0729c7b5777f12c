"""What a person asks about words: how surprising each is, which decided a prediction, what each snapshot predicts.

Importable without torch: the window names what it wants on its own thread, and has it worked out on another, in batches
that are small enough for what is more urgent not to wait long. Positions count from 0. S tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertcore.analysis.predict import WordGuess
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress

from ..state.what_if import NOTHING_CHANGED, WhatIf
from .head_questions import INTERACTIVE_TOKENS, HeadTarget
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution, Method
    from bertcore.analysis.words import Surprise
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding

    from ..state.readings import ModelInput


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


def words_over_time(
    snapshots: Sequence[Path], text: str, progress: ReportProgress = no_progress
) -> dict[Path, WordGuess]:
    """The likeliest word for the first [MASK] of `text`, by snapshot.

    A snapshot that is gone (a run thins its snapshots while it goes on) or has no MLM head is left out.
    Raises BertcoreError where the text has no [MASK].
    """
    from bertcore.analysis.predict import top_words
    from bertcore.analysis.trace import trace
    from bertcore.checkpoint.checkpoint import load_checkpoint

    guesses = {}
    for number, folder in enumerate(snapshots):
        progress(number / len(snapshots))
        try:
            checkpoint = load_checkpoint(folder)
        except BertcoreError:
            continue
        tokenizer = checkpoint.tokenizer
        encoding = tokenizer.encode(text, max_length=checkpoint.config.max_length)
        if tokenizer.mask_id not in encoding.ids:
            if encoding.dropped:
                raise BertcoreError("The sentence is too long: its [MASK] was cut off. Write a shorter one.")
            raise BertcoreError("Write [MASK] in the sentence, where the model should put a word.")
        position = encoding.ids.index(tokenizer.mask_id)
        made = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[position])
        if made.mlm_logits is not None:
            guess = top_words(made.mlm_logits[0], tokenizer, 1)[0]
            guesses[folder] = replace(guess, token=tokenizer.label(guess.id))
    return guesses
