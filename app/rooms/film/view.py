"""The film strip: every snapshot of the open model's run side by side, below the loss of the run."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSizePolicy

from bertcore.locations import TINY
from bertcore.tokenizer.text_spans import places_of

from ...compute.over_time import Text
from ...compute.question import Question, ignore
from ...figures.figure import Axis, Figure, Numbers, Picture, caption_of, joined, model_hash
from ...look import numbers, say, theme
from ...runs.stages import Steps
from ...state import Reading, Selection
from ...widgets.card import Card, button, label, tip
from ...widgets.charts.drawing import Drawing, Shape
from ...widgets.charts.pointer import ARROWS
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import fill, stacked, vbox
from ...widgets.pages import tab_bar
from ..view import View
from .content import Frame, LossCurve, MadeFrames, film_of
from .picture import ATLAS, HEAD, PICTURES, WORDS, Film, FilmPicture

Cell = tuple[int, ...]  # (snapshot) by index, or (layer, head) of the large picture


class FilmStrip(Drawing):
    """A click is on a column or on a head of the large picture. The snapshot under the pointer is large."""

    hint_px, least_px = (900, 520), (420, 270)

    def __init__(self) -> None:
        super().__init__(
            say("Film strip: a column for each snapshot, from the first step to the last"), Qt.FocusPolicy.StrongFocus
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.film, self._picture = Film((), {}), FilmPicture(Film((), {}), 1, 1)
        self.hovered.connect(self.redraw)

    def show_film(self, film: Film) -> None:
        self.film, texts = film, []
        for _, frame in sorted(film.frames.items()):
            guesses, text = film.guesses(frame), film.step_name(frame)
            if guesses is not None:
                word, share = guesses.best
                text = f"{text}: {word} {'' if share is None else numbers.percent(share)}".strip()
            texts.append(text)
        self.setAccessibleDescription(". ".join(texts))
        self.redraw()

    @property
    def picture(self) -> FilmPicture:
        """For the size of the widget."""
        size = self.width(), self.height()
        if self._picture.film is not self.film or self._picture.size != size:
            self._picture = FilmPicture(self.film, *size)
        return self._picture

    def cell_at(self, point: QPointF) -> Cell | None:
        if not self.film.snapshots:
            return None
        column, large = self.picture.plan.column_at(point), enumerate(self.picture.large_cells())
        heads = ((layer, head) for layer, row in large for head, box in enumerate(row) if box.contains(point))
        return next(heads, None) if column is None else (column,)

    def cell_after(self, cell: Cell | None, key: int) -> Cell | None:
        if key not in ARROWS or not self.film.snapshots:
            return None
        shown = self.picture.plan.shown
        at = shown.index(cell[0]) if cell is not None and len(cell) == 1 and cell[0] in shown else None
        step = sum(ARROWS[key])
        return (shown[min(max((-1 if at is None and step > 0 else at or 0) + step, 0), len(shown) - 1)],)

    def selected_cell(self) -> Cell | None:
        return (self.film.now,) if self.film.now in self.picture.plan.shown else None

    @property
    def pointed(self) -> int | None:
        """The snapshot whose column is under the pointer."""
        cell = self.hovered_cell
        return cell[0] if cell is not None and len(cell) == 1 else None

    def shapes(self) -> Iterator[Shape]:
        if self.film.snapshots:
            yield from self.picture.shapes(self.pointed if self.pointed in self.film.frames else None, self.pointed)


class FilmView(View):
    """The worker opens one snapshot after the other; the open model stays open."""

    snapshot_chosen = Signal(object)  # Path: to be opened in every room
    model_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.steps: Steps | None = None  # of the run of the open model; None where it has kept no snapshots
        self.texts: Mapping[str, str] = {}  # kind of task -> what is in the room Apply, such as a passage
        self._frames: dict[Path, Frame] = {}  # by snapshot, as far as the worker has come; of `_made_for`
        self._made_for: tuple[object, ...] = ()
        self._on_worker = MadeFrames()
        self._curve: LossCurve | None = None
        self.question: Question[None] = self.add_question(ignore, arrived=self._on_piece_arrived)
        self.strip, self.card = FilmStrip(), Card(" ")
        names = {
            ATLAS: (say("All heads"), say("Every attention head, small")),
            HEAD: (say("One head"), say("The selected head")),
            WORDS: (say("Words"), say("The most likely words for the hidden one")),
        }
        self.tabs = tab_bar(names, say("What the film strip shows"), small=True)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.setUsesScrollButtons(False)
        save = FigureButton(self.figure_of_strip, self.card, say("Film strip"), has_frames=True)
        self.card.add_to_header(self.tabs, save)
        self.progress = self.own_line(self.question)
        fill(self.card.body, (self.strip, 1), self.progress)
        nothing, self.nothing_title = Card(say("Film strip")), label("", "title")
        reason = say(
            "A film strip shows one model at several saved steps (snapshots) of its training, side by side: how its "
            "attention and its guesses change. {tiny} has ten.",
            tiny=TINY,
        )
        name, open_ = say("Open {model}", model=TINY), partial(self.model_requested.emit, TINY)
        self.open_tiny = button(name, open_, look="primary")
        nothing.fill_with_message(self.nothing_title, label(reason, "muted", wrap=True), self.open_tiny)
        self.pages = stacked(self.card, nothing)
        vbox((self.pages, 1), parent=self)
        self.tabs.currentChanged.connect(self._on_tabs_changed)
        self.strip.clicked.connect(self._on_strip_clicked)
        self.strip.hovered.connect(self._say_hint)

    def restore(self, kept: Any) -> None:
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(PICTURES.index(kept))

    # What is computed.

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if self.steps is None:
            self.question.clear()
        else:
            encoding, steps, view = reading.encoding, self.steps, selection.token_view
            editors = tuple(sorted(self.texts.items())) if reading.request.model.task is not None else ()
            masks = frozenset(places_of(encoding, reading.request.by_hand))
            text = Text(encoding.text_a, encoding.text_b or "", masks, editors)
            if (steps.run, text, view) != self._made_for:
                self._made_for, self._frames, self._curve = (steps.run, text, view), {}, None
            asked = self._on_worker, steps.run, steps.snapshots, text, view
            self.question.ask(film_of, *asked, pause_ms=self.pause_ms)
        self.show_selection(reading, selection)

    def _on_piece_arrived(self, piece: Frame | LossCurve) -> None:
        if isinstance(piece, Frame):
            self._frames[piece.folder] = piece
        else:
            self._curve = piece
        self._show()

    # What is shown.

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._show()

    def _show(self) -> None:
        steps, reading = self.steps, self.reading
        self.pages.setCurrentIndex(int(steps is None))
        if reading is None:
            return
        model, selection = reading.request.model, self.selection
        self.nothing_title.setText(say("{model} has no snapshots", model=model.name))
        if steps is None:
            return
        self.card.set_title(say("Film strip of {run}", run=steps.run.name))
        is_task = model.task is not None
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
        index = {path: at for at, (_, path) in enumerate(steps.snapshots)}
        frames = {index[folder]: frame for folder, frame in self._frames.items() if folder in index}
        shown = tuple(step for step, _ in steps.snapshots)
        paths, folder = [path.resolve() for path in index], model.folder.resolve()
        now = paths.index(folder) if folder in paths else len(shown) - 1  # of one that ships it is the model itself
        head, picture = (selection.layer, selection.head), str(self.tabs.tabData(self.tabs.currentIndex()))
        about = picture, head, selection.pinned, now, is_task, steps.begins_with
        self.strip.show_film(Film(shown, frames, self._curve, *about))
        self._say_hint()

    def _say_hint(self) -> None:
        shown, count = len(self.strip.picture.plan.shown), len(self.strip.film.snapshots)
        text = say("%n snapshot(s)", n=count) if count else ""
        self.card.set_hint(say("{shown} of %n snapshot(s)", n=count, shown=shown) if shown < count else text)
        is_column, hint = (
            self.strip.pointed is not None,
            say("Click to open this snapshot everywhere, from Map to Layers"),
        )
        self.hover_text_changed.emit(hint if is_column else "")

    def _on_tabs_changed(self, tab: int) -> None:
        self.kept_changed.emit(self.tabs.tabData(tab))
        self._show()

    def _on_strip_clicked(self, cell: Cell) -> None:
        """On a column, or on a head of the large picture."""
        if len(cell) > 1:
            self.head_clicked.emit(*cell)
        elif self.steps is not None and cell[0] < len(self.steps.snapshots):
            self.snapshot_chosen.emit(self.steps.snapshots[cell[0]][1])

    # What is saved.

    def figure_of_strip(self) -> Figure | None:
        """As it is now, with all its snapshots as frames."""
        reading, steps, film = self.reading, self.steps, self.strip.film
        if reading is None or steps is None or not film.frames:
            return None
        size = self.strip.width(), self.strip.height()
        painter, run = FilmPicture(film, *size), f"{steps.run.name} {model_hash(steps.snapshots[-1][1])}".strip()
        at = say("snapshots at training steps {steps}", steps=", ".join(map(numbers.count, film.snapshots)))
        is_head, model = film.picture == HEAD, joined(run, at)
        frames = {
            film.step_name(frame): Picture(*size, partial(painter.paint, now=index))
            for index, frame in sorted(film.frames.items())
        }
        hint = say("Row: the token that looks. Column: what it looks at. Stronger colour: more.")
        return Figure(
            say("The answer during fine-tuning") if film.is_task else say("From noise to patterns"),
            Picture(*size, painter.paint),
            dict(_numbers(film)),
            caption_of(reading, self.selection, head=is_head, plain=True, model=model),
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
    found = [guess.words for frame in frames if (guess := film.guesses(frame)) is not None]
    if len(found) == len(frames):
        rank = Axis("class" if film.is_task else "rank", first=1)
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
