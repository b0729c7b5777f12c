"""View "Two vocabularies": the same text tokenised by the open model's vocabulary and by another one."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from bertcore.analysis.tokenisations import (
    Piece,
    Span,
    TokenCounts,
    TwoTokenisations,
    compare_tokenisations,
    lacking,
    vocabulary_of,
)
from bertcore.errors import printable, shortened
from bertcore.locations import BUILT_IN, SHIPPED, TINY, built_in_checkpoint
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

from ...compute.question import Job, ReportOrCancel
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, say, theme
from ...look.fitting import fitting_line
from ...state import Reading, Selection
from ...state.token_units import KINDS
from ...widgets.card import Card, label, scrolled, show_text
from ...widgets.charts.drawing import Box
from ...widgets.controls import MenuButton
from ...widgets.layouts import fill, vbox
from ...widgets.wrapped import WrappedBoxes
from ..view import View

ROW_PX, PADDING_PX = 26, 7
LONGEST_NAME = 48
MOST_LACKING = 12  # characters that are named


class TokenisationsPicture(WrappedBoxes):
    """The text in two rows of tokens, one below the other; where they split it differently, it is marked."""

    arrows_click = True
    grows = True
    margin_px = 2.0  # the frame of the selected span goes a little beyond it
    gap_px, line_gap_px, least_width_px = 8.0, 18.0, 200

    def __init__(self) -> None:
        super().__init__(say("The text as two vocabularies tokenise it"), 2 * ROW_PX + 2)
        self.spans: list[Span] = []

    def set_spans(self, spans: list[Span]) -> None:
        self.spans = spans
        self.setAccessibleDescription(", ".join(described(span) for span in spans if not span.is_same)[:2000])
        self.lay_out()

    def box_widths(self) -> list[float]:
        return [max(sum(self._widths(span.first)), sum(self._widths(span.second))) for span in self.spans]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        span, height, font = self.spans[number], self.px(ROW_PX), self.sized_font(13, medium=True)
        for row, pieces in enumerate((span.first, span.second)):
            widths, left = self._widths(pieces), box.x()
            stretched = box.width() / sum(widths) if widths else 1.0
            for piece, width in zip(pieces, widths, strict=True):
                place = QRectF(left, box.y() + row * (height + 2), width * stretched, height).adjusted(1, 1, -1, -1)
                fill, line, line_px = ("card", "line", 1) if span.is_same else ("track", "warn", 2)
                Box(place, fill, line, line_px, self.px(4)).paint(painter)
                font.setUnderline(piece.is_unknown)
                painter.setFont(font)
                painter.setPen(theme.color(KINDS[span.part]))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, piece.label)
                left += width * stretched
        if number == self._selected:
            Box(box.adjusted(-1, -1, 1, 1), "", "ink", 1.4, self.px(5)).paint(painter)

    def _widths(self, pieces: tuple[Piece, ...]) -> list[float]:
        metrics = QFontMetrics(self.sized_font(13, medium=True))
        return [float(metrics.horizontalAdvance(piece.label) + 2 * self.px(PADDING_PX)) for piece in pieces]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if self._selected is not None:  # the status line says what is there
            self.set_hovered(self._selected)


_other_vocabulary = lru_cache(maxsize=1)(vocabulary_of)


def compare_with(encoding: Encoding, reference: str, _progress: ReportOrCancel) -> tuple[Tokenizer, TwoTokenisations]:
    """Another vocabulary, and the text of an encoding in both. Raises BertcoreError where there is none."""
    tokenizer = _other_vocabulary(reference)
    other = tokenizer.encode(encoding.text_a, encoding.text_b, max_length=4 * len(encoding) + 512)
    return tokenizer, compare_tokenisations(encoding, other)


class VocabulariesView(View):
    """Two rows of tokens, one below the other."""

    asks: ClassVar = {"compared": False}
    recent_models: Callable[[], Sequence[str]] = staticmethod(tuple)
    reference = ""  # of the other vocabulary; empty: none chosen yet

    def __init__(self) -> None:
        super().__init__()
        self.picture = TokenisationsPicture()
        hint = say("The other vocabulary to tokenise the text with")
        self.menu = MenuButton(say("Other vocabulary"), self._fill, hint)
        self.first, self.second = (label("", "strong", wrap=True) for _ in range(2))
        self.note, self.line = label("", "muted", wrap=True), self.own_line(self.asked["compared"])
        intro = say(
            "Top row: this model. Bottom row: the other one. A word in pieces has no vector of its own: its meaning "
            "must come from its pieces."
        )
        card = Card(say("The same text, tokenised by two vocabularies"), intro=intro)
        card.add_to_header(self.menu)
        card.set_figure(self._figure)
        fill(card.body, self.line, self.first, self.second, self.note, (scrolled(self.picture), 1))
        vbox(card, parent=self)
        self.add_token_menu(self.picture, self._position_of_span)
        self.picture.hovered.connect(self._on_picture_hovered)
        self.picture.clicked.connect(self._on_picture_clicked)

    def restore(self, kept: Any) -> None:
        self.reference = str(kept)

    def compare_with(self, reference: str) -> None:
        """A checkpoint folder, a run folder, a hub id that is on this machine, or the name of a model that ships."""
        self.reference = reference
        self.kept_changed.emit(reference)
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job:
        return Job(compare_with, (reading.encoding, self.reference), is_quick=True)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if not self.reference:  # something to begin with
            self.reference = TINY if reading.request.model.folder == built_in_checkpoint() else BUILT_IN
        self.ask_all()
        answer, own = self.answer_of("compared", reading), reading.request.model
        if answer is None and self.is_running:  # what is on show stays
            return
        other, both = (None, None) if answer is None else answer
        rows = (
            (self.first, say("Top row: {model}", model=own.name), own.tokenizer, both and both.first),
            (self.second, say("Bottom row: {model}", model=name_of(self.reference)), other, both and both.second),
        )
        for number, (line, row, tokenizer, counts) in enumerate(rows):
            size = 0 if tokenizer is None else tokenizer.vocab_size
            vocabulary = say("vocabulary of {size}", size=numbers.count(size))
            lacks = self._lacking(tokenizer, number) if tokenizer and counts and counts.unknown else ""
            show_text(line, "" if counts is None else " · ".join([row, vocabulary, *counted(counts, lacks)]))
        self.note.setText("" if both is None else " ".join([*read_back(reading), explained(both)]))
        self.picture.set_spans([] if both is None else both.spans)
        self.show_selection(reading, selection)

    def _lacking(self, tokenizer: Tokenizer, row: int) -> str:
        """What the vocabulary of a row (0: the upper one) has no token for."""
        assert self.reading is not None
        encoding, spans = self.reading.encoding, self.answer_of("compared", self.reading)[1].spans
        texts = {"a": encoding.text_a, "b": encoding.text_b or ""}
        pieces = ((span.part, piece) for span in spans for piece in (span.first, span.second)[row])
        unknown = [texts[part][piece.start : piece.end] for part, piece in pieces if piece.is_unknown]
        return " ".join(shortened(each, LONGEST_NAME) for each in lacking(tokenizer, unknown)[:MOST_LACKING])

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        here = (
            number
            for number, span in enumerate(self.picture.spans)
            if any(piece.position == selection.position for piece in span.first)
        )
        self.picture.select(next(here, None))

    def _fill(self, menu: QMenu) -> None:
        for name in SHIPPED:
            menu.addAction(name, partial(self.compare_with, name))
        menu.addAction(say("A checkpoint folder…"), self._choose_folder)
        recent = self.recent_models()
        if recent:
            menu.addSeparator()
        for reference in recent:
            menu.addAction(name_of(reference), partial(self.compare_with, reference)).setToolTip(printable(reference))

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, say("Choose a checkpoint folder for its vocabulary"))
        if folder:
            self.compare_with(folder)

    def _on_picture_hovered(self, number: int | None) -> None:
        spans = self.picture.spans
        self.hover_text_changed.emit(described(spans[number]) if number is not None and number < len(spans) else "")

    def _position_of_span(self, number: int) -> int | None:
        pieces = self.picture.spans[number].first
        return pieces[0].position if pieces else None

    def _on_picture_clicked(self, number: int) -> None:
        position = self._position_of_span(number)
        if position is None:
            self.picture.select(number)
        else:
            self.position_clicked.emit(position)

    def _figure(self) -> Figure | None:
        answer = self.answer_of("compared", self.reading)
        if answer is None or self.reading is None:
            return None
        both, encoding = answer[1], self.reading.encoding
        texts, other = {"a": encoding.text_a, "b": encoding.text_b or ""}, name_of(self.reference)
        each = ((span.part, [*span.first, *span.second]) for span in both.spans)
        typed = [texts[part][min(p.start for p in pieces) : max(p.end for p in pieces)] for part, pieces in each]
        names = f"{self.reading.request.model.name} (top row)", f"{other} (bottom row)"
        counts = np.array([(len(span.first), len(span.second)) for span in both.spans]).reshape(-1, 2)
        arrays = {"tokens": Numbers(counts, (Axis("text", typed), Axis("vocabulary", names)))}
        widgets: list[QWidget] = [self.first, self.second, self.note, self.picture]
        settings = say("compared with {model}", model=other)
        return self.figure(say("Two vocabularies"), widgets, arrays, settings=settings)


def explained(both: TwoTokenisations) -> str:
    """What differs, and what one sees."""
    marked = say(
        "Split differently (marked): {count} of {total} words.",
        count=numbers.count(both.differing),
        total=numbers.count(both.first.words),
    )
    pieces = (piece.label for span in both.spans for piece in (*span.first, *span.second))
    sentences = (
        say("Both split the text in the same way.") if all(span.is_same for span in both.spans) else marked,
        say("##: a piece that continues a word.") if any(piece.startswith("##") for piece in pieces) else "",
        "" if both.is_whole else say("The text is too long, so only the part that both models can read is compared."),
        say("Special tokens are not shown."),
    )
    return " ".join(filter(None, sentences))


def read_back(reading: Reading) -> list[str]:
    """What is left of the text where a token is unknown: a sentence, or none."""
    encoding, tokenizer = reading.encoding, reading.request.model.tokenizer
    ids = [token_id for token_id, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]
    text = fitting_line(tokenizer.decode(ids))
    return (
        [say("From the ids of the top row, “{text}” is all that can be read back.", text=text)]
        if encoding.unknown
        else []
    )


def counted(counts: TokenCounts, lacks: str = "") -> list[str]:
    """Phrases on how many tokens a vocabulary splits the text into. lacks: what it has no token for."""
    mean = numbers.decimal(counts.pieces_per_word)
    phrases = [
        say("%n token(s) in all", n=counts.tokens),
        say("{words} words in {pieces} tokens: {mean} per word", words=counts.words, pieces=counts.pieces, mean=mean),
    ]
    if not counts.unknown:
        return phrases
    return [*phrases, say("{count} unknown: it has no token for {lacks}", count=counts.unknown, lacks=lacks)]


def name_of(reference: str) -> str:
    """A short name for a model's reference."""
    path = Path(reference)
    name = f"{path.parent.parent.name} {path.name}" if path.parent.name == "snapshots" else path.name or reference
    name = printable(name)
    return name if len(name) <= LONGEST_NAME else f"…{name[-LONGEST_NAME:]}"


def described(span: Span) -> str:
    """`comfort ##able · comfortable`: both tokenisations in words."""
    nothing = say("nothing")
    return " · ".join(" ".join(piece.label for piece in pieces) or nothing for pieces in (span.first, span.second))
