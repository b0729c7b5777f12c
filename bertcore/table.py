"""What every result is: rows with names, for pandas, JSON and the shell; and HTML that needs no network, for notebooks
and as a page of its own. Importable without torch.

Whatever a text may hold is escaped here: `element` takes attributes as they are and, as what is inside, HTML, which
`escape` makes of a text. The style sheet, the page and the script of attention are in `notebook/`; the classes q0 to
q15 are the colours of 0 to 1, and n7 ... n1, z, p1 ... p7 those of signed values.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, SupportsIndex, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError, printable, shortened
from bertcore.files import jsonable, write_atomic, write_errors

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

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


ROWS_SHOWN = 8  # of a result that a notebook or the prompt shows
MOST_CELL = 24  # characters


# --- results ----------------------------------------------------------------------------------------------------------


class Table:
    """Something that can be written as rows, each with the same names, and that a notebook shows as a picture."""

    model_name = ""  # the name of the model that has answered

    def by(self, model: str) -> Self:
        """Itself, as the answer of the model of this name, which pictures say."""
        object.__setattr__(self, "model_name", model)  # most results are frozen
        return self

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each row, from names to plain values."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. Raises BertcoreError where pandas is not installed."""
        return as_frame(self.rows())

    def to_json(self) -> str:
        """The rows as a JSON array of objects; what is no finite number becomes null."""
        return json.dumps(jsonable(self.rows()), ensure_ascii=False, allow_nan=False)

    def picture(self) -> Picture:
        """How it is shown in a notebook and on a page; the rows, where there is nothing better."""
        item = self[0] if isinstance(self, Results | Records) and self else self
        return Picture(type(item).__name__, plain_table(self.rows()))

    def _repr_html_(self) -> str:
        return card(self.picture(), self.model_name)

    def save_html(self, file: str | Path) -> Path:
        """Write what a notebook shows as a page of its own, which needs no network. Raises BertcoreError where it
        cannot be written.

        >>> m.fill("The cat sat on the [MASK].").save_html("words.html").name
        'words.html'
        """
        return save_page(self.picture(), self.model_name, file)

    def __repr__(self) -> str:
        """The first rows, in columns."""
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows[:ROWS_SHOWN] for name in row))
        lines = [names, *([_cell(row.get(name)) for name in names] for row in rows[:ROWS_SHOWN])]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"]
        text += ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines if rows]
        text += ["..."] * (len(rows) > ROWS_SHOWN)
        return "\n  ".join([f"<{type(self).__name__}: {text[0]}", *text[1:]]) + ">"


R = TypeVar("R")
D = TypeVar("D", bound="DataclassInstance")
P = ParamSpec("P")
A = TypeVar("A")


class Results(Table, list[R], Generic[R]):
    """One result for each text, in their order; in the rows, `text` is its number.

    Of results that have parts by name, `results["layer.0.output"]` is that part of each of them.
    """

    @overload
    def __getitem__(self, key: SupportsIndex) -> R: ...
    @overload
    def __getitem__(self, key: slice) -> Results[R]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return [result[key] for result in self]  # type: ignore[index]
        found = super().__getitem__(key)
        return Results(found) if isinstance(key, slice) else found

    def by(self, model: str) -> Self:
        for result in self:
            if isinstance(result, Table):
                result.by(model)
        return super().by(model)

    def rows(self) -> list[dict[str, Any]]:
        return [{"text": number, **row} for number, result in enumerate(self) for row in result.rows()]  # type: ignore[attr-defined]


class _Bound(Generic[P, A]):
    @overload
    def __call__(self, a: str, *args: P.args, **options: P.kwargs) -> A: ...
    @overload
    def __call__(self, a: list[str] | tuple[str, ...], *args: P.args, **options: P.kwargs) -> Results[A]: ...
    def __call__(self, a: Any, *args: P.args, **options: P.kwargs) -> Any:
        raise NotImplementedError


class _Method(Generic[P, A]):
    def __get__(self, owner: object, kind: type) -> _Bound[P, A]:
        raise NotImplementedError


def one_or_many(method: Callable[Concatenate[Any, Any, P], A]) -> _Method[P, A]:
    """The method itself; a type checker learns that, where it gives A for one text, it gives Results[A] for a list."""
    return cast(_Method[P, A], method)


class Records(Table, list[D], Generic[D]):
    """Results that are dataclasses: each is a row."""

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(record) for record in self]


@dataclass(frozen=True, eq=False, repr=False)
class Grid(Table):
    """Arrays over named sides, such as layer and token: `grid["effect"]` is one of them.

    A row for each place; a side of tokens gives the token and its position ("from": "from_position", too).
    """

    sides: Mapping[str, Sequence[int] | Sequence[str]]  # what stands along each dimension of the arrays, in their order
    arrays: Mapping[str, NDArray[Any]]  # all of one shape
    about: Mapping[str, Any] = field(default_factory=dict)  # what holds for all of them, such as the prediction

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def __repr__(self) -> str:
        shape = " x ".join(f"{len(along)} {name}" for name, along in self.sides.items())
        about = "".join(f", {name} {value}" for name, value in self.about.items())
        return f"<{', '.join(self.arrays)}: {shape}{about}>"

    def rows(self) -> list[dict[str, Any]]:
        columns = {name: array.ravel().tolist() for name, array in self.arrays.items()}
        rows = []
        for number, place in enumerate(itertools.product(*(enumerate(along) for along in self.sides.values()))):
            row: dict[str, Any] = {}
            for name, (at, what) in zip(self.sides, place, strict=True):
                if isinstance(what, str):
                    row["position" if name == "token" else f"{name}_position"] = at
                row[name] = what
            rows.append(row | {name: column[number] for name, column in columns.items()})
        return rows

    def picture(self) -> Picture:
        """A map for each array of one or two sides, a view of heads for four; else the rows."""
        title, note = ", ".join(self.arrays), ", ".join(f"{name} {_cell(value)}" for name, value in self.about.items())
        labels = [
            [each if isinstance(each, str) else f"{side} {each}" for each in along]
            for side, along in self.sides.items()
        ]
        if list(self.sides) == ["layer", "head", "from", "to"]:
            values = list(self.arrays.values())[-1]
            body, said = attention(values / values.max(), labels[3], ["a"] * len(labels[3]), is_share=False)
            return Picture(title, body, said, script="attention")
        if len(labels) > 2:
            return Picture(title, plain_table(self.rows()), note)
        rows, columns = labels if len(labels) == 2 else ([""], labels[0])
        maps = []
        for name, array in self.arrays.items():
            values, signed = array.reshape(len(rows), len(columns)), bool((array < 0).any())
            heading = element("p", escape(name), class_="unit")
            maps.append(element("div", heading, cells(values, rows, columns, "", signed=signed)))
        return Picture(title, element("div", *maps, class_="view"), note)


def as_frame(rows: Any, **named: Any) -> Any:
    """A pandas.DataFrame; `named` are its other arguments. Raises BertcoreError where pandas is not installed."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError:
        raise BertcoreError("pandas is not installed, so results cannot become frames: pip install pandas.") from None
    return pandas.DataFrame(rows, **named)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return shortened(printable(text), MOST_CELL)
