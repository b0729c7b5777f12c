"""What is left of the guesses with one direction: the cloze questions answered as usual, looking left only, right only.

python -m benchmarks.direction [MODEL]        some seconds; also lists where the right word is lost most
"""

import sys

from bertcore.data.cloze import read_cloze
from bertcore.loaded_model import load
from bertcore.locations import assets

LISTED = 12


def main(name: str | None = None) -> None:
    m, questions = load(name), read_cloze(assets() / "evaluation" / "cloze.jsonl")
    texts = [question.text for question in questions]
    answers = {way: m.fill(texts, direction=way) for way in (None, "left", "right")}
    for way, filled in answers.items():
        right = sum(words[0][0].token in each.answers for words, each in zip(filled, questions, strict=True))
        print(f"{way or 'both'}: {right} of {len(questions)} right")
    lost = []
    for question, both, left in zip(questions, answers[None], answers["left"], strict=True):
        word, other = both[0][0], left[0][0]
        if word.token in question.answers:
            (now,) = m.fill(question.text, targets=[word.token], direction="left")[0]
            lost.append((word.probability - now.probability, word, now.probability, other, question.text))
    for _, word, share, other, text in sorted(lost, key=lambda each: -each[0])[:LISTED]:
        instead = f"{other.token} {other.probability:.0%}"
        print(f"{word.token} {word.probability:.0%}, left only {share:.1%} ({instead}): {text}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
