"""Where things are: what ships with BERTscope, and the person's own folder. No torch."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from bertcore.files import is_there, read_json_or_empty

# The checkpoints that ship, and their runs, by name.
BUILT_IN, TINY, GERMAN = SHIPPED = ("bertscope-mini", "bertscope-tiny", "bertscope-tiny-de")

CLASS_DEMO = "class-demo"  # a recipe, and a finished run of it that ships
TUNED = ("bertscope-sentiment", "bertscope-names", "bertscope-answers")  # BUILT_IN fine-tuned: its difference ships
NAMED = (*SHIPPED, *TUNED)  # every model that opens by its name
ABOUT_FILE = "bertscope.json"  # what the layout of a checkpoint has no place for: name, training step, base ...
DIFFERENCE_FILE = "difference.safetensors"


def home() -> Path:
    """The person's BERTscope folder: BERTSCOPE_HOME, or .bertscope in their home folder."""
    return Path(os.environ.get("BERTSCOPE_HOME") or Path.home() / ".bertscope")


def runs_folder() -> Path:
    """Where the window puts its runs, and the shell those without --out."""
    return home() / "runs"


@cache
def assets() -> Path:
    """The folder of what ships: in bertcore where it was installed from a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "assets"


def shipped_checkpoint(name: str) -> Path:
    """The checkpoint of one of NAMED."""
    return assets() / "checkpoints" / name


def checkpoint_of(run: Path) -> Path | None:
    """The checkpoint that ships, of the run that made it and ships beside it; None for any other run."""
    ships = run.name in SHIPPED and run.resolve().parent == (assets() / "runs").resolve()
    return shipped_checkpoint(run.name) if ships else None


def tuned_models() -> list[str]:
    """Those of TUNED that are there; a checkout has none until `make tuned` has made them."""
    return [name for name in TUNED if (shipped_checkpoint(name) / "config.json").is_file()]


def built_in_checkpoint() -> Path:
    """The checkpoint that opens with BERTscope."""
    return shipped_checkpoint(BUILT_IN)


def base_of(folder: Path) -> Path | None:
    """The model that ships from which this checkpoint is stored as a difference; None for one with weights of its own.

    Raises BertcoreError where the difference is no regular file.
    """
    if not is_there(folder / DIFFERENCE_FILE):
        return None
    base: Any = read_json_or_empty(folder / ABOUT_FILE).get("base")
    name = base.get("name") if isinstance(base, dict) else None
    return shipped_checkpoint(name) if name in SHIPPED else None


def minimal_pairs_file() -> Path:
    """The set of minimal pairs that ships with BERTscope."""
    return assets() / "evaluation" / "minimal_pairs.jsonl"


def sample_corpus() -> Path:
    return assets() / "corpus" / "stories.txt"
