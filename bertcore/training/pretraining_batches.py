"""What each step of pretraining reads and predicts: causal or masked, of which length, from which place in the text."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bertcore.data.batches import Batch, causal_batch, make_rows, masked_batch
from bertcore.data.masking import Fates
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.pairs import PairSampler, TokenPair
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import ProcessGroup
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.trainable import Position, StepPlan

CAUSAL, MASKED = "causal", "masked"  # the two phases of a run
LONGER = "longer"  # beside them: the last part, of longer sequences, has begun
CAUSAL_MASKED_EVERY = 8  # in the causal phase, every so-many-th step predicts masked words all the same


class PretrainingBatches:
    """A batch is a function of the seed, the step, the share of the budget spent and the position in the text."""

    def __init__(
        self,
        options: PretrainOptions,
        samplers: Mapping[int, PairSampler | MixedSampler],  # by sequence length
        tokenizer: Tokenizer,
        group: ProcessGroup,
        look_up: Callable[[list[TokenPair]], list[TokenPair]] = list,
    ) -> None:
        """`look_up` gives the pairs that are read for those of the samplers, as `PlacedText` does."""
        self.options, self.samplers, self.tokenizer, self.group = options, samplers, tokenizer, group
        self._look_up = look_up

    def plan(self, step: int, fraction: float) -> StepPlan:
        """Moves the position: the step reads the next windows of the text."""
        length, is_causal = self.kind(step, fraction)
        phase = CAUSAL if fraction < self.options.training.causal_share else MASKED
        return StepPlan(
            step,
            fraction,
            (phase, LONGER) if self._is_long(step, fraction) else (phase,),
            CAUSAL if is_causal else MASKED,
            self.samplers[length].windows(self.sequences(length)),
            length,
            is_logged=phase == CAUSAL and not is_causal,  # the few masked steps of that phase are all worth a point
        )

    def kind(self, step: int, fraction: float) -> tuple[int, bool]:
        """The length of the step's sequences, and whether it predicts every next word."""
        data, training = self.options.data, self.options.training
        length = data.sequence_length
        if self._is_long(step, fraction):
            length = data.long_sequence_length
        # by chance, the same in all processes and after every resume; the batch's own blocks draw other numbers
        elif data.short_share and np.random.default_rng((training.seed, step, 0, 1)).random() < data.short_share:
            length = data.short_sequence_length
        return length, fraction < training.causal_share and step % CAUSAL_MASKED_EVERY > 0

    def make(self, plan: StepPlan) -> Batch:
        """This process's rows of the batch; changes nothing."""
        data, windows = self.options.data, plan.data
        assert plan.length is not None
        sampler = self.samplers[plan.length]

        def make_block(first: int, last: int, rng: np.random.Generator) -> Batch:
            pairs = self._look_up(sampler.pairs(windows[first:last], rng))
            if plan.objective == CAUSAL:
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

    def sequences(self, length: int) -> int:
        """In a batch of all processes: fewer longer ones, more shorter ones."""
        return max(1, self.options.training.batch_size * self.options.data.sequence_length // length)

    def position(self) -> Position:
        """In the text, after what was planned."""
        return {str(length): sampler.state for length, sampler in self.samplers.items()}

    def restore(self, position: Position) -> None:
        for length, state in position.items():
            sampler: Any = self.samplers[int(length)]  # of one kind or the other, as its state
            sampler.restore(state)

    def has_long(self, position: Position) -> bool:
        """Whether sequences of the last part are among those before this position."""
        data = self.options.data
        used = position.get(str(data.long_sequence_length), ())  # all zero before its first window
        return data.long_sequence_length > data.sequence_length and bool(np.any(used))

    def _is_long(self, step: int, fraction: float) -> bool:
        """Whether a step of the last part takes the longer sequences."""
        data = self.options.data
        is_last_part = data.long_share > 0 and fraction >= 1.0 - data.long_share
        return is_last_part and step % data.long_every == 0 and data.long_sequence_length > data.sequence_length
