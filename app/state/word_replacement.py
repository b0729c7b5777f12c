"""How a token of the vocabulary is written into a text, in place of another. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bertcore.errors import BertcoreError

from ..look.say import say

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Tokenizer

# A space always, only where two words would run together, never, or not even the one that stands there already.
SpaceBefore = Literal["always", "between words", "as it is", "none"]


@dataclass(frozen=True)
class Written:
    """A token as it stands in a text, and the space before it."""

    text: str
    space: SpaceBefore


def written(tokenizer: Tokenizer, token_id: int) -> Written:
    """How this token is typed. Raises BertcoreError for one that cannot be."""
    from bertcore.tokenizer.special_tokens import (  # here, so that the first paint need not wait for it
        SPACE_MARKS,
        label,
    )

    token, kind = tokenizer.word(token_id), tokenizer.kind
    if token_id in tokenizer.special_ids:
        return Written(token, "always")
    if kind == "wordpiece":
        is_inside = token.startswith("##") and token != "##"
        return Written(token.removeprefix("##"), "none") if is_inside else Written(token, "between words")
    if kind == "words":
        return Written(token, "as it is")
    mark = SPACE_MARKS[kind]
    text = label(token.removeprefix(mark), kind)
    if "\\" in text and "\\" not in token:
        raise BertcoreError(
            say("The token {token} cannot be typed: it is invisible, or only part of a character.", token=text)
        )
    return Written(text, "always" if token.startswith(mark) else "none")


def replaced(text: str, span: tuple[int, int], new: Written) -> str:
    """`text` with the token at `span` (characters from, to) replaced; pieces of words are glued to what stands before.

    With "between words" a word that came after punctuation is kept apart from what stands around it.
    """
    before, old, after = text[: span[0]], text[span[0] : span[1]], text[span[1] :]
    if new.space == "none":
        before = before.rstrip()
    elif new.space == "always" and before and not before[-1].isspace():
        before += " "
    elif new.space == "between words":
        before += _space_between(before, new.text)
        if not old[-1:].isalnum():
            after = _space_between(new.text, after) + after
    return before + new.text + after


def _space_between(left: str, right: str) -> str:
    return " " if left[-1:].isalnum() and right[:1].isalnum() else ""
