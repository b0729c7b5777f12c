"""What a pretraining run works with: vocabulary, text, model, optimiser."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from bertcore.data.batches import PairSampler
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules
from bertcore.data.text import Paragraphs, TextFormat
from bertcore.model.bert import Bert, initialise
from bertcore.tokenization import Tokenizer
from bertcore.training.evaluate import HeldOutText
from bertcore.training.loop import Materials
from bertcore.training.optimizer import make_optimizer
from bertcore.training.options import DataOptions, PretrainOptions
from bertcore.training.precision import choose_precision
from bertcore.training.run_folder import RunFolder
from bertcore.vocabularies import train_vocabulary

HEADS = {"nsp": ("mlm", "nsp"), "sop": ("mlm", "sop"), "none": ("mlm",)}  # what learns from each kind of pairs


@dataclass(frozen=True)
class PretrainingMaterials(Materials):
    samplers: dict[int, PairSampler]  # by sequence length
    held_out: HeldOutText


def prepare(options: PretrainOptions, run: Path, say: Callable[[str], None]) -> PretrainingMaterials:
    """Everything ready for the first step; `say` is told what takes time. Raises BertcoreError for an unfit text."""
    data, training = options.data, options.training
    torch.set_num_threads(training.threads or default_threads())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    files = [Path(name) for name in data.corpus]
    tokenizer = _run_tokenizer(options, files, run, say)
    corpus = load_corpus(files, tokenizer, lambda done: say(f"Reading the text: {done:.0%}."), text_format(data))
    rules = PairRules.of(tokenizer, data.pairs, data.pack)
    lengths = {data.sequence_length, *([data.long_sequence_length] if data.long_share else [])}
    held_out = HeldOutText.of(corpus, tokenizer, data.sequence_length, training.held_out_sequences, rules)
    config = replace(options.model_config(tokenizer.largest_id + 1), pad_token_id=tokenizer.pad_id)
    model = Bert(config, HEADS[data.pairs])
    initialise(model, torch.Generator().manual_seed(training.seed))
    model.to(device).train()
    precision = choose_precision(training.precision, device)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return PretrainingMaterials(
        device=device,
        precision=precision,
        tokenizer=tokenizer,
        data_key=corpus.key,
        samplers={length: PairSampler(corpus, False, length, training.seed, rules) for length in lengths},
        held_out=held_out.to(device),
        model=model,
        optimizer=make_optimizer(model, options.peak_rate, training.weight_decay),
        summary=(
            f"{options.preset}, {parameters:,} parameters, {tokenizer.vocab_size:,} tokens in the vocabulary; "
            f"{corpus.count_tokens(False):,} tokens to train on, {corpus.count_tokens(True):,} held out; "
            f"{device.type}, {torch.get_num_threads()} threads, {precision.reason}"
        ),
    )


def text_format(data: DataOptions) -> TextFormat:
    return TextFormat(data.document_per_file, data.text_field)


def default_threads() -> int:
    """All cores that this process may use but one, at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, cores - 1)


def _run_tokenizer(options: PretrainOptions, files: list[Path], run: Path, say: Callable[[str], None]) -> Tokenizer:
    """The run's vocabulary: kept in the run folder from the first moment, so that a resume has the same.

    Until there is a snapshot it may be left from a start that failed, on a text that was another then.
    """
    own = run / "tokenizer"
    if (own / "tokenizer.json").is_file() and RunFolder(run).snapshots():
        return Tokenizer.from_folder(own)
    data = options.data
    if data.tokenizer:
        tokenizer = Tokenizer.from_folder(Path(data.tokenizer))
    else:
        say("Learning a vocabulary.")
        texts = Paragraphs(files, text_format(data))
        tokenizer = train_vocabulary(data.vocabulary, texts, data.vocab_size, data.lowercase)
    tokenizer.save(own)
    return Tokenizer.from_folder(own)
