"""The predictions from before words were inserted, beside those of now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal

from bertcore.tokenizer.text_spans import moved_positions
from bertcore.tokenizer.tokenizer import Encoding

from ...look import numbers
from ...look.say import isolated, say
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
        return cls(model, reading.encoding, tuple(reading.masks), inserted, "" if verdict is None else verdict.number)


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
    then, encoding, now = previous.encoding, reading.encoding, {mask.position: mask for mask in reading.masks}
    is_undone = then.ids == encoding.ids and list(now) == [mask.position for mask in previous.masks]
    if previous.model != reading.request.model or is_undone:
        return []
    keys = (list[object](zip(one.parts, one.tokens, strict=True)) for one in (then, encoding))
    moved, inserted, is_same = moved_positions(*keys), dict(previous.inserted), _is_same_but(previous, encoding)
    rows = []
    for mask in previous.masks:
        at = moved.get(mask.position, mask.position if is_same else -1)
        if at in now:
            rows.append(Row(at, _best(mask), _best(now[at])))
        elif at >= 0 and encoding.labels[at] == inserted.get(mask.position):
            rows.append(Row(at, _best(mask), inserted[mask.position], is_inserted=True))
    return rows


class PreviousCard(Card):
    """Best guesses before and after, until it is closed."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__(say("Before"))
        self.rows: list[Row] = []
        self.changes = BeforeAfter()
        self.body.addWidget(self.changes)
        self.add_to_header(IconButton("close", say("Clear the previous predictions"), self.dismissed.emit))
        self.hide()

    def show_previous(self, previous: PreviousPredictions | None, reading: Reading, pair: str) -> None:
        """pair: the verdict on A and B now."""
        self.rows = [] if previous is None else rows_of(previous, reading)[:MOST_ROWS]
        self.setVisible(bool(self.rows))
        if previous is None or not self.rows:
            return
        words = [word for _, word in previous.inserted]
        title = say("Before %n word(s) were inserted", n=len(words))
        self.set_title(say("Before “{word}” was inserted", word=words[0]) if len(words) == 1 else title)
        now = (say("{word}, inserted", word=row.now) if row.is_inserted else row.now for row in self.rows)
        rows = [(str(row.position), row.before, text) for row, text in zip(self.rows, now, strict=True)]
        self.changes.set_rows(rows)
        self.changes.set_sentence(f"{previous.pair} → {pair}" if previous.pair and pair else "")


def _is_same_but(previous: PreviousPredictions, encoding: Encoding) -> bool:
    """Whether nothing but masks and inserted words differs, place by place: then a word has kept its place."""
    masks, then = {mask.position for mask in previous.masks}, previous.encoding.ids
    pairs = enumerate(zip(then, encoding.ids, strict=False))
    return len(then) == len(encoding.ids) and all(one == other or at in masks for at, (one, other) in pairs)


def _best(mask: MaskReading) -> str:
    return f"{isolated(mask.words[0].token)} {numbers.probability(mask.words[0].probability)}"
