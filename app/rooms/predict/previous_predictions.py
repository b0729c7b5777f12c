"""The predictions from before words were inserted, beside those of now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal

from bertcore.tokenizer.tokenizer import Encoding

from ...look import numbers
from ...look.bidi import isolated
from ...look.say import say
from ...state.explore_state import moved_positions
from ...state.model_info import ModelInfo
from ...state.readings import MaskReading, Reading
from ...state.verdicts import verdict_of
from ...widgets.before_after import BeforeAfter
from ...widgets.card import Card
from ...widgets.controls import IconButton

MOST_ROWS = 6


@dataclass(frozen=True, eq=False)
class PreviousPredictions:
    """What a model predicted before words were inserted."""

    model: ModelInfo
    encoding: Encoding
    masks: tuple[MaskReading, ...]
    inserted: tuple[tuple[int, str], ...]  # position then, word
    pair: str  # the verdict on A and B; empty where there was none

    @classmethod
    def of(cls, reading: Reading, words: Sequence[tuple[int, int]]) -> PreviousPredictions:
        """words: position and token id of those that are inserted into the text of this reading."""
        model, verdict = reading.request.model, verdict_of(reading)
        inserted = tuple((position, model.tokenizer.label(token_id)) for position, token_id in words)
        pair = "" if verdict is None else verdict.number
        return cls(model, reading.encoding, tuple(reading.masks), inserted, pair)


@dataclass(frozen=True)
class Row:
    """One mask: its position now, its best guess then, and what stands or is guessed there now."""

    position: int
    before: str
    now: str
    is_inserted: bool = False  # `now` stands in the text


def rows_of(previous: PreviousPredictions, reading: Reading) -> list[Row]:
    """What became of each mask. Those whose place is gone, or has something else in it now, are left out.

    Empty where all is as it was: what was inserted has been undone.
    """
    if previous.model != reading.request.model:
        return []
    masked = [mask.position for mask in reading.masks]
    if previous.encoding.ids == reading.encoding.ids and masked == [mask.position for mask in previous.masks]:
        return []
    moved = moved_positions(_keys(previous.encoding), _keys(reading.encoding))
    inserted = dict(previous.inserted)
    now = {mask.position: mask for mask in reading.masks}
    is_as_long = _is_same_but(previous, reading)  # then a word in another's place has kept its place
    rows = []
    for mask in previous.masks:
        at = moved.get(mask.position, mask.position if is_as_long else -1)
        if at in now:
            rows.append(Row(at, _best(mask), _best(now[at])))
        elif at >= 0 and reading.encoding.labels[at] == inserted.get(mask.position):
            rows.append(Row(at, _best(mask), inserted[mask.position], is_inserted=True))
    return rows


class PreviousCard(Card):
    """Best guesses before and after, until it is closed."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__(say("Before"))
        self.rows: list[Row] = []
        self._changes = BeforeAfter()
        self.body.addWidget(self._changes)
        self.add_to_header(IconButton("close", say("Clear the previous predictions"), self.dismissed.emit))
        self.hide()

    @property
    def pair(self) -> str:
        """The verdict on A and B, before and after."""
        return self._changes.sentence

    def show_previous(self, previous: PreviousPredictions | None, reading: Reading, pair: str) -> None:
        """pair: the verdict on A and B now."""
        self.rows = [] if previous is None else rows_of(previous, reading)[:MOST_ROWS]
        self.setVisible(bool(self.rows))
        if previous is None or not self.rows:
            return
        words = [word for _, word in previous.inserted]
        self.set_title(
            say("Before “{word}” was inserted", word=words[0])
            if len(words) == 1
            else say("Before %n word(s) were inserted", n=len(words))
        )
        inserted = say("{word}, inserted")
        self._changes.set_rows(
            [
                (str(row.position), row.before, inserted.format(word=row.now) if row.is_inserted else row.now)
                for row in self.rows
            ]
        )
        self._changes.set_sentence(f"{previous.pair} → {pair}" if previous.pair and pair else "")


def _is_same_but(previous: PreviousPredictions, reading: Reading) -> bool:
    """Whether nothing but masks and inserted words differs, place by place."""
    masks = {mask.position for mask in previous.masks}
    pairs = enumerate(zip(previous.encoding.ids, reading.encoding.ids, strict=False))
    is_as_long = len(reading.encoding) == len(previous.encoding)
    return is_as_long and all(then == now or at in masks for at, (then, now) in pairs)


def _best(mask: MaskReading) -> str:
    return f"{isolated(mask.words[0].token)} {numbers.probability(mask.words[0].probability)}"


def _keys(encoding: Encoding) -> list[object]:
    return list(zip(encoding.parts, encoding.tokens, strict=True))
