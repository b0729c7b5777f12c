"""What the room Evidence says of its numbers: functions from what was found to sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...look import numbers
from ...look.say import mark, say
from ...state.what_if import head_name

if TYPE_CHECKING:
    from bertcore.evidence.grammar import RelationHead
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure

MOST_NAMED = 2  # heads in the finding
MEASURES: dict[HeadMeasure, tuple[str, str, str]] = {  # the choice, the intro of the grid, one head in a sentence
    "swap": (
        mark("Swap in from the other text"),
        mark(
            "Each cell: this head’s output comes from the other text. How much of the difference between the two "
            "texts comes along, on average? Hatched: the interval includes 0."
        ),
        mark("head {head} carries {value} of the difference ({low} to {high})"),
    ),
    "zero": (
        mark("Switch off: add nothing"),
        mark(
            "Each cell: this head adds nothing. How does ln p(wanted) − ln p(unwanted) change, on average? Hatched: "
            "the interval includes 0."
        ),
        mark("without head {head} the preference changes by {value} ({low} to {high})"),
    ),
    "mean": (
        mark("Switch off: add its mean"),
        mark(
            "Each cell: this head adds what it adds on average. How does ln p(wanted) − ln p(unwanted) change? "
            "Hatched: the interval includes 0."
        ),
        mark("without head {head} the preference changes by {value} ({low} to {high})"),
    ),
    "attention": (
        mark("Attention"),
        mark("Each cell: how much of the attention of [MASK] goes to the word in which the texts differ, on average."),
        mark("head {head} gives that word {value} of its attention ({low} to {high})"),
    ),
    "gradient": (
        mark("Gradient: estimated"),
        mark(
            "Each cell: what switching this head off would change, estimated by one backward pass. Compare it with "
            "switching off. Hatched: the interval includes 0."
        ),
        mark("without head {head} the preference would change by about {value} ({low} to {high})"),
    ),
}


def head_text(found: HeadEvidence, layer: int, head: int) -> str:
    """One head: "head 3·6 carries 0.33 of the difference (0.31 to 0.35)"."""
    interval, write = found.means[layer, head], numbers.decimal
    if found.measure in ("zero", "mean", "gradient"):
        write = numbers.signed
    low, high = write(interval.low), write(interval.high)
    return say(MEASURES[found.measure][2], head=head_name(layer, head), value=write(interval.value), low=low, high=high)


def heads_finding(found: HeadEvidence) -> str:
    """The heads that do most for sure, and how many cannot be told from nothing."""
    clear = [place for place in found.order() if found.means.is_clear[place]]
    count, all_ = len(found.values), found.means.value.size
    if not clear:
        return say("Over {count} pairs no head can be told from 0.", count=numbers.count(count))
    named = "; ".join(head_text(found, *place) for place in clear[:MOST_NAMED])
    start = say("Over {count} pairs {heads}.", count=numbers.count(count), heads=named)
    if found.measure == "attention" or len(clear) == all_:
        return start
    rest = say("{rest} of {all} heads cannot be told from 0.", rest=all_ - len(clear), all=all_)
    return f"{start} {rest}"


def pairs_text(found: HeadEvidence, layer: int, head: int) -> str:
    """Of one head: in how many pairs it works the same way as on average."""
    values, mean = found.values[:, layer, head], found.means.value[layer, head]
    same = int(((values > 0) == (mean > 0)).sum())
    text = mark("{head}: the same direction in {same} of {count} pairs; the others are counter-examples.")
    if same == len(values):
        text = mark("{head}: the same direction in all {count} pairs.")
    return say(text, head=head_name(layer, head), same=same, count=len(values))


RELATIONS = {  # of Universal Dependencies: from a word to the one that it depends on
    "acl": mark("clause → its noun"),
    "advcl": mark("“when …” → main verb"),
    "advmod": mark("adverb → what it modifies"),
    "amod": mark("adjective → its noun"),
    "aux": mark("helping verb → main verb"),
    "case": mark("preposition → its noun"),
    "cc": mark("and, or → what it joins"),
    "ccomp": mark("“said that …” → its verb"),
    "compound": mark("first noun → second noun"),
    "conj": mark("one half of “and” → the other"),
    "cop": mark("is, was → what is said"),
    "det": mark("a, the → its noun"),
    "mark": mark("that, to, if → its verb"),
    "nmod": mark("noun → the noun it describes"),
    "nsubj": mark("subject → its verb"),
    "nummod": mark("number → its noun"),
    "obj": mark("object → its verb"),
    "obl": mark("“in Paris” → its verb"),
    "punct": mark("punctuation → its word"),
    "xcomp": mark("“want to go” → its verb"),
}


def relation_name(relation: str) -> str:
    """In words, as far as it is one of the common ones."""
    return say(RELATIONS[relation]) if relation in RELATIONS else relation


def direction_arrow(best: RelationHead) -> str:
    """→ where the word looks at what it depends on, ← where it is looked at from there."""
    return "→" if best.direction == "to its head" else "←"


def grammar_finding(best: RelationHead) -> str:
    """What the best head finds on the half that it was not chosen on, beside the best fixed distance."""
    text = mark(
        "Head {head} finds “{relation}” in {share} of 100 cases ({low} to {high}); always guessing {guess} would find "
        "{other}."
    )
    if not best.is_found:
        text = mark(
            "No head finds “{relation}” better than guessing: {head} in {share} of 100 cases ({low} to {high}), "
            "{guess} in {other}."
        )
    guess = mark("%n word(s) to the right") if best.distance > 0 else mark("%n word(s) to the left")
    all_ = best.share, best.low, best.high, best.distance_share
    share, low, high, other = (numbers.decimal(100 * one, 0) for one in all_)
    return say(
        text,
        head=head_name(best.layer, best.head),
        relation=relation_name(best.relation),
        guess=say(guess, n=abs(best.distance)),
        share=share,
        low=low,
        high=high,
        other=other,
    )


def looks_text(best: RelationHead) -> str:
    """In which direction, and of how many cases."""
    text = mark("the word looks at what it depends on; %Ln case(s)")
    if direction_arrow(best) == "←":
        text = mark("what it depends on looks at the word; %Ln case(s)")
    return say(text, n=best.count)
