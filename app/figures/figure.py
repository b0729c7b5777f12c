"""A picture that can be taken away: what is drawn, the numbers behind it, and a caption that says where they are from.

A room hands a card a function that makes the figure when somebody asks for it:

    card.set_figure(self._head_figure)

    def _head_figure(self) -> Figure | None:
        tokens = Axis("token that looks", labels), Axis("what it looks at", labels)
        return self.figure("Layer 1 · Head 4", [self._view], {"attention": Numbers(values, tokens)}, head=True)
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QScrollArea, QWidget

from bertcore.files import open_regular, read_bytes

from ..look import numbers, say
from ..state.model_info import ModelInfo
from ..state.readings import Reading
from ..state.selection import Selection

HASH_DIGITS = 8
SAMPLES, SAMPLE_BYTES = 64, 4096  # of each weights file: reading all of a large model would take seconds
LONGEST_TEXT = 300  # characters of a sentence in a caption


@dataclass(frozen=True, eq=False)
class Axis:
    """What an axis of an array counts, and a name for each place on it; without labels the places are numbered."""

    name: str
    labels: Sequence[str] | np.ndarray = ()
    first: int = 0  # the number of the first place, where there are no labels


@dataclass(frozen=True, eq=False)
class Numbers:
    """An array of one or more dimensions with an axis for each."""

    values: np.ndarray
    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        shape = tuple(len(axis.labels) or size for axis, size in zip(self.axes, self.values.shape, strict=True))
        if shape != self.values.shape:
            raise ValueError(f"labels for {shape}, values of {self.values.shape}")


Arrays = Mapping[str, Numbers]  # by name, as a saved file has them


def numbers_of(axis: str, labels: Sequence[str], values: Sequence[float] | np.ndarray) -> Numbers:
    """A number for each name, as a list of bars shows them."""
    return Numbers(np.asarray(values), (Axis(axis, labels),))


@dataclass(frozen=True)
class Picture:
    """Something to draw: its size in pixels of the screen, and a function that draws it with its corner at (0, 0)."""

    width: int
    height: int
    paint: Callable[[QPainter], None]
    widgets: Sequence[QWidget] = ()  # that it shows, if any


@dataclass(frozen=True, eq=False)
class Figure:
    """What is saved or copied."""

    title: str
    picture: Picture
    numbers: Arrays
    caption: str  # model and its hash, step, text, layer, head, settings
    source: str  # the model or run it is of, for the file's name
    hint: str = ""  # what rows and columns are; stands below the title
    frames: Mapping[str, Picture] = field(default_factory=dict)  # of an animation: what each shows, in order
    frame_ms: Sequence[int] = ()  # how long each is shown; empty: as long as it takes to read a picture
    mark_selected: Callable[[bool], object] = lambda _is_marked: None  # what a person has selected, in its widgets
    script: str = ""  # Python that makes the numbers with bertcore; empty: nobody has said how


def picture_of(widgets: Sequence[QWidget]) -> Picture:
    """Widgets of one window as they stand to each other on the screen, those that are hidden left out.

    What scrolls is there in full height: from its top, and what stands below is moved down.
    """
    shown = [widget for widget in widgets if not widget.isHidden()]
    return picture_at(shown, places_in_window(shown))


def picture_at(widgets: Sequence[QWidget], places: Sequence[QRect]) -> Picture:
    """Widgets at these places, each as large as it is."""
    whole = reduce(QRect.united, places, QRect())

    def paint(painter: QPainter) -> None:
        for widget, place in zip(widgets, places, strict=True):
            painter.save()
            painter.translate(place.topLeft() - whole.topLeft())
            # Without its background: the painter's device stays free of pixels, and text stays text.
            widget.render(painter, QPoint(0, 0), QRegion(), QWidget.RenderFlag.DrawChildren)
            painter.restore()

    return Picture(whole.width(), whole.height(), paint, widgets)


def places_in_window(widgets: Sequence[QWidget]) -> list[QRect]:
    """Where each stands with nothing scrolled."""
    stand = [_place_in_window(widget) for widget in widgets]
    places = [QRect(place) for place in stand]
    for area in dict.fromkeys(area for widget in widgets for area in _areas_around(widget)):
        bottom = _place_in_window(area).bottom()
        inside = [area.isAncestorOf(widget) for widget in widgets]
        hidden = max(place.bottom() for place, is_inside in zip(stand, inside, strict=True) if is_inside) - bottom
        for place, stands, is_inside in zip(places, stand, inside, strict=True):
            if not is_inside and stands.top() > bottom:
                place.translate(0, max(hidden, 0))
    return places


def _place_in_window(widget: QWidget) -> QRect:
    place = QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())
    for area in _areas_around(widget):
        place.translate(area.horizontalScrollBar().value(), area.verticalScrollBar().value())
    return place


def _areas_around(widget: QWidget) -> Iterator[QScrollArea]:
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            yield around
        around = around.parentWidget()


def caption_of(
    reading: Reading,
    selection: Selection,
    *,
    head: bool = False,
    token: bool = False,
    settings: str = "",
    plain: bool = False,
    by_token: bool = False,
    texts: bool = True,
    masks: bool = True,
    model: str = "",
) -> str:
    """Where a picture of a reading comes from, in one line.

    head: it is of the chosen layer and head. token: of the token that is looked at. settings: of the view itself.
    plain: of the model as it is, without the changes inside. by_token: of all tokens, whatever the view merges or
    leaves out. texts: of the sentences that were typed. masks: of the text with the masks in it, not as it was typed.
    model: what it is of, in place of the model that is open.
    """
    reading = reading.plain if plain else reading
    request, encoding = reading.request, reading.encoding
    parts = [model or model_text(request.model)]
    if head:
        parts.append(say("layer {layer}, head {head}", layer=selection.layer + 1, head=selection.head + 1))
    if token:
        position = min(selection.position, len(encoding) - 1)
        parts.append(say("token {position} “{token}”", position=position, token=reading.shown_tokens[position]))
    if texts:
        parts.append(pair_text(encoding.text_a, encoding.text_b))
        if masks and request.masked:
            parts.append(say("masked: {positions}", positions=", ".join(map(str, request.masked))))
        parts += request.what_if.described(reading.shown_tokens)
        parts += () if by_token else selection.token_view.notes
    return joined(*parts, settings)


def joined(*parts: str) -> str:
    """The parts of a caption that say something, in one line."""
    return " · ".join(part for part in parts if part)


def model_text(model: ModelInfo) -> str:
    """Name, hash and step of a model, for a caption."""
    found = model_hash(model.folder)
    name = f"{model.name} {found}" if found else model.name
    step = say("training step {step}", step=numbers.count(model.step))
    return name if model.step is None else joined(name, step)


def pair_text(a: str, b: str | None) -> str:
    """The two sentences, for a caption."""
    lines = (" ".join((text or "").split()) for text in (a, b))
    a, b = (line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…" for line in lines)
    return joined(f"A: {a}", f"B: {b}" if b else "")


def model_hash(folder: Path) -> str:
    """Eight hex digits that another model will hardly share: SHA-256 over config.json and samples of the weights.

    Empty where the files are gone.
    """
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix in (".safetensors", ".bin"))
        stamp = tuple((file.name, (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files)
        return _hash_of(folder, stamp)
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _hash_of(folder: Path, stamp: tuple[tuple[str, int, int], ...]) -> str:
    """stamp: name, size in bytes and time of change of each weights file; another stamp is hashed anew."""
    found = hashlib.sha256(read_bytes(folder / "config.json"))
    for name, size, _ in stamp:
        found.update(size.to_bytes(8, "little"))
        with open_regular(folder / name) as file:
            for place in np.linspace(0, max(size - SAMPLE_BYTES, 0), SAMPLES, dtype=np.int64).tolist():
                file.seek(place)
                found.update(file.read(SAMPLE_BYTES))
    return found.hexdigest()[:HASH_DIGITS]


def file_name(figure: Figure, room: str = "") -> str:
    """A name for the figure's files, without ending: `bertscope-mini-attend-layer-1-head-4`. Each thing once."""
    title = figure.title.replace(figure.source, "") if figure.source else figure.title
    words = " ".join((figure.source, "" if title.lower().startswith(room) else room, title))
    return re.sub(r"[^\w]+", "-", words.replace("’", "")).strip("-").lower()[:100] or "figure"
