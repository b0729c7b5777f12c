"""What the parts that made an answer are said to do: functions from numbers to sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from ...compute.circuit import OtherSentence, PartSet, Paths
from ...compute.head_questions import HeadTarget
from ...look import numbers
from ...look.say import isolated, mark, say
from ...state.readings import Reading
from .arrows import LitParts, share_text

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link, Part

LEAST_TOLD = 0.1  # the share from which on a part is spoken of
MOST_TOLD = 10  # parts
ENOUGH = 0.8  # of the difference
MOST_SMALL = 0.25  # of all parts: more are no small set


def part_name(part: Part) -> str:
    """In a sentence."""
    if part.kind == "head":
        return say("head {head}", head=f"{part.layer + 1}·{part.head + 1}")
    names = {"words": mark("the words"), "feed-forward": mark("feed-forward {layer}"), "answer": mark("the answer")}
    return say(names[part.kind], layer=part.layer + 1)


def enough(found: Paths) -> int:
    """The least number of parts that keep most of the difference."""
    return int(np.flatnonzero(found.curve >= ENOUGH)[0]) + 1


def story(lit: LitParts, reading: Reading) -> str:
    """In the order of the layers: where each part works, and what a head looks at. reading: with nothing changed."""
    tokens, clauses = reading.shown_tokens, list[str]()
    told = [number for number in lit.chosen if abs(lit.lost[number]) >= LEAST_TOLD and number in lit.places]
    told = sorted(told, key=lambda number: -abs(lit.lost[number]))[:MOST_TOLD]
    told.sort(key=lambda number: (lit.parts[number].time, number))
    for (kind, place), group in groupby(told, lambda number: (lit.parts[number].kind, lit.places[number])):
        parts, token = [lit.parts[number] for number in group], isolated(tokens[place])
        if kind == "head":
            clauses += [_looks(part, place, reading) for part in parts]
        elif kind == "feed-forward":
            layers = ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in _runs(parts))
            several = mark("the feed-forward networks of layers {layers} work on “{token}”")
            one = mark("the feed-forward network of layer {layers} works on “{token}”")
            clauses.append(say(several if len(parts) > 1 else one, layers=layers, token=token))
    text = say("; then ").join(clauses)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


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
        "{head} looks from “{token}” at “{other}” ({share}) and brings back what it finds there",
        head=part_name(part),
        token=isolated(reading.shown_tokens[place]),
        other=isolated(reading.shown_tokens[other]),
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
        check = say(
            "With the texts swapped, they keep {reversed}. Without them, {without} of the difference is left.",
            reversed=numbers.percent(of_set.reversed),
            without=numbers.percent(of_set.outcomes["without"].kept),
        )
        texts += [] if is_short else [check]
    return " ".join(filter(None, texts))


def size_sentence(found: Paths) -> str:
    """Where there is no small set; empty where there is one."""
    count, parts = enough(found), len(found.curve)
    if count <= MOST_SMALL * parts:
        return ""
    text = mark("This answer is made by many parts together: it takes {count} of {parts} to keep {share}.")
    return say(text, count=count, parts=parts, share=numbers.percent(ENOUGH))


def scores(asked: HeadTarget, ours: float, other: float) -> str:
    """The number that a difference is in, of both texts."""
    unit = say("score") if asked.is_score else say("ln p − ln p") if asked.is_contrast else say("ln p")
    both = numbers.decimal(ours), numbers.decimal(other)
    return say("{unit}: {ours} in this text, {other} in the other.", unit=unit, ours=both[0], other=both[1])


def others_sentence(tried: Sequence[OtherSentence] | None, own: str = "") -> str:
    """Of other sentences; None: none were tried. own: the text itself, which is none."""
    found = [one for one in tried or () if one.text != own]
    kept = [one.kept for one in found if not one.problem]
    left = say("%Ln sentence(s) could not be tried.", n=len(found) - len(kept)) if len(kept) < len(found) else ""
    if not kept:
        return f"{left} {found[0].problem if found else ''}".strip()
    low, high = (numbers.percent(one) for one in (min(kept), max(kept)))
    text = say("In %Ln other sentence(s) the same parts keep {low} to {high}.", n=len(kept), low=low, high=high)
    return f"{text} {left}".strip()


def link_caption(link: Link) -> tuple[str, str]:
    title = say("From {sender} to {receiver}", sender=part_name(link.sender), receiver=part_name(link.receiver))
    text = say(
        "{share} of the difference is lost when only {receiver} reads the output that {sender} has in the other text.",
        share=numbers.percent(link.lost),
        sender=part_name(link.sender),
        receiver=part_name(link.receiver),
    )
    return title, text


def part_caption(lit: LitParts, number: int, tokens: Sequence[str]) -> tuple[str, str]:
    name = part_name(lit.parts[number])
    text = say(
        "{share} of the difference is lost when this part alone is set to its output in the other text.",
        share=numbers.percent(lit.lost[number]),
    )
    if number in lit.places and number:
        where = say("Most of that at “{token}”.", token=isolated(tokens[lit.places[number]]))
        text = f"{text} {where}"
    return f"{name[:1].upper()}{name[1:]} {share_text(lit.lost[number]) if number else ''}".strip(), text
