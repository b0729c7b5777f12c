"""The demos for a class: runs that start with one button and succeed, and the finished one for slow machines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QPushButton, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import CLASS_DEMO, assets
from bertcore.runs.known_runs import is_run
from bertcore.training.pretrain_options import PretrainOptions

from ....look.say import mark, say
from ....runs.process import RunCommand
from ....runs.run_info import RunInfo
from ....runs.run_state import RunState
from ....widgets.card import button, label
from ....widgets.layouts import fill, vbox

BETWEEN_PX = 8  # a demo and the next


@dataclass(frozen=True)
class Demo:
    """A recipe in assets/recipes; the text it learns from, and its questions, have a name in common."""

    recipe: str
    text: str
    title: str
    sentence: str

    def command(self) -> RunCommand:
        """The run to start. Raises BertcoreError where one of its files is missing or damaged."""
        options = PretrainOptions.from_file(assets() / "recipes" / f"{self.recipe}.json")
        corpus, questions = assets() / "corpus" / f"{self.text}.txt", assets() / "evaluation" / f"{self.text}.jsonl"
        for file in (corpus, questions):
            if not file.is_file():
                raise BertcoreError(say("The file {file} is missing; install BERTscope again.", file=file))
        return RunCommand(options.with_changes(corpus=(str(corpus),), questions=str(questions)))


DEMOS = (
    Demo(
        CLASS_DEMO,
        "small-world",
        mark("Class demo"),
        mark("A tiny model learns about eight people from scratch, in about a minute."),
    ),
    Demo(
        "ten-seconds",
        "mirror",
        mark("Ten-second demo"),
        mark("A row of letters and its mirror image: one head finds out which letter to copy."),
    ),
)


def finished_demo() -> Path | None:
    """The finished class demo that ships."""
    run = (assets() / "runs" / CLASS_DEMO).resolve()
    return run if is_run(run) else None


class DemoPanel(QWidget):
    """A sentence and a button for each demo, and a button that opens the finished class demo."""

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        layout = vbox(parent=self, gap_px=4)
        self.buttons: list[QPushButton] = []
        for demo in DEMOS:
            self.buttons.append(
                button(say(demo.title), partial(self.start, demo), look="" if self.buttons else "primary")
            )
            fill(layout, label(say(demo.sentence), "muted", wrap=True), self.buttons[-1])
            if demo.recipe == CLASS_DEMO and (finished := finished_demo()) is not None:
                hint = say("The same run, already trained: for a computer that is too slow")
                fill(layout, button(say("Open the finished one"), partial(state.choose, finished), hint=hint))
            fill(layout, BETWEEN_PX)
        state.runs_changed.connect(self._show_runs)
        self._show_runs(state.runs)

    def start(self, demo: Demo) -> None:
        try:
            self._state.start_requested.emit(demo.command())
        except BertcoreError as error:
            self._state.problem_found.emit(str(error))

    def _show_runs(self, runs: list[RunInfo]) -> None:
        """Two runs at once would both take twice as long."""
        is_free = not any(run.status.state in ("starting", "running") for run in runs)
        busy = say("Wait until the run is done, or stop it: two at once take twice as long.")
        for made, demo in zip(self.buttons, DEMOS, strict=True):
            made.setEnabled(is_free)
            made.setToolTip(say(demo.sentence) if is_free else busy)
