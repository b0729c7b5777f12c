"""The scale of a regression: from the task or the examples into the checkpoint, and back."""

from pathlib import Path
from typing import Any

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import read_config_values
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.reading import TASKS
from tests.engine.models import tiny_config, tiny_model, word_tokenizer


def examples(*numbers: float | None) -> list[TextExample]:
    return [TextExample("a", "b", number) for number in numbers]


def test_of_the_task_or_of_the_examples() -> None:
    def learned(task: str, given: list[TextExample]) -> object:
        return TASK_KINDS[TASKS[task].kind].config(TASKS[task], (), given)["number_range"]

    assert learned("stsb", examples(1.0, 3.0)) == (0.0, 5.0)
    assert learned("similarity", examples(0.5, -1.0, None, 0.25)) == (-1.0, 0.5)
    assert learned("similarity", examples(2.0, 2.0)) is None and learned("similarity", []) is None
    assert learned("classify", [TextExample("a", None, "1"), TextExample("a", None, "2")]) is None


def test_a_checkpoint_keeps_it_and_transformers_reads_it(tmp_path: Path) -> None:
    import transformers

    about: dict[str, Any] = {"labels": ("score",), "problem_type": "regression"}
    save_checkpoint(tiny_model(("classify",), number_range=(0.0, 2.5), **about), word_tokenizer(), tmp_path)
    assert load_checkpoint(tmp_path).config.number_range == (0.0, 2.5)
    theirs = transformers.BertForSequenceClassification.from_pretrained(tmp_path)
    assert theirs.config.num_labels == 1 and theirs.config.number_range == [0.0, 2.5]
    save_checkpoint(tiny_model(("classify",), **about), word_tokenizer(), tmp_path)
    assert "number_range" not in read_config_values(tmp_path)


@pytest.mark.parametrize("limits", [(1.0,), (2.0, 1.0), (1, 1), ("a", "b"), 5, (0.0, float("inf")), (0, float("nan"))])
def test_what_is_no_range(limits: object) -> None:
    with pytest.raises(BertcoreError, match="number_range must be a lowest and a highest number"):
        tiny_config(number_range=limits)
