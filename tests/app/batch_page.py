"""The page "The batch" alone, for the tests of its two kinds of batches."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.compute.question import Question
from app.rooms.train.batch.page import BatchPage
from app.runs.run_state import RunState


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[BatchPage]:
    """Its questions are answered at once, as by a worker that has nothing else to do."""
    made = BatchPage(RunState())
    made.resize(1100, 560)
    qtbot.addWidget(made)

    def answer(question: Question) -> None:
        job = question.job
        assert job is not None
        try:
            result, problem = job.function(*job.arguments, lambda share: None), ""
        except Exception as error:
            result, problem = None, str(error)
        question.deliver(job, result, problem)

    made.question_requested.connect(answer)
    yield made
    made.close()
