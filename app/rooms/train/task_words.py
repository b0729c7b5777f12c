"""What is said of a batch of examples in words: an example, and a token off which its answer is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertcore.tasks.kinds import TASK_KINDS

from ...compute.batches import ShownBatch
from ...look import numbers
from ...look.bidi import isolated
from ...look.say import mark, say

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import Answer, TokenAnswer, UnitAnswer
_TYPES = {  # of CoNLL-2003
    "PER": mark("person"),
    "LOC": mark("place"),
    "ORG": mark("organisation"),
    "MISC": mark("other"),
}


def said(kind: str, answer: Answer) -> str:
    """A right or given answer as the screen names it."""
    if isinstance(answer, float):
        return numbers.decimal(answer)
    if kind == "choice":
        return say("ending {number}", number=answer)
    fixed = {  # as the kinds of bertcore.tasks have them
        "in the summary": say("in the summary"),
        "not in the summary": say("not in the summary"),
        "answered here": say("answer in this window"),
        "no answer here": say("no answer in this window"),
    }
    if kind in ("summarise", "span") and answer in fixed:
        return fixed[answer]
    if not answer:
        return fixed["no answer here"] if kind == "span" else say("none", meaning="not one")
    return isolated(answer)


def about_unit(batch: ShownBatch, row: int) -> str:
    """Which example a sequence is of, its right answer, and the model's."""
    task = batch.task
    assert task is not None
    text = say("Row {row}: training example {number}")
    parts = [text.format(row=numbers.count(row + 1), number=numbers.count(int(task.examples[row]) + 1))]
    unit = task.unit(row)
    if unit is not None and len(unit.rows) > 1:
        parts.append(say("ending {number}", number=row - unit.rows[0] + 1))
    if unit is not None:
        parts.append(_answer(task.kind, unit))
    if cut := int(task.cut[row]):
        parts.append(say("%n token(s) cut", n=cut))
    return " · ".join(parts)


def _answer(kind: str, unit: UnitAnswer) -> str:
    if TASK_KINDS[kind].several_answers:
        right = sum(bool(place.is_right) for place in unit.places)
        count = len(unit.places)  # lupdate wants a plain name
        words = (
            say("{right} of %n word(s) right", n=count)
            if kind == "tag"
            else say("{right} of %n sentence(s) right", n=count)
        )
        return words.format(right=numbers.count(right))
    mark = {None: "", True: " ✓", False: " ✗"}[unit.is_right]
    text = say("right: {right} · the model: {given}{mark}")
    return text.format(right=said(kind, unit.right), given=said(kind, unit.given), mark=mark)


def about_place(batch: ShownBatch, row: int, position: int) -> str:
    """What a token is asked, and how the model does there."""
    task = batch.task
    assert task is not None
    places = task.places(row, position)
    if not places:
        if batch.documents[row, position] < 0:
            return say("a special token; the model predicts nothing here")
        return say("only read; the model predicts nothing here")
    return " ".join(_about(task.kind, place) for place in places)


def _about(kind: str, place: TokenAnswer) -> str:
    words = {
        "tag": say("is the right tag here. The model: {given}."),
        "summarise": say("is right for the sentence after this [CLS]. The model: {given}."),
        "start": say("The right answer starts here. The model’s answer starts at “{given}”."),
        "end": say("The right answer ends here. The model’s answer ends at “{given}”."),
    }
    if place.what and not place.position:
        text = say("means that this window has no answer. The model: “{given}”.")
    else:
        usual = say("is the right answer for the whole text, predicted from [CLS]. The model: {given}.")
        text = words.get(place.what or kind, usual)
    given = text.format(given=said("" if place.what else kind, place.given))
    loss = {
        "regress": say("{said} Squared error: {loss}."),
        "multilabel": say("{said} Loss: {loss} nats per label."),
    }.get(kind, say("{said} Loss: {loss} nats; the right answer got a probability of {p}."))
    return loss.format(said=given, loss=numbers.decimal(place.loss), p=numbers.probability(math.exp(-place.loss)))


def tags_in_words(tags: Sequence[str]) -> str:
    """What the tags of names mean, as far as they occur; "" for other tags."""
    types = {tag.partition("-")[2] for tag in tags} - {""}
    named = [name for name in _TYPES if name in types]
    if len(named) < len(types) or not types:
        return ""
    begins = say("O: not a name. B-: a name begins; I-: it continues.")
    meanings = (f"{name}: {say(_TYPES[name])}" for name in named)
    return f"{begins} {', '.join(meanings)}."


def about_batch(batch: ShownBatch) -> str:
    """How much of it is padding, and how much was cut."""
    task = batch.task
    assert task is not None
    padding, cut = float(batch.is_padding.mean()), len(set(task.examples[task.cut > 0].tolist()))
    count = len(set(task.examples.tolist()))
    words = say("%n of {of} examples, epoch {epoch}.", n=count)
    parts = [words.format(of=numbers.count(task.of), epoch=numbers.count(task.epoch))]
    if padding:
        text = say("{share} of the batch is padding, up to the longest text; the model ignores it.")
        parts.append(text.format(share=numbers.percent(padding)))
    if cut:
        parts.append(say("%n (was|were) too long and had to be cut.", n=cut))
    return " ".join(parts)
