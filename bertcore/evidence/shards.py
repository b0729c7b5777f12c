"""Work that machines share: each does some of the batches, and whoever has the files of all joins them.

Batches are the same whoever does them, so that what is joined is equal to one run, to the last bit on machines of one
kind.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.files import write_atomic, write_errors
from bertcore.progress import ReportProgress, part_of

Arrays = dict[str, NDArray]  # of a batch, by name; what counts the batch's rows comes first


@dataclass
class Shard:
    """Every `of`-th batch, from batch `number` on; both from 0, so that the usual one is all of them.

    `files`, those of all shards, are joined instead, and nothing is computed.
    """

    number: int = 0
    of: int = 1
    files: Sequence[Path] = ()
    asked: tuple[str, ...] = ()  # what was asked last; another question begins anew
    about: str = ""  # a hash of the model's numbers and of what was asked of it
    found: dict[int, Arrays] = field(default_factory=dict)  # by the number of the batch; these are not computed again

    def over(
        self,
        checkpoint: Checkpoint,
        asked: Sequence[str],
        groups: Iterable[list[int]],
        compute: Callable[[list[int], ReportProgress], Arrays],
        progress: ReportProgress,
    ) -> tuple[NDArray[np.int64], Arrays]:
        """The rows of its batches, one batch after the other, and what `compute` finds of them, joined.

        Raises BertcoreError where there is nothing to do, and for files that are damaged, missing or of another work.
        """
        batches = list(groups)
        own = range(self.number, len(batches), self.of)
        if not own:
            raise BertcoreError(f"There are only {len(batches):,} batches for {self.of:,} shards; use fewer shards.")
        self.about = described(checkpoint, asked) if self.files or self.of > 1 else ""
        self.found = self._joined() if self.files else self.found if self.asked == tuple(asked) else {}
        self.asked = tuple(asked)
        for done, at in enumerate(own):
            if at not in self.found:
                self.found[at] = compute(batches[at], part_of(progress, done / len(own), 1 / len(own)))
            progress((done + 1) / len(own))
        arrays = {name: np.concatenate([self.found[at][name] for at in own]) for name in self.found[own[0]]}
        return np.concatenate([batches[at] for at in own]), arrays

    def save(self, file: Path) -> None:
        """What it has found, as a .npz for whoever joins them. Raises BertcoreError where it cannot be written."""
        kept = {f"{at}/{name}": array for at, each in self.found.items() for name, array in each.items()}
        packed = io.BytesIO()
        np.savez_compressed(packed, about=self.about, shard=[self.number, self.of], **kept)  # type: ignore[arg-type]
        with write_errors(file):
            write_atomic(file, packed.getvalue(), follow=True)

    def _joined(self) -> dict[int, Arrays]:
        """All batches of all files."""
        found, there, of = dict[int, Arrays](), set[int](), 1
        for file in self.files:
            try:
                with np.load(file) as arrays:
                    (number, of), about = arrays["shard"].tolist(), str(arrays["about"])
                    for key in arrays.files:
                        if "/" in key:
                            found.setdefault(int(key.partition("/")[0]), {})[key.partition("/")[2]] = arrays[key]
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
                raise BertcoreError(f"The file {file} is no shard that can be read; compute it again.") from None
            if about != self.about:
                raise BertcoreError(f"The shard {file} is of another model, collection or question; compute it again.")
            there.add(number)
        if missing := sorted(set(range(of)) - there):
            raise BertcoreError(f"Shard {missing[0] + 1} of {of} is missing; name the files of all {of} shards.")
        return found


def described(checkpoint: Checkpoint, asked: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join(asked).encode())
    for name, value in checkpoint.model.state_dict().items():
        digest.update(name.encode() + value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
