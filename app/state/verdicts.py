"""What a model says of A and B as a pair, in words: does B follow, which comes first, how alike are they?"""

from dataclasses import dataclass

from bertcore.checkpoint.config_file import Pooling

from ..look import mark, numbers, say
from .model_info import ModelInfo
from .readings import Reading

SURE = 0.65  # a probability of either answer below this is little more than a coin toss
# Cosine from which on two sentences count as that; sentence encoders differ, so the card says that it is a rough word.
LIKENESS = (
    (0.8, mark("Nearly the same")),
    (0.55, mark("Similar")),
    (0.3, mark("Somewhat similar")),
    (-1.0, mark("Not similar")),
)
ANSWERS = {  # by their role: alone, and behind the claim
    "verdict": (mark("Yes"), mark("{share} (yes)")),
    "verdict-no": (mark("No"), mark("{share} (no)")),
    "verdict-unsure": (mark("Unsure"), mark("{share} (unsure)")),
}


@dataclass(frozen=True)
class PairQuestion:
    """What a model can be asked about A and B."""

    title: str
    invitation: str  # while there is no B
    missing: str = ""  # why it cannot answer; empty where it can
    is_similarity: bool = False  # else a head of the model answers


@dataclass(frozen=True)
class Verdict:
    """An answer, ready to be shown."""

    role: str  # of the answer: "verdict", "verdict-no", "verdict-unsure"
    answer: str
    number: str
    share: float  # 0..1, the bar: how likely the claim is, or how alike A and B are
    bar: str  # what the bar shows, for screen readers
    explanation: str
    claim: str = ""  # "B follows A", whatever the answer; empty where the model compares

    @property
    def short(self) -> str:
        """ "40% (unsure)", behind the claim or a baseline's name."""
        return short_answer(self.role, self.share)


def question_for(model: ModelInfo) -> PairQuestion:
    """What this model can be asked about a pair; of one that can answer nothing, the question it comes nearest to."""
    heads, missing = model.output_heads, model.missing
    if "nsp" not in heads and ("sop" in heads or ("sop" in missing and model.pooling is None)):
        title = say("Does A come before B?")
        invitation = say("Type a second sentence in B to ask which of the two comes first.")
        return PairQuestion(title, invitation, "" if "sop" in heads else missing["sop"])
    if "nsp" not in heads and model.pooling is not None:
        title = say("How similar are A and B?")
        return PairQuestion(title, say("Type a second sentence in B to compare it with A."), is_similarity=True)
    reason = missing.get("nsp", say("This model does not say whether B follows A."))
    invitation = say("Type a second sentence in B to ask whether it follows A.")
    return PairQuestion(say("Is B the next sentence?"), invitation, "" if "nsp" in heads else reason)


def verdict_of(reading: Reading) -> Verdict | None:
    """What the heads for pairs say; None where there is none."""
    follows, order = reading.next_sentence, reading.sentence_order
    if follows is not None:
        share, text = follows.is_next, mark("The next-sentence classifier reads only {token}.")
    elif order is not None:
        share = order.in_order
        text = mark(
            "The sentence-order classifier reads only {token}. Both sentences may well be about the same thing: only "
            "their order is in question."
        )
    else:
        return None
    return _choice(pair_claim(is_order=follows is None), share, say(text, token=first_token(reading)))


def _choice(claim: str, share: float, explanation: str) -> Verdict:
    """share: the probability of the claim, which is what every number and bar shows, whatever the answer."""
    role, rule = role_of(share), unsure_rule()
    if role == "verdict-unsure":
        explanation = f"{rule[:1].upper()}{rule[1:]}. {explanation}"
    number, bar = f"{claim}: {numbers.percent(share)}", say("Probability that {claim}", claim=claim)
    return Verdict(role, say(ANSWERS[role][0]), number, share, bar, explanation, claim)


def similarity_verdict(cosine: float, pooling: Pooling, first: str) -> Verdict:
    """cosine: of the two sentence vectors, -1..1. first: the special token in front, as the model calls it."""
    answer = next(name for least, name in LIKENESS if cosine >= least or least == -1.0)
    if pooling.kind == "cls":
        vector = say("the hidden state of {token}", token=first)
    else:
        vector = say("the mean of its tokens’ hidden states")
    explanation = say(
        "Each sentence is read on its own, as typed, and becomes one vector: {vector}. Their cosine is 1 where both "
        "point the same way and about 0 where they have nothing in common. What counts as high differs from model to "
        "model.",
        vector=vector,
    )
    number = say("cosine {cosine}", cosine=numbers.decimal(cosine, 3))
    role = "verdict" if cosine >= LIKENESS[1][0] else "verdict-unsure"
    return Verdict(role, say(answer), number, min(max(cosine, 0.0), 1.0), say("Cosine of A and B"), explanation)


def first_token(reading: Reading) -> str:
    """What the heads for pairs read, as the model calls it: [CLS], <s>."""
    return next(iter(reading.special_names), say("the first token"))


def role_of(share: float) -> str:
    """The role of an answer whose claim has this probability."""
    if max(share, 1 - share) < SURE:
        return "verdict-unsure"
    return "verdict" if share >= 0.5 else "verdict-no"


def short_answer(role: str, share: float) -> str:
    """ "40% (unsure)", behind the claim."""
    return say(ANSWERS[role][1], share=numbers.percent(share))


def unsure_rule() -> str:
    """What `role_of` calls unsure."""
    return say("unsure: between {low} and {high}", low=numbers.percent(1 - SURE), high=numbers.percent(SURE))


def pair_claim(*, is_order: bool) -> str:
    """What the head for pairs gives the probability of. is_order: for sentence order."""
    return say("A comes before B") if is_order else say("B follows A")
