"""View "Paths": where each token goes from layer to layer, in one plane for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.analysis.vectors import cosines

from ...compute.question import Job, ReportOrCancel
from ...figures.figure import Axis, Numbers, joined
from ...figures.values import Side, Values, stage_labels, tokens
from ...look import mark, numbers, say
from ...state import Reading, Selection, TokenView
from ...state.baseline_names import baseline_name, labels_beside
from ...widgets.scatter import WORD
from ..pictures import Dots
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.analysis.vectors import Pca


OURS, THEIRS = mark("path of {token}"), mark("path of {token} in the baseline")


def shared_baseline(reading: Reading) -> Reading | None:
    """The baseline, where its vectors can be in one plane with ours."""
    baseline = reading.baseline
    shapes = [one.trace.hidden_states.shape[::2] for one in (reading, baseline) if one is not None]
    return baseline if len(set(shapes)) == 1 else None


def paths_plane(reading: Reading, view: TokenView, _progress: ReportOrCancel) -> Pca:
    """One plane for all stages, and for the baseline's tokens as well (L+1,P,2)."""
    from bertcore.analysis.vectors import pca

    both = [one for one in (reading, shared_baseline(reading)) if one is not None]
    parts = [(one.units(view), one.trace.hidden_states) for one in both]
    stages = range(len(parts[0][1]))
    return pca(
        np.stack([np.concatenate([units.vectors(states[stage]) for units, states in parts]) for stage in stages])
    )


class PathsView(ValuesView):
    """One large picture; the slider moves all dots along their lines."""

    pictures = (
        Dots(
            key="paths",
            title=mark("Path of each token through the layers"),
            name=mark("Path of each token through the layers"),
            python='np.stack([(plane := m.pca(a, b))["pc1"], plane["pc2"]], axis=-1)',
            asks="plane",
            is_compared=False,
        ),
    )

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        return Job(paths_plane, (reading, selection.token_view)) if len(selection.units(reading)) else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        units, plane, view = selection.units(reading), self.answer_of("plane", reading), selection.token_view
        ours, baseline = tokens(units), shared_baseline(reading)
        if not len(units):
            return Values(np.zeros((0, 2)), ours)
        theirs = [] if baseline is None else labels_beside(reading, view)  # only where they are other words
        if plane is None or plane.points.shape[1] != len(ours) + len(theirs):
            return None
        places = enumerate(reading.places_in_baseline(view) if baseline is not None else ())
        pairs = [(unit, len(ours) + place) for unit, place in places if place is not None]
        places_of_all = [*ours.numbers, *(-1 for _ in theirs)]
        side = Side("token", [*ours.labels, *theirs], [*ours.colors, *(WORD for _ in theirs)], places_of_all, units)
        detail = {
            "stage_names": stage_labels(len(plane.points)),
            "links": pairs if selection.wants_difference else (),
            "partners": dict(pairs),
        }
        share = numbers.percent(float(plane.explained_variance_ratio.sum()))
        hint = say("a flat map (PCA): it shows {share} of the differences", share=share)
        return Values(plane.points, side, detail=detail, hint=joined(hint, view.vectors_note))

    def drawn(self, reading: Reading, selection: Selection) -> None:
        self.charts["paths"].set_stage(selection.stage)
        self.cards["paths"].set_intro(in_words(reading, selection))

    def _names(self) -> list[tuple[str, str]]:
        """Of each place: OURS or THEIRS, and its token."""
        reading, view = self.reading, self.selection.token_view
        both = (OURS, reading), (THEIRS, None if reading is None else shared_baseline(reading))
        return [(text, token) for text, one in both if one is not None for token in one.units(view).labels]

    def sentence(self, key: str, row: int, column: int | None) -> str:
        names = self._names()
        return say(names[row][0], token=names[row][1]) if row < len(names) else ""

    def numbers(self, key: str) -> dict[str, Numbers]:
        points = self.shown[key].array  # (L+1,P,2)
        names = [token if text == OURS else f"{token} (baseline)" for text, token in self._names()]
        axes = Axis("layer", stage_labels(len(points))), Axis("token", names), Axis("component", ["1", "2"])
        return {"place": Numbers(points, axes)}

    def script(self, key: str, title: str) -> str:
        """Of our tokens alone."""
        assert self.reading is not None
        return "" if shared_baseline(self.reading) is not None else super().script(key, title)

    def caption(self, key: str) -> dict[str, Any]:
        return {"token": True, "settings": self.cards[key].hint}


def in_all_numbers(reading: Reading, selection: Selection) -> str:
    """What the selected token is most like at both ends: distances on the map are rough."""
    units, unit, states = selection.units(reading), selection.unit(reading), reading.trace.hidden_states
    if unit is None or len(units) < 2:
        return ""
    alike = np.stack([cosines(units.vectors(states[stage]))[unit] for stage in (0, -1)])  # (2,U)
    alike[:, unit] = -np.inf
    first, last = (units.labels[place] for place in alike.argmax(axis=1).tolist())
    text = mark(
        "In all {size} numbers, of which this map shows a part, “{token}” is most like “{first}” at the start and "
        "“{last}” at the end."
    )
    return say(text, token=units.labels[unit], first=first, last=last, size=states.shape[-1])


def in_words(reading: Reading, selection: Selection) -> str:
    """What lines and dots are."""
    if reading.baseline is None:
        return say(
            "A line is one token, from its embedding (emb.) through all layers; its mark is at the slider’s layer, its "
            "small name at the end. Blue circle: in A. Orange square: in B. Where all lines bend together, a layer "
            "adds much the same to every token; what tells tokens apart is which lines lie side by side. {alike}",
            alike=in_all_numbers(reading, selection),
        ).strip()
    if shared_baseline(reading) is None:
        return say(
            "{baseline} has different layers or sizes, so its paths cannot be drawn on the same map. Hold X to"
            " see them.",
            baseline=baseline_name(reading),
        )
    text = say(
        "Thick line: the selected token; dashed: the same token in the baseline, whose tokens are rings. Click "
        "another token: where do its two paths part?"
    )
    far = say("Dotted: how far apart the two are.")
    return f"{text} {far}" if selection.wants_difference else text
