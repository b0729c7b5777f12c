"""The state's tokens as chips, and what has to be said about them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from bertcore.analysis.align import align
from bertcore.errors import shortened

from ..look import numbers
from ..look.fitting import MOST_RUN
from ..look.say import isolated, say
from ..state.baseline import OtherText
from ..state.baseline_names import beside
from ..state.explore_state import ExploreState
from ..state.token_units import KINDS
from .token_strip import Chip

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding

MOST_UNKNOWN_NAMED = 5
NOTHING: Mapping[int, str] = MappingProxyType({})


def chips_of(state: ExploreState, below: Mapping[int, str] = NOTHING) -> list[Chip]:
    """One chip for each token of the encoding, masks as the model reads them. below: `words_below` the tokens."""
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
            below=below.get(i, ""),
        )
        for i, token in enumerate(encoding.labels)
    ]


def words_below(state: ExploreState) -> dict[int, str]:
    """Position -> what is said of the other text below the token: what it is compared with, or what is swapped in."""
    swap = state.what_if.swap
    if swap is None:
        return {position: beside(token, earlier=False) for position, token in replaced_tokens(state).items()}
    if swap.part == "head" or not swap.token:
        return {}
    return {swap.place: say("{token} swapped in", token=swap.token)}


def replaced_tokens(state: ExploreState) -> dict[int, str]:
    """Position -> the token of the other text that it is compared with, where that is another."""
    newest, ours = state.newest_reading, state.encoding
    if not isinstance(state.baseline, OtherText) or newest is None or newest.other_text is None or ours is None:
        return {}
    if newest.request.baseline != state.baseline:
        return {}
    theirs, is_aligned = newest.other_text.encoding, newest.encoding is ours and newest.baseline is newest.other_text
    alignment = newest.alignment if is_aligned else None
    pairs = (alignment or align(ours, theirs)).pairs
    return {i: theirs.labels[j] for i, j in pairs if ours.labels[i] != theirs.labels[j]}


def hint_about(state: ExploreState, position: int) -> str:
    """What a chip's tool tip says."""
    encoding = state.encoding
    if encoding is None or position >= len(encoding):
        return ""
    token = isolated(encoding.labels[position])
    parts = [
        state.mask_token if position in state.all_masked else token,
        say("position {position}", position=position),
        say("number {id} in the vocabulary", id=numbers.count(state.input_ids[position])),
        part_name(encoding, position, state.has_segments),
    ]
    if encoding.labels[position].startswith("##"):
        parts.append(say("##: it continues the word before it"))
    if position in state.masked:
        parts.append(say("masked; it was {token}", token=token))
    elif position in encoding.unknown:
        parts.append(say("the vocabulary has no token for “{text}”", text=typed(state, position)))
    return " · ".join(part for part in parts if part)


def part_name(encoding: Encoding, position: int, has_segments: bool) -> str:
    """ "segment A"; for a model without segments "sentence A", and nothing for special tokens."""
    if has_segments:
        return segment_name(encoding.segments[position])
    part = encoding.parts[position]
    if part == "special":
        return ""
    return say("sentence {letter}", letter=part.upper())


def segment_name(segment: int) -> str:
    """ "segment A"."""
    return say("segment {letter}", letter="AB"[min(segment, 1)])


def note_about(state: ExploreState) -> str:
    """What was dropped, and which words the vocabulary lacks; empty when there is nothing to say."""
    encoding = state.encoding
    if encoding is None:
        return ""
    notes = []
    if encoding.dropped:
        most = numbers.count(state.max_positions)
        notes.append(
            say("%Ln token(s) (was|were) dropped: the model reads at most {most}.", n=encoding.dropped, most=most)
        )
    if encoding.unknown:
        shown = encoding.unknown[:MOST_UNKNOWN_NAMED]
        words = ", ".join(say("“{text}” at {position}", text=typed(state, i), position=i) for i in shown)
        token, rest = encoding.labels[encoding.unknown[0]], len(encoding.unknown) - len(shown)
        if rest:
            text = say("Not in the vocabulary, read as {token}: {words} and %n more.", n=rest, token=token, words=words)
        else:
            text = say("Not in the vocabulary, read as {token}: {words}.", token=token, words=words)
        notes.append(text)
    return "   ".join(notes)


def typed(state: ExploreState, position: int) -> str:
    """The characters of the text that a token stands for, as many as can be shown."""
    if state.encoding is None:
        return ""
    start, end = state.encoding.offsets[position]
    text = state.text_b if state.encoding.parts[position] == "b" else state.text_a
    return isolated(shortened(text[start:end], MOST_RUN))
