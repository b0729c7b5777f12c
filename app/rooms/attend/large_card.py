"""The card in the middle: one head or several, large, in one of several ways."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QTabBar, QWidget

from ...figures.figure import Figure, joined
from ...look import theme
from ...look.say import mark, say
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import Card, Hint, button, set_role, tip
from ...widgets.controls import Choice
from ...widgets.flow_layout import FlowLayout
from ...widgets.pages import MoreButton, show_tabs, tab_bar
from ..room import ViewStack
from ..view import ONE_AT_A_TIME, ViewSpec
from .check_view import CheckView
from .chosen_heads import Chosen
from .computed_matrices import FlowMatrix, GradientMatrix, RolloutMatrix
from .lines_view import LinesView
from .matrix_view import HeadMatrix, MeanMatrix
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
            "What would more attention do? Red: make the answer more likely. Blue: less likely. An estimate for each "
            "square, whether the head looks there now or not."
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
            "Where does one attention weight come from? A token’s query is multiplied by the key of every token: the "
            "better they match, the more it looks there."
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


LEAST_WITH_TABS_PX = 600  # of the card, on a projector


class LargeCard(Card):
    """A row of tabs and one view. The matrices share a tab, and have tabs of their own in their line of controls; on a
    projector a list. In a narrow card on a projector one list has all views: tabs would take the picture's room."""

    view_made = Signal(object)
    opened = Signal()  # another view
    redrawn = Signal()  # as of a view

    def __init__(self, chosen: Chosen) -> None:
        super().__init__("")
        self._chosen = chosen
        self._given: tuple[Reading, Selection] | None = None
        self.compared = Hint()
        set_role(self.compared, "strong")
        self.compared.hide()
        self.views = ViewStack(SPECS, AttendView)
        self._specs = {spec.key: spec for spec in SPECS}
        self._is_projector = theme.is_projector()  # then the picture needs the room
        self._matrix = MATRIX_KEYS[0]  # the one that its tab opens
        self.matrices = self._matrix_chooser()
        self.tabs = {"matrix": button(say("Matrix"), look="small", checkable=True)}
        for spec in OTHERS:
            self.tabs[spec.key] = button(spec.shown_title, look="small", checkable=True)
        self.more = MoreButton()
        self.every = Choice(say("What the large picture shows"))  # in place of all tabs
        matrix = self.tabs["matrix"].text()
        titles = {spec.key: spec.shown_title for spec in SPECS}
        self.every.addItems([f"{matrix} · {titles[key]}" if key in MATRIX_KEYS else titles[key] for key in titles])
        self.every.activated.connect(lambda index: self.open(SPECS[index].key))
        self._switches = QWidget()
        self._lay_out()
        self.views.view_made.connect(self._on_view_made)
        self.set_figure(self.make_figure, say("the large picture"))
        self.open(self._matrix)

    @property
    def key(self) -> str:
        """Of the view on show."""
        return self.views.key

    @property
    def view(self) -> AttendView:
        return self.views.view

    def get(self, key: str) -> AttendView:
        """A view, not necessarily on show."""
        return self.views.get(key)

    def open(self, key: str) -> None:
        """Shows a view by the key of its spec."""
        self.views.open(key)
        is_matrix = key in MATRIX_KEYS
        if is_matrix:
            self._matrix = key
            if not self._is_projector:
                self.view.controls.insertWidget(0, self.matrices)
            self._show_matrices()  # first: a hidden tab cannot be chosen
            with QSignalBlocker(self.matrices):
                self.matrices.setCurrentIndex(MATRIX_KEYS.index(key))
        if self._is_projector:
            self.matrices.setVisible(is_matrix)
        self.every.setCurrentIndex(list(self._specs).index(key))
        self.tabs["matrix" if is_matrix else key].setChecked(True)
        if self._specs[key].is_for_experts:
            self.more.setChecked(True)
        self._show_comparison()
        self._show_title()
        self.opened.emit()

    def show_reading(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        """pause_ms: before anything is computed for it."""
        self._given = reading, selection
        self._show_comparison()
        self.views.show_reading(reading, selection, pause_ms)

    def _show_comparison(self) -> None:
        """Why the view shows this reading alone while another is compared with it."""
        note = "" if self._given is None else self._specs[self.key].comparison_note(*self._given)
        self.compared.setText(note)
        self.compared.setVisible(bool(note))

    def leave(self) -> None:
        """Nobody sees it any more: no reading is kept alive."""
        self._given = None
        self.views.leave()

    def make_figure(self) -> Figure | None:
        return self.view.make_figure()

    def _matrix_chooser(self) -> QTabBar | Choice:
        name = say("What the large picture shows")
        if not self._is_projector:
            tabs = tab_bar({spec.key: (spec.shown_title, spec.shown_hint) for spec in MATRICES}, name, small=True)
            # Beside them stands a list that can be shortened; tabs that are too narrow would scroll.
            tabs.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            tabs.currentChanged.connect(self._on_matrix_chosen)
            return tabs
        made = Choice(name)
        made.addItems([spec.shown_title for spec in MATRICES])
        made.activated.connect(self._on_matrix_chosen)
        return made

    def _show_matrices(self) -> None:
        """The tabs for experts when they are wanted, or one of them is open."""
        if isinstance(self.matrices, QTabBar):
            wants_all = self.more.isChecked()
            show_tabs(
                self.matrices, [not spec.is_for_experts or wants_all or spec.key == self.key for spec in MATRICES]
            )

    def _on_matrix_chosen(self, index: int) -> None:
        self.open(MATRIX_KEYS[index])

    def _lay_out(self) -> None:
        group, switches = QButtonGroup(self), FlowLayout()
        if self._is_projector:
            switches.addWidget(self.matrices)
        for key, tab in self.tabs.items():
            tab.setToolTip(tip(self._specs[key].shown_hint))
            tab.clicked.connect(lambda _checked=False, key=key: self.open(self._matrix if key == "matrix" else key))
            group.addButton(tab)
            switches.addWidget(tab)
            if self._specs[key].is_for_experts:
                tab.hide()
                self.more.toggled.connect(tab.setVisible)
        self.more.toggled.connect(self._show_matrices)
        switches.addWidget(self.more)
        self._switches.setLayout(switches)  # on several lines where the card is narrow
        self.add_to_header(self._switches)
        self.add_to_header(self.every)
        self.every.hide()
        self.body.addWidget(self.compared)
        self.body.addWidget(self.views, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self._is_projector and self.width() < theme.px(LEAST_WITH_TABS_PX)
        self.every.setVisible(is_narrow)
        self._switches.setHidden(is_narrow)

    def _on_view_made(self, _key: str, view: AttendView) -> None:
        view.use(self._chosen)
        view.title_changed.connect(self._show_title)
        view.redrawn.connect(self.redrawn)
        self.view_made.emit(view)

    def _show_title(self) -> None:
        view = self.view
        self.set_title(view.title)
        self.set_hint(joined(view.hint, view.about) if self._is_projector else view.hint)
        self.set_intro("" if self._is_projector else view.about or self._specs[self.key].shown_hint)
