"""The choice of the model that a run starts from."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog

from bertcore.locations import BUILT_IN

from ...runs.run_info import RunInfo, model_name
from ...widgets.controls import Choice

MOST_RUNS = 12


class ModelChoice(Choice):
    """The built-in model, a run, or a folder. `reference` is None for the built-in one."""

    def __init__(self) -> None:
        super().__init__(QCoreApplication.translate("ModelChoice", "The model to start from"))
        self._runs: list[tuple[str, str]] = []  # name, folder
        self._folder: str | None = None
        self._fill(None)
        self.activated.connect(self._on_activated)

    @property
    def reference(self) -> str | None:
        """What was chosen: a folder, or None for the built-in model."""
        value = self.currentData()
        return value if isinstance(value, str) else None

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
        self.clear()
        self.addItem(self.tr("{model} (built in)").format(model=BUILT_IN), None)
        for name, folder in self._runs:
            self.addItem(self.tr("Run: {name}").format(name=name), folder)
        if self._folder:
            self.addItem(model_name(self._folder), self._folder)
        self.addItem(self.tr("A folder…"), False)
        self.setCurrentIndex(max(0, self.findData(chosen)) if chosen else 0)
        self._chosen = self.currentIndex()

    def _on_activated(self, index: int) -> None:
        if self.itemData(index) is not False:
            self._chosen = index
            return
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open a checkpoint or run folder"))
        if folder:
            self.set_folder(folder)
        else:
            self.setCurrentIndex(self._chosen)
