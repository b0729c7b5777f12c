"""The state's tokens as chips, and what has to be said about them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.state.state import ExploreState
from app.state.token_units import KINDS
from app.widgets.token_strip import Chip

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding

MOST_UNKNOWN_NAMED = 5


def chips_of(state: ExploreState) -> list[Chip]:
    """One chip for each token of the encoding, masks as the model reads them."""
    encoding = state.encoding
    if encoding is None:
        return []
    masked, ids, unknown, mask = set(state.all_masked), state.input_ids, set(encoding.unknown), state.mask_token
    return [
        Chip(
            token=mask if i in masked else token,
            token_id=ids[i],
            segment=encoding.segments[i],
            kind="mask" if i in masked else KINDS[encoding.parts[i]],
            hint=partial(hint_about, state, i),
            is_unknown=i in unknown,
        )
        for i, token in enumerate(encoding.labels)
    ]


def hint_about(state: ExploreState, position: int) -> str:
    """What a chip's tool tip says."""
    encoding = state.encoding
    if encoding is None or position >= len(encoding):
        return ""
    token = encoding.labels[position]
    shown = state.mask_token if position in state.all_masked else token
    where = part_name(encoding, position, state.has_segments)
    hint = f"{shown} · position {position} · id {state.input_ids[position]}{where}"
    if position in state.masked:
        hint += f" · masked, was {token}"
    elif position in encoding.unknown:
        hint += f" · the vocabulary has no token for “{typed(state, position)}”"
    return hint


def part_name(encoding: Encoding, position: int, has_segments: bool) -> str:
    """ " · segment A"; for a model without segments " · sentence A", and nothing for special tokens."""
    if has_segments:
        return f" · segment {'AB'[min(encoding.segments[position], 1)]}"
    part = encoding.parts[position]
    return "" if part == "special" else f" · sentence {part.upper()}"


def note_about(state: ExploreState) -> str:
    """What was dropped, and which words the vocabulary lacks; empty when there is nothing to say."""
    encoding = state.encoding
    if encoding is None:
        return ""
    notes = []
    if encoding.dropped:
        verb = "token was" if encoding.dropped == 1 else "tokens were"
        notes.append(f"{encoding.dropped:,} {verb} dropped: the model reads at most {state.max_positions}.")
    if encoding.unknown:
        named = [f"“{typed(state, i)}” at {i}" for i in encoding.unknown[:MOST_UNKNOWN_NAMED]]
        rest = len(encoding.unknown) - len(named)
        more = f" and {rest} more" if rest else ""
        notes.append(f"{encoding.labels[encoding.unknown[0]]}, not in the vocabulary: {', '.join(named)}{more}.")
    return "   ".join(notes)


def typed(state: ExploreState, position: int) -> str:
    """The characters of the text that a token stands for."""
    if state.encoding is None:
        return ""
    start, end = state.encoding.offsets[position]
    text = state.text_b if state.encoding.parts[position] == "b" else state.text_a
    return text[start:end]
