"""What the menus in the title bar hold, written anew each time one opens; and the list of everything, Ctrl+K."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from bertcore.locations import BUILT_IN, tuned_models

from ..lessons.shipped import shipped_lessons
from ..look import numbers, say, theme, translated
from ..look.fitting import fitting_line, shown_reference
from ..runs.stages import Steps, reference_to
from ..state.examples import load_examples
from ..state.glossary import load_glossary
from ..widgets.command_list import Entry
from ..widgets.title_bar import Fill
from .commands import MENUS, Commanded
from .rooms import ROOMS
from .settings import THEMES

ORDER = ("room", "text", "view", "edit", "file", "model", "compare", "lesson")  # what is wanted most comes first
MOST_RUNS = 8  # in the menu of models
FIRST_FURTHER_LESSON = 11  # in a menu of its own
HEAD = re.compile(r"\s*(\d+)\s*[.·, ]\s*(\d+)\s*")


def menus_of(window: Commanded) -> dict[str, Fill]:
    """Menu -> what writes it."""
    fills = {
        "models": fill_models,
        "steps": fill_steps,
        "lessons": fill_lessons,
        "examples": fill_examples,
        "commands": fill_commands,
        "looks": fill_looks,
        "baselines": fill_comparison,
    }
    return {name: partial(fill, window) for name, fill in fills.items()}


def fill_commands(window: Commanded, menu: QMenu) -> None:
    """All commands, menu by menu; where there is more to choose than commands, that comes first."""
    fuller = {"compare": fill_comparison, "lesson": _fill_shipped_lessons}
    for name, title in MENUS.items():
        part = menu.addMenu(say(title))
        if name in fuller:
            fuller[name](window, part)
            part.addSeparator()
            part = part.addMenu(say("More"))
        part.addActions([command for command in window.commands.values() if command.menu_key == name])


def _add_switch(menu: QMenu, title: str, run: Callable[[], object], is_on: bool) -> None:
    action = menu.addAction(title, run)
    action.setCheckable(True)
    action.setChecked(is_on)


def fill_models(window: Commanded, menu: QMenu) -> None:
    """The models that ship, those of own runs, a folder, and those that were open lately."""
    open_model, recent = window.services.open_model, window.services.settings.recent_models
    menu.addActions([window.commands[name] for name in ("model.open_built_in", "model.open_tiny", "model.open_german")])
    for name in tuned_models():
        menu.addAction(name, partial(open_model.open, name))
    menu.addAction(window.commands["model.open_folder"])
    window.services.runs.refresh()
    runs = [run for run in window.services.runs.runs if not run.is_built_in and run.status.step > 0][:MOST_RUNS]
    menu.addSeparator()
    for run in runs:  # each as it ends: its best step, or the newest
        menu.addAction(say("Run: {name}", name=fitting_line(run.name)), partial(open_model.open, run.path))
    if recent:
        menu.addSeparator()
    for reference in recent:
        menu.addAction(shown_reference(reference), partial(open_model.open, reference, download=True))


def fill_steps(window: Commanded, menu: QMenu) -> None:
    """The stages of the open model's run, and all its snapshots."""
    machine, commands = window.services.time_machine, window.commands
    if machine.live is not None:
        menu.addAction(commands["model.follow"])
        menu.addSeparator()
    if machine.steps is not None:
        for names in (("room.film", "model.play"), tuple(f"model.{stage}" for stage in machine.steps.stages)):
            menu.addActions([commands[name] for name in names])
            menu.addSeparator()
    _fill_snapshots(menu, machine.steps, machine.open_snapshot)


def _fill_snapshots(
    menu: QMenu, steps: Steps | None, choose: Callable[[Path], object], besides: int | None = None
) -> None:
    """The newest first. besides: the step of one that is left out."""
    found = [one for one in (steps.snapshots if steps is not None else ()) if besides is None or one[0] != besides]
    for step, folder in reversed(found):
        menu.addAction(say("step {step}", step=numbers.count(step)), partial(choose, folder))
    if not found:
        menu.addAction(say("There are no other snapshots of this model")).setEnabled(False)


def fill_looks(window: Commanded, menu: QMenu) -> None:
    """The themes."""
    titles = (say("As the system is set"), say("Light"), say("Dark"), say("High contrast"))
    for look, title in zip(THEMES, titles, strict=True):
        _add_switch(menu, title, partial(window.appearance.set_look, look), look == window.services.settings.theme)


def fill_examples(window: Commanded, menu: QMenu) -> None:
    """By the room that each is about: all of them in one list would not fit on a projector."""
    if translated.language() != "en":
        menu.addAction(say("The sentences are English, as the model is")).setEnabled(False)
        menu.addSeparator()
    for room in ROOMS:
        of_room = [example for example in load_examples() if example.room == room.key]
        part = menu.addMenu(room.shown_title) if of_room else menu
        for example in of_room:
            part.addAction(example.title, partial(window.examples.use, example))


def fill_lessons(window: Commanded, menu: QMenu) -> None:
    """Those that ship, and what else there is for a class."""
    _fill_shipped_lessons(window, menu)
    menu.addSeparator()
    menu.addActions([window.commands[f"lesson.{name}"] for name in ("game", "open", "insert", "collect")])
    if theme.is_projector():
        fill_examples(window, menu.addMenu(say("Examples")))


def _fill_shipped_lessons(window: Commanded, menu: QMenu) -> None:
    """All of them in one list would not fit on a projector."""
    for lesson in shipped_lessons():
        if lesson.number == FIRST_FURTHER_LESSON:
            menu = menu.addMenu(say("Lessons from {number} on", number=lesson.number))
        named: dict[str, Any] = {"number": lesson.number, "title": lesson.title, "minutes": lesson.minutes}
        title = say("{number}. {title} ({minutes} min)" if lesson.number else "{title} ({minutes} min)", **named)
        menu.addAction(title, partial(window.lessons.open, lesson.file)).setToolTip(lesson.summary)
        if not lesson.number:
            menu.addSeparator()


def fill_comparison(window: Commanded, menu: QMenu) -> None:
    """What everything can be compared with now."""
    state, comparison = window.state, window.comparison
    _add_switch(menu, say("The unchanged model"), comparison.end, bool(state.what_if) and state.baseline is None)
    menu.actions()[-1].setEnabled(bool(state.what_if))
    menu.actions()[-1].setToolTip(say("Change something inside first: switch a head off in Attend, for example"))
    earlier = menu.addMenu(say("An earlier step of its training"))
    own_step = state.model.step if state.model is not None else None
    steps = window.services.time_machine.steps
    _fill_snapshots(earlier, steps, lambda folder: comparison.with_model(reference_to(folder)), besides=own_step)
    models = menu.addMenu(say("Another model"))
    for reference in comparison.models():
        models.addAction(shown_reference(reference or BUILT_IN), partial(comparison.with_model, reference))
    models.addSeparator()
    models.addAction(say("Open folder…"), comparison.ask_for_model)
    menu.addAction(say("Another text…"), comparison.ask_for_text)
    if state.baseline is not None or state.what_if:
        menu.addSeparator()
        _add_switch(menu, say("Show the difference"), comparison.toggle_difference, state.wants_difference)
    if state.baseline is not None:
        menu.addAction(say("Swap with the baseline"), comparison.swap)
        menu.addAction(say("End the comparison"), comparison.end)


# The list of everything.


def entries_of(window: Commanded) -> list[Entry]:
    """Commands that would do something now, views, examples, lessons, words, and models to compare with or to open."""
    native, comparison = QKeySequence.SequenceFormat.NativeText, window.comparison
    commands = sorted(window.commands.values(), key=lambda command: ORDER.index(command.menu_key))
    found = [
        Entry(one.text(), say(MENUS[one.menu_key]), one.trigger, one.shortcut().toString(native), one.also)
        for one in commands
        if one.isEnabled() and one.key != "view.palette"
    ]
    for room in ROOMS:
        for view in room.views:
            run = partial(window.open_view, room.key, view.key)
            found.append(Entry(view.shown_title, room.shown_title, run, also=view.shown_hint))
    for example in load_examples():
        found.append(Entry(example.title, say("Example"), partial(window.examples.use, example)))
    for lesson in shipped_lessons():
        found.append(Entry(lesson.title, say("Lesson"), partial(window.lessons.open, lesson.file), also=lesson.summary))
    for card in load_glossary().values():
        found.append(Entry(card.title, say("Word"), partial(window.show_word, card.key), also=" ".join(card.forms)))
    for reference in comparison.models():
        title = say("Compare with {model}", model=shown_reference(reference or BUILT_IN))
        found.append(Entry(title, say("Compare"), partial(comparison.with_model, reference)))
    open_model = partial(window.services.open_model.open, download=True)
    for name in (*tuned_models(), *window.services.settings.recent_models):
        found.append(Entry(shown_reference(name), say(MENUS["model"]), partial(open_model, name)))
    return found


def head_entries(window: Commanded, typed: str) -> list[Entry]:
    """`3.4` goes to layer 3, head 4, where the open model has them."""
    model, found = window.state.model, HEAD.fullmatch(typed)
    if model is None or found is None:
        return []
    layer, head = int(found[1]), int(found[2])
    if not (1 <= layer <= model.layers and 1 <= head <= model.heads):
        return []

    def go() -> None:
        window.state.set_head(layer - 1, head - 1)
        window.open_room("attend")

    return [Entry(say("Layer {layer}, head {head}", layer=layer, head=head), say("Head"), go)]
