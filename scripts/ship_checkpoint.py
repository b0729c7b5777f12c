"""Make the newest snapshot of a run a checkpoint that ships: fp16 weights, and a model card with measured numbers.

    python scripts/ship_checkpoint.py bertscope-mini RUN                    # a run of one piece
    python scripts/ship_checkpoint.py bertscope-mini FIRST SECOND           # SECOND began with a snapshot of FIRST
    python scripts/ship_checkpoint.py bertscope-tiny RUN --snapshots 10     # and snapshots for the time machine

The curve goes with it, thinned, so that the Train room shows how the model was trained, and the recipe of each piece.
All figures are measured here, on the shipped (rounded) weights, as `bertcore evaluate --all` does; what the model says
to the whole cloze set goes to docs/cloze-NAME.md.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from bertcore.analysis.reference_values import write_reference
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.evaluation.markdown import cloze_table, figures
from bertcore.evaluation.report import ModelReport, measure_model_on_files
from bertcore.locations import BUILT_IN, SHIPPED, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.model_card import MASKED
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.pretraining_batches import CAUSAL_MASKED_EVERY

CURVE_LINES = 1500
EARLY = 100  # steps in which so little is learned that one snapshot is enough
SOURCES = {
    "books.txt.xz": "parts of some 1,000 English books, mostly stories and novels of 1850-1925, from the collection "
    "rcdm-uga/Gutenberg_Text; public domain in the USA",
    "encyclopedia.txt.xz": "English Wikipedia articles (2018), from Vibhas-hs-edu/WikiTasks; CC BY-SA",
    "simple-encyclopedia.txt.xz": "Simple English Wikipedia articles (2016), from valeriechizhang/MiniGoogle; CC BY-SA",
}
DOCS = Path(__file__).parents[1] / "docs"
CARD = Path(__file__).with_name("model_card.md")
WHAT = {
    True: "It is the model that opens with BERTscope.",
    False: f"It ships with BERTscope beside `{BUILT_IN}`: a small one to scrub through, with the snapshots of its run.",
}


@dataclass(frozen=True)
class Piece:
    """A run, or the part of it that the next one went on from."""

    run: RunFolder
    options: PretrainOptions
    snapshot: Path
    step: int
    tokens: int
    minutes: float

    @property
    def spent(self) -> float:
        """Share of its budget."""
        steps, seconds = self.options.budget
        return self.step / steps if steps else 60 * self.minutes / (seconds or math.inf)

    @property
    def has_long_part(self) -> bool:
        data = self.options.data
        is_longer = data.long_share > 0 and data.long_sequence_length > data.sequence_length
        return is_longer and self.spent > 1 - data.long_share


def main(
    name: Annotated[str, typer.Argument(help=f"What ships: {', '.join(SHIPPED)}.")],
    runs: Annotated[list[Path], typer.Argument(help="A pretraining run, or several that went on from each other.")],
    machine: Annotated[str, typer.Option(help="What it was trained on, for the card.")] = "two CPU cores",
    tuned: Annotated[Path | None, typer.Option(help="What what_pretraining_buys.py printed, for the card.")] = None,
    snapshots: Annotated[int, typer.Option(help="Snapshots that ship with the run, evenly in log(step).")] = 0,
) -> None:
    if name not in SHIPPED:
        raise typer.BadParameter(f"{name} is none of {', '.join(SHIPPED)}")
    if snapshots == 1:
        raise typer.BadParameter("one snapshot is no run to wind back; give none, or two and more")
    pieces = _pieces([RunFolder(run.resolve()) for run in runs])
    step, tokens = sum(piece.step for piece in pieces), sum(piece.tokens for piece in pieces)
    with tempfile.TemporaryDirectory() as temporary:
        aside = Path(temporary) / name
        shipped = _rounded(pieces[-1].snapshot, aside, name, step, tokens)
        data = pieces[-1].options.data
        files = [Path(file) for file in data.corpus]
        report = measure_model_on_files(shipped, files, form=data.text_format, tell=typer.echo)
        gained = tuned.read_text(encoding="utf-8") if tuned else ""
        (aside / "README.md").write_text(_card(shipped, pieces, report, machine, gained), encoding="utf-8")
        write_reference(shipped, aside)
        curve = _thinned_run(name, pieces, Path(temporary) / "run")
        if snapshots:
            _thinned_snapshots(name, pieces, snapshots, RunFolder(curve))
        _replace_folder(aside, assets() / "checkpoints" / name)
        _replace_folder(curve, assets() / "runs" / name)
    for old in (assets() / "recipes").glob(f"{name}*.json"):
        old.unlink()
    for recipe, piece in zip(_recipes(name, len(pieces)), pieces, strict=True):
        _write_json(assets() / "recipes" / recipe, _recipe(name, pieces, piece))
    guesses = DOCS / f"cloze-{name}.md"
    guesses.write_text(cloze_table(report), encoding="utf-8")
    typer.echo((assets() / "checkpoints" / name / "README.md").read_text(encoding="utf-8"))


def _pieces(runs: list[RunFolder]) -> list[Piece]:
    """Raises typer.BadParameter where the last run is not done, or one did not begin with a snapshot of the former."""
    if runs[-1].status().state != "done":
        raise typer.BadParameter(f"the run {runs[-1].path} is not done")
    pieces: list[Piece] = []
    wanted = runs[-1].newest_snapshot()
    for run in reversed(runs):
        options = PretrainOptions.from_dict(run.config())
        step = next((step for step, folder in run.snapshots() if folder == wanted), None)
        if wanted is None or step is None:
            raise typer.BadParameter(f"{run.path} has no snapshot {wanted}")
        about = json.loads((wanted / "bertscope.json").read_text(encoding="utf-8"))
        trained = (line for line in run.tail().read_new() if line["kind"] == "train" and line["step"] <= step)
        seconds = max(line["elapsed_s"] for line in trained)  # up to the snapshot: the run may have gone on
        pieces.append(Piece(run, options, wanted, step, about["tokens_seen"], seconds / 60))
        wanted = Path(options.start) if options.start else None
    if wanted is not None:
        raise typer.BadParameter(f"{runs[0].path} began with {wanted}: name that run too")
    return pieces[::-1]


def _rounded(snapshot: Path, folder: Path, name: str, step: int, tokens: int) -> Checkpoint:
    """The snapshot in fp16, as others will read it."""
    checkpoint = load_checkpoint(snapshot)
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


def _replace_folder(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _thinned_run(name: str, pieces: list[Piece], target: Path) -> Path:
    """One run of all pieces, without snapshots, without paths of this machine, and with every n-th training line."""
    target.mkdir()
    _write_json(target / "config.json", _recipe(name, pieces, pieces[-1]))
    step, seconds = sum(piece.step for piece in pieces), 60 * sum(piece.minutes for piece in pieces)
    status = {**vars(pieces[-1].run.status()), "pid": None, "step": step, "total_steps": step, "elapsed_s": seconds}
    _write_json(target / "status.json", status)
    lines = list(_lines(pieces))
    every = len(lines) // CURVE_LINES | 1  # odd: steps of two kinds may take turns
    kept = [line for number, line in enumerate(lines) if line["kind"] != "train" or number % every == 0]
    (target / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    logs = [(piece.run.path / "log.txt").read_text(encoding="utf-8") for piece in pieces]
    (target / "log.txt").write_text("".join(logs), encoding="utf-8")
    return target


def _lines(pieces: list[Piece]) -> Iterator[dict[str, Any]]:
    """The metrics of all pieces, with steps, tokens and seconds counted from the very beginning."""
    step, tokens, seconds = 0, 0, 0.0
    for piece in pieces:
        for line in piece.run.tail().read_new():
            if line["kind"] == "snapshot" or line["step"] > piece.step or (line["step"] == 0 and step):
                continue
            before = {"step": step, "tokens": tokens, "elapsed_s": seconds}
            yield {**line, **{key: line[key] + value for key, value in before.items() if key in line}}
        step, tokens, seconds = step + piece.step, tokens + piece.tokens, seconds + 60 * piece.minutes


def _thinned_snapshots(name: str, pieces: list[Piece], count: int, target: RunFolder) -> None:
    """The first, the last, and those between that are nearest to even distances in log(EARLY + step); in fp16."""
    found: list[tuple[int, int, Path]] = []  # step and tokens from the very beginning
    step, tokens = 0, 0
    for piece in pieces:
        for own, folder in piece.run.snapshots():
            if own <= piece.step and (own or not step):
                about = json.loads((folder / "bertscope.json").read_text(encoding="utf-8"))
                found.append((step + own, tokens + about["tokens_seen"], folder))
        step, tokens = step + piece.step, tokens + piece.tokens
    places = [math.log(EARLY + step) for step, _, _ in found]
    wanted = [places[0] + (places[-1] - places[0]) * number / (count - 1) for number in range(count)]
    for number in sorted({min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted}):
        step, tokens, folder = found[number]
        _rounded(folder, target.snapshot_path(step), name, step, tokens)


def _recipes(name: str, pieces: int) -> list[str]:
    """The file of each piece's recipe."""
    return [f"{name}.json"] if pieces == 1 else [f"{name}-{number}.json" for number in range(1, pieces + 1)]


def _recipe(name: str, pieces: list[Piece], piece: Piece) -> dict[str, Any]:
    """A piece's settings without paths of this machine; size and shape are those of the first one."""
    corpus = tuple(Path(file).name for file in piece.options.data.corpus)
    data = replace(piece.options.data, corpus=corpus, tokenizer=None)
    first = pieces[0].options
    return replace(piece.options, name=name, start=None, preset=first.preset, model=first.model, data=data).to_dict()


def _write_json(file: Path, values: dict[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _source(file: Path) -> str:
    """What a file of the text is, and how to know it again."""
    about = f": {SOURCES[file.name]}" if file.name in SOURCES else ""
    if not file.is_file():  # a folder of files
        return f"- `{file.name}`{about}"
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return f"- `{file.name}`{about}. {file.stat().st_size:,} bytes, SHA-256 `{digest}`"


def _stages(pieces: list[Piece], recipes: list[str]) -> str:
    """A table of the pieces: steps are what can be repeated, minutes are those of a machine that did other work too."""
    head = ("stage", "steps", "tokens", "minutes", "started from", "recipe")
    rows = [head, ("---",) * len(head)]
    for number, (piece, recipe) in enumerate(zip(pieces, recipes, strict=True), 1):
        before = f"step {pieces[number - 2].step:,} of stage {number - 1}" if number > 1 else "random weights"
        counts = (f"{piece.step:,}", f"{piece.tokens:,}", f"{piece.minutes:.0f}")
        rows.append((str(number), *counts, before, _said_of(piece, recipe)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _said_of(piece: Piece, recipe: str) -> str:
    """What a piece of the training was, for the card."""
    training, data = piece.options.training, piece.options.data
    warm_up = (
        f"the first {training.causal_share:.0%} of the budget a causal warm-up (next-word prediction, one step in "
        f"{CAUSAL_MASKED_EVERY} masks words), the rest masked words and next sentence"
        if training.causal_share
        else "masked words and next sentence"
    )
    budget = f"{training.steps:,} steps" if training.steps else f"{training.minutes:g} minutes"
    early = f" (stopped after {piece.spent:.0%})" if piece.spent < 0.99 else ""
    when = f" in the last {data.long_share:.0%}" if data.long_share < 1 else ""
    every = f", one step in {data.long_every}" if data.long_every > 1 else ""
    long = f"sequences of {data.long_sequence_length} tokens{when}{every}"
    which = "other steps" if piece.has_long_part else "steps"
    short = f"sequences of {data.short_sequence_length} tokens in {data.short_share:.0%} of the {which}"
    parts = (
        f"`assets/recipes/{recipe}`: {budget}{early}",
        f"{training.optimizer}, peak rate {piece.options.peak_rate:g}",
        f"{data.mask_share:.0%} of the tokens masked, chosen as {MASKED[data.masking]}",
        warm_up,
        long if piece.has_long_part else "",
        short if data.short_share else "",
        "" if data.pack else "sequences not packed",
    )
    return "; ".join(part for part in parts if part)


def _lengths(pieces: list[Piece], longest: int) -> str:
    """Tokens of a sequence, one after the other: `128, then 128 and 512`."""
    told: list[str] = []
    most = 0
    for piece in pieces:
        data = piece.options.data
        is_mixed = piece.has_long_part and data.long_share == 1
        usual = [data.sequence_length] if data.short_share < 1 and not (is_mixed and data.long_every == 1) else []
        short = [data.short_sequence_length] if data.short_share else []
        long = [data.long_sequence_length] if piece.has_long_part else []
        parts = [[*short, *usual, *long]] if is_mixed else [[*short, *usual], long]
        told += [" and ".join(map(str, part)) for part in parts if part]
        most = max(most, *usual, *short, *long)
    told = [lengths for lengths, before in zip(told, ["", *told], strict=False) if lengths != before]
    unseen = "" if most >= longest else f"; **positions beyond {most} were never trained**"
    return f"{', then '.join(told)} tokens{unseen}"


def _card(shipped: Checkpoint, pieces: list[Piece], report: ModelReport, machine: str, tuned: str) -> str:
    last, config = pieces[-1], shipped.config
    data, tokens = last.options.data, sum(piece.tokens for piece in pieces)
    corpus = load_corpus([Path(file) for file in data.corpus], shipped.tokenizer, form=data.text_format)
    recipes, training_tokens = _recipes(shipped.name, len(pieces)), corpus.count_tokens(held_out=False)
    return CARD.read_text(encoding="utf-8").format(
        name=shipped.name,
        what=WHAT[shipped.name == BUILT_IN],
        stages=_stages(pieces, recipes),
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        inner=config.intermediate_size,
        positions=config.max_length,
        vocab=config.vocab_size,
        parameters=shipped.parameters,
        steps=shipped.step,
        tokens=tokens,
        epochs=tokens / training_tokens,
        training_tokens=training_tokens,
        held_out_tokens=corpus.count_tokens(held_out=True),
        minutes=sum(piece.minutes for piece in pieces),
        sequence_lengths=_lengths(pieces, config.max_length),
        machine=machine,
        figures=figures(report),
        tuned=f"\n## What pretraining buys\n\n{tuned}" if tuned else "",
        corpus_files="\n".join(_source(Path(file)) for file in data.corpus),
    )


if __name__ == "__main__":
    typer.run(main)
