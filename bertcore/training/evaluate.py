"""How well a model predicts held-out text: always the same sequences, always 15% masked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from bertcore.data.batches import PairSampler, masked_batch
from bertcore.data.corpus import Corpus
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert
from bertcore.tokenization import Tokenizer
from bertcore.training.objective import BatchTensors, pretraining_loss, word_accuracy

HELD_OUT_MASK_SHARE = 0.15
HELD_OUT_SEED = 20_181_011  # the same sequences and masks in every run
_SEQUENCES_AT_ONCE = 16


@dataclass(frozen=True)
class HeldOutText:
    """Fixed batches of held-out text, made once per run."""

    batches: list[BatchTensors]

    @classmethod
    def of(cls, corpus: Corpus, tokenizer: Tokenizer, length: int, sequences: int) -> HeldOutText:
        """`sequences` of at most `length` tokens (fewer where the held-out text has fewer)."""
        sampler = PairSampler(corpus, held_out=True, length=length, seed=HELD_OUT_SEED)
        rng = np.random.default_rng(HELD_OUT_SEED)
        count = min(sequences, sampler.windows_per_epoch)
        pairs = sampler.take(count, rng)
        groups = [pairs[i : i + _SEQUENCES_AT_ONCE] for i in range(0, count, _SEQUENCES_AT_ONCE)]
        return cls([BatchTensors.of(masked_batch(group, tokenizer, rng, HELD_OUT_MASK_SHARE)) for group in groups])

    def to(self, device: torch.device) -> HeldOutText:
        return HeldOutText([batch.to(device) for batch in self.batches])

    @torch.no_grad()
    def measure(self, model: Bert) -> dict[str, float | None]:
        """Masked-word loss, perplexity, accuracy, top-5; next-sentence loss and accuracy (None without labels)."""
        was_training = model.training
        model.eval()
        words = correct = in_top5 = pairs = pairs_right = 0.0
        mlm = nsp = 0.0
        for batch in self.batches:
            loss = pretraining_loss(model, batch)
            count = len(batch.labels)
            words += count
            mlm += float(loss.parts["mlm"]) * count
            correct += word_accuracy(loss.logits["mlm"], batch.labels) * count
            in_top5 += word_accuracy(loss.logits["mlm"], batch.labels, top=5) * count
            labelled = batch.next_sentence != NO_LABEL
            if "nsp" in loss.parts and bool(labelled.any()):
                pairs += int(labelled.sum())
                nsp += float(loss.parts["nsp"]) * int(labelled.sum())
                guesses = loss.logits["nsp"].argmax(dim=-1)
                pairs_right += int((guesses == batch.next_sentence)[labelled].sum())
        model.train(was_training)
        mlm /= max(words, 1)
        return {
            "loss": mlm + (nsp / pairs if pairs else 0.0),
            "mlm_loss": mlm,
            "mlm_accuracy": correct / max(words, 1),
            "mlm_top5": in_top5 / max(words, 1),
            "perplexity": math.exp(min(mlm, 700.0)),
            "nsp_loss": nsp / pairs if pairs else None,
            "nsp_accuracy": pairs_right / pairs if pairs else None,
            "words": int(words),
            "pairs": int(pairs),
        }
