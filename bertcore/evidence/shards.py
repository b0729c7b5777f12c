"""Work that machines share: each does some blocks of rows, and whoever has the files of all joins them.

Blocks are the same whoever does them, so that what is joined is equal to one run: counts exactly, and numbers to the
last bit on machines of one kind.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.files import reason_of, write_atomic
from bertcore.progress import ReportProgress, part_of

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

Arrays = dict[str, NDArray]  # what is found of a block, by name
ROWS = 256  # of a block


def beside(parts: Sequence[Arrays]) -> Arrays:
    """One after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def summed(parts: Sequence[Arrays]) -> Arrays:
    return {name: np.sum([part[name] for part in parts], axis=0) for name in parts[0]}


@dataclass
class Shard:
    """Every `of`-th block, from block `number` on; both from 0, so that the usual one is all of them.

    `files`, those of all shards, are joined instead, and nothing is computed.
    """

    number: int = 0
    of: int = 1
    files: Sequence[Path] = ()
    asked: tuple[str, ...] = ()  # what was asked last; another question begins anew
    about: str = ""  # a hash of the model and of what was asked of it
    found: dict[int, Arrays] = field(default_factory=dict)  # of each block, up to where it is

    @property
    def is_part(self) -> bool:
        return self.of > 1

    def keeps(self, size: int = ROWS) -> Callable[[int], bool] | None:
        """Which rows are read, where blocks have `size` of them; None: all."""
        if self.files:
            return lambda _row: False
        return (lambda row: row // size % self.of == self.number) if self.is_part else None

    def over(
        self,
        checkpoint: Checkpoint,
        asked: Sequence[str],
        rows: int,
        compute: Callable[[range, ReportProgress], Arrays],
        progress: ReportProgress,
        *,
        join: Callable[[Sequence[Arrays]], Arrays] | None = None,
        size: int = ROWS,
    ) -> Arrays:
        """What `compute` finds of its blocks of all rows, joined: by `join` as soon as it is there, which keeps memory
        small, or one after the other.

        Raises BertcoreError where there is nothing to do, and for files that are damaged, missing or of another work.
        """
        blocks = [range(at, min(at + size, rows)) for at in range(0, rows, size)]
        own = range(0) if self.files else range(self.number, len(blocks), self.of)
        if not own and not self.files:
            raise BertcoreError(f"{rows:,} rows are {len(blocks):,} blocks, too few for {self.of:,} shards; use fewer.")
        self.about = described(checkpoint, asked) if self.files or self.is_part else ""
        self.found = self._joined() if self.files else self.found if self.asked == tuple(asked) else {}
        self.asked, last = tuple(asked), max(self.found, default=-1)
        for done, at in enumerate(own):
            if at > last:
                self.found[at] = compute(blocks[at], part_of(progress, done / len(own), 1 / len(own)))
                if join is not None and len(self.found) > 1:
                    self.found = {at: join(list(self.found.values()))}
            progress((done + 1) / len(own))
        return (join or beside)([self.found[at] for at in sorted(self.found)])

    def save(self, file: Path) -> None:
        """What it has found, as a .npz for whoever joins them. Raises BertcoreError where it cannot be written."""
        kept = {f"{at}/{name}": array for at, each in self.found.items() for name, array in each.items()}
        packed = io.BytesIO()
        np.savez_compressed(packed, about=self.about, shard=[self.number, self.of], **kept)  # type: ignore[arg-type]
        try:
            write_atomic(file, packed.getvalue(), follow=True)
        except OSError as error:
            why = f"The shard {file} cannot be written: {reason_of(error)}"
            raise BertcoreError(f"{why}; compute it again, with another --out FILE.npz.") from error

    def _joined(self) -> dict[int, Arrays]:
        """All blocks of all files."""
        found, there, all_of = dict[int, Arrays](), dict[int, Path](), 0
        for file in self.files:
            try:
                with np.load(file) as arrays:
                    (number, of), about = arrays["shard"].tolist(), str(arrays["about"])
                    for key in arrays.files:
                        if "/" in key:
                            found.setdefault(int(key.partition("/")[0]), {})[key.partition("/")[2]] = arrays[key]
            except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
                raise BertcoreError(f"The file {file} is no shard that can be read; compute it again.") from None
            if about != self.about or of != (all_of := all_of or of):
                why = "another model, collection, question or number of shards"
                raise BertcoreError(f"The shard {file} is of {why}; compute it again.")
            if number in there:
                raise BertcoreError(f"{there[number]} and {file} are the same shard, {number + 1} of {of}; name one.")
            there[number] = file
        if missing := sorted(set(range(all_of)) - set(there)):
            raise BertcoreError(f"Shard {missing[0] + 1} of {all_of} is missing; name the files of all {all_of}.")
        return found


def described(checkpoint: Checkpoint, asked: Sequence[str]) -> str:
    """A hash of a model, with its vocabulary, and of what is asked of it."""
    about = repr(checkpoint.config), checkpoint.tokenizer.raw.to_str(), *asked
    digest = hashlib.sha256("\n".join(about).encode("utf-8", "replace"))
    for name, value in checkpoint.model.state_dict().items():
        digest.update(name.encode() + value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
