"""Goes through a lesson without a window: each page is set up, each claim computed, each check tried both ways."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError

from ..compute.applying import apply_model, request_for
from ..compute.masks import lens_at
from ..compute.open_checkpoints import opened_checkpoint
from ..compute.reader import read
from ..look import numbers
from ..look.say import mark, say
from ..state.explore_state import ExploreState
from ..state.readings import ReadingRequest
from ..widgets.prediction_line import Prediction, prediction_of
from .judging import is_right, right_answers, right_options
from .lesson import PLACEHOLDER, Condition, Lesson, LessonError, Measure, Page, Question, Setup, SetupError
from .measures import MEASURES, Facts, Value, holds, needs, parse_measure, shown, shown_in, value_of
from .stage import model_folder, set_input, set_selection

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ..state.model_info import ModelInfo
    from ..state.selection import Selection


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
        request = ReadingRequest(model, state.encoding, tuple(state.input_ids), state.all_masked, state.masked)
        reading = read(request, checkpoint)
        state.set_reading(reading)
        facts = Facts(reading, state.layer, state.head)
        set_selection(state, setup, facts)
        lens = None
        if needs("lens", wanted) and reading.request.masked and "mlm" in checkpoint.output_heads:
            lens = lens_at(checkpoint, reading.trace.hidden_states[:, list(reading.request.masked)])
        asked = request_for(reading, state.applied_texts) if needs("answer", wanted) else None
        applied = None if asked is None else apply_model(checkpoint, asked, lambda _share: None)
        return Facts(reading, state.layer, state.head, lens, applied)


def check_lesson(lesson: Lesson, bench: Bench, prediction_rooms: Collection[str]) -> list[LessonError]:
    """Everything that does not hold; empty where all of it does.

    prediction_rooms: those that have the line with the best predictions above them.
    """
    problems: dict[tuple[int, str], bool] = {}  # what several pages keep is said once
    for page in lesson.pages:
        try:
            facts = bench.show(page.setup, measures_of(page))
            if page.setup.room in prediction_rooms and _is_given_away(page, facts, bench.state.selection):
                given_away = mark(
                    "Warning: on the page “{page}” the answer is covered, but the line below the tokens gives it "
                    "away; add “:: cover prediction” too."
                )
                problems[page.lines["cover"], say(given_away, page=page.title)] = True
            problems |= dict.fromkeys(_check_page(page, bench, facts), False)
        except SetupError as error:
            problems[page.setup.lines.get(error.setting, page.line), str(error)] = False
        except BertcoreError as error:
            problems[page.line, str(error)] = False
    return [LessonError(lesson.file, *said, is_warning) for said, is_warning in problems.items()]


def measures_of(page: Page) -> list[Measure]:
    """Everything that a page wants to know of the window."""
    found = [measure for _, measure in page.placeholders]
    found += [claim.measure for claim in page.claims]
    if page.task is not None:
        found.append(page.task.done.measure)
    if page.question is not None:
        found += [option.is_right.measure for option in page.question.options if isinstance(option.is_right, Condition)]
        found += [page.question.answer] if isinstance(page.question.answer, Measure) else []
    return found


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
        yield from _check_task(page, bench, facts)
    if page.cut and len(facts.token_ids(page.cut)) < 2:
        whole = mark("The model’s vocabulary has “{word}” as one piece: there is nothing to cut.")
        yield page.lines["cut"], say(whole, word=page.cut)


def _check_question(page: Page, question: Question, facts: Facts) -> Iterator[tuple[int, str]]:
    if question.kind == "choice":
        right = len(right_options(question, facts))
        if not 1 <= right < len(question.options):
            sentence = mark("{right} of the {count} options are right with this model.")
            yield question.line, say(sentence, right=right, count=len(question.options))
    elif question.kind != "free":
        answers = right_answers(question, facts)
        if not answers:
            yield page.lines["answer"], say("The answer cannot be computed on this page.")
        for answer in answers:
            text = answer if isinstance(answer, str) else str(round(answer or 0.0, 6))
            wrong = f"{text}x" if isinstance(answer, str) else str((answer or 0.0) * 3 + question.within * 2 + 10)
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
    if question.kind == "free":
        measures = [parse_measure(text) for text in PLACEHOLDER.findall(question.explanation)]
        return any(isinstance(measure, Measure) and _is_in(line, measure, facts) for measure in measures)
    if question.kind == "choice":
        right = [question.options[number] for number in right_options(question, facts)]
        shown_words = {text.casefold() for text in texts}
        return any(
            option.text.strip(" .").casefold() in shown_words
            or (isinstance(option.is_right, Condition) and _is_in(line, option.is_right.measure, facts))
            for option in right
        )
    if isinstance(question.answer, Measure) and _is_in(line, question.answer, facts):
        return True
    return any(is_right(question, text, facts) for text in texts)


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


def _check_task(page: Page, bench: Bench, facts: Facts) -> Iterator[tuple[int, str]]:
    """Not done when the page opens, done after its solution."""
    task = page.task
    assert task is not None
    start = value_of(task.done.measure, facts)
    if holds(task.done, facts, start):
        yield task.line, say("The task is done before anybody does anything.")
    if start is None and task.done.value is None:
        yield task.line, say("“{measure}” has no value on this page.", measure=task.done.measure)
    solution = page.setup.then(task.solution)
    if task.solution.text_a is not None and task.solution.text_b is None:
        solution = replace(solution, text_b=page.setup.text_b)  # a person who edits A leaves B as it is
    try:
        done = bench.show(solution, measures_of(page))
    except SetupError as error:
        yield solution.lines.get(error.setting, task.line), str(error)
        return
    if not holds(task.done, done, start):
        yield task.line, say("The solution does not do the task.") + " " + _not_held(task.done, done)


def _not_held(condition: Condition, facts: Facts) -> str:
    value: Value = value_of(condition.measure, facts)
    unit = MEASURES[condition.measure.name].unit
    wanted = "start" if condition.value is None else shown_in(unit, condition.value)
    return say(
        "“{measure} {operator} {wanted}” does not hold: it is {value}.",
        measure=condition.measure,
        operator=condition.operator,
        wanted=wanted,
        value=shown(condition.measure, value),
    )
