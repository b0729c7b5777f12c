"""The tokenised text of a pretraining run: one text with a held-out part, or a mixture with held-out sources."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from bertcore.data.batches import PairSampler
from bertcore.data.corpus import Corpus
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.mixture import Source
from bertcore.data.pairs import PairRules
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.evaluate import HeldOutText


@dataclass(frozen=True)
class TrainingText:
    """`corpora` of a mixture, one for each of its `sources`; without sources one corpus."""

    corpora: Sequence[Corpus]
    sources: Sequence[Source]

    @property
    def key(self) -> str:
        """Changes with the text, the vocabulary, and what a mixture says of its files."""
        if not self.sources:
            return self.corpora[0].key
        parts = [f"{corpus.key} {source}" for corpus, source in zip(self.corpora, self.sources, strict=True)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def sampler(self, length: int, seed: int, rules: PairRules) -> PairSampler | MixedSampler:
        """What to train on, in sequences of `length` tokens."""
        if not self.sources:
            return PairSampler(self.corpora[0], False, length, seed, rules)
        chosen = [i for i, source in enumerate(self.sources) if source.weight and not source.held_out]
        corpora, sources = [self.corpora[i] for i in chosen], [self.sources[i] for i in chosen]
        return MixedSampler(corpora, sources, False, length, seed, rules)

    def held_out(self, tokenizer: Tokenizer, length: int, sequences: int, rules: PairRules) -> HeldOutText:
        if not self.sources:
            return HeldOutText.of(self.corpora[0], tokenizer, length, sequences, rules)
        return HeldOutText.of_kinds(self.corpora, self.sources, tokenizer, length, sequences, rules)

    def count_tokens(self, held_out: bool) -> int:
        if not self.sources:
            return self.corpora[0].count_tokens(held_out)
        both = zip(self.corpora, self.sources, strict=True)
        return sum(len(corpus.tokens) for corpus, source in both if source.held_out == held_out)
