"""View "Many texts": a list of texts, pairs, templates or minimal pairs, and what the model says of each in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QHeaderView,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from bertcore.errors import BertcoreError
from bertcore.limits import MOST_LISTED_TEXTS, TASK_LINE_BYTES
from bertcore.locations import minimal_pairs_file
from bertcore.tasks.readers.lines import numbered_lines

from ...compute.question import Question
from ...compute.text_scores import PairScore, ScoredPairs, ScoredTexts, readable_pairs, score_typed
from ...figures.figure import Axis, Figure, Numbers, numbers_of
from ...look import numbers, say, theme
from ...look.fitting import fitting_line
from ...look.number_kinds import explain, explained
from ...state import ModelInfo, Reading, Selection
from ...state.baseline import ComparisonOffer, OtherText
from ...widgets.card import GAP_PX, Card, button, label, scrolled, show_text
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill, hbox, held, show_if, vbox
from ...widgets.table import ROW, Column, Index, Table
from .predict_sentences import missing_words, pairs_result, preferred, standard_error, template_means, written_mean
from .view import PredictView

if TYPE_CHECKING:
    from bertcore.evaluation.score_texts import TextScore

EXAMPLES = (
    "The cat sat on the mat.\tIt was warm there.",
    "The cat sat on the mat.\tThe price of oil fell again.",
    "The mat sat on the cat.\tIt was warm there.",
    "The cat sat on the the.\tIt was warm there.",
    "The cats sits on the mat.\tIt was warm there.",
)
TEMPLATE = "The [doctor|nurse] said that [he|she] was late."
CHANCE = 0.5  # that the better of two sentences is preferred
BOX_PX, OPEN_PX, TABLE_PX, GRID_PX = 84, 420, 110, 96
LEAST_PX, AIR_PX = 80, 14  # of a column, and beside its longest number
LEAST_TABLE_PX = 500
MOST_PX = 250  # of the phenomenon, which is named in full beside the table


class TextsView(PredictView):
    """The box with the list above, the table below it, and under that what a template shows.

    Lines of JSON are minimal pairs: beside their table is how often the model is right, by phenomenon.
    """

    _model: ModelInfo | None = None  # that the scores are of

    def lay_out(self) -> QLayout:
        list_card = Card(
            say("Your texts"),
            intro=say(
                "One text per line, up to {count}; a tab divides A from B. A choice such as [doctor|nurse] makes a "
                "text of each word. “She sings. > She sing.” asks which sentence the model prefers.",
                count=numbers.count(MOST_LISTED_TEXTS),
            ),
        )
        # In the box, Tab writes a tab, which divides a pair.
        self.box, self.word = QPlainTextEdit(), QLineEdit()
        self.box.setAccessibleName(say("Texts, one per line"))
        self.box.setPlaceholderText(say("Paste or type texts here, one per line"))
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.word.setAccessibleName(say("Word to score at [MASK]"))
        self.word.setPlaceholderText(say("Which word at [MASK]? Empty: the most likely one"))
        self.word.setToolTip(say("How likely is this word at the first [MASK] of each text?"))
        self.word.returnPressed.connect(self.ask)
        self.open_file = button(say("Open file…"), self._on_open_clicked)
        self.score = button(say("Score", meaning="verb"), self.ask, look="primary")
        controls: QBoxLayout = hbox(self.open_file, (self.word, 1), self.score, gap_px=8)
        if theme.is_projector():
            controls = vbox(self.word, hbox(self.open_file, None, self.score), gap_px=8)
        fill(list_card.body, (self.box, 1), controls)
        self.scores: Question[ScoredTexts | ScoredPairs] = self.add_question(self._on_scores_answered)
        self.line, self.table = self.own_line(self.scores), TextTable()
        self.means, self.empty = label("", wrap=True), label("", wrap=True)
        self.grid = LabelledGrid(say("Means of a template: rows are the first choice, columns the second"))
        name = say("Share of pairs in which the model prefers the right sentence, by phenomenon")
        self.phenomena = BarList(name, label_share=0.6, line_at=CHANCE)
        self._table_card = Card(say("What the model says about each"))
        self._phenomena_area = scrolled(self.phenomena)
        rows = hbox((self.table, 2), (self._phenomena_area, 1), gap_px=12)
        rows.addStretch(0)  # what the table does not need
        self._results = held(vbox((rows, 1), self.means, self.grid, gap_px=8))
        self.table.setMinimumHeight(theme.px(TABLE_PX))
        self.grid.setFixedHeight(theme.px(GRID_PX))
        offers = (
            button(say("Try it: five texts"), lambda: self.try_texts("\n".join(EXAMPLES))),
            button(say("Try it: doctors and nurses"), lambda: self.try_texts(TEMPLATE)),
            button(say("Try it: right and wrong sentences"), lambda: self.load(minimal_pairs_file())),
        )
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # While there is nothing in the table.
        below = (hbox(None, one, None) for one in offers)
        self._offers = held(vbox(None, self.empty, *below, None, gap_px=8))
        self.box.textChanged.connect(self._on_box_changed)
        self._on_box_changed()
        fill(self._table_card.body, self.line, (self._offers, 1), (self._results, 1))
        self.use = button("", lambda: self._open(self.table.currentIndex().data(ROW)), look="small")
        hint = say("The text of the selected row and of the one below, as a batch: what is added to the shorter one?")
        self.pad = button(say("As a batch"), self._on_pad_clicked, look="small", hint=hint)
        self._table_card.add_to_header(self.pad, self.use)
        self._table_card.set_figure(self._figure)
        self.table.row_opened.connect(self._open)
        self.table.selectionModel().currentChanged.connect(lambda now, _before: self.use.setEnabled(now.isValid()))
        if theme.is_projector():
            list_card.setMinimumWidth(theme.px(OPEN_PX))
            return hbox((self._table_card, 1), folding_on_projector(list_card, list_card.title), gap_px=GAP_PX)
        self.box.setFixedHeight(theme.px(BOX_PX))
        return vbox(list_card, (self._table_card, 1), gap_px=GAP_PX)

    def restore(self, kept: tuple[str, str]) -> None:
        self.box.setPlainText(kept[0])
        self.word.setText(kept[1])

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        model = reading.request.model
        self.mask_button.hide()
        return None if model.output_heads or model.pooling is not None else (say("No scores"), missing_words(reading))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if reading.request.model != self._model:
            self._model = reading.request.model
            self.scores.clear()
        super().show_reading(reading, selection)

    def try_texts(self, text: str) -> None:
        """Puts a list into the box and scores it."""
        self.box.setPlainText(text)
        self.word.clear()
        self.ask()

    def load(self, file: Path) -> None:
        """The lines of a file into the box; what is wrong with it is said below."""
        try:
            lines = list(islice((line for _, line in numbered_lines(file) if line.strip()), MOST_LISTED_TEXTS + 1))
        except BertcoreError as error:
            self.scores.clear(str(error))
            return
        if len(lines) > MOST_LISTED_TEXTS or sum(map(len, lines)) > TASK_LINE_BYTES:
            self.scores.clear(
                say("{file} has more text than fits here; open a part of it, or use the command line.", file=file.name)
            )
            return
        self.box.setPlainText(readable_pairs(lines) or "\n".join(lines))
        self.ask()

    def ask(self) -> None:
        """Scores what is in the box."""
        if self.reading is None:
            return
        text, word = self.box.toPlainText().encode("utf-8", "replace").decode(), self.word.text().strip()
        self.kept_changed.emit((text, word))
        if text.strip():
            named = ((say("line {number}", number=i), line) for i, line in enumerate(text.split("\n"), start=1))
            self.scores.clear()
            self.scores.ask_model(self.reading.request.model, score_typed, tuple(named), word or None, pause_ms=0)
        else:
            self.scores.clear(say("Write a few texts first, one per line."))
        self.redraw()

    def _on_box_changed(self) -> None:
        nothing = say(
            "For each text you get: how surprising it is, how likely the word at [MASK] is, and whether B follows A. "
            "Type texts, or try an example."
        )
        press = say("Press Score: how surprising, or how likely, is each text?")
        self.empty.setText(nothing if self.box.document().isEmpty() else press)

    def _on_open_clicked(self) -> None:
        kinds = say("Texts (*.txt *.tsv *.jsonl *.gz *.xz);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, say("Texts to score"), "", kinds)
        if name:
            self.load(Path(name))

    def _open(self, row: TextScore | PairScore) -> None:
        """Of a pair the right sentence, compared with the wrong one."""
        if isinstance(row, PairScore):
            self.comparison_wanted.emit(ComparisonOffer(OtherText(row.b, ""), text=row.a))
        else:
            self.text_requested.emit(row.a, row.b or "")

    def _on_pad_clicked(self) -> None:
        row, shown = max(self.table.currentIndex().row(), 0), self.table.shown
        self.text_requested.emit(shown[row].a, shown[(row + 1) % len(shown)].a)
        self.room_requested.emit("embed", "batch")

    def _on_scores_answered(self, scored: ScoredTexts | ScoredPairs) -> None:
        if isinstance(scored, ScoredPairs):
            has_phenomena, means, values = any(scored.phenomena), pairs_result(scored), None
            worst_first = sorted(scored.scores, key=lambda one: one.margin_bits)
            self.table.set_rows(worst_first, pair_columns(has_phenomena=has_phenomena))
            bars = []
            for name, right in sorted(scored.phenomena.items(), key=lambda one: one[1].value):
                share, count = numbers.percent(right.value), numbers.count(right.count)
                bars.append(Bar(name.replace("_", " "), share, right.value, mark=standard_error(right), note=count))
            self.phenomena.set_bars(bars)
        else:
            has_phenomena, means, values = False, template_means(scored), scored.pairs()
            self.table.set_rows(scored.scores, columns_for(scored.scores))
        self._phenomena_area.setVisible(has_phenomena)
        show_text(self.means, means)
        self.grid.setVisible(values is not None)
        if values is not None and isinstance(scored, ScoredTexts):  # of a template with two places
            explain("probability" if scored.is_of_word else "text_log_likelihood", self.grid)
            texts = [[written_mean(scored, value) for value in row] for row in values.tolist()]
            rows, columns = (Labels(list(means)) for means in scored.means)
            self.grid.set_grid(values, rows, columns, float(values.min()), float(values.max()), texts)
        self.redraw()

    def drawn(self, reading: Reading, selection: Selection) -> None:
        scores = self.scores.answer
        self._offers.setVisible(scores is None)
        show_if(scores is not None, self._results, self.use)
        self.pad.setVisible(not isinstance(scores, ScoredPairs) and len(self.table.shown) > 1)
        self.use.setEnabled(self.table.currentIndex().isValid())
        use, tip, intro, hint = "", "", "", ""
        if isinstance(scores, ScoredPairs):
            use, hint = say("Compare this pair"), say("%n pair(s)", n=len(scores.scores))
            tip = say("Every room compares the two sentences of the selected row (double-click)")
            intro = say(
                "The sentences of a pair differ in one point, and one of them is wrong: which does the model find "
                "more likely? Its mistakes come first. Click a row and “Compare this pair”: then every view shows the "
                "right sentence beside the wrong one."
            )
        elif scores is not None:
            use, hint = say("Use this text"), say("%n text(s)", n=len(scores.scores))
            tip = say("Put the text of the selected row into A and B (double-click)")
            intro = say(
                "Click a column’s name to sort: which text surprises the model most? Click a row and “Use this text”: "
                "then every view shows it."
            )
        self.use.setText(use)
        self.use.setToolTip(tip)
        self._table_card.set_intro(intro)
        self._table_card.set_hint(hint)

    def _figure(self) -> Figure | None:
        """All rows, in the order on the screen."""
        answer, scores = self.scores.answer, self.table.shown
        columns = [column for column in self.table.things.columns if isinstance(column, ScoreColumn)]
        if answer is None:
            return None
        texts = [" ".join(f"{score.a}\t{score.b or ''}".split()) for score in scores]
        fields = [column.field for column in columns if column.is_number]
        values = np.array([[getattr(score, field) for field in fields] for score in scores], dtype=np.float64)
        arrays = {"scores": Numbers(values, (Axis("text", texts), Axis("score", fields)))}
        for field in (column.field for column in columns if not column.is_number and column.field not in ("a", "b")):
            words = [str(getattr(score, field) or "") for score in scores]
            arrays[field] = numbers_of("text", texts, np.array(words))
        if isinstance(answer, ScoredPairs):
            measures = Axis("measure", ["share right", "standard error", "pairs"])
            rights = np.array([[one.value, one.standard_error, one.count] for one in answer.phenomena.values()])
            arrays["phenomena"] = Numbers(rights, (Axis("phenomenon", list(answer.phenomena)), measures))
        widgets = [self.table, self._phenomena_area, self.means, self.grid]
        method = say("±: one standard error of a share of pairs") if isinstance(answer, ScoredPairs) else ""
        return self.figure(say("Scores of many texts"), widgets, arrays, plain=True, texts=False, settings=method)


@dataclass(frozen=True)
class ScoreColumn(Column):
    field: str = ""  # of TextScore or PairScore


def _column(field: str, title: str, kind: str = "", written: Callable[[Any], str] = str) -> ScoreColumn:
    """kind: of its numbers, for the tool tip; "": words."""
    value = attrgetter(field)

    def text(score: Any) -> str:
        return "" if value(score) is None else written(value(score))

    tip, title_tip = (str, explained(kind)) if kind else (text, "")
    return ScoreColumn(title, text, tip, sort=value, is_number=bool(kind), title_tip=title_tip, field=field)


def columns_for(scores: Sequence[TextScore]) -> list[ScoreColumn]:
    """Those in which at least one text has something."""
    ln_p = say("ln p of the whole text (nearer to 0: likelier)")
    columns = (
        _column("a", say("Text")),
        _column("b", say("Text B")),
        _column("surprise_bits", say("Surprise per token"), "surprise", numbers.decimal),
        _column("log_likelihood", ln_p, "text_log_likelihood", numbers.decimal),
        _column("word", say("At [MASK]")),
        _column("word_probability", say("Its probability"), "probability", numbers.probability),
        _column("next_sentence", say("B follows A"), "probability", numbers.probability),
        _column("answer", say("Answer"), "", lambda one: one if isinstance(one, str) else numbers.decimal(one)),
        _column("answer_probability", say("How sure"), "probability", numbers.probability),
        _column("similarity", say("Similarity"), "cosine", numbers.decimal),
    )
    return [column for column in columns if any(getattr(score, column.field) is not None for score in scores)]


def pair_columns(*, has_phenomena: bool) -> list[ScoreColumn]:
    """On the projector the sentences need the room: the phenomena are beside the table."""
    columns = [
        _column("a", say("Right")),
        _column("b", say("Wrong")),
        _column("margin_bits", say("Preferred by (bits)"), "pair_margin", preferred),
        _column("phenomenon", say("Phenomenon")),
    ]
    return columns if has_phenomena and not theme.is_projector() else columns[:3]


class TextTable(Table):
    """Its columns are as wide as their numbers; texts share what room is left."""

    def __init__(self) -> None:
        super().__init__(say("What the model says about each text"))
        self.setItemDelegate(_DifferenceInSight(self))

    def set_rows(self, rows: Sequence[Any], columns: Sequence[Column]) -> None:
        super().set_rows(rows, columns)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(theme.px(LEAST_PX))
        places = range(header.count())
        needed = [max(self.sizeHintForColumn(i), header.sectionSizeHint(i)) + theme.px(AIR_PX) for i in places]
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMaximumWidth(max(sum(needed) + bar, theme.px(LEAST_TABLE_PX)))  # numbers stay beside their text
        for i, column in enumerate(columns):
            field = column.field if isinstance(column, ScoreColumn) else ""
            stretch, fixed = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(i, stretch if field in ("a", "b") else fixed)
            most = theme.px(MOST_PX) if field == "phenomenon" else header.maximumSectionSize()
            header.resizeSection(i, min(needed[i], most))


class _DifferenceInSight(QStyledItemDelegate):
    """Where a minimal pair's sentences would be cut off before they differ, they lose their beginning instead."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        option.rect = QRect()  # of the whole sentence
        return super().sizeHint(option, index)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        pair, column = index.data(ROW), index.column()
        if column > 1 or not isinstance(pair, PairScore):
            return
        texts = pair.a.split(), pair.b.split()
        words, same = texts[column], next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
        width, room = option.fontMetrics.horizontalAdvance, option.rect.width() - theme.px(AIR_PX)
        if same > 1 and 0 < room < min(width(option.text), width(f"{' '.join(words[: same + 1])}…")):
            option.text = fitting_line(f"…{' '.join(words[same - 1 :])}")
