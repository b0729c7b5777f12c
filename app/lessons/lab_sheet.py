"""A hand-out for a class about one text: what the model predicts, every head as a picture, two of them large.

In one folder: the sheet with lines to write on and the same with answers, each as PDF and as one HTML file that needs
no network, and each head as a PNG with its words, beside a contact sheet of all.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jinja2 import Environment
from PySide6.QtCore import QMarginsF, QSizeF
from PySide6.QtGui import QImage, QPageSize, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QFileDialog, QWidget

from bertcore.analysis.attention_heads import HeadKind, classify_heads, clearest_head
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.tokenizer.text_spans import joined, places_of

from ..figures.figure import model_text
from ..figures.files import DOTS_PER_INCH, make_folder, memory_buffer, new_folder, png_of, write_whole
from ..look import numbers, say, theme
from ..rooms.attend.atlas import HeadAtlas
from ..rooms.attend.attentions import KIND_NAMES, Attentions
from ..state import MaskReading, Reading, Selection, Units
from ..state.explore_state import ExploreState
from ..state.verdicts import verdict_of
from ..widgets.charts.cells import LabelledGrid, Labels

Head = tuple[int, int]  # layer and head, from 0
HEAD_PX, LARGE_PX = 460, 600  # side of a head's picture in its file, and on the sheet
FINE = 2  # pixels of a picture for each pixel of these: sharp on paper
GUESSES = 5
BLANK = "_" * 18  # to write on
COLUMN_PX = 165  # of a table, on both sheets
PAGE_PX = 640  # room for pictures on an A4 page at 96 dots per inch, with 15 mm around it


@dataclass(frozen=True)
class LabSheet:
    """Everything on the sheet; pictures by the name of their file. The pages have them as well, and need no file."""

    html: str  # with lines to write on
    answers: str  # the same with the answers
    pictures: dict[str, QImage]

    def write(self, folder: Path) -> list[Path]:
        """Write all files into `folder`, which is made where need be. Raises BertcoreError where that cannot be."""
        make_folder(folder / "heads")
        files = {f"heads/{name}": png_of(image) for name, image in self.pictures.items()}
        for name, html in (("lab-sheet", self.html), ("lab-sheet-answers", self.answers)):
            files[f"{name}.html"] = html.encode("utf-8", "replace")
            files[f"{name}.pdf"] = pdf_of(html)
        for name, content in files.items():
            write_whole(folder / name, content)
        return [folder / name for name in files]


def document_of(html: str) -> QTextDocument:
    """What is printed."""
    document = QTextDocument()
    with theme.on_paper():
        document.setDefaultFont(theme.font(13))
    document.setHtml(html)
    return document


def page_of(template: str, **values: object) -> str:
    """A page of HTML: a template in the assets, filled in."""
    text = (assets() / template).read_text(encoding="utf-8")
    return Environment(autoescape=True).from_string(text).render(say=say, **values)


def pdf_of(html: str) -> bytes:
    """A document of A4 pages."""
    buffer = memory_buffer()
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS_PER_INCH)  # a pixel is what it is on the screen; pictures stay as fine as they are
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(15, 15, 15, 15))
    document = document_of(html)
    document.setPageSize(QSizeF(writer.width(), writer.height()))  # else printing adds margins of its own
    document.print_(writer)
    return bytes(buffer.data().data())


def save_lab_sheet(state: ExploreState, parent: QWidget) -> str:
    """Ask for a folder and write the sheet of what is on show into a new one below it.

    Returns a sentence about what was written, empty where the person thought better of it. Raises BertcoreError where
    there is nothing to write, or it cannot be written.
    """
    reading = state.reading
    if reading is None:
        raise BertcoreError(say("There is no text yet that the model has read; type one first."))
    chosen = QFileDialog.getExistingDirectory(parent, say("Choose a folder for the lab sheet"))
    if not chosen:
        return ""
    folder = new_folder(Path(chosen), "lab-sheet")
    lab_sheet(reading, state.selection).write(folder)
    return say("Saved the lab sheet in {folder}", folder=folder)


def lab_sheet(reading: Reading, selection: Selection) -> LabSheet:
    """Of the reading on show; one of the two large heads is the one that is looked at, the other the clearest."""
    with theme.on_paper():
        units = selection.units(reading)
        looked_at, attentions = (selection.layer, selection.head), reading.trace.attentions
        chosen = list(dict.fromkeys([looked_at, clearest_head(attentions, reading.encoding, besides=looked_at)]))
        pictures = {
            _head_file(*head): _head_picture(reading, units, head, HEAD_PX)
            for head in np.ndindex(*reading.trace.attentions.shape[:2])
        }
        pictures["all-heads.png"] = _contact_sheet(reading, selection)
        for head in chosen:
            pictures[f"large-{_head_file(*head)}"] = _head_picture(reading, units, head, LARGE_PX)
        wanted = {name: image for name, image in pictures.items() if not name.startswith("layer-")}
        coded = {name: base64.b64encode(png_of(image)).decode() for name, image in wanted.items()}
        html, answers = (_html(reading, chosen, coded, has_answers) for has_answers in (False, True))
        return LabSheet(html, answers, pictures)


# --- pictures


def _head_file(layer: int, head: int) -> str:
    return f"layer-{layer + 1:02}-head-{head + 1:02}.png"


def _head_picture(reading: Reading, units: Units, head: Head, side_px: int) -> QImage:
    """One head with its words on both sides."""
    grid = LabelledGrid("", square=True, tilted=True)
    values = units.attention(reading.trace.attentions[head])
    labels = Labels(units.labels, units.kinds)
    grid.set_grid(values, labels, labels, 0.0, float(values.max(initial=0.0)))
    return _rendered(grid, side_px, side_px)


def _contact_sheet(reading: Reading, selection: Selection) -> QImage:
    """All heads, a layer in each row, every head with its own colour scale; a frame around the one looked at."""
    atlas = HeadAtlas()
    atlas.set_heads(Attentions(reading, selection.token_view).thumbnails())
    atlas.set_selected(selection.layer, selection.head)
    return _rendered(atlas, PAGE_PX, atlas.heightForWidth(PAGE_PX))


def _rendered(picture: QWidget, width: int, height: int) -> QImage:
    """Without the window's background."""
    picture.resize(width, height)
    image = QImage(width * FINE, height * FINE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(FINE)
    image.fill(theme.color("card"))
    picture.render(image, renderFlags=QWidget.RenderFlag.DrawChildren)
    return image


# --- words


def _html(reading: Reading, chosen: Sequence[Head], coded: Mapping[str, str], has_answers: bool) -> str:
    """assets/lab-sheet.html, filled in. coded: its pictures by name, as PNG in Base64."""
    attentions, verdict, (texts, hidden) = reading.trace.attentions, verdict_of(reading), _texts(reading)
    found = classify_heads(attentions.reshape(-1, *attentions.shape[2:]), reading.encoding)
    kinds = dict(zip(np.ndindex(*attentions.shape[:2]), found, strict=True))
    names = {title: [head for head, kind in kinds.items() if kind.kind == name] for name, title in KIND_NAMES.items()}
    return page_of(
        "lab-sheet.html",
        title=say("Lab sheet, with answers") if has_answers else say("Lab sheet"),
        has_answers=has_answers,
        blank=BLANK,
        model=model_text(reading.request.model),
        texts=texts,
        hidden=hidden,
        tokens=" ".join(reading.shown_tokens),
        masks=[_guesses(reading, mask) for mask in reading.masks],
        column_px=COLUMN_PX,
        verdict=verdict.short if reading.next_sentence is not None and verdict is not None else "",
        page_px=PAGE_PX,
        kinds=[(say(title), [f"{one + 1}·{head + 1}" for one, head in of]) for title, of in names.items() if of],
        all_heads=coded["all-heads.png"],
        large=[(*head, coded[f"large-{_head_file(*head)}"], _habit(kinds[head])) for head in chosen],
        large_px=LARGE_PX,
    )


def _texts(reading: Reading) -> tuple[list[tuple[str, str]], str]:
    """A and B as the model read them, and the words that were masked by hand."""
    encoding, mask = reading.encoding, reading.request.model.tokenizer.mask_token or ""
    texts = {"a": encoding.text_a, "b": encoding.text_b or ""}
    words: list[str] = []
    for place in reversed(joined(places_of(encoding, reading.request.by_hand))):  # so that places stay true
        text = texts[place.part]
        words.insert(0, text[place.start : place.stop])
        texts[place.part] = f"{text[: place.start]}{mask}{text[place.stop :]}"
    return [(part.upper(), text) for part, text in texts.items() if text], ", ".join(words)


def _guesses(reading: Reading, mask: MaskReading) -> tuple[str, list[tuple[str, str]]]:
    """The tokens around a mask, and the model's first guesses with their probabilities."""
    tokens, start, stop = reading.shown_tokens, max(0, mask.position - 6), mask.position + 4
    around = [*(["…"] if start else []), *tokens[start:stop], *(["…"] if stop < len(tokens) else [])]
    return " ".join(around), [(word.token, numbers.percent(word.probability)) for word in mask.words[:GUESSES]]


def _habit(kind: HeadKind) -> str:
    words = say(KIND_NAMES[kind.kind])
    share = say("{share} of its attention", share=numbers.percent(kind.score))
    return words if kind.kind in ("mixed", "broad") else f"{words}: {share}"
