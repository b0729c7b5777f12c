"""The film strip: each snapshot as it reads the text, without disturbing the open model; and the files made of it."""

import csv
import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.figures.animation import ANIMATIONS, durations_ms
from app.figures.figure import model_hash
from app.figures.files import NUMBERS, PICTURES, save_figure
from app.rooms.film import content
from app.rooms.film.picture import Film, FilmPlan, spread
from app.rooms.film.room import FilmRoom
from app.rooms.film.view import FilmView
from app.shell.window import Window
from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, settle
from tests.app.run_window import STEPS, last_snapshot, run

__all__ = ["last_snapshot", "run"]  # fixtures
ROOT = Path(__file__).parents[2]


def opened(window: Window) -> FilmView:
    room = window.open_room("film")
    assert isinstance(room, FilmRoom) and isinstance(room.view, FilmView)
    return room.view


def wait_for_frames(view: FilmView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(view.strip.film.frames) == len(STEPS) and not view.question.is_running)


@pytest.fixture
def window(last_snapshot: Window) -> Window:
    return last_snapshot


@pytest.fixture
def view(window: Window, qtbot: QtBot) -> FilmView:
    """With all frames computed."""
    view = opened(window)
    wait_for_frames(view, qtbot)
    return view


def test_each_frame_is_what_its_snapshot_reads(window: Window, run: RunFolder, qtbot: QtBot) -> None:
    """The open model is left alone; losses are those of the run."""
    model, reading, asked = window.state.model, window.state.reading, list[str]()
    window.services.open_model.requested.connect(asked.append)
    view = opened(window)
    wait_for_frames(view, qtbot)
    assert (window.state.model, window.state.reading) == (model, reading) and asked == []
    film = view.strip.film
    assert reading is not None and film.snapshots == STEPS and film.now == len(STEPS) - 1
    for index, step in enumerate(STEPS):
        checkpoint, frame = load_checkpoint(run.snapshot_path(step)), film.frames[index]
        direct = trace(checkpoint.model, reading.request.input_ids, reading.request.segments)
        np.testing.assert_allclose(frame.heads, direct.attentions, atol=1e-6)
        assert direct.mlm_logits is not None
        words = [word.token for word in top_words(direct.mlm_logits[2], checkpoint.tokenizer, content.MOST_WORDS)]
        assert [word for word, _ in frame.guesses[0].words] == words
        assert frame.step == step and frame.guesses[0].was == "cat"
    assert not np.allclose(film.frames[0].heads, film.frames[1].heads)
    assert film.curve is not None
    assert film.curve.steps.tolist() == [1, 10, 40] and film.curve.at(40) == pytest.approx(8 / 41)


def test_what_is_typed_is_read_by_all(window: Window, view: FilmView, qtbot: QtBot) -> None:
    window.state.set_text("A dog ran home.", "")
    qtbot.waitUntil(lambda: view.question.is_running)
    wait_for_frames(view, qtbot)
    frames = view.strip.film.frames
    assert {frame.labels for frame in frames.values()} == {("[CLS]", "a", "dog", "ran", "home", ".", "[SEP]")}
    assert frames[0].guesses == ()


def test_a_click_opens_a_snapshot_and_keeps_the_frames(window: Window, view: FilmView, qtbot: QtBot) -> None:
    frames = dict(view.strip.film.frames)
    view.strip.clicked.emit((1,), None)
    qtbot.waitUntil(lambda: window.state.model.step == 10)  # type: ignore[union-attr]
    settle(window, qtbot)
    assert view.strip.film.now == 1 and view.strip.film.frames == frames
    steps = [(None, Qt.Key.Key_Right), (None, Qt.Key.Key_Left), ((1,), Qt.Key.Key_Left), ((2,), Qt.Key.Key_Right)]
    assert [view.strip.cell_after(cell, key.value) for cell, key in steps] == [(0,), (0,), (0,), (2,)]
    view.strip.clicked.emit((1, 3), None)
    assert (window.state.layer, window.state.head) == (1, 3) and view.strip.film.head == (1, 3)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The worker waits for it after the first snapshot."""
    opened, read = threading.Event(), content.read_snapshots

    def slowly(*args: object) -> Iterator[object]:
        for number, snapshot in enumerate(read(*args)):  # type: ignore[arg-type]
            assert number == 0 or opened.wait(TIMEOUT_MS / 1000)
            yield snapshot

    monkeypatch.setattr(content, "read_snapshots", slowly)
    yield opened
    opened.set()


def test_it_can_be_stopped_and_goes_on_where_it_was(window: Window, gate: threading.Event, qtbot: QtBot) -> None:
    view = opened(window)
    qtbot.waitUntil(lambda: len(view.strip.film.frames) == 1)
    first = view.strip.film.frames[0]
    view.question.cancel(can_restart=True)
    gate.set()
    qtbot.waitUntil(lambda: not window.services.inference.is_busy)
    assert view.progress.text == "Stopped." and view.strip.film.frames[0] is first and 2 not in view.strip.film.frames
    view.question.start()
    wait_for_frames(view, qtbot)
    assert view.strip.film.frames[0] is first


def test_without_snapshots_it_says_where_there_are_some(
    window: Window, view: FilmView, model_folder: Path, qtbot: QtBot
) -> None:
    window.open_model(model_folder)
    qtbot.waitUntil(view.open_tiny.isVisible)
    assert view.nothing_title.text() == "tiny-model has no snapshots" and view.nothing_title.isVisible()
    assert not view.strip.isVisible() and view.figure_of_strip() is None
    view.open_tiny.click()
    qtbot.waitUntil(lambda: window.services.open_model.reference == TINY)


@pytest.mark.parametrize("picture", ["heads", "head", "words"])
def test_figures_and_their_numbers(
    window: Window, view: FilmView, run: RunFolder, tmp_path: Path, picture: str
) -> None:
    """The picture that was chosen stays when the window is built anew."""
    view.tabs.setCurrentIndex(["heads", "head", "words"].index(picture))
    window.state.set_head(1, 2)
    figure = view.figure_of_strip()
    assert figure is not None and window.state.kept.get("film.strip", "heads") == picture
    for part in (run.path.name, model_hash(run.snapshot_path(40)), "0, 10, 40", TEXT_A, TEXT_B, "masked: 2"):
        assert part in figure.caption
    for ending in (*PICTURES, *NUMBERS):
        save_figure(figure, tmp_path / f"film{ending}")
    assert not QImage(str(tmp_path / "film.png")).isNull()
    assert figure.caption in (tmp_path / "film.svg").read_text().replace("&#x27;", "'")
    arrays = np.load(tmp_path / "film.npz")
    assert arrays["loss.training step"].tolist() == ["0", "10", "40"]
    assert arrays["word"].shape == arrays["probability"].shape == (3, content.MOST_WORDS)
    heads = view.strip.film.frames[1].heads
    if picture == "words":
        assert "attention" not in arrays
    else:
        np.testing.assert_array_equal(arrays["attention"][1], heads if picture == "heads" else heads[1, 2])
    assert ("layer 2, head 3" in figure.caption) == (picture == "head")
    rows = list(csv.reader(io.StringIO((tmp_path / "film.csv").read_text("utf-8-sig"))))
    assert ["40", f"{8 / 41:.9g}"] in rows


def test_animations_have_a_frame_for_each_snapshot(
    window: Window, view: FilmView, tmp_path: Path, qtbot: QtBot
) -> None:
    """Pictures of other rooms are none."""
    figure = view.figure_of_strip()
    assert figure is not None and list(figure.frames) == ["step 0", "step 10", "step 40"]
    for ending in ANIMATIONS:
        save_figure(figure, tmp_path / f"film{ending}", ANIMATIONS)
    for ending in (".gif", ".webp"):
        with Image.open(tmp_path / f"film{ending}") as made:
            assert made.n_frames == len(STEPS)  # type: ignore[attr-defined]
            shown = []
            for number in range(len(STEPS)):
                made.seek(number)
                made.load()
                shown.append((np.asarray(made.convert("RGB")), made.info["duration"]))
        assert [duration for _, duration in shown] == durations_ms(figure)
        assert not np.array_equal(shown[0][0], shown[1][0])
    page = (tmp_path / "film.html").read_text()
    assert page.count("data:image/png;base64,") == len(STEPS) and f'max="{len(STEPS) - 1}"' in page
    assert figure.caption.replace("'", "&#x27;") in page and "http://" not in page and "https://" not in page
    window.open_view("attend", "matrix")
    settle(window, qtbot)
    window.commands["file.save_animation"].trigger()
    assert "film strip" in window.frame.banner.text


def test_the_readme_opens_with_a_film_strip_of_the_run_that_ships() -> None:
    """`make film` has made it."""
    readme, image = (ROOT / "README.md").read_text(encoding="utf-8"), ROOT / "docs" / "images" / "film-strip.webp"
    assert re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)[0] == "docs/images/film-strip.webp"
    assert image.stat().st_size < 400_000
    with Image.open(image) as made:
        assert made.n_frames == len(RunFolder(assets() / "runs" / TINY).snapshots())  # type: ignore[attr-defined]
        assert made.width == 2 * 900


def test_columns_are_spread_over_the_run() -> None:
    steps = [0, 50, 160, 400, 630, 1250, 2500, 4000, 6300, 12000]
    assert spread(steps, 10) == spread(steps, 40) == list(range(10))
    few = spread(steps, 4)
    assert few[0] == 0 and few[-1] == 9 and len(few) <= 4
    plan = FilmPlan(Film(tuple(steps), {}), 1200, 600)
    assert plan.x_of(0) == pytest.approx(plan.curve.left() + 6) and plan.x_of(12000) < plan.curve.right()
    assert plan.columns[-1].right() <= 1200.5 and plan.columns[-1].bottom() <= 600
    assert plan.column_at(plan.columns[3].center()) == 3 and plan.column_at(QPointF(2, 2)) is None
