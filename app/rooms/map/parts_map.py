"""The map, faint, with the parts that made an answer lit, and arrows for what they tell each other."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainterPath, QPen

from ...look import say, theme
from ...state.token_units import TokenView
from ...widgets.charts.drawing import Box, Path, Shape, Words
from .arrows import Arrow, LitParts, arrows_of, is_written, number_of, rect_of, share_text
from .base_picture import CENTER, base_shapes
from .circuit_sentences import part_label
from .content import Content
from .model_map import ModelMap, Still
from .overlay import bubble
from .plan import MapPart

FADED = 0.42
NAME_PX = 11


class PartsMap(ModelMap):
    """Cells are `MapPart`s: those of the map, and "link", whose `stage` is the number of an arrow."""

    is_bare = True
    hint_px, least_px = (760, 420), (360, 250)

    def __init__(self) -> None:
        super().__init__(say("Which parts made the answer: heads above, feed-forward networks below, arrows between"))
        self.lit, self.arrows = LitParts(), list[Arrow]()

    def set_lit(self, content: Content, lit: LitParts) -> None:
        self.lit = lit
        self.set_content(content, lit.target, [lit.target, *lit.places.values()])

    def _lay_out(self) -> None:
        super()._lay_out()
        self.arrows = [] if self.plan is None else arrows_of(self.plan, self.lit)

    def cell_at(self, point: QPointF) -> MapPart | None:
        under = next((arrow for arrow in self.arrows if arrow.is_under(point)), None)
        if under is not None:
            return MapPart("link", stage=under.link)
        part = super().cell_at(point)
        return part if part is not None and self.number_of(part) is not None else None

    def number_of(self, part: MapPart) -> int | None:
        """Among the engine's parts."""
        return None if self.plan is None else number_of(self.plan, part)

    # What is drawn.

    def shapes(self) -> Iterator[Shape]:
        plan, content, lit = self.plan, self.content, self.lit
        if plan is None or content is None:
            return
        yield Still(QRectF(self.rect()), list(base_shapes(plan, content)), FADED)
        kinds, tokens = content.reading.units(TokenView()).kinds, content.reading.shown_tokens
        type_px, written = QFontMetricsF(theme.font(13, bold=True)).height(), list[float]()
        strongest = sorted(lit.chosen.intersection(lit.places), key=lambda number: -abs(lit.lost[number]))
        for position in dict.fromkeys([lit.target, *(lit.places[number] for number in strongest)]):
            y, height = plan.line_y(position), plan.row_height
            if any(abs(y - other) < type_px for other in written):
                continue  # there is no room for the words of both
            written.append(y)
            box, kind = QRectF(plan.tokens.left(), y - height / 2, plan.tokens.width(), height), kinds[position]
            yield Box(box.adjusted(0, 1, 0, -1), f"{kind}_tint", radius_px=plan.px(4))
            yield Words(box.adjusted(2, 1, -2, -1), tokens[position], kind, 13, align=CENTER, bold=True)
        for arrow in reversed(self.arrows):
            yield from arrow.shapes()
        taken, by_weight = list[QRectF](), sorted(lit.chosen, key=lambda number: -abs(lit.lost[number]))
        for number in by_weight:
            yield from self._lit_part(number)
        for number in by_weight:
            yield from self._name(number, taken)
        for arrow in self.arrows:
            yield from arrow.label_shapes()
        if lit.answer:
            width = QFontMetricsF(theme.font(12, medium=True)).horizontalAdvance(lit.answer) + plan.px(14)
            end = plan.layer_zone.right() + plan.px(10)
            pill = QRectF(end, plan.line_y(lit.target) - plan.px(10), width, plan.px(20))
            pill.moveRight(min(pill.right(), self.width() - 2.0))
            yield Box(pill, "mask", radius_px=plan.px(10))
            yield Words(pill, lit.answer, theme.ink_on(theme.color("mask")), 12, align=CENTER, medium=True)

    def _lit_part(self, number: int) -> Iterator[Shape]:
        plan, content, part, share = self.plan, self.content, self.lit.parts[number], self.lit.lost[number]
        assert plan is not None and content is not None
        box, color = rect_of(plan, self.lit, part), theme.signed_color(share)
        if part.kind == "head":
            yield content.sheet.shape(box, part.layer, part.head, 1)
        elif part.kind == "feed-forward":
            tint = QColor(color)
            tint.setAlphaF(min(abs(share), 1.0) * 0.6)
            yield Box(box, "card")
            yield Box(box, tint)
        frame = QPainterPath()
        frame.addRoundedRect(box, 3, 3)
        yield Path(frame, QPen(color, theme.stroke(1.8)))

    def _name(self, number: int, taken: list[QRectF]) -> Iterator[Shape]:
        """With its share. taken: places of names, which those of stronger parts have."""
        plan, part, share = self.plan, self.lit.parts[number], self.lit.lost[number]
        assert plan is not None
        if part.kind == "words" or (part.kind == "head" and not is_written(plan, share)):
            return
        box, text = rect_of(plan, self.lit, part), share_text(share)
        width = QFontMetricsF(theme.font(NAME_PX, bold=True)).horizontalAdvance
        both = f"{part_label(part)}  {text}".rstrip()
        if part.kind == "feed-forward":
            shown = both if width(both) <= box.width() - 4 else text if width(text) <= box.width() else ""
            yield Words(box, shown, "ink", NAME_PX, bold=True, align=CENTER)
            return
        above = QRectF(0, 0, width(both) + plan.px(6), plan.px(15))
        above.moveCenter(QPointF(box.center().x(), box.top() - plan.px(8)))
        if any(above.intersects(other) for other in taken):
            return
        taken.append(above)
        yield Box(above, "card", radius_px=3)
        yield Words(above, both, theme.signed_color(share), NAME_PX, bold=True, align=CENTER)

    def overlay(self) -> Iterator[Shape]:
        plan, part = self.plan, self.hovered_cell
        if plan is None or part is None or self.content is None:
            return
        if part.kind == "link":
            if part.stage >= len(self.arrows):
                return
            arrow = self.arrows[part.stage]
            yield from arrow.shapes(is_strong=True)
            yield from arrow.label_shapes()
            box = arrow.label
        elif part in plan.parts:
            box = plan.parts[part]
            yield Box(box.adjusted(-1.5, -1.5, 1.5, 1.5), "", "accent", theme.stroke(2), 3)
        else:
            return
        caption = self.describe(part)
        if caption.title:
            yield from bubble(plan, box, box.center().x(), caption)
