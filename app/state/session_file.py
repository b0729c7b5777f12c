"""A session: what is being looked at, as a small JSON file that brings it back. No torch.

    {"format_version": 1, "text_a": "...", "text_b": "...", "masks": [["a", 4, 7]], "focus": ["a", 0, 3],
     "model": {"reference": null, "name": "bertscope-mini", "hash": "1a2b3c4d", "bytes": 21300000},
     "layer": 0, "head": 3, "room": "attend", "view": "matrix", "words": false, "specials": true, "changes": {...},
     "applied_texts": {"span": "..."}, "baseline": {...}, "difference": true}

Places are characters of a sentence; `reference` is what `bertscope MODEL` takes, null for the built-in model; layers,
heads and positions count from 0. `changes` is what is changed inside the model; what is not changed is left out:

    {"heads_off": [[0, 2]], "layers_off": [3], "dropped": ["position"], "segments": [[4, 1]], "positions": [[2, 5]],
     "rows": [{"layer": 0, "head": 1, "position": 4, "weights": [0.5, 0.5, ...]}],
     "swap": {"part": "state", "row": 2, "place": 4, "text_a": "...", "text_b": "...", "token": "dog"},
     "direction": "left"}
`baseline` is what it is compared with, null for none: {"text_a": "...", "text_b": "..."} or {"model": {...}}, the
model as above; `difference` says whether only what differs is shown.
"""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from bertcore.errors import MOST_NAME, BertcoreError, brief, name_from_file
from bertcore.files import read_bytes, reason_of
from bertcore.json_text import parse_json
from bertcore.tokenizer.text_spans import Place

from ..look import mark, say
from .baseline import OtherText
from .what_if import NOTHING_CHANGED, EditedRow, Swap, WhatIf

FORMAT_VERSION = 1
ENDING = ".bertscope.json"
MOST_BYTES = 20_000_000
MOST_CHARACTERS = 200_000  # of a text, as many as the tokenizer reads
MOST_IN_PATH = 4_096  # characters
MOST_MODEL_BYTES = 10**15
MOST_ITEMS = 10_000  # of anything
MOST_WEIGHT = 1 + 1e-6  # earlier files have what float32 sums to


@dataclass(frozen=True)
class SessionModel:
    reference: str | None = None  # a folder, a hub id, or None for the built-in model
    name: str = ""
    hash: str = ""
    bytes: int = 0  # of its files, for whoever does not have them; 0: unknown


@dataclass(frozen=True)
class Session:
    text_a: str = ""
    text_b: str = ""
    masks: tuple[Place, ...] = ()
    focus: Place | None = None
    model: SessionModel = field(default_factory=SessionModel)
    layer: int = 0
    head: int = 0
    room: str = ""
    view: str = ""  # of that room
    words: bool = False
    specials: bool = True
    changes: WhatIf = NOTHING_CHANGED
    baseline: OtherText | SessionModel | None = None
    difference: bool = False
    applied_texts: dict[str, str] = field(default_factory=dict)


def is_session(path: Path) -> bool:
    """Whether to take a path for a session rather than for a model: models are folders."""
    return path.suffix.lower() in (".json", ".bertscope") and not os.path.isdir(path)


def as_json(session: Session) -> str:
    return json.dumps(as_values(session), indent=2, ensure_ascii=False) + "\n"


def as_values(session: Session) -> dict[str, Any]:
    """By the names of its fields."""
    values = {name: _plain(value) for name, value in vars(session).items()}
    if isinstance(session.baseline, SessionModel):
        values["baseline"] = {"model": values["baseline"]}
    return {"format_version": FORMAT_VERSION, **values}


def load_session(file: Path) -> Session:
    """Raises BertcoreError, in one sentence or two, for what is no session that this BERTscope can open."""
    try:
        return read_session(read_bytes(file, MOST_BYTES).decode("utf-8"), file)
    except OSError as error:
        if error.errno == errno.EFBIG:
            text = say("{file} is too large for a BERTscope session; open another file.", file=file)
            raise BertcoreError(text) from None
        raise BertcoreError(say("{file} could not be opened: {reason}.", file=file, reason=reason_of(error))) from error
    except UnicodeDecodeError:
        text = say("{file} is damaged or not a BERTscope session: it is not text.", file=file)
        raise BertcoreError(text) from None


def read_session(text: str, file: Path) -> Session:
    """file: for the messages only."""
    try:
        return session_of(parse_json(text), file)
    except json.JSONDecodeError:
        why = say("{file} is damaged or not a BERTscope session: it is not JSON.", file=file)
        raise BertcoreError(why) from None
    except ValueError as error:
        why = say("{file} is damaged or not a BERTscope session: {reason}.", file=file, reason=error)
        raise BertcoreError(why) from None


def session_of(values: Any, file: Path) -> Session:
    """From what a file's JSON holds; file: for the messages only."""
    if not isinstance(values, dict) or "format_version" not in values:
        raise BertcoreError(say("{file} is not a BERTscope session; open a file that BERTscope has saved.", file=file))
    version = values.pop("format_version")
    if type(version) is int and version > FORMAT_VERSION:
        why = say("{file} was saved by a newer version of BERTscope; open it with that version.", file=file)
        raise BertcoreError(why)
    if type(version) is not int or version != FORMAT_VERSION:
        text = mark("{file} is damaged or not a BERTscope session: its format_version is {version}.")
        raise BertcoreError(say(text, file=file, version=brief(version)))
    readers: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(("text_a", "text_b"), _text),
        **dict.fromkeys(("layer", "head"), _count),
        **dict.fromkeys(("words", "specials", "difference"), _switch),
        "masks": lambda value: tuple(_place(item) for item in _list(value)),
        "focus": lambda value: None if value is None else _place(value),
        "model": _model,
        **dict.fromkeys(("room", "view"), lambda value: _text(value, MOST_NAME)),
        "changes": _changes,
        "baseline": lambda value: None if value is None else _baseline(value),
        "applied_texts": lambda value: {_text(kind): _text(text) for kind, text in value.items()},
    }
    checked = {}
    for name, value in sorted(values.items()):
        if name not in readers:
            text = mark("{file} is damaged or not a BERTscope session: it has an unknown entry, {name}.")
            raise BertcoreError(say(text, file=file, name=brief(name)))
        try:
            checked[name] = readers[name](value)
        except (TypeError, ValueError, KeyError, AttributeError):
            text = mark("{file} is damaged or not a BERTscope session: its entry {name} is wrong.")
            raise BertcoreError(say(text, file=file, name=repr(name))) from None
    return Session(**checked)


def _plain(value: Any) -> Any:
    """A field of a session, as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Place):
        return [value.part, value.start, value.stop]
    if isinstance(value, OtherText):
        return {"text_a": value.a, "text_b": value.b}
    if isinstance(value, WhatIf):
        return _changes_as_json(value)
    return vars(value).copy() if isinstance(value, SessionModel) else value


def _changes_as_json(what_if: WhatIf) -> dict[str, Any]:
    swap = what_if.swap
    values = {
        "heads_off": [list(head) for head in sorted(what_if.heads_off)],
        "layers_off": sorted(what_if.layers_off),
        "dropped": sorted(what_if.dropped),
        "segments": [list(place) for place in what_if.segments],
        "positions": [list(place) for place in what_if.positions],
        "rows": [vars(row) | {"weights": list(row.weights)} for row in what_if.rows],
        "swap": swap
        and {"part": swap.part, "row": swap.row, "place": swap.place, **_plain(swap.text), "token": swap.token},
        "direction": what_if.direction,
    }
    return {name: value for name, value in values.items() if value}


# Each takes a value as JSON gives it; TypeError, ValueError, KeyError or AttributeError where it is another.


def _text(value: Any, most: int = MOST_CHARACTERS) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError
    value.encode("utf-8")  # half a character (a lone surrogate) would stop every later step
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MOST_ITEMS:
        raise ValueError
    return value


def _switch(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        raise ValueError
    return value


def _place(value: Any) -> Place:
    part, start, stop = _list(value)
    whole = type(start) is int and type(stop) is int and 0 <= start <= stop <= MOST_CHARACTERS
    if part not in ("a", "b") or not whole:
        raise ValueError
    return Place(part, start, stop)


def _model(value: Any) -> SessionModel:
    reference, size = value["reference"], value.get("bytes", 0)
    if type(size) is not int or not 0 <= size < MOST_MODEL_BYTES:
        raise ValueError
    place = None if reference is None else _text(reference, MOST_IN_PATH)
    return SessionModel(place, name_from_file(_text(value["name"])), _text(value["hash"], MOST_NAME), size)


def _baseline(value: Any) -> OtherText | SessionModel:
    if set(value) == {"model"}:
        return _model(value["model"])
    if set(value) != {"text_a", "text_b"}:
        raise ValueError
    return OtherText(_text(value["text_a"]), _text(value["text_b"]))


def _changes(value: Any) -> WhatIf:
    values = value.copy()
    made = WhatIf(
        heads_off=frozenset(_pair(item) for item in _list(values.pop("heads_off", []))),
        layers_off=frozenset(_count(item) for item in _list(values.pop("layers_off", []))),
        rows=tuple(_row(item) for item in _list(values.pop("rows", []))),
        segments=_places(values.pop("segments", []), most=2),
        positions=_places(values.pop("positions", []), most=MOST_ITEMS),
        dropped=frozenset(_list(values.pop("dropped", []))),
        swap=_swap(values.pop("swap")) if "swap" in values else None,
        direction=values.pop("direction", None),
    )
    from bertcore.analysis.interventions import (
        DIRECTIONS,
        EMBEDDINGS,
        PatchedPart,
    )  # here: the first paint need not wait for it

    is_known = made.swap is None or made.swap.part in get_args(PatchedPart)
    is_known = is_known and made.direction in (None, *DIRECTIONS)
    if values or not is_known or not made.dropped <= set(EMBEDDINGS):
        raise ValueError
    return made


def _swap(value: Any) -> Swap:
    if len(value) != 6:
        raise ValueError
    text = OtherText(_text(value["text_a"]), _text(value["text_b"]))
    token = name_from_file(_text(value["token"], MOST_NAME))
    return Swap(value["part"], _count(value["row"]), _count(value["place"]), text, token)


def _places(value: Any, most: int) -> tuple[tuple[int, int], ...]:
    """Each position once, in order, as WhatIf has them."""
    pairs = [_pair(item) for item in _list(value)]
    if len({at for at, _ in pairs}) < len(pairs) or any(given >= most for _, given in pairs):
        raise ValueError
    return tuple(sorted(pairs))


def _row(value: Any) -> EditedRow:
    given = _list(value["weights"])
    if len(value) != 4 or not all(type(item) in (int, float) and 0 <= item <= MOST_WEIGHT for item in given):
        raise ValueError
    weights = tuple(min(float(item), 1.0) for item in given)
    return EditedRow(_count(value["layer"]), _count(value["head"]), _count(value["position"]), weights)


def _pair(value: Any) -> tuple[int, int]:
    one, other = _list(value)
    return _count(one), _count(other)
