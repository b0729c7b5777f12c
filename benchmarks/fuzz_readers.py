"""The readers of files from elsewhere, with sound files to begin from; and how those are damaged."""

import gzip
import io
import json
import lzma
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from bertcore.locations import assets

MOST_BYTES = 2_000_000  # of an input; a large file takes its time, and is no finding
READS_AT_MOST = 60_000  # bytes of a seed: what is to be found in a long file is in its beginning


@dataclass(frozen=True)
class Reader:
    """One way in. `read` gets a folder with the files of `around`, one of them damaged."""

    read: Callable[[Path], object]
    seeds: Mapping[str, bytes]  # name of the file -> sound content; each of them is damaged in its turn
    around: Mapping[str, bytes]  # what else there must be
    needs_all: bool = False  # the other seeds too; else they are one another's alternatives


def readers() -> dict[str, Callable[[], Reader]]:
    """By name; made when asked for, since some import torch or Qt."""
    tasks = {name: (lambda name=name: _task(name)) for name in _TASK_FILES}
    return {
        "safetensors": _safetensors,
        "pickled": _pickled,
        "index": _index,
        "config": _config,
        "tokenizer": _tokenizer,
        "vocabulary": _vocabulary,
        "session": _session,
        "settings": _settings,
        "run": _run,
        "label": _label,
        "resume": _resume,
        "recipe": _recipe,
        "lesson": _lesson,
        "hand-in": _hand_in,
        "corpus": _corpus,
        "records": _records,
        "evaluation-set": _evaluation_set,
        "score": _score,
        **{f"task-{name}": made for name, made in tasks.items()},
    }


# --- checkpoints ---

_CHECKPOINT = assets() / "checkpoints" / "bertscope-tiny"


def _tiny() -> dict[str, bytes]:
    """The files of a model with a dozen tokens, so that hundreds open in a second."""
    from tempfile import TemporaryDirectory

    from bertcore.checkpoint.checkpoint import save_checkpoint
    from bertcore.config import BertConfig
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
    from bertcore.tokenizer.tokenizer import Tokenizer
    from bertcore.tokenizer.vocabularies import raw_from_words

    words = (*SPECIAL_TOKENS, "the", "cat", "sat", "##s", ".", "a", "b", "c")
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=16,
        labels=("no", "yes"),
    )
    with TemporaryDirectory() as folder:
        save_checkpoint(
            Bert(config, ("mlm", "nsp", "classify", "tag")),
            Tokenizer(raw_from_words(words)),
            Path(folder),
        )
        return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def _load(folder: Path) -> None:
    from bertcore.checkpoint.checkpoint import load_checkpoint

    load_checkpoint(folder)


def _reader(read: Callable[[Path], object], files: dict[str, bytes], *damaged: str) -> Reader:
    seeds = {name: files[name] for name in damaged}
    around = {name: content for name, content in files.items() if name not in seeds}
    return Reader(read, seeds, around, needs_all=True)


def _safetensors() -> Reader:
    return _reader(_load, _tiny(), "model.safetensors")


def _pickled() -> Reader:
    import torch
    from safetensors.torch import load

    files = _tiny()
    tensors = load(files.pop("model.safetensors"))
    seeds = {}
    for name, is_new in (("zip", True), ("legacy", False)):
        out = io.BytesIO()
        torch.save(tensors, out, _use_new_zipfile_serialization=is_new)
        seeds[name] = out.getvalue()

    def read(folder: Path) -> None:
        damaged = next(folder / name for name in seeds if (folder / name).is_file())
        damaged.rename(folder / "pytorch_model.bin")
        _load(folder)

    return Reader(read, seeds, files)


def _index() -> Reader:
    files = _tiny()
    files["part-1.safetensors"] = content = files.pop("model.safetensors")
    names = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    table = {name: "part-1.safetensors" for name in names if name != "__metadata__"}
    files["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": table}).encode()
    return _reader(_load, files, "model.safetensors.index.json")


def _config() -> Reader:
    files = _tiny()
    files["1_Pooling/config.json"] = b'{"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true}'
    files["modules.json"] = b'[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]'
    return _reader(_load, files, "config.json", "bertscope.json", "1_Pooling/config.json", "modules.json")


def _use_tokenizer(folder: Path) -> None:
    from bertcore.tokenizer.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_folder(folder)
    tokenizer.encode("The cat sats. \U0001f600 Ünd 中文 [MASK]", "A b c.", max_length=16)
    tokenizer.save(folder / "again")


def _tokenizer() -> Reader:
    files = {name: content for name, content in _tiny().items() if "token" in name}
    files["special_tokens_map.json"] = b'{"unk_token": "[UNK]", "mask_token": {"content": "[MASK]", "lstrip": true}}'
    return _reader(_use_tokenizer, files, *files)


def _vocabulary() -> Reader:
    files = {"vocab.txt": _tiny()["vocab.txt"], "added_tokens.json": b'{"<x>": 13, "<y>": 14}'}
    files["tokenizer_config.json"] = json.dumps(
        {"do_lower_case": True, "added_tokens_decoder": {"13": {"content": "<x>", "special": True}}}
    ).encode()
    return _reader(_use_tokenizer, files, *files)


# --- what the window keeps ---


def _session() -> Reader:
    from app.state.session_file import Session, as_json, load_session

    return Reader(lambda folder: load_session(folder / "a.json"), {"a.json": as_json(Session()).encode()}, {})


def _settings() -> Reader:
    from dataclasses import asdict

    from app.shell.settings import FORMAT_VERSION, Settings, load_settings

    content = json.dumps({"format_version": FORMAT_VERSION, **asdict(Settings())}).encode()

    def read(folder: Path) -> None:
        load_settings(folder / "settings.json").save(folder / "again.json")

    return Reader(read, {"settings.json": content}, {})


def _run() -> Reader:
    from app.runs.run_info import newest_held_out, read_result, read_run
    from bertcore.runs.metrics_file import MetricsTail
    from bertcore.runs.run_folder import RunFolder

    source = assets() / "runs" / "bertscope-tiny"
    files = {file.name: file.read_bytes()[:READS_AT_MOST] for file in source.iterdir() if file.is_file()}
    files["status.json"] = files.get("status.json") or b'{"state": "done", "step": 10, "pid": 1}'
    files["control.json"] = b'{"command": "stop"}'
    files["evaluation.json"] = (
        files.get("evaluation.json")
        or json.dumps(
            {"metrics": {"accuracy": 0.5}, "labels": ["a", "b"], "confusion": [[1, 2], [3, 4]], "best": [], "worst": []}
        ).encode()
    )
    read_by_us = ("config.json", "status.json", "metrics.jsonl", "evaluation.json", "control.json", "sources.json")

    def read(folder: Path) -> None:
        run = RunFolder(folder)
        run.config()
        run.status()
        run.snapshots()
        MetricsTail(folder).read_new()
        newest_held_out(folder)
        read_result(folder)
        read_run(folder)

    return _reader(read, files, *(name for name in read_by_us if name in files))


def _label() -> Reader:
    from app.runs.run_info import LABEL, read_label, write_label
    from app.runs.run_keeping import export_name

    def read(folder: Path) -> None:
        label = read_label(folder)
        export_name(label.name).encode()
        write_label(folder, label)

    content = json.dumps({"name": "small, warm", "tags": ["class", "2nd try"], "note": "It learned.\nThen it did not."})
    return Reader(read, {LABEL: content.encode()}, {"config.json": b'{"name": "x"}'})


def _resume() -> Reader:
    from bertcore.training.kept_steps import TRAINING_STATE_FILE

    progress = {"step": 3, "tokens": 99, "elapsed_s": 1.5, "corpus_key": "x", "samplers": {"32": [1, [2, 3]]}}

    def read(folder: Path) -> None:
        from bertcore.training.kept_steps import read_training_state

        read_training_state(folder)

    return Reader(read, {TRAINING_STATE_FILE: json.dumps(progress).encode()}, {})


def _recipe() -> Reader:
    from bertcore.settings import read_recipe
    from bertcore.training.pretrain_options import PretrainOptions

    content = next((assets() / "recipes").glob("*.json")).read_bytes()

    def read(folder: Path) -> None:
        PretrainOptions.from_dict(read_recipe(folder / "recipe.json"))

    return Reader(read, {"recipe.json": content}, {})


def _lesson() -> Reader:
    from app.lessons.parser import load_lesson
    from app.shell.rooms import ROOMS

    rooms = {spec.key: () for spec in ROOMS}
    seeds = {file.name: file.read_bytes() for file in sorted((assets() / "lessons").glob("*.md"))}

    def read(folder: Path) -> None:
        for name in seeds:
            if (folder / name).is_file():
                load_lesson(folder / name, rooms)

    return Reader(read, seeds, {})


def _hand_in() -> Reader:
    from app.lessons.answers import FORMAT_VERSION, load_answers
    from app.state.session_file import Session, as_json

    answer = {
        "page": "p",
        "kind": "text",
        "asked": "?",
        "given": "!",
        "right": True,
        "state": json.loads(as_json(Session())),
    }
    values = {"format_version": FORMAT_VERSION, "name": "n", "lesson": "l", "answers": [answer]}
    return Reader(lambda folder: load_answers(folder / "a.json"), {"a.json": json.dumps(values).encode()}, {})


# --- text ---

_STORY = b"The cat sat on the mat. It was warm.\nA dog came.\n\nNobody knew why. Then it rained.\n\n" * 3


def _zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


def _read_corpus(folder: Path) -> None:
    from bertcore.data.text import Documents, TextFormat, text_files

    files = text_files([folder])
    for form in (TextFormat(), TextFormat(document_per_file=True)):
        for _ in Documents(files, form):
            pass


def _corpus() -> Reader:
    seeds = {"a.txt": _STORY, "a.txt.gz": gzip.compress(_STORY), "a.txt.xz": lzma.compress(_STORY)}
    return Reader(_read_corpus, {**seeds, "a.txt.zst": _zstd(_STORY)}, {})


def _records() -> Reader:
    lines = "".join(json.dumps({"id": i, "text": _STORY.decode()}) + "\n" for i in range(3)).encode()
    return Reader(_read_corpus, {"a.jsonl": lines, "b.ndjson.gz": gzip.compress(lines)}, {})


def _evaluation_set() -> Reader:
    from bertcore.data.cloze import read_cloze

    content = (assets() / "evaluation" / "cloze.jsonl").read_bytes()[:2000]

    def read(folder: Path) -> None:
        read_cloze(folder / "set.jsonl")

    return Reader(read, {"set.jsonl": content.rpartition(b"\n")[0]}, {})


def _score() -> Reader:
    from bertcore.evaluation.score_texts import read_listed_texts

    content = b"The cat sat.\tIt was warm.\n\nThe [doctor|nurse|] said [he|she] was [MASK].\tSo [it|he] was.\n"
    return Reader(lambda folder: read_listed_texts(folder / "texts.txt"), {"texts.txt": content}, {})


_TASK_FILES = {  # task -> sample file
    "classify": "sentiment/train.tsv",
    "cola": "acceptability/train.tsv",
    "stsb": "similarity/train.tsv",
    "multilabel": "topics/train.csv",
    "tag": "names/train.conll",
    "squad2": "questions/train.json",
    "swag": "endings/train.csv",
    "commonsenseqa": "everyday/train.jsonl",
    "summaries": "summaries/train.jsonl",
}


def _task(name: str) -> Reader:
    from bertcore.tasks.readers.reading import read_task

    folder = assets() / "tasks"
    file = folder / _TASK_FILES[name]
    content = file.read_bytes()[:READS_AT_MOST] if file.suffix != ".json" else file.read_bytes()
    seeds = {file.name: content}
    if name == "classify":
        seeds |= {
            "train.csv": b'text,label\n"good, very",a\nbad,b\n' * 2,
            "train.jsonl": b'{"text": "x", "label": "a"}\n' * 2,
        }
        seeds |= {"train.parquet": _parquet(), "train.tsv.gz": gzip.compress(content)}
    if name == "tag":
        seeds["train.jsonl"] = b'{"words": ["Tom", "sat"], "tags": ["B-PER", "O"]}\n' * 2

    def read(place: Path) -> None:
        for seed in seeds:
            if (place / seed).is_file():
                read_task(name, place / seed)

    return Reader(read, seeds, {})


def _parquet() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pa.table({"text": ["good", "bad"] * 20, "label": ["a", "b"] * 20}), out)
    return out.getvalue()


# --- damage ---

HOSTILE_BYTES = (
    b"",
    b"\0",
    b"\xff",
    b"\r",
    b"\n\n",
    b'"',
    b"\\ud800",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"NaN",
    b"Infinity",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"9" * 5000,
    b"[" * 500,
    b"[" * 100_000,
    b'{"a":' * 300,
    b"x" * 100_000,
    b"\t" * 3000,
    b", " * 3000,
    "中".encode() * 5000,
    b"\xef\xbb\xbf",
)
HOSTILE_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    2**64,
    10**40,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x" * 70_000,
    "\0",
    "\ud800",
    "../../etc/passwd",
    "/dev/zero",
    "a\nb",
    [],
    [[]],
    [1, 2, 3],
    ["a"] * 3000,
    {},
    {"": 0},
    {"a": {"b": {"c": []}}},
)


@st.composite
def damaged(draw: st.DrawFn, seeds: Mapping[str, bytes]) -> tuple[str, bytes]:
    """(name, content) of one of the seeds, changed in a few places."""
    name = draw(st.sampled_from(sorted(seeds)))
    content = seeds[name]
    if name.endswith((".json", ".jsonl", ".ndjson")) and draw(st.booleans()):
        content = draw(_damaged_json(content, lines=not name.endswith(".json")))
    for _ in range(draw(st.integers(0, 4))):
        content = draw(_changed(content))[:MOST_BYTES]
    return name, content


@st.composite
def _changed(draw: st.DrawFn, content: bytes) -> bytes:
    at = draw(st.integers(0, len(content)))
    length = draw(st.sampled_from((0, 1, 2, 8, 100, len(content))))
    how = draw(st.sampled_from(("put", "flip", "cut", "repeat", "number", "swap")))
    if how == "put":
        return content[:at] + draw(st.sampled_from(HOSTILE_BYTES)) + content[at + length :]
    if how == "cut":
        return content[:at] + content[at + length :]
    if how == "repeat":
        return content[: at + length] + content[at : at + length] * draw(st.integers(1, 50)) + content[at + length :]
    if how == "number":
        width = draw(st.sampled_from((1, 2, 4, 8)))
        return content[:at] + draw(st.binary(min_size=width, max_size=width)) + content[at + width :]
    if how == "swap":
        other = draw(st.integers(0, len(content)))
        return content[:at] + content[other : other + length] + content[at:]
    mask = draw(st.integers(1, 255))
    return content[:at] + bytes([(content[at] if at < len(content) else 0) ^ mask]) + content[at + 1 :]


@st.composite
def _damaged_json(draw: st.DrawFn, content: bytes, lines: bool) -> bytes:
    """One value of the JSON, or of one of its lines, replaced."""
    parts = content.split(b"\n") if lines else [content]
    at = draw(st.integers(0, len(parts) - 1))
    try:
        value = json.loads(parts[at])
    except ValueError:
        return content
    value = draw(_with_another_value(value))
    parts[at] = json.dumps(value).encode()
    return b"\n".join(parts)


@st.composite
def _with_another_value(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict | list) and value and draw(st.integers(0, 9)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = draw(st.sampled_from(keys))
        if isinstance(value, dict) and not draw(st.integers(0, 9)):
            renamed = str(draw(st.sampled_from(HOSTILE_VALUES)))[:1000]
            return {renamed if name == key else name: inner for name, inner in value.items()}
        changed = dict(value) if isinstance(value, dict) else list(value)
        changed[key] = draw(_with_another_value(value[key]))
        return changed
    return draw(st.sampled_from(HOSTILE_VALUES))


def put_in(folder: Path, reader: Reader, name: str, content: bytes) -> None:
    """What the reader needs, with one file damaged, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    sound_ones = {**reader.seeds, **reader.around} if reader.needs_all else reader.around
    for file, sound in {**sound_ones, name: content}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(sound)
