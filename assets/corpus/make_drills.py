"""Writes English drills for bertscope-mini: short texts about animals, colours and common facts, and sentences whose
verb agrees with a noun that stands further away than another one.

    python assets/corpus/make_drills.py OUT    writes drills.txt into OUT

They are made from the plots and word tables in the folder drills, which are written as those of `make_stories.py`.
A sentence of an evaluation set (`evaluation/cloze.jsonl`, `cloze-second.jsonl`, `minimal_pairs.jsonl`), filled in with
any of its answers, is in no document.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from make_stories import read_plots, read_tables, tell

HERE = Path(__file__).parent
EVALUATION = HERE.parent / "evaluation"
NAME = "drills.txt"
SEED = 34
PER_PLOT = 800  # documents; fewer where a plot has not so many different ones


def held_back(folder: Path = EVALUATION) -> list[str]:
    """The sentences of the evaluation sets, the wrong ones of the pairs too, in lower case."""
    found = []
    for path in (folder / "cloze.jsonl", folder / "cloze-second.jsonl"):
        for question in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            found += [question["text"].replace("[MASK]", answer) for answer in question["answers"]]
    for pair in map(json.loads, (folder / "minimal_pairs.jsonl").read_text(encoding="utf-8").splitlines()):
        found += [pair["good"], pair["bad"]]
    return [sentence.lower() for sentence in found]


def make_documents(folder: Path = HERE / "drills", seed: int = SEED, per_plot: int = PER_PLOT) -> list[str]:
    """Documents of a paragraph each, in random order; none twice."""
    tables, never = read_tables(folder / "words.txt"), held_back()
    documents: dict[str, None] = {}
    for path in sorted(folder.glob("*.txt")):
        for plot in read_plots(path, tables) if path.stem != "words" else ():
            rng = random.Random(f"{seed} {plot.title}")
            for _ in range(per_plot):
                text = " ".join(tell(plot, rng))
                if not any(sentence in text.lower() for sentence in never):
                    documents[text] = None
    shuffled = list(documents)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the drills.")
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(make_documents()) + "\n"
    (out / NAME).write_text(text, encoding="utf-8")
    print(f"{NAME}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
