"""Text to token ids and back: the `tokenizers` library, wrapped for sentence pairs. Importable without torch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers, processors
from tokenizers import Encoding as RawEncoding
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import WordPiece
from tokenizers.trainers import WordPieceTrainer

from bertcore.errors import BertcoreError

Part = Literal["special", "a", "b"]
PAD, UNK, CLS, SEP, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIAL_TOKENS = (PAD, UNK, CLS, SEP, MASK)
# Far more than any model here can read (512 tokens); what lies beyond is counted as dropped words, not tokenised.
MAX_CHARACTERS = 200_000
MAX_LETTERS = 200  # different characters in a learned vocabulary; rarer ones become [UNK]


@dataclass(frozen=True)
class Encoding:
    """A sentence or pair as the model reads it; every list has one entry per token (length S)."""

    text_a: str
    text_b: str | None
    tokens: list[str]
    ids: list[int]
    segments: list[int]
    positions: list[int]
    offsets: list[tuple[int, int]]  # characters [start, end) in the text of the token's part; (0, 0) if special
    parts: list[Part]
    dropped: int = 0  # tokens cut off so that the rest fits (words, beyond MAX_CHARACTERS)
    unknown: list[int] = field(default_factory=list)  # positions that are [UNK]

    def __len__(self) -> int:
        return len(self.ids)


class Tokenizer:
    """A WordPiece tokenizer, cased or not, with BERT's pair template `[CLS] A [SEP] B [SEP]`."""

    def __init__(self, raw: RawTokenizer, lowercase: bool = True) -> None:
        raw.no_truncation()
        raw.no_padding()
        self.raw = raw
        self.lowercase = lowercase
        self.pad_id = self._special_id(PAD)
        self.unk_id = self._special_id(UNK)
        self.cls_id = self._special_id(CLS)
        self.sep_id = self._special_id(SEP)
        self.mask_id = self._special_id(MASK)
        raw.post_processor = processors.TemplateProcessing(
            single=f"{CLS}:0 $A:0 {SEP}:0",
            pair=f"{CLS}:0 $A:0 {SEP}:0 $B:1 {SEP}:1",
            special_tokens=[(CLS, self.cls_id), (SEP, self.sep_id)],
        )

    @property
    def vocab_size(self) -> int:
        return int(self.raw.get_vocab_size(with_added_tokens=True))

    @property
    def special_ids(self) -> tuple[int, int, int, int, int]:
        return (self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id)

    def word(self, token_id: int) -> str:
        """The token with this id, as the vocabulary writes it (pieces inside a word begin with ##)."""
        return str(self.raw.id_to_token(int(token_id)))

    def id(self, token: str) -> int | None:
        found = self.raw.token_to_id(token)
        return None if found is None else int(found)

    def encode(self, a: str, b: str | None = None, max_length: int = 512) -> Encoding:
        """Tokenise a sentence or a pair; where it is too long, tokens are taken from the longer part's end.

        An empty `b` counts as no second sentence. Raises BertcoreError for text that is not valid Unicode.
        """
        raw_a = self._encode_part(a, "A")
        raw_b = self._encode_part(b, "B") if b else None
        length_a, length_b = len(raw_a.ids), len(raw_b.ids) if raw_b else 0
        keep_a, keep_b = fit_pair(length_a, length_b, max(0, max_length - (3 if raw_b else 2)))
        raw_a.truncate(keep_a)
        if raw_b:
            raw_b.truncate(keep_b)
        joined = self.raw.post_process(raw_a, raw_b)
        ids = list(joined.ids)
        parts: list[Part] = [
            "special" if added else "b" if sequence == 1 else "a"
            for added, sequence in zip(joined.special_tokens_mask, joined.sequence_ids, strict=True)
        ]
        return Encoding(
            text_a=a,
            text_b=b or None,
            tokens=list(joined.tokens),
            ids=ids,
            segments=list(joined.type_ids),
            positions=list(range(len(ids))),
            offsets=list(joined.offsets),
            parts=parts,
            dropped=length_a + length_b - keep_a - keep_b + _words_beyond(a) + _words_beyond(b),
            unknown=[i for i, token_id in enumerate(ids) if token_id == self.unk_id],
        )

    def encode_batch_ids(self, texts: list[str]) -> list[list[int]]:
        """Ids of many texts, without special tokens, on all cores."""
        return [encoding.ids for encoding in self.raw.encode_batch_fast(texts, add_special_tokens=False)]

    def save(self, folder: Path, max_length: int = 512) -> None:
        """Write `tokenizer.json`, `tokenizer_config.json` and `vocab.txt`, as `transformers` reads them.

        `max_length` is the longest sequence of the model they belong to, in tokens.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.raw.save(str(folder / "tokenizer.json"))
        words = sorted(self.raw.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in words), encoding="utf-8")
        names = {f"{name}_token": token for name, token in zip(_SPECIAL_NAMES, SPECIAL_TOKENS, strict=True)}
        settings = {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": self.lowercase,
            "model_max_length": max_length,
            "strip_accents": getattr(self.raw.normalizer, "strip_accents", None),
            "tokenize_chinese_chars": getattr(self.raw.normalizer, "handle_chinese_chars", True),
            **names,
        }
        (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def from_folder(cls, folder: Path) -> Tokenizer:
        """From `tokenizer.json`, or from `vocab.txt`. Raises BertcoreError where neither can be read."""
        settings = _read_settings(folder / "tokenizer_config.json")
        lowercase = bool(settings.get("do_lower_case", True))
        if (folder / "tokenizer.json").is_file():
            try:
                raw = RawTokenizer.from_file(str(folder / "tokenizer.json"))
            except Exception as error:  # the library raises plain Exception
                raise BertcoreError(
                    f"The file {folder / 'tokenizer.json'} is no readable tokenizer: {error}."
                ) from None
            return cls(raw, getattr(raw.normalizer, "lowercase", lowercase))
        if (folder / "vocab.txt").is_file():
            raw = raw_from_words(_read_vocab(folder / "vocab.txt"), lowercase)
            raw.normalizer = _normalizer(
                lowercase, settings.get("strip_accents"), bool(settings.get("tokenize_chinese_chars", True))
            )
            return cls(raw, lowercase)
        raise BertcoreError(f"The folder {folder} has no vocabulary: a tokenizer.json or a vocab.txt must stand in it.")

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int, lowercase: bool = True) -> Tokenizer:
        """Learn a WordPiece vocabulary of at most `vocab_size` entries; the same texts always give the same one.

        The texts are read twice; an iterator, which cannot be, is read into memory.
        """
        texts = list(texts) if iter(texts) is texts else texts
        raw = _bare_wordpiece({token: i for i, token in enumerate(SPECIAL_TOKENS)}, lowercase)
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
        return cls(raw_from_words((word for word, _ in words), lowercase), lowercase)

    def _encode_part(self, text: str, name: str) -> RawEncoding:
        try:
            return self.raw.encode(text[:MAX_CHARACTERS], add_special_tokens=False)
        except (TypeError, UnicodeEncodeError):
            raise BertcoreError(f"Text {name} is not valid Unicode (UTF-8); type or paste it again.") from None

    def _special_id(self, token: str) -> int:
        found = self.raw.token_to_id(token)
        if found is None:
            raise BertcoreError(f"The vocabulary has no {token}; a BERT vocabulary needs {', '.join(SPECIAL_TOKENS)}.")
        return int(found)


_SPECIAL_NAMES = ("pad", "unk", "cls", "sep", "mask")


def fit_pair(length_a: int, length_b: int, room: int) -> tuple[int, int]:
    """How many tokens of A and B to keep so that both fit into `room`: the longer loses first, B on a tie.

    The rule of `_truncate_seq_pair` in google-research/bert, in closed form.
    """
    excess = length_a + length_b - room
    if excess <= 0:
        return length_a, length_b
    from_longer = min(excess, abs(length_a - length_b))
    if length_a > length_b:
        length_a -= from_longer
    else:
        length_b -= from_longer
    excess -= from_longer
    return length_a - excess // 2, length_b - (excess + 1) // 2


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


def _words_beyond(text: str | None) -> int:
    return len(text[MAX_CHARACTERS:].split()) if text else 0


def _normalizer(lowercase: bool, strip_accents: object = None, split_chinese: bool = True) -> normalizers.Normalizer:
    """BERT's cleaning of text; `strip_accents` None means: where it makes small letters."""
    return normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=split_chinese,
        strip_accents=strip_accents if isinstance(strip_accents, bool) else None,
        lowercase=lowercase,
    )


def _bare_wordpiece(vocab: dict[str, int], lowercase: bool) -> RawTokenizer:
    raw = RawTokenizer(WordPiece(vocab, unk_token=UNK, max_input_chars_per_word=100))
    raw.normalizer = _normalizer(lowercase)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS if token in vocab])
    return raw


def raw_from_words(words: Iterable[str], lowercase: bool = True) -> RawTokenizer:
    """A WordPiece tokenizer from a vocabulary in the order of its ids."""
    return _bare_wordpiece({word: i for i, word in enumerate(words)}, lowercase)


def _read_vocab(file: Path) -> list[str]:
    try:
        words = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise BertcoreError(f"The file {file} is not UTF-8 text; a vocabulary has one token on each line.") from None
    if words and not words[-1]:
        words.pop()
    return [word.rstrip("\r") for word in words]


def _read_settings(file: Path) -> dict[str, object]:
    if not file.is_file():
        return {}
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise BertcoreError(f"The file {file} is not readable JSON; fetch the checkpoint again.") from None
    return settings if isinstance(settings, dict) else {}
