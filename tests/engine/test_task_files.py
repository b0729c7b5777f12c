"""Task files: tables, GLUE, CoNLL, questions, choices and summaries, and every way in which one does not fit."""

import gzip
import json
import lzma
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bertcore.errors import BertcoreError
from bertcore.limits import TASK_LINE_BYTES
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample, greedy_labels
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS, TaskFile, metrics_of, read_task
from bertcore.tasks.readers.tables import verbatim_labels
from tests.text_file import text_file

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


def test_a_home_that_nobody_has_is_a_sentence() -> None:
    assert "no file or folder ~nobodyx" in refusal("classify", "~nobodyx/train.tsv")


# --- GLUE's TSV files with the quirks that the published ones have

# Per task: header, a row, and what the row says. None: a file without a header.
LAYOUTS = {
    "sst2": ("sentence\tlabel", "a fine film . \t1", TextExample("a fine film .", None, "positive")),
    "cola": (None, "gj04\t0\t?*\tThe dog at barked.", TextExample("The dog at barked.", None, "unacceptable")),
    "mrpc": (
        "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
        '1\t7\t8\t" Yes , he said .\tHe said " yes " .',
        TextExample('" Yes , he said .', 'He said " yes " .', "equivalent"),
    ),
    "qqp": ("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate", "1\t2\t3\tWho?\tWhat?\t0", ("not_duplicate",)),
    "stsb": (
        "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore",
        "0\tnews\tx\t2012\t1\tnone\tnone\tA man eats.\tA man is eating.\t4.800",
        TextExample("A man eats.", "A man is eating.", 4.8),
    ),
    "mnli": (
        "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
        "sentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label",
        "0\t1\t1n\tfiction\t( a )\t( b )\t(X a)\t(X b)\tIt rains.\tIt is wet.\tneutral\tneutral",
        TextExample("It rains.", "It is wet.", "neutral"),
    ),
    "qnli": ("index\tquestion\tsentence\tlabel", "0\tWho?\tTom did.\tentailment", ("entailment",)),
    "rte": ("index\tsentence1\tsentence2\tlabel", "0\tIt rains.\tIt is dry.\tnot_entailment", ("not_entailment",)),
    "wnli": ("index\tsentence1\tsentence2\tlabel", "0\tHe fell, so Tom cried.\tTom fell.\t1", ("entailment",)),
}


@pytest.mark.parametrize("task", LAYOUTS)
def test_layout(tmp_path: Path, task: str) -> None:
    header, row, expected = LAYOUTS[task]
    file = tmp_path / "train.tsv"
    lines = [row] if header is None else [header, row]
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_task(task, tmp_path)
    (example,) = found.examples
    assert found.labels == TASKS[task].labels
    if isinstance(expected, TextExample):
        assert example == expected
    else:
        assert (example.label,) == expected and example.text_a and example.text_b  # type: ignore[union-attr]


def test_label_numbers_are_those_of_the_benchmark() -> None:
    """As `datasets` lists the labels of GLUE; a model trained elsewhere has its outputs in this order."""
    assert TASKS["sst2"].labels == ("negative", "positive")
    assert TASKS["cola"].labels == ("unacceptable", "acceptable")
    assert TASKS["mrpc"].labels == ("not_equivalent", "equivalent")
    assert TASKS["qqp"].labels == ("not_duplicate", "duplicate")
    assert TASKS["mnli"].labels == ("entailment", "neutral", "contradiction")
    assert TASKS["qnli"].labels == TASKS["rte"].labels == ("entailment", "not_entailment")
    assert TASKS["wnli"].labels == ("not_entailment", "entailment")


def test_cola_has_no_header(tmp_path: Path) -> None:
    file = text_file(tmp_path / "train.tsv", "source\tlabel\tstar\tsentence\ngj04\t1\t\tIt rains.\n")
    assert "train.tsv, line 1: expected the first sentence, found a header" in refusal("cola", file)
    file.write_text("gj04\t1\t\tIt rains.\ngj04\tyes\t\tIt pours.\n", encoding="utf-8")
    assert "line 2: expected one of the labels unacceptable, acceptable, found 'yes'" in refusal("cola", file)
    file.write_text("gj04\t1\tIt rains.\n", encoding="utf-8")
    assert "line 1: expected 4 columns (source, label, star, sentence), found 3" in refusal("cola", file)


def test_cola_has_a_header_in_its_test_file(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("index\tsentence\n0\tIt rains.\n", encoding="utf-8")
    assert read_task("cola", tmp_path, "test").examples == (TextExample("It rains."),)


def test_other_files_have_one(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a fine film\t1\na poor one\t0\n", encoding="utf-8")
    assert "train.tsv has no column 'sentence'; it has 'a fine film', '1'" in refusal("sst2", tmp_path)


def test_a_label_that_the_task_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("sentence\tlabel\na fine film\t1\na film\t2\n", encoding="utf-8")
    assert "train.tsv, line 3: expected one of the labels negative, positive, found '2'" in refusal("sst2", tmp_path)


def test_rows_without_agreement_are_left_out_of_mnli(tmp_path: Path) -> None:
    rows = "sentence1\tsentence2\tgold_label\na\tb\t-\nc\td\tneutral\n"
    for part in ("matched", "mismatched"):
        (tmp_path / f"dev_{part}.tsv").write_text(rows.replace("c\t", f"{part}\t"), encoding="utf-8")
    found = read_task("mnli", tmp_path, "dev")
    assert found.examples == (TextExample("matched", "d", "neutral"),)
    assert found.dropped == 1 and found.notes == ("Rows left out, since they have no agreed label: 1.",)
    assert read_task("mnli", tmp_path, "dev_mismatched").examples == (TextExample("mismatched", "d", "neutral"),)


def test_broken_rows_are_left_out_of_qqp_and_counted(tmp_path: Path) -> None:
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    rows = "1\t2\t3\tWho is\n it?\tWho?\t1\n4\t5\t6\tHow?\tHow so?\t1\n7\t8\t9\t\tWhat?\t0\n"
    (tmp_path / "train.tsv").write_text(header + rows, encoding="utf-8")
    found = read_task("qqp", tmp_path)
    assert found.examples == (TextExample("How?", "How so?", "duplicate"),)
    assert found.dropped == 3 and found.notes == ("Broken rows left out: 3, the first: train.tsv, line 2.",)


def test_mrpc_prefers_the_benchmarks_own_name(tmp_path: Path) -> None:
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    (tmp_path / "msr_paraphrase_train.txt").write_text(header + "1\t1\t2\told\tnew\n", encoding="utf-8")
    assert read_task("mrpc", tmp_path).examples == (TextExample("old", "new", "equivalent"),)
    (tmp_path / "train.tsv").write_text(header + "0\t1\t2\ta\tb\n", encoding="utf-8")
    assert read_task("mrpc", tmp_path).examples == (TextExample("a", "b", "not_equivalent"),)


# --- words with tags: CoNLL columns, IOB1 to BIO

# Two names of one type side by side: the only place where IOB1 writes a B.
IOB1 = """-DOCSTART- -X- O O

Anna NNP I-NP I-PER
Smith NNP I-NP I-PER
met VBD I-VP O
Tom NNP I-NP I-PER
Ben NNP B-NP B-PER
in IN I-PP O
Rome NNP I-NP I-LOC

-DOCSTART- -X- -X- O

Rain NN I-NP O
. . O O
"""
FIRST = ("Anna", "Smith", "met", "Tom", "Ben", "in", "Rome")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = text_file(tmp_path / "eng.train", IOB1)
    return path


def test_iob1_is_given_as_bio(file: Path) -> None:
    found = read_task("conll2003", file.parent)
    assert found.examples == (
        TaggedExample(FIRST, ("B-PER", "I-PER", "O", "B-PER", "B-PER", "O", "B-LOC")),
        TaggedExample(("Rain", "."), ("O", "O")),
    )
    assert found.labels == TASKS["conll2003"].labels and len(found.labels) == 9 and found.scheme == "BIO"
    assert found.notes == ("Tags written as IOB1 are given as BIO: the same entities.",)


def test_the_other_columns(file: Path) -> None:
    pos = read_task("conll2003-pos", file)
    assert pos.examples[0] == TaggedExample(FIRST, ("NNP", "NNP", "VBD", "NNP", "NNP", "IN", "NNP"))
    assert pos.labels == (".", "IN", "NN", "NNP", "VBD") and pos.scheme == "none" and pos.notes == ()
    chunk = read_task("conll2003-chunk", file)
    assert chunk.examples[0].tags == ("B-NP", "I-NP", "B-VP", "B-NP", "B-NP", "B-PP", "B-NP")  # type: ignore[union-attr]
    assert chunk.labels == ("O", "B-NP", "I-NP", "B-PP", "I-PP", "B-VP", "I-VP")


def test_own_columns_by_number(file: Path) -> None:
    found = read_task("tag", file, columns={"text": "2", "label": "3"})
    assert found.examples[1] == TaggedExample(("NN", "."), ("B-NP", "O"))
    assert "numbered from 1, not named like 'ner'; see --label" in refusal("tag", file, columns={"label": "ner"})
    assert "line 1: expected 5 columns or more" in refusal("tag", file, columns={"label": "5"})


@pytest.mark.parametrize(
    ("content", "tags"),
    [
        ("Anna\tB-PER\nSmith\tI-PER\n", ("B-PER", "I-PER")),
        ("Anna B-PER \r\nSmith I-PER  \r\n\r\n", ("B-PER", "I-PER")),
        ("\ufeffAnna B-PER\nSmith I-PER", ("B-PER", "I-PER")),
        ("Anna B-PER\nSmith E-PER\n", ("B-PER", "E-PER")),
        ("Anna I-PER\nSmith I-LOC\n", ("B-PER", "B-LOC")),
    ],
    ids=["tabs", "windows", "mark", "iobes", "types touch"],
)
def test_kinds_of_files(tmp_path: Path, content: str, tags: tuple[str, ...]) -> None:
    path = tmp_path / "train.conll"
    path.write_bytes(content.encode("utf-8"))
    found = read_task("tag", tmp_path)
    assert found.examples == (TaggedExample(("Anna", "Smith"), tags),)
    assert set(tags) <= set(found.labels) and found.labels[0] == "O"


def test_dev_takes_scheme_and_labels_from_training(tmp_path: Path) -> None:
    path = text_file(tmp_path / "dev.conll", "Anna I-PER\nSmith I-PER\n")
    assert read_task("tag", path, "dev", labels=("O", "B-PER", "I-PER")).scheme == "BIO"
    iobes = read_task("tag", path, "dev", labels=("O", "B-PER", "I-PER", "E-PER", "S-PER"))
    assert iobes.examples == (TaggedExample(("Anna", "Smith"), ("B-PER", "E-PER")),)
    with pytest.raises(
        BertcoreError, match="dev.conll, line 1: expected one of the labels O, B-LOC, I-LOC, found 'B-PER'"
    ):
        read_task("tag", path, "dev", labels=("O", "B-LOC", "I-LOC"))


def test_a_test_file_may_have_words_only(tmp_path: Path) -> None:
    path = text_file(tmp_path / "test.conll", "Anna\nsleeps\n\nRain\n")
    assert read_task("tag", path, "test").examples == (TaggedExample(("Anna", "sleeps")), TaggedExample(("Rain",)))
    with pytest.raises(
        BertcoreError, match="line 1: expected 2 columns or more, separated by spaces or tabs, found 'Anna'"
    ):
        read_task("tag", path, "dev")


def test_a_space_within_a_word_is_no_column(tmp_path: Path) -> None:
    path = text_file(tmp_path / "train.conll", "10\u00a0000 O\nRome B-LOC\n")
    assert read_task("tag", path).examples[0].words == ("10\u00a0000", "Rome")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Anna B-PER\nSmith\n", "x.conll, line 2: expected 2 columns, as in the lines before, found 'Smith'."),
        (
            "Anna B-PER\nRome B-LOC\nof BLOC\n",
            "x.conll, line 3: expected a tag such as O, B-PER or I-PER, found 'BLOC'.",
        ),
        ("-DOCSTART- O\n\n", "has no sentences; it needs a word and its tag in each line."),
        ("\n\n", "has no sentences"),
        ("", "is empty"),
        ("a O\nb O\n", "has fewer than two different tags"),
    ],
    ids=range(6),
)
def test_refused_words(tmp_path: Path, content: str, message: str) -> None:
    path = text_file(tmp_path / "x.conll", content)
    assert message in refusal("tag", path)


def test_a_type_that_the_task_does_not_have(tmp_path: Path) -> None:
    path = text_file(tmp_path / "x.conll", "Anna B-PER\n\nin O\nMay B-DATE\n")
    with pytest.raises(BertcoreError, match="x.conll, line 4: expected one of the labels O, B-PER, .*, found 'B-DATE'"):
        read_task("conll2003", path)


def test_lists_in_json(tmp_path: Path) -> None:
    path = text_file(tmp_path / "train.jsonl", '{"tokens": ["Anna", "sleeps"], "ner_tags": ["B-PER", "O"]}\n')
    assert read_task("tag", tmp_path).examples == (TaggedExample(("Anna", "sleeps"), ("B-PER", "O")),)
    path.write_text('{"tokens": ["Anna", "sleeps"], "tags": ["B-PER"]}\n', encoding="utf-8")
    assert "line 1: expected a list of 2 tags, one for each word, found" in refusal("tag", path)
    path.write_text('{"tokens": "Anna sleeps", "tags": ["B-PER"]}\n', encoding="utf-8")
    assert "line 1: expected a list of words" in refusal("tag", path)


# --- questions on passages: SQuAD's JSON and tables

PASSAGE = "  Tom lives in Rome. Anna lives in Oslo, and Rome is far."


def question(*answers: tuple[str, int], **more: Any) -> dict[str, Any]:
    return {
        "id": "q1",
        "question": " Where is it? ",
        "answers": [{"text": text, "answer_start": start} for text, start in answers],
        **more,
    }


def squad(folder: Path, *questions: dict[str, Any], name: str = "train.json") -> Path:
    file = folder / name
    paragraphs = [{"context": PASSAGE, "qas": list(questions)}]
    file.write_text(
        json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}), encoding="utf-8"
    )
    return file


def answers(file: Path) -> tuple[tuple[str, int], ...]:
    (example,) = read_task("squad", file).examples
    assert isinstance(example, AnswerExample) and example.passage == PASSAGE and example.question == "Where is it?"
    assert all(example.passage[start : start + len(text)] == text for text, start in example.answers)
    return example.answers


def test_answers_at_their_characters(tmp_path: Path) -> None:
    """Characters count from the passage's very first, which is a space here; equal answers count once."""
    assert answers(squad(tmp_path, question(("Rome", 15), ("Oslo", 35), ("Rome", 15), ("Rome", 45)))) == (
        ("Rome", 15),
        ("Oslo", 35),
        ("Rome", 45),
    )


def test_spaces_around_an_answer_are_no_part_of_it(tmp_path: Path) -> None:
    assert answers(squad(tmp_path, question((" in Rome. ", 11)))) == (("in Rome.", 12),)


def test_an_answer_elsewhere_is_put_right_if_it_stands_once(tmp_path: Path) -> None:
    file = squad(tmp_path, question(("Oslo", 29)))
    assert answers(file) == (("Oslo", 35),)
    found = read_task("squad", file)
    assert found.notes == ("Answers found elsewhere than at the given character: 1.",)
    assert found.dropped == 0


def test_an_answer_that_is_not_to_be_found_is_left_out(tmp_path: Path) -> None:
    """ "Rome" stands twice, so nobody can tell which is meant; "Paris" not at all."""
    lost = [question(("Rome", 0), id="q2"), question(("Paris", 15), id="q3"), question(("", 15), id="q4")]
    found = read_task("squad", squad(tmp_path, question(("Rome", 0), ("Oslo", 35)), *lost))
    assert [example.answers for example in found.examples] == [(("Oslo", 35),)]  # type: ignore[union-attr]
    assert found.dropped == 3
    assert found.notes[0].startswith("Questions left out") and ": 3, the first: " in found.notes[0]
    assert found.notes[0].endswith("passage 1, question 2.")
    assert "has no question whose answer is in its passage" in refusal("squad", squad(tmp_path, *lost))


def test_questions_without_an_answer(tmp_path: Path) -> None:
    plausible = {"is_impossible": True, "plausible_answers": [{"text": "Rome", "answer_start": 15}]}
    file = squad(tmp_path, question(**plausible), question(("Rome", 15), id="q2", is_impossible=False))
    found = read_task("squad2", file)
    assert [example.answers for example in found.examples] == [(), (("Rome", 15),)]  # type: ignore[union-attr]
    expected = "train.json, article 1, passage 1, question 1: expected an answer (squad has one for each question"
    assert expected in refusal("squad", file)
    assert read_task("squad", file, "test").examples[0].answers == ()  # type: ignore[union-attr]


def test_a_test_file_needs_no_answers(tmp_path: Path) -> None:
    bare = {"id": "q1", "question": "Where?"}
    file = squad(tmp_path, bare)
    assert read_task("squad2", file, "test").examples == (AnswerExample("q1", "Where?", PASSAGE),)
    assert 'question 1: expected a list "answers", found nothing.' in refusal("squad2", file)


WRONG_SQUAD: list[tuple[Any, str]] = [
    ({"data": {}}, 'x.json: expected SQuAD\'s JSON, {"data": [...]}'),
    ([], 'x.json: expected SQuAD\'s JSON, {"data": [...]}'),
    ({"data": [{"title": "t"}]}, 'x.json, article 1: expected a list "paragraphs", found nothing.'),
    ({"data": [7]}, 'x.json, article 1: expected a list "paragraphs", found 7.'),
    ({"data": [{"paragraphs": [{"context": PASSAGE}]}]}, 'x.json, article 1, passage 1: expected a list "qas"'),
    ({"data": [{"paragraphs": [{"qas": []}]}]}, "passage 1: expected text (context), found nothing."),
    ({"data": [{"paragraphs": [{"context": " ", "qas": []}]}]}, "passage 1: expected text (context), found ' '."),
    ({"data": [{"paragraphs": [{"context": "a", "qas": ["b"]}]}]}, "question 1: expected a question, {"),
]


@pytest.mark.parametrize(("content", "message"), WRONG_SQUAD, ids=range(len(WRONG_SQUAD)))
def test_other_json_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    file = text_file(tmp_path / "x.json", json.dumps(content))
    assert message in refusal("squad", file)


def test_wrong_questions_are_refused(tmp_path: Path) -> None:
    assert "question 1: expected text (id), found 5." in refusal("squad", squad(tmp_path, question(("Rome", 15), id=5)))
    wrong = question() | {"answers": [{"text": "Rome"}]}
    assert "question 1: expected an answer, {" in refusal("squad", squad(tmp_path, wrong))
    twice = squad(tmp_path, question(("Rome", 15)), question(("Oslo", 35)))
    assert "has 2 questions with the id 'q1'; give each its own id." in refusal("squad", twice)


def test_json_that_is_cut_off(tmp_path: Path) -> None:
    whole = json.dumps({"data": [{"paragraphs": [{"context": PASSAGE, "qas": []}]}]}, indent=1)
    file = text_file(tmp_path / "x.json", whole[:60])
    last_line = whole[:60].count("\n") + 1
    assert f"x.json, line {last_line}, column " in refusal("squad", file) and "whole JSON" in refusal("squad", file)
    file.write_text("[" * 100_000, encoding="utf-8")
    assert "nested too deeply" in refusal("squad", file)
    file.write_bytes(b"")
    assert "is empty" in refusal("squad", file)


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "train.csv"
    file.write_text("passage,question,answer\nTom is in Rome.,Where?,Rome\nTom is in Rome.,When?,\n", encoding="utf-8")
    found = read_task("answer", tmp_path)
    assert [(example.id, example.answers) for example in found.examples] == [  # type: ignore[union-attr]
        ("train.csv, line 2", (("Rome", 10),)),
        ("train.csv, line 3", ()),
    ]
    assert found.notes == ()  # no place was named, so none was wrong


def test_lists_of_answers_as_datasets_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "train.jsonl"
    row = {
        "id": "x",
        "context": PASSAGE.strip(),
        "question": "Where?",
        "answers": {"text": [" Rome"], "answer_start": [12]},
    }
    file.write_text(json.dumps(row), encoding="utf-8")
    assert read_task("squad", tmp_path / "train.jsonl").examples[0].answers == (("Rome", 13),)  # type: ignore[union-attr]
    begun = {"context": "  a cat saw a cat", "answers": {"text": ["a cat"], "answer_start": [12]}}
    file.write_text(json.dumps(row | begun), encoding="utf-8")
    (example,) = read_task("squad", tmp_path / "train.jsonl").examples
    passage, ((text, start),) = example.passage, example.answers  # type: ignore[union-attr]
    assert (text, start) == ("a cat", 12) and passage[start:] == "a cat"  # starts count from the very first character
    file.write_text(json.dumps(row | {"answers": {"text": ["Rome"], "answer_start": []}}), encoding="utf-8")
    assert 'line 1: expected answers as {"text": [...], "answer_start": [...]}' in refusal("squad", file)


# --- endings to choose from: SWAG's columns and CommonsenseQA's JSON

SWAG = (
    ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
    '0,v1,1,"It rains. She","It rains, and she waits.",She,gold,'
    'runs home.,"sings, loudly.",eats a chair.,sleeps on it.,1\n'
)


def common_sense(answer: str | None = "B", **more: Any) -> str:
    choices = [{"label": "A", "text": "bank "}, {"label": "B", "text": "library"}]
    question = {"question_concept": "book", "choices": choices, "stem": "Where do you find a book?"} | more
    return json.dumps({"id": "x", "question": question} | ({"answerKey": answer} if answer else {})) + "\n"


def unfit(file: Path, content: str, split: str = "train") -> str:
    file.write_text(content, encoding="utf-8")
    return refusal("choose", file, split)


def test_swag(tmp_path: Path) -> None:
    (tmp_path / "val.csv").write_text(SWAG, encoding="utf-8")
    endings = ("She runs home.", "She sings, loudly.", "She eats a chair.", "She sleeps on it.")
    expected = ChoiceExample("It rains, and she waits.", endings, 1)
    assert read_task("swag", tmp_path, "dev").examples == (expected,)


def test_common_sense(tmp_path: Path) -> None:
    (tmp_path / "train_rand_split.jsonl").write_text(common_sense() + common_sense("A"), encoding="utf-8")
    first, second = read_task("commonsenseqa", tmp_path).examples
    assert first == ChoiceExample("Where do you find a book?", ("bank", "library"), 1)
    assert second.label == 0  # type: ignore[union-attr]


def test_ones_own(tmp_path: Path) -> None:
    row = {"context": "It rains.", "endings": ["Run!", "Sing!", "Sleep!"], "label": 2}
    (tmp_path / "train.jsonl").write_text(json.dumps(row), encoding="utf-8")
    expected = ChoiceExample("It rains.", ("Run!", "Sing!", "Sleep!"), 2)
    assert read_task("choose", tmp_path).examples == (expected,)
    endings = ",".join(f"ending{number}" for number in (10, 2, 0))
    (tmp_path / "mine.csv").write_text(f"start,{endings},right\nIt rains.,c,b,a,1\n", encoding="utf-8")
    found = read_task("choose", tmp_path / "mine.csv", columns={"text": "start", "label": "right"})
    assert found.examples == (ChoiceExample("It rains.", ("a", "b", "c"), 1),)


@pytest.mark.parametrize("begins", [5, ["She"], True, {"a": "b"}])
def test_how_the_endings_begin_must_be_text(tmp_path: Path, begins: object) -> None:
    row = {"sent1": "It rains.", "sent2": begins, "ending0": "runs.", "ending1": "sings.", "label": 0}
    assert "line 1: expected text (sent2)" in unfit(tmp_path / "train.jsonl", json.dumps(row))


@pytest.mark.parametrize("begins", [None, ""])
def test_endings_may_stand_alone(tmp_path: Path, begins: object) -> None:
    row = {"sent1": "It rains.", "sent2": begins, "ending0": "She runs.", "ending1": "She sings.", "label": 0}
    (tmp_path / "train.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert read_task("choose", tmp_path).examples[0].endings == ("She runs.", "She sings.")  # type: ignore[union-attr]


def test_test_files_need_no_answer(tmp_path: Path) -> None:
    file = text_file(tmp_path / "test.jsonl", common_sense(None))
    assert read_task("commonsenseqa", tmp_path, "test").examples[0].label is None  # type: ignore[union-attr]
    assert (
        unfit(file, common_sense(None)) == "test.jsonl, line 1: expected the right ending, one of A, B, found nothing."
    )


def test_unfits(tmp_path: Path) -> None:
    csv, jsonl = tmp_path / "x.csv", tmp_path / "x.jsonl"
    wrong = SWAG.replace(",1\n", ",4\n")
    assert unfit(csv, wrong) == "x.csv, line 2: expected the right ending, one of 0, 1, 2, 3, found '4'."
    assert "x.csv, line 2: expected text (ending2), found nothing." in unfit(csv, SWAG.replace("eats a chair.", ""))
    assert "x.csv has no column 'sent1'; it has 'a', 'b'." in unfit(csv, "a,b\n1,2\n")
    assert "x.csv has no columns ending0, ending1 ...; it has 'sent1', 'label'." in unfit(csv, "sent1,label\na,0\n")
    assert "has no examples" in unfit(csv, SWAG.split("\n")[0] + "\n")
    assert unfit(jsonl, common_sense("C")).endswith("expected the right ending, one of A, B, found 'C'.")
    assert 'line 1: expected "question" with "stem" and "choices"' in unfit(jsonl, common_sense(choices=[]))
    assert "line 1: expected text (stem), found nothing." in unfit(jsonl, common_sense(stem=None))
    assert "line 1: expected text (text of a choice), found" in unfit(jsonl, common_sense(choices=[{"label": "A"}]))


def test_all_must_have_as_many_endings(tmp_path: Path) -> None:
    """A model ranks the endings of a whole batch, so their number must be one."""
    three = [{"label": name, "text": name} for name in "ABC"]
    message = unfit(tmp_path / "x.jsonl", common_sense() + common_sense(choices=three))
    assert message == "x.jsonl, line 2: expected 2 endings to choose from, found ['A', 'B', 'C']."
    assert "line 1: expected 2 endings" in unfit(tmp_path / "x.jsonl", common_sense("A", choices=three[:1]))


# --- documents and their summaries

SENTENCES = (
    "The old mill burned down on Friday.",
    "Nobody was hurt in the fire.",
    "A baker rang the bell.",
    "The mill will be built again next year.",
)


def document(folder: Path, **row: Any) -> Path:
    file = text_file(folder / "train.jsonl", json.dumps(row) + "\n")
    return file


def test_labels_as_given(tmp_path: Path) -> None:
    file = document(tmp_path, sentences=SENTENCES, labels=[1, 0, False, True], summary="The mill burned.")
    expected = SummaryExample(SENTENCES, (True, False, False, True), "The mill burned.")
    assert read_task("summarise", file).examples == (expected,)


def test_an_extract_gives_labels(tmp_path: Path) -> None:
    """As news extracts come: sentences in any order, with no space between them; a text in paragraphs."""
    text = "Mill burns\n\n" + " ".join(SENTENCES[:2]) + "\n" + " ".join(SENTENCES[2:])
    file = document(tmp_path, topic="news", document=text, summary=SENTENCES[3] + SENTENCES[0])
    (example,) = read_task("summaries", file).examples
    assert example.sentences == ("Mill burns", *SENTENCES)
    assert example.labels == (False, True, False, False, True)
    assert example.reference == SENTENCES[3] + SENTENCES[0]


def test_a_summary_in_other_words_stays_a_reference(tmp_path: Path) -> None:
    file = document(tmp_path, sentences=SENTENCES, summary="A fire destroyed the old mill, but nobody was hurt in it.")
    (example,) = read_task("summaries", file).examples
    assert isinstance(example, SummaryExample) and example.labels is None
    labels = greedy_labels(example.sentences, example.reference or "", most=1)
    assert labels == (False, True, False, False)  # 12/18 + 6/16 against 6/19 + 4/17
    with pytest.raises(ValueError, match="nothing to learn from"):
        TASK_KINDS["summarise"].labelled(SummaryExample(SENTENCES))


def test_an_extract_split_elsewhere() -> None:
    """The extract has the half of a sentence that another splitter made of it; more than half counts."""
    sentences = ("He said on Friday: it will be built again by all of us.", "Nobody was hurt in the fire.")
    assert verbatim_labels(sentences, "it will be built again by all of us.") == (True, False)
    assert verbatim_labels((sentences[0] + " " + "x" * 60, sentences[1]), sentences[0]) == (False, False)
    assert verbatim_labels(sentences, "Nobody was hurt. All will be well, he said.") is None


def test_a_short_sentence_is_not_found_inside_a_long_one() -> None:
    sentences = ("The mill burned.", "On Friday night it was the mill burned down to the ground, they say.")
    assert verbatim_labels(sentences, sentences[1]) == (False, True)


def test_documents_without_a_summary_are_for_testing_only(tmp_path: Path) -> None:
    file = document(tmp_path, text=" ".join(SENTENCES))
    assert read_task("summarise", file, "test").examples == (SummaryExample(SENTENCES),)
    assert "train.jsonl has no column 'labels'; it has 'text'" in refusal("summarise", file)


WRONG_DOCUMENTS: list[tuple[dict[str, Any], str]] = [
    (
        {"sentences": SENTENCES, "labels": [1, 0]},
        "line 1: expected 4 labels of 0 or 1, one for each sentence, found [1, 0].",
    ),
    ({"sentences": SENTENCES, "labels": [1, 0, 2, 0]}, "line 1: expected 4 labels of 0 or 1"),
    ({"sentences": SENTENCES, "labels": [1, 0, [], 0]}, "line 1: expected 4 labels of 0 or 1"),
    ({"sentences": [], "labels": []}, "line 1: expected text (sentences), found []."),
    ({"sentences": ["a", ""], "labels": [1, 0]}, "line 1: expected text (a sentence), found nothing."),
    ({"document": " ", "summary": "b"}, "line 1: expected text (document), found ' '."),
    ({"document": "a", "summary": ""}, "line 1: expected text (summary), found nothing."),
    (
        {"body": "a", "summary": "b"},
        "has no column 'sentences'; it has 'body', 'summary'. Name the right one with --text.",
    ),
]


@pytest.mark.parametrize(("row", "message"), WRONG_DOCUMENTS, ids=range(len(WRONG_DOCUMENTS)))
def test_refused_documents(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    assert message in refusal("summaries", document(tmp_path, **row))


class Oracle:
    """ROUGE-1 F + ROUGE-2 F with the counting and the arithmetic of rouge-score; pairs within sentences."""

    def __init__(self, reference: str) -> None:
        scorer = pytest.importorskip("rouge_score.rouge_scorer")
        tokens = pytest.importorskip("rouge_score.tokenizers").DefaultTokenizer(use_stemmer=False)
        self._counts = lambda text, n: scorer._create_ngrams(tokens.tokenize(text), n)
        self._score = scorer._score_ngrams
        self._reference = reference

    def __call__(self, sentences: Sequence[str]) -> float:
        total = 0.0
        for n in (1, 2):
            counts = sum((self._counts(sentence, n) for sentence in sentences), Counter())
            total += self._score(self._counts(self._reference, n), counts).fmeasure
        return total

    def greedy(self, sentences: Sequence[str], most: int) -> tuple[bool, ...]:
        chosen: list[int] = []
        best = 0.0
        while len(chosen) < most and len(chosen) < len(sentences):
            left = [place for place in range(len(sentences)) if place not in chosen]
            scores = [self([sentences[one] for one in sorted([*chosen, place])]) for place in left]
            if max(scores) <= best + 1e-12:
                break
            best = max(scores)
            chosen.append(left[min(i for i, score in enumerate(scores) if score > best - 1e-12)])
        return tuple(place in chosen for place in range(len(sentences)))


@pytest.mark.parametrize("seed", range(40))
def test_greedy_labels_as_rouge_score_counts(seed: int) -> None:
    rng = random.Random(seed)
    words = ["mill", "Fire", "the", "old", "town's", "7,000", "x_y", "burned", "and"][: rng.randint(2, 9)]
    sentence = lambda: " ".join(rng.choices(words, k=rng.randint(0, 8)))  # noqa: E731
    sentences, reference, most = [sentence() for _ in range(rng.randint(1, 7))], sentence(), rng.randint(1, 4)
    assert greedy_labels(sentences, reference, most) == Oracle(reference).greedy(sentences, most)


def test_greedy_labels_by_hand() -> None:
    """Against a b c d: "a b x" has 4/7 + 2/5, "c d" 4/6 + 2/4 and is first; both 8/9 + 4/6; all three 8/11 + 4/7."""
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d") == (True, True, False)
    assert greedy_labels(["a b x", "c d", "y z"], "a b c d", most=1) == (False, True, False)
    assert greedy_labels(["a b", "a b"], "a b") == (True, False)
    assert greedy_labels(["p q"], "a b") == (False,)
    assert greedy_labels([], "a b") == ()
    assert greedy_labels(["Старая мельница сгорела", "Дождь"], "мельница сгорела") == (True, False)
