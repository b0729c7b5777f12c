"""metrics.jsonl of a run folder, line by line: followed as it grows, and what a killed writer left of it. No torch."""

import math
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from bertcore.files import append_to, open_regular
from bertcore.json_text import parse_json

METRICS = "metrics.jsonl"
HELD_OUT = "held_out"  # kind of a line: a measurement on held-out data, always the same
EVALUATION = "evaluation"  # one of the model that the run ends with, on all of it, where the last of the others is not
LARGEST_NUMBER = 1e18  # beyond it a number of a line, a status or a setting is damaged
UPDATES = "updates"  # how large a step's updates were
SLOW_STEP = "slow_step"  # a step in slow motion
_SHARES = ("accuracy", "top5")  # names that end so are shares of 1
_MOST_NUMBERS = 6
_PAIRS = {"nsp": "next sentence", "sop": "sentence order"}
_LONGEST_LINE = 1 << 20  # bytes of a line of metrics; one has some 500
_READ_AT_ONCE = 1 << 20


class MetricsTail:
    """Reads metrics.jsonl as it grows, from where it stopped the last time.

    restarted: the last `read_new` began at the top again, because the file was cut or replaced (a resumed run);
        what was read before it counts no more.
    more: the last `read_new` stopped at its limit; call again soon.
    """

    def __init__(self, path: str | Path, kinds: Collection[str] = ()) -> None:
        """`path`: the run folder, or its metrics.jsonl. `kinds`: of lines that are read; none: of all.

        Of 100,000 lines some twenty are measurements: to find them takes a tenth of the time that to parse all takes.
        """
        path = Path(path)
        self._kinds = frozenset(kinds)
        self.path = path if path.suffix == ".jsonl" else path / METRICS
        self.restarted = False
        self.more = False
        self._offset = 0  # bytes of whole lines and of the partial last line that were read
        self._partial = b""
        self._is_skipping = False  # a line that is too long to be one, until its end
        self._file_id: tuple[int, int] | None = None

    def read_new(self, max_bytes: int | None = None) -> list[dict[str, Any]]:
        """The metrics of the lines that are new and whole; lines that are no JSON object are skipped, and what has no
        number as its step."""
        if max_bytes is None:
            metrics, restarted = self.read_new(_READ_AT_ONCE), self.restarted
            while self.more:
                new = self.read_new(_READ_AT_ONCE)
                metrics, restarted = (new, True) if self.restarted else (metrics + new, restarted)
            self.restarted = restarted
            return metrics
        self.restarted = self.more = False
        try:
            with open_regular(self.path) as stream:
                data = self._new_bytes(stream.fileno(), stream, max_bytes)
        except FileNotFoundError:
            data = b""
            self._start_over()
        except OSError:
            return []
        *lines, self._partial = (self._partial + data).split(b"\n")
        if lines and self._is_skipping:
            lines, self._is_skipping = lines[1:], False
        if len(self._partial) > _LONGEST_LINE or self._is_skipping:
            self._partial, self._is_skipping = b"", True
        words = [f'"{kind}"'.encode() for kind in self._kinds]
        wanted = [line for line in lines if not words or any(word in line for word in words)]
        metrics = _parse_lines([line for line in wanted if len(line) <= _LONGEST_LINE])
        return [each for each in metrics if not words or each.get("kind") in self._kinds]

    def _new_bytes(self, fileno: int, stream: BinaryIO, max_bytes: int) -> bytes:
        stat = os.fstat(fileno)
        file_id = (stat.st_dev, stat.st_ino)
        if file_id != self._file_id or stat.st_size < self._offset:
            self._start_over()
        self._file_id = file_id
        stream.seek(self._offset)
        data = stream.read(max_bytes)
        self._offset += len(data)
        self.more = self._offset < stat.st_size
        return data

    def _start_over(self) -> None:
        self.restarted = self._offset > 0
        self._offset, self._partial, self._file_id, self._is_skipping = 0, b"", None, False


def open_at_line_start(file: Path) -> BinaryIO:
    """Opened to append; a last line that a killed writer left unfinished is ended first."""
    stream = append_to(file)
    if stream.seek(0, os.SEEK_END) > 0:
        stream.seek(-1, os.SEEK_END)
        if stream.read(1) != b"\n":
            stream.write(b"\n")
    return stream


def whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines without their ends; one that is too long to be one is left out."""
    is_rest = False
    while line := stream.readline(_LONGEST_LINE):
        is_whole = line.endswith(b"\n") or len(line) < _LONGEST_LINE
        if is_whole and not is_rest:
            yield line.rstrip(b"\r\n")
        is_rest = not is_whole


def step_of(line: bytes) -> float:
    """The step of a metrics line; infinite where there is none, so that garbage is dropped, and for what a run says of
    its end, which is another one once it goes on."""
    metric = _parse(line.decode("utf-8", errors="replace"))
    step = metric.get("step") if isinstance(metric, dict) and metric.get("kind") != EVALUATION else None
    return step if type(step) is int else math.inf


def examples_of(measurement: Mapping[str, Any]) -> int | None:
    """How many examples a line's measurement was made on; None where it was made on text."""
    count = measurement.get("examples")
    return count if type(count) is int and 0 < count <= LARGEST_NUMBER else None


def _parse_lines(lines: list[bytes]) -> list[dict[str, Any]]:
    texts = [line.decode("utf-8", errors="replace") for line in lines if line.strip()]
    values = _parse("[" + ",".join(texts) + "]")  # one call for all of them: some three times faster
    if not isinstance(values, list) or len(values) != len(texts):
        values = [_parse(text) for text in texts]
    return [value for value in values if isinstance(value, dict) and number(value.get("step", 0)) is not None]


def number(value: Any) -> float | None:
    """A value of a line as a number; None for what is none, or cannot be drawn and added."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER
    return float(value) if is_number else None


def _parse(text: str) -> Any:
    try:
        return parse_json(text, nulls=True)  # NaN and infinity of other writers: no number
    except ValueError:
        return None


def held_out_in_words(event: Mapping[str, Any]) -> str:
    """ "held out: loss 8.680 (masked words 7.989, next sentence 0.691), masked words right 3.1% ..."."""
    held_out = "all held out" if event.get("kind") == EVALUATION else "held out"
    if "mlm_loss" not in event:
        numbers = [(name, value) for name, value in event.items() if isinstance(value, float)][:_MOST_NUMBERS]
        examples = f" ({event['examples']:,} examples)" if "examples" in event else ""
        return f"{held_out}{examples}: " + ", ".join(
            f"{name.replace('_', ' ')} {n:{'.1%' if name.endswith(_SHARES) else '.3f'}}" for name, n in numbers
        )
    pairs = {head: title for head, title in _PAIRS.items() if event.get(f"{head}_loss") is not None}
    parts = f"masked words {event['mlm_loss']:.3f}"
    parts += "".join(f", {title} {event[f'{head}_loss']:.3f}" for head, title in pairs.items())
    right = f"masked words right {event['mlm_accuracy']:.1%}, in the top five {event['mlm_top5']:.1%}"
    right += "".join(f", {title} right {event[f'{head}_accuracy']:.1%}" for head, title in pairs.items())
    return f"{held_out}: loss {event['loss']:.3f} ({parts}), {right}"
