"""View "Two vocabularies": the same text tokenised by the open model's vocabulary and by another one."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from bertcore.analysis.tokenisations import (
    Piece,
    Span,
    TokenCounts,
    TwoTokenisations,
    compare_tokenisations,
    vocabulary_of,
)
from bertcore.errors import printable
from bertcore.locations import BUILT_IN, SHIPPED, TINY, built_in_checkpoint
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

from ...compute.question import ReportOrCancel
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.say import say
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import KINDS
from ...widgets.card import Card, label, scrolled
from ...widgets.controls import MenuButton
from ...widgets.layouts import fill, vbox
from ...widgets.progress_line import ProgressLine
from ...widgets.wrapped import WrappedBoxes
from ..view import View

Compared = tuple[Tokenizer, TwoTokenisations]  # the other vocabulary, and both tokenisations

ROW_PX, PADDING_PX = 26, 7
LONGEST_NAME = 48


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
        span, height = self.spans[number], self.px(ROW_PX)
        for row, pieces in enumerate((span.first, span.second)):
            widths, left = self._widths(pieces), box.x()
            stretched = box.width() / sum(widths) if widths else 1.0
            for piece, width in zip(pieces, widths, strict=True):
                place = QRectF(left, box.y() + row * (height + 2), width * stretched, height).adjusted(1, 1, -1, -1)
                self._paint_piece(painter, piece, place, KINDS[span.part], span.is_same)
                left += width * stretched
        if number == self._selected:
            painter.setPen(QPen(theme.color("ink"), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), self.px(5), self.px(5))

    def _paint_piece(self, painter: QPainter, piece: Piece, box: QRectF, kind: str, is_same: bool) -> None:
        painter.setPen(QPen(theme.color("line" if is_same else "warn"), 1 if is_same else 2))
        painter.setBrush(theme.color("card" if is_same else "track"))
        painter.drawRoundedRect(box, self.px(4), self.px(4))
        font = self.sized_font(13, medium=True)
        font.setUnderline(piece.is_unknown)
        painter.setFont(font)
        painter.setPen(theme.color(kind))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, piece.label)

    def _widths(self, pieces: tuple[Piece, ...]) -> list[float]:
        metrics = QFontMetrics(self.sized_font(13, medium=True))
        return [float(metrics.horizontalAdvance(piece.label) + 2 * self.px(PADDING_PX)) for piece in pieces]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if self._selected is not None:  # the status line says what is there
            self.set_hovered(self._selected)


@lru_cache(maxsize=1)
def _other_vocabulary(reference: str) -> Tokenizer:
    return vocabulary_of(reference)


def compare_with(encoding: Encoding, reference: str, _progress: ReportOrCancel) -> Compared:
    """The text of an encoding in another vocabulary. Raises BertcoreError where there is none."""
    tokenizer = _other_vocabulary(reference)
    other = tokenizer.encode(encoding.text_a, encoding.text_b, max_length=4 * len(encoding) + 512)
    return tokenizer, compare_tokenisations(encoding, other)


class VocabulariesView(View):
    """Two rows of tokens, one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.recent_models: Callable[[], Sequence[str]] = tuple
        self.reference = ""  # of the other vocabulary; empty: none chosen yet
        self.picture = TokenisationsPicture()
        hint = say("The other vocabulary to tokenise the text with")
        self.menu = MenuButton(say("Other vocabulary"), self._fill, hint)
        self.first, self.second = (label("", "strong", wrap=True) for _ in range(2))
        self.note, self.line = label("", "muted", wrap=True), ProgressLine()
        intro = say(
            "Top row: this model. Bottom row: the other one. A word in pieces has no vector of its own: its meaning "
            "must come from its pieces."
        )
        self.card = Card(say("The same text, tokenised by two vocabularies"), intro=intro)
        self.card.add_to_header(self.menu)
        self.card.set_figure(self._figure)
        fill(self.card.body, self.line, self.first, self.second, self.note, (scrolled(self.picture), 1))
        vbox(self.card, parent=self)
        self.compared = self.add_question(self._on_compared_answered, self.line)
        self.compared.failed.connect(self._clear)
        self.add_token_menu(self.picture, self._position_of_span)
        self.picture.hovered.connect(self._on_picture_hovered)
        self.picture.clicked.connect(self._on_picture_clicked)
        self._clear()

    def restore(self, kept: Any) -> None:
        self.reference = str(kept)

    def compare_with(self, reference: str) -> None:
        """A checkpoint folder, a run folder, a hub id that is on this machine, or the name of a model that ships."""
        self.reference = reference
        self.kept_changed.emit(reference)
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if not self.reference:  # something to begin with
            self.reference = TINY if reading.request.model.folder == built_in_checkpoint() else BUILT_IN
        self.compared.ask(compare_with, reading.encoding, self.reference, pause_ms=0)
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        here = (
            number
            for number, span in enumerate(self.picture.spans)
            if any(piece.position == selection.position for piece in span.first)
        )
        self.picture.select(next(here, None))

    def _on_compared_answered(self, compared: Compared) -> None:
        if self.reading is None:
            return
        (other, both), own = compared, self.reading.request.model
        first, second = (
            say("Top row: {model}", model=own.name),
            say("Bottom row: {model}", model=name_of(self.reference)),
        )
        for line, row, tokenizer, counts in (
            (self.first, first, own.tokenizer, both.first),
            (self.second, second, other, both.second),
        ):
            vocabulary = say("vocabulary of {size}", size=numbers.count(tokenizer.vocab_size))
            line.setText(" · ".join([row, vocabulary, *counted(counts)]))
            line.show()
        marked = say(
            "Split differently (marked): {count} of {total} words and punctuation marks.",
            count=numbers.count(both.differing),
            total=numbers.count(len(both.spans)),
        )
        pieces = (piece.label for span in both.spans for piece in (*span.first, *span.second))
        continues = any(piece.startswith("##") for piece in pieces)
        cut_off = say("The text is too long, so only the part that both models can read is compared.")
        sentences = (
            marked if both.differing else say("Both split the text in the same way."),
            say("##: a piece that continues a word.") if continues else "",
            "" if both.is_whole else cut_off,
            say("Special tokens are not shown."),
        )
        self.note.setText(" ".join(filter(None, sentences)))
        self.picture.set_spans(both.spans)
        self.show_selection(self.reading, self.selection)

    def _clear(self) -> None:
        for line in (self.first, self.second):
            line.hide()
        self.note.setText("")
        self.picture.set_spans([])

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
        pieces = self.picture.spans[number].first
        if pieces:
            self.position_clicked.emit(pieces[0].position)
        else:
            self.picture.select(number)

    def _figure(self) -> Figure | None:
        if self.compared.answer is None or self.reading is None:
            return None
        both, encoding = self.compared.answer[1], self.reading.encoding
        texts, other = {"a": encoding.text_a, "b": encoding.text_b or ""}, name_of(self.reference)
        each = ((span.part, [*span.first, *span.second]) for span in both.spans)
        typed = [texts[part][min(p.start for p in pieces) : max(p.end for p in pieces)] for part, pieces in each]
        names = f"{self.reading.request.model.name} (top row)", f"{other} (bottom row)"
        counts = np.array([(len(span.first), len(span.second)) for span in both.spans]).reshape(-1, 2)
        arrays = {"tokens": Numbers(counts, (Axis("text", typed), Axis("vocabulary", names)))}
        widgets: list[QWidget] = [self.first, self.second, self.note, self.picture]
        settings = say("compared with {model}", model=other)
        return self.figure(say("Two vocabularies"), widgets, arrays, settings=settings)


def counted(counts: TokenCounts) -> list[str]:
    """Phrases on how many tokens a vocabulary splits the text into."""
    mean = numbers.decimal(counts.pieces_per_word)
    phrases = [
        say("%n token(s) in all", n=counts.tokens),
        say("{words} words in {pieces} tokens: {mean} per word", words=counts.words, pieces=counts.pieces, mean=mean),
    ]
    return [*phrases, say("{count} unknown", count=counts.unknown)] if counts.unknown else phrases


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
