"""What the scripts say of a model that ships follows from its runs."""

import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.evaluation.report import ModelReport
from bertcore.evaluation.sets import Cloze, MinimalPairs
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.examples import TextExample
from bertcore.tasks.inference.predict import as_example
from bertcore.tasks.readers.reading import TaskFile
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions
from scripts.ship_checkpoint import Piece, _card, _lengths, _stages
from scripts.what_pretraining_buys import TRIALS, _run, always_the_commonest, shown
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import write_text


@pytest.mark.parametrize(
    ("data", "minutes", "has"),
    [
        ({"long_sequence_length": 512}, 10.0003, False),  # the last step ends a little after the budget
        ({"long_sequence_length": 512, "long_share": 0.2}, 7.0, False),
        ({"long_sequence_length": 512, "long_share": 0.2}, 9.0, True),
        ({"long_sequence_length": 128, "long_share": 1.0}, 9.0, False),
    ],
)
def test_a_long_part_is_said_where_there_was_one(data: dict[str, float], minutes: float, has: bool) -> None:
    options = PretrainOptions(
        data=DataOptions(sequence_length=128, **data),  # type: ignore[arg-type]
        training=TrainingOptions(minutes=10),
    )
    assert Piece(RunFolder(Path("run")), options, Path("snapshot"), 500, 1000, minutes).has_long_part is has


def test_runs_from_random_weights_are_shared_by_checkpoints_of_one_architecture_alone(tmp_path: Path) -> None:
    model, twin = tiny_checkpoint(tmp_path / "model"), tmp_path / "twin"
    shutil.copytree(model, twin)
    (twin / "model.safetensors").write_bytes(b"other weights")
    deeper = tiny_checkpoint(tmp_path / "deeper", num_hidden_layers=3)

    def run(kind: str, folder: Path, rate: float | None = None) -> Path:
        return _run(tmp_path, TRIALS[0], kind, str(folder), rate)

    assert run("random", model) == run("random", twin) != run("random", deeper)
    assert run("pretrained", model) != run("pretrained", twin)
    assert run("random", model, 1e-4) != run("random", model) != run("pretrained", model)


def test_a_b_of_blanks_is_no_second_text() -> None:
    assert as_example("classify", "A fine film.", " ") == as_example("classify", "A fine film.")


def piece(minutes: float = 10.0, **data: float) -> Piece:
    options = PretrainOptions(
        data=DataOptions(sequence_length=128, long_sequence_length=512, **data),  # type: ignore[arg-type]
        training=TrainingOptions(minutes=10),
    )
    return Piece(RunFolder(Path("run")), options, Path("snapshot"), 500, 1000, minutes)


def test_the_lengths_of_sequences_are_told_in_their_order() -> None:
    plain, ended_long = piece(), piece(long_share=0.2)
    mixed, short = piece(long_share=1.0, long_every=4), piece(long_share=1.0, long_every=4, short_share=0.7)
    assert _lengths([plain, plain], 128) == "128 tokens"
    assert (
        _lengths([plain, ended_long, mixed, short], 512)
        == "128, then 512, then 128 and 512, then 32 and 128 and 512 tokens"
    )
    assert _lengths([plain, piece(5.0, long_share=0.2)], 512).endswith("**positions beyond 128 were never trained**")
    assert _lengths([piece(long_share=1.0)], 512) == "512 tokens"
    assert _lengths([piece(short_share=1.0)], 128) == "32 tokens; **positions beyond 32 were never trained**"


def test_each_stage_is_told_with_its_steps_tokens_and_minutes() -> None:
    first = replace(piece(9.6), step=1930, tokens=7_640_000)
    rows = _stages([first, replace(piece(), step=564, tokens=2_100_000)], ["a-1.json", "a-2.json"]).splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    assert cells[0][:5] == ["stage", "steps", "tokens", "minutes", "started from"]
    assert cells[2][:5] == ["1", "1,930", "7,640,000", "10", "random weights"]
    assert cells[3][:5] == ["2", "564", "2,100,000", "10", "step 1,930 of stage 1"]
    assert "a-1.json" in cells[2][5] and "a-2.json" in cells[3][5]
    assert "stopped after 96%" in cells[2][5] and "stopped after" not in cells[3][5]


def test_the_card_names_its_text_so_that_it_can_be_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home"))
    text = write_text(tmp_path)
    checkpoint = load_checkpoint(
        tiny_checkpoint(
            tmp_path / "model",
        )
    )
    options = replace(piece().options, data=DataOptions(corpus=(str(text),)))
    report = ModelReport("tiny", 500, 1000, None, Cloze(()), Cloze(()), MinimalPairs(()), None)
    pieces = [replace(piece(), options=options)]
    card = _card(replace(checkpoint, step=500), pieces, report, "one core", "")
    content = text.read_bytes()
    assert f"`animals.txt`. {len(content):,} bytes, SHA-256 `{sha256(content).hexdigest()}`" in card
    corpus = load_corpus([text], checkpoint.tokenizer)
    training, held_out = (corpus.count_tokens(held_out=side) for side in (False, True))
    assert f"{training:,} tokens to train on and {held_out:,} held out" in card
    assert f"{1000 / training:.2f} times the training text" in card


def test_always_the_commonest_answer_by_hand() -> None:
    labels = ("different", "same")
    given = ("same", "different", "same", "same")
    examples = tuple(TextExample("a", "b", label) for label in given)
    found = always_the_commonest(TaskFile("mrpc", Path("dev.tsv"), "dev", examples, labels, None, 0, ()))
    assert (found["accuracy"], found["matthews_correlation"]) == (0.75, 0.0)
    assert found["f1"] == pytest.approx(2 * 0.75 * 1 / 1.75)  # precision 3 of 4, recall 1
    assert always_the_commonest(TaskFile("conll2003", Path("eng.testa"), "dev", (), ("O",), None, 0, ())) == {}


def test_an_accuracy_has_the_standard_error_of_a_share() -> None:
    found = {"accuracy": 0.8, "f1": 0.7}
    assert shown(found, "accuracy", 400) == "0.800 ± 0.020"  # the root of 0.8 * 0.2 / 400
    assert (shown(found, "f1", 400), shown(found, "matthews_correlation", 400)) == ("0.700", "")
