"""What the window knows of one training run, as plain data. No torch, no widgets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from bertcore import locations
from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import QUESTIONS, RunFolder, RunStatus
from bertcore.runs.snapshots import can_resume

from ..state.task_info import EVALUATION_FILE, kind_words, metrics_of, spec_of, task_title

if TYPE_CHECKING:
    from bertcore.data.cloze import ClozeSentence

SHIPPED = {  # what the runs that ship are called
    locations.BUILT_IN: "The built-in model's training",
    locations.TINY: "The tiny model's training",
    locations.CLASS_DEMO: "Class demo, finished",
}
_TAIL_BYTES = 1 << 17  # read at a time: a few hundred training lines, mostly enough


@dataclass(frozen=True)
class RunInfo:
    """One row of the runs list."""

    path: Path
    name: str
    about: str  # what it does, size and text, for the line beside the name
    status: RunStatus
    held_out: dict[str, Any] | None = None  # the newest {"kind": "held_out", ...} line
    can_resume: bool = False  # not at work, not done, and has something to go on from
    is_built_in: bool = False  # ships with BERTscope, to be looked at only: how a built-in model was trained
    kind: str = "pretrain"  # the command that made it: "pretrain", "finetune" or "distil"
    does: str = "pretrain"  # in a word: "classify", "tag + CRF"
    task_kind: str | None = None  # of a fine-tuning run
    metrics: tuple[str, ...] = ()  # measured on its held-out examples, the main one first
    has_questions: bool = False  # it answers some at each measurement


def read_run(path: Path, status: RunStatus | None = None, held_out: dict[str, Any] | None = None) -> RunInfo:
    """A run as its folder tells it. A damaged folder gives a row that says so, never an exception."""
    run = RunFolder(path)
    status = status or run.status()
    try:
        config = run.config()
    except BertcoreError as error:
        return RunInfo(path, path.name, "", RunStatus("unknown", message=str(error)))
    name = str(config.get("name") or path.name)
    if is_built_in(path):
        about = " · ".join(part for part in (name, describe(config)) if part)
        title = SHIPPED.get(path.name, name)
        return RunInfo(path, title, about, status, held_out, is_built_in=True, has_questions=_has_questions(config))
    resumable = status.state in ("stopped", "failed") and _has_resumable_snapshot(run)
    return with_kind(RunInfo(path, name, describe(config), status, held_out, resumable), config)


def with_kind(info: RunInfo, config: dict[str, Any]) -> RunInfo:
    """The same row, with what the run's config says of its kind."""
    spec, kind = spec_of(config), str(config.get("kind") or "pretrain")
    return replace(
        info,
        kind=kind,
        does=kind_words(config),
        task_kind=spec.kind if spec else None,
        metrics=metrics_of(spec) if spec else (),
        has_questions=_has_questions(config),
    )


def _has_questions(config: dict[str, Any]) -> bool:
    data = config.get("data")
    return config.get("kind", "pretrain") == "pretrain" and isinstance(data, dict) and bool(data.get("questions"))


def read_questions(run: Path) -> tuple[ClozeSentence, ...]:
    """What the run is asked at each measurement; empty while it has no such file, or a damaged one."""
    from bertcore.data.cloze import read_cloze  # it imports tokenizers, which the first paint need not wait for

    try:
        return tuple(read_cloze(run / QUESTIONS))
    except BertcoreError:
        return ()


def is_built_in(path: Path) -> bool:
    return path.resolve().parent == (locations.assets() / "runs").resolve()


def _has_resumable_snapshot(run: RunFolder) -> bool:
    return any(can_resume(folder) for _, folder in run.snapshots())


def describe(config: dict[str, Any]) -> str:
    """ "4 × 256 · stories.txt" from a run's config; what it does not say is left out."""
    spec = spec_of(config)
    translate = QCoreApplication.translate
    parts = [task_title(spec)] if spec else []
    if not config.get("start") and config.get("preset") in PRESETS:
        parts.append(_size(config))
    begins_with = config.get("start") or config.get("teacher") or config.get("model")
    if isinstance(begins_with, str) and begins_with:
        text = (
            translate("RunInfo", "teacher {model}") if config.get("teacher") else translate("RunInfo", "from {model}")
        )
        parts.append(text.format(model=model_name(begins_with)))
    data = config.get("data")
    corpus, mixture = (data.get("corpus"), data.get("mixture")) if isinstance(data, dict) else (None, None)
    if isinstance(mixture, dict) and mixture:  # the corpus is the folder that its files are in
        read = [source for source in mixture.values() if not (isinstance(source, dict) and source.get("held_out"))]
        parts.append(translate("RunInfo", "%n text file(s)", "", len(read)))
    elif isinstance(corpus, list | tuple) and corpus:
        rest = len(corpus) - 1
        files = translate("RunInfo", "{file} and %n more", "", rest) if rest else "{file}"
        parts.append(files.format(file=Path(str(corpus[0])).name))
    return " · ".join(parts)


def _size(config: dict[str, Any]) -> str:
    """ "mini, 4 × 256"; without the name of the preset where the run has changed its size."""
    preset = PRESETS[config["preset"]]
    changes = config.get("model")
    changes = changes if isinstance(changes, dict) else {}
    size = (changes.get("num_hidden_layers", preset[0]), changes.get("hidden_size", preset[1]))
    words = "{} × {}".format(*size)
    return f"{config['preset']}, {words}" if size == preset else words


def model_name(reference: str) -> str:
    """How a checkpoint is called on the screen: a snapshot by its run."""
    path = Path(reference)
    return path.parent.parent.name if path.parent.name == "snapshots" else path.name or reference


def newest_held_out(path: Path) -> dict[str, Any] | None:
    """The last held-out line of a run's metrics, found from the end without reading the rest."""
    try:
        with (path / "metrics.jsonl").open("rb") as stream:
            end, rest = stream.seek(0, 2), b""
            while end:
                start = max(0, end - _TAIL_BYTES)
                stream.seek(start)
                data = stream.read(end - start) + rest
                first = data.find(b"\n") + 1 if start else 0  # the line before it may be cut
                for line in reversed(data[first : data.rfind(b"\n") + 1].splitlines()):
                    if b'"held_out"' in line:
                        return _object(line)
                end, rest = start, data[:first]
    except OSError:
        return None
    return None


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and value.get("kind") == "held_out" else None


COMPARISON_FILE = "comparison.json"  # of a distillation: teacher and student side by side


@dataclass(frozen=True)
class HeldOutExample:
    """One example as the run wrote it down: its texts by name, the right answer and the one that was given."""

    texts: dict[str, Any]
    right: Any
    given: Any
    loss: float | None


@dataclass(frozen=True)
class RunResult:
    """`confusion` has the right labels as rows and the given ones as columns."""

    stamp: tuple[str, int, int]  # file, size and time: what this was read from
    metrics: dict[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    best: tuple[HeldOutExample, ...] = ()
    worst: tuple[HeldOutExample, ...] = ()
    sides: dict[str, dict[str, Any]] = field(default_factory=dict)  # "teacher" and "student"


def read_result(run: Path, known: RunResult | None = None) -> RunResult | None:
    """The result in a run folder; `known` itself where the file is still the one that this was read from.

    None while there is no such file; a damaged one counts as none.
    """
    for name in (EVALUATION_FILE, COMPARISON_FILE):
        try:
            about = (run / name).stat()
            stamp = (str(run / name), about.st_size, about.st_mtime_ns)
            if known is not None and known.stamp == stamp:
                return known
            values = json.loads((run / name).read_text(encoding="utf-8"))
            return _parsed(stamp, values)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return None


def _parsed(stamp: tuple[str, int, int], values: dict[str, Any]) -> RunResult:
    if "teacher" in values:
        return RunResult(stamp, sides={side: dict(values[side]) for side in ("teacher", "student")})
    return RunResult(
        stamp,
        metrics={name: float(value) for name, value in values["metrics"].items() if value is not None},
        labels=tuple(values.get("labels") or ()),
        confusion=tuple(tuple(int(count) for count in row) for row in values.get("confusion") or ()),
        best=_examples(values.get("best")),
        worst=_examples(values.get("worst")),
    )


def _examples(values: list[dict[str, Any]] | None) -> tuple[HeldOutExample, ...]:
    return tuple(
        HeldOutExample(dict(value["example"]), value.get("right"), value.get("given"), value.get("loss"))
        for value in values or ()
    )
