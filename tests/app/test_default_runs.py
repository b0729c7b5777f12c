"""What the form trains if nobody changes anything: no false alarm. A run takes 6 to 40 seconds of the processor."""

import pytest

from app.rooms.train.form.new_run_form import NewRunForm
from app.runs.run_kinds import RUN_KINDS
from app.runs.run_state import RunState
from bertcore.runs.diagnosis import diagnose, normal
from bertcore.runs.run_record import read_record
from bertcore.training.start import start_run

MINUTES = 0.75  # for the processor of one thread; the form offers 2
# Samples after which the built-in model answers held-out examples no better than before, so that a warning is right.
LEARN_NOTHING = ("qqp", "qnli", "wnli", "rte", "squad", "commonsenseqa")


def _choices():
    """Of the form: what to train, and a sample or a size."""
    for kind in RUN_KINDS:
        if kind.is_task:
            yield from ((kind.key, spec.name) for spec in kind.samples)
        else:
            yield from ((kind.key, size) for size in (("tiny", "mini") if "preset" in kind.basic else [""]))


@pytest.mark.slow
@pytest.mark.timeout(3600)  # by the clock: on a busy machine it waits for its turn
@pytest.mark.parametrize(("kind", "choice"), list(_choices()))
def test_no_false_alarm(qtbot, own_home, kind, choice):
    form = NewRunForm(RunState())
    qtbot.addWidget(form)
    form.set_kind(kind)
    if form.run_kind.is_task:
        form.source.setCurrentIndex(form.source.findData(choice))
    elif choice:
        form.basic.set_value("preset", choice)
    options = form.command().options.with_changes(threads=1)
    if not form.run_kind.is_task:
        options = options.with_changes(minutes=MINUTES)
    run = own_home / "run"
    start_run(options, run, resume=False)
    record = read_record(run)
    found = [each.kind for each in diagnose(record)]
    scores = {name: (float(values[0]), float(values[-1])) for name, (_, values) in record.scores.items()}
    print(f"\n{kind} {choice} | {record.step} steps | {found or 'no alarm'} | {scores or record.held_out_loss[1]}")
    if choice in LEARN_NOTHING:
        assert len(found) == 1 and normal(record) is None
        main = next(iter(scores.values()))
        assert main[1] - main[0] < 2 / (record.examples or 1), "it has learned something: the alarm would be false"
    else:
        assert found == [] and normal(record) is not None
