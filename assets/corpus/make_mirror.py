"""Write the text of the ten-second demo: lines that read the same forwards and backwards, and questions about others.

    python assets/corpus/make_mirror.py            writes mirror.txt, and ../evaluation/mirror.jsonl
    python assets/corpus/make_mirror.py --check    checks that both are what this makes

Letters are drawn at random, so nothing but the letter at the mirrored place says what is behind a [MASK]: whoever
fills it has to look there.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

CORPUS = Path(__file__).parent
LINES, QUESTIONS, SEED = 4000, 5, 1  # QUESTIONS: for each place of a line
LETTERS = "abcdefghijklmnopqrst"
LENGTH = 12  # letters of a line; the second half mirrors the first


def line(rng: random.Random) -> list[str]:
    half = [rng.choice(LETTERS) for _ in range(LENGTH // 2)]
    return [*half, *reversed(half)]


def lines(count: int = LINES, seed: int = SEED) -> Iterator[list[str]]:
    rng = random.Random(seed)
    for _ in range(count):
        yield line(rng)


def questions(count: int = QUESTIONS, seed: int = SEED + 1) -> Iterator[dict[str, object]]:
    """Lines that are not in the text, each with one letter masked: place after place, `count` times."""
    seen = {tuple(letters) for letters in lines()}
    fresh = (letters for letters in lines(10**6, seed) if tuple(letters) not in seen)
    for number in range(count):
        for place in range(LENGTH):
            letters = next(fresh)
            answer, letters[place] = letters[place], "[MASK]"
            yield {"category": f"line {number + 1}", "text": " ".join(letters), "answers": [answer]}


def files() -> dict[Path, str]:
    asked = (json.dumps(question) + "\n" for question in questions())
    return {
        CORPUS / "mirror.txt": "\n\n".join(" ".join(letters) for letters in lines()) + "\n",
        CORPUS.parent / "evaluation" / "mirror.jsonl": "".join(asked),
    }


if __name__ == "__main__":
    from make_small_world import write_or_check  # beside this script

    write_or_check(files())
