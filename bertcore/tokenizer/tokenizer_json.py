"""A tokenizer.json from elsewhere, looked through before the library gets it: what it may make of a text, and at what
price.

The library does what the file says. A hundred `Replace` steps, each of which writes ten letters for one, make 10^100 of
a single one; a regular expression can take forever on a short text. Growth follows from the file and is refused. What
only a trial shows (expressions, large files) is tried in a process of its own, with limits of memory and time.
"""

import base64
import binascii
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import content_of
from bertcore.json_text import parse_json
from bertcore.limits import (
    ADDED_TOKENS,
    MIB,
    STEPS,
    TEMPLATE_PIECES,
    TEXT_GROWTH,
    TOKENIZER_BYTES,
    TRIAL_BYTES,
    TRIAL_SECONDS,
    UNTRIED_BYTES,
    WORD_CHARACTERS,
)
from bertcore.trial import TrialFailed, try_file

_STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_LISTS = ("normalizers", "pretokenizers", "processors", "decoders")
_BYTES_AS_LETTERS = 4.0  # of a byte-level step: an emoji becomes four letters
JSON_PARTS = 5_000_000  # XLM-RoBERTa's file has 750,000
_SHORT_STRETCHES = 200  # characters of each stretch of the trial text


def check_tokenizer_json(file: Path) -> None:
    """Raises BertcoreError where the file is damaged, or would take more memory or time than any tokenizer does."""
    packed = content_of(file, TOKENIZER_BYTES)
    try:
        content = parse_json(packed.decode("utf-8"), most_parts=JSON_PARTS)
        problem = _problem(content) if isinstance(content, dict) else "it is no JSON object"
    except (ValueError, RecursionError) as error:
        raise BertcoreError(unreadable(file, str(error))) from None
    if problem:
        raise BertcoreError(f"The tokenizer {file} was not opened: {problem}.")
    steps = [step for name in _STEPS for step in _flat(content.get(name))]
    if len(packed) > UNTRIED_BYTES or any(_is_unpredictable(step) for step in steps):
        _try(file)


def unreadable(file: Path, why: str) -> str:
    """A sentence; `why`: what the library says."""
    return f"The file {file} is not a readable tokenizer ({why.rstrip('.'):.200}); fetch the checkpoint again."


def _problem(content: Mapping[str, Any]) -> str | None:
    """Why this would take too much; None where it would not."""
    added, model = content.get("added_tokens"), content.get("model")
    if isinstance(added, list) and len(added) > ADDED_TOKENS:
        return f"it adds {len(added):,} tokens to its vocabulary, more than {ADDED_TOKENS:,}"
    longest = model.get("max_input_chars_per_word") if isinstance(model, dict) else None
    if isinstance(longest, int) and longest > WORD_CHARACTERS:
        return (
            f"it cuts words of up to {longest:,} characters (max_input_chars_per_word), more than {WORD_CHARACTERS:,}"
        )
    for name in _STEPS:
        steps = list(_flat(content.get(name)))
        if len(steps) > STEPS:
            return f"its {name} has {len(steps):,} steps, more than {STEPS}"
        growth = 1.0
        for step in steps:
            growth *= _growth(step)
        if growth > TEXT_GROWTH:
            return f"its {name} could make a text {growth:.0e} times longer"
        pieces = sum(len(step[key]) for step in steps for key in ("single", "pair") if isinstance(step.get(key), list))
        if pieces > TEMPLATE_PIECES:
            return f"it puts {pieces:,} special tokens around a text"
    return None


def _flat(step: object) -> Iterator[Mapping[str, Any]]:
    """A step, or those of a sequence, in order."""
    if not isinstance(step, dict):
        return
    inner = next((step[key] for key in _LISTS if isinstance(step.get(key), list)), None)
    if inner is None:
        yield step
    else:
        for each in inner:
            yield from _flat(each)


def _growth(step: Mapping[str, Any]) -> float:
    """How many times longer a step can make a text, each time it is done; what Unicode does once counts as 1."""
    kind, content = step.get("type"), step.get("content")
    if kind == "Replace" and isinstance(content, str):
        pattern = step.get("pattern")
        replaced = pattern.get("String") if isinstance(pattern, dict) else None
        # a regular expression may match between any two characters
        return max(1.0, len(content) / max(1, len(replaced)) if isinstance(replaced, str) else len(content) + 1.0)
    if kind == "Prepend":
        return 1.0 + len(str(step.get("prepend")))
    if kind == "ByteLevel":
        return _BYTES_AS_LETTERS
    if kind == "Precompiled":
        return float(_longest_replacement(step.get("precompiled_charsmap")))
    return 1.0


def _longest_replacement(packed: object) -> int:
    """In SentencePiece's table: the size of a trie, the trie, and all replacements, each ended by a NUL."""
    try:
        table = base64.b64decode(packed, validate=True) if isinstance(packed, str) else b""
    except binascii.Error:
        return 1  # the library will say so
    replacements = table[4 + int.from_bytes(table[:4], "little") :].decode("utf-8", "replace")
    return max(1, max(map(len, replacements.split("\0"))))


def _is_unpredictable(step: Mapping[str, Any]) -> bool:
    pattern = step.get("pattern")
    return step.get("type") == "Precompiled" or (isinstance(pattern, dict) and "Regex" in pattern)


def _try(file: Path) -> None:
    """Raises BertcoreError where a process with limits does not survive opening the file and reading short texts."""
    try:
        try_file(trial, file)
    except TrialFailed as failed:
        if failed.why:
            raise BertcoreError(unreadable(file, failed.why)) from None
        raise UnreadableError(  # on a busy machine it may
            f"The tokenizer {file} was not opened: with a few short texts it takes more than {TRIAL_SECONDS} s or "
            f"{TRIAL_BYTES // MIB:,} MB."
        ) from None


def trial(file: str) -> None:
    """What another process does with it first."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer

    raw = Tokenizer.from_buffer(content_of(Path(file), TOKENIZER_BYTES))
    raw.no_truncation()
    raw.no_padding()
    for text in _trial_texts():
        raw.encode(text)


def _trial_texts() -> Iterator[str]:
    """Stretches of one character, which slow expressions are slow on, and some of every script."""
    for character in map(chr, range(0x20, 0x7F)):
        yield character * _SHORT_STRETCHES + "!"
    for start in range(0xA0, 0x30000, _SHORT_STRETCHES * 8):
        yield "".join(letter for letter in map(chr, range(start, start + _SHORT_STRETCHES)) if letter.isprintable())
