"""View "Topics": documents on a map, in clusters, beside their labels where they have some."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.evidence_questions import FoundTopics, topics_of
from ...figures.figure import joined
from ...figures.values import PLANE, Side, Values, stages
from ...look import mark, numbers, say, theme
from ...widgets.card import Card
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill
from ...widgets.scatter import Scatter
from ...widgets.table import Column, Table
from ..pictures import Dots, Lines
from .sentences import documents_text, topic_name, topics_finding
from .view import EvidenceView, OpenedRow

if TYPE_CHECKING:
    from bertcore.evidence.topics import Topic

    from ...state.readings import Reading
    from ...state.selection import Selection

SIDE_PX, MOST_PX, USUAL = 400, 150, 4
Near = tuple[int, float]  # a document, and its cosine
COLORS = (
    "curve_train",
    "curve_held_out",
    "curve_mlm",
    "mask",
    "curve_norm",
    "curve_nsp",
)  # again after the sixth, as squares


class TopicsView(EvidenceView):
    """After the chosen layer; a click on a place of the curve chooses another one."""

    needs, call = "documents", "about.documents()"
    functions: ClassVar = {"topics": topics_of}
    counted = mark("%Ln document(s)"), lambda found: len(found.documents.collection)
    finding_in = staticmethod(topics_finding)
    pictures = (
        Dots(
            key="topics",
            title=mark("Map of the documents"),
            name=mark("Documents by their two main directions"),
            method=mark("k-means; principal components"),
            python="found.topics({0}, {1}).clusters.points",
            chart=partial(Scatter, names=False),
        ),
        Lines(
            key="layers",
            title=mark("By layer"),
            name=mark("How well clusters and labels match"),
            intro=mark("Match: the adjusted Rand index; 1: the same groups, 0: as by chance. Click a layer."),
            curves=(CurveSpec("agreement", mark("match with the labels"), "curve_train", markers=True),),
            left_label=mark("match"),
            includes_zero=True,
            method=mark("k-means"),
            python="[found.agreements({0})]",
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.document = 0  # the one whose neighbours are shown
        counts = {count: say("%n cluster(s)", n=count) for count in range(2, 13)}
        self.count = Choice(say("How many clusters"), counts, self.ask_again)
        self.count.setCurrentIndex(self.count.findData(USUAL))
        kinds = {False: say("Colour: cluster"), True: say("Colour: label")}
        self.by_label = Choice(say("What the colours are"), kinds, partial(self.redraw, "topics"))
        self.cards["topics"].add_to_header(self.count, self.by_label)
        self.table, self.near = Table(say("Clusters"), _of_topics()), Table(say("Nearest documents"), self._of_near())
        self.table.setMaximumHeight(theme.px(MOST_PX))
        self.table.row_clicked.connect(lambda topic: self.clicked("topics", topic.document, None))
        self.near.row_opened.connect(lambda near: self.row_opened.emit(OpenedRow(self._text(near))))
        self.near_card, cards = Card(say("Nearest documents"), intro=" "), Card(say("Clusters"))
        fill(cards.body, self.table)
        fill(self.near_card.body, (self.near, 1))
        found, near = (folding_on_projector(card, card.title) for card in (cards, self.near_card))
        self.layers = self.folded("layers")
        return self.beside(self.cards["topics"], SIDE_PX, found, self.layers, near, grows=2)

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...]:
        return self.count.currentData(), self.selection.stage

    def values_of(self, key: str, found: FoundTopics) -> Values | None:
        documents, points, by_layer = found.documents, found.topics.clusters.points, found.agreements
        if key == "layers":
            return Values(np.array([by_layer]), self.curve_names(key), stages(len(by_layer))) if by_layer else None
        kinds, names = found.topics.clusters.groups, [topic_name(each) for each in found.topics.topics]
        intro = say("Dots are documents, in the colour of their cluster. Click one to see which are nearest to it.")
        if self.by_label.currentData() and documents.has_labels:
            names = sorted({*documents.labels.tolist()} - {""})
            kinds = np.array([names.index(each) if each else -1 for each in documents.labels])
            intro = say("Dots are documents, in the colour of their label; grey: several labels, or none.")
        tags = [""] * len(kinds)
        for kind, name in enumerate(names):  # in its middle
            inside = np.flatnonzero(kinds == kind)
            away = np.linalg.norm(points[inside] - points[inside].mean(axis=0), axis=1)
            tags[inside[away.argmin()]] = name
        colors = [COLORS[kind % len(COLORS)] if kind >= 0 else "faint" for kind in kinds.tolist()]
        texts = [joined(each.text, ", ".join(each.labels)) for each in documents.collection.rows]
        detail = {"tags": tags, "squares": kinds >= len(COLORS)}
        return Values(
            points, Side("text", texts, colors), PLANE, detail=detail, hint=documents_text(found), intro=intro
        )

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        return min(self.document, len(side) - 1) if side.kind == "text" else super().selected(key, side, selection)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key == "topics":
            self.document = row
            self.redraw(key)

    def show_found(self, found: FoundTopics | None) -> None:
        has_labels = found is not None and found.documents.has_labels
        self.by_label.setVisible(has_labels)
        self.layers.setVisible(has_labels)
        self.table.update_rows([] if found is None else found.topics.topics)
        self.near.update_rows([])
        if found is not None:
            self.document = min(self.document, len(found.documents.collection) - 1)
            self.near_card.set_intro(say("to “{text}”", text=self._text((self.document, 1.0))))
            self.near.update_rows(found.documents.nearest(self.document, found.topics.layer))

    def _text(self, near: Near) -> str:
        return str(self.found.documents.collection.rows[near[0]].text)

    def _of_near(self) -> tuple[Column, ...]:
        def labels(near: Near) -> str:
            return ", ".join(self.found.documents.collection.rows[near[0]].labels)

        return (
            Column(say("cosine"), lambda near: numbers.decimal(near[1]), is_number=True),
            Column(say("Text"), self._text, self._text, is_widest=True),
            Column(say("Label"), labels),
            Column(say("Cluster"), lambda near: str(self.found.topics.clusters.groups[near[0]] + 1), is_number=True),
        )


def _of_topics() -> tuple[Column, ...]:
    def words(topic: Topic) -> str:
        return ", ".join(topic.words)

    return (
        Column(say("Cluster"), lambda topic: str(topic.cluster + 1), is_number=True),
        Column(say("Documents"), lambda topic: numbers.count(topic.count), is_number=True),
        Column(say("Typical words"), words, words, is_widest=True),
        Column(say("Commonest label"), lambda topic: topic.label and f"{topic.of_label} × {topic.label}"),
    )
