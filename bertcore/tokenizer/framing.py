"""How a vocabulary's family frames one text and two: `[CLS] A [SEP] B [SEP]`, `<s> A </s></s> B </s>` and the like."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tokenizers import Tokenizer as RawTokenizer
from tokenizers import processors

from bertcore.tokenizer.special_tokens import SPELLINGS, SpecialTokens, VocabularyKind

Item = TypeVar("Item")


class Template(NamedTuple):
    """The special tokens before, between and after the tokens of A and B; `between` is empty around one text."""

    before: list[int]
    between: list[int]
    after: list[int]
    segments: tuple[bytes, bytes, bytes, bytes, bytes]  # of before, a token of A, between, a token of B, after

    @property
    def specials(self) -> int:
        """Number of special tokens."""
        return len(self.before) + len(self.between) + len(self.after)

    def ids(self, a: Sequence[int], b: Sequence[int] = ()) -> list[int]:
        return [*self.before, *a, *self.between, *b, *self.after]

    def segments_of(self, length_a: int, length_b: int = 0) -> bytes:
        """The segment of each token of a sequence."""
        before, of_a, between, of_b, after = self.segments
        return before + of_a * length_a + between + of_b * length_b + after

    def around(self, special: Item, a: Sequence[Item], b: Sequence[Item] = ()) -> list[Item]:
        """What A's and B's tokens have, with `special` for each special token."""
        before, between, after = ([special] * len(part) for part in self[:3])
        return [*before, *a, *between, *b, *after]


@dataclass(frozen=True)
class Framing:
    """The templates of one text, and of two. B may be empty and still be there; None is no B."""

    single: Template
    pair: Template

    def template(self, b: object | None) -> Template:
        return self.single if b is None else self.pair

    def framed(self, a: Sequence[int], b: Sequence[int] | None) -> tuple[list[int], bytes]:
        """Ids and segments of a sequence."""
        template = self.template(b)
        return template.ids(a, b or ()), template.segments_of(len(a), len(b or ()))

    def kept(self, length_a: int, length_b: int | None, max_length: int) -> tuple[int, int]:
        """How many tokens of A and of B a sequence of `max_length` can hold."""
        return fit_pair(length_a, length_b or 0, max(0, max_length - self.template(length_b).specials))

    def fitted(self, a: Sequence[int], b: Sequence[int] | None, max_length: int) -> tuple[list[int], bytes, int]:
        """Ids and segments of a sequence of at most `max_length` tokens, and how many were cut off."""
        length_b = None if b is None else len(b)
        keep_a, keep_b = self.kept(len(a), length_b, max_length)
        framed = self.framed(a[:keep_a], None if b is None else b[:keep_b])
        return *framed, len(a) + (length_b or 0) - keep_a - keep_b


def framing_of(raw: RawTokenizer, special: SpecialTokens, kind: VocabularyKind) -> Framing:
    """Read off the tokenizer's own post-processor where that frames a pair; else it is given its family's."""
    if re.fullmatch("s*a+s+b+s*", _example(raw, special, pair=True)[0]) is None:
        raw.post_processor = _usual_post_processor(raw, special, kind)
    return Framing(_frame(raw, special, pair=False), _frame(raw, special, pair=True))


def fit_pair(length_a: int, length_b: int, budget: int) -> tuple[int, int]:
    """How many tokens of A and B to keep so that both fit into `budget`: the longer loses first, B on a tie.

    The rule of `_truncate_seq_pair` in google-research/bert, in closed form.
    """
    excess = length_a + length_b - budget
    if excess <= 0:
        return length_a, length_b
    from_longer = min(excess, abs(length_a - length_b))
    if length_a > length_b:
        length_a -= from_longer
    else:
        length_b -= from_longer
    excess -= from_longer
    return length_a - excess // 2, length_b - (excess + 1) // 2


def _example(raw: RawTokenizer, special: SpecialTokens, pair: bool) -> tuple[str, list[int], bytes]:
    """What each token of an example is (s special, a of A, b of B), the ids and the segments.

    Post-processors come in many kinds, so nothing is read out of them but what they do.
    """
    text = special.names["sep"]  # as typed; ordinary text could leave no token at all
    encoding = raw.encode(text, text) if pair else raw.encode(text)
    parts = "".join("s" if sequence is None else "ab"[sequence] for sequence in encoding.sequence_ids)
    return parts, encoding.ids, bytes(encoding.type_ids)


def _frame(raw: RawTokenizer, special: SpecialTokens, pair: bool) -> Template:
    parts, ids, segments = _example(raw, special, pair)
    start_a, end_a = parts.index("a"), parts.rindex("a") + 1
    start_b, end_b = (parts.index("b"), parts.rindex("b") + 1) if pair else (end_a, end_a)
    before, of_a, between = segments[:start_a], segments[start_a : start_a + 1], segments[end_a:start_b]
    of_b, after = segments[start_b : start_b + 1] if pair else b"", segments[end_b:]
    return Template(ids[:start_a], ids[end_a:start_b], ids[end_b:], (before, of_a, between, of_b, after))


def _usual_post_processor(raw: RawTokenizer, special: SpecialTokens, kind: VocabularyKind) -> processors.PostProcessor:
    """`[CLS] A [SEP] B [SEP]` with two segments, or RoBERTa's `<s> A </s></s> B </s>` with one (Liu et al. 2019)."""
    cls, sep = special.names["cls"], special.names["sep"]
    ids = [(cls, special.ids["cls"]), (sep, special.ids["sep"])]
    if cls != SPELLINGS["cls"][1]:
        single, pair = f"{cls}:0 $A:0 {sep}:0", f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1"
    elif kind == "byte-level":
        prefix_space = bool(getattr(raw.pre_tokenizer, "add_prefix_space", False))
        return processors.RobertaProcessing(ids[1], ids[0], trim_offsets=True, add_prefix_space=prefix_space)
    else:
        single, pair = f"{cls}:0 $A:0 {sep}:0", f"{cls}:0 $A:0 {sep}:0 {sep}:0 $B:0 {sep}:0"
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)
