"""Figures that move, as bytes: GIF and WebP by Pillow, and an HTML page with its frames inside."""

import base64
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QImage

from bertcore.locations import assets

from ..look import say
from .figure import Figure
from .files import Maker, image_of, table

if TYPE_CHECKING:
    from PIL.Image import Image

FRAME_MS, LAST_MS = 700, 2500
FAST_MS, FAST_FROM = 250, 16  # where there are more frames than that
COLORS_OF = 3  # frames that the colours of a GIF are chosen for


def durations_ms(figure: Figure) -> list[int]:
    """How long each frame is shown."""
    if figure.frame_ms:
        return list(figure.frame_ms)
    each = FRAME_MS if len(figure.frames) <= FAST_FROM else FAST_MS
    return [each] * (len(figure.frames) - 1) + [LAST_MS]


def images_of(figure: Figure, fine: int) -> list[QImage]:
    """Each frame with the figure's title and caption."""
    return [image_of(replace(figure, picture=picture), fine) for picture in figure.frames.values()]


def gif(figure: Figure) -> bytes:
    """256 colours for all frames, chosen without dithering: areas of one colour stay so."""
    from PIL import Image

    frames = [_as_pillow(image) for image in images_of(figure, 1)]
    chosen = frames[:: max(len(frames) // COLORS_OF, 1)][-COLORS_OF:]
    wide, high = frames[0].size
    together = Image.new("RGB", (wide, high * len(chosen)))
    for number, frame in enumerate(chosen):
        together.paste(frame, (0, number * high))
    palette = together.quantize(256, dither=Image.Dither.NONE)
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    return _animated(indexed, "GIF", duration=durations_ms(figure), optimize=True, comment=figure.caption)


def webp(figure: Figure, fine: int = 1) -> bytes:
    """Without loss. fine: pixels for each pixel of the screen, along a side."""
    frames = [_as_pillow(image) for image in images_of(figure, fine)]
    return _animated(frames, "WEBP", duration=durations_ms(figure), lossless=True, quality=90, method=4)


def html(figure: Figure) -> bytes:
    """A page with a slider and Play: assets/animation.html, filled in."""
    kind, fine = ("png", 2) if len(figure.frames) <= FAST_FROM else ("webp", 1)  # of many the page would be too large
    made = (_animated([_as_pillow(image)], kind.upper(), quality=85) for image in images_of(figure, fine))
    frames = [f"data:image/{kind};base64,{base64.b64encode(frame).decode()}" for frame in made]
    small = {name: numbers for name, numbers in figure.numbers.items() if numbers.values.ndim <= 2}
    words = {
        "title": escape(figure.title),
        "caption": escape(figure.caption),
        "play": escape(say("Play")),
        "pause": json.dumps(say("Pause")),
        "again": json.dumps(say("Play")),
        "numbers": escape(say("Numbers")),
        "table": escape(table(replace(figure, numbers=small))),
        "last": str(len(frames) - 1),
        "frames": json.dumps(frames),
        "names": json.dumps(list(figure.frames)).replace("<", "\\u003c"),
        "durations": json.dumps(durations_ms(figure)),
    }
    page = (assets() / "animation.html").read_text(encoding="utf-8")
    page = re.sub(r"%(\w+)%", lambda found: words[found[1]], page)  # at once: a title may hold "%names%"
    return page.encode("utf-8", "replace")


def _as_pillow(image: QImage) -> "Image":
    from PIL import Image

    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = plain.width(), plain.height()
    return Image.frombuffer("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1).copy()


def _animated(frames: "list[Image]", kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    frames[0].save(out, kind, save_all=True, append_images=frames[1:], loop=0, **options)
    return out.getvalue()


ANIMATIONS: Mapping[str, Maker] = {".gif": gif, ".webp": webp, ".html": html}
