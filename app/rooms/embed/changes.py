"""What a change to the input does to the model's predictions, and the card that makes such a change."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal

from bertcore.analysis.vectors import cosine

from ...figures.figure import Numbers, numbers_of
from ...look import numbers, theme
from ...look.say import quoted, say
from ...state.readings import MaskReading, Reading
from ...state.verdicts import pair_claim
from ...widgets.before_after import BeforeAfter
from ...widgets.card import Card, Hint, button, label
from ...widgets.layouts import FlowLayout, fill

MOST_ROWS = 3  # of the card
REPLACED_FROM = 0.5


@dataclass(frozen=True)
class Effect:
    """One prediction before and after the change."""

    name: str
    before: str
    after: str
    numbers: tuple[float, float]


def effects_of(reading: Reading) -> list[Effect]:
    """The best word of each mask, the verdict on the pair, replaced tokens; empty where nothing is changed."""
    before = reading.unchanged
    if before is None:
        return []
    masks = zip(before.masks, reading.masks, strict=False)
    found = [_mask_effect(reading.mask_name(was.position), was, now) for was, now in masks]
    if before.next_sentence is not None and reading.next_sentence is not None:
        shares = before.next_sentence.is_next, reading.next_sentence.is_next
        found.append(Effect(pair_claim(is_order=False), _fine(shares[0]), _fine(shares[1]), shares))
    if before.sentence_order is not None and reading.sentence_order is not None:
        shares = before.sentence_order.in_order, reading.sentence_order.in_order
        found.append(Effect(pair_claim(is_order=True), _fine(shares[0]), _fine(shares[1]), shares))
    if before.replaced is not None and reading.replaced is not None:
        was, now = (int((one > REPLACED_FROM).sum()) for one in (before.replaced, reading.replaced))
        words = say("%n token(s)", n=was), say("%n token(s)", n=now)
        found.append(Effect(say("judged replaced"), *words, (was, now)))
    return found


def _mask_effect(name: str, was: MaskReading, now: MaskReading) -> Effect:
    """name: of the mask; a word that stays the best is named beside it."""
    best = was.words[0], now.words[0]
    first, second = (_fine(word.probability) for word in best)
    if best[0].id == best[1].id:
        name = f"{name}: {quoted(best[0].token)}"
    else:
        first, second = f"{quoted(best[0].token)} {first}", f"{quoted(best[1].token)} {second}"
    return Effect(name, first, second, (best[0].probability, best[1].probability))


def _fine(share: float) -> str:
    return numbers.probability(share, fine=True)


def sentence_about(reading: Reading, position: int) -> str:
    """How far the last hidden state of a token has moved; or what to do where there is nothing to compare."""
    before = reading.unchanged
    wants_mask = "mlm" in reading.request.model.output_heads and not reading.request.masked
    mask_one = say("Mask a word (M) to see how a change affects it.")
    if before is None:
        return mask_one if wants_mask else say("Nothing is changed yet.")
    then, now = (one.trace.hidden_states[-1][position] for one in (before, reading))
    moved = say(
        "The final hidden state of “{token}” has a cosine of {cosine} with what it was before.",
        token=reading.shown_tokens[position],
        cosine=numbers.decimal(cosine(then, now)),
    )
    return f"{moved} {mask_one}" if wants_mask and not effects_of(reading) else moved


class ChangedPredictions(BeforeAfter):
    """What a change to the input does to the predictions of a reading, and to the token that is looked at."""

    def __init__(self, most_rows: int) -> None:
        super().__init__(most_rows)
        self.effects: list[Effect] = []
        self.keep_lines(2)

    def show_reading(self, reading: Reading, position: int) -> None:
        self.effects = effects_of(reading)
        self.set_rows([(effect.name, effect.before, effect.after) for effect in self.effects])
        self.show_position(reading, position)

    def show_position(self, reading: Reading, position: int) -> None:
        self.set_sentence(sentence_about(reading, position))

    def arrays(self) -> dict[str, Numbers]:
        """For a figure."""
        names = [effect.name for effect in self.effects]
        values = np.array([effect.numbers for effect in self.effects]).reshape(-1, 2)
        return {name: numbers_of("prediction", names, values[:, i]) for i, name in enumerate(("before", "after"))}


class ChangeCard(Card):
    """What if the selected token were of the other segment, or stood elsewhere? Two buttons, and what that does."""

    segment_clicked = Signal()
    swap_clicked = Signal(bool)  # waits for the other token, or does not any more

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.setAccessibleName(say("What if"))
        hint, line = say("Then click another token: the two swap positions"), FlowLayout()
        self.to_other = button(say("Move to segment B"), self.segment_clicked.emit, look="small")
        self.swap = button(say("Swap positions"), look="small", hint=hint, checkable=True)
        self.swap.clicked.connect(self.swap_clicked)
        self.waiting = Hint(say("Now click the other token (Esc cancels)."))
        self.effects = ChangedPredictions(MOST_ROWS)
        line.addWidget(self.to_other)
        line.addWidget(self.swap)
        fill(self.body, label(say("What if"), "title"), line, self.waiting, self.effects)
        self.waiting.hide()

    def show_reading(self, reading: Reading, position: int) -> None:
        self.effects.show_reading(reading, position)
        self.show_position(reading, position)

    def show_position(self, reading: Reading, position: int) -> None:
        model, other = reading.request.model, "A" if reading.request.segments[position] else "B"
        hint = model.missing.get("segments", say("This model has no segments."))
        if model.has_segments:
            token = reading.shown_tokens[position]
            hint = say("Read “{token}” as part of segment {segment}", token=token, segment=other)
        self.to_other.setText(say("Move to segment {segment}", segment=other))
        self.to_other.setEnabled(model.has_segments)
        self.to_other.setToolTip(hint)
        self.swap.setEnabled(len(reading.encoding) > 1)
        self.effects.show_position(reading, position)

    def show_waiting(self, is_waiting: bool) -> None:
        """Whether a token waits for the one to swap with."""
        self.swap.setChecked(is_waiting)
        self.waiting.setVisible(is_waiting)
