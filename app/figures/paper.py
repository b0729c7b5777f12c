"""A figure as a paper prints it, with what its reader needs to check it: a folder.

    one-column.pdf   one-column.svg      3.3 inches wide
    two-columns.pdf  two-columns.svg     6.9 inches wide
    numbers.csv      caption.txt         what is drawn, and what it is of
    make_numbers.py                      makes the same numbers with bertcore, where a view says how

Type has 8 points whatever the width, colours can be told apart in grey, and the window's own words are left out.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ..look import theme
from .figure import Figure, Picture, file_name, picture_at, places_in_window
from .files import POINTS_PER_INCH, make_folder, new_folder, pdf, svg, table, write_whole

WIDTHS_IN = {"one-column": 3.3, "two-columns": 6.9}
TYPE_PX, TYPE_PT = 12, 8
DOTS_PER_INCH = POINTS_PER_INCH * TYPE_PX // TYPE_PT
GAP_PX, MOST_HIGH_PX = 6, 4 * DOTS_PER_INCH


def save_for_paper(figure: Figure, parent: Path, room: str = "") -> Path:
    """Writes all of it into a new folder below `parent`, which is returned. Raises BertcoreError in one sentence."""
    files: dict[str, bytes | str] = {"numbers.csv": table(figure), "caption.txt": f"{figure.caption}\n"}
    for name, inches in WIDTHS_IN.items():
        with on_paper(figure, inches) as printed:
            files[f"{name}.pdf"] = pdf(printed, DOTS_PER_INCH)
            files[f"{name}.svg"] = with_fonts(svg(printed, DOTS_PER_INCH).decode())
    if figure.script:
        files["make_numbers.py"] = figure.script
    folder = new_folder(parent, file_name(figure, room))
    make_folder(folder)
    for name, content in files.items():
        write_whole(folder / name, content)
    return folder


def with_fonts(picture: str) -> str:
    """An SVG with the faces that its text is in, some 200 kB each: it looks the same where they are not installed."""
    face = "@font-face{{font-family:Roboto;font-weight:{};src:url(data:font/ttf;base64,{})}}"
    used = [weight for weight in theme.FONTS if f'font-weight="{weight}"' in picture]
    faces = (face.format(weight, b64encode(theme.font_file(weight)).decode()) for weight in used)
    return picture.replace("<defs>", f"<style>{''.join(faces)}</style><defs>", 1)


@contextmanager
def on_paper(figure: Figure, inches: float) -> Iterator[Figure]:
    """The picture alone, so wide, to be painted meanwhile: its widgets have another size and look for so long.

    Where they need more room than that, all is drawn smaller, type too.
    """
    widgets = [widget for widget in figure.picture.widgets if not isinstance(widget, QLabel)]
    width = round(inches * DOTS_PER_INCH)
    sizes = [widget.size() for widget in widgets]
    stand = places_in_window(widgets)
    figure.mark_selected(False)
    try:
        with theme.on_paper(theme.PAPER, TYPE_PX):
            _have_new_look(widgets)
            picture = picture_at(widgets, _fit(widgets, stand, width)) if widgets else figure.picture
            yield replace(figure, title="", hint="", caption="", picture=_of_width(picture, width))
    finally:  # whatever went wrong while it was painted
        for widget, size in zip(widgets, sizes, strict=True):
            widget.resize(size)
        figure.mark_selected(True)
        _have_new_look(widgets)


def _have_new_look(widgets: Sequence[QWidget]) -> None:
    """As after a change of the theme."""
    for widget in widgets:
        for part in (widget, *widget.findChildren(QWidget)):
            QCoreApplication.sendEvent(part, QEvent(QEvent.Type.PaletteChange))


def _fit(widgets: Sequence[QWidget], stand: Sequence[QRect], width: int) -> list[QRect]:
    """Resizes widgets for a picture of this width. Returns their places: they stand to each other as in the window."""
    rows: list[list[int]] = []  # of widgets side by side, from the left
    for at in sorted(range(len(widgets)), key=lambda at: (stand[at].top(), stand[at].left())):
        is_beside = rows and stand[at].top() < min(stand[one].center().y() for one in rows[-1])
        rows[-1].append(at) if is_beside else rows.append([at])
    places, top = list(stand), 0
    for row in rows:
        row.sort(key=lambda at: stand[at].left())
        room, together = width - GAP_PX * (len(row) - 1), sum(stand[at].width() for at in row)
        left, below = 0, top
        for at in row:
            wide = room * stand[at].width() // together
            places[at] = QRect(left, top, *_resized(widgets[at], wide).toTuple())
            left, below = places[at].right() + 1 + GAP_PX, max(below, places[at].bottom() + 1)
        top = below + GAP_PX
    return places


def _resized(widget: QWidget, width: int) -> QSize:
    """Its new size: so wide, in the proportions that it has, and with room for all that it shows."""
    is_fixed = widget.sizePolicy().verticalPolicy() in (QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)
    in_proportion = min(widget.height() * width // max(widget.width(), 1), MOST_HIGH_PX)
    height = widget.height() if is_fixed else in_proportion
    widget.resize(width, height)
    least = widget.minimumSizeHint()
    height = max(height, widget.heightForWidth(width), (widget.sizeHint() if is_fixed else least).height())
    widget.resize(max(width, least.width()), height)
    layout = widget.layout()
    if layout is not None:  # of a legend that needs another line now
        layout.activate()
    return widget.size()


def _of_width(picture: Picture, width: int) -> Picture:
    """What is wider is drawn smaller."""
    scale = min(width / max(picture.width, 1), 1.0)

    def paint(painter: QPainter) -> None:
        painter.scale(scale, scale)
        picture.paint(painter)

    return Picture(width, round(picture.height * scale), paint)
