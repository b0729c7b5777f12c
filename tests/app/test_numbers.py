"""One formatter for all numbers on the screen."""

import math
import re
from pathlib import Path

import pytest

import app
from app.look import numbers


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "0.00"),
        (1e-9, "< 0.001"),
        (0.0031, "0.003"),
        (0.0994, "0.099"),
        (0.0996, "0.10"),
        (0.72, "0.72"),
        (0.994, "0.99"),
        (0.9962, "0.996"),
        (0.99996, "> 0.999"),
        (1.0, "1.00"),
    ],
)
def test_a_probability_is_never_shown_as_certain_or_impossible_when_it_is_not(p: float, text: str) -> None:
    assert numbers.probability(p) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (1e-6, "under 0.1%"),
        (0.003, "0.3%"),
        (0.00949, "0.9%"),
        (0.0099, "1%"),
        (0.0996, "10%"),
        (0.125, "13%"),
        (0.625, "63%"),
        (0.72, "72%"),
        (0.994, "99%"),
        (0.9962, "99.6%"),
        (0.99999, "over 99.9%"),
        (1.0, "100%"),
    ],
)
def test_percents_say_small_shares_in_words(share: float, text: str) -> None:
    assert numbers.percent(share) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1e-6, "under 0.1%"),
        (0.0008, "under 0.1%"),
        (0.0016, "0.16%"),
        (0.0021, "0.21%"),
        (0.019, "1.9%"),
        (0.0996, "10%"),
        (0.724, "72%"),
        (0.9962, "99.6%"),
    ],
)
def test_percents_that_are_compared_do_not_look_the_same(share: float, text: str) -> None:
    assert numbers.percent(share, fine=True) == text
    assert numbers.probability(share, fine=True) == numbers.probability(share)  # technical: fine enough as it is


def test_a_difference_is_that_of_the_numbers_on_the_screen() -> None:
    """3.89 → 5.38 had +1.48 beside it."""
    assert numbers.signed(numbers.difference(3.894, 5.3765)) == "+1.49"
    assert numbers.signed(numbers.difference(8.93412, 11.09384, 4), 4) == "+2.1597"
    assert numbers.difference(1.001, 0.9996) == 0


@pytest.mark.parametrize("value", [-0.0, -0.001, -1e-12, 0.001])
def test_what_rounds_to_nothing_has_no_sign(value: float) -> None:
    assert numbers.decimal(value) == "0.00"
    assert numbers.signed(value) == "0.00"
    assert numbers.number(-0.0) == "0"


def test_signs_are_real_minus_signs() -> None:
    assert numbers.signed(0.413) == "+0.41"
    assert numbers.signed(-0.413) == "−0.41"
    assert numbers.decimal(-12.5, 1) == "−12.5"
    assert numbers.decimal(-4156.83) == "−4,156.83"
    assert numbers.decimal(-254_200_000.0) == "−2.54e8"
    assert numbers.number(-0.04126) == "−0.0413"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.041266, "0.0413"), (999.9, "1,000"), (12_204, "12,204"), (1e6, "1,000,000"), (2.5e-5, "2.5e−5"), (0.5, "0.5")],
)
def test_significant_digits_without_plus_signs_or_zeros_in_the_exponent(value: float, text: str) -> None:
    assert numbers.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2e-5, "0.00002"), (2e-4, "0.0002"), (0.2, "0.2"), (1.44e-4, "0.000144"), (7.35e-8, "7.35e−8"), (0.9999, "1")],
)
def test_learning_rates_are_written_one_way(value: float, text: str) -> None:
    assert numbers.rate(value) == text


def test_numbers_in_a_column_keep_their_zeros() -> None:
    values = (0.25, 0.402, 3.0, 123.4, 1e-7)
    assert [numbers.number(value, keeps_zeros=True) for value in values] == ["0.250", "0.402", "3.00", "123", "1.00e−7"]


@pytest.mark.parametrize("n", [(999, "999"), (13_710, "13.7\u2009k"), (5.41e6, "5.4\u2009M"), (110e6, "110\u2009M")])
def test_compact_counts(n: tuple[float, str]) -> None:
    assert numbers.compact_count(n[0]) == n[1]


def test_durations_and_sizes() -> None:
    assert [numbers.duration(seconds) for seconds in (40, 840, 7500)] == [
        "40\u2009s",
        "14\u2009min",
        "2\u2009h 5\u2009min",
    ]
    assert [numbers.file_size(size) for size in (4e5, 12.4e6, 1.3e9)] == ["0.4\u2009MB", "12\u2009MB", "1.3\u2009GB"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1.00148, "−1.0015"), (0.0045929, "0.0046"), (0.0, "0.0000"), (2.5e-5, "2.5e−5"), (1e-12, "1e−12")],
)
def test_numbers_of_a_calculation_have_one_format(value: float, text: str) -> None:
    assert numbers.exact(value) == text


def test_what_is_not_there_is_a_dash() -> None:
    for form in (numbers.probability, numbers.percent, numbers.decimal, numbers.signed, numbers.number, numbers.exact):
        assert form(None) == numbers.MISSING
        assert form(math.nan) == numbers.MISSING
    assert numbers.duration(None) == numbers.file_size(None) == numbers.compact_count(None) == numbers.MISSING


def test_no_other_place_formats_a_number() -> None:
    """`numbers` alone decides digits and the minus sign; exported files have all digits of a float32."""
    raw = re.compile(r":[+,]?\.\d[efg%]")
    root = Path(app.__file__).parent
    exempt = {root / "look" / "numbers.py", root / "figures" / "files.py"}
    found = [
        f"{file.relative_to(root)}:{number}"
        for file in sorted(set(root.rglob("*.py")) - exempt)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if raw.search(line)
    ]
    assert found == []


def test_plain_words_write_percent_and_words_and_technical_ones_numbers() -> None:
    numbers.set_technical(False)
    assert [numbers.probability(0.29), numbers.surprise(7.5), numbers.entropy(0.0)] == [
        "29%",
        "very surprising",
        "about 1.0 tokens",
    ]
    assert numbers.log_change(math.log(2)) == "2 times as likely"
    numbers.set_technical(True)
    assert [numbers.probability(0.29), numbers.surprise(7.5), numbers.entropy(0.0)] == [
        "0.29",
        "7.50 bits",
        "0.00 nats",
    ]
    assert numbers.log_change(-0.92) == "ln p −0.92 nats"
