"""What goes into a batch of examples: its right answers against those of all examples, padding, what was cut."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ...compute.batches import ShownBatch
from ...look import numbers
from ...look.say import say
from ...widgets.card import label
from ...widgets.layouts import vbox
from .ordered_bars import OrderedBar, OrderedBars
from .task_words import about_batch, said, tags_in_words

MOST = 12  # labels; the most frequent ones


class LabelsColumn(QWidget):
    """Beside a batch of a fine-tuning run."""

    def __init__(self) -> None:
        super().__init__()
        self.intro = label("", "muted", wrap=True)
        self.bars = OrderedBars(say("Right answers in this batch, and in all examples"))
        self.words = label("", "muted", wrap=True)
        self.meanings = label("", "muted", wrap=True)
        title = label(say("Right answers"), "title")
        vbox(title, self.intro, self.bars, 6, self.meanings, self.words, None, parent=self, gap_px=4)

    def show_batch(self, batch: ShownBatch) -> None:
        task = batch.task
        assert task is not None
        labels = sorted(task.labels, key=lambda each: -each.share_of_all)[:MOST]
        intro = say("Bar: this batch. Line: all examples.") if labels else say("The answers are numbers, not labels.")
        self.intro.setText(intro)
        self.bars.set_bars(
            [
                OrderedBar(
                    said(task.kind, each.name),
                    f"{numbers.count(each.count)} · {numbers.percent(each.share)}",
                    each.share,
                    each.share_of_all,
                    "bar_strong",
                )
                for each in labels
            ]
        )
        self.words.setText(about_batch(batch))
        self.meanings.setText(tags_in_words([str(each.name) for each in task.labels]) if task.kind == "tag" else "")
        self.meanings.setVisible(bool(self.meanings.text()))
