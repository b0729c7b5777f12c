"""Files made to exhaust memory or time, each tried in this process, which the system limits; told as JSON lines.

python -m tests.engine.attacks FOLDER CHECKPOINT GROUP      GROUP is one of GROUPS
"""

import base64
import gzip
import io
import json
import lzma
import math
import pickle
import resource
import shutil
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import zstandard
from pyarrow import parquet as parquet_files

from benchmarks.measured import measured
from bertcore.data.text import Documents
from bertcore.data.tokenising import tokenise
from bertcore.tasks.readers.reading import read_task
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

MIB = 2**20
GIB = 2**30
Attack = Callable[[Path, Path], Callable[[], object]]  # (an empty folder, a sound checkpoint) -> what to try


def _zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(content)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda content: gzip.compress(content, 1),
    "xz": lambda content: lzma.compress(content, preset=0),
    "zst": _zstd,
}


def packed(file: Path, content: bytes, times: int) -> Path:
    """`content` so many times, one frame after the other."""
    file.write_bytes(PACKERS[file.suffix[1:]](content) * times)
    return file


def sparse(file: Path, size: int) -> Path:
    with file.open("wb") as stream:
        stream.truncate(size)
    return file


# --- text ---


def _read(file: Path) -> Callable[[], object]:
    return lambda: sum(1 for _ in Documents([file]))


def one_line(ending: str) -> Attack:
    return lambda folder, _: _read(packed(folder / f"a.txt.{ending}", b"a" * (16 * MIB), 256))


def no_blank_line(ending: str) -> Attack:
    return lambda folder, _: _read(packed(folder / f"a.txt.{ending}", b"one word\n" * MIB, 100))


def one_frame(folder: Path, _: Path) -> Callable[[], object]:
    out, packer = io.BytesIO(), zstandard.ZstdCompressor(level=1).compressobj()
    for _part in range(1024):
        out.write(packer.compress(bytes(MIB)))
    out.write(packer.flush())
    (folder / "a.txt.zst").write_bytes(out.getvalue())
    return _read(folder / "a.txt.zst")


def large_window(folder: Path, _: Path) -> Callable[[], object]:
    settings = zstandard.ZstdCompressionParameters(window_log=30)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    (folder / "a.txt.zst").write_bytes(packer.compress(b"a\n\n" * 1000) + packer.flush())
    return _read(folder / "a.txt.zst")


def large_xz_window(folder: Path, _: Path) -> Callable[[], object]:
    packer = lzma.LZMACompressor(filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 4096}])
    content = bytearray(packer.compress(b"a\n\n" * 1000) + packer.flush())
    # The size of the dictionary is a byte of the block's header, whose checksum follows it.
    begin, length = 12, (content[12] + 1) * 4
    at = content.index(b"\x21\x01", begin, begin + length) + 2
    content[at] = 40  # 4 GiB
    content[begin + length - 4 : begin + length] = struct.pack(
        "<I", zlib.crc32(bytes(content[begin : begin + length - 4]))
    )
    (folder / "a.txt.xz").write_bytes(content)
    return _read(folder / "a.txt.xz")


def sparse_text(folder: Path, _: Path) -> Callable[[], object]:
    return _read(sparse(folder / "a.txt", 8 * GIB))


def one_record(folder: Path, _: Path) -> Callable[[], object]:
    file = folder / "a.jsonl.xz"
    begin, middle = lzma.compress(b'{"text": "'), lzma.compress(b"a" * (16 * MIB), preset=0)
    file.write_bytes(begin + middle * 64 + lzma.compress(b'"}\n'))
    return _read(file)


def one_word(folder: Path, _: Path) -> Callable[[], object]:
    """As long as a document may be; it is tokenised."""
    raw = raw_from_words(["[UNK]", "a", "##a"])
    (folder / "a.txt").write_text("a" * (8 * MIB - 1) + "\n")
    return lambda: tokenise(list(Documents([folder / "a.txt"])), raw, "uint16")


def a_book(folder: Path, _: Path) -> Callable[[], object]:
    """As long as a document may be, in one line, with a character that makes Python take four bytes for each."""
    raw = raw_from_words(["[UNK]", "a", "word", "."])
    (folder / "a.txt").write_text("\U0001f600 " + "a word. " * (MIB - 1) + "\n", encoding="utf-8")
    return lambda: tokenise(list(Documents([folder / "a.txt"])), raw, "uint16")


TEXT: dict[str, Attack] = {
    **{f"one line, {ending}": one_line(ending) for ending in PACKERS},
    **{f"no blank line, {ending}": no_blank_line(ending) for ending in PACKERS},
    "one frame": one_frame,
    "a window of 1 GiB": large_window,
    "an xz window of 4 GiB": large_xz_window,
    "a sparse file": sparse_text,
    "one record": one_record,
    "one word": one_word,
}

# --- tasks ---


def _task(task: str, file: Path) -> Callable[[], object]:
    return lambda: read_task(task, file)


def many_rows(ending: str) -> Attack:
    def attack(folder: Path, _: Path) -> Callable[[], object]:
        file = folder / f"train.tsv.{ending}"
        pack = PACKERS[ending]
        file.write_bytes(pack(b"text\tlabel\n") + pack(b"good\ta\nbad\tb\n" * 100_000) * 100)
        return _task("classify", file)

    return attack


def long_rows(folder: Path, _: Path) -> Callable[[], object]:
    file = folder / "train.tsv.zst"
    row = "\U0001f600".encode() + b"a" * (3 * MIB) + b"\ta\n" + b"b\tb\n"
    file.write_bytes(_zstd(b"text\tlabel\n") + _zstd(row) * 400)
    return _task("classify", file)


def squad(inside: bytes, times: int) -> Attack:
    def attack(folder: Path, _: Path) -> Callable[[], object]:
        file, begin, end = folder / "train.json.xz", lzma.compress(b'{"data": ['), lzma.compress(b"0]}")
        file.write_bytes(begin + lzma.compress(inside, preset=0) * times + end)
        return _task("answer", file)

    return attack


def words_without_end(folder: Path, _: Path) -> Callable[[], object]:
    return _task("tag", packed(folder / "train.conll.gz", b"word B-PER\n" * MIB, 100))


def parquet(folder: Path, _: Path) -> Callable[[], object]:
    """A million rows of a text that is stored once."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(MIB, np.int32)), pa.array(["x" * 100_000]))
    labels = pa.DictionaryArray.from_arrays(pa.array(np.arange(MIB, dtype=np.int32) % 2), pa.array(["a", "b"]))
    parquet_files.write_table(pa.table({"text": texts, "label": labels}), folder / "train.parquet")
    return _task("classify", folder / "train.parquet")


def columns(folder: Path, _: Path) -> Callable[[], object]:
    names = [f"column{i}" for i in range(20_000)]
    rows = ["\t".join([text, label, *names[2:]]) for text, label in (("good", "a"), ("bad", "b"))]
    (folder / "train.tsv").write_text("\t".join(["text", "label", *names[2:]]) + "\n" + "\n".join(rows * 5) + "\n")
    return _task("classify", folder / "train.tsv")


def labels_to_check(folder: Path, _: Path) -> Callable[[], object]:
    """Every row's label is looked for among five thousand."""
    labels = [f"label{i}" for i in range(5000)]
    (folder / "dev.tsv").write_text(
        "text\tlabel\n" + "".join(f"a\t{labels[-1]}\nb\t{labels[-2]}\n" for _ in range(25_000))
    )
    return lambda: read_task("classify", folder / "dev.tsv", "dev", labels=labels)


TASKS: dict[str, Attack] = {
    "long rows": long_rows,
    "SQuAD of lists": squad(b"[]," * (4 * MIB), 20),
    "SQuAD of one text": squad(b" " * (16 * MIB), 256),
    "SQuAD of names": squad(b"".join(b'{"%d": 1},' % i for i in range(200_000)), 40),
    "Parquet": parquet,
    "20,000 columns": columns,
    "5,000 labels": labels_to_check,
}

# --- tokenizers ---


def _open_tokenizer(folder: Path) -> Callable[[], object]:
    return lambda: Tokenizer.from_folder(folder).encode("The cat sat.")


def tokenizer(change: Callable[[dict[str, Any]], object]) -> Attack:
    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        content = json.loads((checkpoint / "tokenizer.json").read_text())
        change(content)
        (folder / "tokenizer.json").write_text(json.dumps(content))
        return _open_tokenizer(folder)

    return attack


def chained(content: dict[str, Any]) -> None:
    step = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10}
    content["normalizer"] = {"type": "Sequence", "normalizers": [content["normalizer"], *[step] * 20]}


def chained_letters(content: dict[str, Any]) -> None:
    steps = [{"type": "Replace", "pattern": {"String": chr(97 + i)}, "content": chr(98 + i) * 10} for i in range(20)]
    content["normalizer"] = {"type": "Sequence", "normalizers": steps}


def chained_bytes(content: dict[str, Any]) -> None:
    content["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}]
        * 30,
    }


def a_table_that_grows(content: dict[str, Any]) -> None:
    table = struct.pack("<I", 8) + bytes(8) + b"x" * 100_000 + b"\0"
    content["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}


def a_slow_expression(content: dict[str, Any]) -> None:
    content["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "((a*)*)*(a|aa)+((a+)+)+$"},
        "behavior": "Isolated",
        "invert": False,
    }


def many_added(content: dict[str, Any]) -> None:
    one = content["added_tokens"][0]
    content["added_tokens"] = [{**one, "id": i, "content": f"<{i}>"} for i in range(200_000)]


def long_words(content: dict[str, Any]) -> None:
    content["model"]["max_input_chars_per_word"] = 10**9


def nested(content: dict[str, Any]) -> None:
    for _ in range(400):
        content["normalizer"] = {"type": "Sequence", "normalizers": [content["normalizer"]]}


def sparse_tokenizer(name: str) -> Attack:
    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        sparse(folder / name, 8 * GIB)
        return _open_tokenizer(folder)

    return attack


def sparse_byte_level(folder: Path, _: Path) -> Callable[[], object]:
    (folder / "vocab.json").write_text("{}")
    sparse(folder / "merges.txt", 8 * GIB)
    return _open_tokenizer(folder)


def alternating(folder: Path, _: Path) -> Callable[[], object]:
    """Special tokens and others in turn: given in groups, the library would look through all it has each time."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    added = {str(6 + i): {"content": f"<{i}>", "special": bool(i % 2)} for i in range(20_000)}
    (folder / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
    return _open_tokenizer(folder)


TOKENIZERS: dict[str, Attack] = {
    "chained replacements": tokenizer(chained),
    "each letter ten of the next": tokenizer(chained_letters),
    "chained bytes": tokenizer(chained_bytes),
    "a table that grows": tokenizer(a_table_that_grows),
    "a slow expression": tokenizer(a_slow_expression),
    "many added tokens": tokenizer(many_added),
    "many added in turn": alternating,
    "words without a limit": tokenizer(long_words),
    "nested sequences": tokenizer(nested),
    "a sparse tokenizer.json": sparse_tokenizer("tokenizer.json"),
    "a sparse vocab.txt": sparse_tokenizer("vocab.txt"),
    "a sparse merges.txt": sparse_byte_level,
}

# --- weights ---


def _copy(folder: Path, checkpoint: Path, without: Iterable[str] = ("model.safetensors",)) -> Path:
    return Path(shutil.copytree(checkpoint, folder / "model", ignore=shutil.ignore_patterns(*without)))


def _open(folder: Path) -> Callable[[], object]:
    from bertcore.checkpoint.checkpoint import load_checkpoint

    return lambda: load_checkpoint(folder)


_WIDTHS = {"F32": 4, "F16": 2}


def _header(file: Path) -> dict[str, Any]:
    content = file.read_bytes()
    header: dict[str, Any] = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return {name: about for name, about in header.items() if name != "__metadata__"}


def _write_sparse(file: Path, header: dict[str, Any]) -> None:
    """A sound file of these tensors, all of whose numbers are zeros that take no space."""
    at = 0
    for about in header.values():
        size = _WIDTHS[about["dtype"]] * math.prod(about["shape"])
        about["data_offsets"], at = [at, at + size], at + size
    text = json.dumps(header).encode()
    with file.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + at)


def eight_gigabytes(name: str, shape: list[int]) -> Attack:
    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        model = _copy(folder, checkpoint)
        tensor = {"dtype": "F32", "shape": shape}
        _write_sparse(model / "model.safetensors", {**_header(checkpoint / "model.safetensors"), name: tensor})
        return _open(model)

    return attack


def terabytes(folder: Path, checkpoint: Path) -> Callable[[], object]:
    """Every name and shape is as the config has it."""
    model = _copy(folder, checkpoint)
    header = _header(checkpoint / "model.safetensors")
    values = json.loads((model / "config.json").read_text())
    larger = {values["intermediate_size"]: 1_000_000, values["hidden_size"]: 96_000}
    changes = {"intermediate_size": 1_000_000, "hidden_size": 96_000}
    (model / "config.json").write_text(json.dumps({**values, **changes}))
    for about in header.values():
        about["shape"] = [larger.get(length, length) for length in about["shape"]]
    _write_sparse(model / "model.safetensors", header)
    return _open(model)


def long_header(folder: Path, checkpoint: Path) -> Callable[[], object]:
    model = _copy(folder, checkpoint)
    with (model / "model.safetensors").open("wb") as stream:
        stream.write(struct.pack("<Q", 90 * MIB) + b"{")
        stream.truncate(4 * GIB)
    return _open(model)


def layers(count: int) -> Attack:
    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        model = _copy(folder, checkpoint, ())
        values = json.loads((model / "config.json").read_text())
        (model / "config.json").write_text(json.dumps({**values, "num_hidden_layers": count}))
        return _open(model)

    return attack


def zip_bomb(folder: Path, checkpoint: Path) -> Callable[[], object]:
    """A pickle of one long text, packed a thousand times smaller."""
    model = _copy(folder, checkpoint)
    with zipfile.ZipFile(model / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("archive/data.pkl", "w", force_zip64=True) as stream:
            stream.write(b"\x80\x02X" + struct.pack("<I", 2**30))
            for _ in range(1024):
                stream.write(b"a" * MIB)
            stream.write(b".")
        archive.writestr("archive/version", "3\n")
    return _open(model)


def zip_of_storages(folder: Path, checkpoint: Path) -> Callable[[], object]:
    """Storages packed a thousand times smaller."""
    import torch

    model = _copy(folder, checkpoint)
    torch.save({"bert.x": torch.zeros(2)}, folder / "small.bin")
    with (
        zipfile.ZipFile(folder / "small.bin") as small,
        zipfile.ZipFile(model / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for info in small.infolist():
            name = info.filename
            kind = zipfile.ZIP_DEFLATED if "/data/" in name else zipfile.ZIP_STORED
            archive.writestr(name, bytes(256 * MIB) if "/data/" in name else small.read(name), kind)
    return _open(model)


def _pickle_of(folder: Path, checkpoint: Path, content: object) -> Callable[[], object]:
    import torch

    model = _copy(folder, checkpoint)
    torch.save(content, model / "pytorch_model.bin")
    return _open(model)


def stride_0(folder: Path, checkpoint: Path) -> Callable[[], object]:
    import torch
    from safetensors.torch import load_file

    tensors = load_file(checkpoint / "model.safetensors")
    return _pickle_of(folder, checkpoint, {**tensors, "bert.pooler.dense.weight": torch.zeros(1).expand(10**5, 10**5)})


def stride_0_that_fits(folder: Path, checkpoint: Path) -> Callable[[], object]:
    import torch
    from safetensors.torch import load_file

    tensors = load_file(checkpoint / "model.safetensors")
    shape = tensors["bert.pooler.dense.weight"].shape
    return _pickle_of(folder, checkpoint, {**tensors, "bert.pooler.dense.weight": torch.zeros(1).expand(shape)})


def bare_pickle(content: bytes) -> Attack:
    """As torch.save writes it, in a zip archive."""

    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        model = _copy(folder, checkpoint)
        with zipfile.ZipFile(model / "pytorch_model.bin", "w") as archive:
            archive.writestr("archive/data.pkl", content)
            archive.writestr("archive/version", "3\n")
        return _open(model)

    return attack


# bytearray(10**11), which torch's reader for untrusted files calls
LONG_BYTEARRAY = b"\x80\x02cbuiltins\nbytearray\n\x8a\x05" + (10**11).to_bytes(5, "little") + b"\x85R."
# {t60: 1}, where each t is (t, t) of the one before: hashing it would take 2^60 steps
DOUBLED = b"\x80\x02}" + b")" + b"q\x00h\x00\x86" * 60 + b"K\x01s."
MEMO = b"\x80\x02}r" + struct.pack("<I", 2**31 - 1) + b"."


def quantised(folder: Path, checkpoint: Path) -> Callable[[], object]:
    import torch

    tensor = torch.quantize_per_tensor(torch.ones(4, 4), 0.1, 0, torch.qint8)
    return _pickle_of(folder, checkpoint, {"bert.pooler.dense.weight": tensor})


def on_meta(folder: Path, checkpoint: Path) -> Callable[[], object]:
    import torch

    return _pickle_of(folder, checkpoint, {"bert.pooler.dense.weight": torch.empty(10**6, 10**6, device="meta")})


def sparse_tensor(folder: Path, checkpoint: Path) -> Callable[[], object]:
    import torch

    tensor = torch.sparse_coo_tensor(torch.zeros(2, 1, dtype=torch.int64), torch.ones(1), (10**6, 10**6))
    return _pickle_of(folder, checkpoint, {"bert.pooler.dense.weight": tensor})


def long_list_of_files(folder: Path, checkpoint: Path) -> Callable[[], object]:
    """A zip archive that says that its list of files has 4 GB."""
    model = _copy(folder, checkpoint)
    with (model / "pytorch_model.bin").open("wb") as stream:
        stream.write(b"PK\3\4")
        stream.truncate(4 * GIB)
        stream.seek(4 * GIB)
        stream.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 4 * GIB - 100, 50, 0))
    return _open(model)


def legacy(content: bytes) -> Attack:
    """As torch.save wrote up to 2020."""

    def attack(folder: Path, checkpoint: Path) -> Callable[[], object]:
        model = _copy(folder, checkpoint)
        begin = b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
        (model / "pytorch_model.bin").write_bytes(begin + content)
        return _open(model)

    return attack


WEIGHTS: dict[str, Attack] = {
    "8 GB of an unknown tensor": eight_gigabytes("something.else", [2**31]),
    "8 GB of a known tensor": eight_gigabytes("bert.pooler.dense.weight", [2**16, 2**15]),
    "terabytes that fit the config": terabytes,
    "a long header": long_header,
    "1,000 layers": layers(1000),
    "zip bomb": zip_bomb,
    "zip bomb of storages": zip_of_storages,
    "stride 0": stride_0,
    "stride 0 that fits": stride_0_that_fits,
    "a long bytearray": bare_pickle(LONG_BYTEARRAY),
    "a key that hashes for ever": bare_pickle(DOUBLED),
    "a memo of two billion": bare_pickle(MEMO),
    "a long bytearray, as of old": legacy(LONG_BYTEARRAY),
    "quantised": quantised,
    "on meta": on_meta,
    "sparse tensors": sparse_tensor,
    "a long list of files": long_list_of_files,
}

SLOW: dict[str, Attack] = {  # some seconds each
    "a book in a line": a_book,
    "many rows": many_rows("zst"),
    "words without an end": words_without_end,
}
GROUPS = {"text": TEXT, "tasks": TASKS, "tokenizers": TOKENIZERS, "weights": WEIGHTS, "slow": SLOW}
_MOST_MIB = 1500  # beyond these the system itself says no


def main(folder: Path, checkpoint: Path, group: str) -> None:
    if group in ("weights", "tokenizers"):  # what comes along with the first one is no attack's
        (_open if group == "weights" else _open_tokenizer)(checkpoint)()
    said = Path("/proc/self/status").read_text().splitlines()
    limit = int(next(line for line in said if "VmData" in line).split()[1]) * 1024 + _MOST_MIB * MIB
    for name, attack in GROUPS[group].items():
        place = folder / name.replace("/", " ")
        place.mkdir()
        action = attack(place, checkpoint)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
        outcome = measured(action)
        resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        shutil.rmtree(place)
        print(json.dumps({"name": name, **asdict(outcome)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
