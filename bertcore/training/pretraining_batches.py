"""Which batch each step of pretraining gets: causal or masked, of which length, from which place in the text."""

from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bertcore.data.batch_processes import BatchProcesses, received
from bertcore.data.batches import Batch, Prefetcher, causal_batch, make_rows, masked_batch
from bertcore.data.masking import Fates
from bertcore.data.pairs import Pair
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import ProcessGroup
from bertcore.training.pretrain_options import PretrainOptions

CAUSAL, MASKED = "causal", "masked"  # the two phases of a run
_AHEAD = 2  # batches for each process that makes them: one at work, one waiting
CAUSAL_MASKED_EVERY = 8  # in the causal phase, every so-many-th step predicts masked words all the same

Position = Mapping[str, Any]  # sequence length -> the state of its sampler


class Sampler(Protocol):
    """Walks through a text: bertcore.data.batches.PairSampler says how."""

    @property
    def state(self) -> Any: ...

    @property
    def windows_per_epoch(self) -> int: ...

    def restore(self, state: Any) -> None: ...

    def windows(self, count: int) -> NDArray[np.int64]: ...

    def pairs(self, windows: NDArray[np.int64], rng: np.random.Generator) -> list[Pair]: ...


class Plan(NamedTuple):
    """What a batch is made from, by whomever."""

    step: int
    length: int
    causal: bool
    windows: NDArray[np.int64]


class PretrainingBatches:
    """The batches of a run, one after the other, the next one made ahead; with `workers`, several, in processes.

    A batch is a function of the seed, the step, the share of the budget spent and the position in the text.
    """

    def __init__(
        self,
        options: PretrainOptions,
        samplers: Mapping[int, Sampler],  # by sequence length
        tokenizer: Tokenizer,
        group: ProcessGroup,
        workers: int = 0,
    ) -> None:
        self.options, self.samplers, self.tokenizer, self.group = options, samplers, tokenizer, group
        self.first_masked_step: int | None = None  # the first one after the causal phase that was planned here
        self.first_long_step: int | None = None  # the first one of longer sequences that was planned here
        self._prefetcher = Prefetcher(self.make)
        self._position: Position = {}  # before the batches that are being made ahead
        self._processes = BatchProcesses(workers, self.build) if workers else None
        self._most_ahead = _AHEAD * workers
        self._ahead: deque[tuple[int, Future[dict[str, Any]], Position]] = deque()  # step, batch, position after it

    def take(self, step: int, fraction: float) -> Batch:
        """This process's rows of the batch; the next one is then made on another thread, or in other processes."""
        if self._processes is not None:
            return self._take_from(self._processes, step, fraction)
        batch = self._prefetcher.take(step, fraction)
        steps = self.options.budget.steps
        if steps is None or step < steps:
            self._position = self._positions()
            # where the budget is in minutes, the share that is spent by the next step is not known yet
            self._prefetcher.prefetch(step + 1, fraction if steps is None else (step + 0.5) / steps)
        return batch

    def _take_from(self, processes: BatchProcesses[Plan], step: int, fraction: float) -> Batch:
        steps = self.options.budget.steps
        last = step + self._most_ahead if steps is None else min(step + self._most_ahead, steps)
        for ahead in range(self._ahead[-1][0] + 1 if self._ahead else step, max(step, last) + 1):
            plan = self.plan(ahead, fraction if steps is None else (ahead - 0.5) / steps)
            self._ahead.append((ahead, processes.submit(plan), self._positions()))
        _, result, self._position = self._ahead.popleft()
        return received(result)

    def make(self, step: int, fraction: float) -> Batch:
        return self.build(self.plan(step, fraction))

    def plan(self, step: int, fraction: float) -> Plan:
        """Which windows of the text the step reads; moves the position."""
        length, causal = self.kind(step, fraction)
        if self._is_long(step, fraction):
            self.first_long_step = self.first_long_step or step
        if self._phase(fraction) == MASKED:
            self.first_masked_step = self.first_masked_step or step
        return Plan(step, length, causal, self.samplers[length].windows(self.sequences(length)))

    def kind(self, step: int, fraction: float) -> tuple[int, bool]:
        """The length of the step's sequences, and whether it predicts every next word."""
        data, seed = self.options.data, self.options.training.seed
        length = data.sequence_length
        if self._is_long(step, fraction):
            length = data.long_sequence_length
        elif _is_short(data.short_share, seed, step):
            length = data.short_sequence_length
        return length, self._phase(fraction) == CAUSAL and step % CAUSAL_MASKED_EVERY > 0

    def build(self, plan: Plan) -> Batch:
        """This process's rows of the batch; changes nothing here."""
        data, sampler, windows = self.options.data, self.samplers[plan.length], plan.windows

        def make_block(first: int, last: int, rng: np.random.Generator) -> Batch:
            pairs = sampler.pairs(windows[first:last], rng)
            if plan.causal:
                return causal_batch(pairs, self.tokenizer)
            return masked_batch(
                pairs,
                self.tokenizer,
                rng,
                data.mask_share,
                data.masking,
                fates=Fates(data.mask_fate, data.random_fate),
                exact=data.exact_shares,
            )

        start, stop = self.group.shard(len(windows))
        return make_rows(start, stop, len(windows), (self.options.training.seed, plan.step), make_block)

    def _phase(self, fraction: float) -> str:
        return CAUSAL if fraction < self.options.training.causal_share else MASKED

    def phase(self, step: int) -> str:
        """That of a step whose batch was made here. A batch is planned ahead: where the budget is in minutes, with the
        share that was spent then."""
        return MASKED if self.first_masked_step is not None and step >= self.first_masked_step else CAUSAL

    def sequences(self, length: int) -> int:
        """In a batch of all processes: fewer longer ones, more shorter ones."""
        return max(1, self.options.training.batch_size * self.options.data.sequence_length // length)

    @property
    def position(self) -> Position:
        """In the text, after the batches that were taken."""
        return self._position if self._prefetcher.is_ahead or self._ahead else self._positions()

    def restore(self, position: Position) -> None:
        for length, state in position.items():
            self.samplers[int(length)].restore(state)
        self._position = position

    def has_long(self, position: Position) -> bool:
        """Whether sequences of the last part are among those before this position."""
        data = self.options.data
        used = position.get(str(data.long_sequence_length), ())  # all zero before its first window
        return data.long_sequence_length > data.sequence_length and bool(np.any(used))

    def close(self) -> None:
        self._prefetcher.close()
        if self._processes is not None:
            self._processes.close()

    def _positions(self) -> Position:
        return {str(length): sampler.state for length, sampler in self.samplers.items()}

    def _is_long(self, step: int, fraction: float) -> bool:
        """Whether a step of the last part takes the longer sequences."""
        data = self.options.data
        is_last_part = data.long_share > 0 and fraction >= 1.0 - data.long_share
        return is_last_part and step % data.long_every == 0 and data.long_sequence_length > data.sequence_length


def _is_short(share: float, seed: int, step: int) -> bool:
    """By chance, the same in all processes and after every resume. The batch's own blocks draw other numbers."""
    return share > 0 and float(np.random.default_rng((seed, step, 0, 1)).random()) < share
