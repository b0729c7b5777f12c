"""Writes stories.txt, the sample corpus: little English stories made from the hand-written plots beside this file.

A plot (plots/*.txt) is a title, its roles, and its beats. Every beat offers several phrasings; a story takes one of
each. Roles are drawn once per story, so a name, an object or a colour stays the same from the first line to the last.

    python assets/corpus/make_stories.py            writes stories.txt beside this file
    python assets/corpus/make_stories.py --check    only says whether stories.txt is what this script makes

How plots are written
    # The lost toy              a title starts a plot; it is not printed
    hero = children             a role: one row of a table in words.txt, never the same row twice in a story
    friend = children, unlike hero       ... and of the other sex, so that "he" and "she" mean one person each
    toy = bear | rabbit         a role with its own list
    spot(at, from) = on the bed; off the bed | ...      the same with named columns
    <blank line>                separates beats; each line of a beat is one phrasing
    ?                           as first line of a beat: the beat is left out half of the time
    ~                           a beat of its own: a new paragraph
    {hero} {hero.his} {spot.at} a role, or a column of it; {he} {his} {him} mean the first role
    {thing.the}                 "a ship" -> "the ship";  {Bird} is {bird} with a capital
    [tall|very small]           one of these
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
STORIES = HERE / "stories.txt"
SEED = 20
STORIES_PER_PLOT = 62
WORDS_PER_STORY = (60, 160)
SENTENCES_PER_STORY = (6, 14)
SHINGLE_WORDS = 5
MAX_SHARED_SHINGLES = 0.30  # Jaccard index with any other story of the same plot
MAX_TRIES_PER_PLOT = 4000

Row = dict[str, str]
Table = list[Row]

PRONOUNS: dict[str, Row] = {
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself", "sibling": "brother"},
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself", "sibling": "sister"},
}
SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z"])|(?<=[.!?]")\s+(?=[A-Z"])')


@dataclass(frozen=True)
class Role:
    """Where one role of a plot gets its row from."""

    name: str
    table: Table
    unlike: str | None = None


@dataclass
class Plot:
    """A title, the roles in order, and the beats: lists of phrasings, "?" first where a beat may be left out."""

    title: str
    roles: list[Role] = field(default_factory=list)
    beats: list[list[str]] = field(default_factory=list)


def make_row(columns: list[str], cells: list[str]) -> Row:
    """One row: its columns, "name" for the first of them, and its pronouns where it has a sex."""
    if len(columns) != len(cells):
        raise ValueError(f"{cells} does not fit the columns {columns}")
    row = dict(zip(columns, cells, strict=True))
    return {"name": cells[0], **row, **PRONOUNS.get(row.get("sex", ""), {})}


def split_cells(text: str, separator: str) -> list[str]:
    return [cell.strip() for cell in text.split(separator)]


def read_tables(path: Path) -> dict[str, Table]:
    """The word tables, by name."""
    tables: dict[str, Table] = {}
    columns: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            name, _, header = line[1:].partition(":")
            columns = split_cells(header, "|")
            rows = tables[name] = []
        elif line.strip() and not line.startswith("#"):
            rows.append(make_row(columns, split_cells(line, "|")))
    return tables


def read_role(line: str, tables: dict[str, Table]) -> Role:
    """One header line of a plot."""
    left, _, right = line.partition(" = ")
    match = re.fullmatch(r"(\w+)(?:\(([\w, ]+)\))?", left.strip())
    if match is None:
        raise ValueError(f"cannot read the role {line!r}")
    name, header = match.groups()
    source, _, unlike = right.partition(", unlike ")
    if "|" not in source:
        return Role(name, tables[source.strip()], unlike.strip() or None)
    columns = split_cells(header, ",") if header else ["name"]
    return Role(name, [make_row(columns, split_cells(cell, ";")) for cell in split_cells(right, "|")])


def read_plots(path: Path, tables: dict[str, Table]) -> Iterator[Plot]:
    """Every plot of one file."""
    for text in re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        header, *beats = re.split(r"\n\s*\n", text.strip())
        title, *roles = header.splitlines()
        yield Plot(title, [read_role(line, tables) for line in roles], [beat.splitlines() for beat in beats])


def draw_cast(plot: Plot, rng: random.Random) -> dict[str, Row]:
    """One row for every role, no row twice."""
    cast: dict[str, Row] = {}
    for role in plot.roles:
        taken = {row["name"] for row in cast.values()}
        free = [row for row in role.table if row["name"] not in taken]
        if role.unlike:
            free = [row for row in free if row["sex"] != cast[role.unlike]["sex"]]
        cast[role.name] = rng.choice(free)
    return cast


def with_the(name: str) -> str:
    """Say "a ship", and also "ships", as something already known."""
    return "the " + re.sub(r"^(an?|the) ", "", name)


def fill_slot(path: str, cast: dict[str, Row], first: Row) -> str:
    """The text for what stands between two braces."""
    role, *columns = (path[0].lower() + path[1:]).split(".")
    if role not in cast:
        text = first[role]
    else:
        named = [column for column in columns if column != "the"]
        text = cast[role][named[0] if named else "name"]
    text = with_the(text) if "the" in columns else text
    return text[0].upper() + text[1:] if path[0].isupper() else text


def render(phrasing: str, cast: dict[str, Row], rng: random.Random) -> str:
    """One phrasing with its choices made and its slots filled, spelled as English wants it."""
    first = next(iter(cast.values()))
    text = re.sub(r"\[([^\[\]]*)\]", lambda match: rng.choice(match.group(1).split("|")), phrasing)
    while "{" in text:
        text = re.sub(r"\{([\w.]+)\}", lambda match: fill_slot(match.group(1), cast, first), text)
    text = re.sub(r"\s+([,.!?])", r"\1", re.sub(r" {2,}", " ", text)).strip()
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])", r"\1n ", text)
    return capitalise(text)


def capitalise(text: str) -> str:
    """Capitals at the start of a sentence and of what somebody says."""
    text = re.sub(r'((?:^|[.!?] |[.]" )"?)([a-z])', lambda match: match.group(1) + match.group(2).upper(), text)
    return re.sub(r'((?:^|[^,] )")([a-z])', lambda match: match.group(1) + match.group(2).upper(), text)


def tell(plot: Plot, rng: random.Random) -> list[str]:
    """One story: its paragraphs."""
    cast = draw_cast(plot, rng)
    paragraphs: list[list[str]] = [[]]
    for beat in plot.beats:
        if beat == ["~"]:
            paragraphs.append([])
            continue
        phrasings = beat[1:] if beat[0] == "?" else beat
        if beat[0] != "?" or rng.random() < 0.5:
            paragraphs[-1].append(render(rng.choice(phrasings), cast, rng))
    return [" ".join(sentences) for sentences in paragraphs]


def sentences_of(text: str) -> list[str]:
    """The sentences of one paragraph."""
    return SENTENCE_END.split(text)


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Every run of five words."""
    words = re.findall(r"\w+", text.lower())
    return frozenset(tuple(words[start : start + SHINGLE_WORDS]) for start in range(len(words) - SHINGLE_WORDS + 1))


def overlap(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Jaccard index of two sets of shingles, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def has_right_size(paragraphs: list[str]) -> bool:
    words = sum(len(paragraph.split()) for paragraph in paragraphs)
    sentences = sum(len(sentences_of(paragraph)) for paragraph in paragraphs)
    return (
        WORDS_PER_STORY[0] <= words <= WORDS_PER_STORY[1]
        and SENTENCES_PER_STORY[0] <= sentences <= SENTENCES_PER_STORY[1]
    )


def tell_many(plot: Plot, count: int, rng: random.Random) -> list[str]:
    """Up to `count` stories from one plot, no two of them near-duplicates; each has one paragraph per line."""
    stories: list[str] = []
    seen: list[frozenset[tuple[str, ...]]] = []
    for _ in range(MAX_TRIES_PER_PLOT):
        if len(stories) == count:
            break
        paragraphs = tell(plot, rng)
        found = shingles(" ".join(paragraphs))
        if has_right_size(paragraphs) and all(overlap(found, other) < MAX_SHARED_SHINGLES for other in seen):
            stories.append("\n".join(paragraphs))
            seen.append(found)
    return stories


def answered(files: Iterable[Path]) -> list[str]:
    """The questions of cloze sets, filled in with each of their answers."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    questions = map(json.loads, lines)
    return [question["text"].replace("[MASK]", answer) for question in questions for answer in question["answers"]]


def distinct_documents(
    counts: Iterable[tuple[Plot, int]], tell: Callable[[Plot, random.Random], str], seed: int
) -> list[str]:
    """So many documents of each plot, in random order, none twice; an empty text is none."""
    documents: dict[str, None] = {}
    for plot, count in counts:
        rng = random.Random(f"{seed} {plot.title}")
        documents |= dict.fromkeys(filter(None, (tell(plot, rng) for _ in range(count))))
    shuffled = list(documents)
    random.Random(seed).shuffle(shuffled)
    return shuffled


def make_corpus(folder: Path = HERE, seed: int = SEED, per_plot: int = STORIES_PER_PLOT) -> str:
    """The whole corpus: one paragraph per line, a blank line between stories, stories in random order."""
    tables = read_tables(folder / "words.txt")
    stories: list[str] = []
    for path in sorted((folder / "plots").glob("*.txt")):
        for plot in read_plots(path, tables):
            stories += tell_many(plot, per_plot, random.Random(f"{seed} {plot.title}"))
    random.Random(seed).shuffle(stories)
    return "\n\n".join(stories) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the sample corpus.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where stories.txt differs")
    check = parser.parse_args().check
    corpus = make_corpus().encode("utf-8")
    if check:
        same = STORIES.exists() and STORIES.read_bytes() == corpus
        print("stories.txt is up to date" if same else "stories.txt differs: run make_stories.py")
        return 0 if same else 1
    STORIES.write_bytes(corpus)
    print(f"{STORIES.name}: {len(corpus):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
