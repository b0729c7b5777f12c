"""The attention of a reading over tokens or words beside that of its baseline, and what each head is called.

L layers, N heads, S tokens, U units: what rows and columns stand for; U' the baseline's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from bertcore.analysis.align import Alignment, align
from bertcore.analysis.attention_heads import (
    FoundHeads,
    HeadFacts,
    HeadKind,
    HeadMap,
    classify_heads,
    find_heads,
    head_facts,
    head_map,
    thumbnails,
)
from bertcore.analysis.compare import MatchedHeads, matched_heads
from bertcore.analysis.links import with_weight
from bertcore.analysis.merging import merge_encoding, word_groups
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.tokenizer.tokenizer import Encoding

from ...look import mark, say, theme
from ...state import Reading, TokenView, Units
from ...state.baseline_names import reason_in_words
from ...state.what_if import EditedRow, WhatIf, head_name

Head = tuple[int, int]  # layer, head, from 0
Kinds = dict[str, list[tuple[Head, float]]]  # kind -> head and score 0..1, best first
SPECIAL = "[CLS]/[SEP]"  # in the name of a kind: stands for what the model calls its special tokens
OFF = "off"  # in the place of a kind
NO_HABIT = "mixed"  # its score says nothing
KIND_NAMES = {  # in the order of lists
    "previous token": mark("previous token"),
    "next token": mark("next token"),
    "same token": mark("same token"),
    "same word in the other sentence": mark("same word in the other sentence"),
    "same word elsewhere": mark("same word elsewhere"),
    "[CLS]/[SEP] sink": mark("mostly [CLS]/[SEP]"),
    "local": mark("close by"),
    "broad": mark("nearly everywhere"),
    NO_HABIT: mark("no clear habit"),
    OFF: mark("switched off"),
}
SMALL = 300_000  # weights: so many are merged and counted in no time


class HeadDescription(NamedTuple):
    """What is known of one head."""

    kind: HeadKind
    facts: HeadFacts


Descriptions = dict[Head, HeadDescription]


class Attentions:
    """One reading in one token view, and the baseline that it is compared with."""

    def __init__(self, reading: Reading, token_view: TokenView) -> None:
        self.reading, self.token_view = reading, token_view
        self.units: Units = reading.units(token_view)
        self.layers, self.heads = (int(size) for size in reading.trace.attentions.shape[:2])

    @property
    def request(self) -> object:
        """What stands for it in the key of a question."""
        return self.reading.request, self.token_view

    def has(self, head: Head) -> bool:
        """Whether the model has this head."""
        return head[0] < self.layers and head[1] < self.heads

    @property
    def is_small(self) -> bool:
        """Whether all heads can be merged and counted on the window's own thread."""
        return bool(self.reading.trace.attentions.size <= SMALL)

    @cached_property
    def encoding(self) -> Encoding:
        """The text with a unit in place of each token, for the analyses of heads."""
        whole = self.reading.encoding
        merged = merge_encoding(whole, word_groups(whole)) if self.token_view.words else whole
        kept = [i for i, part in enumerate(merged.parts) if self.token_view.specials or part != "special"]
        names = ("tokens", "ids", "segments", "offsets", "parts", "words")
        chosen: dict[str, Any] = {name: [getattr(merged, name)[i] for i in kept] for name in names}
        unknown = [kept.index(i) for i in merged.unknown if i in kept]
        positions = list(self.units.first_positions)  # as the window numbers them
        return replace(merged, **chosen, unknown=unknown, positions=positions, labels=list(self.units.labels))

    def weights(self, layer: int, head: int) -> np.ndarray:
        """Attention of one head (U,U)."""
        return self.units.attention(self.reading.trace.attentions[layer, head])

    def by_layer(self, progress: ReportProgress = no_progress) -> Iterator[np.ndarray]:
        """L times (N,U,U); all of a long text take seconds."""
        for layer, heads in enumerate(self.reading.trace.attentions):
            yield self.units.attention(heads)
            progress((layer + 1) / self.layers)

    def stacked(self, progress: ReportProgress = no_progress) -> np.ndarray:
        """Attention of all heads (L,N,U,U) in this view."""
        if self.token_view == TokenView():
            return self.reading.trace.attentions
        return np.stack(list(self.by_layer(progress)))

    def thumbnails(self, progress: ReportProgress = no_progress) -> np.ndarray:
        """Every head, made small (L,N,T,T), in this view."""
        if self.token_view == TokenView():
            return self.reading.thumbnails
        return np.stack([thumbnails(layer) for layer in self.by_layer(progress)])

    # Heads that are off.

    @cached_property
    def off(self) -> frozenset[Head]:
        """Heads that add nothing: they are switched off, or the layer they stand in is."""
        what_if = self.reading.request.what_if
        return what_if.heads_off | {(layer, head) for layer in what_if.layers_off for head in range(self.heads)}

    def why_no_effect(self, layer: int, head: int) -> str:
        """A sentence on a head that adds nothing; empty for the others."""
        what_if = self.reading.request.what_if
        if layer in what_if.layers_off:
            return say("Layer {layer} is skipped, so this head has no effect.", layer=layer + 1)
        return say("Switched off, so it has no effect.") if (layer, head) in what_if.heads_off else ""

    def title(self, layer: int, head: int) -> str:
        """The name of a head, and that it is off."""
        name = head_title(layer, head)
        return say("{head} · off", head=name) if (layer, head) in self.off else name

    def with_weight(self, head: Head, row: int, column: int, weight: float) -> Callable[[WhatIf], WhatIf]:
        """The edit that gives one unit's attention to another a weight; both count as they are shown.

        A word's pieces share it as before; tokens that are left out of the view keep theirs.
        """
        members = self.units.members
        within = None if self.token_view.specials else [position for unit in members for position in unit]
        rows = self.reading.trace.attentions[head]
        edited = [(place, with_weight(rows[place], members[column], weight, within)) for place in members[row]]
        return lambda what_if: reduce(
            lambda changed, one: changed.with_row(EditedRow(*head, one[0], tuple(one[1].tolist()))), edited, what_if
        )

    # The baseline.

    @cached_property
    def baseline(self) -> Attentions | None:
        """None where nothing is compared."""
        baseline = self.reading.baseline
        return None if baseline is None else Attentions(baseline, self.token_view)

    @cached_property
    def alignment(self) -> Alignment:
        """Which of the baseline's units each unit is compared with; only where there is a baseline."""
        assert self.baseline is not None
        return align(self.encoding, self.baseline.encoding)

    @property
    def has_same_heads(self) -> bool:
        """Whether each head has a head of its own in the baseline."""
        return self.baseline is not None and (self.layers, self.heads) == (self.baseline.layers, self.baseline.heads)

    @cached_property
    def why_no_difference(self) -> str:
        """A sentence on heads that cannot be subtracted from those of the baseline; empty where they can."""
        if self.baseline is None:
            return ""
        if self.alignment.reason is not None:
            return reason_in_words(self.alignment.reason)
        if self.has_same_heads:
            return ""
        ours, theirs = (f"{each.layers} × {each.heads}" for each in (self, self.baseline))
        sentence = mark("The models have {ours} and {theirs} heads, so they cannot be paired one to one.")
        return say(sentence, ours=ours, theirs=theirs)

    @property
    def can_subtract(self) -> bool:
        """There is a baseline, and heads have a difference from its heads."""
        return self.baseline is not None and not self.why_no_difference

    def placed(self, theirs: np.ndarray) -> np.ndarray:
        """The baseline's (..., U',U') in our places (..., U,U), NaN where a unit has no counterpart."""
        rows, columns = np.array(self.alignment.pairs, dtype=np.int64).reshape(-1, 2).T
        placed = np.full((*theirs.shape[:-2], len(self.units), len(self.units)), np.nan, dtype=np.float32)
        placed[..., rows[:, None], rows] = theirs[..., columns[:, None], columns]
        return placed

    def small_differences(self, progress: ReportProgress = no_progress) -> np.ndarray:
        """Differences of all heads, made small (L,N,T,T)."""
        assert self.baseline is not None
        layers = zip(self.by_layer(progress), self.baseline.by_layer(), strict=True)
        return np.stack([thumbnails(np.nan_to_num(own - self.placed(theirs)), signed=True) for own, theirs in layers])


# What the worker is asked.


def describe_heads(attentions: Attentions, progress: ReportProgress) -> Descriptions:
    """Every head: its kind with the scores behind it, and its facts."""
    described = Descriptions()
    for layer, heads in enumerate(attentions.by_layer(progress)):
        for head, kind in enumerate(classify_heads(heads, attentions.encoding)):
            described[layer, head] = HeadDescription(kind, head_facts(heads[head], attentions.encoding))
    return described


def find_in(attentions: Attentions, query: str, progress: ReportProgress) -> FoundHeads:
    return find_heads(query, attentions.stacked(progress), attentions.encoding)


def map_of_heads(attentions: Attentions, progress: ReportProgress) -> HeadMap:
    return head_map(attentions.stacked(part_of(progress, 0, 0.2)), progress=part_of(progress, 0.2, 0.8))


def moved_heads(attentions: Attentions, _progress: ReportProgress) -> MatchedHeads:
    """How far each head is from itself in the baseline; in a model of another shape, from the most similar one.

    Raises BertcoreError where nothing is paired.
    """
    assert attentions.baseline is not None
    return matched_heads(attentions.stacked(), attentions.baseline.stacked(), attentions.alignment)


def by_kind(described: Descriptions, off: Collection[Head] = ()) -> Kinds:
    """Of each kind the most marked heads first. Those without a clear habit stand behind, and those that are off."""
    kinds: Kinds = {kind: [] for kind in KIND_NAMES}
    for head, description in described.items():
        if head not in off:
            kinds[description.kind.kind].append((head, description.kind.score))
    for heads in kinds.values():
        heads.sort(key=lambda item: -item[1])
    kinds[OFF] = [(head, described[head].kind.score) for head in sorted(off) if head in described]
    return {kind: heads for kind, heads in kinds.items() if heads}


def kind_name(kind: str, reading: Reading) -> str:
    """With this model's special tokens: "mostly <s>/</s>"."""
    special = "/".join(reading.special_names) or say("special token")
    return say(KIND_NAMES[kind]).replace(SPECIAL, special)


def head_title(layer: int, head: int) -> str:
    """A projector has no room for the long one."""
    if theme.is_projector():
        return say("Head {head}", head=head_name(layer, head))
    return say("Layer {layer} · Head {head}", layer=layer + 1, head=head + 1)
