"""What is said of a run before it starts: what it would take (how true: test_estimate_is_true), and of its data."""

import json
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.config import count_parameters
from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint, home, sample_corpus
from bertcore.runs.known_runs import known_runs
from bertcore.runs.snapshots import is_mark
from bertcore.tasks.readers.reading import TASKS, sample_folder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training import data_facts
from bertcore.training.data_facts import Cost, Fault, RunEstimate, TaskFacts, TextFacts, fault_of, text_facts
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.trial_run import _marks, _part_of_text, estimate_run
from tests.engine.models import tiny_model, word_tokenizer
from tests.text_file import text_file

TINY = {"num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("bertcore.training.trial_run.TRIAL_S", 0.2)


def _story(tmp_path):
    file = text_file(tmp_path / "story.txt", sample_corpus().read_text(encoding="utf-8")[:60_000])
    return str(file)


def test_pretraining(tmp_path):
    """It leaves nothing behind, and counts as the run will."""
    options = PretrainOptions(preset="tiny", model=TINY, data=DataOptions(corpus=(_story(tmp_path),), vocab_size=400))
    found = estimate_run(options.with_changes(epochs=3.0), Cost(1.0, 1.0))
    config = options.model_config(found.vocab_size)
    assert found.parameters == count_parameters(config, ("mlm", "nsp"))
    assert abs(found.epochs - 3.0) < 0.2
    assert found.preparing.seconds > 1.0 and found.training.seconds > 0 and found.memory_mib
    assert found.tokens and sum(found.lengths.counts) == found.lengths.counted
    assert RunEstimate.from_dict(json.loads(json.dumps(found.to_dict()))).total == found.total
    own = [run for run in known_runs() if home() in run.parents]
    assert not own and not list(home().glob("trial-*"))
    found = estimate_run(options.with_changes(minutes=5.0), Cost())
    assert found.training.seconds == 300.0 and found.steps > 1000
    assert 300 < found.total.seconds < 360


def test_a_task_and_a_part_of_it(tmp_path, monkeypatch):
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


def test_snapshots_are_counted_as_they_are_taken():
    for steps in (1, 20, 630, 10_000, 40_000, 1_000_000):
        exact = 2 + sum(map(is_mark, range(1, steps)))
        assert abs(_marks(steps) - exact) <= 1


def test_the_share_of_a_long_text_that_a_trial_reads(tmp_path, monkeypatch):
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


# --- its data: counted again by other means, and from files written here


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_folder(built_in_checkpoint())


def _facts(tokenizer, task, file, **more):
    options = FinetuneOptions(data=TaskDataOptions(task=task, train=str(file), **more))
    return data_facts.task_facts(options, tokenizer)


def test_lengths_and_what_is_cut(tokenizer, tmp_path):
    texts = ["A cat. " * count for count in range(1, 41)]
    file = tmp_path / "mine.tsv"
    rows = [f"{text.strip()}\t{'even' if i % 2 else 'odd'}" for i, text in enumerate(texts)]
    file.write_text("text\tlabel\n" + "\n".join(rows) + "\n")
    facts = _facts(tokenizer, "classify", file, max_length=64)
    assert facts.train + facts.held_out == 40 and facts.held_out == 4 and facts.held_out_file is None
    assert facts.layout.columns == {"text": "text", "label": "label"}
    assert sum(count for _, count in facts.labels) == facts.train
    assert facts.rows[0].text_a.startswith("A cat.") and facts.rows[0].label in ("even", "odd")
    lengths = facts.lengths
    in_file = [len(tokenizer.encode(text).tokens) for text in texts]  # 3 tokens for each cat, and two special ones
    assert in_file[0] == 5 and in_file[-1] == 122
    assert lengths.counted == facts.train == sum(lengths.counts) and lengths.cut_at == 64
    assert 0 <= sum(length > 64 for length in in_file) - lengths.longer <= facts.held_out


@pytest.mark.parametrize("task", sorted(TASKS))
def test_every_sample_is_described(tokenizer, task):
    folder = sample_folder(TASKS[task])
    facts = _facts(tokenizer, task, folder)
    assert facts.rows and facts.labels and facts.held_out_file and not facts.is_sampled
    assert TaskFacts.from_dict(facts.to_dict()) == facts


def test_windows_of_a_passage_add_up_to_its_length(tokenizer, tmp_path):
    passage = " ".join(["The boat is red."] * 60)
    rows = [f"{passage}\tWhat is red?\t", "The boat is red.\tWhat is red?\tThe boat"] * 12
    file = text_file(tmp_path / "mine.tsv", "passage\tquestion\tanswer\n" + "\n".join(rows) + "\n")
    facts = _facts(tokenizer, "answer", file, max_length=64, stride=32)
    exact = len(tokenizer.encode("What is red?", passage).tokens)
    assert abs(facts.lengths.longest - exact) < 40  # the question stands in each window
    assert 0.3 < facts.lengths.longer / facts.lengths.counted < 0.7


def test_a_fault_is_shown_with_the_lines_around_it(tokenizer, tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("text\tlabel\nOne.\ta\nTwo.\tb\nThree, without a label.\nFour.\ta\nFive.\tb\n")
    with pytest.raises(BertcoreError) as raised:
        _facts(tokenizer, "classify", file)
    fault = fault_of(raised.value, file)
    assert fault.line == 4 and "mine.tsv, line 4" in fault.message
    around = (3, "Two.\tb"), (4, "Three, without a label."), (5, "Four.\ta"), (6, "Five.\tb")
    assert fault.lines == ((1, "text\tlabel"), (2, "One.\ta"), *around)
    assert Fault.from_dict(fault.to_dict()) == fault


def test_plain_text(tmp_path, monkeypatch):
    facts = text_facts(DataOptions(corpus=(str(sample_corpus()),)))
    blocks = sample_corpus().read_text(encoding="utf-8").strip().split("\n\n")
    assert facts.documents == len(blocks) and facts.words == sum(len(block.split()) for block in blocks)
    assert facts.layout.name == "blocks" and facts.share == 1.0
    assert blocks[0].startswith(facts.rows[0][:40]) and TextFacts.from_dict(facts.to_dict()) == facts
    romeo = "Hello, how are you? I am Romeo.\nMy name is Juliet. Nice to meet you.\n" * 3
    lines = text_file(tmp_path / "poem.txt", romeo)
    assert text_facts(DataOptions(corpus=(str(lines),))).layout.name == "lines"
    records = text_file(tmp_path / "records.jsonl", '{"text": "One. Two."}\n' * 5)
    assert text_facts(DataOptions(corpus=(str(records),))).layout.columns == {"text": "text"}
    monkeypatch.setattr("bertcore.training.data_facts._MOST_READ", 800_000)
    file = text_file(tmp_path / "long.txt", ("word " * 200 + "\n\n") * 1_000)
    facts = text_facts(DataOptions(corpus=(str(file),)))  # of a sample
    assert 0.75 < facts.share < 0.85 and abs(facts.documents / facts.share - 1_000) < 10
