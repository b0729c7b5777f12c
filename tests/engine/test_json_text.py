"""JSON that wants to exhaust memory, stack or patience."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.json_text import MOST_LEVELS, parse_json
from tests.limited import needs_limits, run_limited


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is not a finite number"),
        ('{"step": -Infinity}', "-Infinity is not a finite number"),
        ("[1e999]", "1e999 is not a finite number"),
        ("9" * 400, "is too large a number"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" * 900 + "]" * 900, "it is nested too deeply"),
        ('{"a":' * (MOST_LEVELS + 1) + "1" + "}" * (MOST_LEVELS + 1), "it is nested too deeply"),
        ("[" + "[]," * 600_000 + "1]", "it has more than 1,000,000 values"),
        ("{", "Expecting"),
    ],
)
def test_what_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_json(text)


def test_what_is_not() -> None:
    assert parse_json("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    assert parse_json('{"a": [1, 2.5, 1e300, -0.0, "[[[", null, true]}') == {"a": [1, 2.5, 1e300, 0, "[[[", None, True]}
    assert len(parse_json("[" + "[1]," * 1000 + "[]]")) == 1001  # wide, not deep


def test_numbers_that_are_none_can_be_null() -> None:
    text = f'{{"loss": NaN, "norm": 1e999, "step": {"9" * 400}, "rate": 0.5}}'
    assert parse_json(text, nulls=True) == {"loss": None, "norm": None, "step": None, "rate": 0.5}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_json_writes_is_read_as_it_was(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@given(st.text(alphabet='[]{}",:0123456789.eE+-NaInfty', max_size=60))
def test_any_text_is_a_value_or_a_value_error(text: str) -> None:
    try:
        value = parse_json(text)
    except ValueError:
        return
    json.dumps(value, allow_nan=False)


@needs_limits
@pytest.mark.parametrize("text", ["'[' + '[],' * 11_000_000 + '1]'", "'[' + '{\"a\":1},' * 490_000 + '1]'"])
def test_a_text_of_megabytes_takes_no_gigabytes(text: str) -> None:
    run_limited(
        f"""
from bertcore.json_text import parse_json
text = {text}
limit(200)
try:
    parse_json(text)
except ValueError as error:
    print(error)
"""
    )
