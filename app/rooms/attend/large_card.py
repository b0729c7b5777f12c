"""The card in the middle: one head or several, large, in one of several ways."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QWidget

from ...figures.figure import joined
from ...look import mark, say, theme
from ...widgets.card import Card, button, tip
from ...widgets.controls import Choice
from ...widgets.layouts import FlowLayout, fill, held, show_if, vbox
from ...widgets.pages import MoreButton, show_tabs, tab_bar
from ..view import ONE_AT_A_TIME, ViewSpec
from .check_view import CheckView
from .lines_view import LinesView
from .matrices import FlowMatrix, GradientMatrix, HeadMatrix, MeanMatrix, RolloutMatrix
from .matrix_view import MatrixView
from .query_key_view import ScoreView
from .view import AttendView

MATRICES = (  # one tab, with a row of tabs of their own
    ViewSpec(
        "matrix",
        mark("This head"),
        mark(
            "A head lets each token collect information from others. Row: the token that looks. Column: what it looks "
            "at. Stronger colour: more."
        ),
        HeadMatrix,
    ),
    ViewSpec(
        "mean",
        mark("Mean of heads"),
        mark(
            "What several heads look at on average: all of this layer, or those that you Ctrl+click on the left. "
            "Each row is a token that looks, each column a token it looks at."
        ),
        MeanMatrix,
    ),
    ViewSpec(
        "rollout",
        mark("Rollout"),
        mark(
            "An estimate of where each token’s information came from. It assumes that every layer keeps half of a "
            "token and takes half from the tokens it looks at."
        ),
        RolloutMatrix,
    ),
    ViewSpec(
        "flow",
        mark("Flow"),
        mark(
            "Think of attention weights as the widths of pipes: how much could flow from each token (column) to each "
            "token (row)?"
        ),
        FlowMatrix,
        is_for_experts=True,
    ),
    ViewSpec(
        "gradient",
        mark("Gradient"),
        mark(
            "What if the token of a row looked more at that of a column? Red: the answer would become more likely. "
            "Blue: less likely. An estimate, whether the head looks there now or not."
        ),
        GradientMatrix,
        only=ONE_AT_A_TIME,
    ),
)
OTHERS = (
    ViewSpec(
        "lines",
        mark("Lines"),
        mark(
            "Left: the token that looks. Right: what it looks at. Thicker: more. Point at a token to follow its lines."
        ),
        LinesView,
    ),
    ViewSpec(
        "score",
        mark("Query × Key"),
        mark(
            "Where does one attention weight come from, and what does it do? A token’s query is multiplied by the key "
            "of every token: the better they match, the more of that token’s value it takes over."
        ),
        ScoreView,
    ),
    ViewSpec(
        "check",
        mark("Check"),
        mark(
            "A head can look at a word and not use it. Removal takes each link away: red links support the answer, "
            "blue ones work against it. Where the head hardly looks there is nothing to take away: 0."
        ),
        CheckView,
        is_for_experts=True,
        only=ONE_AT_A_TIME,
    ),
)
SPECS = (*MATRICES, *OTHERS)
MATRIX_KEYS = [spec.key for spec in MATRICES]
MATRIX = mark("Matrix")  # their common tab


class LargeCard(Card):
    """A row of tabs and one view. The matrices share a tab, and have tabs of their own in their line of controls. On a
    projector one list has all views: tabs would take the picture's room."""

    key_clicked = Signal(str)  # of a view

    def __init__(self, compared: QWidget, views: QWidget, progress: QWidget) -> None:
        """Its widgets, from top to bottom."""
        super().__init__("")
        self._is_projector = theme.is_projector()  # then the picture needs the room
        self._matrix = MATRIX_KEYS[0]  # the one that its tab opens
        name = say("What the large picture shows")
        self.matrices = tab_bar({one.key: (one.shown_title, one.shown_hint) for one in MATRICES}, name, small=True)
        # Beside them stands a list that can be shortened; tabs that are too narrow would scroll.
        self.matrices.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.matrices.currentChanged.connect(lambda index: self.key_clicked.emit(MATRIX_KEYS[index]))
        self.buttons = ViewButtons((ViewSpec("matrix", MATRIX, MATRICES[0].hint, HeadMatrix), *OTHERS))
        names = [f"{say(MATRIX)} · {one.shown_title}" if one in MATRICES else one.shown_title for one in SPECS]
        self.every = Choice(name, dict(zip([one.key for one in SPECS], names, strict=True)))  # in place of all tabs
        self.every.activated.connect(lambda index: self.key_clicked.emit(SPECS[index].key))
        self._tools = set[QWidget]()  # of all views, in the header
        self.add_to_header(self.buttons, self.every)
        show_if(self._is_projector, self.every)
        show_if(not self._is_projector, self.buttons)
        fill(self.body, compared, (views, 1), progress)
        self.buttons.clicked.connect(lambda key: self.key_clicked.emit(self._matrix if key == "matrix" else key))
        self.buttons.more.toggled.connect(self._show_matrices)

    def show_view(self, view: AttendView, spec: ViewSpec) -> None:
        """Another one is open."""
        key = spec.key
        if isinstance(view, MatrixView):
            self._matrix = key
            if not self._is_projector:
                view.controls.insertWidget(0, self.matrices)
            self._show_matrices()  # first: a hidden tab cannot be chosen
            with QSignalBlocker(self.matrices):
                self.matrices.setCurrentIndex(MATRIX_KEYS.index(key))
        if self._is_projector:
            show_if(False, *self._tools, *filter(None, [view.foot]))
            if view.tools is not None:
                self._tools.add(view.tools)
                self._header.insertWidget(2, view.tools)
                view.tools.show()
        self.every.setCurrentIndex(SPECS.index(spec))
        self.buttons.show_view(spec, "matrix" if key in MATRIX_KEYS else key)

    def show_title(self, view: AttendView, spec: ViewSpec) -> None:
        self.set_title(view.title)
        self.set_hint(joined(view.hint, view.about) if self._is_projector else view.hint)
        self.set_intro("" if self._is_projector else view.about or spec.shown_hint)

    def _show_matrices(self) -> None:
        """The tabs for experts when they are wanted, or one of them is open."""
        all_wanted = self.buttons.more.isChecked()
        shown = [not one.is_for_experts or all_wanted or one.key == self._matrix for one in MATRICES]
        show_tabs(self.matrices, shown)


class ViewButtons(QWidget):
    """A row of small buttons, one for each view, in the place of tabs: in a narrow card they take several lines.

    Those of views for experts are behind More.
    """

    clicked = Signal(str)  # key

    def __init__(self, specs: Sequence[ViewSpec], *, own_line: bool = False) -> None:
        """own_line: those for experts have one, below the others."""
        super().__init__()
        self.more = MoreButton()
        self.buttons: dict[str, QPushButton] = {}
        group, line = QButtonGroup(self), FlowLayout(gap_px=4 if own_line else 6)
        below = FlowLayout(gap_px=4)
        for spec in specs:
            made = button(spec.shown_title, look="small", hint=tip(spec.shown_hint), checkable=True)
            made.clicked.connect(lambda _checked=False, key=spec.key: self.clicked.emit(key))
            self.buttons[spec.key] = made
            group.addButton(made)
            if spec.is_for_experts and not own_line:
                made.hide()
                self.more.toggled.connect(made.setVisible)
            (below if spec.is_for_experts and own_line else line).addWidget(made)
        line.addWidget(self.more)
        experts = held(below)
        experts.hide()
        vbox(line, experts, parent=self, gap_px=7)
        if own_line:
            self.more.toggled.connect(experts.setVisible)

    def show_view(self, spec: ViewSpec, key: str = "") -> None:
        """The view on show is this one. key: of its button, where that has another."""
        self.buttons[key or spec.key].setChecked(True)
        if spec.is_for_experts:
            self.more.setChecked(True)
