"""Files from elsewhere, read within limits of memory and time; files written whole, whatever stands at their place."""

import errno
import json
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bertcore.checkpoint.weights import check_pickled, list_pickled, read_tensors
from bertcore.errors import BertcoreError
from bertcore.files import (
    append_to,
    is_out_of_memory,
    is_temporary,
    jsonable,
    open_regular,
    read_bytes,
    read_json,
    read_json_or_empty,
    write_atomic,
    write_json,
)
from bertcore.json_text import MOST_LEVELS, parse_json
from tests.text_file import text_file

posix = pytest.mark.skipif(os.name == "nt", reason="pipes, links and modes as POSIX has them")


def test_numbers_keep_their_kind(tmp_path):
    values = {"count": np.int64(3), "rows": torch.tensor([1, 2]), "on": np.bool_(True), "share": np.float32(0.5)}
    made = jsonable(values)
    assert made == {"count": 3, "rows": [1, 2], "on": True, "share": 0.5}
    assert [type(made[name]) for name in ("count", "on", "share")] == [int, bool, float]
    assert jsonable([np.float64("nan"), torch.tensor(float("inf")), Path("a")]) == [None, None, "a"]
    write_json(tmp_path / "a.json", {"name": "Größe", "ids": np.arange(3)})
    assert read_json(tmp_path / "a.json") == {"name": "Größe", "ids": [0, 1, 2]}


@pytest.mark.parametrize("content", ["", "[1", "[1]", "[" * 100_000, '{"step": Infinity}', '{"step": 1e999}'])
def test_a_damaged_file_is_named(content, tmp_path):
    file = text_file(tmp_path / "a.json", content)
    with pytest.raises(BertcoreError, match=r"a\.json.*start anew"):
        read_json(file, "start anew")
    assert read_json_or_empty(file) == {} == read_json_or_empty(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (RuntimeError("could not create a primitive"), True),  # oneDNN
        (RuntimeError("[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("shapes do not fit"), False),
        (OSError(errno.ENOSPC, "No space left on device"), False),
    ],
)
def test_a_lack_of_memory_is_known_by_any_name(error, is_memory):
    assert is_out_of_memory(error) == is_memory


@posix
@pytest.mark.timeout(20)
def test_what_is_no_file_is_said_to_be_none_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name, words in (("pipe", "not a regular file"), ("folder", "it is a folder"), ("zero", "not a regular file")):
        with pytest.raises(BertcoreError, match=words):
            read_json(tmp_path / name)
        with pytest.raises(OSError, match=words):
            open_regular(tmp_path / name)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 300])
def test_names_that_no_file_can_have(name, tmp_path):
    with pytest.raises(OSError):
        read_bytes(tmp_path / name)
    with pytest.raises(OSError):
        write_atomic(tmp_path / name, b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "a.json").open("wb") as stream:
        stream.truncate(33 << 20)
    with pytest.raises(BertcoreError, match="is larger than 32 MiB"):
        read_json(tmp_path / "a.json")


@posix
class TestWriting:
    def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(self, tmp_path):
        (tmp_path / "plain").write_text("")
        write_atomic(tmp_path / "new", b"x")
        assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
        for mode in (0o600, 0o640, 0o444):
            (tmp_path / "new").chmod(mode)
            write_atomic(tmp_path / "new", b"y")
            assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
        assert (tmp_path / "new").read_bytes() == b"y"

    def test_a_private_file_is_never_readable_for_others(self, tmp_path, monkeypatch):
        text_file(tmp_path / "private", "old").chmod(0o600)
        modes = []

        def look(source, _target):
            modes.append(stat.S_IMODE(source.stat().st_mode))
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("bertcore.files._replace", look)
        with pytest.raises(OSError):
            write_atomic(tmp_path / "private", b"new")
        assert modes == [0o600]
        assert [file.name for file in tmp_path.iterdir()] == ["private"]

    def test_a_link_is_followed_only_where_a_person_chose_it(self, tmp_path):
        real, link = tmp_path / "real", tmp_path / "link"
        real.write_text("old")
        real.chmod(0o600)
        link.symlink_to(real)
        write_atomic(link, b"chosen", follow=True)
        assert link.is_symlink() and real.read_bytes() == b"chosen" and stat.S_IMODE(real.stat().st_mode) == 0o600
        write_atomic(link, b"in a run folder")
        assert not link.is_symlink() and real.read_bytes() == b"chosen"

    def test_links_in_a_circle_and_devices_are_refused(self, tmp_path):
        (tmp_path / "a").symlink_to(tmp_path / "b")
        (tmp_path / "b").symlink_to(tmp_path / "a")
        os.mkfifo(tmp_path / "pipe")
        for name in ("a", "pipe"):
            with pytest.raises(OSError):
                write_atomic(tmp_path / name, b"x", follow=True)
        with pytest.raises(OSError, match="not a regular file"):
            write_atomic(Path("/dev/null"), b"x", follow=True)
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
        assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b", "pipe"]

    def test_temporary_names_cannot_be_foreseen_and_a_link_there_is_not_followed(self, tmp_path, monkeypatch):
        used = []
        monkeypatch.setattr("bertcore.files._replace", lambda source, target: (used.append(source), source.unlink()))
        for _ in range(3):
            write_atomic(tmp_path / "a", b"x")
        assert len(set(used)) == 3 and all(map(is_temporary, used)) and {file.parent for file in used} == {tmp_path}
        assert not any(str(os.getpid()) == file.name.rpartition(".")[2] for file in used)
        precious = text_file(tmp_path / "precious", "mine")
        (tmp_path / ".a.7").symlink_to(precious)
        monkeypatch.setattr("bertcore.files.secrets.randbelow", lambda _most: 7)
        with pytest.raises(FileExistsError):
            write_atomic(tmp_path / "a", b"x")
        assert precious.read_text() == "mine" and (tmp_path / ".a.7").is_symlink() and not (tmp_path / "a").exists()

    def test_the_longest_name_that_a_file_can_have(self, tmp_path):
        for name in ("a" * 255, "ä" * 127):
            write_atomic(tmp_path / name, b"x")
            assert (tmp_path / name).read_bytes() == b"x"

    def test_what_grows_is_never_a_link_or_a_pipe(self, tmp_path):
        (tmp_path / "precious").write_text("mine")
        (tmp_path / "link").symlink_to(tmp_path / "precious")
        os.mkfifo(tmp_path / "pipe")
        for name in ("link", "pipe"):
            with pytest.raises(OSError):
                append_to(tmp_path / name)
        for word in (b"one", b"two"):
            with append_to(tmp_path / "log") as stream:
                stream.write(word)
        assert (tmp_path / "log").read_text() == "onetwo" and (tmp_path / "precious").read_text() == "mine"


def test_writers_side_by_side_leave_one_whole_file(tmp_path):
    file = tmp_path / "a"
    writers = [threading.Thread(target=write_atomic, args=(file, bytes([n]) * 50_000)) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    data = file.read_bytes()
    assert len(data) == 50_000 and len(set(data)) == 1 and [entry.name for entry in tmp_path.iterdir()] == ["a"]


# --- JSON that wants to exhaust memory, stack or patience


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is not a finite number"),
        ('{"step": -Infinity}', "-Infinity is not a finite number"),
        ("[1e999]", "1e999 is not a finite number"),
        ("9" * 400, "is too large a number"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" * 900 + "]" * 900, "it is nested too deeply"),
        ('{"a":' * (MOST_LEVELS + 1) + "1" + "}" * (MOST_LEVELS + 1), "it is nested too deeply"),
        ("[" + "[]," * 600_000 + "1]", "it has more than 1,000,000 values"),
        ("{", "Expecting"),
    ],
)
def test_what_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        parse_json(text)


def test_what_is_not_refused():
    assert parse_json("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    value = {"a": [1, 2.5, 1e300, -(10**30), 0.0, "[[[", None, True]}
    assert parse_json(json.dumps(value)) == value
    assert len(parse_json("[" + "[1]," * 1000 + "[]]")) == 1001  # wide, not deep
    text = f'{{"loss": NaN, "norm": 1e999, "step": {"9" * 400}, "rate": 0.5}}'
    assert parse_json(text, nulls=True) == {"loss": None, "norm": None, "step": None, "rate": 0.5}


@given(st.text(alphabet='[]{}",:0123456789.eE+-NaInfty', max_size=60))
def test_any_text_is_a_value_or_a_value_error(text):
    try:
        value = parse_json(text)
    except ValueError:
        return
    json.dumps(value, allow_nan=False)


# --- a pytorch_model.bin is torch's to read, in a process with limits first

SQUARE = torch.arange(12, dtype=torch.float32).view(3, 4)
CONTENT = {
    "plain": SQUARE,
    "transposed": SQUARE.T,
    "a part": SQUARE[:, 1:3],
    "half": torch.arange(6).half(),
    "whole": torch.arange(6),
    "a parameter": torch.nn.Parameter(SQUARE),
    "empty": torch.zeros(0, 3),
    "single": torch.tensor(2.5),
}


@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "legacy"])
def test_the_tensors_are_those_that_were_saved(tmp_path, is_new):
    file = tmp_path / "pytorch_model.bin"
    torch.save(CONTENT, file, _use_new_zipfile_serialization=is_new)
    listed = list_pickled(file)
    assert [(each.dtype, each.shape) for each in listed.values()] == [(t.dtype, t.shape) for t in CONTENT.values()]
    found = read_tensors(listed)
    assert list(found) == list(CONTENT)
    for name, tensor in CONTENT.items():
        assert torch.equal(found[name], tensor), name


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"a": torch.nn.Linear(2, 2)}, "torch.nn.modules.linear.Linear"),
        ({"a": bytearray(3)}, "named tensors"),
        ({"a": {1, 2}}, "named tensors"),
        ({"a": torch.device("cpu")}, "named tensors"),
        ({(1, 2): SQUARE}, "named tensors"),
        ({"a": 3}, "named tensors"),
        (SQUARE, "named tensors"),
        ({"a": torch.zeros(2, device="meta")}, "without numbers"),
        ({"a": torch.zeros(2, dtype=torch.complex64)}, "quantised, sparse or without numbers: a"),
        ({"a": torch.quantize_per_tensor(torch.ones(4, 4), 0.1, 0, torch.qint8)}, "quantised, sparse"),
        ({"a": torch.sparse_coo_tensor(torch.zeros(2, 1).long(), torch.ones(1), (10**6, 10**6))}, "quantised, sparse"),
        ({"a": torch.zeros(1).expand(3)}, "stride 0"),
    ],
    ids=str,
)
def test_anything_else_is_named(tmp_path, content, named):
    file = tmp_path / "pytorch_model.bin"
    for is_new in (True, False):
        torch.save(content, file, _use_new_zipfile_serialization=is_new)
        with pytest.raises(ValueError, match=named):
            check_pickled(str(file))
    if named.startswith("torch"):
        with pytest.raises(BertcoreError, match=f"pytorch_model.bin.*{named}.*could run code"):
            list_pickled(file)
