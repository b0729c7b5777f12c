"""Examples of any kind to features."""

from collections.abc import Sequence
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.tasks.examples import (
    KINDS,
    AnswerExample,
    ChoiceExample,
    Example,
    Kind,
    SummaryExample,
    TaggedExample,
    TextExample,
)
from bertcore.tasks.features.answers import DOC_STRIDE, MAX_QUESTION_TOKENS, span_features
from bertcore.tasks.features.kinds import Features
from bertcore.tasks.features.summaries import summary_features
from bertcore.tasks.features.tags import tag_features
from bertcore.tasks.features.texts import choice_features, text_features
from bertcore.tokenizer.tokenizer import Tokenizer

_EXAMPLES: dict[Kind, type] = {
    "tag": TaggedExample,
    "span": AnswerExample,
    "choice": ChoiceExample,
    "summarise": SummaryExample,
}


def make_features(
    kind: Kind,
    examples: Sequence[Example],
    tokenizer: Tokenizer,
    labels: Sequence[str] = (),
    *,
    max_length: int,
    crf: bool = False,
    doc_stride: int = DOC_STRIDE,
    max_question_tokens: int = MAX_QUESTION_TOKENS,
    need_answers: bool = False,
) -> Features:
    """What the model reads, tokenised on all cores; at most `max_length` tokens a sequence.

    `labels` are what "classify", "multilabel" and "tag" choose from, in the model's order; `crf` tags with a CRF;
    `doc_stride` and `max_question_tokens` are for "span". With `need_answers` (for training) an example without one is
    refused. Raises BertcoreError for what does not fit, with the number of the example; ValueError for no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    if not examples:
        raise BertcoreError("There are no examples; give at least one.")
    wanted = _EXAMPLES.get(kind, TextExample)
    if wrong := next((example for example in examples if not isinstance(example, wanted)), None):
        raise ValueError(f"{kind} takes {wanted.__name__}, not {type(wrong).__name__}")
    features = _make(kind, examples, tokenizer, tuple(labels), max_length, crf, doc_stride, max_question_tokens)
    if need_answers and not features.labelled:
        raise BertcoreError(f"Example {_first_unlabelled(examples) + 1} has no answer to learn from; give it one.")
    return features


def _first_unlabelled(examples: Sequence[Any]) -> int:
    """The number of the first example without an answer, from 0; -1 if all have one."""
    fields = ("tags", "label", "labels")
    return next(
        (i for i, example in enumerate(examples) if any(getattr(example, field, "") is None for field in fields)), -1
    )


def _make(
    kind: Kind,
    examples: Sequence[Any],
    tokenizer: Tokenizer,
    labels: tuple[str, ...],
    max_length: int,
    crf: bool,
    doc_stride: int,
    max_question_tokens: int,
) -> Features:
    if kind == "tag":
        return tag_features(examples, tokenizer, labels, max_length, "crf" if crf else "tag")
    if kind == "span":
        return span_features(examples, tokenizer, max_length, doc_stride, max_question_tokens)
    if kind == "choice":
        return choice_features(examples, tokenizer, max_length)
    if kind == "summarise":
        return summary_features(examples, tokenizer, max_length)
    return text_features(kind, examples, tokenizer, labels, max_length)
