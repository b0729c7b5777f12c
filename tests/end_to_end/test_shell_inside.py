"""attribute, lens, heads and check: what the shell says is what the methods of a model say."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis.reference_values import REFERENCE_FILE, check_reference
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.cli import check_command
from bertcore.loaded_model import load
from tests.end_to_end.shell import Shell
from tests.engine.models import tiny_checkpoint

MASKED = "the cat [MASK] on a mat"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_checkpoint(tmp_path_factory.mktemp("model"))


def test_attribute(shell: Shell, model: Path, tmp_path: Path) -> None:
    given = ("attribute", model, "--a", MASKED, "--wanted", "sat", "--against", "sang", "--method", "leave_one_out")
    found = shell(*given, "--json", "--out", tmp_path / "found.json").json
    expected = load(model).attribute(MASKED, wanted="sat", against="sang", method="leave_one_out")
    assert found["tokens"] == expected.rows() and found["value"] == expected.value
    assert found["prediction"] == expected.prediction and (tmp_path / "found.json").is_file()
    shown = shell(*given).out
    assert f"{expected.scores[2]:+.3f}" in shown and f"{expected.value:.3f}" in shown
    assert "method" in shell("attribute", model, "--a", MASKED, "--method", "guessing").sentence


def test_lens(shell: Shell, model: Path) -> None:
    expected = load(model).lens(MASKED, top=2).rows()
    assert shell("lens", model, "--a", MASKED, "--top", 2, "--json").json == {"words": expected}
    assert len(expected) == 6 and f"{expected[-2]['probability']:.1%}" in shell("lens", model, "--a", MASKED).out
    assert "[MASK]" in shell("lens", model, "--a", "the cat").sentence


def test_heads(shell: Shell, model: Path) -> None:
    expected = load(model).heads(MASKED)
    assert shell("heads", model, "--a", MASKED, "--json").json == {"heads": expected.rows()}
    assert expected[0].kind in shell("heads", model, "--a", MASKED).out
    assert "No head does that" in shell("heads", model, "--a", MASKED, "--where", "attn(cat -> mat) > 0.999").out


class TestCheck:
    """Against `transformers` itself, by family and head: tests/engine/test_parity_families.py."""

    def test_a_model_that_agrees_gets_values_for_the_window(self, shell: Shell, tmp_path: Path) -> None:
        folder = tiny_checkpoint(tmp_path / "model")
        found = shell("check", folder, "--json").json
        assert found["agrees"] and found["class"] == "BertForPreTraining"
        assert list(found["differences"]) == ["hidden", "attentions", "mlm", "nsp"]
        assert found["largest_difference"] == max(found["differences"].values()) < 1e-4
        assert found["reference"] == str(folder / REFERENCE_FILE)
        checked = check_reference(load_checkpoint(folder))
        assert checked is not None and checked.problem is None
        again = shell("check", folder)
        assert again.code == 0 and "The same as BertForPreTraining" in again.out and "hidden states" in again.out

    @pytest.mark.parametrize("heads", [("classify",), ("tag",), ("span",), ("choice",), ()])
    @pytest.mark.parametrize("model_type", ["bert", "distilbert", "roberta"])
    def test_every_head_that_the_other_class_has_is_compared(
        self, shell: Shell, tmp_path: Path, model_type: str, heads: tuple[str, ...]
    ) -> None:
        shape = {"distilbert": {"type_vocab_size": 0}, "roberta": {"type_vocab_size": 1}}.get(model_type, {})
        folder = tiny_checkpoint(tmp_path, output_heads=heads, model_type=model_type, labels=("no", "yes"), **shape)
        found = shell("check", folder, "--json").json
        assert found["agrees"] and list(found["differences"]) == ["hidden", "attentions", *heads]
        assert found["reference"] is None and not (folder / REFERENCE_FILE).exists()

    @pytest.mark.parametrize("wrong", [0.5, float("nan")])
    def test_a_model_that_differs_is_told_and_gets_none(
        self, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: float
    ) -> None:
        folder, right = tiny_checkpoint(tmp_path), check_command.our_outputs

        def changed(*given: object) -> dict[str, torch.Tensor]:
            found = right(*given)  # type: ignore[arg-type]
            return {**found, "nsp": found["nsp"] + wrong}

        monkeypatch.setattr(check_command, "our_outputs", changed)
        answer = shell("check", folder)
        assert answer.code == 1 and "Not the same as BertForPreTraining" in answer.out
        assert not (folder / REFERENCE_FILE).exists()
        if np.isfinite(wrong):
            assert shell("check", folder, "--tolerance", 1).code == 0

    def test_without_transformers_one_sentence_says_so(
        self, shell: Shell, model: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "transformers", None)
        assert "pip install transformers" in shell("check", model).sentence
