"""Goes through all that a window can show, and asks of each place what is wrong with its words.

python -m tests.app.layout_walk MODEL_FOLDER normal|projector

prints the faults as JSON, at the scale that QT_SCALE_FACTOR gives: a process has one for all its life.
"""

import json
import sys

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from app.compute.question import Question
from app.look import language, theme
from app.rooms.room import Room
from app.runs.run_kinds import RUN_KINDS
from app.shell.rooms import ROOMS, open_view
from app.shell.services import Services
from app.shell.window import Window
from app.widgets.curve_plot import CurvePlot
from bertcore import locations
from bertcore.runs.run_folder import RunFolder
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import PretrainOptions
from tests.app.conftest import TEXT_A, TEXT_B, wait_until
from tests.app.layout_check import faults

SIZE = QSize(1280, 720)
LABELS = ("entailment", "contradiction", "neither of the two")


def cut_words(window):
    """What is cut off or squeezed; the window must not have grown either."""
    return faults(window, SIZE)


def is_drawn(window):
    """The open room shows the state's reading, whole: no question waits for its pause, every plot is there."""
    room = window.frame.room
    return (
        window.is_settled()
        and (not isinstance(room, Room) or room.is_drawn)
        and not any(question.is_waiting for question in room.findChildren(Question))
        and all(plot.is_loaded for plot in room.findChildren(CurvePlot) if plot.isVisible())
    )


def walk(window, rooms=tuple(room.key for room in ROOMS), inspect=cut_words, size=SIZE):
    """Place -> what `inspect` finds wrong there, for every room and view. Places without faults are left out."""
    window.resize(size)
    window.state.set_focus(2)
    found = {}
    for room_key in rooms:
        window.state.set_masks([2, 12] if room_key == "predict" else [])
        for view in next(spec for spec in ROOMS if spec.key == room_key).view_keys:
            room = window.open_room(room_key)
            open_view(room, view)
            wait_until(lambda: is_drawn(window))
            found[f"{room_key} {view}".strip()] = inspect(window)
    return {place: wrong for place, wrong in found.items() if wrong}


def walk_train(window, inspect=cut_words, size=SIZE):
    """The room Train with each of the runs that are there, and with the form of each kind of run."""
    window.resize(size)
    room = window.open_room("train")
    found = {}
    for path in [run.path for run in window.services.runs.runs]:
        window.services.runs.select(path)
        for button in (room.view.buttons[room.view.curves], room.view.buttons[room.view.result]):
            if button.isVisible() and button.isEnabled():
                button.click()
            wait_until(lambda: all(plot.is_loaded for plot in room.findChildren(CurvePlot)))
            found[f"run {path.name}, {button.text()}"] = inspect(window)
    room.runs_card.show_form()
    for kind in RUN_KINDS:
        room.form.set_kind(kind.key)
        found[f"form {kind.key}"] = inspect(window)
    room.runs_card.show_list()
    return {place: wrong for place, wrong in found.items() if wrong}


def write_runs():
    """One run of each sort that the room Train shows: words learned, with a warm-up, and a task, with its result."""
    rng, runs = np.random.default_rng(0), locations.home() / "runs"
    words = RunFolder.create(runs / "stories", PretrainOptions(name="stories", preset="tiny").to_dict())
    words.append_metric({"kind": "phase", "step": 1, "phase": "causal", "message": "warm-up"})
    for step in range(1, 41):
        if step == 15:
            words.append_metric({"kind": "phase", "step": step, "phase": "masked", "message": "masked"})
        words.append_metric(_words_line(step, float(rng.normal(6, 0.3))))
        if step % 10 == 0:
            measured = {"mlm_loss": 6.0, "mlm_accuracy": 0.254, "nsp_accuracy": 0.6}
            words.append_metric({"kind": "held_out", "step": step, "loss": 9.8, **measured})
    words.write_status(state="done", step=40, fraction=1.0, elapsed_s=60.0)
    data = TaskDataOptions(task="classify", train="train.tsv")
    task = RunFolder.create(runs / "reviews", FinetuneOptions(name="reviews of films", data=data).to_dict())
    for step in range(1, 21):
        line = {"kind": "train", "step": step, "loss": 1 / step, "classify_loss": 1 / step, "phase": "task"}
        task.append_metric({**line, "learning_rate": 1e-4, "gradient_norm": 1.0, "tok_per_s": 500.0})
    task.append_metric({"kind": "held_out", "step": 20, "loss": 0.875, "accuracy": 0.75, "f1": 0.5})
    task.write_status(state="done", step=20, total_steps=20, fraction=1.0)
    (task.path / "evaluation.json").write_text(json.dumps(_evaluation()))
    for run in (words, task):
        for step in (0, 10, 20):
            with run.begin_snapshot(step) as folder:
                (folder / "config.json").write_text("{}")
                (folder / "model.safetensors").write_bytes(b"x" * 2_500)


def _words_line(step, loss):
    line = {"kind": "train", "step": step, "loss": loss, "learning_rate": 1e-3 / step, "gradient_norm": 1.5}
    line |= {"tok_per_s": 12_345.6, "next_word_loss": None, "mlm_loss": None}
    if step < 15:
        return {**line, "phase": "causal", "next_word_loss": loss}
    return {**line, "phase": "masked", "mlm_loss": loss, "mlm_accuracy": step / 80, "nsp_accuracy": 0.5}


def _evaluation():
    example = {"text_a": TEXT_A, "text_b": TEXT_B}
    return {
        "metrics": {"accuracy": 0.75, "f1": 0.5},
        "count": 400,
        "labels": list(LABELS),
        "confusion": [[120, 3, 7], [1, 95, 12], [20, 11, 131]],
        "best": [{"example": example, "right": LABELS[0], "given": LABELS[0], "loss": 0.01}],
        "worst": [{"example": example, "right": LABELS[0], "given": LABELS[2], "loss": 3.25}],
    }


def main(folder, look):
    app = QApplication([])
    app.setStyle("Fusion")
    theme.register_fonts()
    language.install(app)
    services = Services(app, remembers=False)
    services.settings.projector = look == "projector"
    theme.apply(app, "light", theme.PROJECTOR_SCALE if services.settings.projector else 1.0)
    window = Window(services, folder)
    window.show()
    wait_until(lambda: window.state.reading is not None)
    window.state.set_text(TEXT_A, TEXT_B)
    said = {"faults": walk(window), "scale": window.devicePixelRatioF(), "pixels": window.grab().width()}
    window.close()
    services.close()
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
