"""The small world of the class demo, with single words changed: eight people, eight facts about each. No torch.

world = World().with_word("mother", "uncle")     whom Anna asked for help
text, questions = world.write(folder)            what `bertcore pretrain` reads
world.save(file); World.load(file)               what is changed, as one file to share

Each word belongs to one fact about one person: the changed text is what assets/corpus/make_small_world.py would make.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Self

from bertcore.data.cloze import ClozeSentence, read_cloze
from bertcore.errors import BertcoreError, brief
from bertcore.files import content_of, read_json, write_atomic, write_errors, write_json
from bertcore.locations import assets
from bertcore.tokenizer.special_tokens import MASK


@cache
def usual_questions() -> tuple[ClozeSentence, ...]:
    """A question for each fact, with its word as the answer: those of the unchanged world."""
    return tuple(read_cloze(assets() / "evaluation" / "small-world.jsonl"))


@dataclass(frozen=True)
class World:
    """`changes`: a word of the unchanged world -> the word in its place."""

    changes: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{before} → {after}" for before, after in self.changes.items())

    def with_word(self, usual: str, word: str) -> Self:
        """Raises BertcoreError where the first is no word of a fact, and for what is no word."""
        if usual not in {question.answers[0] for question in usual_questions()}:
            raise BertcoreError(f"The small world has no fact with the word {brief(usual)}.")
        if not re.fullmatch("[a-z]{1,20}", word):
            raise BertcoreError(f"{brief(word)} cannot be learned: give one word of 1 to 20 small letters, a to z.")
        changes = {**self.changes, usual: word}
        return replace(self, changes={before: after for before, after in changes.items() if before != after})

    def changed(self, text: str) -> str:
        """A text of the unchanged world as this one has it."""
        known = "|".join(self.changes) or "$^"  # which is nowhere
        text = re.sub(rf"\b({known})\b", lambda found: self.changes[found[0]], text)
        return re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)

    def questions(self) -> tuple[ClozeSentence, ...]:
        """In the order of the unchanged ones."""
        found = []
        for usual in usual_questions():
            before, word = usual.text.partition(MASK)[0], self.changed(usual.answers[0])
            text = self.changed(before + usual.answers[0]).removesuffix(word) + usual.text.removeprefix(before)
            found.append(replace(usual, text=text, answers=(word,)))
        return tuple(found)

    @classmethod
    def of(cls, questions: Sequence[ClozeSentence]) -> Self | None:
        """The world that these are the questions of; None for others."""
        pairs = zip(usual_questions(), questions, strict=False)
        world = cls({one.answers[0]: two.answers[0] for one, two in pairs if one.answers != two.answers})
        return world if world.questions() == tuple(questions) else None

    def write(self, folder: Path) -> tuple[Path, Path]:
        """The files of the text and of the questions. Raises BertcoreError where they cannot be written."""
        files = folder / "small-world.txt", folder / "small-world.jsonl"
        usual = content_of(assets() / "corpus" / files[0].name, advice="install BERTscope again").decode()
        questions = "".join(json.dumps(asdict(each)) + "\n" for each in self.questions())
        with write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in zip(files, (self.changed(usual), questions), strict=True):
                write_atomic(file, text.encode())
        return files

    def save(self, file: Path) -> None:
        """Raises BertcoreError where it cannot be written."""
        with write_errors(file.parent):
            write_json(file, {"small_world": dict(self.changes)}, follow=True)

    @classmethod
    def load(cls, file: Path) -> Self:
        """Raises BertcoreError, one sentence, for a file that holds no changed world."""
        changes, world = read_json(file, "choose another file", most_bytes=100_000).get("small_world"), cls()
        if not isinstance(changes, dict):
            raise BertcoreError(f"The file {file} holds no changed world; choose another file.")
        for usual, word in changes.items():
            world = world.with_word(usual, str(word))
        return world
