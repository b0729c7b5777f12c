"""The map with its answers and doors: what is drawn where, and where a click leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from ...compute.feed_forward import feed_forward_activity
from ...compute.masks import lens_at
from ...compute.question import Job
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers
from ...look.say import say
from ...state.baseline_names import beside, is_earlier
from ...state.compared_words import ComparedMask, compared_mask
from ...state.token_units import TokenView
from ...state.verdicts import first_token, question_for, verdict_of
from ...widgets.charts.raster import HeadSheet
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import vbox
from ..view import View
from .compared import compared_lines
from .content import Answer, Caption, Content, Door, door_of
from .model_map import ModelMap
from .plan import MapPart
from .sentences import caption_of, comparison_in_words, intro_of, section_captions, with_comparison

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import ReportOrCancel
    from ...state.readings import Reading
    from ...state.selection import Selection

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

    asks: ClassVar = {"activity": False, "guesses": True}
    door_opened = Signal(str, str)  # room, view; the selection is what was clicked by then

    def __init__(self) -> None:
        super().__init__()
        self.map = ModelMap()
        card = QFrame()
        card.setProperty("look", "card")
        vbox((self.map, 1), parent=card, margins=(1, 1, 1, 1))
        vbox((card, 1), parent=self)
        self.save = FigureButton(self._figure, self.map, say("The whole model"))
        self.progress = self.own_line(*self.asked.values(), *self.asked_of_baseline.values())
        self.map.set_floating(self.save, self.progress)
        self._activity_rows: list[int] = []
        self.map.describe = self._caption
        self.map.rows_changed.connect(self._on_rows_changed)
        self.map.hovered.connect(self._on_hovered)
        self.map.clicked.connect(self.open_door)
        self.add_token_menu(self.map, lambda part: part.position if part.position >= 0 else None)

    @property
    def guesses(self) -> Guesses | None:
        """What each layer would predict at the masks, or at every row where there are none; None: not known yet."""
        return self.asked["guesses"].answer

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        keep = [*(mask.position for mask in reading.masks), *_separators(reading)]
        self.map.set_content(self._content(reading, selection), self._around(reading, selection), keep)
        self._ask()
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.map.set_around(self._around(reading, selection))
        self.map.set_head(selection.layer, selection.head)
        self.map.set_answer(self._answer(reading, selection))

    def leave(self) -> None:
        super().leave()
        self.map.content = None

    def followed(self, reading: Reading, selection: Selection) -> int:
        """Whose line is followed: the selected mask or the first, else the token on show."""
        masks = list(reading.request.masked)
        if masks:
            return selection.pinned if selection.pinned in masks else masks[0]
        return selection.position

    def _around(self, reading: Reading, selection: Selection) -> int:
        """Does not follow the mouse: rows would run away from it."""
        if selection.pinned is not None:
            return selection.pinned
        return next(iter(reading.request.masked), min(1, len(reading.encoding) - 1))

    # What is asked of the model.

    def _ask(self) -> None:
        if self.reading is None or not self.map.positions:
            return
        self._activity_rows = list(self.map.positions)
        self.ask_all()
        self.draw_answer("activity")

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        assert self.reading is not None
        request, rows = reading.request, tuple(self.map.positions)
        is_quick = self.reading.trace.hidden_states.size <= QUICK
        if asks == "activity":
            asked = request.model_input, rows, NEURONS, request.what_if
            return Job(feed_forward_activity, asked, (request.model,), is_quick)
        positions = tuple(mask.position for mask in self.reading.masks[:MOST_MASKS]) or rows
        if reading is not self.reading:
            theirs = (self._in_baseline(self.reading, position) for position in positions)
            positions = tuple(position for position in theirs if position is not None)
        is_known = "mlm" in request.model.output_heads and positions
        return Job(guesses_of, (reading, positions), (request.model,), is_quick) if is_known else None

    def draw_answer(self, asks: str) -> None:
        if asks == "guesses" and self.reading is not None:
            self.map.set_answer(self._answer(self.reading, self.selection))
        elif asks == "activity" and (activity := self.asked[asks].answer) is not None:
            self.map.set_activity(activity, self._activity_rows)

    def _in_baseline(self, reading: Reading, position: int) -> int | None:
        """The position there that a token is compared with."""
        return None if reading.alignment is None else reading.alignment.other_positions[position]

    def _on_rows_changed(self) -> None:
        if self.reading is not None:
            self._ask()

    # What is shown.

    def _answer(self, reading: Reading, selection: Selection) -> Answer:
        position, model = self.followed(reading, selection), reading.request.model
        token = reading.shown_tokens[position]
        is_mask = position in reading.request.masked
        color = "mask" if is_mask else "accent"
        if "mlm" not in model.output_heads:
            reason = model.missing.get("mlm", say("This model has no masked-word (MLM) head."))
            return Answer(position, color, say("No predicted words"), reason=reason)
        stages = (self.guesses or {}).get(position, [])
        title = say("What is behind {mask}?") if is_mask else say("What fits at “{mask}”?")
        mask = next((mask for mask in reading.masks if mask.position == position), None)
        best = mask.words if mask is not None else stages[-1] if stages else []
        words = [(word.token, word.probability) for word in best[:GUESSES]]
        theirs = self._in_baseline(reading, position)
        before = [] if theirs is None else (self.asked_of_baseline["guesses"].answer or {}).get(theirs, [])
        compared = compared_mask(reading, mask) if mask is not None else None
        words_before: list[float | None] = []
        if isinstance(compared, ComparedMask):
            changes = [compared.changes.get(word.id) for word in best[:GUESSES]]
            words_before = [None if change is None else change.probability for change in changes]
        return Answer(
            position,
            color,
            title.format(mask=token),
            [stage[0] for stage in stages],
            words,
            [stage[0] for stage in before],
            words_before,
            is_earlier(reading),
        )

    def _content(self, reading: Reading, selection: Selection) -> Content:
        """The values, and the words around them."""
        model = reading.request.model
        question, verdict = question_for(model), verdict_of(reading)
        if verdict is not None:
            before = _verdict_before(reading)
            from_token = say("from {token}", token=first_token(reading))
            note = f"{verdict.number} ({before})" if before else f"{verdict.number}, {from_token}"
        elif question.missing:
            note = question.missing
        elif reading.encoding.text_b is None:
            note = question.invitation
        else:
            note = say("Open Predict for the answer.")
        compared = compared_lines(reading)
        words, title, text = _words(reading), say("The whole model, in one picture"), intro_of(reading)
        if compared is not None:
            title = say("Compared with {baseline}", baseline=compared.name)
            text = comparison_in_words(reading, compared, wants_difference=selection.wants_difference)
        return Content(
            reading,
            HeadSheet(reading.thumbnails),
            words,
            Caption(title, text),
            section_captions(reading, words),
            Caption(question.title, note),
            verdict,
            compared if selection.wants_difference and not (compared is None or compared.problem) else None,
        )

    def _caption(self, part: MapPart) -> Caption:
        if self.reading is None:
            return Caption("", "")
        caption = caption_of(part, self.reading, self.map.answer, self.asked["activity"].answer, self._activity_rows)
        if part.kind == "state" and self.map.content is not None:
            caption = with_comparison(caption, part, self.map.answer, self.map.content.compared)
        if part.kind == "head" and (part.layer, part.head) == (self.selection.layer, self.selection.head):
            frame = say("Blue frame: this head is selected, in Attend as well.")
            caption = Caption(caption.title, f"{caption.text} {frame}")
        return caption

    # What a person does.

    def _on_hovered(self, part: MapPart | None) -> None:
        self.position_hovered.emit(part.position if part is not None and part.position >= 0 else None)
        caption = Caption("", "") if part is None else self._caption(part)
        self.hover_text_changed.emit(f"{caption.title}: {caption.text}" if caption.title else "")

    def door_of(self, part: MapPart) -> Door:
        """Where a click on a part leads."""
        return door_of(part, [mask.position for mask in self.reading.masks] if self.reading is not None else [])

    def open_door(self, part: MapPart, _modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Selects what was clicked in all rooms, then asks for its room."""
        if part.position >= 0:
            self.position_clicked.emit(part.position)
        if part.kind == "head":
            self.head_clicked.emit(part.layer, part.head)
        elif part.stage >= 0 or part.layer >= 0:
            self.stage_clicked.emit(part.stage if part.stage >= 0 else part.layer + 1)
        self.door_opened.emit(*self.door_of(part))

    def _figure(self) -> Figure | None:
        if self.reading is None:
            return None
        reading, answer = self.reading, self.map.answer
        axes = Axis("layer", first=1), Axis("head", first=1), Axis("row"), Axis("column")
        arrays = {"attention": Numbers(reading.thumbnails, axes)}
        if answer.guesses:
            values = np.array([guess.probability for guess in answer.guesses])
            labels = [f"{stage} {guess.token}" for stage, guess in enumerate(answer.guesses)]
            arrays["best_guess"] = Numbers(values, (Axis("stage", labels),))
        if answer.guesses_before:
            values = np.array([guess.probability for guess in answer.guesses_before])
            labels = [f"{stage} {guess.token}" for stage, guess in enumerate(answer.guesses_before)]
            arrays["best_guess_with_the_baseline"] = Numbers(values, (Axis("stage", labels),))
        compared = None if self.map.content is None else self.map.content.compared
        if compared is not None and compared.distances is not None:
            tokens = Axis("token", reading.shown_tokens)
            arrays["1_minus_cosine_with_the_baseline"] = Numbers(compared.distances, (tokens, Axis("stage")))
        return self.figure(say("The whole model"), [self.map], arrays)


def _verdict_before(reading: Reading) -> str:
    """What the baseline says of A and B; empty where nothing is compared."""
    before = None if reading.baseline is None else verdict_of(reading.baseline)
    if before is None:
        return ""
    return beside(numbers.percent(before.share, fine=True), is_earlier(reading))


def _words(reading: Reading) -> dict[tuple[int, ...], str]:
    """The words of the text in order, those that are masked too."""
    encoding, found = reading.encoding, {}
    for positions in reading.units(TokenView(words=True, specials=False)).members:
        text = encoding.text_b or "" if encoding.parts[positions[0]] == "b" else encoding.text_a
        typed = text[encoding.offsets[positions[0]][0] : encoding.offsets[positions[-1]][1]]
        found[tuple(positions)] = typed.strip()
    return found


def _separators(reading: Reading) -> list[int]:
    return [i for i, part in enumerate(reading.encoding.parts) if part == "special"]
