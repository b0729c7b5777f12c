"""How a prediction changes while a model learns. Importable without torch: the window names the question."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bertcore.analysis.predict import WordGuess
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, no_progress


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
