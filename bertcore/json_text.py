"""JSON that anybody may have written: limited in size and depth, and every number a finite one. No torch.

Every JSON text that the program reads is parsed here (tests/test_rules.py).
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import partial
from itertools import accumulate
from types import UnionType
from typing import Any, Self, cast, get_args, get_origin, get_type_hints

from bertcore.errors import BertcoreError, brief

MOST_PARTS = 1_000_000  # values and containers; each takes up to some 250 bytes of memory
MOST_LEVELS = 60  # one list or object in another
MOST_DIGITS = 100  # of a whole number: float() takes 308
_STRING = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)', re.DOTALL)  # to the end where it is not closed: linear in any text


def parse_json(text: str, *, nulls: bool = False, most_parts: int = MOST_PARTS) -> Any:
    """The value in a text. Raises ValueError, with a reason that fits into a sentence, for what is none or too large.

    nulls: a number that is not finite (NaN, 1e999) becomes None instead of an error.
    """
    containers = text.count("[") + text.count("{")
    if containers + text.count(",") > most_parts:
        raise ValueError(f"it has more than {most_parts:,} values")
    if containers > MOST_LEVELS and _levels(text) > MOST_LEVELS:
        raise ValueError("it is nested too deeply")
    return (_NULLS if nulls else _STRICT).decode(text)


def parse_object(line: str, place: str) -> dict[str, Any]:
    """The object on a line of a file, which messages name by its `place`. Raises BertcoreError for another value."""
    value, expected, near = None, "one JSON object on each line", line
    try:
        value = parse_json(line)
    except json.JSONDecodeError as error:
        expected = f"one whole JSON object (it breaks at column {error.colno})"
        near = line[max(0, error.pos - 20) : error.pos + 20]
    except ValueError as error:
        expected = f"one whole JSON object ({error})"
    if not isinstance(value, dict):
        raise BertcoreError(f"{place}: expected {expected}, found {brief(near)}.")
    return value


def _levels(text: str) -> int:
    """How deep the text nests, counted before it is parsed: the parser would go as deep as the stack allows, and what
    Python collects down there fails."""
    brackets = re.findall(r"[\[\]{}]", _STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def _finite(text: str, nulls: bool = False) -> float | None:
    number = float(text)
    if not math.isfinite(number) and not nulls:
        raise ValueError(f"{text[:20]} is not a finite number")
    return number if math.isfinite(number) else None


def _whole(text: str, nulls: bool = False) -> int | None:
    if len(text) > MOST_DIGITS and not nulls:
        raise ValueError(f"{text[:20]}... is too large a number")
    return int(text) if len(text) <= MOST_DIGITS else None


_STRICT, _NULLS = (
    json.JSONDecoder(
        parse_float=partial(_finite, nulls=nulls),
        parse_int=partial(_whole, nulls=nulls),
        parse_constant=partial(_finite, nulls=nulls),
    )
    for nulls in (False, True)
)


class Plain:
    """A dataclass of plain values, tuples and dataclasses like it, that goes to another process as JSON."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(cast(Any, self))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Of `to_dict`, also after it has been JSON. Raises KeyError or TypeError for something else."""
        return cast(Self, _restored(cls, values))


def _restored(of: Any, value: Any) -> Any:
    """JSON's lists and objects as the tuples and dataclasses of a type."""
    if get_origin(of) is UnionType:  # with None
        return None if value is None else _restored(get_args(of)[0], value)
    if is_dataclass(of):
        types = get_type_hints(of)
        return cast(Any, of)(**{name: _restored(types[name], each) for name, each in value.items()})
    if get_origin(of) is tuple:
        return tuple(_restored(get_args(of)[0], each) for each in value)
    return value
