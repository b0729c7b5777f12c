"""The map with its answers: what is drawn, and where a click leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtWidgets import QFrame

from ...compute.feed_forward import feed_forward_activity
from ...compute.masks import lens_at
from ...compute.question import Job, ReportOrCancel
from ...compute.task_answers import said_by_task
from ...figures.figure import Axis, Figure, Numbers, numbers_of
from ...look import say, theme
from ...state.baseline_names import is_earlier
from ...state.readings import ComparedMask, Reading, compared_mask
from ...state.selection import Selection
from ...state.token_units import TokenView
from ...state.verdicts import verdict_of
from ...widgets.card import button
from ...widgets.charts.raster import HeadSheet
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import hbox, held, vbox
from ..view import View
from .content import Answer, Caption, Content, distances_of, link_of
from .plan import MapPart
from .playing_map import PlayingMap
from .sentences import caption_of, comparison_in_words, intro_of, pair_in_words, section_captions
from .task_end import has_task_end, task_answer

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess
    from bertcore.checkpoint.checkpoint import Checkpoint


NEURONS = 28  # of each layer
MOST_MASKS = 12  # whose guesses are read off after each layer
GUESSES = 5
AT_ONCE = 8  # positions whose words are read off in one go: logits of all stages, some 25 MB for BERT-large
QUICK = 500_000  # hidden values of all layers: less is asked for at each key
Guesses = dict[int, list[list["WordGuess"]]]  # position -> after each stage (L+1), likeliest first


def guesses_of(
    checkpoint: Checkpoint, reading: Reading, positions: tuple[int, ...], progress: ReportOrCancel
) -> Guesses:
    """What each stage would predict at some positions of a reading."""
    hidden = reading.trace.hidden_states[:, list(positions)]  # (L+1,R,H)
    found: Guesses = {}
    for first in range(0, len(positions), AT_ONCE):
        lens = lens_at(checkpoint, np.ascontiguousarray(hidden[:, first : first + AT_ONCE]), GUESSES)
        for i, position in enumerate(positions[first : first + AT_ONCE]):
            found[position] = [stage[i] for stage in lens.words]
        progress((first + AT_ONCE) / len(positions))
    return found


class MapView(View):
    """One picture, which fills the room."""

    asks: ClassVar = {"activity": False, "guesses": True, "task": True}

    def __init__(self) -> None:
        super().__init__()
        self.texts: Mapping[str, str] = {}  # kind of task -> what is in the room Apply, such as endings
        self.map = PlayingMap()
        card = QFrame()
        card.setProperty("look", "card")
        vbox((self.map, 1), parent=card, margins=(1, 1, 1, 1))
        vbox((card, 1), parent=self)
        progress = self.own_line(*self.asked.values(), *self.asked_of_baseline.values())
        hint = say("Send the text through the model (Space: pause · ← →: step · Esc: end)")
        self.play = button(say("Play"), self.map.play_or_pause, look="primary", hint=hint)
        self.play.setMinimumWidth(theme.column_px(72))
        save = FigureButton(self._figure, self.map, say("The whole model"), has_frames=True)
        self.map.set_floating(held(hbox(self.play, save, gap_px=6)), progress)
        self.map.film_changed.connect(self._show_film)
        self.map.describe = self._caption
        self.map.rows_changed.connect(self._ask)
        self.map.hovered.connect(self._on_hovered)
        self.map.clicked.connect(self._on_clicked)
        self.add_token_menu(self.map, lambda part: part.position if part.position >= 0 else None)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.map.go_to(None)
        parts, answer = reading.encoding.parts, self._answer(reading, selection)
        ends = answer.ends if answer.task == "span" else ()
        of_parts = (i for name in ("special", "b") for i, part in enumerate(parts) if part == name)
        keep = [*(mask.position for mask in reading.masks), *ends, *of_parts]  # B: else its last words are never seen
        self.map.set_content(self._content(reading, selection), self._around(reading, selection), keep)
        self._ask()
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        around, answer = self._around(reading, selection), self._answer(reading, selection)
        self.map.set_selected(around, selection.layer, selection.head, answer)

    def leave(self) -> None:
        super().leave()
        self.map.go_to(None)
        self.map.content = None

    def _around(self, reading: Reading, selection: Selection) -> int:
        """Does not follow the mouse: rows would run away from it."""
        if selection.pinned is not None:
            return selection.pinned
        return next(iter(reading.request.masked), min(1, len(reading.encoding) - 1))

    # What is asked of the model.

    def _ask(self) -> None:
        if self.map.positions:
            self.ask_all()
            self.draw_answer("activity")

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        assert self.reading is not None
        request, rows = reading.request, tuple(self.map.positions)
        is_quick = self.reading.trace.hidden_states.size <= QUICK
        if asks == "activity":
            asked = request.model_input, rows, NEURONS, request.what_if
            return Job(feed_forward_activity, asked, (request.model,), is_quick)
        if asks == "task":
            passage = {"span": b} if (b := reading.encoding.text_b) else {}
            editors = tuple({**self.texts, **passage}.items())
            return Job(said_by_task, (reading, editors), (request.model,), is_quick) if has_task_end(reading) else None
        positions = tuple(mask.position for mask in self.reading.masks[:MOST_MASKS]) or rows
        if reading is not self.reading:
            places = (self._in_baseline(self.reading, position) for position in positions)
            positions = tuple(place for place in places if place is not None)
        is_known = "mlm" in request.model.output_heads and positions
        return Job(guesses_of, (reading, positions), (request.model,), is_quick) if is_known else None

    def draw_answer(self, asks: str) -> None:
        reading, selection, answer = self.reading, self.selection, self.asked[asks].answer
        if asks == "activity" and answer is not None:
            self.map.set_activity(answer, self.map.positions)
        elif (
            asks == "task" and reading is not None and self._answer(reading, selection).place not in self.map.positions
        ):
            self.show_reading(reading, selection)  # its line is left out
        elif asks != "activity" and reading is not None:
            self.show_selection(reading, selection)

    def _in_baseline(self, reading: Reading, position: int) -> int | None:
        """The position there that a token is compared with."""
        return None if reading.alignment is None else reading.alignment.other_positions[position]

    # What is shown.

    def _answer(self, reading: Reading, selection: Selection) -> Answer:
        """Of the selected mask or the first, else of the token on show."""
        position, model, masks = selection.position, reading.request.model, list(reading.request.masked)
        if has_task_end(reading):
            return task_answer(reading, position, *(one["task"].answer for one in (self.asked, self.asked_of_baseline)))
        if masks:
            position = selection.pinned if selection.pinned in masks else masks[0]
        color = "mask" if position in masks else "accent"
        if "mlm" not in model.output_heads:
            reason = model.missing.get("mlm", say("This model has no masked-word (MLM) head."))
            return Answer(position, color, say("No predicted words"), reason=reason)
        token, place = reading.shown_tokens[position], self._in_baseline(reading, position)
        stages = (self.asked["guesses"].answer or {}).get(position, [])
        baseline_stages = (self.asked_of_baseline["guesses"].answer or {}).get(place, [])
        mask = next((mask for mask in reading.masks if mask.position == position), None)
        compared = None if mask is None else compared_mask(reading, mask)
        best = (mask.words if mask is not None else stages[-1] if stages else [])[:GUESSES]
        changes = [compared.changes.get(word.id) for word in best] if isinstance(compared, ComparedMask) else []
        return Answer(
            position,
            color,
            say("What is behind {mask}?", mask=token) if masks else say("What fits at “{mask}”?", mask=token),
            [stage[0] for stage in stages],
            [(word.token, word.probability) for word in best],
            [stage[0] for stage in baseline_stages],
            [None if change is None else change.probability for change in changes],
            is_earlier(reading),
        )

    def _content(self, reading: Reading, selection: Selection) -> Content:
        """The values, and the words around them."""
        distances, words = distances_of(reading), words_of(reading)
        title = Caption(say("The whole model, in one picture"), intro_of(reading))
        if distances is not None:
            text = comparison_in_words(reading, distances, wants_difference=selection.wants_difference)
            title = Caption(say("Compared with {baseline}", baseline=distances.baseline), text)
        is_shown = selection.wants_difference and distances is not None and distances.values is not None
        return Content(
            reading,
            HeadSheet(reading.thumbnails),
            words,
            title,
            section_captions(reading, words),
            pair_in_words(reading),
            verdict_of(reading),
            distances if is_shown else None,
        )

    def _caption(self, part: MapPart) -> Caption:
        if self.reading is None or self.map.content is None:
            return Caption()
        caption = caption_of(part, self.reading, self.map.answer, self.map.content)
        if part.kind == "head" and (part.layer, part.head) == (self.selection.layer, self.selection.head):
            frame = say("Blue frame: this head is selected, in Attend as well.")
            caption = Caption(caption.title, f"{caption.text} {frame}")
        return caption

    # What a person does.

    def _show_film(self) -> None:
        self.play.setText(say("Pause") if self.map.timer.isActive() else say("Play"))
        if not theme.is_projector():  # there the line would lie over the picture
            self.hover_text_changed.emit("" if self.map.at is None else self.play.toolTip())

    def _on_hovered(self, part: MapPart | None) -> None:
        self.position_hovered.emit(part.position if part is not None and part.position >= 0 else None)
        caption = Caption() if part is None else self._caption(part)
        self.hover_text_changed.emit(f"{caption.title}: {caption.text}" if caption.title else "")

    def _on_clicked(self, part: MapPart) -> None:
        """Selects what was clicked in all rooms, then asks for its room."""
        masked = [] if self.reading is None else [mask.position for mask in self.reading.masks]
        if part.position >= 0:
            self.position_clicked.emit(part.position)
        if part.kind == "head":
            self.head_clicked.emit(part.layer, part.head)
        elif part.stage >= 0 or part.layer >= 0:
            self.stage_clicked.emit(part.stage if part.stage >= 0 else part.layer + 1)
        if "answer" in (part.kind, part.name) and self.map.answer.task not in ("", "other"):
            self.room_requested.emit("apply", "")
        elif part.kind != "end":
            self.room_requested.emit(*link_of(part, masked))

    def _figure(self) -> Figure | None:
        if self.reading is None or self.map.content is None:
            return None
        answer, distances = self.map.answer, self.map.content.distances
        axes = Axis("layer", first=1), Axis("head", first=1), Axis("row"), Axis("column")
        arrays = {"attention": Numbers(self.reading.thumbnails, axes)}
        guesses = {"best_guess": answer.guesses, "best_guess_with_the_baseline": answer.baseline_guesses}
        for name, best in guesses.items():
            if best:
                labels = [f"{stage} {guess.token}" for stage, guess in enumerate(best)]
                arrays[name] = numbers_of("stage", labels, [guess.probability for guess in best])
        if distances is not None and distances.values is not None:
            axes_of_lines = Axis("token", self.reading.shown_tokens), Axis("stage")
            arrays["1_minus_cosine_with_the_baseline"] = Numbers(distances.values, axes_of_lines)
        is_whole = self.reading.thumbnails.shape[-1] == len(self.reading.encoding)
        python = "t.attentions" if is_whole else ""
        figure = self.figure(say("The whole model"), [self.map], arrays, python=python)
        return None if figure is None else self.map.with_frames(figure)


def words_of(reading: Reading) -> dict[tuple[int, ...], str]:
    """The words of the text in order, those that are masked too."""
    encoding, found = reading.encoding, {}
    for positions in reading.units(TokenView(words=True, specials=False)).members:
        text = encoding.text_b or "" if encoding.parts[positions[0]] == "b" else encoding.text_a
        typed = text[encoding.offsets[positions[0]][0] : encoding.offsets[positions[-1]][1]]
        found[tuple(positions)] = typed.strip()
    return found
