"""The view Lines: two columns of tokens, and lines for what one or several heads connect."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from bertcore.analysis.links import Links, between, strongest_links

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...look.say import say
from ...widgets.card import label, scrolled
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill
from .attentions import Attentions, Head
from .lines_picture import HeadLines, LinesPicture
from .sentences import about_signs, legend_of
from .view import PairedHeadsView, SideBySide

ALL, A_TO_B, B_TO_A, WITHIN = range(4)
PAIRS = {A_TO_B: [("a", "b")], B_TO_A: [("b", "a")], WITHIN: [("a", "a"), ("b", "b")]}  # parts that are connected
TOP_SHARE, LEAST = range(2)
FIRST_PERCENTS = {(TOP_SHARE, False): 60.0, (LEAST, False): 20.0, (TOP_SHARE, True): 60.0, (LEAST, True): 5.0}
LEAST_CHANGE = 0.01  # smaller differences are never drawn
MOST_LINES = 1500  # of one head: beyond that nobody tells them apart
Line = Qt.PenStyle
LOOKS = (  # of the heads: a colour, a kind of line, and how the legend writes that
    ("curve_train", Line.SolidLine, "━━"),
    ("curve_held_out", Line.DashLine, "╍╍"),
    ("curve_mlm", Line.DotLine, "┈┈"),
    ("curve_nsp", Line.DashDotLine, "┅┅"),
    ("curve_norm", Line.DashDotDotLine, "┅┅"),
    ("muted", Line.SolidLine, "━━"),
)


class LinesView(PairedHeadsView):
    """Up to six of the selected heads, each in a colour and a kind of line of its own.

    A difference has two colours, for more and for less attention than in the baseline.
    """

    def __init__(self) -> None:
        super().__init__()
        self.picture, self.other = LinesPicture(), LinesPicture()
        self.filter = Choice(say("Which tokens are connected"))
        self.filter.addItems([say("All tokens"), say("A → B"), say("B → A"), say("Within A, within B")])
        self.limit = Choice(say("Which lines are drawn"))
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
        self._pictures = SideBySide(scrolled(self.other), scrolled(self.picture))
        fill(self.controls, self.filter, self.limit, self.percent, None)
        fill(self.body, self.controls, self.why_empty, (self._pictures, 1), self.legend)
        self.filter.currentIndexChanged.connect(lambda _index: self.redraw())
        self.limit.currentIndexChanged.connect(self._on_limit_changed)
        self.percent.valueChanged.connect(self._on_percent_changed)
        self.picture.hovered.connect(lambda row: self.hover_unit(row))
        self.picture.clicked.connect(lambda row: self.click_unit(row))
        self.add_token_menu(self.picture)
        self.other.hovered.connect(lambda row: self.hover_unit(self._own_row(row)))
        self.other.clicked.connect(self._on_other_clicked)

    def draw(self) -> None:
        attentions, heads = self.attentions, self.shared.heads[-len(LOOKS) :]  # the newest
        title = say("%n head(s)", n=len(heads)) if len(heads) > 1 else attentions.title(*self.head)
        self.set_title(title, about=self.about_comparison(can_show_both=True))
        self.percent.show_value(self._percents[self._percent_key])
        row = attentions.units.unit_of(self.selection.position)
        labels = attentions.units.labels
        if self.is_difference:
            lines, labels = self._differences(heads, row), attentions.labels_of_difference
        else:
            lines = self._lines(attentions, heads, row)
        self.picture.set_lines(lines, labels, attentions.units.kinds)
        self.picture.set_row(row)
        self._show_beside(heads, row)
        self._show_legend(lines)
        needs_b = self.filter.currentIndex() in (A_TO_B, B_TO_A) and "b" not in attentions.parts
        is_same = self.is_difference and not any(len(one.links.weights) for one in lines)
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
        axes, drawn = (Axis("looks", labels), Axis("is looked at", labels)), {}
        for lines in self.picture.lines:
            values = np.zeros((len(labels), len(labels)), dtype=np.float32)
            signs = 1 if lines.signs is None else lines.signs
            values[lines.links.rows, lines.links.columns] = lines.links.weights * signs
            drawn[f"layer {lines.head[0] + 1} head {lines.head[1] + 1}"] = Numbers(values, axes)
        limit = f"{self.limit.currentText()} {numbers.percent(self.percent.value() / 100)}"
        hint, minus = say("left looks at right · thicker: more attention"), ""
        if self.is_difference:
            there, minus = self.attentions.where_compared, f"now minus {self.attentions.baseline_name}"
            hint = say("left looks at right · red: more attention than {there}, blue: less", there=there)
        settings, is_one = joined(minus, self.filter.currentText(), limit), len(self.picture.lines) == 1
        widgets = [self.picture, self.legend]
        return self.figure(self.title, widgets, drawn, hint=hint, settings=settings, head=is_one)

    @property
    def _percent_key(self) -> tuple[int, bool]:
        return self.limit.currentIndex(), self.reading is not None and self.is_difference

    def _lines(self, attentions: Attentions, heads: Sequence[Head], row: int | None) -> list[HeadLines]:
        return [
            HeadLines(head, self._links(attentions, attentions.weights(*head), row), color, style)
            for head, (color, style, _dash) in zip(heads, LOOKS, strict=False)
        ]

    def _differences(self, heads: Sequence[Head], row: int | None) -> list[HeadLines]:
        """All on one scale, whose thickest line is the largest difference in any of these heads."""
        attentions = self.attentions
        made = [np.nan_to_num(attentions.weights(*head) - attentions.baseline_weights(*head)) for head in heads]
        full = max(LEAST_CHANGE, *(float(np.abs(one).max(initial=0.0)) for one in made))
        lines = []
        for head, one, (color, style, _dash) in zip(heads, made, LOOKS, strict=False):
            links = self._links(attentions, np.abs(one), row, LEAST_CHANGE)
            lines.append(HeadLines(head, links, color, style, np.sign(one[links.rows, links.columns]), full))
        return lines

    def _links(self, attentions: Attentions, weights: np.ndarray, row: int | None, least: float = 0.0) -> Links:
        """least: no line below it, whatever the controls say."""
        limit, pairs = self.percent.value() / 100, PAIRS.get(self.filter.currentIndex())
        among = np.any([between(attentions.parts, *pair) for pair in pairs], axis=0) if pairs else None
        by_share = self.limit.currentIndex() == TOP_SHARE
        share, least = (limit, least) if by_share else (None, max(limit, least))
        return strongest_links(weights, among=among, least=least, share=share, most=MOST_LINES, always=row)

    def _show_beside(self, heads: Sequence[Head], row: int | None) -> None:
        """The same heads of the baseline, or in a model of another shape the most similar ones."""
        attentions, baseline = self.attentions, self.attentions.baseline
        self._pictures.show_both(self.has_baseline_beside)
        if not self.has_baseline_beside or baseline is None:
            return
        theirs = [found for found in map(self.baseline_head, heads) if found is not None]
        self._pictures.show_names(self.baseline_title(theirs[-1] if theirs else None), attentions.reading)
        baseline_row = self._baseline_row(row)
        lines = self._lines(baseline, theirs, baseline_row)
        self.other.set_lines(lines, baseline.units.labels, baseline.units.kinds)
        self.other.set_row(baseline_row)

    def _show_legend(self, lines: Sequence[HeadLines]) -> None:
        attentions, selected, is_alone = self.attentions, len(self.shared.heads), len(lines) == 1
        texts = []
        for one, (_color, _style, dash) in zip(lines, LOOKS, strict=False):
            is_off = one.head in attentions.off
            texts.append(legend_of(one, dash, is_off=is_off, is_alone=is_alone, least=LEAST_CHANGE))
        if selected > len(lines):
            texts.append(say("the last {shown} of {chosen} selected heads", shown=len(lines), chosen=selected))
        elif selected == 1 and not self.is_difference:
            texts.append(say("Ctrl+click another head to compare it"))
        full = max((one.full for one in lines), default=LEAST_CHANGE)
        signs = about_signs(attentions, full) if self.is_difference else ""
        self.legend.setText(signs + "&nbsp;&nbsp; ".join(texts))

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

    def _on_other_clicked(self, row: int, modifiers: object) -> None:
        own = self._own_row(row)
        if own is not None:
            self.click_unit(own)

    def _baseline_row(self, row: int | None) -> int | None:
        """Of one of our tokens, that of the baseline which it is compared with."""
        places = self.attentions.alignment.other_positions if self.has_baseline_beside else ()
        return None if row is None or row >= len(places) else places[row]

    def _own_row(self, row: int | None) -> int | None:
        """The reverse."""
        places = self.attentions.alignment.inverse().other_positions if self.has_baseline_beside else ()
        return None if row is None or row >= len(places) else places[row]
