"""The shell teaches a model a task, uses it, measures it, and distils it."""

import json
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.loaded_model import load
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.readers.reading import TASKS
from tests.end_to_end.shell import PAIR, Shell
from tests.engine.models import tiny_model, word_tokenizer

SMALL = ("--batch-size", "8", "--threads", "1", "--precision", "fp32", "--learning-rate", "0.003", "--max-length", "24")
ROWS = (("the cat sang", "good"), ("a dog sat", "bad"), ("the bird sang", "good"), ("it was a dog", "bad"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertcore.runs.run_folder.to_disk", lambda folder: None)  # it only costs time here


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "reviews.csv"
    file.write_text("what,mood\n" + "".join(f"{text},{mood}\n" for _ in range(20) for text, mood in ROWS))
    return file


@pytest.fixture
def learned(shell: Shell, model: Path, table: Path, tmp_path: Path) -> Path:
    run = tmp_path / "run"
    columns = ("--text", "what", "--label", "mood")
    answer = shell(
        "finetune", "classify", "--train", table, *columns, "--model", model, "--steps", 50, *SMALL, "--out", run
    )
    assert answer.code == 0, answer.err
    return run


class TestFinetune:
    def test_a_table_of_ones_own(self, shell: Shell, learned: Path) -> None:
        assert load_checkpoint(learned / "snapshots" / "step-00000050").config.labels == ("bad", "good")
        answer = shell("predict", learned, "--a", "the dog sat", "--json").json
        assert answer["config"]["a"] == "the dog sat" and answer["config"]["model"] == str(learned)
        said = answer["predictions"][0]
        assert said["label"] == "bad" and sum(said["probabilities"].values()) == pytest.approx(1)
        assert shell("predict", learned, "--a", "the cat sang").out.split()[1] == "good"

    def test_json_says_where_and_how_well(self, shell: Shell, model: Path, table: Path, tmp_path: Path) -> None:
        columns = ("--text", "what", "--label", "mood")
        flags = ("--steps", 3, *SMALL, "--out", tmp_path / "run", "--json")
        facts = shell("finetune", "classify", "--train", table, *columns, "--model", model, *flags).json
        assert facts["state"] == "done" and facts["step"] == 3 and 0 <= facts["metrics"]["accuracy"] <= 1

    def test_evaluate(self, shell: Shell, learned: Path, table: Path) -> None:
        facts = shell("evaluate", learned, "--data", table, "--text", "what", "--label", "mood", "--json").json
        assert facts["metrics"]["accuracy"] == 1.0 and facts["confusion"] == [[40, 0], [0, 40]]
        assert "accuracy" in shell("evaluate", learned, "--data", table, "--text", "what", "--label", "mood").out

    def test_summaries_in_someones_own_words_are_measured_too(self, shell: Shell, tmp_path: Path) -> None:
        """They say only in a roundabout way which sentences to pick."""
        model = tmp_path / "model"
        save_checkpoint(tiny_model(("summarise",)), word_tokenizer(), model)
        sentences = ("The cat sat on the mat.", "It was very comfortable.", "A dog sang.", "The bird was on a dog.")
        row = {"sentences": sentences, "summary": "The comfortable mat was the one on which the cat sat."}
        (tmp_path / "test.jsonl").write_text(f"{json.dumps(row)}\n" * 3)
        said = shell("evaluate", model, "--task", "summaries", "--data", tmp_path / "test.jsonl", "--json")
        assert said.code == 0, said.err
        assert {"rouge1", "rouge2", "rougeL"} <= set(said.json["metrics"])

    def test_a_file_of_texts(self, shell: Shell, learned: Path, tmp_path: Path) -> None:
        (tmp_path / "new.csv").write_text("what\nthe dog sat\nthe cat sang\n")
        said = shell("predict", learned, "--file", tmp_path / "new.csv", "--text", "what")
        assert said.out.split() == ["bad", "good"], said.err

    def test_a_file_that_says_what_is_right_too(self, shell: Shell, learned: Path, tmp_path: Path) -> None:
        """In words of its own: 1 and 0, where the model knows good and bad."""
        (tmp_path / "new.csv").write_text("what,mood\nthe dog sat,0\nthe cat sang,1\n")
        said = shell("predict", learned, "--file", tmp_path / "new.csv")  # the columns are those of its run
        assert said.out.split() == ["bad", "good"], said.err

    def test_both_texts_of_a_pair_are_read(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        """The first says nothing: only the second one tells."""
        rows = [("it was", text, mood) for text, mood in ROWS] * 20
        table = "\n".join("\t".join(row) for row in rows)
        (tmp_path / "pairs.tsv").write_text(f"text_a\ttext_b\tlabel\n{table}\n")
        flags = ("--model", model, "--steps", 5, *SMALL, "--out", tmp_path / "run")
        answer = shell("finetune", "pairs", "--train", tmp_path / "pairs.tsv", *flags)
        assert answer.code == 0, answer.err
        seconds = ("the dog sat", "the cat sang")
        table = "".join(f"it was\t{second}\n" for second in seconds)
        (tmp_path / "new.tsv").write_text(f"text_a\ttext_b\n{table}")
        newest = load_checkpoint(tmp_path / "run" / "snapshots" / "step-00000005")
        save_checkpoint(newest.model, newest.tokenizer, tmp_path / "elsewhere")  # no run tells how to read the file
        typed = [shell("predict", tmp_path / "run", "--a", "it was", "--b", each, "--json").json for each in seconds]
        expected = [each["predictions"][0]["probabilities"]["good"] for each in typed]
        assert expected[0] != expected[1]
        for place in ("run", "elsewhere"):
            said = shell("predict", tmp_path / place, "--file", tmp_path / "new.tsv", "--json").json["predictions"]
            assert [each["probabilities"]["good"] for each in said] == pytest.approx(expected, abs=1e-5)

    def test_what_would_be_ignored_is_refused(self, shell: Shell, learned: Path, table: Path, tmp_path: Path) -> None:
        assert "not both" in shell("predict", learned, "--file", table, "--a", "a dog").sentence
        assert "--file" in shell("predict", learned, "--a", "a dog", "--task", "sst2").sentence
        assert "--data" in shell("evaluate", learned, "--corpus", table, "--task", "sst2").sentence
        assert "--all" in shell("evaluate", learned, "--all", "--sequences", 3).sentence
        for command in (("predict", learned, "--a", "a dog"), ("evaluate", learned, "--all"), ("trace", "--a", "dog")):
            assert "is a folder" in shell(*command, "--out", tmp_path).sentence

    def test_resume_is_done(self, shell: Shell, learned: Path) -> None:
        assert "done at step 50" in shell("finetune", "--resume", "--out", learned).out

    def test_resume_with_another_budget(self, shell: Shell, learned: Path) -> None:
        assert "done at step 54" in shell("finetune", "--resume", "--out", learned, "--steps", 54).out
        assert "done at step 63" in shell("finetune", "--resume", "--out", learned, "--epochs", 7).out  # of 9 steps
        asked = ("finetune", "--resume", "--out", learned)
        assert "has trained for 7.0 epochs" in shell(*asked, "--epochs", 2).sentence
        assert "batch size 8, not 4" in shell(*asked, "--batch-size", 4).sentence
        assert "task classify, not sst2" in shell(*asked[:1], "sst2", *asked[1:]).sentence

    def test_the_list_of_tasks(self, shell: Shell) -> None:
        assert {spec["name"] for spec in shell("finetune", "list", "--json").json} == set(TASKS)

    def test_the_sample_where_no_file_is_named(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        facts = shell(
            "finetune", "sst2", "--model", model, "--steps", 2, *SMALL, "--out", tmp_path / "run", "--json"
        ).json
        assert facts["step"] == 2
        assert json.loads((tmp_path / "run" / "config.json").read_text())["data"]["task"] == "sst2"

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            ((), "Name a task"),
            (("dance",), "no task 'dance'"),
            (("sst2", "--train", "nowhere.tsv"), "nowhere.tsv"),
            (("sst2", "--epochs", "1", "--steps", "2"), "one budget"),
            (("sst2", "--model", "nowhere"), "nowhere"),
        ],
    )
    def test_refused_with_a_sentence(self, shell: Shell, tmp_path: Path, flags: tuple[str, ...], says: str) -> None:
        assert says in shell("finetune", *flags, "--out", tmp_path / "run").sentence

    def test_a_recipe_without_a_file_to_learn_from(self, shell: Shell, tmp_path: Path) -> None:
        recipe = tmp_path / "recipe.json"
        recipe.write_text(json.dumps({"name": "mine", "data": {"task": "rte"}}))
        assert "--train" in shell("finetune", "--recipe", recipe, "--out", tmp_path / "run").sentence


class TestPredict:
    def test_a_model_without_a_task(self, shell: Shell, model: Path) -> None:
        assert "not fine-tuned on a task" in shell("predict", model, *PAIR).sentence

    @pytest.mark.parametrize(
        ("heads", "texts", "says"),
        [
            (("span",), ("--a", "the cat"), "no passage"),
            (("choice",), ("--a", "the cat", "--b", "sat"), "two or more endings"),
            (("tag",), ("--a", ""), "empty"),
        ],
    )
    def test_a_part_is_missing(
        self, shell: Shell, tmp_path: Path, heads: tuple[str, ...], texts: tuple[str, ...], says: str
    ) -> None:
        save_checkpoint(tiny_model(heads), word_tokenizer(), tmp_path / "model")
        assert says in shell("predict", tmp_path / "model", *texts).sentence

    @pytest.mark.parametrize(
        ("heads", "texts", "lines"),
        [
            (("tag",), ("--a", "the cat sat."), 4),
            (("choice",), ("--a", "the cat", "--b", "sat\nsang\nwas"), 3),
            (("span",), ("--a", "the cat", "--b", "a very comfortable mat"), 1),
            (("summarise",), ("--a", "The cat sat. The dog sang. It was a mat. A bird sat."), 1),
        ],
    )
    def test_every_kind_answers(
        self, shell: Shell, tmp_path: Path, heads: tuple[str, ...], texts: tuple[str, ...], lines: int
    ) -> None:
        save_checkpoint(tiny_model(heads), word_tokenizer(), tmp_path / "model")
        assert len(shell("predict", tmp_path / "model", *texts).out.strip().splitlines()) >= lines
        assert len(shell("predict", tmp_path / "model", *texts, "--json").json["predictions"]) == 1


def test_evaluate_on_text(shell: Shell, model: Path, texts: tuple[Path, Path]) -> None:
    numbers = shell("evaluate", model, "--corpus", texts[0], "--sequence-length", 16, "--json").json
    assert 0 <= numbers["mlm_accuracy"] <= numbers["mlm_top5"] <= 1 and numbers["perplexity"] > 1
    assert "--corpus" in shell("evaluate", model).sentence


def test_distil_offers_no_flag_without_effect(shell: Shell) -> None:
    """The vocabulary is the teacher's, and each batch is computed as a whole."""
    listed = shell("distil", "--help").out
    assert "--soft-weight" in listed and "--sequence-length" in listed
    for flag in ("--vocabulary", "--vocab-size", "--lowercase", "--accumulate", "--causal-share"):
        assert flag not in listed


def test_distil(shell: Shell, model: Path, texts: tuple[Path, Path], tmp_path: Path) -> None:
    flags = ("--steps", 3, "--batch-size", 4, "--sequence-length", 16, "--threads", 1, "--precision", "fp32")
    facts = shell("distil", "--teacher", model, "--corpus", texts[0], *flags, "--out", tmp_path / "run", "--json").json
    assert facts["comparison"]["student"]["layers"] == 1 and facts["comparison"]["teacher"]["layers"] == 2
    assert "--corpus" in shell("distil", "--teacher", model, "--out", tmp_path / "other").sentence
    again = ("distil", "--out", tmp_path / "run", "--resume")
    assert shell(*again, "--teacher", model, "--steps", 5, "--json").json["step"] == 5
    assert "temperature 2.0, not 3.0" in shell(*again, "--temperature", 3).sentence


def test_pretraining_goes_on_from_a_checkpoint(
    shell: Shell, model: Path, texts: tuple[Path, Path], tmp_path: Path
) -> None:
    flags = ("--steps", 2, "--batch-size", 4, "--sequence-length", 16, "--threads", 1, "--precision", "fp32")
    facts = shell("pretrain", "--from", model, "--corpus", texts[0], *flags, "--out", tmp_path / "run", "--json").json
    assert facts["step"] == 2
    assert load_checkpoint(tmp_path / "run" / "snapshots" / "step-00000002").config.num_hidden_layers == 2
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({"training": {"seed": 3}}))
    more = ("pretrain", "--from", model, "--corpus", texts[0], *flags)
    shell(*more, "--recipe", recipe, "--out", tmp_path / "by-recipe", "--json")
    shell(*more, "--causal-share", 0.25, "--out", tmp_path / "asked", "--json")
    shares = {
        name: RunFolder(tmp_path / name).config()["training"]["causal_share"] for name in ("run", "by-recipe", "asked")
    }
    assert shares == {"run": 0, "by-recipe": 0, "asked": 0.25}  # it guesses masked words already
    asked = ("pretrain", "--from", model, "--preset", "mini", "--corpus", texts[0], "--out", tmp_path / "other")
    assert "leave out preset" in shell(*asked).sentence


@pytest.mark.parametrize("pack", ["--pack", "--no-pack"])
def test_a_run_is_measured_on_what_it_kept_apart(
    shell: Shell, texts: tuple[Path, Path], tmp_path: Path, pack: str
) -> None:
    """Its text is records here, and a document is cut elsewhere than blank lines would cut it."""
    file, run = tmp_path / "text.jsonl", tmp_path / "run"
    stories = texts[0].read_text(encoding="utf-8").split("\n\n")
    file.write_text("\n".join(json.dumps({"body": story}) for story in stories), encoding="utf-8")
    flags = ("--preset", "tiny", "--steps", 2, "--batch-size", 4, "--sequence-length", 24, "--threads", 1, pack)
    flags = (*flags, "--precision", "fp32", "--vocab-size", 300, "--text-field", "body")
    shell("pretrain", "--corpus", file, *flags, "--out", run, "--json")
    last = [line for line in RunFolder(run).tail().read_new() if line["kind"] == "held_out"][-1]
    asked = ("evaluate", run, "--corpus", file, "--sequence-length", 24, "--sequences", 128)
    found = shell(*asked, "--json").json
    assert (found["words"], found["pairs"]) == (last["words"], last["pairs"])
    assert found["mlm_loss"] == pytest.approx(last["mlm_loss"], abs=1e-5)


def test_pretraining_as_albert_and_roberta_do(shell: Shell, texts: tuple[Path, Path], tmp_path: Path) -> None:
    flags = ("--preset", "tiny", "--steps", 2, "--batch-size", 4, "--sequence-length", 16, "--threads", 1)
    flags = (*flags, "--precision", "fp32", "--vocab-size", 400, "--corpus", texts[0])
    for pairs, masking, vocabulary, heads in (
        ("sop", "words", "wordpiece", {"mlm", "sop"}),
        ("none", "spans", "bpe", {"mlm"}),
    ):
        run = tmp_path / pairs
        chosen = ("--pairs", pairs, "--masking", masking, "--vocabulary", vocabulary)
        assert shell("pretrain", *flags, *chosen, "--out", run, "--json").json["step"] == 2
        assert set(load_checkpoint(run / "snapshots" / "step-00000002").output_heads) == heads
        assert json.loads((run / "first_batch.json").read_text())["sequences"]
    assert "choose" in shell("pretrain", *flags, "--pairs", "three", "--out", tmp_path / "x").sentence


def test_what_tutorials_turn_are_flags(shell: Shell) -> None:
    wanted = {
        "pretrain": "family positions epochs mask-share mask-fate random-fate masking pairs causal-share warm-up-share",
        "finetune": "classifier-dropout layer-decay gradual-unfreezing max-held-out schedule learning-rate",
        "predict": "max-answer-tokens sentences ratio",
        "evaluate": "max-answer-tokens sentences ratio",
    }
    for command, flags in wanted.items():
        shown = shell(command, "--help").out
        assert [flag for flag in flags.split() if f"--{flag}" not in shown] == []
    assert "between 1 and 512" in shell("predict", "bertscope-answers", "--max-answer-tokens", "0", "--a", "x").err


def test_the_longest_answer_is_kept(shell: Shell) -> None:
    passage = "The old lighthouse on the northern cape was built by the brothers Anna and Peter Lind in 1887."
    asked = ("predict", "bertscope-answers", "--a", "Who built the lighthouse?", "--b", passage, "--json")
    for most in (1, 3):
        (said,) = shell(*asked, "--max-answer-tokens", str(most)).json["predictions"]
        pieces = load("bertscope-answers").tokenizer.encode(said["text"]).tokens[1:-1]
        assert 1 <= len(pieces) <= most
