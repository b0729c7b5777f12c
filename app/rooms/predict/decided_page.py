"""The page Which words decided: each token's part in one prediction, by three methods side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.compute.head_questions import HeadTarget
from app.compute.word_questions import Method
from app.figures.figure import Figure, numbers_of
from app.look import theme
from app.rooms.predict.numbers import signed
from app.rooms.predict.page import NO_MASKS, PredictPage, asked_text, what_is_missing
from app.state.readings import Reading
from app.widgets.card import GAP_PX, Card, label, scrolled
from app.widgets.controls import Choice
from app.widgets.heat_tokens import HeatToken, HeatTokens
from app.widgets.question import Question, WorkLine
from app.widgets.raster import ColorBar
from bertcore.analysis.targets import pair_target, word_target

if TYPE_CHECKING:
    from app.rooms.predict.room import PredictRoom
    from app.state.readings import Step
    from bertcore.analysis.attribution import Attribution
    from bertcore.checkpoint.checkpoint import Checkpoint

LEAST_PX = 150  # where the window is lower, the whole room scrolls
NAMES: dict[Method, tuple[str, str]] = {
    "integrated": ("Integrated gradients", "From the text with every word masked to this one: each token’s share."),
    "gradient": (
        "Gradient × input",
        "What is lost if the token’s vector shrinks to 0, by the slope. A first guess.",
    ),
    "left_out": ("Leave one out", "What is lost when this token alone is masked."),
}


class DecidedPage(PredictPage):
    """What to ask about on top, a card for each method below."""

    def __init__(self, room: PredictRoom) -> None:
        self.cards = {method: MethodCard(room, method) for method in NAMES}
        super().__init__(room, [card.question for card in self.cards.values()])
        self.place, self.word = Choice("The mask or verdict to ask about"), Choice("The word to ask about")
        self._targets: list[list[HeadTarget]] = []  # by place, then word
        self._picked: tuple[object, ...] | None = None  # what the person chose: kind, position, token id
        self._clicked: int | None = None  # the token that was clicked last, as far as it was followed
        self._note = label("", "muted", wrap=True)
        self._build()
        self.place.activated.connect(self._on_place_activated)
        self.word.activated.connect(self._on_word_activated)

    @property
    def target(self) -> HeadTarget | None:
        """What is asked about."""
        if not self._targets:
            return None
        return self._targets[self.place.currentIndex()][self.word.currentIndex()]

    def draw_reading(self, reading: Reading) -> None:
        plain = reading.before or reading
        self._targets = targets_of(plain)
        missing = what_is_missing(reading)
        if not self._targets:
            self.show_nothing("No predictions" if missing else "Mask a word", missing or NO_MASKS)
            return
        self.show_content()
        self._clicked = self.room.state.focus
        self._fill_places()
        self._draw(reading)

    def draw_focus(self, reading: Reading) -> None:
        """Another mask may have been clicked."""
        units = self.room.units
        for card in self.cards.values():
            card.tokens.set_current(units.unit_of(self.room.current) if units else None)
        target, clicked = self.target, self.room.state.focus
        if clicked == self._clicked:  # the mouse alone has moved: what was chosen in the list stays
            return
        self._clicked = clicked
        places = [group[0].target.position if group[0].target.head == "mlm" else None for group in self._targets]
        if clicked is not None and clicked in places and (target is None or target.target.position != clicked):
            self._picked = None
            self.place.setCurrentIndex(places.index(clicked))
            self._fill_words(0)
            self._draw(reading)

    def _draw(self, reading: Reading) -> None:
        target = self.target
        if target is None:
            return
        changed = "" if reading.before is None else " Of the model as it is, without your changes."
        self._note.setText(
            "Change of ln p in nats. Red speaks for it, blue against it; each card has a scale of its own, the same to "
            f"both sides.{changed}"
        )
        for card in self.cards.values():
            card.ask(reading, target)

    def _fill_places(self) -> None:
        """What the person chose stays where it is still there; else the mask that is looked at."""
        names = [_place_name(group[0], self.room.state.mask_token) for group in self._targets]
        if names != [self.place.itemText(i) for i in range(self.place.count())]:
            self.place.clear()
            self.place.addItems(names)
        keys = [[_key(target) for target in group] for group in self._targets]
        index = next((i for i, group in enumerate(keys) if self._picked in group), None)
        if index is None:
            self.place.setCurrentIndex(min(self.room.mask_number, len(names) - 1))
            self._fill_words(0)
        else:
            self.place.setCurrentIndex(index)
            self._fill_words(keys[index].index(self._picked))  # type: ignore[arg-type]

    def _fill_words(self, index: int) -> None:
        words = [target.label for target in self._targets[self.place.currentIndex()]]
        if words != [self.word.itemText(i) for i in range(self.word.count())]:
            self.word.clear()
            self.word.addItems(words)
        self.word.setCurrentIndex(index)
        self.word.setVisible(len(words) > 1)

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.px(8))
        top.addWidget(label("What decided at", "muted"))
        top.addWidget(self.place)
        top.addWidget(self.word)
        top.addStretch(1)
        head = Card()
        head.body.addLayout(top)
        head.body.addWidget(self._note)
        self.column.addWidget(head)
        row = QHBoxLayout()
        row.setSpacing(theme.px(GAP_PX))
        for card in self.cards.values():
            row.addWidget(card, 1)
        self.column.addLayout(row, 1)

    def _on_place_activated(self, index: int) -> None:
        self._fill_words(0)
        self._picked = _key(self._targets[index][0])
        if self.room.state.reading is not None:
            self._draw(self.room.state.reading)

    def _on_word_activated(self, index: int) -> None:
        self._picked = _key(self._targets[self.place.currentIndex()][index])
        if self.room.state.reading is not None:
            self._draw(self.room.state.reading)


class MethodCard(Card):
    """The text, each token as strongly coloured as its part, and what the parts add up to."""

    def __init__(self, room: PredictRoom, method: Method) -> None:
        name, meaning = NAMES[method]
        super().__init__(name)
        self._room, self.method = room, method
        self.line = WorkLine(name)
        self.question = Question(f"predict.{method}", self.line)
        self.tokens = HeatTokens(f"{name}: part of each token", signed=True)
        self.said = label("", "muted", wrap=True)
        self.scores: list[float] = []  # (U) as they are shown
        self.target: HeadTarget | None = None
        self._scale = ColorBar(signed=True, width_px=180)
        self._meaning = label(meaning, "muted", wrap=True)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(4), 0)
        column.addWidget(self.tokens)
        column.addWidget(self.said)
        column.addStretch(1)
        area = scrolled(inside)
        area.setMinimumHeight(theme.px(LEAST_PX))
        self.body.addWidget(self._meaning)
        self.body.addWidget(self._scale)
        self.body.addWidget(self.line)
        self.body.addWidget(area, 1)
        self.set_figure(self._figure)
        self.tokens.clicked.connect(lambda unit: room.state.set_focus(room.position_of(unit)))
        self.tokens.hovered.connect(self._on_tokens_hovered)
        self.question.answered.connect(lambda _answer: self._draw())

    def ask(self, reading: Reading, target: HeadTarget) -> None:
        plain, method = reading.before or reading, self.method
        text, request = asked_text(plain), plain.request
        self.target = target
        key = (request.model, request.input_ids, tuple(text.segments), _key(target), method)

        def work(checkpoint: Checkpoint, step: Step) -> Attribution:
            from app.compute.word_questions import decided_by

            return decided_by(checkpoint, text, target, method, step)

        self.question.want(key, work, self._room.pause_ms)
        self._draw()

    def _draw(self) -> None:
        found, units = self.question.answer, self._room.units
        if units is None:
            return
        for widget in (self.said, self._scale):
            widget.setVisible(found is not None)
        self.scores = [] if found is None else units.sums(found.scores).tolist()  # (U)
        limit = max((abs(score) for score in self.scores), default=0.0) or 1.0
        self._scale.set_range(-limit, limit)
        kinds, labels = units.kinds, units.labels
        self.tokens.set_tokens(
            [
                HeatToken(
                    token,
                    self.scores[i] / limit if self.scores else None,
                    signed(self.scores[i]) if self.scores else "",
                    is_quiet=kinds[i] == "special",
                )
                for i, token in enumerate(labels)
            ]
        )
        self.said.setText("" if found is None else summary(found))

    def _figure(self) -> Figure | None:
        units = self._room.units
        if self.question.answer is None or units is None or self.target is None:
            return None
        numbers = {"part in ln p": numbers_of("token", units.labels, np.array(self.scores))}
        where = f"of {self.target.label}" + (
            f" at {self.target.target.position}" if self.target.target.head == "mlm" else ""
        )
        widgets: list[QWidget] = [self.tokens, self._scale]
        said = self.said.text().replace("\n", " ")  # stands in the caption, which goes with the numbers, too
        return self._room.figure(
            self.title, widgets, numbers, hint=f"{where} · nats of ln p", settings=said, plain=True
        )

    def _on_tokens_hovered(self, unit: int | None) -> None:
        self._room.state.set_hover(self._room.position_of(unit))
        if unit is None or unit >= len(self.scores):
            self._room.hover_text_changed.emit("")
        else:
            label_ = self.tokens.tokens[unit].token
            self._room.hover_text_changed.emit(f"{label_}: {signed(self.scores[unit], 5)} nats by {self.title.lower()}")


def targets_of(reading: Reading) -> list[list[HeadTarget]]:
    """What can be asked about: for each mask its words, and the verdict on the pair."""
    groups: list[list[HeadTarget]] = []
    for mask in reading.masks:
        words = {word.id: word for word in (*mask.words, *([mask.was] if mask.was else []))}
        groups.append([HeadTarget(word.token, word_target(mask.position, word.id)) for word in words.values()])
    if reading.next_sentence is not None:
        groups.append([HeadTarget("B follows A", pair_target("nsp"))])
    if reading.sentence_order is not None:
        groups.append([HeadTarget("A comes before B", pair_target("sop"))])
    return groups


def summary(found: Any) -> str:
    """What the parts add up to, and how far the sum is from what it should be."""
    if found.baseline is None or found.completeness_error is None:
        return f"ln p = {signed(found.value, 3)} nats here."
    change = found.value - found.baseline
    share = f" ({abs(found.completeness_error / change):.1%} of it)" if change else ""
    return (
        f"ln p = {signed(found.value, 3)} nats here, {signed(found.baseline, 3)} with every word masked. "
        f"The parts of all tokens add up to {signed(float(found.scores.sum()), 3)} of {signed(change, 3)}: "
        f"completeness error {signed(found.completeness_error, 4)}{share}."
    )


def _key(target: HeadTarget) -> tuple[object, ...]:
    return (target.target,)


def _place_name(target: HeadTarget, mask: str) -> str:
    return f"{mask} {target.target.position}" if target.target.head == "mlm" else target.label
