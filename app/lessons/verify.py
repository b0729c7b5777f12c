"""Goes through a lesson without a window: each page is set up, each claim computed, each check tried both ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertcore.errors import BertcoreError

from ..compute.open_checkpoints import opened_checkpoint
from ..compute.question import ignore
from ..compute.reader import read
from ..look import mark, numbers, say
from ..state import ModelInfo, ReadingRequest, Selection
from ..state.explore_state import ExploreState
from ..widgets.prediction_line import Prediction, prediction_of
from .lesson import (
    PAGE_TEXT,
    PLACEHOLDER,
    Condition,
    Lesson,
    LessonError,
    Measure,
    Page,
    Question,
    Setup,
    SetupError,
    Task,
    unmarked,
)
from .measures import (
    MEASURES,
    Facts,
    Value,
    filled,
    holds,
    is_right,
    parse_measure,
    parse_word,
    right_answers,
    right_options,
    shown,
    value_of,
)
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


Problem = tuple[int, str] | tuple[int, str, bool]  # line, sentence; True for a warning
IN_LINE = ("guess", "guess-probability", "probability", "rank", "next-sentence")  # what stands below the tokens
SAID_BY = {  # measure -> parts of its room that say it
    **dict.fromkeys(IN_LINE, ("predict.view",)),
    **dict.fromkeys(("looks", "looked-at"), ("attend.large", "attend.side")),
    **dict.fromkeys(("score", "best-score", "best-head"), ("attend.heads", "attend.side")),
}


def check_lesson(lesson: Lesson, bench: Bench, prediction_rooms: Collection[str]) -> list[LessonError]:
    """Everything that does not hold; empty where all of it does.

    prediction_rooms: those that have the line with the best predictions above them.
    """
    found = (problem for page in lesson.pages for problem in _problems(page, bench, prediction_rooms))
    return [LessonError(lesson.file, *problem) for problem in dict.fromkeys(found)]  # what pages keep is said once


def _problems(page: Page, bench: Bench, prediction_rooms: Collection[str]) -> Iterator[Problem]:
    try:
        facts = bench.show(page.setup, page.measures)
        yield from page_problems(page, facts, bench.state.selection, prediction_rooms)
        if page.task is not None:
            yield from _check_task(page, page.task, bench, facts)
    except BertcoreError as error:
        yield line_of(error, page), str(error)


def line_of(error: BertcoreError, page: Page) -> int:
    """That of the command that cannot be followed, else of the page."""
    return page.setup.lines.get(error.setting, page.line) if isinstance(error, SetupError) else page.line


def page_problems(
    page: Page, facts: Facts, selection: Selection, prediction_rooms: Collection[str]
) -> Iterator[Problem]:
    """What can be told from what it shows; see `check_lesson`."""
    covers = [*_left_visible(page, facts, selection, prediction_rooms), *([PAGE_TEXT] if _is_said(page, facts) else [])]
    if parts := " ".join(covers):
        given_away = mark("Warning: on the page “{page}” the answer stays visible; add “:: cover {parts}”.")
        if covers == [PAGE_TEXT]:
            given_away = mark(
                "Warning: on the page “{page}” the answer may be read off what stands below the question, text or "
                "task; add “:: cover {parts}”, or say it otherwise."
            )
        yield page.lines.get("cover", page.lines["ask"]), say(given_away, page=page.title, parts=parts), True
    for line, measure in page.placeholders:
        if value_of(measure, facts) is None:
            yield line, _no_value(measure, facts)
    for claim in page.claims:
        if not holds(claim, facts):
            yield claim.line, _not_held(claim, facts)
    if page.question is not None:
        yield from _check_question(page, page.question, facts)
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
        if not answers and isinstance(question.answer, Measure):
            yield page.lines["answer"], _no_value(question.answer, facts)
        for answer in answers:
            text = answer if isinstance(answer, str) else str(round(answer or 0.0, 6))
            wrong = f"{text}x" if isinstance(answer, str) else str((answer or 0.0) * 3 + question.within[0] * 2 + 10)
            if not is_right(question, text, facts) or is_right(question, wrong, facts):
                sentence = mark("Right and wrong answers are not told apart: {right}, {wrong}.")
                yield page.lines["answer"], say(sentence, right=text, wrong=wrong)


def _left_visible(page: Page, facts: Facts, selection: Selection, prediction_rooms: Collection[str]) -> list[str]:
    """Parts of the window that say the answer while others are covered, or a guess while nothing is."""
    question, room, covers = page.question, page.setup.room, set(page.covers)
    if question is None or not (covers or isinstance(question.answer, Measure)):
        return []
    asked = [] if question.kind == "free" else [measure.name for measure in _asked(question, facts)]
    parts = {part for name in asked for part in SAID_BY.get(name, ()) if part.startswith(f"{room}.")}
    can_be_read = covers or set(asked) <= set(IN_LINE)  # a question without covers may be about what is seen
    if room in prediction_rooms and can_be_read and _is_given_away(question, facts, selection):
        return sorted(({"prediction"} | parts) - covers)
    return sorted(parts - covers) if parts & covers else []


def _asked(question: Question, facts: Facts) -> list[Measure]:
    """What the right answer is read off."""
    if question.kind == "free":
        return [parse_measure(text) for text in PLACEHOLDER.findall("\n".join(question.explanation))]
    options = [question.options[i].is_right for i in right_options(question, facts)] if question.options else []
    found = (question.answer, *(each.measure for each in options if isinstance(each, Condition)))
    return [each for each in found if isinstance(each, Measure)]


def _is_given_away(question: Question, facts: Facts, selection: Selection) -> bool:
    """Whether the answer stands in the line below the tokens."""
    line = prediction_of(facts.reading, selection)
    texts = [text for word, share in line.words for text in (word, numbers.percent(share))]
    texts += line.verdict[1].replace("(", "").replace(")", "").split() if line.verdict else []  # "94% (yes)"
    if question.kind == "choice":
        right, words = [question.options[i] for i in right_options(question, facts)], {t.casefold() for t in texts}
        is_there = any(option.text.strip(" .").casefold() in words for option in right)
    else:
        is_there = question.kind != "free" and any(is_right(question, text, facts) for text in texts)
    return is_there or any(_is_in(line, measure, facts) for measure in _asked(question, facts))


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


def _is_said(page: Page, facts: Facts) -> bool:
    """Whether what stands below the question has the answer, or most words by which the right option differs."""
    question = page.question
    if question is None or PAGE_TEXT in page.covers:
        return False
    below = _words(f"{page.text} {page.task.text if page.task and not page.covers else ''}", facts)
    if question.kind != "choice":
        measure = question.answer if isinstance(question.answer, Measure) else None
        answers = (shown(measure, each) if measure else str(each) for each in right_answers(question, facts))
        return any(words and words <= below for words in (_words(answer, facts) for answer in answers))
    right, texts = right_options(question, facts), [option.text for option in question.options]
    others = _words(" ".join([question.text, *(text for i, text in enumerate(texts) if i not in right)]), facts)
    return any(own and 2 * len(own & below) > len(own) for i in right if (own := _words(texts[i], facts) - others))


def _words(text: str, facts: Facts) -> set[str]:
    return {word for word in re.findall(r"[\w·]+", filled(text, facts).casefold()) if len(word) > 1}


def _check_task(page: Page, task: Task, bench: Bench, facts: Facts) -> Iterator[tuple[int, str]]:
    """Not done when the page opens, done after its solution."""
    start = value_of(task.done.measure, facts)
    if holds(task.done, facts, start):
        yield task.line, say("The task is done before anybody does anything.")
    if start is None and task.done.value is None:
        yield task.line, _no_value(task.done.measure, facts)
    solution = page.setup.then(task.solution)
    if task.solution.text_a is not None and task.solution.text_b is None:
        solution = replace(solution, text_b=page.setup.text_b)  # a person who edits A leaves B as it is
    try:
        done = bench.show(solution, page.measures)
    except SetupError as error:
        yield solution.lines.get(error.setting, task.line), str(error)
        return
    if not holds(task.done, done, start):
        line = min(task.solution.lines.values(), default=task.line)
        yield line, say("The solution does not do the task.") + " " + _not_held(task.done, done)


def _not_held(condition: Condition, facts: Facts) -> str:
    measure, wants_more = condition.measure, condition.operator in (">", ">=")
    best = _best_for(measure, facts) if wants_more else ""
    text = say(
        "“{measure} {operator} {wanted}” does not hold: it is {value}.",
        measure=measure,
        operator=condition.operator,
        wanted="start" if condition.value is None else shown(measure, condition.value),
        value=shown(measure, value_of(measure, facts)),
    )
    return f"{text} {say('Most of all heads: {head}.', head=best)}" if best else text


def _missing_word(measure: Measure, facts: Facts) -> str:
    """A word of its argument that is not in the text; empty where that is not what it lacks."""
    if not MEASURES[measure.name].argument.startswith("WORD") or measure.name in ("pieces", "probability", "rank"):
        return ""
    parts = [part.strip() for part in measure.argument.split("->")]
    return next((part for part in parts if (word := parse_word(part)) is not None and not facts.positions(word)), "")


def _best_for(measure: Measure, facts: Facts) -> str:
    """The head in which one word looks most at the other, as "3·2: 45%"; empty for other measures."""
    layers, heads = facts.reading.trace.attentions.shape[:2]
    found = facts.positions_in(measure.argument) if measure.name == "looks" else None
    if found is None:
        return ""
    values = [(value_of(measure, facts.but(layer=at[0], head=at[1])), *at) for at in np.ndindex(layers, heads)]
    value, layer, head = max(values)
    return f"{layer + 1}·{head + 1}: {shown(measure, value)}"


def _no_value(measure: Measure, facts: Facts) -> str:
    word = _missing_word(measure, facts)
    if word:
        return say("“{text}” has no value on this page: its text has no word “{word}”.", text=measure, word=word)
    return say("“{text}” has no value on this page.", text=measure)


def right_answer(page: Page, start: Facts | None) -> str:
    """What is right on a page, and what does its task; empty where nothing is asked, or the model has not read it yet.

    start: what the page showed when it opened.
    """
    question, task = page.question, page.task
    if start is None or (question is None and task is None):
        return ""
    found: list[str] = []
    if question is not None:
        options = [question.options[number].text for number in right_options(question, start)]
        answers = question.answer if isinstance(question.answer, tuple) else ()
        found += options or answers or question.explanation[:1]
    if task is not None:
        head, solution = task.solution.head, task.solution
        place = head and (start.head_by(head.kind, head.lowest) if head.kind else (head.layer, head.head))
        shown_head = f"{place[0] + 1}·{place[1] + 1}" if place else ""
        found.append(shown_head or solution.text_a or solution.text_b or task.hint)
    return unmarked(filled(" · ".join(found), start))


def answers_of(lesson: Lesson, bench: Bench) -> Iterator[str]:
    """Lines: of each page that can be shown what it asks, what is right with this model, and what it explains."""
    for page in lesson.pages:
        with suppress(BertcoreError):
            facts = bench.show(page.setup, page.measures)
            said = [page.title]
            if (question := page.question) is not None:
                computed = question.answer if isinstance(question.answer, Measure) else None
                right = right_answer(replace(page, task=None), facts)
                if computed is not None:
                    right = ", ".join(shown(computed, each) for each in right_answers(question, facts))
                said += [question.text, say("Right: {answer}", answer=right), *question.explanation]
            if page.task is not None:
                solution = right_answer(replace(page, question=None), facts)
                said += [page.task.text, say("Solution: {answer}", answer=solution)]
            yield from (
                f"{'    ' if number else '# '}{unmarked(filled(each, facts))}" for number, each in enumerate(said)
            )
