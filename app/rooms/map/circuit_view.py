"""View "Which parts made this?": the parts that carry the difference between two texts, what they tell each other, and
how few of them are enough."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QLayout, QPlainTextEdit, QSlider

from bertcore.tokenizer.special_tokens import MASK

from ...compute import circuit
from ...compute.evidence import Source
from ...compute.head_questions import HeadTarget
from ...compute.question import Job
from ...compute.swap_targets import ours_first
from ...figures.figure import Axis, Figure, Numbers
from ...figures.script import masked_texts
from ...figures.values import Side, Values, tokens
from ...look import mark, numbers, say, theme
from ...state.baseline import ComparisonOffer, OtherText
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import TokenView
from ...state.what_if import Swap
from ...widgets.card import GAP_PX, Card, button, label, scrolled, show_text
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.charts.raster import HeadSheet
from ...widgets.context_menu import figure_entries
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import fill, hbox, vbox
from ..pictures import Bars, Cells, Lines
from ..two_texts import TwoTextsView
from . import circuit_sentences as sentences
from .arrows import LitParts
from .content import Caption, Content, link_of
from .parts_map import PartsMap
from .plan import MapPart
from .view import words_of

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link

COLUMN_PX, BOX_PX = 320, 84
CHARTS_PX = {"outcomes": 150, "curve": 164, "cells": 260}  # heights
FIRST_SHOWN, FEW = 10, 6  # parts: before it is known how few are enough, and where that is no small set
LEAST_DRAWN = 0.1  # the share from which on each link between lit parts is drawn; of smaller ones the strongest
MOST_S = 20.0  # what takes longer is offered, and not begun by itself
CIRCUIT = "m.circuit(a, b, {view.compared_python}, parts={view.count_shown}, target={view.targets.target.target!r})"
OUTCOMES = {
    "text": mark("this text"),
    "only": mark("only highlighted"),
    "without": mark("without them"),
    "other": mark("other text"),
}


class CircuitView(TwoTextsView):
    """The map at the left; beside it what comes out, how few are enough, at which token, and other sentences."""

    what_it_shows = mark(
        "With another text the map shows which heads and feed-forward networks make the answer differ, arrows for what "
        "one passes on to another, and how few of them are enough."
    )
    asks: ClassVar = {"alone": False}
    pictures = (
        Cells(
            key="outcomes",
            title=mark("What comes out"),
            name=mark(
                "What comes out with all parts, with only the highlighted ones, without them, and in the other text"
            ),
            intro=mark(
                "Only highlighted: every other part gives its output on the other text. Kept: 100% as in this text, 0% "
                "as in the other."
            ),
            hovered=mark("{row}, {column}: {value}"),
            write=numbers.percent,
            asks="set",
            is_compared=False,
            python=f"[[*one.probabilities, one.kept] for one in {CIRCUIT}.outcomes.values()]",
            chart=partial(LabelledGrid, scale=False, largest_px=(80, 32)),
            folds=True,
        ),
        Lines(
            key="curve",
            title=mark("How few are enough?"),
            name=mark("What is kept"),
            curves=(
                CurveSpec("kept", mark("least important dropped first"), "curve_train"),
                CurveSpec("random", mark("the best of 100 random sets"), "muted", places="dots"),
            ),
            left_label=mark("kept"),
            bottom_label=mark("parts"),
            at=mark("{x} parts"),
            includes_zero=True,
            asks="paths",
            is_compared=False,
            python=f"{CIRCUIT}.curve",
            folds=True,
        ),
        Cells(
            key="cells",
            title=mark("At which token?"),
            name=mark("Share of the difference lost by a part at one token alone"),
            intro=mark("Darker: more of the difference is lost when this part changes at this token alone."),
            hovered=mark("{row} at {column}: {value} of the difference"),
            number="lost_alone",
            asks="paths",
            is_compared=False,
            chart=partial(LabelledGrid, signed=True, tilted=True, scale=False),
            folds=True,
        ),
        Bars(
            key="others",
            title=mark("In other sentences"),
            name=mark("What the same parts keep of the difference in other pairs of texts"),
            intro=mark(
                "Do these parts work in other pairs, too? Write one on each line, as [woman/man]; click a bar to open "
                "it."
            ),
            hovered=mark("{row}: {value} kept"),
            write=numbers.percent,
            asks="others",
            is_compared=False,
            marks_selected=False,
            chart=partial(BarList, clickable=True, label_share=0.6),
            folds=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.map, self.map_card = PartsMap(), Card(" ", intro=" ")
        self.key, self.summary = label("", "muted", wrap=True), label("", "strong", wrap=True)
        self.slider, self.count = QSlider(Qt.Orientation.Horizontal), label("", "muted")
        self.box, self.others = QPlainTextEdit(), label("", wrap=True)
        self.source = Source("pairs")
        self._random: dict[int, float] = {}  # by the number of parts: what the best of the random sets keeps
        self._is_chosen = False  # a person has chosen how many parts are lit
        progress = self.own_line(*(self.asked[asks] for asks in ("alone", "paths", "set")))
        fill(self.map_card.body, (self.map, 1), self.key, self.summary, progress)
        self.map_card.set_figure(self._figure)
        self.map.describe = self._caption
        self.map.hovered.connect(self._on_map_hovered)
        self.map.clicked.connect(self._on_map_clicked)
        self.map.context_menu_requested.connect(self._on_map_menu_requested)
        self.slider.setAccessibleName(say("Parts shown"))
        self.slider.setMinimum(1)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.cards["curve"].body.addLayout(hbox((self.slider, 1), self.count, gap_px=8))
        self.cards["outcomes"].body.insertWidget(0, self.choice)
        for key, height in CHARTS_PX.items():
            self.charts[key].setFixedHeight(theme.px(height))
        self._lay_out_others()
        cards = [self.folded(picture.key) for picture in self.pictures]
        if theme.is_projector():
            return hbox((self.map_card, 1), *cards, gap_px=GAP_PX)
        area = scrolled(vbox(*cards, None, gap_px=GAP_PX))
        area.setFixedWidth(theme.column_px(COLUMN_PX))
        return hbox((self.map_card, 1), area, gap_px=GAP_PX)

    def _lay_out_others(self) -> None:
        self.box.setAccessibleName(say("Pairs of texts"))
        self.box.setTabChangesFocus(True)
        self.box.setFixedHeight(theme.px(BOX_PX))
        slash = say("A slash: the word here / in the other text. | separates alternatives.")
        self.box.setToolTip(f"{slash} {say('The last brackets: the answer here / in the other text.')}")
        use = button(say("Test these pairs"), self._on_use_clicked, look="small")
        open_file = button(say("Open file…"), self._on_file_clicked, look="small")
        line = self.own_line(self.asked["others"])
        fill(self.cards["others"].body, self.box, hbox(use, open_file, None, gap_px=8), self.others, line)

    # What is asked.

    def targets_for(self, ours: Reading, theirs: Reading, position: int) -> list[HeadTarget]:
        return ours_first(super().targets_for(ours, theirs, position))

    def other_pair(self) -> None:
        self._random, self._is_chosen, self.source = {}, False, Source("pairs")
        self.box.clear()

    def ask_again(self) -> None:
        self._random, self._is_chosen = {}, False
        super().ask_again()

    @property
    def count_shown(self) -> int:
        return self.slider.value()

    @property
    def alone(self) -> Any:
        """The first answer, `circuit.PartsAlone`; None while there is none."""
        return self.asked["alone"].answer

    @property
    def found(self) -> circuit.Paths | None:
        return self.asked["paths"].answer

    @property
    def tried(self) -> list[circuit.OtherSentence]:
        """The other sentences that could be, but the text itself."""
        own = "" if self.reading is None else masked_texts(self.reading.plain)[0]
        return [one for one in self.asked["others"].answer or () if not one.problem and one.text != own]

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        chosen = self.targets.target
        if chosen is None or not self.pair:
            return None
        given, models = (*self.pair[1:], chosen.target), (reading.request.model,)
        if asks == "alone":
            return Job(circuit.parts_alone, given, models)
        if asks == "paths":
            return None if self.alone is None else Job(circuit.paths, given, models)
        if self.found is None:
            return None
        best = self.found.best(self.slider.value())
        if asks == "set":
            return Job(circuit.part_set, (*given, best), models)
        return Job(circuit.on_others, (best, self.source), models) if self.source != Source("pairs") else None

    def time_needed(self, asks: str) -> str:
        if asks != "paths" or self.reading is None:
            return ""
        count = len(self.reading.encoding)
        takes_s = circuit.seconds_for_paths(self.reading.request.model.config, count)
        text = mark("Arrows, and how few are enough, take about {time} for this model and {count} tokens.")
        time = numbers.duration(takes_s)
        return say(text, time=time, count=numbers.count(count)) if takes_s > MOST_S else ""

    def draw_answer(self, asks: str) -> None:
        found, of_set = self.found, self.asked["set"].answer
        if asks == "paths" and found is not None and not self._is_chosen:
            self.slider.blockSignals(True)
            self.slider.setMaximum(len(found.curve))
            self.slider.setValue(FEW if sentences.size_sentence(found) else circuit.enough(found.curve))
            self.slider.blockSignals(False)
        if asks == "set" and of_set is not None:
            self._random[len(of_set.chosen)] = float(of_set.random.max())
        self.redraw()

    # What is shown.

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        answer, chosen = self.asked[self._pictures[key].asks].answer, self.targets.target
        if answer is None or chosen is None:
            return Values(np.zeros(0), Side("text", [])) if key == "others" else None
        if key == "outcomes":
            return self._outcomes(answer, chosen)
        if key == "curve":
            count = len(answer.curve)
            random = [self._random.get(parts, np.nan) for parts in range(1, count + 1)]
            columns = Side("part", [numbers.count(parts) for parts in range(1, count + 1)], axis_name="number of parts")
            rows, intro = Side("part", ["kept", "random"]), sentences.curve_sentence(answer)
            return Values(np.array([answer.curve, random]), rows, columns, intro=intro)
        if key == "cells":
            array, units = answer.at_tokens[:FIRST_SHOWN], reading.plain.units(TokenView())
            limit = max(1.0, float(np.abs(array).max()))
            names = [sentences.part_label(self.alone.parts[number]) for number in answer.strongest[:FIRST_SHOWN]]
            return Values(array, Side("part", names), tokens(units), -limit, limit)
        tried = self.tried
        kept, texts = [one.kept for one in tried], [[numbers.percent(one.kept)] for one in tried]
        return Values(np.array(kept), Side("text", [one.text for one in tried]), high=1.0, texts=texts)

    def _outcomes(self, found: circuit.PartSet, chosen: HeadTarget) -> Values:
        """Probabilities of the answers, and what is kept of the difference: on the scale of ln p, in nats."""
        rows = [found.outcomes[name] for name in OUTCOMES]
        answers = list(chosen.answers) if chosen.is_contrast else [chosen.label]
        array = np.array([[*one.probabilities, one.kept] for one in rows])
        texts = [[*map(numbers.probability, one.probabilities), numbers.percent(one.kept)] for one in rows]
        columns = Side("word", [*(answers if rows[0].probabilities else ()), say("kept")])
        intro = f"{say(self._pictures['outcomes'].intro)} {sentences.scores(chosen, rows[0].value, rows[-1].value)}"
        return Values(array, Side("part", list(map(say, OUTCOMES.values()))), columns, 0.0, 1.0, texts, intro=intro)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        reason, alone = super().nothing(reading, selection), self.asked["alone"]
        if reason is None and alone.answer is None and alone.sentence and not alone.can_restart:
            return say("Nothing to explain"), alone.sentence
        return reason

    def drawn(self, reading: Reading, selection: Selection) -> None:
        chosen, found, of_set = self.targets.target, self.found, self.asked["set"].answer
        if chosen is None or reading.other_text is None or not self.pair:
            return  # perhaps two words are chosen, but the other text does not fit
        plain, answers = reading.plain, self._answers(chosen, reading.plain, reading.other_text)
        lit = self._lit(chosen.target.position, answers[0])
        content = self.map.content
        if content is None or content.reading is not plain:
            content = Content(plain, HeadSheet(plain.thumbnails), words_of(plain), Caption(), {}, Caption(), None, None)
        self.map.set_lit(content, lit)
        links = (f"{sentences.link_caption(link)[0]}: {numbers.percent(link.lost)}" for link in lit.links)
        self.map.setAccessibleDescription("; ".join(links))
        self.map_card.set_title(say("Which parts made “{answer}”?", answer=answers[0] or chosen.label))
        first = mark("Highlighted: the parts that matter most, each on its own. Arrows take longer.")
        most = sentences.MOST_ON_PROJECTOR if theme.is_projector() else sentences.MOST_TOLD
        self.map_card.set_intro(say(first) if found is None else sentences.story(lit, plain, most))
        show_text(self.summary, sentences.summary(found, of_set, is_short=theme.is_projector()))
        self.charts["curve"].set_marked(None if found is None else self.slider.value() - 1)
        self.slider.setEnabled(found is not None)
        text = mark("Parts shown: {count} of {parts}")
        parts = 0 if found is None else len(found.curve)
        self.count.setText(say(text, count=self.slider.value(), parts=parts) if parts else "")
        show_text(self.key, "" if theme.is_projector() else sentences.key(chosen, answers))
        show_text(self.others, sentences.others_sentence(self.tried, self.asked["others"].answer or ()))
        if not self.box.toPlainText():
            texts = masked_texts(plain)[0], masked_texts(reading.other_text)[0]
            self.box.setPlainText(circuit.template_of(*texts, answers))

    def _answers(self, chosen: HeadTarget, ours: Reading, other: Reading) -> tuple[str, str]:
        """Of this text and of the other; empty where the prediction is no contrast of words."""
        if not chosen.is_contrast or chosen.target.head != "mlm":
            return "", ""
        first, second = chosen.answers
        return (first, second) if chosen.value(ours) >= chosen.value(other) else (second, first)

    def _lit(self, target: int, answer: str) -> LitParts:
        alone, found = self.alone, self.found
        if alone is None:
            return LitParts(target=target)
        of = alone.parts, alone.lost.tolist()
        if found is None:
            strongest = np.argsort(-np.abs(alone.lost), kind="stable")[:FIRST_SHOWN].tolist()
            return LitParts(*of, frozenset(strongest), target=target, answer=answer)
        best = found.best(self.slider.value())
        links = drawn_links(found.links, {alone.parts[number] for number in best})
        return LitParts(*of, frozenset(best), links, found.places, target, answer)

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        return None

    def leave(self) -> None:
        super().leave()
        self.map.content = None

    # What a person does.

    def _caption(self, part: MapPart) -> Caption:
        number, lit = self.map.number_of(part), self.map.lit
        if part.kind == "link" and part.stage < len(lit.links):
            return Caption(*sentences.link_caption(lit.links[part.stage]))
        if number is None or self.reading is None or number >= len(lit.parts):
            return Caption()
        return Caption(*sentences.part_caption(lit, number, self.reading.plain))

    def _on_map_hovered(self, part: MapPart | None) -> None:
        caption = Caption() if part is None else self._caption(part)
        self.hover_text_changed.emit(f"{caption.title}: {caption.text}" if caption.title else "")
        self.position_hovered.emit(part.position if part is not None and part.position >= 0 else None)

    def _on_map_clicked(self, part: MapPart) -> None:
        """Opens a part in its room, at the token where it matters; of an arrow, what it leads to."""
        lit, number = self.map.lit, self.map.number_of(part)
        place = part.position if part.position >= 0 else lit.places.get(-1 if number is None else number, -1)
        if part.kind == "link":
            link = lit.links[part.stage]
            place = lit.places.get(lit.parts.index(link.sender), -1)
            part = MapPart(link.receiver.kind.replace("-", "_"), link.receiver.layer, link.receiver.head)
        if place >= 0:
            self.position_clicked.emit(place)
        if part.kind == "head":
            self.head_clicked.emit(part.layer, part.head)
        elif part.layer >= 0:
            self.stage_clicked.emit(part.layer + 1)
        self.room_requested.emit(*link_of(part, ()))

    def _on_map_menu_requested(self, part: MapPart | None, at: QPoint) -> None:
        swap = None if part is None else self._swap(part)
        swap_in = partial(self.what_if_edited.emit, lambda what_if: what_if.with_swap(swap))
        entries = [] if swap is None else [(say("Use its output on the other text in all rooms"), swap_in), None]
        position = part.position if part is not None and part.position >= 0 else None
        self.token_menu_requested.emit(position, at, [*entries, *figure_entries(self.map)])

    def _swap(self, part: MapPart) -> Swap | None:
        """A part as a change inside the model: it gives what it gives in the other text."""
        reading, number = self.reading, self.map.number_of(part)
        if reading is None or reading.other_text is None or not isinstance(reading.request.baseline, OtherText):
            return None
        if part.kind == "head":
            return Swap("head", part.layer, part.head, reading.request.baseline)
        place = self.map.lit.places.get(-1 if number is None else number)
        if part.kind != "feed_forward" or place is None:
            return None
        token = reading.other_text.shown_tokens[place]
        return Swap("feed-forward", part.layer, place, reading.request.baseline, token)

    def _on_slider_moved(self) -> None:
        self._is_chosen = True
        self.redraw()

    def _on_use_clicked(self) -> None:
        lines = self.box.toPlainText().encode("utf-8", "replace").decode().split("\n")
        self._try_on(Source("pairs", lines=tuple(lines)))

    def _on_file_clicked(self) -> None:
        files = say("Pairs (*.txt *.tsv *.csv *.jsonl *.gz *.xz);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, say("Open sentence pairs"), "", files)
        if name:
            self._try_on(Source("pairs", Path(name)))

    def _try_on(self, source: Source) -> None:
        self.source, self.pause_ms = source, 0
        self.redraw()

    def clicked(self, key: str, row: int, column: int | None) -> None:
        """A number of parts on the curve; another pair of texts."""
        if key == "curve" and column is not None:
            self.slider.setValue(column + 1)
        elif key == "others":
            mask = MASK if self.reading is None else self.reading.request.model.tokenizer.mask_token or MASK
            text, other = (one.replace(MASK, mask) for one in (self.tried[row].text, self.tried[row].other))
            self.comparison_wanted.emit(ComparisonOffer(OtherText(other, ""), text=text))

    # What is saved.

    def _figure(self) -> Figure | None:
        lit, summary = self.map.lit, self.summary.text()
        if self.reading is None or not lit.parts or self.shows_nothing:
            return None
        names = [sentences.part_name(part) for part in lit.parts]
        links = [sentences.link_caption(link)[0] for link in lit.links]
        arrays = {"lost": Numbers(np.array(lit.lost), (Axis("part", names),))}
        if links:
            arrays["lost by link"] = Numbers(np.array([link.lost for link in lit.links]), (Axis("link", links),))
        title, python = self.map_card.title, f"{CIRCUIT}.lost".format(view=self)
        return self.figure(title, [self.map], arrays, hint=summary, python=python, settings=summary, plain=True)

    def caption(self, key: str) -> dict[str, Any]:
        return {"settings": self.summary.text(), "plain": True}


def drawn_links(links: list[Link], lit: set[Any]) -> list[Link]:
    """Between lit parts: those of some size, and the strongest from and to each part. links: the largest first."""
    drawn, seen = list[Any](), set[Any]()
    for link in links:
        ends = {("from", link.sender), ("to", link.receiver)}
        is_lit = link.sender in lit and (link.receiver in lit or link.receiver.kind == "answer")
        if is_lit and (abs(link.lost) >= LEAST_DRAWN or not ends <= seen):
            drawn.append(link)
        seen |= ends if is_lit else set()
    return drawn
