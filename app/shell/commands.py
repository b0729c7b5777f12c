"""Every command of the window once: menus, keys and the command list use these."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from bertcore import locations

from ..look import mark, names, say
from ..look.language import LANGUAGES, SYSTEM
from ..runs.stages import GOING_ON, TUNING, UNTRAINED
from ..state import NOTHING_CHANGED
from ..state.explore_state import ExploreState
from ..state.history import History
from ..widgets.figure_button import FigureAction
from .appearance import Appearance
from .comparison import Comparison
from .examples import Examples
from .exporting import Exporter
from .frame import Frame
from .lessons import Lessons
from .rooms import ROOMS
from .services import Services
from .sessions import Sessions

MENUS: dict[str, str] = names("menus")
LANGUAGE_KEYS = ("Ctrl+F9", "Ctrl+F10", "Ctrl+F11")  # with Alt, letters and figures type others on many keyboards
LEARNING = mark("training step time machine snapshot before after learning")
PRESENTING = mark("presenter class laser beamer")
ALSO = {  # other words by which people look for a command, or for all of a menu
    "compare": mark("compare baseline difference side by side"),
    "file.save_picture": mark("export figure image png pdf svg"),
    "file.save_numbers": mark("export table csv data"),
    "file.save_animation": mark("film strip gif webp html video export"),
    "file.lab_sheet": mark("hand-out worksheet print teacher pdf html"),
    **dict.fromkeys(("model.start", "model.half_trained", "model.trained", "model.play"), LEARNING),
    "model.follow": mark("newest snapshot live training"),
    "lesson.insert": mark("insert write author own lesson clipboard markdown"),
    "lesson.tour": mark("introduction start first steps help"),
    "lesson.game": mark("quiz play score masked word"),
    "view.contrast": mark("theme black colours accessibility eyes"),
    "view.technical": mark("percent nats ln p bits probability"),
    "view.projector": mark("zoom larger font"),
    **{f"view.language_{code}": "language" for code in (SYSTEM, *LANGUAGES)},  # the word that all of them know
    "view.help": mark("help manual"),
    "view.about": mark("version licence license credits"),
    **dict.fromkeys(("view.ring", "view.blank", "view.full_screen"), PRESENTING),
}


class Command(QAction):
    """Something a person can ask the window to do."""

    def __init__(self, key: str, keys: str, title: str, run: Callable[[], object]) -> None:
        """key: "menu.verb", the menu one of MENUS. title: as the menu says it; … where a dialog follows.

        keys: the first is shown; the others are those that other programs taught people.
        """
        super().__init__(title)
        self.key, self.keys, self.menu_key = key, tuple(keys.split()), key.partition(".")[0]
        self.setShortcuts([QKeySequence(each) for each in self.keys])
        self.triggered.connect(lambda _checked=False: run())

    @property
    def also(self) -> str:
        """Other words by which people look for it."""
        return say(ALSO.get(self.key) or ALSO.get(self.menu_key, ""))

    def remove(self) -> None:
        """For those in another language: two actions with one shortcut would be ambiguous."""
        self.setShortcuts([])
        self.deleteLater()


class Commanded(Protocol):
    """What commands and menus need of the window."""

    state: ExploreState
    services: Services
    sessions: Sessions
    exporter: Exporter
    history: History
    appearance: Appearance
    comparison: Comparison
    examples: Examples
    lessons: Lessons
    frame: Frame
    commands: dict[str, Command]

    def open_room(self, key: str, /) -> QWidget: ...
    def open_view(self, room_key: str, view_key: str, /) -> None: ...
    def choose_model(self) -> None: ...
    def toggle_playing(self) -> None: ...
    def escape(self) -> None: ...
    def show_word(self, key: str, /) -> None: ...
    def toggle_help(self) -> None: ...
    def open_palette(self) -> QWidget: ...
    def open_about(self) -> None: ...
    def toggle_ring(self) -> None: ...
    def blank_screen(self) -> None: ...
    def toggle_full_screen(self) -> None: ...
    def close(self) -> bool: ...


def start_title(begins_with: str) -> str:
    """Of the command that opens the first step of a run; see `runs.stages.Steps`."""
    titles = {TUNING: say("The model before fine-tuning"), GOING_ON: say("The model before this run")}
    return titles.get(begins_with, say("The untrained model"))


def commands_of(window: Commanded) -> dict[str, Command]:
    """All of them, menu by menu. Presenters' remotes send B or a full stop for a blank screen."""
    state, services, open_room = window.state, window.services, window.open_room
    lessons, comparison = window.lessons, window.comparison
    opener, machine, look, exporter = services.open_model, services.time_machine, window.appearance, window.exporter

    def follow() -> None:
        machine.set_following(not machine.is_following)

    def toggle(switch: str) -> None:
        state.set_token_view(**{switch: not getattr(state.token_view, switch)})

    def type_a() -> None:
        window.frame.sentences.a.setFocus()
        window.frame.sentences.a.selectAll()

    def of_picture(menu: str, action: FigureAction, key: str) -> tuple[str, str, str, Callable[[], object]]:
        return f"{menu}.{action.name.lower()}", key, action.title, partial(exporter.export_here, action)

    built_in, tiny = (say("{model} (built in)", model=name) for name in (locations.BUILT_IN, locations.TINY))
    suit = window.examples.suit
    german = say("{model}: German, a toy (built in)", model=locations.GERMAN)
    stages = {
        "start": start_title(UNTRAINED),
        "half_trained": say("The half-trained model"),
        "trained": say("The trained model"),
    }
    languages = {SYSTEM: say("as the system"), **LANGUAGES}.items()
    found: list[tuple[str, str, str, Callable[[], object]]] = [
        ("file.save_session", "Ctrl+S", say("Save session…"), window.sessions.save_as),
        ("file.open_session", "Ctrl+Shift+O", say("Open session…"), window.sessions.choose),
        of_picture("file", FigureAction.SAVE_PICTURE, "Ctrl+E"),
        of_picture("file", FigureAction.SAVE_NUMBERS, "Ctrl+Shift+E"),
        of_picture("file", FigureAction.SAVE_FOR_PAPER, "Ctrl+Alt+Shift+E"),
        of_picture("file", FigureAction.SAVE_ANIMATION, "Ctrl+Alt+E"),
        ("file.lab_sheet", "Ctrl+Alt+L", say("Save a lab sheet for a class…"), exporter.export_lab_sheet),
        ("file.quit", "Ctrl+Q", say("Quit"), window.close),
        ("edit.undo", "Ctrl+Z", say("Undo"), window.history.undo),
        ("edit.redo", "Ctrl+Shift+Z Ctrl+Y", say("Redo"), window.history.redo),
        of_picture("edit", FigureAction.COPY_PICTURE, "Ctrl+Shift+C"),
        of_picture("edit", FigureAction.COPY_NUMBERS, "Ctrl+Alt+C"),
        ("model.open_folder", "Ctrl+O", say("Open folder…"), window.choose_model),
        ("model.open_built_in", "Ctrl+Shift+B", built_in, partial(opener.open, None, suit)),
        ("model.open_tiny", "Ctrl+Alt+B", tiny, partial(opener.open, locations.TINY, suit)),
        ("model.open_german", "Ctrl+Alt+D", german, partial(opener.open, locations.GERMAN, suit)),
        *(
            (f"model.{stage}", f"Ctrl+Alt+{number}", title, partial(machine.open_stage, stage))
            for number, (stage, title) in enumerate(stages.items(), start=1)
        ),
        ("model.follow", "Ctrl+Alt+F", say("Follow the run that trains"), follow),
        ("model.play", "F5", say("Play the training, or stop"), window.toggle_playing),
        ("text.mask", "M", say("Mask or unmask the token"), lambda: state.toggle_mask()),
        ("text.unmask_all", "Shift+M", say("Remove all masks"), partial(state.set_masks, ())),
        ("text.deselect", "Esc", say("Deselect the token"), window.escape),
        ("text.swap", "Ctrl+Shift+S", say("Swap A and B"), lambda: state.set_text(state.text_b, state.text_a)),
        ("text.type", "Ctrl+L", say("Edit sentence A"), type_a),
        ("text.reset", "Ctrl+0", say("Reset all changes inside the model"), lambda: state.set_what_if(NOTHING_CHANGED)),
        *(
            (
                f"room.{room.key}",
                f"Ctrl+{number}" if number < 10 else f"Ctrl+Shift+{number - 9}",
                room.shown_title,
                partial(open_room, room.key),
            )
            for number, room in enumerate(ROOMS, start=1)
        ),
        ("compare.model", "Ctrl+Alt+O", say("Compare with another model…"), comparison.ask_for_model),
        ("compare.text", "Ctrl+Alt+A", say("Compare with another text…"), comparison.ask_for_text),
        ("compare.start", "Ctrl+Alt+0", say("Compare with the start of its training"), comparison.with_start),
        ("compare.swap", "Ctrl+Alt+X", say("Swap with the baseline"), comparison.swap),
        ("compare.difference", "D", say("Show the difference, or both side by side"), comparison.toggle_difference),
        ("compare.end", "Ctrl+Alt+U", say("End the comparison"), comparison.end),
        ("lesson.next", "PgDown", say("Next page of the lesson"), partial(lessons.turn, 1)),
        ("lesson.back", "PgUp", say("Previous page of the lesson"), partial(lessons.turn, -1)),
        ("lesson.notes", "Ctrl+Alt+N", say("Speaker notes"), lessons.show_notes),
        ("lesson.hand_in", "Ctrl+Alt+H", say("Hand in your answers…"), lessons.hand_in),
        ("lesson.close", "Ctrl+Shift+W", say("Close the lesson"), lessons.close),
        ("lesson.tour", "Ctrl+Alt+I", say("Tour of the window"), lessons.open_tour),
        ("lesson.game", "Ctrl+Alt+G", say("Guessing game: the class against the model"), partial(open_room, "game")),
        ("lesson.insert", "Ctrl+Alt+Y", say("Copy what I see as a page of a lesson"), lessons.insert_view),
        ("lesson.open", "Ctrl+Shift+L", say("Open lesson…"), lessons.choose),
        ("lesson.collect", "Ctrl+Alt+K", say("Collect answers…"), lessons.collect),
        ("view.words", "W", say("Show whole words or tokens"), partial(toggle, "words")),
        ("view.specials", "S", say("Show or hide special tokens"), partial(toggle, "specials")),
        ("view.theme", "Ctrl+T", say("Light or dark theme"), look.toggle_theme),
        ("view.contrast", "Ctrl+Alt+T", say("High contrast"), look.toggle_contrast),
        ("view.technical", "Ctrl+Alt+W", say("Words: plain or technical"), look.toggle_technical),
        ("view.projector", "Ctrl+Shift+P", say("Projector mode"), look.toggle_projector),
        *(
            (f"view.language_{code}", key, say("Language: {language}", language=name), partial(look.set_language, code))
            for (code, name), key in zip(languages, LANGUAGE_KEYS, strict=True)
        ),
        ("view.help", "F1", say("What this room shows"), window.toggle_help),
        ("view.palette", "Ctrl+K", say("Find a command…"), window.open_palette),
        ("view.about", "Ctrl+F1", say("About BERTscope…"), window.open_about),
        ("view.ring", "Ctrl+Alt+P", say("Ring around the mouse pointer"), window.toggle_ring),
        ("view.blank", "B .", say("Blank the screen"), window.blank_screen),
        ("view.full_screen", "F11", say("Full screen"), window.toggle_full_screen),
    ]
    commands = {key: Command(key, keys, title, run) for key, keys, title, run in found}
    for code, _ in languages:
        commands[f"view.language_{code}"].setCheckable(True)
        commands[f"view.language_{code}"].setChecked(code == services.settings.language)
    return commands
