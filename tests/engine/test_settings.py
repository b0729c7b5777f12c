"""Settings of a run: what each kind refuses, what papers turn, old files; Python and the shell take them alike."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

import bertcore
from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import config_values
from bertcore.cli.arguments import with_flags_of
from bertcore.cli.main import app
from bertcore.errors import BertcoreError
from bertcore.locations import TINY, assets
from bertcore.runs.run_folder import RunFolder
from bertcore.settings import settings_of
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings, Decoding
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.readers.reading import task_named
from bertcore.training.distil_options import DistilOptions
from bertcore.training.evaluate import evaluate_text
from bertcore.training.finetune import task_model
from bertcore.training.finetune_options import FinetuneOptions, TuningOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, continued
from bertcore.training.run_settings import run_settings
from bertcore.training.start import start_run
from tests.engine.models import decode, tiny_checkpoint, tiny_config, tiny_model, word_tokenizer
from tests.engine.training_runs import at_step, losses, metrics, tiny_run, write_text
from tests.text_file import text_file

LEFT_OUT = {"corpus", "mixture", "columns", "model"}  # no single word or number
KINDS = [PretrainOptions, FinetuneOptions, DistilOptions]


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    @pytest.mark.parametrize("value", [-1, 0.5, True, "8", [8], None, float("nan"), 10**400])
    def test_a_batch_size_that_is_none(self, kind, value):
        with pytest.raises(BertcoreError, match="batch size must be a whole number between 1 and 65,536"):
            options = kind.from_dict({"training": {"batch_size": value}})
            getattr(options, "as_pretraining", lambda _: options)(PretrainOptions().model_config(300))

    @pytest.mark.parametrize("part", ["data", "training"])
    def test_a_part_that_is_no_table_and_a_typo(self, kind, part):
        for value in ("abc", 3, None, [1]):
            with pytest.raises(BertcoreError, match=f"The part {part} of a recipe must be a table"):
                kind.from_dict({part: value})
        typo = {"learning_raet": 1e-3}
        for recipe, where in ((typo, "the recipe"), ({part: typo}, part)):
            with pytest.raises(BertcoreError, match=f"no setting named learning_raet in {where}"):
                kind.from_dict(recipe)

    def test_files(self, kind, tmp_path):
        for text, words in (("{", "is not valid JSON"), ("[1]", "does not hold a JSON object")):
            with pytest.raises(BertcoreError, match=words):
                kind.from_file(text_file(tmp_path / "recipe.json", text))
        with pytest.raises(BertcoreError, match="cannot be read"):
            kind.from_file(tmp_path / "absent.json")
        options = kind()
        assert kind.from_file(text_file(tmp_path / "own.json", json.dumps(options.to_dict()))) == options


@pytest.mark.parametrize("kind", KINDS)
class TestEverySetting:
    def test_it_says_what_it_is_and_its_default_is_allowed(self, kind):
        settings = settings_of(kind)
        assert {each.section for each in settings} == {"", "data", "training"}
        assert len({each.name for each in settings}) == len(settings)  # a flag has no section
        for each in settings:
            assert each.help and not each.help.endswith("."), each.name
            each.check(each.default)

    def test_it_has_a_flag(self, kind):
        given = {}

        @with_flags_of(kind, leave_out=LEFT_OUT)
        def command(*, flags):
            given.update(flags)

        app = typer.Typer()
        app.command()(command)
        assert CliRunner().invoke(app, ["--batch-size", "8", "--precision", "fp32"]).exit_code == 0
        names = {each.name for each in settings_of(kind)} - LEFT_OUT
        assert set(given) == names and (given.pop("batch_size"), given.pop("precision")) == (8, "fp32")
        assert set(given.values()) == {None}


def test_settings_that_went_are_still_read_and_new_ones_are_packed():
    training = {"shard": True, "log_every": 5, "causal_masked_every": 8, "steps": 7}
    assert PretrainOptions.from_dict({"training": training}).training.steps == 7
    assert PretrainOptions.from_dict({"data": {"cut_long_sentences": True}}) == PretrainOptions.from_dict({})
    assert PretrainOptions.from_dict({}).data.pack is True
    stored = PretrainOptions(data=DataOptions(pack=False, pairs="sop", masking="spans")).to_dict()
    assert stored["format_version"] == 5 and PretrainOptions.from_dict(stored).to_dict() == stored


def test_a_budget_takes_the_place_of_another_and_numbers_may_be_left_open():
    options = FinetuneOptions.from_dict(
        {"training": {"learning_rate": None, "epochs": 2}, "data": {"max_examples": None}}
    )
    assert options.training.learning_rate is None and options.training.epochs == 2
    options = options.with_changes(steps=5, batch_size=4, task="mrpc")
    assert (options.training.epochs, options.training.steps, options.training.batch_size) == (None, 5, 4)
    assert options.data.task == "mrpc"
    with pytest.raises(BertcoreError, match="one budget"):
        options.with_changes(steps=5, minutes=1.0)


REFUSED = [
    *(
        (kind, {"data": {"corpus": corpus}}, "corpus of a recipe must be a list")
        for kind in (PretrainOptions, DistilOptions)
        for corpus in ("stories.txt", [1], {"a": 1})
    ),
    (FinetuneOptions, {"crf": "no"}, "The crf must be true or false, not 'no'"),
    (FinetuneOptions, {"data": {"train": 5}}, "The train must be text, not 5"),
    (FinetuneOptions, {"model": ["a"]}, "The model must be text"),
    (FinetuneOptions, {"data": {"columns": "text"}}, "The part columns of a recipe must be a table"),
    (FinetuneOptions, {"training": {"schedule": "cosine"}}, "There is no schedule 'cosine'"),
    (FinetuneOptions, {"training": {"dropout": 1.0}}, "dropout must be between 0 and 0.95, not 1.0"),
    (FinetuneOptions, {"training": {"steps": 5, "minutes": 1}}, "Give one budget"),
    (FinetuneOptions, {"training": {"layer_decay": 2.0}}, "layer decay must be between"),
    *(
        (DistilOptions, {f"{name}_weight": -1}, f"The {name} weight must be between")
        for name in ("soft", "mlm", "cosine")
    ),
    (DistilOptions, {"temperature": -1}, "The temperature must be between"),
    *((PretrainOptions, {"format_version": each}, "reads pretrain recipes of version 5") for each in (1, 4, 6, 99)),
    (PretrainOptions, {"kind": "classify"}, "kind"),
    (PretrainOptions, {"preset": "huge"}, "huge"),
    (PretrainOptions, {"model": {"layers": 1}}, "layers"),
    (PretrainOptions, {"model": {"num_attention_heads": 7}}, "does not divide into 7 heads"),
    (PretrainOptions, {"model": {"max_position_embeddings": 32}}, "sequence length"),
    (PretrainOptions, {"training": {"steps": 0}}, "steps"),
    (PretrainOptions, {"training": {"minutes": float("nan")}}, "minutes"),
    (PretrainOptions, {"training": {"precision": "fp8"}}, "fp8"),
    (PretrainOptions, {"training": {"causal_masked_every": 4}}, "no setting named causal_masked_every"),
    (PretrainOptions, {"data": {"sequence_length": 1024, "long_sequence_length": 1024}}, "sequence length"),
    (PretrainOptions, {"data": {"cut_long_sentences": False}}, "no setting named cut_long_sentences"),
    (PretrainOptions, {"data": {"masking": "letters"}}, "no masking 'letters'; choose one of tokens, words, spans"),
    (PretrainOptions, {"data": {"pairs": None}}, "no pairs None; choose one of nsp, sop, none"),
    (PretrainOptions, {"data": {"vocabulary": "x"}}, "no vocabulary 'x'; choose one of wordpiece, bpe, words"),
    (PretrainOptions, {"data": {"vocabulary": "bpe", "vocab_size": 200}}, "at least 261 for a byte-level"),
    (PretrainOptions, {"data": {"pack": "yes"}}, "pack must be true or false"),
    (PretrainOptions, {"data": {"text_field": 3}}, "text field must be"),
    (PretrainOptions, {"data": {"repeat_positions": "yes"}}, "positions must be true, false or null"),
]


@pytest.mark.parametrize(("kind", "recipe", "says"), REFUSED)
def test_what_cannot_be_is_refused_with_a_sentence(kind, recipe, says):
    with pytest.raises(BertcoreError, match=says):
        kind.from_dict(recipe)


# --- what a run reads: old files mean what they meant, and every choice trains and resumes

pytestmark = pytest.mark.usefixtures("fast_disk")


CHOICES = {
    "as BERT": ({"masking": "words"}, ("mlm", "nsp")),
    "as ALBERT": ({"pairs": "sop", "masking": "spans"}, ("mlm", "sop")),
    "as RoBERTa": ({"pairs": "none", "vocabulary": "bpe", "vocab_size": 300}, ("mlm",)),
    "whole words": ({"pairs": "sop", "vocabulary": "words"}, ("mlm", "sop")),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_trains_and_goes_on_as_if_never_stopped(choice, tmp_path):
    data, tasks = CHOICES[choice]
    corpus = write_text(tmp_path)
    options = tiny_run(corpus, data, steps=8, causal_share=0.25)
    whole = start_run(options, tmp_path / "whole", resume=False)
    checkpoint = load_checkpoint(whole)
    assert checkpoint.model.output_heads == tasks
    assert checkpoint.config.pad_token_id == checkpoint.tokenizer.pad_id
    held_out = metrics(tmp_path / "whole", "held_out")[-1]
    for head in tasks[1:]:
        assert held_out["pairs"] > 0 and 0 <= held_out[f"{head}_accuracy"] <= 1
        assert any(line.get(f"{head}_loss") is not None for line in metrics(tmp_path / "whole"))
    assert tasks[1:] or (held_out["pairs"] == 0 and held_out["nsp_loss"] is None)

    folder = RunFolder(tmp_path / "broken")
    start_run(options, folder.path, resume=False, on_event=at_step(5, lambda: folder.send("stop")))
    assert folder.status().step < 8
    start_run(None, folder.path, resume=True)
    assert losses(folder.path) == losses(tmp_path / "whole")


LACKING = {
    "RoBERTa": {"model_type": "roberta", "type_vocab_size": 1},
    "DistilBERT": {"model_type": "distilbert", "type_vocab_size": 0},
    "ELECTRA": {"model_type": "electra"},
    "BERT": {"type_vocab_size": 1},
}


class TestModelsWithoutPairs:
    """Next sentence and sentence order take a pooler, and a segment each for A and B."""

    @pytest.mark.parametrize("title", LACKING)
    @pytest.mark.parametrize("pairs", ["nsp", "sop"])
    def test_refused_before_a_folder_is_made(self, title, pairs):
        says = rf"\({pairs}\) need a pooler .* this {title} does not have .* pairs to none"
        with pytest.raises(BertcoreError, match=says):
            PretrainOptions(model=LACKING[title], data=DataOptions(pairs=pairs))
        assert PretrainOptions(model=LACKING[title], data=DataOptions(pairs="none")).model_config(99)

    def test_a_family_that_has_them_keeps_them(self):
        for model in ({}, {"model_type": "albert"}, {"model_type": "roberta", "type_vocab_size": 2}):
            assert PretrainOptions(model=model).data.pairs == "nsp"
        assert PretrainOptions().with_changes(family="albert", pairs="none").data.pairs == "none"
        assert PretrainOptions().with_changes(family="bert").data.pairs == "nsp"

    @pytest.mark.parametrize("title", LACKING)
    def test_who_goes_on_from_one_or_teaches_with_one_reads_running_text(self, title, tmp_path):
        dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        config = tiny_config(**LACKING[title], **dropout, max_position_embeddings=80)
        values = config_values(config, f"{config.family.class_prefix}ForMaskedLM")
        (tmp_path / "config.json").write_text(json.dumps(values))
        assert continued(PretrainOptions(), tmp_path).data.pairs == "none"
        assert DistilOptions(teacher=str(tmp_path)).as_pretraining(config).data.pairs == "none"
        assert DistilOptions().as_pretraining(tiny_config(max_position_embeddings=80)).data.pairs == "nsp"


@pytest.mark.parametrize(
    ("heads", "changes"),
    [(("mlm",), {"type_vocab_size": 1}), (("mlm", "sop"), {"model_type": "albert"}), (("mlm", "nsp"), {})],
)
def test_held_out_text_is_laid_out_as_the_model_reads_it(heads, changes, tmp_path):
    """One segment has no place for a B, and sentence order is asked of nobody but who learned it."""
    save_checkpoint(tiny_model(heads, pooler=heads[-1] != "mlm", **changes), word_tokenizer(), tmp_path / "model")
    found = evaluate_text(load_checkpoint(tmp_path / "model"), [write_text(tmp_path)], 40, 8)
    assert found["words"] and bool(found["pairs"]) == (len(heads) > 1)
    assert (found.get("sop_accuracy") is not None) == ("sop" in heads)
    assert (found["nsp_accuracy"] is not None) == ("nsp" in heads)


# --- what papers and tutorials turn


@pytest.mark.parametrize(
    ("family", "pairs", "vocabulary", "tasks"),
    [("roberta", "none", "bpe", ("mlm",)), ("albert", "sop", "wordpiece", ("mlm", "sop"))],
)
def test_a_family_brings_what_its_models_learn(tmp_path, family, pairs, vocabulary, tasks):
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    options = replace(tiny_run(write_text(tmp_path), data={"vocab_size": 300}, steps=3), model=small)
    options = options.with_changes(family=family)
    assert (options.data.pairs, options.data.vocabulary) == (pairs, vocabulary)
    opened = load_checkpoint(start_run(options, tmp_path / "run", resume=False))
    assert (opened.config.model_type, opened.output_heads) == (family, tasks)
    assert opened.config.layer_groups == (1 if family == "albert" else 2)


SHAPE = {"layers": 3, "hidden": 48, "heads": 4, "intermediate": 40, "position_count": 24, "segments": 3, "dropout": 0.2}


def test_shell_and_python_make_the_same_model(tmp_path):
    text = write_text(tmp_path)
    given = {"preset": "tiny", "steps": 2, "sequence_length": 16, "threads": 1, "precision": "fp32", **SHAPE}
    given["long_sequence_length"] = 16
    bertcore.train("pretrain", tmp_path / "python", corpus=text, vocab_size=120, **given)
    flags = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = ["pretrain", "--corpus", str(text), "--out", str(tmp_path / "shell"), "--vocabulary-size", "120", *flags]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 0, run.output
    ours, theirs = (RunFolder(tmp_path / name).newest_snapshot() for name in ("python", "shell"))
    config, made = load_checkpoint(ours).config, load_checkpoint(theirs)
    assert config == made.config and made.tokenizer.vocab_size <= 120
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (3, 48, 4)
    assert (config.intermediate_size, config.max_length, config.type_vocab_size) == (40, 24, 3)
    assert config.hidden_dropout_prob == config.attention_probs_dropout_prob == 0.2
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()


def test_another_width_brings_heads_and_a_feed_forward_layer_that_fit():
    for hidden, heads in ((768, 12), (96, 2), (64, 1), (30, 1), (1000, 20)):
        config = PretrainOptions(preset="tiny", hidden=hidden).model_config(300)
        assert (config.num_attention_heads, config.intermediate_size) == (heads, 4 * hidden)
    assert PretrainOptions(positions="sinusoidal_fixed").model_config(300).positions == "sinusoidal_fixed"
    roberta = PretrainOptions().with_changes(family="roberta", position_count=64)
    assert roberta.model_config(300).max_length == 64


TINY_SHAPE = {"preset": "tiny"}
NO_RUNS = [
    ("finetun", {}, "no kind of run 'finetun'; choose one of pretrain, finetune, distil"),
    ("finetune", {}, "Name a task"),
    ("finetune", {"task": "sst2", "lerning_rate": 1.0}, "no setting 'lerning_rate'; did you mean learning_rate"),
    ("pretrain", {}, "nothing to train on"),
    ("pretrain", {"start": TINY, "preset": "mini"}, "leave out preset"),
    ("pretrain", {"start": TINY, "layers": 3}, "has its own family, size and vocabulary; leave out layers"),
    ("pretrain", {**TINY_SHAPE, "hidden": 100, "heads": 3}, "hidden_size 100 does not divide into 3 heads"),
    ("pretrain", {**TINY_SHAPE, "position_count": 32, "sequence_length": 64}, "64 is more than the model's 32"),
    ("pretrain", {**TINY_SHAPE, "segments": 1}, "Sentence pairs .nsp. need a pooler and two segments"),
    ("pretrain", {**TINY_SHAPE, "sequence_length": 4}, "pairs .nsp. need sequences of 5 tokens or more; set p"),
    ("pretrain", {**TINY_SHAPE, "sequence_length": 3}, "sequence length must be a whole number between 4 and 512"),
    ("pretrain", {**TINY_SHAPE, "dropout": 1.5}, "dropout must be between 0 and 0.95"),
]


@pytest.mark.parametrize(("kind", "given", "says"), NO_RUNS)
def test_what_makes_no_run_makes_no_folder(tmp_path, kind, given, says):
    corpus = {} if kind != "pretrain" or not given else {"corpus": write_text(tmp_path)}
    with pytest.raises(BertcoreError, match=says):
        bertcore.train(kind, tmp_path / "run", **{**corpus, **given})
    assert not (tmp_path / "run").exists()
    with pytest.raises(BertcoreError, match="There is no run in"):
        bertcore.Run(tmp_path)


@pytest.mark.parametrize("pairs", ["none", "nsp", "sop"])
def test_sequences_of_a_few_tokens(text, run, pairs):
    length = 4 if pairs == "none" else 5  # [CLS] A [SEP] B [SEP]
    data = {"sequence_length": length, "long_sequence_length": length, "long_share": 0.0, "pairs": pairs}
    start_run(tiny_run(text, data, steps=4), run, resume=False)
    assert len(metrics(run)) == 4 and metrics(run, "held_out")[-1]["mlm_loss"] > 0


def test_epochs_are_a_budget_of_pretraining(tmp_path, run):
    once = tiny_run(write_text(tmp_path, documents=40), data={"long_share": 0.0}, steps=None, epochs=1.0)
    start_run(once.with_changes(epochs=2.0), run, resume=False)
    status = RunFolder(run).status()
    assert status.state == "done" and status.step == status.total_steps
    start_run(once, tmp_path / "once", resume=False)
    assert abs(2 * RunFolder(tmp_path / "once").status().step - status.step) <= 1
    start_run(once.with_changes(epochs=2.0), tmp_path / "once", resume=True)  # a new budget
    assert RunFolder(tmp_path / "once").status().step == status.step
    with pytest.raises(BertcoreError, match="one budget"):
        replace(once, training=replace(once.training, steps=3))


def test_every_chosen_word_can_become_a_mask(tmp_path):
    options = tiny_run(write_text(tmp_path), data={"mask_fate": 1.0, "random_fate": 0.0}, steps=2, causal_share=0.0)
    start_run(options, tmp_path / "run", resume=False)
    batch = json.loads((tmp_path / "run" / "first_batch.json").read_text())
    seen = {sequence["tokens"][int(at)] for sequence in batch["sequences"] for at in sequence["predict"]}
    assert seen == {"[MASK]"} and metrics(tmp_path / "run")
    with pytest.raises(BertcoreError, match="together at most 1"):
        options.with_changes(random_fate=0.5)


def test_a_classifier_has_a_dropout_of_its_own(tmp_path):
    opened = load_checkpoint(tiny_checkpoint(tmp_path / "model"))
    options = FinetuneOptions(training=TuningOptions(dropout=0.1, classifier_dropout=0.4))
    train = type("Train", (), {"labels": ("a", "b"), "examples": ()})()
    model = task_model(opened, task_named("sst2"), train, options)
    assert model.classify.dropout.p == 0.4
    assert model.config.hidden_dropout_prob == 0.1


@pytest.mark.parametrize(
    ("given", "count"), [({}, 3), ({"sentences": 5}, 5), ({"ratio": 0.2}, 2), ({"ratio": 1.0}, 10)]
)
def test_how_long_a_summary_is(given, count):
    words = ["cat", "dog", "bird", "mat", "day", "the", "was", "sat", "sang", "very"]
    features = make_features("summarise", [SummaryExample(tuple(words))], word_tokenizer(), max_length=64)
    settings = DecodeSettings(Decoding(**given))
    (said,) = decode(features, [(np.array([0]), np.arange(10.0))], settings)
    assert len(said.sentences) == count


# --- one run from Python: trained, resumed, read again

QUICK = {"steps": 4, "batch_size": 8, "threads": 1, "precision": "fp32"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """With a model and a file to learn from."""
    shared = tmp_path_factory.mktemp("here")
    tiny_checkpoint(shared / "model")
    rows = "the cat sang\t1\nthe dog sat\t0\n" * 20
    (shared / "mine.tsv").write_text(f"sentence\tlabel\n{rows}")
    return shared


def test_fine_tuning_gives_a_run_with_its_model_and_metrics(shared, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(shared)
    threads, events = torch.get_num_threads(), []
    out = tmp_path / "mine"
    given = {"train": "mine.tsv", "task": "sst2", "model": Path("model"), "max_length": 16, **QUICK}
    run = bertcore.train("finetune", out, on_event=events.append, **{**given, "threads": threads + 1})
    assert capfd.readouterr() == ("", "") and torch.get_num_threads() == threads
    assert (run.state, run.step) == ("done", 4) and repr(run) == f"<run {out}: done at step 4>"
    assert run.model.predict("the cat sang").label in ("negative", "positive")
    written = json.loads((out / "evaluation.json").read_text())["metrics"]
    assert run.metrics["accuracy"] == written["accuracy"] and run.metrics["step"] == 4
    assert all(isinstance(value, int | float) for value in run.metrics.values())
    assert run.rows() == [line for line in map(json.loads, (out / "metrics.jsonl").open()) if "step" in line]
    assert [line["step"] for line in run.rows("train")] == [e["step"] for e in events if e["kind"] == "train"]
    assert run.settings["data"]["train"] == str(shared / "mine.tsv")  # it resumes from anywhere

    with pytest.raises(BertcoreError, match="already holds a run"):
        bertcore.train("finetune", out, **given)
    monkeypatch.chdir(tmp_path)
    assert bertcore.train("finetune", out, resume=True, steps=6).step == 6
    with pytest.raises(BertcoreError, match="resumes with its own settings"):
        bertcore.train("finetune", out, resume=True, learning_rate=1e-3)


def test_pretraining_and_distilling(shared, tmp_path):
    text = write_text(tmp_path, documents=40)
    begun = bertcore.train("pretrain", tmp_path / "more", start=shared / "model", corpus=text, evaluations=1, **QUICK)
    assert begun.model.config.hidden_size == 32 and begun.metrics["mlm_loss"] > 0
    given = {"teacher": str(shared / "model"), "corpus": [text], "sequence_length": 16, "evaluations": 1, **QUICK}
    student = bertcore.train("distil", tmp_path / "student", **given)
    assert student.model.config.num_hidden_layers == 1 and student.state == "done"


def test_a_checkpoint_and_a_vocabulary_are_found_by_name_and_a_task_learns_from_its_sample():
    tiny = str((assets() / "checkpoints" / TINY).resolve())
    options = run_settings("pretrain", Path("more"), {"start": TINY}, resume=False, name="more")
    assert options.start == options.data.tokenizer == tiny and options.name == "more"
    assert options.model_config(300).hidden_size == load_checkpoint(Path(tiny)).config.hidden_size
    given = {"tokenizer": TINY, "sequence_length": 100}
    options = run_settings("pretrain", Path("more"), given, resume=False)
    assert options.data.tokenizer == tiny and options.data.long_sequence_length == 100
    options = run_settings("finetune", Path("runs/mine"), {"task": "sst2"}, resume=False, name="mine")
    assert (options.name, options.data.train) == ("mine", str(assets() / "tasks" / "sentiment"))
