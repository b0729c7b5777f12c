"""What a finished run has found, in words: what it was measured on, its examples, a student beside its teacher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..look import numbers
from ..look.say import mark, say
from .run_info import HeldOutExample, RunResult

_COMPARED = {  # of teacher and student, as comparison.json names it
    "layers": mark("layers"),
    "parameters": mark("parameters"),
    "forward_ms": mark("ms per batch"),
    "mlm_loss": mark("masked-word loss"),
    "mlm_accuracy": mark("words correct"),
    "mlm_top5": mark("correct in five guesses"),
    "nsp_accuracy": mark("next sentence correct (guessing: 50%)"),
}
_SHARES = ("mlm_accuracy", "mlm_top5", "nsp_accuracy")
MOST_TEXT, MOST_PASSAGE = 160, 120  # characters


def measured_on(result: RunResult) -> str:
    words = say("Measured on %n held-out example(s), which it never learned from.", n=result.examples)
    if result.examples_cut:
        words += " " + say("Cut, because longer than the model can read: %n example(s).", n=result.examples_cut)
    return words


def compared_rows(sides: dict[str, dict[str, Any]]) -> list[list[str]]:
    """A table of teacher and student, its heads first; no rows where there is nothing to compare."""
    titles = {"teacher": say("teacher"), "student": say("student")}
    rows = [[say("Held-out text"), *(titles.get(side, side) for side in sides)]] if sides else []
    for name, title in _COMPARED.items() if sides else ():
        rows.append([say(title)])
        for value in (side.get(name) for side in sides.values()):
            if not isinstance(value, int | float):
                rows[-1].append(numbers.MISSING)
            elif name in _SHARES:
                rows[-1].append(numbers.percent(value))
            else:
                rows[-1].append(numbers.count(value) if isinstance(value, int) else numbers.decimal(value))
    return rows


def was_right(example: HeldOutExample) -> bool:
    """Whether the given answer is the right one, or for a passage one of the accepted ones."""
    right, given = example.right, example.given
    if "passage" in example.texts and not isinstance(right, str):
        return given in right if right else not given
    return bool(right == given)


def example_lines(example: HeldOutExample) -> list[str]:
    """The texts of an example, a line each, cut short."""
    texts = example.texts
    if "passage" in texts:
        return [_cut(str(texts.get("question", ""))), _cut(str(texts["passage"]), MOST_PASSAGE)]
    for name in ("words", "sentences"):
        if name in texts:
            return [_cut(" ".join(map(str, texts[name])))]
    return [_cut(str(texts[name])) for name in ("text_a", "text_b", "context") if texts.get(name)]


def answer_text(example: HeldOutExample, answer: Any) -> str:
    """A right or given answer as a person should read it."""
    texts = example.texts
    if "endings" in texts and isinstance(answer, int) and 0 <= answer < len(texts["endings"]):
        return _cut(str(texts["endings"][answer]))
    if "words" in texts and isinstance(answer, Sequence) and not isinstance(answer, str):
        named = [f"{word} {tag}" for word, tag in zip(texts["words"], answer, strict=False) if tag != "O"]
        return _cut(", ".join(named) or say("no names"))
    if "passage" in texts:
        answers = [answer] if isinstance(answer, str) else list(answer or ())
        return _cut(" / ".join(dict.fromkeys(map(str, filter(None, answers)))) or say("no answer"))
    if isinstance(answer, list | tuple):
        return ", ".join(map(str, answer)) or say("none")
    return numbers.decimal(answer) if isinstance(answer, float) else _cut(str(answer))


def _cut(text: str, most: int = MOST_TEXT) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"
