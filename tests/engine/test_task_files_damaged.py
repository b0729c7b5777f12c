"""Damaged task files: whatever happened to one, it is read or refused with a sentence that names it."""

import base64
import gzip
import json
import random
import zlib

import pytest

from bertcore.errors import BertcoreError
from bertcore.limits import MIB, TASK_FILE_BYTES
from bertcore.tasks.readers.lines import whole_text
from bertcore.tasks.readers.reading import TASKS, find_file, read_task, sample_folder
from bertcore.tasks.readers.tables import read_rows

TRAIN = {name: find_file(spec, folder, "train") for name, spec in TASKS.items() if (folder := sample_folder(spec))}
FILES = {name: file for name, file in TRAIN.items() if TASKS[name].name in ("cola", "mnli", "stsb", "multilabel")}
FILES |= {name: TRAIN[name] for name in ("sst2", "mrpc", "conll2003", "commonsenseqa")}
FILES |= {name: TRAIN[name] for name in ("classify", "tag", "squad2", "swag", "summaries")}


def in_a_line(change):
    def damage(content, pick):
        lines = content.split(b"\n")
        at = pick.randrange(len(lines))
        return b"\n".join([*lines[:at], change(lines[at], pick), *lines[at + 1 :]])

    return damage


def some_bytes(content, pick):
    return bytes(pick.randrange(256) if pick.random() < 0.002 else byte for byte in content)


def one_byte_less(content, pick):
    return content.replace(bytes([pick.choice(content)]), b"")


DAMAGES = {
    "cut off": lambda content, pick: content[: pick.randrange(len(content))],
    "a line cut off": in_a_line(lambda line, pick: line[: pick.randrange(len(line) + 1)]),
    "a column more": in_a_line(lambda line, pick: line + pick.choice([b"\tmore", b",more", b" more"])),
    "a column less": in_a_line(lambda line, pick: line.rpartition(pick.choice([b"\t", b",", b" "]))[0]),
    "a NUL": in_a_line(lambda line, pick: line[:3] + b"\0" + line[3:]),
    "Latin-1": in_a_line(lambda line, pick: line[:3] + "é".encode("latin-1") + line[3:]),
    "a huge field": in_a_line(lambda line, pick: line + b"x" * 200_000),
    "a quote": in_a_line(lambda line, pick: line[:4] + b'"' + line[4:]),
    "another line": in_a_line(lambda line, pick: pick.choice([b"1", b"null", b"[1, 2]", b"{}", b"a\tb", b"-1"])),
    "half a character": in_a_line(lambda line, pick: line.replace(b"e", b"\\ud800", 1)),
    "other line ends": in_a_line(lambda line, pick: line[:4] + "\u2028\x85\x0b\x0c\x1c\r".encode() + line[4:]),
    "lines in disorder": lambda content, pick: b"\n".join(pick.sample(lines := content.split(b"\n"), len(lines))),
    "a byte missing everywhere": one_byte_less,
    "bytes that are others": some_bytes,
    "carriage returns alone": lambda content, pick: content.replace(b"\n", b"\r"),
    "UTF-16": lambda content, pick: content.decode("utf-8", "replace").encode(pick.choice(["utf-16", "utf-16-le"])),
    "nothing": lambda content, pick: b"",
    "blank lines": lambda content, pick: b"\n \n\n",
    "packed": lambda content, pick: gzip.compress(content),
    "noise": lambda content, pick: pick.randbytes(300),
}
NEVER_READ = {"a NUL", "Latin-1", "UTF-16", "nothing", "blank lines", "packed", "noise"}


def look(task, file, split, what):
    try:
        found = read_task(task, file, split)
    except BertcoreError as error:
        sentence = str(error)
        assert file.name in sentence and "\n" not in sentence and len(sentence) < 420 + len(str(file)), sentence
        return
    assert what not in NEVER_READ, f"{what} was read: {found.examples[:1]}"
    repr(found.examples).encode("utf-8")


@pytest.mark.parametrize("what", DAMAGES)
def test_samples(what, tmp_path):
    for task, source in FILES.items():
        pick, content = random.Random(what), source.read_bytes()
        file = tmp_path / source.name
        for split in ("train", "test"):
            file.write_bytes(DAMAGES[what](content, pick))
            look(task, file, split, what)


@pytest.mark.parametrize("task", FILES)
@pytest.mark.parametrize("marks", [b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2])
def test_byte_order_marks_and_crlf_change_nothing(task, marks, tmp_path):
    content = TRAIN[task].read_bytes()
    file = tmp_path / TRAIN[task].name
    file.write_bytes(marks + content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert read_task(task, file).examples == read_task(task, TRAIN[task]).examples


class TestWhatIsSaid:
    def refusal(self, tmp_path, name, content):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BertcoreError) as caught:
            read_task("classify", tmp_path / name)
        return str(caught.value)

    def test_packed_under_a_plain_name(self, tmp_path):
        table = b"text,label\na,1\nb,0\n"
        for time in (0, 0x0D0D0D0D, 0x0A0A0A0A):  # its bytes stand in the header: a line may seem to end there
            packed = gzip.compress(table, mtime=time)
            assert "is packed with gzip; let its name end in .gz." in self.refusal(tmp_path, "x.csv", packed)
        assert "a zip archive or a workbook" in self.refusal(tmp_path, "x.csv", b"PK\x03\x04more")
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(table))
        assert len(read_task("classify", tmp_path / "x.csv.gz").examples) == 2

    def test_line_ends_of_old(self, tmp_path):
        said = self.refusal(tmp_path, "x.csv", b"text,label\ra,1\rb,0\r")
        assert said.startswith("x.csv, line 1: expected lines that end in a line feed")
        said = self.refusal(tmp_path, "x.csv", b"text,label\na,1\nb\rc,0\n")
        assert "found a carriage return in one without quotes" in said

    def test_where_json_breaks(self, tmp_path):
        row = json.dumps({"text": "x" * 500, "label": "a"})
        said = self.refusal(tmp_path, "x.jsonl", f"{row}\n{row[:-1]},more}}\n".encode())
        assert said.startswith("x.jsonl, line 2: expected one whole JSON object (it breaks at column ")
        assert "more" in said and len(said) < 200

    def test_a_document_is_one_field_of_csv(self, tmp_path):
        (tmp_path / "x.csv").write_text(f"text,label\n{'long ' * 60_000},1\nb,0\n")
        assert len(read_task("classify", tmp_path / "x.csv").examples[0].text_a) == 299_999

    def test_parquet_that_is_no_text(self, tmp_path):
        parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        words = arrow.array([b"\xff\xfe", b"ok"]).cast(arrow.binary()).view(arrow.utf8())
        parquet.write_table(arrow.table({"text": words, "label": ["a", "b"]}), tmp_path / "x.parquet")
        with pytest.raises(BertcoreError, match="x.parquet cannot be read as Parquet"):
            read_task("classify", tmp_path / "x.parquet")


# Found by fuzzing: a page of the column "label" whose statistics contradict its levels. pyarrow 26 calls abort().
ABORTS_PYARROW = (
    "eNptkk9vElEQwOct66axGGnT2bxnNoQY2fQAtDUpIaaXgUJRQXdJmqbHXdjQNigIaP0AHvsBOHjwaJp+pB78Hl46bxcBQ+cwM2/+"
    "/N5M3vOpc4AmZvFliw1sAzyvmADQHw57KbZh0EPAF5gtoIcZtNByyrBr6rRMcXJri4ue7RusPSE2b7UwaAflP97TV4KTgVbhIygR"
    "ShE8TlFHhyCtSfci+hSgCZh2DWlOo+/TPLQcLsV03pBPBkEYDeYR21OOKrjgYFodgpVRST0atmfPhP1LuA13Y20BVdCjogGsMmyO"
    "7JmhLOWCx8hVWHJXTPsh7Bvh3gv3t1jdYh3lLUj2T250N+w7A5Qj09TpfDx7k2wn/4g9LWXS4lMi74muqdqnBlGfav04Vq0StbVT"
    "I3obB5aWEjfxYv3hiqEVduqNehyMIXVayKkOTs7P3g1CfWzH9T5Vfc0/IerS8Ry2aPJP4/ma/406v6/ZGURNn5YtyzzI3CgYf/ka"
    "TYvd0agYjMfD69y3aDy5HH7OvS6X9ksHqsBvqJ/xL38Wjz/mAx5Phzc="
)


def test_a_parquet_file_that_ends_the_process_of_its_library_is_refused(tmp_path):
    file = tmp_path / "train.parquet"
    file.write_bytes(zlib.decompress(base64.b64decode(ABORTS_PYARROW)))
    with pytest.raises(BertcoreError, match="train.parquet cannot be read as Parquet: it is damaged; copy or fetch"):
        list(read_rows(file))


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("train.tsv", r"take fewer lines \(head -n 400000 train.tsv\)\.$"),
        ("train.csv.gz", r"take fewer lines \(head -n 400000 train.csv.gz\), unpacked first\.$"),
        ("train.json", "save it as .jsonl"),
        ("train.parquet", "write the columns that the task reads, or fewer rows, to a new Parquet file"),
    ],
)
def test_a_file_that_is_too_large_says_how_to_make_it_fit(tmp_path, name, how):
    file = tmp_path / name
    with gzip.open(file, "wb", 1) if name.endswith(".gz") else file.open("wb") as stream:
        if name.endswith(".json"):
            stream.write(b" " * (TASK_FILE_BYTES + 1))
        elif name.endswith(".parquet"):
            stream.truncate(TASK_FILE_BYTES + 1)
        else:
            stream.write(b"text\tlabel\n")
            for _ in range(TASK_FILE_BYTES // MIB + 1):
                stream.write((b"x" * 1000 + b"\ta\n") * 1047)
    with pytest.raises(BertcoreError, match=how):
        whole_text(file) if name.endswith(".json") else list(read_rows(file))
