"""View "Paths": where each token goes from layer to layer, in one plane for all of them."""

import numpy as np

from bertcore.analysis.vectors import Pca

from ...compute.question import ReportOrCancel
from ...figures.figure import Axis, Figure, Numbers, joined
from ...figures.values import stage_labels
from ...look import numbers
from ...look.say import say
from ...state.baseline_names import baseline_name, labels_beside
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import TokenView, Units
from ...widgets.card import Card
from ...widgets.layouts import vbox
from ...widgets.scatter import WORD, Points, Scatter
from .stages import LayersView


class _Both:
    """The tokens of a reading and, where they have paths in the same plane, those of its baseline."""

    def __init__(self, reading: Reading, view: TokenView) -> None:
        self._reading, self._baseline, self._view = reading, reading.baseline, view
        self.ours = reading.units(view)
        self.baseline_units: Units | None = None
        self.pairs: list[tuple[int, int]] = []  # ours, theirs: numbers of points
        if self._baseline is not None and self._has_same_shape:
            self.baseline_units = self._baseline.units(view)
            places = enumerate(reading.places_in_baseline(view))
            self.pairs = [(i, len(self.ours) + place) for i, place in places if place is not None]

    @property
    def _has_same_shape(self) -> bool:
        assert self._baseline is not None
        (layers, _, width), (baseline_layers, _, baseline_width) = (
            one.trace.hidden_states.shape for one in (self._reading, self._baseline)
        )
        return bool((layers, width) == (baseline_layers, baseline_width))

    @property
    def baseline_labels(self) -> list[str]:
        return [] if self.baseline_units is None else self.baseline_units.labels

    @property
    def size(self) -> int:
        return len(self.ours) + len(self.baseline_labels)

    @property
    def names(self) -> list[str]:
        """Theirs only where they are other words: else every name would stand twice."""
        theirs = [] if self.baseline_units is None else labels_beside(self._reading, self._view)
        return [*self.ours.labels, *theirs]

    @property
    def kinds(self) -> list[str]:
        return [*self.ours.kinds, *(WORD for _ in self.baseline_labels)]

    @property
    def vectors(self) -> list[tuple[Units, np.ndarray]]:
        """Units, with the hidden states (L+1,S,H) that they are taken from."""
        parts = [(self.ours, self._reading.trace.hidden_states)]
        if self.baseline_units is not None and self._baseline is not None:
            parts.append((self.baseline_units, self._baseline.trace.hidden_states))
        return parts

    def in_words(self, selection: Selection) -> str:
        """What lines and dots are."""
        text = say(
            "A line is one token, from its embedding (emb.) to the last layer; its mark is at the slider’s layer. "
            "Blue circle: in A. Orange square: in B. Grey: special. Distances are rough: the map is flat."
        )
        if self._baseline is None:
            return text
        if self.baseline_units is None:
            other = say(
                "{baseline} has different layers or sizes, so its paths cannot be drawn on the same map. Hold X to"
                " see them."
            )
            return other.format(baseline=baseline_name(self._reading))
        other = say(
            "Thick line: the selected token; dashed: the same token in the baseline, whose tokens are rings. Click "
            "another token: where do its two paths part?"
        )
        far = say("Dotted: how far apart the two are.")
        return f"{other} {far}" if selection.wants_difference else other


def paths_plane(reading: Reading, view: TokenView, _progress: ReportOrCancel) -> Pca:
    """One plane for all stages, and for the baseline's tokens as well (L+1,P,2)."""
    from bertcore.analysis.vectors import pca

    parts = _Both(reading, view).vectors
    stages = range(len(parts[0][1]))
    return pca(
        np.stack([np.concatenate([units.vectors(states[stage]) for units, states in parts]) for stage in stages])
    )


class PathsView(LayersView):
    """One large picture; the slider moves all dots along their lines."""

    slider = "all"

    def __init__(self) -> None:
        super().__init__()
        self.picture = Scatter(say("Path of each token through the layers"))
        self.card = Card(say("Path of each token through the layers"), intro=" ")
        self.card.set_figure(self._figure)
        self.card.body.addWidget(self.picture, 1)
        vbox(self.card, parent=self)
        self.paths = self.add_question(self._on_paths_answered)
        self.add_token_menu(self.picture)
        self.picture.clicked.connect(self.click_unit)
        self.picture.hovered.connect(self._on_picture_hovered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        both = _Both(reading, selection.token_view)
        self.card.set_intro(both.in_words(selection))
        if len(both.ours):
            self.paths.ask(paths_plane, reading, selection.token_view, pause_ms=self.pause_ms)
            if self.paths.answer is not None:
                self._show(self.paths.answer)
        else:
            self.paths.clear()
            self.picture.set_points(Points())
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.picture.set_stage(selection.stage)
        unit = selection.unit(reading)
        if self.paths.answer is not None and unit is not None:
            self.picture.set_selected([unit])

    def _on_paths_answered(self, paths: Pca) -> None:
        if self.reading is not None:
            self._show(paths)
            self.show_selection(self.reading, self.selection)

    def _show(self, paths: Pca) -> None:
        assert self.reading is not None
        both = _Both(self.reading, self.selection.token_view)
        if paths.points.shape[1] != both.size:
            return  # of another text: the next answer is on its way
        links = both.pairs if self.selection.wants_difference else ()
        stages = stage_labels(len(paths.points))
        self.picture.set_points(
            Points(paths.points, both.names, both.kinds, stage_names=stages, links=links, partners=dict(both.pairs))
        )
        x, y = paths.explained_variance_ratio
        plane = say(
            "PCA over all layers · across: {x} of the variance, up: {y}",
            x=numbers.percent(float(x)),
            y=numbers.percent(float(y)),
        )
        self.card.set_hint(joined(plane, self.selection.token_view.vectors_note))

    def _figure(self) -> Figure | None:
        if self.paths.answer is None or self.reading is None:
            return None
        points = self.paths.answer.points  # (L+1,U,2)
        both = _Both(self.reading, self.selection.token_view)
        names = [*both.ours.labels, *(f"{label} (baseline)" for label in both.baseline_labels)]
        axes = Axis("layer", stage_labels(len(points))), Axis("token", names), Axis("component", ["1", "2"])
        arrays, hint = {"place": Numbers(points, axes)}, self.card.hint
        return self.figure(self.card.title, [self.picture], arrays, hint=hint, token=True, settings=hint)

    def _on_picture_hovered(self, unit: int | None) -> None:
        text = ""
        if unit is not None and self.reading is not None:
            both = _Both(self.reading, self.selection.token_view)
            labels = [*both.ours.labels, *both.baseline_labels]
            path = say("path of {token}") if unit < len(both.ours) else say("path of {token} in the baseline")
            text = path.format(token=labels[unit]) if unit < len(labels) else ""
        self.hover_text_changed.emit(text)
        self.hover_unit(unit)
