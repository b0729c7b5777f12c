"""What a discriminator says of every token: is it original, or was it replaced? (Clark et al. 2020, ELECTRA)"""

import numpy as np
from PySide6.QtWidgets import QWidget

from app.look import numbers
from app.state.readings import Reading
from app.state.token_units import Units
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import Card, label
from app.widgets.heat_tokens import HeatToken, HeatTokens
from app.widgets.layouts import fill, hbox
from app.widgets.raster import ColorBar

REPLACED_FROM = 0.5  # the probability from which on a token is judged to be replaced
MOST_BARS = 10
MOST_NAMED = 6


class ReplacedCard(Card):
    """The verdict in a sentence, the tokens in their order, and the likeliest ones as bars."""

    def __init__(self) -> None:
        super().__init__(
            self.tr("Which tokens look replaced?"), self.tr("the probability that another model swapped the token")
        )
        self.answer = label("", "number", wrap=True)
        self.tokens = HeatTokens(self.tr("Probability that each token was replaced"))
        self.bars = BarList(self.tr("Likeliest to be replaced"), stretch_to_px=30)
        self._scale = ColorBar(signed=False)
        self._scale.set_range(0, 1)
        framed = self.tr("framed: judged to be replaced, {least} or more").format(least=REPLACED_FROM)
        line = hbox(label(self.tr("probability"), "muted"), self._scale, label(framed, "muted"), None)
        for widget in (self.answer, self.tokens):
            fill(self.body, widget, 4)
        fill(
            self.body,
            line,
            12,
            label(self.tr("Likeliest to be replaced"), "title"),
            self.bars,
            6,
            label(self.tr("Type a word that does not fit: does the model notice?"), "muted"),
            None,
        )

    @property
    def pictures(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self.tokens, self._scale, self.bars]

    def show_reading(self, reading: Reading, replaced: np.ndarray, units: Units) -> None:
        """replaced (S): probabilities, 0..1. A word is as likely replaced as the likeliest of its pieces."""
        shown, values = units.labels, highest(replaced, units)
        judged = {unit for position in judged_replaced(reading) if (unit := units.unit_of(position)) is not None}
        self.tokens.set_tokens(
            [
                HeatToken(token, values[i], numbers.probability(values[i]), i in judged, units.kinds[i] == "special")
                for i, token in enumerate(shown)
            ]
        )
        before = None
        if reading.before is not None and reading.before.replaced is not None:
            before = highest(reading.before.replaced, units)
        words = [i for i in np.argsort(-np.asarray(values), kind="stable").tolist() if units.kinds[i] != "special"]
        self.answer.setText(self._sentence([shown[i] for i in words if i in judged], len(words)))
        self.bars.set_bars(
            [
                Bar(
                    shown[i],
                    numbers.probability(values[i]),
                    values[i],
                    "bad" if i in judged else "bar",
                    is_strong=i in judged,
                    mark=""
                    if before is None
                    else self.tr("before {probability}").format(probability=numbers.probability(before[i])),
                    note=str(units.first_positions[i]),
                )
                for i in words[:MOST_BARS]
            ]
        )

    def _sentence(self, judged: list[str], count: int) -> str:
        """judged: the tokens judged to be replaced, likeliest first, out of `count` without special ones."""
        if not judged:
            return self.tr("It judges every token to be original.")
        named = ", ".join(judged[:MOST_NAMED]) + (" …" if len(judged) > MOST_NAMED else "")
        sentence = self.tr("It judges {number} of {count} tokens to be replaced: {tokens}")
        return sentence.format(number=len(judged), count=count, tokens=named)


def highest(replaced: np.ndarray, units: Units) -> list[float]:
    """(S) -> (U)"""
    return [float(replaced[members].max()) for members in units.members]


def judged_replaced(reading: Reading) -> set[int]:
    """Positions of the words that the model judges to be replaced; special tokens do not count."""
    if reading.replaced is None:
        return set()
    parts = reading.encoding.parts
    return {i for i in np.flatnonzero(reading.replaced >= REPLACED_FROM).tolist() if parts[i] != "special"}
