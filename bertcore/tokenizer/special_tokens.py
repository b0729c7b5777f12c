"""The special tokens of a vocabulary, and where they stand around one text or two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokenizers import AddedToken, processors
from tokenizers import Tokenizer as RawTokenizer

from bertcore.errors import BertcoreError
from bertcore.tokenizer.token_labels import Kind

Part = Literal["special", "a", "b"]
PAD, UNK, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL_TOKENS = (PAD, UNK, CLS, SEP, MASK)
# role -> how BERT and RoBERTa write it; ALBERT takes some from each
SPELLINGS = {
    "pad": (PAD, "<pad>"),
    "unk": (UNK, "<unk>"),
    "cls": (CLS, "<s>"),
    "sep": (SEP, "</s>"),
    "mask": (MASK, "<mask>"),
}


@dataclass(frozen=True)
class SpecialTokens:
    """What a vocabulary calls those that it has, and their ids, by role ("pad", "unk", "cls", "sep", "mask")."""

    names: Mapping[str, str]
    ids: Mapping[str, int]


@dataclass(frozen=True)
class Slot:
    """One place of a layout: a special token, or all tokens of a part."""

    part: Part
    segment: int
    special_id: int = -1  # of the token, where `part` is "special"


Layout = tuple[Slot, ...]


def find_special_tokens(raw: RawTokenizer, named: Mapping[str, str], needed: tuple[str, ...]) -> SpecialTokens:
    """By the names that the files give (role -> token) or, where these are not in the vocabulary, by the usual ones.

    Raises BertcoreError where the vocabulary has none of a `needed` role.
    """
    found: dict[str, str] = {}
    ids: dict[str, int] = {}
    for role, spellings in SPELLINGS.items():
        candidates = [named[role], *spellings] if role in named else spellings
        numbered = ((token, raw.token_to_id(token)) for token in candidates)
        token, token_id = next((pair for pair in numbered if pair[1] is not None), ("", None))
        if token_id is not None:
            found[role], ids[role] = token, int(token_id)
        elif role in needed:
            raise BertcoreError(
                f"The vocabulary has no {' or '.join(spellings)}; a vocabulary of the BERT family needs "
                f"{', '.join(SPELLINGS[other][0] for other in needed)} or its own names for them."
            )
    return SpecialTokens(found, ids)


def ensure_special(raw: RawTokenizer, special: SpecialTokens, kind: Kind) -> None:
    """Typed special tokens are never cut into pieces, also where the files forgot to say so."""
    known = {token.content for token in raw.get_added_tokens_decoder().values()}
    for role, token in special.names.items():
        if token not in known:
            takes_space = role == "mask" and kind in ("byte-level", "sentencepiece")  # it stands for " word"
            raw.add_special_tokens([AddedToken(token, lstrip=takes_space, normalized=False, special=True)])


def layouts(raw: RawTokenizer, special: SpecialTokens, kind: Kind) -> tuple[Layout, Layout]:
    """Where special tokens stand around one text and around a pair, and the segment of each place.

    The tokenizer's own post-processor is kept where it frames a pair; else it is given its family's.
    """
    if not _frames_pairs(_layout(raw, special, pair=True)):
        raw.post_processor = _usual_post_processor(raw, special, kind)
    return _layout(raw, special, pair=False), _layout(raw, special, pair=True)


def _layout(raw: RawTokenizer, special: SpecialTokens, pair: bool) -> Layout:
    """Read off an example, since post-processors come in many kinds."""
    example = special.names["sep"]  # as typed; ordinary text could leave no token at all
    encoding = raw.encode(example, example) if pair else raw.encode(example)
    slots: list[Slot] = []
    for token_id, segment, sequence in zip(encoding.ids, encoding.type_ids, encoding.sequence_ids, strict=True):
        if sequence is None:
            slots.append(Slot("special", segment, token_id))
        elif not slots or slots[-1].part != "ab"[sequence]:
            slots.append(Slot("b" if sequence else "a", segment))
    return tuple(slots)


def _frames_pairs(layout: Layout) -> bool:
    parts = "".join(slot.part[0] for slot in layout)  # s for special: "sasbs"
    return parts.count("a") == parts.count("b") == 1 and "s" in parts[parts.index("a") : parts.index("b")]


def _usual_post_processor(raw: RawTokenizer, special: SpecialTokens, kind: Kind) -> processors.PostProcessor:
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
