"""Goes through a lesson without a window: each page is set up, each claim computed, each check tried both ways."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError

from ..compute.open_checkpoints import opened_checkpoint
from ..compute.question import ignore
from ..compute.reader import read
from ..look import mark, numbers, say
from ..state import ModelInfo, ReadingRequest, Selection
from ..state.explore_state import ExploreState
from ..widgets.prediction_line import Prediction, prediction_of
from .lesson import PLACEHOLDER, Condition, Lesson, LessonError, Measure, Page, Question, Setup, SetupError, Task
from .measures import Facts, Value, holds, is_right, parse_measure, right_answers, right_options, shown, value_of
from .page_setup import further, model_folder, set_input, set_selection

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint


class Bench:
    """Shows pages to nobody: the state of a window, and the models that it has opened."""

    def __init__(self) -> None:
        self.state = ExploreState()
        self._models: dict[Path, tuple[ModelInfo, Checkpoint]] = {}
        self._problems: list[str] = []
        self.state.problem_found.connect(self._problems.append)

    def show(self, setup: Setup, wanted: Sequence[Measure] = ()) -> Facts:
        """What the window would show, with what these measures need. Raises SetupError where it could not."""
        folder, state = model_folder(setup), self.state
        if folder not in self._models:
            self._models[folder] = opened_checkpoint(folder)
        model, checkpoint = self._models[folder]
        self._problems.clear()
        if state.model is not model:
            state.set_model(model)
        state.layer = state.head = 0
        set_input(state, setup)
        if self._problems or state.encoding is None:
            raise SetupError("text", "".join(self._problems[-1:]))
        if state.encoding.dropped:
            raise SetupError("text", say("The text is too long for the model."))
        ids = tuple(state.input_ids)
        request = ReadingRequest(model, state.encoding, ids, state.all_masked, state.masked, state.what_if)
        reading = read(request, checkpoint)
        state.set_reading(reading)
        set_selection(state, setup, Facts(reading, state.layer, state.head))
        jobs = further(reading, state.applied_texts, setup, wanted)
        found = {name: job.function(checkpoint, *job.arguments, ignore) for name, job in jobs.items()}
        return Facts(reading, state.layer, state.head, **found)


Problem = tuple[int, str, bool]  # line, sentence, whether it is a warning


def check_lesson(lesson: Lesson, bench: Bench, prediction_rooms: Collection[str]) -> list[LessonError]:
    """Everything that does not hold; empty where all of it does.

    prediction_rooms: those that have the line with the best predictions above them.
    """
    found = (problem for page in lesson.pages for problem in _problems(page, bench, prediction_rooms))
    return [LessonError(lesson.file, *problem) for problem in dict.fromkeys(found)]  # what pages keep is said once


def _problems(page: Page, bench: Bench, prediction_rooms: Collection[str]) -> Iterator[Problem]:
    try:
        facts = bench.show(page.setup, page.measures)
        if page.setup.room in prediction_rooms and _is_given_away(page, facts, bench.state.selection):
            given_away = mark(
                "Warning: on the page “{page}” the answer is covered, but the line below the tokens gives it away; add "
                "“:: cover prediction” too."
            )
            yield page.lines["cover"], say(given_away, page=page.title), True
        yield from ((line, sentence, False) for line, sentence in _check_page(page, bench, facts))
    except BertcoreError as error:
        setting = error.setting if isinstance(error, SetupError) else ""
        yield page.setup.lines.get(setting, page.line), str(error), False


def _check_page(page: Page, bench: Bench, facts: Facts) -> Iterator[tuple[int, str]]:
    for line, measure in page.placeholders:
        if value_of(measure, facts) is None:
            yield line, say("“{text}” has no value on this page.", text=measure)
    for claim in page.claims:
        if not holds(claim, facts):
            yield claim.line, _not_held(claim, facts)
    if page.question is not None:
        yield from _check_question(page, page.question, facts)
    if page.task is not None:
        yield from _check_task(page, page.task, bench, facts)
    if page.cut and len(facts.token_ids(page.cut)) < 2:
        whole = mark("The model’s vocabulary has “{word}” as one piece: there is nothing to cut.")
        yield page.lines["cut"], say(whole, word=page.cut)


def _check_question(page: Page, question: Question, facts: Facts) -> Iterator[tuple[int, str]]:
    if question.kind == "choice":
        right, count = len(right_options(question, facts)), len(question.options)
        if not 1 <= right < count:
            sentence = mark("{right} of the {count} options are right with this model.")
            yield question.line, say(sentence, right=right, count=count)
    elif question.kind != "free":
        answers = right_answers(question, facts)
        if not answers:
            yield page.lines["answer"], say("The answer cannot be computed on this page.")
        for answer in answers:
            text = answer if isinstance(answer, str) else str(round(answer or 0.0, 6))
            wrong = f"{text}x" if isinstance(answer, str) else str((answer or 0.0) * 3 + question.within[0] * 2 + 10)
            if not is_right(question, text, facts) or is_right(question, wrong, facts):
                sentence = mark("Right and wrong answers are not told apart: {right}, {wrong}.")
                yield page.lines["answer"], say(sentence, right=text, wrong=wrong)


def _is_given_away(page: Page, facts: Facts, selection: Selection) -> bool:
    """Whether the answer is covered, and yet stands in the line below the tokens."""
    question = page.question
    if question is None or not page.covers or "prediction" in page.covers:
        return False
    line = prediction_of(facts.reading, selection)
    texts = [text for word, share in line.words for text in (word, numbers.percent(share))]
    texts += line.verdict[1].replace("(", "").replace(")", "").split() if line.verdict else []  # "94% (yes)"
    asked = [question.answer] if isinstance(question.answer, Measure) else []
    if question.kind == "free":
        asked = [parse_measure(text) for text in PLACEHOLDER.findall("\n".join(question.explanation))]
        is_there = False
    elif question.kind == "choice":
        right, words = [question.options[i] for i in right_options(question, facts)], {t.casefold() for t in texts}
        asked = [option.is_right.measure for option in right if isinstance(option.is_right, Condition)]
        is_there = any(option.text.strip(" .").casefold() in words for option in right)
    else:
        is_there = any(is_right(question, text, facts) for text in texts)
    return is_there or any(_is_in(line, measure, facts) for measure in asked)


def _is_in(line: Prediction, measure: Measure, facts: Facts) -> bool:
    """Whether a measure can be read off the line."""
    if measure.name == "next-sentence":
        return line.verdict is not None
    word: Value = None
    if measure.name in ("guess", "guess-probability"):
        word = value_of(Measure("guess", measure.argument), facts)
    elif measure.name in ("probability", "rank"):
        word = measure.argument
    return isinstance(word, str) and word.casefold() in {each.casefold() for each, _ in line.words}


def _check_task(page: Page, task: Task, bench: Bench, facts: Facts) -> Iterator[tuple[int, str]]:
    """Not done when the page opens, done after its solution."""
    start = value_of(task.done.measure, facts)
    if holds(task.done, facts, start):
        yield task.line, say("The task is done before anybody does anything.")
    if start is None and task.done.value is None:
        yield task.line, say("“{measure}” has no value on this page.", measure=task.done.measure)
    solution = page.setup.then(task.solution)
    if task.solution.text_a is not None and task.solution.text_b is None:
        solution = replace(solution, text_b=page.setup.text_b)  # a person who edits A leaves B as it is
    try:
        done = bench.show(solution, page.measures)
    except SetupError as error:
        yield solution.lines.get(error.setting, task.line), str(error)
        return
    if not holds(task.done, done, start):
        yield task.line, say("The solution does not do the task.") + " " + _not_held(task.done, done)


def _not_held(condition: Condition, facts: Facts) -> str:
    return say(
        "“{measure} {operator} {wanted}” does not hold: it is {value}.",
        measure=condition.measure,
        operator=condition.operator,
        wanted="start" if condition.value is None else shown(condition.measure, condition.value),
        value=shown(condition.measure, value_of(condition.measure, facts)),
    )
