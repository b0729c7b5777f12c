"""The panel Alike: all heads as points, near where they look at the same (Clark et al. 2019, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt

from ...compute.question import Question, ReportOrCancel
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.readings import Reading
from ...state.token_units import TokenView
from ...widgets.card import Steady, tip
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import fill, hbox
from ...widgets.progress_line import ProgressLine
from ...widgets.scatter import Points, Scatter
from .attentions import Attentions, Head, head_name
from .head_kinds import HeadLinks
from .view import AttendView

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import HeadMap

LARGEST_PX = 260  # height of the map
NEAREST = 5


def map_of_heads(reading: Reading, view: TokenView, progress: ReportOrCancel) -> HeadMap:
    from bertcore.analysis.attention_heads import head_map

    stacked = Attentions(reading, view).stacked(lambda share: progress(share * 0.2))
    return head_map(stacked, progress=lambda share: progress(0.2 + share * 0.8))


class AlikeView(AttendView):
    """The map, fainter in lower layers, and the heads most like the one on show."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.question: Question[HeadMap] = self.add_question(lambda _answer: self.redraw(), self.line)
        self.points = Scatter(say("Heads as points: near each other where they look at the same tokens"), names=False)
        self.points.setMaximumHeight(theme.column_px(LARGEST_PX))
        self.nearest = HeadLinks(say("Heads most similar to this one"))
        explain("divergence", self.nearest)
        self._axes = ""  # what they capture
        save = FigureButton(self.make_figure, self.points, say("map of heads"))
        self.body.setSpacing(theme.px(7))
        fill(self.body, self.line, (self.points, 1), hbox((Steady(self.nearest), 1), save))
        self.nearest.chosen.connect(self.head_clicked)
        self.points.clicked.connect(self._on_points_clicked)
        self.points.hovered.connect(self._on_points_hovered)
        self.points.context_menu_requested.connect(self._on_points_menu_requested)

    def draw(self) -> None:
        attentions = self.attentions
        self.nearest.set_off(attentions.off)
        self.question.ask(map_of_heads, *attentions.given, pause_ms=self.pause_ms)
        head_map = self.question.answer
        for widget in (self.points, self.nearest):
            widget.setVisible(head_map is not None)
        if head_map is None:
            self.points.set_points(Points())
            return
        layers, heads, _ = head_map.points.shape
        names = [head_name(layer, head) for layer in range(layers) for head in range(heads)]
        shades = [0.15 + 0.75 * layer / max(layers - 1, 1) for layer in range(layers) for _ in range(heads)]
        self.points.set_points(Points(head_map.points.reshape(-1, 2), names, shades=shades))
        self._axes = self._about_axes(head_map)
        self.points.setToolTip(tip(self._axes))
        self._show_heads(head_map)

    def show_selection(self, reading: object, selection: object) -> None:
        if self.question.answer is not None:
            self._show_heads(self.question.answer)

    def make_figure(self) -> Figure | None:
        head_map = self.question.answer
        if head_map is None or self.reading is None:
            return None
        names = list(self.points.points.names)
        points = Numbers(head_map.points.reshape(-1, 2), (Axis("head", names), Axis("axis", ("1", "2"))))
        values = {
            "points": points,
            "divergence": Numbers(head_map.divergence, (Axis("head", names), Axis("other", names))),
        }
        hint, title = say("heads near each other look at the same tokens"), say("Which heads are alike")
        return self.figure(title, [self.points], values, hint=hint, settings=self._axes)

    def _about_axes(self, head_map: HeadMap) -> str:
        shares = [numbers.percent(share) for share in head_map.explained_variance_ratio[:2]]
        sentences = [
            say("The two axes capture {first} and {second} of the differences.", first=shares[0], second=shares[1])
        ]
        total = len(self.attentions.units)
        if len(head_map.rows) < total:
            rows = say("{some} of {all} rows were compared.")
            sentences.append(rows.format(some=len(head_map.rows), all=total))
        return " ".join(sentences)

    def _show_heads(self, head_map: HeadMap) -> None:
        layers, heads, _ = head_map.points.shape
        chosen = [self.head, *(spot for spot in self.chosen.heads if spot != self.head)]
        self.points.set_selected([layer * heads + head for layer, head in chosen if layer < layers and head < heads])
        layer, head = self.head
        can_compare = layer < layers and head < heads and layers * heads > 1
        self.nearest.setVisible(can_compare)
        if not can_compare:
            return
        own = layer * heads + head
        order = [i for i in np.argsort(head_map.divergence[own], kind="stable").tolist() if i != own][:NEAREST]
        links = [(divmod(i, heads), numbers.decimal(float(head_map.divergence[own, i]))) for i in order]
        title = say("most like {head}", head=head_name(layer, head))
        self.nearest.show_rows([(title, links, "")])

    def _head_of(self, point: int) -> Head:
        head_map = self.question.answer
        layer, head = divmod(point, 1 if head_map is None else head_map.points.shape[1])
        return layer, head

    def _on_points_clicked(self, point: int, modifiers: Qt.KeyboardModifier) -> None:
        has_ctrl = modifiers & Qt.KeyboardModifier.ControlModifier
        (self.head_toggled if has_ctrl else self.head_clicked).emit(*self._head_of(point))

    def _on_points_hovered(self, point: int | None) -> None:
        self.head_hovered.emit(None if point is None else self._head_of(point))

    def _on_points_menu_requested(self, point: int | None, at: QPoint) -> None:
        if point is not None:
            self.head_menu_requested.emit(*self._head_of(point), at)
