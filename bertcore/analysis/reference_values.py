"""Numbers stored with a checkpoint, to see on any machine that it computes what it did where it was made.

reference.json in the checkpoint's folder holds, for three texts, the token ids, some activations, and the likeliest
words for a mask with their probabilities.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.analysis.passes import Batch, as_text, predict_heads
from bertcore.analysis.predict import softmax, top_words
from bertcore.analysis.trace import activations
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.files import read_bytes, write_json
from bertcore.json_text import parse_json
from bertcore.model.hooks import hidden_points

REFERENCE_FILE = "reference.json"
REFERENCE_VERSION = 1
TOLERANCE = 1e-4  # processors add up in other orders: 1e-6 to 1e-5 apart; another formula (GELU by tanh) is 1e-3 apart
TEXTS: tuple[tuple[str, str | None], ...] = (
    ("The old woman put the [MASK] on the table.", None),
    ("Where have the children [MASK]?", "They are playing by the river."),
    ("He wanted to read, but the lamp was broken, so he sat in the [MASK] and thought of home.", "It was late."),
)
_WORDS = 5  # likeliest words of each text
_NUMBERS = 8  # of each activation: its first ones


@dataclass(frozen=True)
class ReferenceCheck:
    """How far a checkpoint is from what was stored with it; `problem` is a sentence, None where all is well."""

    largest_difference: float | None  # None where there was nothing to compare
    problem: str | None = None

    @property
    def sentence(self) -> str:
        """For a status line."""
        if self.problem is not None:
            return self.problem
        return f"verified, largest difference {self.largest_difference:.0e}" if self.largest_difference else "verified"


def write_reference(checkpoint: Checkpoint, folder: Path) -> Path:
    """Store this checkpoint's values in a folder. `checkpoint` must be read from the files that others will read:
    weights are rounded when they are stored. Texts whose mask is beyond the model's last position are left out.
    Raises BertcoreError where it has no masked-word head, and where no text is left."""
    encode, most = checkpoint.tokenizer.encode, checkpoint.config.max_length
    texts = [(a, b) for a, b in TEXTS if checkpoint.tokenizer.mask_id in encode(a, b, max_length=most).ids]
    if not texts:
        raise BertcoreError("No text of the reference values has its mask within what this model reads.")
    file = folder / REFERENCE_FILE
    write_json(file, {"format_version": REFERENCE_VERSION, "texts": [_values(checkpoint, a, b) for a, b in texts]})
    return file


def check_reference(checkpoint: Checkpoint) -> ReferenceCheck | None:
    """Compute what is stored in the checkpoint's folder again; None where nothing is stored. Takes some milliseconds.

    Something is off where a number differs by more than TOLERANCE, a text is cut into other tokens, or the file cannot
    be read; never raises.
    """
    if checkpoint.folder is None or not (file := checkpoint.folder / REFERENCE_FILE).is_file():
        return None
    try:
        stored = parse_json(read_bytes(file).decode("utf-8"))
        if stored["format_version"] != REFERENCE_VERSION:
            return _off(f"{REFERENCE_FILE} has a format of another version ({stored['format_version']})")
        return _compared(checkpoint, stored["texts"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return _off(f"{REFERENCE_FILE} cannot be read")
    except BertcoreError as error:
        return _off(str(error).rstrip("."))


def _compared(checkpoint: Checkpoint, texts: list[dict[str, Any]]) -> ReferenceCheck:
    largest, where = 0.0, ""
    for number, text in enumerate(texts, 1):
        now = _values(checkpoint, text["a"], text["b"], [word["token"] for word in text["words"]])
        if now["ids"] != text["ids"]:
            return _off(f"the vocabulary cuts reference text {number} into other tokens")
        for name, before, after in _side_by_side(text, now):
            difference = abs(before - after)
            if math.isnan(difference):
                return _off(f"{name} of text {number} is no number")
            if difference > largest:
                largest, where = difference, f"{name} of text {number}"
    if not texts:
        return _off(f"{REFERENCE_FILE} is empty")
    if largest > TOLERANCE:
        return ReferenceCheck(largest, f"Something is off: {where} differs from the stored value by {largest:.1g}.")
    return ReferenceCheck(largest)


def _off(reason: str) -> ReferenceCheck:
    return ReferenceCheck(None, f"Something is off: {reason}.")


def _side_by_side(stored: dict[str, Any], now: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Name, stored number and present number, of all numbers."""
    numbers = []
    for name, values in stored["activations"].items():
        pairs = zip(values, now["activations"][name], strict=True)
        numbers += [(name, float(before), float(after)) for before, after in pairs]
    for before, after in zip(stored["words"], now["words"], strict=True):
        numbers.append((f"the probability of {before['token']!r}", before["probability"], after["probability"]))
    return numbers


def _values(checkpoint: Checkpoint, a: str, b: str | None, words: list[str] | None = None) -> dict[str, Any]:
    """What is stored of one text; of these words, if given, instead of the likeliest ones."""
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    encoding = tokenizer.encode(a, b, max_length=checkpoint.config.max_length)
    mask = encoding.ids.index(tokenizer.special.ids["mask"])
    points = hidden_points(checkpoint.config.num_hidden_layers)
    text = as_text(model, encoding.ids, encoding.segments)
    passed = activations(model, text, points)  # (S,H) each
    numbers = {name: passed[name][mask, :_NUMBERS].tolist() for name in points}
    (said,) = predict_heads(model, Batch.of([text]), [[mask]])  # by the fast path
    if said.mlm_logits is None:
        raise BertcoreError(checkpoint.missing["mlm"])
    if said.next_sentence_logits is not None:
        numbers["nsp.logits"] = said.next_sentence_logits.tolist()
    logits = said.mlm_logits[0]  # (V)
    probabilities = softmax(logits)
    shown = [guess.token for guess in top_words(logits, tokenizer, _WORDS)] if words is None else words
    ids = [tokenizer.id(token) for token in shown]
    return {
        "a": a,
        "b": b,
        "ids": encoding.ids,
        "activations": numbers,
        "words": [
            {"token": token, "probability": math.nan if i is None else float(probabilities[i])}
            for token, i in zip(shown, ids, strict=True)
        ],
    }
