"""Which parts made a difference between two texts, for the views of the map. Importable without torch.

P parts, S tokens. A set of parts is given by the numbers of its parts, so that it can be asked about at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import EMBEDDINGS
from bertcore.analysis.targets import Target
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, part_of
from bertcore.tokenizer.special_tokens import MASK

from ..state import ModelInput
from .evidence import Kept, Source, read_collection
from .head_questions import INTERACTIVE_TOKENS
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link, Outcome, Part, PartPasses
    from bertcore.analysis.residual import PushedWords
    from bertcore.checkpoint.checkpoint import Checkpoint

Shares = NDArray[np.float64]
TextPair = tuple[str, str, str | None, str | None]  # a text, the other, two words for [MASK]; None: what each guesses
MOST_PLACED = 24  # parts whose token is looked for: those that alone lose most
ENOUGH = 0.8  # of the difference
FEW, MOST_WORDS = 10, 10  # parts of a set, words of a head, of which lessons speak
MOST_OTHERS = 64  # sentences on which a set is tried
GFLOP_PER_S = 60.0  # of one core, roughly: by this is estimated how long all links and sets take


@dataclass(frozen=True, eq=False)
class PartsAlone:
    """What is lost by each part alone: the first picture."""

    parts: list[Part]  # (P)
    lost: Shares  # (P)


@dataclass(frozen=True, eq=False)
class Paths:
    """What tells what, and how few parts are enough."""

    links: list[Link]  # the largest first
    dropped: list[int]  # (P-1) the part that counts least first, never the embeddings
    curve: Shares  # (P) what is kept by k + 1 parts
    strongest: list[int]  # the numbers of the K parts that alone lose most, the largest first
    at_tokens: Shares  # (K,S) what each of these loses at one token alone

    @property
    def places(self) -> dict[int, int]:
        """Of the strongest parts, by number: the token where most of it is lost."""
        return dict(zip(self.strongest, np.abs(self.at_tokens).argmax(axis=1).tolist(), strict=True))

    def best(self, count: int) -> tuple[int, ...]:
        """The set of so many parts."""
        return (0, *sorted(self.dropped[len(self.dropped) - count + 1 :]))


@dataclass(frozen=True, eq=False)
class PartSet:
    """What one set of parts does."""

    chosen: list[Part]
    outcomes: dict[str, Outcome]  # of the "text", of "only" these parts, "without" them, and of the "other" text
    reversed: float  # kept where both texts change places
    random: Shares  # kept by sets as large, drawn at random


@dataclass(frozen=True)
class OtherSentence:
    """One more pair of texts, and what the same parts keep of its difference."""

    text: str
    other: str
    kept: float  # NaN: see `problem`
    problem: str = ""


@dataclass(frozen=True, eq=False)
class PairParts:
    """What a lesson says of its two texts."""

    parts: list[Part]  # (P)
    lost: Shares  # (P) by each part alone
    curve: Shares  # (P) what is kept by k + 1 parts
    random: Shares  # kept by sets of FEW parts, drawn at random
    words: list[PushedWords]  # (P) that each part pushes up and down

    def heads(self) -> list[Part]:
        """The one first that alone loses most."""
        parts = [self.parts[number] for number in np.argsort(-np.abs(self.lost), kind="stable")]
        return [part for part in parts if part.kind == "head"]

    def head(self, layer: int, head: int) -> int:
        """The number of a head."""
        return next(at for at, part in enumerate(self.parts) if (part.layer, part.head) == (layer, head))


@dataclass(frozen=True, eq=False)
class DirectParts:
    """What each part alone adds to the score of a word, LayerNorm held fixed, and which words it pushes."""

    parts: list[Part]  # (P)
    values: Shares  # (P+1), the last that of all biases
    words: list[PushedWords]  # (P)
    logit: float
    error: float  # sum of all values - logit: rounding


def parts_alone(
    checkpoint: Checkpoint, ours: ModelInput, theirs: ModelInput, target: Target, progress: ReportProgress
) -> PartsAlone:
    """Raises BertcoreError where the texts differ in length, or hardly in the target."""
    passes = _passes(checkpoint, ours, theirs, target)
    return PartsAlone(passes.parts, passes.lost(progress))


def paths(
    checkpoint: Checkpoint, ours: ModelInput, theirs: ModelInput, target: Target, progress: ReportProgress
) -> Paths:
    """As `parts_alone`; takes seconds."""
    passes = _passes(checkpoint, ours, theirs, target)
    links, lost = passes.links(progress=part_of(progress, 0.0, 0.4)), passes.lost()
    dropped, kept = passes.dropped(lost, progress=part_of(progress, 0.4, 0.4))
    strongest = np.argsort(-np.abs(lost), kind="stable")[:MOST_PLACED].tolist()
    at_tokens = passes.lost_at(strongest, part_of(progress, 0.8, 0.2))
    return Paths(links, dropped, np.array([*kept[::-1], 1.0]), strongest, at_tokens)


def part_set(
    checkpoint: Checkpoint,
    ours: ModelInput,
    theirs: ModelInput,
    target: Target,
    numbers: tuple[int, ...],
    _progress: ReportProgress,
) -> PartSet:
    passes = _passes(checkpoint, ours, theirs, target)
    return PartSet(**passes.of_set(_live(passes, numbers)))


def on_others(
    checkpoint: Checkpoint, numbers: tuple[int, ...], source: Source, progress: ReportProgress
) -> list[OtherSentence]:
    """What a set of parts keeps of the difference in other pairs of texts, with the words that each names.

    Raises BertcoreError for lines or a file that are no pairs.
    """
    pairs, found = read_collection(source, progress).collection.rows[:MOST_OTHERS], list[OtherSentence]()
    for number, pair in enumerate(pairs):
        try:
            if not pair.other:
                raise BertcoreError(f"{pair.place}: there is no other text to compare with.")
            passes = _passes(checkpoint, *_read_pair(checkpoint, (pair.text, pair.other, pair.wanted, pair.against)))
            found.append(OtherSentence(pair.text, pair.other, float(passes.kept(_live(passes, numbers)[None])[0])))
        except BertcoreError as error:
            found.append(OtherSentence(pair.text, pair.other, float("nan"), str(error)))
        progress((number + 1) / len(pairs))
    return found


def direct_parts(
    checkpoint: Checkpoint, text: ModelInput, target: Target, count: int, _progress: ReportProgress
) -> DirectParts:
    """count: of the words pushed most, each way."""
    from bertcore.analysis.circuit import parts_of
    from bertcore.analysis.residual import logit_parts, most_pushed, written_by_parts

    model, given = checkpoint.model, text_of(checkpoint.model, text)
    shares, written = logit_parts(model, given, target), written_by_parts(model, given, target.position)
    words = np.sum([written[name] for name in EMBEDDINGS if name in written], axis=0)[None]  # (1,E)
    rows = np.concatenate([words, written["heads"].reshape(-1, words.shape[1]), written["feed_forward"]])  # (P,E)
    table = model.embeddings.token.weight.detach().cpu().float().numpy()
    scores = rows.astype(np.float32) @ table.T  # (P,V)
    pushed = [
        most_pushed(one, checkpoint.tokenizer, count, float(np.linalg.norm(row)))
        for one, row in zip(scores, rows, strict=True)
    ]
    values = [sum(shares.embeddings.values()), *shares.heads.flat, *shares.feed_forward, shares.biases]
    return DirectParts(parts_of(model), np.array(values), pushed, shares.logit, shares.error)


def seconds_for_paths(config: BertConfig, tokens: int) -> float:
    """About how long `paths` takes."""
    from bertcore.analysis.circuit import MOST_GREEDY, MOST_LINKS

    width, depth = config.hidden_size, config.num_hidden_layers
    parts = 1 + depth * (config.num_attention_heads + 1)
    links = min(parts * (parts + 1) / 2, MOST_LINKS)
    passes = parts + links / 2 + min(parts, MOST_GREEDY) ** 2 / 2 + MOST_PLACED * tokens
    return 2 * depth * width * (4 * width + 2 * config.intermediate_size) * tokens * passes / (GFLOP_PER_S * 1e9)


def template_of(ours: str, theirs: str, answers: tuple[str, str]) -> str:
    """Two texts with one [MASK] as a line of a collection of pairs: "The [woman/man] put on [her/his] hat."

    Empty where that does not say it. answers: of our text and of the other.
    """
    words, others, asked = ours.split(), theirs.split(), "[{}/{}]".format(*answers)
    if len(words) != len(others) or ours.count(MASK) != 1 or not all(answers):
        return ""
    pairs = zip(words, others, strict=True)
    line = " ".join(one if one == other else f"[{one}/{other}]" for one, other in pairs).replace(MASK, asked)
    return line if line.rindex("[") == line.index(asked) > line.index("[") else ""


_kept = Kept()  # of pairs that lessons speak of: worked out once for a model, whatever page wants it


def pair_parts(checkpoint: Checkpoint, pair: TextPair, progress: ReportProgress) -> PairParts:
    """Raises BertcoreError where the texts differ in length, or hardly in the target."""
    return _kept.get(checkpoint, pair, lambda: _pair_parts(checkpoint, pair, progress))


def _pair_parts(checkpoint: Checkpoint, pair: TextPair, progress: ReportProgress) -> PairParts:
    ours, theirs, target = _read_pair(checkpoint, pair)
    passes = _passes(checkpoint, ours, theirs, target)
    lost = passes.lost(part_of(progress, 0.0, 0.1))
    _, kept = passes.dropped(lost, progress=part_of(progress, 0.1, 0.8))
    random = passes.random_sets(min(FEW, len(lost)))
    words = direct_parts(checkpoint, ours, target, MOST_WORDS, progress).words if target.head == "mlm" else []
    return PairParts(passes.parts, lost, np.array([*kept[::-1], 1.0]), random, words)


def enough(curve: Shares) -> int:
    """The least number of parts that keep most of the difference."""
    return int(np.flatnonzero(curve >= ENOUGH)[0]) + 1


def _read_pair(checkpoint: Checkpoint, pair: TextPair) -> tuple[ModelInput, ModelInput, Target]:
    from bertcore.analysis.find_target import find_target

    (text, other, wanted, against), mask = pair, checkpoint.tokenizer.mask_token or MASK
    both = [checkpoint.tokenizer.encode(one.replace(MASK, mask)) for one in (text, other)]
    target = find_target(checkpoint, *both, wanted=wanted, against=against).target
    ours, theirs = (ModelInput(tuple(one.ids), tuple(one.segments)) for one in both)
    return ours, theirs, target


def _passes(checkpoint: Checkpoint, ours: ModelInput, theirs: ModelInput, target: Target) -> PartPasses:
    from bertcore.analysis.circuit import PartPasses

    text, other = (text_of(checkpoint.model, one) for one in (ours, theirs))
    return PartPasses(checkpoint.model, text, other, target, INTERACTIVE_TOKENS)


def _live(passes: PartPasses, numbers: Sequence[int]) -> NDArray[np.bool_]:
    return np.isin(np.arange(len(passes.parts)), numbers)
