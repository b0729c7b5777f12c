"""Text to token ids and back: the `tokenizers` library, wrapped for sentence pairs. Importable without torch.

Four kinds of vocabulary, one class: WordPiece (BERT, DistilBERT, ELECTRA, MiniLM), byte-level BPE (RoBERTa),
SentencePiece (ALBERT, XLM-RoBERTa, CamemBERT) and whole words (chemical models).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tokenizers import Encoding as RawEncoding
from tokenizers import Tokenizer as RawTokenizer

from bertcore.errors import BertcoreError
from bertcore.tokenizer import VOCABULARIES, tokenizer_files
from bertcore.tokenizer.framing import framing_of
from bertcore.tokenizer.special_tokens import (
    MASK,
    MOST_LABEL,
    SPACE_MARKS,
    TextPart,
    ensure_special,
    find_special_tokens,
    kind_of,
    label,
)
from bertcore.tokenizer.vocabularies import learn_bpe, learn_wordpiece, learn_words

# Far more than any model here can read (512 tokens); what lies beyond is counted as dropped words, not tokenised.
MAX_CHARACTERS = 200_000


@dataclass(frozen=True)
class Encoding:
    """A sentence or pair as the model reads it; every list has one entry per token (length S)."""

    text_a: str
    text_b: str | None
    tokens: list[str]  # as the vocabulary writes them
    ids: list[int]
    segments: list[int]
    positions: list[int]  # places in the sequence, 0 to S-1; a model may count them from elsewhere
    offsets: list[tuple[int, int]]  # characters [start, end) in the text of the token's part; (0, 0) if special
    parts: list[TextPart]
    dropped: int = 0  # tokens cut off so that the rest fits (words, beyond MAX_CHARACTERS)
    unknown: list[int] = field(default_factory=list)  # positions that are [UNK]
    words: list[int | None] = field(default_factory=list)  # the word that a token is of, B's after A's; None if special
    labels: list[str] = field(default_factory=list)  # tokens as a person should see them
    padding: int = 0  # tokens at the end that only fill up the length; with 0 the model takes [PAD] for a token

    @property
    def attention_mask(self) -> list[int]:
        """1 for each token that may be attended to, 0 for padding (S)."""
        return [1] * (len(self) - self.padding) + [0] * self.padding

    def __len__(self) -> int:
        return len(self.ids)

    def __hash__(self) -> int:
        """Nothing changes the lists of an encoding."""
        return hash((self.text_a, self.text_b, tuple(self.ids), self.padding))


class _PartTokens(NamedTuple):
    """The tokens of one part that fit."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    words: list[int]  # counted from 0


class Tokenizer:
    """A tokenizer of the BERT family, with its special tokens and the way it frames one text or two.

    `mask_id` and `mask_token` are None where the vocabulary has no mask, `unk_id` where nothing is unknown to it.
    """

    def __init__(
        self,
        raw: RawTokenizer,
        lowercase: bool = True,
        *,
        names: Mapping[str, str] | None = None,
        needed: tuple[str, ...] = ("pad", "cls", "sep"),
        class_name: str | None = None,
        numbered_by_line: bool = True,
    ) -> None:
        """`names` are those the files give to special tokens (role -> token), `needed` the roles that must be there;
        `class_name` is that of `transformers`; with `numbered_by_line` ids are line numbers: a lost line would shift
        all that follow. Raises BertcoreError where the vocabulary lacks a role.
        """
        raw.no_truncation()
        raw.no_padding()
        self.raw = raw
        self.lowercase = lowercase
        self.kind = kind_of(raw)
        self.class_name = class_name or tokenizer_files.usual_class_name(self.kind)
        self.numbered_by_line = numbered_by_line
        names = dict(names or {})
        if unknown := getattr(raw.model, "unk_token", None):  # what the model falls back on has to be there
            names["unk"], needed = unknown, tuple(dict.fromkeys((*needed, "unk")))
        self.special = find_special_tokens(raw, names, needed)
        ensure_special(raw, self.special, self.kind)
        self.framing = framing_of(raw, self.special, self.kind)
        self.pad_id, self.cls_id, self.sep_id = (self.special.ids[role] for role in ("pad", "cls", "sep"))
        self.unk_id = self.special.ids.get("unk")
        self.mask_id = self.special.ids.get("mask")
        self.mask_token = self.special.names.get("mask")
        self._added = raw.get_added_tokens_decoder()
        known = {token.content for token in self._added.values()}
        # What stands in for a typed [MASK]; None where it stays as it is.
        self._typed_mask = None if MASK in known else self.mask_token
        # Some tokenizers hand the text to the model in one piece; words are then found by the marks of the pieces.
        pre_tokenizer = raw.pre_tokenizer
        self._uncut = pre_tokenizer is None or len(pre_tokenizer.pre_tokenize_str("c c")) == 1

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary."""
        return int(self.raw.get_vocab_size(with_added_tokens=True))

    @cached_property
    def largest_id(self) -> int:
        """The token table needs a row for it; ids may have gaps, so it may be more than `vocab_size` - 1."""
        return max(self.raw.get_vocab(with_added_tokens=True).values())

    @property
    def special_ids(self) -> tuple[int, ...]:
        """Of padding, unknown, [CLS], [SEP] and mask, in this order, those that there are."""
        return tuple(dict.fromkeys(self.special.ids.values()))

    def word(self, token_id: int) -> str:
        """The token with this id, as the vocabulary writes it (WordPiece: pieces inside a word begin with ##)."""
        token = self.raw.id_to_token(int(token_id))
        return f"[no token {int(token_id)}]" if token is None else str(token)  # tables may have rows to spare

    def label(self, token_id: int) -> str:
        """The token with this id as a person should see it: real characters, and · for the space before a word."""
        token = self.word(token_id)
        shown = token if int(token_id) in self._added else label(token, self.kind)
        return shown if len(shown) <= MOST_LABEL else f"{shown[: MOST_LABEL - 1]}…"

    def id(self, token: str) -> int | None:
        token_id = self.raw.token_to_id(token)
        return None if token_id is None else int(token_id)

    def encode(self, a: str, b: str | None = None, max_length: int = 512) -> Encoding:
        """Tokenise a sentence or a pair; where it is too long, tokens are taken from the longer part's end.

        An empty `b` counts as no second sentence. A typed [MASK] is the mask, whatever the vocabulary calls it.
        Raises BertcoreError for what is no text, and for text that is not valid Unicode.
        """
        _check_text("A", a)
        _check_text("B", "" if b is None else b)
        raw_a = self._encode_part(a, "A")
        raw_b = self._encode_part(b, "B") if b else None
        length_a, length_b = len(raw_a.ids), None if raw_b is None else len(raw_b.ids)
        keep_a, keep_b = self.framing.kept(length_a, length_b, max_length)
        of_a = self._part_tokens(raw_a, a, keep_a)
        of_b = self._part_tokens(raw_b, b, keep_b) if b and raw_b is not None else _PartTokens([], [], [])
        template = self.framing.template(raw_b)
        ids, special = template.ids(of_a.ids, of_b.ids), (0, 0)
        after_a = of_a.words[-1] + 1 if of_a.words else 0
        parts: list[TextPart] = template.around("special", ["a"] * keep_a, ["b"] * keep_b)
        return Encoding(
            text_a=a,
            text_b=b or None,
            # The library's own tokens are cut out of the text: an unknown one is what was typed, a mask has its space.
            tokens=[self.word(token_id) for token_id in ids],
            ids=ids,
            segments=list(template.segments_of(keep_a, keep_b)),
            positions=list(range(len(ids))),
            offsets=template.around(special, of_a.offsets, of_b.offsets),
            parts=parts,
            dropped=length_a + (length_b or 0) - keep_a - keep_b + _words_beyond(a) + _words_beyond(b),
            unknown=[i for i, token_id in enumerate(ids) if token_id == self.unk_id],
            words=template.around(None, of_a.words, [after_a + word for word in of_b.words]),
            labels=[self.label(token_id) for token_id in ids],
        )

    def encode_to(
        self, a: str, b: str | None, most: int, length: int | None = None, pad: bool = False, truncate: bool = False
    ) -> Encoding:
        """As `encode`, at a length in tokens; absent, the `most` that the model reads, to which a longer text is cut.

        pad: [PAD] fills up a shorter text. truncate: a longer one is cut. Raises BertcoreError for a text that is
        too long and not to be cut, for a length that has no room for a word or is above `most`, and as `encode`.
        """
        encoding = self.encode(a, b, max_length=length or most)
        specials = self.framing.template(encoding.text_b).specials
        if length is not None and not specials < length <= most:
            raise BertcoreError(f"The length of this text must be {specials + 1} to {most:,} tokens, not {length:,}.")
        if length is not None and encoding.dropped and not truncate:
            whole = len(encoding) + encoding.dropped
            raise BertcoreError(f"The text has {whole:,} tokens, more than {length:,}: truncate it, or allow more.")
        return self.padded(encoding, length or most) if pad else encoding

    def padded(self, encoding: Encoding, length: int) -> Encoding:
        """With [PAD] at its end, up to a length in tokens; of segment 0, as `transformers` has it."""
        count, pad = max(length - len(encoding), 0), self.pad_id
        added = {"tokens": self.word(pad), "ids": pad, "segments": 0, "labels": self.label(pad), "words": None}
        added |= {"offsets": (0, 0), "parts": "special"}
        longer = {name: getattr(encoding, name) + [each] * count for name, each in added.items()}
        positions = list(range(len(encoding) + count))
        return replace(encoding, **longer, positions=positions, padding=encoding.padding + count)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text as the vocabulary writes them, without special ones. Raises as `encode`.

        >>> m.tokenizer.tokenize("A cat sat!")
        ['a', 'cat', 'sat', '!']
        """
        _check_text("A", text)
        return [self.word(token_id) for token_id in self._encode_part(text, "A").ids]

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        """The text that ids stand for, as far as the vocabulary remembers it: small letters stay small.

        >>> m.tokenizer.decode(m.encode("A cat sat.").ids, skip_special_tokens=True)
        'a cat sat.'
        """
        dropped = self.special_ids if skip_special_tokens else ()
        kept = [int(token_id) for token_id in ids if token_id not in dropped]
        return self.raw.decode(kept, skip_special_tokens=False).strip()

    def encode_batch_ids(self, texts: list[str]) -> list[list[int]]:
        """Ids of many texts, without special tokens, on all cores."""
        return [encoding.ids for encoding in self.raw.encode_batch_fast(texts, add_special_tokens=False)]

    def save(self, folder: Path, max_length: int = 512) -> None:
        """Write `tokenizer.json`, `tokenizer_config.json` and, for WordPiece, `vocab.txt`: `transformers` reads them.

        `max_length` is the longest sequence of the model they belong to, in tokens.
        """
        tokenizer_files.write_tokenizer_folder(folder, self.raw, self.special, self.class_name, max_length)

    @classmethod
    def from_folder(cls, folder: Path) -> Tokenizer:
        """From `tokenizer.json`, or from `vocab.txt`, or from `vocab.json` with `merges.txt`.

        Raises BertcoreError, one sentence, where none of them can be read or a special token is missing.
        """
        try:
            with tokenizer_files.panics_as_errors():
                return cls(**tokenizer_files.read_tokenizer_folder(folder))
        except RuntimeError as error:
            raise BertcoreError(f"The tokenizer in {folder} cannot be used: {error!s:.200}.") from None
        except UnicodeEncodeError:
            raise BertcoreError(
                f"The tokenizer in {folder} has a token with half a character (\\ud800 to \\udfff), which no text has; "
                "fetch the checkpoint again."
            ) from None

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int, lowercase: bool = True, *, kind: str = "wordpiece"
    ) -> Tokenizer:
        """Learn a vocabulary of at most `vocab_size` entries, of a kind in VOCABULARIES; the same texts always give the
        same one.

        For WordPiece the texts are read twice; an iterator, which cannot be, is read into memory.
        Raises BertcoreError for an unknown kind, and a size that a kind cannot be made in.
        """
        if kind not in VOCABULARIES:
            known = ", ".join(VOCABULARIES)
            raise BertcoreError(f"There is no vocabulary of the kind {kind!r}; choose one of {known}.")
        learn = {"wordpiece": learn_wordpiece, "bpe": learn_bpe, "words": learn_words}[kind]
        # transformers' class for RoBERTa builds its own tokenizer, without the small letters
        class_name = tokenizer_files.PLAIN_CLASS if kind == "bpe" and lowercase else None
        return cls(learn(texts, vocab_size, lowercase), lowercase, class_name=class_name)

    def _encode_part(self, text: str, name: str) -> RawEncoding:
        text = text[:MAX_CHARACTERS]
        if self._typed_mask:
            text = text.replace(MASK, self._typed_mask)
        try:
            with tokenizer_files.panics_as_errors():
                return self.raw.encode(text, add_special_tokens=False)
        except (TypeError, UnicodeEncodeError):  # TypeError: half a character
            raise BertcoreError(f"Text {name} is not valid Unicode (UTF-8); type or paste it again.") from None
        except Exception as error:  # the library raises plain Exception
            raise BertcoreError(f"Text {name} does not suit this vocabulary: {error}.") from None

    def _part_tokens(self, raw: RawEncoding, text: str, keep: int) -> _PartTokens:
        offsets = raw.offsets[:keep]
        if self._typed_mask and len(self._typed_mask) != len(MASK):
            offsets = _offsets_before_replacing(offsets, text, self._typed_mask)
        takes_spaces = self.kind in SPACE_MARKS
        offsets = [
            _without_space(text, *span) if takes_spaces or token_id in self._added else span
            for span, token_id in zip(offsets, raw.ids, strict=False)
        ]
        words = raw.word_ids[:keep]
        if self._uncut:  # by the marks alone; all are one word where there are none
            mark = SPACE_MARKS.get(self.kind)
            words = list(accumulate(mark is not None and token.startswith(mark) for token in raw.tokens[:keep]))
        numbers = {word: i for i, word in enumerate(dict.fromkeys(words))}  # texts have stretches that leave no token
        return _PartTokens(raw.ids[:keep], offsets, [numbers[word] for word in words])


def word_ids_at(word: str, tokenizer: Tokenizer, encoding: Encoding, position: int) -> list[int]:
    """The ids of a word as the tokenizer would cut it at this place of the text, or of a token written out (##able).

    Byte-level vocabularies write a word after a space otherwise than one that begins the text.
    Raises BertcoreError for an empty word and for one that the vocabulary cannot write.
    """
    text = (encoding.text_b or "") if encoding.parts[position] == "b" else encoding.text_a
    start, end = encoding.offsets[position]
    before = text[max(start - 1, 0) : min(start + 1, end)]
    space = " " if before.strip() != before else ""
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


def same_word(ours: Tokenizer, theirs: Tokenizer, token_id: int) -> int | None:
    """The id of one of our tokens in another vocabulary; None where that has it not, or only in pieces."""
    if ours.kind == theirs.kind:
        return theirs.id(ours.word(token_id))
    word = ours.label(token_id)
    if word.startswith("##"):  # a piece inside a word has no name in the other kinds
        return None
    encoding = theirs.encode(word.removeprefix("·"))
    ids = [each for each, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]
    return ids[0] if len(ids) == 1 and ids[0] != theirs.unk_id else None


def _check_text(name: str, text: object) -> None:
    """Raises BertcoreError for anything else, as a notebook may pass it."""
    if isinstance(text, list | tuple):
        raise BertcoreError(
            f"Text {name} is a list of {len(text):,}, and one text is read at a time here; write a loop over the list."
        )
    if not isinstance(text, str):
        raise BertcoreError(f"Text {name} is not a text but {type(text).__name__}; give a string.")


def _offsets_before_replacing(offsets: list[tuple[int, int]], text: str, mask: str) -> list[tuple[int, int]]:
    """Offsets in `text`, from those in `text` with every [MASK] replaced by `mask`."""
    starts, ends = [], []  # of what each character of the replaced text was
    at = 0
    for i, piece in enumerate(text.split(MASK)):
        if i:
            starts.extend([at] * len(mask))
            at += len(MASK)
            ends.extend([at] * len(mask))
        starts.extend(range(at, at + len(piece)))
        ends.extend(range(at + 1, at + len(piece) + 1))
        at += len(piece)
    starts.append(at)
    return [(starts[start], ends[end - 1] if end > start else starts[start]) for start, end in offsets]


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    """The space before a word belongs to some tokens; what a person clicks on is the word."""
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _words_beyond(text: str | None) -> int:
    return len(text[MAX_CHARACTERS:].split()) if text else 0
