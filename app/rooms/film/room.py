"""Room Film strip: a run's snapshots side by side."""

from collections.abc import Callable

from PySide6.QtCore import Signal

from ...runs.stages import Steps
from ..room import Room
from ..view import View, ViewSpec
from .view import FilmView


class FilmRoom(Room):
    """One view, which goes by the name of the room."""

    snapshot_requested = Signal(object)  # Path: to be opened in every room
    steps: Callable[[], Steps | None]  # those of the open model's run

    key = "film"
    specs = (ViewSpec("strip", "", "", FilmView),)

    def connect_view(self, view: View) -> None:
        assert isinstance(view, FilmView)
        view.texts = self.state.applied_texts
        view.snapshot_chosen.connect(self.snapshot_requested)
        view.model_requested.connect(self.model_requested)

    def follow_steps(self) -> None:
        """Another model is open, or its run has another snapshot."""
        view = self.view
        assert isinstance(view, FilmView)
        view.steps = self.steps()
        if self.is_drawn and self.state.reading is not None:
            self.draw_reading(self.state.reading)
