"""What is said of a batch of examples in words: an example, and a token off which its answer is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertcore.tasks.kinds import TASK_KINDS

from ...compute.batches import ShownBatch
from ...look import numbers
from ...look.bidi import isolated
from ...look.language import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import Answer, TokenAnswer, UnitAnswer

translate = QCoreApplication.translate
_TYPES = {  # of CoNLL-2003
    "PER": QT_TRANSLATE_NOOP("BatchPage", "person"),
    "LOC": QT_TRANSLATE_NOOP("BatchPage", "place"),
    "ORG": QT_TRANSLATE_NOOP("BatchPage", "organisation"),
    "MISC": QT_TRANSLATE_NOOP("BatchPage", "other"),
}


def said(kind: str, answer: Answer) -> str:
    """A right or given answer as the screen names it."""
    if isinstance(answer, float):
        return numbers.decimal(answer)
    if kind == "choice":
        return translate("BatchPage", "ending {number}").format(number=answer)
    fixed = {  # as the kinds of bertcore.tasks have them
        "in the summary": translate("BatchPage", "in the summary"),
        "not in the summary": translate("BatchPage", "not in the summary"),
        "answered here": translate("BatchPage", "answer in this window"),
        "no answer here": translate("BatchPage", "no answer in this window"),
    }
    if kind in ("summarise", "span") and answer in fixed:
        return fixed[answer]
    if not answer:
        return fixed["no answer here"] if kind == "span" else translate("BatchPage", "none")
    return isolated(answer)


def about_unit(batch: ShownBatch, row: int) -> str:
    """Which example a sequence is of, its right answer, and the model's."""
    task = batch.task
    assert task is not None
    text = translate("BatchPage", "Row {row}: training example {number}")
    parts = [text.format(row=numbers.count(row + 1), number=numbers.count(int(task.examples[row]) + 1))]
    unit = task.unit(row)
    if unit is not None and len(unit.rows) > 1:
        parts.append(translate("BatchPage", "ending {number}").format(number=row - unit.rows[0] + 1))
    if unit is not None:
        parts.append(_answer(task.kind, unit))
    if cut := int(task.cut[row]):
        parts.append(translate("BatchPage", "%n token(s) cut", "", cut))
    return " · ".join(parts)


def _answer(kind: str, unit: UnitAnswer) -> str:
    if TASK_KINDS[kind].several_answers:
        right = sum(bool(place.is_right) for place in unit.places)
        count = len(unit.places)  # lupdate wants a plain name
        words = (
            translate("BatchPage", "{right} of %n word(s) right", "", count)
            if kind == "tag"
            else translate("BatchPage", "{right} of %n sentence(s) right", "", count)
        )
        return words.format(right=numbers.count(right))
    mark = {None: "", True: " ✓", False: " ✗"}[unit.is_right]
    text = translate("BatchPage", "right: {right} · the model: {given}{mark}")
    return text.format(right=said(kind, unit.right), given=said(kind, unit.given), mark=mark)


def about_place(batch: ShownBatch, row: int, position: int) -> str:
    """What a token is asked, and how the model does there."""
    task = batch.task
    assert task is not None
    places = task.places(row, position)
    if not places:
        if batch.documents[row, position] < 0:
            return translate("BatchPage", "a special token; the model predicts nothing here")
        return translate("BatchPage", "only read; the model predicts nothing here")
    return " ".join(_about(task.kind, place) for place in places)


def _about(kind: str, place: TokenAnswer) -> str:
    words = {
        "tag": translate("BatchPage", "is the right tag here. The model: {given}."),
        "summarise": translate("BatchPage", "is right for the sentence after this [CLS]. The model: {given}."),
        "start": translate("BatchPage", "The right answer starts here. The model’s answer starts at “{given}”."),
        "end": translate("BatchPage", "The right answer ends here. The model’s answer ends at “{given}”."),
    }
    if place.what and not place.position:
        text = translate("BatchPage", "means that this window has no answer. The model: “{given}”.")
    else:
        usual = translate(
            "BatchPage", "is the right answer for the whole text, predicted from [CLS]. The model: {given}."
        )
        text = words.get(place.what or kind, usual)
    given = text.format(given=said("" if place.what else kind, place.given))
    loss = {
        "regress": translate("BatchPage", "{said} Squared error: {loss}."),
        "multilabel": translate("BatchPage", "{said} Loss: {loss} nats per label."),
    }.get(kind, translate("BatchPage", "{said} Loss: {loss} nats; the right answer got a probability of {p}."))
    return loss.format(said=given, loss=numbers.decimal(place.loss), p=numbers.probability(math.exp(-place.loss)))


def tags_in_words(tags: Sequence[str]) -> str:
    """What the tags of names mean, as far as they occur; "" for other tags."""
    types = {tag.partition("-")[2] for tag in tags} - {""}
    named = [name for name in _TYPES if name in types]
    if len(named) < len(types) or not types:
        return ""
    begins = translate("BatchPage", "O: not a name. B-: a name begins; I-: it continues.")
    meanings = (f"{name}: {translate('BatchPage', _TYPES[name])}" for name in named)
    return f"{begins} {', '.join(meanings)}."


def about_batch(batch: ShownBatch) -> str:
    """How much of it is padding, and how much was cut."""
    task = batch.task
    assert task is not None
    padding, cut = float(batch.is_padding.mean()), len(set(task.examples[task.cut > 0].tolist()))
    count = len(set(task.examples.tolist()))
    words = translate("BatchPage", "%n of {of} examples, epoch {epoch}.", "", count)
    parts = [words.format(of=numbers.count(task.of), epoch=numbers.count(task.epoch))]
    if padding:
        text = translate(
            "BatchPage",
            "{share} of the batch is padding, up to the longest text; the model ignores it.",
        )
        parts.append(text.format(share=numbers.percent(padding)))
    if cut:
        parts.append(translate("BatchPage", "%n (was|were) too long and had to be cut.", "", cut))
    return " ".join(parts)
