"""View "Map": the text's vectors on a plane, on request with the words of the token table that lie near them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout

from bertcore.analysis.vectors import Pca, pca

from ...compute.embedding import words_around
from ...compute.question import Job, ReportOrCancel
from ...figures.figure import joined
from ...figures.values import PLANE, Side, Values, tokens
from ...look import mark, names, numbers, say
from ...state import Reading, Selection, TokenView
from ...state.baseline_names import labels_beside, where_compared
from ...widgets.card import label, note
from ...widgets.controls import Choice
from ...widgets.layouts import fill, vbox
from ...widgets.scatter import WORD
from ..pictures import Dots
from ..values_view import ValuesView
from .embedding_parts import MANY_TOKENS, baseline_of, map_of_text, vectors_of

if TYPE_CHECKING:
    from bertcore.analysis.vectors import WordsAround
    from bertcore.checkpoint.checkpoint import Checkpoint


AROUND = {"one": 24, "all": 4}  # words around a token
CHOICES: dict[str, list[str]] = names("vectors")  # which vectors -> name, note


def map_with_words(
    checkpoint: Checkpoint,
    reading: Reading,
    view: TokenView,
    groups: tuple[tuple[int, ...], ...],
    count: int,
    progress: ReportOrCancel,
) -> tuple[Pca, WordsAround]:
    """A plane for the units of a reading, then the words that are nearest to each of some groups of token ids."""
    around = words_around(checkpoint, groups, count, progress)
    vectors = reading.units(view).vectors(reading.trace.token_embeddings)  # (U,E)
    return pca(np.concatenate([vectors, around.vectors])), around


class MapView(ValuesView):
    """One large picture."""

    pictures = (
        Dots(
            key="map",
            title=mark("Map of this text"),
            name=mark("Map of this text"),
            intro=mark("Each dot is a token."),
            saved_as="place",
            python="bertcore.analysis.vectors.pca(t.{view.traced}).points",
            asks="map",
            is_compared=False,
        ),
    )
    vectors = "sum"  # that are on show, a key of CHOICES
    _near = 0  # the unit that words are shown around

    def lay_out(self) -> QLayout:
        card, self._note, names = self.cards["map"], note(""), {key: say(name) for key, (name, _) in CHOICES.items()}
        self.choice = Choice(say("Which vectors the map shows"), names)
        self.choice.activated.connect(lambda _index: self.show_vectors(str(self.choice.currentData())))
        card.add_to_header(label(say("Show:"), "muted"), self.choice)
        fill(card.body, self._note)
        return vbox(card)

    def restore(self, kept: Any) -> None:
        self.vectors = str(kept)
        self.choice.setCurrentIndex(list(CHOICES).index(self.vectors))

    def show_vectors(self, key: str) -> None:
        """key: "sum", "token", "one" (with words near the selected token) or "all" (near every token)."""
        self.restore(key)
        self.kept_changed.emit(key)
        self.pause_ms = 0
        self.redraw()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        units, ids, view = selection.units(reading), reading.request.input_ids, selection.token_view
        if not len(units):
            return None
        if self.vectors not in AROUND:
            asked = reading, self._baseline(reading), view, self.vectors
            return Job(map_of_text, asked, is_quick=len(units) < MANY_TOKENS)
        groups, is_one = [tuple(ids[i] for i in members) for members in units.members], self.vectors == "one"
        if self.charts["map"].hovered_cell is None or selection.position == selection.pinned:
            self._near = selection.unit(reading) or 0  # else the map would change under the mouse
        wanted = (groups[min(self._near, len(units) - 1)],) if is_one else tuple(dict.fromkeys(groups))
        return Job(map_with_words, (reading, view, wanted, AROUND[self.vectors]), (reading.request.model,), is_one)

    def _baseline(self, reading: Reading) -> Reading | None:
        """The baseline, where its tokens have a place in this plane."""
        baseline = None if self.vectors in AROUND else baseline_of(reading)
        widths = [vectors_of(one, self.vectors).shape[1] for one in (reading, baseline) if one is not None]
        return baseline if len(set(widths)) == 1 else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        view, answer, units = selection.token_view, self.answer_of("map", reading), selection.units(reading)
        ours, baseline, words, links = tokens(units), self._baseline(reading), list[str](), list[tuple[int, int]]()
        if not len(units):
            return Values(np.zeros((0, 2)), ours, PLANE, hint=say("there are no tokens to show"))
        if answer is None:
            return None
        plane = answer
        if self.vectors in AROUND:
            plane, around = answer
            words = [reading.request.model.tokenizer.label(word.token_id) for word in around.words]
        if baseline is not None:
            words = labels_beside(reading, view)
            places = enumerate(reading.places_in_baseline(view) if selection.wants_difference else ())
            links = [(unit, len(units) + place) for unit, place in places if place is not None]
        colors, positions = [*ours.colors, *[WORD] * len(words)], [*ours.numbers, *[-1] * len(words)]
        side = Side("token", [*ours.labels, *words], colors, positions, units)
        share, count = numbers.percent(plane.kept), say("%n vector(s)", n=len(side)) if words else ""
        intro = say(
            "Each dot is a token. Near tokens tend to be alike: this flat picture shows {share} of the differences.",
            share=share,
        )
        hint = joined(say("PCA"), count, say("{share} of the variance", share=share), view.vectors_note)
        return Values(plane.points, side, PLANE, detail={"links": links}, hint=hint, intro=intro)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        """What shapes and colours stand for, as far as they occur."""
        both = ""
        if self._baseline(reading) is not None:
            both = say("Rings: the tokens {there}; dotted lines join each pair.", there=where_compared(reading))
        elif baseline_of(reading) is not None:  # vectors of another size, or words around the tokens
            both = say("Hold X to see the map {there}.", there=where_compared(reading))
        kinds, what = selection.units(reading).kinds, say(CHOICES[self.vectors][1])
        meanings = {
            "segment_a": say("Blue circle: sentence A."),
            "segment_b": say("Orange square: sentence B."),
            "special": say("Grey: special tokens."),
            "mask": say("Purple: masked."),
        }
        far = say("A triangle at the edge is a token farther away.") if self.charts["map"].far else ""
        legend = (meaning for kind, meaning in meanings.items() if kind in kinds)
        self._note.setText(" ".join(filter(None, (*legend, what, both, far))))

    def sentence(self, key: str, row: int, column: int | None) -> str:
        side, answer, reading = self.shown[key].rows, self.answer_of("map", self.reading), self.reading
        if reading is None or answer is None:
            return ""
        if side.number(row) >= 0:
            return say("{token} at position {position}", token=side.labels[row], position=side.number(row))
        other = row - len(self.selection.units(reading))
        if self.vectors in AROUND:
            cosine = numbers.decimal(answer[1].words[other].cosine, 4)
            return say("{word}: cosine {cosine}", word=side.labels[row], cosine=cosine)
        baseline = self._baseline(reading)
        token = "" if baseline is None else self.selection.units(baseline).labels[other]
        return say("{token} {there}", token=token, there=where_compared(reading))

    @property
    def traced(self) -> str:
        """The name of its vectors in a trace."""
        return "token_embeddings" if self.vectors == "token" else "embedding_sum"

    def script(self, key: str, title: str) -> str:
        """Of the tokens of the text alone."""
        has_others = self.vectors in AROUND or self.reading is None or self._baseline(self.reading) is not None
        return "" if has_others else super().script(key, title)

    def caption(self, key: str) -> dict[str, Any]:
        return {"title": say("Map of this text, large"), "settings": say(CHOICES[self.vectors][0])}
