"""Task files: tables, GLUE, CoNLL, questions, choices and summaries, and every way in which one does not fit."""

import gzip
import json
import lzma
import sys
from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.limits import TASK_LINE_BYTES
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS, metrics_of, read_task


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return file


def read(folder, task, name, content):
    """The part that the file's name says, found in its folder."""
    write(folder, name, content)
    return read_task(task, folder, {"tes": "test", "dev": "dev", "val": "dev"}.get(name[:3], "train"))


def refusal(task, file, split="train", **more):
    with pytest.raises(BertcoreError) as error:
        read_task(task, file, split, **more)
    return str(error.value)


def tsv(*rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# --- tables of texts and labels

ROWS = [("a good day", "good"), ("a bad day", "bad"), ('it is "good", so', "good")]
EXAMPLES = tuple(TextExample(text, label=label) for text, label in ROWS)
TEXT = tsv(("text", "label"), *ROWS)
CSV = 'text,label\na good day,good\na bad day,bad\n"it is ""good"", so",good\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.tsv", TEXT.encode()),
        ("windows.tsv", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()),
        ("no_end.tsv", TEXT.rstrip("\n").encode()),
        ("blank_lines.tsv", (TEXT + "\n\n").encode()),
        ("packed.tsv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("packed.tsv.xz", lzma.compress(TEXT.encode())),
        ("table.txt", TEXT.encode()),
        ("comma.csv", CSV.encode()),
        ("semicolon.csv", b'text;label\na good day;good\na bad day;bad\n"it is ""good"", so";good\n'),
        ("lines.jsonl", jsonl(*({"text": text, "label": label} for text, label in ROWS)).encode()),
    ],
)
def test_every_layout_gives_the_same_examples(tmp_path, name, content):
    found = read_task("classify", write(tmp_path, name, content))
    assert found.examples == EXAMPLES
    assert found.labels == ("bad", "good") and found.dropped == 0 and found.notes == ()


def test_parquet(tmp_path, monkeypatch):
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
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # importing it fails
    assert "pip install pyarrow" in refusal("classify", tmp_path / "train.parquet")


def test_own_columns(tmp_path):
    file = write(tmp_path, "mine.csv", "id,first,second,verdict\n1,a,b,yes\n2,c,d,no\n")
    found = read_task("pairs", file, columns={"text": "first", "text_b": "second", "label": "verdict"})
    assert found.examples == (TextExample("a", "b", "yes"), TextExample("c", "d", "no"))
    of_file = "mine.csv has no column 'fist'; it has 'id', 'first', 'second', 'verdict'."
    assert refusal("pairs", file, columns={"text": "fist"}) == f"{of_file} Name the right one with --text."
    assert "--text-b" in refusal("pairs", file, columns={"text": "first"})
    words = write(tmp_path, "eng.train", IOB1)  # columns without names have numbers
    found = read_task("tag", words, columns={"text": "2", "label": "3"})
    assert found.examples[1] == TaggedExample(("NN", "."), ("B-NP", "O"))
    assert "numbered from 1, not named like 'ner'; see --label" in refusal("tag", words, columns={"label": "ner"})
    assert "line 1: expected 5 columns or more" in refusal("tag", words, columns={"label": "5"})
    endings = write(tmp_path, "endings.csv", "start,ending10,ending2,ending0,right\nIt rains.,c,b,a,1\n")
    found = read_task("choose", endings, columns={"text": "start", "label": "right"})
    assert found.examples == (ChoiceExample("It rains.", ("a", "b", "c"), 1),)


def test_labels_of_the_training_file_hold_for_the_others(tmp_path):
    train = read(tmp_path, "classify", "train.tsv", TEXT)
    dev = write(tmp_path, "dev.tsv", tsv(("text", "label"), ("so so", "good")))
    assert read_task("classify", dev, "dev", labels=train.labels).labels == ("bad", "good")
    odd = write(tmp_path, "odd.tsv", tsv(("text", "label"), ("so so", "good"), ("well", "middling")))
    message = refusal("classify", odd, "dev", labels=train.labels)
    assert message == "odd.tsv, line 3: expected one of the labels bad, good, found 'middling'."
    several = write(tmp_path, "several.csv", SEVERAL)
    assert "line 2: expected one of the labels big, found 'red'" in refusal("multilabel", several, labels=["big"])
    words = write(tmp_path, "dev.conll", "Anna I-PER\nSmith I-PER\n")  # and the scheme
    assert read_task("tag", words, "dev", labels=("O", "B-PER", "I-PER")).scheme == "BIO"
    iobes = read_task("tag", words, "dev", labels=("O", "B-PER", "I-PER", "E-PER", "S-PER"))
    assert iobes.examples == (TaggedExample(("Anna", "Smith"), ("B-PER", "E-PER")),)
    message = refusal("tag", words, "dev", labels=("O", "B-LOC", "I-LOC"))
    assert "dev.conll, line 1: expected one of the labels O, B-LOC, I-LOC, found 'B-PER'" in message


def test_folders(tmp_path):
    write(tmp_path, "validation.csv.gz", gzip.compress(CSV.encode()))
    assert read_task("classify", tmp_path, "dev").examples == EXAMPLES
    assert "has no train part of sst2 (train.tsv); it has validation.csv.gz." in refusal("sst2", tmp_path)
    write(tmp_path, "dev.tsv", TEXT)
    assert "has dev.tsv and validation.csv.gz; name the one that is meant." in refusal("classify", tmp_path, "dev")
    assert read_task("sst2", write(tmp_path, "dev.tsv", "sentence\tlabel\na\t1\n").parent, "dev").file.name == "dev.tsv"
    assert "There is no file or folder" in refusal("sst2", tmp_path / "absent")
    assert "no file or folder ~nobodyx" in refusal("classify", "~nobodyx/train.tsv")
    assert "it has no files." in refusal("sst2", (tmp_path / "empty").mkdir() or tmp_path / "empty")
    old = read(tmp_path, "mrpc", "msr_paraphrase_train.txt", MRPC + "1\t1\t2\told\tnew\n")
    assert old.examples == (TextExample("old", "new", "equivalent"),)
    new = read(tmp_path, "mrpc", "train.tsv", MRPC + "0\t1\t2\ta\tb\n")  # the benchmark's own name comes first
    assert new.examples == (TextExample("a", "b", "not_equivalent"),)


def test_tasks_hold_together():
    """Label numbers are as `datasets` lists them: a model trained elsewhere has its outputs in this order."""
    assert "choose one of sst2, cola" in refusal("sst3", Path())
    for name, spec in TASKS.items():
        assert spec.name == name and spec.metrics
        assert set(spec.label_names.values()) <= set(spec.labels)
        assert spec.kind in TASK_KINDS and metrics_of(spec)[0] in spec.metrics
    assert TASKS["sst2"].labels == ("negative", "positive")
    assert TASKS["cola"].labels == ("unacceptable", "acceptable")
    assert TASKS["mrpc"].labels == ("not_equivalent", "equivalent")
    assert TASKS["qqp"].labels == ("not_duplicate", "duplicate")
    assert TASKS["mnli"].labels == ("entailment", "neutral", "contradiction")
    assert TASKS["qnli"].labels == TASKS["rte"].labels == ("entailment", "not_entailment")
    assert TASKS["wnli"].labels == ("not_entailment", "entailment")


# --- what a file of each task says

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
LISTS = ("big, red", "small"), ()
RED_BLUE = {"a": ("red", "blue"), "b": ("blue", "green"), "c": (), "d": ("red",)}
SEVERAL = 'text,labels\na,red;blue\nb,"blue, green"\nc,\nd,red|red\n'
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
STSB = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
MNLI = (
    "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
    "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label\n"
)
NUMBERS = ("sentence1", "sentence2", "score")
PASSAGE = "  Tom lives in Rome. Anna lives in Oslo, and Rome is far."
OF_DATASETS = {"id": "x", "context": PASSAGE.strip(), "question": "Where?"}
SWAG = (
    ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
    '0,v1,1,"It rains. She","It rains, and she waits.",She,gold,'
    'runs home.,"sings, loudly.",eats a chair.,sleeps on it.,1\n'
)
SHE = ("She runs home.", "She sings, loudly.", "She eats a chair.", "She sleeps on it.")
LIBRARY = ("Where do you find a book?", ("bank", "library"))
SENTENCES = ("The old mill burned down on Friday.", "Nobody was hurt in the fire.", "A baker rang the bell.")
SENTENCES = (*SENTENCES, "The mill will be built again next year.")
ABCD, TFFT = ("a", "b", "c", "d"), (True, False, False, True)
PARAGRAPHS = "Mill burns\n\n" + " ".join(SENTENCES[:2]) + "\n" + " ".join(SENTENCES[2:])
EXTRACT, OTHER_WORDS = SENTENCES[3] + SENTENCES[0], "A fire destroyed the old mill, but everybody is well."


def question(*answers, **more):
    starts = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": "q1", "question": " Where is it? ", "answers": starts, **more}


def squad(*questions):
    paragraphs = [{"context": PASSAGE, "qas": list(questions)}]
    return json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]})


def of_datasets(texts, starts, **more):
    return jsonl(OF_DATASETS | {"answers": {"text": texts, "answer_start": starts}} | more)


def asked(*answers, name="q1"):
    return AnswerExample(name, "Where is it?", PASSAGE, answers)


PLAUSIBLE = {"is_impossible": True, "plausible_answers": [{"text": "Rome", "answer_start": 15}]}
UNANSWERED = squad(question(**PLAUSIBLE), question(("Rome", 15), id="q2", is_impossible=False))


def common_sense(answer="B", **more):
    choices = [{"label": "A", "text": "bank "}, {"label": "B", "text": "library"}]
    asks = {"question_concept": "book", "choices": choices, "stem": "Where do you find a book?"} | more
    return jsonl({"id": "x", "question": asks} | ({"answerKey": answer} if answer else {}))


def begun(how):
    """A row of SWAG whose endings begin so."""
    return jsonl({"sent1": "It rains.", "sent2": how, "ending0": "She runs.", "ending1": "She sings.", "label": 0})


def pair(*texts):
    return [TextExample(*texts)]


def tagged(words, tags):
    return [TaggedExample(tuple(words.split(" ")), tuple(tags.split()))]


ONE_SHE = [ChoiceExample("It rains.", ("She runs.", "She sings."), 0)]
GLUE = {  # with the quirks that the published files have
    "sst2": ("sentence\tlabel\na fine film . \t1", pair("a fine film .", None, "positive")),
    "cola": ("gj04\t0\t?*\tThe dog at barked.", pair("The dog at barked.", None, "unacceptable")),
    "mrpc": (MRPC + '1\t7\t8\t" Yes , he .\tHe : " yes " .', pair('" Yes , he .', 'He : " yes " .', "equivalent")),
    "qqp": (QQP + "1\t2\t3\tWho?\tWhat?\t0", pair("Who?", "What?", "not_duplicate")),
    "stsb": (STSB + "0\tnews\tx\t2012\t1\tnone\tnone\tA man.\tA cat.\t4.800", pair("A man.", "A cat.", 4.8)),
    "mnli": (MNLI + "0\t1\t1n\tx\t( a )\t( b )\tX\tY\tRain.\tSun.\tneutral\tneutral", pair("Rain.", "Sun.", "neutral")),
    "qnli": ("index\tquestion\tsentence\tlabel\n0\tWho?\tTom.\tentailment", pair("Who?", "Tom.", "entailment")),
    "rte": ("index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment", pair("a", "b", "not_entailment")),
    "wnli": ("index\tsentence1\tsentence2\tlabel\n0\tHe.\tTom.\t1", pair("He.", "Tom.", "entailment")),
}
READ = {
    **{(task, "train.tsv"): [row] for task, row in GLUE.items()},
    ("sst2", "test.tsv"): [("index\tsentence\n0\tso so\n", pair("so so"))],  # a test file needs no labels
    ("sst2", "test.csv"): [("sentence,label\nso so,-1\n", pair("so so"))],
    ("cola", "test.tsv"): [("index\tsentence\n0\tIt rains.\n", pair("It rains."))],  # its only file with a header
    ("stsb", "dev.tsv"): [
        (tsv(NUMBERS, ("a", "b", "4.750"), ("c", "d", "0")), pair("a", "b", 4.75) + pair("c", "d", 0.0))
    ],
    ("similarity", "train.tsv"): [(tsv(NUMBERS, ("a", "b", "-12.5")), pair("a", "b", -12.5))],
    ("multilabel", "train.csv"): [(SEVERAL, [TextExample(t, None, n) for t, n in RED_BLUE.items()])],
    ("multilabel", "train.jsonl"): [
        (jsonl(*({"text": "a", "labels": names} for names in LISTS)), [TextExample("a", None, n) for n in LISTS])
    ],
    ("classify", "train.jsonl"): [
        (jsonl(*({"text": "a", "label": label} for label in (1, "1", 0.0))), [TextExample("a", None, n) for n in "110"])
    ],
    # a quoted field may have several lines; only a line feed ends one elsewhere
    ("classify", "train.csv"): [('text,label\n"a\nb",a\nc,b\n', pair("a\nb", None, "a") + pair("c", None, "b"))],
    ("classify", "train.tsv"): [
        ("text\tlabel\na\u2028b\x0bc\rd\te\nf\tg\n", pair("a\u2028b\x0bc\rd", None, "e") + pair("f", None, "g"))
    ],
    ("tag", "train.conll"): [
        ("Anna\tB-PER\nSmith\tI-PER\n", tagged("Anna Smith", "B-PER I-PER")),
        ("\ufeffAnna B-PER \r\nSmith I-PER  \r\n\r\n", tagged("Anna Smith", "B-PER I-PER")),
        ("Anna B-PER\nSmith E-PER", tagged("Anna Smith", "B-PER E-PER")),
        ("10\u00a0000 O\nRome B-LOC\n", tagged("10\u00a0000 Rome", "O B-LOC")),
    ],
    ("tag", "test.conll"): [("A\nb\n\nC\n", [TaggedExample(("A", "b")), TaggedExample(("C",))])],
    ("tag", "train.jsonl"): [
        (jsonl({"tokens": ["Anna", "sleeps"], "ner_tags": ["B-PER", "O"]}), tagged("Anna sleeps", "B-PER O"))
    ],
    # characters count from the passage's very first, which is a space here; equal answers count once
    ("squad", "train.json"): [
        (squad(question(("Rome", 15), ("Rome", 45), ("Rome", 15))), [asked(("Rome", 15), ("Rome", 45))]),
        (squad(question((" in Rome. ", 11))), [asked(("in Rome.", 12))]),
    ],
    ("squad2", "train.json"): [(UNANSWERED, [asked(), asked(("Rome", 15), name="q2")])],
    ("squad", "test.json"): [(UNANSWERED, [asked(), asked(("Rome", 15), name="q2")])],
    ("squad2", "test.json"): [(squad({"id": "q1", "question": "Where is it?"}), [asked()])],
    ("answer", "train.csv"): [
        ("passage,question,answer\na b,c?,b\n", [AnswerExample("train.csv, line 2", "c?", "a b", (("b", 2),))]),
        ("passage,question,answer\na b,c?,\n", [AnswerExample("train.csv, line 2", "c?", "a b", ())]),
    ],
    ("squad", "train.jsonl"): [
        (of_datasets([" Rome"], [12]), [AnswerExample("x", "Where?", PASSAGE.strip(), (("Rome", 13),))]),
        (of_datasets(["cat"], [7], context="  cat, cat"), [AnswerExample("x", "Where?", "  cat, cat", (("cat", 7),))]),
    ],
    ("swag", "val.csv"): [(SWAG, [ChoiceExample("It rains, and she waits.", SHE, 1)])],
    ("commonsenseqa", "train_rand_split.jsonl"): [
        (common_sense() + common_sense("A"), [ChoiceExample(*LIBRARY, 1), ChoiceExample(*LIBRARY, 0)])
    ],
    ("commonsenseqa", "test.jsonl"): [(common_sense(None), [ChoiceExample(*LIBRARY)])],
    ("choose", "train.jsonl"): [
        (jsonl({"context": "a", "endings": ["b", "c", "d"], "label": 2}), [ChoiceExample("a", ("b", "c", "d"), 2)]),
        (begun(None), ONE_SHE),
        (begun(""), ONE_SHE),
    ],
    ("summarise", "train.jsonl"): [
        (jsonl({"sentences": ABCD, "labels": [1, 0, False, True], "summary": "e"}), [SummaryExample(ABCD, TFFT, "e")])
    ],
    # as news extracts come: sentences in any order, with no space between them; a text in paragraphs
    ("summaries", "train.jsonl"): [
        (
            jsonl({"topic": "news", "document": PARAGRAPHS, "summary": EXTRACT}),
            [SummaryExample(("Mill burns", *SENTENCES), (False, True, False, False, True), EXTRACT)],
        ),
        (jsonl({"sentences": SENTENCES, "summary": OTHER_WORDS}), [SummaryExample(SENTENCES, None, OTHER_WORDS)]),
    ],
    ("summarise", "test.jsonl"): [(jsonl({"text": " ".join(SENTENCES)}), [SummaryExample(SENTENCES)])],
}


@pytest.mark.parametrize(("task", "name"), READ)
def test_read(tmp_path, task, name):
    for content, examples in READ[task, name]:
        found = read(tmp_path, task, name, content)
        assert list(found.examples) == list(examples) and found.dropped == 0 and found.notes == ()
        assert not TASKS[task].labels or found.labels == TASKS[task].labels


def test_the_columns_of_conll_are_three_tasks(tmp_path):
    words = ("Anna", "Smith", "met", "Tom", "Ben", "in", "Rome")
    ner = read(tmp_path, "conll2003", "eng.train", IOB1)
    assert ner.examples == (
        TaggedExample(words, ("B-PER", "I-PER", "O", "B-PER", "B-PER", "O", "B-LOC")),
        TaggedExample(("Rain", "."), ("O", "O")),
    )
    assert ner.labels == TASKS["conll2003"].labels and len(ner.labels) == 9 and ner.scheme == "BIO"
    assert ner.notes == ("Tags written as IOB1 are given as BIO: the same entities.",)
    pos, chunk = (read_task(f"conll2003-{column}", tmp_path) for column in ("pos", "chunk"))
    assert pos.examples[0] == TaggedExample(words, ("NNP", "NNP", "VBD", "NNP", "NNP", "IN", "NNP"))
    assert pos.labels == (".", "IN", "NN", "NNP", "VBD") and pos.scheme == "none" and pos.notes == ()
    assert chunk.examples[0] == TaggedExample(words, ("B-NP", "I-NP", "B-VP", "B-NP", "B-NP", "B-PP", "B-NP"))
    assert chunk.labels == ("O", "B-NP", "I-NP", "B-PP", "I-PP", "B-VP", "I-VP")


def test_labels_are_those_of_the_file(tmp_path):
    assert read(tmp_path, "multilabel", "train.csv", SEVERAL).labels == ("blue", "green", "red")
    touching = read(tmp_path, "tag", "train.conll", "Anna I-PER\nSmith I-LOC\n")
    assert touching.examples == (TaggedExample(("Anna", "Smith"), ("B-PER", "B-LOC")),)
    assert touching.labels[0] == "O" and {"B-PER", "B-LOC"} <= set(touching.labels)


# "Rome" stands twice, so nobody can tell which is meant; "Paris" not at all.
LOST = [question(("Rome", 0), id="q2"), question(("Paris", 15), id="q3"), question(("", 15), id="q4")]
BROKEN = QQP + "1\t2\t3\tWho is\n it?\tWho?\t1\n4\t5\t6\tHow?\tHow so?\t1\n7\t8\t9\t\tWhat?\t0\n"


def test_what_is_left_out_or_put_right_is_counted(tmp_path):
    broken = read(tmp_path, "qqp", "train.tsv", BROKEN)
    assert broken.examples == (TextExample("How?", "How so?", "duplicate"),)
    assert (broken.dropped, broken.notes) == (3, ("Broken rows left out: 3, the first: train.tsv, line 2.",))
    rows = "sentence1\tsentence2\tgold_label\na\tb\t-\nc\td\tneutral\n"
    for part in ("matched", "mismatched"):
        write(tmp_path, f"dev_{part}.tsv", rows.replace("c\t", f"{part}\t"))
    found = read_task("mnli", tmp_path, "dev")
    assert found.examples == (TextExample("matched", "d", "neutral"),)
    assert (found.dropped, found.notes) == (1, ("Rows left out, since they have no agreed label: 1.",))
    assert read_task("mnli", tmp_path, "dev_mismatched").examples == (TextExample("mismatched", "d", "neutral"),)
    (tmp_path / "train.tsv").unlink()
    moved = read(tmp_path, "squad", "train.json", squad(question(("Oslo", 29))))
    assert moved.examples == (asked(("Oslo", 35)),) and moved.dropped == 0
    assert moved.notes == ("Answers found elsewhere than at the given character: 1.",)
    found = read(tmp_path, "squad", "train.json", squad(question(("Rome", 0), ("Oslo", 35)), *LOST))
    assert found.examples == (asked(("Oslo", 35)),) and found.dropped == 3
    assert found.notes[0].startswith("Questions left out") and ": 3, the first: " in found.notes[0]
    assert found.notes[0].endswith("passage 1, question 2.")


# --- what does not fit is refused with a sentence

NESTED, TWO = "[" * 100_000, b"text\tlabel\n"
EACH_ITS_OWN = TWO + b"".join(b"a\trow-%d\n" % n for n in range(20))
WHOLE = json.dumps({"data": [{"paragraphs": [{"context": PASSAGE, "qas": []}]}]}, indent=1)
ABC = [{"label": name, "text": name} for name in "ABC"]
REFUSED = {
    ("classify", "x.tsv"): [
        (TWO + b"a\tb\tc\n", "line 2: expected 2 columns (text, label), found 3: 'a | b | c'."),
        (TWO + b"a\tgood\n\tbad\n", "line 3: expected text (text), found nothing."),
        (TWO + b"a\tgood\nb\t \n", "line 3: expected a label in column 'label', found ' '."),
        (TWO + b"a\tx\nb\xe9\ty\n", "line 3: byte 2 (0xe9) is not UTF-8; save the file as UTF-8."),
        (TWO + b"a\tx\nb\0c\ty\n", "line 3: expected UTF-8 text, found b'b\\x00c\\ty\\n'."),
        (b"text\ttext\na\tb\n", "x.tsv has two columns 'text'; give each its own name in the first line."),
        (TWO, "has no examples; choose one with rows below its header."),
        (b"", "x.tsv is empty; choose one with examples in it."),
        ("text\tlabel\n".encode("utf-16"), "x.tsv is UTF-16 text; save it as UTF-8."),
        (TWO + b"a\tx\nb\tx\n", "has fewer than two different labels (x)"),
        (b"hello there\t1\nbye\t0\n", "x.tsv has no column 'text'; it has 'hello there', '1'."),
        (TWO + b"a" * TASK_LINE_BYTES + b"\tgood\n", "line 2: expected a line of at most"),
        (EACH_ITS_OWN, "a different label in each of its 20 rows, such as 'row-0'"),
    ],
    ("classify", "x.csv"): [
        (b'text,label\na,b\n"c,d\ne,f\n', "line 3: expected fields of CSV, found a quote that is not closed"),
        (b'text,label\n"a"b,c\n', "line 2: expected fields of CSV"),
        (b"text,label\na\n", "line 2: expected 2 columns (text, label), found 1: 'a'."),
        (b'text,label\n"one\ntwo",a\nthree,b,c\n', "line 4:"),
    ],
    ("classify", "x.jsonl"): [
        (b'{"text": "a", "label": 1}\n{"text": "b", \n', "line 2: expected one whole JSON object"),
        (b'["a", 1]\n', "line 1: expected one JSON object on each line, found '[\"a\", 1]'."),
        (b'{"text": 7, "label": 1}\n', "line 1: expected text (text), found 7."),
        (b'{"text": "\\ud800", "label": 1}\n', "line 1: expected text (text) of whole characters"),
        (b'{"text": "a", "label": [1]}\n', "line 1: expected a label in column 'label', found [1]."),
        (NESTED, "line 1: expected one whole JSON object"),
        (b'{"text": "a"}\n', "x.jsonl has no column 'label'; it has 'text'."),
    ],
    ("classify", "x.docx"): [(b"PK", "is not a table that can be read: its name must end in .tsv")],
    ("classify", "x.tsv.xz"): [(lzma.compress(TEXT.encode() * 99)[:-20], "cannot be read")],
    ("classify", "x.tsv.gz"): [
        (gzip.compress(TEXT.encode() * 99, mtime=0)[:-20], "cannot be read"),
        (TEXT, "cannot be read"),
    ],
    ("sst2", "dev.tsv"): [
        ("index\tsentence\n0\tso so\n", "no column 'label'"),
        ("sentence\tlabel\na\t1\nb\t2\n", "line 3: expected one of the labels negative, positive, found '2'"),
    ],
    ("sst2", "dev.csv"): [("sentence,label\nso so,-1\n", "line 2: expected one of the labels")],
    ("cola", "x.tsv"): [
        ("source\tlabel\tstar\tsentence\ngj04\t1\t\tRain.\n", "line 1: expected the first sentence, found a header"),
        ("a\t1\t\tb\na\tyes\t\tc\n", "line 2: expected one of the labels unacceptable, acceptable, found 'yes'"),
        ("gj04\t1\tRain.\n", "line 1: expected 4 columns (source, label, star, sentence), found 3"),
    ],
    ("stsb", "x.tsv"): [
        (tsv(NUMBERS, ("a", "b", wrong)), "line 2: expected a number from 0 to 5 in column 'score', found ")
        for wrong in ("5.1", "-0.2", "nan", "inf", "much", "", "1,5")
    ],
    ("tag", "x.conll"): [
        ("Anna B-PER\nSmith\n", "line 2: expected 2 columns, as in the lines before, found 'Smith'."),
        ("Anna B-PER\nRome B-LOC\nof BLOC\n", "line 3: expected a tag such as O, B-PER or I-PER, found 'BLOC'."),
        ("Anna\nsleeps\n", "line 1: expected 2 columns or more, separated by spaces or tabs, found 'Anna'"),
        ("-DOCSTART- O\n\n", "has no sentences; it needs a word and its tag in each line."),
        ("\n\n", "has no sentences"),
        ("", "is empty"),
        ("a O\nb O\n", "has fewer than two different tags"),
    ],
    ("tag", "x.jsonl"): [
        (jsonl({"tokens": ["a", "b"], "tags": ["O"]}), "line 1: expected a list of 2 tags, one for each word, found"),
        (jsonl({"tokens": "Anna sleeps", "tags": ["B-PER"]}), "line 1: expected a list of words"),
    ],
    ("conll2003", "x.conll"): [("Anna B-PER\n\nin O\nMay B-DATE\n", "line 4: expected one of the labels O, B-PER, ")],
    ("squad", "x.json"): [
        *((content, 'x.json: expected SQuAD\'s JSON, {"data": [...]}') for content in ('{"data": {}}', "[]")),
        ('{"data": [{"title": "t"}]}', 'article 1: expected a list "paragraphs", found nothing.'),
        ('{"data": [7]}', 'article 1: expected a list "paragraphs", found 7.'),
        ('{"data": [{"paragraphs": [{"context": "a"}]}]}', 'article 1, passage 1: expected a list "qas"'),
        ('{"data": [{"paragraphs": [{"qas": []}]}]}', "passage 1: expected text (context), found nothing."),
        ('{"data": [{"paragraphs": [{"context": " ", "qas": []}]}]}', "passage 1: expected text (context), found ' '."),
        ('{"data": [{"paragraphs": [{"context": "a", "qas": ["b"]}]}]}', "question 1: expected a question, {"),
        (squad(question(("Rome", 15), id=5)), "question 1: expected text (id), found 5."),
        (squad(question() | {"answers": [{"text": "Rome"}]}), "question 1: expected an answer, {"),
        (squad(*[question(("Rome", 15))] * 2), "has 2 questions with the id 'q1'; give each its own id."),
        (UNANSWERED, "article 1, passage 1, question 1: expected an answer (squad has one for each question"),
        (squad(*LOST), "has no question whose answer is in its passage"),
        (WHOLE[:60], f"x.json, line {WHOLE[:60].count(chr(10)) + 1}, column "),
        (NESTED, "nested too deeply"),
        (b"", "is empty"),
    ],
    ("squad2", "x.json"): [
        (squad({"id": "q", "question": "a"}), 'question 1: expected a list "answers", found nothing.')
    ],
    ("squad", "x.jsonl"): [
        (of_datasets(["a"], []), 'line 1: expected answers as {"text": [...], "answer_start": [...]}')
    ],
    ("choose", "x.csv"): [
        (SWAG.replace(",1\n", ",4\n"), "line 2: expected the right ending, one of 0, 1, 2, 3, found '4'."),
        (SWAG.replace("eats a chair.", ""), "line 2: expected text (ending2), found nothing."),
        ("a,b\n1,2\n", "x.csv has no column 'sent1'; it has 'a', 'b'."),
        ("sent1,label\na,0\n", "x.csv has no columns ending0, ending1 ...; it has 'sent1', 'label'."),
        (SWAG.split("\n")[0] + "\n", "has no examples"),
    ],
    ("choose", "x.jsonl"): [
        *((begun(how), "line 1: expected text (sent2)") for how in (5, ["She"], True, {"a": "b"})),
        (common_sense(None), "line 1: expected the right ending, one of A, B, found nothing."),
        (common_sense("C"), "expected the right ending, one of A, B, found 'C'."),
        (common_sense(choices=[]), 'line 1: expected "question" with "stem" and "choices"'),
        (common_sense(stem=None), "line 1: expected text (stem), found nothing."),
        (common_sense(choices=[{"label": "A"}]), "line 1: expected text (text of a choice), found"),
        # a model ranks the endings of a whole batch, so their number must be one
        (
            common_sense() + common_sense(choices=ABC),
            "line 2: expected 2 endings to choose from, found ['A', 'B', 'C']",
        ),
        (common_sense("A", choices=ABC[:1]), "line 1: expected 2 endings"),
    ],
    ("summaries", "x.jsonl"): [
        (jsonl({"sentences": ["a", "b"], "labels": [1]}), "2 labels of 0 or 1, one for each sentence, found [1]."),
        *((jsonl({"sentences": ["a", "b"], "labels": [1, odd]}), "expected 2 labels of 0 or 1") for odd in (2, [])),
        (jsonl({"sentences": [], "labels": []}), "line 1: expected text (sentences), found []."),
        (jsonl({"sentences": ["a", ""], "labels": [1, 0]}), "line 1: expected text (a sentence), found nothing."),
        (jsonl({"document": " ", "summary": "b"}), "line 1: expected text (document), found ' '."),
        (jsonl({"document": "a", "summary": ""}), "line 1: expected text (summary), found nothing."),
        (jsonl({"body": "a"}), "has no column 'sentences'; it has 'body'. Name the right one with --text."),
    ],
    ("summarise", "x.jsonl"): [(jsonl({"text": "A b."}), "x.jsonl has no column 'labels'; it has 'text'")],
}


@pytest.mark.parametrize(("task", "name"), REFUSED)
def test_a_file_that_does_not_fit_is_refused(tmp_path, task, name):
    for content, message in REFUSED[task, name]:
        said = refusal(task, write(tmp_path, name, content), "dev" if name.startswith("dev") else "train")
        assert message in said and name in said
