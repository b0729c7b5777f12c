"""The card that says what one number was made from: the formula with numbers, and the largest parts of its sum."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.look import theme
from app.widgets.card import Card, label, scrolled

if TYPE_CHECKING:
    from app.compute.made_of import MadeOf, Part

WIDTH_PX = 345
CHANGED = "This number was changed by what you have switched off or edited: its parts do not add up to it."


class MadeOfCard(Card):
    """Empty until a number is chosen."""

    def __init__(self) -> None:
        super().__init__("Made of")
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.made: MadeOf | None = None
        self._tokens: list[str] = []
        self.number, self.formula = label("", "number"), label("", wrap=True)
        self._changed = label(CHANGED, "error", wrap=True)
        self._facts, self._terms_title, self._terms = QLabel(), label("", "title"), QLabel()
        for table in (self._facts, self._terms):
            table.setTextFormat(Qt.TextFormat.RichText)
            table.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(4), 0)
        column.setSpacing(theme.px(8))
        for widget in self.parts[1:]:
            column.addWidget(widget)
        column.addStretch(1)
        self.body.addWidget(scrolled(inside), 1)
        self.clear()

    @property
    def parts(self) -> list[QLabel]:
        """What a picture shows of it: the words without the card, which may have to scroll."""
        return [self._title, self.number, self._changed, self.formula, self._facts, self._terms_title, self._terms]

    def clear(self) -> None:
        self.made = None
        self.set_title("Made of")
        self.set_hint("")
        self.formula.setText("Open a step and click a number.")
        for widget in (self.number, self._changed, self._facts, self._terms_title, self._terms):
            widget.hide()

    def show_number(self, title: str, made: MadeOf, tokens: list[str]) -> None:
        """title: which number it is; tokens (S): as they are shown."""
        self.made, self._tokens = made, tokens
        self.set_title(title)
        self.number.setText(_exact(made.value))
        self.formula.setText(made.formula)
        self._changed.setVisible(not made.adds_up)
        self.number.show()
        self._facts.setVisible(bool(made.facts))
        count = len(made.terms) + made.rest_count
        self._terms_title.setText(f"{made.sum_name.capitalize()} of {count:,} parts, the largest first")
        for widget in (self._terms_title, self._terms):
            widget.setVisible(bool(made.terms))
        self._write_tables(made)

    def _write_tables(self, made: MadeOf) -> None:
        """In the colours of the theme in use."""
        self._facts.setText(_table([(part.name, "", _exact(part.value)) for part in made.facts]))
        rows = [_row(part, self._tokens) for part in made.terms]
        if made.rest_count:
            rows.append((f"{made.rest_count:,} others", "", _exact(made.rest)))
        if made.sum is not None:
            rows.append((f"<b>{made.sum_name}</b>", "", f"<b>{_exact(made.sum)}</b>"))
        self._terms.setText(_table(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.made is not None:
            self._write_tables(self.made)


def _row(part: Part, tokens: list[str]) -> tuple[str, str, str]:
    name, number = part.name, part.name.removeprefix("token ")
    if number != name and int(number) < len(tokens):
        name = f"{tokens[int(number)]} ({number})"
    product = " × ".join(_short(factor) for factor in part.factors) if part.factors else ""
    return html.escape(name), product, _exact(part.value)


def _table(rows: list[tuple[str, str, str]]) -> str:
    """Name, product, value; numbers end in one column."""
    muted, ink = theme.active().muted, theme.active().ink
    size = theme.px(12)
    lines = [
        f'<tr><td style="color:{muted}; padding-right:{theme.px(6)}px">{name}</td>'
        f'<td align="right" style="color:{muted}; padding-right:{theme.px(6)}px">{product}</td>'
        f'<td align="right" style="color:{ink}">{value}</td></tr>'
        for name, product, value in rows
    ]
    return f'<table cellspacing=0 cellpadding=1 style="font-size:{size}px">{"".join(lines)}</table>'


def _exact(value: float) -> str:
    return f"{value:z.6g}".replace("-", "−")


def _short(value: float) -> str:
    return f"{value:z.3g}".replace("-", "−")
