"""The panels below the atlas: heads by kind, by a search, by how far they moved, by their effect and by likeness."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtWidgets import QCompleter, QLabel, QLineEdit

from bertcore.analysis.attention_heads import KINDS

from ...compute.head_questions import effects_of_heads
from ...compute.question import PAUSE_MS
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...widgets.card import Steady, button, label, show_text, tip
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.raster import ColorBar
from ...widgets.figure_button import FigureButton
from ...widgets.layouts import FlowLayout, fill, hbox
from ...widgets.scatter import Points, Scatter
from .attend_state import AttendState
from .attentions import (
    KIND_NAMES,
    NO_HABIT,
    OFF,
    Head,
    by_kind,
    find_in,
    head_name,
    kind_name,
    map_of_heads,
    moved_heads,
)
from .sentences import about_effects, about_map, about_moved
from .view import AskingView, AttendView, TargetView

if TYPE_CHECKING:
    from bertcore.analysis.attention_heads import FoundHeads, HeadMap
    from bertcore.analysis.compare import MatchedHeads
    from bertcore.tokenizer.tokenizer import Encoding

MOST_OF_KIND, MOST_FOUND, MOST_EFFECTS, MOST_MOVED, MOST_ALIKE = 24, 40, 5, 6, 5  # heads that are listed
MOST_SELECTED = 6  # of those that were found
MAP_OF_MOVED_PX, MAP_OF_ALIKE_PX = 150, 260  # their heights
GAP_PX = 7
Row = tuple[str, Sequence[tuple[Head, str]], str]  # a name, its heads with a small number behind each, words after them


class HeadLinks(QLabel):
    """Rows of a name and heads as links, layer·head; a click or Enter on one selects it."""

    head_clicked = Signal(int, int)  # layer, head, from 0

    def __init__(self, name: str) -> None:
        super().__init__()
        self.rows: Sequence[Row] = []
        self._off: Collection[Head] = frozenset()  # are called off
        self.setAccessibleName(name)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkActivated.connect(lambda link: self.head_clicked.emit(*map(int, link.split(","))))

    def show_rows(self, rows: Sequence[Row], off: Collection[Head] = frozenset()) -> None:
        """off: heads that add nothing."""
        self.rows, self._off = rows, off
        if rows or self.text():
            made = "".join(_row(*row, off) for row in rows)
            self.setText(f"<table cellspacing=0 cellpadding=0>{made}</table>")

    def changeEvent(self, event: QEvent) -> None:
        """The colours stand in the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.show_rows(self.rows, self._off)


def _row(name: str, heads: Sequence[tuple[Head, str]], after: str, off: Collection[Head]) -> str:
    look = theme.active()
    off_mark = "&nbsp;" + html.escape(say("off"))
    links = "&nbsp; ".join(
        f'<a style="color:{look.accent}; text-decoration:none" href="{layer},{head}">{head_name(layer, head)}</a>'
        f'<span style="color:{look.muted}; font-size:{theme.px(10)}px">&nbsp;{html.escape(number)}'
        f"{off_mark if number and (layer, head) in off else ''}</span>"
        for (layer, head), number in heads
    )
    if after:
        links += f' &nbsp;<span style="color:{look.muted}">{html.escape(after)}</span>'
    cell = "padding-bottom:6px"
    return (
        f'<tr><td style="color:{look.ink}; padding-right:12px; {cell}">{html.escape(name)}</td>'
        f'<td style="{cell}">{links}</td></tr>'
    )


def _and_more(count: int) -> str:
    return say("and %n more", n=count, meaning="heads") if count > 0 else ""


class HeadsPanel(AttendView):
    """Rows of heads. Subclasses override `draw` and give `links` a place."""

    follows: tuple[str, ...] = ()
    links_name = ""  # for screen readers

    def __init__(self) -> None:
        super().__init__()
        self.body.setSpacing(theme.px(GAP_PX))
        self.links = HeadLinks(say(self.links_name))
        self.links.head_clicked.connect(self.head_clicked)

    def show_rows(self, rows: Sequence[Row] | None) -> None:
        """None: there are none yet."""
        self.links.setVisible(rows is not None)
        self.links.show_rows(self.links.rows if rows is None else rows, self.attentions.off)


class KindsView(HeadsPanel):
    """What kinds of heads this text shows. While new kinds are computed, the old ones stay."""

    links_name = mark("Kinds of heads in this text")

    def __init__(self) -> None:
        super().__init__()
        fill(self.body, Steady(self.links), None)

    def use(self, shared: AttendState) -> None:
        super().use(shared)
        shared.described.connect(self.redraw)

    def draw(self) -> None:
        kinds = by_kind(self.shared.descriptions, self.attentions.off)
        self.show_rows([self._row(kind, heads) for kind, heads in kinds.items()] or self.links.rows)

    def _row(self, kind: str, heads: Sequence[tuple[Head, float]]) -> Row:
        has_score = kind not in (OFF, NO_HABIT)
        links = [(head, numbers.percent(score) if has_score else "") for head, score in heads[:MOST_OF_KIND]]
        return kind_name(kind, self.attentions.reading), links, _and_more(len(heads) - MOST_OF_KIND)


class FindView(HeadsPanel, AskingView):
    """Heads of a kind, or those that fulfil a condition such as attn(it -> cat) > 0.3.

    A query goes on being answered while the text changes.
    """

    links_name = mark("Matching heads, best first")

    def __init__(self) -> None:
        super().__init__()
        self.query = QLineEdit()
        self.query.setAccessibleName(say("Find heads: a kind or a condition"))
        self.query.setClearButtonEnabled(True)
        self.query.setCompleter(QCompleter(sorted(say(KIND_NAMES[kind]) for kind in KINDS), self.query))
        self.summary = label("", "strong", wrap=True)  # how many match, and by what they are ranked
        hint = say("Select these heads for Lines and the mean")
        self.choose = button("", self._on_choose_clicked, look="small", hint=hint)
        self._example = label("", "muted", wrap=True)
        self.try_it = button(say("Try it"), lambda: self.query.setText(self.query.placeholderText()), look="small")
        conditions = label(
            say(
                "In attn(…): a word, A, B, special, any, or #position. Also: spread < 2 or distance > 4 (in tokens), "
                "special > 0.5, or a kind such as previous token. Join several with “and”."
            ),
            "muted",
            wrap=True,
        )
        conditions.hide()
        self.more = button(say("More conditions"), look="small", checkable=True)
        self.more.toggled.connect(conditions.setVisible)
        buttons = FlowLayout()
        buttons.addWidget(self.try_it)
        buttons.addWidget(self.more)
        fill(self.body, self.query, self.line, self.summary, self.links, self.choose)
        fill(self.body, self._example, buttons, conditions, None)
        for widget in (self.summary, self.links, self.choose):
            widget.hide()
        self.query.textChanged.connect(self._on_query_text_changed)
        self.query.returnPressed.connect(self._on_query_return_pressed)

    def draw(self) -> None:
        typed, example = self.query.text().strip(), "attn({} -> {}) > 0.3"
        words = words_of_example(self.attentions.encoding)
        text = mark("Heads in which “{who}” gives more than 0.3 of its attention to “{what}”: {query}")
        self._example.setText(say(text, who=words[0], what=words[1], query=example.format(*words)))
        self.query.setPlaceholderText(example.format(*words))
        if typed:
            query = next((kind for kind in KINDS if say(KIND_NAMES[kind]).lower() == typed.lower()), typed)
            self.question.ask(find_in, *self.attentions.given, query, pause_ms=self.pause_ms)
        else:
            self.question.clear()
        found: FoundHeads | None = self.question.answer
        count = 0 if found is None else len(found.matches)
        self.summary.setVisible(found is not None)
        self.choose.setVisible(count > 0)
        if found is None:
            self.show_rows(None)
            return
        measure = found.measured + (f" ({found.unit})" if found.unit else "")
        for kind in KINDS:
            measure = measure.replace(f"“{kind}”", f"“{say(KIND_NAMES[kind])}”")
        self.summary.setText(say("%n head(s), ranked by {measure}", n=count, measure=measure))
        listed = [((one.layer, one.head), numbers.decimal(one.score)) for one in found.matches[:MOST_FOUND]]
        self.show_rows([("", listed, _and_more(count - MOST_FOUND))])
        few = min(count, MOST_SELECTED)
        self.choose.setText(say("Select it") if count == 1 else say("Select the first %n", n=few))

    def _matches(self) -> list[Head]:
        found: FoundHeads | None = self.question.answer
        return [] if found is None else [(match.layer, match.head) for match in found.matches]

    def _on_query_text_changed(self, text: str) -> None:
        self.pause_ms = PAUSE_MS
        self.redraw()

    def _on_choose_clicked(self) -> None:
        self.heads_clicked.emit(self._matches()[:MOST_SELECTED])

    def _on_query_return_pressed(self) -> None:
        self.heads_clicked.emit(self._matches()[:1])


def words_of_example(encoding: Encoding) -> tuple[str, str]:
    """Two words of the text, where it has two."""
    words = [word for word, part in zip(encoding.labels, encoding.parts, strict=True) if part == "a"]
    plain = [word for word in dict.fromkeys(words) if word.isalpha() and word.isascii()]
    return (plain[-1], plain[0]) if len(plain) > 1 else ("it", "cat")


class EffectsView(HeadsPanel, TargetView):
    """What each head does for one prediction, in the model as it is: each is switched off alone.

    The numbers are drawn over the atlas.
    """

    links_name = mark("Heads that matter most for this prediction")

    def __init__(self) -> None:
        super().__init__()
        self.bar, self.meaning = ColorBar(signed=True), label("", "muted", wrap=True)
        explain("effect", self.bar)
        fill(self.body, self.target_box, self.target_fields, self.line, self.bar, self.meaning, self.links, None)

    @property
    def effects(self) -> np.ndarray | None:
        """(L,N) what each head adds to ln p in nats, or to a score; None while there are none."""
        return None if self.question.answer is None else -self.question.answer

    @property
    def limit(self) -> float:
        """Both ends of the colour scale."""
        return 1.0 if self.effects is None else float(np.abs(self.effects).max()) or 1.0

    def draw(self) -> None:
        self.ask_about_target(effects_of_heads)
        effects, target = self.effects, self.shared.target
        for widget in (self.bar, self.meaning):
            widget.setVisible(effects is not None)
        if effects is None:
            self.show_rows(None)
            return
        is_score = target is not None and target.is_score
        self.bar.set_range(-self.limit, self.limit, numbers.number if is_score else numbers.log_factor)
        self.meaning.setText(about_effects(target, is_changed=self.attentions.reading.unchanged is not None))
        written = numbers.signed if is_score else numbers.log_factor
        order = np.argsort(-effects, axis=None, kind="stable").tolist()
        ranked = [(divmod(flat, effects.shape[1]), float(effects.flat[flat])) for flat in order]
        helps = [(head, written(effect)) for head, effect in ranked[:MOST_EFFECTS] if effect > 0]
        hurts = [(head, written(effect)) for head, effect in ranked[::-1][:MOST_EFFECTS] if effect < 0]
        none = say("none", meaning="not one")
        self.show_rows([(say("for"), helps, "" if helps else none), (say("against"), hurts, "" if hurts else none)])


class MovedView(AskingView):
    """How far each head is from the baseline's, as a list and as a map: the squares are for models of more heads than
    bars. A click on a square or a bar selects the head."""

    follows = ("head",)
    most_moved_found = Signal(int, int)  # layer, head: drawn as the first bar

    def __init__(self) -> None:
        super().__init__()
        self.map = LabelledGrid(say("How far each head moved: rows are layers, columns are heads"), square=True)
        self.map.setFixedHeight(theme.px(MAP_OF_MOVED_PX))
        self.bars = BarList(say("Heads that moved most"), clickable=True)
        self.heads: list[Head] = []  # of the bars
        self.sentence = label("", "muted", wrap=True)
        self.try_it = self.offer_of_texts()
        explain("divergence", self.map, self.bars)
        self.body.setSpacing(theme.px(GAP_PX))
        fill(self.body, self.line, self.sentence, self.try_it, self.bars, self.map, None)
        self.bars.clicked.connect(lambda row: self.head_clicked.emit(*self.heads[row]))
        self.map.clicked.connect(lambda cell: self.head_clicked.emit(*cell))
        self.map.hovered.connect(self.head_hovered)

    def draw(self) -> None:
        attentions, sentence = self.attentions, ""
        if attentions.baseline is None or attentions.alignment.reason is not None:
            self.question.clear()
            compare = say("Compare with another model, step or text first: the menu is at the top.")
            sentence = attentions.why_no_difference or compare
        else:
            self.question.ask(moved_heads, *attentions.given, pause_ms=self.pause_ms)
        moved: MatchedHeads | None = self.question.answer
        if moved is not None:
            sentence = about_moved(moved, has_same_heads=attentions.has_same_heads)
        show_text(self.sentence, sentence)
        self.try_it.setVisible(attentions.baseline is None)
        self.bars.setVisible(moved is not None)
        self.map.setVisible(moved is not None and moved.divergences.size > MOST_MOVED)
        if moved is None:
            return
        values, highest = moved.divergences, float(moved.divergences.max()) or 1.0
        order = np.argsort(-values, axis=None, kind="stable")[:MOST_MOVED].tolist()
        self.heads = [divmod(flat, values.shape[1]) for flat in order]
        self.bars.set_bars([self._bar(moved, head, highest) for head in self.heads])
        layers, heads = (Labels([str(i + 1) for i in range(size)]) for size in values.shape)
        self.map.set_grid(values.astype(np.float32), layers, heads, 0.0, highest)
        self.map.set_selected(*self.head)
        if values.any():
            self.most_moved_found.emit(*self.heads[0])

    def _bar(self, moved: MatchedHeads, head: Head, highest: float) -> Bar:
        value, theirs = float(moved.divergences[head]), head_name(int(moved.layers[head]), int(moved.heads[head]))
        note = "" if self.attentions.has_same_heads else f"~ {theirs}"
        color = "bar_strong" if head == self.head else "bar"
        return Bar(head_name(*head), numbers.decimal(value, 3), value / highest, color, note=note)


class AlikeView(HeadsPanel, AskingView):
    """All heads as points, near where they look at the same (Clark et al. 2019, section 6), fainter in lower layers,
    and the heads most like the one on show."""

    follows = ("head", "heads")
    links_name = mark("Heads most similar to this one")

    def __init__(self) -> None:
        super().__init__()
        self.points = Scatter(say("Heads as points: near each other where they look at the same tokens"), names=False)
        self.points.setMaximumHeight(theme.column_px(MAP_OF_ALIKE_PX))
        explain("divergence", self.links)
        self._axes = ""  # what they capture
        self._map: HeadMap | None = None  # that is drawn
        save = FigureButton(self.make_figure, self.points, say("map of heads"))
        fill(self.body, self.line, (self.points, 1), hbox((Steady(self.links), 1), save))
        self.points.clicked.connect(self._on_points_clicked)
        self.points.hovered.connect(self._on_points_hovered)
        self.points.context_menu_requested.connect(self._on_points_menu_requested)

    def draw(self) -> None:
        self.question.ask(map_of_heads, *self.attentions.given, pause_ms=self.pause_ms)
        head_map: HeadMap | None = self.question.answer
        self.points.setVisible(head_map is not None)
        if head_map is None:
            self._map = None
            self.points.set_points(Points())
            self.show_rows(None)
            return
        layers, heads, _ = head_map.points.shape
        if head_map is not self._map:
            self._map, self._axes = head_map, about_map(head_map, len(self.attentions.units))
            names = [head_name(layer, head) for layer in range(layers) for head in range(heads)]
            shades = [0.15 + 0.75 * layer / max(layers - 1, 1) for layer in range(layers) for _ in range(heads)]
            self.points.set_points(Points(head_map.points.reshape(-1, 2), names, shades=shades))
            self.points.setToolTip(tip(self._axes))
        selected = [self.head, *(head for head in self.shared.heads if head != self.head)]
        self.points.set_selected([self._point(head) for head in selected if head[0] < layers and head[1] < heads])
        layer, head = self.head
        if layer >= layers or head >= heads or layers * heads == 1:
            self.show_rows(None)
            return
        own, distances = self._point(self.head), head_map.divergence[self._point(self.head)]
        nearest = [i for i in np.argsort(distances, kind="stable").tolist() if i != own][:MOST_ALIKE]
        links = [(divmod(i, heads), numbers.decimal(float(distances[i]))) for i in nearest]
        self.show_rows([(say("most like {head}", head=head_name(layer, head)), links, "")])

    def make_figure(self) -> Figure | None:
        head_map: HeadMap | None = self.question.answer
        if head_map is None or self.reading is None:
            return None
        names = Axis("head", list(self.points.points.names))
        values = {
            "points": Numbers(head_map.points.reshape(-1, 2), (names, Axis("axis", ("1", "2")))),
            "divergence": Numbers(head_map.divergence, (names, Axis("other", names.labels))),
        }
        hint, title = say("heads near each other look at the same tokens"), say("Which heads are alike")
        return self.figure(title, [self.points], values, hint=hint, settings=self._axes)

    def _heads_of_layer(self) -> int:
        return 1 if self.question.answer is None else self.question.answer.points.shape[1]

    def _point(self, head: Head) -> int:
        return head[0] * self._heads_of_layer() + head[1]

    def _head(self, point: int) -> Head:
        return divmod(point, self._heads_of_layer())

    def _on_points_clicked(self, point: int, modifiers: Qt.KeyboardModifier) -> None:
        has_ctrl = modifiers & Qt.KeyboardModifier.ControlModifier
        (self.head_toggled if has_ctrl else self.head_clicked).emit(*self._head(point))

    def _on_points_hovered(self, point: int | None) -> None:
        self.head_hovered.emit(None if point is None else self._head(point))

    def _on_points_menu_requested(self, point: int | None, at: QPoint) -> None:
        if point is not None:
            self.head_menu_requested.emit(*self._head(point), at)
