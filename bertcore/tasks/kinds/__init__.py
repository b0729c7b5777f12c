"""The kinds of tasks, one in each file. Importable without torch."""

from collections.abc import Sequence
from typing import Any

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds.base import DOC_STRIDE, Features, Reading, TaskKind
from bertcore.tasks.kinds.choice import Choice
from bertcore.tasks.kinds.classify import Classify
from bertcore.tasks.kinds.multilabel import Multilabel
from bertcore.tasks.kinds.regress import Regress
from bertcore.tasks.kinds.span import Span
from bertcore.tasks.kinds.summarise import Summarise
from bertcore.tasks.kinds.tag import Tag
from bertcore.tokenizer.tokenizer import Tokenizer

TASK_KINDS: dict[str, TaskKind[Any, Any]] = {
    kind.name: kind for kind in (Classify(), Regress(), Multilabel(), Tag(), Span(), Choice(), Summarise())
}


def kind_named(name: str) -> TaskKind[Any, Any]:
    """Raises ValueError where there is none."""
    if name not in TASK_KINDS:
        raise ValueError(f"there is no kind {name!r}; there are {', '.join(TASK_KINDS)}")
    return TASK_KINDS[name]


def kind_of_model(heads: Sequence[str], config: BertConfig) -> TaskKind[Any, Any] | None:
    """What a model with these heads was fine-tuned on; None where it has no head for a task."""
    return next((kind for kind in TASK_KINDS.values() if kind.fits(heads, config)), None)


def make_features(
    kind: str,
    examples: Sequence[Any],
    tokenizer: Tokenizer,
    labels: Sequence[str] = (),
    *,
    max_length: int,
    stride: int = DOC_STRIDE,
    crf: bool = False,
    need_answers: bool = False,
) -> Features:
    """What the model reads, tokenised on all cores; at most `max_length` tokens a sequence.

    `labels`, `stride` and `crf` as in `Reading`. With `need_answers` (for training) an example without one is refused.
    Raises BertcoreError for what does not fit, with the number of the example; ValueError for no such kind.
    """
    learned = kind_named(kind)
    if not examples:
        raise BertcoreError("There are no examples; give at least one.")
    if wrong := next((example for example in examples if not isinstance(example, learned.example)), None):
        raise ValueError(f"{kind} takes {learned.example.__name__}, not {type(wrong).__name__}")
    features: Features = learned.features(examples, Reading(tokenizer, tuple(labels), max_length, stride, crf))
    if need_answers and not features.labelled:
        first = next(i for i, example in enumerate(examples) if not learned.is_labelled(example))
        raise BertcoreError(f"Example {first + 1} has no answer to learn from; give it one.")
    return features
