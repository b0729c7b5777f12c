"""A reading as the room shows it: attention over tokens or words, and what a person has chosen to look at.

L layers, N heads, S tokens, U units: what rows and columns stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.look import theme
from app.state.readings import Reading, thumbnails
from app.state.token_units import TokenView, Units

if TYPE_CHECKING:
    from app.compute.head_questions import AskedText, HeadTarget
    from bertcore.analysis.heads import HeadFacts, HeadKind
    from bertcore.tokenizer.tokenizer import Encoding

Head = tuple[int, int]  # layer, head, from 0
Kinds = dict[str, list[tuple[int, int, float]]]  # kind -> (layer, head, score 0..1), best first
OFF = "switched off"  # in place of a kind


@dataclass(frozen=True, eq=False)
class Described:
    """What is known of one head."""

    kind: HeadKind
    facts: HeadFacts


Named = dict[Head, Described]


@dataclass(frozen=True)
class Choice:
    """What is looked at. Layers and heads count from 0."""

    layer: int
    head: int
    heads: tuple[Head, ...]  # all that are chosen, in the order of choosing; (layer, head) among them
    position: int  # the token that looks: under the mouse, else clicked
    locked: int  # the same without the mouse: for what takes its time
    column: int | None = None  # the token it is asked about; None: what it looks at most

    @property
    def name(self) -> str:
        if theme.scale() > 1:
            return f"Head {self.layer + 1}·{self.head + 1}"  # a projector has no room for more
        return f"Layer {self.layer + 1} · Head {self.head + 1}"


class Shown:
    """One reading in one view."""

    def __init__(self, reading: Reading, view: TokenView) -> None:
        self.reading, self.view = reading, view
        self.units: Units = reading.units(view)

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
        merged = merge_encoding(whole, word_groups(whole)) if self.view.words else whole
        kept = [i for i, part in enumerate(merged.parts) if self.view.specials or part != "special"]
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

    def head(self, layer: int, head: int) -> np.ndarray:
        """Attention of one head (U,U)."""
        return self.units.attention(self.reading.trace.attentions[layer, head])

    def mean(self, heads: Sequence[Head]) -> np.ndarray:
        """Mean attention of some heads (U,U)."""
        total = np.zeros(self.reading.trace.attentions.shape[2:], dtype=np.float64)
        for layer, head in heads:
            total += self.reading.trace.attentions[layer, head]
        return self.units.attention((total / len(heads)).astype(np.float32))

    def row_of(self, position: int) -> int | None:
        """The unit of a token, None where it is not shown."""
        return self.units.unit_of(position)

    @cached_property
    def off(self) -> frozenset[Head]:
        """Heads that add nothing: they are switched off, or the layer they stand in is."""
        what_if = self.reading.request.what_if
        return what_if.heads_off | {(layer, head) for layer in what_if.layers_off for head in range(self.heads)}

    def name_of(self, choice: Choice) -> str:
        """The head on show, and that it is off."""
        return choice.name + (" · off" if (choice.layer, choice.head) in self.off else "")

    @property
    def is_small(self) -> bool:
        """Whether all heads are merged and counted in no time, on the window's own thread."""
        return self.reading.trace.attentions.size <= 300_000

    def thumbnails(self, step: Callable[[float], object] | None = None) -> np.ndarray:
        """Every head, made small (L,N,T,T), in this view."""
        if self.view == TokenView():
            return self.reading.thumbnails
        return np.stack([thumbnails(layer[None])[0] for layer in self.all_heads(step)])

    def all_heads(self, step: Callable[[float], object] | None = None) -> list[np.ndarray]:
        """L x (N,U,U); long texts take seconds."""
        merged = []
        for layer, heads in enumerate(self.reading.trace.attentions):
            merged.append(self.units.attention(heads))
            if step is not None:
                step((layer + 1) / self.layers)
        return merged

    def stacked(self, step: Callable[[float], object] | None = None) -> np.ndarray:
        """Attention of all heads (L,N,U,U) in this view."""
        if self.view == TokenView():
            return self.reading.trace.attentions
        return np.stack(self.all_heads(step))

    @property
    def plain(self) -> Reading:
        """The reading of the model as it is, nothing changed inside."""
        return self.reading.before or self.reading

    @property
    def key(self) -> tuple[object, ...]:
        """What an answer about this reading is for."""
        return self.reading.request, self.view

    @property
    def plain_key(self) -> tuple[object, ...]:
        """The same for answers about the model as it is."""
        request = self.plain.request
        return request.model, request.input_ids, tuple(request.segments), request.masked

    @property
    def plain_notes(self) -> str:
        """What pictures of the model as it is leave aside, to be put behind their hints."""
        changed = " · without your changes inside" if self.reading.before is not None else ""
        return (" · by tokens, specials included" if self.view != TokenView() else "") + changed

    def asked_text(self) -> AskedText:
        """What the model reads, nothing changed inside."""
        from app.compute.head_questions import AskedText

        request = self.plain.request
        return AskedText(request.input_ids, request.segments, request.positions)


def named_heads(shown: Shown, step: Callable[[float], object] | None = None) -> Named:
    """Every head described: its kind with the scores behind it, and its facts."""
    from bertcore.analysis.heads import classify_heads, head_facts

    named: Named = {}
    for layer, heads in enumerate(shown.reading.trace.attentions):
        merged = shown.units.attention(heads)  # (N,U,U)
        for head, kind in enumerate(classify_heads(merged, shown.encoding)):
            named[(layer, head)] = Described(kind, head_facts(merged[head], shown.encoding))
        if step is not None:
            step((layer + 1) / shown.layers)
    return named


def by_kind(named: Named, off: Collection[Head] = ()) -> Kinds:
    """The kind with the most heads first; of each, the most marked first. Heads that are off stand at the end."""
    kinds: Kinds = {}
    for (layer, head), found in named.items():
        if (layer, head) not in off:
            kinds.setdefault(found.kind.kind, []).append((layer, head, found.kind.score))
    for heads in kinds.values():
        heads.sort(key=lambda item: -item[2])
    ordered = dict(sorted(kinds.items(), key=lambda item: -len(item[1])))
    if off:
        ordered[OFF] = [(*spot, named[spot].kind.score) for spot in sorted(off) if spot in named]
    return ordered


def short_name(target: HeadTarget | None) -> str:
    """A prediction as it is named within a sentence."""
    return "the prediction" if target is None else f"“{target.label}”"


def why_no_target(reading: Reading) -> str:
    """What to do where there is nothing to ask about."""
    missing = reading.request.model.missing.get("mlm")
    if missing:
        return missing
    return "Mask a word (M): then it shows what each head does for that word."
