"""Pretraining from text: what a step predicts, and what a run of it needs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, without_spare_rows
from bertcore.data.batches import Batch, in_parts
from bertcore.data.cloze import read_cloze
from bertcore.data.corpus import load_corpus, open_corpus, refuse_too_little
from bertcore.data.pairs import PairRules
from bertcore.data.text import Documents, Paragraphs
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.model.bert import Bert
from bertcore.resolve_model import resolve_model, snapshot_errors
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import keep_source
from bertcore.runs.sources import note_sources, refuse_changed, tokenised_keys
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.compute import Compute, choose_compute
from bertcore.training.evaluate import EVALUATION_FILE, HeldOutText, best_and_worst
from bertcore.training.first_batch import pretraining_page
from bertcore.training.head_activity import SEQUENCES, head_activity
from bertcore.training.model_card import write_pretraining_card
from bertcore.training.objective import Losses, Numbers, compiled_losses, pretraining_loss, step_metrics
from bertcore.training.optimizer import make_optimizer, warmup_stable_decay
from bertcore.training.pretrain_options import HEADS_OF_PAIRS, DataOptions, PretrainOptions
from bertcore.training.pretraining_batches import (
    CAUSAL,
    CAUSAL_MASKED_EVERY,
    LONGER,
    MASKED,
    PretrainingBatches,
    TrainingText,
)
from bertcore.training.questions import Questions, keep_questions, questions_of
from bertcore.training.trainable import PlannedBatches, Position, RunEnd, StepPlan, StepResult, Trainable

NO_TEXT = "There is nothing to train on; give one or more text files with --corpus."


def refuse_text(data: DataOptions) -> None:
    """Raises BertcoreError for no file, for an empty one, and for too little text."""
    if not data.corpus:
        raise BertcoreError(NO_TEXT)
    files = data.files if data.mixture else [Path(name) for name in data.corpus]
    for file in files:
        if next(iter(Documents([file], data.text_format)), None) is None:
            raise BertcoreError(f"The text file {file} is empty; give a file with some text in it.")
    for together in [[file] for file in files] if data.mixture else [files]:
        refuse_too_little(together, data.text_format, with_pairs=data.pairs != "none" and not data.mixture)


class Pretraining(Trainable):
    """Masked words and sentence pairs, after a while of next words."""

    options: PretrainOptions
    compute: Compute
    text: TrainingText
    batches: PretrainingBatches
    held_out: HeldOutText
    questions: Questions | None
    planned: PlannedBatches[Batch]
    _loss: Callable[..., Losses]  # of a batch, over all processes
    _has_long = False  # the last part, of longer sequences, has begun

    @staticmethod
    def refuse(options: PretrainOptions) -> None:
        """Reads the first documents of the text, and the questions."""
        refuse_text(options.data)
        if options.data.questions is not None:
            read_cloze(Path(options.data.questions))

    # --- before the first step

    def prepare(self, run: Path, report: Callable[[str], None]) -> None:
        self.run = run
        if self.group.is_first:
            keep_source(self.options.start)
            self._note_sources(run)
            if self.options.data.questions is not None:
                keep_questions(Path(self.options.data.questions), run)
        self._set_up(run, report)
        batches = self.batches
        self.group.check_batch_size(min(map(batches.sequences, batches.samplers)))
        if self.options.start is not None and not RunFolder(run).snapshots():
            with snapshot_errors(Path(self.options.start)):
                copy_weights(load_checkpoint(Path(self.options.start)).model, self.model)
        loss: Callable[..., Losses] = pretraining_loss
        if self.compute.compiled:
            loss = partial(pretraining_loss, losses=compiled_losses())
        self._loss = self.group.parallel(self.model, loss)
        self.planned = PlannedBatches(batches.plan, batches.make, self.budget, batches.position, self.compute.workers)

    def _note_sources(self, run: Path, exact: Sequence[Path] = ()) -> None:
        """`exact`: files that the data's key does not cover."""
        if tokenised_keys(run):
            return
        files = self.options.data.files
        note_sources(run, files, exact)
        refuse_changed(run, files, exact)

    def _set_up(self, run: Path, report: Callable[[str], None]) -> None:
        options, group, device = self.options, self.group, self.device
        data, training = options.data, options.training
        self.tokenizer, self.text = tokenizer, text = self._read_text(run, report)
        self.data_key = text.key
        rules = PairRules.of(tokenizer, data.pairs, data.pack, data.exact_shares)
        samplers = {length: text.sampler(length, training.seed, rules) for length in data.lengths}
        options = self.options = options.in_steps(samplers[data.sequence_length].windows_per_epoch)
        training, self.budget = options.training, options.budget
        self.batches = PretrainingBatches(options, samplers, tokenizer, group)
        self.held_out = text.held_out(tokenizer, data.sequence_length, training.held_out_sequences, rules).to(device)
        config = replace(options.model_config(tokenizer.largest_id + 1), pad_token_id=tokenizer.pad_id)
        self.model = Bert(config, HEADS_OF_PAIRS[data.pairs], generator=torch.Generator().manual_seed(training.seed))
        self.model.train().to(device)
        self.compute = choose_compute(training, config, training.batch_size * data.sequence_length, group)
        self.precision, self.choices = self.compute.precision, self.compute.facts()
        kind, products = training.optimizer, self.precision.products
        self.optimizer = make_optimizer(
            self.model, options.peak_rate, training.weight_decay, kind=kind, products=products
        )
        questions = questions_of(run, tokenizer, config.max_length)
        self.questions = None if questions is None else questions.to(device)
        parameters = sum(parameter.numel() for parameter in self.model.parameters())
        self.summary = (
            f"{config.num_hidden_layers} x {config.hidden_size}, {parameters:,} parameters, "
            f"{tokenizer.vocab_size:,} tokens in the vocabulary; "
            f"{text.count_tokens(False):,} tokens to train on, {text.count_tokens(True):,} held out; "
            f"{group.devices}, {self.compute}"
        )

    def _read_text(self, run: Path, report: Callable[[str], None]) -> tuple[Tokenizer, TrainingText]:
        """Vocabulary and tokenised text. Process 0 makes them, however long it takes; the others open the result."""
        data = self.options.data
        sources = data.sources

        def make() -> list[str]:
            groups = [[file] for file in data.files] if sources else [[Path(name) for name in data.corpus]]
            tokenizer = self._make_tokenizer(run, report)
            return [load_corpus(files, tokenizer, partial(tell, files), data.text_format).key for files in groups]

        def tell(files: list[Path], done: float) -> None:
            name = f"the text {files[0].name}" if sources else "the text"
            report(f"Reading {name}: {done:.0%}.")

        keys = tokenised_keys(run) or self.group.broadcast(make)
        text = TrainingText([open_corpus(key) for key in keys], list(sources.values()))
        return Tokenizer.from_folder(run / "tokenizer"), text

    def _make_tokenizer(self, run: Path, report: Callable[[str], None]) -> Tokenizer:
        """The run's vocabulary: kept in the run folder from the first moment, so that a resume has the same.

        Until there is a snapshot it may be left from a start that failed, on a text that was another then.
        """
        own = run / "tokenizer"
        has_begun = bool(RunFolder(run).snapshots())
        if (own / "tokenizer.json").is_file() and has_begun:
            return Tokenizer.from_folder(own)
        data = self.options.data
        if data.tokenizer:
            tokenizer = Tokenizer.from_folder(resolve_model(data.tokenizer, download=not has_begun))
        else:
            report("Learning a vocabulary.")
            texts = Paragraphs(data.vocabulary_files, data.text_format)
            tokenizer = Tokenizer.train(texts, data.vocab_size, data.lowercase, kind=data.vocabulary)
        tokenizer.save(own)
        return Tokenizer.from_folder(own)

    # --- a step

    def learning_rate(self, fraction: float) -> float:
        options = self.options
        return warmup_stable_decay(fraction, options.peak_rate, options.training.warm_up_share, options.fall_share)

    def sort_of(self, step: int, fraction: float) -> tuple[int, bool]:
        return self.batches.kind(step, fraction)

    def begin_step(self, plan: StepPlan) -> None:
        if LONGER in plan.phases and not self._has_long:
            self._has_long = True
            if self.options.repeats_positions:
                repeat_positions(self.model, self.options.data.sequence_length)

    def forward_backward(self, plan: StepPlan, batch: Batch) -> StepResult:
        compute, training = self.compute, self.options.training
        words, pairs, tokens = map(int, self.group.all_reduce(batch.words, batch.pairs, batch.real_tokens))
        losses: list[torch.Tensor] = []
        metrics: list[Numbers] = []
        for part in in_parts(batch, compute.parts):
            if compute.compiled:  # each other shape would be compiled anew
                part = part.in_fixed_shape(max(self.options.data.mask_share, self.options.data.last_mask_share or 0.0))
            part = part.to(self.device)
            with self.precision.autocast(self.device):
                loss = self._loss(part, training.next_sentence_weight, (words, pairs))  # this part's share
            (loss.total * self.group.size).backward()  # gradients are averaged over the processes
            losses.append(loss.total.detach())
            if plan.is_logged:
                metrics.append(step_metrics(loss, part, (words, pairs)))
            del loss  # with its logits, before the next part makes its own
        return StepResult(tokens, torch.stack(losses).sum(), self._sum_metrics(metrics, pairs) if metrics else None)

    def batch_loss(self, batch: Batch) -> float:
        """Not compiled, which would take longer than it saves: only slow motion asks for it."""
        weight = self.options.training.next_sentence_weight
        words, pairs = map(int, self.group.all_reduce(batch.words, batch.pairs))
        parts = (part.to(self.device) for part in in_parts(batch, self.compute.parts))
        losses = [float(pretraining_loss(self.model, part, weight, (words, pairs)).total) for part in parts]
        (whole,) = self.group.all_reduce(sum(losses))
        return whole

    def page(self, batch: Batch, most: int | None) -> dict[str, Any]:
        return pretraining_page(batch, self.tokenizer, most)

    def _sum_metrics(self, parts: list[Numbers], pairs: int) -> Numbers:
        """The metrics of all parts and all processes together, from the share of each; `pairs` of all of them."""
        names = list(parts[0])
        sums = self.group.all_reduce(*(sum(part[name] or 0.0 for part in parts) for name in names))
        known = {name for name in names if any(part[name] is not None for part in parts)}
        if pairs:  # labelled pairs, though perhaps none of them here
            known |= {f"{head}_accuracy" for head in ("nsp", "sop") if f"{head}_loss" in known}
        return {name: value if name in known else None for name, value in zip(names, sums, strict=True)}

    def phase_in_words(self, phase: str) -> str:
        data = self.options.data
        which = "" if data.long_every == 1 else f" in one step of {data.long_every}"
        return {
            CAUSAL: "Causal warm-up: tokens see only those before them and predict the next; "
            f"1 step in {CAUSAL_MASKED_EVERY} masks words.",
            MASKED: "Masked words: tokens see the whole text, and the masked words are predicted.",
            LONGER: f"Longer sequences from here on: {data.long_sequence_length} tokens{which}.",
        }[phase]

    # --- between steps

    def measure(self, fraction: float) -> dict[str, Any]:
        """The last one in fp32 whatever the steps are computed in, as `bertcore evaluate` measures."""
        with nullcontext() if fraction >= 1.0 else self.precision.autocast(self.device):
            numbers = self.held_out.measure(self.model)
            if self.questions is not None:
                numbers["questions"] = self.questions.answer(self.model)
            batch = self.held_out.batches[0]
            mask = None if batch.attention_mask is None else batch.attention_mask[:SEQUENCES]
            ids, segments = batch.input_ids[:SEQUENCES], batch.segment_ids[:SEQUENCES]
            numbers["heads"] = head_activity(self.model, ids, segments, mask)
        return numbers

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        return bool(now["loss"] < best["loss"])

    def restore_data_position(self, position: Position) -> None:
        self.batches.restore(position)
        self.planned.position = position
        self._has_long = self.batches.has_long(position)

    # --- after the last step

    def finish(self, folder: RunFolder, end: RunEnd) -> Mapping[str, Any] | None:
        """The best and worst held-out sequences, and the model card of the snapshot that the run ends with."""
        held_out = write_pretraining_card(self, folder, end)
        write_json(folder.path / EVALUATION_FILE, {"held_out": held_out, **self._examples()})
        return end.held_out

    def _examples(self) -> dict[str, Any]:
        best, worst = best_and_worst(self.model, self.held_out.batches, self.tokenizer)
        return {"best": best, "worst": worst}


def copy_weights(source: Bert, model: Bert) -> None:
    """Copy all weights that both have; heads that only one has are left as they are."""
    own = model.state_dict()
    source = without_spare_rows(source, model.config.vocab_size)
    weights = {name: value for name, value in source.state_dict().items() if name in own}
    model.load_state_dict(weights, strict=False)


@torch.no_grad()
def repeat_positions(model: Bert, trained: int) -> None:
    """Positions from `trained` on get the vectors of positions 1 to `trained` - 1, in turn; 0, [CLS], is left out.

    Left random, the few steps of the last part at a falling rate teach them next to nothing (docs/model.md). Beltagy
    et al. 2020, "Longformer", section 5, start longer models in the same way. Sine waves are left as they are.
    """
    embeddings = model.embeddings
    table = embeddings.position.weight
    if not isinstance(table, torch.nn.Parameter) or not 2 <= trained < model.config.max_length:
        return
    later = torch.arange(trained, model.config.max_length)
    table[embeddings.position_offset + later] = table[embeddings.position_offset + 1 + (later - 1) % (trained - 1)]
