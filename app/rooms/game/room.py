"""Room Game: the class guesses a hidden word, then the model."""

from ..room import Room
from ..view import View, ViewSpec
from .view import GameView


class GameRoom(Room):
    """One view, which goes by the name of the room."""

    key = "game"
    specs = (ViewSpec("play", "", "", GameView),)

    def connect_view(self, view: View) -> None:
        assert isinstance(view, GameView)
        view.sentence_chosen.connect(self._write_text)

    def _write_text(self, sentence: str) -> None:
        self.state.set_text(sentence, "")
        self.state.set_masks(())
