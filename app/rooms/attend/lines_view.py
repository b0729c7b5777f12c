"""The view Lines: two columns of tokens, and lines for what one or several heads connect."""

import html
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers, theme
from ...look.say import say
from ...state.baseline_names import own_name
from ...widgets.card import Hint, label, scrolled
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill, hbox, vbox
from .attentions import Attentions, Head, head_name
from .compared_attentions import ComparedAttentions
from .counterpart import Counterpart, way_to_show
from .lines_picture import HeadLines, LinesPicture
from .strong_links import Links, between, strongest_links
from .view import AttendView

ALL, A_TO_B, B_TO_A, WITHIN = range(4)
TOP_SHARE, LEAST = range(2)
FIRST_PERCENTS = {(TOP_SHARE, False): 60.0, (LEAST, False): 20.0, (TOP_SHARE, True): 60.0, (LEAST, True): 5.0}
LEAST_CHANGE = 0.01  # smaller differences are never drawn
MOST_LINES = 1500  # of one head: beyond that nobody tells them apart
HEAD_COLORS = ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_norm", "muted")
STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
    Qt.PenStyle.SolidLine,
)
DASHES = {Qt.PenStyle.SolidLine: "━━", Qt.PenStyle.DashLine: "╍╍", Qt.PenStyle.DotLine: "┈┈"}


class LinesView(AttendView):
    """Up to six of the chosen heads, each in a colour and a kind of line of its own.

    A difference has two colours, for more and for less attention than in the baseline.
    """

    def __init__(self) -> None:
        super().__init__()
        self.picture, self.other = LinesPicture(), LinesPicture()
        self._counterpart = Counterpart(self)
        self._beside_box, self._beside_title, self._now = QWidget(), Hint(), Hint()
        vbox(self._beside_title, (scrolled(self.other), 1), parent=self._beside_box, gap_px=4)
        self.filter, self.limit = (
            Choice(say("Which tokens are connected")),
            Choice(say("Which lines are drawn")),
        )
        self.filter.addItems([say("All tokens"), say("A → B"), say("B → A"), say("Within A, within B")])
        self.limit.addItems([say("Fewest lines per token that carry at least"), say("Lines stronger than")])
        name = say("Share of each token’s attention, or smallest weight, in percent")
        self.percent = NumberBox(name, 0, 100, step=5, suffix=numbers.percent_sign())
        self._percents = dict(FIRST_PERCENTS)
        self.percent.show_value(self._percents[TOP_SHARE, False])
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.legend.setAccessibleName(say("Which colour is which head"))
        self.why_empty = label("", "muted", wrap=True)
        fill(self.controls, self.filter, self.limit, self.percent, None)
        now = vbox(self._now, (scrolled(self.picture), 1), gap_px=4)
        pictures = hbox((self._beside_box, 1), (now, 1), gap_px=12)
        fill(self.body, self.controls, self.why_empty, (pictures, 1), self.legend)
        self.filter.currentIndexChanged.connect(lambda _index: self.redraw())
        self.limit.currentIndexChanged.connect(self._on_limit_changed)
        self.percent.valueChanged.connect(self._on_percent_changed)
        self.picture.hovered.connect(lambda row: self.hover_unit(row))
        self.picture.clicked.connect(self._on_picture_clicked)
        self.add_token_menu(self.picture)
        self.other.hovered.connect(self._on_other_hovered)
        self.other.clicked.connect(self._on_other_clicked)

    def draw(self) -> None:
        chosen, attentions = self.chosen.heads, self.attentions
        heads = chosen[-len(HEAD_COLORS) :]  # the newest
        one = attentions.title(*self.head)
        shown = way_to_show(attentions, self.selection)
        self._compared, self._beside = shown.difference, shown.beside
        self.percent.show_value(self._percents[self._percent_key])
        self.set_title(say("%n head(s)", n=len(heads)) if len(heads) > 1 else one, about=shown.about)
        row = attentions.units.unit_of(self.selection.position)
        lines = self._differences(heads, row) if self._compared else self._all_lines(attentions, heads, row)
        labels = self._compared.labels if self._compared else attentions.units.labels
        self.picture.set_lines(lines, labels, attentions.units.kinds)
        self.picture.set_row(row)
        self._show_beside(heads, row)
        self._show_legend(lines)
        needs_b = self.filter.currentIndex() in (A_TO_B, B_TO_A) and "b" not in attentions.parts
        is_same = self._compared is not None and not any(len(one.links.weights) for one in lines)
        self.why_empty.setText(
            say("There is no sentence B. Type one to see how the two are connected.")
            if needs_b
            else say("This head has not changed. Moved, on the left, lists the heads that have.")
        )
        self.why_empty.setVisible(needs_b or is_same)

    def draw_position(self) -> None:
        if any(len(lines.links.weights) < lines.links.fitting for lines in self.picture.lines):
            self.draw()  # some are left out, but none of this token
        else:
            row = self.attentions.units.unit_of(self.selection.position)
            self.picture.set_row(row)
            self.other.set_row(self._baseline_row(row))

    def make_figure(self) -> Figure | None:
        if not self.picture.lines or self.reading is None:
            return None
        labels = self.attentions.units.labels
        drawn = {}
        for lines in self.picture.lines:
            values = np.zeros((len(labels), len(labels)), dtype=np.float32)
            signs = 1 if lines.signs is None else lines.signs
            values[lines.links.rows, lines.links.columns] = lines.links.weights * signs
            axes = Axis("looks", labels), Axis("is looked at", labels)
            drawn[f"layer {lines.head[0] + 1} head {lines.head[1] + 1}"] = Numbers(values, axes)
        limit = f"{self.limit.currentText()} {numbers.percent(self.percent.value() / 100)}"
        minus = f"now minus {self._compared.name}" if self._compared else ""
        settings = joined(minus, self.filter.currentText(), limit)
        is_one = len(self.picture.lines) == 1
        widgets = [self.picture, self.legend]
        hint = say("left looks at right · thicker: more attention")
        if self._compared is not None:
            hint = say("left looks at right · red: more attention than {there}, blue: less")
            hint = hint.format(there=self._compared.where)
        return self.figure(self.title, widgets, drawn, hint=hint, settings=settings, head=is_one)

    @property
    def _percent_key(self) -> tuple[int, bool]:
        return self.limit.currentIndex(), self._compared is not None

    def _all_lines(self, attentions: Attentions, heads: Sequence[Head], row: int | None) -> list[HeadLines]:
        weights = [attentions.weights(*head) for head in heads]
        return [
            HeadLines(head, self._links(attentions, one, row), HEAD_COLORS[number], STYLES[number])
            for number, (head, one) in enumerate(zip(heads, weights, strict=True))
        ]

    def _differences(self, heads: Sequence[Head], row: int | None) -> list[HeadLines]:
        """All on one scale, whose thickest line is the largest difference in any of these heads."""
        assert self._compared is not None
        made = [self._compared.difference(*head) for head in heads]
        full = max(LEAST_CHANGE, *(float(np.abs(one).max(initial=0.0)) for one in made))
        lines = []
        for number, (head, one) in enumerate(zip(heads, made, strict=True)):
            links = self._links(self.attentions, np.abs(one), row, LEAST_CHANGE)
            signs = np.sign(one[links.rows, links.columns])
            lines.append(HeadLines(head, links, HEAD_COLORS[number], STYLES[number], signs, full))
        return lines

    def _links(self, attentions: Attentions, weights: np.ndarray, row: int | None, least: float = 0.0) -> Links:
        """least: no line below it, whatever the controls say."""
        by_share = self.limit.currentIndex() == TOP_SHARE
        limit = self.percent.value() / 100
        return strongest_links(
            weights,
            among=self._among(attentions.parts),
            least=least if by_share else max(limit, least),
            share=limit if by_share else None,
            most=MOST_LINES,
            always=row,
        )

    def _show_beside(self, heads: Sequence[Head], row: int | None) -> None:
        """The same heads of the baseline, or in a model of another shape the most similar ones."""
        both = self._beside
        for widget in (self._beside_box, self._now):
            widget.setVisible(both is not None)
        if both is None:
            return
        theirs = [self._counterpart.head(both, head) for head in heads]
        found = [head for head in theirs if head is not None]
        self._beside_title.setText(self._counterpart.title(both, found[-1] if found else None))
        self._now.setText(own_name(both.ours.reading))
        units = both.baseline.units
        lines = self._all_lines(both.baseline, found, self._baseline_row(row))
        self.other.set_lines(lines, units.labels, units.kinds)
        self.other.set_row(self._baseline_row(row))

    def _baseline_row(self, row: int | None) -> int | None:
        places = [] if self._beside is None else self._beside.alignment.other_positions
        return None if row is None or row >= len(places) else places[row]

    def _among(self, parts: Sequence[str]) -> np.ndarray | None:
        """(U,U) which pairs of tokens the filter lets through."""
        chosen = self.filter.currentIndex()
        if chosen == ALL:
            return None
        if chosen == WITHIN:
            within: np.ndarray = between(parts, "a", "a") | between(parts, "b", "b")
            return within
        return between(parts, "a", "b") if chosen == A_TO_B else between(parts, "b", "a")

    def _show_legend(self, lines: Sequence[HeadLines]) -> None:
        texts = [self._legend_of(one, is_alone=len(lines) == 1) for one in lines]
        chosen = len(self.chosen.heads)
        if chosen > len(lines):
            texts.append(say("the last {shown} of {chosen} selected heads", shown=len(lines), chosen=chosen))
        elif chosen == 1 and self._compared is None:
            texts.append(say("Ctrl+click another head to compare it"))
        signs = "" if self._compared is None else self._signs_explained(self._compared, lines)
        self.legend.setText(signs + "&nbsp;&nbsp; ".join(texts))

    def _signs_explained(self, both: ComparedAttentions, lines: Sequence[HeadLines]) -> str:
        """The two colours, the thickest line, and what has none."""
        there = html.escape(both.where)
        more, less = (
            f'<span style="color:{theme.signed_color(sign).name()}"><b>━━</b></span> {text}'
            for sign, text in (
                (1, say("looks there more than {there}", there=there)),
                (-1, say("less")),
            )
        )
        full = numbers.decimal(max((one.full for one in lines), default=LEAST_CHANGE))
        parts = [more, less, say("thickest: ±{difference}", difference=full)]
        if None in both.alignment.other_positions:
            parts.append(say("tokens found in only one text are left out"))
        return "&nbsp;&nbsp; ".join(parts) + "<br>"

    def _legend_of(self, lines: HeadLines, *, is_alone: bool) -> str:
        links, name = lines.links, head_name(*lines.head)
        if lines.head in self.attentions.off:
            name = say("{head} off", head=name)
        count = len(links.weights)
        if lines.signs is not None:
            return self._difference_legend(lines, name, count, is_alone=is_alone)
        if count < links.fitting:
            text = say("the strongest {count} of {all} lines, {share} of the attention")
        elif count == 1:
            text = say("1 line, {share} of the attention")
        else:
            text = say("{count} lines, {share} of the attention")
        said = text.format(
            count=numbers.count(count), all=numbers.count(links.fitting), share=numbers.percent(links.share)
        )
        color, dash = theme.color(lines.color).name(), DASHES.get(lines.style, "┅┅")
        return f'<span style="color:{color}"><b>{dash}</b></span> <b>{html.escape(name)}</b>: {html.escape(said)}'

    def _difference_legend(self, lines: HeadLines, name: str, count: int, *, is_alone: bool) -> str:
        """The kind of line tells heads apart, the colour more from less."""
        text = say("%n line(s), {share} of the difference", n=count)
        if not count:
            text = say("nothing differs by {least} or more", least=numbers.decimal(LEAST_CHANGE))
        said = text.format(share=numbers.percent(lines.links.share))
        dash = "" if is_alone else f"{DASHES.get(lines.style, '┅┅')} "
        return f"{dash}<b>{html.escape(name)}</b>: {html.escape(said)}"

    def changeEvent(self, event: QEvent) -> None:
        """The legend's colours stand in its text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.reading is not None:
            self._show_legend(self.picture.lines)

    def _on_limit_changed(self, _limit: int) -> None:
        self.percent.show_value(self._percents[self._percent_key])
        self.redraw()

    def _on_percent_changed(self, percent: float) -> None:
        self._percents[self._percent_key] = percent
        self.redraw()

    def _on_picture_clicked(self, row: int, modifiers: object) -> None:
        self.click_unit(row)

    def _on_other_hovered(self, row: int | None) -> None:
        self.hover_unit(None if row is None else self._own_row(row))

    def _on_other_clicked(self, row: int, modifiers: object) -> None:
        own = self._own_row(row)
        if own is not None:
            self.click_unit(own)

    def _own_row(self, row: int) -> int | None:
        """Of a token of the baseline, the one of ours that it is compared with."""
        places = self._beside.alignment.inverse().other_positions if self._beside is not None else ()
        return places[row] if row < len(places) else None
