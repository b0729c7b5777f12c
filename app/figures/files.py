"""Figures as bytes: PNG, SVG and PDF with real text; CSV and NPZ. And the one place where they are written."""

import csv
import io
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter

from bertcore.errors import BertcoreError, shortened
from bertcore.files import reason_of, write_atomic

from ..look import say, theme
from ..look.say import plain
from .figure import Figure, Numbers

MARGIN_PX, GAP_PX = 16, 8
MOST_PATH = 200  # characters of a path that a sentence quotes
LEAST_WIDTH_PX = 360  # a narrower picture still has a caption that can be read
PIXELS_PER_PIXEL = 2  # of a PNG: sharp on paper and on fine screens
DOTS_PER_INCH = 96  # what a pixel of the screen is taken for
POINTS_PER_INCH = 72
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
Maker = Callable[[Figure], bytes]  # of a file


class Sheet:
    """A figure laid out: title and hint above the picture, the caption below; without a title the picture alone."""

    def __init__(self, figure: Figure) -> None:
        margin = theme.px(MARGIN_PX) if figure.title else 0
        gap, picture = theme.px(GAP_PX), figure.picture
        width = max(picture.width, theme.px(LEAST_WIDTH_PX) if figure.title else 0)
        self._texts: list[tuple[QRectF, str, QFont, str]] = []

        def height_at(y: float, text: str, font: QFont, color: str) -> float:
            if not text:
                return 0.0
            height = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 1e6), int(WRAPPED), text).height()
            # A little more room than was measured: on another device the same words may run slightly wider.
            self._texts.append((QRectF(margin, y, width + 4, height + 2), text, font, color))
            return height + gap

        y = margin + height_at(margin, figure.title, theme.font(13, bold=True), "ink")
        y += height_at(y, figure.hint, theme.font(12), "muted")
        self._corner, self._picture = QPointF(margin, y), picture
        y += picture.height
        y += height_at(y + gap, figure.caption, theme.font(11), "muted")
        self.size = QSize(width + 2 * margin, round(y + margin))

    def paint(self, painter: QPainter) -> None:
        """Draws all of it with its corner at (0, 0)."""
        painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), theme.color("card"))
        for box, text, font, color in self._texts:
            painter.setFont(font)
            painter.setPen(theme.color(color))
            painter.drawText(box, int(WRAPPED), text)
        painter.translate(self._corner)
        self._picture.paint(painter)


def image_of(figure: Figure, fine: int = PIXELS_PER_PIXEL) -> QImage:
    """The figure in pixels, twice as fine as on the screen."""
    sheet = Sheet(figure)
    image = QImage(sheet.size * fine, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(fine)
    with theme.painter(image) as painter:
        sheet.paint(painter)
    image.setText("Description", figure.caption)
    return image


def png_of(image: QImage) -> bytes:
    buffer = memory_buffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg(figure: Figure, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    from PySide6.QtSvg import QSvgGenerator

    sheet, buffer = Sheet(figure), memory_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(dots_per_inch)
    generator.setSize(sheet.size)
    generator.setViewBox(QRectF(0, 0, sheet.size.width(), sheet.size.height()))
    generator.setTitle(figure.title)
    generator.setDescription(figure.caption)
    with QPainter(generator) as painter:
        sheet.paint(painter)
    return bytes(buffer.data().data())


def pdf(figure: Figure, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """One page of the figure's size."""
    sheet, buffer = Sheet(figure), memory_buffer()
    writer = QPdfWriter(buffer)
    writer.setResolution(dots_per_inch)
    page = QSizeF(sheet.size) * (POINTS_PER_INCH / dots_per_inch)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(figure.title)
    with QPainter(writer) as painter:
        sheet.paint(painter)
    return bytes(buffer.data().data())


def new_folder(parent: Path, name: str) -> Path:
    """Of this name, or the first with a number behind it, that is not there yet."""
    names = (f"{name}-{number}" if number > 1 else name for number in count(1))
    return next(parent / name for name in names if not (parent / name).exists())


def make_folder(folder: Path) -> None:
    """And those above it. Raises BertcoreError in one sentence."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = "{folder} could not be written: {why}. Choose another place for it."
        raise BertcoreError(say(text, folder=folder, why=reason_of(error))) from error


def memory_buffer() -> QBuffer:
    """Open for writing; `data()` has what was written."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def table(figure: Figure, separator: str = ",") -> str:
    """All numbers as text: comment lines with title and caption, then a table for each array.

    More than two dimensions are written as one table for each place on the first axes.
    """
    out = io.StringIO()
    for line in (figure.title, figure.caption):
        out.write(f"# {' '.join(line.split())}\n" if line else "")
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    for name, numbers in figure.numbers.items():
        axes, first = numbers.axes, max(numbers.values.ndim - 2, 0)
        labels = [[str(label) for label in _places(numbers, axis)] for axis in range(len(axes))]
        for places in np.ndindex(numbers.values.shape[:first]):
            where = ", ".join(f"{axes[axis].name} {labels[axis][place]}" for axis, place in enumerate(places))
            out.write("\n# " + " · ".join(part for part in (name, where) if part) + "\n")
            rows, head = numbers.values[places], [f"{axes[first].name} \\ {axes[-1].name}", *labels[-1]]
            if rows.ndim == 1:
                rows, head = rows[:, None], [axes[0].name, name]
            writer.writerow(head)
            for label, row in zip(labels[first], rows, strict=True):
                numbers_in_row = (f"{value:.9g}" if isinstance(value, float) else value for value in row.tolist())
                writer.writerow([label, *numbers_in_row])
    return out.getvalue()


def _places(numbers: Numbers, axis: int) -> np.ndarray:
    """The names or numbers along an axis."""
    wanted, size = numbers.axes[axis], numbers.values.shape[axis]
    if not len(wanted.labels):
        return np.arange(wanted.first, wanted.first + size)
    return np.asarray([plain(label) if isinstance(label, str) else label for label in wanted.labels])


def npz(figure: Figure) -> bytes:
    """Each array under its name, the names on its axes as `name.axis`, and title and caption."""
    arrays: dict[str, np.ndarray] = {"title": np.array(figure.title), "caption": np.array(figure.caption)}
    for name, numbers in figure.numbers.items():
        arrays[name] = numbers.values
        for number, axis in enumerate(numbers.axes):
            arrays[f"{name}.{axis.name}"] = _places(numbers, number)
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return out.getvalue()


PICTURES: dict[str, Maker] = {".png": lambda figure: png_of(image_of(figure)), ".svg": svg, ".pdf": pdf}
NUMBERS: dict[str, Maker] = {
    ".csv": lambda figure: table(figure).encode("utf-8-sig", "replace"),  # the mark tells spreadsheets that it is UTF-8
    ".npz": npz,
}


def save_figure(figure: Figure, file: Path, makers: Mapping[str, Maker] = PICTURES | NUMBERS) -> None:
    """Writes a picture or numbers, as the file's ending says. Raises BertcoreError in one sentence.

    makers: ending -> what writes it.
    """
    maker = makers.get(file.suffix.lower())
    if maker is None:
        known = ", ".join(ending.removeprefix(".") for ending in makers)
        raise BertcoreError(f"{file.name} cannot be saved: its name must end in one of {known}.")
    write_whole(file, maker(figure))


def write_whole(file: Path, content: bytes | str, encoding: str = "utf-8") -> None:
    """Written aside and moved into place, so that what stood there is lost only for something complete.

    Half a character (a lone surrogate, which a paste can bring) is written as a question mark.
    """
    content = content.encode(encoding, "replace") if isinstance(content, str) else content
    try:
        write_atomic(file, content, follow=True)
    except OSError as error:
        sentence = (
            f"{shortened(str(file), MOST_PATH)} could not be written: {reason_of(error)}. Choose another place for it."
        )
        raise BertcoreError(sentence) from error
