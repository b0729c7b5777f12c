"""What training does to the weights: how far each part moves in a step, and whether that is as it should be."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ...look import numbers
from ...runs.updates import LARGE, Update, verdict_of
from ...widgets.card import label, set_role
from ...widgets.layouts import vbox
from .updates_picture import UpdatesPicture, share


class WeightsPage(QWidget):
    """Shows the newest measured step, or the one under the mouse."""

    def __init__(self) -> None:
        super().__init__()
        self._updates: list[Update] = []
        self.verdict = label("", "strong", wrap=True)
        self.picture = UpdatesPicture()
        self.picture.hovered.connect(self._on_picture_hovered)
        self.about = label("", "muted")
        vbox(self.verdict, (self.picture, 1), self.about, parent=self, gap_px=8)

    def show_updates(self, updates: list[Update]) -> None:
        """All of the run, by step."""
        if len(updates) == len(self._updates) and updates[-1:] == self._updates[-1:]:
            return
        self._updates = list(updates)
        self.picture.set_updates(self._updates)
        self._show_verdict()
        self._show_step()

    def _show_verdict(self) -> None:
        kind = verdict_of(self._updates)
        most = share(max((max(update.ratio.values()) for update in self._updates), default=0.0))
        words = {
            "usual": self.tr(
                "As in our healthy runs: at most {most} in a step, and less at the end, as the learning rate falls."
            ),
            "large": self.tr(
                "Too far: up to {most} in a step; healthy runs stay below {limit}. Try a tenth of the learning rate."
            ),
            "small": self.tr("It hardly moves: at most {most} in a step. Try ten times the learning rate."),
            "": self.tr("Too few steps so far to say whether this is usual."),
        }[kind]
        self.verdict.setText(words.format(most=most, limit=share(LARGE)))
        set_role(self.verdict, "error" if kind in ("large", "small") else "strong")

    def _on_picture_hovered(self, _cell: object) -> None:
        self._show_step()

    def _show_step(self) -> None:
        """Whose numbers stand beside the picture."""
        if self._updates:
            text = self.tr("At step {step}. Gradient: how hard the loss pulls on the part, before clipping.")
            self.about.setText(text.format(step=numbers.count(self.picture.shown.step)))
