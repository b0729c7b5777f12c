"""Write the small world of the class demo: stories about eight people, and a cloze question for each fact about them.

    python assets/corpus/make_small_world.py            writes small-world.txt, and ../evaluation/small-world.jsonl
    python assets/corpus/make_small_world.py --check    checks that both are what this makes

Each person has one pet, one favourite food and so on, and every story agrees with that; so there is one right word
behind each [MASK], and a model can learn all of them in a minute.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).parent
STORIES, SENTENCES, SEED = 2000, 5, 1


class Person(NamedTuple):
    name: str
    she: str
    her: str  # possessive
    to_her: str  # after a verb or a preposition


PEOPLE = [
    Person(name, *words)
    for name, words in zip(
        ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry"),
        (("she", "her", "her"), ("he", "his", "him")) * 4,
        strict=True,
    )
]
VALUES = {  # in the order of the people
    "pet": ("cat", "dog", "horse", "rabbit", "parrot", "hamster", "goat", "duck"),
    "house": ("red", "blue", "green", "yellow", "white", "black", "brown", "pink"),
    "food": ("soup", "bread", "rice", "cake", "cheese", "fish", "salad", "pasta"),
    "drink": ("milk", "tea", "water", "juice", "cocoa", "coffee", "lemonade", "cider"),
    "way": ("bus", "train", "bike", "boat", "tram", "car", "taxi", "van"),
    "game": ("football", "chess", "cards", "tennis", "marbles", "darts", "hockey", "golf"),
    "place": ("garden", "park", "kitchen", "yard", "forest", "cellar", "attic", "meadow"),
    "helper": ("mother", "father", "sister", "brother", "aunt", "uncle", "cousin", "neighbour"),
}
# The first of each is the question. {who} at the beginning of a sentence, {whom} after a verb or a preposition.
TEMPLATES = {
    "pet": ("{who} has a {value}.", "{Her} pet is a {value}.", "A {value} lives with {whom}."),
    "house": ("{who} lives in a {value} house.", "{Her} door is {value} too.", "The {value} house belongs to {whom}."),
    "food": ("{who} likes to eat {value}.", "{Her} favourite food is {value}.", "At noon there is {value} for {whom}."),
    "drink": (
        "{who} drinks {value} in the morning.",
        "There is {value} in {her} cup.",
        "{who} wants a cup of {value}.",
    ),
    "way": ("{who} goes to school by {value}.", "The {value} takes {whom} home.", "{who} waits for the {value}."),
    "game": ("{who} plays {value} after school.", "{Her} favourite game is {value}.", "On Sunday {who} plays {value}."),
    "place": ("{who} reads in the {value}.", "You can find {whom} in the {value}.", "{who} sleeps in the {value}."),
    "helper": (
        "{who} asked {her} {value} for help.",
        "{Her} {value} helped {whom}.",
        "{who} misses {her} {value}.",
    ),
}
FACTS = {(person, fact): values[i] for fact, values in VALUES.items() for i, person in enumerate(PEOPLE)}


def sentence(person: Person, template: str, value: str, by_name: bool, shown: str = "") -> str:
    """shown: in place of the value."""
    who, whom = (person.name, person.name) if by_name else (person.she, person.to_her)
    if value[0] in "aeiou":  # none of these, but of a changed world (bertcore/data/small_world.py)
        template = template.replace("a {value}", "an {value}").replace("A {value}", "An {value}")
    text = template.format(who=who, whom=whom, her=person.her, Her=person.her.capitalize(), value=shown or value)
    return text[0].upper() + text[1:]


def stories(count: int = STORIES) -> Iterator[str]:
    """Each about one person, who is named in the first sentence and now and then after it."""
    rng = random.Random(SEED)
    for _ in range(count):
        person = rng.choice(PEOPLE)
        lines = []
        for number, fact in enumerate(rng.sample(list(VALUES), SENTENCES)):
            template = TEMPLATES[fact][0] if number == 0 else rng.choice(TEMPLATES[fact])
            lines.append(sentence(person, template, FACTS[person, fact], number == 0 or rng.random() < 0.4))
        yield " ".join(lines)


def questions() -> Iterator[dict[str, object]]:
    for (person, fact), value in FACTS.items():
        text = sentence(person, TEMPLATES[fact][0], value, by_name=True, shown="[MASK]")
        yield {"category": fact, "text": text, "answers": [value]}


def files() -> dict[Path, str]:
    lines = (json.dumps(question) + "\n" for question in questions())
    return {
        CORPUS / "small-world.txt": "\n\n".join(stories()) + "\n",
        CORPUS.parent / "evaluation" / "small-world.jsonl": "".join(lines),
    }


def write_or_check(texts: dict[Path, str]) -> None:
    """Each text into its file; with --check only compares them."""
    for file, text in texts.items():
        if "--check" not in sys.argv:
            file.write_bytes(text.encode())
        elif file.read_bytes() != text.encode():
            sys.exit(f"{file} is not what {Path(sys.argv[0]).name} makes.")


if __name__ == "__main__":
    write_or_check(files())
