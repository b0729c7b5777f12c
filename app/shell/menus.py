"""What the menus in the title bar hold, written anew each time one opens; and the list of everything, Ctrl+K."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from bertcore.locations import BUILT_IN, tuned_models

from ..compute.open_model import OpenModel
from ..lessons.shipped import shipped_lessons
from ..look import numbers, translated
from ..look.fitting import shown_reference
from ..look.say import say
from ..runs.stages import reference_to
from ..state.examples import Example, load_examples
from ..state.explore_state import ExploreState
from ..state.glossary import load_glossary
from ..widgets.command_list import Entry
from ..widgets.title_bar import Fill
from .commands import MENUS, Actions, Commanded
from .examples import Examples
from .rooms import ROOMS

ORDER = ("room", "text", "view", "edit", "file", "model", "compare", "lesson")  # what is wanted most comes first
HEAD = re.compile(r"\s*(\d+)\s*[.·, ]\s*(\d+)\s*")
LOOKS = ("system", "light", "dark", "contrast")


class Listed(Commanded, Protocol):
    """What menus need of the window besides."""

    actions_: Actions
    examples: Examples

    def open_view(self, room_key: str, view_key: str, /) -> None: ...
    def show_word(self, key: str, /) -> None: ...


def menus_of(window: Listed) -> dict[str, Fill]:
    """Menu -> what writes it."""
    more = {"compare": partial(fill_comparison, window), "lesson": partial(fill_lessons, window)}
    return {
        "models": lambda menu: fill_models(window.actions_, window.services.open_model, _recent(window), menu),
        "steps": partial(fill_steps, window),
        "lessons": partial(fill_all_lessons, window),
        "examples": partial(fill_examples, window.examples.use),
        "commands": lambda menu: window.actions_.fill(menu, more),
        "looks": partial(fill_looks, window),
        "baselines": more["compare"],
    }


def _recent(window: Commanded) -> list[str]:
    return window.services.settings.recent_models


def _switch(menu: QMenu, title: str, run: Callable[[], object], is_on: bool) -> None:
    action = menu.addAction(title, run)
    action.setCheckable(True)
    action.setChecked(is_on)


def fill_models(actions: Actions, open_model: OpenModel, recent: Iterable[str], menu: QMenu) -> None:
    """The models that ship, a folder, and those that were open lately."""
    menu.addActions([actions.actions[name] for name in ("model.open_built_in", "model.open_tiny")])
    for name in tuned_models():
        menu.addAction(name, partial(open_model.open, name))
    menu.addAction(actions.actions["model.open_folder"])
    for number, reference in enumerate(recent):
        if not number:
            menu.addSeparator()
        menu.addAction(shown_reference(reference), partial(open_model.open, reference, download=True))


def fill_steps(window: Listed, menu: QMenu) -> None:
    """The stages of the open model's run, and all its snapshots."""
    machine, actions = window.services.time_machine, window.actions_.actions
    steps = machine.steps
    if machine.live is not None:
        menu.addAction(actions["model.follow"])
        menu.addSeparator()
    if steps is not None:
        for names in (("room.film", "model.play"), tuple(f"model.{stage}" for stage in steps.stages)):
            menu.addActions([actions[name] for name in names])
            menu.addSeparator()
    _fill_snapshots(menu, steps.snapshots if steps is not None else (), machine.open_snapshot)


def _fill_snapshots(menu: QMenu, snapshots: Iterable[tuple[int, Path]], choose: Callable[[Path], object]) -> None:
    """The newest first."""
    found = list(snapshots)
    for step, folder in reversed(found):
        menu.addAction(say("step {step}", step=numbers.count(step)), partial(choose, folder))
    if not found:
        menu.addAction(say("There are no other snapshots of this model")).setEnabled(False)


def fill_looks(window: Commanded, menu: QMenu) -> None:
    """The themes."""
    titles = (say("As the system is set"), say("Light"), say("Dark"), say("High contrast"))
    for look, title in zip(LOOKS, titles, strict=True):
        _switch(menu, title, partial(window.appearance.set_look, look), look == window.services.settings.theme)


def fill_examples(use_example: Callable[[Example], object], menu: QMenu) -> None:
    """By the room that each is about: all of them in one list would not fit on a projector."""
    if translated.language() != "en":
        menu.addAction(say("The sentences are English, as the model is")).setEnabled(False)
        menu.addSeparator()
    for room in ROOMS:
        of_room = [example for example in load_examples() if example.room == room.key]
        part = menu.addMenu(room.shown_title) if of_room else menu
        for example in of_room:
            part.addAction(example.title, partial(use_example, example))


def fill_lessons(window: Commanded, menu: QMenu) -> None:
    """Those that ship."""
    for lesson in shipped_lessons():
        named: dict[str, Any] = {"number": lesson.number, "title": lesson.title, "minutes": lesson.minutes}
        title = say("{number}. {title} ({minutes} min)" if lesson.number else "{title} ({minutes} min)", **named)
        menu.addAction(title, partial(window.lessons.open, lesson.file)).setToolTip(lesson.summary)
        if not lesson.number:
            menu.addSeparator()


def fill_all_lessons(window: Listed, menu: QMenu) -> None:
    """Those that ship, and what else there is for a class."""
    fill_lessons(window, menu)
    menu.addSeparator()
    menu.addActions([window.actions_.actions[f"lesson.{name}"] for name in ("game", "open", "collect")])


def fill_comparison(window: Commanded, menu: QMenu) -> None:
    """What everything can be compared with now."""
    state, comparison = window.state, window.comparison
    unchanged = say("The unchanged model")
    _switch(menu, unchanged, comparison.end, bool(state.what_if) and state.baseline is None)
    menu.actions()[-1].setEnabled(bool(state.what_if))
    menu.actions()[-1].setToolTip(say("Change something inside first: switch a head off in Attend, for example"))
    steps, model = window.services.time_machine.steps, state.model
    others = [one for one in (steps.snapshots if steps else ()) if model is None or one[0] != model.step]
    earlier = menu.addMenu(say("An earlier step of its training"))
    _fill_snapshots(earlier, others, lambda folder: comparison.with_model(reference_to(folder)))
    models = menu.addMenu(say("Another model"))
    for reference in comparison.models():
        models.addAction(shown_reference(reference or BUILT_IN), partial(comparison.with_model, reference))
    models.addSeparator()
    models.addAction(say("Open folder…"), comparison.ask_for_model)
    menu.addAction(say("Another text…"), comparison.ask_for_text)
    if state.baseline is not None or state.what_if:
        menu.addSeparator()
        _switch(menu, say("Show the difference"), comparison.toggle_difference, state.wants_difference)
    if state.baseline is not None:
        menu.addAction(say("Swap with the baseline"), comparison.swap)
        menu.addAction(say("End the comparison"), comparison.end)


# The list of everything.


def entries_of(window: Listed) -> list[Entry]:
    """Commands that would do something now, views, examples, lessons, words, and models to compare with or to open."""
    native = QKeySequence.SequenceFormat.NativeText
    actions, opener, comparison = window.actions_, window.services.open_model, window.comparison
    commands = sorted(actions.commands.values(), key=lambda command: ORDER.index(command.menu))
    found = [
        Entry(action.text(), say(MENUS[one.menu]), action.trigger, action.shortcut().toString(native), one.also)
        for one in commands
        if (action := actions.actions[one.id]).isEnabled() and one.id != "view.palette"
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
    return [*found, *model_entries(_recent(window), opener)]


def model_entries(recent: Iterable[str], open_model: OpenModel) -> list[Entry]:
    """The fine-tuned ones that ship, and those that were open lately."""
    names = (*tuned_models(), *recent)
    open_ = partial(open_model.open, download=True)
    return [Entry(shown_reference(name), say(MENUS["model"]), partial(open_, name)) for name in names]


def head_entries(state: ExploreState, open_room: Callable[[str], object], typed: str) -> list[Entry]:
    """`3.4` goes to layer 3, head 4, where the open model has them."""
    model, found = state.model, HEAD.fullmatch(typed)
    if model is None or found is None:
        return []
    layer, head = int(found[1]), int(found[2])
    if not (1 <= layer <= model.layers and 1 <= head <= model.heads):
        return []

    def go() -> None:
        state.set_head(layer - 1, head - 1)
        open_room("attend")

    return [Entry(say("Layer {layer}, head {head}", layer=layer, head=head), say("Head"), go)]
