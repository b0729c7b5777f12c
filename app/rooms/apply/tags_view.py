"""A sentence with its tags marked: a frame around each entity, its type below with a shape and a colour of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from bertcore.tag_schemes import detect_scheme, entity_spans
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction

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
SHAPES = {  # corners, in radii around the middle; a circle has none
    "circle": (),
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "triangle": ((0, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "bar": ((-0.4, -1), (0.4, -1), (0.4, 1), (-0.4, 1)),
}
TINT_ALPHA = 38
WORD_PX, LINE_PX, PADDING_PX = 18, 56, 9
OUTSIDE = "O"


@dataclass(frozen=True)
class Piece:
    """Words that belong together: an entity, or a word without a tag (type "")."""

    text: str
    type: str = ""
    share: float = 0.0  # the lowest probability of its words' tags

    @property
    def tag(self) -> str:
        return f"{self.type} {numbers.probability(self.share)}"


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


class TagsView(ApplyView[TaggedExample, TagsPrediction]):
    """The sentence, and below it what the shapes mean."""

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model, say("Predicted tags"))
        intro = say("Below a word: what the model takes it for, and how sure it is. Try a name that it cannot know.")
        self.card.set_intro(intro)
        self._labels = list(self.task.labels)
        types, title = types_of(self._labels), label(say("The types it knows"), "title")
        self.sentence, self.legend, self._note = TaggedText(types), Legend(types), label("", "muted", wrap=True)
        fill(self.card.body, self._changed, self.sentence, self._note, 16, title, self.legend, None)
        self.save_button(self.sentence, self.legend)
        self.row.addWidget(self.card, 1)

    @property
    def what_it_reads(self) -> str:
        return say("It reads A and ignores B.")

    def texts(self, reading: Reading) -> tuple[str, str | None]:
        return reading.encoding.text_a, None

    def _pieces(self, example: TaggedExample, prediction: TagsPrediction) -> list[Piece]:
        return pieces_of(example.words, prediction.tags, prediction.probabilities, self._labels)

    def show_answer(self, example: TaggedExample, prediction: TagsPrediction) -> None:
        pieces, unread = self._pieces(example, prediction), prediction.words_cut
        self.sentence.set_pieces(pieces)
        nothing = "" if any(piece.type for piece in pieces) else say("It tags no words in this text.")
        cut = say("The last %n word(s) were not read: the text is too long.", n=unread) if unread else ""
        self._note.setText(f"{nothing} {cut}".strip())

    def figure_numbers(self, example: TaggedExample, prediction: TagsPrediction) -> Mapping[str, Numbers]:
        words = [f"{word} {tag}" for word, tag in zip(example.words, prediction.tags, strict=False)]
        return {"probability": numbers_of("word and tag", words, prediction.probabilities[: len(words)])}

    def brief(self, example: TaggedExample, prediction: TagsPrediction) -> str:
        """Its entities or tags, in the order of the text."""
        tagged = (f"{piece.text} ({piece.type})" for piece in self._pieces(example, prediction) if piece.type)
        return ", ".join(tagged) or say("It tags no words in this text.")

    def clear(self) -> None:
        self.sentence.set_pieces([])
        self._note.setText("")


class TaggedText(WrappedBoxes):
    """Words in lines; those with a type in a frame."""

    gap_px = line_gap_px = 8.0

    def __init__(self, types: list[str]) -> None:
        super().__init__(say("The sentence with its tags"), LINE_PX, Qt.FocusPolicy.NoFocus)
        self._types = types
        self.pieces: list[Piece] = []

    def set_pieces(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.setAccessibleDescription(", ".join(f"{piece.text}: {piece.tag}" for piece in pieces if piece.type))
        self.lay_out()

    def box_widths(self) -> list[float]:
        words, small = QFontMetrics(theme.font(WORD_PX, medium=True)), QFontMetrics(theme.font(11))
        widths, most = [], float(max(self.width(), 1))
        for piece in self.pieces:
            width = float(words.horizontalAdvance(piece.text))
            if piece.type:
                below = small.horizontalAdvance(piece.tag) + theme.px(16)
                width = max(width, below) + 2 * theme.px(PADDING_PX)
            widths.append(min(width, most))
        return widths

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        piece = self.pieces[number]
        above = QRectF(box.x(), box.y(), box.width(), theme.px(34))
        if piece.type:
            color = color_of(piece.type, self._types)
            tint = QColor(color)
            tint.setAlpha(TINT_ALPHA)
            painter.setPen(QPen(color, 1.4))
            painter.setBrush(tint)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), theme.px(6), theme.px(6))
            self._paint_tag(painter, piece, box)
        painter.setFont(theme.font(WORD_PX, medium=bool(piece.type)))
        painter.setPen(theme.color("ink"))
        room = int(box.width()) - (theme.px(6) if piece.type else 0)
        text = QFontMetrics(painter.font()).elidedText(piece.text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, text if piece.type else piece.text)

    def _paint_tag(self, painter: QPainter, piece: Piece, box: QRectF) -> None:
        painter.setFont(theme.font(11))
        width, middle = QFontMetrics(painter.font()).horizontalAdvance(piece.tag) + theme.px(15), box.y() + theme.px(43)
        left = box.center().x() - width / 2
        paint_shape(painter, piece.type, self._types, QPointF(left + theme.px(5), middle), theme.px(4.5))
        painter.setPen(theme.color("ink"))
        below = QRectF(left + theme.px(15), middle - theme.px(9), width, theme.px(18))
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, piece.tag)


class Legend(WrappedBoxes):
    """Every type with its shape and colour, in lines."""

    gap_px = line_gap_px = 0.0

    def __init__(self, types: list[str]) -> None:
        super().__init__(say("Types: {types}", types=", ".join(types)), 22, Qt.FocusPolicy.NoFocus)
        self._types = types

    def box_widths(self) -> list[float]:
        metrics = QFontMetrics(theme.font(12.5))
        return [metrics.horizontalAdvance(name) + theme.px(34.0) for name in self._types]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        name, at = self._types[number], QPointF(box.x() + theme.px(7), box.y() + theme.px(11))
        paint_shape(painter, name, self._types, at, theme.px(5.5))
        painter.setFont(theme.font(12.5))
        painter.setPen(theme.color("ink"))
        painter.drawText(box.adjusted(theme.px(18), 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)


def color_of(name: str, types: list[str]) -> QColor:
    return theme.color(COLORS[_place(name, types) % len(COLORS)])


def shape_of(name: str, types: list[str]) -> str:
    """Shapes and colours come round at different times, so that 35 types are told apart."""
    return list(SHAPES)[_place(name, types) % len(SHAPES)]


def paint_shape(painter: QPainter, name: str, types: list[str], at: QPointF, radius: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color_of(name, types))
    corners = SHAPES[shape_of(name, types)]
    if corners:
        painter.drawPolygon(QPolygonF([at + QPointF(x * radius, y * radius) for x, y in corners]))
    else:
        painter.drawEllipse(at, radius, radius)


def _place(name: str, types: list[str]) -> int:
    return types.index(name) if name in types else len(types)
