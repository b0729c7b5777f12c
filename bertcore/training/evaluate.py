"""How well a model predicts held-out text: always the same sequences, always 15% masked."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.batches import Batch, in_parts, masked_batch
from bertcore.data.corpus import Corpus, load_corpus
from bertcore.data.mixed_sampler import MixedSampler
from bertcore.data.pairs import NEXT_SENTENCE, NO_LABEL, PairRules, PairSampler, TokenPair
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.torch_parts import evaluation_mode
from bertcore.progress import ReportProgress
from bertcore.runs.known_runs import run_around
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.predict import ranked
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.objective import pretraining_loss, word_accuracy
from bertcore.training.options import HELD_OUT_SEED
from bertcore.training.pretrain_options import DataOptions, PretrainOptions

EVALUATION_FILE = "evaluation.json"  # of a run: its last measurement, and the best and worst held-out examples
HELD_OUT_MASK_SHARE = 0.15
HELD_OUT_SEQUENCES = 512  # of a file's held-out part
_SEQUENCES_AT_ONCE = 16
EXAMPLES_SHOWN = 10
TOP = 4  # guesses that are kept of each token
_TOKENS_AT_ONCE = 2048
_CPU = torch.device("cpu")


@dataclass(frozen=True)
class HeldOutText:
    """Fixed batches of held-out text, made once per run; apart for each kind of text where there are several."""

    kinds: dict[str, list[Batch]]
    by_frequency: float | None = None  # loss of always guessing words by how frequent they are in training, if known

    @classmethod
    def of(
        cls, corpus: Corpus, tokenizer: Tokenizer, length: int, sequences: int, rules: PairRules = NEXT_SENTENCE
    ) -> HeldOutText:
        """`sequences` of at most `length` tokens (fewer where the held-out text has fewer)."""
        sampler = PairSampler(corpus, held_out=True, length=length, seed=HELD_OUT_SEED, rules=rules)
        return cls({"text": held_out_batches(sampler, tokenizer, sequences, rules.exact)})

    @property
    def batches(self) -> list[Batch]:
        return [batch for batches in self.kinds.values() for batch in batches]

    def to(self, device: torch.device) -> HeldOutText:
        return replace(
            self, kinds={name: [batch.to(device) for batch in batches] for name, batches in self.kinds.items()}
        )

    def measure(self, model: Bert) -> dict[str, Any]:
        """Masked-word loss, perplexity, accuracy, top-5; next-sentence loss and accuracy (None without labels).

        A model that learns sentence order instead has "sop_loss" and "sop_accuracy" besides. With several kinds of text
        "kinds" has those of each.
        """
        sums = {name: [_sums(model, batch) for batch in batches] for name, batches in self.kinds.items()}
        numbers: dict[str, Any] = _numbers(model, [each for of_kind in sums.values() for each in of_kind])
        if self.by_frequency is not None:
            numbers["by_frequency"] = self.by_frequency
        if len(self.kinds) > 1:
            numbers["kinds"] = {name: _numbers(model, of_kind) for name, of_kind in sums.items()}
        return numbers


def held_out_batches(
    sampler: PairSampler | MixedSampler, tokenizer: Tokenizer, sequences: int, exact: bool
) -> list[Batch]:
    rng = np.random.default_rng(HELD_OUT_SEED)
    count = min(sequences, sampler.windows_per_epoch)
    windows = sampler.windows(count)
    pairs = _balanced(sampler, windows, rng) if exact else sampler.pairs(windows, rng)
    groups = [pairs[i : i + _SEQUENCES_AT_ONCE] for i in range(0, count, _SEQUENCES_AT_ONCE)]
    return [masked_batch(group, tokenizer, rng, HELD_OUT_MASK_SHARE, exact=exact) for group in groups]


def _balanced(sampler: PairSampler | MixedSampler, windows: NDArray, rng: np.random.Generator) -> list[TokenPair]:
    """As many pairs with one label as with the other: always giving the same answer is right half of the time."""
    pairs: list[TokenPair] = []
    labelled = 0
    for window in windows:
        pairs += sampler.pairs(window[None], rng, label=labelled % 2)
        labelled += pairs[-1].label != NO_LABEL
    return pairs


@torch.no_grad()
def _sums(model: Bert, batch: Batch) -> NDArray[np.float64]:
    """Of one batch: words, their loss, how many are right, and among the first five; labelled pairs, their loss, how
    many are right."""
    with evaluation_mode(model):
        loss, count, head = pretraining_loss(model, batch), len(batch.labels), model.pair_head
    right, in_top5 = (word_accuracy(loss.logits["mlm"], batch.labels, top) * count for top in (1, 5))
    of_pairs = (0, 0.0, 0)
    if head in loss.parts and bool((labelled := batch.next_sentence != NO_LABEL).any()):
        pairs, guesses = int(labelled.sum()), loss.logits[head].argmax(dim=-1)
        of_pairs = pairs, float(loss.parts[head]) * pairs, int((guesses == batch.next_sentence)[labelled].sum())
    return np.array([count, float(loss.parts["mlm"]) * count, right, in_top5, *of_pairs])


def _numbers(model: Bert, sums: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    words, mlm, right, in_top5, pairs, pair, pairs_right = np.sum(sums, axis=0).tolist()
    mlm, pair, head = mlm / max(words, 1), pair / max(pairs, 1), model.pair_head
    of_pairs = {f"{head}_loss": pair, f"{head}_accuracy": pairs_right / pairs} if pairs else {}
    return {
        "loss": mlm + pair,
        "mlm_loss": mlm,
        "mlm_accuracy": right / max(words, 1),
        "mlm_top5": in_top5 / max(words, 1),
        "perplexity": math.exp(min(mlm, 700.0)),
        "nsp_loss": None,
        "nsp_accuracy": None,
        **of_pairs,
        "words": int(words),
        "pairs": int(pairs),
    }


def data_of_pretraining(folder: Path | None) -> DataOptions:
    """How the pretraining run that a snapshot lies in reads its text, and so what it keeps apart; else the defaults."""
    run = run_around(folder)
    try:
        return DataOptions() if run is None else PretrainOptions.from_dict(RunFolder(run).config()).data
    except BertcoreError:  # it learned something else
        return DataOptions()


def evaluate_text(
    checkpoint: Checkpoint, files: list[Path], length: int, sequences: int | None = None, whole: bool = False
) -> dict[str, float | None]:
    """A checkpoint on the held-out part of some text, as its own run, or one by the defaults, would measure it; or,
    with `whole`, on all of it. At most so many `sequences`; None: 512 of the held-out part, or the whole text.

    "documents" says how many of the "documents_in_text" are measured. Raises BertcoreError where the text cannot be
    read, or the checkpoint has no MLM head.
    """
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    corpus = load_corpus(files, checkpoint.tokenizer, form=data_of_pretraining(checkpoint.folder).text_format)
    if whole:
        corpus = replace(corpus, held_out=np.ones_like(corpus.held_out))
    return evaluate_corpus(checkpoint, corpus, length, sequences or (sys.maxsize if whole else HELD_OUT_SEQUENCES))


def evaluate_corpus(
    checkpoint: Checkpoint, corpus: Corpus, length: int, most_sequences: int
) -> dict[str, float | None]:
    """As `evaluate_text`, on the held-out part of a text that is tokenised."""
    data, tokenizer = data_of_pretraining(checkpoint.folder), checkpoint.tokenizer
    kind = checkpoint.model.pair_head if corpus.has_pairs(held_out=True) else None
    rules = PairRules.of(tokenizer, kind or "none", data.pack, data.exact_shares)
    length = min(length, checkpoint.config.max_length)
    held_out = HeldOutText.of(corpus, tokenizer, length, most_sequences, rules)
    of_text = {"documents": int(corpus.held_out.sum()), "documents_in_text": len(corpus.held_out)}
    return {**held_out.measure(checkpoint.model), **of_text}


@dataclass(frozen=True, eq=False)
class BatchLosses:
    """Of B sequences of S tokens; where nothing is predicted losses are NaN, ranks and guesses 0.

    `losses` (B,S) in nats. `ranks` (B,S): 1 where the model's first guess is right. `guesses` and `probabilities`
    (B,S,TOP): ids, the most likely first. `second` (B): the probability of pair label 1 (random, swapped); NaN where
    the model was not asked. `pair_losses` (B) in nats. The mean losses are those that a step of training logs.
    """

    losses: NDArray[np.float32]
    ranks: NDArray[np.int64]
    guesses: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    second: NDArray[np.float32]
    pair_losses: NDArray[np.float32]

    @property
    def word_loss(self) -> float:
        """Mean over the tokens to predict: "mlm_loss", or "next_word_loss", of the log."""
        return float(np.nanmean(self.losses))

    @property
    def pair_loss(self) -> float | None:
        """Mean over the pairs: "nsp_loss" or "sop_loss" of the log; None where there are none."""
        return None if np.isnan(self.pair_losses).all() else float(np.nanmean(self.pair_losses))

    @property
    def accuracy(self) -> float:
        """Share of the tokens to predict whose first guess is right."""
        return float((self.ranks == 1).sum() / max(1, (self.ranks > 0).sum()))


@torch.inference_mode()
def batch_losses(model: Bert, batch: Batch, progress: ReportProgress = lambda share: None) -> BatchLosses:
    """In fp32 and without dropout, some sequences at a time."""
    count, length = batch.input_ids.shape
    result = BatchLosses(
        np.full((count, length), np.nan, dtype=np.float32),
        np.zeros((count, length), dtype=np.int64),
        np.zeros((count, length, TOP), dtype=np.int64),
        np.zeros((count, length, TOP), dtype=np.float32),
        np.full(count, np.nan, dtype=np.float32),
        np.full(count, np.nan, dtype=np.float32),
    )
    first = 0
    with evaluation_mode(model):
        for part in in_parts(batch.to(_CPU), max(1, -(-count * length // _TOKENS_AT_ONCE))):
            progress(first / count)
            there = part.to(model.embeddings.token.weight.device)
            hidden = model(there.input_ids, there.segment_ids, there.attention_mask, causal=part.causal)  # (B,S,H)
            rows, labels = part.rows, part.labels
            logits = model.mlm_logits(hidden.flatten(0, 1)[there.rows]).float().cpu()  # (R,V)
            places = first * length + rows.numpy()
            result.losses.reshape(-1)[places] = F.cross_entropy(logits, labels, reduction="none").numpy()
            top = logits.softmax(dim=-1).topk(min(TOP, logits.shape[-1]))
            better = logits > logits.gather(1, labels[:, None])
            result.ranks.reshape(-1)[places] = 1 + better.sum(dim=-1).numpy()
            result.guesses.reshape(-1, TOP)[places, : top.indices.shape[1]] = top.indices.numpy()
            result.probabilities.reshape(-1, TOP)[places, : top.values.shape[1]] = top.values.numpy()
            if model.pair_head is not None and not part.causal:
                answers = model.logits(model.pair_head, hidden[:, 0]).float().cpu()  # (B,2)
                asked = part.next_sentence != NO_LABEL
                here = first + np.flatnonzero(asked.numpy())
                result.second[here] = answers.softmax(dim=-1)[asked, 1].numpy()
                result.pair_losses[here] = F.cross_entropy(
                    answers[asked], part.next_sentence[asked], reduction="none"
                ).numpy()
            first += len(part.input_ids)
    return result


def best_and_worst(
    model: Bert, batches: list[Batch], tokenizer: Tokenizer, count: int = EXAMPLES_SHOWN
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The `count` sequences with the lowest mean loss over their masked words, best first, and the `count` with the
    highest, worst first, as JSON holds them: {"example": {"text_a", "text_b"}, "right", "given", "loss", "words"}.
    """
    found = [batch_losses(model, batch) for batch in batches]
    places = [(number, row) for number, batch in enumerate(batches) for row in range(len(batch.input_ids))]
    of_words = (found[number].losses[row].astype(np.float64) for number, row in places)
    known = [losses[~np.isnan(losses)] for losses in of_words]
    losses = [float(each.mean()) if len(each) else np.nan for each in known]

    def described(at: int) -> dict[str, Any]:
        number, row = places[at]
        return {**_described(batches[number], found[number], row, tokenizer), "loss": round(losses[at], 4)}

    best, worst = ranked(losses, count)
    return [described(at) for at in best], [described(at) for at in worst]


def _described(batch: Batch, found: BatchLosses, sequence: int, tokenizer: Tokenizer) -> dict[str, Any]:
    length = batch.input_ids.shape[1]
    ids, segments = batch.input_ids[sequence].tolist(), batch.segment_ids[sequence].tolist()
    rows = zip(*(values.tolist() for values in (batch.rows % length, batch.rows // length, batch.labels)), strict=True)
    words = [
        {
            "position": place,
            "seen": tokenizer.label(ids[place]),  # [MASK], or what stood in its place
            "right": tokenizer.label(label),
            "probability": round(math.exp(-float(found.losses[row, place])), 5),
            "given": tokenizer.label(int(found.guesses[row, place, 0])),
            "given_probability": round(float(found.probabilities[row, place, 0]), 5),
        }
        for place, row, label in rows
        if row == sequence
    ]
    return {
        "example": _texts(ids, segments, tokenizer),
        "right": [word["right"] for word in words],
        "given": [word["given"] for word in words],
        "words": words,
    }


def _texts(ids: list[int], segments: list[int], tokenizer: Tokenizer) -> dict[str, str]:
    """Parts A and B as the model read them, with what is masked, without the tokens that frame them."""
    frame = (tokenizer.pad_id, tokenizer.cls_id, tokenizer.sep_id)
    parts: dict[str, str] = {}
    for segment, name in enumerate(("text_a", "text_b")):
        kept = [token for token, of in zip(ids, segments, strict=True) if of == segment and token not in frame]
        if kept:
            parts[name] = tokenizer.raw.decode(kept, skip_special_tokens=False).strip()
    return parts
