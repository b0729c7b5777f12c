"""A sentence with its tags marked: a frame around each entity, its type below with a shape and a colour of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from bertcore.tag_schemes import detect_scheme, entity_spans
from bertcore.tasks.kinds.base import Example, Prediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction

from ...compute.applying import Applied
from ...figures.figure import Numbers, numbers_of
from ...look import numbers, theme
from ...look.say import say
from ...state.model_info import ModelInfo
from ...state.readings import Reading
from ...widgets.card import label
from ...widgets.layouts import fill
from ...widgets.wrapped import WrappedBoxes
from .view import ApplyView

COLORS = ("segment_a", "segment_b", "good_text", "mask", "warn", "special", "accent")
SHAPES = ("circle", "square", "triangle", "diamond", "bar")
TINT_ALPHA = 38
WORD_PX, LINE_PX, PADDING_PX = 18, 56, 9
OUTSIDE = "O"


@dataclass(frozen=True)
class Piece:
    """Words that belong together: an entity, or a word without a tag (type "")."""

    text: str
    type: str = ""
    share: float = 0.0  # the lowest probability of its words' tags


def pieces_of(
    words: tuple[str, ...], tags: tuple[str, ...], shares: tuple[float, ...], labels: list[str]
) -> list[Piece]:
    """The sentence in pieces. Tags that mark no entities, as parts of speech, are a piece each."""
    if detect_scheme(labels) == "none":
        found = zip(words, tags, shares, strict=True)
        return [Piece(word, tag, share) if tag != OUTSIDE else Piece(word) for word, tag, share in found]
    pieces, at = [], 0
    for span in entity_spans(tags):
        pieces += [Piece(word) for word in words[at : span.start]]
        text = " ".join(words[span.start : span.end])
        pieces.append(Piece(text, span.type or "entity", min(shares[span.start : span.end])))
        at = span.end
    return pieces + [Piece(word) for word in words[at:]]


def types_of(labels: list[str]) -> list[str]:
    """The types that a tagger knows, in the order of its labels."""
    if detect_scheme(labels) == "none":
        return [name for name in labels if name != OUTSIDE]
    return list(dict.fromkeys(name[2:] or "entity" for name in labels if name != OUTSIDE))


class TagsView(ApplyView):
    """The sentence, and below it what the shapes mean."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        self.card.set_title(say("Predicted tags"))
        self.card.set_intro(
            say("Below a word: what the model takes it for, and how sure it is. Try a name that it cannot know.")
        )
        self._labels = list(self.task.labels)
        types = types_of(self._labels)
        self.sentence, self.legend = TaggedText(types), Legend(types)
        self._note = label("", "muted", wrap=True)
        fill(
            self.card.body,
            self._changed,
            self.sentence,
            self._note,
            16,
            label(say("The types it knows"), "title"),
            self.legend,
            None,
        )
        self.save_button([self.sentence, self.legend])
        self.row.addWidget(self.card, 1)

    @property
    def what_it_reads(self) -> str:
        return say("It reads A and ignores B.")

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return reading.encoding.text_a, None

    def show_answer(self, applied: Applied) -> None:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, TagsPrediction) and isinstance(example, TaggedExample)
        pieces = pieces_of(example.words, prediction.tags, prediction.probabilities, self._labels)
        self.sentence.set_pieces(pieces)
        notes = []
        if not any(piece.type for piece in pieces):
            notes.append(say("It tags no words in this text."))
        if prediction.words_cut:
            notes.append(say("The last %n word(s) were not read: the text is too long.", n=prediction.words_cut))
        self._note.setText(" ".join(notes))

    def figure_numbers(self, applied: Applied) -> Mapping[str, Numbers]:
        prediction, example = applied.prediction, applied.example
        assert isinstance(prediction, TagsPrediction) and isinstance(example, TaggedExample)
        words = [f"{word} {tag}" for word, tag in zip(example.words, prediction.tags, strict=False)]
        return {"probability": numbers_of("word and tag", words, prediction.probabilities[: len(words)])}

    def brief(self, example: Example, prediction: Prediction) -> str:
        """Its entities or tags, in the order of the text."""
        assert isinstance(prediction, TagsPrediction) and isinstance(example, TaggedExample)
        pieces = pieces_of(example.words, prediction.tags, prediction.probabilities, self._labels)
        tagged = [f"{piece.text} ({piece.type})" for piece in pieces if piece.type]
        return ", ".join(tagged) or say("It tags no words in this text.")

    def clear(self) -> None:
        self.sentence.set_pieces([])
        self._note.setText("")


class TaggedText(WrappedBoxes):
    """Words in lines; those with a type in a frame."""

    gap_px = line_gap_px = 8.0

    def __init__(self, types: list[str]) -> None:
        super().__init__("", LINE_PX, Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(say("The sentence with its tags"))
        self._types = types
        self.pieces: list[Piece] = []

    def set_pieces(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        described = (f"{piece.text}: {piece.type} {numbers.probability(piece.share)}" for piece in pieces if piece.type)
        self.setAccessibleDescription(", ".join(described))
        self.lay_out()

    def box_widths(self) -> list[float]:
        words, small = QFontMetrics(theme.font(WORD_PX, medium=True)), QFontMetrics(theme.font(11))
        widths, most = [], float(max(self.width(), 1))
        for piece in self.pieces:
            width = float(words.horizontalAdvance(piece.text))
            if piece.type:
                below = small.horizontalAdvance(_below(piece)) + theme.px(16)
                width = max(width, below) + 2 * theme.px(PADDING_PX)
            widths.append(min(width, most))
        return widths

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        piece, rect = self.pieces[number], box
        above = QRectF(rect.x(), rect.y(), rect.width(), theme.px(34))
        painter.setFont(theme.font(WORD_PX, medium=bool(piece.type)))
        if not piece.type:
            painter.setPen(theme.color("ink"))
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter, piece.text)
            return
        color = color_of(piece.type, self._types)
        tint = QColor(color)
        tint.setAlpha(TINT_ALPHA)
        painter.setPen(QPen(color, 1.4))
        painter.setBrush(tint)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), theme.px(6), theme.px(6))
        painter.setPen(theme.color("ink"))
        shown = QFontMetrics(painter.font()).elidedText(
            piece.text, Qt.TextElideMode.ElideRight, int(rect.width()) - theme.px(6)
        )
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, shown)
        painter.setFont(theme.font(11))
        text = _below(piece)
        width = QFontMetrics(painter.font()).horizontalAdvance(text) + theme.px(15)
        left = rect.center().x() - width / 2
        middle = rect.y() + theme.px(43)
        paint_shape(painter, piece.type, self._types, QPointF(left + theme.px(5), middle), theme.px(4.5))
        painter.setPen(theme.color("ink"))
        below = QRectF(left + theme.px(15), middle - theme.px(9), width, theme.px(18))
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, text)


class Legend(WrappedBoxes):
    """Every type with its shape and colour, in lines."""

    gap_px = line_gap_px = 0.0

    def __init__(self, types: list[str]) -> None:
        super().__init__("", 22, Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(say("Types: {types}", types=", ".join(types)))
        self._types = types

    def box_widths(self) -> list[float]:
        metrics = QFontMetrics(theme.font(12.5))
        return [metrics.horizontalAdvance(name) + theme.px(34.0) for name in self._types]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        name, at = self._types[number], QPointF(box.x() + theme.px(7), box.y() + theme.px(11))
        painter.setFont(theme.font(12.5))
        paint_shape(painter, name, self._types, at, theme.px(5.5))
        painter.setPen(theme.color("ink"))
        painter.drawText(box.adjusted(theme.px(18), 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)


def color_of(name: str, types: list[str]) -> QColor:
    return theme.color(COLORS[_place(name, types) % len(COLORS)])


def shape_of(name: str, types: list[str]) -> str:
    """Shapes and colours come round at different times, so that 35 types are told apart."""
    return SHAPES[_place(name, types) % len(SHAPES)]


def paint_shape(painter: QPainter, name: str, types: list[str], at: QPointF, radius: float) -> None:
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color_of(name, types))
    x, y = at.x(), at.y()
    shape = shape_of(name, types)
    if shape == "circle":
        painter.drawEllipse(at, radius, radius)
    elif shape == "square":
        painter.drawRect(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))
    elif shape == "bar":
        painter.drawRect(QRectF(x - radius / 2.5, y - radius, radius / 1.25, 2 * radius))
    elif shape == "triangle":
        painter.drawPolygon([QPointF(x, y - radius), QPointF(x + radius, y + radius), QPointF(x - radius, y + radius)])
    else:
        corners = ((x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y))
        painter.drawPolygon([QPointF(*corner) for corner in corners])
    painter.restore()


def _place(name: str, types: list[str]) -> int:
    return types.index(name) if name in types else len(types)


def _below(piece: Piece) -> str:
    return f"{piece.type} {numbers.probability(piece.share)}"
