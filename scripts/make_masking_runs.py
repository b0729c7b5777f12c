"""What is lost with [MASK] alone: small runs that differ in nothing but what becomes of the chosen tokens.

python scripts/make_masking_runs.py --work FOLDER        minutes of one core; writes assets/evaluation/masking.json

Each recipe `assets/recipes/masking-*.json` is trained with three seeds on the small world. What each model makes of
held-out stories, masked 80 / 10 / 10, goes into the file: in how many places the token that stood there is the
likeliest, and the mean loss in nats, for each fate of a token. Runs in FOLDER that are done are used again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

from bertcore.analysis.masked_draws import FATES, masked_draws
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules
from bertcore.files import write_json
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.training.evaluate import HeldOutText
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run

RECIPES = ("masking-80-10-10", "masking-100-0-0", "masking-0-100-0")
SEEDS = (1, 2, 3)
CORPUS = "small-world.txt"
SEQUENCES, DRAWS = 512, 40  # as many as the held-out text has, at most; of each


def main(
    work: Annotated[Path, typer.Option(help="Where the runs are kept.")],
    into: Annotated[Path | None, typer.Option(help="Where evaluation/ is; default: assets.")] = None,
) -> None:
    torch.set_num_threads(1)
    found: dict[str, list[dict[str, dict[str, float]]]] = {}
    for recipe in RECIPES:
        options = PretrainOptions.from_file(assets() / "recipes" / f"{recipe}.json")
        options = options.with_changes(corpus=(str(assets() / "corpus" / CORPUS),), threads=1)
        found[recipe] = []
        for seed in SEEDS:
            run = RunFolder(work / f"{recipe}-{seed}")
            if not run.path.exists() or run.status().state != "done":
                start_run(options.with_changes(seed=seed), run.path, resume=run.path.exists())
            found[recipe].append(measure(run, options))
            typer.echo(f"{recipe} {seed}: {json.dumps(found[recipe][-1])}")
    about = {"steps": options.training.steps, "seeds": list(SEEDS), "draws": DRAWS, "text": CORPUS}
    write_json((into or assets()) / "evaluation" / "masking.json", {"about": about, "runs": found})


def measure(run: RunFolder, options: PretrainOptions) -> dict[str, dict[str, float]]:
    """For each fate: places, the share of them where the right token is the likeliest, and the mean loss in nats."""
    checkpoint, data = load_checkpoint(run.snapshots()[-1][1]), options.data
    tokenizer = checkpoint.tokenizer
    rules = PairRules.of(tokenizer, data.pairs, data.pack, data.exact_shares)
    text = HeldOutText.of(load_corpus(data.files, tokenizer), tokenizer, data.sequence_length, SEQUENCES, rules)
    fates, losses, right = [], [], []
    for batch in text.batches:
        ids = batch.input_ids.flatten()
        ids[batch.rows] = batch.labels  # as they stand in the text
        for number, row in enumerate(ids.view(batch.input_ids.shape).tolist()):
            if tokenizer.pad_id in row:
                row = row[: row.index(tokenizer.pad_id)]
            draws = masked_draws(checkpoint.model, tokenizer, row, draws=DRAWS, seed=number)
            fates.append(draws.fate.ravel())
            losses.append(-np.log(draws.probability.ravel()))
            right.append(draws.is_first.ravel())
    fate, loss, is_right = map(np.concatenate, (fates, losses, right))
    return {
        name: {
            "places": int((fate == number).sum()),
            "right": round(float(is_right[fate == number].mean()), 4),
            "loss": round(float(loss[fate == number].mean()), 4),
        }
        for number, name in enumerate(FATES)
    }


if __name__ == "__main__":
    typer.run(main)
