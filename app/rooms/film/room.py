"""Room Film strip: every snapshot of the open model's run side by side, below the loss of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.locations import TINY

from ...compute.over_time import Text
from ...compute.question import PAUSE_MS, Question
from ...figures.figure import Axis, Figure, Numbers, Picture, caption_of, joined, model_hash
from ...look import numbers, theme
from ...look.say import say
from ...runs.stages import Steps
from ...state.explore_state import ExploreState
from ...state.readings import Reading
from ...widgets.card import Card, button, label, tip
from ...widgets.charts.drawing import Drawing, Shape
from ...widgets.charts.pointer import ARROWS
from ...widgets.figure_button import FigureAction, FigureButton
from ...widgets.layouts import fill, vbox
from ...widgets.pages import tab_bar
from ...widgets.progress_line import ProgressLine
from ...widgets.spots import name_spot
from ..room import Room
from .content import Frame, LossCurve, MadeFrames, film_of
from .picture import ATLAS, HEAD, PICTURES, WORDS, Film, FilmPainter

Cell = tuple[int, ...]  # (snapshot) by index, or (layer, head) of the large picture


@dataclass(frozen=True)
class PaintedFilm:
    film: FilmPainter
    large: int | None  # the snapshot shown large, by index
    hovered: int | None

    def paint(self, painter: QPainter) -> None:
        self.film.paint(painter, self.large, self.hovered)


class FilmStrip(Drawing):
    """A click is on a column or on a head of the large picture."""

    hint_px, least_px = (900, 520), (420, 270)

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("Film strip: a column for each snapshot, from the first step to the last"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.film = Film((), {})
        self._painter: FilmPainter | None = None

    def show_film(self, film: Film) -> None:
        self.film, self._painter = film, None
        said = (self._described(index) for index in sorted(film.frames))
        self.setAccessibleDescription(". ".join(said))
        self.update()

    @property
    def painter(self) -> FilmPainter:
        """For the size of the widget."""
        if self._painter is None or (self._painter.width, self._painter.height) != (self.width(), self.height()):
            self._painter = FilmPainter(self.film, self.width(), self.height())
        return self._painter

    def _described(self, index: int) -> str:
        frame = self.film.frames[index]
        guesses = self.film.guesses(frame)
        step = say("step {step}", step=numbers.count(frame.step))
        if guesses is None:
            return step
        share = "" if guesses.best_share is None else numbers.percent(guesses.best_share)
        return f"{step}: {guesses.best} {share}".strip()

    def cell_at(self, point: QPointF) -> Cell | None:
        if not self.film.snapshots:
            return None
        column = self.painter.plan.column_at(point.x(), point.y())
        if column is not None:
            return (column,)
        for layer, row in enumerate(self.painter.large_cells()):
            for head, box in enumerate(row):
                if box.contains(point):
                    return layer, head
        return None

    def cell_after(self, cell: Cell | None, key: int) -> Cell | None:
        if key not in ARROWS or not self.film.snapshots:
            return None
        shown = self.painter.plan.shown
        at = shown.index(cell[0]) if cell is not None and len(cell) == 1 and cell[0] in shown else None
        step = sum(ARROWS[key])
        return (shown[min(max((-1 if at is None and step > 0 else at or 0) + step, 0), len(shown) - 1)],)

    def selected_cell(self) -> Cell | None:
        return (self.film.now,) if self.film.now in self.painter.plan.shown else None

    def overlay(self) -> Iterator[Shape]:
        """All of it: what is under the pointer is large."""
        if self.film.snapshots:
            pointed = self.hovered_cell
            hovered = pointed[0] if pointed is not None and len(pointed) == 1 else None
            yield PaintedFilm(self.painter, hovered if hovered in self.film.frames else None, hovered)

    def shapes(self) -> Iterator[Shape]:
        return iter(())


class FilmRoom(Room):
    """The worker opens one snapshot after the other; the open model stays open."""

    key = "film"
    snapshot_requested = Signal(object)  # Path: to be opened in every room

    def __init__(self, state: ExploreState, steps_of: Callable[[], Steps | None]) -> None:
        """steps_of: gives the run of the open model; None where it has kept no snapshots."""
        super().__init__(state)
        self.steps: Steps | None = None
        self._steps_of = steps_of
        self._frames: dict[Path, Frame] = {}  # by snapshot, as far as the worker has come; of `_made_for`
        self._made_for: tuple[object, ...] = ()
        self._on_worker = MadeFrames()
        self._curve: LossCurve | None = None
        self._is_typing = False
        self.question: Question[None] = Question(self, lambda _answer: self._show(), self._on_piece_arrived)
        self.question.requested.connect(self.question_requested)
        self.strip = FilmStrip()
        self.card = Card(" ")
        names = {
            ATLAS: (say("All heads"), say("Every attention head, small")),
            HEAD: (say("One head"), say("The selected head")),
            WORDS: (say("Words"), say("The most likely words for the hidden one")),
        }
        self.tabs = tab_bar(names, say("What the film strip shows"), small=True)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.setUsesScrollButtons(False)
        self.save = FigureButton(self.figure_of_strip, self.card, say("Film strip"))
        self.animate = button(
            say("Save as animation…"),
            partial(self.save.request, FigureAction.SAVE_ANIMATION),
            look="small",
            hint=say("GIF, WebP, or a page with a slider"),
        )
        for widget in (self.tabs, self.animate, self.save):
            self.card.add_to_header(widget)
        self.animate.setVisible(not theme.is_projector())  # there the list of commands has it
        self._stack = QStackedWidget()
        self._stack.addWidget(self.card)
        self._stack.addWidget(self._none())
        self.progress = ProgressLine([self.question])
        fill(self.card.body, (self.strip, 1), self.progress)
        name_spot(self._stack, "film.view")
        vbox((self._stack, 1), parent=self.content)
        kept = str(state.kept.get("film.picture"))
        self.tabs.setCurrentIndex(PICTURES.index(kept) if kept in PICTURES else 0)
        self.tabs.currentChanged.connect(self._on_tabs_changed)
        self.strip.clicked.connect(self._on_strip_clicked)
        self.strip.hovered.connect(lambda _cell: self._say_hint())

    @property
    def picture(self) -> str:
        """One of PICTURES."""
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    def follow_steps(self) -> None:
        """Another model is open, or its run has another snapshot."""
        self.steps = self._steps_of()
        if self.is_drawn and self.state.reading is not None:
            self.draw_reading(self.state.reading)

    def draw_reading(self, reading: Reading) -> None:
        self._ask(PAUSE_MS if self._is_typing else 0)
        self._is_typing = True
        self._show()

    def draw_focus(self, reading: Reading) -> None:
        self._show()

    def draw_head(self, reading: Reading) -> None:
        self._show()

    def leave(self) -> None:
        super().leave()
        self._is_typing = False
        self.question.cancel()

    # What is computed.

    def _ask(self, pause_ms: int) -> None:
        state, steps = self.state, self.steps
        if steps is None:
            self.question.clear()
            return
        is_task = state.model is not None and state.model.task is not None
        editors = tuple(sorted(state.applied_texts.items())) if is_task else ()
        text = Text(state.text_a, state.text_b, state.mask_places, editors)
        made_for = (steps.run, text, state.token_view)
        if made_for != self._made_for:
            self._made_for, self._frames, self._curve = made_for, {}, None
        asked = self._on_worker, steps.run, steps.snapshots, text, state.token_view
        self.question.ask(film_of, *asked, pause_ms=pause_ms)

    def _on_piece_arrived(self, piece: Frame | LossCurve) -> None:
        if isinstance(piece, Frame):
            self._frames[piece.folder] = piece
        else:
            self._curve = piece
        self._show()

    # What is shown.

    def _show(self) -> None:
        self._stack.setCurrentIndex(0 if self.steps is not None else 1)
        model = self.state.model
        if self.steps is not None and self.is_drawn:
            self.card.set_title(say("Film strip of {run}", run=self.steps.run.name))
            film = self._film(self.steps)
            self._show_words(film.is_task)
            self.strip.show_film(film)
        elif model is not None:
            self._none_title.setText(say("{model} has no snapshots", model=model.name))
        self._say_hint()

    def _show_words(self, is_task: bool) -> None:
        """Of a fine-tuned model its answers, not words for a mask."""
        intro = say("The same text, read by the same model at each saved step of its training: from noise to patterns.")
        name, hint = say("Words"), say("The most likely words for the hidden one")
        if is_task:
            intro = say(
                "The same text, read by the same model at each saved step of fine-tuning: when is it sure of its "
                "answer?"
            )
            name, hint = say("Answer"), say("What the fine-tuned model answers")
        self.card.set_intro("" if theme.is_projector() else intro)
        self.tabs.setTabText(PICTURES.index(WORDS), name)
        self.tabs.setTabToolTip(PICTURES.index(WORDS), tip(f"{name}: {hint}"))

    def _film(self, steps: Steps) -> Film:
        index = {path: at for at, (_, path) in enumerate(steps.snapshots)}
        frames = {index[folder]: frame for folder, frame in self._frames.items() if folder in index}
        model = self.state.model
        now = next((at for at, (step, _) in enumerate(steps.snapshots) if model and step == model.step), None)
        return Film(
            tuple(step for step, _ in steps.snapshots),
            frames,
            self._curve,
            self.picture,
            (self.state.layer, self.state.head),
            self.state.focus,
            now if now is not None else len(steps.snapshots) - 1,
            model is not None and model.task is not None,
        )

    def _say_hint(self) -> None:
        film = self.strip.film
        shown, count = (len(self.strip.painter.plan.shown), len(film.snapshots)) if film.snapshots else (0, 0)
        text = say("%n snapshot(s)", n=count) if count else ""
        self.card.set_hint(say("{shown} of %n snapshot(s)", n=count, shown=shown) if shown < count else text)
        cell = self.strip.hovered_cell
        is_column = cell is not None and len(cell) == 1
        self.hover_text_changed.emit(
            say("Click to open this snapshot everywhere, from Map to Layers") if is_column else ""
        )

    def _none(self) -> QWidget:
        card = Card(say("Film strip"))
        self._none_title = label("", "title")
        sentence = say(
            "A film strip shows one model at several saved steps (snapshots) of its training, side by side: how its "
            "attention and its guesses change. {tiny} has ten."
        )
        reason = label(sentence.format(tiny=TINY), "muted", wrap=True)
        name = say("Open {model}", model=TINY)
        self.open_tiny = button(name, lambda: self.model_requested.emit(TINY), look="primary")
        card.fill_with_message(self._none_title, reason, self.open_tiny)
        return card

    def _on_tabs_changed(self) -> None:
        self.state.kept["film.picture"] = self.picture
        self._show()

    def _on_strip_clicked(self, cell: tuple[int, ...]) -> None:
        """On a column, or on a head of the large picture."""
        if len(cell) > 1:
            self.state.set_head(*cell)
        elif self.steps is not None and cell[0] < len(self.steps.snapshots):
            self.snapshot_requested.emit(self.steps.snapshots[cell[0]][1])

    # What is saved.

    def figure_of_strip(self) -> Figure | None:
        """As it is now, with all its snapshots as frames."""
        reading, steps, film = self.state.reading, self.steps, self.strip.film
        if reading is None or steps is None or not film.frames or not self.is_drawn:
            return None
        painter = FilmPainter(replace(film), self.strip.width(), self.strip.height())
        whole = self.strip.width(), self.strip.height()
        last = model_hash(steps.snapshots[-1][1])
        at = say("snapshots at training steps {steps}")
        said = joined(
            f"{steps.run.name} {last}".strip(), at.format(steps=", ".join(map(numbers.count, film.snapshots)))
        )
        caption = caption_of(reading, self.state.selection, head=film.picture == HEAD, plain=True, model=said)
        frames = {
            say("step {step}", step=numbers.count(frame.step)): Picture(*whole, partial(painter.paint, now=index))
            for index, frame in sorted(film.frames.items())
        }
        title = say("From noise to patterns: {run}", run=steps.run.name)
        hint = say("Row: the token that looks. Column: what it looks at. Stronger colour: more.")
        return Figure(
            title,
            Picture(*whole, painter.paint),
            dict(_numbers(film)),
            caption,
            steps.run.name,
            hint if film.picture != WORDS else "",
            frames,
        )


def _numbers(film: Film) -> Iterator[tuple[str, Numbers]]:
    """Of the frames that there are."""
    frames = [film.frames[index] for index in sorted(film.frames)]
    steps = Axis("training step", [str(frame.step) for frame in frames])
    if film.curve is not None:
        yield "loss", Numbers(np.array([film.curve.at(frame.step) for frame in frames]), (steps,))
    guesses = [film.guesses(frame) for frame in frames]
    found = [guess.words for guess in guesses if guess is not None]
    if len(found) == len(frames):
        rank = Axis("rank", first=1)
        yield "word", Numbers(np.array([[word for word, _ in words] for words in found]), (steps, rank))
        shares = np.array([[share for _, share in words] for words in found], dtype=np.float64)  # NaN: it has none
        yield "probability", Numbers(shares, (steps, rank))
    size = frames[0].heads.shape[-1]
    labels = frames[0].labels if len(frames[0].labels) == size else ()
    tokens = Axis("token that looks", labels), Axis("what it looks at", labels)
    heads = np.stack([frame.heads for frame in frames])
    if film.picture == HEAD:
        layer, head = film.head
        yield "attention", Numbers(heads[:, layer, head], (steps, *tokens))
    elif film.picture == ATLAS:
        yield "attention", Numbers(heads, (steps, Axis("layer", first=1), Axis("head", first=1), *tokens))
