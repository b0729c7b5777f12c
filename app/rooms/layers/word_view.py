"""View "One word": the same word in several sentences, how similar its hidden states are, where meanings separate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from ...figures.figure import Axis, Figure, Numbers, joined
from ...figures.values import stage_labels, stage_name
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...widgets.card import GAP_PX, Card, button, label, note, scrolled
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.controls import IconButton
from ...widgets.curve_plot import CurvePlot
from ...widgets.curve_specs import CurveSpec, PlotSpec
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import discard, fill, hbox, vbox
from ...widgets.progress_line import ProgressLine
from .stages import LayersView

if TYPE_CHECKING:
    from bertcore.analysis.vectors import GroupSimilarity, WordInSentences
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import ReportOrCancel
    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

    Compared = tuple["Uses", WordInSentences, GroupSimilarity]

MOST_USES, MOST_GROUPS = 8, 3


@dataclass(frozen=True)
class Uses:
    """A word, and sentences that have it with the number of its meaning there."""

    word: str
    sentences: tuple[tuple[str, int], ...]

    @property
    def texts(self) -> list[str]:
        return [text for text, _ in self.sentences]

    @property
    def groups(self) -> list[int]:
        return [group for _, group in self.sentences]


BANK = Uses(
    "bank",
    (
        ("He took the money to the bank.", 1),
        ("The bank gave her the money for a house.", 1),
        ("They sat on the bank of the river.", 2),
        ("The boat lay on the other bank of the river.", 2),
    ),
)


def compare_uses(checkpoint: Checkpoint, uses: Uses, progress: ReportOrCancel) -> Compared:
    from bertcore.analysis.vectors import group_similarity, word_in_sentences

    found = word_in_sentences(checkpoint.model, checkpoint.tokenizer, uses.word, uses.texts, progress)
    return uses, found, group_similarity(found.cosines, [uses.groups[i] for i in found.sentences])


class UsesEditor(QWidget):
    """The word, and a line for each sentence: its meaning, the text, a button that removes it."""

    edited = Signal()

    def __init__(self, uses: Uses) -> None:
        super().__init__()
        self.word = QLineEdit(uses.word)
        self.word.setAccessibleName(say("The word to compare"))
        self.word.textEdited.connect(lambda _text: self.edited.emit())
        self.lines: list[_Line] = []
        self._column = vbox(gap_px=6)
        self.add = button(say("Add a sentence"), self._on_add_clicked)
        vbox(
            hbox(label(say("Word"), "muted"), (self.word, 1)),
            note(say("Say which meaning the word has in each sentence: click to change it.")),
            self._column,
            hbox(self.add, None),
            parent=self,
            gap_px=8,
        )
        for text, group in uses.sentences:
            self._add_line(text, group)

    @property
    def uses(self) -> Uses:
        return Uses(self.word.text(), tuple((line.text.text(), line.group) for line in self.lines))

    def show_found(self, found: list[int]) -> None:
        """Says under each sentence that is not among these that the word is not in it."""
        for i, line in enumerate(self.lines):
            line.show_missing(i not in found and bool(line.text.text().strip()))

    def _add_line(self, text: str, group: int) -> None:
        line = _Line(text, group)
        line.text.textEdited.connect(lambda _text: self.edited.emit())
        line.meaning.clicked.connect(lambda _checked=False: self.edited.emit())
        line.remove.clicked.connect(partial(self._on_remove_clicked, line))
        self.lines.append(line)
        self._column.addWidget(line)
        self._show_counts()

    def _show_counts(self) -> None:
        self.add.setEnabled(len(self.lines) < MOST_USES)
        for number, line in enumerate(self.lines, start=1):
            line.text.setAccessibleName(say("Sentence {number}", number=number))
            line.remove.setEnabled(len(self.lines) > 1)

    def _on_add_clicked(self) -> None:
        self._add_line("", self.lines[-1].group)
        self.lines[-1].text.setFocus()

    def _on_remove_clicked(self, line: _Line, _checked: bool = False) -> None:
        self.lines.remove(line)
        self._column.removeWidget(line)
        discard(line)
        self._show_counts()
        self.edited.emit()


class _Line(QWidget):
    def __init__(self, text: str, group: int) -> None:
        super().__init__()
        self.group = group
        self.text = QLineEdit(text)
        self.text.setCursorPosition(0)
        self.meaning = button("", self._next_group, look="small")
        self.remove = IconButton("close", say("Remove this sentence"))
        self.missing = label("", "muted")
        self.missing.hide()
        vbox(hbox(self.meaning, (self.text, 1), self.remove, gap_px=5), self.missing, parent=self, gap_px=2)
        self._show_group()

    def show_missing(self, is_missing: bool) -> None:
        self.missing.setText(say("The word is not in this sentence.") if is_missing else "")
        self.missing.setVisible(is_missing)

    def _next_group(self) -> None:
        self.group = self.group % MOST_GROUPS + 1
        self._show_group()

    def _show_group(self) -> None:
        self.meaning.setText(say("meaning {number}", number=self.group))
        self.meaning.setToolTip(say("Meaning {number}; click for another", number=self.group))
        self.meaning.setAccessibleName(say("Meaning {number}", number=self.group))


PAUSE_MS = 350  # after the last key in a sentence
EDITOR_PX = 430
COLORS = ("segment_a", "segment_b", "good_text")


class WordView(LayersView):
    """The sentences on the left; curves over layers, and the matrix of the chosen stage.

    It has sentences of its own: of what all rooms look at, only model and stage matter.
    """

    slider = "all"

    def __init__(self) -> None:
        super().__init__()
        self.editor = UsesEditor(BANK)
        self.curves = CurvePlot(
            PlotSpec(
                say("Mean cosine between uses of the word"),
                (
                    CurveSpec("within", say("same meaning"), "curve_train", markers=True),
                    CurveSpec("between", say("different meanings"), "curve_held_out", markers=True, symbol="s"),
                ),
                left_label=say("mean cosine"),
                bottom_label=say("layer"),
                at=say("layer: {x}"),
            )
        )
        self.matrix = LabelledGrid(say("Cosine of each pair of uses"), square=True, longest_px=300)
        self.verdict = label("", "strong", wrap=True)
        explain("cosine", self.matrix)
        self.curves_card = Card(
            say("Where its meanings separate"),
            say("higher: more alike · where the curves part, the model tells the meanings apart"),
        )
        self.matrix_card = Card(say("How similar are its uses?"))
        self.line = ProgressLine()
        self.compared = self.add_question(self._on_compared_answered, self.line)
        self.compared.failed.connect(self._on_compared_failed)
        self.shown: Compared | None = None  # the editor may be ahead of it
        self._build()
        self._connect_editor()
        self.curves.clicked.connect(lambda place: self.stage_clicked.emit(round(place)))
        self.add_token_menu(self.matrix, lambda _cell: None)
        self.matrix.hovered.connect(self._on_matrix_hovered)

    def restore(self, kept: Any) -> None:
        old, self.editor = self.editor, UsesEditor(kept)
        self._column.replaceWidget(old, self.editor)
        discard(old)
        self._connect_editor()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        if not self.compared.is_running:  # else it goes on, or waits for a pause in the typing
            self._ask(reading.request.model, pause_ms=0)
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.curves.set_marked(selection.stage)
        if self.shown is None:
            return
        uses, found, _ = self.shown
        stage = min(selection.stage, len(found.cosines) - 1)
        labels = _labels(uses, found)
        cosines = np.ascontiguousarray(found.cosines[stage], dtype=np.float32)
        lowest = min(float(found.cosines.min()), 0.99)  # of all layers: colours mean the same after each
        columns = Labels([str(i + 1) for i in found.sentences], labels.kinds)
        texts = [[numbers.decimal(value) for value in row] for row in cosines.tolist()]
        self.matrix.set_grid(cosines, labels, columns, lowest, 1, texts)
        self.matrix_card.set_hint(
            say(
                "cosine of “{word}” in each pair of sentences, {stage}", word=uses.word.strip(), stage=stage_name(stage)
            )
        )

    def _ask(self, model: ModelInfo, pause_ms: int) -> None:
        self.compared.ask_model(model, compare_uses, self.editor.uses, pause_ms=pause_ms)

    def _on_compared_answered(self, compared: Compared) -> None:
        self.shown = compared
        _, found, similarity = compared
        self.editor.show_found(found.sentences)
        stages = np.arange(len(found.cosines))
        means = {"within": similarity.within, "between": similarity.between}
        self.curves.set_points(
            {key: (stages, values) for key, values in means.items()}, stage_labels(len(found.cosines))
        )
        self.verdict.setText(verdict(similarity))
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _on_compared_failed(self) -> None:
        """Nothing of an earlier word stays."""
        self.shown = None
        self.curves.set_points({})
        self.matrix.set_grid(np.empty((0, 0), dtype=np.float32), Labels(), Labels(), 0, 1)
        self.verdict.setText("")
        self.matrix_card.set_hint("")

    def _connect_editor(self) -> None:
        self.editor.edited.connect(self._on_editor_edited)

    def _on_editor_edited(self) -> None:
        self.kept_changed.emit(self.editor.uses)
        if self.reading is not None:
            self._ask(self.reading.request.model, PAUSE_MS)

    def _on_matrix_hovered(self, spot: tuple[int, int] | None) -> None:
        values, text = self.matrix.values, ""
        if spot is not None and values is not None and self.shown is not None:
            first, second = (self.shown[1].sentences[i] + 1 for i in spot)
            text = say(
                "sentences {first} and {second}, {stage}: cosine {cosine}",
                first=first,
                second=second,
                stage=stage_name(self.selection.stage),
                cosine=numbers.decimal(float(values[spot]), 4),
            )
        self.hover_text_changed.emit(text)

    def _build(self) -> None:
        left = Card(
            say("One word in several sentences"),
            intro=say("This view has sentences of its own, not the text above. Change them, or write others."),
        )
        left.setFixedWidth(theme.column_px(EDITOR_PX))
        inside = QWidget()
        self._column = vbox(self.editor, self.line, None, parent=inside)
        left.body.addWidget(scrolled(inside), 1)
        fill(self.curves_card.body, (self.curves, 1), self.verdict)
        self.matrix_card.body.addWidget(self.matrix, 1)
        self.curves.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.curves_card.set_figure(self._curves_figure)
        self.matrix_card.set_figure(self._matrix_figure)
        sentences = folded_on_projector(left, left.title)
        if theme.is_projector():  # the curves have the height to themselves
            matrix = folded_on_projector(self.matrix_card, self.matrix_card.title)
            hbox(sentences, (self.curves_card, 1), (matrix, 1), parent=self, gap_px=GAP_PX)
        else:
            # Not half each: with the sentence below them the curves need more in the lowest window.
            pictures = vbox((self.curves_card, 6), (self.matrix_card, 5), gap_px=GAP_PX)
            hbox(sentences, (pictures, 1), parent=self, gap_px=GAP_PX)

    def _curves_figure(self) -> Figure | None:
        if self.shown is None:
            return None
        uses, found, similarity = self.shown
        means = {"same meaning": similarity.within, "different meanings": similarity.between}
        known = {name: values for name, values in means.items() if np.isfinite(values).any()}
        if not known:
            return None
        axes = Axis("pairs", list(known)), Axis("layer", stage_labels(len(found.cosines)))
        texts = _caption(uses)
        arrays = {"mean cosine": Numbers(np.stack(list(known.values())), axes)}
        return self.figure(self.curves_card.title, [self.curves], arrays, hint=texts, settings=texts, texts=False)

    def _matrix_figure(self) -> Figure | None:
        if self.shown is None:
            return None
        uses, found, _ = self.shown
        texts, stage = _labels(uses, found).texts, stage_name(self.selection.stage)
        axes = Axis("layer", stage_labels(len(found.cosines))), Axis("use", texts), Axis("other use", texts)
        arrays, settings = {"cosine": Numbers(found.cosines, axes)}, joined(_caption(uses), stage)
        return self.figure(self.matrix_card.title, [self.matrix], arrays, hint=stage, settings=settings, texts=False)


def _labels(uses: Uses, found: WordInSentences) -> Labels:
    texts = [f"{i + 1}  {uses.texts[i].strip()}" for i in found.sentences]
    return Labels(texts, [COLORS[(uses.groups[i] - 1) % len(COLORS)] for i in found.sentences])


def _caption(uses: Uses) -> str:
    """The word and its sentences."""
    sentences = " / ".join(f"({group}) {text.strip()}" for text, group in uses.sentences)
    return say("“{word}” in: {sentences}", word=uses.word.strip(), sentences=sentences)


def verdict(similarity: GroupSimilarity) -> str:
    """One sentence: the layer where the meanings are furthest apart."""
    if similarity.layer is None:
        return say("To compare meanings, mark at least two sentences with one meaning and one with another.")
    within, between = similarity.within[similarity.layer], similarity.between[similarity.layer]
    if within <= between:
        return say(
            "Its meanings do not separate: at no layer are uses with the same meaning more alike than uses with "
            "different ones."
        )
    where = (
        say(
            "The meanings are furthest apart after layer {layer}: cosine {within} within a meaning, {between} between "
            "meanings."
        )
        if similarity.layer
        else say(
            "The meanings are furthest apart in the embeddings: cosine {within} within a meaning, {between} between "
            "meanings."
        )
    )
    return where.format(layer=similarity.layer, within=numbers.decimal(within), between=numbers.decimal(between))
