"""View "One word": the same word in several sentences, how similar its hidden states are, where meanings separate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLayout, QLineEdit, QSizePolicy, QWidget

from ...compute.question import Job, ReportOrCancel
from ...figures.figure import Axis, Numbers, joined
from ...figures.values import Side, Values, stage_labels, stage_name, stages
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection
from ...widgets.card import GAP_PX, Card, button, label, note, scrolled, show_text
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import IconButton
from ...widgets.curve_specs import CurveSpec
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import discard, hbox, vbox
from ..pictures import Cells, Lines
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.analysis.vectors import GroupSimilarity, WordInSentences
    from bertcore.checkpoint.checkpoint import Checkpoint

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

    def __init__(self) -> None:
        super().__init__()
        self.word = QLineEdit()
        self.word.setAccessibleName(say("The word to compare"))
        self.word.textEdited.connect(self.edited)
        self.lines: list[UseLine] = []
        self._column = vbox(gap_px=6)
        self.add = button(say("Add a sentence"), self._on_add_clicked)
        word = hbox(label(say("Word"), "muted"), (self.word, 1))
        hint = note(say("Say which meaning the word has in each sentence: click to change it."))
        vbox(word, hint, self._column, hbox(self.add, None), parent=self, gap_px=8)

    @property
    def uses(self) -> Uses:
        return Uses(self.word.text(), tuple((line.text.text(), line.group) for line in self.lines))

    def set_uses(self, uses: Uses) -> None:
        self.word.setText(uses.word)
        discard(*self.lines)
        self.lines = []
        for text, group in uses.sentences:
            self._add_line(text, group)

    def show_found(self, found: list[int]) -> None:
        """Says under each sentence that is not among these that the word is not in it."""
        for i, line in enumerate(self.lines):
            is_missing = i not in found and bool(line.text.text().strip())
            show_text(line.missing, say("The word is not in this sentence.") if is_missing else "")

    def _add_line(self, text: str, group: int) -> None:
        line = UseLine(text, group)
        line.edited.connect(self.edited)
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

    def _on_remove_clicked(self, line: UseLine, _checked: bool = False) -> None:
        self.lines.remove(line)
        discard(line)
        self._show_counts()
        self.edited.emit()


class UseLine(QWidget):
    """A sentence, and the number of the meaning that the word has in it."""

    edited = Signal()

    def __init__(self, text: str, group: int) -> None:
        super().__init__()
        self.text = QLineEdit(text)
        self.text.setCursorPosition(0)
        self.text.textEdited.connect(self.edited)
        self.meaning = button("", lambda: self.set_group(self.group % MOST_GROUPS + 1), look="small")
        self.meaning.clicked.connect(lambda _checked=False: self.edited.emit())
        self.remove = IconButton("close", say("Remove this sentence"))
        self.missing = label("", "muted")
        self.missing.hide()
        vbox(hbox(self.meaning, (self.text, 1), self.remove, gap_px=5), self.missing, parent=self, gap_px=2)
        self.set_group(group)

    def set_group(self, number: int) -> None:
        self.group = number
        self.meaning.setText(say("meaning {number}", number=number))
        self.meaning.setToolTip(say("Meaning {number}; click for another", number=number))
        self.meaning.setAccessibleName(say("Meaning {number}", number=number))


USES = "m.word_in_sentences({view.compared[0].word!r}, {view.compared[0].texts!r})"
PAUSE_MS = 350  # after the last key in a sentence
EDITOR_PX = 430
COLORS = ("segment_a", "segment_b", "good_text")


class WordView(ValuesView):
    """The sentences on the left; curves over layers, and the matrix of the chosen stage.

    It has sentences of its own: of what all rooms look at, only model and stage matter.
    """

    pictures = (
        Lines(
            key="curves",
            title=mark("Where its meanings separate"),
            name=mark("Mean cosine between uses of the word"),
            curves=(
                CurveSpec("within", mark("same meaning"), "curve_train", markers=True),
                CurveSpec("between", mark("different meanings"), "curve_held_out", markers=True, symbol="s"),
            ),
            left_label=mark("mean cosine"),
            at=mark("layer: {x}"),
            saved_as="mean cosine",
            python=f"[(apart := bertcore.analysis.vectors.group_similarity((uses := {USES}).cosines, "
            "np.array({view.compared[0].groups})[uses.sentences])).within, apart.between]",
            asks="uses",
            is_compared=False,
        ),
        Cells(
            key="matrix",
            title=mark("How similar are its uses?"),
            name=mark("Cosine of each pair of uses"),
            hovered=mark("sentences {row} and {column}, {stage}: cosine {value}"),
            number="cosine",
            python=f"{USES}.cosines",
            asks="uses",
            follows=("stage",),
            is_compared=False,
            chart=partial(LabelledGrid, square=True, longest_px=300),
        ),
    )

    def lay_out(self) -> QLayout:
        self.editor = UsesEditor()
        self.editor.set_uses(BANK)
        self.editor.edited.connect(self._on_editor_edited)
        title = say("One word in several sentences")
        intro = say("This view has sentences of its own, not the text above. Change them, or write others.")
        left = Card(title, intro=intro)
        left.setFixedWidth(theme.column_px(EDITOR_PX))
        self.progress = self.own_line(self.asked["uses"])
        left.body.addWidget(scrolled(vbox(self.editor, self.progress, None)), 1)
        self.verdict = label("", "strong", wrap=True)
        curves, matrix = self.cards["curves"], self.cards["matrix"]
        curves.body.addWidget(self.verdict)
        self.charts["curves"].setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        sentences = folding_on_projector(left, title)
        if theme.is_projector():  # the curves have the height to themselves
            return hbox(sentences, (curves, 1), (folding_on_projector(matrix, matrix.title), 1), gap_px=GAP_PX)
        # Not half each: with the sentence below them the curves need more in the lowest window.
        return hbox(sentences, (vbox((curves, 6), (matrix, 5), gap_px=GAP_PX), 1), gap_px=GAP_PX)

    def restore(self, kept: Any) -> None:
        self.editor.set_uses(kept)

    def _on_editor_edited(self) -> None:
        self.kept_changed.emit(self.editor.uses)
        self.pause_ms = PAUSE_MS
        self.redraw()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.pause_ms = 0  # what is typed above is not what it is about
        super().show_reading(reading, selection)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        return Job(compare_uses, (self.editor.uses,), (reading.request.model,))

    compared: Compared | None = None  # on show; the editor may be ahead of it

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        question = self.asked["uses"]
        is_refused = bool(question.sentence) and not question.can_restart
        self.compared = None if is_refused else question.answer or self.compared  # of an earlier word nothing stays
        if self.compared is None:
            return Values(np.zeros((0, 0), dtype=np.float32), Side("none", []), Side("none", []), 0, 1)
        uses, found, similarity = self.compared
        if key == "curves":
            hint = say("higher: more alike · where the curves part, the model tells the meanings apart")
            rows = Side("part", ["same meaning", "different meanings"], axis_name="pairs")
            means = np.stack([similarity.within, similarity.between])  # (2,L+1)
            return Values(means, rows, stages(means.shape[1]), hint=hint)
        stage, word = min(selection.stage, len(found.cosines) - 1), uses.word.strip()
        cosines = np.ascontiguousarray(found.cosines[stage], dtype=np.float32)
        lowest = min(float(found.cosines.min()), 0.99)  # of all layers: colours mean the same after each
        texts = [[numbers.decimal(value) for value in row] for row in cosines.tolist()]
        hint = say("cosine of “{word}” in each pair of sentences, {stage}", word=word, stage=stage_name(stage))
        colors = [COLORS[(uses.groups[i] - 1) % len(COLORS)] for i in found.sentences]
        named = [f"{i + 1}  {uses.texts[i].strip()}" for i in found.sentences]
        rows, columns = (
            Side("text", labels, colors, found.sentences) for labels in (named, [str(i + 1) for i in found.sentences])
        )
        return Values(cosines, rows, columns, lowest, 1, texts, hint=hint)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        self.verdict.setText("" if self.compared is None else verdict(self.compared[2]))
        if self.compared is not None:
            self.editor.show_found(self.compared[1].sentences)

    def numbers(self, key: str) -> dict[str, Numbers]:
        """The cosines after each layer."""
        if key != "matrix" or self.compared is None:
            return super().numbers(key)
        cosines, texts = self.compared[1].cosines, self.shown[key].rows.labels
        axes = Axis("layer", stage_labels(len(cosines))), Axis("use", texts), Axis("other use", texts)
        return {"cosine": Numbers(cosines, axes)}

    def caption(self, key: str) -> dict[str, Any]:
        """The word and its sentences."""
        if self.compared is None:
            return {}
        uses, stage = self.compared[0], stage_name(self.selection.stage)
        sentences = " / ".join(f"({group}) {text.strip()}" for text, group in uses.sentences)
        about = say("“{word}” in: {sentences}", word=uses.word.strip(), sentences=sentences)
        if key == "curves":
            return {"hint": about, "settings": about, "texts": False}
        return {"hint": stage, "settings": joined(about, stage), "texts": False}


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
    where = mark(
        "The meanings are furthest apart in the embeddings: cosine {within} within a meaning, {between} between "
        "meanings."
    )
    if similarity.layer:
        where = mark(
            "The meanings are furthest apart after layer {layer}: cosine {within} within a meaning, {between} between "
            "meanings."
        )
    ends = {"within": numbers.decimal(within), "between": numbers.decimal(between)}
    return say(where).format(layer=similarity.layer, **ends)
