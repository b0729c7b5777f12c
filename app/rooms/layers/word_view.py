"""View "One word": the same word in several sentences, how alike its hidden states are, and where its meanings part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers
from app.look import theme
from app.rooms.layers.heat_grid import HeatGrid, Labels
from app.rooms.layers.line_chart import Line, LineChart
from app.rooms.layers.uses import BANK, Uses, UsesEditor
from app.rooms.layers.view import LayersView, stage_labels, stage_name
from app.widgets.card import GAP_PX, Card, label, scrolled

if TYPE_CHECKING:
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading, Step
    from bertcore.analysis.one_word import Parting, WordInSentences
    from bertcore.checkpoint.checkpoint import Checkpoint

KIND = "layers.word"
PAUSE_MS = 350  # after the last key in a sentence
EDITOR_PX = 370
KEPT = "layers.uses"  # what a window built anew finds in the state
COLORS = ("segment_a", "segment_b", "good_text")


class WordView(LayersView):
    """The sentences on the left; curves over layers, and the matrix of the slider's stage."""

    stages = "all"

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        kept = room.state.kept.get(KEPT)
        self.editor = UsesEditor(kept if isinstance(kept, Uses) else BANK)
        self.curves = LineChart("Mean cosine of the word with itself, by layer", "layer", "mean cosine")
        self.matrix = HeatGrid("Cosine of every two uses", square=True, numbers=True, longest_px=300)
        self.verdict, self._problem = label("", "strong", wrap=True), label("", "error", wrap=True)
        self._curves_card, self._matrix_card = Card("Where its meanings part"), Card("How alike are its uses?")
        self._asked: object = None
        self._answer: tuple[object, WordInSentences, Parting] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._ask)
        self._build()
        self.editor.edited.connect(self._on_editor_edited)
        self.curves.told.connect(room.hover_text_changed)
        self.curves.chosen.connect(room.set_stage)
        self.matrix.hovered.connect(self._on_matrix_hovered)

    @property
    def answer(self) -> tuple[object, WordInSentences, Parting] | None:
        """What was asked, the word's states, and where they part."""
        return self._answer

    def draw_reading(self, reading: Reading) -> None:
        """It has sentences of its own: only another model changes anything."""
        if self._asked != (reading.request.model, self.editor.uses) and not self._pause.isActive():
            self._ask()
        self.draw_stage(reading)

    def draw_stage(self, reading: Reading) -> None:
        self.curves.set_marked(self.room.stage)
        if self._answer is None:
            return
        found = self._answer[1]
        stage = min(self.room.stage, len(found.cosines) - 1)
        labels = self._labels(found)
        cosines = np.ascontiguousarray(found.cosines[stage], dtype=np.float32)
        lowest = min(float(found.cosines.min()), 0.99)  # of all layers: colours mean the same after each
        self.matrix.set_grid(cosines, labels, Labels([str(i + 1) for i in found.sentences], labels.kinds), lowest, 1)
        self._matrix_card.set_hint(f"cosine of every two sentences’ “{self._word}”, {stage_name(stage)}")

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind != KIND or answer[0] != self._asked:
            return
        if isinstance(answer[1], str):
            self._forget()
            self._show_problem(answer[1])
            return
        self._answer = answer
        self._show_problem("")
        found, parting = answer[1], answer[2]
        self.editor.show_found(found.sentences)
        lines = [
            Line("same meaning", parting.within, "curve_train"),
            Line("different meanings", parting.between, "curve_held_out", "s"),
        ]
        shown = [line for line in lines if np.isfinite(line.values).any()]
        self.curves.set_lines(shown, stage_labels(len(found.cosines)))
        self._curves_card.set_hint(f"“{self._word}” in {len(found.sentences)} sentences")
        self.verdict.setText(verdict(parting))
        if self.room.state.reading is not None:
            self.draw_stage(self.room.state.reading)

    def _forget(self) -> None:
        """No answer any more: nothing of an earlier word stays."""
        self._answer = None
        self.curves.set_lines([], [])
        self.matrix.set_grid(np.empty((0, 0), dtype=np.float32), Labels(), Labels(), 0, 1)
        self.verdict.setText("")
        for card in (self._curves_card, self._matrix_card):
            card.set_hint("")

    @property
    def _uses(self) -> Uses:
        """What the answer on show was asked about; the editor may be ahead of it."""
        return self._answer[0][1] if self._answer is not None else self.editor.uses  # type: ignore[index]

    @property
    def _word(self) -> str:
        return self._uses.word.strip()

    def _labels(self, found: WordInSentences) -> Labels:
        uses = self._uses
        texts = [f"{i + 1}  {uses.texts[i].strip()}" for i in found.sentences]
        return Labels(texts, [COLORS[(uses.groups[i] - 1) % len(COLORS)] for i in found.sentences])

    def _show_problem(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))

    def _ask(self) -> None:
        model, uses = self.room.state.model, self.editor.uses
        self._asked = asked = (model, uses)

        def answer(checkpoint: Checkpoint, step: Step) -> tuple[object, ...]:
            from bertcore.analysis.one_word import parting, word_in_sentences
            from bertcore.errors import BertcoreError

            try:
                found = word_in_sentences(checkpoint.model, checkpoint.tokenizer, uses.word, uses.texts, step)
            except BertcoreError as error:
                return asked, str(error)
            return asked, found, parting(found.cosines, [uses.groups[i] for i in found.sentences])

        self.room.ask_model(KIND, answer)

    def _build(self) -> None:
        left = Card("One word in several sentences")
        left.setFixedWidth(theme.column_px(EDITOR_PX))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.editor)
        column.addWidget(self._problem)
        column.addStretch(1)
        left.body.addWidget(scrolled(inside), 1)
        self._problem.hide()
        self._curves_card.body.addWidget(self.curves, 1)
        self._curves_card.body.addWidget(self.verdict)
        self._matrix_card.body.addWidget(self.matrix, 1)
        self._curves_card.set_figure(self._curves_figure)
        self._matrix_card.set_figure(self._matrix_figure)
        right = QVBoxLayout()
        right.setSpacing(theme.px(GAP_PX))
        right.addWidget(self._curves_card, 1)
        right.addWidget(self._matrix_card, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(left)
        row.addLayout(right, 1)

    def _curves_figure(self) -> Figure | None:
        if not self.curves.lines:
            return None
        values = np.stack([line.values for line in self.curves.lines])
        axes = Axis("pairs", [line.name for line in self.curves.lines]), Axis("layer", stage_labels(values.shape[1]))
        numbers = {"mean cosine": Numbers(values, axes)}
        return self.room.figure(
            self._curves_card.title, [self.curves], numbers, hint=self._said(), settings=self._said(), texts=False
        )

    def _matrix_figure(self) -> Figure | None:
        if self._answer is None:
            return None
        found = self._answer[1]
        texts = self._labels(found).texts
        axes = Axis("layer", stage_labels(len(found.cosines))), Axis("use", texts), Axis("other use", texts)
        numbers = {"cosine": Numbers(found.cosines, axes)}
        stage = stage_name(self.room.stage)
        said = f"{self._said()} · {stage}"
        return self.room.figure(self._matrix_card.title, [self.matrix], numbers, hint=stage, settings=said, texts=False)

    def _said(self) -> str:
        """The word and its sentences, for a caption."""
        uses = self._uses
        listed = " / ".join(f"({group}) {text.strip()}" for text, group in uses.sentences)
        return f"“{self._word}” in: {listed}"

    def _on_editor_edited(self) -> None:
        self.room.state.kept[KEPT] = self.editor.uses
        self._pause.start(PAUSE_MS)

    def _on_matrix_hovered(self, spot: tuple[int, int] | None) -> None:
        values = self.matrix.values
        if spot is None or values is None or self._answer is None:
            self.room.hover_text_changed.emit("")
            return
        first, second = (self._answer[1].sentences[i] + 1 for i in spot)
        stage = stage_name(self.room.stage)
        self.room.hover_text_changed.emit(f"sentences {first} and {second}, {stage}: cosine {values[spot]:.4f}")


def verdict(parting: Parting) -> str:
    """One sentence: the layer where the meanings are furthest apart."""
    if parting.layer is None:
        return "For this, give one meaning to two sentences or more, and another to one or more."
    within, between = parting.within[parting.layer], parting.between[parting.layer]
    if within <= between:
        return "Its meanings do not part: at no layer are uses of one meaning more alike than those of different ones."
    place = stage_name(parting.layer) if parting.layer else "in the embeddings"
    return f"Furthest apart {place}: cosine {within:.2f} within a meaning, {between:.2f} between meanings."
