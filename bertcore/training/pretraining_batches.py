"""What each step of pretraining reads and predicts: causal or masked, of which length, from which place in the text.

And the text: one with a held-out part, or a mixture with held-out sources."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.batches import Batch, causal_batch, make_rows, masked_batch
from bertcore.data.corpus import Corpus
from bertcore.data.masking import Fates
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import PairRules, PairSampler, TokenPair
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import ProcessGroup
from bertcore.training.evaluate import HeldOutText, held_out_batches
from bertcore.training.options import HELD_OUT_SEED
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.trainable import Position, StepPlan

CAUSAL, MASKED = "causal", "masked"  # the two phases of a run
LONGER = "longer"  # beside them: the last part, of longer sequences, has begun
CAUSAL_MASKED_EVERY = 8  # in the causal phase, every so-many-th step predicts masked words all the same
_COUNTED_TOKENS = 2_000_000  # of each file: enough for how frequent words are


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
                self.options.mask_share_at(plan.step),
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


@dataclass(frozen=True)
class TrainingText:
    """`corpora` of a mixture, one for each of its `sources`; without sources one corpus."""

    corpora: Sequence[Corpus]
    sources: Sequence[MixtureFile]

    @property
    def key(self) -> str:
        """Changes with the text, the vocabulary, and what a mixture says of its files."""
        if not self.sources:
            return self.corpora[0].key
        parts = [f"{corpus.key} {_as_text(source)}" for corpus, source in zip(self.corpora, self.sources, strict=True)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def sampler(self, length: int, seed: int, rules: PairRules) -> PairSampler | MixedSampler:
        """What to train on, in sequences of `length` tokens."""
        if not self.sources:
            return PairSampler(self.corpora[0], False, length, seed, rules)
        chosen = [source for source in self.sources if source.weight and not source.held_out]
        return MixedSampler(self._corpora_of(chosen), chosen, False, length, seed, rules)

    def _corpora_of(self, chosen: Sequence[MixtureFile]) -> list[Corpus]:
        return [corpus for corpus, source in zip(self.corpora, self.sources, strict=True) if source in chosen]

    def held_out(self, tokenizer: Tokenizer, length: int, sequences: int, rules: PairRules) -> HeldOutText:
        """Of a mixture, as many `sequences` of each kind of its held-out sources."""
        kinds = sorted({source.kind for source in self.sources if source.held_out})
        text = HeldOutText({}) if kinds else HeldOutText.of(self.corpora[0], tokenizer, length, sequences, rules)
        for kind in kinds:
            chosen = [source for source in self.sources if source.held_out and source.kind == kind]
            sampler = MixedSampler(self._corpora_of(chosen), chosen, True, length, HELD_OUT_SEED, rules)
            text.kinds[kind] = held_out_batches(sampler, tokenizer, max(1, sequences // len(kinds)), rules.exact)
        shares = self._frequencies(tokenizer.largest_id + 1)
        labels = np.concatenate([batch.labels.numpy() for batch in text.batches])
        return replace(text, by_frequency=float(-np.log(shares[labels]).mean()) if len(labels) else None)

    def _frequencies(self, vocab_size: int) -> NDArray[np.float64]:
        """(V) how likely each token is in the text to train on; 1 is added to each count."""
        weights = [0.0 if source.held_out else source.weight for source in self.sources] or [1.0]
        shares = np.zeros(vocab_size)
        for corpus, weight in zip(self.corpora, weights, strict=True):
            if weight:
                counts = 1.0 + np.bincount(_tokens_to_train_on(corpus), minlength=vocab_size)
                shares += weight * counts / counts.sum()
        return shares / shares.sum()

    def count_tokens(self, held_out: bool) -> int:
        if not self.sources:
            return self.corpora[0].count_tokens(held_out)
        both = zip(self.corpora, self.sources, strict=True)
        return sum(len(corpus.tokens) for corpus, source in both if source.held_out == held_out)


def _as_text(source: MixtureFile) -> str:
    """What a mixture says of a file, for the key. A field that is added may only count where it is not its default:
    the key of a run that has begun must not change."""
    return (
        f"Source(kind={source.kind!r}, weight={source.weight!r}, pairs={source.pairs!r}, held_out={source.held_out!r})"
    )


def _tokens_to_train_on(corpus: Corpus) -> NDArray[np.int64]:
    """The first ones."""
    bounds = corpus.sentence_starts[corpus.document_starts]
    documents = min(int(np.searchsorted(bounds, _COUNTED_TOKENS)), len(corpus.held_out))
    is_held_out = np.repeat(corpus.held_out[:documents], np.diff(bounds)[:documents])[:_COUNTED_TOKENS]
    return np.asarray(corpus.tokens[: len(is_held_out)], dtype=np.int64)[~is_held_out]
