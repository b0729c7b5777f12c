"""The choice of the model that a run starts from."""

from PySide6.QtWidgets import QFileDialog

from bertcore.locations import BUILT_IN

from ...look.say import say
from ...runs.run_info import RunInfo, model_name
from ...widgets.controls import Choice

MOST_RUNS = 12


class ModelChoice(Choice):
    """The built-in model, a run, or a folder. `reference` is None for the built-in one."""

    def __init__(self) -> None:
        super().__init__(say("The model to start from"))
        self._runs: list[tuple[str, str]] = []  # name, folder
        self._folder: str | None = None
        # Of the entries but the last. Not as their data: Qt's strings lose what is no UTF-8 in the name of a folder.
        self._references: list[str | None] = []
        self._chosen = 0
        self._fill(None)
        self.activated.connect(self._on_activated)

    @property
    def reference(self) -> str | None:
        """What was chosen: a folder, or None for the built-in model."""
        index = self.currentIndex()
        return self._references[index] if 0 <= index < len(self._references) else None

    def set_runs(self, runs: list[RunInfo]) -> None:
        """Runs whose newest snapshot can be started from."""
        found = [(run.name, str(run.path)) for run in runs if not run.is_built_in and run.status.step > 0][:MOST_RUNS]
        if found != self._runs:
            self._runs = found
            self._fill(self.reference)

    def set_folder(self, folder: str | None) -> None:
        """Starts from the checkpoint in this folder, or from the built-in model."""
        self._folder = folder
        self._fill(folder)

    def _fill(self, chosen: str | None) -> None:
        named: list[tuple[str, str | None]] = [(say("{model} (built in)", model=BUILT_IN), None)]
        named += [(say("Run: {name}", name=name), folder) for name, folder in self._runs]
        named += [(model_name(self._folder), self._folder)] if self._folder else []
        self._references = [reference for _, reference in named]
        self.clear()
        self.addItems([*(name for name, _ in named), say("A folder…")])
        self._chosen = self._references.index(chosen) if chosen in self._references else 0
        self.setCurrentIndex(self._chosen)

    def _on_activated(self, index: int) -> None:
        if index < len(self._references):
            self._chosen = index
            return
        folder = QFileDialog.getExistingDirectory(self, say("Open a checkpoint or run folder"))
        if folder:
            self.set_folder(folder)
        else:
            self.setCurrentIndex(self._chosen)
