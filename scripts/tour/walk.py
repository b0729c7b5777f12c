"""Drives the real window through every room, in one theme or several, and keeps a picture of each; then through a game,
the lab sheet and, with the model that ships, the pages of all lessons.

Each picture is taken when the room has drawn what the model gave: see pictures.py.
"""

import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from app.lessons.answers import ENDING, Answer, HandIn, answers_as_json
from app.lessons.lab_sheet import PAGE_PX, document_of, lab_sheet
from app.lessons.parser import load_lesson
from app.lessons.shipped import shipped_lessons
from app.rooms.game.game import Game, Phase, load_puzzles
from app.rooms.game.view import GameView
from app.rooms.layers.room import LayersRoom
from app.rooms.layers.swap_view import SwapView
from app.rooms.layers.weights_view import WeightsView
from app.rooms.map.room import MapRoom
from app.rooms.map.view import MapView
from app.rooms.predict.room import PredictRoom
from app.rooms.predict.texts_view import TEMPLATE, TextsView
from app.rooms.train.list.card import finished_demo
from app.rooms.train.room import TrainRoom
from app.runs.finding import LOG
from app.runs.stages import reference_to
from app.shell.lessons import TOUR
from app.shell.rooms import ROOMS, open_view, room_views
from app.shell.window import Window
from app.state.baseline import Baseline, OtherModel, OtherText
from app.state.what_if import NOTHING_CHANGED, WhatIf
from bertcore.data.small_world import World
from bertcore.locations import BUILT_IN, SHIPPED, TINY, minimal_pairs_file
from bertcore.runs.run_folder import RunFolder

from .pictures import RoomPictures, TourError
from .recorded import SAMPLE, SWEEP, recorded_runs, recorded_sweep, sample_run

THEMES = ("light", "dark")  # unless others are asked for
SLOW_STEPS = 10
BATCHES = {"batch": 252, "batch-next-words": 101}  # steps of the class demo
COMPARED = "The king of France died in [MASK].", "He was buried there."
CHANGED_TOKEN = 4  # in which it differs from the baseline
BASELINE = "The king of England died in [MASK].", "He was buried there."
COMPARING = {  # visited with each kind of baseline
    "map": ("model",),
    "embed": ("parts",),
    "predict": ("words", "surprise"),
    "attend": ("moved",),
    "layers": ("apart",),
}
COMPARED_ONCE = (  # the other views that show both: baseline, room, view
    ("text", "map", "circuit"),
    ("text", "attend", "lines"),
    ("text", "attend", "score"),
    ("text", "predict", "lens"),
    ("text", "layers", "hidden"),
    ("text", "layers", "paths"),
    ("model", "attend", "lines"),  # heads of another shape
)
REVIEWER = "bertscope-sentiment"
REVIEWS = (
    ("The soup was good, and everyone was kind to us.", ""),
    ("The soup was cold and nobody spoke.", ""),
)
TASK_ENDS = {  # whose map ends in tags, and in an answer
    "bertscope-names": ("Anna Reed flew from Paris to London to meet Peter Brown.", ""),
    "bertscope-answers": ("Who built the mill?", "The old mill stands by the river. It was built by Martin Reed."),
}
COLLECTED, CLASS = 2, 24  # the lesson that a class has handed in, and how many
IDEAS = ("They stand in the same places.", "The model has seen them together.", "I do not know.")
FILM_AT = 0.35  # of a step, where it moves
SWAPPED_TOKEN = 2  # in which the two texts of "Swap in" differ
FAULTY = (
    "films.tsv",
    "text\tlabel\n"
    "A warm and funny film about two old friends.\tgood\n"
    "I fell asleep after ten minutes.\tbad\n"
    "The music was lovely, and so was the ending.\n"
    "Nobody in the cinema laughed.\tbad\n",
)
MARGIN_PX = 57  # 15 mm around a printed page
OWN_SENTENCE = "In the morning we had bread and butter."


def run_tour(window: Window, folder: Path, size: tuple[int, int], themes: Sequence[str] = THEMES) -> int:
    """Writes <room>-<theme>.png (<room>-<view>-<theme>.png) for every room and theme, and tour.json.

    Returns the exit code, 0 for success.
    """
    tour = _Tour(window, folder, size)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        visits = tour.walk(themes)
        seen = {"rooms": visits, "film": tour.play(themes), "class": tour.teach(themes)}
        seen["lessons"] = tour.learn(themes)
        (folder / "tour.json").write_text(json.dumps(seen, indent=2) + "\n", encoding="utf-8")
    except (TourError, OSError) as error:
        after = f" (after {len(tour.files)} pictures, the last of which is {tour.files[-1]})" if tour.files else ""
        print(f"The tour failed: {error}{after}", file=sys.stderr)
        return 1
    finally:
        window.close()
    print(f"The tour wrote {sum(map(len, seen.values()))} pictures to {folder}.")
    return 0


class _Tour(RoomPictures):
    def walk(self, themes: Sequence[str]) -> list[dict[str, object]]:
        """Through all rooms in these themes; one entry for each picture."""
        window, state = self._window, self._window.state
        window.show()
        self._wait("the model", lambda: state.model is not None)
        self._wait("the first reading", self._is_read)
        visits = []
        for theme_name in themes:
            window.appearance.set_look(theme_name)
            for room in ROOMS:
                self._prepare(room.key)
                visits += [self._visit(room.key, theme_name, view) for view in room.view_keys]
            visits += self._compare(theme_name)
            visits += self._visit_curves(theme_name)
            visits += self._visit_sweep(theme_name)
            visits += self._visit_endings(theme_name)
            visits += self._visit_swap(theme_name)
            visits += self._visit_texts(theme_name)
            visits += self._visit_class_demo(theme_name)
            visits += self._visit_slow_motion(theme_name)
            visits += self._visit_form(theme_name)
            visits += self._visit_film(theme_name)
            visits += self._visit_answers(theme_name)
        return visits

    def _compare(self, theme_name: str) -> Iterator[dict[str, object]]:
        """Beside another text, the model unchanged, another model and, where it is there, the first step."""
        window, state = self._window, self._window.state
        before = state.text_a, state.text_b
        state.set_text(*COMPARED)
        steps = window.services.time_machine.steps
        baselines: dict[str, Baseline | None] = {
            "text": OtherText(*BASELINE),
            "unchanged": None,
            "model": OtherModel(TINY),
        }
        if steps is not None:
            baselines["step"] = OtherModel(reference_to(steps.snapshots[0][1]))
        for name, baseline in baselines.items():
            state.set_what_if(NOTHING_CHANGED if baseline else WhatIf().with_layer(0, True))
            yield from self._visit_compared(theme_name, name, baseline)
        state.set_what_if(NOTHING_CHANGED)
        for name, room_key, view in COMPARED_ONCE:
            state.set_baseline(baselines[name])
            self._wait(f"the comparison with another {name}", window.is_settled)
            self._choose_changed_head()
            state.set_focus(CHANGED_TOKEN)
            yield self._visit(room_key, theme_name, view, file_as=f"{view}-compared-{name}")
        window.open_view("attend", "matrix")
        state.set_baseline(None)
        state.set_what_if(NOTHING_CHANGED)
        state.set_text(*before)

    def _choose_changed_head(self) -> None:
        """The one whose attention is farthest from the baseline's, where the two texts have as many tokens."""
        reading = self._window.state.reading
        if reading is not None and reading.baseline is not None:
            ours, theirs = reading.trace.attentions, reading.baseline.trace.attentions
            if ours.shape == theirs.shape:
                layer, head = divmod(int(abs(ours - theirs).sum((2, 3)).argmax()), ours.shape[1])
                self._window.state.set_head(layer, head)

    def _visit_compared(self, theme_name: str, name: str, baseline: Baseline | None) -> Iterator[dict[str, object]]:
        """Each room that shows both."""
        state = self._window.state
        state.set_baseline(baseline)
        state.set_wants_difference(True)
        open_view(self._window.open_room("attend"), "matrix")  # beside the heads that moved
        for room_key, views in COMPARING.items():
            for view in views:
                self._wait(f"the comparison with another {name}", self._window.is_settled)
                yield self._visit(room_key, theme_name, view, file_as=f"{view}-compared-{name}")

    def _visit_curves(self, theme_name: str) -> Iterator[dict[str, object]]:
        """Two trainings over one another, and the charts for experts; where the runs that ship are there."""
        runs = self._window.services.runs
        room = self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        curves, before = room.view.curves, runs.selected
        shipped = {run.path.name: run.path for run in runs.runs if run.is_built_in}
        if not {BUILT_IN, TINY} <= set(shipped):
            return
        runs.select(shipped[BUILT_IN])
        curves.toggle_compared(shipped[TINY])
        self._wait("the curves of two runs", lambda: not runs.is_reading)
        yield self._visit("train", theme_name, file_as="compared")
        curves.toggle_compared(shipped[TINY])
        curves.more.click()
        QApplication.processEvents()
        bar = curves.grid.verticalScrollBar()
        bar.setValue(bar.maximum())
        yield self._visit("train", theme_name, file_as="more")
        curves.more.click()
        runs.select(before)

    def _visit_sweep(self, theme_name: str) -> Iterator[dict[str, object]]:
        """Five learning rates, three seeds each: while they are trained, and at their end."""
        runs = self._window.services.runs
        room = self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        own = runs.runs
        for name, done in (("sweep-running", 7), ("sweep-finished", None)):
            with tempfile.TemporaryDirectory() as folder:
                runs.set_following(False)  # else what is in the home folder comes back meanwhile
                runs.set_runs([*recorded_sweep(Path(folder), done), *own])
                runs.show_sweep(SWEEP)
                yield self._visit("train", theme_name, file_as=name)
        runs.set_runs(own)
        runs.set_following(True)

    def _visit_endings(self, theme_name: str) -> Iterator[dict[str, object]]:
        """A run that is done, one with a warning, one that failed with its log."""
        runs = self._window.services.runs
        room = self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        before = runs.selected
        with tempfile.TemporaryDirectory() as folder:
            for name, run in recorded_runs(Path(folder)).items():
                runs.select(run)
                self._wait(f"the {name} run", lambda: not runs.is_reading)
                room.view.draw()
                if name == "failed":
                    room.view.ending.buttons[LOG].click()
                yield self._visit("train", theme_name, file_as=f"run-{name}")
            runs.select(before)

    def _visit_swap(self, theme_name: str) -> list[dict[str, object]]:
        """The view "Swap in" with the two texts that it offers, and a cell of its map in Layers, Predict and Attend."""
        state = self._window.state
        if state.model is None or "mlm" not in state.model.output_heads:
            return []
        room = self._window.open_room("layers")
        assert isinstance(room, LayersRoom)
        view = room.open_view("swap")
        assert isinstance(view, SwapView)
        before = state.text_a, state.text_b
        view.try_it.click()
        self._wait("the two texts", self._window.is_settled)
        self._wait("what comes back", lambda: not view.is_running)
        visits = [self._visit("layers", theme_name, "swap", "swap-texts")]
        row, token = state.model.layers // 2, SWAPPED_TOKEN
        view.charts["states"].clicked.emit((row, token), Qt.KeyboardModifier.NoModifier)
        self._wait("the pass with a place swapped in", self._window.is_settled)
        state.set_head(state.model.layers - 1, 0)  # above it: what is below is as it was
        for room_key, name in (("layers", "swap"), ("predict", "words"), ("attend", "matrix")):
            visits.append(self._visit(room_key, theme_name, name, f"{name}-swapped"))
        state.end_swap()
        state.set_baseline(None)
        state.set_text(*before)
        return visits

    def _visit_texts(self, theme_name: str) -> list[dict[str, object]]:
        """The view "Many texts" with the template and the minimal pairs that it offers."""
        model = self._window.state.model
        if model is None or "mlm" not in model.output_heads:
            return []
        room = self._window.open_room("predict")
        assert isinstance(room, PredictRoom)
        view = room.open_view("texts")
        assert isinstance(view, TextsView)
        view.try_texts(TEMPLATE)
        self._wait("the scores of the texts", lambda: not view.scores.is_running)
        visits = [self._visit("predict", theme_name, "texts", "texts-scored")]
        view.load(minimal_pairs_file())
        self._wait("the minimal pairs", lambda: not view.scores.is_running)
        return [*visits, self._visit("predict", theme_name, "texts", "texts-pairs")]

    def _visit_class_demo(self, theme_name: str) -> list[dict[str, object]]:
        """The finished class demo, how it was halfway, as when it is played again, and a change of its world."""
        run, runs = finished_demo(), self._window.services.runs
        if run is None:
            return []
        room = self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        page, visits, before = room.view.questions, [], runs.selected
        runs.select(run)
        self._wait("the answers of the class demo", lambda: page.score is not None)
        for name, measurement in (("class-demo-halfway", page.halfway), ("class-demo-finished", None)):
            page.show_measurement(measurement)
            visits.append(self._visit("train", theme_name, file_as=name))
        page.change.setChecked(True)
        page.row.show_world(World().with_word("mother", "uncle"))
        visits.append(self._visit("train", theme_name, file_as="class-demo-changed-world"))
        page.change.setChecked(False)
        visits += self._visit_batches(theme_name, room)
        runs.select(before)
        return visits

    def _visit_form(self, theme_name: str) -> Iterator[dict[str, object]]:
        """Before a run: what it would learn from and take, and a file of examples with a fault."""
        room = self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        estimator = self._window.services.runs.estimator
        room.form.set_kind("pretrain")
        room.runs_card.show_form()
        self._wait("the estimate of a run", lambda: not estimator.is_running)
        yield self._visit("train", theme_name, file_as="form")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / FAULTY[0]
            file.write_text(FAULTY[1], encoding="utf-8")
            room.form.set_kind("classify")
            room.form.set_file(file)
            self._wait("the fault in a file", lambda: not estimator.is_running)
            yield self._visit("train", theme_name, file_as="form-fault")
            room.form.set_kind("pretrain")
            room.runs_card.show_list()

    def _visit_batches(self, theme_name: str, room: TrainRoom) -> Iterator[dict[str, object]]:
        """Of the finished class demo: a batch with masked words, and one of its causal warm-up."""
        page = room.view.batch
        room.view.buttons[room.view.batch].click()
        for name, step in BATCHES.items():
            page.show_step(step)
            self._wait(f"the batch of step {step}", partial(page.shows, step))
            yield self._visit("train", theme_name, file_as=name)

    def _visit_slow_motion(self, theme_name: str) -> Iterator[dict[str, object]]:
        """A fine-tuning run at work, some steps of it one by one; and the batch of the last one."""
        if self._window.services.open_model.reference not in (None, *SHIPPED) or not SAMPLE.is_dir():
            return
        runs, room = self._window.services.runs, self._window.open_room("train")
        assert isinstance(room, TrainRoom)
        before, view = runs.selected, room.view
        with sample_run() as run:
            self._wait("the run for slow motion", partial(_is_training, run))
            runs.select(run)
            self._wait("what it does to the weights", view.buttons[view.weights].isEnabled)
            view.buttons[view.weights].click()
            view.slow_motion.ten.click()
            self._wait("ten slow steps", lambda: len(view.weights.steps) == SLOW_STEPS)
            yield self._visit("train", theme_name, file_as="slow-motion")
            view.slow_motion.to_batch.click()
            self._wait("the batch of the last slow step", lambda: view.batch.shows(view.batch.step))
            yield self._visit("train", theme_name, file_as="batch-fine-tuning")
            runs.select(before)

    def _visit_film(self, theme_name: str) -> list[dict[str, object]]:
        """The film strip of the tiny model, whose snapshots ship, and its text beside that of its first step.

        A model of somebody's own has had its own."""
        opener = self._window.services.open_model
        before = opener.reference
        if before not in (None, *SHIPPED):
            return []
        had_steps = self._window.services.time_machine.steps is not None  # then `_compare` has been to one of them
        opener.open(TINY)
        self._wait("the tiny model", lambda: opener.reference == TINY and self._is_read())
        self._prepare("film")
        visits = [self._visit("film", theme_name, file_as="tiny")]
        steps = self._window.services.time_machine.steps
        if not had_steps and steps is not None:
            state = self._window.state
            texts = state.text_a, state.text_b
            state.set_text(*COMPARED)
            visits += self._visit_compared(theme_name, "step", OtherModel(reference_to(steps.snapshots[0][1])))
            state.set_baseline(None)
            state.set_text(*texts)
        opener.open(before)
        self._wait("the model of before", lambda: not opener.is_opening and self._is_read())
        return visits

    def play(self, themes: Sequence[str]) -> list[dict[str, object]]:
        """The map at play: a picture of each kind of step."""
        made: list[dict[str, object]] = []
        for theme_name in themes:
            self._window.appearance.set_look(theme_name)
            made += self._play_map(theme_name)
        return made

    def _play_map(self, theme_name: str) -> Iterator[dict[str, object]]:
        room = self._window.open_room("map")
        assert isinstance(room, MapRoom)
        view = room.open_view("model")
        assert isinstance(view, MapView)
        self._wait("the map", self._window.is_settled)
        steps = view.map.steps
        for number, kind in enumerate(("cut", "add", "look", "think")):
            view.map.go_to(number + (FILM_AT if number < 3 else 0.9))
            yield self._picture(f"map-film-{kind}", theme_name)
        view.map.go_to(len(steps) - 0.01)
        yield self._picture("map-film-answer", theme_name)
        view.map.go_to(None)

    def _visit_answers(self, theme_name: str) -> list[dict[str, object]]:
        """A fine-tuned model that ships, with its answer beside that to another text, unchanged, or of its base; its
        answers to labelled examples, and without some of its heads."""
        opener, state = self._window.services.open_model, self._window.state
        before, texts = opener.reference, (state.text_a, state.text_b)
        if before not in (None, *SHIPPED):
            return []
        opener.open(REVIEWER)
        self._wait("the fine-tuned model", lambda: opener.reference == REVIEWER and self._is_read())
        state.set_text(*REVIEWS[0])
        state.set_baseline(OtherText(*REVIEWS[1]))
        self._wait("the two answers", self._window.is_settled)
        visits = [self._visit("apply", theme_name, file_as="compared-text")]
        visits.append(self._visit("map", theme_name, "model", "fine-tuned-compared-text"))
        state.set_baseline(None)
        state.set_what_if(WhatIf().with_layer(0, True))
        self._wait("the answer of the unchanged model", self._window.is_settled)
        visits.append(self._visit("apply", theme_name, file_as="compared-unchanged"))
        state.set_what_if(NOTHING_CHANGED)
        state.set_baseline(OtherModel(None))
        self._wait("the model before fine-tuning", self._window.is_settled)
        visits.append(self._visit("apply", theme_name, file_as="compared-model"))
        room = self._window.open_room("layers")
        assert isinstance(room, LayersRoom)
        view = room.open_view("weights")
        assert isinstance(view, WeightsView)
        self._wait(
            "what fine-tuning changed", lambda: self._window.is_settled() and view.asked["changes"].answer is not None
        )
        visits.append(self._visit("layers", theme_name, "weights", "weights-fine-tuned"))
        state.set_baseline(None)
        for view_key in ("examples", "lost"):
            visits.append(self._visit("evidence", theme_name, view_key, f"{view_key}-fine-tuned"))
        for name, pair in TASK_ENDS.items():
            opener.open(name)
            self._wait(name, lambda name=name: opener.reference == name and self._is_read())  # type: ignore[misc]
            state.set_text(*pair)
            visits.append(self._visit("map", theme_name, "model", name))
        state.set_text(*texts)
        opener.open(before)
        self._wait("the model of before", lambda: not opener.is_opening and self._is_read())
        return visits

    def teach(self, themes: Sequence[str]) -> list[dict[str, object]]:
        """For a class: the offer of the tour, a round of the game, and the first page of a hand-out."""
        window, made = self._window, []
        self._look(themes[0])
        self._prepare("predict")
        window.open_view("predict", "words")
        window.services.settings.tour_offered = False
        window.lessons.offer_tour()
        made.append(self._picture("first-start", themes[0]))
        window.offers.end(TOUR)
        reading = window.state.reading
        assert reading is not None
        sheet = lab_sheet(reading, window.state.selection)
        for name, html in (("lab-sheet", sheet.html), ("lab-sheet-answers", sheet.answers)):
            self._save(_first_page(html), f"{name}.png")
            made.append({"name": name, "file": f"{name}.png"})
        for theme_name in themes:
            self._look(theme_name)
            made += self._play(theme_name)
            made.append(self._collect(theme_name))
        return made

    def _collect(self, theme_name: str) -> dict[str, object]:
        """What a class might hand in for one lesson: most are right, each skips something."""
        window = self._window
        window.open_view("embed", "parts")
        shipped, state = shipped_lessons()[COLLECTED], window.sessions.current()
        asked = [(page.title, page.question) for page in load_lesson(shipped.file, room_views()).pages if page.question]
        with tempfile.TemporaryDirectory() as folder:
            for student in range(CLASS):
                answers = []
                for number, (title, question) in enumerate(asked):
                    wrong = [option for option in question.options if option.is_right is False]
                    right = [option for option in question.options if option.is_right is True]
                    is_right = (student + 3 * number) % (number + 3) > 0
                    chosen = (right if is_right else wrong)[:1]
                    given, judged = (chosen[0].text, is_right) if chosen else (IDEAS[student % len(IDEAS)], None)
                    if (student + number) % 9:
                        answers.append(Answer(title, question.kind, question.text, given, judged, state))
                text = answers_as_json(HandIn(f"S{student + 1}", shipped.title, tuple(answers)))
                (Path(folder) / f"{student}{ENDING}").write_text(text, encoding="utf-8")
            page = window.lessons.show_answers(Path(folder))
            while page.handed_in.is_behind:
                page.look()
            made = self._picture("class-answers", theme_name)
            page.close()
        return made

    def _play(self, theme_name: str) -> Iterator[dict[str, object]]:
        """A round of the game, with guesses of the class that are good but for the first; then an own sentence."""
        window = self._window
        view = window.open_room("game").view  # type: ignore[attr-defined]
        assert isinstance(view, GameView)
        if view.is_stuck:
            return
        view.restore(Game(load_puzzles()))
        view.go_on()
        self._wait("the reading for the game", self._is_read)
        yield self._picture("game-guess", theme_name)
        assert view.game.puzzle is not None
        view.line.setText(f"thing, {view.game.puzzle.answer}")
        view.go_on()
        self._wait("the answer of the game", lambda: view.game.phase is Phase.SHOWN)
        yield self._picture("game-answer", theme_name)
        view.own.click()
        view.own_text.setText(OWN_SENTENCE)
        yield self._picture("game-own", theme_name)
        view.end.click()
        yield self._picture("game-end", theme_name)

    def learn(self, themes: Sequence[str]) -> list[dict[str, object]]:
        """Every page of every lesson in the first theme, the first page of each in the others.

        Lessons are about the models that ship: with another one they are left out.
        """
        window = self._window
        if window.services.open_model.reference not in (None, *SHIPPED):
            return []
        made = []
        for theme_name in themes:
            self._look(theme_name)
            for shipped in shipped_lessons():
                window.lessons.open(shipped.file)
                player = window.lessons.player
                assert player is not None and player.lesson is not None
                count = len(player.lesson.pages) if theme_name == themes[0] else 1
                for number in range(count):
                    started = time.perf_counter()
                    player.go(number)
                    self._wait(f"page {number + 1} of {shipped.file.name}", self._is_on_page)
                    ms = (time.perf_counter() - started) * 1000
                    name = f"lesson-{shipped.file.stem}-{number + 1}"
                    made.append(self._picture(name, theme_name) | {"ms": round(ms, 1)})
        window.lessons.close()
        return made

    def _is_on_page(self) -> bool:
        """True when the window shows what the page of the lesson sets."""
        player = self._window.lessons.player
        return player is not None and player.start is not None


def _is_training(run: Path) -> bool:
    """True once it has taken a step; raises TourError where it ended before."""
    status = RunFolder(run).status()
    if status.state == "failed":
        raise TourError(status.message or "it failed")
    return status.step >= 1


def _first_page(html: str) -> QImage:
    """As it is printed."""
    width, height = PAGE_PX + 2 * MARGIN_PX, round((PAGE_PX + 2 * MARGIN_PX) * math.sqrt(2))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    document = document_of(html)
    document.setPageSize(QSizeF(PAGE_PX, height - 2 * MARGIN_PX))
    with QPainter(image) as painter:
        painter.translate(MARGIN_PX, MARGIN_PX)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = QRectF(0, 0, PAGE_PX, height - 2 * MARGIN_PX)
        context.palette.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.black)  # as a printer has it, in any theme
        document.documentLayout().draw(painter, context)
    return image
