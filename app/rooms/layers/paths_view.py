"""View "Paths": where each token goes from layer to layer, in one plane for all of them."""

from bertcore.analysis.vectors import Pca

from ...compute.question import Step
from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import Card
from ...widgets.layouts import vbox
from ...widgets.scatter import Points, Scatter
from .stages import LayersView, stage_labels


class PathsView(LayersView):
    """One large picture; the slider moves all dots along their lines."""

    stages = "all"

    def __init__(self) -> None:
        super().__init__()
        self.picture = Scatter(self.tr("Path of each token through the layers"))
        self.card = Card(
            self.tr("Path of each token through the layers"),
            intro=self.tr(
                "A line is one token, from its embedding to the last layer; its dot is where it is at the layer that "
                "the slider shows. A flat map of many numbers: distances are only rough."
            ),
        )
        self.card.set_figure(self._figure)
        self.card.body.addWidget(self.picture, 1)
        vbox(self.card, parent=self)
        self.paths = self.add_question(self._on_paths_answered)
        self.add_token_menu(self.picture)
        self.picture.clicked.connect(self.click_unit)
        self.picture.hovered.connect(self._on_picture_hovered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        units, states = selection.units(reading), reading.trace.hidden_states

        def work(_step: Step) -> Pca:
            import numpy as np

            from bertcore.analysis.vectors import pca

            return pca(np.stack([units.vectors(one) for one in states]))

        if len(units):
            self.paths.compute((reading.request, selection.token_view), work, self.pause_ms)
        else:
            self.paths.forget()
            self.picture.set_points(Points())
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.picture.set_stage(selection.stage)
        unit = selection.unit(reading)
        if self.paths.answer is not None and unit is not None:
            self.picture.set_selected([unit])

    def _on_paths_answered(self, paths: Pca) -> None:
        if self.reading is None:
            return
        units = self.selection.units(self.reading)
        stages = stage_labels(len(paths.points))
        self.picture.set_points(Points(paths.points, units.labels, units.kinds, stage_names=stages))
        self.show_selection(self.reading, self.selection)
        x, y = paths.share
        plane = self.tr("PCA over all layers · across: {x} of the variance, up: {y}").format(
            x=numbers.percent(float(x)), y=numbers.percent(float(y))
        )
        self.card.set_hint(joined(plane, self.selection.token_view.vectors_note))

    def _figure(self) -> Figure | None:
        if self.paths.answer is None or self.reading is None:
            return None
        points = self.paths.answer.points  # (L+1,U,2)
        axes = (
            Axis("layer", stage_labels(len(points))),
            Axis("token", self.selection.units(self.reading).labels),
            Axis("component", ["1", "2"]),
        )
        arrays, hint = {"place": Numbers(points, axes)}, self.card.hint
        return self.figure(self.card.title, [self.picture], arrays, hint=hint, token=True, settings=hint)

    def _on_picture_hovered(self, unit: int | None) -> None:
        text = ""
        if unit is not None and self.reading is not None:
            labels = self.selection.units(self.reading).labels
            text = self.tr("path of {token}").format(token=labels[unit]) if unit < len(labels) else ""
        self.hover_text_changed.emit(text)
        self.hover_unit(unit)
