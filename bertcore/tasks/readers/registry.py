"""The tasks by name: what they ask, how they are measured, how their files are laid out."""

from collections.abc import Iterable
from typing import Any

from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import TaskKind
from bertcore.tasks.kinds.choice import CHOICE_COLUMNS
from bertcore.tasks.kinds.span import ANSWER_COLUMNS
from bertcore.tasks.kinds.summarise import ROUGE, SUMMARY_COLUMNS
from bertcore.tasks.kinds.tag import ENTITY_METRICS, WORD_COLUMNS
from bertcore.tasks.spec import Columns, TaskSpec

_ACCURACY = ("accuracy",)


def _pair(a: str, b: str, label: str) -> Columns:
    """Columns as GLUE names them, or as `datasets` and our samples do."""
    return {"text": (a, "sentence1", "premise"), "text_b": (b, "sentence2", "hypothesis"), "label": (label, "label")}


def _files(**parts: str | Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {part: (names,) if isinstance(names, str) else tuple(names) for part, names in parts.items()}


_TSV = _files(train="train.tsv", dev="dev.tsv", test="test.tsv")
_CONLL = _files(train="eng.train", dev="eng.testa", test="eng.testb")


def _numbers(*names: str) -> dict[str, Any]:
    """Labels that the files write as 0, 1 ..."""
    return {"labels": names, "label_names": {str(number): name for number, name in enumerate(names)}}


_GLUE = (
    TaskSpec(
        "sst2", "classify", "Sentiment of a sentence (SST-2)", "table", _ACCURACY,
        columns={"text": ("sentence", "text"), "label": ("label",)}, files=_TSV, sample="sentiment",
        **_numbers("negative", "positive"),
    ),
    TaskSpec(
        "cola", "classify", "Is the sentence acceptable English? (CoLA)", "cola", ("matthews_correlation", "accuracy"),
        columns={"text": ("sentence",), "label": ("label",)}, files=_TSV, sample="acceptability",
        **_numbers("unacceptable", "acceptable"),
    ),
    TaskSpec(
        "mrpc", "classify", "Do two sentences mean the same? (MRPC)", "table", ("f1", "accuracy"),
        columns=_pair("#1 String", "#2 String", "Quality"), sample="paraphrase",
        files=_files(
            train=("train.tsv", "msr_paraphrase_train.txt"), dev="dev.tsv", test=("test.tsv", "msr_paraphrase_test.txt")
        ),
        **_numbers("not_equivalent", "equivalent"),
    ),
    TaskSpec(
        "qqp", "classify", "Do two questions mean the same? (QQP)", "table", ("f1", "accuracy"),
        columns=_pair("question1", "question2", "is_duplicate"), files=_TSV, sample="same-question",
        drops_broken_rows=True,  # some questions have line breaks in them
        **_numbers("not_duplicate", "duplicate"),
    ),
    TaskSpec(
        "stsb", "regress", "How similar are two sentences, 0 to 5? (STS-B)", "table", ("spearmanr", "pearson"),
        columns=_pair("sentence1", "sentence2", "score"), files=_TSV, number_range=(0.0, 5.0), sample="similarity",
    ),
    TaskSpec(
        "mnli", "classify", "Does B follow from A, or contradict it? (MNLI)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "gold_label"), no_label=("-",), sample="entailment",
        files=_files(
            train="train.tsv", dev="dev_matched.tsv", test="test_matched.tsv",
            dev_mismatched="dev_mismatched.tsv", test_mismatched="test_mismatched.tsv",
        ),
        **_numbers("entailment", "neutral", "contradiction"),
    ),
    TaskSpec(
        "qnli", "classify", "Does the sentence answer the question? (QNLI)", "table", _ACCURACY,
        columns=_pair("question", "sentence", "label"), files=_TSV, sample="answering",
        **_numbers("entailment", "not_entailment"),
    ),
    TaskSpec(
        "rte", "classify", "Does B follow from A? (RTE)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "label"), files=_TSV, sample="entailment-two",
        **_numbers("entailment", "not_entailment"),
    ),
    TaskSpec(
        "wnli", "classify", "Who does the pronoun refer to? (WNLI)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "label"), files=_TSV, sample="pronouns",
        **_numbers("not_entailment", "entailment"),
    ),
)  # fmt: skip
_CLASSIC = (
    TaskSpec(
        "conll2003", "tag", "Names in a sentence (CoNLL-2003)", "conll", ENTITY_METRICS,
        columns=WORD_COLUMNS, files=_CONLL, scheme="BIO", sample="names",
        labels=("O", *(f"{letter}-{kind}" for kind in ("PER", "ORG", "LOC", "MISC") for letter in "BI")),
    ),
    TaskSpec(
        "conll2003-pos", "tag", "Parts of speech (CoNLL-2003)", "conll", _ACCURACY,
        columns=WORD_COLUMNS, files=_CONLL, scheme="none", tag_column=2, sample="names",
    ),
    TaskSpec(
        "conll2003-chunk", "tag", "Phrases in a sentence (CoNLL-2003)", "conll", ENTITY_METRICS,
        columns=WORD_COLUMNS, files=_CONLL, scheme="BIO", tag_column=3, sample="names",
    ),
    TaskSpec(
        "squad", "span", "The answer in a passage (SQuAD 1.1)", "squad", ("f1", "exact_match"),
        columns=ANSWER_COLUMNS, has_unanswerable=False, files=_files(train="train-v1.1.json", dev="dev-v1.1.json"),
        sample="questions-answered",
    ),
    TaskSpec(
        "squad2", "span", "The answer in a passage, if it has one (SQuAD 2.0)", "squad", ("f1", "exact_match"),
        columns=ANSWER_COLUMNS, files=_files(train="train-v2.0.json", dev="dev-v2.0.json"), sample="questions",
    ),
    TaskSpec(
        "swag", "choice", "What happens next? (SWAG)", "choices", _ACCURACY,
        columns=CHOICE_COLUMNS, files=_files(train="train.csv", dev="val.csv", test="test.csv"), sample="endings",
    ),
    TaskSpec(
        "commonsenseqa", "choice", "Choose the right answer (CommonsenseQA)", "choices", _ACCURACY,
        columns=CHOICE_COLUMNS, sample="everyday",
        files=_files(
            train=("train_rand_split.jsonl", "train.jsonl"), dev=("dev_rand_split.jsonl", "valid.jsonl"),
            test=("test_rand_split_no_answers.jsonl", "test.jsonl"),
        ),
    ),
    TaskSpec(
        "summaries", "summarise", "The sentences that sum up a text", "summaries", ROUGE,
        columns=SUMMARY_COLUMNS, sample="summaries",
    ),
)  # fmt: skip
# And for people's own files those of each kind.
TASKS: dict[str, TaskSpec] = {
    spec.name: spec for spec in (*_GLUE, *_CLASSIC, *(own for kind in TASK_KINDS.values() for own in kind.tasks))
}


def metrics_of(spec: TaskSpec) -> tuple[str, ...]:
    """What is measured on a task's held-out examples, the main metric first."""
    return TASK_KINDS[spec.kind].measured(spec.metrics)


def register(kind: TaskKind[Any, Any]) -> None:
    """Make a kind of task, and the tasks that it names, known to everything that asks for one by its name."""
    known = dict(TASK_KINDS)
    TASK_KINDS.clear()
    TASK_KINDS.update({kind.name: kind, **known})  # asked before those that are more general
    TASKS.update({spec.name: spec for spec in kind.tasks})
