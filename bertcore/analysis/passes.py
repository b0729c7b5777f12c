"""One text as tensors, checked against the model, or many in padded batches, and passes over them: what analyses share,
what the heads say after one, what they would say after each layer, and one vector for a text.

Of many texts, those of like length go together, within a budget of memory; results come in the order given.
B texts of a batch, S tokens of the longest of them, L layers, R chosen positions, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bertcore.analysis.interventions import check_numbers, check_rows
from bertcore.analysis.predict import Floats, HeadOutputs
from bertcore.checkpoint.config_file import Pooling, absent_points
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert, Mask
from bertcore.model.hooks import NO_HOOK, Changes, Hook, Intervention, Recorder, hidden_points
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tokenizer.tokenizer import Encoding

R = TypeVar("R")
_LIKE = 0.75  # a text shorter than this fraction of the longest begins a new batch: padding takes time, too
MAX_TOKENS = 4096  # in one batch: a few hundred MB for BERT-base, and enough to keep a CPU busy


@dataclass(frozen=True)
class Text:
    """One text of S tokens on the model's device."""

    ids: Tensor  # (S)
    segments: Tensor | None  # (S); None where the model has no segments
    positions: Tensor  # (S), from 0
    changes: Changes | None = None  # made in every pass over the whole text
    padding: int = 0  # tokens at the end that no token attends to

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def mask(self) -> Tensor:
        """(S) 1 for tokens, 0 for padding."""
        return (torch.arange(len(self)) < len(self) - self.padding).to(self.ids)

    def hidden(self, model: Bert, hook: Hook = NO_HOOK) -> Tensor:
        """Last hidden states (1,S,H)."""
        with changed(model, self.changes, hook) as hook:
            return Batch.of([self]).hidden(model, hook)


@torch.inference_mode(False)  # a caller's may be on, and its tensors have no gradients
def as_text(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None = None,
    position_ids: Sequence[int] | None = None,
    padding: int = 0,
) -> Text:
    """The text as the model reads it; segments are left out where it has none, and 0 where it has one.

    padding: of its tokens, those at the end that no token attends to.

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
        if len(values) != length:
            raise BertcoreError(f"The text has {length:,} tokens, but a {name} is given for {len(values):,}.")
        if wrong := [value for value in values if not 0 <= value < most]:
            raise BertcoreError(f"This model has no {name} {wrong[0]}; it knows 0 to {most - 1:,}.")
    device = model.embeddings.token.weight.device
    return Text(
        torch.tensor(list(input_ids), device=device),
        None if segments is None else torch.tensor(list(segments), device=device),
        torch.tensor(list(positions), device=device),
        padding=padding,
    )


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


@dataclass(frozen=True, eq=False)
class Batch:
    """B texts on the model's device, the shorter ones padded at their ends."""

    numbers: list[int]  # (B) which of all texts
    lengths: list[int]  # (B) tokens, without what fills them up to the longest
    ids: Tensor  # (B,S)
    segments: Tensor | None  # (B,S); None where the model has no segments
    positions: Tensor  # (B,S)
    mask: Tensor  # (B,S) 1 for tokens, 0 for padding
    encodings: list[Encoding]  # (B); none where it is made of texts alone
    has_padding: bool  # else there is nothing to mask, and torch's kernel is faster without

    @classmethod
    def of(
        cls, texts: Sequence[Text], numbers: Sequence[int] | None = None, encodings: Sequence[Encoding] = ()
    ) -> "Batch":
        lengths = list(map(len, texts))
        segments = [text.segments for text in texts if text.segments is not None]
        return cls(
            numbers=list(range(len(texts)) if numbers is None else numbers),
            lengths=lengths,
            ids=pad_sequence([text.ids for text in texts], batch_first=True),
            segments=pad_sequence(segments, batch_first=True) if segments else None,
            positions=pad_sequence([text.positions for text in texts], batch_first=True),
            mask=pad_sequence([text.mask for text in texts], batch_first=True),
            encodings=list(encodings),
            has_padding=len(set(lengths)) > 1 or any(text.padding for text in texts),
        )

    def hidden(self, model: Bert, hook: Hook = NO_HOOK, at: Sequence[int] | None = None) -> Tensor:
        """Last hidden states (B,S,H); `at`, the position of one token of each text (B), gives only theirs: (B,H)."""
        mask = self.mask if self.has_padding else None
        rows = None
        if at is not None and hook is NO_HOOK:  # else what is changed on the way has to pass whole
            rows = torch.arange(0, self.ids.numel(), self.ids.shape[1]) + torch.tensor(at)
            rows = rows.to(self.ids.device)
        hidden = model(self.ids, self.segments, mask, self.positions, rows=rows, hook=hook)
        return hidden if at is None or rows is not None else hidden[range(len(at)), list(at)]

    def index(self, positions: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
        """Some tokens of each text -> (R) the text, and (R) the position, of each of them all."""
        return [row for row, each in enumerate(positions) for _ in each], [at for each in positions for at in each]


def open_cost(text: Sized) -> int:
    """What a text takes of the budget in a pass with a hook, where attention (N,S,S) is computed openly."""
    return len(text) + len(text) ** 2 // 64


def grouped(
    lengths: Sequence[int], costs: Sequence[int], max_tokens: int = MAX_TOKENS, *, alike: bool = False
) -> Iterator[list[int]]:
    """The numbers of the texts of each batch, the longest texts first.

    costs: what each text takes of the budget `max_tokens`, in tokens; a batch takes that of its dearest for each text.
    alike: only texts of one length share a batch, so that nothing is padded.
    """
    group: list[int] = []
    dearest = 0
    for number in sorted(range(len(lengths)), key=lambda each: -lengths[each]):  # stable
        dearest = max(dearest, costs[number])
        least = lengths[group[0]] * (1 if alike else _LIKE) if group else 0
        if group and (lengths[number] < least or dearest * (len(group) + 1) > max_tokens):
            yield group
            group, dearest = [], costs[number]
        group.append(number)
    if group:
        yield group


@torch.inference_mode()
def for_each(
    model: Bert,
    encodings: Sequence[Encoding],
    answer: Callable[[Batch, ReportProgress], Sequence[R]],
    *,
    cost: Callable[[Encoding], int] = len,
    alike: bool = False,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> list[R]:
    """The answer to each text, in their order; `answer` gives those to a batch, and says how far it is.

    `cost` of each text, `alike` and `max_tokens` are as in `grouped`; `progress` gets the fraction done, in tokens.
    """
    lengths = list(map(len, encodings))
    found: dict[int, R] = {}
    done, total = 0, sum(lengths)
    for numbers in grouped(lengths, list(map(cost, encodings)), max_tokens, alike=alike):
        chosen = [encodings[number] for number in numbers]
        texts = [as_text(model, each.ids, each.segments, each.positions, each.padding) for each in chosen]
        size = sum(map(len, chosen))
        answers = answer(Batch.of(texts, numbers, chosen), part_of(progress, done / total, size / total))
        found.update(zip(numbers, answers, strict=True))
        done += size
        progress(done / total)
    return [found[number] for number in range(len(encodings))]


@torch.inference_mode()
def hidden_states(
    model: Bert, batch: Batch, positions: Sequence[Sequence[int]], changes: Changes | None = None
) -> list[NDArray[np.float32]]:
    """Hidden states of some tokens of each text, from the embeddings up: B x (L+1,R,H).

    The last one is normalised in every model. Nothing else of the pass is kept.
    """
    points, index, states = hidden_points(model.encoder.depth), batch.index(positions), list[Tensor]()

    def keep(name: str, value: Tensor) -> Tensor:
        if name in points:
            states.append(value[index])
        return value

    with changed(model, changes, Hook(keep)) as hook:
        states.append(batch.hidden(model, hook)[index])
    del states[-2]  # of the last layer, before the final norm
    return [each.float().cpu().numpy() for each in torch.stack(states).split([len(each) for each in positions], dim=1)]


def layer_states(model: Bert, batch: Batch, hook: Hook = NO_HOOK, seen: int | None = None) -> Iterator[Tensor]:
    """Hidden states (B,S,H) after the embeddings, then after each layer: whoever asks for no more ends the pass.

    By the fast path, but for layer `seen` (from 0), whose points the hook sees by their whole names. The last one is
    normalised in every model.
    """
    x, depth = model.embeddings(batch.ids, batch.segments, batch.positions), model.encoder.depth
    mask = Mask.of(batch.mask if batch.has_padding else None, False, x)
    yield x
    for layer in range(depth):
        inside = hook.at(f"layer.{layer}") if layer == seen else NO_HOOK
        x = model.encoder.layer(layer)(x, mask, hook=inside)
        yield x if layer < depth - 1 else model.encoder(x, start=depth)


def predict_heads(
    model: Bert, batch: Batch, positions: Sequence[Sequence[int]], changes: Changes | None = None
) -> list[HeadOutputs]:
    """What the heads say of each text (B), the words at its `positions`; by the fast path, keeping nothing else.

    BERT-base with 512 tokens takes 53 MiB so, and 556 with a trace. `changes` and errors as in `trace`.
    """
    with torch.inference_mode(), changed(model, changes) as hook:
        return head_outputs(model, batch, batch.hidden(model, hook), positions, hook)


def head_outputs(
    model: Bert, batch: Batch, hidden: Tensor, positions: Sequence[Sequence[int]], hook: Hook = NO_HOOK
) -> list[HeadOutputs]:
    """Last hidden states of a batch (B,S,H) -> what the heads say of each text, the words at its `positions`."""
    pooled = None if model.pooler is None else model.pool(hidden[:, 0], hook)  # (B,H)
    words = None if model.mlm is None else model.mlm_logits(hidden[batch.index(positions)], hook)  # (R,V)
    replaced = None if model.rtd is None else model.logits("rtd", hidden, hook)  # (B,S)
    following = None if model.nsp is None or pooled is None else hook("nsp.logits", model.nsp(pooled))  # (B,2)
    in_order = None if model.sop is None or pooled is None else hook("sop.logits", model.sop(pooled))  # (B,2)

    def of_row(values: Tensor | Sequence[Tensor] | None, row: int) -> Floats | None:
        return None if values is None else values[row].float().cpu().contiguous().numpy()

    each_words = None if words is None else words.split([len(each) for each in positions])  # B x (R,V)
    return [
        HeadOutputs(
            pooled=of_row(pooled, row),
            mlm_positions=np.array(positions[row], dtype=np.int64),
            mlm_logits=of_row(each_words, row),
            next_sentence_logits=of_row(following, row),
            sentence_order_logits=of_row(in_order, row),
            replaced_logits=None if replaced is None else of_row(replaced[:, :length], row),
        )
        for row, length in enumerate(batch.lengths)
    ]


def task_logits(model: Bert, hidden: NDArray) -> dict[str, NDArray[np.float32]]:
    """Last hidden states of one text (S,H) -> the logits of each head for a task, by its name.

    classify (K), tag (S,K), span (S,2) as start and end, choice (1), summarise (S).
    """
    states = torch.from_numpy(np.ascontiguousarray(hidden)).to(model.embeddings.token.weight)[None]  # (1,S,H)
    heads = {kind.head: kind for kind in TASK_KINDS.values() if kind.head in model.output_heads}
    with torch.inference_mode():
        logits = {head: kind.arrange(head_logits(model, head, states), 1) for head, kind in heads.items()}
    return {head: values[0].float().cpu().numpy() for head, values in logits.items()}


def head_logits(model: Bert, head: str, hidden: Tensor, hook: Hook = NO_HOOK) -> Tensor:
    """Logits of any output head from last hidden states (B,S,H): (B,K) where it reads [CLS], else (B,S,K) or (B,S)."""
    firsts = {"nsp", "sop", *(kind.head for kind in TASK_KINDS.values() if kind.reads == "first")}
    return model.logits(head, hidden[:, 0] if head in firsts else hidden, hook)


def layer_lens(model: Bert, hidden_states: NDArray, positions: Sequence[int]) -> NDArray[np.float32]:
    """A trace's hidden states (L+1,S,H) -> logits (L+1,R,V); the last layer's are the model's own.

    The logit lens (nostalgebraist 2020), for an encoder: at which layer a prediction is settled.

    The head expects what the last layer gives. In a post-norm model every layer ends with a LayerNorm, and so do the
    embeddings; in a pre-norm model the final LayerNorm is put on all but the last, which has it already.
    Raises BertcoreError where there is no MLM head, or no such position.
    """
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so its layers cannot be read as words.")
    check_rows(positions, hidden_states.shape[1])
    weight = model.embeddings.token.weight
    with torch.inference_mode():
        hidden = torch.from_numpy(hidden_states[:, list(positions)]).to(weight)  # (L+1,R,H)
        if model.encoder.final_norm is not None:
            hidden = torch.cat([model.encoder.final_norm(hidden[:-1]), hidden[-1:]])
        return model.mlm_logits(hidden).float().cpu().numpy()


def sentence_vectors(model: Bert, encodings: Sequence[Encoding], pooling: Pooling) -> NDArray[np.float32]:
    """One vector for each text (B,H), as `pooled`."""
    vectors = for_each(model, encodings, lambda batch, _: list(pooled(model, batch, pooling)))
    return np.stack(vectors) if vectors else np.empty((0, model.config.hidden_size), dtype=np.float32)


def pooled(
    model: Bert, batch: Batch, pooling: Pooling, layer: int | None = None, changes: Changes | None = None
) -> NDArray[np.float32]:
    """(B,H): the mean of all tokens, or [CLS] (Reimers and Gurevych 2019, section 3).

    layer: whose output; 0 the embeddings, absent the last, which in every model is normalised.
    Raises BertcoreError for a layer that is not there.
    """
    depth = model.encoder.depth
    layer = depth if layer is None else layer
    check_numbers("layer", [layer], depth + 1)
    record = Recorder(lambda point: point == hidden_points(depth)[layer])
    with torch.inference_mode(), changed(model, changes, *([record] if layer < depth else [])) as hook:
        hidden = batch.hidden(model, hook)
    return pool(record[hidden_points(depth)[layer]] if layer < depth else hidden, batch, pooling)


def pool(hidden: Tensor, batch: Batch, pooling: Pooling | None = None) -> NDArray[np.float32]:
    """Hidden states (B,S,H) -> (B,H); the mean, where no other way is known."""
    hidden, pooling = hidden.float(), pooling or Pooling("mean", normalised=False)
    if pooling.kind == "cls":
        vectors = hidden[:, 0]
    else:
        weights = batch.mask.to(hidden.dtype)[:, :, None]  # (B,S,1)
        vectors = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
    if pooling.normalised:
        vectors = torch.nn.functional.normalize(vectors, dim=-1)
    return vectors.cpu().numpy()
