"""What kind a tokenizer is of, and how to show its tokens to a person.

WordPiece marks what goes on inside a word (##ing). The others mark where a word begins, with a letter of their own for
the space before it: Ġ in byte-level BPE, which writes every byte as a letter, and ▁ in SentencePiece.
"""

from typing import Literal

from tokenizers import Tokenizer as RawTokenizer

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
