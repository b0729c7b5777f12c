"""Words with tags: CoNLL columns, IOB1 to BIO, and what is refused."""

from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.readers.reading import TASKS, read_task

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
    path = tmp_path / "eng.train"
    path.write_text(IOB1, encoding="utf-8")
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
    with pytest.raises(BertcoreError, match="numbered from 1, not named like 'ner'; see --label"):
        read_task("tag", file, columns={"label": "ner"})
    with pytest.raises(BertcoreError, match="line 1: expected 5 columns or more"):
        read_task("tag", file, columns={"label": "5"})


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
    path = tmp_path / "dev.conll"
    path.write_text("Anna I-PER\nSmith I-PER\n", encoding="utf-8")
    assert read_task("tag", path, "dev", labels=("O", "B-PER", "I-PER")).scheme == "BIO"
    iobes = read_task("tag", path, "dev", labels=("O", "B-PER", "I-PER", "E-PER", "S-PER"))
    assert iobes.examples == (TaggedExample(("Anna", "Smith"), ("B-PER", "E-PER")),)
    with pytest.raises(
        BertcoreError, match="dev.conll, line 1: expected one of the labels O, B-LOC, I-LOC, found 'B-PER'"
    ):
        read_task("tag", path, "dev", labels=("O", "B-LOC", "I-LOC"))


def test_a_test_file_may_have_words_only(tmp_path: Path) -> None:
    path = tmp_path / "test.conll"
    path.write_text("Anna\nsleeps\n\nRain\n", encoding="utf-8")
    assert read_task("tag", path, "test").examples == (TaggedExample(("Anna", "sleeps")), TaggedExample(("Rain",)))
    with pytest.raises(
        BertcoreError, match="line 1: expected 2 columns or more, separated by spaces or tabs, found 'Anna'"
    ):
        read_task("tag", path, "dev")


def test_a_space_within_a_word_is_no_column(tmp_path: Path) -> None:
    path = tmp_path / "train.conll"
    path.write_text("10\u00a0000 O\nRome B-LOC\n", encoding="utf-8")
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
def test_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x.conll"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BertcoreError) as error:
        read_task("tag", path)
    assert message in str(error.value)


def test_a_type_that_the_task_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text("Anna B-PER\n\nin O\nMay B-DATE\n", encoding="utf-8")
    with pytest.raises(BertcoreError, match="x.conll, line 4: expected one of the labels O, B-PER, .*, found 'B-DATE'"):
        read_task("conll2003", path)


def test_lists_in_json(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"tokens": ["Anna", "sleeps"], "ner_tags": ["B-PER", "O"]}\n', encoding="utf-8")
    assert read_task("tag", tmp_path).examples == (TaggedExample(("Anna", "sleeps"), ("B-PER", "O")),)
    path.write_text('{"tokens": ["Anna", "sleeps"], "tags": ["B-PER"]}\n', encoding="utf-8")
    with pytest.raises(BertcoreError, match="line 1: expected a list of 2 tags, one for each word, found"):
        read_task("tag", path)
    path.write_text('{"tokens": "Anna sleeps", "tags": ["B-PER"]}\n', encoding="utf-8")
    with pytest.raises(BertcoreError, match="line 1: expected a list of words"):
        read_task("tag", path)
