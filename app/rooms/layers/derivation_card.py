"""The card that says how one number was computed: the formula with numbers, and the largest parts of its sum."""

import html

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.compute.derivation import Derivation, Term
from app.look import numbers, theme
from app.widgets.card import Card, label, scrolled
from app.widgets.layouts import vbox

WIDTH_PX = 345


class DerivationCard(Card):
    """Empty until a number is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(WIDTH_PX))
        self.derivation: Derivation | None = None
        self._tokens: list[str] = []
        self.number, self.formula = label("", "number"), label("", wrap=True)
        self.changed = label(
            self.tr("This number was changed by what you switched off or edited, so its parts do not add up to it."),
            "error",
            wrap=True,
        )
        self._facts, self._terms_title, self._terms = QLabel(), label("", "title"), QLabel()
        for table in (self._facts, self._terms):
            table.setTextFormat(Qt.TextFormat.RichText)
            table.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inside = QWidget()
        vbox(*self.parts[1:], None, parent=inside, gap_px=8, margins=(0, 0, theme.px(4), 0))
        self.body.addWidget(scrolled(inside), 1)
        self.clear()

    @property
    def parts(self) -> list[QLabel]:
        """What a picture shows of it: the words without the card, which may have to scroll."""
        return [self._title, self.number, self.changed, self.formula, self._facts, self._terms_title, self._terms]

    def clear(self) -> None:
        self.derivation = None
        self.set_title(self.tr("How it was computed"))
        self.set_hint("")
        self.formula.setText(self.tr("Open a step and click a number."))
        for widget in (self.number, self.changed, self._facts, self._terms_title, self._terms):
            widget.hide()

    def show_number(self, title: str, derivation: Derivation, tokens: list[str]) -> None:
        """title: which number it is; tokens (S): as they are shown."""
        self.derivation, self._tokens = derivation, tokens
        self.set_title(title)
        self.number.setText(_exact(derivation.value))
        self.formula.setText(derivation.formula)
        self.changed.setVisible(not derivation.adds_up)
        self.number.show()
        self._facts.setVisible(bool(derivation.facts))
        count = len(derivation.terms) + derivation.rest_count
        self._terms_title.setText(self.tr("The %Ln addend(s), largest first", "", count))
        for widget in (self._terms_title, self._terms):
            widget.setVisible(bool(derivation.terms))
        self._write_tables(derivation)

    def _write_tables(self, derivation: Derivation) -> None:
        """In the colours of the theme in use."""
        self._facts.setText(_table([(html.escape(fact.name), "", _exact(fact.value)) for fact in derivation.facts]))
        rows = [_row(term, self._tokens) for term in derivation.terms]
        if derivation.rest_count:
            others = self.tr("%Ln other(s)", "", derivation.rest_count)
            rows.append((others, "", _exact(derivation.rest)))
        if derivation.sum is not None:
            rows.append((f"<b>{derivation.sum_name}</b>", "", f"<b>{_exact(derivation.sum)}</b>"))
        self._terms.setText(_table(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.derivation is not None:
            self._write_tables(self.derivation)


def _row(term: Term, tokens: list[str]) -> tuple[str, str, str]:
    position = term.position
    name = term.name if position is None or position >= len(tokens) else f"{tokens[position]} ({position})"
    product = " × ".join(numbers.number(factor) for factor in term.factors) if term.factors else ""
    return html.escape(name), product, _exact(term.value)


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
    return numbers.number(value, 6)
