"""Split a text of parts of many unnamed books into a training and a held-out file, so that whole books are held out.

    python scripts/split_books.py BOOKS OUT_FOLDER [--held-out-share 0.018]

BOOKS has a paragraph on each line and a blank line between documents, each a part of one book; the parts of a book need
not be together. Parts are taken to be of one book, or of one series, if they share rare names. Documents that share
names with a held-out book, but too few to be sure of it, are in neither file.
"""

from __future__ import annotations

import hashlib
import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from bertcore.data.text import Documents
from bertcore.errors import BertcoreError

TRAIN, HELD_OUT = "books-train.txt.xz", "books-held-out.txt.xz"

NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")  # not at the start of a sentence
CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}")
NAME_USES = 2  # in mid-sentence, for a word to be a name of the document
COMPARED = 600  # names in more documents than this (London, Monday) do not tell books apart

# Cosine similarity of two documents' names. Of 7,765 parts of some 1,000 books of 1850-1925, a tenth end up in a
# single group at 0.4, and 105 at 0.45.
SAME_BOOK, DOUBTFUL = 0.45, 0.15

# Sizes of the groups that may be held out. Smaller ones are often one story of a collection, larger ones a series.
PARTS = range(6, 13)
SHARING_ONE_NAME = 0.8  # of the parts, at least: otherwise the group is often a collection of stories, or travels
NEIGHBOURS = 4  # for each part of a group, at most so many documents left out of both files because of it

# A main character's name is used MAIN_USES times in each of two parts, and MENTIONS times in at most MENTIONED_IN
# documents; a document with MENTIONS of it is doubtful.
MAIN_USES, MENTIONS, MENTIONED_IN = 5, 3, 50
# A name that hardly occurs outside a group, and is in OWN_PARTS of its parts; a single use makes a document doubtful.
OWN_PARTS, OWN_SHARE = 3, 2 / 3


def main(
    books: Annotated[Path, typer.Argument(help="Text file, also packed (.xz, .gz, .zst).")],
    out_folder: Annotated[Path, typer.Argument(help="Folder for books-train.txt.xz and books-held-out.txt.xz.")],
    held_out_share: Annotated[float, typer.Option(min=0.0, max=0.5, help="Of the text, at least.")] = 0.018,
) -> None:
    try:
        documents = ["\n".join(paragraphs) for paragraphs in Documents([books])]
    except BertcoreError as error:
        raise typer.BadParameter(str(error)) from None
    names = [names_of(document) for document in documents]
    similarity = similarities(names)
    groups = grouped(similarity >= SAME_BOOK)
    sizes = Counter(map(len, groups))
    typer.echo("parts x groups: " + ", ".join(f"{size} x {sizes[size]:,}" for size in sorted(sizes, reverse=True)))

    chosen, left_out = choose(documents, names, similarity, groups, held_out_share)
    if not chosen:
        raise typer.BadParameter(
            f"No {PARTS[0]} to {PARTS[-1]} documents of {books} share rare names; give a text of more books."
        )
    held_out = {index for group in chosen for index in group}
    train = sorted(set(range(len(documents))) - held_out - left_out)
    out_folder.mkdir(parents=True, exist_ok=True)
    for name, part in ((TRAIN, train), (HELD_OUT, sorted(held_out))):
        file = out_folder / name
        with lzma.open(file, "wt", encoding="utf-8", newline="\n", preset=1) as text:
            text.write("\n\n".join(documents[index] for index in part) + "\n")
        typer.echo(f"{file}: {_counts(documents, part)}")
    typer.echo(f"held out: {len(chosen)} of {len(groups):,} groups")
    typer.echo(f"in neither file: {_counts(documents, left_out)}")


def names_of(document: str) -> Counter[str]:
    """How often each name is used in a document, at the start of a sentence too."""
    in_sentences = Counter(NAME.findall(document))
    uses = Counter(CAPITALISED.findall(document))
    return Counter({name: uses[name] for name, count in in_sentences.items() if count >= NAME_USES})


def similarities(names: list[Counter[str]]) -> np.ndarray:
    """(documents, documents): cosine similarity of tf-idf vectors of names."""
    users: dict[str, list[int]] = defaultdict(list)
    for index, counts in enumerate(names):
        for name in counts:
            users[name].append(index)
    products = np.zeros((len(names), len(names)), np.float32)
    for name, indices in users.items():
        if 1 < len(indices) <= COMPARED:
            uses = np.array([names[index][name] for index in indices], np.float32)
            weights = (1 + np.log(uses)) * np.log(len(names) / len(indices))
            products[np.ix_(indices, indices)] += np.outer(weights, weights)
    lengths = np.sqrt(np.maximum(products.diagonal(), 1e-6))
    products /= lengths[:, None]
    products /= lengths
    return products


def grouped(linked: np.ndarray) -> list[list[int]]:
    """The connected components of a symmetric matrix of links."""
    groups, seen = [], np.zeros(len(linked), bool)
    for start in range(len(linked)):
        if seen[start]:
            continue
        seen[start] = True
        group = [start]
        for index in group:  # grows meanwhile
            new = np.flatnonzero(linked[index] & ~seen)
            seen[new] = True
            group.extend(new.tolist())
        groups.append(sorted(group))
    return groups


def choose(
    documents: list[str], names: list[Counter[str]], similarity: np.ndarray, groups: list[list[int]], share: float
) -> tuple[list[list[int]], set[int]]:
    """The groups that are held out, and the other documents that may be of the same books."""
    users: dict[str, set[int]] = defaultdict(set)
    mentions: dict[str, set[int]] = defaultdict(set)
    for index, document in enumerate(documents):
        for name, count in Counter(CAPITALISED.findall(document)).items():
            users[name].add(index)
            if count >= MENTIONS:
                mentions[name].add(index)
    wanted = share * sum(map(len, documents))
    chosen: list[list[int]] = []
    doubtful: set[int] = set()
    for group in sorted((group for group in groups if len(group) in PARTS), key=lambda group: _hash(documents, group)):
        if wanted <= 0:
            break
        parts = Counter(name for index in group for name in names[index] if len(mentions[name]) <= MENTIONED_IN)
        main = Counter(name for index in group for name in parts if names[index][name] >= MAIN_USES)
        near = set(np.flatnonzero((similarity[group] >= DOUBTFUL).any(axis=0)).tolist())  # the group, too
        near = near.union(*(mentions[name] for name, count in main.items() if count > 1))
        is_novel = max(parts.values(), default=0) >= SHARING_ONE_NAME * len(group)
        if is_novel and len(near) <= (1 + NEIGHBOURS) * len(group):
            ours = {name: len(users[name].intersection(group)) for name in parts}
            own = (name for name, n in ours.items() if n >= OWN_PARTS and n >= OWN_SHARE * len(users[name]))
            doubtful |= near.union(*(users[name] for name in own))
            chosen.append(group)
            wanted -= sum(len(documents[index]) for index in group)
    return chosen, doubtful.difference(*chosen)


def _hash(documents: list[str], group: list[int]) -> str:
    return hashlib.sha256("\n\n".join(sorted(documents[index] for index in group)).encode()).hexdigest()


def _counts(documents: list[str], part: Collection[int]) -> str:
    size = sum(len(documents[index].encode()) for index in part)
    return f"{len(part):,} documents, {size / 1e6:.1f} MB"


if __name__ == "__main__":
    typer.run(main)
