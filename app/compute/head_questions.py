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

from bertcore.analysis.targets import Measure, SimilarityTarget, Target
from bertcore.analysis.vectors import cosine
from bertcore.errors import MOST_VALUE, BertcoreError, shortened
from bertcore.progress import ReportProgress
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tokenizer.tokenizer import word_ids_at

from ..look import numbers
from ..look.bidi import isolated
from ..look.say import say
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ..state.contrast import Contrast
    from ..state.readings import MaskReading, ModelInput, Reading
INTERACTIVE_TOKENS = 1024  # in one batch: what is more urgent waits no longer than for this
LONG_TEXT, FEW_LINKS, MANY_LINKS = 128, 16, 64  # removing a link is a pass of its own
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
    tokens, logits = reading.shown_tokens, reading.task_logits
    targets = []
    for mask in reading.masks:
        words = [*([mask.was] if mask.was else []), *mask.words[:MOST_WORDS]]
        for word in {word.id: word for word in words}.values():
            note = say(", the word in the text") if mask.was and word.id == mask.was.id else ""
            name = say("{word} at {position}", word=word.token, position=mask.position)
            targets.append(HeadTarget(name, Target("mlm", word.id, mask.position), note))
    if reading.next_sentence is not None:
        targets.append(HeadTarget(say("B follows A"), Target("nsp")))
    if reading.sentence_order is not None:
        targets.append(HeadTarget(say("A comes before B"), Target("sop")))
    labels = labels_of(reading)
    if "classify" in logits:
        measure: Measure = "log_probability" if probability_of(reading) else "logit"
        order = np.argsort(-logits["classify"], kind="stable").tolist()
        targets += [HeadTarget(labels[i], Target("classify", i, measure=measure)) for i in order]
    if "tag" in logits:
        name = say("tag {tag} of {token} ({position})")
        for i in np.argsort(-logits["tag"][position], kind="stable")[:MOST_TAGS].tolist():
            label = name.format(tag=labels[i], token=tokens[position], position=position)
            targets.append(HeadTarget(label, Target("tag", i, position)))
    if "span" in logits:
        best = logits["span"].argmax(axis=0).tolist()
        begins = say("the answer begins at {token} ({position})")
        ends = say("the answer ends at {token} ({position})")
        for end, at in dict.fromkeys([*enumerate(best), (0, position), (1, position)]):
            label = (ends if end else begins).format(token=tokens[at], position=at)
            targets.append(HeadTarget(label, Target("span", end, at)))
    if "choice" in logits:
        label = say("the score of this choice")
        targets.append(HeadTarget(label, Target("choice", measure="logit")))
    if "summarise" in logits:
        targets.append(HeadTarget(say("this text is in the summary"), Target("summarise")))
    if reading.replaced is not None:
        name = say("{token} ({position}) was replaced", token=tokens[position], position=position)
        targets.append(HeadTarget(name, Target("rtd", 0, position)))
    pooling = reading.request.model.pooling
    if pooling is not None and other is not None:
        target = SimilarityTarget(vector=tuple(_pooled(other, pooling.kind).tolist()), pooling=pooling.kind)
        targets.append(HeadTarget(say("the similarity to the other text"), target))
    return targets


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
        try:
            ids = word_ids_at(word, tokenizer, reading.encoding, mask.position)
        except BertcoreError:
            sentence = say("This vocabulary does not have “{word}”; type another word.")
            raise BertcoreError(sentence.format(word=shortened(word, MOST_VALUE))) from None
        if len(ids) > 1:
            sentence = say("“{word}” is {count} pieces in this vocabulary ({pieces}); type a word that is one.")
            pieces = shortened(" ".join(tokenizer.label(piece) for piece in ids), MOST_VALUE)
            word = shortened(word, MOST_VALUE)
            raise BertcoreError(sentence.format(word=word, count=numbers.count(len(ids)), pieces=pieces))
        return ids[0]

    against = one_token(contrast.against) if contrast.against else None
    wanted = one_token(contrast.wanted) if contrast.wanted else (guess or mask).words[0].id
    if wanted == against:
        sentence = say("“{word}” is compared with itself; type another word.")
        raise BertcoreError(sentence.format(word=tokenizer.label(wanted)))
    if against is not None:
        return word_contrast(mask.position, (wanted, tokenizer.label(wanted)), (against, tokenizer.label(against)))
    name = say("{word} at {position}")
    return HeadTarget(
        name.format(word=tokenizer.label(wanted), position=mask.position), Target("mlm", wanted, mask.position)
    )


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
    text = say("“{more}” is {factor} times as likely as “{less}”")
    if factor == numbers.number(1):
        text = say("“{more}” is as likely as “{less}”")
    return text.format(more=more, less=less, factor=factor)


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


def softmax(logits: NDArray) -> NDArray[np.float64]:
    """Over the last axis."""
    raised = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _share(logits: NDArray, index: int) -> float:
    return float(softmax(logits)[index])


def _sigmoid(logit: float) -> float:
    return float(0.5 * (1 + np.tanh(float(logit) / 2)))


@dataclass(frozen=True, eq=False)
class HeadCheck:
    """Three views of what one token looks at in one head; numbers in nats of the target's log probability."""

    attention: NDArray[np.float64]  # (S)
    gradient: NDArray[np.float64]  # (S) change of ln p per unit of attention, to first order
    without: NDArray[np.float64]  # (S) change of ln p without this one link; NaN where it was not worked out
    without_head: float  # change of ln p without the whole head
    value: float  # ln p as it is


def effects_of_heads(
    checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, progress: ReportProgress
) -> NDArray[np.float64]:
    """(L,N): change of ln p in nats when each head alone is switched off (`effects.head_effects`)."""
    from bertcore.analysis.effects import head_effects

    model = checkpoint.model
    asked = text_of(model, text), target.target
    return head_effects(model, *asked, max_tokens=INTERACTIVE_TOKENS, progress=progress)[1]


def check_head(
    checkpoint: Checkpoint,
    text: ModelInput,
    target: HeadTarget,
    layer: int,
    head: int,
    row: int,
    progress: ReportProgress,
    *,
    most_links: int | None = None,
) -> HeadCheck:
    """Attention, gradient and removal for one row of one head; removal for the `most_links` strongest links,
    fewer in a long text unless it says how many.

    Raises BertcoreError for a head or token that is not there.
    """
    from bertcore.analysis.effects import attention_gradient, link_effects
    from bertcore.analysis.interventions import check_heads, check_rows

    check_heads([(layer, head)], checkpoint.config)
    check_rows([row], len(text.input_ids))
    most_links = most_links or (MANY_LINKS if len(text.input_ids) <= LONG_TEXT else FEW_LINKS)
    arguments = (checkpoint.model, text_of(checkpoint.model, text), target.target, layer)
    first_order = attention_gradient(*arguments)
    progress(0.1)
    attention = first_order.attention[head, row]  # (S)
    columns = sorted(np.argsort(-attention, kind="stable")[:most_links].tolist())
    without = np.full(len(attention), np.nan)
    without[columns] = link_effects(
        *arguments,
        head,
        row,
        columns,
        max_tokens=INTERACTIVE_TOKENS,
        progress=lambda share: progress(0.1 + 0.8 * share),
    )
    without_head = _without_head(checkpoint, text, target, layer, head) - first_order.value
    return HeadCheck(attention, first_order.gradient[head, row], without, without_head, first_order.value)


def _without_head(checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, layer: int, head: int) -> float:
    import torch

    from bertcore.analysis.interventions import ablate
    from bertcore.model.hooks import Intervention

    with torch.inference_mode():
        read = text_of(checkpoint.model, text)
        hidden = read.hidden(checkpoint.model, hook=Intervention(ablate([(layer, head)])))
        return float(target.target.of(checkpoint.model, hidden)[0])


def flow_matrix(
    attentions: NDArray, layers: int, progress: ReportProgress, *, most_tokens: int = 64
) -> NDArray[np.float64]:
    """Attention flow of every token after the first `layers` layers, (L,N,S,S) -> (S,S) (`flow.attention_flow`).

    Raises BertcoreError for more than `most_tokens` tokens: each pair is a problem of its own, and they grow fast.
    """
    from bertcore.analysis.flow import attention_flow

    length = attentions.shape[-1]
    if length > most_tokens:
        raise BertcoreError(
            f"Flow is computed for texts of up to {most_tokens} tokens; this one has {length}. Rollout has no limit."
        )
    return attention_flow(attentions, range(length), layers, progress)


def rollout_of(reading: Reading, layer: int, _progress: ReportProgress) -> NDArray[np.float64]:
    """(S,S): attention multiplied up, after a layer (`flow.rollout`)."""
    from bertcore.analysis.flow import rollout

    return rollout(_acting(reading)[: layer + 1])[-1]


def flow_of(reading: Reading, layer: int, progress: ReportProgress) -> NDArray[np.float64]:
    """(S,S): `flow_matrix` of a reading, after a layer."""
    return flow_matrix(_acting(reading), layer + 1, progress)


def _acting(reading: Reading) -> NDArray:
    """(L,N,S,S): its attention, without what is switched off."""
    from bertcore.analysis.flow import without

    what_if = reading.request.what_if
    return without(reading.trace.attentions, what_if.heads_off, what_if.layers_off)


def gradient_of_layer(
    checkpoint: Checkpoint, text: ModelInput, target: HeadTarget, layer: int, _progress: ReportProgress
) -> NDArray[np.float32]:
    """(N,S,S): the gradient of ln p with respect to a layer's attention (`effects.attention_gradient`)."""
    from bertcore.analysis.effects import attention_gradient

    first_order = attention_gradient(checkpoint.model, text_of(checkpoint.model, text), target.target, layer)
    return first_order.gradient.astype(np.float32)
