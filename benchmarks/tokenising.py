"""Preparing a corpus, against `tokenizers` alone on the same sentences and the same cores.

    python -m benchmarks.tokenising [FILE ...]

Ours does all of it: read the files, split them into sentences, tokenise in one process per core, gather the ids, write
shards with checksums and the index, read them back and check them. The peer has the sentences in memory, split already,
and calls `Tokenizer.encode_batch` on 2,000 at a time (faster than all in one go) with one thread per core; what it
gives stays inside the library. Wall time, and besides it processor time, which other work on the machine disturbs less.
Absent: the sample stories, some 14 times over.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks.timing import Row
from bertcore.data.corpus import load_corpus
from bertcore.data.text import Paragraphs
from bertcore.data.tokenising import split_sentences
from bertcore.locations import built_in_checkpoint, sample_corpus
from bertcore.tokenizer.tokenizer import Tokenizer

ASKED, ROUNDS, AT_ONCE = 0.95, 3, 2_000
TEXT_BYTES = 20_000_000

Seconds = tuple[float, float]  # wall, processors of this process and its children


def rows(files: list[Path] | None = None) -> list[Row]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    os.environ.update(TOKENIZERS_PARALLELISM="true", RAYON_NUM_THREADS=str(cores))  # before its first batch
    tokenizer = Tokenizer.from_folder(built_in_checkpoint())
    with tempfile.TemporaryDirectory() as folder:
        files = files or [_stories(Path(folder))]
        sentences = [sentence for paragraph in Paragraphs(files) for sentence in split_sentences(paragraph)]
        mib = sum(len(sentence.encode()) for sentence in sentences) / 2**20
        times: tuple[list[Seconds], list[Seconds]] = ([], [])
        for number in range(ROUNDS):
            home = Path(folder) / str(number)  # each time without a cache
            times[0].append(_timed(lambda: _ours(files, tokenizer, cores, home)))  # noqa: B023
            times[1].append(_timed(lambda: _peer(sentences, tokenizer)))
    return [_row(column, name, mib, times) for column, name in enumerate(("wall", "processor"))]


def _row(column: int, name: str, mib: float, times: tuple[list[Seconds], list[Seconds]]) -> Row:
    ours, peer = (median(one[column] for one in side) for side in times)
    what = f"preparing a corpus of {mib:.0f} MiB, {name} time"
    ratio = peer / ours
    return Row(what, f"{mib / ours:.2f} MiB/s", f"{mib / peer:.2f} MiB/s", ratio, f">= {ASKED}", ratio >= ASKED)


def _ours(files: list[Path], tokenizer: Tokenizer, cores: int, home: Path) -> None:
    before = os.environ.get("BERTSCOPE_HOME")
    os.environ["BERTSCOPE_HOME"] = str(home)
    try:
        load_corpus(files, tokenizer, processes=cores)
    finally:
        if before is None:
            del os.environ["BERTSCOPE_HOME"]
        else:
            os.environ["BERTSCOPE_HOME"] = before


def _peer(sentences: list[str], tokenizer: Tokenizer) -> None:
    for first in range(0, len(sentences), AT_ONCE):
        tokenizer.raw.encode_batch(sentences[first : first + AT_ONCE], add_special_tokens=False)


def _timed(work: Callable[[], None]) -> Seconds:
    wall, processors = time.perf_counter(), _processor_seconds()
    work()
    return time.perf_counter() - wall, _processor_seconds() - processors


def _processor_seconds() -> float:
    return sum(os.times()[:4])


def _stories(folder: Path) -> Path:
    text = sample_corpus().read_text(encoding="utf-8")
    file = folder / "stories.txt"
    file.write_text("\n\n".join([text] * (TEXT_BYTES // len(text))), encoding="utf-8")
    return file


def main(files: Annotated[list[Path] | None, typer.Argument()] = None) -> None:
    for row in rows(files or None):
        print(f"{row.what}: ours {row.ours}, peer {row.peer}, ratio {row.ratio:.3f} (asked {row.asked})")


if __name__ == "__main__":
    typer.run(main)
