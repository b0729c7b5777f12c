"""What every result is: rows with names, for a notebook, pandas, JSON and the shell. Importable without torch."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, SupportsIndex, TypeVar, cast, overload

from bertcore.errors import BertcoreError, printable, shortened
from bertcore.files import jsonable
from bertcore.html import Picture, attention, card, cells, element, escape, plain_table, save_page

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

ROWS_SHOWN = 8  # of a result that a notebook or the prompt shows
MOST_CELL = 24  # characters


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
