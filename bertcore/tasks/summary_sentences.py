"""Extractive summaries: from a score per sentence to the sentences that are kept."""

import re
from collections.abc import Sequence

from bertcore.errors import BertcoreError

_WORD = re.compile(r"\w+|[^\w\s]")

Trigram = tuple[str, str, str]


def choose_sentences(
    scores: Sequence[float], sentences: Sequence[str], count: int, block_trigrams: bool = True
) -> list[int]:
    """Places of at most `count` sentences with the highest scores, in the order of the text.

    With `block_trigrams` a sentence that shares three words in a row with one already chosen is passed over, as BertSum
    does (Liu 2019, "Fine-tune BERT for Extractive Summarization"), so there may be fewer. Words are runs of letters and
    digits, each mark counts as one, upper and lower case are alike; a script without spaces is hardly ever blocked.
    On equal scores the earlier sentence goes first. Raises BertcoreError if scores and sentences differ in number.
    """
    if len(scores) != len(sentences):
        raise BertcoreError(
            f"There are {len(scores)} scores for {len(sentences)} sentences; each needs one of its own."
        )
    chosen: list[int] = []
    seen: set[Trigram] = set()
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        if len(chosen) >= count:
            break
        trigrams = _trigrams(sentences[place]) if block_trigrams else set()
        if seen.isdisjoint(trigrams):
            chosen.append(place)
            seen |= trigrams
    return sorted(chosen)


def _trigrams(sentence: str) -> set[Trigram]:
    """All runs of three words; none in a sentence of one or two."""
    words = _WORD.findall(sentence.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))
