"""Whole books are held out of a text whose documents are parts of unnamed books."""

import gzip
import random
from pathlib import Path

import pytest
import typer

from bertcore.data.text import Documents
from scripts.split_books import main

BOOKS, PARTS = 12, 7
FIRST, LAST = ("Bar", "Cor", "Dun", "Fel", "Gan", "Hul"), ("dax", "mire")


def _name(book: int, person: int) -> str:
    return f"{FIRST[book % 6]}{LAST[book // 6]}{'aeiou'[person]}n"


def _part(book: int, part: int, rng: random.Random) -> str:
    people = [_name(book, person) for person in range(3)]
    lines = [f"In part {part} a {rng.choice(['king', 'cook'])} met {person}, and {person} spoke." for person in people]
    return "\n".join(line for line in lines for _ in range(5))


def _doubtful(book: int) -> str:
    """Has a character of a book, but no name in mid-sentence."""
    return "\n".join(f"{_name(book, 0)} came on day {day}." for day in range(3))


@pytest.fixture
def text(tmp_path: Path) -> str:
    rng = random.Random(0)
    documents = [_part(book, part, rng) for book in range(BOOKS) for part in range(PARTS)]
    documents += [_doubtful(book) for book in range(BOOKS)]
    rng.shuffle(documents)
    return "\n\n".join(documents) + "\n"


def _split(file: Path, out: Path) -> tuple[set[str], set[str]]:
    main(file, out, 0.2)
    train, held_out = (
        {"\n".join(document) for document in Documents([out / f"books-{part}.txt.xz"])}
        for part in ("train", "held-out")
    )
    return train, held_out


def test_whole_books_are_held_out_and_what_may_belong_to_them_is_not_trained_on(tmp_path: Path, text: str) -> None:
    (tmp_path / "books.txt").write_text(text)
    train, held_out = _split(tmp_path / "books.txt", tmp_path / "out")
    documents = set(text.rstrip("\n").split("\n\n"))
    assert train | held_out <= documents and not train & held_out
    books = [{document for document in documents if _name(book, 1) in document} for book in range(BOOKS)]
    chosen = [book for book, parts in enumerate(books) if parts <= held_out]
    assert held_out == set().union(*(books[book] for book in chosen))
    assert 0.2 * BOOKS <= len(chosen) <= 0.2 * BOOKS + 1
    assert documents - train - held_out == {_doubtful(book) for book in chosen}


def test_the_files_are_the_same_each_time_and_for_packed_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "books.txt").write_text(text)
    (tmp_path / "books.txt.gz").write_bytes(gzip.compress(text.encode()))
    for file, out in (("books.txt", "one"), ("books.txt", "two"), ("books.txt.gz", "three")):
        main(tmp_path / file, tmp_path / out, 0.2)
    for part in ("train", "held-out"):
        one, two, three = ((tmp_path / out / f"books-{part}.txt.xz").read_bytes() for out in ("one", "two", "three"))
        assert one == two == three


def test_text_without_books_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "books.txt").write_text("It rained.\n\nIt snowed.\n")
    with pytest.raises(typer.BadParameter, match="No 6 to 12 documents of .*books.txt share rare names"):
        main(tmp_path / "books.txt", tmp_path / "out", 0.2)
    assert not (tmp_path / "out").exists()
