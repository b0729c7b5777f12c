"""What is said of a batch: of its snapshot, of a sequence or an example, and of a token. Functions from values to a
sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertcore.tasks.kinds import TASK_KINDS

from ....compute.batches import HIDDEN, KEPT, NEXT_WORD, REPLACED, ShownBatch, ShownExamples
from ....look import mark, names, numbers, say
from ....look.say import isolated
from ....state.verdicts import pair_claim, role_of, short_answer, unsure_rule

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import Answer, UnitAnswer

_FATES = {
    HIDDEN: mark("was here. The model read [MASK]."),
    REPLACED: mark("was here. The model read “{read}”, a random word."),
    KEPT: mark("is here unchanged, but has to be predicted all the same."),
    NEXT_WORD: mark("comes after “{read}”; the model has read no further."),
}
_ANSWERS: dict[str, str] = names("answers without names")  # as the kinds of bertcore.tasks have them
_WHOLE_TEXT = mark("is the right answer for the whole text, predicted from [CLS]. The model: {given}.")
_PLACES: dict[str, str] = names("right answers")  # kind of task, or the end of an answer -> what is read off a token
_NO_ANSWER = mark("means that this window has no answer. The model: “{given}”.")
_LOSS = mark("{said} Loss: {loss}; the right answer got a probability of {p}.")
_LOSSES = {  # kind of task -> how wrong an answer is
    "regress": mark("{said} Squared error: {loss}."),
    "multilabel": mark("{said} Loss: {loss} per label."),
}
_TYPES: dict[str, str] = names("types of names")  # of CoNLL-2003


# --- a batch


def about_weights(batch: ShownBatch) -> str:
    """Which snapshot the losses are of, how near it is to the batch, and how wrong it is."""
    losses = batch.losses
    if losses is None:
        return say("The run has no snapshot from before this step, so there are no predictions.")
    step = numbers.count(losses.snapshot)
    if losses.snapshot == batch.step - 1:
        who = say("The snapshot of step {step}: exactly the weights that read this batch.", step=step)
    elif losses.snapshot >= batch.step:
        who = say("The snapshot of step {step}: it has already learned from this batch.", step=step)
    else:
        who = say(
            "Predictions of the snapshot of step {step}; the model that read this batch at step {at} had learned a"
            " little more.",
            step=step,
            at=numbers.count(batch.step),
        )
    sentence = mark("Masked-word loss {loss}, {right} right on the first guess.")
    if batch.causal:
        sentence = mark("Next-word loss {loss}, {right} right on the first guess.")
    elif batch.task is not None:
        sentence = mark("Loss {loss}, {right} right.")
        if math.isnan(losses.accuracy):
            sentence = mark("Loss {loss}, the mean squared error.")
    loss = say(sentence, loss=numbers.decimal(losses.word_loss), right=numbers.percent(losses.accuracy))
    return f"{who} {loss}"


def about_examples(batch: ShownBatch, task: ShownExamples) -> str:
    """How much of a batch of examples is padding, and how much was cut."""
    padding, cut = float(batch.is_padding.mean()), len(set(task.examples[task.cut > 0].tolist()))
    count, of, epoch = len(set(task.examples.tolist())), numbers.count(task.of), numbers.count(task.epoch)
    parts = [say("%n of {of} examples, epoch {epoch}.", n=count, of=of, epoch=epoch)]
    if padding:
        sentence = mark("{share} of the batch is padding, up to the longest text; the model ignores it.")
        parts.append(say(sentence, share=numbers.percent(padding)))
    if cut:
        parts.append(say("%n (was|were) too long and had to be cut.", n=cut))
    return " ".join(parts)


def about_tags(tags: Sequence[str]) -> str:
    """What the tags of names mean, as far as they occur; "" for other tags."""
    types = {tag.partition("-")[2] for tag in tags} - {""}
    named = [name for name in _TYPES if name in types]
    if len(named) < len(types) or not types:
        return ""
    begins = say("O: not a name. B-: a name begins; I-: it continues.")
    return f"{begins} {', '.join(f'{name}: {say(_TYPES[name])}' for name in named)}."


# --- a sequence


def about_sequence(batch: ShownBatch, row: int) -> str:
    """Where a sequence comes from, what its two parts are to each other or what its answer is, and the model's."""
    if batch.task is not None:
        task, number = batch.task, numbers.count(int(batch.task.examples[row]) + 1)
        parts = [say("Row {row}: training example {number}", row=numbers.count(row + 1), number=number)]
        if (unit := task.unit(row)) is not None:
            if len(unit.rows) > 1:
                parts.append(say("ending {number}", number=row - unit.rows[0] + 1))
            parts.append(_answer(task.kind, unit))
        if cut := int(task.cut[row]):
            parts.append(say("%n token(s) cut", n=cut))
        return " · ".join(parts)
    documents, segments = batch.documents[row], batch.segments[row]
    part_a, part_b = (list(dict.fromkeys(documents[(documents >= 0) & (segments == part)].tolist())) for part in (0, 1))
    first, filled = (
        [numbers.count(number + 1) for number in chosen]
        for chosen in ((*part_a[:1], *part_b[:1]), (*part_a[1:], *part_b[1:]))
    )
    a, b = (*first, "", "")[:2]
    label = int(batch.pair_labels[row])
    if label not in (0, 1) and not part_b:
        pair = say("document {a}", a=a)
    elif batch.pairs == "sop" and label == 1:
        pair = say("A and B are swapped (document {a})", a=a)
    elif b and a != b:
        pair = say("B is a random sentence (A from document {a}, B from document {b})", a=a, b=b)
    elif label == 1:  # of a mixture, a random B may be from elsewhere in the same document
        pair = say("B is from elsewhere in document {a}", a=a)
    elif batch.pairs == "nsp":
        pair = say("B really follows A (document {a})", a=a)
    else:
        pair = say("A and B are in order (document {a})", a=a)
    parts = [say("Sequence {number}", number=row + 1), pair]
    if filled:
        parts.append(say("the rest is filled with text from document {documents}", documents=", ".join(filled)))
    if batch.losses is not None and not math.isnan(second := float(batch.losses.second[row])):
        share = 1.0 - second
        role, claim = role_of(share), pair_claim(is_order=batch.pairs != "nsp")
        answer = f"{numbers.percent(share)} ({unsure_rule()})"
        if role != "verdict-unsure":
            is_right = (role == "verdict") == (label == 0)
            answer = f"{short_answer(role, share)} {'✓' if is_right else '✗'}"
        parts.append(say("the model: {claim} {answer}", claim=claim, answer=answer))
    return " · ".join(parts)


def _answer(kind: str, unit: UnitAnswer) -> str:
    if TASK_KINDS[kind].several_answers:
        right = numbers.count(sum(bool(place.is_right) for place in unit.places))
        sentence = mark("{right} of %n word(s) right") if kind == "tag" else mark("{right} of %n sentence(s) right")
        return say(sentence, n=len(unit.places), right=right)
    sign = {None: "", True: " ✓", False: " ✗"}[unit.is_right]
    right, given = answer_name(kind, unit.right), answer_name(kind, unit.given)
    return say("right: {right} · the model: {given}{mark}", right=right, given=given, mark=sign)


# --- a token


def answer_name(kind: str, answer: Answer) -> str:
    """A right or given answer as the screen names it."""
    if isinstance(answer, float):
        return numbers.decimal(answer)
    if kind == "choice":
        return say("ending {number}", number=answer)
    if kind in ("summarise", "span") and answer in _ANSWERS:
        return say(_ANSWERS[answer])
    if not answer:
        return say(_ANSWERS["no answer here"]) if kind == "span" else say("none", meaning="not one")
    return isolated(answer)


def about_token(batch: ShownBatch, row: int, position: int) -> str:
    """What was done to a token or is read off it, and how the model does there."""
    at, fate, parts = (row, position), int(batch.fates[row, position]), []
    document, is_task = int(batch.documents[at]), batch.task is not None
    if batch.task is not None:
        kind = batch.task.kind
        for place in batch.task.places(row, position):
            is_start = bool(place.what) and not place.position
            sentence = _NO_ANSWER if is_start else _PLACES.get(place.what or kind, _WHOLE_TEXT)
            given = say(sentence, given=answer_name("" if place.what else kind, place.given))
            loss, p = numbers.decimal(place.loss), numbers.probability(math.exp(-place.loss))
            parts.append(say(_LOSSES.get(kind, _LOSS), said=given, loss=loss, p=p))
    elif fate in _FATES:
        parts.append(say(_FATES[fate], read=isolated(batch.words[int(batch.ids[at])])))
        if batch.losses is not None:
            nats, rank = float(batch.losses.losses[at]), numbers.count(int(batch.losses.ranks[at]))
            loss, p = numbers.decimal(nats), numbers.probability(math.exp(-nats))
            parts.append(say("Loss {loss}, rank {rank}: probability {p}.", loss=loss, rank=rank, p=p))
    if parts:
        return " ".join(parts)
    if document < 0:
        nothing = mark("a special token; the model predicts nothing here")
        return say(nothing) if is_task else say("a special token; it is never predicted")
    if is_task:
        return say("only read; the model predicts nothing here")
    return say("from document {document}; not to be predicted in this step", document=numbers.count(document + 1))
