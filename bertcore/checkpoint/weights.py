"""A checkpoint folder's weights as tensors by name: one safetensors file, several (shards), or a pickled one."""

import json
import pickle
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from bertcore.errors import BertcoreError
from bertcore.files import read_json

SAFETENSORS, PICKLED = "model.safetensors", "pytorch_model.bin"
_READERS = 2  # at once: half the time of one; most of it goes into fetching pages of fresh memory


def read_weights(folder: Path) -> dict[str, Tensor]:
    """All tensors of the folder, under the names that the file gives them, in its precision.

    Raises BertcoreError for files that are absent, cut off or half downloaded, and for one that would run code.
    """
    for name, read in ((SAFETENSORS, read_safetensors), (PICKLED, _read_pickled)):
        if (folder / name).is_file():
            return read(folder / name)
        if (folder / f"{name}.index.json").is_file():
            weights: dict[str, Tensor] = {}
            for shard in _shards(folder / f"{name}.index.json"):
                weights.update(read(shard))
            return weights
    _refuse_half_downloaded(folder)
    raise BertcoreError(f"The folder {folder} has no weights: it needs {SAFETENSORS} or {PICKLED}.")


def read_safetensors(file: Path) -> dict[str, Tensor]:
    """The tensors of one file, each in memory of its own.

    The library checks the file; the bytes are then read straight into the tensors. Its own reader maps the file, and
    a mapped file that changes meanwhile (a training run writes another) ends the process; copying out of the map takes
    twice the time and memory.
    """
    try:
        with safe_open(file, framework="pt") as checked:
            names = list(checked.keys())
        with file.open("rb", buffering=0) as stream:
            header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
            start = stream.tell()
        with ThreadPoolExecutor(_READERS) as pool:
            tensors = pool.map(lambda name: _read_tensor(file, start, header[name]), names)
            return dict(zip(names, tensors, strict=True))
    except PermissionError:
        raise BertcoreError(f"The weights file {file} cannot be read: you have no permission; ask its owner.") from None
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        reason = str(error).removeprefix("Error while deserializing header: ")
        raise BertcoreError(
            f"The weights file {file} is damaged or cut off ({reason}); fetch the checkpoint again."
        ) from None


def write_tensors(tensors: Mapping[str, Tensor], file: Path) -> None:
    """A safetensors file for all who may look into its folder; as the library leaves it, its owner alone may read."""
    save_file(dict(tensors), file, metadata={"format": "pt"})
    file.chmod(file.parent.stat().st_mode & 0o666)


_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}


def _read_tensor(file: Path, start: int, about: dict[str, Any]) -> Tensor:
    first, end = about["data_offsets"]
    if about["dtype"] not in _DTYPES:
        raise ValueError(f"numbers of the kind {about['dtype']} are not read here")
    tensor = torch.empty(end - first, dtype=torch.uint8)
    view = tensor.numpy().data
    with file.open("rb", buffering=0) as stream:
        stream.seek(start + first)
        while len(view):  # one call gives 2 GiB at most
            count = stream.readinto(view)
            if not count:
                raise ValueError("it ends too early")
            view = view[count:]
    return tensor.view(_DTYPES[about["dtype"]]).view(about["shape"])


def _read_pickled(file: Path) -> dict[str, Tensor]:
    """Tensors out of a pytorch_model.bin, by torch's reader that refuses everything which could run code."""
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise BertcoreError(
            f"The weights file {file} is damaged, or holds more than tensors and could run code; it was not opened. "
            "Ask for a model.safetensors file instead."
        ) from None
    except Exception as error:  # torch reports a cut-off archive in several types
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it ends too early"
        raise BertcoreError(f"The weights file {file} is damaged or cut off ({reason}).") from None
    if not isinstance(content, dict) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in content.items()
    ):
        raise BertcoreError(f"The weights file {file} does not contain named tensors.")
    return content


def _shards(index: Path) -> list[Path]:
    """The files that an index names, in its order; all of them must be there, beside it."""
    table = read_json(index).get("weight_map")
    if not isinstance(table, dict) or not table or not all(isinstance(name, str) for name in table.values()):
        raise BertcoreError(f"The file {index} does not say which tensor is in which file; fetch the checkpoint again.")
    files = [index.parent / name for name in dict.fromkeys(table.values())]
    outside = [file.name for file in files if file.resolve().parent != index.parent.resolve()]
    if outside and not index.is_symlink():
        raise BertcoreError(f"The file {index} names files outside of its folder ({outside[0]}); it was not opened.")
    absent = [file.name for file in files if not file.is_file()]
    if absent:
        raise BertcoreError(
            f"The checkpoint {index.parent} is in {len(files)} parts and lacks {', '.join(absent[:20])}; "
            "fetch the checkpoint again."
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
