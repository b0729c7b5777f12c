"""A hand-out for a class about one text: what the model predicts, every head as a picture, two of them large.

In one folder: the sheet with lines to write on and the same with answers, each as PDF and as one HTML file that needs
no network, and each head as a PNG with its words, beside a contact sheet of all.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QFileDialog, QWidget

from bertcore.analysis.attention_heads import classify_heads, clearest_head
from bertcore.errors import BertcoreError
from bertcore.tokenizer.text_spans import joined, places_of

from ..figures.figure import model_text
from ..figures.files import DOTS_PER_INCH, memory_buffer, png_of, write_whole
from ..look import numbers, theme
from ..look.say import mark, say
from ..state.explore_state import ExploreState
from ..state.readings import MaskReading, Reading
from ..state.selection import Selection
from ..state.token_units import Units
from ..state.verdicts import verdict_of
from ..widgets.charts.cells import LabelledGrid, Labels
from ..widgets.charts.raster import Raster

Head = tuple[int, int]  # layer and head, from 0
HEAD_PX, LARGE_PX = 460, 600  # side of a head's picture in its file, and on the sheet
SMALL_PX, GAP_PX = (24, 140), 6  # among all heads: its side at least and at most, and the space around it
FINE = 2  # pixels of a picture for each pixel of these: sharp on paper
GUESSES = 5
BLANK = "_" * 18  # to write on
COLUMN_PX = 165  # of a table, on both sheets
PAGE_PX, MARGIN_PX = 640, 57  # room for pictures on an A4 page at 96 dots per inch, and 15 mm around it
KIND_TITLES = {
    "previous token": mark("looks at the previous token"),
    "next token": mark("looks at the next token"),
    "same token": mark("looks at the token itself"),
    "same word in the other sentence": mark("looks at the same word in the other sentence"),
    "same word elsewhere": mark("looks at the same word elsewhere"),
    "[CLS]/[SEP] sink": mark("looks mostly at special tokens"),
    "local": mark("looks at tokens close by"),
    "broad": mark("spreads its attention widely"),
    "mixed": mark("does no one thing"),
}


@dataclass(frozen=True)
class LabSheet:
    """Everything on the sheet; pictures by the name of their file."""

    html: str  # with lines to write on
    answers: str  # the same with the answers
    pictures: dict[str, QImage]

    def write(self, folder: Path) -> list[Path]:
        """Write all files into `folder`, which is made where need be. Raises BertcoreError where that cannot be."""
        try:
            (folder / "heads").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise BertcoreError(f"{folder} could not be written: {why}. Choose another place for it.") from error
        files = {f"heads/{name}": png_of(image) for name, image in self.pictures.items()}
        for name, html in (("lab-sheet", self.html), ("lab-sheet-answers", self.answers)):
            files[f"{name}.html"] = self._with_pictures(html).encode("utf-8", "replace")
            files[f"{name}.pdf"] = self._pdf(html)
        for name, content in files.items():
            write_whole(folder / name, content)
        return [folder / name for name in files]

    def _with_pictures(self, html: str) -> str:
        for name, image in self.pictures.items():
            if f'src="{name}"' in html:
                data = base64.b64encode(png_of(image)).decode()
                html = html.replace(f'src="{name}"', f'src="data:image/png;base64,{data}"')
        return html

    def first_page(self, html: str) -> QImage:
        """As it is printed, to be looked at on a screen."""
        width, height = PAGE_PX + 2 * MARGIN_PX, round((PAGE_PX + 2 * MARGIN_PX) * math.sqrt(2))
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        document = self._document(html)
        document.setPageSize(QSizeF(PAGE_PX, height - 2 * MARGIN_PX))
        with QPainter(image) as painter:
            painter.translate(MARGIN_PX, MARGIN_PX)
            document.drawContents(painter, QRectF(0, 0, PAGE_PX, height - 2 * MARGIN_PX))
        return image

    def _pdf(self, html: str) -> bytes:
        buffer = memory_buffer()
        writer = QPdfWriter(buffer)
        writer.setResolution(DOTS_PER_INCH)  # a pixel is what it is on the screen; pictures stay as fine as they are
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF(15, 15, 15, 15))
        document = self._document(html)
        document.setPageSize(QSizeF(writer.width(), writer.height()))  # else printing adds margins of its own
        document.print_(writer)
        return bytes(buffer.data().data())

    def _document(self, html: str) -> QTextDocument:
        document = QTextDocument()
        with theme.on_paper():
            document.setDefaultFont(theme.font(13))
        for name, image in self.pictures.items():
            document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        document.setHtml(html)
        return document


def save_lab_sheet(state: ExploreState, parent: QWidget) -> str:
    """Ask for a folder and write the sheet of what is on show into a new one below it.

    Returns a sentence about what was written, empty where the person thought better of it. Raises BertcoreError where
    there is nothing to write, or it cannot be written.
    """
    reading = state.reading
    if reading is None:
        raise BertcoreError(say("There is no text yet that the model has read; type one first."))
    title = say("Choose a folder for the lab sheet")
    chosen = QFileDialog.getExistingDirectory(parent, title)
    if not chosen:
        return ""
    folder = new_folder(Path(chosen))
    lab_sheet(reading, state.selection).write(folder)
    return say("Saved the lab sheet in {folder}", folder=folder)


def new_folder(parent: Path) -> Path:
    """`lab-sheet`, or the first with a number behind it that is not there yet."""
    names = (f"lab-sheet-{number}" if number > 1 else "lab-sheet" for number in count(1))
    return next(parent / name for name in names if not (parent / name).exists())


def lab_sheet(reading: Reading, selection: Selection) -> LabSheet:
    """Of the reading on show; one of the two large heads is the one that is looked at, the other the clearest."""
    with theme.on_paper():
        units = selection.units(reading)
        chosen = _two_heads(reading, selection)
        pictures = {_head_file(*head): _head_picture(reading, units, head, HEAD_PX) for head in _heads(reading)}
        pictures["all-heads.png"] = _contact_sheet(reading, units)
        for head in chosen:
            pictures[f"large-{_head_file(*head)}"] = _head_picture(reading, units, head, LARGE_PX)
        return LabSheet(_html(reading, chosen, False), _html(reading, chosen, True), pictures)


def _heads(reading: Reading) -> Iterator[Head]:
    layers, heads = reading.trace.attentions.shape[:2]
    return ((layer, head) for layer in range(layers) for head in range(heads))


def _two_heads(reading: Reading, selection: Selection) -> list[Head]:
    attentions = reading.trace.attentions
    looked_at = selection.layer, selection.head
    clearest = clearest_head(attentions, reading.encoding)
    if clearest == looked_at:  # then the next clearest
        others = attentions.copy()
        others[clearest] = 1 / others.shape[-1]
        clearest = clearest_head(others, reading.encoding)
    return list(dict.fromkeys([looked_at, clearest]))


# --- pictures


def _head_file(layer: int, head: int) -> str:
    return f"layer-{layer + 1:02}-head-{head + 1:02}.png"


def _head_picture(reading: Reading, units: Units, head: Head, side_px: int) -> QImage:
    """One head with its words on both sides."""
    grid = LabelledGrid("", square=True, tilted=True)
    grid.resize(side_px, side_px)
    values = units.attention(reading.trace.attentions[head])
    labels = Labels(units.labels, units.kinds)
    grid.set_grid(values, labels, labels, 0.0, float(values.max(initial=0.0)))
    image = _blank(side_px, side_px)
    grid.render(image, renderFlags=QWidget.RenderFlag.DrawChildren)  # without the window's background
    return image


def _contact_sheet(reading: Reading, units: Units) -> QImage:
    """All heads, a layer in each row, every head with its own colour scale."""
    layers, heads = reading.trace.attentions.shape[:2]
    least, most = SMALL_PX
    step, top = min(max(PAGE_PX // (heads + 1), least), most) + GAP_PX, 22
    side = step - GAP_PX
    image = _blank((heads + 1) * step, top + layers * step)
    with QPainter(image) as painter:
        painter.setFont(theme.font(11))
        painter.setPen(theme.color("muted"))
        for head in range(heads):
            painter.drawText(QRectF((head + 1) * step, 0, side, top), Qt.AlignmentFlag.AlignCenter, str(head + 1))
        for layer in range(layers):
            painter.drawText(QRectF(0, top + layer * step, side, side), Qt.AlignmentFlag.AlignCenter, str(layer + 1))
            for head in range(heads):
                values = units.attention(reading.trace.attentions[layer, head])
                place = QRectF((head + 1) * step, top + layer * step, side, side)
                Raster(values, 0.0, float(values.max(initial=0.0))).paint(painter, place)
                painter.drawRect(place)
    return image


def _blank(width: int, height: int) -> QImage:
    image = QImage(width * FINE, height * FINE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(FINE)
    image.fill(theme.color("card"))
    return image


# --- words


def _html(reading: Reading, chosen: Sequence[Head], with_answers: bool) -> str:
    name, date = say("Name"), say("Date")
    title = say("Lab sheet, with answers") if with_answers else say("Lab sheet")
    parts = [
        f"<h1>{escape(title)}</h1>",
        "" if with_answers else _paragraph(f"{name} {BLANK * 2}\u2003{date} {BLANK}"),
        _paragraph(model_text(reading.request.model)),
        _texts(reading, with_answers),
        *_predictions(reading, with_answers),
        *_all_heads(reading, with_answers),
    ]
    for head in chosen:
        parts += _large_head(reading, head, with_answers)
    style = "body { font-family: Roboto, sans-serif; max-width: 48em; margin: 2em auto; } td, th { padding: 4px 12px; }"
    head_tag = f'<head><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style></head>'
    return f"<!DOCTYPE html><html>{head_tag}<body>{''.join(parts)}</body></html>"


def _texts(reading: Reading, with_answers: bool) -> str:
    encoding, mask = reading.encoding, reading.request.model.tokenizer.mask_token or ""
    texts = {"a": encoding.text_a, "b": encoding.text_b or ""}
    words: list[str] = []
    for place in reversed(joined(places_of(encoding, reading.request.by_hand))):  # so that places stay true
        text = texts[place.part]
        words.insert(0, text[place.start : place.stop])
        texts[place.part] = f"{text[: place.start]}{mask}{text[place.stop :]}"
    rows = [("A", texts["a"]), ("B", texts["b"])]
    cells = "".join(f"<tr><td><b>{name}</b></td><td>{escape(text)}</td></tr>" for name, text in rows if text)
    hidden = say("Hidden: {words}", words=", ".join(words))
    answers = _paragraph(hidden) if with_answers and words else ""
    return f"<table>{cells}</table>{answers}" + _paragraph(" ".join(reading.shown_tokens))


def _predictions(reading: Reading, with_answers: bool) -> Iterator[str]:
    yield _title(say("1. What does the model predict?"))
    if not reading.masks:
        yield _paragraph(say("No word is masked in this text."))
    elif not with_answers:
        yield _paragraph(say("Write your five guesses before you look at the model’s (in BERTscope: Predict > Words)."))
    for mask in reading.masks:
        yield _mask_table(reading, mask, with_answers)
    verdict = verdict_of(reading)
    if reading.next_sentence is not None and verdict is not None:
        model = verdict.short if with_answers else BLANK
        yield _paragraph(say("Does B follow A? You (in %): {line} The model: {model}", line=BLANK, model=model))


def _mask_table(reading: Reading, mask: MaskReading, with_answers: bool) -> str:
    tokens, start, stop = reading.shown_tokens, max(0, mask.position - 6), mask.position + 4
    around = " ".join([*(["…"] if start else []), *tokens[start:stop], *(["…"] if stop < len(tokens) else [])])
    heads = (say("your guess"), say("the model’s guess"), say("probability"))
    rows = "".join(
        f"<tr><td>{BLANK}</td><td>{escape(word.token) if with_answers else BLANK}</td>"
        f"<td>{numbers.percent(word.probability) if with_answers else BLANK}</td></tr>"
        for word in mask.words[:GUESSES]
    )
    top = "".join(f"<th align='left' width='{COLUMN_PX}'>{escape(name)}</th>" for name in heads)
    return _paragraph(around) + f"<table width='{len(heads) * COLUMN_PX}'><tr>{top}</tr>{rows}</table>"


def _all_heads(reading: Reading, with_answers: bool) -> Iterator[str]:
    yield _title(say("2. All heads"), new_page=True)
    yield _paragraph(
        say(
            "A row for each layer, a column for each head. In a picture: row, the token that looks; column, what it "
            "looks at; darker, more."
        )
    )
    yield f'<p><img src="all-heads.png" width="{PAGE_PX}"></p>'
    yield _paragraph(say("Which heads look at the token just before? Which at the one just after?"))
    if not with_answers:
        yield _lines(3)
        return
    attentions = reading.trace.attentions
    kinds = classify_heads(attentions.reshape(-1, *attentions.shape[2:]), reading.encoding)
    found: dict[str, list[str]] = {}
    for (layer, head), kind in zip(_heads(reading), kinds, strict=True):
        found.setdefault(kind.kind, []).append(f"{layer + 1}·{head + 1}")
    rows = (
        f"<tr><td>{escape(say(KIND_TITLES[kind]))}</td><td>{', '.join(found[kind])}</td></tr>"
        for kind in KIND_TITLES
        if kind in found
    )
    yield f"<table>{''.join(rows)}</table>"


def _large_head(reading: Reading, head: Head, with_answers: bool) -> Iterator[str]:
    layer, number = head
    title = say("Layer {layer}, head {head}", layer=layer + 1, head=number + 1)
    yield _title(title, new_page=True)
    yield f'<p><img src="large-{_head_file(*head)}" width="{LARGE_PX}"></p>'
    yield _paragraph(say("What does this head seem to do? Which token pairs show it?"))
    if not with_answers:
        yield _lines(5)
        return
    kind = classify_heads(reading.trace.attentions[head][np.newaxis], reading.encoding)[0]
    words = say(KIND_TITLES[kind.kind])
    share = say("{share} of its attention", share=numbers.percent(kind.score))
    yield _paragraph(words if kind.kind in ("mixed", "broad") else f"{words}: {share}")


def _title(text: str, new_page: bool = False) -> str:
    style = ' style="page-break-before: always"' if new_page else ""
    return f"<h2{style}>{escape(text)}</h2>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _lines(count: int) -> str:
    return "".join(f"<p>{'_' * 70}</p>" for _ in range(count))
