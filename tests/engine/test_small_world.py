"""The small world of the class demo with words changed: its text, its questions, and the one file it is shared as."""

import json
import os
import re

import pytest

from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.data.small_world import World, usual_questions
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from tests.test_assets import script

CHANGES = {"mother": "uncle", "cat": "owl", "dog": "cat", "red": "orange", "soup": "soup"}


@pytest.fixture
def world():
    made = World()
    for usual, word in CHANGES.items():
        made = made.with_word(usual, word)
    return made


def test_its_text_and_questions_are_what_the_generator_makes_of_the_changed_facts(world, tmp_path):
    maker = script("make_small_world")
    for place, value in maker.FACTS.items():
        maker.FACTS[place] = CHANGES.get(value, value)
    text, questions = world.write(tmp_path / "worlds" / "one")
    assert text.read_text("utf-8") == "\n\n".join(maker.stories()) + "\n"
    made = [ClozeSentence(each["text"], tuple(each["answers"]), each["category"]) for each in maker.questions()]
    assert read_cloze(questions) == made == list(world.questions())
    assert "Anna has an owl." in text.read_text("utf-8") and made[0].text == "Anna has an [MASK]."


def test_each_word_belongs_to_one_fact_and_stands_nowhere_else():
    maker = script("make_small_world")
    words = [question.answers[0] for question in usual_questions()]
    templates = " ".join(template for each in maker.TEMPLATES.values() for template in each)
    assert len(set(words)) == 64 and not set(words) & set(re.findall(r"\w+", templates.lower()))


def test_unchanged_it_is_the_world_that_ships(tmp_path):
    text, questions = World().write(tmp_path)
    assert text.read_bytes() == (assets() / "corpus" / text.name).read_bytes()
    assert read_cloze(questions) == list(usual_questions())
    assert World().with_word("mother", "uncle").with_word("mother", "mother") == World()


def test_questions_say_which_world_they_are_of(world):
    assert World.of(world.questions()) == world and World.of(usual_questions()) == World()
    assert World.of(world.questions()[:-1]) is None and World.of(()) is None
    assert World.of(read_cloze(assets() / "evaluation" / "cloze.jsonl")) is None


def test_it_is_shared_as_one_file(world, tmp_path):
    file = tmp_path / "world.json"
    world.save(file)
    assert World.load(file) == world and json.loads(file.read_text()) == {"small_world": world.changes}
    assert str(world) == "mother → uncle, cat → owl, dog → cat, red → orange"
    with pytest.raises(BertcoreError, match="Cannot write"):
        world.save(file / "world.json")


BROKEN = {
    "empty": "",
    "no JSON": "mother = uncle",
    "another JSON": '{"format_version": 5, "kind": "pretrain"}',
    "a list": "[1, 2]",
    "no changes": '{"small_world": ["mother", "uncle"]}',
    "an unknown word": '{"small_world": {"grandmother": "uncle"}}',
    "two words": '{"small_world": {"mother": "my uncle"}}',
    "no word": '{"small_world": {"mother": null, "cat": "owl"}}',
    "a mask": '{"small_world": {"mother": "[MASK]"}}',
    "a pattern": '{"small_world": {".*": "uncle"}}',
    "a page": '{"small_world": {"mother": "<img src=x>"}}',
    "nested": '{"small_world": ' + "[" * 10_000,
    "huge": '{"small_world": {"mother": "' + "u" * 200_000 + '"}}',
}


@pytest.mark.parametrize("name", BROKEN)
def test_any_other_file_is_one_sentence(name, tmp_path):
    file = tmp_path / "world.json"
    file.write_text(BROKEN[name])
    with pytest.raises(BertcoreError) as caught:
        World.load(file)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_what_is_no_file_is_one_sentence(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "gone.json", tmp_path / "pipe"):
        with pytest.raises(BertcoreError):
            World.load(place)
