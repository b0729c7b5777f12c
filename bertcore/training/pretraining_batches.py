"""Which batch each step of pretraining gets: causal or masked, of which length, from which place in the text."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bertcore.data.batches import Batch, PairSampler, Prefetcher, causal_batch, make_rows, masked_batch
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import ProcessGroup
from bertcore.training.pretrain_options import PretrainOptions

CAUSAL, MASKED = "causal", "masked"  # the two phases of a run
CAUSAL_MASKED_EVERY = 8  # in the causal phase, every so-many-th step predicts masked words all the same

Position = Mapping[str, Any]  # sequence length -> the state of its sampler
Sampler = PairSampler | MixedSampler


class PretrainingBatches:
    """The batches of a run, one after the other, the next one made ahead.

    A batch is a function of the seed, the step, the share of the budget spent and the position in the text.
    """

    def __init__(
        self,
        options: PretrainOptions,
        samplers: Mapping[int, Sampler],  # by sequence length
        tokenizer: Tokenizer,
        group: ProcessGroup,
    ) -> None:
        self.options, self.samplers, self.tokenizer, self.group = options, samplers, tokenizer, group
        self.first_long_step: int | None = None  # the first one of longer sequences that was made here
        self._prefetcher = Prefetcher(self.make)
        self._position: Position = {}  # before the batch that is being made ahead

    def take(self, step: int, fraction: float) -> Batch:
        """This process's rows of the batch; the next one is then made on another thread."""
        batch = self._prefetcher.take(step, fraction)
        steps = self.options.budget.steps
        if steps is None or step < steps:
            self._position = self._positions()
            # where the budget is in minutes, the share that is spent by the next step is not known yet
            self._prefetcher.prefetch(step + 1, fraction if steps is None else (step + 0.5) / steps)
        return batch

    def make(self, step: int, fraction: float) -> Batch:
        data, seed = self.options.data, self.options.training.seed
        length = data.sequence_length
        if self._is_long(step, fraction):
            length = data.long_sequence_length
            self.first_long_step = self.first_long_step or step
        elif _is_short(data.short_share, seed, step):
            length = data.short_sequence_length
        causal = self.phase(fraction) == CAUSAL and step % CAUSAL_MASKED_EVERY > 0
        sampler = self.samplers[length]
        windows = sampler.windows(self.sequences(length))

        def make_block(first: int, last: int, rng: np.random.Generator) -> Batch:
            pairs = sampler.pairs(windows[first:last], rng)
            if causal:
                return causal_batch(pairs, self.tokenizer)
            return masked_batch(pairs, self.tokenizer, rng, data.mask_share, data.masking)

        start, stop = self.group.shard(len(windows))
        return make_rows(start, stop, len(windows), (seed, step), make_block)

    def phase(self, fraction: float) -> str:
        return CAUSAL if fraction < self.options.training.causal_share else MASKED

    def sequences(self, length: int) -> int:
        """In a batch of all processes: fewer longer ones, more shorter ones."""
        return max(1, self.options.training.batch_size * self.options.data.sequence_length // length)

    @property
    def position(self) -> Position:
        """In the text, after the batches that were taken."""
        return self._position if self._prefetcher.is_ahead else self._positions()

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
