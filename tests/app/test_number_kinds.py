"""The numbers of the rooms say what they are."""

import re

from app.look.number_kinds import MEANINGS, explained
from tests.test_rules import ROOT


def test_every_kind_of_number_is_used_and_every_use_is_known() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "app" / "rooms").rglob("*.py"))
    assert [kind for kind in MEANINGS if f'"{kind}"' not in code] == []
    assert set(re.findall(r'explain\(\s*"(\w+)"', code)) <= set(MEANINGS)


def test_a_tool_tip_has_the_meaning_and_the_formula() -> None:
    assert explained("surprise").startswith("<qt>How hard") and "−log₂ p" in explained("surprise")
    assert explained("probability").count("<br>") == 1
