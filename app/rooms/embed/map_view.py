"""View "Map": the text's vectors on a plane, if wished with the words of the token table that lie around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QVBoxLayout

from app.figures.figure import Figure
from app.rooms.embed.figures import map_numbers
from app.rooms.embed.map_picture import EMPTY, WORD, MapPicture, Points
from app.rooms.embed.view import EmbedView
from app.widgets.card import Card, label
from app.widgets.controls import Choice
from bertcore.analysis.vectors import Pca, pca

if TYPE_CHECKING:
    from app.rooms.embed.room import EmbedRoom
    from app.state.readings import Reading, Step
    from app.state.token_units import Units
    from bertcore.analysis.nearest import WordsAround
    from bertcore.checkpoint.checkpoint import Checkpoint

KEPT = "embed.map"  # what a window built anew finds in the state
AROUND_ONE, AROUND_ALL = 24, 4  # words around a token
NOTES = {
    "sum": "Token, segment and position added up. The plane keeps the two directions in which they differ most (PCA).",
    "token": "Without segment and position: the same word is one point wherever it stands.",
    "one": "Hollow: words of the vocabulary whose vectors point in nearly the same direction (cosine).",
    "all": "Hollow: for each token the words whose vectors point in nearly the same direction (cosine).",
}
CHOICES = {
    "sum": "The sum",
    "token": "Token vectors",
    "one": "Token vectors, and words near the chosen token",
    "all": "Token vectors, and words near all tokens",
}


@dataclass(frozen=True, eq=False)
class Found:
    """A map, and the words on it behind the text's units."""

    units: Units
    map: Pca
    around: WordsAround | None = None


class MapView(EmbedView):
    """One large picture."""

    def __init__(self, room: EmbedRoom) -> None:
        super().__init__(room)
        self.picture, self.choice = MapPicture(), Choice("Which vectors the map shows")
        kept = room.state.kept.get(KEPT)
        self.shown = str(kept) if kept in CHOICES else "sum"
        self.found: Found | None = None
        self._note = label("", "muted", wrap=True)
        self.card = Card("Map of this text")
        self.card.add_to_header(self.choice)
        self.card.set_figure(self._figure)
        self.card.body.addWidget(self.picture, 1)
        self.card.body.addWidget(self._note)
        for key, name in CHOICES.items():
            self.choice.addItem(name, key)
        self.choice.setCurrentIndex(list(CHOICES).index(self.shown))
        self._around = self.add_question("embed.around", self._show)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.card)
        self.choice.activated.connect(lambda _index: self.show_vectors(str(self.choice.currentData())))
        self.picture.clicked.connect(self.focus_unit)
        self.picture.told.connect(room.hover_text_changed)

    def show_vectors(self, key: str) -> None:
        """One of CHOICES."""
        self.shown = self.room.state.kept[KEPT] = key
        self.choice.setCurrentIndex(list(CHOICES).index(key))
        if self.room.state.reading is not None:
            self.draw_reading(self.room.state.reading)

    def draw_reading(self, reading: Reading) -> None:
        units = self.units
        self._note.setText(NOTES[self.shown])
        if units is None:
            self._around.forget()
            self.picture.set_points(EMPTY)
            self.card.set_hint("there are no tokens to show")
        elif self.shown in ("one", "all"):
            self._ask_around(reading, units)
        else:
            self._around.forget()
            trace = reading.trace
            vectors = units.vectors(trace.embedding_sum if self.shown == "sum" else trace.token_embeddings)
            key = (self.shown, units)
            if self.found is None:
                self.card.set_hint("is being worked out")
            self.work_out("embed.large_map", lambda: (key, Found(units, pca(vectors))), len(units))

    def draw_focus(self, reading: Reading) -> None:
        if self.shown == "one" and self.units is not None:
            self._ask_around(reading, self.units)
        if self.found is not None and self.found.units is self.units:
            self.picture.set_current(self.unit)

    def show_answer(self, kind: str, answer: Any) -> None:
        super().show_answer(kind, answer)
        if kind == "embed.large_map" and answer[0] == (self.shown, self.units):
            self._show(answer[1])

    def leave(self) -> None:
        super().leave()
        self.found = None  # it has a text's units

    def _ask_around(self, reading: Reading, units: Units) -> None:
        ids, finder = reading.request.input_ids, self.room.finder
        groups = [tuple(ids[i] for i in members) for members in units.members]
        wanted = [groups[self.unit]] if self.shown == "one" else list(dict.fromkeys(groups))
        count = AROUND_ONE if self.shown == "one" else AROUND_ALL
        vectors = units.vectors(reading.trace.token_embeddings)

        def answer(checkpoint: Checkpoint, step: Step) -> Found:
            around = finder.words_of(checkpoint).around(wanted, count, "cosine", step)
            return Found(units, pca(np.concatenate([vectors, around.vectors])), around)

        pause_ms = 0 if self.shown == "one" else 200
        self._around.want((reading.request.model, units, tuple(wanted)), answer, pause_ms)
        if self.found is None and self._around.answer is not None:  # there since the page was open last
            self._show(self._around.answer)

    def _show(self, found: Found) -> None:
        if found.units is not self.units:
            return
        self.found = found
        units, around, model = found.units, found.around, self.room.state.model
        names, kinds = list(units.labels), list(units.kinds)
        hints = [f"{name} at position {at}" for name, at in zip(names, units.first_positions, strict=True)]
        if around is not None and model is not None:
            words = [model.tokenizer.label(word.token_id) for word in around.words]
            names, kinds = [*names, *words], [*kinds, *[WORD] * len(words)]
            hints += [f"{word}: cosine {one.cosine:.4f}" for word, one in zip(words, around.words, strict=True)]
        self.picture.set_points(Points(found.map.points, names, kinds, hints))
        self.picture.set_current(self.unit)
        count = f"{len(names)} vectors · " if around is not None else ""
        self.card.set_hint(f"PCA · {count}{found.map.kept:.0%} of the variance{self.merged_note()}")

    def _figure(self) -> Figure | None:
        points = self.picture.points
        if not points.names:
            return None
        settings = CHOICES[self.shown].lower()
        numbers = map_numbers(points.places, points.names)
        return self.room.figure(
            "Map of this text, large", [self.picture], numbers, hint=self.card.hint, settings=settings
        )
