"""What was there before: verdicts on other pairs, and the guesses from before a word was put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.look import theme
from app.rooms.predict.numbers import probability_text
from app.state.model_info import ModelInfo
from app.state.readings import MaskReading, Reading
from app.state.state import moved_positions
from app.widgets.card import Card, Hint, button, label
from app.widgets.controls import IconButton
from bertcore.tokenizer.tokenizer import Encoding

MOST_FORMER, MOST_ROWS = 4, 6
LONGEST = 20  # characters of a sentence in the list of pairs


@dataclass(frozen=True)
class Former:
    """A verdict that was given on a pair."""

    a: str
    b: str
    said: str  # "B follows A: 93 %"


class FormerVerdicts(QWidget):
    """A short list, newest first; each can be brought back."""

    chosen = Signal(object)  # Former

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Former] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(theme.px(6))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, theme.px(6), 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addWidget(label("Asked before", "title"))
        layout.addLayout(self._lines)
        self.hide()

    def set_all(self, former: Sequence[Former]) -> None:
        self.all = list(former)[:MOST_FORMER]
        clear(self._lines)
        for one in self.all:
            self._lines.addWidget(self._line(one))
        self.setVisible(bool(self.all))

    def add(self, former: Former) -> None:
        self.set_all([former, *(one for one in self.all if (one.a, one.b) != (former.a, former.b))])

    def remove(self, a: str, b: str) -> None:
        """A pair that is on show again is no former one."""
        self.set_all([one for one in self.all if (one.a, one.b) != (a, b)])

    def _line(self, one: Former) -> QWidget:
        line = QWidget()
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(Hint(one.said))
        texts.addWidget(Hint(f"{_cut(one.a)} / {_cut(one.b)}"))
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(texts, 1)
        row.addWidget(button("Back", partial(self.chosen.emit, one), look="small", hint=f"Back to: {one.a} / {one.b}"))
        return line


@dataclass(frozen=True, eq=False)
class Kept:
    """The guesses from before words were put in."""

    what: str  # was put in: “dog”
    encoding: Encoding
    masks: tuple[MaskReading, ...]
    put_in: tuple[tuple[int, str], ...]  # (position then, word)
    pair: str = ""  # the verdict on A and B then
    model: ModelInfo | None = None  # whose guesses they were


@dataclass(frozen=True)
class Row:
    """One mask: its position now, its best guess then, and what stands or is guessed there now."""

    position: int
    before: str
    now: str


def rows_of(kept: Kept, reading: Reading) -> list[Row]:
    """What became of each mask. Those whose place is gone, or has something else in it now, are left out.

    None where it is all as it was: what was put in has been taken back.
    """
    if kept.model is not None and kept.model != reading.request.model:
        return []
    masked = [mask.position for mask in reading.masks]
    if kept.encoding.ids == reading.encoding.ids and masked == [mask.position for mask in kept.masks]:
        return []
    moved = moved_positions(_keys(kept.encoding), _keys(reading.encoding))
    put_in = dict(kept.put_in)
    now = {mask.position: mask for mask in reading.masks}
    is_as_long = _is_same_but(kept, reading)  # then a word in another's place has kept its place
    rows = []
    for mask in kept.masks:
        at = moved.get(mask.position, mask.position if is_as_long else -1)
        if at in now:
            rows.append(Row(at, _best(mask), _best(now[at])))
        elif at >= 0 and reading.encoding.labels[at] == put_in.get(mask.position):
            rows.append(Row(at, _best(mask), f"{put_in[mask.position]}, put in"))
    return rows


def _is_same_but(kept: Kept, reading: Reading) -> bool:
    """Whether nothing but masks and words put in differs, place by place."""
    masks = {mask.position for mask in kept.masks}
    pairs = enumerate(zip(kept.encoding.ids, reading.encoding.ids, strict=False))
    is_as_long = len(reading.encoding) == len(kept.encoding)
    return is_as_long and all(then == now or at in masks for at, (then, now) in pairs)


class KeptCard(Card):
    """Best guesses before and after, until they are dismissed."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__("Before")
        self.rows: list[Row] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.px(8))
        self._grid.setVerticalSpacing(theme.px(4))
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        self._pair = label("", "muted", wrap=True)
        self.body.addLayout(self._grid)
        self.body.addWidget(self._pair)
        self.add_to_header(IconButton("close", "Forget what was before", self.dismissed.emit))
        self.hide()

    @property
    def pair(self) -> str:
        """The verdict on A and B, before and after."""
        return "" if self._pair.isHidden() else self._pair.text()

    def show_kept(self, kept: Kept | None, reading: Reading, pair: str) -> None:
        """pair: the verdict on A and B now."""
        self.rows = [] if kept is None else rows_of(kept, reading)[:MOST_ROWS]
        self.setVisible(bool(self.rows))
        if kept is None or not self.rows:
            return
        self.set_title(f"Before {kept.what}")
        clear(self._grid)
        for line, row in enumerate(self.rows):
            cells = (label(str(row.position), "muted"), Hint(row.before), label("→", "muted"), Hint(row.now))
            for column, cell in enumerate(cells):
                self._grid.addWidget(cell, line, column)
        self._pair.setVisible(bool(kept.pair and pair))
        self._pair.setText(f"{kept.pair} → {pair}")


def clear(layout: QLayout) -> None:
    """Takes all widgets out, for good."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def _cut(text: str) -> str:
    """So much of a sentence that two fit in a line."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _best(mask: MaskReading) -> str:
    return f"{mask.words[0].token} {probability_text(mask.words[0].probability)}"


def _keys(encoding: Encoding) -> list[object]:
    return list(zip(encoding.parts, encoding.tokens, strict=True))
