"""What can be asked about two texts: what they differ in, and in words."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.predict import softmax
from bertcore.analysis.targets import Target

from ..look import mark, say
from ..look.say import isolated
from ..state import Reading
from .head_questions import HeadTarget, labels_of, probability_of, targets_of, word_contrast


def swap_targets(ours: Reading, theirs: Reading, position: int) -> list[HeadTarget]:
    """What can be asked about. First what the texts differ in: of each mask what each guesses first, of classes, tags
    and ends of an answer what gains most against what loses most. Then all others."""
    contrasts: list[HeadTarget | None] = [_contrast(ours, theirs, number) for number in range(len(ours.masks))]
    if len(ours.encoding) == len(theirs.encoding):
        contrasts += _contrasts_of_heads(ours, theirs)
    return [*(one for one in contrasts if one is not None), *targets_of(ours, position, theirs)]


def ours_first(targets: list[HeadTarget]) -> list[HeadTarget]:
    """The same, of words the one that our text guesses before that of the other."""

    def turned(one: HeadTarget) -> HeadTarget:
        target, (gained, lost) = one.target, one.answers
        if target.head != "mlm" or target.against is None:
            return one
        return word_contrast(target.position, (target.against, lost), (target.index, gained))

    return list(map(turned, targets))


def _contrasts_of_heads(ours: Reading, theirs: Reading) -> Iterator[HeadTarget]:
    """Of the heads that a model was fine-tuned with, where they choose one of several."""
    logits, tokens, labels = ours.task_logits, ours.shown_tokens, labels_of(ours)
    heads = [head for head in ("classify", "tag") if head in logits]
    change = {head: softmax(theirs.task_logits[head]) - softmax(logits[head]) for head in heads}
    if "classify" in change and probability_of(ours) == "softmax":
        gained, lost = _gained_and_lost(change["classify"])
        label = say("“{word}” rather than “{other}”", word=labels[gained], other=labels[lost])
        yield HeadTarget(label, Target("classify", gained, against=lost), answers=(labels[gained], labels[lost]))
    if "tag" in change:
        at = int(np.abs(change["tag"]).max(axis=-1).argmax())
        gained, lost = _gained_and_lost(change["tag"][at])
        label = say(
            "tag {tag} rather than {other} for {token} ({position})",
            tag=labels[gained],
            other=labels[lost],
            token=isolated(tokens[at]),
            position=at,
        )
        yield HeadTarget(label, Target("tag", gained, at, against=lost), answers=(labels[gained], labels[lost]))
    if "span" in logits:
        names = (
            mark("the answer begins at {token} ({position}) rather than {other} ({other_position})"),
            mark("the answer ends at {token} ({position}) rather than {other} ({other_position})"),
        )
        answers = (one.task_logits["span"].argmax(axis=0).tolist() for one in (theirs, ours))  # start and end
        for end, (gained, lost) in enumerate(zip(*answers, strict=True)):
            if gained != lost:
                token, other = isolated(tokens[gained]), isolated(tokens[lost])
                label = say(names[end], token=token, position=gained, other=other, other_position=lost)
                both = f"{token} ({gained})", f"{other} ({lost})"
                yield HeadTarget(label, Target("span", end, gained, against=lost), answers=both)


def _gained_and_lost(change: NDArray) -> tuple[int, int]:
    """Which of K probabilities rose most, and which fell most."""
    return int(change.argmax()), int(change.argmin())


def _contrast(ours: Reading, theirs: Reading, number: int) -> HeadTarget | None:
    """What each text guesses first; of equal guesses, which likely word gains most against which loses most.

    None where the other text has no mask there.
    """
    mask = ours.masks[number]
    other = next((i for i, one in enumerate(theirs.masks) if one.position == mask.position), None)
    if other is None or ours.trace.mlm_logits is None or theirs.trace.mlm_logits is None:
        return None
    first, theirs_first = mask.words[0], theirs.masks[other].words[0]
    if first.id != theirs_first.id:
        return word_contrast(mask.position, (theirs_first.id, theirs_first.token), (first.id, first.token))
    words = {word.id: word.token for word in (*mask.words, *theirs.masks[other].words)}
    ids = list(words)
    change = theirs.trace.mlm_logits[other][ids].astype(np.float64) - ours.trace.mlm_logits[number][ids]
    gained, lost = ids[int(change.argmax())], ids[int(change.argmin())]
    if gained == lost:
        return None
    return word_contrast(mask.position, (gained, words[gained]), (lost, words[lost]))
