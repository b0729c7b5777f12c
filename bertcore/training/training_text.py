"""The tokenised text of a pretraining run: one text with a held-out part, or a mixture with held-out sources."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import PairRules, PairSampler
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import HeldOutText, held_out_batches
from bertcore.training.options import HELD_OUT_SEED

_COUNTED_TOKENS = 2_000_000  # of each file: enough for how frequent words are


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
