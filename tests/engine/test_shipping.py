"""What the scripts say of a model that ships follows from its runs."""

import json
import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.predict import as_example
from bertcore.tasks.readers.reading import TaskFile
from bertcore.training.pretrain_options import PretrainOptions
from scripts.make_model import BOOKS, DRY_STEPS, ROOT
from scripts.what_pretraining_buys import TRIALS, _run, always_the_commonest, shown
from scripts.write_difference import with_mantissa
from tests.engine.corpora import STORIES
from tests.engine.models import tiny_checkpoint


def test_runs_from_random_weights_are_shared_by_checkpoints_of_one_architecture_alone(tmp_path: Path) -> None:
    model, twin = tiny_checkpoint(tmp_path / "model"), tmp_path / "twin"
    shutil.copytree(model, twin)
    (twin / "model.safetensors").write_bytes(b"other weights")
    deeper = tiny_checkpoint(tmp_path / "deeper", num_hidden_layers=3)

    def run(kind: str, folder: Path, rate: float | None = None, seed: int = 1) -> Path:
        return _run(tmp_path, TRIALS[0], kind, seed, str(folder), rate)

    assert run("random", model) == run("random", twin) != run("random", deeper)
    assert run("pretrained", model) != run("pretrained", twin)
    assert run("random", model, 1e-4) != run("random", model) != run("pretrained", model)
    assert run("random", model, seed=2) != run("random", model)


def test_a_b_of_blanks_is_no_second_text() -> None:
    assert as_example("classify", "A fine film.", " ") == as_example("classify", "A fine film.")


def test_always_the_commonest_answer_by_hand() -> None:
    labels = ("different", "same")
    given = ("same", "different", "same", "same")
    examples = tuple(TextExample("a", "b", label) for label in given)
    found = always_the_commonest(TaskFile("mrpc", Path("dev.tsv"), "dev", examples, labels, None, 0, ()))
    assert (found["accuracy"], found["matthews_correlation"]) == (0.75, 0.0)
    assert found["f1"] == pytest.approx(2 * 0.75 * 1 / 1.75)  # precision 3 of 4, recall 1
    assert always_the_commonest(TaskFile("conll2003", Path("eng.testa"), "dev", (), ("O",), None, 0, ())) == {}


def test_a_metric_is_shown_as_mean_and_deviation_over_the_seeds() -> None:
    assert shown([0.7, 0.8, 0.9]) == "0.800 ± 0.100"
    assert shown([0.5]) == "0.500"


def test_fewer_bits_of_the_mantissa_are_the_nearest_numbers_that_have_them() -> None:
    values = torch.tensor([1.0, 1.03, 1.04, -0.02, 3e-5, 0.0, 1.99])
    assert with_mantissa(values, 4).tolist() == pytest.approx([1.0, 1.0, 1.0625, -0.01953125, 2.956390e-5, 0.0, 2.0])
    noise = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    assert float(((with_mantissa(noise, 4) - noise) / noise).abs().max()) <= 2**-5


def _small_text(folder: Path, recipe: PretrainOptions) -> None:
    """A file of every name that the recipe reads, the books of invented people so that they can be split."""
    documents = STORIES.split("\n\n")
    folder.mkdir()
    for number, name in enumerate(recipe.data.mixture):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        with lzma.open(file, "wt", encoding="utf-8") as text:
            text.write("\n\n".join(documents[number : number + 20]))
    with lzma.open(folder / BOOKS, "wt", encoding="utf-8") as text:
        text.write("\n\n".join(part for book in range(40) for part in _parts_of_a_book(book)))


def _parts_of_a_book(book: int) -> list[str]:
    name = f"{'BCDFGHKLMN'[book % 10]}{'ae'[book // 20]}l{'ou'[book // 10 % 2]}dax"
    return ["\n".join(f"In part {part} a cook met {name}, and {name} sang." for _ in range(5)) for part in range(7)]


@pytest.mark.slow  # a minute, most of it the vocabulary and the measurements
def test_one_command_makes_a_model_from_nothing_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    recipe = PretrainOptions.from_file(assets() / "recipes" / "bertscope-mini.json")
    _small_text(tmp_path / "text", recipe)
    small = {**recipe.to_dict(), "preset": "tiny", "model": {}}
    (tmp_path / "recipe.json").write_text(json.dumps(small))
    command = [sys.executable, "scripts/make_model.py", "bertscope-mini", str(tmp_path / "text"), "--dry-run"]
    command += [
        "--out",
        str(tmp_path / "out"),
        "--into",
        str(tmp_path / "into"),
        "--recipe",
        str(tmp_path / "recipe.json"),
    ]
    for _ in range(2):  # the second time nothing is trained again
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        run = RunFolder(tmp_path / "out" / "bertscope-mini")
        assert (run.status().state, run.status().step) == ("done", DRY_STEPS)
    shipped = tmp_path / "into" / "assets" / "checkpoints" / "bertscope-mini"
    checkpoint = load_checkpoint(shipped)
    assert checkpoint.step == DRY_STEPS and not checkpoint.missing
    card = (shipped / "README.md").read_text()
    for kind in ("books", "encyclopedia", "everyday A", "everyday B", "news"):
        assert f"| {kind} |" in card
    assert (shipped / "reference.json").is_file()
    assert (tmp_path / "into" / "docs" / "cloze-bertscope-mini.md").is_file()
    curves = (tmp_path / "into" / "assets" / "runs" / "bertscope-mini" / "metrics.jsonl").read_text()
    assert str(tmp_path) not in curves + card
