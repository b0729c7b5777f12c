"""A session: what is being looked at, as a small JSON file that brings it back. No Qt, no torch.

    {"format_version": 1, "text_a": "...", "text_b": "...", "masks": [["a", 4, 7]], "focus": ["a", 0, 3],
     "model": {"reference": null, "name": "bertscope-mini", "hash": "1a2b3c4d"}, "layer": 0, "head": 3,
     "room": "attend", "words": false, "specials": true, "changes": {...}, "applied_texts": {"span": "..."}}

Places are characters of a sentence; `reference` is what `bertscope MODEL` takes, null for the built-in model; layers
and heads count from 0; `changes` is what is changed inside the model, see `session_changes`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.state.session_changes import changes_as_json, changes_from
from app.state.text_spans import Place
from app.state.what_if import NOTHING_CHANGED, WhatIf
from bertcore.errors import BertcoreError

FORMAT_VERSION = 1
ENDING = ".bertscope.json"
MOST_BYTES = 20_000_000
MOST_CHARACTERS = 200_000  # of a text, as many as the tokenizer reads
MOST_PLACES = 10_000


@dataclass(frozen=True)
class SessionModel:
    reference: str | None = None  # a folder, a hub id, or None for the built-in model
    name: str = ""
    hash: str = ""


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
    words: bool = False
    specials: bool = True
    changes: WhatIf = NOTHING_CHANGED
    applied_texts: dict[str, str] = field(default_factory=dict)


def is_session(path: Path) -> bool:
    """Whether to take a path for a session rather than for a model: models are folders."""
    return path.suffix.lower() == ".json" and not path.is_dir()


def as_json(session: Session) -> str:
    model = session.model
    values = {
        "format_version": FORMAT_VERSION,
        "text_a": session.text_a,
        "text_b": session.text_b,
        "masks": [_as_list(place) for place in session.masks],
        "focus": _as_list(session.focus) if session.focus else None,
        "model": {"reference": model.reference, "name": model.name, "hash": model.hash},
        "layer": session.layer,
        "head": session.head,
        "room": session.room,
        "words": session.words,
        "specials": session.specials,
        "changes": changes_as_json(session.changes),
        "applied_texts": session.applied_texts,
    }
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def load_session(file: Path) -> Session:
    """Raises BertcoreError, in one sentence, for what is no session that this BERTscope can open."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BertcoreError(f"{file} is too large for a session of BERTscope; open another file.")
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BertcoreError(f"{file} could not be opened: {why}.") from error
    except UnicodeDecodeError:
        raise _damaged(file, "it is not text") from None
    return read_session(text, file)


def read_session(text: str, file: Path) -> Session:
    """file: for the messages only."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(file, "it is not JSON") from None
    if not isinstance(values, dict) or "format_version" not in values:
        raise BertcoreError(f"{file} is no session of BERTscope; open a file that BERTscope has saved.")
    version = values.pop("format_version")
    if type(version) is int and version > FORMAT_VERSION:
        raise BertcoreError(f"{file} was saved by a newer BERTscope; open it with that one.")
    if type(version) is not int or version != FORMAT_VERSION:
        raise _damaged(file, f"its format_version is {version!r}")
    return _checked(values, file)


def _checked(values: dict[str, Any], file: Path) -> Session:
    readers: dict[str, Callable[[Any], Any]] = {
        "text_a": _text,
        "text_b": _text,
        "masks": lambda value: tuple(_place(item) for item in _list(value)),
        "focus": lambda value: None if value is None else _place(value),
        "model": _model,
        "layer": _count,
        "head": _count,
        "room": _text,
        "words": _switch,
        "specials": _switch,
        "changes": changes_from,
        "applied_texts": _texts,
    }
    unknown = sorted(set(values) - set(readers))
    if unknown:
        raise _damaged(file, f"it says {unknown[0][:40]!r}, which means nothing here")
    found = {}
    for name, value in values.items():
        try:
            found[name] = readers[name](value)
        except (TypeError, ValueError, KeyError):
            raise _damaged(file, f"its {name!r} is wrong") from None
    return Session(**found)


def _damaged(file: Path, why: str) -> BertcoreError:
    return BertcoreError(f"{file} is damaged or no session of BERTscope: {why}. Nothing was changed.")


def _as_list(place: Place) -> list[str | int]:
    return [place.part, place.start, place.stop]


# Each takes a value as JSON gives it; TypeError, ValueError or KeyError where it is not what is wanted.


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise ValueError
    value.encode("utf-8")  # half a character (a lone surrogate) would stop every later step
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 10_000:
        raise ValueError
    return value


def _switch(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_PLACES:
        raise ValueError
    return value


def _place(value: Any) -> Place:
    part, start, stop = _list(value)
    whole = type(start) is int and type(stop) is int and 0 <= start <= stop <= MOST_CHARACTERS
    if part not in ("a", "b") or not whole:
        raise ValueError
    return Place(part, start, stop)


def _model(value: Any) -> SessionModel:
    reference = value["reference"]
    return SessionModel(None if reference is None else _text(reference), _text(value["name"]), _text(value["hash"]))


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError
    return {_text(name): _text(text) for name, text in value.items()}
