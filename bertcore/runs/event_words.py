"""What a run writes of its measurements, in words: the same sentence in the terminal and in the log."""

from collections.abc import Mapping
from typing import Any

from bertcore.runs.metrics_file import EVALUATION

_SHARES = ("accuracy", "top5")  # names that end so are shares of 1
_MOST_NUMBERS = 6
_PAIRS = {"nsp": "next sentence", "sop": "sentence order"}


def held_out_in_words(event: Mapping[str, Any]) -> str:
    """ "held out: loss 8.680 (masked words 7.989, next sentence 0.691), masked words right 3.1% ..."."""
    held_out = "all held out" if event.get("kind") == EVALUATION else "held out"
    if "mlm_loss" not in event:
        numbers = [(name, value) for name, value in event.items() if isinstance(value, float)][:_MOST_NUMBERS]
        examples = f" ({event['examples']:,} examples)" if "examples" in event else ""
        return f"{held_out}{examples}: " + ", ".join(
            f"{name.replace('_', ' ')} {_number(name, n)}" for name, n in numbers
        )
    pairs = {head: title for head, title in _PAIRS.items() if event.get(f"{head}_loss") is not None}
    parts = f"masked words {event['mlm_loss']:.3f}"
    parts += "".join(f", {title} {event[f'{head}_loss']:.3f}" for head, title in pairs.items())
    right = f"masked words right {event['mlm_accuracy']:.1%}, in the top five {event['mlm_top5']:.1%}"
    right += "".join(f", {title} right {event[f'{head}_accuracy']:.1%}" for head, title in pairs.items())
    return f"{held_out}: loss {event['loss']:.3f} ({parts}), {right}"


def _number(name: str, value: float) -> str:
    return f"{value:.1%}" if name.endswith(_SHARES) else f"{value:.3f}"
