"""View "One word": the same word in several sentences, how similar its hidden states are, where meanings separate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.figures.figure import Axis, Figure, Numbers, joined
from app.look import numbers, theme
from app.rooms.layers.stages import LayersView, stage_labels, stage_name
from app.rooms.layers.uses import BANK, Uses, UsesEditor
from app.widgets.card import GAP_PX, Card, label, scrolled
from app.widgets.curve_plot import CurvePlot
from app.widgets.curves import CurveSpec, PlotSpec
from app.widgets.labelled_grid import LabelledGrid, Labels
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.progress_line import ProgressLine

if TYPE_CHECKING:
    from app.compute.question import Step
    from app.state.model_info import ModelInfo
    from app.state.readings import Reading
    from app.state.selection import Selection
    from bertcore.analysis.one_word import Parting, WordInSentences
    from bertcore.checkpoint.checkpoint import Checkpoint

    Compared = tuple[Uses, WordInSentences, Parting]

translate = QCoreApplication.translate
PAUSE_MS = 350  # after the last key in a sentence
EDITOR_PX = 370
COLORS = ("segment_a", "segment_b", "good_text")


class WordView(LayersView):
    """The sentences on the left; curves over layers, and the matrix of the chosen stage.

    It has sentences of its own: of what all rooms look at, only model and stage matter.
    """

    stages = "all"

    def __init__(self) -> None:
        super().__init__()
        self.editor = UsesEditor(BANK)
        self.curves = CurvePlot(
            PlotSpec(
                self.tr("Mean cosine between uses of the word"),
                (
                    CurveSpec("within", self.tr("same meaning"), "curve_train", markers=True),
                    CurveSpec("between", self.tr("different meanings"), "curve_held_out", markers=True, symbol="s"),
                ),
                left_label=self.tr("mean cosine"),
                bottom_label=self.tr("layer"),
                at=self.tr("layer: {x}"),
            )
        )
        self.matrix = LabelledGrid(self.tr("Cosine of each pair of uses"), square=True, longest_px=300)
        self.verdict = label("", "strong", wrap=True)
        self.curves_card = Card(self.tr("Where its meanings separate"))
        self.matrix_card = Card(self.tr("How similar are its uses?"))
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
        old.deleteLater()
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
            self.tr("cosine of “{word}” in each pair of sentences, {stage}").format(
                word=uses.word.strip(), stage=stage_name(stage)
            )
        )

    def _ask(self, model: ModelInfo, pause_ms: int) -> None:
        uses = self.editor.uses

        def work(checkpoint: Checkpoint, step: Step) -> Compared:
            from bertcore.analysis.one_word import parting, word_in_sentences

            found = word_in_sentences(checkpoint.model, checkpoint.tokenizer, uses.word, uses.texts, step)
            return uses, found, parting(found.cosines, [uses.groups[i] for i in found.sentences])

        self.compared.ask_model(model, (model, uses), work, pause_ms)

    def _on_compared_answered(self, compared: Compared) -> None:
        self.shown = compared
        uses, found, parting = compared
        self.editor.show_found(found.sentences)
        stages = np.arange(len(found.cosines))
        means = {"within": parting.within, "between": parting.between}
        self.curves.set_points(
            {key: (stages, values) for key, values in means.items()}, stage_labels(len(found.cosines))
        )
        self.curves_card.set_hint(
            self.tr("“{word}” in %n sentence(s)", "", len(found.sentences)).format(word=uses.word.strip())
        )
        self.verdict.setText(verdict(parting))
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _on_compared_failed(self) -> None:
        """Nothing of an earlier word stays."""
        self.shown = None
        self.curves.set_points({})
        self.matrix.set_grid(np.empty((0, 0), dtype=np.float32), Labels(), Labels(), 0, 1)
        self.verdict.setText("")
        for card in (self.curves_card, self.matrix_card):
            card.set_hint("")

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
            text = self.tr("sentences {first} and {second}, {stage}: cosine {cosine}").format(
                first=first,
                second=second,
                stage=stage_name(self.selection.stage),
                cosine=numbers.decimal(float(values[spot]), 4),
            )
        self.hover_text_changed.emit(text)

    def _build(self) -> None:
        left = Card(self.tr("One word in several sentences"))
        left.setFixedWidth(theme.column_px(EDITOR_PX))
        inside = QWidget()
        self._column = vbox(self.editor, self.line, None, parent=inside)
        left.body.addWidget(scrolled(inside), 1)
        fill(self.curves_card.body, (self.curves, 1), self.verdict)
        self.matrix_card.body.addWidget(self.matrix, 1)
        self.curves_card.set_figure(self._curves_figure)
        self.matrix_card.set_figure(self._matrix_figure)
        hbox(left, (vbox((self.curves_card, 1), (self.matrix_card, 1), gap_px=GAP_PX), 1), parent=self, gap_px=GAP_PX)

    def _curves_figure(self) -> Figure | None:
        if self.shown is None:
            return None
        uses, found, parting = self.shown
        means = {"same meaning": parting.within, "different meanings": parting.between}
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
    return translate("WordView", "“{word}” in: {sentences}").format(word=uses.word.strip(), sentences=sentences)


def verdict(parting: Parting) -> str:
    """One sentence: the layer where the meanings are furthest apart."""
    if parting.layer is None:
        return translate(
            "WordView", "To compare meanings, mark at least two sentences with one meaning and one with another."
        )
    within, between = parting.within[parting.layer], parting.between[parting.layer]
    if within <= between:
        return translate(
            "WordView",
            "Its meanings do not separate: at no layer are uses with the same meaning more alike than uses with "
            "different ones.",
        )
    where = (
        translate(
            "WordView",
            "The meanings are furthest apart after layer {layer}: cosine {within} within a meaning, {between} between "
            "meanings.",
        )
        if parting.layer
        else translate(
            "WordView",
            "The meanings are furthest apart in the embeddings: cosine {within} within a meaning, {between} between "
            "meanings.",
        )
    )
    return where.format(layer=parting.layer, within=numbers.decimal(within), between=numbers.decimal(between))
