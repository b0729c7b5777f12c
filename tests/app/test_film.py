"""The film strip: each snapshot as it reads the text, without disturbing the open model; and the files made of it."""

import csv
import io
import json
import re
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from app.figures.animation import ANIMATIONS, durations_ms
from app.figures.figure import model_hash
from app.figures.files import NUMBERS, PICTURES, save_figure
from app.rooms.film import content
from app.rooms.film.content import Guesses, position_to_show
from app.rooms.film.picture import Film, FilmPlan, spread
from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, settle, wait_until
from tests.app.run_window import STEPS, last_snapshot, run
from tests.app.test_apply_room import TEXTS, A, make_model, oracle_of
from tests.app.train_room import stored_run

__all__ = ["last_snapshot", "run"]  # fixtures
ROOT = Path(__file__).parents[2]
SEEDS = {0: 3, 20: 4}  # of the snapshots of a fine-tuned run, by step


def opened(window):
    return window.open_room("film").view


def wait_for_frames(view, count=len(STEPS)):  # noqa: B008
    wait_until(lambda: len(view.strip.film.frames) == count and not view.question.is_running)


@pytest.fixture
def window(last_snapshot):
    return last_snapshot


@pytest.fixture
def view(window):
    """With all frames computed."""
    view = opened(window)
    wait_for_frames(view)
    return view


def test_each_frame_is_what_its_snapshot_reads(window, run):
    """The open model is left alone; losses are those of the run."""
    model, reading, asked = window.state.model, window.state.reading, list[str]()
    window.services.open_model.requested.connect(asked.append)
    view = opened(window)
    wait_for_frames(view)
    assert (window.state.model, window.state.reading) == (model, reading) and asked == []
    film = view.strip.film
    assert film.snapshots == STEPS and film.now == len(STEPS) - 1
    for index, step in enumerate(STEPS):
        checkpoint, frame = load_checkpoint(run.snapshot_path(step)), film.frames[index]
        direct = trace(checkpoint.model, reading.request.input_ids, reading.request.segments)
        np.testing.assert_allclose(frame.heads, direct.attentions, atol=1e-6)
        words = [word.token for word in top_words(direct.mlm_logits[2], checkpoint.tokenizer, content.MOST_WORDS)]
        assert [word for word, _ in frame.guesses[0].words] == words
        assert frame.step == step and frame.guesses[0].was == "cat"
    assert not np.allclose(film.frames[0].heads, film.frames[1].heads)
    assert film.curve.steps.tolist() == [1, 10, 40] and film.curve.at(40) == pytest.approx(8 / 41)


def test_what_is_typed_is_read_by_all_and_a_click_opens_one(window, view):
    window.state.set_text("A dog ran home.", "")
    wait_until(lambda: view.question.is_running)
    wait_for_frames(view)
    frames = view.strip.film.frames
    assert {frame.labels for frame in frames.values()} == {("[CLS]", "a", "dog", "ran", "home", ".", "[SEP]")}
    assert frames[0].guesses == ()
    frames = dict(frames)  # they stay
    view.strip.clicked.emit((1,), None)
    wait_until(lambda: window.state.model.step == 10)
    settle(window)
    assert view.strip.film.now == 1 and view.strip.film.frames == frames
    steps = [(None, Qt.Key.Key_Right), (None, Qt.Key.Key_Left), ((1,), Qt.Key.Key_Left), ((2,), Qt.Key.Key_Right)]
    assert [view.strip.cell_after(cell, key.value) for cell, key in steps] == [(0,), (0,), (0,), (2,)]
    view.strip.clicked.emit((1, 3), None)
    assert (window.state.layer, window.state.head) == (1, 3) and view.strip.film.head == (1, 3)


@pytest.fixture
def gate(monkeypatch):
    """The worker waits for it after the first snapshot."""
    opened, read = threading.Event(), content.read_snapshots

    def slowly(*args):
        for number, snapshot in enumerate(read(*args)):
            assert number == 0 or opened.wait(TIMEOUT_MS / 1000)
            yield snapshot

    monkeypatch.setattr(content, "read_snapshots", slowly)
    yield opened
    opened.set()


def test_it_can_be_stopped_and_goes_on_where_it_was(window, gate):
    view = opened(window)
    wait_until(lambda: len(view.strip.film.frames) == 1)
    first = view.strip.film.frames[0]
    view.question.cancel(can_restart=True)
    gate.set()
    wait_until(lambda: not window.services.inference.is_busy)
    assert view.progress.text == "Stopped." and view.strip.film.frames[0] is first and 2 not in view.strip.film.frames
    view.question.start()
    wait_for_frames(view)
    assert view.strip.film.frames[0] is first


def test_without_snapshots_it_says_where_there_are_some(window, view, model_folder):
    window.open_model(model_folder)
    wait_until(view.open_tiny.isVisible)
    assert view.nothing_title.text() == "tiny-model has no snapshots" and view.nothing_title.isVisible()
    assert not view.strip.isVisible() and view.figure_of_strip() is None
    view.open_tiny.click()
    wait_until(lambda: window.services.open_model.reference == TINY)


@pytest.mark.parametrize("picture", ["heads", "head", "words"])
def test_figures_and_their_numbers(window, view, run, tmp_path, picture):
    """The picture that was chosen stays when the window is built anew."""
    view.tabs.setCurrentIndex(["heads", "head", "words"].index(picture))
    window.state.set_head(1, 2)
    figure = view.figure_of_strip()
    assert window.state.kept.get("film.strip", "heads") == picture
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


def test_animations_have_a_frame_for_each_snapshot(window, view, tmp_path):
    """Pictures of other rooms are none."""
    figure = view.figure_of_strip()
    assert list(figure.frames) == ["step 0", "step 10", "step 40"]
    for ending in ANIMATIONS:
        save_figure(figure, tmp_path / f"film{ending}", ANIMATIONS)
    for ending in (".gif", ".webp"):
        with Image.open(tmp_path / f"film{ending}") as made:
            assert made.n_frames == len(STEPS)
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
    settle(window)
    window.commands["file.save_animation"].trigger()
    assert "film strip" in window.frame.banner.text


def test_the_readme_opens_with_a_film_strip_of_the_run_that_ships():
    """`make film` has made it."""
    readme, image = (ROOT / "README.md").read_text(encoding="utf-8"), ROOT / "docs" / "images" / "film-strip.webp"
    assert re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)[0] == "docs/images/film-strip.webp"
    assert image.stat().st_size < 400_000
    with Image.open(image) as made:
        assert made.n_frames == len(RunFolder(assets() / "runs" / TINY).snapshots())
        assert made.width == 2 * 900


def test_columns_are_spread_over_the_run():
    steps = [0, 50, 160, 400, 630, 1250, 2500, 4000, 6300, 12000]
    assert spread(steps, 10) == spread(steps, 40) == list(range(10))
    few = spread(steps, 4)
    assert few[0] == 0 and few[-1] == 9 and len(few) <= 4
    plan = FilmPlan(Film(tuple(steps), {}), 1200, 600)
    assert plan.x_of(0) == pytest.approx(plan.curve.left() + 6) and plan.x_of(12000) < plan.curve.right()
    assert plan.columns[-1].right() <= 1200.5 and plan.columns[-1].bottom() <= 600
    assert plan.column_at(plan.columns[3].center()) == 3 and plan.column_at(QPointF(2, 2)) is None


@pytest.fixture
def film_of(open_window, tmp_path):
    """The film strip of a run on a kind of task, what it shows at each step, and what the engine answers there."""

    def make(kind, text=None):
        text = TEXTS.get(kind, "") if text is None else text
        run = stored_run(kind, step=20, fraction=1.0)
        (run.path / "config.json").write_text(json.dumps({"kind": "finetune", "task": "sst2", "model": "x"}))
        for step, seed in SEEDS.items():
            with run.begin_snapshot(step) as snapshot:
                shutil.copytree(make_model(tmp_path / f"{kind}-{step}", kind, seed), snapshot, dirs_exist_ok=True)
        window = open_window(run.snapshot_path(20), A)
        window.state.set_applied_texts({kind: text} if text else {})
        settle(window)
        view = opened(window)
        wait_for_frames(view, len(SEEDS))
        return window, view, guesses(view), [oracle_of(run.snapshot_path(step), kind, A) for step in SEEDS]

    return make


def guesses(view):
    film = view.strip.film
    return [film.guesses(frame) for _, frame in sorted(film.frames.items())]


@pytest.mark.parametrize("kind", ["classify", "span", "choice", "regress"])
def test_the_answer_of_each_task(kind, film_of):
    _, view, shown, answers = film_of(kind)
    for found, wanted in zip(shown, answers, strict=True):
        if kind == "classify":
            assert found.best[0] == wanted.label
            assert [name for name, _ in found.words] == list(wanted.probabilities), "in their order, at every step"
            assert dict(found.words) == pytest.approx(dict(wanted.probabilities))
        elif kind == "span":
            assert found.words == ((wanted.text or "no answer", None),)
        elif kind == "choice":
            assert found.best == (f"ending {wanted.choice + 1}", pytest.approx(max(wanted.probabilities)))
        else:
            assert float(found.words[0][0].replace("−", "-")) == pytest.approx(wanted.number, abs=0.006)
    assert view.tabs.tabText(2) == "Answer"
    view.tabs.setCurrentIndex(2)
    shares = view.figure_of_strip().numbers["probability"].values
    assert np.isnan(shares).all() == (kind in ("span", "regress"))
    assert list(view.figure_of_strip().frames) == ["before fine-tuning", "step 20"]
    assert shares.shape == (2, 3 if kind in ("classify", "choice") else 1)


def test_the_tag_of_the_selected_word(film_of):
    window, view, _, answers = film_of("tag")
    window.state.set_focus(2)
    wanted = [(2, (answer.tags[1], pytest.approx(answer.probabilities[1]))) for answer in answers]
    assert [(one.position, one.words[0]) for one in guesses(view)] == wanted


def test_without_a_passage_there_is_no_answer_and_without_a_selection_a_word_with_a_tag_is_shown(film_of):
    assert film_of("span", "")[2] == [None, None]
    tags = [Guesses(1, (("O", 0.9),)), Guesses(2, (("B-PER", 0.8),)), Guesses(3, (("O", 0.9),))]
    assert position_to_show(tags, None) == 2 and position_to_show(tags, 3) == 3 and position_to_show(tags, 7) == 2
    assert position_to_show(tags[:1], None) == 1 and position_to_show([], 1) is None
