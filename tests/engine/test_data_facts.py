"""What is said of a run's data before it starts: counted again by other means, and from files written here."""

from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint, sample_corpus
from bertcore.tasks.readers.reading import TASKS, sample_folder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.data_facts import Fault, TaskFacts, TextFacts, fault_of, task_facts, text_facts
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_folder(built_in_checkpoint())


def _facts(tokenizer: Tokenizer, task: str, file: Path, **more: object) -> TaskFacts:
    options = FinetuneOptions(data=TaskDataOptions(task=task, train=str(file), **more))  # type: ignore[arg-type]
    return task_facts(options, tokenizer)


def test_lengths_and_what_is_cut(tokenizer: Tokenizer, tmp_path: Path) -> None:
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
def test_every_sample_is_described(tokenizer: Tokenizer, task: str) -> None:
    folder = sample_folder(TASKS[task])
    assert folder is not None
    facts = _facts(tokenizer, task, folder)
    assert facts.rows and facts.labels and facts.held_out_file and not facts.is_sampled
    assert TaskFacts.from_dict(facts.to_dict()) == facts


def test_windows_of_a_passage_add_up_to_its_length(tokenizer: Tokenizer, tmp_path: Path) -> None:
    passage = " ".join(["The boat is red."] * 60)
    rows = [f"{passage}\tWhat is red?\t", "The boat is red.\tWhat is red?\tThe boat"] * 12
    file = tmp_path / "mine.tsv"
    file.write_text("passage\tquestion\tanswer\n" + "\n".join(rows) + "\n")
    facts = _facts(tokenizer, "answer", file, max_length=64, stride=32)
    exact = len(tokenizer.encode("What is red?", passage).tokens)
    assert abs(facts.lengths.longest - exact) < 40  # the question stands in each window
    assert 0.3 < facts.lengths.longer / facts.lengths.counted < 0.7


def test_a_fault_is_shown_with_the_lines_around_it(tokenizer: Tokenizer, tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text("text\tlabel\nOne.\ta\nTwo.\tb\nThree, without a label.\nFour.\ta\nFive.\tb\n")
    with pytest.raises(BertcoreError) as raised:
        _facts(tokenizer, "classify", file)
    fault = fault_of(raised.value, file)
    assert fault.line == 4 and "mine.tsv, line 4" in fault.message
    around = (3, "Two.\tb"), (4, "Three, without a label."), (5, "Four.\ta"), (6, "Five.\tb")
    assert fault.lines == ((1, "text\tlabel"), (2, "One.\ta"), *around)
    assert Fault.from_dict(fault.to_dict()) == fault


def test_plain_text(tmp_path: Path) -> None:
    facts = text_facts(DataOptions(corpus=(str(sample_corpus()),)))
    blocks = sample_corpus().read_text(encoding="utf-8").strip().split("\n\n")
    assert facts.documents == len(blocks) and facts.words == sum(len(block.split()) for block in blocks)
    assert facts.layout.name == "blocks" and facts.share == 1.0
    assert blocks[0].startswith(facts.rows[0][:40]) and TextFacts.from_dict(facts.to_dict()) == facts
    lines = tmp_path / "poem.txt"
    lines.write_text("Hello, how are you? I am Romeo.\nMy name is Juliet. Nice to meet you.\n" * 3)
    assert text_facts(DataOptions(corpus=(str(lines),))).layout.name == "lines"
    records = tmp_path / "records.jsonl"
    records.write_text('{"text": "One. Two."}\n' * 5)
    assert text_facts(DataOptions(corpus=(str(records),))).layout.columns == {"text": "text"}


def test_of_a_long_text_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertcore.training.data_facts._MOST_READ", 800_000)
    file = tmp_path / "long.txt"
    file.write_text(("word " * 200 + "\n\n") * 1_000)
    facts = text_facts(DataOptions(corpus=(str(file),)))
    assert 0.75 < facts.share < 0.85 and abs(facts.documents / facts.share - 1_000) < 10
