"""What the view "Swap in" says: the numbers of a prediction in two texts, and what one place swapped in brings back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from bertcore.errors import shortened

from ...compute.head_questions import HeadTarget, odds
from ...compute.patching import SwapMap
from ...figures.values import stage_name
from ...look import mark, numbers, say
from ...state import Swap

MOST_TEXT = 120  # characters of each text
LEAST_NAMED = 0.1  # a layer's highest share is named from here on


def score_text(asked: HeadTarget, score: float) -> str:
    """A target's number, as a person reads it."""
    if asked.is_contrast:
        return numbers.signed(score) if numbers.is_technical() else odds(asked, score)
    return numbers.decimal(score) if asked.is_score else numbers.probability(math.exp(min(score, 0.0)))


def scores_sentence(asked: HeadTarget, found: SwapMap, texts: tuple[str, str]) -> str:
    """What the numbers are, and those of both texts. texts: this one and the other."""
    if asked.is_score:
        what = say("Cosine:") if asked.target.head == "similarity" else say("Its score:")
    elif not asked.is_contrast:
        what = say("Its probability:")
    else:
        nats = say("ln p of the first answer − ln p of the second, in nats:")
        what = nats if numbers.is_technical() else ""
    ours, other = (shortened(text, MOST_TEXT) for text in texts)
    scores = say(
        "This text: {text}\n{score}\n\nThe other text: {other}\n{other_score}",
        text=ours,
        score=score_text(asked, found.text),
        other=other,
        other_score=score_text(asked, found.other),
    )
    return f"{what}\n{scores}".strip()


def formula_sentence(asked: HeadTarget) -> str:
    """What a share is of, by the numbers above: ln p wherever there is a probability."""
    if asked.is_score or (asked.is_contrast and numbers.is_technical()):
        return say("Numbers and colours: how far a swap moves this number from this text (0) to the other (1).")
    if not asked.is_contrast:
        return say(
            "Numbers and colours: how far a swap moves this probability (on a log scale) from this text (0) to the "
            "other (1)."
        )
    return say(
        "Numbers and colours: how far a swap moves the odds of “{first}” against “{second}” (on a log scale) from "
        "this text (0) to the other (1).",
        first=asked.answers[0],
        second=asked.answers[1],
    )


def path_sentence(places: SwapMap, columns: Sequence[str]) -> str:
    """At which token most of the difference is: "embeddings to layer 5 at woman, layer 6 at [MASK]". columns: a name
    for each place."""
    shares, first = places.shares, 0 if places.part == "state" else 1
    best, parts = [int(row.argmax()) for row in shares], []
    for place, rows in groupby(range(len(best)), key=best.__getitem__):
        stages = [row + first for row in rows if shares[row, place] >= LEAST_NAMED]
        names = [say("layer {layer}", layer=stage) if stage else stage_name(0) for stage in stages]
        if names:
            span = names[0] if len(names) == 1 else say("{first} to {last}", first=names[0], last=names[-1])
            parts.append(say("{stages} at “{token}”", stages=span, token=columns[place]))
    return say("Most of the difference: {places}.", places="; ".join(parts)) if parts else ""


def head_sentence(heads: SwapMap) -> str:
    """Which head alone moves the answer most."""
    layer, head = divmod(int(heads.shares.argmax()), heads.shares.shape[1])
    share = float(heads.shares[layer, head])
    if share < LEAST_NAMED:
        return say("No head alone moves the answer much.")
    text = mark("Of all heads, head {head} of layer {layer} moves the answer most: {share}.")
    return say(text, layer=layer + 1, head=head + 1, share=numbers.percent(share))


def swap_sentence(asked: HeadTarget, swap: Swap, found: SwapMap, column: int, *, is_on: bool) -> str:
    """What one cell of a map says. is_on: all rooms show its pass."""
    score, share = found.patched[swap.row, column], found.shares[swap.row, column]
    sentence = say(
        "With {what} swapped in, {score}: {share} of the way to the other text.",
        what=swap.description,
        score=score_text(asked, float(score)),
        share=numbers.percent(float(share)),
    )
    what_now = say("Click its cell to try it in all views.")
    return f"{sentence} {say('All views show this swap now; Esc ends it.') if is_on else what_now}"
