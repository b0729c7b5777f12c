"""A text made of several files: how often each is read, what sort of text it is, and which are held out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.settings import Settings, setting

MOST_READINGS = 4  # of a small, heavy file while a vocabulary is learned


@dataclass(frozen=True)
class MixtureFile(Settings):
    """What a mixture says of one file."""

    kind: str = setting("text", "Sort of text; held-out figures are given for each kind")
    weight: float = setting(
        1.0, "How many sequences come from it, relative to the weights of the others", within=(0.0, 1e6)
    )
    pairs: bool = setting(True, "Sentences of a document follow from one another; else there is no next sentence")
    held_out: bool = setting(False, "Never trained on: the whole file is for measuring")


def sources_of(mixture: Mapping[str, Any]) -> dict[str, MixtureFile]:
    """By file name. Raises BertcoreError for a mixture that cannot be trained on or measured with."""
    sources = {name: MixtureFile.from_table(value, name) for name, value in mixture.items()}
    if sources and not any(source.weight and not source.held_out for source in sources.values()):
        raise BertcoreError("No file of the mixture is to be trained on; give one a weight.")
    if sources and not any(source.held_out for source in sources.values()):
        raise BertcoreError("No file of the mixture is held out; mark one, or nothing could be measured.")
    return sources


def find_files(names: Sequence[str], folders: Sequence[str]) -> list[Path]:
    """Each file of a mixture in the first folder that has it. Raises BertcoreError where none has."""
    found = []
    for name in names:
        file = next((Path(folder) / name for folder in folders if (Path(folder) / name).is_file()), None)
        if file is None:
            raise BertcoreError(
                f"The recipe reads {name}, which is not in {' or '.join(map(str, folders)) or 'any folder'}; "
                "name the folder that holds it with --corpus."
            )
        found.append(file)
    return found


def readings(files: Sequence[Path], weights: Sequence[float]) -> list[Path]:
    """The files as a vocabulary should read them: one that is read often in training comes several times here too."""
    sizes = np.array([file.stat().st_size for file in files], dtype=float)
    shares = np.array(weights, dtype=float)
    often = np.clip(np.round((shares / shares.sum()) / (sizes / sizes.sum())), 1, MOST_READINGS).astype(int)
    return [file for file, times in zip(files, often, strict=True) for _ in range(times)]
