"""Circuits from Python and from the shell, of a model that ships."""

import json

import pytest

import bertcore


def test_from_python_and_the_shell(shell):
    m = bertcore.load("bertscope-tiny")
    texts = {"a": "The woman put on [MASK] hat.", "other_a": "The man put on [MASK] hat."}
    asked = {"wanted": "her", "against": "his"}
    found = m.circuit(**texts, **asked, parts=4, links=5)
    assert found.target == "her against his" and len(found.chosen) == 4 and len(found.links) == 5
    assert found.best(4) == found.chosen
    assert found.outcomes["only"].kept == pytest.approx(found.curve[3], abs=1e-4)
    assert len(found.outcomes["text"].probabilities) == 2 and len(found.rows()) == len(found.parts)
    again = m.circuit(**texts, **asked, parts=found.chosen, links=0)
    assert again.outcomes["only"].kept == pytest.approx(found.outcomes["only"].kept, abs=1e-5)
    link = found.links[0]
    patched = m.path_patch(**texts, **asked, sender=link.sender, receiver=link.receiver)
    assert patched == pytest.approx(link.lost, abs=1e-4)
    words = ("circuit", "bertscope-tiny", "--a", texts["a"], "--other-a", texts["other_a"], "--wanted", "her")
    answer = json.loads(shell(*words, "--against", "his", "--parts", "4", "--links", "5", "--json").out)
    assert answer["outcomes"]["only"]["kept"] == pytest.approx(found.outcomes["only"].kept, abs=1e-4)
