"""Where the difference between two texts passes through the model, for the view "Swap in".

Importable without torch: the window names what it asks about on its own thread, and has it worked out on another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from bertcore.analysis.targets import Target

from ..look.bidi import isolated
from .head_questions import INTERACTIVE_TOKENS, HeadTarget, labels_of, softmax, targets_of, task_kind

if TYPE_CHECKING:
    from bertcore.analysis.interventions import Part
    from bertcore.analysis.patching import PatchingMap
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ..state.readings import ModelInput, Reading
    from .question import Step

translate = QCoreApplication.translate
SHARE_OF_PASS = 0.5  # what a batched pass takes of one that is traced; of heads, whose changes are larger, more
SHARE_OF_HEADS = 0.8
MOST_S = 8.0  # what takes longer is offered, and not begun by itself
LEAST_PLACES = 3  # that are computed of a long text, whatever they take


def swap_map(
    checkpoint: Checkpoint,
    ours: ModelInput,
    theirs: ModelInput,
    target: Target,
    part: Part,
    places: Sequence[int] | None,
    step: Step,
) -> PatchingMap:
    """Everything in `ours` replaced in turn by what it is in `theirs` (`patching.patching_map`).

    Raises BertcoreError where the texts differ in length, or not enough in the target.
    """
    from bertcore.analysis.passes import as_text
    from bertcore.analysis.patching import patching_map

    model = checkpoint.model
    text, other = (as_text(model, one.input_ids, one.segments, one.positions) for one in (ours, theirs))
    return patching_map(model, text, other, target, part, places=places, max_tokens=INTERACTIVE_TOKENS, progress=step)


def seconds_for(reading: Reading, places: int, part: Part) -> float:
    """About how long a map of so many columns takes, by the time that the text alone took.

    A pass begins at the patched layer, so on average only half of the layers are computed.
    """
    layers, share = reading.request.model.layers, SHARE_OF_HEADS if part == "head" else SHARE_OF_PASS
    return places * (layers + 1) / 2 * share * reading.forward_ms / 1000


def places_first(ours: Reading, theirs: Reading, target: Target, pinned: Sequence[int]) -> list[int] | None:
    """The positions to patch at once, in order; None: all, as that takes only seconds.

    pinned: those that were clicked. Of a long text these, the token asked about, and those that the texts differ in.
    """
    length = len(ours.encoding)
    most = int(MOST_S / max(seconds_for(ours, 1, "state"), 1e-6))
    if most >= length:
        return None
    pairs = enumerate(zip(ours.request.input_ids, theirs.request.input_ids, strict=True))
    differ = [position for position, (one, other) in pairs if one != other]
    wanted = [target.position, *pinned, *differ]
    return sorted(list(dict.fromkeys(wanted))[: max(most, LEAST_PLACES)])


def swap_targets(ours: Reading, theirs: Reading, position: int) -> list[HeadTarget]:
    """What can be asked about. First what the texts differ in most, of each mask, the classes, the tags and the ends
    of an answer: what gains most against what loses most. Then all others."""
    contrasts: list[HeadTarget | None] = [_contrast(ours, theirs, number) for number in range(len(ours.masks))]
    if len(ours.encoding) == len(theirs.encoding):
        contrasts += _contrasts_of_heads(ours, theirs)
    return [*(one for one in contrasts if one is not None), *targets_of(ours, position, theirs)]


def _contrasts_of_heads(ours: Reading, theirs: Reading) -> Iterator[HeadTarget]:
    """Of the heads that a model was fine-tuned with, where they choose one of several."""
    logits, tokens, labels = ours.task_logits, ours.shown_tokens, labels_of(ours)
    change = {
        head: softmax(theirs.task_logits[head]) - softmax(logits[head])
        for head in ("classify", "tag")
        if head in logits
    }
    if "classify" in change and task_kind(ours) not in ("regress", "multilabel"):
        gained, lost = _gained_and_lost(change["classify"])
        label = translate("HeadTarget", "“{word}” rather than “{other}”").format(
            word=labels[gained], other=labels[lost]
        )
        yield HeadTarget(label, Target("classify", gained, against=lost))
    if "tag" in change:
        at = int(np.abs(change["tag"]).max(axis=-1).argmax())
        gained, lost = _gained_and_lost(change["tag"][at])
        label = translate("HeadTarget", "tag {tag} rather than {other} of {token} ({position})").format(
            tag=labels[gained], other=labels[lost], token=isolated(tokens[at]), position=at
        )
        yield HeadTarget(label, Target("tag", gained, at, against=lost))
    if "span" in logits:
        names = (
            translate("HeadTarget", "the answer begins at {token} ({position}) rather than {other} ({other_position})"),
            translate("HeadTarget", "the answer ends at {token} ({position}) rather than {other} ({other_position})"),
        )
        answers = (one.task_logits["span"].argmax(axis=0).tolist() for one in (theirs, ours))  # start and end
        for end, (gained, lost) in enumerate(zip(*answers, strict=True)):
            if gained != lost:
                label = names[end].format(
                    token=isolated(tokens[gained]), position=gained, other=isolated(tokens[lost]), other_position=lost
                )
                yield HeadTarget(label, Target("span", end, gained, against=lost))


def _gained_and_lost(change: NDArray) -> tuple[int, int]:
    """Which of K probabilities rose most, and which fell most."""
    return int(change.argmax()), int(change.argmin())


def _contrast(ours: Reading, theirs: Reading, number: int) -> HeadTarget | None:
    """Among the likely words of both texts at one mask; None where the other text has no mask there."""
    mask = ours.masks[number]
    other = next((i for i, one in enumerate(theirs.masks) if one.position == mask.position), None)
    if other is None or ours.trace.mlm_logits is None or theirs.trace.mlm_logits is None:
        return None
    words = {word.id: word.token for word in (*mask.words, *theirs.masks[other].words)}
    ids = list(words)
    change = theirs.trace.mlm_logits[other][ids].astype(np.float64) - ours.trace.mlm_logits[number][ids]
    gained, lost = ids[int(change.argmax())], ids[int(change.argmin())]
    if gained == lost:
        return None
    label = translate("HeadTarget", "“{word}” rather than “{other}” at {position}").format(
        word=isolated(words[gained]), other=isolated(words[lost]), position=mask.position
    )
    return HeadTarget(label, Target("mlm", gained, mask.position, against=lost))
