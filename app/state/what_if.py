"""What a person has changed inside the model: heads and layers off, one direction alone, edited rows, moved segments,
swapped positions, and what has been swapped in from another text.

Plain values; `changes()` turns them into what the engine takes. Layers, heads and positions count from 0 here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..look import mark, say
from .baseline import OtherText

if TYPE_CHECKING:
    from bertcore.analysis.interventions import Direction, PatchedPart
    from bertcore.model.hooks import Changes

NO_EMBEDDING = {
    "token": mark("no token embedding"),
    "segment": mark("no segment embedding"),
    "position": mark("no position embedding"),
}
ONE_SIDE = {"left": mark("every token looks left only"), "right": mark("every token looks right only")}
Head = tuple[int, int]  # layer, head
Thing = TypeVar("Thing")


def head_name(layer: int, head: int) -> str:
    """As the screen has it, from 1: `3·4`."""
    return f"{layer + 1}·{head + 1}"


@dataclass(frozen=True)
class EditedRow:
    """What one token looks at in one head, by hand."""

    layer: int
    head: int
    position: int
    weights: tuple[float, ...]  # (S)


@dataclass(frozen=True)
class Swap:
    """One place of the pass gets what it had in the pass over another text: a cell of a map of `patching`."""

    part: PatchedPart
    row: int  # a layer; of "state" 0 is the embeddings, and l what layer l gives
    place: int  # a token's position; of "head" the head, at all tokens
    text: OtherText
    token: str = field(default="", compare=False)  # of the other text at that place, as it is shown
    # what the reader computed from the other text: how the model takes it; None in the state
    changes: Changes | None = field(default=None, compare=False, repr=False)

    def fits(self, layers: int, heads: int, tokens: int) -> bool:
        """Whether a model of that shape, reading so many tokens, has the place."""
        rows, places = layers + (self.part == "state"), heads if self.part == "head" else tokens
        return self.row < rows and self.place < places

    @property
    def description(self) -> str:
        """In a few words: "“woman” after layer 3"."""
        if self.part == "head":
            return say("head {head} of the other text", head=head_name(self.row, self.place))
        if self.part == "state" and not self.row:
            return say("“{token}” at the embeddings", token=self.token)
        if self.part == "state":
            return say("“{token}” after layer {layer}", token=self.token, layer=self.row)
        added = {
            "attention": mark("what attention adds to “{token}” in layer {layer}"),
            "feed-forward": mark("what feed-forward adds to “{token}” in layer {layer}"),
        }
        return say(added[self.part], token=self.token, layer=self.row + 1)


@dataclass(frozen=True)
class WhatIf:
    """Everything that is changed at once; empty: the model as it is."""

    heads_off: frozenset[Head] = frozenset()
    layers_off: frozenset[int] = frozenset()
    rows: tuple[EditedRow, ...] = ()
    segments: tuple[tuple[int, int], ...] = ()  # (position, segment it is taken to be of)
    positions: tuple[tuple[int, int], ...] = ()  # (position, position it is taken to stand at)
    dropped: frozenset[str] = frozenset()  # of "token", "segment", "position": embeddings left out
    swap: Swap | None = None  # what comes from another text
    direction: Direction | None = None  # the side on which tokens look at others; None: both

    def __bool__(self) -> bool:
        return self != WhatIf()

    def with_head(self, layer: int, head: int, off: bool) -> WhatIf:
        return replace(self, heads_off=_with(self.heads_off, (layer, head), off))

    def with_layer(self, layer: int, off: bool) -> WhatIf:
        return replace(self, layers_off=_with(self.layers_off, layer, off))

    def with_dropped(self, embedding: str, off: bool) -> WhatIf:
        """embedding: "token", "segment" or "position"."""
        return replace(self, dropped=_with(self.dropped, embedding, off))

    def with_row(self, row: EditedRow) -> WhatIf:
        return replace(self, rows=(*self.without_row(row.layer, row.head, row.position).rows, row))

    def without_row(self, layer: int, head: int, position: int) -> WhatIf:
        where = (layer, head, position)
        return replace(self, rows=tuple(row for row in self.rows if (row.layer, row.head, row.position) != where))

    def with_swap(self, swap: Swap | None) -> WhatIf:
        """In place of the one before; None: nothing is swapped in any more."""
        return replace(self, swap=swap)

    def with_direction(self, direction: Direction, is_on: bool) -> WhatIf:
        """Tokens look at that side alone, or at both again."""
        return replace(self, direction=direction if is_on else None)

    def with_segment(self, position: int, segment: int | None) -> WhatIf:
        """None: as it is."""
        return replace(self, segments=_placed(self.segments, position, segment))

    def with_other_segment(self, positions: Iterable[int], segments: Sequence[int]) -> WhatIf:
        """These tokens in the segment that they are not in now; segments (S): their own, where they are not changed."""
        now, what_if = self.segments_for(segments), self
        for position in positions:
            other = 0 if now[position] else 1
            what_if = what_if.with_segment(position, None if other == segments[position] else other)
        return what_if

    def with_b_as_a(self, segments: Sequence[int], is_on: bool) -> WhatIf:
        """All of segment B read as A; off: each token in its own segment."""
        what_if = self
        for position, segment in enumerate(segments):
            what_if = what_if.with_segment(position, 0 if is_on and segment else None)
        return what_if

    def reads_b_as_a(self, segments: Sequence[int]) -> bool:
        """Whether nothing of B is left in segment B."""
        return any(segments) and not any(self.segments_for(segments))

    def with_position(self, position: int, stands_at: int | None) -> WhatIf:
        """None: where it is."""
        stands_at = None if stands_at == position else stands_at
        return replace(self, positions=_placed(self.positions, position, stands_at))

    def swapped(self, one: int, other: int) -> WhatIf:
        """Two tokens change places for the position embedding alone."""
        stands = dict(self.positions)
        first, second = stands.get(one, one), stands.get(other, other)
        return self.with_position(one, second).with_position(other, first)

    def fits(self, layers: int, heads: int, tokens: int) -> bool:
        """Whether a model of that shape, reading so many tokens, has all that is changed."""
        named = [*self.heads_off, *((row.layer, row.head) for row in self.rows), *((at, 0) for at in self.layers_off)]
        places = [at for pair in self.positions for at in pair] + [at for at, _ in self.segments]
        return (
            all(layer < layers and head < heads for layer, head in named)
            and all(at < tokens for at in places)
            and all(row.position < tokens == len(row.weights) for row in self.rows)
            and (self.swap is None or self.swap.fits(layers, heads, tokens))
        )

    def without_places(self) -> WhatIf:
        """What is bound to no token: this goes on when the text is another."""
        return replace(self, rows=(), segments=(), positions=(), swap=None)

    def described(self, tokens: Sequence[str]) -> list[str]:
        """Each change in a few words; tokens (S) as they are shown."""
        return [
            *(say("layer {layer} skipped", layer=layer + 1) for layer in sorted(self.layers_off)),
            *(say("head {head} off", head=head_name(*head)) for head in sorted(self.heads_off)),
            *(
                say("head {head}: row of {token} edited", head=head_name(layer, head), token=tokens[position])
                for layer, head, position in ((row.layer, row.head, row.position) for row in self.rows)
            ),
            *(
                say("{token} ({place}) in segment {segment}", token=tokens[at], place=at, segment="AB"[min(segment, 1)])
                for at, segment in self.segments
            ),
            *(
                say("{token} ({place}) at position {position}", token=tokens[at], place=at, position=place)
                for at, place in sorted(self.positions)
            ),
            *(say(NO_EMBEDDING[embedding]) for embedding in sorted(self.dropped)),
            *([] if self.direction is None else [say(ONE_SIDE[self.direction])]),
            *([] if self.swap is None else [say("swapped in: {what}", what=self.swap.description)]),
        ]

    def segments_for(self, segments: Sequence[int]) -> list[int]:
        """(S) as the model reads them now."""
        given = dict(self.segments)
        return [given.get(position, segment) for position, segment in enumerate(segments)]

    def positions_for(self, length: int) -> list[int] | None:
        """(S) positions from 0, or None where nothing is moved."""
        given = dict(self.positions)
        return [given.get(position, position) for position in range(length)] if given else None

    def changes(self) -> Changes | None:
        """For `trace` and all other analyses; None where nothing is changed inside."""
        from bertcore.analysis import interventions  # here: the first paint need not wait for it

        if not (self.heads_off or self.layers_off or self.rows or self.dropped or self.swap or self.direction):
            return None
        if self.swap is not None and self.swap.changes is None:
            raise RuntimeError("what is swapped in has not been computed; take the changes of a reading's request")
        named: list[Any] = sorted(self.dropped)
        return interventions.combine(
            *([] if self.swap is None or self.swap.changes is None else [self.swap.changes]),
            *(interventions.drop_embedding(embedding) for embedding in named),
            {} if self.direction is None else interventions.one_direction(self.direction),
            *(interventions.set_attention_row(row.layer, row.head, row.position, row.weights) for row in self.rows),
            interventions.ablate(self.heads_off, self.layers_off),
        )


NOTHING_CHANGED = WhatIf()


def _with(things: frozenset[Thing], one: Thing, is_in: bool) -> frozenset[Thing]:
    return things | {one} if is_in else things - {one}


def _placed(places: tuple[tuple[int, int], ...], position: int, value: int | None) -> tuple[tuple[int, int], ...]:
    kept = [(at, given) for at, given in places if at != position]
    return tuple(sorted([*kept, (position, value)] if value is not None else kept))
