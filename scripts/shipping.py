"""What ships of a finished pretraining run: fp16 weights, a model card with measured numbers, the curves, snapshots.

Called by `make_model.py`. All figures are measured here, on the shipped (rounded) weights; what the model says to the
whole first cloze set goes to docs/cloze-NAME.md.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from model_report.markdown import cloze_table, figures
from model_report.report import Effort, ModelReport, measure_model
from safetensors.torch import load_file
from write_difference import with_mantissa

from bertcore.analysis.reference_values import write_reference
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bertcore.checkpoint.weights import write_tensors
from bertcore.data.mixture import MixtureFile
from bertcore.files import read_json_or_empty
from bertcore.locations import BUILT_IN, GERMAN, SHIPPED, TINY, assets, sample_corpus
from bertcore.runs.environment import ENVIRONMENT_FILE
from bertcore.runs.metrics_file import HELD_OUT
from bertcore.runs.run_folder import RESUME, RunFolder
from bertcore.training.model_card import MASKED
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.pretraining_batches import CAUSAL_MASKED_EVERY

DRILLS = "drills.txt"  # which assets/corpus/make_drills.py writes
CURVE_LINES = 1500
EARLY = 100  # steps in which so little is learned that one snapshot is enough
SNAPSHOT_BITS = 3  # of the mantissa: 6% of a weight at most, 0.01 of the held-out loss, half when packed
COARSE = (BUILT_IN,)  # whose snapshots are on a grid, in a byte for each weight: else they would not fit the wheel
GRID = 0.7  # its step, in standard deviations of the matrix
FINEST = 2.0**-9  # step of float8_e4m3fn around 0
OWN_TEXTS = (DRILLS, sample_corpus().name)
CARD = Path(__file__).with_name("model_card.md")
ENGLISH, GERMAN_TEXT = (  # what a card says of a model's language
    {"language": "en", "letters": "uncased English", "sentence": "The cat sat on the [MASK]."},
    {"language": "de", "letters": "cased German", "sentence": "Am Abend [MASK] der Hund."},
)
COMMANDS = {BUILT_IN: "model", TINY: "tiny", GERMAN: "german"}
SMALL = f"It ships with BERTscope beside `{BUILT_IN}`: a small one to scrub through, with the snapshots of its run."
WHAT = {
    BUILT_IN: "It is the model that opens with BERTscope.",
    GERMAN: f"It ships with BERTscope beside `{BUILT_IN}`: a toy for German sentences.",
}
SETS = [assets() / "evaluation" / name for name in ("cloze-de.jsonl", "cloze-de-second.jsonl")]
CLOZE = {GERMAN: SETS}  # in place of the English sets


@dataclass(frozen=True)
class FinishedRun:
    """A run of a recipe with a mixture, done."""

    folder: RunFolder
    options: PretrainOptions
    snapshot: Path
    step: int
    tokens: int
    minutes: float
    before: RunFolder | None = None  # the run that this one went on from, as it ships

    @classmethod
    def of(cls, folder: RunFolder, before: RunFolder | None = None) -> FinishedRun:
        """Raises ValueError where the run is not done."""
        if folder.status().state != "done":
            raise ValueError(f"the run {folder.path} is not done")
        step, snapshot = folder.snapshots()[-1]
        return cls(
            folder=folder,
            options=PretrainOptions.from_dict(folder.config()),
            snapshot=snapshot,
            step=step,
            tokens=json.loads((snapshot / "bertscope.json").read_text(encoding="utf-8"))["tokens_seen"],
            minutes=folder.status().elapsed_s / 60,
            before=before,
        )

    @property
    def parts(self) -> list[PretrainOptions]:
        """The settings of the run, after those of the one before it."""
        return [*([] if self.before is None else [PretrainOptions.from_dict(self.before.config())]), self.options]

    @property
    def totals(self) -> tuple[int, int]:
        """Steps and tokens, with those of the run before it."""
        if self.before is None:
            return self.step, self.tokens
        return self.before.status().step + self.step, _last(self.before)["tokens"] + self.tokens

    @property
    def held_out(self) -> tuple[dict[str, list[Path]], list[Path]]:
        """The held-out files of each kind, and those of them whose sentences are not connected."""
        kinds: dict[str, list[Path]] = defaultdict(list)
        unconnected = []
        for source, file in zip(self.options.data.sources.values(), self.options.data.files, strict=True):
            if source.held_out:
                kinds[source.kind].append(file)
                unconnected += [] if source.pairs else [file]
        return dict(kinds), unconnected


def ship(
    run: FinishedRun, target: Path, docs: Path, tuned: str, snapshots: int, effort: Effort, tell: Callable[[str], None]
) -> str:
    """Write checkpoint, run and cloze table of `run`'s name below `target` and `docs`; returns the model card.

    `tuned`: what fine-tuning gains, as a section of the card; `snapshots`: how many ship, 0 for none.
    """
    name = run.options.name
    checkpoint = target / "checkpoints" / name
    shutil.rmtree(checkpoint, ignore_errors=True)
    shipped = rounded(run.snapshot, checkpoint, name, totals=run.totals)
    kinds, unconnected = run.held_out
    own_sets = CLOZE.get(name, ())
    report = measure_model(shipped, kinds, unconnected=unconnected, effort=effort, tell=tell, cloze_sets=own_sets)
    card = card_of(run, shipped, report, tuned)
    (checkpoint / "README.md").write_text(card, encoding="utf-8")
    write_reference(shipped, checkpoint)
    thinned_run(run, target / "runs" / name, snapshots, corpus=("text",))
    (docs / f"cloze-{name}.md").write_text(cloze_table(report), encoding="utf-8")
    return card


def rounded(
    snapshot: Path, folder: Path, name: str, mantissa_bits: int | None = None, totals: tuple[int, int] | None = None
) -> Checkpoint:
    """The snapshot in fp16, as others will read it; with `mantissa_bits` rounded to fewer than fp16 has. `totals`: its
    steps and tokens, if not those of its run alone."""
    checkpoint = load_checkpoint(snapshot)
    if mantissa_bits is not None:
        for weights in checkpoint.model.parameters():
            weights.data = with_mantissa(weights.data, mantissa_bits)
    about = json.loads((snapshot / "bertscope.json").read_text(encoding="utf-8"))
    step, tokens = totals or (checkpoint.step, about["tokens_seen"])
    save_checkpoint(
        checkpoint.model,
        checkpoint.tokenizer,
        folder,
        name=name,
        step=step,
        tokens_seen=tokens,
        store_as=torch.float16,
    )
    return load_checkpoint(folder)


def thinned_run(
    run: FinishedRun, target: Path, snapshots: int = 0, most_lines: int = CURVE_LINES, **changes: Any
) -> Path:
    """The run with every n-th training line and so many snapshots; changes: settings in place of paths of this machine.
    If there was a run before it, both are joined: settings and snapshots are those of the first."""
    made = target.with_name(f"{target.name}.new")  # the run before may be the one that it replaces
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    config, status = run.options.with_changes(**changes).to_dict(), {**vars(run.folder.status()), "pid": None}
    log = (run.folder.path / "log.txt").read_text(encoding="utf-8")
    if run.before is None:
        lines = _thinned(run, most_lines)
        if snapshots:
            thinned_snapshots(run, snapshots, RunFolder(made))
    else:
        steps, first = run.totals[0], run.before.status()
        lines = _joined(run, run.before, most_lines)
        config = PretrainOptions.from_dict(run.before.config()).with_changes(**changes, steps=steps).to_dict()
        status |= {"step": steps, "total_steps": steps, "elapsed_s": first.elapsed_s + status["elapsed_s"]}
        joint = f"goes on from step {first.step:,} with other settings; steps are counted anew\n"
        log = (run.before.path / "log.txt").read_text(encoding="utf-8") + joint + log
        if (run.before.path / "snapshots").is_dir():
            shutil.copytree(run.before.path / "snapshots", made / "snapshots")
    _write_json(made / "config.json", config)
    _write_json(made / "status.json", status)
    (made / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (made / "log.txt").write_text(log, encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    return made.rename(target)


def _thinned(run: FinishedRun, most_lines: int) -> list[dict[str, Any]]:
    """Its metrics with at most so many lines of training."""
    lines = [line for line in run.folder.tail().read_new() if line["kind"] != "snapshot"]
    every = len(lines) // most_lines | 1  # odd: steps of two kinds may take turns
    return [line for number, line in enumerate(lines) if line["kind"] != "train" or number % every == 0]


def _joined(run: FinishedRun, before: RunFolder, most_lines: int) -> list[dict[str, Any]]:
    """The metrics of both: steps, tokens and seconds go on where the first run ended."""
    (steps, tokens), first = run.totals, before.status()
    ahead = {"step": first.step, "tokens": tokens - run.tokens, "elapsed_s": first.elapsed_s}
    later = [
        {**line, **{key: line[key] + more for key, more in ahead.items() if key in line}}
        for line in _thinned(run, max(most_lines * run.step // steps, 1))
        if line["kind"] not in ("phase", RESUME) and line.get("step", 1) > 0  # its beginning is the end of the first
    ]
    training, data = run.options.training, run.options.data
    words = f"a second recipe: learning rate {run.options.peak_rate:g}, {training.batch_size} sequences per step"
    shares = [f"{share:.0%}" for share in (data.mask_share, data.last_mask_share) if share is not None]
    joint = {
        "kind": RESUME,
        "step": first.step,
        "changed": f"{words}, {' to '.join(shares)} of the tokens masked, held-out text masked anew",
    }
    return [*before.tail().read_new(), joint, *later]


def _last(run: RunFolder) -> dict[str, Any]:
    """The last measurement."""
    return [line for line in run.tail().read_new() if line["kind"] == HELD_OUT][-1]


def thinned_snapshots(run: FinishedRun, count: int, target: RunFolder) -> None:
    """The first, and those that are nearest to even distances in log(EARLY + step)."""
    found = run.folder.snapshots()
    places = [math.log(EARLY + step) for step, _ in found]
    wanted = [places[0] + (places[-1] - places[0]) * number / (count - 1) for number in range(count)]
    for number in sorted({min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted}):
        (step, folder), name = found[number], run.options.name
        if number < len(found) - 1:
            ship_snapshot(folder, target.snapshot_path(step), name)
        elif name not in SHIPPED:  # there the last one is the checkpoint itself
            rounded(folder, target.snapshot_path(step), name)


def ship_snapshot(snapshot: Path, folder: Path, name: str) -> None:
    """With few bits for each weight, so that it packs well."""
    rounded(snapshot, folder, name, None if name in COARSE else SNAPSHOT_BITS)
    if name in COARSE:
        file = folder / "model.safetensors"
        write_tensors({key: on_grid(one) if one.dim() > 1 else one for key, one in load_file(file).items()}, file)


def on_grid(values: torch.Tensor) -> torch.Tensor:
    """A matrix in float8_e4m3fn, rounded to multiples of a power of two near GRID of its standard deviation."""
    step = max(2.0 ** round(math.log2(GRID * float(values.float().std()))), FINEST)
    return ((values.float() / step).round() * step).to(torch.float8_e4m3fn)


def _write_json(file: Path, values: dict[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


# --- the card


def card_of(run: FinishedRun, shipped: Checkpoint, report: ModelReport, tuned: str) -> str:
    config, parts = shipped.config, run.parts
    language = GERMAN_TEXT if shipped.name == GERMAN else ENGLISH
    return CARD.read_text(encoding="utf-8").format(
        name=shipped.name,
        what=WHAT.get(shipped.name, SMALL),
        **language,
        command=COMMANDS.get(shipped.name, "model"),
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        inner=config.intermediate_size,
        positions=config.max_length,
        vocab=config.vocab_size,
        parameters=shipped.parameters,
        recipes=" and ".join(f"`assets/recipes/{recipe}.json`" for recipe in recipes_of(shipped.name)[: len(parts)]),
        trained=_trained(run),
        objective=_then(_objective(part) for part in parts),
        lengths=_then(_lengths(part) for part in parts),
        optimizer=_then(f"{part.training.optimizer}, peak rate {part.peak_rate:g}" for part in parts),
        figures=figures(report),
        tuned=f"\n## What pretraining buys\n\n{tuned}" if tuned else "",
        texts=_texts(run),
        about_text=CARD.with_stem(f"model_card_{language['language']}").read_text(encoding="utf-8"),
    )


def recipes_of(name: str) -> list[str]:
    """The recipes of a model that ships, in order: the second goes on from the model of the first."""
    second = f"{name}-2"
    return [name, second] if (assets() / "recipes" / f"{second}.json").is_file() else [name]


def _then(parts: Iterable[str]) -> str:
    return "; then ".join(parts)


def _trained(run: FinishedRun) -> str:
    (steps, tokens), minutes = run.totals, f"{run.minutes:.0f} minutes on {_machine(run.folder.path)}"
    sizes = [part.training.batch_size * part.data.sequence_length for part in run.parts]
    if run.before is None:
        return f"{steps:,} steps of {sizes[0]:,} tokens, {tokens:,} tokens in all; {minutes}"
    first = steps - run.step
    return (
        f"{steps:,} steps, {first:,} of {sizes[0]:,} tokens and then {run.step:,} of {sizes[1]:,}; {tokens:,} tokens "
        f"in all; {run.before.status().elapsed_s / 60:.0f} minutes, then {minutes}"
    )


def _machine(run: Path) -> str:
    """As "2 cores of Intel(R) Xeon(R) Processor, bf16"."""
    starts = read_json_or_empty(run / ENVIRONMENT_FILE).get("starts") or [{}]
    last = starts[-1]
    device, threads = last.get("device", "cpu"), last.get("threads", 1)
    cores = "one core" if threads == 1 else f"{threads} cores"
    where = f"{cores} of {last.get('processor', 'a processor')}" if device == "cpu" else device
    return where if len(starts) == 1 else f"{where}, in {len(starts)} parts"


def _objective(options: PretrainOptions) -> str:
    share, data = options.training.causal_share, options.data
    last = "" if data.last_mask_share is None else f", changing evenly to {data.last_mask_share:.0%},"
    masked = f"{data.mask_share:.0%}{last} of the tokens masked, chosen as {MASKED[data.masking]}"
    if not share:
        return f"masked words and next sentence; {masked}"
    return (
        f"the first {share:.0%} of the steps predict the next word (causal warm-up; one step in {CAUSAL_MASKED_EVERY} "
        f"masks words), the others masked words and next sentence; {masked}"
    )


def _lengths(options: PretrainOptions) -> str:
    """Tokens of a sequence: "128; 32 in 60% of the steps; 512 in every 4th step of the last 35%"."""
    data = options.data
    parts = [f"{data.sequence_length} tokens"]
    if data.short_share:
        parts.append(f"{data.short_sequence_length} in {data.short_share:.0%} of the steps")
    if data.long_share and data.long_sequence_length > data.sequence_length:
        when = "" if data.long_share == 1 else f" of the last {data.long_share:.0%}"
        every = "every step" if data.long_every == 1 else f"one step in {data.long_every}"
        parts.append(f"{data.long_sequence_length} in {every}{when}")
    return "; ".join(parts)


def _texts(run: FinishedRun) -> str:
    """A table of the mixture: what each file is, how much of the training came from it, how to know it again."""
    data = run.options.data
    rows = [("file", "kind", "share of the sequences", "bytes", "SHA-256"), ("---",) * 5]
    for (name, source), file in zip(data.sources.items(), data.files, strict=True):
        share = "held out" if source.held_out else _then(_share(name, part) for part in run.parts) + _single(source)
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        rows.append((f"`{name}`", source.kind, share, f"{file.stat().st_size:,}", f"`{digest}`"))
    own = [f"`{name}`" for name in data.sources if name in OWN_TEXTS]
    ours = f"\n\nOur own, made by scripts in `assets/corpus`: {', '.join(own)}." if own else ""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + ours


def _share(name: str, options: PretrainOptions) -> str:
    weights = {each: source.weight for each, source in options.data.sources.items() if not source.held_out}
    return f"{weights[name] / sum(weights.values()):.1%}" if name in weights else "none"


def _single(source: MixtureFile) -> str:
    return "" if source.pairs else " (no pairs)"
