"""Where the lines of a fine-tuned model end: in what its own head says, beside what that of the baseline says."""

from collections.abc import Sequence

from ...compute.task_answers import Guesses
from ...look import mark, numbers, say
from ...state.baseline_names import beside, is_earlier
from ...state.readings import Reading
from .content import Answer

TITLES = {  # kind of task -> what its head says
    "classify": mark("Predicted class"),
    "multilabel": mark("Predicted labels"),
    "regress": mark("Predicted number"),
    "tag": mark("Predicted tags"),
    "span": mark("Predicted answer"),
    "choice": mark("Predicted ending"),
    "summarise": mark("Picked sentences"),
}


def has_task_end(reading: Reading) -> bool:
    """Whether the lines end in the head for a task, for similarity or for replaced tokens, and not in words."""
    model, b = reading.request.model, (reading.encoding.text_b or "").strip()
    is_encoder = model.pooling is not None and bool(b)
    return not reading.masks and (model.task is not None or reading.replaced is not None or is_encoder)


def lines_of_task(reading: Reading) -> str:
    """Off which lines that is read."""
    if reading.request.model.pooling is not None:
        return say("Each sentence becomes one vector; their cosine says how similar they are.")
    if reading.replaced is not None or {"tag", "span"}.intersection(reading.task_logits):
        return say("The head reads the line of each token.")
    return say("Here the model uses only the line of {token}.", token=reading.shown_tokens[0])


def task_answer(
    reading: Reading, followed: int, said: Sequence[Guesses] | None, theirs: Sequence[Guesses] | None
) -> Answer:
    """What the head says, of the text as a whole and of single tokens; None while that is not known.

    theirs: what that of the baseline says.
    """
    task, is_older, alignment = reading.request.model.task, is_earlier(reading), reading.alignment
    title = mark("Was the token replaced?") if reading.replaced is not None else mark("Similarity of A and B")
    title, words = say(title if task is None else TITLES[task.kind]), list[tuple[str, float]]()
    shares, ends = list[float | None](), dict[int, str]()
    by_place = {one.position: dict(one.words) for one in theirs or ()}
    for one in said or ():
        if (one.position or 0) >= len(reading.encoding):  # of a longer text that was there before
            continue
        is_whole, (word, share) = one.position is None, one.words[0]
        place = None if one.position is None or alignment is None else alignment.other_positions[one.position]
        there = by_place.get(place, {}) if is_whole or place is not None else {}
        if is_whole and share is not None:
            words = [(name, share) for name, share in one.words if share is not None]
            shares = [there.get(name) for name, _ in words] if there else []
            continue
        text = word if share is None else f"{word} {numbers.percent(share)}"
        text += "" if word in there else "".join(f" ({beside(other, is_older)})" for other in there)
        if one.position is None:
            title = f"{title}: {text}"
        else:
            ends[one.position] = "" if task is not None and task.kind == "span" else text
    reason = say("This task needs more than this text: see Apply.") if said is not None and not said else ""
    place = 0 if words or not ends else followed if any(ends.values()) else min(ends)
    kind = "other" if task is None else task.kind
    return Answer(place, "accent", title, (), words, (), shares, is_older, reason, kind, ends)
