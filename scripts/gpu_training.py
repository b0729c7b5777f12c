"""Carry a pretraining run to a machine without network, text files or sentence splitter, and its model back.

    here    python scripts/gpu_training.py pack RECIPE TEXT... --tokenizer MODEL --out PARCEL
    there   python scripts/gpu_training.py unpack PARCEL... --run RUN       # then: bertcore pretrain --resume --out RUN
    there   python scripts/gpu_training.py split RUN --out PIECES           # the newest snapshot, and the run's records
    here    python scripts/gpu_training.py join PIECES... --run RUN

Both ways things travel as one packed archive in pieces, each with its checksum. docs/gpu.md has the plan of such a day.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, cast

import numpy as np
import typer

from bertcore.data.corpus_cache import cache_folder
from bertcore.errors import BertcoreError
from bertcore.files import read_json, write_json
from bertcore.runs.environment import ENVIRONMENT_FILE
from bertcore.runs.metrics_file import METRICS
from bertcore.runs.run_folder import CONFIG, LOG, SNAPSHOTS, STATUS, RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE
from bertcore.runs.sources import SOURCES_FILE, tokenised_keys
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.first_batch import FIRST_BATCH_FILE

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None)
INDEX = "pieces.json"  # beside the pieces, in each folder of them
MIB = 2**20
_STARTS = ("sentence_starts.npy", "document_starts.npy")  # travel as differences, a third of the size
_RECORDS = (CONFIG, STATUS, METRICS, LOG, ENVIRONMENT_FILE, SOURCES_FILE, FIRST_BATCH_FILE, EVALUATION_FILE)

Out = Annotated[Path, typer.Option("--out", help="The folder to write; it must not exist yet.")]
Run = Annotated[Path, typer.Option("--run", help="The run folder to write; it must not exist yet.")]
TripMib = Annotated[float, typer.Option(min=0.001, help="Pieces that travel together, in a folder trip-N each.")]


@app.command()
def pack(
    recipe: Annotated[Path, typer.Argument(help="Recipe of the run.")],
    corpus: Annotated[list[Path], typer.Argument(help="Text files, or for a mixture the folders that hold them.")],
    tokenizer: Annotated[str, typer.Option(help="Vocabulary: a run, a checkpoint or a built-in model.")],
    out: Out,
    piece_mib: Annotated[float, typer.Option(min=0.001)] = 14.0,
    trip_mib: TripMib = 28.0,
) -> None:
    """Pack the tokenised text, the vocabulary and the settings of a run that is to begin elsewhere."""
    from bertcore.data.corpus import load_corpus
    from bertcore.resolve_model import resolve_model
    from bertcore.training.pretrain_options import PretrainOptions

    folders = tuple(str(path.resolve()) for path in corpus)
    options = PretrainOptions.from_file(recipe).with_changes(corpus=folders)
    vocabulary = Tokenizer.from_folder(resolve_model(tokenizer))
    data = options.data
    groups = {file.name: [file] for file in data.files} if data.sources else {"text": [Path(name) for name in folders]}
    keys = {name: load_corpus(files, vocabulary, None, data.text_format).key for name, files in groups.items()}
    with tempfile.TemporaryDirectory() as scratch:
        vocabulary.save(Path(scratch) / "tokenizer")
        write_json(Path(scratch) / "run.json", {"options": options.to_dict(), "keys": keys})
        with written_in_pieces(out, piece_mib, trip_mib, preset=1) as archive:
            archive.add(Path(scratch) / "run.json", "run.json")
            archive.add(Path(scratch) / "tokenizer", "tokenizer")
            for key in dict.fromkeys(keys.values()):
                _add_cache(archive, cache_folder() / f"{key}-shards")
    trips = sorted(out.iterdir())
    total = sum(file.stat().st_size for file in out.rglob("*") if file.is_file()) / MIB
    typer.echo(f"{len(keys)} texts in {total:.1f} MiB, {len(trips)} trips: {', '.join(trip.name for trip in trips)}")


@app.command()
def unpack(
    folders: Annotated[list[Path], typer.Argument(help="The folders of all trips.")],
    run: Run,
) -> None:
    """Put the tokenised text into the cache of this machine (BERTSCOPE_HOME), and begin the run's folder."""
    with tempfile.TemporaryDirectory(dir=_made(cache_folder())) as scratch:
        unpacked = Path(scratch)
        extract(folders, unpacked)
        about = read_json(unpacked / "run.json", "pack the run again")
        for key in dict.fromkeys(about["keys"].values()):
            _restore_starts(unpacked / key)
            target = cache_folder() / f"{key}-shards"
            if not target.exists():
                shutil.move(unpacked / key, target)
        RunFolder.create(run, about["options"])
        shutil.copytree(unpacked / "tokenizer", run / "tokenizer")
        write_json(run / SOURCES_FILE, {"files": [], "tokenised": dict(about["keys"])})  # as it was tokenised elsewhere
    typer.echo(f"Continue with: bertcore pretrain --resume --out {run}")


@app.command()
def split(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Out,
    half: Annotated[
        bool, typer.Option("--half", help="Weights in fp16, without what the run needs to be resumed: a fifth of it.")
    ] = False,
    piece_mib: Annotated[float, typer.Option(min=0.001)] = 15.0,
    trip_mib: Annotated[
        float, typer.Option(min=0.001, help="Pieces that travel together: a folder trip-N each.")
    ] = 120,
) -> None:
    """Cut the newest snapshot of a run, and its records, into pieces."""
    newest = RunFolder(run).newest_snapshot()
    if newest is None:
        raise BertcoreError(f"The run {run} has no snapshot yet; give it another minute.")
    with tempfile.TemporaryDirectory() as scratch:
        snapshot = newest
        if half:
            snapshot = Path(scratch) / newest.name
            _save_half(newest, snapshot)
        with written_in_pieces(out, piece_mib, trip_mib, preset=0) as archive:
            for name in _RECORDS:
                if (run / name).is_file():
                    archive.add(run / name, name)
            archive.add(run / "tokenizer", "tokenizer")
            archive.add(snapshot, f"{SNAPSHOTS}/{newest.name}")
    pieces = [file for file in out.rglob("*") if file.is_file() and file.name != INDEX]
    typer.echo(f"{newest.name} in {len(pieces)} pieces, {sum(file.stat().st_size for file in pieces) / MIB:.1f} MiB")


@app.command()
def join(
    folders: Annotated[list[Path], typer.Argument(help="The folders of all trips.")],
    run: Run,
) -> None:
    """Put the pieces of a run together again. It can be resumed where its tokenised text is in the cache."""
    if run.exists():
        raise BertcoreError(f"There is already something at {run}; name another folder.")
    with tempfile.TemporaryDirectory(dir=_made(run.resolve().parent)) as scratch:
        unpacked = Path(scratch) / "run"
        extract(folders, _made(unpacked))
        shutil.move(unpacked, run)
    newest = RunFolder(run).newest_snapshot()
    resumable = newest is not None and (newest / TRAINING_STATE_FILE).is_file() and bool(tokenised_keys(run))
    typer.echo(f"{newest}, {'can be resumed' if resumable else 'weights only'}")


# --- pieces


class _Pieces(io.RawIOBase):
    """A file to write to that is cut into numbered ones, in a folder for each trip."""

    def __init__(self, folder: Path, piece_bytes: int, trip_bytes: int) -> None:
        self.folder, self.piece_bytes = folder, piece_bytes
        self.pieces_of_a_trip = max(1, trip_bytes // piece_bytes)
        self.facts: list[dict[str, Any]] = []
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._waiting += data
        while len(self._waiting) >= self.piece_bytes:
            self._write_piece()
        return len(data)

    def finish(self) -> None:
        """Write what is left, and into each folder the index over all pieces."""
        while self._waiting:
            self._write_piece()
        for trip in self.folder.iterdir():
            write_json(trip / INDEX, {"pieces": self.facts})

    def _write_piece(self) -> None:
        data = bytes(self._waiting[: self.piece_bytes])
        del self._waiting[: self.piece_bytes]
        number = len(self.facts)
        trip = _made(self.folder / f"trip-{1 + number // self.pieces_of_a_trip}")
        name = f"piece-{number:03}"
        (trip / name).write_bytes(data)
        self.facts.append({"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


@contextmanager
def written_in_pieces(out: Path, piece_mib: float, trip_mib: float, preset: int) -> Iterator[tarfile.TarFile]:
    """An archive to add files to; it becomes pieces in folders trip-1, trip-2 ... of `out`."""
    if out.exists():
        raise BertcoreError(f"There is already something at {out}; name another folder.")
    pieces = _Pieces(_made(out), int(piece_mib * MIB), int(trip_mib * MIB))
    with (
        lzma.LZMAFile(cast(IO[bytes], pieces), "wb", preset=preset) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        yield archive
    pieces.finish()


def extract(folders: list[Path], target: Path) -> None:
    """Raises BertcoreError where a piece is missing or differs from its checksum; nothing is written then."""
    indexes = [folder / INDEX for folder in folders if (folder / INDEX).is_file()]
    if not indexes:
        raise BertcoreError(f"There is no {INDEX} in {', '.join(map(str, folders))}; name the folders of the pieces.")
    facts = read_json(indexes[0], "carry that folder over again")["pieces"]
    files = []
    for fact in facts:
        file = next((folder / fact["name"] for folder in folders if (folder / fact["name"]).is_file()), None)
        if file is None:
            raise BertcoreError(
                f"The piece {fact['name']} of {len(facts)} is missing; carry it over, and name its folder."
            )
        if hashlib.sha256(file.read_bytes()).hexdigest() != fact["sha256"]:
            raise BertcoreError(f"The piece {file} is damaged, or belongs to another parcel; carry it over again.")
        files.append(file)
    with lzma.LZMAFile(cast(IO[bytes], _Joined(files))) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
        for member in archive:  # by hand: the first versions of Python 3.11 have no filter for what is in it
            place = target / member.name
            if not (member.isfile() or member.isdir()) or target.resolve() not in place.resolve().parents:
                raise BertcoreError(
                    f"The parcel contains {member.name}, which does not belong in a run; pack it again."
                )
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
            else:
                _made(place.parent)
                with cast(IO[bytes], archive.extractfile(member)) as source, place.open("wb") as written:
                    shutil.copyfileobj(source, written)


class _Joined(io.RawIOBase):
    """Files read one after the other."""

    def __init__(self, files: list[Path]) -> None:
        self._files = list(files)
        self._data = io.BytesIO()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._data.read(size)
        while not data and self._files and size:
            self._data = io.BytesIO(self._files.pop(0).read_bytes())
            data = self._data.read(size)
        return data


# --- what travels


def _add_cache(archive: tarfile.TarFile, folder: Path) -> None:
    """What `open_corpus` reads. Lengths and hashes, from which a cache is built, stay here."""
    key = folder.name.removesuffix("-shards")
    for name in ["about.json", "held_out.npy", *sorted(file.name for file in folder.glob("tokens-*.npy"))]:
        archive.add(folder / name, f"{key}/{name}")
    for name in _STARTS:
        stream = io.BytesIO()
        np.save(stream, np.diff(np.load(folder / name)).astype(np.uint32))
        about = tarfile.TarInfo(f"{key}/{name}")
        about.size = stream.tell()
        stream.seek(0)
        archive.addfile(about, stream)


def _restore_starts(folder: Path) -> None:
    for name in _STARTS:
        lengths = np.load(folder / name)
        np.save(folder / name, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


def _save_half(snapshot: Path, folder: Path) -> None:
    import torch

    from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint

    checkpoint = load_checkpoint(snapshot)
    seen = json.loads((snapshot / "bertscope.json").read_text(encoding="utf-8"))
    save_checkpoint(checkpoint.model, checkpoint.tokenizer, folder, **seen, store_as=torch.float16)
    for file in snapshot.iterdir():
        if not (folder / file.name).exists() and file.name not in (TRAINING_STATE_FILE, OPTIMIZER_FILE):
            shutil.copy(file, folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    try:
        app()
    except BertcoreError as error:
        sys.exit(str(error))
