"""`evaluate --all`: every figure of a pretrained model by one command."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.shell import Shell
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import write_text


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_checkpoint(tmp_path_factory.mktemp("model"), max_position_embeddings=160))


def test_all_figures_are_printed_and_kept(shell: Shell, model: str, tmp_path: Path) -> None:
    out, text = tmp_path / "new" / "report.json", str(write_text(tmp_path))
    answer = shell("evaluate", model, "--all", "--corpus", text, "--sequence-length", "32", "--out", str(out))
    assert answer.code == 0, answer.err
    for heading in ("Held-out text", "By position", "Cloze set", "Minimal pairs", "What the heads do"):
        # no document is as long as the model reads
        assert (f"## {heading}" in answer.out) == (heading != "By position")
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert kept["config"] == {"model": model, "corpus": [text], "sequence_length": 32}
    assert kept["held_out"]["length"] == 32 and kept["held_out"]["words"]["animals.txt"]["documents"] == 30
    written = out.with_suffix(".md").read_text(encoding="utf-8")
    assert answer.out.strip() in written and written.count("\n| ") > 200
    assert "animals.txt" in answer.err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--corpus", "absent.txt"), "absent.txt"),
        (("--out", "report.md"), "Name a .json file"),
        (("--data", "some.tsv"), "not both"),
    ],
)
def test_what_cannot_be_is_said_at_once(shell: Shell, model: str, flags: tuple[str, str], says: str) -> None:
    assert says in shell("evaluate", model, "--all", *flags).sentence
