"""Every output of a fine-tuned model can be asked about, in each of the five analyses; each agrees with the reading.

The oracle is the pass that the window shows: a head switched off, or a place swapped in, is a reading of its own.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.compute.head_questions import HeadTarget, changed_targets, check_of_head, effects_of_heads, targets_of
from app.compute.inference import Inference
from app.compute.open_model import OpenModel
from app.compute.patching import swap_map
from app.compute.reader import Reader
from app.compute.word_questions import attribution_of
from app.rooms.layers.swap_targets import swap_targets
from app.state.baseline import OtherText
from app.state.explore_state import ExploreState
from app.state.readings import Reading
from app.state.what_if import NOTHING_CHANGED, Swap, WhatIf
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import shipped_checkpoint
from tests.app.conftest import wait_until
from tests.app.family_models import save_family
from tests.app.test_apply_room import make_model

SENTENCES = ("The cat sat on the mat.", ""), OtherText("The dog sat on the mat.", "")


@dataclass(frozen=True)
class Case:
    """A model, this text, the other one, and the heads that must be among the targets."""

    folder: Callable[[Path], Path]
    texts: tuple[tuple[str, str], OtherText]
    heads: frozenset[tuple[str, int]]  # name and, of the ends of an answer, the index
    is_contrasted: bool = False  # one of several answers is chosen: one gains, another loses
    position: int = 2  # the token asked about, where a head has an answer for each

    @property
    def other(self) -> OtherText:
        return self.texts[1]


def random_model(kind: str) -> Callable[[Path], Path]:
    return lambda folder: make_model(folder / kind, kind)


def shipped(name: str) -> Callable[[Path], Path]:
    return lambda _: shipped_checkpoint(name)


CASES = {
    "words": Case(
        shipped("bertscope-tiny"),
        (("The man put on [MASK] hat.", ""), OtherText("The woman put on [MASK] hat.", "")),
        frozenset({("mlm", 0)}),
        is_contrasted=True,
    ),
    "sentiment": Case(
        shipped("bertscope-sentiment"),
        (("The food was good.", ""), OtherText("The food was bad.", "")),
        frozenset({("classify", 0)}),
        is_contrasted=True,
    ),
    "names": Case(
        shipped("bertscope-names"),
        (("Anna lives in Berlin.", ""), OtherText("She lives in Berlin.", "")),
        frozenset({("tag", 0)}),
        is_contrasted=True,
        position=1,
    ),
    "answers": Case(
        shipped("bertscope-answers"),
        (("Who flew?", "Anna flew on Monday."), OtherText("When flew?", "Anna flew on Monday.")),
        frozenset({("span", 0), ("span", 1)}),
        is_contrasted=True,
    ),
    "choice": Case(random_model("choice"), SENTENCES, frozenset({("choice", 0)})),
    "regress": Case(random_model("regress"), SENTENCES, frozenset({("classify", 0)})),
    "multilabel": Case(random_model("multilabel"), SENTENCES, frozenset({("classify", 0)})),
    "summarise": Case(random_model("summarise"), SENTENCES, frozenset({("summarise", 0)})),
    "similarity": Case(
        lambda folder: save_family("minilm", folder / "minilm"), SENTENCES, frozenset({("similarity", 0)})
    ),
    "replaced": Case(lambda folder: save_family("discriminator", folder / "model"), SENTENCES, frozenset({("rtd", 0)})),
}


class Desk:
    """Reads with a model as the window does."""

    def __init__(self, case: Case, folder: Path, qtbot: QtBot) -> None:
        self._qtbot, self.state, self._inference = qtbot, ExploreState(), Inference()
        self._reader = Reader(self.state, self._inference)
        opener = OpenModel(self.state, self._inference)
        self.folder = case.folder(folder)
        self.state.set_text(*case.texts[0])
        self.state.set_baseline(case.other)
        opener.open(self.folder)
        wait_until(lambda: self.state.reading is not None)

    def read(self, what_if: WhatIf) -> Reading:
        if what_if != self.state.what_if:
            with self._qtbot.waitSignal(self._reader.delivered):
                self.state.set_what_if(what_if)
        return self.state.reading

    def close(self) -> None:
        self._inference.stop()
        self._inference.join()


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = CASES[request.param]
    return found


@pytest.fixture
def desk(case: Case, tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(case, tmp_path, qtbot)
    yield made
    made.close()


def one_of_each(targets: list[HeadTarget]) -> dict[tuple[str, int], HeadTarget]:
    """The first of each head: of the ends of an answer both."""
    found: dict[tuple[str, int], HeadTarget] = {}
    for target in targets:
        key = target.target.head, target.target.index if target.target.head == "span" else 0
        found.setdefault(key, target)
    return found


def number(target: HeadTarget, reading: Reading) -> float:
    """As the analyses have it: ln p, or the score itself."""
    value = target.value(reading)
    return value if target.is_score else float(np.log(value))


def nothing(share: float) -> None:
    """Nobody waits."""


def test_all_five(case: Case, desk: Desk) -> None:
    ours = desk.read(NOTHING_CHANGED)
    theirs = ours.other_text
    targets = one_of_each(targets_of(ours, case.position, theirs))
    assert case.heads <= set(targets)
    checkpoint, text = load_checkpoint(desk.folder), ours.request.model_input
    off = desk.read(WhatIf(heads_off=frozenset({(1, 1)})))
    swapped = desk.read(WhatIf(swap=Swap("state", 1, 2, case.other)))
    assert swapped.baseline is not None and number(next(iter(targets.values())), swapped.baseline) == pytest.approx(
        number(next(iter(targets.values())), ours), abs=1e-6
    )
    for key in case.heads:
        target = targets[key]
        now = number(target, ours)
        for method in ("integrated_gradients", "gradient_x_input", "leave_one_out"):  # which words decided
            found = attribution_of(checkpoint, text, target, method)
            assert found.value == pytest.approx(now, abs=1e-4), (key, method)
            assert found.scores.shape == (len(ours.encoding),) and np.abs(found.scores).max() > 0, (key, method)
        effects = effects_of_heads(checkpoint, text, target, nothing)
        assert effects[1, 1] == pytest.approx(number(target, off) - now, abs=1e-4), key
        check = check_of_head(checkpoint, text, target, 1, 1, 2, nothing)
        assert (check.value, check.without_head) == pytest.approx((now, number(target, off) - now), abs=1e-4), key
        swap = next(one for one in swap_targets(ours, theirs, case.position) if one.target == target.target)
        places = swap_map(checkpoint, text, theirs.request.model_input, swap.target, "state", (), math.inf, nothing)
        assert (places.text, places.other) == pytest.approx((now, number(target, theirs)), abs=1e-4), key
        assert places.patched[1, 2] == pytest.approx(number(target, swapped), abs=1e-4), key


def test_the_first_to_be_swapped_for_is_what_the_texts_differ_in(case: Case, desk: Desk) -> None:
    ours = desk.read(NOTHING_CHANGED)
    first = swap_targets(ours, ours.other_text, 0)[0].target
    asked = ours.request.model_input, ours.other_text.request.model_input
    found = swap_map(load_checkpoint(desk.folder), *asked, first, "state", (), math.inf, nothing)
    assert found.other > found.text or first.against is None
    assert (first.against is not None) == case.is_contrasted


def test_a_change_inside_is_seen_in_it(case: Case, desk: Desk) -> None:
    """What a head that is switched off does, in the panel of Attend."""
    from app.rooms.attend.sentences import changed_predictions

    off = desk.read(WhatIf(heads_off=frozenset({(1, 1)})))
    assert off.unchanged is not None and changed_predictions(off)
    heads = one_of_each(changed_targets(off.unchanged, off))
    assert case.heads - {("mlm", 0)} <= set(heads)
    for target in heads.values():
        assert target.value(off) != target.value(off.unchanged), target.label


@pytest.mark.parametrize("case", [CASES["sentiment"]], ids=["sentiment"])
def test_apply_answers_from_the_swapped_pass(case: Case, desk: Desk) -> None:
    """And from the original text beside it."""
    from app.compute.applying import apply_model, request_for

    swapped = desk.read(WhatIf(swap=Swap("state", 3, 4, case.other)))
    request = request_for(swapped, {})
    assert request is not None and swapped.unchanged is not None
    applied = apply_model(load_checkpoint(desk.folder), request, nothing)
    for prediction, reading in ((applied.prediction, swapped), (applied.unchanged, swapped.unchanged)):
        for target in targets_of(reading, 1):
            assert prediction.probabilities[target.label] == pytest.approx(target.value(reading), abs=1e-4)
    assert applied.prediction != applied.unchanged
