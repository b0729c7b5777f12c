"""Map, "The family": the table, the parameters of the chosen model, and what opens at a click."""

import json

import pytest
from PySide6.QtCore import Qt

from app.compute import family as computed
from app.rooms.map.family_view import PARTS, columns, formula_text, size_text, untrained_text
from app.state.literature import family
from bertcore.config import PUBLISHED, BertConfig, count_parameters, parameter_parts
from bertcore.locations import BUILT_IN, TINY, assets
from tests.app.conftest import check_scripts, shown_view, wait_until

NAMES = [one.name for one in family()]


def member(name):
    return next(one for one in family() if one.name == name)


def test_all_of_them_are_in_the_table_with_their_sources():
    assert set(NAMES) == {*PUBLISHED, BUILT_IN, TINY}
    for one in family():
        assert one.source and one.why.endswith(".") and not one.differs.endswith(".") and 2018 <= one.year <= 2026
        assert one.ships or "arXiv:" in one.source
    rows = json.loads((assets() / "family.json").read_text(encoding="utf-8"))
    assert not any(isinstance(value, int | float) for row in rows for key, value in row.items() if key != "year")


def test_numbers_are_those_of_the_configs(window):
    view = shown_view(window, "map", "family")
    texts = {column.title: column.text for column in columns()}
    large = member("bert-large-uncased")
    assert [texts[each](large) for each in ("Layers", "Heads", "Width")] == ["24", "16", "1,024"]
    assert texts["Parameters"](large) == "335\u2009M"
    assert [one.name for one in view.table.shown] == NAMES and view.member.name == "bert-base-uncased"


@pytest.mark.parametrize("name", NAMES)
def test_a_click_shows_where_the_parameters_are(name, window):
    view, one = shown_view(window, "map", "family"), member(name)
    view.table.row_clicked.emit(one)
    shown, config = view.shown["parts"], one.config
    assert shown.array.tolist() == [part.count for part in parameter_parts(config)]
    assert shown.array.sum() == count_parameters(config)
    assert f"{count_parameters(config):,}" in view.cards["parts"].intro
    assert one.title in view.about.title and view.source.text() == one.source
    assert ("noise" in view.memory.text()) == (not one.ships) and view.open.text().endswith("untrained") != one.ships
    said = []
    view.hover_text_changed.connect(said.append)
    view.charts["parts"].set_hovered(0)
    assert said[-1].startswith("token table: V × ") and f"= {int(shown.array[0]):,} parameters" in said[-1]
    if not one.ships:
        check_scripts(view)


def test_it_opens_as_a_model_by_its_reference(window):
    view, wanted, rooms = shown_view(window, "map", "family"), [], []
    view.model_requested.disconnect()
    view.model_requested.connect(wanted.append)
    view.room_requested.connect(lambda *place: rooms.append(place))
    for name in ("electra-small-discriminator", "bertscope-tiny"):
        view.table.row_clicked.emit(member(name))
        view.open.click()
    assert wanted == ["untrained:electra-small-discriminator", "bertscope-tiny"] and rooms == [("map", "model")] * 2


def test_its_map_is_drawn(window, monkeypatch, tmp_path):
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path))
    view = shown_view(window, "map", "family")
    view.table.row_opened.emit(member("electra-small-discriminator"))
    state = window.state
    wait_until(lambda: "untrained" in state.model.name and getattr(state.reading, "request", None) is not None)
    wait_until(lambda: state.reading is not None and state.reading.request.model is state.model)
    assert window.frame.room.views.key == "model" and state.reading.thumbnails.shape[:2] == (12, 4)
    assert window.open_room("map").open_view("family").member.name == "electra-small-discriminator"


def test_speed_is_measured_at_a_click(window, monkeypatch):
    asked = []

    def measured(name, config, progress):
        asked.append((name, config))
        progress(0.5)
        return 1.96

    measured.__module__, measured.__qualname__ = computed.__name__, "speed_of"
    monkeypatch.setattr(computed, "speed_of", measured)
    monkeypatch.setattr("app.rooms.map.family_view.speed_of", measured)
    view, one = shown_view(window, "map", "family"), member("distilbert-base-uncased")
    view.table.row_clicked.emit(one)
    assert "61% of BERT-base’s parameters." in view.compared.text() and "97% is the paper’s" in view.compared.text()
    assert view.measure.isVisibleTo(view) and not asked
    view.measure.click()
    wait_until(lambda: one.name in view.speeds)
    assert asked == [(one.name, one.config)] and "Here it is 2.0 times as fast." in view.compared.text()
    assert not view.measure.isVisibleTo(view)
    view.table.sortByColumn(5, Qt.SortOrder.AscendingOrder)
    assert view.table.shown[0].name == "bertscope-tiny"


def test_words():
    config = BertConfig.preset("bert-base-uncased")
    assert formula_text("V × H", config) == "V × H = 30,522 × 768"
    assert formula_text("L × 4 × (H² + H)", config) == "L × 4 × (H² + H) = 12 × 4 × (768² + 768)"
    assert size_text(23_440_896, 109_482_240) == "23.4\u2009M · 21%" and size_text(768, 109_482_240) == "768"
    assert "16,384 rows" in untrained_text(config) and "MB" in untrained_text(config)
    for pre in ("post", "pre"):
        assert {part.name for part in parameter_parts(BertConfig(norm=pre))} <= set(PARTS)
