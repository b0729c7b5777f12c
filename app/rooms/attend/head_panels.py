"""The panels below the atlas: heads by kind, by a search, by how far they moved, by their effect and by likeness."""

import html
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QLayout, QLineEdit

from bertcore.analysis.attention_heads import KINDS, FoundHeads, HeadMap
from bertcore.analysis.compare import MatchedHeads
from bertcore.tokenizer.tokenizer import Encoding

from ...compute.head_questions import effects_of_heads
from ...compute.question import PAUSE_MS, Job
from ...figures.figure import Axis, Numbers
from ...figures.values import Side, Values, heads, layers
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection, head_name
from ...widgets.card import AsHighAsNeeded, button, label, show_text, tip
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import Entry
from ...widgets.controls import Choice
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import FlowLayout, Item, hbox, show_if, vbox
from ...widgets.rich_text import RichLabel
from ...widgets.scatter import Scatter
from ...widgets.target_choice import TargetChoice
from ..pictures import Bars, Cells, Dots
from .attend_state import AttendState
from .attentions import KIND_NAMES, NO_HABIT, OFF, Head, by_kind, find_in, kind_name, map_of_heads, moved_heads
from .sentences import about_effects, about_map, about_moved
from .view import ROOM, AttendView

MOST_OF_KIND, MOST_FOUND, MOST_EFFECTS, MOST_MOVED, MOST_ALIKE = 24, 40, 5, 6, 5  # heads that are listed
MOST_SELECTED = 6  # of those that were found
MAP_OF_MOVED_PX, MAP_OF_ALIKE_PX = 150, 260  # their heights
GAP_PX = 7
LOOKING, LOOKED_AT, A_LOT = mark("The word that looks"), mark("The word that it looks at"), 0.3
Row = tuple[str, Sequence[tuple[Head, str]], str]  # a name, its heads with a small number behind each, words after them


class HeadLinks(RichLabel):
    """Rows of a name and heads as links, layer·head; a click or Enter on one activates the link "layer,head"."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.rows: Sequence[Row] = []
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        by = Qt.TextInteractionFlag
        self.setTextInteractionFlags(by.LinksAccessibleByMouse | by.LinksAccessibleByKeyboard)

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        if rows or self.text():
            self.write(lambda: f"<table cellspacing=0 cellpadding=0>{''.join(_row(*row) for row in rows)}</table>")


def _row(name: str, heads: Sequence[tuple[Head, str]], after: str) -> str:
    look, cell = theme.active(), "padding-bottom:6px"
    links = "&nbsp; ".join(
        f'<a style="color:{look.accent}; text-decoration:none" href="{layer},{head}">{head_name(layer, head)}</a>'
        f'<span style="color:{look.muted}; font-size:{theme.px(10)}px">&nbsp;{html.escape(number)}</span>'
        for (layer, head), number in heads
    )
    if after:
        links += f' &nbsp;<span style="color:{look.muted}">{html.escape(after)}</span>'
    return (
        f'<tr><td style="color:{look.ink}; padding-right:12px; {cell}">{html.escape(name)}</td>'
        f'<td style="{cell}">{links}</td></tr>'
    )


def _head_of(link: str) -> Head:
    layer, head = link.split(",")
    return int(layer), int(head)


def _and_more(count: int) -> str:
    return say("and %n more", n=count, meaning="heads") if count > 0 else ""


class HeadsPanel(AttendView):
    """Rows of heads. Subclasses say in `drawn` which, and in `parts` where `links` stands."""

    follows: ClassVar[tuple[str, ...]] = ()
    links_name = ""  # for screen readers

    def lay_out(self) -> QLayout:
        self.links = HeadLinks(say(self.links_name))
        self.links.linkActivated.connect(lambda link: self.shared.choose(_head_of(link)))
        column = vbox(*self.parts())
        column.setSpacing(theme.px(GAP_PX))
        return column

    def parts(self) -> list[Item]:
        """From top to bottom."""
        raise NotImplementedError

    def show_rows(self, rows: Sequence[Row] | None) -> None:
        """None: there is nothing to list. Heads that add nothing are called off."""
        off, after = self.attentions.off, f"\N{NO-BREAK SPACE}{say('off')}"
        self.links.setVisible(rows is not None)
        self.links.show_rows(
            [
                (name, [(head, number + after if number and head in off else number) for head, number in heads], more)
                for name, heads, more in rows or []
            ]
        )


class KindsView(HeadsPanel):
    """What kinds of heads this text shows. While new kinds are computed, the old ones stay."""

    links_name = mark("Kinds of heads in this text")

    def parts(self) -> list[Item]:
        return [AsHighAsNeeded(self.links), None]

    def use(self, shared: AttendState) -> None:
        super().use(shared)
        shared.described.connect(self.redraw)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        rows = []
        for kind, found in by_kind(self.shared.descriptions, self.attentions.off).items():
            has_score = kind not in (OFF, NO_HABIT)
            links = [(head, numbers.percent(score) if has_score else "") for head, score in found[:MOST_OF_KIND]]
            rows.append((kind_name(kind, reading), links, _and_more(len(found) - MOST_OF_KIND)))
        if rows:
            self.show_rows(rows)


class FindView(HeadsPanel):
    """Heads in which one word looks at another a lot; behind that, those of a kind, or that fulfil a condition such as
    attn(it -> cat) > 0.3.

    It goes on being answered while the text changes.
    """

    asks: ClassVar = {"find": False}
    links_name = mark("Matching heads, best first")

    def parts(self) -> list[Item]:
        self.who, self.what = (Choice(say(one), None, self._on_word_chosen) for one in (LOOKING, LOOKED_AT))
        self._has_chosen = False
        self.query = QLineEdit()
        self.query.setAccessibleName(say("Find heads: a kind or a condition"))
        self.query.setClearButtonEnabled(True)
        self.query.setCompleter(QCompleter(sorted(say(KIND_NAMES[kind]) for kind in KINDS), self.query))
        self.summary = label("", "strong", wrap=True)  # how many match, and by what they are ranked
        hint = say("Select these heads for Lines and the mean")
        self.choose = button("", lambda: self.shared.choose(*self._matches()), look="small", hint=hint)
        conditions = label(
            say(
                "In attn(…): a word, A, B, special, any, or #position. Also: spread < 2 or distance > 4 (in tokens), "
                "special > 0.5, or a kind such as previous token. Join several with “and”."
            ),
            "muted",
            wrap=True,
        )
        self.more = button(say("As a formula"), look="small", checkable=True)
        self.more.toggled.connect(lambda is_on: show_if(is_on, self.query, conditions))
        show_if(False, self.query, conditions, self.summary, self.links, self.choose)
        self.query.textChanged.connect(self._on_query_text_changed)
        self.query.returnPressed.connect(lambda: self.shared.choose(*self._matches()[:1]))
        self.line = self.own_line(self.asked["find"])
        words, buttons = hbox((self.who, 1), label("→"), (self.what, 1)), FlowLayout(self.choose, self.more)
        found: list[Item] = [words, self.line, self.summary, self.links, buttons]
        return [*found, self.query, conditions, None]

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        typed = self.query.text().strip()
        query = next((kind for kind in KINDS if say(KIND_NAMES[kind]).lower() == typed.lower()), typed)
        return Job(find_in, (self.attentions, query or self._sentence()))

    def _sentence(self) -> str:
        """What the chosen words ask, as a formula. A word that is not in the text any more gives way to another."""
        words = words_to_choose(self.attentions.encoding)
        plain = [word for word in words if not word.startswith("#")] or list(words)
        for choice, first in ((self.who, plain[-1]), (self.what, plain[0])):
            chosen = choice.currentData()
            if [choice.itemData(at) for at in range(choice.count())] != list(words):
                choice.clear()
                for word, shown in words.items():
                    choice.addItem(shown, word)
                choice.setCurrentIndex(choice.findData(chosen if self._has_chosen and chosen in words else first))
        formula = f"attn({self.who.currentData()} -> {self.what.currentData()}) > {A_LOT}"
        self.query.setPlaceholderText(formula)
        return formula

    def drawn(self, reading: Reading, selection: Selection) -> None:
        found: FoundHeads | None = self.answer_of("find", reading)
        count = 0 if found is None else len(found.matches)
        self.summary.setVisible(found is not None)
        self.choose.setVisible(count > 0)
        if found is None:
            self.show_rows(None)
            return
        measure = found.measured + (f" ({found.unit})" if found.unit else "")
        for kind in KINDS:
            measure = measure.replace(f"“{kind}”", f"“{say(KIND_NAMES[kind])}”")
        summary = mark("%n head(s), ranked by {measure}")
        if not self.query.text().strip():
            summary = mark("%n head(s) in which “{who}” looks at “{what}” a lot")
        words = {"who": self.who.currentText(), "what": self.what.currentText(), "measure": measure}
        self.summary.setText(say(summary, n=count, **words))
        listed = [((one.layer, one.head), numbers.decimal(one.score)) for one in found.matches[:MOST_FOUND]]
        self.show_rows([("", listed, _and_more(count - MOST_FOUND))])
        few = min(count, MOST_SELECTED)
        self.choose.setText(say("Select it") if count == 1 else say("Select the first %n", n=few))

    def _matches(self) -> list[Head]:
        found: FoundHeads | None = self.asked["find"].answer
        return [] if found is None else [(match.layer, match.head) for match in found.matches[:MOST_SELECTED]]

    def _on_word_chosen(self) -> None:
        self._has_chosen = True
        self.query.clear()
        self.redraw()

    def _on_query_text_changed(self, text: str) -> None:
        self.pause_ms = PAUSE_MS
        self.redraw()


def words_to_choose(encoding: Encoding) -> dict[str, str]:
    """What a formula calls each word of a text, and how it is shown: a word by itself, else by its position."""
    found = {}
    for position, (word, part) in enumerate(zip(encoding.labels, encoding.parts, strict=True)):
        is_plain = part in ("a", "b") and word.isalpha() and word.isascii()
        name = f'"{word}"' if word.lower() in ("a", "b", "any", "special") else word
        found[name if is_plain else f"#{position}"] = word if is_plain else f"{word} ({position})"
    return found


class EffectsView(HeadsPanel):
    """What each head does for one prediction, in the model as it is: each is switched off alone.

    The numbers are drawn over the atlas.
    """

    asks: ClassVar = {"effects": False}
    choice: TargetChoice
    links_name = mark("Heads that matter most for this prediction")

    def parts(self) -> list[Item]:
        self.choice, self.line = TargetChoice(), self.own_line(self.asked["effects"])
        self.bar, self.meaning = ColorBar(signed=True), label("", "muted", wrap=True)
        explain("effect", self.bar)
        return [self.choice, self.line, self.bar, self.meaning, self.links, None]

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str:
        return self.target_job(effects_of_heads)

    @property
    def effects(self) -> np.ndarray | None:
        """(L,N) what each head adds to ln p in nats, or to a score; None while there are none."""
        answer = self.asked["effects"].answer
        return None if answer is None else -answer

    @property
    def limit(self) -> float:
        """Both ends of the colour scale."""
        return 1.0 if self.effects is None else float(np.abs(self.effects).max()) or 1.0

    def drawn(self, reading: Reading, selection: Selection) -> None:
        effects, target = self.effects, self.shared.targets.target
        show_if(effects is not None, self.bar, self.meaning)
        if effects is None:
            self.show_rows(None)
            return
        is_score = target is not None and target.is_score
        written = numbers.signed if is_score else numbers.log_factor
        self.bar.set_range(-self.limit, self.limit, numbers.number if written is numbers.signed else numbers.log_factor)
        self.meaning.setText(about_effects(target, is_changed=reading.unchanged is not None))
        order = np.argsort(-effects, axis=None, kind="stable").tolist()
        ranked = [(divmod(flat, effects.shape[1]), float(effects.flat[flat])) for flat in order]
        helps = [(head, written(effect)) for head, effect in ranked[:MOST_EFFECTS] if effect > 0]
        hurts = [(head, written(effect)) for head, effect in ranked[::-1][:MOST_EFFECTS] if effect < 0]
        none = say("none", meaning="not one")
        self.show_rows([(say("for"), helps, "" if helps else none), (say("against"), hurts, "" if hurts else none)])


class MovedView(AttendView):
    """How far each head is from the baseline's, as a list and as a map: the squares are for models of more heads than
    bars. A click on a square or a bar selects the head."""

    follows = ("head",)
    most_moved_found = Signal(int, int)  # layer, head: drawn as the first bar
    pictures = (
        Bars(
            key="bars",
            name=mark("Heads that moved most"),
            number="divergence",
            asks="moved",
            is_compared=False,
            on=ROOM,
            chart=partial(BarList, clickable=True),
            shown_digits=3,
        ),
        Cells(
            key="map",
            name=mark("How far each head moved: rows are layers, columns are heads"),
            number="divergence",
            asks="moved",
            is_compared=False,
            on=ROOM,
            chart=partial(LabelledGrid, square=True),
        ),
    )

    def lay_out(self) -> QLayout:
        self.bars, self.map = self.charts["bars"], self.charts["map"]
        self.map.setFixedHeight(theme.px(MAP_OF_MOVED_PX))
        self.heads: list[Head] = []  # of the bars
        self.about_moved, self.try_it = label("", "muted", wrap=True), self.offer_of_texts()
        line = self.own_line(self.asked["moved"])
        column = vbox(line, self.about_moved, self.try_it, self.bars, self.map, None)
        column.setSpacing(theme.px(GAP_PX))
        return column

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        attentions = self.attentions
        is_paired = attentions.baseline is not None and attentions.alignment.reason is None
        return Job(moved_heads, (attentions,)) if is_paired else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        moved: MatchedHeads | None = self.answer_of("moved", reading)
        if moved is None:
            return None
        distances, highest = moved.divergences, float(moved.divergences.max()) or 1.0
        if key == "map":
            return Values(distances.astype(np.float32), layers(len(distances)), heads(len(distances[0])), 0.0, highest)
        order = np.argsort(-distances, axis=None, kind="stable")[:MOST_MOVED].tolist()
        self.heads = [divmod(flat, distances.shape[1]) for flat in order]
        theirs = [head_name(int(moved.layers[head]), int(moved.heads[head])) for head in self.heads]
        notes = ["" if self.attentions.has_same_heads else f"~ {name}" for name in theirs]
        colors = ["bar_strong" if head == self.head else "bar" for head in self.heads]
        names = Side("none", [head_name(*head) for head in self.heads])
        return Values(distances.flat[order], names, high=highest, detail={"note": notes, "color": colors})

    def drawn(self, reading: Reading, selection: Selection) -> None:
        attentions, moved = self.attentions, self.answer_of("moved", reading)
        compare = say("Compare with another model, step or text first: the menu is at the top.")
        sentence = (attentions.why_no_difference or compare) if self.job("moved", reading, selection) is None else ""
        if moved is not None:
            sentence = about_moved(moved, has_same_heads=attentions.has_same_heads)
        show_text(self.about_moved, sentence)
        self.try_it.setVisible(attentions.baseline is None)
        self.bars.setVisible(moved is not None)
        self.map.setVisible(moved is not None and moved.divergences.size > MOST_MOVED)
        if moved is not None and moved.divergences.any():
            self.most_moved_found.emit(*self.heads[0])

    def sentence(self, key: str, row: int, column: int | None) -> str:
        return "" if column is None else self.shared.about((row, column))

    def clicked(self, key: str, row: int, column: int | None) -> None:
        self.shared.choose(self.heads[row] if column is None else (row, column))


class AlikeView(HeadsPanel):
    """All heads as points, near where they look at the same (Clark et al. 2019, section 6), fainter in lower layers,
    and the heads most like the one on show."""

    follows = ("head", "heads")
    links_name = mark("Heads most similar to this one")
    pictures = (
        Dots(
            key="map",
            name=mark("Heads as points: near each other where they look at the same tokens"),
            saved_as="points",
            asks="map",
            is_compared=False,
            on=ROOM,
            chart=partial(Scatter, names=False),
        ),
    )

    def parts(self) -> list[Item]:
        self.points: Scatter = self.charts["map"]
        self.points.setMaximumHeight(theme.column_px(MAP_OF_ALIKE_PX))
        explain("divergence", self.links)
        save = FigureButton(partial(self.figure_of, ROOM), self.points, say("map of heads"))
        self.points.clicked.connect(self._on_points_clicked)
        line = self.own_line(self.asked["map"])
        return [line, (self.points, 1), hbox((AsHighAsNeeded(self.links), 1), save)]

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job:
        return Job(map_of_heads, (self.attentions,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        head_map: HeadMap | None = self.answer_of("map", reading)
        if head_map is None:
            return None
        count, heads, _ = head_map.points.shape
        points = [(layer, head) for layer in range(count) for head in range(heads)]
        shades = [0.15 + 0.75 * layer / max(count - 1, 1) for layer, _ in points]
        side = Side("none", [head_name(*head) for head in points], axis_name="head")
        return Values(
            head_map.points.reshape(-1, 2), side, Side("none", ["1", "2"], axis_name="axis"), detail={"shades": shades}
        )

    def drawn(self, reading: Reading, selection: Selection) -> None:
        head_map: HeadMap | None = self.answer_of("map", reading)
        self.points.setVisible(head_map is not None)
        if head_map is None:
            self.show_rows(None)
            return
        self.points.setToolTip(tip(about_map(head_map, len(self.attentions.units))))
        if not self.attentions.has(self.head) or len(head_map.divergence) == 1:
            self.show_rows(None)
            return
        own = self._point(self.head)
        distances = head_map.divergence[own]
        nearest = [point for point in np.argsort(distances, kind="stable").tolist() if point != own][:MOST_ALIKE]
        links = [(self._head(point), numbers.decimal(float(distances[point]))) for point in nearest]
        self.show_rows([(say("most like {head}", head=head_name(*self.head)), links, "")])

    def _show_selected(self, selection: Selection) -> None:
        """All that are selected, the one on show first."""
        heads = [self.head, *(head for head in self.shared.heads if head != self.head)]
        self.points.set_selected([self._point(head) for head in heads if self.attentions.has(head)])

    def sentence(self, key: str, row: int, column: int | None) -> str:
        return self.shared.about(self._head(row))

    def entries(self, key: str, row: int, column: int | None) -> list[Entry]:
        return self.shared.entries(self._head(row))

    def numbers(self, key: str) -> dict[str, Numbers]:
        names = self.shown[key].rows.labels
        axes = Axis("head", names), Axis("other", names)
        return {**super().numbers(key), "divergence": Numbers(self.answer_of("map", self.reading).divergence, axes)}

    def caption(self, key: str) -> dict[str, Any]:
        title, hint = say("Which heads are alike"), say("heads near each other look at the same tokens")
        settings = about_map(self.answer_of("map", self.reading), len(self.attentions.units))
        return {"title": title, "hint": hint, "settings": settings}

    def _point(self, head: Head) -> int:
        return head[0] * self.attentions.heads + head[1]

    def _head(self, point: int) -> Head:
        return divmod(point, self.attentions.heads)

    def _on_points_clicked(self, point: int, modifiers: Qt.KeyboardModifier) -> None:
        has_ctrl = modifiers & Qt.KeyboardModifier.ControlModifier
        (self.shared.toggle if has_ctrl else self.shared.choose)(self._head(point))
