"""The fine-tuned models that ship: small, whole, and as good as their cards say on sentences of our own."""

import json
import re

import pytest

from app.state.task_info import task_info
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.loaded_model import load
from bertcore.locations import TUNED, assets, shipped_checkpoint, tuned_models
from bertcore.tasks.predict import required_kind
from scripts.make_tuned import answer_of, probes

pytestmark = pytest.mark.skipif(not tuned_models(), reason="the fine-tuned models are not made yet: make tuned")


def test_all_of_them_are_there_and_under_15_mb_together() -> None:
    assert tuned_models() == list(TUNED)
    assert sum(file.stat().st_size for name in TUNED for file in shipped_checkpoint(name).iterdir()) < 15e6


@pytest.mark.parametrize("name", TUNED)
def test_its_card_tells_what_was_measured(name: str) -> None:
    card = (shipped_checkpoint(name) / "README.md").read_text(encoding="utf-8")
    about = json.loads((shipped_checkpoint(name) / "bertscope.json").read_text(encoding="utf-8"))
    metric = "accuracy" if name == TUNED[0] else "f1"
    row = re.search(rf"^\| {metric} \| ([\d.| ]+) \|$", card, re.MULTILINE)
    assert row is not None
    shipped, before, *others = map(float, row[1].split(" | "))
    assert shipped == pytest.approx(about["metrics"][metric], abs=5e-4)
    assert abs(shipped - before) < 0.03  # storing it costs little
    assert others and shipped > others[-1]  # the simple rule
    for part in ("## What it gets wrong", "## Data and licence", f"bertcore predict {name}"):
        assert part in card


@pytest.mark.parametrize("name", TUNED)
def test_the_card_counts_the_right_answers_to_our_own_sentences(name: str) -> None:
    card = (shipped_checkpoint(name) / "README.md").read_text(encoding="utf-8")
    stated = sum(int(found) for found in re.findall(r"^\| [^|]+ \| (\d+) of \d+ \|$", card, re.MULTILINE))
    checkpoint = load_checkpoint(shipped_checkpoint(name))
    asked = probes(name)
    right = sum(answer_of(checkpoint, each["a"], each.get("b")) == each["answer"] for each in asked)
    assert right == stated > 0


@pytest.mark.parametrize("name", TUNED)
def test_the_window_knows_its_task_and_its_figure(name: str) -> None:
    checkpoint = load_checkpoint(shipped_checkpoint(name))
    info = task_info(required_kind(checkpoint), checkpoint.config.labels, checkpoint.folder)
    assert info.title and info.measured is not None
    assert load(name).learned_task == json.loads((assets() / "recipes" / f"{name}.json").read_text())["data"]["task"]
