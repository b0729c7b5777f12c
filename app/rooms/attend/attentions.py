"""The attention of a reading over tokens or words, and what each head is called.

L layers, N heads, S tokens, U units: what rows and columns stand for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bertcore.progress import ReportProgress

from ...look import theme
from ...look.say import mark, say
from ...state.readings import Reading, thumbnails
from ...state.token_units import TokenView, Units

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import HeadFacts, HeadKind
    from bertcore.tokenizer.tokenizer import Encoding
Head = tuple[int, int]  # layer, head, from 0
Kinds = dict[str, list[tuple[int, int, float]]]  # kind -> (layer, head, score 0..1), best first
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


@dataclass(frozen=True, eq=False)
class HeadDescription:
    """What is known of one head."""

    kind: HeadKind
    facts: HeadFacts


Descriptions = dict[Head, HeadDescription]


class Attentions:
    """One reading in one token view."""

    def __init__(self, reading: Reading, token_view: TokenView) -> None:
        self.reading, self.token_view = reading, token_view
        self.units: Units = reading.units(token_view)

    @property
    def layers(self) -> int:
        return int(self.reading.trace.attentions.shape[0])

    @property
    def heads(self) -> int:
        return int(self.reading.trace.attentions.shape[1])

    @cached_property
    def parts(self) -> list[str]:
        """(U) "special", "a" or "b"."""
        return [self.reading.encoding.parts[first] for first in self.units.first_positions]

    @cached_property
    def encoding(self) -> Encoding:
        """The text with a unit in place of each token, for the analyses of heads."""
        from bertcore.analysis.merging import merge_encoding, word_groups

        whole = self.reading.encoding
        merged = merge_encoding(whole, word_groups(whole)) if self.token_view.words else whole
        kept = [i for i, part in enumerate(merged.parts) if self.token_view.specials or part != "special"]
        new_place = {old: new for new, old in enumerate(kept)}
        unknown = [new_place[i] for i in merged.unknown if i in new_place]
        return replace(
            merged,
            tokens=[merged.tokens[i] for i in kept],
            ids=[merged.ids[i] for i in kept],
            segments=[merged.segments[i] for i in kept],
            positions=list(self.units.first_positions),  # as the window numbers them
            offsets=[merged.offsets[i] for i in kept],
            parts=[merged.parts[i] for i in kept],
            words=[merged.words[i] for i in kept],
            unknown=unknown,
            labels=list(self.units.labels),
        )

    def weights(self, layer: int, head: int) -> np.ndarray:
        """Attention of one head (U,U)."""
        return self.units.attention(self.reading.trace.attentions[layer, head])

    def mean(self, heads: Sequence[Head]) -> np.ndarray:
        """Mean attention of some heads (U,U)."""
        total = np.zeros(self.reading.trace.attentions.shape[2:], dtype=np.float64)
        for layer, head in heads:
            total += self.reading.trace.attentions[layer, head]
        return self.units.attention((total / len(heads)).astype(np.float32))

    @cached_property
    def off(self) -> frozenset[Head]:
        """Heads that add nothing: they are switched off, or the layer they stand in is."""
        what_if = self.reading.request.what_if
        return what_if.heads_off | {(layer, head) for layer in what_if.layers_off for head in range(self.heads)}

    def why_no_effect(self, layer: int, head: int) -> str:
        """A sentence on a head that adds nothing; empty for the others."""
        what_if = self.reading.request.what_if
        if layer in what_if.layers_off:
            text = say("Layer {layer} is skipped, so this head has no effect.")
            return text.format(layer=layer + 1)
        return say("Switched off, so it has no effect.") if (layer, head) in what_if.heads_off else ""

    def title(self, layer: int, head: int) -> str:
        """The name of a head, and that it is off."""
        name = head_title(layer, head)
        return say("{head} · off", head=name) if (layer, head) in self.off else name

    @property
    def is_small(self) -> bool:
        """Whether all heads can be merged and counted on the window's own thread."""
        return bool(self.reading.trace.attentions.size <= SMALL)

    def thumbnails(self, progress: ReportProgress | None = None) -> np.ndarray:
        """Every head, made small (L,N,T,T), in this view."""
        if self.token_view == TokenView():
            return self.reading.thumbnails
        return np.stack([thumbnails(layer[None])[0] for layer in self.all_heads(progress)])

    def all_heads(self, progress: ReportProgress | None = None) -> list[np.ndarray]:
        """L x (N,U,U); long texts take seconds."""
        merged = []
        for layer, heads in enumerate(self.reading.trace.attentions):
            merged.append(self.units.attention(heads))
            if progress is not None:
                progress((layer + 1) / self.layers)
        return merged

    def stacked(self, progress: ReportProgress | None = None) -> np.ndarray:
        """Attention of all heads (L,N,U,U) in this view."""
        if self.token_view == TokenView():
            return self.reading.trace.attentions
        return np.stack(self.all_heads(progress))

    @property
    def plain(self) -> Reading:
        """The reading of the model as it is, nothing changed inside."""
        return self.reading.plain

    @property
    def given(self) -> tuple[Reading, TokenView]:
        """What the worker is given, which makes attentions of its own."""
        return self.reading, self.token_view

    @property
    def plain_notes(self) -> list[str]:
        """What pictures of the model as it is leave aside, for the end of their hints."""
        notes = []
        if self.token_view != TokenView():
            notes.append(say("by tokens, special tokens included"))
        if self.reading.unchanged is not None:
            notes.append(say("without your changes inside the model"))
        return notes


def thumbnails_of(reading: Reading, view: TokenView, progress: ReportProgress) -> np.ndarray:
    return Attentions(reading, view).thumbnails(progress)


def describe_heads(reading: Reading, view: TokenView, progress: ReportProgress) -> Descriptions:
    """Every head: its kind with the scores behind it, and its facts."""
    from bertcore.analysis.attention_heads import classify_heads, head_facts

    attentions, described = Attentions(reading, view), Descriptions()
    for layer, heads in enumerate(attentions.reading.trace.attentions):
        merged = attentions.units.attention(heads)  # (N,U,U)
        for head, kind in enumerate(classify_heads(merged, attentions.encoding)):
            described[(layer, head)] = HeadDescription(kind, head_facts(merged[head], attentions.encoding))
        progress((layer + 1) / attentions.layers)
    return described


def by_kind(described: Descriptions, off: Collection[Head] = ()) -> Kinds:
    """Of each kind the most marked heads first. Those without a clear habit stand behind, and those that are off."""
    kinds: Kinds = {kind: [] for kind in KIND_NAMES}
    for (layer, head), description in described.items():
        if (layer, head) not in off:
            kinds[description.kind.kind].append((layer, head, description.kind.score))
    for heads in kinds.values():
        heads.sort(key=lambda item: -item[2])
    kinds[OFF] = [(*spot, described[spot].kind.score) for spot in sorted(off) if spot in described]
    return {kind: heads for kind, heads in kinds.items() if heads}


def kind_name(kind: str, reading: Reading) -> str:
    """With this model's special tokens: "mostly <s>/</s>"."""
    special = "/".join(reading.special_names) or say("special token")
    return say(KIND_NAMES[kind]).replace(SPECIAL, special)


def head_name(layer: int, head: int) -> str:
    """As short as can be: "2·3"."""
    return f"{layer + 1}·{head + 1}"


def head_title(layer: int, head: int) -> str:
    """A projector has no room for the long one."""
    if theme.is_projector():
        return say("Head {head}", head=head_name(layer, head))
    return say("Layer {layer} · Head {head}", layer=layer + 1, head=head + 1)
