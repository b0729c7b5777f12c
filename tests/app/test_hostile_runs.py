"""Run folders from elsewhere in the room Train: each bad one is a row that says why, and the others are shown."""

import json
import os
from pathlib import Path

import pytest

from app.runs.run_info import newest_held_out, read_result, read_run
from app.runs.run_sentences import state_line
from bertcore.errors import MOST_NAME, MOST_SENTENCE
from bertcore.runs.run_metrics import RunMetrics, SlowStep
from tests.app.conftest import handle_events
from tests.app.train_room import shown_runs

pytestmark = [
    pytest.mark.usefixtures("no_built_in_runs"),
    pytest.mark.skipif(os.name == "nt", reason="pipes and links as POSIX has them"),
    pytest.mark.timeout(120),
]

CONFIG = {"format_version": 1, "kind": "pretrain", "name": "fine", "preset": "tiny", "data": {"corpus": ["a.txt"]}}
DEEP = "[" * 5000


def make_run(folder, **changes):
    """A run that is done; `changes`: the text of a file, by its name without ending, or what to do with its path."""
    folder.mkdir(parents=True)
    files = {
        "config": ("config.json", json.dumps(CONFIG)),
        "status": ("status.json", json.dumps({"state": "done", "step": 5, "fraction": 1.0})),
        "metrics": ("metrics.jsonl", '{"kind": "train", "step": 5, "mlm_loss": 2.0}\n'),
        "evaluation": ("evaluation.json", json.dumps({"metrics": {"accuracy": 0.5}})),
        "label": ("label.json", json.dumps({"name": "mine", "tags": ["a"], "note": "b"})),
    }
    for name, (file, text) in files.items():
        change = changes.get(name, text)
        if isinstance(change, str):
            (folder / file).write_text(change, encoding="utf-8")
        else:
            change(folder / file)
    return folder


def config(**changes):
    return json.dumps(CONFIG | changes)


def zero(file):
    file.symlink_to("/dev/zero")


def tuned(result):
    evaluation = json.dumps(result) if isinstance(result, dict) else result
    return {"config": config(kind="finetune", data={"task": "sst2"}), "evaluation": evaluation}


def example(**given):
    return {"metrics": {"accuracy": 0.5}, "worst": [given]}


BAD = {
    "preset a list": {"config": config(preset=["tiny"])},
    "preset an object": {"config": config(preset={"a": 1})},
    "name a list": {"config": config(name=[1, 2])},
    "a long name": {"config": config(name="n" * 1_000_000)},
    "a name with commands": {"config": config(name="\x1b[2J\u202ename\n\0")},
    "half a character": {"config": config(name="\ud800", preset="\udfff")},
    "kind a flag": {"config": config(kind="--help")},
    "kind a list": {"config": config(kind=["pretrain"])},
    "data of wrong types": {"config": config(data={"corpus": [{"a": 1}, None], "task": ["sst2"]})},
    "start a number": {"config": config(start=5, teacher=[], model={"a": 2})},
    "deep config": {"config": '{"a": ' + DEEP},
    "config a list": {"config": "[]"},
    "status of wrong types": {"status": '{"state": "done", "step": [5], "fraction": "a"}'},
    "infinite status": {"status": '{"state": "running", "step": 1e999}'},
    "huge status": {"status": '{"state": "done", "step": 5, "remaining_s": ' + "9" * 90 + "}"},
    "a long message": {"status": json.dumps({"state": "failed", "message": "m" * 1_000_000})},
    "config a pipe": {"config": os.mkfifo},
    "config without end": {"config": zero},
    "status a pipe": {"status": os.mkfifo},
    "status a folder": {"status": Path.mkdir},
    "label a pipe": {"label": os.mkfifo},
    "label without end": {"label": zero},
    "label of wrong types": {"label": '{"name": [1], "tags": {"a": 1}, "note": 1e999}'},
    "long label": {"label": json.dumps({"name": "n" * 9_000, "tags": ["t" * 9_000] * 90, "note": "\x1b[2J" * 9_000})},
    "metrics a pipe": {"metrics": os.mkfifo},
    "metrics without end": {"metrics": zero},
    "metrics a folder": {"metrics": Path.mkdir},
    "deep metrics": {"metrics": '{"kind": "held_out", "step": 1, "a": ' + DEEP + "\n"},
    "infinite metrics": {
        "metrics": '{"kind": "train", "step": Infinity, "mlm_loss": 1}\n'
        '{"kind": "phase", "step": 1e999, "phase": "masked"}\n'
        '{"kind": "train", "step": 1, "mlm_loss": 1e308}\n{"kind": "train", "step": 2, "mlm_loss": -1e308}\n'
        '{"kind": "train", "step": 1e300, "mlm_loss": 1}\n{"kind": "held_out", "step": 3, "mlm_accuracy": 1e300}\n'
    },
    "metrics of wrong types": {
        "metrics": '{"kind": ["train"], "step": 1}\n{"kind": "phase", "step": true, "phase": {}}\n'
        '{"kind": "held_out", "step": 2, "mlm_accuracy": [1]}\n{"kind": "train", "step": -5, "mlm_loss": "x"}\n'
    },
    "deep evaluation": tuned('{"metrics": ' + DEEP),
    "evaluation a pipe": tuned(os.mkfifo),
    "evaluation without end": tuned(zero),
    "evaluation of wrong types": tuned(
        {
            "metrics": {"accuracy": 1e300, "f1": "high"},
            "labels": [1, {"a": 2}],
            "confusion": [[1]],
            "best": [{"example": {"words": 5, "passage": {}}, "right": 3, "given": {}, "loss": "low"}],
            "worst": 5,
        }
    ),
    "answers of wrong types": tuned(example(example={"passage": "a", "question": "b"}, right=5, given=6, loss=1.0)),
    "a table of other labels": tuned(example() | {"labels": ["a", "b"], "confusion": [[1, 2], [3]]}),
    "long labels": tuned(example() | {"labels": ["l" * 500_000, "b"], "confusion": [[1, 2], [3, 4]]}),
    "long examples": tuned(example(example={"text_a": "t" * 500_000}, right="r" * 500_000, given=["g"] * 500_000)),
}


WHYS = dict.fromkeys(("deep config", "config a list"), "config.json is damaged")
WHYS |= dict.fromkeys(("infinite status", "status of wrong types"), "status.json is damaged")
for whose in ("config a pipe", "config without end", "status a pipe"):
    WHYS[whose] = f"{whose.split()[0]}.json cannot be read: it is not a regular file"


@pytest.mark.parametrize("name", BAD)
def test_a_row_is_made_of_anything_and_says_why_it_cannot_be_read(name, tmp_path):
    run = make_run(tmp_path / "run", **BAD[name])
    info = read_run(run, held_out=newest_held_out(run))
    assert info.name and len(info.name) <= MOST_NAME and info.name.isprintable()
    assert info.kind in ("pretrain", "finetune", "distil")
    line = state_line(info)
    assert len(line) < MOST_SENTENCE + 50
    assert name not in WHYS or (line.startswith("Unreadable") and WHYS[name] in line)
    if info.status.state == "unknown":
        assert not info.can_resume
        assert str(run) in str(info.status.message) or "status.json" in str(info.status.message)
    read_result(run)


def test_all_of_them_are_listed_and_can_be_looked_at(room, service, own_home):
    """In one room, beside a run that is fine; nothing raises, and each is drawn."""
    room.show()
    good = make_run(own_home / "runs" / "good")
    for number, changes in enumerate(BAD.values()):
        make_run(own_home / "runs" / f"bad-{number:02}", **changes)
    service.refresh()
    assert len(shown_runs(room)) == len(BAD) + 1
    for info in shown_runs(room):
        service.select(info.path)
        handle_events()
        room.view.draw()
        assert not room.grab().isNull()
    service.select(good)
    assert room.view.metrics.latest_value("loss_masked") == 2.0
    assert room.minimumSizeHint().width() < 2000  # nobody's name makes the window wider


SLOW = {"loss_before": 2.0, "loss_after": 1.5, "learning_rate": 0.1, "gradient_norm": 3.0}
LINES = [
    *({}, {"kind": "train"}, {"kind": "train", "step": "x"}, {"kind": 3, "step": 1}),
    {"kind": "train", "step": 2, "mlm_loss": "high", "phase": "masked"},
    *({"kind": "updates", "step": 1, "gradient": {"a": value}, "ratio": {}} for value in (1, None)),
    *({"kind": "updates", "step": 1, **each} for each in ({}, {"gradient": {"a": 1}, "ratio": {"b": 1}}, {"ratio": 3})),
    *({"kind": "slow_step", "step": 1, **SLOW, name: value} for name in SLOW for value in (None, "x")),
    *({"kind": "held_out", "step": 1, "questions": given} for given in ({}, [], {"is_right": [True]}, 3)),
    {"kind": "held_out", "step": 1, "questions": {"is_right": [True], "guesses": [[["a"]]]}},
]


def test_damaged_lines_are_left_out():
    metrics = RunMetrics()
    metrics.append([*LINES, {"kind": "slow_step", "step": 4, **SLOW}])
    assert not any(len(series) for series in metrics.series.values())
    assert metrics.scores == metrics.updates == [] and metrics.slow_steps == [SlowStep(4, *SLOW.values())]


def test_numbers_that_cannot_be_drawn_are_left_out():
    metrics = RunMetrics()
    metrics.append([{"kind": "train", "step": 1, "mlm_loss": 1e308}, {"kind": "train", "step": 2, "mlm_loss": 3.0}])
    metrics.append([{"kind": f"kind {number}", "step": number} for number in range(10_000)])
    metrics.append([{"kind": "phase", "step": n, "phase": ("causal", "masked")[n % 2]} for n in range(10_000)])
    assert metrics.series["loss_masked"].arrays[1].tolist() == [3.0]
    assert len(metrics.newest) <= 4 and len(metrics.phases) <= 1000


def test_a_run_that_goes_away_while_it_is_looked_at(room, service, own_home):
    room.show()
    run = make_run(own_home / "runs" / "gone")
    service.refresh()
    service.select(run)
    run.rename(own_home / "elsewhere")
    service.refresh()
    service._poll_selected()
    assert shown_runs(room) == [] and "config.json is missing" in room.view._message.text()
