"""BERT from scratch: the engine under BERTscope, usable alone from Python and the shell.

    import bertcore

    m = bertcore.load("bertscope-mini")                         # a name, a folder, a run or a hub id
    m.fill("The cat sat on the [MASK].", top=5)[0][0].token     # masks, then words

docs/python.md is a tour. What stands here is imported when it is first used, so that `import bertcore` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertcore.analysis.trace import trace
    from bertcore.config import BertConfig
    from bertcore.errors import BertcoreError
    from bertcore.loaded_model import LoadedModel, load
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer
    from bertcore.training_api import Run, sweep, train

__all__ = [
    "Bert",
    "BertConfig",
    "BertcoreError",
    "LoadedModel",
    "Run",
    "Tokenizer",
    "load",
    "sweep",
    "trace",
    "train",
]

_DEFINED_IN = {
    "Bert": "bertcore.model.bert",
    "BertConfig": "bertcore.config",
    "BertcoreError": "bertcore.errors",
    "LoadedModel": "bertcore.loaded_model",
    "Run": "bertcore.training_api",
    "Tokenizer": "bertcore.tokenizer.tokenizer",
    "load": "bertcore.loaded_model",
    "sweep": "bertcore.training_api",
    "trace": "bertcore.analysis.trace",
    "train": "bertcore.training_api",
}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> Any:
        if name not in _DEFINED_IN:
            raise AttributeError(f"module 'bertcore' has no attribute {name!r}")
        value = getattr(import_module(_DEFINED_IN[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
