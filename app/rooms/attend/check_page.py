"""The page Check: attention, gradient and removal of one head side by side, for the token that looks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.compute.head_questions import HeadCheck, check_head
from app.figures.figure import Axis, Numbers
from app.look import theme
from app.rooms.attend.check_view import CheckView, Column
from app.rooms.attend.page import Drawn, Page
from app.rooms.attend.shown import Choice, Shown, short_name
from app.rooms.attend.targets import Targets
from app.widgets.card import label, scrolled
from app.widgets.question import Question, WorkLine

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST_ROWS = 24
LONG_TEXT, FEW_LINKS, MANY_LINKS = 128, 16, 64  # taking a link away is a pass of its own
MEANINGS = (
    "Attention: where the head looks. It does not say whether that matters.",
    "Gradient: how ln p of {target} would rise if this one weight grew a little. True for small changes only.",
    "Removal: how ln p of {target} changes, in nats, without this one link, the rest of the row scaled up to 1.",
    "Where the three disagree, attention alone explains nothing.",
)


class CheckPage(Page):
    """Asks while it is open, a moment after the last change."""

    def __init__(self, targets: Targets) -> None:
        self.line = WorkLine("gradient and removal")
        self._question = Question("attend.check", self.line)
        super().__init__([self._question])
        self._targets = targets
        self.view = CheckView()
        self._whole = label("", "strong", wrap=True)
        self._ask_what = label("what it does for", "muted")
        self._box = targets.box()
        self._notes = label("", "muted", wrap=True)
        self.controls.addWidget(self._ask_what)
        self.controls.addWidget(self._box)
        self.controls.addStretch(1)
        self.body.addWidget(self.line)
        self.body.addWidget(self._whole)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(6), 0)
        column.setSpacing(theme.px(8))
        column.addWidget(self.view)
        column.addWidget(self._notes)
        column.addStretch(1)
        self.body.addWidget(scrolled(inside), 1)
        self._question.answered.connect(lambda _answer: self.redraw())
        targets.changed.connect(self.redraw)

    @property
    def meanings(self) -> str:
        """What is said of the three columns."""
        return self._notes.text()

    @property
    def summary(self) -> str:
        """What is said of the whole head."""
        return self._whole.text()

    def draw_all(self, shown: Shown, choice: Choice) -> None:
        token = shown.reading.shown_tokens[choice.locked]
        self.titled.emit(choice.name, f"does it matter what {token} ({choice.locked}) looks at?{shown.plain_notes}")
        target, layer, head, row = self._targets.chosen, choice.layer, choice.head, choice.locked
        self._notes.setText("\n".join(MEANINGS).format(target=short_name(target)))
        for widget in (self._ask_what, self._box):
            widget.setVisible(target is not None)
        if target is None:
            self._question.forget(self._targets.problem)
            self._show(None, shown)
            return
        text = shown.asked_text()
        most = MANY_LINKS if len(text.input_ids) <= LONG_TEXT else FEW_LINKS

        def work(checkpoint: Checkpoint, step: Step) -> Any:
            return check_head(checkpoint, text, target, layer, head, row, step, most_links=most)

        self._question.want((*shown.plain_key, target, layer, head, row), work)
        self._show(self._question.answer, shown)

    def drawn(self) -> Drawn | None:
        check: HeadCheck | None = self._question.answer
        if check is None or self.shown is None or self._targets.chosen is None:
            return None
        axes = (Axis("is looked at", self.shown.reading.shown_tokens),)
        named = {"attention": check.attention, "gradient": check.gradient, "removal": check.without}
        settings = f"ln p of {self._targets.chosen.label} in nats · {self.summary}"
        return Drawn(
            [self.view],
            {name: Numbers(values, axes) for name, values in named.items()},
            settings,
            plain=True,
            by_token=True,
        )

    def _show(self, check: HeadCheck | None, shown: Shown) -> None:
        if check is None:
            self.view.set_columns([], [])
            self._whole.setText("")
            return
        count = len(check.attention)
        rows = np.arange(count)
        if count > MOST_ROWS:
            rows = np.sort(np.argsort(-check.attention, kind="stable")[:MOST_ROWS])
        tokens = shown.plain.shown_tokens
        columns = [
            Column("Attention", check.attention[rows], False),
            Column("Gradient", check.gradient[rows], True),
            Column("Removal", check.without[rows], True),
        ]
        self.view.set_columns([f"{tokens[i]} ({i})" for i in rows.tolist()], columns)
        self._whole.setText(self._said(check, count, shown))

    def _said(self, check: HeadCheck, count: int, shown: Shown) -> str:
        assert self._targets.chosen is not None
        before, after = math.exp(check.value), math.exp(check.value + check.without_head)
        name = short_name(self._targets.chosen)
        said = (
            f"Without the whole head: {name}: {before:.3g} → {after:.3g} (ln p {check.without_head:+.3f} nats)."
        ).replace("-", "−")
        if count > MOST_ROWS:
            said += f" The {MOST_ROWS} tokens it looks at most, of {count}."
        if shown.reading.before is not None:
            said += " Of the model as it is, without your changes."
        return said
