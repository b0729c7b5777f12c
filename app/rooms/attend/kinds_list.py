"""Kinds of heads found in this text, with the heads that show them and how clearly."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel

from app.look import theme
from app.rooms.attend.shown import OFF, Head, Kinds

MOST_NAMED = 24  # heads of one kind, the most marked first


class HeadLinks(QLabel):
    """Rows of a name and heads as links, layer·head; a click or Enter on one tells which."""

    chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self, name: str) -> None:
        super().__init__()
        self._rows: list[tuple[str, Sequence[tuple[Head, str]], str]] = []
        self._off: frozenset[Head] = frozenset()
        self.setAccessibleName(name)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkActivated.connect(self._on_link_activated)

    def show_rows(self, rows: Sequence[tuple[str, Sequence[tuple[Head, str]], str]]) -> None:
        """Each row: a name, its heads with a small number behind each, and words after them."""
        self._rows = list(rows)
        made = "".join(_row(*row, self._off) for row in rows)
        self.setText(f"<table cellspacing=0 cellpadding=0>{made}</table>")

    def set_off(self, heads: frozenset[Head]) -> None:
        """Of these it is said that they are off."""
        if heads != self._off:
            self._off = heads
            if self._rows:
                self.show_rows(self._rows)

    def changeEvent(self, event: QEvent) -> None:
        """The colours stand in the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._rows:
            self.show_rows(self._rows)

    def _on_link_activated(self, link: str) -> None:
        layer, head = link.split(",")
        self.chosen.emit(int(layer), int(head))


def kind_rows(kinds: Kinds, special: str) -> list[tuple[str, list[tuple[Head, str]], str]]:
    """For `show_rows`. special: what the model calls [CLS] and [SEP]."""
    rows = []
    for kind, heads in kinds.items():
        links = [((layer, head), _score(kind, score)) for layer, head, score in heads[:MOST_NAMED]]
        more = f"and {len(heads) - MOST_NAMED} more" if len(heads) > MOST_NAMED else ""
        rows.append((kind_name(kind, special), links, more))
    return rows


def kind_name(kind: str, special: str) -> str:
    """As this model's special tokens are called: "<s>/</s> sink"."""
    return kind.replace("[CLS]/[SEP]", special)


def _score(kind: str, score: float) -> str:
    """Where a head is off, what it would do says nothing."""
    return "" if kind == OFF else f"{score:.2f}".removeprefix("0")


def _row(name: str, heads: Sequence[tuple[Head, str]], after: str, off: Collection[Head]) -> str:
    look = theme.active()
    links = "&nbsp; ".join(
        f'<a style="color:{look.accent}; text-decoration:none" href="{layer},{head}">{layer + 1}·{head + 1}</a>'
        f'<span style="color:{look.muted}; font-size:{theme.px(10)}px">&nbsp;{html.escape(number)}'
        f"{'&nbsp;off' if number and (layer, head) in off else ''}</span>"
        for (layer, head), number in heads
    )
    if after:
        links += f' &nbsp;<span style="color:{look.muted}">{html.escape(after)}</span>'
    cell = "padding-bottom:6px"
    return (
        f'<tr><td style="color:{look.ink}; padding-right:12px; {cell}">{html.escape(name)}</td>'
        f'<td style="{cell}">{links}</td></tr>'
    )
