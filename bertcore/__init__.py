"""BERT from scratch: the engine under BERTscope, usable alone from Python and the shell.

    import bertcore

    m = bertcore.load("bertscope-mini")                         # a name, a folder, a run or a hub id
    m.fill("The cat sat on the [MASK].", top=5)[0][0].token     # masks, then words

docs/python.md is a tour. What stands here is imported when it is first used, so that `import bertcore` is quick.
"""

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

__all__ = ["Bert", "BertConfig", "BertcoreError", "LoadedModel", "Run", "Tokenizer", "load", "sweep", "trace", "train"]

_DEFINED_IN = {
    "analysis.trace": ("trace",),
    "config": ("BertConfig",),
    "errors": ("BertcoreError",),
    "loaded_model": ("LoadedModel", "load"),
    "model.bert": ("Bert",),
    "tokenizer.tokenizer": ("Tokenizer",),
    "training_api": ("Run", "sweep", "train"),
}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> Any:
        module = next((module for module, names in _DEFINED_IN.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module 'bertcore' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"bertcore.{module}"), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
