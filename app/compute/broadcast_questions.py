"""Questions by name, whose answers go to every room. Goes away with the last room that asks so; see `question`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.compute.errors import sentence
from app.compute.inference import Inference
from app.state.readings import ModelQuestion


class BroadcastQuestions(QObject):
    answer_ready = Signal(str, object)  # kind of question, answer
    progress_made = Signal(str, float)

    def __init__(self, inference: Inference, parent: QObject) -> None:
        super().__init__(parent)
        self._inference = inference

    def ask(self, kind: str, about: Any) -> None:
        if isinstance(about, ModelQuestion):
            work: Callable[[], Any] = lambda: self._answer(kind, about)  # noqa: E731
        else:
            work = about
        self._inference.post(kind, work, partial(self._deliver, kind))

    def cancel(self, kind: str) -> None:
        self._inference._worker.cancel(kind)

    def _deliver(self, kind: str, answer: Any, problem: BaseException | None) -> None:
        if problem is not None:
            self._inference.failed.emit(sentence(problem))
        else:
            self.answer_ready.emit(kind, answer)

    def _answer(self, kind: str, question: ModelQuestion) -> Any:
        def step(share: float) -> None:
            self._inference.step(kind)
            self._inference.checkpoint_of(question.model)
            self.progress_made.emit(kind, share)

        return question.answer(self._inference.checkpoint_of(question.model), step)
