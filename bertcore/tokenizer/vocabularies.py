"""Vocabularies made from a list of words, or learned from text: WordPiece, byte-level BPE, whole words, SMILES.

The library's own tokenizers come out, without frames. The same texts always give the same vocabulary.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import AddedToken, Regex, decoders, normalizers, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE, WordLevel, WordPiece
from tokenizers.trainers import BpeTrainer, WordLevelTrainer, WordPieceTrainer

from bertcore.errors import BertcoreError
from bertcore.tokenizer import LEAST_BPE
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS, SPELLINGS, UNK

MAX_LETTERS = 200  # different characters in a learned WordPiece vocabulary; rarer ones become [UNK]
# In RoBERTa's order, except that its mask stands last of all.
ROBERTA_TOKENS = tuple(SPELLINGS[role][1] for role in ("cls", "pad", "sep", "unk", "mask"))
# Atoms, bonds and brackets of SMILES strings: the pattern of Schwaller et al. (2019), "Molecular Transformer", as
# `SmilesTokenizer` of the rxnmapper and deepchem packages has it.
SMILES = r"\[[^\]]+\]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|\\|/|:|~|@|\?|>>?|\*|\$|%[0-9]{2}|[0-9]"


def raw_from_words(words: Iterable[str], lowercase: bool = True, unk: str = UNK) -> RawTokenizer:
    """A WordPiece tokenizer from a vocabulary in the order of its ids."""
    vocab = {word: i for i, word in enumerate(words)}
    raw = RawTokenizer(WordPiece(vocab, unk_token=unk, max_input_chars_per_word=100))
    raw.normalizer = bert_normalizer(lowercase)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS if token in vocab])
    return raw


def bert_normalizer(
    lowercase: bool, strip_accents: object = None, split_chinese: bool = True
) -> normalizers.BertNormalizer:
    """BERT's cleaning of text; `strip_accents` None means: where it makes small letters."""
    return normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=split_chinese,
        strip_accents=strip_accents if isinstance(strip_accents, bool) else None,
        lowercase=lowercase,
    )


def learn_wordpiece(texts: Iterable[str], vocab_size: int, lowercase: bool = True) -> RawTokenizer:
    """Learn a vocabulary of at most `vocab_size` entries; the same texts always give the same one.

    The texts are read twice; an iterator, which cannot be, is read into memory.
    """
    texts = list(texts) if iter(texts) is texts else texts
    raw = raw_from_words(SPECIAL_TOKENS, lowercase)
    letters = _common_letters(texts, raw, min(MAX_LETTERS, (vocab_size - len(SPECIAL_TOKENS)) // 2))
    # The library numbers pieces it was not given in the order of a hash table, another in every process, and breaks
    # ties by these numbers. Given all of them it has no choice; the vocabulary is then put into a fresh tokenizer.
    # Punctuation and Chinese characters do not stand inside a word: they are always words of their own.
    cut = {letter: raw.pre_tokenizer.pre_tokenize_str(raw.normalizer.normalize_str(f"a{letter}")) for letter in letters}
    pieces = [*letters, *(f"##{letter}" for letter in letters if len(cut[letter]) == 1)]
    trainer = WordPieceTrainer(
        vocab_size=vocab_size,
        special_tokens=[*SPECIAL_TOKENS, *pieces],
        initial_alphabet=letters,
        limit_alphabet=len(letters),
        show_progress=False,
    )
    raw.train_from_iterator(texts, trainer)
    words = sorted(raw.get_vocab(with_added_tokens=False).items(), key=lambda item: item[1])
    return raw_from_words((word for word, _ in words), lowercase)


def learn_bpe(texts: Iterable[str], size: int, lowercase: bool = True) -> RawTokenizer:
    """Byte-level BPE with RoBERTa's special tokens (Radford et al. 2019, Liu et al. 2019). Nothing is unknown to it.

    A text's first word is written as any other, with the mark of the space before it: sentences are tokenised one
    by one, and a word would else have two forms. Raises BertcoreError for a size that holds not every byte.
    """
    if size < LEAST_BPE:
        raise BertcoreError(f"A byte-level vocabulary has at least {LEAST_BPE} entries, not {size}.")
    raw = RawTokenizer(BPE())
    raw.normalizer = normalizers.Lowercase() if lowercase else None
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    raw.decoder = decoders.ByteLevel()
    mask = ROBERTA_TOKENS[-1]  # it takes the place of a word with the space before it
    trainer = BpeTrainer(
        vocab_size=size,
        special_tokens=[AddedToken(token, lstrip=token == mask, special=True) for token in ROBERTA_TOKENS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    raw.train_from_iterator(texts, trainer)
    return raw


def learn_words(texts: Iterable[str], size: int, lowercase: bool = True) -> RawTokenizer:
    """The commonest words, each an entry; for small texts of few words."""
    raw = RawTokenizer(WordLevel({}, unk_token=UNK))
    raw.normalizer = bert_normalizer(lowercase)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.train_from_iterator(
        texts, WordLevelTrainer(vocab_size=size, special_tokens=list(SPECIAL_TOKENS), show_progress=False)
    )
    return raw


def is_smiles_vocabulary(words: Sequence[str]) -> bool:
    """Whether every line is a token of the pattern; [MASK] and the like look like an atom in brackets."""
    bare = [word for word in words if not word.startswith("[")]
    return bool(bare) and all(re.fullmatch(SMILES, word) for word in words)


def raw_from_smiles(words: Sequence[str], unk: str) -> RawTokenizer:
    """A tokenizer with one entry for each token of the pattern; characters that are in none are left out."""
    raw = RawTokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token=unk))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex(SMILES), behavior="removed", invert=True)
    return raw


def _common_letters(texts: Iterable[str], raw: RawTokenizer, most: int) -> list[str]:
    """The commonest characters after normalising, in the order of their code points."""
    typed: Counter[str] = Counter()
    for text in texts:
        typed.update(text)
    counts: Counter[str] = Counter()
    for character, count in typed.items():
        for letter in raw.normalizer.normalize_str(character).strip():
            counts[letter] += count
    return sorted(sorted(counts, key=lambda letter: (-counts[letter], letter))[:most])
