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

from make_stories import Plot, answered, distinct_documents, read_plots, read_tables, tell

HERE = Path(__file__).parent
EVALUATION = HERE.parent / "evaluation"
QUESTIONS, PAIRS = (EVALUATION / "cloze.jsonl", EVALUATION / "cloze-second.jsonl"), EVALUATION / "minimal_pairs.jsonl"
NAME = "drills.txt"
SEED = 34
PER_PLOT = 800  # documents; fewer where a plot has not so many different ones


def held_back() -> list[str]:
    """The sentences of the evaluation sets, the wrong ones of the pairs too, in lower case: no document has one."""
    pairs = map(json.loads, PAIRS.read_text(encoding="utf-8").splitlines())
    found = answered(QUESTIONS) + [pair[which] for pair in pairs for which in ("good", "bad")]
    return [sentence.lower() for sentence in found]


def make_documents(folder: Path = HERE / "drills", seed: int = SEED, per_plot: int = PER_PLOT) -> list[str]:
    """Documents of a paragraph each, in random order; none twice."""
    tables, never = read_tables(folder / "words.txt"), held_back()
    files = (path for path in sorted(folder.glob("*.txt")) if path.stem != "words")

    def tell_unless_asked(plot: Plot, rng: random.Random) -> str:
        text = " ".join(tell(plot, rng))
        return "" if any(sentence in text.lower() for sentence in never) else text

    counts = ((plot, per_plot) for path in files for plot in read_plots(path, tables))
    return distinct_documents(counts, tell_unless_asked, seed)


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
