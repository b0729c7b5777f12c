"""Where else a word stands, what fires a unit, and what would be lost: what is shown is what the engine finds."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from app.compute.evidence import Source, Work, read_collection
from app.compute.evidence_questions import SEED, FoundUses, save_pruned
from app.rooms.evidence.fires_view import FiresView
from app.rooms.evidence.lost_view import LostView
from app.rooms.evidence.room import EvidenceRoom
from app.rooms.evidence.sentences import uses_finding
from app.rooms.evidence.uses_view import UsesView
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.calibration import binned, calibration_of
from bertcore.evidence.fires import fires
from bertcore.evidence.nearest import open_index
from bertcore.evidence.pruning import prune
from bertcore.evidence.scoring import MaskedWords
from bertcore.progress import no_progress
from tests.app.conftest import shown_view

NO_KEY = Qt.KeyboardModifier.NoModifier
PLACES, WHO = ("mat", "sofa", "rug"), ("cat", "dog", "bird")
LINES = [f"The {who} sat on the {place} and the {other} ran home." for who in WHO for other in WHO for place in PLACES]


@pytest.fixture
def gathered(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(LINES), encoding="utf-8")
    return read_collection(Source("sentences", file), no_progress)


def opened(window, key, tmp_path, qtbot):
    """The view with all its answers about these lines, the word "cat" selected after the second layer."""
    window.state.set_text("The cat sat on the mat.", "")
    shown_view(window, "evidence", key, qtbot)
    window.state.set_focus(2)
    window.state.set_stage(2)
    room = window.frame.room
    assert isinstance(room, EvidenceRoom)
    room.use(Source("sentences", tmp_path / "lines.txt"))
    return shown_view(window, "evidence", key, qtbot)


def test_uses_are_those_of_the_index_and_open_in_all_rooms(window, gathered, model_folder, tmp_path, qtbot):
    view, state = opened(window, "uses", tmp_path, qtbot), window.state
    assert isinstance(view, UsesView)
    checkpoint = load_checkpoint(model_folder)
    index = open_index(checkpoint, gathered.collection)
    asked = index.ask(checkpoint.tokenizer.encode("The cat sat on the mat."), [2])
    assert view.nearest.shown == list(index.nearest(asked, 2))
    assert view.apart.shown[0] == index.same_word(asked, 2)[-1]
    words = Counter(use.word.lower() for use in index.nearest(asked, 2)).most_common(8)
    assert [(bar.label, bar.number) for bar in view.charts["times"].bars] == [(w, f"{n}") for w, n in words]
    np.testing.assert_array_equal(view.shown["same_word"].array[0], list(index.same_by_layer(asked).values()))
    assert f"{asked.word}" in view.finding.text()

    view.charts["same_word"].clicked.emit(1.0)
    assert state.selection.stage == 1
    use = shown_view(window, "evidence", "uses", qtbot).nearest.shown[1]
    view.nearest.row_opened.emit(use)
    assert state.text_a == use.before + use.word + use.after
    assert state.encoding is not None and state.encoding.offsets[state.selection.position][0] == len(use.before)

    view = opened(window, "uses", tmp_path, qtbot)
    view.length.setCurrentIndex(1)
    view.length.activated.emit(1)
    view = shown_view(window, "evidence", "uses", qtbot)
    assert {use.word for use in view.nearest.shown} >= {"cat sat"}

    state.set_focus(0)
    view = shown_view(window, "evidence", "uses", qtbot)
    assert not view.nearest.shown and "special tokens" in view.asked["uses"].sentence


@pytest.mark.parametrize(
    ("same", "near", "says"),
    [
        (3, 3, "after layer 1, all 3 uses of “cat” here are among the 5 nearest; so are dog."),
        (3, 1, "after layer 1, 1 of the 3 uses of “cat” here are among the 5 nearest; so are dog."),
        (3, 0, "after layer 1, none of the 3 uses of “cat” here is among the 5 nearest, but dog."),
        (0, 0, "“cat” does not stand in this collection. after layer 1, these are nearest: dog."),
    ],
)
def test_how_many_uses_are_near_is_said(same, near, says):
    nearest = [SimpleNamespace(word="cat")] * near + [SimpleNamespace(word="dog")] * (5 - near)
    found = FoundUses("cat", nearest, nearest[:1] * same, {1: near}, np.zeros(1), None, 9)
    assert uses_finding(found, 1).casefold() == says.casefold()


def test_what_fires_a_neuron_and_a_head(window, gathered, model_folder, tmp_path, qtbot):
    view = opened(window, "fires", tmp_path, qtbot)
    assert isinstance(view, FiresView)
    layer, found = window.state.layer, {}
    for kind in ("neuron", "head"):
        found[kind] = fires(load_checkpoint(model_folder), gathered.collection, layer, kind)
    order = found["neuron"].order()
    for unit in order[:2]:  # the clearest, then another clear one
        assert view.number.value() == unit + 1
        assert list(view.table.shown) == list(found["neuron"].contexts(unit))
        matters = found["neuron"].matters(unit)
        without = [np.exp(-one.value) - 1 for one in (matters.strongest, matters.random)]  # how p changes
        np.testing.assert_allclose(view.shown["gain"].array, without, atol=1e-6)
        view._on_clear_clicked()
        view = shown_view(window, "evidence", "fires", qtbot)
    view.which.setCurrentIndex(1)
    view.which.activated.emit(1)
    assert [use.row for use in view.table.shown] == found["neuron"].sample[:, 0].tolist()
    view.kind.setCurrentIndex(1)
    view.kind.activated.emit(1)
    window.state.set_head(layer, 3)
    view = shown_view(window, "evidence", "fires", qtbot)
    view.which.setCurrentIndex(0)
    view.which.activated.emit(0)
    assert list(view.table.shown) == list(found["head"].contexts(3))
    assert "4" in view.finding.text() and view.number.isHidden()


def test_what_would_be_lost_and_a_checkpoint_without_it(
    window,
    gathered,
    model_folder,
    tmp_path,
    qtbot,
    monkeypatch,
):
    view = opened(window, "lost", tmp_path, qtbot)
    assert isinstance(view, LostView)
    checkpoint = load_checkpoint(model_folder)
    scored = MaskedWords(checkpoint, gathered.collection, SEED)
    found = prune(scored, "head", seed=SEED)
    np.testing.assert_allclose(view.shown["loss"].array[0], [one.value for one in found.loss], atol=1e-5)
    np.testing.assert_allclose(view.shown["importance"].array, found.importance, atol=1e-5)
    bins = calibration_of(binned(scored.answers())).bins
    assert [bar.note for bar in view.charts["calibration"].bars] == [str(one.right.count) for one in bins]

    view.charts["loss"].clicked.emit(3.0)
    assert view.out == found.steps[3] and view.save.isVisible()
    folder = tmp_path / "smaller"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    view.save.click()
    qtbot.waitUntil(lambda: view.asked["saved"].answer is not None)
    rows = MaskedWords(load_checkpoint(folder), gathered.collection, SEED).answers(rows=np.arange(len(LINES)))
    assert len(rows.loss) and not np.allclose(rows.loss, scored.answers().loss)
    with pytest.raises(BertcoreError, match="smaller is not empty"):
        save_pruned(Work(checkpoint, gathered, view.kept, no_progress), ("head",), 1, folder, 1)
