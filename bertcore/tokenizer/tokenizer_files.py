"""Tokenizer folders as `transformers` writes them: tokenizer.json or older vocabulary files, and settings beside."""

import base64
import binascii
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE

from bertcore import limits
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import content_of, is_there, read_json, unread, write_json
from bertcore.json_text import parse_json
from bertcore.limits import ADDED_TOKENS, TOKENIZER_BYTES, VOCABULARY_BYTES
from bertcore.locations import base_of
from bertcore.tokenizer.special_tokens import SPELLINGS, UNK, SpecialTokens, VocabularyKind, kind_of
from bertcore.tokenizer.vocabularies import bert_normalizer, is_smiles_vocabulary, raw_from_smiles, raw_from_words
from bertcore.trial import TrialFailed, try_file

SETTINGS_FILE = "tokenizer_config.json"
PLAIN_CLASS = "PreTrainedTokenizerFast"  # of `transformers`: takes tokenizer.json as it is
# Classes that take from tokenizer.json what it says, and so leave the settings beside it alone.
_PLAIN_CLASSES = (PLAIN_CLASS, "TokenizersBackend")
# Classes that cut words in a way of their own before vocab.txt is asked.
_OWN_WAYS = ("BertJapaneseTokenizer", "BertweetTokenizer", "PhobertTokenizer")
_SENTENCEPIECE_CLASSES = {
    "albert": "AlbertTokenizer",
    "camembert": "CamembertTokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
}


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raises RuntimeError where the library, written in Rust, panics on a file instead of raising an error.

    A panic is no `Exception` and would end the thread that it comes up in.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3's own class, which cannot be imported
            raise
        raise RuntimeError(str(error)) from None


def read_tokenizer_folder(folder: Path) -> dict[str, Any]:
    """What `Tokenizer` is made with; of a model that is stored as its difference from another one, the other's.

    Raises BertcoreError, one sentence, where the folder has no vocabulary that can be read.
    """
    folder = base_of(folder) or folder
    settings = read_settings(folder / SETTINGS_FILE)
    names = _special_names(folder, settings)
    if is_there(folder / "tokenizer.json"):
        check_tokenizer_json(file := folder / "tokenizer.json")
        content = content_of(file, TOKENIZER_BYTES)
        try:
            with panics_as_errors():
                raw = RawTokenizer.from_buffer(content)
        except Exception as error:  # the library raises plain Exception
            raise unread(error)(unreadable(file, str(error))) from None
        _apply_settings(raw, settings)
    elif is_there(folder / "vocab.txt"):
        raw = _read_vocab_txt(folder, settings, names)
        _add_declared(raw, folder, settings)
    elif is_there(folder / "vocab.json"):
        raw = _read_byte_level(folder, settings)
        _add_declared(raw, folder, settings)
    else:
        sentencepiece = sorted(file.name for file in folder.glob("*.model"))
        raise BertcoreError(
            f"The folder {folder} has only a SentencePiece model ({sentencepiece[0]}), which is not read here: make a "
            "tokenizer.json from it, once, with AutoTokenizer.from_pretrained(folder).save_pretrained(folder) of the "
            "transformers package."
            if sentencepiece
            else f"The folder {folder} has no vocabulary: a tokenizer.json, a vocab.txt, or a vocab.json with its "
            "merges.txt must stand in it."
        )
    lowercase = _small_letters(raw)
    if lowercase:
        _refuse_capitals_only(raw, folder)
    from_vocab_txt = not (folder / "tokenizer.json").is_file() and (folder / "vocab.txt").is_file()
    return {
        "raw": raw,
        "lowercase": lowercase,
        "names": names,
        "class_name": _class_name(folder, settings, kind_of(raw)),
        "needed": tuple(SPELLINGS) if from_vocab_txt else ("pad", "cls", "sep"),
        "numbered_by_line": from_vocab_txt,
    }


def write_tokenizer_folder(
    folder: Path, raw: RawTokenizer, special: SpecialTokens, class_name: str, max_length: int
) -> None:
    """Write tokenizer.json, tokenizer_config.json and, for WordPiece, vocab.txt, as `transformers` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    # not by the library's `save`, which cannot write into a folder whose name is no UTF-8
    (folder / "tokenizer.json").write_text(raw.to_str(pretty=True), encoding="utf-8", newline="\n")
    kind = kind_of(raw)
    if kind == "wordpiece":
        words = sorted(raw.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in words), encoding="utf-8")
    settings = {
        "tokenizer_class": class_name,
        **_how_it_cuts(raw, kind),
        "model_max_length": max_length,
        **{f"{role}_token": special.names.get(role) for role in SPELLINGS},
    }
    if kind != "wordpiece":  # some classes frame texts by these
        settings |= {"bos_token": special.names["cls"], "eos_token": special.names["sep"]}
    write_json(folder / SETTINGS_FILE, settings)


def read_settings(file: Path) -> dict[str, Any]:
    """A JSON object; empty where there is no such file."""
    return read_json(file) if is_there(file) else {}


def _apply_settings(raw: RawTokenizer, settings: Mapping[str, Any]) -> None:
    """Where both files speak, `transformers` follows tokenizer_config.json; where it is silent, we follow the other."""
    if settings.get("tokenizer_class") in _PLAIN_CLASSES:
        return
    normalizer, pre_tokenizer = raw.normalizer, raw.pre_tokenizer
    if isinstance(normalizer, normalizers.BertNormalizer):
        normalizer.lowercase = _switch(settings, "do_lower_case", normalizer.lowercase)
        normalizer.handle_chinese_chars = _switch(settings, "tokenize_chinese_chars", normalizer.handle_chinese_chars)
        if isinstance(settings.get("strip_accents", 0), bool | None):
            normalizer.strip_accents = settings["strip_accents"]
        raw.normalizer = normalizer
    if isinstance(pre_tokenizer, pre_tokenizers.ByteLevel):
        prefix_space = _switch(settings, "add_prefix_space", pre_tokenizer.add_prefix_space)
        if prefix_space != pre_tokenizer.add_prefix_space:
            raw.pre_tokenizer = pre_tokenizers.ByteLevel(
                add_prefix_space=prefix_space, use_regex=pre_tokenizer.use_regex
            )
            raw.post_processor = None  # it knew of the space; the usual one takes its place


def _read_vocab_txt(folder: Path, settings: Mapping[str, Any], names: Mapping[str, str]) -> RawTokenizer:
    if (own_way := settings.get("tokenizer_class")) in _OWN_WAYS:
        raise BertcoreError(
            f"The tokenizer in {folder} is a {own_way}, which splits words in a way that is not supported."
        )
    words = _read_lines(folder / "vocab.txt")
    unk = names.get("unk", UNK)
    if is_smiles_vocabulary(words):
        return raw_from_smiles(words, unk)
    lowercase = _switch(settings, "do_lower_case", True)
    raw = raw_from_words(words, lowercase, unk)
    raw.normalizer = bert_normalizer(
        lowercase, settings.get("strip_accents"), _switch(settings, "tokenize_chinese_chars", True)
    )
    return raw


def _read_lines(file: Path) -> list[str]:
    try:
        content = content_of(file, VOCABULARY_BYTES)
        words = content.decode("utf-8-sig").split("\n")  # Windows' Notepad begins a file with a mark
    except UnicodeDecodeError:
        raise BertcoreError(f"The file {file} is not UTF-8 text; a vocabulary has one token on each line.") from None
    if words and not words[-1]:
        words.pop()
    words = [word.rstrip("\r") for word in words]
    if len(set(words)) < len(words):
        twice = Counter(words).most_common(1)[0][0]
        raise BertcoreError(f"The file {file} has the token {twice!r} twice; fetch the checkpoint again.")
    return words


def _read_byte_level(folder: Path, settings: Mapping[str, Any]) -> RawTokenizer:
    """vocab.json with merges.txt, as RoBERTa has them: BPE (Sennrich et al. 2016) over bytes."""
    files = folder / "vocab.json", folder / "merges.txt"
    if not is_there(files[1]):
        raise BertcoreError(f"The folder {folder} has a vocab.json but no merges.txt; fetch the checkpoint again.")
    for file in files:
        content_of(file, VOCABULARY_BYTES)  # the library has no limits of its own
    try:
        with panics_as_errors():
            model = BPE.from_file(str(files[0]), str(files[1]))
    except UnicodeEncodeError:
        raise BertcoreError(
            f"The name of the folder {folder} is no UTF-8, so its vocab.json cannot be read; rename the folder."
        ) from None
    except Exception as error:  # the library raises plain Exception
        reason = str(error).removeprefix("Error while reading BPE files: ")
        raise unread(error)(f"The files {files[0]} and {files[1].name} cannot be read: {reason:.200}.") from None
    raw = RawTokenizer(model)
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=_switch(settings, "add_prefix_space", False))
    raw.decoder = decoders.ByteLevel()
    return raw


def _token_values(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """`pad_token`, `mask_token` and so on: each a string, or a table with its `content`."""
    older = {} if "added_tokens_decoder" in settings else read_settings(folder / "special_tokens_map.json")
    return {key: value for key, value in {**settings, **older}.items() if key.endswith("_token")}


def _special_names(folder: Path, settings: Mapping[str, Any]) -> dict[str, str]:
    values = _token_values(folder, settings)
    names = {}
    for role in SPELLINGS:
        value = values.get(f"{role}_token")
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(content, str):
            names[role] = content
    return names


def _declared_tokens(folder: Path, settings: Mapping[str, Any]) -> list[tuple[int | None, AddedToken]]:
    """Tokens added to the vocabulary, with their ids where the files give them, in the order of these."""
    by_id = settings.get("added_tokens_decoder") or {}
    added = [(int(token_id), _added_token(value, True)) for token_id, value in by_id.items()]
    if not added:
        special = set(_special_names(folder, settings).values())
        older = read_settings(folder / "added_tokens.json")
        added = [(int(number), _added_token({"content": token}, token in special)) for token, number in older.items()]
    tables = [value for value in _token_values(folder, settings).values() if isinstance(value, dict)]
    unnumbered = [(None, _added_token(value, True)) for value in tables]
    return [*sorted(added, key=lambda item: item[0]), *unnumbered]


def _added_token(value: Mapping[str, Any], special: bool) -> AddedToken:
    special, content = bool(value.get("special", special)), str(value["content"])
    if not content:
        raise ValueError("an added token without a letter")
    return AddedToken(
        content,
        single_word=bool(value.get("single_word", False)),
        lstrip=bool(value.get("lstrip", False)),
        rstrip=bool(value.get("rstrip", False)),
        normalized=bool(value.get("normalized", not special)),
        special=special,
    )


def _add_declared(raw: RawTokenizer, folder: Path, settings: Mapping[str, Any]) -> None:
    try:
        declared = _declared_tokens(folder, settings)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BertcoreError(f"The added tokens in {folder} cannot be read; fetch the checkpoint again.") from None
    known: set[str] = set()
    wanted = []
    for token_id, token in declared:
        if token.content not in known and (token_id is not None or raw.token_to_id(token.content) is not None):
            known.add(token.content)
            wanted.append((token_id, token))
    if len(wanted) > ADDED_TOKENS:
        raise BertcoreError(f"The files in {folder} add more tokens to the vocabulary than any do: {len(wanted):,}.")
    raw.add_tokens([token for _, token in wanted])
    for token_id, token in wanted:
        if token_id is not None and raw.token_to_id(token.content) != token_id:
            raise BertcoreError(
                f"The vocabulary in {folder} does not fit its added tokens: {token.content:.80} should be number "
                f"{token_id:,} and would be {raw.token_to_id(token.content):,}; fetch the checkpoint again."
            )


def _class_name(folder: Path, settings: Mapping[str, Any], kind: VocabularyKind) -> str:
    named = settings.get("tokenizer_class")
    if kind == "words":
        return PLAIN_CLASS
    if isinstance(named, str):
        return named
    if kind == "sentencepiece":
        model_type = str(read_settings(folder / "config.json").get("model_type"))
        return _SENTENCEPIECE_CLASSES.get(model_type, PLAIN_CLASS)
    return usual_class_name(kind)


def usual_class_name(kind: VocabularyKind) -> str:
    """The class of `transformers` for a tokenizer that came without a name."""
    return {"wordpiece": "BertTokenizer", "byte-level": "RobertaTokenizer"}.get(kind, PLAIN_CLASS)


def _how_it_cuts(raw: RawTokenizer, kind: VocabularyKind) -> dict[str, Any]:
    """Settings from which classes of `transformers` build the normaliser anew, instead of reading tokenizer.json."""
    if kind == "wordpiece":
        return {
            "do_lower_case": _small_letters(raw),
            "strip_accents": getattr(raw.normalizer, "strip_accents", None),
            "tokenize_chinese_chars": getattr(raw.normalizer, "handle_chinese_chars", True),
        }
    if kind == "byte-level":
        return {
            "add_prefix_space": bool(getattr(raw.pre_tokenizer, "add_prefix_space", False)),
            "trim_offsets": bool(getattr(raw.post_processor, "trim_offsets", True)),
        }
    if kind == "sentencepiece":
        accent = raw.normalizer.normalize_str("é") if raw.normalizer else "é"
        keeps_accents = "é" in unicodedata.normalize("NFC", accent)
        return {"do_lower_case": _small_letters(raw), "keep_accents": keeps_accents}
    return {}


def _small_letters(raw: RawTokenizer) -> bool:
    return raw.normalizer is not None and "a" in raw.normalizer.normalize_str("A")


def _refuse_capitals_only(raw: RawTokenizer, folder: Path) -> None:
    """Some vocabularies (of proteins, for one) have capital letters only: read in lower case, all is unknown to them.

    `transformers` opens them all the same, and every word becomes [UNK].
    """
    special = {token.content for token in raw.get_added_tokens_decoder().values()}
    words = raw.get_vocab(with_added_tokens=False).keys() - special
    if any(word != word.upper() for word in words) or not any(word != word.lower() for word in words):
        return
    raise BertcoreError(
        f"The vocabulary in {folder} has capital letters only, but texts are read in lower case, so that every word "
        f'would be unknown; write "do_lower_case": false into its {SETTINGS_FILE}.'
    )


def _switch(settings: Mapping[str, Any], name: str, otherwise: bool) -> bool:
    value = settings.get(name)
    return value if isinstance(value, bool) else otherwise


# --- a tokenizer.json from elsewhere, looked through before the library gets it
# The library does what the file says. A hundred `Replace` steps, each of which writes ten letters for one, make 10^100
# of a single one; a regular expression can take forever on a short text. Growth follows from the file and is refused.
# What only a trial shows (expressions, large files) is tried in a process of its own, with limits of memory and time.


_STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_LISTS = ("normalizers", "pretokenizers", "processors", "decoders")
_BYTES_AS_LETTERS = 4.0  # of a byte-level step: an emoji becomes four letters
JSON_PARTS = 5_000_000  # XLM-RoBERTa's file has 750,000
_SHORT_STRETCHES = 200  # characters of each stretch of the trial text


def check_tokenizer_json(file: Path) -> None:
    """Raises BertcoreError where the file is damaged, or would take more memory or time than any tokenizer does."""
    packed = content_of(file, limits.TOKENIZER_BYTES)
    try:
        content = parse_json(packed.decode("utf-8"), most_parts=JSON_PARTS)
        problem = _problem(content) if isinstance(content, dict) else "it is no JSON object"
    except (ValueError, RecursionError) as error:
        raise BertcoreError(unreadable(file, str(error))) from None
    if problem:
        raise BertcoreError(f"The tokenizer {file} was not opened: {problem}.")
    steps = [step for name in _STEPS for step in _flat(content.get(name))]
    patterns = [step.get("pattern") for step in steps]
    has_expression = any(isinstance(pattern, dict) and "Regex" in pattern for pattern in patterns)
    is_unpredictable = has_expression or any(step.get("type") == "Precompiled" for step in steps)
    if len(packed) > limits.UNTRIED_BYTES or is_unpredictable:
        _try(file)


def unreadable(file: Path, why: str) -> str:
    """A sentence; `why`: what the library says."""
    return f"The file {file} is not a readable tokenizer ({why.rstrip('.'):.200}); fetch the checkpoint again."


def _problem(content: Mapping[str, Any]) -> str | None:
    """Why this would take too much; None where it would not."""
    added, model = content.get("added_tokens"), content.get("model")
    if isinstance(added, list) and len(added) > limits.ADDED_TOKENS:
        return f"it adds {len(added):,} tokens to its vocabulary, more than {limits.ADDED_TOKENS:,}"
    longest, most = model.get("max_input_chars_per_word") if isinstance(model, dict) else None, limits.WORD_CHARACTERS
    if isinstance(longest, int) and longest > most:
        return f"it cuts words of up to {longest:,} characters (max_input_chars_per_word), more than {most:,}"
    for name in _STEPS:
        steps = list(_flat(content.get(name)))
        if len(steps) > limits.STEPS:
            return f"its {name} has {len(steps):,} steps, more than {limits.STEPS}"
        growth = 1.0
        for step in steps:
            growth *= _growth(step)
        if growth > limits.TEXT_GROWTH:
            return f"its {name} could make a text {growth:.0e} times longer"
        pieces = sum(len(step[key]) for step in steps for key in ("single", "pair") if isinstance(step.get(key), list))
        if pieces > limits.TEMPLATE_PIECES:
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


def _try(file: Path) -> None:
    """Raises BertcoreError where a process with limits does not survive opening the file and reading short texts."""
    try:
        try_file(trial, file)
    except TrialFailed as failed:
        if failed.why:
            raise BertcoreError(unreadable(file, failed.why)) from None
        raise UnreadableError(  # on a busy machine it may
            f"The tokenizer {file} was not opened: with a few short texts it takes more than {limits.TRIAL_SECONDS} s "
            f"or {limits.TRIAL_BYTES // limits.MIB:,} MB."
        ) from None


def trial(file: str) -> None:
    """What another process does with it first."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer

    raw = Tokenizer.from_buffer(content_of(Path(file), limits.TOKENIZER_BYTES))
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
