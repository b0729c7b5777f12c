"""The room Embed: strips that add up, one token looked at closely, the map; every number is the engine's."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.rooms.embed.embedding_parts import lengths_at
from app.rooms.embed.map_view import MapView
from app.rooms.embed.room import EmbedRoom
from app.shell.window import Window
from app.state.readings import Reading
from app.widgets.figure_button import FigureButton
from bertcore.analysis.vectors import NearestWords, pca
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TIMEOUT_MS, make_checkpoint, settle
from tests.app.embed_room import opened, overview
from tests.app.family_models import SHAPES, save_family


@pytest.fixture
def room(window: Window, qtbot: QtBot) -> EmbedRoom:
    return opened(window, qtbot)


def reading_of(window: Window) -> Reading:
    assert window.state.reading is not None
    return window.state.reading


def strips_of(room: EmbedRoom) -> dict[str, np.ndarray]:
    return {part.name: part.values for part in overview(room).charts["strips"].parts if part.values is not None}


def test_the_strips_add_up_and_layernorm_is_the_models(
    room: EmbedRoom, window: Window, model_folder: Path, qtbot: QtBot
) -> None:
    strips, trace = strips_of(room), reading_of(window).trace
    total = strips["token"] + strips["segment"] + strips["position"]
    np.testing.assert_allclose(total, strips["sum"], atol=1e-6)
    np.testing.assert_allclose(strips["sum"], trace.embedding_sum, atol=1e-6)
    norm = load_checkpoint(model_folder).model.embeddings.norm
    assert norm is not None
    exact = strips["sum"].astype(np.float64)
    centered = exact - exact.mean(axis=1, keepdims=True)
    even = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + norm.eps)
    expected = even * norm.weight.detach().numpy() + norm.bias.detach().numpy()
    np.testing.assert_allclose(strips["LayerNorm"], expected, atol=1e-5)


def test_words_and_special_tokens_act_on_strips_map_and_token(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    window.state.set_text("happy sofas", "")  # the last word has pieces
    window.state.set_token_view(words=True, specials=False)
    settle(window, qtbot)
    units, trace = reading_of(window).units(window.state.token_view), reading_of(window).trace
    assert units.labels == ["happy", "sofas"] and len(units.members[1]) > 1
    members, strips = units.members[1], strips_of(room)
    np.testing.assert_allclose(strips["token"][1], trace.token_embeddings[members].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(strips["token"] + strips["segment"] + strips["position"], strips["sum"], atol=1e-6)
    assert overview(room).charts["map"].points.names == units.labels
    window.state.set_focus(members[1])
    token = overview(room).cards["lengths"]
    assert token.title == "sofas" and "mean of" in token.hint
    length = np.linalg.norm(trace.token_embeddings[members].mean(axis=0))
    assert overview(room).charts["lengths"].bars[0].number == f"{length:.2f}"
    window.state.set_text("", "")
    settle(window, qtbot)
    assert overview(room).charts["strips"].parts == [] and token.title == "No tokens"
    window.state.set_token_view(words=False, specials=True)
    settle(window, qtbot)
    assert len(strips_of(room)["sum"]) == 2


def test_lengths_and_shares_are_those_of_the_token(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    window.state.set_focus(4)
    trace, bars = reading_of(window).trace, overview(room).charts["lengths"].bars
    total = trace.embedding_sum[4]
    parts = {
        "token": trace.token_embeddings,
        "segment": trace.segment_embeddings,
        "position": trace.position_embeddings,
    }
    for bar, (name, values) in zip(bars, parts.items(), strict=False):
        assert values is not None
        share = float(values[4] @ total / (total @ total))
        assert (bar.label, bar.number) == (name, f"{np.linalg.norm(values[4]):.2f}")
        assert bar.mark == f"{share:.0%}".replace("-", "−")
    assert (bars[3].label, bars[3].number) == ("sum", f"{np.linalg.norm(total):.2f}")
    units = reading_of(window).units(window.state.token_view)
    assert sum(one.share or 0 for one in lengths_at(reading_of(window), units, 4).values()) == pytest.approx(1)


@pytest.mark.parametrize("by", ["cosine", "distance"])
def test_nearest_words_by_either_measure(
    room: EmbedRoom, window: Window, model_folder: Path, by: str, qtbot: QtBot
) -> None:
    checkpoint = load_checkpoint(model_folder)
    window.state.set_focus(2)
    QTest.mouseClick(overview(room).measures[by], Qt.MouseButton.LeftButton)  # type: ignore[index]
    settle(window, qtbot)
    table = checkpoint.model.embeddings.token.weight.detach().numpy()
    found = NearestWords(table, checkpoint.tokenizer).near([reading_of(window).request.input_ids[2]], 12, by)  # type: ignore[arg-type]
    shown = [(bar.label, bar.number.replace("−", "-")) for bar in overview(room).charts["nearest"].bars]
    assert shown == [(word.word, f"{word.cosine if by == 'cosine' else word.distance:.2f}") for word in found]
    assert window.state.kept["embed.parts"] == by


def test_the_keyboard_reads_a_number_out(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    window.state.set_focus(3)
    strips, told = overview(room).charts["strips"], list[str]()
    room.hover_text_changed.connect(told.append)
    strips.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown):
        QTest.keyClick(strips, key)
    segments = reading_of(window).trace.segment_embeddings
    assert window.state.focus == 4 and segments is not None
    assert told[-1] == f"segment of on (4), dimension 2: {segments[4, 2]:.5g}".replace("-", "−")
    positions = overview(room).charts["positions"]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(positions, key)
    tables = overview(room).answer_of("tables", reading_of(window))
    assert tables is not None
    assert told[-1] == f"positions 1 and 2: cosine {tables.position_cosines[1, 2]:.4f}".replace("-", "−")


def test_the_map_shows_the_sum_or_token_vectors(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    view = room.open_view("map")
    assert isinstance(view, MapView)
    settle(window, qtbot)
    trace = reading_of(window).trace
    for key, vectors in (("sum", trace.embedding_sum), ("token", trace.token_embeddings)):
        view.show_vectors(key)
        settle(window, qtbot)
        found = pca(vectors)
        np.testing.assert_array_equal(view.charts["map"].points.places, found.points)
        assert f"{found.kept:.0%} of the variance" in view.cards["map"].hint
    QTest.keyClick(view.charts["map"], Qt.Key.Key_Right)
    assert window.state.focus == 2 and view.charts["map"].selected == [2]


def test_words_around_lie_in_the_tokens_plane(
    room: EmbedRoom, window: Window, model_folder: Path, qtbot: QtBot
) -> None:
    view, checkpoint = room.open_view("map"), load_checkpoint(model_folder)
    assert isinstance(view, MapView)
    window.state.set_focus(2)
    table = checkpoint.model.embeddings.token.weight.detach().numpy()
    ids = reading_of(window).request.input_ids
    for key, groups, count in (("one", [(ids[2],)], 24), ("all", list(dict.fromkeys((i,) for i in ids)), 4)):
        view.show_vectors(key)
        qtbot.waitUntil(lambda: not any(question.is_running for question in view.questions), timeout=TIMEOUT_MS)
        around = NearestWords(table, checkpoint.tokenizer).around(groups, count, "cosine")
        points, units = view.charts["map"].points, len(ids)
        assert points.names[units:] == [word.word for word in around.words] and points.choices == units
        expected = pca(np.concatenate([table[list(ids)], around.vectors]))
        np.testing.assert_allclose(points.places, expected.points, atol=1e-4)
        assert f"{len(points.names)} vectors" in view.cards["map"].hint


def test_the_ring_on_the_map_follows_after_the_page_was_left(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    view = room.open_view("map")
    assert isinstance(view, MapView)
    view.show_vectors("all")
    qtbot.waitUntil(lambda: not any(question.is_running for question in view.questions), timeout=TIMEOUT_MS)
    window.state.set_focus(2)
    room.open_view("parts")
    room.open_view("map")
    window.state.set_focus(4)
    assert view.charts["map"].selected == [4]


OFTEN = ("discriminator", "distilbert")  # narrow embeddings; no segments


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in SHAPES])
def test_every_view_works_for_every_family_and_for_one_token(
    name: str, open_window: Callable[[Path], Window], qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(save_family(name, tmp_path / name))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    room = opened(window, qtbot)
    for text, specials in (("The cat sat.", True), ("cat", False), ("", False)):
        window.state.set_token_view(specials=specials)
        window.state.set_text(text, "")
        settle(window, qtbot)
        for key in (spec.key for spec in EmbedRoom.specs):
            room.open_view(key).repaint()
            settle(window, qtbot)
            room.view.repaint()
        if text and "embedding_size" in SHAPES[name].config:
            assert strips_of(room)["sum"].shape[1] == 16
    assert not window.frame.banner.isVisible()


@pytest.mark.slow
def test_512_tokens_and_a_fixed_position_table(
    open_window: Callable[[Path], Window], qtbot: QtBot, tmp_path: Path
) -> None:
    from dataclasses import replace

    import torch

    from bertcore.checkpoint.checkpoint import save_checkpoint
    from bertcore.model.bert import Bert

    plain = load_checkpoint(make_checkpoint(tmp_path / "plain"))
    config = replace(plain.config, max_position_embeddings=512, positions="sinusoidal_fixed")
    model = Bert(config, ("mlm",), generator=torch.Generator().manual_seed(1))
    save_checkpoint(model, plain.tokenizer, tmp_path / "waves", name="waves")
    window = open_window(tmp_path / "waves")
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text("the cat sat on a mat " * 100, "")
    room = opened(window, qtbot)
    assert len(strips_of(room)["sum"]) == 512
    for key in (spec.key for spec in EmbedRoom.specs):
        room.open_view(key)
        settle(window, qtbot)
        room.view.repaint()
    place, column = 300, 6
    wave = np.sin(place / 10_000 ** (column / config.hidden_size))
    assert strips_of(room)["position"][place, column] == pytest.approx(wave, abs=1e-5)
    tables = overview(room).answer_of("tables", reading_of(window))
    assert tables is not None and tables.position_cosines.shape == (512, 512)


def test_every_picture_gives_its_numbers(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    window.state.set_what_if(window.state.what_if.with_segment(2, 1))
    titles = []
    for key in (spec.key for spec in EmbedRoom.specs):
        room.open_view(key)
        settle(window, qtbot)
        for made in room.view.findChildren(FigureButton):
            figure = made.figure()
            assert figure is not None and figure.caption and figure.numbers, (key, made.accessibleName())
            titles.append(figure.title)
    assert len(set(titles)) == len(titles) == 8


def test_the_open_view_outlives_a_frame_of_another_size(room: EmbedRoom, window: Window, qtbot: QtBot) -> None:
    view = room.open_view("map")
    assert isinstance(view, MapView)
    view.show_vectors("token")
    window.appearance.set_look(projector=True)
    again = opened(window, qtbot)
    assert again is not room and again.views.key == "map"
    assert isinstance(again.view, MapView) and again.view.vectors == "token"
    window.appearance.set_look(projector=False)
