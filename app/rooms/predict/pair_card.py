"""What the model says of A and B as a pair: the verdict, other pairs to try, and the previous pairs with theirs."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...look import theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import where_first
from ...state.readings import Reading
from ...state.verdicts import PairQuestion, Verdict, verdict_of
from ...widgets.card import Card, Hint, button, label, set_role
from ...widgets.charts.scale import ShareBar
from ...widgets.layouts import FlowLayout, empty, fill, hbox, vbox

MOST_PAIRS = 4
LONGEST = 20  # characters of a sentence in the list of pairs


@dataclass(frozen=True)
class AskedPair:
    """A pair that was asked about, and the verdict on it."""

    a: str
    b: str
    verdict: str  # "B follows A: 93%"


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
        self._baseline, self._explanation = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self.bar = ShareBar()
        explain("probability", self.bar, self._number)
        other = say("Try the B of another example")
        self.swap = button(say("Swap A and B"), self._on_swap_clicked, look="small", hint=say("Read B first, then A"))
        self.other = button(say("Another B"), self._on_other_clicked, look="small", hint=other)
        self.previous, self._lines, tries = QWidget(), vbox(gap_px=6), FlowLayout()
        tries.addWidget(self.swap)
        tries.addWidget(self.other)
        margins = (0, theme.px(6), 0, 0)
        vbox(label(say("Previous pairs"), "title"), self._lines, parent=self.previous, gap_px=4, margins=margins)
        fill(self.body, self._answer, self._number, self.bar, self._baseline, self._explanation)
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
    def baseline(self) -> str:
        """The verdict with the baseline; empty where there is none."""
        return "" if self._baseline.isHidden() else self._baseline.text()

    @property
    def pictures(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._answer, self._number, self.bar, self._explanation]

    def show_verdict(self, reading: Reading, question: PairQuestion, verdict: Verdict | None, reason: str = "") -> None:
        """reason: why there is no verdict, where there is none."""
        encoding = reading.encoding
        self._texts = encoding.text_a, encoding.text_b or ""
        self._is_changed = bool(reading.request.what_if) and not question.is_similarity
        self.set_title(question.title)
        self._explanation.setText(reason if verdict is None else verdict.explanation)
        self._answer.setText("" if verdict is None else verdict.answer)
        self._number.setText("" if verdict is None else verdict.number)
        for widget in (self._answer, self._number, self.bar):
            widget.setVisible(verdict is not None)
        is_compared = verdict is not None and not question.is_similarity and reading.baseline is not None
        baseline = verdict_of(reading.baseline) if is_compared and reading.baseline is not None else None
        self._baseline.setVisible(baseline is not None)
        if baseline is not None:
            self._baseline.setText(say("{where}: {verdict}", where=where_first(reading), verdict=baseline.short))
        if verdict is not None:
            set_role(self._answer, verdict.role)
            color = {"verdict": "good", "verdict-no": "bad"}.get(verdict.role, "bar_strong")
            self.bar.set_share(verdict.share, verdict.bar, color, None if baseline is None else baseline.share)
        self.swap.setHidden(bool(question.missing))
        self.other.setHidden(bool(question.missing))
        self.swap.setEnabled(encoding.text_b is not None)

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

    def _leave_for(self, a: str, b: str) -> None:
        """The pair on show goes into the list; the one that comes is no previous one."""
        pairs = [pair for pair in self.pairs if (pair.a, pair.b) not in (self._texts, (a, b))]
        if self.verdict and self._texts[1]:
            changed = say("{verdict} (with changes)", verdict=self.verdict)
            pairs.insert(0, AskedPair(*self._texts, changed if self._is_changed else self.verdict))
        self.set_pairs(pairs)
        self.pairs_changed.emit(self.pairs)

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
