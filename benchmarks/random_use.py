"""Types, clicks and switches at random for minutes, and says what that left behind: `python -m benchmarks.random_use`.

A window of its own, offscreen. Exits with 1 where something went wrong or was left over.
"""

from __future__ import annotations

import faulthandler
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.left_over import Census, Complaints, left_over, take_census
from benchmarks.random_person import Condition, Life, RandomPerson

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.shell.services import Services
    from app.shell.window import Window

TEXT_A, TEXT_B = "The cat sat on the mat, for it was warm.", "The dog was happy to see it there."
PATIENCE_S = 120.0  # for what is waited for
QUIET_S = 3.0  # the window collects garbage and gives memory back meanwhile
LOOKS = 10  # so many times stock is taken on the way
UNEXPECTED = ("Something unexpected", "There is not enough memory")  # as app.compute.errors begins such sentences


def main(
    minutes: Annotated[float, typer.Option(help="How long.")] = 10.0,
    seed: Annotated[int, typer.Option(help="The same seed does the same, as far as time allows.")] = 1,
    most_memory: Annotated[float, typer.Option(help="At the end, as a multiple of the start.")] = 1.10,
    walks: Annotated[int, typer.Option(help="Through all rooms before the start.")] = 2,
    model: Annotated[str | None, typer.Option(help="That is looked at first; if not given, the built-in one.")] = None,
) -> None:
    faulthandler.enable()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BERTSCOPE_HOME"] = os.environ["HOME"] = folder
        problems, services = _use(Path(folder), minutes, seed, most_memory, walks, model)
    for problem, times in Counter(problems).items():
        print(f"FAILED: {problem}" + f" ({times} times)" * (times > 1))
    print("Nothing went wrong and nothing is left over." if not problems else f"{len(problems)} problems.", flush=True)
    from app.shell.program import leave

    leave(services, 1 if problems else 0)


def _use(
    folder: Path, minutes: float, seed: int, most_memory: float, walks: int, model: str | None
) -> tuple[list[str], Services]:
    """The window from its first paint to its end; returns what was wrong, and the services, which are closed."""
    from app.shell.services import Services
    from app.shell.window import Window
    from benchmarks.offscreen import offscreen_app

    complaints = Complaints()
    models = other_models(folder)
    services = Services(offscreen_app())
    window = Window(services, model)
    window.show()
    stay = _Stay(window, RandomPerson(window, models, folder, seed), complaints, minutes * 60, walks, model)
    stay.run()
    window.close()
    if not services.close():
        complaints.add("the worker did not end")
    complaints.close()
    return [*complaints.said, *stay.problems(most_memory)], services


class _Stay:
    """Goes through all rooms, takes stock, lets the person act, goes through all rooms again, takes stock again."""

    def __init__(
        self,
        window: Window,
        person: RandomPerson,
        complaints: Complaints,
        seconds: float,
        walks: int,
        model: str | None,
    ) -> None:
        from PySide6.QtCore import QTimer

        self._window, self._person, self._complaints = window, person, complaints
        self._seconds, self._walks, self._model = seconds, walks, model
        self._said: Counter[str] = Counter()
        self._start: Census | None = None
        self._end: Census | None = None
        self._watch_errors()
        self._life = self._live()
        self._waits_for: Condition | None = None
        self._waits_until = 0.0
        self._timer = QTimer(window)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    def run(self) -> None:
        """In the event loop of the program, as a person would."""
        from PySide6.QtWidgets import QApplication

        self._timer.start(0)
        QApplication.exec()

    def problems(self, most_memory: float) -> list[str]:
        if self._start is None or self._end is None:
            return ["it did not come to its end"]
        return left_over(self._start, self._end, most_memory)

    def _watch_errors(self) -> None:
        from app.runs import service as runs
        from bertcore.errors import BertcoreError

        def no_run(*_: object) -> None:
            raise BertcoreError("No run is started here.")  # it would take the cores, and outlive this program

        runs.RunChild = no_run  # type: ignore[assignment, misc]
        services = self._window.services
        services.errors.reported.connect(self._complaints.add)
        for signal in (services.inference.failed, services.reader.failed, services.open_model.failed):
            signal.connect(self._on_sentence)
        services.state.problem_found.connect(self._on_sentence)

    def _on_sentence(self, sentence: str) -> None:
        self._said[sentence] += 1
        if sentence.startswith(UNEXPECTED):
            self._complaints.add(sentence)

    def _live(self) -> Life:
        window = self._window
        yield lambda: window.state.reading is not None
        for _ in range(self._walks):
            yield from self._come_home()
        self._start = take_census()
        print(_described("at the start", self._start), flush=True)
        yield from self._act()
        done = self._person.done
        print(f"{done.total():,} actions: " + ", ".join(f"{name} {n}" for name, n in done.most_common()), flush=True)
        yield from self._come_home()
        self._end = take_census()
        print(_described("at the end", self._end), flush=True)
        for sentence, times in self._said.most_common(8):
            print(f"said to the person {times} times: {sentence[:160]}")

    def _act(self) -> Life:
        """Says now and then how it is."""
        began, looks = time.monotonic(), 0
        while (passed := time.monotonic() - began) < self._seconds:
            yield from self._person.act()
            if passed > (looks + 1) * self._seconds / LOOKS:
                looks += 1
                print(_described(f"after {passed:.0f} s", take_census()), flush=True)

    def _come_home(self) -> Life:
        """Everything as it was at first, in a frame built anew, after a walk through every room and page."""
        from PySide6.QtWidgets import QApplication

        from app.shell.rooms import ROOMS, open_view
        from app.state.what_if import NOTHING_CHANGED
        from app.widgets.presenting import BlankScreen, PointerRing

        window, state = self._window, self._window.state
        inference = window.services.inference
        while (above := QApplication.activePopupWidget() or QApplication.activeModalWidget()) is not None:
            above.close()
            yield 0
        window.lessons.close()
        window.toggle_ring()  # made with the blank screen when it is wanted first, and kept by the window
        for above in (*window.findChildren(PointerRing), *window.findChildren(BlankScreen)):
            above.hide()
        for other in QApplication.topLevelWidgets():  # speaker notes, the answers of a class
            if other is not window and other.isVisible():
                other.close()
        window.resize(1440, 900)
        window.open_model(self._model)
        yield lambda: not window.services.open_model.is_opening and not inference.is_busy
        window.open_room("embed")
        state.set_token_view(words=False, specials=True)
        state.set_what_if(NOTHING_CHANGED)
        state.set_head(0, 0)
        state.set_text(TEXT_A, TEXT_B)
        state.set_masks((3, 9))
        state.set_focus(None)
        yield lambda: not inference.is_busy
        state.kept.clear()  # what rooms would find again, as sentences that were typed there
        window.appearance.set_look("light", projector=True)
        window.appearance.set_look("light", projector=False)
        yield 0.2
        for spec in ROOMS:
            room = window.open_room(spec.key)
            for view in spec.view_keys:
                open_view(room, view)
                yield 0.05
                yield lambda room=room: not inference.is_busy and _is_complete(room)  # type: ignore[misc]
            open_view(room, spec.view_keys[0])
        window.open_room("embed")
        window.frame.banner.dismiss()
        yield lambda: not inference.is_busy
        yield QUIET_S

    def _go_on(self) -> None:
        """The next thing, as soon as what is waited for is there."""
        from PySide6.QtWidgets import QApplication

        if self._waits_for is not None and not self._waits_for():
            if time.monotonic() > self._waits_until:
                self._complaints.add(f"the window was not done after {PATIENCE_S:.0f} s")
                self._waits_for = None
            self._timer.start(5)
            return
        try:
            wish = next(self._life)
        except StopIteration:
            QApplication.quit()
            return
        except Exception:
            QApplication.quit()
            raise
        if callable(wish):
            self._waits_for, self._waits_until = wish, time.monotonic() + PATIENCE_S
            self._timer.start(1)
        else:
            self._waits_for = None
            self._timer.start(round(wish * 1000))


def _is_complete(room: QWidget) -> bool:
    """The curves of Train come one after the other."""
    from app.rooms.train.room import TrainRoom

    return not isinstance(room, TrainRoom) or all(plot.is_loaded for plot in room.view.curves.plots)


def other_models(folder: Path) -> list[Path]:
    """Small random ones: no segments, shared layers with another verdict on pairs, an encoder without any head."""
    import torch

    from bertcore.checkpoint.checkpoint import save_checkpoint
    from bertcore.config import BertConfig
    from bertcore.data.text import Documents
    from bertcore.locations import sample_corpus
    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer

    texts = [paragraph for document in Documents([sample_corpus()]) for paragraph in document][:400]
    tokenizer = Tokenizer.train(texts, 1000)
    sizes = {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 96}
    shapes: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
        "without-segments": (("mlm",), {"model_type": "distilbert", "type_vocab_size": 0}),
        "shared-layers": (("mlm", "sop"), {"model_type": "albert", "embedding_size": 16, "num_hidden_groups": 1}),
        "encoder-only": ((), {"num_hidden_layers": 2, "num_attention_heads": 2}),
    }
    for name, (tasks, changes) in shapes.items():
        config = BertConfig(**{"vocab_size": tokenizer.vocab_size, "max_position_embeddings": 128, **sizes, **changes})  # type: ignore[arg-type]
        model = Bert(config, tasks, pooler="sop" in tasks, generator=torch.Generator().manual_seed(1))
        save_checkpoint(model, tokenizer, folder / name, name=name)
    return [folder / name for name in shapes]


def _described(when: str, census: Census) -> str:
    memory = "?" if census.memory is None else f"{census.memory:.0f} MiB ({census.own_memory:.0f} its own)"
    timers, running = sum(census.timers.values()), sum(census.running_timers.values())
    widgets, shells = sum(census.widgets.values()), sum(census.shells.values())
    return (
        f"{when}: {memory}, {len(census.threads)} Python threads, {census.system_threads} of the system, "
        f"{census.qt_threads} QThreads, {timers} timers ({running} running), {widgets:,} widgets, {shells:,} shells"
    )


if __name__ == "__main__":
    typer.run(main)
