"""What a person asks about heads and one prediction: which matter, and whether what one looks at counts.

Importable without torch: the window names its targets on its own thread, and has the answers worked out on another.
Positions, layers and heads count from 0. L layers, N heads, S tokens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.flow import attention_flow, rollout, without
from bertcore.analysis.predict import softmax
from bertcore.analysis.targets import Measure, SimilarityTarget, Target
from bertcore.analysis.vectors import cosine
from bertcore.errors import MOST_VALUE, BertcoreError, shortened
from bertcore.progress import ReportProgress
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tokenizer.tokenizer import word_ids_at

from ..look import mark, numbers, say
from ..look.say import isolated
from ..state import Contrast, MaskReading, ModelInput, Reading
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.analysis.head_check import HeadCheck
    from bertcore.checkpoint.checkpoint import Checkpoint

INTERACTIVE_TOKENS = 1024  # in one batch: what is more urgent waits no longer than for this
LONG_TEXT, FEW_LINKS, MANY_LINKS = 128, 16, 64  # removing a link is a pass of its own
MOST_FLOW_TOKENS = 64
MOST_WORDS, MOST_TAGS = 3, 3  # that are offered for each mask, or each token
MOST_NATS = 700.0  # whose exponential is still a number


@dataclass(frozen=True)
class HeadTarget:
    """One prediction that can be asked about, whatever head of the model makes it, and what a person calls it."""

    label: str
    target: Target
    note: str = ""  # stands behind the label in a list
    answers: tuple[str, str] = ("", "")  # of a target with `against`: what its two answers are called

    @property
    def is_score(self) -> bool:
        """It has no probability: effects are in its own unit, and not of ln p in nats."""
        return self.target.measure == "logit"

    @property
    def is_contrast(self) -> bool:
        """Of two answers: effects are on the log of how many times likelier the first is."""
        return self.target.against is not None

    @property
    def measure(self) -> str:
        """What the numbers are of, for captions and files."""
        if self.is_score:
            return f"score of {self.label}"
        if self.is_contrast:
            return "ln p of {} minus ln p of {}".format(*self.answers)
        return f"ln p of {self.label}"

    def value(self, reading: Reading) -> float:
        """Its probability in a reading, 0..1, or its score."""
        target, logits = self.target, reading.task_logits
        match target.head:
            case "mlm":
                assert reading.trace.mlm_logits is not None
                row = [mask.position for mask in reading.masks].index(target.position)
                return _share(reading.trace.mlm_logits[row], target.index)
            case "nsp":
                return 0.0 if reading.next_sentence is None else reading.next_sentence.is_next
            case "sop":
                return 0.0 if reading.sentence_order is None else reading.sentence_order.in_order
            case "rtd":
                return 0.0 if reading.replaced is None else float(reading.replaced[target.position])
            case "tag":
                return _share(logits["tag"][target.position], target.index)
            case "span":
                return _share(logits["span"][:, target.index], target.position)
            case "similarity":
                assert isinstance(target, SimilarityTarget)
                return cosine(_pooled(reading, target.pooling), np.asarray(target.vector))
            case "summarise":
                return _sigmoid(logits["summarise"][target.position])
            case "classify" if not self.is_score and probability_of(reading) != "sigmoid":
                return _share(logits["classify"], target.index)
            case _:
                logit = float(logits[target.head][target.index])
                return logit if self.is_score else _sigmoid(logit)


def targets_of(reading: Reading, position: int, other: Reading | None = None) -> list[HeadTarget]:
    """What the model predicts here, of every head it has. position: the token that was clicked, for its tags.

    Of each mask the word that was there and the likeliest ones; the verdicts on the pair; all classes, the likeliest
    first; the token's likeliest tags; where an answer likely begins and ends, and this token; whether it was replaced.
    other: of another text in the same model, that a sentence encoder finds this one more or less similar to.
    """
    tokens, logits, labels, made = reading.shown_tokens, reading.task_logits, labels_of(reading), list[HeadTarget]()
    is_share = probability_of(reading) is not None

    def add(name: str, head: str, index: int = 0, at: int = 0, *, measure: Measure = "log_probability") -> None:
        made.append(HeadTarget(name, Target(head, index, at, measure=measure)))

    for mask in reading.masks:
        words = [*([mask.was] if mask.was else []), *mask.words[:MOST_WORDS]]
        for word in {word.id: word for word in words}.values():
            made.append(
                _word_at(word.id, word.token, mask.position, is_own=mask.was is not None and word.id == mask.was.id)
            )
    if reading.next_sentence is not None:
        add(say("B follows A"), "nsp")
    if reading.sentence_order is not None:
        add(say("A comes before B"), "sop")
    if "classify" in logits:
        for i in np.argsort(-logits["classify"], kind="stable").tolist():
            add(labels[i], "classify", i, measure="log_probability" if is_share else "logit")
    if "tag" in logits:
        for i in np.argsort(-logits["tag"][position], kind="stable")[:MOST_TAGS].tolist():
            name = say("tag {tag} of {token} ({position})", tag=labels[i], token=tokens[position], position=position)
            add(name, "tag", i, position)
    if "span" in logits:
        best = logits["span"].argmax(axis=0).tolist()
        names = mark("the answer begins at {token} ({position})"), mark("the answer ends at {token} ({position})")
        for end, at in dict.fromkeys([*enumerate(best), (0, position), (1, position)]):
            add(say(names[end], token=tokens[at], position=at), "span", end, at)
    if "choice" in logits:
        add(say("the score of this choice"), "choice", measure="logit")
    if "summarise" in logits:
        add(say("this text is in the summary"), "summarise")
    if reading.replaced is not None:
        add(say("{token} ({position}) was replaced", token=tokens[position], position=position), "rtd", 0, position)
    pooling = reading.request.model.pooling
    if pooling is not None and other is not None:
        target = SimilarityTarget(vector=tuple(_pooled(other, pooling.kind).tolist()), pooling=pooling.kind)
        made.append(HeadTarget(say("the similarity to the other text"), target))
    return made


def _word_at(word: int, token: str, position: int, *, is_own: bool = False) -> HeadTarget:
    """A word at a mask. is_own: it stands in the text."""
    note = say(", the word in the text") if is_own else ""
    return HeadTarget(say("{word} at {position}", word=token, position=position), Target("mlm", word, position), note)


def own_target(
    reading: Reading, position: int | None, contrast: Contrast, other: Reading | None = None
) -> HeadTarget | None:
    """What a person has typed, at the mask at `position`, else at the first; None where nothing is typed, or no mask.

    A word that is left out is what is guessed first, by the other text where there is one; without `against` it is the
    word alone. Raises BertcoreError for a word that is not one token of the vocabulary, and for the same word twice.
    """
    mask = mask_at(reading, position)
    if mask is None or not contrast:
        return None
    tokenizer, guess = reading.request.model.tokenizer, mask_at(other or reading, mask.position)

    def one_token(word: str) -> int:
        short = shortened(word, MOST_VALUE)
        try:
            ids = word_ids_at(word, tokenizer, reading.encoding, mask.position)
        except BertcoreError:
            text = say("This vocabulary does not have “{word}”; type another word.", word=short)
            raise BertcoreError(text) from None
        if len(ids) > 1:
            pieces = shortened(" ".join(tokenizer.label(piece) for piece in ids), MOST_VALUE)
            text = mark("“{word}” is {count} pieces in this vocabulary ({pieces}); type a word that is one.")
            raise BertcoreError(say(text, word=short, count=numbers.count(len(ids)), pieces=pieces))
        return ids[0]

    against = one_token(contrast.against) if contrast.against else None
    wanted = one_token(contrast.wanted) if contrast.wanted else (guess or mask).words[0].id
    name = tokenizer.label(wanted)
    if wanted == against:
        raise BertcoreError(say("“{word}” is compared with itself; type another word.", word=name))
    if against is not None:
        return word_contrast(mask.position, (wanted, name), (against, tokenizer.label(against)))
    return _word_at(wanted, name, mask.position)


def word_contrast(position: int, wanted: tuple[int, str], against: tuple[int, str]) -> HeadTarget:
    """wanted, against: id and name."""
    answers = isolated(wanted[1]), isolated(against[1])
    label = say(
        "“{word}” rather than “{other}” at position {position}", word=answers[0], other=answers[1], position=position
    )
    return HeadTarget(label, Target("mlm", wanted[0], position, against=against[0]), answers=answers)


def mask_at(reading: Reading, position: int | None) -> MaskReading | None:
    """The mask there, else the first; None where there is none."""
    here = (mask for mask in reading.masks if mask.position == position)
    return next(iter([*here, *reading.masks]), None)


def odds(target: HeadTarget, log_ratio: float) -> str:
    """Of a contrast: "“her” is 2.2 times as likely as “his”"."""
    more, less = target.answers if log_ratio >= 0 else target.answers[::-1]
    factor = numbers.number(math.exp(min(abs(log_ratio), MOST_NATS)))
    is_one = factor == numbers.number(1)
    text = (
        mark("“{more}” is as likely as “{less}”")
        if is_one
        else mark("“{more}” is {factor} times as likely as “{less}”")
    )
    return say(text, more=more, less=less, factor=factor)


def why_no_target(reading: Reading) -> str:
    """What to do where there is nothing to ask about."""
    model = reading.request.model
    if model.pooling is not None:
        return say("Compare this text with another one (Ctrl+Alt+A): then you can ask what makes them similar.")
    missing = model.missing.get("mlm")
    return missing or say("Mask a word (M): then you can ask about the model’s guesses for it.")


def changed_targets(before: Reading, after: Reading) -> list[HeadTarget]:
    """Which predictions, besides masked words, show best what a change inside the model does.

    The likeliest before and the likeliest after; of tags and of replaced tokens, those of the token that changed most.
    """
    position = 0
    if "tag" in before.task_logits:
        shares = [softmax(one.task_logits["tag"]) for one in (before, after)]  # (S,K) each
        position = int(np.abs(shares[1] - shares[0]).max(axis=-1).argmax())
    elif before.replaced is not None and after.replaced is not None:
        position = int(np.abs(after.replaced - before.replaced).argmax())
    heads = ("nsp", None), ("sop", None), ("classify", None), ("tag", None), ("span", 0), ("span", 1), ("choice", None)
    best = []
    for head, index in (*heads, ("summarise", None), ("rtd", None), ("similarity", None)):
        for reading in (before, after):
            targets = (one for one in targets_of(reading, position, after.other_text) if one.target.head == head)
            best += [one for one in targets if index in (None, one.target.index)][:1]
    return list(dict.fromkeys(best))


def probability_of(reading: Reading) -> str | None:
    """How the scores of the task that the model was fine-tuned on become probabilities: "softmax", "sigmoid" or not."""
    task = reading.request.model.task
    return "softmax" if task is None else TASK_KINDS[task.kind].probability


def labels_of(reading: Reading) -> Sequence[str]:
    """Names of the classes or tags."""
    task = reading.request.model.task
    names = () if task is None else task.labels
    return names or [f"LABEL_{number}" for number in range(reading.request.model.config.label_count)]


def _pooled(reading: Reading, kind: str) -> NDArray[np.float64]:
    """(H) the sentence vector of a reading, before it is scaled to length 1. kind: as in `Pooling`."""
    last = reading.trace.hidden_states[-1].astype(np.float64)  # (S,H)
    vector: NDArray[np.float64] = last[0] if kind == "cls" else last.mean(axis=0)
    return vector


def _share(logits: NDArray, index: int) -> float:
    return float(softmax(logits)[index])


def _sigmoid(logit: float) -> float:
    return float(0.5 * (1 + np.tanh(float(logit) / 2)))


# What the worker is asked.


def effects_of_heads(
    checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, progress: ReportProgress
) -> NDArray[np.float64]:
    """(L,N): change of ln p in nats when each head alone is switched off (`effects.head_effects`)."""
    from bertcore.analysis.effects import head_effects

    asked = checkpoint.model, text_of(checkpoint.model, text), target.target
    return head_effects(*asked, max_tokens=INTERACTIVE_TOKENS, progress=progress)[1]


def check_of_head(
    checkpoint: Checkpoint,
    text: ModelInput,
    target: HeadTarget,
    layer: int,
    head: int,
    row: int,
    progress: ReportProgress,
) -> HeadCheck:
    """`head_check.check_head`: removal of the strongest links, of which there are fewer in a long text."""
    from bertcore.analysis.head_check import check_head

    asked = checkpoint.model, text_of(checkpoint.model, text), target.target, layer, head, row
    most_links = MANY_LINKS if len(text.input_ids) <= LONG_TEXT else FEW_LINKS
    return check_head(*asked, most_links=most_links, max_tokens=INTERACTIVE_TOKENS, progress=progress)


def gradient_of_layer(
    checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, layer: int, _progress: ReportProgress
) -> NDArray[np.float32]:
    """(N,S,S): the gradient of ln p with respect to a layer's attention (`effects.attention_gradient`)."""
    from bertcore.analysis.effects import attention_gradient

    found = attention_gradient(checkpoint.model, text_of(checkpoint.model, text), target.target, layer)
    return found.gradient.astype(np.float32)


def rollout_of(reading: Reading, layer: int, _progress: ReportProgress) -> NDArray[np.float64]:
    """(S,S): attention multiplied up, after a layer (`flow.rollout`)."""
    return rollout(_acting(reading)[: layer + 1])[-1]


def flow_of(reading: Reading, layer: int, progress: ReportProgress) -> NDArray[np.float64]:
    """(S,S): the most that can flow from token to token, after a layer (`flow.attention_flow`).

    Raises BertcoreError for a long text: each pair is a problem of its own, and they grow fast.
    """
    length = len(reading.encoding)
    if length > MOST_FLOW_TOKENS:
        raise BertcoreError(
            f"Flow is computed for texts of up to {MOST_FLOW_TOKENS} tokens; this one has {length}. Rollout has no "
            "limit."
        )
    return attention_flow(_acting(reading), range(length), layer + 1, progress)


def _acting(reading: Reading) -> NDArray:
    """(L,N,S,S): its attention, without what is switched off."""
    what_if = reading.request.what_if
    return without(reading.trace.attentions, what_if.heads_off, what_if.layers_off)
