"""The tasks by name: what they ask, how they are measured, how their files are laid out."""

from collections.abc import Iterable
from typing import Any

from bertcore.tasks.readers.spec import Role, TaskSpec

_ENTAILMENT = {"0": "entailment", "1": "not_entailment"}
_ACCURACY = ("accuracy",)
_ENTITIES = ("f1", "precision", "recall", "accuracy")  # of tags that mark no entities there is accuracy only
_TEXT = ("text", "sentence", "sentence1", "premise")
_TEXT_A = ("text", "text_a", "sentence1", "question1", "premise", "#1 String")
_TEXT_B = ("text_b", "sentence2", "question2", "hypothesis", "#2 String")
_LABEL = ("label", "labels", "score", "gold_label", "is_duplicate", "Quality")
_WORDS: dict[Role, tuple[str, ...]] = {"text": ("words", "tokens"), "label": ("tags", "ner_tags")}
_ANSWER: dict[Role, tuple[str, ...]] = {
    "text": ("passage", "context", "text"),
    "text_b": ("question", "text_b"),
    "label": ("answer", "answers", "label"),
}
_CHOICE: dict[Role, tuple[str, ...]] = {
    "text": ("sent1", "context", "text"),
    "text_b": ("sent2", "text_b"),
    "label": ("label",),
}
_SUMMARY: dict[Role, tuple[str, ...]] = {
    "text": ("sentences", "document", "text", "article"),
    "label": ("labels", "summary", "reference", "highlights"),
}


def _pair(a: str, b: str, label: str) -> dict[Role, tuple[str, ...]]:
    """Columns as GLUE names them, or as `datasets` and our samples do."""
    names: dict[Role, tuple[str, ...]] = {
        "text": (a, "sentence1", "premise"),
        "text_b": (b, "sentence2", "hypothesis"),
        "label": (label, "label"),
    }
    return names


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
        "conll2003", "tag", "Names in a sentence (CoNLL-2003)", "conll", _ENTITIES,
        columns=_WORDS, files=_CONLL, scheme="BIO", sample="names",
        labels=("O", *(f"{letter}-{kind}" for kind in ("PER", "ORG", "LOC", "MISC") for letter in "BI")),
    ),
    TaskSpec(
        "conll2003-pos", "tag", "Parts of speech (CoNLL-2003)", "conll", _ACCURACY,
        columns=_WORDS, files=_CONLL, scheme="none", tag_column=2, sample="names",
    ),
    TaskSpec(
        "conll2003-chunk", "tag", "Phrases in a sentence (CoNLL-2003)", "conll", _ENTITIES,
        columns=_WORDS, files=_CONLL, scheme="BIO", tag_column=3, sample="names",
    ),
    TaskSpec(
        "squad", "span", "The answer in a passage (SQuAD 1.1)", "squad", ("f1", "exact_match"),
        columns=_ANSWER, has_unanswerable=False, files=_files(train="train-v1.1.json", dev="dev-v1.1.json"),
        sample="questions-answered",
    ),
    TaskSpec(
        "squad2", "span", "The answer in a passage, if it has one (SQuAD 2.0)", "squad", ("f1", "exact_match"),
        columns=_ANSWER, files=_files(train="train-v2.0.json", dev="dev-v2.0.json"), sample="questions",
    ),
    TaskSpec(
        "swag", "choice", "What happens next? (SWAG)", "choices", _ACCURACY,
        columns=_CHOICE, files=_files(train="train.csv", dev="val.csv", test="test.csv"), sample="endings",
    ),
    TaskSpec(
        "commonsenseqa", "choice", "Choose the right answer (CommonsenseQA)", "choices", _ACCURACY,
        columns=_CHOICE, sample="everyday",
        files=_files(
            train=("train_rand_split.jsonl", "train.jsonl"), dev=("dev_rand_split.jsonl", "valid.jsonl"),
            test=("test_rand_split_no_answers.jsonl", "test.jsonl"),
        ),
    ),
    TaskSpec(
        "summaries", "summarise", "The sentences that sum up a text", "summaries", ("rouge2", "rouge1", "rougeL"),
        columns=_SUMMARY, sample="summaries",
    ),
)  # fmt: skip
_OWN = (  # for people's own files
    TaskSpec(
        "classify", "classify", "Classify texts", "table", ("accuracy", "f1_macro"),
        columns={"text": _TEXT, "label": _LABEL}, sample="sentiment",
    ),
    TaskSpec(
        "pairs", "classify", "Classify pairs of texts", "table", ("accuracy", "f1_macro"),
        columns={"text": _TEXT_A, "text_b": _TEXT_B, "label": _LABEL}, sample="paraphrase",
    ),
    TaskSpec(
        "similarity", "regress", "Score pairs of texts", "table", ("spearmanr", "pearson"),
        columns={"text": _TEXT_A, "text_b": _TEXT_B, "label": ("score", "label")}, sample="similarity",
    ),
    TaskSpec(
        "multilabel", "multilabel", "Give texts several labels at once", "table", ("f1_micro", "f1_macro", "accuracy"),
        columns={"text": _TEXT, "label": ("labels", "label")}, sample="topics",
    ),
    TaskSpec("tag", "tag", "Tag the words in a text", "conll", _ENTITIES, columns=_WORDS, sample="names"),
    TaskSpec(
        "answer", "span", "Find the answer in a passage", "squad", ("f1", "exact_match"),
        columns=_ANSWER, sample="questions",
    ),
    TaskSpec("choose", "choice", "Choose the best ending", "choices", _ACCURACY, columns=_CHOICE, sample="endings"),
    TaskSpec(
        "summarise", "summarise", "Pick the sentences that sum up a text", "summaries", ("rouge2", "rouge1", "rougeL"),
        columns=_SUMMARY, sample="summaries",
    ),
)  # fmt: skip

TASKS: dict[str, TaskSpec] = {spec.name: spec for spec in (*_GLUE, *_CLASSIC, *_OWN)}
