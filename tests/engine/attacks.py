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
from dataclasses import asdict
from functools import partial, reduce
from pathlib import Path

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
from bertcore.trial import try_file

MIB = 2**20
GIB = 2**30
TRIAL_SECONDS = 6  # of a core, where the program waits for 20: as good for what never ends
LABELS = [f"label{i}" for i in range(5000)]
TASKS_BY_ENDING = {".json": "answer", ".conll": "tag", ".tsv": "classify", ".parquet": "classify"}


def opened(path):
    """By its name: text that is read or tokenised, examples of a task, a checkpoint, a tokenizer."""
    if path.name.startswith("a."):
        return sum(1 for _ in Documents([path]))
    if path.name == "words.txt":
        raw = raw_from_words(["[UNK]", "a", "##a", "word", "."])
        return tokenise(list(Documents([path])), raw, "uint16")
    if path.name == "dev.tsv":
        return read_task("classify", path, "dev", labels=LABELS)
    if path.name.startswith("train."):
        return read_task(TASKS_BY_ENDING[path.suffixes[0]], path)
    if path.name == "model":
        from bertcore.checkpoint.checkpoint import load_checkpoint

        return load_checkpoint(path)
    return Tokenizer.from_folder(path).encode("The cat sat.")


PACKERS = {
    "gz": lambda content: gzip.compress(content, 1),
    "xz": lambda content: lzma.compress(content, preset=0),
    "zst": lambda content: zstandard.ZstdCompressor(level=1).compress(content),
}


def packed(file, content, times, begin=b"", end=b""):
    """`content` so many times, one frame after the other, between the other two."""
    pack = PACKERS[file.suffix[1:]]
    file.write_bytes(pack(begin) * bool(begin) + pack(content) * times + pack(end) * bool(end))
    return file


def written(file, content):
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def sparse(file, size=8 * GIB):
    with file.open("wb") as stream:
        stream.truncate(size)
    return file


# --- text: each takes an empty folder and a sound checkpoint, and gives what to open ---


def one_frame(folder, _):
    out, packer = io.BytesIO(), zstandard.ZstdCompressor(level=1).compressobj()
    for _part in range(1024):
        out.write(packer.compress(bytes(MIB)))
    out.write(packer.flush())
    return written(folder / "a.txt.zst", out.getvalue())


def large_window(folder, _):
    settings = zstandard.ZstdCompressionParameters(window_log=30)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    return written(folder / "a.txt.zst", packer.compress(b"a\n\n" * 1000) + packer.flush())


def large_xz_window(folder, _):
    packer = lzma.LZMACompressor(filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 4096}])
    content = bytearray(packer.compress(b"a\n\n" * 1000) + packer.flush())
    # The size of the dictionary is a byte of the block's header, whose checksum follows it.
    begin, length = 12, (content[12] + 1) * 4
    at = content.index(b"\x21\x01", begin, begin + length) + 2
    content[at] = 40  # 4 GiB
    end = begin + length - 4
    content[end : end + 4] = struct.pack("<I", zlib.crc32(bytes(content[begin:end])))
    return written(folder / "a.txt.xz", bytes(content))


def packed_text(content, times, ending):
    return lambda folder, _: packed(folder / f"a.txt.{ending}", content * MIB, times)


TEXT = {
    **{f"one line, {ending}": packed_text(b"a", 4096, ending) for ending in PACKERS},
    **{f"no blank line, {ending}": packed_text(b"one word\n", 100, ending) for ending in PACKERS},
    "one frame": one_frame,
    "a window of 1 GiB": large_window,
    "an xz window of 4 GiB": large_xz_window,
    "a sparse file": lambda folder, _: sparse(folder / "a.txt"),
    "one record": lambda folder, _: packed(folder / "a.jsonl.xz", b"a" * (16 * MIB), 64, b'{"text": "', b'"}\n'),
    # As long as a document may be
    "one word": lambda folder, _: written(folder / "words.txt", "a" * (8 * MIB - 1) + "\n"),
}

# --- tasks ---


def long_rows(folder, _):
    row = "\U0001f600".encode() + b"a" * (3 * MIB) + b"\ta\n" + b"b\tb\n"
    return packed(folder / "train.tsv.zst", row, 400, b"text\tlabel\n")


def squad(inside, times):
    return lambda folder, _: packed(folder / "train.json.xz", inside(), times, b'{"data": [', b"0]}")


def parquet(folder, _):
    """A million rows of a text that is stored once."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(MIB, np.int32)), pa.array(["x" * 100_000]))
    labels = pa.DictionaryArray.from_arrays(pa.array(np.arange(MIB, dtype=np.int32) % 2), pa.array(["a", "b"]))
    parquet_files.write_table(pa.table({"text": texts, "label": labels}), folder / "train.parquet")
    return folder / "train.parquet"


def columns(folder, _):
    names = [f"column{i}" for i in range(2, 20_000)]
    header, *rows = ("\t".join([*row, *names]) for row in (("text", "label"), ("good", "a"), ("bad", "b")))
    return written(folder / "train.tsv", "\n".join([header, *rows * 5]) + "\n")


def labels_to_check(folder, _):
    """Every row's label is looked for among five thousand."""
    rows = f"a\t{LABELS[-1]}\nb\t{LABELS[-2]}\n" * 25_000
    return written(folder / "dev.tsv", "text\tlabel\n" + rows)


TASKS = {
    "long rows": long_rows,
    "SQuAD of lists": squad(lambda: b"[]," * (4 * MIB), 20),
    "SQuAD of one text": squad(lambda: b" " * (16 * MIB), 256),
    "SQuAD of names": squad(lambda: b"".join(b'{"%d": 1},' % i for i in range(200_000)), 40),
    "Parquet": parquet,
    "20,000 columns": columns,
    "5,000 labels": labels_to_check,
}

# --- tokenizers ---


def tokenizer(changes):
    """The checkpoint's tokenizer.json with other parts, made from what it has."""

    def attack(folder, checkpoint):
        content = json.loads((checkpoint / "tokenizer.json").read_text())
        return written(folder / "tokenizer.json", json.dumps({**content, **changes(content)})).parent

    return attack


def sequence(*steps):
    return {"type": "Sequence", "normalizers": steps}


def replaced(letter, by):
    return {"type": "Replace", "pattern": {"String": letter}, "content": by * 10}


BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
SLOW_REGEX = {"Regex": "((a*)*)*(a|aa)+((a+)+)+$"}
SLOW_SPLIT = {"type": "Split", "pattern": SLOW_REGEX, "behavior": "Isolated", "invert": False}
GROWING_TABLE = base64.b64encode(struct.pack("<I", 8) + bytes(8) + b"x" * 100_000 + b"\0").decode()
EACH_LETTER = sequence(*(replaced(chr(97 + i), chr(98 + i)) for i in range(20)))


def sparse_byte_level(folder, _):
    written(folder / "vocab.json", "{}")
    return sparse(folder / "merges.txt").parent


def alternating(folder, _):
    """Special tokens and others in turn: given in groups, the library would look through all it has each time."""
    written(folder / "vocab.txt", "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]) + "\n")
    added = {str(6 + i): {"content": f"<{i}>", "special": bool(i % 2)} for i in range(20_000)}
    return written(folder / "tokenizer_config.json", json.dumps({"added_tokens_decoder": added})).parent


TOKENIZERS = {
    "chained replacements": tokenizer(lambda c: {"normalizer": sequence(c["normalizer"], *[replaced("a", "a")] * 20)}),
    "each letter ten of the next": tokenizer(lambda _: {"normalizer": EACH_LETTER}),
    "chained bytes": tokenizer(lambda c: {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTES] * 30}}),
    "a table that grows": tokenizer(
        lambda c: {"normalizer": {"type": "Precompiled", "precompiled_charsmap": GROWING_TABLE}}
    ),
    "a slow expression": tokenizer(lambda _: {"pre_tokenizer": SLOW_SPLIT}),
    "many added tokens": tokenizer(
        lambda c: {"added_tokens": [{**c["added_tokens"][0], "id": i, "content": f"<{i}>"} for i in range(200_000)]}
    ),
    "many added in turn": alternating,
    "words without a limit": tokenizer(lambda c: {"model": {**c["model"], "max_input_chars_per_word": 10**9}}),
    "nested sequences": tokenizer(
        lambda c: {"normalizer": reduce(lambda inner, _: sequence(inner), range(400), c["normalizer"])}
    ),
    "a sparse tokenizer.json": lambda folder, _: sparse(folder / "tokenizer.json").parent,
    "a sparse vocab.txt": lambda folder, _: sparse(folder / "vocab.txt").parent,
    "a sparse merges.txt": sparse_byte_level,
}

# --- weights ---

POOLER = "bert.pooler.dense.weight"


def checkpoint_with(write):
    """A checkpoint without its weights, of whose folder, and of the sound one, `write` makes another."""

    def attack(folder, checkpoint):
        without = shutil.ignore_patterns("model.safetensors")
        model = Path(shutil.copytree(checkpoint, folder / "model", ignore=without))
        write(model, checkpoint)
        return model

    return attack


_WIDTHS = {"F32": 4, "F16": 2}


def _header(checkpoint):
    content = (checkpoint / "model.safetensors").read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return {name: about for name, about in header.items() if name != "__metadata__"}


def _write_sparse(model, header):
    """A sound file of these tensors, all of whose numbers are zeros that take no space."""
    at = 0
    for about in header.values():
        size = _WIDTHS[about["dtype"]] * math.prod(about["shape"])
        about["data_offsets"], at = [at, at + size], at + size
    text = json.dumps(header).encode()
    with (model / "model.safetensors").open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + at)


def eight_gigabytes(name, shape):
    tensor = {"dtype": "F32", "shape": shape}
    return checkpoint_with(lambda model, sound: _write_sparse(model, {**_header(sound), name: tensor}))


def _set(model, **changes):
    """The config of before."""
    values = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**values, **changes}))
    return values


def terabytes(model, sound):
    """Every name and shape is as the config has it."""
    header, changes = _header(sound), {"intermediate_size": 1_000_000, "hidden_size": 96_000}
    before = _set(model, **changes)
    larger = {before[name]: size for name, size in changes.items()}
    for about in header.values():
        about["shape"] = [larger.get(length, length) for length in about["shape"]]
    _write_sparse(model, header)


def long_header(model, _):
    with sparse(model / "model.safetensors", 4 * GIB).open("r+b") as stream:
        stream.write(struct.pack("<Q", 90 * MIB) + b"{")


def thousand_layers(model, sound):
    shutil.copy(sound / "model.safetensors", model)
    _set(model, num_hidden_layers=1000)


def zip_bomb(model, _):
    """A pickle of one long text, packed a thousand times smaller."""
    with zipfile.ZipFile(model / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("archive/data.pkl", "w", force_zip64=True) as stream:
            stream.write(b"\x80\x02X" + struct.pack("<I", 2**30))
            for _part in range(1024):
                stream.write(b"a" * MIB)
            stream.write(b".")
        archive.writestr("archive/version", "3\n")


def zip_of_storages(model, _):
    """Storages packed a thousand times smaller."""
    import torch

    small, large = io.BytesIO(), model / "pytorch_model.bin"
    torch.save({"bert.x": torch.zeros(2)}, small)
    with (
        zipfile.ZipFile(small) as before,
        zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name in before.namelist():
            kind = zipfile.ZIP_DEFLATED if "/data/" in name else zipfile.ZIP_STORED
            archive.writestr(name, bytes(256 * MIB) if "/data/" in name else before.read(name), kind)


def pooler(fits):
    """A pickled table in which the pooler's matrix is one number, again and again."""

    def write(model, sound):
        import torch
        from safetensors.torch import load_file

        known = load_file(sound / "model.safetensors")
        shape = known[POOLER].shape if fits else (10**5, 10**5)
        torch.save({**known, POOLER: torch.zeros(1).expand(shape)}, model / "pytorch_model.bin")

    return checkpoint_with(write)


def bare_pickle(content):
    """As torch.save writes it, in a zip archive."""

    def write(model, _):
        with zipfile.ZipFile(model / "pytorch_model.bin", "w") as archive:
            archive.writestr("archive/data.pkl", content)
            archive.writestr("archive/version", "3\n")

    return checkpoint_with(write)


# bytearray(10**11), which torch's reader for untrusted files calls
LONG_BYTEARRAY = b"\x80\x02cbuiltins\nbytearray\n\x8a\x05" + (10**11).to_bytes(5, "little") + b"\x85R."
# {t60: 1}, where each t is (t, t) of the one before: hashing it would take 2^60 steps
DOUBLED = b"\x80\x02}" + b")" + b"q\x00h\x00\x86" * 60 + b"K\x01s."
MEMO = b"\x80\x02}r" + struct.pack("<I", 2**31 - 1) + b"."
# What stands before a pickle that torch.save wrote up to 2020
LEGACY = b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))


def long_list_of_files(model, _):
    """A zip archive that says that its list of files has 4 GB."""
    with sparse(model / "pytorch_model.bin", 4 * GIB).open("r+b") as stream:
        stream.write(b"PK\3\4")
        stream.seek(4 * GIB)
        stream.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, 4 * GIB - 100, 50, 0))


WEIGHTS = {
    "8 GB of an unknown tensor": eight_gigabytes("something.else", [2**31]),
    "8 GB of a known tensor": eight_gigabytes(POOLER, [2**16, 2**15]),
    "terabytes that fit the config": checkpoint_with(terabytes),
    "a long header": checkpoint_with(long_header),
    "1,000 layers": checkpoint_with(thousand_layers),
    "zip bomb": checkpoint_with(zip_bomb),
    "zip bomb of storages": checkpoint_with(zip_of_storages),
    "a long bytearray": bare_pickle(LONG_BYTEARRAY),
    "a key that hashes for ever": bare_pickle(DOUBLED),
    "a memo of two billion": bare_pickle(MEMO),
    "a long bytearray, as of old": checkpoint_with(
        lambda model, _: written(model / "pytorch_model.bin", LEGACY + LONG_BYTEARRAY)
    ),
    "stride 0": pooler(fits=False),
    "stride 0 that fits": pooler(fits=True),
    "a long list of files": checkpoint_with(long_list_of_files),
}


def a_book(folder, _):
    """As long as a document may be, in one line, with a character that makes Python take four bytes for each."""
    return written(folder / "words.txt", "\U0001f600 " + "a word. " * (MIB - 1) + "\n")


def many_rows(folder, _):
    return packed(folder / "train.tsv.zst", b"good\ta\nbad\tb\n" * 100_000, 100, b"text\tlabel\n")


SLOW = {  # some seconds each
    "a book in a line": a_book,
    "many rows": many_rows,
    "words without an end": lambda folder, _: packed(folder / "train.conll.gz", b"word B-PER\n" * MIB, 100),
}
GROUPS = {"text": TEXT, "tasks": TASKS, "tokenizers": TOKENIZERS, "weights": WEIGHTS, "slow": SLOW}
_MOST_MIB = 1500  # beyond these the system itself says no


def main(folder, checkpoint, group):
    sound = Path(shutil.copytree(checkpoint, folder / "model"))
    if group == "weights":
        from bertcore.checkpoint import weights

        opened(sound)  # what comes along with the first one is no attack's
        weights.try_file = partial(try_file, seconds=TRIAL_SECONDS)
    if group == "tokenizers":
        opened(checkpoint)
    said = Path("/proc/self/status").read_text().splitlines()
    limit = int(next(line for line in said if "VmData" in line).split()[1]) * 1024 + _MOST_MIB * MIB
    for name, attack in GROUPS[group].items():
        place = folder / name.replace("/", " ")
        place.mkdir()
        path = attack(place, checkpoint)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
        outcome = measured(partial(opened, path))
        resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        shutil.rmtree(place)
        print(json.dumps({"name": name, **asdict(outcome)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
