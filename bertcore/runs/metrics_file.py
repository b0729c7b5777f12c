"""metrics.jsonl of a run folder: read as it grows, cut back for a resume. No torch."""

import json
import math
import os
from pathlib import Path
from typing import Any, BinaryIO, TextIO

METRICS = "metrics.jsonl"


class MetricsTail:
    """Reads metrics.jsonl as it grows, from where it stopped the last time.

    restarted: the last `read_new` began at the top again, because the file was cut or replaced (a resumed run);
        what was read before it counts no more.
    more: the last `read_new` stopped at its limit; call again soon.
    """

    def __init__(self, path: str | Path) -> None:
        """`path`: the run folder, or its metrics.jsonl."""
        path = Path(path)
        self.path = path if path.suffix == ".jsonl" else path / METRICS
        self.restarted = False
        self.more = False
        self._offset = 0  # bytes of whole lines and of the partial last line that were read
        self._partial = b""
        self._file_id: tuple[int, int] | None = None

    def read_new(self, max_bytes: int | None = None) -> list[dict[str, Any]]:
        """The metrics of the lines that are new and whole; lines that are no JSON object are skipped."""
        self.restarted = self.more = False
        try:
            with self.path.open("rb") as stream:
                data = self._new_bytes(stream.fileno(), stream, max_bytes)
        except FileNotFoundError:
            data = b""
            self._start_over()
        except OSError:
            return []
        *lines, self._partial = (self._partial + data).split(b"\n")
        return _parse_lines(lines)

    def _new_bytes(self, fileno: int, stream: BinaryIO, max_bytes: int | None) -> bytes:
        stat = os.fstat(fileno)
        file_id = (stat.st_dev, stat.st_ino)
        if file_id != self._file_id or stat.st_size < self._offset:
            self._start_over()
        self._file_id = file_id
        stream.seek(self._offset)
        data = stream.read(-1 if max_bytes is None else max_bytes)
        self._offset += len(data)
        self.more = self._offset < stat.st_size
        return data

    def _start_over(self) -> None:
        self.restarted = self._offset > 0
        self._offset, self._partial, self._file_id = 0, b"", None


def open_at_line_start(file: Path) -> TextIO:
    """Opened to append; a last line that a killed writer left unfinished is ended first."""
    stream = file.open("ab+")
    if stream.tell() > 0:
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) != b"\n":
            stream.write(b"\n")
    stream.close()
    return file.open("a", encoding="utf-8", newline="\n")


def step_of(line: bytes) -> float:
    """The step of a metrics line; infinite where there is none, so that garbage is dropped."""
    metric = _parse(line.decode("utf-8", errors="replace"))
    step = metric.get("step") if isinstance(metric, dict) else None
    return step if isinstance(step, int) else math.inf


def _parse_lines(lines: list[bytes]) -> list[dict[str, Any]]:
    texts = [line.decode("utf-8", errors="replace") for line in lines if line.strip()]
    values = _parse("[" + ",".join(texts) + "]")  # one call for all of them: some three times faster
    if not isinstance(values, list) or len(values) != len(texts):
        values = [_parse(text) for text in texts]
    return [value for value in values if isinstance(value, dict)]


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _name: None)  # NaN and infinity of other writers: no number
    except (ValueError, RecursionError):
        return None
