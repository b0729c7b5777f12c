"""What the room Evidence says of its numbers: functions from what was found to sentences."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ...figures.figure import joined
from ...figures.values import stage_name
from ...look import mark, names, numbers, say
from ...state.what_if import head_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bertcore.evidence.examples import Flip, Slice
    from bertcore.evidence.grammar import RelationHead
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure
    from bertcore.evidence.nearest import UseGroups
    from bertcore.evidence.probing import Probes
    from bertcore.evidence.pruning import Pruning
    from bertcore.evidence.topics import Topic

    from ...compute.evidence_questions import FoundBeside, FoundExamples, FoundTopics, FoundUnit, FoundUses

MOST_NAMED, MOST_OTHERS = 2, 3  # heads, and words, in the finding
LITTLE = 0.05  # of the loss
LEAST_GAIN = 0.05  # of the differences, that groups of use have to hold beyond chance
# The choice, the intro of the grid, one head in a sentence.
MEASURES: dict[HeadMeasure, list[str]] = names("what a head does")


def interval_text(one: Any, write: Callable[[float], str] = numbers.percent, value: str = "value") -> str:
    """ "63% (between 61% and 66%)". value: the name of its number."""
    middle, low, high = write(getattr(one, value)), write(one.low), write(one.high)
    is_exact = middle == low == high  # as it is written
    return middle if is_exact else say("{value} (between {low} and {high})", value=middle, low=low, high=high)


def effect_form(measure: HeadMeasure) -> Callable[[float], str]:
    """How what a head does is written: a share, or a change of ln p."""
    return numbers.percent if measure in ("swap", "attention") else numbers.signed


def head_text(found: HeadEvidence, layer: int, head: int) -> str:
    """One head: "head 3·6 alone carries 33% (between 31% and 35%) of the difference"."""
    value = interval_text(found.means[layer, head], effect_form(found.measure))
    return say(MEASURES[found.measure][2], head=head_name(layer, head), value=value)


def heads_finding(found: HeadEvidence) -> str:
    """The heads that do most for sure, and how many cannot be told from nothing."""
    clear = [place for place in found.order() if found.means.is_clear[place]]
    count, all_ = len(found.values), found.means.value.size
    if not clear:
        return say("Over {count} pairs no head has an effect for sure.", count=numbers.count(count))
    named = "; ".join(head_text(found, *place) for place in clear[:MOST_NAMED])
    start = say("Over {count} pairs {heads}.", count=numbers.count(count), heads=named)
    if found.measure == "attention" or len(clear) == all_:
        return start
    rest = say("{rest} of {all} heads may have no effect.", rest=all_ - len(clear), all=all_)
    return f"{start} {rest}"


def pairs_text(found: HeadEvidence, layer: int, head: int) -> str:
    """Of one head: in how many pairs it works the same way as on average."""
    values, mean = found.values[:, layer, head], found.means.value[layer, head]
    same = int(((values > 0) == (mean > 0)).sum())
    text = mark("{head}: the same direction in {same} of {count} pairs; the others are counter-examples.")
    if same == len(values):
        text = mark("{head}: the same direction in all {count} pairs.")
    return say(text, head=head_name(layer, head), same=same, count=len(values))


RELATIONS: dict[str, str] = names("relations")  # of Universal Dependencies: from a word to the one that it depends on


def relation_name(relation: str) -> str:
    """In words, as far as it is one of the common ones: "subject – its verb"."""
    return say(RELATIONS[relation]) if relation in RELATIONS else relation


def direction_arrow(best: RelationHead) -> str:
    """→ where the word looks at what it depends on, ← where it is looked at from there."""
    return "→" if best.direction == "to its head" else "←"


def grammar_finding(best: RelationHead) -> str:
    """What the best head finds on the half that it was not chosen on, beside the best fixed distance."""
    text = mark(
        "Head {head} finds {share} of the pairs “{relation}”; guessing that the second word always stands {guess} of "
        "the first would find {other}."
    )
    if not best.is_found:
        text = mark(
            "No head finds the pairs “{relation}” better than guessing: head {head} finds {share}; that the second "
            "word always stands {guess} of the first, {other}."
        )
    guess = mark("%n word(s) to the right") if best.distance > 0 else mark("%n word(s) to the left")
    head, relation = head_name(best.layer, best.head), relation_name(best.relation)
    share, other = interval_text(best, value="share"), numbers.percent(best.distance_share)
    guess = say(guess, n=abs(best.distance))
    return say(text, head=head, relation=relation, guess=guess, share=share, other=other)


def looks_text(best: RelationHead) -> str:
    """In which direction, and of how many cases."""
    text = mark("the first word looks at the second; %Ln case(s)")
    if direction_arrow(best) == "←":
        text = mark("the second word looks at the first; %Ln case(s)")
    return say(text, n=best.count)


def uses_finding(found: FoundUses, stage: int) -> str:
    """What stands nearest to a word, and how often that is the word itself."""
    if not found.nearest:
        return say("Nothing else in this collection is like “{word}”.", word=found.word)
    words = Counter(use.word.lower() for use in found.nearest)
    others = ", ".join(word for word, _ in words.most_common(MOST_OTHERS + 1) if word != found.word.lower())
    text = mark("{where}, {same} of the {uses} uses of “{word}” here are among the {count} nearest; so are {others}.")
    if not found.same:
        text = mark("“{word}” does not stand in this collection. {where}, these are nearest: {others}.")
    elif not found.by_layer.get(stage, 0):
        text = mark("{where}, none of the {uses} uses of “{word}” here is among the {count} nearest, but {others}.")
    elif found.by_layer[stage] == len(found.same):
        text = mark("{where}, all {uses} uses of “{word}” here are among the {count} nearest; so are {others}.")
    if not others:
        text = mark("{where}, all {count} nearest uses are the word “{word}” itself.")
    same, uses, count = found.by_layer.get(stage, 0), len(found.same), len(found.nearest)
    return say(text, where=_where(stage), word=found.word, others=others, same=same, uses=uses, count=count)


def _where(stage: int) -> str:
    """At the beginning of a sentence: "After layer 3"."""
    name = stage_name(stage)
    return name[:1].upper() + name[1:]


def groups_text(groups: UseGroups) -> str:
    """How much of the differences lies between groups of use, and whether that is more than by chance."""
    text = mark(
        "Each dot is one use; the model sees near ones alike. The 3 colours explain {apart} of the differences, by "
        "chance it would be {chance}."
    )
    if groups.apart <= groups.apart_by_chance + LEAST_GAIN:
        text = mark(
            "Each dot is one use; the model sees near ones alike. There are no clear groups: 3 groups explain {apart} "
            "of the differences, by chance it would be {chance}."
        )
    return say(text, apart=numbers.percent(groups.apart), chance=numbers.percent(groups.apart_by_chance))


def topics_finding(found: FoundTopics) -> str:
    """How well clusters match labels, beside chance; or, without labels, whether there are clusters at all."""
    topics, count = found.topics, numbers.count(len(found.topics.topics))
    where, apart = _where(topics.layer), topics.clusters.apart
    if topics.agreement is None or topics.by_chance is None:
        text = mark("{where}, {count} clusters explain {apart} of the differences; of random points {chance}.")
        chance = numbers.percent(topics.clusters.apart_by_chance)
        return say(text, where=where, count=count, apart=numbers.percent(apart), chance=chance)
    text = mark("{where}, {count} clusters match the labels at {value} (1: perfectly; 0: no better than chance).")
    if topics.agreement <= topics.by_chance:
        text = mark("{where}, {count} clusters match the labels no better than chance could: {value}.")
    best = max(range(len(found.agreements)), key=found.agreements.__getitem__)
    better = say("Best: {where}, {value}.", where=stage_name(best), value=numbers.decimal(found.agreements[best]))
    here = say(text, where=where, count=count, value=numbers.decimal(topics.agreement))
    return here if best == topics.layer else f"{here} {better}"


def topic_name(topic: Topic) -> str:
    """ "2 · rain, wind"."""
    return joined(str(topic.cluster + 1), ", ".join(topic.words[:2]))


def documents_text(found: FoundTopics) -> str:
    """How many documents, of how many, and how much of them the plane shows."""
    documents, shown = found.documents, numbers.percent(found.topics.clusters.shown)
    count = len(documents.collection)
    drawn = say("drawn from {count}", count=numbers.count(documents.of)) if documents.of > count else ""
    cut = say("%Ln cut to the length that the model reads", n=documents.cut) if documents.cut else ""
    shares = say("this plane shows {share} of the variance", share=shown)
    return joined(say("%Ln document(s)", n=count), drawn, cut, shares)


def unit_name(found: FoundUnit) -> str:
    """ "Neuron 1126 of layer 3", "Head 3·6"."""
    layer, unit = found.all.layer, found.unit
    if found.all.kind == "head":
        return say("Head {head}", head=head_name(layer, unit))
    return say("Neuron {number} of layer {layer}", number=unit + 1, layer=layer + 1)


def unit_finding(found: FoundUnit) -> str:
    """What a unit is strongest at, and whether switching it off changes anything that can be measured."""
    words = ", ".join(say("“{word}”", word=word) for word, _ in found.own[: MOST_OTHERS + 1])
    share = numbers.percent(float(found.all.clear[found.unit]))
    text = mark(
        "{unit} fires most at {words}: {share} of the places where it is strongest have one and the same token."
    )
    text = say(text, unit=unit_name(found), words=words, share=share)
    if found.matters is None:
        return text
    gain = found.matters.strongest
    ending = mark("Switching it off changes nothing that can be measured.")
    if gain.low > 0 or gain.high < 0:
        ending = mark("The model misses it: without it, a next word that had 10% would have {value}.")
        if gain.high < 0:
            ending = mark("The model does not miss it: without it, a next word that had 10% would have {value}.")
    return f"{text} {say(ending, value=interval_text(without_unit(gain), of_ten_percent))}"


def without_unit(gain: Any) -> Any:
    """What a unit adds to ln p, with its interval, as the relative change of p where it is switched off."""
    value, low, high = (math.expm1(-nats) for nats in (gain.value, gain.high, gain.low))
    return replace(gain, value=value, low=low, high=high)


def of_ten_percent(change: float) -> str:
    """What a probability of 10% becomes."""
    return f"{numbers.decimal(10 * (1 + change))}{numbers.percent_sign()}"


def signed_percent(share: float) -> str:
    """ "+2.3%"."""
    return f"{numbers.signed(100 * share, 1)}{numbers.percent_sign()}"


def pruning_finding(found: Pruning, *, by_answers: bool) -> str:
    """How many parts can go at little cost, and what the others cost: by right answers, or by the loss."""
    counts: dict[str, Any] = {"all": len(found.order), "part": say("heads") if found.part == "head" else say("layers")}
    if by_answers:
        right = [one.value for one in found.right]
        free = found.steps[sum(1 for _ in takewhile(lambda each: each > right[0] - LITTLE, right)) - 1]
        text = mark(
            "{free} of {all} {part} can go before {least} points fewer answers are right. With all, {whole} are right, "
            "without any {last}; always answering “{always}” would get {often}."
        )
        shares: dict[str, Any] = {"whole": interval_text(found.right[0]), "last": numbers.percent(right[-1])}
        least, often = numbers.decimal(100 * LITTLE, 0), numbers.percent(found.always_right)
        return say(text, **counts, **shares, free=free, least=least, always=found.always, often=often)
    loss, least = found.loss[-1].value / found.loss[0].value - 1, numbers.percent(LITTLE)
    text = mark("{free} of {all} {part} can go before the loss is {least} higher; without any it is {last} higher.")
    return say(text, **counts, free=found.free(LITTLE), least=least, last=numbers.percent(loss))


def probes_finding(found: Probes, stage: int) -> str:
    """What is read off after a layer, beside what is learned by heart and what needs no model."""
    here = found.layers[min(stage, len(found.layers) - 1)]
    text = mark(
        "{where}, a probe gets {share} of all tags right, and {control} of random ones. Without a model: {alone} "
        "(each word’s commonest tag)."
    )
    control, alone = (numbers.percent(one.value) for one in (here.control, found.without.right))
    return say(text, where=_where(stage), share=interval_text(here.right), control=control, alone=alone)


def examples_finding(found: FoundExamples) -> str:
    """How many are right, beside always giving the same answer."""
    (always, often), count = found.counts.most_common(1)[0], len(found.rows)
    text = mark("{share} of {count} are right; always answering “{always}” would get {often}.")
    right, often_text = interval_text(found.right), numbers.percent(often / count)
    return say(text, share=right, count=numbers.count(count), always=always, often=often_text)


def beside_finding(found: FoundExamples, beside: FoundBeside, first: str, second: str) -> str:
    """Which of two models is right more often, and whether that may be chance."""
    answers, both = found.answered.answers, beside.both
    wrong = int((~answers.is_right).sum()) - len(both.only_second)
    text = mark(
        "{first} is right in {one}, {second} in {two}; both are wrong in {wrong} of {count}. Were they equally good, "
        "so uneven a split would come by chance with probability {p} (McNemar’s exact test)."
    )
    count = len(found.rows)
    one, two, p = interval_text(both.first), interval_text(both.second), numbers.percent(both.p, fine=True)
    return say(text, first=first, second=second, one=one, two=two, wrong=wrong, count=count, p=p)


def slice_name(one: Slice) -> str:
    """What the examples of a slice have in common."""
    names = {"label": mark("label: {name}"), "length": mark("{name} words"), "word": mark("with “{name}”")}
    return say(names[one.by], name=one.name)


def flips_text(row: Mapping[str, Any], flips: Sequence[Flip]) -> str:
    """The most natural change of one word that changes an answer."""
    if not flips:
        return say("No single likely word in place of another changes the answer “{given}”.", given=row["given"])
    one, text = flips[0], row["text"]
    changed = f"{text[: one.position]}{one.instead}{text[one.position + len(one.word) :]}"
    said = mark("“{word}” → “{instead}” changes the answer to “{answer}”: {text}")
    rest = say("%Ln change(s) of one word do so.", n=len(flips))
    return f"{say(said, word=one.word, instead=one.instead, answer=one.answer, text=changed)} {rest}"
