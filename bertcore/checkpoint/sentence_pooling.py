"""How a sentence encoder makes one vector of a sentence, as its folder says. Importable without torch."""

from dataclasses import dataclass
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import is_there, read_json, write_json

_MODULES = ("Transformer", "Pooling", "Normalize")  # what is done here; a dense layer on top, for one, is not
_MODES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


@dataclass(frozen=True)
class Pooling:
    """`kind` is "mean" (of all tokens) or "cls"; `normalised` vectors have length 1."""

    kind: str
    normalised: bool


def read_pooling(folder: Path) -> Pooling | None:
    """From the files that sentence-transformers writes (1_Pooling, modules.json); None where there are none.

    Ways of pooling other than these two, and further layers after it, read as None: the model is then an encoder like
    any other.
    """
    file = folder / "1_Pooling" / "config.json"
    if not is_there(file):
        return None
    values = read_json(file)
    chosen = [kind for key, kind in _MODES.items() if values.get(key)]
    mode = values.get("pooling_mode")
    if isinstance(mode, str):
        chosen = [mode] if mode in _MODES.values() else []
    others = any(value for key, value in values.items() if key.startswith("pooling_mode_") and key not in _MODES)
    modules = _modules(folder / "modules.json")
    if len(chosen) != 1 or others or set(modules) - set(_MODULES):
        return None
    return Pooling(chosen[0], normalised="Normalize" in modules or (folder / "2_Normalize").is_dir())


def write_pooling(pooling: Pooling, folder: Path, width: int) -> None:
    """As sentence-transformers does, which can then open the folder; vectors have this many numbers."""
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    for path, _ in modules[1 : 2 + pooling.normalised]:
        (folder / path).mkdir(exist_ok=True)
    modes = {key: kind == pooling.kind for key, kind in _MODES.items()}
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": width, **modes})
    listed = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (path, name) in enumerate(modules[: 2 + pooling.normalised])
    ]
    write_json(folder / "modules.json", listed)


def _modules(file: Path) -> list[str]:
    """What is done one after the other: `Transformer`, `Pooling` ... Its folders may be missing where git kept them,
    which keeps no empty ones. Nothing where there is no such file."""
    if not is_there(file):
        return []
    try:
        return [str(module["type"]).rpartition(".")[2] for module in read_json(file, kind=list)]
    except (TypeError, KeyError):
        raise BertcoreError(f"The file {file} does not say what its modules are; fetch the checkpoint again.") from None
