"""A checkpoint folder's weights as tensors by name: one safetensors file, several (shards), or a pickled one.

Files are listed first, names, kinds and shapes; numbers are read when it is known that they are wanted and fit.
"""

import math
import os.path
import pickle
import re
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors.torch import save_file
from torch import Tensor

from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import is_there, read_json, unread
from bertcore.json_text import parse_json
from bertcore.limits import HEADER_BYTES
from bertcore.trial import TrialFailed, try_file

SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"
_READERS = 2  # at once: half the time of one; most of it goes into fetching pages of fresh memory
_RESERVE = 0.9  # of the memory that is free, what a model may take

Key = TypeVar("Key")


@dataclass(frozen=True)
class StoredTensor:
    """A tensor that a file holds: its kind and shape are known, its numbers are read when they are asked for."""

    file: Path
    dtype: torch.dtype
    shape: tuple[int, ...]
    start: int = 0  # its first byte in the file ...
    size: int = 0  # ... and how many there are
    loaded: Tensor | None = None  # of a pickled file, which is read as a whole

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def read(self) -> Tensor:
        """The tensor in memory of its own. Raises ValueError where the file has become shorter, OSError."""
        if self.loaded is not None:
            return self.loaded
        tensor = torch.empty(self.size, dtype=torch.uint8)
        view = tensor.numpy().data
        with self.file.open("rb", buffering=0) as stream:
            stream.seek(self.start)
            while len(view):  # one call gives 2 GiB at most
                count = stream.readinto(view)
                if not count:
                    raise ValueError("it ends too early")
                view = view[count:]
        return tensor.view(self.dtype).view(self.shape)


def list_weights(folder: Path) -> dict[str, StoredTensor]:
    """All tensors of the folder, under the names that the files give them; nothing but their headers is read.

    Raises BertcoreError for files that are absent, cut off or half downloaded, and for one that would run code.
    """
    for name, listed in ((SAFETENSORS, list_safetensors), (PICKLED, list_pickled)):
        if is_there(folder / name):
            return listed(folder / name)
        if is_there(folder / f"{name}.index.json"):
            weights: dict[str, StoredTensor] = {}
            for shard in _shards(folder / f"{name}.index.json"):
                weights.update(listed(shard))
            return weights
    _refuse_half_downloaded(folder)
    raise BertcoreError(f"The folder {folder} has no weights: it needs {SAFETENSORS} or {PICKLED}.")


def list_safetensors(file: Path) -> dict[str, StoredTensor]:
    """The tensors of one file, whose header is checked as the format wants it (huggingface/safetensors, README).

    The library's own reader maps the file: one that changes meanwhile (a training run writes another) ends the process,
    copying out of the map takes twice the time and memory, and a map of a huge file may be refused.
    """
    try:
        with file.open("rb", buffering=0) as stream:
            length = int.from_bytes(stream.read(8), "little")
            size = file.stat().st_size - 8 - length
            if length > HEADER_BYTES or size < 0:
                raise ValueError("its header is too long")
            header = parse_json(stream.read(length).decode("utf-8"))
        header.pop("__metadata__", None)
        tensors = {name: _listed(file, 8 + length, name, about) for name, about in header.items()}
        _check_places(tensors.values(), 8 + length, size)
        return tensors
    except OSError as error:
        raise _unreadable(file, error) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        reason = str(error).rstrip(".") if type(error) is ValueError else "its header is damaged"
        raise BertcoreError(
            f"The weights file {file} is damaged or cut off ({reason:.200}); fetch the checkpoint again."
        ) from None


def list_pickled(file: Path) -> dict[str, StoredTensor]:
    """The tensors of a pytorch_model.bin, which torch reads without running what is in it.

    A process with limits reads it first: torch's reader takes the memory and the time that a file asks for.
    Raises BertcoreError for a file that is damaged, or holds anything but named tensors.
    """
    try:
        file.open("rb").close()
        size = file.stat().st_size
        refuse_without_memory(size, file.parent)
        try_file(check_pickled, file, more_bytes=size)
        tensors = torch.load(file, map_location="cpu", weights_only=True)
    except OSError as error:
        raise _unreadable(file, error) from None
    except TrialFailed as failed:
        why = failed.why or "it takes too much memory or time"
        if why.startswith(_NO_TENSORS):
            raise BertcoreError(
                f"The weights file {file} is damaged, or holds more than plain tensors ({why}) and could run code; it "
                "was not opened. Ask for a model.safetensors file instead."
            ) from None
        raise BertcoreError(f"The weights file {file} is damaged or cut off ({why:.200}).") from None
    return {name: StoredTensor(file, each.dtype, tuple(each.shape), loaded=each) for name, each in tensors.items()}


def _unreadable(file: Path, error: OSError) -> BertcoreError:
    if isinstance(error, PermissionError):
        return UnreadableError(f"The weights file {file} cannot be read: you have no permission; ask its owner.")
    return unread(error)(f"The weights file {file} cannot be read ({error.strerror or error}).")


_NO_TENSORS = "it has "


def check_pickled(file: str) -> None:
    """Reads the file as `list_pickled` does, in a process of its own. Raises ValueError where it is no such file."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ValueError("it is packed")  # torch never does; a few bytes can stand for gigabytes
    try:
        tensors = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        name = re.search(r"GLOBAL (\S+)|class (\S+)", str(error))
        raise ValueError(f"{_NO_TENSORS}{name[1] or name[2] if name else 'no tensors'}") from None
    except Exception as error:
        raise ValueError(str(error).partition("\n")[0].rstrip(".") or "it ends too early") from None
    if not isinstance(tensors, dict) or not all(isinstance(name, str) for name in tensors):
        raise ValueError(f"{_NO_TENSORS}other things than named tensors")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"{_NO_TENSORS}other things than named tensors: {name:.80}")
        plain = tensor.layout is torch.strided and tensor.device.type == "cpu" and not tensor.is_quantized
        if not plain or tensor.dtype not in _DTYPES.values():
            raise ValueError(f"{_NO_TENSORS}a tensor that is quantised, sparse or without numbers: {name:.80}")
        if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
            raise ValueError(f"{name:.80} repeats the same few numbers (stride 0)")


def read_tensors(wanted: Mapping[Key, StoredTensor]) -> dict[Key, Tensor]:
    """The numbers of these tensors, each in memory of its own, in the precision of the file.

    Raises BertcoreError where they do not fit into memory, or the file cannot be read.
    """
    if wanted:
        folder = next(iter(wanted.values())).file.parent
        refuse_without_memory(sum(tensor.elements * 4 for tensor in wanted.values()), folder)
    try:
        with ThreadPoolExecutor(_READERS) as pool:
            return dict(zip(wanted, pool.map(StoredTensor.read, wanted.values()), strict=True))
    except (OSError, ValueError) as error:
        file = next(iter(wanted.values())).file
        reason = getattr(error, "strerror", None) or error
        raise unread(error)(f"The weights file {file} cannot be read ({reason}); fetch the checkpoint again.") from None


def read_safetensors(file: Path) -> dict[str, Tensor]:
    """All tensors of one file. Raises BertcoreError as `list_safetensors` and `read_tensors` do."""
    return read_tensors(list_safetensors(file))


def refuse_without_memory(needed: int, model: Path | str) -> None:
    """Before these bytes are taken: a sparse file can claim gigabytes, and the system ends whoever takes them."""
    free = _free_memory()
    if free is not None and needed > _RESERVE * free:
        raise UnreadableError(
            f"The weights of {model} need {needed / 1e9:.1f} GB of memory and {free / 1e9:.1f} GB are free; close "
            "other programs, or open a smaller model."
        )


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return None


def write_tensors(tensors: Mapping[str, Tensor], file: Path) -> None:
    """A safetensors file for all who may look into its folder; as the library leaves it, its owner alone may read."""
    save_file(dict(tensors), file, metadata={"format": "pt"})
    file.chmod(file.parent.stat().st_mode & 0o666)


_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


def _listed(file: Path, start: int, name: str, about: dict[str, Any]) -> StoredTensor:
    """What the header says of a tensor. Raises ValueError where its shape does not fill its place."""
    (first, end), shape = about["data_offsets"], tuple(about["shape"])
    dtype = _DTYPES.get(str(about["dtype"]))
    if dtype is None:
        raise BertcoreError(
            f"The weights file {file} holds numbers of the kind {about['dtype']!s:.20} ({name:.80}), which are not "
            "read here; ask for the model in float32 or float16."
        )
    if not all(type(number) is int and 0 <= number < 2**63 for number in (first, end, *shape)) or len(shape) > 8:
        raise ValueError(f"{name:.80} has no shape")
    stored = StoredTensor(file, dtype, shape, start + first, end - first)
    if stored.size != stored.elements * dtype.itemsize:
        raise ValueError(f"{name:.80} does not have the bytes that its shape needs")
    return stored


def _check_places(tensors: Iterable[StoredTensor], start: int, size: int) -> None:
    """One tensor begins where another ends, and the last one where the file does. Else raises ValueError."""
    at = start
    for tensor in sorted(tensors, key=lambda tensor: (tensor.start, tensor.size)):
        if tensor.start != at:
            raise ValueError("its tensors overlap, or leave gaps")
        at += tensor.size
    if at > start + size:
        raise ValueError("it ends too early")
    if at < start + size:
        raise ValueError("it goes on behind its last tensor")


def _shards(index: Path) -> list[Path]:
    """The files that an index names, in its order; all of them must be there, beside it."""
    table = read_json(index).get("weight_map")
    # NUL and half characters, which no file name holds, are not printable
    if not (isinstance(table, dict) and table and all(isinstance(n, str) and n.isprintable() for n in table.values())):
        raise BertcoreError(f"The file {index} does not say which tensor is in which file; fetch the checkpoint again.")
    files = [index.parent / name for name in dict.fromkeys(table.values())]
    outside = [file.name for file in files if file.resolve().parent != index.parent.resolve()]
    if outside and not index.is_symlink():
        raise BertcoreError(
            f"The file {index} names files outside of its folder ({outside[0]:.80}); it was not opened."
        )
    absent = [file.name for file in files if not os.path.isfile(file)]  # Path's own raises where a name is too long
    if absent:
        names = ", ".join(f"{name:.80}" for name in absent[:20])
        raise BertcoreError(
            f"The checkpoint {index.parent} is in {len(files)} parts and lacks {names}; fetch the checkpoint again."
        )
    return files


def _refuse_half_downloaded(folder: Path) -> None:
    partial = [*folder.glob("*.incomplete"), *folder.glob("*.part"), *folder.glob("*.crdownload")]
    shards = sorted(folder.glob("*-of-*.safetensors"))
    if partial:
        raise BertcoreError(
            f"The download of {folder} was cut off ({partial[0].name} is left over); fetch the checkpoint again."
        )
    if shards:
        raise BertcoreError(
            f"The folder {folder} has {shards[0].name} but not the index that names all parts "
            f"({SAFETENSORS}.index.json); fetch the checkpoint again."
        )
