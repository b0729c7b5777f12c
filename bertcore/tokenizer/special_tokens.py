"""The tokens of a vocabulary: of which kind it is, how a person sees them, and which are special.

WordPiece marks what goes on inside a word (##ing). The others mark where a word begins, with a letter of their own for
the space before it: Ġ in byte-level BPE, which writes every byte as a letter, and ▁ in SentencePiece.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokenizers import AddedToken
from tokenizers import Tokenizer as RawTokenizer

from bertcore.errors import BertcoreError

VocabularyKind = Literal["wordpiece", "words", "byte-level", "sentencepiece"]
SHOWN_SPACE = "·"
MOST_LABEL = 200  # characters
SPACE_MARKS = {"byte-level": "Ġ", "sentencepiece": "▁"}


def kind_of(raw: RawTokenizer) -> VocabularyKind:
    """By the model, and by how it writes a space."""
    model = type(raw.model).__name__
    if model == "WordPiece":
        return "wordpiece"
    if model == "WordLevel":
        return "words"
    parts = (raw.normalizer, raw.pre_tokenizer, raw.decoder)
    return "byte-level" if any(part and b'"ByteLevel"' in part.__getstate__() for part in parts) else "sentencepiece"


def label(token: str, kind: VocabularyKind) -> str:
    """The token as a person should see it: `Ġthe` and `▁the` as `·the`, bytes as the characters they stand for."""
    if kind == "byte-level" and all(letter in _BYTES for letter in token):
        text = bytes(_BYTES[letter] for letter in token).decode("utf-8", errors="surrogateescape")
    elif kind == "sentencepiece":
        text = token.replace(SPACE_MARKS[kind], " ")
    else:
        return token
    return "".join(_shown(character) for character in text)


def _byte_letters() -> dict[str, int]:
    """The letter of each byte in GPT-2's alphabet, which RoBERTa took over (Radford et al. 2019).

    Bytes that Latin-1 shows as a visible character are that character; the others follow from U+0100 on, in order.
    """
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(0x100 + i): byte for i, byte in enumerate(hidden)}


_BYTES = _byte_letters()


def _shown(character: str) -> str:
    if character == " ":
        return SHOWN_SPACE
    if 0xDC80 <= ord(character) <= 0xDCFF:  # what surrogateescape makes of a byte that is no whole character
        return f"\\x{ord(character) - 0xDC00:02X}"
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


TextPart = Literal["special", "a", "b"]
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


def find_special_tokens(raw: RawTokenizer, named: Mapping[str, str], needed: tuple[str, ...]) -> SpecialTokens:
    """By the names that the files give (role -> token) or, where these are not in the vocabulary, by the usual ones.

    Raises BertcoreError where the vocabulary has none of a `needed` role.
    """
    names: dict[str, str] = {}
    ids: dict[str, int] = {}
    for role, spellings in SPELLINGS.items():
        candidates = [named[role], *spellings] if role in named else spellings
        numbered = ((token, raw.token_to_id(token)) for token in candidates)
        token, token_id = next((pair for pair in numbered if pair[1] is not None), ("", None))
        if token_id is not None:
            names[role], ids[role] = token, int(token_id)
        elif role in needed:
            raise BertcoreError(
                f"The vocabulary has no {' or '.join(spellings)}; a vocabulary of the BERT family needs "
                f"{', '.join(SPELLINGS[other][0] for other in needed)} or its own names for them."
            )
    return SpecialTokens(names, ids)


def ensure_special(raw: RawTokenizer, special: SpecialTokens, kind: VocabularyKind) -> None:
    """Typed special tokens are never cut into pieces, also where the files forgot to say so."""
    known = {token.content for token in raw.get_added_tokens_decoder().values()}
    for role, token in special.names.items():
        if token not in known:
            takes_space = role == "mask" and kind in ("byte-level", "sentencepiece")  # it stands for " word"
            raw.add_special_tokens([AddedToken(token, lstrip=takes_space, normalized=False, special=True)])
