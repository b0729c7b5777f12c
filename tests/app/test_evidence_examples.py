"""The data set as the unit: the examples of a file with a model's answers, by table, matrix, search and what flips."""

from collections import Counter

from sklearn.metrics import confusion_matrix

from app.compute.evidence import Source
from app.rooms.evidence.examples_view import ExamplesView
from app.rooms.evidence.room import EvidenceRoom
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.tasks.predict import as_example, predict
from tests.app.conftest import make_checkpoint, shown_view
from tests.app.test_apply_room import make_model

LABELS = ("bad", "so so", "good")
TEXTS = [f"The {who} {did}." for who in ("cat", "dog", "bird", "happy dog") for did in ("ran home", "sat on the mat")]


def test_examples_of_a_file(open_window, tmp_path, qtbot, monkeypatch):
    model = make_model(tmp_path / "classify", "classify")
    rows = [(text, LABELS[number % 3]) for number, text in enumerate(TEXTS)]
    file = tmp_path / "animals.tsv"
    file.write_text("\n".join(["text\tlabel", *map("\t".join, rows)]), encoding="utf-8")
    window = open_window(model)
    qtbot.waitUntil(lambda: window.state.reading is not None)
    shown_view(window, "evidence", "examples", qtbot)
    room = window.frame.room
    assert isinstance(room, EvidenceRoom)
    room.use(Source("examples", file))
    view = shown_view(window, "evidence", "examples", qtbot)
    assert isinstance(view, ExamplesView)

    given = [one.answer for one in predict(load_checkpoint(model), [as_example("classify", text) for text in TEXTS])]
    shown = {row.text: row for row in view.table.shown}
    assert [shown[text].given for text in TEXTS] == given
    right = [label for _, label in rows]
    names = sorted({*right, *given})
    assert view.found is not None and list(view.found.labels) == names
    assert view.found.confusion.tolist() == confusion_matrix(right, given, labels=names).tolist()
    assert view.found.right.value == sum(map(str.__eq__, right, given)) / len(rows)
    assert view.found.always_right == max(Counter(right).values()) / len(rows)

    cell = names.index(right[0]), names.index(given[0])
    view.charts["confusion"].clicked.emit(cell, None)
    assert {(row.right, row.given) for row in view.table.shown} == {(right[0], given[0])}
    view.charts["confusion"].clicked.emit(cell, None)
    view.search.setText("BIRD")
    assert [row.text for row in view.table.shown] == [text for text in TEXTS if "bird" in text]
    view.search.clear()
    view.which.setCurrentIndex(2)
    view.which.activated.emit(2)
    assert [row.text for row in view.table.shown] == [
        text for text, r, g in zip(TEXTS, right, given, strict=True) if r != g
    ]

    guesses = make_checkpoint(tmp_path / "guesses")
    monkeypatch.setattr("app.compute.evidence_examples.built_in_checkpoint", lambda: guesses)
    view.flip.click()
    view = shown_view(window, "evidence", "examples", qtbot)
    assert view.flips.isVisible() and view.flips.text()
    view.table.row_opened.emit(view.table.shown[0])
    assert window.state.text_a == view.table.shown[0].text


def test_a_model_without_a_task_is_told_so(window, qtbot):
    view = shown_view(window, "evidence", "examples", qtbot)
    assert view.shows_nothing and "fine-tuned" in view.nothing_text.text()
