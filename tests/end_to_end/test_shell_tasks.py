"""The shell trains, teaches a model a task, uses it, measures it, distils it; what it keeps, estimates, redraws."""

import json
import shutil
from pathlib import Path

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.data import corpus_cache
from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.loaded_model import load
from bertcore.locations import CLASS_DEMO, assets, home
from bertcore.runs.known_runs import known_runs
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.readers.reading import TASKS
from bertcore.training.drawn_batches import FATES, open_batches
from tests.end_to_end.shell import PAIR, SMALL
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import write_text
from tests.text_file import text_file

ONE_THREAD = ("--threads", 1, "--precision", "fp32")
TUNING = ("--batch-size", 8, "--learning-rate", 0.003, "--max-length", 24, *ONE_THREAD)
PRETRAINING = ("--steps", 2, "--batch-size", 4, "--sequence-length", 16, *ONE_THREAD)
COLUMNS = ("--text", "what", "--label", "mood")
ROWS = (("the cat sang", "good"), ("a dog sat", "bad"), ("the bird sang", "good"), ("it was a dog", "bad"))


@pytest.fixture
def reviews(tmp_path):
    return text_file(tmp_path / "reviews.csv", "what,mood\n" + "".join(f"{text},{mood}\n" for text, mood in ROWS * 20))


def recipe(folder, **settings):
    return text_file(folder / "recipe.json", json.dumps(settings))


@pytest.fixture
def learned(shell, model, reviews, tmp_path):
    run = tmp_path / "run"
    given = ("--train", reviews, *COLUMNS, "--model", model, "--steps", 50, *TUNING)
    answer = shell("finetune", "classify", *given, "--out", run)
    assert answer.code == 0, answer.err
    return run


class TestFinetune:
    def test_a_table_of_ones_own_is_learned_and_measured(self, shell, learned, reviews):
        assert load_checkpoint(learned / "snapshots" / "step-00000050").config.labels == ("bad", "good")
        answer = shell("predict", learned, "--a", "the dog sat", "--json").json
        assert answer["config"]["a"] == "the dog sat" and answer["config"]["model"] == str(learned)
        said = answer["predictions"][0]
        assert said["label"] == "bad" and sum(said["probabilities"].values()) == pytest.approx(1)
        assert shell("predict", learned, "--a", "the cat sang").out.split()[1] == "good"
        facts = shell("evaluate", learned, "--data", reviews, *COLUMNS, "--json").json
        assert facts["metrics"]["accuracy"] == 1.0 and facts["confusion"] == [[40, 0], [0, 40]]
        assert "accuracy" in shell("evaluate", learned, "--data", reviews, *COLUMNS).out

    def test_summaries_in_someones_own_words_are_measured_too(self, shell, tmp_path):
        """They say only in a roundabout way which sentences to pick."""
        model = tiny_checkpoint(tmp_path / "model", output_heads=("summarise",))
        sentences = ("The cat sat on the mat.", "It was very comfortable.", "A dog sang.", "The bird was on a dog.")
        row = {"sentences": sentences, "summary": "The comfortable mat was the one on which the cat sat."}
        (tmp_path / "test.jsonl").write_text(f"{json.dumps(row)}\n" * 3)
        said = shell("evaluate", model, "--task", "summaries", "--data", tmp_path / "test.jsonl", "--json")
        assert said.code == 0, said.err
        assert {"rouge1", "rouge2", "rougeL"} <= set(said.json["metrics"])

    def test_a_file_of_texts_also_with_what_is_right(self, shell, learned, tmp_path):
        """In words of its own: 1 and 0, where the model knows good and bad."""
        for rows, columns in (
            ("what\nthe dog sat\nthe cat sang\n", ("--text", "what")),
            ("what,mood\nthe dog sat,0\nthe cat sang,1\n", ()),  # the columns are those of its run
        ):
            said = shell("predict", learned, "--file", text_file(tmp_path / "new.csv", rows), *columns)
            assert said.out.split() == ["bad", "good"], said.err

    def test_both_texts_of_a_pair_are_read(self, shell, model, tmp_path):
        """The first says nothing: only the second one tells. Of the snapshot no run tells how to read the file."""
        rows = "".join(f"it was\t{text}\t{mood}\n" for text, mood in ROWS * 20)
        file, run = text_file(tmp_path / "pairs.tsv", f"text_a\ttext_b\tlabel\n{rows}"), tmp_path / "run"
        flags = ("--train", file, "--model", model, "--steps", 5, *TUNING, "--out", run, "--json")
        snapshot = shutil.copytree(shell("finetune", "pairs", *flags).json["snapshot"], tmp_path / "elsewhere")
        new = text_file(tmp_path / "new.tsv", "text_a\ttext_b\nit was\tthe dog sat\nit was\tthe cat sang\n")
        for model in (run, snapshot):
            said = shell("predict", model, "--file", new, "--json").json["predictions"]
            for second, found in zip(("the dog sat", "the cat sang"), said, strict=True):
                (typed,) = shell("predict", model, "--a", "it was", "--b", second, "--json").json["predictions"]
                assert found["probabilities"] == pytest.approx(typed["probabilities"], abs=1e-5)
            assert said[0]["probabilities"] != said[1]["probabilities"]

    def test_what_would_be_ignored_is_refused(self, shell, learned, reviews, tmp_path):
        assert "not both" in shell("predict", learned, "--file", reviews, "--a", "a dog").sentence
        assert "--file" in shell("predict", learned, "--a", "a dog", "--task", "sst2").sentence
        assert "--data" in shell("evaluate", learned, "--corpus", reviews, "--task", "sst2").sentence
        assert "--all" in shell("evaluate", learned, "--all", "--sequences", 3).sentence
        for command in (("predict", learned, "--a", "a dog"), ("evaluate", learned, "--all"), ("trace", "--a", "dog")):
            assert "is a folder" in shell(*command, "--out", tmp_path).sentence

    def test_resume_with_another_budget(self, shell, learned):
        assert "done at step 54" in shell("finetune", "--resume", "--out", learned, "--steps", 54).out
        assert "done at step 63" in shell("finetune", "--resume", "--out", learned, "--epochs", 7).out  # of 9 steps
        asked = ("finetune", "--resume", "--out", learned)
        assert "has trained for 7.0 epochs" in shell(*asked, "--epochs", 2).sentence
        assert "batch size 8, not 4" in shell(*asked, "--batch-size", 4).sentence
        assert "task classify, not sst2" in shell(*asked[:1], "sst2", *asked[1:]).sentence

    def test_the_list_of_tasks(self, shell):
        assert {spec["name"] for spec in shell("finetune", "list", "--json").json} == set(TASKS)

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            ((), "Name a task"),
            (("dance",), "no task 'dance'"),
            (("sst2", "--train", "nowhere.tsv"), "nowhere.tsv"),
            (("sst2", "--epochs", "1", "--steps", "2"), "one budget"),
            (("sst2", "--model", "nowhere"), "nowhere"),
            (("--recipe", "{recipe}"), "--train"),
        ],
    )
    def test_refused_with_a_sentence(self, shell, tmp_path, flags, says):
        file = recipe(tmp_path, name="mine", data={"task": "rte"})
        flags = (flag.format(recipe=file) for flag in flags)
        assert says in shell("finetune", *flags, "--out", tmp_path / "run").sentence

    def test_a_fault_in_the_file_is_shown_with_its_lines(self, shell, tmp_path):
        file = text_file(tmp_path / "mine.tsv", "text\tlabel\nOne.\ta\nTwo.\tb\nThree, without a label.\n")
        told = shell("finetune", "classify", "--train", file, "--estimate")
        assert told.code == 2 and "mine.tsv, line 4" in told.err
        assert "3  Two.\tb" in told.out and "4  Three, without a label." in told.out


class TestPredict:
    @pytest.mark.parametrize(
        ("heads", "texts", "says"),
        [
            (("mlm", "nsp"), PAIR, "not fine-tuned on a task"),
            (("span",), ("--a", "the cat"), "no passage"),
            (("choice",), ("--a", "the cat", "--b", "sat"), "two or more endings"),
            (("tag",), ("--a", ""), "empty"),
        ],
    )
    def test_a_part_is_missing(self, shell, tmp_path, heads, texts, says):
        assert says in shell("predict", tiny_checkpoint(tmp_path / "model", output_heads=heads), *texts).sentence

    @pytest.mark.parametrize(
        ("heads", "texts", "lines"),
        [
            (("tag",), ("--a", "the cat sat."), 4),
            (("choice",), ("--a", "the cat", "--b", "sat\nsang\nwas"), 3),
            (("span",), ("--a", "the cat", "--b", "a very comfortable mat"), 1),
            (("summarise",), ("--a", "The cat sat. The dog sang. It was a mat. A bird sat."), 1),
        ],
    )
    def test_every_kind_answers(self, shell, tmp_path, heads, texts, lines):
        asked = ("predict", tiny_checkpoint(tmp_path / "model", output_heads=heads), *texts)
        assert len(shell(*asked).out.strip().splitlines()) >= lines
        assert len(shell(*asked, "--json").json["predictions"]) == 1


def test_distil_offers_no_flag_without_effect(shell):
    """The vocabulary is the teacher's, and each batch is computed as a whole."""
    listed = shell("distil", "--help").out
    assert "--soft-weight" in listed and "--sequence-length" in listed
    for flag in ("--vocabulary", "--vocab-size", "--lowercase", "--accumulate", "--causal-share"):
        assert flag not in listed


def test_distil(shell, model, texts, tmp_path):
    given = ("--teacher", model, "--corpus", texts[0], *PRETRAINING)
    facts = shell("distil", *given, "--out", tmp_path / "run", "--json").json
    assert facts["comparison"]["student"]["layers"] == 1 and facts["comparison"]["teacher"]["layers"] == 2
    assert "--corpus" in shell("distil", "--teacher", model, "--out", tmp_path / "other").sentence
    again = ("distil", "--out", tmp_path / "run", "--resume")
    assert shell(*again, "--teacher", model, "--steps", 5, "--json").json["step"] == 5
    assert "temperature 2.0, not 3.0" in shell(*again, "--temperature", 3).sentence


def test_pretraining_goes_on_from_a_checkpoint(shell, model, texts, tmp_path):
    given = ("pretrain", "--from", model, "--corpus", texts[0], *PRETRAINING)
    by_recipe = ("--recipe", recipe(tmp_path, training={"seed": 3}))
    for number, (flags, share) in enumerate((((), 0), (by_recipe, 0), (("--causal-share", 0.25), 0.25))):
        run = tmp_path / str(number)
        assert shell(*given, *flags, "--out", run, "--json").json["step"] == 2
        assert load_checkpoint(run / "snapshots" / "step-00000002").config.num_hidden_layers == 2
        assert RunFolder(run).config()["training"]["causal_share"] == share  # it guesses masked words already
    assert "leave out preset" in shell(*given, "--preset", "mini", "--out", tmp_path / "other").sentence


@pytest.mark.parametrize("pack", ["--pack", "--no-pack"])
def test_a_run_is_measured_on_what_it_kept_apart(shell, texts, tmp_path, pack):
    """Its text is records here, and a document is cut elsewhere than blank lines would cut it."""
    file, run = tmp_path / "text.jsonl", tmp_path / "run"
    stories = texts[0].read_text(encoding="utf-8").split("\n\n")
    file.write_text("\n".join(json.dumps({"body": story}) for story in stories), encoding="utf-8")
    flags = (*SMALL, "--steps", 2, "--sequence-length", 24, "--vocab-size", 300, "--text-field", "body", pack)
    shell("pretrain", "--corpus", file, *flags, "--out", run, "--json")
    last = [line for line in RunFolder(run).tail().read_new() if line["kind"] == "held_out"][-1]
    asked = ("evaluate", run, "--corpus", file, "--sequence-length", 24, "--sequences", 128)
    found = shell(*asked, "--json").json
    assert (found["words"], found["pairs"]) == (last["words"], last["pairs"])
    assert found["mlm_loss"] == pytest.approx(last["mlm_loss"], abs=1e-5)


def test_what_is_said_of_a_text_has_flags(shell):
    for command in ("predict", "evaluate"):
        shown = shell(command, "--help").out
        assert all(f"--{flag}" in shown for flag in ("max-answer-tokens", "sentences", "ratio"))
    assert "between 1 and 512" in shell("predict", "bertscope-answers", "--max-answer-tokens", "0", "--a", "x").err


def test_the_longest_answer_is_kept(shell):
    passage = "The old lighthouse on the northern cape was built by the brothers Anna and Peter Lind in 1887."
    asked = ("predict", "bertscope-answers", "--a", "Who built the lighthouse?", "--b", passage, "--json")
    for most in (1, 3):
        (said,) = shell(*asked, "--max-answer-tokens", str(most)).json["predictions"]
        pieces = load("bertscope-answers").tokenizer.encode(said["text"]).tokens[1:-1]
        assert 1 <= len(pieces) <= most


# --- `evaluate` and `predict` by a recipe, by flags, and by both


@pytest.fixture
def classifier(tmp_path):
    return tiny_checkpoint(tmp_path / "classifier", output_heads=("classify",), labels=("bad", "good"))


class TestByRecipe:
    def test_a_recipe_and_flags_say_the_same(self, shell, classifier, reviews, tmp_path):
        columns = {"text": "what", "label": "mood"}
        written = recipe(tmp_path, model=str(classifier), task="classify", data=str(reviews), columns=columns)
        by_recipe = shell("evaluate", "--recipe", written, "--json").json
        flags = ("--task", "classify", "--data", reviews, *COLUMNS)
        assert shell("evaluate", classifier, *flags, "--json").json == by_recipe
        assert by_recipe["config"]["columns"] == columns and by_recipe["config"]["kind"] == "evaluate"
        assert 0 <= by_recipe["metrics"]["accuracy"] <= 1

    def test_flags_go_before_the_recipe(self, shell, model, texts, tmp_path):
        written = recipe(tmp_path, model="nowhere", corpus=[str(texts[0])], sequence_length=32, sequences=4)
        answer = shell("evaluate", model, "--recipe", written, "--sequence-length", 16, "--json").json
        config = answer["config"]
        assert (config["model"], config["sequence_length"], config["sequences"]) == (str(model), 16, 4)
        assert answer["perplexity"] > 1

    def test_what_it_printed_can_be_given_back(self, shell, model, texts, tmp_path):
        out = tmp_path / "answers" / "numbers.json"
        first = shell("evaluate", model, "--corpus", texts[0], "--sequence-length", 16, "--out", out, "--json").json
        assert json.loads(out.read_text()) == first
        assert shell("evaluate", "--recipe", recipe(tmp_path, **first["config"]), "--json").json == first

    def test_predictions_for_a_file(self, shell, classifier, reviews, tmp_path):
        out = tmp_path / "said.json"
        written = recipe(tmp_path, model=str(classifier), file=str(reviews), columns={"text": "what"})
        said = shell("predict", "--recipe", written, "--out", out)
        assert len(said.out.split()) == 80 and set(said.out.split()) <= {"bad", "good"}
        answer = json.loads(out.read_text())
        assert [each["label"] for each in answer["predictions"]] == said.out.split()
        assert answer["config"]["file"] == str(reviews)
        written = recipe(tmp_path, model=str(classifier), a="the cat sang")
        config = shell("predict", "--recipe", written, "--a", "the dog sat", "--json").json["config"]
        assert config["a"] == "the dog sat"


@pytest.mark.parametrize(
    ("command", "settings", "says"),
    [
        ("evaluate", {"datas": "x"}, "no setting named datas"),
        ("evaluate", {"kind": "predict"}, "another kind"),
        ("evaluate", {"corpus": "a.txt"}, "list of file names"),
        ("evaluate", {"corpus": ["a.txt"], "data": "b.tsv"}, "not several"),
        ("evaluate", {"sequences": 0}, "sequences must be"),
        ("evaluate", {"columns": {"texts": "x"}}, "text_b"),
        ("evaluate", {"model": 3}, "model must be text"),
        ("predict", {"text": "x"}, "no setting named text"),
        ("predict", {"format_version": 9}, "version"),
        ("predict", {"a": 3}, "a must be text"),
    ],
)
def test_refused_with_a_sentence(shell, tmp_path, command, settings, says):
    assert says in shell(command, "--recipe", recipe(tmp_path, **settings)).sentence


# --- `evaluate --all`: every figure of a pretrained model by one command


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return str(tiny_checkpoint(tmp_path_factory.mktemp("model"), max_position_embeddings=160))


def test_all_figures_are_printed_and_kept(shell, reader, tmp_path):
    (tmp_path / "other").mkdir()
    out = tmp_path / "new" / "report.json"
    texts = [str(write_text(tmp_path)), str(write_text(tmp_path / "other", documents=70))]
    answer = shell("evaluate", reader, "--all", "--corpus", *texts, "--sequence-length", 32, "--out", out)
    assert answer.code == 0, answer.err
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert kept["config"] == {"model": reader, "corpus": texts, "whole": False, "sequence_length": 32}
    text = kept["text"]
    assert len(text) == 3 and list(text)[-1] == "all"
    assert text["all"]["documents"] == sum(text[name]["documents"] for name in list(text)[:-1])
    assert len(kept["cloze"]["sentences"]) == 200 and len(kept["second_cloze"]["sentences"]) == 100
    for figure in ("perplexity", "nsp_accuracy", "second cloze set", "top5", "minimal pairs"):
        assert figure in answer.out
    for name, numbers in text.items():
        assert name in answer.out and name in answer.err and f"{numbers['mlm_loss']:.4f}" in answer.out
    corpus = shell("evaluate", reader, "--corpus", *texts, "--sequence-length", 32, "--sequences", 2048, "--json").json
    assert {name: corpus[name] for name in text["all"]} == text["all"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--corpus", "absent.txt"), "absent.txt"),
        (("--data", "some.tsv"), "leave out --data"),
        (("--pairs", "some.jsonl"), "leave out --data and --pairs"),
    ],
)
def test_what_cannot_be_is_said_at_once(shell, reader, flags, says):
    assert says in shell("evaluate", reader, "--all", *flags).sentence


def test_minimal_pairs_of_others_in_several_files(shell, reader, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    row = '{"sentence_good": "the cats sat.", "sentence_bad": "the cats it.", "UID": "one", "field": "syntax"}\n'
    first.write_text(row * 3)
    second.write_text('{"good": "a dog sang.", "bad": "a dog very.", "phenomenon": "two"}\n')
    for command in ((reader, "--pairs", first, second), (reader, "--pairs", first, "--pairs", second)):
        found = shell("evaluate", *command, "--json").json
        assert list(found) == ["minimal_pairs"]
        pairs = found["minimal_pairs"]
        assert {name: of["pairs"] for name, of in pairs["phenomena"].items()} == {"one": 3, "two": 1}
        right = sum(of["right"] * of["pairs"] for of in pairs["phenomena"].values())
        assert pairs["pairs"] == 4 and pairs["right"] == right / 4
    assert "two" in shell("evaluate", reader, "--pairs", second).out
    assert "is after neither" in shell("evaluate", reader, first).sentence


def test_text_files_of_others_as_a_whole(shell, reader, tmp_path):
    """What is held out of a foreign file is a fifth, or less, of it: the command says so."""
    (tmp_path / "folder").mkdir()
    first, second = write_text(tmp_path), write_text(tmp_path / "folder")
    part, whole = (
        shell("evaluate", reader, "--corpus", first, second, "--sequence-length", 32, "--json", *flags).json
        for flags in ((), ("--whole",))
    )
    assert whole["documents"] == whole["documents_in_text"] == part["documents_in_text"] >= 5 * part["documents"]
    assert whole["words"] > 4 * part["words"]
    said = shell("evaluate", reader, "--corpus", first, "--sequence-length", 32).out
    assert "Only the held-out part" in said and "--whole" in said
    built_in = shell("evaluate", "--corpus", first, second, "--sequences", 4, "--json").json
    assert built_in["config"]["model"] is None and len(built_in["config"]["corpus"]) == 2
    assert "--corpus" in shell("evaluate", reader, "--whole").sentence


# --- `--estimate` says what a run would take, and trains nothing


def test_both_are_printed_and_nothing_is_trained(shell, monkeypatch):
    monkeypatch.setattr("bertcore.training.trial_run.TRIAL_S", 0.2)
    told = shell("finetune", "sst2", "--max-examples", "16", "--steps", "2", "--estimate", "--json")
    assert told.code == 0, told.err
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert [line["kind"] for line in lines] == ["data", "estimate"]
    assert lines[0]["train"] == 16 and lines[1]["steps"] == 2
    assert not [run for run in known_runs() if home() in run.parents]


# --- a step's batch of a run, drawn again

RUN = assets() / "runs" / CLASS_DEMO


def test_a_batch_as_a_table_and_as_json(shell):
    shown = shell("batch", RUN, "--step", "252")
    assert shown.code == 0, shown.err
    assert "by the snapshot of step 250" in shown.out and "ordered 80%" in shown.out
    assert "text of further documents only fills the sequence" in shown.out
    batch = shell("batch", RUN, "--step", "252", "--snapshot", "600", "--json").json
    drawn = open_batches(RUN).at(252)
    assert (batch["snapshot"], batch["shape"]) == (600, list(drawn.ids.shape))
    for row, sequence in enumerate(batch["sequences"]):
        fates = [FATES.index(token.get("fate", "")) for token in sequence["tokens"]]
        assert fates == drawn.fates[row][~drawn.is_padding[row]].tolist()
        losses = [token["loss"] for token in sequence["tokens"] if "loss" in token]
        assert len(losses) == (drawn.labels[row] != NO_LABEL).sum()
    one = shell("batch", RUN, "--step", "252", "--sequence", "2").out
    assert "first guess" in one and one.count("hidden") == 1 + 5


def test_a_run_of_another_kind_is_told_in_words_for_the_shell(shell, tmp_path):
    for kind in ("sweep", 7, None):
        run = RunFolder.create(tmp_path / f"run-{kind}", {"kind": kind})
        sentence = shell("batch", run.path, "--step", "1").sentence
        assert f"There is no kind of run {kind!r}" in sentence and "open_examples" not in sentence
    tuned = RunFolder.create(tmp_path / "tuned", {"kind": "finetune"})
    with pytest.raises(BertcoreError, match="was fine-tuned, so its batches are examples and not plain text.$"):
        open_batches(tuned.path)


def test_what_is_not_there_is_one_sentence(shell):
    assert "taken 600 steps so far" in shell("batch", RUN, "--step", "601").err
    assert "no snapshot of step 7" in shell("batch", RUN, "--step", "7", "--snapshot", "7").err
    assert "no sequence 99" in shell("batch", RUN, "--step", "7", "--sequence", "99").err


# --- what pretraining keeps of the texts it read, and clearing it away


def test_listed_and_cleared(shell, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_cache, "_mine", {})
    nothing = shell("cache")
    assert nothing.code == 0 and "0.0 MiB  in " in nothing.out
    trained = shell("pretrain", "--corpus", texts[0], *SMALL, "--steps", "2", "--out", tmp_path / "run")
    assert trained.code == 0, trained.err
    assert "a.txt  in use" in shell("cache").out  # by this very process, which ran the training
    assert shell("cache", "--clear", "--json").json["cleared"] == []
    for lock in corpus_cache._mine.values():
        lock.release()
    (text,) = shell("cache", "--json").json["texts"]
    assert text["sources"] == ["a.txt"] and text["bytes"] > 1000 and not text["in_use"]
    assert [gone["folder"] for gone in shell("cache", "--clear", "--json").json["cleared"]] == [text["folder"]]
    assert not Path(text["folder"]).exists() and "cleared from" in shell("cache", "--clear").out
