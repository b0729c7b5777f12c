"""Exercises to write oneself: a student's functions are marked against the numbers of the built-in model.

`assets/exercises/NAME.py` has the gaps, `assets/exercises/marking/NAME.py` likely mistakes, in NumPy.
"""

import runpy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes, reason_of
from bertcore.locations import assets, built_in_checkpoint
from bertcore.student_code import SECONDS, Given, NoAnswer, answers_of, call
from bertcore.trial import TrialFailed

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST_BYTES = 200_000  # of a student's file
DRAWS = 2_000  # of what is random
TEXTS = (
    ("The animal did not cross the street because it was too tired.", "It slept under a tall tree."),
    ("It was a warm and sunny day.", None),
)
SAYS = {
    "right": "Right.",
    "open": "Nothing is written here yet.",
    "error": "It ends with an error: {why}",
    "late": "It did not end within {seconds} seconds: is there a loop without an end?",
    "ended": "It ended the whole process, by itself or for lack of memory.",
    "nothing": "It returns no array of numbers: is `return` missing?",
    "copy": "It changes what it is given; begin with a copy, {value} = {value}.copy()",
    "refused": "It may not do this here ({value}): an exercise writes no files, starts nothing, connects to nothing.",
    "large": "It returns an array of shape {value}, which is far too large.",
    "shape": "It returns an array of shape {shape}; it should be {wanted}.",
    "infinite": "A number of the answer is not finite (NaN or infinity): is something divided by 0?",
    "other": "The shape is right, the numbers are not yet: read once more what the text at the gap asks for.",
}


@dataclass(frozen=True)
class Mark:
    """What is said of one function: one of SAYS, filled with `values`, or the mistake that was found, with a hint."""

    name: str
    says: str
    hint: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        return self.says == SAYS["right"]


class Gap(NamedTuple):
    """A function to write: what it is given, and what the engine makes of the same, (draws, ...)."""

    given: Given
    wanted: NDArray


def ways_of(exercise: str) -> dict[str, Callable[..., Any]]:
    """The mistakes, `NAME__MISTAKE`, and what is measured of random answers, `NAME`, in `marking/EXERCISE.py`."""
    found = runpy.run_path(str(assets() / "exercises" / "marking" / f"{exercise}.py"))
    return {name: way for name, way in found.items() if not name.startswith("_") and callable(way)}


def mark(file: Path) -> Iterator[Mark]:
    """A mark for each function of an exercise, whose file is run. Raises BertcoreError where it is of none."""
    from bertcore.checkpoint.checkpoint import load_checkpoint

    try:
        code = read_bytes(file, MOST_BYTES)
    except OSError as error:
        raise BertcoreError(f"{file} could not be opened: {reason_of(error)}.") from error
    for exercise, gaps_of in EXERCISES.items():
        ways = ways_of(exercise)
        names = list(dict.fromkeys(name.partition("__")[0] for name in ways))
        if all(f"def {name}(".encode() in code for name in names):
            gaps = gaps_of(load_checkpoint(built_in_checkpoint()))
            yield from (_mark(code, name, gaps[name], ways) for name in names)
            return
    raise BertcoreError(f"{file} lacks functions of its exercise; `bertscope lesson exercise` writes the file anew.")


def _mark(code: bytes, name: str, gap: Gap, ways: Mapping[str, Callable[..., Any]]) -> Mark:
    draws = len(gap.wanted)
    try:
        answers = call(code, name, gap.given, draws)
    except TrialFailed as failed:
        said, kind, value = (*failed.why.split(" ", 2), "", "", "")[:3]
        if said != NoAnswer.__name__:
            kind = "error" if said else "late" if failed.was_late else "ended"
            kind = "open" if said.startswith("NotImplementedError") else kind
        return Mark(name, SAYS[kind], values={"why": failed.why, "value": value, "seconds": SECONDS})
    if answers.shape != gap.wanted.shape:
        return Mark(name, SAYS["shape"], values={"shape": answers.shape[1:], "wanted": gap.wanted.shape[1:]})
    if not np.isfinite(answers).all():
        return Mark(name, SAYS["infinite"])

    def is_same(others: NDArray) -> bool:
        ours, theirs = (ways[name](each, **gap.given) if name in ways else each for each in (answers, others))
        return np.allclose(ours, theirs, rtol=1e-4, atol=1e-4 if draws == 1 else 0.03)

    if is_same(gap.wanted):
        return Mark(name, SAYS["right"])
    made = (way for key, way in ways.items() if key.startswith(f"{name}__"))
    found = next((way for way in made if is_same(answers_of(way, gap.given, draws))), None)
    if found is None:
        return Mark(name, SAYS["other"])
    says, hint = sentences(found)
    return Mark(name, says, hint)


def sentences(mistake: Callable[..., Any]) -> list[str]:
    """What is wrong, and the hint: the two paragraphs that describe it."""
    return [" ".join(part.split()) for part in (mistake.__doc__ or "").split("\n\n")]


def _attention(checkpoint: "Checkpoint") -> dict[str, Gap]:
    """The embeddings of a pair; and head 1 of layer 2 in a text that is padded to the length of the pair."""
    from bertcore.analysis.passes import Batch, as_text
    from bertcore.model.hooks import Recorder

    model, encodings = checkpoint.model, [checkpoint.tokenizer.encode(*texts) for texts in TEXTS]
    batch, record = Batch.of([as_text(model, each.ids, each.segments) for each in encodings]), Recorder()
    batch.hidden(model, record)
    points = ("query", "key", "value", "probs", "context_heads")
    head = {name: record[f"layer.1.attention.{name}"][1, 0].numpy(force=True) for name in points}
    parts = {name: each.numpy(force=True) for name, each in model.embeddings.state_dict().items()}
    norm = {name: parts[f"norm.{name}"] for name in ("weight", "bias")}
    tables = {f"{name}_table": parts[f"{name}.weight"] for name in ("token", "segment", "position")}
    ids = {"token_ids": np.array(encodings[0].ids), "segment_ids": np.array(encodings[0].segments)}
    looks = {"query": head["query"], "key": head["key"], "allowed": batch.mask[1].numpy(force=True) > 0}
    embedded = record["embeddings.output"][:1].numpy(force=True)
    return {
        "layer_norm": Gap({"x": record["embeddings.sum"][0].numpy(force=True), **norm}, embedded),
        "embed": Gap({**ids, **tables, **norm}, embedded),
        "attention_weights": Gap(looks, head["probs"][None]),
        "attend": Gap({"weights": head["probs"], "value": head["value"]}, head["context_heads"][None]),
    }


def _masking(checkpoint: "Checkpoint") -> dict[str, Gap]:
    """What the trainer draws for a text of 20 words, padded to 32 tokens."""
    from bertcore.data.masking import choose, hide, ordinary_ids

    tokenizer, rng = checkpoint.tokenizer, np.random.default_rng(1)
    text = tokenizer.encode(*TEXTS[0]).ids
    ids = np.array(text + [tokenizer.pad_id] * (32 - len(text)))
    is_special, all_ids = np.isin(ids, tokenizer.special_ids), np.tile(ids, (DRAWS, 1))
    drawn = choose("tokens", all_ids, np.tile(~is_special, (DRAWS, 1)), 0.15, tokenizer, rng, exact=True) >= 0
    chosen = np.isin(np.arange(32), np.flatnonzero(~is_special)[::4])  # 5 of 20
    each_alone = np.where(chosen, np.arange(DRAWS * 32).reshape(DRAWS, 32), -1)
    seen, _ = hide(all_ids, each_alone, tokenizer, rng, exact=True)
    given = {"ids": ids, "chosen": chosen, "mask_id": np.array(tokenizer.mask_id), "words": ordinary_ids(tokenizer)}
    return {"choose": Gap({"is_special": is_special}, drawn), "hide": Gap(given, seen)}


EXERCISES: Mapping[str, Callable[["Checkpoint"], dict[str, Gap]]] = {"attention": _attention, "masking": _masking}
