"""Places in the typed text, and the tokens that lie there.

Masks are kept as places in the text, not as token positions: another vocabulary has the same words elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokenizer import Encoding


@dataclass(frozen=True, order=True)
class Place:
    """Characters `start` (included) to `stop` (excluded) of sentence `part`."""

    part: str  # "a" | "b", as in Encoding.parts
    start: int
    stop: int


def place_of(encoding: Encoding | None, position: int) -> Place | None:
    """Where in the text a token stands; None for special tokens."""
    if encoding is None or position >= len(encoding) or encoding.parts[position] == "special":
        return None
    return Place(encoding.parts[position], *encoding.offsets[position])


def places_of(encoding: Encoding | None, positions: Iterable[int]) -> list[Place]:
    """Where in the text tokens stand, without special ones."""
    return [place for position in sorted(positions) if (place := place_of(encoding, position)) is not None]


def joined(places: Iterable[Place]) -> list[Place]:
    """The same, those that touch as one: pieces of a word are one token elsewhere."""
    merged: list[Place] = []
    for place in sorted(places):
        last = merged[-1] if merged else place
        if last.start < last.stop == place.start < place.stop and last.part == place.part:
            place = Place(place.part, merged.pop().start, place.stop)
        merged.append(place)
    return merged


def places_after_edit(places: Iterable[Place], part: str, old: str, new: str) -> frozenset[Place]:
    """Where places lie after the text of one part was edited in one place; those within what was edited are dropped.

    Where a letter was typed beside an equal one, either may be new: the reading that keeps more places is taken.
    """
    most = min(len(old), len(new))
    before = next((i for i in range(most) if old[i] != new[i]), most)
    after = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    starts = (before, min(before, most - after))
    wanted = list(places)
    readings = (frozenset(_shifted(wanted, part, start, len(old), len(new), after)) for start in starts)
    return max(readings, key=len)


def _shifted(places: list[Place], part: str, start: int, old: int, new: int, after: int) -> Iterator[Place]:
    """start: of the edit. old, new: lengths of the text. after: characters at its end that both have."""
    stop = old - min(after, min(old, new) - start)
    for place in places:
        if place.part != part or place.stop <= start:
            yield place
        elif place.start >= stop:
            yield Place(part, place.start + new - old, place.stop + new - old)


def moved_place(place: Place, grown: Iterable[tuple[Place, int]]) -> Place:
    """Where a place lies after others before it have become longer by so many characters."""
    by = sum(more for other, more in grown if other.part == place.part and other.stop <= place.start)
    return Place(place.part, place.start + by, place.stop + by)


def moved_positions(old: Sequence[object], new: Sequence[object]) -> dict[int, int]:
    """Where the items of `old` stand in `new` after an edit in one place: the common beginning and the common end."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - start
    end = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    at_end = {len(old) - 1 - i: len(new) - 1 - i for i in range(end)}
    return {i: i for i in range(start)} | at_end


def positions_of(encoding: Encoding | None, places: Iterable[Place]) -> list[int]:
    """The tokens that lie in one of these places; one without characters of its own, only where the place has none."""
    if encoding is None:
        return []
    wanted, positions = list(places), []
    for position in range(len(encoding)):
        token = place_of(encoding, position)
        if token is not None and any(token == place or _holds(place, token) for place in wanted):
            positions.append(position)
    return positions


def _holds(place: Place, token: Place) -> bool:
    return place.part == token.part and place.start <= token.start < token.stop <= place.stop
