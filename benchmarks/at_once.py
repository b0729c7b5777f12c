"""What is there at once, so that nobody waits for it: each with its limit, in seconds of the processor.

Text and models are larger than what people have; a program that looked through all of it for each part would take
minutes. `tests/` ask of the same only that it is right: a time limit there would depend on the machine.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from benchmarks.offscreen import offscreen_app, open_window, wait
from benchmarks.timing import Row
from bertcore.analysis.merging import word_groups
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.config import BertConfig
from bertcore.locations import TINY, runs_folder, sample_corpus
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import QUESTIONS, RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.drawn_batches import open_batches
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions
from bertcore.training.start import start_run

ROUNDS = 5
QUESTION = {"category": "animals", "text": "The cat says [MASK].", "answers": ["meow"]}


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        return [
            _row("opening 200 layers", _opening(place), 2.0),
            _row("the batch of step 100,000, drawn again", _batch(place), 2.0),
            _row("the words of 20,000 tokens", _words(), 0.5),
            _row("pasting 10,000 words into the window", _pasting(), 2.0),
            _row("painting 100,000 points of a curve", _curve(), 0.03),
            _row("a measurement of the class demo, read and painted", _measurement(), 0.05),
        ]


def _opening(folder: Path) -> float:
    tokenizer = Tokenizer.train(["the cat sat on the mat"] * 20, 60)
    sizes: dict[str, Any] = {
        "hidden_size": 8,
        "num_attention_heads": 2,
        "intermediate_size": 8,
        "num_hidden_layers": 200,
    }
    save_checkpoint(Bert(BertConfig(vocab_size=tokenizer.vocab_size, **sizes)), tokenizer, folder / "deep")
    load_checkpoint(folder / "deep")  # imports
    return _seconds(lambda: load_checkpoint(folder / "deep"))


def _batch(folder: Path) -> float:
    training = TrainingOptions(steps=2, batch_size=8, held_out_sequences=8, causal_share=0.0)
    options = PretrainOptions(preset="tiny", data=DataOptions(corpus=(str(sample_corpus()),)), training=training)
    start_run(options, folder / "run", resume=False)
    batches = open_batches(folder / "run")
    RunFolder(folder / "run").append_metric({"kind": "train", "step": 100_000, "phase": "masked"})
    return _seconds(lambda: batches.at(100_000))


def _words() -> float:
    tokenizer = Tokenizer.train(["the cat sat on the mat"] * 20, 60)
    encoding = replace(tokenizer.encode("the"), words=[None, *(number // 2 for number in range(20_000)), None])
    return _seconds(lambda: word_groups(encoding))


def _pasting() -> float:
    with open_window(TINY) as window:
        QApplication.clipboard().setText("the cat sat on mat " * 2000)
        edit = window.frame.sentences.a
        edit.selectAll()
        found = _seconds(edit.paste)
        wait(window.is_settled)
    return found


def _curve() -> float:
    from app.widgets.curve_plot import CurvePlot
    from app.widgets.curve_specs import CurveSpec, PlotSpec

    offscreen_app()
    plot = CurvePlot(PlotSpec("Loss", (CurveSpec("loss", "loss", "curve_train"),), left_label="loss"))
    plot.resize(900, 400)
    plot.change(smoothing=0.01)
    x = np.arange(100_000.0)
    plot.set_points({"loss": (x, 8 / np.sqrt(x + 1) + np.random.default_rng(0).normal(2, 0.1, len(x)))})
    plot.show()
    wait(lambda: plot._canvas is not None)
    assert plot._canvas is not None
    view, found = plot._canvas._plot.getViewBox(), []
    for zoom in (1.0, 0.98, 0.7, 0.4, 0.1):
        view.scaleBy((zoom, 1), center=QPointF(50_000, 3))
        found.append(_seconds(plot.grab))
    return statistics.median(found)


def _measurement() -> float:
    from app.rooms.train.room import TrainRoom

    options = PretrainOptions(name="Class demo", preset="tiny", data=DataOptions(questions="asked.jsonl"))
    run = RunFolder.create(runs_folder() / "demo", options.to_dict())
    (run.path / QUESTIONS).write_text((json.dumps(QUESTION) + "\n") * 20)
    found = []
    with open_window(TINY) as window, run.acquire():
        run.write_status(state="running", step=0)
        _measure(run, 0)
        room, runs = window.open_room("train"), window.services.runs
        assert isinstance(room, TrainRoom)
        runs.refresh()
        runs.select(run.path)
        room.view.draw()
        wait(lambda: room.view.questions.plot.is_loaded)

        def read_and_paint() -> None:
            runs._poll_selected()
            room.view.draw()
            room.view.questions.repaint()

        for step in range(10, 110, 10):
            _measure(run, step)
            found.append(_seconds(read_and_paint))
    return max(found)


def _measure(run: RunFolder, step: int) -> None:
    asked = {"right": 0, "of": 20, "is_right": [False] * 20, "guesses": [[["the", 0.9], ["a", 0.1]]] * 20}
    run.append_metric({"kind": "held_out", "step": step, "loss": 9.8, "mlm_loss": 6.0, "questions": asked})


def _seconds(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def _row(what: str, seconds: float, limit_s: float) -> Row:
    said, asked = (f"{1000 * value:,.0f} ms" for value in (seconds, limit_s))
    return Row(f"{what}, processor time", said, asked, seconds / limit_s, "<= 1.0", seconds <= limit_s)
