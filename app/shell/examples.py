"""The examples that ship, in the window: their sentences, the model they are about, and what to look for."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from bertcore.locations import BUILT_IN, GERMAN, TUNED

from ..look import say
from ..state import NO_CONTRAST, ModelInfo, OtherText
from ..state.examples import Example, load_examples
from .frame import Frame
from .rooms import ROOMS
from .services import Services


class Examples(QObject):
    """What a window does with examples."""

    def __init__(
        self, services: Services, frame: Callable[[], Frame], open_view: Callable[[str, str], object], parent: QObject
    ) -> None:
        """frame: of the window, as it is now. open_view: by the keys of a room and a view."""
        super().__init__(parent)
        self._state, self._open_model = services.state, services.open_model
        self._frame, self._open_view = frame, open_view
        self._asked: int | None = None  # the number of the one that is asked about

    def use(self, example: Example) -> None:
        """Writes an example pair into the sentence bar, masks its words and opens the room it is about.

        A model that ships makes place for the one that the example is about; a person's own stays for others.
        """
        wanted, opener = example.model or BUILT_IN, self._open_model
        now = opener.newest_reference or BUILT_IN
        if now != wanted and (example.model or now in (*TUNED, GERMAN)):
            opener.open(None if wanted == BUILT_IN else wanted)
        self.write(example)
        self._asked = next((number for number, one in enumerate(load_examples()) if one == example), None)
        self._ask(example)
        views = next(room for room in ROOMS if room.key == example.room).view_keys
        self._open_view(example.room, example.view or views[0])  # the first is the one that most examples talk about

    def suit(self, model: ModelInfo) -> None:
        """The first example in a model's language, in place of one in another language; a person's own text stays."""
        is_german = model.name == GERMAN
        others = (one.a for one in load_examples() if (one.model == GERMAN) != is_german)
        if self._state.text_a in others:
            self.write(next(one for one in load_examples() if (one.model == GERMAN) == is_german))

    def write(self, example: Example) -> None:
        """Its sentences alone."""
        if example.passage:
            self._state.set_applied_texts({"span": example.passage})
        others = {_compared_with(one) for one in load_examples() if one.other}
        if example.other or self._state.baseline in others:  # what another example has set goes with it
            self._state.set_contrast(NO_CONTRAST)
            self._state.set_baseline(_compared_with(example))
        self._state.set_text(example.a, example.b or "")
        self._state.set_mask_places(example.mask)

    def ask_again(self) -> None:
        """In the language that was chosen now."""
        question = self._frame().question
        if self._asked is not None and question.question:
            self._ask(load_examples()[self._asked], question.is_answered)

    def _ask(self, example: Example, is_answered: bool = False) -> None:
        """What to look for in an example, and what the built-in model does there."""
        about_model = example.model or BUILT_IN
        is_open = (self._open_model.newest_reference or BUILT_IN) == about_model
        answer = say(
            "{model}: {happens}" if is_open else "{model} (not open now): {happens}",
            model=about_model,
            happens=example.happens,
        )
        self._frame().show_question(example.look_for, answer, is_answered=is_answered)


def _compared_with(example: Example) -> OtherText | None:
    return OtherText(example.other, example.b or "") if example.other else None
