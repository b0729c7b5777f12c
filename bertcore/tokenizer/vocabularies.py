"""Learning a vocabulary from text: WordPiece, byte-level BPE, or whole words; the same texts always give the same."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE, WordLevel
from tokenizers.trainers import BpeTrainer, WordLevelTrainer

from bertcore.data.choices import LEAST_BPE, VOCABULARIES
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS, SPELLINGS, UNK
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.tokenizer_files import PLAIN_CLASS
from bertcore.tokenizer.wordpiece import bert_normalizer, learn_wordpiece

# In RoBERTa's order, except that its mask stands last of all.
ROBERTA_TOKENS = tuple(SPELLINGS[role][1] for role in ("cls", "pad", "sep", "unk", "mask"))


def train_vocabulary(kind: str, texts: Iterable[str], size: int, lowercase: bool = True) -> Tokenizer:
    """Learn a vocabulary of at most `size` entries, of a kind in VOCABULARIES.

    Texts may be read twice. Raises BertcoreError for a size that a kind cannot be made in.
    """
    if kind == "wordpiece":
        return Tokenizer(learn_wordpiece(texts, size, lowercase), lowercase)
    if kind == "bpe":
        if size < LEAST_BPE:
            raise BertcoreError(f"A byte-level vocabulary has at least {LEAST_BPE} entries, not {size}.")
        # transformers' class for RoBERTa builds its own tokenizer, without the small letters
        return Tokenizer(learn_bpe(texts, size, lowercase), lowercase, class_name=PLAIN_CLASS if lowercase else None)
    if kind == "words":
        return Tokenizer(learn_words(texts, size, lowercase), lowercase)
    raise BertcoreError(f"There is no vocabulary of the kind {kind!r}; choose one of {', '.join(VOCABULARIES)}.")


def learn_bpe(texts: Iterable[str], size: int, lowercase: bool = True) -> RawTokenizer:
    """Byte-level BPE with RoBERTa's special tokens (Radford et al. 2019, Liu et al. 2019). Nothing is unknown to it.

    A text's first word is written as any other, with the mark of the space before it: sentences are tokenised one
    by one, and a word would else have two forms.
    """
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
