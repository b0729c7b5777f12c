"""The shell with models of other families, and with something changed on the way."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis import family_table
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.checkpoint.config_file import read_pooling
from bertcore.config import BertConfig
from tests.end_to_end.shell import PAIR, Shell
from tests.engine.models import tiny_model, word_tokenizer


def saved(folder: Path, *heads: str, **changes: object) -> Path:
    pooler = changes.get("model_type", "bert") in ("bert", "albert")
    save_checkpoint(tiny_model(heads, pooler=pooler, **changes), word_tokenizer(), folder)
    return folder


class TestFill:
    def test_albert_says_what_the_order_is(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path, "mlm", "sop", model_type="albert", embedding_size=16, num_hidden_groups=1)
        answer = shell("fill", model, "--a", "The [MASK] sat.", "--b", "It was.", "--json").json
        assert sum(answer["sentence_order"].values()) == pytest.approx(1)
        assert answer["next_sentence"] is None and len(answer["masks"]) == 1
        assert "A comes before B" in shell("fill", model, *PAIR).out

    def test_electra_says_what_it_takes_for_replaced(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path, "rtd", model_type="electra", embedding_size=16)
        answer = shell("fill", model, *PAIR, "--json").json
        assert answer["replaced"][0]["token"] == "[CLS]"
        assert all(0 <= token["probability"] <= 1 for token in answer["replaced"])
        assert "discriminator" in shell("fill", model, "--a", "The [MASK] sat.").sentence

    def test_a_sentence_encoder_says_how_alike_they_are(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path)
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
        same = shell("fill", model, "--a", "The cat sat.", "--b", "The cat sat.", "--json").json
        other = shell("fill", model, *PAIR, "--json").json
        assert same["similarity"] == pytest.approx(1, abs=1e-5) and other["similarity"] < 0.999
        assert shell("info", model, "--json").json["pooling"] == "mean"

    @pytest.mark.parametrize(
        ("further", "pooling"),
        [(("Pooling", "Normalize"), "mean"), (("Pooling",), "mean"), (("Pooling", "Dense"), None)],
    )
    def test_what_follows_the_pooling_is_known_or_it_is_no_sentence_encoder(
        self, shell: Shell, tmp_path: Path, further: tuple[str, ...], pooling: str | None
    ) -> None:
        """A dense layer on top is none of ours: without it the likeness would be another."""
        model = saved(tmp_path)
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
        modules = [{"idx": i, "type": f"sentence_transformers.models.{name}"} for i, name in enumerate(further)]
        (tmp_path / "modules.json").write_text(json.dumps(modules))
        found = read_pooling(tmp_path)
        assert (found and found.kind) == pooling and shell("info", model, "--json").json["pooling"] == pooling
        assert found is None or found.normalised == ("Normalize" in further)  # its folder is empty, and git keeps none

    def test_damaged_modules_are_said(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path)
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
        for damaged in ("{", "[1]", '[{"idx": 0}]', "7"):
            (tmp_path / "modules.json").write_text(damaged)
            assert "modules.json" in shell("info", model).sentence

    def test_no_mlm_head_is_refused_unless_a_random_one_will_do(self, shell: Shell, encoder_only: Path) -> None:
        asked = ("fill", encoder_only, "--a", "The [MASK] sat.")
        assert "MLM" in shell(*asked).sentence
        answer = shell(*asked, "--allow-random", "--json").json
        assert answer["random_output_heads"] == ["mlm"] and len(answer["masks"][0]["predictions"]) == 5
        assert "mean nothing" in shell(*asked, "--allow-random").err


class TestInfo:
    def test_what_a_family_lacks_is_said(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path, "mlm", model_type="distilbert", type_vocab_size=0)
        facts = shell("info", model, "--json").json
        assert facts["family"] == "distilbert" and facts["segments"] == 0
        assert "no segments" in facts["missing"]["segments"]
        assert "DistilBERT has no segments" in shell("info", model).out

    def test_compare(self, shell: Shell, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        small = {"bert-base-uncased": {}, "distilbert-base-uncased": {"num_hidden_layers": 6}}
        monkeypatch.setattr(family_table, "PUBLISHED", small)  # the large ones take half a minute
        monkeypatch.setattr(family_table, "TOKENS", 8)
        rows = {row["name"]: row for row in shell("info", model, "--compare", "--json").json}
        assert set(rows) == {str(model), *small}
        assert rows["bert-base-uncased"]["parameters"] == 109_482_240 and rows["bert-base-uncased"]["speed"] == 1
        assert rows[str(model)]["layers"] == 2 and rows[str(model)]["speed"] > 1

    @pytest.mark.parametrize("columns", ["40", "60", "200"])
    def test_a_narrow_terminal_cuts_nothing_off(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch, columns: str
    ) -> None:
        name = "google/electra-small-discriminator"
        monkeypatch.setattr(family_table, "PUBLISHED", {"bert-base-uncased": {"num_hidden_layers": 1}, name: {}})
        monkeypatch.setattr(family_table.BertConfig, "preset", classmethod(lambda cls, name: BertConfig()))
        monkeypatch.setattr(family_table, "TOKENS", 8)
        monkeypatch.setattr(family_table, "_seconds", lambda model, tokens: 1.0)
        monkeypatch.setenv("COLUMNS", columns)
        out = shell("info", "--compare").out
        first = "".join(line.split()[0] for line in out.splitlines() if line.strip())
        assert name in first and "bert-base-uncased" in first and "\u2026" not in out

    def test_one_slow_pass_changes_no_speed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A ratio is the median of several, taken on one thread."""
        monkeypatch.setattr(family_table, "PUBLISHED", {"bert-base-uncased": {}})
        times = iter([9.0, 9.0, 2.0, 1.0, 2.0, 50.0, 2.0, 1.0, 40.0, 1.0, 2.0, 1.0] + [1.0] * 12)
        threads = []

        def timed(model: object, tokens: int) -> float:
            threads.append(torch.get_num_threads())
            return next(times)

        monkeypatch.setattr(family_table, "_seconds", timed)
        monkeypatch.setattr(family_table, "_empty_model", lambda config: None)
        before = torch.get_num_threads()
        (own, *_) = family_table.family_table({"own": BertConfig(num_hidden_layers=1)})
        assert own.speed == 2.0 and set(threads) == {1} and torch.get_num_threads() == before

    def test_a_folder_named_like_markup_is_written_out(
        self, shell: Shell, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(family_table, "PUBLISHED", {"bert-base-uncased": {"num_hidden_layers": 1}})
        monkeypatch.setattr(family_table, "TOKENS", 8)
        monkeypatch.chdir(tmp_path)
        shutil.copytree(model, tmp_path / "[red]m")
        assert "[red]m" in shell("info", "[red]m", "--compare").out

    def test_a_published_size_without_weights(self, shell: Shell) -> None:
        assert shell("info", "--preset", "roberta-base", "--json").json["parameters"] == 124_645_632
        assert "roberta" in BertConfig.preset("roberta-base").model_type


class TestTrace:
    def arrays(self, shell: Shell, model: Path, folder: Path, *flags: str) -> dict[str, np.ndarray]:
        answer = shell("trace", model, *PAIR, *flags, "--out", folder / "x.npz")
        assert answer.code == 0, answer.err
        with np.load(folder / "x.npz") as file:
            return dict(file)

    def test_heads_switched_off(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        whole = self.arrays(shell, model, tmp_path)
        without = self.arrays(shell, model, tmp_path, "--ablate", "2.1,2.4")
        assert np.array_equal(whole["hidden_states"][1], without["hidden_states"][1])  # layer 1 knows nothing of it
        assert np.abs(whole["hidden_states"][2] - without["hidden_states"][2]).max() > 1e-3

    def test_segments_and_positions_set(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        whole = self.arrays(shell, model, tmp_path)
        changed = self.arrays(shell, model, tmp_path, "--set-segment", "2=1", "--set-position", "1=3,3=1")
        assert whole["segment_ids"][2] == 0 and changed["segment_ids"][2] == 1
        assert changed["position_ids"][:4].tolist() == [0, 3, 2, 1]
        assert np.array_equal(changed["segment_embeddings"][2], whole["segment_embeddings"][-1])
        same = self.arrays(shell, model, tmp_path, "--set-segment", "2=0", "--set-position", "1=1")
        assert all(np.array_equal(same[name], whole[name]) for name in whole)

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            (("--ablate", "3.1"), "no layer 3.*layers 1 to 2"),
            (("--ablate", "1.5"), "head 5"),
            (("--ablate", "one"), "layer.head"),
            (("--set-segment", "2=2"), "segment 2"),
            (("--set-segment", "40=1"), "no token 40"),
            (("--set-position", "1=40"), "position 40"),
            (("--set-position", "1"), "position=value"),
        ],
    )
    def test_what_cannot_be_changed_is_a_sentence(
        self, shell: Shell, model: Path, flags: tuple[str, ...], says: str
    ) -> None:
        import re

        assert re.search(says, shell("trace", model, *PAIR, *flags).sentence)

    def test_a_model_without_segments(self, shell: Shell, tmp_path: Path) -> None:
        model = saved(tmp_path, "mlm", model_type="distilbert", type_vocab_size=0)
        assert "no segments" in shell("trace", model, "--a", "The cat.", "--set-segment", "1=1").sentence
        arrays = self.arrays(shell, model, tmp_path)
        assert "segment_embeddings" not in arrays and "token_embeddings" in arrays
