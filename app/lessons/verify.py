"""Goes through a lesson without a window: each page is set up, each claim computed, each check tried both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertcore.errors import BertcoreError

from ..compute.applying import apply_model, request_for
from ..compute.inference import opened_checkpoint
from ..compute.masks import lens_at
from ..compute.reader import read
from ..state.explore_state import ExploreState
from ..state.readings import ReadingRequest
from .errors import LessonError
from .judging import is_right, right_answers, right_options
from .lesson import Condition, Lesson, Measure, Page, Question, Setup, placeholders
from .measures import MEASURES, Facts, Value, holds, needs_answer, needs_lens, parse_measure, shown, shown_in, value_of
from .stage import model_folder, set_input, set_selection

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ..state.model_info import ModelInfo

translate = QCoreApplication.translate


class Bench:
    """Shows pages to nobody: the state of a window, and the models that it has opened."""

    def __init__(self) -> None:
        self.state = ExploreState()
        self._models: dict[Path, tuple[ModelInfo, Checkpoint]] = {}
        self._problem = ""
        self.state.problem_found.connect(self._on_problem)

    def show(self, setup: Setup, *, with_lens: bool = False, with_answer: bool = False) -> Facts:
        """What the window would show. Raises BertcoreError where it could not."""
        folder, state = model_folder(setup), self.state
        if folder not in self._models:
            self._models[folder] = opened_checkpoint(folder)
        model, checkpoint = self._models[folder]
        self._problem = ""
        if state.model is not model:
            state.set_model(model)
        state.layer = state.head = 0
        set_input(state, setup)
        if self._problem or state.encoding is None:
            raise BertcoreError(self._problem)
        if state.encoding.dropped:
            raise BertcoreError(translate("Lesson", "The text is too long for the model."))
        request = ReadingRequest(model, state.encoding, tuple(state.input_ids), state.all_masked, state.masked)
        reading = read(request, checkpoint)
        state.set_reading(reading)
        facts = Facts(reading, state.layer, state.head)
        set_selection(state, setup, facts)
        lens = None
        if with_lens and reading.request.masked and "mlm" in checkpoint.output_heads:
            lens = lens_at(checkpoint, reading.trace.hidden_states[:, list(reading.request.masked)])
        asked = request_for(reading, state.applied_texts) if with_answer else None
        applied = None if asked is None else apply_model(checkpoint, asked, lambda _share: None)
        return Facts(reading, state.layer, state.head, lens, applied)

    def _on_problem(self, sentence: str) -> None:
        self._problem = sentence


def check_lesson(lesson: Lesson, bench: Bench) -> list[LessonError]:
    """Everything that does not hold; empty where all of it does."""
    problems = []
    for page in lesson.pages:
        try:
            problems += [LessonError(lesson.file, line, sentence) for line, sentence in _check_page(page, bench)]
        except BertcoreError as error:
            problems.append(LessonError(lesson.file, page.line, str(error)))
    return problems


def measures_of(page: Page) -> list[Measure]:
    """Everything that a page wants to know of the window."""
    texts = (parse_measure(text) for text in placeholders(page.texts()))
    found = [measure for measure in texts if isinstance(measure, Measure)]
    found += [claim.measure for claim in page.claims]
    if page.task is not None:
        found.append(page.task.done.measure)
    if page.question is not None:
        found += [option.is_right.measure for option in page.question.options if isinstance(option.is_right, Condition)]
        found += [page.question.answer] if isinstance(page.question.answer, Measure) else []
    return found


def _check_page(page: Page, bench: Bench) -> Iterator[tuple[int, str]]:
    wanted = measures_of(page)
    needs = {"with_lens": needs_lens(wanted), "with_answer": needs_answer(wanted)}
    facts = bench.show(page.setup, **needs)
    for text in placeholders(page.texts()):
        measure = parse_measure(text)
        if isinstance(measure, Measure) and value_of(measure, facts) is None:
            yield page.line, translate("Lesson", "“{text}” has no value on this page.").format(text=text)
    for claim in page.claims:
        if not holds(claim, facts):
            yield claim.line, _not_held(claim, facts)
    if page.question is not None:
        yield from _check_question(page.question, facts)
    if page.task is not None:
        yield from _check_task(page, bench, facts, needs)
    if page.cut and len(facts.token_ids(page.cut)) < 2:
        sentence = translate("Lesson", "The model’s vocabulary has “{word}” as one piece: there is nothing to cut.")
        yield page.line, sentence.format(word=page.cut)


def _check_question(question: Question, facts: Facts) -> Iterator[tuple[int, str]]:
    if question.kind == "choice":
        right = len(right_options(question, facts))
        if not 1 <= right < len(question.options):
            sentence = translate("Lesson", "{right} of the {count} options are right with this model.")
            yield question.line, sentence.format(right=right, count=len(question.options))
    elif question.kind != "free":
        answers = right_answers(question, facts)
        if not answers:
            yield question.line, translate("Lesson", "The answer cannot be computed on this page.")
        for answer in answers:
            text = answer if isinstance(answer, str) else str(round(answer or 0.0, 6))
            wrong = f"{text}x" if isinstance(answer, str) else str((answer or 0.0) * 3 + question.within * 2 + 10)
            if not is_right(question, text, facts) or is_right(question, wrong, facts):
                sentence = translate("Lesson", "Right and wrong answers are not told apart: {right}, {wrong}.")
                yield question.line, sentence.format(right=text, wrong=wrong)


def _check_task(page: Page, bench: Bench, facts: Facts, needs: Mapping[str, bool]) -> Iterator[tuple[int, str]]:
    """Not done when the page opens, done after its solution."""
    task = page.task
    assert task is not None
    start = value_of(task.done.measure, facts)
    if holds(task.done, facts, start):
        yield task.line, translate("Lesson", "The task is done before anybody does anything.")
    if start is None and task.done.value is None:
        yield task.line, translate("Lesson", "“{measure}” has no value on this page.").format(measure=task.done.measure)
    solution = page.setup.then(task.solution)
    if task.solution.text_a is not None and task.solution.text_b is None:
        solution = replace(solution, text_b=page.setup.text_b)  # a person who edits A leaves B as it is
    done = bench.show(solution, **needs)
    if not holds(task.done, done, start):
        yield task.line, translate("Lesson", "The solution does not do the task.") + " " + _not_held(task.done, done)


def _not_held(condition: Condition, facts: Facts) -> str:
    value: Value = value_of(condition.measure, facts)
    unit = MEASURES[condition.measure.name].unit
    wanted = "start" if condition.value is None else shown_in(unit, condition.value)
    sentence = translate("Lesson", "“{measure} {operator} {wanted}” does not hold: it is {value}.")
    return sentence.format(
        measure=condition.measure, operator=condition.operator, wanted=wanted, value=shown(condition.measure, value)
    )
