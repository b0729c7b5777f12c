"""A sentence with its tags marked: a frame around each entity, its type below with a shape and a colour of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPolygonF

from bertcore.tag_schemes import detect_scheme, entity_spans
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction

from ...figures.figure import numbers_of
from ...look import mark, numbers, say, theme
from ...look.theme import draw_text
from ...state import ModelInfo
from ...widgets.card import label
from ...widgets.charts.drawing import Box
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
WORD_PX, TAG_PX, TYPE_PX, LINE_PX, PADDING_PX = 18, 11, 12.5, 56, 9
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


def pieces_of(words: Sequence[str], tags: Sequence[str], shares: Sequence[float], labels: Sequence[str]) -> list[Piece]:
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


def types_of(labels: Sequence[str]) -> list[str]:
    """The types that a tagger knows, in the order of its labels."""
    names = [name for name in labels if name != OUTSIDE]
    return names if detect_scheme(labels) == "none" else list(dict.fromkeys(name[2:] or "entity" for name in names))


def looks_of(types: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Colour and shape of each type; "": of any other. They come round at different times, so that 35 differ."""
    places = enumerate((*types, ""))
    return {name: (COLORS[at % len(COLORS)], list(SHAPES)[at % len(SHAPES)]) for at, name in places}


class TagsView(ApplyView):
    """The sentence, and below it what the shapes mean."""

    title, python = mark("Predicted tags"), "[*said.probabilities]"
    intro = mark("Below a word: what the model takes it for, and how sure it is. Try a name that it cannot know.")

    def __init__(self, model: ModelInfo) -> None:
        super().__init__(model)
        types, title = types_of(self.task.labels), label(say("The types it knows"), "title")
        self.sentence, self.legend, self.note = TaggedText(types), Legend(types), label("", "muted", wrap=True)
        fill(self.result, self.changed, self.sentence, self.note, 16, title, self.legend, None)
        self.save_button(self.sentence, self.legend)
        self.row.addWidget(self.card, 1)

    def show_answer(self, example: TaggedExample, prediction: TagsPrediction) -> None:
        tags, shares, unread = prediction.tags, prediction.probabilities, prediction.words_cut
        words = [f"{word} {tag}" for word, tag in zip(example.words, tags, strict=False)]
        self.numbers = {"probability": numbers_of("word and tag", words, shares[: len(words)])}
        self.sentence.set_pieces(pieces_of(example.words, tags, shares, self.task.labels))
        nothing = "" if any(piece.type for piece in self.sentence.pieces) else say("It tags no words in this text.")
        cut = say("The last %n word(s) were not read: the text is too long.", n=unread) if unread else ""
        self.note.setText(f"{nothing} {cut}".strip())

    def brief(self, example: TaggedExample, prediction: TagsPrediction) -> str:
        """Its entities or tags, in the order of the text."""
        pieces = pieces_of(example.words, prediction.tags, prediction.probabilities, self.task.labels)
        tagged = (f"{piece.text} ({piece.type})" for piece in pieces if piece.type)
        return ", ".join(tagged) or say("It tags no words in this text.")


class TaggedText(WrappedBoxes):
    """Words in lines; those with a type in a frame."""

    gap_px = line_gap_px = 8.0

    def __init__(self, types: list[str]) -> None:
        super().__init__(say("The sentence with its tags"), LINE_PX, Qt.FocusPolicy.NoFocus)
        self._looks = looks_of(types)
        self.pieces: list[Piece] = []

    def set_pieces(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.setAccessibleDescription(", ".join(f"{piece.text}: {piece.tag}" for piece in pieces if piece.type))
        self.lay_out()

    def box_widths(self) -> list[float]:
        words, small = QFontMetrics(theme.font(WORD_PX, medium=True)), QFontMetrics(theme.font(TAG_PX))
        widths, most = [], float(max(self.width(), 1))
        for piece in self.pieces:
            width = float(words.horizontalAdvance(piece.text))
            if piece.type:
                below = small.horizontalAdvance(piece.tag) + theme.px(16)
                width = max(width, below) + 2 * theme.px(PADDING_PX)
            widths.append(min(width, most))
        return widths

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        piece, above = self.pieces[number], QRectF(box.x(), box.y(), box.width(), theme.px(34))
        if piece.type:
            look = self._looks.get(piece.type, self._looks[""])
            tint = QColor(theme.color(look[0]))
            tint.setAlpha(TINT_ALPHA)
            Box(box.adjusted(1, 1, -1, -1), tint, look[0], 1.4, theme.px(6)).paint(painter)
            left = box.center().x() - (QFontMetrics(theme.font(TAG_PX)).horizontalAdvance(piece.tag) + theme.px(15)) / 2
            below = QRectF(left, box.y() + theme.px(34), box.right() - left, theme.px(18))
            paint_type(painter, below, piece.tag, look, TAG_PX, 15)
        side, middle = theme.px(3 if piece.type else -3), Qt.AlignmentFlag.AlignCenter
        above.adjust(side, 0, -side, 0)
        draw_text(painter, above, piece.text, "ink", WORD_PX, align=middle, medium=bool(piece.type))


class Legend(WrappedBoxes):
    """Every type with its shape and colour, in lines."""

    gap_px = line_gap_px = 0.0

    def __init__(self, types: list[str]) -> None:
        super().__init__(say("Types: {types}", types=", ".join(types)), 22, Qt.FocusPolicy.NoFocus)
        self._types, self._looks = types, looks_of(types)

    def box_widths(self) -> list[float]:
        metrics = QFontMetrics(theme.font(TYPE_PX))
        return [metrics.horizontalAdvance(name) + theme.px(34.0) for name in self._types]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        name = self._types[number]
        paint_type(painter, box, name, self._looks[name], TYPE_PX, 18)


def paint_type(
    painter: QPainter, box: QRectF, text: str, look: tuple[str, str], size_px: float, indent_px: float
) -> None:
    """The shape of a type in its colour, and behind it the text."""
    color, shape = look
    radius, corners = theme.px(4.5 if size_px == TAG_PX else 5.5), SHAPES[shape]
    at = QPointF(box.x() + radius + 1, box.center().y())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color(color))
    if corners:
        painter.drawPolygon(QPolygonF([at + QPointF(x * radius, y * radius) for x, y in corners]))
    else:
        painter.drawEllipse(at, radius, radius)
    draw_text(painter, box.adjusted(theme.px(indent_px), 0, 0, 0), text, "ink", size_px)
