"""What a run would take, said before it starts. How true it is: test_estimate_is_true (slow)."""

import json
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import count_parameters
from bertcore.locations import home, sample_corpus
from bertcore.runs.known_runs import known_runs
from bertcore.runs.snapshots import is_mark
from bertcore.tasks.readers.reading import TASKS, sample_folder
from bertcore.training.data_facts import Cost, RunEstimate
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.trial_run import _marks, _part_of_text, estimate_run
from tests.engine.models import tiny_model, word_tokenizer

TINY = {"num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertcore.training.trial_run.TRIAL_S", 0.2)


def _own_runs() -> list[Path]:
    return [run for run in known_runs() if home() in run.parents]


def _story(tmp_path: Path) -> str:
    file = tmp_path / "story.txt"
    file.write_text(sample_corpus().read_text(encoding="utf-8")[:60_000], encoding="utf-8")
    return str(file)


def test_pretraining(tmp_path: Path) -> None:
    """It leaves nothing behind, and counts as the run will."""
    options = PretrainOptions(preset="tiny", model=TINY, data=DataOptions(corpus=(_story(tmp_path),), vocab_size=400))
    found = estimate_run(options.with_changes(epochs=3.0), Cost(1.0, 1.0))
    config = options.model_config(found.vocab_size)
    assert found.parameters == count_parameters(config, ("mlm", "nsp"))
    assert found.epochs is not None and abs(found.epochs - 3.0) < 0.2
    assert found.preparing.seconds > 1.0 and found.training.seconds > 0 and found.memory_mib
    assert found.tokens is not None and found.lengths is not None and sum(found.lengths.counts) == found.lengths.counted
    assert RunEstimate.from_dict(json.loads(json.dumps(found.to_dict()))).total == found.total
    assert not _own_runs() and not list(home().glob("trial-*"))


def test_minutes_are_the_budget(tmp_path: Path) -> None:
    options = PretrainOptions(preset="tiny", model=TINY, data=DataOptions(corpus=(_story(tmp_path),), vocab_size=400))
    found = estimate_run(options.with_changes(minutes=5.0), Cost())
    assert found.training.seconds == 300.0 and found.steps > 1000
    assert 300 < found.total.seconds < 360


def test_a_task_and_a_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more examples than a trial reads, the run has as many steps all the same."""
    folder = sample_folder(TASKS["sst2"])
    save_checkpoint(tiny_model(), word_tokenizer(), tmp_path / "model")
    options = FinetuneOptions(model=str(tmp_path / "model"), data=TaskDataOptions(task="sst2", train=str(folder)))
    options = options.with_changes(batch_size=8, epochs=5.0)
    whole = estimate_run(options, Cost(), (64, 20))
    assert whole.steps == 40 and not whole.is_sampled
    monkeypatch.setattr("bertcore.training.trial_run._MOST_EXAMPLES", 32)
    part = estimate_run(options, Cost(), (64, 20))
    assert part.steps == 40 and part.is_sampled and part.epochs == pytest.approx(5.0)


def test_snapshots_are_counted_as_they_are_taken() -> None:
    for steps in (1, 20, 630, 10_000, 40_000, 1_000_000):
        exact = 2 + sum(map(is_mark, range(1, steps)))
        assert abs(_marks(steps) - exact) <= 1


def test_the_share_of_a_long_text_that_a_trial_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one file, and of two; files are read ahead by some kilobytes."""
    first, second = Path(_story(tmp_path)), tmp_path / "second.txt"
    second.write_bytes(first.read_bytes())
    monkeypatch.setattr("bertcore.training.trial_run._MOST_TEXT", 30_000)
    for files in ([first], [first, second]):
        data, share = _part_of_text(DataOptions(corpus=tuple(map(str, files))), tmp_path)
        part = Path(data.corpus[0]).read_text(encoding="utf-8")
        assert 30_000 < len(part) < 40_000 and part[:5_000].split() == first.read_text(encoding="utf-8")[:5_000].split()
        size = sum(file.stat().st_size for file in files)
        assert 30_000 / size <= share < (len(part) + 10_000) / size
