"""Where each part of the map leads."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ...look.say import mark
from .plan import MapPart


class Door(NamedTuple):
    """Where a part leads."""

    room: str
    view: str


SECTIONS = {  # name -> title, room's name, where it leads
    "cut": (mark("Cut"), mark("Vocabulary"), Door("embed", "vocabularies")),
    "add": (mark("Add"), mark("Embed"), Door("embed", "parts")),
    "look": (mark("Look around"), mark("Attend"), Door("attend", "matrix")),
    "think": (mark("Think it over"), mark("Layers"), Door("layers", "neurons")),
    "answer": (mark("Answer"), mark("Predict"), Door("predict", "words")),
}
DOORS = {
    "word": Door("embed", "vocabularies"),
    "token": Door("embed", "parts"),
    "embedding": Door("embed", "parts"),
    "head": Door("attend", "matrix"),
    "attention_sum": Door("layers", "added"),
    "feed_forward": Door("layers", "neurons"),
    "feed_forward_sum": Door("layers", "added"),
    "layer": Door("layers", "steps"),
    "state": Door("layers", "hidden"),
    "answer": Door("predict", "words"),
    "verdict": Door("predict", "words"),
}


def door_of(part: MapPart, masked: Collection[int]) -> Door:
    """masked: positions; what a layer makes of a mask is shown in Predict."""
    if part.kind == "section":
        return SECTIONS[part.name][2]
    if part.kind == "state" and part.position in masked:
        return Door("predict", "lens")
    return DOORS[part.kind]
