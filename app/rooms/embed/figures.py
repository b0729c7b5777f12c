"""The numbers behind the pictures of the room Embed, for files and the clipboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.compute.geometry import Tables
from app.figures.figure import Axis, Numbers, numbers_of

if TYPE_CHECKING:
    from app.rooms.embed.parts import Length, Part
    from app.rooms.embed.two_cuts import TwoCuts
    from bertcore.analysis.nearest import NearWord


def strips_numbers(parts: Sequence[Part], tokens: Sequence[str]) -> dict[str, Numbers]:
    """Each strip that is there (U, columns)."""
    axes = Axis("token", tokens), Axis("dimension")
    return {part.words: Numbers(part.values, axes) for part in parts if part.values is not None}


def token_numbers(lengths: Sequence[Length], near: Sequence[NearWord]) -> dict[str, Numbers]:
    """Lengths and shares of a token's parts, and the words nearest to it by both measures."""
    shared = [one for one in lengths if one.share is not None]
    words = [word.word for word in near]
    return {
        "length": numbers_of("part", [one.name for one in lengths], [one.length for one in lengths]),
        "share": numbers_of(
            "part", [one.name for one in shared], [one.share for one in shared if one.share is not None]
        ),
        "cosine": numbers_of("word", words, [word.cosine for word in near]),
        "distance": numbers_of("word", words, [word.distance for word in near]),
    }


def positions_numbers(tables: Tables) -> dict[str, Numbers]:
    return {"cosine": Numbers(tables.position_cosines, (Axis("position"), Axis("other position")))}


def segments_numbers(segments: np.ndarray) -> dict[str, Numbers]:
    """segments (2,E)."""
    return {"segment": Numbers(segments, (Axis("segment", ("A", "B")), Axis("dimension")))}


def map_numbers(points: np.ndarray, names: Sequence[str]) -> dict[str, Numbers]:
    """points (P,2)."""
    axes = Axis("token", names), Axis("component", ("first", "second"))
    return {"place": Numbers(points, axes)}


def cuts_numbers(cuts: TwoCuts, texts: Sequence[str], names: tuple[str, str]) -> dict[str, Numbers]:
    """texts: what is typed in each stretch. Into how many tokens each vocabulary cuts it."""
    counts = np.array([(len(one.first), len(one.second)) for one in cuts.stretches]).reshape(-1, 2)
    return {"tokens": Numbers(counts, (Axis("text", texts), Axis("vocabulary", names)))}
