"""View "Map": the text's vectors on a plane, on request with the words of the token table that lie near them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.analysis.vectors import Pca, pca

from ...compute.embedding import words_around
from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...look.say import say
from ...state.baseline_names import labels_beside, where_compared
from ...widgets.card import Card, label, note
from ...widgets.controls import Choice
from ...widgets.layouts import fill, vbox
from ...widgets.scatter import WORD, Points, Scatter
from ..view import View
from .embedding_parts import compared_reading

if TYPE_CHECKING:
    from bertcore.analysis.vectors import WordsAround
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import ReportOrCancel
    from ...state.readings import Reading
    from ...state.selection import Selection
    from ...state.token_units import TokenView
AROUND = {"one": 24, "all": 4}  # words around a token
MANY_TOKENS = 128  # from here on the map takes too long to be drawn anew at each key


@dataclass(frozen=True, eq=False)
class WordMap:
    """A map: the text's units, then the words around them."""

    plane: Pca
    around: WordsAround | None = None


def map_of_text(reading: Reading, view: TokenView, shown: str, _progress: ReportOrCancel) -> WordMap:
    """Of the baseline's tokens as well, where they have a place in the plane."""
    baseline, parts = baseline_on_map(reading, shown), [reading.units(view).vectors(_vectors(reading, shown))]  # (U,E)
    if baseline is not None:
        parts.append(baseline.units(view).vectors(_vectors(baseline, shown)))
    return WordMap(pca(np.concatenate(parts)))


def map_with_words(
    checkpoint: Checkpoint,
    reading: Reading,
    view: TokenView,
    groups: tuple[tuple[int, ...], ...],
    count: int,
    progress: ReportOrCancel,
) -> WordMap:
    """groups: token ids; around each stand the `count` words that are nearest to it."""
    around = words_around(checkpoint, groups, count, progress)
    vectors = reading.units(view).vectors(reading.trace.token_embeddings)  # (U,E)
    return WordMap(pca(np.concatenate([vectors, around.vectors])), around)


def baseline_on_map(reading: Reading, shown: str) -> Reading | None:
    """The baseline, where its tokens have a place in this plane."""
    baseline = compared_reading(reading)
    if baseline is None or shown in AROUND:
        return None
    return baseline if _vectors(baseline, shown).shape[1] == _vectors(reading, shown).shape[1] else None


def _vectors(reading: Reading, shown: str) -> np.ndarray:
    """(S,E)"""
    return reading.trace.embedding_sum if shown == "sum" else reading.trace.token_embeddings


class MapView(View):
    """One large picture."""

    def __init__(self) -> None:
        super().__init__()
        self._choices = {  # key -> name, note
            "sum": (
                say("The sum"),
                say(
                    "Token, segment and position vectors added up. The plane keeps the two directions in which they "
                    "differ most (PCA)."
                ),
            ),
            "token": (
                say("Token vectors"),
                say("Without segment and position, the same word is one point wherever it stands."),
            ),
            "one": (
                say("Token vectors, with words near the selected token"),
                say("Hollow: words of the vocabulary whose vectors point in a similar direction (cosine)."),
            ),
            "all": (
                say("Token vectors, with words near every token"),
                say("Hollow: for each token, the words whose vectors point in a similar direction (cosine)."),
            ),
        }
        self.shown = "sum"  # a key of _choices
        self.picture, self.choice = Scatter(say("Map of this text")), Choice(say("Which vectors the map shows"))
        self._note = note("")
        self.card = Card(say("Map of this text"), intro=say("Each dot is a token."))
        self.card.add_to_header(label(say("Show:"), "muted"))
        self.card.add_to_header(self.choice)
        self.card.set_figure(self._figure)
        fill(self.card.body, (self.picture, 1), self._note)
        for key, (name, _) in self._choices.items():
            self.choice.addItem(name, key)
        self.map = self.add_question(self._on_map_answered)
        vbox(self.card, parent=self)
        self.choice.activated.connect(lambda _index: self.show_vectors(str(self.choice.currentData())))
        self.add_token_menu(self.picture)
        self.picture.clicked.connect(self.click_unit)
        self.picture.hovered.connect(self._on_picture_hovered)

    def restore(self, kept: Any) -> None:
        self.shown = str(kept)
        self.choice.setCurrentIndex(list(self._choices).index(self.shown))

    def show_vectors(self, key: str) -> None:
        """key: "sum", "token", "one" (with words near the selected token) or "all" (near every token)."""
        self.restore(key)
        self.kept_changed.emit(key)
        if self.reading is not None:
            self.pause_ms = 0
            self.show_reading(self.reading, self.selection)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._note.setText(self._choices[self.shown][1])
        units = selection.units(reading)
        if not len(units):
            self.map.clear()
            self.picture.set_points(Points())
            self.card.set_hint(say("there are no tokens to show"))
        elif self.shown in AROUND:
            self._ask_around(reading, selection, self.pause_ms if self.shown == "all" else 0)
        else:
            pause_ms = self.pause_ms if len(units) >= MANY_TOKENS else 0
            self.map.ask(map_of_text, reading, selection.token_view, self.shown, pause_ms=pause_ms)
        self._show_selected(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self.shown == "one" and len(selection.units(reading)):
            self._ask_around(reading, selection, 0)
        self._show_selected(reading, selection)

    def _show_selected(self, reading: Reading, selection: Selection) -> None:
        unit = selection.unit(reading)
        if self.map.answer is not None and unit is not None:
            self.picture.set_selected([unit])

    def _ask_around(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        ids = reading.request.input_ids
        groups = [tuple(ids[i] for i in members) for members in selection.units(reading).members]
        wanted = [groups[selection.unit(reading) or 0]] if self.shown == "one" else list(dict.fromkeys(groups))
        asked = reading, selection.token_view, tuple(wanted), AROUND[self.shown]
        self.map.ask_model(reading.request.model, map_with_words, *asked, pause_ms=pause_ms)

    def _on_map_answered(self, word_map: WordMap) -> None:
        reading, view = self.reading, self.selection.token_view
        if reading is None:
            return
        units, around, theirs = self.selection.units(reading), word_map.around, baseline_on_map(reading, self.shown)
        words, links = list[str](), list[tuple[int, int]]()
        if around is not None:
            words = [reading.request.model.tokenizer.label(word.token_id) for word in around.words]
        if theirs is not None:
            places = reading.places_in_baseline(view)
            links = [(i, len(units) + place) for i, place in enumerate(places) if place is not None]
            words = labels_beside(reading, view)
        names, kinds = [*units.labels, *words], [*units.kinds, *[WORD] * len(words)]
        links = links if self.selection.wants_difference else []
        self.picture.set_points(Points(word_map.plane.points, names, kinds, links=links))
        self._show_selected(reading, self.selection)
        both = ""
        if theirs is not None:
            both = say("Rings: the tokens {there}; dotted lines join each pair.", there=where_compared(reading))
        elif compared_reading(reading) is not None:  # vectors of another size, or words around the tokens
            both = say("Hold X to see the map {there}.", there=where_compared(reading))
        far = say("A triangle at the edge is a token farther away.") if self.picture.far else ""
        self._note.setText(" ".join(filter(None, (legend(units.kinds), self._choices[self.shown][1], both, far))))
        share = numbers.percent(word_map.plane.kept)
        intro = say(
            "Each dot is a token. Near tokens tend to be alike: this flat picture shows {share} of the differences.",
            share=share,
        )
        count = say("%n vector(s)", n=len(names)) if words else ""
        variance = say("{share} of the variance", share=share)
        self.card.set_intro(intro)
        self.card.set_hint(joined(say("PCA"), count, variance, view.vectors_note))

    def _on_picture_hovered(self, point: int | None) -> None:
        text, word_map, reading = "", self.map.answer, self.reading
        if point is not None and word_map is not None and reading is not None:
            units = self.selection.units(reading)
            other, theirs = point - len(units), baseline_on_map(reading, self.shown)
            if other < 0:
                position = units.first_positions[point]
                text = say("{token} at position {position}", token=units.labels[point], position=position)
            elif word_map.around is not None:
                cosine = numbers.decimal(word_map.around.words[other].cosine, 4)
                text = say("{word}: cosine {cosine}", word=self.picture.points.names[point], cosine=cosine)
            elif theirs is not None:
                token = self.selection.units(theirs).labels[other]
                text = say("{token} {there}", token=token, there=where_compared(reading))
        self.hover_text_changed.emit(text)

    def _figure(self) -> Figure | None:
        points = self.picture.points
        if self.map.answer is None or not points.names:
            return None
        arrays = {"place": Numbers(points.places, (Axis("token", points.names), Axis("component", ("1", "2"))))}
        title, settings = say("Map of this text, large"), self._choices[self.shown][0]
        return self.figure(title, [self.picture], arrays, hint=self.card.hint, settings=settings)


def legend(kinds: Sequence[str]) -> str:
    """What the shapes and colours of the dots stand for, as far as they occur."""
    meanings = {
        "segment_a": say("Blue circle: sentence A."),
        "segment_b": say("Orange square: sentence B."),
        "special": say("Grey: special tokens."),
        "mask": say("Purple: masked."),
    }
    return " ".join(meaning for kind, meaning in meanings.items() if kind in kinds)
