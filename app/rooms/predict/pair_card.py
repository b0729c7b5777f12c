"""What the model says of A and B as a pair, other pairs to try and the previous ones; guesses from before a change."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal

from bertcore.errors import shortened
from bertcore.tokenizer.text_spans import moved_positions
from bertcore.tokenizer.tokenizer import Encoding

from ...look import numbers, say, theme
from ...look.number_kinds import explain
from ...look.say import isolated
from ...state import MaskReading, ModelInfo, Reading
from ...state.baseline_names import where_first
from ...state.examples import load_examples
from ...state.verdicts import PairQuestion, Verdict, verdict_of
from ...widgets.before_after import BeforeAfter
from ...widgets.card import Card, Hint, button, label, set_role, show_text
from ...widgets.charts.scale import ShareBar
from ...widgets.controls import IconButton
from ...widgets.layouts import FlowLayout, empty, fill, hbox, held, vbox

MOST_PAIRS, MOST_ROWS = 4, 6
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
    pairs_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[AskedPair] = []  # asked about before, newest first
        self.verdict = ""  # in short, `B follows A: 93%`; empty where there is none
        self._texts = ("", "")  # A and B of the reading on show
        self._is_changed = False  # the verdict is of a model with changes inside
        self._random = random.Random()
        self._answer, self._number = label("", "verdict"), label("", "strong", wrap=True)
        self._baseline, self._explanation = label("", "strong", wrap=True), label("", "muted", wrap=True)
        self.bar = ShareBar()
        self.pictures = self._answer, self._number, self.bar, self._explanation  # what a saved picture shows
        explain("probability", self.bar, self._number)
        other = say("Try the B of another example")
        read, swapped = say("Read B first, then A"), lambda: self.go_to(*reversed(self._texts))
        self.swap = button(say("Swap A and B"), swapped, look="small", hint=read)
        self.other = button(say("Another B"), self._on_other_clicked, look="small", hint=other)
        title, self._lines, margins = label(say("Previous pairs"), "title"), vbox(gap_px=6), (0, theme.px(6), 0, 0)
        self.previous = held(vbox(title, self._lines, gap_px=4, margins=margins))
        fill(self.body, self._answer, self._number, self.bar, self._baseline, self._explanation)
        fill(self.body, FlowLayout(self.swap, self.other), self.previous, None)
        self.previous.hide()

    def show_verdict(self, reading: Reading, question: PairQuestion, verdict: Verdict | None, reason: str = "") -> None:
        """reason: why there is no verdict, where there is none."""
        encoding = reading.encoding
        self._texts = encoding.text_a, encoding.text_b or ""
        self._is_changed = bool(reading.request.what_if) and not question.is_similarity
        self.set_title(question.title)
        baseline, self.verdict = None, "" if verdict is None else verdict.number
        if verdict is not None and not question.is_similarity and reading.baseline is not None:
            baseline = verdict_of(reading.baseline)
        where = where_first(reading)
        shown = "" if baseline is None else say("{where}: {verdict}", where=where, verdict=baseline.short)
        show_text(self._baseline, shown)
        show_text(self._answer, "" if verdict is None else verdict.answer)
        show_text(self._number, self.verdict)
        self._explanation.setText(reason if verdict is None else verdict.explanation)
        self.bar.setVisible(verdict is not None)
        if verdict is not None:
            set_role(self._answer, verdict.role)
            color = {"verdict": "good", "verdict-no": "bad"}.get(verdict.role, "bar_strong")
            self.bar.set_share(verdict.share, verdict.bar, color, None if baseline is None else baseline.share)
        for tried in (self.swap, self.other):
            tried.setHidden(bool(question.missing))
        self.swap.setEnabled(encoding.text_b is not None)

    def set_pairs(self, pairs: Sequence[AskedPair]) -> None:
        """The pairs that were asked about before, newest first."""
        self.pairs = list(pairs)[:MOST_PAIRS]
        empty(self._lines)
        for pair in self.pairs:
            hint, both = say("Back to: {a} / {b}", a=pair.a, b=pair.b), (pair.a, pair.b)
            texts = vbox(Hint(pair.verdict), Hint(" / ".join(shortened(one, LONGEST) for one in both)), gap_px=0)
            back = button(say("Back"), partial(self.go_to, *both), look="small", hint=hint)
            self._lines.addWidget(held(hbox((texts, 1), back)))
        self.previous.setVisible(bool(self.pairs))

    def go_to(self, a: str, b: str) -> None:
        """Asks about another pair; the one on show goes into the list, and the one that comes is no previous one."""
        pairs = [pair for pair in self.pairs if (pair.a, pair.b) not in (self._texts, (a, b))]
        if self.verdict and self._texts[1]:
            changed = say("{verdict} (with changes)", verdict=self.verdict)
            pairs.insert(0, AskedPair(*self._texts, changed if self._is_changed else self.verdict))
        self.set_pairs(pairs)
        self.pairs_changed.emit()
        self.text_requested.emit(a, b)

    def _on_other_clicked(self) -> None:
        others = sorted({one.b for one in load_examples() if one.b} - set(self._texts))
        if others:
            self.go_to(self._texts[0], self._random.choice(others))


@dataclass(frozen=True, eq=False)
class PreviousPredictions:
    """What a model predicted before words were inserted."""

    model: ModelInfo
    encoding: Encoding
    masks: tuple[MaskReading, ...]
    inserted: tuple[tuple[int, str], ...]  # position then, word
    pair: str  # the verdict on A and B; empty where there was none

    @classmethod
    def of(cls, reading: Reading, words: Sequence[tuple[int, int]]) -> PreviousPredictions:
        """words: position and token id of those that are inserted into the text of this reading."""
        model, verdict = reading.request.model, verdict_of(reading)
        inserted = tuple((position, model.tokenizer.label(token_id)) for position, token_id in words)
        return cls(model, reading.encoding, tuple(reading.masks), inserted, "" if verdict is None else verdict.number)

    def rows(self, reading: Reading) -> list[tuple[str, str, str]]:
        """Of each mask its position now, its best guess then, and what stands or is guessed there now.

        Those whose place is gone, or has something else in it now, are left out. Empty where all is as it was: what was
        inserted has been undone.
        """
        then, encoding, now = self.encoding, reading.encoding, {mask.position: mask for mask in reading.masks}
        masks = [mask.position for mask in self.masks]
        if self.model != reading.request.model or (then.ids == encoding.ids and list(now) == masks):
            return []
        moved = moved_positions(*(list[object](zip(one.parts, one.tokens, strict=True)) for one in (then, encoding)))
        pairs = enumerate(zip(then.ids, encoding.ids, strict=False))
        # Where nothing but masks and inserted words differs, place by place, a word has kept its place.
        is_same = len(then) == len(encoding) and all(one == other or at in masks for at, (one, other) in pairs)
        rows = []
        for mask in self.masks:
            at, word = (
                moved.get(mask.position, mask.position if is_same else -1),
                dict(self.inserted).get(mask.position),
            )
            if at in now:
                rows.append((str(at), _best(mask), _best(now[at])))
            elif at >= 0 and encoding.labels[at] == word:
                rows.append((str(at), _best(mask), say("{word}, inserted", word=word)))
        return rows


class PreviousCard(Card):
    """Best guesses before words were inserted and now, until it is closed."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__(say("Before"))
        self.changes = BeforeAfter(MOST_ROWS)
        self.body.addWidget(self.changes)
        self.add_to_header(IconButton("close", say("Clear the previous predictions"), self.dismissed.emit))
        self.hide()

    def show_previous(self, previous: PreviousPredictions | None, reading: Reading, pair: str) -> None:
        """pair: the verdict on A and B now."""
        rows = [] if previous is None else previous.rows(reading)
        self.changes.set_rows(rows)
        self.setVisible(bool(rows))
        if previous is not None and rows:
            words = [word for _, word in previous.inserted]
            title = say("Before %n word(s) were inserted", n=len(words))
            self.set_title(say("Before “{word}” was inserted", word=words[0]) if len(words) == 1 else title)
            self.changes.set_sentence(f"{previous.pair} → {pair}" if previous.pair and pair else "")


def _best(mask: MaskReading) -> str:
    return f"{isolated(mask.words[0].token)} {numbers.probability(mask.words[0].probability)}"
