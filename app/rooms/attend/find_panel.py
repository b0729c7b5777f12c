"""The tab Find: heads of a kind, or those that fulfil a condition such as attn(it -> cat) > 0.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCompleter, QLineEdit, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.attend.kinds_list import HeadLinks
from app.rooms.attend.shown import Shown
from app.widgets.card import button, label
from app.widgets.question import Question, WorkLine
from bertcore.analysis.find_heads import FoundHeads, find_heads
from bertcore.analysis.heads import KINDS

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST_SHOWN, MOST_TAKEN = 40, 6
EXAMPLE = "attn(it -> cat) > 0.3"
HELP = (
    "A kind (previous token), or a condition: attn(WHO -> WHAT) > 0.3, entropy < 1, distance > 4, special > 0.5; "
    "several with “and”. WHO and WHAT: a word of the text, A, B, special, any, or #position."
)


class FindPanel(QWidget):
    """A query goes on being answered while the text changes."""

    chosen = Signal(int, int)
    several_chosen = Signal(list)  # of (layer, head)

    def __init__(self) -> None:
        super().__init__()
        self.line = WorkLine("heads that fit")
        self.question = Question("attend.find", self.line)
        self.query = QLineEdit()
        self.query.setPlaceholderText(EXAMPLE)
        self.query.setAccessibleName("Find heads: a kind or a condition")
        self.query.setClearButtonEnabled(True)
        self.query.setCompleter(QCompleter(sorted(KINDS), self.query))
        self.found = HeadLinks("Heads that fit, the best first")
        self._said = label("", "strong", wrap=True)
        self._take = button("", self._take_all, look="small", hint="Choose these heads, for Lines and the mean")
        self._shown: Shown | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(7))
        for widget in (self.query, self.line, self._said, self.found, self._take, label(HELP, "muted", wrap=True)):
            layout.addWidget(widget)
        self._take.hide()
        self._said.hide()
        self.query.textChanged.connect(lambda _text: self._ask())
        self.query.returnPressed.connect(self._on_query_return_pressed)
        self.found.chosen.connect(self.chosen)
        self.question.answered.connect(self._show)

    @property
    def said(self) -> str:
        """How many fit, and by what they are ranked."""
        return self._said.text()

    def draw(self, shown: Shown) -> None:
        self._shown = shown
        self._ask()

    def leave(self) -> None:
        """The tab is closed."""
        self.question.leave()
        self._shown = None

    def _ask(self) -> None:
        shown, query = self._shown, self.query.text().strip()
        if shown is None or not query:
            self.question.forget()
            self._show(None)
            return

        def work(checkpoint: Checkpoint, step: Step) -> Any:
            return find_heads(query, shown.stacked(step), shown.encoding)

        if self.question.answer is None or self.question.key != (*shown.key, query):
            self._show(None)
        self.question.want((*shown.key, query), work)

    def _show(self, found: FoundHeads | None) -> None:
        for widget in (self._said, self.found, self._take):
            widget.setVisible(found is not None)
        if found is None:
            return
        count = len(found.matches)
        unit = f", in {found.unit}" if found.unit else ""
        self._said.setText(f"{count} {'head' if count == 1 else 'heads'}, by {found.measured}{unit}")
        links = [((match.layer, match.head), f"{match.score:.2f}") for match in found.matches[:MOST_SHOWN]]
        more = f"and {count - MOST_SHOWN} more" if count > MOST_SHOWN else ""
        self.found.show_rows([("", links, more)])
        self._take.setText("Choose it" if count == 1 else f"Choose the first {min(count, MOST_TAKEN)}")
        self._take.setVisible(count > 0)

    def _take_all(self) -> None:
        found: FoundHeads | None = self.question.answer
        if found is not None and found.matches:
            self.several_chosen.emit([(match.layer, match.head) for match in found.matches[:MOST_TAKEN]])

    def _on_query_return_pressed(self) -> None:
        found: FoundHeads | None = self.question.answer
        if found is not None and found.matches:
            self.chosen.emit(found.matches[0].layer, found.matches[0].head)
