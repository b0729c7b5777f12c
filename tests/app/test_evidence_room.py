"""Room Evidence: collections are chosen, what is shown is what the engine finds, and rows open in all rooms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.compute import evidence
from app.compute.evidence import Kept, Source, answer, read_collection, shipped_source
from app.compute.evidence_questions import grammar_of
from app.figures.figure import model_hash
from app.rooms.evidence.arcs import Arc, levels_of
from app.rooms.evidence.room import EvidenceRoom
from app.rooms.evidence.sentences import MEASURES
from app.state.baseline import OtherText
from app.state.selection import Contrast
from app.widgets.charts.bars import Bar, BarList
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.evidence import grammar as engine
from bertcore.evidence.grammar import grammar_of_heads
from bertcore.evidence.heads import heads_over_pairs
from bertcore.evidence.shards import Shard
from bertcore.progress import no_progress
from tests.app.conftest import check_scripts, settle, shown_view

TEMPLATE = "The [mat|sofa|rug] and the [cat/dog|bird/dog] [sat/ran]."
NO_KEY = Qt.KeyboardModifier.NoModifier
WORDS = (("The", 2, "det"), ("cat", 3, "nsubj"), ("sat", 0, "root"), ("on", 6, "case"), ("the", 6, "det"))
TREE = "".join(
    f"{number}\t{word}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n"
    for number, (word, head, relation) in enumerate((*WORDS, ("mat", 3, "obl")), start=1)
)
Asks = Callable[..., Any]


@pytest.fixture
def gathered(tmp_path):
    """A collection of each kind that the tiny model can read."""
    (tmp_path / "cats.txt").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "cats.conllu").write_text("\n".join([TREE] * 70), encoding="utf-8")
    sources = Source("pairs", tmp_path / "cats.txt"), Source("trees", tmp_path / "cats.conllu")
    return {one.kind: read_collection(one, no_progress) for one in sources}


@pytest.fixture
def opened(window, gathered, tmp_path, qtbot):
    """Opens a view on these collections, with all answers."""

    def open_view(key):
        view = shown_view(window, "evidence", key, qtbot)
        suffix = "txt" if view.needs == "pairs" else "conllu"
        room(window).use(Source(view.needs, tmp_path / f"cats.{suffix}"))
        return shown_view(window, "evidence", key, qtbot)

    return open_view


def room(window):
    made = window.open_room("evidence")
    assert isinstance(made, EvidenceRoom)
    return made


@pytest.mark.parametrize("key", [spec.key for spec in EvidenceRoom.specs if spec.key != "examples"])
def test_a_script_makes_the_numbers_of_a_figure_again(key, opened, window, qtbot):
    window.state.set_text("The cat sat on the mat.", "")
    window.state.set_focus(2)
    opened(key)
    check_scripts(shown_view(window, "evidence", key, qtbot))


@pytest.mark.parametrize("measure", MEASURES)
def test_heads_are_those_of_the_engine(measure, opened, gathered, window, model_folder, qtbot):
    view = opened("heads")
    view.measure.setCurrentIndex(list(MEASURES).index(measure))
    view.measure.activated.emit(view.measure.currentIndex())
    shown_view(window, "evidence", "heads", qtbot)
    found = heads_over_pairs(load_checkpoint(model_folder), gathered["pairs"].collection, measure)
    np.testing.assert_allclose(view.charts["grid"].values, found.means.value, rtol=1e-4, atol=1e-6)
    order = [f"{layer + 1}·{head + 1}" for layer, head in found.order()]
    assert [bar.label for bar in view.charts["largest"].bars] == order[:10]
    assert (order[0] in view.finding.text()) == bool(found.means.is_clear[found.order()[0]])
    if measure != "attention":
        assert (view.charts["grid"]._hatched == ~found.means.is_clear).all()
        looks = heads_over_pairs(load_checkpoint(model_folder), gathered["pairs"].collection, "attention")
        expected = np.stack([looks.means.value.ravel(), found.means.value.ravel()], axis=1)
        np.testing.assert_allclose(view.charts["both"].points.places, expected, rtol=1e-4, atol=1e-6)
    assert view.cards["both"].isVisible() == (measure != "attention")
    view.charts["largest"].clicked.emit(2, NO_KEY)
    layer, head = found.order()[2]
    assert (window.state.layer, window.state.head) == (layer, head)
    effects = [row.effect for row in view.table.shown]
    np.testing.assert_allclose(sorted(effects), np.sort(found.values[:, layer, head]), rtol=1e-4, atol=1e-6)


def test_a_pair_opens_in_all_rooms(opened, window, qtbot):
    view = opened("heads")
    window.state.set_head(1, 2)
    row = view.table.shown[1]
    view.table.row_opened.emit(row)
    settle(window, qtbot)
    state = window.state
    assert (state.text_a, state.text_b, state.layer, state.head) == (row.pair.text, "", 1, 2)
    assert state.contrast == Contrast(row.pair.wanted, row.pair.against) and len(state.all_masked) == 1
    assert state.baseline == OtherText(row.pair.other, "") and window.room_key == "evidence"


def test_grammar_is_that_of_the_engine(opened, gathered, window, model_folder, qtbot):
    view = opened("grammar")
    found = grammar_of_heads(load_checkpoint(model_folder), gathered["trees"].collection)
    best, names = found.best_heads(), [each.relation for each in view.found.best]
    assert names == [each.relation for each in best] and {"det", "case"} <= set(names)
    np.testing.assert_allclose(view.numbers("best")["low"].values, [each.low for each in best])
    assert [bar.fraction for bar in view.charts["best"].bars] == pytest.approx([each.share for each in best])
    assert [bar.tick for bar in view.charts["best"].bars] == pytest.approx([each.distance_share for each in best])
    for row, each in enumerate(best):
        relations, shares = found.shares(each.direction)
        np.testing.assert_allclose(view.charts["relations"].values[row], shares[relations.index(each.relation)].ravel())
    row = names.index("case")
    view.charts["best"].clicked.emit(row, NO_KEY)
    shown_view(window, "evidence", "grammar", qtbot)
    assert (window.state.layer, window.state.head) == (best[row].layer, best[row].head)
    grid, bars = view.charts["relations"], view.charts["best"]
    assert grid.selected[0] == row and bars.row_rect(row).y() == pytest.approx(grid.cell_rect(row, 0).y())
    counted = {arc.label: arc.is_right for arc in view.arcs.arcs}
    (dependency,) = np.flatnonzero((found.relations == "case") & (found.sentences == view.sentence_number))
    way = engine.DIRECTIONS.index(best[row].direction)
    label = f"preposition {best[row].layer + 1}·{best[row].head + 1}"
    assert counted[label] == found.hits[dependency, best[row].layer, best[row].head, way]
    view._open_sentence()
    assert window.state.text_a == "The cat sat on the mat" and window.state.focus in (4, 6)
    for place, direction in enumerate((None, *engine.DIRECTIONS)):
        view.direction.setCurrentIndex(place)
        view.direction.activated.emit(place)
        assert shown_view(window, "evidence", "grammar", qtbot).found.best == found.best_heads(direction)


def test_a_question_that_was_stopped_goes_on_where_it_was(gathered, model_folder, monkeypatch):
    read, whole = list[int](), engine.most_attended

    def counted(model, batch, words):
        read.append(len(words))
        return whole(model, batch, words)

    def stop(share):
        if share >= 0.5:
            raise InterruptedError

    monkeypatch.setattr(engine, "most_attended", counted)
    monkeypatch.setitem(Shard.over.__kwdefaults__, "size", 1)
    checkpoint, kept, treebank = load_checkpoint(model_folder), Kept(), gathered["trees"]
    with pytest.raises(InterruptedError):
        answer(checkpoint, grammar_of, (None,), treebank, kept, stop)
    assert 30 < len(read) < 40
    found = answer(checkpoint, grammar_of, (None,), treebank, kept, no_progress)
    assert sum(read) == 71  # none twice, but for the block that was stopped
    at_once = grammar_of_heads(checkpoint, treebank.collection)
    assert (found.hits == at_once.hits).all() and found.best == at_once.best_heads()
    read.clear()
    answer(load_checkpoint(model_folder), grammar_of, (None,), treebank, kept, no_progress)
    assert sum(read) == 70  # another model knows nothing


def test_a_file_that_is_chosen_before_the_sample_is_read_stays(window, tmp_path, qtbot):
    (tmp_path / "mine.txt").write_text(TEMPLATE, encoding="utf-8")
    made = room(window)
    made.use(Source("pairs", tmp_path / "mine.txt"))
    window.state.set_text("The dog sat.", "")
    assert shown_view(window, "evidence", "heads", qtbot).collection.name == "mine.txt"


def test_a_collection_is_a_file_typed_lines_or_what_is_dropped(window, tmp_path, qtbot):
    view = shown_view(window, "evidence", "heads", qtbot)
    made = room(window)
    assert view.collection.name == shipped_source("pairs").file.name  # type: ignore[union-attr]
    made.chooser.show_box()
    made.chooser.box.setPlainText(f"{TEMPLATE}\n")
    made.chooser._on_use_clicked()
    shown_view(window, "evidence", "heads", qtbot)
    assert len(view.collection) == 6 and view.collection.sha256[:8] in made.chooser.facts.text()
    bad = tmp_path / "bad.txt"
    bad.write_text("no place to ask about", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(bad))])
    made.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NO_KEY))
    qtbot.waitUntil(lambda: bool(made.reads.sentence))
    assert "bad.txt, line 1" in made.reads.sentence and len(view.collection) == 6  # the one from before stays
    grammar = shown_view(window, "evidence", "grammar", qtbot)
    assert grammar.collection.name == "sentences.conllu"
    assert shown_view(window, "evidence", "heads", qtbot).collection.name == "typed"


@pytest.mark.parametrize(("key", "picture"), [("heads", "grid"), ("heads", "largest"), ("grammar", "relations")])
def test_a_figure_says_what_it_is_of(key, picture, opened, window):
    view = opened(key)
    figure = view.figure_of(picture)
    assert window.state.model is not None
    parts = (
        view.collection.sha256[:8],
        "seed 0",
        "95%",
        model_hash(window.state.model.folder),
        view.how_many(picture, view.found),
    )
    assert figure is not None and all(part and part in figure.caption for part in parts)
    assert "cat sat" not in figure.caption  # of the collection, not of the text in the window


def test_what_takes_long_is_offered(opened, window, monkeypatch):
    view = opened("heads")
    monkeypatch.setattr(evidence, "GFLOP_PER_S", 1e-9)
    view.measure.setCurrentIndex(1)
    view.measure.activated.emit(1)
    question = view.asked["effect"]
    assert question.can_restart and "takes about" in question.sentence and not view.finding.isVisible()


def test_what_was_found_is_there_in_a_window_of_another_size(opened, window, qtbot):
    found = opened("heads").found
    window.appearance.set_look(projector=True)
    view = shown_view(window, "evidence", "heads", qtbot)
    qtbot.waitUntil(lambda: view.found is not None)
    assert view.found is found


def test_arcs_stand_above_those_they_go_over():
    arcs = [Arc(0, 4, "", True), Arc(1, 2, "", True), Arc(3, 1, "", False), Arc(4, 5, "", True)]
    assert levels_of(arcs) == [3, 1, 2, 1]


def test_a_word_stands_where_it_does_in_the_text(gathered):
    tree = gathered["trees"].collection.rows[0]
    for at, word in enumerate(tree.words):
        begin, end = tree.spans[at]
        assert tree.text[begin:end] == word


def test_an_interval_that_goes_below_zero_is_drawn(qtbot):
    bars = BarList("Effects")
    qtbot.addWidget(bars)
    bars.resize(400, 60)
    bars.set_bars([Bar("a", "+0.5", 0.5, low=-0.2, high=0.9, tick=0.3), Bar("b", "−0.4", -0.4, low=-0.5, high=-0.3)])
    boxes = [shape for shape in bars.shapes() if hasattr(shape, "fill")]
    (right, left), longest = boxes[:2], boxes[0].rect.width() / 0.5
    assert left.rect.right() == pytest.approx(right.rect.left()) and left.rect.width() / longest == pytest.approx(0.4)
