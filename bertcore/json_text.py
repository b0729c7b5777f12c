"""JSON that anybody may have written: limited in size and depth, and every number a finite one. No torch.

Every JSON text that the program reads is parsed here (tests/test_rules.py).
"""

import json
import math
from typing import Any

MOST_PARTS = 1_000_000  # values and containers; each takes up to some 250 bytes of memory
MOST_LEVELS = 60  # one list or object in another
MOST_DIGITS = 100  # of a whole number: float() takes 308


def parse_json(text: str, *, nulls: bool = False, most_parts: int = MOST_PARTS) -> Any:
    """The value in a text. Raises ValueError, with a reason that fits into a sentence, for what is none or too large.

    nulls: a number that is not finite (NaN, 1e999) becomes None instead of an error.
    """
    containers = text.count("[") + text.count("{")
    if containers + text.count(",") > most_parts:
        raise ValueError(f"it has more than {most_parts:,} values")
    try:
        value = (_NULLS if nulls else _STRICT).decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if containers > MOST_LEVELS:
        _check_levels(value)
    return value


def _check_levels(value: Any) -> None:
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        holders = [one for one in level if isinstance(one, dict | list)]
        if not holders:
            return
        level = [item for one in holders for item in (one.values() if isinstance(one, dict) else one)]
    raise ValueError("it is nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"{text[:20]}... is too large a number")
    return int(text)


def _finite_or_none(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _whole_or_none(text: str) -> int | None:
    return int(text) if len(text) <= MOST_DIGITS else None


_STRICT = json.JSONDecoder(parse_float=_finite, parse_int=_whole, parse_constant=_finite)
_NULLS = json.JSONDecoder(parse_float=_finite_or_none, parse_int=_whole_or_none, parse_constant=lambda _name: None)
