"""What the shell says of models and texts: one, two side by side, many at once, of other families, or with a change."""

import csv
import gzip
import json
import re
import sys

import numpy as np
import pytest
import torch

from bertcore.analysis import family_table
from bertcore.analysis.reference_values import REFERENCE_FILE, check_reference
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import read_pooling
from bertcore.cli import check_command
from bertcore.config import BertConfig
from bertcore.loaded_model import load
from tests.end_to_end.shell import PAIR
from tests.engine.models import SHAPES, tiny_checkpoint, tiny_model, word_tokenizer
from tests.limited import needs_limits, no_larger_files
from tests.text_file import text_file

# --- two models or texts side by side, where their difference is, and many texts at once

MASKED, OTHER = "The cat sat on [MASK].", "The dog sat on [MASK]."


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    return tiny_checkpoint(tmp_path_factory.mktemp("classifier"), output_heads=("classify",), labels=("bad", "good"))


class TestCompare:
    def test_texts(self, shell, model, tmp_path):
        out = tmp_path / "found" / "comparison.json"
        given = ("compare", model, "--a", MASKED, "--other-a", OTHER)
        found = shell(*given, "--json", "--out", out).json
        assert json.loads(out.read_text()) == found
        assert found["other_positions"] == list(range(8)) and found["other_tokens"][2] == "dog"
        assert np.shape(found["states"]) == (3, 8) and np.shape(found["cka"]) == (3, 3)
        assert len(found["heads"]) == 8 and found["words"][0]["rank"] == 1
        assert "parameters" not in found and found["notes"] == []
        shown = shell(*given).out
        assert shown.startswith(f"Other: {OTHER}\n")
        most = max(found["heads"], key=lambda head: head["divergence_bits"])
        rows = [line.split() for line in shown.split("count from 1:\n")[1].splitlines()]
        first = next(row for row in rows if row and row[0].isdigit())
        assert first == [str(most["layer"] + 1), str(most["head"] + 1), f"{most['divergence_bits']:.3f}"]

    def test_sentence_b_stays_where_none_is_given(self, shell, model):
        given = ("compare", model, "--a", "The cat", "--b", "It sat", "--other-a", "The dog", "--json")
        assert shell(*given).json["other_tokens"][4:6] == ["it", "sat"]
        assert len(shell(*given, "--other-b", "").json["other_tokens"]) == 4

    def test_models(self, shell, model, classifier):
        found = shell("compare", classifier, "--other-model", model, "--json").json
        assert found.keys() == {"parameters", "moved_words", "notes"}
        assert found["parameters"][0].keys() == {"layer", "part", "change", "other_norm", "relative"}
        shown = shell("compare", classifier, "--other-model", model, "--a", "A cat").out
        assert "Answer: " in shown and "Answer of the other" not in shown and "Parameters that changed most" in shown

    def test_what_cannot_be_compared_is_said(self, shell, model):
        assert "nothing to compare with" in shell("compare", model, "--a", "A cat").sentence
        assert "--a is empty" in shell("compare", model, "--other-a", "A cat").sentence
        assert "give that too" in shell("compare", model, "--a", "A cat", "--other-b", "A dog").sentence
        assert "no training steps" in shell("compare", model, "--other-step", "100").sentence
        assert "no word in common" in shell("compare", model, "--a", "the cat", "--other-a", "it was").out


class TestPatch:
    def test_the_map(self, shell, model):
        given = ("patch", model, "--a", MASKED, "--other-a", OTHER, "--wanted", "cat")
        found = shell(*given, "--json").json
        assert np.abs(found["map"] - load(model).patch(MASKED, other_a=OTHER, wanted="cat").map).max() < 1e-6
        assert np.shape(found["map"]) == (3, 8) and found["target"] == "cat"
        shown = shell(*given).out
        assert "cat / dog" in shown and "emb." in shown and "cat: " in shown
        heads = shell(*given, "--part", "head", "--json").json
        assert np.shape(heads["map"]) == (2, 4)
        assert "head 4" in shell(*given, "--part", "head").out

    def test_sentence_b_stays_where_none_is_given_and_what_is_too_long_is_cut_off(self, shell, model):
        found = shell("patch", model, "--a", "The cat", "--b", "It sat", "--other-a", "The dog", "--json").json
        assert found["target"] == "next sentence" and found["other_tokens"][4:6] == ["it", "sat"]
        a, other = (" ".join([word, *["sat"] * 60]) for word in ("cat", "dog"))
        found = shell("patch", model, "--a", a, "--b", "it", "--other-a", other, "--json").json
        assert np.shape(found["map"]) == (3, 40)  # as many tokens as the model reads

    def test_a_label(self, shell, classifier):
        given = ("patch", classifier, "--a", "A cat", "--other-a", "A dog", "--json")
        assert shell(*given, "--wanted", "good", "--against", "bad").json["target"] == "good against bad"
        assert "has no label 'nice'" in shell(*given, "--wanted", "nice").sentence

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--a", "", "--other-a", "The dog"), "--a is empty"),
            (("--a", MASKED), "--other-a is empty"),
            (("--a", MASKED, "--other-a", MASKED), "nearly the same score"),
            (("--a", MASKED, "--other-a", OTHER, "--part", "neuron"), "choose one of state"),
            (("--a", MASKED, "--other-a", OTHER, "--position", "99"), "There is no token 99"),
        ],
    )
    def test_one_sentence_for_what_cannot_be_patched(self, shell, model, arguments, says):
        assert says in shell("patch", model, *arguments).sentence


@pytest.mark.parametrize("command", ["compare", "patch", "score", "trace", "embed"])
@needs_limits
def test_a_file_that_cannot_be_written_whole_is_named(shell, model, tmp_path, command):
    (tmp_path / "texts.txt").write_text("A cat sat\n" * 20)
    given = {
        "compare": (model, "--a", MASKED, "--other-a", OTHER),
        "patch": (model, "--a", MASKED, "--other-a", OTHER, "--wanted", "cat"),
        "score": (tmp_path / "texts.txt", "--model", model),
        "trace": (model, "--a", MASKED),
        "embed": (model, "--file", tmp_path / "texts.txt"),
    }[command]
    out = tmp_path / "made" / "out.npz"
    out.parent.mkdir()
    with no_larger_files() as limit:
        limit(512)
        sentence = shell(command, *given, "--out", out).sentence
    assert sentence == f"The file {out} cannot be written: file too large; choose another place."
    assert list(out.parent.iterdir()) == []


class TestScore:
    def test_a_file(self, shell, model, tmp_path):
        file, out = tmp_path / "texts.txt", tmp_path / "tables" / "scores.csv"
        file.write_text("The [cat|dog] sat on [MASK].\n")
        given = ("score", file, "--model", model, "--word", "cat")
        found = shell(*given, "--json", "--out", out).json
        assert [text["choices"] for text in found["texts"]] == [["cat"], ["dog"]]
        assert found["means"] == [
            {name: text["word_probability"] for name, text in zip(("cat", "dog"), found["texts"], strict=True)}
        ]
        rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
        assert [row["a"] for row in rows] == [MASKED, OTHER]
        assert float(rows[1]["log_likelihood"]) == found["texts"][1]["log_likelihood"]
        shown = shell(*given).out
        assert "mean at place 1: cat " in shown and "similarity" not in shown

    def test_a_fine_tuned_model(self, shell, classifier, tmp_path):
        file = text_file(tmp_path / "texts.txt", "A cat\nA dog\tIt sat\n")
        (first, second) = shell("score", file, "--model", classifier, "--json").json["texts"]
        assert {first["answer"], second["answer"]} <= {"bad", "good"} and second["b"] == "It sat"
        assert "answer" in shell("score", file, "--model", classifier).out

    def test_texts_that_are_cut_off_are_counted(self, shell, model, tmp_path):
        file, out = tmp_path / "texts.txt", tmp_path / "scores.csv"
        file.write_text(f"A cat\n{'the cat sat ' * 20}\n")
        found = shell("score", file, "--model", model, "--json", "--out", out)
        assert [text["dropped"] for text in found.json["texts"]] == [0, 22]
        assert found.err == (
            "1 of 2 texts is longer than the 40 tokens that the model reads; what is said is of its beginning.\n"
        )
        assert [row["dropped"] for row in csv.DictReader(out.read_text("utf-8").splitlines())] == ["0", "22"]
        file.write_text(f"{'the cat sat ' * 20}[MASK]\n")
        cut = shell("score", file, "--model", model, "--word", "cat").sentence
        assert cut.startswith("texts.txt, line 1: a [MASK] was cut off")
        assert "There is no file" in shell("score", tmp_path / "none.txt", "--model", model).sentence


# --- attribute, lens, heads and check: what the methods of a model say

MAT = "the cat [MASK] on a mat"


def test_attribute(shell, model, tmp_path):
    given = ("attribute", model, "--a", MAT, "--wanted", "sat", "--against", "sang", "--method", "leave_one_out")
    found = shell(*given, "--json", "--out", tmp_path / "found.json").json
    expected = load(model).attribute(MAT, wanted="sat", against="sang", method="leave_one_out")
    assert found["tokens"] == expected.rows() and found["value"] == expected.value
    assert found["prediction"] == expected.prediction and (tmp_path / "found.json").is_file()
    shown = shell(*given).out
    assert f"{expected.scores[2]:+.3f}" in shown and f"{expected.value:.3f}" in shown
    assert "method" in shell("attribute", model, "--a", MAT, "--method", "guessing").sentence


def test_lens(shell, model):
    expected = load(model).lens(MAT, top=2).rows()
    assert shell("lens", model, "--a", MAT, "--top", 2, "--json").json == {"words": expected}
    assert len(expected) == 6 and f"{expected[-2]['probability']:.1%}" in shell("lens", model, "--a", MAT).out
    assert "[MASK]" in shell("lens", model, "--a", "the cat").sentence


def test_heads(shell, model):
    expected = load(model).heads(MAT)
    assert shell("heads", model, "--a", MAT, "--json").json == {"heads": expected.rows()}
    assert expected[0].kind in shell("heads", model, "--a", MAT).out
    assert "No head does that" in shell("heads", model, "--a", MAT, "--where", "attn(cat -> mat) > 0.999").out


class TestCheck:
    """Against `transformers` itself, by family and head: tests/engine/test_parity.py."""

    def test_a_model_that_agrees_gets_values_for_the_window(self, shell, tmp_path):
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
    @pytest.mark.parametrize("family", ["bert", "distilbert", "roberta"])
    def test_every_head_that_the_other_class_has_is_compared(self, shell, tmp_path, family, heads):
        shape = {name: value for name, value in SHAPES[family].items() if name != "pad_token_id"}
        folder = tiny_checkpoint(tmp_path, output_heads=heads, labels=("no", "yes"), **shape)
        found = shell("check", folder, "--json").json
        assert found["agrees"] and list(found["differences"]) == ["hidden", "attentions", *heads]
        assert found["reference"] is None and not (folder / REFERENCE_FILE).exists()

    @pytest.mark.parametrize("wrong", [0.5, float("nan")])
    def test_a_model_that_differs_is_told_and_gets_none(self, shell, tmp_path, monkeypatch, wrong):
        folder, right = tiny_checkpoint(tmp_path), check_command.our_outputs

        def changed(*given):
            found = right(*given)
            return {**found, "nsp": found["nsp"] + wrong}

        monkeypatch.setattr(check_command, "our_outputs", changed)
        answer = shell("check", folder)
        assert answer.code == 1 and "Not the same as BertForPreTraining" in answer.out
        assert not (folder / REFERENCE_FILE).exists()
        if np.isfinite(wrong):
            assert shell("check", folder, "--tolerance", 1).code == 0

    def test_without_transformers_one_sentence_says_so(self, shell, model, monkeypatch):
        monkeypatch.setitem(sys.modules, "transformers", None)
        assert "pip install transformers" in shell("check", model).sentence


# --- `bertcore embed` writes the vectors that `LoadedModel.embed` gives, line by line

TEXTS = ["A cat sat.", "It was a very warm and comfortable day, said the cat.", "Dogs bark."]


@pytest.fixture
def lines(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join([TEXTS[0], "", *TEXTS[1:]]) + "\n", encoding="utf-8")
    return tmp_path / "texts.txt"


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_the_arrays_are_those_of_python(shell, lines, tmp_path, pooling):
    out = tmp_path / "vectors.npz"
    found = shell("embed", "bertscope-tiny", "--file", str(lines), "--pooling", pooling, "--out", str(out), "--json")
    assert found.json["texts"] == 3 and found.json["file"] == str(out)
    with np.load(out) as arrays:
        assert arrays["texts"].tolist() == TEXTS
        expected = load("bertscope-tiny").embed(TEXTS, pooling=pooling)
        assert np.allclose(arrays["vectors"], expected, atol=1e-6)


def test_a_text_that_is_cut_off_is_told_in_a_line_and_what_it_needs_is_said(shell, tmp_path):
    file = text_file(tmp_path / "texts.txt", "the cat sat " * 300)
    found = shell("embed", "bertscope-tiny", "--file", str(file), "--out", str(tmp_path / "vectors.npz"))
    assert found.code == 0
    assert found.err == (
        "bertcore: The text is longer than the 512 tokens that the model reads; what is said is of its beginning.\n"
    )
    (tmp_path / "empty.txt").write_text("\n\n")
    assert "--file TEXTS" in shell("embed", "bertscope-tiny").err
    assert "has no text" in shell("embed", "bertscope-tiny", "--file", str(tmp_path / "empty.txt")).err


def test_a_table_and_a_packed_file(shell, lines, tmp_path):
    packed, out = tmp_path / "texts.txt.gz", tmp_path / "vectors.csv"
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    assert shell("embed", "bertscope-tiny", "--file", str(packed), "--out", str(out)).code == 0
    head, *rows = csv.reader(out.read_text("utf-8").splitlines())
    vectors = load("bertscope-tiny").embed(TEXTS)
    assert head[:2] == ["text", "0"] and [row[0] for row in rows] == TEXTS
    assert np.allclose(np.array([row[1:] for row in rows], dtype=np.float32), vectors, atol=1e-6)


# --- models of other families, and something changed on the way


def saved(folder, *heads, **changes):
    pooler = changes.get("model_type", "bert") in ("bert", "albert")
    save_checkpoint(tiny_model(heads, pooler=pooler, **changes), word_tokenizer(), folder)
    return folder


def sentence_encoder(folder):
    (folder / "1_Pooling").mkdir()
    text_file(folder / "1_Pooling" / "config.json", json.dumps({"pooling_mode_mean_tokens": True}))
    return saved(folder)


class TestFill:
    def test_albert_says_what_the_order_is(self, shell, tmp_path):
        model = saved(tmp_path, "mlm", "sop", model_type="albert", embedding_size=16, num_hidden_groups=1)
        answer = shell("fill", model, "--a", "The [MASK] sat.", "--b", "It was.", "--json").json
        assert sum(answer["sentence_order"].values()) == pytest.approx(1)
        assert answer["next_sentence"] is None and len(answer["masks"]) == 1
        assert "A comes before B" in shell("fill", model, *PAIR).out

    def test_electra_says_what_it_takes_for_replaced(self, shell, tmp_path):
        model = saved(tmp_path, "rtd", model_type="electra", embedding_size=16)
        answer = shell("fill", model, *PAIR, "--json").json
        assert answer["replaced"][0]["token"] == "[CLS]"
        assert all(0 <= token["probability"] <= 1 for token in answer["replaced"])
        assert "discriminator" in shell("fill", model, "--a", "The [MASK] sat.").sentence

    def test_a_sentence_encoder_says_how_alike_they_are(self, shell, tmp_path):
        model = sentence_encoder(tmp_path)
        same = shell("fill", model, "--a", "The cat sat.", "--b", "The cat sat.", "--json").json
        other = shell("fill", model, *PAIR, "--json").json
        assert same["similarity"] == pytest.approx(1, abs=1e-5) and other["similarity"] < 0.999
        assert shell("info", model, "--json").json["pooling"] == "mean"

    @pytest.mark.parametrize(
        ("further", "pooling"),
        [(("Pooling", "Normalize"), "mean"), (("Pooling",), "mean"), (("Pooling", "Dense"), None)],
    )
    def test_what_follows_the_pooling_is_known_or_it_is_no_sentence_encoder(self, shell, tmp_path, further, pooling):
        """A dense layer on top is none of ours: without it the likeness would be another."""
        model = sentence_encoder(tmp_path)
        modules = [{"idx": i, "type": f"sentence_transformers.models.{name}"} for i, name in enumerate(further)]
        (tmp_path / "modules.json").write_text(json.dumps(modules))
        found = read_pooling(tmp_path)
        assert (found and found.kind) == pooling and shell("info", model, "--json").json["pooling"] == pooling
        assert found is None or found.normalised == ("Normalize" in further)  # its folder is empty, and git keeps none
        for damaged in ("{", "[1]", '[{"idx": 0}]', "7"):
            (tmp_path / "modules.json").write_text(damaged)
            assert "modules.json" in shell("info", model).sentence

    def test_no_mlm_head_is_refused_unless_a_random_one_will_do(self, shell, encoder_only):
        asked = ("fill", encoder_only, "--a", "The [MASK] sat.")
        assert "MLM" in shell(*asked).sentence
        answer = shell(*asked, "--allow-random", "--json").json
        assert answer["random_output_heads"] == ["mlm"] and len(answer["masks"][0]["predictions"]) == 5
        assert "mean nothing" in shell(*asked, "--allow-random").err


class TestInfo:
    def test_what_a_family_lacks_is_said(self, shell, tmp_path):
        model = saved(tmp_path, "mlm", model_type="distilbert", type_vocab_size=0)
        facts = shell("info", model, "--json").json
        assert facts["family"] == "distilbert" and facts["segments"] == 0
        assert "no segments" in facts["missing"]["segments"]
        assert "DistilBERT has no segments" in shell("info", model).out

    def test_compare(self, shell, model, monkeypatch):
        small = {"bert-base-uncased": {}, "distilbert-base-uncased": {"num_hidden_layers": 6}}
        monkeypatch.setattr(family_table, "PUBLISHED", small)  # the large ones take half a minute
        monkeypatch.setattr(family_table, "TOKENS", 8)
        rows = {row["name"]: row for row in shell("info", model, "--compare", "--json").json}
        assert set(rows) == {str(model), *small}
        assert rows["bert-base-uncased"]["parameters"] == 109_482_240 and rows["bert-base-uncased"]["speed"] == 1
        assert rows[str(model)]["layers"] == 2 and rows[str(model)]["speed"] > 1

    def test_one_slow_pass_changes_no_speed(self, monkeypatch):
        """A ratio is the median of several, taken on one thread."""
        monkeypatch.setattr(family_table, "PUBLISHED", {"bert-base-uncased": {}})
        times = iter([9.0, 9.0, 2.0, 1.0, 2.0, 50.0, 2.0, 1.0, 40.0, 1.0, 2.0, 1.0] + [1.0] * 12)
        threads = []

        def timed(model, tokens):
            threads.append(torch.get_num_threads())
            return next(times)

        monkeypatch.setattr(family_table, "_seconds", timed)
        monkeypatch.setattr(family_table, "_empty_model", lambda config: None)
        before = torch.get_num_threads()
        (own, *_) = family_table.family_table({"own": BertConfig(num_hidden_layers=1)})
        assert own.speed == 2.0 and set(threads) == {1} and torch.get_num_threads() == before


class TestTrace:
    def arrays(self, shell, model, folder, *flags):
        answer = shell("trace", model, *PAIR, *flags, "--out", folder / "x.npz")
        assert answer.code == 0, answer.err
        with np.load(folder / "x.npz") as file:
            return dict(file)

    def test_heads_switched_off(self, shell, model, tmp_path):
        whole = self.arrays(shell, model, tmp_path)
        without = self.arrays(shell, model, tmp_path, "--ablate", "2.1,2.4")
        assert np.array_equal(whole["hidden_states"][1], without["hidden_states"][1])  # layer 1 knows nothing of it
        assert np.abs(whole["hidden_states"][2] - without["hidden_states"][2]).max() > 1e-3

    def test_segments_and_positions_set(self, shell, model, tmp_path):
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
    def test_what_cannot_be_changed_is_a_sentence(self, shell, model, flags, says):
        assert re.search(says, shell("trace", model, *PAIR, *flags).sentence)

    def test_a_model_without_segments(self, shell, tmp_path):
        model = saved(tmp_path, "mlm", model_type="distilbert", type_vocab_size=0)
        assert "no segments" in shell("trace", model, "--a", "The cat.", "--set-segment", "1=1").sentence
        arrays = self.arrays(shell, model, tmp_path)
        assert "segment_embeddings" not in arrays and "token_embeddings" in arrays
