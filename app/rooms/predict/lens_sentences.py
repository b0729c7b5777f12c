"""In which layers a word leads at a mask, and where it wins, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...look import numbers
from ...look.bidi import isolated
from ...look.say import say
from .view import stage_name

if TYPE_CHECKING:
    from ...compute.masks import MaskLens


def top_guesses(lens: MaskLens, mask: int) -> list[str]:
    """(L+1) the likeliest word at a mask at each stage."""
    return [stage[mask][0].token for stage in lens.words]


def decided_sentence(lens: MaskLens, mask: int) -> str:
    """Of the word that is likeliest in the end."""
    tops = top_guesses(lens, mask)
    return word_sentence(tops[-1], lens.probability[:, mask], lens.rank[:, mask], tops)


def word_sentence(word: str, chances: np.ndarray, ranks: np.ndarray | None, tops: Sequence[str]) -> str:
    """chances, ranks (L+1): of the word; ranks None for a word of several pieces. tops (L+1): the likeliest words."""
    from ...compute.masks import decided_at

    last = len(chances) - 1
    named = {"word": isolated(word), "share": numbers.percent(float(chances[-1]))}
    if ranks is None:
        sentence = say("“{word}” is most likely after {stage}; its final probability is {share}.")
        return sentence.format(**named, stage=stage_name(int(chances.argmax())))
    decided = decided_at(ranks)
    if decided == 0:
        sentence = say("“{word}” leads from the embeddings to the last layer ({share}).")
        return sentence.format(**named)
    if ranks.min() > 1:
        sentence = say(
            "“{word}” never ranks first; its best rank is {best}, after {stage}. Its final probability is {share}, "
            "rank {rank}."
        )
        best = {"best": numbers.count(int(ranks.min())), "stage": stage_name(int(ranks.argmin()))}
        return sentence.format(**named, **best, rank=numbers.count(int(ranks[-1])))
    first = (ranks == 1).tolist().index(True)
    if decided is not None and decided == first:
        named["before"], named["layer"] = isolated(tops[decided - 1]), str(decided)
        if decided < last:
            sentence = say(
                "“{word}” leads from layer {layer} ({at_first}) to the last ({share}); just before, the guess is "
                "“{before}”."
            )
            return sentence.format(**named, at_first=numbers.percent(float(chances[decided])))
        sentence = say("“{word}” wins only in the last layer ({share}); {until}, the guess is “{before}”.")
        if decided > 1 and tops[decided - 2] == tops[decided - 1]:
            sentence = say("“{word}” wins only in the last layer ({share}); {until}, the guess is still “{before}”.")
        return sentence.format(**named, until=_until(last - 1))
    lost = next(stage for stage in range(first, last + 1) if ranks[stage] != 1)  # where it is overtaken
    named |= {"where": _led(first, lost - 1), "other": isolated(tops[lost]), "lost": str(lost)}
    if decided is None:
        sentence = say("“{word}” leads {where}, but not at the end: its final probability is {share}, rank {rank}.")
        return sentence.format(**named, rank=numbers.count(int(ranks[-1])))
    if decided == last:
        sentence = say(
            "“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” wins in layer {layer}, the "
            "last ({share})."
        )
    else:
        sentence = say(
            "“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” leads again from layer "
            "{layer} to the last ({share})."
        )
    return sentence.format(**named, layer=decided)


def _until(stage: int) -> str:
    if not stage:
        return say("before the first layer")
    return say("after layer {layer}", layer=stage)


def _led(first: int, last: int) -> str:
    """Where a word leads, as a part of a sentence."""
    if last == 0:
        return say("before the first layer")
    if first == 0:
        return say("up to layer {layer}", layer=last)
    if first == last:
        return say("in layer {layer}", layer=first)
    text = say("in layers {first} to {last}")
    if last == first + 1:
        text = say("in layers {first} and {last}")
    return text.format(first=first, last=last)
