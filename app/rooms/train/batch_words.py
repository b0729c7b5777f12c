"""What is said of a batch in words: a token of it, a pair, and whose weights predict."""

from __future__ import annotations

import math

from ...compute.batches import HIDDEN, KEPT, NEXT_WORD, REPLACED, ShownBatch
from ...look import numbers
from ...look.bidi import isolated
from ...look.say import say
from ...state.verdicts import pair_claim, role_of, short_answer, unsure_rule
from .task_words import about_place, about_unit


def about_weights(batch: ShownBatch) -> str:
    """Which snapshot the losses are of, how near it is to the batch, and how wrong it is."""
    losses = batch.losses
    if losses is None:
        return say("The run has no snapshot from before this step, so there are no predictions.")
    step, at = numbers.count(losses.snapshot), numbers.count(batch.step)
    if losses.snapshot == batch.step - 1:
        who = say("The snapshot of step {step}: exactly the weights that read this batch.")
    elif losses.snapshot >= batch.step:
        who = say("The snapshot of step {step}: it has already learned from this batch.")
    else:
        who = say(
            "Predictions of the snapshot of step {step}; the model that read "
            "this batch at step {at} had learned a"
            " little more."
        )
    kind = (
        _task_loss(losses.accuracy)
        if batch.task is not None
        else say("Next-word loss {loss} nats, {right} right on the first guess.")
        if batch.causal
        else say("Masked-word loss {loss} nats, {right} right on the first guess.")
    )
    said = kind.format(loss=numbers.decimal(losses.word_loss), right=numbers.percent(losses.accuracy))
    return f"{who.format(step=step, at=at)} {said}"


def _task_loss(right: float) -> str:
    if math.isnan(right):
        return say("Loss {loss}, the mean squared error.")
    return say("Loss {loss} nats, {right} right.")


def about_pair(batch: ShownBatch, row: int) -> str:
    """Where a sequence comes from, what its two parts are to each other, and what the model says to that."""
    if batch.task is not None:
        return about_unit(batch, row)
    documents, segments = batch.documents[row], batch.segments[row]
    part_a, part_b = (list(dict.fromkeys(documents[(documents >= 0) & (segments == part)].tolist())) for part in (0, 1))
    label = int(batch.pair_labels[row])
    names = [numbers.count(number + 1) for number in (*part_a[:1], *part_b[:1])]
    number = say("Sequence {number}", number=row + 1)
    if label not in (0, 1) and not part_b:
        where = say("document {a}", a=names[0])
    elif batch.pairs == "sop" and label == 1:
        where = say("A and B are swapped (document {a})", a=names[0])
    elif len(names) == 2 and names[0] != names[1]:
        words = say("B is a random sentence (A from document {a}, B from document {b})")
        where = words.format(a=names[0], b=names[1])
    else:
        words = (
            say("B really follows A (document {a})")
            if batch.pairs == "nsp"
            else say("A and B are in order (document {a})")
        )
        where = words.format(a=names[0] if names else "")
        if label == 1:  # of a mixture, a random B may be from elsewhere in the same document
            where = say("B is from elsewhere in document {a}", a=names[0])
    filled = [numbers.count(number + 1) for number in (*part_a[1:], *part_b[1:])]
    parts = [f"{number} · {where}"]
    if filled:
        words = say("the rest is filled with text from document {documents}")
        parts.append(words.format(documents=", ".join(filled)))
    verdict = _verdict(batch, row)
    return " · ".join(part for part in (*parts, verdict) if part)


def _verdict(batch: ShownBatch, row: int) -> str:
    if batch.losses is None or math.isnan(second := float(batch.losses.second[row])):
        return ""
    share = 1.0 - second
    role, claim = role_of(share), pair_claim(is_order=batch.pairs != "nsp")
    answer = f"{numbers.percent(share)} ({unsure_rule()})"
    if role != "verdict-unsure":
        is_right = (role == "verdict") == (int(batch.pair_labels[row]) == 0)
        answer = f"{short_answer(role, share)} {'✓' if is_right else '✗'}"
    return say("the model: {claim} {answer}", claim=claim, answer=answer)


def about_token(batch: ShownBatch, row: int, position: int) -> str:
    """What was done to a token, and how the model does there."""
    if batch.task is not None:
        return about_place(batch, row, position)
    at, fate = (row, position), int(batch.fates[row, position])
    read = isolated(batch.words[int(batch.ids[at])])
    words = {
        HIDDEN: say("was here. The model read [MASK]."),
        REPLACED: say("was here. The model read “{read}”, a random word."),
        KEPT: say("is here unchanged, but has to be predicted all the same."),
        NEXT_WORD: say("comes after “{read}”; the model has read no further."),
    }
    if fate not in words:
        document = int(batch.documents[at])
        if document < 0:
            return say("a special token; it is never predicted")
        text = say("from document {document}; not to be predicted in this step")
        return text.format(document=numbers.count(document + 1))
    parts = [words[fate].format(read=read)]
    if batch.losses is not None:
        loss, rank = float(batch.losses.losses[at]), int(batch.losses.ranks[at])
        text = say("Loss {loss} nats, rank {rank}: probability {p}.")
        parts.append(
            text.format(loss=numbers.decimal(loss), rank=numbers.count(rank), p=numbers.probability(math.exp(-loss)))
        )
    return " ".join(parts)
