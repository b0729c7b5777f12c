"""Every command of the window once: menus, keys and the command list use these. And the menus in the title bar."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu, QWidget

from bertcore import locations
from bertcore.errors import printable

from ..compute.open_model import OpenModel
from ..look import numbers, translated
from ..look.language import LANGUAGES, SYSTEM
from ..look.say import mark, say
from ..runs.stages import GOING_ON, TUNING, UNTRAINED
from ..state.examples import Example
from ..state.explore_state import ExploreState
from ..state.history import History
from ..state.what_if import NOTHING_CHANGED
from ..widgets.figure_button import FigureAction
from .exporting import Exporter
from .rooms import ROOMS
from .sessions import Sessions
from .time_machine import TimeMachine

MENUS = {
    "file": mark("File"),
    "edit": mark("Edit"),
    "model": mark("Model"),
    "compare": mark("Compare"),
    "text": mark("Text"),
    "room": mark("Room"),
    "view": mark("View"),
    "lesson": mark("Lessons"),
}
LANGUAGE_KEYS = ("Ctrl+F9", "Ctrl+F10", "Ctrl+F11")  # with Alt, letters and figures type others on many keyboards


@dataclass(frozen=True)
class Command:
    """Something a person can ask the window to do."""

    id: str  # "menu.verb", the menu one of MENUS
    title: str  # as the menu says it; … where a dialog follows
    callback: Callable[[], object]
    shortcut: str
    more_shortcuts: tuple[str, ...] = ()  # that other programs taught people
    also: str = ""  # other words by which people look for it

    @property
    def menu(self) -> str:
        return self.id.partition(".")[0]


class Actions:
    """The commands as QActions of one window."""

    def __init__(self, window: QWidget, commands: Iterable[Command]) -> None:
        self.commands = {command.id: command for command in commands}
        self.actions: dict[str, QAction] = {}
        for command in self.commands.values():
            action = QAction(command.title, window)
            action.setShortcuts([QKeySequence(keys) for keys in (command.shortcut, *command.more_shortcuts)])
            action.triggered.connect(lambda _checked=False, run=command.callback: run())
            window.addAction(action)
            self.actions[command.id] = action

    def fill(self, menu: QMenu, fuller: Mapping[str, Callable[[QMenu], object]]) -> None:
        """All commands, menu by menu. fuller: menu -> what else there is to choose in it; that comes first."""
        for name, title in MENUS.items():
            part = menu.addMenu(say(title))
            if name in fuller:
                fuller[name](part)
                part.addSeparator()
                part = part.addMenu(say("More"))
            part.addActions([self.actions[c.id] for c in self.commands.values() if c.menu == name])

    def show(self, command_id: str, title: str, enabled: bool) -> None:
        """What a command would do now, and whether it would do anything."""
        self.actions[command_id].setText(title)
        self.actions[command_id].setEnabled(enabled)

    def check(self, command_id: str, is_on: bool) -> None:
        self.actions[command_id].setCheckable(True)
        self.actions[command_id].setChecked(is_on)

    def remove(self) -> None:
        """From the window, for those in another language."""
        for action in self.actions.values():
            action.setShortcuts([])  # two actions with one shortcut would be ambiguous
            action.deleteLater()

    def set_enabled(self, command_id: str, enabled: bool) -> None:
        self.actions[command_id].setEnabled(enabled)

    def run(self, command_id: str) -> None:
        self.actions[command_id].trigger()


def file_commands(
    sessions: Sessions, exporter: Exporter, state: ExploreState, quit_: Callable[[], object]
) -> list[Command]:
    picture_words = say("export figure image png pdf svg")
    number_words = say("export table csv data")
    return [
        Command("file.save_session", say("Save session…"), sessions.save_as, "Ctrl+S"),
        Command("file.open_session", say("Open session…"), sessions.choose, "Ctrl+Shift+O"),
        _figure_command("file.save_picture", FigureAction.SAVE_PICTURE, exporter, "Ctrl+E", picture_words),
        _figure_command("file.save_numbers", FigureAction.SAVE_NUMBERS, exporter, "Ctrl+Shift+E", number_words),
        _figure_command(
            "file.save_animation",
            FigureAction.SAVE_ANIMATION,
            exporter,
            "Ctrl+Alt+E",
            say("film strip gif webp html video export"),
        ),
        Command(
            "file.lab_sheet",
            say("Save a lab sheet for a class…"),
            partial(exporter.export_lab_sheet, state),
            "Ctrl+Alt+L",
            also=say("hand-out worksheet print teacher pdf html"),
        ),
        Command("file.quit", say("Quit"), quit_, "Ctrl+Q"),
    ]


def edit_commands(history: History, exporter: Exporter) -> list[Command]:
    return [
        Command("edit.undo", say("Undo"), history.undo, "Ctrl+Z"),
        Command("edit.redo", say("Redo"), history.redo, "Ctrl+Shift+Z", ("Ctrl+Y",)),
        _figure_command("edit.copy_picture", FigureAction.COPY_PICTURE, exporter, "Ctrl+Shift+C"),
        _figure_command("edit.copy_numbers", FigureAction.COPY_NUMBERS, exporter, "Ctrl+Alt+C"),
    ]


def _figure_command(id_: str, action: FigureAction, exporter: Exporter, shortcut: str, also: str = "") -> Command:
    return Command(id_, action.title, partial(exporter.export_here, action), shortcut, also=also)


def model_commands(
    open_model: OpenModel, machine: TimeMachine, play: Callable[[], object], parent: QWidget
) -> list[Command]:
    """play: the snapshots of the open model's run, or no more. parent: of the dialog that asks for a folder."""

    def choose_folder() -> None:
        folder = QFileDialog.getExistingDirectory(parent, say("Open a checkpoint or run folder"))
        if folder:
            open_model.open(folder)

    learning = say("training step time machine snapshot before after learning")
    stages = {
        "start": start_title(UNTRAINED),
        "half_trained": say("The half-trained model"),
        "trained": say("The trained model"),
    }
    open_built_in, open_tiny = partial(open_model.open, None), partial(open_model.open, locations.TINY)
    built_in = say("{model} (built in)")
    return [
        Command("model.open_folder", say("Open folder…"), choose_folder, "Ctrl+O"),
        Command("model.open_built_in", built_in.format(model=locations.BUILT_IN), open_built_in, "Ctrl+Shift+B"),
        Command("model.open_tiny", built_in.format(model=locations.TINY), open_tiny, "Ctrl+Alt+B"),
        *(
            Command(f"model.{stage}", title, partial(machine.open_stage, stage), f"Ctrl+Alt+{number}", also=learning)
            for number, (stage, title) in enumerate(stages.items(), start=1)
        ),
        Command(
            "model.follow",
            say("Follow the run that trains"),
            lambda: machine.set_following(not machine.is_following),
            "Ctrl+Alt+F",
            also=say("newest snapshot live training"),
        ),
        Command("model.play", say("Play the training, or stop"), play, "F5", also=learning),
    ]


def start_title(begins_with: str) -> str:
    """Of the command that opens the first step of a run; see `runs.stages.Steps`."""
    titles = {TUNING: say("The model before fine-tuning"), GOING_ON: say("The model before this run")}
    return titles.get(begins_with, say("The untrained model"))


def text_commands(
    state: ExploreState, sentence_a: Callable[[], QLineEdit], escape: Callable[[], object]
) -> list[Command]:
    """sentence_a: where sentence A is typed. escape: deselects, unless there is something more passing to end."""

    def type_a() -> None:
        sentence_a().setFocus()
        sentence_a().selectAll()

    def swap() -> None:
        state.set_text(state.text_b, state.text_a)

    return [
        Command("text.mask", say("Mask or unmask the token"), lambda: state.toggle_mask(), "M"),
        Command("text.unmask_all", say("Remove all masks"), lambda: state.set_masks(()), "Shift+M"),
        Command("text.deselect", say("Deselect the token"), escape, "Esc"),
        Command("text.swap", say("Swap A and B"), swap, "Ctrl+Shift+S"),
        Command("text.type", say("Edit sentence A"), type_a, "Ctrl+L"),
        Command(
            "text.reset",
            say("Reset all changes inside the model"),
            lambda: state.set_what_if(NOTHING_CHANGED),
            "Ctrl+0",
        ),
    ]


def room_commands(open_room: Callable[[str], object]) -> list[Command]:
    return [
        Command(f"room.{room.key}", room.shown_title, partial(open_room, room.key), f"Ctrl+{number}")
        for number, room in enumerate(ROOMS, start=1)
    ]


def view_commands(
    state: ExploreState,
    toggle_theme: Callable[[], object],
    toggle_contrast: Callable[[], object],
    toggle_technical: Callable[[], object],
    toggle_projector: Callable[[], object],
    set_language: Callable[[str], object],
    toggle_help: Callable[[], object],
    open_palette: Callable[[], object],
    open_about: Callable[[], object],
) -> list[Command]:
    def toggle_words() -> None:
        state.set_token_view(words=not state.token_view.words)

    def toggle_specials() -> None:
        state.set_token_view(specials=not state.token_view.specials)

    larger, manual = say("zoom larger font"), say("help manual")
    projector = say("Projector mode")
    return [
        Command("view.words", say("Show whole words or tokens"), toggle_words, "W"),
        Command("view.specials", say("Show or hide special tokens"), toggle_specials, "S"),
        Command("view.theme", say("Light or dark theme"), toggle_theme, "Ctrl+T"),
        Command(
            "view.contrast",
            say("High contrast"),
            toggle_contrast,
            "Ctrl+Alt+T",
            also=say("theme black colours accessibility eyes"),
        ),
        Command(
            "view.technical",
            say("Words: plain or technical"),
            toggle_technical,
            "Ctrl+Alt+W",
            also=say("percent nats ln p bits probability"),
        ),
        Command("view.projector", projector, toggle_projector, "Ctrl+Shift+P", also=larger),
        *_language_commands(set_language),
        Command("view.help", say("What this room shows"), toggle_help, "F1", also=manual),
        Command("view.palette", say("Find a command…"), open_palette, "Ctrl+K"),
        Command(
            "view.about", say("About BERTscope…"), open_about, "Ctrl+F1", also=say("version licence license credits")
        ),
    ]


def presenter_commands(
    toggle_ring: Callable[[], object], blank: Callable[[], object], toggle_full_screen: Callable[[], object]
) -> list[Command]:
    """For whoever stands in front of a class. Presenters' remotes send B or a full stop for a blank screen."""
    presenting = say("presenter class laser beamer")
    return [
        Command("view.ring", say("Ring around the mouse pointer"), toggle_ring, "Ctrl+Alt+P", (), presenting),
        Command("view.blank", say("Blank the screen"), blank, "B", (".",), presenting),
        Command("view.full_screen", say("Full screen"), toggle_full_screen, "F11", (), presenting),
    ]


def _language_commands(set_language: Callable[[str], object]) -> list[Command]:
    """Also found by the English word and by the language's own name, which all of its speakers know."""
    title = say("Language: {language}")
    names = {SYSTEM: say("as the system"), **LANGUAGES}
    return [
        Command(
            f"view.language_{code}", title.format(language=name), partial(set_language, code), keys, also="language"
        )
        for (code, name), keys in zip(names.items(), LANGUAGE_KEYS, strict=True)
    ]


def fill_models(actions: Actions, recent: list[str], open_model: OpenModel, menu: QMenu) -> None:
    """The models that ship, a folder, and those that were open lately."""
    menu.addActions([actions.actions[name] for name in ("model.open_built_in", "model.open_tiny")])
    for name in locations.tuned_models():
        menu.addAction(name, partial(open_model.open, name))
    menu.addAction(actions.actions["model.open_folder"])
    if recent:
        menu.addSeparator()
    for reference in recent:
        menu.addAction(shortened(reference), partial(open_model.open, reference, download=True))


def fill_steps(actions: Actions, machine: TimeMachine, menu: QMenu) -> None:
    """The stages of the open model's run, and all its snapshots."""
    steps = machine.steps
    if machine.live is not None:
        menu.addAction(actions.actions["model.follow"])
        menu.addSeparator()
    if steps is not None:
        menu.addActions([actions.actions[name] for name in ("room.film", "model.play")])
        menu.addSeparator()
        menu.addActions([actions.actions[f"model.{stage}"] for stage in steps.stages])
        menu.addSeparator()
    for step, path in reversed(steps.snapshots if steps is not None else ()):
        text = say("step {step}", step=numbers.count(step))
        menu.addAction(text, partial(machine.open_snapshot, path))
    if steps is None:
        menu.addAction(say("There are no other snapshots of this model")).setEnabled(False)


def fill_looks(chosen: str, choose: Callable[[str], object], menu: QMenu) -> None:
    """The themes. chosen: the one that is ticked."""
    names = {
        "system": say("As the system is set"),
        "light": say("Light"),
        "dark": say("Dark"),
        "contrast": say("High contrast"),
    }
    for key, name in names.items():
        action = menu.addAction(name, partial(choose, key))
        action.setCheckable(True)
        action.setChecked(key == chosen)


def fill_examples(use_example: Callable[[Example], object], menu: QMenu) -> None:
    """By the room that each is about: all of them in one list would not fit on a projector."""
    from ..state.examples import load_examples

    if translated.language() != "en":
        menu.addAction(say("The sentences are English, as the model is")).setEnabled(False)
        menu.addSeparator()
    for room in ROOMS:
        of_room = [example for example in load_examples() if example.room == room.key]
        if of_room:
            part = menu.addMenu(room.shown_title)
            for example in of_room:
                part.addAction(example.title, partial(use_example, example))


def shortened(reference: str, most: int = 60) -> str:
    """As a line of a menu; bytes that are no UTF-8, which Qt would leave out, as `\\udcff`."""
    reference = printable(reference)
    return reference if len(reference) <= most else "…" + reference[-most:]
