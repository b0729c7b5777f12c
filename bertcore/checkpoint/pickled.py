"""The tensors of a pytorch_model.bin, found without torch's unpickler; nothing in the file is ever called.

torch writes a state dict as a pickle that names storages, and the storages' bytes beside it: in a zip archive, or, up
to 2020, one after the other behind the pickles. The pickle is read here with the few opcodes and the few names that
torch.save uses for plain tensors. torch's own reader for untrusted files (weights_only) runs no code either, but takes
the memory that a file asks for (`bytearray`, packed archives) and hashes whatever it is given.
"""

import io
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import torch

from bertcore.checkpoint.stored_tensor import StoredTensor
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.limits import PICKLE_BYTES, ZIP_DIRECTORY_BYTES

_STORAGES = {
    "DoubleStorage": torch.float64,
    "FloatStorage": torch.float32,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}
_MOST_DIMENSIONS = 8
_MAGIC = 0x1950A86A20F9469CFC6C  # of the older layout
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # of a file in a zip archive: signature, lengths of its name and extra field


class _RefusedError(Exception):
    """The pickle names something that is no plain tensor."""


class _Storage(NamedTuple):
    key: str
    dtype: torch.dtype
    first: int  # element of the storage that this view of it begins with
    elements: int


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def list_pickled(file: Path) -> dict[str, StoredTensor]:
    """The tensors by name. Raises BertcoreError for a file that is damaged, or holds anything else."""
    try:
        with file.open("rb") as stream:
            is_zip = stream.read(4) == b"PK\3\4"
            stream.seek(0)
            return dict(_in_zip(file) if is_zip else _one_after_the_other(file, stream))
    except PermissionError:
        raise UnreadableError(
            f"The weights file {file} cannot be read: you have no permission; ask its owner."
        ) from None
    except _RefusedError as refused:
        raise BertcoreError(
            f"The weights file {file} is damaged, or holds more than plain tensors ({refused}) and could run code; it "
            "was not opened. Ask for a model.safetensors file instead."
        ) from None
    except Exception as error:  # an unpickler that is fed nonsense raises in many types
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it ends too early"
        raise BertcoreError(f"The weights file {file} is damaged or cut off ({reason:.200}).") from None


def _in_zip(file: Path) -> Iterator[tuple[str, StoredTensor]]:
    with _Careful(file) as stream, zipfile.ZipFile(stream) as archive:
        entries = {info.filename: info for info in archive.infolist()}
        pickles = [name for name in entries if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise ValueError("it is a zip archive without tensors")
        folder = pickles[0].removesuffix("data.pkl")
        if f"{folder}byteorder" in entries and _whole(archive, entries[f"{folder}byteorder"]) != b"little":
            raise ValueError("its numbers are in the byte order of other machines")
        content = _unpickle(io.BytesIO(_whole(archive, entries[pickles[0]])))
        for name, tensor in _table(content).items():
            entry = entries.get(f"{folder}data/{tensor.storage.key}")
            if entry is None:
                raise ValueError(f"it lacks the numbers of {name:.80}")
            yield name, _stored(file, name, tensor, _start(stream, entry), entry.file_size)


def _whole(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > PICKLE_BYTES:
        raise ValueError(f"{entry.filename:.80} is packed or too large")
    return archive.read(entry)


def _start(stream: BinaryIO, entry: zipfile.ZipInfo) -> int:
    """Where in the archive a file's bytes begin. torch packs none."""
    stream.seek(entry.header_offset)
    signature, name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
    if signature != b"PK\3\4" or entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
        raise ValueError(f"{entry.filename:.80} is packed")
    return int(entry.header_offset + _LOCAL_HEADER.size + name + extra)


def _one_after_the_other(file: Path, stream: BinaryIO) -> Iterator[tuple[str, StoredTensor]]:
    begin = io.BytesIO(stream.read(PICKLE_BYTES))
    if _unpickle(begin) != _MAGIC:
        raise _RefusedError("it does not begin as torch's files do")
    _unpickle(begin)  # the version
    if (machine := _unpickle(begin)) and isinstance(machine, dict) and machine.get("little_endian") is False:
        raise ValueError("its numbers are in the byte order of other machines")
    table, keys = _table(_unpickle(begin)), _unpickle(begin)
    dtypes = {tensor.storage.key: tensor.storage.dtype for tensor in table.values()}
    places, at = {}, begin.tell()
    for key in keys:
        stream.seek(at)
        (count,) = struct.unpack("<Q", stream.read(8))
        size = count * dtypes[key].itemsize
        places[key] = (at + 8, size)
        at += 8 + size
    for name, tensor in table.items():
        yield name, _stored(file, name, tensor, *places[tensor.storage.key])


def _stored(file: Path, name: str, tensor: _Tensor, start: int, available: int) -> StoredTensor:
    """`available` bytes of its storage from `start` on. Raises ValueError where the tensor is not all in there."""
    storage, shape, strides = tensor.storage, tensor.shape, tensor.strides
    numbers = (storage.first, storage.elements, tensor.offset, *shape, *strides)
    is_shape = len(shape) == len(strides) <= _MOST_DIMENSIONS
    if not is_shape or not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError(f"{name:.80} has no shape")
    elements = 1
    for length in shape:
        elements *= length
    span = 1 + sum((length - 1) * step for length, step in zip(shape, strides, strict=True)) if elements else 0
    if elements > span:
        raise ValueError(f"{name:.80} repeats the same few numbers (stride 0)")
    width = storage.dtype.itemsize
    first = storage.first + tensor.offset
    if tensor.offset + span > storage.elements or (first + span) * width > available:
        raise ValueError("it ends too early")
    start += first * width
    if start + span * width > file.stat().st_size:
        raise ValueError("it ends too early")
    is_contiguous = strides == _contiguous(shape) or not elements
    return StoredTensor(file, start, span * width, storage.dtype, shape, None if is_contiguous else strides)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def _table(content: object) -> dict[str, _Tensor]:
    if not isinstance(content, dict) or not all(
        isinstance(name, str) and isinstance(value, _Tensor) for name, value in content.items()
    ):
        raise ValueError("it does not contain named tensors")
    return content


class _Careful(io.FileIO):
    """A file whose reader may not ask for more than a list of its contents takes."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, "rb")

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > ZIP_DIRECTORY_BYTES:
            raise ValueError("its list of files is too long")
        return super().read(size) or b""


# --- the unpickler ---


class _Mapping(dict[str, Any]):
    """Stands in for OrderedDict; its attributes (`_metadata`) are not needed."""


def _mapping(*pairs: Any) -> _Mapping:
    made = _Mapping()
    for items in pairs:
        for key, value in items:
            _put(made, key, value)
    return made


def _put(mapping: Any, key: object, value: object) -> None:
    """Keys are names: nested tuples can take forever to hash."""
    if not isinstance(mapping, dict) or not isinstance(key, str | int):
        raise ValueError("it does not contain named tensors")
    mapping[key] = value


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_more: Any) -> _Tensor:
    if not (isinstance(storage, _Storage) and isinstance(shape, tuple) and isinstance(strides, tuple)):
        raise ValueError("it does not contain named tensors")
    return _Tensor(storage, offset, shape, strides)


def _parameter(tensor: Any, *_more: Any) -> Any:
    return tensor


def _size(shape: Any) -> tuple[Any, ...]:
    return tuple(shape)


_NAMES: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): _mapping,
    ("torch._utils", "_rebuild_tensor"): _tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): _size,
    **{("torch", name): dtype for name, dtype in _STORAGES.items()},
}
_OPCODES = (
    "PROTO FRAME STOP MARK POP POP_MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT INT LONG "
    "BINUNICODE SHORT_BINUNICODE BINSTRING SHORT_BINSTRING EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND "
    "APPENDS LIST EMPTY_DICT BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET GLOBAL STACK_GLOBAL REDUCE BINPERSID"
)
_Base: Any = pickle._Unpickler  # the one in Python: it takes no memory for a memo of two billion entries


class _Unpickler(_Base):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _NAMES:
            raise _RefusedError(f"{module}.{name}"[:120])
        return _NAMES[module, name]

    def persistent_load(self, pid: Any) -> _Storage:
        kind, dtype, key, _place, count, *view = pid
        if kind != "storage" or not isinstance(dtype, torch.dtype) or not isinstance(key, str):
            raise _RefusedError("something that is no tensor")
        first = 0
        if view and view[0] is not None:  # of the older layout: a part of another storage
            _, first, count = view[0]
        return _Storage(key, dtype, first, count)

    def _reduce(self) -> None:
        arguments = self.stack.pop()
        function = self.stack[-1]
        if function not in (_mapping, _tensor, _parameter, _size):
            raise ValueError("it calls what is no function")
        self.stack[-1] = function(*arguments)

    def _build(self) -> None:
        self.stack.pop()
        if not isinstance(self.stack[-1], _Mapping):
            raise _RefusedError(f"a {type(self.stack[-1]).__name__} with attributes")

    def _set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _put(self.stack[-1], key, value)

    def _set_items(self) -> None:
        items = self.pop_mark()
        for key, value in zip(items[::2], items[1::2], strict=True):
            _put(self.stack[-1], key, value)

    def _anything_else(self) -> None:
        raise _RefusedError("not what torch.save writes")

    dispatch = dict.fromkeys(range(256), _anything_else)
    dispatch |= {getattr(pickle, name)[0]: _Base.dispatch[getattr(pickle, name)[0]] for name in _OPCODES.split()}
    dispatch |= {
        pickle.REDUCE[0]: _reduce,
        pickle.BUILD[0]: _build,
        pickle.SETITEM[0]: _set_item,
        pickle.SETITEMS[0]: _set_items,
    }


def _unpickle(stream: BinaryIO) -> Any:
    load: Callable[[], Any] = _Unpickler(stream).load
    return load()
