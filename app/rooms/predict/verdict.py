"""Is B the next sentence? The verdict in words, a number and a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets.card import Card, label, set_role

if TYPE_CHECKING:
    from bertcore.analysis.predict import NextSentence


SURE = 0.65  # below this the verdict is little more than a coin toss


class ShareBar(QWidget):
    """A share 0..1 as a filled bar, with the middle marked."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float) -> None:
        self._share = share
        self.setAccessibleName(f"Probability that B follows A: {share:.2f}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(14))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        box = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        radius = box.height() / 2
        painter.setBrush(theme.color("track"))
        painter.drawRoundedRect(box, radius, radius)
        painter.setBrush(theme.color("good" if self._share >= 0.5 else "bad"))
        filled = max(box.width() * self._share, box.height())
        painter.drawRoundedRect(QRectF(box.x(), box.y(), filled, box.height()), radius, radius)
        painter.setPen(theme.color("card"))
        painter.drawLine(QPointF(box.center().x(), box.top()), QPointF(box.center().x(), box.bottom()))


class VerdictCard(Card):
    """The next-sentence head's answer, or the reason why there is none."""

    def __init__(self) -> None:
        super().__init__("Is B the next sentence?")
        self._answer, self._number = label("", "verdict"), label("", "strong")
        self._bar = ShareBar()
        self._words = label("", "muted", wrap=True)
        for widget in (self._answer, self._number, self._bar, self._words):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    @property
    def text(self) -> str:
        return f"{self._answer.text()} {self._number.text()} {self._words.text()}".strip()

    def show_verdict(self, verdict: NextSentence) -> None:
        follows = verdict.is_next >= 0.5
        sure = max(verdict.is_next, verdict.not_next)
        set_role(self._answer, "verdict-unsure" if sure < SURE else "verdict" if follows else "verdict-no")
        self._answer.setText("Unsure" if sure < SURE else "Yes" if follows else "No")
        self._number.setText(f"B {'follows' if follows else 'does not follow'} A: {percent(sure)}")
        self._bar.set_share(verdict.is_next)
        self._words.setText(
            "The next-sentence head reads [CLS] and gives "
            f"IsNext {verdict.is_next:.3f}, NotNext {verdict.not_next:.3f}."
        )
        self._set_shown(True)

    def show_reason(self, reason: str) -> None:
        """Why there is no verdict."""
        self._words.setText(reason)
        for widget in (self._answer, self._number):
            widget.setText("")
        self._set_shown(False)

    def _set_shown(self, shown: bool) -> None:
        for widget in (self._answer, self._number, self._bar):
            widget.setVisible(shown)


def percent(share: float) -> str:
    """Whole percents; never 100 % for what is less than certain."""
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"
