"""Map, "Papers": published results, their shape and sources, the view, and what stands beside a finished run."""

import pytest
from PySide6.QtCore import Qt

from app.rooms.map.published_view import RESULTS, TASKS
from app.runs.ending_sentences import beside_papers
from app.state.literature import before_bert, family, published_results, published_tasks
from bertcore.config import PRESETS
from bertcore.locations import built_in_checkpoint
from bertcore.tasks.readers.reading import TASKS as TASKS_OF_BERTCORE
from bertcore.tasks.readers.reading import metrics_of
from tests.app.conftest import shown_view


def test_each_number_has_its_source_and_its_task():
    tasks = {task.key: task for task in published_tasks()}
    assert set(tasks) <= set(TASKS_OF_BERTCORE)
    for task in tasks.values():
        assert task.measure in metrics_of(TASKS_OF_BERTCORE[task.key])
    for result in published_results():
        assert "20" in result.source and ("table" in result.source or "README" in result.source)
        assert result.set in ("test", "development") and (not result.size or result.size in PRESETS)
        assert result.scores and set(result.scores) <= set(tasks)
        assert all(0 <= score <= 100 for scores in result.scores.values() for score in scores)
    for one in before_bert():
        assert one.year < 2019 and one.source and one.differs and not one.ships


def test_averages_of_the_paper_are_the_means_of_its_row():
    given = [result for result in RESULTS if result.average is not None]
    assert len(given) == 5
    for result in given:  # the paper's own are means of scores with more digits
        assert result.mean == pytest.approx(result.average, abs=0.1)


def test_the_view_shows_them_all(window):
    view = shown_view(window, "map", "published")
    shown = view.shown["glue"]
    assert shown.array.shape == (len(RESULTS), len(TASKS) + 1) == (15, 9)
    base = [result.model for result in RESULTS].index("BERT-base")
    assert shown.array[base].tolist()[:8] == [84.6, 71.2, 90.5, 93.5, 52.1, 85.8, 88.9, 66.4]
    said = []
    view.hover_text_changed.connect(said.append)
    view.charts["glue"].set_hovered((base, 0))
    assert said[-1].startswith(
        "BERT-base (109\u2009M) · MNLI (392,000 training examples), accuracy, test set: 84.6 / 83.4 · Devlin"
    )
    view.charts["glue"].set_hovered((base, 8))
    assert "mean of its scores: 79.6" in said[-1]
    assert view.figure_of("glue").numbers["published"].values.shape == (15, 9)
    assert len(view.table.shown) == len(before_bert()) + sum(not one.ships for one in family())
    view.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert view.table.shown[0].year == 2020


def test_a_run_stands_beside_the_papers(tmp_path):
    said = beside_papers("sst2", built_in_checkpoint())
    assert "SST-2 (accuracy): BERT-mini (11.2\u2009M) 85.9%, BERT-base (109\u2009M) 93.5%" in said
    assert "17.3\u2009M parameters" in said and "with care" in said
    assert "CoLA (Matthews correlation): BERT-mini (11.2\u2009M) 0.000" in beside_papers("cola", built_in_checkpoint())
    assert "(F1): BERT-base (109\u2009M) 0.885." in beside_papers("squad", built_in_checkpoint())
    assert beside_papers("classify", built_in_checkpoint()) == "" == beside_papers("", built_in_checkpoint())
    assert beside_papers("sst2", tmp_path) == "", "a snapshot that cannot be read"
