"""The film strip of a fine-tuned run: at each snapshot the answer of its task, as the engine gives it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.rooms.film.content import Guesses, position_to_show
from app.rooms.film.room import FilmRoom
from app.rooms.film.view import FilmView
from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import settle
from tests.app.test_apply_room import TEXTS, A, make_model, oracle_of

SEEDS = {0: 3, 20: 4}  # of the snapshots at these steps
FilmOf = Callable[..., tuple[Window, FilmView, list[Any], list[Any]]]


@pytest.fixture
def film_of(open_window: Callable[[Path | str], Window], own_home: Path, tmp_path: Path, qtbot: QtBot) -> FilmOf:
    """The film strip of a run on a kind of task, with A typed, and in Apply's editor a text.

    Gives also what it shows at each step, and what the engine answers there.
    """

    def make(kind: str, text: str | None = None) -> tuple[Window, FilmView, list[Any], list[Any]]:
        text = TEXTS.get(kind, "") if text is None else text
        run = RunFolder.create(own_home / "runs" / kind, PretrainOptions(name=kind, preset="tiny").to_dict())
        for step, seed in SEEDS.items():
            with run.begin_snapshot(step) as snapshot:
                shutil.copytree(make_model(tmp_path / f"{kind}-{step}", kind, seed), snapshot, dirs_exist_ok=True)
        run.write_status(state="done", step=20, fraction=1.0)
        window = open_window(run.snapshot_path(20))
        qtbot.waitUntil(lambda: window.state.reading is not None)
        window.state.set_applied_texts({kind: text} if text else {})
        window.state.set_text(A, "")
        settle(window, qtbot)
        room = window.open_room("film")
        assert isinstance(room, FilmRoom) and isinstance(room.view, FilmView)
        film = room.view.strip
        qtbot.waitUntil(lambda: len(film.film.frames) == 2 and not room.view.question.is_running)
        shown = [film.film.guesses(frame) for _, frame in sorted(film.film.frames.items())]
        return window, room.view, shown, [oracle_of(run.snapshot_path(step), kind, A) for step in SEEDS]

    return make


@pytest.mark.parametrize("kind", ["classify", "span", "choice", "regress"])
def test_the_answer_of_each_task(kind: str, film_of: FilmOf) -> None:
    _, view, shown, answers = film_of(kind)
    for found, wanted in zip(shown, answers, strict=True):
        if kind == "classify":
            assert found.words[0][0] == wanted.label
            assert dict(found.words) == pytest.approx(dict(wanted.probabilities))
        elif kind == "span":
            assert found.words == ((wanted.text or "no answer", None),)
        elif kind == "choice":
            assert found.words[0] == (f"ending {wanted.choice + 1}", pytest.approx(max(wanted.probabilities)))
        else:
            assert float(found.words[0][0].replace("−", "-")) == pytest.approx(wanted.number, abs=0.006)
    assert view.tabs.tabText(2) == "Answer"
    view.tabs.setCurrentIndex(2)
    figure = view.figure_of_strip()
    assert figure is not None
    shares = figure.numbers["probability"].values
    assert np.isnan(shares).all() == (kind in ("span", "regress"))
    assert shares.shape == (2, 3 if kind in ("classify", "choice") else 1)


def test_the_tag_of_the_selected_word(film_of: FilmOf) -> None:
    window, view, _, answers = film_of("tag")
    window.state.set_focus(2)
    film = view.strip.film
    shown: list[Any] = [film.guesses(frame) for _, frame in sorted(film.frames.items())]
    assert [one.position for one in shown] == [2, 2]
    wanted = [(answer.tags[1], pytest.approx(answer.probabilities[1])) for answer in answers]
    assert [one.words[0] for one in shown] == wanted


def test_without_a_passage_there_is_no_answer(film_of: FilmOf) -> None:
    assert film_of("span", "")[2] == [None, None]


def test_without_a_selection_a_word_with_a_tag_is_shown() -> None:
    tags = [Guesses(1, (("O", 0.9),)), Guesses(2, (("B-PER", 0.8),)), Guesses(3, (("O", 0.9),))]
    assert position_to_show(tags, None) == 2 and position_to_show(tags, 3) == 3 and position_to_show(tags, 7) == 2
    assert position_to_show(tags[:1], None) == 1 and position_to_show([], 1) is None
