"""The best guess at each mask after each layer, and how a word that a person types fares."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QLayout, QLineEdit

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens, WordThroughLayers, word_through_layers
from ...compute.question import Job
from ...figures.figure import Axis, Numbers
from ...figures.values import Side, Values
from ...look import mark, numbers, say, theme
from ...state import Selection
from ...state.baseline_names import is_earlier, where_compared
from ...state.readings import Reading, baseline_mask
from ...widgets.card import label
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.charts.pointer import ARROWS
from ...widgets.charts.raster import Raster
from ...widgets.context_menu import Entry
from ...widgets.highlights import name_highlight
from ...widgets.layouts import fill, show_if
from ..pictures import Bars, Cells
from . import predict_sentences as sentences
from .view import MOST_MASKS, PredictView, highest, lens_job, word_entries

Guess = tuple[list[WordGuess], WordGuess | None]  # the likeliest words, and the likeliest of the baseline

SIDE_PX = 400
ROW_PX, LOW_ROW_PX, MANY_ROWS, HIGHEST_ROW_PX = 38, 24, 13, 84  # on the projector all rows may be low
TYPE_PX, LARGEST_TYPE_PX, TYPE_SHARE = 13, 19, 0.32  # in a cell, as large as its height allows
SHORTEST_SCALE = 0.01  # what is hardly likely anywhere has short bars


class LensView(PredictView):
    """A table on the left, one word's way through the layers on the right."""

    asks: ClassVar = {"lens": True, "word": True}
    pictures = (
        Cells(
            key="table",
            title=mark("Layer by layer"),
            name=mark("Top guess at each mask after each layer"),
            number="probability",
            python=f"[[words[0].probability for words in masks[:{MOST_MASKS}]] for masks in m.lens(a, b, top=1)]",
            is_compared=False,  # both guesses are in a cell
            asks="lens",
            chart=lambda name: LensTable(name),
            scale=mark("probability"),
            scale_ends=numbers.probability,
            least_px=200,
        ),
        Bars(
            key="word",
            title=mark("One word through the layers"),
            name=mark("Probability of the word after each layer"),
            number="probability",
            asks="word",
            chart=partial(BarList, stretch_to_px=60),
            marks_selected=False,
            least_px=0,
            width=0,
            folds=True,
        ),
    )

    def lay_out(self) -> QLayout:
        self.line = self.own_line(self.asked["word"])
        self.decided, self.verdict = label("", wrap=True), label("", "strong", wrap=True)
        for spot in (self.decided, self.verdict):
            name_highlight(spot, "predict.sentence")
        self.word, self.pieces = QLineEdit(), label("", "muted", wrap=True)
        self.word.setPlaceholderText(say("Type another word to follow"))
        self.word.setAccessibleName(say("Word to follow through the layers"))
        self.word.textEdited.connect(self.kept_changed.emit)
        self.word.textEdited.connect(lambda _: self.redraw())
        how = say("The logit lens: the model’s output layer reads each layer’s hidden state as if it were the last.")
        fill(self.columns["table"], self.decided)
        fill(self.columns["word"], self.pieces, label(how, "muted", wrap=True))
        card = self.cards["word"]
        for place, widget in enumerate((self.word, self.line, self.verdict)):
            card.body.insertWidget(place, widget)
        card.setFixedWidth(theme.column_px(SIDE_PX))
        return super().lay_out()

    @property
    def lens(self) -> MaskLens | None:
        return self.answer_of("lens", self.reading)

    @property
    def followed(self) -> str:
        """The word that is followed: the typed one, else the one that is likeliest in the end."""
        lens = self.lens
        return self.word.text().strip() or (lens.words[-1][self.mask_number][0].token if lens is not None else "")

    @property
    def path(self) -> WordThroughLayers | None:
        """How that word fares; None where it is not known yet."""
        lens, number = self.lens, self.mask_number
        if lens is None or self.word.text().strip():
            return None if lens is None else self.answer_of("word", self.reading)
        return WordThroughLayers([self.followed], lens.probability[:, number], lens.rank[:, [number]])

    def restore(self, kept: str) -> None:
        self.word.setText(kept)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Perhaps another mask was clicked."""
        self.redraw()

    def draw_answer(self, asks: str) -> None:
        self.redraw()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        """With the baseline, the word that is followed, typed or not, where that has the mask."""
        if sentences.missing_words(reading) or not self.masks or self.reading is None:
            return None
        if asks == "lens":
            return lens_job(reading)
        is_ours, ours = reading is self.reading, self.masks[self.mask_number]
        at = ours if is_ours else baseline_mask(self.reading, ours)
        word = self.word.text().strip() if is_ours else self.followed.removeprefix("·")
        if at is None or not word or (not is_ours and word.startswith("##")):
            return None
        request = reading.request
        asked = request.model_input, request.encoding, at.position, word, request.what_if
        return Job(word_through_layers, asked, (request.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        lens, found = self.lens, self.path if reading is self.reading else self.answer_of("word", reading)
        if lens is None:
            return None
        stages = Side("part", sentences.stage_names(lens), axis_name="layer")
        if key == "word":
            return None if found is None else self._word_values(stages, found, reading)
        masks = Side(
            "token",
            [sentences.mask_name(reading, one) for one in self.masks],
            numbers=[one.position for one in self.masks],
            axis_name="mask",
        )
        marks_others = any(one is not None for row in self._guesses(lens) for _, one in row)
        intro = say(
            "Row: after this layer. Column: a mask. In the box: the best guess so far. Stronger colour: more certain."
        )
        if marks_others and selection.wants_difference:
            intro += " " + say("Framed: a different word from that {there}.", there=where_compared(reading))
        best = np.array([[words[0].probability for words in stage] for stage in lens.words])
        return Values(best, stages, masks, low=0, high=highest(lens), intro=intro)

    def _word_values(self, stages: Side, found: WordThroughLayers, reading: Reading) -> Values | None:
        chances = found.probability
        if reading is not self.reading:  # of a model with other layers none
            return Values(chances, stages) if len(chances) == len(stages) else None
        theirs = None if reading.baseline is None else self.values("word", reading.baseline, self.selection)
        baseline = [None] * len(chances) if theirs is None else theirs.array.tolist()
        ranks = [None] * len(chances) if found.rank is None else found.rank.ravel().tolist()
        intro = say("How likely this word is after each layer. Green: no word is likelier.")
        if theirs is not None:
            intro += " " + say("Line across a bar: {there}.", there=where_compared(reading))
        earlier, pairs = is_earlier(reading), zip(ranks, baseline, strict=True)
        marks = [sentences.rank_note(rank, was, earlier=earlier) for rank, was in pairs]
        return Values(
            chances,
            stages,
            high=max(float(chances.max()), *(was for was in baseline if was is not None), SHORTEST_SCALE),
            texts=[[sentences.exact(chance, fine=theirs is not None)] for chance in chances.tolist()],
            detail={"color": ["good" if rank == 1 else "bar" for rank in ranks], "mark": marks},
            hint=say("at {mask}", mask=reading.mask_name(self.masks[self.mask_number].position)),
            intro=intro,
        )

    def _guesses(self, lens: MaskLens) -> list[list[Guess]]:
        """[stage][mask]. Where the baseline has other layers, only the last is compared."""
        reading, theirs, last = self.reading, self.asked_of_baseline["lens"].answer, len(lens.words) - 1
        places = [] if reading is None or reading.baseline is None else reading.baseline.masks[:MOST_MASKS]
        found = [None if reading is None else baseline_mask(reading, one) for one in self.masks]
        at = [places.index(one) if one in places else None for one in found]

        def theirs_at(stage: int, number: int | None) -> WordGuess | None:
            if theirs is None or number is None or (len(theirs.words) != last + 1 and stage != last):
                return None
            return theirs.words[stage - last - 1][number][0]

        return [
            [(words, theirs_at(stage, number)) for words, number in zip(row, at, strict=True)]
            for stage, row in enumerate(lens.words)
        ]

    def drawn(self, reading: Reading, selection: Selection) -> None:
        lens, found = self.lens, self.path
        show_if(found is not None, self.charts["word"], self.verdict)
        self.pieces.setVisible(found is not None and len(found.pieces) > 1)
        if lens is None or self.shows_nothing:
            return
        marks, earlier = selection.wants_difference, is_earlier(reading)
        self.charts["table"].set_guesses(self._guesses(lens), earlier=earlier, marks_others=marks)
        names = (reading.mask_name(one.position) for one in self.masks)
        self.decided.setText(
            "\n".join(f"{name}: {sentences.decided_sentence(lens, i)}" for i, name in enumerate(names))
        )
        if found is not None:
            tops = sentences.top_guesses(lens, self.mask_number)
            self.verdict.setText(sentences.word_sentence(self.followed, found.probability, found.rank, tops))
            text = mark(
                "{pieces}: the product of each piece’s probability, given the pieces before it. It has no rank: there "
                "is no list of all words of several pieces."
            )
            self.pieces.setText(say(text, pieces=" ".join(found.pieces)))

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        return self.mask_number if side.kind == "token" else None

    def sentence(self, key: str, row: int, column: int | None) -> str:
        return "" if column is None else sentences.describe(row, *self.charts["table"].guesses[row][column])

    def entries(self, key: str, row: int, column: int | None) -> list[Entry]:
        if column is None:
            return []
        (word, *_), position = self.charts["table"].guesses[row][column][0], self.masks[column].position
        return word_entries(word, lambda: self.words_inserted.emit([(position, word.id)]))

    def caption(self, key: str) -> dict[str, Any]:
        if key == "table":
            hint = say("rows: layers · columns: masks · the top guess and its probability")
            return {"hint": hint, "settings": " ".join(self.decided.text().splitlines())}
        mask = "" if self.reading is None else self.reading.mask_name(self.masks[self.mask_number].position)
        title, hint = (
            say("“{word}” at {mask}", word=self.followed, mask=mask),
            say("probability and rank after each layer"),
        )
        return {"title": title, "hint": hint, "settings": self.verdict.text()}

    def numbers(self, key: str) -> dict[str, Numbers]:
        lens, found, shown = self.lens, self.path, self.shown[key]
        assert lens is not None and found is not None
        if key == "word":
            ranks = {} if found.rank is None else {"rank": Numbers(found.rank, shown.axes)}
            return {**super().numbers(key), **ranks}
        arrays, (stages, masks) = {"best guess": Numbers(shown.array, shown.axes)}, shown.axes
        tops = [[one for _, one in row if one is not None] for row in self.charts["table"].guesses]
        if all(len(row) == len(masks.labels) for row in tops):
            names = [
                f"{name}: {' '.join(one.token for one in row)}" for name, row in zip(stages.labels, tops, strict=True)
            ]
            chances = np.array([[one.probability for one in row] for row in tops])
            arrays["best guess with the baseline"] = Numbers(chances, (Axis("layer", names), masks))
        arrays["last word"] = Numbers(lens.probability, shown.axes)
        return {**arrays, "rank of the last word": Numbers(lens.rank, shown.axes)}


class LensTable(LabelledGrid):
    """All masks: rows are stages, columns masks. A click or the arrow keys choose a mask."""

    arrows_click, hint_px = True, (230, 0)
    guesses: Sequence[Sequence[Guess]] = ()  # [stage][mask]

    def __init__(self, name: str) -> None:
        super().__init__(name, scale=False, largest_px=(1000, HIGHEST_ROW_PX))
        self._is_earlier = self._marks_others = False

    def set_guesses(self, guesses: Sequence[Sequence[Guess]], *, earlier: bool, marks_others: bool) -> None:
        """What stands in the cells. earlier: see `baseline_names.is_earlier`. marks_others: a cell with another word
        than the baseline's is framed."""
        self.guesses, self._is_earlier, self._marks_others = guesses, earlier, marks_others
        last = (f"{name}: {words[0].token}" for name, (words, _) in zip(self.columns.texts, guesses[-1], strict=True))
        self.setAccessibleDescription(", ".join(last))
        may_be_high = len(guesses) <= MANY_ROWS and not theme.is_projector()
        height = (theme.px(ROW_PX) if may_be_high else theme.row_px(LOW_ROW_PX)) * len(guesses)
        self.setMinimumHeight(round(self.grid_rect().y()) + height + theme.px(6))
        self.update()

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        return super().cell_after(cell, key) if ARROWS.get(key, (1, 0))[0] == 0 else None

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        super().paint_cells(painter, rect, raster)
        texts = {
            (stage, number): sentences.cell_texts(words[0], baseline, earlier=self._is_earlier)
            for stage, row in enumerate(self.guesses)
            for number, (words, baseline) in enumerate(row)
        }
        first = self.cell_rect(0, 0)
        room = first.width() - theme.px(12)
        painter.setFont(theme.font(min(max(first.height() / theme.scale() * TYPE_SHARE, TYPE_PX), LARGEST_TYPE_PX)))
        if any(painter.fontMetrics().horizontalAdvance(longest) >= room for longest, *_ in texts.values()):
            painter.setFont(theme.font(TYPE_PX))
        metrics = painter.fontMetrics()
        for (stage, number), either in texts.items():
            cell, (words, baseline) = self.cell_rect(stage, number), self.guesses[stage][number]
            painter.setPen(QPen(theme.ink_on(raster.image.pixelColor(number, stage)), theme.stroke(1.4)))
            if self._marks_others and baseline is not None and baseline.token != words[0].token:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(cell.adjusted(5, 5, -5, -5))
            text = next((text for text in either if metrics.horizontalAdvance(text) < room), either[-1])
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(cell.width()) - theme.px(6))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, shown)

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(230), self.minimumHeight())
