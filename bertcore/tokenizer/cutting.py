"""How WordPiece cuts a word, one try at a time: the longest beginning first, then one letter less."""

from collections.abc import Sequence
from dataclasses import dataclass

CONTINUES = "##"


@dataclass(frozen=True)
class Try:
    """A piece that is looked up in the vocabulary."""

    piece: str
    is_known: bool
    found: tuple[str, ...]  # pieces so far, this one included if it is known


def tries(pieces: Sequence[str]) -> list[Try]:
    """What is looked up on the way to these pieces: everything longer than a piece was not in the vocabulary.

    >>> [(each.piece, each.is_known) for each in tries(["sn", "##ow"])]
    [('snow', False), ('sno', False), ('sn', True), ('##ow', True)]
    """
    plain = [piece.removeprefix(CONTINUES) for piece in pieces]
    made: list[Try] = []
    for number, piece in enumerate(plain):
        rest, known = "".join(plain[number:]), tuple(pieces[:number])
        prefix = CONTINUES if number else ""
        made += [Try(prefix + rest[:size], False, known) for size in range(len(rest), len(piece), -1)]
        made.append(Try(prefix + piece, True, (*known, pieces[number])))
    return made
