"""What is lost with [MASK] alone: small runs that differ in nothing but what becomes of the chosen tokens.

python scripts/make_masking_runs.py --work FOLDER        minutes of one core; writes assets/evaluation/masking.json

Each recipe `assets/recipes/masking-*.json` is trained with three seeds on the small world. What each model makes of
held-out stories, masked 80 / 10 / 10, goes into the file: a row for each seed, a column for each fate of a token; in
how many places the token that stood there is the likeliest, and the mean loss in nats. Runs that are done are kept.
"""

from __future__ import annotations

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
    tables: dict[str, dict[str, list[list[float]]]] = {"right": {}, "loss": {}}
    for recipe in RECIPES:
        options = PretrainOptions.from_file(assets() / "recipes" / f"{recipe}.json")
        options = options.with_changes(corpus=(str(assets() / "corpus" / CORPUS),), threads=1)
        for table in tables.values():
            table[recipe] = []
        for seed in SEEDS:
            run = RunFolder(work / f"{recipe}-{seed}")
            if not run.path.exists() or run.status().state != "done":
                start_run(options.with_changes(seed=seed), run.path, resume=run.path.exists())
            places, *measured = measure(run, options)
            for table, row in zip(tables.values(), measured, strict=True):
                table[recipe].append(row)
            typer.echo(f"{recipe} {seed}: {places} {measured}")
    about = {"text": CORPUS, "draws": DRAWS, "seeds": list(SEEDS), "fates": list(FATES), "places": places}
    write_json((into or assets()) / "evaluation" / "masking.json", about | tables)


def measure(run: RunFolder, options: PretrainOptions) -> tuple[list[int], list[float], list[float]]:
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
    met = [fate == number for number in range(len(FATES))]
    means = [[round(float(values[one].mean()), 4) for one in met] for values in (is_right, loss)]
    return [int(one.sum()) for one in met], means[0], means[1]


if __name__ == "__main__":
    typer.run(main)
