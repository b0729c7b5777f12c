"""The film strip at the top of the README: how the heads of the tiny model form, from the run that ships.

    python -m scripts.film_picture docs/images/film-strip.webp

Drawn as in the window, light, 900 pixels wide and twice as fine.
"""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QApplication

from app.compute.over_time import Text
from app.figures.animation import webp
from app.figures.figure import Figure, Picture, joined, model_hash, pair_text
from app.figures.files import write_whole
from app.look import numbers, theme
from app.rooms.film.content import Frame, LossCurve, MadeFrames, film_of
from app.rooms.film.picture import Film, FilmPicture
from app.runs.stages import steps_of
from app.state.examples import Example, load_examples
from app.state.token_units import TokenView
from bertcore.locations import TINY, shipped_checkpoint

SIZE = 868, 470  # of the strip; the sheet around it has margins
FINE = 2


def figure_of(example: Example) -> Figure:
    """The strip for the text of an example."""
    steps = steps_of(shipped_checkpoint(TINY))
    assert steps is not None
    text = Text(example.a, example.b or "", frozenset(example.mask))
    pieces = list(film_of(MadeFrames(), steps.run, steps.snapshots, text, TokenView(), lambda _share: None))
    frames = dict(enumerate(piece for piece in pieces if isinstance(piece, Frame)))
    curve = next((piece for piece in pieces if isinstance(piece, LossCurve)), None)
    film = Film(tuple(step for step, _ in steps.snapshots), frames, curve, head=(0, 1))
    painter, last = FilmPicture(film, *SIZE), len(frames) - 1
    name, (hidden,) = f"{TINY} {model_hash(shipped_checkpoint(TINY))}", example.mask
    masked = f"{example.a[: hidden.start]}[MASK]{example.a[hidden.stop :]}"
    return Figure(
        example.title,
        Picture(*SIZE, lambda on: painter.paint(on, last)),
        {},
        joined(name, pair_text(masked, example.b)),
        TINY,
        frames={str(at): Picture(*SIZE, lambda on, at=at: painter.paint(on, at)) for at in frames},  # type: ignore[misc]
    )


def main() -> None:
    app = QApplication([])
    theme.register_fonts()
    theme.apply(app, "light")
    numbers.set_technical(False)
    example = next(one for one in load_examples() if one.room == "film")
    write_whole(Path(sys.argv[1]), webp(figure_of(example), FINE))


if __name__ == "__main__":
    main()
