"""The panel Kinds: what kinds of heads this text shows, and lists of heads to click."""

import html
from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel

from ...look import numbers, theme
from ...look.say import say
from ...widgets.card import Steady
from ...widgets.layouts import fill
from .attentions import NO_HABIT, OFF, Descriptions, Head, by_kind, head_name, kind_name
from .view import AttendView

MOST_NAMED = 24  # heads of one kind, the most marked first
Row = tuple[str, Sequence[tuple[Head, str]], str]  # a name, its heads with a small number behind each, words after them


class HeadLinks(QLabel):
    """Rows of a name and heads as links, layer·head; a click or Enter on one chooses it."""

    chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self, name: str) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._off: frozenset[Head] = frozenset()
        self.setAccessibleName(name)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkActivated.connect(self._on_link_activated)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Each row: a name, its heads with a small number behind each, and words after them."""
        self._rows = list(rows)
        made = "".join(_row(*row, self._off) for row in rows)
        self.setText(f"<table cellspacing=0 cellpadding=0>{made}</table>")

    def set_off(self, heads: frozenset[Head]) -> None:
        """These are called off."""
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


class KindsView(AttendView):
    """The kinds with their heads. They are given, for other parts of the room need them too."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = HeadLinks(say("Kinds of heads in this text"))
        self._descriptions: Descriptions = {}
        fill(self.body, Steady(self.kinds), None)
        self.kinds.chosen.connect(self.head_clicked)

    def set_descriptions(self, descriptions: Descriptions) -> None:
        """Empty while they are computed: then the old ones stay on show."""
        self._descriptions = descriptions
        self.redraw()

    def draw(self) -> None:
        self.kinds.set_off(self.attentions.off)
        if self._descriptions:
            self.kinds.show_rows(self._rows())

    def draw_position(self) -> None:
        """It shows no token."""

    def _drawn_for(self) -> tuple[object, ...]:
        return ()

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        for kind, heads in by_kind(self._descriptions, self.attentions.off).items():
            has_score = kind not in (OFF, NO_HABIT)
            links = [
                ((layer, head), numbers.percent(score) if has_score else "")
                for layer, head, score in heads[:MOST_NAMED]
            ]
            more = len(heads) - MOST_NAMED
            after = say("and %n more", n=more, meaning="heads") if more > 0 else ""
            rows.append((kind_name(kind, self.attentions.reading), links, after))
        return rows


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
