"""The film strip of a fine-tuned run: at each snapshot the answer of its task, as the engine gives it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.rooms.film.content import Guesses, position_to_show
from app.rooms.film.room import FilmRoom
from app.rooms.film.view import FilmView
from app.shell.window import Window
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.predict import as_example, predict
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import TIMEOUT_MS, settle
from tests.app.test_apply_room import ENDINGS, PASSAGE, A, make_model

SEEDS = {0: 3, 20: 4}  # of the snapshots at these steps
FilmOf = Callable[..., tuple[Window, FilmView, RunFolder]]


@pytest.fixture
def film_of(open_window: Callable[[Path | str], Window], own_home: Path, tmp_path: Path, qtbot: QtBot) -> FilmOf:
    """The film strip of a run on a kind of task, with A typed, and in Apply's editor a text."""

    def make(kind: str, text: str = "") -> tuple[Window, FilmView, RunFolder]:
        run = RunFolder.create(own_home / "runs" / kind, PretrainOptions(name=kind, preset="tiny").to_dict())
        for step, seed in SEEDS.items():
            with run.begin_snapshot(step) as snapshot:
                shutil.copytree(make_model(tmp_path / f"{kind}-{step}", kind, seed), snapshot, dirs_exist_ok=True)
        run.write_status(state="done", step=20, fraction=1.0)
        window = open_window(run.snapshot_path(20))
        qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
        window.state.set_applied_texts({kind: text} if text else {})
        window.state.set_text(A, "")
        settle(window, qtbot)
        room = window.open_room("film")
        assert isinstance(room, FilmRoom)
        view = room.view
        qtbot.waitUntil(lambda: len(view.strip.film.frames) == 2 and not view.question.is_running, timeout=TIMEOUT_MS)
        return window, view, run

    return make


def oracle(run: RunFolder, kind: str, text: str = "") -> list:
    """What the engine answers at each step."""
    example = as_example(kind, A, text or None)  # type: ignore[arg-type]
    return [predict(load_checkpoint(run.snapshot_path(step)), [example])[0] for step in SEEDS]


def shown(view: FilmView) -> list[Guesses | None]:
    film = view.strip.film
    return [film.guesses(frame) for _, frame in sorted(film.frames.items())]


def test_classes_with_their_probabilities(film_of: FilmOf) -> None:
    _, view, run = film_of("classify")
    for found, wanted in zip(shown(view), oracle(run, "classify"), strict=True):
        assert found is not None and found.words[0][0] == wanted.label
        assert dict(found.words) == pytest.approx(dict(wanted.probabilities))
    assert view.tabs.tabText(2) == "Answer"
    view.tabs.setCurrentIndex(2)
    figure = view.figure_of_strip()
    assert figure is not None and figure.numbers["probability"].values.shape == (2, 3)


def test_the_tag_of_the_selected_word(film_of: FilmOf) -> None:
    window, view, run = film_of("tag")
    window.state.set_focus(2)
    wanted = oracle(run, "tag")
    assert [one and one.position for one in shown(view)] == [2, 2]
    assert [one and one.words[0] for one in shown(view)] == [
        (answer.tags[1], pytest.approx(answer.probabilities[1])) for answer in wanted
    ]


@pytest.mark.parametrize(("kind", "text"), [("span", PASSAGE), ("choice", ENDINGS), ("regress", "")])
def test_the_answer_of_other_tasks(kind: str, text: str, film_of: FilmOf) -> None:
    _, view, run = film_of(kind, text)
    for found, wanted in zip(shown(view), oracle(run, kind, text), strict=True):
        assert found is not None
        if kind == "span":
            assert found.words == ((wanted.text or "no answer", None),)
        elif kind == "choice":
            assert found.words[0] == (f"ending {wanted.choice + 1}", pytest.approx(max(wanted.probabilities)))
        else:
            assert float(found.words[0][0].replace("−", "-")) == pytest.approx(wanted.number, abs=0.006)
    view.tabs.setCurrentIndex(2)
    figure = view.figure_of_strip()
    assert figure is not None and np.isnan(figure.numbers["probability"].values).all() == (kind != "choice")


def test_without_a_passage_there_is_no_answer(film_of: FilmOf) -> None:
    _, view, _ = film_of("span")
    assert shown(view) == [None, None]


def test_without_a_selection_a_word_with_a_tag_is_shown() -> None:
    tags = [Guesses(1, (("O", 0.9),)), Guesses(2, (("B-PER", 0.8),)), Guesses(3, (("O", 0.9),))]
    assert position_to_show(tags, None) == 2 and position_to_show(tags, 3) == 3 and position_to_show(tags, 7) == 2
    assert position_to_show(tags[:1], None) == 1 and position_to_show([], 1) is None
