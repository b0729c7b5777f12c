"""What the parts that made an answer are said to do: functions from numbers to sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ...compute.circuit import ENOUGH, OtherSentence, PartSet, Paths, enough
from ...compute.head_questions import MOST_NATS, HeadTarget
from ...look import mark, numbers, say
from ...look.say import isolated
from ...state.readings import Reading
from .arrows import LEAST_TOLD, LitParts

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link, Part

MOST_TOLD, MOST_ON_PROJECTOR = 4, 3  # parts
MOST_SMALL = 0.25  # of all parts: more are no small set


def part_name(part: Part) -> str:
    """In a sentence."""
    if part.kind == "head":
        return say("head {head}", head=f"{part.layer + 1}·{part.head + 1}")
    names = {"words": mark("embeddings"), "feed-forward": mark("feed-forward {layer}"), "answer": mark("the answer")}
    return say(names[part.kind], layer=part.layer + 1)


def part_label(part: Part) -> str:
    """Where there is little room."""
    if part.kind == "head":
        return f"{part.layer + 1}·{part.head + 1}"
    return part_name(part) if part.kind == "words" else say("FF {layer}", layer=part.layer + 1)


def story(lit: LitParts, reading: Reading, most: int = MOST_TOLD) -> str:
    """Of the `most` strongest, in the order of the layers: where each part works, and what a head looks at.

    reading: with nothing changed.
    """
    clauses = list[str]()
    told = [number for number in lit.chosen if abs(lit.lost[number]) >= LEAST_TOLD and number in lit.places]
    told = sorted(told, key=lambda number: -abs(lit.lost[number]))[:most]
    told.sort(key=lambda number: (lit.parts[number].time, number))
    for (kind, place), group in groupby(told, lambda number: (lit.parts[number].kind, lit.places[number])):
        parts, token = [lit.parts[number] for number in group], _token(reading, place)
        if kind == "head":
            clauses += [_looks(part, place, reading) for part in parts]
        elif kind == "feed-forward":
            layers = ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in _runs(parts))
            several = mark("the feed-forward networks of layers {layers} work on “{token}”")
            one = mark("the feed-forward network of layer {layers} works on “{token}”")
            clauses.append(say(several if len(parts) > 1 else one, layers=layers, token=token))
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _token(reading: Reading, place: int) -> str:
    """With its position where another one is the same."""
    tokens = reading.shown_tokens
    return isolated(tokens[place]) if tokens.count(tokens[place]) == 1 else f"{isolated(tokens[place])}, {place}"


def _runs(parts: Sequence[Part]) -> list[tuple[int, int]]:
    """Layers that follow on each other: first and last, counted from 1."""
    runs = list[tuple[int, int]]()
    for layer in (part.layer + 1 for part in parts):
        first = runs.pop()[0] if runs and runs[-1][1] == layer - 1 else layer
        runs.append((first, layer))
    return runs


def _looks(part: Part, place: int, reading: Reading) -> str:
    row = reading.trace.attentions[part.layer, part.head, place]
    other = int(row.argmax())
    return say(
        "{head} at “{token}” looks most at “{other}” ({share})",
        head=part_name(part),
        token=_token(reading, place),
        other=_token(reading, other),
        share=numbers.percent(float(row[other])),
    )


def summary(found: Paths | None, of_set: PartSet | None, *, is_short: bool = False) -> str:
    """Whether there is a small set; what the one on show keeps, beside sets drawn at random; the other direction, and
    what is left without it."""
    texts = [] if found is None else [size_sentence(found)]
    if found is not None and of_set is not None:
        texts += [
            say(
                "These {count} of {parts} parts keep {kept} of the difference; the best of {sets} random sets of that "
                "size keeps {random}.",
                count=len(of_set.chosen),
                parts=len(found.curve),
                kept=numbers.percent(of_set.outcomes["only"].kept),
                sets=len(of_set.random),
                random=numbers.percent(float(of_set.random.max())),
            )
        ]
        check = say("Without them, {without} is left.", without=numbers.percent(of_set.outcomes["without"].kept))
        reverse = say(
            "The other way round (these parts on the other text, all others on this one) they keep {reversed}.",
            reversed=numbers.percent(of_set.reversed),
        )
        texts += [] if is_short else [check, *([reverse] if numbers.is_technical() else [])]
    return " ".join(filter(None, texts))


def size_sentence(found: Paths) -> str:
    """Where there is no small set; empty where there is one."""
    count, parts = enough(found.curve), len(found.curve)
    if count <= MOST_SMALL * parts:
        return ""
    text = mark("Many parts make this answer together: {count} of {parts} are needed to keep {share}.")
    return say(text, count=count, parts=parts, share=numbers.percent(ENOUGH))


def scores(asked: HeadTarget, ours: float, other: float) -> str:
    """The number that a difference is in, of both texts."""
    text = mark("ln p: {ours} nats in this text, {other} in the other.")
    if asked.is_score:
        text = mark("Score: {ours} in this text, {other} in the other.")
    elif asked.is_contrast and numbers.is_technical():
        text = mark("ln p({first}) − ln p({second}): {ours} nats in this text, {other} in the other.")
    elif asked.is_contrast:
        text = mark("“{first}” is {ours} times as likely as “{second}” in this text, {other} times in the other.")
        ours, other = (math.exp(min(max(value, -MOST_NATS), MOST_NATS)) for value in (ours, other))
    (first, second), both = asked.answers, (numbers.number(ours, 3), numbers.number(other, 3))
    return say(text, ours=both[0], other=both[1], first=first, second=second)


def others_sentence(tried: Sequence[OtherSentence], all_: Sequence[OtherSentence]) -> str:
    """Of other sentences, and how many could not be tried."""
    kept, broken = [one.kept for one in tried], [one.problem for one in all_ if one.problem]
    left = say("%Ln sentence(s) could not be tried.", n=len(broken)) if broken else ""
    if not kept:
        return f"{left} {broken[0] if broken else ''}".strip()
    low, high = (numbers.percent(one) for one in (min(kept), max(kept)))
    span = mark("In %Ln other sentence(s) the same parts keep {low} to {high} of the difference.")
    one = mark("In %Ln other sentence(s) the same parts keep {low} of the difference.")
    text = say(span if low != high else one, n=len(kept), low=low, high=high)
    return f"{text} {left}".strip()


def link_caption(link: Link) -> tuple[str, str]:
    sender, receiver = part_name(link.sender), part_name(link.receiver)
    lost = mark(
        "{share} of the difference is lost when {receiver} alone reads what {sender} outputs on the other text."
    )
    gained = mark(
        "The difference grows by {share} when {receiver} alone reads what {sender} outputs on the other text."
    )
    share = numbers.percent(abs(link.lost))
    text = say(lost if link.lost >= 0 else gained, share=share, sender=sender, receiver=receiver)
    return f"{sender} → {receiver}", text


def part_caption(lit: LitParts, number: int, reading: Reading) -> tuple[str, str]:
    share, name = lit.lost[number], part_name(lit.parts[number])
    lost = mark("{share} of the difference is lost when this part alone gives its output on the other text.")
    gained = mark("The difference grows by {share} when this part alone gives its output on the other text.")
    text = say(lost if share >= 0 else gained, share=numbers.percent(abs(share)))
    if number in lit.places and number:
        where = say("At one token alone, most at “{token}”.", token=_token(reading, lit.places[number]))
        text = f"{text} {where}"
    return f"{name[:1].upper()}{name[1:]}", text


def key(asked: HeadTarget, answers: tuple[str, str]) -> str:
    """What the difference is, and the numbers and colours of the map. answers: of this text and of the other; "" where
    the prediction is no contrast of words."""
    text = mark("The difference: between “{first}” here and in the other text.")
    if answers[0]:
        text = mark("The difference: how much better “{first}” does against “{second}” here than in the other text.")
    first, second = answers if answers[0] else (asked.label, "")
    number = say(
        "Number at a part: the share of it that is lost when the part works as on the other text; at an arrow: when "
        "only that signal is the other text’s. Red: for the answer. Blue: against it. Parts need each other, so shares "
        "need not add up."
    )
    return f"{say(text, first=first, second=second)} {number}"


def curve_sentence(found: Paths) -> str:
    """How few are enough, and how that was found."""
    text = mark(
        "{count} of {parts} parts keep {share}. Start with all parts and keep dropping the one that matters least."
    )
    return say(text, count=enough(found.curve), parts=len(found.curve), share=numbers.percent(ENOUGH))
