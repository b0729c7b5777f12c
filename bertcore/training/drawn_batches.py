"""Any step's batch of a pretraining run, drawn again: it follows from the seed, the step and the text alone.

    batches = open_batches(run)
    drawn = batches.at(250)         ids, what stood there, the fate of each token, pairs and their documents

Nothing of it is stored. To get to a step its windows are counted, not made; see `PairSampler.skip`.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.checkpoint.config_file import read_config
from bertcore.data.batches import Batch
from bertcore.data.corpus import Corpus, load_corpus, open_corpus
from bertcore.data.mixed_sampler import BETWEEN, MixedSampler, PlacedText
from bertcore.data.pairs import NO_LABEL, PairRules, PairSampler
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.model.bert import Bert
from bertcore.progress import ReportProgress
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import RunMetrics
from bertcore.runs.sources import changed_since, refuse_changed, tokenised_keys
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distil_options import DistilOptions
from bertcore.training.distributed import ProcessGroup
from bertcore.training.pretrain import repeat_positions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.pretraining_batches import MASKED, PretrainingBatches, TrainingText
from bertcore.training.redrawing import Drawn, check_first_batch, newest_snapshot, refuse_step, training_states
from bertcore.training.run_settings import options_of

LEFT_ALONE, HIDDEN, REPLACED, KEPT, NEXT_WORD = range(5)  # fates of a token
FATES = ("", "hidden", "replaced", "kept", "next_word")
_MIXED_AT_ONCE = 20_000  # windows of a mixture, which are counted one by one, between two reports of progress


@dataclass(frozen=True, eq=False)
class DrawnBatch(Drawn):
    """B sequences of S tokens as the model read them, and what they were made from.

    `fates` (B,S): LEFT_ALONE is not predicted; HIDDEN, REPLACED and KEPT are, and are
    seen as [MASK], as another token and as they are; NEXT_WORD predicts the token after it. `labels` (B,S): the token
    to predict, NO_LABEL where there is none. `originals` (B,S): ids before masking. `documents` and `sources` (B,S):
    which document of which text a token is from, both from 0, BETWEEN at special tokens and padding.
    """

    batch: Batch
    originals: NDArray[np.int64]
    labels: NDArray[np.int64]
    fates: NDArray[np.int64]
    documents: NDArray[np.int64]
    sources: NDArray[np.int64]

    @property
    def causal(self) -> bool:
        return self.batch.causal

    @property
    def pair_labels(self) -> NDArray[np.int64]:
        """(B): 0 B follows A (or both are in order), 1 it does not (or they are swapped), NO_LABEL for one part."""
        return self.batch.next_sentence.numpy()


def counted(drawn: DrawnBatch) -> Counter[str]:
    """What was drawn, in numbers, which add up over batches: tokens that may be chosen ("ordinary"), those of them that
    were ("chosen"), and of these "hidden", "replaced", "kept"; "pairs", and those with the label 0 (next, in order),
    "first". Nothing of a batch that predicts next words."""
    if drawn.causal:
        return Counter()
    fates = dict(zip(FATES[HIDDEN:NEXT_WORD], np.bincount(drawn.fates.ravel(), minlength=len(FATES))[1:], strict=False))
    labels = np.bincount(drawn.pair_labels[drawn.pair_labels >= 0], minlength=2)
    numbers = {"ordinary": (drawn.documents != BETWEEN).sum(), "pairs": labels.sum(), "first": labels[0], **fates}
    return Counter({"batches": 1, "chosen": int(sum(fates.values())), **{k: int(n) for k, n in numbers.items()}})


class RunBatches:
    """The batches of one run. It remembers the positions in the text that it has been at."""

    def __init__(
        self,
        run: RunFolder,
        options: PretrainOptions,
        tokenizer: Tokenizer,
        samplers: Mapping[int, PairSampler | MixedSampler],
        text: PlacedText,
    ) -> None:
        """`samplers` were made of the places of the text."""
        self.run, self.options, self.tokenizer, self._text = run, options, tokenizer, text
        self._batches = PretrainingBatches(options, samplers, tokenizer, ProcessGroup(), text.look_up)
        self._read_phases()
        self._positions = {0: self._batches.position()}  # after so many steps

    def at(self, step: int, progress: ReportProgress = lambda share: None) -> DrawnBatch:
        """The batch of a step, counted from 1. Raises BertcoreError for one that the run has not taken yet."""
        if step > self._last_step():
            self._read_phases()  # it may have gone on
        refuse_step(step, self._last_step())
        self._go_to(step - 1, progress)
        plan = self._batches.plan(step, self._fraction(step))
        self._positions[step] = self._batches.position()
        self._text.origins.clear()
        return self._described(step, self._batches.make(plan))

    def check(self, progress: ReportProgress = lambda share: None) -> None:
        """Raises BertcoreError where the run kept something of its batches that differs from what is drawn here."""
        check_first_batch(self.run, self.at)
        if self.options.data.mixture:  # it would take as long as the way to the last step
            return
        last = self._last_step()
        for state in training_states(self.run):
            if state.step > last:
                continue
            self._go_to(state.step, progress)
            if self._batches.position() != state.samplers:
                raise BertcoreError(
                    "The batches of this run cannot be drawn again: it did not read its text as its settings say, "
                    "for example because it was continued with another budget."
                )

    def model_at(self, snapshot: tuple[int, Path], drawn: DrawnBatch) -> Bert:
        """A snapshot's model, as it would have met the batch: later positions begin as copies of trained ones."""
        step, folder = snapshot
        model = load_checkpoint(folder).model
        data, first_long = self.options.data, self._longer_from
        is_new = first_long is not None and step < first_long and drawn.ids.shape[1] > data.sequence_length
        if is_new and self.options.repeats_positions:
            repeat_positions(model, data.sequence_length)
        return model

    # --- inside

    def _last_step(self) -> int:
        """Not every step is logged, nor does every one change the status."""
        return max(self._last_line, self.run.status().step)

    def _read_phases(self) -> None:
        """When the run began what, by its own record: with a budget in minutes the clock decides, and a resume may
        change the budget."""
        metrics = RunMetrics()
        metrics.append(self.run.tail().read_new())
        self._last_line = int(metrics.latest("train", "step") or 0)
        if not self._last_line:
            raise BertcoreError("The run has not taken a step yet; its first batch can be seen after that.")
        if not metrics.phases:
            raise BertcoreError(
                f"The batches of {self.run.path} cannot be drawn again: its metrics do not say when it began to mask "
                "words."
            )
        masked = next((step for step, phase in metrics.phases if phase == MASKED), math.inf)
        causal = metrics.series["loss_next_word"].arrays[0]
        # earlier versions noted it by the share at the step, not by that of its batch
        self._masked_from = max(masked, causal[-1] + 1 if len(causal) else 0)
        self._longer_from = metrics.longer_step

    def _fraction(self, step: int) -> float:
        """A share of the budget from which the step's batch follows as from the true one."""
        causal_share, long_share = self.options.training.causal_share, self.options.data.long_share
        is_long = self._longer_from is not None and step >= self._longer_from
        return max(causal_share if step >= self._masked_from else 0.0, 1.0 - long_share if is_long else 0.0)

    def _go_to(self, done: int, progress: ReportProgress) -> None:
        """Where the run was in its text after so many steps."""
        known = sorted(self._positions)
        start = known[bisect_right(known, done) - 1]
        self._batches.restore(self._positions[start])
        windows = dict.fromkeys(self._batches.samplers, 0)
        for step in range(start + 1, done + 1):
            if step % 1000 == 0:
                progress((step - start) / (done - start + 1))
            kind, _ = self._batches.kind(step, self._fraction(step))
            windows[kind] += self._batches.sequences(kind)
        at_once = _MIXED_AT_ONCE if self.options.data.mixture else max(1, *windows.values())
        for length, count in windows.items():
            for skipped in range(0, count, at_once):
                progress(skipped / count)
                self._batches.samplers[length].skip(min(at_once, count - skipped))
        self._positions[done] = self._batches.position()

    def _described(self, step: int, batch: Batch) -> DrawnBatch:
        ids, labels = batch.input_ids.numpy(), np.full(batch.input_ids.shape, NO_LABEL, dtype=np.int64)
        rows = batch.rows.numpy()
        labels.reshape(-1)[rows] = batch.labels.numpy()
        chosen = labels != NO_LABEL
        originals, fates = ids.copy(), np.full(ids.shape, LEFT_ALONE, dtype=np.int64)
        if batch.causal:
            fates[chosen] = NEXT_WORD
        else:
            originals[chosen] = labels[chosen]
            fates[chosen] = REPLACED
            fates[chosen & (ids == labels)] = KEPT
            fates[chosen & (ids == self.tokenizer.mask_id)] = HIDDEN
        places, is_padding = np.full(ids.shape, BETWEEN, dtype=np.int64), np.ones(ids.shape, dtype=bool)
        for row, pair in enumerate(self._text.origins):
            b = pair.b.tolist() if len(pair.b) else None
            framed = self.tokenizer.framing.template(b).around(BETWEEN, pair.a.tolist(), b or [])
            places[row, : len(framed)] = framed
            is_padding[row, : len(framed)] = False
        documents, sources = self._text.documents(places), self._text.sources(places)
        return DrawnBatch(step, is_padding, batch, originals, labels, fates, documents, sources)


def open_batches(run: str | Path, progress: ReportProgress = lambda share: None) -> RunBatches:
    """The batches of a pretraining run or a distillation; those of a fine-tuning run: `drawn_examples.open_examples`.

    Raises BertcoreError where they cannot be drawn again.
    """
    folder = RunFolder(Path(run))
    options = _options_of(folder)
    data = options.data
    files = _shipped(data.corpus) if folder.path.resolve().parent == (assets() / "runs").resolve() else None
    own = folder.path / "tokenizer"  # a run that ships has it in its snapshots alone
    tokenizer = Tokenizer.from_folder(own if (own / "tokenizer.json").is_file() else newest_snapshot(folder))
    corpora = _corpora_of(folder, options, tokenizer, files, progress)
    rules = replace(PairRules.of(tokenizer, data.pairs, data.pack, data.exact_shares), separator=BETWEEN)
    placed = PlacedText(corpora, tokenizer.sep_id)
    text = TrainingText(placed.placed, list(data.sources.values()))
    samplers = {length: text.sampler(length, options.training.seed, rules) for length in data.lengths}
    batches = RunBatches(folder, options, tokenizer, samplers, placed)
    batches.check(progress)
    return batches


def _options_of(folder: RunFolder) -> PretrainOptions:
    options = options_of(folder.config())
    if isinstance(options, DistilOptions):
        return replace(options, layers=None).as_pretraining(read_config(newest_snapshot(folder)))
    if not isinstance(options, PretrainOptions):
        raise BertcoreError(f"The run {folder.path} was fine-tuned, so its batches are examples and not plain text.")
    return options


def _corpora_of(
    folder: RunFolder,
    options: PretrainOptions,
    tokenizer: Tokenizer,
    files: list[Path] | None,
    progress: ReportProgress,
) -> list[Corpus]:
    """As the run tokenised them, from the cache; else from its files, which must not have changed.

    `files`: what to read instead of those that its settings name.
    """
    data, run = options.data, folder.path
    states = training_states(folder)
    key = states[-1].corpus_key if states else None
    keys = tokenised_keys(run) or ([key] if key is not None and not data.mixture else [])
    if keys:
        try:
            return [open_corpus(key) for key in keys]
        except BertcoreError:
            if tokenised_keys(run):
                raise
    files = data.files if files is None else files
    refuse_changed(run, files)
    groups = [[file] for file in files] if data.mixture else [files]
    corpora = [load_corpus(group, tokenizer, progress, data.text_format) for group in groups]
    now = TrainingText(corpora, list(data.sources.values())).key
    if key is not None and now != key:
        raise changed_since(run)
    return corpora


def _shipped(names: tuple[str, ...]) -> list[Path]:
    """The texts of a run that ships, whose config has their names alone."""
    files = [assets() / "corpus" / Path(name).name for name in names]
    if not files or not all(file.is_file() for file in files):
        raise BertcoreError("The text that this model learned from does not ship with BERTscope; it is too large.")
    return files
