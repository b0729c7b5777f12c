"""What the model says of A and B as a pair: the verdict, other pairs to try, and the previous pairs with theirs."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.readings import Reading
from ...state.verdicts import PairQuestion, Verdict
from ...widgets.card import Card, Hint, button, label, set_role
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import empty, fill, hbox, vbox

MOST_PAIRS = 4
LONGEST = 20  # characters of a sentence in the list of pairs


@dataclass(frozen=True)
class AskedPair:
    """A pair that was asked about, and the verdict on it."""

    a: str
    b: str
    verdict: str  # "B follows A: 93%"


class ShareBar(QWidget):
    """A share 0..1 as a bar that begins at zero."""

    def __init__(self) -> None:
        super().__init__()
        self._share, self._color = 0.0, "bar_strong"
        self.before: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float, name: str, color: str, before: float | None = None) -> None:
        """name: what the bar shows, for screen readers. color: a name in the theme. before: the baseline's, as a line
        across the bar."""
        self._share, self._color, self.before = share, color, before
        self.setAccessibleName(f"{name}: {numbers.percent(share)}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(14))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        box = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        radius = box.height() / 2
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(box, radius, radius)
        painter.setBrush(theme.color(self._color))
        filled = max(box.width() * self._share, box.height())
        painter.drawRoundedRect(QRectF(box.x(), box.y(), filled, box.height()), radius, radius)
        if self.before is not None:
            painter.setPen(QPen(theme.color("ink"), theme.stroke(2)))
            at = min(max(box.x() + box.width() * self.before, 1.0), box.right() - 1)
            painter.drawLine(QPointF(at, self.rect().top()), QPointF(at, self.rect().bottom()))


class PairCard(Card):
    """The answer about A and B, or the reason why there is none; a click swaps A and B or brings another pair."""

    text_requested = Signal(object, object)  # A, B; None leaves it as it is
    swap_requested = Signal()
    pairs_changed = Signal(object)  # the previous pairs: list[AskedPair]

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[AskedPair] = []  # asked about before, newest first
        self._texts = ("", "")  # A and B of the reading on show
        self._is_changed = False  # the verdict is of a model with changes inside
        self._random = random.Random()
        self._answer, self._number = label("", "verdict"), label("", "strong", wrap=True)
        self._bar = ShareBar()
        explain("probability", self._bar, self._number)
        self._explanation = label("", "muted", wrap=True)
        self._before = label("", "strong", wrap=True)
        self.swap = button(say("Swap A and B"), self._on_swap_clicked, look="small", hint=say("Read B first, then A"))
        self.other = button(
            say("Another B"), self._on_other_clicked, look="small", hint=say("Try the B of another example")
        )
        fill(self.body, self._answer, self._number, self._bar, self._before, self._explanation)
        tries = FlowLayout()
        tries.addWidget(self.swap)
        tries.addWidget(self.other)
        self.previous = QWidget()
        self._lines = vbox(gap_px=6)
        vbox(
            label(say("Previous pairs"), "title"),
            self._lines,
            parent=self.previous,
            gap_px=4,
            margins=(0, theme.px(6), 0, 0),
        )
        fill(self.body, tries, self.previous, None)
        self.previous.hide()

    @property
    def text(self) -> str:
        """All that the card says of this pair."""
        return f"{self._answer.text()} {self._number.text()} {self._explanation.text()}".strip()

    @property
    def verdict(self) -> str:
        """In short, `B follows A: 93%`; empty where there is none."""
        return "" if self._number.isHidden() else self._number.text()

    @property
    def share_before(self) -> float | None:
        """The baseline's, as it is drawn across the bar."""
        return self._bar.before

    @property
    def before(self) -> str:
        """The verdict with the baseline; empty where there is none."""
        return "" if self._before.isHidden() else self._before.text()

    @property
    def pictures(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._answer, self._number, self._bar, self._explanation]

    def show_verdict(
        self,
        reading: Reading,
        question: PairQuestion,
        verdict: Verdict,
        before: Verdict | None = None,
        where: str = "",
    ) -> None:
        """before: of what the reading is compared with; where: `baseline_names.where_first`."""
        self._show_question(reading, question)
        self._before.setVisible(before is not None)
        if before is not None:
            self._before.setText(say("{where}: {verdict}", where=where, verdict=before.short))
        set_role(self._answer, verdict.role)
        self._answer.setText(verdict.answer)
        self._number.setText(verdict.number)
        color = {"verdict": "good", "verdict-no": "bad"}.get(verdict.role, "bar_strong")
        self._bar.set_share(verdict.share, verdict.bar, color, None if before is None else before.share)
        self._explanation.setText(verdict.explanation)
        self._set_answered(True)

    def show_reason(self, reading: Reading, question: PairQuestion, reason: str) -> None:
        """Why there is no verdict."""
        self._show_question(reading, question)
        self._explanation.setText(reason)
        for widget in (self._answer, self._number):
            widget.setText("")
        self._before.hide()
        self._set_answered(False)

    def offer(self, has_answers: bool, has_b: bool) -> None:
        """What can be tried: nothing where the model says nothing of pairs, no swap without a B."""
        for widget in (self.swap, self.other):
            widget.setVisible(has_answers)
        self.swap.setEnabled(has_b)

    def set_pairs(self, pairs: Sequence[AskedPair]) -> None:
        """The pairs that were asked about before, newest first."""
        self.pairs = list(pairs)[:MOST_PAIRS]
        empty(self._lines)
        for pair in self.pairs:
            self._lines.addWidget(self._line(pair))
        self.previous.setVisible(bool(self.pairs))

    def go_to(self, pair: AskedPair) -> None:
        """Asks about a previous pair again."""
        self._leave_for(pair.a, pair.b)
        self.text_requested.emit(pair.a, pair.b)

    def _line(self, pair: AskedPair) -> QWidget:
        line = QWidget()
        texts = vbox(Hint(pair.verdict), Hint(f"{_cut(pair.a)} / {_cut(pair.b)}"), gap_px=0)
        hint = say("Back to: {a} / {b}", a=pair.a, b=pair.b)
        hbox((texts, 1), button(say("Back"), partial(self.go_to, pair), look="small", hint=hint), parent=line)
        return line

    def _show_question(self, reading: Reading, question: PairQuestion) -> None:
        self._texts = reading.encoding.text_a, reading.encoding.text_b or ""
        self._is_changed = bool(reading.request.what_if) and not question.is_similarity
        self.set_title(question.title)

    def _leave_for(self, a: str, b: str) -> None:
        """The pair on show goes into the list; the one that comes is no previous one."""
        pairs = [pair for pair in self.pairs if (pair.a, pair.b) not in (self._texts, (a, b))]
        if self.verdict and self._texts[1]:
            verdict = say("{verdict} (with changes)") if self._is_changed else "{verdict}"
            pairs.insert(0, AskedPair(*self._texts, verdict.format(verdict=self.verdict)))
        self.set_pairs(pairs)
        self.pairs_changed.emit(self.pairs)

    def _set_answered(self, is_answered: bool) -> None:
        for widget in (self._answer, self._number, self._bar):
            widget.setVisible(is_answered)

    def _on_swap_clicked(self) -> None:
        self._leave_for(*reversed(self._texts))
        self.swap_requested.emit()

    def _on_other_clicked(self) -> None:
        from ...state.examples import load_examples

        others = sorted({one.b for one in load_examples() if one.b} - set(self._texts))
        if others:
            other = self._random.choice(others)
            self._leave_for(self._texts[0], other)
            self.text_requested.emit(None, other)


def _cut(text: str) -> str:
    """So much of a sentence that two fit in a line."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
