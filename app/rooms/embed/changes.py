"""Changes to what the model reads: segments, positions and parts of the embedding. Plain rules, no widgets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.state.what_if import WhatIf
    from bertcore.tokenizer.tokenizer import Encoding


def moved(what_if: WhatIf, encoding: Encoding, positions: Iterable[int]) -> WhatIf:
    """These tokens in the segment that they are not in now; what comes back to its own segment is no change."""
    now = what_if.segments_for(encoding.segments)
    for position in positions:
        other = 0 if now[position] else 1
        own = encoding.segments[position]
        what_if = what_if.with_segment(position, None if other == own else other)
    return what_if


def with_b_as_a(what_if: WhatIf, encoding: Encoding, is_on: bool) -> WhatIf:
    """All that is of segment B read as A; off: each token in its own segment."""
    for position, segment in enumerate(encoding.segments):
        what_if = what_if.with_segment(position, 0 if is_on and segment else None)
    return what_if


def is_b_as_a(what_if: WhatIf, encoding: Encoding) -> bool:
    """Whether nothing of B is left in segment B."""
    now = what_if.segments_for(encoding.segments)
    return any(encoding.segments) and not any(now)
