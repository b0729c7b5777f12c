"""Short made-up passages with questions on them, in SQuAD's format, for the answering model that ships.

A passage is a handful of facts in random order, such as "Anna Reed flew from Paris to Oslo on Friday.", and asks for
parts of them. The facts are those of facts.txt, the same passages each time: chance follows from the seed. Published
questions, at hand 1,190 on encyclopedia articles, are too few and too hard for so small a model: they only measure it.

Held out are three parts: known kinds of facts with other people ("same facts"), kinds of facts that training never
shows ("new facts"), and every sixth published article ("encyclopedia").
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any

FACTS_FILE = Path(__file__).with_name("facts.txt")
SEED = 1
FACTS_IN_PASSAGE = (3, 6)
QUESTIONS_OF_PASSAGE = 2
HELD_OUT_PASSAGES, HELD_OUT_EVERY = 150, 6  # made up, of each part; published articles
HELD_OUT_NAMES = 8  # first and last names that no passage to train on has
PARTS = ("same facts", "new facts", "encyclopedia")

Asked = tuple[str, str, int]  # question, answer, the character of the text where the answer begins


@dataclass
class Fact:
    """A kind of fact. A gap of a wording is the name of a list of words, or that and a number: "{city.2}"."""

    is_new: bool
    wordings: list[str] = field(default_factory=list)
    questions: list[tuple[str, str]] = field(default_factory=list)  # question, the gap that answers it


def read_facts() -> tuple[list[Fact], dict[str, list[str]]]:
    """The kinds of facts, and the words for their gaps."""
    facts, words, is_new = list[Fact](), dict[str, list[str]](), False
    for line in FACTS_FILE.read_text(encoding="utf-8").splitlines():
        mark, rest = line[:1], line[1:].strip()
        if mark == "@":
            kind, _, listed = rest.partition(": ")
            words[kind] = listed.split(", ")
        elif mark == "=":
            if not facts or facts[-1].questions:
                facts.append(Fact(is_new))
            facts[-1].wordings.append(rest)
        elif mark == "?":
            gap, _, question = rest.partition(": ")
            facts[-1].questions.append((question, gap))
        elif mark == "-":
            is_new = True
    return facts, words


class Writer:
    """Writes passages. asked: the facts that are asked about; the others are only told."""

    def __init__(self, facts: Sequence[Fact], asked: Sequence[Fact], words: Mapping[str, Sequence[str]], seed: int):
        self._facts, self._asked, self._words = facts, asked, words
        self._choose = random.Random(seed)

    def passages(self, count: int) -> Iterator[tuple[str, list[Asked]]]:
        for _ in range(count):
            text, asked = self._passage()
            questions = [question for question, _, _ in asked]
            clear = [each for each in asked if questions.count(each[0]) == 1]
            if clear:
                yield text, self._choose.sample(clear, min(QUESTIONS_OF_PASSAGE, len(clear)))

    def _passage(self) -> tuple[str, list[Asked]]:
        text, found, used = "", list[Asked](), set[str]()
        kinds = [self._choose.choice(self._facts) for _ in range(self._choose.randint(*FACTS_IN_PASSAGE))]
        if not any(kind in self._asked for kind in kinds):
            kinds[0] = self._choose.choice(self._asked)
        self._choose.shuffle(kinds)
        for kind in kinds:
            text += " " if text else ""
            fact, asked = self._fact(kind, used)
            found += [(question, answer, len(text) + at) for question, answer, at in asked if kind in self._asked]
            text += fact
        return text, found

    def _fact(self, kind: Fact, used: set[str]) -> tuple[str, list[Asked]]:
        """used: words of the passage so far, which would make a question have two answers."""
        text, values, places = "", dict[str, str](), dict[str, int]()
        for literal, gap, _, _ in Formatter().parse(self._choose.choice(kind.wordings)):
            text += literal
            if gap:
                values.setdefault(gap, self._word(gap.partition(".")[0], used))
                places.setdefault(gap, len(text))
                text += values[gap]
        known = [(question, gap) for question, gap in kind.questions if {gap, *_gaps(question)} <= set(values)]
        return text, [(_filled(question, values), values[gap], places[gap]) for question, gap in known]

    def _word(self, kind: str, used: set[str]) -> str:
        found = [self._any_word(kind) for _ in range(20)]
        word = next((each for each in found if each not in used), found[0])
        used.add(word)
        return word

    def _any_word(self, kind: str) -> str:
        if kind == "person":
            return f"{self._any_word('first')} {self._any_word('last')}"
        return str(self._choose.randint(1750, 2015)) if kind == "year" else self._choose.choice(self._words[kind])


def write_questions(published: Path, folder: Path, passages: int) -> None:
    """Write train.json, with so many made-up passages, dev.json, with all that is held out, and a file for each part.

    published: questions in SQuAD's format.
    """
    articles = json.loads(published.read_text(encoding="utf-8"))["data"]
    facts, words = read_facts()
    known, new = [each for each in facts if not each.is_new], [each for each in facts if each.is_new]
    names = {kind: words[kind] for kind in ("first", "last")}
    theirs = {**words, **{kind: each[:-HELD_OUT_NAMES] for kind, each in names.items()}}
    others = {**words, **{kind: each[-HELD_OUT_NAMES:] for kind, each in names.items()}}
    made = {
        "train": Writer(known, known, theirs, SEED).passages(passages),
        "same facts": Writer(known, known, others, SEED + 1).passages(HELD_OUT_PASSAGES),
        "new facts": Writer(facts, new, others, SEED + 2).passages(HELD_OUT_PASSAGES),
    }
    parts = {name: [_article(name, *each) for each in enumerate(some)] for name, some in made.items()}
    parts["encyclopedia"] = articles[::HELD_OUT_EVERY]
    parts["dev"] = [article for part in PARTS for article in parts[part]]
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        text = json.dumps({"version": "1.1", "data": part}, indent=1, ensure_ascii=False)
        part_file(folder, name).write_text(text + "\n", encoding="utf-8")


def part_file(folder: Path, part: str) -> Path:
    return folder / f"{part.replace(' ', '-')}.json"


def _article(name: str, number: int, made: tuple[str, list[Asked]]) -> dict[str, Any]:
    """An article of SQuAD's format with one passage."""
    text, asked = made
    questions = [
        {"id": f"{name}-{number}-{place}", "question": question, "answers": [{"text": answer, "answer_start": at}]}
        for place, (question, answer, at) in enumerate(asked)
    ]
    return {"title": f"{name} {number}", "paragraphs": [{"context": text, "qas": questions}]}


def _gaps(text: str) -> set[str]:
    return {gap for _, gap, _, _ in Formatter().parse(text) if gap}


def _filled(text: str, values: Mapping[str, str]) -> str:
    """By hand: `str.format` would take the "2" of "city.2" for an attribute."""
    return "".join(literal + (values[gap] if gap else "") for literal, gap, _, _ in Formatter().parse(text))
