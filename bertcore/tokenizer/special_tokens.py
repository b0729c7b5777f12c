"""The special tokens of a vocabulary: which it has, what it calls them, and their ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokenizers import AddedToken
from tokenizers import Tokenizer as RawTokenizer

from bertcore.errors import BertcoreError
from bertcore.tokenizer.token_labels import VocabularyKind

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
