"""Views of what differs between a text and another one of the same length, at a prediction that a person chooses."""

from typing import ClassVar

from PySide6.QtWidgets import QLayout, QPushButton

from ..compute.head_questions import HeadTarget, why_no_target
from ..compute.question import Key
from ..compute.swap_targets import swap_targets
from ..figures.script import other_text
from ..look import numbers, say
from ..state import Reading, Selection
from ..widgets.target_choice import TargetChoice, Targets
from .values_view import ValuesView


class TwoTextsView(ValuesView):
    """`targets` says what is asked about; `pair` is the model and both texts, () where there is nothing to ask."""

    what_it_shows: ClassVar[str]  # said where there is no other text yet

    def lay_out_cards(self) -> QLayout:
        """The pictures and what stands beside them; `choice` is one of these."""
        return super().lay_out()

    def lay_out(self) -> QLayout:
        self.targets, self.choice = Targets(self), TargetChoice()
        self.choice.use(self.targets)
        self.pair: Key = ()
        self._has_targets = False  # something can be asked about them, if they were of one length
        self.targets.chosen.connect(self.ask_again)
        self.targets.contrast_edited.connect(self.contrast_edited)
        return self.lay_out_cards()

    def offers(self) -> list[QPushButton]:
        self.try_it = self.offer_of_texts()
        return [self.try_it]

    def targets_for(self, ours: Reading, theirs: Reading, position: int) -> list[HeadTarget]:
        """What can be asked about both."""
        return swap_targets(ours, theirs, position)

    @property
    def compared_python(self) -> str:
        """The other text, whatever else the baseline is."""
        return "" if self.reading is None or self.reading.other_text is None else other_text(self.reading.other_text)

    def other_pair(self) -> None:
        """Other texts, or another model: what belongs to those before is over."""

    def ask_again(self) -> None:
        """A person has chosen something else to be asked about."""
        self.pause_ms = 0
        self.redraw()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.choose_targets(reading, selection)
        super().show_reading(reading, selection)

    def choose_targets(self, reading: Reading, selection: Selection) -> None:
        """What can be asked about these texts; what was asked about them stays."""
        ours, theirs = reading.plain, reading.other_text
        pair: Key = ()
        targets = [] if theirs is None else self.targets_for(ours, theirs, selection.position)
        self._has_targets = bool(targets)
        if theirs is not None and targets and len(ours.encoding) == len(theirs.encoding):
            pair = ours.request.model, ours.request.model_input, theirs.request.model_input
        else:
            targets = []
        asked = self.targets.target if pair == self.pair else None
        if pair != self.pair:
            self.pair = pair
            self.other_pair()
        if asked is not None and targets and asked not in (self.targets.own, *targets):
            targets = [asked, *targets]  # it stays, whatever token is clicked
        position = next((one.target.position for one in (asked, *targets) if one is not None), None)
        self.targets.set_targets(ours, -1 if position is None else position, selection.contrast, targets, theirs)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        if reading.other_text is None:
            how = say("Choose it under “Compare” at the top (Ctrl+Alt+A): one of the same length with another answer.")
            return say("Two texts that differ in one word"), f"{say(self.what_it_shows)} {how}"
        if self.pair:
            return None
        if not self._has_targets:
            return say("No prediction to explain"), why_no_target(reading)
        return say("The texts differ in length"), say(
            "This text has {ours} tokens, the other one {theirs}. Each place is swapped with the same place of "
            "the other text, so both need the same number of tokens.",
            ours=numbers.count(len(reading.encoding)),
            theirs=numbers.count(len(reading.other_text.encoding)),
        )
