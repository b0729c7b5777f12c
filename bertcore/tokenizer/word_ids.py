"""A word as a vocabulary writes it at a certain place of a text."""

from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer


def word_ids_at(word: str, tokenizer: Tokenizer, encoding: Encoding, position: int) -> list[int]:
    """The ids of a word as the tokenizer would cut it at this place of the text, or of a token written out (##able).

    Byte-level vocabularies write a word after a space otherwise than one that begins the text.
    Raises BertcoreError for an empty word and for one that the vocabulary cannot write.
    """
    space = " " if _is_after_space(encoding, position) else ""
    ids = tokenizer.encode_batch_ids([space + word.strip()])[0] if word.strip() else []
    verbatim = tokenizer.id(word.strip())
    if verbatim is not None and len(ids) != 1:
        ids = [verbatim]
    if not ids or (tokenizer.unk_id in ids and verbatim is None):
        raise BertcoreError(f"This vocabulary cannot spell {word.strip()!r}; try another word.")
    return ids


def word_id_at(word: str, tokenizer: Tokenizer, encoding: Encoding, position: int) -> int:
    """As `word_ids_at`, of a word that is one token; raises BertcoreError for one that is more."""
    ids = word_ids_at(word, tokenizer, encoding, position)
    if len(ids) > 1:
        raise BertcoreError(f"{word!r} is {len(ids)} tokens in this vocabulary; choose a word that is one.")
    return ids[0]


def _is_after_space(encoding: Encoding, position: int) -> bool:
    """Whether white space stands before the token in the typed text."""
    text = (encoding.text_b or "") if encoding.parts[position] == "b" else encoding.text_a
    start, end = encoding.offsets[position]
    return text[max(start - 1, 0) : min(start + 1, end)].strip() != text[max(start - 1, 0) : min(start + 1, end)]
