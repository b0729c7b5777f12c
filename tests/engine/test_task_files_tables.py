"""Tables of texts with labels: TSV, CSV, JSONL and Parquet, and every way in which one does not fit."""

import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.limits import TASK_LINE_BYTES
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS, TaskFile, metrics_of, read_task

ROWS = [("a good day", "good"), ("a bad day", "bad"), ('it is "good", so', "good")]
EXAMPLES = tuple(TextExample(text, label=label) for text, label in ROWS)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return file


def tsv(*rows: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def refusal(task: str, file: Path, split: str = "train", **more: object) -> str:
    with pytest.raises(BertcoreError) as error:
        read_task(task, file, split, **more)  # type: ignore[arg-type]
    return str(error.value)


TEXT = tsv(("text", "label"), *ROWS)
CSV = 'text,label\na good day,good\na bad day,bad\n"it is ""good"", so",good\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.tsv", TEXT.encode()),
        ("mark.tsv", b"\xef\xbb\xbf" + TEXT.encode()),
        ("windows.tsv", TEXT.replace("\n", "\r\n").encode()),
        ("no_end.tsv", TEXT.rstrip("\n").encode()),
        ("blank_lines.tsv", (TEXT + "\n\n").encode()),
        ("packed.tsv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("packed.tsv.xz", lzma.compress(TEXT.encode())),
        ("table.txt", TEXT.encode()),
        ("comma.csv", CSV.encode()),
        ("windows.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()),
        ("semicolon.csv", b'text;label\na good day;good\na bad day;bad\n"it is ""good"", so";good\n'),
        ("lines.jsonl", "".join(json.dumps({"text": t, "label": n}) + "\n" for t, n in ROWS).encode()),
    ],
)
def test_every_layout_gives_the_same_examples(tmp_path: Path, name: str, content: bytes) -> None:
    found = read_task("classify", write(tmp_path, name, content))
    assert found.examples == EXAMPLES
    assert found.labels == ("bad", "good") and found.dropped == 0 and found.notes == ()


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"text": [text for text, _ in ROWS], "label": [label for _, label in ROWS]})
    parquet.write_table(table, tmp_path / "train.parquet")
    assert read_task("classify", tmp_path).examples == EXAMPLES
    whole = (tmp_path / "train.parquet").read_bytes()
    assert "cannot be read as Parquet" in refusal("classify", write(tmp_path, "cut.parquet", whole[: len(whole) // 2]))
    numbers = pyarrow.table({"text": ["a", "b", None], "label": [1, 0, 1]})
    parquet.write_table(numbers, tmp_path / "hole.parquet")
    assert refusal("classify", tmp_path / "hole.parquet") == "hole.parquet, row 3: expected text (text), found nothing."


def test_parquet_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # importing it fails
    assert "pip install pyarrow" in refusal("classify", write(tmp_path, "train.parquet", b"PAR1"))


def test_own_columns(tmp_path: Path) -> None:
    file = write(tmp_path, "mine.csv", "id,first,second,verdict\n1,a,b,yes\n2,c,d,no\n")
    found = read_task("pairs", file, columns={"text": "first", "text_b": "second", "label": "verdict"})
    assert found.examples == (TextExample("a", "b", "yes"), TextExample("c", "d", "no"))
    message = refusal("pairs", file, columns={"text": "fist"})
    assert (
        message
        == "mine.csv has no column 'fist'; it has 'id', 'first', 'second', 'verdict'. Name the right one with --text."
    )
    assert "--text-b" in refusal("pairs", file, columns={"text": "first"})


def test_labels_of_the_training_file_hold_for_the_others(tmp_path: Path) -> None:
    train = read_task("classify", write(tmp_path, "train.tsv", TEXT))
    dev = write(tmp_path, "dev.tsv", tsv(("text", "label"), ("so so", "good")))
    assert read_task("classify", dev, "dev", labels=train.labels).labels == ("bad", "good")
    odd = write(tmp_path, "odd.tsv", tsv(("text", "label"), ("so so", "good"), ("well", "middling")))
    message = refusal("classify", odd, "dev", labels=train.labels)
    assert message == "odd.tsv, line 3: expected one of the labels bad, good, found 'middling'."


def test_a_test_file_needs_no_labels(tmp_path: Path) -> None:
    file = write(tmp_path, "test.tsv", tsv(("index", "sentence"), ("0", "so so")))
    assert read_task("sst2", file, "test").examples == (TextExample("so so"),)
    assert "no column 'label'" in refusal("sst2", file, "dev")
    secret = write(tmp_path, "secret.csv", "sentence,label\nso so,-1\n")
    assert read_task("sst2", secret, "test").examples == (TextExample("so so"),)
    assert "line 2: expected one of the labels" in refusal("sst2", secret, "dev")


def test_numbers(tmp_path: Path) -> None:
    header = ("sentence1", "sentence2", "score")
    found = read_task("stsb", write(tmp_path, "train.tsv", tsv(header, ("a", "b", "4.750"), ("c", "d", "0"))))
    assert [example.label for example in found.examples] == [4.75, 0.0]  # type: ignore[union-attr]
    assert found.labels == ()
    for wrong in ("5.1", "-0.2", "nan", "inf", "much", "", "1,5"):
        message = refusal("stsb", write(tmp_path, "bad.tsv", tsv(header, ("a", "b", wrong))))
        assert message.startswith("bad.tsv, line 2: expected a number from 0 to 5 in column 'score', found ")
    free = write(tmp_path, "free.tsv", tsv(header, ("a", "b", "-12.5")))
    assert read_task("similarity", free).examples[0].label == -12.5  # type: ignore[union-attr]


def several(found: TaskFile) -> list[object]:
    return [example.label for example in found.examples]  # type: ignore[union-attr]


def test_several_labels(tmp_path: Path) -> None:
    file = write(tmp_path, "train.csv", 'text,labels\na,red;blue\nb,"blue, green"\nc,\nd,red|red\n')
    found = read_task("multilabel", file)
    assert several(found) == [("red", "blue"), ("blue", "green"), (), ("red",)]
    assert found.labels == ("blue", "green", "red")
    lines = '{"text": "a", "labels": ["big, red", "small"]}\n{"text": "b", "labels": []}\n'
    listed = read_task("multilabel", write(tmp_path, "train.jsonl", lines))
    assert several(listed) == [("big, red", "small"), ()]
    assert "line 2: expected one of the labels big, found 'red'" in refusal("multilabel", file, "dev", labels=["big"])


def test_a_label_is_the_same_as_text_and_as_number(tmp_path: Path) -> None:
    lines = '{"text": "a", "label": 1}\n{"text": "b", "label": "1"}\n{"text": "c", "label": 0.0}\n'
    found = read_task("classify", write(tmp_path, "train.jsonl", lines))
    assert several(found) == ["1", "1", "0"]


WRONG = [
    ("x.tsv", b"text\tlabel\na\tb\tc\n", "x.tsv, line 2: expected 2 columns (text, label), found 3: 'a | b | c'."),
    ("x.tsv", b"text\tlabel\na\tgood\n\tbad\n", "x.tsv, line 3: expected text (text), found nothing."),
    ("x.tsv", b"text\tlabel\na\tgood\nb\t \n", "x.tsv, line 3: expected a label in column 'label', found ' '."),
    ("x.tsv", b"text\tlabel\na\tx\nb\xe9\ty\n", "x.tsv, line 3: byte 2 (0xe9) is not UTF-8; save the file as UTF-8."),
    ("x.tsv", b"text\tlabel\na\tx\nb\0c\ty\n", "x.tsv, line 3: expected UTF-8 text, found b'b\\x00c\\ty\\n'."),
    ("x.tsv", b"text\ttext\na\tb\n", "x.tsv has two columns 'text'; give each its own name in the first line."),
    ("x.tsv", b"text\tlabel\n", "has no examples; choose one with rows below its header."),
    ("x.tsv", b"", "x.tsv is empty; choose one with examples in it."),
    ("x.tsv", "text\tlabel\n".encode("utf-16"), "x.tsv is UTF-16 text; save it as UTF-8."),
    ("x.tsv", b"text\tlabel\na\tx\nb\tx\n", "has fewer than two different labels (x)"),
    ("x.tsv", b"hello there\t1\nbye\t0\n", "x.tsv has no column 'text'; it has 'hello there', '1'."),
    (
        "x.csv",
        b'text,label\na,b\n"c,d\ne,f\n',
        "x.csv, line 3: expected fields of CSV, found a quote that is not closed",
    ),
    ("x.csv", b'text,label\n"a"b,c\n', "x.csv, line 2: expected fields of CSV"),
    ("x.csv", b"text,label\na\n", "x.csv, line 2: expected 2 columns (text, label), found 1: 'a'."),
    ("x.jsonl", b'{"text": "a", "label": 1}\n{"text": "b", \n', "x.jsonl, line 2: expected one whole JSON object"),
    ("x.jsonl", b'["a", 1]\n', "x.jsonl, line 1: expected one JSON object on each line, found '[\"a\", 1]'."),
    ("x.jsonl", b'{"text": 7, "label": 1}\n', "x.jsonl, line 1: expected text (text), found 7."),
    ("x.jsonl", b'{"text": "\\ud800", "label": 1}\n', "x.jsonl, line 1: expected text (text) of whole characters"),
    ("x.jsonl", b'{"text": "a", "label": [1]}\n', "x.jsonl, line 1: expected a label in column 'label', found [1]."),
    ("x.jsonl", b"[" * 100_000, "x.jsonl, line 1: expected one whole JSON object"),
    ("x.jsonl", b'{"text": "a"}\n', "x.jsonl has no column 'label'; it has 'text'."),
    ("x.docx", b"PK", "is not a table that can be read: its name must end in .tsv"),
    ("x.tsv.gz", gzip.compress(TEXT.encode() * 99, mtime=0)[:-20], "cannot be read"),
    ("x.tsv.xz", lzma.compress(TEXT.encode() * 99)[:-20], "cannot be read"),
    ("x.tsv.gz", TEXT.encode(), "cannot be read"),
    ("x.tsv", b"text\tlabel\n" + b"a" * TASK_LINE_BYTES + b"\tgood\n", "x.tsv, line 2: expected a line of at most"),
]


@pytest.mark.parametrize(("name", "content", "message"), WRONG, ids=range(len(WRONG)))
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    assert message in refusal("classify", write(tmp_path, name, content))


def test_another_label_in_each_row_is_no_label(tmp_path: Path) -> None:
    file = write(tmp_path, "x.tsv", tsv(("text", "label"), *((f"text {n}", f"row-{n}") for n in range(20))))
    assert "a different label in each of its 20 rows, such as 'row-0'" in refusal("classify", file)


def test_quoted_fields_may_have_several_lines_and_the_right_line_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, "x.csv", 'text,label\n"one\ntwo",a\nthree,b\n')
    assert several(read_task("classify", file)) == ["a", "b"]
    assert "x.csv, line 4:" in refusal("classify", write(tmp_path, "x.csv", 'text,label\n"one\ntwo",a\nthree,b,c\n'))


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    file = write(tmp_path, "x.tsv", "text\tlabel\na\u2028b\x0bc\rd\te\nf\tg\n")
    assert read_task("classify", file).examples[0] == TextExample("a\u2028b\x0bc\rd", label="e")


def test_folders(tmp_path: Path) -> None:
    write(tmp_path, "validation.csv.gz", gzip.compress(CSV.encode()))
    assert read_task("classify", tmp_path, "dev").examples == EXAMPLES
    assert "has no train part of sst2 (train.tsv); it has validation.csv.gz." in refusal("sst2", tmp_path)
    write(tmp_path, "dev.tsv", TEXT)
    assert "has dev.tsv and validation.csv.gz; name the one that is meant." in refusal("classify", tmp_path, "dev")
    assert read_task("sst2", write(tmp_path, "dev.tsv", "sentence\tlabel\na\t1\n").parent, "dev").file.name == "dev.tsv"
    assert "There is no file or folder" in refusal("sst2", tmp_path / "absent")
    assert "it has no files." in refusal("sst2", (tmp_path / "empty").mkdir() or tmp_path / "empty")


def test_tasks_hold_together() -> None:
    assert "choose one of sst2, cola" in refusal("sst3", Path())
    for name, spec in TASKS.items():
        assert spec.name == name and spec.metrics
        assert set(spec.label_names.values()) <= set(spec.labels)
        assert spec.kind in TASK_KINDS and metrics_of(spec)[0] in spec.metrics


def test_nothing_here_loads_torch() -> None:
    code = "import sys, bertcore.tasks.readers; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_home_that_nobody_has_is_a_sentence() -> None:
    with pytest.raises(BertcoreError, match="no file or folder ~nobodyx"):
        read_task("classify", "~nobodyx/train.tsv")
