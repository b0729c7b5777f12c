"""One text as tensors, checked against the model, and passes over it: what the analyses here share."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.checkpoint.missing_parts import absent_points
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import NO_HOOK, Changes, Hook, Intervention, Recorder, hidden_points

MAX_TOKENS = 4096  # in one batch: a few hundred MB for BERT-base, and enough to keep a CPU busy


@dataclass(frozen=True)
class Text:
    """One text of S tokens on the model's device."""

    ids: Tensor  # (S)
    segments: Tensor | None  # (S); None where the model has no segments
    positions: Tensor  # (S), from 0
    changes: Changes | None = None  # made in every pass over the whole text

    def __len__(self) -> int:
        return len(self.ids)

    def hidden(self, model: Bert, ids: Tensor | None = None, row: Tensor | None = None, hook: Hook = NO_HOOK) -> Tensor:
        """Last hidden states (B,S,H) of this text, or of B variants of it with other `ids` (B,S).

        `row` (B), one token of each variant, gives only theirs: (B,H).
        """
        ids = self.ids[None] if ids is None else ids
        segments = None if self.segments is None else self.segments.expand_as(ids)
        with changed(model, self.changes, hook) as hook:
            if row is None or hook is not NO_HOOK:  # what is changed on the way has to pass whole
                hidden = model(ids, segments, position_ids=self.positions, hook=hook)
                return hidden if row is None else hidden[torch.arange(len(ids)), row]
            rows = torch.arange(len(ids), device=ids.device) * len(self) + row
            return model(ids, segments, position_ids=self.positions, rows=rows)


@torch.inference_mode(False)  # a caller's may be on, and its tensors have no gradients
def as_text(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None = None,
    position_ids: Sequence[int] | None = None,
) -> Text:
    """The text as the model reads it; segments are left out where it has none, and 0 where it has one.

    Raises BertcoreError where the model has too few positions, segments or words for it.
    """
    config, length = model.config, len(input_ids)
    if not length:
        raise BertcoreError("There is no text to look at; write at least one word.")
    if length > config.max_length:
        raise BertcoreError(f"The text has {length:,} tokens, but this model reads {config.max_length:,} at most.")
    segments = None if segment_ids is None or not config.type_vocab_size else segment_ids
    if segments is not None and config.type_vocab_size == 1:
        segments = [0] * length  # one for all, whatever the vocabulary says (RoBERTa with BERT's)
    positions = range(length) if position_ids is None else position_ids
    for name, values, most in (
        ("token id", input_ids, config.vocab_size),
        ("segment", [0] * length if segments is None else segments, max(config.type_vocab_size, 1)),
        ("position", positions, config.max_length),
    ):
        _check_values(name, values, length, most)
    device = model.embeddings.token.weight.device
    return Text(
        torch.tensor(list(input_ids), device=device),
        None if segments is None else torch.tensor(list(segments), device=device),
        torch.tensor(list(positions), device=device),
    )


def _check_values(name: str, values: Sequence[int], length: int, most: int) -> None:
    if len(values) != length:
        raise BertcoreError(f"The text has {length:,} tokens, but a {name} is given for {len(values):,}.")
    wrong = [value for value in values if not 0 <= value < most]
    if wrong:
        raise BertcoreError(f"This model has no {name} {wrong[0]}; it knows 0 to {most - 1:,}.")


def chunks(count: int, length: int, max_tokens: int) -> Iterator[slice]:
    """Cut `count` variants of a text of `length` tokens into batches of at most `max_tokens`, one variant at least."""
    size = max(1, max_tokens // length)
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


@contextmanager
def changed(model: Bert, changes: Changes | None, then: Hook = NO_HOOK) -> Iterator[Hook]:
    """The hook of a pass in which `changes` are made; `then` sees what they leave. Without changes it is `then` itself.

    Raises BertcoreError after the pass where there is a change at a point that nothing passed.
    """
    if not changes:
        yield then
        return
    hook = Intervention(changes, then)
    yield hook
    if hook.unused:
        reasons = absent_points(model.config)
        why = " ".join(reasons[point] for point in hook.unused if point in reasons)
        points = ", ".join(hook.unused)
        raise BertcoreError(f"Nothing passes at {points}, so nothing can be changed there. {why}".rstrip())


@torch.no_grad()
def passing(model: Bert, text: Text, point: str) -> Tensor:
    """What passes at a hook point for this text, the batch dimension first: (1,S,H) and the like."""
    record = Recorder(lambda name: name == point)
    text.hidden(model, hook=record)
    return record[point]


def as_doubles(tensor: Tensor) -> NDArray[np.float64]:
    return tensor.detach().cpu().double().numpy()


@torch.inference_mode()
def hidden_states(
    model: Bert, text: Text, rows: Sequence[int], ids: Tensor | None = None, changes: Changes | None = None
) -> NDArray[np.float32]:
    """Hidden states (L+1,R,H) of the tokens `rows`, from the embeddings up; the last one normalised in every model.

    Of R variants of the text with other `ids` (R,S), `rows` is one token of each.
    """
    index = [0] * len(rows) if ids is None else list(range(len(rows))), list(rows)
    states = states_at(model, lambda hook: text.hidden(model, ids, hook=hook), index, changes)
    return states.float().cpu().numpy()


def states_at(
    model: Bert, hidden: Callable[[Hook], Tensor], index: tuple[list[int], list[int]], changes: Changes | None
) -> Tensor:
    """Hidden states (L+1,R,H) at an `index` into (B,S), of the pass that `hidden` makes with a hook; nothing else of it
    is kept."""
    points, states = hidden_points(model.encoder.depth), list[Tensor]()

    def keep(name: str, value: Tensor) -> Tensor:
        if name in points:
            states.append(value[index])
        return value

    with changed(model, changes, Hook(keep)) as hook:
        last = hidden(hook)
    return torch.stack([*states[:-1], last[index]])
