"""`bertcore`, the shell: what each command answers."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.cli.main import app
from bertcore.cli.output import Listing, cell, print_answer, print_json, say, shown
from bertcore.config import PRESETS, BertConfig, count_parameters
from bertcore.errors import BertcoreError, brief, name_from_file, printable, shortened
from bertcore.loaded_model import load
from bertcore.locations import TUNED, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from tests.end_to_end.shell import PAIR, SMALL, in_own_process, run_python
from tests.engine.models import VOCABULARY, tiny_model, word_tokenizer
from tests.engine.training_runs import losses, metrics


class TestInfo:
    def test_of_a_checkpoint(self, shell, model):
        assert shell("info", model, "--json").json == {
            "family": "bert",
            "parameters": load_checkpoint(model).parameters,
            "layers": 2,
            "heads": 4,
            "hidden_size": 32,
            "intermediate_size": 48,
            "vocab_size": len(VOCABULARY),
            "max_positions": 40,
            "segments": 2,
            "output_heads": ["mlm", "nsp"],
            **dict.fromkeys(("layer_groups", "embedding_size", "norm", "pooling")),
            "labels": [],
            "classifier": "",
            "absent": {},
            "missing": {},
            "unused_tensors": [],
        }

    def test_of_an_encoder_and_for_people(self, shell, encoder_only):
        assert shell("info", encoder_only, "--json").json["output_heads"] == []
        assert "109,482,240" in shell("info", "--preset", "base").out

    @pytest.mark.parametrize("preset", PRESETS)
    def test_of_a_preset_without_weights(self, shell, preset):
        facts = shell("info", "--preset", preset, "--json").json
        assert facts["parameters"] == count_parameters(BertConfig.preset(preset))
        assert (facts["vocab_size"], facts["max_positions"]) == (30_522, 512)


class TestTokenize:
    def test_a_pair(self, shell, model):
        encoding = word_tokenizer().encode(PAIR[1], PAIR[3], max_length=40)
        names = ("tokens", "ids", "segments", "positions", "offsets", "parts", "attention_mask", "dropped")
        expected = json.loads(json.dumps({name: getattr(encoding, name) for name in names}))
        assert shell("tokenize", model, *PAIR, "--json").json == expected
        assert "##able" in shell("tokenize", model, *PAIR).out

    @pytest.mark.parametrize(
        "text", ["🙂 👩‍👩‍👧", "שלום مرحبا", "日本語", "tab\tline\nend", "\x01\x02", "a\u0301 \u202e x"]
    )
    def test_any_text_has_tokens(self, shell, model, text):
        answer = shell("tokenize", model, "--a", text, "--json").json
        assert answer["tokens"][0] == "[CLS]" and answer["tokens"][-1] == "[SEP]"
        assert len({len(answer[name]) for name in answer if name != "dropped"}) == 1

    def test_ten_thousand_words_are_cut_to_the_models_positions(self, shell, model):
        answer = shell("tokenize", model, "--a", "cat " * 10_000, "--json").json
        assert len(answer["tokens"]) == 40 and answer["dropped"] == 10_000 - 38
        assert "9,962" in shell("tokenize", model, "--a", "cat " * 10_000).err


class TestFill:
    def test_every_mask_gets_its_words(self, shell, model):
        answer = shell("fill", model, "--a", "The [MASK] sat.", "--b", "It was [MASK]!", "--top", "3", "--json").json
        assert set(answer["next_sentence"]) == {"is_next", "not_next"} and answer["random_output_heads"] == []
        assert all(answer[name] is None for name in ("sentence_order", "similarity", "replaced"))
        assert sum(answer["next_sentence"].values()) == pytest.approx(1)
        assert [mask["position"] for mask in answer["masks"]] == [2, 8]
        expected = load(model).fill("The [MASK] sat.", "It was [MASK]!", top=3)
        for mask, best in zip(answer["masks"], expected, strict=True):
            for found, word in zip(mask["predictions"], best, strict=True):
                assert (found["id"], found["token"]) == (word.id, word.token)
                assert found["probability"] == pytest.approx(word.probability, abs=1e-5)

    def test_what_is_not_there_is_none_or_one_sentence(self, shell, model, encoder_only):
        assert shell("fill", model, "--a", "The [MASK] sat.", "--json").json["next_sentence"] is None
        assert shell("fill", model, *PAIR, "--json").json["masks"] == []
        assert "no [MASK]" in shell("fill", model, "--a", "The cat.").sentence
        assert "MLM" in shell("fill", encoder_only, "--a", "The [MASK] sat.").sentence
        assert "NSP" in shell("fill", encoder_only, *PAIR).sentence

    def test_more_words_than_there_are(self, shell, model):
        answer = shell("fill", model, "--a", "[MASK]", "--top", "100000", "--json").json
        assert len(answer["masks"][0]["predictions"]) == len(VOCABULARY)


class TestTrace:
    def test_arrays_are_those_of_the_engine(self, shell, model, tmp_path):
        file = tmp_path / "trace.npz"
        answer = shell("trace", model, *PAIR, "--out", file, "--json").json
        with np.load(file, allow_pickle=False) as found:
            arrays = dict(found)
        expected = load(model).trace(PAIR[1], PAIR[3]).arrays()
        assert len(arrays) >= 15 and all(np.array_equal(arrays[name], expected[name]) for name in arrays)
        assert answer["arrays"] == {name: list(array.shape) for name, array in arrays.items()}

    def test_what_the_model_lacks_is_left_out_and_the_name_gets_its_ending(self, shell, encoder_only, tmp_path, model):
        answer = shell("trace", encoder_only, *PAIR, "--out", tmp_path / "t.npz", "--json").json
        assert set(answer["missing"]) == {"mlm", "nsp"}
        assert "mlm_logits" not in answer["arrays"] and "pooled" in answer["arrays"]
        answer = shell("trace", model, "--a", "The cat", "--out", tmp_path / "v1.2", "--json").json
        assert Path(answer["file"]) == tmp_path / "v1.2.npz" and (tmp_path / "v1.2.npz").is_file()


class TestPretrain:
    def test_several_files_to_a_run_that_every_command_opens(self, shell, texts, tmp_path):
        run = tmp_path / "run"
        answer = shell(
            "pretrain", "--corpus", *texts, "--out", run, *SMALL, "--steps", "4", "--seed", "7", "--json"
        ).json
        assert (answer["state"], answer["step"]) == ("done", 4)
        config = json.loads((run / "config.json").read_text())
        assert config["data"]["corpus"] == [str(file) for file in texts]
        assert (config["training"]["seed"], config["preset"]) == (7, "tiny")
        assert [line["step"] for line in metrics(run)] == [1, 2, 3, 4]
        for reference in (run, answer["snapshot"]):
            facts = shell("info", reference, "--json").json
            assert facts["layers"] == 2 and facts["hidden_size"] == 128 and facts["output_heads"] == ["mlm", "nsp"]
        filled = shell("fill", run, "--a", "The cat says [MASK].", "--b", "It lives.", "--json").json
        assert len(filled["masks"][0]["predictions"]) == 5 and filled["next_sentence"] is not None

    def test_resume_starts_goes_on_and_stays_done(self, shell, texts, tmp_path):
        run = tmp_path / "run"
        command = ("pretrain", "--corpus", texts[0], "--out", run, *SMALL, "--steps", "3")
        answer = shell(*command, "--resume")
        assert answer.code == 0 and "done at step 3" in answer.out and "held out" in answer.err
        assert "--resume" in shell(*command).sentence
        before = losses(run)
        assert shell("pretrain", "--out", run, "--resume", "--json").json["state"] == "done"
        assert losses(run) == before
        for flags in (("--preset", "mini"), ("--steps", "9", "--seed", "3")):
            assert "its own settings" in shell("pretrain", "--out", run, "--resume", *flags).sentence
        assert losses(run) == before
        assert f"--resume --out {run}" in shell("pretrain", "--resume", run).sentence  # the folder as if it were text

    def test_resume_with_another_budget(self, shell, texts, tmp_path):
        run, recipe = tmp_path / "run", tmp_path / "recipe.json"
        recipe.write_text(json.dumps({"preset": "mini", "name": "mine", "training": {"steps": 3, "seed": 2}}))
        command = ("pretrain", "--recipe", recipe, "--corpus", texts[0], "--out", run, *SMALL, "--json")
        assert shell(*command, "--resume").json["step"] == 3
        config = json.loads((run / "config.json").read_text())
        assert (config["name"], config["training"]["seed"]) == ("mine", 2)
        assert config["preset"] == "tiny"  # flags go before the recipe
        assert shell(*command, "--resume").json["step"] == 3  # the same command again is done already
        assert shell("pretrain", "--out", run, "--resume", "--steps", 5, "--json").json["step"] == 5
        assert "has done 5 steps" in shell("pretrain", "--out", run, "--resume", "--steps", 4).sentence
        recipe.write_text(json.dumps({"preset": "tiny", "training": {"steps": 7, "seed": 2}}))
        assert shell("pretrain", "--out", run, "--resume", "--recipe", recipe, "--json").json["step"] == 7
        recipe.write_text(json.dumps({"preset": "tiny", "training": {"steps": 7, "seed": 3}}))
        assert "seed 2, not 3" in shell("pretrain", "--out", run, "--resume", "--recipe", recipe).sentence
        assert json.loads((run / "config.json").read_text())["training"]["steps"] == 7

    def test_the_shipped_recipes_are_read(self):
        for file in (assets() / "recipes").glob("*.json"):
            if file.stem in TUNED:
                assert FinetuneOptions.from_file(file).name == file.stem
            else:
                assert PretrainOptions.from_file(file).budget != (None, None)


class TestOwnProcess:
    """The few things that only a process of its own shows."""

    def test_a_terminal_without_unicode(self, model):
        answer = in_own_process("fill", str(model), "--a", "🙂 [MASK] שלום", "--json", PYTHONIOENCODING="ascii")
        assert answer.json["masks"][0]["position"] == 2
        assert in_own_process("tokenize", str(model), "--a", "日本", PYTHONIOENCODING="ascii").code == 0

    def test_a_hub_that_cannot_be_reached(self, tmp_path):
        environment = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
        assert "cannot be reached" in in_own_process("info", "someone/bert", **environment).sentence

    def test_opening_a_model_loads_neither_a_compiler_nor_transformers(self, model):
        """torch's compiler comes along when weights are drawn on the meta device, and costs seconds."""
        code = (
            "import sys; from pathlib import Path; from bertcore.checkpoint.checkpoint import load_checkpoint\n"
            f"load_checkpoint(Path({str(model)!r}))\n"
            "assert not {'torch._dynamo', 'transformers', 'huggingface_hub'} & set(sys.modules)\n"
        )
        done = run_python("-c", code)
        assert done.returncode == 0, done.stderr


# --- what a stranger's model holds is printed, and never obeyed, by a terminal

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eabc\r\x08\x7f"


def obeyed(text):
    return {letter for letter in text if letter not in "\n\t" and not letter.isprintable()}


def test_control_characters_are_spelled_out():
    assert printable(EVIL) == r"\x1b[2J\x1b]0;owned\x07\x9b31m\u202eabc\r\x08\x7f"
    assert printable("Größe 漢字 🐻‍❄️\n\tend") == "Größe 漢字 🐻‍❄️\n\tend"
    assert printable("\ud800") == "\\ud800"
    assert not obeyed(str(BertcoreError(f"The tensor {EVIL} is missing.")))
    assert not obeyed(brief(EVIL)) and not obeyed(name_from_file(EVIL)) and not obeyed(cell(EVIL))


def test_what_a_sentence_quotes_is_short():
    assert len(brief("x" * 10**6)) == len(brief(["x"] * 10**5)) == 80
    assert brief("cat") == "'cat'" and brief(None) == "None"
    assert name_from_file(["a"], "run") == name_from_file("  ", "run") == "run"
    assert shortened("a" * 10, 10) == "a" * 10 and len(shortened("a" * 5000 + "b", 600)) == 600
    assert len(str(BertcoreError("x" * 10**6))) == 2000


def test_lines_and_json_are_safe_and_json_stays_what_it_was(capsys):
    say(EVIL)
    print_json({EVIL: [EVIL]})
    line, text = capsys.readouterr().out.splitlines()
    assert not obeyed(line) and not obeyed(text)
    assert json.loads(text) == {EVIL: [EVIL]}


def test_a_vocabulary_with_commands_for_the_terminal(tmp_path):
    tokenizer = Tokenizer.train(["the cat sat"] * 20, 60)
    save_checkpoint(tiny_model(("mlm",), vocab_size=tokenizer.vocab_size), tokenizer, tmp_path)
    (tmp_path / "vocab.txt").unlink()
    file = tmp_path / "tokenizer.json"
    vocabulary = file.read_text(encoding="utf-8")
    file.write_text(vocabulary.replace('"the"', json.dumps(EVIL)), encoding="utf-8")
    about = json.loads((tmp_path / "bertscope.json").read_text())
    (tmp_path / "bertscope.json").write_text(json.dumps(about | {"name": EVIL}))
    (tmp_path / "texts.txt").write_text(f"[cat|{EVIL}] [MASK] sat".replace("\r", ""), encoding="utf-8")
    for arguments in (
        ["info", str(tmp_path)],
        ["tokenize", str(tmp_path), "--a", f"the cat {EVIL}"],
        ["fill", str(tmp_path), "--a", "the [MASK] sat", "--top", "60"],
        ["fill", str(tmp_path), "--a", "the [MASK] sat", "--json"],
        ["compare", str(tmp_path), "--a", "the [MASK] sat", "--other-a", f"{EVIL} [MASK] sat"],
        ["patch", str(tmp_path), "--a", "the [MASK] sat", "--other-a", "the [MASK] cat"],
        ["score", str(tmp_path / "texts.txt"), "--model", str(tmp_path)],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        assert not obeyed(result.output), arguments


def test_the_log_of_a_run_is_safe_to_print(tmp_path):
    run = RunFolder.create(tmp_path / "run", {})
    run.log(EVIL * 1000)
    text = (run.path / "log.txt").read_text(encoding="utf-8")
    assert not obeyed(text) and len(text) < 3000 and text.count("\n") == 1


# --- JSON that is JSON, and tables that lose nothing


def test_a_number_that_is_none_becomes_null(capsys):
    """NaN and Infinity are no JSON: jq and browsers refuse the whole answer for one of them."""
    print_json({"loss": float("nan"), "shares": [np.float32(0.5), np.inf], "count": np.int64(3), "word": "café"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"loss": None, "shares": [0.5, None], "count": 3.0, "word": "café"}
    assert "café" in printed


ROWS = [
    {"layer": 0, "token": "a [red]word[/red]", "probability": 0.25, "other": None, "is_right": True},
    {"layer": 11, "token": "incomprehensibilities " * 3, "probability": None, "other": None, "is_right": False},
]


@pytest.mark.parametrize("columns", ["20", "80", "300"])
def test_a_table_cuts_no_word_however_narrow(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    table = Listing(ROWS, "layer:+1 token probability:.1% other is_right", "What was found:")
    assert print_answer({"rows": ROWS}, table, None, "That is all.", as_json=False)
    printed = capsys.readouterr().out
    words = printed.split()
    assert printed.startswith("What was found:\n") and printed.endswith("That is all.\n")
    assert words.count("incomprehensibilities") == 3 and "[red]word[/red]" in words and "25.0%" in words
    assert "other" not in words and {"1", "12", "yes", "no"} <= set(words)


def test_as_json_nothing_else_is_printed(capsys, tmp_path):
    out = tmp_path / "new" / "found.json"
    assert not print_answer({"rows": ROWS}, "a sentence", Listing(ROWS, "token"), as_json=True, out=out)
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text()) == {"rows": ROWS}


def test_values_as_a_person_reads_them():
    values = (None, True, 1234567, 0.5, ("a", 2), "text")
    assert [shown(value) for value in values] == ["", "yes", "1,234,567", "0.5000", "a, 2", "text"]
    assert shown(0.5, "+.2f") == "+0.50" and shown(0, "+1") == "1"
