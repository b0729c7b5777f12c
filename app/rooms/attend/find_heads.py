"""The panel Find: heads of a kind, or those that fulfil a condition such as attn(it -> cat) > 0.3."""

from PySide6.QtWidgets import QCompleter, QLineEdit

from bertcore.analysis.attention_heads import KINDS, FoundHeads, find_heads
from bertcore.tokenizer.tokenizer import Encoding

from ...compute.question import PAUSE_MS, Question, ReportOrCancel
from ...look import numbers, theme
from ...look.say import say
from ...state.readings import Reading
from ...state.token_units import TokenView
from ...widgets.card import button, label
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import fill
from ...widgets.progress_line import ProgressLine
from .attentions import KIND_NAMES, Attentions
from .head_kinds import HeadLinks
from .view import AttendView

MOST_SHOWN, MOST_CHOSEN = 40, 6


def find_in(reading: Reading, view: TokenView, query: str, progress: ReportOrCancel) -> FoundHeads:
    attentions = Attentions(reading, view)
    return find_heads(query, attentions.stacked(progress), attentions.encoding)


class FindView(AttendView):
    """A query goes on being answered while the text changes."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question: Question[FoundHeads] = self.add_question(self._show, self.line)
        self.query = QLineEdit()
        self.query.setAccessibleName(say("Find heads: a kind or a condition"))
        self.query.setClearButtonEnabled(True)
        self.query.setCompleter(QCompleter(sorted(_shown_kind(kind) for kind in KINDS), self.query))
        self.heads = HeadLinks(say("Matching heads, best first"))
        self._summary = label("", "strong", wrap=True)
        hint = say("Select these heads for Lines and the mean")
        self.choose = button("", self._on_choose_clicked, look="small", hint=hint)
        self._example = label("", "muted", wrap=True)
        self.try_it = button(say("Try it"), self._on_try_it_clicked, look="small")
        conditions = label(
            say(
                "In attn(…): a word, A, B, special, any, or #position. Also: spread < 2 or distance > 4 (in tokens), "
                "special > 0.5, or a kind such as previous token. Join several with “and”."
            ),
            "muted",
            wrap=True,
        )
        conditions.hide()
        self.more = button(say("More conditions"), look="small", checkable=True)
        self.more.toggled.connect(conditions.setVisible)
        self.body.setSpacing(theme.px(7))
        fill(self.body, self.query, self.line, self._summary, self.heads, self.choose)
        buttons = FlowLayout()
        for one in (self.try_it, self.more):
            buttons.addWidget(one)
        fill(self.body, self._example, buttons, conditions, None)
        self._show(None)
        self.query.textChanged.connect(self._on_query_text_changed)
        self.query.returnPressed.connect(self._on_query_return_pressed)
        self.heads.chosen.connect(self.head_clicked)

    @property
    def summary(self) -> str:
        """How many match, and by what they are ranked."""
        return self._summary.text()

    def draw(self) -> None:
        attentions, typed = self.attentions, self.query.text().strip()
        who, what = words_of_example(attentions.encoding)
        example = say("Heads in which “{who}” gives more than 0.3 of its attention to “{what}”: {query}")
        self._example.setText(example.format(who=who, what=what, query=_example(who, what)))
        self.query.setPlaceholderText(_example(who, what))
        query = next((kind for kind in KINDS if _shown_kind(kind).lower() == typed.lower()), typed)
        self.heads.set_off(attentions.off)
        if not query:
            self.question.clear()
            self._show(None)
            return
        self.question.ask(find_in, *attentions.given, query, pause_ms=self.pause_ms)
        if self.question.answer is None:
            self._show(None)

    def _drawn_for(self) -> tuple[object, ...]:
        return ()

    def _show(self, found: FoundHeads | None) -> None:
        count = 0 if found is None else len(found.matches)
        for widget in (self._summary, self.heads):
            widget.setVisible(found is not None)
        self.choose.setVisible(count > 0)
        if found is None:
            return
        measured = found.measured + (f" ({found.unit})" if found.unit else "")
        for kind in KINDS:
            measured = measured.replace(f"“{kind}”", f"“{_shown_kind(kind)}”")
        heads = say("%n head(s), ranked by {measure}", n=count)
        self._summary.setText(heads.format(measure=measured))
        shown = [((match.layer, match.head), numbers.decimal(match.score)) for match in found.matches[:MOST_SHOWN]]
        more = count - MOST_SHOWN
        self.heads.show_rows([("", shown, say("and %n more", n=more, meaning="heads") if more > 0 else "")])
        few = min(count, MOST_CHOSEN)
        self.choose.setText(say("Select it") if count == 1 else say("Select the first %n", n=few))

    def _on_try_it_clicked(self) -> None:
        self.query.setText(self.query.placeholderText())

    def _on_query_text_changed(self, text: str) -> None:
        self.pause_ms = PAUSE_MS
        self.redraw()

    def _on_choose_clicked(self) -> None:
        found = self.question.answer
        if found is not None and found.matches:
            self.heads_clicked.emit([(match.layer, match.head) for match in found.matches[:MOST_CHOSEN]])

    def _on_query_return_pressed(self) -> None:
        found = self.question.answer
        if found is not None and found.matches:
            self.head_clicked.emit(found.matches[0].layer, found.matches[0].head)


def words_of_example(encoding: Encoding) -> tuple[str, str]:
    """Two words of the text, where it has two."""
    words = [label for label, part in zip(encoding.labels, encoding.parts, strict=True) if part == "a"]
    plain = [word for word in dict.fromkeys(words) if word.isalpha() and word.isascii()]
    return (plain[-1], plain[0]) if len(plain) > 1 else ("it", "cat")


def _example(who: str, what: str) -> str:
    return f"attn({who} -> {what}) > 0.3"


def _shown_kind(kind: str) -> str:
    """In the language of the window."""
    return say(KIND_NAMES[kind])
