"""Questions by name, whose answers go to every room. Goes away with the last room that asks so; see `question`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.compute.errors import sentence
from app.compute.inference import Inference
from app.compute.worker import UnwantedError
from app.state.readings import ModelQuestion

if TYPE_CHECKING:
    from app.compute.applying import ApplyRequest
    from bertcore.tasks.examples import Example
    from bertcore.tasks.features.predictions import Prediction


class BroadcastQuestions(QObject):
    answer_ready = Signal(str, object)  # kind of question, answer
    progress_made = Signal(str, float)

    def __init__(self, inference: Inference, parent: QObject) -> None:
        super().__init__(parent)
        self._inference = inference

    def ask(self, kind: str, about: Any) -> None:
        works: dict[str, Callable[[], Any]] = {
            "apply": lambda: self._apply(about),
        }
        if isinstance(about, ModelQuestion):
            work: Callable[[], Any] = lambda: self._answer(kind, about)  # noqa: E731
        else:
            work = works.get(kind, about)
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

    def _apply(self, request: ApplyRequest) -> Any:
        checkpoint = self._inference.checkpoint_of(request.model)
        from app.compute.applying import applied
        from bertcore.tasks.inference.predict import as_example, predict, task_kind

        kind = task_kind(checkpoint)
        if kind is None:
            raise UnwantedError

        def step(share: float) -> None:
            self._inference.step("apply")
            self._inference.checkpoint_of(request.model)

        def run(a: str, b: str | None) -> tuple[Example, Prediction]:
            example = as_example(kind, a, b)
            return example, predict(checkpoint, [example], step)[0]

        return applied(request, run)
