"""One formatter for all numbers on the screen, and what the tool tips say of each kind of number."""

import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import app
from app.look import numbers
from app.look.number_kinds import MEANINGS, explained
from bertcore.files import read_json
from bertcore.locations import assets
from tests.test_rules import ROOT

FINE = partial(numbers.percent, fine=True)  # of two that are compared: they do not look the same
COLUMN = partial(numbers.number, keeps_zeros=True)
ROOMS = ROOT / "app" / "rooms"
WRITTEN: list[tuple[Callable[[Any], str], dict[float, str]]] = [
    # What is not certain or impossible is never shown as that.
    (numbers.probability, {0.0: "0.00", 1e-9: "< 0.001", 0.0031: "0.003", 0.0994: "0.099", 0.0996: "0.10"}),
    (numbers.probability, {0.72: "0.72", 0.994: "0.99", 0.9962: "0.996", 0.99996: "> 0.999", 1.0: "1.00"}),
    (numbers.percent, {0.0: "0%", 1e-6: "under 0.1%", 0.003: "0.3%", 0.00949: "0.9%", 0.0099: "1%", 0.0996: "10%"}),
    (numbers.percent, {0.125: "13%", 0.625: "63%", 0.72: "72%", 0.994: "99%", 0.9962: "99.6%", 0.99999: "over 99.9%"}),
    (FINE, {1e-6: "under 0.1%", 0.0008: "under 0.1%", 0.0016: "0.16%", 0.0021: "0.21%", 0.019: "1.9%"}),
    (FINE, {0.0996: "10%", 0.724: "72%", 0.9962: "99.6%", 1.0: "100%"}),
    # What rounds to nothing has no sign; signs are real minus signs.
    (numbers.decimal, {-0.0: "0.00", -0.001: "0.00", -1e-12: "0.00", 0.001: "0.00"}),
    (numbers.decimal, {-4156.83: "−4,156.83", -254_200_000.0: "−2.54e8"}),
    (partial(numbers.decimal, digits=1), {-12.5: "−12.5"}),
    (numbers.signed, {-0.001: "0.00", 0.001: "0.00", 0.413: "+0.41", -0.413: "−0.41"}),
    (numbers.number, {-0.0: "0", -0.04126: "−0.0413", 0.041266: "0.0413", 999.9: "1,000", 12_204: "12,204"}),
    (numbers.number, {1e6: "1,000,000", 2.5e-5: "2.5e−5", 0.5: "0.5"}),
    (COLUMN, {0.25: "0.250", 0.402: "0.402", 3.0: "3.00", 123.4: "123", 1e-7: "1.00e−7"}),
    (numbers.rate, {2e-5: "0.00002", 2e-4: "0.0002", 0.2: "0.2", 1.44e-4: "0.000144", 7.35e-8: "7.35e−8", 0.9999: "1"}),
    (numbers.exact, {-1.00148: "−1.0015", 0.0045929: "0.0046", 0.0: "0.0000", 2.5e-5: "2.5e−5", 1e-12: "1e−12"}),
    (numbers.compact_count, {999: "999", 13_710: "13.7\u2009k", 5.41e6: "5.4\u2009M", 110e6: "110\u2009M"}),
    (numbers.duration, {40: "40\u2009s", 840: "14\u2009min", 7500: "2\u2009h 5\u2009min"}),
    (numbers.file_size, {4e5: "0.4\u2009MB", 12.4e6: "12\u2009MB", 1.3e9: "1.3\u2009GB"}),
]
PLAIN = {"probability": "29%", "surprise": "very surprising", "entropy": "about 1.0 tokens"}
TECHNICAL = {"probability": "0.29", "surprise": "7.50 bits", "entropy": "0.00 nats"}


@pytest.mark.parametrize(("form", "texts"), WRITTEN)
def test_numbers_are_written(form, texts):
    assert {value: form(value) for value in texts} == texts


def test_technical_probabilities_are_fine_enough_as_they_are():
    assert all(numbers.probability(p, fine=True) == numbers.probability(p) for p in (0.0016, 0.019, 0.724))


def test_a_difference_is_that_of_the_numbers_on_the_screen():
    """3.89 → 5.38 had +1.48 beside it."""
    assert numbers.signed(numbers.difference(3.894, 5.3765)) == "+1.49"
    assert numbers.signed(numbers.difference(8.93412, 11.09384, 4), 4) == "+2.1597"
    assert numbers.difference(1.001, 0.9996) == 0


def test_what_is_not_there_is_a_dash():
    for form in (numbers.probability, numbers.percent, numbers.decimal, numbers.signed, numbers.number, numbers.exact):
        assert form(None) == form(math.nan) == numbers.MISSING
    assert numbers.duration(None) == numbers.file_size(None) == numbers.compact_count(None) == numbers.MISSING


def test_no_other_place_formats_a_number():
    """`numbers` alone decides digits and the minus sign; exported files have all digits of a float32."""
    raw, root = re.compile(r":[+,]?\.\d[efg%]"), Path(app.__file__).parent
    files = set(root.rglob("*.py")) - {root / "look" / "numbers.py", root / "figures" / "files.py"}
    assert [file for file in files if raw.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("is_technical", [False, True])
def test_plain_words_write_percent_and_words_and_technical_ones_numbers(is_technical):
    numbers.set_technical(is_technical)
    given = {"probability": 0.29, "surprise": 7.5, "entropy": 0.0}
    texts = {name: getattr(numbers, name)(value) for name, value in given.items()}
    assert texts == (TECHNICAL if is_technical else PLAIN)
    assert numbers.log_change(math.log(2)) == ("ln p +0.69 nats" if is_technical else "2 times as likely")
    numbers.set_technical(True)


def test_every_kind_of_number_is_used_and_every_use_is_known():
    code = "\n".join(file.read_text(encoding="utf-8") for file in ROOMS.rglob("*.py"))
    assert [kind for kind in MEANINGS if f'"{kind}"' not in code] == []
    assert set(re.findall(r'explain\(\s*"(\w+)"', code)) <= set(MEANINGS)


def test_every_table_of_names_is_read_and_every_colour_has_a_value_in_each_theme():
    code = "\n".join(file.read_text(encoding="utf-8") for file in ROOMS.parent.rglob("*.py"))
    assert [table for table in read_json(assets() / "names.json") if f'names("{table}")' not in code] == []
    roles = read_json(assets() / "themes.json")
    assert [role for role, values in roles.items() if not {"light", "dark", "contrast"} <= set(values)] == []


def test_a_tool_tip_has_the_meaning_and_the_formula():
    assert explained("surprise").startswith("<qt>How hard") and "−log₂ p" in explained("surprise")
    assert explained("probability").count("<br>") == 1
