"""View "Topics": documents on a map are in the clusters of the engine, with the words and the nearest ones."""

import numpy as np
import pytest

from app.compute.evidence import Source
from app.rooms.evidence.room import EvidenceRoom
from app.rooms.evidence.topics_view import COLORS, TopicsView
from bertcore.loaded_model import load
from tests.app.conftest import check_scripts, shown_view

TEXTS = [f"The {who} {did}." for who in ("cat", "dog", "bird", "happy dog") for did in ("ran home", "sat on the mat")]
LABELS = ["moves" if "ran" in text else "rests" for text in TEXTS]


@pytest.fixture
def opened(window, tmp_path, qtbot):
    """Opens the view on documents, after the second layer."""

    def open_view(*lines, labels=()):
        file = tmp_path / ("table.tsv" if labels else "lines.txt")
        rows = ["text\tlabel", *("\t".join(each) for each in zip(lines, labels, strict=True))] if labels else lines
        file.write_text("\n".join(rows), encoding="utf-8")
        window.state.set_text("The cat sat on the mat.", "")
        shown_view(window, "evidence", "topics", qtbot)
        window.state.set_stage(2)
        room = window.frame.room
        assert isinstance(room, EvidenceRoom)
        room.use(Source("documents", file))
        view = shown_view(window, "evidence", "topics", qtbot)
        assert isinstance(view, TopicsView)
        return view, file

    return open_view


def chosen(view, choice, value, window, qtbot):
    """The view, when a person has chosen something in one of its lists."""
    choice.setCurrentIndex(choice.findData(value))
    choice.activated.emit(choice.currentIndex())
    return shown_view(window, "evidence", "topics", qtbot)


def test_what_is_shown_is_what_the_engine_finds(opened, window, model_folder, qtbot):
    view, file = opened(*TEXTS, labels=LABELS)
    view = chosen(view, view.count, 3, window, qtbot)
    documents = load(model_folder).evidence(file).documents()
    found = documents.topics(3, 2)
    np.testing.assert_allclose(np.abs(view.shown["topics"].array), np.abs(found.clusters.points), atol=1e-4)
    points = view.charts["topics"].points
    assert list(points.kinds) == [COLORS[group] for group in found.clusters.groups]
    assert view.table.shown == found.topics
    np.testing.assert_allclose(view.shown["layers"].array, [documents.agreements(3)])
    assert f"{found.agreement:.2f}".replace("-", "−") in view.finding.text()
    check_scripts(view)

    view.charts["topics"].clicked.emit(5, None)
    assert [at for at, _ in view.near.shown] == [at for at, _ in documents.nearest(5, 2)]
    assert TEXTS[5] in view.near_card.intro
    view.near.row_opened.emit(view.near.shown[0])
    assert window.state.text_a == TEXTS[view.near.shown[0][0]]

    chosen(view, view.by_label, True, window, qtbot)
    points = view.charts["topics"].points
    assert list(points.kinds) == [COLORS[label == "rests"] for label in LABELS]
    assert sorted(filter(None, points.tags)) == ["moves", "rests"]


def test_without_labels_nothing_is_compared_with_them(opened, window, qtbot):
    view, _ = opened(*TEXTS)
    assert not view.by_label.isVisible() and not view.cards["layers"].isVisible()
    assert "random points" in view.finding.text() and view.charts["topics"].points.choices == len(TEXTS)
    window.state.set_stage(0)
    assert shown_view(window, "evidence", "topics", qtbot).found.topics.layer == 0


def test_more_clusters_than_documents_is_a_sentence(opened, qtbot):
    view, _ = opened("The cat sat.", "The dog ran.")
    assert "4 different vectors" in view.asked["topics"].sentence and view.found is None
