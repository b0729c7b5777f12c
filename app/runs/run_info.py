"""What the window knows of one training run, as plain data. No torch, no widgets."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore import locations
from bertcore.config import PRESETS
from bertcore.errors import BertcoreError, name_from_file, printable, shortened
from bertcore.files import open_regular, read_json, read_json_or_empty, write_errors, write_json
from bertcore.json_text import parse_json
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT
from bertcore.runs.run_folder import CONFIG, QUESTIONS, RunFolder, RunStatus
from bertcore.runs.snapshots import can_resume
from bertcore.runs.sweep_results import SweepPlace, read_place
from bertcore.tasks.readers.reading import metrics_of
from bertcore.training.pretrain_options import PretrainOptions

from ..look import mark, say
from ..state.task_info import EVALUATION_FILE, spec_of, task_title
from .run_kinds import COMMANDS, RunKind, kind_in, word_of

if TYPE_CHECKING:
    from bertcore.data.cloze import ClozeSentence

SHIPPED: dict[str, str] = {  # what the runs that ship are called
    locations.BUILT_IN: mark("Training of bertscope-mini"),
    locations.TINY: mark("Training of bertscope-tiny"),
    locations.GERMAN: mark("Training of bertscope-tiny-de"),
    locations.CLASS_DEMO: mark("Class demo, finished"),
}
MOST_MESSAGE, MOST_METRICS, MOST_EXAMPLES, MOST_ITEMS, MOST_TEXT = 300, 40, 100, 1000, 4000
LARGEST = 1e15
LABEL = "label.json"  # what a person calls the run, whose folder keeps its name: others name its place
MOST_TAGS, MOST_NOTE = 12, 4000  # tags, characters
MOST_BYTES = 2**20  # every label of every run is read while the list of runs waits
COMPARISON_FILE = "comparison.json"  # of a distillation: teacher and student side by side
_TAIL_BYTES = 1 << 17  # read at a time: a few hundred training lines, mostly enough
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class RunInfo:
    """One row of the runs list."""

    path: Path
    name: str
    about: str  # what it does, size and text, for the line beside the name
    status: RunStatus
    held_out: dict[str, Any] | None = None  # the newest line of a measurement
    can_resume: bool = False  # not at work, not done, and has something to go on from
    is_built_in: bool = False  # ships with BERTscope, to be looked at only: how a built-in model was trained
    kind: str = PretrainOptions.kind  # the command that made it
    does: str = "pretrain"  # in a word: "classify", "tag + CRF"
    task: str = ""  # of a fine-tuning run
    task_kind: str | None = None
    metrics: tuple[str, ...] = ()  # measured on its held-out examples, the main one first
    has_questions: bool = False  # it answers some at each measurement
    tags: tuple[str, ...] = ()  # a person's own
    note: str = ""
    sweep: SweepPlace | None = None  # the sweep that it belongs to

    @property
    def run_kind(self) -> RunKind:
        """What its kind of run has in common; of a task's any kind that learns one."""
        return COMMANDS[self.kind]


def read_run(path: Path, status: RunStatus | None = None, held_out: dict[str, Any] | None = None) -> RunInfo:
    """A run as its folder tells it. A damaged folder gives a row that says so, never an exception."""
    try:
        return _row(RunFolder(path), status, held_out)
    except BertcoreError as error:
        return unreadable(path, str(error))
    except Exception as error:  # a folder from elsewhere may hold anything: the other runs are shown all the same
        return unreadable(path, f"{path} cannot be read as a run: {type(error).__name__}: {error}.")


def unreadable(path: Path, why: str) -> RunInfo:
    status = RunStatus("unknown", message=shortened(why, MOST_MESSAGE))
    return RunInfo(path, name_from_file(path.name), "", status, sweep=read_place(path))


def _row(run: RunFolder, status: RunStatus | None, held_out: dict[str, Any] | None) -> RunInfo:
    """Raises whatever a folder of anything can make go wrong."""
    path = run.path
    status = status or run.status()
    config = run.config()
    run.refuse_links()
    name = name_from_file(config.get("name"), otherwise=name_from_file(path.name))
    if is_built_in(path):
        title = say(SHIPPED[path.name]) if path.name in SHIPPED else name
        shipped = RunInfo(path, title, describe(config), status, held_out, is_built_in=True)
        return replace(shipped, does=word_of(config), has_questions=_has_questions(config))
    has_ended = status.state in ("stopped", "failed")
    resumable = has_ended and any(can_resume(folder) for _, folder in run.snapshots())
    label = read_label(path)
    row = RunInfo(path, label.name or name, describe(config), status, held_out, resumable)
    return replace(with_kind(row, config), tags=label.tags, note=label.note, sweep=read_place(path))


def with_kind(info: RunInfo, config: dict[str, Any]) -> RunInfo:
    """The same row, with what the run's config says of its kind."""
    spec, kind = spec_of(config), kind_in(config)
    return replace(
        info,
        kind=kind.usual.kind if kind else PretrainOptions.kind,
        does=name_from_file(word_of(config)),
        task=spec.name if spec else "",
        task_kind=spec.kind if spec else None,
        metrics=metrics_of(spec) if spec else (),
        has_questions=_has_questions(config),
    )


def _has_questions(config: dict[str, Any]) -> bool:
    data = config.get("data")
    kind = kind_in(config)
    is_pretraining = kind is not None and not kind.has_result
    return is_pretraining and isinstance(data, dict) and bool(data.get("questions"))


def read_questions(run: Path) -> tuple[ClozeSentence, ...]:
    """What the run is asked at each measurement; empty while it has no such file, or a damaged one."""
    from bertcore.data.cloze import read_cloze  # it imports tokenizers, which the first paint need not wait for

    try:
        return tuple(read_cloze(run / QUESTIONS))
    except BertcoreError:
        return ()


def is_built_in(path: Path) -> bool:
    return path.resolve().parent == (locations.assets() / "runs").resolve()


def describe(config: dict[str, Any]) -> str:
    """ "4 × 256 · stories.txt" from a run's config; what it does not say is left out."""
    spec = spec_of(config)
    parts = [task_title(spec)] if spec else []
    preset = config.get("preset")
    if not config.get("start") and isinstance(preset, str) and preset in PRESETS:
        parts.append(_size(config))
    begins_with = config.get("start") or config.get("teacher") or config.get("model")
    if isinstance(begins_with, str) and begins_with:
        model = model_name(begins_with)
        parts.append(say("teacher {model}", model=model) if config.get("teacher") else say("from {model}", model=model))
    data = config.get("data")
    corpus, mixture = (data.get("corpus"), data.get("mixture")) if isinstance(data, dict) else (None, None)
    if isinstance(mixture, dict) and mixture:  # the corpus is the folder that its files are in
        read = [source for source in mixture.values() if not (isinstance(source, dict) and source.get("held_out"))]
        parts.append(say("%n text file(s)", n=len(read)))
    elif isinstance(corpus, list | tuple) and corpus:
        rest, file = len(corpus) - 1, name_from_file(Path(str(corpus[0])).name)
        parts.append(say("{file} and %n more", n=rest, file=file) if rest else file)
    return " · ".join(parts)


def _size(config: dict[str, Any]) -> str:
    """ "mini, 4 × 256"; without the name of the preset where the run has changed its size."""
    preset, changes = PRESETS[config["preset"]], config.get("model")
    changes = changes if isinstance(changes, dict) else {}
    size = (
        config.get("layers") or changes.get("num_hidden_layers", preset[0]),
        config.get("hidden") or changes.get("hidden_size", preset[1]),
    )
    words = "{} × {}".format(*size)
    return f"{config['preset']}, {words}" if size == preset else name_from_file(words)


def model_name(reference: str) -> str:
    """How a checkpoint is called on the screen: a snapshot by its run."""
    path = Path(reference)
    return name_from_file(path.parent.parent.name if path.parent.name == "snapshots" else path.name or reference)


def newest_held_out(path: Path) -> dict[str, Any] | None:
    """The last measurement in a run's metrics, found from the end without reading the rest."""
    try:
        with open_regular(path / "metrics.jsonl") as stream:
            end, rest = stream.seek(0, 2), b""
            while end and len(rest) < _LONGEST_LINE:  # what is longer is no line of metrics
                start = max(0, end - _TAIL_BYTES)
                stream.seek(start)
                data = stream.read(end - start) + rest
                first = data.find(b"\n") + 1 if start else 0  # the line before it may be cut
                for line in reversed(data[first : data.rfind(b"\n") + 1].splitlines()):
                    if b'"held_out"' in line or b'"evaluation"' in line:
                        with contextlib.suppress(ValueError):
                            value = parse_json(line.decode("utf-8"), nulls=True)
                            if isinstance(value, dict) and value.get("kind") in (HELD_OUT, EVALUATION):
                                return value
                end, rest = start, data[:first]
    except OSError:
        return None
    return None


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
    examples: int = 0  # measured; 0 where the file does not say
    examples_cut: int = 0  # of these, longer than the model reads
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
            return _parsed(stamp, read_json(run / name))
        except (BertcoreError, OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return None


def _parsed(stamp: tuple[str, int, int], values: dict[str, Any]) -> RunResult:
    if "teacher" in values:
        return RunResult(stamp, sides={side: dict(values[side]) for side in ("teacher", "student")})
    labels = tuple(name_from_file(label) for label in values.get("labels") or ())
    confusion = tuple(tuple(int(_number(count)) for count in row) for row in values.get("confusion") or ())
    if confusion and {len(confusion), *map(len, confusion)} != {len(labels)}:
        raise ValueError("a confusion matrix has a row and a column for each label")
    metrics = {name_from_file(name): _number(value) for name, value in values["metrics"].items() if value is not None}
    return RunResult(
        stamp,
        metrics=dict(list(metrics.items())[:MOST_METRICS]),
        labels=labels,
        confusion=confusion,
        best=tuple(map(_example, (values.get("best") or ())[:MOST_EXAMPLES])),
        worst=tuple(map(_example, (values.get("worst") or ())[:MOST_EXAMPLES])),
        examples=int(_number(values.get("examples") or 0)),
        examples_cut=int(_number(values.get("examples_cut") or 0)),
    )


def _example(value: dict[str, Any]) -> HeldOutExample:
    """Raises ValueError, TypeError, AttributeError or KeyError for what no run writes."""
    texts = {name_from_file(name): _shown(text) for name, text in value["example"].items()}
    right, given, loss = _shown(value.get("right")), _shown(value.get("given")), value.get("loss")
    if not all(isinstance(texts.get(name, []), list) for name in ("words", "sentences", "endings")):
        raise TypeError("words, sentences and endings are lists")
    if "passage" in texts and any(isinstance(answer, int | float) for answer in (right, given)):
        raise TypeError("answers in a passage are texts")
    return HeldOutExample(texts, right, given, None if loss is None else _number(loss))


def _shown(value: Any) -> Any:
    """A text, a number, or a list of them, no longer than can be shown. Raises TypeError for anything else."""
    if isinstance(value, list):
        return [_shown(item) for item in value[:MOST_ITEMS] if not isinstance(item, list)]
    if value is not None and not isinstance(value, str | int | float):
        raise TypeError("neither a text nor a number")
    return shortened(printable(value), MOST_TEXT) if isinstance(value, str) else value


def _number(value: Any) -> float:
    """Raises ValueError for what is too large to be drawn."""
    number = float(value)
    if abs(number) > LARGEST:
        raise ValueError("too large a number")
    return number


@dataclass(frozen=True)
class RunLabel:
    """Empty where nothing was given: the run then has the name that it was started with."""

    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


def read_label(run: Path) -> RunLabel:
    """What a file from elsewhere says, as far as it can be shown; a damaged one counts as none."""
    values = read_json_or_empty(run / LABEL, MOST_BYTES)
    note, tags = values.get("note"), values.get("tags")
    return RunLabel(
        name_from_file(values.get("name")),
        tidy_tags(tags if isinstance(tags, list) else []),
        shortened("\n".join(map(printable, note.splitlines())), MOST_NOTE) if isinstance(note, str) else "",
    )


def write_label(run: Path, label: RunLabel) -> None:
    """Raises BertcoreError where the folder is no run, or cannot be written; and where there is a label that cannot be
    read just now: whoever is asked for a new one was not shown it."""
    if not (run / CONFIG).is_file():
        raise BertcoreError(f"{run} is not a run folder; it may have been moved.")
    read_json_or_empty(run / LABEL, MOST_BYTES, to_rewrite=True)
    with write_errors(run):
        write_json(run / LABEL, asdict(replace(label, note=label.note[:MOST_NOTE])))


def tidy_tags(tags: list[object]) -> tuple[str, ...]:
    """Each once, in one line, without empty ones."""
    found = dict.fromkeys(name_from_file(tag).strip(" #,") for tag in tags)
    return tuple(tag for tag in found if tag)[:MOST_TAGS]
