"""What a change to the input does to the model's predictions, and the card that makes such a change."""

from dataclasses import dataclass

from bertcore.analysis.vectors import cosine

from ...look import numbers, say, theme
from ...look.say import quoted
from ...state import Reading
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
    if reading.unchanged is None:
        return []
    both, found = (reading.unchanged, reading), list[Effect]()
    for was, now in zip(reading.unchanged.masks, reading.masks, strict=False):
        name, best = reading.mask_name(was.position), (was.words[0], now.words[0])
        first, second = (numbers.probability(word.probability, fine=True) for word in best)
        if best[0].id == best[1].id:  # a word that stays the best is named beside its mask
            name = f"{name}: {quoted(best[0].token)}"
        else:
            first, second = f"{quoted(best[0].token)} {first}", f"{quoted(best[1].token)} {second}"
        found.append(Effect(name, first, second, (best[0].probability, best[1].probability)))
    follows = [one.next_sentence.is_next for one in both if one.next_sentence is not None]
    in_order = [one.sentence_order.in_order for one in both if one.sentence_order is not None]
    for is_order, shares in ((False, follows), (True, in_order)):
        if len(shares) == 2:
            first, second = (numbers.probability(share, fine=True) for share in shares)
            found.append(Effect(pair_claim(is_order=is_order), first, second, (shares[0], shares[1])))
    counts = [int((one.replaced > REPLACED_FROM).sum()) for one in both if one.replaced is not None]
    if len(counts) == 2:
        first, second = (say("%n token(s)", n=count) for count in counts)
        found.append(Effect(say("judged replaced"), first, second, (counts[0], counts[1])))
    return found


def sentence_about(reading: Reading, position: int) -> str:
    """How far the last hidden state of a token has moved; or what to do where there is nothing to compare."""
    wants_mask = "mlm" in reading.request.model.output_heads and not reading.request.masked
    mask_one = say("Mask a word (M) to see how a change affects it.")
    if reading.unchanged is None:
        return mask_one if wants_mask else say("Nothing is changed yet.")
    was, now = (one.trace.hidden_states[-1][position] for one in (reading.unchanged, reading))
    moved = say(
        "The final hidden state of “{token}” has a cosine of {cosine} with what it was before.",
        token=reading.shown_tokens[position],
        cosine=numbers.decimal(cosine(was, now)),
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
        self.set_sentence(sentence_about(reading, position))


class ChangeCard(Card):
    """What if the selected token were of the other segment, or stood elsewhere? Two buttons, and what that does."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.setAccessibleName(say("What if"))
        hint = say("Then click another token: the two swap positions")
        self.to_other = button(say("Move to segment B"), look="small")
        self.swap = button(say("Swap positions"), look="small", hint=hint, checkable=True)
        self.waiting = Hint(say("Now click the other token (Esc cancels)."))
        self.effects = ChangedPredictions(MOST_ROWS)
        fill(self.body, label(say("What if"), "title"), FlowLayout(self.to_other, self.swap))
        fill(self.body, self.waiting, self.effects)
        self.waiting.hide()

    def show_reading(self, reading: Reading, position: int) -> None:
        model, other = reading.request.model, "A" if reading.request.segments[position] else "B"
        hint = model.missing.get("segments", say("This model has no segments."))
        if model.has_segments:
            token = reading.shown_tokens[position]
            hint = say("Read “{token}” as part of segment {segment}", token=token, segment=other)
        self.to_other.setText(say("Move to segment {segment}", segment=other))
        self.to_other.setEnabled(model.has_segments)
        self.to_other.setToolTip(hint)
        self.swap.setEnabled(len(reading.encoding) > 1)
        self.effects.show_reading(reading, position)

    def show_waiting(self, is_waiting: bool) -> None:
        """Whether a token waits for the one to swap with."""
        self.swap.setChecked(is_waiting)
        self.waiting.setVisible(is_waiting)
