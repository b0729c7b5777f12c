"""The line at the bottom: what is on the screen, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from ..look import numbers, say, theme
from ..look.fitting import plain_tip
from ..state import Reading
from .card import Hint, label
from .highlights import name_highlight

if TYPE_CHECKING:
    from bertcore.analysis.reference_values import ReferenceCheck

HEIGHT_PX, GAP_PX, SIDE_PX = 26, 24, 14


class StatusLine(QFrame):
    """Left: facts, then what is under the mouse. Right: keys, where there is room for them.

    It places its words itself: they change with every key, and a layout would work out the whole window anew.
    """

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "status")
        self.setAccessibleName(say("Status"))
        self.setFixedHeight(theme.px(HEIGHT_PX))
        self._floats = False
        self._facts, self._hover, self._keys = Hint(), Hint(), label(keys, "muted")
        for part in (self._facts, self._hover, self._keys):
            part.setParent(self)
        name_highlight(self._facts, "status")

    @property
    def text(self) -> str:
        return self._facts.text()

    def float_over(self, parent: QWidget) -> None:
        """For a projector: it takes no height, but lies over the lower edge of `parent` while the mouse is on something
        that it has words for."""
        self._floats = True
        self.setParent(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_facts(self, text: str, meaning: str = "") -> None:
        """meaning: of a word in it, for the tool tip."""
        self._facts.setText(text)
        self._facts.setToolTip(plain_tip(f"{text}\n{meaning}".strip()))
        self._place()

    def set_hover(self, text: str) -> None:
        """What is under the mouse: token, dimension, value."""
        self._hover.setText(text)
        self._place()
        if self._floats:
            self.setVisible(bool(text))
            self.raise_()

    def _place(self) -> None:
        """The keys are always the same: they go first. Then the facts get shorter, to a third of the line."""
        side, gap = theme.px(SIDE_PX), theme.px(GAP_PX)
        room = self.width() - 2 * side
        parts = self._facts, self._hover, self._keys
        wanted = (part.fontMetrics().horizontalAdvance(part.text()) + 2 if part.text() else 0 for part in parts)
        facts, hover, keys = wanted  # the widths of all their words
        self._keys.setVisible(facts + hover + keys + 2 * gap <= room)
        self._keys.setGeometry(side + room - keys, 0, keys, self.height())
        facts = min(facts, max(room - hover - gap, room // 3))
        self._facts.setGeometry(side, 0, facts, self.height())
        self._hover.setGeometry(side + facts + gap, 0, max(min(hover, room - facts - gap), 0), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, theme.px(HEIGHT_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()


def facts_about(reading: Reading, draw_ms: float, verified: str) -> str:
    """What the line says of a reading. verified: what the check of the values stored with the model gave."""
    encoding, model = reading.encoding, reading.request.model
    masked, tokens = len(reading.request.masked), len(encoding)
    masks = say("%n masked", n=masked) if masked else ""
    if encoding.text_b is None:
        parts = say("one sentence")
    elif model.has_segments:
        count = encoding.segments.count
        parts = say("segment A {a} · segment B {b}", a=count(0), b=count(1))
    else:  # special tokens are of neither
        count_of = encoding.parts.count
        parts = say("sentence A {a} · sentence B {b}", a=count_of("a"), b=count_of("b"))
    is_halved = reading.baseline is not None and reading.baseline.is_in_half_precision
    forward, drawn = (numbers.decimal(ms, 1) for ms in (reading.forward_ms, draw_ms))
    groups = [
        "" if model.family == "BERT" else model.family,
        " · ".join(part for part in (say("%n token(s)", n=tokens), parts, masks) if part),
        say("forward pass {forward_ms} ms · drawn in {draw_ms} ms", forward_ms=forward, draw_ms=drawn),
        f"CPU · fp32 · {verified}" if numbers.is_technical() else verified,
        say("baseline kept in half precision, to save memory") if is_halved else "",
    ]
    return "      ".join(group for group in groups if group)


def verified_words(check: ReferenceCheck | None) -> tuple[str, str]:
    """What is known of the open model's numbers, and what that means. check: None where none are stored with it."""
    if check is None:
        return say("not checked"), say(
            "Not checked: no numbers are stored with this model that this computer could be compared with. "
            "docs/parity.md says how to check it with transformers and how to store them."
        )
    if check.problem is not None:
        return say("something is off"), check.problem
    return say("numbers verified"), say(
        "Verified: this computer gets the numbers stored with the model; the largest difference is {difference}.",
        difference=numbers.number(check.largest_difference or 0.0, 1),
    )
