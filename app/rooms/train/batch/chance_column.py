"""What goes into a batch by chance: what was drawn against what the settings ask for, or its answers against all."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ....compute.batches import Drawn, ShownBatch, ShownExamples
from ....look import numbers, theme
from ....look.say import say
from ....widgets.card import label, show_text
from ....widgets.charts.bars import Bar, BarList
from ....widgets.layouts import vbox
from .sentences import about_examples, about_tags, answer_name

MOST = 12  # right answers; the most frequent ones


class ChanceColumn(QWidget):
    """Beside a batch. Of plain text it also shows the batches before, in which shares come nearer to what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.intro = label("", "title"), label("", "muted", wrap=True)
        self.here, self.recent = BarList(""), BarList("")
        self.note, self.words = label("", "muted", wrap=True), label("", "muted", wrap=True)
        vbox(self.title, self.intro, self.here, 6, self.note, self.recent, self.words, None, parent=self, gap_px=4)

    def show_batch(self, batch: ShownBatch, drawn: Drawn | None = None) -> None:
        """drawn: of plain text, once it has been counted."""
        if batch.task is not None:
            self._show_answers(batch, batch.task)
            return
        intro = say("Bar: what was chosen. Line: what the settings ask for.") if drawn else ""
        if batch.causal:
            intro = say("No tokens: in this step each token predicts the next one, and can only look back.")
        self._show(say("Chosen at random"), intro)
        if drawn is None or batch.causal:
            return
        self.here.setAccessibleName(say("This batch: what was chosen at random, and what the settings ask for"))
        self.recent.setAccessibleName(
            say("The batches before it: what was chosen at random, and what the settings ask for")
        )
        words = say(
            "Some of the words to predict are not hidden: real text has no [MASK], so the model must "
            "not rely on it, and cannot take any word for granted."
        )
        note = say("The last %n batch(es)", n=drawn.recent["batches"])
        self._show(self.title.text(), intro, _drawn_bars(drawn, batch.pairs), note, words)
        self.recent.set_bars(_drawn_bars(drawn, batch.pairs, is_here=False))
        self.recent.show()
        self.words.setContentsMargins(0, theme.gap_px(6), 0, 0)

    def _show_answers(self, batch: ShownBatch, task: ShownExamples) -> None:
        labels = sorted(task.labels, key=lambda each: -each.share_of_all)[:MOST]
        intro = say("Bar: this batch. Line: all examples.") if labels else say("The answers are numbers, not labels.")
        bars = [
            Bar(
                answer_name(task.kind, each.name),
                f"{numbers.count(each.count)} · {numbers.percent(each.share)}",
                each.share,
                "bar_strong",
                before=each.share_of_all,
            )
            for each in labels
        ]
        self.here.setAccessibleName(say("Right answers in this batch, and in all examples"))
        tags = about_tags([str(each.name) for each in task.labels]) if task.kind == "tag" else ""
        self._show(say("Right answers"), intro, bars, tags, about_examples(batch, task))

    def _show(self, title: str, intro: str, bars: list[Bar] | None = None, note: str = "", words: str = "") -> None:
        self.here.set_bars(bars or [])
        self.here.setVisible(bars is not None)
        self.recent.hide()
        self.words.setContentsMargins(0, 0, 0, 0)
        for line, text in ((self.title, title), (self.intro, intro), (self.note, note), (self.words, words)):
            show_text(line, text)


def _drawn_bars(drawn: Drawn, pairs: str, *, is_here: bool = True) -> list[Bar]:
    draw = drawn.here if is_here else drawn.recent
    hidden, replaced, kept = drawn.fates
    rows = [
        (say("to predict"), draw["chosen"], draw["ordinary"], drawn.mask_share, "mask"),
        (say("hidden"), draw["hidden"], draw["chosen"], hidden, "mask"),
        (say("random word"), draw["replaced"], draw["chosen"], replaced, "mask"),
        (say("left as it was"), draw["kept"], draw["chosen"], kept, "mask"),
    ]
    if draw["pairs"]:
        name = say("B follows A") if pairs == "nsp" else say("in order")
        rows.append((name, draw["first"], draw["pairs"], 0.5, "bar_strong"))
    bars = []
    for name, count, of, ordered, color in rows:
        share = count / max(of, 1)
        number = f"{numbers.count(count)} · {numbers.percent(share)}" if is_here else numbers.percent(share)
        bars.append(Bar(name, number, share, color, before=ordered))
    return bars
