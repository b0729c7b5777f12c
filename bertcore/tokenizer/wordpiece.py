"""WordPiece tokenizers (Wu et al. 2016), as BERT has them: built from a list of words, or learned from text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import WordPiece
from tokenizers.trainers import WordPieceTrainer

from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS, UNK

MAX_LETTERS = 200  # different characters in a learned vocabulary; rarer ones become [UNK]


def raw_from_words(words: Iterable[str], lowercase: bool = True, unk: str = UNK) -> RawTokenizer:
    """A WordPiece tokenizer from a vocabulary in the order of its ids."""
    return _bare_wordpiece({word: i for i, word in enumerate(words)}, lowercase, unk)


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
    pieces = [*letters, *(f"##{letter}" for letter in letters if _continues_words(letter, raw))]
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


def _bare_wordpiece(vocab: dict[str, int], lowercase: bool, unk: str) -> RawTokenizer:
    raw = RawTokenizer(WordPiece(vocab, unk_token=unk, max_input_chars_per_word=100))
    raw.normalizer = bert_normalizer(lowercase)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS if token in vocab])
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


def _continues_words(letter: str, raw: RawTokenizer) -> bool:
    """Whether it can stand inside a word: punctuation and Chinese characters are always words of their own."""
    return len(raw.pre_tokenizer.pre_tokenize_str(raw.normalizer.normalize_str(f"a{letter}"))) == 1
