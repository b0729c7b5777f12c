"""GLUE's TSV files with the quirks that the published ones have, written small here."""

from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS, read_task

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
    file = tmp_path / "train.tsv"
    file.write_text("source\tlabel\tstar\tsentence\ngj04\t1\t\tIt rains.\n", encoding="utf-8")
    with pytest.raises(BertcoreError, match="train.tsv, line 1: expected the first sentence, found a header"):
        read_task("cola", file)
    file.write_text("gj04\t1\t\tIt rains.\ngj04\tyes\t\tIt pours.\n", encoding="utf-8")
    with pytest.raises(BertcoreError, match="line 2: expected one of the labels unacceptable, acceptable, found 'yes'"):
        read_task("cola", file)
    file.write_text("gj04\t1\tIt rains.\n", encoding="utf-8")
    with pytest.raises(BertcoreError, match=r"line 1: expected 4 columns \(source, label, star, sentence\), found 3"):
        read_task("cola", file)


def test_cola_has_a_header_in_its_test_file(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("index\tsentence\n0\tIt rains.\n", encoding="utf-8")
    assert read_task("cola", tmp_path, "test").examples == (TextExample("It rains."),)


def test_other_files_have_one(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a fine film\t1\na poor one\t0\n", encoding="utf-8")
    with pytest.raises(BertcoreError, match="train.tsv has no column 'sentence'; it has 'a fine film', '1'"):
        read_task("sst2", tmp_path)


def test_a_label_that_the_task_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("sentence\tlabel\na fine film\t1\na film\t2\n", encoding="utf-8")
    with pytest.raises(
        BertcoreError, match="train.tsv, line 3: expected one of the labels negative, positive, found '2'"
    ):
        read_task("sst2", tmp_path)


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
