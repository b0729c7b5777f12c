"""The data set as the unit: the examples of a file with a model's answers, by table, matrix, search and what flips."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from app.compute.evidence import Source
from app.rooms.evidence.examples_view import OTHER_COLUMN, ExamplesView
from app.rooms.evidence.lost_view import RANDOM_EVERY, LostView
from app.state.baseline import OtherModel
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.evidence.pruning import prune
from bertcore.evidence.scoring import TaskExamples
from bertcore.locations import tuned_models
from bertcore.tasks.predict import as_example, predict
from bertcore.training.task_files import examples_of_file
from tests.app.conftest import check_scripts, make_checkpoint, shown_view
from tests.app.test_apply_room import make_model

LABELS = ("bad", "so so", "good")
TEXTS = [f"The {who} {did}." for who in ("cat", "dog", "bird", "happy dog") for did in ("ran home", "sat on the mat")]
ROWS = [(text, LABELS[number % 3]) for number, text in enumerate(TEXTS)]


@pytest.fixture
def opened(open_window, tmp_path, qtbot):
    """Opens a view on a file of examples, with a model that was taught their labels."""
    file = tmp_path / "animals.tsv"
    file.write_text("\n".join(["text\tlabel", *map("\t".join, ROWS)]), encoding="utf-8")

    def open_view(key):
        window = open_window(make_model(tmp_path / "classify", "classify"))
        qtbot.waitUntil(lambda: window.state.reading is not None)
        shown_view(window, "evidence", key, qtbot)
        window.frame.room.use(Source("examples", file))
        return window, shown_view(window, "evidence", key, qtbot)

    return open_view


def said_by(model):
    return [one.answer for one in predict(load_checkpoint(model), [as_example("classify", text) for text in TEXTS])]


def test_examples_of_a_file(opened, tmp_path, qtbot, monkeypatch):
    window, view = opened("examples")
    model, rows = tmp_path / "classify", ROWS
    assert isinstance(view, ExamplesView)

    given = said_by(model)
    shown = {row["text"]: row for row in view.table.shown}
    assert [shown[text]["given"] for text in TEXTS] == given and not any(offer.isVisible() for offer in view.models)
    right = [label for _, label in rows]
    names = sorted({*right, *given})
    assert view.found is not None and list(view.found.labels) == names
    assert view.found.confusion.tolist() == confusion_matrix(right, given, labels=names).tolist()
    assert view.found.right.value == sum(map(str.__eq__, right, given)) / len(rows)
    assert view.found.counts == Counter(right)

    cell = names.index(right[0]), names.index(given[0])
    view.charts["confusion"].clicked.emit(cell, None)
    assert {(row["right"], row["given"]) for row in view.table.shown} == {(right[0], given[0])}
    view.charts["confusion"].clicked.emit(cell, None)
    view.search.setText("BIRD")
    assert [row["text"] for row in view.table.shown] == [text for text in TEXTS if "bird" in text]
    view.search.clear()
    view.which.setCurrentIndex(2)
    view.which.activated.emit(2)
    assert [row["text"] for row in view.table.shown] == [
        text for text, r, g in zip(TEXTS, right, given, strict=True) if r != g
    ]

    guesses = make_checkpoint(tmp_path / "guesses")
    monkeypatch.setattr("app.compute.evidence_questions.built_in_checkpoint", lambda: guesses)
    view.flip.click()
    view = shown_view(window, "evidence", "examples", qtbot)
    assert view.flips.isVisible() and view.flips.text()
    view.table.row_opened.emit(view.table.shown[0])
    assert window.state.text_a == view.table.shown[0]["text"]
    check_scripts(view)


def test_a_model_without_a_task_is_told_so(window, qtbot):
    view = shown_view(window, "evidence", "examples", qtbot)
    assert view.shows_nothing and "fine-tuned" in view.nothing_text.text()
    wanted = []
    view.model_requested.disconnect()  # from the window, which would open it
    view.model_requested.connect(wanted.append)
    for offer in view.models:
        assert offer.isVisible()
        offer.click()
    assert wanted == tuned_models()


def test_two_models_side_by_side(opened, tmp_path, qtbot):
    window, view = opened("examples")
    ours, theirs = tmp_path / "classify", make_model(tmp_path / "other", "classify", seed=5)
    window.state.set_baseline(OtherModel(str(theirs)))
    view = shown_view(window, "evidence", "examples", qtbot)
    answers = list(zip([label for _, label in ROWS], said_by(ours), said_by(theirs), strict=True))
    only = [
        sum(right == one != two for right, one, two in answers),
        sum(right == two != one for right, one, two in answers),
    ]
    assert view.asked["beside"].answer.both.p == pytest.approx(binomtest(only[0], sum(only)).pvalue if sum(only) else 1)
    wrong = sum(right not in (one, two) for right, one, two in answers)
    assert f"wrong in {wrong} of {len(TEXTS)}" in view.finding.text()
    assert not view.table.isColumnHidden(OTHER_COLUMN) and view.differ.isVisible() and not view.compare.isVisible()
    view.differ.click()
    assert [row["text"] for row in view.table.shown] == [
        text for text, (_, one, two) in zip(TEXTS, answers, strict=True) if one != two
    ]
    window.state.set_baseline(OtherModel(str(make_model(tmp_path / "tags", "tag"))))
    view = shown_view(window, "evidence", "examples", qtbot)
    assert view.table.isColumnHidden(OTHER_COLUMN) and len(view.table.shown) == len(TEXTS)
    assert "was not fine-tuned for this task" in view.asked["beside"].sentence


def test_parts_are_taken_out_by_the_answers_to_a_task(opened, tmp_path):
    _, view = opened("lost")
    assert isinstance(view, LostView)
    checkpoint = load_checkpoint(tmp_path / "classify")
    examples = examples_of_file(checkpoint, str(tmp_path / "animals.tsv"), None, {})
    found = prune(TaskExamples(checkpoint, examples, "", ""), "head", random_every=RANDOM_EVERY)
    expected = [
        [one.value for one in found.right],
        found.random_right.mean(axis=0),
        [found.always_right] * len(found.steps),
    ]
    np.testing.assert_allclose(view.shown["right"].array[[0, 3, 5]], expected, atol=1e-6)
    assert view.cards["right"].isVisible() and not view.cards["loss"].isVisible()
    assert found.always in view.finding.text() and not view.measured.isHidden()
    check_scripts(view)
