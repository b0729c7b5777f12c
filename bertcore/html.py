"""Results as HTML that needs nothing from a network: in a notebook, and as a page of its own. No torch.

Whatever a text may hold is escaped here: `element` takes attributes as they are and, as what is inside, HTML, which
`escape` makes of a text. The style sheet, the page and the script of attention are in `notebook/`; the classes q0 to
q15 are the colours of 0 to 1, and n7 ... n1, z, p1 ... p7 those of signed values.
"""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import printable
from bertcore.files import write_atomic, write_errors

MOST_BYTES = 1_000_000  # of attention in one view, a byte for each weight: 12 x 12 heads of 83 tokens
MOST_COLUMNS = 64  # of a map of cells; of more, the first ones are shown
MOST_ROWS = 30  # of a plain table
MOST_POINTS = 400  # of a curve
NUMBERED_COLUMNS = 16  # up to here a cell has room for its number


@dataclass(frozen=True)
class Picture:
    """What a result looks like: a title, HTML, and a sentence below it. `script` is one of notebook/, by its name."""

    title: str
    body: str
    note: str = ""
    script: str = ""


def card(picture: Picture, model: str) -> str:
    """The picture as a part of a page; several may stand beside each other. `model` is the name that the title says."""
    heading = element("h3", escape(picture.title), element("small", escape(model)))
    note = element("p", escape(picture.note), class_="note") if picture.note else ""
    script = element("script", _file(f"{picture.script}.js")) if picture.script else ""
    style = element("style", _file("style.css"))
    return element("div", style, heading, picture.body, note, class_=f"bertscope {picture.script}".rstrip()) + script


def save_page(picture: Picture, model: str, file: str | Path) -> Path:
    """A page of its own. Raises BertcoreError where it cannot be written."""
    path = Path(file).expanduser()
    page = Template(_file("page.html")).substitute(title=escape(picture.title), card=card(picture, model))
    with write_errors(path):
        write_atomic(path, page.encode())
    return path


def element(name: str, *inside: str, **attributes: object) -> str:
    """An element of HTML; a name that Python keeps for itself takes an underscore at its end: class_."""
    written = [f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()]
    return f"<{name}{''.join(written)}>{''.join(inside)}</{name}>"


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / "notebook" / name).read_text(encoding="utf-8")


# --- parts ------------------------------------------------------------------------------------------------------------


def text_line(tokens: Sequence[str], kinds: Sequence[str]) -> str:
    """Tokens in the colours of their kinds: "a", "b", "special" or "mask"."""
    words = [element("span", escape(token), class_=f"token {kind}") for token, kind in zip(tokens, kinds, strict=True)]
    return element("div", *words, class_="text")


def valued_tokens(tokens: Sequence[str], values: Sequence[float], unit: str, *, signed: bool) -> str:
    """Tokens coloured by a number each, which stands below; from 0, or symmetric about it where `signed`."""
    most = max((abs(value) for value in values), default=0.0) or 1.0
    words = [
        element(
            "span",
            escape(token),
            element("small", _number(value, most)),
            class_=f"token valued {_color(value / most, signed=signed)}",
            title=f"{token}: {value:.4f} {unit}",
        )
        for token, value in zip(tokens, values, strict=True)
    ]
    return element("div", "".join(words), class_="text") + scale(most, unit, signed=signed)


def bars(words: Sequence[tuple[str, float]]) -> str:
    """Probabilities as bars that begin at zero."""
    rows = [
        element(
            "tr",
            element("td", escape(word)),
            element("td", element("div", style=f"width: {100 * share:.1f}%"), class_="bar"),
            element("td", f"{share:.1%}", class_="number"),
        )
        for word, share in words
    ]
    return element("table", element("tbody", *rows), class_="bars")


def cells(
    values: NDArray, rows: Sequence[str], columns: Sequence[str], unit: str, *, signed: bool, words: Any = None
) -> str:
    """A map of coloured cells, values (R,C), with its scale; `words` (R,C) instead of the numbers in them."""
    values, columns = np.asarray(values, dtype=float)[:, :MOST_COLUMNS], columns[:MOST_COLUMNS]
    most = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0

    def cell(row: int, column: int) -> str:
        value = float(values[row, column])
        number = _number(value, most) if len(columns) <= NUMBERED_COLUMNS else ""
        shown = number if words is None else words[row][column]
        title = f"{rows[row]}, {columns[column]}: {value:.4f} {unit}".rstrip()
        return element("td", escape(shown), class_=_color(value / most, signed=signed), title=title)

    head = element("tr", element("th"), *(element("th", escape(column)) for column in columns))
    body = [
        element("tr", element("th", escape(name)), *(cell(row, column) for column in range(len(columns))))
        for row, name in enumerate(rows)
    ]
    kind = "cells long" if sum(map(len, columns)) > NUMBERED_COLUMNS * 5 else "cells"
    colored = element("table", element("thead", head), element("tbody", *body), class_=kind)
    return colored + scale(most, unit, signed=signed)


def scale(most: float, unit: str, *, signed: bool) -> str:
    """What the colours stand for: from 0, or its opposite, to `most`."""
    places = [place / 7 for place in range(-7, 8)] if signed else [place / 15 for place in range(16)]
    colors = element("span", *(element("i", class_=_color(place, signed=signed)) for place in places))
    low = _number(-most, most) if signed else "0"
    return element("div", low, colors, escape(f"{_number(most, most)} {unit}".rstrip()), class_="scale")


def plain_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """At most MOST_ROWS rows under their names, and how many there are."""
    names = list(dict.fromkeys(name for row in rows[:MOST_ROWS] for name in row))

    def cell(value: Any) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return element("td", escape(_written(value)[:200]), class_="number" if is_number else "")

    head = element("tr", *(element("th", escape(name)) for name in names))
    body = [element("tr", *(cell(row.get(name)) for name in names)) for row in rows[:MOST_ROWS]]
    more = f"{len(rows):,} rows" + (f", of which {MOST_ROWS} are shown" if len(rows) > MOST_ROWS else "")
    return element("table", element("thead", head), element("tbody", *body)) + element("p", more, class_="note")


def curves(title: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """At most three lines of (step, value) in one chart, each named at its end."""
    width, height, left, right, top, bottom = 460, 220, 48, 90, 24, 30
    # evenly chosen points, the last among them
    shown = {name: [*all_[: -1 : -(-len(all_) // MOST_POINTS)], all_[-1]] for name, all_ in lines.items() if all_}
    steps = [step for points in shown.values() for step, _ in points]
    values = [value for points in shown.values() for _, value in points]
    if not values:
        return ""
    first, last, low, high = min(steps), max(steps), min(*values, 0.0), max(values)
    across, up = (width - left - right) / ((last - first) or 1), (height - top - bottom) / ((high - low) or 1)

    def at(step: float, value: float) -> tuple[str, str]:
        return f"{left + (step - first) * across:.1f}", f"{height - bottom - (value - low) * up:.1f}"

    def label(words: str, x: object, y: object, **more: object) -> str:
        return element("text", escape(words), x=x, y=y, **more)

    parts = [
        element("path", class_="axis", d=f"M{left} {top}V{height - bottom}H{width - right}"),
        label(title, left, 12),
        label(_number(high, high), left - 6, top + 4, text_anchor="end"),
        label(_number(low, high), left - 6, height - bottom + 4, text_anchor="end"),
        label(f"{first:,.0f}", left, height - 10),
        label(f"step {last:,.0f}", width - right, height - 10, text_anchor="end"),
    ]
    ends: list[float] = []
    for number, (name, points) in enumerate(shown.items()):
        parts.append(
            element("polyline", points=" ".join(",".join(at(*point)) for point in points), class_=f"l{number}")
        )
        end = float(at(*points[-1])[1])
        while any(abs(end - other) < 12 for other in ends):
            end += 12 if end < height / 2 else -12
        ends.append(end)
        parts.append(label(name, width - right + 6, f"{end + 4:.1f}", class_=f"t{number}"))
    return element("svg", *parts, width=width, height=height, viewBox=f"0 0 {width} {height}", role="img")


def attention(
    weights: NDArray, tokens: Sequence[str], kinds: Sequence[str], *, is_share: bool = True
) -> tuple[str, str]:
    """Weights (L,N,S,S), from 0 to 1, as a view of their heads for the script "attention", and a note.

    Each is a byte; of a text that would take more than MOST_BYTES the first tokens are shown. `is_share`: those of one
    token add up to 1.
    """
    layers, heads, length, _ = weights.shape
    shown = min(length, math.isqrt(MOST_BYTES // (layers * heads)))
    quantised = np.rint(np.asarray(weights[:, :, :shown, :shown], dtype=np.float32) * 255).clip(0, 255).astype(np.uint8)
    data = {"tokens": list(tokens[:shown]), "kinds": list(kinds[:shown]), "layers": layers, "heads": heads}
    data["weights"] = base64.b64encode(quantised.tobytes()).decode("ascii")
    # in a script element nothing is escaped but what could end it
    written = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    body = element("script", written, type="application/json") + element(
        "div", "Trust this notebook to see the heads: a script draws them.", class_="view"
    )
    note = "Left: who looks; right: what at. Layers and heads count from 0. "
    note += "The weights of one token add up to 100%." if is_share else "100% is the largest of all."
    if shown < length:
        note += f" Of {length:,} tokens the first {shown:,} are shown, to keep this small."
    return body, note


def _written(value: Any) -> str:
    """What stands in a cell of a table."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_written(each)}" for name, each in value.items())
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else printable(str(value))


def _color(share: float, *, signed: bool) -> str:
    """The class of a value, in shares of the largest."""
    if not math.isfinite(share):
        return ""
    if not signed:
        return f"q{round(min(max(share, 0.0), 1.0) * 15)}"
    step = round(min(max(share, -1.0), 1.0) * 7)
    return f"p{step}" if step > 0 else f"n{-step}" if step < 0 else "z"


def _number(value: float, most: float) -> str:
    """With decimals that suit the largest of its kind; never "-0.00"."""
    digits = 0 if most >= 100 else 1 if most >= 10 else 2
    return f"{round(value, digits) + 0.0:.{digits}f}" if math.isfinite(value) else ""
