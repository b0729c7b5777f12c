"""How entities are written as one tag per word: IOB1, BIO and IOBES. Which tag may follow which, and conversion.

A tag is "O" or a letter and a type, as "B-PER". B begins an entity, I is inside it, E ends it, S is a single word.

    words    Anna   Smith  of  Rome   Paris
    IOB1     I-PER  I-PER  O   I-LOC  B-LOC   B only where an entity touches one of its own type before it
    BIO      B-PER  I-PER  O   B-LOC  B-LOC   B at every beginning; also called IOB2
    IOBES    B-PER  E-PER  O   S-LOC  S-LOC   also called BIOES

Sources: Ramshaw and Marcus 1995 (IOB1), Tjong Kim Sang and Veenstra 1999 (IOB2 and the others compared).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError

Scheme = Literal["IOB1", "BIO", "IOBES", "none"]  # none: tags that mark no entities, as parts of speech

_TAG = re.compile(r"(O)|([BIES])(?:-(.+))?")
_LETTERS = {"IOB1": "OBI", "BIO": "OBI", "IOBES": "OBIES"}
_SAME_LETTERS: tuple[Scheme, Scheme] = ("BIO", "IOB1")
_OUTSIDE = ("O", "")


class Span(NamedTuple):
    """An entity: words start, start + 1 ... end - 1."""

    type: str  # "" where the tags name no type
    start: int
    end: int


class AllowedTransitions(NamedTuple):
    """What a scheme allows, for K labels."""

    start: NDArray[np.bool_]  # (K) may be the first of a sentence
    transitions: NDArray[np.bool_]  # (K,K) row: a label, column: the one after it
    end: NDArray[np.bool_]  # (K) may be the last


def detect_scheme(labels: Iterable[str], sentences: Sequence[Sequence[str]] = ()) -> Scheme:
    """The scheme that a list of labels is written in; "none" if one of them is no such tag, or none but "O".

    IOB1 and BIO use the same labels: only tagged sentences tell them apart. The one that breaks fewer moves in them
    is taken, BIO where both do alike or no sentence is given.
    """
    parts = [_TAG.fullmatch(label) for label in labels]
    letters = {part[2] or "O" for part in parts if part}
    if None in parts or letters <= {"O"}:
        return "none"
    if letters & {"E", "S"}:
        return "IOBES"
    return min(_SAME_LETTERS, key=lambda scheme: sum(len(illegal_places(tags, scheme)) for tags in sentences))


def allowed_transitions(labels: Sequence[str], scheme: Scheme | None = None) -> AllowedTransitions:
    """What may begin, follow and end in a sentence with these K labels; the scheme is detected where none is given.

    Raises BertcoreError for a label that the scheme does not have.
    """
    scheme = scheme or detect_scheme(labels)
    if scheme == "none":
        return all_transitions(len(labels))
    tags = [_parse(label, scheme) for label in labels]
    transitions = np.array([[_may_follow(one, other, scheme) for other in tags] for one in tags], dtype=bool)
    # The edge of a sentence allows what an "O" there would.
    start = np.array([_may_follow(_OUTSIDE, tag, scheme) for tag in tags], dtype=bool)
    end = np.array([_may_follow(tag, _OUTSIDE, scheme) for tag in tags], dtype=bool)
    return AllowedTransitions(start, transitions, end)


def all_transitions(count: int) -> AllowedTransitions:
    """Everything allowed, for so many labels."""
    return AllowedTransitions(np.ones(count, bool), np.ones((count, count), bool), np.ones(count, bool))


def illegal_places(tags: Sequence[str], scheme: Scheme) -> list[int]:
    """Where a sentence breaks its scheme: places of tags that may not follow the one before.

    An entity left open at the end counts too, as the place behind the last tag.
    Raises BertcoreError for a tag that the scheme does not have.
    """
    if scheme == "none":
        return []
    parsed = [_OUTSIDE, *(_parse(tag, scheme) for tag in tags), _OUTSIDE]
    return [place for place in range(len(tags) + 1) if not _may_follow(parsed[place], parsed[place + 1], scheme)]


def entity_spans(tags: Sequence[str]) -> list[Span]:
    """The entities of one sentence, in order, whichever of the three schemes it is written in.

    Tags that break the scheme are read as the scorers do (conlleval of CoNLL-2000, seqeval): what cannot go on with the
    entity before begins a new one, and an entity that nothing closes ends before the next tag.
    """
    spans: list[Span] = []
    is_open = False
    for place, tag in enumerate(tags):
        letter, kind = _parse(tag)
        if letter == "O":
            is_open = False
        elif is_open and letter in "IE" and spans[-1].type == kind:
            spans[-1] = spans[-1]._replace(end=place + 1)
        else:
            spans.append(Span(kind, place, place + 1))
        if letter != "O":
            is_open = letter in "BI"
    return spans


def convert_tags(tags: Sequence[str], scheme: Scheme) -> list[str]:
    """The same entities as BIO or IOBES. Also mends a sentence that breaks its scheme, as `entity_spans` reads it."""
    converted = ["O"] * len(tags)
    for kind, start, end in entity_spans(tags):
        if scheme == "IOBES":
            letters = "S" if end - start == 1 else "B" + "I" * (end - start - 2) + "E"
        else:
            letters = "B" + "I" * (end - start - 1)
        converted[start:end] = [f"{letter}-{kind}" if kind else letter for letter in letters]
    return converted


def _may_follow(before: tuple[str, str], after: tuple[str, str], scheme: Scheme) -> bool:
    (letter, kind), (next_letter, next_kind) = before, after
    goes_on = letter in "BI" and kind == next_kind  # an entity of this type may be under way
    if scheme == "IOB1":
        return next_letter != "B" or goes_on
    if scheme == "BIO":
        return next_letter != "I" or goes_on
    if letter in "BI":
        return next_letter in "IE" and goes_on
    return next_letter in "OBS"


def _parse(tag: str, scheme: Scheme | None = None) -> tuple[str, str]:
    """(letter, type); the type is "" where there is none."""
    match = _TAG.fullmatch(tag)
    letter = (match[1] or match[2]) if match else ""
    if match is None or (scheme is not None and letter not in _LETTERS[scheme]):
        wanted = f"the {scheme} scheme" if scheme else "IOB1, BIO or IOBES"
        raise BertcoreError(f'"{tag}" is not a tag of {wanted}; correct it, or tag without a scheme.')
    return letter, match[3] or ""
