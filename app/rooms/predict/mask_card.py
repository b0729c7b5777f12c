"""One mask: the likeliest words, how the word in the text fares, and what the layers would predict on the way."""

import math
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens
from ...figures.figure import Axis, Numbers, numbers_of
from ...look import numbers, say, theme
from ...look.number_kinds import explain
from ...state.baseline_names import baseline_name, beside, is_earlier
from ...state.readings import ComparedMask, MaskReading, Reading, compared_mask
from ...widgets.card import Card, Hint, label, show_text
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.drawing import Box, Drawing, Shape, Words
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import figure_entries
from ...widgets.layouts import fill, hbox, held, show_if, vbox
from ...widgets.word_shift import ShiftedWord, WordShift
from . import predict_sentences as sentences
from .view import highest, word_entries

STRIP_PX, FOOT_PX, GAP_PX = 26, 15, 3
WIDE_CELL_PX, NARROW_CELL_PX = 80, 30  # of the strip: with larger words, with none


class MaskCard(Card):
    """A click on a word asks to insert it into the text."""

    words_inserted = Signal(object)  # list of (position, token id)
    token_menu_requested = Signal(object, QPoint, object)  # as that of a view
    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__(intro=" ")
        self.position = 0
        self.words: list[WordGuess] = []  # what the bars show
        self.compared: ComparedMask | None = None  # on show
        self._lens: MaskLens | None = None
        self._number = 0  # of this mask in the lens
        self.bars = BarList(say("Most likely words"), clickable=True, stretch_to_px=38)
        self.shift = WordShift(say("Most likely words, with the baseline and now"))
        self._baseline_bars = BarList(say("Most likely words with the baseline"), stretch_to_px=38)
        self.strip, self._scale = LensStrip(say("Top guess after each layer")), ColorBar(signed=False, width_px=130)
        self._baseline_title, self._now_title = Hint(), Hint(say("now"))
        self.changed, self.decided = label("", "muted", wrap=True), label("", "muted", wrap=True)
        explain("probability", self.bars, self._baseline_bars, self.shift, self.strip, self._scale)
        for words in (self.bars, self.shift):
            words.clicked.connect(lambda row: self._insert(self.words[row]))
            words.context_menu_requested.connect(self._on_menu_requested)
        self.strip.hovered.connect(self._on_strip_hovered)
        self.strip.context_menu_requested.connect(lambda _stage, at: self._on_menu_requested(None, at))
        title = label(say("After each layer"), "title", wrap=True)
        title.setToolTip(say("The top guess if the model stopped there; the colour shows its probability"))
        self._beside = held(vbox(self._baseline_title, (self._baseline_bars, 1), gap_px=2))
        now = vbox(self._now_title, (self.bars, 1), gap_px=2)
        self._lists = held(hbox((self._beside, 1), (now, 1), gap_px=12))
        self.picture = self._lists, self.shift, self.strip  # what a saved picture shows
        line = hbox((title, 1), self._scale)
        fill(self.body, self.changed, (self._lists, 1), (self.shift, 1), 4, line, self.strip, self.decided)
        self.setMinimumWidth(theme.column_px(270))

    def show_mask(self, reading: Reading, mask: MaskReading, full_bar: float, *, wants_difference: bool) -> None:
        """full_bar: the probability of a bar that fills the card; the same for all cards, so that they compare."""
        if mask.position != self.position:
            self.show_lens(None, 0)
        was, own_id = mask.was, None if mask.was is None else mask.was.id
        is_listed = was is None or own_id in {word.id for word in mask.words}
        self.position, self.words = mask.position, [*mask.words, *([] if was is None or is_listed else [was])]
        self.set_title(reading.mask_name(mask.position))
        self.set_hint(sentences.hidden_word(mask, sentences.mask_token(reading)))
        found = compared_mask(reading, mask)
        self.compared = compared = found if isinstance(found, ComparedMask) else None
        is_shift = compared is not None and wants_difference
        self._lists.setVisible(not is_shift)
        self.shift.setVisible(is_shift)
        show_if(compared is not None, self._beside, self._now_title)
        bars = say("Its best guesses; the longer the bar, the likelier. Click one to insert it.")
        self.set_intro(sentences.shift_intro(compared) if compared is not None and is_shift else bars)
        self.bars.set_bars(_bars(self.words, full_bar, compared is not None, own_id))
        if compared is not None:
            found = sentences.first_guesses(reading, compared, self.words[0])
            self._baseline_title.setText(baseline_name(reading))
            self._baseline_bars.set_bars(_bars(compared.words, full_bar, True))
            self._show_shift(reading, compared, own_id)
        show_text(self.changed, found if isinstance(found, str) else "")

    def _show_shift(self, reading: Reading, compared: ComparedMask, own_id: int | None) -> None:
        changes, name = compared.changes, baseline_name(reading)
        known = [word for word in self.words if word.id in changes]
        sizes = {word.id: abs(word.probability - changes[word.id].probability) for word in known}
        most, rows = max(sizes.values(), default=0.0) or 1.0, {word.id: i for i, word in enumerate(compared.words)}
        shifted = []
        for word in self.words:
            change, sign, row = changes.get(word.id), 0, None
            notes = [say("not in {baseline}’s vocabulary", baseline=name)]
            if change is not None:
                row, (sign, factor) = rows.get(change.baseline_id), sentences.change_of(change, word)
                rank = beside(say("rank {rank}", rank=numbers.count(change.rank)), is_earlier(reading))
                notes = [factor, rank if row is None else ""]
            text = " · ".join(filter(None, [*notes, say("in the text") if word.id == own_id else ""]))
            share, has_line = sizes.get(word.id, 0.0) / most, change is not None
            shifted.append(ShiftedWord(word.token, sentences.fine(word), share, text, sign, row, has_line=has_line))
        before = [ShiftedWord(word.token, sentences.fine(word)) for word in compared.words]
        self.shift.show_words(before, shifted, (name, say("now")))

    def show_lens(self, lens: MaskLens | None, number: int) -> None:
        """number: which of the lens's masks this card is of. None: not known yet."""
        self._lens, self._number, full = lens, number, 1.0 if lens is None else highest(lens)
        self.strip.set_stages([] if lens is None else [stage[number] for stage in lens.words], full)
        self._scale.set_range(0, full, numbers.probability)
        self.decided.setText("" if lens is None else sentences.decided_sentence(lens, number))

    def numbers(self) -> dict[str, Numbers]:
        """The arrays of a saved file."""
        names, lens = [word.token for word in self.words], self._lens
        arrays = {"probability": numbers_of("word", names, [word.probability for word in self.words])}
        if self.compared is not None:
            found = [self.compared.changes.get(word.id) for word in self.words]
            before = [math.nan if one is None else one.probability for one in found]
            arrays["probability with the baseline"] = numbers_of("word", names, before)
        if lens is not None:
            stages, tops = sentences.stage_names(lens), [words[self._number][0] for words in lens.words]
            best = [f"{name}: {word.token}" for name, word in zip(stages, tops, strict=True)]
            arrays["last word by layer"] = Numbers(lens.probability[:, self._number], (Axis("layer", stages),))
            arrays["best guess by layer"] = numbers_of("layer", best, [word.probability for word in tops])
        return arrays

    def _insert(self, word: WordGuess) -> None:
        self.words_inserted.emit([(self.position, word.id)])

    def _on_menu_requested(self, row: int | None, at: QPoint) -> None:
        word = None if row is None else self.words[row]
        entries = [] if word is None else word_entries(word, lambda: self._insert(word))
        position = None if row is None else self.position
        self.token_menu_requested.emit(position, at, [*entries, None, *figure_entries(self.bars)])

    def _on_strip_hovered(self, stage: int | None) -> None:
        self.hover_text_changed.emit("" if stage is None else sentences.describe(stage, self.strip.stages[stage]))


class LensStrip(Drawing):
    """A cell for each stage, from left to right, with the likeliest word where it fits."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setFixedHeight(theme.px(STRIP_PX + FOOT_PX))
        self.stages: list[list[WordGuess]] = []
        self._full = 1.0

    def set_stages(self, stages: list[list[WordGuess]], full: float) -> None:
        """stages: the words after each, likeliest first. full: the probability of the strongest colour."""
        self.stages, self._full = stages, full
        self.setAccessibleDescription(", ".join(sentences.describe(i, words[:1]) for i, words in enumerate(stages)))
        self.redraw()

    def cell_at(self, point: QPointF) -> int | None:
        is_inside = self.stages and self.rect().contains(point.toPoint())
        return int(point.x() * len(self.stages) / self.width()) if is_inside else None

    def shapes(self) -> Iterator[Shape]:
        center, feet, across = Qt.AlignmentFlag.AlignCenter, QFontMetrics(theme.font(10.5)), theme.px(STRIP_PX)
        width = self.width() / max(len(self.stages), 1)
        gap = theme.px(GAP_PX) if width > theme.px(12) else 0
        for stage, words in enumerate(self.stages):
            cell, color = QRectF(stage * width, 0, width - gap, across), words[0].probability / self._full
            shade, radius = theme.sequential_color(color), theme.px(5) if cell.width() > theme.px(20) else 0
            yield Box(cell.adjusted(0.5, 0.5, -0.5, -0.5), shade, "line", radius_px=radius)
            if cell.width() >= theme.px(NARROW_CELL_PX):
                size_px, inside = 13 if cell.width() > theme.px(WIDE_CELL_PX) else 12, cell.adjusted(3, 0, -3, 0)
                yield Words(inside, words[0].token, theme.ink_on(shade), size_px, align=center)
            name = str(stage) if stage else say("emb.")
            if feet.horizontalAdvance(name) <= cell.width():
                foot = QRectF(cell.x(), cell.bottom(), cell.width(), theme.px(FOOT_PX))
                yield Words(foot, name, "muted", 10.5, align=center)


def _bars(words: Sequence[WordGuess], full_bar: float, fine: bool, own_id: int | None = None) -> list[Bar]:
    """own_id: of the word that stands in the text."""
    bars = []
    for word in words:
        is_own, number = word.id == own_id, numbers.probability(word.probability, fine=fine)
        mark, color = (say("in the text"), "good") if is_own else ("", "bar")
        bars.append(Bar(word.token, number, word.probability / full_bar, color, is_strong=is_own, mark=mark))
    return bars
