"""What is changed inside the model, as it stands in a session file. No torch.

    {"heads_off": [[0, 2]], "layers_off": [3], "dropped": ["position"], "segments": [[4, 1]], "positions": [[2, 5]],
     "rows": [{"layer": 0, "head": 1, "position": 4, "weights": [0.5, 0.5, ...]}]}

Layers, heads and positions count from 0; absent lists are empty.
"""

from __future__ import annotations

from typing import Any

from app.state.what_if import EditedRow, WhatIf
from bertcore.analysis.interventions import EMBEDDINGS

MOST = 10_000  # of anything
MOST_WEIGHT = 1 + 1e-6  # earlier files have what float32 sums to


def changes_as_json(what_if: WhatIf) -> dict[str, Any]:
    values = {
        "heads_off": [list(head) for head in sorted(what_if.heads_off)],
        "layers_off": sorted(what_if.layers_off),
        "dropped": sorted(what_if.dropped),
        "segments": [list(place) for place in what_if.segments],
        "positions": [list(place) for place in what_if.positions],
        "rows": [
            {"layer": row.layer, "head": row.head, "position": row.position, "weights": list(row.weights)}
            for row in what_if.rows
        ],
    }
    return {name: value for name, value in values.items() if value}


def changes_from(value: Any) -> WhatIf:
    """Raises TypeError, ValueError or KeyError for anything else."""
    if not isinstance(value, dict):
        raise TypeError
    values = dict(value)
    made = WhatIf(
        heads_off=frozenset(_pair(item) for item in _list(values.pop("heads_off", []))),
        layers_off=frozenset(_count(item) for item in _list(values.pop("layers_off", []))),
        rows=tuple(_row(item) for item in _list(values.pop("rows", []))),
        segments=_places(values.pop("segments", []), most=2),
        positions=_places(values.pop("positions", []), most=MOST),
        dropped=frozenset(_list(values.pop("dropped", []))),
    )
    if values or not made.dropped <= set(EMBEDDINGS):
        raise ValueError
    return made


def fits(what_if: WhatIf, layers: int, heads: int, tokens: int) -> bool:
    """Whether a model of that shape, reading so many tokens, has all that is changed."""
    heads_named = [*what_if.heads_off, *((row.layer, row.head) for row in what_if.rows)]
    places = [at for pair in what_if.positions for at in pair] + [at for at, _ in what_if.segments]
    return (
        all(layer < layers and head < heads for layer, head in heads_named)
        and all(layer < layers for layer in what_if.layers_off)
        and all(at < tokens for at in places)
        and all(row.position < tokens == len(row.weights) for row in what_if.rows)
    )


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


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST:
        raise ValueError
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MOST:
        raise ValueError
    return value
