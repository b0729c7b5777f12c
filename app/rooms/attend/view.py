"""What the views of the room Attend have in common, and the place that shows one of several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.figures.figure import Figure
from app.look import theme
from app.rooms.attend.attentions import Attentions
from app.rooms.attend.chosen import Chosen
from app.rooms.base import View, ViewSpec
from app.state.readings import Reading
from app.state.selection import Selection
from app.widgets.card import label


class AttendView(View):
    """Subclasses override `draw`, and `draw_position` where another token needs less.

    Positions are those of tokens; pictures have units, of which one may be several tokens.
    """

    cell_clicked = Signal(int, int)  # position that looks, position of what it looks at
    weight_set = Signal(int, int, float)  # row, column (units): the weight it shall have
    heads_clicked = Signal(list)  # of (layer, head): all of these, the first is on show
    head_toggled = Signal(int, int)  # one more, or one less
    head_hovered = Signal(object)  # (layer, head), or None
    token_menu_requested = Signal(int, QPoint)  # position, point on the screen
    head_menu_requested = Signal(int, int, QPoint)
    title_changed = Signal()

    follows_column = False  # another column that is asked about is drawn as another head is
    chosen: Chosen
    attentions: Attentions

    def __init__(self) -> None:
        super().__init__()
        self.title = self.hint = ""
        self._drawn: tuple[object, ...] = ()
        self.controls = QHBoxLayout()
        self.controls.setSpacing(theme.px(8))
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(theme.px(6))
        self.readout = label("", "muted", wrap=True)

    def use(self, chosen: Chosen) -> None:
        """Comes once, before anything is shown."""
        self.chosen = chosen

    def draw(self) -> None:
        """Another reading, another head, or a control has changed."""
        raise NotImplementedError

    def draw_position(self) -> None:
        """Another token; reading and heads are the same."""

    def make_figure(self) -> Figure | None:
        """The picture and its numbers as they stand now; None while there is nothing to show."""
        return None

    @property
    def head(self) -> tuple[int, int]:
        """The one on show."""
        return self.selection.layer, self.selection.head

    @property
    def pinned(self) -> int:
        """The token that was clicked: for what takes too long to follow the mouse."""
        last = len(self.attentions.reading.encoding) - 1
        return min(1 if self.selection.pinned is None else self.selection.pinned, last)

    def redraw(self) -> None:
        """A control has changed, or an answer has come."""
        if self.reading is not None:
            self.draw()

    def set_title(self, title: str, hint: str = "") -> None:
        if (title, hint) != (self.title, self.hint):
            self.title, self.hint = title, hint
            self.title_changed.emit()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self.attentions = Attentions(reading, selection.token_view)
        self._drawn = self._drawn_for()
        self.draw()

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        drawn_for = self._drawn_for()
        if drawn_for == self._drawn:
            self.draw_position()
        else:
            self._drawn = drawn_for
            self.draw()

    def leave(self) -> None:
        super().leave()
        vars(self).pop("attentions", None)  # it holds the reading

    def _drawn_for(self) -> tuple[object, ...]:
        return self.head, self.chosen.heads, self.chosen.column if self.follows_column else None


class ViewStack(QWidget):
    """One view of several, each made when it is opened first. Only the one on show is drawn."""

    view_made = Signal(object)

    def __init__(self, specs: Sequence[ViewSpec], chosen: Chosen) -> None:
        super().__init__()
        self._specs, self._chosen = {spec.key: spec for spec in specs}, chosen
        self._views: dict[str, AttendView] = {}
        self._selection: tuple[Reading, Selection] | None = None
        self.key = ""
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    @property
    def view(self) -> AttendView:
        """The one on show."""
        return self._views[self.key]

    def get(self, key: str) -> AttendView:
        """A view, made where it is not yet, but not opened."""
        if key not in self._views:
            view = self._specs[key].factory()
            assert isinstance(view, AttendView)
            view.hide()
            self._layout.addWidget(view)
            self._views[key] = view
            view.use(self._chosen)
            self.view_made.emit(view)
        return self._views[key]

    def open(self, key: str) -> None:
        """Shows a view, at once: it was asked for by name."""
        if key == self.key:
            return
        if self.key:
            self.view.leave()
            self.view.hide()
        view, self.key = self.get(key), key
        view.show()
        if self._selection is not None:
            self.show_reading(*self._selection, 0)

    def show_reading(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        """pause_ms: before anything is computed for it."""
        self._selection = reading, selection
        view = self.view
        view.reading, view.selection, view.pause_ms = reading, selection, pause_ms
        view.show_reading(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another token, or other heads, of the same reading."""
        self._selection = reading, selection
        view = self.view
        view.reading, view.selection, view.pause_ms = reading, selection, 0
        view.show_selection(reading, selection)

    def leave(self) -> None:
        """Nobody sees it any more."""
        if self.key:
            self.view.leave()
        self._selection = None
