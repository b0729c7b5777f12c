"""A batch as the model reads it, for people to look at: words, masks, segments, labels. `most`: of its sequences."""

from typing import Any

from bertcore.data.batches import Batch
from bertcore.data.pairs import NO_LABEL
from bertcore.tasks.kinds.base import TaskBatch
from bertcore.tokenizer.tokenizer import Tokenizer

FIRST_BATCH_FILE = "first_batch.json"
SEQUENCES = 8  # of it that are written
_BEGIN = 8  # tokens


def pretraining_page(batch: Batch, tokenizer: Tokenizer, most: int | None) -> dict[str, Any]:
    """Each sequence with the words to predict by position; a causal batch predicts every next word."""
    length = batch.input_ids.shape[1]
    wanted: dict[int, dict[int, str]] = {}
    for row, label in zip(batch.rows.tolist(), batch.labels.tolist(), strict=True):
        wanted.setdefault(row // length, {})[row % length] = tokenizer.label(label)
    sequences = _sequences(batch, tokenizer, most)
    for number, sequence in enumerate(sequences):
        sequence["predict"] = wanted.get(number, {})
        sequence["pair_label"] = int(batch.next_sentence[number])
    return {"causal": batch.causal, "sequences": sequences}


def task_page(batch: TaskBatch, tokenizer: Tokenizer, labels: tuple[str, ...], most: int | None) -> dict[str, Any]:
    """Each sequence with its label, or a label for each token that has one."""
    sequences = _sequences(batch, tokenizer, most)
    answers = {batch.head: _named(batch.labels.tolist(), labels)}
    rows = {} if batch.rows is None else {batch.head: batch.rows.tolist()}
    return {"sequences": sequences, "labels": answers, "rows": rows}


def beginning(page: dict[str, Any]) -> str:
    """Its first words."""
    return " ".join(page["sequences"][0]["tokens"][:_BEGIN])


def _sequences(batch: Batch | TaskBatch, tokenizer: Tokenizer, most: int | None) -> list[dict[str, Any]]:
    sequences, segments, mask = [], batch.segment_ids, batch.attention_mask
    for number, row in enumerate(batch.input_ids[:most].tolist()):
        real = len(row) if mask is None else int(mask[number].sum())
        sequences.append(
            {
                "tokens": [tokenizer.label(token) for token in row[:real]],
                "ids": row[:real],
                "segments": None if segments is None else segments[number, :real].tolist(),
                "padding": len(row) - real,
            }
        )
    return sequences


def _named(value: Any, labels: tuple[str, ...]) -> Any:
    """Label numbers by name where there are names; -100 (not counted) as None."""
    if isinstance(value, list):
        return [_named(each, labels) for each in value]
    if value == NO_LABEL:
        return None
    return labels[value] if isinstance(value, int) and labels and 0 <= value < len(labels) else value
