"""What the model says of A and B as a pair: the verdict in words, a number and a bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.look import theme
from app.rooms.predict.former import FormerVerdicts
from app.rooms.predict.numbers import percent
from app.widgets.card import Card, button, label, set_role

if TYPE_CHECKING:
    from app.state.model_info import ModelInfo
    from bertcore.analysis.predict import NextSentence
    from bertcore.analysis.verdicts import SentenceOrder
    from bertcore.checkpoint.sentence_pooling import Pooling


SURE = 0.65  # below this the verdict is little more than a coin toss
# Cosine from which on two sentences count as that; sentence encoders differ, so the card says that it is a rough word.
LIKENESS = ((0.8, "Nearly the same"), (0.55, "Alike"), (0.3, "Somewhat alike"), (-1.0, "Not alike"))


@dataclass(frozen=True)
class Question:
    """What a model can be asked about A and B."""

    kind: str  # "next", "order" or "alike"
    title: str
    invitation: str  # while there is no B


NEXT = Question("next", "Is B the next sentence?", "Type a second sentence in B to ask whether it follows A.")
ORDER = Question("order", "Is A before B?", "Type a second sentence in B to ask which of the two comes first.")
ALIKE = Question("alike", "How alike are A and B?", "Type a second sentence in B to compare it with A.")


@dataclass(frozen=True)
class Verdict:
    """An answer, ready to be shown."""

    role: str  # of the answer: "verdict", "verdict-no", "verdict-unsure"
    answer: str
    number: str
    share: float  # 0..1, the bar
    bar: str  # what the bar shows, for screen readers
    words: str
    is_choice: bool = True  # between two: the bar's middle is marked, and its colour says which


def question_for(model: ModelInfo) -> tuple[Question, str]:
    """What this model can be asked about a pair, and why it cannot answer; empty where it can."""
    missing = model.missing
    if "nsp" in model.tasks:
        return NEXT, ""
    if "sop" in model.tasks:
        return ORDER, ""
    if model.pooling is not None:
        return ALIKE, ""
    if "sop" in missing:
        return ORDER, missing["sop"]
    return NEXT, missing.get("nsp", "This model does not say whether B follows A.")


def next_sentence_verdict(said: NextSentence, first: str) -> Verdict:
    """first: the special token that the head reads, as the model calls it."""
    words = f"The next-sentence head reads {first} and gives IsNext {said.is_next:.3f}, NotNext {said.not_next:.3f}."
    return _choice(said.is_next, "B follows A", "B does not follow A", words)


def order_verdict(said: SentenceOrder, first: str) -> Verdict:
    words = (
        f"The sentence-order head reads {first} and gives in order {said.in_order:.3f}, swapped {said.swapped:.3f}. "
        "Both sentences may well be about the same thing: only their order is asked."
    )
    return _choice(said.in_order, "A comes before B", "B comes before A", words)


def likeness_verdict(cosine: float, pooling: Pooling, first: str) -> Verdict:
    """cosine: of the two sentence vectors, -1..1."""
    answer = next(name for least, name in LIKENESS if cosine >= least or least == -1.0)
    read = f"the vector of {first}" if pooling.kind == "cls" else "the mean of its tokens' vectors"
    words = (
        f"Each sentence is read by itself, as typed, and becomes one vector: {read}. Their cosine is 1 where they "
        "point the same way, about 0 where they have nothing in common. How high is high differs from model to model."
    )
    role = "verdict" if cosine >= LIKENESS[1][0] else "verdict-unsure"
    shown = f"{cosine:.3f}".replace("-", "−")
    return Verdict(role, answer, f"cosine {shown}", min(max(cosine, 0.0), 1.0), "Cosine of A and B", words, False)


def _choice(share: float, yes: str, no: str, words: str) -> Verdict:
    sure = max(share, 1 - share)
    is_yes = share >= 0.5
    role = "verdict-unsure" if sure < SURE else "verdict" if is_yes else "verdict-no"
    answer = "Unsure" if sure < SURE else "Yes" if is_yes else "No"
    return Verdict(role, answer, f"{yes if is_yes else no}: {percent(sure)}", share, f"Probability that {yes}", words)


class ShareBar(QWidget):
    """A share 0..1 as a filled bar; a choice between two is filled from the middle, to the right for the first."""

    def __init__(self) -> None:
        super().__init__()
        self._share, self._is_choice = 0.0, True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float, name: str, is_choice: bool) -> None:
        self._share, self._is_choice = share, is_choice
        self.setAccessibleName(f"{name}: {share:.2f}")
        self.setToolTip("The middle is a coin toss; right says yes, left says no" if is_choice else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(14))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        box = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        radius = box.height() / 2
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(box, radius, radius)
        if not self._is_choice:
            painter.setBrush(theme.color("bar_strong"))
            filled = max(box.width() * self._share, box.height())
            painter.drawRoundedRect(QRectF(box.x(), box.y(), filled, box.height()), radius, radius)
            return
        middle, end = box.center().x(), box.x() + box.width() * self._share
        painter.setBrush(theme.color("good" if self._share >= 0.5 else "bad"))
        outline = QPainterPath()
        outline.addRoundedRect(box, radius, radius)
        painter.setClipPath(outline)
        painter.drawRect(QRectF(QPointF(min(middle, end), box.top()), QPointF(max(middle, end), box.bottom())))
        painter.setPen(theme.color("muted"))
        painter.drawLine(QPointF(middle, box.top()), QPointF(middle, box.bottom()))


class VerdictCard(Card):
    """The model's answer about A and B, or the reason why there is none; other pairs to ask about."""

    swap_asked = Signal()
    other_asked = Signal()  # another B, from the examples

    def __init__(self) -> None:
        super().__init__(NEXT.title)
        self._answer, self._number = label("", "verdict"), label("", "strong")
        self._bar = ShareBar()
        self._words = label("", "muted", wrap=True)
        self._before = label("", "strong", wrap=True)
        self.swap = button("Swap A and B", self.swap_asked.emit, look="small", hint="Read B first, then A")
        self.other = button("Another B", self.other_asked.emit, look="small", hint="A sentence B from another example")
        self.former = FormerVerdicts()
        for widget in (self._answer, self._number, self._bar, self._before, self._words):
            self.body.addWidget(widget)
        tries = QHBoxLayout()
        tries.addWidget(self.swap)
        tries.addWidget(self.other)
        tries.addStretch(1)
        self.body.addLayout(tries)
        self.body.addWidget(self.former)
        self.body.addStretch(1)

    @property
    def text(self) -> str:
        return f"{self._answer.text()} {self._number.text()} {self._words.text()}".strip()

    @property
    def said(self) -> str:
        """The verdict in short, `B follows A: 93 %`; empty where there is none."""
        return "" if self._number.isHidden() else self._number.text()

    @property
    def before(self) -> str:
        """The verdict without what is changed inside; empty where nothing is."""
        return "" if self._before.isHidden() else self._before.text()

    @property
    def pictures(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._answer, self._number, self._bar, self._words]

    def show_verdict(self, question: Question, verdict: Verdict, before: Verdict | None = None) -> None:
        """before: without what is changed inside."""
        self.set_title(question.title)
        self._before.setVisible(before is not None)
        self._before.setText(f"Before your changes: {before.number}" if before is not None else "")
        set_role(self._answer, verdict.role)
        self._answer.setText(verdict.answer)
        self._number.setText(verdict.number)
        self._bar.set_share(verdict.share, verdict.bar, verdict.is_choice)
        self._words.setText(verdict.words)
        self._set_shown(True)

    def show_reason(self, question: Question, reason: str) -> None:
        """Why there is no verdict."""
        self.set_title(question.title)
        self._words.setText(reason)
        for widget in (self._answer, self._number):
            widget.setText("")
        self._before.hide()
        self._set_shown(False)

    def offer(self, has_answers: bool, has_b: bool) -> None:
        """What can be tried: nothing where the model says nothing of pairs, no swap without a B."""
        for widget in (self.swap, self.other):
            widget.setVisible(has_answers)
        self.swap.setEnabled(has_b)

    def _set_shown(self, shown: bool) -> None:
        for widget in (self._answer, self._number, self._bar):
            widget.setVisible(shown)
