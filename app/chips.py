"""The state's tokens as chips, and what has to be said about them."""

from __future__ import annotations

from functools import partial

from app.state import ExploreState
from app.widgets.token_strip import Chip

KINDS = {"special": "special", "a": "segment_a", "b": "segment_b"}
MOST_UNKNOWN_NAMED = 5


def chips_of(state: ExploreState) -> list[Chip]:
    """One chip for each token of the encoding, masks as the model reads them."""
    encoding = state.encoding
    if encoding is None:
        return []
    masked, ids, unknown = set(state.all_masked), state.input_ids, set(encoding.unknown)
    return [
        Chip(
            token="[MASK]" if i in masked else token,
            token_id=ids[i],
            segment=encoding.segments[i],
            kind="mask" if i in masked else KINDS[encoding.parts[i]],
            hint=partial(hint_about, state, i),
            is_unknown=i in unknown,
        )
        for i, token in enumerate(encoding.tokens)
    ]


def hint_about(state: ExploreState, position: int) -> str:
    """What a chip's tool tip says."""
    encoding = state.encoding
    if encoding is None or position >= len(encoding):
        return ""
    token, segment = encoding.tokens[position], "AB"[min(encoding.segments[position], 1)]
    shown = "[MASK]" if position in state.all_masked else token
    hint = f"{shown} · position {position} · id {state.input_ids[position]} · segment {segment}"
    if position in state.masked:
        hint += f" · masked, was {token}"
    elif position in encoding.unknown:
        hint += f" · the vocabulary has no token for “{typed(state, position)}”"
    return hint


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
        notes.append(f"[UNK], not in the vocabulary: {', '.join(named)}{more}.")
    return "   ".join(notes)


def typed(state: ExploreState, position: int) -> str:
    """The characters of the text that a token stands for."""
    if state.encoding is None:
        return ""
    start, end = state.encoding.offsets[position]
    text = state.text_b if state.encoding.parts[position] == "b" else state.text_a
    return text[start:end]
