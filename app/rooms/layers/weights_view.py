"""View "Weights": what training changed inside the model, part by part and token by token."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout, QPushButton, QSizePolicy

from bertcore.locations import TINY, TUNED, shipped_checkpoint, tuned_models

from ...compute.embedding import Neighbours, TrainingChanges, neighbours, training_changes
from ...compute.question import Job
from ...figures.figure import Axis, Numbers, numbers_of
from ...figures.values import Side, Values
from ...look import mark, names, numbers, say, theme
from ...look.say import isolated
from ...runs.stages import reference_to, start_of
from ...state import Reading, Selection
from ...state.baseline import ComparisonOffer, OtherModel
from ...state.baseline_names import baseline_name
from ...widgets.card import button, label
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.layouts import show_if
from ...widgets.pages import tab_bar
from ..pictures import Bars, Cells
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.analysis.compare import PartChange


PART_NAMES: dict[str, str] = names("parts of a model")  # of `parameter_changes`
REVIEWS = TUNED[0]
SHARE, LENGTH = "share", "length"
CELL_PX = 130, 72  # of a part of a layer, at most
SMALL = 0.0995  # shares below it have a decimal


def part_name(part: PartChange) -> str:
    name = say(PART_NAMES[part.part])
    return name if part.layer is None else say("layer {layer}, {part}", layer=part.layer + 1, part=name)


def split(changes: TrainingChanges) -> tuple[dict[str, list[PartChange]], list[PartChange]]:
    """The parts of each layer, by its name (L,P); and those outside the layers."""
    rows: dict[str, list[PartChange]] = {}
    for part in changes.parts:
        if part.layer is not None:
            rows.setdefault(say("layer {layer}", layer=part.layer + 1), []).append(part)
    return rows, [part for part in changes.parts if part.layer is None]


class WeightsView(ValuesView):
    """Parts on the left, words on the right."""

    asks: ClassVar = {"near": False}
    pictures = (
        Cells(
            key="parts",
            title=mark("What did training change?"),
            name=mark("How far each part moved: rows are layers, columns are parts"),
            number="parameter_change",
            python="[part.change for part in m.compare(a, b, {view.compared_python}).parameters]",
            asks="changes",
            is_compared=False,
            chart=partial(LabelledGrid, largest_px=CELL_PX),
            width=3,
        ),
        Bars(
            key="others",
            title="",
            name=mark("How far the parts outside the layers moved"),
            number="parameter_change",
            on="parts",
            asks="changes",
            is_compared=False,
            chart=partial(BarList, may_cut=True),
        ),
        Bars(
            key="words",
            title=mark("Which token embeddings moved most?"),
            name=mark("Tokens whose embedding moved most"),
            intro=mark(
                "A token’s embedding holds what the model knows about it before reading a text. Longer bar: training "
                "moved it further. Click a token: which are near it now, and which were before?"
            ),
            number="moved_word",
            python="[(word.distance, word.cosine) for word in m.compare(a, b, {view.compared_python}).moved_words]",
            shown_digits=3,
            asks="changes",
            is_compared=False,
            chart=partial(BarList, clickable=True, may_cut=True),
            width=2,
            folds=True,
        ),
    )

    def lay_out(self) -> QLayout:
        names = {
            SHARE: (say("Percent"), say("How much each part changed, in percent of what it was before")),
            LENGTH: (say("Distance", meaning="of weights"), say("The distance itself: large parts move further")),
        }
        self.unit = tab_bar(names, say("Unit"), small=True)
        self.unit.currentChanged.connect(lambda _tab: self.redraw())
        self.finding, self.near = label("", wrap=True), label("", wrap=True)
        self.near.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._word: int | None = None  # that was clicked: its id
        parts, words = self.cards["parts"], self.cards["words"]
        parts.add_to_header(self.unit)
        for place, widget in enumerate((self.own_line(self.asked["changes"]), self.finding)):
            parts.body.insertWidget(place, widget)
        parts.body.addWidget(self.charts["others"])
        words.body.addWidget(self.near)
        words.body.addStretch(0)  # takes the place of the words where none moved
        return super().lay_out()

    # Where there is nothing to compare with.

    def offers(self) -> list[QPushButton]:
        start = say("Compare with the start of its training")
        self.from_start = button(start, self._on_from_start_clicked, look="primary")
        reviews = ComparisonOffer(OtherModel(None), model=REVIEWS)
        self.try_reviews = self.offer_button(say("Try it: before and after learning from film reviews"), reviews)
        untrained = ComparisonOffer(OtherModel(str(start_of(shipped_checkpoint(TINY)))), model=TINY)
        self.try_tiny = self.offer_button(say("Try it: {model}, untrained and trained", model=TINY), untrained, "")
        return [self.from_start, self.try_reviews, self.try_tiny]

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        problem = self.asked["changes"].sentence
        is_alone = reading.baseline is None or reading.baseline.request.model is reading.request.model
        if not is_alone and (not problem or self.asked["changes"].can_restart):
            return None
        start = start_of(reading.request.model.folder)
        self.from_start.setVisible(start is not None)
        self.try_reviews.setVisible(start is None and REVIEWS in tuned_models())
        self.try_tiny.setVisible(start is None)
        if not is_alone:  # the sentence says what differs
            return say("These two models have different shapes"), problem
        return say("What did training change?"), say(
            "You get a bar for each part of the model: how much its weights changed. Compare the model with an earlier "
            "step of its training, or with the model it was fine-tuned from."
        )

    def _on_from_start_clicked(self) -> None:
        start = None if self.reading is None else start_of(self.reading.request.model.folder)
        if start is not None:
            self.comparison_wanted.emit(ComparisonOffer(OtherModel(reference_to(start))))

    # What there is to show.

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        ours, baseline = reading.request.model, reading.baseline
        if baseline is None or baseline.request.model is ours:
            return None
        models, changes = (ours, baseline.request.model), self.answer_of("changes", reading)
        if asks == "changes":
            return Job(training_changes, (), models)
        is_there = changes is not None and any(word.id == self._word for word in changes.words)
        return Job(neighbours, (self._word,), models) if is_there else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        changes = self.answer_of("changes", reading)
        if changes is None:
            return None
        hint = say("compared with {baseline}", baseline=baseline_name(reading))
        if key == "words":
            words = Side("word", [word.token for word in changes.words])
            return Values(np.array([word.distance for word in changes.words]), words, hint=hint)
        rows, outside = split(changes)
        highest = max((self._size(part) for part in changes.parts), default=0.0) or 1.0
        if key == "others":
            texts = [[self._number(self._size(part))] for part in outside]
            names = Side("part", list(map(part_name, outside)))
            return Values(np.array(list(map(self._size, outside))), names, None, 0.0, highest, texts)
        sizes = np.array([[self._size(part) for part in row] for row in rows.values()], dtype=np.float32)
        texts = [[self._number(self._size(part)) for part in row] for row in rows.values()]
        columns = Side("part", [say(PART_NAMES[one.part]) for one in next(iter(rows.values()))])
        intro = say(
            "Row: a layer. Column: a part of it; below, the parts outside the layers. Stronger colour: training "
            "changed its numbers more (percent of what they were)."
        )
        intro, detail = "" if theme.is_projector() else intro, {"written": self._number}
        return Values(sizes, Side("layer", list(rows)), columns, 0.0, highest, texts, detail, hint=hint, intro=intro)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        changes, near = self.answer_of("changes", reading), self.asked["near"]
        show_if(changes is not None, self.finding, self.near, *self.charts.values())
        if changes is None:
            return
        self.charts["others"].setVisible(not theme.is_projector())  # there the map needs the height
        self.charts["words"].setVisible(bool(changes.words))
        self.finding.setText(self._found(changes))
        if not changes.words:
            frozen = say("No token moved: training did not change the token embeddings.")
            self.near.setText(changes.no_words or frozen)
        elif near.answer is not None:
            self.near.setText(near_words(near.answer, reading.request.model.tokenizer.label(near.answer.id)))
        elif not near.is_running:  # of an earlier word it stays until there is another
            self.near.setText("")

    @property
    def is_in_percent(self) -> bool:
        return self.unit.tabData(self.unit.currentIndex()) == SHARE

    def _size(self, part: PartChange) -> float:
        """0 also for a part whose weights were all 0: its length has no share."""
        return part.change if not self.is_in_percent else part.relative if part.other_norm else 0.0

    def _number(self, size: float) -> str:
        """Small shares with a decimal: most parts move by nearly as much."""
        return numbers.percent(size, int(size < SMALL)) if self.is_in_percent else numbers.number(size)

    def _found(self, changes: TrainingChanges) -> str:
        """What one sees, in a sentence or two."""
        moved = [part for part in changes.parts if part.change]
        if not moved:
            return say("Nothing: both models have the same weights.")
        most = max(moved, key=self._size)
        rows, outside = split(changes)
        text = say("Changed most: {part}, by {change}.", part=part_name(most), change=self._number(self._size(most)))
        means = {name: np.mean([self._size(part) for part in row]) for name, row in rows.items()}
        if len(means) > 1:
            least, most_of_all = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
            each = say("On average {most} changed most of all layers, {least} least.", most=most_of_all, least=least)
            text = f"{text} {each}"
        frozen = [part_name(part) for part in outside if not part.change]
        frozen += [name for name, row in rows.items() if not any(part.change for part in row)]
        if frozen:
            text += " " + say("Unchanged: {parts}.", parts=", ".join(frozen))
        return text

    def sentence(self, key: str, row: int, column: int | None) -> str:
        changes = None if self.reading is None else self.answer_of("changes", self.reading)
        if key != "parts" or column is None or changes is None:
            return ""
        part = list(split(changes)[0].values())[row][column]
        return say(
            "{part}: moved by {change}, {share} of its length before training ({before})",
            part=part_name(part),
            change=numbers.number(part.change),
            share=numbers.percent(part.relative),
            before=numbers.number(part.other_norm),
        )

    def clicked(self, key: str, row: int, column: int | None) -> None:
        """Asks for the words near this one, and selects it where the text has it."""
        reading = self.reading
        changes = None if reading is None else self.answer_of("changes", reading)
        if key != "words" or reading is None or changes is None:
            return
        self._word = word = changes.words[row].id
        if word in reading.request.input_ids:
            self.position_clicked.emit(reading.request.input_ids.index(word))
        self.redraw("words")

    # What is saved.

    def numbers(self, key: str) -> dict[str, Numbers]:
        """Of parts both lengths, of words both measures."""
        changes = None if self.reading is None else self.answer_of("changes", self.reading)
        if changes is None or key == "others":
            return {}
        if key == "words":
            values = np.array([[word.distance, word.cosine] for word in changes.words])
            return {"moved": Numbers(values, (self.shown[key].rows.axis(), Axis("measure", ["distance", "cosine"])))}
        names = list(map(part_name, changes.parts))
        return {
            "change": numbers_of("part", names, np.array([part.change for part in changes.parts])),
            "before": numbers_of("part", names, np.array([part.other_norm for part in changes.parts])),
        }

    def caption(self, key: str) -> dict[str, Any]:
        name = "" if self.reading is None else baseline_name(self.reading)
        return {"settings": f"compared with {name}", "plain": True, "texts": False}


def near_words(near: Neighbours, word: str) -> str:
    now, before = (", ".join(isolated(one.word) for one in words) for words in (near.now, near.before))
    return say("Closest to “{word}” now: {now}. Before: {before}.", word=isolated(word), now=now, before=before)
