"""Everything in the window around the rooms: title bar, rail, sentences, tokens, banner, status line.

The frame shows the state and passes on what a person does. It holds nothing that the state does not: in projector
mode it is thrown away and built anew at the new size.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from ..look import say, theme
from ..state import NOTHING_CHANGED
from ..state.explore_state import ExploreState
from ..widgets.banner import Banner, OfferLine
from ..widgets.card import GAP_PX, label, show_text
from ..widgets.context_menu import show_token_menu
from ..widgets.help_panel import HelpPanel
from ..widgets.highlights import name_highlight
from ..widgets.layouts import discard, hbox, held, vbox
from ..widgets.prediction_line import Prediction, PredictionLine, prediction_of
from ..widgets.room_rail import RoomRail
from ..widgets.sentence_bar import QuestionLine, SentenceBar, ViewSwitches, WhatIfLine
from ..widgets.status_line import StatusLine
from ..widgets.title_bar import TitleBar
from ..widgets.token_strip import TokenStrip, chips_of, note_about, words_below
from .rooms import RoomSpec

SAME_TEXT = 0.5  # share of words in common from which on an edited text is still the one that a hint was about


class Frame(QWidget):
    """The chrome and a stack of rooms."""

    room_opened = Signal(str)
    predictions_requested = Signal()  # a click on the line with the best of them
    typed = Signal()  # the text is about to be what a person has typed

    def __init__(
        self, state: ExploreState, title_bar: TitleBar, specs: Sequence[RoomSpec], make_room: Callable[[str], QWidget]
    ) -> None:
        """make_room: by its key, when it is opened for the first time."""
        super().__init__()
        self.state = state
        self.title_bar = title_bar
        self.rooms: dict[str, QWidget] = {}
        self._areas: dict[str, QScrollArea] = {}
        self.open_key = ""  # of the room on show; empty while there is none
        self._make_room = make_room
        self._specs = {spec.key: spec for spec in specs}
        self.rail = RoomRail([(spec.key, spec.shown_title, spec.shown_hint) for spec in specs if not spec.belongs_to])
        self.sentences, self.strip, self.note = SentenceBar(), TokenStrip(), label("", "muted", wrap=True)
        self.switches, self.what_if = ViewSwitches(), WhatIfLine()
        self.tokens, self.prediction, self.help = QWidget(), PredictionLine(), HelpPanel()
        self.question = QuestionLine()  # what to look at in this text
        self._hinted: list[str] = []  # the words of that text
        self._below: dict[int, str] = {}  # what the chips say of the other text
        self._docked: list[QWidget] = []  # cards at the right of the rooms
        self.banner, self._stack = Banner(), QStackedWidget()
        places = {"sentences": self.sentences, "tokens": self.strip, "rail": self.rail, "prediction": self.prediction}
        beside = ("tokens", self.note), ("model", title_bar.model), ("step", title_bar.step)
        for name, widget in (*places.items(), *beside):
            name_highlight(widget, name)
        self.status = StatusLine(say("M: mask · Esc: deselect · Ctrl+K: find a command · F1: help"))
        loading = label(say("Loading the model…"), "muted")  # at the first paint, before anything else is imported
        loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(loading)
        self._lay_out()
        self._connect()

    @property
    def room(self) -> QWidget | None:
        """The room that is open."""
        return self.rooms.get(self.open_key)

    def open_room(self, room_key: str) -> QWidget:
        """Shows a room, and builds it when it is the first time.

        Rooms fill the window, and scroll where a small screen cannot hold them: the window never outgrows it.
        """
        if room_key not in self.rooms:
            self.rooms[room_key] = self._make_room(room_key)
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.setWidget(_Page(self.rooms[room_key]))
            self._areas[room_key] = area
            self._stack.addWidget(area)
        if self.open_key not in ("", room_key) and self.banner.text != self.state.reading_problem:
            self.banner.dismiss()  # it is about the room that was on show, or what was done there
        if room_key != self.open_key:
            self.status.set_hover("")  # so is this
        self.open_key = room_key
        above = {"tokens": self.tokens, "prediction": self.prediction, "difference": self.switches.difference}
        for name, widget in above.items():
            widget.setVisible(name in self._specs[room_key].above)
        self.rail.set_room(self._specs[room_key].belongs_to or room_key)
        self.help.show_room(room_key)
        self._stack.setCurrentWidget(self._areas[room_key])
        self.room_opened.emit(room_key)
        return self.rooms[room_key]

    def show_question(self, question: str, answer: str = "", *, is_answered: bool = False) -> None:
        """What to look at in this text; gone when it has become another: it may ask for a word to be changed."""
        self._hinted = self._words()
        self.question.show_question(question, answer, is_answered=is_answered)

    def dock(self, card: QWidget) -> None:
        """Puts a card at the right of the rooms."""
        self._middle.addWidget(card)
        self._docked.append(card)
        card.installEventFilter(self)
        card.destroyed.connect(partial(self._docked.remove, card))
        self._fit_rail()

    def dock_line(self, line: QWidget) -> None:
        """Puts a line above everything but the title bar."""
        self._right.insertWidget(0, line)
        line.show()

    def _lay_out(self) -> None:
        gap = theme.px(GAP_PX)
        holder = held(vbox(self.banner, margins=(gap, gap, gap, 0)))
        self.banner.shown_changed.connect(holder.setVisible)
        holder.hide()
        self._right = vbox(self._build_text_panel(), holder, (self._stack, 1), gap_px=0)
        self._middle = hbox(self.rail, (self._right, 1), gap_px=0)
        self.dock(self.help)
        layout = vbox(self.title_bar, (self._middle, 1), parent=self, gap_px=0)
        if theme.is_projector():
            self.status.float_over(self)
        else:
            layout.addWidget(self.status)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._fit_rail()
        return False

    def _fit_rail(self) -> None:
        """On a projector a room beside a card gets all the width there is."""
        has_card = any(not card.isHidden() for card in self._docked)
        self.rail.set_narrow(theme.is_projector() and has_card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if theme.is_projector():
            self.status.setGeometry(0, self.height() - self.status.height(), self.width(), self.status.height())

    def _build_text_panel(self) -> QFrame:
        """On a projector the picture comes first: sentences are in the title bar, switches in the menu of commands."""
        panel, is_short, side = QFrame(), theme.is_projector(), theme.px(14)
        panel.setProperty("look", "bar")
        if is_short:
            self.title_bar.add_sentences(self.sentences)
            self.switches.setParent(self)
            self.switches.hide()
        hbox((self.strip, 1), *(() if is_short else (self.switches,)), parent=self.tokens, gap_px=12)
        below = hbox((self.prediction, 3), (self.what_if, 2), gap_px=12)
        rows = self.tokens, below, self.note, self.question
        edge, gap = (theme.px(3), 3) if is_short else (theme.px(10), 8)
        layout = vbox(*(() if is_short else (self.sentences,)), *rows, parent=panel, margins=(side, edge, side, edge))
        layout.setSpacing(theme.px(gap))
        return panel

    def _connect(self) -> None:
        state, field = self.state, self.strip.field
        compared = state.baseline_changed, state.comparison_changed, state.what_if_changed, state.reading_changed
        for show, signals in (  # methods: the state would keep a frame that has been replaced by its lambda
            (self._show_text, (state.text_changed,)),
            (self._show_tokens, (state.encoding_changed, state.masks_changed)),
            (self._show_focus, (state.focus_changed,)),
            (self._show_switches, (state.token_view_changed,)),
            (self._show_changes, (state.what_if_changed,)),
            (self._show_baseline, (*compared, state.text_changed)),
            (self._show_prediction, (state.reading_changed, state.model_changed, state.focus_changed)),
        ):
            for changed in signals:
                changed.connect(show)
            show()
        self.prediction.clicked.connect(lambda _part: self.predictions_requested.emit())
        line, switches = self.prediction, self.switches
        line.hovered.connect(lambda part: self.status.set_hover("" if part is None else line.prediction.sentence))
        switches.words_switched.connect(lambda on: state.set_token_view(words=on))
        switches.specials_switched.connect(lambda on: state.set_token_view(specials=on))
        switches.difference_switched.connect(state.set_wants_difference)
        switches.other_held.connect(state.show_baseline)
        self.what_if.reset_requested.connect(lambda: state.set_what_if(NOTHING_CHANGED))
        self.what_if.swap_ended.connect(state.end_swap)
        self.sentences.edited.connect(self.typed)  # first: what the text changes then was typed
        self.sentences.edited.connect(state.set_text)
        field.clicked.connect(state.set_focus)
        field.double_clicked.connect(state.toggle_mask)
        field.hovered.connect(state.set_hover)
        field.context_menu_requested.connect(lambda position, at: show_token_menu(field, state, position, at))
        field.moved.connect(self._on_field_moved)
        self.rail.room_chosen.connect(self.open_room)

    def _show_switches(self) -> None:
        self.switches.show_view(*astuple(self.state.token_view))

    def _show_prediction(self) -> None:
        reading = self.state.reading
        shown = Prediction() if reading is None else prediction_of(reading, self.state.selection)
        self.prediction.show_prediction(shown)

    def _words(self) -> list[str]:
        return f"{self.state.text_a} {self.state.text_b}".lower().split()

    def _show_text(self) -> None:
        words = self._words()
        shared = (Counter(self._hinted) & Counter(words)).total()
        if self.question.question and 2 * shared < SAME_TEXT * (len(self._hinted) + len(words)):
            self.question.show_question("")
        self.sentences.show_texts(self.state.text_a, self.state.text_b)

    def _show_tokens(self) -> None:
        self._below = words_below(self.state)
        self.strip.set_chips(chips_of(self.state, self._below))
        show_text(self.note, note_about(self.state))
        self._show_focus()

    def _show_focus(self) -> None:
        self.strip.set_selection(self.state.current, self.state.focus)

    def _show_changes(self) -> None:
        labels = self.state.encoding.labels if self.state.encoding else []
        what_if = self.state.what_if
        swap = "" if what_if.swap is None else what_if.swap.description
        self.what_if.show_changes(what_if.with_swap(None).described(labels), swap)

    def _show_baseline(self) -> None:
        self.title_bar.show_baseline(self.state)
        newest = self.state.newest_reading
        has_baseline = newest is not None and newest.baseline is not None
        if words_below(self.state) != self._below:
            self._show_tokens()
        self.switches.show_baseline(has_baseline, self.state.wants_difference, self.state.shows_baseline)

    def _on_field_moved(self, step: int) -> None:
        size = len(self.state.encoding) if self.state.encoding else 0
        if size:
            self.state.set_focus(min(max((self.state.current or 0) + step, 0), size - 1))


class _Page(QWidget):
    """Gives a room all the space there is, and asks for no more than the least it can do with.

    A layout would ask for the height that wrapped labels would like to have, and scroll long before it must.
    """

    def __init__(self, room: QWidget) -> None:
        super().__init__()
        self._room = room
        room.setParent(self)
        room.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        return self._room.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._room.setGeometry(self.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A room that needs more or less space than before is heard by the scroll area."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return False


class Offers(QObject):
    """Each line is made anew with the frame: for its size, in its language."""

    def __init__(self, frame: Callable[[], Frame], parent: QObject) -> None:
        """frame: of the window, as it is now."""
        super().__init__(parent)
        self._frame = frame
        self._open: dict[str, tuple[Callable[[], OfferLine], OfferLine]] = {}  # by a name: what makes it, and itself

    def show(self, name: str, make: Callable[[], OfferLine]) -> None:
        self.end(name)
        line = make()
        for answered in (line.accepted, line.dismissed):
            answered.connect(lambda: self.end(name))
        self._open[name] = make, line
        self._frame().dock_line(line)

    def end(self, name: str) -> None:
        if name in self._open:
            discard(self._open.pop(name)[1])

    def show_again(self) -> None:
        """In a frame that has just been built."""
        for name, (make, _) in list(self._open.items()):
            self.show(name, make)
