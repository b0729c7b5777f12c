"""What a pretraining run works with: vocabulary, text, model, optimiser."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from bertcore.data.batches import PairSampler
from bertcore.data.corpus import Corpus, load_corpus, open_corpus
from bertcore.data.pairs import PairRules
from bertcore.data.text import Paragraphs
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.resolve import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import Team
from bertcore.training.evaluate import HeldOutText
from bertcore.training.optimizer import make_optimizer
from bertcore.training.options import PretrainOptions, TrainingOptions
from bertcore.training.precision import Precision, choose_precision
from bertcore.training.sharding import shard
from bertcore.training.work import Materials

HEADS_OF_PAIRS = {"nsp": ("mlm", "nsp"), "sop": ("mlm", "sop"), "none": ("mlm",)}  # what learns from each kind of pairs


@dataclass(frozen=True)
class PretrainingMaterials(Materials):
    samplers: dict[int, PairSampler]  # by sequence length
    held_out: HeldOutText


def prepare(options: PretrainOptions, run: Path, say: Callable[[str], None], team: Team) -> PretrainingMaterials:
    """Everything ready for the first step; `say` is told what takes time. Raises BertcoreError for an unfit text."""
    data, training, device = options.data, options.training, team.device
    torch.set_num_threads(training.threads or default_threads(team.local_size))
    tokenizer, corpus = _read_text(options, run, say, team)
    rules = PairRules.of(tokenizer, data.pairs, data.pack, data.cut_long_sentences)
    lengths = {
        data.sequence_length,
        *([data.long_sequence_length] if data.long_share else []),
        *([data.short_sequence_length] if data.short_share else []),
    }
    held_out = HeldOutText.of(corpus, tokenizer, data.sequence_length, training.held_out_sequences, rules)
    config = replace(options.model_config(tokenizer.largest_id + 1), pad_token_id=tokenizer.pad_id)
    model = Bert(config, HEADS_OF_PAIRS[data.pairs], generator=torch.Generator().manual_seed(training.seed))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    _refuse_unfit(training, device)
    model.train()
    if training.shard and team.size > 1:
        shard(model, device, team.size)
    else:
        model.to(device)
    if training.compile:
        model.compile()
    precision = same_precision(training.precision, device, team)
    return PretrainingMaterials(
        device=device,
        precision=precision,
        tokenizer=tokenizer,
        data_key=corpus.key,
        samplers={length: PairSampler(corpus, False, length, training.seed, rules) for length in lengths},
        held_out=held_out.to(device),
        model=model,
        optimizer=make_optimizer(model, options.peak_rate, training.weight_decay, kind=training.optimizer),
        summary=(
            f"{config.num_hidden_layers} x {config.hidden_size}, {parameters:,} parameters, "
            f"{tokenizer.vocab_size:,} tokens in the vocabulary; "
            f"{corpus.count_tokens(False):,} tokens to train on, {corpus.count_tokens(True):,} held out; "
            f"{team.devices}, {torch.get_num_threads()} threads, {precision.reason}"
        ),
    )


def same_precision(wanted: str, device: torch.device, team: Team) -> Precision:
    """What a probe says in process 0, for all."""
    if team.is_first:
        precision = choose_precision(wanted, device)
        team.once(lambda: precision.name)
        return precision
    return choose_precision(team.once(lambda: wanted), device)


def _read_text(options: PretrainOptions, run: Path, say: Callable[[str], None], team: Team) -> tuple[Tokenizer, Corpus]:
    """Vocabulary and tokenised text. Process 0 makes them, however long it takes; the others open what it made."""
    files, form = [Path(name) for name in options.data.corpus], options.data.text_format

    def made() -> str:
        tokenizer = _run_tokenizer(options, files, run, say)
        return load_corpus(files, tokenizer, lambda done: say(f"Reading the text: {done:.0%}."), form).key

    key = team.once(made)
    return Tokenizer.from_folder(run / "tokenizer"), open_corpus(key)


def _refuse_unfit(training: TrainingOptions, device: torch.device) -> None:
    """Ways to compute that do not go together."""
    if training.shard and training.optimizer == "muon":
        raise BertcoreError("Muon needs whole matrices; leave out --shard, or choose the optimizer adamw.")
    if training.compile and device.type != "cuda":
        raise BertcoreError("Compiling the model pays on GPUs only, and there is none; leave out --compile.")
    if training.compile and training.shard:
        raise BertcoreError("A divided model is not compiled; leave out --compile or --shard.")


def default_threads(processes: int = 1) -> int:
    """All cores that this process may use but one, divided among so many processes; at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, (cores - 1) // processes)


def _run_tokenizer(options: PretrainOptions, files: list[Path], run: Path, say: Callable[[str], None]) -> Tokenizer:
    """The run's vocabulary: kept in the run folder from the first moment, so that a resume has the same.

    Until there is a snapshot it may be left from a start that failed, on a text that was another then.
    """
    own = run / "tokenizer"
    if (own / "tokenizer.json").is_file() and RunFolder(run).snapshots():
        return Tokenizer.from_folder(own)
    data = options.data
    if data.tokenizer:
        tokenizer = Tokenizer.from_folder(resolve_model(data.tokenizer))
    else:
        say("Learning a vocabulary.")
        texts = Paragraphs(files, data.text_format)
        tokenizer = Tokenizer.train(texts, data.vocab_size, data.lowercase, kind=data.vocabulary)
    tokenizer.save(own)
    return Tokenizer.from_folder(own)
