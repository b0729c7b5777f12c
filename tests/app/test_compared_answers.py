"""The room Apply with a baseline: its answer stands beside the model's, and is the engine's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.look import numbers
from app.rooms.apply.room import ApplyRoom
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.tasks.predict import as_example, predict
from tests.app.test_apply_room import ENDINGS, PASSAGE, TIMEOUT_MS, A, apply_to, make_model, settle

__all__ = ["apply_to"]  # the fixture
OTHER_A = "The dog ran home."


def compare(window: Window, room: ApplyRoom, baseline: Baseline | None, qtbot: QtBot) -> Any:
    window.state.set_baseline(baseline)
    settle(window, qtbot)
    assert room.view is not None
    view = room.view
    qtbot.waitUntil(lambda: not view.baseline_question.is_running and not view.question.is_running, timeout=TIMEOUT_MS)
    return view


@pytest.mark.parametrize(
    ("kind", "text"),
    [("classify", ""), ("multilabel", ""), ("regress", ""), ("tag", ""), ("span", PASSAGE), ("choice", ENDINGS)],
)
def test_the_answer_of_another_model(kind: str, text: str, apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    window, room, oracle = apply_to(kind, text=text)
    other = make_model(tmp_path / "other", kind, seed=5)
    theirs = predict(load_checkpoint(other), [as_example(kind, A, text or None)])[0]  # type: ignore[arg-type]
    view = compare(window, room, OtherModel(str(other)), qtbot)
    assert view.baseline.prediction == theirs and view.applied.prediction == oracle != theirs
    assert view.changed.startswith(f"Baseline ({kind}): ")
    if kind == "regress":
        assert view.changed == f"Baseline (regress): {numbers.decimal(theirs.number)}"
    if kind == "classify":
        marks = {bar.label: bar.mark for bar in view.bars.bars}
        for name, share in theirs.probabilities.items():
            assert marks[name] == f"vs {numbers.probability(share)}"
        assert {bar.label: bar.before for bar in view.bars.bars} == theirs.probabilities
        assert view.card.hint == "the line across a bar: classify"
    compare(window, room, None, qtbot)
    assert view.changed == "" and view.baseline is None
    if kind == "classify":
        assert view.card.hint == "" and all(bar.before is None and not bar.mark for bar in view.bars.bars)


def test_the_answer_to_another_text(apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    window, room, oracle = apply_to("regress")
    theirs = predict(load_checkpoint(tmp_path / "regress"), [as_example("regress", OTHER_A, None)])[0]
    view = compare(window, room, OtherText(OTHER_A, ""), qtbot)
    assert view.baseline.prediction == theirs != oracle
    assert view.changed.startswith("Baseline (“") and view.changed.endswith(numbers.decimal(theirs.number))


def test_typing_on_asks_the_other_model_too(apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    window, room, _ = apply_to("regress")
    other = make_model(tmp_path / "other", "regress", seed=5)
    compare(window, room, OtherModel(str(other)), qtbot)
    window.state.set_text(OTHER_A, "")
    settle(window, qtbot)
    theirs = predict(load_checkpoint(other), [as_example("regress", OTHER_A, None)])[0]
    assert room.view.baseline.prediction == theirs
    assert room.view.changed == f"Baseline (regress): {numbers.decimal(theirs.number)}"


def test_a_model_of_another_task_has_no_answer(apply_to: Callable, tmp_path: Path, qtbot: QtBot) -> None:
    window, room, oracle = apply_to("classify")
    other = make_model(tmp_path / "other", "tag")
    view = compare(window, room, OtherModel(str(other)), qtbot)
    assert view.changed == "tag was not fine-tuned for this task, so it has no answer to compare."
    assert view.baseline is None and view.applied.prediction == oracle


def test_a_summary_reads_neither_a_nor_b(apply_to: Callable, qtbot: QtBot) -> None:
    """Its document is the editor's, so with another text there is nothing to compare."""
    window, room, _ = apply_to("summarise", text=PASSAGE)
    assert compare(window, room, OtherText(OTHER_A, ""), qtbot).changed == ""
