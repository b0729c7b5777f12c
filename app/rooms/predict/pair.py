"""What is asked of A and B as a pair: the verdict, other pairs to try, and the verdicts from before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from app.figures.figure import Figure, numbers_of
from app.rooms.predict.former import Former
from app.rooms.predict.verdict import (
    ALIKE,
    Verdict,
    VerdictCard,
    likeness_verdict,
    next_sentence_verdict,
    order_verdict,
    question_for,
)
from app.state.readings import Reading

if TYPE_CHECKING:
    from app.rooms.predict.room import PredictRoom

KEPT = "predict.former"  # what a window built anew finds in the state


class PairDesk:
    """Draws the verdict card and does what its buttons ask for."""

    def __init__(self, room: PredictRoom) -> None:
        self._room = room
        self.card = VerdictCard()
        self.compared: tuple[object, str, str, float] | None = None  # model, A, B, cosine
        self._model: object = None
        self._random = random.Random()
        self.card.set_figure(self._figure, "the verdict on A and B")
        self.card.swap_asked.connect(self._on_swap_asked)
        self.card.other_asked.connect(self._on_other_asked)
        self.card.former.chosen.connect(self._on_former_chosen)
        kept = room.state.kept.get(KEPT)
        if isinstance(kept, tuple):
            self._model = kept[0]
            self.card.former.set_all(kept[1])

    def draw(self, reading: Reading) -> None:
        model, card = reading.request.model, self.card
        if self._model is not model:  # verdicts of different models are no list of one
            self._model = model
            card.former.set_all([])
            self._remember()
        question, missing = question_for(model)
        if missing or reading.encoding.text_b is None:
            card.show_reason(question, missing or question.invitation)
        elif not reading.encoding.text_a.strip():
            card.show_reason(question, "A is empty: type a sentence there, too.")
        elif model.pooling is not None and reading.next_sentence is None and reading.sentence_order is None:
            self._draw_likeness(reading)
        else:
            verdict = verdict_on(reading)
            assert verdict is not None
            card.show_verdict(question, verdict, verdict_on(reading.before) if reading.before else None)
        card.offer(not missing, reading.encoding.text_b is not None)

    def show_compared(self, answer: tuple[object, str, str, float]) -> None:
        """How alike a sentence encoder takes A and B to be."""
        self.compared = answer
        if self._room.is_drawn and self._room.state.reading is not None:
            self.draw(self._room.state.reading)

    @property
    def _is_likeness(self) -> bool:
        """Whether the verdict is a cosine: for that, the model as it is reads A and B as they were typed."""
        return self.card.title == ALIKE.title

    def _draw_likeness(self, reading: Reading) -> None:
        """What is shown stays until the new text is compared; that takes two more passes through the model."""
        model, pair = reading.request.model, (reading.encoding.text_a, reading.encoding.text_b or "")
        compared = self.compared
        if model.pooling is None:
            return
        if compared is None or compared[0] is not model:
            self.card.show_reason(ALIKE, "Comparing A and B…")
        else:
            self.card.show_verdict(ALIKE, likeness_verdict(compared[3], model.pooling, _first(reading)))
        if compared is None or compared[:3] != (model, *pair):
            self._room.asked.emit("similarity", pair)

    def _keep_verdict(self) -> None:
        """What is on show goes into the list, for it is about to be another pair's."""
        state = self._room.state
        if self.card.said and state.text_b:
            changed = " (with changes)" if state.what_if and not self._is_likeness else ""
            self.card.former.add(Former(state.text_a, state.text_b, self.card.said + changed))

    def _show_pair(self, a: str, b: str) -> None:
        self._keep_verdict()
        self.card.former.remove(a, b)
        self._remember()
        self._room.state.set_text(a, b)

    def _remember(self) -> None:
        self._room.state.kept[KEPT] = (self._model, tuple(self.card.former.all))

    def _on_swap_asked(self) -> None:
        self._show_pair(self._room.state.text_b, self._room.state.text_a)

    def _on_other_asked(self) -> None:
        from app.state.examples import load_examples

        state = self._room.state
        other = sorted({one.b for one in load_examples() if one.b} - {state.text_b, state.text_a})
        if other:
            self._show_pair(state.text_a, self._random.choice(other))

    def _on_former_chosen(self, former: Former) -> None:
        self._show_pair(former.a, former.b)

    def _figure(self) -> Figure | None:
        shares = self._shares()
        if not shares:
            return None
        name = "cosine" if len(shares) == 1 else "probability"
        numbers = {name: numbers_of("answer", list(shares), list(shares.values()))}
        alike = self._is_likeness
        return self._room.figure(
            self.card.title, self.card.pictures, numbers, plain=alike, masks=not alike, by_token=True
        )

    def _shares(self) -> dict[str, float]:
        """The numbers behind the verdict on A and B; empty where there is none."""
        reading = self._room.state.reading
        if reading is None:
            return {}
        if reading.next_sentence is not None:
            return {"is next": reading.next_sentence.is_next, "is not next": reading.next_sentence.not_next}
        if reading.sentence_order is not None:
            return {"in order": reading.sentence_order.in_order, "swapped": reading.sentence_order.swapped}
        wanted = (reading.request.model, reading.encoding.text_a, reading.encoding.text_b)
        if self.compared is not None and self.compared[:3] == wanted:  # not the former pair's, still on show
            return {"A and B": self.compared[3]}
        return {}


def verdict_on(reading: Reading) -> Verdict | None:
    """What the heads for pairs say; None where there is none."""
    said: Any = reading.next_sentence
    if said is not None:
        return next_sentence_verdict(said, _first(reading))
    order = reading.sentence_order
    return None if order is None else order_verdict(order, _first(reading))


def _first(reading: Reading) -> str:
    return next(iter(reading.special_names), "the first token")
