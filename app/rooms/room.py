"""Rooms: a `Room` shows one view of the state’s reading at a time, while it is seen, and waits while there is none.

A `ViewStack` shows one view of several. Recipes: docs/architecture.md.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ..compute.question import PAUSE_MS
from ..figures.figure import Arrays, Figure, caption_of, picture_of
from ..figures.script import script_of
from ..look import say, theme
from ..state import Reading, Selection, WhatIf
from ..state.baseline import ComparisonOffer
from ..state.explore_state import ExploreState
from ..widgets.card import GAP_PX, Hint, set_role, show_text
from ..widgets.context_menu import show_token_menu
from ..widgets.controls import Choice
from ..widgets.highlights import name_highlight
from ..widgets.layouts import discard, hbox, show_if, vbox
from ..widgets.linked_text import LinkedText
from ..widgets.pages import MoreButton, Waiting, show_tabs, tab_bar
from ..widgets.progress_line import ProgressLine
from .view import View, ViewSpec

AnyView = TypeVar("AnyView", bound=View)
PICTURE_SHARE = 0.7  # of the height of a projector's screen, for the picture with its title


class ViewStack(QWidget, Generic[AnyView]):
    """One view of several, each made when it is opened first. Only the one on show is given what to show."""

    view_made = Signal(str, object)  # key, View; before it is given anything to show

    def __init__(self, specs: Sequence[ViewSpec], kind: type[AnyView]) -> None:
        """kind: of all the views."""
        super().__init__()
        self._specs, self._kind = {spec.key: spec for spec in specs}, kind
        self._views: dict[str, AnyView] = {}
        self._given: tuple[Reading, Selection] | None = None
        self.key = ""  # of the view on show; "" while there is none
        self._layout = vbox(parent=self)

    @property
    def view(self) -> AnyView:
        """The one on show."""
        return self._views[self.key]

    @property
    def spec(self) -> ViewSpec:
        """Of the one on show."""
        return self._specs[self.key]

    def get(self, key: str) -> AnyView:
        """A view, made where it is not yet, but not opened."""
        if key not in self._views:
            view = self._specs[key].factory()
            assert isinstance(view, self._kind)
            view.hide()
            self._layout.addWidget(view)
            self._views[key] = view
            self.view_made.emit(key, view)
        return self._views[key]

    def open(self, key: str) -> None:
        """Shows a view, and at once what it has to show: somebody asked for it."""
        if key == self.key:
            return
        if self.key:
            self.view.leave()
            self.view.hide()
        view, self.key = self.get(key), key
        view.show()
        if self._given is not None:
            self.show_reading(*self._given, pause_ms=0)

    def replace(self, spec: ViewSpec) -> None:
        """Shows a view that is made anew, in place of the one of its key; what it shows is still to be given."""
        self.leave()
        self._specs[spec.key] = spec
        if spec.key in self._views:
            discard(self._views.pop(spec.key))
            self.key = "" if spec.key == self.key else self.key
        self.open(spec.key)

    def show_reading(self, reading: Reading, selection: Selection, pause_ms: int) -> None:
        """pause_ms: before anything is computed for it."""
        self._given, view = (reading, selection), self.view
        view.reading, view.selection, view.pause_ms = reading, selection, pause_ms
        view.show_reading(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another token, layer or head of the same reading."""
        self._given, view = (reading, selection), self.view
        view.reading, view.selection, view.pause_ms = reading, selection, 0
        view.show_selection(reading, selection)

    def leave(self) -> None:
        """Nobody sees it any more."""
        if self.key:
            self.view.leave()
        self._given = None


class Room(QWidget):
    """A room that shows one view at a time, under a row of tabs where there are several.

    Subclasses name `key` and `specs`; what they override may be called before their own __init__ goes on. A room that
    is not seen draws nothing; it catches up when it is shown.
    """

    hover_text_changed = Signal(str)  # what is under the mouse, for the status line
    question_requested = Signal(object)  # Question
    model_requested = Signal(str)  # to be opened, by its name
    room_requested = Signal(str, str)  # room, view

    key = ""  # "embed"
    specs: Sequence[ViewSpec] = ()

    def __init__(self, state: ExploreState) -> None:
        super().__init__()
        self.state = state
        self.content = QWidget()
        self.waiting = Waiting(self.content)
        gap = theme.gap_px(GAP_PX - 4) if theme.is_projector() else theme.px(GAP_PX)
        vbox(self.waiting, parent=self, margins=gap)
        self._drawn: Reading | None = None  # None: to be drawn anew
        self._is_typing = False  # the reading changes while the view is looked at
        for changed in (
            state.reading_changed,
            state.token_view_changed,
            state.comparison_changed,
            state.contrast_changed,
        ):
            changed.connect(self._on_reading_changed)
        state.reading_problem_changed.connect(self._on_reading_problem_changed)
        state.model_changed.connect(self._on_model_changed)
        state.focus_changed.connect(self._on_focus_changed)
        state.head_changed.connect(self._on_head_changed)
        self.compared = Hint()  # why the view shows this reading alone
        set_role(self.compared, "strong")
        self.compared.hide()
        self.views = ViewStack(self.specs, View)
        self.progress = ProgressLine()  # of all its views' questions
        name_highlight(self.views, f"{self.key}.view")
        self.lay_out()
        self.views.view_made.connect(self._on_view_made)
        kept = str(state.kept.get(self._kept_key))  # a window built anew goes on where the last one was
        self.show_view(kept if kept in {spec.key for spec in self.specs} else self.specs[0].key)

    def lay_out(self) -> None:
        """Fills `content` with tabs, the comparison note, the views and their progress."""
        names = {spec.key: (spec.shown_title, spec.shown_hint) for spec in self.specs}
        self.tabs = tab_bar(names, say("Views"))
        self.intro = LinkedText()
        name_highlight(self.tabs, f"{self.key}.tabs")
        self.more = MoreButton(any(spec.is_for_experts for spec in self.specs))
        self.more.toggled.connect(self._show_tabs)
        self.list = Choice(say("Views"), {key: title for key, (title, _hint) in names.items()})
        self.list.activated.connect(lambda place: self.open_view(self.specs[place].key))
        self._top, self._second = hbox(self.tabs, self.list, self.more), QHBoxLayout()
        self._top.addStretch(0)
        self._beside_tabs = self.make_beside_tabs()
        for widget in self._beside_tabs:
            self._top.addWidget(widget, 1)
        gap_px = 4 if theme.is_projector() else GAP_PX - 4
        self.row = hbox((self.views, 1), gap_px=GAP_PX)  # a room may add what stands beside its views
        lines = self._top, self._second, self.intro, self.compared, (self.row, 1), self.progress
        vbox(*lines, parent=self.content, gap_px=gap_px)
        self.state.baseline_changed.connect(self._show_tabs)
        self.tabs.currentChanged.connect(lambda tab: self.open_view(self.specs[tab].key))
        self.list.hide()
        if len(self.specs) == 1:  # it says itself what it is
            self.tabs.hide()
            self.intro.hide()

    def make_beside_tabs(self) -> list[QWidget]:
        """What stands at the right end of the row of tabs."""
        return []

    def connect_view(self, view: View) -> None:
        """A view has just been made: subclasses connect here what theirs want besides."""

    @property
    def view(self) -> View:
        """The one on show."""
        return self.views.view

    @property
    def spec(self) -> ViewSpec:
        """Of the view on show."""
        return self.views.spec

    @property
    def is_drawn(self) -> bool:
        """True where the room shows the state's reading.

        False as well while other listeners to `reading_changed`, a lesson for one, select a token of a reading that
        this room has not been told of yet.
        """
        return self._drawn is not None and self._drawn is self.state.reading and not self.waiting.is_waiting

    def open_view(self, key: str) -> View:
        """Shows a view by the key of its spec."""
        self.show_view(key)
        return self.view

    def show_view(self, key: str) -> None:
        self._is_typing = False
        self.views.open(key)
        self._show_comparison()
        self.show_tab()
        self.state.kept[self._kept_key] = key

    def show_tab(self) -> None:
        """The tabs and words around the view on show."""
        index = self.specs.index(self.spec)
        with QSignalBlocker(self.tabs):
            self.tabs.setTabVisible(index, True)  # first: a hidden tab's place is not known, and the row would scroll
            self.tabs.setCurrentIndex(index)
        self.list.setCurrentIndex(index)
        self.intro.setText(self.spec.shown_hint)
        self._show_tabs()

    def _show_tabs(self) -> None:
        """Those for experts when they are wanted, or one of them is open."""
        is_compared = self.state.baseline is not None

        def is_shown(spec: ViewSpec) -> bool:
            is_wanted = spec.key == self.views.key or (spec.is_about_baseline and is_compared)
            return self.more.isChecked() or is_wanted or not spec.is_for_experts

        show_tabs(self.tabs, [is_shown(spec) for spec in self.specs])
        self.fit_width()
        self._top.activate()  # at once: a row that is still too short scrolls its first tab out of sight

    def fit_width(self) -> None:
        """What stands beside the tabs is on a line of its own where there is no room for it and all their words; where
        there is none for these alone, one list has all views."""
        if len(self.specs) > 1:
            has_more = any(spec.is_for_experts for spec in self.specs)
            needs_px = self.tabs.sizeHint().width() + (self.more.sizeHint().width() + self._top.spacing()) * has_more
            is_narrow = needs_px > self.content.width()
            show_if(is_narrow, self.list)
            show_if(not is_narrow, self.tabs, *([self.more] if has_more else []))
        beside = [widget.minimumSizeHint().width() for widget in self._beside_tabs if not widget.isHidden()]
        shown = [widget for widget in (self.tabs, self.list, self.more) if not widget.isHidden()]
        needs = [widget.sizeHint().width() for widget in shown] + beside
        fits = sum(needs) + len(needs) * self._top.spacing() <= self.content.width()
        stays = fits or not any(beside)
        line, other = (self._top, self._second) if stays else (self._second, self._top)
        for widget in self._beside_tabs if stays else reversed(self._beside_tabs):
            if other.indexOf(widget) >= 0:
                other.removeWidget(widget)
                line.addWidget(widget, int(stays))
        if theme.is_projector() and len(self.specs) > 1:  # said where the picture has room beside it
            least = max(PICTURE_SHARE * self.window().height(), self.row.minimumSize().height() + 2 * GAP_PX)
            above = self._top.sizeHint().height() + self._second.sizeHint().height()
            above += self.intro.heightForWidth(self.content.width())
            self.intro.setVisible(self.content.height() - above >= least)

    def get_view(self, key: str) -> View:
        """A view, made where it is not yet, but not opened."""
        return self.views.get(key)

    def draw_reading(self, reading: Reading) -> None:
        """Another reading, or the room has just been shown: everything is drawn anew."""
        self._show_comparison()
        self.views.show_reading(reading, self.state.selection, PAUSE_MS if self._is_typing else 0)
        self._is_typing = True

    def draw_focus(self, reading: Reading) -> None:
        """Another token is selected."""
        self.views.show_selection(reading, self.state.selection)

    def draw_head(self, reading: Reading) -> None:
        """Another layer or head is selected."""
        self.draw_focus(reading)

    def _show_comparison(self) -> None:
        reading = self.state.reading
        note = "" if reading is None else self.spec.comparison_note(reading, self.state.selection)
        show_text(self.compared, note)

    @property
    def _kept_key(self) -> str:
        return f"{self.key}.view"

    def _on_view_made(self, key: str, view: View) -> None:
        kept_key = f"{self.key}.{key}"
        if kept_key in self.state.kept:
            view.restore(self.state.kept[kept_key])
        view.kept_changed.connect(partial(self.state.kept.__setitem__, kept_key))
        self._connect_to_state(view)
        for question in view.questions:
            if question not in view.questions_with_own_line:
                self.progress.follow(question)
        self.connect_view(view)

    def figure(
        self, title: str, widgets: Sequence[QWidget], numbers: Arrays, *, hint: str = "", python: str = "", **of: Any
    ) -> Figure | None:
        """Like `View.figure`, of a picture that stands in the room itself."""
        reading = self.state.reading
        if reading is None or not self.is_drawn:
            return None
        caption = caption_of(reading, self.state.selection, **of)
        script = script_of(title, reading, self.state.selection, python)
        return Figure(title, picture_of(widgets), numbers, caption, reading.request.model.name, hint, script=script)

    def _connect_to_state(self, view: View) -> None:
        """What every view wants."""
        view.position_hovered.connect(self.state.set_hover)
        view.position_clicked.connect(self.state.set_focus)
        view.head_clicked.connect(self.state.set_head)
        view.stage_clicked.connect(self.state.set_stage)
        view.mask_toggled.connect(self.state.toggle_mask)
        view.what_if_edited.connect(self._on_view_what_if_edited)
        view.comparison_wanted.connect(self._on_view_comparison_wanted)
        view.contrast_edited.connect(self.state.set_contrast)
        view.hover_text_changed.connect(self.hover_text_changed)
        view.token_menu_requested.connect(partial(show_token_menu, view, self.state))
        view.question_requested.connect(self.question_requested)
        view.room_requested.connect(self.room_requested)

    def _on_view_what_if_edited(self, edit: Callable[[WhatIf], WhatIf]) -> None:
        """Of a reading that is behind the text, positions may be others by now."""
        reading = self.state.reading
        if reading is not None and reading.encoding is self.state.encoding:
            self.state.set_what_if(edit(self.state.what_if))

    def _on_view_comparison_wanted(self, offer: ComparisonOffer) -> None:
        if offer.model is not None:
            self.model_requested.emit(offer.model)
        if offer.text is not None:
            self.state.set_text(offer.text, "")
        self.state.set_baseline(offer.baseline)

    def _on_reading_changed(self) -> None:
        self._drawn = None
        if self.isVisible():
            self._catch_up()

    def _on_model_changed(self) -> None:
        """One that comes with a reading says so by `reading_changed` just after."""
        if self.state.reading is None:
            self._on_reading_changed()

    def _on_reading_problem_changed(self) -> None:
        """Says why there is nothing to see, unless something is on show already."""
        if self.state.reading is None and self.isVisible():
            self._catch_up()

    def _on_focus_changed(self) -> None:
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self.draw_focus(self.state.reading)

    def _on_head_changed(self) -> None:
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self.draw_head(self.state.reading)
        else:
            self._drawn = None

    def _catch_up(self) -> None:
        reading = self.state.reading
        if reading is None:
            missing = say("Loading the model…") if self.state.model is None else say("Reading the text…")
            self.waiting.show_sentence(self.state.reading_problem or missing)
            self.leave()
            return
        self._drawn = reading
        self.waiting.show_content()
        self.draw_reading(reading)

    def leave(self) -> None:
        """Nobody sees a reading here any more: what is asked is not wanted, and none is kept alive."""
        self._drawn = None
        self.views.leave()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_width()

    def showEvent(self, event: QShowEvent) -> None:
        self._is_typing = False
        super().showEvent(event)
        self._catch_up()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.leave()
