"""What the room Attend says of its numbers: functions from values to sentences."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.analysis.targets import Target

from ...compute.head_questions import HeadTarget, changed_targets, odds
from ...look import mark, numbers, say, theme
from ...look.say import quoted
from ...state import MaskReading, Reading, head_name
from ...state.baseline_names import where_compared
from .attentions import NO_HABIT, Attentions, HeadDescription, kind_name

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import HeadFacts, HeadMap
    from bertcore.analysis.compare import MatchedHeads
    from bertcore.analysis.head_check import HeadCheck
    from bertcore.analysis.links import Links
    from bertcore.analysis.predict import WordGuess


LEAST_CHANGE = 0.01  # of a weight: smaller differences are never drawn as lines
MOST_MASKS, MOST_WORDS = 4, 2  # that the effect of a change is told for
PLAIN = mark("Computed for the model without your changes.")


@dataclass(frozen=True)
class UnitWords:
    """What is said of effects in one unit. {first}, {second}: the two answers of a contrast."""

    adds: str  # of the squares over the heads
    with_head: str  # of one head
    per_weight: str  # below the title of Gradient
    of_weight: str  # of one square there
    columns: str  # of the last two columns of Check


SCORE = UnitWords(
    mark("What the head adds to the score."),
    mark("score {change} with this head"),
    mark("change of the score per unit of a weight"),
    mark("{row} to {column}: the score changes by {change} per unit of this weight"),
    mark("Both are changes of {prediction}."),
)
ODDS = UnitWords(
    mark("×2: the head doubles the odds of “{first}” against “{second}”."),
    mark("odds {change} with this head"),
    mark("effect of more attention"),
    mark("{row} to {column}: {change} (+0.01: a weight 1 higher raises the odds by 1%)"),
    mark("A bar of +0.01 raises the odds of “{first}” against “{second}” by 1%."),
)
LOG_ODDS = UnitWords(
    mark("What the head adds to ln p of “{first}” − ln p of “{second}”, in nats."),
    mark("log odds {change} with this head"),
    mark("change of the log odds per unit of a weight, in nats"),
    mark("{row} to {column}: the log odds change by {change} per unit of this weight"),
    mark("Both are changes of ln p of “{first}” − ln p of “{second}”, in nats."),
)
PROBABILITY = UnitWords(
    mark("×2: the head makes the answer twice as likely."),
    mark("{change} with this head"),
    mark("effect of more attention"),
    mark("{row} to {column}: {change} (+0.01: a weight 1 higher makes the answer 1% more likely)"),
    mark("A bar of +0.01 makes {prediction} 1% more likely."),
)
LN_P = UnitWords(
    mark("What the head adds to ln p, in nats: with +1 nat the prediction is 2.7 times as likely."),
    mark("{change} with this head"),
    mark("change of ln p per unit of a weight, in nats"),
    mark("{row} to {column}: ln p changes by {change} per unit of this weight"),
    mark("Both are changes of ln p of {prediction}, in nats."),
)


def unit_of(target: HeadTarget | None) -> UnitWords:
    """The unit of effects on a prediction, in the numbers that a person wants to see."""
    if target is not None and target.is_score:
        return SCORE
    if target is not None and target.is_contrast:
        return LOG_ODDS if numbers.is_technical() else ODDS
    return LN_P if numbers.is_technical() else PROBABILITY


def say_of(text: str, target: HeadTarget | None, **values: Any) -> str:
    """One of the texts of `UnitWords`."""
    first, second = ("", "") if target is None else target.answers
    return say(text, first=first, second=second, prediction=name_of(target), **values)


def name_of(target: HeadTarget | None) -> str:
    """The prediction as it is named within a sentence."""
    if target is None:
        return say("the prediction")
    if target.is_contrast:
        return target.label  # it has quotation marks
    return say("“{prediction}”", prediction=target.label)


# Heads.


def hovered_head(
    attentions: Attentions,
    head: tuple[int, int],
    described: HeadDescription | None,
    target: HeadTarget | None,
    effect: float | None,
) -> str:
    """effect: what it adds to the prediction, where that is drawn over it."""
    highest = numbers.decimal(float(attentions.reading.trace.attentions[head].max()))
    texts = [say("{head}: highest weight {weight}", head=attentions.title(*head), weight=highest)]
    if described is not None:
        kind = described.kind
        score = "" if kind.kind == NO_HABIT else f" {numbers.percent(kind.score)}"
        texts.append(kind_name(kind.kind, attentions.reading) + score)
    if effect is not None and target is not None:
        is_ratio = target.is_contrast and not target.is_score
        change = numbers.log_factor(effect) if is_ratio else numbers.log_change(effect, 3)
        change = numbers.signed(effect, 3) if target.is_score else change
        texts.append(say_of(unit_of(target).with_head, target, change=change))
    return " · ".join(texts)


def fact_names(special_names: Sequence[str]) -> list[str]:
    """What the facts of a head are called."""
    special = ", ".join(special_names) or say("special tokens")
    spread = say("entropy") if numbers.is_technical() else say("looks at")
    return [spread, say("mean distance"), say("from A to B"), say("on {tokens}", tokens=special)]


def fact_texts(attentions: Attentions, facts: HeadFacts, *, units: bool) -> list[str]:
    """units: "3.1 tokens", not "3.1". Empty for what there is not."""
    view, nats = attentions.token_view, facts.entropy_nats
    distance = numbers.decimal(facts.mean_distance_tokens, 1)
    if units:
        spread = numbers.entropy(nats)
        distance = say(mark("{distance} words") if view.words else mark("{distance} tokens"), distance=distance)
    else:
        spread = numbers.decimal(nats) if numbers.is_technical() else numbers.decimal(math.exp(nats), 1)
    from_a_to_b = "" if facts.a_to_b is None else numbers.decimal(facts.a_to_b)
    left_out = say("left out") if units else ""
    return [spread, distance, from_a_to_b, numbers.decimal(facts.on_special) if view.specials else left_out]


def about_moved(moved: MatchedHeads, *, has_same_heads: bool) -> str:
    """What the numbers of the panel Moved mean."""
    if not has_same_heads:
        return say("Beside each the most similar head of the other model. 0: the same, 1: nothing in common.")
    mean = numbers.decimal(float(moved.divergences.mean()), 3)
    return say("0: no change, 1: entirely different tokens. Average {mean}.", mean=mean)


def about_map(head_map: HeadMap, units: int) -> str:
    """What the axes of the map of heads capture. units: of the text."""
    first, second = (numbers.percent(share) for share in head_map.explained_variance_ratio[:2])
    sentences = [say("The two axes capture {first} and {second} of the differences.", first=first, second=second)]
    if len(head_map.rows) < units:
        sentences.append(say("{some} of {all} rows were compared.", some=len(head_map.rows), all=units))
    return " ".join(sentences)


def about_effects(target: HeadTarget | None, *, is_changed: bool) -> str:
    """What the squares over the heads mean. is_changed: something is, inside the model."""
    return " ".join([say_of(unit_of(target).adds, target), *([say(PLAIN)] if is_changed else [])])


# Check.


def about_columns(target: HeadTarget | None) -> str:
    """What the columns of Check mean; the gradient is for those who want technical words."""
    gradient = mark("Gradient: an estimate of what a weight 1 higher would do, even where the head hardly looks.")
    return "\n".join(
        [
            say("Attention: where the head looks."),
            *([say(gradient)] if numbers.is_technical() else []),
            say(
                "Removal: this one link is taken away; the other tokens get its attention. Bar: what the link adds now."
            ),
            say_of(unit_of(target).columns, target),
        ]
    )


def about_check(check: HeadCheck, target: HeadTarget | None, most_rows: int, *, is_changed: bool) -> str:
    """What the whole head does, and what the list leaves out."""
    before, after, difference = check.value, check.value + check.without_head, check.without_head
    text = mark("The whole head, for all tokens: without it, {prediction}: {before} → {after} ({change}).")
    write: Callable[[float], str] = numbers.number
    unit = unit_of(target)
    if unit is ODDS and target is not None:
        text = mark("Now {now}. The whole head, for all tokens: without it, {then}.")
        sentences = [say(text, now=odds(target, before), then=odds(target, after))]
    else:
        change = numbers.signed(difference, 3)
        if unit is LOG_ODDS:
            write = numbers.signed
        elif unit is not SCORE:
            text = mark(
                "The whole head, for all tokens: without it, the probability of {prediction}: {before} → {after} "
                "({change})."
            )
            before, after, change = math.exp(before), math.exp(after), numbers.log_change(difference, 3)
            write = numbers.number if unit is LN_P else partial(numbers.percent, fine=True)
        sentences = [say(text, prediction=name_of(target), before=write(before), after=write(after), change=change)]
    sentences.append(say("Below, the links of this one token, which may work the other way."))
    if len(check.attention) > most_rows:
        shown = mark("Only the {shown} tokens it looks at most are listed, out of {all}.")
        sentences.append(say(shown, shown=most_rows, all=len(check.attention)))
    return " ".join([*sentences, *([say(PLAIN)] if is_changed else [])])


# Lines.


def legend_of(
    head: tuple[int, int], links: Links, look: tuple[str, str], *, is_off: bool, is_difference: bool, is_alone: bool
) -> str:
    """How much of a head's attention its lines hold, in HTML. look: their colour, and their kind as it is written.

    Of a difference the kind of line tells heads apart, the colour more from less.
    """
    name, (color, dash) = head_name(*head), look
    count, share = len(links.weights), numbers.percent(links.share)
    if is_off:
        name = say("{head} off", head=name)
    name = f"<b>{html.escape(name)}</b>"
    if is_difference:
        text = say("nothing differs by {least} or more", least=numbers.decimal(LEAST_CHANGE))
        if count:
            text = say("%n line(s), {share} of the difference", n=count, share=share)
        return f"{'' if is_alone else f'{dash} '}{name}: {html.escape(text)}"
    text = mark("{count} lines, {share} of the attention")
    if count < links.fitting:
        text = mark("the strongest {count} of {all} lines, {share} of the attention")
    elif count == 1:
        text = mark("1 line, {share} of the attention")
    text = say(text, count=numbers.count(count), all=numbers.count(links.fitting), share=share)
    return f'<span style="color:{theme.color(color).name()}"><b>{dash}</b></span> {name}: {html.escape(text)}'


def about_signs(attentions: Attentions, full: float) -> str:
    """The two colours of a difference, the thickest line, and what has none, in HTML. full: its difference."""
    there = html.escape(where_compared(attentions.reading))
    colors = (1, say("looks there more than {there}", there=there)), (-1, say("less"))
    parts = [f'<span style="color:{theme.signed_color(sign).name()}"><b>━━</b></span> {text}' for sign, text in colors]
    parts.append(say("thickest: ±{difference}", difference=numbers.decimal(full)))
    if None in attentions.alignment.other_positions:
        parts.append(say("tokens found in only one text are left out"))
    return "&nbsp;&nbsp; ".join(parts) + "<br>"


# What if.


def changed_predictions(reading: Reading) -> list[tuple[str, str, str]]:
    """Name, before and after of each prediction; empty: nothing is changed, or there is nothing to compare."""
    before = reading.unchanged
    if before is None:
        return []
    targets = []
    for mask, now in list(zip(before.masks, reading.masks, strict=True))[:MOST_MASKS]:
        targets += _word_targets(reading.mask_name(mask.position), mask, now)
    targets += changed_targets(before, reading)

    def written(target: HeadTarget, of: Reading) -> str:
        value = target.value(of)
        return numbers.decimal(value) if target.is_score else numbers.probability(value, fine=True)

    return [(target.label, written(target, before), written(target, reading)) for target in targets]


def about_changes(reading: Reading) -> str:
    """What the rows leave out, and what to do where there are none; empty: nothing is changed."""
    before = reading.unchanged
    if before is None:
        return ""
    more = len(before.masks) - MOST_MASKS
    if more > 0:
        return say("and %n more mask(s)", n=more)
    if not before.masks and "mlm" in reading.request.model.output_heads:
        return say("Mask a word (M) to see what this does to it.")
    if changed_predictions(reading):
        return ""
    return say("This model makes no prediction to compare; look at how the pictures change.")


def _word_targets(name: str, mask: MaskReading, now: MaskReading) -> list[HeadTarget]:
    """The likeliest word before, and the likeliest after. name: of the mask."""
    words: dict[int, WordGuess] = {word.id: word for word in (mask.words[0], now.words[0], *mask.words[1:])}
    return [
        HeadTarget(f"{name}: {quoted(word.token)}", Target("mlm", word.id, mask.position))
        for word in list(words.values())[:MOST_WORDS]
    ]


# Query × Key.


def change_in_words(before: float, now: float) -> str:
    """The note after the title of a row of bars."""
    difference = numbers.signed(numbers.difference(before, now, 4), 4)
    return f"{numbers.decimal(before, 4)} → {numbers.decimal(now, 4)} ({difference})"


def softmax_in_words(masked: np.ndarray, at: int, weight: str, most_raised: float) -> str:
    """masked (S): the scores; weight: of the one at `at`. e to more than `most_raised` is no number."""
    if masked.max() >= most_raised:
        return weight
    sums = numbers.number(float(np.exp(masked).sum()), 4)
    score = numbers.decimal(float(masked[at]), 3) if np.isfinite(masked[at]) else "−∞"
    return f"e^{score} / {sums} = {weight}"
