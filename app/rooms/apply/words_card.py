"""Below the predicted class: which words of the text support it, each masked once."""

from __future__ import annotations

from ...compute.head_questions import HeadTarget, targets_of
from ...figures.figure import Figure, joined, model_text, numbers_of, pair_text, picture_of
from ...look.say import say
from ...state.readings import Reading
from ...state.token_units import Units
from ...widgets.card import scrolled
from ...widgets.charts.tokens import SharesCard
from ...widgets.layouts import fill


class WordsCard(SharesCard):
    """The text with each word as strongly coloured as the class loses without it (`attribution.leave_one_out`)."""

    def __init__(self) -> None:
        super().__init__(say("Which words decided"), say("How much each word adds to the answer"))
        self._reading: Reading | None = None
        fill(self.body, self.scale, self.line, (scrolled(self.tokens), 1))
        self.set_figure(self._figure)

    def show_target(self, reading: Reading, units: Units, target: HeadTarget) -> None:
        """What is asked about: a class of the model as it is without changes inside."""
        self._reading, self.units = reading, units
        how = say(
            "Each word is masked in turn. Red: without it the model is less sure of “{label}”. Blue: surer. +0.7: half "
            "as likely without it."
        )
        changed = say("Computed for the model without your changes.") if reading.unchanged is not None else ""
        self.set_intro(f"{how.format(label=target.label)} {changed}".strip())

    def _figure(self) -> Figure | None:
        if self._reading is None or self.units is None or not self.scores:
            return None
        model, encoding = self._reading.request.model, self._reading.encoding
        caption = joined(model_text(model), pair_text(encoding.text_a, encoding.text_b), self.intro)
        shares = {"share": numbers_of("token", self.units.labels, self.scores)}
        return Figure(self.title, picture_of([self.tokens, self.scale]), shares, caption, model.name)


def class_target(reading: Reading) -> HeadTarget | None:
    """The likeliest class of the unchanged model; None where it reads no classes."""
    targets = targets_of(reading.plain, 0)
    return next((target for target in targets if target.target.head == "classify" and not target.is_score), None)
