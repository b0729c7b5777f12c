"""What the views of the room Attend have in common."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, Signal

from ...figures.figure import Figure
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import label
from ...widgets.layouts import hbox, vbox
from ..view import View
from .attentions import Attentions
from .chosen_heads import Chosen, TargetBox, TargetFields
from .compared_attentions import ComparedAttentions


@dataclass(frozen=True, eq=False)
class PictureRow:
    """What a picture of several heads or layers says of one unit, for the card beside it."""

    values: np.ndarray | None  # (U); None while they are computed
    kind: str  # of number
    hint: str  # behind the token
    about: str  # a sentence


class AttendView(View):
    """Subclasses override `draw`, and `draw_position` where another token needs less.

    Positions are those of tokens; pictures have units, of which one may be several tokens.
    """

    cell_clicked = Signal(int, int)  # position that looks, position of what it looks at
    weight_set = Signal(int, int, float)  # row, column (units): the weight it shall have
    heads_clicked = Signal(list)  # of (layer, head): all of these, the first is on show
    head_toggled = Signal(int, int)  # one more, or one less
    head_hovered = Signal(object)  # (layer, head), or None
    head_menu_requested = Signal(int, int, QPoint)
    title_changed = Signal()
    redrawn = Signal()  # a control has changed, or an answer has come

    follows_column = False  # another column that is asked about is drawn as another head is
    target_box: TargetBox | None = None  # of a view about one prediction
    target_fields: TargetFields | None = None  # and the words for it
    chosen: Chosen
    attentions: Attentions
    _compared: ComparedAttentions | None = None  # whose difference is drawn
    _beside: ComparedAttentions | None = None  # whose picture stands beside ours

    def __init__(self) -> None:
        super().__init__()
        self.title = self.hint = self.about = ""
        self._drawn: tuple[object, ...] = ()
        self.controls = hbox(gap_px=8)
        self.body = vbox(parent=self, gap_px=6)
        self.readout = label("", "muted", wrap=True)

    def use(self, chosen: Chosen) -> None:
        """Comes once, before anything is shown."""
        self.chosen = chosen
        if self.target_box is not None:
            self.target_box.follow(chosen)
            chosen.target_changed.connect(self.redraw)
        if self.target_fields is not None:
            self.target_fields.follow(chosen)

    def draw(self) -> None:
        """Another reading, another head, or a control has changed."""
        raise NotImplementedError

    def draw_position(self) -> None:
        """Another token; reading and heads are the same."""

    def picture_row(self, unit: int) -> PictureRow | None:
        """None: the picture is of the head on show."""
        return None

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
            self.redrawn.emit()

    def set_title(self, title: str, hint: str = "", about: str = "") -> None:
        """about: a sentence on a comparison, in the place of the view's own; on a projector behind the hint."""
        if (title, hint, about) != (self.title, self.hint, self.about):
            self.title, self.hint, self.about = title, hint, about
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
        self._compared = self._beside = None  # they hold the reading, and its baseline
        vars(self).pop("attentions", None)

    def _drawn_for(self) -> tuple[object, ...]:
        return self.head, self.chosen.heads, self.chosen.column if self.follows_column else None
