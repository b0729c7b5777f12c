"""How WordPiece cuts a word, one try at a time: the longest beginning first, then one letter less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame

from ..look import theme
from ..look.say import say
from ..widgets.card import button, label
from ..widgets.flow_layout import FlowLayout
from ..widgets.layouts import vbox

STEP_MS = 450
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
        rest, before = "".join(plain[number:]), tuple(pieces[:number])
        prefix = CONTINUES if number else ""
        made += [Try(prefix + rest[:size], False, before) for size in range(len(rest), len(piece), -1)]
        made.append(Try(prefix + piece, True, (*before, pieces[number])))
    return made


class CuttingSteps(QFrame):
    """Step shows the next try, Play all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "task")
        self._word, self._tries, self._shown = "", list[Try](), 0
        self._tried, self._found = label("", wrap=True), label("", "strong", wrap=True)
        self.step = button(say("Step"), self._on_step_clicked, look="small")
        self.play = button(say("Play"), self._on_play_clicked, look="small")
        self.again = button(say("Again"), self._on_again_clicked, look="small")
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        pad = theme.px(10)
        buttons = FlowLayout()
        for each in (self.step, self.play, self.again):
            buttons.addWidget(each)
        vbox(self._tried, self._found, buttons, parent=self, gap_px=6, margins=pad)

    @property
    def found(self) -> str:
        return self._found.text()

    def set_word(self, word: str, pieces: Sequence[str]) -> None:
        """Begins again where it is another word, or cut in another way."""
        made = tries(pieces)
        if (word, made) != (self._word, self._tries):
            self._word, self._tries, self._shown = word, made, 0
            self._show()

    def _on_step_clicked(self) -> None:
        self._timer.stop()
        self._go(self._shown + 1)

    def _on_play_clicked(self) -> None:
        if self._shown == len(self._tries):
            self._shown = 0
        self._timer.start()

    def _on_again_clicked(self) -> None:
        self._timer.stop()
        self._go(0)

    def _on_timer_timeout(self) -> None:
        self._go(self._shown + 1)
        if self._shown == len(self._tries):
            self._timer.stop()

    def _go(self, shown: int) -> None:
        self._shown = min(shown, len(self._tries))
        self._show()

    def _show(self) -> None:
        if self._shown == 0:
            self._tried.setText(say("“{word}”: is the whole word in the vocabulary?", word=self._word))
            self._found.setText("")
        else:
            last = self._tries[self._shown - 1]
            self._tried.setText(
                say("{piece} is in the vocabulary: cut." if last.is_known else "{piece}: not there.", piece=last.piece)
            )
            self._found.setText("  ".join(last.found))
        self.step.setEnabled(self._shown < len(self._tries))
