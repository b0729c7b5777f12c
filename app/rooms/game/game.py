"""The guessing game without widgets: its sentences, whose turn it is, and the score."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bertcore.locations import assets
from bertcore.tokenizer.text_spans import Place

MASK = "[MASK]"  # is understood whatever the vocabulary calls its mask
GUESSES, ROUNDS = 5, 10
POINTS_FIRST, POINTS_AMONG = 2, 1
_PUZZLE = re.compile(r"(?P<before>[^\[\]]*)\[(?P<answers>[^\[\]]+)\](?P<after>[^\[\]]*)")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Puzzle:
    """A sentence with a hidden word."""

    before: str
    answers: tuple[str, ...]  # the word that was hidden, then others that count as right
    after: str

    @property
    def answer(self) -> str:
        return self.answers[0]

    @property
    def text(self) -> str:
        """As the model reads it."""
        return f"{self.before}{MASK}{self.after}"

    @property
    def whole(self) -> str:
        """With the word in its place."""
        return f"{self.before}{self.answer}{self.after}"

    @property
    def place(self) -> Place:
        """Of the word, in the whole sentence."""
        return Place("a", len(self.before), len(self.before) + len(self.answer))

    @property
    def gap(self) -> Place:
        """Of the mask, in the text."""
        return Place("a", len(self.before), len(self.before) + len(MASK))

    def is_right(self, guess: str) -> bool:
        return _plain(guess) in {_plain(answer) for answer in self.answers}

    def rank_in(self, guesses: Sequence[str]) -> int | None:
        """Of the first right guess, from 0; None where there is none among the first few."""
        return next((rank for rank, guess in enumerate(guesses[:GUESSES]) if self.is_right(guess)), None)


def points_for(rank: int | None) -> int:
    """rank: of the right guess, from 0."""
    if rank is None:
        return 0
    return POINTS_FIRST if rank == 0 else POINTS_AMONG


def parse_puzzle(line: str) -> Puzzle | None:
    """`We drink tea from a [cup|mug].`; None for anything else."""
    match = _PUZZLE.fullmatch(line.strip())
    if match is None:
        return None
    answers = tuple(answer.strip() for answer in match["answers"].split("|"))
    return Puzzle(match["before"], answers, match["after"]) if all(answers) else None


def load_puzzles() -> list[Puzzle]:
    """Those that ship, in the order in which they are played."""
    lines = (assets() / "game" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    found = [parse_puzzle(line) for line in lines if line.strip() and not line.startswith("#")]
    return [puzzle for puzzle in found if puzzle is not None]


def puzzles_of(sentence: str) -> list[Puzzle]:
    """One for each word of a sentence, with that word hidden."""
    return [
        Puzzle(sentence[: match.start()], (match[0],), sentence[match.end() :]) for match in _WORD.finditer(sentence)
    ]


def words_of(line: str) -> list[str]:
    """What the class has typed: up to five words, each once, the surest first."""
    return list(dict.fromkeys(match[0] for match in _WORD.finditer(line)))[:GUESSES]


class Phase(Enum):
    WELCOME = auto()  # before the first sentence
    GUESS = auto()  # the class guesses
    SHOWN = auto()  # the answer is on show
    OWN = auto()  # somebody writes a sentence
    END = auto()


class Game:
    """Outlives the widgets: the window may be built again at another size in the middle of it."""

    def __init__(self, puzzles: Sequence[Puzzle]) -> None:
        self._puzzles, self._next = puzzles, 0
        self.phase = Phase.WELCOME
        self.puzzle: Puzzle | None = None
        self.round = 0  # from 1
        self.played: list[tuple[Puzzle, int, int]] = []  # sentences, and what class and model got for each
        self.typed = ""  # what the class guesses
        self.own_sentence = ""
        self.model_words: list[tuple[str, float]] = []  # word, probability; once the answer is on show
        self._is_between = True  # an own sentence begins a round

    @property
    def score(self) -> tuple[int, int]:
        """Of the class and of the model, so far."""
        return sum(points for _, points, _ in self.played), sum(points for *_, points in self.played)

    @property
    def class_words(self) -> list[str]:
        return words_of(self.typed)

    @property
    def points(self) -> tuple[int, int]:
        """For the sentence on show."""
        if self.puzzle is None:
            return 0, 0
        of_model = [word for word, _ in self.model_words]
        return points_for(self.puzzle.rank_in(self.class_words)), points_for(self.puzzle.rank_in(of_model))

    def advance(self, can_play: Callable[[Puzzle], bool]) -> None:
        """The next sentence, or the end after the last. can_play: whether the model could find the word at all."""
        self._begin_where_none_is()
        if self.phase is Phase.SHOWN and self.round >= ROUNDS:
            self.end()
        else:
            self.play(self._take(can_play), is_new_round=True)

    def skip(self, can_play: Callable[[Puzzle], bool]) -> None:
        """Another sentence, in the same round unless that is over."""
        self.play(self._take(can_play), is_new_round=self.phase is Phase.OWN and self._is_between)

    def end(self) -> None:
        self.phase, self.puzzle = Phase.END, None

    def play(self, puzzle: Puzzle, *, is_new_round: bool) -> None:
        self.round += is_new_round or self.round == 0
        self.phase, self.puzzle, self.typed, self.model_words = Phase.GUESS, puzzle, "", []

    def show_answer(self, model_words: Sequence[tuple[str, float]]) -> None:
        """Counts what both have guessed. model_words: with probabilities, most likely first."""
        if self.phase is not Phase.GUESS:
            return
        self.phase, self.model_words = Phase.SHOWN, list(model_words[:GUESSES])
        if self.puzzle is not None:
            self.played.append((self.puzzle, *self.points))

    def write_own(self) -> None:
        """Somebody writes the sentence of this round, or of the next one."""
        self._begin_where_none_is()
        self._is_between = self.phase is not Phase.GUESS
        self.phase = Phase.OWN

    def play_own(self, puzzle: Puzzle) -> None:
        self.play(puzzle, is_new_round=self._is_between)

    def _begin_where_none_is(self) -> None:
        if self.phase in (Phase.WELCOME, Phase.END):
            self.round, self.played = 0, []

    def _take(self, can_play: Callable[[Puzzle], bool]) -> Puzzle:
        """The next that can be played; where none can, the next."""
        count = len(self._puzzles)
        order = [(self._next + step) % count for step in range(count)]
        chosen = next((number for number in order if can_play(self._puzzles[number])), order[0])
        self._next = chosen + 1
        return self._puzzles[chosen]


def _plain(word: str) -> str:
    """A continuation such as ##s is no word of its own: it keeps its marks, and equals none."""
    return word.strip(" .,;:!?\"'“”‘’·").casefold()
