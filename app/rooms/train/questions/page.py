"""What a run answers to its questions at each measurement: one in large type, all on a board, beside the loss."""

from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget

from bertcore.data.cloze import ClozeSentence
from bertcore.data.small_world import World
from bertcore.runs.run_metrics import QuestionScore, read_score

from ....look import mark, numbers, say, theme
from ....look.fitting import fitting_line
from ....runs.run_info import read_questions
from ....runs.run_state import RunState
from ....widgets.card import button, label, show_text
from ....widgets.charts.bars import ROW_PX, Bar, BarList
from ....widgets.controls import Choice
from ....widgets.curve_plot import CurvePlot
from ....widgets.curve_specs import PlotSpec
from ....widgets.layouts import hbox, held, show_if, vbox
from .pictures import GuessedSentence, QuestionBoard
from .world import WorldRow, worlds_of

MOST_FLIPS = 4  # that are named
REPLAY_MS = 300  # between two measurements, when a run is played again


class QuestionsPage(QWidget):
    """Shows the newest measurement, or one after the other when it is played again."""

    text_chosen = Signal(str)  # the question that is looked at, with its [MASK]
    step_shown = Signal(object)  # int: the measurement on show is that of this step; None: the newest
    room_requested = Signal(str, str)  # key of a room, the question's text

    def __init__(self, state: RunState, loss: PlotSpec) -> None:
        super().__init__()
        self._state = state
        self._questions: tuple[ClozeSentence, ...] = ()
        self._scores: list[QuestionScore] = []
        self._chosen = 0
        self._at: int | None = None  # which measurement is on show; None: the newest
        self._player = QTimer(self, interval=REPLAY_MS)
        self._player.timeout.connect(self._on_player_timeout)
        self.sentence, self.board, self.plot = GuessedSentence(), QuestionBoard(), CurvePlot(loss)
        hint = say("Change a word of a sentence, train again and see which boxes change with it")
        self.change = button(say("Change the world"), look="small", checkable=True, hint=hint)
        self.beside = Choice(say("The world beside this one"), None, self._draw)
        self.row, self.flips = WorldRow(state), label("", "strong", wrap=True)
        self.bars = BarList(say("The model’s first three words"))
        self.count, self.since = label("", "number"), label("", "muted")
        hint = say("From the first step to the last")
        self.play = button(say("Play again"), self._on_play_clicked, look="small", hint=hint)
        self.ending, self.ending_label = QFrame(), label("", "strong", wrap=True)
        self.bars.setFixedHeight(3 * theme.row_px(ROW_PX))
        rooms = {
            "attend": (say("See its heads"), say("Open this model in Attend")),
            "predict": (say("Try other words"), say("Open this model in Predict")),
            "map": (say("See the whole model"), say("Open this model in Map")),
        }
        self.room_buttons = {
            key: button(title, partial(self._open_room, key), hint=hint) for key, (title, hint) in rooms.items()
        }
        self.ending.setProperty("look", "task-done")
        margins = (theme.px(10), theme.px(6), theme.px(10), theme.px(6))
        buttons = hbox(*self.room_buttons.values(), None, self.play, gap_px=6)
        vbox(self.ending_label, buttons, parent=self.ending, gap_px=4, margins=margins)
        self.ending.hide()
        first = hbox((self.sentence, 1), self.beside, self.change, gap_px=6)
        score = vbox(self.count, self.since, None, gap_px=0)
        if theme.is_projector():  # the guesses stand where the loss does elsewhere: all of the page is in sight
            self.plot.hide()
            self._guesses = held(vbox(self.bars, score, None, gap_px=8))
            above, below = [], hbox(self.board, (self._guesses, 1), gap_px=16)
        else:
            self._guesses = held(hbox((self.bars, 1), score, gap_px=16))
            above, below = [self._guesses], hbox(self.board, (self.plot, 1), gap_px=16)
        vbox(first, self.row, *above, self.flips, (below, 1), self.ending, parent=self, gap_px=8)
        self.change.toggled.connect(self.row.setVisible)
        self.change.toggled.connect(self._guesses.setHidden)
        self.change.toggled.connect(self._draw_ending)
        self.row.hide()
        self._show_worlds()
        self.board.chosen.connect(self._on_board_chosen)
        state.run_changed.connect(self._on_run_changed)

    @property
    def question(self) -> ClozeSentence | None:
        """The one in large type."""
        return self._questions[self._chosen] if self._questions else None

    @property
    def score(self) -> QuestionScore | None:
        """The measurement on show."""
        if not self._scores:
            return None
        return self._scores[-1 if self._at is None else min(self._at, len(self._scores) - 1)]

    @property
    def shown_step(self) -> int | None:
        """Of an earlier measurement that is on show; None: the newest is."""
        return None if self._at is None or self.score is None else self.score.step

    @property
    def halfway(self) -> int | None:
        """The first measurement with half of the questions right; None where there is none."""
        return next((i for i, score in enumerate(self._scores) if 2 * score.right >= len(score.is_right)), None)

    def _on_run_changed(self) -> None:
        """Its measurements come next."""
        self._stop_playing()
        self._questions, self._scores, self._at = (), [], None
        self.board.set_questions(())
        self._show_worlds()
        self._draw()

    def show_status(self) -> None:
        if self.score is None:
            self._draw()
        self._draw_ending()

    def show_scores(self, scores: list[QuestionScore]) -> None:
        """All measurements so far, by step."""
        if len(scores) == len(self._scores):
            return
        self._scores = list(scores)
        if not self._questions and scores:
            questions = read_questions(self._state.run.path)  # the run's own file is there by its first measurement
            if len(questions) == len(scores[0].is_right):
                self._questions = questions
                self.board.set_questions(questions)
                self._show_worlds()
                categories = [question.category for question in questions]
                self._choose(categories.index(categories[-1]))
        self._draw()

    def show_measurement(self, index: int | None) -> None:
        """One measurement of the run; None: the newest."""
        self._at = index
        self.plot.set_marked(self.shown_step)
        self.step_shown.emit(self.shown_step)
        self._draw()

    # --- drawing

    def _draw(self) -> None:
        score, question = self.score, self.question
        if score is None or question is None:
            self.sentence.show_guess(say("Getting ready: a few seconds…") if self._state.run.status.active else "")
            self.bars.set_bars([])
            self.count.setText("")
            self.since.setText("")
        else:
            words, is_right = score.guesses[self._chosen], score.is_right[self._chosen]
            accepted = {answer.lower() for answer in question.answers}
            self.sentence.show_guess(question.text, words[0][0] if words else "", is_right)
            self.bars.set_bars([_bar(word, share, word.lower() in accepted) for word, share in words])
            self.count.setText(say("{right} of {all} right", right=score.right, all=len(score.is_right)))
            step, first = numbers.count(score.step), self._scores[0].right
            self.since.setText(say("at step {step} · at the start: {right}", step=step, right=first))
            self._draw_board(score)
        self._draw_ending()

    def _draw_board(self, score: QuestionScore) -> None:
        """With what the model of another world says, where one stands beside this one."""
        run, all_ = self.beside.currentData(), len(score.guesses)
        other = None if run is None else read_score(0, (run.held_out or {}).get("questions"))
        scores = (score, other) if other is not None and len(other.guesses) == all_ else ()
        said = ((words[0][0] if words else "" for words in each.guesses) for each in scores)
        pairs = tuple(zip(*said, strict=True))
        self.board.set_right(score.is_right, pairs)
        flips, name = [f"{there} → {here}" for here, there in pairs if here != there], run.name if pairs else ""
        words = mark("{flips} of {all} boxes say another word than in “{other}” (orange: there → here).")
        shown = f"{say(words, flips=len(flips), all=all_, other=name)} {', '.join(flips[:MOST_FLIPS])}"
        show_text(self.flips, shown if pairs else "")
        self.plot.setVisible(not pairs and not theme.is_projector())

    def _show_worlds(self) -> None:
        """Another run: a changed world has that of the unchanged one beside it."""
        world = World.of(self._questions)
        self.beside.clear()
        self.beside.addItem(say("no other world"), None)
        for run in worlds_of(self._state) if world is not None else ():
            self.beside.addItem(fitting_line(run.name), run)
        self.beside.setCurrentIndex(1 if world is not None and world.changes and self.beside.count() > 1 else 0)
        self.row.show_world(world or World())
        self.change.setChecked(False)
        show_if(world is not None, self.change)
        show_if(self.beside.count() > 1, self.beside)

    def _draw_ending(self) -> None:
        """One sentence on what happened, or on what one can do while the run is at work."""
        run, has_begun = self._state.run, bool(self._scores) and bool(self._questions)
        if has_begun and run.status.active:
            self.ending_label.setText(
                say("At work. A click on a box shows its question; its newest snapshot opens here:")
            )
        elif has_begun:
            first, last = self._scores[0], self._scores[-1]
            sentence = mark("It ended at step {step}: {now} of {all} questions right, {before} at the start.")
            step, count = last.step if self.shown_step is None else self.shown_step, len(last.is_right)
            if self.shown_step is not None:
                sentence = mark("As it was at step {step}")
            elif run.status.state == "done":
                sentence = mark("Done: {before} of {all} questions right at the start, {now} after training ({time}).")
            # a run that ships was trained on another computer
            time = say("%n step(s)", n=last.step) if run.is_built_in else numbers.duration(run.status.elapsed_s)
            words: dict[str, Any] = {"now": last.right, "all": count, "before": first.right, "time": time}
            self.ending_label.setText(say(sentence, step=numbers.count(step), **words))
        self.ending.setVisible(has_begun and not self.change.isChecked())
        self.play.setEnabled(not run.status.active)
        self.play.setText(say("Stop playing") if self._player.isActive() else say("Play again"))

    # --- what the person does

    def _on_board_chosen(self, index: int) -> None:
        self._choose(index)
        self._draw()

    def _choose(self, index: int) -> None:
        self._chosen = index
        self.board.select(index)
        self.text_chosen.emit(self._questions[index].text)
        if not self.change.isHidden():
            self.row.show_fact(index)

    def _open_room(self, key: str) -> None:
        if self.question is not None:
            self.room_requested.emit(key, self.question.text)

    def _on_play_clicked(self) -> None:
        if self._player.isActive():
            self._stop_playing()
            return
        self._player.start()
        self.show_measurement(0)

    def _on_player_timeout(self) -> None:
        at = 0 if self._at is None else self._at + 1
        if at < len(self._scores):
            self.show_measurement(at)
        else:
            self._stop_playing()

    def _stop_playing(self) -> None:
        self._player.stop()
        if self._at is not None:
            self.show_measurement(None)
        self._draw_ending()


def _bar(word: str, share: float, is_answer: bool) -> Bar:
    sign = say("the right word") if is_answer and not theme.is_projector() else ""
    note = say("inside a word") if word.startswith("##") else ""
    return Bar(word, numbers.percent(share), share, "good" if is_answer else "bar", is_answer, sign, note)
