"""Vocabularies of chemistry: a `vocab.txt` whose lines are atoms, bonds and brackets of SMILES strings.

The chemical members of the BERT family come with such a file alone, and cut text by this pattern: of Schwaller et al.
(2019), "Molecular Transformer", as `SmilesTokenizer` of the rxnmapper and deepchem packages has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenizers import Regex, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import WordLevel

TOKEN = r"\[[^\]]+\]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|/|:|~|@|\?|>>?|\*|\$|%[0-9]{2}|[0-9]"


def is_smiles_vocabulary(words: Sequence[str]) -> bool:
    """Whether every line is a token of this pattern; [MASK] and the like look like an atom in brackets."""
    bare = [word for word in words if not word.startswith("[")]
    return bool(bare) and all(re.fullmatch(TOKEN, word) for word in words)


def raw_from_smiles(words: Sequence[str], unk: str) -> RawTokenizer:
    """A tokenizer with one entry for each token of the pattern; characters that are in none are left out."""
    raw = RawTokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token=unk))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex(TOKEN), behavior="removed", invert=True)
    return raw
